static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* subclass_wrapper: graphs[0].inputs[0] */
    WgTensor *waited_x = NULL;
    status = in_x != NULL ? wg_wait(ctx, in_x, &waited_x) : 0;
    if (status != 0) {
        status = wg_fail_host(ctx, &site_wait_x, status);
        goto fail;
    }

}
