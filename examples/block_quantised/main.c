/* SPDX-License-Identifier: 0BSD */
/*
 * Calls block_quantised's wrappers: with small numbers worked out by hand, with larger ones that PyTorch worked out
 * (recorded.txt), and with arguments that are refused. Ends with 1 when something came out wrong.
 *
 *     run FOLDER      the folder of recorded.txt
 */
#include "block_quantised.h"
#include "wg_native.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DATA, SCALE, ZERO_POINT };

static int num_wrong;

static void check(const char *what, int holds)
{
    printf("%-78s %s\n", what, holds ? "yes" : "NO");
    num_wrong += !holds;
}

static void need(int32_t status)
{
    if (status != 0) {
        fprintf(stderr, "native host: %s\n", wg_native_code_text(status));
        exit(1);
    }
}

static void show_error(WgContext *ctx)
{
    char text[256];
    wg_error_text(wg_error(ctx), text, sizeof text);
    printf("    %s\n", text);
}

static WgTensor *make(WgContext *ctx, int32_t dtype, int64_t rows, int64_t columns, const double *values)
{
    const int64_t sizes[2] = {rows, columns};
    WgTensor *t = NULL;
    need(wg_native_empty(ctx, dtype, 2, sizes, &t));
    for (int64_t i = 0; i < rows * columns; i++) {
        wg_native_set_real(t, i, values[i]);
    }
    return t;
}

/* Takes its parts; without the unflatten function, which would refuse what some tests need. */
static WgTensor *assemble(WgContext *ctx, const WgType *type, WgTensor *data, WgTensor *scale, WgTensor *zero_point)
{
    WgTensor *parts[3] = {data, scale, zero_point};
    WgTensor *t = NULL;
    need(wg_native_subclass(ctx, type, block_quantised_context, parts, 3, NULL, &t));
    return t;
}

static WgTensor *part(WgContext *ctx, const WgTensor *t, int32_t index)
{
    WgTensor *attr = NULL;
    need(wg_attr(ctx, t, index, &attr));
    return attr;
}

static int holds(const WgTensor *t, int64_t count, const double *values)
{
    int same = t->num_elements == count;
    for (int64_t i = 0; i < count && same; i++) {
        same = wg_native_real(t, i) == values[i];
    }
    return same;
}

/* ---- by hand ---- */

/* Two rows of two blocks. What they stand for, (data - zero_point) * scale:
 *     row 0: ((1 3 5 -1) - 1) * 0.5   =  0 1 2 -1      ((1 -1 0 2) - 0) * 2 = 2 -2 0 4
 *     row 1: ((0 4 -4 -8) + 4) * 0.25 =  1 2 0 -1      ((3 4 5 2) - 3) * 1  = 0 1 2 -1 */
static WgTensor *small_weight(WgContext *ctx)
{
    static const double data[16] = {1, 3, 5, -1, 1, -1, 0, 2, 0, 4, -4, -8, 3, 4, 5, 2};
    static const double scale[4] = {0.5, 2, 0.25, 1};
    static const double zero_point[4] = {1, 0, -4, 3};
    return assemble(ctx, &BlockQuantised, make(ctx, WG_INT8, 2, 8, data), make(ctx, WG_FLOAT32, 2, 2, scale),
                    make(ctx, WG_INT8, 2, 2, zero_point));
}

static void linear_by_hand(WgContext *ctx)
{
    static const double x[16] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 2, 1, 0, 0, -1};
    static const double y[4] = {0 + 1 + 2 - 1 + 2 - 2 + 0 + 4, 1 + 2 + 0 - 1 + 0 + 1 + 2 - 1, 1 - 2 + 2 - 4,
                                2 - 2 + 0 + 1};
    demo_quantised_linear_inputs in = {make(ctx, WG_FLOAT32, 2, 8, x), small_weight(ctx)};
    demo_quantised_linear_outputs out = {NULL};
    puts("y = x @ dequantise(w).t(), w of 2 by 8 in blocks of 4");
    check("  the wrapper succeeds", demo_quantised_linear(ctx, &in, &out) == WG_OK);
    check("  y is 6 4 / -3 1", out.y != NULL && holds(out.y, 4, y));
    demo_quantised_linear_outputs_release(ctx, &out);
    wg_release(ctx, in.x);
    wg_release(ctx, in.w);
}

/* Of 0 1 2 255: 255 steps of 1 from 0, so zero is -128. Of -64 0 63.5 0.5: steps of 0.5 from -64, zero is 0. */
static void quantise_by_hand(WgContext *ctx)
{
    static const double x[8] = {0, 1, 2, 255, -64, 0, 63.5, 0.5};
    static const double data[8] = {-128, -127, -126, 127, -128, 0, 127, 1};
    static const double scale[2] = {1, 0.5};
    static const double zero_point[2] = {-128, 0};
    demo_quantise_inputs in = {make(ctx, WG_FLOAT32, 1, 8, x)};
    demo_quantise_outputs out = {NULL};
    puts("q = quantise(x), x of 1 by 8");
    check("  the wrapper succeeds", demo_quantise(ctx, &in, &out) == WG_OK);
    if (out.q != NULL) {
        check("  q is a BlockQuantised of 1 by 8, its strides 8 and 1",
              wg_is_type(ctx, out.q, &BlockQuantised) && wg_size(ctx, out.q, 0) == 1 && wg_size(ctx, out.q, 1) == 8 &&
                  wg_stride(ctx, out.q, 0) == 8 && wg_stride(ctx, out.q, 1) == 1);
        check("  its flattening context is that of the type", wg_native_type_context(out.q) == block_quantised_context);
        check("  data is -128 -127 -126 127, -128 0 127 1", holds(part(ctx, out.q, DATA), 8, data));
        check("  scale is 1, 0.5", holds(part(ctx, out.q, SCALE), 2, scale));
        check("  zero_point is -128, 0", holds(part(ctx, out.q, ZERO_POINT), 2, zero_point));
    }
    demo_quantise_outputs_release(ctx, &out);
    wg_release(ctx, in.x);
}

/* Row 0 of the weight above becomes 0 1 2 255 / -64 0 63.5 0.5, row 1 0 0 0 0 / 0 0 0 0: zeros have the scale 1, and
 * zero itself is then the smallest step, -128. */
static void add_by_hand(WgContext *ctx)
{
    static const double delta[16] = {0, 0, 0, 256, -66, 2, 63.5, -3.5, -1, -2, 0, 1, 0, -1, -2, 1};
    static const double data[16] = {-128, -127, -126, 127,  -128, 0,    127,  1,
                                    -128, -128, -128, -128, -128, -128, -128, -128};
    static const double scale[4] = {1, 0.5, 1, 1};
    static const double zero_point[4] = {-128, 0, -128, -128};
    demo_quantised_add_inputs in = {small_weight(ctx), make(ctx, WG_FLOAT32, 2, 8, delta)};
    demo_quantised_add_outputs none;
    WgTensor *const data_before = part(ctx, in.w, DATA);
    const int64_t version = wg_version(ctx, data_before);
    puts("w += delta, w of 2 by 8: the graph returns new parts, the wrapper writes them into w's");
    check("  the wrapper succeeds", demo_quantised_add(ctx, &in, &none) == WG_OK);
    check("  w still has the same parts", part(ctx, in.w, DATA) == data_before);
    check("  their version is one higher", wg_version(ctx, data_before) == version + 1);
    check("  data is as if quantised anew", holds(part(ctx, in.w, DATA), 16, data));
    check("  scale is 1, 0.5 / 1, 1", holds(part(ctx, in.w, SCALE), 4, scale));
    check("  zero_point is -128, 0 / -128, -128", holds(part(ctx, in.w, ZERO_POINT), 4, zero_point));
    wg_release(ctx, in.w);
    wg_release(ctx, in.delta);
}

/* ---- by PyTorch ---- */

static FILE *recorded;

/* The next matrix of the file. */
static WgTensor *read_matrix(WgContext *ctx, const char *expected_name, int32_t dtype)
{
    char name[32];
    long sizes[2];
    double values[1024];
    int c = 0;
    while ((c = getc(recorded)) == '#') {
        while (c != '\n' && c != EOF) {
            c = getc(recorded);
        }
    }
    ungetc(c, recorded);
    int good = fscanf(recorded, "%31s %ld %ld", name, &sizes[0], &sizes[1]) == 3 && strcmp(name, expected_name) == 0 &&
               sizes[0] > 0 && sizes[1] > 0 && sizes[0] < 32 && sizes[1] <= 32;
    for (long i = 0; good && i < sizes[0] * sizes[1]; i++) {
        good = fscanf(recorded, "%lf", &values[i]) == 1;
    }
    if (!good) {
        fprintf(stderr, "recorded.txt: no %s\n", expected_name);
        exit(1);
    }
    (void)getc(recorded);
    return make(ctx, dtype, sizes[0], sizes[1], values);
}

static int equal(const WgTensor *a, const WgTensor *b)
{
    int same = a->num_elements == b->num_elements;
    for (int64_t i = 0; i < a->num_elements && same; i++) {
        same = wg_native_real(a, i) == wg_native_real(b, i);
    }
    return same;
}

/* PyTorch adds the 32 products of an entry in another order: each order is off by at most 32 half steps of float32,
 * relative to the sum of the products' absolute values, which is at most that of the largest factors. One step of one
 * weight would make a difference of 1e-2. */
static int nearly(const WgTensor *y, const WgTensor *expected, double largest_product)
{
    const double allowed = 2 * 32 * 0x1p-24 * 32 * largest_product;
    double found = y->num_elements == expected->num_elements ? 0 : INFINITY;
    for (int64_t i = 0; i < y->num_elements && i < expected->num_elements; i++) {
        found = fmax(found, fabs(wg_native_real(y, i) - wg_native_real(expected, i)));
    }
    printf("    largest difference %.1e, %.1e is allowed\n", found, allowed);
    return found <= allowed;
}

static double largest(const WgTensor *t)
{
    double found = 0;
    for (int64_t i = 0; i < t->num_elements; i++) {
        found = fmax(found, fabs(wg_native_real(t, i)));
    }
    return found;
}

static void compare_parts(WgContext *ctx, const char *what, const WgTensor *found, const char *const names[3])
{
    WgTensor *const expected[3] = {read_matrix(ctx, names[DATA], WG_INT8), read_matrix(ctx, names[SCALE], WG_FLOAT32),
                                   read_matrix(ctx, names[ZERO_POINT], WG_INT8)};
    int same = 1;
    for (int i = 0; i < 3; i++) {
        same = same && equal(part(ctx, found, i), expected[i]);
        wg_release(ctx, expected[i]);
    }
    check(what, same);
}

static void as_pytorch(WgContext *ctx, const char *folder)
{
    static const char *const names[3] = {"data", "scale", "zero_point"};
    static const char *const new_names[3] = {"new_data", "new_scale", "new_zero_point"};
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/recorded.txt", folder);
    recorded = length > 0 && (size_t)length < sizeof path ? fopen(path, "r") : NULL;
    if (recorded == NULL) {
        fprintf(stderr, "cannot read %s/recorded.txt\n", folder);
        exit(1);
    }
    puts("the same graphs for 6 by 32, as PyTorch computed them");
    demo_quantise_inputs in = {read_matrix(ctx, "start", WG_FLOAT32)};
    demo_quantise_outputs out = {NULL};
    demo_quantised_linear_outputs product = {NULL};
    demo_quantised_add_outputs none;
    WgTensor *const x = read_matrix(ctx, "x", WG_FLOAT32);
    WgTensor *const delta = read_matrix(ctx, "delta", WG_FLOAT32);
    const double largest_product = largest(x) * largest(in.x);
    check("  quantise succeeds", demo_quantise(ctx, &in, &out) == WG_OK);
    if (out.q != NULL) {
        const demo_quantised_linear_inputs linear = {x, out.q};
        const demo_quantised_add_inputs add = {out.q, delta};
        compare_parts(ctx, "  its parts are PyTorch's, bit by bit", out.q, names);
        check("  quantised_linear succeeds", demo_quantised_linear(ctx, &linear, &product) == WG_OK);
        WgTensor *const y = read_matrix(ctx, "y", WG_FLOAT32);
        check("  y is PyTorch's", product.y != NULL && nearly(product.y, y, largest_product));
        check("  quantised_add succeeds", demo_quantised_add(ctx, &add, &none) == WG_OK);
        compare_parts(ctx, "  what became of w is PyTorch's, bit by bit", out.q, new_names);
        wg_release(ctx, y);
    }
    demo_quantised_linear_outputs_release(ctx, &product);
    demo_quantise_outputs_release(ctx, &out);
    wg_release(ctx, in.x);
    wg_release(ctx, x);
    wg_release(ctx, delta);
    fclose(recorded);
}

/* ---- refused ---- */

static const double zeros[64];

static WgTensor *blank(WgContext *ctx, const WgType *type, int32_t data_dtype, int64_t width, int64_t blocks)
{
    return assemble(ctx, type, make(ctx, data_dtype, 2, width, zeros), make(ctx, WG_FLOAT32, 2, blocks, zeros),
                    make(ctx, WG_INT8, 2, blocks, zeros));
}

/* Takes w. */
static void refuse(WgContext *ctx, const char *what, int64_t width, WgTensor *w, int32_t status)
{
    demo_quantised_linear_inputs in = {make(ctx, WG_FLOAT32, 2, width, zeros), w};
    demo_quantised_linear_outputs out = {NULL};
    check(what, demo_quantised_linear(ctx, &in, &out) == status && out.y == NULL);
    show_error(ctx);
    wg_release(ctx, in.x);
    wg_release(ctx, w);
}

static void run_refused(WgContext *ctx)
{
    static const char *const attribute_names[] = {"data", "scale", "zero_point"};
    static const WgType other = {.name = "RowQuantised", .attribute_names = attribute_names, .num_attributes = 3};
    puts("weights that are refused");
    refuse(ctx, "  a plain tensor", 8, make(ctx, WG_INT8, 2, 8, zeros), WG_E_TYPE);
    refuse(ctx, "  another subclass with the same parts", 8, blank(ctx, &other, WG_INT8, 8, 2), WG_E_TYPE);
    refuse(ctx, "  scales of three blocks for a width of two", 8, blank(ctx, &BlockQuantised, WG_INT8, 8, 3),
           WG_E_SIZE);
    refuse(ctx, "  a width that is not a whole number of blocks", 6, blank(ctx, &BlockQuantised, WG_INT8, 6, 1),
           WG_E_SYMBOL);
    refuse(ctx, "  a width that is not x's", 8, blank(ctx, &BlockQuantised, WG_INT8, 4, 1), WG_E_SIZE);
    refuse(ctx, "  data that is not int8: the compiled function looks", 8,
           blank(ctx, &BlockQuantised, WG_FLOAT32, 8, 2), WG_E_COMPILED);
    WgTensor *parts[3] = {make(ctx, WG_INT8, 2, 6, zeros), make(ctx, WG_FLOAT32, 2, 1, zeros),
                          make(ctx, WG_INT8, 2, 1, zeros)};
    WgTensor *t = NULL;
    check("  and the unflatten function makes nothing of uneven blocks",
          wg_rebuild(ctx, &BlockQuantised, block_quantised_context, parts, 3, NULL, &t) != 0 && t == NULL);
}

int main(int argc, char **argv)
{
    WgContext *ctx = NULL;
    if (argc != 2) {
        fputs("usage: run FOLDER\n", stderr);
        return 2;
    }
    need(wg_context_create(NULL, &ctx));
    linear_by_hand(ctx);
    quantise_by_hand(ctx);
    add_by_hand(ctx);
    as_pytorch(ctx, argv[1]);
    run_refused(ctx);
    wg_context_destroy(ctx);
    printf("%d wrong\n", num_wrong);
    return num_wrong != 0;
}
