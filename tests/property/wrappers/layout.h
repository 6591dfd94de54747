/* SPDX-License-Identifier: MIT */
/*
 * layout - what a compiled function gets and returns, and which input is mutated how, from the raw facts of the YAML.
 *
 * Written from AOTAutograd's definitions (ViewAndMutationMeta, the order of forward inputs and outputs), beside
 * gen/derive and not from it: reference interpreter and fake compiled functions use this, so a mistake there shows as a
 * difference.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "../../../gen/arena.h"
#include "../../../schema/spec.h"

typedef enum LayoutMutation { LAYOUT_UNTOUCHED, LAYOUT_IN_GRAPH, LAYOUT_OUT_GRAPH } LayoutMutation;

/* One argument of the compiled function. */
typedef enum LayoutSource {
    LAYOUT_NULL, /* token or frozen input */
    LAYOUT_INPUT,
    LAYOUT_SIZE, /* of an input, as a value of its own */
    LAYOUT_STRIDE,
    LAYOUT_RNG_SEED,
    LAYOUT_RNG_OFFSET
} LayoutSource;

typedef struct LayoutArgument {
    LayoutSource source;
    uint32_t input;
    int32_t dimension;
    SpecKind kind; /* SPEC_TENSOR for LAYOUT_NULL too */
} LayoutArgument;

/* One value that the compiled function returns. */
typedef enum LayoutRole {
    LAYOUT_TOKEN,
    LAYOUT_UPDATED, /* of an input */
    LAYOUT_OUTPUT,
    LAYOUT_BASE,
    LAYOUT_NEW_OFFSET, /* of the generator */
    LAYOUT_SAVED,
    LAYOUT_SAVED_UNCHECKED,
    LAYOUT_SAVED_OPAQUE,
    LAYOUT_SAVED_SYMINT
} LayoutRole;

typedef struct LayoutResult {
    LayoutRole role;
    uint32_t index; /* input, output, base, or which of the saved of its kind */
    SpecKind kind;
} LayoutResult;

typedef struct Layout {
    const Spec *spec;
    const SpecGraph *graph;
    LayoutMutation *mutation; /* by input */
    bool *bumped;             /* by input: its version is raised before the call */
    bool *detached;           /* by input: the compiled function gets a detached one */
    bool *kept;               /* by input: the epilogue needs it */
    LayoutArgument *arguments;
    uint32_t num_arguments;
    LayoutResult *results;
    uint32_t num_results;
    uint32_t first_updated; /* positions in results */
    uint32_t num_updated;
    uint32_t first_output;
    uint32_t first_base;
    uint32_t first_saved;
    uint32_t num_saved; /* tensors, checked and unchecked */
} Layout;

Layout layout_of(Arena *arena, const Spec *spec, const SpecGraph *graph);

/* An input that the compiled function sees under another one's name, or not at all. */
bool layout_is_passed(const SpecInput *input);

bool layout_is_alias(SpecOutputType type);

#endif /* LAYOUT_H */
