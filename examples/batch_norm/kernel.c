/* SPDX-License-Identifier: 0BSD */
/*
 * What the captured graph of BatchNorm1d in training mode computes, in plain C over the native host.
 *
 * Arguments in the order of graph.yaml: input, num_batches_tracked, running_mean, running_var, weight, bias. The three
 * in the middle are mutated in the graph, so this function writes them, and the wrapper only raises their versions.
 * Sizes and strides were checked by the wrapper: everything is compact.
 */
#include "batch_norm.h"
#include "wg_native.h"

#include <math.h>

enum { INPUT, NUM_BATCHES_TRACKED, RUNNING_MEAN, RUNNING_VAR, WEIGHT, BIAS, NUM_ARGS };
enum { Y, NUM_OUTS };

/* One channel: statistics over the rows (the biased variance normalises, the unbiased one is tracked), then the rows.
 */
static void normalise(const float *x, float *y, int64_t rows, int64_t channels, float weight, float bias, float *mean,
                      float *variance)
{
    const float epsilon = 1e-5f;
    const float momentum = 0.1f;
    float sum = 0;
    for (int64_t row = 0; row < rows; row++) {
        sum += x[row * channels];
    }
    const float average = sum / (float)rows;
    float squares = 0;
    for (int64_t row = 0; row < rows; row++) {
        const float distance = x[row * channels] - average;
        squares += distance * distance;
    }
    const float scale = 1.0f / sqrtf(squares / (float)rows + epsilon);
    for (int64_t row = 0; row < rows; row++) {
        y[row * channels] = (x[row * channels] - average) * scale * weight + bias;
    }
    *mean = momentum * average + (1.0f - momentum) * *mean;
    *variance = momentum * (squares / (float)(rows - 1)) + (1.0f - momentum) * *variance;
}

int32_t batch_norm_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != NUM_ARGS || *num_outs < NUM_OUTS) {
        return 1;
    }
    WgTensor *input = args[INPUT].tensor;
    const int64_t rows = wg_size(ctx, input, 0);
    const int64_t channels = wg_size(ctx, input, 1);
    WgTensor *y = NULL;
    const int32_t status = wg_native_empty(ctx, WG_FLOAT32, 2, wg_sizes(ctx, input), &y);
    if (status != 0) {
        return status;
    }
    const float *x = wg_data(ctx, input);
    const float *weight = wg_data(ctx, args[WEIGHT].tensor);
    const float *bias = wg_data(ctx, args[BIAS].tensor);
    float *normalised = wg_data(ctx, y);
    float *mean = wg_data(ctx, args[RUNNING_MEAN].tensor);
    float *variance = wg_data(ctx, args[RUNNING_VAR].tensor);
    for (int64_t c = 0; c < channels; c++) {
        normalise(x + c, normalised + c, rows, channels, weight[c], bias[c], mean + c, variance + c);
    }
    int64_t *batches = wg_data(ctx, args[NUM_BATCHES_TRACKED].tensor);
    *batches += 1;
    outs[Y] = wg_value_tensor(y);
    *num_outs = NUM_OUTS;
    return 0;
}
