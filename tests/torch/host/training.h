/* SPDX-License-Identifier: MIT */
/*
 * training.h - the compiled functions of training.yaml, over libtorch's operators: as they are found, with the modes
 * that the wrapper set. Included once by each program.
 */
#ifndef TRAINING_H
#define TRAINING_H

#include "scenario.h"
#include "training_wrappers.h"

static int32_t fail_at = -1; /* the operator that fails, counted from 0; -1: none */
static int32_t ops_done;
static int drops_gradient; /* the backward returns no gradient of b */
static int returns_too_few;
static int grad_mode_inside = -1;

static WgTensor *must_op(int32_t status, WgTensor *made)
{
    if (ops_done++ == fail_at) {
        wg_release(ctx, made);
        return NULL;
    }
    return status == WG_OK ? made : NULL;
}

/* All take null and give null then, so that only the last result need be looked at. */
static WgTensor *unary_op(const char *name, const WgTensor *a)
{
    WgTensor *made = NULL;
    if (a == NULL) {
        return NULL;
    }
    const int32_t status = host_operator(name, "", a, NULL, &made);
    return must_op(status, made);
}

static WgTensor *binary_op(const char *name, const char *overload, const WgTensor *a, const WgTensor *b)
{
    WgTensor *made = NULL;
    if (a == NULL || b == NULL) {
        return NULL;
    }
    const int32_t status = host_operator(name, overload, a, b, &made);
    return must_op(status, made);
}

/* A new float32 tensor of n elements, of rows of them when there is more than one. */
static WgTensor *fresh(int64_t rows, int64_t n)
{
    WgTensor *made = NULL;
    const int32_t status = rows == 0
                               ? wg_empty_strided(ctx, GEOMETRY(LIST(n), LIST(1), 0), WG_FLOAT32, 0, &made)
                               : wg_empty_strided(ctx, GEOMETRY(LIST(rows, n), LIST(n, 1), 0), WG_FLOAT32, 0, &made);
    return must_op(status, made);
}

/* a + b, of as many elements; b of two rows is summed over them. */
static WgTensor *plus(const WgTensor *a, const WgTensor *b, int64_t rows, int64_t n)
{
    WgTensor *made = a == NULL || b == NULL ? NULL : fresh(rows, n);
    for (int64_t i = 0; made != NULL && i < (rows == 0 ? 1 : rows) * n; i++) {
        ((float *)wg_data(ctx, made))[i] = ((const float *)wg_data(ctx, a))[i] + ((const float *)wg_data(ctx, b))[i];
    }
    return made;
}

static WgTensor *sum_of_rows(const WgTensor *two_rows, int64_t n)
{
    WgTensor *made = two_rows == NULL ? NULL : fresh(0, n);
    for (int64_t i = 0; made != NULL && i < n; i++) {
        const float *from = wg_data(ctx, two_rows);
        ((float *)wg_data(ctx, made))[i] = from[i] + from[n + i];
    }
    return made;
}

static WgTensor *another(WgTensor *t)
{
    WgTensor *made = NULL;
    const int32_t status = t == NULL ? WG_E_NULL : wg_retain(ctx, t, &made);
    return must_op(status, made);
}

/* Gives all back when one is missing. */
static int32_t deliver(WgValue *outs, size_t n, size_t may_be_null, size_t *num_outs)
{
    for (size_t i = 0; i < n; i++) {
        if (outs[i].tensor == NULL && (may_be_null >> i & 1) == 0) {
            wg_release_run(ctx, outs, n);
            return 77;
        }
    }
    *num_outs = n;
    if (returns_too_few) {
        wg_release(ctx, outs[n - 1].tensor);
        *num_outs = n - 1;
    }
    return 0;
}

int32_t net_kernel(WgContext *context, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    enum { C, Y, Z, H, X, W, B, T, NUM };
    grad_mode_inside = wg_grad_mode(context);
    if (num_args != 4 || *num_outs < NUM) {
        return 78;
    }
    WgTensor *h = binary_op("aten::mm", "", args[0].tensor, args[1].tensor);
    WgTensor *t = unary_op("aten::tanh", h);
    WgTensor *sums = sum_of_rows(t, 4);
    outs[C].tensor = plus(args[3].tensor, sums, 0, 4);
    outs[Y].tensor = binary_op("aten::mul", "Tensor", t, args[2].tensor);
    outs[Z].tensor = unary_op("aten::t", h);
    outs[H].tensor = h;
    outs[X].tensor = another(args[0].tensor);
    outs[W].tensor = another(args[1].tensor);
    outs[B].tensor = another(args[2].tensor);
    outs[T].tensor = t;
    wg_release(context, sums);
    return deliver(outs, NUM, 0, num_outs);
}

int32_t net_backward_kernel(WgContext *context, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    enum { X, W, B, T, DY, DH, NUM_ARGS };
    grad_mode_inside = wg_grad_mode(context);
    if (num_args != NUM_ARGS || *num_outs < 4) {
        return 78;
    }
    WgTensor *dt = binary_op("aten::mul", "Tensor", args[DY].tensor, args[B].tensor);
    WgTensor *through_t = binary_op("aten::tanh_backward", "", dt, args[T].tensor);
    WgTensor *dh = plus(through_t, args[DH].tensor, 2, 4);
    WgTensor *xt = unary_op("aten::t", args[X].tensor);
    WgTensor *of_b = binary_op("aten::mul", "Tensor", args[DY].tensor, args[T].tensor);
    outs[0].tensor = NULL;
    outs[1].tensor = binary_op("aten::mm", "", xt, dh);
    outs[2].tensor = drops_gradient ? NULL : sum_of_rows(of_b, 4);
    outs[3].tensor = NULL;
    wg_release(context, dt);
    wg_release(context, through_t);
    wg_release(context, dh);
    wg_release(context, xt);
    wg_release(context, of_b);
    return deliver(outs, 4, drops_gradient ? 13 : 9, num_outs);
}

/* ---- arguments: consecutive eighths, so that products are exact ---- */

static WgTensor *eighths(WgTensor *t, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        ((float *)wg_data(ctx, t))[i] /= 8;
    }
    return t;
}

static test_net_inputs make_inputs(void)
{
    const test_net_inputs in = {eighths(MAKE(-2, 2, 3), 6), eighths(MAKE(-5, 3, 4), 12), eighths(MAKE(3, 4), 4),
                                MAKE(1, 4)};
    (void)wg_set_requires_grad(ctx, in.w, 1);
    (void)wg_set_requires_grad(ctx, in.b, 1);
    return in;
}

static void release_inputs(const test_net_inputs *in)
{
    wg_release(ctx, in->x);
    wg_release(ctx, in->w);
    wg_release(ctx, in->b);
    wg_release(ctx, in->c);
}

#endif /* TRAINING_H */
