/* SPDX-License-Identifier: 0BSD */
/*
 * Calls two_tensor's wrappers: a TwoTensor by a plain weight, a TwoTensor of TwoTensors centred, and two arguments that
 * are refused. The expected numbers are worked out next to the data. Ends with 1 when one is wrong.
 */
#include "two_tensor.h"
#include "wg_native.h"

#include <stdio.h>
#include <stdlib.h>

static int num_wrong;

static void check(const char *what, int holds)
{
    printf("%-70s %s\n", what, holds ? "yes" : "NO");
    num_wrong += !holds;
}

static void need(int32_t status)
{
    if (status != 0) {
        fprintf(stderr, "native host: %s\n", wg_native_code_text(status));
        exit(1);
    }
}

static WgTensor *make(WgContext *ctx, int64_t rows, int64_t columns, const float *values)
{
    const int64_t sizes[2] = {rows, columns};
    WgTensor *t = NULL;
    need(wg_native_empty(ctx, WG_FLOAT32, 2, sizes, &t));
    for (int64_t i = 0; i < rows * columns; i++) {
        wg_native_set_real(t, i, (double)values[i]);
    }
    return t;
}

/* Takes its parts. Without an outer geometry of its own the tensor has that of `a`. */
static WgTensor *pair(WgContext *ctx, WgTensor *a, WgTensor *b)
{
    WgTensor *parts[2] = {a, b};
    WgTensor *t = NULL;
    need(wg_native_subclass(ctx, &TwoTensor, two_tensor_context, parts, 2, NULL, &t));
    return t;
}

static WgTensor *part(WgContext *ctx, const WgTensor *t, int32_t index)
{
    WgTensor *attr = NULL;
    need(wg_attr(ctx, t, index, &attr));
    return attr;
}

static int holds(const WgTensor *t, const float *values)
{
    for (int64_t i = 0; i < t->num_elements; i++) {
        if (wg_native_real(t, i) != (double)values[i]) {
            return 0;
        }
    }
    return 1;
}

static void show_error(WgContext *ctx)
{
    char text[256];
    wg_error_text(wg_error(ctx), text, sizeof text);
    printf("    %s\n", text);
}

/* Every number here is small and whole, so that float32 is exact. */
static void run_linear(WgContext *ctx)
{
    static const float a[6] = {1, 2, 3, 4, 5, 6};
    static const float b[6] = {-1, 0, 1, 10, 20, 30};
    static const float weight[6] = {1, 0, -1, 2, 1, 0};
    static const float y_a[4] = {1 - 3, 2 + 2, 4 - 6, 8 + 5};
    static const float y_b[4] = {-1 - 1, -2 + 0, 10 - 30, 20 + 20};
    demo_two_tensor_linear_inputs in = {pair(ctx, make(ctx, 2, 3, a), make(ctx, 2, 3, b)), make(ctx, 2, 3, weight)};
    demo_two_tensor_linear_outputs out = {NULL};
    puts("y = x @ weight.t(), x a TwoTensor of 2 by 3");
    check("  the wrapper succeeds", demo_two_tensor_linear(ctx, &in, &out) == WG_OK);
    if (out.y != NULL) {
        check("  y is a TwoTensor of 2 by 2",
              wg_is_type(ctx, out.y, &TwoTensor) && wg_size(ctx, out.y, 0) == 2 && wg_size(ctx, out.y, 1) == 2);
        check("  y.a is x.a @ weight.t()", holds(part(ctx, out.y, 0), y_a));
        check("  y.b is x.b @ weight.t()", holds(part(ctx, out.y, 1), y_b));
    }
    demo_two_tensor_linear_outputs_release(ctx, &out);

    puts("the parts given as they are, and a TwoTensor whose parts differ in shape");
    demo_two_tensor_linear_inputs plain = {part(ctx, in.x, 0), in.weight};
    check("  a plain tensor is refused", demo_two_tensor_linear(ctx, &plain, &out) == WG_E_TYPE);
    show_error(ctx);
    demo_two_tensor_linear_inputs uneven = {pair(ctx, make(ctx, 2, 3, a), make(ctx, 3, 2, b)), in.weight};
    check("  uneven parts are refused", demo_two_tensor_linear(ctx, &uneven, &out) == WG_E_SIZE);
    show_error(ctx);
    wg_release(ctx, uneven.x);
    wg_release(ctx, in.x);
    wg_release(ctx, in.weight);
}

/* Means of the rows: 2, 20; of part i the data are these times 2**i. */
static void run_centre(WgContext *ctx)
{
    static const float rows[6] = {1, 2, 3, 10, 20, 30};
    static const float centred[6] = {-1, 0, 1, -10, 0, 10};
    WgTensor *parts[4];
    for (int i = 0; i < 4; i++) {
        float values[6];
        for (int n = 0; n < 6; n++) {
            values[n] = rows[n] * (float)(1 << i);
        }
        parts[i] = make(ctx, 2, 3, values);
    }
    demo_two_tensor_centre_inputs in = {pair(ctx, pair(ctx, parts[0], parts[1]), pair(ctx, parts[2], parts[3]))};
    demo_two_tensor_centre_outputs out = {NULL};
    puts("y = x - x.mean(1, keepdim=True), x a TwoTensor of TwoTensors");
    check("  the wrapper succeeds", demo_two_tensor_centre(ctx, &in, &out) == WG_OK);
    for (int i = 0; i < 4 && out.y != NULL; i++) {
        static const char *const names[4] = {"  y.a.a", "  y.a.b", "  y.b.a", "  y.b.b"};
        float values[6];
        for (int n = 0; n < 6; n++) {
            values[n] = centred[n] * (float)(1 << i);
        }
        check(names[i], holds(part(ctx, part(ctx, out.y, i / 2), i % 2), values));
    }
    check("  y takes its size from y.a, which takes it from y.a.a",
          out.y != NULL && wg_size(ctx, out.y, 0) == 2 && wg_size(ctx, out.y, 1) == 3 && wg_stride(ctx, out.y, 0) == 3);
    demo_two_tensor_centre_outputs_release(ctx, &out);
    wg_release(ctx, in.x);
}

int main(void)
{
    WgContext *ctx = NULL;
    need(wg_context_create(NULL, &ctx));
    run_linear(ctx);
    run_centre(ctx);
    wg_context_destroy(ctx);
    printf("%d wrong\n", num_wrong);
    return num_wrong != 0;
}
