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

    /* backward.deterministic */
    if (wg_deterministic(ctx)) {
        status = wg_fail(ctx, &site_deterministic, -1, wg_value_integer(0), wg_value_integer(1));
        goto fail;
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
        status = wg_contiguous(ctx, given_y, WG_CONTIGUOUS, &dense_y);
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
