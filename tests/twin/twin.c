/* SPDX-License-Identifier: MIT */
/*
 * twin - what a run writes and reports is the same, however much of it its twin renders.
 *
 *     twin FOLDER FILE...
 *
 * Each file is read twice: by a run that has no twin, and by one whose twin renders whatever it can. FOLDER is for what
 * they write.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/diag.h"
#include "gen/base/str.h"
#include "gen/gen.h"
#include "tests/unit/check.h"

/* The whole file, in the arena; null if there is none. */
static Str *read_text(Arena *arena, const char *path)
{
    Str *text = ARENA_NEW(arena, Str);
    FILE *file = fopen(path, "rb");
    *text = str_new(arena);
    if (file == NULL) {
        return NULL;
    }
    for (int c = getc(file); c != EOF; c = getc(file)) {
        str_putc(text, (char)c);
    }
    fclose(file);
    (void)remove(path);
    return text;
}

enum { PARTS = 2 };

typedef struct Outcome {
    GenStatus status;
    size_t num_told; /* how often progress was told of graphs */
    size_t num_done; /* what it was told last */
    size_t num_graphs;
    Str *source;
    Str *header;
    Str *parts[2 * PARTS]; /* with --split: a source and a header each */
    const char *said;
} Outcome;

static void count(void *ctx, const char *what, size_t done, size_t total)
{
    Outcome *outcome = ctx;
    if (strcmp(what, "graphs") == 0) {
        outcome->num_told++;
        outcome->num_done = done;
        outcome->num_graphs = total;
    }
}

/* What both runs do. */
typedef struct Wanted {
    const char *folder;
    const char *path;
    bool header;
    bool split;   /* into PARTS parts */
    int64_t most; /* bytes of an output; 0: the default */
} Wanted;

static Outcome run(Arena *arena, const Wanted *wanted, size_t twin_from)
{
    Outcome outcome = {.status = GEN_BROKEN};
    const char *inputs[] = {wanted->path};
    GenOptions options = {.action = GEN_WRITE, .inputs = inputs, .num_inputs = 1, .twin_from = twin_from};
    options.progress = (Progress){.tell = count, .ctx = &outcome};
    options.outputs[GEN_SOURCE] = arena_printf(arena, "%s/twin.c", wanted->folder);
    options.outputs[GEN_HEADER] = wanted->header ? arena_printf(arena, "%s/twin.h", wanted->folder) : NULL;
    options.split = wanted->split ? "2" : NULL;
    if (wanted->most != 0) {
        options.limits = limits_default();
        options.limits.output = wanted->most;
    }
    Diag diag;
    GenResult result;
    Str said = str_new(arena);
    diag_init(&diag, arena);
    outcome.status = gen_run(arena, &diag, &options, &result);
    for (const DiagMessage *message = diag.first; message != NULL; message = message->next) {
        str_printf(&said, "%s:%zu:%zu: %s %s\n", message->place.file ? message->place.file : "", message->place.line,
                   message->place.column, message->code, message->message);
    }
    outcome.said = str_text(&said);
    outcome.source = read_text(arena, options.outputs[GEN_SOURCE]);
    outcome.header = wanted->header ? read_text(arena, options.outputs[GEN_HEADER]) : NULL;
    for (int i = 0; i < 2 * PARTS && wanted->split; i++) {
        outcome.parts[i] = read_text(arena, arena_printf(arena, "%s/twin.%d.%c", wanted->folder, i / 2, "ch"[i % 2]));
    }
    return outcome;
}

static bool is_same(const Str *a, const Str *b)
{
    return a == NULL || b == NULL ? a == b : a->length == b->length && memcmp(str_text(a), str_text(b), a->length) == 0;
}

static bool are_same(const Outcome *a, const Outcome *b)
{
    bool same = a->status == b->status && a->num_done == b->num_done && strcmp(a->said, b->said) == 0 &&
                is_same(a->source, b->source) && is_same(a->header, b->header);
    for (int i = 0; i < 2 * PARTS; i++) {
        same = same && is_same(a->parts[i], b->parts[i]);
    }
    return same;
}

/* Progress is told once of all that the twin rendered, two of five graphs or more. The length of the source. */
static int64_t compare(const Wanted *wanted, const char *what)
{
    Arena arena;
    arena_init(&arena);
    const Outcome alone = run(&arena, wanted, SIZE_MAX);
    const Outcome both = run(&arena, wanted, 1);
    const int64_t length = alone.source != NULL ? (int64_t)alone.source->length : 0;
    check(are_same(&alone, &both) && (!wanted->split || alone.status != GEN_DONE || alone.parts[0] != NULL),
          "%s, %s: the same with a twin%s%s", str_base_name(wanted->path), what, alone.said, both.said);
    if (alone.status == GEN_DONE && alone.num_graphs >= 5 && !wanted->split && alone.said[0] == '\0') {
        check(alone.num_told == alone.num_graphs && both.num_told < alone.num_told, "%s, %s: there is a twin",
              str_base_name(wanted->path), what);
    }
    arena_release(&arena);
    return length;
}

static void compare_all(const char *folder, const char *path)
{
    const int64_t length = compare(&(Wanted){.folder = folder, .path = path}, "in one file");
    compare(&(Wanted){.folder = folder, .path = path, .header = true}, "with a header");
    compare(&(Wanted){.folder = folder, .path = path, .header = true, .split = true}, "in parts");
    if (length > 0) {
        compare(&(Wanted){.folder = folder, .path = path, .most = length / 3}, "with an output that is too long");
    }
}

/* ---- without memory ---- */

static pthread_t main_thread;
static atomic_int left = -1; /* how many more blocks another thread gets; negative: any number */
static atomic_int num_refused;

static bool is_refused(void)
{
    if (atomic_load(&left) < 0 || pthread_equal(pthread_self(), main_thread)) {
        return false;
    }
    if (atomic_load(&left) > 0) {
        atomic_fetch_sub(&left, 1);
        return false;
    }
    atomic_fetch_add(&num_refused, 1);
    return true;
}

/* The linker puts these in the place of the C library's (run.sh). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

void *__wrap_malloc(size_t size)
{
    return is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return is_refused() ? NULL : __real_realloc(block, size);
}

/* A twin that gets `blocks` and no more gives up, and all is rendered as without it. */
static void refuse_after(const char *folder, const char *path, int blocks)
{
    const Wanted wanted = {.folder = folder, .path = path, .header = true};
    Arena arena;
    arena_init(&arena);
    const Outcome alone = run(&arena, &wanted, SIZE_MAX);
    atomic_store(&num_refused, 0);
    atomic_store(&left, blocks);
    const Outcome both = run(&arena, &wanted, 1);
    atomic_store(&left, -1);
    check(are_same(&alone, &both) && alone.status == GEN_DONE && atomic_load(&num_refused) > 0,
          "%s: the same where the twin gets %d blocks of memory", str_base_name(path), blocks);
    arena_release(&arena);
}

/* The first of the files is one with many graphs. */
int main(int argc, char **argv)
{
    main_thread = pthread_self();
    for (int i = 2; i < argc; i++) {
        compare_all(argv[1], argv[i]);
    }
    for (int blocks = 0; blocks < 12 && argc > 2; blocks++) {
        refuse_after(argv[1], argv[2], blocks);
    }
    return check_done();
}
