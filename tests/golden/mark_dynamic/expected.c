static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* results: graphs[0].outputs */

    /* outputs[0] y: float32 */
    if (outs[0].tensor == NULL
        || wg_dtype(ctx, outs[0].tensor) != WG_FLOAT32
        || !wg_is_plain(ctx, outs[0].tensor)) {
        status = wg_check_returned(ctx, &site_result_y, outs[0].tensor, facts_y, 1);
        if (status != WG_OK) {
            goto fail;
        }
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

    /* outputs */
    if (outs[0].tensor != NULL && wg_same(ctx, outs[0].tensor, in_x)) {
        status = wg_fail_argument(ctx, &site_argument_y, "x", in_x);
        goto fail;
    }

    /* outputs[0] y: float32 */
    {
        static const int32_t dimensions[] = { 0, 1 };
        status = wg_mark_dynamic(ctx, outs[0].tensor, dimensions, 2);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_dynamic_y, status);
        goto fail;
    }

}
