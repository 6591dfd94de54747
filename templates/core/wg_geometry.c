/* SPDX-License-Identifier: 0BSD */
/* wg_geometry.c - see wg_geometry.h. */
#include "wg_geometry.h"

WgFit wg_measure(int32_t rank, const int64_t *sizes, const int64_t *strides, WgExtent *extent)
{
    int64_t num_elements = 1; /* empty dimensions counted as 1, so that no order of dimensions hides an overflow */
    int64_t last = 0;
    int is_empty = 0;
    int is_compact = 1;
    for (int32_t i = rank; i-- > 0;) {
        const int64_t size = sizes[i];
        int64_t step = 0;
        if (size < 0) {
            return WG_FIT_SIZE;
        }
        if (strides[i] < 0) {
            return WG_FIT_STRIDE;
        }
        is_compact &= size == 1 || strides[i] == num_elements;
        if (size == 0) {
            is_empty = 1;
        } else if (wg_ckd_mul(&num_elements, num_elements, size) || wg_ckd_mul(&step, size - 1, strides[i]) ||
                   wg_ckd_add(&last, last, step)) {
            return WG_FIT_OVERFLOW;
        }
    }
    if (last == INT64_MAX) {
        return WG_FIT_OVERFLOW;
    }
    extent->num_elements = is_empty ? 0 : num_elements;
    extent->reach = is_empty ? 0 : last + 1;
    extent->is_compact = (uint8_t)(is_compact || is_empty);
    return WG_FIT_OK;
}

WgFit wg_fits_in(const WgExtent *extent, int64_t offset, int32_t element_bytes, int64_t num_bytes)
{
    int64_t end = 0;
    if (offset < 0) {
        return WG_FIT_OFFSET;
    }
    if (extent->num_elements == 0) {
        return WG_FIT_OK;
    }
    if (wg_ckd_add(&end, offset, extent->reach) || wg_ckd_mul(&end, end, element_bytes)) {
        return WG_FIT_OVERFLOW;
    }
    return end <= num_bytes ? WG_FIT_OK : WG_FIT_BOUNDS;
}

WgFit wg_compact_strides(int32_t rank, const int64_t *sizes, int64_t *strides)
{
    int64_t stride = 1;
    for (int32_t i = rank; i-- > 0;) {
        strides[i] = stride;
        if (sizes[i] < 0) {
            return WG_FIT_SIZE;
        }
        if (sizes[i] > 1 && wg_ckd_mul(&stride, stride, sizes[i])) {
            return WG_FIT_OVERFLOW;
        }
    }
    return WG_FIT_OK;
}

/* Elements become `ratio` times smaller (shrink) or larger: see view_dtype in
 * aten/src/ATen/native/TensorConversions.cpp. */
WgFit wg_view_other_size(const WgGeometry *base, int32_t from, int32_t to, int64_t *sizes, int64_t *strides,
                         int64_t *offset)
{
    const int shrink = to < from;
    const int64_t ratio = shrink ? from / to : to / from;
    const int32_t last = base->rank - 1;
    int overflow = 0;
    if (base->rank == 0 || base->strides[last] != 1) {
        return WG_FIT_VIEW;
    }
    int is_refused = !shrink && base->offset % ratio != 0;
    for (int32_t i = 0; i <= last; i++) {
        const int64_t size = base->sizes[i];
        const int64_t stride = base->strides[i];
        sizes[i] = i < last ? size : shrink ? wg_mul(size, ratio, &overflow) : size / ratio;
        strides[i] = i == last ? 1 : shrink ? wg_mul(stride, ratio, &overflow) : stride / ratio;
        is_refused |= !shrink && (i == last ? size : stride) % ratio != 0;
    }
    *offset = shrink ? wg_mul(base->offset, ratio, &overflow) : base->offset / ratio;
    return is_refused ? WG_FIT_VIEW : overflow ? WG_FIT_OVERFLOW : WG_FIT_OK;
}

WgFit wg_view_parts(const WgGeometry *base, int64_t *sizes, int64_t *strides, int64_t *offset)
{
    int overflow = 0;
    for (int32_t i = 0; i < base->rank; i++) {
        sizes[i] = base->sizes[i];
        strides[i] = wg_mul(base->strides[i], 2, &overflow);
    }
    sizes[base->rank] = 2;
    strides[base->rank] = 1;
    *offset = wg_mul(base->offset, 2, &overflow);
    return overflow ? WG_FIT_OVERFLOW : WG_FIT_OK;
}

WgFit wg_view_wholes(const WgGeometry *base, int64_t *sizes, int64_t *strides, int64_t *offset)
{
    const int32_t last = base->rank - 1;
    int is_refused = last < 0 || base->sizes[last] != 2 || base->strides[last] != 1 || base->offset % 2 != 0;
    for (int32_t i = 0; i < last; i++) {
        is_refused |= base->strides[i] % 2 != 0;
    }
    for (int32_t i = 0; !is_refused && i < last; i++) {
        sizes[i] = base->sizes[i];
        strides[i] = base->strides[i] / 2;
    }
    *offset = base->offset / 2;
    return is_refused ? WG_FIT_VIEW : WG_FIT_OK;
}

void wg_viewed_strides(const WgGeometry *base, int64_t *strides)
{
    int64_t base_stride = base->rank > 0 ? base->strides[base->rank - 1] : 0;
    int64_t num_elements = 1; /* of the run of dimensions, from the last on, that steps by base_stride */
    for (int32_t i = base->rank; i-- > 0;) {
        const int64_t stride = base->strides[i];
        if (i < base->rank - 1 && base->sizes[i] != 1 && stride != num_elements * base_stride) {
            base_stride = stride;
            num_elements = 1;
        }
        strides[i] = num_elements * base_stride;
        num_elements *= base->sizes[i];
    }
}
