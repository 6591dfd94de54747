static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* results: graphs[0].outputs */

    /* outputs[0] y0: float32[2] */
    if (outs[0].tensor == NULL
        || wg_dtype(ctx, outs[0].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[0].tensor) != 1
        || wg_size(ctx, outs[0].tensor, 0) != 2
        || wg_stride(ctx, outs[0].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[0].tensor)) {
        status = wg_check_returned(ctx, &site_result_y0, outs[0].tensor, facts_x, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[1] y1: float32[2] */
    if (outs[1].tensor == NULL
        || wg_dtype(ctx, outs[1].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[1].tensor) != 1
        || wg_size(ctx, outs[1].tensor, 0) != 2
        || wg_stride(ctx, outs[1].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[1].tensor)) {
        status = wg_check_returned(ctx, &site_result_y1, outs[1].tensor, facts_x, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[2] y2: float32[2] */
    if (outs[2].tensor == NULL
        || wg_dtype(ctx, outs[2].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[2].tensor) != 1
        || wg_size(ctx, outs[2].tensor, 0) != 2
        || wg_stride(ctx, outs[2].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[2].tensor)) {
        status = wg_check_returned(ctx, &site_result_y2, outs[2].tensor, facts_x, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[3] y3: float32[2] */
    if (outs[3].tensor == NULL
        || wg_dtype(ctx, outs[3].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[3].tensor) != 1
        || wg_size(ctx, outs[3].tensor, 0) != 2
        || wg_stride(ctx, outs[3].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[3].tensor)) {
        status = wg_check_returned(ctx, &site_result_y3, outs[3].tensor, facts_x, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[4] y4: float32[2] */
    if (outs[4].tensor == NULL
        || wg_dtype(ctx, outs[4].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[4].tensor) != 1
        || wg_size(ctx, outs[4].tensor, 0) != 2
        || wg_stride(ctx, outs[4].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[4].tensor)) {
        status = wg_check_returned(ctx, &site_result_y4, outs[4].tensor, facts_x, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[5] y5: float32[2] */
    if (outs[5].tensor == NULL
        || wg_dtype(ctx, outs[5].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[5].tensor) != 1
        || wg_size(ctx, outs[5].tensor, 0) != 2
        || wg_stride(ctx, outs[5].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[5].tensor)) {
        status = wg_check_returned(ctx, &site_result_y5, outs[5].tensor, facts_x, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[6] y6: float32[2] */
    if (outs[6].tensor == NULL
        || wg_dtype(ctx, outs[6].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[6].tensor) != 1
        || wg_size(ctx, outs[6].tensor, 0) != 2
        || wg_stride(ctx, outs[6].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[6].tensor)) {
        status = wg_check_returned(ctx, &site_result_y6, outs[6].tensor, facts_x, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[7] y7: float32[2] */
    if (outs[7].tensor == NULL
        || wg_dtype(ctx, outs[7].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[7].tensor) != 1
        || wg_size(ctx, outs[7].tensor, 0) != 2
        || wg_stride(ctx, outs[7].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[7].tensor)) {
        status = wg_check_returned(ctx, &site_result_y7, outs[7].tensor, facts_x, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[8] y8: float32[2] */
    if (outs[8].tensor == NULL
        || wg_dtype(ctx, outs[8].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[8].tensor) != 1
        || wg_size(ctx, outs[8].tensor, 0) != 2
        || wg_stride(ctx, outs[8].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[8].tensor)) {
        status = wg_check_returned(ctx, &site_result_y8, outs[8].tensor, facts_x, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[9] y9: float32[2] */
    if (outs[9].tensor == NULL
        || wg_dtype(ctx, outs[9].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[9].tensor) != 1
        || wg_size(ctx, outs[9].tensor, 0) != 2
        || wg_stride(ctx, outs[9].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[9].tensor)) {
        status = wg_check_returned(ctx, &site_result_y9, outs[9].tensor, facts_x, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[10] y10: float32[2] */
    if (outs[10].tensor == NULL
        || wg_dtype(ctx, outs[10].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[10].tensor) != 1
        || wg_size(ctx, outs[10].tensor, 0) != 2
        || wg_stride(ctx, outs[10].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[10].tensor)) {
        status = wg_check_returned(ctx, &site_result_y10, outs[10].tensor, facts_x, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[11] y11: float32[2] */
    if (outs[11].tensor == NULL
        || wg_dtype(ctx, outs[11].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[11].tensor) != 1
        || wg_size(ctx, outs[11].tensor, 0) != 2
        || wg_stride(ctx, outs[11].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[11].tensor)) {
        status = wg_check_returned(ctx, &site_result_y11, outs[11].tensor, facts_x, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[12] y12: float32[2] */
    if (outs[12].tensor == NULL
        || wg_dtype(ctx, outs[12].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[12].tensor) != 1
        || wg_size(ctx, outs[12].tensor, 0) != 2
        || wg_stride(ctx, outs[12].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[12].tensor)) {
        status = wg_check_returned(ctx, &site_result_y12, outs[12].tensor, facts_x, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[13] y13: float32[2] */
    if (outs[13].tensor == NULL
        || wg_dtype(ctx, outs[13].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[13].tensor) != 1
        || wg_size(ctx, outs[13].tensor, 0) != 2
        || wg_stride(ctx, outs[13].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[13].tensor)) {
        status = wg_check_returned(ctx, &site_result_y13, outs[13].tensor, facts_x, 4);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[14] y14: float32[2] */
    if (outs[14].tensor == NULL
        || wg_dtype(ctx, outs[14].tensor) != WG_FLOAT32
        || wg_rank(ctx, outs[14].tensor) != 1
        || wg_size(ctx, outs[14].tensor, 0) != 2
        || wg_stride(ctx, outs[14].tensor, 0) != 1
        || !wg_is_plain(ctx, outs[14].tensor)) {
        status = wg_check_returned(ctx, &site_result_y14, outs[14].tensor, facts_x, 4);
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
    int same_object = 0;
    {
        static const uint32_t objects[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
        uint32_t seen[1U << 6] = { 0 }; /* one more than the index of an object */
        for (size_t i = 0; i < 16; i++) {
            const WgTensor *const object = outs[objects[i]].tensor;
            if (object == NULL) {
                continue;
            }
            size_t place = wg_seen_place(6, wg_sizes(ctx, object));
            for (uint32_t k = seen[place]; k != 0 && !same_object; k = seen[place]) {
                const WgTensor *const other = outs[objects[k - 1]].tensor;
                same_object = other != NULL && wg_same(ctx, object, other);
                place = wg_seen_next(6, place);
            }
            if (same_object) {
                break;
            }
            seen[place] = (uint32_t)i + 1;
        }
        static const uint32_t arguments[] = { 0 };
        for (size_t i = 0; i < 1 && !same_object; i++) {
            const WgTensor *const argument = args[arguments[i]].tensor;
            if (argument == NULL) {
                continue;
            }
            size_t place = wg_seen_place(6, wg_sizes(ctx, argument));
            for (uint32_t k = seen[place]; k != 0 && !same_object; k = seen[place]) {
                const WgTensor *const object = outs[objects[k - 1]].tensor;
                same_object = object != NULL && wg_same(ctx, object, argument);
                place = wg_seen_next(6, place);
            }
        }
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[0].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[0].tensor);
        outs[0].tensor = replacement;
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[1].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[1].tensor);
        outs[1].tensor = replacement;
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[2].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[2].tensor);
        outs[2].tensor = replacement;
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[3].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[3].tensor);
        outs[3].tensor = replacement;
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[4].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[4].tensor);
        outs[4].tensor = replacement;
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[5].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[5].tensor);
        outs[5].tensor = replacement;
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[6].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[6].tensor);
        outs[6].tensor = replacement;
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[7].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[7].tensor);
        outs[7].tensor = replacement;
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[8].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[8].tensor);
        outs[8].tensor = replacement;
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[9].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[9].tensor);
        outs[9].tensor = replacement;
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[10].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[10].tensor);
        outs[10].tensor = replacement;
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[11].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[11].tensor);
        outs[11].tensor = replacement;
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[12].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[12].tensor);
        outs[12].tensor = replacement;
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[13].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[13].tensor);
        outs[13].tensor = replacement;
    }
    if (same_object) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[14].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[14].tensor);
        outs[14].tensor = replacement;
    }
    const int same_0_y15 = same_object && outs[15].tensor != NULL;
    if (same_0_y15) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[15].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[15].tensor);
        outs[15].tensor = replacement;
    }

    /* outputs[15] y15: tensor */
    if (outs[15].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y15, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

}
