/* SPDX-License-Identifier: 0BSD */
/* wg_aoti_types.h - the aoti host's codes, contexts and types, and what the program may provide; see wg_aoti.h. */
#ifndef WG_AOTI_TYPES_H
#define WG_AOTI_TYPES_H

#include "wg_aoti_torch.h"
#include "wg_core.h"
#include "wg_cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WG_AOTI_DEPTH = 32 /* subclasses nested deeper than this are not copied or compared */ };

/* The codes of this host: name, what is wrong. The numbers start above those of WgStatus and the native host. */
#define WG_AOTI_CODES(X)                                                                                               \
    X(WG_AOTI_E_TORCH, "libtorch refused; wg_aoti_message() says why")                                                 \
    X(WG_AOTI_E_MEMORY, "out of memory")                                                                               \
    X(WG_AOTI_E_ARGUMENT, "an argument makes no sense: a null pointer, a negative rank or count")                      \
    X(WG_AOTI_E_OVERLAP, "more than one element of the written-to tensor refers to a single memory location")          \
    X(WG_AOTI_E_DTYPE, "a dtype is unknown, or the dtypes differ in a way that this operation cannot bridge")          \
    X(WG_AOTI_E_BOUNDS, "the geometry reaches outside the storage")                                                    \
    X(WG_AOTI_E_DIMENSION, "a dimension that the tensor does not have")                                                \
    X(WG_AOTI_E_SUBCLASS, "the operation is not defined for this tensor subclass")                                     \
    X(WG_AOTI_E_ATTRIBUTES, "number or index of a subclass's attributes")                                              \
    X(WG_AOTI_E_TABLE, "the program gave this context no function for this (WgAotiTable)")                             \
    X(WG_AOTI_E_MODEL, "the AOTInductor model failed; wg_aoti_message() says why")                                     \
    X(WG_AOTI_E_LIBRARY, "the model's shared library cannot be loaded, or lacks a function")                           \
    X(WG_AOTI_E_CLOSED, "the model was not opened")                                                                    \
    X(WG_AOTI_E_COUNT, "the model takes or returns a different number of tensors")                                     \
    X(WG_AOTI_E_FILE, "a file cannot be read, or is not what it should be; wg_aoti_message() says more")               \
    X(WG_AOTI_E_UNFIT, "the model is not for this machine or these wrappers; wg_aoti_message() says more")

typedef enum WgAotiCode {
    WG_AOTI_OK = 0,
    WG_AOTI_E_BASE = 2000, /* not used itself */
#define WG_AOTI_CODE(name, text) name,
    WG_AOTI_CODES(WG_AOTI_CODE)
#undef WG_AOTI_CODE
} WgAotiCode;

/* The properties of a tensor that are read most; sizes and strides are the tensor object's own. */
typedef struct WgAotiLook {
    int64_t rank;
    const int64_t *sizes;
    const int64_t *strides;
    int32_t dtype;
    int32_t layout;
    int32_t lazy; /* 1 more than the sum of WgLazy; 0: not told, and the host asks libtorch */
} WgAotiLook;

/*
 * What the C ABI cannot do but the program may: examples/aoti/table.cpp fills it in with libtorch's C++. Any of them
 * may be null; then the comment after it is assumed to hold, and nothing notices if it does not.
 */
typedef struct WgAotiTable {
    void *user; /* first argument of each */
    int (*is_view)(void *user,
                   struct AtenTensorOpaque *t);           /* null: may be one; a saved tensor is detached needlessly */
    uint32_t (*autocast_off)(void *user);                 /* null: autocast is off already */
    void (*autocast_restore)(void *user, uint32_t saved); /* null: nothing to restore */
    int (*view_replay)(void *user);                       /* null: off, PyTorch's default */
    void (*set_view_replay)(void *user, int enabled);     /* null: stays off */
    int (*deterministic)(void *user);                     /* null: off, PyTorch's default */
    int32_t (*rng_get)(void *user, struct AtenTensorOpaque **seed,
                       struct AtenTensorOpaque **offset);            /* null: refused */
    int32_t (*rng_set)(void *user, struct AtenTensorOpaque *offset); /* null: refused */

    /* What the C ABI can do, but only with several calls, or with an operator called by name, which takes some hundred
     * nanoseconds. When a function is null, the host does it that way, with the same result. When a function returns a
     * status other than 0, it must have done nothing; the host then does it that way too, which says what is wrong. */
    int32_t (*look)(void *user, struct AtenTensorOpaque *t, WgAotiLook *found);
    int (*requires_grad)(void *user, struct AtenTensorOpaque *t);
    int64_t (*version)(void *user, struct AtenTensorOpaque *t);      /* 0 for inference tensors */
    int32_t (*bump_version)(void *user, struct AtenTensorOpaque *t); /* nothing for inference tensors */
    const void *(*storage)(void *user, struct AtenTensorOpaque *t);  /* equal addresses: same storage; null: unknown */
    int32_t (*detach)(void *user, struct AtenTensorOpaque *t, struct AtenTensorOpaque **ret_new);
    int32_t (*as_strided)(void *user, struct AtenTensorOpaque *t, int64_t rank, const int64_t *sizes,
                          const int64_t *strides, int64_t offset, struct AtenTensorOpaque **ret_new);
} WgAotiTable;

struct WgContext {
    int32_t pending;          /* of a read that failed */
    const WgAotiTable *table; /* never null */
    WgValue *scratch;
    size_t scratch_capacity;
    size_t scratch_used;
    struct AtenTensorOpaque **handles; /* room for a model's inputs and outputs; meaningless between calls */
    size_t handles_capacity;
    const char *model_message; /* of the last model or file that failed; borrowed from it, or `said` */
    char *said;                /* owned */
    int32_t strided;           /* libtorch's number for that layout */
    WgCpu cpu;
    WgErrorSlot error;
};

/* An exact tensor type: a constant of the program's, and the same object means the same type. `attribute_names` are in
 * flattening order. `unflatten` makes the tensor: it takes the attributes in every case, `outer` may be null, and it
 * usually ends with wg_aoti_subclass(); null means only that. `wait` waits for the result of an asynchronous collective
 * and returns the inner tensor, borrowed; null means that there is nothing to wait for. `coerce` turns a gradient of
 * this type into another type and context (wg_coerce_tangent; a null type is the plain one), or into nothing; null:
 * never. `contiguous` returns a copy in a memory format of a tensor of this type that is not in it (wg_contiguous);
 * null: WG_AOTI_E_SUBCLASS. */
struct WgType {
    const char *name;
    const char *const *attribute_names;
    int32_t num_attributes;
    int32_t (*unflatten)(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs,
                         size_t num_attrs, const WgGeometry *outer, WgTensor **out);
    int32_t (*wait)(WgContext *ctx, WgTensor *t, WgTensor **waited);
    int32_t (*coerce)(WgContext *ctx, WgTensor *t, const WgType *type, const void *type_context, WgTensor **out);
    int32_t (*contiguous)(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out);
};

/* A tensor of a subclass: a counted object of this host. Public so that verbs inline; only wg_aoti_subclass.c writes
 * it. */
typedef struct WgAotiSubclass {
    int64_t references;
    int64_t version;
    const WgType *type;
    const void *type_context;
    int64_t *sizes;
    int64_t *strides;
    struct WgAotiSubclass *next; /* links dead ones, waiting to be freed */
    int32_t rank;
    int32_t dtype;
    int32_t device;
    int32_t requires_grad;
    int32_t num_attrs;
    WgTensor **attrs;
} WgAotiSubclass;

#ifdef __cplusplus
}
#endif

#endif /* WG_AOTI_TYPES_H */
