/* SPDX-License-Identifier: 0BSD */
/*
 * The captured forward and backward of mlp, in plain C over the native host.
 *
 * forward: h = tanh(x @ hidden_weight.t() + hidden_bias), y = h @ out_weight.t() + out_bias, loss = mean((y -
 * target)^2). After the loss it returns what it saves: x, out_weight, h and y - target, each with its own reference.
 * backward: (the saved, tangent) to the gradients of the four parameters; x and target get none.
 */
#include "mlp.h"
#include "wg_native.h"

#include <math.h>
#include <string.h>

enum { HIDDEN_WEIGHT, HIDDEN_BIAS, X, OUT_WEIGHT, OUT_BIAS, TARGET, NUM_ARGS };
enum { LOSS, SAVED_X, SAVED_OUT_WEIGHT, SAVED_HIDDEN, SAVED_ERROR, NUM_OUTS };
enum { BACKWARD_X, BACKWARD_OUT_WEIGHT, BACKWARD_HIDDEN, BACKWARD_ERROR, TANGENT, NUM_BACKWARD_ARGS };
enum { GRAD_HIDDEN_WEIGHT, GRAD_HIDDEN_BIAS, GRAD_X, GRAD_OUT_WEIGHT, GRAD_OUT_BIAS, GRAD_TARGET, NUM_GRADS };

/* Wrappers have tested every size. */
enum { ROWS = 16, WIDTH = 2, HIDDEN = 8 };

static void compute(WgContext *ctx, const WgValue *args, float *hidden, float *error, float *loss)
{
    const float *x = wg_data(ctx, args[X].tensor);
    const float *hidden_weight = wg_data(ctx, args[HIDDEN_WEIGHT].tensor);
    const float *hidden_bias = wg_data(ctx, args[HIDDEN_BIAS].tensor);
    const float *out_weight = wg_data(ctx, args[OUT_WEIGHT].tensor);
    const float *out_bias = wg_data(ctx, args[OUT_BIAS].tensor);
    const float *target = wg_data(ctx, args[TARGET].tensor);
    float sum = 0;
    for (int row = 0; row < ROWS; row++) {
        float y = out_bias[0];
        for (int unit = 0; unit < HIDDEN; unit++) {
            float before = hidden_bias[unit];
            for (int i = 0; i < WIDTH; i++) {
                before += x[row * WIDTH + i] * hidden_weight[unit * WIDTH + i];
            }
            hidden[row * HIDDEN + unit] = tanhf(before);
            y += hidden[row * HIDDEN + unit] * out_weight[unit];
        }
        error[row] = y - target[row];
        sum += error[row] * error[row];
    }
    *loss = sum / ROWS;
}

int32_t mlp_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t hidden_sizes[2] = {ROWS, HIDDEN};
    static const int64_t error_sizes[2] = {ROWS, 1};
    if (num_args != NUM_ARGS || *num_outs < NUM_OUTS) {
        return 1;
    }
    memset(outs, 0, NUM_OUTS * sizeof *outs);
    int32_t status = wg_native_empty(ctx, WG_FLOAT32, 0, NULL, &outs[LOSS].tensor);
    if (status == 0) {
        status = wg_native_empty(ctx, WG_FLOAT32, 2, hidden_sizes, &outs[SAVED_HIDDEN].tensor);
    }
    if (status == 0) {
        status = wg_native_empty(ctx, WG_FLOAT32, 2, error_sizes, &outs[SAVED_ERROR].tensor);
    }
    if (status == 0) {
        status = wg_retain(ctx, args[X].tensor, &outs[SAVED_X].tensor);
    }
    if (status == 0) {
        status = wg_retain(ctx, args[OUT_WEIGHT].tensor, &outs[SAVED_OUT_WEIGHT].tensor);
    }
    if (status != 0) {
        wg_release_run(ctx, outs, NUM_OUTS);
        return status;
    }
    compute(ctx, args, wg_data(ctx, outs[SAVED_HIDDEN].tensor), wg_data(ctx, outs[SAVED_ERROR].tensor),
            wg_data(ctx, outs[LOSS].tensor));
    *num_outs = NUM_OUTS;
    return 0;
}

/* d of y is tangent * 2 / ROWS * error; d of what goes into the tanh is that times out_weight * (1 - h * h). */
static void gradients(WgContext *ctx, const WgValue *args, WgValue *outs)
{
    const float *x = wg_data(ctx, args[BACKWARD_X].tensor);
    const float *out_weight = wg_data(ctx, args[BACKWARD_OUT_WEIGHT].tensor);
    const float *hidden = wg_data(ctx, args[BACKWARD_HIDDEN].tensor);
    const float *error = wg_data(ctx, args[BACKWARD_ERROR].tensor);
    const float *tangent = wg_data(ctx, args[TANGENT].tensor);
    float *hidden_weight_grad = wg_data(ctx, outs[GRAD_HIDDEN_WEIGHT].tensor);
    float *hidden_bias_grad = wg_data(ctx, outs[GRAD_HIDDEN_BIAS].tensor);
    float *out_weight_grad = wg_data(ctx, outs[GRAD_OUT_WEIGHT].tensor);
    float *out_bias_grad = wg_data(ctx, outs[GRAD_OUT_BIAS].tensor);
    for (int row = 0; row < ROWS; row++) {
        const float of_y = tangent[0] * (2.0f / ROWS) * error[row];
        out_bias_grad[0] += of_y;
        for (int unit = 0; unit < HIDDEN; unit++) {
            const float h = hidden[row * HIDDEN + unit];
            const float before = of_y * out_weight[unit] * (1.0f - h * h);
            out_weight_grad[unit] += of_y * h;
            hidden_bias_grad[unit] += before;
            for (int i = 0; i < WIDTH; i++) {
                hidden_weight_grad[unit * WIDTH + i] += before * x[row * WIDTH + i];
            }
        }
    }
}

int32_t mlp_backward_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t hidden_weight_sizes[2] = {HIDDEN, WIDTH};
    static const int64_t out_weight_sizes[2] = {1, HIDDEN};
    if (num_args != NUM_BACKWARD_ARGS || *num_outs < NUM_GRADS) {
        return 1;
    }
    memset(outs, 0, NUM_GRADS * sizeof *outs);
    int32_t status = wg_native_zeros(ctx, WG_FLOAT32, 2, hidden_weight_sizes, &outs[GRAD_HIDDEN_WEIGHT].tensor);
    if (status == 0) {
        status = wg_native_zeros(ctx, WG_FLOAT32, 1, &hidden_weight_sizes[0], &outs[GRAD_HIDDEN_BIAS].tensor);
    }
    if (status == 0) {
        status = wg_native_zeros(ctx, WG_FLOAT32, 2, out_weight_sizes, &outs[GRAD_OUT_WEIGHT].tensor);
    }
    if (status == 0) {
        status = wg_native_zeros(ctx, WG_FLOAT32, 1, &out_weight_sizes[0], &outs[GRAD_OUT_BIAS].tensor);
    }
    if (status != 0) {
        wg_release_run(ctx, outs, NUM_GRADS);
        return status;
    }
    gradients(ctx, args, outs);
    *num_outs = NUM_GRADS;
    return 0;
}
