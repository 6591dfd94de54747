static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* results: graphs[0].outputs */
    int same_object = 0;
    {
        static const uint32_t objects[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };
        uint32_t seen[1U << 6] = { 0 }; /* one more than the index of an object */
        for (size_t i = 0; i < 15; i++) {
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
    }
    if (!same_object) {
        static const uint32_t objects[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };
        const WgTensor *const tensors[] = {
            merged_base0,
            merged_base1,
            merged_base2,
            merged_base3,
        };
        uint32_t seen[1U << 6] = { 0 }; /* one more than the index of a tensor */
        for (size_t i = 0; i < 4; i++) {
            size_t place = wg_seen_place(6, wg_sizes(ctx, tensors[i]));
            while (seen[place] != 0) {
                place = wg_seen_next(6, place);
            }
            seen[place] = (uint32_t)i + 1;
        }
        for (size_t i = 0; i < 15 && !same_object; i++) {
            const WgTensor *const object = outs[objects[i]].tensor;
            if (object == NULL) {
                continue;
            }
            size_t place = wg_seen_place(6, wg_sizes(ctx, object));
            for (uint32_t k = seen[place]; k != 0 && !same_object; k = seen[place]) {
                same_object = wg_same(ctx, object, tensors[k - 1]);
                place = wg_seen_next(6, place);
            }
        }
    }
    const int same_0_y0 = same_object && outs[0].tensor != NULL;
    if (same_0_y0) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[0].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[0].tensor);
        outs[0].tensor = replacement;
    }
    const int same_1_y1 = same_object && outs[1].tensor != NULL;
    if (same_1_y1) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[1].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[1].tensor);
        outs[1].tensor = replacement;
    }
    const int same_2_y2 = same_object && outs[2].tensor != NULL;
    if (same_2_y2) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[2].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[2].tensor);
        outs[2].tensor = replacement;
    }
    const int same_3_y3 = same_object && outs[3].tensor != NULL;
    if (same_3_y3) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[3].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[3].tensor);
        outs[3].tensor = replacement;
    }
    const int same_4_y4 = same_object && outs[4].tensor != NULL;
    if (same_4_y4) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[4].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[4].tensor);
        outs[4].tensor = replacement;
    }
    const int same_5_y5 = same_object && outs[5].tensor != NULL;
    if (same_5_y5) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[5].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[5].tensor);
        outs[5].tensor = replacement;
    }
    const int same_6_y6 = same_object && outs[6].tensor != NULL;
    if (same_6_y6) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[6].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[6].tensor);
        outs[6].tensor = replacement;
    }
    const int same_7_y7 = same_object && outs[7].tensor != NULL;
    if (same_7_y7) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[7].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[7].tensor);
        outs[7].tensor = replacement;
    }
    const int same_8_y8 = same_object && outs[8].tensor != NULL;
    if (same_8_y8) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[8].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[8].tensor);
        outs[8].tensor = replacement;
    }
    const int same_9_y9 = same_object && outs[9].tensor != NULL;
    if (same_9_y9) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[9].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[9].tensor);
        outs[9].tensor = replacement;
    }
    const int same_10_y10 = same_object && outs[10].tensor != NULL;
    if (same_10_y10) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[10].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[10].tensor);
        outs[10].tensor = replacement;
    }
    const int same_11_y11 = same_object && outs[11].tensor != NULL;
    if (same_11_y11) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[11].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[11].tensor);
        outs[11].tensor = replacement;
    }
    const int same_12_y12 = same_object && outs[12].tensor != NULL;
    if (same_12_y12) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[12].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[12].tensor);
        outs[12].tensor = replacement;
    }
    const int same_13_y13 = same_object && outs[13].tensor != NULL;
    if (same_13_y13) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[13].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[13].tensor);
        outs[13].tensor = replacement;
    }
    const int same_14_y14 = same_object && outs[14].tensor != NULL;
    if (same_14_y14) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[14].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[14].tensor);
        outs[14].tensor = replacement;
    }

    /* outputs[0] y0: tensor */
    if (outs[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y0, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* outputs[1] y1: tensor */
    if (outs[1].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y1, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* outputs[2] y2: tensor */
    if (outs[2].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y2, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* outputs[3] y3: tensor */
    if (outs[3].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y3, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* outputs[4] y4: tensor */
    if (outs[4].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y4, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* outputs[5] y5: tensor */
    if (outs[5].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y5, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* outputs[6] y6: tensor */
    if (outs[6].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y6, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* outputs[7] y7: tensor */
    if (outs[7].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y7, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* outputs[8] y8: tensor */
    if (outs[8].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y8, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* outputs[9] y9: tensor */
    if (outs[9].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y9, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* outputs[10] y10: tensor */
    if (outs[10].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y10, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* outputs[11] y11: tensor */
    if (outs[11].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y11, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* outputs[12] y12: tensor */
    if (outs[12].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y12, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* outputs[13] y13: tensor */
    if (outs[13].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y13, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

    /* outputs[14] y14: tensor */
    if (outs[14].tensor == NULL) {
        status = wg_fail(ctx, &site_result_y14, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

}
