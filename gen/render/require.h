/* SPDX-License-Identifier: MIT */
/*
 * require - asks the host for the verbs that the generated text calls, as it is rendered: a verb that it lacks is
 * refused by name, one that it leaves to the program or does nothing for is warned of.
 */
#ifndef WRAPGEN_REQUIRE_H
#define WRAPGEN_REQUIRE_H

#include "../base/arena.h"
#include "../base/diag.h"
#include "../host/host.h"

typedef struct Require {
    Arena *arena;
    Diag *diag;
    const Host *host;
    const void *where;        /* the mapping that what is rendered now comes from */
    const char *what;         /* which of its parts, where no origin says more */
    const void *origin_where; /* the same of the piece of text at hand */
    const char *origin_what;
    bool *asked; /* by verb, since require_begin */
} Require;

void require_init(Require *require, Arena *arena, Diag *diag, const Host *host);

/* What is rendered next belongs to that mapping of the YAML: each verb is asked for once more. */
void require_begin(Require *require, const void *where, const char *what);

/* The watch of the engine (MustacheWatch); origins are those of the view (view.h). */
void require_watch(void *ctx, const void *origin, const char *text, size_t length);

#endif /* WRAPGEN_REQUIRE_H */
