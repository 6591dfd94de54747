static int32_t demo_scale_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* runtime_wrapper_orchestration: graphs[0] */

    /* inputs[0] x: float32[4, 8], mutated */
    status = wg_bump_version(ctx, in_x);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_version_x, status);
        goto fail;
    }

    /* graphs[0] */
    memset(outs, 0, 1 * sizeof *outs);
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    num_results = 1;
    status = demo_scale_any(ctx, args, 2, outs, &num_results);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
    }
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }
    if (num_results != 1) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(1), wg_value_integer((int64_t)num_results));
        goto fail;
    }

}

int32_t demo_scale_any(WgContext *ctx, const WgValue *values, size_t num_values, WgValue *outs, size_t *num_outs)
{
    static const WgSite site_miss = { "scale_any", NULL, "arguments", WG_E_NO_VARIANT, WG_KIND_NONE };
    demo_scale_any_args args;
    int32_t status = demo_scale_any_unbox(ctx, values, num_values, &args);
    if (status != WG_OK) {
        return status;
    }
    switch (demo_scale_any_choose(ctx, &args, &status)) {
    case 0:
        return scale_by_2(ctx, values, 2, outs, num_outs);
    case 1:
        return scale_by_n(ctx, values, 2, outs, num_outs);
    default:
        break;
    }
    if (status != WG_OK) {
        return status;
    }
    status = demo_scale_any_check(ctx, &args);
    if (status != WG_OK) {
        return status;
    }
    int64_t fields[2];
    demo_scale_any_fields(ctx, &args, fields);
    status = wg_host_status(ctx);
    if (status != 0) {
        return wg_fail_host(ctx, &demo_scale_any_site_read, status);
    }
    return wg_dispatch_fail(ctx, &site_miss, &demo_scale_any_table, fields);
}
