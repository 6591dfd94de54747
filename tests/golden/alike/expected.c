static int32_t demo_layer0_core(WgContext *ctx, WgValue *args, WgValue *outs, const struct demo_layer0_own *own)

    /* runtime_wrapper_orchestration: graphs[0] */

    /* inputs[1] w: float32[3], mutated */
    status = wg_retain(ctx, in_w, &kept_w);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_retain_w, status);
        goto fail;
    }

    /* graphs[0] */
    memset(results, 0, 2 * sizeof *results);
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    num_results = 2;
    status = own->compiled(ctx, args, 2, results, &num_results);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
    }
    wg_release_run(ctx, &args[0], 2);
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }
    if (num_results != 2) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(2), wg_value_integer((int64_t)num_results));
        goto fail;
    }


    /* delivery: graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    outs[0].tensor = results[1].tensor;
    wg_release_run(ctx, &results[0], 1);
    wg_release(ctx, kept_w);
    kept_w = NULL;
    return WG_OK;

}

int32_t demo_layer0(WgContext *ctx, demo_layer0_inputs *in, demo_layer0_outputs *out)
{
    if (in == NULL || out == NULL) {
        if (in != NULL) {
            demo_layer0_drop(ctx, (WgValue *)in, 2);
        }
        return wg_fail_null(ctx, "layer0", out, sizeof *out);
    }
    return demo_layer0_core(ctx, (WgValue *)in, (WgValue *)out, &demo_layer0_own);
}

int32_t demo_layer1(WgContext *ctx, demo_layer1_inputs *in, demo_layer1_outputs *out)
{
    if (in == NULL || out == NULL) {
        if (in != NULL) {
            demo_layer0_drop(ctx, (WgValue *)in, 2);
        }
        return wg_fail_null(ctx, "layer1", out, sizeof *out);
    }
    return demo_layer0_core(ctx, (WgValue *)in, (WgValue *)out, &demo_layer1_own);
}

int32_t demo_layer2(WgContext *ctx, demo_layer2_inputs *in, demo_layer2_outputs *out)
{
    if (in == NULL || out == NULL) {
        if (in != NULL) {
            demo_layer2_drop(ctx, (WgValue *)in, 2);
        }
        return wg_fail_null(ctx, "layer2", out, sizeof *out);
    }
    return demo_layer2_core(ctx, (WgValue *)in, (WgValue *)out);
}

int32_t demo_layer3(WgContext *ctx, demo_layer3_inputs *in, demo_layer3_outputs *out)
{
    if (in == NULL || out == NULL) {
        if (in != NULL) {
            demo_layer0_drop(ctx, (WgValue *)in, 2);
        }
        return wg_fail_null(ctx, "layer3", out, sizeof *out);
    }
    return demo_layer0_core(ctx, (WgValue *)in, (WgValue *)out, &demo_layer3_own);
}
