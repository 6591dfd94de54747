/* SPDX-License-Identifier: MIT */
/*
 * expr - integers of the YAML: literals, and expressions of symbols with + - * // and parentheses.
 *
 * Strict: decimal without leading zeros, signs only as unary minus on a literal (its meaning is checked by the rules),
 * 64-bit; overflow is already an error while parsing and folding.
 */
#ifndef WRAPGEN_EXPR_H
#define WRAPGEN_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/arena.h"

typedef enum ExprKind { EXPR_LITERAL, EXPR_SYMBOL, EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_FLOORDIV } ExprKind;

/* A tree; literal subtrees are folded. */
typedef struct Expr {
    ExprKind kind;
    int64_t literal; /* EXPR_LITERAL */
    uint32_t symbol; /* EXPR_SYMBOL: index in Spec.symbols */
    const struct Expr *lhs;
    const struct Expr *rhs;
} Expr;

/* Finds a symbol's index by name; false when there is none. */
typedef bool (*ExprLookup)(void *ctx, const char *name, size_t length, uint32_t *symbol);

/* Parses `text`. On failure returns null and sets *error to what is wrong (arena text) and *at to the byte offset in
 * text. */
const Expr *expr_parse(Arena *arena, const char *text, ExprLookup lookup, void *ctx, const char **error, size_t *at);

/* Strict decimal integer: "-1", "0", "42"; false on anything else ("12abc", "010", "1_000", "0x10", "+1", "", " 1"). */
bool expr_parse_integer(const char *text, int64_t *value);

const Expr *expr_literal(Arena *arena, int64_t value);
bool expr_is_literal(const Expr *expr, int64_t *value); /* false for null */
bool expr_equal(const Expr *a, const Expr *b);          /* same tree */

#endif /* WRAPGEN_EXPR_H */
