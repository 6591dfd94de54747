/* SPDX-License-Identifier: MIT */
/*
 * dispatch - nodes, fields and their domains, and what the declarations of a kernel's arguments ask of every call.
 * Conditions of variants are in dispatch_when.c.
 */
#include "dispatch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expr.h"
#include "geometry.h"
#include "str.h"
#include "../templates/core/wg_core.h"

/* ---- nodes ---- */

static bool is_power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

/* Room for one more; what grows is doubled when its count is a power of two. */
static void *room(Arena *arena, void *array, uint32_t count, size_t size)
{
    if (count > 0 && !is_power_of_two(count)) {
        return array;
    }
    return arena_grow(arena, array, count * size, (count == 0 ? 1 : 2 * (size_t)count) * size);
}

static uint32_t add_node(Dispatch *dispatch, const SpecArg *arg, const char *path, int32_t parent, uint32_t index)
{
    dispatch->nodes = room(dispatch->arena, dispatch->nodes, dispatch->num_nodes, sizeof(DispatchNode));
    dispatch->nodes[dispatch->num_nodes] =
        (DispatchNode){.arg = arg, .path = path, .parent = parent, .index = index, .num_literals = 0};
    return dispatch->num_nodes++;
}

static uint32_t item_index(const SpecArg *arg, const char *name)
{
    int64_t index = 0;
    if (arg->kind != SPEC_ARG_RECORD) {
        (void)expr_parse_integer(name, &index);
        return (uint32_t)index;
    }
    while (index < arg->items_count && !str_equal(arg->items[index].name, name)) {
        index++;
    }
    return (uint32_t)index;
}

uint32_t dispatch_node(Dispatch *dispatch, const char *path)
{
    for (uint32_t i = 0; i < dispatch->num_nodes; i++) {
        if (str_equal(dispatch->nodes[i].path, path)) {
            return i;
        }
    }
    const char *dot = strrchr(path, '.'); /* the arguments themselves are all there */
    const uint32_t parent = dispatch_node(dispatch, arena_copy(dispatch->arena, path, (size_t)(dot - path)));
    const SpecArg *above = dispatch->nodes[parent].arg;
    const uint32_t index = item_index(above, dot + 1);
    const SpecArg *arg = above->kind == SPEC_ARG_LIST ? above->of : &above->items[index];
    return add_node(dispatch, arg, path, (int32_t)parent, index);
}

static bool same_literal(SpecArgKind kind, const char *a, const char *b)
{
    if (kind == SPEC_ARG_FLOAT) {
        const double difference = strtod(a, NULL) - strtod(b, NULL);
        return difference >= 0.0 && difference <= 0.0; /* 1.0 and 1 are one value */
    }
    return str_equal(a, b);
}

uint32_t dispatch_literal(Dispatch *dispatch, uint32_t node, const char *text)
{
    DispatchNode *owner = &dispatch->nodes[node];
    for (uint32_t i = 0; i < owner->num_literals; i++) {
        if (same_literal(owner->arg->kind, owner->literals[i], text)) {
            return i;
        }
    }
    owner->literals = room(dispatch->arena, owner->literals, owner->num_literals, sizeof(char *));
    owner->literals[owner->num_literals] = text;
    return owner->num_literals++;
}

/* ---- fields ---- */

static IntSet points(Arena *arena, const int64_t *values, size_t n)
{
    IntSet set = {0};
    for (size_t i = 0; i < n; i++) {
        const IntSet one = intset_point(arena, values[i]);
        set = intset_unite(arena, &set, &one);
    }
    return set;
}

static IntSet dtype_domain(Arena *arena)
{
    int64_t values[64];
    size_t n = 0;
    for (int32_t dtype = 0; dtype < 64; dtype++) {
        if (dtype_size(dtype) > 0) {
            values[n++] = dtype;
        }
    }
    return points(arena, values, n);
}

static IntSet device_domain(Arena *arena)
{
    static const int32_t types[] = {WG_CUDA, WG_HIP, WG_XLA, WG_XPU, WG_MPS, WG_META, WG_HPU, WG_PRIVATEUSE1};
    IntSet set = intset_point(arena, WG_CPU * 256);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const IntSet one = intset_interval(arena, types[i] * 256, types[i] * 256 + 127);
        set = intset_unite(arena, &set, &one);
    }
    return set;
}

static IntSet value_domain(Arena *arena, SpecArgKind kind)
{
    switch (kind) {
    case SPEC_ARG_BOOL:
        return intset_interval(arena, 0, 1);
    case SPEC_ARG_DTYPE:
        return dtype_domain(arena);
    case SPEC_ARG_DEVICE:
        return device_domain(arena);
    case SPEC_ARG_FLOAT:
    case SPEC_ARG_STRING:
        return intset_interval(arena, 0, UINT32_MAX); /* narrowed once all literals are known */
    case SPEC_ARG_INT:
    case SPEC_ARG_UNSET:
    case SPEC_ARG_TENSOR:
    case SPEC_ARG_NULL:
    case SPEC_ARG_TUPLE:
    case SPEC_ARG_LIST:
    case SPEC_ARG_RECORD:
        break;
    }
    return intset_interval(arena, INT64_MIN, INT64_MAX);
}

static IntSet field_domain(Arena *arena, FieldKind kind, const SpecArg *arg)
{
    switch (kind) {
    case FIELD_PRESENT:
    case FIELD_PLAIN:
    case FIELD_CONTIGUOUS:
    case FIELD_CHANNELS_LAST:
        return intset_interval(arena, 0, 1);
    case FIELD_DTYPE:
        return dtype_domain(arena);
    case FIELD_DEVICE:
        return device_domain(arena);
    case FIELD_RANK:
        return intset_interval(arena, 0, DISPATCH_MAX_RANK);
    case FIELD_LENGTH:
    case FIELD_SIZE:
    case FIELD_STRIDE:
    case FIELD_ADDRESS:
        return intset_interval(arena, 0, INT64_MAX);
    case FIELD_VALUE:
        return value_domain(arena, arg->kind);
    case FIELD_COUNT:
        break;
    }
    return intset_interval(arena, INT64_MIN, INT64_MAX);
}

int32_t dispatch_find_field(const Dispatch *dispatch, FieldKind kind, uint32_t node, int32_t dimension)
{
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        const DispatchField *field = &dispatch->fields[i];
        if (field->kind == kind && field->node == node && field->dimension == dimension) {
            return (int32_t)i;
        }
    }
    return DISPATCH_NONE;
}

uint32_t dispatch_field(Dispatch *dispatch, FieldKind kind, uint32_t node, int32_t dimension)
{
    const int32_t found = dispatch_find_field(dispatch, kind, node, dimension);
    if (found != DISPATCH_NONE) {
        return (uint32_t)found;
    }
    dispatch->fields = room(dispatch->arena, dispatch->fields, dispatch->num_fields, sizeof(DispatchField));
    dispatch->fields[dispatch->num_fields] =
        (DispatchField){kind, node, dimension, field_domain(dispatch->arena, kind, dispatch->nodes[node].arg)};
    return dispatch->num_fields++;
}

/* ---- clauses ---- */

static bool always_holds(Dispatch *dispatch, const DispatchClause *clause)
{
    return clause->equal_to == DISPATCH_NONE &&
           intset_within(dispatch->arena, &dispatch->fields[clause->field].domain, &clause->set);
}

void dispatch_add_guarded(Dispatch *dispatch, DispatchVariant *variant, const DispatchClause *clause)
{
    if (always_holds(dispatch, clause)) {
        return;
    }
    DispatchClause *earlier = NULL;
    for (uint32_t i = 0; clause->equal_to == DISPATCH_NONE && i < variant->num_clauses; i++) {
        DispatchClause *other = &variant->clauses[i];
        if (other->field == clause->field && other->equal_to == DISPATCH_NONE &&
            other->num_guards == clause->num_guards) {
            earlier = other;
        }
    }
    if (earlier == NULL) {
        variant->clauses = room(dispatch->arena, variant->clauses, variant->num_clauses, sizeof(DispatchClause));
        earlier = &variant->clauses[variant->num_clauses++];
        *earlier = *clause;
    } else {
        earlier->set = intset_intersect(dispatch->arena, &earlier->set, &clause->set);
    }
    earlier->complement = intset_complement(dispatch->arena, &earlier->set);
    for (uint32_t i = 0; i < earlier->num_guards; i++) {
        earlier->guards[i].complement = intset_complement(dispatch->arena, &earlier->guards[i].set);
    }
}

void dispatch_add(Dispatch *dispatch, DispatchVariant *variant, uint32_t field, IntSet set, const void *said)
{
    const DispatchClause clause = {.field = field, .equal_to = DISPATCH_NONE, .set = set, .said = said};
    dispatch_add_guarded(dispatch, variant, &clause);
}

static const IntSet *unguarded_set(const DispatchVariant *variant, uint32_t field)
{
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        const DispatchClause *clause = &variant->clauses[i];
        if (clause->field == field && clause->equal_to == DISPATCH_NONE && clause->num_guards == 0) {
            return &clause->set;
        }
    }
    return NULL;
}

void dispatch_simplify(Dispatch *dispatch, DispatchVariant *variant)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        DispatchClause clause = variant->clauses[i];
        const IntSet *declared = unguarded_set(&dispatch->declared, clause.field);
        bool always = clause.equal_to == DISPATCH_NONE && declared != NULL &&
                      intset_within(dispatch->arena, declared, &clause.set);
        uint32_t num_guards = 0;
        for (uint32_t k = 0; k < clause.num_guards; k++) {
            const IntSet *known = unguarded_set(variant, clause.guards[k].field);
            always = always || (known != NULL && intset_within(dispatch->arena, known, &clause.guards[k].set));
            if (known == NULL || !intset_disjoint(known, &clause.guards[k].set)) {
                clause.guards[num_guards++] = clause.guards[k];
            }
        }
        clause.num_guards = num_guards;
        if (!always) {
            variant->clauses[n++] = clause;
        }
    }
    variant->num_clauses = n;
}

/* ---- declarations ---- */

/* What is above an item may be null or too short: then nothing is asked of the item. */
typedef struct Above {
    DispatchGuard guards[DISPATCH_MAX_GUARDS];
    uint32_t num_guards;
} Above;

static void declare(Dispatch *dispatch, const Above *above, uint32_t field, IntSet set, const void *said)
{
    DispatchClause clause = {.field = field, .equal_to = DISPATCH_NONE, .set = set, .said = said};
    memcpy(clause.guards, above->guards, sizeof clause.guards);
    clause.num_guards = above->num_guards;
    dispatch_add_guarded(dispatch, &dispatch->declared, &clause);
}

static bool can_be_null(SpecArgKind kind)
{
    return kind == SPEC_ARG_TENSOR || kind == SPEC_ARG_STRING;
}

static void declare_tensor(Dispatch *dispatch, uint32_t node, const Above *above)
{
    const SpecArg *arg = dispatch->nodes[node].arg;
    int32_t symbol = DISPATCH_NONE;
    if (arg->subclass_ok == SPEC_FALSE) {
        const uint32_t plain = dispatch_field(dispatch, FIELD_PLAIN, node, DISPATCH_NONE);
        declare(dispatch, above, plain, intset_point(dispatch->arena, 1), &arg->subclass_ok);
    }
    if (arg->ndim != NULL) {
        const uint32_t rank = dispatch_field(dispatch, FIELD_RANK, node, DISPATCH_NONE);
        declare(dispatch, above, rank, dispatch_condition(dispatch, arg->ndim, 0, &symbol), &arg->ndim);
    }
    if (arg->dtype != NULL) {
        const uint32_t dtype = dispatch_field(dispatch, FIELD_DTYPE, node, DISPATCH_NONE);
        declare(dispatch, above, dtype, dispatch_dtypes(dispatch, arg->dtype), &arg->dtype);
    }
}

/* How many items of a list are declared one by one: those there can be, or those that conditions name. */
static uint32_t declared_items(Dispatch *dispatch, const SpecArg *arg)
{
    int32_t symbol = DISPATCH_NONE;
    if (arg->length == NULL) {
        return 0;
    }
    const IntSet length = dispatch_condition(dispatch, arg->length, 0, &symbol);
    const int64_t most = intset_max(&length);
    return most <= DISPATCH_MAX_ITEMS ? (uint32_t)most : 0;
}

static bool declares_something(const SpecArg *arg)
{
    bool some = arg->subclass_ok == SPEC_FALSE || arg->ndim != NULL || arg->dtype != NULL || arg->length != NULL ||
                (can_be_null(arg->kind) && !spec_is(arg->nullable));
    for (uint32_t i = 0; i < arg->items_count; i++) {
        some = some || declares_something(&arg->items[i]);
    }
    return some;
}

/* Guards nest at most one null and one length deep; an item below more than that is asked for by its own clauses. */
static void declare_node(Dispatch *dispatch, uint32_t node, Above above)
{
    const SpecArg *arg = dispatch->nodes[node].arg;
    int32_t symbol = DISPATCH_NONE;
    if (spec_is(arg->nullable)) {
        if (above.num_guards == DISPATCH_MAX_GUARDS || arg->kind == SPEC_ARG_NULL) {
            return;
        }
        const uint32_t present = dispatch_field(dispatch, FIELD_PRESENT, node, DISPATCH_NONE);
        above.guards[above.num_guards++] = (DispatchGuard){.field = present, .set = intset_point(dispatch->arena, 0)};
    } else if (can_be_null(arg->kind)) {
        const uint32_t present = dispatch_field(dispatch, FIELD_PRESENT, node, DISPATCH_NONE);
        declare(dispatch, &above, present, intset_point(dispatch->arena, 1), NULL);
    }
    if (arg->kind == SPEC_ARG_TENSOR) {
        declare_tensor(dispatch, node, &above);
    }
    if (arg->length != NULL) {
        const uint32_t length = dispatch_field(dispatch, FIELD_LENGTH, node, DISPATCH_NONE);
        declare(dispatch, &above, length, dispatch_condition(dispatch, arg->length, 0, &symbol), &arg->length);
    }
    const bool list = arg->kind == SPEC_ARG_LIST;
    const uint32_t n = list ? (declares_something(arg->of) ? declared_items(dispatch, arg) : 0) : arg->items_count;
    for (uint32_t i = 0; i < n; i++) {
        const char *path = arg->kind == SPEC_ARG_RECORD
                               ? arena_printf(dispatch->arena, "%s.%s", dispatch->nodes[node].path, arg->items[i].name)
                               : arena_printf(dispatch->arena, "%s.%" PRIu32, dispatch->nodes[node].path, i);
        Above item = above;
        if (list && item.num_guards == DISPATCH_MAX_GUARDS) {
            return;
        }
        if (list) {
            const uint32_t length = dispatch_field(dispatch, FIELD_LENGTH, node, DISPATCH_NONE);
            item.guards[item.num_guards++] =
                (DispatchGuard){.field = length, .set = intset_interval(dispatch->arena, 0, i)};
        }
        declare_node(dispatch, dispatch_node(dispatch, path), item);
    }
}

/* ---- the whole ---- */

static void narrow_literals(Dispatch *dispatch)
{
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        DispatchField *field = &dispatch->fields[i];
        const DispatchNode *node = &dispatch->nodes[field->node];
        if (field->kind == FIELD_VALUE && (node->arg->kind == SPEC_ARG_FLOAT || node->arg->kind == SPEC_ARG_STRING)) {
            field->domain = intset_interval(dispatch->arena, 0, node->num_literals);
        }
    }
}

void dispatch_add_graphs(Dispatch *dispatch)
{
    const uint32_t n = dispatch->num_variants;
    dispatch->variants = arena_grow(dispatch->arena, dispatch->variants, n * sizeof(DispatchVariant),
                                    3 * (size_t)n * sizeof(DispatchVariant));
    for (uint32_t i = 0; i < 2 * n; i++) {
        const SpecVariant *spec = dispatch->variants[i % n].spec;
        DispatchVariant *stated = &dispatch->variants[n + i];
        *stated = (DispatchVariant){.spec = spec};
        if (spec->graph != NULL) {
            const SpecGraph *graph = &dispatch->spec->graphs[spec->graph_index];
            dispatch_add_inputs(dispatch, stated, graph, i >= n || graph->check == SPEC_CHECK_FULL);
            dispatch_simplify(dispatch, stated);
        }
    }
}

Dispatch *dispatch_new(Arena *arena, const Spec *spec, const SpecKernel *kernel)
{
    Dispatch *dispatch = ARENA_NEW(arena, Dispatch);
    *dispatch = (Dispatch){.arena = arena, .spec = spec, .kernel = kernel, .num_variants = kernel->variants_count};
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        add_node(dispatch, &kernel->args[i], kernel->args[i].name, DISPATCH_NONE, i);
    }
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        declare_node(dispatch, i, (Above){.num_guards = 0});
    }
    dispatch->variants = ARENA_ARRAY(arena, DispatchVariant, kernel->variants_count);
    for (uint32_t i = 0; i < kernel->variants_count; i++) {
        dispatch->variants[i].spec = &kernel->variants[i];
        dispatch_add_variant(dispatch, &dispatch->variants[i]);
        dispatch_simplify(dispatch, &dispatch->variants[i]);
    }
    narrow_literals(dispatch);
    return dispatch;
}
