static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* arguments: graphs[0].inputs */

    /* inputs[0] x: float32[s0, s1] */
    WgTensor *const in_x = args[0].tensor;
    if (in_x == NULL
        || wg_dtype(ctx, in_x) != WG_FLOAT32
        || wg_rank(ctx, in_x) != 2
        || wg_stride(ctx, in_x, 1) != 1
        || wg_offset(ctx, in_x) != 0
        || !wg_is_plain(ctx, in_x)) {
        status = wg_fail_tensor(ctx, &site_tensor_x, in_x, facts_x, 4);
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
    const int64_t sym_s1 = wg_size(ctx, in_x, 1);
    if (sym_s1 % 8 != 0) {
        status = wg_fail(ctx, &site_symbol1_x, 1, wg_value_integer(8), wg_value_integer(sym_s1));
        goto fail;
    }
    const int64_t stride0_x = wg_stride(ctx, in_x, 0);
    if (stride0_x != sym_s1) {
        status = wg_fail(ctx, &site_stride_x, 0, wg_value_integer(sym_s1), wg_value_integer(stride0_x));
        goto fail;
    }

    /* guards[0] s0 % 8 == 0 */
    const int64_t int_4 = wg_mod(sym_s0, 8, &overflow);
    const int64_t int_5 = int_4 == 0;
    if (!int_5) {
        status = wg_fail_guard(ctx, &site_guard0, "s0", 1, sym_s0);
        goto fail;
    }

    /* guards[2] s0 < s1 or s1 == 8 */
    const int64_t int_6 = sym_s0 < sym_s1;
    const int64_t int_7 = sym_s1 == 8;
    const int64_t int_8 = int_6 | int_7;
    if (!int_8) {
        status = wg_fail_guard(ctx, &site_guard2, "s0, s1", 2, sym_s0, sym_s1);
        goto fail;
    }

    /* guards[3] not (s0 == 64 and s1 > 128) */
    const int64_t int_9 = sym_s0 != 64;
    const int64_t int_10 = sym_s1 <= 128;
    const int64_t int_11 = int_9 | int_10;
    if (!int_11) {
        status = wg_fail_guard(ctx, &site_guard3, "s0, s1", 2, sym_s0, sym_s1);
        goto fail;
    }

    /* guards[4] s0*s1 <= 1048576 */
    const int64_t int_12 = wg_mul(sym_s0, sym_s1, &overflow);
    const int64_t int_13 = int_12 <= 1048576;
    if (overflow) {
        status = wg_fail(ctx, &site_guard4overflow, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (!int_13) {
        status = wg_fail_guard(ctx, &site_guard4, "s0, s1", 2, sym_s0, sym_s1);
        goto fail;
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

}
