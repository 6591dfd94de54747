/* SPDX-License-Identifier: 0BSD */
/*
 * wg_dispatch.c - explains why a dispatcher chose a variant, or none. It is cold, compiled once, and driven by tables
 * (wg_dispatch.h).
 *
 * It allocates nothing, uses no stdio and keeps no state.
 */
#include "wg_dispatch.h"
#include "wg_text.h"

static int range_holds(const WgDispatchRange *range, int64_t value)
{
    return value >= range->min && value <= range->max && value % range->multiple == 0;
}

static int clause_holds(const WgDispatchTable *table, const WgDispatchClause *clause, const int64_t *fields)
{
    for (uint32_t i = 0; i < clause->num_alternatives; i++) {
        const WgDispatchAlternative *alternative = &table->alternatives[clause->first_alternative + i];
        const int64_t value = fields[alternative->field];
        if (alternative->equal_to >= 0 && value == fields[alternative->equal_to]) {
            return 1;
        }
        for (uint32_t k = 0; k < alternative->num_ranges; k++) {
            if (range_holds(&table->ranges[alternative->first_range + k], value)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Counts the clauses that fail and finds the first of them. */
static uint32_t count_failing(const WgDispatchTable *table, uint32_t variant, const int64_t *fields,
                              const WgDispatchClause **first)
{
    const WgDispatchVariant *about = &table->variants[variant];
    uint32_t failing = 0;
    *first = NULL;
    for (uint32_t i = 0; i < about->num_asked; i++) {
        const WgDispatchClause *clause = &table->clauses[table->asked[about->first_asked + i]];
        if (!clause_holds(table, clause, fields)) {
            *first = failing == 0 ? clause : *first;
            failing++;
        }
    }
    return failing;
}

typedef struct Nearest {
    uint32_t variant; /* the declarations: num_variants */
    uint32_t failing;
    const WgDispatchClause *clause; /* null: the variant accepts */
} Nearest;

static Nearest find_nearest(const WgDispatchTable *table, const int64_t *fields)
{
    Nearest nearest = {table->num_variants, 0, NULL};
    nearest.failing = count_failing(table, table->num_variants, fields, &nearest.clause);
    if (nearest.failing > 0) {
        return nearest;
    }
    for (uint32_t i = 0; i < table->num_variants; i++) {
        const WgDispatchClause *clause = NULL;
        const uint32_t failing = count_failing(table, i, fields, &clause);
        if (nearest.variant == table->num_variants || failing < nearest.failing) {
            nearest.variant = i;
            nearest.failing = failing;
            nearest.clause = clause;
        }
        if (failing == 0) {
            break;
        }
    }
    return nearest;
}

/* ---- text ---- */

/* The word for that number; numbers past the last word are values that no condition names. */
static void put_word(WgText *text, const char *words, int64_t value)
{
    for (; value > 0 && *words != '\0'; value--) {
        words += strlen(words) + 1;
    }
    wg_text_put(text, value < 0 ? "nothing" : *words == '\0' ? "another value" : words);
}

static void put_field_value(WgText *text, const WgDispatchField *field, int64_t value)
{
    if (field->words != NULL) {
        put_word(text, field->words, value);
    } else if (field->kind == WG_KIND_DTYPE && value >= 0) {
        wg_text_put(text, wg_dtype_name((int32_t)value));
    } else if (field->kind == WG_KIND_DEVICE && value >= 0) {
        wg_text_put(text, wg_device_type_name((int32_t)(value / 256)));
        wg_text_put(text, ":");
        wg_text_put_integer(text, value % 256);
    } else {
        wg_text_put_integer(text, value);
    }
}

/* A variant, the first of its conditions that fails, and the numbers that go with that. */
typedef struct Reason {
    const WgDispatchTable *table;
    Nearest nearest;
    int64_t expected;
    int64_t found;
    int64_t symbols[WG_ERROR_VALUES]; /* of a guard; of more, the first ones */
    size_t num_symbols;
} Reason;

static Reason find_reason(const WgDispatchTable *table, const int64_t *fields)
{
    Reason reason = {table, find_nearest(table, fields), 0, 0, {0}, 0};
    if (reason.nearest.clause != NULL) {
        const WgDispatchAlternative *first = &table->alternatives[reason.nearest.clause->first_alternative];
        const WgDispatchField *field = &table->fields[first->field];
        reason.expected = first->equal_to >= 0 ? fields[first->equal_to] : table->ranges[first->first_range].min;
        reason.found = fields[first->field];
        for (; reason.num_symbols < field->num_symbols && reason.num_symbols < WG_ERROR_VALUES; reason.num_symbols++) {
            reason.symbols[reason.num_symbols] = fields[field->symbols[reason.num_symbols].field];
        }
    }
    return reason;
}

static void put_clause(WgText *text, const Reason *reason)
{
    const WgDispatchClause *clause = reason->nearest.clause;
    const WgDispatchAlternative *first = &reason->table->alternatives[clause->first_alternative];
    const WgDispatchField *field = &reason->table->fields[first->field];
    wg_text_put(text, field->name);
    wg_text_put(text, ": expected ");
    wg_text_put(text, clause->expected);
    if (first->equal_to >= 0) {
        wg_text_put(text, ", ");
        put_field_value(text, field, reason->expected);
    }
    wg_text_put(text, ", found ");
    put_field_value(text, field, reason->found);
    for (size_t i = 0; i < reason->num_symbols && i < field->num_symbols; i++) {
        wg_text_put(text, i == 0 ? " with " : ", ");
        wg_text_put(text, field->symbols[i].name);
        wg_text_put(text, " = ");
        wg_text_put_integer(text, reason->symbols[i]);
    }
}

static void put_reason(WgText *text, const Reason *reason)
{
    const Nearest *nearest = &reason->nearest;
    if (nearest->variant == reason->table->num_variants) {
        wg_text_put(text, "no variant is tried: ");
        put_clause(text, reason);
        return;
    }
    wg_text_put(text, "the nearest is '");
    wg_text_put(text, reason->table->variants[nearest->variant].symbol);
    wg_text_put(text, "': ");
    put_clause(text, reason);
    if (nearest->failing > 1) {
        wg_text_put(text, " (the first of ");
        wg_text_put_integer(text, nearest->failing);
        wg_text_put(text, " conditions that fail)");
    }
}

static size_t finished(const WgText *text)
{
    if (text->capacity > 0) {
        text->buffer[text->length < text->capacity ? text->length : text->capacity - 1] = '\0';
    }
    return text->length;
}

size_t wg_dispatch_explain(const WgDispatchTable *table, const int64_t *fields, char *buffer, size_t capacity)
{
    const Reason reason = find_reason(table, fields);
    const Nearest *nearest = &reason.nearest;
    WgText text = {buffer, capacity, 0};
    wg_text_put(&text, table->kernel);
    wg_text_put(&text, ": ");
    if (nearest->variant == table->num_variants && nearest->clause == NULL) {
        wg_text_put(&text, "there are no variants");
    } else if (nearest->clause == NULL) {
        wg_text_put(&text, "'");
        wg_text_put(&text, table->variants[nearest->variant].symbol);
        wg_text_put(&text, "' accepts");
    } else {
        wg_text_put(&text, nearest->variant == table->num_variants ? "" : "no variant accepts; ");
        put_reason(&text, &reason);
    }
    return finished(&text);
}

size_t wg_dispatch_reason(const WgError *error, char *buffer, size_t capacity, size_t length)
{
    WgText text = {buffer, capacity, length};
    if (error->clause != NULL) {
        Reason reason = {error->table,
                         {error->variant, error->num_failing, error->clause},
                         error->expected.integer,
                         error->found.integer,
                         {0},
                         error->num_values};
        memcpy(reason.symbols, error->values, sizeof reason.symbols);
        wg_text_put(&text, "; ");
        put_reason(&text, &reason);
    }
    return finished(&text);
}

int32_t wg_dispatch_fail(WgContext *ctx, const WgSite *site, const WgDispatchTable *table, const int64_t *fields)
{
    const Reason reason = find_reason(table, fields);
    const int32_t status = wg_fail(ctx, site, -1, wg_value_integer(reason.expected), wg_value_integer(reason.found));
    WgError *error = &wg_host_error_slot(ctx)->error;
    error->table = table;
    error->clause = reason.nearest.clause;
    error->variant = reason.nearest.variant;
    error->num_failing = reason.nearest.failing;
    error->num_values = reason.num_symbols;
    memcpy(error->values, reason.symbols, sizeof error->values);
    return status;
}
