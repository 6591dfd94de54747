/* SPDX-License-Identifier: 0BSD */
/*
 * wg_apart.h - of many tensors whose byte ranges meet, those that cannot share a byte are told apart without comparing
 * each with each, which takes a time that grows with the square of their number. For wg_overlap.c alone.
 *
 * Ranges are sorted by where they begin, and where one begins after all before it have ended there is a gap. What lies
 * between two gaps shares nothing with the others, and is a cluster from then on. That finds the rows of a matrix, but
 * not its columns. For those the addresses are wound onto a circle as long as a row: a dimension whose step is the
 * length of a row, or a multiple of it, stays in one place there, and columns become neighbours. Any length gives right
 * answers, and a better one finds more: the longest step is tried, then what it has in common with the next ones, so
 * that columns are told apart even if every other row cuts some of them again. A cluster may have gaps again where it
 * had none before, so all is done several times.
 *
 * n log n. What lies in each other like the parts of a puzzle remains together.
 *
 * Sizes and strides say where a range ends, so within a cluster only its address has to be remembered. While ranges
 * are told apart `bytes` has other uses, therefore: `end` is the address of the first byte, and `first` is where that
 * is on the line or circle, to sort by, or between two sorts the number of the cluster.
 */
#ifndef WG_APART_H
#define WG_APART_H

#include "wg_copy.h"

/* More than any machine has addresses for; sums of two tensors, and products with an itemsize, stay below 2^64. */
static const uint64_t WG_MOST_BYTES = UINT64_C(1) << 57;

enum {
    WG_APART_ROUNDS = 8, /* as many times at most is a cluster divided */
    WG_APART_CIRCLES = 8 /* as many lengths at most are tried */
};

/* ---- what is known about a tensor ---- */

/* 0 for a dtype that is not known. */
static inline uint64_t wg_item_size(int64_t dtype)
{
    static const unsigned char sizes[] = {
#define SIZE(number, name, size, family) [number] = (size),
        WG_DTYPES(SIZE)
#undef SIZE
    };
    return dtype < 0 || dtype >= (int64_t)sizeof sizes ? 0 : sizes[dtype];
}

static inline uint64_t wg_magnitude(int64_t stride)
{
    return stride < 0 ? UINT64_C(0) - (uint64_t)stride : (uint64_t)stride;
}

/* How far a tensor reaches, its first and last byte included, on a circle of that many bytes, or for 0 on the line of
 * addresses. Returns 0 when it reaches all around, or is not known. */
static inline uint64_t wg_width(WgContext *ctx, const WgTensor *tensor, uint64_t circle)
{
    const int64_t rank = wg_host_fact(ctx, tensor, WG_RULE_RANK, -1);
    const uint64_t item = wg_item_size(wg_host_fact(ctx, tensor, WG_RULE_DTYPE, -1));
    uint64_t width = item;
    if (rank < 0 || rank > INT32_MAX || item == 0) {
        return 0;
    }
    for (int32_t d = 0; d < (int32_t)rank; d++) {
        const int64_t size = wg_host_fact(ctx, tensor, WG_RULE_SIZE, d);
        const uint64_t stride = wg_magnitude(wg_host_fact(ctx, tensor, WG_RULE_STRIDE, d));
        if (size < 1) {
            return 0;
        }
        if (size > 1 && stride > 0) {
            const uint64_t step = stride > WG_MOST_BYTES / item ? WG_MOST_BYTES : stride * item;
            const uint64_t most = (uint64_t)size - 1;
            if (circle != 0 && step % circle == 0) {
                continue;
            }
            if (most > (WG_MOST_BYTES - width) / step) {
                return 0;
            }
            width += most * step;
        }
    }
    return circle == 0 || width < circle ? width : 0;
}

/* Whether sizes and strides say where each of them ends. */
static inline int wg_are_known(WgContext *ctx, const WgRange *ranges, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (wg_width(ctx, ranges[i].tensor, 0) != ranges[i].bytes.end - ranges[i].bytes.first) {
            return 0;
        }
    }
    return 1;
}

/* Sorts them by where they begin, on a circle counted from `origin`. */
static inline void wg_place(WgRange *ranges, size_t n, uint64_t circle, uint64_t origin)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t address = ranges[i].bytes.end;
        ranges[i].bytes.first = (uintptr_t)(circle == 0 ? address : (address % circle + circle - origin) % circle);
    }
    wg_ranges_sort(ranges, n);
}

static inline void wg_number(WgRange *ranges, size_t n, uint64_t cluster)
{
    for (size_t i = 0; i < n; i++) {
        ranges[i].bytes.first = (uintptr_t)cluster;
    }
}

static inline uint64_t wg_farther(WgContext *ctx, const WgRange *range, uint64_t circle, uint64_t reach)
{
    const uint64_t end = range->bytes.first + wg_width(ctx, range->tensor, circle);
    return end > reach ? end : reach;
}

/* Places them so that none lies across the origin, which goes into a gap. Returns 0 when there is none. */
static inline int wg_place_in_gap(WgContext *ctx, WgRange *ranges, size_t n, uint64_t circle)
{
    uint64_t reach = 0;
    wg_place(ranges, n, circle, 0);
    for (size_t i = 0; i < n; i++) {
        if (wg_width(ctx, ranges[i].tensor, circle) == 0) {
            return 0;
        }
        reach = wg_farther(ctx, &ranges[i], circle, reach);
    }
    if (circle == 0 || reach <= circle) {
        return 1;
    }
    reach -= circle;
    for (size_t i = 0; i < n; i++) {
        if (ranges[i].bytes.first >= reach) {
            wg_place(ranges, n, circle, ranges[i].bytes.first);
            return 1;
        }
        reach = wg_farther(ctx, &ranges[i], circle, reach);
    }
    return 0;
}

/* Makes a cluster of what lies between two gaps, and numbers them from `cluster` on. Returns 0 for one only. */
static inline int wg_divide_at_gaps(WgContext *ctx, WgRange *ranges, size_t n, uint64_t circle, size_t cluster)
{
    size_t first = 0;
    uint64_t reach = 0;
    if (!wg_place_in_gap(ctx, ranges, n, circle)) {
        wg_number(ranges, n, cluster);
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (ranges[i].bytes.first >= reach) {
            wg_number(ranges + first, i - first, cluster + first);
            first = i;
        }
        reach = wg_farther(ctx, &ranges[i], circle, reach);
    }
    wg_number(ranges + first, n - first, cluster + first);
    return first > 0;
}

static inline uint64_t wg_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The longest step of a dimension that does not stay in one place on the circle, or on the line for 0; 0 when all do.
 */
static inline uint64_t wg_longest_step(WgContext *ctx, const WgTensor *tensor, uint64_t circle)
{
    uint64_t longest = 0;
    const int64_t rank = wg_host_fact(ctx, tensor, WG_RULE_RANK, -1);
    const uint64_t item = wg_item_size(wg_host_fact(ctx, tensor, WG_RULE_DTYPE, -1));
    for (int32_t d = 0; d < rank; d++) {
        const uint64_t stride = wg_magnitude(wg_host_fact(ctx, tensor, WG_RULE_STRIDE, d));
        if (wg_host_fact(ctx, tensor, WG_RULE_SIZE, d) > 1 && stride <= WG_MOST_BYTES) {
            const uint64_t step = stride * item;
            longest = step > longest && (circle == 0 || step % circle != 0) ? step : longest;
        }
    }
    return longest;
}

/* A circle on which more dimensions stay in one place: for 0 the longest step of all, then what it and the longest of
 * the others have in common. 0 when all do. */
static inline uint64_t wg_shorter_circle(WgContext *ctx, const WgRange *ranges, size_t n, uint64_t circle)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t step = wg_longest_step(ctx, ranges[i].tensor, circle);
        longest = step > longest ? step : longest;
    }
    return longest == 0 ? 0 : wg_common_divisor(circle, longest);
}

/* By addresses, or else by the longest circle that does. */
static inline int wg_divide(WgContext *ctx, WgRange *ranges, size_t n, size_t cluster)
{
    uint64_t circle = 0;
    for (int i = 0; i <= WG_APART_CIRCLES; i++) {
        if (wg_divide_at_gaps(ctx, ranges, n, circle, cluster)) {
            return 1;
        }
        circle = wg_shorter_circle(ctx, ranges, n, circle);
        if (circle == 0) {
            break;
        }
    }
    return 0;
}

static inline size_t wg_cluster_end(const WgRange *ranges, size_t n, size_t first)
{
    size_t end = first + 1;
    while (end < n && ranges[end].bytes.first == ranges[first].bytes.first) {
        end++;
    }
    return end;
}

/* Whether one is written, and another one is in another group. */
static inline int wg_may_share(const WgRange *ranges, size_t n, size_t num_written)
{
    int is_written = 0;
    int is_mixed = 0;
    for (size_t i = 0; i < n; i++) {
        is_written |= ranges[i].owner < num_written;
        is_mixed |= ranges[i].group != ranges[0].group;
    }
    return is_written && is_mixed;
}

/* Leaves out the clusters in which nothing can be shared; returns how many ranges there are in the others, which are
 * numbered by their first one. */
static inline size_t wg_keep_clusters(WgRange *ranges, size_t n, size_t num_written)
{
    size_t kept = 0;
    size_t end = 0;
    for (size_t first = 0; first < n; first = end) {
        end = wg_cluster_end(ranges, n, first);
        if (wg_may_share(ranges + first, end - first, num_written)) {
            const size_t cluster = kept;
            for (size_t i = first; i < end; i++, kept++) {
                ranges[kept] = ranges[i];
                ranges[kept].bytes.first = cluster;
            }
        }
    }
    return kept;
}

/* Makes clusters that are as small as can be, and returns how many ranges are left in them. */
static inline size_t wg_tell_apart(WgContext *ctx, WgRange *ranges, size_t n, size_t num_written)
{
    int goes_on = 1;
    for (size_t i = 0; i < n; i++) {
        ranges[i].bytes.end = ranges[i].bytes.first;
        ranges[i].bytes.first = 0;
    }
    for (int round = 0; round < WG_APART_ROUNDS && goes_on; round++) {
        size_t end = 0;
        goes_on = 0;
        for (size_t first = 0; first < n; first = end) {
            end = wg_cluster_end(ranges, n, first);
            goes_on |= wg_divide(ctx, ranges + first, end - first, first);
        }
        n = wg_keep_clusters(ranges, n, num_written);
    }
    return n;
}

/* Their bytes again, in the order of their owners. */
static inline void wg_restore(WgContext *ctx, WgRange *ranges, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ranges[i].bytes.first = ranges[i].owner;
    }
    wg_ranges_sort(ranges, n);
    for (size_t i = 0; i < n; i++) {
        ranges[i].bytes.first = ranges[i].bytes.end;
        ranges[i].bytes.end += (uintptr_t)wg_width(ctx, ranges[i].tensor, 0);
    }
}

#endif /* WG_APART_H */
