/* SPDX-License-Identifier: MIT */
/*
 * verbs - the verbs that hosts can have, and those that a piece of C calls.
 *
 * A host is asked for what the generated C really calls: the text itself is looked at when it is rendered (program.c),
 * so that templates, partials, the user's own templates and the headers of templates/core that they include all count,
 * and nobody keeps a list beside them. The words are those of templates/hosts/VERBS.md.
 */
#ifndef WRAPGEN_VERBS_H
#define WRAPGEN_VERBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../plan/plan.h"
#include "../base/table.h"

typedef struct Verb {
    const char *name;
    bool reads; /* under "Read" of VERBS.md: can fail without a status, which wg_host_status knows then */
} Verb;

typedef struct Verbs {
    Verb *at; /* in the order of VERBS.md */
    uint32_t count;
    uint32_t capacity;
    Table names;
    unsigned char kinds[256]; /* of bytes, for verbs_called */
    bool op_reads[OP_COUNT];  /* does the built-in template of that op call a verb that reads? */
} Verbs;

/* All of them, from the embedded VERBS.md. */
const Verbs *verbs_new(Arena *arena);

/* Null: there is no such verb. */
const Verb *verbs_find(const Verbs *verbs, const char *name, size_t length);

/* The one whose name is most like that; null: none is. `*distance` is how far it may be, and then how far it is. */
const char *verbs_nearest(const Verbs *verbs, const char *name, size_t *distance);

/* Called for each call of a verb in a text. `header` is the file of templates/core that calls it ("wg_key.h") where the
 * text only includes that, else null. */
typedef void (*VerbFound)(void *ctx, uint32_t verb, const char *header);

/* Looks at the calls in C text: not in comments or literals. A header of templates/core that is included counts as
 * text. */
void verbs_called(const Verbs *verbs, const char *text, size_t length, VerbFound found, void *ctx);

#endif /* WRAPGEN_VERBS_H */
