/* SPDX-License-Identifier: MIT */
/*
 * intset - see intset.h. In a piece a member is L*t, and K divides it exactly when k = K / gcd(K, L) divides t: so a
 * piece is empty when some k is 1, or when every t of a finite range is divisible by one. The gaps between numbers that
 * few k divide are short (Jacobsthal), so the search for the next t ends soon.
 */
#include "intset.h"

#include <stddef.h>
#include <stdlib.h>

#include "../../templates/core/wg_compiler.h"

/* As many are tested in the order in which they were written, which may be that of how likely they are. */
enum { FEW_PIECES = 16 };

/* The least multiple of `multiple` that is >= value; false: beyond 64 bits. */
static bool round_up(int64_t value, int64_t multiple, int64_t *result)
{
    const int64_t rest = value % multiple;
    const int64_t up = rest > 0 ? multiple - rest : -rest;
    return !wg_ckd_add(result, value, up);
}

static bool excludes(const IntPiece *piece, int64_t value)
{
    for (uint32_t i = 0; i < piece->num_excluded; i++) {
        if (value % piece->excluded[i] == 0) {
            return true;
        }
    }
    return false;
}

static bool is_interval(const IntPiece *piece)
{
    return piece->multiple == 1 && piece->num_excluded == 0;
}

/* The least member >= from. */
static bool piece_next(const IntPiece *piece, int64_t from, int64_t *value)
{
    if (is_interval(piece)) {
        *value = from > piece->min ? from : piece->min;
        return *value <= piece->max;
    }
    for (uint32_t i = 0; i < piece->num_excluded; i++) {
        if (piece->multiple % piece->excluded[i] == 0) {
            return false;
        }
    }
    from = from > piece->min ? from : piece->min;
    if (!round_up(from, piece->multiple, value)) {
        return false;
    }
    while (*value <= piece->max) {
        if (!excludes(piece, *value)) {
            return true;
        }
        if (wg_ckd_add(value, *value, piece->multiple)) {
            return false;
        }
    }
    return false;
}

static bool piece_is_empty(const IntPiece *piece)
{
    int64_t value = 0;
    return piece->min > piece->max || !piece_next(piece, INT64_MIN, &value);
}

static IntSet single(Arena *arena, IntPiece piece)
{
    IntSet set = {.is_sorted = true};
    if (!piece_is_empty(&piece)) {
        IntPiece *pieces = ARENA_NEW(arena, IntPiece);
        *pieces = piece;
        set.pieces = pieces;
        set.num_pieces = 1;
    }
    return set;
}

IntSet intset_interval(Arena *arena, int64_t min, int64_t max)
{
    return single(arena, (IntPiece){min, max, 1, NULL, 0});
}

IntSet intset_point(Arena *arena, int64_t value)
{
    return intset_interval(arena, value, value);
}

static bool is_sorted(const IntSet *set)
{
    bool sorted = true;
    for (uint32_t i = 1; sorted && i < set->num_pieces; i++) {
        sorted = set->pieces[i - 1].max < set->pieces[i].min;
    }
    return sorted;
}

static int compare_numbers(int64_t one, int64_t other)
{
    return one < other ? -1 : one > other;
}

/* By all that they are: the order of two that are equal is the C library's, and goes into what is generated. */
static int compare_pieces(const void *a, const void *b)
{
    const IntPiece *one = a;
    const IntPiece *other = b;
    int order = compare_numbers(one->min, other->min);
    if (order == 0) {
        order = compare_numbers(one->max, other->max);
    }
    return order != 0 ? order : compare_numbers(one->multiple, other->multiple);
}

IntSet intset_from_condition(Arena *arena, const Condition *condition)
{
    IntSet set = {0};
    IntPiece *pieces = ARENA_ARRAY(arena, IntPiece, condition->num_ranges);
    for (uint32_t i = 0; i < condition->num_ranges; i++) {
        const ConditionRange *range = &condition->ranges[i];
        if (!condition_range_is_empty(range)) {
            pieces[set.num_pieces++] = (IntPiece){range->min, range->max, range->multiple, NULL, 0};
        }
    }
    set.pieces = pieces;
    set.is_sorted = is_sorted(&set);
    if (!set.is_sorted && set.num_pieces > FEW_PIECES) {
        qsort(pieces, set.num_pieces, sizeof *pieces, compare_pieces);
        set.is_sorted = is_sorted(&set);
    }
    return set;
}

/* false: they have nothing in common. */
static bool piece_intersect(Arena *arena, const IntPiece *a, const IntPiece *b, IntPiece *both)
{
    *both = *a;
    both->min = a->min > b->min ? a->min : b->min;
    both->max = a->max < b->max ? a->max : b->max;
    if (both->min > both->max) {
        return false;
    }
    if (is_interval(a) && is_interval(b)) {
        return true;
    }
    const int64_t factor = b->multiple / greatest_common_divisor(a->multiple, b->multiple);
    if (wg_ckd_mul(&both->multiple, a->multiple, factor)) {
        /* Of the common multiples only 0 is a 64-bit integer. */
        both->min = both->min > 0 ? both->min : 0;
        both->max = both->max < 0 ? both->max : 0;
        both->multiple = 1;
    }
    both->num_excluded = a->num_excluded + b->num_excluded;
    if (a->num_excluded == 0) {
        both->excluded = b->excluded;
    } else if (b->num_excluded > 0) {
        int64_t *all = ARENA_ARRAY(arena, int64_t, both->num_excluded);
        for (uint32_t i = 0; i < both->num_excluded; i++) {
            all[i] = i < a->num_excluded ? a->excluded[i] : b->excluded[i - a->num_excluded];
        }
        both->excluded = all;
    }
    return !piece_is_empty(both);
}

/* Two pieces, one of each set, whose bounds overlap: the next such two, in the order of the first set. */
typedef struct Meeting {
    const IntSet *a;
    const IntSet *b;
    uint32_t i;
    uint32_t j;
} Meeting;

static bool bounds_meet(const IntPiece *one, const IntPiece *other)
{
    return one->min <= other->max && other->min <= one->max;
}

/* Goes on to the next two from there on; false: there are none. Of sorted sets no piece is looked at twice without one
 * that meets it. */
static bool meet(Meeting *at)
{
    const bool sorted = at->a->is_sorted && at->b->is_sorted;
    for (; at->i < at->a->num_pieces; at->i++, at->j = sorted ? at->j : 0) {
        const IntPiece *one = &at->a->pieces[at->i];
        for (; at->j < at->b->num_pieces; at->j++) {
            const IntPiece *other = &at->b->pieces[at->j];
            if (bounds_meet(one, other)) {
                return true;
            }
            if (sorted && other->min > one->max) {
                break;
            }
        }
    }
    return false;
}

/* Passes over the two that met. */
static void pass(Meeting *at)
{
    const bool sorted = at->a->is_sorted && at->b->is_sorted;
    if (sorted && at->a->pieces[at->i].max <= at->b->pieces[at->j].max) {
        at->i++;
    } else {
        at->j++;
    }
}

bool intset_disjoint(const IntSet *a, const IntSet *b)
{
    Meeting at = {.a = a, .b = b};
    Arena scratch;
    bool disjoint = true;
    arena_init(&scratch);
    for (; disjoint && meet(&at); pass(&at)) {
        const IntPiece *one = &a->pieces[at.i];
        const IntPiece *other = &b->pieces[at.j];
        IntPiece both;
        disjoint = !(is_interval(one) && is_interval(other)) && !piece_intersect(&scratch, one, other, &both);
    }
    arena_release(&scratch);
    return disjoint;
}

IntSet intset_intersect(Arena *arena, const IntSet *a, const IntSet *b)
{
    IntSet set = {.is_sorted = a->is_sorted && b->is_sorted, .too_large = a->too_large || b->too_large};
    const uint64_t most = set.is_sorted && a->num_pieces > 0 && b->num_pieces > 0
                              ? (uint64_t)a->num_pieces + b->num_pieces - 1
                              : (uint64_t)a->num_pieces * b->num_pieces;
    if (most > INTSET_MAX_PIECES) {
        set = *a;
        set.too_large = true;
        return set;
    }
    Meeting at = {.a = a, .b = b};
    IntPiece *pieces = ARENA_ARRAY(arena, IntPiece, (size_t)most);
    for (; meet(&at); pass(&at)) {
        if (piece_intersect(arena, &a->pieces[at.i], &b->pieces[at.j], &pieces[set.num_pieces])) {
            set.num_pieces++;
        }
    }
    set.pieces = pieces;
    return set;
}

IntSet intset_unite(Arena *arena, const IntSet *a, const IntSet *b)
{
    IntSet set = {.num_pieces = a->num_pieces + b->num_pieces, .too_large = a->too_large || b->too_large};
    IntPiece *pieces = ARENA_ARRAY(arena, IntPiece, set.num_pieces);
    for (uint32_t i = 0; i < set.num_pieces; i++) {
        pieces[i] = i < a->num_pieces ? a->pieces[i] : b->pieces[i - a->num_pieces];
    }
    set.pieces = pieces;
    set.is_sorted = is_sorted(&set);
    return set;
}

/* Numbers outside the interval, numbers that are not multiples of L, and the multiples of each excluded K. */
static IntSet piece_complement(Arena *arena, const IntPiece *piece)
{
    IntSet set = {0};
    IntPiece *pieces = ARENA_ARRAY(arena, IntPiece, 3 + (size_t)piece->num_excluded);
    if (piece->min > INT64_MIN) {
        pieces[set.num_pieces++] = (IntPiece){INT64_MIN, piece->min - 1, 1, NULL, 0};
    }
    if (piece->max < INT64_MAX) {
        pieces[set.num_pieces++] = (IntPiece){piece->max + 1, INT64_MAX, 1, NULL, 0};
    }
    if (piece->multiple > 1) {
        int64_t *excluded = ARENA_NEW(arena, int64_t);
        *excluded = piece->multiple;
        pieces[set.num_pieces] = (IntPiece){piece->min, piece->max, 1, excluded, 1};
        set.num_pieces += piece_is_empty(&pieces[set.num_pieces]) ? 0 : 1;
    }
    for (uint32_t i = 0; i < piece->num_excluded; i++) {
        pieces[set.num_pieces] = (IntPiece){piece->min, piece->max, piece->excluded[i], NULL, 0};
        set.num_pieces += piece_is_empty(&pieces[set.num_pieces]) ? 0 : 1;
    }
    set.pieces = pieces;
    set.is_sorted = is_sorted(&set);
    return set;
}

static bool is_of_intervals(const IntSet *set)
{
    bool intervals = set->is_sorted;
    for (uint32_t i = 0; intervals && i < set->num_pieces; i++) {
        intervals = is_interval(&set->pieces[i]);
    }
    return intervals;
}

/* What lies before, between and after intervals. */
static IntSet gaps(Arena *arena, const IntSet *set)
{
    IntSet rest = {.is_sorted = true, .too_large = set->too_large};
    IntPiece *pieces = ARENA_ARRAY(arena, IntPiece, (size_t)set->num_pieces + 1);
    int64_t from = INT64_MIN;
    bool more = true;
    for (uint32_t i = 0; i < set->num_pieces; i++) {
        if (set->pieces[i].min > from) {
            pieces[rest.num_pieces++] = (IntPiece){from, set->pieces[i].min - 1, 1, NULL, 0};
        }
        more = !wg_ckd_add(&from, set->pieces[i].max, 1);
    }
    if (more) {
        pieces[rest.num_pieces++] = (IntPiece){from, INT64_MAX, 1, NULL, 0};
    }
    rest.pieces = pieces;
    return rest;
}

IntSet intset_complement(Arena *arena, const IntSet *set)
{
    if (is_of_intervals(set)) {
        return gaps(arena, set);
    }
    IntSet rest = intset_interval(arena, INT64_MIN, INT64_MAX);
    for (uint32_t i = 0; i < set->num_pieces; i++) {
        const IntSet outside = piece_complement(arena, &set->pieces[i]);
        rest = intset_intersect(arena, &rest, &outside);
    }
    rest.too_large = rest.too_large || set->too_large;
    return rest;
}

bool intset_is_empty(const IntSet *set)
{
    return set->num_pieces == 0;
}

bool intset_has(const IntSet *set, int64_t value)
{
    for (uint32_t i = 0; i < set->num_pieces; i++) {
        const IntPiece *piece = &set->pieces[i];
        if (value >= piece->min && value <= piece->max && value % piece->multiple == 0 && !excludes(piece, value)) {
            return true;
        }
    }
    return false;
}

bool intset_within(Arena *arena, const IntSet *inner, const IntSet *outer)
{
    int64_t value = 0;
    if (intset_is_point(inner, &value)) {
        return intset_has(outer, value);
    }
    const IntSet outside = intset_complement(arena, outer);
    return intset_disjoint(inner, &outside);
}

bool intset_next(const IntSet *set, int64_t from, int64_t *value)
{
    bool found = false;
    for (uint32_t i = 0; i < set->num_pieces && !(found && set->is_sorted); i++) {
        int64_t next = 0;
        if (piece_next(&set->pieces[i], from, &next) && (!found || next < *value)) {
            *value = next;
            found = true;
        }
    }
    return found;
}

bool intset_after(const IntSet *set, int64_t *value)
{
    return *value < INT64_MAX && intset_next(set, *value + 1, value);
}

uint32_t intset_count(const IntSet *set, uint32_t most)
{
    int64_t value = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < set->num_pieces; i++) {
        const IntPiece *piece = &set->pieces[i];
        if (is_interval(piece) && (uint64_t)piece->max - (uint64_t)piece->min >= most) {
            return most;
        }
    }
    for (bool found = intset_next(set, INT64_MIN, &value); found && n < most; n++) {
        found = intset_after(set, &value);
    }
    return n;
}

bool intset_is_point(const IntSet *set, int64_t *value)
{
    if (set->num_pieces == 1 && is_interval(&set->pieces[0])) {
        *value = set->pieces[0].min;
        return set->pieces[0].max == *value;
    }
    if (!intset_next(set, INT64_MIN, value)) {
        return false;
    }
    int64_t other = *value;
    return !intset_after(set, &other);
}

int64_t intset_min(const IntSet *set)
{
    int64_t min = INT64_MAX;
    for (uint32_t i = 0; i < set->num_pieces; i++) {
        min = set->pieces[i].min < min ? set->pieces[i].min : min;
    }
    return min;
}

int64_t intset_max(const IntSet *set)
{
    int64_t max = INT64_MIN;
    for (uint32_t i = 0; i < set->num_pieces; i++) {
        max = set->pieces[i].max > max ? set->pieces[i].max : max;
    }
    return max;
}
