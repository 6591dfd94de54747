/* SPDX-License-Identifier: 0BSD */
/*
 * The captured forward and backward of linear_tanh, in plain C over the native host.
 *
 * forward: y = tanh(x @ weight.t() + bias); after y it returns what it saves for the backward: x and y once more, each
 * a reference of its own. backward: (x, y, tangent) to the gradients of weight and bias; x gets none, so a null stands
 * there.
 */
#include "linear_tanh.h"
#include "wg_native.h"

#include <math.h>
#include <string.h>

enum { WEIGHT, BIAS, X, NUM_ARGS };
enum { Y, SAVED_X, SAVED_Y, NUM_OUTS };
enum { BACKWARD_X, BACKWARD_Y, TANGENT, NUM_BACKWARD_ARGS };
enum { GRAD_WEIGHT, GRAD_BIAS, GRAD_X, NUM_GRADS };

int32_t linear_tanh_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != NUM_ARGS || *num_outs < NUM_OUTS) {
        return 1;
    }
    const int64_t sizes[2] = {wg_size(ctx, args[X].tensor, 0), wg_size(ctx, args[WEIGHT].tensor, 0)};
    const int64_t width = wg_size(ctx, args[X].tensor, 1);
    memset(outs, 0, NUM_OUTS * sizeof *outs);
    int32_t status = wg_native_empty(ctx, WG_FLOAT32, 2, sizes, &outs[Y].tensor);
    if (status == 0) {
        status = wg_retain(ctx, args[X].tensor, &outs[SAVED_X].tensor);
    }
    if (status == 0) {
        status = wg_retain(ctx, outs[Y].tensor, &outs[SAVED_Y].tensor);
    }
    if (status != 0) {
        wg_release_run(ctx, outs, NUM_OUTS);
        return status;
    }
    const float *weight = wg_data(ctx, args[WEIGHT].tensor);
    const float *bias = wg_data(ctx, args[BIAS].tensor);
    const float *x = wg_data(ctx, args[X].tensor);
    float *y = wg_data(ctx, outs[Y].tensor);
    for (int64_t row = 0; row < sizes[0]; row++) {
        for (int64_t column = 0; column < sizes[1]; column++) {
            float sum = bias[column];
            for (int64_t i = 0; i < width; i++) {
                sum += x[row * width + i] * weight[column * width + i];
            }
            y[row * sizes[1] + column] = tanhf(sum);
        }
    }
    *num_outs = NUM_OUTS;
    return 0;
}

/* grad_weight = d.t() @ x and grad_bias = the sum of d over the rows, with d = tangent * (1 - y * y). */
static void gradients(WgContext *ctx, const WgValue *args, float *grad_weight, float *grad_bias)
{
    const float *x = wg_data(ctx, args[BACKWARD_X].tensor);
    const float *y = wg_data(ctx, args[BACKWARD_Y].tensor);
    const float *tangent = wg_data(ctx, args[TANGENT].tensor);
    const int64_t rows = wg_size(ctx, args[BACKWARD_Y].tensor, 0);
    const int64_t columns = wg_size(ctx, args[BACKWARD_Y].tensor, 1);
    const int64_t width = wg_size(ctx, args[BACKWARD_X].tensor, 1);
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t column = 0; column < columns; column++) {
            const float value = y[row * columns + column];
            const float d = tangent[row * columns + column] * (1.0f - value * value);
            grad_bias[column] += d;
            for (int64_t i = 0; i < width; i++) {
                grad_weight[column * width + i] += d * x[row * width + i];
            }
        }
    }
}

int32_t linear_tanh_backward_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs,
                                    size_t *num_outs)
{
    if (num_args != NUM_BACKWARD_ARGS || *num_outs < NUM_GRADS) {
        return 1;
    }
    const int64_t sizes[2] = {wg_size(ctx, args[BACKWARD_Y].tensor, 1), wg_size(ctx, args[BACKWARD_X].tensor, 1)};
    memset(outs, 0, NUM_GRADS * sizeof *outs);
    int32_t status = wg_native_zeros(ctx, WG_FLOAT32, 2, sizes, &outs[GRAD_WEIGHT].tensor);
    if (status == 0) {
        status = wg_native_zeros(ctx, WG_FLOAT32, 1, sizes, &outs[GRAD_BIAS].tensor);
    }
    if (status != 0) {
        wg_release_run(ctx, outs, NUM_GRADS);
        return status;
    }
    gradients(ctx, args, wg_data(ctx, outs[GRAD_WEIGHT].tensor), wg_data(ctx, outs[GRAD_BIAS].tensor));
    *num_outs = NUM_GRADS;
    return 0;
}
