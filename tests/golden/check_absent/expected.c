static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* subclass_wrapper: graphs[0].inputs[0] */
    if (in_x == NULL || !wg_is_type(ctx, in_x, &Jagged)) {
        status = wg_fail_type(ctx, &site_type_x, in_x, &Jagged);
        goto fail;
    }
    if (wg_rank(ctx, in_x) != 2) {
        status = wg_fail(ctx, &site_rank_x, -1, wg_value_integer(2), wg_value_integer(wg_rank(ctx, in_x)));
        goto fail;
    }
    const int64_t outer_size0_x = wg_size(ctx, in_x, 0);
    if (outer_size0_x != 4) {
        status = wg_fail(ctx, &site_size_x, 0, wg_value_integer(4), wg_value_integer(outer_size0_x));
        goto fail;
    }
    const int64_t outer_stride0_x = wg_stride(ctx, in_x, 0);
    if (outer_stride0_x != 3) {
        status = wg_fail(ctx, &site_stride_x, 0, wg_value_integer(3), wg_value_integer(outer_stride0_x));
        goto fail;
    }
    const int64_t outer_stride1_x = wg_stride(ctx, in_x, 1);
    if (outer_stride1_x != 1) {
        status = wg_fail(ctx, &site_stride_x, 1, wg_value_integer(1), wg_value_integer(outer_stride1_x));
        goto fail;
    }
    WgTensor *attr0_values = NULL;
    status = wg_attr(ctx, in_x, 0, &attr0_values);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_attr_0_values, status);
        goto fail;
    }
    if (attr0_values == NULL
        || !wg_is_plain(ctx, attr0_values)) {
        status = wg_fail_tensor(ctx, &site_tensor_0_values, attr0_values, NULL, 0);
        goto fail;
    }
    {
        WgTensor *present = NULL;
        status = wg_attr(ctx, in_x, 1, &present);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_attr_1_lengths, status);
            goto fail;
        }
        if (present != NULL) {
            status = wg_fail(ctx, &site_absent_1_lengths, -1, wg_value_tensor(NULL), wg_value_tensor(present));
            goto fail;
        }
    }

}
