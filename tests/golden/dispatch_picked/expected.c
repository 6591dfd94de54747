static int32_t demo_any_rows_find(WgContext *ctx, const demo_any_rows_args *args, int32_t *read)
{
    const int64_t count_value = args->count;
    const int64_t x_present = args->x != NULL;
    if (!(x_present == 1)) {
        return -1;
    }
    const int64_t x_plain = wg_is_plain(ctx, args->x) != 0;
    if (!(x_plain == 1)) {
        return -1;
    }
    const int64_t x_dtype = wg_dtype(ctx, args->x);
    if (!(x_dtype == WG_FLOAT32)) {
        return -1;
    }
    const int64_t x_rank = wg_rank(ctx, args->x);
    if (!(x_rank == 2)) {
        return -1;
    }
    const int64_t x_size_0 = wg_size(ctx, args->x, 0);
    const int64_t x_size_1 = wg_size(ctx, args->x, 1);
    if (!(x_size_1 == 4)) {
        return -1;
    }
    const int64_t x_stride_0 = wg_stride(ctx, args->x, 0);
    const int64_t x_stride_1 = wg_stride(ctx, args->x, 1);
    if (!(x_stride_1 == 1)) {
        return -1;
    }
    const int64_t bias_present = args->bias != NULL;
    const int64_t bias_plain = bias_present == 1 ? wg_is_plain(ctx, args->bias) != 0 : -1;
    if (!(bias_plain == 1 || bias_present == 0)) {
        return -1;
    }
    const int64_t bias_dtype = bias_present == 1 ? wg_dtype(ctx, args->bias) : -1;
    const int64_t bias_rank = bias_present == 1 ? wg_rank(ctx, args->bias) : -1;
    const int64_t bias_size_0 = bias_present == 1 && bias_rank > 0 ? wg_size(ctx, args->bias, 0) : -1;
    const int64_t bias_stride_0 = bias_present == 1 && bias_rank > 0 ? wg_stride(ctx, args->bias, 0) : -1;
    const int64_t exact_value = args->exact != 0;
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if (x_size_0 == 1 && bias_present == 0 && exact_value == 1) {
        return 0; /* demo_row_boxed */
    }
    if (x_size_0 == 1 && bias_present == 1 && bias_dtype == WG_FLOAT32 && bias_rank == 1 && bias_size_0 == 4 && bias_stride_0 == 1) {
        return 1; /* demo_row_and_bias_boxed */
    }
    if ((x_stride_0 == 4 || x_size_0 == 1) && bias_present == 0 && count_value >= 2 && x_size_0 == count_value) {
        return 2; /* demo_rows_boxed */
    }
    return -1;
}

int32_t demo_any_rows(WgContext *ctx, const WgValue *values, size_t num_values, WgValue *outs, size_t *num_outs)
{
    static const WgSite site_miss = { "any_rows", NULL, "arguments", WG_E_NO_VARIANT, WG_KIND_NONE };
    static const WgSite site_room = { "any_rows", NULL, "outputs", WG_E_COUNT, WG_KIND_INTEGER };
    demo_any_rows_args args;
    int32_t status = demo_any_rows_unbox(ctx, values, num_values, &args);
    if (status != WG_OK) {
        return status;
    }
    switch (demo_any_rows_choose(ctx, &args, &status)) {
    case 0: { /* demo_row_boxed gets some of the arguments */
        const WgValue passed[] = { values[1], };
        if (*num_outs < 1) {
            return wg_fail(ctx, &site_room, -1, wg_value_integer(1), wg_value_integer((int64_t)*num_outs));
        }
        status = demo_row_boxed(ctx, passed, 1, outs, 1);
        if (status == WG_OK) {
            *num_outs = 1;
        }
        return status;
    }
    case 1: { /* demo_row_and_bias_boxed gets some of the arguments */
        const WgValue passed[] = { values[2], values[1], };
        if (*num_outs < 1) {
            return wg_fail(ctx, &site_room, -1, wg_value_integer(1), wg_value_integer((int64_t)*num_outs));
        }
        status = demo_row_and_bias_boxed(ctx, passed, 2, outs, 1);
        if (status == WG_OK) {
            *num_outs = 1;
        }
        return status;
    }
    case 2: { /* demo_rows_boxed gets some of the arguments */
        const WgValue passed[] = { values[0], values[1], };
        if (*num_outs < 1) {
            return wg_fail(ctx, &site_room, -1, wg_value_integer(1), wg_value_integer((int64_t)*num_outs));
        }
        status = demo_rows_boxed(ctx, passed, 2, outs, 1);
        if (status == WG_OK) {
            *num_outs = 1;
        }
        return status;
    }
    default:
        break;
    }
    if (status != WG_OK) {
        return status;
    }
    status = demo_any_rows_check(ctx, &args);
    if (status != WG_OK) {
        return status;
    }
    int64_t fields[16];
    demo_any_rows_fields(ctx, &args, fields);
    status = wg_host_status(ctx);
    if (status != 0) {
        return wg_fail_host(ctx, &demo_any_rows_site_read, status);
    }
    return wg_dispatch_fail(ctx, &site_miss, &demo_any_rows_table, fields);
}
