/* SPDX-License-Identifier: MIT */
/*
 * validate_scalar - the second gate's integers, expressions, dtypes, devices and counts, and which symbols are bound.
 *
 * A symbol is bound where it is, by itself, an input's size, stride, storage_offset or value; an unbacked one is
 * defined where it is, by itself, a size or the value of a result. Uses are recorded while integers are parsed;
 * validate_scope_end() then reports each symbol that was used and never bound or defined, once, where it was used
 * first, and each unbacked one that an argument uses: what is stated about arguments is needed before there are
 * results.
 */
#include "validate.h"

#include <inttypes.h>
#include <string.h>

#include "../algebra/geometry.h"
#include "../base/str.h"

enum { FEW = 16 };

const IntegerRule INTEGER_SIZE = {"a size", SYMBOL_USED, 0, NESTED_FORBIDDEN};
const IntegerRule INTEGER_STRIDE = {"a stride", SYMBOL_USED, 0, NESTED_FORBIDDEN};
const IntegerRule INTEGER_OFFSET = {"a storage offset", SYMBOL_USED, 0, NESTED_FORBIDDEN};
const IntegerRule INTEGER_DIMENSION = {"a dimension", SYMBOL_FORBIDDEN, 0, NESTED_FORBIDDEN};
const IntegerRule INTEGER_COUNT = {"a count", SYMBOL_FORBIDDEN, 0, NESTED_FORBIDDEN};

/* ---- symbols ---- */

void validate_scope_start(Validator *v)
{
    SymbolScope *scope = &v->scope;
    if (scope->bound_at == NULL) {
        scope->bound_at = ARENA_ARRAY(v->arena, uint32_t, v->spec->symbols_count);
        scope->used_at = ARENA_ARRAY(v->arena, uint32_t, v->spec->symbols_count);
        scope->used = ARENA_ARRAY(v->arena, uint32_t, v->spec->symbols_count);
        scope->first_use = ARENA_ARRAY(v->arena, DiagPlace, v->spec->symbols_count);
        scope->early_at = ARENA_ARRAY(v->arena, uint32_t, v->spec->symbols_count);
        scope->early = ARENA_ARRAY(v->arena, uint32_t, v->spec->symbols_count);
        scope->early_use = ARENA_ARRAY(v->arena, DiagPlace, v->spec->symbols_count);
        scope->definition = ARENA_ARRAY(v->arena, DiagPlace, v->spec->symbols_count);
        scope->owned_at = ARENA_ARRAY(v->arena, uint32_t, v->spec->symbols_count);
        scope->outer_at = ARENA_ARRAY(v->arena, uint32_t, v->spec->symbols_count);
        scope->named_at = ARENA_ARRAY(v->arena, uint32_t, v->spec->symbols_count);
        scope->named = ARENA_ARRAY(v->arena, uint32_t, v->spec->symbols_count);
        scope->first_named = ARENA_ARRAY(v->arena, DiagPlace, v->spec->symbols_count);
    }
    scope->stamp++;
    scope->num_used = 0;
    scope->num_early = 0;
    scope->num_named = 0;
    v->doubts = DOUBT_NOTHING;
    table_clear(&v->missing);
}

static void note_use(SymbolScope *scope, uint32_t symbol, DiagPlace place)
{
    if (scope->used_at[symbol] != scope->stamp) {
        scope->used_at[symbol] = scope->stamp;
        scope->first_use[symbol] = place;
        scope->used[scope->num_used++] = symbol;
    }
}

static void use_unbacked(SymbolScope *scope, uint32_t symbol, SymbolMeaning use, DiagPlace place)
{
    const bool early = use == SYMBOL_GIVEN || use == SYMBOL_BINDS;
    if (early && scope->early_at[symbol] != scope->stamp) {
        scope->early_at[symbol] = scope->stamp;
        scope->early_use[symbol] = place;
        scope->early[scope->num_early++] = symbol;
    } else if (use >= SYMBOL_DEFINES && scope->bound_at[symbol] != scope->stamp) {
        scope->bound_at[symbol] = scope->stamp;
        scope->definition[symbol] = place;
    } else if (use == SYMBOL_USED) {
        note_use(scope, symbol, place);
    }
}

void validate_symbol_use(Validator *v, uint32_t symbol, SymbolMeaning use, DiagPlace place)
{
    SymbolScope *scope = &v->scope;
    if (spec_is(v->spec->symbols[symbol].unbacked)) {
        use_unbacked(scope, symbol, use, place);
    } else if (use == SYMBOL_BINDS) {
        scope->bound_at[symbol] = scope->stamp;
    } else if (use == SYMBOL_USED || use == SYMBOL_GIVEN) {
        note_use(scope, symbol, place);
    }
}

static void report_unbound(Validator *v, uint32_t symbol, const char *why)
{
    const SpecSymbol *spec = &v->spec->symbols[symbol];
    if (!spec_is(spec->unbacked)) {
        validate_error(v, RULE_SYMBOL_UNBOUND, v->scope.first_use[symbol], "symbol '%s' is used but never bound: %s",
                       spec->name, why);
    } else if (v->scope.early_at[symbol] != v->scope.stamp) { /* else that is the mistake */
        DiagMessage *message =
            validate_error(v, RULE_SYMBOL_UNBACKED, v->scope.first_use[symbol],
                           "unbacked symbol '%s' is used but never defined: it must be, by itself, a size of a tensor "
                           "that the graph returns, or the 'value' of an output of kind int",
                           spec->name);
        diag_note(v->diag, message, diag_key(&spec->unbacked), "declared unbacked here");
    }
}

static void report_early(Validator *v, uint32_t symbol)
{
    const SymbolScope *scope = &v->scope;
    const SpecSymbol *spec = &v->spec->symbols[symbol];
    DiagMessage *message = validate_error(v, RULE_SYMBOL_UNBACKED, scope->early_use[symbol],
                                          "unbacked symbol '%s' is used before it is defined: what is stated about an "
                                          "argument is needed before the graph returns anything",
                                          spec->name);
    if (scope->bound_at[symbol] == scope->stamp) {
        diag_note(v->diag, message, scope->definition[symbol], "defined here, by a result");
    } else {
        diag_note(v->diag, message, diag_key(&spec->unbacked), "declared unbacked here");
    }
}

void validate_scope_end(Validator *v, const char *why)
{
    const SymbolScope *scope = &v->scope;
    for (uint32_t i = 0; i < scope->num_early; i++) {
        report_early(v, scope->early[i]);
    }
    if ((v->doubts & DOUBT_BINDING) != 0) {
        return; /* an entry that could not be read may have bound it */
    }
    validate_nested_end(v);
    for (uint32_t i = 0; i < scope->num_used; i++) {
        if (scope->bound_at[scope->used[i]] != scope->stamp) {
            report_unbound(v, scope->used[i], why);
        }
    }
}

/* ---- integers ---- */

bool validate_find_symbol(void *ctx, const char *name, size_t length, uint32_t *symbol)
{
    Validator *v = ctx;
    const TableEntry *entry = table_find(&v->symbols, name, length);
    if (entry == NULL) {
        v->missing_name = name;
        v->missing_length = length;
        return false;
    }
    *symbol = entry->index;
    return true;
}

/* ExprLookup. */
static bool lookup_symbol(void *ctx, const char *name, size_t length, uint32_t *symbol)
{
    Validator *v = ctx;
    if (!validate_find_symbol(v, name, length, symbol)) {
        return false;
    }
    const DiagPlace place = validate_inside(v->field, (size_t)(name - v->text));
    if (validate_nested_use(v, *symbol, place)) {
        return true; /* it neither binds nor needs to be bound here */
    }
    /* Inside an expression a symbol is only used; by itself it is bound or defined, by validate_integer(). */
    const SymbolMeaning use = v->integer->use == SYMBOL_BINDS      ? SYMBOL_GIVEN
                              : v->integer->use == SYMBOL_DEFINES  ? SYMBOL_USED
                              : v->integer->use == SYMBOL_RETURNED ? SYMBOL_FREE
                                                                   : v->integer->use;
    validate_symbol_use(v, *symbol, use, place);
    return true;
}

void validate_missing_symbol(Validator *v, char *const *field, const char *anything)
{
    const size_t at = (size_t)(v->missing_name - v->text);
    const char *name = arena_copy(v->arena, v->missing_name, v->missing_length);
    v->doubts |= DOUBT_BINDING;
    if (table_add(&v->missing, name, v->missing_length, 0, 0) != NULL) {
        return; /* reported once for this graph */
    }
    Nearest nearest = nearest_start(name);
    for (uint32_t i = 0; i < v->spec->symbols_count; i++) {
        nearest_offer(v, &nearest, v->spec->symbols[i].name);
    }
    DiagPlace place = validate_inside(field, at);
    place.length = v->missing_length;
    const bool wildcard = anything != NULL && strcmp(name, "_") == 0; /* as in other languages' patterns */
    validate_error(v, RULE_SYMBOL, place, "'%s' is not declared in 'symbols'%s", name,
                   wildcard ? arena_printf(v->arena, "; '%s' accepts any integer", anything)
                            : nearest_text(v, &nearest));
}

static bool literal_fits(Validator *v, char *const *field, const IntegerRule *rule, int64_t value)
{
    if (value >= rule->min) {
        return true;
    }
    if (rule->min == 0) {
        validate_error(v, RULE_INTEGER, diag_value(field), "%s cannot be negative: %" PRId64 "%s", rule->what, value,
                       value != -1 || rule->use == SYMBOL_FORBIDDEN
                           ? ""
                           : "; a value known only at run time is a symbol, declared in 'symbols'");
    } else {
        validate_error(v, RULE_INTEGER, diag_value(field), "%s must be at least %" PRId64 ", not %" PRId64, rule->what,
                       rule->min, value);
    }
    return false;
}

/* Small literals are shared, since most integers are small. (Symbols never are: lowering tells uses apart by address.)
 */
static const Expr *literal_expr(Validator *v, int64_t value)
{
    if (value < 0 || value >= SMALL_LITERALS) {
        return expr_literal(v->arena, value);
    }
    if (v->literals[value] == NULL) {
        v->literals[value] = expr_literal(v->arena, value);
    }
    return v->literals[value];
}

const Expr *validate_parse(Validator *v, char *const *field, const IntegerRule *rule, ValidateParse *parse, Rule broken)
{
    const char *error = NULL;
    size_t at = 0;
    v->field = field;
    v->text = *field;
    v->integer = rule;
    v->missing_name = NULL;
    const Expr *expr = parse(v->arena, *field, lookup_symbol, v, &error, &at);
    if (v->missing_name != NULL) {
        validate_missing_symbol(v, field, NULL);
        return NULL;
    }
    if (expr == NULL) {
        validate_error(v, broken, validate_inside(field, at), "%s cannot be '%s': %s", rule->what, *field, error);
    }
    return expr;
}

const Expr *validate_integer(Validator *v, char *const *field, const IntegerRule *rule)
{
    int64_t literal = 0;
    if (expr_parse_integer(*field, &literal)) {
        return literal_fits(v, field, rule, literal) ? literal_expr(v, literal) : NULL;
    }
    if (rule->use == SYMBOL_FORBIDDEN) {
        validate_error(v, RULE_INTEGER, diag_value(field), "%s must be a decimal integer here, not '%s'", rule->what,
                       *field);
        return NULL;
    }
    const Expr *expr = validate_parse(v, field, rule, expr_parse, RULE_INTEGER);
    if (expr == NULL) {
        return NULL;
    }
    if (rule->nested == NESTED_NAMED && !validate_nested_named(v, field, expr)) {
        return NULL;
    }
    if (expr->kind == EXPR_SYMBOL && rule->use >= SYMBOL_BINDS &&
        (rule->nested == NESTED_NAMED || !validate_is_nested(v, expr->symbol))) {
        validate_symbol_use(v, expr->symbol, rule->use, diag_value(field));
    }
    return !expr_is_literal(expr, &literal) || literal_fits(v, field, rule, literal) ? expr : NULL;
}

void validate_int(Validator *v, SpecInt *integer, const IntegerRule *rule)
{
    integer->expr = integer->text == NULL ? NULL : validate_integer(v, &integer->text, rule);
}

bool validate_ints(Validator *v, SpecInts *ints, const IntegerRule *rule)
{
    bool good = true;
    if (ints->text == NULL) {
        return true;
    }
    ints->expr = ARENA_ARRAY(v->arena, const Expr *, ints->text_count);
    for (uint32_t i = 0; i < ints->text_count; i++) {
        ints->expr[i] = validate_integer(v, &ints->text[i], rule);
        good = good && derive_expr(ints, i) != NULL;
    }
    return good;
}

uint32_t validate_count(Validator *v, SpecInt *integer)
{
    int64_t value = 0;
    validate_int(v, integer, &INTEGER_COUNT);
    if (integer->expr == NULL || !expr_is_literal(integer->expr, &value)) {
        return 0;
    }
    if (value > v->limits.count) {
        validate_error(v, RULE_LIMIT, diag_value(&integer->text),
                       "a count of %" PRId64 " is more than %" PRId64 " ('--limit count=N' raises that)", value,
                       v->limits.count);
        return 0;
    }
    return (uint32_t)value;
}

bool validate_dimensions(Validator *v, SpecInts *dims)
{
    bool good = validate_ints(v, dims, &INTEGER_DIMENSION);
    for (uint32_t i = 0; i < dims->text_count; i++) {
        int64_t value = 0;
        if (expr_is_literal(derive_expr(dims, i), &value) && value >= v->limits.rank) {
            validate_error(v, RULE_LIMIT, diag_value(&dims->text[i]),
                           "a tensor with a dimension %" PRId64 " has more than %" PRId64
                           " ('--limit rank=N' raises that)",
                           value, v->limits.rank);
            good = false;
        }
    }
    return good;
}

/* The earlier entry with the value of entry n, or n if there is none. Short lists, which most are, are compared one by
 * one. */
static uint32_t find_earlier(const SpecInts *ints, Table *seen, uint32_t n)
{
    if (ints->text_count <= FEW) {
        uint32_t i = 0;
        while (strcmp(ints->text[i], ints->text[n]) != 0) {
            i++;
        }
        return i;
    }
    const TableEntry *first = table_add(seen, ints->text[n], strlen(ints->text[n]), 0, n);
    return first == NULL ? n : first->index;
}

bool validate_literals(Validator *v, Rule rule, const SpecInts *ints, int64_t limit, const char *what, Subject owner,
                       const char *has)
{
    bool good = true;
    Table seen;
    table_init(&seen, &v->scratch);
    for (uint32_t i = 0; i < ints->text_count; i++) {
        int64_t value = 0;
        (void)expr_is_literal(derive_expr(ints, i), &value); /* that each is one was tested before */
        const uint32_t first = find_earlier(ints, &seen, i);
        if (limit >= 0 && value >= limit) {
            validate_error(v, rule, diag_value(&ints->text[i]), "%s %" PRId64 " does not exist: %s %s %" PRId64, what,
                           value, subject_text(v, owner), has, limit);
            good = false;
        } else if (first != i) {
            DiagMessage *message = validate_error(v, RULE_REPEATED, diag_value(&ints->text[i]),
                                                  "%s %" PRId64 " is named twice", what, value);
            diag_note(v->diag, message, diag_value(&ints->text[first]), "first named here");
            good = false;
        }
    }
    return good;
}

/* ---- dtypes and devices ---- */

int32_t validate_dtype(Validator *v, char *const *field)
{
    if (*field == NULL) {
        return -1;
    }
    const int32_t dtype = dtype_parse(*field);
    if (dtype < 0) {
        const char *near = dtype_suggest(*field);
        validate_error(v, RULE_VALUE, diag_value(field), "unknown dtype '%s'%s%s%s", *field,
                       near == NULL ? "" : "; did you mean '", near == NULL ? "" : near, near == NULL ? "" : "'?");
    }
    return dtype;
}

void validate_device(Validator *v, char *const *field, int32_t *type, int32_t *index)
{
    *type = -1;
    *index = -1;
    if (*field == NULL || device_parse(*field, type, index)) {
        return;
    }
    *type = -1;
    *index = -1;
    const char *colon = strchr(*field, ':');
    const size_t length = colon == NULL ? strlen(*field) : (size_t)(colon - *field);
    Nearest nearest = nearest_start(arena_copy(v->arena, *field, length));
    for (size_t i = 0; device_name(i) != NULL; i++) {
        if (strcmp(device_name(i), nearest.name) == 0) {
            validate_error(v, RULE_VALUE, diag_value(field),
                           "'%s' is not an index of device '%s'; write '%s' or '%s:0'", colon + 1, nearest.name,
                           nearest.name, nearest.name);
            return;
        }
        nearest_offer(v, &nearest, device_name(i));
    }
    const char *meant = nearest_text(v, &nearest);
    validate_error(v, RULE_VALUE, diag_value(field), "unknown device '%s'%s", *field,
                   meant[0] != '\0' ? meant
                                    : "; a device is cpu, cuda, hip, xla, xpu, mps, meta, hpu or privateuseone");
}

/* ---- geometry ---- */

static IntegerRule rule_with(const IntegerRule *rule, SymbolMeaning use)
{
    IntegerRule changed = *rule;
    changed.use = use;
    return changed;
}

/* The stride of a dimension of size 1 can be anything, so it does not bind a symbol. That of a result defines none: it
 * has no meaning either if the tensor has no elements. */
static void validate_strides(Validator *v, const SpecInts *size, SpecInts *stride, SymbolMeaning use)
{
    const IntegerRule binding = rule_with(&INTEGER_STRIDE, use == SYMBOL_DEFINES ? SYMBOL_USED : use);
    const IntegerRule meaningless = rule_with(&INTEGER_STRIDE, use == SYMBOL_BINDS ? SYMBOL_GIVEN : binding.use);
    if (stride->text == NULL) {
        return;
    }
    stride->expr = ARENA_ARRAY(v->arena, const Expr *, stride->text_count);
    for (uint32_t i = 0; i < stride->text_count; i++) {
        int64_t literal = 0;
        const bool one = expr_is_literal(derive_expr(size, i), &literal) && literal == 1;
        stride->expr[i] = validate_integer(v, &stride->text[i], one ? &meaningless : &binding);
    }
}

static void validate_length(Validator *v, const SpecInts *ints)
{
    if (ints->text_count > v->limits.rank) {
        validate_error(v, RULE_LIMIT, diag_value(&ints->text),
                       "%" PRIu32 " dimensions are more than %" PRId64 " ('--limit rank=N' raises that)",
                       ints->text_count, v->limits.rank);
    }
}

void validate_geometry(Validator *v, SpecInts *size, SpecInts *stride, SpecInt *offset, SymbolMeaning use)
{
    const IntegerRule size_rule = rule_with(&INTEGER_SIZE, use);
    const IntegerRule offset_rule = rule_with(&INTEGER_OFFSET, use == SYMBOL_DEFINES ? SYMBOL_USED : use);
    validate_ints(v, size, &size_rule);
    validate_strides(v, size, stride, use);
    validate_length(v, size->text != NULL ? size : stride);
    if (offset != NULL) {
        validate_int(v, offset, &offset_rule);
    }
    if (size->text != NULL && stride->text != NULL && size->text_count != stride->text_count) {
        DiagMessage *message =
            validate_error(v, RULE_GEOMETRY, diag_value(&stride->text),
                           "'stride' has length %" PRIu32 " and 'size' %" PRIu32, stride->text_count, size->text_count);
        diag_note(v->diag, message, diag_value(&size->text), "the sizes");
    }
}

int64_t validate_rank(const SpecInts *size, const SpecInts *stride)
{
    return size->text != NULL ? (int64_t)size->text_count : stride->text != NULL ? (int64_t)stride->text_count : -1;
}

/* Turns "size.3" into its place in passing order, sizes first. false: it does not have that form. */
static bool parse_symbol_arg(const char *text, bool *is_stride, int64_t *dimension)
{
    *is_stride = str_starts(text, "stride.");
    if (!*is_stride && !str_starts(text, "size.")) {
        return false;
    }
    return expr_parse_integer(strchr(text, '.') + 1, dimension) && *dimension >= 0;
}

void validate_symbol_args(Validator *v, const SpecNames *args, int64_t rank)
{
    bool last_is_stride = false;
    int64_t last = -1;
    for (uint32_t i = 0; i < args->text_count; i++) {
        const char *text = args->text[i];
        const DiagPlace place = diag_value(&args->text[i]);
        bool is_stride = false;
        int64_t dimension = 0;
        if (!parse_symbol_arg(text, &is_stride, &dimension)) {
            validate_error(v, RULE_VALUE, place, "'%s' does not name a dimension; write 'size.0' or 'stride.1'", text);
            continue;
        }
        if (rank >= 0 && dimension >= rank) {
            validate_error(v, RULE_GEOMETRY, place, "'%s' does not exist: the stated rank is %" PRId64, text, rank);
        } else if (last >= 0 && is_stride == last_is_stride && dimension == last) {
            validate_error(v, RULE_REPEATED, place, "'%s' is named twice", text);
        } else if (last >= 0 && (is_stride == last_is_stride ? dimension < last : last_is_stride)) {
            validate_error(v, RULE_GEOMETRY, place,
                           "'%s' comes after '%s': sizes are passed before strides, each in ascending order", text,
                           args->text[i - 1]);
        }
        last_is_stride = is_stride;
        last = dimension;
    }
}
