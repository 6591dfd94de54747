/* SPDX-License-Identifier: 0BSD */
/*
 * What the captured step of torch.optim.SGD computes (lr 0.1, momentum 0.9), in plain C over the native host.
 * Everything is written in place, nothing is returned.
 */
#include "mlp_step.h"
#include "wg_native.h"

/* Momentum buffers come in the order in which PyTorch's graph met them. */
enum {
    HIDDEN_WEIGHT,
    HIDDEN_BIAS,
    OUT_WEIGHT,
    OUT_BIAS,
    HIDDEN_BIAS_MOMENTUM,
    HIDDEN_WEIGHT_MOMENTUM,
    OUT_WEIGHT_MOMENTUM,
    OUT_BIAS_MOMENTUM,
    HIDDEN_WEIGHT_GRAD,
    HIDDEN_BIAS_GRAD,
    OUT_WEIGHT_GRAD,
    OUT_BIAS_GRAD,
    NUM_ARGS
};

/* momentum = 0.9 momentum + grad; parameter -= 0.1 momentum. All compact and of one size. */
static void step(WgContext *ctx, const WgValue *args, int parameter_at, int momentum_at, int grad_at, int count)
{
    float *parameter = wg_data(ctx, args[parameter_at].tensor);
    float *momentum = wg_data(ctx, args[momentum_at].tensor);
    const float *grad = wg_data(ctx, args[grad_at].tensor);
    for (int i = 0; i < count; i++) {
        momentum[i] = 0.9f * momentum[i] + grad[i];
        parameter[i] -= 0.1f * momentum[i];
    }
}

int32_t mlp_step_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)outs;
    if (num_args != NUM_ARGS) {
        return 1;
    }
    step(ctx, args, HIDDEN_WEIGHT, HIDDEN_WEIGHT_MOMENTUM, HIDDEN_WEIGHT_GRAD, 16);
    step(ctx, args, HIDDEN_BIAS, HIDDEN_BIAS_MOMENTUM, HIDDEN_BIAS_GRAD, 8);
    step(ctx, args, OUT_WEIGHT, OUT_WEIGHT_MOMENTUM, OUT_WEIGHT_GRAD, 8);
    step(ctx, args, OUT_BIAS, OUT_BIAS_MOMENTUM, OUT_BIAS_GRAD, 1);
    *num_outs = 0;
    return 0;
}
