static WG_COLD __attribute__((noinline)) int32_t demo_phase_key_of_any(WgContext *ctx, const demo_phase_args *args, demo_phase_key *key)
{
    static const WgSite site_read = { "phase", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    uint64_t *next = key->words;
    uint64_t differs = 0;
    int32_t status = WG_OK;

    /* kernels[0].args[0] */
    WgTensor *const arg_z = args->z;
    const uint32_t lazy_z = wg_key_lazy(wg_lazy(ctx, arg_z));
    next = wg_key_any(ctx, arg_z, WG_KEY_STATIC | WG_KEY_DEVICE | lazy_z, 0x0, next);

    /* kernels[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    (void)differs;
    key->num_words = (size_t)(next - key->words);
    return WG_OK;

fail:
    return status;
}

static inline __attribute__((always_inline)) int32_t demo_phase_key_over(WgContext *ctx, const demo_phase_args *args, demo_phase_key *key, int *same)
{
    static const WgSite site_read = { "phase", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    uint64_t *next = key->words;
    uint64_t differs = 0;
    WgPair changed = wg_pair(0, 0);
    WgPair seen = wg_pair(0, 0);
    int32_t status = demo_phase_check(ctx, args);
    key->num_words = 0;
    *same = 0;
    if (status != WG_OK) {
        goto fail;
    }

    /* kernels[0].args[0] */
    WgTensor *const arg_z = args->z;
    const uint32_t lazy_z = wg_key_lazy(wg_lazy(ctx, arg_z));
    {
        const int64_t *const sizes = wg_sizes(ctx, arg_z);
        const int64_t *const strides = wg_strides(ctx, arg_z);
        if (!wg_is_plain(ctx, arg_z) || sizes == NULL || strides == NULL) {
            goto other;
        }
        next = wg_key_put(next, UINT64_C(0x10001) | lazy_z | wg_key_type_on(ctx, arg_z), &differs);
        seen = wg_pair_or(seen, wg_key_one(sizes + 0, strides + 0, next + 0, &changed));
        next += 1;
    }

    /* kernels[0] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    if (!wg_key_fits(seen)) {
        goto other;
    }
    differs |= wg_pair_joined(changed);
    (void)next;
    key->num_words = 2;
    *same = differs == 0;
    return WG_OK;

fail:
    return status;

other:
    return demo_phase_key_of_any(ctx, args, key);
}

static int32_t demo_phase_find(WgContext *ctx, const demo_phase_args *args, int32_t *read)
{
    const int64_t z_present = args->z != NULL;
    if (!(z_present == 1)) {
        return -1;
    }
    const int64_t z_plain = wg_is_plain(ctx, args->z) != 0;
    if (!(z_plain == 1)) {
        return -1;
    }
    const int64_t z_dtype = wg_dtype(ctx, args->z);
    if (!(z_dtype == WG_COMPLEX64)) {
        return -1;
    }
    const int64_t z_conj = (wg_lazy(ctx, args->z) & WG_LAZY_CONJ) != 0;
    const int64_t z_neg = (wg_lazy(ctx, args->z) & WG_LAZY_NEG) != 0;
    const int64_t z_rank = wg_rank(ctx, args->z);
    if (!(z_rank == 1)) {
        return -1;
    }
    const int64_t z_size_0 = wg_size(ctx, args->z, 0);
    const int64_t z_stride_0 = wg_stride(ctx, args->z, 0);
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if (z_size_0 == 4 && z_stride_0 == 1 && z_conj == 1 && z_neg == 0) {
        return 0; /* demo_of_a_conjugate_boxed */
    }
    if (z_size_0 == 4 && z_stride_0 == 1 && z_conj == 0 && z_neg == 0) {
        return 1; /* demo_of_another_boxed */
    }
    if (z_conj == 1 && z_neg == 0) {
        return 2; /* phase_conjugate */
    }
    if (z_neg == 1 && z_conj == 0) {
        return 3; /* phase_negative */
    }
    if (z_conj == 1 && z_neg == 1) {
        return 4; /* phase_both */
    }
    if (z_conj == 0 && z_neg == 0) {
        return 5; /* phase_any */
    }
    return -1;
}

static int32_t demo_scale_find(WgContext *ctx, const demo_scale_args *args, int32_t *read)
{
    const int64_t x_present = args->x != NULL;
    const int64_t x_dtype = x_present == 1 ? wg_dtype(ctx, args->x) : -1;
    if (!(x_dtype == WG_FLOAT32 || x_dtype == WG_COMPLEX64 || x_present == 0)) {
        return -1;
    }
    const int64_t x_conj = x_present == 1 ? (wg_lazy(ctx, args->x) & WG_LAZY_CONJ) != 0 : -1;
    if (!(x_conj == 0 || x_present == 0 || x_dtype == WG_COMPLEX32 || x_dtype == WG_COMPLEX64 || x_dtype == WG_COMPLEX128)) {
        return -1;
    }
    const int64_t x_neg = x_present == 1 ? (wg_lazy(ctx, args->x) & WG_LAZY_NEG) != 0 : -1;
    const int64_t w_present = args->w != NULL;
    if (!(w_present == 1)) {
        return -1;
    }
    const int64_t w_lazy = wg_lazy(ctx, args->w) != 0;
    if (!(w_lazy == 0)) {
        return -1;
    }
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if (x_present == 1 && x_dtype == WG_FLOAT32 && x_neg == 1 && x_conj == 0) {
        return 0; /* scale_negative */
    }
    if (x_present == 1 && x_conj == 1 && x_neg == 0) {
        return 1; /* scale_conjugate */
    }
    if (x_present == 1 && x_dtype == WG_COMPLEX64 && x_conj == 1 && x_neg == 1) {
        return 2; /* scale_both */
    }
    if (x_present == 1 && x_dtype == WG_COMPLEX64 && x_neg == 1 && x_conj == 0) {
        return 3; /* scale_negative_complex */
    }
    if ((x_conj == 0 || x_present == 0) && (x_neg == 0 || x_present == 0)) {
        return 4; /* scale_any */
    }
    return -1;
}

static inline __attribute__((always_inline)) int32_t demo_only_key_key_over(WgContext *ctx, const demo_only_key_args *args, demo_only_key_key *key, int *same)
{
    static const WgSite site_read = { "only_key", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    uint64_t *next = key->words;
    uint64_t differs = 0;
    WgPair changed = wg_pair(0, 0);
    WgPair seen = wg_pair(0, 0);
    int32_t status = demo_only_key_check(ctx, args);
    key->num_words = 0;
    *same = 0;
    if (status != WG_OK) {
        goto fail;
    }

    /* kernels[2].args[0] */
    WgTensor *const arg_x = args->x;
    const uint32_t lazy_x = wg_key_lazy(wg_lazy(ctx, arg_x));
    {
        const int64_t *const sizes = wg_sizes(ctx, arg_x);
        const int64_t *const strides = wg_strides(ctx, arg_x);
        if (!wg_is_plain(ctx, arg_x) || sizes == NULL || strides == NULL) {
            goto other;
        }
        next = wg_key_put(next, UINT64_C(0x20001) | lazy_x | wg_key_type_on(ctx, arg_x), &differs);
        seen = wg_pair_or(seen, wg_key_two(sizes + 0, strides + 0, next + 0, &changed));
        next += 2;
    }

    /* kernels[2] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    if (!wg_key_fits(seen)) {
        goto other;
    }
    differs |= wg_pair_joined(changed);
    (void)next;
    key->num_words = 3;
    *same = differs == 0;
    return WG_OK;

fail:
    return status;

other:
    return demo_only_key_key_of_any(ctx, args, key);
}

static inline __attribute__((always_inline)) int32_t demo_any_key_key_over(WgContext *ctx, const demo_any_key_args *args, demo_any_key_key *key, int *same)
{
    static const WgSite site_read = { "any_key", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    uint64_t *next = key->words;
    uint64_t differs = 0;
    int32_t status = demo_any_key_check(ctx, args);
    key->num_words = 0;
    *same = 0;
    if (status != WG_OK) {
        goto fail;
    }

    /* kernels[3].args[0] */
    WgTensor *const arg_x = args->x;
    const uint32_t lazy_x = wg_key_lazy(wg_lazy(ctx, arg_x));
    {
        const int64_t *const sizes = wg_sizes(ctx, arg_x);
        int64_t count = 1;
        if (!wg_is_plain(ctx, arg_x) || sizes == NULL) {
            goto other;
        }
        uint64_t buckets = 0;
        buckets = wg_key_bucket(sizes[1], buckets);
        buckets = wg_key_bucket(sizes[0], buckets);
        if (wg_key_times(&count, sizes[0])) {
            goto other;
        }
        if (wg_key_times(&count, sizes[1])) {
            goto other;
        }
        next = wg_key_put(next, UINT64_C(0x20001) | lazy_x | wg_key_type_on(ctx, arg_x) | wg_key_many(count) | buckets << 32, &differs);
    }

    /* kernels[3] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    (void)next;
    key->num_words = 1;
    *same = differs == 0;
    return WG_OK;

fail:
    return status;

other:
    return demo_any_key_key_of_any(ctx, args, key);
}
