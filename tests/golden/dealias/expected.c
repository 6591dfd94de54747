static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs, demo_block_saved *saved)

    /* compiled_function_forward: graphs[0].outputs */
    int same_0_y = wg_same(ctx, results[0].tensor, in_x);
    if (same_0_y) {
        WgTensor *replacement = NULL;
        const int keeps_grad = wg_requires_grad(ctx, results[0].tensor);
        status = wg_alias_like(ctx, results[0].tensor, results[0].tensor, keeps_grad, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_alias_y, status);
            goto fail;
        }
        wg_release(ctx, results[0].tensor);
        results[0].tensor = replacement;
    }
    int same_1_z = wg_same(ctx, results[1].tensor, results[0].tensor);
    if (same_1_z) {
        WgTensor *replacement = NULL;
        status = wg_detach(ctx, results[1].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_detach_z, status);
            goto fail;
        }
        wg_release(ctx, results[1].tensor);
        results[1].tensor = replacement;
    }
    status = wg_set_requires_grad(ctx, results[0].tensor, requires_grad);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_y, status);
        goto fail;
    }
    status = wg_set_requires_grad(ctx, results[1].tensor, 0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_z, status);
        goto fail;
    }

}
