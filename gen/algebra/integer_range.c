/* SPDX-License-Identifier: MIT */
/*
 * integer_range - arithmetic of intervals whose ends may be open.
 *
 * The result always holds every value that the operation can give for values of the operands. An end that leaves 64
 * bits is weakened: one that overflowed outwards is open, one that overflowed inwards is the last 64-bit number.
 */
#include "integer_private.h"

#include "../../templates/core/wg_compiler.h"

/* A bound during multiplication: minus infinity, a number, plus infinity. */
typedef struct Corner {
    int infinite; /* -1, 0, 1 */
    int64_t value;
} Corner;

static Corner corner_multiply(Corner a, Corner b)
{
    const int sign_a = a.infinite ? a.infinite : (a.value > 0) - (a.value < 0);
    const int sign_b = b.infinite ? b.infinite : (b.value > 0) - (b.value < 0);
    Corner result = {0, 0};
    if (sign_a * sign_b != 0 && (a.infinite || b.infinite || wg_ckd_mul(&result.value, a.value, b.value))) {
        result.infinite = sign_a * sign_b;
    }
    return result;
}

static bool corner_less(Corner a, Corner b)
{
    return a.infinite != b.infinite ? a.infinite < b.infinite : a.infinite == 0 && a.value < b.value;
}

/* A lower end that is infinitely high came from an overflow: the largest number is a safe bound. The same goes for the
 * upper end. */
static IntegerRange range_of_corners(Corner low, Corner high)
{
    IntegerRange range = {low.infinite >= 0, high.infinite <= 0, low.value, high.value};
    if (low.infinite > 0) {
        range.min = INT64_MAX;
    }
    if (high.infinite < 0) {
        range.max = INT64_MIN;
    }
    return range;
}

IntegerRange range_multiply(IntegerRange a, IntegerRange b)
{
    const Corner ends_a[2] = {{a.has_min ? 0 : -1, a.min}, {a.has_max ? 0 : 1, a.max}};
    const Corner ends_b[2] = {{b.has_min ? 0 : -1, b.min}, {b.has_max ? 0 : 1, b.max}};
    Corner low = {1, 0};
    Corner high = {-1, 0};
    for (int i = 0; i < 4; i++) {
        const Corner corner = corner_multiply(ends_a[i / 2], ends_b[i % 2]);
        low = i == 0 || corner_less(corner, low) ? corner : low;
        high = i == 0 || corner_less(high, corner) ? corner : high;
    }
    return range_of_corners(low, high);
}

IntegerRange range_square(IntegerRange a)
{
    IntegerRange square = range_multiply(a, a);
    if (!square.has_min || square.min < 0) {
        square.has_min = true;
        square.min = 0;
    }
    return square;
}

IntegerRange range_add(IntegerRange a, IntegerRange b)
{
    IntegerRange sum = {a.has_min && b.has_min, a.has_max && b.has_max, 0, 0};
    if (sum.has_min && wg_ckd_add(&sum.min, a.min, b.min)) {
        sum.has_min = a.min > 0;
        sum.min = INT64_MAX;
    }
    if (sum.has_max && wg_ckd_add(&sum.max, a.max, b.max)) {
        sum.has_max = a.max < 0;
        sum.max = INT64_MIN;
    }
    return sum;
}

int64_t range_floor(int64_t a, int64_t positive)
{
    return a / positive - (a % positive < 0 ? 1 : 0);
}

IntegerRange range_floordiv(IntegerRange n, IntegerRange d)
{
    IntegerRange range = {false, false, 0, 0};
    if (!d.has_min || d.min < 1) {
        return range;
    }
    /* The quotient is nearest to 0 for the largest d, farthest for the smallest. Without a largest d it ends at 0 or
     * -1. */
    if (n.has_min) {
        range.has_min = true;
        range.min = n.min < 0 ? range_floor(n.min, d.min) : d.has_max ? n.min / d.max : 0;
    }
    if (n.has_max) {
        range.has_max = true;
        range.max = n.max >= 0 ? n.max / d.min : d.has_max ? range_floor(n.max, d.max) : -1;
    }
    return range;
}

IntegerRange range_intersect(IntegerRange a, IntegerRange b)
{
    IntegerRange both = a;
    if (b.has_min && (!a.has_min || b.min > a.min)) {
        both.has_min = true;
        both.min = b.min;
    }
    if (b.has_max && (!a.has_max || b.max < a.max)) {
        both.has_max = true;
        both.max = b.max;
    }
    return both;
}

IntegerRange range_choose(IntegerRange a, IntegerRange b, bool minimum)
{
    IntegerRange range;
    const int64_t low_a = a.has_min ? a.min : INT64_MIN;
    const int64_t low_b = b.has_min ? b.min : INT64_MIN;
    const int64_t high_a = a.has_max ? a.max : INT64_MAX;
    const int64_t high_b = b.has_max ? b.max : INT64_MAX;
    range.has_min = minimum ? a.has_min && b.has_min : a.has_min || b.has_min;
    range.has_max = minimum ? a.has_max || b.has_max : a.has_max && b.has_max;
    range.min = (low_a < low_b) == minimum ? low_a : low_b;
    range.max = (high_a < high_b) == minimum ? high_a : high_b;
    return range;
}

/* ---- 64 bits at run time ---- */

enum { DEEP = 8 }; /* a part below is looked at again for each that uses it */

static OperatorRange range_at(const Integers *integers, const Integer *integer, int depth)
{
    OperatorRange range = {INT64_MIN, INT64_MAX};
    if (integer->kind == INTEGER_LITERAL) {
        return (OperatorRange){integer->literal, integer->literal};
    }
    if (integer->kind == INTEGER_READ_OFFSET) {
        return (OperatorRange){0, INT64_MAX};
    }
    if (integer->kind == INTEGER_SYMBOL && integers->ranges != NULL && integer->index < integers->num_symbols) {
        const IntegerRange known = integers->ranges[integer->index];
        return (OperatorRange){known.has_min ? known.min : INT64_MIN, known.has_max ? known.max : INT64_MAX};
    }
    if (integer_is_operation(integer) && depth < DEEP &&
        operator_range(integer_operator(integer->kind), range_at(integers, integer->lhs, depth + 1),
                       range_at(integers, integer->rhs, depth + 1), &range)) {
        return range;
    }
    return (OperatorRange){INT64_MIN, INT64_MAX};
}

/* What the expression can be; false: for some values of the symbols it leaves 64 bits, or divides by 0. */
static bool range_of_expr(const Expr *expr, const IntegerRange *ranges, OperatorRange *range)
{
    OperatorRange lhs;
    OperatorRange rhs;
    if (expr_is_operation(expr)) {
        return range_of_expr(expr->lhs, ranges, &lhs) && range_of_expr(expr->rhs, ranges, &rhs) &&
               operator_range(expr_operator(expr), lhs, rhs, range);
    }
    const IntegerRange *declared = expr->kind == EXPR_SYMBOL && ranges != NULL ? &ranges[expr->symbol] : NULL;
    const bool literal = expr->kind == EXPR_LITERAL;
    range->min = literal ? expr->literal : declared != NULL && declared->has_min ? declared->min : INT64_MIN;
    range->max = literal ? expr->literal : declared != NULL && declared->has_max ? declared->max : INT64_MAX;
    return true;
}

bool integer_is_computed(const Expr *expr, const IntegerRange *ranges)
{
    OperatorRange range;
    return range_of_expr(expr, ranges, &range);
}

bool integers_compute(const Integers *integers, const Expr *expr)
{
    return integer_is_computed(expr, integers->ranges);
}

bool integer_may_fail(const Integers *integers, const Integer *integer)
{
    OperatorRange unused;
    return !operator_range(integer_operator(integer->kind), range_at(integers, integer->lhs, 0),
                           range_at(integers, integer->rhs, 0), &unused);
}
