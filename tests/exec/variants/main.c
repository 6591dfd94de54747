/* SPDX-License-Identifier: MIT */
/*
 * Variants that are graphs, called through their dispatcher. x is 1 2 3 / 4 5 6 throughout; the kernels multiply.
 */
#include "../exec.h"

#include "wrappers.h"

static int num_calls;
static int fails;
static const char *note_seen;

static WgTensor *scaled(WgContext *ctx, const WgTensor *x, double by)
{
    const int64_t sizes[] = {wg_size(ctx, x, 0), wg_size(ctx, x, 1)};
    WgTensor *t = NULL;
    if (wg_native_empty(ctx, wg_dtype(ctx, x), 2, sizes, &t) != 0) {
        return NULL;
    }
    for (int64_t i = 0; i < sizes[0] * sizes[1]; i++) {
        wg_native_set_real(t, i, by * wg_native_real(x, i));
    }
    return t;
}

/* The updated x, and placeholders of what the wrapper makes anew. */
int32_t in_place_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const int64_t row[] = {3};
    num_calls++;
    note_seen = args[2].pointer;
    if (fails || num_args != 3 || *num_outs != 3) {
        return 77;
    }
    *num_outs = 3;
    outs[0].tensor = scaled(ctx, args[0].tensor, args[1].real);
    outs[1].tensor = scaled(ctx, args[0].tensor, 0);
    return wg_native_zeros(ctx, WG_FLOAT32, 1, row, &outs[2].tensor);
}

int32_t copy_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    num_calls += 100;
    if (num_args != 3 || *num_outs < 2) {
        return 78;
    }
    *num_outs = 2;
    outs[0].tensor = scaled(ctx, args[0].tensor, args[1].real);
    outs[1].tensor = scaled(ctx, args[0].tensor, 1);
    return 0;
}

int32_t touch_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx;
    (void)outs;
    wg_native_set_real(args[0].tensor, 0, 50);
    *num_outs = 0;
    return num_args == 1 ? 0 : 77;
}

int32_t kinds_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const t_kinds_args_pair *pair = args[5].pointer;
    const int64_t *k = args[4].pointer;
    const char *mode = args[6].pointer;
    (void)ctx;
    *num_outs = 1;
    outs[0].integer = args[0].integer + 10 * args[1].integer + 100 * args[2].integer + 10000 * args[3].integer +
                      10000000 * (k == NULL ? 9 : *k) + 100000000 * pair->item0 + 1000000000 * pair->item1 + mode[0];
    return num_args == 7 ? 0 : 77;
}

static const double START[] = {1, 2, 3, 4, 5, 6};
static const int64_t SIZES[] = {2, 3};

static void test_wrapper(WgContext *ctx)
{
    WgTensor *x = make(ctx, 2, SIZES, START);
    WgValue outs[4];
    size_t num_outs = 4;
    outs[2].integer = 12345;
    outs[3].integer = 12345;
    const WgValue args[] = {wg_value_tensor(x), wg_value_real(3)};
    num_calls = 0;
    check(t_scale(ctx, args, 2, outs, &num_outs) == WG_OK && num_calls == 1, "the graph's wrapper is called");
    check(num_outs == 2 && outs[2].integer == 12345 && outs[3].integer == 12345,
          "more room than outputs: the count is the graph's, the rest untouched");
    check(holds(x, 6, (const double[]){3, 6, 9, 12, 15, 18}), "its epilogue wrote into the argument");
    check(outs[0].tensor == x && wg_native_count(x) == 2, "an output is the argument, a reference of its own");
    check(outs[1].tensor->storage == x->storage && holds(outs[1].tensor, 3, (const double[]){3, 6, 9}),
          "another is a view of it");
    check(note_seen != NULL && strcmp(note_seen, "none") == 0, "a string, here a default, is passed by its address");
    wg_release(ctx, outs[0].tensor);
    wg_release(ctx, outs[1].tensor);
    num_outs = 2;
    check(t_scale(ctx, args, 1, outs, &num_outs) == WG_OK && holds(x, 6, (const double[]){6, 12, 18, 24, 30, 36}),
          "just enough room; a default of 2 for what was left out");
    wg_release(ctx, outs[0].tensor);
    wg_release(ctx, outs[1].tensor);
    wg_release(ctx, x);
}

static void test_failures(WgContext *ctx)
{
    WgTensor *x = make(ctx, 2, SIZES, START);
    WgValue outs[2];
    size_t num_outs = 1;
    const WgValue args[] = {wg_value_tensor(x), wg_value_real(3)};
    outs[0].integer = 12345;
    outs[1].integer = 12345;
    num_calls = 0;
    check(t_scale(ctx, args, 2, outs, &num_outs) == WG_E_COUNT && error_says(ctx, "scale") && num_calls == 0,
          "too little room is an error before anything is called");
    check(wg_error(ctx)->expected.integer == 2 && wg_error(ctx)->found.integer == 1,
          "which says how much there must be");
    check(outs[0].integer == 12345 && outs[1].integer == 12345 && holds(x, 6, START), "and nothing was written");
    fails = 1;
    num_outs = 2;
    check(t_scale(ctx, args, 2, outs, &num_outs) == WG_E_COMPILED && outs[0].tensor == NULL && outs[1].tensor == NULL,
          "the compiled function's failure passes through");
    fails = 0;
    wg_release(ctx, x);
}

static void test_choice(WgContext *ctx)
{
    WgTensor *x = NULL;
    WgTensor *narrow = make(ctx, 2, (const int64_t[]){3, 2}, START);
    WgValue outs[3];
    char text[200];
    size_t num_outs = 3;
    (void)wg_native_zeros(ctx, WG_FLOAT64, 2, SIZES, &x);
    WgValue args[] = {wg_value_tensor(x), wg_value_real(3)};
    num_calls = 0;
    check(t_scale(ctx, args, 2, outs, &num_outs) == WG_OK && num_calls == 100 && num_outs == 2,
          "a bare compiled function as its neighbour is called as it always was");
    wg_release(ctx, outs[0].tensor);
    wg_release(ctx, outs[1].tensor);
    args[0].tensor = narrow;
    check(t_scale(ctx, args, 2, outs, &num_outs) == WG_E_NO_VARIANT && num_calls == 100, "none accepts");
    WgTensor *fitting = make(ctx, 2, SIZES, START);
    const t_scale_args unboxed = {fitting, 3, "other"};
    (void)t_scale_explain(ctx, &unboxed, text, sizeof text);
    check(strstr(text, "the nearest is 'in_place': value of 'note': expected 'none'") != NULL,
          "and the nearest is named by its graph");
    wg_release(ctx, fitting);
    wg_release(ctx, x);
    wg_release(ctx, narrow);
}

static void test_nested(WgContext *ctx)
{
    WgTensor *x = make(ctx, 2, SIZES, START);
    const t_outer_inputs in = {x, 2, (void *)(uintptr_t) "again"};
    t_outer_outputs out;
    check(t_outer(ctx, &in, &out) == WG_OK && holds(x, 6, (const double[]){2, 4, 6, 8, 10, 12}) && out.y == x,
          "a graph around a dispatcher around a graph");
    t_outer_outputs_release(ctx, &out);
    fails = 1;
    check(t_outer(ctx, &in, &out) == WG_E_COMPILED && error_says(ctx, "in_place") && out.y == NULL,
          "the innermost wrapper's report comes through");
    fails = 0;
    wg_release(ctx, x);
}

static void test_kinds(WgContext *ctx)
{
    WgTensor *x = make(ctx, 2, SIZES, START);
    size_t num_outs = 0;
    const WgValue touched[] = {wg_value_tensor(x)};
    check(t_touch(ctx, touched, 1, NULL, &num_outs) == WG_OK && num_outs == 0 && wg_native_real(x, 0) == 50,
          "a graph without outputs needs no room");
    wg_release(ctx, x);
    const int64_t k = 3;
    t_kinds_args_pair pair = {4, 5};
    WgValue outs[1];
    WgValue args[] = {wg_value_integer(7),
                      wg_value_integer(1),
                      wg_value_integer(WG_BOOL),
                      wg_value_integer(257),
                      wg_value_integer((int64_t)(intptr_t)&k),
                      wg_value_integer((int64_t)(intptr_t)&pair)};
    num_outs = 1;
    /* 7 + 10 * 1 + 100 * 11 + 10000 * 257 + 3 * 10^7 + 4 * 10^8 + 5 * 10^9, and 'a' is 97 */
    check(t_kinds(ctx, args, 6, outs, &num_outs) == WG_OK && outs[0].integer == INT64_C(5432571117) + 97,
          "every kind of value");
    args[4].pointer = NULL;
    check(t_kinds(ctx, args, 6, outs, &num_outs) == WG_OK && outs[0].integer == INT64_C(5492571117) + 97,
          "and null for a number");
}

int main(void)
{
    Tracking tracking;
    WgContext *ctx = NULL;
    tracking_begin(&tracking);
    if (wg_context_create(&tracking.allocator, &ctx) != 0) {
        return 2;
    }
    test_wrapper(ctx);
    test_failures(ctx);
    test_choice(ctx);
    test_nested(ctx);
    test_kinds(ctx);
    wg_context_destroy(ctx);
    check(tracking.live_blocks == 0, "nothing is left alive");
    return closing();
}
