/* SPDX-License-Identifier: 0BSD */
/*
 * The captured graph of in_place_layout, in plain C over the native host.
 *
 * `a` and `b` change their layout, which no graph can do to its inputs: the new `a` (a transposed view) and the new `b`
 * (fresh values, laid out as the transposed b) are returned first, for the epilogue. `c` is mutated in the graph.
 */
#include "in_place_layout.h"
#include "wg_native.h"

#include <string.h>

enum { A, B, C, NUM_ARGS };
enum { NEW_A, NEW_B, A_AGAIN, B_SUMS, C_AGAIN, C_COLUMN, TRIPLED, NUM_OUTS };

/* A view with sizes and strides of a rank 2 tensor swapped. */
static int32_t transposed(WgContext *ctx, WgTensor *t, WgValue *out)
{
    const int64_t sizes[2] = {wg_size(ctx, t, 1), wg_size(ctx, t, 0)};
    const int64_t strides[2] = {wg_stride(ctx, t, 1), wg_stride(ctx, t, 0)};
    const WgGeometry geometry = {sizes, strides, wg_offset(ctx, t), 2};
    return wg_as_strided(ctx, t, &geometry, &out->tensor);
}

/* t.t() * factor for a compact t: a new tensor whose memory has the order of t's. */
static int32_t transposed_times(WgContext *ctx, const WgTensor *t, float factor, WgValue *out)
{
    const int64_t sizes[2] = {wg_size(ctx, t, 1), wg_size(ctx, t, 0)};
    const int64_t strides[2] = {1, wg_size(ctx, t, 1)};
    const WgGeometry geometry = {sizes, strides, 0, 2};
    const int32_t status = wg_empty_strided(ctx, &geometry, WG_FLOAT32, WG_CPU, &out->tensor);
    if (status != 0) {
        return status;
    }
    const float *from = wg_data(ctx, t);
    float *to = wg_data(ctx, out->tensor);
    for (int64_t i = 0; i < sizes[0] * sizes[1]; i++) {
        to[i] = from[i] * factor;
    }
    return 0;
}

/* Sums over dimension 1 of the new b, [n, 2] with strides [1, n]. */
static int32_t row_sums(WgContext *ctx, const WgTensor *b, WgValue *out)
{
    const int64_t rows = wg_size(ctx, b, 0);
    const int64_t columns = wg_size(ctx, b, 1);
    const int32_t status = wg_native_zeros(ctx, WG_FLOAT32, 1, &rows, &out->tensor);
    if (status != 0) {
        return status;
    }
    const float *values = wg_data(ctx, b);
    float *sums = wg_data(ctx, out->tensor);
    for (int64_t column = 0; column < columns; column++) {
        for (int64_t row = 0; row < rows; row++) {
            sums[row] += values[column * rows + row];
        }
    }
    return 0;
}

static int32_t make_results(WgContext *ctx, const WgValue *args, WgValue *outs)
{
    WgTensor *c = args[C].tensor;
    const int64_t column_size = wg_size(ctx, c, 0);
    const int64_t column_stride = wg_stride(ctx, c, 0);
    const WgGeometry column = {&column_size, &column_stride, wg_offset(ctx, c) + wg_stride(ctx, c, 1), 1};
    int32_t status = transposed(ctx, args[A].tensor, &outs[NEW_A]);
    if (status == 0) {
        status = transposed_times(ctx, args[B].tensor, 2.0f, &outs[NEW_B]);
    }
    if (status == 0) {
        status = wg_retain(ctx, args[A].tensor, &outs[A_AGAIN].tensor);
    }
    if (status == 0) {
        status = row_sums(ctx, outs[NEW_B].tensor, &outs[B_SUMS]);
    }
    if (status == 0) {
        status = wg_retain(ctx, c, &outs[C_AGAIN].tensor);
    }
    if (status == 0) {
        status = wg_as_strided(ctx, c, &column, &outs[C_COLUMN].tensor);
    }
    if (status == 0) {
        status = transposed_times(ctx, args[A].tensor, 3.0f, &outs[TRIPLED]);
    }
    return status;
}

int32_t in_place_layout_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != NUM_ARGS || *num_outs < NUM_OUTS) {
        return 1;
    }
    memset(outs, 0, NUM_OUTS * sizeof *outs);
    const int32_t status = make_results(ctx, args, outs);
    if (status != 0) {
        wg_release_run(ctx, outs, NUM_OUTS);
        return status;
    }
    float *c = wg_data(ctx, args[C].tensor);
    for (int64_t i = 0; i < wg_size(ctx, args[C].tensor, 0) * wg_size(ctx, args[C].tensor, 1); i++) {
        c[i] += 1.0f;
    }
    *num_outs = NUM_OUTS;
    return 0;
}
