/* SPDX-License-Identifier: MIT */
/*
 * amalgam - the C of a built-in host and of the core as two files: one header, which has all that generated code and
 * programs include, and one source. The hosts are those in C; the host torch is C++, and keeps its files.
 */
#ifndef WRAPGEN_AMALGAM_H
#define WRAPGEN_AMALGAM_H

#include <stdbool.h>

#include "../base/arena.h"
#include "../base/diag.h"

/* Is there a header of that built-in host that has all? */
bool amalgam_has(const char *host);

/* The names of those hosts, for a message: "native, dlpack and aoti". */
const char *amalgam_hosts(Arena *arena);

/* Writes wg_<host>.h and wg_<host>.c of each below `folder`, which is made if it is missing. A file that exists with
 * other bytes is reported by name (E_USAGE), and then nothing is written. */
bool amalgam_write(Arena *arena, Diag *diag, const char *folder);

#endif /* WRAPGEN_AMALGAM_H */
