/* SPDX-License-Identifier: MIT */
/*
 * node - YAML as a tree that can be built, written, and shrunk.
 */
#ifndef NODE_H
#define NODE_H

#include <stdint.h>

#include "../../../gen/base/arena.h"
#include "../../../gen/base/str.h"

typedef enum NodeKind { NODE_TEXT, NODE_LIST, NODE_MAP } NodeKind;

typedef struct Node {
    NodeKind kind;
    const char *text;
    const char **keys; /* of a map */
    struct Node **items;
    uint32_t count;
    uint32_t capacity;
} Node;

Node *node_map(Arena *arena);
Node *node_list(Arena *arena);
Node *node_text(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends to a list (key null) or a map; returns `item`. */
Node *node_add(Arena *arena, Node *parent, const char *key, Node *item);

/* node_add of a text. */
void node_put(Arena *arena, Node *parent, const char *key, const char *text);

/* Null when the map has no such key. */
Node *node_find(const Node *map, const char *key);

/* Removes and puts back, for trying what is left. */
Node *node_take(Node *parent, uint32_t index, const char **key);
void node_restore(Arena *arena, Node *parent, uint32_t index, const char *key, Node *item);

/* Block style for the outer levels, flow style from `flow_depth` on. */
void node_write(const Node *node, uint32_t flow_depth, Str *out);

#endif /* NODE_H */
