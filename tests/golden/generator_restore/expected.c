static int32_t demo_block_backward_core(WgContext *ctx, const demo_block_saved *saved, const WgValue *args, WgValue *outs)

    /* compiled_function_backward: graphs[0].rng */
    void *generator0 = NULL;
    status = wg_generator_get(ctx, &site_rng, 0, WG_CUDA * 256 + 1, &generator0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rng, status);
        goto fail;
    }
    status = wg_generator_restore(ctx, generator0, saved->rng_states[0]);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rng, status);
        goto fail;
    }
    void *generator1 = NULL;
    status = wg_generator_get(ctx, &site_rng, 1, WG_CUDA * 256 + 1, &generator1);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rng, status);
        goto fail;
    }
    status = wg_generator_restore(ctx, generator1, saved->rng_states[1]);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rng, status);
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
    status = block_backward_kernel(ctx, call_args, 5, results, &num_results);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
    }
    wg_release(ctx, turned_y);
    turned_y = NULL;
    wg_release(ctx, dense_y);
    dense_y = NULL;
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
