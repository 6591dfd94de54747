/* SPDX-License-Identifier: MIT */
/*
 * evaluate - see evaluate.h.
 */
#include "evaluate.h"

#include <stddef.h>

#include "../core/wg_compiler.h"

bool evaluate_is_bound(const Symbols *symbols, const Expr *expr)
{
    if (expr->kind == EXPR_LITERAL) {
        return true;
    }
    if (expr->kind == EXPR_SYMBOL) {
        return symbols->bound[expr->symbol];
    }
    return evaluate_is_bound(symbols, expr->lhs) && evaluate_is_bound(symbols, expr->rhs);
}

bool evaluate_is_unbacked(const Spec *spec, const Expr *expr)
{
    if (expr == NULL || expr->kind == EXPR_LITERAL) {
        return false;
    }
    if (expr->kind == EXPR_SYMBOL) {
        return spec_is(spec->symbols[expr->symbol].unbacked);
    }
    return evaluate_is_unbacked(spec, expr->lhs) || evaluate_is_unbacked(spec, expr->rhs);
}

bool evaluate_any_unbacked(const Spec *spec, const SpecInts *ints)
{
    bool any = false;
    for (uint32_t i = 0; i < ints->text_count; i++) {
        any = any || evaluate_is_unbacked(spec, ints->expr[i]);
    }
    return any;
}

/* Rounds down, as // does in Python. */
static bool floor_divide(int64_t a, int64_t b, int64_t *value)
{
    if (b == 0 || (a == INT64_MIN && b == -1)) {
        return false;
    }
    int64_t quotient = a / b;
    if (quotient * b != a && (a < 0) != (b < 0)) {
        quotient--;
    }
    *value = quotient;
    return true;
}

/* What C leaves has the sign of a, or is 0; one b more or less has the sign of b. */
static bool floor_remainder(int64_t a, int64_t b, int64_t *value)
{
    if (b == 0) {
        return false;
    }
    const int64_t rest = b == -1 ? 0 : a % b; /* INT64_MIN % -1 cannot be computed */
    *value = (rest < 0 && b > 0) || (rest > 0 && b < 0) ? rest + b : rest;
    return true;
}

bool evaluate(const Symbols *symbols, const Expr *expr, int64_t *value)
{
    int64_t a = 0;
    int64_t b = 0;
    if (expr->kind == EXPR_LITERAL) {
        *value = expr->literal;
        return true;
    }
    if (expr->kind == EXPR_SYMBOL) {
        *value = symbols->values[expr->symbol];
        return true;
    }
    *value = 0;
    if (!evaluate(symbols, expr->lhs, &a) || !evaluate(symbols, expr->rhs, &b)) {
        return false;
    }
    switch (expr->kind) {
    case EXPR_ADD:
        return !wg_ckd_add(value, a, b);
    case EXPR_SUB:
        return !wg_ckd_sub(value, a, b);
    case EXPR_MUL:
        return !wg_ckd_mul(value, a, b);
    case EXPR_FLOORDIV:
        return floor_divide(a, b, value);
    case EXPR_MOD:
        return floor_remainder(a, b, value);
    case EXPR_MIN:
        *value = b < a ? b : a;
        return true;
    case EXPR_MAX:
        *value = b > a ? b : a;
        return true;
    case EXPR_EQ:
        *value = !(a < b) && !(b < a);
        return true;
    case EXPR_NE:
        *value = a < b || b < a;
        return true;
    case EXPR_LE:
        *value = !(b < a);
        return true;
    case EXPR_LT:
        *value = a < b;
        return true;
    case EXPR_AND:
        *value = a * b;
        return true;
    case EXPR_OR:
        *value = a + b - a * b;
        return true;
    case EXPR_LITERAL:
    case EXPR_SYMBOL:
        break;
    }
    return false;
}

/* The -1 of a size is a word of the YAML: an expression that comes out negative is a mistake. */
static bool list(const Symbols *symbols, const SpecInts *ints, ViewList *values)
{
    values->count = ints->text == NULL ? -1 : (int32_t)ints->text_count;
    bool ok = ints->text_count <= VIEW_RANK;
    for (int32_t i = 0; ok && i < values->count; i++) {
        ok = evaluate(symbols, ints->expr[i], &values->at[i]) &&
             (values->at[i] >= 0 || ints->expr[i]->kind == EXPR_LITERAL);
    }
    return ok;
}

static bool scalar(const Symbols *symbols, const SpecInt *given, ViewScalar *value)
{
    value->present = given->expr != NULL;
    return !value->present || evaluate(symbols, given->expr, &value->value);
}

bool evaluate_view(const Symbols *symbols, const SpecView *view, ViewCall *call)
{
    *call = view_call(view->op);
    call->dtype = view->dtype == NULL ? -1 : view->dtype_code;
    return list(symbols, &view->size, &call->size) && list(symbols, &view->stride, &call->stride) &&
           list(symbols, &view->dims, &call->dims) && list(symbols, &view->source, &call->source) &&
           list(symbols, &view->destination, &call->destination) && list(symbols, &view->sizes, &call->sizes) &&
           scalar(symbols, &view->offset, &call->offset) && scalar(symbols, &view->dim, &call->dim) &&
           scalar(symbols, &view->dim1, &call->dim1) && scalar(symbols, &view->dim2, &call->dim2) &&
           scalar(symbols, &view->index, &call->index) && scalar(symbols, &view->start, &call->start) &&
           scalar(symbols, &view->end, &call->end) && scalar(symbols, &view->step, &call->step) &&
           scalar(symbols, &view->length, &call->length) && scalar(symbols, &view->start_dim, &call->start_dim) &&
           scalar(symbols, &view->end_dim, &call->end_dim) && scalar(symbols, &view->split_size, &call->split_size) &&
           scalar(symbols, &view->chunks, &call->chunks);
}

const char *evaluate_views(const Symbols *symbols, const SpecView *views, uint32_t num_views, ViewGeometry *geometry)
{
    for (uint32_t i = 0; i < num_views; i++) {
        ViewCall call;
        if (!evaluate_view(symbols, &views[i], &call)) {
            return "overflow, or a negative size";
        }
        const char *wrong = view_apply(&call, geometry);
        if (wrong != NULL) {
            return wrong;
        }
    }
    return NULL;
}
