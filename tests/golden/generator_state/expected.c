static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs, demo_block_saved *saved)

    /* compiled_function_forward: graphs[0].rng */
    void *generator0 = NULL;
    status = wg_generator_get(ctx, &site_rng, 0, WG_CUDA * 256 + 1, &generator0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rng, status);
        goto fail;
    }
    status = wg_generator_state(ctx, generator0, &state_generator0);
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
    status = wg_generator_state(ctx, generator1, &state_generator1);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rng, status);
        goto fail;
    }


    /* compiled_function_forward: graphs[0].outputs */
    int same_0_y = wg_same(ctx, results[0].tensor, in_x);
    if (same_0_y) {
        WgTensor *replacement = NULL;
        const int keeps_grad = wg_requires_grad(ctx, results[0].tensor);
        status = wg_alias_like(ctx, results[0].tensor, results[0].tensor, keeps_grad, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias_y, status);
            goto fail;
        }
        wg_release(ctx, results[0].tensor);
        results[0].tensor = replacement;
    }
    status = wg_set_requires_grad(ctx, results[0].tensor, requires_grad);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_y, status);
        goto fail;
    }

}
