static int32_t demo_scaled_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* arguments: graphs[0].inputs */

    /* inputs[0] x: float32[4, 3] */
    WgTensor *const in_x = args[0].tensor;
    if (in_x == NULL
        || wg_dtype(ctx, in_x) != WG_FLOAT32
        || wg_rank(ctx, in_x) != 2
        || wg_size(ctx, in_x, 0) != 4
        || wg_size(ctx, in_x, 1) != 3
        || !wg_is_plain(ctx, in_x)) {
        status = wg_fail_tensor(ctx, &site_tensor_x, in_x, facts_x, 4);
        goto fail;
    }

    /* inputs[1] rate: float, 2.5 */
    const double in_rate = args[1].real;
    if (!wg_is_real(in_rate, 4612811918334230528)) {
        status = wg_fail(ctx, &site_value_rate, -1, wg_value_integer(4612811918334230528), wg_value_real(in_rate));
        goto fail;
    }

    /* inputs[2] zero: float, -0.0 */
    const double in_zero = args[2].real;
    if (!wg_is_real(in_zero, INT64_MIN)) {
        status = wg_fail(ctx, &site_value_zero, -1, wg_value_integer(INT64_MIN), wg_value_real(in_zero));
        goto fail;
    }

    /* inputs[3] limit: float, -inf */
    const double in_limit = args[3].real;
    if (!wg_is_real(in_limit, -4503599627370496)) {
        status = wg_fail(ctx, &site_value_limit, -1, wg_value_integer(-4503599627370496), wg_value_real(in_limit));
        goto fail;
    }

    /* inputs[4] missing: float, nan */
    const double in_missing = args[4].real;
    if (!wg_is_real(in_missing, 9221120237041090560)) {
        status = wg_fail(ctx, &site_value_missing, -1, wg_value_integer(9221120237041090560), wg_value_real(in_missing));
        goto fail;
    }

    /* inputs[5] exact: bool: 0 or 1, true */
    const int64_t in_exact = args[5].integer;
    if (in_exact != 1) {
        status = wg_fail(ctx, &site_value_exact, -1, wg_value_integer(1), wg_value_integer(in_exact));
        goto fail;
    }

    /* graphs[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }

}
