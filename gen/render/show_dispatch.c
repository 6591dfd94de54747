/* SPDX-License-Identifier: MIT */
/*
 * show_dispatch - how a kernel's dispatcher finds a variant, step by step: from the plan that the generated code is
 * rendered from (view_choice.c), with what is left to test for each variant, and a call that the proof found for it.
 */
#include <inttypes.h>

#include "show_private.h"

enum { OPEN_MOST = 24 }; /* variants whose tests and calls a page shows at first */

typedef struct Shown {
    View *view;
    const Kernel *kernel;
    const Dispatch *dispatch;
    const DispatchPlan *plan;
    const Proof *proof;
} Shown;

/* A call for which the proof found that the variant is chosen (num_variants: that none is); null: it found none. */
static const char *example_text(const Dispatch *dispatch, const Proof *proof, uint32_t variant)
{
    const FindingKind kind = variant == dispatch->num_variants ? FINDING_UNCOVERED : FINDING_REACHED;
    for (uint32_t i = 0; i < proof->num_findings; i++) {
        if (proof->findings[i].kind == kind && proof->findings[i].variant == variant) {
            return prove_witness_text(dispatch, &proof->findings[i].witness);
        }
    }
    return NULL;
}

/* ---- variants that are tried one after another ---- */

/* What is left to test, where the values of the first `num_known` keys were compared. */
static Value left_value(const Shown *shown, const DispatchVariant *variant, uint32_t num_known)
{
    View *view = shown->view;
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        if (dispatch_is_left(shown->plan, &variant->clauses[i], shown->plan->keys, num_known)) {
            show_row(view, list, i, "", dispatch_clause_text(view->arena, shown->dispatch, &variant->clauses[i]));
        }
    }
    return list;
}

static Value variants_value(const Shown *shown, const uint32_t *variants, uint32_t n, uint32_t num_known)
{
    View *view = shown->view;
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < n; i++) {
        const SpecVariant *spec = shown->dispatch->variants[variants[i]].spec;
        const char *name = *dispatch_variant_name(spec);
        const char *symbol = kernel_callee(shown->kernel, spec);
        const Value left = left_value(shown, &shown->dispatch->variants[variants[i]], num_known);
        Value row = show_row(view, list, variants[i], name,
                             spec->graph != NULL ? "a graph with its wrapper" : "a compiled function");
        view_put_text(view, row, KEY_symbol, str_equal(name, symbol) ? NULL : symbol);
        view_put(view, row, KEY_clauses, left);
        view_put_bool(view, row, KEY_always, left.as.list->count == 0);
        view_put_text(view, row, KEY_example, example_text(shown->dispatch, shown->proof, variants[i]));
        view_put_bool(view, row, KEY_open, shown->dispatch->num_variants <= OPEN_MOST);
    }
    return list;
}

static Value leaf_value(const Shown *shown, uint32_t first, uint32_t end)
{
    View *view = shown->view;
    Value object = value_object(view->arena, 3);
    view_put_bool(view, object, KEY_switch, false);
    view_put(view, object, KEY_cases, value_list(view->arena));
    view_put(view, object, KEY_variants,
             variants_value(shown, &shown->plan->keyed[first], end - first, shown->plan->num_keys));
    return object;
}

/* ---- switches ---- */

/* The keyed variants from `first` to `end`, which agree in the keys before `depth`. */
static Value tree_value(const Shown *shown, uint32_t first, uint32_t end, uint32_t depth)
{
    View *view = shown->view;
    if (depth == shown->plan->num_keys) {
        return leaf_value(shown, first, end);
    }
    Value object = value_object(view->arena, 2);
    Value cases = value_list(view->arena);
    uint32_t next = first;
    for (uint32_t i = first; i < end; i = next) {
        int64_t value = 0;
        next = dispatch_branch(shown->dispatch, shown->plan, i, end, depth, &value);
        Value item = show_row(view, cases, i, "",
                              dispatch_test_text(view->arena, shown->dispatch, shown->plan->keys[depth], value));
        view_put(view, item, KEY_tree, tree_value(shown, i, next, depth + 1));
    }
    view_put_bool(view, object, KEY_switch, true);
    view_put(view, object, KEY_cases, cases);
    return object;
}

/* ---- the hash ---- */

/* The values of a group's keys: 16, float16. */
static Value cells_value(const Shown *shown, const DispatchVariant *variant)
{
    Value cells = value_list(shown->view->arena);
    for (uint32_t i = 0; i < shown->plan->num_keys; i++) {
        const uint32_t field = shown->plan->keys[i];
        int64_t value = 0;
        (void)dispatch_literal_of(variant, field, &value);
        view_push_text(shown->view, cells, dispatch_value_text(shown->dispatch, field, value), i,
                       i + 1 == shown->plan->num_keys);
    }
    return cells;
}

static Value hash_value(const Shown *shown)
{
    View *view = shown->view;
    const DispatchPlan *plan = shown->plan;
    Value object = value_object(view->arena, 2);
    Value keys = value_list(view->arena);
    Value cases = value_list(view->arena);
    for (uint32_t i = 0; i < plan->num_keys; i++) {
        show_row(view, keys, i, "", dispatch_field_text(shown->dispatch, plan->keys[i]));
    }
    for (uint32_t i = 0; i < plan->num_groups; i++) {
        const uint32_t first = plan->groups[i];
        Value item = show_row(view, cases, i, "", "");
        view_put(view, item, KEY_cells, cells_value(shown, &shown->dispatch->variants[plan->keyed[first]]));
        view_put(view, item, KEY_tree, leaf_value(shown, first, plan->groups[i + 1]));
    }
    view_put(view, object, KEY_keys, keys);
    view_put(view, object, KEY_cases, cases);
    return object;
}

/* ---- the whole ---- */

/* "8 of 9 variants are found", "all 8 variants are found" */
static const char *keyed_text(const Shown *shown)
{
    const uint32_t n = shown->dispatch->num_variants;
    const uint32_t keyed = shown->plan->num_keyed;
    return keyed == n ? arena_printf(shown->view->arena, "all %" PRIu32 " variants are", n)
                      : arena_printf(shown->view->arena, "%" PRIu32 " of %" PRIu32 " variants %s", keyed, n,
                                     keyed == 1 ? "is" : "are");
}

static const char *strategy_text(const Shown *shown)
{
    Arena *arena = shown->view->arena;
    const DispatchPlan *plan = shown->plan;
    const uint32_t n = shown->dispatch->num_variants;
    switch (plan->strategy) {
    case STRATEGY_HASH:
        return arena_printf(arena, "hash: %s looked up in a table of %u slots without collisions", keyed_text(shown),
                            1U << plan->slot_bits);
    case STRATEGY_TREE:
        return arena_printf(arena, "tree: %s found by nested switches over %" PRIu32 " value%s", keyed_text(shown),
                            plan->num_keys, plan->num_keys == 1 ? "" : "s");
    case STRATEGY_AUTO:
    case STRATEGY_CHAIN:
        break;
    }
    return n == 1 ? "chain: 1 variant is tried"
                  : arena_printf(arena, "chain: %" PRIu32 " variants are tried in order", n);
}

/* What every variant requires and the dispatcher tests before it looks for one. */
static Value hoisted_value(const Shown *shown)
{
    View *view = shown->view;
    const DispatchVariant *first = &shown->dispatch->variants[0];
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < first->num_clauses; i++) {
        if (dispatch_is_hoisted(shown->plan, &first->clauses[i])) {
            show_row(view, list, i, "", dispatch_clause_text(view->arena, shown->dispatch, &first->clauses[i]));
        }
    }
    return list;
}

Value show_dispatch(View *view, const Kernel *kernel, const Dispatch *dispatch, const DispatchPlan *plan,
                    const Proof *proof)
{
    const Shown shown = {view, kernel, dispatch, plan, proof};
    if (dispatch->num_variants == 0) {
        return value_null();
    }
    Value object = value_object(view->arena, 10);
    const Value hoisted = hoisted_value(&shown);
    view_put_text(view, object, KEY_strategy, strategy_text(&shown));
    view_put_text(view, object, KEY_why, plan->why);
    view_put(view, object, KEY_checks, hoisted);
    view_put_bool(view, object, KEY_has_checks, hoisted.as.list->count > 0);
    view_put(view, object, KEY_tree,
             plan->strategy == STRATEGY_TREE ? tree_value(&shown, 0, plan->num_keyed, 0) : value_null());
    view_put(view, object, KEY_hash, plan->strategy == STRATEGY_HASH ? hash_value(&shown) : value_null());
    view_put_bool(view, object, KEY_has_rest, plan->num_rest > 0);
    view_put_bool(view, object, KEY_first, plan->num_keyed == 0);
    view_put(view, object, KEY_variants, variants_value(&shown, plan->rest, plan->num_rest, 0));
    view_put_text(view, object, KEY_missed, example_text(dispatch, proof, dispatch->num_variants));
    return object;
}
