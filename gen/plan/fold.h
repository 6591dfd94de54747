/* SPDX-License-Identifier: MIT */
/*
 * fold - finds the places in a plan where the same few ops repeat for one input after another, so that they can be
 * written as a loop. The plan itself stays straight-line: a fold only says how to write it.
 *
 * A run is `count` iterations of `period` ops in a row. Iterations match when their ops do, and when each operand of a
 * later one is that of the first, or a fixed number of places further in the same array, or a site or facts of the same
 * form. A value that a loop's body defines and code outside the loop reads becomes an array.
 *
 * Only long runs are worth a loop: short wrappers stay straight-line. FOLD_LEAST_OPS is the length at which a loop is
 * no slower on the native host (tests/bench/overhead); --loop-from overrides it.
 */
#ifndef WRAPGEN_FOLD_H
#define WRAPGEN_FOLD_H

#include "plan.h"

enum { FOLD_LEAST_OPS = 96, FOLD_LONGEST_PERIOD = 32, FOLD_SHORT_BODY = 8 };

/* An array of values: args, results, or one that a loop fills. */
typedef struct FoldArray {
    const char *name;
    uint32_t count;
    bool owned; /* its elements are references that the failure exit gives back */
} FoldArray;

/* The place of a slot in such an array. */
typedef struct FoldPlace {
    const FoldArray *array; /* null: the slot is a local, or a constant */
    uint32_t index;
} FoldPlace;

/* Sites, or facts, of one operand of a run: one row per iteration. */
typedef struct FoldTable {
    const char *name;
    uint32_t position; /* of the op, in its period */
    uint32_t operand;
    bool is_first; /* the first of those that share the name; the others have the same rows */
    bool repeats;  /* of facts: most rows occur before, so a row is a pointer to what is stated once */
} FoldTable;

typedef struct FoldRun {
    uint32_t number;
    uint32_t first; /* position of the first op */
    uint32_t period;
    uint32_t count;
    int64_t (*strides)[OP_MAX_OPERANDS]; /* of each op and operand: places from one iteration to the next */
    FoldTable *tables;
    uint32_t num_tables;
} FoldRun;

typedef struct Fold {
    Arena *arena;
    const Plan *plan;
    uint32_t least_ops;
    const Op **ops; /* the plan's, without the bodies of scopes */
    uint32_t num_ops;
    uint32_t *defined;         /* for each slot: where in ops, UINT32_MAX for nowhere */
    uint32_t *last;            /* for each slot: the last op that names it */
    uint32_t *integer_defined; /* the same for each named integer */
    uint32_t *integer_last;
    FoldPlace *places;  /* of each slot */
    const char **texts; /* for each slot whose name is not the plan's; else null */
    bool *named;        /* is the slot read as its local, not as a place in an array? */
    FoldArray **arrays; /* that loops fill */
    uint32_t num_arrays;
    FoldRun **runs; /* in order */
    uint32_t num_runs;
} Fold;

/* The fold of a plan, with runs of `least_ops` ops or more (0: none); its texts live in the arena. */
Fold *fold_plan(Arena *arena, const Plan *plan, uint32_t least_ops);

/* Iteration n of a run, op `position` of its period. */
const Op *fold_op(const Fold *fold, const FoldRun *run, uint32_t n, uint32_t position);

/* The slot as C, outside of runs ("in_x", "args[3].tensor", "run1_wrapped[2].tensor"). */
const char *fold_slot(const Fold *fold, uint32_t slot);

/* The same in the loop of a run, as operand number `operand` of op `position` ("args[3 + i].tensor"). */
const char *fold_slot_in(const Fold *fold, const FoldRun *run, uint32_t position, uint32_t operand, uint32_t slot);

/* An integer in the loop of a run; one that the body defines has the loop's name. */
const char *fold_integer_in(const Fold *fold, const FoldRun *run, IntegerRef integer);

/* A place in an array that the loop counts up: "3 + i", or just the number if it does not change. */
const char *fold_index(Arena *arena, int64_t first, int64_t stride);

/* Where the tensor that op `position` defines as that operand, and borrows, is kept for ops after the loop
 * ("run0_attr1s"); null when it is not kept. */
const char *fold_kept(const Fold *fold, const FoldRun *run, uint32_t position, uint32_t operand);

/* Is the op written? Not if it loads an argument that everything reads where the caller put it. */
bool fold_is_written(const Fold *fold, const Op *op);

/* Has a run an op that is written, other than labels? */
bool fold_has_body(const Fold *fold, const FoldRun *run);

/* Does a temporary have its own declaration? Among the locals of a loop, only the first iteration's do.
 */
bool fold_is_declared(const Fold *fold, uint32_t slot);

/* The operand's table, or null if all iterations have the same value. */
const FoldTable *fold_table(const FoldRun *run, uint32_t position, uint32_t operand);

#endif /* WRAPGEN_FOLD_H */
