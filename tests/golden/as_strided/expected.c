static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* output_alias_wrapper: graphs[0].outputs */

    /* outputs[0] y: tensor, aliases x */
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[0].tensor) != 1
        || wg_size(ctx, results[0].tensor, 0) != 2) {
        const int64_t expected[] = { 2 };
        status = wg_fail_shape(ctx, &site_shape_y, results[0].tensor, expected, 1);
        goto fail;
    }
    {
        static const int64_t sizes[] = { 3 };
        static const int64_t strides[] = { 1 };
        static const WgGeometry geometry = {sizes, strides, 6, 1};
        status = wg_as_strided(ctx, in_x, &geometry, &step1_y);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_y, status);
        goto fail;
    }
    status = wg_view_dtype(ctx, step1_y, WG_INT32, &step2_y);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_y, status);
        goto fail;
    }
    wg_release(ctx, step1_y);
    step1_y = NULL;
    {
        static const int64_t sizes[] = { 2 };
        static const int64_t strides[] = { 1 };
        static const WgGeometry geometry = {sizes, strides, 7, 1};
        status = wg_as_strided(ctx, step2_y, &geometry, &step3_y);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_y, status);
        goto fail;
    }
    wg_release(ctx, step2_y);
    step2_y = NULL;
    status = wg_patch_requires_grad(ctx, in_x, &step3_y, 0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_y, status);
        goto fail;
    }

}
