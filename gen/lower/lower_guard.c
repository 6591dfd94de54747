/* SPDX-License-Identifier: MIT */
/*
 * lower_guard - a graph's guards as tests. What always holds, given the bounds of the symbols and the guards before it,
 * costs nothing: both have been tested by then.
 */
#include "lower.h"

#include <inttypes.h>

/* The symbols of a guard, in the order in which they are read, each once. The arrays have room for all symbols of the
 * file, and serve one guard after another. */
typedef struct Symbols {
    bool *seen;
    uint32_t *at;
    uint32_t count;
} Symbols;

static void collect(const Expr *expr, Symbols *symbols)
{
    if (expr->kind == EXPR_SYMBOL && !symbols->seen[expr->symbol]) {
        symbols->seen[expr->symbol] = true;
        symbols->at[symbols->count++] = expr->symbol;
    } else if (expr_is_operation(expr)) {
        collect(expr->lhs, symbols);
        collect(expr->rhs, symbols);
    }
}

static void forget(Symbols *symbols)
{
    while (symbols->count > 0) {
        symbols->seen[symbols->at[--symbols->count]] = false;
    }
}

static void lower_guard(Lower *lower, uint32_t i, const Expr *tested, const Symbols *symbols)
{
    const SpecInts *all = &lower->graph->guards;
    const Spec *spec = lower->plan->spec;
    IntegerRef *values = ARENA_ARRAY(lower->arena, IntegerRef, symbols->count);
    const char *names = "";
    for (uint32_t k = 0; k < symbols->count; k++) {
        names = arena_printf(lower->arena, "%s%s%s", names, k > 0 ? ", " : "", spec->symbols[symbols->at[k]].name);
        values[k] = lower->symbols[symbols->at[k]];
    }
    names = arena_printf(lower->arena, "\"%s\"", names); /* identifiers: there is nothing to escape */
    const IntegerRef condition = lower_expr(lower, tested);
    if (lower->arithmetic) {
        const char *rule = arena_printf(lower->arena, "guard%" PRIu32 "overflow", i);
        LOWER_EMIT(lower, check_overflow,
                   operand_site(
                       plan_site_saying(lower->plan, NULL, NULL, rule, "WG_E_OVERFLOW", "WG_KIND_NONE", all->text[i])));
        lower->arithmetic = false;
    }
    const Site *site = plan_site_saying(lower->plan, NULL, NULL, arena_printf(lower->arena, "guard%" PRIu32, i),
                                        "WG_E_GUARD", "WG_KIND_NONE", all->text[i]);
    LOWER_EMIT(lower, check_guard, operand_integer(condition), operand_text(names),
               operand_integers(values, symbols->count), operand_site(site));
}

void lower_guards(Lower *lower)
{
    const SpecInts *all = &lower->graph->guards;
    if (all->text_count == 0) {
        return;
    }
    const uint32_t num_symbols = lower->plan->spec->symbols_count;
    Symbols symbols = {ARENA_ARRAY(lower->arena, bool, num_symbols), ARENA_ARRAY(lower->arena, uint32_t, num_symbols),
                       0};
    Guards *guards = derive_guards(lower->arena, lower->plan->spec, lower->graph);
    for (uint32_t i = 0; i < all->text_count; i++) {
        const Expr *tested = guards_simplify(guards, all->expr[i]);
        lower_at(lower, lower->graph, ".guards", i);
        if (tested != NULL) {
            collect(all->expr[i], &symbols);
            lower_guard(lower, i, tested, &symbols);
            forget(&symbols);
        }
        guards_assume(guards, all->expr[i]);
    }
}
