static int32_t demo_attention_find(WgContext *ctx, const demo_attention_args *args, int32_t *read)
{
    const int64_t q_present = args->q != NULL;
    if (!(q_present == 1)) {
        return -1;
    }
    const int64_t q_rank = wg_rank(ctx, args->q);
    if (!(q_rank == 2)) {
        return -1;
    }
    const int64_t q_size_0 = wg_size(ctx, args->q, 0);
    const int64_t q_size_1 = wg_size(ctx, args->q, 1);
    const int64_t q_stride_0 = wg_stride(ctx, args->q, 0);
    const int64_t q_stride_1 = wg_stride(ctx, args->q, 1);
    if (!(q_stride_1 == 1)) {
        return -1;
    }
    const int64_t causal_value = args->causal != 0;
    if (!(causal_value == 1)) {
        return -1;
    }
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    static const uint8_t displacements[] = { 0, 2, 1, 0 };
    const uint64_t hash = (uint64_t)q_size_0 * UINT64_C(10451216379200822465) + (uint64_t)q_size_1 * UINT64_C(13757245211066428519);
    const uint32_t slot = ((uint32_t)(hash >> 32) + displacements[hash >> 62]) & 15;
    /* What each variant requires, by slot; -1: the slot is free. */
    static const struct {
        int16_t q_size_0;
        int16_t q_size_1;
        int16_t q_stride_0;
        int32_t variant;
    } rows[] = {
        { 0, 0, 0, -1 },
        { 16, 64, 64, 1 },
        { 0, 0, 0, -1 },
        { 0, 0, 0, -1 },
        { 0, 0, 0, -1 },
        { 16, 32, 32, 0 },
        { 64, 128, 128, 5 },
        { 128, 128, 128, 6 },
        { 0, 0, 0, -1 },
        { 0, 0, 0, -1 },
        { 32, 64, 64, 3 },
        { 64, 64, 64, 4 },
        { 128, 256, 256, 7 },
        { 32, 32, 32, 2 },
        { 0, 0, 0, -1 },
        { 0, 0, 0, -1 },
    };
    if (q_size_0 == rows[slot].q_size_0 && q_size_1 == rows[slot].q_size_1 && q_stride_0 == rows[slot].q_stride_0 && rows[slot].variant >= 0) {
        return rows[slot].variant;
    }
    return -1;
}

static const WgDispatchClause demo_attention_clauses[] = {
    { 0, 1, "16" },
    { 1, 1, "32" },
    { 2, 1, "32" },
    { 3, 1, "1" },
    { 4, 1, "true" },
    { 5, 1, "64" },
    { 6, 1, "64" },
    { 7, 1, "32" },
    { 8, 1, "64" },
    { 9, 1, "128" },
    { 10, 1, "128" },
    { 11, 1, "128" },
    { 12, 1, "256" },
    { 13, 1, "256" },
    { 14, 1, "not null" },
    { 15, 1, "2" },
};

static int32_t demo_mixed_find(WgContext *ctx, const demo_mixed_args *args, int32_t *read)
{
    const int64_t q_present = args->q != NULL;
    if (!(q_present == 1)) {
        return -1;
    }
    const int64_t q_dtype = wg_dtype(ctx, args->q);
    const int64_t q_rank = wg_rank(ctx, args->q);
    if (!(q_rank == 2)) {
        return -1;
    }
    const int64_t q_size_0 = wg_size(ctx, args->q, 0);
    const int64_t q_size_1 = wg_size(ctx, args->q, 1);
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    static const uint8_t displacements[] = { 0, 0, 0, 4 };
    const uint64_t hash = (uint64_t)q_size_1 * UINT64_C(10451216379200822465) + (uint64_t)q_dtype * UINT64_C(13757245211066428519);
    const uint32_t slot = ((uint32_t)(hash >> 32) + displacements[hash >> 62]) & 15;
    static const int8_t slots[] = { -1, -1, -1, -1, -1, -1, 1, 3, 5, 7, 4, 6, 0, 2, -1, -1 };
    switch (slots[slot]) {
    case 0:
        if (q_dtype == WG_FLOAT16 && q_size_0 % 16 == 0 && q_size_1 == 32) {
            return 0; /* mixed_32_float16 */
        }
        break;
    case 1:
        if (q_dtype == WG_BFLOAT16 && q_size_0 % 16 == 0 && q_size_1 == 32) {
            return 1; /* mixed_32_bfloat16 */
        }
        break;
    case 2:
        if (q_dtype == WG_FLOAT16 && q_size_0 % 16 == 0 && q_size_1 == 64) {
            return 2; /* mixed_64_float16 */
        }
        break;
    case 3:
        if (q_dtype == WG_BFLOAT16 && q_size_0 % 16 == 0 && q_size_1 == 64) {
            return 3; /* mixed_64_bfloat16 */
        }
        break;
    case 4:
        if (q_dtype == WG_FLOAT16 && q_size_0 % 16 == 0 && q_size_1 == 96) {
            return 4; /* mixed_96_float16 */
        }
        break;
    case 5:
        if (q_dtype == WG_BFLOAT16 && q_size_0 % 16 == 0 && q_size_1 == 96) {
            return 5; /* mixed_96_bfloat16 */
        }
        break;
    case 6:
        if (q_dtype == WG_FLOAT16 && q_size_0 % 16 == 0 && q_size_1 == 128) {
            return 6; /* mixed_128_float16 */
        }
        break;
    case 7:
        if (q_dtype == WG_BFLOAT16 && q_size_0 % 16 == 0 && q_size_1 == 128) {
            return 7; /* mixed_128_bfloat16 */
        }
        break;
    default:
        break;
    }
    return 8; /* mixed_any */
}
