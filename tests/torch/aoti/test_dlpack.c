/* SPDX-License-Identifier: MIT */
/*
 * test_dlpack.c - memory of others becomes tensors of libtorch, and these become theirs: what they are then, who frees
 * them and how often, what is refused. The producer here counts its deleter's calls.
 */
#include "scenario.h"

#include "check.h"
#include "dlpack_producer.h"

#include "wg_aoti_dlpack.h"
#include "wg_dlpack_abi.h"

static Producer producer;

/* float32[2, 3] by columns, with the elements 0, 1, ...; the test changes what it is about. */
static DLTensor *by_columns(void)
{
    DLTensor *t = produce(&producer);
    producer.strides[0] = 1;
    producer.strides[1] = 2;
    return t;
}

static WgTensor *taken(void)
{
    WgTensor *t = NULL;
    CHECK_EQUAL(wg_aoti_from_dlpack(ctx, &producer.versioned, 1, &t), WG_AOTI_OK);
    CHECK(t != NULL);
    return t;
}

static void taken_in(void)
{
    DLTensor *from = by_columns();
    from->byte_offset = sizeof(float);
    WgTensor *t = taken();
    WgTensor *view = NULL;
    CHECK(wg_dtype(ctx, t) == WG_FLOAT32 && wg_rank(ctx, t) == 2 && wg_size(ctx, t, 1) == 3 &&
          wg_stride(ctx, t, 1) == 2);
    CHECK(wg_data(ctx, t) == &producer.elements[1]);
    CHECK_EQUAL(wg_detach(ctx, t, &view), WG_AOTI_OK);
    wg_release(ctx, t);
    CHECK_EQUAL(producer.num_deleted, 0); /* a view is left */
    wg_release(ctx, view);
    CHECK_EQUAL(producer.num_deleted, 1);
}

static void before_1(void)
{
    WgTensor *t = NULL;
    producer.unversioned.dl_tensor = *by_columns();
    producer.unversioned.dl_tensor.strides = NULL; /* row by row */
    CHECK_EQUAL(wg_aoti_from_dlpack_unversioned(ctx, &producer.unversioned, &t), WG_AOTI_OK);
    CHECK(wg_stride(ctx, t, 0) == 3 && wg_stride(ctx, t, 1) == 1);
    wg_release(ctx, t);
    CHECK_EQUAL(producer.num_deleted, 1);
}

/* A scalar, no elements, and one that has no deleter. */
static void small(void)
{
    DLTensor *from = by_columns();
    from->ndim = 0;
    from->shape = NULL;
    WgTensor *t = taken();
    CHECK(wg_rank(ctx, t) == 0 && wg_data(ctx, t) == producer.elements);
    wg_release(ctx, t);
    CHECK_EQUAL(producer.num_deleted, 1);
    from = by_columns();
    from->data = NULL;
    producer.shape[1] = 0;
    t = taken();
    CHECK(wg_size(ctx, t, 0) == 2 && wg_size(ctx, t, 1) == 0);
    wg_release(ctx, t);
    CHECK_EQUAL(producer.num_deleted, 1);
    (void)by_columns();
    producer.versioned.deleter = NULL;
    t = taken();
    wg_release(ctx, t);
    CHECK_EQUAL(producer.num_deleted, 0);
}

/* Nothing is taken over, and one line says why. */
static void refused(const char *word)
{
    WgTensor *t = NULL;
    const int32_t status = wg_aoti_from_dlpack(ctx, &producer.versioned, 1, &t);
    CHECK(status != WG_AOTI_OK && t == NULL && producer.num_deleted == 0);
    CHECK(strstr(wg_aoti_message(ctx), word) != NULL && strchr(wg_aoti_message(ctx), '\n') == NULL);
}

static void refusals(void)
{
    by_columns()->device.device_type = kDLCUDA;
    refused("only the CPU's");
    by_columns()->dtype.lanes = 4;
    refused("4 lanes");
    by_columns()->dtype.bits = 24;
    refused("no dtype");
    by_columns()->ndim = -1;
    refused("-1 dimensions");
    by_columns()->ndim = 65;
    refused("65 dimensions");
    by_columns()->shape = NULL;
    refused("without sizes");
    by_columns()->data = NULL;
    refused("null pointer");
    (void)by_columns();
    producer.shape[0] = -2;
    refused("dimension 0 has size -2");
    (void)by_columns();
    producer.strides[1] = -2;
    refused("stride -2");
    (void)by_columns();
    producer.shape[0] = INT64_MAX;
    producer.shape[1] = INT64_MAX;
    refused("can be counted");
    (void)by_columns();
    producer.strides[1] = INT64_MAX / 4;
    refused("more bytes");
    (void)by_columns();
    producer.versioned.version.major = 2;
    refused("DLPack 2.0");
    (void)by_columns();
    producer.versioned.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    refused("read-only");
    WgTensor *t = NULL;
    CHECK_EQUAL(wg_aoti_from_dlpack(ctx, &producer.versioned, 0, &t), WG_AOTI_OK);
    wg_release(ctx, t);
    CHECK_EQUAL(producer.num_deleted, 1);
    CHECK_EQUAL(wg_aoti_from_dlpack(ctx, NULL, 0, &t), WG_AOTI_E_ARGUMENT);
    CHECK_EQUAL(wg_aoti_from_dlpack_unversioned(ctx, NULL, &t), WG_AOTI_E_ARGUMENT);
}

/* The consumer's reference is its own: it outlives ours, and other metadata of our tensor do not reach it. */
static void given_out(void)
{
    static const int64_t sizes[] = {3};
    static const int64_t strides[] = {1};
    WgTensor *t = MAKE(5, 2, 3);
    WgTensor *row = NULL;
    DLManagedTensorVersioned *out = NULL;
    DLManagedTensor *old = NULL;
    CHECK_EQUAL(wg_as_strided(ctx, t, GEOMETRY(sizes, strides, 3), &row), WG_AOTI_OK);
    CHECK_EQUAL(wg_aoti_to_dlpack(ctx, row, &out), WG_AOTI_OK);
    CHECK_EQUAL(wg_aoti_to_dlpack_unversioned(ctx, t, &old), WG_AOTI_OK);
    wg_release(ctx, row);
    wg_release(ctx, t);
    CHECK_EQUAL(live_blobs, 1);
    const DLTensor *given = &out->dl_tensor;
    CHECK(out->version.major == 1 && out->flags == 0 && given->ndim == 1 && given->shape[0] == 3 &&
          given->strides[0] == 1);
    CHECK(given->dtype.code == kDLFloat && given->dtype.bits == 32 && given->device.device_type == kDLCPU);
    CHECK(((const float *)given->data)[0] == 8 && given->byte_offset == 0);
    CHECK(old->dl_tensor.ndim == 2 && old->dl_tensor.strides[0] == 3 && ((const float *)old->dl_tensor.data)[0] == 5);
    out->deleter(out);
    CHECK_EQUAL(live_blobs, 1);
    old->deleter(old);
    CHECK_EQUAL(live_blobs, 0);
}

/* There and back: the memory is the same, and its owner is asked last. */
static void back_again(void)
{
    WgTensor *t = MAKE_OF(0, WG_INT64, 4);
    DLManagedTensorVersioned *out = NULL;
    WgTensor *back = NULL;
    CHECK_EQUAL(wg_aoti_to_dlpack(ctx, t, &out), WG_AOTI_OK);
    CHECK_EQUAL(wg_aoti_from_dlpack(ctx, out, 1, &back), WG_AOTI_OK);
    CHECK(wg_data(ctx, back) == wg_data(ctx, t) && wg_dtype(ctx, back) == WG_INT64);
    wg_release(ctx, t);
    CHECK_EQUAL(live_blobs, 1);
    wg_release(ctx, back);
    CHECK_EQUAL(live_blobs, 0);
}

static void not_given(WgTensor *t, const char *word)
{
    DLManagedTensorVersioned *out = NULL;
    DLManagedTensor *old = NULL;
    CHECK(wg_aoti_to_dlpack(ctx, t, &out) != WG_AOTI_OK && out == NULL);
    CHECK(strstr(wg_aoti_message(ctx), word) != NULL);
    CHECK(wg_aoti_to_dlpack_unversioned(ctx, t, &old) != WG_AOTI_OK && old == NULL);
}

static void kept_here(void)
{
    WgTensor *t = MAKE(0, 2);
    CHECK_EQUAL(wg_set_requires_grad(ctx, t, 1), WG_AOTI_OK);
    not_given(t, "requires grad");
    wg_release(ctx, t);
    WgTensor *z = MAKE_OF(0, WG_COMPLEX64, 2);
    WgTensor *conjugate = NULL;
    CHECK_EQUAL(host_operator("aten::conj", "", z, NULL, &conjugate), WG_AOTI_OK);
    not_given(conjugate, "lazily");
    wg_release(ctx, conjugate);
    wg_release(ctx, z);
    static const WgType type = {.name = "Wrapped", .num_attributes = 1};
    WgTensor *attribute = MAKE(0, 2);
    WgTensor *subclass = NULL;
    CHECK_EQUAL(wg_aoti_subclass(ctx, &type, NULL, &attribute, 1, NULL, &subclass), WG_AOTI_OK);
    not_given(subclass, "not a plain one");
    wg_release(ctx, subclass);
    CHECK_EQUAL(live_blobs, 0);
}

int main(void)
{
    if (wg_context_create(NULL, &ctx) != WG_AOTI_OK) {
        return 2;
    }
    run("memory of others is taken in", taken_in);
    run("as DLPack before 1.0 gives it", before_1);
    run("without dimensions, elements or a deleter", small);
    run("what is refused is not taken over", refusals);
    run("tensors are given out", given_out);
    run("and taken in again", back_again);
    run("some are not given", kept_here);
    wg_context_destroy(ctx);
    return finish();
}
