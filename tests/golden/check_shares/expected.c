static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* results: graphs[0].outputs */

    /* outputs[0] y: tensor[2], aliases x */
    if (results[2].tensor == NULL
        || wg_rank(ctx, results[2].tensor) != 1
        || wg_size(ctx, results[2].tensor, 0) != 2
        || wg_stride(ctx, results[2].tensor, 0) != 1
        || !wg_is_plain(ctx, results[2].tensor)) {
        status = wg_check_returned(ctx, &site_result_y, results[2].tensor, facts_y, 3);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[1] part: tensor[2], aliases m */
    if (results[3].tensor == NULL
        || wg_rank(ctx, results[3].tensor) != 1
        || wg_size(ctx, results[3].tensor, 0) != 2
        || !wg_is_plain(ctx, results[3].tensor)) {
        status = wg_check_returned(ctx, &site_result_part, results[3].tensor, facts_part, 2);
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

    /* inputs[2] t: float32[4, 3], mutated */
    if (results[1].tensor == NULL) {
        status = wg_fail(ctx, &site_result_t, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (!wg_same_storage(ctx, results[1].tensor, in_t)) {
        status = wg_fail(ctx, &site_storage_t, -1, wg_value_tensor(results[1].tensor), wg_value_tensor(in_t));
        goto fail;
    }

    /* outputs[0] y: tensor[2], aliases x */
    if (!wg_same_storage(ctx, results[2].tensor, in_x)) {
        status = wg_fail(ctx, &site_storage_y, -1, wg_value_tensor(results[2].tensor), wg_value_tensor(in_x));
        goto fail;
    }

    /* outputs[1] part: tensor[2], aliases m */
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_m, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (!wg_same_storage(ctx, results[3].tensor, in_m) && !wg_same_storage(ctx, results[3].tensor, results[0].tensor)) {
        status = wg_fail(ctx, &site_storage_part, -1, wg_value_tensor(results[3].tensor), wg_value_tensor(in_m));
        goto fail;
    }

}
