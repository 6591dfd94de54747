/* SPDX-License-Identifier: MIT */
/*
 * mustache_private - what the files of the engine share: mustache.c and mustache_names.c (names, values, cache of
 * templates, errors), mustache_scan.c and mustache_build.c (text to items), mustache_frozen.c (items that were compiled
 * when the tool was built), mustache_render.c and mustache_inherit.c (items and values to text).
 *
 * A compiled template is a flat array of items. An item that encloses others (section, parent, block) is followed by
 * them; its `end` is one past the last of them, so skipping is an assignment and a tree walk needs no pointers:
 *
 *     a{{#x}}b{{y}}{{/x}}c      0 text a | 1 section x, end 4 | 2 text b | 3 value y | 4 text c
 *
 * A new kind of tag needs a sigil in mustache_scan.c, a kind here, and a case in render_items().
 */
#ifndef WRAPGEN_MUSTACHE_PRIVATE_H
#define WRAPGEN_MUSTACHE_PRIVATE_H

#include "mustache.h"

enum {
    MUSTACHE_MAX_DEPTH = 1000 /* of sections in a template, and of sections, partials and blocks while rendering */
};

/* A piece of a template's source or of its copy. */
typedef struct Slice {
    const char *data;
    uint32_t length;
} Slice;

/* `a.b.c`: the first name is looked up in all contexts, the rest inside what was found. Without names it is `.`. */
typedef struct Path {
    uint32_t count;
    uint32_t first;
    const uint32_t *rest; /* count - 1 of them */
    uint32_t hint;        /* where in an object the first was found last: most often it is there again */
} Path;

typedef enum ItemKind {
    ITEM_TEXT,
    ITEM_VALUE,
    ITEM_RAW,
    ITEM_SECTION,
    ITEM_INVERTED,
    ITEM_PARTIAL,
    ITEM_PARENT, /* encloses its arguments: blocks and nothing else */
    ITEM_BLOCK
} ItemKind;

typedef struct Template Template;

typedef struct Item {
    ItemKind kind;
    bool dynamic;    /* a partial or parent whose name is the text at `path` */
    bool checked;    /* a parent whose arguments were found to have blocks */
    uint32_t end;    /* one past the last enclosed item; its own index + 1 if nothing is enclosed */
    uint32_t offset; /* of the tag in the source, and how many bytes it has */
    uint32_t length;
    uint32_t name;    /* interned; for a partial, parent or block that is not dynamic */
    Slice indent;     /* written before each line that a partial, parent or block puts here */
    Template *target; /* of a partial or parent, once it was needed */
    union {
        Slice text;
        Path path;
    } as;
} Item;

struct Template {
    const char *name;
    const char *file;
    const char *source;
    uint32_t length;
    Item *items;
    uint32_t num_items;
    bool missing; /* the loader does not know it */
    bool broken;  /* errors were reported when it was compiled */
    uint32_t visit;
    Template *next_visit; /* list of render.c's check_arguments() */
};

/* A name that was interned in this run, and the template with that name once it was needed. */
typedef struct Name {
    const char *text;
    size_t length;
    uint32_t hash;
    uint32_t number;    /* what mustache_intern() says */
    Template *template; /* unless the name is frozen */
} Name;

struct MustacheEngine {
    Arena *arena;
    Diag *diag;
    MustacheConfig config;
    Name *names; /* a name that is not frozen has the number of frozen names, and its index here, as its number */
    uint32_t num_names;
    uint32_t names_capacity;
    uint32_t *slots; /* hash table, index of the name + 1 */
    uint32_t num_slots;
    Template **templates; /* of frozen names */
    uint32_t visit;       /* the newest mark of check_arguments() */
    struct Token *tokens; /* of the template that is compiled; kept between templates, as the open ones are */
    uint32_t tokens_capacity;
    uint32_t *stack;
    uint32_t stack_capacity;
    Item *items; /* of that template, until it is compiled */
    uint32_t items_capacity;
    Value *contexts; /* kept between renders, for their capacity */
    uint32_t contexts_capacity;
    Str prefix;
};

/* Grows an array of `count` to hold one more. */
void *mustache_room(Arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t size);

uint32_t mustache_intern_n(MustacheEngine *engine, const char *name, size_t length);

/* ---- mustache_frozen.c ---- */

const char *mustache_frozen_name(const MustacheFrozen *frozen, uint32_t name);
bool mustache_find_frozen(const MustacheFrozen *frozen, const char *name, size_t length, uint32_t *number);

/* Fills template->items; false when the template was not frozen. */
bool mustache_thaw(MustacheEngine *engine, uint32_t name, Template *template);

/* ---- the rest ---- */

/* The template of an interned name, compiled when it was not yet. Never null: see `missing` and `broken`. */
Template *mustache_template(MustacheEngine *engine, uint32_t name);

/* Fills template->items from its source; false when something was reported. */
bool mustache_compile(MustacheEngine *engine, Template *template);

/* The place of bytes of a template's source, for a message or a note. */
DiagPlace mustache_place(const Template *template, uint32_t offset, uint32_t length);

/* Reports an error there. */
DiagMessage *mustache_error(MustacheEngine *engine, const Template *template, uint32_t offset, uint32_t length,
                            const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif /* WRAPGEN_MUSTACHE_PRIVATE_H */
