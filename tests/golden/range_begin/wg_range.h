/* SPDX-License-Identifier: 0BSD */
/* The native host with a profiler that notes nothing. */
#ifndef WG_RANGE_H
#define WG_RANGE_H

#include "wg_native.h"

extern const int32_t wg_host_range_abi1;

static inline void wg_range_begin(WgContext *ctx, const char *name)
{
    (void)ctx;
    (void)name;
}

static inline void wg_range_end(WgContext *ctx)
{
    (void)ctx;
}

#endif /* WG_RANGE_H */
