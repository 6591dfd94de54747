/* SPDX-License-Identifier: MIT */
/*
 * kernel_walk - a walk over a kernel's arguments that appends operations to a plan: shared by lower_kernel.c (the
 * walk), kernel_check.c (what is tested of one value) and kernel_key.c (what one value adds to the key).
 */
#ifndef WRAPGEN_KERNEL_WALK_H
#define WRAPGEN_KERNEL_WALK_H

#include "kernel.h"
#include "../algebra/geometry.h"
#include "../lower/lower.h"

enum { KEY_MAX_RANK = 16, KEY_MAX_ITEMS = 63 };

typedef struct Walk {
    Arena *arena;
    Diag *diag;
    Kernel *kernel;
    Plan *plan;
    OpList *list;     /* where ops are appended */
    const char *role; /* begins the names of locals */
    const char *path;
    const void *where;
    bool key; /* the key, not the check */
    bool any; /* for the key: also for tensors that are not plain */
} Walk;

#define EMIT(walk, op, ...)                                                                                            \
    plan_emit((walk)->plan, (walk)->list, OP_##op, (walk)->path, (walk)->where,                                        \
              (const Operand[OP_MAX_OPERANDS + 1]){__VA_ARGS__})

/* A set of numbers from 0 to 63 as C, and the least of them (63: none). */
const char *walk_set_text(Arena *arena, uint64_t set);
int64_t walk_first_of(uint64_t set);

Operand walk_site(Walk *walk, const KernelArg *arg, const char *rule, const char *code, const char *kind);

/* A local for what `source`, an expression of C, holds: its slot. */
uint32_t walk_load(Walk *walk, const KernelArg *arg, const char *source);

/* Ops are appended to the body of the op from now on; returns where they were before. */
OpList *walk_enter(Walk *walk, Op *op);

/* "slot->name" */
const char *walk_member(Walk *walk, uint32_t slot, const char *name);

/* kernel_extra.c: the extra component of that index is appended to the key. */
void walk_extra(Walk *walk, uint32_t index);

/* Locals of one set of numbers. */
typedef struct WalkNames {
    const char *name;   /* begins each of them: "extra0" */
    IntegerRef *values; /* by symbol */
    uint32_t steps;     /* of what is computed */
} WalkNames;

/* Tests of the bounds of the symbol that is bound to it. */
void walk_bounds(Walk *walk, const WalkNames *names, const SpecNumber *number);

/* The expression, operation by operation; what overflows is noted. */
IntegerRef walk_compute(Walk *walk, WalkNames *names, const Expr *expr);
bool walk_may_fail(const Expr *expr);

/* kernel_call.c: the plan of the typed call of a kernel that states its outputs. */
Plan *walk_call(Walk *walk);

/* The value in the slot, which is not null, tested; or its components of the key appended. */
void walk_check_value(Walk *walk, const KernelArg *arg, uint32_t slot);
void walk_key_value(Walk *walk, const KernelArg *arg, uint32_t slot);

#endif /* WRAPGEN_KERNEL_WALK_H */
