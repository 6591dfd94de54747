/* SPDX-License-Identifier: MIT */
/*
 * change - what a new version of a description does to those who use the old one, found by comparing portraits.
 *
 * What counts is a call that both versions accept: the code then does the same, or changes silently. To be in doubt
 * is to say "silently". Calls that only one of them accepts are said apart, since an error is not silent; and so
 * is a compiled function that now gets calls which were refused: it must have been made for them, and no linker tells.
 */
#ifndef WRAPGEN_CHANGE_H
#define WRAPGEN_CHANGE_H

#include "../base/str.h"
#include "portrait.h"

typedef enum Change {
    CHANGE_NONE,
    CHANGE_COMPATIBLE, /* every caller and compiled function goes on as before */
    CHANGE_ACCEPTS,    /* calls that were errors are accepted, by compiled functions that must be right for them */
    CHANGE_REFUSES,    /* calls, or results of compiled functions, that were accepted are errors */
    CHANGE_BUILD,      /* callers no longer compile, or a program no longer links */
    CHANGE_SILENT,     /* nothing tells that something else happens, or that a compiled function must be made anew */
} Change;

/* "breaks the build" */
const char *change_words(Change change);

/* All graphs and kernels of two versions, matched by name, old ones first; what changed is appended to `out`, a
 * paragraph each. Returns the worst of it. */
Change change_of(Arena *arena, Portrait *const *old, uint32_t num_old, Portrait *const *new, uint32_t num_new,
                 Str *out);

#endif /* WRAPGEN_CHANGE_H */
