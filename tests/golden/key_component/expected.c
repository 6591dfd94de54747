static inline int32_t demo_gather_check(WgContext *ctx, const demo_gather_args *args)
{
    static const WgSite site_missing_x = { "gather", "x", "missing", WG_E_NULL, WG_KIND_NONE };
    static const WgSite site_rank_x = { "gather", "x", "rank 2", WG_E_RANK, WG_KIND_INTEGER };
    static const WgSite site_index32_x = { "gather", "x", "index32", WG_E_SIZE, WG_KIND_INTEGER };
    static const WgSite site_length_ts = { "gather", "ts", "length 1..3", WG_E_COUNT, WG_KIND_INTEGER };
    static const WgSite site_rank_ts_item = { "gather", "ts[]", "rank", WG_E_RANK, WG_KIND_INTEGER };
    static const WgSite site_index32_ts_item = { "gather", "ts[]", "index32", WG_E_SIZE, WG_KIND_INTEGER };
    static const WgSite site_read = { "gather", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    int32_t status = WG_OK;
    if (args == NULL) {
        status = wg_fail_null(ctx, "gather", NULL, 0);
        goto fail;
    }

    /* kernels[0].args[0] */
    WgTensor *const arg_x = args->x;
    if (arg_x == NULL) {
        status = wg_fail(ctx, &site_missing_x, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (wg_rank(ctx, arg_x) != 2) {
        status = wg_fail(ctx, &site_rank_x, -1, wg_value_integer(2), wg_value_integer(wg_rank(ctx, arg_x)));
        goto fail;
    }
    if (wg_key_elements(ctx, arg_x) > INT32_MAX) {
        status = wg_fail(ctx, &site_index32_x, -1, wg_value_integer(INT32_MAX), wg_value_integer((int64_t)wg_key_elements(ctx, arg_x)));
        goto fail;
    }

    /* kernels[0].args[1] */
    const demo_gather_args_ts *const arg_ts = &args->ts;
    if (!wg_among(wg_items(arg_ts->count), UINT64_C(0xe)) || (arg_ts->items == NULL && arg_ts->count > 0)) {
        status = wg_fail(ctx, &site_length_ts, -1, wg_value_integer(1), wg_value_integer(wg_items(arg_ts->count)));
        goto fail;
    }
    for (size_t i_ts = 0; i_ts < arg_ts->count; i_ts++) {
        WgTensor *const arg_ts_item = arg_ts->items[i_ts];
        if (arg_ts_item != NULL) {
            if (!wg_among(wg_rank(ctx, arg_ts_item), UINT64_C(0x1ffff))) {
                status = wg_fail(ctx, &site_rank_ts_item, -1, wg_value_integer(0), wg_value_integer(wg_rank(ctx, arg_ts_item)));
                goto fail;
            }
            if (wg_key_elements(ctx, arg_ts_item) > INT32_MAX) {
                status = wg_fail(ctx, &site_index32_ts_item, -1, wg_value_integer(INT32_MAX), wg_value_integer((int64_t)wg_key_elements(ctx, arg_ts_item)));
                goto fail;
            }
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

static inline __attribute__((always_inline)) int32_t demo_gather_key_over(WgContext *ctx, const demo_gather_args *args, demo_gather_key *key, int *same)
{
    static const WgSite site_read = { "gather", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    uint64_t *next = key->words;
    uint64_t differs = 0;
    const WgTensor *tensors[4];
    size_t num_tensors = 0;
    int32_t status = demo_gather_check(ctx, args);
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
        if (!wg_is_plain(ctx, arg_x) || sizes == NULL) {
            goto other;
        }
        uint64_t buckets = 0;
        next = wg_key_put(next, UINT64_C(0xa00020001) | wg_key_type_on(ctx, arg_x) | buckets << 32, &differs);
    }

    /* kernels[0].args[1] */
    const demo_gather_args_ts *const arg_ts = &args->ts;
    next = wg_key_put(next, arg_ts->count, &differs);
    for (size_t i_ts = 0; i_ts < arg_ts->count; i_ts++) {
        WgTensor *const arg_ts_item = arg_ts->items[i_ts];
        if (arg_ts_item == NULL) {
            next = wg_key_put(next, 0, &differs);
        } else {
            if (!wg_key_apart(ctx, arg_ts_item, tensors, num_tensors++)) {
                goto other;
            }
            {
                const int32_t rank = wg_rank(ctx, arg_ts_item);
                const int64_t *const sizes = wg_sizes(ctx, arg_ts_item);
                if (!wg_is_plain(ctx, arg_ts_item) || sizes == NULL) {
                    goto other;
                }
                next = wg_key_buckets(sizes, rank, 0 | WG_KEY_DEVICE, 0x0, UINT64_C(0x1) | wg_key_type_on(ctx, arg_ts_item) | (uint64_t)(uint32_t)rank << 16, next, &differs);
                if (next == NULL) {
                    goto other;
                }
            }
        }
    }

    /* kernels[0].args[2] */
    const demo_gather_args_config *const arg_config = &args->config;

    /* kernels[0].args[2].items[0] */
    const double arg_config_rate = arg_config->rate;
    next = wg_key_put(next, wg_key_real(arg_config_rate), &differs);

    /* kernels[0].extra[0] */
    uint64_t component0 = WG_KEY_ABSENT; /* dimension 0 */

    /* kernels[0].args[1] */
    const demo_gather_args_ts *const extra0_ts = &args->ts;

    /* kernels[0].extra[0] */
    if (extra0_ts->count > 1) {
        WgTensor *const extra0_ts_item = extra0_ts->items[1];
        if (extra0_ts_item != NULL) {
            if (wg_rank(ctx, extra0_ts_item) > 0) {
                if (!wg_is_plain(ctx, extra0_ts_item)) {
                    goto other;
                }
                component0 = (uint64_t)wg_size(ctx, extra0_ts_item, 0);
            }
        }
    }
    next = wg_key_put(next, component0, &differs);

    /* kernels[0].extra[1] */
    uint64_t component1 = WG_KEY_ABSENT; /* dimension 1 */

    /* kernels[0].args[0] */
    WgTensor *const extra1_x = args->x;

    /* kernels[0].extra[1] */
    if (!wg_is_plain(ctx, extra1_x)) {
        goto other;
    }
    component1 = wg_key_stride(ctx, extra1_x, 1);
    next = wg_key_put(next, component1, &differs);

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
    return demo_gather_key_of_any(ctx, args, key);
}
