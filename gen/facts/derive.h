/* SPDX-License-Identifier: MIT */
/*
 * derive - everything that follows from a graph's raw facts (AOTAutograd computes the same in
 * ViewAndMutationMeta.__post_init__): mutation types, index lists, counts. Pure functions over a validated Spec;
 * nothing here reports errors.
 */
#ifndef WRAPGEN_DERIVE_H
#define WRAPGEN_DERIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../algebra/condition.h"
#include "../algebra/guard.h"
#include "../algebra/integer.h"
#include "../../schema/spec.h"

typedef enum MutationType { NOT_MUTATED = 1, MUTATED_IN_GRAPH = 2, MUTATED_OUT_GRAPH = 3 } MutationType;

/* Indices into one of the graph's lists, ascending. */
typedef struct IndexList {
    uint32_t *at;
    uint32_t count;
} IndexList;

/*
 * One argument of the inner function: what the inputs become after duplicates are dropped and members are merged into
 * their synthetic bases. The order is the graph's argument_order, else PyTorch 2.13's (merge_view_inputs) when no
 * tensors but the merged ones share a storage: synthetic bases by their earliest member, and, only if there are any,
 * then the other non-tensors before the other tensors; else the kept inputs in their order.
 */
typedef struct InnerArg {
    SpecRef ref; /* SPEC_REF_INPUT or SPEC_REF_SYNTHETIC */
    MutationType mutation_type;
    bool mutates_data;
    bool requires_grad;
} InnerArg;

typedef struct GraphFacts {
    MutationType *mutation_type; /* one per input, of what the input itself states */
    IndexList mutated_runtime;   /* mutated_inp_runtime_indices: out-graph mutations; inputs that are merged into a
                                    synthetic base are in none of these three, inner_args has their bases */
    IndexList mutated_in_graph;  /* mutated_graph_handled_indices */
    IndexList
        mutated_seen_by_autograd;  /* the latter with not mutations_hidden_from_autograd: their versions are bumped */
    IndexList aliased_outputs;     /* aliased_out_indices */
    IndexList unsafe_view_outputs; /* unsafe_view_out_indices */
    IndexList member_metadata; /* members of synthetic bases with mutates_metadata: the graph returns a value for each
                                  of them after the user's outputs */
    InnerArg *inner_args;
    uint32_t num_inner_args;
    uint32_t num_mutated_returns; /* out-graph mutated inner arguments: so many updated values are returned first */
    SpecRef *tangents;            /* the values whose gradients the backward takes, in its order:
                                     mutated inner arguments, outputs, intermediate bases */
    uint32_t num_tangents;
    uint32_t num_outputs;
    uint32_t num_intermediate_bases;
    uint32_t num_forward_returns; /* num_mutated_returns + outputs + member_metadata + bases */
    uint32_t num_rng_offset;      /* 1 with functionalized RNG */
    uint32_t num_forward;         /* num_forward_returns + num_rng_offset */
    uint32_t num_flat_inputs;     /* arguments of the compiled function, tokens, symbolic dims and RNG included */
    uint32_t num_flat_outputs;    /* values that it returns, tokens, RNG offset and saved values included */
} GraphFacts;

/* What is_conj and is_neg of an input say, as the sum of WgLazy. */
static inline int32_t derive_lazy(const SpecInput *input)
{
    return (spec_is(input->is_conj) ? 1 : 0) + (spec_is(input->is_neg) ? 2 : 0);
}

/* Can this input's mutation stay in the compiled graph; `conflict` (may be null) is set when PyTorch asserts (storage
 * resize or set_ that cannot stay in the graph). */
MutationType derive_mutation_type(const SpecGraph *graph, const SpecInput *input, bool *conflict);

bool derive_is_aliased(SpecOutputType type);

/* Some input, output or intermediate base of the graph is a subclass. */
bool derive_has_subclass(const SpecGraph *graph);

/* The number of a symbol by its name: an ExprLookup, whose ctx is a `const Spec **`. */
bool derive_find_symbol(void *ctx, const char *name, size_t length, uint32_t *symbol);

/* What is declared about a symbol: its bounds, and what it is a multiple of. */
ConditionRange derive_symbol_range(const SpecSymbol *symbol);

/* What is known about the spec's symbols inside the graph, one entry per symbol: declared bounds if `check` has them
 * tested, and that a size is not negative. All decisions about views must use this. */
const IntegerRange *derive_symbol_ranges(Arena *arena, const Spec *spec, const SpecGraph *graph);

/* Decides conditions over the graph's symbols, as far as their declarations tell, whether or not they are tested. */
Guards *derive_guards(Arena *arena, const Spec *spec, const SpecGraph *graph);

/* What is left to test of each of the graph's guards; null: it always holds, given the bounds of the symbols and the
 * guards before it, which have been tested by then. Such a guard costs nothing and cannot overflow. */
const struct Expr **derive_tested_guards(Arena *arena, const Spec *spec, const SpecGraph *graph);

/* Entry `i` of a list, for rules that look at each other's keys: null when the list has no such entry, was refused, or
 * was not read because another mistake was reported before. */
const struct Expr *derive_expr(const SpecInts *ints, uint32_t i);

/* Is the outer dimension of a subclass a symbolic one (neither a literal nor `nested`)? */
bool derive_is_symbolic(const struct Expr *outer);

/* The number of flat slots of a subclass tree, including its symbolic dims if it passes them. */
uint32_t derive_flat_count(const SpecSubclass *tree);

/* Derives everything; lists live in the arena. */
GraphFacts derive_facts(Arena *arena, const SpecGraph *graph);

#endif /* WRAPGEN_DERIVE_H */
