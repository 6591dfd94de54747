static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* arguments: graphs[0].inputs */

    /* inputs[0] x: float32[4, 3], mutated */
    WgTensor *const in_x = args[0].tensor;
    if (in_x == NULL
        || wg_dtype(ctx, in_x) != WG_FLOAT32
        || wg_rank(ctx, in_x) != 2
        || wg_size(ctx, in_x, 0) != 4
        || wg_size(ctx, in_x, 1) != 3
        || wg_stride(ctx, in_x, 0) != 3
        || wg_stride(ctx, in_x, 1) != 1
        || wg_offset(ctx, in_x) != 0
        || (int64_t)(uintptr_t)wg_data(ctx, in_x) % 4 != 0
        || !wg_is_plain(ctx, in_x)) {
        status = wg_fail_tensor(ctx, &site_tensor_x, in_x, facts_x, 8);
        goto fail;
    }

    /* inputs[1] z: float32[4, 3] */
    WgTensor *const in_z = args[1].tensor;
    if (in_z == NULL
        || wg_dtype(ctx, in_z) != WG_FLOAT32
        || wg_rank(ctx, in_z) != 2
        || wg_size(ctx, in_z, 0) != 4
        || wg_size(ctx, in_z, 1) != 3
        || wg_stride(ctx, in_z, 0) != 3
        || wg_stride(ctx, in_z, 1) != 1
        || wg_offset(ctx, in_z) != 0
        || (int64_t)(uintptr_t)wg_data(ctx, in_z) % 4 != 0
        || !wg_is_plain(ctx, in_z)) {
        status = wg_fail_tensor(ctx, &site_tensor_z, in_z, facts_x, 8);
        goto fail;
    }

    /* inputs[0] x: float32[4, 3], mutated */
    status = wg_check_overlap(ctx, &site_overlap_x, wg_range(wg_byte_range(ctx, in_x), in_x, 0, 0),
                              wg_range(wg_byte_range(ctx, in_z), in_z, 1, 1), "z", in_z);
    if (status != WG_OK) {
        goto fail;
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

}
