static int32_t demo_bounded_find(WgContext *ctx, const demo_bounded_args *args, int32_t *read)
{
    const int64_t x_present = args->x != NULL;
    if (!(x_present == 1)) {
        return -1;
    }
    const int64_t x_rank = wg_rank(ctx, args->x);
    if (!(x_rank == 2)) {
        return -1;
    }
    const int64_t x_size_0 = wg_size(ctx, args->x, 0);
    const int64_t x_size_1 = wg_size(ctx, args->x, 1);
    const int64_t by_value = args->by;
    /* m*k >= 12 */
    int overflow = 0;
    const int64_t call_guard_0_0 = wg_mul(x_size_0, x_size_1, &overflow);
    const int64_t call_guard_0_1 = 12 <= call_guard_0_0;
    const int64_t call_guard_0 = call_guard_0_1;
    /* (k + s) // m == 2 */
    const int64_t call_guard_1_0 = wg_add(x_size_1, by_value, &overflow);
    const int64_t call_guard_1_1 = wg_floordiv(call_guard_1_0, x_size_0, &overflow);
    const int64_t call_guard_1_2 = call_guard_1_1 == 2;
    const int64_t call_guard_1 = call_guard_1_2;
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if ((x_size_0 >= 1 && x_size_0 <= 65536) && x_size_1 <= 65536 && call_guard_0 == 1) {
        return 0; /* bounded_large */
    }
    if ((x_size_0 >= 1 && x_size_0 <= 65536) && x_size_1 <= 65536 && (by_value >= -8 && by_value <= 8) && call_guard_1 == 1) {
        return 1; /* bounded_signed */
    }
    return 2; /* bounded_any */
}

static void demo_bounded_fields(WgContext *ctx, const demo_bounded_args *args, int64_t *fields)
{
    const int64_t x_present = args->x != NULL;
    const int64_t x_rank = x_present == 1 ? wg_rank(ctx, args->x) : -1;
    const int64_t x_size_0 = x_present == 1 && x_rank > 0 ? wg_size(ctx, args->x, 0) : -1;
    const int64_t x_size_1 = x_present == 1 && x_rank > 1 ? wg_size(ctx, args->x, 1) : -1;
    const int64_t by_value = args->by;
    /* m*k >= 12 */
    int overflow = 0;
    const int64_t call_guard_0_0 = wg_mul(x_size_0, x_size_1, &overflow);
    const int64_t call_guard_0_1 = 12 <= call_guard_0_0;
    const int64_t call_guard_0 = call_guard_0_1 & !overflow;
    /* (k + s) // m == 2 */
    overflow = 0;
    const int64_t call_guard_1_0 = wg_add(x_size_1, by_value, &overflow);
    const int64_t call_guard_1_1 = wg_floordiv(call_guard_1_0, x_size_0, &overflow);
    const int64_t call_guard_1_2 = call_guard_1_1 == 2;
    const int64_t call_guard_1 = call_guard_1_2 & !overflow;
    (void)ctx;
    (void)args;
    (void)fields;
    fields[0] = x_present;
    fields[1] = x_rank;
    fields[2] = x_size_0;
    fields[3] = x_size_1;
    fields[5] = by_value;
    fields[4] = call_guard_0;
    fields[6] = call_guard_1;
}

static int32_t demo_mixed_find(WgContext *ctx, const demo_mixed_args *args, int32_t *read)
{
    const int64_t x_present = args->x != NULL;
    if (!(x_present == 1)) {
        return -1;
    }
    const int64_t x_rank = wg_rank(ctx, args->x);
    if (!(x_rank == 2)) {
        return -1;
    }
    const int64_t x_size_0 = wg_size(ctx, args->x, 0);
    const int64_t x_size_1 = wg_size(ctx, args->x, 1);
    /* n % m == 0 */
    int overflow = 0;
    const int64_t call_guard_0_0 = wg_mod(x_size_1, x_size_0, &overflow);
    const int64_t call_guard_0_1 = call_guard_0_0 == 0;
    const int64_t call_guard_0 = call_guard_0_1;
    /* n*n != 16 */
    overflow = 0;
    const int64_t call_guard_1_0 = wg_mul(x_size_1, x_size_1, &overflow);
    const int64_t call_guard_1_1 = call_guard_1_0 != 16;
    const int64_t call_guard_1 = call_guard_1_1 & !overflow;
    /* m*m != 81 */
    const int64_t call_guard_2_0 = wg_mul(x_size_0, x_size_0, &overflow);
    const int64_t call_guard_2_1 = call_guard_2_0 != 81;
    const int64_t call_guard_2 = call_guard_2_1;
    /* n // m == 3 */
    const int64_t call_guard_3_0 = wg_floordiv(x_size_0, x_size_1, &overflow);
    const int64_t call_guard_3_1 = call_guard_3_0 == 3;
    const int64_t call_guard_3 = call_guard_3_1;
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if ((x_size_0 >= 1 && x_size_0 <= 65536) && call_guard_0 == 1 && call_guard_1 == 1) {
        return 0; /* mixed_open */
    }
    if ((x_size_1 >= 16 && x_size_1 <= 64) && (x_size_0 >= 1 && x_size_0 <= 65536) && call_guard_2 == 1) {
        return 1; /* mixed_literal */
    }
    if ((x_size_1 >= 1 && x_size_1 <= 65536) && call_guard_3 == 1) {
        return 2; /* mixed_divided */
    }
    return 3; /* mixed_any */
}

static void demo_mixed_fields(WgContext *ctx, const demo_mixed_args *args, int64_t *fields)
{
    const int64_t x_present = args->x != NULL;
    const int64_t x_rank = x_present == 1 ? wg_rank(ctx, args->x) : -1;
    const int64_t x_size_0 = x_present == 1 && x_rank > 0 ? wg_size(ctx, args->x, 0) : -1;
    const int64_t x_size_1 = x_present == 1 && x_rank > 1 ? wg_size(ctx, args->x, 1) : -1;
    /* n % m == 0 */
    int overflow = 0;
    const int64_t call_guard_0_0 = wg_mod(x_size_1, x_size_0, &overflow);
    const int64_t call_guard_0_1 = call_guard_0_0 == 0;
    const int64_t call_guard_0 = call_guard_0_1 & !overflow;
    /* n*n != 16 */
    overflow = 0;
    const int64_t call_guard_1_0 = wg_mul(x_size_1, x_size_1, &overflow);
    const int64_t call_guard_1_1 = call_guard_1_0 != 16;
    const int64_t call_guard_1 = call_guard_1_1 & !overflow;
    /* m*m != 81 */
    overflow = 0;
    const int64_t call_guard_2_0 = wg_mul(x_size_0, x_size_0, &overflow);
    const int64_t call_guard_2_1 = call_guard_2_0 != 81;
    const int64_t call_guard_2 = call_guard_2_1 & !overflow;
    /* n // m == 3 */
    overflow = 0;
    const int64_t call_guard_3_0 = wg_floordiv(x_size_0, x_size_1, &overflow);
    const int64_t call_guard_3_1 = call_guard_3_0 == 3;
    const int64_t call_guard_3 = call_guard_3_1 & !overflow;
    (void)ctx;
    (void)args;
    (void)fields;
    fields[0] = x_present;
    fields[1] = x_rank;
    fields[2] = x_size_0;
    fields[3] = x_size_1;
    fields[4] = call_guard_0;
    fields[5] = call_guard_1;
    fields[6] = call_guard_2;
    fields[7] = call_guard_3;
}
