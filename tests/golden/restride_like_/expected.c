static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* mutation_epilogue: graphs[0].inputs */

    /* inputs[0] x: float32[4, 3], mutated */
    status = wg_restride_like_(ctx, in_x, results[0].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_restride_x, status);
        goto fail;
    }

}
