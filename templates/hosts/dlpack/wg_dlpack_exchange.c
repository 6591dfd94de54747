/* SPDX-License-Identifier: 0BSD */
/*
 * wg_dlpack_exchange.c - tensors come in from DLPack and go out to it. Everything is tested before anything is
 * taken over.
 */
#include "wg_dlpack_abi.h"
#include "wg_dlpack_inside.h"

#include <string.h>

/* ---- element types and devices ---- */

typedef struct DtypeRow {
    uint8_t code;
    uint8_t bits;
    int32_t dtype;
} DtypeRow;

static const DtypeRow dtype_rows[] = {
    {kDLUInt, 8, WG_UINT8},
    {kDLUInt, 16, WG_UINT16},
    {kDLUInt, 32, WG_UINT32},
    {kDLUInt, 64, WG_UINT64},
    {kDLInt, 8, WG_INT8},
    {kDLInt, 16, WG_INT16},
    {kDLInt, 32, WG_INT32},
    {kDLInt, 64, WG_INT64},
    {kDLFloat, 16, WG_FLOAT16},
    {kDLFloat, 32, WG_FLOAT32},
    {kDLFloat, 64, WG_FLOAT64},
    {kDLBfloat, 16, WG_BFLOAT16},
    {kDLComplex, 32, WG_COMPLEX32},
    {kDLComplex, 64, WG_COMPLEX64},
    {kDLComplex, 128, WG_COMPLEX128},
    {kDLBool, 8, WG_BOOL},
    {kDLFloat8_e4m3fn, 8, WG_FLOAT8_E4M3FN},
    {kDLFloat8_e4m3fnuz, 8, WG_FLOAT8_E4M3FNUZ},
    {kDLFloat8_e5m2, 8, WG_FLOAT8_E5M2},
    {kDLFloat8_e5m2fnuz, 8, WG_FLOAT8_E5M2FNUZ},
};

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
    for (size_t i = 0; i < sizeof dtype_rows / sizeof dtype_rows[0]; i++) {
        if (dtype_rows[i].code == from.code && dtype_rows[i].bits == from.bits) {
            *dtype = dtype_rows[i].dtype;
            return WG_DLPACK_OK;
        }
    }
    return refuse(ctx, WG_DLPACK_E_DTYPE, from.code, from.bits);
}

static int32_t find_device(WgContext *ctx, DLDevice from, int32_t *device)
{
    for (size_t i = 0; i < sizeof device_rows / sizeof device_rows[0]; i++) {
        if (device_rows[i].from == from.device_type && from.device_id >= 0 && from.device_id <= 255) {
            const int32_t type = device_rows[i].type;
            *device = type * 256 + (type == WG_CPU ? 0 : from.device_id);
            return WG_DLPACK_OK;
        }
    }
    return refuse(ctx, WG_DLPACK_E_DEVICE, (int64_t)from.device_type, from.device_id);
}

/* ---- in ---- */

static int32_t fill_geometry(WgTensor *t, const DLTensor *from)
{
    for (int32_t i = 0; i < t->rank; i++) {
        t->sizes[i] = from->shape[i];
        if (from->strides != NULL) {
            t->strides[i] = from->strides[i];
        }
    }
    return from->strides != NULL ? (int32_t)WG_DLPACK_OK
                                 : wg_dlpack_fit(wg_compact_strides(t->rank, t->sizes, t->strides));
}

/* The memory that the tensor says it has: from its address through its last element. */
static int32_t measure_memory(const WgTensor *t, const DLTensor *from, int64_t element_bytes, int64_t *offset,
                              int64_t *num_bytes)
{
    WgExtent extent = {0, 0, 0};
    const int32_t status = wg_dlpack_fit(wg_measure(t->rank, t->sizes, t->strides, &extent));
    *num_bytes = 0;
    if (status != WG_DLPACK_OK) {
        return status;
    }
    if (from->byte_offset > INT64_MAX) {
        return WG_DLPACK_E_OVERFLOW;
    }
    if (from->byte_offset % (uint64_t)element_bytes != 0) { /* no number of elements says where the tensor begins */
        return WG_DLPACK_E_OFFSET;
    }
    *offset = (int64_t)from->byte_offset / element_bytes;
    if (extent.num_elements > 0 &&
        (wg_ckd_add(num_bytes, *offset, extent.reach) || wg_ckd_mul(num_bytes, *num_bytes, element_bytes))) {
        return WG_DLPACK_E_OVERFLOW;
    }
    return extent.num_elements > 0 && from->data == NULL ? WG_DLPACK_E_ARGUMENT : WG_DLPACK_OK;
}

/* A tensor over memory that nothing owns yet. */
static int32_t take_in(WgContext *ctx, const DLTensor *from, WgTensor **out)
{
    int32_t dtype = 0;
    int32_t device = 0;
    int64_t offset = 0;
    int64_t num_bytes = 0;
    if (from->ndim < 0 || (from->ndim > 0 && from->shape == NULL)) {
        return refuse(ctx, WG_DLPACK_E_ARGUMENT, from->ndim, 0);
    }
    int32_t status = find_dtype(ctx, from->dtype, &dtype);
    if (status == WG_DLPACK_OK) {
        status = find_device(ctx, from->device, &device);
    }
    if (status != WG_DLPACK_OK) {
        return status;
    }
    WgTensor *t = wg_dlpack_take(ctx, from->ndim);
    if (t == NULL) {
        return refuse(ctx, WG_DLPACK_E_MEMORY, 0, 0);
    }
    status = fill_geometry(t, from);
    if (status == WG_DLPACK_OK) {
        status = measure_memory(t, from, wg_dtype_size(dtype), &offset, &num_bytes);
    }
    WgStorage *storage = NULL;
    if (status == WG_DLPACK_OK) {
        storage = wg_dlpack_storage(ctx, num_bytes == 0 ? NULL : from->data, num_bytes);
        status = storage == NULL ? WG_DLPACK_E_MEMORY : WG_DLPACK_OK;
    }
    if (status != WG_DLPACK_OK) {
        wg_dlpack_give(t);
        return refuse(ctx, status, 0, 0);
    }
    status = wg_dlpack_place(t, storage, offset, dtype, device);
    wg_dlpack_release_storage(storage); /* the tensor has its own reference */
    if (status != WG_DLPACK_OK) {
        return refuse(ctx, status, 0, 0);
    }
    *out = t;
    return WG_DLPACK_OK;
}

int32_t wg_dlpack_from_versioned(WgContext *ctx, struct DLManagedTensorVersioned *managed, WgTensor **out)
{
    *out = NULL;
    if (managed == NULL) {
        return refuse(ctx, WG_DLPACK_E_ARGUMENT, 0, 0);
    }
    if (managed->version.major != DLPACK_MAJOR_VERSION) { /* nothing after the deleter is known then */
        return refuse(ctx, WG_DLPACK_E_VERSION, managed->version.major, managed->version.minor);
    }
    const int32_t status = take_in(ctx, &managed->dl_tensor, out);
    if (status == WG_DLPACK_OK) {
        WgStorage *storage = (*out)->storage;
        storage->versioned = managed;
        storage->is_read_only = (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
        storage->is_copied = (managed->flags & DLPACK_FLAG_BITMASK_IS_COPIED) != 0;
    }
    return status;
}

int32_t wg_dlpack_from_unversioned(WgContext *ctx, struct DLManagedTensor *managed, WgTensor **out)
{
    *out = NULL;
    if (managed == NULL) {
        return refuse(ctx, WG_DLPACK_E_ARGUMENT, 0, 0);
    }
    const int32_t status = take_in(ctx, &managed->dl_tensor, out);
    if (status == WG_DLPACK_OK) {
        (*out)->storage->unversioned = managed;
    }
    return status;
}

int32_t wg_dlpack_borrow(WgContext *ctx, const void *dl_tensor, int is_read_only, WgTensor **out)
{
    *out = NULL;
    if (dl_tensor == NULL) {
        return refuse(ctx, WG_DLPACK_E_ARGUMENT, 0, 0);
    }
    const int32_t status = take_in(ctx, dl_tensor, out);
    if (status == WG_DLPACK_OK) {
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
    const WgDlpackAllocator *allocator;
} HandedOut;

static void take_back(HandedOut *out)
{
    WgTensor *t = out->tensor;
    wg_dlpack_give_back(out->allocator, out, sizeof *out);
    if (wg_dlpack_drop(&t->references)) {
        wg_dlpack_destroy(t);
    }
}

static void delete_versioned(DLManagedTensorVersioned *self)
{
    take_back(self->manager_ctx);
}

static void delete_unversioned(DLManagedTensor *self)
{
    take_back(self->manager_ctx);
}

static void fill_tensor(DLTensor *to, const WgTensor *t)
{
    to->data = t->data;
    to->ndim = t->rank;
    to->shape = t->sizes;
    to->strides = t->strides;
    to->byte_offset = 0;
    for (size_t i = 0; i < sizeof dtype_rows / sizeof dtype_rows[0]; i++) {
        if (dtype_rows[i].dtype == t->dtype) {
            to->dtype.code = dtype_rows[i].code;
            to->dtype.bits = dtype_rows[i].bits;
            to->dtype.lanes = 1;
        }
    }
    for (size_t i = sizeof device_rows / sizeof device_rows[0]; i-- > 0;) {
        if (device_rows[i].type == t->device >> 8) {
            to->device.device_type = device_rows[i].from;
            to->device.device_id = t->device & 255;
        }
    }
}

static int32_t hand_out(WgContext *ctx, WgTensor *t, HandedOut **out)
{
    const WgStorage *storage = t->storage;
    if (t->requires_grad) {
        return refuse(ctx, WG_DLPACK_E_GRAD, 0, 0);
    }
    if (!storage->is_own && storage->versioned == NULL && storage->unversioned == NULL) {
        return refuse(ctx, WG_DLPACK_E_BORROWED, 0, 0);
    }
    *out = wg_dlpack_allocate(t->allocator, sizeof **out);
    if (*out == NULL) {
        return refuse(ctx, WG_DLPACK_E_MEMORY, 0, 0);
    }
    memset(*out, 0, sizeof **out);
    (*out)->allocator = t->allocator;
    return wg_retain(ctx, t, &(*out)->tensor);
}

int32_t wg_dlpack_to_versioned(WgContext *ctx, WgTensor *t, struct DLManagedTensorVersioned **out)
{
    HandedOut *handed = NULL;
    *out = NULL;
    const int32_t status = hand_out(ctx, t, &handed);
    if (status == WG_DLPACK_OK) {
        DLManagedTensorVersioned *managed = &handed->versioned;
        managed->version.major = 1;
        managed->version.minor = 1;
        managed->manager_ctx = handed;
        managed->deleter = delete_versioned;
        managed->flags = t->storage->is_read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
        fill_tensor(&managed->dl_tensor, t);
        *out = managed;
    }
    return status;
}

int32_t wg_dlpack_to_unversioned(WgContext *ctx, WgTensor *t, struct DLManagedTensor **out)
{
    HandedOut *handed = NULL;
    *out = NULL;
    if (t->storage->is_read_only) {
        return refuse(ctx, WG_DLPACK_E_READ_ONLY, 0, 0);
    }
    const int32_t status = hand_out(ctx, t, &handed);
    if (status == WG_DLPACK_OK) {
        handed->unversioned.manager_ctx = handed;
        handed->unversioned.deleter = delete_unversioned;
        fill_tensor(&handed->unversioned.dl_tensor, t);
        *out = &handed->unversioned;
    }
    return status;
}
