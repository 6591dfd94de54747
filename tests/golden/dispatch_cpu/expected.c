static int32_t demo_dot_find(WgContext *ctx, const demo_dot_args *args, int32_t *read)
{
    const int64_t a_present = args->a != NULL;
    if (!(a_present == 1)) {
        return -1;
    }
    const int64_t a_dtype = wg_dtype(ctx, args->a);
    if (!(a_dtype == WG_FLOAT32 || a_dtype == WG_BFLOAT16)) {
        return -1;
    }
    const int64_t a_rank = wg_rank(ctx, args->a);
    if (!(a_rank == 1)) {
        return -1;
    }
    const int64_t a_size_0 = wg_size(ctx, args->a, 0);
    const int64_t cpu_amx_tile = (int64_t)(wg_cpu(ctx) >> WG_CPU_AMX_TILE & 1);
    const int64_t cpu_amx_bf16 = (int64_t)(wg_cpu(ctx) >> WG_CPU_AMX_BF16 & 1);
    const int64_t cpu_avx512f = (int64_t)(wg_cpu(ctx) >> WG_CPU_AVX512F & 1);
    const int64_t cpu_avx2 = (int64_t)(wg_cpu(ctx) >> WG_CPU_AVX2 & 1);
    const int64_t cpu_fma = (int64_t)(wg_cpu(ctx) >> WG_CPU_FMA & 1);
    const int64_t b_present = args->b != NULL;
    if (!(b_present == 1)) {
        return -1;
    }
    const int64_t b_rank = wg_rank(ctx, args->b);
    if (!(b_rank == 1)) {
        return -1;
    }
    const int64_t b_size_0 = wg_size(ctx, args->b, 0);
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if (a_dtype == WG_BFLOAT16 && a_size_0 % 32 == 0 && cpu_amx_tile == 1 && cpu_amx_bf16 == 1) {
        return 0; /* dot_amx */
    }
    if (a_dtype == WG_FLOAT32 && cpu_avx512f == 1 && b_size_0 == a_size_0) {
        return 1; /* dot_avx512 */
    }
    if (a_dtype == WG_FLOAT32 && cpu_avx2 == 1 && cpu_fma == 1 && b_size_0 == a_size_0) {
        return 2; /* dot_avx2 */
    }
    if (a_size_0 >= 1024) {
        return 3; /* dot_large */
    }
    return 4; /* dot_any */
}

static void demo_dot_fields(WgContext *ctx, const demo_dot_args *args, int64_t *fields)
{
    const int64_t a_present = args->a != NULL;
    const int64_t a_dtype = a_present == 1 ? wg_dtype(ctx, args->a) : -1;
    const int64_t a_rank = a_present == 1 ? wg_rank(ctx, args->a) : -1;
    const int64_t a_size_0 = a_present == 1 && a_rank > 0 ? wg_size(ctx, args->a, 0) : -1;
    const int64_t cpu_amx_tile = (int64_t)(wg_cpu(ctx) >> WG_CPU_AMX_TILE & 1);
    const int64_t cpu_amx_bf16 = (int64_t)(wg_cpu(ctx) >> WG_CPU_AMX_BF16 & 1);
    const int64_t cpu_avx512f = (int64_t)(wg_cpu(ctx) >> WG_CPU_AVX512F & 1);
    const int64_t cpu_avx2 = (int64_t)(wg_cpu(ctx) >> WG_CPU_AVX2 & 1);
    const int64_t cpu_fma = (int64_t)(wg_cpu(ctx) >> WG_CPU_FMA & 1);
    const int64_t b_present = args->b != NULL;
    const int64_t b_rank = b_present == 1 ? wg_rank(ctx, args->b) : -1;
    const int64_t b_size_0 = b_present == 1 && b_rank > 0 ? wg_size(ctx, args->b, 0) : -1;
    (void)ctx;
    (void)args;
    (void)fields;
    fields[0] = a_present;
    fields[2] = a_dtype;
    fields[1] = a_rank;
    fields[5] = a_size_0;
    fields[6] = cpu_amx_tile;
    fields[7] = cpu_amx_bf16;
    fields[9] = cpu_avx512f;
    fields[10] = cpu_avx2;
    fields[11] = cpu_fma;
    fields[3] = b_present;
    fields[4] = b_rank;
    fields[8] = b_size_0;
}

static const WgDispatchVariant demo_dot_variants[] = {
    { "dot_amx", 0, 4 },
    { "dot_avx512", 4, 3 },
    { "dot_avx2", 7, 4 },
    { "dot_large", 11, 1 },
    { "dot_any", 12, 0 },
    { NULL, 12, 5 },
};
