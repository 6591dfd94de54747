/* SPDX-License-Identifier: 0BSD */
/*
 * The captured moving average as a back end computes it that keeps no mutation in the graph: nothing is written in
 * place; the new values of the three mutated inputs come first among the returned values, in the order of the inputs,
 * and the wrapper's epilogue copies them.
 */
#include "ema.h"
#include "wg_native.h"

#include <string.h>

enum { AVERAGE_0, MODEL_0, AVERAGE_1, MODEL_1, STEPS, NUM_ARGS };
enum { NEW_AVERAGE_0, NEW_AVERAGE_1, NEW_STEPS, TOTAL, NUM_OUTS };

/* 0.75 average + 0.25 value, as a new tensor. */
static int32_t blend(WgContext *ctx, const WgTensor *average, const WgTensor *value, WgValue *out)
{
    const int32_t rank = wg_rank(ctx, average);
    const int32_t status = wg_native_empty(ctx, WG_FLOAT32, rank, wg_sizes(ctx, average), &out->tensor);
    if (status != 0) {
        return status;
    }
    int64_t count = 1;
    for (int32_t d = 0; d < rank; d++) {
        count *= wg_size(ctx, average, d);
    }
    const float *old_average = wg_data(ctx, average);
    const float *added = wg_data(ctx, value);
    float *blended = wg_data(ctx, out->tensor);
    for (int64_t i = 0; i < count; i++) {
        /* Rounded one by one, as PyTorch's are, also where C computes with more digits (FLT_EVAL_METHOD). */
        const float kept = old_average[i] * 0.75f;
        const float joined = added[i] * 0.25f;
        blended[i] = kept + joined;
    }
    return 0;
}

int32_t ema_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != NUM_ARGS || *num_outs < NUM_OUTS) {
        return 1;
    }
    memset(outs, 0, NUM_OUTS * sizeof *outs);
    int32_t status = blend(ctx, args[AVERAGE_0].tensor, args[MODEL_0].tensor, &outs[NEW_AVERAGE_0]);
    if (status == 0) {
        status = blend(ctx, args[AVERAGE_1].tensor, args[MODEL_1].tensor, &outs[NEW_AVERAGE_1]);
    }
    if (status == 0) {
        status = wg_native_empty(ctx, WG_INT64, 0, NULL, &outs[NEW_STEPS].tensor);
    }
    if (status == 0) {
        status = wg_native_empty(ctx, WG_FLOAT32, 0, NULL, &outs[TOTAL].tensor);
    }
    if (status != 0) {
        wg_release_run(ctx, outs, NUM_OUTS);
        return status;
    }
    const int64_t *steps = wg_data(ctx, args[STEPS].tensor);
    int64_t *new_steps = wg_data(ctx, outs[NEW_STEPS].tensor);
    *new_steps = *steps + 1;
    const float *average = wg_data(ctx, outs[NEW_AVERAGE_0].tensor);
    float *total = wg_data(ctx, outs[TOTAL].tensor);
    *total = average[0] + average[1] + average[2] + average[3];
    *num_outs = NUM_OUTS;
    return 0;
}
