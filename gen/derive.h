/* SPDX-License-Identifier: MIT */
/*
 * derive - what follows from a graph's raw facts (AOTAutograd computes the same in ViewAndMutationMeta.__post_init__):
 * mutation types, index lists, counts. Pure functions over a validated Spec; nothing here reports errors.
 */
#ifndef WRAPGEN_DERIVE_H
#define WRAPGEN_DERIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "../schema/spec.h"

typedef enum MutationType { NOT_MUTATED = 1, MUTATED_IN_GRAPH = 2, MUTATED_OUT_GRAPH = 3 } MutationType;

/* Indices into one of the graph's lists, ascending. */
typedef struct IndexList {
    uint32_t *at;
    uint32_t count;
} IndexList;

typedef struct GraphFacts {
    MutationType *mutation_type;          /* one per input */
    IndexList mutated_runtime;            /* mutated_inp_runtime_indices: out-graph mutations */
    IndexList mutated_in_graph;           /* mutated_graph_handled_indices */
    IndexList mutated_seen_by_autograd;   /* the latter with not mutations_hidden_from_autograd: their versions are bumped */
    IndexList aliased_outputs;            /* aliased_out_indices */
    IndexList unsafe_view_outputs;        /* unsafe_view_out_indices */
    uint32_t num_outputs;
    uint32_t num_intermediate_bases;
    uint32_t num_forward_returns;         /* mutated_runtime + outputs + bases */
    uint32_t num_rng_offset;              /* 1 with functionalized RNG */
    uint32_t num_forward;                 /* num_forward_returns + num_rng_offset */
} GraphFacts;

/* semantics 1.3: can this input's mutation stay in the compiled graph; `conflict` (may be null) is set where PyTorch asserts
 * (storage resize or set_ that cannot stay in the graph). */
MutationType derive_mutation_type(const SpecGraph *graph, const SpecInput *input, bool *conflict);

bool derive_is_aliased(SpecOutputType type);
bool derive_has_base(SpecOutputType type); /* same set; named for its other meaning */

/* All of it; lists live in the arena. */
GraphFacts derive_facts(Arena *arena, const SpecGraph *graph);

#endif /* WRAPGEN_DERIVE_H */
