static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs, demo_block_saved *saved)

    /* delivery: graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    outs[0].tensor = results[0].tensor;
    saved->tensors[0] = results[1].tensor;
    saved->unchecked[0] = results[2].tensor;
    saved->opaque[0] = results[3].pointer;
    saved->symints[0] = results[4].integer;
    return WG_OK;

}
