/* SPDX-License-Identifier: MIT */
/*
 * integer - integer values of the plan as a hash-consed graph: literals, symbols, what is read from a base tensor at run
 * time, and arithmetic over them. Literals fold; equal values are one node, so "same node" implies "equal".
 */
#ifndef WRAPGEN_INTEGER_H
#define WRAPGEN_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "expr.h"

typedef enum IntegerKind {
    INTEGER_LITERAL,
    INTEGER_SYMBOL,      /* `index` is the symbol's, in Spec.symbols */
    INTEGER_READ_SIZE,   /* size, stride or offset of tensor number `tensor` at run time; `index` is the dimension */
    INTEGER_READ_STRIDE,
    INTEGER_READ_OFFSET,
    INTEGER_ADD,
    INTEGER_SUB,
    INTEGER_MUL,
    INTEGER_FLOORDIV,
    INTEGER_MIN,
    INTEGER_MAX
} IntegerKind;

typedef struct Integer {
    IntegerKind kind;
    int64_t literal;
    uint32_t index;
    uint32_t tensor; /* a number that the caller gives to run-time tensors */
    const struct Integer *lhs;
    const struct Integer *rhs;
    uint32_t id; /* order of creation: operands come before their users */
} Integer;

/* Known bounds of symbols, for decisions; both inclusive. */
typedef struct IntegerRange {
    bool has_min;
    bool has_max;
    int64_t min;
    int64_t max;
} IntegerRange;

typedef struct Integers Integers;

/* `symbol_ranges` (may be null) has one entry a symbol and is borrowed: used only for decisions. */
Integers *integers_new(Arena *arena, const IntegerRange *symbol_ranges, uint32_t num_symbols);

/* Set when folding literals overflowed or divided by zero; the result then is literal 0. */
bool integers_failed(const Integers *integers);

const Integer *integer_literal(Integers *integers, int64_t value);
const Integer *integer_symbol(Integers *integers, uint32_t symbol);
const Integer *integer_read(Integers *integers, IntegerKind kind, uint32_t tensor, uint32_t dimension);
const Integer *integer_binary(Integers *integers, IntegerKind kind, const Integer *lhs, const Integer *rhs);
const Integer *integer_from_expr(Integers *integers, const Expr *expr);

bool integer_is(const Integer *integer, int64_t value); /* is that literal */

/* Decisions: exact or honest. Equality is decided over polynomials with // min max and reads as atoms, and over ranges. */
typedef enum Truth { TRUTH_NO, TRUTH_YES, TRUTH_UNKNOWN } Truth;
Truth integer_equal(Integers *integers, const Integer *a, const Integer *b);
Truth integer_less_equal(Integers *integers, const Integer *a, const Integer *b);

#endif /* WRAPGEN_INTEGER_H */
