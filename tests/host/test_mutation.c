/* SPDX-License-Identifier: MIT */
/*
 * test_mutation.c - versions, and the verbs that change tensors in place. Expected values were read off
 * PyTorch 2.13.0+cpu by running the Python that stands above each test.
 */
#include "check.h"
#include "tracking.h"

#include <string.h>

static Tracking tracking;
static WgContext *ctx;

#define LIST(...)                                                                                                      \
    (const int64_t[])                                                                                                  \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static void begin(void)
{
    tracking_begin(&tracking);
    CHECK_EQUAL(wg_context_create(&tracking.allocator, &ctx), 0);
}

static void end(void)
{
    wg_context_destroy(ctx);
    CHECK_EQUAL(tracking.live_blocks, 0);
}

static WgTensor *ramp(int32_t dtype, int64_t n)
{
    WgTensor *t = NULL;
    CHECK_EQUAL(wg_native_zeros(ctx, dtype, 1, LIST(n), &t), 0);
    for (int64_t i = 0; i < n; i++) {
        wg_native_set_real(t, i, (double)i);
    }
    return t;
}

static WgTensor *tail(WgTensor *t) /* t[1:] */
{
    WgTensor *view = NULL;
    const WgGeometry geometry = {LIST(t->sizes[0] - 1), LIST(1), t->offset + 1, 1};
    CHECK_EQUAL(wg_as_strided(ctx, t, &geometry, &view), 0);
    return view;
}

static WgTensor *detach(WgTensor *t)
{
    WgTensor *detached = NULL;
    CHECK_EQUAL(wg_detach(ctx, t, &detached), 0);
    return detached;
}

static void release_all(WgTensor **tensors, int n)
{
    for (int i = 0; i < n; i++) {
        wg_release(ctx, tensors[i]);
    }
}

/* x = zeros(3); y = ones(4); d = x.detach(); w = x[1:]; y.add_(1); y.add_(1); x.add_(1)   -> x, d, w, y: 1 1 1 2
 * x.set_(y)                                                                               -> 2 2 2 2 */
static void test_set_versions(void)
{
    begin();
    WgTensor *x = ramp(WG_FLOAT32, 3);
    WgTensor *y = ramp(WG_FLOAT32, 4);
    WgTensor *d = detach(x);
    WgTensor *w = tail(x);
    CHECK_EQUAL(wg_bump_version(ctx, y), 0);
    CHECK_EQUAL(wg_bump_version(ctx, y), 0);
    CHECK_EQUAL(wg_bump_version(ctx, x), 0);
    CHECK_EQUAL(wg_version(ctx, x), 1);
    CHECK_EQUAL(wg_version(ctx, d), 1);
    CHECK_EQUAL(wg_version(ctx, w), 1);
    CHECK_EQUAL(wg_version(ctx, y), 2);
    CHECK_EQUAL(wg_set_(ctx, x, y), 0);
    CHECK_EQUAL(wg_version(ctx, x), 2);
    CHECK_EQUAL(wg_version(ctx, d), 2);
    CHECK_EQUAL(wg_version(ctx, w), 2);
    CHECK_EQUAL(wg_version(ctx, y), 2);
    CHECK_EQUAL(wg_size(ctx, x, 0), 4);
    CHECK(wg_data(ctx, x) == wg_data(ctx, y));
    /* x.add_(1): x and d 3, y stays 2 in PyTorch. Here the memory counts: y rises with x, d, elsewhere, does not. */
    CHECK_EQUAL(wg_bump_version(ctx, x), 0);
    CHECK_EQUAL(wg_version(ctx, x), 3);
    CHECK_EQUAL(wg_version(ctx, y), 3);
    CHECK_EQUAL(wg_version(ctx, d), 2);
    release_all((WgTensor *[]){x, y, d, w}, 4);
    end();
}

/* x = zeros(3); x.add_(1); x.add_(1); x.set_(ones(4)); w = x[1:]; d = x.detach()       -> x, w, d, y: 3 3 3 0 */
static void test_versions_of_later_views(void)
{
    begin();
    WgTensor *x = ramp(WG_FLOAT32, 3);
    WgTensor *y = ramp(WG_FLOAT32, 4);
    CHECK_EQUAL(wg_bump_version(ctx, x), 0);
    CHECK_EQUAL(wg_bump_version(ctx, x), 0);
    CHECK_EQUAL(wg_set_(ctx, x, y), 0);
    WgTensor *w = tail(x);
    WgTensor *d = detach(x);
    CHECK_EQUAL(wg_version(ctx, x), 3);
    CHECK_EQUAL(wg_version(ctx, w), 3);
    CHECK_EQUAL(wg_version(ctx, d), 3);
    CHECK_EQUAL(wg_version(ctx, y), 0);
    release_all((WgTensor *[]){x, y, w, d}, 4);
    end();
}

/* Attempted to set the storage of a tensor on device "cuda:1" to a storage on different device "cpu" (checkSetStorage
 * in aten/src/ATen/native/Resize.h); parameter.data = parameter.data.cuda() is how modules move. Views stay where they
 * are. */
static void test_devices(void)
{
    begin();
    float memory[2] = {1, 2};
    WgTensor *here = ramp(WG_FLOAT32, 2);
    WgTensor *there = NULL;
    const WgGeometry geometry = {LIST(2), LIST(1), 0, 1};
    CHECK_EQUAL(wg_native_borrow(ctx, memory, 8, &geometry, WG_FLOAT32, WG_CUDA * 256 + 1, NULL, NULL, &there), 0);
    WgTensor *view = tail(there);
    CHECK_EQUAL(wg_device(ctx, view), WG_CUDA * 256 + 1);
    CHECK_EQUAL(wg_set_(ctx, there, here), WG_NATIVE_E_DEVICE);
    CHECK_EQUAL(wg_set_(ctx, here, there), WG_NATIVE_E_DEVICE);
    CHECK_EQUAL(wg_shallow_copy_data_(ctx, here, there), 0);
    CHECK_EQUAL(wg_device(ctx, here), WG_CUDA * 256 + 1);
    release_all((WgTensor *[]){here, there, view}, 3);
    end();
}

/* x = zeros(3); x.set_(x)                               -> x._version 1
 * x = arange(3.); w = x[1:]; x.set_(w)                  -> x._version 1, x.storage_offset() 1, w._version 1
 * x.set_(zeros(3, dtype=int32))                         -> "Could not set tensor of type int to a tensor of type float"
 */
static void test_set_cases(void)
{
    begin();
    WgTensor *x = ramp(WG_FLOAT32, 3);
    WgTensor *ints = ramp(WG_INT32, 3);
    CHECK_EQUAL(wg_set_(ctx, x, x), 0);
    CHECK_EQUAL(wg_version(ctx, x), 1);
    WgTensor *w = tail(x);
    CHECK_EQUAL(wg_set_(ctx, x, w), 0);
    CHECK_EQUAL(wg_version(ctx, x), 2);
    CHECK_EQUAL(wg_version(ctx, w), 2);
    CHECK_EQUAL(wg_offset(ctx, x), 1);
    CHECK_EQUAL(wg_size(ctx, x, 0), 2);
    CHECK_EQUAL(wg_set_(ctx, x, ints), WG_NATIVE_E_DTYPE);
    CHECK_EQUAL(wg_version(ctx, x), 2);
    /* the old memory goes when its last tensor does */
    WgTensor *other = ramp(WG_FLOAT32, 9);
    CHECK_EQUAL(wg_set_(ctx, w, other), 0);
    CHECK_EQUAL(wg_set_(ctx, x, other), 0);
    CHECK_EQUAL(other->storage->references, 3);
    CHECK_EQUAL(wg_version(ctx, x), 4); /* x shared the memory that w left, and leaves it itself */
    /* under no_grad, as the verb is: a leaf that requires grad keeps its flag, x.set_(y) takes none from y */
    CHECK_EQUAL(wg_set_requires_grad(ctx, x, 1), 0);
    CHECK_EQUAL(wg_set_(ctx, x, w), 0);
    CHECK(wg_requires_grad(ctx, x));
    CHECK_EQUAL(wg_set_(ctx, w, x), 0);
    CHECK(!wg_requires_grad(ctx, w));
    release_all((WgTensor *[]){x, ints, w, other}, 4);
    end();
}

/* x = zeros(6); d = x.detach(); x.add_(1); y = ones(4); three times y.add_(1); x.data = y    -> x, d, y: 1 1 3 */
static void test_data(void)
{
    begin();
    WgTensor *x = ramp(WG_FLOAT32, 6);
    WgTensor *d = detach(x);
    WgTensor *y = ramp(WG_FLOAT64, 4);
    WgTensor *ints = ramp(WG_INT32, 4);
    CHECK_EQUAL(wg_bump_version(ctx, x), 0);
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(wg_bump_version(ctx, y), 0);
    }
    CHECK_EQUAL(wg_set_requires_grad(ctx, x, 1), 0);
    CHECK_EQUAL(wg_shallow_copy_data_(ctx, x, y), 0);
    CHECK_EQUAL(wg_version(ctx, x), 1);
    CHECK_EQUAL(wg_version(ctx, d), 1);
    CHECK_EQUAL(wg_version(ctx, y), 3);
    /* x.data may change the dtype: x.data = zeros(5, dtype=float64) -> x.dtype float64, requires_grad and is_leaf True
     */
    CHECK_EQUAL(wg_dtype(ctx, x), WG_FLOAT64);
    CHECK(wg_requires_grad(ctx, x) && x->is_leaf && !wg_requires_grad(ctx, y));
    CHECK(wg_native_real(x, 3) == 3);
    /* "data set to a tensor that requires gradients must be floating point or complex dtype" */
    CHECK_EQUAL(wg_shallow_copy_data_(ctx, x, ints), WG_NATIVE_E_GRAD);
    CHECK_EQUAL(wg_dtype(ctx, x), WG_FLOAT64);
    release_all((WgTensor *[]){x, d, y, ints}, 4);
    end();
}

/* x = zeros(6); w = x[1:]; d = x.detach(); x.as_strided_((2, 2), (1, 2), 0)     -> x, w, d: 1 1 1
 * zeros(4).as_strided_((5,), (1,), 0)                  -> "... are out of bounds for storage of size 16" */
static void test_restride(void)
{
    begin();
    WgTensor *x = ramp(WG_FLOAT32, 6);
    WgTensor *w = tail(x);
    WgTensor *d = detach(x);
    WgTensor *like = NULL;
    WgTensor *wide = NULL;
    const WgGeometry geometry = {LIST(2, 2), LIST(1, 2), 1, 2};
    WgTensor *bytes = ramp(WG_INT8, 40);
    CHECK_EQUAL(wg_as_strided(ctx, bytes, &geometry, &like), 0);
    CHECK_EQUAL(wg_restride_like_(ctx, x, like), 0);
    CHECK_EQUAL(wg_version(ctx, x), 1);
    CHECK_EQUAL(wg_version(ctx, w), 1);
    CHECK_EQUAL(wg_version(ctx, d), 1);
    CHECK_EQUAL(wg_rank(ctx, x), 2);
    CHECK_EQUAL(wg_offset(ctx, x), 1);
    const double expected[4] = {1, 3, 2, 4};
    for (int i = 0; i < 4; i++) {
        CHECK(wg_native_real(x, i) == expected[i]);
    }
    /* forty int8 fit their own storage, not that of six floats */
    CHECK_EQUAL(wg_restride_like_(ctx, x, bytes), WG_NATIVE_E_BOUNDS);
    CHECK_EQUAL(wg_version(ctx, x), 1);
    CHECK_EQUAL(wg_rank(ctx, x), 2);
    CHECK_EQUAL(wg_restride_like_(ctx, x, x), 0);
    CHECK_EQUAL(wg_version(ctx, x), 2);
    CHECK_EQUAL(wg_native_zeros(ctx, WG_FLOAT32, 8, LIST(1, 1, 1, 2, 1, 1, 3, 1), &wide), 0);
    CHECK_EQUAL(wg_restride_like_(ctx, x, wide), 0);
    CHECK_EQUAL(wg_stride(ctx, x, 3), 3);
    CHECK(wg_native_real(x, 5) == 5);
    release_all((WgTensor *[]){x, w, d, like, wide, bytes}, 6);
    end();
}

/* x = zeros(3); x.copy_(x); x.copy_(ones(3)) -> 2;  z = zeros(0); z.copy_(z); z.copy_(zeros(0)) -> 2 */
static void test_copy_versions(void)
{
    begin();
    WgTensor *x = ramp(WG_FLOAT32, 3);
    WgTensor *z = ramp(WG_FLOAT32, 0);
    WgTensor *d = detach(x);
    CHECK_EQUAL(wg_copy_(ctx, x, x), 0);
    CHECK_EQUAL(wg_copy_(ctx, x, d), 0);
    CHECK_EQUAL(wg_version(ctx, d), 2);
    CHECK_EQUAL(wg_copy_leaf_(ctx, x, d), 0);
    CHECK_EQUAL(wg_version(ctx, x), 3);
    CHECK_EQUAL(wg_copy_(ctx, z, z), 0);
    CHECK_EQUAL(wg_copy_(ctx, z, z), 0);
    CHECK_EQUAL(wg_version(ctx, z), 2);
    release_all((WgTensor *[]){x, z, d}, 3);
    end();
}

/* x = zeros(3); x.add_(1); u = torch.ops.aten._unsafe_view(x, x.shape)  -> u._version 0, x._version 1 */
static void test_unsafe_view_version(void)
{
    begin();
    WgTensor *x = ramp(WG_FLOAT32, 3);
    WgTensor *u = NULL;
    CHECK_EQUAL(wg_bump_version(ctx, x), 0);
    CHECK_EQUAL(wg_unsafe_view(ctx, x, &u), 0);
    CHECK_EQUAL(wg_version(ctx, u), 0);
    CHECK_EQUAL(wg_version(ctx, x), 1);
    release_all((WgTensor *[]){x, u}, 2);
    end();
}

/* x = zeros(3, requires_grad=True), grad mode on:
 *   x.copy_, x.as_strided_     -> "a leaf Variable that requires grad is being used in an in-place operation."
 *   x[1:].copy_                -> "a view of a leaf Variable that requires grad is being used in an in-place
 * operation." x.detach().copy_           -> x._version 1 with no_grad(): w = x[1:]; afterwards w.copy_ -> "A view was
 * created in no_grad mode and is being modified inplace" with no_grad(): x.copy_    -> x._version 2 */
static void test_leaves(void)
{
    begin();
    WgTensor *x = ramp(WG_FLOAT32, 3);
    WgTensor *ones = ramp(WG_FLOAT32, 3);
    CHECK_EQUAL(wg_set_requires_grad(ctx, x, 1), 0);
    WgTensor *w = tail(x);
    WgTensor *of_w = tail(w);
    WgTensor *d = detach(x);
    CHECK_EQUAL(wg_copy_(ctx, x, ones), WG_NATIVE_E_LEAF);
    CHECK_EQUAL(wg_restride_like_(ctx, x, ones), WG_NATIVE_E_LEAF);
    CHECK_EQUAL(wg_copy_(ctx, of_w, of_w), WG_NATIVE_E_LEAF);
    CHECK_EQUAL(wg_copy_(ctx, w, w), WG_NATIVE_E_LEAF);
    CHECK_EQUAL(wg_version(ctx, x), 0);
    CHECK_EQUAL(wg_copy_(ctx, d, ones), 0);
    CHECK_EQUAL(wg_version(ctx, x), 1);
    CHECK_EQUAL(wg_copy_leaf_(ctx, x, ones), 0);
    CHECK(wg_requires_grad(ctx, x) && x->is_leaf);
    wg_set_grad_mode(ctx, 0);
    WgTensor *quiet = tail(x);
    CHECK_EQUAL(wg_copy_(ctx, x, ones), 0);
    CHECK_EQUAL(wg_copy_(ctx, w, quiet), 0);
    wg_set_grad_mode(ctx, 1);
    CHECK_EQUAL(wg_copy_(ctx, quiet, w), WG_NATIVE_E_LEAF);
    release_all((WgTensor *[]){x, ones, w, of_w, d, quiet}, 6);
    end();
}

/* s = ones(3, requires_grad=True):
 *   x = zeros(3); x.copy_(s)                     -> x.requires_grad True, x.is_leaf False
 *   x = zeros(3, dtype=int32); x.copy_(s)        -> False, True
 *   with no_grad(): x.copy_(s)                   -> False, True
 *   x = zeros(3); x.detach().copy_(s)            -> False, True */
static void test_copied_grad(void)
{
    begin();
    WgTensor *s = ramp(WG_FLOAT32, 3);
    WgTensor *x = ramp(WG_FLOAT16, 3);
    WgTensor *ints = ramp(WG_INT32, 3);
    WgTensor *quiet = ramp(WG_FLOAT32, 3);
    CHECK_EQUAL(wg_set_requires_grad(ctx, s, 1), 0);
    CHECK_EQUAL(wg_copy_leaf_(ctx, x, s), 0);
    CHECK(!wg_requires_grad(ctx, x) && x->is_leaf);
    CHECK_EQUAL(wg_copy_(ctx, x, s), 0);
    CHECK(wg_requires_grad(ctx, x) && !x->is_leaf);
    CHECK_EQUAL(wg_copy_(ctx, x, s), 0); /* no leaf any more */
    CHECK_EQUAL(wg_copy_(ctx, ints, s), 0);
    CHECK(!wg_requires_grad(ctx, ints) && ints->is_leaf);
    wg_set_grad_mode(ctx, 0);
    CHECK_EQUAL(wg_copy_(ctx, quiet, s), 0);
    CHECK(!wg_requires_grad(ctx, quiet) && quiet->is_leaf);
    release_all((WgTensor *[]){s, x, ints, quiet}, 4);
    end();
}

/* zeros(3, dtype=int32).requires_grad_(True) -> "only Tensors of floating point dtype can require gradients"
 * x[1:].requires_grad_(False), x requiring grad -> "you can only change requires_grad flags of leaf variables." */
static void test_requires_grad(void)
{
    begin();
    WgTensor *x = ramp(WG_FLOAT8_E5M2, 3);
    WgTensor *ints = ramp(WG_INT32, 3);
    CHECK_EQUAL(wg_set_requires_grad(ctx, ints, 1), WG_NATIVE_E_GRAD);
    CHECK_EQUAL(wg_set_requires_grad(ctx, ints, 0), 0);
    CHECK_EQUAL(wg_set_requires_grad(ctx, x, 1), 0);
    WgTensor *w = tail(x);
    CHECK_EQUAL(wg_set_requires_grad(ctx, w, 1), 0);
    CHECK_EQUAL(wg_set_requires_grad(ctx, w, 0), WG_NATIVE_E_GRAD);
    CHECK(wg_requires_grad(ctx, w));
    CHECK_EQUAL(wg_set_requires_grad(ctx, x, 0), 0);
    CHECK(!wg_requires_grad(ctx, x));
    release_all((WgTensor *[]){x, ints, w}, 3);
    end();
}

/* with inference_mode(): x = zeros(3). Then x[1:] and x.detach() are inference tensors too, x.requires_grad_(True)
 * raises "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed", increment_version(x) is
 * not an error. */
static void test_inference(void)
{
    begin();
    WgTensor *x = ramp(WG_FLOAT32, 3);
    WgTensor *alias = NULL;
    wg_native_set_inference(x, 1);
    WgTensor *w = tail(x);
    WgTensor *d = detach(x);
    CHECK(w->is_inference && d->is_inference);
    CHECK_EQUAL(wg_bump_version(ctx, x), 0);
    CHECK_EQUAL(wg_copy_(ctx, x, d), 0);
    CHECK_EQUAL(wg_set_(ctx, w, x), 0);
    CHECK_EQUAL(wg_version(ctx, x), 0);
    CHECK_EQUAL(wg_version(ctx, w), 0);
    CHECK_EQUAL(wg_set_requires_grad(ctx, x, 1), WG_NATIVE_E_INFERENCE);
    CHECK_EQUAL(wg_alias_like(ctx, x, w, 1, &alias), WG_NATIVE_E_INFERENCE);
    CHECK(alias == NULL);
    release_all((WgTensor *[]){x, w, d}, 3);
    end();
}

int main(void)
{
    run("set_ raises the version of the tensor and of what shared its memory", test_set_versions);
    run("later views have the version of their base", test_versions_of_later_views);
    run("devices of what is set, and of views", test_devices);
    run("set_ to itself, to a view of itself, to another dtype", test_set_cases);
    run(".data = keeps the version and may change the dtype", test_data);
    run("as_strided_ stays inside the storage and raises the version", test_restride);
    run("copy_ raises the version once, also when there is nothing to copy", test_copy_versions);
    run("_unsafe_view starts at version 0", test_unsafe_view_version);
    run("leaves that require grad, and views of them, are not changed in place while grad mode is on", test_leaves);
    run("copy_ hands requires_grad on", test_copied_grad);
    run("requires_grad can be changed where PyTorch lets it", test_requires_grad);
    run("inference tensors have no version and no gradient", test_inference);
    return finish();
}
