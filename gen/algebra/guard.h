/* SPDX-License-Identifier: MIT */
/*
 * guard - what is known about conditions over symbols: whether one always holds, or never, given what symbols are
 * declared to be and the conditions that were assumed before it.
 */
#ifndef WRAPGEN_GUARD_H
#define WRAPGEN_GUARD_H

#include "integer.h"

typedef struct Guards Guards;

/* One range and one multiple (at least 1) per symbol; both are borrowed. */
Guards *guards_new(Arena *arena, const IntegerRange *ranges, const int64_t *multiples, uint32_t num_symbols);

/* For all values of the symbols for which everything that was assumed holds. Honestly unknown is not wrong. */
Truth guards_truth(Guards *guards, const Expr *condition);

/* Can the integer be 0? No and yes are certain. */
Truth guards_zero(Guards *guards, const Expr *integer);

/* From now on the condition holds. */
void guards_assume(Guards *guards, const Expr *condition);

/* The condition without what is known to hold and can always be computed in 64 bits; null when nothing is left of it.
 */
const Expr *guards_simplify(Guards *guards, const Expr *condition);

#endif /* WRAPGEN_GUARD_H */
