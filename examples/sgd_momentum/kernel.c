/* SPDX-License-Identifier: 0BSD */
/*
 * What the captured step of torch.optim.SGD computes (lr 0.1, momentum 0.9, weight decay 0.01), in plain C over the
 * native host. Everything is written in place, nothing is returned.
 */
#include "sgd_momentum.h"
#include "wg_native.h"

enum { WEIGHT, BIAS, BIAS_MOMENTUM, WEIGHT_MOMENTUM, WEIGHT_GRAD, BIAS_GRAD, NUM_ARGS };

/* grad + 0.01 parameter; momentum = 0.9 momentum + that; parameter -= 0.1 momentum. All compact and of one size. */
static void step(WgContext *ctx, const WgValue *args, int parameter_at, int momentum_at, int grad_at)
{
    float *parameter = wg_data(ctx, args[parameter_at].tensor);
    float *momentum = wg_data(ctx, args[momentum_at].tensor);
    const float *grad = wg_data(ctx, args[grad_at].tensor);
    int64_t count = 1;
    for (int32_t d = 0; d < wg_rank(ctx, args[parameter_at].tensor); d++) {
        count *= wg_size(ctx, args[parameter_at].tensor, d);
    }
    for (int64_t i = 0; i < count; i++) {
        const float decayed = grad[i] + 0.01f * parameter[i];
        momentum[i] = 0.9f * momentum[i] + decayed;
        parameter[i] -= 0.1f * momentum[i];
    }
}

int32_t sgd_momentum_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)outs;
    if (num_args != NUM_ARGS) {
        return 1;
    }
    step(ctx, args, WEIGHT, WEIGHT_MOMENTUM, WEIGHT_GRAD);
    step(ctx, args, BIAS, BIAS_MOMENTUM, BIAS_GRAD);
    *num_outs = 0;
    return 0;
}
