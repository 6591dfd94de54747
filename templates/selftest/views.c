/* SPDX-License-Identifier: MIT */
/*
 * views - see views.h. Each function here, in views_shape.c and in views_part.c is one operation of PyTorch's
 * documentation, on numbers.
 *
 * Sources of behaviour: the torch.* reference of each operation and, where that is silent (strides of added dims, views
 * of tensors without elements), aten/src/ATen/native/TensorShape.cpp, ATen/ExpandUtils.cpp and ATen/TensorUtils.cpp.
 */
#include "views_private.h"

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
           op == SPEC_VIEW_VIEW_AS_COMPLEX || op == SPEC_VIEW__CONJ || op == SPEC_VIEW__NEG_VIEW;
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
        if (wg_ckd_mul(&stride, stride, geometry->sizes[i] > 1 ? geometry->sizes[i] : 1)) {
            stride = INT64_C(1) << 62; /* no memory is so large: any large one will do */
        }
    }
}

/* A dim that may count from the end; `rank` is what it may count over. False when it is outside. */
bool views_wrap_dim(int64_t dim, int32_t rank, int32_t *wrapped)
{
    const int32_t range = rank > 0 ? rank : 1; /* a scalar has dims 0 and -1 */
    if (dim < -range || dim >= range) {
        return false;
    }
    *wrapped = (int32_t)(dim < 0 ? dim + range : dim);
    return true;
}

void views_remove_dim(ViewGeometry *g, int32_t dim)
{
    for (int32_t i = dim; i + 1 < g->rank; i++) {
        g->sizes[i] = g->sizes[i + 1];
        g->strides[i] = g->strides[i + 1];
    }
    g->rank--;
}

void views_insert_dim(ViewGeometry *g, int32_t dim, int64_t size, int64_t stride)
{
    for (int32_t i = g->rank; i > dim; i--) {
        g->sizes[i] = g->sizes[i - 1];
        g->strides[i] = g->strides[i - 1];
    }
    g->sizes[dim] = size;
    g->strides[dim] = stride;
    g->rank++;
}

int64_t views_add(ViewGeometry *g, int64_t a, int64_t b)
{
    int64_t sum = 0;
    g->too_large = wg_ckd_add(&sum, a, b) || g->too_large;
    return sum;
}

int64_t views_mul(ViewGeometry *g, int64_t a, int64_t b)
{
    int64_t product = 0;
    g->too_large = wg_ckd_mul(&product, a, b) || g->too_large;
    return product;
}

int64_t views_count_elements(ViewGeometry *g, const int64_t *sizes, int32_t rank)
{
    int64_t count = 1;
    for (int32_t i = 0; i < rank; i++) { /* first: what the other sizes are does not matter then */
        if (sizes[i] == 0) {
            return 0;
        }
    }
    for (int32_t i = 0; i < rank; i++) {
        count = views_mul(g, count, sizes[i]);
    }
    return count;
}

static bool is_complex(int32_t dtype)
{
    return dtype == WG_COMPLEX32 || dtype == WG_COMPLEX64 || dtype == WG_COMPLEX128;
}

static bool is_floating(int32_t dtype)
{
    return dtype == WG_FLOAT16 || dtype == WG_BFLOAT16 || dtype == WG_FLOAT32 || dtype == WG_FLOAT64 ||
           (dtype >= WG_FLOAT8_E5M2 && dtype <= WG_FLOAT8_E4M3FNUZ);
}

static const char *view_as_real(ViewGeometry *g)
{
    if (!is_complex(g->dtype)) {
        return "view_as_real: not complex";
    }
    for (int32_t i = 0; i < g->rank; i++) {
        g->strides[i] = views_mul(g, g->strides[i], 2);
    }
    g->offset = views_mul(g, g->offset, 2);
    g->dtype = g->dtype == WG_COMPLEX32 ? WG_FLOAT16 : (g->dtype == WG_COMPLEX64 ? WG_FLOAT32 : WG_FLOAT64);
    views_insert_dim(g, g->rank, 2, 1);
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
        g->strides[i] = views_mul(g, g->strides[i], ratio);
    }
    g->sizes[last] = views_mul(g, g->sizes[last], ratio);
    g->offset = views_mul(g, g->offset, ratio);
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
        return views_as_strided(call, g);
    case SPEC_VIEW_VIEW:
    case SPEC_VIEW_RESHAPE:
        return views_view(&call->size, g);
    case SPEC_VIEW_EXPAND:
        return views_expand(call, g);
    case SPEC_VIEW_TRANSPOSE:
        return views_transpose(call, g);
    case SPEC_VIEW_PERMUTE:
        return views_permute(call, g);
    case SPEC_VIEW_T:
        return views_transpose_matrix(g);
    case SPEC_VIEW_VIEW_AS_REAL:
        return view_as_real(g);
    case SPEC_VIEW_VIEW_AS_COMPLEX:
        return view_as_complex(g);
    case SPEC_VIEW_SQUEEZE:
        return views_squeeze(call, g);
    case SPEC_VIEW_UNSQUEEZE:
        return views_unsqueeze(call, g);
    case SPEC_VIEW_SELECT: /* its dim is required, unbind's is 0 when absent */
        if (!call->dim.present) {
            return "select: dim";
        }
        return views_select_index(&call->dim, &call->index, g);
    case SPEC_VIEW_UNBIND:
        return views_select_index(&call->dim, &call->index, g);
    case SPEC_VIEW_SLICE:
        return views_slice(call, g);
    case SPEC_VIEW_VIEW_DTYPE:
        return view_dtype(call, g);
    case SPEC_VIEW_DIAGONAL:
        return views_diagonal(call, g);
    case SPEC_VIEW_UNFOLD:
        return views_unfold(call, g);
    case SPEC_VIEW_MOVEDIM:
        return views_movedim(call, g);
    case SPEC_VIEW_FLATTEN:
        return views_flatten(call, g);
    case SPEC_VIEW_UNFLATTEN:
        return views_unflatten(call, g);
    case SPEC_VIEW_SPLIT:
    case SPEC_VIEW_SPLIT_WITH_SIZES:
    case SPEC_VIEW_CHUNK:
        return views_one_of_many(call, g);
    case SPEC_VIEW_NARROW:
        return views_narrow(call, g);
    case SPEC_VIEW__CONJ:
        return is_complex(g->dtype) ? NULL : "_conj: not complex";
    case SPEC_VIEW__NEG_VIEW:
        return is_complex(g->dtype) || is_floating(g->dtype) ? NULL : "_neg_view: not floating or complex";
    case SPEC_VIEW_UNSET:
        break;
    }
    return "operation is not supported";
}

const char *view_apply(const ViewCall *call, ViewGeometry *geometry)
{
    ViewGeometry result = *geometry;
    result.too_large = false;
    const char *wrong = apply(call, &result);
    if (result.too_large) {
        wrong = "overflow";
    } else if (wrong == NULL && result.offset < 0) {
        wrong = "negative offset";
    }
    if (wrong == NULL) {
        *geometry = result;
    }
    return wrong;
}
