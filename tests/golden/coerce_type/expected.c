static int32_t demo_block_backward_core(WgContext *ctx, const demo_block_saved *saved, const WgValue *args, WgValue *outs)

    /* backward_prologue: graphs[0].backward */

    /* saved */
    for (size_t i = 0; i < 1; i++) {
        const int64_t version = saved->tensors[i] != NULL ? wg_version(ctx, saved->tensors[i]) : -1;
        if (version != saved->versions[i]) {
            status = wg_fail(ctx, &site_version, (int32_t)i, wg_value_integer(saved->versions[i]), wg_value_integer(version));
            goto fail;
        }
    }

    /* backward.tangents[0] of y */
    WgTensor *const tangent_y = args[0].tensor;
    if (tangent_y != NULL && (!wg_is_type(ctx, tangent_y, &TwoTensor) || !wg_has_context(ctx, tangent_y, y_ctx))) {
        status = wg_coerce_tangent(ctx, tangent_y, &TwoTensor, y_ctx, &turned_y);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_turn_y, status);
            goto fail;
        }
        if (turned_y == NULL && wg_is_type(ctx, tangent_y, &TwoTensor)) {
            status = wg_fail(ctx, &site_context_y, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
            goto fail;
        }
    }
    WgTensor *const seen_y = turned_y != NULL ? turned_y : tangent_y;
    if (seen_y == NULL || !wg_is_type(ctx, seen_y, &TwoTensor)) {
        status = wg_fail_type(ctx, &site_tangent_y, seen_y, &TwoTensor);
        goto fail;
    }

    /* backward */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }


    /* backward_prologue: graphs[0].backward */

    /* backward.tangents[0] of y */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

    /* saved */
    wg_pack(&call_args[0], saved->tensors, sizeof call_args->tensor, 1);

    /* backward.tangents */
    call_args[1].tensor = dense_0_a;
    call_args[2].tensor = dense_1_b;

}
