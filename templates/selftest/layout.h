/* SPDX-License-Identifier: MIT */
/*
 * layout - what a compiled function gets and returns, and which input is mutated how, from the raw facts of the YAML.
 *
 * Written from AOTAutograd's definitions (ViewAndMutationMeta, the order of forward inputs and outputs), independently
 * of gen/facts/derive: reference interpreter and fake compiled functions use this, so a mistake there shows as a
 * difference.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "../../gen/base/arena.h"
#include "../../gen/algebra/expr.h"
#include "../../schema/spec.h"

typedef enum LayoutMutation { LAYOUT_UNTOUCHED, LAYOUT_IN_GRAPH, LAYOUT_OUT_GRAPH } LayoutMutation;

/* One argument of the function inside, once duplicates are dropped and inputs merged: an input, or a synthetic base. */
typedef struct LayoutInner {
    SpecRef ref;
    const char *name;
    LayoutMutation mutation;
    bool mutates_data;
    bool requires_grad;
    bool bumped; /* its version is raised before the call */
} LayoutInner;

/* One argument of the compiled function. */
typedef enum LayoutSource {
    LAYOUT_NULL,  /* token or frozen input */
    LAYOUT_INPUT, /* itself */
    LAYOUT_MERGED,
    LAYOUT_PART, /* of an input that is a subclass: an attribute, or one of its symbolic outer sizes */
    LAYOUT_SIZE, /* of an input, as a value of its own */
    LAYOUT_RNG,
    LAYOUT_GENERATOR,   /* a pointer of the host's */
    LAYOUT_SAVED_VALUE, /* backward */
    LAYOUT_TANGENT
} LayoutSource;

typedef struct LayoutArgument {
    LayoutSource source;
    uint32_t input; /* or synthetic base, tangent */
    SpecKind kind;  /* SPEC_TENSOR for LAYOUT_NULL too */
} LayoutArgument;

/* One value that comes back, flat or as a subclass. */
typedef enum LayoutRole {
    LAYOUT_TOKEN,
    LAYOUT_UPDATED, /* of an inner argument */
    LAYOUT_OUTPUT,
    LAYOUT_MEMBER, /* of a synthetic base: its new geometry */
    LAYOUT_BASE,
    LAYOUT_NEW_OFFSET, /* of the generator */
    LAYOUT_SAVED,
    LAYOUT_SAVED_UNCHECKED,
    LAYOUT_SAVED_OPAQUE,
    LAYOUT_SAVED_SYMINT,
    LAYOUT_GRADIENT /* of an inner argument */
} LayoutRole;

typedef struct LayoutResult {
    LayoutRole role;
    uint32_t index; /* inner argument, output, base, input, or which of the saved of its kind */
    SpecKind kind;
    const SpecSubclass *tree; /* null: a value as it is */
    const char *name;         /* null: none */
    uint32_t first_flat;
    uint32_t num_flat;
} LayoutResult;

/* One value that the compiled function returns. */
typedef struct LayoutFlat {
    SpecKind kind;
    bool symint;      /* a symbolic size or stride of a subclass, or of an attribute */
    const Expr *expr; /* of a subclass; null: an attribute has the number, too, and that one counts */
} LayoutFlat;

/* A compiled function, forward or backward. */
typedef struct LayoutCall {
    LayoutArgument *arguments;
    uint32_t num_arguments;
    uint32_t arguments_capacity;
    LayoutResult *results;
    uint32_t num_results;
    uint32_t results_capacity;
    LayoutFlat *flat;
    uint32_t num_flat;
    uint32_t flat_capacity;
    uint32_t num_symints;
} LayoutCall;

/* A gradient that the backward is given, of what the forward returned. */
typedef struct LayoutTangent {
    const SpecTangent *spec;
    uint32_t returned; /* position among all that the forward returns to the caller's side of autograd */
    uint32_t result;   /* position in forward.results */
    bool zeros;        /* what is made in its place where it is not given */
    int32_t dtype;     /* of the zeros; -1: as the result's */
    int32_t device;    /* the same */
    const SpecInts *size;
    uint32_t first_note; /* among the notes: dtype and device where they are the result's, symbolic sizes */
} LayoutTangent;

typedef struct Layout {
    const Spec *spec;
    const SpecGraph *graph;
    LayoutInner *inner;
    uint32_t num_inner;
    bool *detached; /* by input: the compiled function gets a detached one */
    bool *kept;     /* by input: the epilogue needs it */
    LayoutCall forward;
    uint32_t first_updated; /* positions in forward.results */
    uint32_t num_updated;
    uint32_t first_output;
    uint32_t first_member;
    uint32_t num_members;
    uint32_t first_base;
    uint32_t first_saved;
    uint32_t num_saved;  /* tensors, checked and unchecked */
    uint32_t num_states; /* of generators, which stand after all that the compiled function returned to be saved */
    uint32_t first_note; /* numbers kept with the saved values: in saved_versions, from here on; the first is `spent` */
    uint32_t num_notes;
    LayoutCall backward;
    LayoutTangent *tangents;
    uint32_t num_tangents;
    uint32_t num_returned; /* gradients that the boxed entry of the backward takes */
    uint32_t *gradients;   /* positions in backward.results of those that are given to the caller */
    uint32_t num_gradients;
    bool *binds;           /* by symbol: an input tells what it is */
    const char **contexts; /* of flattening, of the whole file */
    uint32_t num_contexts;
} Layout;

Layout layout_of(Arena *arena, const Spec *spec, const SpecGraph *graph);

/* Whether anything in it is a subclass. */
bool layout_has_subclass(const SpecGraph *graph);

/* A symbolic entry of an outer size or stride, which travels as a value of its own. */
bool layout_is_symint(const SpecSubclass *tree, const Expr *expr);

/* Appends the flat results of a tree. layout_flat.c */
void layout_add_tree(Arena *arena, LayoutCall *call, const SpecSubclass *tree);
void layout_add_flat(Arena *arena, LayoutCall *call, LayoutFlat flat);
void layout_add_argument(Arena *arena, LayoutCall *call, LayoutSource source, uint32_t input, SpecKind kind);
void layout_add_result(Arena *arena, LayoutCall *call, LayoutResult result);
/* Appends the flat arguments of a tree that is taken apart. */
void layout_add_parts(Arena *arena, LayoutCall *call, LayoutSource source, uint32_t input, const SpecSubclass *tree);

/* The same contexts for all layouts of a file: names, each once. */
void layout_note_contexts(Arena *arena, Layout *layout);
uint32_t layout_context(const Layout *layout, const char *name);

/* Whether all symbolic sizes that a compiled function returns follow from what the caller gave: it may leave them out.
 */
void layout_note_symbols(Arena *arena, Layout *layout);
bool layout_may_lack_symints(const Layout *layout, const LayoutCall *call);

/* layout_backward.c */
void layout_note_backward(Arena *arena, Layout *layout);

/* The generators of a compiled function: a training graph's backward has ones of its own. */
void layout_add_generators(Arena *arena, LayoutCall *call, const SpecGraph *graph);

/* Of that saved value, as the checker counts them: what the compiled function returned, then states of generators. */
SpecKind layout_saved_kind(const Layout *layout, uint32_t nth);
bool layout_saved_is_versioned(const Layout *layout, uint32_t nth);

/* An input that the compiled function sees under another one's name, or not at all. */
bool layout_is_passed(const SpecInput *input);

bool layout_is_alias(SpecOutputType type);

#endif /* LAYOUT_H */
