void demo_group_defaults(demo_group_args *args)
{
    memset(args, 0, sizeof *args);
    args->where = WG_CUDA * 256 + 1;
    args->mode = "a\"b";
    static const double default_k = 1.0;
    args->k = &default_k;
}

int32_t demo_group_unbox(WgContext *ctx, const WgValue *values, size_t num_values, demo_group_args *args)
{
    static const WgSite site_count = { "group", NULL, "arguments", WG_E_COUNT, WG_KIND_INTEGER };
    demo_group_defaults(args);
    if (num_values < 10 || num_values > 13 || values == NULL) {
        const int64_t nearest = num_values < 10 ? 10 : 13;
        return wg_fail(ctx, &site_count, -1, wg_value_integer(nearest), wg_value_integer((int64_t)num_values));
    }
    args->x = values[0].tensor;
    static const WgSite site_ts = { "group", "ts", "null", WG_E_NULL, WG_KIND_NONE };
    if (values[1].pointer == NULL) {
        return wg_fail(ctx, &site_ts, -1, wg_value_integer(0), wg_value_integer(0));
    }
    args->ts = *(const demo_group_args_ts *)values[1].pointer;
    static const WgSite site_options = { "group", "options", "null", WG_E_NULL, WG_KIND_NONE };
    if (values[2].pointer == NULL) {
        return wg_fail(ctx, &site_options, -1, wg_value_integer(0), wg_value_integer(0));
    }
    args->options = *(const demo_group_args_options *)values[2].pointer;
    static const WgSite site_config = { "group", "config", "null", WG_E_NULL, WG_KIND_NONE };
    if (values[3].pointer == NULL) {
        return wg_fail(ctx, &site_config, -1, wg_value_integer(0), wg_value_integer(0));
    }
    args->config = *(const demo_group_args_config *)values[3].pointer;
    args->configs = (const demo_group_args_configs *)values[4].pointer;
    static const WgSite site_a = { "group", "a", "null", WG_E_NULL, WG_KIND_NONE };
    if (values[5].pointer == NULL) {
        return wg_fail(ctx, &site_a, -1, wg_value_integer(0), wg_value_integer(0));
    }
    args->a = *(const demo_group_args_a *)values[5].pointer;
    static const WgSite site_a_b = { "group", "a_b", "null", WG_E_NULL, WG_KIND_NONE };
    if (values[6].pointer == NULL) {
        return wg_fail(ctx, &site_a_b, -1, wg_value_integer(0), wg_value_integer(0));
    }
    args->a_b = *(const demo_group_args_a_b_2 *)values[6].pointer;
    args->to = wg_narrow(values[7].integer);
    args->where = wg_narrow(values[8].integer);
    args->unused = values[9].pointer;
    if (num_values > 10) {
        args->mode = values[10].pointer;
    }
    if (num_values > 11) {
        args->k = (const double *)values[11].pointer;
    }
    if (num_values > 12) {
        args->bias = values[12].tensor;
    }
    return WG_OK;
}

static inline int32_t demo_group_check(WgContext *ctx, const demo_group_args *args)
{
    static const WgSite site_missing_x = { "group", "x", "missing", WG_E_NULL, WG_KIND_NONE };
    static const WgSite site_dtype_x = { "group", "x", "dtype float16|bfloat16", WG_E_DTYPE, WG_KIND_DTYPE };
    static const WgSite site_rank_x = { "group", "x", "rank 2", WG_E_RANK, WG_KIND_INTEGER };
    static const WgSite site_length_ts = { "group", "ts", "length 1..8", WG_E_COUNT, WG_KIND_INTEGER };
    static const WgSite site_missing_ts_item = { "group", "ts[]", "missing", WG_E_NULL, WG_KIND_NONE };
    static const WgSite site_rank_ts_item = { "group", "ts[]", "rank", WG_E_RANK, WG_KIND_INTEGER };
    static const WgSite site_missing_options_1 = { "group", "options.1", "missing", WG_E_NULL, WG_KIND_NONE };
    static const WgSite site_bytes_options_1 = { "group", "options.1", "bytes", WG_E_VALUE, WG_KIND_INTEGER };
    static const WgSite site_bool_config_exact = { "group", "config.exact", "bool", WG_E_VALUE, WG_KIND_INTEGER };
    static const WgSite site_length_configs = { "group", "configs", "length", WG_E_COUNT, WG_KIND_INTEGER };
    static const WgSite site_bool_configs_item_exact = { "group", "configs[].exact", "bool", WG_E_VALUE, WG_KIND_INTEGER };
    static const WgSite site_dtype_to = { "group", "to", "dtype", WG_E_DTYPE, WG_KIND_INTEGER };
    static const WgSite site_device_where = { "group", "where", "device", WG_E_DEVICE, WG_KIND_INTEGER };
    static const WgSite site_null_unused = { "group", "unused", "null", WG_E_VALUE, WG_KIND_NONE };
    static const WgSite site_missing_mode = { "group", "mode", "missing", WG_E_NULL, WG_KIND_NONE };
    static const WgSite site_bytes_mode = { "group", "mode", "bytes", WG_E_VALUE, WG_KIND_INTEGER };
    static const WgSite site_rank_bias = { "group", "bias", "rank", WG_E_RANK, WG_KIND_INTEGER };
    static const WgSite site_read = { "group", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    int32_t status = WG_OK;
    if (args == NULL) {
        status = wg_fail_null(ctx, "group", NULL, 0);
        goto fail;
    }

    /* kernels[0].args[0] */
    WgTensor *const arg_x = args->x;
    if (arg_x == NULL) {
        status = wg_fail(ctx, &site_missing_x, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (!wg_among(wg_dtype(ctx, arg_x), UINT64_C(1) << WG_FLOAT16 | UINT64_C(1) << WG_BFLOAT16)) {
        status = wg_fail(ctx, &site_dtype_x, -1, wg_value_integer(WG_FLOAT16), wg_value_integer(wg_dtype(ctx, arg_x)));
        goto fail;
    }
    if (wg_rank(ctx, arg_x) != 2) {
        status = wg_fail(ctx, &site_rank_x, -1, wg_value_integer(2), wg_value_integer(wg_rank(ctx, arg_x)));
        goto fail;
    }

    /* kernels[0].args[1] */
    const demo_group_args_ts *const arg_ts = &args->ts;
    if (!wg_among(wg_items(arg_ts->count), UINT64_C(0x1fe)) || (arg_ts->items == NULL && arg_ts->count > 0)) {
        status = wg_fail(ctx, &site_length_ts, -1, wg_value_integer(1), wg_value_integer(wg_items(arg_ts->count)));
        goto fail;
    }
    for (size_t i_ts = 0; i_ts < arg_ts->count; i_ts++) {
        WgTensor *const arg_ts_item = arg_ts->items[i_ts];
        if (arg_ts_item == NULL) {
            status = wg_fail(ctx, &site_missing_ts_item, -1, wg_value_integer(0), wg_value_integer(0));
            goto fail;
        }
        if (!wg_among(wg_rank(ctx, arg_ts_item), UINT64_C(0x1ffff))) {
            status = wg_fail(ctx, &site_rank_ts_item, -1, wg_value_integer(0), wg_value_integer(wg_rank(ctx, arg_ts_item)));
            goto fail;
        }
    }

    /* kernels[0].args[2] */
    const demo_group_args_options *const arg_options = &args->options;

    /* kernels[0].args[2].items[1] */
    const char *const arg_options_1 = arg_options->item1;
    if (arg_options_1 == NULL) {
        status = wg_fail(ctx, &site_missing_options_1, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (wg_key_bytes(arg_options_1) > WG_KEY_MAX_BYTES) {
        status = wg_fail(ctx, &site_bytes_options_1, -1, wg_value_integer(WG_KEY_MAX_BYTES), wg_value_integer((int64_t)strlen(arg_options_1)));
        goto fail;
    }

    /* kernels[0].args[3] */
    const demo_group_args_config *const arg_config = &args->config;

    /* kernels[0].args[3].items[1] */
    const int32_t arg_config_exact = arg_config->exact;
    if (!wg_among(arg_config_exact, UINT64_C(0x3))) {
        status = wg_fail(ctx, &site_bool_config_exact, -1, wg_value_integer(0), wg_value_integer(arg_config_exact));
        goto fail;
    }

    /* kernels[0].args[4] */
    const demo_group_args_configs *const arg_configs = args->configs;
    if (arg_configs != NULL) {
        if (!wg_among(wg_items(arg_configs->count), UINT64_C(0xffffffffffffffff)) || (arg_configs->items == NULL && arg_configs->count > 0)) {
            status = wg_fail(ctx, &site_length_configs, -1, wg_value_integer(0), wg_value_integer(wg_items(arg_configs->count)));
            goto fail;
        }
        for (size_t i_configs = 0; i_configs < arg_configs->count; i_configs++) {
            const demo_group_args_configs_item *const arg_configs_item = &arg_configs->items[i_configs];
            const int32_t *const arg_configs_item_exact = arg_configs_item->exact;
            if (arg_configs_item_exact != NULL) {
                const int32_t value_configs_item_exact = *arg_configs_item_exact;
                if (!wg_among(value_configs_item_exact, UINT64_C(0x3))) {
                    status = wg_fail(ctx, &site_bool_configs_item_exact, -1, wg_value_integer(0), wg_value_integer(value_configs_item_exact));
                    goto fail;
                }
            }
        }
    }

    /* kernels[0].args[7] */
    const int32_t arg_to = args->to;
    if (!wg_among(arg_to, UINT64_C(0x3f808fff))) {
        status = wg_fail(ctx, &site_dtype_to, -1, wg_value_integer(0), wg_value_integer(arg_to));
        goto fail;
    }

    /* kernels[0].args[8] */
    const int32_t arg_where = args->where;
    if (arg_where < 0) {
        status = wg_fail(ctx, &site_device_where, -1, wg_value_integer(0), wg_value_integer(arg_where));
        goto fail;
    }

    /* kernels[0].args[9] */
    const void *const arg_unused = args->unused;
    if (arg_unused != NULL) {
        status = wg_fail(ctx, &site_null_unused, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }

    /* kernels[0].args[10] */
    const char *const arg_mode = args->mode;
    if (arg_mode == NULL) {
        status = wg_fail(ctx, &site_missing_mode, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (wg_key_bytes(arg_mode) > WG_KEY_MAX_BYTES) {
        status = wg_fail(ctx, &site_bytes_mode, -1, wg_value_integer(WG_KEY_MAX_BYTES), wg_value_integer((int64_t)strlen(arg_mode)));
        goto fail;
    }

    /* kernels[0].args[12] */
    WgTensor *const arg_bias = args->bias;
    if (arg_bias != NULL) {
        if (!wg_among(wg_rank(ctx, arg_bias), UINT64_C(0x1ffff))) {
            status = wg_fail(ctx, &site_rank_bias, -1, wg_value_integer(0), wg_value_integer(wg_rank(ctx, arg_bias)));
            goto fail;
        }
    }

    /* kernels[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    return WG_OK;

fail: /* never with WG_OK; because compilers can see that here, the callers' code is shorter */
    return status != WG_OK ? status : WG_E_HOST;
}

static WG_COLD __attribute__((noinline)) int32_t demo_group_key_of_any(WgContext *ctx, const demo_group_args *args, demo_group_key *key)
{
    static const WgSite site_read = { "group", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    uint64_t *next = key->words;
    uint64_t differs = 0;
    const WgTensor *tensors[10 + 1] = { NULL };
    int32_t status = WG_OK;

    /* kernels[0].args[0] */
    WgTensor *const arg_x = args->x;
    next = wg_key_again(wg_key_find(ctx, arg_x, tensors), next);
    next = wg_key_any(ctx, arg_x, 0 | WG_KEY_AUTO | WG_KEY_DEVICE, 0x0, next);

    /* kernels[0].args[1] */
    const demo_group_args_ts *const arg_ts = &args->ts;
    next = wg_key_put(next, arg_ts->count, &differs);
    for (size_t i_ts = 0; i_ts < arg_ts->count; i_ts++) {
        WgTensor *const arg_ts_item = arg_ts->items[i_ts];
        next = wg_key_again(wg_key_find(ctx, arg_ts_item, tensors), next);
        next = wg_key_any(ctx, arg_ts_item, 0 | WG_KEY_AUTO | WG_KEY_DEVICE, 0x0, next);
    }

    /* kernels[0].args[2] */
    const demo_group_args_options *const arg_options = &args->options;

    /* kernels[0].args[2].items[1] */
    const char *const arg_options_1 = arg_options->item1;
    next = wg_key_text(arg_options_1, next, &differs);

    /* kernels[0].args[4] */
    const demo_group_args_configs *const arg_configs = args->configs;
    if (arg_configs == NULL) {
        next = wg_key_put(next, 0, &differs);
    } else {
        next = wg_key_put(next, 1, &differs);
        next = wg_key_put(next, arg_configs->count, &differs);
        for (size_t i_configs = 0; i_configs < arg_configs->count; i_configs++) {
            const demo_group_args_configs_item *const arg_configs_item = &arg_configs->items[i_configs];
            const int32_t *const arg_configs_item_exact = arg_configs_item->exact;
            if (arg_configs_item_exact == NULL) {
                next = wg_key_put(next, 0, &differs);
            } else {
                next = wg_key_put(next, 1, &differs);
            }
        }
    }

    /* kernels[0].args[7] */
    const int32_t arg_to = args->to;
    next = wg_key_put(next, (uint64_t)arg_to, &differs);

    /* kernels[0].args[8] */
    const int32_t arg_where = args->where;
    next = wg_key_put(next, (uint64_t)arg_where, &differs);

    /* kernels[0].args[10] */
    const char *const arg_mode = args->mode;
    next = wg_key_text(arg_mode, next, &differs);

    /* kernels[0].args[11] */
    const double *const arg_k = args->k;
    if (arg_k == NULL) {
        next = wg_key_put(next, 0, &differs);
    } else {
        next = wg_key_put(next, 1, &differs);
    }

    /* kernels[0].args[12] */
    WgTensor *const arg_bias = args->bias;
    if (arg_bias == NULL) {
        next = wg_key_put(next, 0, &differs);
    } else {
        next = wg_key_again(wg_key_find(ctx, arg_bias, tensors), next);
        next = wg_key_any(ctx, arg_bias, 0 | WG_KEY_AUTO | WG_KEY_DEVICE, 0x0, next);
    }

    /* kernels[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    (void)differs;
    key->num_words = (size_t)(next - key->words);
    return WG_OK;

fail:
    return status;
}

static inline __attribute__((always_inline)) int32_t demo_group_key_over(WgContext *ctx, const demo_group_args *args, demo_group_key *key, int *same)
{
    static const WgSite site_read = { "group", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    uint64_t *next = key->words;
    uint64_t differs = 0;
    const WgTensor *tensors[10];
    size_t num_tensors = 0;
    int32_t status = demo_group_check(ctx, args);
    key->num_words = 0;
    *same = 0;
    if (status != WG_OK) {
        goto fail;
    }

    /* kernels[0].args[0] */
    WgTensor *const arg_x = args->x;
    if (!wg_key_apart(ctx, arg_x, tensors, num_tensors++)) {
        goto other;
    }
    {
        const int64_t *const sizes = wg_sizes(ctx, arg_x);
        int64_t count = 1;
        if (!wg_is_plain(ctx, arg_x) || sizes == NULL) {
            goto other;
        }
        uint64_t buckets = 0;
        if (wg_key_times(&count, sizes[0])) {
            goto other;
        }
        if (wg_key_times(&count, sizes[1])) {
            goto other;
        }
        next = wg_key_put(next, UINT64_C(0xa00020001) | wg_key_type_on(ctx, arg_x) | wg_key_many(count) | buckets << 32, &differs);
    }

    /* kernels[0].args[1] */
    const demo_group_args_ts *const arg_ts = &args->ts;
    next = wg_key_put(next, arg_ts->count, &differs);
    for (size_t i_ts = 0; i_ts < arg_ts->count; i_ts++) {
        WgTensor *const arg_ts_item = arg_ts->items[i_ts];
        if (!wg_key_apart(ctx, arg_ts_item, tensors, num_tensors++)) {
            goto other;
        }
        {
            const int32_t rank = wg_rank(ctx, arg_ts_item);
            const int64_t *const sizes = wg_sizes(ctx, arg_ts_item);
            if (!wg_is_plain(ctx, arg_ts_item) || sizes == NULL) {
                goto other;
            }
            next = wg_key_buckets(sizes, rank, 0 | WG_KEY_AUTO | WG_KEY_DEVICE, 0x0, UINT64_C(0x1) | wg_key_type_on(ctx, arg_ts_item) | (uint64_t)(uint32_t)rank << 16, next, &differs);
            if (next == NULL) {
                goto other;
            }
        }
    }

    /* kernels[0].args[2] */
    const demo_group_args_options *const arg_options = &args->options;

    /* kernels[0].args[2].items[1] */
    const char *const arg_options_1 = arg_options->item1;
    next = wg_key_text(arg_options_1, next, &differs);

    /* kernels[0].args[4] */
    const demo_group_args_configs *const arg_configs = args->configs;
    if (arg_configs == NULL) {
        next = wg_key_put(next, 0, &differs);
    } else {
        next = wg_key_put(next, 1, &differs);
        next = wg_key_put(next, arg_configs->count, &differs);
        for (size_t i_configs = 0; i_configs < arg_configs->count; i_configs++) {
            const demo_group_args_configs_item *const arg_configs_item = &arg_configs->items[i_configs];
            const int32_t *const arg_configs_item_exact = arg_configs_item->exact;
            if (arg_configs_item_exact == NULL) {
                next = wg_key_put(next, 0, &differs);
            } else {
                next = wg_key_put(next, 1, &differs);
            }
        }
    }

    /* kernels[0].args[7] */
    const int32_t arg_to = args->to;
    next = wg_key_put(next, (uint64_t)arg_to, &differs);

    /* kernels[0].args[8] */
    const int32_t arg_where = args->where;
    next = wg_key_put(next, (uint64_t)arg_where, &differs);

    /* kernels[0].args[10] */
    const char *const arg_mode = args->mode;
    next = wg_key_text(arg_mode, next, &differs);

    /* kernels[0].args[11] */
    const double *const arg_k = args->k;
    if (arg_k == NULL) {
        next = wg_key_put(next, 0, &differs);
    } else {
        next = wg_key_put(next, 1, &differs);
    }

    /* kernels[0].args[12] */
    WgTensor *const arg_bias = args->bias;
    if (arg_bias == NULL) {
        next = wg_key_put(next, 0, &differs);
    } else {
        if (!wg_key_apart(ctx, arg_bias, tensors, num_tensors++)) {
            goto other;
        }
        {
            const int32_t rank = wg_rank(ctx, arg_bias);
            const int64_t *const sizes = wg_sizes(ctx, arg_bias);
            if (!wg_is_plain(ctx, arg_bias) || sizes == NULL) {
                goto other;
            }
            next = wg_key_buckets(sizes, rank, 0 | WG_KEY_AUTO | WG_KEY_DEVICE, 0x0, UINT64_C(0x1) | wg_key_type_on(ctx, arg_bias) | (uint64_t)(uint32_t)rank << 16, next, &differs);
            if (next == NULL) {
                goto other;
            }
        }
    }

    /* kernels[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    key->num_words = (size_t)(next - key->words);
    *same = differs == 0;
    return WG_OK;

fail:
    return status;

other:
    return demo_group_key_of_any(ctx, args, key);
}

int32_t demo_nothing_unbox(WgContext *ctx, const WgValue *values, size_t num_values, demo_nothing_args *args)
{
    static const WgSite site_count = { "nothing", NULL, "arguments", WG_E_COUNT, WG_KIND_INTEGER };
    demo_nothing_defaults(args);
    (void)values;
    if (num_values != 0) {
        return wg_fail(ctx, &site_count, -1, wg_value_integer(0), wg_value_integer((int64_t)num_values));
    }
    return WG_OK;
}

static inline __attribute__((always_inline)) int32_t demo_nothing_key_over(WgContext *ctx, const demo_nothing_args *args, demo_nothing_key *key, int *same)
{
    static const WgSite site_read = { "nothing", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    uint64_t *next = key->words;
    uint64_t differs = 0;
    int32_t status = demo_nothing_check(ctx, args);
    key->num_words = 0;
    *same = 0;
    if (status != WG_OK) {
        goto fail;
    }

    /* kernels[1] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    key->num_words = (size_t)(next - key->words);
    *same = differs == 0;
    return WG_OK;

fail:
    return status;
}
