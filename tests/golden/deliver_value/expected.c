static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* delivery: graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    outs[0] = results[0];
    outs[1].tensor = view_v;
    wg_release_run(ctx, &results[1], 1);
    return WG_OK;

}
