/* SPDX-License-Identifier: MIT */
/*
 * Tests of gen/render/mustache.c and its parts through their C interface, for what tests/conformance cannot say in a
 * template: numbers of names, objects and lists as they grow, what the loader is asked for and when, limits of depth.
 */
#include <stdlib.h>

#include "gen/render/mustache.h"
#include "tests/unit/check.h"

typedef struct Source {
    const char *name;
    const char *text;
} Source;

typedef struct Run {
    Arena arena;
    Diag diag;
    MustacheEngine *engine;
    Source sources[4];
    int num_loads;
    Str out;
} Run;

static bool load(void *ctx, const char *name, const char **text, size_t *length, const char **file)
{
    Run *run = ctx;

    run->num_loads++;
    for (size_t i = 0; i < 4 && run->sources[i].name; i++) {
        if (strcmp(run->sources[i].name, name) == 0) {
            *text = run->sources[i].text;
            *length = strlen(*text);
            *file = name;
            return true;
        }
    }
    return false;
}

static void start(Run *run, const char *main_text, bool strict)
{
    MustacheConfig config = {.loader = load, .loader_ctx = run, .strict = strict};

    memset(run, 0, sizeof *run);
    diag_init(&run->diag, &run->arena);
    run->engine = mustache_new(&run->arena, &run->diag, &config);
    run->out = str_new(&run->arena);
    run->sources[0] = (Source){"main", main_text};
}

static Value object_with(Run *run, const char *key, Value value)
{
    Value object = value_object(&run->arena, 0);

    value_set(&run->arena, object, mustache_intern(run->engine, key), value);
    return object;
}

static void test_names(void)
{
    Run run;
    bool kept = true;

    start(&run, "", false);
    check(mustache_intern(run.engine, "first") == 0 && mustache_intern(run.engine, "second") == 1 &&
              mustache_intern(run.engine, "first") == 0 && mustache_intern(run.engine, "") == 2,
          "names are numbered in the order in which they come");
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            kept = mustache_intern(run.engine, arena_printf(&run.arena, "name%u", i)) == i + 3 && kept;
        }
    }
    check(kept, "5000 of them keep their numbers");
    arena_release(&run.arena);
}

static void test_values(void)
{
    Run run;
    Value object;
    Value list;
    uint32_t key = 0;

    start(&run, "{{k7}} {{k199}} {{#l}}{{.}},{{/l}}", true);
    object = value_object(&run.arena, 1);
    list = value_list(&run.arena);
    for (int i = 0; i < 200; i++) {
        key = mustache_intern(run.engine, arena_printf(&run.arena, "k%d", i));
        value_set(&run.arena, object, key, value_text(arena_printf(&run.arena, "%d", i)));
    }
    value_set(&run.arena, object, key, value_text("again"));
    check(object.as.object->count == 200, "setting a key again replaces its value");
    for (int i = 0; i < 5; i++) {
        value_push(&run.arena, list, value_text_n("abcdef", (size_t)i));
    }
    value_set(&run.arena, object, mustache_intern(run.engine, "l"), list);
    check(mustache_render(run.engine, "main", object, &run.out), "an object of 200 keys and a list render");
    check_text(str_text(&run.out), "7 again ,a,ab,abc,abcd,", "with the values that were set last");
    arena_release(&run.arena);
}

static void test_loading(void)
{
    Run run;
    Value data;

    start(&run, "{{#l}}{{>p}}{{>*d}}{{>none}}{{/l}}", false);
    run.sources[1] = (Source){"p", "p"};
    run.sources[2] = (Source){"a", "a"};
    data = value_list(&run.arena);
    for (int i = 0; i < 10; i++) {
        value_push(&run.arena, data, value_null());
    }
    data = object_with(&run, "l", data);
    value_set(&run.arena, data, mustache_intern(run.engine, "d"), value_text_n("a\0b", 3));
    check(run.num_loads == 0, "nothing is loaded before it is needed");
    check(mustache_render(run.engine, "main", data, &run.out), "a list with partials renders");
    check_text(str_text(&run.out), "pppppppppp", "a name with a zero byte names nothing, not what stands before it");
    check(run.num_loads == 3, "each template is asked for once, also the one that is not there (%d)", run.num_loads);
    value_set(&run.arena, data, mustache_intern(run.engine, "d"), value_text_n("abc", 1));
    check(mustache_render(run.engine, "main", data, &run.out) && run.num_loads == 4, "another value, another template");
    check_text(str_text(&run.out), "pppppppppppapapapapapapapapapa", "and rendering adds to what is there");
    check(!mustache_render(run.engine, "other", data, &run.out) && run.diag.num_errors == 1,
          "a template that is not there is an error, also where partials may be missing");
    arena_release(&run.arena);
}

/* `count` sections in each other. */
static char *nested(Arena *arena, int count)
{
    Str text = str_new(arena);

    for (int i = 0; i < count; i++) {
        str_puts(&text, "{{#t}}");
    }
    str_puts(&text, "x");
    for (int i = 0; i < count; i++) {
        str_puts(&text, "{{/t}}");
    }
    return text.data;
}

static void test_depth(void)
{
    Run run;
    Value data;
    Value list;

    start(&run, "", true);
    run.sources[0].text = nested(&run.arena, 1000);
    check(mustache_render(run.engine, "main", object_with(&run, "t", value_bool(true)), &run.out), "1000 sections");
    check_text(str_text(&run.out), "x", "in each other are the most");
    arena_release(&run.arena);

    start(&run, "", true);
    run.sources[0].text = nested(&run.arena, 1001);
    check(!mustache_render(run.engine, "main", object_with(&run, "t", value_bool(true)), &run.out) &&
              run.diag.first->place.column == 1000 * 6 + 1,
          "one more is an error");
    arena_release(&run.arena);

    start(&run, "{{#l}}{{#t}}{{>p}}{{$b}}{{/b}}{{/t}}{{^f}}.{{/f}}{{/l}}", true);
    run.sources[1] = (Source){"p", ""};
    list = value_list(&run.arena);
    for (int i = 0; i < 3000; i++) {
        value_push(&run.arena, list, value_null());
    }
    data = object_with(&run, "l", list);
    value_set(&run.arena, data, mustache_intern(run.engine, "t"), value_bool(true));
    value_set(&run.arena, data, mustache_intern(run.engine, "f"), value_bool(false));
    check(mustache_render(run.engine, "main", data, &run.out) && run.out.length == 3000,
          "one after the other, any number is allowed");
    arena_release(&run.arena);

    start(&run, "{{>p}}", true);
    run.sources[1] = (Source){"p", "{{>p}}{{>p}}"};
    check(!mustache_render(run.engine, "main", value_null(), &run.out) && run.diag.num_errors == 1,
          "a partial that brings itself twice ends as well");
    run.sources[1].text = "";
    arena_release(&run.arena);
}

/* The check sees what {{x}} writes and nothing else. */
static bool note_text(void *ctx, const char *text, size_t length, Str *out)
{
    str_printf(ctx, "[%.*s]", (int)length, text);
    str_add(out, text, length);
    return true;
}

static void test_check(void)
{
    Run run;
    Str seen;
    MustacheConfig config = {.loader = load, .check = note_text};
    Value data;

    start(&run, "{{a}}{{{a}}}{{&a}}{{n}}{{e}}{{a}}", false);
    seen = str_new(&run.arena);
    config.loader_ctx = &run;
    config.check_ctx = &seen;
    run.engine = mustache_new(&run.arena, &run.diag, &config);
    data = object_with(&run, "a", value_text("x"));
    value_set(&run.arena, data, mustache_intern(run.engine, "n"), value_null());
    value_set(&run.arena, data, mustache_intern(run.engine, "e"), value_text(""));
    check(mustache_render(run.engine, "main", data, &run.out), "a check that takes all");
    check_text(str_text(&run.out), "xxxx", "writes what it is given");
    check_text(str_text(&seen), "[x][][x]", "{{x}} alone is checked; null is not, an empty text is");
    arena_release(&run.arena);
}

/* The watch sees every byte once, with the origin of the innermost object that has one. */
static void note_origin(void *ctx, const void *origin, const char *text, size_t length)
{
    str_printf(ctx, "(%s:%.*s)", origin ? (const char *)origin : "-", (int)length, text);
}

static void test_watch(void)
{
    Run run;
    Str seen;
    MustacheConfig config = {.loader = load, .watch = note_origin};
    Value data, outer, inner;

    start(&run, "a{{#outer}}b{{>part}}e{{/outer}}{{#plain}}f{{/plain}}{{^plain}}{{/plain}}g", false);
    run.sources[1] = (Source){"part", "{{#list}}{{c}}{{/list}}d"};
    seen = str_new(&run.arena);
    config.loader_ctx = &run;
    config.watch_ctx = &seen;
    run.engine = mustache_new(&run.arena, &run.diag, &config);
    inner = object_with(&run, "c", value_text("1"));
    inner.as.object->origin = "in";
    outer = object_with(&run, "list", value_list(&run.arena));
    outer.as.object->origin = "out";
    value_push(&run.arena, outer.as.object->entries[0].value, inner);
    value_push(&run.arena, outer.as.object->entries[0].value, object_with(&run, "c", value_text("2")));
    data = object_with(&run, "outer", outer);
    value_set(&run.arena, data, mustache_intern(run.engine, "plain"), object_with(&run, "c", value_text("")));
    str_puts(&run.out, "what was there");
    check(mustache_render(run.engine, "main", data, &run.out), "a watch");
    check_text(str_text(&run.out), "what was thereab12defg", "changes nothing");
    check_text(str_text(&seen), "(-:a)(out:b)(in:1)(out:2de)(-:fg)", "and sees every piece with its origin");
    arena_release(&run.arena);
}

int main(void)
{
    test_names();
    test_values();
    test_loading();
    test_depth();
    test_check();
    test_watch();
    return check_done();
}
