/* SPDX-License-Identifier: MIT */
/*
 * wg_mock_cold.c - the verbs of the mock host that read and mutate, over mock.h's objects; wg_mock_new.c and
 * wg_mock_state.c have the rest.
 * Behaviour: templates/hosts/VERBS.md.
 *
 * Every effect verb does three things in this order: it counts itself and fails when it is the one that was asked to,
 * it acts, it notes an event with what came of it. Nothing is computed: `copy_` raises a version and checks that the
 * shapes would broadcast.
 */
#include "mock.h"

#include <string.h>

const int32_t wg_host_mock_abi1 = 1;

/* ---- what wg_cold.c asks of a host ---- */

/* As hosts do: an error ends a call, and a read that failed on the way is not left to the next call. */
WgErrorSlot *wg_host_error_slot(WgContext *ctx)
{
    ctx->read_status = 0;
    return &ctx->errors;
}

const WgType *wg_host_type(WgContext *ctx, const WgTensor *tensor)
{
    if (tensor->object->plain) {
        return NULL;
    }
    return tensor->object->type >= 0 ? ctx->tables.types[tensor->object->type] : (const WgType *)&wg_host_mock_abi1;
}

const char *wg_host_type_name(const WgType *type)
{
    return type == NULL ? "tensor" : "not_plain";
}

static uint64_t address(const MockObject *object)
{
    if (!view_has_elements(&object->geometry)) {
        return 0;
    }
    return UINT64_C(0x10000000) * object->storage->id + (uint64_t)object->storage->skew +
           (uint64_t)object->geometry.offset * (uint64_t)view_itemsize(object->geometry.dtype);
}

void mock_place(WgTensor *t, uint64_t place)
{
    const uint64_t skew = (uint64_t)t->object->storage->skew;
    t->object->storage->skew = (int64_t)(skew + place - address(t->object));
}

uint64_t mock_address(const WgTensor *t)
{
    return address(t->object);
}

int64_t wg_host_fact(WgContext *ctx, const WgTensor *tensor, int32_t rule, int32_t dimension)
{
    const MockObject *object = tensor->object;
    const bool there = dimension >= 0 && dimension < object->geometry.rank;
    (void)ctx;
    switch (rule) {
    case WG_RULE_DTYPE:
        return object->geometry.dtype;
    case WG_RULE_RANK:
        return object->geometry.rank;
    case WG_RULE_SIZE:
        return there ? object->geometry.sizes[dimension] : -1;
    case WG_RULE_STRIDE:
        return there ? object->geometry.strides[dimension] : -1;
    case WG_RULE_OFFSET:
        return object->geometry.offset;
    case WG_RULE_DEVICE:
        return object->device;
    case WG_RULE_DEVICE_TYPE:
        return object->device >> 8;
    case WG_RULE_LAZY:
        return object->lazy;
    default:
        return (int64_t)address(object);
    }
}

const char *wg_host_code_name(int32_t code)
{
    return code == MOCK_INJECTED ? "injected" : NULL;
}

/* ---- read ---- */

static const MockObject *look(WgContext *ctx, const WgTensor *t, const char *verb)
{
    static const MockObject nothing;
    ctx->num_reads++;
    if (ctx->num_reads == ctx->fail_read_at) {
        ctx->read_status = MOCK_INJECTED_READ;
    }
    return mock_alive(ctx, t, verb) ? t->object : &nothing;
}

static int32_t checked_dimension(WgContext *ctx, const MockObject *object, int32_t dimension, const char *verb)
{
    if (dimension < 0 || dimension >= object->geometry.rank) {
        mock_violation(ctx, "%s of dimension %d, rank is %d", verb, (int)dimension, (int)object->geometry.rank);
        return 0;
    }
    return dimension;
}

int32_t wg_rank(WgContext *ctx, const WgTensor *t)
{
    return look(ctx, t, "wg_rank")->geometry.rank;
}

int64_t wg_size(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    const MockObject *object = look(ctx, t, "wg_size");
    return object->geometry.sizes[checked_dimension(ctx, object, dimension, "wg_size")];
}

int64_t wg_stride(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    const MockObject *object = look(ctx, t, "wg_stride");
    return object->geometry.strides[checked_dimension(ctx, object, dimension, "wg_stride")];
}

const int64_t *wg_sizes(WgContext *ctx, const WgTensor *t)
{
    return look(ctx, t, "wg_sizes")->geometry.sizes;
}

const int64_t *wg_strides(WgContext *ctx, const WgTensor *t)
{
    return look(ctx, t, "wg_strides")->geometry.strides;
}

int64_t wg_offset(WgContext *ctx, const WgTensor *t)
{
    return look(ctx, t, "wg_offset")->geometry.offset;
}

int64_t wg_nested_int(WgContext *ctx, const WgTensor *t)
{
    return look(ctx, t, "wg_nested_int")->nested;
}

int32_t wg_dtype(WgContext *ctx, const WgTensor *t)
{
    return look(ctx, t, "wg_dtype")->geometry.dtype;
}

int32_t wg_device(WgContext *ctx, const WgTensor *t)
{
    return look(ctx, t, "wg_device")->device;
}

void *wg_data(WgContext *ctx, const WgTensor *t)
{
    const MockObject *object = look(ctx, t, "wg_data");
    return object->storage == NULL ? NULL : (void *)(uintptr_t)address(object);
}

int32_t wg_lazy(WgContext *ctx, const WgTensor *t)
{
    return look(ctx, t, "wg_lazy")->lazy;
}

int wg_requires_grad(WgContext *ctx, const WgTensor *t)
{
    return look(ctx, t, "wg_requires_grad")->requires_grad;
}

int wg_is_plain(WgContext *ctx, const WgTensor *t)
{
    return look(ctx, t, "wg_is_plain")->plain;
}

int wg_matches(WgContext *ctx, const WgTensor *t, const WgFact *facts, size_t num_facts)
{
    int holds = wg_is_plain(ctx, t);
    for (size_t i = 0; i < num_facts && holds; i++) {
        const int64_t found = wg_host_fact(ctx, t, facts[i].rule, facts[i].dimension);
        holds = facts[i].rule == WG_RULE_ALIGNMENT ? found % facts[i].expected == 0 : found == facts[i].expected;
    }
    return holds;
}

uint64_t mock_expression(int64_t number, bool of_stride)
{
    return 2 * (uint64_t)number + (of_stride ? 1 : 0);
}

int wg_symbol(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol)
{
    const MockObject *object = look(ctx, t, "wg_symbol");
    const ViewGeometry *geometry = &object->geometry;
    const int32_t d = checked_dimension(ctx, object, dimension, "wg_symbol");
    const uint32_t symbolic = of_stride ? object->symbolic_strides : object->symbolic_sizes;
    if (object->plain || (symbolic >> d & 1) == 0) {
        return 0;
    }
    symbol->environment = MOCK_ENVIRONMENT;
    symbol->expression = mock_expression(of_stride ? geometry->strides[d] : geometry->sizes[d], of_stride != 0);
    return 1;
}

int wg_is_view(WgContext *ctx, const WgTensor *t)
{
    return look(ctx, t, "wg_is_view")->is_view;
}

int wg_is_type(WgContext *ctx, const WgTensor *t, const WgType *type)
{
    const MockObject *object = look(ctx, t, "wg_is_type");
    return !object->plain && object->type >= 0 && type == ctx->tables.types[object->type];
}

int wg_has_context(WgContext *ctx, const WgTensor *t, const void *type_context)
{
    const MockObject *object = look(ctx, t, "wg_has_context");
    return !object->plain && object->context >= 0 && type_context == *ctx->tables.contexts[object->context];
}

int wg_same_storage(WgContext *ctx, const WgTensor *a, const WgTensor *b)
{
    return look(ctx, a, "wg_same_storage")->storage == look(ctx, b, "wg_same_storage")->storage;
}

int wg_same(WgContext *ctx, const WgTensor *a, const WgTensor *b)
{
    return look(ctx, a, "wg_same") == look(ctx, b, "wg_same");
}

/* No two storages meet: each has numbers of its own. Sizes at the bounds of a symbol may be more than any memory has;
 * such a tensor takes all of its storage. */
WgByteRange wg_byte_range(WgContext *ctx, const WgTensor *t)
{
    /* Storages have parts of the address space of their own, each large enough for what tests make. */
    enum { BITS = sizeof(uintptr_t) == 8 ? 63 : 31, BITS_IN_STORAGE = sizeof(uintptr_t) == 8 ? 46 : 20 };
    const int64_t most = (INT64_C(1) << BITS_IN_STORAGE) - 1;
    WgByteRange range = {0, 0};
    const MockObject *object = look(ctx, t, "wg_byte_range");
    const int64_t itemsize = view_itemsize(object->geometry.dtype);
    const int64_t offset = object->geometry.offset;
    const int64_t end = mock_bytes_needed(&object->geometry);
    if (object->storage == NULL || end == 0) {
        return range;
    }
    if (object->storage->id >> (BITS - BITS_IN_STORAGE) != 0) {
        mock_violation(ctx, "more storages than have numbers of their own");
    }
    const uintptr_t storage = (uintptr_t)object->storage->id << BITS_IN_STORAGE;
    range.first = storage + (uintptr_t)(offset < most / itemsize ? offset * itemsize : most - 1);
    range.end = storage + (uintptr_t)(end < most ? end : most);
    return range;
}

int64_t wg_version(WgContext *ctx, const WgTensor *t)
{
    const MockObject *object = look(ctx, t, "wg_version");
    return object->version == NULL ? 0 : object->version->count;
}

int32_t wg_host_status(WgContext *ctx)
{
    const int32_t status = ctx->read_status;
    ctx->read_status = 0;
    return status;
}

/* ---- mutate ---- */

int32_t mock_attempt(WgContext *ctx)
{
    ctx->num_effects++;
    return ctx->num_effects == ctx->fail_effect_at ? MOCK_INJECTED : 0;
}

bool mock_broadcasts(const ViewGeometry *from, const ViewGeometry *to)
{
    if (from->rank > to->rank) {
        return false;
    }
    for (int32_t i = 0; i < from->rank; i++) {
        const int64_t size = from->sizes[from->rank - 1 - i];
        if (size != 1 && size != to->sizes[to->rank - 1 - i]) {
            return false;
        }
    }
    return true;
}

bool mock_fits(const ViewGeometry *geometry, const MockStorage *storage)
{
    return geometry->offset >= 0 && mock_bytes_needed(geometry) <= storage->bytes;
}

/* Notes the event of a mutation and its outcome; true when it is to happen. */
static bool mutates(WgContext *ctx, MockVerb verb, const WgTensor *dst, const WgTensor *src, int32_t refusal,
                    int32_t *status)
{
    *status = mock_attempt(ctx);
    if (!mock_alive(ctx, dst, mock_verb_names[verb]) || !mock_alive(ctx, src, mock_verb_names[verb])) {
        return false;
    }
    if (*status == 0) {
        *status = refusal;
    }
    mock_event(ctx, verb, dst, src)->status = *status;
    return *status == 0;
}

static int32_t copy_into(WgContext *ctx, MockVerb verb, WgTensor *dst, const WgTensor *src)
{
    int32_t status = 0;
    const bool there = dst != NULL && src != NULL;
    const bool fit = there && mock_broadcasts(&src->object->geometry, &dst->object->geometry);
    if (mutates(ctx, verb, dst, src, fit ? 0 : MOCK_REFUSED_GEOMETRY, &status)) {
        dst->object->version->count++;
    }
    return status;
}

int32_t wg_copy_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    return copy_into(ctx, MOCK_copy_, dst, src);
}

int32_t wg_copy_leaf_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    return copy_into(ctx, MOCK_copy_leaf_, dst, src);
}

static int32_t take_over(WgContext *ctx, MockVerb verb, WgTensor *dst, const WgTensor *src)
{
    int32_t status = 0;
    if (mutates(ctx, verb, dst, src, 0, &status)) {
        dst->object->geometry = src->object->geometry;
        dst->object->storage = src->object->storage;
        dst->object->version->count += verb == MOCK_set_ ? 1 : 0; /* `.data =` leaves the version alone */
    }
    return status;
}

int32_t wg_set_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    return take_over(ctx, MOCK_set_, dst, src);
}

int32_t wg_shallow_copy_data_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    return take_over(ctx, MOCK_shallow_copy_data_, dst, src);
}

int32_t wg_restride_like_(WgContext *ctx, WgTensor *dst, const WgTensor *like)
{
    int32_t status = 0;
    ViewGeometry geometry;
    memset(&geometry, 0, sizeof geometry);
    if (dst != NULL && like != NULL) {
        geometry = like->object->geometry;
        geometry.dtype = dst->object->geometry.dtype;
    }
    const bool fit = dst != NULL && mock_fits(&geometry, dst->object->storage);
    if (mutates(ctx, MOCK_restride_like_, dst, like, fit ? 0 : MOCK_REFUSED_BOUNDS, &status)) {
        mock_number(ctx, geometry.offset);
        for (int32_t i = 0; i < geometry.rank; i++) {
            mock_number(ctx, geometry.sizes[i]);
            mock_number(ctx, geometry.strides[i]);
        }
        dst->object->geometry = geometry;
        dst->object->version->count++;
    }
    return status;
}
