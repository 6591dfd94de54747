static int32_t demo_block_core(WgContext *ctx, WgValue *args, WgValue *outs)

    /* runtime_wrapper_orchestration: graphs[0] */

    /* inputs[0] x: float32[4, 3], mutated */
    status = wg_retain(ctx, in_x, &kept_x);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_retain_x, status);
        goto fail;
    }

    /* graphs[0] */
    memset(results, 0, 3 * sizeof *results);
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    num_results = 3;
    status = block_kernel(ctx, args, 3, results, &num_results);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
    }
    wg_release_run(ctx, &args[0], 1);
    wg_release_run(ctx, &args[2], 1);
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
