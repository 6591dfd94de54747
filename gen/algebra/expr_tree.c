/* SPDX-License-Identifier: MIT */
/*
 * expr_tree - makes expressions and looks at them; expr.c reads them.
 */
#include "expr.h"

const Expr *expr_literal(Arena *arena, int64_t value)
{
    Expr *expr = ARENA_NEW(arena, Expr);
    expr->kind = EXPR_LITERAL;
    expr->literal = value;
    return expr;
}

const Expr *expr_operation(Arena *arena, Operator operation, const Expr *lhs, const Expr *rhs)
{
    Expr *expr = ARENA_NEW(arena, Expr);
    expr->kind = (ExprKind)(EXPR_FIRST_OPERATION + operation);
    expr->lhs = lhs;
    expr->rhs = rhs;
    return expr;
}

const Expr *expr_negate(Arena *arena, const Expr *condition)
{
    const Operator operation = expr_operator(condition);
    const Expr *lhs = condition->lhs;
    const Expr *rhs = condition->rhs;
    switch (operation) {
    case OPERATOR_AND:
        return expr_operation(arena, OPERATOR_OR, expr_negate(arena, lhs), expr_negate(arena, rhs));
    case OPERATOR_OR:
        return expr_operation(arena, OPERATOR_AND, expr_negate(arena, lhs), expr_negate(arena, rhs));
    case OPERATOR_EQ:
        return expr_operation(arena, OPERATOR_NE, lhs, rhs);
    case OPERATOR_NE:
        return expr_operation(arena, OPERATOR_EQ, lhs, rhs);
    case OPERATOR_LE:
        return expr_operation(arena, OPERATOR_LT, rhs, lhs);
    case OPERATOR_LT:
        return expr_operation(arena, OPERATOR_LE, rhs, lhs);
    case OPERATOR_ADD:
    case OPERATOR_SUB:
    case OPERATOR_MUL:
    case OPERATOR_FLOORDIV:
    case OPERATOR_MOD:
    case OPERATOR_MIN:
    case OPERATOR_MAX:
    case NUM_OPERATORS:
        break;
    }
    return condition;
}

Operator expr_operator(const Expr *expr)
{
    return (Operator)(expr->kind - EXPR_FIRST_OPERATION);
}

bool expr_compute(const Expr *expr, const int64_t *values, int64_t *value)
{
    int64_t lhs = 0;
    int64_t rhs = 0;
    if (!expr_is_operation(expr)) {
        *value = expr->kind == EXPR_SYMBOL ? values[expr->symbol] : expr->literal;
        return true;
    }
    return expr_compute(expr->lhs, values, &lhs) && expr_compute(expr->rhs, values, &rhs) &&
           operator_apply(expr_operator(expr), lhs, rhs, value);
}

bool expr_is_literal(const Expr *expr, int64_t *value)
{
    if (expr == NULL || expr->kind != EXPR_LITERAL) {
        return false;
    }
    *value = expr->literal;
    return true;
}

bool expr_is_condition(const Expr *expr)
{
    return expr_is_operation(expr) && operator_is_condition(expr_operator(expr));
}

bool expr_equal(const Expr *a, const Expr *b)
{
    if (a == b) {
        return true;
    }
    if (a->kind != b->kind || a->literal != b->literal || a->symbol != b->symbol) {
        return false;
    }
    return !expr_is_operation(a) || (expr_equal(a->lhs, b->lhs) && expr_equal(a->rhs, b->rhs));
}

/* ---- symbols ---- */

ExprSymbols expr_symbols_new(Arena *arena, uint32_t num_symbols)
{
    return (ExprSymbols){.seen = ARENA_ARRAY(arena, bool, num_symbols),
                         .at = ARENA_ARRAY(arena, uint32_t, num_symbols)};
}

void expr_collect_symbols(const Expr *expr, ExprSymbols *symbols)
{
    if (expr->kind == EXPR_SYMBOL && !symbols->seen[expr->symbol]) {
        symbols->seen[expr->symbol] = true;
        symbols->at[symbols->count++] = expr->symbol;
    } else if (expr_is_operation(expr)) {
        expr_collect_symbols(expr->lhs, symbols);
        expr_collect_symbols(expr->rhs, symbols);
    }
}

void expr_forget_symbols(ExprSymbols *symbols)
{
    while (symbols->count > 0) {
        symbols->seen[symbols->at[--symbols->count]] = false;
    }
}
