/* SPDX-License-Identifier: 0BSD */
/*
 * wg_aoti_files.h - models and tensors in files, for the aoti host.
 *
 * A description says what a compiled model is, in lines of text, so that it can be held to it before it runs:
 *
 *   wrapgen model 1
 *   machine x86_64                          what the library was compiled for
 *   cpu avx2 fma                            what it needs of the CPU, in the words of /proc/cpuinfo; may be left out
 *   library step.so 1499480 9a31c0de        its file, in this folder; bytes and CRC-32, the sum that zip uses
 *   device cpu
 *   weights step.safetensors                where the weights are if they are not in the library; several models may
 *                                           have them in one file
 *   weight l_weight l.weight float32[4, 4]  the library's name of a weight, the file's, and its type
 *   symbol batch: at least 2                from here on: what wrappers for this model are generated from
 *   input 0: x, float32[batch, 4], stride [4, 1]
 *   output 0: y
 *
 * Lines that begin with # are not read. wrapgen-torch deploy writes descriptions.
 */
#ifndef WG_AOTI_FILES_H
#define WG_AOTI_FILES_H

#include "wg_aoti.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Opens the model whose description is `path`, and puts its weights into it. It is held to the description first: the
 * machine, the CPU, the library's checksum; and the description to `expects`, what the wrappers were generated for
 * (<graph>_expects in their header; null: not compared). Returns a status; wg_aoti_message() says what differs, in one
 * line, and the model is then zeroed. `num_runners` is how many threads may run it at once.
 */
int32_t wg_aoti_model_load(WgContext *ctx, WgModel *model, const char *path, const char *const *expects,
                           size_t num_runners);

/* The same for one of several models. `opened` are those that are open already; weights that one of them has from the
 * same file are not read again, and lie in memory once, until the last of these models is closed. Not for several
 * threads at once, and neither is wg_aoti_model_close() of such models. */
int32_t wg_aoti_model_load_among(WgContext *ctx, WgModel *model, const char *path, const char *const *expects,
                                 size_t num_runners, WgModel *const *opened, size_t num_opened);

/* A contiguous tensor on the CPU over memory of the program's, which must stay as long as the tensor does; null only
 * where there are no elements. Status. */
int32_t wg_aoti_borrow(WgContext *ctx, void *data, int32_t dtype, const int64_t *sizes, int32_t rank, WgTensor **out);

/* The tensors of a safetensors file, in the order of its header; on the CPU. */
typedef struct WgAotiTensors WgAotiTensors;

/* Returns a status; *out is null on failure, and wg_aoti_message() says why. A tensor is contiguous, unless the file's
 * metadata have an entry "stride NAME" with its strides. */
int32_t wg_aoti_tensors_read(WgContext *ctx, const char *path, WgAotiTensors **out);
void wg_aoti_tensors_free(WgContext *ctx, WgAotiTensors *tensors); /* null is allowed */

WgTensor *wg_aoti_tensors_find(const WgAotiTensors *tensors, const char *name);      /* borrowed; null: not there */
const char *wg_aoti_tensors_metadata(const WgAotiTensors *tensors, const char *key); /* null: not there */
size_t wg_aoti_tensors_count(const WgAotiTensors *tensors);
const char *wg_aoti_tensors_name(const WgAotiTensors *tensors, size_t i);

#ifdef __cplusplus
}
#endif

#endif /* WG_AOTI_FILES_H */
