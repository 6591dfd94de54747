/* SPDX-License-Identifier: MIT */
/*
 * pipeline_fuzz - the whole tool against mutants of its own examples.
 *
 *     pipeline_fuzz [--seed N] [--first N] [--count N] [--seconds N] [--megabytes N] [--keep FOLDER] [--every N]
 *                   --scratch FOLDER --failures FOLDER FILE...
 *     pipeline_fuzz --replay --scratch FOLDER --failures FOLDER FILE...
 *
 * A mutant depends on the files, the seed and its number alone. It runs in a child process, so that the loop outlives
 * what it finds: a signal, a sanitizer's report, more time or memory than an input of its size may take, what
 * pipeline.h calls wrong. The first failure of a kind is shrunk and written to <failures>/<seed>-<number>.yaml; later
 * ones of the kind are counted. With --keep every Nth accepted mutant is written to the folder, with the arguments it
 * was accepted with, so that somebody can compile what is generated. --replay runs each file as it is, in every way.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard.h"
#include "mutate.h"
#include "pipeline.h"

enum { SHRINK_TRIES = 1500, MAX_KINDS = 500, PROGRESS = 20000, BATCH = 2000 };

typedef struct Fuzz {
    Corpus corpus;
    Pipeline pipeline;
    Shared *shared;
    Guard guard;
    uint64_t seed;
    uint64_t first;
    uint64_t count;
    uint64_t every;
    uint64_t max_seconds; /* the loop ends then; 0: it does not */
    const char *keep;
    const char *failures;
    bool replay;
    char *kinds[MAX_KINDS];
    uint64_t num_of_kind[MAX_KINDS];
    size_t num_kinds;
    uint64_t num_failures;
} Fuzz;

static const char *read_text(Arena *arena, const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    Str text = str_new(arena);
    char chunk[4096];
    size_t count = 0;
    while (file != NULL && (count = fread(chunk, 1, sizeof chunk, file)) > 0) {
        str_add(&text, chunk, count);
    }
    if (file == NULL || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
    *length = text.length;
    return str_text(&text);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) == EOF || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

static size_t way_of(const Fuzz *fuzz, uint64_t number)
{
    Random random = random_from(fuzz->seed ^ UINT64_C(0x57415953), number);
    const uint32_t way = random_below(&random, PIPELINE_WAYS + 3);
    return way < PIPELINE_WAYS ? way : PIPELINE_SELFTEST; /* more often: only those can be run */
}

/* ---- in the child ---- */

static void keep(const Fuzz *fuzz, Arena *arena, uint64_t number, size_t way, const Str *text)
{
    const char *stem =
        arena_printf(arena, "%s/%llu-%llu", fuzz->keep, (unsigned long long)fuzz->seed, (unsigned long long)number);
    write_text(arena_printf(arena, "%s.yaml", stem), str_text(text));
    write_text(arena_printf(arena, "%s.args", stem), pipeline_arguments(way));
}

static void run_text(const Fuzz *fuzz, size_t way, const Str *text)
{
    guard_begin(&fuzz->guard, fuzz->shared);
    const PipelineResult result = pipeline_run(&fuzz->pipeline, way, str_text(text), text->length,
                                               fuzz->shared->complaint, sizeof fuzz->shared->complaint);
    guard_end();
    if (result == PIPELINE_WRONG) {
        _exit(GUARD_WRONG);
    }
    fuzz->shared->accepted = result == PIPELINE_ACCEPTED;
}

static void run_mutants(const Fuzz *fuzz, uint64_t number, uint64_t end)
{
    Arena arena;
    arena_init(&arena);
    for (; number < end; number++) {
        const size_t way = way_of(fuzz, number);
        Str text = str_new(&arena);
        fuzz->shared->number = number;
        tree_print(mutate(&fuzz->corpus, &arena, fuzz->seed, number), &text);
        run_text(fuzz, way, &text);
        fuzz->shared->num_accepted += fuzz->shared->accepted;
        if (fuzz->keep != NULL && fuzz->shared->accepted && strcmp(pipeline_name(way), "plan") != 0 &&
            fuzz->shared->num_accepted % fuzz->every == 0) {
            keep(fuzz, &arena, number, way, &text);
        }
        arena_reset(&arena);
    }
    fuzz->shared->number = end;
    arena_release(&arena);
}

/* ---- in the parent ---- */

/* Runs one text in a child; null: nothing is wrong. Else what is, in a few words that failures of a kind share. */
static const char *failure_of(Fuzz *fuzz, Arena *arena, size_t way, const Str *text)
{
    const pid_t child = guard_fork(&fuzz->guard, fuzz->shared);
    if (child == 0) {
        run_text(fuzz, way, text);
        _exit(0);
    }
    return guard_wait(&fuzz->guard, fuzz->shared, arena, child);
}

/* A smaller tree that fails in the same way: nodes go, one after the other, as long as that holds. */
static Tree *shrink(Fuzz *fuzz, Tree *root, size_t way, const char *kind)
{
    Arena arena;
    bool smaller = true;
    int tries = 0;
    arena_init(&arena);
    while (smaller) {
        smaller = false;
        for (size_t i = 1; tries < SHRINK_TRIES; i++) {
            const TreePlaces places = tree_places(&arena, root);
            if (i >= places.count) {
                break;
            }
            const TreePlace place = places.list[i];
            const char *key = place.parent->keys[place.at];
            Str text = str_new(&arena);
            tree_remove(place.parent, place.at);
            tree_print(root, &text);
            const char *now = failure_of(fuzz, &arena, way, &text);
            tries++;
            if (now != NULL && strcmp(now, kind) == 0) {
                smaller = true;
                i--;
            } else {
                tree_insert(fuzz->corpus.arena, place.parent, place.at, key, place.node);
            }
            arena_reset(&arena);
        }
    }
    arena_release(&arena);
    return root;
}

static bool is_new_kind(Fuzz *fuzz, const char *kind)
{
    for (size_t i = 0; i < fuzz->num_kinds; i++) {
        if (strcmp(fuzz->kinds[i], kind) == 0) {
            fuzz->num_of_kind[i]++;
            return false;
        }
    }
    if (fuzz->num_kinds < MAX_KINDS) {
        fuzz->num_of_kind[fuzz->num_kinds] = 1;
        fuzz->kinds[fuzz->num_kinds++] = arena_copy(fuzz->corpus.arena, kind, strlen(kind));
    }
    return true;
}

static void report(Fuzz *fuzz, uint64_t number, const char *kind)
{
    Arena *arena = fuzz->corpus.arena;
    const size_t way = way_of(fuzz, number);
    Str text = str_new(arena);
    fuzz->num_failures++;
    if (!is_new_kind(fuzz, kind)) {
        return;
    }
    const char *path = arena_printf(arena, "%s/%llu-%llu.yaml", fuzz->failures, (unsigned long long)fuzz->seed,
                                    (unsigned long long)number);
    str_puts(&text, "# ");
    str_put_c_comment(&text, kind);
    str_printf(&text, "\n# %s: %s\n", pipeline_name(way), pipeline_arguments(way));
    const size_t heading = text.length;
    Tree *root = mutate(&fuzz->corpus, arena, fuzz->seed, number);
    tree_print(root, &text);
    write_text(path, str_text(&text));
    text.length = heading;
    tree_print(shrink(fuzz, root, way, kind), &text);
    write_text(path, str_text(&text));
    printf("# %s: %s\n#    %s\n", path, pipeline_name(way), kind);
    fflush(stdout);
}

static void loop(Fuzz *fuzz)
{
    const uint64_t end = fuzz->first + fuzz->count;
    const uint64_t begun = guard_now();
    uint64_t number = fuzz->first;
    fuzz->shared->num_accepted = 0;
    while (number < end && (fuzz->max_seconds == 0 || guard_now() - begun < fuzz->max_seconds)) {
        Arena arena;
        const uint64_t stop = end - number > BATCH ? number + BATCH : end;
        arena_init(&arena);
        const pid_t child = guard_fork(&fuzz->guard, fuzz->shared);
        if (child == 0) {
            run_mutants(fuzz, number, stop);
            exit(0);
        }
        const char *kind = guard_wait(&fuzz->guard, fuzz->shared, &arena, child);
        number = fuzz->shared->number;
        if (number == stop && number % PROGRESS == 0) {
            printf("# %llu\n", (unsigned long long)number);
            fflush(stdout);
        }
        if (kind != NULL) {
            report(fuzz, number, kind);
            number += number < stop;
        }
        arena_release(&arena);
    }
    const uint64_t done = number - fuzz->first;
    for (size_t i = 0; i < fuzz->num_kinds; i++) {
        printf("# %6llu times: %s\n", (unsigned long long)fuzz->num_of_kind[i], fuzz->kinds[i]);
    }
    printf("%s 1 - the pipeline on %llu mutants of %zu files: %llu were accepted and %llu failed\n",
           fuzz->num_failures > 0 ? "not ok" : "ok", (unsigned long long)done, fuzz->corpus.num_files,
           (unsigned long long)fuzz->shared->num_accepted, (unsigned long long)fuzz->num_failures);
    printf("%d passed, %d failed, 0 skipped\n", fuzz->num_failures == 0, fuzz->num_failures > 0);
}

static void replay(Fuzz *fuzz, char **paths, int count)
{
    Arena arena;
    int failed = 0;
    arena_init(&arena);
    for (int i = 0; i < count; i++) {
        const char *wrong = NULL;
        size_t length = 0;
        Str text = str_new(&arena);
        const char *bytes = read_text(&arena, paths[i], &length);
        str_add(&text, bytes, length);
        for (size_t way = 0; way < PIPELINE_WAYS && wrong == NULL; way++) {
            wrong = failure_of(fuzz, &arena, way, &text);
        }
        failed += wrong != NULL;
        printf("%s %d - %s\n", wrong != NULL ? "not ok" : "ok", i + 1, paths[i]);
        if (wrong != NULL) {
            printf("#   %s\n", wrong);
        }
        fflush(stdout);
        arena_reset(&arena);
    }
    arena_release(&arena);
    fuzz->num_failures = (uint64_t)failed;
    printf("%d passed, %d failed, 0 skipped\n", count - failed, failed);
}

/* ---- the command line ---- */

static int parse(Fuzz *fuzz, int argc, char **argv)
{
    const struct {
        const char *name;
        uint64_t *number;
        const char **text;
    } options[] = {
        {"--seed", &fuzz->seed, NULL},
        {"--first", &fuzz->first, NULL},
        {"--count", &fuzz->count, NULL},
        {"--for", &fuzz->max_seconds, NULL},
        {"--seconds", &fuzz->guard.seconds, NULL},
        {"--megabytes", &fuzz->guard.megabytes, NULL},
        {"--every", &fuzz->every, NULL},
        {"--keep", NULL, &fuzz->keep},
        {"--scratch", NULL, &fuzz->pipeline.scratch},
        {"--failures", NULL, &fuzz->failures},
    };
    int next = 1;
    while (next < argc && strncmp(argv[next], "--", 2) == 0) {
        size_t i = 0;
        if (strcmp(argv[next], "--replay") == 0) {
            fuzz->replay = true;
            next++;
            continue;
        }
        while (i < sizeof options / sizeof options[0] && strcmp(argv[next], options[i].name) != 0) {
            i++;
        }
        if (i == sizeof options / sizeof options[0] || next + 1 >= argc) {
            fprintf(stderr, "pipeline_fuzz: '%s' is not an option, or lacks its value\n", argv[next]);
            exit(2);
        }
        if (options[i].number != NULL) {
            *options[i].number = strtoull(argv[next + 1], NULL, 10);
        } else {
            *options[i].text = argv[next + 1];
        }
        next += 2;
    }
    return next;
}

int main(int argc, char **argv)
{
    Arena arena;
    Fuzz fuzz = {.corpus = {.arena = &arena},
                 .pipeline = {.mock = "tests/property/wrappers/mock.yaml"},
                 .guard = {.seconds = 10, .megabytes = 1024},
                 .seed = 1,
                 .count = 20000,
                 .every = 100};
    arena_init(&arena);
    const int first = parse(&fuzz, argc, argv);
    if (fuzz.pipeline.scratch == NULL || fuzz.failures == NULL || first == argc) {
        fprintf(stderr, "usage: pipeline_fuzz [OPTION...] --scratch FOLDER --failures FOLDER FILE...\n");
        return 2;
    }
    fuzz.guard.log = arena_printf(&arena, "%s/log", fuzz.pipeline.scratch);
    fuzz.shared = guard_share();
    if (fuzz.replay) {
        replay(&fuzz, argv + first, argc - first);
    } else {
        for (int i = first; i < argc; i++) {
            size_t length = 0;
            const char *text = read_text(&arena, argv[i], &length);
            corpus_add(&fuzz.corpus, argv[i], text, length);
        }
        corpus_close(&fuzz.corpus);
        loop(&fuzz);
    }
    arena_release(&arena);
    return fuzz.num_failures > 0;
}
