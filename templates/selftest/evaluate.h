/* SPDX-License-Identifier: MIT */
/*
 * evaluate - expressions and view sequences of the YAML under given values of the symbols.
 */
#ifndef EVALUATE_H
#define EVALUATE_H

#include "../../gen/algebra/expr.h"
#include "views.h"

typedef struct Symbols {
    const int64_t *values; /* by symbol */
    const bool *bound;     /* by symbol */
} Symbols;

/* Every symbol of the expression has a value. */
bool evaluate_is_bound(const Symbols *symbols, const Expr *expr);

/* No argument tells some symbol of the expression, which may be null. */
bool evaluate_is_unbacked(const Spec *spec, const Expr *expr);
bool evaluate_any_unbacked(const Spec *spec, const SpecInts *ints);

/* False on 64-bit overflow or division by zero. */
bool evaluate(const Symbols *symbols, const Expr *expr, int64_t *value);

/* One operation of `view:`; false on overflow, and where an expression in a list comes out negative. */
bool evaluate_view(const Symbols *symbols, const SpecView *view, ViewCall *call);

/* The whole sequence on that geometry: null, or what is wrong. */
const char *evaluate_views(const Symbols *symbols, const SpecView *views, uint32_t num_views, ViewGeometry *geometry);

#endif /* EVALUATE_H */
