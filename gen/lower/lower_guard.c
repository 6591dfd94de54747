/* SPDX-License-Identifier: MIT */
/*
 * lower_guard - a graph's guards as tests, as far as they say more than the bounds of symbols and the guards before.
 */
#include "lower.h"

#include <inttypes.h>

static void lower_guard(Lower *lower, uint32_t i, const Expr *tested, const ExprSymbols *symbols)
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
    const IntegerRef condition = lower_as_written(lower, tested);
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
    ExprSymbols symbols = expr_symbols_new(lower->arena, num_symbols);
    const Expr **tested = derive_tested_guards(lower->arena, lower->plan->spec, lower->graph);
    for (uint32_t i = 0; i < all->text_count; i++) {
        lower_at(lower, lower->graph, ".guards", i);
        if (tested[i] != NULL) {
            expr_collect_symbols(all->expr[i], &symbols);
            lower_guard(lower, i, tested[i], &symbols);
            expr_forget_symbols(&symbols);
        }
    }
}
