/* SPDX-License-Identifier: MIT */
/*
 * reference_flat - what a compiled function returned, flat, becomes what the original program returned
 * (AOTDispatchSubclassWrapper's wrap), depth first.
 */
#include <string.h>

#include "reference_private.h"

/* ---- how many ---- */

/* PyTorch's compiled functions may leave symbolic sizes out; it tells by the count. */
static bool may_lack_symints(const Reference *r)
{
    for (uint32_t i = 0; i < r->inside->num_flat; i++) {
        const LayoutFlat *flat = &r->inside->flat[i];
        if (flat->expr != NULL && !evaluate_is_bound(&r->symbols, flat->expr)) {
            return false;
        }
    }
    return r->inside->num_symints > 0;
}

static void fill_in(Reference *r)
{
    for (uint32_t i = r->inside->num_flat, from = (uint32_t)r->num_flat; i-- > 0;) {
        const LayoutFlat *flat = &r->inside->flat[i];
        if (!flat->symint) {
            r->flat[i] = r->flat[--from];
        } else {
            int64_t value = 0;
            r->flat[i].integer = flat->expr != NULL && evaluate(&r->symbols, flat->expr, &value) ? value : 0;
        }
    }
    r->num_flat = r->inside->num_flat;
}

bool reference_count(Reference *r)
{
    const uint32_t expected = r->inside->num_flat;
    if (r->num_flat == expected - r->inside->num_symints && may_lack_symints(r)) {
        fill_in(r);
    }
    if (r->num_flat != expected) {
        const size_t returned = r->num_flat;
        r->num_flat = returned < expected ? returned : expected;
        return reference_fails_with(r, WG_E_OUTPUTS, NULL, -1, expected, (int64_t)returned);
    }
    return true;
}

/* ---- put together ---- */

/* A subclass that is being built: what goes with it when something fails. */
typedef struct Building {
    WgTensor **attrs;
    uint32_t num_attrs;
} Building;

static void drop_building(Reference *r, const Building *building)
{
    for (uint32_t i = 0; i < building->num_attrs; i++) {
        if (building->attrs[i] != NULL && !building->attrs[i]->object->opaque) {
            mock_drop(r->ctx, building->attrs[i]);
        }
    }
}

/* One outer dimension: nested, literal, returned, or what its symbols give. */
static bool outer_dimension(Reference *r, const SpecSubclass *tree, const Expr *expr, uint32_t *next, int64_t *value)
{
    if (expr == NULL) {
        *value = -1;
        return true;
    }
    if (layout_is_symint(tree, expr)) {
        *value = r->flat[(*next)++].integer;
        return true;
    }
    return evaluate(&r->symbols, expr, value);
}

static bool outer_dimensions(Reference *r, const SpecSubclass *tree, const SpecInts *outer, uint32_t *next,
                             int64_t *values)
{
    for (uint32_t d = 0; d < outer->text_count; d++) {
        if (!outer_dimension(r, tree, outer->expr[d], next, &values[d])) {
            return false;
        }
    }
    return true;
}

static const ViewGeometry *geometry_of_attr(const SpecSubclass *tree, const Building *building, const char *attr)
{
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        if (strcmp(tree->inner[i].attr, attr) == 0) {
            return &building->attrs[tree->inner[i].attr_index]->object->geometry;
        }
    }
    return NULL;
}

/* What an attribute lends its geometry to has as many dimensions as it has. */
static bool check_lender(Reference *r, const SpecSubclass *tree, const Building *building, const char *attr,
                         const char *name)
{
    const SpecInts *stated = tree->outer_size.text != NULL ? &tree->outer_size : &tree->outer_stride;
    if (attr == NULL || stated->text == NULL) {
        return true;
    }
    const int32_t rank = geometry_of_attr(tree, building, attr)->rank;
    return rank == (int32_t)stated->text_count ||
           reference_fails_with(r, WG_E_RANK, name, -1, stated->text_count, rank);
}

static bool build(Reference *r, const SpecSubclass *tree, const char *name, uint32_t *next, WgTensor **out);

static bool build_attrs(Reference *r, const SpecSubclass *tree, const char *name, uint32_t *next, Building *building)
{
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        const SpecSubclass *inner = &tree->inner[i];
        const uint32_t k = inner->attr_index;
        if (inner->type != NULL) {
            const char *inner_name = arena_printf(&r->ctx->arena, "%s.%s", name, inner->attr);
            if (!build(r, inner, inner_name, next, &building->attrs[k])) {
                return false;
            }
            continue;
        }
        if (!inner->opaque && r->flat[*next].tensor == NULL) {
            return reference_fails(r, WG_E_RESULT, arena_printf(&r->ctx->arena, "%s.%s", name, inner->attr));
        }
        building->attrs[k] = r->flat[*next].tensor;
        r->flat[(*next)++].tensor = NULL;
        *next += inner->symbol_args.text_count; /* the tensor has these numbers itself */
    }
    return true;
}

static bool build(Reference *r, const SpecSubclass *tree, const char *name, uint32_t *next, WgTensor **out)
{
    int64_t sizes[VIEW_RANK] = {0};
    int64_t strides[VIEW_RANK] = {0};
    const uint32_t num_attrs = tree->declared->attrs_count;
    Building building = {ARENA_ARRAY(&r->ctx->arena, WgTensor *, (size_t)num_attrs + 1), num_attrs};
    if (!build_attrs(r, tree, name, next, &building) ||
        !check_lender(r, tree, &building, tree->outer_size_from, name) ||
        !check_lender(r, tree, &building, tree->outer_stride_from, name)) {
        drop_building(r, &building);
        return false;
    }
    if (!outer_dimensions(r, tree, &tree->outer_size, next, sizes) ||
        !outer_dimensions(r, tree, &tree->outer_stride, next, strides)) {
        drop_building(r, &building);
        return reference_fails(r, WG_E_OVERFLOW, name);
    }
    const uint32_t stated = tree->outer_size.text != NULL ? tree->outer_size.text_count : tree->outer_stride.text_count;
    WgGeometry outer = {sizes, strides, 0, (int32_t)stated};
    if (tree->outer_size_from != NULL) {
        const ViewGeometry *from = geometry_of_attr(tree, &building, tree->outer_size_from);
        outer.sizes = from->sizes;
        outer.rank = tree->outer_size.text_count == 0 ? from->rank : outer.rank;
    }
    if (tree->outer_stride_from != NULL) {
        outer.strides = geometry_of_attr(tree, &building, tree->outer_stride_from)->strides;
    }
    const int32_t type = (int32_t)(tree->declared - r->layout->spec->subclasses);
    const MockTables *tables = &r->ctx->tables;
    const int32_t status =
        wg_rebuild(r->ctx, tables->types[type], *tables->contexts[layout_context(r->layout, tree->context)],
                   building.attrs, num_attrs, &outer, out);
    return reference_did(r, status, name);
}

bool reference_wrap(Reference *r, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) { /* a value that is not a subclass needs no more */
        const LayoutResult *result = &r->inside->results[i];
        if (result->tree == NULL) {
            r->results[i] = r->flat[result->first_flat];
            r->flat[result->first_flat].pointer = NULL;
        }
    }
    for (size_t i = first; i < end; i++) {
        const LayoutResult *result = &r->inside->results[i];
        uint32_t next = result->first_flat;
        if (result->tree != NULL && !build(r, result->tree, result->name, &next, &r->results[i].tensor)) {
            return false;
        }
    }
    return true;
}
