static int32_t demo_attention_find(WgContext *ctx, const demo_attention_args *args, int32_t *read)
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
    switch (q_size_1) {
    case 32:
        switch (q_dtype) {
        case WG_FLOAT16:
            if (q_size_0 % 16 == 0) {
                return 0; /* attention_32_float16 */
            }
            break;
        case WG_BFLOAT16:
            if (q_size_0 % 16 == 0) {
                return 1; /* attention_32_bfloat16 */
            }
            break;
        default:
            break;
        }
        break;
    case 64:
        switch (q_dtype) {
        case WG_FLOAT16:
            if (q_size_0 % 16 == 0) {
                return 2; /* attention_64_float16 */
            }
            break;
        case WG_BFLOAT16:
            if (q_size_0 % 16 == 0) {
                return 3; /* attention_64_bfloat16 */
            }
            break;
        default:
            break;
        }
        break;
    case 96:
        switch (q_dtype) {
        case WG_FLOAT16:
            if (q_size_0 % 16 == 0) {
                return 4; /* attention_96_float16 */
            }
            break;
        case WG_BFLOAT16:
            if (q_size_0 % 16 == 0) {
                return 5; /* attention_96_bfloat16 */
            }
            break;
        default:
            break;
        }
        break;
    case 128:
        switch (q_dtype) {
        case WG_FLOAT16:
            if (q_size_0 % 16 == 0) {
                return 6; /* attention_128_float16 */
            }
            break;
        case WG_BFLOAT16:
            if (q_size_0 % 16 == 0) {
                return 7; /* attention_128_bfloat16 */
            }
            break;
        default:
            break;
        }
        break;
    default:
        break;
    }
    return 8; /* attention_any */
}
