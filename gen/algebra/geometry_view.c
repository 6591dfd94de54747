/* SPDX-License-Identifier: MIT */
/*
 * geometry_view - view, reshape, flatten and unflatten: the same elements in the same order under other sizes.
 *
 * PyTorch's computeStride (aten/src/ATen/TensorUtils.cpp), for sizes and strides that may be symbolic. From the last
 * dimension on, old dimensions that are adjacent in memory are joined into blocks; the new dimensions are cut so that
 * each block is filled exactly. Every cut here is proved: if the sizes up to it have the same product, the strides are
 * right for all values of the symbols. A boundary between blocks that is not certain is kept if a cut fits it, and
 * otherwise joined under a guard.
 *
 * When PyTorch's strides depend on whether a size is 1 or the tensor is empty, and that is not known, the result has
 * the strides of the general case: they differ only in dimensions along which nothing steps. What is then taken out of
 * an empty tensor may begin elsewhere, which shows where an as_strided keeps the offset, so that one is refused.
 */
#include "geometry_private.h"

#include <inttypes.h>
#include <stddef.h>

/* The wanted sizes; `inferred` is the place of the one -1, or UINT32_MAX. */
typedef struct Shape {
    const Integer **sizes;
    const void **fields; /* where each size is in the YAML; null: it is one of the base's */
    uint32_t rank;
    uint32_t inferred;
} Shape;

static Shape shape_new(Fold *fold, uint32_t rank)
{
    Shape shape = {NULL, NULL, rank, UINT32_MAX};
    shape.sizes = ARENA_ARRAY(fold->arena, const Integer *, rank);
    shape.fields = ARENA_ARRAY(fold->arena, const void *, rank);
    return shape;
}

/* Reads the sizes of an argument into shape[at...]. */
static bool read_sizes(Fold *fold, const SpecInts *argument, Shape *shape, uint32_t at)
{
    for (uint32_t i = 0; i < argument->text_count; i++) {
        const Integer *size = fold_element(fold, argument, i);
        const void *field = &argument->text[i];
        shape->sizes[at + i] = size;
        shape->fields[at + i] = field;
        if (!integer_is(size, -1)) {
            if (!fold_require_at_least(fold, field, size, 0, "a size is at least 0, or -1 once")) {
                return false;
            }
        } else if (shape->inferred == UINT32_MAX) {
            shape->inferred = at + i;
        } else {
            return fold_fail(fold, field, "only one size can be -1");
        }
    }
    return true;
}

/* Makes the product of sizes[from, to) equal to `total`: computes the one that is -1, or requires it. */
static bool infer_size(Fold *fold, const SpecInts *argument, Shape *shape, uint32_t from, uint32_t to,
                       const Integer *total)
{
    const Integer *product = fold_number(fold, 1);
    for (uint32_t i = from; i < to; i++) {
        product = i == shape->inferred ? product : fold_mul(fold, product, shape->sizes[i]);
    }
    static const char rule[] = "the sizes have as many elements as what they replace";
    if (shape->inferred == UINT32_MAX) {
        return fold_require_equal(fold, argument, product, total, rule);
    }
    const void *field = shape->fields[shape->inferred];
    if (!fold_require_at_least(fold, field, product, 1, "the other sizes, which -1 is computed from, are at least 1")) {
        return false;
    }
    const Integer *quotient = integer_quotient(fold->integers, total, product);
    if (!quotient) {
        quotient = fold_floordiv(fold, total, product);
        const Integer *again = fold_mul(fold, quotient, product);
        if (!fold_require_equal(fold, field, again, total, rule)) {
            return false;
        }
    }
    shape->sizes[shape->inferred] = quotient;
    return true;
}

/* ---- strides ---- */

/* The strides of a tensor without elements: unchanged for the same sizes, else contiguous as if sizes of 0 were 1. */
static void empty_strides(Fold *fold, const Shape *shape, const Integer **strides)
{
    const Geometry *now = &fold->now;
    bool same = shape->rank == now->rank;
    for (uint32_t i = 0; same && i < now->rank; i++) {
        same = fold_equal(fold, shape->sizes[i], now->sizes[i]) == TRUTH_YES;
    }
    const Integer *one = fold_number(fold, 1);
    const Integer *stride = one;
    for (uint32_t i = shape->rank; i-- > 0;) {
        strides[i] = same ? now->strides[i] : stride;
        stride = fold_mul(fold, stride, fold_max(fold, shape->sizes[i], one));
    }
}

/* The current block: dimensions [first, ...) of the tensor, walked with `stride` from the last one on. */
typedef struct Block {
    uint32_t first;
    const Integer *size;
    const Integer *stride;
} Block;

/* Is the dimension before the block adjacent to it in memory? The answer is no if that depends on a size being 1 that
 * is not known to be.
 */
static Truth joins(Fold *fold, const Block *block)
{
    const Integer *size = fold->now.sizes[block->first - 1];
    const Integer *expected = fold_mul(fold, block->size, block->stride);
    const Truth behind = fold_equal(fold, fold->now.strides[block->first - 1], expected);
    return fold_is(fold, size, 1) == TRUTH_YES ? TRUTH_YES : behind;
}

static void join(Fold *fold, Block *block)
{
    block->first--;
    block->size = fold_mul(fold, block->size, fold->now.sizes[block->first]);
}

/* Could the previous dimension join if no size were 1 or 0? If not, a guard would hold for hardly any input: it is
 * better to refuse a transposed tensor when code is generated than at every call. */
static bool may_join_in_general(Fold *fold, const Block *block)
{
    const Geometry *now = &fold->now;
    const Integer *two = fold_number(fold, 2);
    const Integer *expected = fold_mul(fold, block->size, block->stride);
    uint32_t mark = UINT32_MAX;
    for (uint32_t i = 0; i < now->rank; i++) {
        if (fold_less_equal(fold, two, now->sizes[i]) == TRUTH_UNKNOWN) {
            const uint32_t before = integers_assume(fold->integers, two, now->sizes[i]);
            mark = before < mark ? before : mark;
        }
    }
    const Truth behind = fold_equal(fold, now->strides[block->first - 1], expected);
    integers_forget(fold->integers, mark);
    return behind != TRUTH_NO;
}

/* Guards that the previous dimension can be joined: its stride is the expected one, or it has size 1, or there are no
 * elements: min(total, 1) * (size - 1) * (stride - expected) == 0, without the factors that are known not to be 0. */
static void join_under_guard(Fold *fold, Block *block, const Integer *total)
{
    static const char rule[] = "the dimensions that are joined are adjacent in memory";
    const Integer *one = fold_number(fold, 1);
    const Integer *size = fold->now.sizes[block->first - 1];
    const Integer *stride = fold->now.strides[block->first - 1];
    const Integer *expected = fold_mul(fold, block->size, block->stride);
    const bool some = fold_less_equal(fold, one, total) == TRUTH_YES;
    const bool stepped = fold_is(fold, size, 1) == TRUTH_NO;
    if (some && stepped) {
        fold_add_guard(fold, true, stride, expected, rule);
    } else {
        const Integer *product = fold_sub(fold, stride, expected);
        product = stepped ? product : fold_mul(fold, fold_sub(fold, size, one), product);
        product = some ? product : fold_mul(fold, fold_min(fold, total, one), product);
        fold_add_guard(fold, true, product, fold_number(fold, 0), rule);
    }
    join(fold, block);
}

/* The block cannot be filled, and the dimension before it does not join. `undecided`: a cut may still have been
 * right. */
static bool refuse(Fold *fold, const Block *block, bool undecided, const Integer *total)
{
    const uint32_t dim = block->first - 1;
    const Integer *size = fold->now.sizes[dim];
    const bool decided = !undecided && fold_is(fold, size, 1) == TRUTH_NO &&
                         fold_less_equal(fold, fold_number(fold, 1), total) == TRUTH_YES;
    return fold_fail(fold, NULL,
                     decided ? "not possible without a copy: dimension %" PRIu32 " of size %s has stride %s, not %s"
                             : "whether it is possible without a copy is not known when code is generated: dimension "
                               "%" PRIu32 " of size %s has stride %s, not %s",
                     dim, fold_text(fold, size), fold_text(fold, fold->now.strides[dim]),
                     fold_text(fold, fold_mul(fold, block->size, block->stride)));
}

/* Is the block filled exactly if `filled` of its elements are? Also if as many elements come before it in the tensor as
 * in the `left` new dimensions, for their total is the same: [s0, min(s1, 2)] is cut between its dimensions for
 * [s0, 2], though only the call shows that min(s1, 2) is 2. */
static Truth is_full(Fold *fold, const Block *block, const Integer *filled, const Shape *shape, uint32_t left)
{
    const Truth full = fold_equal(fold, filled, block->size);
    if (full != TRUTH_UNKNOWN) {
        return full;
    }
    const Integer *before = fold_product(fold, fold->now.sizes, block->first);
    const Integer *wanted = fold_product(fold, shape->sizes, left);
    return fold_equal(fold, before, wanted) == TRUTH_YES ? TRUTH_YES : TRUTH_UNKNOWN;
}

/* Fills the block with new dimensions, the last one first; `left` is their number. The block may grow towards earlier
 * dimensions. */
static bool fill_block(Fold *fold, Block *block, const Shape *shape, uint32_t *left, const Integer *total,
                       const Integer **strides)
{
    const Integer *filled = fold_number(fold, 1);
    bool undecided = false;
    for (;;) {
        while (block->first > 0 && joins(fold, block) == TRUTH_YES) {
            join(fold, block);
        }
        /* The first block takes the rest: the total number of elements is the same. */
        const Truth filled_now = is_full(fold, block, filled, shape, *left);
        const bool full = block->first > 0 && filled_now == TRUTH_YES;
        const Truth room = fold_less_equal(fold, filled, block->size);
        undecided = undecided || filled_now == TRUTH_UNKNOWN || room == TRUTH_UNKNOWN;
        if (!full && *left > 0 && (room != TRUTH_NO || block->first == 0)) {
            --*left;
            strides[*left] = fold_mul(fold, filled, block->stride);
            filled = fold_mul(fold, filled, shape->sizes[*left]);
            continue;
        }
        while (full && *left > 0 && fold_is(fold, shape->sizes[*left - 1], 1) == TRUTH_YES) {
            --*left;
            strides[*left] = fold_mul(fold, filled, block->stride);
        }
        if (full || block->first == 0) {
            return true;
        }
        const Truth joining = joins(fold, block);
        if (joining != TRUTH_UNKNOWN || !may_join_in_general(fold, block)) {
            return refuse(fold, block, undecided || joining == TRUTH_UNKNOWN, total);
        }
        join_under_guard(fold, block, total);
    }
}

/* From here on strides are right if there are elements. */
static void assume_elements(Fold *fold, const Integer *total)
{
    if (fold_less_equal(fold, fold_number(fold, 1), total) != TRUTH_YES) {
        fold->elements = total;
    }
}

static bool compute_strides(Fold *fold, const Shape *shape, const Integer **strides)
{
    const Geometry *now = &fold->now;
    const Integer *total = fold_product(fold, now->sizes, now->rank);
    if (fold_is(fold, total, 0) == TRUTH_YES) {
        empty_strides(fold, shape, strides);
        return true;
    }
    assume_elements(fold, total);
    uint32_t left = shape->rank;
    for (uint32_t first = now->rank; first > 0;) {
        Block block = {first - 1, now->sizes[first - 1], now->strides[first - 1]};
        if (!fill_block(fold, &block, shape, &left, total, strides)) {
            return false;
        }
        first = block.first;
    }
    /* Only a scalar has dimensions left here; their sizes are 1. */
    while (left > 0) {
        strides[--left] = fold_number(fold, 1);
    }
    return true;
}

static bool apply_shape(Fold *fold, const Shape *shape)
{
    Geometry next = geometry_like(fold->arena, &fold->now, shape->rank);
    for (uint32_t i = 0; i < shape->rank; i++) {
        next.sizes[i] = shape->sizes[i];
    }
    if (!compute_strides(fold, shape, next.strides)) {
        return false;
    }
    fold->now = next;
    return true;
}

/* reshape gives the same view, or a copy, which would not be an alias: so both are refused alike. */
bool view_view(Fold *fold)
{
    const SpecInts *argument = &fold->view->size;
    Shape shape = shape_new(fold, argument->text_count);
    const Integer *total = fold_product(fold, fold->now.sizes, fold->now.rank);
    return read_sizes(fold, argument, &shape, 0) && infer_size(fold, argument, &shape, 0, shape.rank, total) &&
           apply_shape(fold, &shape);
}

bool view_flatten(Fold *fold)
{
    const SpecView *view = fold->view;
    const Geometry *now = &fold->now;
    uint32_t start = 0;
    uint32_t end = 0;
    if (!fold_dim(fold, &view->start_dim, 0, now->rank, &start) ||
        !fold_dim(fold, &view->end_dim, -1, now->rank, &end)) {
        return false;
    }
    if (start > end) {
        return fold_fail(fold, view->start_dim.text ? &view->start_dim : &view->end_dim,
                         "start_dim %" PRIu32 " comes after end_dim %" PRIu32, start, end);
    }
    if (now->rank > 0 && start == end) {
        return true;
    }
    const uint32_t joined = now->rank == 0 ? 0 : end + 1 - start;
    Shape shape = shape_new(fold, now->rank - joined + 1);
    for (uint32_t i = 0; i < shape.rank; i++) {
        shape.sizes[i] = i < start    ? now->sizes[i]
                         : i == start ? fold_product(fold, now->sizes + start, joined)
                                      : now->sizes[i + joined - 1];
    }
    return apply_shape(fold, &shape);
}

bool view_unflatten(Fold *fold)
{
    const SpecInts *argument = &fold->view->size;
    const Geometry *now = &fold->now;
    uint32_t dim = 0;
    if (!fold_rank_above_zero(fold) || !fold_dim(fold, &fold->view->dim, 0, now->rank, &dim)) {
        return false;
    }
    if (argument->text_count == 0) {
        return fold_fail(fold, argument, "at least one size is needed");
    }
    Shape shape = shape_new(fold, now->rank - 1 + argument->text_count);
    for (uint32_t i = 0; i < dim; i++) {
        shape.sizes[i] = now->sizes[i];
    }
    for (uint32_t i = dim + argument->text_count; i < shape.rank; i++) {
        shape.sizes[i] = now->sizes[i - argument->text_count + 1];
    }
    return read_sizes(fold, argument, &shape, dim) &&
           infer_size(fold, argument, &shape, dim, dim + argument->text_count, now->sizes[dim]) &&
           apply_shape(fold, &shape);
}
