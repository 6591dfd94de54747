/* SPDX-License-Identifier: MIT */
/*
 * Random templates for the engine: nothing may crash, run away or read where it should not, an error is reported
 * exactly when rendering fails, and what renders keeps three promises that need no second engine:
 *
 *   rendered again, it is the same;
 *   brought by a parent without arguments, it is the same;
 *   brought by an indented partial, each line that is not empty has the indentation before it, and nothing else
 * changes.
 *
 * With clang: clang -fsanitize=fuzzer,address,undefined ... ; the input is three templates with zero bytes between, and
 * one byte before them. With -DFUZZ_MAIN it is a program: mustache_fuzz [COUNT [SEED]] makes templates itself, most of
 * them well-formed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/diag.h"
#include "gen/render/mustache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NUM_TEMPLATES = 5, MAX_SIZE = 600 };

/* p, q and r come from the input; the other two bring p. */
typedef struct Templates {
    const char *text[NUM_TEMPLATES];
    size_t length[NUM_TEMPLATES];
} Templates;

static const char *const template_names[NUM_TEMPLATES] = {"p", "q", "r", "parent", "indented"};

static bool load(void *ctx, const char *name, const char **text, size_t *length, const char **file)
{
    const Templates *templates = ctx;

    for (size_t i = 0; i < NUM_TEMPLATES; i++) {
        if (strcmp(name, template_names[i]) == 0) {
            *text = templates->text[i];
            *length = templates->length[i];
            *file = template_names[i];
            return true;
        }
    }
    return false;
}

/* No value has a newline, so that the promise about indentation is simple. */
static Value make_data(Arena *arena, MustacheEngine *engine)
{
    Value root = value_object(arena, 0);
    Value list = value_list(arena);
    Value inner = value_object(arena, 0);
    uint32_t a = mustache_intern(engine, "a");
    uint32_t b = mustache_intern(engine, "b");

    value_set(arena, inner, b, value_text("B"));
    value_set(arena, inner, mustache_intern(engine, "t"), value_text("q"));
    value_push(arena, list, inner);
    value_push(arena, list, value_text("item"));
    value_push(arena, list, value_list(arena));
    value_set(arena, root, a, value_text("A"));
    value_set(arena, root, b, list);
    value_set(arena, root, mustache_intern(engine, "c"), inner);
    value_set(arena, root, mustache_intern(engine, "d"), value_bool(true));
    value_set(arena, root, mustache_intern(engine, "e"), value_null());
    value_set(arena, root, mustache_intern(engine, "t"), value_text("r"));
    return root;
}

static void promise(bool kept, const char *what, const Templates *templates)
{
    if (!kept) {
        fprintf(stderr, "broken promise: %s\n", what);
        for (size_t i = 0; i < 3; i++) {
            fprintf(stderr, "--- %s\n%.*s\n", template_names[i], (int)templates->length[i], templates->text[i]);
        }
        abort();
    }
}

static bool is_indented(const Str *plain, const Str *indented)
{
    const char *at = str_text(indented);
    const char *end = at + indented->length;
    bool start = true;

    for (size_t i = 0; i < plain->length; i++) {
        if (start && plain->data[i] != '\n') {
            if (end - at < 2 || at[0] != ' ' || at[1] != '\t') {
                return false;
            }
            at += 2;
        }
        if (at == end || *at++ != plain->data[i]) {
            return false;
        }
        start = plain->data[i] == '\n';
    }
    return at == end;
}

/* Whether p renders. */
static bool run(const Templates *templates, bool strict)
{
    Arena arena = {0};
    Diag diag;
    MustacheConfig config = {.loader = load, .strict = strict};
    MustacheEngine *engine = NULL;
    Str out[4];
    Value data;
    bool done = false;

    diag_init(&diag, &arena);
    config.loader_ctx = (void *)(uintptr_t)templates;
    engine = mustache_new(&arena, &diag, &config);
    data = make_data(&arena, engine);
    for (size_t i = 0; i < 4; i++) {
        out[i] = str_new(&arena);
    }
    done = mustache_render(engine, "p", data, &out[0]);
    promise(done == (diag.num_errors == 0), "an error is reported exactly when rendering fails", templates);
    if (done) {
        promise(mustache_render(engine, "p", data, &out[1]) && out[0].length == out[1].length &&
                    memcmp(str_text(&out[0]), str_text(&out[1]), out[0].length) == 0,
                "the same again", templates);
        promise(mustache_render(engine, "parent", data, &out[2]) && out[0].length == out[2].length &&
                    memcmp(str_text(&out[0]), str_text(&out[2]), out[0].length) == 0,
                "the same in a parent", templates);
        promise(mustache_render(engine, "indented", data, &out[3]), "an indented partial renders", templates);
        promise(memchr(str_text(&out[0]), '\r', out[0].length) || is_indented(&out[0], &out[3]),
                "an indented partial is indented", templates);
    }
    arena_release(&arena);
    return done;
}

static Templates around(void)
{
    Templates templates = {.text = {"", "", "", "{{<p}}{{/p}}", " \t{{>p}}\n"}};

    templates.length[3] = strlen(templates.text[3]);
    templates.length[4] = strlen(templates.text[4]);
    return templates;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Templates templates = around();
    char *copy = NULL; /* of its exact size, so that reading past its end is found */
    size_t start = 1;

    if (size == 0 || size > MAX_SIZE) {
        return 0;
    }
    copy = malloc(size);
    memcpy(copy, data, size);
    for (size_t i = 0; i < 3; i++) {
        const char *end = i < 2 && start < size ? memchr(copy + start, '\0', size - start) : NULL;
        templates.text[i] = copy + start;
        templates.length[i] = end ? (size_t)(end - copy) - start : size - start;
        start += templates.length[i] + (end != NULL);
    }
    run(&templates, data[0] & 1);
    free(copy);
    return 0;
}

#ifdef FUZZ_MAIN

static void add_piece(Str *str, int depth)
{
    static const char *const leaves[] = {
        "x",         "y z",      "\n",      "\n",    "  ",       "    ",       "\n  ",         "{{a}}",
        "{{{b}}}",   "{{&c.b}}", "{{.}}",   "{{e}}", "{{none}}", "{{>q}}",     "{{>r}}",       "{{>*t}}",
        "{{>none}}", "{{!c}}",   "{{!\n}}", "\n\n",  ";",        "\n{{>q}}\n", "\n  {{>r}}\n", "\n\t{{>*t}}\n"};
    static const char *const names[] = {"a", "b", "c", "d", "e", "b", "c.b", "."};
    static const char *const blocks[] = {"m", "n", "o"};
    const char *space = rand() % 3 ? "" : "\n  ";
    const char *behind = rand() % 3 ? "" : "\n";
    const char *name = names[rand() % 8];
    int what = depth > 0 ? rand() % 10 : 0;

    if (what < 6) {
        str_puts(str, leaves[rand() % (int)(sizeof leaves / sizeof leaves[0])]);
        return;
    }
    if (what == 8) {
        name = blocks[rand() % 3];
    } else if (what == 9) {
        name = rand() % 2 ? "q" : "r";
    }
    str_printf(str, "%s{{%c%s}}%s", space, "######^#$<"[what], name, behind);
    for (int i = rand() % 4; i > 0; i--) {
        if (what == 9) {
            str_printf(str, "{{$%s}}%s", blocks[i - 1], behind);
        }
        add_piece(str, depth - 1);
        if (what == 9) {
            str_printf(str, "{{/%s}}%s", blocks[i - 1], space);
        }
    }
    str_printf(str, "%s{{/%s}}%s", space, name, behind);
}

/* What is likely to break a parser, in any order. */
static void add_noise(Str *str)
{
    static const char *const noise[] = {
        "{{",     "}}",     "{{{", "}}}",  "{",    "}",        "{{=", "=}}", "{{=| |=}}", "|",
        "{{/a}}", "{{#a}}", "{{/", "\r\n", "\r",   ".",        "*",   "a",   "{{<q}}",    "{{/q}}",
        "{{$m}}", "{{/m}}", " ",   "\n",   "\x80", "\xc3\xa9", "{{!", "{{>*"};

    str_puts(str, noise[rand() % (int)(sizeof noise / sizeof noise[0])]);
}

int main(int num_args, char **args)
{
    int count = num_args > 1 ? atoi(args[1]) : 20000;
    int num_done = 0;

    srand(num_args > 2 ? (unsigned)atoi(args[2]) : 1);
    for (int i = 0; i < count; i++) {
        Arena arena = {0};
        Templates templates = around();
        for (size_t j = 0; j < 3; j++) {
            Str str = str_new(&arena);
            bool noisy = rand() % 20 == 0;
            for (int pieces = rand() % (noisy ? 20 : 6); pieces > 0; pieces--) {
                noisy ? add_noise(&str) : add_piece(&str, 4);
            }
            templates.text[j] = str_text(&str);
            templates.length[j] = str.length;
        }
        num_done += run(&templates, i % 4 == 0);
        arena_release(&arena);
    }
    printf("ok 1 - %d random templates\n", count);
    printf("%s 2 - %d of them rendered and kept their promises\n", num_done > count / 4 ? "ok" : "not ok", num_done);
    printf("%d passed, %d failed, 0 skipped\n", 1 + (num_done > count / 4), num_done <= count / 4);
    return num_done > count / 4 ? 0 : 1;
}

#endif /* FUZZ_MAIN */
