/* SPDX-License-Identifier: MIT */
/*
 * The contracts of generated code on the native host, with values worked out by hand: x is 0 1 2 / 3 4 5 throughout.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wg_native.h"
#include "wrappers.h"

static int num_passed;
static int num_failed;

static void check(int holds, const char *what)
{
    if (holds) {
        num_passed++;
    } else {
        num_failed++;
    }
    printf("%s %d - %s\n", holds ? "ok" : "not ok", num_passed + num_failed, what);
}

/* What the kernels below do wrong when told to. */
static enum { KERNEL_FINE, KERNEL_FAILS, KERNEL_SHORT, KERNEL_NULL } kernel_mood = KERNEL_FINE;
static int grad_mode_seen = -1;

static WgTensor *make(WgContext *ctx, const int64_t *sizes, double start, double step)
{
    WgTensor *t = NULL;
    if (wg_native_empty(ctx, WG_FLOAT32, 2, sizes, &t) != 0) {
        abort();
    }
    for (int64_t i = 0; i < sizes[0] * sizes[1]; i++) {
        wg_native_set_real(t, i, start + step * (double)i);
    }
    return t;
}

static WgTensor *make_x(WgContext *ctx)
{
    const int64_t sizes[] = {2, 3};
    return make(ctx, sizes, 0, 1);
}

int32_t twice_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const WgTensor *x = args[0].tensor;
    const int64_t sizes[] = {wg_size(ctx, x, 0), wg_size(ctx, x, 1)};
    grad_mode_seen = wg_grad_mode(ctx);
    if (kernel_mood == KERNEL_FAILS || num_args != 1 || *num_outs != 1) {
        return 77;
    }
    *num_outs = kernel_mood == KERNEL_SHORT ? 0 : 1;
    if (kernel_mood == KERNEL_FINE) {
        outs[0].tensor = make(ctx, sizes, 0, 0);
        for (int64_t i = 0; i < sizes[0] * sizes[1]; i++) {
            wg_native_set_real(outs[0].tensor, i, 2 * wg_native_real(x, i));
        }
    } else if (kernel_mood == KERNEL_NULL) {
        outs[0].tensor = NULL;
    }
    return 0;
}

/* updated x = 10 + x; targets of the aliases are placeholders of the right shape */
static int32_t update_values(WgContext *ctx, const WgTensor *x, int64_t n, WgValue *outs)
{
    const int64_t sizes[] = {2, 3};
    const int64_t row[] = {3};
    outs[0].tensor = make(ctx, sizes, 10 + wg_native_real(x, 0), 1);
    if (wg_native_zeros(ctx, WG_FLOAT32, 1, row, &outs[1].tensor) != 0) {
        abort();
    }
    outs[2].tensor = make(ctx, sizes, 0, 0);
    outs[3].integer = 2 * n;
    return 0;
}

int32_t update_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (kernel_mood == KERNEL_FAILS || num_args != 2 || *num_outs != 4) {
        return 77;
    }
    *num_outs = 4;
    return update_values(ctx, args[0].tensor, args[1].integer, outs);
}

int32_t consuming_kernel(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (kernel_mood == KERNEL_FAILS || num_args != 2 || *num_outs != 4) {
        return 77;
    }
    *num_outs = 4;
    const int32_t status = update_values(ctx, args[0].tensor, args[1].integer, outs);
    wg_release_run(ctx, args, 1); /* dropped before the wrapper's epilogue */
    return status;
}

/* b0 = x, v a view of it (a placeholder), w all of it, r = x + 100, q a view of r */
int32_t bases_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const int64_t sizes[] = {2, 3};
    const int64_t turned[] = {3, 2};
    if (num_args != 1 || *num_outs != 5 || args[0].tensor == NULL) {
        return 77;
    }
    *num_outs = 5;
    outs[0].tensor = make(ctx, turned, 0, 0);
    outs[2].tensor = make(ctx, sizes, 100, 1);
    outs[3].tensor = make(ctx, sizes, 0, 0);
    outs[4].tensor = make(ctx, sizes, 0, 1);
    if (wg_retain(ctx, outs[4].tensor, &outs[1].tensor) != 0) {
        abort();
    }
    for (int i = 0; i < 5; i++) {
        if (wg_set_requires_grad(ctx, outs[i].tensor, 1) != 0) {
            abort();
        }
    }
    return 0;
}

int32_t flip_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t sizes[] = {3, 2};
    static const int64_t strides[] = {1, 3};
    static const WgGeometry geometry = {sizes, strides, 0, 2};
    if (num_args != 1 || *num_outs != 1) {
        return 77;
    }
    *num_outs = 1;
    return wg_as_strided(ctx, args[0].tensor, &geometry, &outs[0].tensor);
}

int32_t direct_kernel(WgContext *ctx, WgTensor *x, double alpha, int64_t n, int64_t flag, WgTensor **y, int64_t *m)
{
    *m = flag ? n + 1 : n;
    *y = make_x(ctx);
    for (int64_t i = 0; i < 6; i++) {
        wg_native_set_real(*y, i, alpha * wg_native_real(x, i));
    }
    return 0;
}

static void test_twice(WgContext *ctx)
{
    t_twice_inputs in = {make_x(ctx)};
    t_twice_outputs out = {NULL};
    check(t_twice(ctx, &in, &out) == WG_OK && wg_native_real(out.y, 5) == 10.0, "twice: 2 * 5 is 10");
    check(grad_mode_seen == 0 && wg_grad_mode(ctx) == 1,
          "the kernel runs without grad mode, which is on again after it");
    check(wg_native_count(in.x) == 1 && wg_native_count(out.y) == 1, "the argument is borrowed, the output owned once");
    t_twice_outputs_release(ctx, &out);
    check(out.y == NULL, "outputs_release nulls what it releases");

    kernel_mood = KERNEL_FAILS;
    check(t_twice(ctx, &in, &out) == WG_E_COMPILED && wg_error(ctx)->found.integer == 77 && out.y == NULL,
          "a failing kernel: WG_E_COMPILED with its code, outputs null");
    check(wg_grad_mode(ctx) == 1, "grad mode is restored when the kernel fails");
    kernel_mood = KERNEL_SHORT;
    check(t_twice(ctx, &in, &out) == WG_E_OUTPUTS && wg_error(ctx)->expected.integer == 1,
          "too few results: WG_E_OUTPUTS");
    kernel_mood = KERNEL_NULL;
    check(t_twice(ctx, &in, &out) == WG_E_RESULT, "a null where a tensor is due: WG_E_RESULT");
    kernel_mood = KERNEL_FINE;
    wg_release(ctx, in.x);
}

static void test_arguments(WgContext *ctx)
{
    const int64_t wide[] = {2, 4};
    const int64_t tall[] = {65, 3};
    char text[256];
    WgValue outs[1] = {{NULL}};
    WgTensor *x = make(ctx, wide, 0, 1);
    t_twice_inputs in = {x};
    t_twice_outputs out = {NULL};
    check(t_twice(ctx, &in, &out) == WG_E_SIZE && wg_error(ctx)->dimension == 1 &&
              wg_error(ctx)->expected.integer == 3 && wg_error(ctx)->found.integer == 4,
          "size[1] is 4, not 3");
    check(wg_error_text(wg_error(ctx), text, sizeof text) > 0 && strstr(text, "twice") != NULL &&
              strstr(text, "x") != NULL && strstr(text, "3") != NULL && strstr(text, "4") != NULL,
          "the error's text names graph, argument and both numbers");
    wg_release(ctx, x);
    x = make(ctx, tall, 0, 1);
    in.x = x;
    check(t_twice(ctx, &in, &out) == WG_E_SYMBOL && wg_error(ctx)->expected.integer == 64 &&
              wg_error(ctx)->found.integer == 65,
          "s0 = 65 is above its maximum of 64");
    check(wg_error_text(wg_error(ctx), text, sizeof text) > 0 &&
              strstr(text, "(symbol s0: at least 1, at most 64)") != NULL,
          "the error's text names the symbol and its bounds");
    wg_release(ctx, x);
    in.x = NULL;
    check(t_twice(ctx, &in, &out) == WG_E_NULL, "a null tensor: WG_E_NULL");
    check(t_twice(ctx, NULL, &out) == WG_E_NULL, "a null struct: WG_E_NULL");
    check(t_twice_boxed(ctx, outs, 0, outs, 1) == WG_E_COUNT && wg_error(ctx)->found.integer == 0,
          "no arguments: WG_E_COUNT");
    check(t_twice_boxed(ctx, outs, 1, outs, 0) == WG_E_COUNT, "no room for outputs: WG_E_COUNT");
}

static void test_update(WgContext *ctx)
{
    t_update_inputs in = {make_x(ctx), 5};
    t_update_outputs out = {NULL, NULL, 0};
    check(t_update(ctx, &in, &out) == WG_OK && out.doubled == 10, "update: 2 * 5 is 10");
    check(wg_native_real(in.x, 4) == 14.0, "the epilogue wrote 10 + 4 into the argument");
    check(wg_native_real(out.row, 1) == 14.0 && out.row->storage == in.x->storage,
          "the row aliases the argument, with its new data");
    check(wg_offset(ctx, out.row) == 3 && wg_rank(ctx, out.row) == 1, "row 1 begins at element 3");
    check(out.same == in.x && wg_native_count(in.x) == 2, "is_input gives the object itself, retained");
    check(wg_version(ctx, in.x) == 1, "one copy_, one version");
    t_update_outputs_release(ctx, &out);
    check(wg_native_count(in.x) == 1, "references are balanced");
    in.n = 6;
    check(t_update(ctx, &in, &out) == WG_E_VALUE && wg_error(ctx)->found.integer == 6 && out.same == NULL,
          "n must be 5");
    wg_release(ctx, in.x);
}

static void test_consume(WgContext *ctx)
{
    WgTensor *x = make_x(ctx);
    WgTensor *kept = NULL;
    if (wg_retain(ctx, x, &kept) != 0) {
        abort();
    }
    t_consume_inputs in = {x, 5};
    t_consume_outputs out = {NULL, NULL, 0};
    check(t_consume(ctx, &in, &out) == WG_OK && in.x == NULL, "a given argument's field is null afterwards");
    check(out.same == kept && wg_native_count(kept) == 2 && wg_native_real(kept, 0) == 10.0,
          "the epilogue still reached it");
    t_consume_outputs_release(ctx, &out);
    in.x = x;
    kernel_mood = KERNEL_FAILS;
    if (wg_retain(ctx, kept, &x) != 0) {
        abort();
    }
    check(t_consume(ctx, &in, &out) == WG_E_COMPILED && in.x == NULL && wg_native_count(kept) == 1,
          "consumed on failure too");
    kernel_mood = KERNEL_FINE;
    in.x = kept;
    check(t_consume(ctx, &in, NULL) == WG_E_NULL && in.x == NULL, "consumed when the outputs are missing");
}

static void test_bases(WgContext *ctx)
{
    t_bases_inputs in = {make_x(ctx)};
    t_bases_outputs out = {NULL, NULL, NULL, NULL};
    check(t_bases(ctx, &in, &out) == WG_OK, "bases");
    check(out.v->storage == out.w->storage && out.q->storage == out.r->storage,
          "aliases of one base share its storage");
    check(wg_size(ctx, out.v, 0) == 3 && wg_native_real(out.v, 1) == 3.0, "v = b0.t(): v[0, 1] is b0[1, 0] = 3");
    check(wg_native_real(out.q, 1) == 104.0, "q = r[:, 1]: q[1] is r[1, 1] = 104");
    check(wg_requires_grad(ctx, out.v) && wg_requires_grad(ctx, out.q), "requires_grad as stated");
    t_bases_outputs_release(ctx, &out);
    wg_release(ctx, in.x);
}

static void test_others(WgContext *ctx)
{
    t_flip_inputs in = {make_x(ctx)};
    t_flip_outputs none = {0};
    check(t_flip(ctx, &in, &none) == WG_OK && wg_size(ctx, in.x, 0) == 3 && wg_stride(ctx, in.x, 1) == 3,
          "flip: the argument is 3 by 2 now, strides 1 and 3");
    check(t_flip_boxed(ctx, (const WgValue *)&in, 1, NULL, 0) == WG_E_SIZE, "what it has become is no longer accepted");
    wg_release(ctx, in.x);

    t_direct_inputs direct = {make_x(ctx), 0.5, 41, 1};
    t_direct_outputs out = {NULL, 0};
    check(t_direct(ctx, &direct, &out) == WG_OK && out.m == 42 && wg_native_real(out.y, 3) == 1.5,
          "direct: 0.5 * 3 is 1.5");
    check(wg_grad_mode(ctx) == 0, "grad_enabled_mutation: false is applied on success");
    wg_set_grad_mode(ctx, 1);
    t_direct_outputs_release(ctx, &out);
    wg_release(ctx, direct.x);
}

int main(void)
{
    WgContext *ctx = NULL;
    if (wg_context_create(NULL, &ctx) != 0) {
        return 2;
    }
    test_twice(ctx);
    test_arguments(ctx);
    test_update(ctx);
    test_consume(ctx);
    test_bases(ctx);
    test_others(ctx);
    wg_context_destroy(ctx);
    printf("%d passed, %d failed, 0 skipped\n", num_passed, num_failed);
    return num_failed == 0 ? 0 : 1;
}
