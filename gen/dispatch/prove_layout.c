/* SPDX-License-Identifier: MIT */
/*
 * prove_layout - layouts, the fields of a tensor that follow from its sizes and strides: what they are for one tensor,
 * and when no tensor of a world of the search can have them.
 */
#include "prove.h"

#include "../../templates/core/wg_compiler.h"

/* ---- what a layout is ---- */

/* As PyTorch's is_contiguous(): in this order of dims, from the innermost; a tensor without elements is contiguous in
 * the first sense with any strides. */
static bool is_dense(const WitnessNode *node, const int64_t *order)
{
    int64_t expected = 1;
    for (int64_t i = 0; i < node->fields[FIELD_RANK]; i++) {
        const int64_t d = order != NULL ? order[i] : node->fields[FIELD_RANK] - 1 - i;
        if (node->dims[FIELD_SIZE][d] != 1 && node->dims[FIELD_STRIDE][d] != expected) {
            return false;
        }
        expected = (int64_t)((uint64_t)expected * (uint64_t)node->dims[FIELD_SIZE][d]);
    }
    return true;
}

static bool is_contiguous(const WitnessNode *node)
{
    for (int64_t d = 0; d < node->fields[FIELD_RANK]; d++) {
        if (node->dims[FIELD_SIZE][d] == 0) {
            return true;
        }
    }
    return is_dense(node, NULL);
}

static bool is_channels_last(const WitnessNode *node)
{
    static const int64_t order[] = {1, 3, 2, 0};
    return node->fields[FIELD_RANK] == 4 && is_dense(node, order);
}

bool prove_has_layout(FieldKind kind, const WitnessNode *node)
{
    return kind == FIELD_CHANNELS_LAST ? is_channels_last(node) : is_contiguous(node);
}

/* ---- layouts that cannot be ---- */

const IntSet *prove_domain(const Dispatch *dispatch, const ProveWorld *world, FieldKind kind, uint32_t node, int64_t d)
{
    const int32_t field = prove_field(dispatch, world, kind, node, d);
    return field == DISPATCH_NONE ? NULL : &world->domains[prove_class(world, (uint32_t)field)];
}

static bool is_known(const IntSet *domain, int64_t *value)
{
    return domain != NULL && intset_is_point(domain, value);
}

/* Walks from the innermost dim out while sizes are known. With `truth` the layout must hold, but some stride cannot be
 * right; without, it must not hold, but every stride is right. */
static bool refutes(const Dispatch *dispatch, const ProveWorld *world, uint32_t node, int64_t rank, bool last,
                    int64_t truth)
{
    static const int64_t channels[] = {1, 3, 2, 0};
    int64_t expected = 1;
    for (int64_t i = 0; i < rank; i++) {
        const int64_t d = last ? channels[i] : rank - 1 - i;
        const IntSet *size = prove_domain(dispatch, world, FIELD_SIZE, node, d);
        const IntSet *stride = prove_domain(dispatch, world, FIELD_STRIDE, node, d);
        int64_t value = 0;
        const bool one = is_known(size, &value) && value == 1;
        const bool maybe_one = size == NULL || intset_has(size, 1);
        if (truth == 1 && !maybe_one && stride != NULL && !intset_has(stride, expected)) {
            return true;
        }
        if (truth == 0 && !one && !(is_known(stride, &value) && value == expected)) {
            return false;
        }
        if (i + 1 < rank && (!is_known(size, &value) || wg_ckd_mul(&expected, expected, value))) {
            return false;
        }
    }
    return truth == 0;
}

static bool refutes_field(const Dispatch *dispatch, const ProveWorld *world, const DispatchField *field, int64_t truth)
{
    const bool last = field->kind == FIELD_CHANNELS_LAST;
    int64_t rank = 0;
    bool maybe_empty = false;
    bool empty = false;
    if (!is_known(prove_domain(dispatch, world, FIELD_RANK, field->node, DISPATCH_NONE), &rank)) {
        return false;
    }
    if (last && rank != 4) {
        return truth == 1;
    }
    for (int64_t d = 0; d < rank; d++) {
        const IntSet *size = prove_domain(dispatch, world, FIELD_SIZE, field->node, d);
        int64_t value = 1;
        maybe_empty = maybe_empty || size == NULL || intset_has(size, 0);
        empty = empty || (is_known(size, &value) && value == 0);
    }
    if (!last && truth == 0 && empty) {
        return true;
    }
    return (last || truth == 0 || !maybe_empty) && refutes(dispatch, world, field->node, rank, last, truth);
}

bool prove_refutes_layout(const Dispatch *dispatch, const ProveWorld *world)
{
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        const DispatchField *field = &dispatch->fields[i];
        int64_t truth = 0;
        if (field_specs[field->kind].of == FIELD_OF_LAYOUT &&
            intset_is_point(&world->domains[prove_class(world, i)], &truth) &&
            refutes_field(dispatch, world, field, truth)) {
            return true;
        }
    }
    return false;
}
