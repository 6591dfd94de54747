/* SPDX-License-Identifier: MIT */
/*
 * view_choice - how a dispatcher finds its variant by key, as an object: a hash with its tables, or nested switches.
 */
#include <inttypes.h>

#include "view_dispatch.h"

/* ---- tables ---- */

/* The narrowest type that holds all of min to max. */
static const char *integer_type(int64_t min, int64_t max)
{
    if (min >= INT8_MIN && max <= INT8_MAX) {
        return "int8_t";
    }
    if (min >= INT16_MIN && max <= INT16_MAX) {
        return "int16_t";
    }
    return min >= INT32_MIN && max <= INT32_MAX ? "int32_t" : "int64_t";
}

static Value numbers_value(const DispatchView *v, const uint32_t *numbers, uint32_t n, uint32_t *most)
{
    Value list = value_list(v->view->arena);
    *most = 0;
    for (uint32_t i = 0; i < n; i++) {
        view_push_text(v->view, list, view_number(v->view, numbers[i]), i, i + 1 == n);
        *most = numbers[i] > *most ? numbers[i] : *most;
    }
    return list;
}

static bool has_column(const DispatchView *v, const DispatchClause *clause)
{
    return !dispatch_is_hoisted(&v->plan, clause);
}

static int64_t cell(const DispatchView *v, uint32_t variant, uint32_t field)
{
    int64_t value = 0;
    (void)dispatch_literal_of(&v->dispatch->variants[variant], field, &value);
    return value;
}

static Value columns_value(const DispatchView *v)
{
    const DispatchVariant *first = &v->dispatch->variants[v->plan.keyed[0]];
    Value list = value_list(v->view->arena);
    for (uint32_t c = 0; c < first->num_clauses; c++) {
        const uint32_t field = first->clauses[c].field;
        int64_t min = 0; /* free slots hold 0 */
        int64_t max = 0;
        if (!has_column(v, &first->clauses[c])) {
            continue;
        }
        for (uint32_t i = 0; i < v->plan.num_keyed; i++) {
            const int64_t value = cell(v, v->plan.keyed[i], field);
            min = value < min ? value : min;
            max = value > max ? value : max;
        }
        Value item = value_object(v->view->arena, 2);
        view_put_text(v->view, item, KEY_column_type, integer_type(min, max));
        view_put_text(v->view, item, KEY_field, v->locals[field]);
        value_push(v->view->arena, list, item);
    }
    return list;
}

static Value rows_value(const DispatchView *v)
{
    const DispatchVariant *first = &v->dispatch->variants[v->plan.keyed[0]];
    Value list = value_list(v->view->arena);
    for (uint32_t slot = 0; slot < 1U << v->plan.slot_bits; slot++) {
        const int32_t group = v->plan.slots[slot];
        const int64_t variant = group < 0 ? -1 : (int64_t)v->plan.keyed[v->plan.groups[group]];
        Value item = value_object(v->view->arena, 2);
        Value cells = value_list(v->view->arena);
        for (uint32_t c = 0; c < first->num_clauses; c++) {
            if (has_column(v, &first->clauses[c])) {
                const uint32_t field = first->clauses[c].field;
                const char *value = variant < 0 ? "0" : view_field_value(v, field, cell(v, (uint32_t)variant, field));
                view_push_text(v->view, cells, value, c, false);
            }
        }
        view_put(v->view, item, KEY_cells, cells);
        view_put_number(v->view, item, KEY_variant_index, variant);
        value_push(v->view->arena, list, item);
    }
    return list;
}

/* ---- the hash ---- */

static Value groups_value(const DispatchView *v)
{
    Value list = value_list(v->view->arena);
    for (uint32_t i = 0; i < v->plan.num_groups; i++) {
        const uint32_t first = v->plan.groups[i];
        Value item = value_object(v->view->arena, 2);
        view_put_number(v->view, item, KEY_group, i);
        view_put(v->view, item, KEY_variants,
                 view_variants(v, &v->plan.keyed[first], v->plan.groups[i + 1] - first, NULL, 0));
        value_push(v->view->arena, list, item);
    }
    return list;
}

static Value keys_value(const DispatchView *v)
{
    Value list = value_list(v->view->arena);
    for (uint32_t i = 0; i < v->plan.num_keys; i++) {
        Value item = value_object(v->view->arena, 3);
        view_put_bool(v->view, item, KEY_first, i == 0);
        view_put_text(v->view, item, KEY_field, v->locals[v->plan.keys[i]]);
        view_put_text(v->view, item, KEY_factor, arena_printf(v->view->arena, "%" PRIu64, v->plan.factors[i]));
        value_push(v->view->arena, list, item);
    }
    return list;
}

static Value slots_value(const DispatchView *v)
{
    const uint32_t n = 1U << v->plan.slot_bits;
    Value list = value_list(v->view->arena);
    for (uint32_t i = 0; i < n; i++) {
        view_push_text(v->view, list, view_number(v->view, v->plan.slots[i]), i, i + 1 == n);
    }
    return list;
}

static Value hash_value(const DispatchView *v)
{
    View *view = v->view;
    Value object = value_object(view->arena, 16);
    uint32_t most = 0;
    const Value displacements = numbers_value(v, v->plan.displacements, 1U << v->plan.bucket_bits, &most);
    view_put_text(view, object, KEY_displacement_type, most <= UINT8_MAX ? "uint8_t" : "uint32_t");
    view_put(view, object, KEY_displacements, displacements);
    view_put(view, object, KEY_keys, keys_value(v));
    view_put_number(view, object, KEY_shift, 64 - v->plan.bucket_bits);
    view_put_number(view, object, KEY_mask, (1 << v->plan.slot_bits) - 1);
    view_put_bool(view, object, KEY_uniform, v->plan.uniform);
    view_put(view, object, KEY_columns, v->plan.uniform ? columns_value(v) : value_null());
    view_put(view, object, KEY_rows, v->plan.uniform ? rows_value(v) : value_null());
    view_put_text(view, object, KEY_slot_type, integer_type(-1, v->plan.num_groups));
    view_put(view, object, KEY_slots, v->plan.uniform ? value_null() : slots_value(v));
    view_put(view, object, KEY_groups, v->plan.uniform ? value_null() : groups_value(v));
    return object;
}

/* ---- switches ---- */

/* The keyed variants from `first` to `end`, which agree in the keys before `depth`. */
static Value tree_value(const DispatchView *v, uint32_t first, uint32_t end, uint32_t depth)
{
    View *view = v->view;
    Value object = value_object(view->arena, 4);
    const bool leaf = depth == v->plan.num_keys;
    Value cases = value_list(view->arena);
    for (uint32_t i = first; !leaf && i < end;) {
        int64_t value = 0;
        const uint32_t next = dispatch_branch(v->dispatch, &v->plan, i, end, depth, &value);
        Value item = value_object(view->arena, 2);
        view_put_text(view, item, KEY_case_value, view_field_value(v, v->plan.keys[depth], value));
        view_put(view, item, KEY_tree, tree_value(v, i, next, depth + 1));
        value_push(view->arena, cases, item);
        i = next;
    }
    view_put_bool(view, object, KEY_switch, !leaf);
    view_put_text(view, object, KEY_field, leaf ? NULL : v->locals[v->plan.keys[depth]]);
    view_put(view, object, KEY_cases, cases);
    view_put(view, object, KEY_variants,
             leaf ? view_variants(v, &v->plan.keyed[first], end - first, v->plan.keys, v->plan.num_keys)
                  : value_list(view->arena));
    return object;
}

void view_put_choice(const DispatchView *v, Value object)
{
    view_put(v->view, object, KEY_hash, v->plan.strategy == STRATEGY_HASH ? hash_value(v) : value_null());
    view_put(v->view, object, KEY_tree,
             v->plan.strategy == STRATEGY_TREE ? tree_value(v, 0, v->plan.num_keyed, 0) : value_null());
}
