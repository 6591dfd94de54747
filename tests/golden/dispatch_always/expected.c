static inline int32_t demo_matmul_check(WgContext *ctx, const demo_matmul_args *args)
{
    static const WgSite site_missing_a = { "matmul", "a", "missing", WG_E_NULL, WG_KIND_NONE };
    static const WgSite site_dtype_a = { "matmul", "a", "dtype complex64", WG_E_DTYPE, WG_KIND_DTYPE };
    static const WgSite site_rank_a = { "matmul", "a", "rank 2", WG_E_RANK, WG_KIND_INTEGER };
    static const WgSite site_missing_b = { "matmul", "b", "missing", WG_E_NULL, WG_KIND_NONE };
    static const WgSite site_lazy_b = { "matmul", "b", "lazy", WG_E_LAZY, WG_KIND_LAZY };
    static const WgSite site_dtype_b = { "matmul", "b", "dtype complex64", WG_E_DTYPE, WG_KIND_DTYPE };
    static const WgSite site_rank_b = { "matmul", "b", "rank 2", WG_E_RANK, WG_KIND_INTEGER };
    static const WgSite site_lazy_bias = { "matmul", "bias", "lazy", WG_E_LAZY, WG_KIND_LAZY };
    static const WgSite site_rank_bias = { "matmul", "bias", "rank", WG_E_RANK, WG_KIND_INTEGER };
    static const WgSite site_read = { "matmul", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    int32_t status = WG_OK;
    if (args == NULL) {
        status = wg_fail_null(ctx, "matmul", NULL, 0);
        goto fail;
    }

    /* kernels[0].args[0] */
    WgTensor *const arg_a = args->a;
    if (arg_a == NULL) {
        status = wg_fail(ctx, &site_missing_a, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (!wg_among(wg_dtype(ctx, arg_a), UINT64_C(1) << WG_COMPLEX64)) {
        status = wg_fail(ctx, &site_dtype_a, -1, wg_value_integer(WG_COMPLEX64), wg_value_integer(wg_dtype(ctx, arg_a)));
        goto fail;
    }
    if (wg_rank(ctx, arg_a) != 2) {
        status = wg_fail(ctx, &site_rank_a, -1, wg_value_integer(2), wg_value_integer(wg_rank(ctx, arg_a)));
        goto fail;
    }

    /* kernels[0].args[1] */
    WgTensor *const arg_b = args->b;
    if (arg_b == NULL) {
        status = wg_fail(ctx, &site_missing_b, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (wg_lazy(ctx, arg_b) != 0) {
        status = wg_fail(ctx, &site_lazy_b, -1, wg_value_integer(0), wg_value_integer(wg_lazy(ctx, arg_b)));
        goto fail;
    }
    if (!wg_among(wg_dtype(ctx, arg_b), UINT64_C(1) << WG_COMPLEX64)) {
        status = wg_fail(ctx, &site_dtype_b, -1, wg_value_integer(WG_COMPLEX64), wg_value_integer(wg_dtype(ctx, arg_b)));
        goto fail;
    }
    if (wg_rank(ctx, arg_b) != 2) {
        status = wg_fail(ctx, &site_rank_b, -1, wg_value_integer(2), wg_value_integer(wg_rank(ctx, arg_b)));
        goto fail;
    }

    /* kernels[0].args[2] */
    WgTensor *const arg_bias = args->bias;
    if (arg_bias != NULL) {
        if (wg_lazy(ctx, arg_bias) != 0) {
            status = wg_fail(ctx, &site_lazy_bias, -1, wg_value_integer(0), wg_value_integer(wg_lazy(ctx, arg_bias)));
            goto fail;
        }
        if (!wg_among(wg_rank(ctx, arg_bias), UINT64_C(0x1ffff))) {
            status = wg_fail(ctx, &site_rank_bias, -1, wg_value_integer(0), wg_value_integer(wg_rank(ctx, arg_bias)));
            goto fail;
        }
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

static int32_t demo_matmul_find(WgContext *ctx, const demo_matmul_args *args, int32_t *read)
{
    const int64_t a_present = args->a != NULL;
    if (!(a_present == 1)) {
        return -1;
    }
    const int64_t a_dtype = wg_dtype(ctx, args->a);
    if (!(a_dtype == WG_COMPLEX64)) {
        return -1;
    }
    const int64_t a_conj = (wg_lazy(ctx, args->a) & WG_LAZY_CONJ) != 0;
    if (!(a_conj == 1)) {
        return -1;
    }
    const int64_t a_neg = (wg_lazy(ctx, args->a) & WG_LAZY_NEG) != 0;
    if (!(a_neg == 0)) {
        return -1;
    }
    const int64_t a_rank = wg_rank(ctx, args->a);
    if (!(a_rank == 2)) {
        return -1;
    }
    const int64_t a_size_1 = wg_size(ctx, args->a, 1);
    if (!(a_size_1 >= 1)) {
        return -1;
    }
    const int64_t a_size_0 = wg_size(ctx, args->a, 0);
    const int64_t b_present = args->b != NULL;
    if (!(b_present == 1)) {
        return -1;
    }
    const int64_t b_lazy = wg_lazy(ctx, args->b) != 0;
    if (!(b_lazy == 0)) {
        return -1;
    }
    const int64_t b_dtype = wg_dtype(ctx, args->b);
    if (!(b_dtype == WG_COMPLEX64)) {
        return -1;
    }
    const int64_t b_rank = wg_rank(ctx, args->b);
    if (!(b_rank == 2)) {
        return -1;
    }
    const int64_t b_size_0 = wg_size(ctx, args->b, 0);
    const int64_t b_size_1 = wg_size(ctx, args->b, 1);
    const int64_t bias_present = args->bias != NULL;
    const int64_t bias_lazy = bias_present == 1 ? wg_lazy(ctx, args->bias) != 0 : -1;
    if (!(bias_lazy == 0 || bias_present == 0)) {
        return -1;
    }
    const int64_t bias_rank = bias_present == 1 ? wg_rank(ctx, args->bias) : -1;
    const int64_t bias_size_0 = bias_present == 1 && bias_rank > 0 ? wg_size(ctx, args->bias, 0) : -1;
    /* n % 8 == 0 */
    int overflow = 0;
    const int64_t call_guard_0_0 = wg_mod(b_size_1, 8, &overflow);
    const int64_t call_guard_0_1 = call_guard_0_0 == 0;
    const int64_t call_guard_0 = call_guard_0_1;
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if (a_size_0 == 1 && bias_present == 0 && b_size_0 == a_size_1) {
        return 0; /* matmul_row */
    }
    if (bias_present == 1 && bias_rank == 1 && b_size_0 == a_size_1 && bias_size_0 == b_size_1 && call_guard_0 == 1) {
        return 1; /* matmul_bias */
    }
    if (b_size_0 == a_size_1) {
        return 2; /* matmul_any */
    }
    return -1;
}

static const WgDispatchAlternative demo_matmul_alternatives[] = {
    { 10, -1, 0, 1 },
    { 11, -1, 1, 1 },
    { 14, -1, 0, 1 },
    { 7, -1, 1, 1 },
    { 9, -1, 2, 1 },
    { 12, 9, 0, 0 },
    { 7, -1, 0, 1 },
    { 15, -1, 0, 1 },
    { 16, 13, 0, 0 },
    { 17, -1, 0, 1 },
    { 0, -1, 0, 1 },
    { 1, -1, 3, 1 },
    { 2, -1, 4, 1 },
    { 3, -1, 0, 1 },
    { 4, -1, 1, 1 },
    { 5, -1, 3, 1 },
    { 6, -1, 4, 1 },
    { 8, -1, 1, 1 },
    { 7, -1, 1, 1 },
};

static const WgDispatchClause demo_matmul_clauses[] = {
    { 0, 1, "set" },
    { 1, 1, "clear" },
    { 2, 1, "1" },
    { 3, 1, "null" },
    { 4, 1, "1.." },
    { 5, 1, "the same as size of dim 1 of 'a'" },
    { 6, 1, "not null" },
    { 7, 1, "1" },
    { 8, 1, "the same as size of dim 1 of 'b'" },
    { 9, 1, "true" },
    { 10, 1, "not null" },
    { 11, 1, "2" },
    { 12, 1, "complex64" },
    { 13, 1, "not null" },
    { 14, 1, "clear" },
    { 15, 1, "2" },
    { 16, 1, "complex64" },
    { 17, 2, "clear" },
};
