/* SPDX-License-Identifier: MIT */
/*
 * validate_guard - the guards of a graph or a variant: each can be read, is about symbols, can hold together with those
 * before it, and divides by nothing that may be 0. One that always holds is right, too: nothing is tested then.
 */
#include "validate.h"

#include <inttypes.h>
#include <string.h>

/* The least symbol from `first` on that is used; the number of symbols: there is none. */
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

/* A list of guards: of the graph, or of a variant. */
typedef struct List {
    SpecInts *all;
    const SpecKernel *kernel;   /* of the variant */
    const SpecVariant *variant; /* null: of the graph */
    const SpecArg *const *args; /* of the variant: what each entry of `when` is about */
    Guards *guards;
} List;

static bool names(const char *text, const SpecSymbol *symbol)
{
    return text != NULL && strcmp(text, symbol->name) == 0;
}

/* A stride does not bind: of a dim of size 1 it can be anything. */
static bool is_size(const SpecWhen *when, const SpecSymbol *symbol)
{
    bool found = false;
#define INTEGER(key, KIND, FIELD, what, never) found = found || names(when->key, symbol);
#include "../facts/integers.def"
#undef INTEGER
    for (uint32_t i = 0; i < when->size.text_count; i++) {
        found = found || names(when->size.text[i], symbol);
    }
    return found;
}

static bool is_bound(const List *list, const SpecSymbol *symbol)
{
    bool found = false;
    for (uint32_t i = 0; i < spec_conditions_count(list->kernel, list->variant); i++) {
        const SpecWhen *when = spec_condition(list->kernel, list->variant, i);
        found = found || is_size(when, symbol) || (list->args[i]->kind == SPEC_INT && names(when->value, symbol));
    }
    return found;
}

/* What is known about the symbols where the guards are tested. */
static Guards *facts_of(Validator *v, const List *list)
{
    const Spec *spec = v->spec;
    if (list->variant == NULL) {
        return derive_guards(&v->scratch, spec, v->graph);
    }
    IntegerRange *ranges = ARENA_ARRAY(&v->scratch, IntegerRange, spec->symbols_count);
    int64_t *multiples = ARENA_ARRAY(&v->scratch, int64_t, spec->symbols_count);
    for (uint32_t i = 0; i < spec->symbols_count; i++) {
        const SpecSymbol *symbol = &spec->symbols[i];
        bool size = false;
        for (uint32_t k = 0; k < spec_conditions_count(list->kernel, list->variant); k++) {
            size = size || is_size(spec_condition(list->kernel, list->variant, k), symbol);
        }
        ranges[i] = (IntegerRange){symbol->has_min, symbol->has_max, symbol->min_value, symbol->max_value};
        if (size) {
            integer_range_of_size(&ranges[i]);
        }
        multiples[i] = symbol->multiple_of_value > 1 ? symbol->multiple_of_value : 1;
    }
    return guards_new(&v->scratch, ranges, multiples, spec->symbols_count);
}

/* It is a fact from now on, or reported. */
static void validate_truth(Validator *v, const List *list, uint32_t i)
{
    const SpecInts *all = list->all;
    const Expr *expr = all->expr[i];
    if (guards_truth(list->guards, expr) != TRUTH_NO) {
        guards_assume(list->guards, expr);
        return;
    }
    const bool alone = guards_truth(facts_of(v, list), expr) == TRUTH_NO;
    DiagMessage *message =
        validate_error(v, RULE_GUARD, diag_value(&all->text[i]), "the guard '%s' never holds %s", all->text[i],
                       alone ? "within the bounds of its symbols" : "where the guards before it do");
    note_symbols(v, message, expr, " is declared here");
}

/* A symbol of the expression that no condition of the variant binds, or null. */
static const SpecSymbol *unbound(const Validator *v, const List *list, const Expr *expr)
{
    const uint32_t count = v->spec->symbols_count;
    for (uint32_t i = next_symbol(v, expr, 0); i < count; i = next_symbol(v, expr, i + 1)) {
        if (!is_bound(list, &v->spec->symbols[i])) {
            return &v->spec->symbols[i];
        }
    }
    return NULL;
}

/* true: nothing is wrong with it so far. */
static bool validate_guard(Validator *v, const List *list, uint32_t i)
{
    const SpecInts *all = list->all;
    const Expr *expr = all->expr[i];
    const DiagPlace place = diag_value(&all->text[i]);
    if (next_symbol(v, expr, 0) == v->spec->symbols_count) {
        validate_error(v, RULE_GUARD, place, "the guard '%s' has no symbol, so it says nothing about a call",
                       all->text[i]);
        return false;
    }
    const SpecSymbol *symbol = list->variant != NULL ? unbound(v, list, expr) : NULL;
    if (symbol != NULL) {
        DiagMessage *message = validate_error(v, RULE_GUARD, place,
                                              "the guard '%s' names '%s', and no size, rank, length or value in "
                                              "'when' of this variant is that symbol",
                                              all->text[i], symbol->name);
        diag_note(v->diag, message, diag_value(&symbol->name), "symbol '%s' is declared here", symbol->name);
        return false;
    }
    const Expr *divisor = zero_divisor(list->guards, expr);
    if (divisor != NULL) {
        DiagMessage *message =
            validate_error(v, RULE_GUARD, place, "the guard '%s' divides by what may be 0", all->text[i]);
        note_symbols(v, message, divisor,
                     divisor->kind == EXPR_SYMBOL ? " is the divisor; 'min: 1' would exclude 0" : " is in the divisor");
        return false;
    }
    return true;
}

static void validate_list(Validator *v, List list)
{
    const IntegerRule rule = {"a guard", SYMBOL_GIVEN, 0, list.variant != NULL ? NESTED_FORBIDDEN : NESTED_COMPARED};
    SpecInts *all = list.all;
    bool good = true;
    if (all->text_count == 0) {
        return;
    }
    all->expr = ARENA_ARRAY(v->arena, const Expr *, all->text_count);
    for (uint32_t i = 0; i < all->text_count; i++) {
        all->expr[i] = validate_parse(v, &all->text[i], &rule, expr_parse_condition, RULE_GUARD);
        good = all->expr[i] != NULL && validate_nested_compared(v, &all->text[i], all->expr[i]) && good;
    }
    if (!good || v->doubts != DOUBT_NOTHING) {
        return;
    }
    list.guards = facts_of(v, &list);
    for (uint32_t i = 0; i < all->text_count; i++) {
        if (validate_guard(v, &list, i)) {
            validate_truth(v, &list, i);
        }
    }
}

void validate_guards(Validator *v)
{
    validate_list(v, (List){.all = &v->graph->guards});
}

void validate_variant_guards(Validator *v, const SpecKernel *kernel, SpecVariant *variant, const SpecArg *const *args)
{
    validate_list(v, (List){.all = &variant->guards, .kernel = kernel, .variant = variant, .args = args});
}
