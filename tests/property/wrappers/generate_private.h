/* SPDX-License-Identifier: MIT */
/*
 * generate_private - what the parts of the graph generator share: terms, tensors under three valuations of the symbols.
 *
 * Everything symbolic is drawn as text along with its values under three fixed valuations, so that "is this operation
 * possible" is decided with numbers. A draw is kept when it is possible under all three.
 */
#ifndef GENERATE_PRIVATE_H
#define GENERATE_PRIVATE_H

#include <stdbool.h>

#include "generate.h"
#include "../../../templates/selftest/random.h"
#include "../../../templates/selftest/views.h"

/* s0, s1, ..., then u0, u1, ..., the unbacked ones. */
enum { SAMPLES = 3, NUM_SYMBOLS = 6, NUM_UNBACKED = 3, ALL_SYMBOLS = NUM_SYMBOLS + NUM_UNBACKED, MOST_TENSORS = 256 };

/* An integer of the YAML and what it is under each valuation. */
typedef struct Term {
    const char *text;
    int64_t values[SAMPLES];
    bool symbolic;
} Term;

/* A subclass as it is drawn, from which the YAML of one role or another is written. */
typedef struct Shape Shape;

/* What is done with it. */
typedef enum ShapeRole { SHAPE_INPUT, SHAPE_RETURNED, SHAPE_TANGENT, SHAPE_GRADIENT } ShapeRole;

/* What a base states, as far as a view of it can use it. */
typedef struct Drawn {
    const char *name;
    const char *dtype; /* null: not stated */
    int32_t rank;      /* -1: unknown */
    bool has_size;
    bool has_stride;
    bool has_offset;
    bool requires_grad;
    bool restrided; /* its geometry is mutated: what is stated no longer holds when views are made */
    bool symbolic;
    bool mutated;
    const Shape *shape;       /* a subclass; nothing is known about its geometry */
    ViewGeometry at[SAMPLES]; /* strides contiguous and offset 0 where they are not stated */
} Drawn;

typedef struct Draw {
    Arena *arena;
    Random random;
    Node *graph;
    bool training;
    bool keeps;               /* keep_input_mutations */
    bool subclasses;          /* there may be some */
    bool late;                /* results are drawn, and unbacked symbols may be used */
    Random unbacked;          /* for these: what else there is does not depend on them */
    bool bound[ALL_SYMBOLS];  /* some input binds it */
    bool wanted[ALL_SYMBOLS]; /* it is used, so something must bind it */
    uint32_t num_names;
    uint32_t number; /* of the graph */
    Drawn inputs[MOST_TENSORS];
    uint32_t num_inputs; /* tensors that may be a base */
    Drawn bases[MOST_TENSORS];
    uint32_t num_bases;
    Drawn outputs[MOST_TENSORS];
    uint32_t num_outputs;
    Node *tangents; /* of a training graph */
    Node *grad_inputs;
} Draw;

/* Some dtype; differentiable: floating or complex. */
const char *generate_dtype(Draw *draw, bool differentiable);
int32_t generate_dtype_code(const char *dtype); /* -1: null */
const char *generate_dtype_name(int32_t dtype);
bool generate_is_differentiable(const char *dtype);

Term term_literal(Draw *draw, int64_t value);
Term term_symbol(Draw *draw, uint32_t symbol);
Term term_times(Draw *draw, Term a, Term b);
/* A size, at times symbolic; `binding`: a bare symbol here binds it. */
Term term_size(Draw *draw, bool binding);
/* Some expression of symbols, at least 0 under every valuation. */
Term term_symbolic(Draw *draw);
/* A literal or a symbol that has these values; false when there is none. */
bool term_for_values(Draw *draw, const int64_t *values, Term *term);
void term_add(Draw *draw, Node *list, Term term);

/* A size that is one of the unbacked symbols; false: not here, or not this time. */
bool term_unbacked(Draw *draw, Term *term);

/* Draws dtype, size, stride and offset into `map` and `drawn`; symbols may be bound there when `binding`. */
void generate_facts(Draw *draw, Node *map, Drawn *drawn, bool binding, bool literal);

/* A view sequence on that base, or null when none could be drawn; `result` is what it gives. */
Node *generate_views(Draw *draw, const Drawn *base, Drawn *result);

const char *generate_name(Draw *draw, const char *hint);
/* Subclasses. generate_trees.c */
const Shape *generate_shape(Draw *draw);
/* Another one of the same outermost type. */
const Shape *generate_shape_like(Draw *draw, const Shape *shape);
Node *generate_tree(Draw *draw, const Shape *shape, ShapeRole role);
/* Adds paths that are waited on. */
void generate_waits(Draw *draw, Node *input, const Shape *shape);
Node *generate_subclass_types(Arena *arena);

/* What a backward says of a value, and its own keys. generate_training.c */
void generate_tangent(Draw *draw, const char *name, const Drawn *drawn);
void generate_gradient(Draw *draw, const char *name, bool may, const Shape *shape);
void generate_training(Draw *draw);

/* Inputs that share a storage. generate_merged.c */
void generate_merged(Draw *draw, Node *inputs);
/* After them, the order of the graph's arguments: any, and stated wherever it must be. */
void generate_argument_order(Draw *draw);
/* Flags of one of the ways in which an input is mutated; returns whether the wrapper applies it. */
bool generate_mutation(Draw *draw, Node *map, Drawn *drawn, bool is_leaf);

/* Ragged sizes and their owners, last of all; and their symbols. generate_nested.c */
enum { NUM_NESTED = 3 };
void generate_nested(Draw *draw, uint64_t seed);
void generate_nested_symbols(Arena *arena, Node *list);

/* Conditions that hold under every valuation. generate_guards.c */
void generate_guards(Draw *draw);

void generate_inputs(Draw *draw);
void generate_missing_symbols(Draw *draw, Node *inputs);
void generate_outputs(Draw *draw);
/* Unbacked symbols that no result defines by itself so far get one that does. generate_unbacked.c */
void generate_missing_definitions(Draw *draw, Node *outputs);
/* Is a symbol in it? */
bool generate_uses_symbols(const Node *node);

#endif /* GENERATE_PRIVATE_H */
