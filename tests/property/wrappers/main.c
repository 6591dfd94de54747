/* SPDX-License-Identifier: MIT */
/*
 * main - the property test: random graphs in batches, every difference shrunk and printed.
 *
 *     wrappers --count N [--seed S]          N graphs, of the seeds S, S + 1, ...
 *     wrappers --count 1 --seed S --shrink   that graph alone; its YAML, shrunk where it fails
 *     wrappers --file graph.yaml [--seed S]  a file of your own
 *     wrappers --print --count N --seed S    only the YAML
 *     wrappers --print-views N [--seed S]    view sequences for views_torch.py
 *
 * --wrapgen, --compiler, --source and --folder say with what (run.sh gives them), --templates as wrapgen's own option;
 * --batch is how many graphs make one C file; --most is how many failures are looked into before it gives up.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "shrink.h"
#include "views_print.h"

typedef struct Options {
    Tools tools;
    const char *file;
    uint64_t seed;
    uint32_t count;
    uint32_t batch;
    uint32_t most;
    uint32_t tries; /* of shrinking a failure */
    bool print;
    uint32_t views;
} Options;

typedef struct Totals {
    uint32_t passed;
    uint32_t failed;
    uint32_t refused;
    uint64_t calls;
    Refusals refusals;
} Totals;

static bool parse(int argc, char **argv, Options *options)
{
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (strcmp(name, "--print") == 0) {
            options->print = true;
            continue;
        }
        if (strcmp(name, "--bare") == 0) {
            options->tools.bare = true;
            continue;
        }
        if (i + 1 == argc) {
            fprintf(stderr, "%s needs a value\n", name);
            return false;
        }
        const char *value = argv[++i];
        const uint64_t number = strtoull(value, NULL, 0);
        if (strcmp(name, "--wrapgen") == 0) {
            options->tools.wrapgen = value;
        } else if (strcmp(name, "--compiler") == 0) {
            options->tools.compiler = value;
        } else if (strcmp(name, "--source") == 0) {
            options->tools.source = value;
        } else if (strcmp(name, "--folder") == 0) {
            options->tools.folder = value;
        } else if (strcmp(name, "--templates") == 0) {
            options->tools.templates = value;
        } else if (strcmp(name, "--loop-from") == 0) {
            options->tools.loop_from = value;
        } else if (strcmp(name, "--print-views") == 0) {
            options->views = (uint32_t)number;
        } else if (strcmp(name, "--file") == 0) {
            options->file = value;
        } else if (strcmp(name, "--seed") == 0) {
            options->seed = number;
        } else if (strcmp(name, "--count") == 0) {
            options->count = (uint32_t)number;
        } else if (strcmp(name, "--batch") == 0) {
            options->batch = (uint32_t)number;
        } else if (strcmp(name, "--most") == 0) {
            options->most = (uint32_t)number;
        } else if (strcmp(name, "--tries") == 0) {
            options->tries = (uint32_t)number;
        } else {
            fprintf(stderr, "unknown option %s\n", name);
            return false;
        }
    }
    return true;
}

static void print_yaml(Arena *arena, Node **graphs, uint32_t count)
{
    Str text = str_new(arena);
    node_write(generate_file(arena, graphs, count), 5, &text);
    fwrite(text.data, 1, text.length, stdout);
}

/* Shrinks, and runs the small one again for its traces. */
static void report_failure(const Options *options, BatchGraph *graph, const BatchResult *result)
{
    Arena arena;
    BatchResult again;
    arena_init(&arena);
    printf("not ok - seed %" PRIu64 ": %s\n", graph->seed, mismatch_text(result->mismatch));
    shrink(&options->tools, graph->node, graph->seed, result->mismatch, options->tries);
    const BatchVerdict verdict = batch_run(&arena, &options->tools, graph, 1, 0, true, stdout, &again, NULL);
    if (verdict != BATCH_DIFFERS) {
        printf("(the failure does not repeat by itself)\n");
    }
    print_yaml(&arena, &graph->node, 1);
    const char *loop_from = options->tools.loop_from;
    printf("again: tests/property/wrappers/run.sh --seed %" PRIu64 " --count 1%s%s%s\n", graph->seed,
           options->tools.bare ? " --bare" : "", loop_from != NULL ? " --loop-from " : "",
           loop_from != NULL ? loop_from : "");
    fflush(stdout);
    arena_release(&arena);
}

/* One batch, going on after each failure. */
static bool run_batch(const Options *options, Arena *trees, BatchGraph *graphs, uint32_t n, Totals *totals)
{
    uint32_t first = 0;
    bool build = true;
    (void)trees;
    while (first < n) {
        Arena arena;
        BatchResult result;
        arena_init(&arena);
        const BatchVerdict verdict =
            batch_run(&arena, &options->tools, graphs, n, first, build, NULL, &result, &totals->refusals);
        arena_release(&arena);
        totals->calls += result.calls;
        bool all = verdict == BATCH_REFUSED; /* for no reason that names a graph */
        for (uint32_t i = 0; i < n; i++) {
            all = all && !graphs[i].refused;
        }
        if (verdict == BATCH_BROKEN || all) {
            printf("not ok - a batch of seeds from %" PRIu64 " could not be built\n", graphs[0].seed);
            totals->failed++;
            return false;
        }
        if (verdict != BATCH_DIFFERS) {
            return true;
        }
        totals->failed++;
        if (totals->failed > options->most) {
            printf("noticed: seed %" PRIu64 ", %s\n", graphs[result.graph].seed, mismatch_text(result.mismatch));
            return false;
        }
        report_failure(options, &graphs[result.graph], &result);
        first = result.graph + 1;
        build = true; /* the shrinker has used the files */
    }
    return true;
}

static uint32_t run_all(const Options *options, Totals *totals)
{
    for (uint32_t done = 0; done < options->count;) {
        Arena trees;
        arena_init(&trees);
        const uint32_t n = options->count - done < options->batch ? options->count - done : options->batch;
        BatchGraph *graphs = ARENA_ARRAY(&trees, BatchGraph, n);
        for (uint32_t i = 0; i < n; i++) {
            graphs[i].seed = options->seed + done + i;
            graphs[i].node = generate_graph(&trees, graphs[i].seed, i);
        }
        const uint32_t failed = totals->failed;
        const bool go_on = run_batch(options, &trees, graphs, n, totals);
        uint32_t refused = 0;
        for (uint32_t i = 0; i < n; i++) {
            refused += graphs[i].refused ? 1 : 0;
        }
        totals->refused += refused;
        done += n;
        arena_release(&trees);
        if (!go_on) {
            return done;
        }
        totals->passed += n - refused - (totals->failed - failed);
    }
    return options->count;
}

static int print_graphs(const Options *options)
{
    Arena arena;
    arena_init(&arena);
    Node **graphs = ARENA_ARRAY(&arena, Node *, options->count);
    for (uint32_t i = 0; i < options->count; i++) {
        graphs[i] = generate_graph(&arena, options->seed + i, i);
    }
    print_yaml(&arena, graphs, options->count);
    arena_release(&arena);
    return 0;
}

static int run_file(const Options *options)
{
    Arena arena;
    BatchResult result;
    arena_init(&arena);
    const BatchVerdict verdict = batch_run_file(&arena, &options->tools, options->file, options->seed, stdout, &result);
    arena_release(&arena);
    printf("%s - %s, %" PRIu64 " calls\n", verdict == BATCH_GOOD ? "ok" : "not ok", options->file, result.calls);
    printf("%d passed, %d failed, 0 skipped\n", verdict == BATCH_GOOD, verdict != BATCH_GOOD);
    return verdict == BATCH_GOOD ? 0 : 1;
}

/* A drawn graph is valid. The one reason to refuse it is a view whose geometry cannot be worked out beforehand: the
 * draw knows the values of symbols and not what is provable of them. Such graphs are few, and are not tests. */
static bool refusals_are_fair(const Options *options, const Totals *totals)
{
    bool fair = true;
    for (uint32_t i = 0; i < totals->refusals.num_codes; i++) {
        fair = fair && strcmp(totals->refusals.codes[i], "E_VIEW") == 0;
    }
    fair = fair && (totals->refused <= 5 || totals->refused <= options->count / 20);
    if (!fair) {
        printf("not ok - %" PRIu32 " valid graphs were refused\n", totals->refused);
    }
    return fair;
}

int main(int argc, char **argv)
{
    Options options = {
        .tools = {.wrapgen = "build/wrapgen", .compiler = "cc -shared -fPIC -w", .source = ".", .folder = "."},
        .seed = 1,
        .count = 1000,
        .batch = 250,
        .most = 5,
        .tries = 150};
    Totals totals;
    memset(&totals, 0, sizeof totals);
    if (!parse(argc, argv, &options)) {
        return 2;
    }
    if (options.views > 0) {
        views_print(stdout, options.seed, options.views);
        return 0;
    }
    if (options.print) {
        return print_graphs(&options);
    }
    if (options.file != NULL) {
        return run_file(&options);
    }
    (void)run_all(&options, &totals);
    for (uint32_t i = 0; i < totals.refusals.num_codes; i++) {
        printf("# refused with %s: %" PRIu32 " graphs, first: %s\n", totals.refusals.codes[i],
               totals.refusals.counts[i], totals.refusals.first[i]);
    }
    totals.failed += !refusals_are_fair(&options, &totals);
    printf("%s - %" PRIu32 " random graphs, %" PRIu64 " calls, from seed %" PRIu64 "\n",
           totals.failed == 0 ? "ok" : "not ok", totals.passed, totals.calls, options.seed);
    printf("%" PRIu32 " passed, %" PRIu32 " failed, 0 skipped\n", totals.passed, totals.failed);
    return totals.failed == 0 ? 0 : 1;
}
