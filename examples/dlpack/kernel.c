/* SPDX-License-Identifier: 0BSD */
/*
 * What a back end would have compiled: the new average, 0.75 of the old one and 0.25 of the values, its change, and a
 * stand-in for the view, since only its size is read. Inputs may have any strides.
 */
#include "blend.h"
#include "wg_dlpack.h"

enum { ROWS = 4, COLUMNS = 3 };

static float element(WgContext *ctx, const WgTensor *t, int64_t row, int64_t column)
{
    const float *data = wg_data(ctx, t);
    return data[row * wg_stride(ctx, t, 0) + column * wg_stride(ctx, t, 1)];
}

int32_t blend_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t sizes[] = {ROWS, COLUMNS};
    static const int64_t last_sizes[] = {1, COLUMNS};
    if (num_args != 2 || *num_outs < 3) {
        return 1;
    }
    int32_t status = wg_zeros(ctx, sizes, 2, WG_FLOAT32, WG_CPU, &outs[0].tensor);
    if (status == 0) {
        status = wg_zeros(ctx, sizes, 2, WG_FLOAT32, WG_CPU, &outs[1].tensor);
    }
    if (status == 0) {
        status = wg_zeros(ctx, last_sizes, 2, WG_FLOAT32, WG_CPU, &outs[2].tensor);
    }
    if (status != 0) {
        wg_release_run(ctx, outs, 3);
        return status;
    }
    float *blended = wg_data(ctx, outs[0].tensor);
    float *change = wg_data(ctx, outs[1].tensor);
    for (int64_t i = 0; i < ROWS * COLUMNS; i++) {
        const float old = element(ctx, args[0].tensor, i / COLUMNS, i % COLUMNS);
        const float step = 0.25f * (element(ctx, args[1].tensor, i / COLUMNS, i % COLUMNS) - old);
        blended[i] = old + step;
        change[i] = step;
    }
    *num_outs = 3;
    return 0;
}
