/* SPDX-License-Identifier: MIT */
/*
 * editor - what an editor with schema/graph.schema.json says about a file, as far as that schema goes: the few words of
 * JSON Schema that it uses. One that is not known here is an error, so that nothing is passed over. Both are read by
 * libyaml, to which JSON is YAML; no code of the tool is used.
 *
 *   editor nodes SCHEMA           each node of the schema, with "described" or "bare"
 *   editor keys SCHEMA FILE...    each key of the schema, with "used" where a file has it, else "unused"
 *   editor check SCHEMA FILE...   each file, with "taken" or what is wrong with it
 */
#include <regex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

typedef struct Tree {
    yaml_document_t document;
} Tree;

typedef struct Used {
    const yaml_node_t *schemas[1024]; /* of keys that files have */
    size_t count;
} Used;

/* A node of a file with its schema. */
typedef struct Editor {
    Tree schema;
    Tree file;
    char path[1024];
    char wrong[2048]; /* the first thing that is; empty: nothing */
    Used used;
} Editor;

static void die(const char *what, const char *about)
{
    fprintf(stderr, "%s: %s\n", about, what);
    exit(2);
}

static void load(Tree *tree, const char *name)
{
    yaml_parser_t parser;
    FILE *file = fopen(name, "rb");
    if (file == NULL || !yaml_parser_initialize(&parser)) {
        die("cannot be read", name);
    }
    yaml_parser_set_input_file(&parser, file);
    if (!yaml_parser_load(&parser, &tree->document) || yaml_document_get_root_node(&tree->document) == NULL) {
        die("is not YAML", name);
    }
    yaml_parser_delete(&parser);
    fclose(file);
}

/* ---- nodes ---- */

static const yaml_node_t *node_at(Tree *tree, int number)
{
    return yaml_document_get_node(&tree->document, number);
}

static const char *text_of(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

static const yaml_node_t *member(Tree *tree, const yaml_node_t *mapping, const char *key)
{
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top; pair++) {
        if (strcmp(text_of(node_at(tree, pair->key)), key) == 0) {
            return node_at(tree, pair->value);
        }
    }
    return NULL;
}

static bool matches(const char *pattern, const char *text)
{
    regex_t regex;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
        die("is not a pattern", pattern);
    }
    const bool found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

/* What a node is to JSON, by the core schema of YAML 1.2. */
static const char *type_of(const yaml_node_t *node)
{
    const char *text = text_of(node);
    if (node->type != YAML_SCALAR_NODE) {
        return node->type == YAML_MAPPING_NODE ? "object" : "array";
    }
    if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) {
        return "string";
    }
    return matches("^(~|null|Null|NULL)?$", text)                                     ? "null"
           : matches("^(true|True|TRUE|false|False|FALSE)$", text)                    ? "boolean"
           : matches("^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", text)                 ? "integer"
           : matches("^[-+]?([.][0-9]+|[0-9]+([.][0-9]*)?)([eE][-+]?[0-9]+)?$", text) ? "number"
                                                                                      : "string";
}

static bool has_type(const yaml_node_t *node, const char *wanted)
{
    const char *type = type_of(node);
    return strcmp(type, wanted) == 0 || (strcmp(type, "integer") == 0 && strcmp(wanted, "number") == 0);
}

/* ---- one file ---- */

static void wrong(Editor *e, const char *format, ...)
{
    va_list args;
    if (e->wrong[0] == '\0') {
        const int length = snprintf(e->wrong, sizeof e->wrong / 2, "%s: ", e->path[0] != '\0' ? e->path : "the file");
        va_start(args, format);
        vsnprintf(e->wrong + length, sizeof e->wrong - (size_t)length, format, args);
        va_end(args);
    }
}

static void check_node(Editor *e, const yaml_node_t *schema, const yaml_node_t *node);

/* Goes on at a key or an index of `node`. */
static void check_below(Editor *e, const yaml_node_t *schema, const yaml_node_t *node, const char *format, ...)
{
    const size_t length = strlen(e->path);
    va_list args;
    va_start(args, format);
    vsnprintf(e->path + length, sizeof e->path - length, format, args);
    va_end(args);
    check_node(e, schema, node);
    e->path[length] = '\0';
}

static const yaml_node_t *target_of(Editor *e, const char *ref)
{
    static const char start[] = "#/$defs/";
    const yaml_node_t *defs = member(&e->schema, node_at(&e->schema, 1), "$defs");
    const yaml_node_t *target =
        strncmp(ref, start, strlen(start)) == 0 ? member(&e->schema, defs, ref + strlen(start)) : NULL;
    if (target == NULL) {
        die("leads nowhere", ref);
    }
    return target;
}

static void use(Editor *e, const yaml_node_t *schema)
{
    for (size_t i = 0; i < e->used.count; i++) {
        if (e->used.schemas[i] == schema) {
            return;
        }
    }
    if (e->used.count == sizeof e->used.schemas / sizeof e->used.schemas[0]) {
        die("has too many keys", "the schema");
    }
    e->used.schemas[e->used.count++] = schema;
}

static void check_properties(Editor *e, const yaml_node_t *schema, const yaml_node_t *properties,
                             const yaml_node_t *node)
{
    const yaml_node_t *others = member(&e->schema, schema, "additionalProperties");
    if (node->type != YAML_MAPPING_NODE) {
        return;
    }
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        const char *key = text_of(node_at(&e->file, pair->key));
        const yaml_node_t *property = member(&e->schema, properties, key);
        if (property != NULL) {
            use(e, property);
            check_below(e, property, node_at(&e->file, pair->value), ".%s", key);
        } else if (others != NULL && strcmp(text_of(others), "false") == 0) {
            wrong(e, "there is no key '%s'", key);
        }
    }
}

static void check_required(Editor *e, const yaml_node_t *names, const yaml_node_t *node)
{
    for (yaml_node_item_t *item = names->data.sequence.items.start; item < names->data.sequence.items.top; item++) {
        const char *name = text_of(node_at(&e->schema, *item));
        if (node->type == YAML_MAPPING_NODE && member(&e->file, node, name) == NULL) {
            wrong(e, "'%s' is missing", name);
        }
    }
}

static void check_items(Editor *e, const yaml_node_t *schema, const yaml_node_t *node)
{
    if (node->type != YAML_SEQUENCE_NODE) {
        return;
    }
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        check_below(e, schema, node_at(&e->file, *item), "[%d]", (int)(item - node->data.sequence.items.start));
    }
}

/* One of the values that `list` holds, or one of the types that it names. */
static void check_one_of(Editor *e, const yaml_node_t *list, const yaml_node_t *node, bool types)
{
    if (list->type == YAML_SCALAR_NODE) {
        if (!has_type(node, text_of(list))) {
            wrong(e, "'%s' is of another type than %s", text_of(node), text_of(list));
        }
        return;
    }
    for (yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++) {
        const yaml_node_t *one = node_at(&e->schema, *item);
        if (types ? has_type(node, text_of(one))
                  : has_type(node, type_of(one)) && strcmp(text_of(node), text_of(one)) == 0) {
            return;
        }
    }
    wrong(e, types ? "'%s' is of another type" : "'%s' is none of the values", text_of(node));
}

static void check_word(Editor *e, const yaml_node_t *schema, const char *word, const yaml_node_t *value,
                       const yaml_node_t *node)
{
    const bool string = has_type(node, "string");
    const size_t length = node->type == YAML_SEQUENCE_NODE
                              ? (size_t)(node->data.sequence.items.top - node->data.sequence.items.start)
                              : strlen(text_of(node));
    if (strcmp(word, "$ref") == 0) {
        check_node(e, target_of(e, text_of(value)), node);
    } else if (strcmp(word, "type") == 0 || strcmp(word, "enum") == 0) {
        check_one_of(e, value, node, strcmp(word, "type") == 0);
    } else if (strcmp(word, "properties") == 0) {
        check_properties(e, schema, value, node);
    } else if (strcmp(word, "required") == 0) {
        check_required(e, value, node);
    } else if (strcmp(word, "items") == 0) {
        check_items(e, value, node);
    } else if (strcmp(word, "pattern") == 0) {
        if (string && !matches(text_of(value), text_of(node))) {
            wrong(e, "'%s' does not look like %s", text_of(node), text_of(value));
        }
    } else if (strcmp(word, "minLength") == 0 || strcmp(word, "minItems") == 0) {
        if (strcmp(word, "minItems") == 0 ? node->type == YAML_SEQUENCE_NODE : string) {
            if (length < strtoul(text_of(value), NULL, 10)) {
                wrong(e, "there is too little");
            }
        }
    } else if (!matches("^([$](schema|id|defs)|title|description|default|additionalProperties)$", word)) {
        die("is not known here", word);
    }
}

static void check_node(Editor *e, const yaml_node_t *schema, const yaml_node_t *node)
{
    for (yaml_node_pair_t *pair = schema->data.mapping.pairs.start; pair < schema->data.mapping.pairs.top; pair++) {
        check_word(e, schema, text_of(node_at(&e->schema, pair->key)), node_at(&e->schema, pair->value), node);
    }
}

/* ---- the schema itself ---- */

/* All that is listed, whether one of the files has it or a person is told about it. */
static void list_nodes(Editor *e, const yaml_node_t *schema, const char *path, bool keys)
{
    static const char *const groups[] = {"properties", "$defs"};
    const yaml_node_t *ref = member(&e->schema, schema, "$ref");
    const yaml_node_t *text = member(&e->schema, schema, "description");
    text = text == NULL && ref != NULL ? member(&e->schema, target_of(e, text_of(ref)), "description") : text;
    if (!keys) {
        printf("%s %s\n", path, text != NULL && text_of(text)[0] != '\0' ? "described" : "bare");
    }
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        const yaml_node_t *group = member(&e->schema, schema, groups[i]);
        for (yaml_node_pair_t *pair = group != NULL ? group->data.mapping.pairs.start : NULL;
             group != NULL && pair < group->data.mapping.pairs.top; pair++) {
            const yaml_node_t *below = node_at(&e->schema, pair->value);
            char name[1024];
            bool used = false;
            snprintf(name, sizeof name, "%s/%s", path, text_of(node_at(&e->schema, pair->key)));
            for (size_t k = 0; k < e->used.count; k++) {
                used = used || e->used.schemas[k] == below;
            }
            if (keys && i == 0) {
                printf("%s %s\n", name, used ? "used" : "unused");
            }
            list_nodes(e, below, name, keys);
        }
    }
    const yaml_node_t *items = member(&e->schema, schema, "items");
    if (items != NULL && !keys) {
        char name[1024];
        snprintf(name, sizeof name, "%s[]", path);
        list_nodes(e, items, name, keys);
    }
}

int main(int argc, char **argv)
{
    static Editor e;
    const bool check = argc > 1 && strcmp(argv[1], "check") == 0;
    if (argc < 3) {
        die("editor nodes | keys | check SCHEMA FILE...", "usage");
    }
    load(&e.schema, argv[2]);
    for (int i = 3; i < argc; i++) {
        load(&e.file, argv[i]);
        e.wrong[0] = '\0';
        check_node(&e, node_at(&e.schema, 1), node_at(&e.file, 1));
        if (check) {
            printf("%s %s\n", argv[i], e.wrong[0] == '\0' ? "taken" : e.wrong);
        }
        yaml_document_delete(&e.file.document);
    }
    if (!check) {
        list_nodes(&e, node_at(&e.schema, 1), "#", strcmp(argv[1], "keys") == 0);
    }
    yaml_document_delete(&e.schema.document);
    return 0;
}
