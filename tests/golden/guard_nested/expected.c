static int32_t demo_apart_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* arguments: graphs[0].inputs */

    /* inputs[0] x: tensor */
    WgTensor *const in_x = args[0].tensor;


    /* arguments: graphs[0].inputs */

    /* inputs[1] y: tensor */
    WgTensor *const in_y = args[1].tensor;


    /* arguments: graphs[0].inputs */

    /* inputs[2] offsets: tensor */
    WgTensor *const in_offsets = args[2].tensor;
    if (in_offsets == NULL
        || !wg_is_plain(ctx, in_offsets)) {
        status = wg_fail_tensor(ctx, &site_tensor_offsets, in_offsets, NULL, 0);
        goto fail;
    }

    /* inputs[0] x: tensor */
    const int64_t sym_s0 = wg_size(ctx, attr0_values, 0);
    const int64_t sym_j0 = wg_nested_int(ctx, attr1_offsets);

    /* inputs[1] y: tensor */
    const int64_t sym_j1 = wg_nested_int(ctx, attr3_offsets);

    /* inputs[2] offsets: tensor */
    const int64_t sym_j2 = wg_nested_int(ctx, in_offsets);

    /* guards[0] j0 != j1 */
    const int64_t int_11 = sym_j0 != sym_j1;
    if (!int_11) {
        status = wg_fail_guard(ctx, &site_guard0, "j0, j1", 2, sym_j0, sym_j1);
        goto fail;
    }

    /* guards[1] j1 == j2 or s0 > 4 */
    const int64_t int_12 = sym_j1 == sym_j2;
    const int64_t int_13 = 4 < sym_s0;
    const int64_t int_14 = int_12 | int_13;
    if (!int_14) {
        status = wg_fail_guard(ctx, &site_guard1, "j1, j2, s0", 3, sym_j1, sym_j2, sym_s0);
        goto fail;
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

}
