static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* output_alias_wrapper: graphs[0].outputs */

    /* outputs[0] same: tensor, aliases z */
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_same, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[0].tensor) != 2
        || wg_size(ctx, results[0].tensor, 0) != 4
        || wg_size(ctx, results[0].tensor, 1) != 3) {
        const int64_t expected[] = { 4, 3 };
        status = wg_fail_shape(ctx, &site_shape_same, results[0].tensor, expected, 2);
        goto fail;
    }
    status = wg_conj(ctx, in_z, &step1_same);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_same, status);
        goto fail;
    }
    status = wg_patch_requires_grad(ctx, in_z, &step1_same, 0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_same, status);
        goto fail;
    }

    /* outputs[1] row: tensor, aliases z */
    if (results[1].tensor == NULL) {
        status = wg_fail(ctx, &site_result_row, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[1].tensor) != 1
        || wg_size(ctx, results[1].tensor, 0) != 4) {
        const int64_t expected[] = { 4 };
        status = wg_fail_shape(ctx, &site_shape_row, results[1].tensor, expected, 1);
        goto fail;
    }
    {
        static const int64_t sizes[] = { 3, 4 };
        static const int64_t strides[] = { 1, 3 };
        static const WgGeometry geometry = {sizes, strides, 0, 2};
        status = wg_as_strided(ctx, in_z, &geometry, &step1_row);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_row, status);
        goto fail;
    }
    status = wg_conj(ctx, step1_row, &step2_row);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_row, status);
        goto fail;
    }
    wg_release(ctx, step1_row);
    step1_row = NULL;
    {
        static const int64_t sizes[] = { 4 };
        static const int64_t strides[] = { 3 };
        static const WgGeometry geometry = {sizes, strides, 1, 1};
        status = wg_as_strided(ctx, step2_row, &geometry, &step3_row);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_row, status);
        goto fail;
    }
    wg_release(ctx, step2_row);
    step2_row = NULL;
    status = wg_patch_requires_grad(ctx, in_z, &step3_row, 0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_row, status);
        goto fail;
    }

    /* outputs[2] again: tensor, aliases z */
    if (results[2].tensor == NULL) {
        status = wg_fail(ctx, &site_result_again, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[2].tensor) != 2
        || wg_size(ctx, results[2].tensor, 0) != 3
        || wg_size(ctx, results[2].tensor, 1) != 4) {
        const int64_t expected[] = { 3, 4 };
        status = wg_fail_shape(ctx, &site_shape_again, results[2].tensor, expected, 2);
        goto fail;
    }
    status = wg_conj(ctx, in_z, &step1_again);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_again, status);
        goto fail;
    }
    {
        static const int64_t sizes[] = { 3, 4 };
        static const int64_t strides[] = { 1, 3 };
        static const WgGeometry geometry = {sizes, strides, 0, 2};
        status = wg_as_strided(ctx, step1_again, &geometry, &step2_again);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_again, status);
        goto fail;
    }
    wg_release(ctx, step1_again);
    step1_again = NULL;
    status = wg_conj(ctx, step2_again, &step3_again);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_again, status);
        goto fail;
    }
    wg_release(ctx, step2_again);
    step2_again = NULL;
    status = wg_patch_requires_grad(ctx, in_z, &step3_again, 0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_again, status);
        goto fail;
    }

}
