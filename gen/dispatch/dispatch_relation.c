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

static uint32_t count_operands(const Expr *expr)
{
    return expr_is_operation(expr) ? 1 + count_operands(expr->lhs) + count_operands(expr->rhs) : 1;
}

static void name_symbols(const Dispatch *dispatch, DispatchRelation *relation, const Expr *expr,
                         const uint32_t *field_of)
{
    const Spec *spec = dispatch->spec;
    ExprSymbols symbols = expr_symbols_new(dispatch->arena, spec->symbols_count);
    expr_collect_symbols(expr, &symbols);
    relation->num_names = symbols.count;
    relation->names = ARENA_ARRAY(dispatch->arena, const char *, symbols.count);
    relation->fields = ARENA_ARRAY(dispatch->arena, uint32_t, symbols.count);
    for (uint32_t i = 0; i < symbols.count; i++) {
        relation->names[i] = spec->symbols[symbols.at[i]].name;
        relation->fields[i] = field_of[symbols.at[i]];
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
    DispatchRelation relation = {
        .expr = over_fields(dispatch, expr, field_of), .text = text, .num_operands = count_operands(expr)};
    name_symbols(dispatch, &relation, expr, field_of);
    for (uint32_t i = 0; i < n; i++) {
        if (same_relation(&dispatch->relations[i], &relation)) {
            return dispatch_field(dispatch, FIELD_RELATION, 0, (int32_t)i);
        }
    }
    dispatch->relations = arena_grow(arena, dispatch->relations, n * sizeof(DispatchRelation),
                                     ((size_t)n + 1) * sizeof(DispatchRelation));
    dispatch->relations[dispatch->num_relations++] = relation;
    dispatch->num_operands += relation.num_operands;
    return dispatch_field(dispatch, FIELD_RELATION, 0, (int32_t)n);
}

const DispatchRelation *dispatch_relation_of(const Dispatch *dispatch, uint32_t field)
{
    return &dispatch->relations[dispatch->fields[field].dimension];
}

bool dispatch_relation_holds(const DispatchRelation *relation, const int64_t *values)
{
    int64_t holds = 0;
    return expr_compute(relation->expr, values, &holds) && holds != 0;
}
