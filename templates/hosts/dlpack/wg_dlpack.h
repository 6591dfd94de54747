/* SPDX-License-Identifier: 0BSD */
/*
 * wg_dlpack.h - the `dlpack` host: tensors over memory that others own and describe by DLPack 1.x, as NumPy, JAX, TVM
 * and PyTorch do, without copies.
 *
 * It has two readers. Generated code calls the verbs (contracts: VERBS.md); the ones that only read are field loads,
 * inline in this file. Programs call the functions that begin with wg_context_ and wg_dlpack_, to make contexts, to
 * take tensors in and to hand them out. Build with every .c file of this folder and of templates/core. C11 and C++17.
 *
 * Ownership. Tensors are counted; views share the memory's owner. When the last tensor over memory that was taken in is
 * gone, its DLPack deleter is called, once. A tensor that was handed out holds a reference until its own deleter is
 * called, by any thread and without a context. Counts are atomic; -DWG_SINGLE_THREADED, for every file of the program,
 * makes them plain integers.
 *
 * What DLPack has no word for is of three kinds.
 *   - The host keeps it: versions, requires_grad and what is a leaf or a view are its own, start anew for each tensor
 *     that is taken in, and follow the rules of the host `native`. A write by another library raises no version, and
 *     two tensors that were taken in over one memory do not count each other's writes. Wrappers see that such tensors
 *     share memory by their addresses.
 *   - Generation refuses it, by the verb that this host lacks: a change of an input's geometry, storage or dtype
 *     (wg_set_, wg_shallow_copy_data_, wg_restride_like_), which the memory's owner would never see; the whole storage
 *     of a tensor, or the tensor that it is a view of (wg_storage_base, wg_view_base); lazy conjugation and negation;
 *     subclasses; nested ints; random numbers and generators. Marks for Dynamo have no effect, with a warning.
 *   - A call refuses it: wg_dlpack_from_versioned() and the others below say what, wg_dlpack_refusal_text() why.
 *
 * Elements are read and written on the CPU only. Tensors of other devices have facts, views and addresses, which
 * compiled functions may use, but a copy is refused (WG_DLPACK_E_DEVICE), and none is made.
 */
#ifndef WG_DLPACK_H
#define WG_DLPACK_H

#include "wg_core.h"
#include "wg_cpu.h"

#if !WG_HAS_COUNTERS
#error "wrapgen: this compiler has no __atomic_fetch_add; define WG_SINGLE_THREADED if one thread makes all calls"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Of dlpack.h, or of wg_dlpack_abi.h. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Generated code refers to this, so linking it to another host, or to another ABI of this one, fails. */
extern const int32_t wg_host_dlpack_abi1;

/* The codes of this host: name, what is wrong. The numbers start above those of WgStatus. */
#define WG_DLPACK_CODES(X)                                                                                             \
    X(WG_DLPACK_E_MEMORY, "the allocator has no memory")                                                               \
    X(WG_DLPACK_E_ARGUMENT, "an argument makes no sense: a null pointer, a negative rank or count")                    \
    X(WG_DLPACK_E_SIZE, "a size is negative")                                                                          \
    X(WG_DLPACK_E_STRIDE, "a stride is negative")                                                                      \
    X(WG_DLPACK_E_OFFSET, "the storage offset is negative, or byte_offset is not a whole number of elements")          \
    X(WG_DLPACK_E_OVERFLOW, "sizes, strides and offset overflow 64 bits")                                              \
    X(WG_DLPACK_E_BOUNDS, "the geometry reaches outside the memory that the tensor was taken in with")                 \
    X(WG_DLPACK_E_DTYPE, "the dtype is unknown, or this operation does not accept it")                                 \
    X(WG_DLPACK_E_LANES, "elements that are vectors (lanes other than 1)")                                             \
    X(WG_DLPACK_E_DEVICE, "the device is unknown, or its memory is not the CPU's")                                     \
    X(WG_DLPACK_E_VERSION, "another major version of DLPack")                                                          \
    X(WG_DLPACK_E_READ_ONLY, "the tensor is read-only")                                                                \
    X(WG_DLPACK_E_BORROWED, "the memory is only borrowed, so nothing would keep it alive")                             \
    X(WG_DLPACK_E_SHAPE, "the source cannot be broadcast to the destination")                                          \
    X(WG_DLPACK_E_OVERLAP, "more than one element of the written-to tensor refers to a single memory location")        \
    X(WG_DLPACK_E_LEAF, "a leaf that requires grad, or a view of one, is changed in place while grad mode is on")      \
    X(WG_DLPACK_E_GRAD,                                                                                                \
      "DLPack has no gradients, or requires_grad cannot be changed: not a floating dtype, or not a leaf")              \
    X(WG_DLPACK_E_VIEW, "the geometry does not allow viewing these elements as that dtype")

typedef enum WgDlpackCode {
    WG_DLPACK_OK = 0,
    WG_DLPACK_E_BASE = 1100, /* not used itself */
#define WG_DLPACK_CODE(name, text) name,
    WG_DLPACK_CODES(WG_DLPACK_CODE)
#undef WG_DLPACK_CODE
} WgDlpackCode;

/* Provides objects and the memory of new tensors. It must outlive everything allocated from it: every object returns
 * there, whichever thread releases it, so it must be thread-safe when tensors cross threads. */
typedef struct WgDlpackAllocator {
    void *(*allocate)(void *user, size_t num_bytes); /* aligned for any object of C; null when there is no memory */
    void (*release)(void *user, void *pointer, size_t num_bytes);
    void *user;
} WgDlpackAllocator;

/* Memory and its owner. Public so that verbs inline; only the host sets it. */
struct WgStorage {
    int64_t references;
    int64_t version;
    unsigned char *data; /* null when num_bytes is 0 */
    int64_t num_bytes;   /* up to the end of what was taken in; there may be more */
    struct DLManagedTensorVersioned
        *versioned; /* one of the two owns what was taken in; null in what was borrowed ... */
    struct DLManagedTensor *unversioned;
    uint8_t is_own; /* ... and in memory that this host has made */
    uint8_t is_read_only;
    uint8_t is_copied;
    const WgDlpackAllocator *allocator;
    size_t block_bytes;
};

/* Its geometry never changes. */
struct WgTensor {
    int64_t references;
    WgStorage *storage;
    unsigned char *data; /* element [0, ..., 0]; null when there are no elements */
    int64_t *sizes;      /* in the same block, and the strides after them */
    int64_t *strides;
    int64_t offset; /* elements */
    int32_t rank;
    int32_t dtype;
    int32_t device;
    int32_t element_bytes;
    uint8_t requires_grad;
    uint8_t is_leaf;
    uint8_t is_view;
    uint8_t is_view_of_leaf; /* a view of a tensor that requires grad, made while grad mode was on */
    uint8_t is_compact;
    int64_t num_elements;
    int64_t reach_bytes; /* from the first element to the end of the last */
    int64_t version_bias;
    const WgDlpackAllocator *allocator;
    size_t block_bytes;
};

/* Why a tensor was refused; the numbers that were found are what the code is about. */
typedef struct WgDlpackRefusal {
    int32_t code;
    int64_t found[2];
} WgDlpackRefusal;

struct WgContext {
    int32_t grad_mode;
    int32_t view_replay;
    int32_t deterministic;
    uint32_t autocast;
    WgCpu cpu;
    WgValue *scratch;
    size_t scratch_capacity;
    size_t scratch_used;
    const WgDlpackAllocator *allocator;
    WgDlpackRefusal refusal;
    WgErrorSlot error;
};

/* ---- contexts ---- */

/* A new context: grad mode on, everything else off or 0, no scratch. `allocator` null: malloc. */
int32_t wg_context_create(const WgDlpackAllocator *allocator, WgContext **out);

/* Null is allowed. Tensors made with the context live on. */
void wg_context_destroy(WgContext *ctx);

/* A context for another thread: it has the same modes, allocator and amount of scratch, but no error. */
int32_t wg_context_fork(const WgContext *parent, WgContext **out);

/* Makes room for at least n values of scratch in all; fails while some is taken (WG_DLPACK_E_ARGUMENT). */
int32_t wg_context_reserve(WgContext *ctx, size_t n);

void wg_context_set_deterministic(WgContext *ctx, int enabled);
void wg_context_set_autocast(WgContext *ctx, uint32_t devices); /* a bit for each device type whose autocast is on */

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
 * that requires grad (wg_detach() first), and one over borrowed memory.
 */
int32_t wg_dlpack_to_versioned(WgContext *ctx, WgTensor *t, struct DLManagedTensorVersioned **out);

/* The same for DLPack before 1.0; refused for a read-only tensor, since it cannot say so. */
int32_t wg_dlpack_to_unversioned(WgContext *ctx, WgTensor *t, struct DLManagedTensor **out);

/* ---- looking at tensors ---- */

int wg_dlpack_is_read_only(const WgTensor *t); /* wg_copy_ and the like refuse it; compiled functions must ask */
int wg_dlpack_is_copied(const WgTensor *t);    /* the producer copied: it will not see what is written */
int64_t wg_dlpack_count(const WgTensor *t);    /* number of references */

const char *wg_dlpack_code_text(int32_t code); /* "a size is negative"; null for a number that is not a code */

/* Why taking in or handing out failed last in this context, with the numbers: "DLPack 2.0 is another major version than
 * 1.1, ...". In the manner of wg_error_text; empty when nothing has failed. In wg_dlpack_text.c, which alone needs
 * stdio. */
size_t wg_dlpack_refusal_text(const WgContext *ctx, char *buffer, size_t capacity);

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
    return t->sizes;
}

static inline const int64_t *wg_strides(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->strides;
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
    (void)t;
    return 1;
}

static inline int wg_symbol(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol)
{
    (void)ctx;
    (void)t;
    (void)dimension;
    (void)of_stride;
    (void)symbol;
    return 0;
}

static inline int wg_is_view(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return t->is_view;
}

/* Two tensors that were taken in are two objects, even when the producer handed one out twice. */
static inline int wg_same(WgContext *ctx, const WgTensor *a, const WgTensor *b)
{
    (void)ctx;
    return a == b;
}

static inline WgByteRange wg_byte_range(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    WgByteRange range;
    range.first = (uintptr_t)t->data;
    range.end = t->data == NULL ? 0 : (uintptr_t)t->data + (uintptr_t)t->reach_bytes;
    return range;
}

/* Also of two that were taken in separately, when the memory that each was taken in with meets. */
static inline int wg_same_storage(WgContext *ctx, const WgTensor *a, const WgTensor *b)
{
    (void)ctx;
    WgByteRange of_a, of_b;
    of_a.first = (uintptr_t)a->storage->data;
    of_a.end = of_a.first + (uintptr_t)a->storage->num_bytes;
    of_b.first = (uintptr_t)b->storage->data;
    of_b.end = of_b.first + (uintptr_t)b->storage->num_bytes;
    return a->storage == b->storage || wg_ranges_meet(of_a, of_b);
}

static inline int64_t wg_version(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    return wg_counter_read(&t->storage->version) + t->version_bias;
}

static inline int32_t wg_host_status(WgContext *ctx)
{
    (void)ctx;
    return 0;
}

/* ---- verbs that change or make tensors ---- */

int32_t wg_copy_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_copy_leaf_(WgContext *ctx, WgTensor *dst, const WgTensor *src);

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
int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out);
int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out);

/* On the CPU. */
int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out);
int32_t wg_zeros(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out);

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

/* From now on variants are chosen as for a CPU with these features, a bit each (wg_cpu.h). A feature that the CPU lacks
 * is for tests of the choice alone. */
static inline void wg_context_set_cpu(WgContext *ctx, uint64_t features)
{
    ctx->cpu.features = features;
    ctx->cpu.known = 1;
}

static inline int wg_deterministic(WgContext *ctx)
{
    return ctx->deterministic;
}

/* Refused for a read-only tensor: whoever wrote to it had no right to. */
static inline int32_t wg_bump_version(WgContext *ctx, WgTensor *t)
{
    (void)ctx;
    if (t->storage->is_read_only) {
        return WG_DLPACK_E_READ_ONLY;
    }
    wg_counter_raise(&t->storage->version);
    return 0;
}

static inline int32_t wg_mark_dynamic(WgContext *ctx, WgTensor *t, const int32_t *dimensions, size_t num_dimensions)
{
    (void)ctx;
    (void)t;
    (void)dimensions;
    (void)num_dimensions;
    return 0;
}

/* ---- lifetime ---- */

/* Files that count atomically and files that do not must not be mixed, so they refer to different symbols. */
#ifdef WG_SINGLE_THREADED
#define wg_dlpack_destroy wg_dlpack_destroy_single_threaded
#endif

/* Frees a tensor whose last reference is gone. For wg_release. */
void wg_dlpack_destroy(WgTensor *t);

/* Gives a reference back; returns 1 when it was the last. */
static inline int wg_dlpack_drop(int64_t *references)
{
    return wg_counter_lower(references) == 1;
}

static inline int32_t wg_retain(WgContext *ctx, WgTensor *t, WgTensor **owned)
{
    (void)ctx;
    wg_counter_raise(&t->references);
    *owned = t;
    return 0;
}

static inline void wg_release(WgContext *ctx, WgTensor *t)
{
    (void)ctx;
    if (t != NULL && wg_dlpack_drop(&t->references)) {
        wg_dlpack_destroy(t);
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

#endif /* WG_DLPACK_H */
