/* SPDX-License-Identifier: MIT */
/*
 * validate_nested - nested ints, the sizes of ragged dimensions: each has an owner, a tensor whose identity is its own,
 * and stands only where an identity means something.
 *
 * A nested int may be an int that is passed or returned, what a plain tensor owns, and an outer dimension of a
 * subclass; outer strides have multiples of one. Outer dimensions are never read: that an attribute of the same tree
 * owns the nested int is what gives them a meaning, so the rule here is that one does, and that the tree says so in
 * both places. For every other reader such a dimension is what the word `nested` is: an expression that is null.
 */
#include "validate.h"

static const SpecSymbol *symbol_of(const Validator *v, uint32_t symbol)
{
    return &v->spec->symbols[symbol];
}

static void note_declared(Validator *v, DiagMessage *message, uint32_t symbol)
{
    diag_note(v->diag, message, diag_key(&symbol_of(v, symbol)->nested), "declared nested here");
}

void validate_nested_bounds(Validator *v, const SpecSymbol *symbol)
{
    char *const *const bounds[] = {&symbol->min, &symbol->max, &symbol->multiple_of};
    for (size_t i = 0; spec_is(symbol->nested) && i < sizeof bounds / sizeof bounds[0]; i++) {
        if (*bounds[i] != NULL) {
            DiagMessage *message = validate_error(v, RULE_SYMBOL_NESTED, diag_value(bounds[i]),
                                                  "nested int '%s' has no bounds: it is not a number", symbol->name);
            diag_note(v->diag, message, diag_key(&symbol->nested), "declared nested here");
        }
    }
}

bool validate_is_nested(const Validator *v, uint32_t symbol)
{
    return spec_is(symbol_of(v, symbol)->nested);
}

/* A nested int that the expression has, or the number of symbols. */
static uint32_t nested_in(const Validator *v, const Expr *expr)
{
    const uint32_t none = v->spec->symbols_count;
    if (expr->kind == EXPR_SYMBOL) {
        return validate_is_nested(v, expr->symbol) ? expr->symbol : none;
    }
    if (expr->kind == EXPR_LITERAL) {
        return none;
    }
    const uint32_t lhs = nested_in(v, expr->lhs);
    return lhs != none ? lhs : nested_in(v, expr->rhs);
}

bool validate_nested_use(Validator *v, uint32_t symbol, DiagPlace place)
{
    const char *name = symbol_of(v, symbol)->name;
    const char *what = v->integer->what;
    DiagMessage *message = NULL;
    if (!validate_is_nested(v, symbol) || v->integer->nested == NESTED_NAMED || v->integer->nested == NESTED_COMPARED) {
        return false;
    }
    if (v->integer->nested == NESTED_BACKWARD) {
        message = validate_error(
            v, RULE_SYMBOL_NESTED, place,
            "nested int '%s' in a backward, which is not told which tensor owns it; write 'nested'", name);
    } else if (v->integer->nested == NESTED_FORBIDDEN) {
        message = validate_error(v, RULE_SYMBOL_NESTED, place, "nested int '%s' in %s: it is not a number", name, what);
    }
    if (message != NULL) {
        v->doubts |= DOUBT_BINDING;
        note_declared(v, message, symbol);
    }
    return true;
}

bool validate_nested_condition(Validator *v, char *const *field, uint32_t symbol)
{
    if (validate_is_nested(v, symbol)) {
        DiagMessage *message =
            validate_error(v, RULE_SYMBOL_NESTED, diag_value(field),
                           "nested int '%s' in a condition, which compares numbers", symbol_of(v, symbol)->name);
        note_declared(v, message, symbol);
    }
    return validate_is_nested(v, symbol);
}

static void report_computed(Validator *v, char *const *field, uint32_t symbol, const char *allowed)
{
    DiagMessage *message =
        validate_error(v, RULE_SYMBOL_NESTED, diag_value(field),
                       "nothing can be computed from nested int '%s': it is not a number, so it stands by itself%s",
                       symbol_of(v, symbol)->name, allowed);
    v->doubts |= DOUBT_BINDING;
    note_declared(v, message, symbol);
}

bool validate_nested_named(Validator *v, char *const *field, const Expr *expr)
{
    SymbolScope *scope = &v->scope;
    const uint32_t symbol = nested_in(v, expr);
    if (symbol == v->spec->symbols_count) {
        return true;
    }
    if (expr->kind != EXPR_SYMBOL) {
        report_computed(v, field, symbol, "");
        return false;
    }
    if (scope->named_at[symbol] != scope->stamp) {
        scope->named_at[symbol] = scope->stamp;
        scope->first_named[symbol] = diag_value(field);
        scope->named[scope->num_named++] = symbol;
    }
    return true;
}

/* A nested int that is not just compared with another, or the number of symbols. */
static uint32_t misused_in(const Validator *v, const Expr *condition)
{
    const uint32_t none = v->spec->symbols_count;
    const Operator operation = expr_operator(condition);
    if (operator_takes_conditions(operation)) {
        const uint32_t lhs = misused_in(v, condition->lhs);
        return lhs != none ? lhs : misused_in(v, condition->rhs);
    }
    const uint32_t lhs = nested_in(v, condition->lhs);
    const uint32_t rhs = nested_in(v, condition->rhs);
    const bool both = lhs != none && rhs != none && condition->lhs->kind == EXPR_SYMBOL &&
                      condition->rhs->kind == EXPR_SYMBOL && (operation == OPERATOR_EQ || operation == OPERATOR_NE);
    return both ? none : lhs != none ? lhs : rhs;
}

bool validate_nested_compared(Validator *v, char *const *field, const Expr *condition)
{
    const uint32_t symbol = misused_in(v, condition);
    if (symbol == v->spec->symbols_count) {
        return true;
    }
    DiagMessage *message =
        validate_error(v, RULE_SYMBOL_NESTED, diag_value(field),
                       "nested int '%s' in a guard: it is not a number, and can only be compared with "
                       "another nested int, by == or !=",
                       symbol_of(v, symbol)->name);
    v->doubts |= DOUBT_BINDING;
    note_declared(v, message, symbol);
    return false;
}

/* ---- trees ---- */

static bool owns_below(const SpecSubclass *node, uint32_t symbol)
{
    bool owns = node->owns.expr != NULL && node->owns.expr->symbol == symbol;
    for (uint32_t i = 0; i < node->inner_count && !owns; i++) {
        owns = owns_below(&node->inner[i], symbol);
    }
    return owns;
}

static bool is_multiple(const Expr *expr)
{
    int64_t factor = 0;
    return expr->kind == EXPR_SYMBOL ||
           (expr->kind == EXPR_MUL &&
            ((expr->lhs->kind == EXPR_SYMBOL && expr_is_literal(expr->rhs, &factor) && factor > 0) ||
             (expr->rhs->kind == EXPR_SYMBOL && expr_is_literal(expr->lhs, &factor) && factor > 0)));
}

bool validate_nested_outer(Validator *v, const SpecSubclass *node, char *const *field, const Expr *expr,
                           const char *whose)
{
    SymbolScope *scope = &v->scope;
    const uint32_t symbol = nested_in(v, expr);
    if (symbol == v->spec->symbols_count) {
        return false;
    }
    const bool seen = scope->outer_at[symbol] == scope->outer_stamp; /* a mistake is reported once */
    scope->outer_at[symbol] = scope->outer_stamp;
    if (!is_multiple(expr)) {
        report_computed(v, field, symbol, " or, in a stride, times a literal");
    } else if (!seen && v->integer->nested == NESTED_OUTER && !owns_below(node, symbol)) {
        const char *name = symbol_of(v, symbol)->name;
        DiagMessage *message =
            validate_error(v, RULE_SYMBOL_NESTED, diag_value(field),
                           "nested int '%s' has no owner: no attribute of %s says 'owns: %s'", name, whose, name);
        diag_note(v->diag, message, diag_key(&node->inner), "its attributes");
        note_declared(v, message, symbol);
        scope->owned_at[symbol] = scope->stamp; /* nor does the graph report it again */
    }
    return true;
}

void validate_nested_node(Validator *v, const SpecSubclass *node, const char *whose)
{
    for (uint32_t i = 0; i < node->inner_count; i++) {
        const SpecSubclass *child = &node->inner[i];
        const uint32_t symbol = child->owns.expr != NULL ? child->owns.expr->symbol : 0;
        if (child->owns.expr == NULL || v->scope.outer_at[symbol] == v->scope.outer_stamp) {
            continue;
        }
        DiagMessage *message = validate_error(v, RULE_SYMBOL_NESTED, diag_value(&child->owns.text),
                                              "attribute '%s' owns nested int '%s', which is not a dimension of %s",
                                              child->attr, symbol_of(v, symbol)->name, whose);
        if (node->outer_size.text != NULL) {
            diag_note(v->diag, message, diag_key(&node->outer_size.text), "its dimensions");
        }
    }
}

/* ---- the graph ---- */

void validate_nested_end(Validator *v)
{
    const SymbolScope *scope = &v->scope;
    for (uint32_t i = 0; i < scope->num_named; i++) {
        const uint32_t symbol = scope->named[i];
        if (scope->owned_at[symbol] != scope->stamp) {
            const char *name = symbol_of(v, symbol)->name;
            DiagMessage *message =
                validate_error(v, RULE_SYMBOL_NESTED, scope->first_named[symbol],
                               "nested int '%s' has no owner: no tensor of the graph says 'owns: %s'", name, name);
            note_declared(v, message, symbol);
        }
    }
}
