/* SPDX-License-Identifier: MIT */
/*
 * views_shape - views of all elements of a tensor, in other dims or another order. Sources of behaviour: see views.c.
 */
#include "views_private.h"

#include <string.h>

const char *views_as_strided(const ViewCall *c, ViewGeometry *g)
{
    if (c->size.count < 0 || c->size.count != c->stride.count) {
        return "as_strided: size and stride do not match";
    }
    if (c->offset.present && c->offset.value < 0) {
        return "as_strided: negative offset";
    }
    for (int32_t i = 0; i < c->size.count; i++) {
        if (c->size.at[i] < 0 || c->stride.at[i] < 0) {
            return "as_strided: negative size or stride";
        }
        g->sizes[i] = c->size.at[i];
        g->strides[i] = c->stride.at[i];
    }
    g->rank = c->size.count;
    if (c->offset.present) {
        g->offset = c->offset.value;
    }
    return NULL;
}

/* Fills in the one -1 of a new shape. */
static const char *infer_sizes(ViewGeometry *g, const ViewList *asked, int64_t elements, ViewList *sizes)
{
    int32_t unknown = -1;
    int64_t product = 1;
    *sizes = *asked;
    for (int32_t i = 0; i < asked->count; i++) {
        if (asked->at[i] == -1 && unknown < 0) {
            unknown = i;
        } else if (asked->at[i] < 0) {
            return "view: negative size";
        } else {
            product = views_mul(g, product, asked->at[i]);
        }
    }
    if (unknown < 0) {
        return product == elements ? NULL : "view: another number of elements";
    }
    if (product == 0 || elements % product != 0) {
        return "view: -1 cannot be inferred";
    }
    sizes->at[unknown] = elements / product;
    return NULL;
}

/* Whether dims d and d+1 of g lie in memory as one dim would: then a new shape may cut across them. */
static bool merges_with_next(ViewGeometry *g, int32_t d, int64_t run_elements, int64_t run_stride)
{
    return g->sizes[d] == 1 || g->strides[d] == views_mul(g, run_elements, run_stride);
}

/*
 * The new sizes on the same elements. From the last dim to the first, old dims gather into runs that lie in memory like
 * a single dim; the new dims are cut out of one run each, from its end.
 */
static const char *reshape_strides(ViewGeometry *g, const ViewList *sizes, int64_t *strides)
{
    const int64_t elements = views_count_elements(g, g->sizes, g->rank);
    if (g->rank == 0) {
        for (int32_t i = 0; i < sizes->count; i++) {
            strides[i] = 1;
        }
        return NULL;
    }
    if (elements == 0) {
        const bool same =
            sizes->count == g->rank && memcmp(sizes->at, g->sizes, (size_t)g->rank * sizeof(int64_t)) == 0;
        int64_t stride = 1;
        for (int32_t i = sizes->count - 1; i >= 0; i--) {
            strides[i] = same ? g->strides[i] : stride;
            stride = views_mul(g, stride, sizes->at[i] > 1 ? sizes->at[i] : 1);
        }
        return NULL;
    }
    int32_t next = sizes->count - 1;
    int64_t run_elements = 1;
    int64_t run_stride = g->strides[g->rank - 1];
    for (int32_t d = g->rank - 1; d >= 0; d--) {
        run_elements = views_mul(g, run_elements, g->sizes[d]);
        if (d > 0 && merges_with_next(g, d - 1, run_elements, run_stride)) {
            continue;
        }
        int64_t cut = 1;
        while (next >= 0 && (cut < run_elements || sizes->at[next] == 1)) {
            strides[next] = views_mul(g, cut, run_stride);
            cut = views_mul(g, cut, sizes->at[next]);
            next--;
        }
        if (cut != run_elements) {
            return "view: not possible without a copy";
        }
        run_elements = 1;
        run_stride = d > 0 ? g->strides[d - 1] : 0;
    }
    return next < 0 ? NULL : "view: not possible without a copy";
}

const char *views_view(const ViewList *asked, ViewGeometry *g)
{
    ViewList sizes;
    int64_t strides[VIEW_RANK];
    if (asked->count < 0) {
        return "view: no size";
    }
    const char *wrong = infer_sizes(g, asked, views_count_elements(g, g->sizes, g->rank), &sizes);
    if (wrong == NULL) {
        wrong = reshape_strides(g, &sizes, strides);
    }
    if (wrong != NULL) {
        return wrong;
    }
    g->rank = sizes.count;
    for (int32_t i = 0; i < sizes.count; i++) {
        g->sizes[i] = sizes.at[i];
        g->strides[i] = strides[i];
    }
    return NULL;
}

const char *views_expand(const ViewCall *c, ViewGeometry *g)
{
    ViewGeometry r = *g;
    if (c->size.count < g->rank) {
        return "expand: fewer dims than the tensor";
    }
    r.rank = c->size.count;
    for (int32_t i = r.rank - 1; i >= 0; i--) {
        const int32_t old = i - (r.rank - g->rank);
        int64_t size = old >= 0 ? g->sizes[old] : 1;
        int64_t stride = 0;
        if (old >= 0) {
            stride = g->strides[old];
        } else if (g->rank > 0) {
            stride = views_mul(g, r.sizes[i + 1], r.strides[i + 1]);
        }
        int64_t target = c->size.at[i];
        if (target == -1 && old >= 0) {
            target = size;
        }
        if (target < 0 || (size != target && size != 1)) {
            return "expand: size does not fit";
        }
        if (size != target) {
            size = target;
            stride = 0;
        }
        r.sizes[i] = size;
        r.strides[i] = stride;
    }
    *g = r;
    return NULL;
}

/* Dim i of the result is dim order[i] of g. */
static void reorder(ViewGeometry *g, const int32_t *order)
{
    const ViewGeometry old = *g;
    for (int32_t i = 0; i < g->rank; i++) {
        g->sizes[i] = old.sizes[order[i]];
        g->strides[i] = old.strides[order[i]];
    }
}

const char *views_transpose(const ViewCall *c, ViewGeometry *g)
{
    int32_t a = 0;
    int32_t b = 0;
    if (c->dims.count != 2 || !views_wrap_dim(c->dims.at[0], g->rank, &a) ||
        !views_wrap_dim(c->dims.at[1], g->rank, &b)) {
        return "transpose: dims";
    }
    int32_t order[VIEW_RANK];
    for (int32_t i = 0; i < VIEW_RANK; i++) {
        order[i] = i;
    }
    order[a] = b;
    order[b] = a;
    reorder(g, order);
    return NULL;
}

const char *views_permute(const ViewCall *c, ViewGeometry *g)
{
    int32_t order[VIEW_RANK];
    bool seen[VIEW_RANK] = {false};
    if (c->dims.count != g->rank) {
        return "permute: dims";
    }
    for (int32_t i = 0; i < g->rank; i++) {
        if (!views_wrap_dim(c->dims.at[i], g->rank, &order[i]) || seen[order[i]]) {
            return "permute: dims";
        }
        seen[order[i]] = true;
    }
    reorder(g, order);
    return NULL;
}

const char *views_transpose_matrix(ViewGeometry *g)
{
    static const int32_t swapped[2] = {1, 0};
    if (g->rank > 2) {
        return "t: more than two dims";
    }
    if (g->rank == 2) {
        reorder(g, swapped);
    }
    return NULL;
}

const char *views_movedim(const ViewCall *c, ViewGeometry *g)
{
    int32_t order[VIEW_RANK];
    bool moved[VIEW_RANK] = {false};
    if (c->source.count < 0 || c->source.count != c->destination.count) {
        return "movedim: source and destination";
    }
    for (int32_t i = 0; i < VIEW_RANK; i++) {
        order[i] = -1;
    }
    for (int32_t i = 0; i < c->source.count; i++) {
        int32_t from = 0;
        int32_t to = 0;
        if (!views_wrap_dim(c->source.at[i], g->rank, &from) || !views_wrap_dim(c->destination.at[i], g->rank, &to) ||
            moved[from] || order[to] >= 0) {
            return "movedim: dims";
        }
        moved[from] = true;
        order[to] = from;
    }
    int32_t rest = 0;
    for (int32_t i = 0; i < g->rank; i++) {
        while (order[i] < 0 && moved[rest]) {
            rest++;
        }
        if (order[i] < 0) {
            order[i] = rest++;
        }
    }
    reorder(g, order);
    return NULL;
}

const char *views_squeeze(const ViewCall *c, ViewGeometry *g)
{
    bool meant[VIEW_RANK] = {false};
    for (int32_t i = 0; i < VIEW_RANK; i++) {
        meant[i] = c->dims.count < 0;
    }
    for (int32_t i = 0; i < c->dims.count; i++) {
        int32_t dim = 0;
        if (!views_wrap_dim(c->dims.at[i], g->rank, &dim) || meant[dim]) {
            return "squeeze: dims";
        }
        meant[dim] = true;
    }
    for (int32_t i = g->rank - 1; i >= 0; i--) {
        if (meant[i] && g->sizes[i] == 1) {
            views_remove_dim(g, i);
        }
    }
    return NULL;
}

const char *views_unsqueeze(const ViewCall *c, ViewGeometry *g)
{
    int32_t dim = 0;
    if (!c->dim.present || !views_wrap_dim(c->dim.value, g->rank + 1, &dim)) {
        return "unsqueeze: dim";
    }
    views_insert_dim(g, dim, 1, dim < g->rank ? views_mul(g, g->sizes[dim], g->strides[dim]) : 1);
    return NULL;
}

const char *views_flatten(const ViewCall *c, ViewGeometry *g)
{
    int32_t first = 0;
    int32_t last = 0;
    ViewList sizes = {0, {0}};
    if (!views_wrap_dim(c->start_dim.present ? c->start_dim.value : 0, g->rank, &first) ||
        !views_wrap_dim(c->end_dim.present ? c->end_dim.value : -1, g->rank, &last) || first > last) {
        return "flatten: dims";
    }
    if (g->rank > 0 && first == last) {
        return NULL;
    }
    for (int32_t i = 0; i < first; i++) {
        sizes.at[sizes.count++] = g->sizes[i];
    }
    sizes.at[sizes.count++] = g->rank == 0 ? 1 : views_count_elements(g, g->sizes + first, last - first + 1);
    for (int32_t i = last + 1; i < g->rank; i++) {
        sizes.at[sizes.count++] = g->sizes[i];
    }
    return views_view(&sizes, g);
}

const char *views_unflatten(const ViewCall *c, ViewGeometry *g)
{
    int32_t d = 0;
    ViewList parts;
    ViewList sizes = {0, {0}};
    if (g->rank == 0 || !c->dim.present || c->size.count < 1 || !views_wrap_dim(c->dim.value, g->rank, &d)) {
        return "unflatten: dim";
    }
    const char *wrong = infer_sizes(g, &c->size, g->sizes[d], &parts);
    if (wrong != NULL) {
        return wrong;
    }
    for (int32_t i = 0; i < g->rank; i++) {
        for (int32_t k = 0; i == d && k < parts.count; k++) {
            sizes.at[sizes.count++] = parts.at[k];
        }
        if (i != d) {
            sizes.at[sizes.count++] = g->sizes[i];
        }
    }
    return views_view(&sizes, g);
}
