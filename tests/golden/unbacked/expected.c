static int32_t g_found_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* results: graphs[0].outputs */

    /* outputs[0] twice: int64[u0*2, 2] */
    if (results[0].tensor == NULL
        || wg_dtype(ctx, results[0].tensor) != WG_INT64
        || wg_rank(ctx, results[0].tensor) != 2
        || wg_size(ctx, results[0].tensor, 1) != 2
        || wg_stride(ctx, results[0].tensor, 0) != 2
        || wg_stride(ctx, results[0].tensor, 1) != 1
        || !wg_is_plain(ctx, results[0].tensor)) {
        status = wg_check_returned(ctx, &site_result_twice, results[0].tensor, facts_twice, 5);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[1] places: int64[u0, 2] */
    if (results[1].tensor == NULL
        || wg_dtype(ctx, results[1].tensor) != WG_INT64
        || wg_rank(ctx, results[1].tensor) != 2
        || wg_size(ctx, results[1].tensor, 1) != 2
        || wg_stride(ctx, results[1].tensor, 0) != 1
        || !wg_is_plain(ctx, results[1].tensor)) {
        status = wg_check_returned(ctx, &site_result_places, results[1].tensor, facts_places, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[4] rows: int */
    if (results[4].integer != sym_s0) {
        status = wg_fail(ctx, &site_value_rows, -1, wg_value_integer(sym_s0), wg_value_integer(results[4].integer));
        goto fail;
    }

    /* outputs[5] both: float32[u0, u1] */
    if (results[5].tensor == NULL
        || wg_dtype(ctx, results[5].tensor) != WG_FLOAT32
        || wg_rank(ctx, results[5].tensor) != 2
        || wg_stride(ctx, results[5].tensor, 1) != 1
        || !wg_is_plain(ctx, results[5].tensor)) {
        status = wg_check_returned(ctx, &site_result_both, results[5].tensor, facts_both, 3);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[6] first: float32[u2, 3], aliases x */
    if (results[6].tensor == NULL
        || wg_rank(ctx, results[6].tensor) != 2
        || !wg_is_plain(ctx, results[6].tensor)) {
        status = wg_check_returned(ctx, &site_result_first, results[6].tensor, facts_first, 1);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[1] places: int64[u0, 2] */
    const int64_t sym_u0 = wg_size(ctx, results[1].tensor, 0);
    if (sym_u0 > 64) {
        status = wg_fail(ctx, &site_symbol1_places, 0, wg_value_integer(64), wg_value_integer(sym_u0));
        goto fail;
    }

    /* outputs[2] count: int */
    if (results[2].integer < 1) {
        status = wg_fail(ctx, &site_symbol2_count, -1, wg_value_integer(1), wg_value_integer(results[2].integer));
        goto fail;
    }
    if (results[2].integer % 2 != 0) {
        status = wg_fail(ctx, &site_symbol2_count, -1, wg_value_integer(2), wg_value_integer(results[2].integer));
        goto fail;
    }

    /* outputs[6] first: float32[u2, 3], aliases x */
    const int64_t sym_u2 = wg_size(ctx, results[6].tensor, 0);

    /* outputs[0] twice: int64[u0*2, 2] */
    const int64_t int_7 = wg_mul(sym_u0, 2, &overflow);
    {
        const WgFact late_twice[] = {
            { WG_RULE_SIZE, 0, int_7 },
        };
        status = wg_check_stated(ctx, &site_result_twice, results[0].tensor, late_twice, 1);
    }
    if (status != WG_OK) {
        goto fail;
    }

    /* outputs[1] places: int64[u0, 2] */
    {
        const WgFact late_places[] = {
            { WG_RULE_STRIDE, 1, sym_u0 },
        };
        status = wg_check_stated(ctx, &site_result_places, results[1].tensor, late_places, 1);
    }
    if (status != WG_OK) {
        goto fail;
    }

    /* outputs[3] half: int */
    const int64_t int_8 = wg_floordiv(results[2].integer, 2, &overflow);
    if (results[3].integer != int_8) {
        status = wg_fail(ctx, &site_value_half, -1, wg_value_integer(int_8), wg_value_integer(results[3].integer));
        goto fail;
    }

    /* outputs[5] both: float32[u0, u1] */
    {
        const WgFact late_both[] = {
            { WG_RULE_SIZE, 0, sym_u0 },
            { WG_RULE_SIZE, 1, results[2].integer },
            { WG_RULE_STRIDE, 0, results[2].integer },
        };
        status = wg_check_stated(ctx, &site_result_both, results[5].tensor, late_both, 3);
    }
    if (status != WG_OK) {
        goto fail;
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

    /* outputs */
    if (results[5].tensor != NULL && wg_same(ctx, results[5].tensor, in_x)) {
        status = wg_fail_argument(ctx, &site_argument_both, "x", in_x);
        goto fail;
    }
    int same_0_places = wg_same(ctx, results[1].tensor, results[0].tensor);
    if (same_0_places) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, results[1].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_detach_places, status);
            goto fail;
        }
        wg_release(ctx, results[1].tensor);
        results[1].tensor = replacement;
    }


    /* output_alias_wrapper: graphs[0].outputs */

    /* outputs[6] first: float32[u2, 3], aliases x */
    const int64_t int_10 = wg_min(sym_s0, sym_u2);
    if (wg_rank(ctx, results[6].tensor) != 2
        || wg_size(ctx, results[6].tensor, 0) != int_10
        || wg_size(ctx, results[6].tensor, 1) != 3) {
        const int64_t expected[] = { int_10, 3 };
        status = wg_fail_shape(ctx, &site_shape_first, results[6].tensor, expected, 2);
        goto fail;
    }
    {
        const int64_t sizes[] = { int_10, 3 };
        const int64_t strides[] = { 3, 1 };
        const WgGeometry geometry = {sizes, strides, 0, 2};
        status = wg_alias_as(ctx, in_x, &geometry, wg_dtype(ctx, in_x), 0, &view_first);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_first, status);
        goto fail;
    }
    {
        const WgFact stated_first[] = {
            { WG_RULE_SIZE, 0, sym_u2 },
        };
        status = wg_check_stated(ctx, &site_result_first, view_first, stated_first, 1);
    }
    if (status != WG_OK) {
        goto fail;
    }

    /* outputs[7] flat: tensor[u0*u1], aliases both */
    if (results[7].tensor == NULL) {
        status = wg_fail(ctx, &site_result_flat, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    const int64_t int_11 = wg_mul(sym_u0, results[2].integer, &overflow);
    if (overflow) {
        status = wg_fail(ctx, &site_overflow_flat, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (wg_rank(ctx, results[7].tensor) != 1
        || wg_size(ctx, results[7].tensor, 0) != int_11) {
        const int64_t expected[] = { int_11 };
        status = wg_fail_shape(ctx, &site_shape_flat, results[7].tensor, expected, 1);
        goto fail;
    }
    const int64_t int_12 = wg_offset(ctx, results[5].tensor);
    {
        const int64_t sizes[] = { int_11 };
        const int64_t strides[] = { 1 };
        const WgGeometry geometry = {sizes, strides, int_12, 1};
        status = wg_alias_as(ctx, results[5].tensor, &geometry, wg_dtype(ctx, results[5].tensor), 0, &view_flat);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_flat, status);
        goto fail;
    }

}

static int32_t g_unchecked_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* results: graphs[1].outputs */

    /* outputs[0] y: float32[4, u0] */
    if (results[0].tensor == NULL
        || wg_rank(ctx, results[0].tensor) != 2
        || !wg_is_plain(ctx, results[0].tensor)) {
        status = wg_check_returned(ctx, &site_result_y, results[0].tensor, facts_y, 1);
        if (status != WG_OK) {
            goto fail;
        }
    }
    const int64_t sym_u0 = wg_size(ctx, results[0].tensor, 1);

    /* graphs[1] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

    /* outputs */
    int same_0_same = results[1].tensor != NULL && results[0].tensor != NULL && wg_same(ctx, results[1].tensor, results[0].tensor);
    if (same_0_same) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, results[1].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_detach_same, status);
            goto fail;
        }
        wg_release(ctx, results[1].tensor);
        results[1].tensor = replacement;
    }


    /* output_alias_wrapper: graphs[1].outputs */

    /* outputs[2] part: tensor, aliases x */
    {
        const int64_t sizes[] = { sym_u0 };
        const int64_t strides[] = { 1 };
        const WgGeometry geometry = {sizes, strides, 0, 1};
        status = wg_alias_as(ctx, in_x, &geometry, wg_dtype(ctx, in_x), 0, &view_part);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_part, status);
        goto fail;
    }

}
