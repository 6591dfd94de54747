/* SPDX-License-Identifier: MIT */
/*
 * reference_unbacked - symbols that no argument tells: what stands where they are stated is noted while results are
 * looked at, one by one. Then each of them is the first size or number that is just the symbol, and has to lie within
 * its bounds; then everything else that was noted has to be what is stated.
 */
#include <stddef.h>

#include "reference_private.h"

bool reference_defines(Reference *r, const Expr *expr)
{
    const bool first =
        expr->kind == EXPR_SYMBOL && evaluate_is_unbacked(r->layout->spec, expr) && !r->claimed[expr->symbol];
    if (first && r->inside == &r->layout->forward) {
        r->claimed[expr->symbol] = true;
        return true;
    }
    return false;
}

void reference_note(Reference *r, ResultUse use)
{
    if (r->inside != &r->layout->forward || !evaluate_is_unbacked(r->layout->spec, use.expr)) {
        return;
    }
    if (r->num_late == r->late_capacity) {
        const uint32_t wider = r->late_capacity == 0 ? 32 : r->late_capacity * 2;
        r->late = arena_grow(&r->ctx->arena, r->late, r->late_capacity * sizeof(ResultUse), wider * sizeof(ResultUse));
        r->late_capacity = wider;
    }
    r->late[r->num_late++] = use;
}

/* All of one result's can be computed, before any is compared. */
static bool is_computable(const Reference *r, uint32_t first)
{
    int64_t ignored = 0;
    bool good = true;
    for (uint32_t i = first; i < r->num_late && r->late[i].result == r->late[first].result; i++) {
        const ResultUse *use = &r->late[i];
        good = good && (!use->tested || !evaluate_is_bound(&r->symbols, use->expr) ||
                        evaluate(&r->symbols, use->expr, &ignored));
    }
    return good;
}

static bool compare(Reference *r, const ResultUse *use)
{
    int64_t expected = 0;
    if (!use->tested || use->leads_nowhere || !evaluate_is_bound(&r->symbols, use->expr)) {
        return true;
    }
    (void)evaluate(&r->symbols, use->expr, &expected);
    if (expected != use->found) {
        (void)reference_fails_with(r, WG_E_RESULT, use->name, use->dimension, expected, use->found);
        r->error->rule = use->rule;
        return false;
    }
    return true;
}

bool reference_define_symbols(Reference *r)
{
    for (uint32_t i = 0; i < r->num_late; i++) {
        const ResultUse *late = &r->late[i];
        const Use use = {late->name, late->expr, WG_E_RESULT, late->dimension, late->found};
        if (late->defines && !reference_bind(r, &use)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < r->num_late && r->graph->check >= SPEC_CHECK_CHEAP; i++) {
        if ((i == 0 || r->late[i].result != r->late[i - 1].result) && !is_computable(r, i)) {
            return reference_fails(r, WG_E_OVERFLOW, r->late[i].name);
        }
        if (!compare(r, &r->late[i])) {
            return false;
        }
    }
    return true;
}
