/* SPDX-License-Identifier: MIT */
/*
 * tree - read by libyaml's documents, which resolve aliases, and printed in block style.
 */
#include "tree.h"

#include <string.h>

#include <yaml.h>

enum { MAX_DEPTH = 80 }; /* deeper ones are the business of load_fuzz.c */

/* ---- reading ---- */

static Tree *convert(Arena *arena, yaml_document_t *document, int index, int depth)
{
    const yaml_node_t *node = yaml_document_get_node(document, index);
    Tree *tree = ARENA_NEW(arena, Tree);
    if (node == NULL || depth > MAX_DEPTH) {
        tree->text = "";
        return tree;
    }
    if (node->type == YAML_SCALAR_NODE) {
        tree->text = arena_copy(arena, (const char *)node->data.scalar.value, node->data.scalar.length);
        tree->quoted = node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    } else if (node->type == YAML_SEQUENCE_NODE) {
        tree->kind = TREE_LIST;
        for (const int *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
            tree_insert(arena, tree, tree->count, NULL, convert(arena, document, *item, depth + 1));
        }
    } else {
        tree->kind = TREE_MAP;
        for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top;
             pair++) {
            const Tree *key = convert(arena, document, pair->key, depth + 1);
            tree_insert(arena, tree, tree->count, key->text != NULL ? key->text : "",
                        convert(arena, document, pair->value, depth + 1));
        }
    }
    return tree;
}

Tree *tree_parse(Arena *arena, const char *text, size_t length)
{
    yaml_parser_t parser;
    yaml_document_t document;
    Tree *tree = NULL;
    if (!yaml_parser_initialize(&parser)) {
        return NULL;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    if (yaml_parser_load(&parser, &document)) {
        if (yaml_document_get_root_node(&document) != NULL) {
            tree = convert(arena, &document, 1, 0);
        }
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return tree;
}

/* ---- the schema that belongs to it ---- */

const cyaml_schema_field_t *tree_fields(const Tree *tree)
{
    return tree->schema != NULL && tree->schema->type == CYAML_MAPPING ? tree->schema->mapping.fields : NULL;
}

static const cyaml_schema_field_t *field_of(const cyaml_schema_field_t *fields, const char *key)
{
    for (; fields != NULL && fields->key != NULL; fields++) {
        if (strcmp(fields->key, key) == 0) {
            return fields;
        }
    }
    return NULL;
}

static void annotate(Tree *tree, const cyaml_schema_value_t *schema, const cyaml_schema_field_t *field, bool entry)
{
    tree->schema = schema;
    tree->field = field;
    tree->entry = entry;
    const cyaml_schema_field_t *fields = tree->kind == TREE_MAP ? tree_fields(tree) : NULL;
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->kind == TREE_MAP) {
            const cyaml_schema_field_t *found = field_of(fields, tree->keys[i]);
            annotate(tree->items[i], found != NULL ? &found->value : NULL, found, false);
        } else {
            const bool known = schema != NULL && schema->type == CYAML_SEQUENCE;
            annotate(tree->items[i], known ? schema->sequence.entry : NULL, known ? field : NULL, known);
        }
    }
}

void tree_annotate(Tree *root)
{
    annotate(root, &spec_schema, NULL, false);
}

/* ---- changing ---- */

Tree *tree_scalar(Arena *arena, const char *text)
{
    Tree *tree = ARENA_NEW(arena, Tree);
    tree->text = text;
    return tree;
}

Tree *tree_clone(Arena *arena, const Tree *tree)
{
    Tree *copy = ARENA_NEW(arena, Tree);
    *copy = *tree;
    copy->items = ARENA_ARRAY(arena, Tree *, tree->count + 1);
    copy->keys = ARENA_ARRAY(arena, const char *, tree->count + 1);
    for (size_t i = 0; i < tree->count; i++) {
        copy->items[i] = tree_clone(arena, tree->items[i]);
        copy->keys[i] = tree->keys[i];
    }
    return copy;
}

void tree_insert(Arena *arena, Tree *parent, size_t at, const char *key, Tree *child)
{
    const size_t count = parent->count;
    parent->items = arena_grow(arena, parent->items, count * sizeof(Tree *), (count + 1) * sizeof(Tree *));
    parent->keys = arena_grow(arena, parent->keys, count * sizeof(char *), (count + 1) * sizeof(char *));
    memmove(parent->items + at + 1, parent->items + at, (count - at) * sizeof(Tree *));
    memmove(parent->keys + at + 1, parent->keys + at, (count - at) * sizeof(char *));
    parent->items[at] = child;
    parent->keys[at] = key;
    parent->count++;
}

void tree_remove(Tree *parent, size_t at)
{
    parent->count--;
    memmove(parent->items + at, parent->items + at + 1, (parent->count - at) * sizeof(Tree *));
    memmove(parent->keys + at, parent->keys + at + 1, (parent->count - at) * sizeof(char *));
}

Tree *tree_find(const Tree *map, const char *key)
{
    for (size_t i = 0; map != NULL && map->kind == TREE_MAP && i < map->count; i++) {
        if (strcmp(map->keys[i], key) == 0) {
            return map->items[i];
        }
    }
    return NULL;
}

/* ---- printing ---- */

static void print_scalar(const char *text, bool quoted, Str *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+*/()<>=|%&";
    bool simple = *text != '\0' && strspn(text, plain + 0) == strlen(text) && strchr("*&%|>=", *text) == NULL;
    if (*text == '-' && strspn(text + 1, "0123456789") == strlen(text + 1) && text[1] != '\0') {
        simple = true;
    }
    if (simple && !quoted) {
        str_puts(out, text);
        return;
    }
    str_putc(out, '"');
    for (const char *next = text; *next != '\0'; next++) {
        const unsigned char byte = (unsigned char)*next;
        if (byte == '"' || byte == '\\') {
            str_printf(out, "\\%c", byte);
        } else if (byte < ' ' || byte == 0x7F) {
            str_printf(out, "\\x%02x", byte);
        } else {
            str_putc(out, *next);
        }
    }
    str_putc(out, '"');
}

static void print(const Tree *tree, size_t indent, Str *out);

static void print_child(const Tree *child, size_t indent, Str *out)
{
    if (child->kind == TREE_SCALAR) {
        str_putc(out, ' ');
        print_scalar(child->text, child->quoted, out);
        str_putc(out, '\n');
    } else if (child->count == 0) {
        str_puts(out, child->kind == TREE_LIST ? " []\n" : " {}\n");
    } else {
        str_putc(out, '\n');
        print(child, indent + 1, out);
    }
}

static void print(const Tree *tree, size_t indent, Str *out)
{
    for (size_t i = 0; i < tree->count; i++) {
        str_printf(out, "%*s", (int)indent, "");
        if (tree->kind == TREE_LIST) {
            str_putc(out, '-');
        } else {
            print_scalar(tree->keys[i], false, out);
            str_putc(out, ':');
        }
        print_child(tree->items[i], indent, out);
    }
}

void tree_print(const Tree *root, Str *out)
{
    if (root->kind == TREE_SCALAR) {
        print_scalar(root->text, root->quoted, out);
        str_putc(out, '\n');
    } else if (root->count == 0) {
        str_puts(out, root->kind == TREE_LIST ? "[]\n" : "{}\n");
    } else {
        print(root, 0, out);
    }
}

/* ---- all nodes ---- */

static size_t count_nodes(const Tree *tree)
{
    size_t count = 1;
    for (size_t i = 0; i < tree->count; i++) {
        count += count_nodes(tree->items[i]);
    }
    return count;
}

static void collect(Tree *node, Tree *parent, size_t at, TreePlaces *places)
{
    places->list[places->count++] = (TreePlace){node, parent, at};
    for (size_t i = 0; i < node->count; i++) {
        collect(node->items[i], node, i, places);
    }
}

TreePlaces tree_places(Arena *arena, Tree *root)
{
    TreePlaces places = {ARENA_ARRAY(arena, TreePlace, count_nodes(root)), 0};
    collect(root, NULL, 0, &places);
    return places;
}
