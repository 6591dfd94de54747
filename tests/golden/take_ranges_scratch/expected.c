static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* arguments: graphs[0].inputs */

    /* inputs[0] pair: tensor, mutated */
    WgTensor *const in_pair = args[0].tensor;


    /* arguments: graphs[0].inputs */

    /* graphs[0].inputs[1] ... graphs[0].inputs[100] */
    for (size_t i = 0; i < 25; i++) {
        WgTensor *const run0_in = args[1 + 4 * i].tensor;
        if (run0_in == NULL
            || !wg_is_plain(ctx, run0_in)) {
            status = wg_fail_tensor(ctx, &run0_sites0[i], run0_in, NULL, 0);
            goto fail;
        }
        WgTensor *const run0_in1 = args[2 + 4 * i].tensor;
        if (run0_in1 == NULL
            || !wg_is_plain(ctx, run0_in1)) {
            status = wg_fail_tensor(ctx, &run0_sites1[i], run0_in1, NULL, 0);
            goto fail;
        }
        WgTensor *const run0_in2 = args[3 + 4 * i].tensor;
        if (run0_in2 == NULL
            || !wg_is_plain(ctx, run0_in2)) {
            status = wg_fail_tensor(ctx, &run0_sites2[i], run0_in2, NULL, 0);
            goto fail;
        }
        WgTensor *const run0_in3 = args[4 + 4 * i].tensor;
        if (run0_in3 == NULL
            || !wg_is_plain(ctx, run0_in3)) {
            status = wg_fail_tensor(ctx, &run0_sites3[i], run0_in3, NULL, 0);
            goto fail;
        }
    }

    /* inputs[101] r99: tensor */
    WgTensor *const in_r99 = args[101].tensor;
    if (in_r99 == NULL
        || !wg_is_plain(ctx, in_r99)) {
        status = wg_fail_tensor(ctx, &site_tensor_r99, in_r99, NULL, 0);
        goto fail;
    }

    /* inputs */
    WgRange *const ranges = (WgRange *)wg_scratch_take(ctx, 412);
    if (ranges == NULL) {
        status = wg_fail(ctx, &site_scratch, -1, wg_value_integer(412), wg_value_integer(0));
        goto fail;
    }
    ranges[0] = wg_range(wg_byte_range(ctx, attr0_a), attr0_a, 0, 0);
    ranges[1] = wg_range(wg_byte_range(ctx, attr1_b), attr1_b, 0, 0);

    /* graphs[0].inputs */
    for (size_t i = 0; i < 101; i++) {
        ranges[2 + i] = wg_range(wg_byte_range(ctx, args[1 + i].tensor), args[1 + i].tensor, 1 + i, 1 + i);
    }

    /* inputs */
    WgOverlap overlap = wg_find_overlap(ranges, 103, 2);
    if (overlap.found) {
        wg_find_shared(ctx, ranges, 103, 2, &overlap);
    }
    wg_scratch_give(ctx, 412);
    if (overlap.found) {
        static const uint32_t tensors[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101 };
        static const WgSite *const sites[] = { &site_overlap_pair, &site_overlap_w };
        static const char *const names[] = { "pair", "w", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30", "r31", "r32", "r33", "r34", "r35", "r36", "r37", "r38", "r39", "r40", "r41", "r42", "r43", "r44", "r45", "r46", "r47", "r48", "r49", "r50", "r51", "r52", "r53", "r54", "r55", "r56", "r57", "r58", "r59", "r60", "r61", "r62", "r63", "r64", "r65", "r66", "r67", "r68", "r69", "r70", "r71", "r72", "r73", "r74", "r75", "r76", "r77", "r78", "r79", "r80", "r81", "r82", "r83", "r84", "r85", "r86", "r87", "r88", "r89", "r90", "r91", "r92", "r93", "r94", "r95", "r96", "r97", "r98", "r99" };
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
