/* SPDX-License-Identifier: MIT */
/*
 * batch - from graphs to a verdict: YAML written, wrapgen run, glue written, compiled, loaded and called in a child
 * process.
 */
#ifndef BATCH_H
#define BATCH_H

#include "../../../templates/selftest/check.h"
#include "generate.h"
#include "node.h"

/* Where to work and with what, as the command line says. */
typedef struct Tools {
    const char *wrapgen;
    const char *compiler;  /* a command; gets `-o x.so x.c` */
    const char *source;    /* folder of the project */
    const char *folder;    /* scratch */
    const char *templates; /* in place of the built-in ones, or null */
    const char *loop_from; /* how many like operations make a loop, or null */
    bool bare;             /* the mock host without the verbs that a host may lack: mock_bare.yaml in `folder` */
} Tools;

/* One graph of a batch. */
typedef struct BatchGraph {
    uint64_t seed;
    Node *node;
    bool refused; /* by wrapgen: left out */
} BatchGraph;

/* What the child found, shared memory. */
typedef struct BatchResult {
    uint32_t graph; /* where it is, or where it stopped */
    uint64_t calls;
    Mismatch mismatch;
    Scenario scenario;
} BatchResult;

typedef enum BatchVerdict {
    BATCH_GOOD,
    BATCH_DIFFERS, /* see BatchResult */
    BATCH_REFUSED, /* every graph, or for no reason that names one */
    BATCH_BROKEN   /* wrapgen died, or what it generated does not compile */
} BatchVerdict;

/* Counts of refusals by code, for the report. */
typedef struct Refusals {
    char codes[32][32];
    uint32_t counts[32];
    char first[32][400];
    uint32_t num_codes;
} Refusals;

/* Runs all scenarios of graphs [first, num_graphs). Graphs before `first` are compiled but not called, so that a batch
 * can go on after a graph that failed. A difference is printed to `report` (may be null) with both traces. */
BatchVerdict batch_run(Arena *arena, const Tools *tools, BatchGraph *graphs, uint32_t num_graphs, uint32_t first,
                       bool build, FILE *report, BatchResult *result, Refusals *refusals);

/* The same for a YAML file somebody wrote; the scenarios come from `seed`. */
BatchVerdict batch_run_file(Arena *arena, const Tools *tools, const char *path, uint64_t seed, FILE *report,
                            BatchResult *result);

#endif /* BATCH_H */
