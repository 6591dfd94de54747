/* SPDX-License-Identifier: 0BSD */
/*
 * wg_native_verbs.c - the verbs of the native host that change tensors or make them. Contracts: VERBS.md; wg_native.h
 * says where PyTorch's behaviour was measured. Every verb tests everything first and changes something only when
 * nothing can fail any more; VERBS.md names the one exception, a copy between subclasses without memory for a
 * temporary.
 */
#include "wg_native_inside.h"

#include <string.h>

/* ---- copy_ ---- */

/* PyTorch's check_inplace (torch/csrc/autograd/VariableTypeUtils.h): leaves that require grad, and views of them. */
static int32_t check_in_place(const WgContext *ctx, const WgTensor *t)
{
    const int is_refused = ctx->grad_mode && t->requires_grad && (t->is_leaf || t->is_view_of_leaf);
    return is_refused ? WG_NATIVE_E_LEAF : WG_NATIVE_OK;
}

static WgCopySide side_of(const WgTensor *t)
{
    const WgCopySide side = {t->data, t->sizes, t->strides, t->rank, t->dtype};
    return side;
}

int wg_native_has_same_sizes(const WgTensor *a, const WgTensor *b)
{
    int same = a->rank == b->rank;
    for (int32_t i = 0; same && i < a->rank; i++) {
        same = a->sizes[i] == b->sizes[i];
    }
    return same;
}

/* Both without attributes. */
int32_t wg_native_check_copy(const WgTensor *dst, const WgTensor *src)
{
    const WgCopySide to = side_of(dst);
    const WgCopySide from = side_of(src);
    if (dst->storage->is_read_only) {
        return WG_NATIVE_E_READ_ONLY;
    }
    if (dst->device != WG_CPU || src->device != WG_CPU) {
        return WG_NATIVE_E_DEVICE;
    }
    if (!wg_copy_fits(&to, &from)) {
        return WG_NATIVE_E_SHAPE;
    }
    return wg_copy_repeats(&to) ? WG_NATIVE_E_OVERLAP : WG_NATIVE_OK;
}

/* check_copy has passed. When the two share memory, the source is read completely first. */
int32_t wg_native_copy_checked(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    const WgCopySide to = side_of(dst);
    WgCopySide from = side_of(src);
    if (dst->num_elements == 0) {
        return WG_NATIVE_OK;
    }
    if (!wg_ranges_meet(wg_byte_range(ctx, dst), wg_byte_range(ctx, src))) {
        wg_copy_strided(&to, &from);
        return WG_NATIVE_OK;
    }
    const size_t num_bytes = (size_t)src->reach_bytes;
    void *saved = wg_native_allocate(ctx->allocator, num_bytes);
    if (saved == NULL) {
        return WG_NATIVE_E_MEMORY;
    }
    memcpy(saved, src->data, num_bytes);
    from.data = saved;
    wg_copy_strided(&to, &from);
    ctx->allocator->release(ctx->allocator->user, saved, num_bytes);
    return WG_NATIVE_OK;
}

int32_t wg_copy_leaf_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    if (dst->subclass != NULL || src->subclass != NULL) {
        return wg_native_copy_subclass(ctx, dst, src);
    }
    if (dst->dtype == src->dtype && dst->is_compact && src->is_compact && dst->device == WG_CPU &&
        src->device == WG_CPU && !dst->storage->is_read_only && wg_native_has_same_sizes(dst, src)) {
        if (dst->num_elements > 0) {
            memmove(dst->data, src->data, (size_t)dst->reach_bytes);
        }
        return wg_bump_version(ctx, dst);
    }
    int32_t status = wg_native_check_copy(dst, src);
    if (status == WG_NATIVE_OK) {
        status = wg_native_copy_checked(ctx, dst, src);
    }
    return status == WG_NATIVE_OK ? wg_bump_version(ctx, dst) : status;
}

int wg_native_is_differentiable(int32_t dtype)
{
    const int32_t family = wg_dtype_family(dtype);
    return family == WG_FAMILY_FLOAT || family == WG_FAMILY_COMPLEX;
}

int32_t wg_copy_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    int32_t status = check_in_place(ctx, dst);
    if (status == WG_NATIVE_OK) {
        status = wg_copy_leaf_(ctx, dst, src);
    }
    if (status == WG_NATIVE_OK && ctx->grad_mode && src->requires_grad && wg_native_is_differentiable(dst->dtype)) {
        dst->requires_grad = 1; /* it is the output of CopyBackwards now */
        dst->is_leaf = 0;
    }
    return status;
}

/* ---- changes of storage and geometry ---- */

/* dst, which has room for the rank, takes src's geometry. */
void wg_native_take_geometry(WgTensor *dst, const WgTensor *src)
{
    for (int32_t i = 0; i < src->rank; i++) {
        dst->sizes[i] = src->sizes[i];
        dst->strides[i] = src->strides[i];
    }
}

/* dst becomes a tensor over src's memory; its version will be `version`. */
static int32_t adopt(WgTensor *dst, const WgTensor *src, int64_t version)
{
    const WgExtent extent = wg_native_extent_of(src);
    WgStorage *old = dst->storage;
    if (dst != src) {
        if (!wg_native_room(dst, src->rank)) {
            return WG_NATIVE_E_MEMORY;
        }
        wg_native_take_geometry(dst, src);
        wg_native_keep(&src->storage->references);
        wg_native_place(dst, src->storage, src->offset, src->dtype, src->element_bytes, &extent);
        dst->device = src->device;
        dst->version_bias = 0;
        dst->version_bias = version - wg_version(NULL, dst);
        wg_native_release_storage(old);
    }
    return WG_NATIVE_OK;
}

int32_t wg_set_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    if (dst->subclass != NULL || src->subclass != NULL) {
        return WG_NATIVE_E_SUBCLASS;
    }
    if (dst->dtype != src->dtype) {
        return WG_NATIVE_E_DTYPE;
    }
    if (dst->device != src->device) {
        return WG_NATIVE_E_DEVICE;
    }
    /* The old storage's count rises by one for the views and detached tensors that stay there, and dst takes that count
     * with it. */
    WgStorage *old = dst->storage;
    wg_native_keep(&old->references);
    const int64_t version = wg_version(ctx, dst) + !dst->is_inference;
    const int32_t adopted = adopt(dst, src, version);
    if (adopted == WG_NATIVE_OK && !dst->is_inference) {
        wg_native_raise(old);
    }
    if (adopted == WG_NATIVE_OK && dst->storage == old && dst != src) {
        dst->version_bias -= !dst->is_inference;
    }
    wg_native_release_storage(old);
    return adopted;
}

int32_t wg_shallow_copy_data_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    if (dst->subclass != NULL || src->subclass != NULL) {
        return WG_NATIVE_E_SUBCLASS;
    }
    if (dst->requires_grad && !wg_native_is_differentiable(src->dtype)) {
        return WG_NATIVE_E_GRAD;
    }
    return adopt(dst, src, wg_version(ctx, dst));
}

int32_t wg_restride_like_(WgContext *ctx, WgTensor *dst, const WgTensor *like)
{
    const WgExtent extent = wg_native_extent_of(like);
    int32_t status = check_in_place(ctx, dst);
    if (status == WG_NATIVE_OK && dst->subclass != NULL) {
        status = WG_NATIVE_E_SUBCLASS;
    }
    if (status == WG_NATIVE_OK) {
        status = wg_native_check_bounds(dst->storage, like->offset, dst->element_bytes, &extent);
    }
    if (status == WG_NATIVE_OK && dst != like) {
        if (!wg_native_room(dst, like->rank)) {
            return WG_NATIVE_E_MEMORY;
        }
        wg_native_take_geometry(dst, like);
        wg_native_place(dst, dst->storage, like->offset, dst->dtype, dst->element_bytes, &extent);
    }
    if (status == WG_NATIVE_OK && !dst->is_inference) {
        wg_native_raise(dst->storage); /* also of a read-only one: no element was written */
    }
    return status;
}

/* ---- requires_grad ---- */

int32_t wg_set_requires_grad(WgContext *ctx, WgTensor *t, int requires_grad)
{
    (void)ctx;
    if (requires_grad && !wg_native_is_differentiable(t->dtype)) {
        return WG_NATIVE_E_GRAD;
    }
    if (requires_grad && t->is_inference) {
        return WG_NATIVE_E_INFERENCE;
    }
    if (!requires_grad && !t->is_leaf) {
        return WG_NATIVE_E_GRAD;
    }
    t->requires_grad = requires_grad != 0;
    return WG_NATIVE_OK;
}

int32_t wg_patch_requires_grad(WgContext *ctx, const WgTensor *base, WgTensor **view, int requires_grad)
{
    if (!base->requires_grad && requires_grad) {
        return wg_set_requires_grad(ctx, *view, 1);
    }
    if (base->requires_grad && !requires_grad) {
        WgTensor *detached = NULL;
        const int32_t status = wg_detach(ctx, *view, &detached);
        if (status != WG_NATIVE_OK) {
            return status;
        }
        wg_release(ctx, *view);
        *view = detached;
    }
    return WG_NATIVE_OK;
}

/* ---- state ---- */

int32_t wg_mark_dynamic(WgContext *ctx, WgTensor *t, const int32_t *dimensions, size_t num_dimensions)
{
    uint64_t marks = 0;
    (void)ctx;
    for (size_t i = 0; i < num_dimensions; i++) {
        if (dimensions[i] < 0 || dimensions[i] >= t->rank || dimensions[i] >= 64) {
            return WG_NATIVE_E_DIMENSION;
        }
        marks |= UINT64_C(1) << dimensions[i];
    }
    t->dynamic_dimensions |= marks;
    return WG_NATIVE_OK;
}

int32_t wg_rng_get(WgContext *ctx, WgTensor **seed, WgTensor **offset)
{
    *seed = NULL;
    *offset = NULL;
    int32_t status = wg_native_empty(ctx, WG_INT64, 0, NULL, seed);
    if (status == WG_NATIVE_OK) {
        status = wg_native_empty(ctx, WG_INT64, 0, NULL, offset);
    }
    if (status != WG_NATIVE_OK) {
        wg_release(ctx, *seed);
        *seed = NULL;
        return status;
    }
    wg_native_set_integer(*seed, 0, ctx->rng_seed);
    wg_native_set_integer(*offset, 0, ctx->rng_offset);
    return WG_NATIVE_OK;
}

int32_t wg_rng_set(WgContext *ctx, const WgTensor *offset)
{
    if (offset->subclass != NULL || offset->dtype != WG_INT64 || offset->device != WG_CPU ||
        offset->num_elements != 1 || wg_native_integer(offset, 0) < 0) {
        return WG_NATIVE_E_VALUE;
    }
    ctx->rng_offset = wg_native_integer(offset, 0);
    return WG_NATIVE_OK;
}
