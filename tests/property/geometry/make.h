/* SPDX-License-Identifier: MIT */
/*
 * make - random base geometries and view sequences, with numbers or with symbols.
 *
 * The maker has one value for each symbol. What it makes fits these values most of the time: sizes multiply up, indices
 * are in range. Every number may then be written as an expression that has this value.
 */
#ifndef WRAPGEN_TESTS_MAKE_H
#define WRAPGEN_TESTS_MAKE_H

#include "gen/algebra/geometry.h"
#include "gen/base/arena.h"
#include "templates/selftest/evaluate.h"
#include "templates/selftest/random.h"

enum { MAKE_SYMBOLS = 6, MAKE_MAX_RANK = 4, MAKE_MAX_VIEWS = 5 };

int64_t random_between(Random *random, int64_t least, int64_t most);

/* A size, stride or offset of the base: an expression, or null for one that is read at run time. */
typedef struct Case {
    int32_t dtype;
    uint32_t rank;
    const Expr *sizes[MAKE_MAX_RANK];
    const Expr *strides[MAKE_MAX_RANK];
    const Expr *offset;
    int64_t read_strides[MAKE_MAX_RANK]; /* values at the maker's symbols, for what is read */
    int64_t read_offset;
    SpecView views[MAKE_MAX_VIEWS];
    uint32_t num_views;
    int64_t symbols[MAKE_SYMBOLS];
    IntegerRange ranges[MAKE_SYMBOLS];
} Case;

typedef struct Maker {
    Arena *arena;
    Random *random;
    bool symbolic;
    Case *made;
} Maker;

/* Makes symbols, ranges and base. */
void make_base(Maker *maker);

/* Makes one more operation for a tensor of such sizes; `exprs` says the sizes in symbols where that is known (entries
 * may be null). */
void make_view(Maker *maker, uint32_t rank, const int64_t *sizes, const Expr *const *exprs);

/* As text. */
char *make_expr_text(Arena *arena, const Expr *expr);
void make_print(const Case *made);

#endif /* WRAPGEN_TESTS_MAKE_H */
