static int32_t demo_sums_run(WgContext *ctx, int32_t variant, const WgValue *values, WgValue *outs, size_t *num_outs)
{
    int32_t status = WG_E_INTERNAL;
    switch (variant) {
    case 0:
        status = sums_any(ctx, values, 2, outs, num_outs);
        break;
    default:
        break;
    }
    return status;
}

int32_t demo_sums_call(WgContext *ctx, const demo_sums_args *args, demo_sums_outs *outs)
{
    static const WgSite site_read = { "sums", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    static const WgSite site_empty_rows = { "sums", "rows", "empty", WG_E_HOST, WG_KIND_STATUS };
    static const WgSite site_compiled = { "sums", NULL, "compiled", WG_E_COMPILED, WG_KIND_STATUS };
    static const WgSite site_outputs = { "sums", NULL, "outputs", WG_E_OUTPUTS, WG_KIND_INTEGER };
    static const WgSite site_result_columns = { "sums", "columns", "result", WG_E_RESULT, WG_KIND_NONE };
    int32_t status = WG_OK;
    size_t num_results = 0;
    WgValue call_args[2];
    WgValue results[2];
    WgTensor *made_rows = NULL;
    memset(outs, 0, sizeof *outs);

    /* kernels[0] */
    const int32_t variant = demo_sums_choose(ctx, args, &status);
    if (variant < 0) {
        status = demo_sums_missed(ctx, args, status);
        goto fail;
    }

    /* kernels[0].where[0] */
    const int64_t number_m = wg_size(ctx, args->x, 0);

    /* kernels[0].outputs[0] */
    const int64_t device_x = wg_device(ctx, args->x);

    /* kernels[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

    /* kernels[0].outputs[0] */
    {
        const int64_t sizes[] = { number_m };
        const int64_t strides[] = { 1 };
        const WgGeometry geometry = {sizes, strides, 0, 1};
        status = wg_empty_strided(ctx, &geometry, WG_FLOAT32, (int32_t)device_x, &made_rows);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_empty_rows, status);
        goto fail;
    }

    /* kernels[0] */
    call_args[0].tensor = args->x;

    /* kernels[0].outputs[0] */
    call_args[1].tensor = made_rows;

    /* kernels[0] */
    memset(results, 0, 2 * sizeof *results);
    wg_error_clear(ctx);
    num_results = 2;
    status = demo_sums_run(ctx, variant, call_args, results, &num_results);
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }
    if (num_results != 1) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(1), wg_value_integer((int64_t)num_results));
        goto fail;
    }

    /* kernels[0].outputs[1] */
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_columns, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* kernels[0].outputs[0] */
    outs->rows = made_rows;

    /* kernels[0].outputs[1] */
    outs->columns = results[0].tensor;
    return WG_OK;

fail:
    wg_release_run(ctx, &results[0], wg_span(0, 1, num_results));
    wg_release(ctx, made_rows);
    return status;
}

int32_t demo_touch_call(WgContext *ctx, const demo_touch_args *args, demo_touch_outs *outs)
{
    static const WgSite site_compiled = { "touch", NULL, "compiled", WG_E_COMPILED, WG_KIND_STATUS };
    static const WgSite site_outputs = { "touch", NULL, "outputs", WG_E_OUTPUTS, WG_KIND_INTEGER };
    int32_t status = WG_OK;
    size_t num_results = 0;
    WgValue results[1];
    if (args == NULL || outs == NULL) {
        return wg_fail_null(ctx, "touch", outs, sizeof *outs);
    }
    memset(outs, 0, sizeof *outs);

    /* kernels[1] */
    const int32_t variant = demo_touch_choose(ctx, args, &status);
    if (variant < 0) {
        status = demo_touch_missed(ctx, args, status);
        goto fail;
    }
    memset(results, 0, 1 * sizeof *results);
    wg_error_clear(ctx);
    num_results = 1;
    status = demo_touch_run(ctx, variant, NULL, results, &num_results);
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }
    if (num_results != 0) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(0), wg_value_integer((int64_t)num_results));
        goto fail;
    }
    return WG_OK;

fail:
    (void)num_results;
    return status;
}
