static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* mutation_epilogue: graphs[0].inputs */

    /* inputs[0] x: float32[4, 3], mutated */
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_x, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    status = wg_copy_(ctx, in_x, results[0].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_copy_x, status);
        goto fail;
    }

}
