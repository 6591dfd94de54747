static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* mutation_epilogue: graphs[0].inputs */

    /* inputs[0] x: float32[4, 3], mutated */
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_x, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    status = wg_restride_like_(ctx, in_x, results[0].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_restride_x, status);
        goto fail;
    }
    status = wg_requires_grad(ctx, in_x) ? wg_copy_leaf_(ctx, in_x, results[0].tensor) : wg_copy_(ctx, in_x, results[0].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_copy_x, status);
        goto fail;
    }

}
