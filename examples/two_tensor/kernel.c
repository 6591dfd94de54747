/* SPDX-License-Identifier: 0BSD */
/*
 * What two_tensor's graphs call, in plain C over the native host: the type itself and two compiled functions. They see
 * no TwoTensor: the wrapper has taken it apart before the call, and puts the results together after it.
 *
 * The exact type of a tensor is the address of its WgType, so there must be one object of it in a program.
 */
#include "two_tensor.h"
#include "wg_native.h"

#include <string.h>

static const char *const attribute_names[] = {"a", "b"};

/* Without an unflatten function the host makes the tensor itself: the parts below, dtype and device those of `a`. */
const WgType TwoTensor = {.name = "TwoTensor",
                          .attribute_names = attribute_names,
                          .num_attributes = 2,
                          .contiguous = wg_native_contiguous_each};

/* TwoTensor.__tensor_flatten__ gives no context of interest; every TwoTensor has this one. */
static const char only_context[] = "TwoTensor";
const void *const two_tensor_context = only_context;

/* What a YAML file cannot state of an attribute is for the compiled function to test. */
static int is_float(WgContext *ctx, const WgTensor *t)
{
    return wg_dtype(ctx, t) == WG_FLOAT32 && wg_device(ctx, t) == WG_CPU;
}

/* part @ weight.t(), both compact */
static int32_t linear(WgContext *ctx, const WgTensor *part, const WgTensor *weight, int64_t num_rows, WgValue *out)
{
    const int64_t width = wg_size(ctx, weight, 1);
    const int64_t sizes[2] = {num_rows, wg_size(ctx, weight, 0)};
    const int32_t status = wg_native_empty(ctx, WG_FLOAT32, 2, sizes, &out->tensor);
    if (status != 0) {
        return status;
    }
    const float *x = wg_data(ctx, part);
    const float *w = wg_data(ctx, weight);
    float *y = wg_data(ctx, out->tensor);
    for (int64_t row = 0; row < num_rows; row++) {
        for (int64_t column = 0; column < sizes[1]; column++) {
            float sum = 0;
            for (int64_t i = 0; i < width; i++) {
                sum += x[row * width + i] * w[column * width + i];
            }
            y[row * sizes[1] + column] = sum;
        }
    }
    return 0;
}

int32_t two_tensor_linear_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    enum { A, B, SIZE_0, SIZE_1, STRIDE_0, WEIGHT, NUM_ARGS };
    enum { Y_A, Y_B, Y_SIZE_0, NUM_OUTS };
    if (num_args != NUM_ARGS || *num_outs < NUM_OUTS || !is_float(ctx, args[A].tensor) ||
        !is_float(ctx, args[B].tensor) || args[STRIDE_0].integer != args[SIZE_1].integer) {
        return 1;
    }
    memset(outs, 0, NUM_OUTS * sizeof *outs);
    int32_t status = linear(ctx, args[A].tensor, args[WEIGHT].tensor, args[SIZE_0].integer, &outs[Y_A]);
    if (status == 0) {
        status = linear(ctx, args[B].tensor, args[WEIGHT].tensor, args[SIZE_0].integer, &outs[Y_B]);
    }
    if (status != 0) {
        wg_release_run(ctx, outs, Y_SIZE_0);
        return status;
    }
    outs[Y_SIZE_0].integer = args[SIZE_0].integer; /* the wrapper makes the outer tensor of this */
    *num_outs = NUM_OUTS;
    return 0;
}

/* part minus the mean of each of its rows, compact */
static int32_t centre(WgContext *ctx, const WgTensor *part, WgValue *out)
{
    const int64_t *sizes = wg_sizes(ctx, part);
    const int32_t status = wg_native_empty(ctx, WG_FLOAT32, 2, sizes, &out->tensor);
    if (status != 0) {
        return status;
    }
    const float *x = wg_data(ctx, part);
    float *y = wg_data(ctx, out->tensor);
    for (int64_t row = 0; row < sizes[0]; row++) {
        float sum = 0;
        for (int64_t i = 0; i < sizes[1]; i++) {
            sum += x[row * sizes[1] + i];
        }
        for (int64_t i = 0; i < sizes[1]; i++) {
            y[row * sizes[1] + i] = x[row * sizes[1] + i] - sum / (float)sizes[1];
        }
    }
    return 0;
}

/* Four parts in, four parts out, in the order a.a, a.b, b.a, b.b. */
int32_t two_tensor_centre_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    enum { NUM_PARTS = 4 };
    if (num_args != NUM_PARTS || *num_outs < NUM_PARTS) {
        return 1;
    }
    memset(outs, 0, NUM_PARTS * sizeof *outs);
    int32_t status = 0;
    for (size_t i = 0; i < NUM_PARTS && status == 0; i++) {
        status = is_float(ctx, args[i].tensor) ? centre(ctx, args[i].tensor, &outs[i]) : 1;
    }
    if (status != 0) {
        wg_release_run(ctx, outs, NUM_PARTS);
        return status;
    }
    *num_outs = NUM_PARTS;
    return 0;
}
