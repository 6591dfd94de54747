/* SPDX-License-Identifier: 0BSD */
/*
 * wg_mock.h - a host that computes nothing: tensors are geometry and identity, every effect is written down.
 *
 * Generated code is compiled against it. All verbs are plain functions (wg_mock_cold.c), so that a file of hundreds of
 * wrappers compiles quickly and nothing reaches into a tensor without the verbs' knowledge. mock.h is the test's own
 * view of the same objects. The list of verbs and what they must do: templates/hosts/VERBS.md.
 */
#ifndef WG_MOCK_H
#define WG_MOCK_H

#include "../core/wg_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A wrapper that was generated for this host refers to it: mixing hosts is a link error. */
extern const int32_t wg_host_mock_abi1;

/* Read. */
int32_t wg_rank(WgContext *ctx, const WgTensor *t);
int64_t wg_size(WgContext *ctx, const WgTensor *t, int32_t dimension);
int64_t wg_stride(WgContext *ctx, const WgTensor *t, int32_t dimension);
const int64_t *wg_sizes(WgContext *ctx, const WgTensor *t);
const int64_t *wg_strides(WgContext *ctx, const WgTensor *t);
int64_t wg_offset(WgContext *ctx, const WgTensor *t);
int32_t wg_dtype(WgContext *ctx, const WgTensor *t);
int32_t wg_device(WgContext *ctx, const WgTensor *t);
void *wg_data(WgContext *ctx, const WgTensor *t);
int32_t wg_lazy(WgContext *ctx, const WgTensor *t);
int wg_requires_grad(WgContext *ctx, const WgTensor *t);
int wg_is_plain(WgContext *ctx, const WgTensor *t);
int wg_matches(WgContext *ctx, const WgTensor *t, const WgFact *facts, size_t num_facts);
int wg_symbol(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol);
int wg_is_view(WgContext *ctx, const WgTensor *t);
int wg_is_type(WgContext *ctx, const WgTensor *t, const WgType *type);
int wg_has_context(WgContext *ctx, const WgTensor *t, const void *type_context);
int wg_same_storage(WgContext *ctx, const WgTensor *a, const WgTensor *b);
int wg_same(WgContext *ctx, const WgTensor *a, const WgTensor *b);
WgByteRange wg_byte_range(WgContext *ctx, const WgTensor *t);
int64_t wg_nested_int(WgContext *ctx, const WgTensor *t);
int64_t wg_version(WgContext *ctx, const WgTensor *t);
int32_t wg_host_status(WgContext *ctx);

/* Mutate. */
int32_t wg_copy_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_copy_leaf_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_set_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_shallow_copy_data_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_restride_like_(WgContext *ctx, WgTensor *dst, const WgTensor *like);

/* New tensors. */
int32_t wg_alias_like(WgContext *ctx, WgTensor *base, const WgTensor *target, int requires_grad, WgTensor **out);
int32_t wg_alias_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad,
                    WgTensor **out);
int32_t wg_view_dtype(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out);
int32_t wg_mark_part(WgContext *ctx, WgTensor *view);
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
int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out);
int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out);

int32_t wg_storage_base(WgContext *ctx, WgTensor *src, WgTensor **out);
int32_t wg_view_base(WgContext *ctx, WgTensor *src, WgTensor **out);

/* Subclasses. */
int32_t wg_attr(WgContext *ctx, const WgTensor *t, int32_t index, WgTensor **attr);
int32_t wg_rebuild(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs, size_t num_attrs,
                   const WgGeometry *outer, WgTensor **out);
int32_t wg_wait(WgContext *ctx, WgTensor *t, WgTensor **waited);

/* State. */
int wg_grad_mode(WgContext *ctx);
void wg_set_grad_mode(WgContext *ctx, int enabled);
int wg_view_replay(WgContext *ctx);
void wg_set_view_replay(WgContext *ctx, int enabled);
uint32_t wg_autocast_off(WgContext *ctx);
void wg_autocast_restore(WgContext *ctx, uint32_t saved);
int wg_deterministic(WgContext *ctx);
uint64_t wg_cpu(WgContext *ctx);
void wg_range_begin(WgContext *ctx, const char *name);
void wg_range_end(WgContext *ctx);
int32_t wg_bump_version(WgContext *ctx, WgTensor *t);
int32_t wg_mark_dynamic(WgContext *ctx, WgTensor *t, const int32_t *dimensions, size_t num_dimensions);
int32_t wg_rng_get(WgContext *ctx, WgTensor **seed, WgTensor **offset);
int32_t wg_rng_set(WgContext *ctx, const WgTensor *offset);
int32_t wg_generator_get(WgContext *ctx, const void *owner, int32_t index, int32_t device, void **generator);
int32_t wg_generator_state(WgContext *ctx, const void *generator, WgTensor **state);
int32_t wg_generator_restore(WgContext *ctx, void *generator, const WgTensor *state);

/* Compiled models. Whoever has some defines it. */
int32_t wg_call_model(WgContext *ctx, WgModel *model, const WgValue *args, size_t num_args, WgValue *outs,
                      size_t *num_outs);

/* Lifetime. */
int32_t wg_retain(WgContext *ctx, WgTensor *t, WgTensor **owned);
void wg_release(WgContext *ctx, WgTensor *t);
void wg_release_run(WgContext *ctx, WgValue *values, size_t n);
WgValue *wg_scratch_take(WgContext *ctx, size_t n);
void wg_scratch_give(WgContext *ctx, size_t n);

#ifdef __cplusplus
}
#endif

#endif /* WG_MOCK_H */
