static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* output_alias_wrapper: graphs[0].outputs */

    /* outputs[0] same: float32[s0, 3], the same tensor as x */
    status = wg_retain(ctx, in_x, &same_same);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_retain_same, status);
        goto fail;
    }
    const int64_t int_6 = wg_mul(sym_s0, 3, &overflow);
    if (overflow) {
        status = wg_fail(ctx, &site_overflow_same, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    {
        const WgFact stated_same[] = {
            { WG_RULE_DTYPE, -1, WG_FLOAT32 },
            { WG_RULE_STRIDE, 0, int_6 },
            { WG_RULE_STRIDE, 1, 1 },
        };
        status = wg_check_stated(ctx, &site_result_same, same_same, stated_same, 3);
    }
    if (status != WG_OK) {
        goto fail;
    }

    /* outputs[1] moved: float32[3, 4], the same tensor as m */
    status = wg_retain(ctx, in_m, &same_moved);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_retain_moved, status);
        goto fail;
    }
    status = wg_check_stated(ctx, &site_result_moved, same_moved, stated_moved, 3);
    if (status != WG_OK) {
        goto fail;
    }

    /* outputs[2] view: float32[3, s0], aliases x */
    if (results[3].tensor == NULL) {
        status = wg_fail(ctx, &site_result_view, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[3].tensor) != 2
        || wg_size(ctx, results[3].tensor, 0) != 3
        || wg_size(ctx, results[3].tensor, 1) != sym_s0) {
        const int64_t expected[] = { 3, sym_s0 };
        status = wg_fail_shape(ctx, &site_shape_view, results[3].tensor, expected, 2);
        goto fail;
    }
    const int64_t int_7 = wg_stride(ctx, in_x, 1);
    const int64_t int_8 = wg_stride(ctx, in_x, 0);
    {
        const int64_t sizes[] = { 3, sym_s0 };
        const int64_t strides[] = { int_7, int_8 };
        const WgGeometry geometry = {sizes, strides, 0, 2};
        status = wg_alias_as(ctx, in_x, &geometry, wg_dtype(ctx, in_x), 0, &view_view);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_view, status);
        goto fail;
    }
    status = wg_check_stated(ctx, &site_result_view, view_view, stated_view, 4);
    if (status != WG_OK) {
        goto fail;
    }

    /* outputs[3] known: float32[3, 4], aliases w */
    if (results[4].tensor == NULL) {
        status = wg_fail(ctx, &site_result_known, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[4].tensor) != 2
        || wg_size(ctx, results[4].tensor, 0) != 3
        || wg_size(ctx, results[4].tensor, 1) != 4) {
        const int64_t expected[] = { 3, 4 };
        status = wg_fail_shape(ctx, &site_shape_known, results[4].tensor, expected, 2);
        goto fail;
    }
    {
        static const int64_t sizes[] = { 3, 4 };
        static const int64_t strides[] = { 1, 3 };
        static const WgGeometry geometry = {sizes, strides, 0, 2};
        status = wg_alias_as(ctx, in_w, &geometry, wg_dtype(ctx, in_w), 0, &view_known);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_known, status);
        goto fail;
    }

    /* outputs[4] both: float32 */
    status = wg_check_stated(ctx, &site_result_both, wrapped3_both, stated_both, 1);
    if (status != WG_OK) {
        goto fail;
    }
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

}
