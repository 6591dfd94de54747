static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* arguments: graphs[0].inputs */

    /* inputs[0] x: float32[4], mutated */
    WgTensor *const in_x = args[0].tensor;
    if (in_x == NULL
        || wg_dtype(ctx, in_x) != WG_FLOAT32
        || wg_rank(ctx, in_x) != 1
        || wg_size(ctx, in_x, 0) != 4
        || (int64_t)(uintptr_t)wg_data(ctx, in_x) % 4 != 0
        || !wg_is_plain(ctx, in_x)) {
        status = wg_fail_tensor(ctx, &site_tensor_x, in_x, facts_x, 4);
        goto fail;
    }

    /* inputs[1] a: float32[4] */
    WgTensor *const in_a = args[1].tensor;
    if (in_a == NULL
        || wg_dtype(ctx, in_a) != WG_FLOAT32
        || wg_rank(ctx, in_a) != 1
        || wg_size(ctx, in_a, 0) != 4
        || (int64_t)(uintptr_t)wg_data(ctx, in_a) % 4 != 0
        || !wg_is_plain(ctx, in_a)) {
        status = wg_fail_tensor(ctx, &site_tensor_a, in_a, facts_x, 4);
        goto fail;
    }

    /* inputs[3] b: float32[4] */
    WgTensor *const in_b = args[3].tensor;
    if (in_b == NULL
        || wg_dtype(ctx, in_b) != WG_FLOAT32
        || wg_rank(ctx, in_b) != 1
        || wg_size(ctx, in_b, 0) != 4
        || (int64_t)(uintptr_t)wg_data(ctx, in_b) % 4 != 0
        || !wg_is_plain(ctx, in_b)) {
        status = wg_fail_tensor(ctx, &site_tensor_b, in_b, facts_x, 4);
        goto fail;
    }

    /* inputs[4] c: float32[4], mutated */
    WgTensor *const in_c = args[4].tensor;
    if (in_c == NULL
        || wg_dtype(ctx, in_c) != WG_FLOAT32
        || wg_rank(ctx, in_c) != 1
        || wg_size(ctx, in_c, 0) != 4
        || (int64_t)(uintptr_t)wg_data(ctx, in_c) % 4 != 0
        || !wg_is_plain(ctx, in_c)) {
        status = wg_fail_tensor(ctx, &site_tensor_c, in_c, facts_x, 4);
        goto fail;
    }

    /* inputs[5] d: float32[4] */
    WgTensor *const in_d = args[5].tensor;
    if (in_d == NULL
        || wg_dtype(ctx, in_d) != WG_FLOAT32
        || wg_rank(ctx, in_d) != 1
        || wg_size(ctx, in_d, 0) != 4
        || (int64_t)(uintptr_t)wg_data(ctx, in_d) % 4 != 0
        || !wg_is_plain(ctx, in_d)) {
        status = wg_fail_tensor(ctx, &site_tensor_d, in_d, facts_x, 4);
        goto fail;
    }

    /* inputs[7] m: float32[4], mutated */
    WgTensor *const in_m = args[7].tensor;
    if (in_m == NULL
        || wg_dtype(ctx, in_m) != WG_FLOAT32
        || wg_rank(ctx, in_m) != 1
        || wg_size(ctx, in_m, 0) != 4
        || wg_stride(ctx, in_m, 0) != 1
        || wg_offset(ctx, in_m) != 0
        || (int64_t)(uintptr_t)wg_data(ctx, in_m) % 4 != 0
        || !wg_is_plain(ctx, in_m)) {
        status = wg_fail_tensor(ctx, &site_tensor_m, in_m, facts_m, 6);
        goto fail;
    }

    /* inputs[8] o: float32[4], mutated */
    WgTensor *const in_o = args[8].tensor;
    if (in_o == NULL
        || wg_dtype(ctx, in_o) != WG_FLOAT32
        || wg_rank(ctx, in_o) != 1
        || wg_size(ctx, in_o, 0) != 4
        || wg_stride(ctx, in_o, 0) != 1
        || wg_offset(ctx, in_o) != 0
        || (int64_t)(uintptr_t)wg_data(ctx, in_o) % 4 != 0
        || !wg_is_plain(ctx, in_o)) {
        status = wg_fail_tensor(ctx, &site_tensor_o, in_o, facts_m, 6);
        goto fail;
    }

    /* inputs[9] e: float32[4], mutated */
    WgTensor *const in_e = args[9].tensor;
    if (in_e == NULL
        || wg_dtype(ctx, in_e) != WG_FLOAT32
        || wg_rank(ctx, in_e) != 1
        || wg_size(ctx, in_e, 0) != 4
        || (int64_t)(uintptr_t)wg_data(ctx, in_e) % 4 != 0
        || !wg_is_plain(ctx, in_e)) {
        status = wg_fail_tensor(ctx, &site_tensor_e, in_e, facts_x, 4);
        goto fail;
    }

    /* inputs */
    WgRange ranges[8];
    ranges[0] = wg_range(wg_byte_range(ctx, in_x), in_x, 0, 0);
    ranges[1] = wg_range(wg_byte_range(ctx, in_c), in_c, 1, 1);
    ranges[2] = wg_range(wg_byte_range(ctx, in_m), in_m, 2, 2);
    ranges[3] = wg_range(wg_byte_range(ctx, in_o), in_o, 3, 2);
    ranges[4] = wg_range(wg_byte_range(ctx, in_e), in_e, 4, 4);
    ranges[5] = wg_range(wg_byte_range(ctx, in_a), in_a, 5, 5);
    ranges[6] = wg_range(wg_byte_range(ctx, in_b), in_b, 6, 6);
    ranges[7] = wg_range(wg_byte_range(ctx, in_d), in_d, 7, 7);
    WgOverlap overlap = wg_find_overlap(ranges, 8, 5);
    if (overlap.found) {
        wg_find_shared(ctx, ranges, 8, 5, &overlap);
    }
    if (overlap.found) {
        static const uint32_t tensors[] = { 0, 4, 7, 8, 9, 1, 3, 5 };
        static const WgSite *const sites[] = { &site_overlap_x, &site_overlap_c, &site_overlap_m, &site_overlap_o, &site_overlap_e };
        static const char *const names[] = { "x", "c", "m", "o", "e", "a", "b", "d" };
        WgTensor *const other = args[tensors[overlap.other]].tensor;
        status = wg_fail_overlap(ctx, sites[overlap.written], &overlap, names[overlap.other], other);
        goto fail;
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

}
