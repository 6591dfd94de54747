static int32_t demo_block_core(WgContext *ctx, WgValue *args, WgValue *outs)

    /* runtime_wrapper_orchestration: graphs[0] */
    memcpy(&call_args[0], &args[0], 1 * sizeof *args);
    memset(&args[0], 0, 1 * sizeof *args);
    call_args[1].tensor = rng_seed;
    rng_seed = NULL;
    call_args[2].tensor = rng_offset;
    rng_offset = NULL;
    memset(results, 0, 2 * sizeof *results);
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    num_results = 2;
    status = block_kernel(ctx, call_args, 3, results, &num_results);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
    }
    wg_release_run(ctx, &call_args[0], 3);
    wg_release_run(ctx, &args[0], 1);
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
