static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs, demo_block_saved *saved)

    /* debug_assert_wrapper: graphs[0].inputs */

    /* inputs[1] z: float32[4, 3] */
    if (wg_requires_grad(ctx, in_z)) {
        status = wg_fail(ctx, &site_nograd_z, -1, wg_value_integer(0), wg_value_integer(1));
        goto fail;
    }

}
