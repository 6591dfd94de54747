/* SPDX-License-Identifier: MIT */
/*
 * builtin - shows what is embedded in the binary.
 */
#ifndef WRAPGEN_BUILTIN_H
#define WRAPGEN_BUILTIN_H

#include <stdbool.h>

#include "arena.h"
#include "diag.h"
#include "embedded.h"
#include "str.h"

/* The description of a built-in host: templates/hosts/<name>/host.yaml. false: there is none, which was reported
 * (E_HOST), with the nearest name or all of them. */
const EmbeddedFile *builtin_host(Diag *diag, const char *name);

bool builtin_print_host(Diag *diag, const char *name, Str *out);

/* Writes every embedded file below `folder`, which is made where it is missing. A file that is there with other bytes
 * is reported by name (E_USAGE), and nothing is written then. */
bool builtin_write_all(Arena *arena, Diag *diag, const char *folder);

#endif /* WRAPGEN_BUILTIN_H */
