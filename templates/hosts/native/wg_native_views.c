/* SPDX-License-Identifier: 0BSD */
/*
 * wg_native_views.c - the verbs of the native host that make views. Contracts: VERBS.md; wg_native.h says where
 * PyTorch's behaviour was measured. A view costs one tensor object, from the context's cache if it has one, and one
 * count.
 */
#include "wg_native_inside.h"

/* ---- views ---- */

/* Makes t, whose sizes and strides are set, a view of base. Stores it in *out, or gives t back. */
static int32_t finish_view(WgContext *ctx, WgTensor *t, WgTensor *base, int64_t offset, int32_t dtype,
                           const WgExtent *known, WgTensor **out)
{
    WgExtent extent;
    const int32_t element_bytes = dtype == base->dtype ? base->element_bytes : wg_dtype_size(dtype);
    int32_t status = element_bytes == 0 ? WG_NATIVE_E_DTYPE : WG_NATIVE_OK;
    if (status == WG_NATIVE_OK && known == NULL) {
        status = wg_native_measure(t->rank, t->sizes, t->strides, &extent);
        known = &extent;
    }
    if (status == WG_NATIVE_OK) {
        status = wg_native_check_bounds(base->storage, offset, element_bytes, known);
    }
    if (status != WG_NATIVE_OK) {
        wg_native_give(ctx, t);
        return status;
    }
    wg_native_keep(&base->storage->references);
    wg_native_place(t, base->storage, offset, dtype, element_bytes, known);
    t->device = base->device;
    t->is_inference = base->is_inference;
    t->version_bias = base->version_bias;
    *out = t;
    return WG_NATIVE_OK;
}

static int32_t view_like(WgContext *ctx, WgTensor *base, const WgTensor *target, WgTensor **out)
{
    *out = NULL;
    if (base->subclass != NULL) {
        return WG_NATIVE_E_SUBCLASS;
    }
    WgTensor *t = wg_native_take(ctx, target->rank);
    if (t == NULL) {
        return WG_NATIVE_E_MEMORY;
    }
    const WgExtent extent = wg_native_extent_of(target);
    wg_native_take_geometry(t, target);
    return finish_view(ctx, t, base, target->offset, target->dtype, &extent, out);
}

static int32_t view_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, WgTensor **out)
{
    *out = NULL;
    if (base->subclass != NULL) {
        return WG_NATIVE_E_SUBCLASS;
    }
    if (geometry->rank < 0) {
        return WG_NATIVE_E_ARGUMENT;
    }
    WgTensor *t = wg_native_take(ctx, geometry->rank);
    if (t == NULL) {
        return WG_NATIVE_E_MEMORY;
    }
    for (int32_t i = 0; i < geometry->rank; i++) {
        t->sizes[i] = geometry->sizes[i];
        t->strides[i] = geometry->strides[i];
    }
    return finish_view(ctx, t, base, geometry->offset, dtype, NULL, out);
}

/* A differentiable view requires grad when its base does; without grad mode it has no history and is a leaf. */
static void inherit_grad(const WgContext *ctx, const WgTensor *base, WgTensor *view)
{
    view->is_view = !base->is_inference;
    if (base->requires_grad) {
        view->requires_grad = 1;
        view->is_leaf = ctx->grad_mode == 0;
        view->is_view_of_leaf = ctx->grad_mode != 0 && (base->is_leaf || base->is_view_of_leaf);
    }
}

/* view_as_real and view_as_complex have a gradient, view(dtype) has none. */
static int is_differentiable_pair(int32_t a, int32_t b)
{
    return a == b || wg_dtype_part(a) == b || wg_dtype_part(b) == a;
}

/* Called before the view is made, so that a refusal costs nothing. */
static int32_t check_patch(const WgTensor *base, int requires_grad)
{
    if (!requires_grad || base->requires_grad) {
        return WG_NATIVE_OK;
    }
    if (base->is_inference) {
        return WG_NATIVE_E_INFERENCE;
    }
    return wg_native_is_differentiable(base->dtype) ? WG_NATIVE_OK : WG_NATIVE_E_GRAD;
}

/* `patch` of gen_alias_from_base and then view(dtype), on a view that is not shared yet: leaving its flags as they were
 * made amounts to detach(), and also to view(dtype). */
static void patch(const WgContext *ctx, const WgTensor *base, WgTensor *view, int requires_grad)
{
    const int is_detached = base->requires_grad && !requires_grad;
    if (!is_detached && is_differentiable_pair(base->dtype, view->dtype)) {
        inherit_grad(ctx, base, view);
        view->requires_grad = requires_grad != 0;
    }
}

int32_t wg_alias_like(WgContext *ctx, WgTensor *base, const WgTensor *target, int requires_grad, WgTensor **out)
{
    *out = NULL;
    int32_t status = check_patch(base, requires_grad);
    if (status == WG_NATIVE_OK) {
        status = view_like(ctx, base, target, out);
    }
    if (status == WG_NATIVE_OK) {
        patch(ctx, base, *out, requires_grad);
    }
    return status;
}

int32_t wg_alias_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad,
                    WgTensor **out)
{
    *out = NULL;
    int32_t status = check_patch(base, requires_grad);
    if (status == WG_NATIVE_OK) {
        status = view_as(ctx, base, geometry, dtype, out);
    }
    if (status == WG_NATIVE_OK) {
        patch(ctx, base, *out, requires_grad);
    }
    return status;
}

int32_t wg_as_strided(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, WgTensor **out)
{
    const int32_t status = view_as(ctx, base, geometry, base->dtype, out);
    if (status == WG_NATIVE_OK) {
        inherit_grad(ctx, base, *out);
    }
    return status;
}

int32_t wg_detach(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    return view_like(ctx, t, t, out);
}

/* ---- views of another dtype ---- */

static WgGeometry geometry_of(const WgTensor *t)
{
    const WgGeometry geometry = {t->sizes, t->strides, t->offset, t->rank};
    return geometry;
}

/* The last step of a view whose geometry has been computed into t, or refused. */
static int32_t finish_computed(WgContext *ctx, WgTensor *t, WgFit fit, WgTensor *base, int64_t offset, int32_t dtype,
                               WgTensor **out)
{
    if (fit != WG_FIT_OK) {
        wg_native_give(ctx, t);
        return wg_native_fit(fit);
    }
    return finish_view(ctx, t, base, offset, dtype, NULL, out);
}

int32_t wg_view_dtype(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out)
{
    const int32_t to = wg_dtype_size(dtype);
    const WgGeometry geometry = geometry_of(base);
    int64_t offset = 0;
    *out = NULL;
    if (base->subclass != NULL) {
        return WG_NATIVE_E_SUBCLASS;
    }
    if (to == 0) {
        return WG_NATIVE_E_DTYPE;
    }
    if (to == base->element_bytes) {
        return view_as(ctx, base, &geometry, dtype, out);
    }
    WgTensor *t = wg_native_take(ctx, base->rank);
    if (t == NULL) {
        return WG_NATIVE_E_MEMORY;
    }
    const WgFit fit = wg_view_other_size(&geometry, base->element_bytes, to, t->sizes, t->strides, &offset);
    return finish_computed(ctx, t, fit, base, offset, dtype, out);
}

int32_t wg_view_as_real(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    const int32_t part = wg_dtype_part(base->dtype);
    const WgGeometry geometry = geometry_of(base);
    int64_t offset = 0;
    *out = NULL;
    if (base->subclass != NULL || part < 0) {
        return base->subclass != NULL ? WG_NATIVE_E_SUBCLASS : WG_NATIVE_E_DTYPE;
    }
    WgTensor *t = base->rank == INT32_MAX ? NULL : wg_native_take(ctx, base->rank + 1);
    if (t == NULL) {
        return WG_NATIVE_E_MEMORY;
    }
    const WgFit fit = wg_view_parts(&geometry, t->sizes, t->strides, &offset);
    const int32_t status = finish_computed(ctx, t, fit, base, offset, part, out);
    if (status == WG_NATIVE_OK) {
        inherit_grad(ctx, base, *out);
    }
    return status;
}

int32_t wg_view_as_complex(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    const int32_t whole = wg_dtype_complex(base->dtype);
    const WgGeometry geometry = geometry_of(base);
    int64_t offset = 0;
    *out = NULL;
    if (base->subclass != NULL || whole < 0) {
        return base->subclass != NULL ? WG_NATIVE_E_SUBCLASS : WG_NATIVE_E_DTYPE;
    }
    if (base->rank == 0) {
        return WG_NATIVE_E_VIEW;
    }
    WgTensor *t = wg_native_take(ctx, base->rank - 1);
    if (t == NULL) {
        return WG_NATIVE_E_MEMORY;
    }
    const WgFit fit = wg_view_wholes(&geometry, t->sizes, t->strides, &offset);
    const int32_t status = finish_computed(ctx, t, fit, base, offset, whole, out);
    if (status == WG_NATIVE_OK) {
        inherit_grad(ctx, base, *out);
    }
    return status;
}

int32_t wg_unsafe_view(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    const int32_t status = view_like(ctx, t, t, out);
    if (status == WG_NATIVE_OK) {
        WgTensor *view = *out;
        view->version_bias = 0;
        view->version_bias = -wg_version(ctx, view);
        view->requires_grad = t->requires_grad && ctx->grad_mode;
        view->is_leaf = !view->requires_grad;
        if (t->num_elements > 0) {
            const WgGeometry geometry = geometry_of(t);
            wg_viewed_strides(&geometry, view->strides);
        }
    }
    return status;
}
