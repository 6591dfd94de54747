static int32_t demo_gather_find(WgContext *ctx, const demo_gather_args *args, int32_t *read)
{
    const int64_t x_present = args->x != NULL;
    if (!(x_present == 1)) {
        return -1;
    }
    const int64_t x_rank = wg_rank(ctx, args->x);
    if (!(x_rank == 1)) {
        return -1;
    }
    const int64_t x_storage_offset = wg_offset(ctx, args->x);
    const int64_t y_present = args->y != NULL;
    const int64_t y_rank = y_present == 1 ? wg_rank(ctx, args->y) : -1;
    if (!(y_rank == 1 || y_present == 0)) {
        return -1;
    }
    const int64_t y_storage_offset = y_present == 1 ? wg_offset(ctx, args->y) : -1;
    (void)args;
    *read = wg_host_status(ctx);
    if (*read != 0) {
        return -1; /* nothing can be decided */
    }
    if (x_storage_offset == 0) {
        return 0; /* gather_from_start */
    }
    if (x_storage_offset % 4 == 0) {
        return 1; /* gather_by_four */
    }
    if (y_present == 1 && y_storage_offset == x_storage_offset) {
        return 2; /* gather_both_alike */
    }
    return 3; /* gather_any */
}

static void demo_gather_fields(WgContext *ctx, const demo_gather_args *args, int64_t *fields)
{
    const int64_t x_present = args->x != NULL;
    const int64_t x_rank = x_present == 1 ? wg_rank(ctx, args->x) : -1;
    const int64_t x_storage_offset = x_present == 1 ? wg_offset(ctx, args->x) : -1;
    const int64_t y_present = args->y != NULL;
    const int64_t y_rank = y_present == 1 ? wg_rank(ctx, args->y) : -1;
    const int64_t y_storage_offset = y_present == 1 ? wg_offset(ctx, args->y) : -1;
    (void)ctx;
    (void)args;
    (void)fields;
    fields[0] = x_present;
    fields[1] = x_rank;
    fields[4] = x_storage_offset;
    fields[2] = y_present;
    fields[3] = y_rank;
    fields[5] = y_storage_offset;
}
