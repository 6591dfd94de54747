static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* output_alias_wrapper: graphs[0].outputs */

    /* outputs[0] y: tensor, aliases x */
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[0].tensor) != 2
        || wg_size(ctx, results[0].tensor, 0) != 4
        || wg_size(ctx, results[0].tensor, 1) != 2) {
        const int64_t expected[] = { 4, 2 };
        status = wg_fail_shape(ctx, &site_shape_y, results[0].tensor, expected, 2);
        goto fail;
    }
    status = wg_view_as_real(ctx, in_x, &step1_y);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_y, status);
        goto fail;
    }
    status = wg_patch_requires_grad(ctx, in_x, &step1_y, 0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_y, status);
        goto fail;
    }

}
