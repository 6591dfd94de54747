/* SPDX-License-Identifier: MIT */
/*
 * host - what is known of a host: its name, header, ABI symbol and the verbs it has (templates/hosts/<name>/host.yaml,
 * or a file of the user's). A graph that needs a verb the host lacks is refused by name.
 */
#ifndef WRAPGEN_HOST_H
#define WRAPGEN_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../base/diag.h"
#include "../yaml/front.h"
#include "verbs.h"

typedef struct Host {
    char *name;
    char *header;     /* as generated code includes it: "wg_native.h" */
    char *abi_symbol; /* link-time symbol that generated code refers to */
    char **verbs;     /* "wg_copy_", ... */
    uint32_t verbs_count;
    char **by_program; /* of the verbs: those that a function of the program's does, if it gives one */
    uint32_t by_program_count;
    char **no_effect; /* of the verbs: those that do nothing */
    uint32_t no_effect_count;
    const Verbs *known; /* all that there are; not of the file */
} Host;

/* `name` is a built-in host or the path of a description (it contains '/' or ends in ".yaml"). Null: reported, with
 * places in *source, which is what was read. */
const Host *host_load(Arena *arena, Diag *diag, const char *name, Source *source);

/* Is `name` the path of a description? */
bool host_is_path(const char *name);

bool host_has(const Host *host, const char *verb);

/* What a graph that needs the verb is warned of: text to follow "the verb 'wg_...'", and the warning's code; null when
 * there is nothing to say. */
const char *host_caution(const Host *host, const char *verb, const char **code);

#endif /* WRAPGEN_HOST_H */
