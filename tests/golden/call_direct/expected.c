static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* runtime_wrapper_orchestration: graphs[0] */
    memset(outs, 0, 2 * sizeof *outs);
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    status = block_kernel(ctx, in_x, in_n, in_alpha, in_flag, in_handle, &outs[0].tensor, &outs[1].integer);
    num_results = status == WG_OK ? 2 : 0;
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
    }
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }

}
