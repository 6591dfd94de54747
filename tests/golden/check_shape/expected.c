static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* output_alias_wrapper: graphs[0].outputs */

    /* outputs[0] y: tensor, aliases x */
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[0].tensor) != 2
        || wg_size(ctx, results[0].tensor, 0) != 3
        || wg_size(ctx, results[0].tensor, 1) != 4) {
        const int64_t expected[] = { 3, 4 };
        status = wg_fail_shape(ctx, &site_shape_y, results[0].tensor, expected, 2);
        goto fail;
    }
    {
        static const int64_t sizes[] = { 3, 4 };
        static const int64_t strides[] = { 1, 3 };
        static const WgGeometry geometry = {sizes, strides, 0, 2};
        status = wg_alias_as(ctx, in_x, &geometry, wg_dtype(ctx, in_x), 0, &view_y);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_y, status);
        goto fail;
    }

}
