/* SPDX-License-Identifier: 0BSD */
/*
 * kernel.c - the variants: one loop nest each, tiled as its name says. What a kernel compiler would emit stands here by
 * hand; `last_variant` is for the example to show who was called.
 */
#include <math.h>

#include "matmul_dispatch.h"
#include "variants.h"
#include "wg_native.h"

const char *last_variant;

static double at(const WgTensor *t, int64_t row, int64_t column)
{
    const int64_t index[2] = {row, column};
    return (double)*(const float *)wg_native_element(t, index);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void multiply_tile(const WgTensor *a, const WgTensor *b, float *out, const int64_t *from, const int64_t *to)
{
    for (int64_t i = from[0]; i < to[0]; i++) {
        for (int64_t j = from[1]; j < to[1]; j++) {
            double sum = 0.0;
            for (int64_t k = 0; k < a->sizes[1]; k++) {
                sum += at(a, i, k) * at(b, k, j);
            }
            out[i * b->sizes[1] + j] = (float)sum;
        }
    }
}

static int32_t multiply(WgContext *ctx, const WgValue *args, WgValue *outs, size_t *num_outs, const char *name,
                        const int64_t *tile)
{
    const WgTensor *a = args[0].tensor;
    const WgTensor *b = args[1].tensor;
    const int64_t sizes[2] = {a->sizes[0], b->sizes[1]};
    WgTensor *out = NULL;
    const int32_t status = *num_outs < 1 ? 1 : wg_native_empty(ctx, WG_FLOAT32, 2, sizes, &out);
    if (status != WG_NATIVE_OK) {
        return status;
    }
    last_variant = name;
    for (int64_t i = 0; i < sizes[0]; i += tile[0]) {
        for (int64_t j = 0; j < sizes[1]; j += tile[1]) {
            const int64_t from[2] = {i, j};
            const int64_t to[2] = {least(i + tile[0], sizes[0]), least(j + tile[1], sizes[1])};
            multiply_tile(a, b, (float *)wg_data(ctx, out), from, to);
        }
    }
    outs[0].tensor = out;
    *num_outs = 1;
    return 0;
}

int32_t matmul_row_narrow(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t tile[2] = {1, 64};
    (void)num_args;
    return multiply(ctx, args, outs, num_outs, "matmul_row_narrow", tile);
}

int32_t matmul_row_middle(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t tile[2] = {1, 128};
    (void)num_args;
    return multiply(ctx, args, outs, num_outs, "matmul_row_middle", tile);
}

int32_t matmul_row_wide(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t tile[2] = {1, 256};
    (void)num_args;
    return multiply(ctx, args, outs, num_outs, "matmul_row_wide", tile);
}

int32_t matmul_few_narrow(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t tile[2] = {16, 64};
    (void)num_args;
    return multiply(ctx, args, outs, num_outs, "matmul_few_narrow", tile);
}

int32_t matmul_few_middle(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t tile[2] = {16, 128};
    (void)num_args;
    return multiply(ctx, args, outs, num_outs, "matmul_few_middle", tile);
}

int32_t matmul_few_wide(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t tile[2] = {16, 256};
    (void)num_args;
    return multiply(ctx, args, outs, num_outs, "matmul_few_wide", tile);
}

int32_t matmul_some_narrow(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t tile[2] = {64, 64};
    (void)num_args;
    return multiply(ctx, args, outs, num_outs, "matmul_some_narrow", tile);
}

int32_t matmul_some_middle(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t tile[2] = {64, 128};
    (void)num_args;
    return multiply(ctx, args, outs, num_outs, "matmul_some_middle", tile);
}

int32_t matmul_some_wide(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t tile[2] = {64, 256};
    (void)num_args;
    return multiply(ctx, args, outs, num_outs, "matmul_some_wide", tile);
}

int32_t matmul_many_narrow(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t tile[2] = {128, 64};
    (void)num_args;
    return multiply(ctx, args, outs, num_outs, "matmul_many_narrow", tile);
}

int32_t matmul_many_middle(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t tile[2] = {128, 128};
    (void)num_args;
    return multiply(ctx, args, outs, num_outs, "matmul_many_middle", tile);
}

int32_t matmul_many_wide(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t tile[2] = {128, 256};
    (void)num_args;
    return multiply(ctx, args, outs, num_outs, "matmul_many_wide", tile);
}

/* softmax(q k^T / sqrt(d)) v, row by row; causal: row i sees the first i + 1 keys. */
static void attend_row(const WgValue *args, int64_t row, int64_t d, float *out)
{
    const WgTensor *keys = args[1].tensor;
    const int64_t n = args[3].integer != 0 ? least(row + 1, keys->sizes[0]) : keys->sizes[0];
    double total = 0.0;
    for (int64_t c = 0; c < d; c++) {
        out[c] = 0.0F;
    }
    for (int64_t j = 0; j < n; j++) {
        double dot = 0.0;
        for (int64_t c = 0; c < d; c++) {
            dot += at(args[0].tensor, row, c) * at(keys, j, c);
        }
        const double weight = exp(dot / sqrt((double)d));
        total += weight;
        for (int64_t c = 0; c < d; c++) {
            out[c] += (float)(weight * at(args[2].tensor, j, c));
        }
    }
    for (int64_t c = 0; c < d; c++) {
        out[c] /= (float)total;
    }
}

static int32_t attend(WgContext *ctx, const WgValue *args, WgValue *outs, size_t *num_outs, const char *name, int64_t d)
{
    WgTensor *out = NULL;
    const int32_t status = *num_outs < 1 ? 1 : wg_native_empty(ctx, WG_FLOAT32, 2, args[0].tensor->sizes, &out);
    if (status != WG_NATIVE_OK) {
        return status;
    }
    last_variant = name;
    for (int64_t i = 0; i < args[0].tensor->sizes[0]; i++) {
        attend_row(args, i, d, (float *)wg_data(ctx, out) + i * d);
    }
    outs[0].tensor = out;
    *num_outs = 1;
    return 0;
}

int32_t attention_4_aligned(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)num_args;
    return attend(ctx, args, outs, num_outs, "attention_4_aligned", 4);
}

int32_t attention_4(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)num_args;
    return attend(ctx, args, outs, num_outs, "attention_4", 4);
}

int32_t attention_8_aligned(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)num_args;
    return attend(ctx, args, outs, num_outs, "attention_8_aligned", 8);
}

int32_t attention_8(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)num_args;
    return attend(ctx, args, outs, num_outs, "attention_8", 8);
}
