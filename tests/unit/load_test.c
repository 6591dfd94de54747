/* SPDX-License-Identifier: MIT */
/*
 * Tests of the loader on good files: what arrives in the structs, empty against absent, positions of loaded fields,
 * input that is not a plain file, time that does not grow faster than the input. Bad files are in tests/errors/shape.
 */
#include <stdlib.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "gen/yaml/front.h"

typedef struct Case {
    Arena arena;
    Diag diag;
    Source source;
} Case;

static bool load(Case *one, const char *text, size_t length)
{
    arena_init(&one->arena);
    diag_init(&one->diag, &one->arena);
    one->source = (Source){.name = "f.yaml", .text = arena_copy(&one->arena, text, length), .length = length};
    return source_load(&one->arena, &one->diag, &one->source);
}

static const Spec *must_load(Case *one, const char *text)
{
    if (!check(load(one, text, strlen(text)), "loads") || !one->source.spec) {
        printf("# %s\n", one->diag.first ? one->diag.first->message : "no message");
        exit(1);
    }
    return one->source.spec;
}

static bool is_refused(const char *text, const char *code)
{
    Case one;
    bool refused = !load(&one, text, strlen(text)) && one.diag.first && strcmp(one.diag.first->code, code) == 0;

    arena_release(&one.arena);
    return refused;
}

#define GRAPH_HEAD "wrapgen: 1\ngraphs:\n- name: g\n  mode: training\n"

/* ---- what arrives ---- */

static const char full[] =
    GRAPH_HEAD "  compiled: \"k\"\n"
               "  keep_input_mutations: false\n"
               "  disable_amp: 'true'\n"
               "  grad_enabled_mutation: null\n"
               "  tokens: 007\n"
               "  rng: none\n"
               "  inputs:\n"
               "  - &anchor {name: x, size: [s0*4, (s0+1)//2, -1], kind: int, wait: ['', a.b]}\n"
               "  - name: y\n"
               "    stream: null\n"
               "    subclass: {type: T, inner: [{attr: a, type: U, inner: [{attr: b}]}, {attr: c}]}\n"
               "  outputs:\n"
               "  - {name: z, type: unsafe_view_alias, view: [{op: t}, {op: narrow, length: 2}]}\n"
               "kernels:\n"
               "- name: m\n"
               "  args: [{name: a, kind: 'null', constexpr: true, default: 1e3},\n"
               "         {name: l, kind: list, of: {kind: tuple, items: [{kind: dtype}]}}]\n";

static void test_values(void)
{
    Case one;
    const Spec *spec = must_load(&one, full);
    const SpecGraph *graph = &spec->graphs[0];
    const SpecInput *input = graph->inputs;
    const SpecArg *args = spec->kernels[0].args;

    check_text(spec->wrapgen, "1", "an integer arrives as text");
    check(spec->prefix == NULL && spec->symbols == NULL, "what is absent is null");
    check(spec->graphs_count == 1 && spec->kernels_count == 1, "counts");
    check(graph->mode == SPEC_TRAINING && graph->rng == SPEC_RNG_NONE && graph->check == SPEC_CHECK_UNSET, "words");
    check(graph->keep_input_mutations == SPEC_FALSE && graph->disable_amp == SPEC_TRUE &&
              graph->consume_inputs == SPEC_UNSET && graph->grad_enabled_mutation == SPEC_NULL,
          "booleans: false, quoted true, absent, null");
    check_text(graph->compiled, "k", "a quoted name");
    check_text(graph->tokens.text, "007", "integers are not read here");
    check(input[0].size.text_count == 3 && strcmp(input[0].size.text[1], "(s0+1)//2") == 0 &&
              strcmp(input[0].size.text[2], "-1") == 0,
          "a list of expressions");
    check(input[0].kind == SPEC_INT && input[0].wait.text_count == 2 && *input[0].wait.text[0] == '\0',
          "an empty text in quotes");
    check_text(input[1].stream, "null", "null where it may stand");
    check_text(input[1].subclass->inner[0].inner[0].attr, "b", "subclasses nest");
    check(input[1].subclass->inner_count == 2 && input[1].subclass->inner[1].inner == NULL, "a leaf has no attributes");
    check(graph->outputs[0].type == SPEC_UNSAFE_VIEW_ALIAS && graph->outputs[0].view[0].op == SPEC_VIEW_T &&
              graph->outputs[0].view[1].op == SPEC_VIEW_NARROW,
          "output types and view operations");
    check(args[0].kind == SPEC_ALWAYS_NULL && args[0].constexpr_value == SPEC_TRUE, "keys that are words of C");
    check_text(args[0].default_value, "1e3", "a default");
    check(args[1].of->kind == SPEC_TUPLE && args[1].of->items[0].kind == SPEC_DTYPE, "arguments nest");
    arena_release(&one.arena);
}

/* ---- empty and absent ---- */

static void test_empty_lists(void)
{
    static const char *const spellings[] = {
        "[]", "[ ]", "[\n]", "[ # nothing\n ]", "[\n\n   ]", "&a []",
    };

    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        Case one;
        char text[400];
        const SpecInput *input = NULL;
        snprintf(text, sizeof text,
                 GRAPH_HEAD
                 "  inputs:\n  - {name: x, size: %s, stride: [1]}\n  - name: y\n    wait: %s\n  outputs: []\n",
                 spellings[i], spellings[i]);
        input = must_load(&one, text)->graphs[0].inputs;
        check(input[0].size.text != NULL && input[0].size.text_count == 0, "empty, inside brackets: %zu", i);
        check(input[1].wait.text != NULL && input[1].wait.text_count == 0, "empty, after a key: %zu", i);
        check(input[1].size.text == NULL && input[0].wait.text == NULL, "absent is null next to them: %zu", i);
        check(input[0].stride.text_count == 1, "a list with an entry: %zu", i);
        arena_release(&one.arena);
    }
}

/* What libcyaml accepts silently. Each is alone in its file, so that nothing else makes the loader look twice. */
static void test_blurred(void)
{
    check(is_refused("wrapgen: 1\nhost: null\n", "E_NULL"), "null is not a name");
    check(is_refused("wrapgen: 1\nhost: ~\n", "E_NULL"), "a tilde is not a name");
    check(is_refused("wrapgen: 1\nhost: Null\n", "E_NULL"), "Null is not a name");
    check(is_refused("wrapgen: 1\nhost: NULL\n", "E_NULL"), "NULL is not a name");
    check(is_refused("wrapgen: 1\nhost:\n", "E_NULL"), "nothing is not a name");
    check(is_refused("wrapgen: 1\nprefix:\n", "E_NULL"), "nothing is not an ");
    check(is_refused("wrapgen: 1\nprefix: # none\n", "E_NULL"), "a comment is not an ");
    check(is_refused("prefix: ~\nwrapgen: 1\n", "E_NULL"), "a tilde is not a text");
    check(is_refused("{prefix: , wrapgen: 1}\n", "E_NULL"), "nothing inside brackets is not a text");
    check(is_refused("wrapgen: &a 1\nprefix: *a\n", "E_ALIAS"), "an alias");
    check(is_refused("wrapgen: !t 1\n", "E_TAG"), "a tag");
    check(is_refused("wrapgen: !!str 1\n", "E_TAG"), "a tag of YAML");
    check(is_refused("wrapgen: ! 1\n", "E_TAG"), "a tag without a name");
    check(is_refused("!t\nwrapgen: 1\n", "E_TAG"), "a tag of the document");
    check(is_refused("[wrapgen]: 1\n", "E_KIND"), "a key that is a list");
    check(is_refused("wrapgen: 1\n---\nwrapgen: 1\n", "E_DOCUMENT"), "a second document");
    check(is_refused("wrapgen: 1\n...\n---\n]\n", "E_DOCUMENT"), "a second document that is broken");
    check(is_refused("wrapgen: 1\nprefix: \"a\\0b\"\n", "E_BYTES"), "a zero byte by way of an escape");
    check(is_refused("wrapgen: 1\nprefix: \"a\\x00b\"\n", "E_BYTES"), "a zero byte by way of a longer escape");
    check(is_refused("wrapgen: 1\nprefix: \"a\\u0000b\"\n", "E_BYTES"), "a zero byte as a Unicode escape");
    check(is_refused("wrapgen: 1\n\"prefix\\0\": b\n", "E_BYTES"), "a zero byte in a key");
    check(is_refused("\xEF\xBB\xBF", "E_EMPTY"), "nothing but a byte order mark");
}

static void test_harmless(void)
{
    static const char *const texts[] = {
        "wrapgen: 1\nprefix: ''\n",
        "wrapgen: 1\nprefix: \"\"",
        "%YAML 1.1\n---\nwrapgen: 1\n",
        "%YAML 1.2\n---\nwrapgen: 1\n...\n",
        "--- {wrapgen: 1}\n",
        "\xEF\xBB\xBFwrapgen: 1\n",
        "wrapgen: 1\r\nprefix: a\r\n",
        "? wrapgen\n: 1\n",
        "wrapgen: &a 1\n",
        "\"wrapgen\": '1' # !tag *alias []\n",
        "wrapgen: 1\nprefix: \"\\x61\\t\"\n",
        "wrapgen: 1\nprefix: |\n  a [[[\n   \"\n",
        "wrapgen: 1\nprefix: it's \"[ not\n  closed\n",
        "wrapgen:\t1\n",
        "wrapgen: 1\nprefix: \xC3\xA9\xE6\x95\xB0\xF0\x9F\x98\x80\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        Case one;
        const Spec *spec = must_load(&one, texts[i]);
        check_text(spec->wrapgen, "1", "harmless YAML");
        arena_release(&one.arena);
    }
}

/* ---- positions ---- */

/* Lines are numbered so that the places below can be read off. */
static const char places_text[] = "wrapgen: 1\n"                                         /* 1 */
                                  "graphs:\n"                                            /* 2 */
                                  "- name: \"g\"\n"                                      /* 3 */
                                  "  mode: inference\n"                                  /* 4 */
                                  "  inputs:\n"                                          /* 5 */
                                  "  - {name: x, size: [s0, 64], value: 7, dtype: f}\n"  /* 6 */
                                  "  - size: [ ]\n"                                      /* 7 */
                                  "    name: y\n"                                        /* 8 */
                                  "    subclass:\n"                                      /* 9 */
                                  "      type: T\n"                                      /* 10 */
                                  "      inner: [{attr: a, size: [1, 22]}, {attr: b}]\n" /* 11 */
                                  "  outputs:\n"                                         /* 12 */
                                  "  - name: z\n"                                        /* 13 */
                                  "    type: is_input\n"                                 /* 14 */
                                  "    base: \xC3\xA9\xC3\xA9\n"                         /* 15 */
                                  "    dynamic_dims: [0,\n"                              /* 16 */
                                  "      1]\n";                                          /* 17 */

typedef struct Expected {
    DiagPlace place;
    size_t line;
    size_t column;
    size_t length;
    const char *path;
} Expected;

/* A part of a scalar: characters to skip, characters to underline. */
static DiagPlace part_of(const void *field, size_t skipped, size_t length)
{
    DiagPlace place = diag_value(field);

    place.column = skipped;
    place.length = length;
    return place;
}

static void check_places(Case *one, const Expected *expected, size_t count)
{
    for (size_t i = count; i-- > 0;) { /* in an order that is not the file's */
        DiagMessage *message = diag_report(&one->diag, DIAG_ERROR, "E_X", expected[i].place, "%zu", i);
        diag_note(&one->diag, message, expected[i].place, "the same");
    }
    source_resolve(&one->arena, &one->diag, &one->source, 1);
    for (const DiagMessage *message = one->diag.first; message; message = message->next) {
        const Expected *wanted = &expected[strtoul(message->message, NULL, 10)];
        const DiagPlace *place = &message->place;
        if (!check(place->part == DIAG_POSITION && place->line == wanted->line && place->column == wanted->column &&
                       place->length == wanted->length && strcmp(place->path, wanted->path) == 0 &&
                       message->notes->place.column == wanted->column,
                   "place %s: %s", message->message, wanted->path)) {
            printf("#   expected %zu:%zu:%zu %s, got %zu:%zu:%zu %s\n", wanted->line, wanted->column, wanted->length,
                   wanted->path, place->line, place->column, place->length, place->path ? place->path : "-");
        }
    }
}

static void test_places(void)
{
    Case one;
    const Spec *spec = must_load(&one, places_text);
    const SpecGraph *graph = &spec->graphs[0];
    const SpecInput *x = &graph->inputs[0];
    const SpecInput *y = &graph->inputs[1];
    const SpecOutput *z = &graph->outputs[0];
    const Expected expected[] = {
        {diag_value(&spec->wrapgen), 1, 10, 1, "wrapgen"},
        {diag_key(&spec->graphs), 2, 1, 6, "graphs"},
        {diag_value(&spec->graphs), 3, 1, 1, "graphs"},
        {diag_value(&spec->prefix), 1, 1, 1, ""}, /* absent: the mapping's start */
        {diag_mapping(spec), 1, 1, 7, ""},        /* a mapping of several lines: its first key */
        {diag_mapping(graph), 3, 3, 4, "graphs[0]"},
        {diag_value(&graph->name), 3, 9, 3,
         "graphs[0].name"}, /* with its quotes; the same address as the line before */
        {diag_key(&graph->name), 3, 3, 4, "graphs[0].name"},
        {diag_value(&graph->mode), 4, 9, 9, "graphs[0].mode"},
        {diag_key(&graph->compiled), 3, 3, 1, "graphs[0]"},
        {diag_mapping(x), 6, 5, 45, "graphs[0].inputs[0]"}, /* on one line: all of it */
        {diag_value(&x->name), 6, 12, 1, "graphs[0].inputs[0].name"},
        {diag_value(&x->size), 6, 21, 8, "graphs[0].inputs[0].size"}, /* the list */
        {diag_value(&x->size.text), 6, 21, 8, "graphs[0].inputs[0].size"},
        {diag_key(&x->size), 6, 15, 4, "graphs[0].inputs[0].size"},
        {diag_value(&x->size.text[0]), 6, 22, 2, "graphs[0].inputs[0].size[0]"},
        {diag_value(&x->size.text[1]), 6, 26, 2, "graphs[0].inputs[0].size[1]"},
        {diag_value(&x->value), 6, 38, 1, "graphs[0].inputs[0].value"},
        {diag_value(&x->dtype), 6, 48, 1, "graphs[0].inputs[0].dtype"},
        {diag_value(&y->size), 7, 11, 3, "graphs[0].inputs[1].size"}, /* an empty list */
        {diag_value(&y->subclass), 10, 7, 4, "graphs[0].inputs[1].subclass"},
        {diag_mapping(y->subclass), 10, 7, 4, "graphs[0].inputs[1].subclass"},
        {diag_key(&y->subclass), 9, 5, 8, "graphs[0].inputs[1].subclass"},
        {diag_value(&y->subclass->attr), 10, 7, 1, "graphs[0].inputs[1].subclass"},
        {diag_mapping(&y->subclass->inner[1]), 11, 41, 9, "graphs[0].inputs[1].subclass.inner[1]"},
        {diag_value(&y->subclass->inner[0].size.text[1]), 11, 35, 2, "graphs[0].inputs[1].subclass.inner[0].size[1]"},
        {diag_value(&y->stride), 7, 5, 1, "graphs[0].inputs[1]"},
        {diag_value(&z->base), 15, 11, 2, "graphs[0].outputs[0].base"},
        {part_of(&z->base, 1, 1), 15, 12, 1, "graphs[0].outputs[0].base"},
        {part_of(&graph->mode, 2, 0), 4, 11, 7, "graphs[0].mode"}, /* to its end */
        {part_of(&graph->name, 0, 1), 3, 10, 1, "graphs[0].name"}, /* inside its quotes */
        {diag_value(&z->dynamic_dims), 16, 19, 1, "graphs[0].outputs[0].dynamic_dims"},
        {diag_value(&z->dynamic_dims.text[1]), 17, 7, 1, "graphs[0].outputs[0].dynamic_dims[1]"},
    };

    check_places(&one, expected, sizeof expected / sizeof expected[0]);
    arena_release(&one.arena);
}

static void test_several_sources(void)
{
    static const char *const texts[] = {"wrapgen: 1\nprefix: a\n", "prefix: b\nwrapgen: 1\n", "\n\nwrapgen: 1\n"};
    static const int nothing = 0;
    Arena arena;
    Diag diag;
    Source sources[3];

    arena_init(&arena);
    diag_init(&diag, &arena);
    for (size_t i = 0; i < 3; i++) {
        sources[i] =
            (Source){.name = arena_printf(&arena, "%zu.yaml", i), .text = texts[i], .length = strlen(texts[i])};
        check(source_load(&arena, &diag, &sources[i]), "source %zu loads", i);
    }
    diag_report(&diag, DIAG_ERROR, "E_X", diag_value(&sources[2].spec->wrapgen), "in the last");
    diag_report(&diag, DIAG_ERROR, "E_X", diag_value(&sources[1].spec->prefix), "in the second");
    diag_report(&diag, DIAG_ERROR, "E_X", diag_value(&nothing), "nowhere");
    source_resolve(&arena, &diag, sources, 3);
    check(strcmp(diag.first->place.file, "2.yaml") == 0 && diag.first->place.line == 3, "a place of the last file");
    check(strcmp(diag.first->next->place.file, "1.yaml") == 0 && diag.first->next->place.line == 1,
          "a place of the second file");
    check(diag.last->place.part == DIAG_NOWHERE && diag.last->place.line == 0 && !diag.last->place.file,
          "an address that no file loaded");
    arena_release(&arena);
}

/* ---- what is read ---- */

static bool reads(const char *path, size_t length, const char *message)
{
    Arena arena;
    Diag diag;
    Source source;
    bool same = false;

    arena_init(&arena);
    diag_init(&diag, &arena);
    if (source_read(&arena, &diag, path, &source)) {
        same = !message && source.length == length && source.text[length] == '\0';
    } else {
        same = message && diag.num_errors == 1 && strstr(diag.first->message, message) &&
               strcmp(diag.first->code, "E_IO") == 0 && strcmp(diag.first->place.file, path) == 0;
    }
    arena_release(&arena);
    return same;
}

/* Standard input becomes a pipe with `length` bytes. */
static void feed_pipe(size_t length)
{
    int ends[2];

    fflush(stdout);
    if (pipe(ends) != 0) {
        exit(1);
    }
    if (fork() == 0) {
        close(ends[0]);
        for (size_t i = 0; i < length; i++) {
            if (write(ends[1], "x", 1) != 1) {
                _exit(1);
            }
        }
        _exit(0);
    }
    close(ends[1]);
    if (dup2(ends[0], 0) != 0) {
        exit(1);
    }
    close(ends[0]);
}

static void test_reading(void)
{
    static const off_t sizes[] = {0, 1, 65535, 65536, 65537, 300000};
    char path[] = "/tmp/wrapgen-load-test-XXXXXX";
    int file = mkstemp(path);

    if (file < 0) {
        check(false, "a temporary file");
        return;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check(ftruncate(file, sizes[i]) == 0 && reads(path, (size_t)sizes[i], NULL), "a file of %ld bytes",
              (long)sizes[i]);
    }
    check(ftruncate(file, (off_t)1 << 33) == 0 && reads(path, 0, "larger than 2 GiB"), "a file of 8 GiB");
    close(file);
    unlink(path);
    check(reads(path, 0, "No such file"), "a file that is not there");
    check(reads("/tmp", 0, "is a directory"), "a directory");
    check(reads("/dev/null", 0, NULL), "a device that is empty");
    check(reads("/dev/zero", 0, "is a device, not a file"), "a device that never ends");
    feed_pipe(200000);
    check(reads("-", 200000, NULL), "standard input");
    feed_pipe(70000);
    check(reads("/dev/stdin", 70000, NULL), "a pipe by its name");
    /* root may read all: as nobody, then, whose number is 65534 */
    const uid_t user = geteuid();
    file = open(path, O_CREAT | O_WRONLY, 0);
    close(file);
    if (user != 0 || seteuid(65534) == 0) {
        check(reads(path, 0, "Permission denied"), "a file that may not be read");
    }
    check(user != 0 || seteuid(user) == 0, "... and back");
    unlink(path);
}

/* ---- time ---- */

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time); /* others may use the machine, too */
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* head, `count` times the unit (in which %zu is its number), tail */
static void check_time(const char *name, const char *head, const char *before, const char *after, const char *tail,
                       size_t bytes)
{
    Arena arena;
    Case one;
    Str text;
    Str out;
    double begin = 0;
    double seconds = 0;

    arena_init(&arena);
    text = str_new(&arena);
    str_puts(&text, head);
    for (size_t i = 0; text.length < bytes; i++) {
        str_printf(&text, "%s%zu%s", before, i, after);
    }
    str_puts(&text, tail);
    begin = now();
    (void)load(&one, str_text(&text), text.length);
    out = str_new(&one.arena);
    diag_render(&one.diag, &(DiagFile){"f.yaml", one.source.text, one.source.length}, 1, false, &out);
    seconds = now() - begin;
    check(seconds < 3.0, "%zu bytes of %s take %.2f s", text.length, name, seconds);
    arena_release(&one.arena);
    arena_release(&arena);
}

/* Half a megabyte of each. libcyaml and libyaml alone need from ten seconds to minutes for most of these, as they work
 * in quadratic time and more; a linear walk needs some 0.02 s, with sanitizers ten times that. */
static void test_time(void)
{
    const size_t size = 500 * 1000;

    check_time("open lists", "wrapgen: 1\nprefix: ", "[", ",[", "", size);
    check_time("open mappings", "wrapgen: 1\nprefix: ", "{a", ": ", "", size);
    check_time("lists below lists", "wrapgen: 1\nprefix:\n ", "- ", "\n - ", "\n", size);
    check_time("nested attributes", "wrapgen: 1\ngraphs: [{inputs: [{subclass: {inner: [", "{attr: a", ", inner: [", "",
               size);
    check_time("anchors", "wrapgen: 1\nsymbols:\n", "- &a", " {name: a}\n", "", size);
    check_time("aliases", "wrapgen: 1\nsymbols:\n- &a {name: a}\n", "- {name: n", ", min: *a}\n", "", size);
    check_time("anchors and aliases", "wrapgen: 1\nsymbols:\n", "- &a", " {name: *a}\n", "", size);
    check_time("tag directives", "", "%TAG !t", "! tag:example.org,2000:\n", "---\nwrapgen: 1\n", size);
    check_time("one long key", "wrapgen: 1\n", "k", "", ": 1\n", size);
    check_time("one long word", "wrapgen: 1\nprefix: ", "k", "", "\n", size);
    check_time("one long line of errors", "{wrapgen: 1, symbols: [", "{nam: s", "}, ", "]}\n", size);
    check_time("one long line of doubled keys", "{wrapgen: 1, symbols: [", "{name: s", ", name: t}, ", "]}\n", size);
    check_time("unknown keys", "wrapgen: 1\n", "k", ": 1\n", "", size);
    check_time("empty lists", "wrapgen: 1\nkernels:\n", "- {name: k", ", args: []}\n", "", size);
    check_time("documents", "wrapgen: 1\n", "---\na: ", "\n", "", size);
    check_time("combining marks", "{wrapgen: 1, a: 1, b: \"", "\xCC\x81", "\xCC\x81\xCC\x81\xCC\x81", "\", c: 1}",
               size);
}

/* Twenty thousand messages and notes about one line, in an order that is not the file's. */
static void test_time_of_places(void)
{
    enum { COUNT = 10000 };
    Arena arena;
    Case one;
    Str text;
    Str out;
    const Spec *spec = NULL;
    double begin = 0;

    arena_init(&arena);
    text = str_new(&arena);
    str_puts(&text, "{wrapgen: 1, symbols: [");
    for (int i = 0; i < COUNT; i++) {
        str_printf(&text, "{name: s%d}, ", i);
    }
    str_puts(&text, "]}");
    begin = now();
    spec = must_load(&one, str_text(&text));
    for (int i = 0; i < COUNT; i++) {
        const SpecSymbol *symbol = &spec->symbols[i * 7919L % COUNT];
        DiagMessage *message = diag_report(&one.diag, DIAG_ERROR, "E_X", diag_value(&symbol->name), "m");
        diag_note(&one.diag, message, diag_mapping(&spec->symbols[COUNT - 1 - i]), "n");
    }
    source_resolve(&one.arena, &one.diag, &one.source, 1);
    diag_sort(&one.diag);
    out = str_new(&one.arena);
    diag_render(&one.diag, &(DiagFile){"f.yaml", one.source.text, one.source.length}, 1, false, &out);
    check(now() - begin < 3.0, "%d messages about one line take %.2f s", COUNT, now() - begin);
    check(one.diag.last->place.column ==
              strlen("{wrapgen: 1, symbols: [") + 12 * 10 + 13 * 90 + 14 * 900 + 15 * 9000 - strlen("s9999}, ") + 1,
          "the last one is at the last name");
    arena_release(&one.arena);
    arena_release(&arena);
}

int main(void)
{
    test_values();
    test_empty_lists();
    test_blurred();
    test_harmless();
    test_places();
    test_several_sources();
    test_reading();
    test_time();
    test_time_of_places();
    return check_done();
}
