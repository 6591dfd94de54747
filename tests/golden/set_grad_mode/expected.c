static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* delivery: graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    wg_set_grad_mode(ctx, 0);
    return WG_OK;

}
