/* SPDX-License-Identifier: MIT */
/*
 * validate_extra - the extra components of a kernel's key: sizes and strides of tensors, and expressions over numbers
 * of a call. Each must exist in some call, and tell calls apart that the rest of the key does not.
 */
#include "validate.h"

#include <inttypes.h>
#include <string.h>

#include "../algebra/geometry.h"
#include "../algebra/guard.h"

/* ---- what the key holds anyway ---- */

static bool is_static_dim(const SpecArg *arg, int64_t dim)
{
    for (uint32_t i = 0; i < arg->static_dims.text_count; i++) {
        int64_t other = -1;
        if (expr_is_literal(derive_expr(&arg->static_dims, i), &other) && other == dim) {
            return true;
        }
    }
    return false;
}

/* The tensor never has that many dims, which is reported. */
static bool is_beyond(Validator *v, Rule rule, const char *path, const SpecArg *arg, const SpecInt *dim, int64_t at)
{
    Condition ndim;
    if (arg->ndim == NULL || !validate_condition_quietly(v, &arg->ndim, &ndim) || at < condition_max(&ndim)) {
        return false;
    }
    DiagMessage *message = validate_error(v, rule, diag_value(&dim->text), "'%s' has at most %" PRId64 " dims", path,
                                          condition_max(&ndim));
    diag_note(v->diag, message, diag_value(&arg->ndim), "by its rank");
    return true;
}

/* ---- a size or stride ---- */

static void validate_dimension(Validator *v, const SpecKernel *kernel, SpecExtra *extra, uint32_t index, Table *seen)
{
    static const char *const words[] = {
        [SPEC_EXTRA_UNSET] = "?", [SPEC_EXTRA_SIZE] = "size", [SPEC_EXTRA_STRIDE] = "stride"};
    int64_t dim = 0;
    validate_int(v, &extra->dim, &INTEGER_DIMENSION);
    const SpecArg *arg = validate_arg_path(v, kernel, &extra->arg);
    if (arg == NULL || extra->dim.expr == NULL || !expr_is_literal(extra->dim.expr, &dim)) {
        return;
    }
    if (arg->kind != SPEC_TENSOR) {
        validate_error(v, RULE_EXTRA, diag_value(&extra->arg), "'%s' is of kind %s; only tensors have a %s", extra->arg,
                       spec_kind_text(arg->kind), words[extra->of]);
        return;
    }
    if (spec_is(kernel->static_shapes)) {
        validate_error(v, RULE_EXTRA, diag_value(&extra->arg),
                       "the key already holds every size and stride of '%s'; this is for 'static_shapes: false'",
                       extra->arg);
        return;
    }
    if (extra->of == SPEC_EXTRA_SIZE && is_static_dim(arg, dim)) {
        DiagMessage *message =
            validate_error(v, RULE_EXTRA, diag_value(&extra->dim.text),
                           "the key already holds size %" PRId64 " of '%s', a static dim", dim, extra->arg);
        diag_note(v->diag, message, diag_value(&arg->static_dims.text), "by this list");
        return;
    }
    const char *key = arena_printf(&v->scratch, "%s %s %" PRId64, extra->arg, words[extra->of], dim);
    const TableEntry *first = table_add(seen, key, strlen(key), 0, index);
    if (first != NULL) {
        DiagMessage *message =
            validate_error(v, RULE_EXTRA, diag_value(&extra->arg), "the key already holds %s %" PRId64 " of '%s'",
                           words[extra->of], dim, extra->arg);
        diag_note(v->diag, message, diag_value(&kernel->extra[first->index].arg), "by this entry");
    } else {
        (void)is_beyond(v, RULE_EXTRA, extra->arg, arg, &extra->dim, dim);
    }
}

/* ---- what the symbols of an expression stand for ---- */

/* The expression at hand. */
typedef struct Formula {
    const SpecKernel *kernel;
    SpecExtra *extra;
    const Expr *expr;
    IntegerRange *ranges; /* by symbol */
    int64_t *multiples;
    bool held; /* the key holds all of its numbers anyway */
} Formula;

/* The kind of argument that has such a number. */
static const SpecKind kind_of[] = {[SPEC_NUMBER_UNSET] = SPEC_KIND_UNSET,
                                   [SPEC_NUMBER_SIZE] = SPEC_TENSOR,
                                   [SPEC_NUMBER_NDIM] = SPEC_TENSOR,
                                   [SPEC_NUMBER_LENGTH] = SPEC_LIST,
                                   [SPEC_NUMBER_VALUE] = SPEC_INT};

static bool is_listed(const SpecKernel *kernel, const SpecNumber *number)
{
    for (uint32_t i = 0; i < kernel->extra_count; i++) {
        const SpecExtra *extra = &kernel->extra[i];
        const bool whole = extra->arg != NULL && extra->dim.text != NULL;
        if (whole && number->dim.text != NULL && extra->of == SPEC_EXTRA_SIZE && str_equal(extra->arg, number->arg) &&
            str_equal(extra->dim.text, number->dim.text)) {
            return true;
        }
    }
    return false;
}

static bool is_held(const SpecKernel *kernel, const SpecNumber *number, const SpecArg *arg, int64_t dim)
{
    return number->of == SPEC_NUMBER_SIZE
               ? spec_is(kernel->static_shapes) || is_static_dim(arg, dim) || is_listed(kernel, number)
           : number->of == SPEC_NUMBER_VALUE ? spec_is(arg->constexpr_value)
                                             : true; /* ranks and lengths always are */
}

/* false: reported. `user`: what the number is for. */
static bool find_symbol(Validator *v, SpecNumber *number, const char *user)
{
    if (!validate_find_symbol(v, number->symbol, strlen(number->symbol), &number->symbol_index)) {
        v->text = number->symbol;
        validate_missing_symbol(v, &number->symbol, NULL);
        return false;
    }
    const SpecSymbol *symbol = &v->spec->symbols[number->symbol_index];
    if (spec_is(symbol->unbacked)) {
        DiagMessage *message =
            validate_error(v, RULE_SYMBOL_UNBACKED, diag_value(&number->symbol),
                           "unbacked symbol '%s' in %s, which is made before anything is returned", symbol->name, user);
        diag_note(v->diag, message, diag_value(&symbol->name), "declared here");
        return false;
    }
    if (spec_is(symbol->nested)) {
        DiagMessage *message = validate_error(v, RULE_SYMBOL_NESTED, diag_value(&number->symbol),
                                              "nested int '%s' in %s: it is not a number", symbol->name, user);
        diag_note(v->diag, message, diag_value(&symbol->name), "declared here");
        return false;
    }
    return true;
}

/* The least and greatest number of that kind that a call can have; those of a size begin at 0. */
static void narrow(Validator *v, IntegerRange *range, const SpecNumber *number, const SpecArg *arg)
{
    char *const *text = number->of == SPEC_NUMBER_NDIM ? &arg->ndim : &arg->length;
    Condition condition;
    if (number->of == SPEC_NUMBER_VALUE) {
        return;
    }
    integer_range_of_size(range);
    if (number->of == SPEC_NUMBER_SIZE || *text == NULL || !validate_condition_quietly(v, text, &condition)) {
        return;
    }
    range->min = condition_min(&condition) > range->min ? condition_min(&condition) : range->min;
    range->max = !range->has_max || condition_max(&condition) < range->max ? condition_max(&condition) : range->max;
    range->has_max = true;
}

/* false: reported. */
static bool has_number(Validator *v, Rule rule, const SpecNumber *number, const SpecArg *arg, int64_t *dim)
{
    const bool sized = number->of == SPEC_NUMBER_SIZE;
    if (arg->kind != kind_of[number->of]) {
        validate_error(v, rule, diag_value(&number->of), "'%s' is of kind %s; only a %s has such a number", number->arg,
                       spec_kind_text(arg->kind), spec_kind_text(kind_of[number->of]));
        return false;
    }
    if (sized != (number->dim.text != NULL)) {
        validate_error(v, rule, sized ? diag_value(&number->of) : diag_key(&number->dim.text),
                       sized ? "a size needs 'dim'" : "'dim' is for sizes");
        return false;
    }
    return !sized || (number->dim.expr != NULL && expr_is_literal(number->dim.expr, dim) &&
                      !is_beyond(v, rule, number->arg, arg, &number->dim, *dim));
}

bool validate_number(Validator *v, Rule rule, const char *user, const SpecKernel *kernel, SpecNumber *number,
                     CallNumber *found)
{
    *found = (CallNumber){0};
    validate_int(v, &number->dim, &INTEGER_DIMENSION);
    found->arg = validate_arg_path(v, kernel, &number->arg);
    if (!find_symbol(v, number, user) || found->arg == NULL || !has_number(v, rule, number, found->arg, &found->dim)) {
        return false;
    }
    const SpecSymbol *symbol = &v->spec->symbols[number->symbol_index];
    IntegerRange *range = &found->range;
    *range = (IntegerRange){symbol->has_min, symbol->has_max, symbol->min_value, symbol->max_value};
    narrow(v, range, number, found->arg);
    if (range->has_min && range->has_max && range->min > range->max) {
        DiagMessage *message =
            validate_error(v, rule, diag_value(&number->symbol), "no value that '%s' can have is this number of '%s'",
                           symbol->name, number->arg);
        diag_note(v->diag, message, diag_value(&symbol->name), "symbol '%s' is declared here", symbol->name);
        return false;
    }
    return true;
}

/* false: reported. */
static bool validate_number_of(Validator *v, Formula *formula, SpecNumber *number)
{
    CallNumber found;
    if (!validate_number(v, RULE_EXTRA, "a key", formula->kernel, number, &found)) {
        return false;
    }
    const int64_t multiple = v->spec->symbols[number->symbol_index].multiple_of_value;
    formula->ranges[number->symbol_index] = found.range;
    formula->multiples[number->symbol_index] = multiple > 1 ? multiple : 1;
    formula->held = formula->held && is_held(formula->kernel, number, found.arg, found.dim);
    return true;
}

bool validate_bound_once(Validator *v, SpecNumber **bound, SpecNumber *number)
{
    SpecNumber *first = bound[number->symbol_index];
    bound[number->symbol_index] = number;
    if (first == NULL) {
        return true;
    }
    DiagMessage *message =
        validate_error(v, RULE_REPEATED, diag_value(&number->symbol), "'%s' is bound to two numbers", number->symbol);
    diag_note(v->diag, message, diag_value(&first->symbol), "the other one");
    return false;
}

/* Each symbol of the expression is bound to one number, and each number is in it. */
static bool validate_numbers(Validator *v, Formula *formula)
{
    const SpecExtra *extra = formula->extra;
    ExprSymbols used = expr_symbols_new(&v->scratch, v->spec->symbols_count);
    SpecNumber **bound = ARENA_ARRAY(&v->scratch, SpecNumber *, v->spec->symbols_count);
    bool good = true;
    expr_collect_symbols(formula->expr, &used);
    for (uint32_t i = 0; i < extra->where_count; i++) {
        SpecNumber *number = &extra->where[i];
        if (!validate_number_of(v, formula, number)) {
            good = false;
            continue;
        }
        if (!validate_bound_once(v, bound, number)) {
            good = false;
        } else if (!used.seen[number->symbol_index]) {
            validate_error(v, RULE_EXTRA, diag_value(&number->symbol), "'%s' is not in the expression '%s'",
                           number->symbol, extra->expr.text);
            good = false;
        }
    }
    for (uint32_t i = 0; good && i < used.count; i++) {
        if (bound[used.at[i]] == NULL) {
            validate_error(v, RULE_SYMBOL_UNBOUND, diag_value(&extra->expr.text),
                           "symbol '%s' is used but no entry of 'where' binds it", v->spec->symbols[used.at[i]].name);
            good = false;
        }
    }
    return good;
}

/* ---- the expression ---- */

/* Every value that it can have where it can be computed; an end about which nothing is known is that of 64 bits. */
typedef struct Outcome {
    OperatorRange range;
    const char *never; /* why it can never be computed, or null */
} Outcome;

/* 64 bits of the result, the nearest where it leaves them. */
static int64_t saturated(Operator operation, int64_t a, int64_t b, bool *left)
{
    int64_t value = 0;
    const bool up = operation == OPERATOR_MUL ? (a < 0) == (b < 0) : a >= 0; /* so it is for sums and differences */
    *left = !operator_apply(operation, a, b, &value);
    return !*left ? value : up ? INT64_MAX : INT64_MIN;
}

/* Of a sum, difference or product: each is greatest and least at the ends. */
static Outcome outcome_at_ends(Operator operation, OperatorRange a, OperatorRange b)
{
    const int64_t ends_a[2] = {a.min, a.max};
    const int64_t ends_b[2] = {b.min, b.max};
    Outcome outcome = {.range = {INT64_MAX, INT64_MIN}};
    bool all = true;
    for (uint32_t i = 0; i < 4; i++) {
        bool left = false;
        const int64_t end = saturated(operation, ends_a[i / 2], ends_b[i % 2], &left);
        outcome.range.min = end < outcome.range.min ? end : outcome.range.min;
        outcome.range.max = end > outcome.range.max ? end : outcome.range.max;
        all = all && left;
    }
    outcome.never = all && outcome.range.min == outcome.range.max ? "leaves 64 bits in every call" : NULL;
    return outcome;
}

static Outcome outcome_of(const Formula *formula, Guards *guards, const Expr *expr)
{
    if (expr->kind == EXPR_LITERAL) {
        return (Outcome){.range = {expr->literal, expr->literal}};
    }
    if (expr->kind == EXPR_SYMBOL) {
        const IntegerRange *range = &formula->ranges[expr->symbol];
        return (Outcome){.range = {range->has_min ? range->min : INT64_MIN, range->has_max ? range->max : INT64_MAX}};
    }
    const Operator operation = expr_operator(expr);
    const Outcome lhs = outcome_of(formula, guards, expr->lhs);
    const Outcome rhs = outcome_of(formula, guards, expr->rhs);
    Outcome outcome = {.range = {INT64_MIN, INT64_MAX}, .never = lhs.never != NULL ? lhs.never : rhs.never};
    if (outcome.never != NULL) {
        return outcome;
    }
    if (operation == OPERATOR_ADD || operation == OPERATOR_SUB || operation == OPERATOR_MUL) {
        return outcome_at_ends(operation, lhs.range, rhs.range);
    }
    if ((operation == OPERATOR_FLOORDIV || operation == OPERATOR_MOD) && guards_zero(guards, expr->rhs) == TRUTH_YES) {
        outcome.never = "divides by 0 in every call";
    } else if (!operator_range(operation, lhs.range, rhs.range, &outcome.range)) {
        outcome.range = (OperatorRange){INT64_MIN, INT64_MAX};
    }
    return outcome;
}

/* The expression can be computed, and calls differ in it. */
static void validate_outcome(Validator *v, const Formula *formula)
{
    const DiagPlace place = diag_value(&formula->extra->expr.text);
    const char *text = formula->extra->expr.text;
    Guards *guards = guards_new(&v->scratch, formula->ranges, formula->multiples, v->spec->symbols_count);
    const Outcome outcome = outcome_of(formula, guards, formula->expr);
    const bool condition = expr_is_condition(formula->expr);
    const Truth truth = condition ? guards_truth(guards, formula->expr) : TRUTH_UNKNOWN;
    if (outcome.never != NULL) {
        validate_error(v, RULE_EXTRA, place, "'%s' %s", text, outcome.never);
    } else if (truth != TRUTH_UNKNOWN || outcome.range.min == outcome.range.max) {
        validate_error(v, RULE_EXTRA, place, "'%s' is %" PRId64 " in every call, so it adds nothing to the key", text,
                       condition ? (int64_t)(truth == TRUTH_YES) : outcome.range.min);
    }
}

static void validate_formula(Validator *v, const SpecKernel *kernel, SpecExtra *extra, uint32_t index, Table *seen)
{
    static const IntegerRule rule = {"an expression", SYMBOL_FREE, 0, NESTED_FORBIDDEN};
    const uint32_t count = v->spec->symbols_count;
    Formula formula = {.kernel = kernel, .extra = extra, .held = true};
    formula.expr = validate_parse(v, &extra->expr.text, &rule, expr_parse_formula, RULE_EXTRA);
    formula.ranges = ARENA_ARRAY(&v->scratch, IntegerRange, count);
    formula.multiples = ARENA_ARRAY(&v->scratch, int64_t, count);
    for (uint32_t i = 0; i < count; i++) {
        formula.multiples[i] = 1;
    }
    extra->expr.expr = formula.expr;
    if (formula.expr == NULL || !validate_numbers(v, &formula)) {
        return;
    }
    if (formula.held) {
        validate_error(v, RULE_EXTRA, diag_value(&extra->expr.text),
                       extra->where_count == 0 ? "'%s' has no symbol, so it adds nothing to the key"
                                               : "the key already holds every number in '%s'",
                       extra->expr.text);
        return;
    }
    Str key = str_new(&v->scratch);
    str_puts(&key, extra->expr.text);
    for (uint32_t i = 0; i < extra->where_count; i++) {
        const SpecNumber *number = &extra->where[i];
        str_printf(&key, " %s %s %d %s", number->symbol, number->arg, (int)number->of,
                   number->dim.text != NULL ? number->dim.text : "");
    }
    const TableEntry *first = table_add(seen, str_text(&key), key.length, 0, index);
    if (first != NULL) {
        DiagMessage *message = validate_error(v, RULE_EXTRA, diag_value(&extra->expr.text),
                                              "the key already holds '%s'", extra->expr.text);
        diag_note(v->diag, message, diag_value(&kernel->extra[first->index].expr.text), "by this entry");
        return;
    }
    validate_outcome(v, &formula);
}

/* ---- entries ---- */

void validate_extras(Validator *v, const SpecKernel *kernel)
{
    const Subject subject = {.what = "an entry of 'extra'"};
    const uint64_t dimension = KEY_BIT(SpecExtra, arg) | KEY_BIT(SpecExtra, of) | KEY_BIT(SpecExtra, dim);
    Table seen;
    table_init(&seen, &v->scratch);
    for (uint32_t i = 0; i < kernel->extra_count; i++) {
        SpecExtra *extra = &kernel->extra[i];
        if (extra->expr.text != NULL) {
            if (validate_no_keys(v, RULE_EXTRA, extra, KEYS(SpecExtra, dimension), subject, "; it has 'expr'")) {
                validate_formula(v, kernel, extra, i, &seen);
            }
        } else if (extra->arg == NULL || extra->of == SPEC_EXTRA_UNSET || extra->dim.text == NULL) {
            validate_error(v, RULE_EXTRA, diag_mapping(extra),
                           "an entry of 'extra' needs 'arg', 'of' and 'dim', or "
                           "'expr'");
        } else if (validate_no_keys(v, RULE_EXTRA, extra, KEYS(SpecExtra, KEY_BIT(SpecExtra, where)), subject,
                                    "; it has no 'expr'")) {
            validate_dimension(v, kernel, extra, i, &seen);
        }
    }
}
