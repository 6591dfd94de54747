static int32_t demo_matmul_find(WgContext *ctx, const demo_matmul_args *args, int32_t *read)
{
    const int64_t a_present = args->a != NULL;
    if (!(a_present == 1)) {
        return -1;
    }
    const int64_t a_rank = wg_rank(ctx, args->a);
    if (!(a_rank == 2)) {
        return -1;
    }
    const int64_t a_size_0 = wg_size(ctx, args->a, 0);
    const int64_t a_size_1 = wg_size(ctx, args->a, 1);
    const int64_t b_present = args->b != NULL;
    if (!(b_present == 1)) {
        return -1;
    }
    const int64_t b_rank = wg_rank(ctx, args->b);
    const int64_t b_size_0 = b_rank > 0 ? wg_size(ctx, args->b, 0) : -1;
    const int64_t b_size_1 = b_rank > 1 ? wg_size(ctx, args->b, 1) : -1;
    const int64_t count_value = args->count;
    /* m < k or n < k */
    const int64_t call_guard_0_0 = a_size_0 < a_size_1;
    const int64_t call_guard_0_1 = b_size_1 < a_size_1;
    const int64_t call_guard_0_2 = call_guard_0_0 | call_guard_0_1;
    const int64_t call_guard_0 = call_guard_0_2;
    /* m % (k + 1) == 0 and s // m != 3 */
    int overflow = 0;
    const int64_t call_guard_1_0 = wg_add(a_size_1, 1, &overflow);
    const int64_t call_guard_1_1 = wg_mod(a_size_0, call_guard_1_0, &overflow);
    const int64_t call_guard_1_2 = call_guard_1_1 == 0;
    const int64_t call_guard_1_3 = wg_floordiv(count_value, a_size_0, &overflow);
    const int64_t call_guard_1_4 = call_guard_1_3 != 3;
    const int64_t call_guard_1_5 = call_guard_1_2 & call_guard_1_4;
    const int64_t call_guard_1 = call_guard_1_5 & !overflow;
    /* min(m, k, n) < max(s, 2)**2 */
    overflow = 0;
    const int64_t call_guard_2_0 = wg_min(a_size_0, a_size_1);
    const int64_t call_guard_2_1 = wg_min(call_guard_2_0, b_size_1);
    const int64_t call_guard_2_2 = wg_max(count_value, 2);
    const int64_t call_guard_2_3 = wg_max(count_value, 2);
    const int64_t call_guard_2_4 = wg_mul(call_guard_2_2, call_guard_2_3, &overflow);
    const int64_t call_guard_2_5 = call_guard_2_1 < call_guard_2_4;
    const int64_t call_guard_2 = call_guard_2_5 & !overflow;
    /* not (m == 7 and k > n) */
    const int64_t call_guard_3_0 = a_size_0 != 7;
    const int64_t call_guard_3_1 = a_size_1 <= b_size_1;
    const int64_t call_guard_3_2 = call_guard_3_0 | call_guard_3_1;
    const int64_t call_guard_3 = call_guard_3_2;
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if (b_rank == 2 && a_size_0 >= 1 && b_size_0 == a_size_1 && b_size_1 % 4 == 0 && call_guard_0 == 1 && call_guard_1 == 1 && call_guard_2 == 1) {
        return 0; /* matmul_tall */
    }
    if (b_rank == 2 && count_value >= 1 && a_size_0 >= 1 && b_size_0 == a_size_1 && b_size_1 % 4 == 0 && call_guard_0 == 1 && call_guard_3 == 1) {
        return 1; /* matmul_other */
    }
    return 2; /* matmul_any */
}

static void demo_matmul_fields(WgContext *ctx, const demo_matmul_args *args, int64_t *fields)
{
    const int64_t a_present = args->a != NULL;
    const int64_t a_rank = a_present == 1 ? wg_rank(ctx, args->a) : -1;
    const int64_t a_size_0 = a_present == 1 && a_rank > 0 ? wg_size(ctx, args->a, 0) : -1;
    const int64_t a_size_1 = a_present == 1 && a_rank > 1 ? wg_size(ctx, args->a, 1) : -1;
    const int64_t b_present = args->b != NULL;
    const int64_t b_rank = b_present == 1 ? wg_rank(ctx, args->b) : -1;
    const int64_t b_size_0 = b_present == 1 && b_rank > 0 ? wg_size(ctx, args->b, 0) : -1;
    const int64_t b_size_1 = b_present == 1 && b_rank > 1 ? wg_size(ctx, args->b, 1) : -1;
    const int64_t count_value = args->count;
    /* m < k or n < k */
    const int64_t call_guard_0_0 = a_size_0 < a_size_1;
    const int64_t call_guard_0_1 = b_size_1 < a_size_1;
    const int64_t call_guard_0_2 = call_guard_0_0 | call_guard_0_1;
    const int64_t call_guard_0 = call_guard_0_2;
    /* m % (k + 1) == 0 and s // m != 3 */
    int overflow = 0;
    const int64_t call_guard_1_0 = wg_add(a_size_1, 1, &overflow);
    const int64_t call_guard_1_1 = wg_mod(a_size_0, call_guard_1_0, &overflow);
    const int64_t call_guard_1_2 = call_guard_1_1 == 0;
    const int64_t call_guard_1_3 = wg_floordiv(count_value, a_size_0, &overflow);
    const int64_t call_guard_1_4 = call_guard_1_3 != 3;
    const int64_t call_guard_1_5 = call_guard_1_2 & call_guard_1_4;
    const int64_t call_guard_1 = call_guard_1_5 & !overflow;
    /* min(m, k, n) < max(s, 2)**2 */
    overflow = 0;
    const int64_t call_guard_2_0 = wg_min(a_size_0, a_size_1);
    const int64_t call_guard_2_1 = wg_min(call_guard_2_0, b_size_1);
    const int64_t call_guard_2_2 = wg_max(count_value, 2);
    const int64_t call_guard_2_3 = wg_max(count_value, 2);
    const int64_t call_guard_2_4 = wg_mul(call_guard_2_2, call_guard_2_3, &overflow);
    const int64_t call_guard_2_5 = call_guard_2_1 < call_guard_2_4;
    const int64_t call_guard_2 = call_guard_2_5 & !overflow;
    /* not (m == 7 and k > n) */
    const int64_t call_guard_3_0 = a_size_0 != 7;
    const int64_t call_guard_3_1 = a_size_1 <= b_size_1;
    const int64_t call_guard_3_2 = call_guard_3_0 | call_guard_3_1;
    const int64_t call_guard_3 = call_guard_3_2;
    (void)ctx;
    (void)args;
    (void)fields;
    fields[0] = a_present;
    fields[1] = a_rank;
    fields[3] = a_size_0;
    fields[4] = a_size_1;
    fields[2] = b_present;
    fields[5] = b_rank;
    fields[6] = b_size_0;
    fields[7] = b_size_1;
    fields[8] = count_value;
    fields[9] = call_guard_0;
    fields[10] = call_guard_1;
    fields[11] = call_guard_2;
    fields[12] = call_guard_3;
}

static int32_t demo_choose_find(WgContext *ctx, const demo_choose_args *args, int32_t *read)
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
    if (!(x_size_0 >= 1)) {
        return -1;
    }
    const int64_t x_size_1 = wg_size(ctx, args->x, 1);
    const int64_t x_contiguous = wg_is_contiguous(wg_rank(ctx, args->x), wg_sizes(ctx, args->x), wg_strides(ctx, args->x));
    if (!(x_contiguous == 1)) {
        return -1;
    }
    /* m >= 8*k */
    int overflow = 0;
    const int64_t call_guard_0_0 = wg_mul(8, x_size_1, &overflow);
    const int64_t call_guard_0_1 = call_guard_0_0 <= x_size_0;
    const int64_t call_guard_0 = call_guard_0_1 & !overflow;
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if (call_guard_0 == 1) {
        return 0; /* demo_tall_boxed */
    }
    return 1; /* demo_wide_boxed */
}

static void demo_choose_fields(WgContext *ctx, const demo_choose_args *args, int64_t *fields)
{
    const int64_t x_present = args->x != NULL;
    const int64_t x_rank = x_present == 1 ? wg_rank(ctx, args->x) : -1;
    const int64_t x_size_0 = x_present == 1 && x_rank > 0 ? wg_size(ctx, args->x, 0) : -1;
    const int64_t x_size_1 = x_present == 1 && x_rank > 1 ? wg_size(ctx, args->x, 1) : -1;
    const int64_t x_contiguous = x_present == 1 ? wg_is_contiguous(wg_rank(ctx, args->x), wg_sizes(ctx, args->x), wg_strides(ctx, args->x)) : -1;
    /* m >= 8*k */
    int overflow = 0;
    const int64_t call_guard_0_0 = wg_mul(8, x_size_1, &overflow);
    const int64_t call_guard_0_1 = call_guard_0_0 <= x_size_0;
    const int64_t call_guard_0 = call_guard_0_1 & !overflow;
    (void)ctx;
    (void)args;
    (void)fields;
    fields[0] = x_present;
    fields[1] = x_rank;
    fields[2] = x_size_0;
    fields[3] = x_size_1;
    fields[4] = x_contiguous;
    fields[5] = call_guard_0;
}
