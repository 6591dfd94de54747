/* SPDX-License-Identifier: MIT */
/*
 * mock - objects, handles, trace and books of the mock host; wg_mock_cold.c has the verbs.
 */
#include "mock.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../core/wg_compiler.h"

const char *const mock_verb_names[MOCK_VERB_COUNT] = {
#define X(name, soft, numbered) #name,
    MOCK_VERBS(X)
#undef X
};

const bool mock_verb_soft[MOCK_VERB_COUNT] = {
#define X(name, soft, numbered) soft,
    MOCK_VERBS(X)
#undef X
};

/* Room for one more element of an array that lives as long as the context. */
static void *grown(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return array;
    }
    *capacity = *capacity == 0 ? 64 : *capacity * 2;
    void *larger = realloc(array, *capacity * size);
    if (larger == NULL) {
        fprintf(stderr, "mock: out of memory\n");
        exit(3);
    }
    return larger;
}

void mock_reset(WgContext *ctx)
{
    WgContext fresh;
    memset(&fresh, 0, sizeof fresh);
    if (ctx->arena.used > 256 * 1024) { /* a call needs a few kilobytes: keep the block, not the growth */
        arena_release(&ctx->arena);
    }
    fresh.arena = ctx->arena;
    fresh.tables = ctx->tables;
    fresh.events = ctx->events;
    fresh.events_capacity = ctx->events_capacity;
    fresh.numbers = ctx->numbers;
    fresh.numbers_capacity = ctx->numbers_capacity;
    fresh.objects = ctx->objects;
    fresh.objects_capacity = ctx->objects_capacity;
    fresh.scratch = ctx->scratch;
    fresh.scratch_size = ctx->scratch_size;
    fresh.errors.error.dimension = -1;
    *ctx = fresh;
}

void mock_destroy(WgContext *ctx)
{
    arena_release(&ctx->arena);
    free(ctx->events);
    free(ctx->numbers);
    free(ctx->objects);
    free(ctx->scratch);
    memset(ctx, 0, sizeof *ctx);
}

void mock_violation(WgContext *ctx, const char *format, ...)
{
    char text[200];
    va_list arguments;
    if (ctx->violation != NULL) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ctx->violation = arena_copy(&ctx->arena, text, strlen(text));
}

bool mock_alive(WgContext *ctx, const WgTensor *t, const char *verb)
{
    if (t == NULL) {
        mock_violation(ctx, "%s of a null pointer", verb);
        return false;
    }
    if (t->object->opaque) {
        mock_violation(ctx, "%s of an opaque object", verb);
        return false;
    }
    if (!t->live) {
        mock_violation(ctx, "%s of t%u through a reference that was given back", verb, (unsigned)t->object->id);
        return false;
    }
    return true;
}

WgTensor *mock_handle(WgContext *ctx, MockObject *object)
{
    WgTensor *handle = ARENA_NEW(&ctx->arena, WgTensor);
    handle->object = object;
    handle->live = true;
    object->handles++;
    return handle;
}

static MockObject *new_object(WgContext *ctx, const ViewGeometry *geometry, int32_t device)
{
    ctx->objects = grown(ctx->objects, ctx->num_objects, &ctx->objects_capacity, sizeof(MockObject *));
    MockObject *object = ARENA_NEW(&ctx->arena, MockObject);
    ctx->objects[ctx->num_objects++] = object;
    object->id = ++ctx->last_id;
    object->geometry = *geometry;
    object->device = device;
    object->plain = true;
    object->type = -1;
    object->context = -1;
    object->nested = -(int64_t)object->id;
    return object;
}

/* Nothing is allocated, so that a tensor may be too large for any memory: all of those need the same. */
int64_t mock_bytes_needed(const ViewGeometry *geometry)
{
    enum { BITS = 60 };
    const int64_t most = INT64_C(1) << BITS;
    int64_t last = geometry->offset;
    int64_t bytes = most;
    bool large = false;
    for (int32_t i = 0; i < geometry->rank; i++) {
        int64_t steps = 0;
        if (geometry->sizes[i] == 0) {
            return 0;
        }
        large =
            wg_ckd_mul(&steps, geometry->sizes[i] - 1, geometry->strides[i]) || wg_ckd_add(&last, last, steps) || large;
    }
    large = wg_ckd_add(&last, last, 1) || wg_ckd_mul(&bytes, last, view_itemsize(geometry->dtype)) || large;
    return large || bytes > most ? most : bytes;
}

WgTensor *mock_tensor(WgContext *ctx, const ViewGeometry *geometry, int32_t device, int64_t bytes)
{
    MockObject *object = new_object(ctx, geometry, device);
    object->storage = ARENA_NEW(&ctx->arena, MockStorage);
    object->storage->id = ++ctx->num_storages;
    object->storage->bytes = bytes;
    object->version = ARENA_NEW(&ctx->arena, MockVersion);
    object->version->id = ++ctx->num_versions;
    object->version->count = 3 * (int64_t)ctx->num_versions; /* another for each, so that none is taken for another's */
    return mock_handle(ctx, object);
}

WgTensor *mock_alias(WgContext *ctx, const WgTensor *of, const ViewGeometry *geometry)
{
    MockObject *object = new_object(ctx, geometry, of->object->device);
    object->storage = of->object->storage;
    object->version = of->object->version;
    object->requires_grad = of->object->requires_grad;
    object->lazy = of->object->lazy;
    object->is_view = true;
    object->base = of->object->base != NULL ? of->object->base : of->object;
    object->plain = of->object->plain;
    object->type = of->object->type;
    object->context = of->object->context;
    return mock_handle(ctx, object);
}

WgTensor *mock_subclass(WgContext *ctx, const ViewGeometry *outer, int32_t type, int32_t context, WgTensor **attrs,
                        uint32_t num_attrs)
{
    enum { BITS = 60 }; /* nested dims have no size: what is made of it is not held to its storage */
    WgTensor *t = mock_tensor(ctx, outer, 0, INT64_C(1) << BITS);
    t->object->plain = false;
    t->object->type = type;
    t->object->context = context;
    t->object->attrs = ARENA_ARRAY(&ctx->arena, WgTensor *, (size_t)num_attrs + 1);
    t->object->num_attrs = num_attrs;
    for (uint32_t i = 0; i < num_attrs; i++) {
        t->object->attrs[i] = attrs[i];
    }
    return t;
}

WgTensor *mock_opaque(WgContext *ctx, uint32_t id)
{
    WgTensor *handle = ARENA_NEW(&ctx->arena, WgTensor);
    handle->object = ARENA_NEW(&ctx->arena, MockObject);
    handle->object->id = id;
    handle->object->opaque = true;
    return handle;
}

WgTensor *mock_unnumbered_alias(WgContext *ctx, const WgTensor *of)
{
    WgTensor *view = mock_alias(ctx, of, &of->object->geometry);
    view->object->id = of->object->id;
    view->object->unnumbered = true;
    view->object->is_view = of->object->is_view;
    ctx->last_id--;
    return view;
}

WgTensor *mock_again(WgContext *ctx, const WgTensor *t)
{
    return mock_handle(ctx, t->object);
}

void mock_drop(WgContext *ctx, WgTensor *t)
{
    if (t == NULL || !mock_alive(ctx, t, "release")) {
        return;
    }
    MockObject *object = t->object;
    t->live = false;
    object->handles--;
    if (object->handles > 0) {
        return;
    }
    for (uint32_t i = 0; i < object->num_attrs; i++) {
        if (object->attrs[i] != NULL && !object->attrs[i]->object->opaque) {
            mock_drop(ctx, object->attrs[i]);
        }
    }
    mock_drop(ctx, object->waited);
}

MockEvent *mock_event(WgContext *ctx, MockVerb verb, const WgTensor *first, const WgTensor *second)
{
    ctx->events = grown(ctx->events, ctx->num_events, &ctx->events_capacity, sizeof *ctx->events);
    MockEvent *event = &ctx->events[ctx->num_events++];
    memset(event, 0, sizeof *event);
    event->verb = verb;
    event->modes = ctx->modes;
    event->objects[0] = first != NULL ? first->object->id : 0;
    event->objects[1] = second != NULL ? second->object->id : 0;
    event->first_number = ctx->num_numbers;
    return event;
}

void mock_number(WgContext *ctx, int64_t number)
{
    ctx->numbers = grown(ctx->numbers, ctx->num_numbers, &ctx->numbers_capacity, sizeof *ctx->numbers);
    ctx->numbers[ctx->num_numbers++] = number;
    ctx->events[ctx->num_events - 1].num_numbers++;
}

void mock_note_tensor(WgContext *ctx, const WgTensor *t)
{
    const MockObject *object = t->object;
    mock_number(ctx, object->geometry.dtype);
    mock_number(ctx, object->requires_grad);
    mock_number(ctx, object->is_view);
    mock_number(ctx, object->version->id);
    const bool places = view_has_elements(&object->geometry); /* else offset and strides lead nowhere */
    mock_number(ctx, places ? object->geometry.offset : 0);
    for (int32_t i = 0; i < object->geometry.rank; i++) {
        mock_number(ctx, object->geometry.sizes[i]);
    }
    for (int32_t i = 0; i < object->geometry.rank; i++) {
        mock_number(ctx, places && object->geometry.sizes[i] != 1 ? object->geometry.strides[i] : 0);
    }
}

void mock_print_event(FILE *file, const WgContext *ctx, const MockEvent *event)
{
    fprintf(file, "%s", mock_verb_names[event->verb]);
    for (int i = 0; i < MOCK_EVENT_OBJECTS; i++) {
        if (event->objects[i] != 0) {
            fprintf(file, " t%u", (unsigned)event->objects[i]);
        }
    }
    for (size_t i = 0; i < event->num_numbers; i++) {
        fprintf(file, "%s%lld", i == 0 ? " (" : " ", (long long)ctx->numbers[event->first_number + i]);
    }
    fprintf(file, "%s", event->num_numbers > 0 ? ")" : "");
    fprintf(file, " [%s%s%s]", event->modes.grad ? "g" : "-", event->modes.view_replay ? "r" : "-",
            event->modes.autocast != 0 ? "a" : "-");
    if (event->status != 0) {
        fprintf(file, " failed %d", (int)event->status);
    }
}
