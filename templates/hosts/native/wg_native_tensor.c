/* SPDX-License-Identifier: 0BSD */
/*
 * wg_native_tensor.c - makes tensors of the native host and reads their elements. Programs call these, not generated
 * code, except for wg_empty_strided.
 */
#include "wg_native_inside.h"

#include <string.h>

enum { DATA_ALIGNMENT = 64 }; /* of the memory of storages that own their bytes */

/* ---- making tensors ---- */

/* A storage with room for num_bytes right after the object when `owns`, else over `data`. */
static WgStorage *make_storage(WgContext *ctx, void *data, int64_t num_bytes, int owns)
{
    const size_t own_bytes = owns ? (size_t)num_bytes + DATA_ALIGNMENT : 0;
    if ((owns || data != NULL) && (uint64_t)num_bytes > SIZE_MAX / 4) {
        return NULL;
    }
    WgStorage *storage = wg_native_allocate(ctx->allocator, sizeof *storage + own_bytes);
    if (storage != NULL) {
        memset(storage, 0, sizeof *storage);
        storage->references = 1;
        storage->num_bytes = num_bytes;
        storage->allocator = ctx->allocator;
        storage->block_bytes = sizeof *storage + own_bytes;
        storage->data = data;
        if (owns && num_bytes > 0) {
            unsigned char *behind = (unsigned char *)(storage + 1);
            storage->data = behind + (DATA_ALIGNMENT - (uintptr_t)behind % DATA_ALIGNMENT);
        }
    }
    return storage;
}

static int32_t check_request(const WgGeometry *geometry, int32_t dtype, int32_t device)
{
    if (geometry == NULL || geometry->rank < 0 || device < 0 ||
        (geometry->rank > 0 && (geometry->sizes == NULL || geometry->strides == NULL))) {
        return WG_NATIVE_E_ARGUMENT;
    }
    return wg_dtype_size(dtype) == 0 ? WG_NATIVE_E_DTYPE : WG_NATIVE_OK;
}

/* t is new, or the caller's own; takes over the reference to the storage when it succeeds. */
static int32_t fill_tensor(WgTensor *t, WgStorage *storage, const WgGeometry *geometry, int32_t dtype, int32_t device)
{
    WgExtent extent;
    const int32_t element_bytes = wg_dtype_size(dtype);
    int32_t status = wg_native_measure(geometry->rank, geometry->sizes, geometry->strides, &extent);
    if (status == WG_NATIVE_OK) {
        status = wg_native_check_bounds(storage, geometry->offset, element_bytes, &extent);
    }
    if (status == WG_NATIVE_OK) {
        for (int32_t i = 0; i < geometry->rank; i++) {
            t->sizes[i] = geometry->sizes[i];
            t->strides[i] = geometry->strides[i];
        }
        t->device = device;
        wg_native_place(t, storage, geometry->offset, dtype, element_bytes, &extent);
    }
    return status;
}

/* Takes over the reference to the storage in every case. */
static int32_t make_tensor(WgContext *ctx, WgStorage *storage, const WgGeometry *geometry, int32_t dtype,
                           int32_t device, WgTensor **out)
{
    WgTensor *t = wg_native_take(ctx, geometry->rank);
    int32_t status = WG_NATIVE_E_MEMORY;
    if (t != NULL) {
        status = fill_tensor(t, storage, geometry, dtype, device);
        if (status == WG_NATIVE_OK) {
            *out = t;
            return status;
        }
        wg_native_give(ctx, t);
    }
    wg_native_release_storage(storage);
    return status;
}

int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out)
{
    WgExtent extent;
    int64_t num_bytes = 0;
    *out = NULL;
    int32_t status = check_request(geometry, dtype, device);
    if (status != WG_NATIVE_OK) {
        return status;
    }
    const int is_meta = device >> 8 == WG_META;
    if (device != WG_CPU && !is_meta) {
        return WG_NATIVE_E_DEVICE;
    }
    status = wg_native_measure(geometry->rank, geometry->sizes, geometry->strides, &extent);
    if (status != WG_NATIVE_OK) {
        return status;
    }
    if (extent.num_elements > 0 && (wg_ckd_add(&num_bytes, geometry->offset, extent.reach) ||
                                    wg_ckd_mul(&num_bytes, num_bytes, wg_dtype_size(dtype)))) {
        return WG_NATIVE_E_OVERFLOW;
    }
    if (geometry->offset < 0) {
        return WG_NATIVE_E_OFFSET;
    }
    WgStorage *storage = make_storage(ctx, NULL, num_bytes, !is_meta);
    return storage == NULL ? (int32_t)WG_NATIVE_E_MEMORY : make_tensor(ctx, storage, geometry, dtype, device, out);
}

/* Compact. */
static int32_t make_empty(WgContext *ctx, int32_t dtype, int32_t device, int32_t rank, const int64_t *sizes,
                          WgTensor **out)
{
    *out = NULL;
    const WgGeometry scalar = {NULL, NULL, 0, 0};
    const WgGeometry checked = {sizes, sizes, 0, rank};
    int32_t status = check_request(&checked, dtype, device);
    if (status != WG_NATIVE_OK || rank == 0) {
        return status != WG_NATIVE_OK ? status : wg_empty_strided(ctx, &scalar, dtype, device, out);
    }
    WgTensor *t =
        wg_native_take(ctx, rank); /* lends its room for the strides; wg_empty_strided uses a different object */
    if (t == NULL) {
        return WG_NATIVE_E_MEMORY;
    }
    status = wg_native_fit(wg_compact_strides(rank, sizes, t->strides));
    if (status == WG_NATIVE_OK) {
        const WgGeometry geometry = {sizes, t->strides, 0, rank};
        status = wg_empty_strided(ctx, &geometry, dtype, device, out);
    }
    wg_native_give(ctx, t);
    return status;
}

int32_t wg_native_empty(WgContext *ctx, int32_t dtype, int32_t rank, const int64_t *sizes, WgTensor **out)
{
    return make_empty(ctx, dtype, WG_CPU, rank, sizes, out);
}

int32_t wg_zeros(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out)
{
    const int32_t status = make_empty(ctx, dtype, device, rank, sizes, out);
    if (status == WG_NATIVE_OK && (*out)->data != NULL && (*out)->num_elements > 0) {
        memset((*out)->data, 0, (size_t)(*out)->reach_bytes);
    }
    return status;
}

int32_t wg_native_zeros(WgContext *ctx, int32_t dtype, int32_t rank, const int64_t *sizes, WgTensor **out)
{
    return wg_zeros(ctx, sizes, rank, dtype, WG_CPU, out);
}

static int32_t check_memory(const void *data, int64_t num_bytes, int32_t device)
{
    const int is_meta = device >> 8 == WG_META;
    const int fits = num_bytes >= 0 && (is_meta ? data == NULL : data != NULL || num_bytes == 0);
    return fits ? WG_NATIVE_OK : WG_NATIVE_E_ARGUMENT;
}

int32_t wg_native_borrow(WgContext *ctx, void *data, int64_t num_bytes, const WgGeometry *geometry, int32_t dtype,
                         int32_t device, void (*free_data)(void *user, void *data), void *free_user, WgTensor **out)
{
    *out = NULL;
    int32_t status = check_request(geometry, dtype, device);
    if (status == WG_NATIVE_OK) {
        status = check_memory(data, num_bytes, device);
    }
    if (status != WG_NATIVE_OK) {
        return status;
    }
    WgStorage *storage = make_storage(ctx, data, num_bytes, 0);
    if (storage == NULL) {
        return WG_NATIVE_E_MEMORY;
    }
    status = make_tensor(ctx, storage, geometry, dtype, device, out);
    if (status == WG_NATIVE_OK) {
        storage->free_data = free_data;
        storage->free_user = free_user;
    }
    return status;
}

int32_t wg_native_begin(WgContext *ctx, void *data, int64_t num_bytes, const WgGeometry *geometry, int32_t dtype,
                        int32_t device, WgStorage *storage, WgTensor *tensor)
{
    int32_t status = check_request(geometry, dtype, device);
    if (status == WG_NATIVE_OK) {
        status = check_memory(data, num_bytes, device);
    }
    memset(storage, 0, sizeof *storage);
    memset(tensor, 0, sizeof *tensor);
    if (status != WG_NATIVE_OK) {
        return status;
    }
    storage->data = data;
    storage->num_bytes = num_bytes;
    tensor->is_leaf = 1;
    tensor->allocator = ctx->allocator;
    if (!wg_native_room(tensor, geometry->rank)) {
        return WG_NATIVE_E_MEMORY;
    }
    status = fill_tensor(tensor, storage, geometry, dtype, device);
    if (status != WG_NATIVE_OK) {
        wg_native_end(ctx, tensor);
    }
    return status;
}

void wg_native_end(WgContext *ctx, WgTensor *tensor)
{
    (void)ctx;
    if (tensor->storage != NULL) {
        wg_native_release_storage(tensor->storage);
    }
    wg_native_free_heap(tensor);
    memset(tensor, 0, sizeof *tensor);
}

void wg_native_set_inference(WgTensor *t, int is_inference)
{
    t->is_inference = is_inference != 0;
}

void wg_native_set_type(WgTensor *t, const WgType *type)
{
    t->type = type;
}

/* ---- looking at tensors ---- */

const void *wg_native_type_context(const WgTensor *t)
{
    return t->subclass == NULL ? NULL : t->subclass->type_context;
}

int64_t wg_native_count(const WgTensor *t)
{
    return t->references;
}

int wg_native_is_marked(const WgTensor *t, int32_t dimension)
{
    return dimension >= 0 && dimension < 64 && (t->dynamic_dimensions >> dimension & 1) != 0;
}

void *wg_native_element(const WgTensor *t, const int64_t *index)
{
    int64_t at = 0;
    if (t->device != WG_CPU || t->data == NULL) {
        return NULL;
    }
    for (int32_t i = 0; i < t->rank; i++) {
        if (index[i] < 0 || index[i] >= t->sizes[i]) {
            return NULL;
        }
        at += index[i] * t->strides[i];
    }
    return t->data + at * t->element_bytes;
}

static unsigned char *element_at(const WgTensor *t, int64_t position)
{
    int64_t at = 0;
    for (int32_t i = t->rank; i-- > 0;) {
        at += position % t->sizes[i] * t->strides[i];
        position /= t->sizes[i];
    }
    return t->data + at * t->element_bytes;
}

double wg_native_real(const WgTensor *t, int64_t position)
{
    return wg_element_load(t->dtype, element_at(t, position)).real;
}

double wg_native_imaginary(const WgTensor *t, int64_t position)
{
    return wg_element_load(t->dtype, element_at(t, position)).imaginary;
}

int64_t wg_native_integer(const WgTensor *t, int64_t position)
{
    return wg_element_load(t->dtype, element_at(t, position)).integer;
}

void wg_native_set_real(WgTensor *t, int64_t position, double real)
{
    wg_element_store(t->dtype, element_at(t, position), real, 0.0);
}

void wg_native_set_complex(WgTensor *t, int64_t position, double real, double imaginary)
{
    wg_element_store(t->dtype, element_at(t, position), real, imaginary);
}

void wg_native_set_integer(WgTensor *t, int64_t position, int64_t integer)
{
    wg_element_store_integer(t->dtype, element_at(t, position), integer);
}
