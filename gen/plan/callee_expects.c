/* SPDX-License-Identifier: MIT */
/* callee_expects - what the YAML says of an AOTInductor model, as the lines that a model's own description is held to.
 */
#include "callee.h"

#include <inttypes.h>

#include "../algebra/expr.h"
#include "../facts/comment.h"

static void collect(const SpecInts *ints, ExprSymbols *symbols)
{
    for (uint32_t i = 0; ints != NULL && i < ints->text_count; i++) {
        const Expr *expr = derive_expr(ints, i);
        if (expr != NULL) {
            expr_collect_symbols(expr, symbols);
        }
    }
}

/* Those that sizes and strides of arguments have, and what guards say about them. */
static ExprSymbols used_symbols(const Plan *plan)
{
    ExprSymbols symbols = expr_symbols_new(plan->arena, plan->spec->symbols_count);
    for (uint32_t i = 0; i < plan->arguments.count; i++) {
        collect(plan->arguments.at[i].size, &symbols);
        collect(plan->arguments.at[i].stride, &symbols);
    }
    collect(&plan->graph->guards, &symbols);
    return symbols;
}

static void add_values(const Plan *plan, const PlanValues *values, const char *what, const char **lines, uint32_t *n)
{
    for (uint32_t i = 0; i < values->count; i++) {
        lines[(*n)++] = arena_printf(plan->arena, "%s %" PRIu32 ": %s", what, i, callee_text(plan, &values->at[i]));
    }
}

uint32_t callee_expects(const Plan *plan, const char ***lines)
{
    const ExprSymbols symbols = used_symbols(plan);
    const SpecInts *guards = &plan->graph->guards;
    const uint32_t capacity = symbols.count + guards->text_count + plan->arguments.count + plan->returns.count;
    uint32_t n = 0;
    *lines = ARENA_ARRAY(plan->arena, const char *, capacity + 1);
    for (uint32_t i = 0; i < symbols.count; i++) {
        (*lines)[n++] = comment_bounds(plan->arena, &plan->spec->symbols[symbols.at[i]]);
    }
    for (uint32_t i = 0; i < guards->text_count; i++) {
        (*lines)[n++] = arena_printf(plan->arena, "guard: %s", guards->text[i]);
    }
    add_values(plan, &plan->arguments, "input", *lines, &n);
    add_values(plan, &plan->returns, "output", *lines, &n);
    return n;
}
