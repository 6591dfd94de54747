static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs, demo_block_saved *saved)

    /* runtime_wrapper_orchestration: graphs[0] */
    int ranging = 1;
    wg_range_begin(ctx, "AOTDispatcher Runtime Wrapper Prologue");


    /* runtime_wrapper_orchestration: graphs[0] */
    int requires_grad = 0;
    requires_grad = requires_grad || wg_requires_grad(ctx, in_x);
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    memset(results, 0, 2 * sizeof *results);
    const int view_replay = wg_view_replay(ctx);
    if (!view_replay) {
        wg_set_view_replay(ctx, 1);
    }
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_range_end(ctx);
    ranging = 0;
    const uint32_t autocast = wg_autocast_off(ctx);
    wg_error_clear(ctx);
    num_results = 2;
    status = block_kernel(ctx, args, 1, results, &num_results);
    wg_autocast_restore(ctx, autocast);
    wg_set_grad_mode(ctx, grad_mode);
    if (wg_view_replay(ctx) != view_replay) {
        wg_set_view_replay(ctx, view_replay);
    }
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }
    if (num_results != 2) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(2), wg_value_integer((int64_t)num_results));
        goto fail;
    }

}
