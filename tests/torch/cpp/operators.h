/* SPDX-License-Identifier: MIT */
/*
 * operators.h - what the test programs in C need of PyTorch and no verb does.
 */
#ifndef OPERATORS_H
#define OPERATORS_H

#include "wg_torch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An operator of one tensor, or of two, by name. A status, as of a verb. */
int32_t call_operator(WgContext *ctx, const char *name, const char *overload, const WgTensor *a, const WgTensor *b,
                      WgTensor **made);

/* A tensor over memory of the program's: `forget` is called when the last tensor that shares it is gone. */
int32_t tensor_over(WgContext *ctx, void *data, int32_t rank, const int64_t *sizes, const int64_t *strides,
                    int32_t dtype, void (*forget)(void *data), WgTensor **made);

int32_t sparse_of(WgContext *ctx, const WgTensor *t, WgTensor **made);

/* What a verb does in which PyTorch throws: the status; and the same noted for a verb that reads. */
int32_t throw_in_verb(WgContext *ctx);
void throw_in_read(WgContext *ctx);

/* [torch.is_autocast_enabled("cpu")] */
int cpu_autocast(void);
void set_cpu_autocast(int enabled);

/* How many references there are to a tensor. */
int64_t use_count(const WgTensor *t);

#ifdef __cplusplus
}
#endif

#endif /* OPERATORS_H */
