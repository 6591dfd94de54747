/* SPDX-License-Identifier: MIT */
/*
 * dispatch_relation - conditions over several fields of a call: a variant's `guards`, with fields for symbols.
 */
#include "dispatch.h"

#include "../base/str.h"

/* The same tree with fields for symbols; calls itself for its operands. */
static const Expr *over_fields(Dispatch *dispatch, const Expr *expr, const uint32_t *field_of)
{
    if (expr_is_operation(expr)) {
        Expr *copy = ARENA_NEW(dispatch->arena, Expr);
        *copy = *expr;
        copy->lhs = over_fields(dispatch, expr->lhs, field_of);
        copy->rhs = over_fields(dispatch, expr->rhs, field_of);
        return copy;
    }
    if (expr->kind == EXPR_SYMBOL) {
        Expr *copy = ARENA_NEW(dispatch->arena, Expr);
        *copy = *expr;
        copy->symbol = field_of[expr->symbol];
        return copy;
    }
    return expr;
}

/* Each symbol once, in the order in which they are read. */
static void collect(const Spec *spec, DispatchRelation *relation, const Expr *expr, const uint32_t *field_of)
{
    if (expr_is_operation(expr)) {
        collect(spec, relation, expr->lhs, field_of);
        collect(spec, relation, expr->rhs, field_of);
    }
    bool is_new = expr->kind == EXPR_SYMBOL;
    for (uint32_t i = 0; is_new && i < relation->num_names; i++) {
        is_new = !str_equal(relation->names[i], spec->symbols[expr->symbol].name);
    }
    if (is_new) {
        relation->names[relation->num_names] = spec->symbols[expr->symbol].name;
        relation->fields[relation->num_names++] = field_of[expr->symbol];
    }
}

static bool same_relation(const DispatchRelation *a, const DispatchRelation *b)
{
    return str_equal(a->text, b->text) && expr_equal(a->expr, b->expr);
}

uint32_t dispatch_relation(Dispatch *dispatch, const Expr *expr, const char *text, const uint32_t *field_of)
{
    Arena *arena = dispatch->arena;
    const uint32_t n = dispatch->num_relations;
    DispatchRelation relation = {.expr = over_fields(dispatch, expr, field_of), .text = text};
    relation.names = ARENA_ARRAY(arena, const char *, dispatch->spec->symbols_count);
    relation.fields = ARENA_ARRAY(arena, uint32_t, dispatch->spec->symbols_count);
    collect(dispatch->spec, &relation, expr, field_of);
    for (uint32_t i = 0; i < n; i++) {
        if (same_relation(&dispatch->relations[i], &relation)) {
            return dispatch_field(dispatch, FIELD_RELATION, 0, (int32_t)i);
        }
    }
    dispatch->relations = arena_grow(arena, dispatch->relations, n * sizeof(DispatchRelation),
                                     ((size_t)n + 1) * sizeof(DispatchRelation));
    dispatch->relations[dispatch->num_relations++] = relation;
    return dispatch_field(dispatch, FIELD_RELATION, 0, (int32_t)n);
}

const DispatchRelation *dispatch_relation_of(const Dispatch *dispatch, uint32_t field)
{
    return &dispatch->relations[dispatch->fields[field].dimension];
}

/* false: it cannot be computed. */
static bool evaluate(const Expr *expr, const int64_t *values, int64_t *value)
{
    int64_t lhs = 0;
    int64_t rhs = 0;
    if (!expr_is_operation(expr)) {
        *value = expr->kind == EXPR_SYMBOL ? values[expr->symbol] : expr->literal;
        return true;
    }
    return evaluate(expr->lhs, values, &lhs) && evaluate(expr->rhs, values, &rhs) &&
           operator_apply(expr_operator(expr), lhs, rhs, value);
}

bool dispatch_relation_holds(const DispatchRelation *relation, const int64_t *values)
{
    int64_t holds = 0;
    return evaluate(relation->expr, values, &holds) && holds != 0;
}
