/* SPDX-License-Identifier: MIT */
/*
 * validate_argument - parts that declarations and conditions of kernel arguments share: paths to arguments, conditions
 * on integers, literals of scalar kinds.
 */
#include "validate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../algebra/geometry.h"
#include "../base/real.h"
#include "../base/str.h"

/* ---- conditions ---- */

static Condition symbol_condition(Validator *v, const SpecSymbol *symbol)
{
    Condition condition = condition_interval(&v->scratch, INT64_MIN, INT64_MAX);
    condition.ranges[0] = derive_symbol_range(symbol);
    return condition;
}

/* The intersection, still of the same symbol. */
static Condition narrowed(Validator *v, const Condition *condition, const Condition *with)
{
    Condition both = condition_intersect(&v->scratch, condition, with);
    both.is_symbol = condition->is_symbol;
    both.symbol = condition->symbol;
    return both;
}

bool validate_condition_quietly(Validator *v, char *const *field, Condition *condition)
{
    const char *error = NULL;
    size_t at = 0;
    return condition_parse(&v->scratch, *field, validate_find_symbol, v, condition, &error, &at) &&
           !condition_is_empty(condition);
}

static bool refuse_unbacked(Validator *v, char *const *field, const SpecSymbol *symbol)
{
    if (spec_is(symbol->unbacked)) {
        DiagMessage *message = validate_error(
            v, RULE_SYMBOL_UNBACKED, diag_value(field),
            "unbacked symbol '%s' in a condition: a variant is chosen before it returns anything", symbol->name);
        diag_note(v->diag, message, diag_key(&symbol->unbacked), "declared unbacked here");
    }
    return spec_is(symbol->unbacked);
}

bool validate_condition(Validator *v, char *const *field, int64_t min, const char *what, Condition *condition)
{
    const char *error = NULL;
    size_t at = 0;
    v->text = *field;
    v->missing_name = NULL;
    if (!condition_parse(&v->scratch, *field, validate_find_symbol, v, condition, &error, &at)) {
        if (v->missing_name != NULL) {
            validate_missing_symbol(v, field, "any");
        } else {
            validate_error(v, RULE_CONDITION, validate_inside(field, at), "%s cannot be '%s': %s", what, *field, error);
        }
        return false;
    }
    const Condition domain = condition_interval(&v->scratch, min, INT64_MAX);
    for (uint32_t i = 0; i < condition->num_ranges; i++) {
        Condition one = {.ranges = &condition->ranges[i], .num_ranges = 1};
        one = condition_intersect(&v->scratch, &one, &domain);
        if (condition_is_empty(&one)) {
            validate_error(v, RULE_NEVER, diag_value(field), "no integer satisfies %s'%s'%s%s",
                           condition->num_ranges > 1 ? "one of the alternatives of " : "", *field,
                           min == 0 ? " as " : "", min == 0 ? what : "");
            return false;
        }
    }
    *condition = narrowed(v, condition, &domain);
    if (condition->is_symbol && (refuse_unbacked(v, field, &v->spec->symbols[condition->symbol]) ||
                                 validate_nested_condition(v, field, condition->symbol))) {
        return false;
    }
    if (condition->is_symbol) {
        const Condition bounds = symbol_condition(v, &v->spec->symbols[condition->symbol]);
        *condition = narrowed(v, condition, &bounds);
        if (condition_is_empty(condition)) {
            validate_error(v, RULE_NEVER, diag_value(field), "no value that '%s' can have is %s", *field, what);
            return false;
        }
    }
    return true;
}

/* ---- literals ---- */

uint64_t validate_dtypes(Validator *v, char *const *field)
{
    uint64_t mask = 0;
    const char *at = *field;
    for (;;) {
        const size_t length = strcspn(at, "|");
        const char *name = arena_copy(&v->scratch, at, length);
        const int32_t dtype = dtype_parse(name);
        const DiagPlace place = validate_inside(field, (size_t)(at - *field));
        if (dtype < 0) {
            const char *near = dtype_suggest(name);
            validate_error(v, RULE_VALUE, place, "unknown dtype '%s'%s%s%s", name,
                           near == NULL ? "" : "; did you mean '", near == NULL ? "" : near, near == NULL ? "" : "'?");
            return 0;
        }
        if ((mask & UINT64_C(1) << dtype) != 0) {
            validate_error(v, RULE_REPEATED, place, "dtype '%s' is named twice", name);
            return 0;
        }
        mask |= UINT64_C(1) << dtype;
        if (at[length] == '\0') {
            return mask;
        }
        at += length + 1;
    }
}

uint64_t validate_dtypes_quietly(Validator *v, const char *text)
{
    uint64_t mask = 0;
    for (const char *at = text;;) {
        const size_t length = strcspn(at, "|");
        const int32_t dtype = dtype_parse(arena_copy(&v->scratch, at, length));
        if (dtype < 0) {
            return 0;
        }
        mask |= UINT64_C(1) << dtype;
        if (at[length] == '\0') {
            return mask;
        }
        at += length + 1;
    }
}

static const char *skip_digits(const char *text)
{
    while (*text >= '0' && *text <= '9') {
        text++;
    }
    return text;
}

/* Digits that all are zero before the exponent: what is written is 0, and nothing else reads as it. */
static bool is_zero(const char *text)
{
    return strpbrk(text, "123456789") == NULL || strcspn(text, "eE") < strcspn(text, "123456789");
}

/* -?DIGITS[.DIGITS][(e|E)[+|-]DIGITS], finite; one that is too small for a double to tell from 0 is not. Nor is -0, an
 * integer without a sign in Python, but a negative zero where C reads it as a float. */
static bool is_float(const char *text)
{
    const char *at = text + (*text == '-' ? 1 : 0);
    const char *end = skip_digits(at);
    if (end == at || (*at == '0' && end - at > 1)) {
        return false;
    }
    if (*end == '.') {
        at = end + 1;
        end = skip_digits(at);
        if (end == at) {
            return false;
        }
    }
    if (*end == 'e' || *end == 'E') {
        at = end + 1;
        at += *at == '+' || *at == '-' ? 1 : 0;
        end = skip_digits(at);
        if (end == at) {
            return false;
        }
    }
    const double value = strtod(text, NULL);
    return *end == '\0' && value - value == 0.0 /* false for an infinity */ && strcmp(text, "-0") != 0 &&
           (is_zero(text) || value < 0.0 || value > 0.0);
}

/* A finite float, or one of the others by Python's name. */
static bool is_any_float(const char *text)
{
    return is_float(text) || strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0 || strcmp(text, "nan") == 0;
}

bool validate_scalar_literal(Validator *v, char *const *field, SpecKind kind, bool finite)
{
    int64_t integer = 0;
    int32_t type = -1;
    int32_t index = -1;
    bool good = true;
    switch (kind) {
    case SPEC_INT:
        good = expr_parse_integer(*field, &integer);
        break;
    case SPEC_FLOAT:
        good = finite ? is_float(*field) : is_any_float(*field);
        break;
    case SPEC_BOOLEAN:
        good = strcmp(*field, "true") == 0 || strcmp(*field, "false") == 0;
        break;
    case SPEC_DTYPE:
        return validate_dtype(v, field) >= 0;
    case SPEC_DEVICE:
        validate_device(v, field, &type, &index);
        return type >= 0;
    case SPEC_STRING:
    case SPEC_KIND_UNSET:
    case SPEC_OPAQUE:
    case SPEC_NONE:
    case SPEC_TENSOR:
    case SPEC_ALWAYS_NULL:
    case SPEC_TUPLE:
    case SPEC_LIST:
    case SPEC_RECORD:
        break;
    }
    if (!good) {
        validate_error(v, RULE_VALUE, diag_value(field), "'%s' is not a valid %s literal", *field,
                       spec_kind_text(kind));
    }
    return good;
}

/* ---- what a graph was compiled for ---- */

void validate_stated_value(Validator *v, SpecInt *value, SpecKind kind)
{
    int64_t bits = 0;
    const char *text = value->text;
    if (text == NULL) {
        return;
    }
    if (kind == SPEC_FLOAT && is_any_float(text)) {
        bits = real_bits(text);
    } else if (kind == SPEC_BOOLEAN && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
        bits = strcmp(text, "true") == 0;
    } else {
        validate_error(v, RULE_VALUE, diag_value(&value->text), "'%s' is not a valid %s literal", text,
                       spec_kind_text(kind));
        return;
    }
    value->expr = expr_literal(v->arena, bits);
}

/* ---- paths ---- */

/* Goes one step below `arg`, by an index or a name. Null: *error says why (null: no such name, nearest has offers). */
static const SpecArg *step(Validator *v, const SpecArg *arg, const char *name, const char **error, Nearest *nearest)
{
    int64_t index = -1;
    Condition length;
    const bool is_index = expr_parse_integer(name, &index) && index >= 0;
    if (arg->kind == SPEC_RECORD) {
        for (uint32_t i = 0; i < arg->items_count; i++) {
            if (arg->items[i].name != NULL && strcmp(arg->items[i].name, name) == 0) {
                return &arg->items[i];
            }
            nearest_offer(v, nearest, arg->items[i].name);
        }
        return NULL;
    }
    if (arg->kind != SPEC_LIST && arg->kind != SPEC_TUPLE) {
        *error = arena_printf(&v->scratch, "is of kind %s and has no items", spec_kind_text(arg->kind));
        return NULL;
    }
    if (!is_index) {
        *error = arena_printf(&v->scratch, "is a %s; its items go by position, from 0", spec_kind_text(arg->kind));
        return NULL;
    }
    if (arg->kind == SPEC_TUPLE) {
        *error = arena_printf(&v->scratch, "has %" PRIu32 " items", arg->items_count);
        return index < arg->items_count ? &arg->items[index] : NULL;
    }
    if (arg->length != NULL && validate_condition_quietly(v, &arg->length, &length) &&
        index >= condition_max(&length)) {
        *error = arena_printf(&v->scratch, "has at most %" PRId64 " items", condition_max(&length));
        return NULL;
    }
    *error = "is a list of nothing";
    return arg->of;
}

const SpecArg *validate_arg_path(Validator *v, const SpecKernel *kernel, char *const *field)
{
    const char *at = *field;
    size_t length = strcspn(at, ".");
    const TableEntry *entry = table_find(&v->names, at, length);
    if (entry == NULL) {
        const char *name = arena_copy(&v->scratch, at, length);
        Nearest nearest = nearest_start(name);
        for (uint32_t i = 0; i < kernel->args_count; i++) {
            nearest_offer(v, &nearest, kernel->args[i].name);
        }
        validate_error(v, RULE_REFERENCE, diag_value(field), "kernel '%s' has no argument '%s'%s", kernel->name, name,
                       nearest_text(v, &nearest));
        return NULL;
    }
    const SpecArg *arg = &kernel->args[entry->index];
    while (at[length] != '\0') {
        const size_t reached = (size_t)(at - *field) + length;
        at += length + 1;
        length = strcspn(at, ".");
        const char *name = arena_copy(&v->scratch, at, length);
        const char *error = NULL;
        Nearest nearest = nearest_start(name);
        arg = step(v, arg, name, &error, &nearest);
        if (arg == NULL) {
            const char *above = arena_copy(&v->scratch, *field, reached);
            DiagPlace place = validate_inside(field, (size_t)(at - *field));
            validate_error(v, RULE_REFERENCE, place,
                           error != NULL ? "'%s' does not exist: '%s' %s%s" : "'%s' does not exist in '%s'%s%s", *field,
                           above, error != NULL ? error : "", nearest_text(v, &nearest));
            return NULL;
        }
    }
    return arg;
}
