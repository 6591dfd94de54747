/* SPDX-License-Identifier: MIT */
/*
 * view_condition - clauses as comparisons of locals, and variants as the index returned when all of their clauses hold.
 */
#include "view_dispatch.h"

enum { MAX_NAMED_DTYPES = 4 };

static void push_comparison(const DispatchView *v, Value list, const char *local, const char *operator,
                            const char * value)
{
    Value item = value_object(v->view->arena, 5);
    view_put_bool(v->view, item, KEY_first, list.as.list->count == 0);
    view_put_text(v->view, item, KEY_field, local);
    view_put_text(v->view, item, KEY_operator, operator);
    view_put_text(v->view, item, KEY_value, value);
    view_put_bool(v->view, item, KEY_divides, operator[0] == '%');
    value_push(v->view->arena, list, item);
}

static void push_alternative(const DispatchView *v, Value alternatives, Value comparisons)
{
    Value item = value_object(v->view->arena, 3);
    view_put_bool(v->view, item, KEY_first, alternatives.as.list->count == 0);
    view_put_bool(v->view, item, KEY_compound, comparisons.as.list->count > 1);
    view_put(v->view, item, KEY_comparisons, comparisons);
    value_push(v->view->arena, alternatives, item);
}

const char *view_field_value(const DispatchView *v, uint32_t field, int64_t value)
{
    const char *constant = dispatch_value_constant(v->dispatch, field, value);
    return constant != NULL ? constant : view_number(v->view, value);
}

static void push_equal(const DispatchView *v, Value alternatives, uint32_t field, int64_t value)
{
    Value comparisons = value_list(v->view->arena);
    push_comparison(v, comparisons, v->locals[field], "==", view_field_value(v, field, value));
    push_alternative(v, alternatives, comparisons);
}

static void push_range(const DispatchView *v, Value alternatives, uint32_t field, const IntPiece *piece)
{
    Value comparisons = value_list(v->view->arena);
    const char *local = v->locals[field];
    const IntSet *domain = &v->dispatch->fields[field].domain;
    if (piece->min > INT64_MIN && (piece->min > intset_min(domain) || piece->multiple == 1)) {
        push_comparison(v, comparisons, local, ">=", view_field_value(v, field, piece->min));
    }
    if (piece->max < INT64_MAX) {
        push_comparison(v, comparisons, local, "<=", view_field_value(v, field, piece->max));
    }
    if (piece->multiple > 1) {
        push_comparison(v, comparisons, local, "%", view_number(v->view, piece->multiple));
    }
    push_alternative(v, alternatives, comparisons);
}

/* Neighbouring numbers become a range, but dtypes are named one by one if they are few, since their order means
 * nothing. */
static void push_set(const DispatchView *v, Value alternatives, uint32_t field, const IntSet *set)
{
    const bool dtype = dispatch_values(v->dispatch, field) == VALUES_DTYPE;
    for (uint32_t i = 0; i < set->num_pieces; i++) {
        const IntPiece *piece = &set->pieces[i];
        const uint64_t span =
            (uint64_t)piece->max - (uint64_t)piece->min; /* a loop up to max would never pass INT64_MAX */
        const bool few = span == 0 || (dtype && span < MAX_NAMED_DTYPES);
        for (uint64_t n = 0; few && n <= span; n++) {
            push_equal(v, alternatives, field, piece->min + (int64_t)n);
        }
        if (!few) {
            push_range(v, alternatives, field, piece);
        }
    }
}

Value view_clause(const DispatchView *v, const DispatchClause *clause, bool first)
{
    Value object = value_object(v->view->arena, 3);
    Value alternatives = value_list(v->view->arena);
    if (clause->equal_to != DISPATCH_NONE) {
        Value comparisons = value_list(v->view->arena);
        push_comparison(v, comparisons, v->locals[clause->field], "==", v->locals[clause->equal_to]);
        push_alternative(v, alternatives, comparisons);
    } else {
        push_set(v, alternatives, clause->field, &clause->set);
    }
    for (uint32_t i = 0; i < clause->num_unless; i++) {
        push_set(v, alternatives, clause->unless[i].field, &clause->unless[i].set);
    }
    view_put_bool(v->view, object, KEY_first, first);
    view_put_bool(v->view, object, KEY_several, alternatives.as.list->count > 1);
    view_put(v->view, object, KEY_alternatives, alternatives);
    return object;
}

Value view_variants(const DispatchView *v, const uint32_t *variants, uint32_t n, const uint32_t *known,
                    uint32_t num_known)
{
    Value list = value_list(v->view->arena);
    for (uint32_t i = 0; i < n; i++) {
        const DispatchVariant *variant = &v->dispatch->variants[variants[i]];
        Value item = value_object(v->view->arena, 4);
        Value clauses = value_list(v->view->arena);
        for (uint32_t c = 0; c < variant->num_clauses; c++) {
            const DispatchClause *clause = &variant->clauses[c];
            if (dispatch_is_left(&v->plan, clause, known, num_known)) {
                value_push(v->view->arena, clauses, view_clause(v, clause, clauses.as.list->count == 0));
            }
        }
        view_put_number(v->view, item, KEY_index, variants[i]);
        view_put_text(v->view, item, KEY_variant, v->callees[variants[i]]);
        view_put_bool(v->view, item, KEY_always, clauses.as.list->count == 0);
        view_put(v->view, item, KEY_clauses, clauses);
        value_push(v->view->arena, list, item);
    }
    return list;
}
