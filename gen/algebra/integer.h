/* SPDX-License-Identifier: MIT */
/*
 * integer - integer values of the plan as a hash-consed graph: literals, symbols, reads of a base tensor at run time,
 * and arithmetic over them. Literals fold; equal values are one node, so "same node" implies "equal".
 */
#ifndef WRAPGEN_INTEGER_H
#define WRAPGEN_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/arena.h"
#include "expr.h"

typedef enum IntegerKind {
    INTEGER_LITERAL,
    INTEGER_SYMBOL,      /* `index` is the symbol's, in Spec.symbols */
    INTEGER_READ_STRIDE, /* stride or offset of tensor number `tensor` at run time; `index` is the dimension */
    INTEGER_READ_OFFSET,
#define OPERATOR(NAME, name, token, level) INTEGER_##NAME,
#include "operators.def"
    INTEGER_FIRST_OPERATION = INTEGER_ADD
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

static inline bool integer_is_operation(const Integer *integer)
{
    return integer->kind >= INTEGER_FIRST_OPERATION;
}

static inline Operator integer_operator(IntegerKind kind)
{
    return (Operator)(kind - INTEGER_FIRST_OPERATION);
}

/* Known bounds of symbols, for decisions; both inclusive. */
typedef struct IntegerRange {
    bool has_min;
    bool has_max;
    int64_t min;
    int64_t max;
} IntegerRange;

/* The range of what is a size too: it is at least 0. */
void integer_range_of_size(IntegerRange *range);

typedef struct Integers Integers;

/* `symbol_ranges` (may be null) has one entry per symbol, is borrowed, and is used only for decisions. */
Integers *integers_new(Arena *arena, const IntegerRange *symbol_ranges, uint32_t num_symbols);

/* Set when folding literals overflowed or divided by zero; the result then is an operation that fails wherever it is
 * computed, and about which nothing is known. It stays set; to learn about
 * one stage alone, set it to false before and to its former value (which is returned) afterwards. */
bool integers_failed(const Integers *integers);
bool integers_set_failed(Integers *integers, bool failed);

const Integer *integer_literal(Integers *integers, int64_t value);
const Integer *integer_symbol(Integers *integers, uint32_t symbol);
const Integer *integer_read(Integers *integers, IntegerKind kind, uint32_t tensor, uint32_t dimension);
const Integer *integer_binary(Integers *integers, IntegerKind kind, const Integer *lhs, const Integer *rhs);
const Integer *integer_from_expr(Integers *integers, const Expr *expr);

bool integer_is(const Integer *integer, int64_t value); /* is this literal */

/* Can the expression be computed in 64 bits as it is written, for everything in these ranges, or those of the integers?
 */
bool integer_is_computed(const Expr *expr, const IntegerRange *ranges);
bool integers_compute(const Integers *integers, const Expr *expr);

/* Can computing it overflow or divide by zero, given the ranges of symbols and that sizes and offsets are not
 * negative? Assumes that its operands could be computed. */
bool integer_may_fail(const Integers *integers, const Integer *integer);

/* The value that, times `divisor`, is exactly `dividend` for all values of the symbols (divisor 0 aside); null: not
 * known to exist. (s0*64) / s0 is 64 here, while s0*64 // s0 must stay a division: it fails for s0 = 0. */
const Integer *integer_quotient(Integers *integers, const Integer *dividend, const Integer *divisor);

/* Names of symbols for integer_text() (borrowed, one per symbol); without them symbol 0 is "symbol0". */
void integers_set_names(Integers *integers, const char *const *names);

/* For messages: the integer as it would be written in the YAML, with min(a, b), max(a, b) and, for reads at run time,
 * size(0), stride(1) or offset; a long text ends in "...". */
const char *integer_text(const Integers *integers, const Integer *integer);

/* Decisions are exact, or honestly unknown. Equality is decided over polynomials with // min max and reads as atoms,
 * and over ranges.
 */
typedef enum Truth { TRUTH_NO, TRUTH_YES, TRUTH_UNKNOWN } Truth;
Truth integer_equal(Integers *integers, const Integer *a, const Integer *b);
Truth integer_less_equal(Integers *integers, const Integer *a, const Integer *b);

/* All of its values are in there, for all values of the symbols. */
IntegerRange integer_range(Integers *integers, const Integer *integer);

/* From now on lhs <= rhs counts as known in decisions, until integers_forget() with the mark that the first of a group
 * of assumptions returned. Sizes read at run time and offsets are known to be at least 0 without it. */
uint32_t integers_mark(const Integers *integers); /* what integers_assume() would return now */
uint32_t integers_assume(Integers *integers, const Integer *lhs, const Integer *rhs);
void integers_forget(Integers *integers, uint32_t mark);

#endif /* WRAPGEN_INTEGER_H */
