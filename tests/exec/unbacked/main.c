/* SPDX-License-Identifier: MIT */
/*
 * Symbols that results define: the kernel returns what the test asks for. Right calls of one graph with different
 * sizes; and for each wrong one the fault that is named, of several the first, before anything has an effect.
 */
#include "../exec.h"
#include "wrappers.h"

enum { ROWS = 4, COLUMNS = 3, NOTHING = -1 };

typedef struct Returned {
    int64_t more; /* sizes; NOTHING: null */
    int64_t rows;
    int64_t columns;
    int64_t count;
    int64_t head;
} Returned;

static Returned returned;

static int32_t give(WgContext *ctx, int32_t rank, int64_t size, int64_t columns, WgTensor **out)
{
    const int64_t sizes[] = {size, columns};
    return size == NOTHING ? 0 : wg_native_empty(ctx, WG_FLOAT32, rank, sizes, out);
}

int32_t found_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const double next[] = {1};
    const int64_t one = 1;
    (void)args;
    (void)num_args;
    outs[0].tensor = make(ctx, 1, &one, next);
    int32_t status = give(ctx, 1, returned.more, 0, &outs[1].tensor);
    status = status == 0 ? give(ctx, 2, returned.rows, returned.columns, &outs[2].tensor) : status;
    outs[3].integer = returned.count;
    status = status == 0 ? give(ctx, 2, returned.head, COLUMNS, &outs[4].tensor) : status;
    *num_outs = 5;
    return status;
}

static const struct {
    const char *name;
    Returned returned;
    int32_t status;
    const char *says[2];
} cases[] = {
    {"nothing found", {1, 0, 3, 0, 0}, WG_OK, {"", ""}},
    {"something found", {3, 2, 3, 2, 3}, WG_OK, {"", ""}},
    {"as much as there may be", {5, 4, 3, 4, 4}, WG_OK, {"", ""}},
    {"more than there may be", {6, 5, 3, 5, 1}, WG_E_SYMBOL, {"'rows'", "symbol u0: at most 4"}},
    {"another size that was stated before", {2, 2, 3, 2, 1}, WG_E_RESULT, {"'more'", "(size)"}},
    {"another number", {3, 2, 3, 1, 1}, WG_E_RESULT, {"'count'", "(value)"}},
    {"what defines is not there", {3, NOTHING, 3, 2, 1}, WG_E_RESULT, {"'rows'", "(result)"}},
    {"what defines for an alias is not there", {3, 2, 3, 2, NOTHING}, WG_E_RESULT, {"'head'", "(result)"}},
    {"an alias of more than there is", {3, 2, 3, 2, 5}, WG_E_RESULT, {"'head'", "(shape)"}},
    {"a literal before a bound", {6, 5, 2, 5, 1}, WG_E_RESULT, {"'rows'", "(size)"}},
    {"a bound before an equality", {2, 5, 3, 1, 1}, WG_E_SYMBOL, {"'rows'", "at most 4"}},
    {"the first equality", {2, 2, 3, 1, 1}, WG_E_RESULT, {"'more'", "(size)"}},
};

static void try(WgContext *ctx, WgTensor *x, WgTensor *calls, size_t i)
{
    const WgValue args[] = {wg_value_tensor(x), wg_value_tensor(calls)};
    WgValue outs[4];
    memset(outs, 0x5a, sizeof outs);
    wg_native_set_real(calls, 0, 0);
    returned = cases[i].returned;
    const int32_t status = t_found_boxed(ctx, args, 2, outs, 4);
    int good = status == cases[i].status;
    if (status == WG_OK) {
        const WgTensor *head = outs[3].tensor;
        good = good && wg_native_real(calls, 0) == 1 && outs[1].tensor->sizes[0] == returned.rows &&
               outs[2].integer == returned.rows && head->sizes[0] == returned.head &&
               (returned.head == 0 || wg_data(ctx, head) == wg_data(ctx, x));
        wg_release(ctx, outs[0].tensor);
        wg_release(ctx, outs[1].tensor);
        wg_release(ctx, outs[3].tensor);
    } else {
        /* An alias comes after the write-back, as in PyTorch; all else before it. */
        const int shape = strcmp(cases[i].says[1], "(shape)") == 0;
        good = good && error_says(ctx, cases[i].says[0]) && error_says(ctx, cases[i].says[1]) &&
               wg_native_real(calls, 0) == shape && outs[0].tensor == NULL && outs[3].tensor == NULL;
    }
    check(good, cases[i].name);
}

int main(void)
{
    static const double zeros[ROWS * COLUMNS];
    Tracking tracking;
    WgContext *ctx = NULL;
    tracking_begin(&tracking);
    if (wg_context_create(&tracking.allocator, &ctx) != 0) {
        return 1;
    }
    WgTensor *x = make(ctx, 2, (const int64_t[]){ROWS, COLUMNS}, zeros);
    WgTensor *calls = make(ctx, 1, (const int64_t[]){1}, zeros);
    for (size_t i = 0; x != NULL && calls != NULL && i < sizeof cases / sizeof cases[0]; i++) {
        try(ctx, x, calls, i);
    }
    wg_release(ctx, x);
    wg_release(ctx, calls);
    wg_context_destroy(ctx);
    check(tracking.live_blocks == 0, "nothing is left alive");
    return closing();
}
