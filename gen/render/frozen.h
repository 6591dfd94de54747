/* SPDX-License-Identifier: MIT */
/*
 * frozen - the built-in templates as cmd/freeze compiles them when the tool is built, so that a run parses none of
 * them.
 *
 * Everything is a number, also where a compiled template has a pointer: pointers would have to be relocated at each
 * start. mustache_frozen.c turns a template into items when it is first needed.
 */
#ifndef WRAPGEN_FROZEN_H
#define WRAPGEN_FROZEN_H

#include <stdint.h>

typedef struct FrozenItem {
    uint8_t kind; /* ItemKind */
    uint8_t dynamic;
    uint16_t num_names; /* of its path */
    uint32_t end;
    uint32_t offset;
    uint32_t length;
    uint32_t name; /* of a path, where its names are in `paths`; of anything else, its name */
    uint32_t text; /* where a text, or an indentation, is in `texts` */
    uint32_t text_length;
} FrozenItem;

/* The names have the numbers that an engine gives them: first the keys of views (view_keys.def), in their order. */
typedef struct MustacheFrozen {
    const char *names;           /* one after another, each with its terminator */
    const uint32_t *name_at;     /* where each begins */
    const uint32_t *sorted;      /* their numbers, in the order of strcmp() */
    const uint32_t *template_of; /* by number of a name: one more than the number of the template, or 0 */
    uint32_t num_names;
    const uint32_t *first_item; /* of each template, and the end of the last */
    const FrozenItem *items;
    const uint32_t *paths;
    const char *texts;
} MustacheFrozen;

extern const MustacheFrozen mustache_frozen;

#endif /* WRAPGEN_FROZEN_H */
