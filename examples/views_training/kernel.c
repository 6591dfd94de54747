/* SPDX-License-Identifier: 0BSD */
/*
 * The captured forward of views_training, in plain C over the native host. After the seven outputs it returns `hidden`,
 * the intermediate base from which the wrapper regenerates two of them. Nothing is saved for the backward.
 */
#include "views_training.h"
#include "wg_native.h"

#include <string.h>

enum { X, NUM_ARGS };
enum { X_TRANSPOSED, HIDDEN_TRANSPOSED, HIDDEN_ROW, SHOWN, SHOWN_FLAT, LONE_VIEW, X_DETACHED, BASE_0, NUM_OUTS };
enum { SIDE = 4, COUNT = SIDE * SIDE };

static int32_t view(WgContext *ctx, WgTensor *base, int32_t rank, const int64_t *sizes, const int64_t *strides,
                    int64_t offset, WgValue *out)
{
    const WgGeometry geometry = {sizes, strides, wg_offset(ctx, base) + offset, rank};
    return wg_as_strided(ctx, base, &geometry, &out->tensor);
}

/* x * factor + term, with the given sizes. */
static int32_t linear(WgContext *ctx, const WgTensor *x, float factor, float term, const int64_t *sizes, WgValue *out)
{
    const int32_t status = wg_native_empty(ctx, WG_FLOAT32, 2, sizes, &out->tensor);
    if (status != 0) {
        return status;
    }
    const float *from = wg_data(ctx, x);
    float *to = wg_data(ctx, out->tensor);
    for (int64_t i = 0; i < COUNT; i++) {
        to[i] = from[i] * factor + term;
    }
    return 0;
}

static int32_t make_results(WgContext *ctx, WgTensor *x, WgValue *outs)
{
    static const int64_t square[2] = {SIDE, SIDE};
    static const int64_t halves[2] = {2, COUNT / 2};
    static const int64_t across[2] = {1, SIDE};
    static const int64_t row[1] = {SIDE};
    static const int64_t all[1] = {COUNT};
    static const int64_t one[1] = {1};
    int32_t status = linear(ctx, x, 2.0f, 0.0f, square, &outs[BASE_0]);
    if (status == 0) {
        status = linear(ctx, x, 1.0f, 1.0f, square, &outs[SHOWN]);
    }
    if (status == 0) {
        status = linear(ctx, x, 3.0f, 0.0f, halves, &outs[LONE_VIEW]);
    }
    if (status == 0) {
        status = view(ctx, x, 2, square, across, 0, &outs[X_TRANSPOSED]);
    }
    if (status == 0) {
        status = view(ctx, outs[BASE_0].tensor, 2, square, across, 0, &outs[HIDDEN_TRANSPOSED]);
    }
    if (status == 0) {
        status = view(ctx, outs[BASE_0].tensor, 1, row, one, SIDE, &outs[HIDDEN_ROW]);
    }
    if (status == 0) {
        status = view(ctx, outs[SHOWN].tensor, 1, all, one, 0, &outs[SHOWN_FLAT]);
    }
    return status == 0 ? wg_detach(ctx, x, &outs[X_DETACHED].tensor) : status;
}

int32_t views_training_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != NUM_ARGS || *num_outs < NUM_OUTS) {
        return 1;
    }
    memset(outs, 0, NUM_OUTS * sizeof *outs);
    const int32_t status = make_results(ctx, args[X].tensor, outs);
    if (status != 0) {
        wg_release_run(ctx, outs, NUM_OUTS);
        return status;
    }
    *num_outs = NUM_OUTS;
    return 0;
}

/* The captured backward: y1 = 2x, y2 = x + 1 and y3 = 3x give grad x = grad y2 + 3 * grad y3 + 2 * grad y1. */
int32_t views_training_backward_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs,
                                       size_t *num_outs)
{
    static const int64_t square[2] = {SIDE, SIDE};
    enum { TANGENT_SHOWN, TANGENT_LONE_VIEW, TANGENT_BASE_0, NUM_TANGENTS };
    if (num_args != NUM_TANGENTS || *num_outs < 1) {
        return 1;
    }
    const int32_t status = wg_native_empty(ctx, WG_FLOAT32, 2, square, &outs[0].tensor);
    if (status != 0) {
        return status;
    }
    const float *shown = wg_data(ctx, args[TANGENT_SHOWN].tensor);
    const float *lone_view = wg_data(ctx, args[TANGENT_LONE_VIEW].tensor);
    const float *base = wg_data(ctx, args[TANGENT_BASE_0].tensor);
    float *grad = wg_data(ctx, outs[0].tensor);
    for (int64_t i = 0; i < COUNT; i++) {
        grad[i] = shown[i] + 3.0f * lone_view[i] + 2.0f * base[i];
    }
    *num_outs = 1;
    return 0;
}
