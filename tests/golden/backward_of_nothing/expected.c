static int32_t demo_block_backward_core(WgContext *ctx, const demo_block_saved *saved, const WgValue *args, WgValue *outs)
{
    static const WgSite site_read = { "block", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    static const WgSite site_compiled = { "block", NULL, "compiled", WG_E_COMPILED, WG_KIND_STATUS };
    static const WgSite site_outputs = { "block", NULL, "outputs", WG_E_OUTPUTS, WG_KIND_INTEGER };
    int32_t status = WG_OK;
    size_t num_results = 0;
    WgValue results[2];

    /* backward_prologue: graphs[0].backward */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

    /* compiled_function_backward: graphs[0].backward */
    memset(results, 0, 2 * sizeof *results);
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    num_results = 2;
    status = block_bw_kernel(ctx, NULL, 0, results, &num_results);
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

    /* backward_epilogue: graphs[0].backward.grad_inputs */
    wg_release_run(ctx, &results[0], 1);
    return WG_OK;

fail:
    wg_release_run(ctx, &results[0], wg_span(0, 1, num_results));
    (void)outs;
    (void)args;
    (void)saved;
    return status;
}
