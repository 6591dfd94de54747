static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* functionalized_rng_wrapper: graphs[0].rng */
    status = wg_rng_get(ctx, &rng_seed, &rng_offset);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rng, status);
        goto fail;
    }


    /* functionalized_rng_wrapper: graphs[0].rng */
    if (results[1].tensor == NULL) {
        status = wg_fail(ctx, &site_result, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    status = wg_rng_set(ctx, results[1].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rng, status);
        goto fail;
    }

}
