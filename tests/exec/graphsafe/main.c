/* SPDX-License-Identifier: MIT */
/*
 * Generators of a graph with `rng: graphsafe`. The rule under test is AOTAutograd's _AutogradRngStateTracker: a
 * backward draws exactly what its own forward drew, no matter what ran in between, and again a second time; forwards
 * never draw the same.
 *
 * x is 1 throughout and a kept element is doubled, so y is the mask times 2, and so is the gradient for a tangent of 1.
 */
#include "../exec.h"
#include "wrappers.h"

enum { SIZE = 16 };

static const int64_t sizes[1] = {SIZE};
static const WgNativeGenerator *backward_generator;

/* Number n of a stream: 0 or 2, by a bit of a hash. The generator is not advanced here. */
static double kept(const WgNativeGenerator *generator, int64_t n)
{
    uint64_t x = ((uint64_t)generator->seed ^ (uint64_t)(generator->offset + n) * UINT64_C(0xD1342543DE82EF95));
    x = (x ^ (x >> 32)) * UINT64_C(0xDABA0B6EB09322E3);
    return (x >> 63) != 0 ? 2 : 0;
}

/* out := src times the next SIZE numbers of the stream */
static WgTensor *dropped(WgContext *ctx, const WgTensor *src, WgNativeGenerator *generator)
{
    double values[SIZE];
    for (int64_t i = 0; i < SIZE; i++) {
        values[i] = wg_native_real(src, i) * kept(generator, i);
    }
    generator->offset += SIZE;
    return make(ctx, 1, sizes, values);
}

int32_t dropout_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != 2 || *num_outs != 1) {
        return 77;
    }
    outs[0].tensor = dropped(ctx, args[0].tensor, args[1].pointer);
    *num_outs = 1;
    return outs[0].tensor == NULL ? 78 : 0;
}

/* (tangent, null of the token, generator) to (gradient, token) */
int32_t dropout_backward_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != 3 || args[1].tensor != NULL || *num_outs != 2) {
        return 77;
    }
    backward_generator = args[2].pointer;
    outs[0].tensor = dropped(ctx, args[0].tensor, args[2].pointer);
    outs[1].tensor = NULL;
    *num_outs = 2;
    return outs[0].tensor == NULL ? 78 : 0;
}

static void look(int64_t n, WgNativeGenerator *first, WgNativeGenerator *second, WgValue *outs)
{
    outs[0].pointer = first;
    outs[1].pointer = second;
    outs[2].integer = first->offset;
    first->offset += n;
}

int32_t look_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx;
    if (num_args != 4 || args[0].tensor != NULL || *num_outs < 4) {
        return 77;
    }
    outs[0].tensor = NULL;
    look(args[1].integer, args[2].pointer, args[3].pointer, &outs[1]);
    *num_outs = 4;
    return 0;
}

int32_t look_directly_kernel(WgContext *ctx, int64_t n, void *first, void *second, void **out_first, void **out_second,
                             int64_t *out_offset)
{
    WgValue outs[3];
    (void)ctx;
    look(n, first, second, outs);
    *out_first = outs[0].pointer;
    *out_second = outs[1].pointer;
    *out_offset = outs[2].integer;
    return 0;
}

static WgTensor *ones(WgContext *ctx)
{
    double values[SIZE];
    for (int i = 0; i < SIZE; i++) {
        values[i] = 1;
    }
    return make(ctx, 1, sizes, values);
}

static void numbers(const WgTensor *t, double *values)
{
    for (int64_t i = 0; i < SIZE; i++) {
        values[i] = t == NULL ? -1 : wg_native_real(t, i);
    }
}

static int32_t forward(WgContext *ctx, WgTensor *x, double *y, t_dropout_saved *saved)
{
    const t_dropout_inputs in = {x};
    t_dropout_outputs out = {NULL};
    const int32_t status = t_dropout(ctx, &in, &out, saved);
    numbers(out.y, y);
    t_dropout_outputs_release(ctx, &out);
    return status;
}

static int32_t backward(WgContext *ctx, WgTensor *x, double *gradient, const t_dropout_saved *saved)
{
    const t_dropout_tangents tangents = {x};
    t_dropout_gradients out = {NULL};
    const int32_t status = t_dropout_backward(ctx, saved, &tangents, &out);
    numbers(out.x, gradient);
    t_dropout_gradients_release(ctx, &out);
    return status;
}

static int same(const double *a, const double *b)
{
    return memcmp(a, b, SIZE * sizeof *a) == 0;
}

static void test_training(WgContext *ctx)
{
    WgTensor *x = ones(ctx);
    double y[3][SIZE];
    double gradient[SIZE];
    t_dropout_saved saved[3];
    int succeeded = 1;
    for (int i = 0; i < 3; i++) {
        succeeded = forward(ctx, x, y[i], &saved[i]) == WG_OK && succeeded;
    }
    check(succeeded, "three forwards");
    check(!same(y[0], y[1]) && !same(y[1], y[2]) && !same(y[0], y[2]), "no two of them draw the same mask");
    const int64_t offset = wg_native_integer(saved[2].rng_states[0], 1);
    check(offset == 2 * SIZE, "the third began where the second ended");
    check(wg_native_integer(saved[0].rng_states[0], 0) == wg_native_integer(saved[2].rng_states[0], 0),
          "all from one stream");
    check(backward(ctx, x, gradient, &saved[1]) == WG_OK && same(gradient, y[1]), "the backward of the second");
    check(backward_generator != NULL && backward_generator->device == 1 * 256 + 1, "its generator is of cuda:1");
    check(backward(ctx, x, gradient, &saved[2]) == WG_OK && same(gradient, y[2]), "the backward of the third");
    check(backward(ctx, x, gradient, &saved[0]) == WG_OK && same(gradient, y[0]), "the backward of the first, last");
    check(backward(ctx, x, gradient, &saved[0]) == WG_OK && same(gradient, y[0]), "and once more, the same");
    double next[SIZE];
    t_dropout_saved another;
    check(forward(ctx, x, next, &another) == WG_OK && wg_native_integer(another.rng_states[0], 1) == 3 * SIZE,
          "backwards do not advance the forward's generator");
    t_dropout_saved_release(ctx, &another);
    t_dropout_saved_release(ctx, &saved[0]);
    check(saved[0].rng_states[0] == NULL && backward(ctx, x, gradient, &saved[0]) == WG_E_HOST,
          "a released struct has no state to go back to");
    t_dropout_saved_release(ctx, &saved[1]);
    t_dropout_saved_release(ctx, &saved[2]);
    wg_release(ctx, x);
}

static void test_inference(WgContext *ctx)
{
    const t_look_inputs in = {5};
    t_look_outputs a = {NULL, NULL, -1};
    t_look_outputs b = {NULL, NULL, -1};
    check(t_look(ctx, &in, &a) == WG_OK && t_look(ctx, &in, &b) == WG_OK, "an inference graph with two generators");
    check(a.first == b.first && a.second == b.second && a.first != a.second, "each call is given the same two");
    check(a.offset == 0 && b.offset == 5, "what a call drew stays drawn");
    const WgNativeGenerator *first = a.first;
    const WgNativeGenerator *second = a.second;
    check(first->seed != second->seed, "they are seeded differently");
    const t_look_directly_inputs direct = {7};
    t_look_directly_outputs c = {NULL, NULL, -1};
    check(t_look_directly(ctx, &direct, &c) == WG_OK && c.offset == 0, "called directly: pointers are parameters");
    const WgNativeGenerator *other = c.first;
    check(other != NULL && other != first && other->seed != first->seed, "another graph has generators of its own");
}

static void test_seeds(void)
{
    int64_t seeds[3] = {0, 0, 0};
    const int64_t given[3] = {1, 1, 2};
    for (int i = 0; i < 3; i++) {
        WgContext *ctx = NULL;
        const t_look_inputs in = {1};
        t_look_outputs out = {NULL, NULL, -1};
        if (wg_context_create(NULL, &ctx) == 0) {
            wg_context_set_rng(ctx, given[i], 0);
            seeds[i] = t_look(ctx, &in, &out) == WG_OK ? ((const WgNativeGenerator *)out.second)->seed : -1 - i;
        }
        wg_context_destroy(ctx);
    }
    check(seeds[0] == seeds[1], "contexts with one seed draw the same");
    check(seeds[0] != seeds[2], "with another seed, something else");
}

/* Every allocation of a forward and a backward, failing in turn: no value comes out, nothing is left. */
static void test_failures(void)
{
    int num_failures = 0;
    int clean = 1;
    for (int64_t n = 1; n < 200; n++) {
        Tracking tracking;
        WgContext *ctx = NULL;
        double values[SIZE];
        t_dropout_saved saved;
        tracking_begin(&tracking);
        memset(&saved, 0, sizeof saved);
        if (wg_context_create(&tracking.allocator, &ctx) != 0) {
            abort();
        }
        WgTensor *x = ones(ctx);
        tracking.fail_at = tracking.num_allocations + n;
        int32_t status = forward(ctx, x, values, &saved);
        clean = clean && (status == WG_OK || saved.rng_states[0] == NULL);
        if (status == WG_OK) {
            status = backward(ctx, x, values, &saved);
        }
        clean = clean && (status == WG_OK || values[0] == -1) && wg_grad_mode(ctx) == 1;
        t_dropout_saved_release(ctx, &saved);
        wg_release(ctx, x);
        wg_context_destroy(ctx);
        clean = clean && tracking.live_blocks == 0 && tracking.live_bytes == 0;
        num_failures += status != WG_OK;
        if (status == WG_OK) {
            break;
        }
    }
    check(num_failures > 4 && num_failures < 100, "every allocation failed once");
    check(clean, "and each time nothing came out and nothing was left");
}

int main(void)
{
    Tracking tracking;
    WgContext *ctx = NULL;
    tracking_begin(&tracking);
    if (wg_context_create(&tracking.allocator, &ctx) != 0) {
        return 2;
    }
    test_training(ctx);
    test_inference(ctx);
    wg_context_destroy(ctx);
    check(tracking.live_blocks == 0 && tracking.live_bytes == 0, "everything was given back");
    test_seeds();
    test_failures();
    return closing();
}
