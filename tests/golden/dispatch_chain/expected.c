static int32_t demo_matmul_find(WgContext *ctx, const demo_matmul_args *args, int32_t *read)
{
    const int64_t a_present = args->a != NULL;
    if (!(a_present == 1)) {
        return -1;
    }
    const int64_t a_plain = wg_is_plain(ctx, args->a) != 0;
    if (!(a_plain == 1)) {
        return -1;
    }
    const int64_t a_dtype = wg_dtype(ctx, args->a);
    if (!(a_dtype == WG_FLOAT16 || a_dtype == WG_BFLOAT16)) {
        return -1;
    }
    const int64_t a_rank = wg_rank(ctx, args->a);
    if (!(a_rank == 2)) {
        return -1;
    }
    const int64_t a_size_0 = wg_size(ctx, args->a, 0);
    const int64_t a_size_1 = wg_size(ctx, args->a, 1);
    const int64_t a_stride_1 = wg_stride(ctx, args->a, 1);
    const int64_t a_stride_0 = wg_stride(ctx, args->a, 0);
    const int64_t a_device = wg_device(ctx, args->a);
    const int64_t a_address = (int64_t)(uintptr_t)wg_data(ctx, args->a);
    const int64_t b_present = args->b != NULL;
    if (!(b_present == 1)) {
        return -1;
    }
    const int64_t b_rank = wg_rank(ctx, args->b);
    const int64_t b_size_0 = b_rank > 0 ? wg_size(ctx, args->b, 0) : -1;
    const int64_t b_size_1 = b_rank > 1 ? wg_size(ctx, args->b, 1) : -1;
    const int64_t b_stride_0 = b_rank > 0 ? wg_stride(ctx, args->b, 0) : -1;
    const int64_t b_stride_1 = b_rank > 1 ? wg_stride(ctx, args->b, 1) : -1;
    const int64_t b_contiguous = wg_is_contiguous(wg_rank(ctx, args->b), wg_sizes(ctx, args->b), wg_strides(ctx, args->b));
    const int64_t b_channels_last = wg_is_channels_last(wg_rank(ctx, args->b), wg_sizes(ctx, args->b), wg_strides(ctx, args->b));
    const int64_t bias_present = args->bias != NULL;
    const int64_t bias_rank = bias_present == 1 ? wg_rank(ctx, args->bias) : -1;
    const int64_t n_value = args->n;
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if (a_dtype == WG_FLOAT16 && a_size_0 % 16 == 0 && a_size_1 == 64 && a_stride_1 == 1 && a_address % 16 == 0 && a_device == WG_CPU * 256 && b_rank == 2 && b_contiguous == 1 && bias_present == 0 && (n_value == 1 || n_value == 2 || n_value == 4)) {
        return 0; /* matmul_16 */
    }
    if (b_rank == 2 && ((b_size_1 >= 1 && b_size_1 <= 8) || (b_size_1 >= 16 && b_size_1 % 16 == 0)) && (a_size_1 >= 2 && a_size_1 % 2 == 0) && b_size_0 == a_size_1) {
        return 1; /* matmul_k */
    }
    if (b_rank == 2 && (b_stride_1 == 1 || b_size_1 == 1) && bias_present == 1 && bias_rank == 1 && (b_stride_0 == a_stride_0 || a_size_0 == 1 || b_size_0 == 1)) {
        return 2; /* matmul_square */
    }
    if (b_rank == 4 && b_channels_last == 1 && a_device == WG_CUDA * 256 + 1 && (n_value % 3 == 0 || (n_value >= -7 && n_value <= -1) || (n_value >= 0 && n_value <= 255) || n_value >= 999)) {
        return 3; /* matmul_4 */
    }
    return -1;
}

static void demo_matmul_fields(WgContext *ctx, const demo_matmul_args *args, int64_t *fields)
{
    const int64_t a_present = args->a != NULL;
    const int64_t a_plain = a_present == 1 ? wg_is_plain(ctx, args->a) != 0 : -1;
    const int64_t a_dtype = a_present == 1 ? wg_dtype(ctx, args->a) : -1;
    const int64_t a_rank = a_present == 1 ? wg_rank(ctx, args->a) : -1;
    const int64_t a_size_0 = a_present == 1 && a_rank > 0 ? wg_size(ctx, args->a, 0) : -1;
    const int64_t a_size_1 = a_present == 1 && a_rank > 1 ? wg_size(ctx, args->a, 1) : -1;
    const int64_t a_stride_1 = a_present == 1 && a_rank > 1 ? wg_stride(ctx, args->a, 1) : -1;
    const int64_t a_stride_0 = a_present == 1 && a_rank > 0 ? wg_stride(ctx, args->a, 0) : -1;
    const int64_t a_device = a_present == 1 ? wg_device(ctx, args->a) : -1;
    const int64_t a_address = a_present == 1 ? (int64_t)(uintptr_t)wg_data(ctx, args->a) : -1;
    const int64_t b_present = args->b != NULL;
    const int64_t b_rank = b_present == 1 ? wg_rank(ctx, args->b) : -1;
    const int64_t b_size_0 = b_present == 1 && b_rank > 0 ? wg_size(ctx, args->b, 0) : -1;
    const int64_t b_size_1 = b_present == 1 && b_rank > 1 ? wg_size(ctx, args->b, 1) : -1;
    const int64_t b_stride_0 = b_present == 1 && b_rank > 0 ? wg_stride(ctx, args->b, 0) : -1;
    const int64_t b_stride_1 = b_present == 1 && b_rank > 1 ? wg_stride(ctx, args->b, 1) : -1;
    const int64_t b_contiguous = b_present == 1 ? wg_is_contiguous(wg_rank(ctx, args->b), wg_sizes(ctx, args->b), wg_strides(ctx, args->b)) : -1;
    const int64_t b_channels_last = b_present == 1 ? wg_is_channels_last(wg_rank(ctx, args->b), wg_sizes(ctx, args->b), wg_strides(ctx, args->b)) : -1;
    const int64_t bias_present = args->bias != NULL;
    const int64_t bias_rank = bias_present == 1 ? wg_rank(ctx, args->bias) : -1;
    const int64_t n_value = args->n;
    (void)ctx;
    (void)args;
    (void)fields;
    fields[0] = a_present;
    fields[1] = a_plain;
    fields[3] = a_dtype;
    fields[2] = a_rank;
    fields[6] = a_size_0;
    fields[7] = a_size_1;
    fields[8] = a_stride_1;
    fields[16] = a_stride_0;
    fields[10] = a_device;
    fields[9] = a_address;
    fields[4] = b_present;
    fields[11] = b_rank;
    fields[14] = b_size_0;
    fields[15] = b_size_1;
    fields[17] = b_stride_0;
    fields[18] = b_stride_1;
    fields[12] = b_contiguous;
    fields[20] = b_channels_last;
    fields[5] = bias_present;
    fields[19] = bias_rank;
    fields[13] = n_value;
}

static const WgDispatchAlternative demo_matmul_alternatives[] = {
    { 3, -1, 0, 1 },
    { 6, -1, 1, 1 },
    { 7, -1, 2, 1 },
    { 8, -1, 3, 1 },
    { 9, -1, 4, 1 },
    { 10, -1, 5, 1 },
    { 11, -1, 6, 1 },
    { 12, -1, 3, 1 },
    { 5, -1, 5, 1 },
    { 13, -1, 7, 3 },
    { 15, -1, 10, 2 },
    { 7, -1, 12, 1 },
    { 14, 7, 0, 0 },
    { 18, -1, 3, 1 },
    { 15, -1, 3, 1 },
    { 5, -1, 3, 1 },
    { 19, -1, 3, 1 },
    { 17, 16, 0, 0 },
    { 6, -1, 3, 1 },
    { 14, -1, 3, 1 },
    { 11, -1, 13, 1 },
    { 20, -1, 3, 1 },
    { 10, -1, 14, 1 },
    { 13, -1, 15, 4 },
    { 0, -1, 3, 1 },
    { 1, -1, 3, 1 },
    { 2, -1, 6, 1 },
    { 3, -1, 19, 2 },
    { 4, -1, 3, 1 },
};

static const WgDispatchClause demo_matmul_clauses[] = {
    { 0, 1, "float16" },
    { 1, 1, "a multiple of 16" },
    { 2, 1, "64" },
    { 3, 1, "1" },
    { 4, 1, "a multiple of 16" },
    { 5, 1, "cpu" },
    { 6, 1, "2" },
    { 7, 1, "contiguous" },
    { 8, 1, "null" },
    { 9, 1, "1 or 2 or 4" },
    { 10, 1, "1..8 or a multiple of 16 in 16.." },
    { 11, 1, "a multiple of 2 in 2.." },
    { 12, 1, "the same as size of dim 1 of 'a'" },
    { 13, 2, "1" },
    { 15, 1, "not null" },
    { 16, 1, "1" },
    { 17, 3, "the same as stride of dim 0 of 'a'" },
    { 20, 1, "4" },
    { 21, 1, "channels last" },
    { 22, 1, "cuda:1" },
    { 23, 1, "a multiple of 3 or -7..-1 or 0..255 or 999.." },
    { 24, 1, "not null" },
    { 25, 1, "a plain tensor" },
    { 26, 1, "2" },
    { 27, 1, "float16 or bfloat16" },
    { 28, 1, "not null" },
};

static inline int32_t demo_group_check(WgContext *ctx, const demo_group_args *args)
{
    static const WgSite site_length_ts = { "group", "ts", "length 1..8", WG_E_COUNT, WG_KIND_INTEGER };
    static const WgSite site_rank_ts_item = { "group", "ts[]", "rank", WG_E_RANK, WG_KIND_INTEGER };
    static const WgSite site_missing_options_1 = { "group", "options.1", "missing", WG_E_NULL, WG_KIND_NONE };
    static const WgSite site_bytes_options_1 = { "group", "options.1", "bytes", WG_E_VALUE, WG_KIND_INTEGER };
    static const WgSite site_bool_config_exact = { "group", "config.exact", "bool", WG_E_VALUE, WG_KIND_INTEGER };
    static const WgSite site_dtype_to = { "group", "to", "dtype", WG_E_DTYPE, WG_KIND_INTEGER };
    static const WgSite site_device_where = { "group", "where", "device", WG_E_DEVICE, WG_KIND_INTEGER };
    static const WgSite site_null_unused = { "group", "unused", "null", WG_E_VALUE, WG_KIND_NONE };
    static const WgSite site_read = { "group", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    int32_t status = WG_OK;
    if (args == NULL) {
        status = wg_fail_null(ctx, "group", NULL, 0);
        goto fail;
    }

    /* kernels[1].args[0] */
    const demo_group_args_ts *const arg_ts = &args->ts;
    if (!wg_among(wg_items(arg_ts->count), UINT64_C(0x1fe)) || (arg_ts->items == NULL && arg_ts->count > 0)) {
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
        }
    }

    /* kernels[1].args[1] */
    const demo_group_args_options *const arg_options = &args->options;

    /* kernels[1].args[1].items[1] */
    const char *const arg_options_1 = arg_options->item1;
    if (arg_options_1 == NULL) {
        status = wg_fail(ctx, &site_missing_options_1, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (wg_key_bytes(arg_options_1) > WG_KEY_MAX_BYTES) {
        status = wg_fail(ctx, &site_bytes_options_1, -1, wg_value_integer(WG_KEY_MAX_BYTES), wg_value_integer((int64_t)strlen(arg_options_1)));
        goto fail;
    }

    /* kernels[1].args[2] */
    const demo_group_args_config *const arg_config = args->config;
    if (arg_config != NULL) {
        const int32_t arg_config_exact = arg_config->exact;
        if (!wg_among(arg_config_exact, UINT64_C(0x3))) {
            status = wg_fail(ctx, &site_bool_config_exact, -1, wg_value_integer(0), wg_value_integer(arg_config_exact));
            goto fail;
        }
    }

    /* kernels[1].args[3] */
    const int32_t arg_to = args->to;
    if (!wg_among(arg_to, UINT64_C(0x3f808fff))) {
        status = wg_fail(ctx, &site_dtype_to, -1, wg_value_integer(0), wg_value_integer(arg_to));
        goto fail;
    }

    /* kernels[1].args[4] */
    const int32_t *const arg_where = args->where;
    if (arg_where != NULL) {
        const int32_t value_where = *arg_where;
        if (value_where < 0) {
            status = wg_fail(ctx, &site_device_where, -1, wg_value_integer(0), wg_value_integer(value_where));
            goto fail;
        }
    }

    /* kernels[1].args[5] */
    const void *const arg_unused = args->unused;
    if (arg_unused != NULL) {
        status = wg_fail(ctx, &site_null_unused, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }

    /* kernels[1] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    return WG_OK;

fail: /* never with WG_OK; because compilers can see that here, the callers' code is shorter */
    return status != WG_OK ? status : WG_E_HOST;
}

static int32_t demo_group_find(WgContext *ctx, const demo_group_args *args, int32_t *read)
{
    const int64_t ts_length = (args->ts.items == NULL && args->ts.count > 0 ? -1 : (int64_t)args->ts.count);
    if (!((ts_length >= 1 && ts_length <= 8))) {
        return -1;
    }
    const int64_t config_present = args->config != NULL;
    const int64_t to_value = args->to;
    const int64_t where_present = args->where != NULL;
    const int64_t where_value = where_present == 1 ? (*args->where) : -1;
    const int64_t options_0_value = wg_find_real(args->options.item0, demo_group_args_options_0_value_literals, 4);
    const int64_t options_1_present = args->options.item1 != NULL;
    if (!(options_1_present == 1)) {
        return -1;
    }
    const int64_t options_1_value = wg_find_string(args->options.item1, demo_group_args_options_1_value_literals, 1);
    const int64_t config_exact_present = config_present == 1 ? 1 : -1;
    const int64_t config_exact_value = config_exact_present == 1 ? args->config->exact != 0 : -1;
    const int64_t ts_1_present = ts_length > 1 ? args->ts.items[1] != NULL : -1;
    const int64_t ts_1_rank = ts_1_present == 1 ? wg_rank(ctx, args->ts.items[1]) : -1;
    const int64_t ts_1_size_0 = ts_1_present == 1 && ts_1_rank > 0 ? wg_size(ctx, args->ts.items[1], 0) : -1;
    const int64_t ts_1_size_1 = ts_1_present == 1 && ts_1_rank > 1 ? wg_size(ctx, args->ts.items[1], 1) : -1;
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if (ts_length == 2 && ts_1_present == 1 && ts_1_rank == 2 && ts_1_size_0 == 1 && ts_1_size_1 == 2 && options_1_value == 0) {
        return 0; /* group_2 */
    }
    if (ts_length == 3 && options_0_value == 0 && where_present == 1 && where_value == WG_CUDA * 256 + 1) {
        return 1; /* group_3 */
    }
    if (options_0_value == 1) {
        return 2; /* group_zero */
    }
    if (options_0_value == 2) {
        return 3; /* group_negative_zero */
    }
    if (options_0_value == 3 && (ts_length == 1 || ts_length == 2)) {
        return 4; /* group_missing */
    }
    if (ts_length == 4 && config_present == 1 && config_exact_value == 1 && (to_value == WG_FLOAT16 || to_value == WG_FLOAT32)) {
        return 5; /* group_4 */
    }
    return 6; /* group_any */
}

static void demo_group_fields(WgContext *ctx, const demo_group_args *args, int64_t *fields)
{
    const int64_t ts_length = (args->ts.items == NULL && args->ts.count > 0 ? -1 : (int64_t)args->ts.count);
    const int64_t config_present = args->config != NULL;
    const int64_t to_value = args->to;
    const int64_t where_present = args->where != NULL;
    const int64_t where_value = where_present == 1 ? (*args->where) : -1;
    const int64_t unused_present = args->unused != NULL;
    const int64_t options_0_value = wg_find_real(args->options.item0, demo_group_args_options_0_value_literals, 4);
    const int64_t options_1_present = args->options.item1 != NULL;
    const int64_t options_1_value = options_1_present == 1 ? wg_find_string(args->options.item1, demo_group_args_options_1_value_literals, 1) : -1;
    const int64_t config_rate_present = config_present == 1 ? 1 : -1;
    const int64_t config_exact_present = config_present == 1 ? 1 : -1;
    const int64_t config_exact_value = config_exact_present == 1 ? args->config->exact != 0 : -1;
    const int64_t ts_1_present = ts_length > 1 ? args->ts.items[1] != NULL : -1;
    const int64_t ts_1_rank = ts_1_present == 1 ? wg_rank(ctx, args->ts.items[1]) : -1;
    const int64_t ts_1_size_0 = ts_1_present == 1 && ts_1_rank > 0 ? wg_size(ctx, args->ts.items[1], 0) : -1;
    const int64_t ts_1_size_1 = ts_1_present == 1 && ts_1_rank > 1 ? wg_size(ctx, args->ts.items[1], 1) : -1;
    (void)ctx;
    (void)args;
    (void)fields;
    fields[0] = ts_length;
    fields[2] = config_present;
    fields[12] = to_value;
    fields[3] = where_present;
    fields[10] = where_value;
    fields[13] = unused_present;
    fields[9] = options_0_value;
    fields[1] = options_1_present;
    fields[8] = options_1_value;
    fields[14] = config_rate_present;
    fields[15] = config_exact_present;
    fields[11] = config_exact_value;
    fields[4] = ts_1_present;
    fields[5] = ts_1_rank;
    fields[6] = ts_1_size_0;
    fields[7] = ts_1_size_1;
}
