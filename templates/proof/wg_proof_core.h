/* SPDX-License-Identifier: 0BSD */
/* clang-format off */
/* wg_proof_core.h - compiled models, and what core has in files of its own; see wg_proof.h. */
#ifndef WG_PROOF_CORE_H
#define WG_PROOF_CORE_H

/* ---- which ranges meet: of the pairs that were given, some, or none ---- */

/*@ requires n == 0 || \valid(ranges + (0 .. n - 1));
  @ requires n == 0 || \initialized(ranges + (0 .. n - 1)); */
static inline WgOverlap wg_find_overlap(WgRange *ranges, size_t n, size_t num_written)
{
    WgOverlap overlap = wg_overlap(0, 0, 0);
    if (n > 0 && num_written > 0 && wg_proof_may()) {
        overlap.found = 1;
        overlap.written = (uint32_t)wg_proof_from(0, (int64_t)num_written - 1);
        overlap.other = ranges[wg_proof_from(0, (int64_t)n - 1)].owner;
    }
    return overlap;
}

/*@ requires \valid_read(tensor); */
static inline void wg_proof_geometry_of(const WgTensor *tensor)
{
    (void)tensor;
}

/*@ requires n > 0 && num_written > 0 && \valid(ranges + (0 .. n - 1)) && \valid(overlap);
  @ requires \initialized(ranges + (0 .. n - 1)); */
void wg_find_shared(WgContext *ctx, WgRange *ranges, size_t n, size_t num_written, WgOverlap *overlap)
{
    (void)ctx;
    wg_proof_geometry_of(ranges[wg_proof_from(0, (int64_t)n - 1)].tensor);
    overlap->found = wg_proof_may();
    overlap->is_certain = wg_proof_may();
    overlap->written = (uint32_t)wg_proof_from(0, (int64_t)num_written - 1);
    overlap->other = ranges[wg_proof_from(0, (int64_t)n - 1)].owner;
    overlap->written_bytes.first = (uintptr_t)wg_proof_bits();
    overlap->written_bytes.end = (uintptr_t)wg_proof_bits();
    overlap->other_bytes.first = (uintptr_t)wg_proof_bits();
    overlap->other_bytes.end = (uintptr_t)wg_proof_bits();
}

/*@ requires valid_read_string(name) && \initialized(overlap); */
int32_t wg_fail_overlap(WgContext *ctx, const WgSite *site, const WgOverlap *overlap, const char *name, WgTensor *argument)
{
    (void)overlap;
    (void)name;
    return wg_fail(ctx, site, -1, wg_value_tensor(NULL), wg_value_tensor(argument));
}

/*@ requires valid_read_string(name); */
static inline int32_t wg_check_overlap(WgContext *ctx, const WgSite *site, WgRange written, WgRange other, const char *name,
                                       WgTensor *argument)
{
    (void)name;
    wg_proof_geometry_of(written.tensor);
    wg_proof_geometry_of(other.tensor);
    return wg_proof_may() ? wg_fail(ctx, site, -1, wg_value_tensor(NULL), wg_value_tensor(argument)) : WG_OK;
}

/* ---- compiled models ---- */

/*@ requires \valid(ctx) && \valid(num_outs) && \initialized(num_outs); */
static inline int32_t wg_call_model(WgContext *ctx, WgModel *model, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const int32_t status = wg_proof_may() ? 0 : wg_proof_failure();
    (void)model;
    wg_proof_read_values(args, num_args);
    wg_proof_room(outs, *num_outs);
    (void)ctx;
    //@ split status == 0;
    for (size_t i = 0; i < *num_outs; i++) {
        if (status == 0) {
            outs[i].tensor = wg_proof_value_tensor();
        } else {
            outs[i].integer = 1;
        }
    }
    *num_outs = (size_t)wg_proof_bits();
    return status;
}

/*
 * ---- what core has in files of its own ----
 *
 * Explanations are text, built a character at a time, which would take an analyser minutes. These read all that the real
 * ones may read, and stand for them.
 */
#include "wg_dispatch.h"
#include "wg_key_text.h"

/*@ requires \initialized(field);
  @ assigns \nothing; */
void wg_proof_field(const int64_t *field);

/*@ requires capacity == 0 || \valid(buffer + (0 .. capacity - 1));
  @ assigns buffer[0 .. capacity - 1] \from capacity;
  @ assigns \result \from capacity; */
size_t wg_proof_write(char *buffer, size_t capacity);

static inline void wg_proof_clause(const WgDispatchTable *table, const WgDispatchClause *clause, const int64_t *fields)
{
    wg_proof_text_of(clause->expected);
    for (uint32_t i = 0; i < clause->num_alternatives; i++) {
        const WgDispatchAlternative *const alternative = &table->alternatives[clause->first_alternative + i];
        const WgDispatchField *const field = &table->fields[alternative->field];
        wg_proof_field(&fields[alternative->field]);
        wg_proof_text_of(field->name);
        if (alternative->equal_to >= 0) {
            wg_proof_field(&fields[alternative->equal_to]);
        }
        for (uint32_t k = 0; k < alternative->num_ranges; k++) {
            //@ assert table->ranges[alternative->first_range + k].multiple > 0;
        }
        for (uint32_t k = 0; k < field->num_symbols; k++) {
            wg_proof_text_of(field->symbols[k].name);
            wg_proof_field(&fields[field->symbols[k].field]);
        }
    }
}

static inline void wg_proof_table(const WgDispatchTable *table, const int64_t *fields)
{
    wg_proof_text_of(table->kernel);
    for (uint32_t i = 0; i <= table->num_variants; i++) {
        const WgDispatchVariant *const variant = &table->variants[i];
        if (i < table->num_variants) {
            wg_proof_text_of(variant->symbol);
        }
        for (uint32_t k = 0; k < variant->num_asked; k++) {
            wg_proof_clause(table, &table->clauses[table->asked[variant->first_asked + k]], fields);
        }
    }
}

size_t wg_dispatch_explain(const WgDispatchTable *table, const int64_t *fields, char *buffer, size_t capacity)
{
    wg_proof_table(table, fields);
    return wg_proof_write(buffer, capacity);
}

int32_t wg_dispatch_fail(WgContext *ctx, const WgSite *site, const WgDispatchTable *table, const int64_t *fields)
{
    wg_proof_table(table, fields);
    return wg_fail(ctx, site, -1, wg_value_integer(wg_proof_integer()), wg_value_integer(wg_proof_integer()));
}

size_t wg_key_print(const char *kernel, const WgKeyItem *items, size_t num_items, const uint64_t *words, size_t num_words,
                    char *buffer, size_t capacity)
{
    wg_proof_text_of(kernel);
    for (size_t i = 0; i < num_items; i++) {
        if (items[i].name != NULL) {
            wg_proof_text_of(items[i].name);
        }
    }
    wg_proof_read_values((const WgValue *)words, num_words);
    return wg_proof_write(buffer, capacity);
}

#endif /* WG_PROOF_CORE_H */
