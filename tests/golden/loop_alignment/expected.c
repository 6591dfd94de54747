static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)
{
    static const WgSite site_read = { "block", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    static const WgSite site_compiled = { "block", NULL, "compiled", WG_E_COMPILED, WG_KIND_STATUS };
    static const WgSite site_outputs = { "block", NULL, "outputs", WG_E_OUTPUTS, WG_KIND_INTEGER };
    static const WgSite run0_sites1[] = {
        { "block", "a", "tensor", WG_E_TYPE, WG_KIND_NONE },
        { "block", "b", "tensor", WG_E_TYPE, WG_KIND_NONE },
    };
    static const WgFact run0_facts0[][5] = {
        { { WG_RULE_DTYPE, -1, WG_FLOAT32 }, { WG_RULE_RANK, -1, 1 }, { WG_RULE_SIZE, 0, 4 }, { WG_RULE_STRIDE, 0, 1 }, { WG_RULE_ALIGNMENT, -1, 4 }, },
        { { WG_RULE_DTYPE, -1, WG_FLOAT64 }, { WG_RULE_RANK, -1, 1 }, { WG_RULE_SIZE, 0, 4 }, { WG_RULE_STRIDE, 0, 1 }, { WG_RULE_ALIGNMENT, -1, 8 }, },
    };
    int32_t status = WG_OK;
    size_t num_results = 0;

    /* arguments: graphs[0].inputs */

    /* graphs[0].inputs[0] ... graphs[0].inputs[1] */
    for (size_t i = 0; i < 2; i++) {
        WgTensor *const run0_in = args[i].tensor;
        if (run0_in == NULL
            || wg_dtype(ctx, run0_in) != run0_facts0[i][0].expected
            || wg_rank(ctx, run0_in) != run0_facts0[i][1].expected
            || wg_size(ctx, run0_in, 0) != run0_facts0[i][2].expected
            || wg_stride(ctx, run0_in, 0) != run0_facts0[i][3].expected
            || (int64_t)(uintptr_t)wg_data(ctx, run0_in) % run0_facts0[i][4].expected != 0
            || !wg_is_plain(ctx, run0_in)) {
            status = wg_fail_tensor(ctx, &run0_sites1[i], run0_in, run0_facts0[i], 5);
            goto fail;
        }
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

    /* runtime_wrapper_orchestration: graphs[0] */
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    num_results = 0;
    status = block_kernel(ctx, args, 2, outs, &num_results);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
    }
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }
    if (num_results != 0) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(0), wg_value_integer((int64_t)num_results));
        goto fail;
    }
    return WG_OK;

fail:
    (void)num_results;
    (void)outs;
    return status;
}
