static int32_t demo_add_here_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* runtime_wrapper_orchestration: graphs[0] */
    memset(outs, 0, 1 * sizeof *outs);
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    num_results = 1;
    status = demo_add(ctx, args, 2, outs, &num_results);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
    }
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }
    if (num_results != 1) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(1), wg_value_integer((int64_t)num_results));
        goto fail;
    }

}

static int32_t demo_add_find(WgContext *ctx, const demo_add_args *args, int32_t *read)
{
    const int64_t x_present = args->x != NULL;
    if (!(x_present == 1)) {
        return -1;
    }
    const int64_t x_rank = wg_rank(ctx, args->x);
    if (!(x_rank == 1)) {
        return -1;
    }
    const int64_t y_present = args->y != NULL;
    const int64_t y_rank = y_present == 1 ? wg_rank(ctx, args->y) : -1;
    if (!(y_rank == 1 || y_present == 0)) {
        return -1;
    }
    const int64_t y_same_x = y_present == 1 ? wg_same(ctx, args->y, args->x) != 0 : -1;
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if (y_present == 1 && y_same_x == 1) {
        return 0; /* add_twice */
    }
    if (y_present == 1 && y_same_x == 0) {
        return 1; /* add_two */
    }
    if (y_present == 0) {
        return 2; /* add_nothing */
    }
    return -1;
}

static inline __attribute__((always_inline)) int32_t demo_gather_key_over(WgContext *ctx, const demo_gather_args *args, demo_gather_key *key, int *same)
{
    static const WgSite site_read = { "gather", NULL, "read", WG_E_HOST, WG_KIND_STATUS };
    uint64_t *next = key->words;
    uint64_t differs = 0;
    const WgTensor *tensors[5];
    size_t num_tensors = 0;
    int32_t status = demo_gather_check(ctx, args);
    key->num_words = 0;
    *same = 0;
    if (status != WG_OK) {
        goto fail;
    }

    /* kernels[1].args[0] */
    WgTensor *const arg_out = args->out;
    if (!wg_key_apart(ctx, arg_out, tensors, num_tensors++)) {
        goto other;
    }
    {
        const int64_t *const sizes = wg_sizes(ctx, arg_out);
        int64_t count = 1;
        if (!wg_is_plain(ctx, arg_out) || sizes == NULL) {
            goto other;
        }
        uint64_t buckets = 0;
        if (wg_key_times(&count, sizes[0])) {
            goto other;
        }
        next = wg_key_put(next, UINT64_C(0x200010001) | wg_key_type_on(ctx, arg_out) | wg_key_many(count) | buckets << 32, &differs);
    }

    /* kernels[1].args[1] */
    const demo_gather_args_ts *const arg_ts = &args->ts;
    next = wg_key_put(next, arg_ts->count, &differs);
    for (size_t i_ts = 0; i_ts < arg_ts->count; i_ts++) {
        WgTensor *const arg_ts_item = arg_ts->items[i_ts];
        if (!wg_key_apart(ctx, arg_ts_item, tensors, num_tensors++)) {
            goto other;
        }
        {
            const int64_t *const sizes = wg_sizes(ctx, arg_ts_item);
            int64_t count = 1;
            if (!wg_is_plain(ctx, arg_ts_item) || sizes == NULL) {
                goto other;
            }
            uint64_t buckets = 0;
            if (wg_key_times(&count, sizes[0])) {
                goto other;
            }
            next = wg_key_put(next, UINT64_C(0x200010001) | wg_key_type_on(ctx, arg_ts_item) | wg_key_many(count) | buckets << 32, &differs);
        }
    }

    /* kernels[1].args[2] */
    const demo_gather_args_pair *const arg_pair = &args->pair;

    /* kernels[1].args[2].items[0] */
    WgTensor *const arg_pair_0 = arg_pair->item0;
    if (arg_pair_0 == NULL) {
        next = wg_key_put(next, 0, &differs);
    } else {
        if (!wg_key_apart(ctx, arg_pair_0, tensors, num_tensors++)) {
            goto other;
        }
        {
            const int64_t *const sizes = wg_sizes(ctx, arg_pair_0);
            int64_t count = 1;
            if (!wg_is_plain(ctx, arg_pair_0) || sizes == NULL) {
                goto other;
            }
            uint64_t buckets = 0;
            if (wg_key_times(&count, sizes[0])) {
                goto other;
            }
            next = wg_key_put(next, UINT64_C(0x200010001) | wg_key_type_on(ctx, arg_pair_0) | wg_key_many(count) | buckets << 32, &differs);
        }
    }

    /* kernels[1] */
    status = wg_host_status(ctx);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_read, status);
        goto fail;
    }
    key->num_words = (size_t)(next - key->words);
    *same = differs == 0;
    return WG_OK;

fail:
    return status;

other:
    return demo_gather_key_of_any(ctx, args, key);
}

static int32_t demo_gather_find(WgContext *ctx, const demo_gather_args *args, int32_t *read)
{
    const int64_t out_present = args->out != NULL;
    if (!(out_present == 1)) {
        return -1;
    }
    const int64_t out_dtype = wg_dtype(ctx, args->out);
    if (!(out_dtype == WG_FLOAT32 || out_dtype == WG_FLOAT16)) {
        return -1;
    }
    const int64_t out_rank = wg_rank(ctx, args->out);
    if (!(out_rank == 1)) {
        return -1;
    }
    const int64_t ts_length = (args->ts.items == NULL && args->ts.count > 0 ? -1 : (int64_t)args->ts.count);
    if (!((ts_length >= 0 && ts_length <= 3))) {
        return -1;
    }
    const int64_t ts_0_present = ts_length > 0 ? args->ts.items[0] != NULL : -1;
    if (!(ts_0_present == 1 || ts_length == 0)) {
        return -1;
    }
    const int64_t ts_0_rank = ts_0_present == 1 ? wg_rank(ctx, args->ts.items[0]) : -1;
    if (!(ts_0_rank == 1 || ts_length == 0)) {
        return -1;
    }
    const int64_t ts_0_same_out = ts_0_present == 1 ? wg_same(ctx, args->ts.items[0], args->out) != 0 : -1;
    const int64_t ts_1_present = ts_length > 1 ? args->ts.items[1] != NULL : -1;
    if (!(ts_1_present == 1 || (ts_length >= 0 && ts_length <= 1))) {
        return -1;
    }
    const int64_t ts_1_dtype = ts_1_present == 1 ? wg_dtype(ctx, args->ts.items[1]) : -1;
    const int64_t ts_1_rank = ts_1_present == 1 ? wg_rank(ctx, args->ts.items[1]) : -1;
    if (!(ts_1_rank == 1 || (ts_length >= 0 && ts_length <= 1))) {
        return -1;
    }
    const int64_t ts_1_same_out = ts_1_present == 1 ? wg_same(ctx, args->ts.items[1], args->out) != 0 : -1;
    const int64_t ts_1_same_ts_0 = ts_1_present == 1 && ts_0_present > 0 ? wg_same(ctx, args->ts.items[1], args->ts.items[0]) != 0 : -1;
    const int64_t ts_2_present = ts_length > 2 ? args->ts.items[2] != NULL : -1;
    if (!(ts_2_present == 1 || (ts_length >= 0 && ts_length <= 2))) {
        return -1;
    }
    const int64_t ts_2_rank = ts_2_present == 1 ? wg_rank(ctx, args->ts.items[2]) : -1;
    if (!(ts_2_rank == 1 || (ts_length >= 0 && ts_length <= 2))) {
        return -1;
    }
    const int64_t pair_0_present = args->pair.item0 != NULL;
    const int64_t pair_0_dtype = pair_0_present == 1 ? wg_dtype(ctx, args->pair.item0) : -1;
    const int64_t pair_0_rank = pair_0_present == 1 ? wg_rank(ctx, args->pair.item0) : -1;
    if (!(pair_0_rank == 1 || pair_0_present == 0)) {
        return -1;
    }
    const int64_t pair_0_same_ts_0 = pair_0_present == 1 && ts_0_present > 0 ? wg_same(ctx, args->pair.item0, args->ts.items[0]) != 0 : -1;
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if (ts_length >= 2 && ts_0_same_out == 1 && ts_1_same_out == 0) {
        return 0; /* gather_into_first */
    }
    if (ts_length >= 2 && ts_1_same_out == 1 && ts_1_dtype == WG_FLOAT32 && ts_1_same_ts_0 == 1) {
        return 1; /* gather_all_one */
    }
    if (pair_0_present == 1 && pair_0_dtype == WG_FLOAT16 && ts_length >= 1 && pair_0_same_ts_0 == 1) {
        return 2; /* gather_pair */
    }
    return 3; /* gather_any */
}

static void demo_gather_fields(WgContext *ctx, const demo_gather_args *args, int64_t *fields)
{
    const int64_t out_present = args->out != NULL;
    const int64_t out_dtype = out_present == 1 ? wg_dtype(ctx, args->out) : -1;
    const int64_t out_rank = out_present == 1 ? wg_rank(ctx, args->out) : -1;
    const int64_t ts_length = (args->ts.items == NULL && args->ts.count > 0 ? -1 : (int64_t)args->ts.count);
    const int64_t ts_0_present = ts_length > 0 ? args->ts.items[0] != NULL : -1;
    const int64_t ts_0_rank = ts_0_present == 1 ? wg_rank(ctx, args->ts.items[0]) : -1;
    const int64_t ts_0_same_out = ts_0_present == 1 && out_present > 0 ? wg_same(ctx, args->ts.items[0], args->out) != 0 : -1;
    const int64_t ts_1_present = ts_length > 1 ? args->ts.items[1] != NULL : -1;
    const int64_t ts_1_dtype = ts_1_present == 1 ? wg_dtype(ctx, args->ts.items[1]) : -1;
    const int64_t ts_1_rank = ts_1_present == 1 ? wg_rank(ctx, args->ts.items[1]) : -1;
    const int64_t ts_1_same_out = ts_1_present == 1 && out_present > 0 ? wg_same(ctx, args->ts.items[1], args->out) != 0 : -1;
    const int64_t ts_1_same_ts_0 = ts_1_present == 1 && ts_0_present > 0 ? wg_same(ctx, args->ts.items[1], args->ts.items[0]) != 0 : -1;
    const int64_t ts_2_present = ts_length > 2 ? args->ts.items[2] != NULL : -1;
    const int64_t ts_2_rank = ts_2_present == 1 ? wg_rank(ctx, args->ts.items[2]) : -1;
    const int64_t pair_0_present = args->pair.item0 != NULL;
    const int64_t pair_0_dtype = pair_0_present == 1 ? wg_dtype(ctx, args->pair.item0) : -1;
    const int64_t pair_0_rank = pair_0_present == 1 ? wg_rank(ctx, args->pair.item0) : -1;
    const int64_t pair_0_same_ts_0 = pair_0_present == 1 && ts_0_present > 0 ? wg_same(ctx, args->pair.item0, args->ts.items[0]) != 0 : -1;
    (void)ctx;
    (void)args;
    (void)fields;
    fields[0] = out_present;
    fields[2] = out_dtype;
    fields[1] = out_rank;
    fields[3] = ts_length;
    fields[4] = ts_0_present;
    fields[5] = ts_0_rank;
    fields[12] = ts_0_same_out;
    fields[6] = ts_1_present;
    fields[14] = ts_1_dtype;
    fields[7] = ts_1_rank;
    fields[13] = ts_1_same_out;
    fields[15] = ts_1_same_ts_0;
    fields[8] = ts_2_present;
    fields[9] = ts_2_rank;
    fields[10] = pair_0_present;
    fields[16] = pair_0_dtype;
    fields[11] = pair_0_rank;
    fields[17] = pair_0_same_ts_0;
}
