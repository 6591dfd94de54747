/* SPDX-License-Identifier: MIT */
/*
 * keys - what tests/keys/run.sh needs in addition to the tool:
 *
 *   keys list
 *     prints every place of the schema where a value may stand, and every word that may stand there
 *   keys edit FILE EDITED EDIT...
 *     applies edits `path: old -> new` to a YAML file and prints what the first one is about
 *   keys rename FILE RENAMED
 *     gives graphs, kernels and the functions that they call other names
 *   keys code FILE...
 *     prints the files without comments
 *
 * A place is the path of keys that leads to it, without the indices: `graphs.inputs.dtype`. Where mappings nest in
 * themselves (attributes of subclasses, items of arguments), the inner one is the place of the outer one. All comes
 * from the tables by which the tool loads (schema/spec.c): a new key is a new place, with nothing to be done here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "gen/base/arena.h"
#include "gen/base/str.h"
#include "schema/schema.h"

enum { MOST_DEPTH = 64 };

/* The mappings on the way to where a walk is. */
typedef struct Way {
    const cyaml_schema_field_t *fields[MOST_DEPTH];
    const char *places[MOST_DEPTH];
    size_t depth;
} Way;

static void die(const char *what, const char *about)
{
    fprintf(stderr, "%s: %s\n", what, about);
    exit(2);
}

/* ---- the schema ---- */

static const cyaml_schema_value_t *entry_of(const cyaml_schema_value_t *value)
{
    return value->type == CYAML_SEQUENCE ? value->sequence.entry : value;
}

/* Whether the way does not lead through that mapping yet. */
static bool enter(Way *way, const cyaml_schema_field_t *fields, const char *place)
{
    for (size_t i = 0; i < way->depth; i++) {
        if (way->fields[i] == fields) {
            way->depth = i + 1;
            return false;
        }
    }
    if (way->depth == MOST_DEPTH) {
        die("too deep", place);
    }
    way->fields[way->depth] = fields;
    way->places[way->depth++] = place;
    return true;
}

static const char *place_below(Arena *arena, const Way *way, const char *key)
{
    const char *place = way->places[way->depth - 1];
    return place[0] == '\0' ? arena_printf(arena, "%s", key) : arena_printf(arena, "%s.%s", place, key);
}

static void list_below(Arena *arena, Way way)
{
    const cyaml_schema_field_t *fields = way.fields[way.depth - 1];
    for (size_t i = 0; fields[i].key != NULL; i++) {
        const cyaml_schema_value_t *value = entry_of(&fields[i].value);
        const char *place = place_below(arena, &way, fields[i].key);
        Way below = way;
        if (value->type == CYAML_MAPPING) {
            if (enter(&below, value->mapping.fields, place)) {
                list_below(arena, below);
            }
            continue;
        }
        printf("%s\n", place);
        for (uint32_t k = 0; value->type == CYAML_ENUM && k < value->enumeration.count; k++) {
            printf("%s=%s\n", place, value->enumeration.strings[k].str);
        }
    }
}

/* ---- paths: graphs[0].inputs[1].dtype ---- */

/* The next key of a path, and the index after it or -1. */
static bool next_step(Arena *arena, const char **path, const char **key, long *index)
{
    const char *at = *path + (**path == '.');
    const size_t length = strcspn(at, ".[");
    if (length == 0) {
        return false;
    }
    *key = arena_copy(arena, at, length);
    at += length;
    *index = -1;
    if (*at == '[') {
        char *end = NULL;
        *index = strtol(at + 1, &end, 10);
        at = end + (*end == ']');
    }
    *path = at;
    return true;
}

static const cyaml_schema_field_t *field_of(const Way *way, const char *key)
{
    for (const cyaml_schema_field_t *field = way->fields[way->depth - 1]; field->key != NULL; field++) {
        if (strcmp(field->key, key) == 0) {
            return field;
        }
    }
    die("the schema has no such key", key);
    return NULL;
}

/* The place that a path leads to, and whether words stand there. */
static const char *place_of(Arena *arena, const char *path, bool *has_words)
{
    Way way = {{spec_schema.mapping.fields}, {""}, 1};
    const char *key = NULL;
    const char *place = "";
    long index = 0;
    while (next_step(arena, &path, &key, &index)) {
        const cyaml_schema_value_t *value = entry_of(&field_of(&way, key)->value);
        place = place_below(arena, &way, key);
        *has_words = value->type == CYAML_ENUM;
        if (value->type == CYAML_MAPPING) {
            (void)enter(&way, value->mapping.fields, place);
        }
    }
    return place;
}

/* ---- YAML ---- */

static const char *read_all(Arena *arena, const char *name)
{
    Str text = str_new(arena);
    char part[4096];
    size_t count = 0;
    FILE *file = fopen(name, "rb");
    if (file == NULL) {
        die("cannot be read", name);
    }
    while ((count = fread(part, 1, sizeof part, file)) > 0) {
        str_add(&text, part, count);
    }
    fclose(file);
    return str_text(&text);
}

static void load(yaml_document_t *document, const char *text)
{
    yaml_parser_t parser;
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    if (!yaml_parser_load(&parser, document) || yaml_document_get_root_node(document) == NULL) {
        die("not YAML", text);
    }
    yaml_parser_delete(&parser);
}

static bool is_text(const yaml_node_t *node, const char *text)
{
    return node->type == YAML_SCALAR_NODE && strcmp((const char *)node->data.scalar.value, text) == 0;
}

/* Copies a node of one document into another; returns its number there. */
static int copy_node(yaml_document_t *to, yaml_document_t *from, int number)
{
    const yaml_node_t *node = yaml_document_get_node(from, number);
    int copy = 0;
    if (node->type == YAML_SCALAR_NODE) {
        return yaml_document_add_scalar(to, NULL, node->data.scalar.value, (int)node->data.scalar.length,
                                        node->data.scalar.style);
    }
    if (node->type == YAML_SEQUENCE_NODE) {
        copy = yaml_document_add_sequence(to, NULL, YAML_FLOW_SEQUENCE_STYLE);
        for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
            yaml_document_append_sequence_item(to, copy, copy_node(to, from, *item));
        }
        return copy;
    }
    copy = yaml_document_add_mapping(to, NULL, YAML_FLOW_MAPPING_STYLE);
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        const int key = copy_node(to, from, pair->key);
        yaml_document_append_mapping_pair(to, copy, key, copy_node(to, from, pair->value));
    }
    return copy;
}

static bool same_node(yaml_document_t *a, int x, yaml_document_t *b, int y)
{
    const yaml_node_t *p = yaml_document_get_node(a, x);
    const yaml_node_t *q = yaml_document_get_node(b, y);
    if (p->type != q->type) {
        return false;
    }
    if (p->type == YAML_SCALAR_NODE) {
        return is_text(q, (const char *)p->data.scalar.value);
    }
    /* Items are one number each, pairs are two: both are runs of numbers. */
    const bool list = p->type == YAML_SEQUENCE_NODE;
    const int *i = list ? p->data.sequence.items.start : &p->data.mapping.pairs.start->key;
    const int *k = list ? q->data.sequence.items.start : &q->data.mapping.pairs.start->key;
    const int *i_end = list ? p->data.sequence.items.top : &p->data.mapping.pairs.top->key;
    const int *k_end = list ? q->data.sequence.items.top : &q->data.mapping.pairs.top->key;
    for (; i < i_end && k < k_end; i++, k++) {
        if (!same_node(a, *i, b, *k)) {
            return false;
        }
    }
    return i == i_end && k == k_end;
}

/* ---- edits ---- */

typedef struct Edit {
    char *path;
    char *old; /* null: absent */
    char *new; /* null: taken away */
} Edit;

static Edit edit_of(Arena *arena, const char *line)
{
    const char *colon = strstr(line, ": ");
    const char *arrow = strstr(line, " -> ");
    if (colon == NULL || arrow == NULL || arrow < colon) {
        die("not `path: old -> new`", line);
    }
    Edit edit = {arena_copy(arena, line, (size_t)(colon - line)),
                 arena_copy(arena, colon + 2, (size_t)(arrow - colon - 2)), arena_printf(arena, "%s", arrow + 4)};
    edit.old = strcmp(edit.old, "-") == 0 ? NULL : edit.old;
    edit.new = strcmp(edit.new, "-") == 0 ? NULL : edit.new;
    return edit;
}

static yaml_node_pair_t *pair_of(yaml_document_t *document, yaml_node_t *mapping, const char *key)
{
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top; pair++) {
        if (is_text(yaml_document_get_node(document, pair->key), key)) {
            return pair;
        }
    }
    return NULL;
}

static int item_of(yaml_document_t *document, int number, long index, const char *path)
{
    const yaml_node_t *node = yaml_document_get_node(document, number);
    if (node->type != YAML_SEQUENCE_NODE || index >= node->data.sequence.items.top - node->data.sequence.items.start) {
        die("there is no such item", path);
    }
    return node->data.sequence.items.start[index];
}

/* Null means `-`. */
static void compare_old(yaml_document_t *document, int number, const Edit *edit)
{
    yaml_document_t old;
    if ((edit->old == NULL) != (number == 0)) {
        die(edit->old == NULL ? "is there already" : "is not there", edit->path);
    }
    if (edit->old != NULL) {
        load(&old, edit->old);
        if (!same_node(&old, 1, document, number)) {
            die("has another value than the edit says", edit->path);
        }
        yaml_document_delete(&old);
    }
}

/* Sets, adds or takes away the key in the mapping that has or shall have it. */
static void change_to(yaml_document_t *document, int mapping, const char *key, const Edit *edit)
{
    yaml_document_t value;
    yaml_node_pair_t *pair = pair_of(document, yaml_document_get_node(document, mapping), key);
    if (edit->new == NULL) {
        yaml_node_t *node = yaml_document_get_node(document, mapping);
        for (; pair + 1 < node->data.mapping.pairs.top; pair++) {
            pair[0] = pair[1];
        }
        node->data.mapping.pairs.top--;
        return;
    }
    load(&value, edit->new);
    const int number = copy_node(document, &value, 1);
    pair = pair_of(document, yaml_document_get_node(document, mapping), key); /* nodes may have moved */
    if (pair != NULL) {
        pair->value = number;
    } else {
        const int name =
            yaml_document_add_scalar(document, NULL, (const unsigned char *)key, -1, YAML_PLAIN_SCALAR_STYLE);
        yaml_document_append_mapping_pair(document, mapping, name, number);
    }
    yaml_document_delete(&value);
}

static void change(yaml_document_t *document, int mapping, const char *key, const Edit *edit)
{
    const yaml_node_pair_t *pair = pair_of(document, yaml_document_get_node(document, mapping), key);
    compare_old(document, pair != NULL ? pair->value : 0, edit);
    change_to(document, mapping, key, edit);
}

static void apply(Arena *arena, yaml_document_t *document, const Edit *edit)
{
    const char *path = edit->path;
    const char *key = NULL;
    int number = 1; /* the root */
    for (long index = 0; next_step(arena, &path, &key, &index);) {
        if (*path == '\0' && index < 0) {
            change(document, number, key, edit);
            return;
        }
        const yaml_node_pair_t *pair = pair_of(document, yaml_document_get_node(document, number), key);
        if (pair == NULL) {
            die("there is no such key", edit->path);
        }
        number = index < 0 ? pair->value : item_of(document, pair->value, index, edit->path);
    }
    die("does not end with a key", edit->path);
}

static void write_yaml(yaml_document_t *document, const char *name)
{
    yaml_emitter_t emitter;
    FILE *file = fopen(name, "wb");
    if (file == NULL) {
        die("cannot be written", name);
    }
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output_file(&emitter, file);
    yaml_emitter_set_width(&emitter, -1);
    if (!yaml_emitter_dump(&emitter, document)) { /* takes the document */
        die("cannot be written", name);
    }
    yaml_emitter_delete(&emitter);
    fclose(file);
}

static void print_place(const char *place, bool has_words, const Edit *edit)
{
    const char *const values[] = {edit->old, edit->new};
    printf("%s\n", place);
    for (size_t i = 0; has_words && i < sizeof values / sizeof values[0]; i++) {
        if (values[i] != NULL) {
            printf("%s=%s\n", place, values[i]);
        }
    }
}

/* ---- other names ---- */

static void rename_key(Arena *arena, yaml_document_t *document, int mapping, const char *key)
{
    const yaml_node_pair_t *pair = pair_of(document, yaml_document_get_node(document, mapping), key);
    yaml_node_t *value = pair != NULL ? yaml_document_get_node(document, pair->value) : NULL;
    if (value != NULL) {
        const char *name = arena_printf(arena, "%s_again", (const char *)value->data.scalar.value);
        const Edit edit = {"", NULL, (char *)(uintptr_t)name};
        change_to(document, mapping, key, &edit);
    }
}

/* The number of item `index` of a list in a mapping; 0: there is none. */
static int listed(yaml_document_t *document, int mapping, const char *key, int index)
{
    const yaml_node_pair_t *pair = pair_of(document, yaml_document_get_node(document, mapping), key);
    const yaml_node_t *list = pair != NULL ? yaml_document_get_node(document, pair->value) : NULL;
    const bool there = list != NULL && list->data.sequence.items.start + index < list->data.sequence.items.top;
    return there ? list->data.sequence.items.start[index] : 0;
}

/* The names of a list of names: each becomes longer. */
static void rename_items(Arena *arena, yaml_document_t *document, int mapping, const char *key)
{
    for (int i = 0, item = 0; (item = listed(document, mapping, key, i)) != 0; i++) {
        const char *name = (const char *)yaml_document_get_node(document, item)->data.scalar.value;
        const unsigned char *longer = (const unsigned char *)arena_printf(arena, "%s_again", name);
        const int renamed = yaml_document_add_scalar(document, NULL, longer, -1, YAML_PLAIN_SCALAR_STYLE);
        const yaml_node_pair_t *pair = pair_of(document, yaml_document_get_node(document, mapping), key);
        yaml_document_get_node(document, pair->value)->data.sequence.items.start[i] = renamed;
    }
}

/* Where a graph, or its backward, names its inputs, outputs and bases: in a key of each item of a list, or, without a
 * key, in a list of names. */
typedef struct Naming {
    const char *list;
    const char *key;
} Naming;

static void rename_each(Arena *arena, yaml_document_t *document, int mapping, const Naming *naming)
{
    if (naming->key == NULL) {
        rename_items(arena, document, mapping, naming->list);
        return;
    }
    for (int i = 0, item = 0; (item = listed(document, mapping, naming->list, i)) != 0; i++) {
        if (strcmp(naming->key, "members") == 0) {
            rename_items(arena, document, item, naming->key);
        } else {
            rename_key(arena, document, item, naming->key);
        }
    }
}

static void rename_graph(Arena *arena, yaml_document_t *document, int graph)
{
    static const char *const own[] = {"name", "compiled", "kernel"};
    static const Naming of_graph[] = {
        {"inputs", "name"},          {"intermediate_bases", "name"}, {"outputs", "name"},
        {"outputs", "base"},         {"duplicates", "input"},        {"duplicates", "of"},
        {"synthetic_bases", "name"}, {"synthetic_bases", "members"}, {"argument_order", NULL},
    };
    static const Naming of_backward[] = {{"tangents", "of"}, {"grad_inputs", "of"}, {"mutated_in_backward", NULL}};
    const yaml_node_pair_t *pair = pair_of(document, yaml_document_get_node(document, graph), "backward");
    const int backward = pair != NULL ? pair->value : 0;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        rename_key(arena, document, graph, own[i]);
    }
    for (size_t i = 0; i < sizeof of_graph / sizeof of_graph[0]; i++) {
        rename_each(arena, document, graph, &of_graph[i]);
    }
    if (backward == 0) {
        return;
    }
    rename_key(arena, document, backward, "compiled");
    for (size_t i = 0; i < sizeof of_backward / sizeof of_backward[0]; i++) {
        rename_each(arena, document, backward, &of_backward[i]);
    }
}

static void rename_file(Arena *arena, const char *base, const char *renamed)
{
    yaml_document_t document;
    int item = 0;
    load(&document, read_all(arena, base));
    for (int i = 0; (item = listed(&document, 1, "graphs", i)) != 0; i++) {
        rename_graph(arena, &document, item);
    }
    for (int i = 0; (item = listed(&document, 1, "kernels", i)) != 0; i++) {
        int variant = 0;
        rename_key(arena, &document, item, "name");
        for (int k = 0; (variant = listed(&document, item, "variants", k)) != 0; k++) {
            rename_key(arena, &document, variant, "graph");
            rename_key(arena, &document, variant, "symbol");
            rename_items(arena, &document, variant, "overlaps");
        }
    }
    write_yaml(&document, renamed);
}

static void edit_file(Arena *arena, const char *base, const char *edited, char **lines, int num_lines)
{
    yaml_document_t document;
    bool has_words = false;
    load(&document, read_all(arena, base));
    for (int i = 0; i < num_lines; i++) {
        const Edit edit = edit_of(arena, lines[i]);
        const char *place = place_of(arena, edit.path, &has_words);
        apply(arena, &document, &edit);
        if (i == 0) {
            print_place(place, has_words, &edit);
        }
    }
    write_yaml(&document, edited);
}

/* ---- C without comments ---- */

static void print_code(const char *at)
{
    for (char quote = '\0'; *at != '\0'; at++) {
        if (quote == '\0' && at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end != NULL ? end + 1 : at + strlen(at) - 1;
            continue;
        }
        if (quote != '\0' && *at == '\\') {
            putchar(*at++);
        } else if (quote != '\0' ? *at == quote : *at == '"' || *at == '\'') {
            quote = quote != '\0' ? '\0' : *at;
        }
        putchar(*at);
    }
}

int main(int argc, char **argv)
{
    Arena arena;
    arena_init(&arena);
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        list_below(&arena, (Way){{spec_schema.mapping.fields}, {""}, 1});
    } else if (argc > 4 && strcmp(argv[1], "edit") == 0) {
        edit_file(&arena, argv[2], argv[3], argv + 4, argc - 4);
    } else if (argc == 4 && strcmp(argv[1], "rename") == 0) {
        rename_file(&arena, argv[2], argv[3]);
    } else if (argc > 2 && strcmp(argv[1], "code") == 0) {
        for (int i = 2; i < argc; i++) {
            print_code(read_all(&arena, argv[i]));
        }
    } else {
        die("usage", "keys list | edit FILE EDITED EDIT... | rename FILE RENAMED | code FILE...");
    }
    arena_release(&arena);
    return 0;
}
