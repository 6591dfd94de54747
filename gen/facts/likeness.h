/* SPDX-License-Identifier: MIT */
/*
 * likeness - which graphs of a run are the same but for their names. What a wrapper does follows from its graph's keys,
 * so graphs whose keys are all the same, except what the graph, its compiled functions, its inputs, outputs and bases
 * are called, can share code.
 */
#ifndef WRAPGEN_LIKENESS_H
#define WRAPGEN_LIKENESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../../schema/spec.h"

/* A graph among those that are like it; graphs are counted from 0 over all files. */
typedef struct Likeness {
    uint32_t first;   /* the first of them; itself if none before it is like it */
    uint32_t members; /* how many there are, of the first; else 0 */
    bool named;       /* of the first: the inputs, outputs or bases of one of them have other names */
    bool renamed;     /* its own have other names than the first one's */
} Likeness;

/* For the graphs of Specs that have passed validation, before anything was put into them for lowering. `groups` says of
 * each graph in which group it is, and graphs of different groups are never alike; null: they are one group. */
const Likeness *likeness_find(Arena *arena, const Spec *const *specs, size_t num_specs, const uint32_t *groups);

#endif /* WRAPGEN_LIKENESS_H */
