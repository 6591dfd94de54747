/* SPDX-License-Identifier: MIT */
/*
 * wg_mock_new.c - the verbs of the mock host that make tensors and count references.
 */
#include "mock.h"

#include <string.h>

/* ---- new tensors ---- */

/* One more object over base's storage, with that geometry; null geometry: the operation does not apply. */
static int32_t make_view(WgContext *ctx, MockVerb verb, const WgTensor *base, const ViewGeometry *geometry,
                         int requires_grad, bool is_view, WgTensor **out)
{
    int32_t status = mock_attempt(ctx);
    *out = NULL;
    if (status == 0 && geometry == NULL) {
        status = MOCK_REFUSED_GEOMETRY;
    }
    if (status == 0 && !mock_fits(geometry, base->object->storage)) {
        status = MOCK_REFUSED_BOUNDS;
    }
    if (status == 0) {
        *out = mock_alias(ctx, base, geometry);
        (*out)->object->requires_grad = requires_grad != 0;
        (*out)->object->is_view = is_view;
    }
    mock_event(ctx, verb, *out, base)->status = status;
    if (*out != NULL) {
        mock_note_tensor(ctx, *out);
    }
    return status;
}

/* `patch` of gen_alias_from_base detaches where the base requires grad and the result must not. */
static bool stays_view(const WgTensor *base, int requires_grad)
{
    return !(base->object->requires_grad && !requires_grad);
}

int32_t wg_alias_like(WgContext *ctx, WgTensor *base, const WgTensor *target, int requires_grad, WgTensor **out)
{
    *out = NULL;
    if (!mock_alive(ctx, base, "alias_like") || !mock_alive(ctx, target, "alias_like")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    return make_view(ctx, MOCK_alias_like, base, &target->object->geometry, requires_grad,
                     stays_view(base, requires_grad), out);
}

static bool literal_geometry(const WgGeometry *given, int32_t dtype, ViewGeometry *geometry)
{
    memset(geometry, 0, sizeof *geometry);
    if (given->rank < 0 || given->rank > VIEW_RANK || given->offset < 0) {
        return false;
    }
    geometry->rank = given->rank;
    geometry->offset = given->offset;
    geometry->dtype = dtype;
    for (int32_t i = 0; i < given->rank; i++) {
        geometry->sizes[i] = given->sizes[i];
        geometry->strides[i] = given->strides[i];
        if (given->sizes[i] < 0 || given->strides[i] < 0) {
            return false;
        }
    }
    return true;
}

int32_t wg_alias_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad,
                    WgTensor **out)
{
    ViewGeometry wanted;
    *out = NULL;
    if (!mock_alive(ctx, base, "alias_as")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    const bool valid = literal_geometry(geometry, dtype, &wanted);
    return make_view(ctx, MOCK_alias_as, base, valid ? &wanted : NULL, requires_grad, stays_view(base, requires_grad),
                     out);
}

int32_t wg_as_strided(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, WgTensor **out)
{
    ViewGeometry wanted;
    *out = NULL;
    if (!mock_alive(ctx, base, "as_strided")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    const MockObject *object = base->object;
    const bool valid = literal_geometry(geometry, object->geometry.dtype, &wanted);
    if (valid && view_same_geometry(&wanted, &object->geometry)) {
        *out = mock_unnumbered_alias(ctx, base);
        (*out)->object->requires_grad = object->requires_grad && ctx->modes.grad;
        return 0;
    }
    return make_view(ctx, MOCK_as_strided, base, valid ? &wanted : NULL, object->requires_grad && ctx->modes.grad, true,
                     out);
}

/* One of the operations that views.c knows, as a verb. */
static int32_t apply_step(WgContext *ctx, MockVerb verb, SpecViewOp op, WgTensor *base, int32_t dtype, WgTensor **out)
{
    ViewCall call = view_call(op);
    *out = NULL;
    if (!mock_alive(ctx, base, mock_verb_names[verb])) {
        return MOCK_REFUSED_GEOMETRY;
    }
    const MockObject *object = base->object;
    ViewGeometry geometry = object->geometry;
    call.dtype = dtype;
    const bool valid = view_apply(&call, &geometry) == NULL;
    return make_view(ctx, verb, base, valid ? &geometry : NULL, object->requires_grad && ctx->modes.grad, true, out);
}

int32_t wg_view_dtype(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out)
{
    return apply_step(ctx, MOCK_view_dtype, SPEC_VIEW_VIEW_DTYPE, base, dtype, out);
}

int32_t wg_view_as_real(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return apply_step(ctx, MOCK_view_as_real, SPEC_VIEW_VIEW_AS_REAL, base, -1, out);
}

int32_t wg_view_as_complex(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return apply_step(ctx, MOCK_view_as_complex, SPEC_VIEW_VIEW_AS_COMPLEX, base, -1, out);
}

int32_t wg_conj(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    const int32_t status = apply_step(ctx, MOCK_conj, SPEC_VIEW__CONJ, base, -1, out);
    if (status == 0) {
        (*out)->object->lazy ^= WG_LAZY_CONJ;
    }
    return status;
}

int32_t wg_neg_view(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    const int32_t status = apply_step(ctx, MOCK_neg_view, SPEC_VIEW__NEG_VIEW, base, -1, out);
    if (status == 0) {
        (*out)->object->lazy ^= WG_LAZY_NEG;
    }
    return status;
}

int32_t wg_detach(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    *out = NULL;
    if (!mock_alive(ctx, t, "detach")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    return make_view(ctx, MOCK_detach, t, &t->object->geometry, 0, false, out);
}

int32_t wg_unsafe_view(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    *out = NULL;
    if (!mock_alive(ctx, t, "unsafe_view")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    return make_view(ctx, MOCK_unsafe_view, t, &t->object->geometry, t->object->requires_grad, false, out);
}

/* Detaching gives another object, and the old one back; requires_grad_() works on the one there is. */
int32_t wg_patch_requires_grad(WgContext *ctx, const WgTensor *base, WgTensor **view, int requires_grad)
{
    const int32_t status = mock_attempt(ctx);
    if (!mock_alive(ctx, base, "patch_requires_grad") || !mock_alive(ctx, *view, "patch_requires_grad")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    if (status == 0 && !stays_view(base, requires_grad)) {
        WgTensor *detached = mock_alias(ctx, *view, &(*view)->object->geometry);
        detached->object->requires_grad = false;
        detached->object->is_view = false;
        mock_drop(ctx, *view);
        *view = detached;
    } else if (status == 0 && !base->object->requires_grad && requires_grad) {
        (*view)->object->requires_grad = true;
    }
    mock_event(ctx, MOCK_patch_requires_grad, *view, base)->status = status;
    mock_note_tensor(ctx, *view);
    return status;
}

int32_t wg_mark_part(WgContext *ctx, WgTensor *view)
{
    const int32_t status = mock_attempt(ctx);
    if (!mock_alive(ctx, view, "mark_part")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    mock_event(ctx, MOCK_mark_part, view, NULL)->status = status;
    return status;
}

int32_t wg_set_requires_grad(WgContext *ctx, WgTensor *t, int requires_grad)
{
    const int32_t status = mock_attempt(ctx);
    if (!mock_alive(ctx, t, "set_requires_grad")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    if (status == 0) {
        t->object->requires_grad = requires_grad != 0;
    }
    mock_event(ctx, MOCK_set_requires_grad, t, NULL)->status = status;
    mock_number(ctx, requires_grad != 0);
    return status;
}

static int32_t make_tensor(WgContext *ctx, MockVerb verb, const ViewGeometry *geometry, int32_t device, WgTensor **out)
{
    const int32_t status = mock_attempt(ctx);
    *out = status == 0 ? mock_tensor(ctx, geometry, device, mock_bytes_needed(geometry)) : NULL;
    mock_event(ctx, verb, *out, NULL)->status = status;
    return status;
}

int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out)
{
    ViewGeometry wanted;
    if (!literal_geometry(geometry, dtype, &wanted)) {
        *out = NULL;
        return MOCK_REFUSED_GEOMETRY;
    }
    return make_tensor(ctx, MOCK_empty_strided, &wanted, device, out);
}

int32_t wg_zeros(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out)
{
    ViewGeometry wanted;
    const WgGeometry given = {sizes, sizes, 0, rank};
    *out = NULL;
    if (!literal_geometry(&given, dtype, &wanted)) {
        return MOCK_REFUSED_GEOMETRY;
    }
    view_make_contiguous(&wanted);
    const int32_t status = make_tensor(ctx, MOCK_zeros, &wanted, device, out);
    mock_number(ctx, device);
    if (*out != NULL) {
        mock_note_tensor(ctx, *out);
    }
    return status;
}

/* A new one, with the attributes that t has if it is a subclass. */
static WgTensor *with_geometry(WgContext *ctx, const WgTensor *t, const ViewGeometry *geometry)
{
    const MockObject *of = t->object;
    WgTensor **attrs = ARENA_ARRAY(&ctx->arena, WgTensor *, (size_t)of->num_attrs + 1);
    if (of->plain) {
        return mock_tensor(ctx, geometry, of->device, mock_bytes_needed(geometry));
    }
    for (uint32_t i = 0; i < of->num_attrs; i++) {
        const bool counted = of->attrs[i] != NULL && !of->attrs[i]->object->opaque;
        attrs[i] = counted ? mock_again(ctx, of->attrs[i]) : of->attrs[i];
    }
    WgTensor *made = mock_subclass(ctx, geometry, of->type, of->context, attrs, of->num_attrs);
    made->object->device = of->device;
    return made;
}

/* The tensor itself when it has that geometry already, else one of its own storage; null: refused. */
static int32_t bring_into(WgContext *ctx, MockVerb verb, WgTensor *t, const ViewGeometry *geometry, WgTensor **out)
{
    int32_t status = mock_attempt(ctx);
    const ViewGeometry *now = &t->object->geometry;
    const bool same = geometry != NULL && view_same_shape(now, geometry) &&
                      memcmp(now->strides, geometry->strides, (size_t)now->rank * sizeof now->strides[0]) == 0;
    *out = NULL;
    if (status == 0 && (geometry == NULL || !mock_broadcasts(now, geometry))) {
        status = MOCK_REFUSED_GEOMETRY;
    }
    if (status == 0 && same) {
        *out = mock_again(ctx, t);
    } else if (status == 0) {
        ViewGeometry own = *geometry;
        own.offset = 0;
        *out = with_geometry(ctx, t, &own);
        (*out)->object->requires_grad = t->object->requires_grad;
    }
    mock_event(ctx, verb, *out, t)->status = status;
    if (*out != NULL) {
        mock_note_tensor(ctx, *out);
    }
    return status;
}

int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out)
{
    *out = NULL;
    if (!mock_alive(ctx, t, "contiguous")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    ViewGeometry geometry = t->object->geometry;
    const bool possible =
        memory_format == WG_CONTIGUOUS || geometry.rank == (memory_format == WG_CHANNELS_LAST ? 4 : 5);
    if (memory_format == WG_CONTIGUOUS) {
        view_make_contiguous(&geometry);
    } else if (possible) { /* sizes N C D H W in the order N D H W C */
        int64_t stride = geometry.sizes[1];
        geometry.strides[1] = 1;
        for (int32_t d = geometry.rank - 1; d > 1; d--) {
            geometry.strides[d] = stride;
            stride *= geometry.sizes[d];
        }
        geometry.strides[0] = stride;
    }
    return bring_into(ctx, MOCK_contiguous, t, possible ? &geometry : NULL, out);
}

int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out)
{
    ViewGeometry wanted;
    *out = NULL;
    if (!mock_alive(ctx, t, "coerce_strides") || !literal_geometry(geometry, t->object->geometry.dtype, &wanted)) {
        return MOCK_REFUSED_GEOMETRY;
    }
    return bring_into(ctx, MOCK_coerce_strides, t, &wanted, out);
}

/* ---- lifetime ---- */

int32_t wg_retain(WgContext *ctx, WgTensor *t, WgTensor **owned)
{
    ctx->num_retains++;
    *owned = NULL;
    if (!mock_alive(ctx, t, "retain")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    const int32_t status = ctx->num_retains == ctx->fail_retain_at ? MOCK_INJECTED_RETAIN : 0;
    if (status == 0) {
        *owned = mock_again(ctx, t);
    }
    mock_event(ctx, MOCK_retain, t, NULL)->status = status;
    return status;
}

void wg_release(WgContext *ctx, WgTensor *t)
{
    if (t != NULL) {
        mock_event(ctx, MOCK_release, t, NULL);
    }
    mock_drop(ctx, t);
}

void wg_release_run(WgContext *ctx, WgValue *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        wg_release(ctx, values[i].tensor);
        values[i].tensor = NULL;
    }
}

WgValue *wg_scratch_take(WgContext *ctx, size_t n)
{
    if (n > ctx->scratch_size - ctx->scratch_used) {
        return NULL;
    }
    ctx->scratch_used += n;
    return ctx->scratch + ctx->scratch_used - n;
}

void wg_scratch_give(WgContext *ctx, size_t n)
{
    if (n > ctx->scratch_used) {
        mock_violation(ctx, "more scratch given back than was taken");
        return;
    }
    ctx->scratch_used -= n;
}
