/* SPDX-License-Identifier: 0BSD */
/*
 * wg_layout.h - memory formats: whether a geometry is in one, and the strides that put it there. PyTorch's rules
 * (c10/core/Contiguity.h): strides of dimensions of size 1 do not matter, and a tensor without elements is contiguous,
 * but not channels-last by that alone. Shared by hosts and dispatchers. No host, no allocation, no state; C11 and
 * C++17.
 *
 * `format` is a WgMemoryFormat. Products of sizes wrap around: no tensor of such sizes has memory.
 */
#ifndef WG_LAYOUT_H
#define WG_LAYOUT_H

#include <stddef.h>

#include "wg_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether tensors of that rank can be in the format. */
static inline int wg_format_has_rank(int32_t format, int32_t rank)
{
    return format == WG_CONTIGUOUS || (format == WG_CHANNELS_LAST && rank == 4) ||
           (format == WG_CHANNELS_LAST_3D && rank == 5);
}

/* The dimension that is i-th from the innermost one: C, W, H, (D,) N where the channels are last. */
static inline int32_t wg_format_dim(int32_t format, int32_t rank, int32_t i)
{
    if (format == WG_CONTIGUOUS) {
        return rank - 1 - i;
    }
    return i == 0 ? 1 : i == rank - 1 ? 0 : rank - i;
}

/* Strides that are dense in the format, which has tensors of that rank. As in PyTorch a dimension without elements
 * counts as one element, but not where the channels are last. */
static inline void wg_format_strides(int32_t format, int32_t rank, const int64_t *sizes, int64_t *strides)
{
    int64_t next = 1;
    for (int32_t i = 0; i < rank; i++) {
        const int32_t d = wg_format_dim(format, rank, i);
        strides[d] = next;
        next = (int64_t)((uint64_t)next * (uint64_t)(sizes[d] == 0 && format == WG_CONTIGUOUS ? 1 : sizes[d]));
    }
}

/* [is_contiguous(memory_format=...)] */
static inline int wg_is_in_format(int32_t format, int32_t rank, const int64_t *sizes, const int64_t *strides)
{
    int64_t expected = 1;
    int is_dense = wg_format_has_rank(format, rank);
    for (int32_t i = 0; i < rank && wg_format_has_rank(format, rank); i++) {
        const int32_t d = wg_format_dim(format, rank, i);
        if (sizes[d] == 0 && format == WG_CONTIGUOUS) {
            return 1;
        }
        is_dense = is_dense && (sizes[d] == 1 || strides[d] == expected);
        expected = (int64_t)((uint64_t)expected * (uint64_t)sizes[d]);
    }
    return is_dense;
}

#ifdef __cplusplus
}
#endif

#endif
