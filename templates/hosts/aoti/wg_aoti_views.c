/* SPDX-License-Identifier: 0BSD */
/*
 * wg_aoti_views.c - the verbs of the aoti host that make views, and what they and others share. An operator of the
 * dispatcher makes each view, so autograd knows it and it shares its base's version counter.
 */
#include "wg_aoti_inside.h"

/* Calls an operator of one tensor by name. */
static int32_t unary(const char *name, const WgTensor *t, WgTensor **out)
{
    *out = NULL;
    if (wg_aoti_is_subclass(t)) {
        return WG_AOTI_E_SUBCLASS;
    }
    WgAotiCall call = wg_aoti_begin(t);
    return wg_aoti_run_tensor(&call, name, "", out);
}

static int answer(WgContext *ctx, const WgTensor *t, const char *name)
{
    int holds = 0;
    WgAotiCall call = wg_aoti_begin(t);
    wg_aoti_note(ctx, wg_aoti_run_bool(&call, name, &holds));
    return holds;
}

/* The C ABI does not tell, so operators are asked, unless the program's own function knows. PyTorch conjugates complex
 * numbers only, and lets a tensor of another type be negated by a function of its own alone. */
int32_t wg_lazy(WgContext *ctx, const WgTensor *t)
{
    WgAotiLook look = {.rank = -1};
    if (wg_aoti_is_subclass(t)) {
        return 0;
    }
    const WgAotiTable *table = ctx->table;
    if (table->look != NULL && table->look(table->user, wg_aoti_handle(t), &look) == 0 && look.lazy > 0) {
        return look.lazy - 1;
    }
    const int32_t family = wg_dtype_family(wg_dtype(ctx, t));
    return (family == WG_FAMILY_COMPLEX && answer(ctx, t, "aten::is_conj") ? WG_LAZY_CONJ : 0) +
           (answer(ctx, t, "aten::is_neg") ? WG_LAZY_NEG : 0);
}

int32_t wg_view_as_real(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    (void)ctx;
    return unary("aten::view_as_real", base, out);
}

int32_t wg_view_as_complex(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    (void)ctx;
    return unary("aten::view_as_complex", base, out);
}

int32_t wg_detach(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    if (wg_aoti_is_subclass(t)) {
        return wg_aoti_detach_subclass(ctx, t, out);
    }
    struct AtenTensorOpaque *made = NULL;
    const WgAotiTable *table = ctx->table;
    if (table->detach != NULL && table->detach(table->user, wg_aoti_handle(t), &made) == 0) {
        *out = wg_aoti_tensor(made);
        return WG_AOTI_OK;
    }
    return unary("aten::detach", t, out);
}

int32_t wg_view_dtype(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out)
{
    (void)ctx;
    *out = NULL;
    if (wg_aoti_is_subclass(base)) {
        return WG_AOTI_E_SUBCLASS;
    }
    WgAotiCall call = wg_aoti_begin(base);
    wg_aoti_put_integer(&call, dtype);
    return wg_aoti_run_tensor(&call, "aten::view", "dtype", out);
}

/* Uses no operator by name, but the program's function, or the C ABI's own, which takes rank and offset from base.
 */
static int32_t as_strided_directly(WgContext *ctx, const WgTensor *base, const WgGeometry *geometry, WgTensor **out)
{
    struct AtenTensorOpaque *made = NULL;
    const WgAotiTable *table = ctx->table;
    WgGeometry own;
    int32_t failed = 1;
    if (table->as_strided != NULL) {
        failed = table->as_strided(table->user, wg_aoti_handle(base), geometry->rank, geometry->sizes,
                                   geometry->strides, geometry->offset, &made);
    } else if (wg_aoti_geometry(base, &own) == WG_AOTI_OK && own.rank == geometry->rank &&
               own.offset == geometry->offset) {
        failed = aoti_torch_as_strided(wg_aoti_handle(base), geometry->sizes, geometry->strides, &made);
    }
    *out = failed != 0 ? NULL : wg_aoti_tensor(made);
    return failed;
}

int32_t wg_as_strided(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, WgTensor **out)
{
    *out = NULL;
    if (wg_aoti_is_subclass(base)) {
        return WG_AOTI_E_SUBCLASS;
    }
    if (as_strided_directly(ctx, base, geometry, out) == 0) {
        return WG_AOTI_OK;
    }
    WgAotiCall call = wg_aoti_begin(base);
    wg_aoti_put_geometry(&call, geometry);
    return wg_aoti_run_tensor(&call, "aten::as_strided", "", out);
}

int32_t wg_unsafe_view(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    WgGeometry geometry;
    (void)ctx;
    *out = NULL;
    if (wg_aoti_is_subclass(t)) {
        return WG_AOTI_E_SUBCLASS;
    }
    const int32_t status = wg_aoti_geometry(t, &geometry);
    if (status != WG_AOTI_OK) {
        return status;
    }
    WgAotiCall call = wg_aoti_begin(t);
    wg_aoti_put_list(&call, geometry.sizes, geometry.rank);
    return wg_aoti_run_tensor(&call, "aten::_unsafe_view", "", out);
}

int32_t wg_set_requires_grad(WgContext *ctx, WgTensor *t, int requires_grad)
{
    (void)ctx;
    if (wg_aoti_is_subclass(t)) {
        wg_aoti_subclass_of(t)->requires_grad = requires_grad != 0;
        return WG_AOTI_OK;
    }
    if (requires_grad && torch_set_requires_grad(wg_aoti_handle(t), true) == 0) {
        return WG_AOTI_OK;
    }
    /* Not used to switch it off: it would silently switch off even a tensor that autograd made. */
    WgAotiCall call = wg_aoti_begin(t);
    wg_aoti_put_integer(&call, requires_grad != 0);
    return wg_aoti_run_in_place(&call, "aten::requires_grad_", "");
}

int32_t wg_patch_requires_grad(WgContext *ctx, const WgTensor *base, WgTensor **view, int requires_grad)
{
    const int of_base = wg_requires_grad(ctx, base);
    int32_t status = wg_host_status(ctx);
    if (status != WG_AOTI_OK) {
        return status;
    }
    if (!of_base && requires_grad) {
        return wg_set_requires_grad(ctx, *view, 1);
    }
    if (of_base && !requires_grad) {
        WgTensor *detached = NULL;
        status = wg_detach(ctx, *view, &detached);
        if (status == WG_AOTI_OK) {
            wg_release(ctx, *view);
            *view = detached;
        }
    }
    return status;
}

/* The whole storage as one flat tensor of `dtype`, at offset 0, and a view of base to autograd's version counter. */
static int32_t flat_view(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out)
{
    WgTensor *flat = NULL;
    int64_t num_bytes = 0;
    const int64_t element = (int64_t)aoti_torch_dtype_element_size(wg_dtype(ctx, base));
    const int64_t wanted = (int64_t)aoti_torch_dtype_element_size(dtype);
    const int64_t unit = element > wanted ? element : wanted; /* sizes are powers of two */
    int32_t status = wg_aoti_status(aoti_torch_get_storage_size(wg_aoti_handle(base), &num_bytes));
    const int64_t sizes[] = {num_bytes / unit * (unit / element)};
    const int64_t strides[] = {1};
    const WgGeometry geometry = {sizes, strides, 0, 1};
    *out = NULL;
    if (status == WG_AOTI_OK) {
        status = wg_as_strided(ctx, base, &geometry, &flat);
    }
    if (status == WG_AOTI_OK) {
        status = wg_view_dtype(ctx, flat, dtype, out);
    }
    wg_release(ctx, flat);
    return status;
}

/* The tensor to call as_strided on so that the result has `dtype`: base itself (retained) or a view of it. */
static int32_t readable_as(WgContext *ctx, WgTensor *base, int32_t dtype, int *is_bitwise, WgTensor **out)
{
    const int32_t from = wg_dtype(ctx, base);
    const int is_from_complex = wg_dtype_family(from) == WG_FAMILY_COMPLEX;
    const int is_to_complex = wg_dtype_family(dtype) == WG_FAMILY_COMPLEX;
    *is_bitwise = 0;
    if (from == dtype) {
        return wg_retain(ctx, base, out);
    }
    if (wg_dtype_family(from) == WG_FAMILY_NONE || wg_dtype_family(dtype) == WG_FAMILY_NONE) {
        *out = NULL;
        return WG_AOTI_E_DTYPE;
    }
    const size_t from_bytes = aoti_torch_dtype_element_size(from);
    const size_t to_bytes = aoti_torch_dtype_element_size(dtype);
    if (is_from_complex && wg_dtype_family(dtype) == WG_FAMILY_FLOAT && from_bytes == 2 * to_bytes) {
        return wg_view_as_real(ctx, base, out);
    }
    if (is_to_complex && wg_dtype_family(from) == WG_FAMILY_FLOAT && to_bytes == 2 * from_bytes) {
        return wg_view_as_complex(ctx, base, out);
    }
    *is_bitwise = 1;
    return flat_view(ctx, base, dtype, out);
}

/* `patch` for a view that must not require grad, made with grad mode on: it is then a leaf unless its base requires
 * grad. Testing the view takes one call less than testing the base. */
static int32_t patch_tracked(WgContext *ctx, WgTensor **view)
{
    const WgAotiTable *table = ctx->table;
    int32_t status = WG_AOTI_OK;
    int is_leaf = 0;
    if (table->requires_grad != NULL) {
        is_leaf = !table->requires_grad(table->user, wg_aoti_handle(*view));
    } else {
        WgAotiCall call = wg_aoti_begin(*view);
        status = wg_aoti_run_bool(&call, "aten::is_leaf", &is_leaf);
    }
    if (status == WG_AOTI_OK && !is_leaf) {
        WgTensor *detached = NULL;
        status = wg_detach(ctx, *view, &detached);
        if (status == WG_AOTI_OK) {
            wg_release(ctx, *view);
            *view = detached;
        }
    }
    return status;
}

static int32_t alias_of(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad,
                        WgTensor **out)
{
    WgTensor *readable = NULL;
    int is_bitwise = 0;
    int32_t status = readable_as(ctx, base, dtype, &is_bitwise, &readable);
    if (status == WG_AOTI_OK) {
        status = wg_as_strided(ctx, readable, geometry, out);
    }
    if (status == WG_AOTI_OK && !is_bitwise) {
        status = !requires_grad && aoti_torch_grad_mode_is_enabled()
                     ? patch_tracked(ctx, out)
                     : wg_patch_requires_grad(ctx, base, out, requires_grad);
    }
    if (status != WG_AOTI_OK) {
        wg_release(ctx, *out);
        *out = NULL;
    }
    wg_release(ctx, readable);
    return status;
}

int32_t wg_alias_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad,
                    WgTensor **out)
{
    WgTensor *detached = NULL;
    *out = NULL;
    if (wg_aoti_is_subclass(base)) {
        return WG_AOTI_E_SUBCLASS;
    }
    if (requires_grad || aoti_torch_grad_mode_is_enabled()) {
        return alias_of(ctx, base, geometry, dtype, requires_grad, out);
    }
    /* Without grad mode nothing is tracked, so there is no need to know whether the base requires grad: a view of the
     * detached base shares its memory and version counter, and does not require grad. */
    int32_t status = wg_detach(ctx, base, &detached);
    int is_bitwise = 0;
    WgTensor *readable = NULL;
    if (status == WG_AOTI_OK) {
        status = readable_as(ctx, detached, dtype, &is_bitwise, &readable);
    }
    if (status == WG_AOTI_OK) {
        status = wg_as_strided(ctx, readable, geometry, out);
    }
    wg_release(ctx, readable);
    wg_release(ctx, detached);
    return status;
}

int32_t wg_alias_like(WgContext *ctx, WgTensor *base, const WgTensor *target, int requires_grad, WgTensor **out)
{
    WgGeometry geometry;
    *out = NULL;
    if (wg_aoti_is_subclass(target)) {
        return WG_AOTI_E_SUBCLASS;
    }
    const int32_t status = wg_aoti_geometry(target, &geometry);
    return status != WG_AOTI_OK ? status : wg_alias_as(ctx, base, &geometry, wg_dtype(ctx, target), requires_grad, out);
}
