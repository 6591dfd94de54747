/* SPDX-License-Identifier: MIT */
/*
 * validate_layout - what is stated about the layout of one tensor: which nested int it owns, and that the elements of a
 * tangent are apart.
 */
#include "validate.h"

#include <inttypes.h>

void validate_tangent_overlap(Validator *v, const SpecInts *size, const SpecInts *stride, const char *subject)
{
    int64_t sizes = 0;
    int64_t literal = 0;
    for (uint32_t i = 0; i < size->text_count; i++) {
        if (expr_is_literal(derive_expr(size, i), &sizes) && sizes == 0) {
            return; /* no elements */
        }
    }
    for (uint32_t i = 0; i < size->text_count && i < stride->text_count; i++) {
        if (expr_is_literal(derive_expr(size, i), &sizes) && expr_is_literal(derive_expr(stride, i), &literal) &&
            sizes > 1 && literal == 0) {
            validate_error(v, RULE_TANGENT, diag_value(&stride->text[i]),
                           "%s: with stride 0 the %" PRId64 " elements of dimension %" PRIu32
                           " are one; state 'memory_format' instead",
                           subject, sizes, i);
        }
    }
}

void validate_owns(Validator *v, SpecInt *owns, SymbolMeaning use)
{
    const IntegerRule rule = {"an owned nested int", use, 0, NESTED_NAMED};
    if (owns->text == NULL) {
        return;
    }
    validate_int(v, owns, &rule);
    if (owns->expr == NULL) {
        return;
    }
    if (owns->expr->kind != EXPR_SYMBOL || !validate_is_nested(v, owns->expr->symbol)) {
        validate_error(v, RULE_SYMBOL_NESTED, diag_value(&owns->text),
                       "a tensor owns a nested int, a symbol that is declared with 'nested: true', not '%s'",
                       owns->text);
        owns->expr = NULL;
        return;
    }
    v->scope.owned_at[owns->expr->symbol] = v->scope.stamp;
}
