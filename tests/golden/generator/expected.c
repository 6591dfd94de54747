static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* compiled_function_forward: graphs[0].rng */
    void *generator0 = NULL;
    status = wg_generator_get(ctx, &site_rng, 0, WG_CUDA * 256 + 1, &generator0);
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

}
