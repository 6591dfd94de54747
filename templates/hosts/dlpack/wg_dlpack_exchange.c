/* SPDX-License-Identifier: 0BSD */
/*
 * wg_dlpack_exchange.c - tensors come in from DLPack and go out to it. Everything is tested before anything is
 * taken over. What is taken in becomes memory that the host `native` has borrowed.
 */
#include "wg_dlpack.h"
#include "wg_dlpack_dtype.h"
#include "wg_native_inside.h"

#include <string.h>

const int32_t wg_host_dlpack_abi1 = 1;

/* ---- element types and devices ---- */

typedef struct DeviceRow {
    DLDeviceType from;
    int32_t type; /* WgDeviceType */
} DeviceRow;

/* The first row of a type is what goes out. A CPU has index 0, and pinned memory is the CPU's whatever its index. */
static const DeviceRow device_rows[] = {
    {kDLCPU, WG_CPU},   {kDLCUDAHost, WG_CPU}, {kDLROCMHost, WG_CPU},
    {kDLCUDA, WG_CUDA}, {kDLROCM, WG_HIP},     {kDLOneAPI, WG_XPU},
};

static int32_t refuse(WgContext *ctx, int32_t code, int64_t first, int64_t second)
{
    ctx->refusal.code = code;
    ctx->refusal.found[0] = first;
    ctx->refusal.found[1] = second;
    return code;
}

static int32_t find_dtype(WgContext *ctx, DLDataType from, int32_t *dtype)
{
    if (from.lanes != 1) {
        return refuse(ctx, WG_DLPACK_E_LANES, from.lanes, 0);
    }
    *dtype = wg_dlpack_dtype_in(from);
    return *dtype < 0 ? refuse(ctx, WG_DLPACK_E_DTYPE, from.code, from.bits) : (int32_t)WG_NATIVE_OK;
}

static int32_t find_device(WgContext *ctx, DLDevice from, int32_t *device)
{
    for (size_t i = 0; i < sizeof device_rows / sizeof device_rows[0]; i++) {
        if (device_rows[i].from == from.device_type && from.device_id >= 0 && from.device_id <= 255) {
            const int32_t type = device_rows[i].type;
            *device = type * 256 + (type == WG_CPU ? 0 : from.device_id);
            return WG_NATIVE_OK;
        }
    }
    return refuse(ctx, WG_DLPACK_E_DEVICE, (int64_t)from.device_type, from.device_id);
}

/* ---- in ---- */

/* The memory that the tensor says it has, from its address through its last element; `at->offset` is set, the rest of
 * the geometry is known. */
static int32_t measure_memory(const DLTensor *from, int64_t element_bytes, WgGeometry *at, int64_t *num_bytes)
{
    WgExtent extent = {0, 0, 0};
    const int32_t status = wg_native_measure(at->rank, at->sizes, at->strides, &extent);
    *num_bytes = 0;
    if (status != WG_NATIVE_OK) {
        return status;
    }
    if (from->byte_offset > INT64_MAX) {
        return WG_NATIVE_E_OVERFLOW;
    }
    if (from->byte_offset % (uint64_t)element_bytes != 0) { /* no number of elements says where the tensor begins */
        return WG_DLPACK_E_OFFSET;
    }
    at->offset = (int64_t)from->byte_offset / element_bytes;
    if (extent.num_elements > 0 &&
        (wg_ckd_add(num_bytes, at->offset, extent.reach) || wg_ckd_mul(num_bytes, *num_bytes, element_bytes))) {
        return WG_NATIVE_E_OVERFLOW;
    }
    return extent.num_elements > 0 && from->data == NULL ? WG_NATIVE_E_ARGUMENT : WG_NATIVE_OK;
}

/* Who frees the memory that is taken in; it is the caller's to free when `free_data` is null. */
typedef struct Owner {
    void (*free_data)(void *user, void *data);
    void *user;
} Owner;

static int32_t borrow(WgContext *ctx, const DLTensor *from, const int64_t *strides, Owner owner, WgTensor **out)
{
    WgGeometry at = {from->shape, strides, 0, from->ndim};
    int32_t dtype = 0;
    int32_t device = 0;
    int64_t num_bytes = 0;
    int32_t status = find_dtype(ctx, from->dtype, &dtype);
    if (status == WG_NATIVE_OK) {
        status = find_device(ctx, from->device, &device);
    }
    if (status != WG_NATIVE_OK) {
        return status;
    }
    status = measure_memory(from, wg_dtype_size(dtype), &at, &num_bytes);
    if (status == WG_NATIVE_OK) {
        status = wg_native_borrow(ctx, num_bytes == 0 ? NULL : from->data, num_bytes, &at, dtype, device,
                                  owner.free_data, owner.user, out);
    }
    return status == WG_NATIVE_OK ? WG_NATIVE_OK : refuse(ctx, status, 0, 0);
}

static int32_t take_in(WgContext *ctx, const DLTensor *from, Owner owner, WgTensor **out)
{
    if (from->ndim < 0 || (from->ndim > 0 && from->shape == NULL)) {
        return refuse(ctx, WG_NATIVE_E_ARGUMENT, from->ndim, 0);
    }
    if (from->ndim == 0 || from->strides != NULL) {
        return borrow(ctx, from, from->strides, owner, out);
    }
    WgTensor *room = wg_native_take(ctx, from->ndim); /* lends its room for the strides */
    int32_t status =
        room == NULL ? WG_NATIVE_E_MEMORY : wg_native_fit(wg_compact_strides(from->ndim, from->shape, room->strides));
    status = status == WG_NATIVE_OK ? borrow(ctx, from, room->strides, owner, out) : refuse(ctx, status, 0, 0);
    if (room != NULL) {
        wg_native_give(ctx, room);
    }
    return status;
}

static void delete_taken_versioned(void *user, void *data)
{
    DLManagedTensorVersioned *managed = user;
    (void)data;
    if (managed->deleter != NULL) {
        managed->deleter(managed);
    }
}

static void delete_taken_unversioned(void *user, void *data)
{
    DLManagedTensor *managed = user;
    (void)data;
    if (managed->deleter != NULL) {
        managed->deleter(managed);
    }
}

int32_t wg_dlpack_from_versioned(WgContext *ctx, struct DLManagedTensorVersioned *managed, WgTensor **out)
{
    *out = NULL;
    if (managed == NULL) {
        return refuse(ctx, WG_NATIVE_E_ARGUMENT, 0, 0);
    }
    if (managed->version.major != DLPACK_MAJOR_VERSION) { /* nothing after the deleter is known then */
        return refuse(ctx, WG_DLPACK_E_VERSION, managed->version.major, managed->version.minor);
    }
    const Owner owner = {delete_taken_versioned, managed};
    const int32_t status = take_in(ctx, &managed->dl_tensor, owner, out);
    if (status == WG_NATIVE_OK) {
        WgStorage *storage = (*out)->storage;
        storage->is_read_only = (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
        storage->is_copied = (managed->flags & DLPACK_FLAG_BITMASK_IS_COPIED) != 0;
    }
    return status;
}

int32_t wg_dlpack_from_unversioned(WgContext *ctx, struct DLManagedTensor *managed, WgTensor **out)
{
    *out = NULL;
    if (managed == NULL) {
        return refuse(ctx, WG_NATIVE_E_ARGUMENT, 0, 0);
    }
    const Owner owner = {delete_taken_unversioned, managed};
    return take_in(ctx, &managed->dl_tensor, owner, out);
}

int32_t wg_dlpack_borrow(WgContext *ctx, const void *dl_tensor, int is_read_only, WgTensor **out)
{
    *out = NULL;
    if (dl_tensor == NULL) {
        return refuse(ctx, WG_NATIVE_E_ARGUMENT, 0, 0);
    }
    const Owner none = {NULL, NULL};
    const int32_t status = take_in(ctx, dl_tensor, none, out);
    if (status == WG_NATIVE_OK) {
        (*out)->storage->is_read_only = is_read_only != 0;
    }
    return status;
}

/* ---- out ---- */

/* One of the two structs is used; the deleter frees the block, which its manager_ctx points to. */
typedef struct HandedOut {
    DLManagedTensorVersioned versioned;
    DLManagedTensor unversioned;
    WgTensor *tensor;
    const WgNativeAllocator *allocator;
} HandedOut;

static void take_back(HandedOut *out)
{
    WgTensor *t = out->tensor;
    wg_native_give_back(out->allocator, out, sizeof *out);
    wg_release(NULL, t); /* without a context: any thread may call this */
}

static void delete_versioned(DLManagedTensorVersioned *self)
{
    take_back(self->manager_ctx);
}

static void delete_unversioned(DLManagedTensor *self)
{
    take_back(self->manager_ctx);
}

/* DLPack's number for a device; refused where it has none (meta). */
static int32_t device_out(WgContext *ctx, int32_t from, DLDevice *device)
{
    for (size_t i = 0; i < sizeof device_rows / sizeof device_rows[0]; i++) {
        if (device_rows[i].type == from >> 8) {
            device->device_type = device_rows[i].from;
            device->device_id = from & 255;
            return WG_NATIVE_OK;
        }
    }
    return refuse(ctx, WG_DLPACK_E_DEVICE, from >> 8, from & 255);
}

static int32_t describe(WgContext *ctx, const WgTensor *t, DLTensor *to)
{
    memset(to, 0, sizeof *to);
    to->data = t->data;
    to->ndim = t->rank;
    to->shape = t->sizes;
    to->strides = t->strides;
    to->dtype = wg_dlpack_dtype_out(t->dtype);
    return device_out(ctx, t->device, &to->device);
}

/* Would anything keep the tensor and its memory alive? Not the ones that are not counted, and not memory without an
 * owner. */
static int is_kept(const WgTensor *t)
{
    const WgStorage *storage = t->storage;
    return t->references != 0 && (storage->free_data != NULL || storage->block_bytes > sizeof *storage);
}

static int32_t hand_out(WgContext *ctx, WgTensor *t, HandedOut **out)
{
    DLTensor described;
    *out = NULL;
    if (t->subclass != NULL || t->requires_grad) {
        return refuse(ctx, t->subclass != NULL ? WG_DLPACK_E_SUBCLASS : WG_DLPACK_E_GRAD, 0, 0);
    }
    const int32_t status = describe(ctx, t, &described);
    if (status != WG_NATIVE_OK) {
        return status;
    }
    if (!is_kept(t)) {
        return refuse(ctx, WG_DLPACK_E_BORROWED, 0, 0);
    }
    HandedOut *handed = wg_native_allocate(t->allocator, sizeof *handed);
    if (handed == NULL) {
        return refuse(ctx, WG_NATIVE_E_MEMORY, 0, 0);
    }
    memset(handed, 0, sizeof *handed);
    handed->allocator = t->allocator;
    handed->versioned.dl_tensor = described;
    handed->unversioned.dl_tensor = described;
    *out = handed;
    return wg_retain(ctx, t, &handed->tensor);
}

int32_t wg_dlpack_to_versioned(WgContext *ctx, WgTensor *t, struct DLManagedTensorVersioned **out)
{
    HandedOut *handed = NULL;
    *out = NULL;
    const int32_t status = hand_out(ctx, t, &handed);
    if (status == WG_NATIVE_OK) {
        DLManagedTensorVersioned *managed = &handed->versioned;
        managed->version.major = 1;
        managed->version.minor = 1;
        managed->manager_ctx = handed;
        managed->deleter = delete_versioned;
        managed->flags = t->storage->is_read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
        *out = managed;
    }
    return status;
}

int32_t wg_dlpack_to_unversioned(WgContext *ctx, WgTensor *t, struct DLManagedTensor **out)
{
    HandedOut *handed = NULL;
    *out = NULL;
    if (t->storage->is_read_only) {
        return refuse(ctx, WG_NATIVE_E_READ_ONLY, 0, 0);
    }
    const int32_t status = hand_out(ctx, t, &handed);
    if (status == WG_NATIVE_OK) {
        handed->unversioned.manager_ctx = handed;
        handed->unversioned.deleter = delete_unversioned;
        *out = &handed->unversioned;
    }
    return status;
}

/* ---- looking at tensors ---- */

int wg_dlpack_is_read_only(const WgTensor *t)
{
    return t->storage->is_read_only;
}

int wg_dlpack_is_copied(const WgTensor *t)
{
    return t->storage->is_copied;
}

const char *wg_dlpack_code_text(int32_t code)
{
    static const char *const texts[] = {
#define TEXT(name, text) [name - WG_DLPACK_E_BASE] = text,
        WG_DLPACK_CODES(TEXT)
#undef TEXT
    };
    const int is_ours = code > WG_DLPACK_E_BASE && code - WG_DLPACK_E_BASE < (int32_t)(sizeof texts / sizeof texts[0]);
    return is_ours ? texts[code - WG_DLPACK_E_BASE] : wg_native_code_text(code);
}
