/* SPDX-License-Identifier: 0BSD */
/*
 * The captured graph of dynamic_rows for any number of rows, in plain C over the native host: adds the column sums of x
 * to `total` in place, returns four views of x and a doubled copy.
 */
#include "dynamic_rows.h"
#include "wg_native.h"

#include <string.h>

enum { TOTAL, X_SIZE_0, X, NUM_ARGS };
enum { TRANSPOSED, MIDDLE, FLAT, PAIRS, DOUBLED, NUM_OUTS };
enum { COLUMNS = 6 };

typedef struct View {
    int32_t rank;
    int64_t sizes[3];
    int64_t strides[3];
    int64_t offset; /* from x's first element */
} View;

static int32_t make_results(WgContext *ctx, WgTensor *x, int64_t rows, WgValue *outs)
{
    const View views[DOUBLED] = {
        [TRANSPOSED] = {2, {COLUMNS, rows, 0}, {1, COLUMNS, 0}, 0},
        [MIDDLE] = {2, {rows - 2, COLUMNS, 0}, {COLUMNS, 1, 0}, COLUMNS},
        [FLAT] = {1, {rows * COLUMNS, 0, 0}, {1, 0, 0}, 0},
        [PAIRS] = {3, {2, rows, 3}, {3, COLUMNS, 1}, 0},
    };
    for (int i = 0; i < DOUBLED; i++) {
        const WgGeometry geometry = {views[i].sizes, views[i].strides, wg_offset(ctx, x) + views[i].offset,
                                     views[i].rank};
        const int32_t status = wg_as_strided(ctx, x, &geometry, &outs[i].tensor);
        if (status != 0) {
            return status;
        }
    }
    return wg_native_empty(ctx, WG_FLOAT32, 2, wg_sizes(ctx, x), &outs[DOUBLED].tensor);
}

int32_t dynamic_rows_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != NUM_ARGS || *num_outs < NUM_OUTS) {
        return 1;
    }
    const int64_t rows = args[X_SIZE_0].integer;
    memset(outs, 0, NUM_OUTS * sizeof *outs);
    const int32_t status = make_results(ctx, args[X].tensor, rows, outs);
    if (status != 0) {
        wg_release_run(ctx, outs, NUM_OUTS);
        return status;
    }
    const float *x = wg_data(ctx, args[X].tensor);
    float *doubled = wg_data(ctx, outs[DOUBLED].tensor);
    float *total = wg_data(ctx, args[TOTAL].tensor);
    for (int64_t column = 0; column < COLUMNS; column++) {
        float sum = 0;
        for (int64_t row = 0; row < rows; row++) {
            sum += x[row * COLUMNS + column];
            doubled[row * COLUMNS + column] = x[row * COLUMNS + column] * 2.0f;
        }
        total[column] += sum;
    }
    *num_outs = NUM_OUTS;
    return 0;
}
