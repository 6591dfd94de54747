static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* subclass_wrapper: graphs[0].outputs[0] */
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_0_a, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (results[1].tensor == NULL) {
        status = wg_fail(ctx, &site_result_1_b, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[0].tensor) != 1) {
        status = wg_fail(ctx, &site_rank_2_y, -1, wg_value_integer(1), wg_value_integer(wg_rank(ctx, results[0].tensor)));
        goto fail;
    }
    {
        WgTensor *attrs[] = { results[0].tensor, results[1].tensor };
        const int64_t strides[] = { 1, 0 };
        const WgGeometry outer = {wg_sizes(ctx, results[0].tensor), strides, 0, wg_rank(ctx, results[0].tensor)};
        results[0].tensor = NULL;
        results[1].tensor = NULL;
        status = wg_rebuild(ctx, &TwoTensor, y_ctx, attrs, 2, &outer, &wrapped2_y);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rebuild_2_y, status);
        goto fail;
    }

}
