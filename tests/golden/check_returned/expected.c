static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs, demo_block_saved *saved)

    /* results: graphs[0].outputs */

    /* inputs[1] pair: tensor, mutated */
    if (results[1].tensor == NULL
        || wg_rank(ctx, results[1].tensor) != 1
        || wg_size(ctx, results[1].tensor, 0) != sym_s0
        || !wg_is_plain(ctx, results[1].tensor)) {
        const WgFact facts_5_a[] = {
            { WG_RULE_RANK, -1, 1 },
            { WG_RULE_SIZE, 0, sym_s0 },
        };
        status = wg_check_returned(ctx, &site_result_5_a, results[1].tensor, facts_5_a, 2);
        if (status != WG_OK) {
            goto fail;
        }
    }
    if (results[3].integer != sym_s0) {
        status = wg_fail(ctx, &site_size_6_pair, 0, wg_value_integer(sym_s0), wg_value_integer(results[3].integer));
        goto fail;
    }

    /* outputs[0] plain: float32[s0, 1, 3] */
    if (results[4].tensor == NULL
        || wg_dtype(ctx, results[4].tensor) != WG_FLOAT32
        || wg_rank(ctx, results[4].tensor) != 3
        || wg_size(ctx, results[4].tensor, 0) != sym_s0
        || wg_size(ctx, results[4].tensor, 1) != 1
        || wg_size(ctx, results[4].tensor, 2) != 3
        || wg_stride(ctx, results[4].tensor, 0) != 3
        || wg_stride(ctx, results[4].tensor, 2) != 1
        || wg_offset(ctx, results[4].tensor) != 7
        || wg_device(ctx, results[4].tensor) / 256 != WG_CUDA
        || !wg_is_plain(ctx, results[4].tensor)) {
        const WgFact facts_plain[] = {
            { WG_RULE_DTYPE, -1, WG_FLOAT32 },
            { WG_RULE_RANK, -1, 3 },
            { WG_RULE_SIZE, 0, sym_s0 },
            { WG_RULE_SIZE, 1, 1 },
            { WG_RULE_SIZE, 2, 3 },
            { WG_RULE_STRIDE, 0, 3 },
            { WG_RULE_STRIDE, 2, 1 },
            { WG_RULE_OFFSET, -1, 7 },
            { WG_RULE_DEVICE_TYPE, -1, WG_CUDA },
        };
        status = wg_check_returned(ctx, &site_result_plain, results[4].tensor, facts_plain, 9);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[1] lone: tensor[s0*3] */
    const int64_t int_9 = wg_mul(sym_s0, 3, &overflow);
    if (overflow) {
        status = wg_fail(ctx, &site_overflow_lone, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (results[5].tensor == NULL
        || wg_rank(ctx, results[5].tensor) != 1
        || wg_size(ctx, results[5].tensor, 0) != int_9
        || !wg_is_plain(ctx, results[5].tensor)) {
        const WgFact facts_lone[] = {
            { WG_RULE_RANK, -1, 1 },
            { WG_RULE_SIZE, 0, int_9 },
        };
        status = wg_check_returned(ctx, &site_result_lone, results[5].tensor, facts_lone, 2);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[3] view: float32[s0], aliases x */
    if (results[7].tensor == NULL
        || wg_dtype(ctx, results[7].tensor) != WG_FLOAT32
        || wg_rank(ctx, results[7].tensor) != 1
        || wg_size(ctx, results[7].tensor, 0) != sym_s0
        || wg_stride(ctx, results[7].tensor, 0) != 3
        || wg_offset(ctx, results[7].tensor) != 1
        || !wg_is_plain(ctx, results[7].tensor)) {
        const WgFact facts_view[] = {
            { WG_RULE_DTYPE, -1, WG_FLOAT32 },
            { WG_RULE_RANK, -1, 1 },
            { WG_RULE_SIZE, 0, sym_s0 },
            { WG_RULE_STRIDE, 0, 3 },
            { WG_RULE_OFFSET, -1, 1 },
        };
        status = wg_check_returned(ctx, &site_result_view, results[7].tensor, facts_view, 5);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* outputs[5] both: tensor */
    if (results[9].tensor == NULL
        || wg_rank(ctx, results[9].tensor) != 2
        || wg_size(ctx, results[9].tensor, 0) != sym_s0
        || wg_size(ctx, results[9].tensor, 1) != 3
        || wg_stride(ctx, results[9].tensor, 0) != 3
        || wg_stride(ctx, results[9].tensor, 1) != 1
        || !wg_is_plain(ctx, results[9].tensor)) {
        const WgFact facts_7_a[] = {
            { WG_RULE_RANK, -1, 2 },
            { WG_RULE_SIZE, 0, sym_s0 },
            { WG_RULE_SIZE, 1, 3 },
            { WG_RULE_STRIDE, 0, 3 },
            { WG_RULE_STRIDE, 1, 1 },
        };
        status = wg_check_returned(ctx, &site_result_7_a, results[9].tensor, facts_7_a, 5);
        if (status != WG_OK) {
            goto fail;
        }
    }
    if (results[11].integer != sym_s0) {
        status = wg_fail(ctx, &site_size_8_both, 0, wg_value_integer(sym_s0), wg_value_integer(results[11].integer));
        goto fail;
    }

    /* intermediate_bases[0] hidden: float32[s0*2, 3] */
    const int64_t int_11 = wg_mul(sym_s0, 2, &overflow);
    if (overflow) {
        status = wg_fail(ctx, &site_overflow_hidden, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (results[12].tensor == NULL
        || wg_dtype(ctx, results[12].tensor) != WG_FLOAT32
        || wg_rank(ctx, results[12].tensor) != 2
        || wg_size(ctx, results[12].tensor, 0) != int_11
        || wg_size(ctx, results[12].tensor, 1) != 3
        || wg_stride(ctx, results[12].tensor, 0) != 3
        || wg_stride(ctx, results[12].tensor, 1) != 1
        || wg_offset(ctx, results[12].tensor) != 0
        || wg_device(ctx, results[12].tensor) != WG_CUDA * 256
        || !wg_is_plain(ctx, results[12].tensor)) {
        const WgFact facts_hidden[] = {
            { WG_RULE_DTYPE, -1, WG_FLOAT32 },
            { WG_RULE_RANK, -1, 2 },
            { WG_RULE_SIZE, 0, int_11 },
            { WG_RULE_SIZE, 1, 3 },
            { WG_RULE_STRIDE, 0, 3 },
            { WG_RULE_STRIDE, 1, 1 },
            { WG_RULE_OFFSET, -1, 0 },
            { WG_RULE_DEVICE, -1, WG_CUDA * 256 },
        };
        status = wg_check_returned(ctx, &site_result_hidden, results[12].tensor, facts_hidden, 8);
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


    /* results: graphs[0].outputs */
    if (results[6].tensor != NULL && wg_same(ctx, results[6].tensor, in_x)) {
        status = wg_fail_argument(ctx, &site_argument_unknown, "x", in_x);
        goto fail;
    }

    /* outputs[3] view: float32[s0], aliases x */
    if (!wg_same_storage(ctx, results[7].tensor, in_x)) {
        status = wg_fail(ctx, &site_storage_view, -1, wg_value_tensor(results[7].tensor), wg_value_tensor(in_x));
        goto fail;
    }

}
