static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs, demo_block_saved *saved)

    /* saved: graphs[0].saved */
    if (results[2].tensor == NULL) {
        status = wg_fail(ctx, &site_result, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_is_view(ctx, results[2].tensor)) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, results[2].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_detach, status);
            goto fail;
        }
        wg_release(ctx, results[2].tensor);
        results[2].tensor = replacement;
    }
    saved->versions[0] = wg_version(ctx, results[2].tensor);


    /* saved: graphs[0].backward.tangents */

    /* backward.tangents[0] of y */
    saved->shapes[0] = wg_dtype(ctx, results[0].tensor);

}
