/* SPDX-License-Identifier: MIT */
/*
 * output - what a run writes: rendered in memory, all or nothing, atomically, only when the bytes change.
 *
 * All outputs of a run are collected first. output_commit() writes each to a temporary file beside its target (same directory,
 * umask honoured, existing mode kept), checks every call, fsyncs, and renames only after all were written; an output whose
 * bytes are already there keeps its mtime. "-" is standard output. output_check() writes nothing and compares instead.
 */
#ifndef WRAPGEN_OUTPUT_H
#define WRAPGEN_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "diag.h"
#include "str.h"

typedef struct OutputFile {
    const char *path;
    const char *data;
    size_t length;
    const char *temporary; /* while output_commit() runs */
    bool unchanged;
    struct OutputFile *next;
} OutputFile;

typedef struct Output {
    Arena *arena;
    Diag *diag;
    OutputFile *first;
    OutputFile *last;
} Output;

void output_init(Output *output, Arena *arena, Diag *diag);

/* Data is borrowed. Two outputs with one path (compared by file identity where they exist, else by name) are reported (E_USAGE). */
bool output_add(Output *output, const char *path, const char *data, size_t length);

/* false: reported to diag (E_IO), no target was changed unless the failure struck between two renames, which the message then says. */
bool output_commit(Output *output);

/* Compares: true when all targets are there with the same bytes. Appends a unified diff of each that is not (a missing one
 * against /dev/null) to `out`. I/O errors other than "not there" are reported to diag. */
bool output_check(Output *output, Str *out);

#endif /* WRAPGEN_OUTPUT_H */
