static int32_t demo_trusting_choose(WgContext *ctx, const demo_trusting_args *args, int32_t *status)
{
    int32_t read = 0;
    const int32_t index = demo_trusting_find(ctx, args, &read);
    if (index < 0) {
        read = read != 0 ? read : wg_host_status(ctx); /* what seemed to be a miss may come from a read that failed */
        *status = read != 0 ? wg_fail_host(ctx, &demo_trusting_site_read, read) : WG_OK;
    }
    return index;
}

int32_t demo_trusting(WgContext *ctx, const WgValue *values, size_t num_values, WgValue *outs, size_t *num_outs)
{
    static const WgSite site_miss = { "trusting", NULL, "arguments", WG_E_NO_VARIANT, WG_KIND_NONE };
    demo_trusting_args args;
    int32_t status = demo_trusting_unbox(ctx, values, num_values, &args);
    if (status != WG_OK) {
        return status;
    }
    WgValue all[2];
    if (num_values < 2) {
        for (size_t i = 0; i < num_values; i++) {
            all[i] = values[i];
        }
        if (num_values <= 1) {
            all[1] = wg_value_integer(args.n);
        }
        values = all;
    }
    switch (demo_trusting_choose(ctx, &args, &status)) {
    case 0:
        return rows_of_16(ctx, values, 2, outs, num_outs);
    case 1:
        return any_rows(ctx, values, 2, outs, num_outs);
    default:
        break;
    }
    if (status != WG_OK) {
        return status;
    }
    int64_t fields[4];
    demo_trusting_fields(ctx, &args, fields);
    status = wg_host_status(ctx);
    if (status != 0) {
        return wg_fail_host(ctx, &demo_trusting_site_read, status);
    }
    return wg_dispatch_fail(ctx, &site_miss, &demo_trusting_table, fields);
}

static inline int32_t demo_careful_check(WgContext *ctx, const demo_careful_args *args)
{
    static const WgSite site_missing_x = { "careful", "x", "missing", WG_E_NULL, WG_KIND_NONE };
    static const WgSite site_dtype_x = { "careful", "x", "dtype float32", WG_E_DTYPE, WG_KIND_DTYPE };
    static const WgSite site_rank_x = { "careful", "x", "rank 2", WG_E_RANK, WG_KIND_INTEGER };
    static const WgSite site_read = { "careful", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    int32_t status = WG_OK;
    if (args == NULL) {
        status = wg_fail_null(ctx, "careful", NULL, 0);
        goto fail;
    }

    /* kernels[1].args[0] */
    WgTensor *const arg_x = args->x;
    if (arg_x == NULL) {
        status = wg_fail(ctx, &site_missing_x, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (!wg_among(wg_dtype(ctx, arg_x), UINT64_C(1) << WG_FLOAT32)) {
        status = wg_fail(ctx, &site_dtype_x, -1, wg_value_integer(WG_FLOAT32), wg_value_integer(wg_dtype(ctx, arg_x)));
        goto fail;
    }
    if (wg_rank(ctx, arg_x) != 2) {
        status = wg_fail(ctx, &site_rank_x, -1, wg_value_integer(2), wg_value_integer(wg_rank(ctx, arg_x)));
        goto fail;
    }

    /* kernels[1] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    return WG_OK;

fail: /* never with WG_OK; because compilers can see that here, the callers' code is shorter */
    return status != WG_OK ? status : WG_E_HOST;
}

static int32_t demo_careful_choose(WgContext *ctx, const demo_careful_args *args, int32_t *status)
{
    int32_t read = 0;
    *status = demo_careful_check(ctx, args);
    if (*status != WG_OK) {
        return -1;
    }
    const int32_t index = demo_careful_find(ctx, args, &read);
    if (index < 0) {
        read = read != 0 ? read : wg_host_status(ctx); /* what seemed to be a miss may come from a read that failed */
        *status = read != 0 ? wg_fail_host(ctx, &demo_careful_site_read, read) : WG_OK;
    }
    return index;
}

size_t demo_careful_explain(WgContext *ctx, const demo_careful_args *args, char *buffer, size_t capacity)
{
    int64_t fields[4];
    if (args == NULL) {
        (void)wg_fail_null(ctx, "careful", NULL, 0);
        return wg_error_text(wg_error(ctx), buffer, capacity);
    }
    demo_careful_fields(ctx, args, fields);
    return wg_dispatch_explain(&demo_careful_table, fields, buffer, capacity);
}
