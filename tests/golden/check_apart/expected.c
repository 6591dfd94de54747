static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* results: graphs[0].outputs */

    /* outputs[0] y: float32[4, 2] */
    if (results[0].tensor == NULL
        || wg_dtype(ctx, results[0].tensor) != WG_FLOAT32
        || wg_rank(ctx, results[0].tensor) != 2
        || wg_size(ctx, results[0].tensor, 0) != 4
        || wg_size(ctx, results[0].tensor, 1) != 2
        || !wg_is_plain(ctx, results[0].tensor)) {
        status = wg_check_returned(ctx, &site_result_y, results[0].tensor, facts_y, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[1] i: int64[4, 3] */
    if (results[1].tensor == NULL
        || wg_dtype(ctx, results[1].tensor) != WG_INT64
        || wg_rank(ctx, results[1].tensor) != 2
        || wg_size(ctx, results[1].tensor, 0) != 4
        || wg_size(ctx, results[1].tensor, 1) != 3
        || !wg_is_plain(ctx, results[1].tensor)) {
        status = wg_check_returned(ctx, &site_result_i, results[1].tensor, facts_i, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[2] z: float32[4, 3] */
    if (results[2].tensor == NULL
        || wg_dtype(ctx, results[2].tensor) != WG_FLOAT32
        || wg_rank(ctx, results[2].tensor) != 2
        || wg_size(ctx, results[2].tensor, 0) != 4
        || wg_size(ctx, results[2].tensor, 1) != 3
        || wg_stride(ctx, results[2].tensor, 0) != 3
        || wg_stride(ctx, results[2].tensor, 1) != 1
        || !wg_is_plain(ctx, results[2].tensor)) {
        status = wg_check_returned(ctx, &site_result_z, results[2].tensor, facts_x, 6);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

    /* outputs */
    if (results[2].tensor != NULL && wg_same(ctx, results[2].tensor, in_x)) {
        status = wg_fail_argument(ctx, &site_argument_z, "x", in_x);
        goto fail;
    }

}
