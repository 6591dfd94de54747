/* SPDX-License-Identifier: MIT */
/* view_dispatch - shared by view_dispatch.c (reads, the call), view_condition.c, view_relation.c (guards),
 * view_choice.c (strategies) and view_explain.c (tables). */
#ifndef WRAPGEN_VIEW_DISPATCH_H
#define WRAPGEN_VIEW_DISPATCH_H

#include "../dispatch/dispatch.h"
#include "view_private.h"

typedef struct DispatchView {
    View *view;
    const Kernel *kernel;
    Dispatch *dispatch;
    DispatchPlan plan;
    const char **locals;  /* by field: "a_size_0" */
    const char **callees; /* by variant: "matmul_16", "demo_block_boxed" */
} DispatchView;

/* A clause as an object for templates/dispatch/clause.mustache. */
Value view_clause(const DispatchView *v, const DispatchClause *clause, bool first);

/* A value of a field as C: "64", "WG_FLOAT16", "WG_CUDA * 256 + 1". */
const char *view_field_value(const DispatchView *v, uint32_t field, int64_t value);

/* Variants in that order, for templates/dispatch/chain.mustache; fields in `known` were tested. */
Value view_variants(const DispatchView *v, const uint32_t *variants, uint32_t n, const uint32_t *known,
                    uint32_t num_known);

/* ---- view_relation.c: a field that is computed from others, as an item of `reads`, and do its operations note an
 * overflow, whether or not one can happen? ---- */
Value view_relation(const DispatchView *v, uint32_t field, Value checks, bool cold);
bool view_relation_notes(const DispatchView *v, uint32_t field);

/* The symbols of all of them, and where those of one field are, for tables. */
void view_put_symbols(const DispatchView *v, Value object);
void view_put_symbols_of(const DispatchView *v, Value object, uint32_t field);

/* ---- view_choice.c: puts hash or tree, or null for each ---- */
void view_put_choice(const DispatchView *v, Value object);

/* ---- view_explain.c ---- */
void view_put_tables(const DispatchView *v, Value object);

#endif /* WRAPGEN_VIEW_DISPATCH_H */
