static int32_t demo_block_backward_core(WgContext *ctx, const demo_block_saved *saved, const WgValue *args, WgValue *outs)

    /* backward_subclass_unwrap: graphs[0].backward.tangents[0] */
    if (seen_y != NULL) {
        status = wg_contiguous(ctx, seen_y, WG_CONTIGUOUS, &dense_y);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_coerce_y, status);
            goto fail;
        }
    }
    WgTensor *attr0_a = NULL;
    status = dense_y != NULL ? wg_attr(ctx, dense_y, 0, &attr0_a) : 0;
    if (status != 0) {
        status = wg_fail_host(ctx, &site_attr_0_a, status);
        goto fail;
    }
    if (attr0_a != NULL && !wg_is_plain(ctx, attr0_a)) {
        status = wg_coerce_tangent(ctx, attr0_a, NULL, NULL, &turned_0_a);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_turn_0_a, status);
            goto fail;
        }
    }
    WgTensor *const seen_0_a = turned_0_a != NULL ? turned_0_a : attr0_a;
    if (seen_0_a != NULL && !wg_is_plain(ctx, seen_0_a)) {
        status = wg_fail_tensor(ctx, &site_tangent_0_a, seen_0_a, NULL, 0);
        goto fail;
    }
    if (seen_0_a != NULL) {
        status = wg_contiguous(ctx, seen_0_a, WG_CONTIGUOUS, &dense_0_a);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_coerce_0_a, status);
            goto fail;
        }
    }
    WgTensor *attr1_b = NULL;
    status = dense_y != NULL ? wg_attr(ctx, dense_y, 1, &attr1_b) : 0;
    if (status != 0) {
        status = wg_fail_host(ctx, &site_attr_1_b, status);
        goto fail;
    }
    if (attr1_b != NULL && !wg_is_plain(ctx, attr1_b)) {
        status = wg_coerce_tangent(ctx, attr1_b, NULL, NULL, &turned_1_b);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_turn_1_b, status);
            goto fail;
        }
    }
    WgTensor *const seen_1_b = turned_1_b != NULL ? turned_1_b : attr1_b;
    if (seen_1_b != NULL && !wg_is_plain(ctx, seen_1_b)) {
        status = wg_fail_tensor(ctx, &site_tangent_1_b, seen_1_b, NULL, 0);
        goto fail;
    }
    if (seen_1_b != NULL) {
        status = wg_contiguous(ctx, seen_1_b, WG_CONTIGUOUS, &dense_1_b);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_coerce_1_b, status);
            goto fail;
        }
    }
    if (dense_y != NULL && wg_rank(ctx, dense_y) != 1) {
        status = wg_fail(ctx, &site_rank_y, -1, wg_value_integer(1), wg_value_integer(wg_rank(ctx, dense_y)));
        goto fail;
    }
    const int64_t arg_size0_y = dense_y != NULL ? wg_size(ctx, dense_y, 0) : 0;

}
