static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs, demo_block_saved *saved)

    /* delivery: graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    outs[0].tensor = results[0].tensor;
    saved->tensors[0] = results[1].tensor;
    saved->rng_states[0] = state_generator0;
    saved->rng_states[1] = state_generator1;
    return WG_OK;

}
