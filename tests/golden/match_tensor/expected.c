static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs, demo_block_saved *saved)

    /* arguments: graphs[0].inputs */

    /* inputs[0] x: float32[4, 3, 1] */
    WgTensor *const in_x = args[0].tensor;
    if (in_x == NULL || !wg_matches(ctx, in_x, facts_x, 11)) {
        status = wg_fail_tensor(ctx, &site_tensor_x, in_x, facts_x, 11);
        goto fail;
    }

    /* inputs[1] scale: float64[] */
    WgTensor *const in_scale = args[1].tensor;
    if (in_scale == NULL || !wg_matches(ctx, in_scale, facts_scale, 5)) {
        status = wg_fail_tensor(ctx, &site_tensor_scale, in_scale, facts_scale, 5);
        goto fail;
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

}
