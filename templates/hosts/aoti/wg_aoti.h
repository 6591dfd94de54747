/* SPDX-License-Identifier: 0BSD */
/*
 * wg_aoti.h - the `aoti` host: real PyTorch tensors, through libtorch's stable C ABI, with no Python in the process.
 *
 * A WgTensor * is libtorch's tensor handle (AtenTensorHandle) with another name: wg_aoti_tensor() and wg_aoti_handle()
 * go from one to the other at no cost. The one exception is a tensor subclass, which libtorch knows only from Python:
 * it is an object of this host (wg_aoti_subclass()), marked by the lowest bit of its address, so no other code may
 * dereference a WgTensor *.
 *
 * Contracts of the verbs: VERBS.md. A comment next to each verb says what it is built on: the function of the C ABI, or
 * the operator that is called through the dispatcher, as [operator]. Every behaviour was measured with PyTorch 2.13 and
 * is tested by tests/torch/aoti, where facts.py is PyTorch's side. This host differs from VERBS.md in two points:
 *   - copy_ between tensors that overlap in part is refused, as in libtorch;
 *   - version counters belong to tensors, as in PyTorch: wg_storage_base and wg_unsafe_view begin at 0, on their own.
 *
 * The program provides functions for what the C ABI cannot do (WgAotiTable); the generator warns when a graph needs
 * one. There is no wg_view_base (Tensor._base); the generator refuses it. Dynamic marks mean something only to
 * PyTorch's compiler: wg_mark_dynamic tests its arguments and does nothing.
 *
 * Modes live in libtorch, one set per thread. Link with libtorch_cpu and libc10; wg_aoti_model.c needs dlopen.
 */
#ifndef WG_AOTI_H
#define WG_AOTI_H

#include "wg_aoti_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Generated code refers to this, so linking it to another host, or to another ABI of this one, fails. */
extern const int32_t wg_host_aoti_abi1;

/* ---- contexts ---- */

/* `table` may be null, which means a table of nulls. It must outlive the context. Returns a status; *out is null on
 * failure. */
int32_t wg_context_create(const WgAotiTable *table, WgContext **out);
void wg_context_destroy(WgContext *ctx); /* null is allowed */

/* A context for another thread: it has the same table and amount of scratch, and no error. Modes are that thread's
 * own. */
int32_t wg_context_fork(const WgContext *parent, WgContext **out);

/* Makes room for at least n values of scratch in all; fails while some is taken (WG_AOTI_E_ARGUMENT). */
int32_t wg_context_reserve(WgContext *ctx, size_t n);

/* ---- tensors ---- */

/* The same thing under its other name. The second is for plain tensors only. */
static inline WgTensor *wg_aoti_tensor(struct AtenTensorOpaque *handle)
{
    return (WgTensor *)(uintptr_t)handle;
}

static inline struct AtenTensorOpaque *wg_aoti_handle(const WgTensor *t)
{
    return (struct AtenTensorOpaque *)(uintptr_t)t;
}

static inline int wg_aoti_is_subclass(const WgTensor *t)
{
    return ((uintptr_t)t & 1) != 0;
}

static inline WgAotiSubclass *wg_aoti_subclass_of(const WgTensor *t)
{
    return (WgAotiSubclass *)((uintptr_t)t & ~(uintptr_t)1);
}

/* A tensor of a subclass over its attributes, num_attrs == type->num_attributes; takes them in every case, even on
 * failure; an optional attribute may be null, but not the first. dtype and device are those of attribute 0; so are
 * sizes and strides when `outer` is null. `type_context` is kept as it is. */
int32_t wg_aoti_subclass(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs,
                         size_t num_attrs, const WgGeometry *outer, WgTensor **out);

/* Why the last call in this thread failed: libtorch's words, or the model's. Never null; until the next failure.
 * wg_error() says it where a wrapper refused the call; what a program calls to open models and files or to borrow
 * memory clears that one first. */
const char *wg_aoti_message(const WgContext *ctx);

const char *wg_aoti_code_text(int32_t code); /* "out of memory"; null for a number that is not a code */

/* ---- compiled models: wg_aoti_model.c ---- */

/*
 * An AOTInductor model, called by graphs with `convention: aoti`: a shared library that torch._inductor.aot_compile
 * made (or that lies in a .pt2 package), and a container in it. The YAML's `compiled` names an object of this type,
 * which the program defines, zeroed, and opens before the first call.
 */
struct WgModel {
    void *library;
    void *container;
    size_t num_inputs;
    size_t num_outputs;
    int32_t (*run)(void *container, struct AtenTensorOpaque **inputs, size_t num_inputs,
                   struct AtenTensorOpaque **outputs, size_t num_outputs, void *stream, void *proxy_executor);
    int32_t (*destroy)(void *container);
    int32_t (*last_error)(const char **message); /* null in models of older versions */
    void *weights;                               /* WgAotiTensors, if they are not inside the model (wg_aoti_files.h) */
};

/* `device` is named as in AOTInductor: "cpu", "cuda:0"; `num_runners` is how many threads may run it at once; `folder`
 * is where the model's other files are, null when it has none. Returns a status; a model that could not be opened is
 * zeroed, and wg_aoti_message() says more. */
int32_t wg_aoti_model_open(WgContext *ctx, WgModel *model, const char *path, const char *device, size_t num_runners,
                           const char *folder);
void wg_aoti_model_close(WgModel *model); /* one that is not open is allowed */

/* [AOTInductorModelContainerRun] Arguments are borrowed: the model gets its own handles. A model returns as many
 * tensors as it was built for, each with its own reference, or fails and returns none. */
int32_t wg_call_model(WgContext *ctx, WgModel *model, const WgValue *args, size_t num_args, WgValue *outs,
                      size_t *num_outs);

/* ---- verbs that read: one call of libtorch each, unless they say otherwise ---- */

static inline void wg_aoti_note(WgContext *ctx, int32_t failed)
{
    ctx->pending = failed != 0 && ctx->pending == 0 ? WG_AOTI_E_TORCH : ctx->pending;
}

static inline int32_t wg_rank(WgContext *ctx, const WgTensor *t)
{
    int64_t rank = -1;
    if (wg_aoti_is_subclass(t)) {
        return wg_aoti_subclass_of(t)->rank;
    }
    wg_aoti_note(ctx, aoti_torch_get_dim(wg_aoti_handle(t), &rank));
    return (int32_t)rank;
}

static inline int64_t wg_size(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    int64_t size = -1;
    if (wg_aoti_is_subclass(t)) {
        return wg_aoti_subclass_of(t)->sizes[dimension];
    }
    wg_aoti_note(ctx, aoti_torch_get_size(wg_aoti_handle(t), dimension, &size));
    return size;
}

static inline int64_t wg_stride(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    int64_t stride = -1;
    if (wg_aoti_is_subclass(t)) {
        return wg_aoti_subclass_of(t)->strides[dimension];
    }
    wg_aoti_note(ctx, aoti_torch_get_stride(wg_aoti_handle(t), dimension, &stride));
    return stride;
}

/* Null when libtorch refuses (a tensor without strides). */
static inline const int64_t *wg_sizes(WgContext *ctx, const WgTensor *t)
{
    int64_t *sizes = NULL;
    if (wg_aoti_is_subclass(t)) {
        return wg_aoti_subclass_of(t)->sizes;
    }
    wg_aoti_note(ctx, aoti_torch_get_sizes(wg_aoti_handle(t), &sizes));
    return sizes;
}

static inline const int64_t *wg_strides(WgContext *ctx, const WgTensor *t)
{
    int64_t *strides = NULL;
    if (wg_aoti_is_subclass(t)) {
        return wg_aoti_subclass_of(t)->strides;
    }
    wg_aoti_note(ctx, aoti_torch_get_strides(wg_aoti_handle(t), &strides));
    return strides;
}

static inline int64_t wg_offset(WgContext *ctx, const WgTensor *t)
{
    int64_t offset = -1;
    if (wg_aoti_is_subclass(t)) {
        return 0;
    }
    wg_aoti_note(ctx, aoti_torch_get_storage_offset(wg_aoti_handle(t), &offset));
    return offset;
}

/* libtorch's numbers are WgDtype's [verified for every dtype]. */
static inline int32_t wg_dtype(WgContext *ctx, const WgTensor *t)
{
    int32_t dtype = -1;
    if (wg_aoti_is_subclass(t)) {
        return wg_aoti_subclass_of(t)->dtype;
    }
    wg_aoti_note(ctx, aoti_torch_get_dtype(wg_aoti_handle(t), &dtype));
    return dtype;
}

/* Takes two calls. libtorch's CPU has index -1 or 0; here it is 0. */
static inline int32_t wg_device(WgContext *ctx, const WgTensor *t)
{
    int32_t type = 0;
    int32_t index = -1;
    if (wg_aoti_is_subclass(t)) {
        return wg_aoti_subclass_of(t)->device;
    }
    wg_aoti_note(ctx, aoti_torch_get_device_type(wg_aoti_handle(t), &type));
    wg_aoti_note(ctx, aoti_torch_get_device_index(wg_aoti_handle(t), &index));
    return type * 256 + (index < 0 ? 0 : index);
}

/* Null for a tensor without elements, for which Tensor.data_ptr() is 0. */
static inline void *wg_data(WgContext *ctx, const WgTensor *t)
{
    void *data = NULL;
    if (!wg_aoti_is_subclass(t)) {
        wg_aoti_note(ctx, aoti_torch_get_data_ptr(wg_aoti_handle(t), &data));
    }
    return data;
}

/* The C ABI returns sizes and strides as numbers; for a symbolic one it returns an error, which the read records. */
static inline int wg_symbol(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol)
{
    (void)ctx;
    (void)t;
    (void)dimension;
    (void)of_stride;
    (void)symbol;
    return 0;
}

/* Strided, and not a subclass: sparse and other tensors without strides are not plain. */
static inline int wg_is_plain(WgContext *ctx, const WgTensor *t)
{
    int32_t layout = -1;
    if (wg_aoti_is_subclass(t)) {
        return 0;
    }
    wg_aoti_note(ctx, aoti_torch_get_layout(wg_aoti_handle(t), &layout));
    return layout == ctx->strided;
}

/* In wg_aoti_verbs.c instead of inline, so that libtorch is called from one place. */
int wg_matches(WgContext *ctx, const WgTensor *t, const WgFact *facts, size_t num_facts);

static inline int wg_is_type(WgContext *ctx, const WgTensor *t, const WgType *type)
{
    (void)ctx;
    return wg_aoti_is_subclass(t) && wg_aoti_subclass_of(t)->type == type;
}

/* Contexts are compared by address: they are constant, with one object for each meaning. */
static inline int wg_has_context(WgContext *ctx, const WgTensor *t, const void *type_context)
{
    (void)ctx;
    return wg_aoti_is_subclass(t) && wg_aoti_subclass_of(t)->type_context == type_context;
}

/* Two handles mean the same tensor object exactly when their sizes are at the same address: sizes lie in the object, or
 * in memory that it owns [verified for rank 0, 2 and 7; detach, alias and as_strided give other addresses]. */
static inline int wg_same(WgContext *ctx, const WgTensor *a, const WgTensor *b)
{
    if (a == b || wg_aoti_is_subclass(a) || wg_aoti_is_subclass(b)) {
        return a == b;
    }
    const int64_t *sizes = wg_sizes(ctx, a);
    return sizes != NULL && sizes == wg_sizes(ctx, b);
}

/* In wg_aoti_verbs.c, since they take several calls. */
WgByteRange wg_byte_range(WgContext *ctx, const WgTensor *t);
int32_t wg_lazy(WgContext *ctx, const WgTensor *t); /* [is_conj, is_neg] */
int wg_requires_grad(WgContext *ctx,
                     const WgTensor *t); /* [is_leaf; for a leaf: is an alias made with grad mode on a leaf?] */
int wg_same_storage(WgContext *ctx, const WgTensor *a, const WgTensor *b); /* [is_set_to of empty tensors over them] */
int64_t wg_version(WgContext *ctx, const WgTensor *t); /* [_version]; 0 for inference tensors, which have none */

static inline int wg_is_view(WgContext *ctx, const WgTensor *t)
{
    if (wg_aoti_is_subclass(t)) {
        return 0;
    }
    return ctx->table->is_view == NULL || ctx->table->is_view(ctx->table->user, wg_aoti_handle(t));
}

static inline int32_t wg_host_status(WgContext *ctx)
{
    const int32_t status = ctx->pending;
    ctx->pending = 0;
    return status;
}

/* ---- verbs that change or make tensors ---- */

int32_t wg_copy_(WgContext *ctx, WgTensor *dst, const WgTensor *src);              /* aoti_torch_copy_ */
int32_t wg_copy_leaf_(WgContext *ctx, WgTensor *dst, const WgTensor *src);         /* [detach], aoti_torch_copy_ */
int32_t wg_set_(WgContext *ctx, WgTensor *dst, const WgTensor *src);               /* [set_.source_Tensor] */
int32_t wg_shallow_copy_data_(WgContext *ctx, WgTensor *dst, const WgTensor *src); /* [set_data] */
int32_t wg_restride_like_(WgContext *ctx, WgTensor *dst, const WgTensor *like);    /* [as_strided_] */

/* [as_strided; view_as_real or view_as_complex first between real and complex of one width; between other dtypes a flat
 * view of the whole storage, view.dtype, as_strided, which share the version counter too] */
int32_t wg_alias_like(WgContext *ctx, WgTensor *base, const WgTensor *target, int requires_grad, WgTensor **out);
int32_t wg_alias_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad,
                    WgTensor **out);
int32_t wg_view_dtype(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out); /* [view.dtype] */
int32_t wg_view_as_real(WgContext *ctx, WgTensor *base, WgTensor **out);              /* [view_as_real] */
int32_t wg_view_as_complex(WgContext *ctx, WgTensor *base, WgTensor **out);           /* [view_as_complex] */
int32_t wg_as_strided(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, WgTensor **out); /* [as_strided] */
int32_t wg_detach(WgContext *ctx, WgTensor *t, WgTensor **out);                                    /* [detach] */
int32_t wg_unsafe_view(WgContext *ctx, WgTensor *t, WgTensor **out);                               /* [_unsafe_view] */
int32_t wg_patch_requires_grad(WgContext *ctx, const WgTensor *base, WgTensor **view, int requires_grad);
int32_t wg_set_requires_grad(WgContext *ctx, WgTensor *t, int requires_grad); /* [requires_grad_] */
int32_t wg_storage_base(WgContext *ctx, WgTensor *src, WgTensor **out);       /* aoti_torch__reinterpret_tensor */
int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out); /* [contiguous] */
int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out);
int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out);
int32_t wg_zeros(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out);
int32_t wg_coerce_tangent(WgContext *ctx, WgTensor *t, const WgType *type, const void *type_context, WgTensor **out);

int32_t wg_attr(WgContext *ctx, const WgTensor *t, int32_t index, WgTensor **attr);
int32_t wg_rebuild(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs, size_t num_attrs,
                   const WgGeometry *outer, WgTensor **out);
int32_t wg_wait(WgContext *ctx, WgTensor *t, WgTensor **waited); /* [_c10d_functional::wait_tensor] of a plain tensor */

/* ---- state ---- */

static inline int wg_grad_mode(WgContext *ctx)
{
    (void)ctx;
    return aoti_torch_grad_mode_is_enabled();
}

static inline void wg_set_grad_mode(WgContext *ctx, int enabled)
{
    (void)ctx;
    aoti_torch_grad_mode_set_enabled(enabled != 0);
}

static inline int wg_view_replay(WgContext *ctx)
{
    return ctx->table->view_replay != NULL && ctx->table->view_replay(ctx->table->user);
}

static inline void wg_set_view_replay(WgContext *ctx, int enabled)
{
    if (ctx->table->set_view_replay != NULL) {
        ctx->table->set_view_replay(ctx->table->user, enabled);
    }
}

static inline uint32_t wg_autocast_off(WgContext *ctx)
{
    return ctx->table->autocast_off == NULL ? 0 : ctx->table->autocast_off(ctx->table->user);
}

static inline void wg_autocast_restore(WgContext *ctx, uint32_t saved)
{
    if (ctx->table->autocast_restore != NULL) {
        ctx->table->autocast_restore(ctx->table->user, saved);
    }
}

/* Read from the system at its first use. */
static inline uint64_t wg_cpu(WgContext *ctx)
{
    return wg_cpu_known(&ctx->cpu);
}

/* From now on variants are chosen as for a CPU with these features, a bit each (wg_cpu.h). Without those that not every
 * machine has, all machines call the same functions. A feature that the CPU lacks is for tests of the choice alone. */
static inline void wg_context_set_cpu(WgContext *ctx, uint64_t features)
{
    ctx->cpu.features = features;
    ctx->cpu.known = 1;
}

static inline int wg_deterministic(WgContext *ctx)
{
    return ctx->table->deterministic != NULL && ctx->table->deterministic(ctx->table->user);
}

int32_t wg_bump_version(WgContext *ctx,
                        WgTensor *t); /* [transpose_(0, 0) under no_grad: changes nothing but the count] */
int32_t wg_mark_dynamic(WgContext *ctx, WgTensor *t, const int32_t *dimensions, size_t num_dimensions);
int32_t wg_rng_get(WgContext *ctx, WgTensor **seed, WgTensor **offset);
int32_t wg_rng_set(WgContext *ctx, const WgTensor *offset);

/* ---- lifetime ---- */

void wg_aoti_subclass_release(WgTensor *t);

/* Makes another handle of the same tensor object; a subclass is counted. */
static inline int32_t wg_retain(WgContext *ctx, WgTensor *t, WgTensor **owned)
{
    struct AtenTensorOpaque *handle = NULL;
    (void)ctx;
    if (wg_aoti_is_subclass(t)) {
        __atomic_fetch_add(&wg_aoti_subclass_of(t)->references, 1, __ATOMIC_RELAXED);
        *owned = t;
        return WG_AOTI_OK;
    }
    const int32_t failed = aoti_torch_new_tensor_handle(wg_aoti_handle(t), &handle);
    *owned = failed != 0 ? NULL : wg_aoti_tensor(handle);
    return failed != 0 ? WG_AOTI_E_TORCH : WG_AOTI_OK;
}

static inline void wg_release(WgContext *ctx, WgTensor *t)
{
    (void)ctx;
    if (wg_aoti_is_subclass(t)) {
        wg_aoti_subclass_release(t);
    } else if (t != NULL) {
        (void)aoti_torch_delete_tensor_object(wg_aoti_handle(t));
    }
}

static inline void wg_release_run(WgContext *ctx, WgValue *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        WgTensor *t = values[i].tensor;
        values[i].tensor = NULL;
        wg_release(ctx, t);
    }
}

static inline WgValue *wg_scratch_take(WgContext *ctx, size_t n)
{
    if (n > ctx->scratch_capacity - ctx->scratch_used) {
        return NULL;
    }
    WgValue *taken = ctx->scratch + ctx->scratch_used;
    ctx->scratch_used += n;
    return taken;
}

static inline void wg_scratch_give(WgContext *ctx, size_t n)
{
    ctx->scratch_used -= n;
}

#ifdef __cplusplus
}
#endif

#endif /* WG_AOTI_H */
