/* SPDX-License-Identifier: 0BSD */
/*
 * wg_geometry.h - sizes, strides and offsets by themselves: how far they reach, whether they stay inside a storage, and
 * what they become when the same memory is read as another dtype. For hosts that keep the geometry of their tensors
 * themselves. No tensors, no context, no allocation; in wg_geometry.c.
 *
 * A function that can refuse returns a WgFit, which the host turns into its own code. Sizes and strides that are
 * written have room for the rank that the function names, and are undefined after a refusal.
 */
#ifndef WG_GEOMETRY_H
#define WG_GEOMETRY_H

#include "wg_core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum WgFit {
    WG_FIT_OK = 0,
    WG_FIT_SIZE,     /* a size is negative */
    WG_FIT_STRIDE,   /* a stride is negative, which no tensor of PyTorch has */
    WG_FIT_OFFSET,   /* the offset is negative */
    WG_FIT_OVERFLOW, /* an element's position does not fit in 64 bits */
    WG_FIT_BOUNDS,   /* an element lies outside the storage */
    WG_FIT_VIEW      /* these elements cannot be read as that dtype */
} WgFit;

/* What sizes and strides amount to. */
typedef struct WgExtent {
    int64_t num_elements;
    int64_t reach; /* elements from the first through the last; 0 when there are none */
    uint8_t is_compact;
} WgExtent;

WgFit wg_measure(int32_t rank, const int64_t *sizes, const int64_t *strides, WgExtent *extent);

/* Does what was measured, at `offset` (elements), lie within num_bytes? Without elements it lies anywhere. */
WgFit wg_fits_in(const WgExtent *extent, int64_t offset, int32_t element_bytes, int64_t num_bytes);

/* The strides of a freshly made tensor. */
WgFit wg_compact_strides(int32_t rank, const int64_t *sizes, int64_t *strides);

/* [view(dtype)] for elements of `to` bytes instead of `from`, both powers of two: the last dimension takes up the
 * difference. The rank stays. */
WgFit wg_view_other_size(const WgGeometry *base, int32_t from, int32_t to, int64_t *sizes, int64_t *strides,
                         int64_t *offset);

/* [view_as_real]: the rank grows by one. */
WgFit wg_view_parts(const WgGeometry *base, int64_t *sizes, int64_t *strides, int64_t *offset);

/* [view_as_complex]: the rank shrinks by one; when it is refused, nothing was written. */
WgFit wg_view_wholes(const WgGeometry *base, int64_t *sizes, int64_t *strides, int64_t *offset);

/* The strides that view(t.shape) computes for a geometry with elements: its own, except that a dimension of size 1 gets
 * the stride that a merge with its neighbours would have (at::detail::computeStride; measured: (1, 3, 1) with strides
 * (7, 2, 5) becomes (6, 2, 5)). `strides` may be the base's own. */
void wg_viewed_strides(const WgGeometry *base, int64_t *strides);

#ifdef __cplusplus
}
#endif

#endif /* WG_GEOMETRY_H */
