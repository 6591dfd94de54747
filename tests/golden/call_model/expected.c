static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* runtime_wrapper_orchestration: graphs[0] */

    /* inputs[1] state: float32[3], mutated */
    status = wg_bump_version(ctx, in_state);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_version_state, status);
        goto fail;
    }

    /* graphs[0] */
    memset(results, 0, 2 * sizeof *results);
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    num_results = 2;
    status = wg_call_model(ctx, &block_model, args, 2, results, &num_results);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
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
