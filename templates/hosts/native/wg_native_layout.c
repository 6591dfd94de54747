/* SPDX-License-Identifier: 0BSD */
/*
 * wg_native_layout - brings tensors into a layout: a memory format, or given sizes and strides. A backward was compiled
 * for one layout of its tangents.
 */
#include "wg_native.h"
#include "wg_native_inside.h"

/* Copies t's values into `copy`, which is given away in every case. */
static int32_t fill_copy(WgContext *ctx, WgTensor *copy, const WgTensor *t, WgTensor **out)
{
    const int32_t status = wg_copy_(ctx, copy, t);
    if (status != WG_NATIVE_OK) {
        wg_release(ctx, copy);
        return status;
    }
    *out = copy;
    return WG_NATIVE_OK;
}

/* The geometry of a subclass says nothing about its attributes, so only its type knows how to bring it into a
 * layout. */
static int32_t contiguous_subclass(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out)
{
    return t->type->contiguous == NULL ? (int32_t)WG_NATIVE_E_SUBCLASS
                                       : t->type->contiguous(ctx, t, memory_format, out);
}

int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out)
{
    int64_t strides[5] = {0}; /* of the formats that are not plainly contiguous, which have rank 4 and 5 */
    WgTensor *copy = NULL;
    *out = NULL;
    if (!wg_format_has_rank(memory_format, t->rank)) {
        return WG_NATIVE_E_ARGUMENT;
    }
    if (memory_format == WG_CONTIGUOUS ? t->is_compact
                                       : wg_is_in_format(memory_format, t->rank, t->sizes, t->strides)) {
        return wg_retain(ctx, t, out);
    }
    if (t->type != NULL && t->subclass != NULL) {
        return contiguous_subclass(ctx, t, memory_format, out);
    }
    int32_t status = WG_NATIVE_OK;
    if (memory_format == WG_CONTIGUOUS) {
        status = wg_native_empty(ctx, t->dtype, t->rank, t->sizes, &copy);
    } else {
        const WgGeometry geometry = {t->sizes, strides, 0, t->rank};
        wg_format_strides(memory_format, t->rank, t->sizes, strides);
        status = wg_empty_strided(ctx, &geometry, t->dtype, t->device, &copy);
    }
    if (status == WG_NATIVE_OK) {
        status = fill_copy(ctx, copy, t, out);
    }
    if (status == WG_NATIVE_OK) {
        copy->version_bias = -wg_version(ctx, copy); /* nothing wrote to it that autograd saw */
    }
    return status;
}

/* As PyTorch's `empty((0,)).set_(untyped_storage)`: not a view of src to autograd, so it has nothing to do with src's
 * gradients. */
int32_t wg_storage_base(WgContext *ctx, WgTensor *src, WgTensor **out)
{
    *out = NULL;
    if (src->type != NULL && src->subclass != NULL) {
        return WG_NATIVE_E_SUBCLASS;
    }
    const int64_t num_elements = src->storage->num_bytes / src->element_bytes;
    const int64_t stride = 1;
    const WgGeometry geometry = {&num_elements, &stride, 0, 1};
    const int32_t status = wg_as_strided(ctx, src, &geometry, out);
    if (status == WG_NATIVE_OK) {
        (*out)->requires_grad = 0;
        (*out)->is_leaf = 1;
        (*out)->is_view_of_leaf = 0;
    }
    return status;
}

int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out)
{
    WgTensor *copy = NULL;
    int same = t->rank == geometry->rank;
    *out = NULL;
    for (int32_t d = 0; same && d < t->rank; d++) {
        same = t->sizes[d] == geometry->sizes[d] && t->strides[d] == geometry->strides[d];
    }
    if (same) {
        return wg_retain(ctx, t, out);
    }
    const int32_t status = wg_empty_strided(ctx, geometry, t->dtype, t->device, &copy);
    return status != WG_NATIVE_OK ? status : fill_copy(ctx, copy, t, out);
}
