/* SPDX-License-Identifier: MIT */
/*
 * oracle_private - what the oracle's files share: arguments as numbers, and tables made from an index mapping.
 */
#ifndef WRAPGEN_TESTS_ORACLE_PRIVATE_H
#define WRAPGEN_TESTS_ORACLE_PRIVATE_H

#include "oracle.h"

enum { MAX_RANK = 16 };

/* Arguments of the operation at hand, as numbers. */
typedef struct Call {
    Arena *arena;
    const int64_t *symbols;
    bool broken; /* an expression has no value */
} Call;

int64_t call_number(Call *call, const SpecInt *argument, int64_t absent);
int64_t *call_numbers(Call *call, const SpecInts *argument);

/* A dimension counted from the front; false: out of range. A scalar counts as one dimension. */
bool wrap_dim(int64_t value, uint32_t rank, uint32_t *dim);

/* Says for an index of the new table which index of the old one it is. */
typedef struct Remap {
    void (*to_old)(const struct Remap *remap, const int64_t *index, int64_t *old);
    const Table *table;
    const uint32_t *order; /* old dimension of each new one, UINT32_MAX for a new one of size 1 */
    uint32_t rank;         /* of the new table */
    uint32_t dim;
    uint32_t dim2;
    int64_t start;
    int64_t start2;
    int64_t step;
} Remap;

Verdict remap_table(Arena *arena, const Remap *remap, const int64_t *sizes, Table *table);
Verdict reorder_table(Call *call, const uint32_t *order, uint32_t rank, Table *table);
int64_t table_position(const Table *table, const int64_t *index);
void advance_index(uint32_t rank, const int64_t *sizes, int64_t *index); /* in row-major order */
int64_t *copy_sizes(Call *call, const Table *table, uint32_t room);      /* with room for one more */

/* Operations of oracle_parts.c and oracle_shapes.c. */
Verdict apply_select(Call *call, const SpecView *view, Table *table);
Verdict apply_slice(Call *call, const SpecView *view, Table *table);
Verdict apply_narrow(Call *call, const SpecView *view, Table *table);
Verdict apply_split(Call *call, const SpecView *view, Table *table);
Verdict apply_split_with_sizes(Call *call, const SpecView *view, Table *table);
Verdict apply_diagonal(Call *call, const SpecView *view, Table *table);
Verdict apply_unfold(Call *call, const SpecView *view, Table *table);
Verdict apply_view(Call *call, const SpecView *view, Table *table);
Verdict apply_flatten(Call *call, const SpecView *view, Table *table);
Verdict apply_unflatten(Call *call, const SpecView *view, Table *table);
Verdict apply_view_dtype(Call *call, const SpecView *view, Table *table);
Verdict apply_view_as_real(Call *call, Table *table);
Verdict apply_view_as_complex(Call *call, Table *table);

#endif /* WRAPGEN_TESTS_ORACLE_PRIVATE_H */
