/* SPDX-License-Identifier: MIT */
/* loop_private.h - what the files of the loop share. */
#ifndef BENCH_LOOP_PRIVATE_H
#define BENCH_LOOP_PRIVATE_H

#include "loop.h"

/* Notes what is wrong with an argument or output (null: neither), and returns `code`. */
int32_t loop_fail(WgContext *ctx, const LoopGraph *graph, const char *argument, int32_t code);

/* The same for a tensor that is not as stated. */
int32_t loop_fail_tensor(WgContext *ctx, const LoopGraph *graph, const LoopTensor *about, const WgTensor *t);

int loop_is_as_stated(WgContext *ctx, const LoopTensor *about, const WgTensor *t);

/* Calls the compiled function with the modes that it was compiled for; it must return `expected` results. */
int32_t loop_call(WgContext *ctx, const LoopGraph *graph, int replay, const WgValue *args, size_t num_args,
                  WgValue *results, size_t expected, size_t *num_results);

/* Makes results that are one object, or may become a view of an argument, objects of their own. `base` is what was
 * merged of some arguments (null: nothing was), `results` are those of the outputs. WG_E_HOST: the host failed;
 * WG_E_RESULT: *output, which may be no argument, is one. */
int32_t loop_separate(WgContext *ctx, const LoopGraph *graph, const WgValue *args, const WgTensor *base,
                      WgValue *results, const char **output);

#endif /* BENCH_LOOP_PRIVATE_H */
