/* SPDX-License-Identifier: MIT */
/*
 * geometry_ops - view operations that move, add, remove or repeat whole dimensions, and as_strided.
 *
 * Only as_strided touches the offset. Checks and results are those of PyTorch's TensorShape.cpp, including the strides
 * of dimensions of size 1.
 */
#include "geometry_private.h"

#include <inttypes.h>
#include <stddef.h>

bool view_alias(Fold *fold)
{
    (void)fold;
    return true;
}

bool view_detach(Fold *fold)
{
    fold_flush(fold);
    fold_step(fold, VIEW_STEP_DETACH);
    return true;
}

/* It is absolute, and yet the operations before it become a separate step: where an as_strided reaches outside the view
 * that it is taken from it has no gradient, but an as_strided of the base in its place would have one. */
bool view_as_strided(Fold *fold)
{
    if (fold->moved) {
        fold_step(fold, VIEW_STEP_AS_STRIDED);
    }
    const SpecView *view = fold->view;
    if (view->size.text_count != view->stride.text_count) {
        return fold_fail(fold, &view->stride, "%" PRIu32 " sizes but %" PRIu32 " strides", view->size.text_count,
                         view->stride.text_count);
    }
    Geometry next = geometry_like(fold->arena, &fold->now, view->size.text_count);
    for (uint32_t i = 0; i < next.rank; i++) {
        next.sizes[i] = fold_element(fold, &view->size, i);
        next.strides[i] = fold_element(fold, &view->stride, i);
        if (!fold_require_at_least(fold, &view->size.text[i], next.sizes[i], 0, "a size is at least 0") ||
            !fold_require_at_least(fold, &view->stride.text[i], next.strides[i], 0, "a stride is at least 0")) {
            return false;
        }
    }
    if (view->offset.text) {
        next.offset = fold_integer(fold, &view->offset, 0);
        if (!fold_require_at_least(fold, &view->offset, next.offset, 0, "the offset is at least 0")) {
            return false;
        }
        fold->unclear_offset = false;
    } else if (fold->unclear_offset) {
        return fold_fail(fold, NULL,
                         "without an offset it begins where the tensor before does, which is not known when code is "
                         "generated: there may be no elements in the tensor, of %s elements, that was viewed before",
                         fold_text(fold, fold->elements));
    }
    fold->elements = NULL; /* these strides are stated */
    fold->now = next;
    return true;
}

/* Dimension i of the result is dimension order[i] of the operand. */
static void reorder(Fold *fold, const uint32_t *order)
{
    Geometry next = geometry_like(fold->arena, &fold->now, fold->now.rank);
    for (uint32_t i = 0; i < next.rank; i++) {
        next.sizes[i] = fold->now.sizes[order[i]];
        next.strides[i] = fold->now.strides[order[i]];
    }
    fold->now = next;
}

static uint32_t *same_order(Fold *fold)
{
    uint32_t *order = ARENA_ARRAY(fold->arena, uint32_t, fold->now.rank);
    for (uint32_t i = 0; i < fold->now.rank; i++) {
        order[i] = i;
    }
    return order;
}

static void swap_dims(Fold *fold, uint32_t a, uint32_t b)
{
    uint32_t *order = same_order(fold);
    if (a != b) {
        order[a] = b;
        order[b] = a;
    }
    reorder(fold, order);
}

/* Both may be the same dimension. */
bool view_transpose(Fold *fold)
{
    const SpecInts *dims = &fold->view->dims;
    uint32_t a = 0;
    uint32_t b = 0;
    if (dims->text_count != 2) {
        return fold_fail(fold, dims, "needs two dimensions, not %" PRIu32, dims->text_count);
    }
    if (!fold_list_dim(fold, dims, 0, &a) || !fold_list_dim(fold, dims, 1, &b)) {
        return false;
    }
    if (fold->now.rank > 0) {
        swap_dims(fold, a, b);
    }
    return true;
}

bool view_permute(Fold *fold)
{
    const SpecInts *argument = &fold->view->dims;
    uint32_t *dims = NULL;
    if (argument->text_count != fold->now.rank) {
        return fold_fail(fold, argument, "%" PRIu32 " dimensions are named, the tensor has %" PRIu32 " here",
                         argument->text_count, fold->now.rank);
    }
    if (!fold_dims(fold, argument, &dims)) {
        return false;
    }
    reorder(fold, dims);
    return true;
}

bool view_t(Fold *fold)
{
    if (fold->now.rank > 2) {
        return fold_fail(fold, NULL, "the tensor has %" PRIu32 " dimensions here, and must not have more than 2",
                         fold->now.rank);
    }
    if (fold->now.rank == 2) {
        swap_dims(fold, 0, 1);
    }
    return true;
}

/* The dimensions that are not moved keep their order and fill the remaining places. */
bool view_movedim(Fold *fold)
{
    const SpecInts *source = &fold->view->source;
    const SpecInts *destination = &fold->view->destination;
    if (source->text_count != destination->text_count) {
        return fold_fail(fold, destination, "%" PRIu32 " dimensions are moved to %" PRIu32 " places",
                         source->text_count, destination->text_count);
    }
    uint32_t *from = NULL;
    uint32_t *to = NULL;
    if (!fold_dims(fold, source, &from) || !fold_dims(fold, destination, &to)) {
        return false;
    }
    const uint32_t rank = fold->now.rank;
    if (rank == 0) {
        return true;
    }
    uint32_t *order = ARENA_ARRAY(fold->arena, uint32_t, rank);
    bool *taken = ARENA_ARRAY(fold->arena, bool, rank);
    bool *moved = ARENA_ARRAY(fold->arena, bool, rank);
    for (uint32_t i = 0; i < source->text_count; i++) {
        order[to[i]] = from[i];
        taken[to[i]] = true;
        moved[from[i]] = true;
    }
    uint32_t place = 0;
    for (uint32_t dim = 0; dim < rank; dim++) {
        if (!moved[dim]) {
            while (taken[place]) {
                place++;
            }
            order[place++] = dim;
        }
    }
    reorder(fold, order);
    return true;
}

/* Without dims: all of them. A dimension whose size is not 1 stays, even when it is named. */
bool view_squeeze(Fold *fold)
{
    const SpecInts *argument = &fold->view->dims;
    const Geometry *now = &fold->now;
    uint32_t *dims = NULL;
    if (!fold_dims(fold, argument, &dims)) {
        return false;
    }
    bool *named = ARENA_ARRAY(fold->arena, bool, now->rank);
    for (uint32_t i = 0; i < now->rank; i++) {
        named[i] = argument->text == NULL;
    }
    for (uint32_t i = 0; i < argument->text_count && now->rank > 0; i++) {
        named[dims[i]] = true;
    }
    Geometry next = geometry_like(fold->arena, now, now->rank);
    next.rank = 0;
    for (uint32_t i = 0; i < now->rank; i++) {
        const Truth one = named[i] ? fold_is(fold, now->sizes[i], 1) : TRUTH_NO;
        if (one == TRUTH_UNKNOWN) {
            return fold_fail(fold, argument->text ? argument : NULL,
                             "whether the size of dimension %" PRIu32 ", %s, is 1 is not known when code is generated",
                             i, fold_text(fold, now->sizes[i]));
        }
        if (one == TRUTH_NO) {
            next.sizes[next.rank] = now->sizes[i];
            next.strides[next.rank] = now->strides[i];
            next.rank++;
        }
    }
    fold->now = next;
    return true;
}

/* The stride of the new dimension spans the dimension after it once. */
bool view_unsqueeze(Fold *fold)
{
    const Geometry *now = &fold->now;
    uint32_t dim = 0;
    if (!fold_dim(fold, &fold->view->dim, 0, now->rank + 1, &dim)) {
        return false;
    }
    const Integer *stride = dim < now->rank ? fold_mul(fold, now->sizes[dim], now->strides[dim]) : fold_number(fold, 1);
    Geometry next = geometry_like(fold->arena, now, now->rank + 1);
    for (uint32_t i = next.rank - 1; i > dim; i--) {
        next.sizes[i] = now->sizes[i - 1];
        next.strides[i] = now->strides[i - 1];
    }
    next.sizes[dim] = fold_number(fold, 1);
    next.strides[dim] = stride;
    fold->now = next;
    return true;
}

/* One dimension of expand that the tensor has: it keeps its size, or a size of 1 is repeated with stride 0. When the
 * size may be either, it is assumed to be the wanted one. */
static bool expand_dim(Fold *fold, const void *field, const Integer *wanted, const Integer **size,
                       const Integer **stride)
{
    static const char rule[] = "expand changes only sizes that are 1";
    const Integer *one = fold_number(fold, 1);
    const Truth kept = integer_is(wanted, -1) ? TRUTH_YES : fold_equal(fold, wanted, *size);
    if (kept == TRUTH_YES) {
        return true;
    }
    if (!fold_require_at_least(fold, field, wanted, 0, "a size is at least 0")) {
        return false;
    }
    const Truth repeated = fold_equal(fold, *size, one);
    if (repeated == TRUTH_NO || (repeated == TRUTH_UNKNOWN && kept == TRUTH_UNKNOWN)) {
        return fold_require_equal(fold, field, wanted, *size, rule);
    }
    if (repeated == TRUTH_UNKNOWN) {
        fold_add_guard(fold, true, *size, one, rule);
    }
    *size = wanted;
    *stride = fold_number(fold, 0);
    return true;
}

/* -1 keeps a size. New dimensions come first, with stride 0 unless their size is 1. */
bool view_expand(Fold *fold)
{
    const SpecInts *argument = &fold->view->size;
    const Geometry *now = &fold->now;
    if (argument->text_count < now->rank) {
        return fold_fail(fold, argument, "%" PRIu32 " sizes are given, the tensor has %" PRIu32 " dimensions here",
                         argument->text_count, now->rank);
    }
    Geometry next = geometry_like(fold->arena, now, argument->text_count);
    const uint32_t added = next.rank - now->rank;
    for (uint32_t i = next.rank; i-- > 0;) {
        const void *field = &argument->text[i];
        const Integer *wanted = fold_element(fold, argument, i);
        if (i >= added) {
            next.sizes[i] = now->sizes[i - added];
            next.strides[i] = now->strides[i - added];
            if (!expand_dim(fold, field, wanted, &next.sizes[i], &next.strides[i])) {
                return false;
            }
            continue;
        }
        if (integer_is(wanted, -1)) {
            return fold_fail(fold, field, "-1 keeps a size, but the tensor has no dimension here");
        }
        if (!fold_require_at_least(fold, field, wanted, 0, "a size is at least 0")) {
            return false;
        }
        const bool walked_once = fold_is(fold, wanted, 1) == TRUTH_YES && now->rank > 0;
        next.sizes[i] = wanted;
        next.strides[i] = walked_once ? fold_mul(fold, next.sizes[i + 1], next.strides[i + 1]) : fold_number(fold, 0);
    }
    fold->now = next;
    return true;
}
