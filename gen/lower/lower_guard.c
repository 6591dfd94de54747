/* SPDX-License-Identifier: MIT */
/*
 * lower_guard - a graph's guards as tests. What always holds, given the bounds of the symbols and the guards before it,
 * costs nothing: both have been tested by then.
 */
#include "lower.h"

#include <inttypes.h>

/* Calls itself for the symbols of a tree, in the order in which they are read; each once. */
static void collect(const Lower *lower, const Expr *expr, bool *seen, uint32_t *symbols, uint32_t *count)
{
    if (expr->kind == EXPR_SYMBOL && !seen[expr->symbol]) {
        seen[expr->symbol] = true;
        symbols[(*count)++] = expr->symbol;
    } else if (expr_is_operation(expr)) {
        collect(lower, expr->lhs, seen, symbols, count);
        collect(lower, expr->rhs, seen, symbols, count);
    }
}

static void lower_guard(Lower *lower, uint32_t i, const Expr *tested)
{
    const SpecInts *all = &lower->graph->guards;
    const Spec *spec = lower->plan->spec;
    bool *seen = ARENA_ARRAY(lower->arena, bool, spec->symbols_count);
    uint32_t *symbols = ARENA_ARRAY(lower->arena, uint32_t, spec->symbols_count);
    IntegerRef *values = ARENA_ARRAY(lower->arena, IntegerRef, spec->symbols_count);
    const char *names = "";
    uint32_t count = 0;
    collect(lower, all->expr[i], seen, symbols, &count);
    for (uint32_t k = 0; k < count; k++) {
        names = arena_printf(lower->arena, "%s%s%s", names, k > 0 ? ", " : "", spec->symbols[symbols[k]].name);
        values[k] = lower->symbols[symbols[k]];
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
    LOWER_EMIT(lower, check_guard, operand_integer(condition), operand_text(names), operand_integers(values, count),
               operand_site(site));
}

void lower_guards(Lower *lower)
{
    const SpecInts *all = &lower->graph->guards;
    if (all->text_count == 0) {
        return;
    }
    Guards *guards = derive_guards(lower->arena, lower->plan->spec, lower->graph);
    for (uint32_t i = 0; i < all->text_count; i++) {
        const Expr *tested = guards_simplify(guards, all->expr[i]);
        lower_at(lower, lower->graph, ".guards", i);
        if (tested != NULL) {
            lower_guard(lower, i, tested);
        }
        guards_assume(guards, all->expr[i]);
    }
}
