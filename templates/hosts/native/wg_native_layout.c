/* SPDX-License-Identifier: 0BSD */
/*
 * wg_native_layout - brings tensors into a layout: a memory format, or given sizes and strides. A backward was compiled
 * for one layout of its tangents.
 *
 * What counts as contiguous is PyTorch's (c10/core/Contiguity.h): strides of dimensions of size 1 do not matter, and a
 * tensor without elements is contiguous, but not channels-last for that reason alone.
 */
#include "wg_native.h"
#include "wg_native_inside.h"

/* Dimensions by memory format, innermost first. */
static const int32_t channels_last_order[] = {1, 3, 2, 0};
static const int32_t channels_last_3d_order[] = {1, 4, 3, 2, 0};

static int has_order(const WgTensor *t, const int32_t *order)
{
    int64_t expected = 1;
    for (int32_t i = 0; i < t->rank; i++) {
        const int32_t d = order[i];
        if (t->sizes[d] != 1) {
            if (t->strides[d] != expected) {
                return 0;
            }
            expected *= t->sizes[d];
        }
    }
    return 1;
}

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

static int32_t copy_in_order(WgContext *ctx, const WgTensor *t, const int32_t *order, WgTensor **out)
{
    int64_t strides[5] = {0}; /* channels-last formats have rank 4 and 5 */
    WgTensor *copy = NULL;
    int64_t next = 1;
    for (int32_t i = 0; i < t->rank; i++) {
        strides[order[i]] = next;
        if (__builtin_mul_overflow(next, t->sizes[order[i]] > 1 ? t->sizes[order[i]] : 1, &next)) {
            return WG_NATIVE_E_OVERFLOW;
        }
    }
    const WgGeometry geometry = {t->sizes, strides, 0, t->rank};
    const int32_t status = wg_empty_strided(ctx, &geometry, t->dtype, t->device, &copy);
    return status != WG_NATIVE_OK ? status : fill_copy(ctx, copy, t, out);
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
    const int is_3d = memory_format == WG_CHANNELS_LAST_3D;
    const int is_plain = t->type == NULL || t->subclass == NULL;
    const int32_t *order = is_3d ? channels_last_3d_order : channels_last_order;
    WgTensor *copy = NULL;
    *out = NULL;
    if (memory_format != WG_CONTIGUOUS &&
        ((memory_format != WG_CHANNELS_LAST && !is_3d) || t->rank != (is_3d ? 5 : 4))) {
        return WG_NATIVE_E_ARGUMENT;
    }
    if (memory_format == WG_CONTIGUOUS ? t->is_compact || t->num_elements == 0 : has_order(t, order)) {
        return wg_retain(ctx, t, out);
    }
    if (!is_plain) {
        return contiguous_subclass(ctx, t, memory_format, out);
    }
    if (memory_format != WG_CONTIGUOUS) {
        return copy_in_order(ctx, t, order, out);
    }
    const int32_t status = wg_native_empty(ctx, t->dtype, t->rank, t->sizes, &copy);
    return status != WG_NATIVE_OK ? status : fill_copy(ctx, copy, t, out);
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
