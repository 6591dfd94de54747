/* SPDX-License-Identifier: MIT */
/*
 * test_subclass.c - tensor subclasses: taking them apart and putting them together, nested, deep, wrong ones.
 */
#include "check.h"
#include "tracking.h"

#include <string.h>

static Tracking tracking;
static WgContext *ctx;

static const char *const two_names[] = {"a", "b"};
static const char *const one_name[] = {"inner"};
static const WgType two_type = {.name = "TwoTensor", .attribute_names = two_names, .num_attributes = 2};
static const WgType pair_type = {.name = "Pair", .attribute_names = two_names, .num_attributes = 2};
static const WgType box_type = {.name = "Box", .attribute_names = one_name, .num_attributes = 1};
static const WgType parameter_type = {.name = "Parameter"};

static void begin(void)
{
    tracking_begin(&tracking);
    CHECK_EQUAL(wg_context_create(&tracking.allocator, &ctx), 0);
}

static void end(void)
{
    wg_context_destroy(ctx);
    CHECK_EQUAL(tracking.live_blocks, 0);
    CHECK_EQUAL(tracking.live_bytes, 0);
}

static WgTensor *filled(int32_t dtype, int64_t n, double value)
{
    WgTensor *t = NULL;
    CHECK_EQUAL(wg_native_zeros(ctx, dtype, 1, (int64_t[]){n}, &t), 0);
    for (int64_t i = 0; i < n; i++) {
        wg_native_set_real(t, i, value);
    }
    return t;
}

static WgTensor *two(WgTensor *a, WgTensor *b)
{
    WgTensor *attrs[] = {a, b};
    WgTensor *t = NULL;
    CHECK_EQUAL(wg_rebuild(ctx, &two_type, NULL, attrs, 2, NULL, &t), 0);
    return t;
}

static WgTensor *attr_of(const WgTensor *t, int32_t index)
{
    WgTensor *attr = NULL;
    CHECK_EQUAL(wg_attr(ctx, t, index, &attr), 0);
    return attr;
}

static void test_flatten(void)
{
    static const int context = 7;
    begin();
    WgTensor *attrs[] = {filled(WG_FLOAT16, 3, 1), filled(WG_INT8, 2, 2)};
    WgTensor *t = NULL;
    WgTensor *none = attrs[0];
    const WgGeometry outer = {(int64_t[]){3, 2}, (int64_t[]){2, 1}, 5, 2};
    CHECK_EQUAL(wg_rebuild(ctx, &two_type, &context, attrs, 2, &outer, &t), 0);
    CHECK(!wg_is_plain(ctx, t) && wg_is_type(ctx, t, &two_type) && !wg_is_type(ctx, t, &box_type));
    CHECK_EQUAL(wg_rank(ctx, t), 2);
    CHECK_EQUAL(wg_size(ctx, t, 0), 3);
    CHECK_EQUAL(wg_stride(ctx, t, 0), 2);
    CHECK_EQUAL(wg_offset(ctx, t), 5);
    CHECK_EQUAL(wg_dtype(ctx, t), WG_FLOAT16);
    CHECK(wg_data(ctx, t) == NULL);
    CHECK(wg_native_type_context(t) == &context);
    CHECK(attr_of(t, 0) == attrs[0] && attr_of(t, 1) == attrs[1]);
    CHECK_EQUAL(wg_native_count(attrs[0]), 1); /* borrowed */
    CHECK_EQUAL(wg_attr(ctx, t, 2, &none), WG_NATIVE_E_ATTRIBUTES);
    CHECK(none == NULL);
    CHECK_EQUAL(wg_attr(ctx, t, -1, &none), WG_NATIVE_E_ATTRIBUTES);
    CHECK_EQUAL(wg_attr(ctx, attrs[0], 0, &none), WG_NATIVE_E_ATTRIBUTES);
    CHECK_EQUAL(wg_version(ctx, t), 0);
    CHECK_EQUAL(wg_bump_version(ctx, t), 0);
    CHECK_EQUAL(wg_version(ctx, t), 1);
    CHECK_EQUAL(wg_version(ctx, attrs[0]), 0);
    wg_release(ctx, t);
    end();
}

/* Its attributes are taken in every case: nothing is left when the context ends. */
static void test_rebuild_refusals(void)
{
    begin();
    const WgGeometry negative = {(int64_t[]){-3}, (int64_t[]){1}, 0, 1};
    const WgGeometry no_rank = {NULL, NULL, 0, -1};
    WgTensor *out = NULL;
    WgTensor *attrs[2] = {filled(WG_INT8, 1, 0), filled(WG_INT8, 1, 0)};
    CHECK_EQUAL(wg_rebuild(ctx, &box_type, NULL, attrs, 2, NULL, &out), WG_NATIVE_E_ATTRIBUTES);
    attrs[0] = filled(WG_INT8, 1, 0);
    CHECK_EQUAL(wg_rebuild(ctx, &two_type, NULL, attrs, 1, NULL, &out), WG_NATIVE_E_ATTRIBUTES);
    attrs[0] = filled(WG_INT8, 1, 0);
    attrs[1] = NULL;
    CHECK_EQUAL(wg_rebuild(ctx, &two_type, NULL, attrs, 2, NULL, &out), WG_NATIVE_E_ARGUMENT);
    attrs[0] = filled(WG_INT8, 1, 0);
    CHECK_EQUAL(wg_rebuild(ctx, &box_type, NULL, attrs, 1, &negative, &out), WG_NATIVE_E_SIZE);
    attrs[0] = filled(WG_INT8, 1, 0);
    CHECK_EQUAL(wg_rebuild(ctx, &box_type, NULL, attrs, 1, &no_rank, &out), WG_NATIVE_E_ARGUMENT);
    attrs[0] = filled(WG_INT8, 1, 0);
    CHECK_EQUAL(wg_rebuild(ctx, NULL, NULL, attrs, 1, NULL, &out), WG_NATIVE_E_ARGUMENT);
    CHECK_EQUAL(wg_rebuild(ctx, &parameter_type, NULL, NULL, 0, NULL, &out), WG_NATIVE_E_ATTRIBUTES);
    CHECK(out == NULL);
    end();
}

/* One tensor given as both attributes: two references, two releases. */
static void test_shared_attribute(void)
{
    begin();
    WgTensor *a = filled(WG_INT8, 1, 0);
    WgTensor *again = NULL;
    CHECK_EQUAL(wg_retain(ctx, a, &again), 0);
    WgTensor *t = two(a, again);
    CHECK_EQUAL(wg_native_count(a), 2);
    wg_release(ctx, t);
    end();
}

static void test_nested(void)
{
    begin();
    WgTensor *inner = two(filled(WG_FLOAT32, 2, 1), filled(WG_FLOAT32, 2, 2));
    WgTensor *outer = two(inner, filled(WG_FLOAT32, 2, 3));
    WgTensor *kept = NULL;
    CHECK(wg_is_type(ctx, attr_of(outer, 0), &two_type));
    CHECK(wg_native_real(attr_of(attr_of(outer, 0), 1), 1) == 2);
    CHECK_EQUAL(wg_retain(ctx, inner, &kept), 0);
    wg_release(ctx, outer);
    CHECK_EQUAL(wg_native_count(kept), 1);
    CHECK(wg_native_real(attr_of(kept, 0), 0) == 1);
    wg_release(ctx, kept);
    end();
}

/* A million levels: a release that recursed would run out of stack. */
static void test_deep_release(void)
{
    begin();
    WgTensor *t = filled(WG_INT8, 1, 0);
    for (int i = 0; i < 1000000; i++) {
        WgTensor *outer = NULL;
        CHECK_EQUAL(wg_rebuild(ctx, &box_type, NULL, &t, 1, NULL, &outer), 0);
        t = outer;
    }
    CHECK(tracking.live_blocks > 2000000);
    CHECK_EQUAL(wg_copy_(ctx, t, t), WG_NATIVE_E_SUBCLASS); /* too deep to copy */
    wg_release(ctx, t);
    end();
}

static void test_copy(void)
{
    begin();
    WgTensor *dst = two(two(filled(WG_FLOAT32, 2, 1), filled(WG_FLOAT64, 2, 2)), filled(WG_INT8, 2, 3));
    WgTensor *src = two(two(filled(WG_FLOAT64, 2, 4), filled(WG_FLOAT32, 2, 5)), filled(WG_INT16, 2, 6));
    CHECK_EQUAL(wg_copy_(ctx, dst, src), 0);
    CHECK(wg_native_real(attr_of(attr_of(dst, 0), 0), 1) == 4);
    CHECK(wg_native_real(attr_of(attr_of(dst, 0), 1), 0) == 5);
    CHECK_EQUAL(wg_native_integer(attr_of(dst, 1), 1), 6);
    CHECK_EQUAL(wg_version(ctx, dst), 1);
    CHECK_EQUAL(wg_version(ctx, attr_of(dst, 0)), 1);
    CHECK_EQUAL(wg_version(ctx, attr_of(attr_of(dst, 0), 1)), 1);
    CHECK_EQUAL(wg_version(ctx, src), 0);
    wg_release(ctx, dst);
    wg_release(ctx, src);
    end();
}

/* What differs in type, context, depth or shape is refused before anything is written. */
static void test_copy_refusals(void)
{
    static const int context = 1;
    begin();
    WgTensor *dst = two(filled(WG_FLOAT32, 2, 1), filled(WG_FLOAT32, 2, 2));
    WgTensor *other_context = NULL;
    WgTensor *attrs[] = {filled(WG_FLOAT32, 2, 9), filled(WG_FLOAT32, 2, 9)};
    CHECK_EQUAL(wg_rebuild(ctx, &two_type, &context, attrs, 2, NULL, &other_context), 0);
    WgTensor *wrong_shape = two(filled(WG_FLOAT32, 2, 9), filled(WG_FLOAT32, 3, 9));
    WgTensor *wrong_outer = two(filled(WG_FLOAT32, 3, 9), filled(WG_FLOAT32, 3, 9));
    WgTensor *deeper = two(two(filled(WG_FLOAT32, 2, 9), filled(WG_FLOAT32, 2, 9)), filled(WG_FLOAT32, 2, 9));
    WgTensor *plain = filled(WG_FLOAT32, 2, 9);
    WgTensor *other_type = NULL;
    WgTensor *more[] = {filled(WG_FLOAT32, 2, 9), filled(WG_FLOAT32, 2, 9)};
    CHECK_EQUAL(wg_rebuild(ctx, &pair_type, NULL, more, 2, NULL, &other_type), 0);
    CHECK_EQUAL(wg_copy_(ctx, dst, other_type), WG_NATIVE_E_SUBCLASS);
    wg_release(ctx, other_type);
    CHECK_EQUAL(wg_copy_(ctx, dst, other_context), WG_NATIVE_E_SUBCLASS);
    CHECK_EQUAL(wg_copy_(ctx, dst, wrong_shape), WG_NATIVE_E_SHAPE);
    CHECK_EQUAL(wg_copy_(ctx, dst, wrong_outer), WG_NATIVE_E_SHAPE);
    CHECK_EQUAL(wg_copy_(ctx, dst, deeper), WG_NATIVE_E_SUBCLASS);
    CHECK_EQUAL(wg_copy_(ctx, dst, plain), WG_NATIVE_E_SUBCLASS);
    CHECK_EQUAL(wg_copy_(ctx, plain, dst), WG_NATIVE_E_SUBCLASS);
    CHECK(wg_native_real(attr_of(dst, 0), 0) == 1 && wg_native_real(attr_of(dst, 1), 0) == 2);
    CHECK_EQUAL(wg_version(ctx, dst), 0);
    WgTensor *all[] = {dst, other_context, wrong_shape, wrong_outer, deeper, plain};
    for (int i = 0; i < 6; i++) {
        wg_release(ctx, all[i]);
    }
    end();
}

/* Verbs that have no meaning for a tensor without memory refuse it, in either place. */
static void test_refused_verbs(void)
{
    begin();
    WgTensor *t = two(filled(WG_FLOAT32, 2, 1), filled(WG_FLOAT32, 2, 2));
    WgTensor *plain = filled(WG_FLOAT32, 2, 3);
    WgTensor *out = plain;
    const WgGeometry geometry = {plain->sizes, plain->strides, 0, 1};
    CHECK_EQUAL(wg_set_(ctx, t, plain), WG_NATIVE_E_SUBCLASS);
    CHECK_EQUAL(wg_set_(ctx, plain, t), WG_NATIVE_E_SUBCLASS);
    CHECK_EQUAL(wg_shallow_copy_data_(ctx, plain, t), WG_NATIVE_E_SUBCLASS);
    CHECK_EQUAL(wg_restride_like_(ctx, t, plain), WG_NATIVE_E_SUBCLASS);
    CHECK_EQUAL(wg_alias_like(ctx, t, plain, 0, &out), WG_NATIVE_E_SUBCLASS);
    CHECK_EQUAL(wg_alias_as(ctx, t, &geometry, WG_FLOAT32, 0, &out), WG_NATIVE_E_SUBCLASS);
    CHECK_EQUAL(wg_as_strided(ctx, t, &geometry, &out), WG_NATIVE_E_SUBCLASS);
    CHECK_EQUAL(wg_view_dtype(ctx, t, WG_INT32, &out), WG_NATIVE_E_SUBCLASS);
    CHECK_EQUAL(wg_view_as_real(ctx, t, &out), WG_NATIVE_E_SUBCLASS);
    CHECK_EQUAL(wg_view_as_complex(ctx, t, &out), WG_NATIVE_E_SUBCLASS);
    CHECK_EQUAL(wg_detach(ctx, t, &out), WG_NATIVE_E_SUBCLASS);
    CHECK_EQUAL(wg_unsafe_view(ctx, t, &out), WG_NATIVE_E_SUBCLASS);
    CHECK(out == NULL);
    wg_release(ctx, t);
    wg_release(ctx, plain);
    end();
}

/* A subclass may lend its geometry, which is checked against the memory that it is to lie in. */
static void test_lent_geometry(void)
{
    begin();
    const WgGeometry large = {(int64_t[]){3}, (int64_t[]){2}, 1, 1}; /* reaches 6 */
    const WgGeometry huge = {(int64_t[]){2}, (int64_t[]){INT64_MAX / 2}, 0, 1};
    WgTensor *attrs[] = {filled(WG_FLOAT32, 1, 1)};
    WgTensor *like = NULL;
    WgTensor *alias = NULL;
    WgTensor *five = filled(WG_FLOAT32, 5, 1);
    WgTensor *six = filled(WG_FLOAT32, 6, 1);
    CHECK_EQUAL(wg_rebuild(ctx, &box_type, NULL, attrs, 1, &large, &like), 0);
    CHECK_EQUAL(wg_restride_like_(ctx, five, like), WG_NATIVE_E_BOUNDS);
    CHECK_EQUAL(wg_alias_like(ctx, five, like, 0, &alias), WG_NATIVE_E_BOUNDS);
    CHECK_EQUAL(wg_alias_like(ctx, six, like, 0, &alias), 0);
    CHECK_EQUAL(wg_restride_like_(ctx, six, like), 0);
    CHECK_EQUAL(wg_size(ctx, six, 0), 3);
    attrs[0] = filled(WG_FLOAT32, 1, 1);
    WgTensor *none = five;
    CHECK_EQUAL(wg_rebuild(ctx, &box_type, NULL, attrs, 1, &huge, &none), WG_NATIVE_E_OVERFLOW);
    CHECK(none == NULL);
    WgTensor *all[] = {like, alias, five, six};
    for (int i = 0; i < 4; i++) {
        wg_release(ctx, all[i]);
    }
    end();
}

/* A type's own functions: an unflatten that doubles the geometry's first size, a wait that gives the inner tensor. */
static int32_t doubling(WgContext *in, const WgType *type, const void *type_context, WgTensor **attrs, size_t num_attrs,
                        const WgGeometry *outer, WgTensor **out)
{
    (void)outer;
    const WgGeometry geometry = {(int64_t[]){2 * attrs[0]->sizes[0]}, (int64_t[]){1}, 0, 1};
    return wg_native_subclass(in, type, type_context, attrs, num_attrs, &geometry, out);
}

static int32_t wait_inner(WgContext *in, WgTensor *t, WgTensor **waited)
{
    return wg_attr(in, t, 0, waited);
}

/* Turns into its first attribute where a plain tensor is asked for, and into nothing else. */
static int32_t turn_plain(WgContext *in, WgTensor *t, const WgType *type, const void *type_context, WgTensor **out)
{
    (void)type_context;
    *out = NULL;
    return type != NULL ? 0 : wg_retain(in, attr_of(t, 0), out);
}

static void test_functions_of_a_type(void)
{
    static const WgType async = {.name = "Async",
                                 .attribute_names = one_name,
                                 .num_attributes = 1,
                                 .unflatten = doubling,
                                 .wait = wait_inner,
                                 .coerce = turn_plain};
    begin();
    WgTensor *inner = filled(WG_FLOAT32, 3, 1);
    WgTensor *t = NULL;
    WgTensor *waited = NULL;
    CHECK_EQUAL(wg_rebuild(ctx, &async, NULL, &inner, 1, NULL, &t), 0);
    CHECK_EQUAL(wg_size(ctx, t, 0), 6);
    CHECK_EQUAL(wg_wait(ctx, t, &waited), 0);
    CHECK(waited == inner);
    CHECK_EQUAL(wg_wait(ctx, inner, &waited), 0);
    CHECK(waited == inner);
    CHECK_EQUAL(wg_native_count(inner), 1);
    CHECK_EQUAL(wg_coerce_tangent(ctx, t, NULL, NULL, &waited), 0);
    CHECK(waited == inner);
    wg_release(ctx, waited);
    CHECK_EQUAL(wg_coerce_tangent(ctx, t, &two_type, NULL, &waited), 0);
    CHECK(waited == NULL);
    CHECK_EQUAL(wg_coerce_tangent(ctx, inner, &two_type, NULL, &waited), 0); /* a plain one has no way to */
    CHECK(waited == NULL);
    wg_release(ctx, t);
    end();
}

/* A type without attributes has memory: it is not plain, and behaves like one. Its views are plain. */
/* A gradient of a wrapper type that arrives transposed, as PyTorch's x.contiguous() does with it attribute by
 * attribute. */
static void test_contiguous(void)
{
    static const WgType each = {
        .name = "Each", .attribute_names = two_names, .num_attributes = 2, .contiguous = wg_native_contiguous_each};
    begin();
    WgTensor *attrs[2] = {NULL, NULL};
    WgTensor *refused[2] = {NULL, NULL};
    WgTensor *t = NULL;
    WgTensor *other = NULL;
    WgTensor *dense = NULL;
    const WgGeometry transposed = {(int64_t[]){2, 3}, (int64_t[]){1, 2}, 0, 2};
    for (int i = 0; i < 2; i++) {
        WgTensor *flat = filled(WG_FLOAT32, 6, 0);
        for (int64_t k = 0; k < 6; k++) {
            wg_native_set_real(flat, k, (double)(10 * i + k));
        }
        CHECK_EQUAL(wg_as_strided(ctx, flat, &transposed, &attrs[i]), 0);
        wg_release(ctx, flat);
        CHECK_EQUAL(wg_retain(ctx, attrs[i], &refused[i]), 0);
    }
    CHECK_EQUAL(wg_native_subclass(ctx, &each, NULL, attrs, 2, NULL, &t), 0);
    CHECK_EQUAL(wg_native_subclass(ctx, &two_type, NULL, refused, 2, NULL, &other), 0);
    CHECK_EQUAL(wg_contiguous(ctx, other, WG_CONTIGUOUS, &dense), WG_NATIVE_E_SUBCLASS);
    CHECK(dense == NULL);
    CHECK_EQUAL(wg_contiguous(ctx, t, WG_CHANNELS_LAST, &dense), WG_NATIVE_E_ARGUMENT); /* that is for rank 4 */
    CHECK_EQUAL(wg_contiguous(ctx, t, WG_CONTIGUOUS, &dense), 0);
    CHECK(dense != t && wg_is_type(ctx, dense, &each));
    CHECK_EQUAL(wg_stride(ctx, dense, 0), 3);
    CHECK_EQUAL(wg_stride(ctx, dense, 1), 1);
    CHECK_EQUAL(wg_stride(ctx, attr_of(dense, 1), 0), 3);
    /* flat 10 11 12 13 14 15, columns first: row 1 is 11 13 15 */
    CHECK(wg_native_real(attr_of(dense, 1), 3) == 11.0 && wg_native_real(attr_of(dense, 1), 5) == 15.0);
    WgTensor *again = NULL;
    CHECK_EQUAL(wg_contiguous(ctx, dense, WG_CONTIGUOUS, &again), 0);
    CHECK(again == dense);
    wg_release(ctx, again);
    wg_release(ctx, dense);
    wg_release(ctx, other);
    wg_release(ctx, t);
    end();
}

static void test_typed_memory(void)
{
    begin();
    WgTensor *t = filled(WG_FLOAT32, 2, 1);
    WgTensor *view = NULL;
    wg_native_set_type(t, &parameter_type);
    CHECK(!wg_is_plain(ctx, t) && wg_is_type(ctx, t, &parameter_type));
    CHECK_EQUAL(wg_copy_(ctx, t, t), 0);
    CHECK_EQUAL(wg_detach(ctx, t, &view), 0);
    CHECK(wg_is_plain(ctx, view));
    wg_release(ctx, view);
    wg_release(ctx, t);
    end();
}

int main(void)
{
    run("a subclass is built from its attributes and taken apart again", test_flatten);
    run("a subclass that cannot be built releases its attributes", test_rebuild_refusals);
    run("one tensor can be two attributes", test_shared_attribute);
    run("subclasses nest", test_nested);
    run("a million nested subclasses are released without recursion", test_deep_release);
    run("a copy goes through all attributes and raises all versions", test_copy);
    run("subclasses that are not alike are not copied", test_copy_refusals);
    run("verbs that need memory refuse subclasses", test_refused_verbs);
    run("a subclass lends its geometry only where it fits", test_lent_geometry);
    run("a type's own functions are called", test_functions_of_a_type);
    run("a subclass is brought into a layout attribute by attribute", test_contiguous);
    run("a type without attributes is an ordinary tensor of another type", test_typed_memory);
    return finish();
}
