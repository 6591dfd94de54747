static int32_t demo_first_core(WgContext *ctx, const WgValue *args, WgValue *outs, demo_first_saved_shared *saved, const struct demo_first_own *own)

    /* saved: graphs[0].saved */
    if (results[1].tensor == NULL) {
        status = wg_fail(ctx, &site_result, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_is_view(ctx, results[1].tensor)) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, results[1].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_detach, status);
            goto fail;
        }
        wg_release(ctx, results[1].tensor);
        results[1].tensor = replacement;
    }
    saved->versions[0] = wg_version(ctx, results[1].tensor);


    /* saved: graphs[0].backward.tangents */

    /* backward.tangents[0] of y */
    saved->shapes[0] = wg_device(ctx, results[0].tensor);


    /* delivery: graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    outs[0].tensor = results[0].tensor;
    saved->tensors[0] = results[1].tensor;
    saved->symints[0] = results[2].integer;
    return WG_OK;

}

int32_t demo_first(WgContext *ctx, const demo_first_inputs *in, demo_first_outputs *out, demo_first_saved *saved)
{
    if (in == NULL || out == NULL || saved == NULL) {
        if (saved != NULL) {
            memset(saved, 0, sizeof *saved);
        }
        return wg_fail_null(ctx, "first", out, sizeof *out);
    }
    return demo_first_core(ctx, (const WgValue *)in, (WgValue *)out, (demo_first_saved_shared *)saved, &demo_first_own);
}

static int32_t demo_first_backward_core(WgContext *ctx, const demo_first_saved_shared *saved, const WgValue *args, WgValue *outs, const struct demo_first_backward_own *own)

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
        const int64_t sizes[] = { 3 };
        status = wg_zeros(ctx, sizes, 1, (int32_t)WG_FLOAT32, (int32_t)arg_device_y, &zeros_y);
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
    wg_pack(&call_args[1], saved->tensors, sizeof call_args->tensor, 1);

    /* backward.tangents */
    call_args[2].tensor = dense_y;

}

int32_t demo_first_backward(WgContext *ctx, const demo_first_saved *saved, const demo_first_tangents *tangents, demo_first_gradients *out)
{
    if (saved == NULL || tangents == NULL || out == NULL) {
        return wg_fail_null(ctx, "first", out, sizeof *out);
    }
    return demo_first_backward_core(ctx, (const demo_first_saved_shared *)saved, (const WgValue *)tangents, (WgValue *)out, &demo_first_backward_own);
}

int32_t demo_second(WgContext *ctx, const demo_second_inputs *in, demo_second_outputs *out, demo_second_saved *saved)
{
    if (in == NULL || out == NULL || saved == NULL) {
        if (saved != NULL) {
            memset(saved, 0, sizeof *saved);
        }
        return wg_fail_null(ctx, "second", out, sizeof *out);
    }
    return demo_first_core(ctx, (const WgValue *)in, (WgValue *)out, (demo_first_saved_shared *)saved, &demo_second_own);
}

int32_t demo_second_backward(WgContext *ctx, const demo_second_saved *saved, const demo_second_tangents *tangents, demo_second_gradients *out)
{
    if (saved == NULL || tangents == NULL || out == NULL) {
        return wg_fail_null(ctx, "second", out, sizeof *out);
    }
    return demo_first_backward_core(ctx, (const demo_first_saved_shared *)saved, (const WgValue *)tangents, (WgValue *)out, &demo_second_backward_own);
}
