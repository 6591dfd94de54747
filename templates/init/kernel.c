/* SPDX-License-Identifier: 0BSD */
/*
 * The compiled function. Here it is written by hand; a compiler such as TVM, Triton or AOTInductor can make it, too.
 * The wrapper calls it only with arguments that graph.yaml allows, so it tests none of them.
 */
#include "wg_native.h"
#include "wrappers.h"

/* args: x float32[rows, 3]; total float32[3], written in place. outs: largest float32[rows], made here. */
int32_t add_rows_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != 2 || *num_outs < 1) {
        return WG_E_COUNT;
    }
    const int64_t rows = wg_size(ctx, args[0].tensor, 0);
    const int32_t status = wg_native_empty(ctx, WG_FLOAT32, 1, &rows, &outs[0].tensor);
    if (status != WG_OK) {
        return status;
    }
    const float *x = wg_data(ctx, args[0].tensor);
    float *total = wg_data(ctx, args[1].tensor);
    float *largest = wg_data(ctx, outs[0].tensor);
    for (int64_t row = 0; row < rows; row++) {
        largest[row] = x[3 * row];
        for (int64_t column = 0; column < 3; column++) {
            const float value = x[3 * row + column];
            total[column] += value;
            largest[row] = value > largest[row] ? value : largest[row];
        }
    }
    *num_outs = 1;
    return WG_OK;
}
