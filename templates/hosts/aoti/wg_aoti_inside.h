/* SPDX-License-Identifier: 0BSD */
/*
 * wg_aoti_inside.h - what the files of the aoti host share among themselves; nothing else includes it.
 *
 * To call an operator: wg_aoti_begin(), one wg_aoti_put_... for each argument in the order of the schema, including
 * those with defaults, then one of the wg_aoti_run_... functions, which ends the call in every case. Arguments that
 * were put belong to the call: when something failed on the way, running it only gives everything back.
 */
#ifndef WG_AOTI_INSIDE_H
#define WG_AOTI_INSIDE_H

#include <stdio.h>

#include "wg_aoti_files.h"
#include "wg_copy.h"
#include "wg_layout.h"

enum { WG_AOTI_ARGUMENTS = 4 /* no operator called here has more */ };

typedef struct WgAotiCall {
    uint64_t stack[WG_AOTI_ARGUMENTS];
    int32_t kinds[WG_AOTI_ARGUMENTS]; /* what to give back: WgAotiKind */
    int32_t count;
    int32_t status;
} WgAotiCall;

typedef enum WgAotiKind { WG_AOTI_INTEGER, WG_AOTI_TENSOR, WG_AOTI_LIST, WG_AOTI_OPTIONAL } WgAotiKind;

WgAotiCall wg_aoti_begin(const WgTensor *self); /* `self` is the first argument: a plain tensor, borrowed */
void wg_aoti_put_tensor(WgAotiCall *call, const WgTensor *t);
void wg_aoti_put_integer(WgAotiCall *call, int64_t integer);
void wg_aoti_put_list(WgAotiCall *call, const int64_t *elements, int32_t n);
void wg_aoti_put_optional(WgAotiCall *call, int64_t integer); /* an optional argument that is present */

/* Puts size, stride and offset, the rest of the schemas of as_strided and as_strided_. */
void wg_aoti_put_geometry(WgAotiCall *call, const WgGeometry *geometry);

/* Each returns a status; the operator's result is one new tensor, one number or bool, or ignored (one tensor, or
 * none). */
int32_t wg_aoti_run_tensor(WgAotiCall *call, const char *name, const char *overload, WgTensor **out);
int32_t wg_aoti_run_integer(WgAotiCall *call, const char *name, int64_t *out);
int32_t wg_aoti_run_bool(WgAotiCall *call, const char *name, int *out);
int32_t wg_aoti_run_in_place(WgAotiCall *call, const char *name, const char *overload);
int32_t wg_aoti_run_nothing(WgAotiCall *call, const char *name);

/* The status for what libtorch returned. */
static inline int32_t wg_aoti_status(int32_t failed)
{
    return failed != 0 ? WG_AOTI_E_TORCH : WG_AOTI_OK;
}

/* Sizes, strides and offset of a plain tensor, borrowed from it. Status. */
int32_t wg_aoti_geometry(const WgTensor *t, WgGeometry *geometry);

/* [Tensor.is_inference()]; 0 where there is no way to tell. */
int wg_aoti_is_inference(const WgTensor *t);

/* One fact of a tensor; a read that fails is noted. */
int64_t wg_aoti_fact(WgContext *ctx, const WgTensor *tensor, int32_t rule, int32_t dimension);

/* Keeps what wg_aoti_message() then says; returns `status`. */
__attribute__((format(printf, 3, 4))) int32_t wg_aoti_say(WgContext *ctx, int32_t status, const char *format, ...);

/* A whole file, with a 0 after its last byte; the caller frees it. Status. */
int32_t wg_aoti_read_file(WgContext *ctx, const char *path, char **text, size_t *size);

/* Opens the file and tells how long it is; null when it cannot be read, which has been said. */
FILE *wg_aoti_open_file(WgContext *ctx, const char *path, uint64_t *size);

/* "<folder of path>/<name>"; the caller frees it. Null without memory, which has been said. */
char *wg_aoti_beside(WgContext *ctx, const char *path, const char *name);

/* The address of a function of the model's library, as a function pointer of that size. */
int32_t wg_aoti_model_find(WgContext *ctx, const WgModel *model, const char *name, void *function, size_t size);

/* For models that share weights: the path that they were read from, and one more user. Each user frees them. */
const char *wg_aoti_tensors_path(const WgAotiTensors *tensors);
WgAotiTensors *wg_aoti_tensors_share(WgAotiTensors *tensors);

/* Null for what is not a dtype of safetensors. */
const char *wg_aoti_dtype_name(int32_t dtype);

/* The parts of verbs that deal with subclasses. */
int32_t wg_aoti_copy_subclass(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_aoti_detach_subclass(WgContext *ctx, const WgTensor *t, WgTensor **out);

#endif /* WG_AOTI_INSIDE_H */
