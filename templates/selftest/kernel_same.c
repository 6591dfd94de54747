/* SPDX-License-Identifier: MIT */
/* kernel_same - tensors of a call that are one object: they have one number, and so one set of facts. */
#include "kernel_call.h"

typedef struct Tensors {
    Arena *arena;
    KernelValue **at;
    uint32_t n;
} Tensors;

static void gather(Tensors *tensors, KernelValue *value)
{
    if (value->null) {
        return;
    }
    if (value->arg->kind == SPEC_TENSOR) {
        tensors->at = arena_grow(tensors->arena, tensors->at, tensors->n * sizeof *tensors->at,
                                 (tensors->n + 1) * sizeof *tensors->at);
        tensors->at[tensors->n++] = value;
    }
    for (uint32_t i = 0; kernel_is_container(value->arg->kind) && i < value->num_items; i++) {
        gather(tensors, &value->items[i]);
    }
}

KernelValue **kernel_tensors(Arena *arena, const SpecKernel *kernel, const KernelCall *call, uint32_t *n)
{
    Tensors tensors = {.arena = arena};
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        gather(&tensors, &call->args[i]);
    }
    *n = tensors.n;
    return tensors.at;
}

bool kernel_is_same(const KernelValue *a, const KernelValue *b)
{
    const bool tensors = a->arg->kind == SPEC_TENSOR && b->arg->kind == SPEC_TENSOR && !a->null && !b->null;
    return tensors && a->object != 0 && a->object == b->object;
}

void kernel_make_same(const KernelValue *first, KernelValue *other)
{
    const SpecArg *arg = other->arg;
    *other = *first;
    other->arg = arg;
}

uint32_t kernel_new_object(Arena *arena, const SpecKernel *kernel, const KernelCall *call)
{
    uint32_t n = 0;
    bool taken[KERNEL_OBJECTS] = {true};
    KernelValue **tensors = kernel_tensors(arena, kernel, call, &n);
    for (uint32_t i = 0; i < n; i++) {
        taken[tensors[i]->object] = true;
    }
    for (uint32_t number = 1; number < KERNEL_OBJECTS; number++) {
        if (!taken[number]) {
            return number;
        }
    }
    return 0;
}

void kernel_spread(Arena *arena, const SpecKernel *kernel, const KernelCall *call, const KernelValue *value)
{
    uint32_t n = 0;
    KernelValue **tensors = kernel_tensors(arena, kernel, call, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (tensors[i] != value && kernel_is_same(value, tensors[i])) {
            kernel_make_same(value, tensors[i]);
        }
    }
}

void kernel_set_same(Arena *arena, const SpecKernel *kernel, const KernelCall *call, KernelValue *one,
                     KernelValue *other, bool same)
{
    uint32_t n = 0;
    KernelValue **tensors = kernel_tensors(arena, kernel, call, &n);
    const uint32_t was = other->object;
    if (!same) {
        other->object = kernel_is_same(one, other) ? 0 : other->object;
        return;
    }
    one->object = one->object != 0 ? one->object : kernel_new_object(arena, kernel, call);
    other->object = one->object;
    for (uint32_t i = 0; i < n && was != 0; i++) {
        tensors[i]->object = tensors[i]->object == was ? one->object : tensors[i]->object;
    }
    kernel_spread(arena, kernel, call, one);
}

void kernel_unite(Arena *arena, const SpecKernel *kernel, const KernelCall *call)
{
    uint32_t n = 0;
    KernelValue **tensors = kernel_tensors(arena, kernel, call, &n);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i + 1; tensors[i]->object != 0 && k < n; k++) {
            if (kernel_is_same(tensors[i], tensors[k])) {
                kernel_make_same(tensors[i], tensors[k]);
            }
        }
    }
}

static KernelValue *copy_values(Arena *arena, const KernelValue *values, uint32_t n)
{
    KernelValue *copies = arena_alloc(arena, n * sizeof *copies);
    for (uint32_t i = 0; i < n; i++) {
        copies[i] = values[i];
        if (kernel_is_container(values[i].arg->kind) && !values[i].null) {
            copies[i].items = copy_values(arena, values[i].items, values[i].num_items);
        }
    }
    return copies;
}

KernelCall *kernel_united(Arena *arena, const SpecKernel *kernel, const KernelCall *call)
{
    KernelCall *copy = ARENA_NEW(arena, KernelCall);
    *copy = *call;
    copy->args = copy_values(arena, call->args, kernel->args_count);
    kernel_unite(arena, kernel, copy);
    return copy;
}

void kernel_draw_same(KernelDraw *draw, const KernelCall *call)
{
    uint32_t n = 0;
    KernelValue **tensors = kernel_tensors(draw->arena, draw->kernel, call, &n);
    for (int times = 0; n > 1 && times < 2 && random_chance(&draw->random, 20); times++) {
        KernelValue *one = tensors[random_below(&draw->random, n)];
        KernelValue *other = tensors[random_below(&draw->random, n)];
        one->object = one->object != 0 ? one->object : 1U + (uint32_t)times;
        kernel_make_same(one, other);
    }
}
