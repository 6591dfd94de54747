/* SPDX-License-Identifier: MIT */
/*
 * wg_mock_subclass.c - the verbs of the mock host for what consists of tensors, and for what tensors are views of.
 */
#include "mock.h"

#include <string.h>

/* ---- synthetic bases ---- */

int32_t wg_storage_base(WgContext *ctx, WgTensor *src, WgTensor **out)
{
    ViewGeometry flat;
    *out = NULL;
    const int32_t status = mock_attempt(ctx);
    if (!mock_alive(ctx, src, "storage_base")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    memset(&flat, 0, sizeof flat);
    flat.dtype = src->object->geometry.dtype;
    flat.rank = 1;
    flat.sizes[0] = src->object->storage->bytes / view_itemsize(flat.dtype);
    flat.strides[0] = 1;
    if (status == 0) {
        *out = mock_tensor(ctx, &flat, src->object->device, 0);
        (*out)->object->storage = src->object->storage;
    }
    mock_event(ctx, MOCK_storage_base, *out, src)->status = status;
    if (*out != NULL) {
        mock_note_tensor(ctx, *out);
    }
    return status;
}

int32_t wg_view_base(WgContext *ctx, WgTensor *src, WgTensor **out)
{
    *out = NULL;
    int32_t status = mock_attempt(ctx);
    if (!mock_alive(ctx, src, "view_base")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    MockObject *base = src->object->is_view ? src->object->base : NULL;
    status = status == 0 && base == NULL ? MOCK_REFUSED_GEOMETRY : status;
    *out = status == 0 ? mock_handle(ctx, base) : NULL;
    mock_event(ctx, MOCK_view_base, *out, src)->status = status;
    return status;
}

/* ---- subclasses ---- */

int32_t wg_attr(WgContext *ctx, const WgTensor *t, int32_t index, WgTensor **attr)
{
    ctx->num_retains++;
    *attr = NULL;
    if (!mock_alive(ctx, t, "attr")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    const bool there = index >= 0 && (uint32_t)index < t->object->num_attrs;
    if (!there) {
        mock_violation(ctx, "attr %d of t%u, which has %u", (int)index, (unsigned)t->object->id,
                       (unsigned)t->object->num_attrs);
        return MOCK_REFUSED_BOUNDS;
    }
    const int32_t status = ctx->num_retains == ctx->fail_retain_at ? MOCK_INJECTED_RETAIN : 0;
    *attr = status == 0 ? t->object->attrs[index] : NULL;
    mock_event(ctx, MOCK_attr, t, NULL)->status = status;
    mock_number(ctx, index);
    return status;
}

static int64_t id_of(const WgTensor *t)
{
    return t != NULL ? t->object->id : 0;
}

/* Its attributes are gone in every case. */
static void drop_attrs(WgContext *ctx, WgTensor **attrs, size_t num_attrs)
{
    for (size_t i = 0; i < num_attrs; i++) {
        if (attrs[i] != NULL && !attrs[i]->object->opaque) {
            mock_drop(ctx, attrs[i]);
        }
    }
}

static int32_t type_index(const WgContext *ctx, const WgType *type)
{
    for (uint32_t i = 0; i < ctx->tables.num_types; i++) {
        if (ctx->tables.types[i] == type) {
            return (int32_t)i;
        }
    }
    return -1;
}

static int32_t context_index(const WgContext *ctx, const void *context)
{
    for (uint32_t i = 0; i < ctx->tables.num_contexts; i++) {
        if (*ctx->tables.contexts[i] == context) {
            return (int32_t)i;
        }
    }
    return -1;
}

int32_t wg_rebuild(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs, size_t num_attrs,
                   const WgGeometry *outer, WgTensor **out)
{
    ViewGeometry geometry;
    const int32_t status = mock_attempt(ctx);
    *out = NULL;
    memset(&geometry, 0, sizeof geometry);
    geometry.dtype = WG_FLOAT32;
    geometry.rank = outer->rank <= VIEW_RANK ? outer->rank : VIEW_RANK;
    for (int32_t i = 0; i < geometry.rank; i++) {
        geometry.sizes[i] = outer->sizes[i];
        geometry.strides[i] = outer->strides[i];
    }
    for (size_t i = 0; i < num_attrs; i++) {
        if (attrs[i] != NULL && !attrs[i]->object->opaque && !mock_alive(ctx, attrs[i], "rebuild")) {
            return MOCK_REFUSED_GEOMETRY;
        }
    }
    const int32_t number = type_index(ctx, type);
    const int32_t context = context_index(ctx, type_context);
    if (number < 0 || context < 0) {
        mock_violation(ctx, "rebuild of an unknown type or context");
    }
    mock_event(ctx, MOCK_rebuild, NULL, NULL)->status = status;
    mock_number(ctx, number);
    mock_number(ctx, context);
    for (size_t i = 0; i < num_attrs; i++) {
        mock_number(ctx, id_of(attrs[i]));
    }
    for (int32_t i = 0; i < geometry.rank; i++) {
        mock_number(ctx, geometry.sizes[i]);
    }
    for (int32_t i = 0; i < geometry.rank; i++) {
        mock_number(ctx, geometry.strides[i]);
    }
    if (status != 0) {
        drop_attrs(ctx, attrs, num_attrs);
        return status;
    }
    for (int32_t i = 0; i < geometry.rank; i++) { /* the wrapper does not know more of a nested dimension */
        geometry.sizes[i] = geometry.sizes[i] < 0 ? MOCK_RAGGED : geometry.sizes[i];
        geometry.strides[i] = geometry.strides[i] < 0 ? MOCK_RAGGED : geometry.strides[i];
    }
    *out = mock_subclass(ctx, &geometry, number, context, attrs, (uint32_t)num_attrs);
    ctx->events[ctx->num_events - 1].objects[0] = (*out)->object->id;
    return 0;
}

/* Every other one turns: into a plain tensor over its storage, or into that type over its own attributes. */
int32_t wg_coerce_tangent(WgContext *ctx, WgTensor *t, const WgType *type, const void *type_context, WgTensor **out)
{
    const int32_t status = mock_attempt(ctx);
    *out = NULL;
    if (!mock_alive(ctx, t, "coerce_tangent")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    MockObject *object = t->object;
    const bool turns = status == 0 && object->id % 2 == 0;
    if (turns && type == NULL) {
        *out = mock_alias(ctx, t, &object->geometry);
        (*out)->object->plain = true;
    } else if (turns && object->num_attrs > 0) {
        WgTensor **attrs = ARENA_ARRAY(&ctx->arena, WgTensor *, (size_t)object->num_attrs + 1);
        for (uint32_t i = 0; i < object->num_attrs; i++) {
            WgTensor *attr = object->attrs[i];
            attrs[i] = attr == NULL || attr->object->opaque ? attr : mock_again(ctx, attr);
        }
        *out = mock_subclass(ctx, &object->geometry, type_index(ctx, type), context_index(ctx, type_context), attrs,
                             object->num_attrs);
    }
    mock_event(ctx, MOCK_coerce_tangent, *out, t)->status = status;
    mock_number(ctx, type == NULL ? -1 : type_index(ctx, type));
    return status;
}

int32_t wg_wait(WgContext *ctx, WgTensor *t, WgTensor **waited)
{
    *waited = NULL;
    const int32_t status = mock_attempt(ctx);
    if (!mock_alive(ctx, t, "wait")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    if (status == 0) {
        *waited = t->object->waited != NULL ? t->object->waited : t;
    }
    mock_event(ctx, MOCK_wait, t, *waited)->status = status;
    return status;
}
