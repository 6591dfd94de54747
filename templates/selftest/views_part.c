/* SPDX-License-Identifier: MIT */
/*
 * views_part - views of some of the elements of a tensor. Sources of behaviour: see views.c.
 */
#include "views_private.h"

/* The first element is `steps` further along a dim. */
static void move_start(ViewGeometry *g, int64_t steps, int64_t stride)
{
    g->offset = views_add(g, g->offset, views_mul(g, steps, stride));
}

const char *views_select_index(const ViewScalar *dim, const ViewScalar *index, ViewGeometry *g)
{
    int32_t d = 0;
    if (g->rank == 0 || !index->present || !views_wrap_dim(dim->value, g->rank, &d)) {
        return "select: dim";
    }
    if (index->value < -g->sizes[d] || index->value >= g->sizes[d]) {
        return "select: index";
    }
    move_start(g, index->value < 0 ? index->value + g->sizes[d] : index->value, g->strides[d]);
    views_remove_dim(g, d);
    return NULL;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : (value > high ? high : value);
}

const char *views_slice(const ViewCall *c, ViewGeometry *g)
{
    int32_t d = 0;
    if (g->rank == 0 || !views_wrap_dim(c->dim.present ? c->dim.value : 0, g->rank, &d)) {
        return "slice: dim";
    }
    const int64_t size = g->sizes[d];
    const int64_t step = c->step.present ? c->step.value : 1;
    int64_t start = c->start.present ? c->start.value : 0;
    int64_t end = c->end.present ? c->end.value : INT64_MAX;
    if (step <= 0) {
        return "slice: step";
    }
    start = clamp(start < 0 ? start + size : start, 0, size);
    end = clamp(end < 0 ? end + size : end, start, size);
    move_start(g, start, g->strides[d]);
    g->sizes[d] = views_add(g, end - start, step - 1) / step;
    g->strides[d] = views_mul(g, g->strides[d], step);
    return NULL;
}

/* Elements start ... start + length - 1 of a dim; all must exist. */
static const char *take_piece(ViewGeometry *g, int32_t dim, int64_t start, int64_t length)
{
    if (start < 0 || length < 0 || length > g->sizes[dim] - start) {
        return "piece: outside of the dim";
    }
    move_start(g, start, g->strides[dim]);
    g->sizes[dim] = length;
    return NULL;
}

const char *views_narrow(const ViewCall *c, ViewGeometry *g)
{
    int32_t d = 0;
    if (g->rank == 0 || !c->dim.present || !c->start.present || !c->length.present ||
        !views_wrap_dim(c->dim.value, g->rank, &d)) {
        return "narrow: dim";
    }
    const int64_t start = c->start.value < 0 ? c->start.value + g->sizes[d] : c->start.value;
    return take_piece(g, d, start, c->length.value);
}

static const char *split(ViewGeometry *g, int32_t dim, int64_t split_size, int64_t index)
{
    const int64_t size = g->sizes[dim];
    if (split_size < 0 || (split_size == 0 && size != 0)) {
        return "split: split_size";
    }
    int64_t pieces = split_size == 0 ? 1 : views_add(g, size, split_size - 1) / split_size;
    if (pieces < 1) {
        pieces = 1;
    }
    if (index < -pieces || index >= pieces) {
        return "split: index";
    }
    const int64_t start = views_mul(g, index < 0 ? index + pieces : index, split_size);
    return take_piece(g, dim, start, size - start < split_size ? size - start : split_size);
}

static const char *split_with_sizes(const ViewCall *c, ViewGeometry *g, int32_t dim)
{
    int64_t total = 0;
    int64_t start = 0;
    const int64_t pieces = c->sizes.count;
    if (pieces < 0 || c->index.value < -pieces || c->index.value >= pieces) {
        return "split_with_sizes: index";
    }
    const int64_t index = c->index.value < 0 ? c->index.value + pieces : c->index.value;
    for (int32_t i = 0; i < c->sizes.count; i++) {
        if (c->sizes.at[i] < 0) {
            return "split_with_sizes: negative size";
        }
        start = i < index ? views_add(g, start, c->sizes.at[i]) : start;
        total = views_add(g, total, c->sizes.at[i]);
    }
    if (total != g->sizes[dim]) {
        return "split_with_sizes: sizes do not add up";
    }
    return take_piece(g, dim, start, c->sizes.at[index]);
}

static const char *chunk(const ViewCall *c, ViewGeometry *g, int32_t dim)
{
    const int64_t size = g->sizes[dim];
    const int64_t chunks = c->chunks.value;
    if (!c->chunks.present || chunks <= 0) {
        return "chunk: chunks";
    }
    if (size == 0) { /* as many empty pieces as were asked for */
        return c->index.value >= -chunks && c->index.value < chunks ? NULL : "chunk: index";
    }
    return split(g, dim, views_add(g, size, chunks - 1) / chunks, c->index.value);
}

const char *views_one_of_many(const ViewCall *c, ViewGeometry *g)
{
    int32_t d = 0;
    if (g->rank == 0 || !views_wrap_dim(c->dim.present ? c->dim.value : 0, g->rank, &d) || !c->index.present) {
        return "split: dim or index";
    }
    if (c->op == SPEC_VIEW_SPLIT) {
        return c->split_size.present ? split(g, d, c->split_size.value, c->index.value) : "split: split_size";
    }
    return c->op == SPEC_VIEW_CHUNK ? chunk(c, g, d) : split_with_sizes(c, g, d);
}

const char *views_diagonal(const ViewCall *c, ViewGeometry *g)
{
    int32_t a = 0;
    int32_t b = 0;
    const int64_t offset = c->offset.present ? c->offset.value : 0;
    if (g->rank < 2 || !views_wrap_dim(c->dim1.present ? c->dim1.value : 0, g->rank, &a) ||
        !views_wrap_dim(c->dim2.present ? c->dim2.value : 1, g->rank, &b) || a == b) {
        return "diagonal: dims";
    }
    const int64_t rows = offset < 0 ? g->sizes[a] + offset : g->sizes[a]; /* a size is not negative */
    const int64_t columns = offset < 0 ? g->sizes[b] : g->sizes[b] - offset;
    int64_t size = rows < columns ? rows : columns;
    if (size < 0) {
        size = 0;
    }
    if (size > 0) {
        move_start(g, offset >= 0 ? offset : -offset, g->strides[offset >= 0 ? b : a]);
    }
    const int64_t stride = views_add(g, g->strides[a], g->strides[b]);
    views_remove_dim(g, a > b ? a : b);
    views_remove_dim(g, a > b ? b : a);
    views_insert_dim(g, g->rank, size, stride);
    return NULL;
}

const char *views_unfold(const ViewCall *c, ViewGeometry *g)
{
    int32_t d = 0;
    const int64_t length = c->length.value;
    const int64_t step = c->step.value;
    if (!c->dim.present || !c->length.present || !c->step.present || !views_wrap_dim(c->dim.value, g->rank, &d)) {
        return "unfold: dim";
    }
    const int64_t size = g->rank == 0 ? 1 : g->sizes[d];
    if (length < 0 || length > size || step <= 0) {
        return "unfold: length or step";
    }
    if (g->rank == 0) {
        views_insert_dim(g, 0, length, 1);
        return NULL;
    }
    const int64_t stride = g->strides[d];
    g->sizes[d] = (size - length) / step + 1;
    g->strides[d] = views_mul(g, stride, step);
    views_insert_dim(g, g->rank, length, stride);
    return NULL;
}
