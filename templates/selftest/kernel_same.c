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
    if (value->arg->kind == SPEC_ARG_TENSOR) {
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
    const bool tensors = a->arg->kind == SPEC_ARG_TENSOR && b->arg->kind == SPEC_ARG_TENSOR && !a->null && !b->null;
    return tensors && a->object != 0 && a->object == b->object;
}

void kernel_make_same(const KernelValue *first, KernelValue *other)
{
    const SpecArg *arg = other->arg;
    *other = *first;
    other->arg = arg;
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
