/* SPDX-License-Identifier: MIT */
/*
 * output_diff - the difference of two texts in the unified format of diff and patch.
 */
#ifndef WRAPGEN_OUTPUT_DIFF_H
#define WRAPGEN_OUTPUT_DIFF_H

#include "str.h"

typedef struct DiffText {
    const char *data;
    size_t length;
} DiffText;

/* Appends the changes that lead from `old` to `new`, with three lines of context, for patch -p1: the files are called
 * a/path and b/path. With `is_missing` there is no old file, and it is called /dev/null. Appends nothing for two equal
 * texts, unless the old one is missing. */
void output_diff(Str *out, const char *path, bool is_missing, DiffText old, DiffText new);

#endif /* WRAPGEN_OUTPUT_DIFF_H */
