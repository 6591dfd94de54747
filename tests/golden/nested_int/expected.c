static int32_t ragged_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* subclass_wrapper: graphs[0].inputs[1] */
    if (in_x == NULL || !wg_is_type(ctx, in_x, &Jagged)) {
        status = wg_fail_type(ctx, &site_type_x, in_x, &Jagged);
        goto fail;
    }
    if (wg_rank(ctx, in_x) != 3) {
        status = wg_fail(ctx, &site_rank_x, -1, wg_value_integer(3), wg_value_integer(wg_rank(ctx, in_x)));
        goto fail;
    }
    const int64_t outer_size0_x = wg_size(ctx, in_x, 0);
    if (outer_size0_x != 3) {
        status = wg_fail(ctx, &site_size_x, 0, wg_value_integer(3), wg_value_integer(outer_size0_x));
        goto fail;
    }
    const int64_t outer_size2_x = wg_size(ctx, in_x, 2);
    if (outer_size2_x != 4) {
        status = wg_fail(ctx, &site_size_x, 2, wg_value_integer(4), wg_value_integer(outer_size2_x));
        goto fail;
    }
    const int64_t outer_stride1_x = wg_stride(ctx, in_x, 1);
    if (outer_stride1_x != 4) {
        status = wg_fail(ctx, &site_stride_x, 1, wg_value_integer(4), wg_value_integer(outer_stride1_x));
        goto fail;
    }
    const int64_t outer_stride2_x = wg_stride(ctx, in_x, 2);
    if (outer_stride2_x != 1) {
        status = wg_fail(ctx, &site_stride_x, 2, wg_value_integer(1), wg_value_integer(outer_stride2_x));
        goto fail;
    }
    WgTensor *attr0_values = NULL;
    status = wg_attr(ctx, in_x, 0, &attr0_values);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_attr_0_values, status);
        goto fail;
    }
    if (attr0_values == NULL
        || wg_rank(ctx, attr0_values) != 2
        || wg_size(ctx, attr0_values, 1) != 4
        || wg_stride(ctx, attr0_values, 0) != 4
        || wg_stride(ctx, attr0_values, 1) != 1
        || !wg_is_plain(ctx, attr0_values)) {
        status = wg_fail_tensor(ctx, &site_tensor_0_values, attr0_values, facts_0_values, 4);
        goto fail;
    }
    WgTensor *attr1_offsets = NULL;
    status = wg_attr(ctx, in_x, 1, &attr1_offsets);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_attr_1_offsets, status);
        goto fail;
    }
    if (attr1_offsets == NULL
        || wg_rank(ctx, attr1_offsets) != 1
        || wg_size(ctx, attr1_offsets, 0) != 4
        || wg_stride(ctx, attr1_offsets, 0) != 1
        || !wg_is_plain(ctx, attr1_offsets)) {
        status = wg_fail_tensor(ctx, &site_tensor_1_offsets, attr1_offsets, facts_1_offsets, 3);
        goto fail;
    }
    {
        WgTensor *present = NULL;
        status = wg_attr(ctx, in_x, 2, &present);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_attr_2_lengths, status);
            goto fail;
        }
        if (present != NULL) {
            status = wg_fail(ctx, &site_absent_2_lengths, -1, wg_value_tensor(NULL), wg_value_tensor(present));
            goto fail;
        }
    }


    /* subclass_wrapper: graphs[0].inputs[2] */
    if (in_y == NULL || !wg_is_type(ctx, in_y, &Jagged)) {
        status = wg_fail_type(ctx, &site_type_y, in_y, &Jagged);
        goto fail;
    }
    if (wg_rank(ctx, in_y) != 3) {
        status = wg_fail(ctx, &site_rank_y, -1, wg_value_integer(3), wg_value_integer(wg_rank(ctx, in_y)));
        goto fail;
    }
    const int64_t outer_size0_y = wg_size(ctx, in_y, 0);
    if (outer_size0_y != 3) {
        status = wg_fail(ctx, &site_size_y, 0, wg_value_integer(3), wg_value_integer(outer_size0_y));
        goto fail;
    }
    const int64_t outer_size2_y = wg_size(ctx, in_y, 2);
    if (outer_size2_y != 2) {
        status = wg_fail(ctx, &site_size_y, 2, wg_value_integer(2), wg_value_integer(outer_size2_y));
        goto fail;
    }
    const int64_t outer_stride1_y = wg_stride(ctx, in_y, 1);
    if (outer_stride1_y != 2) {
        status = wg_fail(ctx, &site_stride_y, 1, wg_value_integer(2), wg_value_integer(outer_stride1_y));
        goto fail;
    }
    const int64_t outer_stride2_y = wg_stride(ctx, in_y, 2);
    if (outer_stride2_y != 1) {
        status = wg_fail(ctx, &site_stride_y, 2, wg_value_integer(1), wg_value_integer(outer_stride2_y));
        goto fail;
    }
    WgTensor *attr3_values = NULL;
    status = wg_attr(ctx, in_y, 0, &attr3_values);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_attr_3_values, status);
        goto fail;
    }
    if (attr3_values == NULL
        || wg_rank(ctx, attr3_values) != 2
        || wg_size(ctx, attr3_values, 1) != 2
        || wg_stride(ctx, attr3_values, 0) != 2
        || wg_stride(ctx, attr3_values, 1) != 1
        || !wg_is_plain(ctx, attr3_values)) {
        status = wg_fail_tensor(ctx, &site_tensor_3_values, attr3_values, facts_3_values, 4);
        goto fail;
    }
    WgTensor *attr4_offsets = NULL;
    status = wg_attr(ctx, in_y, 1, &attr4_offsets);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_attr_4_offsets, status);
        goto fail;
    }
    if (attr4_offsets == NULL
        || !wg_is_plain(ctx, attr4_offsets)) {
        status = wg_fail_tensor(ctx, &site_tensor_4_offsets, attr4_offsets, NULL, 0);
        goto fail;
    }
    WgTensor *attr5_lengths = NULL;
    status = wg_attr(ctx, in_y, 2, &attr5_lengths);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_attr_5_lengths, status);
        goto fail;
    }
    if (attr5_lengths == NULL
        || !wg_is_plain(ctx, attr5_lengths)) {
        status = wg_fail_tensor(ctx, &site_tensor_5_lengths, attr5_lengths, NULL, 0);
        goto fail;
    }


    /* results: graphs[0].outputs */

    /* outputs[0] sum: tensor */
    if (results[1].tensor == NULL
        || !wg_is_plain(ctx, results[1].tensor)) {
        status = wg_check_returned(ctx, &site_result_11_offsets, results[1].tensor, NULL, 0);
        if (status != WG_OK) {
            goto fail;
        }
    }
    const int64_t owner_11_offsets = wg_nested_int(ctx, results[1].tensor);
    if (owner_11_offsets != in_size) {
        status = wg_fail(ctx, &site_owner_11_offsets, -1, wg_value_integer(in_size), wg_value_integer(owner_11_offsets));
        goto fail;
    }

    /* outputs[1] other: tensor */
    if (results[3].tensor == NULL
        || !wg_is_plain(ctx, results[3].tensor)) {
        status = wg_check_returned(ctx, &site_result_12_offsets, results[3].tensor, NULL, 0);
        if (status != WG_OK) {
            goto fail;
        }
    }
    const int64_t owner_12_offsets = wg_nested_int(ctx, results[3].tensor);
    if (owner_12_offsets != sym_j1) {
        status = wg_fail(ctx, &site_owner_12_offsets, -1, wg_value_integer(sym_j1), wg_value_integer(owner_12_offsets));
        goto fail;
    }

    /* outputs[2] fresh: tensor */
    if (results[5].tensor == NULL
        || !wg_is_plain(ctx, results[5].tensor)) {
        status = wg_check_returned(ctx, &site_result_13_offsets, results[5].tensor, NULL, 0);
        if (status != WG_OK) {
            goto fail;
        }
    }
    const int64_t owner_13_offsets = wg_nested_int(ctx, results[5].tensor);

    /* outputs[3] again: tensor */
    if (results[7].tensor == NULL
        || !wg_is_plain(ctx, results[7].tensor)) {
        status = wg_check_returned(ctx, &site_result_14_offsets, results[7].tensor, NULL, 0);
        if (status != WG_OK) {
            goto fail;
        }
    }
    const int64_t owner_14_offsets = wg_nested_int(ctx, results[7].tensor);

    /* outputs[4] same: int */
    if (results[8].integer != in_size) {
        status = wg_fail(ctx, &site_value_same, -1, wg_value_integer(in_size), wg_value_integer(results[8].integer));
        goto fail;
    }

    /* outputs[3] again: tensor */
    if (owner_14_offsets != owner_13_offsets) {
        status = wg_fail(ctx, &site_owner_14_offsets, -1, wg_value_integer(owner_13_offsets), wg_value_integer(owner_14_offsets));
        goto fail;
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }


    /* subclass_wrapper: graphs[0].outputs[0] */
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_15_values, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    {
        WgTensor *attrs[] = { results[0].tensor, results[1].tensor, NULL };
        const int64_t sizes[] = { 3, -1, 4 };
        const int64_t strides[] = { -1, 4, 1 };
        const WgGeometry outer = { sizes, strides, 0, 3 };
        results[0].tensor = NULL;
        results[1].tensor = NULL;
        status = wg_rebuild(ctx, &Jagged, ragged_context, attrs, 3, &outer, &wrapped17_sum);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rebuild_17_sum, status);
        goto fail;
    }

    /* outputs[1] other: tensor */
    if (results[2].tensor == NULL) {
        status = wg_fail(ctx, &site_result_18_values, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    {
        WgTensor *attrs[] = { results[2].tensor, results[3].tensor, NULL };
        const int64_t sizes[] = { 3, -1 };
        const int64_t strides[] = { -1, 1 };
        const WgGeometry outer = { sizes, strides, 0, 2 };
        results[2].tensor = NULL;
        results[3].tensor = NULL;
        status = wg_rebuild(ctx, &Jagged, ragged_context, attrs, 3, &outer, &wrapped20_other);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rebuild_20_other, status);
        goto fail;
    }

    /* outputs[2] fresh: tensor */
    if (results[4].tensor == NULL) {
        status = wg_fail(ctx, &site_result_21_values, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    {
        WgTensor *attrs[] = { results[4].tensor, results[5].tensor, NULL };
        const int64_t sizes[] = { 3, -1 };
        const int64_t strides[] = { -1, 1 };
        const WgGeometry outer = { sizes, strides, 0, 2 };
        results[4].tensor = NULL;
        results[5].tensor = NULL;
        status = wg_rebuild(ctx, &Jagged, ragged_context, attrs, 3, &outer, &wrapped23_fresh);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rebuild_23_fresh, status);
        goto fail;
    }

    /* outputs[3] again: tensor */
    if (results[6].tensor == NULL) {
        status = wg_fail(ctx, &site_result_24_values, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    {
        WgTensor *attrs[] = { results[6].tensor, results[7].tensor, NULL };
        const int64_t sizes[] = { 3, -1 };
        const int64_t strides[] = { -1, 1 };
        const WgGeometry outer = { sizes, strides, 0, 2 };
        results[6].tensor = NULL;
        results[7].tensor = NULL;
        status = wg_rebuild(ctx, &Jagged, ragged_context, attrs, 3, &outer, &wrapped26_again);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rebuild_26_again, status);
        goto fail;
    }

}
