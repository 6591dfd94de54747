/* SPDX-License-Identifier: 0BSD */
/*
 * wg_dlpack_verbs.c - the verbs of the dlpack host that write to tensors or make them. Contracts: VERBS.md. Every verb
 * tests everything first, and changes something only when nothing can fail any more.
 */
#include "wg_dlpack_inside.h"
#include "wg_layout.h"

#include <string.h>

/* ---- copy_ ---- */

/* PyTorch's check_inplace: leaves that require grad, and views of them. */
static int32_t check_in_place(const WgContext *ctx, const WgTensor *t)
{
    const int is_refused = ctx->grad_mode && t->requires_grad && (t->is_leaf || t->is_view_of_leaf);
    return is_refused ? WG_DLPACK_E_LEAF : WG_DLPACK_OK;
}

static WgCopySide side_of(const WgTensor *t)
{
    const WgCopySide side = {t->data, t->sizes, t->strides, t->rank, t->dtype};
    return side;
}

static int32_t check_copy(const WgTensor *dst, const WgTensor *src)
{
    const WgCopySide to = side_of(dst);
    const WgCopySide from = side_of(src);
    if (dst->storage->is_read_only) {
        return WG_DLPACK_E_READ_ONLY;
    }
    if (dst->device != WG_CPU || src->device != WG_CPU) {
        return WG_DLPACK_E_DEVICE;
    }
    if (!wg_copy_fits(&to, &from)) {
        return WG_DLPACK_E_SHAPE;
    }
    return wg_copy_repeats(&to) ? WG_DLPACK_E_OVERLAP : WG_DLPACK_OK;
}

/* check_copy has passed. When the two share memory, the source is read completely first. */
static int32_t copy_checked(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    const WgCopySide to = side_of(dst);
    WgCopySide from = side_of(src);
    if (dst->num_elements == 0) {
        return WG_DLPACK_OK;
    }
    if (!wg_ranges_meet(wg_byte_range(ctx, dst), wg_byte_range(ctx, src))) {
        wg_copy_strided(&to, &from);
        return WG_DLPACK_OK;
    }
    const size_t num_bytes = (size_t)src->reach_bytes;
    void *saved = wg_dlpack_allocate(ctx->allocator, num_bytes);
    if (saved == NULL) {
        return WG_DLPACK_E_MEMORY;
    }
    memcpy(saved, src->data, num_bytes);
    from.data = saved;
    wg_copy_strided(&to, &from);
    wg_dlpack_give_back(ctx->allocator, saved, num_bytes);
    return WG_DLPACK_OK;
}

int32_t wg_copy_leaf_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    int32_t status = check_copy(dst, src);
    if (status == WG_DLPACK_OK) {
        status = copy_checked(ctx, dst, src);
    }
    return status == WG_DLPACK_OK ? wg_bump_version(ctx, dst) : status;
}

int wg_dlpack_is_differentiable(int32_t dtype)
{
    const int32_t family = wg_dtype_family(dtype);
    return family == WG_FAMILY_FLOAT || family == WG_FAMILY_COMPLEX;
}

int32_t wg_copy_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    int32_t status = check_in_place(ctx, dst);
    if (status == WG_DLPACK_OK) {
        status = wg_copy_leaf_(ctx, dst, src);
    }
    if (status == WG_DLPACK_OK && ctx->grad_mode && src->requires_grad && wg_dlpack_is_differentiable(dst->dtype)) {
        dst->requires_grad = 1; /* it is the output of CopyBackwards now */
        dst->is_leaf = 0;
    }
    return status;
}

/* ---- new memory ---- */

int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out)
{
    WgExtent extent = {0, 0, 0};
    int64_t num_bytes = 0;
    *out = NULL;
    if (geometry->rank < 0 || (geometry->rank > 0 && (geometry->sizes == NULL || geometry->strides == NULL))) {
        return WG_DLPACK_E_ARGUMENT;
    }
    if (wg_dtype_size(dtype) == 0 || device != WG_CPU) {
        return device != WG_CPU ? WG_DLPACK_E_DEVICE : WG_DLPACK_E_DTYPE;
    }
    int32_t status = wg_dlpack_fit(wg_measure(geometry->rank, geometry->sizes, geometry->strides, &extent));
    if (status == WG_DLPACK_OK && geometry->offset < 0) {
        status = WG_DLPACK_E_OFFSET;
    }
    if (status != WG_DLPACK_OK) {
        return status;
    }
    if (extent.num_elements > 0 && (wg_ckd_add(&num_bytes, geometry->offset, extent.reach) ||
                                    wg_ckd_mul(&num_bytes, num_bytes, wg_dtype_size(dtype)))) {
        return WG_DLPACK_E_OVERFLOW;
    }
    WgTensor *t = wg_dlpack_take(ctx, geometry->rank);
    if (t == NULL) {
        return WG_DLPACK_E_MEMORY;
    }
    for (int32_t i = 0; i < geometry->rank; i++) {
        t->sizes[i] = geometry->sizes[i];
        t->strides[i] = geometry->strides[i];
    }
    WgStorage *storage = wg_dlpack_own_storage(ctx, num_bytes);
    if (storage == NULL) {
        wg_dlpack_give(t);
        return WG_DLPACK_E_MEMORY;
    }
    status = wg_dlpack_place(t, storage, geometry->offset, dtype, device);
    wg_dlpack_release_storage(storage); /* the tensor has its own reference */
    *out = status == WG_DLPACK_OK ? t : NULL;
    return status;
}

/* Strides of a memory format; those that the tensor has itself when the format is not WG_CONTIGUOUS are not wanted. */
static int32_t empty_in_format(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t memory_format, int32_t dtype,
                               int32_t device, WgTensor **out)
{
    *out = NULL;
    WgTensor *room = rank < 0 ? NULL : wg_dlpack_take(ctx, rank); /* lends its room for the strides */
    if (room == NULL) {
        return rank < 0 ? WG_DLPACK_E_ARGUMENT : WG_DLPACK_E_MEMORY;
    }
    int32_t status = wg_dlpack_fit(wg_compact_strides(rank, sizes, room->strides));
    if (status == WG_DLPACK_OK) {
        if (memory_format != WG_CONTIGUOUS) {
            wg_format_strides(memory_format, rank, sizes, room->strides);
        }
        const WgGeometry geometry = {sizes, room->strides, 0, rank};
        status = wg_empty_strided(ctx, &geometry, dtype, device, out);
    }
    wg_dlpack_give(room);
    return status;
}

int32_t wg_zeros(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out)
{
    const int32_t status = empty_in_format(ctx, sizes, rank, WG_CONTIGUOUS, dtype, device, out);
    if (status == WG_DLPACK_OK && (*out)->data != NULL) {
        memset((*out)->data, 0, (size_t)(*out)->reach_bytes);
    }
    return status;
}

/* ---- layouts ---- */

/* Copies t's values into `copy`, which is given away in every case. */
static int32_t fill_copy(WgContext *ctx, WgTensor *copy, const WgTensor *t, WgTensor **out)
{
    const int32_t status = wg_copy_(ctx, copy, t);
    if (status != WG_DLPACK_OK) {
        wg_release(ctx, copy);
        return status;
    }
    *out = copy;
    return WG_DLPACK_OK;
}

int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out)
{
    WgTensor *copy = NULL;
    *out = NULL;
    if (!wg_format_has_rank(memory_format, t->rank)) {
        return WG_DLPACK_E_ARGUMENT;
    }
    if (wg_is_in_format(memory_format, t->rank, t->sizes, t->strides)) {
        return wg_retain(ctx, t, out);
    }
    int32_t status = empty_in_format(ctx, t->sizes, t->rank, memory_format, t->dtype, t->device, &copy);
    if (status == WG_DLPACK_OK) {
        status = fill_copy(ctx, copy, t, out);
    }
    if (status == WG_DLPACK_OK) {
        copy->version_bias = -wg_version(ctx, copy); /* nothing wrote to it that autograd saw */
    }
    return status;
}

int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out)
{
    WgTensor *copy = NULL;
    int same = t->rank == geometry->rank;
    *out = NULL;
    for (int32_t i = 0; same && i < t->rank; i++) {
        same = t->sizes[i] == geometry->sizes[i] && t->strides[i] == geometry->strides[i];
    }
    if (same) {
        return wg_retain(ctx, t, out);
    }
    const int32_t status = wg_empty_strided(ctx, geometry, t->dtype, t->device, &copy);
    return status != WG_DLPACK_OK ? status : fill_copy(ctx, copy, t, out);
}

/* ---- requires_grad ---- */

int32_t wg_set_requires_grad(WgContext *ctx, WgTensor *t, int requires_grad)
{
    (void)ctx;
    if (requires_grad ? !wg_dlpack_is_differentiable(t->dtype) : !t->is_leaf) {
        return WG_DLPACK_E_GRAD;
    }
    t->requires_grad = requires_grad != 0;
    return WG_DLPACK_OK;
}

int32_t wg_patch_requires_grad(WgContext *ctx, const WgTensor *base, WgTensor **view, int requires_grad)
{
    if (!base->requires_grad && requires_grad) {
        return wg_set_requires_grad(ctx, *view, 1);
    }
    if (base->requires_grad && !requires_grad) {
        WgTensor *detached = NULL;
        const int32_t status = wg_detach(ctx, *view, &detached);
        if (status != WG_DLPACK_OK) {
            return status;
        }
        wg_release(ctx, *view);
        *view = detached;
    }
    return WG_DLPACK_OK;
}
