/* SPDX-License-Identifier: MIT */
/*
 * selftest_kernels - compares the dispatchers and keys of a kernel with what its YAML says about them.
 */
#ifndef SELFTEST_KERNELS_H
#define SELFTEST_KERNELS_H

#include "kernel_call.h"
#include "selftest_report.h"

/* What a variant is: a function that is played, or the wrapper of a graph. */
typedef struct SelftestVariant {
    const char *symbol;
    size_t scratch; /* of a wrapper */
    size_t num_outs;
    uint32_t graph; /* its number in the file */
    /* null for a function */
    int32_t (*boxed)(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t num_outs, WgValue *saved,
                     int64_t *versions, int fault);
} SelftestVariant;

typedef enum SelftestCacheStep {
    CACHE_EMPTY,     /* an empty cache */
    CACHE_FIND_CALL, /* by a call */
    CACHE_FIND,      /* by the key of the call before */
    CACHE_PUT        /* for the key of the call before */
} SelftestCacheStep;

/* One kernel of the file. Values are all of a call's; null where a struct is to be a null pointer. */
typedef struct SelftestKernel {
    const Spec *spec;
    uint32_t index; /* of the kernel */
    const char *symbol;
    const SelftestVariant *variants;
    const size_t *sizes; /* of the arguments' members */
    size_t key_words;    /* at most */
    size_t cache_size;
    /* null without variants: */
    int32_t (*select)(WgContext *ctx, const WgValue *values);
    int32_t (*dispatch)(WgContext *ctx, const WgValue *values, size_t num_values, WgValue *outs, size_t *num_outs);
    /* the same as the boxed entry of a graph: where the number of results is another, WG_E_INTERNAL */
    int32_t (*through)(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t num_outs, WgValue *saved,
                       int64_t *versions, int fault);
    /* null unless outputs are stated: the typed call, its outputs in their order; and what gives them back */
    int32_t (*call)(WgContext *ctx, const WgValue *values, WgValue *outs);
    void (*release)(WgContext *ctx, WgValue *outs);
    size_t (*explain)(WgContext *ctx, const WgValue *values, char *buffer, size_t capacity);
    /* always: */
    /* members: what the struct has then, by name; of a struct in it, whether it is the value's */
    int32_t (*unbox)(WgContext *ctx, const WgValue *values, size_t num_values, const WgValue *all, WgValue *members);
    int32_t (*key)(WgContext *ctx, const WgValue *values, const int64_t *extra, uint64_t *words, size_t *num_words,
                   uint64_t *hash);
    int32_t (*key_boxed)(WgContext *ctx, const WgValue *values, size_t num_values, const int64_t *extra,
                         uint64_t *words, size_t *num_words, uint64_t *hash);
    int (*equal)(const uint64_t *words, size_t num_words, const uint64_t *others, size_t num_others);
    size_t (*print)(const uint64_t *words, size_t num_words, char *buffer, size_t capacity);
    int32_t (*cache)(WgContext *ctx, void *memory, int step, const WgValue *values, const int64_t *extra, void **value);
} SelftestKernel;

/* What a played variant does where outputs are stated. */
typedef enum OutputFault {
    OUTPUT_RIGHT,
    OUTPUT_FAILS,
    OUTPUT_ONE_LESS,
    OUTPUT_ONE_MORE,
    OUTPUT_SILENT,  /* it does not say how many it returns */
    OUTPUT_MISSING, /* from here on, of one tensor */
    OUTPUT_SUBCLASS,
    OUTPUT_DTYPE,
    OUTPUT_RANK,
    OUTPUT_SIZE,
    OUTPUT_STRIDE,
    NUM_OUTPUT_FAULTS
} OutputFault;

/* What a played variant must get, and what came. */
typedef struct KernelPlay {
    const KernelCall *call; /* null: a wrapper stands between, which has its own idea of arguments */
    const WgValue *given;
    size_t num_args;
    WgValue *outs;
    size_t *num_outs;
    int32_t status; /* to be returned */
    uint32_t num_calls;
    const char *name; /* of the last one */
    const char *wrong;
    /* where outputs are stated: */
    const SpecKernel *declared;
    const KernelOutput *outputs; /* null: they are not */
    WgValue *kept;               /* by output: what the caller must get */
    OutputFault fault;
    uint32_t target; /* which output is wrong */
    uint32_t dim;
    uint32_t last_id; /* of the objects that there were before the call */
} KernelPlay;

int32_t kernel_play(WgContext *ctx, const char *name, const WgValue *args, size_t num_args, WgValue *outs,
                    size_t *num_outs);

/* selftest_outputs.c: the same where outputs are stated. */
int32_t kernel_play_outputs(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs);

void selftest_kernel(SelftestReport *report, WgContext *ctx, const SelftestKernel *kernel, uint32_t rounds);

#endif /* SELFTEST_KERNELS_H */
