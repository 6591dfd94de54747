/* SPDX-License-Identifier: MIT */
/*
 * mustache - logic-less templates: Mustache syntax and specification behaviour (core, dynamic names, inheritance;
 * lambdas are left out on purpose), made fast enough to render tens of megabytes of C a second.
 *
 *   names are interned to small integers by the engine, so a lookup compares numbers;
 *   templates are compiled once, rendered many times;
 *   values are built by the caller in an arena: null, boolean, text, list, object.
 *
 * Null, false, an empty text and an empty list are false; everything else is true.
 *
 * Strict mode (for code) refuses, with template:line:column, what would otherwise be a silent hole in the output:
 *
 *   a name that no enclosing object has, and `a.b` where `a` has no `b`; a key that is present but null is empty; a
 *   list, an object or a boolean where a text is needed; a partial or parent that does not exist; text directly in a
 *   parent, where only blocks count; an argument for which the parent has no block.
 *
 * `{{x}}` passes through `check`, which may refuse the text (it must be a token of C); `{{{x}}}` and `{{&x}}` write it
 * unchanged. mustache_build.c explains which tags stand alone on their line, and how blocks are indented.
 */
#ifndef WRAPGEN_MUSTACHE_H
#define WRAPGEN_MUSTACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../base/diag.h"
#include "../base/str.h"

typedef struct MustacheEngine MustacheEngine;
typedef struct MustacheFrozen MustacheFrozen; /* frozen.h */

typedef enum ValueKind { VALUE_NULL, VALUE_FALSE, VALUE_TRUE, VALUE_TEXT, VALUE_LIST, VALUE_OBJECT } ValueKind;

typedef struct ValueText {
    const char *data;
    size_t length;
} ValueText;

typedef struct ValueList ValueList;
typedef struct ValueObject ValueObject;

/* Passed by value. Text is borrowed and must outlive the render. */
typedef struct Value {
    ValueKind kind;
    union {
        ValueText text;
        ValueList *list;
        ValueObject *object;
    } as;
} Value;

struct ValueList {
    Value *items;
    uint32_t count;
    uint32_t capacity;
};

typedef struct ValueEntry {
    uint32_t key; /* interned */
    Value value;
} ValueEntry;

struct ValueObject {
    ValueEntry *entries;
    uint32_t count;
    uint32_t capacity;
    uint64_t keys;      /* of each entry's key the bit that value_key_bit() gives */
    const void *origin; /* what it was made from, for MustacheWatch; null: the same as the enclosing one */
};

/* Two keys may have one bit, so a bit that is set says nothing: one that is not, that no entry has the key. */
static inline uint64_t value_key_bit(uint32_t key)
{
    return UINT64_C(1) << (key & 63);
}

Value value_null(void);
Value value_bool(bool truth);
Value value_text(const char *text);                  /* borrowed */
Value value_text_n(const char *data, size_t length); /* borrowed */
Value value_list(Arena *arena);
void value_push(Arena *arena, Value list, Value item);
Value value_object(Arena *arena, uint32_t capacity);                   /* grows when needed; without an origin */
void value_set(Arena *arena, Value object, uint32_t key, Value value); /* replaces an earlier value of the key */

/* Finds a template's source by name: false when there is none. The text is borrowed for the engine's life. `file` is
 * its name in diagnostics. */
typedef bool (*MustacheLoader)(void *ctx, const char *name, const char **text, size_t *length, const char **file);

/* Writes text of `{{x}}` to out, or refuses it (false). */
typedef bool (*MustacheCheck)(void *ctx, const char *text, size_t length, Str *out);

/* Is shown the output piece by piece, in order, each with the origin of the innermost object that it was made for; null
 * outside of all objects with an origin. */
typedef void (*MustacheWatch)(void *ctx, const void *origin, const char *text, size_t length);

/* Is told how long each piece of the output is, in order: with the name of the template that it is from, and the same
 * origin as the watch gets. */
typedef void (*MustacheMeasure)(void *ctx, const char *name, const void *origin, size_t length);

typedef struct MustacheConfig {
    MustacheLoader loader;
    void *loader_ctx;
    MustacheCheck check; /* null: written unchanged */
    void *check_ctx;
    MustacheWatch watch; /* null: no watch */
    void *watch_ctx;
    MustacheMeasure measure; /* null: nothing is measured */
    void *measure_ctx;
    size_t most_bytes; /* of a text; 0: any number */
    size_t most_steps; /* templates, sections and blocks in a text, beyond one for each of its bytes; 0: any number */
    const MustacheFrozen *frozen; /* if not null, templates that need not be compiled; the loader gives their text */
    bool strict;
} MustacheConfig;

MustacheEngine *mustache_new(Arena *arena, Diag *diag, const MustacheConfig *config);

/* The number of a name; the first name interned gets 0, the next 1, ...; if some are frozen, those have the first
 * numbers. */
uint32_t mustache_intern(MustacheEngine *engine, const char *name);
const char *mustache_name(const MustacheEngine *engine, uint32_t number);

/* How many names are frozen: their numbers are those below. */
uint32_t mustache_num_frozen(const MustacheEngine *engine);

/* Renders the template `name` with `value` as its outermost context, appending to out. false when something was
 * reported to diag (code E_TEMPLATE or E_LIMIT, place in the template's file); out then holds a partial text that must
 * not be used. */
bool mustache_render(MustacheEngine *engine, const char *name, Value value, Str *out);

#endif /* WRAPGEN_MUSTACHE_H */
