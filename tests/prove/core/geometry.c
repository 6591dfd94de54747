/* SPDX-License-Identifier: MIT */
/* covers: wg_geometry.c */
/*
 * Geometries of 0 to 4 dimensions, in arrays that are as long as that, with any sizes, strides and offset: also such as
 * no tensor has. Only wg_viewed_strides, which does not refuse, is called for a geometry that a storage can hold: sizes
 * from 1 to 1000, and strides up to 2^30.
 */
#include "driver.h"

#include "wg_geometry.c"

static int64_t *any_numbers(int32_t n, int64_t least, int64_t most)
{
    int64_t *const numbers = malloc((size_t)n * sizeof *numbers + 1);
    for (int32_t i = 0; i < n; i++) {
        numbers[i] = any_from(least, most);
    }
    return numbers;
}

static void of_extent(int32_t rank, const int64_t *sizes, const int64_t *strides)
{
    WgExtent extent = {0, 0, 0};
    (void)wg_measure(rank, sizes, strides, &extent);
    (void)wg_fits_in(&extent, any_integer(), (int32_t)any_from(1, 16), any_from(0, INT64_MAX));
}

/* Each into arrays of just the rank that the result has. */
static void of_views(const WgGeometry *base)
{
    static const int32_t widths[] = {1, 2, 4, 8, 16};
    const int32_t rank = base->rank;
    int64_t *const sizes = any_numbers(rank, 0, 0);
    int64_t *const strides = any_numbers(rank, 0, 0);
    int64_t *const more_sizes = any_numbers(rank + 1, 0, 0);
    int64_t *const more_strides = any_numbers(rank + 1, 0, 0);
    int64_t *const fewer_sizes = any_numbers(rank > 0 ? rank - 1 : 0, 0, 0);
    int64_t *const fewer_strides = any_numbers(rank > 0 ? rank - 1 : 0, 0, 0);
    int64_t offset = 0;
    for (int from = 0; from < 5; from++) {
        for (int to = 0; to < 5; to++) {
            (void)wg_view_other_size(base, widths[from], widths[to], sizes, strides, &offset);
        }
    }
    (void)wg_compact_strides(rank, base->sizes, strides);
    (void)wg_view_parts(base, more_sizes, more_strides, &offset);
    (void)wg_view_wholes(base, fewer_sizes, fewer_strides, &offset);
}

static void of_rank(int32_t rank)
{
    const WgGeometry any = {any_numbers(rank, INT64_MIN, INT64_MAX), any_numbers(rank, INT64_MIN, INT64_MAX),
                            any_integer(), rank};
    const WgGeometry held = {any_numbers(rank, 1, 1000), any_numbers(rank, 0, INT64_C(1) << 30), any_integer(), rank};
    of_extent(rank, any.sizes, any.strides);
    of_views(&any);
    wg_viewed_strides(&held, any_numbers(rank, 0, 0));
    wg_viewed_strides(&held, (int64_t *)held.strides);
}

void driver(void)
{
    for (int32_t rank = 0; rank <= 4; rank++) {
        of_rank(rank);
    }
}
