/* SPDX-License-Identifier: MIT */
/* covers: wg_overlap.c wg_apart.h */
/* split: wg_overlap.c: n = wg_ranges_drop_empty(ranges, n); : n */
/* split: wg_overlap.c: n = wg_tell_apart(ctx, ranges, n, num_written); : n */
/* split: wg_overlap.c: end = wg_cluster_end(ranges, n, first); : end */
/* split: wg_apart.h: n = wg_keep_clusters(ranges, n, num_written); : n */
/* split: wg_apart.h: end = wg_cluster_end(ranges, n, first); : end */
/*
 * Two and three tensors whose ranges meet, of up to 2 dimensions, with any dtype, sizes, strides and bytes; and the
 * search by itself, over up to 4 terms of any size. The arguments that are found are some of those that were given, the
 * first of them a written one.
 */
#include "driver.h"

#include "wg_overlap.c"

/* What a host says of a tensor, and what wg_cold.c does with an error. */
struct WgTensor {
    int32_t rank;
};

int64_t wg_host_fact(WgContext *ctx, const WgTensor *tensor, int32_t rule, int32_t dimension)
{
    (void)ctx;
    (void)dimension;
    return rule == WG_RULE_RANK ? tensor->rank : any_integer();
}

static WgErrorSlot slot;

WgErrorSlot *wg_host_error_slot(WgContext *ctx)
{
    (void)ctx;
    return &slot;
}

int32_t wg_fail(WgContext *ctx, const WgSite *site, int32_t dimension, WgValue expected, WgValue found)
{
    (void)ctx;
    (void)dimension;
    (void)expected;
    (void)found;
    return site->code;
}

static WgRange any_range(const WgTensor *tensor, size_t owner)
{
    const WgByteRange bytes = {(uintptr_t)any_bits(), (uintptr_t)any_bits()};
    return wg_range(bytes, tensor, owner, owner);
}

/* Sums of terms that are there, from which add_tensor() makes none that are larger. */
static void any_search(size_t n)
{
    static Terms terms;
    uint64_t steps = (uint64_t)any_from(0, 1000);
    clear(&terms);
    terms.window = (uint64_t)any_from(0, 30);
    for (size_t i = 0; i < n; i++) {
        (void)add_term(&terms, (uint64_t)any_from(1, INT64_C(1) << 57), (uint64_t)any_from(1, 8));
    }
    sum_up(&terms);
    (void)search(&terms, any_bits(), &steps);
}

void driver(void)
{
    static const WgSite site = {"graph", "a", "overlap", WG_E_OVERLAP, WG_KIND_NONE};
    for (int32_t rank = -1; rank <= 2; rank++) {
        WgTensor a = {rank};
        WgTensor b = {2};
        WgTensor c = {1};
        WgRange ranges[3] = {any_range(&a, 0), any_range(&b, 1), any_range(&c, 2)};
        (void)wg_fail_if_shared(NULL, &site, ranges[0], ranges[1], "b", &b);
        WgOverlap overlap;
        wg_find_shared(NULL, ranges, 3, 2, &overlap);
        if (overlap.found) {
            //@ assert overlap.written < 2;
            //@ assert overlap.other <= 2;
        }
    }
    for (size_t n = 0; n <= 4; n++) {
        any_search(n);
    }
}
