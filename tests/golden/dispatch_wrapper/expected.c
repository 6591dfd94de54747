static int32_t demo_scale_find(WgContext *ctx, const demo_scale_args *args, int32_t *read)
{
    const int64_t x_present = args->x != NULL;
    if (!(x_present == 1)) {
        return -1;
    }
    const int64_t x_plain = wg_is_plain(ctx, args->x) != 0;
    if (!(x_plain == 1)) {
        return -1;
    }
    const int64_t x_dtype = wg_dtype(ctx, args->x);
    const int64_t x_rank = wg_rank(ctx, args->x);
    const int64_t x_size_1 = x_rank > 1 ? wg_size(ctx, args->x, 1) : -1;
    const int64_t x_size_0 = x_rank > 0 ? wg_size(ctx, args->x, 0) : -1;
    const int64_t x_stride_0 = x_rank > 0 ? wg_stride(ctx, args->x, 0) : -1;
    const int64_t x_stride_1 = x_rank > 1 ? wg_stride(ctx, args->x, 1) : -1;
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if (x_dtype == WG_FLOAT32 && x_rank == 2 && x_size_1 == 4 && (x_stride_0 == 4 || x_size_0 == 1) && x_stride_1 == 1) {
        return 0; /* demo_scale_in_place_boxed */
    }
    return 1; /* scale_any */
}

int32_t demo_scale(WgContext *ctx, const WgValue *values, size_t num_values, WgValue *outs, size_t *num_outs)
{
    static const WgSite site_miss = { "scale", NULL, "arguments", WG_E_NO_VARIANT, WG_KIND_NONE };
    static const WgSite site_room = { "scale", NULL, "outputs", WG_E_COUNT, WG_KIND_INTEGER };
    demo_scale_args args;
    int32_t status = demo_scale_unbox(ctx, values, num_values, &args);
    if (status != WG_OK) {
        return status;
    }
    WgValue all[2];
    if (num_values < 2) {
        for (size_t i = 0; i < num_values; i++) {
            all[i] = values[i];
        }
        if (num_values <= 1) {
            all[1] = wg_value_real(args.by);
        }
        values = all;
    }
    switch (demo_scale_choose(ctx, &args, &status)) {
    case 0:
        if (*num_outs < 1) {
            return wg_fail(ctx, &site_room, -1, wg_value_integer(1), wg_value_integer((int64_t)*num_outs));
        }
        status = demo_scale_in_place_boxed(ctx, values, 2, outs, 1);
        if (status == WG_OK) {
            *num_outs = 1;
        }
        return status;
    case 1:
        return scale_any(ctx, values, 2, outs, num_outs);
    default:
        break;
    }
    if (status != WG_OK) {
        return status;
    }
    status = demo_scale_check(ctx, &args);
    if (status != WG_OK) {
        return status;
    }
    int64_t fields[8];
    demo_scale_fields(ctx, &args, fields);
    status = wg_host_status(ctx);
    if (status != 0) {
        return wg_fail_host(ctx, &demo_scale_site_read, status);
    }
    return wg_dispatch_fail(ctx, &site_miss, &demo_scale_table, fields);
}
