/* SPDX-License-Identifier: MIT */
/*
 * front - from bytes to a trusted Spec: source, load, shape, validate. One gate behind another; each shows all of its
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
    void *data;                              /* what was loaded, by whatever table */
    const struct cyaml_schema_value *schema; /* that table; null: the Spec's */
} Source;

/* Reads a file, or standard input for "-". false: reported (E_IO). */
bool source_read(Arena *arena, Diag *diag, const char *path, Source *source);

/* The same for what is found and not named, as templates are: only a regular file is read, since a pipe in its place
 * would keep us waiting for ever. */
bool source_read_found(Arena *arena, Diag *diag, const char *path, Source *source);

/* Bytes to structs through libcyaml, strictly; on any doubt the shape checker walks libyaml's events beside the same
 * tables and reports every unknown, missing, doubled or ill-typed thing. Fills source->spec. false: reported, positions
 * resolved. */
bool source_load(Arena *arena, Diag *diag, Source *source);

/* The same by another of our tables: fills source->data alone. */
bool source_load_as(Arena *arena, Diag *diag, Source *source, const struct cyaml_schema_value *schema);

/* The rules across keys of all sources together (they make one output, so their names must not clash) and the resolved
 * members. Depends on nothing but the specs: `prefix` (may be null) is the command line's override.
 * Reports with unresolved places; returns false when there were errors. */
bool validate_specs(Arena *arena, Diag *diag, Source *sources, size_t num_sources, const char *prefix);

/* The same with other limits than those by default. */
bool validate_specs_within(Arena *arena, Diag *diag, Source *sources, size_t num_sources, const char *prefix,
                           const Limits *limits);

/* Resolves every unresolved place of diag by one events pass per source that is meant: file, line, column, length,
 * path. */
void source_resolve(Arena *arena, Diag *diag, const Source *sources, size_t num_sources);

#endif /* WRAPGEN_FRONT_H */
