static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* output_alias_wrapper: graphs[0].outputs */

    /* outputs[0] y: tensor, aliases x */
    status = wg_alias_like(ctx, in_x, results[0].tensor, 0, &view_y);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_y, status);
        goto fail;
    }

}
