/* SPDX-License-Identifier: MIT */
/*
 * Runs files of Mustache tests, in the format of the official specification (https://github.com/mustache/spec): a
 * mapping with a list `tests`, each with name, data, template, partials, expected. Our own files may also say
 *
 *     strict: true         strict mode, where {{x}} accepts identifiers and numbers only
 *     errors: [...]        what is reported, instead of `expected`: "template:line:column: message", then notes, in
 * order
 *
 * Usage: mustache_spec FILE... ; without strict, {{x}} is escaped for HTML as the specification wants.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/render/mustache.h"
#include "gen/base/str.h"

static int num_passed;
static int num_failed;

static const yaml_node_t *field(yaml_document_t *document, const yaml_node_t *mapping, const char *key)
{
    if (!mapping || mapping->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top; pair++) {
        const yaml_node_t *name = yaml_document_get_node(document, pair->key);
        if (name->type == YAML_SCALAR_NODE && strcmp((const char *)name->data.scalar.value, key) == 0) {
            return yaml_document_get_node(document, pair->value);
        }
    }
    return NULL;
}

static const char *text_of(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strcmp(text, *words) == 0) {
            return true;
        }
    }
    return false;
}

/* Plain scalars have YAML's types; a number with a fraction is written the shortest way, as the specification expects.
 */
static Value scalar_value(Arena *arena, const yaml_node_t *node)
{
    static const char *const nulls[] = {"", "~", "null", NULL};
    static const char *const truths[] = {"true", NULL};
    static const char *const lies[] = {"false", NULL};
    const char *text = text_of(node);
    char *end = NULL;
    double number = 0;

    if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) {
        return value_text_n(text, node->data.scalar.length);
    }
    if (is_one_of(text, nulls)) {
        return value_null();
    }
    if (is_one_of(text, truths) || is_one_of(text, lies)) {
        return value_bool(is_one_of(text, truths));
    }
    number = strtod(text, &end);
    if (!*end && strchr(text, '.')) {
        return value_text(arena_printf(arena, "%.15g", number));
    }
    return value_text(text);
}

static Value value_of(Arena *arena, MustacheEngine *engine, yaml_document_t *document, const yaml_node_t *node)
{
    Value value = value_null();

    if (!node || node->type == YAML_NO_NODE) {
        return value_object(arena, 0);
    }
    if (node->type == YAML_SCALAR_NODE) {
        return scalar_value(arena, node);
    }
    if (node->type == YAML_SEQUENCE_NODE) {
        value = value_list(arena);
        for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
            value_push(arena, value, value_of(arena, engine, document, yaml_document_get_node(document, *item)));
        }
        return value;
    }
    value = value_object(arena, 0);
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        const char *key = text_of(yaml_document_get_node(document, pair->key));
        value_set(arena, value, mustache_intern(engine, key),
                  value_of(arena, engine, document, yaml_document_get_node(document, pair->value)));
    }
    return value;
}

static bool escape_html(void *ctx, const char *text, size_t length, Str *out)
{
    (void)ctx;
    for (size_t i = 0; i < length; i++) {
        const char *escaped = text[i] == '&'   ? "&amp;"
                              : text[i] == '<' ? "&lt;"
                              : text[i] == '>' ? "&gt;"
                              : text[i] == '"' ? "&quot;"
                                               : NULL;
        if (escaped) {
            str_puts(out, escaped);
        } else {
            str_putc(out, text[i]);
        }
    }
    return true;
}

static bool accept_tokens(void *ctx, const char *text, size_t length, Str *out)
{
    (void)ctx;
    for (size_t i = 0; i < length; i++) {
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", text[i])) {
            return false;
        }
    }
    str_add(out, text, length);
    return length > 0;
}

/* The test that is running. */
typedef struct Case {
    yaml_document_t *document;
    const yaml_node_t *test;
} Case;

static bool load(void *ctx, const char *name, const char **text, size_t *length, const char **file)
{
    const Case *current = ctx;
    const yaml_node_t *node = field(current->document, field(current->document, current->test, "partials"), name);

    if (strcmp(name, "/template") == 0) { /* no partial of the specification has such a name */
        node = field(current->document, current->test, "template");
        *file = "template";
    }
    if (!node) {
        return false;
    }
    *text = text_of(node);
    *length = node->data.scalar.length;
    return true;
}

static void add_place(Str *str, DiagPlace place)
{
    str_printf(str, "%s:%zu:%zu: ", place.file, place.line, place.column);
}

static void add_errors(Str *str, const Diag *diag)
{
    for (const DiagMessage *message = diag->first; message; message = message->next) {
        add_place(str, message->place);
        str_printf(str, "%s\n", message->message);
        for (const DiagNote *note = message->notes; note; note = note->next) {
            add_place(str, note->place);
            str_printf(str, "note: %s\n", note->message);
        }
    }
}

static void expected_errors(Str *str, yaml_document_t *document, const yaml_node_t *errors)
{
    for (yaml_node_item_t *item = errors->data.sequence.items.start; item < errors->data.sequence.items.top; item++) {
        str_printf(str, "%s\n", text_of(yaml_document_get_node(document, *item)));
    }
}

static void show(const char *what, const Str *str)
{
    printf("#   %s: ", what);
    for (size_t i = 0; i < str->length; i++) {
        printf(str->data[i] == '\n' ? "\\n" : "%c", str->data[i]);
    }
    printf("\n");
}

static void run_case(const char *file, yaml_document_t *document, const yaml_node_t *test)
{
    Arena arena;
    Diag diag;
    Case current = {.document = document, .test = test};
    const yaml_node_t *errors = field(document, test, "errors");
    bool strict = strcmp(text_of(field(document, test, "strict")), "true") == 0;
    MustacheConfig config = {.loader = load, .loader_ctx = &current, .strict = strict};
    MustacheEngine *engine = NULL;
    Str expected;
    Str got;
    bool good = false;

    config.check = strict ? accept_tokens : escape_html;
    arena_init(&arena);
    diag_init(&diag, &arena);
    expected = str_new(&arena);
    got = str_new(&arena);
    engine = mustache_new(&arena, &diag, &config);
    good =
        mustache_render(engine, "/template", value_of(&arena, engine, document, field(document, test, "data")), &got);
    if (!good) {
        got.length = 0;
    }
    add_errors(&got, &diag);
    if (errors) {
        expected_errors(&expected, document, errors);
    } else {
        str_puts(&expected, text_of(field(document, test, "expected")));
    }
    good = good == !errors && strcmp(str_text(&got), str_text(&expected)) == 0 && got.length == expected.length;
    num_passed += good;
    num_failed += !good;
    printf("%s %d - %s: %s\n", good ? "ok" : "not ok", num_passed + num_failed, file,
           text_of(field(document, test, "name")));
    if (!good) {
        show("expected", &expected);
        show("got     ", &got);
    }
    arena_release(&arena);
}

static bool run_file(const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    FILE *file = fopen(path, "rb");
    yaml_parser_t parser;
    yaml_document_t document;
    const yaml_node_t *tests = NULL;
    bool read = false;

    if (!file || !yaml_parser_initialize(&parser)) {
        perror(path);
        return false;
    }
    yaml_parser_set_input_file(&parser, file);
    read = yaml_parser_load(&parser, &document) != 0;
    if (read) {
        tests = field(&document, yaml_document_get_root_node(&document), "tests");
        for (yaml_node_item_t *item = tests ? tests->data.sequence.items.start : NULL;
             tests && item < tests->data.sequence.items.top; item++) {
            run_case(name, &document, yaml_document_get_node(&document, *item));
        }
        yaml_document_delete(&document);
    }
    if (!read || !tests) {
        printf("not ok %d - %s: cannot be read: %s, line %zu\n", num_passed + ++num_failed, name,
               parser.problem ? parser.problem : "no tests", parser.problem_mark.line + 1);
    }
    yaml_parser_delete(&parser);
    fclose(file);
    return read && tests;
}

int main(int num_args, char **args)
{
    for (int i = 1; i < num_args; i++) {
        if (!run_file(args[i])) {
            num_failed += num_failed == 0;
        }
    }
    printf("%d passed, %d failed, 0 skipped\n", num_passed, num_failed);
    return num_failed ? 1 : 0;
}
