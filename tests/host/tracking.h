/* SPDX-License-Identifier: MIT */
/*
 * tracking.h - an allocator that counts, that can fail at the n-th allocation, and that notices a block given back with
 * another size than it was asked for. Single-threaded.
 */
#ifndef TRACKING_H
#define TRACKING_H

#include "wg_native.h"

#include <stdlib.h>

typedef struct Tracking {
    WgNativeAllocator allocator;
    int64_t num_allocations; /* asked for so far, failed ones too */
    int64_t live_blocks;
    int64_t live_bytes;
    int64_t fail_at; /* number of the allocation that fails, from 1; 0: none */
} Tracking;

static inline void *tracking_allocate(void *user, size_t num_bytes)
{
    Tracking *tracking = user;
    tracking->num_allocations++;
    const int fails = tracking->num_allocations == tracking->fail_at || num_bytes > SIZE_MAX / 1024;
    void *block = fails ? NULL : malloc(num_bytes);
    if (block != NULL) {
        tracking->live_blocks++;
        tracking->live_bytes += (int64_t)num_bytes;
    }
    return block;
}

static inline void tracking_release(void *user, void *pointer, size_t num_bytes)
{
    Tracking *tracking = user;
    tracking->live_blocks--;
    tracking->live_bytes -= (int64_t)num_bytes;
    free(pointer);
}

static inline void tracking_begin(Tracking *tracking)
{
    *tracking = (Tracking){.allocator = {tracking_allocate, tracking_release, tracking}};
}

#endif /* TRACKING_H */
