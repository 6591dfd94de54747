/* SPDX-License-Identifier: 0BSD */
/*
 * wg_ranges.h - which of many tensors may share memory: their byte ranges, sorted once and then swept over. Asking pair
 * by pair takes a time that grows with the square of their number. Part of wg_core.h; no host, no allocation, no state.
 *
 * A wrapper fills an array of WgRange, one for each tensor that an argument consists of, and asks wg_find_overlap() for
 * the pair that it has to refuse. C11 and C++17.
 */
#ifndef WG_RANGES_H
#define WG_RANGES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a tensor: the address of its first byte, and one past its last. Empty, first not below end, where it has no
 * elements or no memory. */
typedef struct WgByteRange {
    uintptr_t first;
    uintptr_t end;
} WgByteRange;

typedef struct WgRange {
    WgByteRange bytes;
    const struct WgTensor *tensor; /* whose they are; read by wg_find_shared() alone */
    uint32_t owner;                /* the number of its argument; those that are written come first */
    uint32_t group; /* below UINT32_MAX; ranges of one group may meet: of one argument, or of those that are merged */
} WgRange;

/* The first argument that is written and meets another one, and the first of those that it meets. What follows them is
 * set by wg_find_shared() alone. */
typedef struct WgOverlap {
    int found;
    int is_certain; /* they share a byte; 0: to find out would take too long */
    uint32_t written;
    uint32_t other;
    WgByteRange written_bytes; /* of the two tensors ... */
    WgByteRange other_bytes;   /* ... that these arguments are, or have as attributes */
} WgOverlap;

/* Wrappers keep many ranges in the context's scratch, where each takes four values of 8 bytes. */
enum { WG_RANGE_VALUES = 4 };

/* Whether the two have a byte in common. An empty range has none. */
static inline int wg_ranges_meet(WgByteRange a, WgByteRange b)
{
    return (a.first > b.first ? a.first : b.first) < (a.end < b.end ? a.end : b.end);
}

static inline WgRange wg_range(WgByteRange bytes, const struct WgTensor *tensor, size_t owner, size_t group)
{
    WgRange range;
    range.bytes = bytes;
    range.tensor = tensor;
    range.owner = (uint32_t)owner;
    range.group = (uint32_t)group;
    return range;
}

/* ---- the sort: by first byte, in place; a heap, n log n at worst, and for a few ranges what is faster there ---- */

enum { WG_RANGES_FEW = 32 };

/* The first `sorted` of them are in order. */
static inline void wg_ranges_insert(WgRange *ranges, size_t sorted, size_t n)
{
    for (size_t i = sorted; i < n; i++) {
        const WgRange moving = ranges[i];
        size_t at = i;
        for (; at > 0 && ranges[at - 1].bytes.first > moving.bytes.first; at--) {
            ranges[at] = ranges[at - 1];
        }
        ranges[at] = moving;
    }
}

static inline void wg_ranges_sift(WgRange *ranges, size_t root, size_t n)
{
    const WgRange moving = ranges[root];
    for (size_t child = root * 2 + 1; child < n; child = root * 2 + 1) {
        if (child + 1 < n && ranges[child].bytes.first < ranges[child + 1].bytes.first) {
            child++;
        }
        if (ranges[child].bytes.first <= moving.bytes.first) {
            break;
        }
        ranges[root] = ranges[child];
        root = child;
    }
    ranges[root] = moving;
}

static inline void wg_ranges_heap_sort(WgRange *ranges, size_t n)
{
    for (size_t root = n / 2; root > 0; root--) {
        wg_ranges_sift(ranges, root - 1, n);
    }
    for (size_t end = n - 1; end > 0; end--) {
        const WgRange last = ranges[0];
        ranges[0] = ranges[end];
        ranges[end] = last;
        wg_ranges_sift(ranges, 0, end);
    }
}

static inline void wg_ranges_sort(WgRange *ranges, size_t n)
{
    size_t sorted = 1;
    while (sorted < n && ranges[sorted - 1].bytes.first <= ranges[sorted].bytes.first) {
        sorted++;
    }
    if (n <= WG_RANGES_FEW) {
        wg_ranges_insert(ranges, sorted, n);
    } else if (sorted < n) {
        wg_ranges_heap_sort(ranges, n);
    }
}

/* Empty ranges meet nothing and go to the end; returns how many there are besides, which stay in their order. */
static inline size_t wg_ranges_drop_empty(WgRange *ranges, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (ranges[i].bytes.first < ranges[i].bytes.end) {
            if (kept < i) {
                const WgRange empty = ranges[kept];
                ranges[kept] = ranges[i];
                ranges[i] = empty;
            }
            kept++;
        }
    }
    return kept;
}

/*
 * ---- the sweeps ----
 *
 * In sorted order a range meets one before it exactly when that ends after its own first byte, and one after it exactly
 * when that begins before its own end. So of all before it only the furthest end counts, and of all after it only the
 * next first byte; each is kept twice, of any group and of any but that one, as a range may meet its own group.
 */

typedef struct WgEdge {
    uintptr_t at;
    uintptr_t at_of_others; /* the same without the ranges of `group` */
    uint32_t group;         /* whose `at` is */
} WgEdge;

static inline uintptr_t wg_edge_for(WgEdge edge, uint32_t group)
{
    return edge.group == group ? edge.at_of_others : edge.at;
}

/* The furthest end so far. */
static inline WgEdge wg_edge_after(WgEdge edge, const WgRange *range)
{
    if (range->group == edge.group) {
        edge.at = range->bytes.end > edge.at ? range->bytes.end : edge.at;
    } else if (range->bytes.end > edge.at) {
        edge.at_of_others = edge.at;
        edge.at = range->bytes.end;
        edge.group = range->group;
    } else if (range->bytes.end > edge.at_of_others) {
        edge.at_of_others = range->bytes.end;
    }
    return edge;
}

/* The next first byte, on the way back: every range begins where the one after it does, or before that. */
static inline WgEdge wg_edge_before(WgEdge edge, const WgRange *range)
{
    if (range->group != edge.group) {
        edge.at_of_others = edge.at;
        edge.group = range->group;
    }
    edge.at = range->bytes.first;
    return edge;
}

/* The least owner with a range that meets one of another group, which must be the owner `of`'s unless that is null;
 * UINT32_MAX when there is none. The ranges are sorted, and none is empty. */
static inline uint32_t wg_ranges_least(const WgRange *ranges, size_t n, const uint32_t *of)
{
    uint32_t least = UINT32_MAX;
    WgEdge edge = {0, 0, UINT32_MAX};
    for (size_t i = 0; i < n; i++) {
        const WgRange *const range = &ranges[i];
        if (range->owner < least && wg_edge_for(edge, range->group) > range->bytes.first) {
            least = range->owner;
        }
        if (of == NULL || range->owner == *of) {
            edge = wg_edge_after(edge, range);
        }
    }
    edge.at = UINTPTR_MAX;
    edge.at_of_others = UINTPTR_MAX;
    edge.group = UINT32_MAX;
    for (size_t i = n; i > 0; i--) {
        const WgRange *const range = &ranges[i - 1];
        if (range->owner < least && wg_edge_for(edge, range->group) < range->bytes.end) {
            least = range->owner;
        }
        if (of == NULL || range->owner == *of) {
            edge = wg_edge_before(edge, range);
        }
    }
    return least;
}

static inline WgOverlap wg_overlap(int found, uint32_t written, uint32_t other)
{
    const WgByteRange nowhere = {0, 0};
    WgOverlap overlap;
    overlap.found = found;
    overlap.is_certain = 0;
    overlap.written = written;
    overlap.other = other;
    overlap.written_bytes = nowhere;
    overlap.other_bytes = nowhere;
    return overlap;
}

/* The first pair whose ranges meet: owners below num_written are written, and should not meet owners of another group.
 * Only if there is a pair do callers need wg_find_shared(), which finds the bytes that ranges share. Reorders the
 * ranges. n log n, whatever they look like. */
static inline WgOverlap wg_find_overlap(WgRange *ranges, size_t n, size_t num_written)
{
    WgOverlap overlap = wg_overlap(0, 0, 0);
    const size_t num_there = wg_ranges_drop_empty(ranges, n);
    wg_ranges_sort(ranges, num_there);
    overlap.written = wg_ranges_least(ranges, num_there, NULL);
    overlap.found = overlap.written < num_written;
    if (overlap.found) {
        overlap.other = wg_ranges_least(ranges, num_there, &overlap.written);
    }
    return overlap;
}

#ifdef __cplusplus
}
#endif

#endif /* WG_RANGES_H */
