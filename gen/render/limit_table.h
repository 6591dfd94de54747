/* SPDX-License-Identifier: MIT */
/*
 * limit_table - the rows of --emit-limits: what a graph states about its inputs, and what the dispatcher of a kernel
 * requires of each variant's arguments, as constant data (templates/core/wg_limits.h says what it means).
 */
#ifndef WRAPGEN_LIMIT_TABLE_H
#define WRAPGEN_LIMIT_TABLE_H

#include "../base/str.h"
#include "../dispatch/kernel.h"

/* Rows of one table each; a row points to those of the table before it by number. */
typedef struct LimitTable {
    Arena *arena;
    const char *prefix; /* of the tables' names */
    Str ranges;
    Str numbers;
    Str arguments;
    Str variants;
    Str rows;
    uint32_t num_ranges;
    uint32_t num_numbers;
    uint32_t num_arguments;
    uint32_t num_variants;
} LimitTable;

LimitTable limit_table_new(Arena *arena, const char *prefix);
void limit_table_graph(LimitTable *limits, const Plan *plan);
void limit_table_kernel(LimitTable *limits, const Kernel *kernel);

#endif /* WRAPGEN_LIMIT_TABLE_H */
