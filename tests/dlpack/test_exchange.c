/* SPDX-License-Identifier: MIT */
/*
 * test_exchange.c - tensors go into the dlpack host and out of it: what they become, who frees them and how often, what
 * is refused, and that nothing is left when memory runs out. The producer here counts its deleter's calls.
 */
#include "wg_dlpack_abi.h"

#include "wg_dlpack.h"

#include "check.h"
#include "dlpack_producer.h"

#include <stdlib.h>
#include <string.h>

/* ---- an allocator that counts and fails ---- */

typedef struct Counting {
    WgNativeAllocator allocator;
    int64_t live;
    int64_t num_allocations;
    int64_t fail_at; /* from 1; 0: never */
} Counting;

static void *counting_allocate(void *user, size_t num_bytes)
{
    Counting *counting = user;
    if (++counting->num_allocations == counting->fail_at) {
        return NULL;
    }
    counting->live += (int64_t)num_bytes;
    return malloc(num_bytes);
}

static void counting_release(void *user, void *pointer, size_t num_bytes)
{
    Counting *counting = user;
    counting->live -= (int64_t)num_bytes;
    free(pointer);
}

static WgContext *counted_context(Counting *counting)
{
    WgContext *ctx = NULL;
    memset(counting, 0, sizeof *counting);
    counting->allocator.allocate = counting_allocate;
    counting->allocator.release = counting_release;
    counting->allocator.user = counting;
    CHECK_EQUAL(wg_context_create(&counting->allocator, &ctx), 0);
    return ctx;
}

/* ---- in ---- */

static void facts(void)
{
    Counting counting;
    Producer producer;
    WgContext *ctx = counted_context(&counting);
    WgTensor *t = NULL;
    WgTensor *view = NULL;
    produce(&producer);
    CHECK_EQUAL(wg_dlpack_from_versioned(ctx, &producer.versioned, &t), 0);
    CHECK(wg_data(ctx, t) == producer.elements);
    CHECK_EQUAL(wg_rank(ctx, t), 2);
    CHECK_EQUAL(wg_size(ctx, t, 1), 3);
    CHECK_EQUAL(wg_stride(ctx, t, 0), 3);
    CHECK_EQUAL(wg_dtype(ctx, t), WG_FLOAT32);
    CHECK_EQUAL(wg_device(ctx, t), WG_CPU);
    CHECK(!wg_dlpack_is_read_only(t) && !wg_dlpack_is_copied(t));
    CHECK_EQUAL(wg_detach(ctx, t, &view), 0);
    wg_release(ctx, t);
    CHECK_EQUAL(producer.num_deleted, 0); /* the view holds the memory */
    wg_release(ctx, view);
    CHECK_EQUAL(producer.num_deleted, 1);
    wg_context_destroy(ctx);
    CHECK_EQUAL(counting.live, 0);
}

static void before_versions(void)
{
    Counting counting;
    Producer producer;
    WgContext *ctx = counted_context(&counting);
    WgTensor *t = NULL;
    produce(&producer);
    producer.unversioned.dl_tensor.strides = NULL;
    CHECK_EQUAL(wg_dlpack_from_unversioned(ctx, &producer.unversioned, &t), 0);
    CHECK_EQUAL(wg_stride(ctx, t, 0), 3); /* null strides: compact, row by row */
    CHECK_EQUAL(wg_stride(ctx, t, 1), 1);
    wg_release(ctx, t);
    CHECK_EQUAL(producer.num_deleted, 1);
    produce(&producer);
    producer.unversioned.deleter = NULL;
    CHECK_EQUAL(wg_dlpack_from_unversioned(ctx, &producer.unversioned, &t), 0);
    wg_release(ctx, t);
    wg_context_destroy(ctx);
    CHECK_EQUAL(counting.live, 0);
}

static void offsets(void)
{
    Counting counting;
    Producer producer;
    WgContext *ctx = counted_context(&counting);
    WgTensor *t = NULL;
    DLTensor *tensor = produce(&producer);
    tensor->byte_offset = 16;
    CHECK_EQUAL(wg_dlpack_borrow(ctx, tensor, 0, &t), 0);
    CHECK_EQUAL(wg_offset(ctx, t), 4);
    CHECK(wg_data(ctx, t) == producer.elements + 4);
    wg_release(ctx, t);
    for (uint64_t i = 1; i < 24; i++) { /* part of an element: no storage offset says where the tensor begins */
        tensor->byte_offset = i;
        const int32_t expected = i % 4 == 0 ? 0 : WG_DLPACK_E_OFFSET;
        CHECK_EQUAL(wg_dlpack_borrow(ctx, tensor, 0, &t), expected);
        CHECK((t != NULL) == (expected == 0));
        if (t != NULL) {
            CHECK_EQUAL(wg_offset(ctx, t), (int64_t)(i / 4));
            wg_release(ctx, t);
        }
    }
    wg_context_destroy(ctx);
    CHECK_EQUAL(counting.live, 0);
}

/* Written through a transposed view of every second column; what lies between stays. */
static void gaps(void)
{
    Counting counting;
    Producer producer;
    Producer other;
    WgContext *ctx = counted_context(&counting);
    WgTensor *t = NULL;
    WgTensor *source = NULL;
    produce(&other);
    produce(&producer);
    producer.shape[0] = 3;
    producer.shape[1] = 2;
    producer.strides[0] = 2;
    producer.strides[1] = 6;
    other.shape[0] = 3;
    other.shape[1] = 2;
    other.strides[0] = 2;
    CHECK_EQUAL(wg_dlpack_from_versioned(ctx, &producer.versioned, &t), 0);
    CHECK_EQUAL(wg_dlpack_from_versioned(ctx, &other.versioned, &source), 0);
    CHECK_EQUAL(wg_copy_(ctx, t, source), 0);
    const float expected[] = {0, 1, 2, 3, 4, 5, 1, 7, 3, 9, 5, 11};
    CHECK(memcmp(producer.elements, expected, sizeof expected) == 0);
    CHECK_EQUAL(wg_version(ctx, t), 1);
    wg_release(ctx, t);
    wg_release(ctx, source);
    CHECK_EQUAL(producer.num_deleted, 1);
    CHECK_EQUAL(other.num_deleted, 1);
    wg_context_destroy(ctx);
    CHECK_EQUAL(counting.live, 0);
}

static void read_only(void)
{
    Counting counting;
    Producer producer;
    Producer other;
    WgContext *ctx = counted_context(&counting);
    WgTensor *t = NULL;
    WgTensor *view = NULL;
    WgTensor *source = NULL;
    DLManagedTensorVersioned *out = NULL;
    DLManagedTensor *old = NULL;
    produce(&producer);
    produce(&other);
    other.elements[0] = 100;
    producer.versioned.flags = DLPACK_FLAG_BITMASK_READ_ONLY | DLPACK_FLAG_BITMASK_IS_COPIED;
    CHECK_EQUAL(wg_dlpack_from_versioned(ctx, &producer.versioned, &t), 0);
    CHECK_EQUAL(wg_dlpack_from_versioned(ctx, &other.versioned, &source), 0);
    CHECK_EQUAL(wg_detach(ctx, t, &view), 0);
    CHECK(wg_dlpack_is_read_only(view) && wg_dlpack_is_copied(view));
    CHECK_EQUAL(wg_copy_(ctx, t, source), WG_NATIVE_E_READ_ONLY);
    CHECK_EQUAL(wg_copy_leaf_(ctx, view, source), WG_NATIVE_E_READ_ONLY);
    CHECK_EQUAL(wg_bump_version(ctx, t), WG_NATIVE_E_READ_ONLY);
    CHECK(producer.elements[0] == 0);
    CHECK_EQUAL(wg_version(ctx, t), 0);
    CHECK_EQUAL(wg_restride_like_(ctx, view, source), 0); /* writes no element */
    CHECK_EQUAL(wg_version(ctx, t), 1);
    CHECK_EQUAL(wg_dlpack_to_unversioned(ctx, t, &old), WG_NATIVE_E_READ_ONLY);
    CHECK_EQUAL(wg_dlpack_to_versioned(ctx, view, &out), 0);
    CHECK(out->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
    out->deleter(out);
    wg_release(ctx, t);
    wg_release(ctx, view);
    wg_release(ctx, source);
    CHECK_EQUAL(producer.num_deleted, 1);
    wg_context_destroy(ctx);
    CHECK_EQUAL(counting.live, 0);
}

/* ---- out ---- */

static void outputs(void)
{
    static const int64_t sizes[] = {2, 3};
    Counting counting;
    WgContext *ctx = counted_context(&counting);
    WgTensor *t = NULL;
    WgTensor *again = NULL;
    DLManagedTensorVersioned *out = NULL;
    CHECK_EQUAL(wg_zeros(ctx, sizes, 2, WG_BFLOAT16, WG_CPU, &t), 0);
    CHECK_EQUAL(wg_dlpack_to_versioned(ctx, t, &out), 0);
    CHECK_EQUAL(wg_native_count(t), 2);
    CHECK_EQUAL(out->version.major, 1);
    CHECK_EQUAL(out->flags, 0);
    CHECK(out->dl_tensor.data == wg_data(ctx, t));
    CHECK_EQUAL(out->dl_tensor.dtype.code, kDLBfloat);
    CHECK_EQUAL(out->dl_tensor.dtype.bits, 16);
    CHECK_EQUAL(out->dl_tensor.dtype.lanes, 1);
    CHECK_EQUAL(out->dl_tensor.device.device_type, kDLCPU);
    CHECK_EQUAL(out->dl_tensor.strides[0], 3);
    wg_release(ctx, t);
    wg_context_destroy(ctx); /* what was handed out needs no context */
    CHECK(counting.live > 0);
    CHECK_EQUAL(wg_context_create(&counting.allocator, &ctx), 0);
    CHECK_EQUAL(wg_dlpack_from_versioned(ctx, out, &again), 0); /* there and back */
    wg_release(ctx, again);
    wg_context_destroy(ctx);
    CHECK_EQUAL(counting.live, 0);
}

static void not_handed_out(void)
{
    static const int64_t sizes[] = {2};
    Counting counting;
    Producer producer;
    WgContext *ctx = counted_context(&counting);
    WgTensor *t = NULL;
    DLManagedTensorVersioned *out = NULL;
    DLManagedTensor *old = NULL;
    CHECK_EQUAL(wg_zeros(ctx, sizes, 1, WG_FLOAT32, WG_CPU, &t), 0);
    CHECK_EQUAL(wg_set_requires_grad(ctx, t, 1), 0);
    CHECK_EQUAL(wg_dlpack_to_versioned(ctx, t, &out), WG_DLPACK_E_GRAD);
    CHECK(out == NULL);
    wg_release(ctx, t);
    CHECK_EQUAL(wg_dlpack_borrow(ctx, produce(&producer), 0, &t), 0);
    CHECK_EQUAL(wg_dlpack_to_unversioned(ctx, t, &old), WG_DLPACK_E_BORROWED);
    CHECK(old == NULL);
    wg_release(ctx, t);
    CHECK_EQUAL(wg_zeros(ctx, sizes, 1, WG_FLOAT32, WG_META * 256, &t), 0);
    CHECK_EQUAL(wg_dlpack_to_versioned(ctx, t, &out), WG_DLPACK_E_DEVICE);
    CHECK(out == NULL);
    wg_release(ctx, t);
    wg_context_destroy(ctx);
    CHECK_EQUAL(counting.live, 0);
}

/* A consumer may outlive what is on the stack; and an outer tensor has no memory. */
static void not_of_its_own(void)
{
    static const int64_t one[] = {1};
    const WgGeometry geometry = {one, one, 0, 1};
    const char *names[] = {"inner"};
    const WgType type = {"Outer", names, 1, NULL, NULL, NULL, NULL, NULL};
    float memory[1] = {0};
    Counting counting;
    WgContext *ctx = counted_context(&counting);
    WgStorage storage;
    WgTensor local;
    WgTensor *inner = NULL;
    WgTensor *outer = NULL;
    DLManagedTensorVersioned *out = NULL;
    CHECK_EQUAL(wg_native_begin(ctx, memory, sizeof memory, &geometry, WG_FLOAT32, WG_CPU, &storage, &local), 0);
    CHECK_EQUAL(wg_dlpack_to_versioned(ctx, &local, &out), WG_DLPACK_E_BORROWED);
    CHECK(out == NULL);
    wg_native_end(ctx, &local);
    CHECK_EQUAL(wg_zeros(ctx, one, 1, WG_FLOAT32, WG_CPU, &inner), 0);
    CHECK_EQUAL(wg_native_subclass(ctx, &type, NULL, &inner, 1, NULL, &outer), 0);
    CHECK_EQUAL(wg_dlpack_to_versioned(ctx, outer, &out), WG_DLPACK_E_SUBCLASS);
    CHECK(out == NULL);
    wg_release(ctx, outer);
    wg_context_destroy(ctx);
    CHECK_EQUAL(counting.live, 0);
}

/* Every element type there and back, by the numbers of the specification. */
static void dtypes(void)
{
    static const struct {
        uint8_t code, bits;
        int32_t dtype;
    } rows[] = {
        {1, 8, WG_UINT8},          {1, 16, WG_UINT16},      {1, 32, WG_UINT32},          {1, 64, WG_UINT64},
        {0, 8, WG_INT8},           {0, 16, WG_INT16},       {0, 32, WG_INT32},           {0, 64, WG_INT64},
        {2, 16, WG_FLOAT16},       {2, 32, WG_FLOAT32},     {2, 64, WG_FLOAT64},         {4, 16, WG_BFLOAT16},
        {5, 32, WG_COMPLEX32},     {5, 64, WG_COMPLEX64},   {5, 128, WG_COMPLEX128},     {6, 8, WG_BOOL},
        {10, 8, WG_FLOAT8_E4M3FN}, {12, 8, WG_FLOAT8_E5M2}, {11, 8, WG_FLOAT8_E4M3FNUZ}, {13, 8, WG_FLOAT8_E5M2FNUZ},
    };
    Counting counting;
    WgContext *ctx = counted_context(&counting);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double memory[2] = {0, 0};
        int64_t one = 1;
        const DLTensor tensor = {memory, {kDLCPU, 0}, 1, {rows[i].code, rows[i].bits, 1}, &one, &one, 0};
        WgTensor *t = NULL;
        WgTensor *made = NULL;
        DLManagedTensorVersioned *out = NULL;
        CHECK_EQUAL(wg_dlpack_borrow(ctx, &tensor, 0, &t), 0);
        CHECK_EQUAL(wg_dtype(ctx, t), rows[i].dtype);
        CHECK_EQUAL(wg_zeros(ctx, &one, 1, rows[i].dtype, WG_CPU, &made), 0);
        CHECK_EQUAL(wg_dlpack_to_versioned(ctx, made, &out), 0);
        CHECK_EQUAL(out->dl_tensor.dtype.code, rows[i].code);
        CHECK_EQUAL(out->dl_tensor.dtype.bits, rows[i].bits);
        out->deleter(out);
        wg_release(ctx, made);
        wg_release(ctx, t);
    }
    wg_context_destroy(ctx);
    CHECK_EQUAL(counting.live, 0);
}

/* ---- refused ---- */

typedef struct Refusal {
    int32_t code;
    const char *words;
    void (*change)(Producer *producer);
} Refusal;

static void next_major(Producer *producer)
{
    producer->versioned.version.major = 2;
    producer->versioned.version.minor = 7;
    producer->versioned.flags = ~UINT64_C(0);
    memset(&producer->versioned.dl_tensor, 0xFF, sizeof producer->versioned.dl_tensor); /* unknown, so never read */
}

static void major_zero(Producer *producer)
{
    producer->versioned.version.major = 0;
}

static void vectors(Producer *producer)
{
    producer->versioned.dl_tensor.dtype.lanes = 4;
}

static void handles(Producer *producer)
{
    producer->versioned.dl_tensor.dtype.code = 3;
    producer->versioned.dl_tensor.dtype.bits = 64;
}

static void nibbles(Producer *producer)
{
    producer->versioned.dl_tensor.dtype.bits = 4;
}

static void vulkan(Producer *producer)
{
    const int32_t type = 7;
    memcpy(&producer->versioned.dl_tensor.device.device_type, &type, sizeof type);
}

static void device_300(Producer *producer)
{
    producer->versioned.dl_tensor.device.device_type = kDLCUDA;
    producer->versioned.dl_tensor.device.device_id = 300;
}

static void negative_size(Producer *producer)
{
    producer->shape[1] = -3;
}

static void backwards(Producer *producer)
{
    producer->strides[1] = -1;
}

static void huge(Producer *producer)
{
    producer->shape[0] = INT64_MAX;
}

static void huge_offset(Producer *producer)
{
    producer->versioned.dl_tensor.byte_offset = UINT64_MAX;
}

static void huge_without_strides(Producer *producer)
{
    producer->shape[0] = producer->shape[1] = INT64_MAX / 2;
    producer->versioned.dl_tensor.strides = NULL;
}

static void nowhere(Producer *producer)
{
    producer->versioned.dl_tensor.data = NULL;
}

static void negative_rank(Producer *producer)
{
    producer->versioned.dl_tensor.ndim = -1;
}

static void shapeless(Producer *producer)
{
    producer->versioned.dl_tensor.shape = NULL;
}

static void refusals(void)
{
    static const Refusal cases[] = {
        {WG_DLPACK_E_VERSION, "the tensor is of DLPack 2.7, and this host reads DLPack 1.x", next_major},
        {WG_DLPACK_E_VERSION, "DLPack 0.0", major_zero},
        {WG_DLPACK_E_LANES, "lanes other than 1): 4", vectors},
        {WG_DLPACK_E_DTYPE, "code 3 with 64 bits", handles},
        {WG_DLPACK_E_DTYPE, "code 2 with 4 bits", nibbles},
        {WG_DLPACK_E_DEVICE, "device type 7", vulkan},
        {WG_DLPACK_E_DEVICE, "device 300", device_300},
        {WG_NATIVE_E_SIZE, "a size is negative", negative_size},
        {WG_NATIVE_E_STRIDE, "a stride is negative", backwards},
        {WG_NATIVE_E_OVERFLOW, "overflow", huge},
        {WG_NATIVE_E_OVERFLOW, "overflow", huge_offset},
        {WG_NATIVE_E_OVERFLOW, "overflow", huge_without_strides},
        {WG_NATIVE_E_ARGUMENT, "null pointer", nowhere},
        {WG_NATIVE_E_ARGUMENT, "negative rank", negative_rank},
        {WG_NATIVE_E_ARGUMENT, "null pointer", shapeless},
    };
    Counting counting;
    WgContext *ctx = counted_context(&counting);
    char text[256];
    CHECK_EQUAL(wg_dlpack_refusal_text(ctx, text, sizeof text), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Producer producer;
        WgTensor *t = NULL;
        produce(&producer);
        cases[i].change(&producer);
        CHECK_EQUAL(wg_dlpack_from_versioned(ctx, &producer.versioned, &t), cases[i].code);
        wg_dlpack_refusal_text(ctx, text, sizeof text);
        const int says = strstr(text, cases[i].words) != NULL;
        if (!says) {
            printf("# '%s' lacks '%s'\n", text, cases[i].words);
        }
        CHECK(says);
        CHECK(t == NULL);
        CHECK_EQUAL(producer.num_deleted, 0); /* still the caller's */
    }
    wg_context_destroy(ctx);
    CHECK_EQUAL(counting.live, 0);
}

/* Facts about a device's memory are known, and nothing reads it. */
static void devices(void)
{
    Counting counting;
    Producer producer;
    WgContext *ctx = counted_context(&counting);
    WgTensor *t = NULL;
    WgTensor *view = NULL;
    WgTensor *made = NULL;
    DLManagedTensorVersioned *out = NULL;
    DLTensor *tensor = produce(&producer);
    tensor->data = (void *)(uintptr_t)0x1000;
    tensor->device.device_type = kDLCUDA;
    tensor->device.device_id = 3;
    CHECK_EQUAL(wg_dlpack_from_versioned(ctx, &producer.versioned, &t), 0);
    CHECK_EQUAL(wg_device(ctx, t), WG_CUDA * 256 + 3);
    CHECK_EQUAL(wg_detach(ctx, t, &view), 0);
    CHECK_EQUAL(wg_copy_(ctx, t, view), WG_NATIVE_E_DEVICE);
    const WgGeometry geometry = {wg_sizes(ctx, t), wg_strides(ctx, t), 0, 2};
    CHECK_EQUAL(wg_empty_strided(ctx, &geometry, WG_FLOAT32, wg_device(ctx, t), &made), WG_NATIVE_E_DEVICE);
    CHECK_EQUAL(wg_dlpack_to_versioned(ctx, view, &out), 0);
    CHECK_EQUAL(out->dl_tensor.device.device_type, kDLCUDA);
    CHECK_EQUAL(out->dl_tensor.device.device_id, 3);
    out->deleter(out);
    wg_release(ctx, view);
    wg_release(ctx, t);
    CHECK_EQUAL(producer.num_deleted, 1);
    tensor = produce(&producer);
    tensor->device.device_type = kDLCUDAHost; /* pinned memory is the CPU's */
    tensor->device.device_id = 1;
    CHECK_EQUAL(wg_dlpack_borrow(ctx, tensor, 0, &t), 0);
    CHECK_EQUAL(wg_device(ctx, t), WG_CPU);
    wg_release(ctx, t);
    wg_context_destroy(ctx);
    CHECK_EQUAL(counting.live, 0);
}

/* Two tensors over one memory are two objects, and each sees that they share it: as one storage if both begin at one
 * address, since offsets count from there. */
static void shared(void)
{
    Counting counting;
    Producer producer;
    WgContext *ctx = counted_context(&counting);
    WgTensor *a = NULL;
    WgTensor *b = NULL;
    DLTensor *tensor = produce(&producer);
    CHECK_EQUAL(wg_dlpack_borrow(ctx, tensor, 0, &a), 0);
    CHECK_EQUAL(wg_dlpack_borrow(ctx, tensor, 0, &b), 0);
    CHECK(!wg_same(ctx, a, b));
    CHECK(wg_same_storage(ctx, a, b));
    wg_release(ctx, b);
    tensor->data = producer.elements + 4;
    CHECK_EQUAL(wg_dlpack_borrow(ctx, tensor, 0, &b), 0);
    CHECK(!wg_same(ctx, a, b));
    CHECK(!wg_same_storage(ctx, a, b));
    CHECK(wg_ranges_meet(wg_byte_range(ctx, a), wg_byte_range(ctx, b)));
    wg_release(ctx, b);
    tensor->data = producer.elements + 6;
    CHECK_EQUAL(wg_dlpack_borrow(ctx, tensor, 0, &b), 0);
    CHECK(!wg_same_storage(ctx, a, b));
    wg_release(ctx, a);
    wg_release(ctx, b);
    wg_context_destroy(ctx);
    CHECK_EQUAL(counting.live, 0);
}

/* The n-th allocation fails, for every n: nothing is left, and what was not taken in is still the caller's. */
static void out_of_memory(void)
{
    int64_t fail_at = 1;
    int was_complete = 0;
    for (; !was_complete && fail_at < 50; fail_at++) {
        Counting counting;
        Producer producer;
        WgContext *ctx = counted_context(&counting);
        WgTensor *t = NULL;
        WgTensor *made = NULL;
        DLManagedTensorVersioned *out = NULL;
        produce(&producer);
        producer.strides[0] = 4;
        counting.fail_at = counting.num_allocations + fail_at;
        const int32_t taken = wg_dlpack_from_versioned(ctx, &producer.versioned, &t);
        int32_t status = taken;
        if (status == 0) {
            status = wg_contiguous(ctx, t, WG_CONTIGUOUS, &made);
        }
        if (status == 0) {
            status = wg_copy_(ctx, t, t);
        }
        if (status == 0) {
            status = wg_dlpack_to_versioned(ctx, made, &out);
        }
        was_complete = status == 0;
        CHECK(was_complete || status == WG_NATIVE_E_MEMORY);
        if (out != NULL) {
            out->deleter(out);
        }
        wg_release(ctx, made);
        wg_release(ctx, t);
        CHECK_EQUAL(producer.num_deleted, taken == 0);
        wg_context_destroy(ctx);
        CHECK_EQUAL(counting.live, 0);
    }
    CHECK(was_complete);
    CHECK(fail_at > 6);
}

int main(void)
{
    run("a tensor comes in with its facts, and goes once when its views are gone", facts);
    run("tensors of before 1.0, null strides, no deleter", before_versions);
    run("byte_offset", offsets);
    run("elements with gaps, transposed", gaps);
    run("read-only and copied", read_only);
    run("a tensor goes out and outlives its context", outputs);
    run("what cannot go out", not_handed_out);
    run("nor tensors on the stack and subclasses", not_of_its_own);
    run("each dtype, in and out", dtypes);
    run("each refusal, with what was found", refusals);
    run("other devices", devices);
    run("memory that two tensors share", shared);
    run("no memory, at every allocation", out_of_memory);
    return finish();
}
