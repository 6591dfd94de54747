/* SPDX-License-Identifier: MIT */
/*
 * kernel_pass - a call's arguments as a boxed entry takes them: structs in memory as C lays out the types that the
 * generated header declares: of a tuple and a record their members, of a list its items and their number.
 */
#include "kernel_call.h"

#include <string.h>

/* Where a C type may stand in a struct. */
typedef struct PassInteger {
    char before;
    int64_t it;
} PassInteger;
typedef struct PassReal {
    char before;
    double it;
} PassReal;
typedef struct PassShort {
    char before;
    int32_t it;
} PassShort;
typedef struct PassList {
    const void *items;
    size_t count;
} PassList;
typedef struct PassPointer {
    char before;
    PassList it;
} PassPointer;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t rounded(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

static bool is_struct(const SpecArg *arg)
{
    return arg->kind == SPEC_TUPLE || arg->kind == SPEC_RECORD;
}

bool kernel_is_by_address(const SpecArg *arg)
{
    return spec_is(arg->nullable) && !kernel_is_pointer(arg->kind);
}

static size_t member_align(const SpecArg *arg);

static size_t value_align(const SpecArg *arg)
{
    size_t align = 1;
    for (uint32_t i = 0; is_struct(arg) && i < arg->items_count; i++) {
        align = larger(align, member_align(&arg->items[i]));
    }
    return is_struct(arg)                                           ? align
           : kernel_is_pointer(arg->kind) || arg->kind == SPEC_LIST ? offsetof(PassPointer, it)
           : arg->kind == SPEC_INT                                  ? offsetof(PassInteger, it)
           : arg->kind == SPEC_FLOAT                                ? offsetof(PassReal, it)
                                                                    : offsetof(PassShort, it);
}

static size_t member_align(const SpecArg *arg)
{
    return kernel_is_by_address(arg) ? offsetof(PassPointer, it) : value_align(arg);
}

static size_t value_size(const SpecArg *arg)
{
    size_t size = 0;
    for (uint32_t i = 0; is_struct(arg) && i < arg->items_count; i++) {
        size = rounded(size, member_align(&arg->items[i])) + kernel_size(&arg->items[i]);
    }
    return is_struct(arg)                 ? size == 0 ? 1 : rounded(size, value_align(arg))
                           : arg->kind == SPEC_LIST ? sizeof(PassList)
           : kernel_is_pointer(arg->kind) ? sizeof(void *)
           : kernel_is_number(arg->kind)  ? sizeof(int64_t)
                                          : sizeof(int32_t);
}

size_t kernel_size(const SpecArg *arg)
{
    return kernel_is_by_address(arg) ? sizeof(void *) : value_size(arg);
}

/* ---- storing ---- */

static WgTensor *make_tensor(WgContext *ctx, const KernelValue *value)
{
    enum { PLENTY = 1 << 20 };
    if (value->null) {
        return NULL;
    }
    if (value->object != 0 && ctx->shared[value->object] != NULL) {
        return ctx->shared[value->object];
    }
    WgTensor *tensor = mock_tensor(ctx, &value->geometry, value->device, PLENTY);
    mock_place(tensor, value->address);
    tensor->object->plain = value->plain;
    tensor->object->lazy = value->lazy;
    tensor->object->symbolic_sizes = value->symbolic_sizes;
    tensor->object->symbolic_strides = value->symbolic_strides;
    if (value->object != 0) {
        ctx->shared[value->object] = tensor;
    }
    return tensor;
}

static const void *pointer_of(WgContext *ctx, const KernelValue *value)
{
    static const char something = 'x';
    if (value->null) {
        return NULL;
    }
    return value->arg->kind == SPEC_TENSOR   ? (const void *)make_tensor(ctx, value)
           : value->arg->kind == SPEC_STRING ? (const void *)value->text
                                             : (const void *)&something;
}

static void store_member(WgContext *ctx, const KernelValue *value, unsigned char *at);

/* After the last item is one that must not be read: for tensors, a reference that was given back. */
static PassList make_list(WgContext *ctx, const KernelValue *value)
{
    enum { GARBAGE = 0x5A };
    const size_t size = kernel_size(value->arg->of);
    unsigned char *items = arena_array(&ctx->arena, (size_t)value->num_items + 1, size);
    memset(items, GARBAGE, ((size_t)value->num_items + 1) * size);
    if (value->arg->of->kind == SPEC_TENSOR) {
        const ViewGeometry scalar = {.rank = 0, .dtype = WG_FLOAT32};
        WgTensor *gone = mock_tensor(ctx, &scalar, 0, 0);
        gone->live = false;
        memcpy(items + value->num_items * size, &gone, sizeof gone);
    }
    for (uint32_t i = 0; i < value->num_items; i++) {
        store_member(ctx, &value->items[i], items + i * size);
    }
    return (PassList){items, value->num_items};
}

static void store_value(WgContext *ctx, const KernelValue *value, unsigned char *at)
{
    const SpecArg *arg = value->arg;
    const int32_t number = (int32_t)value->integer;
    size_t offset = 0;
    if (arg->kind == SPEC_LIST) {
        const PassList list = make_list(ctx, value);
        memcpy(at, &list, sizeof list);
    } else if (kernel_is_pointer(arg->kind)) {
        const void *pointer = pointer_of(ctx, value);
        memcpy(at, &pointer, sizeof pointer);
    } else if (arg->kind == SPEC_INT) {
        memcpy(at, &value->integer, sizeof value->integer);
    } else if (arg->kind == SPEC_FLOAT) {
        memcpy(at, &value->real, sizeof value->real);
    } else if (!is_struct(arg)) {
        memcpy(at, &number, sizeof number);
    }
    for (uint32_t i = 0; is_struct(arg) && i < arg->items_count; i++) {
        offset = rounded(offset, member_align(&arg->items[i]));
        store_member(ctx, &value->items[i], at + offset);
        offset += kernel_size(&arg->items[i]);
    }
}

/* Where the value stands in memory of its own; null for null. */
static void *store_apart(WgContext *ctx, const KernelValue *value)
{
    if (value->null) {
        return NULL;
    }
    unsigned char *at = arena_alloc(&ctx->arena, value_size(value->arg) + 1);
    store_value(ctx, value, at);
    return at;
}

static void store_member(WgContext *ctx, const KernelValue *value, unsigned char *at)
{
    if (!kernel_is_by_address(value->arg)) {
        store_value(ctx, value, at);
        return;
    }
    const void *address = store_apart(ctx, value);
    memcpy(at, &address, sizeof address);
}

WgValue *kernel_pass(WgContext *ctx, const SpecKernel *kernel, const KernelCall *call)
{
    WgValue *values = ARENA_ARRAY(&ctx->arena, WgValue, (size_t)kernel->args_count + 1);
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        const KernelValue *value = &call->args[i];
        if (kernel_is_by_address(value->arg) || kernel_is_container(value->arg->kind)) {
            values[i].pointer = store_apart(ctx, value);
        } else if (value->arg->kind == SPEC_TENSOR) {
            values[i].tensor = make_tensor(ctx, value);
        } else if (kernel_is_pointer(value->arg->kind)) {
            const void *pointer = pointer_of(ctx, value);
            memcpy(&values[i].pointer, &pointer, sizeof pointer);
        } else if (value->arg->kind == SPEC_FLOAT) {
            values[i].real = value->real;
        } else {
            values[i].integer = value->integer;
        }
    }
    return values;
}

/* ---- what came through ---- */

bool kernel_is_passed(const KernelValue *value, WgValue given, WgValue found, bool left_out)
{
    const SpecKind kind = value->arg->kind;
    const void *address = found.pointer;
    int64_t integer = 0;
    int32_t number = 0;
    double real = 0;
    if (!left_out) {
        return memcmp(&given, &found, sizeof given) == 0;
    }
    if (kind == SPEC_STRING || kernel_is_by_address(value->arg) || value->null) {
        if (value->null || address == NULL) {
            return value->null && address == NULL;
        }
        if (kind == SPEC_STRING) {
            return strcmp(address, value->text) == 0;
        }
        memcpy(&integer, address, kind == SPEC_INT ? sizeof integer : 0);
        memcpy(&real, address, kind == SPEC_FLOAT ? sizeof real : 0);
        memcpy(&number, address, kernel_is_number(kind) ? 0 : sizeof number);
        integer = kind == SPEC_INT ? integer : number;
    } else {
        integer = found.integer;
        real = kind == SPEC_FLOAT ? found.real : 0;
    }
    return kind == SPEC_FLOAT ? memcmp(&real, &value->real, sizeof real) == 0 : integer == value->integer;
}
