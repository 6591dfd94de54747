/* SPDX-License-Identifier: MIT */
/*
 * overrides - checks the folder of --templates: is each file there one that a run would ever use?
 */
#ifndef WRAPGEN_OVERRIDES_H
#define WRAPGEN_OVERRIDES_H

#include <stdbool.h>

#include <stddef.h>

#include "../base/arena.h"
#include "../base/diag.h"

/* Finds templates: first in `directory` (may be null), then in the embedded ones. */
typedef struct TemplateStore {
    Arena *arena;
    Diag *diag;
    const char *directory;
    const char **read; /* files of `directory` that were read, for the depfile */
    size_t num_read;
} TemplateStore;

/* Checks that the folder exists. false: reported (E_IO). */
bool overrides_open(const TemplateStore *store);

/* After rendering: warns (W_UNUSED_TEMPLATE) about a *.mustache file that was not read and does not have the name of a
 * built-in template; a misspelt name would silently leave the built-in one in use. */
void overrides_check(const TemplateStore *store);

#endif /* WRAPGEN_OVERRIDES_H */
