/* SPDX-License-Identifier: 0BSD */
/*
 * main.c - calls the two dispatchers, and a graph that stands on one, and checks who was called and what came out.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "matmul_dispatch.h"
#include "variants.h"
#include "wg_native.h"

static int num_wrong;

static void check(int good, const char *what)
{
    printf("%s: %s\n", good ? "right" : "WRONG", what);
    num_wrong += good ? 0 : 1;
}

/* Element (i, j) is 1 + i - j, over 4. */
static WgTensor *filled(WgContext *ctx, int64_t rows, int64_t columns)
{
    const int64_t sizes[2] = {rows, columns};
    WgTensor *t = NULL;
    if (wg_native_zeros(ctx, WG_FLOAT32, 2, sizes, &t) != WG_NATIVE_OK) {
        return NULL;
    }
    for (int64_t i = 0; i < rows * columns; i++) {
        wg_native_set_real(t, i, (double)(1 + i / columns - i % columns) / 4);
    }
    return t;
}

static double expected_product(int64_t i, int64_t j, int64_t inner)
{
    double sum = 0.0;
    for (int64_t k = 0; k < inner; k++) {
        sum += (double)((1 + i - k) * (1 + k - j)) / 16;
    }
    return sum;
}

static int product_is_right(const WgTensor *out, int64_t inner)
{
    const int64_t n = out->sizes[1];
    for (int64_t i = 0; i < out->sizes[0] * n; i++) {
        if (fabs(wg_native_real(out, i) - expected_product(i / n, i % n, inner)) > 1e-3) {
            return 0;
        }
    }
    return 1;
}

static void try_matmul(WgContext *ctx, int64_t m, int64_t n, const char *variant)
{
    WgTensor *a = filled(ctx, m, 8);
    WgTensor *b = filled(ctx, 8, n);
    const WgValue args[2] = {wg_value_tensor(a), wg_value_tensor(b)};
    WgValue out = {NULL};
    size_t num_outs = 1;
    const int32_t status = demo_matmul(ctx, args, 2, &out, &num_outs);
    check(status == WG_OK && strcmp(last_variant, variant) == 0 && product_is_right(out.tensor, 8), variant);
    wg_release(ctx, out.tensor);
    wg_release(ctx, b);
    wg_release(ctx, a);
}

static void try_miss(WgContext *ctx)
{
    char text[256];
    WgTensor *a = filled(ctx, 4, 8);
    WgTensor *b = filled(ctx, 7, 4);
    const demo_matmul_args args = {a, b};
    const WgValue values[2] = {wg_value_tensor(a), wg_value_tensor(b)};
    WgValue out = {NULL};
    size_t num_outs = 1;
    check(demo_matmul_select(ctx, &args) == -1, "no variant takes 4 x 8 by 7 x 4");
    check(demo_matmul(ctx, values, 2, &out, &num_outs) == WG_E_NO_VARIANT, "WG_E_NO_VARIANT");
    demo_matmul_explain(ctx, &args, text, sizeof text);
    printf("%s\n", text);
    check(strstr(text, "'matmul_few_narrow'") != NULL, "the nearest variant is named");
    check(strstr(text, "size of dim 0 of 'b'") != NULL && strstr(text, "8, found 7") != NULL, "and what was wrong");
    wg_release(ctx, b);
    wg_release(ctx, a);
}

static void try_graph(WgContext *ctx)
{
    demo_layer_inputs in = {filled(ctx, 3, 8), filled(ctx, 8, 70)};
    demo_layer_outputs out;
    const int32_t status = demo_layer(ctx, &in, &out);
    check(status == WG_OK && product_is_right(out.y, 8), "a graph that calls the dispatcher");
    demo_layer_outputs_release(ctx, &out);
    wg_release(ctx, in.x);
    wg_release(ctx, in.w);
}

/* With all keys alike the weights are equal, and a row of the result is the mean of the values. */
static void try_attention(WgContext *ctx, float *memory, const char *variant)
{
    static const int64_t sizes[2] = {2, 4};
    static const int64_t strides[2] = {4, 1};
    const WgGeometry geometry = {sizes, strides, 0, 2};
    WgTensor *q = filled(ctx, 2, 4);
    WgTensor *keys = NULL;
    WgTensor *values = NULL;
    WgValue out = {NULL};
    size_t num_outs = 1;
    for (int i = 0; i < 8; i++) {
        memory[i] = 1.0F;
    }
    (void)wg_native_borrow(ctx, memory, 32, &geometry, WG_FLOAT32, WG_CPU, NULL, NULL, &keys);
    (void)wg_native_borrow(ctx, memory + 16, 32, &geometry, WG_FLOAT32, WG_CPU, NULL, NULL, &values);
    for (int i = 0; i < 8; i++) {
        wg_native_set_real(values, i, i);
    }
    const WgValue args[3] = {wg_value_tensor(q), wg_value_tensor(keys), wg_value_tensor(values)};
    const int32_t status = demo_attention(ctx, args, 3, &out, &num_outs); /* `causal` takes its default */
    check(status == WG_OK && strncmp(last_variant, variant, strlen(variant)) == 0, last_variant);
    check(status == WG_OK && fabs(wg_native_real(out.tensor, 1) - 3.0) < 1e-6, "the mean of 1 and 5");
    wg_release(ctx, out.tensor);
    wg_release(ctx, values);
    wg_release(ctx, keys);
    wg_release(ctx, q);
}

int main(void)
{
    _Alignas(64) float memory[64];
    WgContext *ctx = NULL;
    if (wg_context_create(NULL, &ctx) != WG_NATIVE_OK) {
        return 1;
    }
    try_matmul(ctx, 1, 64, "matmul_row_narrow");
    try_matmul(ctx, 1, 65, "matmul_row_middle");
    try_matmul(ctx, 1, 300, "matmul_row_wide");
    try_matmul(ctx, 16, 1, "matmul_few_narrow");
    try_matmul(ctx, 2, 256, "matmul_few_middle");
    try_matmul(ctx, 9, 257, "matmul_few_wide");
    try_matmul(ctx, 17, 33, "matmul_some_narrow");
    try_matmul(ctx, 64, 100, "matmul_some_middle");
    try_matmul(ctx, 40, 260, "matmul_some_wide");
    try_matmul(ctx, 65, 3, "matmul_many_narrow");
    try_matmul(ctx, 200, 128, "matmul_many_middle");
    try_matmul(ctx, 129, 270, "matmul_many_wide");
    try_miss(ctx);
    try_graph(ctx);
    try_attention(ctx, memory + 1, "attention_4");
    check(strcmp(last_variant, "attention_4") == 0, "memory that is not aligned takes the general variant");
    wg_context_destroy(ctx);
    return num_wrong > 0;
}
