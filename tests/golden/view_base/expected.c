static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* synthetic_base_wrapper: graphs[0].synthetic_bases */

    /* synthetic_bases[0] whole */
    if (!wg_same_storage(ctx, in_head, in_tail)) {
        status = wg_fail(ctx, &site_storage_tail, -1, wg_value_tensor(in_head), wg_value_tensor(in_tail));
        goto fail;
    }
    status = wg_is_view(ctx, in_head) ? wg_view_base(ctx, in_head, &merged_whole) : wg_is_view(ctx, in_tail) ? wg_view_base(ctx, in_tail, &merged_whole) : wg_storage_base(ctx, in_head, &merged_whole);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_base_whole, status);
        goto fail;
    }

}
