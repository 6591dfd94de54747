/* SPDX-License-Identifier: 0BSD */
/*
 * wg_native_subclass.c - tensor subclasses of the native host: an outer tensor without memory over attributes, which
 * are tensors themselves, possibly subclasses. Copies walk them without recursion, down to WG_NATIVE_DEPTH levels;
 * making and releasing them has no limit.
 */
#include "wg_native_inside.h"

#include <string.h>

/* ---- subclasses: walks without recursion ---- */

/* Visits a tensor and, depth first, its attributes. */
typedef struct Walk {
    const WgTensor *nodes[WG_NATIVE_DEPTH];
    int32_t next_attr[WG_NATIVE_DEPTH];
    int32_t depth;
    int is_too_deep;
} Walk;

static void walk_push(Walk *walk, const WgTensor *t)
{
    if (t->subclass == NULL) {
        return;
    }
    if (walk->depth == WG_NATIVE_DEPTH) {
        walk->is_too_deep = 1;
        return;
    }
    walk->nodes[walk->depth] = t;
    walk->next_attr[walk->depth] = 0;
    walk->depth++;
}

static void walk_begin(Walk *walk, const WgTensor *t)
{
    walk->depth = 0;
    walk->is_too_deep = 0;
    walk_push(walk, t);
}

/* The next tensor below the one that the walk began with; null after the last. */
static WgTensor *walk_next(Walk *walk)
{
    while (walk->depth > 0) {
        const int32_t top = walk->depth - 1;
        const WgNativeSubclass *subclass = walk->nodes[top]->subclass;
        int32_t next = walk->next_attr[top];
        while (next < subclass->num_attrs && subclass->attrs[next] == NULL) {
            next++; /* an optional one that is absent */
        }
        walk->next_attr[top] = next + 1;
        if (next < subclass->num_attrs) {
            walk_push(walk, subclass->attrs[next]);
            return subclass->attrs[next];
        }
        walk->depth--;
    }
    return NULL;
}

/* ---- copy_ ---- */

/* Do both have the same of their optional attributes? */
static int has_same_attrs(const WgTensor *a, const WgTensor *b)
{
    if (a->subclass->num_attrs != b->subclass->num_attrs) {
        return 0;
    }
    for (int32_t i = 0; i < a->subclass->num_attrs; i++) {
        if ((a->subclass->attrs[i] == NULL) != (b->subclass->attrs[i] == NULL)) {
            return 0;
        }
    }
    return 1;
}

/* Two subclasses of one type and context at every level: copies every pair of attributes, raises every version. */
int32_t wg_native_copy_subclass(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    Walk to;
    Walk from;
    int32_t status = WG_NATIVE_OK;
    const WgTensor *in_src = src;
    walk_begin(&to, dst);
    walk_begin(&from, src);
    for (WgTensor *in_dst = dst; in_dst != NULL && status == WG_NATIVE_OK; in_dst = walk_next(&to)) {
        const int is_alike = in_dst->type == in_src->type && (in_dst->subclass == NULL) == (in_src->subclass == NULL) &&
                             wg_native_type_context(in_dst) == wg_native_type_context(in_src) &&
                             (in_dst->subclass == NULL || has_same_attrs(in_dst, in_src));
        status = !is_alike || to.is_too_deep ? WG_NATIVE_E_SUBCLASS
                 : in_dst->subclass != NULL
                     ? (wg_native_has_same_sizes(in_dst, in_src) ? WG_NATIVE_OK : WG_NATIVE_E_SHAPE)
                     : wg_native_check_copy(in_dst, in_src);
        in_src = status == WG_NATIVE_OK ? walk_next(&from) : NULL;
    }
    walk_begin(&to, dst);
    walk_begin(&from, src);
    in_src = src;
    for (WgTensor *in_dst = dst; in_dst != NULL && status == WG_NATIVE_OK; in_dst = walk_next(&to)) {
        status = in_dst->subclass == NULL ? wg_native_copy_checked(ctx, in_dst, in_src) : WG_NATIVE_OK;
        if (status == WG_NATIVE_OK) {
            wg_bump_version(ctx, in_dst);
        }
        in_src = walk_next(&from);
    }
    return status;
}

/* ---- attributes ---- */

static int32_t check_attrs(const WgType *type, WgTensor *const *attrs, size_t num_attrs, const WgGeometry *outer)
{
    if (type == NULL || (num_attrs > 0 && attrs == NULL) || (outer != NULL && outer->rank < 0)) {
        return WG_NATIVE_E_ARGUMENT;
    }
    if (num_attrs == 0 || num_attrs > INT32_MAX || (int32_t)num_attrs != type->num_attributes) {
        return WG_NATIVE_E_ATTRIBUTES;
    }
    for (size_t i = 0; i < num_attrs; i++) {
        const int may_be_absent = i > 0 && type->unflatten != NULL;
        if (attrs[i] == NULL && !may_be_absent) {
            return WG_NATIVE_E_ARGUMENT;
        }
    }
    return WG_NATIVE_OK;
}

/* Does not take the attributes yet. */
static int32_t outer_tensor(WgContext *ctx, WgTensor *first, const WgGeometry *outer, WgTensor **out)
{
    WgExtent extent;
    int64_t reach_bytes = 0;
    const WgGeometry inner = {first->sizes, first->strides, 0, first->rank};
    const WgGeometry *geometry = outer == NULL ? &inner : outer;
    int32_t status = wg_native_measure(geometry->rank, geometry->sizes, geometry->strides, &extent);
    if (status == WG_NATIVE_OK && geometry->offset < 0) {
        status = WG_NATIVE_E_OFFSET;
    }
    if (status == WG_NATIVE_OK && wg_ckd_mul(&reach_bytes, extent.reach, first->element_bytes)) {
        status = WG_NATIVE_E_OVERFLOW; /* other tensors may be given this geometry, and rely on the product */
    }
    if (status != WG_NATIVE_OK) {
        return status;
    }
    WgTensor *t = wg_native_take(ctx, geometry->rank);
    if (t == NULL) {
        return WG_NATIVE_E_MEMORY;
    }
    for (int32_t i = 0; i < geometry->rank; i++) {
        t->sizes[i] = geometry->sizes[i];
        t->strides[i] = geometry->strides[i];
    }
    t->offset = geometry->offset;
    t->dtype = first->dtype;
    t->element_bytes = first->element_bytes;
    t->device = first->device;
    t->data = NULL;
    t->num_elements = extent.num_elements;
    t->reach_bytes = reach_bytes;
    t->is_compact = extent.is_compact;
    *out = t;
    return WG_NATIVE_OK;
}

int32_t wg_native_subclass(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs,
                           size_t num_attrs, const WgGeometry *outer, WgTensor **out)
{
    WgTensor *t = NULL;
    WgNativeSubclass *subclass = NULL;
    *out = NULL;
    const size_t block_bytes = sizeof *subclass + num_attrs * sizeof(WgTensor *);
    int32_t status = check_attrs(type, attrs, num_attrs, outer);
    if (status == WG_NATIVE_OK) {
        subclass = wg_native_allocate(ctx->allocator, block_bytes);
        status = subclass == NULL ? WG_NATIVE_E_MEMORY : outer_tensor(ctx, attrs[0], outer, &t);
    }
    if (status != WG_NATIVE_OK) {
        if (subclass != NULL) {
            ctx->allocator->release(ctx->allocator->user, subclass, block_bytes);
        }
        for (size_t i = 0; attrs != NULL && i < num_attrs; i++) {
            wg_release(ctx, attrs[i]);
        }
        return status;
    }
    memset(subclass, 0, sizeof *subclass);
    subclass->storage.allocator = ctx->allocator;
    subclass->type_context = type_context;
    subclass->block_bytes = block_bytes;
    subclass->num_attrs = (int32_t)num_attrs;
    subclass->attrs = (WgTensor **)(void *)(subclass + 1);
    memcpy(subclass->attrs, attrs, num_attrs * sizeof attrs[0]);
    t->type = type;
    t->subclass = subclass;
    t->storage = &subclass->storage;
    *out = t;
    return WG_NATIVE_OK;
}

int32_t wg_rebuild(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs, size_t num_attrs,
                   const WgGeometry *outer, WgTensor **out)
{
    *out = NULL;
    if (type != NULL && type->unflatten != NULL) {
        return type->unflatten(ctx, type, type_context, attrs, num_attrs, outer, out);
    }
    return wg_native_subclass(ctx, type, type_context, attrs, num_attrs, outer, out);
}

int32_t wg_native_contiguous_each(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out)
{
    const size_t num_attrs = (size_t)t->subclass->num_attrs;
    const size_t num_bytes = num_attrs * sizeof(WgTensor *) + (size_t)t->rank * sizeof(int64_t);
    int32_t status = WG_NATIVE_OK;
    size_t n = 0;
    *out = NULL;
    int64_t *strides = wg_native_allocate(ctx->allocator, num_bytes); /* what needs most alignment comes first */
    if (strides == NULL) {
        return WG_NATIVE_E_MEMORY;
    }
    WgTensor **attrs = (WgTensor **)(void *)(strides + t->rank);
    const WgGeometry geometry = {t->sizes, strides, 0, t->rank};
    for (; status == WG_NATIVE_OK && n < num_attrs; n++) {
        WgTensor *attr = t->subclass->attrs[n];
        attrs[n] = NULL;
        status = attr == NULL ? (int32_t)WG_NATIVE_OK : wg_contiguous(ctx, attr, memory_format, &attrs[n]);
    }
    if (status == WG_NATIVE_OK) {
        wg_format_strides(memory_format, t->rank, t->sizes, strides);
        status = wg_native_subclass(ctx, t->type, t->subclass->type_context, attrs, num_attrs, &geometry, out);
    } else {
        while (n > 0) {
            wg_release(ctx, attrs[--n]);
        }
    }
    ctx->allocator->release(ctx->allocator->user, strides, num_bytes);
    return status;
}

int32_t wg_coerce_tangent(WgContext *ctx, WgTensor *t, const WgType *type, const void *type_context, WgTensor **out)
{
    *out = NULL;
    return t->type == NULL || t->type->coerce == NULL ? (int32_t)WG_NATIVE_OK
                                                      : t->type->coerce(ctx, t, type, type_context, out);
}
