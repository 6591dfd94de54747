/* SPDX-License-Identifier: MIT */
/*
 * verbs - the verbs that hosts can have, and those that a piece of C calls.
 *
 * A host needs what the generated C really calls: the text itself is searched when it is rendered (program.c), so
 * templates, partials, the user's own templates and the headers of templates/core that they include all count, and
 * there is no separate list. templates/hosts/VERBS.md defines the verbs.
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
    bool reads;          /* under "Read" in VERBS.md: can fail without a status; wg_host_status then knows */
    const char *line;    /* the first of its prototype there, after the indent */
    const char *section; /* the line of its heading, after "## " */
} Verb;

typedef struct Verbs {
    Verb *at; /* in the order of VERBS.md */
    uint32_t count;
    uint32_t capacity;
    Table names;
    unsigned char kinds[256]; /* of bytes, for verbs_called */
    Arena *arena;
    signed char op_reads[OP_COUNT]; /* for verbs_op_reads: 0 before it looked, then 1 or -1 */
} Verbs;

/* All of them, from the embedded VERBS.md. */
Verbs *verbs_new(Arena *arena);

/* Does the op's built-in template call a verb that reads? Most runs ask about few ops, so a template is only looked at
 * when its op is asked about first. */
bool verbs_op_reads(Verbs *verbs, OpKind kind);

/* Looks at all ops, so that nothing is written when verbs_op_reads() is called by several threads. */
void verbs_look_at_ops(Verbs *verbs);

/* Null: there is no such verb. */
const Verb *verbs_find(const Verbs *verbs, const char *name, size_t length);

/* The one with the most similar name, or null. `*distance` is the largest allowed distance, and then the one found. */
const char *verbs_nearest(const Verbs *verbs, const char *name, size_t *distance);

/* What a host says of a verb that was called. */
typedef enum VerbAnswer {
    VERB_UNASKED,
    VERB_TOLD, /* something was reported */
    VERB_FINE, /* it has the verb, and there is nothing to report wherever it is called */
} VerbAnswer;

/* A quick look at C text: true if every verb that it can call was asked about. Comments and literals count as code, and
 * any '#' as an include, so a text for which this is false may still call nothing new. */
bool verbs_are_among(const Verbs *verbs, const char *text, size_t length, const VerbAnswer *answers);

/* Called for each call of a verb in a text. `header` is the file of templates/core that calls it ("wg_key.h") if the
 * text only includes that file, else null. */
typedef void (*VerbFound)(void *ctx, uint32_t verb, const char *header);

/* Finds the calls in C text, but not in comments or literals. An included header of templates/core counts as text. */
void verbs_called(const Verbs *verbs, const char *text, size_t length, VerbFound found, void *ctx);

#endif /* WRAPGEN_VERBS_H */
