/* SPDX-License-Identifier: MIT */
/*
 * builtin - shows what is embedded in the binary.
 */
#ifndef WRAPGEN_BUILTIN_H
#define WRAPGEN_BUILTIN_H

#include <stdbool.h>

#include "../base/arena.h"
#include "../base/diag.h"
#include "../base/embedded.h"
#include "../base/str.h"

/* The description of a built-in host: templates/hosts/<name>/host.yaml. false: there is none, which was reported
 * (E_HOST), with the nearest name or all of them. */
const EmbeddedFile *builtin_host(Diag *diag, const char *name, DiagPlace named);

/* The host that an embedded file describes: <name> of "hosts/<name>/host.yaml"; null for any other file. */
const char *builtin_host_name(Arena *arena, const EmbeddedFile *file);

bool builtin_print_host(Diag *diag, const char *name, Str *out);

/* The meaning of a code of a message or of a call's status: schema/codes/<code>.txt; lower case will do. For "list" a
 * line for each code. Reports a code that does not exist (E_USAGE) and returns false. */
bool builtin_explain(Diag *diag, const char *named, Str *out);

/* Writes every file of templates/ below `folder`, which is made if it is missing. A file that exists with other bytes
 * is reported by name (E_USAGE), and then nothing is written. */
bool builtin_write_all(Arena *arena, Diag *diag, const char *folder);

#endif /* WRAPGEN_BUILTIN_H */
