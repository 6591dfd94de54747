static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* output_alias_wrapper: graphs[0].outputs */

    /* outputs[0] negative: tensor, aliases x */
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_negative, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[0].tensor) != 1
        || wg_size(ctx, results[0].tensor, 0) != 4) {
        const int64_t expected[] = { 4 };
        status = wg_fail_shape(ctx, &site_shape_negative, results[0].tensor, expected, 1);
        goto fail;
    }
    status = wg_neg_view(ctx, in_x, &step1_negative);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_negative, status);
        goto fail;
    }
    status = wg_patch_requires_grad(ctx, in_x, &step1_negative, 0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_negative, status);
        goto fail;
    }

    /* outputs[1] imaginary: tensor, aliases z */
    if (results[1].tensor == NULL) {
        status = wg_fail(ctx, &site_result_imaginary, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[1].tensor) != 1
        || wg_size(ctx, results[1].tensor, 0) != 4) {
        const int64_t expected[] = { 4 };
        status = wg_fail_shape(ctx, &site_shape_imaginary, results[1].tensor, expected, 1);
        goto fail;
    }
    status = wg_conj(ctx, in_z, &step1_imaginary);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_imaginary, status);
        goto fail;
    }
    status = wg_view_as_real(ctx, step1_imaginary, &step2_imaginary);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_imaginary, status);
        goto fail;
    }
    wg_release(ctx, step1_imaginary);
    step1_imaginary = NULL;
    {
        static const int64_t sizes[] = { 4 };
        static const int64_t strides[] = { 2 };
        static const WgGeometry geometry = {sizes, strides, 1, 1};
        status = wg_as_strided(ctx, step2_imaginary, &geometry, &step3_imaginary);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_imaginary, status);
        goto fail;
    }
    wg_release(ctx, step2_imaginary);
    step2_imaginary = NULL;
    status = wg_neg_view(ctx, step3_imaginary, &step4_imaginary);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_imaginary, status);
        goto fail;
    }
    wg_release(ctx, step3_imaginary);
    step3_imaginary = NULL;
    status = wg_patch_requires_grad(ctx, in_z, &step4_imaginary, 0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_imaginary, status);
        goto fail;
    }

}
