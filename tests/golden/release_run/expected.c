static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* delivery: graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    outs[0].tensor = view_y;
    outs[1].tensor = view_z;
    outs[2].tensor = results[2].tensor;
    outs[3].tensor = view_q;
    wg_release_run(ctx, &results[0], 2);
    wg_release_run(ctx, &results[3], 2);
    return WG_OK;

}
