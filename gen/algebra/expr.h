/* SPDX-License-Identifier: MIT */
/*
 * expr - integers of the YAML: literals, and expressions of symbols with the operators of operators.def and
 * parentheses; and conditions, which compare such integers.
 *
 * Strict: decimal without leading zeros, signs only as unary minus on a literal (its meaning is checked by the rules),
 * 64-bit; overflow is already an error while parsing and folding.
 */
#ifndef WRAPGEN_EXPR_H
#define WRAPGEN_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/arena.h"
#include "operator.h"

typedef enum ExprKind {
    EXPR_LITERAL,
    EXPR_SYMBOL,
#define OPERATOR(NAME, name, token, level) EXPR_##NAME,
#include "operators.def"
    EXPR_FIRST_OPERATION = EXPR_ADD
} ExprKind;

/* A tree; literal subtrees are folded. */
typedef struct Expr {
    ExprKind kind;
    uint32_t symbol; /* EXPR_SYMBOL: index in Spec.symbols */
    int64_t literal; /* EXPR_LITERAL */
    const struct Expr *lhs;
    const struct Expr *rhs;
} Expr;

/* Finds a symbol's index by name; false when there is none. */
typedef bool (*ExprLookup)(void *ctx, const char *name, size_t length, uint32_t *symbol);

/* The operator of a tree that is neither a literal nor a symbol. */
Operator expr_operator(const Expr *expr);

static inline bool expr_is_operation(const Expr *expr)
{
    return expr->kind >= EXPR_FIRST_OPERATION;
}

/* Symbols in the order in which an expression reads them, each once. The arrays have room for all symbols of the file,
 * and serve one expression after another. */
typedef struct ExprSymbols {
    bool *seen; /* by symbol: it is in the list */
    uint32_t *at;
    uint32_t count;
} ExprSymbols;

ExprSymbols expr_symbols_new(Arena *arena, uint32_t num_symbols);

/* Adds those of the expression that are not there yet. */
void expr_collect_symbols(const Expr *expr, ExprSymbols *symbols);

/* Empties the list. */
void expr_forget_symbols(ExprSymbols *symbols);

bool expr_is_condition(const Expr *expr);

/* Parses `text`, an integer. On failure returns null and sets *error to what is wrong (arena text) and *at to the byte
 * offset in text. */
const Expr *expr_parse(Arena *arena, const char *text, ExprLookup lookup, void *ctx, const char **error, size_t *at);

/* The same for a condition: comparisons joined by `and`, `or`, `not`; `not` itself is not in the tree. */
const Expr *expr_parse_condition(Arena *arena, const char *text, ExprLookup lookup, void *ctx, const char **error,
                                 size_t *at);

/* The same for either; as an integer a condition is 1 or 0. */
const Expr *expr_parse_formula(Arena *arena, const char *text, ExprLookup lookup, void *ctx, const char **error,
                               size_t *at);

/* Strict decimal integer: "-1", "0", "42"; false on anything else ("12abc", "010", "1_000", "0x10", "+1", "", " 1"). */
bool expr_parse_integer(const char *text, int64_t *value);

const Expr *expr_literal(Arena *arena, int64_t value);
const Expr *expr_operation(Arena *arena, Operator operation, const Expr *lhs, const Expr *rhs);

/* The condition that holds where `condition` does not. */
const Expr *expr_negate(Arena *arena, const Expr *condition);

/* The value where symbol i is values[i]; false: it cannot be computed in 64 bits. */
bool expr_compute(const Expr *expr, const int64_t *values, int64_t *value);

bool expr_is_literal(const Expr *expr, int64_t *value); /* false for null */
bool expr_equal(const Expr *a, const Expr *b);          /* same tree */

#endif /* WRAPGEN_EXPR_H */
