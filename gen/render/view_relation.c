/* SPDX-License-Identifier: MIT */
/*
 * view_relation - a guard of variants as an object: one step for each operation, with the templates of the ops that
 * compute integers in wrappers, and the symbols that a miss shows with their values.
 */
#include <inttypes.h>

#include "view_dispatch.h"

static const OpKind op_of[] = {
#define OPERATOR(NAME, name, token, level) OP_integer_##name,
#include "../algebra/operators.def"
};

typedef struct Steps {
    const DispatchView *v;
    Value list;
    const char *local; /* of the guard */
} Steps;

/* Pushes what computes the expression, and returns where it is: a literal, the local of a field, or that of a step. */
static const char *push_steps(Steps *steps, const Expr *expr)
{
    View *view = steps->v->view;
    if (!expr_is_operation(expr)) {
        return expr->kind == EXPR_SYMBOL ? steps->v->locals[expr->symbol] : view_number(view, expr->literal);
    }
    const char *lhs = push_steps(steps, expr->lhs);
    const char *rhs = push_steps(steps, expr->rhs);
    const char *dst = arena_printf(view->arena, "%s_%" PRIu32, steps->local, steps->list.as.list->count);
    const ViewNames *op = view_names(view, op_of[expr_operator(expr)]);
    Value step = value_object(view->arena, 4);
    view_put(view, step, KEY_op, op->template);
    view_put_text(view, step, op->operands[0], dst);
    view_put_text(view, step, op->operands[1], lhs);
    view_put_text(view, step, op->operands[2], rhs);
    value_push(view->arena, steps->list, step);
    return dst;
}

static bool may_fail(const Expr *expr)
{
    return expr_is_operation(expr) &&
           (operator_may_fail(expr_operator(expr)) || may_fail(expr->lhs) || may_fail(expr->rhs));
}

bool view_relation_notes(const DispatchView *v, uint32_t field)
{
    return v->dispatch->fields[field].kind == FIELD_RELATION &&
           may_fail(dispatch_relation_of(v->dispatch, field)->expr);
}

/* ---- can it fail where it matters? ---- */

static void narrow(OperatorRange *range, const DispatchVariant *required, uint32_t field)
{
    for (uint32_t i = 0; i < required->num_clauses; i++) {
        const DispatchClause *clause = &required->clauses[i];
        if (clause->field == field && clause->num_unless == 0 && clause->equal_to == DISPATCH_NONE &&
            !intset_is_empty(&clause->set)) {
            const int64_t min = intset_min(&clause->set);
            const int64_t max = intset_max(&clause->set);
            range->min = min > range->min ? min : range->min;
            range->max = max < range->max ? max : range->max;
        }
    }
}

/* The values of a field in calls that the variant accepts but for its guards; null: in any calls. */
static OperatorRange range_of_field(const DispatchView *v, uint32_t field, const DispatchVariant *variant)
{
    const IntSet *domain = &v->dispatch->fields[field].domain;
    OperatorRange range = {intset_min(domain), intset_max(domain)};
    if (variant == NULL) {
        range.min = range.min < -1 ? range.min : -1; /* where there is no such field */
        return range;
    }
    narrow(&range, &v->dispatch->declared, field);
    narrow(&range, variant, field);
    return range;
}

static bool range_of(const DispatchView *v, const Expr *expr, const DispatchVariant *variant, OperatorRange *range)
{
    OperatorRange lhs;
    OperatorRange rhs;
    if (expr_is_operation(expr)) {
        return range_of(v, expr->lhs, variant, &lhs) && range_of(v, expr->rhs, variant, &rhs) &&
               operator_range(expr_operator(expr), lhs, rhs, range);
    }
    *range = expr->kind == EXPR_SYMBOL ? range_of_field(v, expr->symbol, variant)
                                       : (OperatorRange){expr->literal, expr->literal};
    return true;
}

static bool requires(const DispatchVariant *variant, uint32_t field)
{
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        if (variant->clauses[i].field == field) {
            return true;
        }
    }
    return false;
}

/* A choice looks at it only for variants whose other conditions hold, so elsewhere it may come out as anything. What
 * says why a call is refused shows it for any call: `cold`. */
static bool fails(const DispatchView *v, uint32_t field, bool cold)
{
    const Expr *expr = dispatch_relation_of(v->dispatch, field)->expr;
    OperatorRange unused;
    bool some = cold && !range_of(v, expr, NULL, &unused);
    for (uint32_t i = 0; !cold && i < v->dispatch->num_variants; i++) {
        const DispatchVariant *variant = &v->dispatch->variants[i];
        some = some || (requires(variant, field) && !range_of(v, expr, variant, &unused));
    }
    return some;
}

Value view_relation(const DispatchView *v, uint32_t field, Value checks, bool cold)
{
    View *view = v->view;
    const DispatchRelation *relation = dispatch_relation_of(v->dispatch, field);
    Steps steps = {.v = v, .list = value_list(view->arena), .local = v->locals[field]};
    Value item = value_object(view->arena, 9);
    view_originate(view, item, relation->text, arena_printf(view->arena, "computes the guard %s", relation->text));
    view_put_text(view, item, KEY_value, push_steps(&steps, relation->expr));
    view_put_number(view, item, KEY_index, field);
    view_put_text(view, item, KEY_local, v->locals[field]);
    view_put_bool(view, item, KEY_relation, true);
    view_put_bool(view, item, KEY_fails, fails(v, field, cold));
    view_put_text(view, item, KEY_comment, relation->text);
    view_put(view, item, KEY_steps, steps.list);
    view_put(view, item, KEY_checks, checks);
    return item;
}

void view_put_symbols(const DispatchView *v, Value object)
{
    View *view = v->view;
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < v->dispatch->num_relations; i++) {
        const DispatchRelation *relation = &v->dispatch->relations[i];
        for (uint32_t k = 0; k < relation->num_names; k++) {
            Value item = value_object(view->arena, 2);
            view_put_text(view, item, KEY_text, view_literal(view, relation->names[k]));
            view_put_number(view, item, KEY_index, relation->fields[k]);
            value_push(view->arena, list, item);
        }
    }
    view_put(view, object, KEY_guard_symbols, list);
    view_put_bool(view, object, KEY_has_guard_symbols, list.as.list->count > 0);
}

void view_put_symbols_of(const DispatchView *v, Value object, uint32_t field)
{
    uint32_t first = 0;
    const bool relation = v->dispatch->num_fields > 0 && v->dispatch->fields[field].kind == FIELD_RELATION;
    for (int32_t i = 0; relation && i < v->dispatch->fields[field].dimension; i++) {
        first += v->dispatch->relations[i].num_names;
    }
    view_put_bool(v->view, object, KEY_relation, relation);
    view_put_number(v->view, object, KEY_first_symbol, first);
    view_put_number(v->view, object, KEY_num_symbols,
                    relation ? dispatch_relation_of(v->dispatch, field)->num_names : 0);
}
