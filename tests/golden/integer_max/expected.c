static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* output_alias_wrapper: graphs[0].outputs */

    /* outputs[0] y: tensor, aliases x */
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    const int64_t int_9 = wg_min(in_n, 0);
    const int64_t int_8 = wg_max(int_9, -1);
    const int64_t int_7 = wg_mul(int_8, sym_s0, &overflow);
    const int64_t int_6 = wg_sub(in_n, int_7, &overflow);
    const int64_t int_5 = wg_max(int_6, 0);
    const int64_t int_4 = wg_min(int_5, sym_s0);
    const int64_t int_3 = wg_sub(sym_s0, int_4, &overflow);
    if (overflow) {
        status = wg_fail(ctx, &site_overflow_y, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (wg_rank(ctx, results[0].tensor) != 2
        || wg_size(ctx, results[0].tensor, 0) != int_3
        || wg_size(ctx, results[0].tensor, 1) != 3) {
        const int64_t expected[] = { int_3, 3 };
        status = wg_fail_shape(ctx, &site_shape_y, results[0].tensor, expected, 2);
        goto fail;
    }
    const int64_t int_10 = wg_mul(int_4, 3, &overflow);
    if (overflow) {
        status = wg_fail(ctx, &site_overflow_y, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    {
        const int64_t sizes[] = { int_3, 3 };
        const int64_t strides[] = { 3, 1 };
        const WgGeometry geometry = {sizes, strides, int_10, 2};
        status = wg_alias_as(ctx, in_x, &geometry, wg_dtype(ctx, in_x), 0, &view_y);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_y, status);
        goto fail;
    }

}
