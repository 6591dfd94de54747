/* SPDX-License-Identifier: 0BSD */
/*
 * What the captured decode step computes, in plain C over the native host: key and value go into the caches at `pos`
 * (both caches are mutated in the graph), the query attends to positions 0..pos, and views of both caches are returned
 * with the result. The wrapper makes its own views of the caller's caches; what it is given here only has to have their
 * geometry.
 */
#include "kv_cache.h"
#include "wg_native.h"

#include <math.h>
#include <string.h>

enum { KEY_CACHE, POS, KEY, VALUE_CACHE, VALUE, QUERY, NUM_ARGS };
enum { ATTENDED, KEYS, VALUES, NUM_OUTS };
enum { HEADS = 2, LENGTH = 8, WIDTH = 4 };

/* cache[:, pos] = row */
static void append(WgContext *ctx, WgTensor *cache, const WgTensor *row, int64_t pos)
{
    float *to = wg_data(ctx, cache);
    const float *from = wg_data(ctx, row);
    for (int64_t head = 0; head < HEADS; head++) {
        memcpy(to + (head * LENGTH + pos) * WIDTH, from + head * WIDTH, WIDTH * sizeof *to);
    }
}

/* One head: softmax(query . keys / sqrt(WIDTH)) . values, the maximum taken out first. */
static void attend(const float *query, const float *keys, const float *values, int64_t count, float *out)
{
    float weights[LENGTH];
    float highest = -INFINITY;
    for (int64_t t = 0; t < count; t++) {
        float score = 0;
        for (int64_t d = 0; d < WIDTH; d++) {
            score += query[d] * keys[t * WIDTH + d];
        }
        weights[t] = score / 2.0f;
        highest = fmaxf(highest, weights[t]);
    }
    float total = 0;
    for (int64_t t = 0; t < count; t++) {
        weights[t] = expf(weights[t] - highest);
        total += weights[t];
    }
    for (int64_t d = 0; d < WIDTH; d++) {
        out[d] = 0;
        for (int64_t t = 0; t < count; t++) {
            out[d] += weights[t] / total * values[t * WIDTH + d];
        }
    }
}

/* cache[:, :count] */
static int32_t used_part(WgContext *ctx, WgTensor *cache, int64_t count, WgValue *out)
{
    const int64_t sizes[3] = {HEADS, count, WIDTH};
    const WgGeometry geometry = {sizes, wg_strides(ctx, cache), wg_offset(ctx, cache), 3};
    return wg_as_strided(ctx, cache, &geometry, &out->tensor);
}

int32_t kv_cache_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != NUM_ARGS || *num_outs < NUM_OUTS) {
        return 1;
    }
    const int64_t pos = args[POS].integer;
    memset(outs, 0, NUM_OUTS * sizeof *outs);
    int32_t status = wg_native_empty(ctx, WG_FLOAT32, 2, wg_sizes(ctx, args[QUERY].tensor), &outs[ATTENDED].tensor);
    if (status == 0) {
        status = used_part(ctx, args[KEY_CACHE].tensor, pos + 1, &outs[KEYS]);
    }
    if (status == 0) {
        status = used_part(ctx, args[VALUE_CACHE].tensor, pos + 1, &outs[VALUES]);
    }
    if (status != 0) {
        wg_release_run(ctx, outs, NUM_OUTS);
        return status;
    }
    append(ctx, args[KEY_CACHE].tensor, args[KEY].tensor, pos);
    append(ctx, args[VALUE_CACHE].tensor, args[VALUE].tensor, pos);
    const float *query = wg_data(ctx, args[QUERY].tensor);
    const float *keys = wg_data(ctx, args[KEY_CACHE].tensor);
    const float *values = wg_data(ctx, args[VALUE_CACHE].tensor);
    float *attended = wg_data(ctx, outs[ATTENDED].tensor);
    for (int64_t head = 0; head < HEADS; head++) {
        attend(query + head * WIDTH, keys + head * LENGTH * WIDTH, values + head * LENGTH * WIDTH, pos + 1,
               attended + head * WIDTH);
    }
    *num_outs = NUM_OUTS;
    return 0;
}
