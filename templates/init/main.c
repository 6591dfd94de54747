/* SPDX-License-Identifier: 0BSD */
/* Calls the wrapper over memory of its own, then once more with an argument that the wrapper refuses. */
#include <stdio.h>

#include "wg_native.h"
#include "wrappers.h"

/* A tensor over float32 memory that stays the caller's: contiguous, on the CPU. */
static int32_t borrow(WgContext *ctx, float *memory, int64_t num_bytes, const WgGeometry *geometry, WgTensor **out)
{
    return wg_native_borrow(ctx, memory, num_bytes, geometry, WG_FLOAT32, WG_CPU, NULL, NULL, out);
}

static int fail(const WgContext *ctx)
{
    char text[512];
    wg_error_text(wg_error(ctx), text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return 1;
}

int main(void)
{
    float rows[2][3] = {{1, 5, 3}, {4, 2, 6}};
    float sums[3] = {10, 20, 30};
    const WgGeometry matrix = {(const int64_t[]){2, 3}, (const int64_t[]){3, 1}, 0, 2};
    const WgGeometry vector = {(const int64_t[]){3}, (const int64_t[]){1}, 0, 1};
    const WgGeometry too_short = {(const int64_t[]){2}, (const int64_t[]){1}, 0, 1};
    WgContext *ctx = NULL;
    WgTensor *pair = NULL;
    my_add_rows_inputs in = {NULL, NULL};
    my_add_rows_outputs out = {NULL};
    if (wg_context_create(NULL, &ctx) != WG_OK) {
        return 1;
    }
    if (borrow(ctx, rows[0], sizeof rows, &matrix, &in.x) != WG_OK ||
        borrow(ctx, sums, sizeof sums, &vector, &in.total) != WG_OK ||
        borrow(ctx, sums, sizeof sums, &too_short, &pair) != WG_OK || my_add_rows(ctx, &in, &out) != WG_OK) {
        return fail(ctx);
    }
    const float *largest = wg_data(ctx, out.largest);
    printf("largest of each row: %g %g\n", (double)largest[0], (double)largest[1]);
    printf("total: %g %g %g, written %d time\n", (double)sums[0], (double)sums[1], (double)sums[2],
           (int)wg_version(ctx, in.total));
    my_add_rows_outputs_release(ctx, &out);

    printf("and a total that is too short is refused:\n");
    fflush(stdout);
    if (my_add_rows(ctx, &(my_add_rows_inputs){in.x, pair}, &out) == WG_OK) {
        return 1;
    }
    fail(ctx);
    wg_release(ctx, in.x);
    wg_release(ctx, in.total);
    wg_release(ctx, pair);
    wg_context_destroy(ctx);
    return 0;
}
