static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* synthetic_base_wrapper: graphs[0].synthetic_bases */

    /* synthetic_bases[0] merged */
    if (!wg_same_storage(ctx, in_head, in_tail)) {
        status = wg_fail(ctx, &site_storage_tail, -1, wg_value_tensor(in_head), wg_value_tensor(in_tail));
        goto fail;
    }
    status = wg_storage_base(ctx, in_head, &merged_merged);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_base_merged, status);
        goto fail;
    }


    /* runtime_wrapper_orchestration: graphs[0] */
    call_args[0].tensor = merged_merged;
    memcpy(&call_args[1], &args[3], 1 * sizeof *args);
    memcpy(&call_args[2], &args[0], 1 * sizeof *args);
    memcpy(&call_args[3], &args[2], 1 * sizeof *args);
    memcpy(&call_args[4], &args[1], 1 * sizeof *args);
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    memset(results, 0, 4 * sizeof *results);
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    num_results = 4;
    status = block_kernel(ctx, call_args, 5, results, &num_results);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
    }
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }
    if (num_results != 4) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(4), wg_value_integer((int64_t)num_results));
        goto fail;
    }

}
