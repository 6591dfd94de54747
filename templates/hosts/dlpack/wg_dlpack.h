/* SPDX-License-Identifier: 0BSD */
/*
 * wg_dlpack.h - the `dlpack` host: tensors over memory that others own and describe by DLPack 1.x, as NumPy, JAX, TVM
 * and PyTorch do, without copies.
 *
 * The tensors are those of the host `native`: wg_native.h declares the verbs, contexts, tensors and codes. This file
 * adds what takes tensors in and hands them out. Build with every .c file of this folder, of hosts/native and of
 * templates/core, and with all three on the include path. C11 and C++17.
 *
 * Ownership. Tensors are counted; views share the memory's owner. When the last tensor over memory that was taken in is
 * gone, its DLPack deleter is called, once. A tensor that was handed out holds a reference until its own deleter is
 * called, by any thread and without a context, so an allocator of yours must be thread-safe.
 *
 * What DLPack has no word for is of three kinds.
 *   - The host keeps it: versions, requires_grad and what is a leaf or a view start anew for each tensor that is taken
 *     in, and follow the rules of the host `native`. A write by another library raises no version, and two tensors that
 *     were taken in over one memory do not count each other's writes. Wrappers see that such tensors share memory by
 *     their addresses.
 *   - Generation refuses it, by the verb that this host lacks: a change of an input's geometry, storage or dtype
 *     (wg_set_, wg_shallow_copy_data_, wg_restride_like_), which the memory's owner would never see; the whole storage
 *     of a tensor, or the tensor that it is a view of (wg_storage_base, wg_view_base); lazy conjugation and negation;
 *     subclasses; nested ints; random numbers and generators. Marks for Dynamo have no effect, with a warning.
 *   - A call refuses it: wg_dlpack_from_versioned() and the others below say what, wg_dlpack_refusal_text() why.
 *
 * Elements are read and written on the CPU only. Tensors of other devices have facts, views and addresses, which
 * compiled functions may use, but a copy is refused (WG_NATIVE_E_DEVICE), and none is made.
 */
#ifndef WG_DLPACK_H
#define WG_DLPACK_H

#include "wg_native.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of dlpack.h, or of wg_dlpack_abi.h in core. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Generated code refers to this, so linking it to another host, or to another ABI of this one, fails. */
extern const int32_t wg_host_dlpack_abi1;

/* The codes that this host has beyond WG_NATIVE_CODES: name, what is wrong. */
#define WG_DLPACK_CODES(X)                                                                                             \
    X(WG_DLPACK_E_OFFSET, "byte_offset is not a whole number of elements")                                             \
    X(WG_DLPACK_E_DTYPE, "wrapgen has no such dtype")                                                                  \
    X(WG_DLPACK_E_LANES, "elements that are vectors (lanes other than 1)")                                             \
    X(WG_DLPACK_E_DEVICE, "wrapgen or DLPack has no such device")                                                      \
    X(WG_DLPACK_E_VERSION, "another major version of DLPack")                                                          \
    X(WG_DLPACK_E_BORROWED, "the memory is only borrowed, so nothing would keep it alive")                             \
    X(WG_DLPACK_E_GRAD, "DLPack has no gradients")                                                                     \
    X(WG_DLPACK_E_SUBCLASS, "DLPack has no tensor subclasses")

typedef enum WgDlpackCode {
    WG_DLPACK_E_BASE = 1100, /* not used itself */
#define WG_DLPACK_CODE(name, text) name,
    WG_DLPACK_CODES(WG_DLPACK_CODE)
#undef WG_DLPACK_CODE
} WgDlpackCode;

/* ---- taking tensors in: each returns a status; *out is an owned reference, null on failure ---- */

/*
 * Over the producer's memory, without a copy. When it succeeds, the tensor belongs to the host, which calls its deleter
 * when the last reference to the memory is gone. When it fails, it still belongs to the caller, and nothing was called.
 *
 * Refused: another major version than 1, a dtype that wrapgen does not have, lanes other than 1, devices other than CPU
 * (also as memory that CUDA or ROCm has pinned), CUDA, ROCm and oneAPI, negative sizes or strides, a byte_offset
 * that is not a whole number of elements, and a null pointer where there are elements. Null strides mean compact, row
 * by row. The offset of the tensor is byte_offset in elements.
 */
int32_t wg_dlpack_from_versioned(WgContext *ctx, struct DLManagedTensorVersioned *managed, WgTensor **out);

/* The same for DLPack before 1.0, which has no flags: the tensor may be written to. */
int32_t wg_dlpack_from_unversioned(WgContext *ctx, struct DLManagedTensor *managed, WgTensor **out);

/* Over a DLTensor of the caller's, who keeps the memory alive as long as anything refers to the tensor, its views
 * included. The struct itself, its shape and its strides are not needed any more when this returns. */
int32_t wg_dlpack_borrow(WgContext *ctx, const void *dl_tensor, int is_read_only, WgTensor **out);

/* ---- handing tensors out ---- */

/*
 * *out is the consumer's, who calls its deleter once. It holds a reference of its own, so the caller still owns `t`.
 * Its version is 1.1, strides are always given, byte_offset is 0, and it is read-only when `t` is. Refused: a tensor
 * that requires grad (wg_detach() first), one that is not counted or over borrowed memory, one on a device that DLPack
 * does not have (meta), and a subclass.
 */
int32_t wg_dlpack_to_versioned(WgContext *ctx, WgTensor *t, struct DLManagedTensorVersioned **out);

/* The same for DLPack before 1.0; refused for a read-only tensor, since it cannot say so. */
int32_t wg_dlpack_to_unversioned(WgContext *ctx, WgTensor *t, struct DLManagedTensor **out);

/* ---- looking at tensors ---- */

int wg_dlpack_is_read_only(const WgTensor *t); /* wg_copy_ and the like refuse it; compiled functions must ask */
int wg_dlpack_is_copied(const WgTensor *t);    /* the producer copied: it will not see what is written */

/* "elements that are vectors (lanes other than 1)"; null for a number that is not a code of this host or native. */
const char *wg_dlpack_code_text(int32_t code);

/* Why taking in or handing out failed last in this context, with the numbers: "another major version of DLPack: the
 * tensor is of DLPack 2.0, ...". In the manner of wg_error_text; empty when nothing has failed. In wg_dlpack_text.c,
 * which needs stdio. */
size_t wg_dlpack_refusal_text(const WgContext *ctx, char *buffer, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif /* WG_DLPACK_H */
