/* SPDX-License-Identifier: MIT */
/*
 * view_explain - the conditions of a dispatcher as the constant tables of wg_dispatch.h, for its miss explainer.
 */
#include "view_dispatch.h"

typedef struct Tables {
    const DispatchView *v;
    Value ranges;
    Value alternatives;
    Value clauses;
    Value variants;
} Tables;

static void push_alternative(Tables *tables, uint32_t field, int32_t equal_to, const IntSet *set)
{
    View *view = tables->v->view;
    Value item = value_object(view->arena, 4);
    view_put_number(view, item, KEY_field, field);
    view_put_number(view, item, KEY_equal_to, equal_to);
    view_put_number(view, item, KEY_first_range, tables->ranges.as.list->count);
    view_put_number(view, item, KEY_num_ranges, set != NULL ? set->num_pieces : 0);
    value_push(view->arena, tables->alternatives, item);
    for (uint32_t i = 0; set != NULL && i < set->num_pieces; i++) {
        Value range = value_object(view->arena, 3);
        view_put_number(view, range, KEY_min, set->pieces[i].min);
        view_put_number(view, range, KEY_max, set->pieces[i].max);
        view_put_number(view, range, KEY_multiple, set->pieces[i].multiple);
        value_push(view->arena, tables->ranges, range);
    }
}

static void push_clause(Tables *tables, const DispatchClause *clause)
{
    View *view = tables->v->view;
    Dispatch *dispatch = tables->v->dispatch;
    const bool equal = clause->equal_to != DISPATCH_NONE;
    Value item = value_object(view->arena, 3);
    view_put_number(view, item, KEY_first_alternative, tables->alternatives.as.list->count);
    view_put_number(view, item, KEY_num_alternatives, 1 + (int64_t)clause->num_guards);
    const char *words =
        equal ? arena_printf(view->arena, "the same as %s", dispatch_field_text(dispatch, (uint32_t)clause->equal_to))
              : dispatch_set_text(dispatch, clause->field, &clause->set);
    view_put_text(view, item, KEY_text, view_literal(view, words));
    value_push(view->arena, tables->clauses, item);
    push_alternative(tables, clause->field, clause->equal_to, equal ? NULL : &clause->set);
    for (uint32_t i = 0; i < clause->num_guards; i++) {
        push_alternative(tables, clause->guards[i].field, DISPATCH_NONE, &clause->guards[i].set);
    }
}

static void push_variant(Tables *tables, const DispatchVariant *variant)
{
    View *view = tables->v->view;
    Value item = value_object(view->arena, 3);
    view_put_text(view, item, KEY_text,
                  view_literal(view, variant->spec != NULL ? *spec_variant_name(variant->spec) : NULL));
    view_put_number(view, item, KEY_first_clause, tables->clauses.as.list->count);
    view_put_number(view, item, KEY_num_clauses, variant->num_clauses);
    value_push(view->arena, tables->variants, item);
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        push_clause(tables, &variant->clauses[i]);
    }
}

static const char *kind_text(const DispatchView *v, const DispatchField *field)
{
    const SpecArgKind kind = v->dispatch->nodes[field->node].arg->kind;
    if (field->kind == FIELD_DTYPE || (field->kind == FIELD_VALUE && kind == SPEC_ARG_DTYPE)) {
        return "WG_KIND_DTYPE";
    }
    if (field->kind == FIELD_DEVICE || (field->kind == FIELD_VALUE && kind == SPEC_ARG_DEVICE)) {
        return "WG_KIND_DEVICE";
    }
    return "WG_KIND_INTEGER";
}

/* C has no arrays without elements: a list that is empty gets one that nothing refers to. */
static void put_list(const DispatchView *v, Value object, uint32_t key, Value list, const uint32_t *numbers,
                     size_t num_numbers, bool has_text)
{
    if (list.as.list->count == 0) {
        Value item = value_object(v->view->arena, 5);
        for (size_t i = 0; i < num_numbers; i++) {
            view_put_number(v->view, item, numbers[i], 0);
        }
        if (has_text) {
            view_put_text(v->view, item, KEY_text, "NULL");
        }
        value_push(v->view->arena, list, item);
    }
    view_put(v->view, object, key, list);
}

void view_put_tables(const DispatchView *v, Value object)
{
    static const uint32_t range_keys[] = {KEY_min, KEY_max, KEY_multiple};
    static const uint32_t alternative_keys[] = {KEY_field, KEY_equal_to, KEY_first_range, KEY_num_ranges};
    static const uint32_t clause_keys[] = {KEY_first_alternative, KEY_num_alternatives};
    static const uint32_t name_keys[] = {KEY_kind};
    Arena *arena = v->view->arena;
    Tables tables = {v, value_list(arena), value_list(arena), value_list(arena), value_list(arena)};
    Value names = value_list(arena);
    for (uint32_t i = 0; i < v->dispatch->num_variants; i++) {
        push_variant(&tables, &v->dispatch->variants[i]);
    }
    push_variant(&tables, &v->dispatch->declared);
    for (uint32_t i = 0; i < v->dispatch->num_fields; i++) {
        Value item = value_object(arena, 2);
        view_put_text(v->view, item, KEY_text, view_literal(v->view, dispatch_field_text(v->dispatch, i)));
        view_put_text(v->view, item, KEY_kind, kind_text(v, &v->dispatch->fields[i]));
        value_push(arena, names, item);
    }
    put_list(v, object, KEY_field_names, names, name_keys, 1, true);
    put_list(v, object, KEY_ranges, tables.ranges, range_keys, 3, false);
    put_list(v, object, KEY_alternatives, tables.alternatives, alternative_keys, 4, false);
    put_list(v, object, KEY_clauses, tables.clauses, clause_keys, 2, true);
    view_put(v->view, object, KEY_all_variants, tables.variants);
}
