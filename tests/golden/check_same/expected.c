static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* dedup_wrapper: graphs[0].duplicates */

    /* duplicates[0] */
    if (in_x == NULL || in_x2 == NULL ? in_x != in_x2 : !wg_same(ctx, in_x, in_x2)) {
        status = wg_fail(ctx, &site_identity_x2, -1, wg_value_tensor(in_x), wg_value_tensor(in_x2));
        goto fail;
    }

}
