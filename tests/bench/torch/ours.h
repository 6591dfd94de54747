/* SPDX-License-Identifier: MIT */
/*
 * ours.h - a case of tests/bench/overhead/cases.txt on the aoti host: what table.awk writes and ours.c drives.
 */
#ifndef BENCH_TORCH_OURS_H
#define BENCH_TORCH_OURS_H

#include <stddef.h>

#include "wg_aoti.h"

typedef int32_t Wrapper(WgContext *ctx, const WgValue *args, WgValue *outs, void *saved);

typedef struct Case {
    const char *name;
    Wrapper *run;
    int32_t is_backward;
    int32_t depth; /* of a subclass, 0: none */
    int32_t num_written;
    int32_t num_aliases;
    int32_t num_dropped;
    int32_t num_merged;
    size_t saved_bytes; /* of the generated *_saved, and where in it the arrays are */
    size_t offset_tensors;
    size_t offset_versions;
    size_t offset_unchecked;
} Case;

extern const Case cases[];
extern const size_t num_cases;

/* The compiled function of every case, and what the cases with subclasses name. */
int32_t bench_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs);
extern const WgType TwoTensor;
extern const void *const two_context;

#endif /* BENCH_TORCH_OURS_H */
