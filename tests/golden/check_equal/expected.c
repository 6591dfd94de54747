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

    /* inputs[1] z: float32[s0, 3] */
    WgTensor *const in_z = args[1].tensor;
    if (in_z == NULL
        || wg_dtype(ctx, in_z) != WG_FLOAT32
        || wg_rank(ctx, in_z) != 2
        || wg_size(ctx, in_z, 1) != 3
        || !wg_is_plain(ctx, in_z)) {
        status = wg_fail_tensor(ctx, &site_tensor_z, in_z, facts_z, 3);
        goto fail;
    }

    /* inputs[2] n: int, 7 */
    const int64_t in_n = args[2].integer;
    if (in_n != 7) {
        status = wg_fail(ctx, &site_value_n, -1, wg_value_integer(7), wg_value_integer(in_n));
        goto fail;
    }

    /* inputs[0] x: float32[s0, 3] */
    const int64_t sym_s0 = wg_size(ctx, in_x, 0);

    /* inputs[1] z: float32[s0, 3] */
    const int64_t size0_z = wg_size(ctx, in_z, 0);
    if (size0_z != sym_s0) {
        status = wg_fail(ctx, &site_size_z, 0, wg_value_integer(sym_s0), wg_value_integer(size0_z));
        goto fail;
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

}
