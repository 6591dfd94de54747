static int32_t demo_reseed_choose(WgContext *ctx, const demo_reseed_args *args, int32_t *status)
{
    int32_t read = 0;
    const int32_t index = demo_reseed_find(ctx, args, &read);
    if (index < 0) {
        read = read != 0 ? read : wg_host_status(ctx); /* what seemed to be a miss may come from a read that failed */
        *status = read != 0 ? wg_fail_host(ctx, &demo_reseed_site_read, read) : WG_OK;
    }
    return index;
}

size_t demo_reseed_explain(WgContext *ctx, const demo_reseed_args *args, char *buffer, size_t capacity)
{
    int64_t fields[1];
    if (args == NULL) {
        (void)wg_fail_null(ctx, "reseed", NULL, 0);
        return wg_error_text(wg_error(ctx), buffer, capacity);
    }
    demo_reseed_fields(ctx, args, fields);
    return wg_dispatch_explain(&demo_reseed_table, fields, buffer, capacity);
}

static int32_t demo_fill_choose(WgContext *ctx, const demo_fill_args *args, int32_t *status)
{
    int32_t read = 0;
    const int32_t index = demo_fill_find(ctx, args, &read);
    if (index < 0) {
        read = read != 0 ? read : wg_host_status(ctx); /* what seemed to be a miss may come from a read that failed */
        *status = read != 0 ? wg_fail_host(ctx, &demo_fill_site_read, read) : WG_OK;
    }
    return index;
}

size_t demo_fill_explain(WgContext *ctx, const demo_fill_args *args, char *buffer, size_t capacity)
{
    int64_t fields[1];
    if (args == NULL) {
        (void)wg_fail_null(ctx, "fill", NULL, 0);
        return wg_error_text(wg_error(ctx), buffer, capacity);
    }
    demo_fill_fields(ctx, args, fields);
    return wg_dispatch_explain(&demo_fill_table, fields, buffer, capacity);
}

int32_t demo_fill(WgContext *ctx, const WgValue *values, size_t num_values, WgValue *outs, size_t *num_outs)
{
    static const WgSite site_miss = { "fill", NULL, "arguments", WG_E_NO_VARIANT, WG_KIND_NONE };
    demo_fill_args args;
    int32_t status = demo_fill_unbox(ctx, values, num_values, &args);
    if (status != WG_OK) {
        return status;
    }
    switch (demo_fill_choose(ctx, &args, &status)) {
    case 0:
        return fill_kernel(ctx, values, 4, outs, num_outs);
    default:
        break;
    }
    if (status != WG_OK) {
        return status;
    }
    status = demo_fill_check(ctx, &args);
    if (status != WG_OK) {
        return status;
    }
    int64_t fields[1];
    demo_fill_fields(ctx, &args, fields);
    status = wg_host_status(ctx);
    if (status != 0) {
        return wg_fail_host(ctx, &demo_fill_site_read, status);
    }
    return wg_dispatch_fail(ctx, &site_miss, &demo_fill_table, fields);
}
