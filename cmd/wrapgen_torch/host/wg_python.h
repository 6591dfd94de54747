/* SPDX-License-Identifier: 0BSD */
/*
 * wg_python.h - a host over real PyTorch tensors, for checks: a WgTensor * is the address of the Python object, and
 * each verb calls the Python function of that name in verbs.py. So identity is Python's `is`, subclasses are those of
 * Python, and autograd, versions and modes are PyTorch's own. It is slow, and only as good as the process that holds
 * the GIL.
 *
 * A verb whose Python function raises keeps the exception in the context (wg_python_exception) and returns
 * WG_PYTHON_RAISED; a read verb notes it for wg_host_status(). To add a verb: a function in wg_python.c, one in
 * verbs.py, a line in host.yaml.
 */
#ifndef WG_PYTHON_H
#define WG_PYTHON_H

#include "wg_core.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const int32_t wg_host_python_abi1;

enum { WG_PYTHON_RAISED = 3000, WG_PYTHON_SCRATCH = 3001 };

/* A type or a flattening context: where the Python object is put before the first call (wg_python_bind). */
typedef struct WgPythonSlot {
    void *object;
} WgPythonSlot;

struct WgType {
    const char *name;
    const WgPythonSlot *slot; /* (class, names of attributes) */
};

/* Calls the compiled function `name` of the context's program. */
int32_t wg_python_call(WgContext *ctx, const char *name, const WgValue *args, size_t num_args, WgValue *outs,
                       size_t *num_outs);

int32_t wg_rank(WgContext *ctx, const WgTensor *t);
int64_t wg_size(WgContext *ctx, const WgTensor *t, int32_t dimension);
int64_t wg_stride(WgContext *ctx, const WgTensor *t, int32_t dimension);
const int64_t *wg_sizes(WgContext *ctx, const WgTensor *t);
const int64_t *wg_strides(WgContext *ctx, const WgTensor *t);
int64_t wg_offset(WgContext *ctx, const WgTensor *t);
int64_t wg_nested_int(WgContext *ctx, const WgTensor *t);
int32_t wg_dtype(WgContext *ctx, const WgTensor *t);
int32_t wg_device(WgContext *ctx, const WgTensor *t);
void *wg_data(WgContext *ctx, const WgTensor *t);
int32_t wg_lazy(WgContext *ctx, const WgTensor *t);
int wg_requires_grad(WgContext *ctx, const WgTensor *t);
int wg_is_plain(WgContext *ctx, const WgTensor *t);
int wg_is_view(WgContext *ctx, const WgTensor *t);
int wg_is_type(WgContext *ctx, const WgTensor *t, const WgType *type);
int wg_symbol(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol);
int wg_has_context(WgContext *ctx, const WgTensor *t, const void *type_context);
int wg_same(WgContext *ctx, const WgTensor *a, const WgTensor *b);
WgByteRange wg_byte_range(WgContext *ctx, const WgTensor *t);
int wg_same_storage(WgContext *ctx, const WgTensor *a, const WgTensor *b);
int64_t wg_version(WgContext *ctx, const WgTensor *t);
int32_t wg_host_status(WgContext *ctx);

int32_t wg_copy_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_copy_leaf_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_set_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_shallow_copy_data_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_restride_like_(WgContext *ctx, WgTensor *dst, const WgTensor *like);

int32_t wg_alias_like(WgContext *ctx, WgTensor *base, const WgTensor *target, int requires_grad, WgTensor **out);
int32_t wg_alias_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad,
                    WgTensor **out);
int32_t wg_view_dtype(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out);
int32_t wg_conj(WgContext *ctx, WgTensor *base, WgTensor **out);
int32_t wg_neg_view(WgContext *ctx, WgTensor *base, WgTensor **out);
int32_t wg_view_as_real(WgContext *ctx, WgTensor *base, WgTensor **out);
int32_t wg_view_as_complex(WgContext *ctx, WgTensor *base, WgTensor **out);
int32_t wg_as_strided(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, WgTensor **out);
int32_t wg_detach(WgContext *ctx, WgTensor *t, WgTensor **out);
int32_t wg_unsafe_view(WgContext *ctx, WgTensor *t, WgTensor **out);
int32_t wg_patch_requires_grad(WgContext *ctx, const WgTensor *base, WgTensor **view, int requires_grad);
int32_t wg_set_requires_grad(WgContext *ctx, WgTensor *t, int requires_grad);
int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out);
int32_t wg_zeros(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out);
int32_t wg_coerce_tangent(WgContext *ctx, WgTensor *t, const WgType *type, const void *type_context, WgTensor **out);
int32_t wg_storage_base(WgContext *ctx, WgTensor *src, WgTensor **out);
int32_t wg_view_base(WgContext *ctx, WgTensor *src, WgTensor **out);
int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out);
int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out);

int wg_grad_mode(WgContext *ctx);
void wg_set_grad_mode(WgContext *ctx, int enabled);
int wg_view_replay(WgContext *ctx);
void wg_set_view_replay(WgContext *ctx, int enabled);
uint32_t wg_autocast_off(WgContext *ctx);
void wg_autocast_restore(WgContext *ctx, uint32_t saved);
int wg_deterministic(WgContext *ctx);
int32_t wg_bump_version(WgContext *ctx, WgTensor *t);
int32_t wg_mark_dynamic(WgContext *ctx, WgTensor *t, const int32_t *dimensions, size_t num_dimensions);
int32_t wg_rng_get(WgContext *ctx, WgTensor **seed, WgTensor **offset);
int32_t wg_rng_set(WgContext *ctx, const WgTensor *offset);

int32_t wg_retain(WgContext *ctx, WgTensor *t, WgTensor **owned);
void wg_release(WgContext *ctx, WgTensor *t);
void wg_release_run(WgContext *ctx, WgValue *values, size_t n);
WgValue *wg_scratch_take(WgContext *ctx, size_t n);
void wg_scratch_give(WgContext *ctx, size_t n);

int32_t wg_attr(WgContext *ctx, const WgTensor *t, int32_t index, WgTensor **attr);
int32_t wg_rebuild(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs, size_t num_attrs,
                   const WgGeometry *outer, WgTensor **out);
int32_t wg_wait(WgContext *ctx, WgTensor *t, WgTensor **waited);

#ifdef __cplusplus
}
#endif

#endif /* WG_PYTHON_H */
