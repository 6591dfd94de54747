/* SPDX-License-Identifier: MIT */
/*
 * view_explain - the conditions of a dispatcher as the constant tables of wg_dispatch.h, for its miss explainer.
 */
#include <inttypes.h>

#include "../base/table.h"
#include "view_dispatch.h"

/* Lists without duplicate rows or runs of rows: many variants require the same of a field. */
typedef struct Tables {
    const DispatchView *v;
    Value ranges;
    Value alternatives;
    Value clauses;
    Value variants;
    uint32_t num_asked;
    Table runs; /* ranges and alternatives (kind) by their content; index: the first row, or the clause */
} Tables;

enum { RUN_RANGES, RUN_ALTERNATIVES };

static void push_numbers(Tables *tables, Value list, const uint32_t *keys, const int64_t *numbers, size_t n)
{
    View *view = tables->v->view;
    Value row = value_object(view->arena, (uint32_t)n);
    for (size_t i = 0; i < n; i++) {
        view_put_number(view, row, keys[i], numbers[i]);
    }
    value_push(view->arena, list, row);
}

/* The ranges of a set, or those of an equal set if there is one. */
static uint32_t first_range(Tables *tables, const IntSet *set)
{
    static const uint32_t keys[] = {KEY_min, KEY_max, KEY_multiple};
    Str text = str_new(tables->v->view->arena);
    str_puts(&text, "ranges");
    for (uint32_t i = 0; i < set->num_pieces; i++) {
        str_printf(&text, " %" PRId64 " %" PRId64 " %" PRId64, set->pieces[i].min, set->pieces[i].max,
                   set->pieces[i].multiple);
    }
    const uint32_t next = tables->ranges.as.list->count;
    const TableEntry *same = table_add(&tables->runs, str_text(&text), text.length, RUN_RANGES, next);
    if (same != NULL) {
        return same->index;
    }
    for (uint32_t i = 0; i < set->num_pieces; i++) {
        const int64_t numbers[] = {set->pieces[i].min, set->pieces[i].max, set->pieces[i].multiple};
        push_numbers(tables, tables->ranges, keys, numbers, 3);
    }
    return next;
}

typedef struct Alternative {
    int64_t numbers[4]; /* field, equal to, first range, number of ranges */
} Alternative;

static Alternative alternative_of(Tables *tables, uint32_t field, int32_t equal_to, const IntSet *set)
{
    const bool has_ranges = set != NULL && set->num_pieces > 0;
    return (Alternative){
        {field, equal_to, has_ranges ? first_range(tables, set) : 0, has_ranges ? set->num_pieces : 0}};
}

static const char *clause_words(const Tables *tables, const DispatchClause *clause)
{
    const Dispatch *dispatch = tables->v->dispatch;
    if (clause->equal_to == DISPATCH_NONE) {
        return dispatch_set_text(dispatch, clause->field, &clause->set);
    }
    return arena_printf(tables->v->view->arena, "the same as %s",
                        dispatch_field_text(dispatch, (uint32_t)clause->equal_to));
}

/* The number of the clause; an equal one has the same alternatives, and so the same words. */
static uint32_t clause_number(Tables *tables, const DispatchClause *clause)
{
    static const uint32_t keys[] = {KEY_field, KEY_equal_to, KEY_first_range, KEY_num_ranges};
    View *view = tables->v->view;
    Alternative alternatives[1 + DISPATCH_MAX_UNLESS];
    uint32_t n = 0;
    Str text = str_new(view->arena);
    alternatives[n++] = alternative_of(tables, clause->field, clause->equal_to,
                                       clause->equal_to == DISPATCH_NONE ? &clause->set : NULL);
    for (uint32_t i = 0; i < clause->num_unless; i++) {
        alternatives[n++] = alternative_of(tables, clause->unless[i].field, DISPATCH_NONE, &clause->unless[i].set);
    }
    str_puts(&text, "alternatives");
    for (uint32_t i = 0; i < 4 * n; i++) {
        str_printf(&text, " %" PRId64, alternatives[i / 4].numbers[i % 4]);
    }
    const uint32_t next = tables->clauses.as.list->count;
    const TableEntry *same = table_add(&tables->runs, str_text(&text), text.length, RUN_ALTERNATIVES, next);
    if (same != NULL) {
        return same->index;
    }
    Value item = value_object(view->arena, 3);
    view_put_number(view, item, KEY_first_alternative, tables->alternatives.as.list->count);
    view_put_number(view, item, KEY_num_alternatives, n);
    view_put_text(view, item, KEY_text, view_literal(view, clause_words(tables, clause)));
    value_push(view->arena, tables->clauses, item);
    for (uint32_t i = 0; i < n; i++) {
        push_numbers(tables, tables->alternatives, keys, alternatives[i].numbers, 4);
    }
    return next;
}

static void push_variant(Tables *tables, const DispatchVariant *variant, uint32_t index)
{
    View *view = tables->v->view;
    Value item = value_object(view->arena, 6);
    Value asked = value_list(view->arena);
    const bool declared = variant->spec == NULL;
    view_put_text(view, item, KEY_text, view_literal(view, declared ? NULL : *dispatch_variant_name(variant->spec)));
    view_put_text(view, item, KEY_comment, declared ? "what is declared" : tables->v->callees[index]);
    view_put_number(view, item, KEY_first_asked, tables->num_asked);
    view_put_number(view, item, KEY_num_asked, variant->num_clauses);
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        view_push_text(view, asked, view_number(view, clause_number(tables, &variant->clauses[i])), i, false);
    }
    view_put_bool(view, item, KEY_asks, variant->num_clauses > 0);
    view_put(view, item, KEY_asked, asked);
    value_push(view->arena, tables->variants, item);
    tables->num_asked += variant->num_clauses;
}

static const char *kind_text(const DispatchView *v, uint32_t field)
{
    const FieldValues values = dispatch_values(v->dispatch, field);
    return values == VALUES_DTYPE ? "WG_KIND_DTYPE" : values == VALUES_DEVICE ? "WG_KIND_DEVICE" : "WG_KIND_INTEGER";
}

/* The names of a field's values, for WgDispatchField.words; an empty list means that they are numbers. */
static Value field_words(const DispatchView *v, uint32_t field)
{
    Value words = value_list(v->view->arena);
    const char *word = dispatch_word(v->dispatch, field, 0);
    for (uint32_t i = 0; word != NULL; i++) {
        const char *next = dispatch_word(v->dispatch, field, i + 1);
        view_push_text(v->view, words, view_literal(v->view, word), i, next == NULL);
        word = next;
    }
    return words;
}

/* C has no arrays without elements, so an empty list of numbers gets a row that nothing refers to. */
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

static void push_field(const DispatchView *v, Value names, const char *text, const char *kind, Value words)
{
    Value item = value_object(v->view->arena, 7);
    view_put_symbols_of(v, item, names.as.list->count);
    view_put_text(v->view, item, KEY_text, text);
    view_put_text(v->view, item, KEY_kind, kind);
    view_put(v->view, item, KEY_words, words);
    view_put_bool(v->view, item, KEY_has_words, words.as.list->count > 0);
    value_push(v->view->arena, names, item);
}

/* The same for fields: a dispatcher that reads none still has one row. */
static Value field_names(const DispatchView *v)
{
    Value names = value_list(v->view->arena);
    for (uint32_t i = 0; i < v->dispatch->num_fields; i++) {
        push_field(v, names, view_literal(v->view, dispatch_field_text(v->dispatch, i)), kind_text(v, i),
                   field_words(v, i));
    }
    if (v->dispatch->num_fields == 0) {
        push_field(v, names, "NULL", "WG_KIND_NONE", value_list(v->view->arena));
    }
    return names;
}

void view_put_tables(const DispatchView *v, Value object)
{
    static const uint32_t range_keys[] = {KEY_min, KEY_max, KEY_multiple};
    static const uint32_t alternative_keys[] = {KEY_field, KEY_equal_to, KEY_first_range, KEY_num_ranges};
    static const uint32_t clause_keys[] = {KEY_first_alternative, KEY_num_alternatives};
    Arena *arena = v->view->arena;
    Tables tables = {.v = v,
                     .ranges = value_list(arena),
                     .alternatives = value_list(arena),
                     .clauses = value_list(arena),
                     .variants = value_list(arena)};
    table_init(&tables.runs, arena);
    for (uint32_t i = 0; i < v->dispatch->num_variants; i++) {
        push_variant(&tables, &v->dispatch->variants[i], i);
    }
    push_variant(&tables, &v->dispatch->declared, 0);
    view_put(v->view, object, KEY_field_names, field_names(v));
    view_put_symbols(v, object);
    put_list(v, object, KEY_ranges, tables.ranges, range_keys, 3, false);
    put_list(v, object, KEY_alternatives, tables.alternatives, alternative_keys, 4, false);
    put_list(v, object, KEY_clauses, tables.clauses, clause_keys, 2, true);
    view_put(v->view, object, KEY_all_variants, tables.variants);
    view_put_bool(v->view, object, KEY_asks_nothing, tables.num_asked == 0);
}
