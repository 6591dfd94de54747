/* SPDX-License-Identifier: MIT */
/* covers: wg_ranges.h */
/*
 * Up to 4 ranges, which are inserted, each from any byte to any other, so also empty; and 33 that are not empty, the
 * fewest that a heap sorts. Of any group, and of any of 4 arguments. Also shown: that an argument that is found is one
 * of these, or UINT32_MAX. Not shown: that it is never that; it depends on how the two sweeps find the same pair again,
 * which intervals do not say. tests/host/test_ranges.c tries all ways in which three ranges lie.
 */
#include "driver.h"

/* First bytes up to `most`, and ends from `least`. */
static void of_ranges(size_t n, size_t num_written, int64_t most, int64_t least)
{
    WgRange *const ranges = n > 0 ? malloc(n * sizeof *ranges) : NULL;
    for (size_t i = 0; i < n; i++) {
        const WgByteRange bytes = {(uintptr_t)any_from(0, most), (uintptr_t)any_from(least, INT64_MAX)};
        ranges[i] = wg_range(bytes, NULL, (size_t)any_from(0, 3), (size_t)any_from(0, 3));
    }
    const WgOverlap overlap = wg_find_overlap(ranges, n, num_written);
    if (overlap.found) {
        //@ assert overlap.written <= 3 || overlap.written == UINT32_MAX;
        //@ assert overlap.other <= 3 || overlap.other == UINT32_MAX;
    }
    free(ranges);
}

void driver(void)
{
    const WgByteRange a = {(uintptr_t)any_bits(), (uintptr_t)any_bits()};
    const WgByteRange b = {(uintptr_t)any_bits(), (uintptr_t)any_bits()};
    (void)wg_ranges_meet(a, b);
    for (size_t n = 0; n <= 4; n++) {
        of_ranges(n, 0, INT64_MAX, 0);
        of_ranges(n, 2, INT64_MAX, 0);
    }
    of_ranges(33, 2, 1000, 1001);
}
