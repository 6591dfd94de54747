static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs, demo_block_saved *saved)

    /* runtime_wrapper_orchestration: graphs[0] */

    /* inputs[3] h: float32[3] */
    status = wg_detach(ctx, in_h, &detached_h);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_detach_h, status);
        goto fail;
    }

    /* graphs[0] */
    memcpy(&call_args[0], &args[0], 3 * sizeof *args);
    call_args[3].tensor = detached_h;
    int requires_grad = 0;
    requires_grad = requires_grad || wg_requires_grad(ctx, in_w);
    requires_grad = requires_grad || wg_requires_grad(ctx, in_x);
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    memset(results, 0, 3 * sizeof *results);
    const int view_replay = wg_view_replay(ctx);
    if (!view_replay) {
        wg_set_view_replay(ctx, 1);
    }
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    num_results = 3;
    status = block_kernel(ctx, call_args, 4, results, &num_results);
    wg_set_grad_mode(ctx, grad_mode);
    if (wg_view_replay(ctx) != view_replay) {
        wg_set_view_replay(ctx, view_replay);
    }
    wg_release(ctx, detached_h);
    detached_h = NULL;
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }
    if (num_results != 3) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(3), wg_value_integer((int64_t)num_results));
        goto fail;
    }

}
