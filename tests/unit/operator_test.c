/* SPDX-License-Identifier: MIT */
/* operator: the range of what can come of operands in two ranges, against all pairs of their members. */
#include "gen/algebra/operator.h"

#include <stdint.h>

#include "check.h"

typedef struct Seen {
    bool fails;
    int64_t min;
    int64_t max;
} Seen;

static Seen try_all(Operator operation, OperatorRange a, OperatorRange b)
{
    Seen seen = {false, INT64_MAX, INT64_MIN};
    for (uint64_t i = 0; i <= (uint64_t)a.max - (uint64_t)a.min; i++) {
        for (uint64_t k = 0; k <= (uint64_t)b.max - (uint64_t)b.min; k++) {
            int64_t result = 0;
            if (!operator_apply(operation, a.min + (int64_t)i, b.min + (int64_t)k, &result)) {
                seen.fails = true;
                continue;
            }
            seen.min = result < seen.min ? result : seen.min;
            seen.max = result > seen.max ? result : seen.max;
        }
    }
    return seen;
}

/* Around 0, and where 64 bits end. A remainder and a condition may be told less exactly, but never wrong. */
static void check_ranges(void)
{
    static const int64_t starts[] = {
        -5, -3, -1, 0, 1, 4, INT64_MIN, INT64_MIN + 1, INT64_MAX - 3, INT64_MAX / 2, INT64_MIN / 2};
    enum { N = sizeof starts / sizeof starts[0], WIDE = 4 };
    int wrong[NUM_OPERATORS] = {0};
    for (int i = 0; i < NUM_OPERATORS * N * WIDE * N * WIDE; i++) {
        const Operator operation = (Operator)(i % NUM_OPERATORS);
        const int first = i / NUM_OPERATORS;
        const int second = first / (N * WIDE);
        const OperatorRange a = {starts[first / WIDE % N], starts[first / WIDE % N] + first % WIDE};
        const OperatorRange b = {starts[second / WIDE % N], starts[second / WIDE % N] + second % WIDE};
        const Seen seen = try_all(operation, a, b);
        const bool exact = operation != OPERATOR_MOD && !operator_is_condition(operation);
        OperatorRange range = {0, 0};
        const bool safe = operator_range(operation, a, b, &range);
        wrong[operation] += safe == seen.fails;
        wrong[operation] += safe && (range.min > seen.min || range.max < seen.max);
        wrong[operation] += safe && exact && (range.min != seen.min || range.max != seen.max);
    }
    for (int i = 0; i < NUM_OPERATORS; i++) {
        (void)check(wrong[i] == 0, "the range of %s", operator_token((Operator)i));
    }
}

int main(void)
{
    check_ranges();
    return check_done();
}
