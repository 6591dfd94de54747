/* SPDX-License-Identifier: 0BSD */
/*
 * wg_dlpack_inside.h - what the files of the dlpack host share among themselves; nothing else includes it.
 *
 * How a tensor is made: wg_dlpack_take() returns an object with room for a rank, the caller fills in sizes and strides,
 * and wg_dlpack_place() measures them, checks them against a storage and sets everything else, or gives the object
 * back. Everything that a tensor says about its memory was checked there.
 */
#ifndef WG_DLPACK_INSIDE_H
#define WG_DLPACK_INSIDE_H

#include "wg_copy.h"
#include "wg_dlpack.h"
#include "wg_geometry.h"

/* Returns null when out of memory. */
void *wg_dlpack_allocate(const WgDlpackAllocator *allocator, size_t num_bytes);

void wg_dlpack_give_back(const WgDlpackAllocator *allocator, void *pointer, size_t num_bytes); /* null is allowed */

/* The code for what is wrong with a geometry. */
int32_t wg_dlpack_fit(WgFit fit);

/* A storage object with one reference, for memory of others; null when out of memory. */
WgStorage *wg_dlpack_storage(WgContext *ctx, void *data, int64_t num_bytes);

/* The same with memory of its own, aligned to 64 bytes. */
WgStorage *wg_dlpack_own_storage(WgContext *ctx, int64_t num_bytes);

void wg_dlpack_release_storage(WgStorage *storage);

/* A tensor object with one reference and room for `rank`, 0 or more; null when out of memory. */
WgTensor *wg_dlpack_take(WgContext *ctx, int32_t rank);
void wg_dlpack_give(WgTensor *t);

/* Makes t, whose sizes and strides are set, a tensor at `offset` of the storage, to which it keeps its own reference.
 * Status; gives t back on failure. */
int32_t wg_dlpack_place(WgTensor *t, WgStorage *storage, int64_t offset, int32_t dtype, int32_t device);

/* Can tensors of that dtype require grad? */
int wg_dlpack_is_differentiable(int32_t dtype);

static inline WgGeometry wg_dlpack_geometry(const WgTensor *t)
{
    const WgGeometry geometry = {t->sizes, t->strides, t->offset, t->rank};
    return geometry;
}

#endif /* WG_DLPACK_INSIDE_H */
