static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* subclass_wrapper: graphs[0] */
    if (num_results == 6) { /* without the symbolic sizes of subclasses */
        memmove(&results[8], &results[5], 1 * sizeof *results);
        results[7].integer = 0;
        results[6].integer = 0;
        memmove(&results[4], &results[3], 2 * sizeof *results);
        results[3].integer = sym_s0;
        num_results = 9;
    }


    /* subclass_wrapper: graphs[0].outputs[1] */
    if (results[1].tensor == NULL) {
        status = wg_fail(ctx, &site_result_1_a, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (results[2].tensor == NULL) {
        status = wg_fail(ctx, &site_result_2_b, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    {
        WgTensor *attrs[] = { results[1].tensor, results[2].tensor };
        const int64_t sizes[] = { results[3].integer, 3 };
        const int64_t strides[] = { 3, 1 };
        const WgGeometry outer = { sizes, strides, 0, 2 };
        results[1].tensor = NULL;
        results[2].tensor = NULL;
        status = wg_rebuild(ctx, &TwoTensor, y_ctx, attrs, 2, &outer, &wrapped3_y);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rebuild_3_y, status);
        goto fail;
    }

    /* outputs[2] z: tensor */
    if (results[4].tensor == NULL) {
        status = wg_fail(ctx, &site_result_4_a, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (results[5].tensor == NULL) {
        status = wg_fail(ctx, &site_result_5_b, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[4].tensor) != 2) {
        status = wg_fail(ctx, &site_rank_6_z, -1, wg_value_integer(2), wg_value_integer(wg_rank(ctx, results[4].tensor)));
        goto fail;
    }
    {
        WgTensor *attrs[] = { results[4].tensor, results[5].tensor };
        const int64_t strides[] = { 3, 1 };
        const WgGeometry outer = { wg_sizes(ctx, results[4].tensor), strides, 0, 2 };
        results[4].tensor = NULL;
        results[5].tensor = NULL;
        status = wg_rebuild(ctx, &TwoTensor, y_ctx, attrs, 2, &outer, &wrapped6_z);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_rebuild_6_z, status);
        goto fail;
    }

}
