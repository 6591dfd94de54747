/* SPDX-License-Identifier: 0BSD */
/*
 * wg_aoti_verbs.c - the verbs of the aoti host that are more than one read. VERBS.md has their contracts, wg_aoti.h
 * says what each is built on. PyTorch does the work wherever an operator of the dispatcher can, autograd and version
 * counters included: the generated per-device functions of libtorch (aoti_torch_cpu_set__source_Tensor and the like) go
 * below both and are not used.
 */
#include "wg_aoti_inside.h"

#include <stdlib.h>

/* ---- reads ---- */

int wg_requires_grad(WgContext *ctx, const WgTensor *t)
{
    if (wg_aoti_is_subclass(t)) {
        return wg_aoti_subclass_of(t)->requires_grad;
    }
    if (ctx->table->requires_grad != NULL) {
        return ctx->table->requires_grad(ctx->table->user, wg_aoti_handle(t));
    }
    const int32_t family = wg_dtype_family(wg_dtype(ctx, t));
    if (family != WG_FAMILY_FLOAT && family != WG_FAMILY_COMPLEX) {
        return 0;
    }
    /* A tensor that autograd made is not a leaf and requires grad. A leaf requires grad when an alias of it, made with
     * grad mode on, is not a leaf.
     */
    WgAotiCall call = wg_aoti_begin(t);
    int is_leaf = 0;
    int32_t status = wg_aoti_run_bool(&call, "aten::is_leaf", &is_leaf);
    if (status == WG_AOTI_OK && is_leaf) {
        const bool grad_mode = aoti_torch_grad_mode_is_enabled();
        WgTensor *alias = NULL;
        aoti_torch_grad_mode_set_enabled(true);
        call = wg_aoti_begin(t);
        status = wg_aoti_run_tensor(&call, "aten::alias", "", &alias);
        aoti_torch_grad_mode_set_enabled(grad_mode);
        if (status == WG_AOTI_OK) {
            call = wg_aoti_begin(alias);
            status = wg_aoti_run_bool(&call, "aten::is_leaf", &is_leaf);
        }
        wg_release(ctx, alias);
    }
    wg_aoti_note(ctx, status);
    return status == WG_AOTI_OK && !is_leaf;
}

int wg_aoti_is_inference(const WgTensor *t)
{
    WgAotiCall call = wg_aoti_begin(t);
    int is_inference = 0;
    (void)wg_aoti_run_bool(&call, "aten::is_inference", &is_inference);
    return is_inference;
}

int64_t wg_version(WgContext *ctx, const WgTensor *t)
{
    int64_t version = 0;
    if (wg_aoti_is_subclass(t)) {
        return wg_aoti_subclass_of(t)->version;
    }
    if (ctx->table->version != NULL) {
        return ctx->table->version(ctx->table->user, wg_aoti_handle(t));
    }
    WgAotiCall call = wg_aoti_begin(t);
    const int32_t status = wg_aoti_run_integer(&call, "aten::_version", &version);
    if (status != WG_AOTI_OK && !wg_aoti_is_inference(t)) {
        wg_aoti_note(ctx, status);
    }
    return version;
}

int32_t wg_aoti_geometry(const WgTensor *t, WgGeometry *geometry)
{
    int64_t *sizes = NULL;
    int64_t *strides = NULL;
    int64_t rank = 0;
    int32_t failed = aoti_torch_get_dim(wg_aoti_handle(t), &rank);
    failed = failed != 0 ? failed : aoti_torch_get_sizes(wg_aoti_handle(t), &sizes);
    failed = failed != 0 ? failed : aoti_torch_get_strides(wg_aoti_handle(t), &strides);
    failed = failed != 0 ? failed : aoti_torch_get_storage_offset(wg_aoti_handle(t), &geometry->offset);
    geometry->sizes = sizes;
    geometry->strides = strides;
    geometry->rank = (int32_t)rank;
    return wg_aoti_status(failed);
}

/* Five reads in one place, where generated code would have two per dimension everywhere: a machine predicts the returns
 * of few call sites better than those of hundreds (ten tensors: 160 ns against 1700). Returns a status. */
static int32_t look_at(const WgContext *ctx, const WgTensor *t, WgAotiLook *found)
{
    struct AtenTensorOpaque *handle = wg_aoti_handle(t);
    int64_t *sizes = NULL;
    int64_t *strides = NULL;
    if (ctx->table->look != NULL && ctx->table->look(ctx->table->user, handle, found) == 0) {
        return WG_AOTI_OK;
    }
    int32_t failed = aoti_torch_get_layout(handle, &found->layout);
    if (failed == 0 && found->layout != ctx->strided) {
        return WG_AOTI_OK; /* it may have no strides to read */
    }
    failed |= aoti_torch_get_dim(handle, &found->rank) | aoti_torch_get_dtype(handle, &found->dtype) |
              aoti_torch_get_sizes(handle, &sizes) | aoti_torch_get_strides(handle, &strides);
    found->sizes = sizes;
    found->strides = strides;
    return wg_aoti_status(failed);
}

static int64_t fact_of(WgContext *ctx, const WgTensor *t, const WgAotiLook *look, const WgFact *fact)
{
    const int is_there = fact->dimension >= 0 && fact->dimension < look->rank;
    switch ((WgRule)fact->rule) {
    case WG_RULE_DTYPE:
        return look->dtype;
    case WG_RULE_RANK:
        return look->rank;
    case WG_RULE_SIZE:
        return is_there ? look->sizes[fact->dimension] : -1;
    case WG_RULE_STRIDE:
        return is_there ? look->strides[fact->dimension] : -1;
    case WG_RULE_ALIGNMENT:
        return wg_aoti_fact(ctx, t, fact->rule, -1) % fact->expected == 0 ? fact->expected : -1;
    case WG_RULE_LAZY:
        return look->lazy > 0 ? look->lazy - 1 : wg_lazy(ctx, t);
    case WG_RULE_OFFSET:
    case WG_RULE_DEVICE:
    case WG_RULE_DEVICE_TYPE:
        break;
    }
    return wg_aoti_fact(ctx, t, fact->rule, fact->dimension);
}

int wg_matches(WgContext *ctx, const WgTensor *t, const WgFact *facts, size_t num_facts)
{
    WgAotiLook look = {.rank = -1};
    if (wg_aoti_is_subclass(t)) {
        return 0;
    }
    const int32_t status = look_at(ctx, t, &look);
    wg_aoti_note(ctx, status);
    int holds = status == WG_AOTI_OK && look.layout == ctx->strided;
    for (size_t i = 0; i < num_facts && holds; i++) {
        holds = fact_of(ctx, t, &look, &facts[i]) == facts[i].expected;
    }
    return holds;
}

/* Leaves *range empty for a tensor without elements. Returns a status. */
static int32_t find_byte_range(const WgTensor *t, WgByteRange *range)
{
    WgGeometry geometry;
    const void *data = NULL;
    int32_t dtype = 0;
    int32_t status = wg_aoti_geometry(t, &geometry);
    if (status == WG_AOTI_OK) {
        status = wg_aoti_status(aoti_torch_get_dtype(wg_aoti_handle(t), &dtype));
    }
    if (status == WG_AOTI_OK) {
        status = wg_aoti_status(torch_get_const_data_ptr(wg_aoti_handle(t), &data));
    }
    if (status != WG_AOTI_OK || data == NULL) {
        return status;
    }
    uint64_t reach = 1;
    for (int32_t i = 0; i < geometry.rank; i++) {
        if (geometry.sizes[i] == 0) {
            return WG_AOTI_OK;
        }
        reach += (uint64_t)(geometry.sizes[i] - 1) * (uint64_t)geometry.strides[i];
    }
    range->first = (uintptr_t)data;
    range->end = (uintptr_t)data + (uintptr_t)reach * aoti_torch_dtype_element_size(dtype);
    return WG_AOTI_OK;
}

WgByteRange wg_byte_range(WgContext *ctx, const WgTensor *t)
{
    WgByteRange range = {0, 0};
    wg_aoti_note(ctx, find_byte_range(t, &range));
    return range;
}

/* An empty tensor at the start of t's storage. */
static int32_t storage_mark(const WgTensor *t, WgTensor **out)
{
    static const int64_t empty[] = {0};
    static const int64_t compact[] = {1};
    struct AtenTensorOpaque *mark = NULL;
    int64_t offset = 0;
    int32_t failed = aoti_torch_get_storage_offset(wg_aoti_handle(t), &offset);
    failed =
        failed != 0 ? failed : aoti_torch__reinterpret_tensor(wg_aoti_handle(t), 1, empty, compact, -offset, &mark);
    *out = failed != 0 ? NULL : wg_aoti_tensor(mark);
    return wg_aoti_status(failed);
}

int wg_same_storage(WgContext *ctx, const WgTensor *a, const WgTensor *b)
{
    WgTensor *mark_a = NULL;
    WgTensor *mark_b = NULL;
    int is_same = 0;
    if (wg_aoti_is_subclass(a) || wg_aoti_is_subclass(b)) {
        return a == b;
    }
    if (ctx->table->storage != NULL) {
        const void *of_a = ctx->table->storage(ctx->table->user, wg_aoti_handle(a));
        const void *of_b = ctx->table->storage(ctx->table->user, wg_aoti_handle(b));
        if (of_a != NULL && of_b != NULL) {
            return of_a == of_b;
        }
    }
    int32_t status = storage_mark(a, &mark_a);
    if (status == WG_AOTI_OK) {
        status = storage_mark(b, &mark_b);
    }
    if (status == WG_AOTI_OK) {
        WgAotiCall call = wg_aoti_begin(mark_a);
        wg_aoti_put_tensor(&call, mark_b);
        status = wg_aoti_run_bool(&call, "aten::is_set_to", &is_same);
    }
    wg_release(ctx, mark_a);
    wg_release(ctx, mark_b);
    wg_aoti_note(ctx, status);
    return is_same;
}

/* ---- mutations ---- */

int32_t wg_copy_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    if (wg_aoti_is_subclass(dst) || wg_aoti_is_subclass(src)) {
        return wg_aoti_copy_subclass(ctx, dst, src);
    }
    return wg_aoti_status(aoti_torch_copy_(wg_aoti_handle(dst), wg_aoti_handle(src), 0));
}

int32_t wg_copy_leaf_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    WgTensor *detached = NULL;
    if (wg_aoti_is_subclass(dst) || wg_aoti_is_subclass(src)) {
        return wg_aoti_copy_subclass(ctx, dst, src);
    }
    int32_t status = wg_detach(ctx, dst, &detached);
    if (status == WG_AOTI_OK) {
        status = wg_copy_(ctx, detached, src);
        wg_release(ctx, detached);
    }
    return status;
}

int32_t wg_set_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    const bool grad_mode = aoti_torch_grad_mode_is_enabled();
    if (wg_aoti_is_subclass(dst) || wg_aoti_is_subclass(src)) {
        return WG_AOTI_E_SUBCLASS;
    }
    /* In Python this is an error; in C++ the operator takes the memory and goes on reading it as dst's dtype. */
    if (wg_dtype(ctx, dst) != wg_dtype(ctx, src) || wg_device(ctx, dst) != wg_device(ctx, src)) {
        return WG_AOTI_E_DTYPE;
    }
    WgAotiCall call = wg_aoti_begin(dst);
    wg_aoti_put_tensor(&call, src);
    aoti_torch_grad_mode_set_enabled(false);
    const int32_t status = wg_aoti_run_in_place(&call, "aten::set_", "source_Tensor");
    aoti_torch_grad_mode_set_enabled(grad_mode);
    return status;
}

int32_t wg_shallow_copy_data_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    (void)ctx;
    if (wg_aoti_is_subclass(dst) || wg_aoti_is_subclass(src)) {
        return WG_AOTI_E_SUBCLASS;
    }
    WgAotiCall call = wg_aoti_begin(dst);
    wg_aoti_put_tensor(&call, src);
    return wg_aoti_run_nothing(&call, "aten::set_data");
}

int32_t wg_restride_like_(WgContext *ctx, WgTensor *dst, const WgTensor *like)
{
    WgGeometry geometry;
    (void)ctx;
    if (wg_aoti_is_subclass(dst) || wg_aoti_is_subclass(like)) {
        return WG_AOTI_E_SUBCLASS;
    }
    const int32_t status = wg_aoti_geometry(like, &geometry);
    if (status != WG_AOTI_OK) {
        return status;
    }
    WgAotiCall call = wg_aoti_begin(dst);
    wg_aoti_put_geometry(&call, &geometry);
    return wg_aoti_run_in_place(&call, "aten::as_strided_", "");
}

/* ---- new tensors ---- */

int32_t wg_storage_base(WgContext *ctx, WgTensor *src, WgTensor **out)
{
    struct AtenTensorOpaque *flat = NULL;
    WgGeometry geometry;
    int64_t num_bytes = 0;
    *out = NULL;
    if (wg_aoti_is_subclass(src)) {
        return WG_AOTI_E_SUBCLASS;
    }
    int32_t status = wg_aoti_geometry(src, &geometry);
    if (status == WG_AOTI_OK) {
        status = wg_aoti_status(aoti_torch_get_storage_size(wg_aoti_handle(src), &num_bytes));
    }
    if (status == WG_AOTI_OK) {
        const int64_t sizes[] = {num_bytes / (int64_t)aoti_torch_dtype_element_size(wg_dtype(ctx, src))};
        const int64_t strides[] = {1};
        status = wg_aoti_status(
            aoti_torch__reinterpret_tensor(wg_aoti_handle(src), 1, sizes, strides, -geometry.offset, &flat));
    }
    *out = status == WG_AOTI_OK ? wg_aoti_tensor(flat) : NULL;
    return status;
}

/* The geometry of a subclass says nothing about its attributes, so only its type knows how to bring it into a
 * layout. */
static int32_t contiguous_subclass(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out)
{
    const WgAotiSubclass *subclass = wg_aoti_subclass_of(t);
    if (!wg_format_has_rank(memory_format, subclass->rank)) {
        return WG_AOTI_E_ARGUMENT;
    }
    if (wg_is_in_format(memory_format, subclass->rank, subclass->sizes, subclass->strides)) {
        return wg_retain(ctx, t, out);
    }
    return subclass->type->contiguous == NULL ? (int32_t)WG_AOTI_E_SUBCLASS
                                              : subclass->type->contiguous(ctx, t, memory_format, out);
}

int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out)
{
    *out = NULL;
    if (wg_aoti_is_subclass(t)) {
        return contiguous_subclass(ctx, t, memory_format, out);
    }
    WgAotiCall call = wg_aoti_begin(t);
    wg_aoti_put_integer(&call, memory_format == WG_CHANNELS_LAST      ? aoti_torch_memory_format_channels_last()
                               : memory_format == WG_CHANNELS_LAST_3D ? aoti_torch_memory_format_channels_last_3d()
                                                                      : aoti_torch_memory_format_contiguous_format());
    return wg_aoti_run_tensor(&call, "aten::contiguous", "", out);
}

int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out)
{
    struct AtenTensorOpaque *made = NULL;
    const int32_t type = device >> 8;
    const int32_t index = type == WG_CPU ? -1 : device & 255; /* "cpu" and "cpu:0" are not equal to libtorch */
    (void)ctx;
    *out = NULL;
    if (wg_dtype_family(dtype) == WG_FAMILY_NONE) {
        return WG_AOTI_E_DTYPE; /* libtorch would read past the end of its table */
    }
    const int32_t status = wg_aoti_status(
        aoti_torch_empty_strided(geometry->rank, geometry->sizes, geometry->strides, dtype, type, index, &made));
    *out = status == WG_AOTI_OK ? wg_aoti_tensor(made) : NULL;
    return status;
}

/* As PyTorch counts them: a dimension of size 0 as one of size 1. */
static int32_t compact_strides(const int64_t *sizes, int32_t rank, int64_t *strides)
{
    int64_t stride = 1;
    for (int32_t i = rank; i-- > 0;) {
        strides[i] = stride;
        if (sizes[i] < 0 || wg_ckd_mul(&stride, stride, sizes[i] > 1 ? sizes[i] : 1)) {
            return WG_AOTI_E_ARGUMENT;
        }
    }
    return WG_AOTI_OK;
}

int32_t wg_zeros(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out)
{
    int64_t *strides = calloc((size_t)rank + 1, sizeof *strides);
    *out = NULL;
    if (strides == NULL) {
        return WG_AOTI_E_MEMORY;
    }
    int32_t status = compact_strides(sizes, rank, strides);
    if (status == WG_AOTI_OK) {
        const WgGeometry geometry = {sizes, strides, 0, rank};
        status = wg_empty_strided(ctx, &geometry, dtype, device, out);
    }
    free(strides);
    if (status == WG_AOTI_OK) {
        status = wg_aoti_status(aoti_torch_zero_(wg_aoti_handle(*out)));
    }
    if (status != WG_AOTI_OK) {
        wg_release(ctx, *out);
        *out = NULL;
    }
    return status;
}

int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out)
{
    WgGeometry found;
    *out = NULL;
    if (wg_aoti_is_subclass(t)) {
        return WG_AOTI_E_SUBCLASS;
    }
    int32_t status = wg_aoti_geometry(t, &found);
    if (status != WG_AOTI_OK) {
        return status;
    }
    int is_that = found.rank == geometry->rank;
    for (int32_t i = 0; is_that && i < found.rank; i++) {
        is_that = found.sizes[i] == geometry->sizes[i] && found.strides[i] == geometry->strides[i];
    }
    if (is_that) {
        return wg_retain(ctx, t, out);
    }
    status = wg_empty_strided(ctx, geometry, wg_dtype(ctx, t), wg_device(ctx, t), out);
    if (status == WG_AOTI_OK) {
        status = wg_copy_(ctx, *out, t);
    }
    if (status != WG_AOTI_OK) {
        wg_release(ctx, *out);
        *out = NULL;
    }
    return status;
}

int32_t wg_wait(WgContext *ctx, WgTensor *t, WgTensor **waited)
{
    *waited = t;
    if (wg_aoti_is_subclass(t)) {
        const WgType *type = wg_aoti_subclass_of(t)->type;
        return type->wait == NULL ? WG_AOTI_OK : type->wait(ctx, t, waited);
    }
    WgAotiCall call = wg_aoti_begin(t);
    const int32_t status = wg_aoti_run_in_place(&call, "_c10d_functional::wait_tensor", "");
    *waited = status == WG_AOTI_OK ? t : NULL;
    return status;
}

/* ---- state ---- */

int32_t wg_bump_version(WgContext *ctx, WgTensor *t)
{
    const WgAotiTable *table = ctx->table;
    if (wg_aoti_is_subclass(t)) {
        wg_aoti_subclass_of(t)->version++;
        return WG_AOTI_OK;
    }
    if (table->bump_version != NULL && table->bump_version(table->user, wg_aoti_handle(t)) == 0) {
        return WG_AOTI_OK;
    }
    const bool grad_mode = aoti_torch_grad_mode_is_enabled();
    WgAotiCall call = wg_aoti_begin(t);
    wg_aoti_put_integer(&call, 0);
    wg_aoti_put_integer(&call, 0);
    aoti_torch_grad_mode_set_enabled(false);
    const int32_t status = wg_aoti_run_in_place(&call, "aten::transpose_", "");
    aoti_torch_grad_mode_set_enabled(grad_mode);
    return status != WG_AOTI_OK && wg_aoti_is_inference(t) ? WG_AOTI_OK : status;
}

int32_t wg_mark_dynamic(WgContext *ctx, WgTensor *t, const int32_t *dimensions, size_t num_dimensions)
{
    const int32_t rank = wg_rank(ctx, t);
    for (size_t i = 0; i < num_dimensions; i++) {
        if (dimensions[i] < 0 || dimensions[i] >= rank) {
            return WG_AOTI_E_DIMENSION;
        }
    }
    return WG_AOTI_OK;
}

int32_t wg_rng_get(WgContext *ctx, WgTensor **seed, WgTensor **offset)
{
    struct AtenTensorOpaque *handles[2] = {NULL, NULL};
    *seed = NULL;
    *offset = NULL;
    if (ctx->table->rng_get == NULL) {
        return WG_AOTI_E_TABLE;
    }
    const int32_t status = ctx->table->rng_get(ctx->table->user, &handles[0], &handles[1]);
    if (status == WG_AOTI_OK) {
        *seed = wg_aoti_tensor(handles[0]);
        *offset = wg_aoti_tensor(handles[1]);
    }
    return status;
}

int32_t wg_rng_set(WgContext *ctx, const WgTensor *offset)
{
    if (ctx->table->rng_set == NULL) {
        return WG_AOTI_E_TABLE;
    }
    return ctx->table->rng_set(ctx->table->user, wg_aoti_handle(offset));
}
