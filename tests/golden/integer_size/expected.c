static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* arguments: graphs[0].inputs */

    /* inputs[0] x: float32[s0, 3] */
    WgTensor *const in_x = args[0].tensor;
    if (in_x == NULL
        || wg_dtype(ctx, in_x) != WG_FLOAT32
        || wg_rank(ctx, in_x) != 2
        || wg_size(ctx, in_x, 1) != 3
        || wg_stride(ctx, in_x, 0) != 3
        || wg_stride(ctx, in_x, 1) != 1
        || wg_offset(ctx, in_x) != 0
        || !wg_is_plain(ctx, in_x)) {
        status = wg_fail_tensor(ctx, &site_tensor_x, in_x, facts_x, 6);
        goto fail;
    }
    const int64_t sym_s0 = wg_size(ctx, in_x, 0);
    if (sym_s0 < 2) {
        status = wg_fail(ctx, &site_symbol0_x, 0, wg_value_integer(2), wg_value_integer(sym_s0));
        goto fail;
    }
    if (sym_s0 > 4096) {
        status = wg_fail(ctx, &site_symbol0_x, 0, wg_value_integer(4096), wg_value_integer(sym_s0));
        goto fail;
    }
    if (sym_s0 % 2 != 0) {
        status = wg_fail(ctx, &site_symbol0_x, 0, wg_value_integer(2), wg_value_integer(sym_s0));
        goto fail;
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

}
