/* SPDX-License-Identifier: MIT */
/*
 * dispatch - the parts of conditions: nodes, fields, clauses. dispatch_field.c has what fields are; dispatch_when.c has
 * the requirements of a variant; dispatch_new.c has those of the declarations, and puts everything together.
 */
#include "dispatch.h"

#include <inttypes.h>
#include <string.h>

#include "../algebra/expr.h"
#include "../base/real.h"
#include "../base/str.h"

/* ---- nodes ---- */

static bool is_power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

/* Makes room for one more; an array doubles when its count is a power of two. */
static void *grow_for_one(Arena *arena, void *array, uint32_t count, size_t size)
{
    if (count > 0 && !is_power_of_two(count)) {
        return array;
    }
    return arena_grow(arena, array, count * size, (count == 0 ? 1 : 2 * (size_t)count) * size);
}

uint32_t dispatch_add_node(Dispatch *dispatch, const SpecArg *arg, const char *path, int32_t parent, uint32_t index)
{
    dispatch->nodes = grow_for_one(dispatch->arena, dispatch->nodes, dispatch->num_nodes, sizeof(DispatchNode));
    dispatch->nodes[dispatch->num_nodes] =
        (DispatchNode){.arg = arg, .path = path, .parent = parent, .index = index, .first_field = DISPATCH_NONE};
    (void)table_add(&dispatch->paths, path, strlen(path), 0, dispatch->num_nodes);
    return dispatch->num_nodes++;
}

static uint32_t item_index(const SpecArg *arg, const char *name)
{
    int64_t index = 0;
    if (arg->kind != SPEC_RECORD) {
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
    const TableEntry *known = table_find(&dispatch->paths, path, strlen(path));
    if (known != NULL) {
        return known->index;
    }
    const char *dot = strrchr(path, '.'); /* the arguments themselves all exist */
    const uint32_t parent = dispatch_node(dispatch, arena_copy(dispatch->arena, path, (size_t)(dot - path)));
    const SpecArg *above = dispatch->nodes[parent].arg;
    const uint32_t index = item_index(above, dot + 1);
    const SpecArg *arg = above->kind == SPEC_LIST ? above->of : &above->items[index];
    return dispatch_add_node(dispatch, arg, path, (int32_t)parent, index);
}

uint32_t dispatch_literal(Dispatch *dispatch, uint32_t node, const char *text)
{
    DispatchNode *owner = &dispatch->nodes[node];
    for (uint32_t i = 0; i < owner->num_literals; i++) {
        if (kind_same_literal(owner->arg->kind, owner->literals[i], text)) {
            return i;
        }
    }
    owner->literals = grow_for_one(dispatch->arena, owner->literals, owner->num_literals, sizeof(char *));
    owner->literals[owner->num_literals] = text;
    return owner->num_literals++;
}

/* ---- fields ---- */

enum { NUM_PLACES = FIELD_COUNT + 2 * DISPATCH_MAX_RANK /* sizes and strides by dim */ };

/* The place of such a field among those of its node; -1: it has none, as a pair. */
static int32_t place_of(FieldKind kind, int32_t dimension)
{
    if (dimension == DISPATCH_NONE) {
        return (int32_t)kind;
    }
    const int32_t first = kind == FIELD_STRIDE ? FIELD_COUNT + DISPATCH_MAX_RANK : FIELD_COUNT;
    return field_specs[kind].of == FIELD_OF_DIM && dimension < DISPATCH_MAX_RANK ? first + dimension : -1;
}

int32_t dispatch_find_field(const Dispatch *dispatch, FieldKind kind, uint32_t node, int32_t dimension)
{
    const DispatchNode *about = &dispatch->nodes[node];
    const int32_t place = place_of(kind, dimension);
    if (place >= 0) {
        return about->places != NULL ? about->places[place] : DISPATCH_NONE;
    }
    int32_t i = about->first_field;
    while (i != DISPATCH_NONE && (dispatch->fields[i].kind != kind || dispatch->fields[i].dimension != dimension)) {
        i = dispatch->fields[i].next;
    }
    return i;
}

/* Adds the newest field to those of its node. */
static void add_to_node(Dispatch *dispatch, DispatchNode *node)
{
    const int32_t newest = (int32_t)dispatch->num_fields - 1;
    const int32_t place = place_of(dispatch->fields[newest].kind, dispatch->fields[newest].dimension);
    if (node->places == NULL) {
        node->places = ARENA_ARRAY(dispatch->arena, int32_t, NUM_PLACES);
        for (int32_t i = 0; i < NUM_PLACES; i++) {
            node->places[i] = DISPATCH_NONE;
        }
    }
    if (place >= 0) {
        node->places[place] = newest;
    }
    int32_t *link = &node->first_field;
    while (*link != DISPATCH_NONE) {
        link = &dispatch->fields[*link].next;
    }
    *link = newest;
}

uint32_t dispatch_field(Dispatch *dispatch, FieldKind kind, uint32_t node, int32_t dimension)
{
    const int32_t found = dispatch_find_field(dispatch, kind, node, dimension);
    if (found != DISPATCH_NONE) {
        return (uint32_t)found;
    }
    dispatch->fields = grow_for_one(dispatch->arena, dispatch->fields, dispatch->num_fields, sizeof(DispatchField));
    dispatch->fields[dispatch->num_fields] = (DispatchField){
        kind, node, dimension, dispatch_domain(dispatch->arena, kind, dispatch->nodes[node].arg), DISPATCH_NONE};
    dispatch->num_fields++;
    add_to_node(dispatch, &dispatch->nodes[node]);
    return dispatch->num_fields - 1;
}

uint32_t dispatch_same_field(Dispatch *dispatch, uint32_t a, uint32_t b)
{
    return dispatch_field(dispatch, FIELD_SAME, a > b ? a : b, (int32_t)(a > b ? b : a));
}

/* ---- clauses ---- */

static bool always_holds(Dispatch *dispatch, const DispatchClause *clause)
{
    return clause->equal_to == DISPATCH_NONE &&
           intset_within(dispatch->arena, &dispatch->fields[clause->field].domain, &clause->set);
}

/* The clause on the same field with as much under `unless`: `clause` becomes part of it. Null if there is none; then it
 * is noted as the next one. A list of clauses is not simplified while it is made, so what was noted stays right. */
static DispatchClause *clause_like(Dispatch *dispatch, DispatchVariant *variant, const DispatchClause *clause)
{
    uint32_t *key = ARENA_ARRAY(dispatch->arena, uint32_t, 2);
    key[0] = clause->field;
    key[1] = clause->num_unless;
    if (variant->by_field.arena == NULL) {
        table_init(&variant->by_field, dispatch->arena);
    }
    const TableEntry *known =
        table_add(&variant->by_field, (const char *)key, 2 * sizeof *key, 0, variant->num_clauses);
    return known != NULL ? &variant->clauses[known->index] : NULL;
}

void dispatch_add_clause(Dispatch *dispatch, DispatchVariant *variant, const DispatchClause *clause)
{
    if (always_holds(dispatch, clause)) {
        return;
    }
    DispatchClause *earlier = clause->equal_to == DISPATCH_NONE ? clause_like(dispatch, variant, clause) : NULL;
    if (earlier == NULL) {
        variant->clauses =
            grow_for_one(dispatch->arena, variant->clauses, variant->num_clauses, sizeof(DispatchClause));
        earlier = &variant->clauses[variant->num_clauses++];
        *earlier = *clause;
    } else {
        earlier->set = intset_intersect(dispatch->arena, &earlier->set, &clause->set);
    }
    earlier->complement = intset_complement(dispatch->arena, &earlier->set);
    for (uint32_t i = 0; i < earlier->num_unless; i++) {
        earlier->unless[i].complement = intset_complement(dispatch->arena, &earlier->unless[i].set);
    }
}

void dispatch_add(Dispatch *dispatch, DispatchVariant *variant, uint32_t field, IntSet set, const void *said)
{
    const DispatchClause clause = {.field = field, .equal_to = DISPATCH_NONE, .set = set, .said = said};
    dispatch_add_clause(dispatch, variant, &clause);
}

const IntSet *dispatch_plain_set(const DispatchVariant *variant, uint32_t field)
{
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        const DispatchClause *clause = &variant->clauses[i];
        if (clause->field == field && clause->equal_to == DISPATCH_NONE && clause->num_unless == 0) {
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
        const IntSet *declared = dispatch_plain_set(&dispatch->declared, clause.field);
        bool always = clause.equal_to == DISPATCH_NONE && declared != NULL &&
                      intset_within(dispatch->arena, declared, &clause.set);
        uint32_t num_unless = 0;
        for (uint32_t k = 0; k < clause.num_unless; k++) {
            const IntSet *known = dispatch_plain_set(variant, clause.unless[k].field);
            always = always || (known != NULL && intset_within(dispatch->arena, known, &clause.unless[k].set));
            if (known == NULL || !intset_disjoint(known, &clause.unless[k].set)) {
                clause.unless[num_unless++] = clause.unless[k];
            }
        }
        clause.num_unless = num_unless;
        if (!always) {
            variant->clauses[n++] = clause;
        }
    }
    variant->num_clauses = n;
}
