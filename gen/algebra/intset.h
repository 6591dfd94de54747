/* SPDX-License-Identifier: MIT */
/*
 * intset - sets of 64-bit integers that are closed under intersection and complement, exactly: unions of pieces, where
 * a piece is the multiples of some L in an interval that are not multiples of any of K1, K2, ......
 *
 * A condition on an integer (condition.h) is such a set, and so is its complement. A set is a value: its pieces live in
 * an arena and are never changed. Nothing here is exponential for what people write; when pieces would multiply beyond
 * INTSET_MAX_PIECES, the set is marked `too_large`, and so is every set made from it.
 */
#ifndef WRAPGEN_INTSET_H
#define WRAPGEN_INTSET_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/arena.h"
#include "condition.h"

typedef struct IntPiece {
    int64_t min; /* a multiple of `multiple` itself, unless there is no bound */
    int64_t max;
    int64_t multiple;        /* at least 1 */
    const int64_t *excluded; /* multiples of these, each at least 2, are left out */
    uint32_t num_excluded;
} IntPiece;

typedef struct IntSet {
    const IntPiece *pieces; /* none of them is empty, but they may overlap */
    uint32_t num_pieces;
    bool is_sorted; /* each piece ends before the next one begins: two such sets are compared in one pass */
    bool too_large; /* the set contains more than it should */
} IntSet;

enum { INTSET_MAX_PIECES = 4096 };

IntSet intset_interval(Arena *arena, int64_t min, int64_t max);
IntSet intset_point(Arena *arena, int64_t value);
IntSet intset_from_condition(Arena *arena, const Condition *condition);

IntSet intset_intersect(Arena *arena, const IntSet *a, const IntSet *b);
IntSet intset_unite(Arena *arena, const IntSet *a, const IntSet *b);
IntSet intset_complement(Arena *arena, const IntSet *set);

bool intset_is_empty(const IntSet *set);
bool intset_has(const IntSet *set, int64_t value);
bool intset_disjoint(const IntSet *a, const IntSet *b);
bool intset_within(Arena *arena, const IntSet *inner, const IntSet *outer);

/* The least member that is >= from; false: there is none. */
bool intset_next(const IntSet *set, int64_t from, int64_t *value);

/* The least member above `value`, in its place; false: there is none, and the value stays. */
bool intset_after(const IntSet *set, int64_t *value);

/* The number of members, at most `most`. */
uint32_t intset_count(const IntSet *set, uint32_t most);

/* The set has exactly one member, *value. */
bool intset_is_point(const IntSet *set, int64_t *value);

/* Bounds that contain every member of a set that is not empty. */
int64_t intset_min(const IntSet *set);
int64_t intset_max(const IntSet *set);

#endif /* WRAPGEN_INTSET_H */
