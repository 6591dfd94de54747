/* SPDX-License-Identifier: MIT */
/*
 * validate_declarations - what a file declares for all of its graphs: symbols with their bounds, subclass types with
 * their attributes. It fills SpecSymbol's values and the tables in which the rest of the gate finds them.
 */
#include "validate.h"

#include <inttypes.h>
#include <string.h>

#include "../algebra/condition.h"

static void name_twice(Validator *v, char *const *field, char *const *first, const char *what)
{
    DiagMessage *message =
        validate_error(v, RULE_NAME_CLASH, diag_value(field), "%s '%s' is declared twice", what, *field);
    diag_note(v->diag, message, diag_value(first), "first declared here");
}

/* ---- symbols ---- */

/* A bound: a literal. */
static bool validate_bound(Validator *v, char *const *field, const char *what, int64_t least, int64_t *value)
{
    const IntegerRule rule = {what, SYMBOL_FORBIDDEN, least, NESTED_FORBIDDEN};
    if (*field == NULL) {
        return false;
    }
    const Expr *expr = validate_integer(v, field, &rule);
    return expr != NULL && expr_is_literal(expr, value);
}

static void validate_bounds(Validator *v, SpecSymbol *symbol)
{
    symbol->has_min = validate_bound(v, &symbol->min, "a minimum", INT64_MIN, &symbol->min_value);
    symbol->has_max = validate_bound(v, &symbol->max, "a maximum", INT64_MIN, &symbol->max_value);
    if (!validate_bound(v, &symbol->multiple_of, "a multiple_of", 1, &symbol->multiple_of_value)) {
        symbol->multiple_of_value = 1;
    }
    if (symbol->has_min && symbol->has_max && symbol->min_value > symbol->max_value) {
        DiagMessage *message = validate_error(v, RULE_SYMBOL_BOUNDS, diag_value(&symbol->max),
                                              "symbol '%s' has maximum %" PRId64 ", less than its minimum %" PRId64,
                                              symbol->name, symbol->max_value, symbol->min_value);
        diag_note(v->diag, message, diag_value(&symbol->min), "the minimum");
        return;
    }
    const ConditionRange range = derive_symbol_range(symbol);
    if (condition_range_is_empty(&range)) {
        validate_error(v, RULE_SYMBOL_BOUNDS, diag_value(&symbol->multiple_of),
                       "symbol '%s' can have no value: no multiple of %" PRId64 " lies within its bounds", symbol->name,
                       symbol->multiple_of_value);
    }
}

void validate_symbols(Validator *v)
{
    Spec *spec = v->spec;
    for (uint32_t i = 0; i < spec->symbols_count; i++) {
        SpecSymbol *symbol = &spec->symbols[i];
        keys_default(v, symbol, ALL_KEYS(SpecSymbol));
        (void)validate_name(v, &symbol->name, NAME_VALUE, "symbol");
        const TableEntry *first = table_add(&v->symbols, symbol->name, strlen(symbol->name), 0, i);
        if (first != NULL) {
            name_twice(v, &symbol->name, &spec->symbols[first->index].name, "symbol");
        }
        validate_bounds(v, symbol);
        validate_nested_bounds(v, symbol);
    }
}

/* ---- subclass types ---- */

static void validate_attrs(Validator *v, SpecSubclassType *type)
{
    if (type->attrs_count > VALIDATE_MAX_ATTRS) {
        validate_error(v, RULE_SUBCLASS, diag_value(&type->attrs), "subclass '%s' has more than %d attributes",
                       type->name, VALIDATE_MAX_ATTRS);
    }
    table_clear(&v->names);
    for (uint32_t i = 0; i < type->attrs_count; i++) {
        SpecAttr *attr = &type->attrs[i];
        keys_default(v, attr, ALL_KEYS(SpecAttr));
        if (!validate_name(v, &attr->name, NAME_ATTR, "attribute")) {
            continue;
        }
        const TableEntry *first = table_add(&v->names, attr->name, strlen(attr->name), 0, i);
        if (first != NULL) {
            name_twice(v, &attr->name, &type->attrs[first->index].name, "attribute");
        }
    }
}

void validate_types(Validator *v)
{
    Spec *spec = v->spec;
    for (uint32_t i = 0; i < spec->subclasses_count; i++) {
        SpecSubclassType *type = &spec->subclasses[i];
        const bool named = validate_name(v, &type->name, NAME_VALUE, "subclass");
        const TableEntry *first = table_add(&v->types, type->name, strlen(type->name), 0, i);
        if (first != NULL) {
            name_twice(v, &type->name, &spec->subclasses[first->index].name, "subclass");
        }
        if (type->symbol == NULL && named) {
            type->symbol = type->name;
        }
        validate_attrs(v, type);
    }
}
