/* SPDX-License-Identifier: MIT */
/*
 * fold_index - what a fold knows of each slot and named integer: which op defines it, which names it last, and its
 * place in an array.
 */
#include "fold_private.h"

#include <string.h>

const FoldArray fold_arguments = {"args", 0, false};

static const FoldArray results = {"results", 0, false};
static const FoldArray outs = {"outs", 0, false}; /* into which the compiled function may write directly */

static void see_slot(Fold *fold, uint32_t slot, const OperandSpec *spec, uint32_t position)
{
    if (spec->role == OPERAND_DEF || spec->role == OPERAND_OWN) {
        fold->defined[slot] = position;
    }
    fold->last[slot] = position;
    const Slot *is = &fold->plan->slots[slot];
    if (is->type == SLOT_INTEGER && (is->role == SLOT_CONSTANT || is->role == SLOT_ARGUMENT)) {
        fold->integer_last[is->index] = position; /* a named integer, as an operand of a call */
    }
}

static void see_integer(Fold *fold, IntegerRef integer, uint32_t position)
{
    if (integer.name != NULL) {
        fold->integer_last[integer.id] = position;
    }
}

static void see_integers(Fold *fold, IntegerRefs integers, uint32_t position)
{
    for (uint32_t i = 0; i < integers.count; i++) {
        see_integer(fold, integers.at[i], position);
    }
}

static void see_geometry(Fold *fold, const PlanGeometry *geometry, uint32_t position)
{
    see_integers(fold, geometry->sizes, position);
    see_integers(fold, geometry->strides, position);
    see_integer(fold, geometry->offset, position);
    if (geometry->size_from >= 0) {
        fold->last[geometry->size_from] = position;
    }
    if (geometry->stride_from >= 0) {
        fold->last[geometry->stride_from] = position;
    }
}

static void see_operand(Fold *fold, const Operand *operand, const OperandSpec *spec, uint32_t position)
{
    if (operand->type == OPERAND_TENSOR) {
        see_slot(fold, operand->as.slot, spec, position);
    } else if (operand->type == OPERAND_INTEGER) {
        if (spec->role == OPERAND_DEF) {
            fold->integer_defined[operand->as.integer.id] = position;
        }
        see_integer(fold, operand->as.integer, position);
    } else if (operand->type == OPERAND_INTEGERS) {
        see_integers(fold, operand->as.integers, position);
    } else if (operand->type == OPERAND_FACTS) {
        for (uint32_t i = 0; i < operand->as.facts->count; i++) {
            see_integer(fold, operand->as.facts->at[i].expected, position);
        }
    } else if (operand->type == OPERAND_GEOMETRY) {
        see_geometry(fold, operand->as.geometry, position);
    }
    for (uint32_t n = 0; operand->type == OPERAND_VALUES && n < operand->num; n++) {
        see_slot(fold, operand->as.slots[n], spec, position);
    }
}

static void see_op(Fold *fold, const Op *op, uint32_t position)
{
    for (uint32_t i = 0; i < op_num_operands(op->kind); i++) {
        see_operand(fold, &op->operands[i], &op_specs[op->kind].operands[i], position);
    }
    for (const Op *inside = op->body != NULL ? op->body->first : NULL; inside != NULL; inside = inside->next) {
        see_op(fold, inside, position);
    }
}

/* Arguments that the wrapper must not give away stay where the caller put them: any op may read them there. */
static void place_slots(Fold *fold)
{
    const Plan *plan = fold->plan;
    for (uint32_t i = 0; i < plan->num_slots; i++) {
        if (plan->slots[i].role == SLOT_RESULT && plan->slots[i].type == SLOT_TENSOR) {
            fold->places[i] = (FoldPlace){plan->direct_results ? &outs : &results, plan->slots[i].index};
        }
    }
    for (uint32_t i = 0; i < fold->num_ops && !plan->consumes; i++) {
        if (fold->ops[i]->kind == OP_load_tensor) {
            fold->places[fold->ops[i]->operands[0].as.slot] =
                (FoldPlace){&fold_arguments, (uint32_t)fold->ops[i]->operands[1].as.count};
        }
    }
}

void fold_index_ops(Fold *fold)
{
    const uint32_t num_slots = fold->plan->num_slots;
    uint32_t position = 0;
    fold->ops = ARENA_ARRAY(fold->arena, const Op *, fold->num_ops);
    fold->defined = ARENA_ARRAY(fold->arena, uint32_t, (size_t)num_slots + 1);
    fold->last = ARENA_ARRAY(fold->arena, uint32_t, (size_t)num_slots + 1);
    memset(fold->defined, 0xff, num_slots * sizeof *fold->defined);
    fold->integer_defined = ARENA_ARRAY(fold->arena, uint32_t, (size_t)fold->plan->num_integers + 1);
    fold->integer_last = ARENA_ARRAY(fold->arena, uint32_t, (size_t)fold->plan->num_integers + 1);
    memset(fold->integer_defined, 0xff, fold->plan->num_integers * sizeof *fold->integer_defined);
    for (const Op *op = fold->plan->ops.first; op != NULL; op = op->next) {
        fold->ops[position] = op;
        see_op(fold, op, position++);
    }
    place_slots(fold);
}
