/* SPDX-License-Identifier: MIT */
/*
 * selftest_private - what the files of the self-test share: how tables are written (tables_*), and what is known about
 * the file while its values are collected.
 */
#ifndef WRAPGEN_SELFTEST_PRIVATE_H
#define WRAPGEN_SELFTEST_PRIVATE_H

#include "selftest.h"

/* ---- tables: selftest_write.c ---- */

typedef struct Tables {
    View *view;
    Arena *arena;
    Value list;
    const Spec *spec;
    uint32_t number; /* of the Spec */
    uint32_t count;  /* of tables so far */
    Value expressions;
    uint32_t num_expressions;
    const char *subclass_types; /* table */
} Tables;

void tables_add(Tables *t, const char *c_type, const char *name, Value rows, uint32_t count, bool is_const);
const char *tables_new(Tables *t, const char *c_type, Value rows, uint32_t count);
/* One row of a table: a struct, or with `single` a lone value. */
void tables_push(Tables *t, Value rows, Value members, const char *single);
void tables_put(Tables *t, Value members, const char *name, const char *value);
void tables_put_number(Tables *t, Value members, const char *name, int64_t value);
void tables_put_text(Tables *t, Value members, const char *name, const char *text);
void tables_put_names(Tables *t, Value members, const char *name, const SpecNames *names);
void tables_put_ints(Tables *t, Value members, const char *name, const SpecInts *ints);
void tables_put_int(Tables *t, Value members, const char *name, const SpecInt *integer);
void tables_put_enum(Tables *t, Value members, const char *name, const char *const *names, uint32_t value);
void tables_put_ref(Tables *t, Value members, const char *name, SpecRef ref);
const char *tables_numbers(Tables *t, const uint32_t *values, uint32_t count);
const char *tables_flags(Tables *t, const bool *values, uint32_t count);

/* ---- the file: selftest.c ---- */

typedef struct Selftest {
    View *view;
    Arena *arena;
    Value root;
    Value renamed;
    Value graphs;
    Value kernels;
    Value functions; /* compiled ones, each once */
    Value types;     /* of subclasses, and flattening contexts: names, each once */
    Value contexts;
    uint32_t num_graphs;
    uint32_t num_kernels;
} Selftest;

/* A value with its name (null: none) at the end of a list. */
void selftest_push_value(Selftest *s, Value list, const char *name, SpecKind kind);

const char *selftest_number(Selftest *s, uint32_t value);
void selftest_put_upper(Selftest *s, Value object, const char *symbol);
/* Another name in the self-test: for this one, or for a symbol with each of the endings. */
void selftest_rename(Selftest *s, const char *name);
void selftest_rename_all(Selftest *s, const char *symbol, const char *const *endings, size_t num_endings);
/* Two graphs may call one compiled function; a variant's has no graph. */
void selftest_push_function(Selftest *s, const char *compiled, const SpecGraph *graph, bool backward);

/* selftest_dispatch.c. first_graph: the number of the Spec's first graph in the file. */
void selftest_push_kernel(Selftest *s, const Spec *spec, uint32_t index, const char *prefix, const char *table,
                          uint32_t first_graph);

#endif /* WRAPGEN_SELFTEST_PRIVATE_H */
