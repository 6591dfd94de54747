/* SPDX-License-Identifier: MIT */
/*
 * test_ranges.c - wg_find_overlap() against every pair: ranges of at most 64 bytes are sets of bits here, so that what
 * is expected of them knows no order and no ends.
 */
#include "check.h"
#include "wg_core.h"

#include <string.h>

enum { MOST_RANGES = 300, MOST_OWNERS = 100, NUM_BYTES = 64 };

typedef struct Case {
    WgRange ranges[MOST_RANGES];
    uint64_t bytes[MOST_RANGES]; /* what each covers */
    size_t num_ranges;
    uint32_t group[MOST_OWNERS];
    uint32_t num_owners;
    uint32_t num_written;
} Case;

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)((state >> 33) % n);
}

static WgByteRange bytes_between(uintptr_t base, uint32_t first, uint32_t end)
{
    const WgByteRange bytes = {base + first, base + end};
    return bytes;
}

/* `longest` makes them sparse or crowded; 0: all are empty. */
static void draw_range(Case *c, uintptr_t base, uint32_t owner, uint32_t longest)
{
    const uint32_t first = below(NUM_BYTES);
    const uint32_t room = NUM_BYTES - first < longest ? NUM_BYTES - first : longest;
    const uint32_t length = below(room + 1);
    WgByteRange bytes = bytes_between(base, first, first + length);
    if (length == 0 && below(2) == 0) {
        bytes = bytes_between(0, 0, 0);
    }
    c->ranges[c->num_ranges] = wg_range(bytes, NULL, owner, c->group[owner]);
    c->bytes[c->num_ranges] = length == 0 ? 0 : (~UINT64_C(0) >> (NUM_BYTES - length)) << first;
    c->num_ranges++;
}

static void draw_case(Case *c, uint32_t most_owners)
{
    const uint32_t longest = below(NUM_BYTES + 1) / (1 + below(8));
    const uint32_t most_parts = 1 + below(3);
    /* the last addresses too, whose end is no larger than UINTPTR_MAX */
    const uintptr_t base = below(4) == 0 ? UINTPTR_MAX - NUM_BYTES : 4096;
    c->num_ranges = 0;
    c->num_owners = 1 + below(most_owners);
    c->num_written = below(c->num_owners + 1);
    for (uint32_t owner = 0; owner < c->num_owners; owner++) {
        c->group[owner] = owner > 0 && below(4) == 0 ? c->group[below(owner)] : owner;
    }
    for (uint32_t owner = 0; owner < c->num_owners; owner++) {
        for (uint32_t n = below(most_parts + 1); n > 0; n--) {
            draw_range(c, base, owner, longest);
        }
    }
}

/* In any order: sorted ones, and backwards, come up as often as the drawn one. */
static void order_case(Case *c)
{
    const uint32_t way = below(4);
    for (size_t i = 1; i < c->num_ranges && way > 0; i++) {
        for (size_t at = i; at > 0; at--) {
            const uintptr_t a = c->ranges[at - 1].bytes.first;
            const uintptr_t b = c->ranges[at].bytes.first;
            if (way == 1 ? a <= b : way == 2 ? a >= b : below(3) == 0) {
                break;
            }
            const WgRange range = c->ranges[at];
            const uint64_t bytes = c->bytes[at];
            c->ranges[at] = c->ranges[at - 1];
            c->bytes[at] = c->bytes[at - 1];
            c->ranges[at - 1] = range;
            c->bytes[at - 1] = bytes;
        }
    }
}

static int owners_share(const Case *c, const uint64_t *covers, uint32_t a, uint32_t b)
{
    return c->group[a] != c->group[b] && (covers[a] & covers[b]) != 0;
}

static WgOverlap expected_of(const Case *c)
{
    uint64_t covers[MOST_OWNERS] = {0};
    for (size_t i = 0; i < c->num_ranges; i++) {
        covers[c->ranges[i].owner] |= c->bytes[i];
    }
    for (uint32_t written = 0; written < c->num_written; written++) {
        for (uint32_t other = 0; other < c->num_owners; other++) {
            if (owners_share(c, covers, written, other)) {
                return wg_overlap(1, written, other);
            }
        }
    }
    return wg_overlap(0, 0, 0);
}

/* Rounds that found something must be neither rare nor all. */
static void try_cases(int num_rounds, uint32_t most_owners)
{
    static Case c;
    int num_found = 0;
    for (int round = 0; round < num_rounds && check_bad == 0; round++) {
        draw_case(&c, most_owners);
        order_case(&c);
        const WgOverlap expected = expected_of(&c);
        const WgOverlap overlap = wg_find_overlap(c.ranges, c.num_ranges, c.num_written);
        CHECK_EQUAL(overlap.found, expected.found);
        if (overlap.found && expected.found) {
            CHECK_EQUAL(overlap.written, expected.written);
            CHECK_EQUAL(overlap.other, expected.other);
        }
        num_found += expected.found;
    }
    CHECK(num_found > num_rounds / 10 && num_found < num_rounds - num_rounds / 10);
}

static void test_few(void)
{
    try_cases(100000, 6);
}

static void test_more(void)
{
    try_cases(5000, MOST_OWNERS);
}

/* Two ranges alone, also by wg_ranges_meet(): all of them over eight bytes. */
static void test_pairs(void)
{
    for (uint32_t bits = 0; bits < 9 * 9 * 9 * 9 && check_bad == 0; bits++) {
        const WgByteRange a = bytes_between(16, bits % 9, bits / 9 % 9);
        const WgByteRange b = bytes_between(16, bits / 81 % 9, bits / 729);
        int share = 0;
        for (uintptr_t byte = 16; byte < 24; byte++) {
            share |= byte >= a.first && byte < a.end && byte >= b.first && byte < b.end;
        }
        WgRange ranges[2] = {wg_range(a, NULL, 1, 1), wg_range(b, NULL, 0, 0)};
        CHECK_EQUAL(wg_ranges_meet(a, b), share);
        CHECK_EQUAL(wg_find_overlap(ranges, 2, 1).found, share);
    }
}

/* Three ranges that are not empty, of up to three arguments: only how their ends compare makes a difference, and six
 * places for the six ends are all ways to compare. */
static void try_triple(Case *c, uint32_t bits, const uint32_t *group)
{
    memcpy(c->group, group, 3 * sizeof *group);
    c->num_ranges = 0;
    c->num_owners = 3;
    for (uint32_t i = 0; i < 3; i++, bits /= 45) {
        uint32_t end = 1;
        uint32_t first = bits % 15;
        for (; first >= end; end++) {
            first -= end;
        }
        c->ranges[i] = wg_range(bytes_between(16, first, end), NULL, bits / 15 % 3, group[bits / 15 % 3]);
        c->bytes[i] = (~UINT64_C(0) >> (NUM_BYTES - (end - first))) << first;
        c->num_ranges++;
    }
    for (c->num_written = 1; c->num_written <= 3; c->num_written++) {
        const WgOverlap expected = expected_of(c);
        WgRange ranges[3];
        memcpy(ranges, c->ranges, sizeof ranges);
        const WgOverlap overlap = wg_find_overlap(ranges, 3, c->num_written);
        CHECK_EQUAL(overlap.found, expected.found);
        if (overlap.found) {
            CHECK_EQUAL(overlap.written, expected.written);
            CHECK_EQUAL(overlap.other, expected.other);
        }
    }
}

static void test_triples(void)
{
    static const uint32_t groups[][3] = {{0, 0, 0}, {0, 0, 2}, {0, 1, 0}, {0, 1, 1}, {0, 1, 2}};
    static Case c;
    for (size_t k = 0; k < sizeof groups / sizeof groups[0]; k++) {
        for (uint32_t bits = 0; bits < 45 * 45 * 45 && check_bad == 0; bits++) {
            try_triple(&c, bits, groups[k]);
        }
    }
}

static void test_nothing(void)
{
    WgRange ranges[3] = {wg_range(bytes_between(8, 0, 8), NULL, 0, 0), wg_range(bytes_between(8, 0, 8), NULL, 0, 0),
                         wg_range(bytes_between(8, 0, 8), NULL, 1, 1)};
    CHECK(!wg_find_overlap(ranges, 0, 0).found);
    CHECK(!wg_find_overlap(ranges, 1, 1).found);
    CHECK(!wg_find_overlap(ranges, 2, 1).found); /* of one argument */
    CHECK(!wg_find_overlap(ranges, 3, 0).found); /* nothing is written */
    CHECK(wg_find_overlap(ranges, 3, 1).found);
}

int main(void)
{
    run("few ranges, as every pair of them says", test_few);
    run("hundreds of ranges, as every pair of them says", test_more);
    run("all pairs of ranges over eight bytes", test_pairs);
    run("all triples of ranges, by how their ends compare", test_triples);
    run("ranges that have none to meet", test_nothing);
    return finish();
}
