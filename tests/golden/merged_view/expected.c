static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* synthetic_base_wrapper: graphs[0].synthetic_bases */

    /* synthetic_bases[0] merged */
    if (!wg_same_storage(ctx, in_whole, in_part)) {
        status = wg_fail(ctx, &site_storage_part, -1, wg_value_tensor(in_whole), wg_value_tensor(in_part));
        goto fail;
    }
    status = wg_storage_base(ctx, in_whole, &merged_merged);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_base_merged, status);
        goto fail;
    }


    /* output_alias_wrapper: graphs[0].outputs */

    /* outputs[0] same: tensor, aliases part */
    if (results[1].tensor == NULL) {
        status = wg_fail(ctx, &site_result_same, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[1].tensor) != 1
        || wg_size(ctx, results[1].tensor, 0) != 4) {
        const int64_t expected[] = { 4 };
        status = wg_fail_shape(ctx, &site_shape_same, results[1].tensor, expected, 1);
        goto fail;
    }
    {
        static const int64_t sizes[] = { 4 };
        static const int64_t strides[] = { 1 };
        static const WgGeometry geometry = {sizes, strides, 2, 1};
        status = wg_alias_as(ctx, merged_merged, &geometry, wg_dtype(ctx, merged_merged), 0, &view_same);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_same, status);
        goto fail;
    }

    /* outputs[1] pairs: tensor, aliases part */
    if (results[2].tensor == NULL) {
        status = wg_fail(ctx, &site_result_pairs, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[2].tensor) != 2
        || wg_size(ctx, results[2].tensor, 0) != 4
        || wg_size(ctx, results[2].tensor, 1) != 2) {
        const int64_t expected[] = { 4, 2 };
        status = wg_fail_shape(ctx, &site_shape_pairs, results[2].tensor, expected, 2);
        goto fail;
    }
    {
        static const int64_t sizes[] = { 4 };
        static const int64_t strides[] = { 1 };
        static const WgGeometry geometry = {sizes, strides, 2, 1};
        status = wg_as_strided(ctx, merged_merged, &geometry, &step0_pairs);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_pairs, status);
        goto fail;
    }
    status = wg_view_as_real(ctx, step0_pairs, &step1_pairs);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_pairs, status);
        goto fail;
    }
    wg_release(ctx, step0_pairs);
    step0_pairs = NULL;
    status = wg_patch_requires_grad(ctx, merged_merged, &step1_pairs, 0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_pairs, status);
        goto fail;
    }

}
