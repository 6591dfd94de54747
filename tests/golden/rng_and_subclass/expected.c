static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs, demo_block_saved *saved)

    /* functionalized_rng_wrapper: graphs[0].rng */
    status = wg_rng_get(ctx, &rng_seed, &rng_offset);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rng, status);
        goto fail;
    }


    /* runtime_wrapper_orchestration: graphs[0] */
    memcpy(&call_args[0], &args[0], 1 * sizeof *args);
    call_args[1].tensor = rng_seed;
    call_args[2].tensor = rng_offset;
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
    status = block_kernel(ctx, call_args, 3, results, &num_results);
    wg_set_grad_mode(ctx, grad_mode);
    if (wg_view_replay(ctx) != view_replay) {
        wg_set_view_replay(ctx, view_replay);
    }
    wg_release(ctx, rng_seed);
    rng_seed = NULL;
    wg_release(ctx, rng_offset);
    rng_offset = NULL;
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }
    if (num_results != 3) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(3), wg_value_integer((int64_t)num_results));
        goto fail;
    }


    /* functionalized_rng_wrapper: graphs[0].rng */
    if (results[2].tensor == NULL) {
        status = wg_fail(ctx, &site_result, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    status = wg_rng_set(ctx, results[2].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rng, status);
        goto fail;
    }


    /* compiled_function_forward: graphs[0].outputs */
    status = wg_set_requires_grad(ctx, wrapped2_y, 0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_y, status);
        goto fail;
    }

}
