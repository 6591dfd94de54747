/* SPDX-License-Identifier: MIT */
/*
 * geometry_slice - view operations that take parts: an index, a range, every nth element, a diagonal, windows.
 *
 * An index or bound below 0 counts from the end. When its sign is not known, it becomes index - size*max(min(index, 0),
 * -1). A slice is clamped; everything else must lie within the dimension.
 */
#include "geometry_private.h"

#include <inttypes.h>
#include <stddef.h>

/* The index counted from the start; it stays negative if it is known to be negative and out of range. */
static const Integer *from_start(Fold *fold, const Integer *index, const Integer *size)
{
    switch (fold_less_equal(fold, fold_number(fold, 0), index)) {
    case TRUTH_YES:
        return index;
    case TRUTH_NO:
        return fold_add(fold, size, index);
    case TRUTH_UNKNOWN:
        break;
    }
    const Integer *negative_part = fold_min(fold, index, fold_number(fold, 0));
    const Integer *minus_one_or_zero = fold_max(fold, negative_part, fold_number(fold, -1));
    return fold_sub(fold, index, fold_mul(fold, size, minus_one_or_zero));
}

/* The limit of an index, and how a message names it. */
typedef struct Limit {
    const Integer *value;
    bool included;
    const char *rule;
    const char *complaint; /* after "index 5 is " and before the limit */
} Limit;

/* `index` counted from the start, in [0, limit), or in [0, limit] when that is included. */
static bool require_within(Fold *fold, const SpecInt *argument, const Integer *index, const Limit *limit,
                           const Integer **result)
{
    const Truth not_negative = fold_less_equal(fold, fold_number(fold, 0), index);
    const Integer *wrapped = from_start(fold, index, limit->value);
    /* A negative index is turned round: -index <= size means size + index >= 0 with one operation fewer. */
    const Integer *least = not_negative == TRUTH_UNKNOWN ? wrapped : fold_number(fold, 0);
    const Integer *most = not_negative == TRUTH_NO ? fold_sub(fold, fold_number(fold, 0), index)
                          : limit->included        ? wrapped
                                                   : fold_add(fold, wrapped, fold_number(fold, 1));
    if (fold_less_equal(fold, most, limit->value) == TRUTH_NO) {
        return fold_fail(fold, argument, "%s is %s %s", fold_text(fold, index), limit->complaint,
                         fold_text(fold, limit->value));
    }
    *result = wrapped;
    return fold_require_at_least(fold, argument, least, 0, limit->rule) &&
           fold_require_less_equal(fold, argument, most, limit->value, limit->rule);
}

/* `count` steps of strides that may not be those of an empty tensor. */
static void note_steps(Fold *fold, const Integer *count)
{
    fold->unclear_offset = fold->unclear_offset || (fold->elements && fold_is(fold, count, 0) != TRUTH_YES);
}

/* The part [start, start + length) of a dimension; the caller has made sure that it lies within it. */
static void take(Fold *fold, uint32_t dim, const Integer *start, const Integer *length)
{
    Geometry next = geometry_like(fold->arena, &fold->now, fold->now.rank);
    note_steps(fold, start);
    next.offset = fold_add(fold, next.offset, fold_mul(fold, start, next.strides[dim]));
    next.sizes[dim] = length;
    fold->now = next;
}

static bool select_index(Fold *fold, uint32_t dim)
{
    const Geometry *now = &fold->now;
    const Integer *index = fold_integer(fold, &fold->view->index, 0);
    const Limit limit = {now->sizes[dim], false, "the index is within its dimension",
                         "out of range for a dimension of size"};
    if (!require_within(fold, &fold->view->index, index, &limit, &index)) {
        return false;
    }
    Geometry next = geometry_without(fold->arena, now, dim);
    note_steps(fold, index);
    next.offset = fold_add(fold, now->offset, fold_mul(fold, index, now->strides[dim]));
    fold->now = next;
    return true;
}

bool view_select(Fold *fold)
{
    uint32_t dim = 0;
    return fold_rank_above_zero(fold) && fold_dim(fold, &fold->view->dim, 0, fold->now.rank, &dim) &&
           select_index(fold, dim);
}

/* A tuple of selects; `index` says which of them. */
bool view_unbind(Fold *fold)
{
    return view_select(fold);
}

/* start and end are clamped to [0, size], and end to [start, size]. */
bool view_slice(Fold *fold)
{
    const SpecView *view = fold->view;
    uint32_t dim = 0;
    if (!fold_rank_above_zero(fold) || !fold_dim(fold, &view->dim, 0, fold->now.rank, &dim)) {
        return false;
    }
    const Integer *size = fold->now.sizes[dim];
    const Integer *step = fold_integer(fold, &view->step, 1);
    if (!fold_require_at_least(fold, &view->step, step, 1, "the step is at least 1")) {
        return false;
    }
    const Integer *start = from_start(fold, fold_integer(fold, &view->start, 0), size);
    start = fold_max(fold, start, fold_number(fold, 0));
    start = fold_min(fold, start, size);
    const Integer *end = fold_integer(fold, &view->end, INT64_MAX);
    end = integer_is(end, INT64_MAX) ? size : from_start(fold, end, size);
    end = fold_max(fold, end, start);
    end = fold_min(fold, end, size);
    const Integer *length = fold_sub(fold, end, start);
    const Integer *last = fold_sub(fold, step, fold_number(fold, 1));
    take(fold, dim, start, fold_floordiv(fold, fold_add(fold, length, last), step));
    fold->now.strides[dim] = fold_mul(fold, fold->now.strides[dim], step);
    return true;
}

bool view_narrow(Fold *fold)
{
    const SpecView *view = fold->view;
    uint32_t dim = 0;
    if (!fold_rank_above_zero(fold) || !fold_dim(fold, &view->dim, 0, fold->now.rank, &dim)) {
        return false;
    }
    const Integer *size = fold->now.sizes[dim];
    const Integer *length = fold_integer(fold, &view->length, 0);
    const Integer *start = fold_integer(fold, &view->start, 0);
    const Limit limit = {size, true, "the start is within its dimension", "out of range for a dimension of size"};
    if (!fold_require_at_least(fold, &view->length, length, 0, "the length is at least 0") ||
        !require_within(fold, &view->start, start, &limit, &start)) {
        return false;
    }
    const Integer *end = fold_add(fold, start, length);
    if (!fold_require_less_equal(fold, &view->length, end, size, "start and length are within the dimension")) {
        return false;
    }
    take(fold, dim, start, length);
    return true;
}

/* ceil(size / part), at least 1; part > 0 is known or guarded. */
static const Integer *count_parts(Fold *fold, const Integer *size, const Integer *part)
{
    const Integer *rounded = fold_add(fold, size, fold_sub(fold, part, fold_number(fold, 1)));
    return fold_max(fold, fold_floordiv(fold, rounded, part), fold_number(fold, 1));
}

static const char below_parts[] = "the index is below the number of parts";

/* Part number `index` of `parts` parts of size `part` each, the last one shorter. PyTorch makes at least one, so an
 * empty dimension has a first part. */
static bool take_part(Fold *fold, uint32_t dim, const Integer *part, const Integer *parts)
{
    const SpecInt *argument = &fold->view->index;
    const Integer *size = fold->now.sizes[dim];
    const Integer *index = fold_integer(fold, argument, 0);
    if (index->kind == INTEGER_LITERAL && index->literal > 0 && parts->kind != INTEGER_LITERAL) {
        /* index < ceil(size / part) in fewer operations: the part starts before the end */
        const Integer *start = fold_mul(fold, index, part);
        const Integer *needed = fold_add(fold, start, fold_number(fold, 1));
        if (!fold_require_less_equal(fold, argument, needed, size, below_parts)) {
            return false;
        }
    } else {
        const Limit limit = {parts, false, below_parts, "out of range; the number of parts is"};
        if (!require_within(fold, argument, index, &limit, &index)) {
            return false;
        }
    }
    const Integer *start = fold_mul(fold, index, part);
    const Integer *left = fold_sub(fold, size, start);
    take(fold, dim, start, fold_min(fold, part, left));
    return true;
}

bool view_split(Fold *fold)
{
    const SpecView *view = fold->view;
    uint32_t dim = 0;
    if (!fold_rank_above_zero(fold) || !fold_dim(fold, &view->dim, 0, fold->now.rank, &dim)) {
        return false;
    }
    const Integer *size = fold->now.sizes[dim];
    const Integer *part = fold_integer(fold, &view->split_size, 0);
    const Integer *one = fold_number(fold, 1);
    const Truth some = fold_less_equal(fold, one, part);
    if (some == TRUTH_NO) {
        static const char rule[] = "the split size is at least 1, or 0 for an empty dimension";
        const Integer *zero = fold_number(fold, 0);
        return fold_require_equal(fold, &view->split_size, part, zero, rule) &&
               fold_require_equal(fold, &view->split_size, size, zero, rule) && take_part(fold, dim, part, one);
    }
    if (fold_is(fold, size, 0) == TRUTH_YES) {
        return fold_require_at_least(fold, &view->split_size, part, 0, "the split size is at least 0") &&
               take_part(fold, dim, part, one);
    }
    if (some == TRUTH_UNKNOWN) {
        fold_add_guard(fold, false, one, part, "the split size is at least 1");
    }
    return take_part(fold, dim, part, count_parts(fold, size, part));
}

/* Parts of size ceil(size / chunks), so there may be fewer than requested; an empty dimension has all of them,
 * empty. */
bool view_chunk(Fold *fold)
{
    const SpecView *view = fold->view;
    uint32_t dim = 0;
    int64_t chunks = 0;
    if (!fold_rank_above_zero(fold) || !fold_dim(fold, &view->dim, 0, fold->now.rank, &dim) ||
        !fold_literal(fold, &view->chunks, 0, &chunks)) {
        return false;
    }
    if (chunks < 1) {
        return fold_fail(fold, &view->chunks, "the number of chunks is at least 1, not %" PRId64, chunks);
    }
    const Integer *size = fold->now.sizes[dim];
    const Integer *number = fold_number(fold, chunks);
    const Integer *part = fold_floordiv(fold, fold_add(fold, size, fold_number(fold, chunks - 1)), number);
    switch (fold_is(fold, size, 0)) {
    case TRUTH_YES:
        return take_part(fold, dim, part, number);
    case TRUTH_NO:
        return take_part(fold, dim, part, count_parts(fold, size, part));
    case TRUTH_UNKNOWN:
        break;
    }
    int64_t index = 0;
    if (!fold_literal(fold, &view->index, 0, &index)) {
        return false;
    }
    if (index < 0 || index >= chunks) {
        return fold_fail(
            fold, &view->index,
            index < 0 && index >= -chunks
                ? "the number of chunks is not known when code is generated, so an index cannot count from the end"
                : "the index is not below the number of chunks");
    }
    /* Chunk i starts before the end, or is one of the empty ones of an empty dimension. */
    const Integer *start = fold_mul(fold, fold_number(fold, index), part);
    const Integer *some = fold_min(fold, size, fold_number(fold, 1));
    const Integer *needed = fold_add(fold, start, some);
    const bool fits =
        fold_require_less_equal(fold, &view->index, needed, size, "the index is below the number of chunks");
    const Integer *left = fold_sub(fold, size, start);
    take(fold, dim, start, fold_min(fold, part, left));
    return fits;
}

bool view_split_with_sizes(Fold *fold)
{
    const SpecView *view = fold->view;
    uint32_t dim = 0;
    int64_t index = 0;
    if (!fold_rank_above_zero(fold) || !fold_dim(fold, &view->dim, 0, fold->now.rank, &dim) ||
        !fold_literal(fold, &view->index, 0, &index)) {
        return false;
    }
    const uint32_t count = view->sizes.text_count;
    if (index < -(int64_t)count || index >= (int64_t)count) {
        return fold_fail(fold, &view->index, "index %" PRId64 " of %" PRIu32 " parts", index, count);
    }
    const uint32_t chosen = (uint32_t)(index < 0 ? index + (int64_t)count : index);
    const Integer *sum = fold_number(fold, 0);
    const Integer *start = sum;
    for (uint32_t i = 0; i < count; i++) {
        const Integer *size = fold_element(fold, &view->sizes, i);
        if (!fold_require_at_least(fold, &view->sizes.text[i], size, 0, "a size is at least 0")) {
            return false;
        }
        start = i == chosen ? sum : start;
        sum = fold_add(fold, sum, size);
    }
    if (!fold_require_equal(fold, &view->sizes, sum, fold->now.sizes[dim], "the parts make up the dimension")) {
        return false;
    }
    take(fold, dim, start, fold_element(fold, &view->sizes, chosen));
    return true;
}

/* The elements i, i + offset of two dimensions; a negative offset starts below the first row. */
bool view_diagonal(Fold *fold)
{
    const SpecView *view = fold->view;
    const Geometry *now = &fold->now;
    uint32_t dim1 = 0;
    uint32_t dim2 = 0;
    if (!fold_dim(fold, &view->dim1, 0, now->rank, &dim1) || !fold_dim(fold, &view->dim2, 1, now->rank, &dim2)) {
        return false;
    }
    if (dim1 == dim2) {
        return fold_fail(fold, view->dim2.text ? &view->dim2 : NULL, "both dimensions are the same");
    }
    const Integer *zero = fold_number(fold, 0);
    const Integer *offset = fold_integer(fold, &view->offset, 0);
    note_steps(fold, offset);
    const Integer *right = fold_max(fold, offset, zero);
    const Integer *up = fold_min(fold, offset, zero); /* minus the rows that are left out */
    const Integer *rows = fold_add(fold, now->sizes[dim1], up);
    const Integer *columns = fold_sub(fold, now->sizes[dim2], right);
    const Integer *size = fold_max(fold, fold_min(fold, rows, columns), zero);
    const Integer *skipped_columns = fold_mul(fold, right, now->strides[dim2]);
    const Integer *skipped_rows = fold_mul(fold, up, now->strides[dim1]);
    const Integer *skipped = fold_sub(fold, skipped_columns, skipped_rows);
    /* An empty diagonal keeps the offset, as in PyTorch. */
    const Integer *some = fold_min(fold, size, fold_number(fold, 1));
    const Integer *stride = fold_add(fold, now->strides[dim1], now->strides[dim2]);
    Geometry next = geometry_without(fold->arena, now, dim1 > dim2 ? dim1 : dim2);
    next = geometry_without(fold->arena, &next, dim1 > dim2 ? dim2 : dim1);
    next = geometry_like(fold->arena, &next, next.rank + 1);
    next.sizes[next.rank - 1] = size;
    next.strides[next.rank - 1] = stride;
    next.offset = fold_add(fold, now->offset, fold_mul(fold, skipped, some));
    fold->now = next;
    return true;
}

/* Windows of `length`, one every `step`: the dimension counts windows, and a new last dimension walks within one. A
 * scalar is a dimension of size 1, which becomes the window. */
bool view_unfold(Fold *fold)
{
    const SpecView *view = fold->view;
    const Geometry *now = &fold->now;
    uint32_t dim = 0;
    if (!fold_dim(fold, &view->dim, 0, now->rank, &dim)) {
        return false;
    }
    const bool scalar = now->rank == 0;
    const Integer *one = fold_number(fold, 1);
    const Integer *size = scalar ? one : now->sizes[dim];
    const Integer *stride = scalar ? one : now->strides[dim];
    const Integer *length = fold_integer(fold, &view->length, 0);
    const Integer *step = fold_integer(fold, &view->step, 0);
    if (!fold_require_at_least(fold, &view->length, length, 0, "the length is at least 0") ||
        !fold_require_less_equal(fold, &view->length, length, size, "the window fits into its dimension") ||
        !fold_require_at_least(fold, &view->step, step, 1, "the step is at least 1")) {
        return false;
    }
    Geometry next = geometry_like(fold->arena, now, now->rank + 1);
    if (!scalar) {
        const Integer *steps = fold_floordiv(fold, fold_sub(fold, size, length), step);
        next.sizes[dim] = fold_add(fold, steps, one);
        next.strides[dim] = fold_mul(fold, stride, step);
    }
    next.sizes[now->rank] = length;
    next.strides[now->rank] = stride;
    fold->now = next;
    return true;
}
