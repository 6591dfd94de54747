/* SPDX-License-Identifier: MIT */
/*
 * fixture.h - a case made ready: a context, arguments, what the compiled function returns, room for the outputs.
 *
 * Each fixture has tensors of its own, so that contestants cannot see each other's effects. What the compiled function
 * returns are tensors that are not counted, so that giving and releasing them costs next to nothing: what is measured
 * is the wrapper.
 */
#ifndef BENCH_FIXTURE_H
#define BENCH_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

enum { MOST = 2100, NUM_ELEMENTS = 8 };

/* What the compiled function was given. */
typedef struct Seen {
    size_t num_args;
    WgValue args[MOST];
    int32_t grad_mode;
    int32_t view_replay;
    uint32_t autocast;
} Seen;

typedef struct Fixture {
    const Case *one;
    WgContext *ctx;
    WgValue args[MOST];
    WgValue results[MOST];
    WgValue outs[MOST];
    WgTensor *nodes[MOST]; /* the arguments and, of subclasses, what is inside them */
    size_t num_nodes;
    size_t num_args;
    size_t num_results;
    size_t num_outs;
    WgTensor *tensors; /* not counted: results and saved ones */
    WgStorage *storages;
    size_t num_tensors;
    unsigned char *saved;
    Call call;
    Seen *seen; /* null: not wanted */
    float data[MOST][NUM_ELEMENTS];
} Fixture;

/* Ends the program with a message when `holds` is 0. */
void must(int holds, const char *what);

/* A new fixture, never null; fixture_end frees it and releases the outputs that are there. */
Fixture *fixture_make(const Case *one);
void fixture_end(Fixture *fixture);

/* From now on the compiled function returns what this fixture says. */
void fixture_use(const Fixture *fixture);

#endif /* BENCH_FIXTURE_H */
