static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* arguments: graphs[0].inputs */

    /* inputs[0] x: float32[4, 3, 1] */
    WgTensor *const in_x = args[0].tensor;
    if (in_x == NULL
        || wg_dtype(ctx, in_x) != WG_FLOAT32
        || wg_rank(ctx, in_x) != 3
        || wg_size(ctx, in_x, 0) != 4
        || wg_size(ctx, in_x, 1) != 3
        || wg_size(ctx, in_x, 2) != 1
        || wg_stride(ctx, in_x, 0) != 3
        || wg_stride(ctx, in_x, 1) != 1
        || wg_offset(ctx, in_x) != 8
        || wg_device(ctx, in_x) != WG_CUDA * 256 + 1
        || (int64_t)(uintptr_t)wg_data(ctx, in_x) % 4 != 0
        || !wg_is_plain(ctx, in_x)) {
        status = wg_fail_tensor(ctx, &site_tensor_x, in_x, facts_x, 10);
        goto fail;
    }

    /* inputs[1] scale: float64[] */
    WgTensor *const in_scale = args[1].tensor;
    if (in_scale == NULL
        || wg_dtype(ctx, in_scale) != WG_FLOAT64
        || wg_rank(ctx, in_scale) != 0
        || wg_device(ctx, in_scale) / 256 != WG_CPU
        || (int64_t)(uintptr_t)wg_data(ctx, in_scale) % 8 != 0
        || !wg_is_plain(ctx, in_scale)) {
        status = wg_fail_tensor(ctx, &site_tensor_scale, in_scale, facts_scale, 4);
        goto fail;
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

}
