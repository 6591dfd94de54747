/* SPDX-License-Identifier: 0BSD */
/* wg_dlpack_views.c - the verbs of the dlpack host that make views. Contracts: VERBS.md. */
#include "wg_dlpack_inside.h"

#include <string.h>

/* Makes t, whose geometry has been computed, or refused, a view of base. Stores it in *out, or gives t back. */
static int32_t finish_view(WgTensor *t, WgFit fit, const WgTensor *base, int64_t offset, int32_t dtype, WgTensor **out)
{
    if (fit != WG_FIT_OK) {
        wg_dlpack_give(t);
        return wg_dlpack_fit(fit);
    }
    const int32_t status = wg_dlpack_place(t, base->storage, offset, dtype, base->device);
    if (status == WG_DLPACK_OK) {
        t->version_bias = base->version_bias;
        *out = t;
    }
    return status;
}

static int32_t view_as(WgContext *ctx, const WgTensor *base, const WgGeometry *geometry, int32_t dtype, WgTensor **out)
{
    *out = NULL;
    WgTensor *t = geometry->rank < 0 ? NULL : wg_dlpack_take(ctx, geometry->rank);
    if (t == NULL) {
        return geometry->rank < 0 ? WG_DLPACK_E_ARGUMENT : WG_DLPACK_E_MEMORY;
    }
    for (int32_t i = 0; i < geometry->rank; i++) {
        t->sizes[i] = geometry->sizes[i];
        t->strides[i] = geometry->strides[i];
    }
    return finish_view(t, WG_FIT_OK, base, geometry->offset, dtype, out);
}

/* A differentiable view requires grad when its base does; without grad mode it has no history and is a leaf. */
static void inherit_grad(const WgContext *ctx, const WgTensor *base, WgTensor *view)
{
    view->is_view = 1;
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

int32_t wg_alias_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad,
                    WgTensor **out)
{
    *out = NULL;
    if (requires_grad && !base->requires_grad && !wg_dlpack_is_differentiable(base->dtype)) {
        return WG_DLPACK_E_GRAD;
    }
    const int32_t status = view_as(ctx, base, geometry, dtype, out);
    const int is_detached = base->requires_grad && !requires_grad;
    if (status == WG_DLPACK_OK && !is_detached && is_differentiable_pair(base->dtype, dtype)) {
        inherit_grad(ctx, base, *out);
        (*out)->requires_grad = requires_grad != 0;
    }
    return status;
}

int32_t wg_alias_like(WgContext *ctx, WgTensor *base, const WgTensor *target, int requires_grad, WgTensor **out)
{
    const WgGeometry geometry = wg_dlpack_geometry(target);
    return wg_alias_as(ctx, base, &geometry, target->dtype, requires_grad, out);
}

int32_t wg_as_strided(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, WgTensor **out)
{
    const int32_t status = view_as(ctx, base, geometry, base->dtype, out);
    if (status == WG_DLPACK_OK) {
        inherit_grad(ctx, base, *out);
    }
    return status;
}

int32_t wg_detach(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    const WgGeometry geometry = wg_dlpack_geometry(t);
    return view_as(ctx, t, &geometry, t->dtype, out);
}

int32_t wg_view_dtype(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out)
{
    const WgGeometry geometry = wg_dlpack_geometry(base);
    const int32_t to = wg_dtype_size(dtype);
    int64_t offset = 0;
    *out = NULL;
    if (to == 0) {
        return WG_DLPACK_E_DTYPE;
    }
    if (to == base->element_bytes) {
        return view_as(ctx, base, &geometry, dtype, out);
    }
    WgTensor *t = wg_dlpack_take(ctx, base->rank);
    if (t == NULL) {
        return WG_DLPACK_E_MEMORY;
    }
    const WgFit fit = wg_view_other_size(&geometry, base->element_bytes, to, t->sizes, t->strides, &offset);
    return finish_view(t, fit, base, offset, dtype, out);
}

int32_t wg_view_as_real(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    const WgGeometry geometry = wg_dlpack_geometry(base);
    const int32_t part = wg_dtype_part(base->dtype);
    int64_t offset = 0;
    *out = NULL;
    WgTensor *t = part < 0 || base->rank == INT32_MAX ? NULL : wg_dlpack_take(ctx, base->rank + 1);
    if (t == NULL) {
        return part < 0 ? WG_DLPACK_E_DTYPE : WG_DLPACK_E_MEMORY;
    }
    const WgFit fit = wg_view_parts(&geometry, t->sizes, t->strides, &offset);
    const int32_t status = finish_view(t, fit, base, offset, part, out);
    if (status == WG_DLPACK_OK) {
        inherit_grad(ctx, base, *out);
    }
    return status;
}

int32_t wg_view_as_complex(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    const WgGeometry geometry = wg_dlpack_geometry(base);
    const int32_t whole = wg_dtype_complex(base->dtype);
    int64_t offset = 0;
    *out = NULL;
    if (whole < 0 || base->rank == 0) {
        return whole < 0 ? WG_DLPACK_E_DTYPE : WG_DLPACK_E_VIEW;
    }
    WgTensor *t = wg_dlpack_take(ctx, base->rank - 1);
    if (t == NULL) {
        return WG_DLPACK_E_MEMORY;
    }
    const WgFit fit = wg_view_wholes(&geometry, t->sizes, t->strides, &offset);
    const int32_t status = finish_view(t, fit, base, offset, whole, out);
    if (status == WG_DLPACK_OK) {
        inherit_grad(ctx, base, *out);
    }
    return status;
}

int32_t wg_unsafe_view(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    const WgGeometry geometry = wg_dlpack_geometry(t);
    const int32_t status = view_as(ctx, t, &geometry, t->dtype, out);
    if (status == WG_DLPACK_OK) {
        WgTensor *view = *out;
        view->version_bias = 0;
        view->version_bias = -wg_version(ctx, view);
        view->requires_grad = t->requires_grad && ctx->grad_mode;
        view->is_leaf = !view->requires_grad;
        if (t->num_elements > 0) {
            wg_viewed_strides(&geometry, view->strides);
        }
    }
    return status;
}
