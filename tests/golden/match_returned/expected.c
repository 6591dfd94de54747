static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* results: graphs[0].outputs */

    /* outputs[0] y: float32[4, 3] */
    if (outs[0].tensor == NULL || !wg_matches(ctx, outs[0].tensor, facts_y, 7)) {
        status = wg_check_returned(ctx, &site_result_y, outs[0].tensor, facts_y, 7);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[1] z: int64[s0*2] */
    const int64_t int_2 = wg_mul(sym_s0, 2, &overflow);
    if (overflow) {
        status = wg_fail(ctx, &site_overflow_z, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    {
        const WgFact facts_z[] = {
            { WG_RULE_DTYPE, -1, WG_INT64 },
            { WG_RULE_RANK, -1, 1 },
            { WG_RULE_SIZE, 0, int_2 },
            { WG_RULE_STRIDE, 0, 1 },
        };
        if (outs[1].tensor == NULL || !wg_matches(ctx, outs[1].tensor, facts_z, 4)) {
            status = wg_check_returned(ctx, &site_result_z, outs[1].tensor, facts_z, 4);
            if (status != WG_OK) {
                goto fail;
            }
        }
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

    /* outputs */
    if (outs[0].tensor != NULL && wg_same(ctx, outs[0].tensor, in_x)) {
        status = wg_fail_argument(ctx, &site_argument_y, "x", in_x);
        goto fail;
    }
    if (outs[2].tensor != NULL && wg_same(ctx, outs[2].tensor, in_x)) {
        status = wg_fail_argument(ctx, &site_argument_w, "x", in_x);
        goto fail;
    }
    int same_0_w = outs[2].tensor != NULL && outs[0].tensor != NULL && wg_same(ctx, outs[2].tensor, outs[0].tensor);
    same_0_w = same_0_w || (outs[2].tensor != NULL && outs[1].tensor != NULL && wg_same(ctx, outs[2].tensor, outs[1].tensor));
    if (same_0_w) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[2].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_detach_w, status);
            goto fail;
        }
        wg_release(ctx, outs[2].tensor);
        outs[2].tensor = replacement;
    }

    /* outputs[2] w: tensor */
    if (outs[2].tensor == NULL) {
        status = wg_fail(ctx, &site_result_w, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }

}
