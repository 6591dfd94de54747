/* SPDX-License-Identifier: MIT */
/*
 * shape - private to the loader (load, scan, shape*, resolve): what the stages between bytes and structs share.
 *
 *   scan     one linear look at the bytes: what no YAML may hold, how deep it may nest, whether to trust libcyaml with
 * it shape    compares libyaml's events with libcyaml's tables: where each mistake is, and which node filled which
 * member syntax   libyaml's own errors in clear words resolve  positions for the addresses that diagnostics name
 */
#ifndef WRAPGEN_SHAPE_H
#define WRAPGEN_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#include <yaml.h>

#include "../base/arena.h"
#include "../base/diag.h"
#include "front.h"
#include "../../schema/schema.h"

enum {
    SOURCE_MAX_DEPTH = 64, /* lists and mappings inside each other */
    SHAPE_MAX_ERRORS = 100 /* no one reads more, and a broken generator may produce millions */
};

/* ---- scan ---- */

typedef struct Scan {
    bool deep;     /* may nest deeper than SOURCE_MAX_DEPTH: walk the events before libcyaml sees it */
    bool doubtful; /* may hold what libcyaml accepts or blurs (`[]`, tags, escapes): walk them
                      afterwards */
} Scan;

/* Looks at every byte once. false: there are bytes that YAML cannot contain, all reported. */
bool scan_source(Diag *diag, const Source *source, Scan *scan);

/* ---- shape ---- */

/* A node's place in the file: 1-based, in characters. */
typedef struct ShapeMark {
    size_t line;
    size_t column;
    size_t length; /* at least 1 */
} ShapeMark;

typedef struct Shape Shape;

/* Is told where each node is, while the walk has the loaded data at hand. Its members are called only for things that
 * are in the file. */
typedef struct ShapeListener {
    void *ctx;
    /* A mapping that fills the `size` bytes at `structure` begins. */
    void (*begin)(void *ctx, const Shape *shape, const void *structure, size_t size, ShapeMark mark);
    /* It has ended; `mark` now spans it if it is on one line. */
    void (*mapping)(void *ctx, const Shape *shape, const void *structure, ShapeMark mark);
    void (*key)(void *ctx, const Shape *shape, const void *member, ShapeMark mark);
    /* Any value: `member` is the struct member or list element that it fills; `text` is that of a scalar, else null. */
    void (*value)(void *ctx, const Shape *shape, const void *member, const char *text, ShapeMark mark);
} ShapeListener;

/* Reports everything that is wrong with the file's shape, positions resolved. `data` is what libcyaml loaded, or null;
 * with it, the members that `[]` fills are made non-null. Returns whether nothing was wrong. */
bool shape_check(Arena *arena, Diag *diag, const Source *source, void *data);

/* Walks a file in which shape_check() found nothing wrong, and tells the listener. */
void shape_listen(Arena *arena, const Source *source, const ShapeListener *listener);

/* The YAML path of where the walk is: "graphs[0].inputs[1].dtype". */
const char *shape_path(const Shape *shape);

/* ---- the walk's state, for the messages ---- */

/* What a mapping had for one field of its table. */
typedef struct ShapeSeen {
    ShapeMark mark; /* of the key; line 0: not given yet */
    bool misspelt;  /* an unknown key was taken for it, so it is not reported as missing */
} ShapeSeen;

/* An open mapping or list. */
typedef struct ShapeFrame {
    const cyaml_schema_value_t *schema;
    char *data;   /* the struct, or the list's first element; null: not loaded */
    char *member; /* what this value itself fills; null: not loaded */
    ShapeMark mark;
    bool inside;                       /* reading the value after a key, or an entry of the list */
    const cyaml_schema_field_t *field; /* mapping: the current key's, null: unknown */
    ShapeMark key;                     /* mapping: of the current key */
    size_t first_key_length;           /* mapping */
    uint32_t count;                    /* list: entries so far, the current one included */
    ShapeSeen *seen;                   /* mapping: one per field of the table */
    size_t seen_capacity;
} ShapeFrame;

struct Shape {
    Arena *arena;
    Diag *diag; /* null: silent */
    Diag
        missing; /* what is missing in nodes that have ended; shown only if no syntax error may have ended them early */
    const Source *source;
    const ShapeListener *listener; /* or null */
    void *root;                    /* what libcyaml loaded, or null */
    yaml_parser_t parser;
    ShapeFrame *frames; /* SOURCE_MAX_DEPTH of them */
    size_t depth;
    size_t skipped;    /* open nodes of something that is skipped */
    bool skipping_key; /* it is a key */
    size_t documents;
    size_t num_errors;
    bool stopped;
};

/* ---- messages (shape_report.c) ---- */

/* Reports an error at the walk's path. Returns null when the walk is silent. */
DiagMessage *shape_error(Shape *shape, const char *code, ShapeMark mark, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void shape_note(Shape *shape, DiagMessage *message, ShapeMark mark, const char *text);

/* The innermost open node, or null. */
ShapeFrame *shape_top(Shape *shape);

void shape_unknown_key(Shape *shape, ShapeFrame *frame, const char *key, size_t length);
void shape_missing_keys(Shape *shape, const ShapeFrame *frame);
void shape_wrong_kind(Shape *shape, const cyaml_schema_value_t *schema, const yaml_event_t *event, ShapeMark mark);
void shape_wrong_count(Shape *shape, const ShapeFrame *frame);

/* A scalar where `schema` wants one: is it a word of its table, is it null, empty? */
void shape_scalar(Shape *shape, const cyaml_schema_value_t *schema, const yaml_event_t *event, ShapeMark mark);

/* ---- syntax ---- */

/* Reports what stopped the parser. */
void syntax_report(Shape *shape);

#endif /* WRAPGEN_SHAPE_H */
