/* SPDX-License-Identifier: MIT */
/*
 * host - what is known about a host: its name, header, ABI symbol and the verbs it has
 * (templates/hosts/<name>/host.yaml, or a file of the user). A graph that needs a verb the host lacks is refused by
 * name.
 */
#ifndef WRAPGEN_HOST_H
#define WRAPGEN_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../base/diag.h"
#include "../base/str.h"
#include "../base/table.h"
#include "../yaml/front.h"
#include "verbs.h"

typedef struct Host {
    char *name;
    char *header;     /* as generated code includes it: "wg_native.h" */
    char *abi_symbol; /* link-time symbol that generated code refers to */
    char **verbs;     /* "wg_copy_", ... */
    uint32_t verbs_count;
    char **by_program; /* among the verbs: those that a function of the program does, if it provides one */
    uint32_t by_program_count;
    char **no_effect; /* among the verbs: those that do nothing */
    uint32_t no_effect_count;
    Verbs *known; /* all verbs that exist; not from the file */
    Table *has;   /* the host's own, by name */
    bool *asked;  /* by number in `known`: the host is yet to be written, has no verb, and notes what is asked for;
                     null for every other host */
} Host;

/* `name` is a built-in host or the path of a description (it contains '/' or ends in ".yaml"), and `named` where it is
 * written. Null: reported, with places in *source, which is what was read. */
const Host *host_load(Arena *arena, Diag *diag, const char *name, DiagPlace named, Source *source);

/* A host of that name that is yet to be written: it has nothing, and notes in `asked` what it is asked for. */
const Host *host_unwritten(Arena *arena, const char *name);

/* The JSON schema (draft 2020-12) of a description. */
void host_print_schema(Arena *arena, Str *out);

/* Is `name` the path of a description? */
bool host_is_path(const char *name);

bool host_has(const Host *host, const char *verb);

/* The warning for a graph that needs the verb: text to follow "the verb 'wg_...'", and the warning's code; null when
 * there is none. */
const char *host_caution(const Host *host, const char *verb, const char **code);

/* WG_NATIVE_H for "wg_native.h": what keeps the header out of a file that defines it. */
const char *host_guard(Arena *arena, const Host *host);

#endif /* WRAPGEN_HOST_H */
