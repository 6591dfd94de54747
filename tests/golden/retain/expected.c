static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* output_alias_wrapper: graphs[0].outputs */

    /* outputs[0] y: tensor, the same tensor as x */
    status = wg_retain(ctx, in_x, &same_y);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_retain_y, status);
        goto fail;
    }

}
