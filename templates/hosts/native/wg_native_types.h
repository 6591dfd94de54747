/* SPDX-License-Identifier: 0BSD */
/* wg_native_types.h - what tensors, storages and contexts of the native host consist of, and its codes; see
 * wg_native.h. The host dlpack has the same. */
#ifndef WG_NATIVE_TYPES_H
#define WG_NATIVE_TYPES_H

#include "wg_core.h"
#include "wg_cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WG_NATIVE_INLINE_RANK = 6,     /* sizes and strides up to this rank live in the tensor object */
    WG_NATIVE_CACHED_TENSORS = 64, /* dead tensor objects that a context keeps for reuse */
    WG_NATIVE_DEPTH = 32           /* subclasses nested deeper than this are not copied, detached or compared */
};

/* The codes of this host: name, what is wrong. The numbers start above those of WgStatus. */
#define WG_NATIVE_CODES(X)                                                                                             \
    X(WG_NATIVE_E_MEMORY, "the allocator has no memory")                                                               \
    X(WG_NATIVE_E_ARGUMENT, "an argument makes no sense: a null pointer, a negative rank or count")                    \
    X(WG_NATIVE_E_SIZE, "a size is negative")                                                                          \
    X(WG_NATIVE_E_STRIDE, "a stride is negative")                                                                      \
    X(WG_NATIVE_E_OFFSET, "the storage offset is negative")                                                            \
    X(WG_NATIVE_E_OVERFLOW, "sizes, strides and offset overflow 64 bits")                                              \
    X(WG_NATIVE_E_BOUNDS, "the geometry reaches outside the storage")                                                  \
    X(WG_NATIVE_E_DTYPE, "the dtype is unknown, or this operation does not accept it")                                 \
    X(WG_NATIVE_E_DEVICE, "the devices differ, or the memory is not the CPU's")                                        \
    X(WG_NATIVE_E_SHAPE, "the source cannot be broadcast to the destination")                                          \
    X(WG_NATIVE_E_OVERLAP, "more than one element of the written-to tensor refers to a single memory location")        \
    X(WG_NATIVE_E_LEAF, "a leaf that requires grad, or a view of one, is changed in place while grad mode is on")      \
    X(WG_NATIVE_E_GRAD, "requires_grad cannot be changed: not a floating dtype, or not a leaf")                        \
    X(WG_NATIVE_E_INFERENCE, "an inference tensor cannot require grad")                                                \
    X(WG_NATIVE_E_VIEW, "the geometry does not allow viewing these elements as that dtype")                            \
    X(WG_NATIVE_E_SUBCLASS, "the operation is not defined for this tensor subclass")                                   \
    X(WG_NATIVE_E_ATTRIBUTES, "number or index of a subclass's attributes")                                            \
    X(WG_NATIVE_E_DIMENSION, "a dimension that the tensor does not have, or that cannot be marked")                    \
    X(WG_NATIVE_E_VALUE, "a random number offset must be one non-negative int64 on the CPU")                           \
    X(WG_NATIVE_E_READ_ONLY, "the tensor is read-only")

typedef enum WgNativeCode {
    WG_NATIVE_OK = 0,
    WG_NATIVE_E_BASE = 1000, /* not used itself */
#define WG_NATIVE_CODE(name, text) name,
    WG_NATIVE_CODES(WG_NATIVE_CODE)
#undef WG_NATIVE_CODE
} WgNativeCode;

/* Provides objects and the memory of new storages. It must outlive everything allocated from it: every object remembers
 * its allocator and returns there, whichever context releases it, so it must be thread-safe when tensors cross threads.
 */
typedef struct WgNativeAllocator {
    void *(*allocate)(void *user, size_t num_bytes); /* aligned for any object of C; null when there is no memory */
    void (*release)(void *user, void *pointer, size_t num_bytes);
    void *user;
} WgNativeAllocator;

/* Owns its bytes, borrows them, or has a function that frees them. Public so that verbs inline; only functions of hosts
 * set it.
 */
struct WgStorage {
    int64_t references;
    int64_t version;
    unsigned char *data; /* null when num_bytes is 0, and always on the meta device */
    int64_t num_bytes;
    void (*free_data)(void *user, void *data); /* null: nothing to free */
    void *free_user;
    const WgNativeAllocator *allocator; /* null: the object was not allocated */
    size_t block_bytes;                 /* more than the object's own: it owns its bytes, which lie after it */
    uint8_t is_read_only;               /* set by the host dlpack, as is_copied */
    uint8_t is_copied;                  /* whoever gave the memory does not see what is written */
};

typedef struct WgNativeSubclass WgNativeSubclass; /* the attributes of a subclass */

struct WgTensor {
    int64_t references;
    WgStorage *storage;  /* never null in a live tensor */
    unsigned char *data; /* element [0, ..., 0]; null when there are no elements */
    int64_t *sizes;
    int64_t *strides;
    int64_t offset; /* elements */
    int32_t rank;
    int32_t dtype;
    int32_t device;
    uint8_t requires_grad;
    uint8_t is_leaf;
    uint8_t is_view_of_leaf; /* a view of a tensor that requires grad, made while grad mode was on */
    uint8_t is_inference;
    int32_t element_bytes;
    uint8_t is_view; /* Tensor._is_view(): made by a differentiable view, not detached; never for inference tensors */
    uint8_t is_compact; /* strides are those of a freshly made tensor, ignoring dimensions of size 1 */
    int64_t num_elements;
    int64_t reach_bytes; /* from the first element to the end of the last, even without memory */
    int64_t version_bias;
    const WgType *type; /* null: plain */
    WgNativeSubclass *subclass;
    uint64_t dynamic_dimensions; /* bit d: dimension d was marked */
    const WgNativeAllocator *allocator;
    WgTensor *next;    /* links dead tensors: in a context's cache, or waiting to be freed */
    int64_t *heap;     /* sizes and strides of a higher rank, or null */
    int32_t heap_rank; /* rank that `heap` has room for */
    int64_t inline_geometry[2 * WG_NATIVE_INLINE_RANK];
};

/*
 * A graph's own stream of random numbers. A graph with `rng: graphsafe` gets a pointer to one among its arguments. A
 * compiled function computes number i of its draw from seed and offset + i, and adds the count drawn to `offset`.
 */
typedef struct WgNativeGenerator WgNativeGenerator;
struct WgNativeGenerator {
    int64_t seed;
    int64_t offset;
    int32_t device;
    int32_t index;
    const void *owner;
    WgNativeGenerator *next;
};

/* Public so that verbs inline. */
struct WgNativeSubclass {
    WgStorage storage; /* has no bytes: it counts the outer tensor's versions, and is not reference counted itself */
    const void *type_context;
    size_t block_bytes;
    int32_t num_attrs;
    WgTensor **attrs; /* in the same block of memory */
};

/* Why a tensor of another library was refused last, and the numbers that the code is about; for wg_dlpack_refusal_text.
 */
typedef struct WgNativeRefusal {
    int32_t code;
    int64_t found[2];
} WgNativeRefusal;

struct WgContext {
    int32_t grad_mode;
    int32_t view_replay;
    int32_t deterministic;
    uint32_t autocast;
    WgTensor *cache;
    int32_t num_cached;
    WgValue *scratch;
    size_t scratch_capacity;
    size_t scratch_used;
    int64_t rng_seed;
    int64_t rng_offset;
    WgNativeGenerator *generators;
    int64_t num_generators; /* that were seeded */
    const WgNativeAllocator *allocator;
    WgCpu cpu;
    WgNativeRefusal refusal;
    WgErrorSlot error;
};

/*
 * An exact tensor type: a constant of the program's, and the same object means the same type. `attribute_names` are in
 * flattening order. `unflatten` makes the tensor: it takes the attributes in every case, `outer` may be null, and it
 * usually ends with wg_native_subclass(); null means only that. `wait` is for asynchronous collectives: it waits and
 * returns the inner tensor, borrowed; null means that there is nothing to wait for. `symbol` says which sizes and
 * strides are symbolic (wg_symbol); null: none are. `coerce` turns a gradient of this type into another type and
 * context (wg_coerce_tangent; a null type is the plain one), or into nothing; null: never. `contiguous` returns a copy
 * in a memory format of a tensor of this type that is not in it (wg_contiguous); null: WG_NATIVE_E_SUBCLASS.
 */
struct WgType {
    const char *name;
    const char *const *attribute_names;
    int32_t num_attributes;
    int32_t (*unflatten)(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs,
                         size_t num_attrs, const WgGeometry *outer, WgTensor **out);
    int32_t (*wait)(WgContext *ctx, WgTensor *t, WgTensor **waited);
    int (*symbol)(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol);
    int32_t (*coerce)(WgContext *ctx, WgTensor *t, const WgType *type, const void *type_context, WgTensor **out);
    int32_t (*contiguous)(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out);
};

#ifdef __cplusplus
}
#endif

#endif /* WG_NATIVE_TYPES_H */
