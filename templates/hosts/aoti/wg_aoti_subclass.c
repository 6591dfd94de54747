/* SPDX-License-Identifier: 0BSD */
/*
 * wg_aoti_subclass.c - tensor subclasses of the aoti host: counted objects without memory of their own over attributes,
 * which are libtorch's tensors, or subclasses again. libtorch has subclasses only in Python, so these do not exist for
 * libtorch: a compiled function gets their attributes.
 *
 * An outer tensor counts its own versions and has its own requires_grad, like a wrapper subclass in Python. Copies walk
 * attributes without recursion, down to WG_AOTI_DEPTH levels; making and releasing have no limit.
 */
#include "wg_aoti_inside.h"

#include <stdlib.h>
#include <string.h>

/* ---- walks ---- */

/* Visits a tensor and, depth first, its attributes; absent attributes are left out. */
typedef struct Walk {
    const WgAotiSubclass *nodes[WG_AOTI_DEPTH];
    int32_t next_attr[WG_AOTI_DEPTH];
    int32_t depth;
    int is_too_deep;
} Walk;

static void walk_push(Walk *walk, const WgTensor *t)
{
    if (!wg_aoti_is_subclass(t)) {
        return;
    }
    if (walk->depth == WG_AOTI_DEPTH) {
        walk->is_too_deep = 1;
        return;
    }
    walk->nodes[walk->depth] = wg_aoti_subclass_of(t);
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
        if (walk->next_attr[top] == walk->nodes[top]->num_attrs) {
            walk->depth--;
            continue;
        }
        WgTensor *t = walk->nodes[top]->attrs[walk->next_attr[top]++];
        if (t != NULL) {
            walk_push(walk, t);
            return t;
        }
    }
    return NULL;
}

/* ---- copy_ ---- */

static int has_same_sizes(const WgAotiSubclass *a, const WgAotiSubclass *b)
{
    return a->rank == b->rank && memcmp(a->sizes, b->sizes, (size_t)a->rank * sizeof *a->sizes) == 0;
}

static int are_alike(const WgTensor *a, const WgTensor *b)
{
    if (b == NULL || !wg_aoti_is_subclass(a) || !wg_aoti_is_subclass(b)) {
        return b != NULL && wg_aoti_is_subclass(a) == wg_aoti_is_subclass(b);
    }
    const WgAotiSubclass *of_a = wg_aoti_subclass_of(a);
    const WgAotiSubclass *of_b = wg_aoti_subclass_of(b);
    return of_a->type == of_b->type && of_a->type_context == of_b->type_context && has_same_sizes(of_a, of_b);
}

/* Two subclasses of one type, context and size at every level: copies every pair of attributes, raises every version.
 */
int32_t wg_aoti_copy_subclass(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    Walk to;
    Walk from;
    int32_t status = WG_AOTI_OK;
    const WgTensor *in_src = src;
    walk_begin(&to, dst);
    walk_begin(&from, src);
    for (WgTensor *in_dst = dst; in_dst != NULL && status == WG_AOTI_OK; in_dst = walk_next(&to)) {
        status = are_alike(in_dst, in_src) && !to.is_too_deep ? WG_AOTI_OK : WG_AOTI_E_SUBCLASS;
        in_src = status == WG_AOTI_OK ? walk_next(&from) : NULL;
    }
    if (status == WG_AOTI_OK && in_src != NULL) {
        status = WG_AOTI_E_SUBCLASS;
    }
    walk_begin(&to, dst);
    walk_begin(&from, src);
    in_src = src;
    for (WgTensor *in_dst = dst; in_dst != NULL && status == WG_AOTI_OK; in_dst = walk_next(&to)) {
        status = wg_aoti_is_subclass(in_dst) ? wg_bump_version(ctx, in_dst) : wg_copy_leaf_(ctx, in_dst, in_src);
        in_src = walk_next(&from);
    }
    return status;
}

/* ---- attributes ---- */

int32_t wg_attr(WgContext *ctx, const WgTensor *t, int32_t index, WgTensor **attr)
{
    (void)ctx;
    const int is_there = wg_aoti_is_subclass(t) && index >= 0 && index < wg_aoti_subclass_of(t)->num_attrs;
    *attr = is_there ? wg_aoti_subclass_of(t)->attrs[index] : NULL;
    return is_there ? WG_AOTI_OK : WG_AOTI_E_ATTRIBUTES;
}

static int32_t check_attrs(const WgType *type, WgTensor *const *attrs, size_t num_attrs, const WgGeometry *outer)
{
    if (type == NULL || attrs == NULL || (outer != NULL && outer->rank < 0)) {
        return WG_AOTI_E_ARGUMENT;
    }
    if (outer != NULL && outer->rank > 0 && (outer->sizes == NULL || outer->strides == NULL)) {
        return WG_AOTI_E_ARGUMENT;
    }
    if (num_attrs == 0 || num_attrs > INT32_MAX || (int32_t)num_attrs != type->num_attributes) {
        return WG_AOTI_E_ATTRIBUTES;
    }
    return attrs[0] == NULL ? WG_AOTI_E_ARGUMENT : WG_AOTI_OK;
}

/* Allocates one block: the object, its attributes, its sizes and strides. Takes nothing yet. */
static WgAotiSubclass *new_object(size_t num_attrs, int32_t rank)
{
    const size_t geometry_at = sizeof(WgAotiSubclass) + num_attrs * sizeof(WgTensor *);
    _Static_assert(sizeof(WgAotiSubclass) % sizeof(int64_t) == 0 && sizeof(WgTensor *) % sizeof(int64_t) == 0,
                   "sizes and strides after it are aligned");
    unsigned char *block = calloc(1, geometry_at + 2 * (size_t)rank * sizeof(int64_t));
    if (block == NULL) {
        return NULL;
    }
    WgAotiSubclass *made = (void *)block;
    made->references = 1;
    made->attrs = (void *)(block + sizeof(WgAotiSubclass));
    made->sizes = (void *)(block + geometry_at);
    made->strides = made->sizes + rank;
    made->rank = rank;
    made->num_attrs = (int32_t)num_attrs;
    return made;
}

/* An outer geometry that is not given comes from attribute 0. */
static int32_t geometry_of(const WgTensor *t, WgGeometry *geometry)
{
    if (!wg_aoti_is_subclass(t)) {
        return wg_aoti_geometry(t, geometry);
    }
    const WgAotiSubclass *object = wg_aoti_subclass_of(t);
    *geometry = (WgGeometry){object->sizes, object->strides, 0, object->rank};
    return WG_AOTI_OK;
}

static int32_t make(WgContext *ctx, const WgType *type, const void *type_context, WgTensor *const *attrs,
                    size_t num_attrs, const WgGeometry *outer, WgTensor **out)
{
    WgGeometry geometry;
    int32_t status = check_attrs(type, attrs, num_attrs, outer);
    if (status == WG_AOTI_OK && outer == NULL) {
        status = geometry_of(attrs[0], &geometry);
    } else if (status == WG_AOTI_OK) {
        geometry = *outer;
    }
    if (status != WG_AOTI_OK) {
        return status;
    }
    WgAotiSubclass *made = new_object(num_attrs, geometry.rank);
    if (made == NULL) {
        return WG_AOTI_E_MEMORY;
    }
    for (int32_t i = 0; i < geometry.rank; i++) {
        made->sizes[i] = geometry.sizes[i];
        made->strides[i] = geometry.strides[i];
    }
    memcpy(made->attrs, attrs, num_attrs * sizeof *attrs);
    made->type = type;
    made->type_context = type_context;
    made->dtype = wg_dtype(ctx, attrs[0]);
    made->device = wg_device(ctx, attrs[0]);
    *out = (WgTensor *)((uintptr_t)made | 1);
    return WG_AOTI_OK;
}

int32_t wg_aoti_subclass(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs,
                         size_t num_attrs, const WgGeometry *outer, WgTensor **out)
{
    *out = NULL;
    const int32_t status = make(ctx, type, type_context, attrs, num_attrs, outer, out);
    for (size_t i = 0; status != WG_AOTI_OK && attrs != NULL && i < num_attrs; i++) {
        wg_release(ctx, attrs[i]);
    }
    return status;
}

int32_t wg_rebuild(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs, size_t num_attrs,
                   const WgGeometry *outer, WgTensor **out)
{
    *out = NULL;
    if (type->unflatten != NULL) {
        return type->unflatten(ctx, type, type_context, attrs, num_attrs, outer, out);
    }
    return wg_aoti_subclass(ctx, type, type_context, attrs, num_attrs, outer, out);
}

/* ---- lifetime ---- */

/* Subclasses may be nested as deep as memory allows, so dying ones go on a list instead of the stack. */
void wg_aoti_subclass_release(WgTensor *t)
{
    WgAotiSubclass *dead = wg_aoti_subclass_of(t);
    if (__atomic_fetch_sub(&dead->references, 1, __ATOMIC_ACQ_REL) != 1) {
        return;
    }
    dead->next = NULL;
    while (dead != NULL) {
        WgAotiSubclass *one = dead;
        dead = one->next;
        for (int32_t i = 0; i < one->num_attrs; i++) {
            WgTensor *attr = one->attrs[i];
            if (!wg_aoti_is_subclass(attr)) {
                wg_release(NULL, attr);
            } else if (__atomic_fetch_sub(&wg_aoti_subclass_of(attr)->references, 1, __ATOMIC_ACQ_REL) == 1) {
                wg_aoti_subclass_of(attr)->next = dead;
                dead = wg_aoti_subclass_of(attr);
            }
        }
        free(one);
    }
}

/* A new outer tensor over detached attributes. Attributes that are subclasses are detached one level down; deeper ones
 * are refused, since no graph needs them. */
int32_t wg_aoti_detach_subclass(WgContext *ctx, const WgTensor *t, WgTensor **out)
{
    const WgAotiSubclass *object = wg_aoti_subclass_of(t);
    const WgGeometry outer = {object->sizes, object->strides, 0, object->rank};
    WgTensor **attrs = calloc((size_t)object->num_attrs, sizeof(WgTensor *));
    int32_t status = attrs == NULL ? WG_AOTI_E_MEMORY : WG_AOTI_OK;
    *out = NULL;
    for (int32_t i = 0; status == WG_AOTI_OK && i < object->num_attrs; i++) {
        if (object->attrs[i] != NULL) {
            status = wg_aoti_is_subclass(object->attrs[i]) ? WG_AOTI_E_SUBCLASS
                                                           : wg_detach(ctx, object->attrs[i], &attrs[i]);
        }
    }
    if (status == WG_AOTI_OK) {
        status =
            wg_aoti_subclass(ctx, object->type, object->type_context, attrs, (size_t)object->num_attrs, &outer, out);
    } else {
        for (int32_t i = 0; attrs != NULL && i < object->num_attrs; i++) {
            wg_release(ctx, attrs[i]);
        }
    }
    free(attrs);
    return status;
}

int32_t wg_coerce_tangent(WgContext *ctx, WgTensor *t, const WgType *type, const void *type_context, WgTensor **out)
{
    const WgType *own = wg_aoti_is_subclass(t) ? wg_aoti_subclass_of(t)->type : NULL;
    *out = NULL;
    return own == NULL || own->coerce == NULL ? (int32_t)WG_AOTI_OK : own->coerce(ctx, t, type, type_context, out);
}
