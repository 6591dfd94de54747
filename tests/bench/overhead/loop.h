/* SPDX-License-Identifier: MIT */
/*
 * loop.h - wrappers as a library would do them: one function that walks a graph's metadata at every call. What the
 * generated code is compared with: the same tests in the same order, the same verbs, the same answers.
 *
 * What follows from the metadata alone (lists of the mutated, the kept, the aliased) is worked out beforehand, as a
 * sensible library would when the graph is loaded; tables.awk writes the tables.
 */
#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

#include "wg_native.h"

typedef int32_t LoopKernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs);

typedef struct LoopTensor {
    const char *name;
    const int64_t *sizes; /* null: not stated */
    const int64_t *strides;
    int64_t offset;       /* -1: not stated */
    int32_t rank;         /* -1: not stated, nor is the dtype */
    int32_t dtype;        /* -1: not stated */
    int32_t duplicate_of; /* -1: none */
    int32_t no_grad;      /* must not require grad */
} LoopTensor;

typedef struct LoopOutput {
    const char *name;
    const LoopTensor *stated; /* null: nothing */
    int32_t alias_of;         /* input, or -1 */
    int32_t requires_grad;
} LoopOutput;

/* A subclass, or a plain tensor inside one. */
typedef struct LoopTree {
    LoopTensor tensor;
    const char *returned; /* its name where it comes back */
    const WgType *type;   /* null: plain, and no attributes */
    const struct LoopTree *attrs;
    int32_t num_attrs;
} LoopTree;

typedef struct LoopGraph {
    const char *name;
    LoopKernel *kernel;
    const LoopTensor *inputs;
    const LoopOutput *outputs;
    const int32_t *written; /* inputs that the epilogue writes */
    const int32_t *bumped;  /* inputs that the graph itself mutates */
    const int32_t *kept;    /* inputs that the compiled function gets; null: all */
    const int32_t *merged;  /* members of one storage, the first of them mutated; null: none */
    const int32_t *alike;   /* inputs that are stated as the outputs are, so that a result may be one of them */
    const LoopTensor *tangents;
    const LoopTensor *gradients; /* rank -1: there is none */
    int32_t num_inputs;
    int32_t num_outputs;
    int32_t num_aliases;
    int32_t num_written;
    int32_t num_bumped;
    int32_t num_kept;
    int32_t num_merged;
    int32_t num_duplicates;
    int32_t num_alike;
    int32_t compares_each; /* results with those, and with each other */
    int32_t compares_all;  /* so many results and inputs that they are looked at together */
    int32_t num_saved;
    int32_t num_unchecked;
    int32_t num_gradients;
    int32_t is_training;
    int32_t disable_amp;
    int32_t num_leaves;         /* of `tree` */
    const LoopTree *tree;       /* of a graph with one subclass in and one of the same kind out; else null */
    const void *const *context; /* the flattening context of what is made */
} LoopGraph;

/* The three arrays of a generated *_saved. */
typedef struct LoopSaved {
    WgTensor **tensors;
    int64_t *versions;
    WgTensor **unchecked;
} LoopSaved;

int32_t loop_forward(WgContext *ctx, const LoopGraph *graph, const WgValue *args, WgValue *outs,
                     const LoopSaved *saved);
int32_t loop_subclass(WgContext *ctx, const LoopGraph *graph, const WgValue *args, WgValue *outs);
int32_t loop_backward(WgContext *ctx, const LoopGraph *graph, const LoopSaved *saved, const WgValue *tangents,
                      WgValue *outs);

#endif /* BENCH_LOOP_H */
