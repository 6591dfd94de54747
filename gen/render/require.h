/* SPDX-License-Identifier: MIT */
/*
 * require - checks that the host has the verbs that the generated text calls, as it is rendered: a verb that it lacks
 * is refused by name, and one that it leaves to the program or that has no effect gives a warning.
 */
#ifndef WRAPGEN_REQUIRE_H
#define WRAPGEN_REQUIRE_H

#include "../base/arena.h"
#include "../base/diag.h"
#include "../host/host.h"
#include "../host/verbs.h"

typedef struct Require {
    Arena *arena;
    Diag *diag;
    const Host *host;
    const void *where;        /* the mapping that the current text comes from */
    const char *what;         /* which of its parts, if no origin says more */
    const void *origin_where; /* the same for the current piece of text */
    const char *origin_what;
    VerbAnswer *answers; /* by verb; what was told is forgotten at require_begin */
} Require;

void require_init(Require *require, Arena *arena, Diag *diag, const Host *host);

/* The text rendered next belongs to that mapping of the YAML: each verb that there is something to say of is reported
 * once more. */
void require_begin(Require *require, const void *where, const char *what);

/* The watch of the engine (MustacheWatch); origins are those of the view (view.h). */
void require_watch(void *ctx, const void *origin, const char *text, size_t length);

#endif /* WRAPGEN_REQUIRE_H */
