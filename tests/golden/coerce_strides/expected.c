static int32_t demo_block_backward_core(WgContext *ctx, const demo_block_saved *saved, const WgValue *args, WgValue *outs)

    /* backward_prologue: graphs[0].backward */

    /* saved */
    for (size_t i = 0; i < 2; i++) {
        const int64_t version = saved->tensors[i] != NULL ? wg_version(ctx, saved->tensors[i]) : -1;
        if (version != saved->versions[i]) {
            status = wg_fail(ctx, &site_version, (int32_t)i, wg_value_integer(saved->versions[i]), wg_value_integer(version));
            goto fail;
        }
    }

    /* backward.tangents[0] of y */
    WgTensor *const tangent_y = args[0].tensor;
    if (tangent_y != NULL && !wg_is_plain(ctx, tangent_y)) {
        status = wg_coerce_tangent(ctx, tangent_y, NULL, NULL, &turned_y);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_turn_y, status);
            goto fail;
        }
    }
    WgTensor *const seen_y = turned_y != NULL ? turned_y : tangent_y;
    if (seen_y != NULL && !wg_is_plain(ctx, seen_y)) {
        status = wg_fail_tensor(ctx, &site_tangent_y, seen_y, NULL, 0);
        goto fail;
    }

    /* backward */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

    /* backward.tangents[0] of y */
    const int64_t arg_device_y = saved->shapes[0];
    if (seen_y == NULL) {
        const int64_t sizes[] = { 4, 3 };
        status = wg_zeros(ctx, sizes, 2, (int32_t)WG_FLOAT32, (int32_t)arg_device_y, &zeros_y);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_zeros_y, status);
            goto fail;
        }
    }
    WgTensor *const given_y = seen_y != NULL ? seen_y : zeros_y;
    if (given_y != NULL) {
        static const int64_t sizes[] = { 4, 3 };
        static const int64_t strides[] = { 1, 4 };
        static const WgGeometry geometry = {sizes, strides, 0, 2};
        status = wg_coerce_strides(ctx, given_y, &geometry, &dense_y);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_coerce_y, status);
            goto fail;
        }
    }
    wg_release(ctx, zeros_y);
    zeros_y = NULL;

    /* saved */
    wg_pack(&call_args[0], saved->symints, sizeof call_args->integer, 1);
    wg_pack(&call_args[1], saved->tensors, sizeof call_args->tensor, 2);
    wg_pack(&call_args[3], saved->unchecked, sizeof call_args->tensor, 1);

    /* backward.tangents */
    call_args[4].tensor = dense_y;

}

static int32_t demo_pair_backward_core(WgContext *ctx, const demo_pair_saved *saved, const WgValue *args, WgValue *outs)

    /* backward_subclass_unwrap: graphs[1].backward.tangents[0] */
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
        static const int64_t sizes[] = { 4, 3 };
        static const int64_t strides[] = { 1, 4 };
        static const WgGeometry geometry = {sizes, strides, 0, 2};
        status = wg_coerce_strides(ctx, seen_0_a, &geometry, &dense_0_a);
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

}
