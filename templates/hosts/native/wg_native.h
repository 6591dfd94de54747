/* SPDX-License-Identifier: 0BSD */
/*
 * wg_native.h - the `native` host: a small tensor library, so that generated code runs with nothing else installed.
 *
 * It has two readers. Generated code calls the verbs (contracts: VERBS.md); the ones that only read are field loads,
 * inline in this file. Programs call the functions that begin with wg_context_ and wg_native_, to make contexts and
 * tensors and to read elements. Build with wg_cold.c, wg_copy.c and wg_native_cold.c, and with wg_native_text.c to
 * print tensors. C11; wg_compiler.h says what else.
 *
 * Ownership. Tensors and storages are counted. A count of 0 means "not counted": such an object lives on the stack, in
 * static memory or inside another one, retaining and releasing it does nothing, and whoever made it ends it
 * (wg_native_end). Counts are atomic, so threads, each with its own context, may share tensors that no call changes.
 * -DWG_SINGLE_THREADED, for every file of the program, makes them plain integers.
 *
 * Versions. A storage counts its writes; a tensor's version is that count plus the tensor's own bias. Measured with
 * PyTorch 2.13 (`_version`), and the same here:
 *   - copy_ and as_strided_ raise it by one, even when nothing is copied or when source and destination are one object;
 *     views and detached tensors share the count, so theirs rises too (torch/csrc/autograd/ADInplaceOrViewType,
 * which ends every in-place operation with increment_version);
 *   - x.set_(y) raises x's version by one and that of x's views and detached tensors; y's is untouched;
 *   - x.data = y leaves x's version as it was, regardless of y's;
 *   - aten._unsafe_view starts at 0.
 * There is one difference: here the count belongs to the memory, in PyTorch to the tensor. After x.set_(y), x.data = y
 * or u = _unsafe_view(x) a write to one of the two raises both versions, while PyTorch raises only the written one's;
 * and the former views of x, whose memory x has left, no longer rise with it. So a version check may refuse where
 * PyTorch would not, but only when the memory really was written, and no write to a tensor's memory goes uncounted.
 * Inference tensors are not counted: their version is 0 unless their storage is shared with tensors that are.
 *
 * Gradients. There is no autograd engine: requires_grad and "is a leaf" are flags that follow PyTorch's rules as far as
 * the verbs can tell. A view of a tensor that requires grad requires grad, even under no_grad (it is a leaf then);
 * view(dtype) never does; copy_ of a source that requires grad makes a floating destination require it while grad mode
 * is on, but not the base that the destination is a view of.
 */
#ifndef WG_NATIVE_H
#define WG_NATIVE_H

#include "wg_native_types.h"

#if !WG_HAS_COUNTERS
#error "wrapgen: this compiler has no __atomic_fetch_add; define WG_SINGLE_THREADED if one thread makes all calls"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Generated code refers to this, so linking it to another host, or to another ABI of this one, fails. */
extern const int32_t wg_host_native_abi1;

/* ---- contexts ---- */

/* A new context: grad mode on, everything else off or 0, no scratch. `allocator` null: malloc. */
int32_t wg_context_create(const WgNativeAllocator *allocator, WgContext **out);

/* Null is allowed. Tensors made with the context live on. */
void wg_context_destroy(WgContext *ctx);

/* A context for another thread: it has the same modes, random numbers, allocator and amount of scratch, but no error,
 * an empty cache and no generators: its graphs make their own, from the same seed unless wg_context_set_rng() sets
 * another. */
int32_t wg_context_fork(const WgContext *parent, WgContext **out);

/* Makes room for at least n values of scratch in all; fails while some is taken (WG_NATIVE_E_ARGUMENT). */
int32_t wg_context_reserve(WgContext *ctx, size_t n);

void wg_context_set_deterministic(WgContext *ctx, int enabled);
void wg_context_set_autocast(WgContext *ctx, uint32_t devices); /* a bit for each device type whose autocast is on */
void wg_context_set_rng(WgContext *ctx, int64_t seed, int64_t offset); /* existing generators stay as they are */

/* ---- making tensors: each returns a status; *out is an owned reference, null on failure ---- */

/* Compact tensors on the CPU. wg_native_zeros writes zeros. */
int32_t wg_native_empty(WgContext *ctx, int32_t dtype, int32_t rank, const int64_t *sizes, WgTensor **out);
int32_t wg_native_zeros(WgContext *ctx, int32_t dtype, int32_t rank, const int64_t *sizes, WgTensor **out);

/* A tensor over the caller's memory. geometry->offset counts from `data`. free_data may be null; else it is called
 * once, with free_user, when the last tensor over the memory is gone, and never when this function fails. Any device is
 * allowed: only the CPU's memory is ever read. On the meta device `data` is null. */
int32_t wg_native_borrow(WgContext *ctx, void *data, int64_t num_bytes, const WgGeometry *geometry, int32_t dtype,
                         int32_t device, void (*free_data)(void *user, void *data), void *free_user, WgTensor **out);

/* The same, in the caller's objects (on the stack, static), which are not counted: allocates nothing up to rank
 * WG_NATIVE_INLINE_RANK. End them with wg_native_end, after everything that shares the storage. */
int32_t wg_native_begin(WgContext *ctx, void *data, int64_t num_bytes, const WgGeometry *geometry, int32_t dtype,
                        int32_t device, WgStorage *storage, WgTensor *tensor);
void wg_native_end(WgContext *ctx, WgTensor *tensor);

/* A tensor of a subclass over its attributes, num_attrs == type->num_attributes; takes them in every case, even on
 * failure. dtype and device are those of attribute 0; so are sizes and strides when `outer` is null. `type_context` is
 * kept as it is. An absent optional attribute is null; only a type with an unflatten function, which knows which may be
 * absent, may have one, and attribute 0 is never optional. */
int32_t wg_native_subclass(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs,
                           size_t num_attrs, const WgGeometry *outer, WgTensor **out);

/* For WgType.contiguous of types whose layout is that of their attributes: brings each attribute into the format. */
int32_t wg_native_contiguous_each(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out);

/* Sets the flag alone; for tensors that are not shared yet. */
void wg_native_set_inference(WgTensor *t, int is_inference);

/* Sets a type without attributes on a tensor with memory (as for a Parameter); null: plain. */
void wg_native_set_type(WgTensor *t, const WgType *type);

/* ---- looking at tensors ---- */

const void *wg_native_type_context(const WgTensor *t); /* as given to wg_native_subclass; null for other tensors */
int64_t wg_native_count(const WgTensor *t);            /* number of references; 0: not counted */
int wg_native_is_marked(const WgTensor *t, int32_t dimension);

/* Address of an element, null when an index (rank of them) is out of range or the memory is not the CPU's. */
void *wg_native_element(const WgTensor *t, const int64_t *index);

/* Elements by position in row-major order of the tensor's own shape; position < num_elements, CPU memory only. Integers
 * and bools are exact in _integer (uint64: its bits), everything else is in _real. The setters convert as copy_ does
 * and do not raise the version: they are for filling tensors. */
double wg_native_real(const WgTensor *t, int64_t position);
double wg_native_imaginary(const WgTensor *t, int64_t position);
int64_t wg_native_integer(const WgTensor *t, int64_t position);
void wg_native_set_real(WgTensor *t, int64_t position, double real);
void wg_native_set_complex(WgTensor *t, int64_t position, double real, double imaginary);
void wg_native_set_integer(WgTensor *t, int64_t position, int64_t integer);

const char *wg_native_code_text(int32_t code); /* "a size is negative"; null for a number that is not a code */

/* In wg_native_text.c. Writes a tensor's contents as several lines of text, in the manner of wg_error_text. */
size_t wg_native_text(const WgTensor *t, char *buffer, size_t capacity);

/* ---- verbs that read ---- */

static inline int32_t wg_rank(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->rank;
}

static inline int64_t wg_size(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    (void)ctx;
    return t->sizes[dimension];
}

static inline int64_t wg_stride(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    (void)ctx;
    return t->strides[dimension];
}

static inline const int64_t *wg_sizes(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    WG_ASSUME(t->sizes != NULL); /* of a live tensor, so callers need not test it */
    return t->sizes;
}

static inline const int64_t *wg_strides(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    WG_ASSUME(t->strides != NULL); /* of a live tensor, so callers need not test it */
    return t->strides;
}

/* An object is its own owner: what outlives it must not keep the number. */
static inline int64_t wg_nested_int(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return (int64_t)(uintptr_t)t;
}

static inline int64_t wg_offset(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->offset;
}

static inline int32_t wg_dtype(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->dtype;
}

static inline int32_t wg_device(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->device;
}

/* Null for a tensor without elements, for which Tensor.data_ptr() is 0. */
static inline void *wg_data(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->data;
}

static inline int wg_requires_grad(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->requires_grad;
}

static inline int wg_is_plain(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->type == NULL;
}

static inline int wg_is_view(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->is_view;
}

static inline int wg_symbol(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol)
{
    return t->type != NULL && t->type->symbol != NULL && t->type->symbol(ctx, t, dimension, of_stride, symbol);
}

static inline int wg_is_type(WgContext *ctx, const WgTensor *t, const WgType *type)
{
    (void)ctx;
    return t->type == type;
}

/* Contexts are compared by address: they are constant, with one object for each meaning. */
static inline int wg_has_context(WgContext *ctx, const WgTensor *t, const void *type_context)
{
    (void)ctx;
    return wg_native_type_context(t) == type_context;
}

static inline int wg_same(WgContext *ctx, const WgTensor *a, const WgTensor *b)
{
    (void)ctx;
    return a == b;
}

/* Gives addresses, so that two borrowed pieces of one buffer are seen to share it. */
static inline WgByteRange wg_byte_range(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    WgByteRange range;
    range.first = (uintptr_t)t->data;
    range.end = t->data == NULL ? 0 : (uintptr_t)t->data + (uintptr_t)t->reach_bytes;
    return range;
}

static inline WgByteRange wg_native_memory(const WgStorage *storage)
{
    WgByteRange range;
    range.first = (uintptr_t)storage->data;
    range.end = storage->data == NULL ? 0 : (uintptr_t)storage->data + (uintptr_t)storage->num_bytes;
    return range;
}

/* Also of two whose memory was borrowed separately, from one address on. Two pieces that only meet are two storages:
 * the offset of one would name other elements of the other one. */
static inline int wg_same_storage(WgContext *ctx, const WgTensor *a, const WgTensor *b)
{
    (void)ctx;
    return a->storage == b->storage || (a->storage->data == b->storage->data &&
                                        wg_ranges_meet(wg_native_memory(a->storage), wg_native_memory(b->storage)));
}

static inline int64_t wg_version(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return wg_counter_read(&t->storage->version) + t->version_bias;
}

/* wg_error_clear() without a function call, since it precedes every call of a compiled function. */
static inline void wg_native_error_clear(WgContext *ctx)
{
    ctx->error.error.site = NULL;
    ctx->error.error.status = WG_OK;
}
#define wg_error_clear(ctx) wg_native_error_clear(ctx)

static inline int32_t wg_host_status(WgContext *ctx)
{
    (void)ctx;
    return 0;
}

/* ---- verbs that change or make tensors ---- */

int32_t wg_copy_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_copy_leaf_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_set_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_shallow_copy_data_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_restride_like_(WgContext *ctx, WgTensor *dst, const WgTensor *like);

int32_t wg_alias_like(WgContext *ctx, WgTensor *base, const WgTensor *target, int requires_grad, WgTensor **out);
int32_t wg_alias_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad,
                    WgTensor **out);
int32_t wg_view_dtype(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out);
int32_t wg_view_as_real(WgContext *ctx, WgTensor *base, WgTensor **out);
int32_t wg_view_as_complex(WgContext *ctx, WgTensor *base, WgTensor **out);
int32_t wg_as_strided(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, WgTensor **out);
int32_t wg_detach(WgContext *ctx, WgTensor *t, WgTensor **out);
int32_t wg_unsafe_view(WgContext *ctx, WgTensor *t, WgTensor **out);
int32_t wg_patch_requires_grad(WgContext *ctx, const WgTensor *base, WgTensor **view, int requires_grad);
int32_t wg_set_requires_grad(WgContext *ctx, WgTensor *t, int requires_grad);
int32_t wg_storage_base(WgContext *ctx, WgTensor *src, WgTensor **out);
int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out);
int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out);
int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out);
int32_t wg_zeros(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out);
int32_t wg_coerce_tangent(WgContext *ctx, WgTensor *t, const WgType *type, const void *type_context, WgTensor **out);

static inline int32_t wg_attr(WgContext *ctx, const WgTensor *t, int32_t index, WgTensor **attr)
{
    (void)ctx;
    const int is_there = t->subclass != NULL && index >= 0 && index < t->subclass->num_attrs;
    *attr = is_there ? t->subclass->attrs[index] : NULL;
    return is_there ? WG_NATIVE_OK : WG_NATIVE_E_ATTRIBUTES;
}

int32_t wg_rebuild(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs, size_t num_attrs,
                   const WgGeometry *outer, WgTensor **out);

static inline int32_t wg_wait(WgContext *ctx, WgTensor *t, WgTensor **waited)
{
    if (t->type != NULL && t->type->wait != NULL) {
        *waited = NULL;
        return t->type->wait(ctx, t, waited);
    }
    *waited = t;
    return 0;
}

/* ---- state ---- */

static inline int wg_grad_mode(WgContext *ctx)
{
    return ctx->grad_mode;
}

static inline void wg_set_grad_mode(WgContext *ctx, int enabled)
{
    ctx->grad_mode = enabled;
}

static inline int wg_view_replay(WgContext *ctx)
{
    return ctx->view_replay;
}

static inline void wg_set_view_replay(WgContext *ctx, int enabled)
{
    ctx->view_replay = enabled;
}

static inline uint32_t wg_autocast_off(WgContext *ctx)
{
    const uint32_t saved = ctx->autocast;
    ctx->autocast = 0;
    return saved;
}

static inline void wg_autocast_restore(WgContext *ctx, uint32_t saved)
{
    ctx->autocast = saved;
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
    return ctx->deterministic;
}

static inline void wg_native_raise(WgStorage *storage)
{
    wg_counter_raise(&storage->version);
}

/* Refused for a read-only tensor: whoever wrote to it had no right to. */
static inline int32_t wg_bump_version(WgContext *ctx, WgTensor *t)
{
    (void)ctx;
    if (t->storage->is_read_only) {
        return WG_NATIVE_E_READ_ONLY;
    }
    if (!t->is_inference) {
        wg_native_raise(t->storage);
    }
    return 0;
}

int32_t wg_mark_dynamic(WgContext *ctx, WgTensor *t, const int32_t *dimensions, size_t num_dimensions);
int32_t wg_rng_get(WgContext *ctx, WgTensor **seed, WgTensor **offset);
int32_t wg_rng_set(WgContext *ctx, const WgTensor *offset);
int32_t wg_generator_get(WgContext *ctx, const void *owner, int32_t index, int32_t device, void **generator);
int32_t wg_generator_state(WgContext *ctx, const void *generator, WgTensor **state); /* int64 of [seed, offset] */
int32_t wg_generator_restore(WgContext *ctx, void *generator, const WgTensor *state);

/* ---- lifetime ---- */

/* Files that count atomically and files that do not must not be mixed, so they refer to different symbols. */
#ifdef WG_SINGLE_THREADED
#define wg_native_destroy wg_native_destroy_single_threaded
#endif

/* Frees a tensor whose last reference is gone. For wg_release. Without a context (null) nothing is kept for reuse. */
void wg_native_destroy(WgContext *ctx, WgTensor *t);

static inline void wg_native_keep(int64_t *references)
{
    if (wg_counter_read(references) != 0) {
        wg_counter_raise(references);
    }
}

/* Gives a reference back; returns 1 when it was the last. The holder of the only reference needs no atomic subtraction,
 * since no other thread can add to it. */
static inline int wg_native_drop(int64_t *references)
{
    const int64_t before = wg_counter_read_last(references);
    if (before <= 1) {
        return before == 1;
    }
    return wg_counter_lower(references) == 1;
}

static inline int32_t wg_retain(WgContext *ctx, WgTensor *t, WgTensor **owned)
{
    (void)ctx;
    wg_native_keep(&t->references);
    *owned = t;
    return 0;
}

static inline void wg_release(WgContext *ctx, WgTensor *t)
{
    if (t != NULL && wg_native_drop(&t->references)) {
        wg_native_destroy(ctx, t);
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

#endif /* WG_NATIVE_H */
