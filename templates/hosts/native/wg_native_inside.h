/* SPDX-License-Identifier: 0BSD */
/*
 * wg_native_inside.h - what the files of the native host share among themselves; nothing else includes it.
 *
 * How a tensor is made: wg_native_take() returns an object with room for a rank, the caller fills in sizes and strides,
 * wg_native_attach() measures them, checks them against a storage and sets everything else; wg_native_give() takes the
 * object back when something failed. Everything that a tensor says about its memory was checked there, so the other
 * files rely on it.
 */
#ifndef WG_NATIVE_INSIDE_H
#define WG_NATIVE_INSIDE_H

#include "wg_copy.h"
#include "wg_geometry.h"
#include "wg_layout.h"
#include "wg_native.h"

/* Returns null when out of memory; never called with 0 bytes. */
void *wg_native_allocate(const WgNativeAllocator *allocator, size_t num_bytes);

void wg_native_give_back(const WgNativeAllocator *allocator, void *pointer, size_t num_bytes); /* null is allowed */

/* A tensor object with one reference and room for `rank`, from the context's cache if possible; null when out of
 * memory.
 */
WgTensor *wg_native_take(WgContext *ctx, int32_t rank);
void wg_native_give(WgContext *ctx, WgTensor *t);

/* Points t->sizes and t->strides to room for `rank`, with undefined contents. Returns 1, or 0 when out of memory, with
 * nothing changed. */
int wg_native_room(WgTensor *t, int32_t rank);

void wg_native_free_heap(WgTensor *t);

void wg_native_release_storage(WgStorage *storage);

/* The code for what is wrong with a geometry. */
int32_t wg_native_fit(WgFit fit);

/* Status: negative sizes and strides and every overflow are refused. */
int32_t wg_native_measure(int32_t rank, const int64_t *sizes, const int64_t *strides, WgExtent *extent);

/* Status: does that geometry at `offset` (elements) lie inside the storage? */
int32_t wg_native_check_bounds(const WgStorage *storage, int64_t offset, int32_t element_bytes, const WgExtent *extent);

/* Places t, whose sizes and strides are set, at `offset` of the storage; bounds have been checked. Sets what follows
 * from these, but not device, version, flags or any count. */
void wg_native_place(WgTensor *t, WgStorage *storage, int64_t offset, int32_t dtype, int32_t element_bytes,
                     const WgExtent *extent);

/* Writes src's sizes and strides into dst, which has room for them. */
void wg_native_take_geometry(WgTensor *dst, const WgTensor *src);

/* Can tensors of that dtype require grad? */
int wg_native_is_differentiable(int32_t dtype);

/* The two parts of copy_ between tensors without attributes: the test (status), and the copy, which fails only when out
 * of memory.
 */
int32_t wg_native_check_copy(const WgTensor *dst, const WgTensor *src);
int32_t wg_native_copy_checked(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int wg_native_has_same_sizes(const WgTensor *a, const WgTensor *b);

/* Copies between two subclasses of one type and context at every level: copies every pair of attributes, raises every
 * version. */
int32_t wg_native_copy_subclass(WgContext *ctx, WgTensor *dst, const WgTensor *src);

static inline WgExtent wg_native_extent_of(const WgTensor *t)
{
    const WgExtent extent = {t->num_elements, t->reach_bytes / t->element_bytes, t->is_compact};
    return extent;
}

#endif /* WG_NATIVE_INSIDE_H */
