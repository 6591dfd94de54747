static int32_t demo_without_bias_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* arguments: graphs[0].inputs */

    /* inputs[0] x: float32[4] */
    WgTensor *const in_x = args[0].tensor;
    if (in_x == NULL
        || wg_dtype(ctx, in_x) != WG_FLOAT32
        || wg_rank(ctx, in_x) != 1
        || wg_size(ctx, in_x, 0) != 4
        || wg_stride(ctx, in_x, 0) != 1
        || !wg_is_plain(ctx, in_x)) {
        status = wg_fail_tensor(ctx, &site_tensor_x, in_x, facts_x, 4);
        goto fail;
    }

    /* inputs[1] bias: none: always null */
    void *const in_bias = args[1].pointer;
    if (in_bias != NULL) {
        status = wg_fail(ctx, &site_null_bias, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }

    /* inputs[2] state: none: always null */
    void *const in_state = args[2].pointer;
    if (in_state != NULL) {
        status = wg_fail(ctx, &site_null_state, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

}

static int32_t demo_with_bias_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* arguments: graphs[1].inputs */

    /* inputs[0] x: float32[4] */
    WgTensor *const in_x = args[0].tensor;
    if (in_x == NULL
        || wg_dtype(ctx, in_x) != WG_FLOAT32
        || wg_rank(ctx, in_x) != 1
        || wg_size(ctx, in_x, 0) != 4
        || wg_stride(ctx, in_x, 0) != 1
        || !wg_is_plain(ctx, in_x)) {
        status = wg_fail_tensor(ctx, &site_tensor_x, in_x, facts_x, 4);
        goto fail;
    }

    /* inputs[1] bias: float32[4] */
    WgTensor *const in_bias = args[1].tensor;
    if (in_bias == NULL
        || wg_dtype(ctx, in_bias) != WG_FLOAT32
        || wg_rank(ctx, in_bias) != 1
        || wg_size(ctx, in_bias, 0) != 4
        || wg_stride(ctx, in_bias, 0) != 1
        || !wg_is_plain(ctx, in_bias)) {
        status = wg_fail_tensor(ctx, &site_tensor_bias, in_bias, facts_x, 4);
        goto fail;
    }

    /* inputs[2] state: none: always null */
    void *const in_state = args[2].pointer;
    if (in_state != NULL) {
        status = wg_fail(ctx, &site_null_state, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }

    /* graphs[1] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

}

static inline int32_t demo_add_check(WgContext *ctx, const demo_add_args *args)
{
    static const WgSite site_missing_x = { "add", "x", "missing", WG_E_NULL, WG_KIND_NONE };
    static const WgSite site_plain_x = { "add", "x", "plain", WG_E_TYPE, WG_KIND_NONE };
    static const WgSite site_rank_x = { "add", "x", "rank", WG_E_RANK, WG_KIND_INTEGER };
    static const WgSite site_plain_bias = { "add", "bias", "plain", WG_E_TYPE, WG_KIND_NONE };
    static const WgSite site_rank_bias = { "add", "bias", "rank", WG_E_RANK, WG_KIND_INTEGER };
    static const WgSite site_null_state = { "add", "state", "null", WG_E_VALUE, WG_KIND_NONE };
    static const WgSite site_read = { "add", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    int32_t status = WG_OK;
    if (args == NULL) {
        status = wg_fail_null(ctx, "add", NULL, 0);
        goto fail;
    }

    /* kernels[0].args[0] */
    WgTensor *const arg_x = args->x;
    if (arg_x == NULL) {
        status = wg_fail(ctx, &site_missing_x, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (!wg_is_plain(ctx, arg_x)) {
        status = wg_fail_tensor(ctx, &site_plain_x, arg_x, NULL, 0);
        goto fail;
    }
    if (!wg_among(wg_rank(ctx, arg_x), UINT64_C(0x1ffff))) {
        status = wg_fail(ctx, &site_rank_x, -1, wg_value_integer(0), wg_value_integer(wg_rank(ctx, arg_x)));
        goto fail;
    }

    /* kernels[0].args[1] */
    WgTensor *const arg_bias = args->bias;
    if (arg_bias != NULL) {
        if (!wg_is_plain(ctx, arg_bias)) {
            status = wg_fail_tensor(ctx, &site_plain_bias, arg_bias, NULL, 0);
            goto fail;
        }
        if (!wg_among(wg_rank(ctx, arg_bias), UINT64_C(0x1ffff))) {
            status = wg_fail(ctx, &site_rank_bias, -1, wg_value_integer(0), wg_value_integer(wg_rank(ctx, arg_bias)));
            goto fail;
        }
    }

    /* kernels[0].args[2] */
    const void *const arg_state = args->state;
    if (arg_state != NULL) {
        status = wg_fail(ctx, &site_null_state, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }

    /* kernels[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    return WG_OK;

fail: /* never with WG_OK; because compilers can see that here, the callers' code is shorter */
    return status != WG_OK ? status : WG_E_HOST;
}
