/* SPDX-License-Identifier: MIT */
/*
 * tree - a YAML file as a tree whose nodes know their table of the schema: what the mutator changes, and how that
 * becomes text again.
 */
#ifndef FUZZ_TREE_H
#define FUZZ_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "gen/base/str.h"
#include "schema/schema.h"

typedef enum TreeKind { TREE_SCALAR, TREE_LIST, TREE_MAP } TreeKind;

typedef struct Tree Tree;

struct Tree {
    TreeKind kind;
    bool quoted;      /* of a scalar: it was not plain */
    const char *text; /* of a scalar */
    Tree **items;
    const char **keys; /* of a map, as many as items */
    size_t count;

    /* Filled by tree_annotate(); null where the schema does not know it. */
    const cyaml_schema_value_t *schema;
    const cyaml_schema_field_t *field; /* the key that holds it, or holds the list that it is an entry of */
    bool entry;
};

/* Null: this is not YAML. */
Tree *tree_parse(Arena *arena, const char *text, size_t length);

/* The same tree as another one, down to the leaves. */
Tree *tree_clone(Arena *arena, const Tree *tree);

/* Finds the table of the schema that each node belongs to. */
void tree_annotate(Tree *root);

Tree *tree_scalar(Arena *arena, const char *text);
void tree_insert(Arena *arena, Tree *parent, size_t at, const char *key, Tree *child);
void tree_remove(Tree *parent, size_t at);

/* The keys of a node whose schema is a mapping; null for any other node. */
const cyaml_schema_field_t *tree_fields(const Tree *tree);
Tree *tree_find(const Tree *map, const char *key);

/* As YAML that tree_parse() makes the same tree of. */
void tree_print(const Tree *root, Str *out);

/* Where each node hangs, in the order of the text; the root has no parent. */
typedef struct TreePlace {
    Tree *node;
    Tree *parent;
    size_t at;
} TreePlace;

typedef struct TreePlaces {
    TreePlace *list;
    size_t count;
} TreePlaces;

TreePlaces tree_places(Arena *arena, Tree *root);

#endif /* FUZZ_TREE_H */
