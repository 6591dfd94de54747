/* SPDX-License-Identifier: MIT */
/*
 * reference_arguments - which argument is refused, and for what: the first fault in the order of the contract; what
 * subclasses consist of is noted on the way, and asynchronous values are waited for.
 *
 * Identity of duplicates; then input by input what is stated literally (null, exact type, dtype, rank, sizes, strides,
 * offset, device, alignment); then symbols, bound at their first bare use; then every other use of a symbol; then, at
 * `full`, overlap; then what debug_assert asks for.
 */
#include "reference_private.h"

#include <stddef.h>
#include <string.h>

static bool at_least(const Reference *r, SpecCheck level)
{
    return r->graph->check >= level;
}

static bool is_literal(const Expr *expr)
{
    return expr->kind == EXPR_LITERAL;
}

/* Whether a list has an entry that is not a literal. */
static bool has_symbol(const SpecInts *ints)
{
    for (uint32_t i = 0; i < ints->text_count; i++) {
        if (ints->expr[i] != NULL && !is_literal(ints->expr[i])) {
            return true;
        }
    }
    return false;
}

/* What is stated about one tensor: an input, or a leaf of a tree. */
typedef struct Stated {
    const char *name;
    int32_t dtype; /* -1: not */
    const SpecInts *size;
    const SpecInts *stride;
    const Expr *offset; /* null: not */
    const Expr *owns;   /* null: not */
    int32_t device_type;
    int32_t device_index;
    bool dims_are_passed;
    int32_t lazy; /* WgLazy */
} Stated;

static void note_use(Reference *r, const char *name, const Expr *expr, int32_t code, int32_t dimension, int64_t found)
{
    if (r->num_uses == r->uses_capacity) {
        const uint32_t wider = r->uses_capacity == 0 ? 32 : r->uses_capacity * 2;
        r->uses = arena_grow(&r->ctx->arena, r->uses, r->uses_capacity * sizeof(Use), wider * sizeof(Use));
        r->uses_capacity = wider;
    }
    r->uses[r->num_uses++] = (Use){name, expr, code, dimension, found};
}

/* Symbols are noted, and come when all literals are tested. */
static void note_uses(Reference *r, const char *name, const SpecInts *ints, int32_t code, const int64_t *found)
{
    for (uint32_t d = 0; d < ints->text_count; d++) {
        if (ints->expr[d] != NULL && !is_literal(ints->expr[d])) {
            note_use(r, name, ints->expr[d], code, (int32_t)d, found[d]);
        }
    }
}

static bool check_literals(Reference *r, int32_t code, const char *name, const SpecInts *ints, const SpecInts *size,
                           const int64_t *found)
{
    for (uint32_t d = 0; d < ints->text_count; d++) {
        const bool one = code == WG_E_STRIDE && d < size->text_count && size->expr[d] != NULL &&
                         is_literal(size->expr[d]) && size->expr[d]->literal == 1; /* such a stride says nothing */
        if (!one && ints->expr[d] != NULL && is_literal(ints->expr[d]) && ints->expr[d]->literal != found[d]) {
            return reference_fails_with(r, code, name, (int32_t)d, ints->expr[d]->literal, found[d]);
        }
    }
    return true;
}

static bool check_geometry(Reference *r, const Stated *stated, const ViewGeometry *geometry)
{
    if (!check_literals(r, WG_E_SIZE, stated->name, stated->size, stated->size, geometry->sizes) ||
        !check_literals(r, WG_E_STRIDE, stated->name, stated->stride, stated->size, geometry->strides)) {
        return false;
    }
    if (stated->offset != NULL && is_literal(stated->offset) && stated->offset->literal != geometry->offset) {
        return reference_fails_with(r, WG_E_OFFSET, stated->name, -1, stated->offset->literal, geometry->offset);
    }
    return true;
}

static bool check_device(Reference *r, const Stated *stated, const WgTensor *t)
{
    const int32_t found = t->object->device;
    if (stated->device_type < 0) {
        return true;
    }
    if (stated->device_index >= 0 && found != stated->device_type * 256 + stated->device_index) {
        return reference_fails_with(r, WG_E_DEVICE, stated->name, -1, stated->device_type * 256 + stated->device_index,
                                    found);
    }
    if (stated->device_index < 0 && found / 256 != stated->device_type) { /* only the type was stated */
        return reference_fails_with(r, WG_E_DEVICE, stated->name, -1, stated->device_type, found / 256);
    }
    return true;
}

/* A complex element is a pair: it is aligned as its half. */
static bool check_alignment(Reference *r, const Stated *stated, const WgTensor *t)
{
    if (stated->dtype < 0) {
        return true;
    }
    const int32_t dtype = stated->dtype;
    const bool pair = dtype == WG_COMPLEX32 || dtype == WG_COMPLEX64 || dtype == WG_COMPLEX128;
    const int64_t bytes = pair ? view_itemsize(dtype) / 2 : view_itemsize(dtype);
    const int64_t beyond = (int64_t)(uintptr_t)wg_data(r->ctx, t) % bytes;
    if (beyond != 0) {
        return reference_fails_with(r, WG_E_ALIGNMENT, stated->name, -1, bytes, beyond);
    }
    return true;
}

static bool check_tensor(Reference *r, const Stated *stated, const WgTensor *t)
{
    const SpecInts *ranked = stated->size->text != NULL ? stated->size : stated->stride;
    if (t == NULL) {
        return reference_fails(r, WG_E_NULL, stated->name);
    }
    if (!t->object->plain) {
        return reference_fails(r, WG_E_TYPE, stated->name);
    }
    const ViewGeometry *geometry = &t->object->geometry;
    if (at_least(r, SPEC_CHECK_CHEAP) && stated->dtype >= 0 && stated->dtype != geometry->dtype) {
        return reference_fails_with(r, WG_E_DTYPE, stated->name, -1, stated->dtype, geometry->dtype);
    }
    /* A rank is also tested where a dimension is going to be read. */
    const bool read = has_symbol(stated->size) || has_symbol(stated->stride) || stated->dims_are_passed;
    if (ranked->text != NULL && (at_least(r, SPEC_CHECK_CHEAP) || read) &&
        (int32_t)ranked->text_count != geometry->rank) {
        return reference_fails_with(r, WG_E_RANK, stated->name, -1, ranked->text_count, geometry->rank);
    }
    if (at_least(r, SPEC_CHECK_CHEAP) && !check_geometry(r, stated, geometry)) {
        return false;
    }
    const bool tells_lazy = stated->lazy != 0 || r->ctx->tables.tells_lazy;
    if (at_least(r, SPEC_CHECK_CHEAP) && tells_lazy && stated->lazy != t->object->lazy) {
        return reference_fails_with(r, WG_E_LAZY, stated->name, -1, stated->lazy, t->object->lazy);
    }
    if (at_least(r, SPEC_CHECK_FULL) && !(check_device(r, stated, t) && check_alignment(r, stated, t))) {
        return false;
    }
    note_uses(r, stated->name, stated->size, WG_E_SIZE, geometry->sizes);
    note_uses(r, stated->name, stated->stride, WG_E_STRIDE, geometry->strides);
    if (stated->offset != NULL && !is_literal(stated->offset)) {
        note_use(r, stated->name, stated->offset, WG_E_OFFSET, -1, geometry->offset);
    }
    if (stated->owns != NULL) {
        note_use(r, stated->name, stated->owns, WG_E_IDENTITY, -1, t->object->nested);
    }
    return true;
}

static bool check_plain_input(Reference *r, uint32_t i)
{
    const SpecInput *input = &r->graph->inputs[i];
    WgTensor *t = r->args[i].tensor;
    if (input->wait.text_count > 0 && t != NULL) {
        const int32_t status = wg_wait(r->ctx, t, &t);
        if (!reference_did(r, status, input->name)) {
            return false;
        }
        r->waited[i] = t;
    }
    const Stated stated = {.name = input->name,
                           .dtype = input->dtype != NULL ? input->dtype_code : -1,
                           .size = &input->size,
                           .stride = &input->stride,
                           .offset = input->storage_offset.expr,
                           .owns = input->owns.expr,
                           .device_type = input->device_type,
                           .device_index = input->device_index,
                           .dims_are_passed = input->symbol_args.text_count > 0,
                           .lazy = (spec_is(input->is_conj) ? WG_LAZY_CONJ : 0) +
                                   (spec_is(input->is_neg) ? WG_LAZY_NEG : 0)};
    return check_tensor(r, &stated, t);
}

/* ---- subclasses: exact types at every level, depth first ---- */

static void add_part(Reference *r, SpecKind kind, WgValue value)
{
    if (r->num_parts == r->parts_capacity) {
        const uint32_t wider = r->parts_capacity == 0 ? 32 : r->parts_capacity * 2;
        r->parts = arena_grow(&r->ctx->arena, r->parts, r->parts_capacity * sizeof(Part), wider * sizeof(Part));
        r->parts_capacity = wider;
    }
    r->parts[r->num_parts++] = (Part){kind, value};
}

static bool unwrap_leaf(Reference *r, const SpecInput *input, const SpecSubclass *leaf, const char *name,
                        const char *path, WgTensor *t)
{
    if (leaf->opaque) {
        add_part(r, SPEC_OPAQUE, wg_value_tensor(t));
        return true;
    }
    bool waits = false;
    for (uint32_t i = 0; i < input->wait.text_count; i++) {
        waits = waits || strcmp(input->wait.text[i], path) == 0;
    }
    if (waits && t != NULL && !reference_did(r, wg_wait(r->ctx, t, &t), name)) {
        return false;
    }
    const Stated stated = {.name = name,
                           .dtype = -1,
                           .size = &leaf->size,
                           .stride = &leaf->stride,
                           .owns = leaf->owns.expr,
                           .device_type = -1,
                           .device_index = -1,
                           .dims_are_passed = leaf->symbol_args.text_count > 0};
    if (!check_tensor(r, &stated, t)) {
        return false;
    }
    add_part(r, SPEC_TENSOR, wg_value_tensor(t));
    for (uint32_t i = 0; i < leaf->symbol_args.text_count; i++) {
        add_part(r, SPEC_INT, wg_value_integer(reference_symbol_arg(t, leaf->symbol_args.text[i])));
    }
    return true;
}

static bool check_outer(Reference *r, const SpecSubclass *tree, const char *name, const ViewGeometry *geometry)
{
    if (tree->outer_size.text == NULL) {
        return true;
    }
    if ((int32_t)tree->outer_size.text_count != geometry->rank) {
        return reference_fails_with(r, WG_E_RANK, name, -1, tree->outer_size.text_count, geometry->rank);
    }
    if (at_least(r, SPEC_CHECK_CHEAP) &&
        (!check_literals(r, WG_E_SIZE, name, &tree->outer_size, &tree->outer_size, geometry->sizes) ||
         !check_literals(r, WG_E_STRIDE, name, &tree->outer_stride, &tree->outer_size, geometry->strides))) {
        return false;
    }
    note_uses(r, name, &tree->outer_size, WG_E_SIZE, geometry->sizes);
    note_uses(r, name, &tree->outer_stride, WG_E_STRIDE, geometry->strides);
    return true;
}

static void add_outer(Reference *r, const SpecSubclass *tree, const SpecInts *outer, const int64_t *found)
{
    for (uint32_t d = 0; d < outer->text_count; d++) {
        if (layout_is_symint(tree, outer->expr[d])) {
            add_part(r, SPEC_INT, wg_value_integer(found[d]));
        }
    }
}

static bool unwrap(Reference *r, const SpecInput *input, const SpecSubclass *tree, const char *name, const char *path,
                   const WgTensor *t)
{
    Arena *arena = &r->ctx->arena;
    uint32_t next = 0;
    if (t == NULL || t->object->type != (int32_t)(tree->declared - r->layout->spec->subclasses) || t->object->plain) {
        return reference_fails(r, t == NULL ? WG_E_NULL : WG_E_TYPE, name);
    }
    const MockObject *object = t->object;
    if (!check_outer(r, tree, name, &object->geometry)) {
        return false;
    }
    for (uint32_t k = 0; k < tree->declared->attrs_count; k++) {
        WgTensor *attr = object->attrs[k];
        const char *attr_name = arena_printf(arena, "%s.%s", name, tree->declared->attrs[k].name);
        const SpecSubclass *inner = next < tree->inner_count ? &tree->inner[next] : NULL;
        if (inner == NULL || strcmp(inner->attr, tree->declared->attrs[k].name) != 0) {
            if (attr != NULL) { /* was left out: optional, and absent when the graph was traced */
                return reference_fails(r, WG_E_TYPE, attr_name);
            }
            continue;
        }
        const char *attr_path = path[0] == '\0' ? inner->attr : arena_printf(arena, "%s.%s", path, inner->attr);
        next++;
        if (inner->type == NULL ? !unwrap_leaf(r, input, inner, attr_name, attr_path, attr)
                                : !unwrap(r, input, inner, attr_name, attr_path, attr)) {
            return false;
        }
    }
    add_outer(r, tree, &tree->outer_size, object->geometry.sizes);
    add_outer(r, tree, &tree->outer_stride, object->geometry.strides);
    return true;
}

static bool is_nan(int64_t bits)
{
    double real = 0.0;
    memcpy(&real, &bits, sizeof real);
    return real != real;
}

/* A float is compared by its bits, except NaN, which has many. */
static bool check_value(Reference *r, const SpecInput *input, int64_t found)
{
    const Expr *expr = input->value.expr;
    if (input->kind == SPEC_NONE && at_least(r, SPEC_CHECK_CHEAP) && found != 0) {
        return reference_fails_with(r, WG_E_VALUE, input->name, -1, 0, 0);
    }
    if (input->kind == SPEC_FLOAT && expr != NULL && is_nan(expr->literal) && is_nan(found)) {
        return true;
    }
    if (expr != NULL && is_literal(expr) && at_least(r, SPEC_CHECK_CHEAP) && expr->literal != found) {
        return reference_fails_with(r, WG_E_VALUE, input->name, -1, expr->literal, found);
    }
    if (expr != NULL && !is_literal(expr)) {
        note_use(r, input->name, expr, WG_E_VALUE, -1, found);
    }
    return true;
}

/* ---- symbols ---- */

typedef bool Visit(Reference *r, const Use *use);

static bool visit_all(Reference *r, Visit *visit)
{
    for (uint32_t i = 0; i < r->num_uses; i++) {
        if (!visit(r, &r->uses[i])) {
            return false;
        }
    }
    return true;
}

bool reference_bind(Reference *r, const Use *use)
{
    if (use->expr->kind != EXPR_SYMBOL || r->bound[use->expr->symbol]) {
        return true;
    }
    const SpecSymbol *symbol = &r->layout->spec->symbols[use->expr->symbol];
    r->bound[use->expr->symbol] = true;
    r->values[use->expr->symbol] = use->found;
    if (!at_least(r, SPEC_CHECK_CHEAP)) {
        return true;
    }
    if (symbol->min != NULL && use->found < symbol->min_value) {
        return reference_fails_with(r, WG_E_SYMBOL, use->name, use->dimension, symbol->min_value, use->found);
    }
    if (symbol->max != NULL && use->found > symbol->max_value) {
        return reference_fails_with(r, WG_E_SYMBOL, use->name, use->dimension, symbol->max_value, use->found);
    }
    if (symbol->multiple_of != NULL && use->found % symbol->multiple_of_value != 0) {
        return reference_fails_with(r, WG_E_SYMBOL, use->name, use->dimension, symbol->multiple_of_value, use->found);
    }
    return true;
}

static bool compare(Reference *r, const Use *use)
{
    int64_t expected = 0;
    if (!evaluate(&r->symbols, use->expr, &expected)) {
        return reference_fails(r, WG_E_OVERFLOW, use->name);
    }
    if (expected != use->found) {
        return reference_fails_with(r, use->code, use->name, use->dimension, expected, use->found);
    }
    return true;
}

/* What a compiled graph takes for granted about sizes. */
static bool check_guards(Reference *r)
{
    const SpecInts *guards = &r->graph->guards;
    for (uint32_t i = 0; i < guards->text_count; i++) {
        int64_t holds = 0;
        const bool computed = evaluate(&r->symbols, guards->expr[i], &holds);
        if (!computed || holds == 0) {
            reference_fails(r, computed ? WG_E_GUARD : WG_E_OVERFLOW, NULL);
            r->error->rule = guards->text[i];
            r->error->spec = r->layout->spec;
            r->error->symbols = r->values;
            return false;
        }
    }
    return true;
}

/* ---- across arguments ---- */

static bool check_duplicates(Reference *r)
{
    for (uint32_t i = 0; i < r->graph->duplicates_count; i++) {
        const SpecDuplicate *duplicate = &r->graph->duplicates[i];
        const WgTensor *a = r->args[duplicate->input_index].tensor;
        const WgTensor *b = r->args[duplicate->of_index].tensor;
        if ((a == NULL) != (b == NULL) || (a != NULL && a->object != b->object)) {
            return reference_fails(r, WG_E_IDENTITY, duplicate->input);
        }
    }
    return true;
}

static bool check_debug_assert(Reference *r)
{
    for (uint32_t i = 0; i < r->graph->inputs_count && spec_is(r->graph->debug_assert); i++) {
        const SpecInput *input = &r->graph->inputs[i];
        if (input->kind == SPEC_TENSOR && layout_is_passed(input) && !spec_is(input->requires_grad) &&
            r->args[i].tensor->object->requires_grad) {
            return reference_fails(r, WG_E_GRAD, input->name);
        }
    }
    return true;
}

bool reference_check_arguments(Reference *r)
{
    if (!check_duplicates(r)) {
        return false;
    }
    for (uint32_t i = 0; i < r->graph->inputs_count; i++) {
        const SpecInput *input = &r->graph->inputs[i];
        if (!layout_is_passed(input)) {
            continue;
        }
        r->first_part[i] = r->num_parts;
        const bool good = input->subclass != NULL
                              ? unwrap(r, input, input->subclass, input->name, "", r->args[i].tensor)
                          : input->kind == SPEC_TENSOR ? check_plain_input(r, i)
                                                       : check_value(r, input, r->args[i].integer);
        if (!good) {
            return false;
        }
    }
    if (!visit_all(r, reference_bind)) {
        return false;
    }
    if (at_least(r, SPEC_CHECK_CHEAP) && !(visit_all(r, compare) && check_guards(r))) {
        return false;
    }
    return (!at_least(r, SPEC_CHECK_FULL) || reference_check_overlaps(r)) && check_debug_assert(r);
}
