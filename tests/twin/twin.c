/* SPDX-License-Identifier: MIT */
/*
 * twin - what a run writes and reports is the same, however much of it its twin renders.
 *
 *     twin FOLDER FILE...
 *
 * Each file is read twice: by a run that has no twin, and by one whose twin renders whatever it can. FOLDER is for what
 * they write.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/diag.h"
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

typedef struct Outcome {
    GenStatus status;
    size_t num_told; /* how often progress was told of graphs */
    size_t num_done; /* what it was told last */
    size_t num_graphs;
    Str *source;
    Str *header;
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
    return outcome;
}

static bool is_same(const Str *a, const Str *b)
{
    return a == NULL || b == NULL ? a == b : a->length == b->length && memcmp(str_text(a), str_text(b), a->length) == 0;
}

/* Progress is told once of all that the twin rendered, two of five graphs or more. The length of the source. */
static int64_t compare(const Wanted *wanted, const char *what)
{
    Arena arena;
    arena_init(&arena);
    const Outcome alone = run(&arena, wanted, SIZE_MAX);
    const Outcome both = run(&arena, wanted, 1);
    const int64_t length = alone.source != NULL ? (int64_t)alone.source->length : 0;
    check(alone.status == both.status && is_same(alone.source, both.source) && is_same(alone.header, both.header) &&
              strcmp(alone.said, both.said) == 0 && alone.num_done == both.num_done,
          "%s, %s: the same with a twin%s%s", wanted->path, what, alone.said, both.said);
    if (alone.status == GEN_DONE && alone.num_graphs >= 5 && alone.said[0] == '\0') {
        check(alone.num_told == alone.num_graphs && both.num_told < alone.num_told, "%s, %s: there is a twin",
              wanted->path, what);
    }
    arena_release(&arena);
    return length;
}

static void compare_all(const char *folder, const char *path)
{
    const int64_t length = compare(&(Wanted){folder, path, false, 0}, "in one file");
    compare(&(Wanted){folder, path, true, 0}, "with a header");
    if (length > 0) {
        compare(&(Wanted){folder, path, false, length / 3}, "with an output that is too long");
    }
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        compare_all(argv[1], argv[i]);
    }
    return check_done();
}
