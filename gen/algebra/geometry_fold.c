/* SPDX-License-Identifier: MIT */
/*
 * geometry_fold - the verbs in which view operations are written: arguments, decisions, guards, steps, errors.
 *
 * The rule that keeps folds right: a decision is yes, no or unknown, and unknown never counts as either. A requirement
 * that is unknown becomes a guard; a fact that the operation needs in order to go on, but that is unknown, is an error
 * that says "not known".
 */
#include "geometry_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>

Geometry geometry_like(Arena *arena, const Geometry *geometry, uint32_t rank)
{
    Geometry result = *geometry;
    result.rank = rank;
    result.sizes = ARENA_ARRAY(arena, const Integer *, rank);
    result.strides = ARENA_ARRAY(arena, const Integer *, rank);
    for (uint32_t i = 0; i < rank && i < geometry->rank; i++) {
        result.sizes[i] = geometry->sizes[i];
        result.strides[i] = geometry->strides[i];
    }
    return result;
}

bool geometry_same(Integers *integers, const Geometry *a, const Geometry *b)
{
    bool same =
        a->rank == b->rank && a->dtype == b->dtype && integer_equal(integers, a->offset, b->offset) == TRUTH_YES;
    for (uint32_t i = 0; same && i < a->rank; i++) { /* strides first: two literals need no proof */
        same = integer_equal(integers, a->strides[i], b->strides[i]) == TRUTH_YES &&
               integer_equal(integers, a->sizes[i], b->sizes[i]) == TRUTH_YES;
    }
    return same;
}

Geometry geometry_without(Arena *arena, const Geometry *geometry, uint32_t dim)
{
    Geometry result = geometry_like(arena, geometry, geometry->rank - 1);
    for (uint32_t i = dim; i < result.rank; i++) {
        result.sizes[i] = geometry->sizes[i + 1];
        result.strides[i] = geometry->strides[i + 1];
    }
    return result;
}

bool fold_fail(Fold *fold, const void *field, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(fold->arena, format, arguments);
    va_end(arguments);
    fold->error->whole_op = field == NULL;
    fold->error->field = field ? field : fold->view;
    fold->error->message = arena_printf(fold->arena, "%s: %s", fold->op_name, text);
    return false;
}

const char *fold_text(const Fold *fold, const Integer *integer)
{
    return integer_text(fold->integers, integer);
}

/* ---- arguments ---- */

static bool literal_of(Fold *fold, const void *field, const Expr *expr, int64_t *value)
{
    if (!expr_is_literal(expr, value)) {
        const Integer *integer = integer_from_expr(fold->integers, expr);
        return fold_fail(fold, field, "'%s' is not known when code is generated; a number is needed here",
                         fold_text(fold, integer));
    }
    return true;
}

bool fold_literal(Fold *fold, const SpecInt *argument, int64_t absent, int64_t *value)
{
    *value = absent;
    return !argument->text || literal_of(fold, argument, argument->expr, value);
}

static bool wrap_dim(Fold *fold, const void *field, int64_t value, uint32_t rank, uint32_t *dim)
{
    const int64_t count = rank == 0 ? 1 : (int64_t)rank;
    if (value < -count || value >= count) {
        return fold_fail(fold, field,
                         "dimension %" PRId64 " is out of range: the tensor has %" PRIu32 " dimension%s here", value,
                         fold->now.rank, fold->now.rank == 1 ? "" : "s");
    }
    *dim = (uint32_t)(value < 0 ? value + count : value);
    return true;
}

bool fold_dim(Fold *fold, const SpecInt *argument, int64_t absent, uint32_t rank, uint32_t *dim)
{
    int64_t value = 0;
    const void *field = argument->text ? argument : NULL;
    return fold_literal(fold, argument, absent, &value) && wrap_dim(fold, field, value, rank, dim);
}

bool fold_list_dim(Fold *fold, const SpecInts *argument, uint32_t i, uint32_t *dim)
{
    int64_t value = 0;
    const void *field = &argument->text[i];
    return literal_of(fold, field, argument->expr[i], &value) && wrap_dim(fold, field, value, fold->now.rank, dim);
}

bool fold_dims(Fold *fold, const SpecInts *argument, uint32_t **dims)
{
    *dims = ARENA_ARRAY(fold->arena, uint32_t, argument->text_count);
    for (uint32_t i = 0; i < argument->text_count; i++) {
        if (!fold_list_dim(fold, argument, i, &(*dims)[i])) {
            return false;
        }
        for (uint32_t j = 0; j < i; j++) {
            if ((*dims)[j] == (*dims)[i]) {
                return fold_fail(fold, &argument->text[i], "dimension %" PRIu32 " is named twice", (*dims)[i]);
            }
        }
    }
    return true;
}

const Integer *fold_integer(Fold *fold, const SpecInt *argument, int64_t absent)
{
    return argument->text ? integer_from_expr(fold->integers, argument->expr) : fold_number(fold, absent);
}

const Integer *fold_element(Fold *fold, const SpecInts *argument, uint32_t i)
{
    return integer_from_expr(fold->integers, argument->expr[i]);
}

bool fold_rank_above_zero(Fold *fold)
{
    return fold->now.rank > 0 || fold_fail(fold, NULL, "the tensor has no dimensions here");
}

/* ---- decisions, guards, arithmetic ---- */

Truth fold_equal(Fold *fold, const Integer *a, const Integer *b)
{
    return integer_equal(fold->integers, a, b);
}

Truth fold_is(Fold *fold, const Integer *a, int64_t value)
{
    return integer_equal(fold->integers, a, fold_number(fold, value));
}

Truth fold_less_equal(Fold *fold, const Integer *a, const Integer *b)
{
    return integer_less_equal(fold->integers, a, b);
}

void fold_add_guard(Fold *fold, bool equal, const Integer *lhs, const Integer *rhs, const char *rule)
{
    ViewFold *result = fold->result;
    const size_t old = result->num_guards * sizeof *result->guards;
    result->guards = arena_grow(fold->arena, result->guards, old, old + sizeof *result->guards);
    result->guards[result->num_guards++] = (ViewGuard){equal, lhs, rhs, rule, fold->op};
    integers_assume(fold->integers, lhs, rhs);
    if (equal) {
        integers_assume(fold->integers, rhs, lhs);
    }
}

bool fold_require_equal(Fold *fold, const void *field, const Integer *lhs, const Integer *rhs, const char *rule)
{
    switch (fold_equal(fold, lhs, rhs)) {
    case TRUTH_YES:
        return true;
    case TRUTH_NO:
        return fold_fail(fold, field, "%s: %s is not %s", rule, fold_text(fold, lhs), fold_text(fold, rhs));
    case TRUTH_UNKNOWN:
        break;
    }
    fold_add_guard(fold, true, lhs, rhs, rule);
    return true;
}

bool fold_require_less_equal(Fold *fold, const void *field, const Integer *lhs, const Integer *rhs, const char *rule)
{
    switch (fold_less_equal(fold, lhs, rhs)) {
    case TRUTH_YES:
        return true;
    case TRUTH_NO:
        return fold_fail(fold, field, "%s: %s is larger than %s", rule, fold_text(fold, lhs), fold_text(fold, rhs));
    case TRUTH_UNKNOWN:
        break;
    }
    fold_add_guard(fold, false, lhs, rhs, rule);
    return true;
}

bool fold_require_at_least(Fold *fold, const void *field, const Integer *integer, int64_t least, const char *rule)
{
    const Integer *number = fold_number(fold, least);
    if (fold_less_equal(fold, number, integer) == TRUTH_NO) {
        return fold_fail(fold, field, "%s, not %s", rule, fold_text(fold, integer));
    }
    return fold_require_less_equal(fold, field, number, integer, rule);
}

const Integer *fold_number(Fold *fold, int64_t value)
{
    return integer_literal(fold->integers, value);
}

const Integer *fold_add(Fold *fold, const Integer *a, const Integer *b)
{
    return integer_binary(fold->integers, INTEGER_ADD, a, b);
}

const Integer *fold_sub(Fold *fold, const Integer *a, const Integer *b)
{
    return integer_binary(fold->integers, INTEGER_SUB, a, b);
}

const Integer *fold_mul(Fold *fold, const Integer *a, const Integer *b)
{
    return integer_binary(fold->integers, INTEGER_MUL, a, b);
}

const Integer *fold_floordiv(Fold *fold, const Integer *a, const Integer *b)
{
    return integer_binary(fold->integers, INTEGER_FLOORDIV, a, b);
}

const Integer *fold_min(Fold *fold, const Integer *a, const Integer *b)
{
    const Truth a_first = fold_less_equal(fold, a, b);
    if (a_first == TRUTH_YES || fold_less_equal(fold, b, a) == TRUTH_YES) {
        return a_first == TRUTH_YES ? a : b;
    }
    return integer_binary(fold->integers, INTEGER_MIN, a, b);
}

const Integer *fold_max(Fold *fold, const Integer *a, const Integer *b)
{
    const Truth a_first = fold_less_equal(fold, a, b);
    if (a_first == TRUTH_YES || fold_less_equal(fold, b, a) == TRUTH_YES) {
        return a_first == TRUTH_YES ? b : a;
    }
    return integer_binary(fold->integers, INTEGER_MAX, a, b);
}

const Integer *fold_product(Fold *fold, const Integer *const *factors, uint32_t count)
{
    const Integer *product = fold_number(fold, 1);
    for (uint32_t i = 0; i < count; i++) {
        product = fold_mul(fold, product, factors[i]);
    }
    return product;
}

/* ---- steps ---- */

void fold_step(Fold *fold, ViewStepKind kind)
{
    ViewFold *result = fold->result;
    const size_t old = result->num_steps * sizeof *result->steps;
    result->steps = arena_grow(fold->arena, result->steps, old, old + sizeof *result->steps);
    result->steps[result->num_steps++] = (ViewStep){kind, fold->now};
    fold->done = fold->now;
    fold->stepped = kind != VIEW_STEP_AS_STRIDED;
    fold->moved = false;
}

void fold_flush(Fold *fold)
{
    if (!geometry_same(fold->integers, &fold->now, &fold->done)) {
        fold_step(fold, VIEW_STEP_AS_STRIDED);
    }
}
