/* SPDX-License-Identifier: MIT */
/*
 * views - see views.h. Each function below is one operation of PyTorch's documentation, on numbers.
 *
 * Sources of behaviour: the torch.* reference of each operation and, where that is silent (strides of added dims, views
 * of tensors without elements), aten/src/ATen/native/TensorShape.cpp, ATen/ExpandUtils.cpp and ATen/TensorUtils.cpp.
 */
#include "views.h"

#include <stddef.h>
#include <string.h>

#include "../core/wg_core.h"

ViewCall view_call(SpecViewOp op)
{
    ViewCall call;
    memset(&call, 0, sizeof call);
    call.op = op;
    call.size.count = -1;
    call.stride.count = -1;
    call.dims.count = -1;
    call.source.count = -1;
    call.destination.count = -1;
    call.sizes.count = -1;
    call.dtype = -1;
    return call;
}

int64_t view_itemsize(int32_t dtype)
{
    switch (dtype) {
    case WG_INT16:
    case WG_UINT16:
    case WG_FLOAT16:
    case WG_BFLOAT16:
        return 2;
    case WG_INT32:
    case WG_UINT32:
    case WG_FLOAT32:
    case WG_COMPLEX32:
        return 4;
    case WG_INT64:
    case WG_UINT64:
    case WG_FLOAT64:
    case WG_COMPLEX64:
        return 8;
    case WG_COMPLEX128:
        return 16;
    default:
        return 1;
    }
}

bool view_is_step(SpecViewOp op)
{
    return op == SPEC_VIEW_DETACH || op == SPEC_VIEW_VIEW_DTYPE || op == SPEC_VIEW_VIEW_AS_REAL ||
           op == SPEC_VIEW_VIEW_AS_COMPLEX;
}

bool view_same_shape(const ViewGeometry *a, const ViewGeometry *b)
{
    return a->rank == b->rank && memcmp(a->sizes, b->sizes, (size_t)a->rank * sizeof a->sizes[0]) == 0;
}

bool view_has_elements(const ViewGeometry *geometry)
{
    for (int32_t i = 0; i < geometry->rank; i++) {
        if (geometry->sizes[i] == 0) {
            return false;
        }
    }
    return true;
}

bool view_same_geometry(const ViewGeometry *a, const ViewGeometry *b)
{
    bool same = view_same_shape(a, b) && a->dtype == b->dtype;
    if (!same || !view_has_elements(a)) {
        return same;
    }
    for (int32_t i = 0; i < a->rank; i++) {
        same = same && (a->sizes[i] == 1 || a->strides[i] == b->strides[i]);
    }
    return same && a->offset == b->offset;
}

void view_make_contiguous(ViewGeometry *geometry)
{
    int64_t stride = 1;
    for (int32_t i = geometry->rank - 1; i >= 0; i--) {
        geometry->strides[i] = stride;
        if (__builtin_mul_overflow(stride, geometry->sizes[i] > 1 ? geometry->sizes[i] : 1, &stride)) {
            stride = INT64_C(1) << 62; /* no memory is so large: any large one will do */
        }
    }
}

/* A dim that may count from the end; `rank` is what it may count over. False when it is outside. */
static bool wrap_dim(int64_t dim, int32_t rank, int32_t *wrapped)
{
    const int32_t range = rank > 0 ? rank : 1; /* a scalar has dims 0 and -1 */
    if (dim < -range || dim >= range) {
        return false;
    }
    *wrapped = (int32_t)(dim < 0 ? dim + range : dim);
    return true;
}

static void remove_dim(ViewGeometry *g, int32_t dim)
{
    for (int32_t i = dim; i + 1 < g->rank; i++) {
        g->sizes[i] = g->sizes[i + 1];
        g->strides[i] = g->strides[i + 1];
    }
    g->rank--;
}

static void insert_dim(ViewGeometry *g, int32_t dim, int64_t size, int64_t stride)
{
    for (int32_t i = g->rank; i > dim; i--) {
        g->sizes[i] = g->sizes[i - 1];
        g->strides[i] = g->strides[i - 1];
    }
    g->sizes[dim] = size;
    g->strides[dim] = stride;
    g->rank++;
}

static int64_t count_elements(const int64_t *sizes, int32_t rank)
{
    int64_t count = 1;
    for (int32_t i = 0; i < rank; i++) {
        count *= sizes[i];
    }
    return count;
}

static const char *as_strided(const ViewCall *c, ViewGeometry *g)
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
static const char *infer_sizes(const ViewList *asked, int64_t elements, ViewList *sizes)
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
            product *= asked->at[i];
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
static bool merges_with_next(const ViewGeometry *g, int32_t d, int64_t run_elements, int64_t run_stride)
{
    return g->sizes[d] == 1 || g->strides[d] == run_elements * run_stride;
}

/*
 * The new sizes on the same elements. From the last dim to the first, old dims gather into runs that lie in memory like
 * a single dim; the new dims are cut out of one run each, from its end.
 */
static const char *reshape_strides(const ViewGeometry *g, const ViewList *sizes, int64_t *strides)
{
    const int64_t elements = count_elements(g->sizes, g->rank);
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
            stride *= sizes->at[i] > 1 ? sizes->at[i] : 1;
        }
        return NULL;
    }
    int32_t next = sizes->count - 1;
    int64_t run_elements = 1;
    int64_t run_stride = g->strides[g->rank - 1];
    for (int32_t d = g->rank - 1; d >= 0; d--) {
        run_elements *= g->sizes[d];
        if (d > 0 && merges_with_next(g, d - 1, run_elements, run_stride)) {
            continue;
        }
        int64_t cut = 1;
        while (next >= 0 && (cut < run_elements || sizes->at[next] == 1)) {
            strides[next] = cut * run_stride;
            cut *= sizes->at[next];
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

static const char *view(const ViewList *asked, ViewGeometry *g)
{
    ViewList sizes;
    int64_t strides[VIEW_RANK];
    if (asked->count < 0) {
        return "view: no size";
    }
    const char *wrong = infer_sizes(asked, count_elements(g->sizes, g->rank), &sizes);
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

static const char *expand(const ViewCall *c, ViewGeometry *g)
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
            stride = r.sizes[i + 1] * r.strides[i + 1];
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

static const char *transpose(const ViewCall *c, ViewGeometry *g)
{
    int32_t a = 0;
    int32_t b = 0;
    if (c->dims.count != 2 || !wrap_dim(c->dims.at[0], g->rank, &a) || !wrap_dim(c->dims.at[1], g->rank, &b)) {
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

static const char *permute(const ViewCall *c, ViewGeometry *g)
{
    int32_t order[VIEW_RANK];
    bool seen[VIEW_RANK] = {false};
    if (c->dims.count != g->rank) {
        return "permute: dims";
    }
    for (int32_t i = 0; i < g->rank; i++) {
        if (!wrap_dim(c->dims.at[i], g->rank, &order[i]) || seen[order[i]]) {
            return "permute: dims";
        }
        seen[order[i]] = true;
    }
    reorder(g, order);
    return NULL;
}

static const char *transpose_matrix(ViewGeometry *g)
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

static const char *movedim(const ViewCall *c, ViewGeometry *g)
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
        if (!wrap_dim(c->source.at[i], g->rank, &from) || !wrap_dim(c->destination.at[i], g->rank, &to) ||
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

static const char *squeeze(const ViewCall *c, ViewGeometry *g)
{
    bool meant[VIEW_RANK] = {false};
    for (int32_t i = 0; i < VIEW_RANK; i++) {
        meant[i] = c->dims.count < 0;
    }
    for (int32_t i = 0; i < c->dims.count; i++) {
        int32_t dim = 0;
        if (!wrap_dim(c->dims.at[i], g->rank, &dim) || meant[dim]) {
            return "squeeze: dims";
        }
        meant[dim] = true;
    }
    for (int32_t i = g->rank - 1; i >= 0; i--) {
        if (meant[i] && g->sizes[i] == 1) {
            remove_dim(g, i);
        }
    }
    return NULL;
}

static const char *unsqueeze(const ViewCall *c, ViewGeometry *g)
{
    int32_t dim = 0;
    if (!c->dim.present || !wrap_dim(c->dim.value, g->rank + 1, &dim)) {
        return "unsqueeze: dim";
    }
    insert_dim(g, dim, 1, dim < g->rank ? g->sizes[dim] * g->strides[dim] : 1);
    return NULL;
}

static const char *select_index(const ViewScalar *dim, const ViewScalar *index, ViewGeometry *g)
{
    int32_t d = 0;
    if (g->rank == 0 || !index->present || !wrap_dim(dim->value, g->rank, &d)) {
        return "select: dim";
    }
    if (index->value < -g->sizes[d] || index->value >= g->sizes[d]) {
        return "select: index";
    }
    g->offset += (index->value < 0 ? index->value + g->sizes[d] : index->value) * g->strides[d];
    remove_dim(g, d);
    return NULL;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : (value > high ? high : value);
}

static const char *slice(const ViewCall *c, ViewGeometry *g)
{
    int32_t d = 0;
    if (g->rank == 0 || !wrap_dim(c->dim.present ? c->dim.value : 0, g->rank, &d)) {
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
    g->offset += start * g->strides[d];
    g->sizes[d] = (end - start + step - 1) / step;
    g->strides[d] *= step;
    return NULL;
}

/* Elements start ... start + length - 1 of a dim, all of which must be there. */
static const char *take_piece(ViewGeometry *g, int32_t dim, int64_t start, int64_t length)
{
    if (start < 0 || length < 0 || start + length > g->sizes[dim]) {
        return "piece: outside of the dim";
    }
    g->offset += start * g->strides[dim];
    g->sizes[dim] = length;
    return NULL;
}

static const char *narrow(const ViewCall *c, ViewGeometry *g)
{
    int32_t d = 0;
    if (g->rank == 0 || !c->dim.present || !c->start.present || !c->length.present ||
        !wrap_dim(c->dim.value, g->rank, &d)) {
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
    int64_t pieces = split_size == 0 ? 1 : (size + split_size - 1) / split_size;
    if (pieces < 1) {
        pieces = 1;
    }
    if (index < -pieces || index >= pieces) {
        return "split: index";
    }
    const int64_t start = (index < 0 ? index + pieces : index) * split_size;
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
        start += i < index ? c->sizes.at[i] : 0;
        total += c->sizes.at[i];
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
    return split(g, dim, (size + chunks - 1) / chunks, c->index.value);
}

static const char *one_of_many(const ViewCall *c, ViewGeometry *g)
{
    int32_t d = 0;
    if (g->rank == 0 || !wrap_dim(c->dim.present ? c->dim.value : 0, g->rank, &d) || !c->index.present) {
        return "split: dim or index";
    }
    if (c->op == SPEC_VIEW_SPLIT) {
        return c->split_size.present ? split(g, d, c->split_size.value, c->index.value) : "split: split_size";
    }
    return c->op == SPEC_VIEW_CHUNK ? chunk(c, g, d) : split_with_sizes(c, g, d);
}

static const char *diagonal(const ViewCall *c, ViewGeometry *g)
{
    int32_t a = 0;
    int32_t b = 0;
    const int64_t offset = c->offset.present ? c->offset.value : 0;
    if (g->rank < 2 || !wrap_dim(c->dim1.present ? c->dim1.value : 0, g->rank, &a) ||
        !wrap_dim(c->dim2.present ? c->dim2.value : 1, g->rank, &b) || a == b) {
        return "diagonal: dims";
    }
    const int64_t rows = offset < 0 ? g->sizes[a] + offset : g->sizes[a];
    const int64_t columns = offset < 0 ? g->sizes[b] : g->sizes[b] - offset;
    int64_t size = rows < columns ? rows : columns;
    if (size < 0) {
        size = 0;
    }
    if (size > 0) {
        g->offset += offset >= 0 ? offset * g->strides[b] : -offset * g->strides[a];
    }
    const int64_t stride = g->strides[a] + g->strides[b];
    remove_dim(g, a > b ? a : b);
    remove_dim(g, a > b ? b : a);
    insert_dim(g, g->rank, size, stride);
    return NULL;
}

static const char *unfold(const ViewCall *c, ViewGeometry *g)
{
    int32_t d = 0;
    const int64_t length = c->length.value;
    const int64_t step = c->step.value;
    if (!c->dim.present || !c->length.present || !c->step.present || !wrap_dim(c->dim.value, g->rank, &d)) {
        return "unfold: dim";
    }
    const int64_t size = g->rank == 0 ? 1 : g->sizes[d];
    if (length < 0 || length > size || step <= 0) {
        return "unfold: length or step";
    }
    if (g->rank == 0) {
        insert_dim(g, 0, length, 1);
        return NULL;
    }
    const int64_t stride = g->strides[d];
    g->sizes[d] = (size - length) / step + 1;
    g->strides[d] = stride * step;
    insert_dim(g, g->rank, length, stride);
    return NULL;
}

static const char *flatten(const ViewCall *c, ViewGeometry *g)
{
    int32_t first = 0;
    int32_t last = 0;
    ViewList sizes = {0, {0}};
    if (!wrap_dim(c->start_dim.present ? c->start_dim.value : 0, g->rank, &first) ||
        !wrap_dim(c->end_dim.present ? c->end_dim.value : -1, g->rank, &last) || first > last) {
        return "flatten: dims";
    }
    if (g->rank > 0 && first == last) {
        return NULL;
    }
    for (int32_t i = 0; i < first; i++) {
        sizes.at[sizes.count++] = g->sizes[i];
    }
    sizes.at[sizes.count++] = g->rank == 0 ? 1 : count_elements(g->sizes + first, last - first + 1);
    for (int32_t i = last + 1; i < g->rank; i++) {
        sizes.at[sizes.count++] = g->sizes[i];
    }
    return view(&sizes, g);
}

static const char *unflatten(const ViewCall *c, ViewGeometry *g)
{
    int32_t d = 0;
    ViewList parts;
    ViewList sizes = {0, {0}};
    if (g->rank == 0 || !c->dim.present || c->size.count < 1 || !wrap_dim(c->dim.value, g->rank, &d)) {
        return "unflatten: dim";
    }
    const char *wrong = infer_sizes(&c->size, g->sizes[d], &parts);
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
    return view(&sizes, g);
}

static bool is_complex(int32_t dtype)
{
    return dtype == WG_COMPLEX32 || dtype == WG_COMPLEX64 || dtype == WG_COMPLEX128;
}

static const char *view_as_real(ViewGeometry *g)
{
    if (!is_complex(g->dtype)) {
        return "view_as_real: not complex";
    }
    for (int32_t i = 0; i < g->rank; i++) {
        g->strides[i] *= 2;
    }
    g->offset *= 2;
    g->dtype = g->dtype == WG_COMPLEX32 ? WG_FLOAT16 : (g->dtype == WG_COMPLEX64 ? WG_FLOAT32 : WG_FLOAT64);
    insert_dim(g, g->rank, 2, 1);
    return NULL;
}

static const char *view_as_complex(ViewGeometry *g)
{
    const bool real = g->dtype == WG_FLOAT16 || g->dtype == WG_FLOAT32 || g->dtype == WG_FLOAT64;
    const int32_t last = g->rank - 1;
    if (!real || last < 0 || g->sizes[last] != 2 || g->strides[last] != 1 || g->offset % 2 != 0) {
        return "view_as_complex: not possible";
    }
    for (int32_t i = 0; i < last; i++) {
        if (g->strides[i] % 2 != 0) {
            return "view_as_complex: odd stride";
        }
    }
    for (int32_t i = 0; i < last; i++) {
        g->strides[i] /= 2;
    }
    g->offset /= 2;
    g->rank--;
    g->dtype = g->dtype == WG_FLOAT16 ? WG_COMPLEX32 : (g->dtype == WG_FLOAT32 ? WG_COMPLEX64 : WG_COMPLEX128);
    return NULL;
}

/* Elements become `ratio` times as many, along the last dim. */
static const char *cut_elements(ViewGeometry *g, int64_t ratio)
{
    const int32_t last = g->rank - 1;
    if (last < 0 || g->strides[last] != 1) {
        return "view_dtype: last stride must be 1";
    }
    for (int32_t i = 0; i < last; i++) {
        g->strides[i] *= ratio;
    }
    g->sizes[last] *= ratio;
    g->offset *= ratio;
    return NULL;
}

static const char *join_elements(ViewGeometry *g, int64_t ratio)
{
    const int32_t last = g->rank - 1;
    if (last < 0 || g->strides[last] != 1 || g->sizes[last] % ratio != 0 || g->offset % ratio != 0) {
        return "view_dtype: last dim or offset does not divide";
    }
    for (int32_t i = 0; i < last; i++) {
        if (g->strides[i] % ratio != 0) {
            return "view_dtype: stride does not divide";
        }
    }
    for (int32_t i = 0; i < last; i++) {
        g->strides[i] /= ratio;
    }
    g->sizes[last] /= ratio;
    g->offset /= ratio;
    return NULL;
}

static const char *view_dtype(const ViewCall *c, ViewGeometry *g)
{
    const int64_t old_size = view_itemsize(g->dtype);
    const int64_t new_size = view_itemsize(c->dtype);
    const char *wrong = NULL;
    if (c->dtype < 0) {
        return "view_dtype: dtype";
    }
    if (new_size < old_size) {
        wrong = cut_elements(g, old_size / new_size);
    } else if (new_size > old_size) {
        wrong = join_elements(g, new_size / old_size);
    }
    g->dtype = c->dtype;
    return wrong;
}

static const char *apply(const ViewCall *call, ViewGeometry *g)
{
    switch (call->op) {
    case SPEC_VIEW_ALIAS:
    case SPEC_VIEW_DETACH:
        return NULL;
    case SPEC_VIEW_AS_STRIDED:
        return as_strided(call, g);
    case SPEC_VIEW_VIEW:
    case SPEC_VIEW_RESHAPE:
        return view(&call->size, g);
    case SPEC_VIEW_EXPAND:
        return expand(call, g);
    case SPEC_VIEW_TRANSPOSE:
        return transpose(call, g);
    case SPEC_VIEW_PERMUTE:
        return permute(call, g);
    case SPEC_VIEW_T:
        return transpose_matrix(g);
    case SPEC_VIEW_VIEW_AS_REAL:
        return view_as_real(g);
    case SPEC_VIEW_VIEW_AS_COMPLEX:
        return view_as_complex(g);
    case SPEC_VIEW_SQUEEZE:
        return squeeze(call, g);
    case SPEC_VIEW_UNSQUEEZE:
        return unsqueeze(call, g);
    case SPEC_VIEW_SELECT: /* its dim is required, unbind's is 0 when absent */
        if (!call->dim.present) {
            return "select: dim";
        }
        return select_index(&call->dim, &call->index, g);
    case SPEC_VIEW_UNBIND:
        return select_index(&call->dim, &call->index, g);
    case SPEC_VIEW_SLICE:
        return slice(call, g);
    case SPEC_VIEW_VIEW_DTYPE:
        return view_dtype(call, g);
    case SPEC_VIEW_DIAGONAL:
        return diagonal(call, g);
    case SPEC_VIEW_UNFOLD:
        return unfold(call, g);
    case SPEC_VIEW_MOVEDIM:
        return movedim(call, g);
    case SPEC_VIEW_FLATTEN:
        return flatten(call, g);
    case SPEC_VIEW_UNFLATTEN:
        return unflatten(call, g);
    case SPEC_VIEW_SPLIT:
    case SPEC_VIEW_SPLIT_WITH_SIZES:
    case SPEC_VIEW_CHUNK:
        return one_of_many(call, g);
    case SPEC_VIEW_NARROW:
        return narrow(call, g);
    case SPEC_VIEW_UNSET:
    case SPEC_VIEW__CONJ:
    case SPEC_VIEW__NEG_VIEW:
        break;
    }
    return "operation is not supported";
}

const char *view_apply(const ViewCall *call, ViewGeometry *geometry)
{
    ViewGeometry result = *geometry;
    const char *wrong = apply(call, &result);
    if (wrong == NULL && result.offset < 0) {
        wrong = "negative offset";
    }
    if (wrong == NULL) {
        *geometry = result;
    }
    return wrong;
}
