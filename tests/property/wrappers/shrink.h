/* SPDX-License-Identifier: MIT */
/*
 * shrink - a graph that fails, made smaller as long as it fails in the same way.
 */
#ifndef SHRINK_H
#define SHRINK_H

#include "batch.h"

/* Removes keys and entries from the tree, in place, largest first. Every try is a whole run of wrapgen, compiler and
 * all scenarios; at most `most_tries` of them. */
void shrink(const Tools *tools, Node *graph, uint64_t seed, Mismatch mismatch, uint32_t most_tries);

#endif /* SHRINK_H */
