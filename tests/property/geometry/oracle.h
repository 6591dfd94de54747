/* SPDX-License-Identifier: MIT */
/*
 * oracle - view operations by their definition, without strides: a tensor is a table that says, for every element in
 * row-major order, at which byte of the storage it lies. An operation makes a new table from the old one.
 *
 * Whether a view needs a copy is decided by the table: it does when no sizes and strides describe the new one. A stride
 * that no element shows (of a dimension of size 1, or of an empty tensor) does not exist here; where PyTorch's answer
 * depends on one, the oracle says "either".
 */
#ifndef WRAPGEN_TESTS_ORACLE_H
#define WRAPGEN_TESTS_ORACLE_H

#include "gen/base/arena.h"
#include "gen/algebra/geometry.h"

enum { ORACLE_MAX_COUNT = 4096 };

typedef struct Table {
    uint32_t rank;
    const int64_t *sizes;
    int64_t count;
    const int64_t *at; /* byte of the storage, one an element */
    int32_t dtype;
} Table;

typedef enum Verdict {
    VERDICT_VALID,
    VERDICT_EITHER,    /* may be refused; when it is not, this is the table */
    VERDICT_INVALID,   /* must be refused */
    VERDICT_UNKNOWABLE /* too large, or asks for what a table does not have: nothing can be said */
} Verdict;

/* The value of an expression; false: overflow, or division by zero. */
bool oracle_value(const Expr *expr, const int64_t *symbols, int64_t *value);

/* The table of a geometry. */
Verdict oracle_strided(Arena *arena, int32_t dtype, uint32_t rank, const int64_t *sizes, const int64_t *strides,
                       int64_t offset, Table *table);

/* Applies one operation, its expressions taken at the values of `symbols`. */
Verdict oracle_apply(Arena *arena, const SpecView *view, const int64_t *symbols, Table *table);

/* Do both name the same elements in the same places? */
bool oracle_same(const Table *a, const Table *b);

#endif /* WRAPGEN_TESTS_ORACLE_H */
