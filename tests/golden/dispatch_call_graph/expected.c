static int32_t demo_doubled_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* runtime_wrapper_orchestration: graphs[1] */
    memset(outs, 0, 2 * sizeof *outs);
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    num_results = 2;
    status = demo_twice(ctx, args, 2, outs, &num_results);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
    }
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }
    if (num_results != 2) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(2), wg_value_integer((int64_t)num_results));
        goto fail;
    }


    /* results: graphs[1].outputs */

    /* outputs[0] y: float32 */
    if (outs[0].tensor == NULL
        || wg_dtype(ctx, outs[0].tensor) != WG_FLOAT32
        || !wg_is_plain(ctx, outs[0].tensor)) {
        status = wg_check_returned(ctx, &site_result_y, outs[0].tensor, facts_y, 1);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* graphs[1] */
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

}

static int32_t demo_twice_run(WgContext *ctx, int32_t variant, const WgValue *values, WgValue *outs, size_t *num_outs)
{
    int32_t status = WG_E_INTERNAL;
    switch (variant) {
    case 0: { /* demo_double_row_boxed gets some of the arguments */
        const WgValue passed[] = { values[1], };
        status = demo_double_row_boxed(ctx, passed, 1, outs, 2);
        if (status == WG_OK) {
            *num_outs = 2;
        }
        break;
    }
    case 1:
        status = twice_any(ctx, values, 2, outs, num_outs);
        break;
    default:
        break;
    }
    return status;
}

int32_t demo_twice_call(WgContext *ctx, const demo_twice_args *args, demo_twice_outs *outs)
{
    static const WgSite site_read = { "twice", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    static const WgSite site_compiled = { "twice", NULL, "compiled", WG_E_COMPILED, WG_KIND_STATUS };
    static const WgSite site_outputs = { "twice", NULL, "outputs", WG_E_OUTPUTS, WG_KIND_INTEGER };
    static const WgSite site_result_y = { "twice", "y", "result", WG_E_RESULT, WG_KIND_NONE };
    int32_t status = WG_OK;
    size_t num_results = 0;
    WgValue call_args[2];
    WgValue results[3];
    if (args == NULL || outs == NULL) {
        return wg_fail_null(ctx, "twice", outs, sizeof *outs);
    }
    memset(outs, 0, sizeof *outs);

    /* kernels[0] */
    const int32_t variant = demo_twice_choose(ctx, args, &status);
    if (variant < 0) {
        status = demo_twice_missed(ctx, args, status);
        goto fail;
    }

    /* kernels[0].where[0] */
    const int64_t number_n = wg_size(ctx, args->x, 0);

    /* kernels[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    call_args[0].integer = args->count;
    call_args[1].tensor = args->x;
    memset(results, 0, 3 * sizeof *results);
    wg_error_clear(ctx);
    num_results = 3;
    status = demo_twice_run(ctx, variant, call_args, results, &num_results);
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }
    if (num_results != 2) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(2), wg_value_integer((int64_t)num_results));
        goto fail;
    }

    /* kernels[0].outputs[0] */
    if (results[0].tensor == NULL
        || wg_dtype(ctx, results[0].tensor) != WG_FLOAT32
        || wg_rank(ctx, results[0].tensor) != 2
        || wg_size(ctx, results[0].tensor, 0) != number_n
        || wg_size(ctx, results[0].tensor, 1) != 4
        || wg_stride(ctx, results[0].tensor, 0) != 4
        || wg_stride(ctx, results[0].tensor, 1) != 1
        || !wg_is_plain(ctx, results[0].tensor)) {
        const WgFact facts_y[] = {
            { WG_RULE_DTYPE, -1, WG_FLOAT32 },
            { WG_RULE_RANK, -1, 2 },
            { WG_RULE_SIZE, 0, number_n },
            { WG_RULE_SIZE, 1, 4 },
            { WG_RULE_STRIDE, 0, 4 },
            { WG_RULE_STRIDE, 1, 1 },
        };
        status = wg_check_returned(ctx, &site_result_y, results[0].tensor, facts_y, 6);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* kernels[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

    /* kernels[0].outputs[0] */
    outs->y = results[0].tensor;

    /* kernels[0].outputs[1] */
    outs->seen = results[1].integer;
    return WG_OK;

fail:
    wg_release_run(ctx, &results[0], wg_span(0, 1, num_results));
    return status;
}
