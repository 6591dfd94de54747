static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs, demo_block_saved *saved)

    /* compiled_function_forward: graphs[0].outputs */

    /* outputs[0] y: float32[4, 3] */
    {
        WgTensor *replacement = NULL;
        status = wg_unsafe_view(ctx, results[0].tensor, &replacement);
        if (status != 0) {
            status = wg_fail_host(ctx, &site_view_y, status);
            goto fail;
        }
        wg_release(ctx, results[0].tensor);
        results[0].tensor = replacement;
    }

    /* outputs */
    status = wg_set_requires_grad(ctx, results[0].tensor, requires_grad);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_y, status);
        goto fail;
    }

}
