static inline int32_t demo_ranks_check(WgContext *ctx, const demo_ranks_args *args)
{
    static const WgSite site_missing_x = { "ranks", "x", "missing", WG_E_NULL, WG_KIND_NONE };
    static const WgSite site_rank_x = { "ranks", "x", "rank r", WG_E_RANK, WG_KIND_INTEGER };
    static const WgSite site_length_steps = { "ranks", "steps", "length n", WG_E_COUNT, WG_KIND_INTEGER };
    static const WgSite site_read = { "ranks", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    int32_t status = WG_OK;
    if (args == NULL) {
        status = wg_fail_null(ctx, "ranks", NULL, 0);
        goto fail;
    }

    /* kernels[0].args[0] */
    WgTensor *const arg_x = args->x;
    if (arg_x == NULL) {
        status = wg_fail(ctx, &site_missing_x, -1, wg_value_integer(0), wg_value_integer(0));
        goto fail;
    }
    if (!wg_among(wg_rank(ctx, arg_x), UINT64_C(0x14))) {
        status = wg_fail(ctx, &site_rank_x, -1, wg_value_integer(2), wg_value_integer(wg_rank(ctx, arg_x)));
        goto fail;
    }

    /* kernels[0].args[1] */
    const demo_ranks_args_steps *const arg_steps = &args->steps;
    if (!wg_among(wg_items(arg_steps->count), UINT64_C(0xfffffffffffffffc)) || (arg_steps->items == NULL && arg_steps->count > 0)) {
        status = wg_fail(ctx, &site_length_steps, -1, wg_value_integer(2), wg_value_integer(wg_items(arg_steps->count)));
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

static inline __attribute__((always_inline)) int32_t demo_ranks_key_over(WgContext *ctx, const demo_ranks_args *args, demo_ranks_key *key, int *same)
{
    static const WgSite site_read = { "ranks", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    uint64_t *next = key->words;
    uint64_t differs = 0;
    WgPair changed = wg_pair(0, 0);
    WgPair seen = wg_pair(0, 0);
    int32_t status = demo_ranks_check(ctx, args);
    key->num_words = 0;
    *same = 0;
    if (status != WG_OK) {
        goto fail;
    }

    /* kernels[0].args[0] */
    WgTensor *const arg_x = args->x;
    {
        const int32_t rank = wg_rank(ctx, arg_x);
        const int64_t *const sizes = wg_sizes(ctx, arg_x);
        const int64_t *const strides = wg_strides(ctx, arg_x);
        if (!wg_is_plain(ctx, arg_x) || sizes == NULL || strides == NULL) {
            goto other;
        }
        next = wg_key_put(next, UINT64_C(0x1) | wg_key_type_on(ctx, arg_x) | (uint64_t)(uint32_t)rank << 16, &differs);
        seen = wg_pair_or(seen, wg_key_dims(sizes, strides, rank, next, &changed));
        next += rank;
    }

    /* kernels[0].args[1] */
    const demo_ranks_args_steps *const arg_steps = &args->steps;
    next = wg_key_put(next, arg_steps->count, &differs);

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
    key->num_words = (size_t)(next - key->words);
    *same = differs == 0;
    return WG_OK;

fail:
    return status;

other:
    return demo_ranks_key_of_any(ctx, args, key);
}

static int32_t demo_ranks_find(WgContext *ctx, const demo_ranks_args *args, int32_t *read)
{
    const int64_t x_present = args->x != NULL;
    if (!(x_present == 1)) {
        return -1;
    }
    const int64_t x_rank = wg_rank(ctx, args->x);
    if (!((x_rank >= 2 && x_rank <= 4 && x_rank % 2 == 0))) {
        return -1;
    }
    const int64_t steps_length = (args->steps.items == NULL && args->steps.count > 0 ? -1 : (int64_t)args->steps.count);
    if (!(steps_length >= 2)) {
        return -1;
    }
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    return 0; /* demo_flat */
}
