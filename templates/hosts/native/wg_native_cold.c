/* SPDX-License-Identifier: 0BSD */
/*
 * wg_native_cold.c - the base of the native host: memory, geometry, storages, tensor objects, contexts, and what
 * wg_cold.c needs. Only wg_native_measure() and wg_native_check_bounds() match a geometry against a storage: every way
 * to make or change a tensor goes through them, and nothing later checks again. This file keeps no state outside
 * contexts and tensors.
 */
#include "wg_native_inside.h"

#include <stdlib.h>
#include <string.h>

const int32_t wg_host_native_abi1 = 1;

/* ---- memory ---- */

static void *malloc_allocate(void *user, size_t num_bytes)
{
    (void)user;
    return malloc(num_bytes);
}

static void malloc_release(void *user, void *pointer, size_t num_bytes)
{
    (void)user;
    (void)num_bytes;
    free(pointer);
}

static const WgNativeAllocator malloc_allocator = {malloc_allocate, malloc_release, NULL};

void *wg_native_allocate(const WgNativeAllocator *allocator, size_t num_bytes)
{
    return allocator->allocate(allocator->user, num_bytes);
}

void wg_native_give_back(const WgNativeAllocator *allocator, void *pointer, size_t num_bytes)
{
    if (pointer != NULL) {
        allocator->release(allocator->user, pointer, num_bytes);
    }
}

/* ---- geometry ---- */

int32_t wg_native_fit(WgFit fit)
{
    switch (fit) {
    case WG_FIT_OK:
        return WG_NATIVE_OK;
    case WG_FIT_SIZE:
        return WG_NATIVE_E_SIZE;
    case WG_FIT_STRIDE:
        return WG_NATIVE_E_STRIDE;
    case WG_FIT_OFFSET:
        return WG_NATIVE_E_OFFSET;
    case WG_FIT_OVERFLOW:
        return WG_NATIVE_E_OVERFLOW;
    case WG_FIT_BOUNDS:
        return WG_NATIVE_E_BOUNDS;
    case WG_FIT_VIEW:
        return WG_NATIVE_E_VIEW;
    }
    return WG_NATIVE_E_ARGUMENT;
}

int32_t wg_native_measure(int32_t rank, const int64_t *sizes, const int64_t *strides, WgExtent *extent)
{
    return wg_native_fit(wg_measure(rank, sizes, strides, extent));
}

int32_t wg_native_check_bounds(const WgStorage *storage, int64_t offset, int32_t element_bytes, const WgExtent *extent)
{
    return wg_native_fit(wg_fits_in(extent, offset, element_bytes, storage->num_bytes));
}

void wg_native_place(WgTensor *t, WgStorage *storage, int64_t offset, int32_t dtype, int32_t element_bytes,
                     const WgExtent *extent)
{
    const int has_data = extent->num_elements > 0 && storage->data != NULL;
    t->storage = storage;
    t->offset = offset;
    t->dtype = dtype;
    t->element_bytes = element_bytes;
    t->data = has_data ? storage->data + offset * element_bytes : NULL;
    t->num_elements = extent->num_elements;
    t->reach_bytes = extent->reach * element_bytes;
    t->is_compact = extent->is_compact;
}

/* ---- storages ---- */

void wg_native_release_storage(WgStorage *storage)
{
    if (wg_native_drop(&storage->references)) {
        if (storage->free_data != NULL) {
            storage->free_data(storage->free_user, storage->data);
        }
        wg_native_give_back(storage->allocator, storage, storage->block_bytes);
    }
}

/* ---- tensor objects ---- */

static size_t heap_bytes(int32_t rank)
{
    return 2 * (size_t)rank * sizeof(int64_t);
}

int wg_native_room(WgTensor *t, int32_t rank)
{
    if (rank <= WG_NATIVE_INLINE_RANK) {
        t->sizes = t->inline_geometry;
        t->strides = t->inline_geometry + WG_NATIVE_INLINE_RANK;
    } else {
        if (rank > t->heap_rank) {
            int64_t *heap = wg_native_allocate(t->allocator, heap_bytes(rank));
            if (heap == NULL) {
                return 0;
            }
            wg_native_give_back(t->allocator, t->heap, heap_bytes(t->heap_rank));
            t->heap = heap;
            t->heap_rank = rank;
        }
        t->sizes = t->heap;
        t->strides = t->heap + t->heap_rank;
    }
    t->rank = rank;
    return 1;
}

WgTensor *wg_native_take(WgContext *ctx, int32_t rank)
{
    WgTensor *t = ctx->cache;
    if (t != NULL) {
        ctx->cache = t->next;
        ctx->num_cached--;
    } else {
        t = wg_native_allocate(ctx->allocator, sizeof *t);
        if (t == NULL) {
            return NULL;
        }
        t->allocator = ctx->allocator;
        t->heap = NULL;
        t->heap_rank = 0;
    }
    t->references = 1;
    t->requires_grad = 0;
    t->is_leaf = 1;
    t->is_view_of_leaf = 0;
    t->is_inference = 0;
    t->is_view = 0;
    t->version_bias = 0;
    t->type = NULL;
    t->subclass = NULL;
    t->dynamic_dimensions = 0;
    t->next = NULL;
    if (!wg_native_room(t, rank)) {
        wg_native_give(ctx, t);
        return NULL;
    }
    return t;
}

void wg_native_free_heap(WgTensor *t)
{
    wg_native_give_back(t->allocator, t->heap, heap_bytes(t->heap_rank));
    t->heap = NULL;
    t->heap_rank = 0;
}

static void free_tensor(WgTensor *t)
{
    wg_native_free_heap(t);
    wg_native_give_back(t->allocator, t, sizeof *t);
}

void wg_native_give(WgContext *ctx, WgTensor *t)
{
    if (ctx != NULL && ctx->num_cached < WG_NATIVE_CACHED_TENSORS) {
        t->next = ctx->cache;
        ctx->cache = t;
        ctx->num_cached++;
    } else {
        free_tensor(t);
    }
}

/* Subclasses may be nested as deep as memory allows, so dying tensors go on a list instead of the stack. */
void wg_native_destroy(WgContext *ctx, WgTensor *t)
{
    WgTensor *dead = t;
    t->next = NULL;
    while (dead != NULL) {
        WgTensor *one = dead;
        WgNativeSubclass *subclass = one->subclass;
        dead = one->next;
        if (subclass == NULL) {
            wg_native_release_storage(one->storage);
        } else {
            for (int32_t i = 0; i < subclass->num_attrs; i++) {
                WgTensor *attr = subclass->attrs[i];
                if (attr != NULL && wg_native_drop(&attr->references)) {
                    attr->next = dead;
                    dead = attr;
                }
            }
            wg_native_give_back(subclass->storage.allocator, subclass, subclass->block_bytes);
        }
        wg_native_give(ctx, one);
    }
}

/* ---- contexts ---- */

int32_t wg_context_create(const WgNativeAllocator *allocator, WgContext **out)
{
    const WgNativeAllocator *from = allocator == NULL ? &malloc_allocator : allocator;
    WgContext *ctx = wg_native_allocate(from, sizeof *ctx);
    *out = ctx;
    if (ctx == NULL) {
        return WG_NATIVE_E_MEMORY;
    }
    memset(ctx, 0, sizeof *ctx);
    ctx->allocator = from;
    ctx->grad_mode = 1;
    ctx->error.error.dimension = -1;
    return WG_NATIVE_OK;
}

void wg_context_destroy(WgContext *ctx)
{
    if (ctx == NULL) {
        return;
    }
    while (ctx->cache != NULL) {
        WgTensor *t = ctx->cache;
        ctx->cache = t->next;
        free_tensor(t);
    }
    while (ctx->generators != NULL) {
        WgNativeGenerator *generator = ctx->generators;
        ctx->generators = generator->next;
        wg_native_give_back(ctx->allocator, generator, sizeof *generator);
    }
    wg_native_give_back(ctx->allocator, ctx->scratch, ctx->scratch_capacity * sizeof(WgValue));
    wg_native_give_back(ctx->allocator, ctx, sizeof *ctx);
}

int32_t wg_context_fork(const WgContext *parent, WgContext **out)
{
    int32_t status = wg_context_create(parent->allocator, out);
    if (status != WG_NATIVE_OK) {
        return status;
    }
    WgContext *ctx = *out;
    ctx->grad_mode = parent->grad_mode;
    ctx->view_replay = parent->view_replay;
    ctx->deterministic = parent->deterministic;
    ctx->autocast = parent->autocast;
    ctx->rng_seed = parent->rng_seed;
    ctx->rng_offset = parent->rng_offset;
    ctx->cpu = parent->cpu;
    status = wg_context_reserve(ctx, parent->scratch_capacity);
    if (status != WG_NATIVE_OK) {
        wg_context_destroy(ctx);
        *out = NULL;
    }
    return status;
}

int32_t wg_context_reserve(WgContext *ctx, size_t n)
{
    if (ctx->scratch_used != 0) {
        return WG_NATIVE_E_ARGUMENT;
    }
    if (n <= ctx->scratch_capacity) {
        return WG_NATIVE_OK;
    }
    if (n > SIZE_MAX / sizeof(WgValue)) {
        return WG_NATIVE_E_OVERFLOW;
    }
    WgValue *scratch = wg_native_allocate(ctx->allocator, n * sizeof(WgValue));
    if (scratch == NULL) {
        return WG_NATIVE_E_MEMORY;
    }
    wg_native_give_back(ctx->allocator, ctx->scratch, ctx->scratch_capacity * sizeof(WgValue));
    ctx->scratch = scratch;
    ctx->scratch_capacity = n;
    return WG_NATIVE_OK;
}

void wg_context_set_deterministic(WgContext *ctx, int enabled)
{
    ctx->deterministic = enabled != 0;
}

void wg_context_set_autocast(WgContext *ctx, uint32_t devices)
{
    ctx->autocast = devices;
}

void wg_context_set_rng(WgContext *ctx, int64_t seed, int64_t offset)
{
    ctx->rng_seed = seed;
    ctx->rng_offset = offset;
}

/* ---- what wg_cold.c needs ---- */

WgErrorSlot *wg_host_error_slot(WgContext *ctx)
{
    return &ctx->error;
}

const WgType *wg_host_type(WgContext *ctx, const WgTensor *tensor)
{
    (void)ctx;
    return tensor->type;
}

const char *wg_host_type_name(const WgType *type)
{
    return type == NULL ? "tensor" : type->name;
}

int64_t wg_host_fact(WgContext *ctx, const WgTensor *tensor, int32_t rule, int32_t dimension)
{
    const int is_there = dimension >= 0 && dimension < tensor->rank;
    switch ((WgRule)rule) {
    case WG_RULE_DTYPE:
        return wg_dtype(ctx, tensor);
    case WG_RULE_RANK:
        return wg_rank(ctx, tensor);
    case WG_RULE_SIZE:
        return is_there ? wg_size(ctx, tensor, dimension) : -1;
    case WG_RULE_STRIDE:
        return is_there ? wg_stride(ctx, tensor, dimension) : -1;
    case WG_RULE_OFFSET:
        return wg_offset(ctx, tensor);
    case WG_RULE_DEVICE:
        return wg_device(ctx, tensor);
    case WG_RULE_DEVICE_TYPE:
        return wg_device(ctx, tensor) >> 8;
    case WG_RULE_ALIGNMENT:
        return (int64_t)(uintptr_t)wg_data(ctx, tensor);
    case WG_RULE_LAZY:
        return 0;
    }
    return -1;
}

typedef struct Code {
    const char *name;
    const char *text;
} Code;

static const Code codes[] = {
#define CODE(name, text) [name - WG_NATIVE_E_BASE] = {#name, text},
    WG_NATIVE_CODES(CODE)
#undef CODE
};

static const Code *find_code(int32_t code)
{
    const int32_t at = code - WG_NATIVE_E_BASE;
    const int32_t num_codes = (int32_t)(sizeof codes / sizeof codes[0]);
    return code <= WG_NATIVE_E_BASE || at >= num_codes ? NULL : &codes[at];
}

const char *wg_host_code_name(int32_t code)
{
    const Code *found = find_code(code);
    return found == NULL ? NULL : found->name;
}

const char *wg_native_code_text(int32_t code)
{
    const Code *found = find_code(code);
    return found == NULL ? NULL : found->text;
}
