static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* arguments: graphs[0].inputs */

    /* inputs[0] x: float32[s0, 3] */
    WgTensor *const in_x = args[0].tensor;
    if (in_x == NULL
        || wg_dtype(ctx, in_x) != WG_FLOAT32
        || wg_rank(ctx, in_x) != 2
        || wg_size(ctx, in_x, 1) != 3
        || !wg_is_plain(ctx, in_x)) {
        status = wg_fail_tensor(ctx, &site_tensor_x, in_x, facts_x, 3);
        goto fail;
    }

    /* inputs[1] z: float32[s0*s0*3] */
    WgTensor *const in_z = args[1].tensor;
    if (in_z == NULL
        || wg_dtype(ctx, in_z) != WG_FLOAT32
        || wg_rank(ctx, in_z) != 1
        || !wg_is_plain(ctx, in_z)) {
        status = wg_fail_tensor(ctx, &site_tensor_z, in_z, facts_z, 2);
        goto fail;
    }

    /* inputs[0] x: float32[s0, 3] */
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

    /* inputs[1] z: float32[s0*s0*3] */
    const int64_t int_4 = wg_mul(sym_s0, sym_s0, &overflow);
    const int64_t int_3 = wg_mul(int_4, 3, &overflow);
    const int64_t size0_z = wg_size(ctx, in_z, 0);
    if (size0_z != int_3) {
        status = wg_fail(ctx, &site_size_z, 0, wg_value_integer(int_3), wg_value_integer(size0_z));
        goto fail;
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

}
