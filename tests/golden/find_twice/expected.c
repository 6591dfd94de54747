static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* results: graphs[0].outputs */
    int same_object = 0;
    {
        static const uint32_t objects[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
        uint32_t seen[1U << 6] = { 0 }; /* one more than the index of an object */
        for (size_t i = 0; i < 17; i++) {
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
    const int same_15_y15 = same_object && outs[15].tensor != NULL;
    if (same_15_y15) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[15].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[15].tensor);
        outs[15].tensor = replacement;
    }
    const int same_16_y16 = same_object && outs[16].tensor != NULL;
    if (same_16_y16) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[16].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias, status);
            goto fail;
        }
        wg_release(ctx, outs[16].tensor);
        outs[16].tensor = replacement;
    }

}
