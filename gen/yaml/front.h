/* SPDX-License-Identifier: MIT */
/*
 * front - from bytes to a trusted Spec: source, load, shape, validate. One gate follows another; each shows all of its
 * errors.
 */
#ifndef WRAPGEN_FRONT_H
#define WRAPGEN_FRONT_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/arena.h"
#include "../base/diag.h"
#include "../base/limits.h"
#include "../../schema/spec.h"

/* One input file. */
typedef struct Source {
    const char *name; /* as the user gave it; "<stdin>" for "-" */
    const char *text;
    size_t length;
    Spec *spec;                              /* after source_load() */
    void *data;                              /* what was loaded, by any table */
    const struct cyaml_schema_value *schema; /* that table; null: the Spec's */
} Source;

/* Reads a file, or standard input for "-". false: reported (E_IO). */
bool source_read(Arena *arena, Diag *diag, const char *path, Source *source);

/* The same for files that are found rather than named, such as templates: only a regular file is read, since a pipe in
 * its place could make us wait forever. */
bool source_read_found(Arena *arena, Diag *diag, const char *path, Source *source);

/* Bytes to structs through libcyaml, strictly; on any doubt the shape checker walks libyaml's events along the same
 * tables and reports every unknown, missing, repeated or ill-typed thing. Fills source->spec. false: reported,
 * positions resolved. */
bool source_load(Arena *arena, Diag *diag, Source *source);

/* The same by another of our tables; fills only source->data. */
bool source_load_as(Arena *arena, Diag *diag, Source *source, const struct cyaml_schema_value *schema);

/* The rules across keys of all sources together (they make one output, so their names must not clash) and the resolved
 * members. Depends on nothing but the specs: `prefix` (may be null) is the command line's override.
 * Reports with unresolved places; returns false when there were errors. */
bool validate_specs(Arena *arena, Diag *diag, Source *sources, size_t num_sources, const char *prefix);

/* The same with limits other than the default ones. */
bool validate_specs_within(Arena *arena, Diag *diag, Source *sources, size_t num_sources, const char *prefix,
                           const Limits *limits);

/* Resolves every unresolved place of diag, with one pass over the events of each source concerned: file, line, column,
 * length, path. */
void source_resolve(Arena *arena, Diag *diag, const Source *sources, size_t num_sources);

#endif /* WRAPGEN_FRONT_H */
