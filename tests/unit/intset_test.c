/* SPDX-License-Identifier: MIT */
/* intset: sets against membership counted one by one. Every expectation is by definition of the set. */
#include "gen/algebra/intset.h"

#include <stdint.h>

#include "check.h"

static IntSet from(Arena *arena, int64_t min, int64_t max, int64_t multiple)
{
    Condition condition = {.ranges = ARENA_NEW(arena, ConditionRange), .num_ranges = 1};
    condition.ranges[0] = condition_range(min, max, multiple);
    return intset_from_condition(arena, &condition);
}

/* Is membership in [-200, 200] what `a`, `b` say under the operation? */
static void check_operations(void)
{
    static const int64_t ranges[][3] = {
        {INT64_MIN, INT64_MAX, 1},
        {0, INT64_MAX, 16},
        {5, 5, 1},
        {-7, 40, 3},
        {INT64_MIN, -1, 1},
        {INT64_MIN, INT64_MAX, 2},
        {1, 64, 6},
        {100, INT64_MAX, 10},
        {3, 2, 1},
    };
    enum { N = sizeof ranges / sizeof ranges[0] };
    Arena arena;
    bool good = true;
    arena_init(&arena);
    for (int i = 0; i < N * N; i++) {
        const int64_t *x = ranges[i / N];
        const int64_t *y = ranges[i % N];
        const IntSet a = from(&arena, x[0], x[1], x[2]);
        const IntSet b = from(&arena, y[0], y[1], y[2]);
        const IntSet both = intset_intersect(&arena, &a, &b);
        const IntSet either = intset_unite(&arena, &a, &b);
        const IntSet neither = intset_complement(&arena, &either);
        const IntSet only = intset_intersect(&arena, &neither, &a);
        const IntSet not_b = intset_complement(&arena, &b);
        const IntSet a_not_b = intset_intersect(&arena, &a, &not_b);
        bool within = true;
        for (int64_t v = -200; v <= 200; v++) {
            const bool in_a = v >= x[0] && v <= x[1] && v % x[2] == 0;
            const bool in_b = v >= y[0] && v <= y[1] && v % y[2] == 0;
            good = good && intset_has(&both, v) == (in_a && in_b) && intset_has(&either, v) == (in_a || in_b) &&
                   intset_has(&neither, v) == !(in_a || in_b) && intset_has(&a_not_b, v) == (in_a && !in_b);
            within = within && (!in_a || in_b);
        }
        good = good && intset_is_empty(&only) && intset_within(&arena, &a, &b) == within;
    }
    (void)check(good, "intersection, union, complement and inclusion of every pair");
    arena_release(&arena);
}

static void check_members(void)
{
    Arena arena;
    int64_t value = 0;
    arena_init(&arena);
    const IntSet even = from(&arena, INT64_MIN, INT64_MAX, 2);
    const IntSet threes = from(&arena, INT64_MIN, INT64_MAX, 3);
    const IntSet odd = intset_complement(&arena, &even);
    const IntSet rest = intset_complement(&arena, &threes);
    IntSet set = intset_intersect(&arena, &odd, &rest); /* 1, 5, 7, 11, ... modulo 6 is 1 or 5 */
    (void)check(intset_next(&set, 2, &value) && value == 5, "the next number that neither 2 nor 3 divides is 5");
    (void)check(intset_next(&set, 8, &value) && value == 11, "and after 8 it is 11");
    const IntSet narrow = intset_interval(&arena, 2, 4);
    set = intset_intersect(&arena, &set, &narrow);
    (void)check(intset_is_empty(&set), "none lies from 2 to 4");
    set = intset_intersect(&arena, &odd, &narrow);
    (void)check(intset_is_point(&set, &value) && value == 3, "3 alone is odd from 2 to 4");
    (void)check(!intset_is_point(&odd, &value), "there is more than one odd number");
    const IntSet top = intset_interval(&arena, INT64_MAX, INT64_MAX);
    const IntSet below = intset_complement(&arena, &top);
    (void)check(!intset_has(&below, INT64_MAX) && intset_has(&below, INT64_MAX - 1),
                "the complement of the greatest integer");
    (void)check(intset_is_point(&top, &value) && value == INT64_MAX, "the greatest integer is a point");
    const IntSet huge = from(&arena, INT64_MIN, INT64_MAX, INT64_MAX);
    const IntSet huger = from(&arena, INT64_MIN, INT64_MAX, INT64_MAX - 1);
    set = intset_intersect(&arena, &huge, &huger);
    (void)check(intset_is_point(&set, &value) && value == 0,
                "of multiples whose common one leaves 64 bits only 0 is left");
    arena_release(&arena);
}

/* Multiples of 2^61 are few: 3 * 2^61 is the last one, and the next would not fit. */
static void check_ends(void)
{
    const int64_t step = INT64_C(1) << 61;
    Arena arena;
    int64_t value = 0;
    arena_init(&arena);
    const IntSet rare = from(&arena, INT64_MIN, INT64_MAX, step);
    const IntSet threes = from(&arena, INT64_MIN, INT64_MAX, 3);
    const IntSet no_threes = intset_complement(&arena, &threes);
    const IntSet both = intset_intersect(&arena, &rare, &no_threes);
    (void)check(!intset_next(&rare, 3 * step + 1, &value), "no multiple of 2^61 comes after 3 * 2^61");
    (void)check(intset_next(&both, step + 1, &value) && value == 2 * step, "2 * 2^61 is not a multiple of 3");
    (void)check(!intset_next(&both, 2 * step + 1, &value), "3 * 2^61 is one, and the last");
    const IntSet top = intset_interval(&arena, INT64_MAX - 1, INT64_MAX);
    value = INT64_MAX - 1;
    (void)check(intset_after(&top, &value) && value == INT64_MAX, "the greatest integer comes after the one below it");
    (void)check(!intset_after(&top, &value) && value == INT64_MAX, "and nothing comes after that");
    const IntSet again = intset_complement(&arena, &no_threes);
    bool same = true;
    for (int64_t v = -200; v <= 200; v++) {
        same = same && intset_has(&again, v) == (v % 3 == 0);
    }
    (void)check(same, "what is not outside is inside");
    arena_release(&arena);
}

/* Sets of 65 different numbers in no order: 65 * 65 pairs are more than are compared. Those in order are compared in
 * one pass. */
static void check_limit(void)
{
    enum { N = 65 };
    ConditionRange ranges[N];
    Condition condition = {.ranges = ranges, .num_ranges = N};
    Arena arena;
    arena_init(&arena);
    IntSet sorted[2];
    IntSet sets[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < N; i++) {
            const IntSet point = intset_point(&arena, 4 * (N - 1 - i) + s);
            ranges[i] = condition_range(4 * (N - 1 - i) + s, 4 * (N - 1 - i) + s, 1);
            sets[s] = intset_unite(&arena, &sets[s], &point);
        }
        sorted[s] = intset_from_condition(&arena, &condition);
    }
    const IntSet both = intset_intersect(&arena, &sets[0], &sets[1]);
    (void)check(both.too_large && intset_has(&both, 4),
                "an intersection that is not computed is one of the two, and says so");
    const IntSet more = intset_intersect(&arena, &both, &sets[1]);
    (void)check(more.too_large, "and so does what is made from it");
    (void)check(intset_disjoint(&sets[0], &sets[1]), "whether they share a number is known all the same");
    const IntSet none = intset_intersect(&arena, &sorted[0], &sorted[1]);
    (void)check(!none.too_large && intset_is_empty(&none), "of sets in order, an intersection is always computed");
    arena_release(&arena);
}

/* A list of many ranges that begin at one of two numbers, from one place of it around: the pieces come in one order. */
static void check_order(void)
{
    enum { N = 24 };
    Arena arena;
    IntSet first = {0};
    bool good = true;
    arena_init(&arena);
    for (uint32_t turn = 0; turn < N; turn++) {
        Condition condition = {.ranges = ARENA_ARRAY(&arena, ConditionRange, N), .num_ranges = N};
        for (uint32_t i = 0; i < N; i++) {
            const int64_t at = (turn + i) % N;
            condition.ranges[i] = condition_range(60 * (at % 2), 600 + 60 * (at / 4), 1 + at / 2 % 2);
        }
        const IntSet set = intset_from_condition(&arena, &condition);
        first = turn == 0 ? set : first;
        for (uint32_t i = 0; i < N; i++) {
            good = good && set.num_pieces == N && set.pieces[i].min == first.pieces[i].min &&
                   set.pieces[i].max == first.pieces[i].max && set.pieces[i].multiple == first.pieces[i].multiple;
        }
    }
    (void)check(good, "the order of pieces does not depend on that of a long list");
    arena_release(&arena);
}

/* As many pieces as there are bits, from a fixed sequence of random numbers. */
static IntSet random_set(Arena *arena, uint64_t *state)
{
    ConditionRange ranges[8];
    Condition condition = {.ranges = ranges};
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    for (uint64_t bits = *state >> 33; condition.num_ranges < 8 && bits % 8 > 0; bits /= 8) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const int64_t min = (int64_t)(*state >> 40) % 90 - 30;
        ranges[condition.num_ranges++] = condition_range(min, min + (int64_t)(*state >> 50) % 9, bits % 8 < 6 ? 1 : 3);
    }
    return intset_from_condition(arena, &condition);
}

/* Pieces that overlap and pieces in order: what is computed of two sets holds number by number. */
static void check_random(void)
{
    uint64_t state = 29;
    bool good = true;
    bool sorted = false;
    bool unsorted = false;
    for (int i = 0; i < 20000; i++) {
        Arena arena;
        arena_init(&arena);
        const IntSet a = random_set(&arena, &state);
        const IntSet b = random_set(&arena, &state);
        const IntSet both = intset_intersect(&arena, &a, &b);
        const IntSet not_a = intset_complement(&arena, &a);
        int64_t next = 0;
        bool found = intset_next(&both, -60, &next);
        uint32_t n = 0;
        for (int64_t v = -60; v <= 120; v++) {
            const bool in = intset_has(&a, v) && intset_has(&b, v);
            good = good && intset_has(&both, v) == in && intset_has(&not_a, v) != intset_has(&a, v);
            good = good && (!in || (found && next == v));
            found = in ? intset_after(&both, &next) : found;
            n += in;
        }
        good = good && intset_disjoint(&a, &b) == (n == 0) && intset_count(&both, 1000) == n;
        good = good && intset_count(&both, 2) == (n < 2 ? n : 2) && intset_is_point(&both, &next) == (n == 1);
        sorted = sorted || (a.is_sorted && b.is_sorted && a.num_pieces > 2 && n > 2);
        unsorted = unsorted || (!a.is_sorted && n > 2);
        arena_release(&arena);
    }
    (void)check(good && sorted && unsorted, "20,000 random pairs of sets, some of them in order");
}

int main(void)
{
    check_operations();
    check_members();
    check_ends();
    check_limit();
    check_order();
    check_random();
    return check_done();
}
