/* SPDX-License-Identifier: MIT */
/*
 * mustache_render - the state of one rendering, which mustache_render.c and mustache_inherit.c share.
 */
#ifndef WRAPGEN_MUSTACHE_RENDER_H
#define WRAPGEN_MUSTACHE_RENDER_H

#include "mustache_private.h"

/* A parent with its arguments. */
typedef struct Frame {
    Template *template;
    const Item *parent;
    const struct Frame *outer;
} Frame;

/* Where a template was included, for messages. */
typedef struct Caller {
    const Template *template;
    const Item *item;
    const struct Caller *outer;
} Caller;

typedef struct Render {
    MustacheEngine *engine;
    Str *out;
    Template *template;
    const Caller *caller;
    const Frame *frame;
    uint32_t num_contexts;
    uint32_t depth;
    size_t steps; /* templates, sections and blocks rendered so far */
    size_t begun; /* bytes of the output before */
    bool fresh;
    const void *origin; /* of the text being written */
    size_t watched;     /* bytes of the output that the watch has seen */
    size_t measured;    /* and that were measured */
} Render;

/* Adds to an error where the template was included; always returns false. */
bool mustache_fail(const Render *render, DiagMessage *message);

#define MUSTACHE_FAIL(render, item, ...)                                                                               \
    mustache_fail(render,                                                                                              \
                  mustache_error((render)->engine, (render)->template, (item)->offset, (item)->length, __VA_ARGS__))

/* The text of the value at an item's path, empty if there is none or, in lenient mode, if it is not text; `is_null`
 * tells a null from an empty text. false when something was reported. */
bool mustache_text(const Render *render, Item *item, ValueText *text, bool *is_null);

/* ---- mustache_inherit.c ---- */

/* Sets `target` to the template that a partial or parent names: null for a name that is null, and for a missing
 * template if that is allowed. false when something was reported. */
bool mustache_target(const Render *render, Item *item, Template **target);

/* Strict mode: reports an argument of a parent for which no template that `target` includes has a block. */
bool mustache_check_arguments(const Render *render, uint32_t index, Template *target);

/* The frame whose argument replaces a block's content, and the index of that argument, or null. */
const Frame *mustache_find_argument(const Render *render, uint32_t name, uint32_t *index);

#endif /* WRAPGEN_MUSTACHE_RENDER_H */
