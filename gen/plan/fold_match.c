/* SPDX-License-Identifier: MIT */
/*
 * fold_match - whether an iteration is like the first of its run, so that both can be one body: the same ops, and each
 * operand the same, as many places further in its array as in every iteration, or defined by the same op of the body.
 */
#include "fold_private.h"

#include <string.h>

/* One op of an iteration, together with the op of the first iteration that it may match. */
typedef struct Pair {
    const Fold *fold;
    const FoldRun *run;
    uint32_t position; /* of the op, in the period */
    uint32_t n;        /* of the iteration, from 1 */
} Pair;

/* The first comparison sets the stride, all others must keep it. */
static bool keeps_stride(const Pair *pair, uint32_t operand, int64_t first, int64_t now)
{
    int64_t *stride = &pair->run->strides[pair->position][operand];
    if (*stride == FOLD_NO_STRIDE) {
        *stride = now - first;
    }
    return *stride >= 0 && now - first == *stride * (int64_t)pair->n;
}

bool fold_is_in_first(const FoldRun *run, uint32_t position)
{
    return position != UINT32_MAX && position >= run->first && position < run->first + run->period;
}

static bool slots_like(const Pair *pair, uint32_t operand, uint32_t a, uint32_t b)
{
    const Fold *fold = pair->fold;
    const FoldRun *run = pair->run;
    const uint32_t defined = fold->defined[a];
    if (fold_is_in_first(run, defined)) {
        const uint32_t gap = pair->n * run->period;
        return fold->plan->slots[a].type == SLOT_TENSOR && fold->plan->slots[a].role == fold->plan->slots[b].role &&
               fold->defined[b] == defined + gap;
    }
    const FoldPlace *first = &fold->places[a];
    const FoldPlace *now = &fold->places[b];
    if (first->array != NULL && first->array == now->array) {
        return keeps_stride(pair, operand, first->index, now->index);
    }
    return a == b && keeps_stride(pair, operand, 0, 0);
}

/* A body defines constants in C, so nothing outside of its iteration can refer to them. */
static bool integer_like(const Pair *pair, IntegerRef a, IntegerRef b)
{
    const Fold *fold = pair->fold;
    const uint32_t gap = pair->n * pair->run->period;
    if (a.name == NULL || b.name == NULL) {
        return a.name == b.name && a.literal == b.literal;
    }
    if (!fold_is_in_first(pair->run, fold->integer_defined[a.id])) {
        return a.id == b.id;
    }
    const uint32_t end = pair->run->first + pair->run->period;
    return fold->integer_defined[b.id] == fold->integer_defined[a.id] + gap && fold->integer_last[a.id] < end &&
           fold->integer_last[b.id] < end + gap;
}

static bool integers_like(const Pair *pair, IntegerRefs a, IntegerRefs b)
{
    bool like = a.count == b.count;
    for (uint32_t i = 0; i < a.count && like; i++) {
        like = integer_like(pair, a.at[i], b.at[i]);
    }
    return like;
}

static bool geometry_like(const Pair *pair, const PlanGeometry *a, const PlanGeometry *b)
{
    return a->literal == b->literal && a->size_from < 0 && b->size_from < 0 && a->stride_from < 0 &&
           b->stride_from < 0 && integer_like(pair, a->offset, b->offset) && integers_like(pair, a->sizes, b->sizes) &&
           integers_like(pair, a->strides, b->strides);
}

static bool sites_like(const Site *a, const Site *b)
{
    return a == b || (str_equal(a->code, b->code) && str_equal(a->kind, b->kind) &&
                      (a->rule == b->rule || (a->rule != NULL && b->rule != NULL && str_equal(a->rule, b->rule))));
}

/* Numbers may differ; they are then read from a table. */
static bool facts_like(const Pair *pair, const Facts *a, const Facts *b)
{
    bool like = a->count == b->count && a->literal == b->literal;
    for (uint32_t i = 0; i < a->count && like; i++) {
        like = a->at[i].rule == b->at[i].rule && a->at[i].dimension == b->at[i].dimension &&
               (a->literal || integer_like(pair, a->at[i].expected, b->at[i].expected));
    }
    return like;
}

static bool operands_like(const Pair *pair, OpKind kind, uint32_t i, const Operand *a, const Operand *b)
{
    bool like = a->num == b->num;
    switch (a->type) {
    case OPERAND_NONE:
        return true;
    case OPERAND_TENSOR:
        return slots_like(pair, i, a->as.slot, b->as.slot);
    case OPERAND_INTEGER:
        return integer_like(pair, a->as.integer, b->as.integer);
    case OPERAND_INTEGERS:
        return integers_like(pair, a->as.integers, b->as.integers);
    case OPERAND_REAL:
        return a->as.bits == b->as.bits;
    case OPERAND_COUNT:
        return op_specs[kind].operands[i].is_place ? keeps_stride(pair, i, a->as.count, b->as.count)
                                                   : a->as.count == b->as.count;
    case OPERAND_TEXT:
    case OPERAND_NAME:
        return str_equal(a->as.text, b->as.text);
    case OPERAND_SITE:
        return sites_like(a->as.site, b->as.site);
    case OPERAND_SITES:
        for (uint32_t n = 0; n < a->num && like; n++) {
            like = a->as.sites[n] == b->as.sites[n];
        }
        return like;
    case OPERAND_FACTS:
        return facts_like(pair, a->as.facts, b->as.facts);
    case OPERAND_GEOMETRY:
        return geometry_like(pair, a->as.geometry, b->as.geometry);
    case OPERAND_DTYPE:
        return a->as.dtype == b->as.dtype;
    case OPERAND_FLAG:
        return a->as.flag == b->as.flag;
    case OPERAND_VALUES:
        for (uint32_t n = 0; n < a->num && like; n++) {
            like = slots_like(pair, i, a->as.slots[n], b->as.slots[n]);
        }
        return like;
    case OPERAND_DIMS:
        return like && (a->num == 0 || memcmp(a->as.dims, b->as.dims, a->num * sizeof *a->as.dims) == 0);
    }
    return false;
}

bool fold_takes(const Op *op)
{
    return op->body == NULL;
}

static bool op_like(const Pair *pair, const Op *a, const Op *b)
{
    bool like = a->kind == b->kind && fold_takes(a) && b->body == NULL;
    for (uint32_t i = 0; like && i < op_num_operands(a->kind); i++) {
        like = operands_like(pair, a->kind, i, &a->operands[i], &b->operands[i]);
    }
    return like;
}

bool fold_is_like_first(const Fold *fold, const FoldRun *run, uint32_t n)
{
    if ((uint64_t)run->first + (uint64_t)(n + 1) * run->period > fold->num_ops) {
        return false;
    }
    bool like = true;
    for (uint32_t i = 0; i < run->period && like; i++) {
        const Pair pair = {fold, run, i, n};
        like = op_like(&pair, fold_op(fold, run, 0, i), fold_op(fold, run, n, i));
    }
    return like;
}

const Op *fold_op(const Fold *fold, const FoldRun *run, uint32_t n, uint32_t position)
{
    return fold->ops[run->first + n * run->period + position];
}
