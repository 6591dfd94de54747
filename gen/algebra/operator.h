/* SPDX-License-Identifier: MIT */
/*
 * operator - the operators of operators.def and their arithmetic, which is Python's but for its width: 64 bits, where
 * an overflow is an error.
 */
#ifndef WRAPGEN_OPERATOR_H
#define WRAPGEN_OPERATOR_H

#include <stdbool.h>
#include <stdint.h>

typedef enum Operator {
#define OPERATOR(NAME, name, token, level) OPERATOR_##NAME,
#include "operators.def"
    NUM_OPERATORS
} Operator;

/* From the loosest to the tightest. */
typedef enum OperatorLevel {
    LEVEL_DISJUNCTION,
    LEVEL_CONJUNCTION,
    LEVEL_COMPARISON,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_CALL
} OperatorLevel;

const char *operator_token(Operator operation); /* "//" */
OperatorLevel operator_level(Operator operation);

/* Gives 1 or 0; `and` and `or` take such values too, all others take integers. */
bool operator_is_condition(Operator operation);
bool operator_takes_conditions(Operator operation);

/* a + b is b + a. */
bool operator_commutes(Operator operation);

/* For some operands it overflows, or divides by zero. */
bool operator_may_fail(Operator operation);

/* False: overflow, or division by zero. */
bool operator_apply(Operator operation, int64_t a, int64_t b, int64_t *result);

/* From a least to a greatest value, both of 64 bits. */
typedef struct OperatorRange {
    int64_t min;
    int64_t max;
} OperatorRange;

/* Every result for operands in these ranges; false: for some of them it fails. */
bool operator_range(Operator operation, OperatorRange a, OperatorRange b, OperatorRange *result);

#endif /* WRAPGEN_OPERATOR_H */
