/* SPDX-License-Identifier: 0BSD */
/*
 * wg_aoti_dlpack.h - memory of NumPy, PyTorch, JAX or TVM as tensors of the aoti host, and its tensors as theirs,
 * through DLPack 1.x and without copies. On the CPU only; memory that CUDA or ROCm has pinned is the CPU's.
 *
 * Each function returns a status, and wg_aoti_message() says what is wrong. A write through one library raises no
 * version in the other.
 */
#ifndef WG_AOTI_DLPACK_H
#define WG_AOTI_DLPACK_H

#include "wg_aoti_files.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of wg_dlpack_abi.h, or of dlpack.h. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/*
 * A tensor over that memory. It owns `managed` if it is made: the deleter is called once, on any thread, when the last
 * tensor over the memory is gone. Nothing is taken over on failure. Memory that is read-only is refused if the tensor
 * `is_written`; else nothing stops who writes to it.
 */
int32_t wg_aoti_from_dlpack(WgContext *ctx, struct DLManagedTensorVersioned *managed, int is_written, WgTensor **out);

/* The same for DLPack before 1.0, which does not say what is read-only. */
int32_t wg_aoti_from_dlpack_unversioned(WgContext *ctx, struct DLManagedTensor *managed, WgTensor **out);

/* *out is the consumer's, who calls its deleter once; the caller still owns `t`. Refused: a subclass, a tensor that
 * requires grad, that is lazily conjugated or negated, or that is not strided or not on the CPU. */
int32_t wg_aoti_to_dlpack(WgContext *ctx, WgTensor *t, struct DLManagedTensorVersioned **out);
int32_t wg_aoti_to_dlpack_unversioned(WgContext *ctx, WgTensor *t, struct DLManagedTensor **out);

#ifdef __cplusplus
}
#endif

#endif /* WG_AOTI_DLPACK_H */
