static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* synthetic_base_wrapper: graphs[0].synthetic_bases */

    /* synthetic_bases[0] merged */
    if (!wg_same_storage(ctx, in_x, in_tail)) {
        status = wg_fail(ctx, &site_storage_tail, -1, wg_value_tensor(in_x), wg_value_tensor(in_tail));
        goto fail;
    }
    status = wg_storage_base(ctx, in_x, &merged_merged);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_base_merged, status);
        goto fail;
    }

}
