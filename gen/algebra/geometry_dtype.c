/* SPDX-License-Identifier: MIT */
/*
 * geometry_dtype - view operations that read the same bytes as another element type; each is a separate step.
 *
 * Sizes, strides and offset count elements, so they are scaled, and must be divisible by the ratio where necessary.
 * Rules: aten/src/ATen/native/TensorConversions.cpp (view.dtype) and ComplexHelper.h.
 */
#include "geometry_private.h"

#include <inttypes.h>
#include <stddef.h>

#include "../../templates/core/wg_core.h"

typedef struct ComplexDtype {
    int32_t complex;
    int32_t part;
} ComplexDtype;

static const ComplexDtype complex_dtypes[] = {
    {WG_COMPLEX32, WG_FLOAT16},
    {WG_COMPLEX64, WG_FLOAT32},
    {WG_COMPLEX128, WG_FLOAT64},
};

enum { NUM_COMPLEX = sizeof complex_dtypes / sizeof complex_dtypes[0] };

static bool dtype_is_known(Fold *fold)
{
    return dtype_size(fold->now.dtype) > 0 || fold_fail(fold, NULL, "the dtype of the tensor is not known here");
}

static const Integer *times(Fold *fold, const Integer *integer, uint32_t ratio)
{
    return fold_mul(fold, integer, fold_number(fold, ratio));
}

/* integer / ratio, which must be exact; null: it is not. */
static const Integer *divided(Fold *fold, const Integer *integer, uint32_t ratio, const char *rule)
{
    const Integer *number = fold_number(fold, ratio);
    const Integer *exact = integer_quotient(fold->integers, integer, number);
    if (exact) {
        return exact;
    }
    const Integer *quotient = fold_floordiv(fold, integer, number);
    const Integer *again = fold_mul(fold, quotient, number);
    switch (fold_equal(fold, again, integer)) {
    case TRUTH_YES:
        return quotient;
    case TRUTH_NO:
        fold_fail(fold, NULL, "%s: %s by %" PRIu32, rule, fold_text(fold, integer), ratio);
        return NULL;
    case TRUTH_UNKNOWN:
        break;
    }
    fold_add_guard(fold, true, again, integer, rule);
    return quotient;
}

/* Divides all strides but the last, and the offset, by the ratio; the last stride must be 1. */
static bool divide_strides(Fold *fold, Geometry *next, uint32_t ratio)
{
    const uint32_t last = fold->now.rank - 1;
    if (!fold_require_equal(fold, NULL, fold->now.strides[last], fold_number(fold, 1), "the last stride is 1")) {
        return false;
    }
    for (uint32_t i = 0; i < last; i++) {
        next->strides[i] = divided(fold, fold->now.strides[i], ratio, "a stride divides by the ratio of element sizes");
        if (!next->strides[i]) {
            return false;
        }
    }
    next->offset = divided(fold, fold->now.offset, ratio, "the offset divides by the ratio of element sizes");
    return next->offset != NULL;
}

/* The last dimension grows by the ratio: its elements are split. */
static bool to_smaller(Fold *fold, Geometry *next, uint32_t ratio)
{
    const uint32_t last = next->rank - 1;
    if (!fold_require_equal(fold, NULL, next->strides[last], fold_number(fold, 1), "the last stride is 1")) {
        return false;
    }
    for (uint32_t i = 0; i < last; i++) {
        next->strides[i] = times(fold, next->strides[i], ratio);
    }
    next->sizes[last] = times(fold, next->sizes[last], ratio);
    next->offset = times(fold, next->offset, ratio);
    return true;
}

/* The last dimension shrinks by the ratio: its elements are joined. */
static bool to_larger(Fold *fold, Geometry *next, uint32_t ratio)
{
    const uint32_t last = next->rank - 1;
    next->sizes[last] = divided(fold, next->sizes[last], ratio, "the last size divides by the ratio of element sizes");
    return next->sizes[last] && divide_strides(fold, next, ratio);
}

bool view_view_dtype(Fold *fold)
{
    const int32_t dtype = fold->view->dtype_code;
    if (dtype_size(dtype) == 0) {
        return fold_fail(fold, &fold->view->dtype, "unknown dtype '%s'", fold->view->dtype);
    }
    if (!dtype_is_known(fold)) {
        return false;
    }
    if (dtype == fold->now.dtype) {
        return true;
    }
    const uint32_t before = dtype_size(fold->now.dtype);
    const uint32_t after = dtype_size(dtype);
    Geometry next = geometry_like(fold->arena, &fold->now, fold->now.rank);
    next.dtype = dtype;
    if (before != after && next.rank == 0) {
        return fold_fail(fold, NULL, "a tensor without dimensions keeps its element size; %s and %s differ",
                         dtype_text(fold->now.dtype), dtype_text(dtype));
    }
    if ((before > after && !to_smaller(fold, &next, before / after)) ||
        (before < after && !to_larger(fold, &next, after / before))) {
        return false;
    }
    fold_flush(fold);
    fold->now = next;
    fold_step(fold, VIEW_STEP_VIEW_DTYPE);
    return true;
}

bool view_view_as_real(Fold *fold)
{
    const Geometry *now = &fold->now;
    if (!dtype_is_known(fold)) {
        return false;
    }
    for (int i = 0; i < NUM_COMPLEX; i++) {
        if (complex_dtypes[i].complex != now->dtype) {
            continue;
        }
        Geometry next = geometry_like(fold->arena, now, now->rank + 1);
        for (uint32_t dim = 0; dim < now->rank; dim++) {
            next.strides[dim] = times(fold, now->strides[dim], 2);
        }
        next.sizes[now->rank] = fold_number(fold, 2);
        next.strides[now->rank] = fold_number(fold, 1);
        next.offset = times(fold, now->offset, 2);
        next.dtype = complex_dtypes[i].part;
        fold_flush(fold);
        fold->now = next;
        fold_step(fold, VIEW_STEP_VIEW_AS_REAL);
        return true;
    }
    return fold_fail(fold, NULL, "the tensor is %s here, not complex", dtype_text(now->dtype));
}

bool view_view_as_complex(Fold *fold)
{
    const Geometry *now = &fold->now;
    if (!dtype_is_known(fold)) {
        return false;
    }
    for (int i = 0; i < NUM_COMPLEX; i++) {
        if (complex_dtypes[i].part != now->dtype) {
            continue;
        }
        if (!fold_rank_above_zero(fold) ||
            !fold_require_equal(fold, NULL, now->sizes[now->rank - 1], fold_number(fold, 2), "the last size is 2")) {
            return false;
        }
        Geometry next = geometry_like(fold->arena, now, now->rank);
        if (!divide_strides(fold, &next, 2)) {
            return false;
        }
        next.rank--;
        next.dtype = complex_dtypes[i].complex;
        fold_flush(fold);
        fold->now = next;
        fold_step(fold, VIEW_STEP_VIEW_AS_COMPLEX);
        return true;
    }
    return fold_fail(fold, NULL, "the tensor is %s here; float16, float32 and float64 have a complex type",
                     dtype_text(now->dtype));
}

/* A bit says that the elements are the conjugates, or the negatives, of what is in memory: no geometry has it. */
bool view_conj(Fold *fold)
{
    if (!dtype_is_known(fold)) {
        return false;
    }
    if (!dtype_is_complex(fold->now.dtype)) {
        return fold_fail(fold, NULL, "the tensor is %s here, not complex", dtype_text(fold->now.dtype));
    }
    fold_flush(fold);
    fold_step(fold, VIEW_STEP_CONJ);
    return true;
}

bool view_neg_view(Fold *fold)
{
    if (!dtype_is_known(fold)) {
        return false;
    }
    if (!dtype_is_differentiable(fold->now.dtype)) {
        return fold_fail(fold, NULL, "the tensor is %s here, not floating or complex", dtype_text(fold->now.dtype));
    }
    fold_flush(fold);
    fold_step(fold, VIEW_STEP_NEG_VIEW);
    return true;
}
