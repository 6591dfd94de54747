/* SPDX-License-Identifier: 0BSD */
/*
 * The captured graph of views, in plain C over the native host: eleven views of the inputs, a new tensor and two views
 * of it. The wrapper replays the views of inputs on the caller's own tensors; those of the new tensor go out as they
 * are.
 */
#include "views.h"
#include "wg_native.h"

#include <string.h>

enum { X, Z, NUM_ARGS };
enum {
    TRANSPOSED,
    STRIDED,
    DETACHED,
    COLUMNS,
    DIAGONAL,
    WINDOWS,
    SECOND_HALF,
    EXPANDED,
    BITS,
    REAL_PAIRS,
    IMAGINARY,
    Y,
    Y_TRANSPOSED,
    Y_ROW,
    NUM_OUTS
};
enum { SIDE = 4 };

typedef struct View {
    int32_t rank;
    int64_t sizes[3];
    int64_t strides[3];
    int64_t offset; /* from the first element of what is viewed */
} View;

static int32_t view(WgContext *ctx, WgTensor *base, View shape, WgValue *out)
{
    const WgGeometry geometry = {shape.sizes, shape.strides, wg_offset(ctx, base) + shape.offset, shape.rank};
    return wg_as_strided(ctx, base, &geometry, &out->tensor);
}

/* The views of x, which is [4, 4] and compact; DETACHED and BITS are not strided views. */
static int32_t views_of_x(WgContext *ctx, WgTensor *x, WgValue *outs)
{
    static const View shapes[] = {
        [TRANSPOSED] = {2, {4, 4, 0}, {1, 4, 0}, 0},  [STRIDED] = {2, {3, 2, 0}, {4, 2, 0}, 4},
        [DETACHED] = {2, {4, 4, 0}, {4, 1, 0}, 0},    [COLUMNS] = {2, {4, 2, 0}, {4, 2, 0}, 1},
        [DIAGONAL] = {1, {4, 0, 0}, {5, 0, 0}, 0},    [WINDOWS] = {3, {4, 2, 2}, {4, 2, 1}, 0},
        [SECOND_HALF] = {2, {2, 4, 0}, {4, 1, 0}, 8}, [EXPANDED] = {3, {2, 4, 4}, {0, 4, 1}, 0},
    };
    int32_t status = 0;
    for (int i = 0; i < BITS && status == 0; i++) {
        status = i == DETACHED ? wg_detach(ctx, x, &outs[i].tensor) : view(ctx, x, shapes[i], &outs[i]);
    }
    return status == 0 ? wg_view_dtype(ctx, x, WG_INT32, &outs[BITS].tensor) : status;
}

static int32_t views_of_z(WgContext *ctx, WgTensor *z, WgValue *outs)
{
    const int32_t status = wg_view_as_real(ctx, z, &outs[REAL_PAIRS].tensor);
    if (status != 0) {
        return status;
    }
    const View imaginary = {1, {wg_size(ctx, z, 0), 0, 0}, {2, 0, 0}, 1};
    return view(ctx, outs[REAL_PAIRS].tensor, imaginary, &outs[IMAGINARY]);
}

/* y = x * 2 + 1, its transpose, and its row 2: three tensors over one storage. */
static int32_t new_tensor(WgContext *ctx, const WgTensor *x, WgValue *outs)
{
    int32_t status = wg_native_empty(ctx, WG_FLOAT32, 2, wg_sizes(ctx, x), &outs[Y].tensor);
    if (status != 0) {
        return status;
    }
    const float *from = wg_data(ctx, x);
    float *to = wg_data(ctx, outs[Y].tensor);
    for (int64_t i = 0; i < SIDE * SIDE; i++) {
        to[i] = from[i] * 2.0f + 1.0f;
    }
    status = view(ctx, outs[Y].tensor, (View){2, {SIDE, SIDE, 0}, {1, SIDE, 0}, 0}, &outs[Y_TRANSPOSED]);
    if (status != 0) {
        return status;
    }
    return view(ctx, outs[Y].tensor, (View){1, {SIDE, 0, 0}, {1, 0, 0}, 2 * SIDE}, &outs[Y_ROW]);
}

int32_t views_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != NUM_ARGS || *num_outs < NUM_OUTS) {
        return 1;
    }
    memset(outs, 0, NUM_OUTS * sizeof *outs);
    int32_t status = views_of_x(ctx, args[X].tensor, outs);
    if (status == 0) {
        status = views_of_z(ctx, args[Z].tensor, outs);
    }
    if (status == 0) {
        status = new_tensor(ctx, args[X].tensor, outs);
    }
    if (status != 0) {
        wg_release_run(ctx, outs, NUM_OUTS);
        return status;
    }
    *num_outs = NUM_OUTS;
    return 0;
}
