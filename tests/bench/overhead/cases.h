/* SPDX-License-Identifier: MIT */
/*
 * cases.h - a case of the overhead benchmark as its driver sees it. driver.awk writes the table from cases.txt.
 */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

#include "loop.h"

/* Arguments, outputs and saved values of one call; `saved` points to the generated *_saved. */
typedef struct Call {
    WgContext *ctx;
    const WgValue *args;
    WgValue *outs;
    void *saved;
    LoopSaved arrays; /* the same, as the loop takes them */
} Call;

typedef int32_t Contestant(const Call *call);

enum { GENERATED, LOOP, FLOOR, NUM_CONTESTANTS };

typedef struct Case {
    const char *name;
    Contestant *run[NUM_CONTESTANTS];
    const LoopGraph *graph;
    int32_t is_backward;
    size_t saved_bytes;
    size_t offset_tensors; /* in the generated *_saved */
    size_t offset_versions;
    size_t offset_unchecked;
} Case;

/* The subclass of the cases with subclasses, and the flattening context of its tensors. */
extern const WgType TwoTensor;
extern const void *const two_context;

extern const Case cases[];
extern const size_t num_cases;

extern const char *const contestant_names[NUM_CONTESTANTS];

/* The compiled function of every case: returns what the fixture in use holds. */
int32_t bench_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs);

#endif /* BENCH_CASES_H */
