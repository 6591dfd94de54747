/* SPDX-License-Identifier: 0BSD */
/*
 * wg_dlpack_cold.c - the base of the dlpack host: memory, storages, tensor objects, contexts, and what wg_cold.c needs.
 * This file keeps no state outside contexts and tensors.
 */
#include "wg_dlpack_inside.h"

#include "wg_dlpack_abi.h"

#include <stdlib.h>
#include <string.h>

const int32_t wg_host_dlpack_abi1 = 1;

enum { DATA_ALIGNMENT = 64 }; /* of memory that this host makes */

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

static const WgDlpackAllocator malloc_allocator = {malloc_allocate, malloc_release, NULL};

void *wg_dlpack_allocate(const WgDlpackAllocator *allocator, size_t num_bytes)
{
    return allocator->allocate(allocator->user, num_bytes);
}

void wg_dlpack_give_back(const WgDlpackAllocator *allocator, void *pointer, size_t num_bytes)
{
    if (pointer != NULL) {
        allocator->release(allocator->user, pointer, num_bytes);
    }
}

int32_t wg_dlpack_fit(WgFit fit)
{
    switch (fit) {
    case WG_FIT_OK:
        return WG_DLPACK_OK;
    case WG_FIT_SIZE:
        return WG_DLPACK_E_SIZE;
    case WG_FIT_STRIDE:
        return WG_DLPACK_E_STRIDE;
    case WG_FIT_OFFSET:
        return WG_DLPACK_E_OFFSET;
    case WG_FIT_OVERFLOW:
        return WG_DLPACK_E_OVERFLOW;
    case WG_FIT_BOUNDS:
        return WG_DLPACK_E_BOUNDS;
    case WG_FIT_VIEW:
        return WG_DLPACK_E_VIEW;
    }
    return WG_DLPACK_E_ARGUMENT;
}

/* ---- storages ---- */

static WgStorage *make_storage(WgContext *ctx, int64_t num_bytes, size_t own_bytes)
{
    WgStorage *storage = wg_dlpack_allocate(ctx->allocator, sizeof *storage + own_bytes);
    if (storage != NULL) {
        memset(storage, 0, sizeof *storage);
        storage->references = 1;
        storage->num_bytes = num_bytes;
        storage->allocator = ctx->allocator;
        storage->block_bytes = sizeof *storage + own_bytes;
    }
    return storage;
}

WgStorage *wg_dlpack_storage(WgContext *ctx, void *data, int64_t num_bytes)
{
    WgStorage *storage = make_storage(ctx, num_bytes, 0);
    if (storage != NULL) {
        storage->data = data;
    }
    return storage;
}

WgStorage *wg_dlpack_own_storage(WgContext *ctx, int64_t num_bytes)
{
    if ((uint64_t)num_bytes > SIZE_MAX / 4) {
        return NULL;
    }
    WgStorage *storage = make_storage(ctx, num_bytes, (size_t)num_bytes + DATA_ALIGNMENT);
    if (storage != NULL) {
        unsigned char *after = (unsigned char *)(storage + 1);
        storage->is_own = 1;
        storage->data = num_bytes == 0 ? NULL : after + (DATA_ALIGNMENT - (uintptr_t)after % DATA_ALIGNMENT);
    }
    return storage;
}

void wg_dlpack_release_storage(WgStorage *storage)
{
    if (!wg_dlpack_drop(&storage->references)) {
        return;
    }
    if (storage->versioned != NULL && storage->versioned->deleter != NULL) {
        storage->versioned->deleter(storage->versioned);
    }
    if (storage->unversioned != NULL && storage->unversioned->deleter != NULL) {
        storage->unversioned->deleter(storage->unversioned);
    }
    wg_dlpack_give_back(storage->allocator, storage, storage->block_bytes);
}

/* ---- tensor objects ---- */

WgTensor *wg_dlpack_take(WgContext *ctx, int32_t rank)
{
    const size_t geometry_bytes = 2 * sizeof(int64_t) * (size_t)rank;
    WgTensor *t = (size_t)rank > SIZE_MAX / 64 ? NULL : wg_dlpack_allocate(ctx->allocator, sizeof *t + geometry_bytes);
    if (t != NULL) {
        memset(t, 0, sizeof *t);
        t->references = 1;
        t->is_leaf = 1;
        t->rank = rank;
        t->sizes = (int64_t *)(void *)(t + 1);
        t->strides = t->sizes + rank;
        t->allocator = ctx->allocator;
        t->block_bytes = sizeof *t + geometry_bytes;
    }
    return t;
}

void wg_dlpack_give(WgTensor *t)
{
    wg_dlpack_give_back(t->allocator, t, t->block_bytes);
}

int32_t wg_dlpack_place(WgTensor *t, WgStorage *storage, int64_t offset, int32_t dtype, int32_t device)
{
    WgExtent extent = {0, 0, 0};
    const int32_t element_bytes = wg_dtype_size(dtype);
    int32_t status = element_bytes == 0 ? (int32_t)WG_DLPACK_E_DTYPE
                                        : wg_dlpack_fit(wg_measure(t->rank, t->sizes, t->strides, &extent));
    if (status == WG_DLPACK_OK) {
        status = wg_dlpack_fit(wg_fits_in(&extent, offset, element_bytes, storage->num_bytes));
    }
    if (status != WG_DLPACK_OK) {
        wg_dlpack_give(t);
        return status;
    }
    wg_counter_raise(&storage->references);
    t->storage = storage;
    t->offset = offset;
    t->dtype = dtype;
    t->device = device;
    t->element_bytes = element_bytes;
    t->data = extent.num_elements > 0 ? storage->data + offset * element_bytes : NULL;
    t->num_elements = extent.num_elements;
    t->reach_bytes = extent.reach * element_bytes;
    t->is_compact = extent.is_compact;
    return WG_DLPACK_OK;
}

void wg_dlpack_destroy(WgTensor *t)
{
    wg_dlpack_release_storage(t->storage);
    wg_dlpack_give(t);
}

int wg_dlpack_is_read_only(const WgTensor *t)
{
    return t->storage->is_read_only;
}

int wg_dlpack_is_copied(const WgTensor *t)
{
    return t->storage->is_copied;
}

int64_t wg_dlpack_count(const WgTensor *t)
{
    return wg_counter_read(&t->references);
}

/* ---- contexts ---- */

int32_t wg_context_create(const WgDlpackAllocator *allocator, WgContext **out)
{
    const WgDlpackAllocator *from = allocator == NULL ? &malloc_allocator : allocator;
    WgContext *ctx = wg_dlpack_allocate(from, sizeof *ctx);
    *out = ctx;
    if (ctx == NULL) {
        return WG_DLPACK_E_MEMORY;
    }
    memset(ctx, 0, sizeof *ctx);
    ctx->allocator = from;
    ctx->grad_mode = 1;
    ctx->error.error.dimension = -1;
    return WG_DLPACK_OK;
}

void wg_context_destroy(WgContext *ctx)
{
    if (ctx != NULL) {
        wg_dlpack_give_back(ctx->allocator, ctx->scratch, ctx->scratch_capacity * sizeof(WgValue));
        wg_dlpack_give_back(ctx->allocator, ctx, sizeof *ctx);
    }
}

int32_t wg_context_fork(const WgContext *parent, WgContext **out)
{
    int32_t status = wg_context_create(parent->allocator, out);
    if (status != WG_DLPACK_OK) {
        return status;
    }
    WgContext *ctx = *out;
    ctx->grad_mode = parent->grad_mode;
    ctx->view_replay = parent->view_replay;
    ctx->deterministic = parent->deterministic;
    ctx->autocast = parent->autocast;
    ctx->cpu = parent->cpu;
    status = wg_context_reserve(ctx, parent->scratch_capacity);
    if (status != WG_DLPACK_OK) {
        wg_context_destroy(ctx);
        *out = NULL;
    }
    return status;
}

int32_t wg_context_reserve(WgContext *ctx, size_t n)
{
    if (ctx->scratch_used != 0) {
        return WG_DLPACK_E_ARGUMENT;
    }
    if (n <= ctx->scratch_capacity) {
        return WG_DLPACK_OK;
    }
    if (n > SIZE_MAX / sizeof(WgValue)) {
        return WG_DLPACK_E_OVERFLOW;
    }
    WgValue *scratch = wg_dlpack_allocate(ctx->allocator, n * sizeof(WgValue));
    if (scratch == NULL) {
        return WG_DLPACK_E_MEMORY;
    }
    wg_dlpack_give_back(ctx->allocator, ctx->scratch, ctx->scratch_capacity * sizeof(WgValue));
    ctx->scratch = scratch;
    ctx->scratch_capacity = n;
    return WG_DLPACK_OK;
}

void wg_context_set_deterministic(WgContext *ctx, int enabled)
{
    ctx->deterministic = enabled != 0;
}

void wg_context_set_autocast(WgContext *ctx, uint32_t devices)
{
    ctx->autocast = devices;
}

/* ---- what wg_cold.c needs ---- */

WgErrorSlot *wg_host_error_slot(WgContext *ctx)
{
    return &ctx->error;
}

/* All tensors of this host are plain. */
const WgType *wg_host_type(WgContext *ctx, const WgTensor *tensor)
{
    (void)ctx;
    (void)tensor;
    return NULL;
}

const char *wg_host_type_name(const WgType *type)
{
    (void)type;
    return "tensor";
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
#define CODE(name, text) [name - WG_DLPACK_E_BASE] = {#name, text},
    WG_DLPACK_CODES(CODE)
#undef CODE
};

static const Code *find_code(int32_t code)
{
    const int32_t at = code - WG_DLPACK_E_BASE;
    const int32_t num_codes = (int32_t)(sizeof codes / sizeof codes[0]);
    return code <= WG_DLPACK_E_BASE || at >= num_codes ? NULL : &codes[at];
}

const char *wg_host_code_name(int32_t code)
{
    const Code *found = find_code(code);
    return found == NULL ? NULL : found->name;
}

const char *wg_dlpack_code_text(int32_t code)
{
    const Code *found = find_code(code);
    return found == NULL ? NULL : found->text;
}
