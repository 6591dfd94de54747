/* SPDX-License-Identifier: MIT */
/*
 * fold_named - which loads are written at all. An argument that stays where the caller put it is read as "args[3 + i]"
 * by loops other than the one that loads it, and by everything once a loop has loaded it. So whether a load's local is
 * read depends on the loops around its readers, and is known only when all runs are.
 */
#include "fold_private.h"

typedef struct Reader {
    Fold *fold;
    const FoldRun *run; /* null: outside of runs */
    uint32_t position;
} Reader;

static void read_slot(const Reader *reader, uint32_t operand, uint32_t slot)
{
    if (fold_names_local(reader->fold, reader->run, reader->position, operand, slot)) {
        reader->fold->named[slot] = true;
    }
}

static void read_geometry(const Reader *reader, const PlanGeometry *geometry)
{
    if (geometry->size_from >= 0) {
        read_slot(reader, 0, (uint32_t)geometry->size_from);
    }
    if (geometry->stride_from >= 0) {
        read_slot(reader, 0, (uint32_t)geometry->stride_from);
    }
}

static void read_op(const Reader *reader, const Op *op)
{
    const Reader outside = {reader->fold, NULL, 0};
    for (uint32_t i = 0; i < op_num_operands(op->kind); i++) {
        const Operand *operand = &op->operands[i];
        if (operand->type == OPERAND_TENSOR && op_specs[op->kind].operands[i].role != OPERAND_DEF) {
            read_slot(reader, i, operand->as.slot);
        } else if (operand->type == OPERAND_GEOMETRY) {
            read_geometry(reader, operand->as.geometry);
        }
        for (uint32_t n = 0; operand->type == OPERAND_VALUES && n < operand->num; n++) {
            read_slot(reader, i, operand->as.slots[n]);
        }
    }
    for (const Op *inside = op->body != NULL ? op->body->first : NULL; inside != NULL; inside = inside->next) {
        read_op(&outside, inside);
    }
}

void fold_find_named(Fold *fold)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < fold->num_ops;) {
        const FoldRun *run = n < fold->num_runs && fold->runs[n]->first == i ? fold->runs[n] : NULL;
        for (uint32_t position = 0; position < (run != NULL ? run->period : 1); position++) {
            read_op(&(Reader){fold, run, position}, fold->ops[i + position]);
        }
        i += run != NULL ? run->count * run->period : 1;
        n += run != NULL ? 1 : 0;
    }
}

bool fold_is_written(const Fold *fold, const Op *op)
{
    if (op->kind != OP_load_tensor || fold->num_runs == 0) {
        return true;
    }
    const uint32_t slot = op->operands[0].as.slot;
    return fold->places[slot].array != &fold_arguments || fold->named[slot];
}

bool fold_has_body(const Fold *fold, const FoldRun *run)
{
    bool has = false;
    for (uint32_t i = 0; i < run->period && !has; i++) {
        const Op *op = fold_op(fold, run, 0, i);
        has = op->kind != OP_section && fold_is_written(fold, op);
    }
    return has;
}

bool fold_is_own(const Fold *fold, const FoldRun *run, uint32_t slot)
{
    return run != NULL && fold_is_in_first(run, fold->defined[slot]);
}

bool fold_names_local(const Fold *fold, const FoldRun *run, uint32_t position, uint32_t operand, uint32_t slot)
{
    const FoldPlace *place = &fold->places[slot];
    if (place->array == NULL) {
        return true;
    }
    if (fold_is_own(fold, run, slot)) {
        return !place->array->owned;
    }
    return fold->texts[slot] == NULL && (run == NULL || run->strides[position][operand] == 0);
}
