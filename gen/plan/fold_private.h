/* SPDX-License-Identifier: MIT */
/*
 * fold_private - what fold.c (the search, and names), fold_index.c (who defines and names what), fold_match.c (what is
 * similar) and fold_named.c (what is read by name) share.
 */
#ifndef WRAPGEN_FOLD_PRIVATE_H
#define WRAPGEN_FOLD_PRIVATE_H

#include "fold.h"

/* A stride that no comparison has set yet. */
enum { FOLD_NO_STRIDE = -1 };

/* The array of arguments, where they stay. */
extern const FoldArray fold_arguments;

/* Fills ops, defined, last and places. */
void fold_index_ops(Fold *fold);

/* Can the op be in a loop? */
bool fold_takes(const Op *op);

/* Is iteration n like the first? The strides that it shows are kept in the run. */
bool fold_is_like_first(const Fold *fold, const FoldRun *run, uint32_t n);

/* Is that position in ops in the first iteration? */
bool fold_is_in_first(const FoldRun *run, uint32_t position);

/* Does an iteration of that run define it? */
bool fold_is_own(const Fold *fold, const FoldRun *run, uint32_t slot);

/* Is the slot, as that operand of a run's op, written as its local? Null: outside of runs. */
bool fold_names_local(const Fold *fold, const FoldRun *run, uint32_t position, uint32_t operand, uint32_t slot);

/* Fills named, when all runs are there. */
void fold_find_named(Fold *fold);

#endif /* WRAPGEN_FOLD_PRIVATE_H */
