/* SPDX-License-Identifier: MIT */
/*
 * condition - what a kernel's `when` may require of one integer, as a set: a union of intervals, each thinned to the
 * multiples of some K. The domain is closed under intersection, so "can this ever hold" is decided exactly.
 *
 *     16        1|2|4       1..8        4096..       %16        16..4096%16|1        any        s0
 */
#ifndef WRAPGEN_CONDITION_H
#define WRAPGEN_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/arena.h"
#include "expr.h"

/* The multiples of `multiple` (at least 1) from min to max, both inclusive; empty when min > max. */
typedef struct ConditionRange {
    int64_t min; /* INT64_MIN: no lower bound */
    int64_t max; /* INT64_MAX: no upper bound */
    int64_t multiple;
} ConditionRange;

typedef struct Condition {
    bool is_symbol; /* just a symbol: `ranges` is then everything */
    uint32_t symbol;
    ConditionRange *ranges; /* a union; none: nothing satisfies it */
    uint32_t num_ranges;
} Condition;

/* Parses `alt ('|' alt)*` with alt = INT, [INT]..[INT][%K] or %K; or `any`, or a symbol. Ranges come out tightened to
 * their multiples; an empty one is kept, so that the caller can complain about it. On failure returns false and sets
 * *error (arena text) and *at (byte offset in text). A name that `lookup` does not find is an error. */
bool condition_parse(Arena *arena, const char *text, ExprLookup lookup, void *ctx, Condition *condition,
                     const char **error, size_t *at);

/* The multiples of `multiple` (at least 1) from min to max, tight: empty exactly when its min > max. */
ConditionRange condition_range(int64_t min, int64_t max, int64_t multiple);

int64_t greatest_common_divisor(int64_t a, int64_t b); /* of numbers that are not negative */

/* The integers from min to max. */
Condition condition_interval(Arena *arena, int64_t min, int64_t max);

bool condition_range_is_empty(const ConditionRange *range);

/* No integer satisfies it. */
bool condition_is_empty(const Condition *condition);

/* The integers that satisfy both (ignoring their symbols). The result is never too small; when the union would grow far
 * too much the result may be too large, so "empty" can be relied on and "not empty" nearly so. */
Condition condition_intersect(Arena *arena, const Condition *a, const Condition *b);

/* The least and greatest integer of a condition that is not empty. */
int64_t condition_min(const Condition *condition);
int64_t condition_max(const Condition *condition);

#endif /* WRAPGEN_CONDITION_H */
