static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* runtime_wrapper_orchestration: graphs[0] */
    scratch = wg_scratch_take(ctx, 258);
    if (scratch == NULL) {
        status = wg_fail(ctx, &site_scratch, -1, wg_value_integer(258), wg_value_integer(0));
        goto fail;
    }
    results = scratch + 0;
    memset(results, 0, 258 * sizeof *results);
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    num_results = 258;
    status = block_kernel(ctx, args, 1, results, &num_results);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
    }
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }
    if (num_results != 258) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(258), wg_value_integer((int64_t)num_results));
        goto fail;
    }

}
