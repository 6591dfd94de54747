static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs, demo_block_saved *saved)

    /* subclass_wrapper: graphs[0].inputs[0] */
    if (in_x == NULL || !wg_is_type(ctx, in_x, &TwoTensor)) {
        status = wg_fail_type(ctx, &site_type_x, in_x, &TwoTensor);
        goto fail;
    }
    if (wg_rank(ctx, in_x) != 2) {
        status = wg_fail(ctx, &site_rank_x, -1, wg_value_integer(2), wg_value_integer(wg_rank(ctx, in_x)));
        goto fail;
    }
    const int64_t outer_stride1_x = wg_stride(ctx, in_x, 1);
    if (outer_stride1_x != 1) {
        status = wg_fail(ctx, &site_stride_x, 1, wg_value_integer(1), wg_value_integer(outer_stride1_x));
        goto fail;
    }
    WgTensor *attr0_a = NULL;
    status = wg_attr(ctx, in_x, 0, &attr0_a);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_attr_0_a, status);
        goto fail;
    }
    if (attr0_a == NULL
        || wg_rank(ctx, attr0_a) != 2
        || wg_stride(ctx, attr0_a, 1) != 1
        || !wg_is_plain(ctx, attr0_a)) {
        status = wg_fail_tensor(ctx, &site_tensor_0_a, attr0_a, facts_0_a, 2);
        goto fail;
    }
    WgTensor *attr1_b = NULL;
    status = wg_attr(ctx, in_x, 1, &attr1_b);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_attr_1_b, status);
        goto fail;
    }
    if (attr1_b == NULL
        || wg_rank(ctx, attr1_b) != 2
        || wg_stride(ctx, attr1_b, 1) != 1
        || !wg_is_plain(ctx, attr1_b)) {
        status = wg_fail_tensor(ctx, &site_tensor_1_b, attr1_b, facts_0_a, 2);
        goto fail;
    }


    /* subclass_wrapper: graphs[0].inputs[0] */
    const int64_t arg_size0_3_x = wg_size(ctx, attr0_a, 0);
    const int64_t arg_size1_4_x = wg_size(ctx, attr0_a, 1);
    const int64_t arg_stride0_5_x = wg_stride(ctx, attr0_a, 0);
    const int64_t arg_size0_7_x = wg_size(ctx, attr1_b, 0);
    const int64_t arg_size1_8_x = wg_size(ctx, attr1_b, 1);
    const int64_t arg_stride0_9_x = wg_stride(ctx, attr1_b, 0);
    const int64_t arg_size0_10_x = wg_size(ctx, in_x, 0);
    const int64_t arg_size1_11_x = wg_size(ctx, in_x, 1);
    const int64_t arg_stride0_12_x = wg_stride(ctx, in_x, 0);


    /* subclass_wrapper: graphs[0] */
    if (num_results == 9) { /* without the symbolic sizes of subclasses */
        memmove(&results[22], &results[6], 3 * sizeof *results);
        results[21].integer = 0;
        results[20].integer = 0;
        results[19].integer = 0;
        results[18].integer = 0;
        results[17].integer = 0;
        results[16].integer = 0;
        memmove(&results[15], &results[5], 1 * sizeof *results);
        results[14].integer = sym_s1;
        results[13].integer = sym_s1;
        results[12].integer = sym_s0;
        memmove(&results[11], &results[4], 1 * sizeof *results);
        results[10].integer = 0;
        results[9].integer = 0;
        memmove(&results[7], &results[2], 2 * sizeof *results);
        results[6].integer = sym_s1;
        results[5].integer = sym_s1;
        results[4].integer = sym_s0;
        results[3].integer = 0;
        memmove(&results[2], &results[1], 1 * sizeof *results);
        results[1].integer = 0;
        num_results = 25;
    }


    /* subclass_wrapper: graphs[0].inputs[0] */
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_20_a, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (results[2].tensor == NULL) {
        status = wg_fail(ctx, &site_result_21_b, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    {
        WgTensor *attrs[] = { results[0].tensor, results[2].tensor };
        const int64_t sizes[] = { results[4].integer, results[5].integer };
        const int64_t strides[] = { results[6].integer, 1 };
        const WgGeometry outer = { sizes, strides, 0, 2 };
        results[0].tensor = NULL;
        results[2].tensor = NULL;
        status = wg_rebuild(ctx, &TwoTensor, x_ctx, attrs, 2, &outer, &wrapped22_x);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rebuild_22_x, status);
        goto fail;
    }

    /* outputs[1] y: tensor */
    if (results[11].tensor == NULL) {
        status = wg_fail(ctx, &site_result_24_b, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    {
        WgTensor *attrs[] = { results[8].tensor, results[11].tensor };
        const int64_t sizes[] = { results[12].integer, results[13].integer };
        const int64_t strides[] = { results[14].integer, 1 };
        const WgGeometry outer = { sizes, strides, 0, 2 };
        results[8].tensor = NULL;
        results[11].tensor = NULL;
        status = wg_rebuild(ctx, &TwoTensor, x_ctx, attrs, 2, &outer, &wrapped25_a);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rebuild_25_a, status);
        goto fail;
    }
    if (results[15].tensor == NULL) {
        status = wg_fail(ctx, &site_result_26_b, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[15].tensor) != 2) {
        status = wg_fail(ctx, &site_rank_27_y, -1, wg_value_integer(2), wg_value_integer(wg_rank(ctx, results[15].tensor)));
        goto fail;
    }
    {
        WgTensor *attrs[] = { wrapped25_a, results[15].tensor };
        const WgGeometry outer = { wg_sizes(ctx, results[15].tensor), wg_strides(ctx, results[15].tensor), 0, 2 };
        wrapped25_a = NULL;
        results[15].tensor = NULL;
        status = wg_rebuild(ctx, &TwoTensor, x_ctx, attrs, 2, &outer, &wrapped27_y);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rebuild_27_y, status);
        goto fail;
    }

}

static int32_t demo_block_backward_core(WgContext *ctx, const demo_block_saved *saved, const WgValue *args, WgValue *outs)

    /* compiled_function_backward: graphs[0].backward */
    memset(results, 0, 9 * sizeof *results);
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    num_results = 9;
    status = block_bw_kernel(ctx, call_args, 7, results, &num_results);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
    }
    wg_release(ctx, turned_x);
    turned_x = NULL;
    wg_release(ctx, turned_y);
    turned_y = NULL;
    wg_release(ctx, dense_x);
    dense_x = NULL;
    wg_release(ctx, turned_0_a);
    turned_0_a = NULL;
    wg_release(ctx, turned_1_b);
    turned_1_b = NULL;
    wg_release(ctx, dense_y);
    dense_y = NULL;
    wg_release(ctx, turned_2_a);
    turned_2_a = NULL;
    wg_release(ctx, dense_2_a);
    dense_2_a = NULL;
    wg_release(ctx, turned_3_a);
    turned_3_a = NULL;
    wg_release(ctx, turned_4_b);
    turned_4_b = NULL;
    wg_release(ctx, turned_5_b);
    turned_5_b = NULL;
    wg_release(ctx, dense_0_a);
    dense_0_a = NULL;
    wg_release(ctx, dense_1_b);
    dense_1_b = NULL;
    wg_release(ctx, dense_3_a);
    dense_3_a = NULL;
    wg_release(ctx, dense_4_b);
    dense_4_b = NULL;
    wg_release(ctx, dense_5_b);
    dense_5_b = NULL;
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }


    /* subclass_wrapper: graphs[0].backward */
    if (num_results == 2) { /* without the symbolic sizes of subclasses */
        results[8].integer = 0;
        results[7].integer = 0;
        results[6].integer = 0;
        results[5].integer = 0;
        memmove(&results[4], &results[1], 1 * sizeof *results);
        results[3].integer = 0;
        results[2].integer = 0;
        results[1].integer = 0;
        num_results = 9;
    }


    /* compiled_function_backward: graphs[0].backward */
    if (num_results != 9) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(9), wg_value_integer((int64_t)num_results));
        goto fail;
    }

}
