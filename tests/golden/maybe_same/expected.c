static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* results: graphs[0].outputs */
    int same_0_second = outs[1].tensor != NULL && outs[0].tensor != NULL && wg_same(ctx, outs[1].tensor, outs[0].tensor);
    if (same_0_second) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[1].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_detach_second, status);
            goto fail;
        }
        wg_release(ctx, outs[1].tensor);
        outs[1].tensor = replacement;
    }
    int same_1_third = outs[2].tensor != NULL && outs[0].tensor != NULL && wg_same(ctx, outs[2].tensor, outs[0].tensor);
    same_1_third = same_1_third || (outs[2].tensor != NULL && outs[1].tensor != NULL && wg_same(ctx, outs[2].tensor, outs[1].tensor));
    if (same_1_third) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, outs[2].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_detach_third, status);
            goto fail;
        }
        wg_release(ctx, outs[2].tensor);
        outs[2].tensor = replacement;
    }

}
