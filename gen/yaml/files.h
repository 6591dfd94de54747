/* SPDX-License-Identifier: MIT */
/*
 * files - the names of the files that a run read: for the dependency file, and so that no output overwrites an input.
 */
#ifndef WRAPGEN_FILES_H
#define WRAPGEN_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/diag.h"
#include "../base/output.h"
#include "../base/str.h"

typedef struct FileList {
    const char **paths;
    size_t count;
} FileList;

/* Appends a rule in Make's syntax, `target: every file read`, which Ninja reads as well. false: there was a name that
 * the syntax cannot express, which was reported (E_USAGE). */
bool files_depfile(Diag *diag, const char *target, const FileList *read, Str *out);

/* false: an output is one of the files read, under any name (or as standard input, if that was read), which was
 * reported (E_USAGE). */
bool files_spare(Diag *diag, const FileList *read, bool standard_input, const Output *output);

/* Makes the folder and those above it. false: reported (E_IO). */
bool files_make_folder(Arena *arena, Diag *diag, const char *path);

bool files_exist(const char *path);

/* Adds a file that is written once (output_add_once). false: another file is in that place and must not be lost, which
 * was reported (E_USAGE, E_IO). */
bool files_add_new(Output *output, const char *path, const char *text, size_t length);

#endif /* WRAPGEN_FILES_H */
