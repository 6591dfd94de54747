/* SPDX-License-Identifier: MIT */
/*
 * validate_guard - a graph's guards: each can be read, is about symbols, can hold together with those before it, and
 * divides by nothing that may be 0. One that always holds is right, too: nothing is tested then.
 */
#include "validate.h"

#include <inttypes.h>

/* The least symbol above `last` that is used; the number of symbols: there is none. */
static uint32_t next_symbol(const Validator *v, const Expr *expr, uint32_t first)
{
    if (expr->kind == EXPR_SYMBOL && expr->symbol >= first) {
        return expr->symbol;
    }
    if (!expr_is_operation(expr)) {
        return v->spec->symbols_count;
    }
    const uint32_t lhs = next_symbol(v, expr->lhs, first);
    const uint32_t rhs = next_symbol(v, expr->rhs, first);
    return lhs < rhs ? lhs : rhs;
}

static void note_symbols(Validator *v, DiagMessage *message, const Expr *expr, const char *why)
{
    const uint32_t count = v->spec->symbols_count;
    for (uint32_t i = next_symbol(v, expr, 0); i < count; i = next_symbol(v, expr, i + 1)) {
        diag_note(v->diag, message, diag_value(&v->spec->symbols[i].name), "symbol '%s'%s", v->spec->symbols[i].name,
                  why);
    }
}

/* The first divisor that is not known to differ from 0, or null. */
static const Expr *zero_divisor(Guards *guards, const Expr *expr)
{
    if (!expr_is_operation(expr)) {
        return NULL;
    }
    const Operator operation = expr_operator(expr);
    const bool divides = operation == OPERATOR_FLOORDIV || operation == OPERATOR_MOD;
    const Expr *inside = zero_divisor(guards, expr->lhs);
    inside = inside != NULL ? inside : zero_divisor(guards, expr->rhs);
    return inside != NULL || !divides || guards_zero(guards, expr->rhs) == TRUTH_NO ? inside : expr->rhs;
}

/* It is a fact from now on, or reported. */
static void validate_truth(Validator *v, Guards *guards, uint32_t i)
{
    const SpecInts *all = &v->graph->guards;
    const Expr *expr = all->expr[i];
    if (guards_truth(guards, expr) != TRUTH_NO) {
        guards_assume(guards, expr);
        return;
    }
    const bool alone = guards_truth(derive_guards(&v->scratch, v->spec, v->graph), expr) == TRUTH_NO;
    DiagMessage *message =
        validate_error(v, RULE_GUARD, diag_value(&all->text[i]), "the guard '%s' never holds %s", all->text[i],
                       alone ? "within the bounds of its symbols" : "where the guards before it do");
    note_symbols(v, message, expr, " is declared here");
}

/* true: nothing is wrong with it so far. */
static bool validate_guard(Validator *v, Guards *guards, uint32_t i)
{
    const SpecInts *all = &v->graph->guards;
    const Expr *expr = all->expr[i];
    const DiagPlace place = diag_value(&all->text[i]);
    if (next_symbol(v, expr, 0) == v->spec->symbols_count) {
        validate_error(v, RULE_GUARD, place, "the guard '%s' has no symbol, so it says nothing about a call",
                       all->text[i]);
        return false;
    }
    const Expr *divisor = zero_divisor(guards, expr);
    if (divisor != NULL) {
        DiagMessage *message =
            validate_error(v, RULE_GUARD, place, "the guard '%s' divides by what may be 0", all->text[i]);
        note_symbols(v, message, divisor,
                     divisor->kind == EXPR_SYMBOL ? " is the divisor; 'min: 1' would exclude 0" : " is in the divisor");
        return false;
    }
    return true;
}

void validate_guards(Validator *v)
{
    SpecInts *all = &v->graph->guards;
    bool good = true;
    if (all->text_count == 0) {
        return;
    }
    all->expr = ARENA_ARRAY(v->arena, const Expr *, all->text_count);
    for (uint32_t i = 0; i < all->text_count; i++) {
        all->expr[i] = validate_condition_expr(v, &all->text[i]);
        good = good && all->expr[i] != NULL;
    }
    if (!good || v->doubts != DOUBT_NOTHING) {
        return;
    }
    Guards *guards = derive_guards(&v->scratch, v->spec, v->graph);
    for (uint32_t i = 0; i < all->text_count; i++) {
        if (validate_guard(v, guards, i)) {
            validate_truth(v, guards, i);
        }
    }
}
