/* SPDX-License-Identifier: MIT */
/*
 * guard - see guard.h.
 *
 * A symbol that is a multiple of k is k times a symbol of its own here, so that s0 % 8 == 0 and s0*3 != 8*s1 + 4 are
 * decided like anything else.
 */
#include "guard.h"

#include "../../templates/core/wg_compiler.h"

struct Guards {
    Arena *arena;
    Integers *integers;
    const Integer **symbols; /* what each is worth */
    const IntegerRange *ranges;
};

/* min <= k*q says (min + k - 1)//k <= q. */
static IntegerRange divided(IntegerRange range, int64_t multiple)
{
    int64_t above = 0;
    const int64_t min = range.min;
    const int64_t max = range.max;
    range.has_min = range.has_min && !wg_ckd_add(&above, min, multiple - 1) &&
                    operator_apply(OPERATOR_FLOORDIV, above, multiple, &range.min);
    range.has_max = range.has_max && operator_apply(OPERATOR_FLOORDIV, max, multiple, &range.max);
    return range;
}

Guards *guards_new(Arena *arena, const IntegerRange *ranges, const int64_t *multiples, uint32_t num_symbols)
{
    Guards *guards = ARENA_NEW(arena, Guards);
    IntegerRange *quotients = ARENA_ARRAY(arena, IntegerRange, num_symbols);
    for (uint32_t i = 0; i < num_symbols; i++) {
        quotients[i] = divided(ranges[i], multiples[i]);
    }
    guards->arena = arena;
    guards->ranges = ranges;
    guards->integers = integers_new(arena, quotients, num_symbols);
    guards->symbols = ARENA_ARRAY(arena, const Integer *, num_symbols);
    for (uint32_t i = 0; i < num_symbols; i++) {
        guards->symbols[i] = integer_binary(guards->integers, INTEGER_MUL, integer_symbol(guards->integers, i),
                                            integer_literal(guards->integers, multiples[i]));
    }
    return guards;
}

static const Integer *value_of(Guards *guards, const Expr *expr)
{
    if (expr->kind == EXPR_LITERAL) {
        return integer_literal(guards->integers, expr->literal);
    }
    if (expr->kind == EXPR_SYMBOL) {
        return guards->symbols[expr->symbol];
    }
    const Integer *lhs = value_of(guards, expr->lhs);
    const Integer *rhs = value_of(guards, expr->rhs);
    return integer_binary(guards->integers, (IntegerKind)(INTEGER_FIRST_OPERATION + expr_operator(expr)), lhs, rhs);
}

static Truth negated(Truth truth)
{
    return truth == TRUTH_YES ? TRUTH_NO : truth == TRUTH_NO ? TRUTH_YES : TRUTH_UNKNOWN;
}

void guards_assume(Guards *guards, const Expr *condition)
{
    Integers *integers = guards->integers;
    const Operator operation = expr_operator(condition);
    if (operation == OPERATOR_AND) {
        guards_assume(guards, condition->lhs);
        guards_assume(guards, condition->rhs);
    }
    if (operation != OPERATOR_EQ && operation != OPERATOR_LE && operation != OPERATOR_LT) {
        return; /* a disjunction is not a fact about one sum */
    }
    const bool failed = integers_set_failed(integers, false);
    const Integer *lhs = value_of(guards, condition->lhs);
    const Integer *rhs = value_of(guards, condition->rhs);
    if (operation == OPERATOR_LT) {
        lhs = integer_binary(integers, INTEGER_ADD, lhs, integer_literal(integers, 1));
    }
    if (integers_set_failed(integers, failed)) {
        return; /* what cannot be computed says nothing */
    }
    (void)integers_assume(integers, lhs, rhs);
    if (operation == OPERATOR_EQ) {
        (void)integers_assume(integers, rhs, lhs);
    }
}

static Truth truth_of(Guards *guards, const Expr *condition);

/* Of `and` the second need only be decided where the first holds, of `or` where it does not. */
static Truth truth_of_two(Guards *guards, const Expr *condition)
{
    const bool is_and = expr_operator(condition) == OPERATOR_AND;
    const Truth decisive = is_and ? TRUTH_NO : TRUTH_YES;
    const Truth lhs = truth_of(guards, condition->lhs);
    if (lhs == decisive) {
        return decisive;
    }
    const uint32_t mark = integers_mark(guards->integers);
    guards_assume(guards, is_and ? condition->lhs : expr_negate(guards->arena, condition->lhs));
    const Truth rhs = truth_of(guards, condition->rhs);
    integers_forget(guards->integers, mark);
    return rhs == decisive ? decisive : lhs == rhs ? lhs : TRUTH_UNKNOWN;
}

static Truth truth_of(Guards *guards, const Expr *condition)
{
    const Operator operation = expr_operator(condition);
    if (operator_takes_conditions(operation)) {
        return truth_of_two(guards, condition);
    }
    const Integer *lhs = value_of(guards, condition->lhs);
    const Integer *rhs = value_of(guards, condition->rhs);
    if (operation == OPERATOR_LE) {
        return integer_less_equal(guards->integers, lhs, rhs);
    }
    if (operation == OPERATOR_LT) {
        return negated(integer_less_equal(guards->integers, rhs, lhs));
    }
    const Truth equal = integer_equal(guards->integers, lhs, rhs);
    return operation == OPERATOR_EQ ? equal : negated(equal);
}

/* Literals that overflow while they are folded prove nothing. */
Truth guards_truth(Guards *guards, const Expr *condition)
{
    (void)integers_set_failed(guards->integers, false);
    const Truth truth = truth_of(guards, condition);
    return integers_failed(guards->integers) ? TRUTH_UNKNOWN : truth;
}

Truth guards_zero(Guards *guards, const Expr *integer)
{
    (void)integers_set_failed(guards->integers, false);
    const Truth truth =
        integer_equal(guards->integers, value_of(guards, integer), integer_literal(guards->integers, 0));
    return integers_failed(guards->integers) ? TRUTH_UNKNOWN : truth;
}

/* The proof is over integers without bounds, a test over those of 64 bits: where it cannot be computed, it does not
 * hold. */
const Expr *guards_simplify(Guards *guards, const Expr *condition)
{
    const Operator operation = expr_operator(condition);
    if (guards_truth(guards, condition) == TRUTH_YES && integer_is_computed(condition, guards->ranges)) {
        return NULL;
    }
    if (!operator_takes_conditions(operation)) {
        return condition;
    }
    if (operation == OPERATOR_OR) {
        const bool only_right =
            guards_truth(guards, condition->lhs) == TRUTH_NO && integer_is_computed(condition->lhs, guards->ranges);
        const bool only_left =
            guards_truth(guards, condition->rhs) == TRUTH_NO && integer_is_computed(condition->rhs, guards->ranges);
        const Expr *only = only_right ? condition->rhs : condition->lhs;
        return only_left != only_right ? guards_simplify(guards, only) : condition;
    }
    const Expr *lhs = guards_simplify(guards, condition->lhs);
    const Expr *rhs = guards_simplify(guards, condition->rhs);
    if (lhs == NULL || rhs == NULL) {
        return lhs == NULL ? rhs : lhs;
    }
    return lhs == condition->lhs && rhs == condition->rhs ? condition
                                                          : expr_operation(guards->arena, OPERATOR_AND, lhs, rhs);
}
