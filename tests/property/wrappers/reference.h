/* SPDX-License-Identifier: MIT */
/*
 * reference - what a wrapper must do, as loops over the raw metadata: the specification that generated code is held to.
 *
 * Written from AOTAutograd's runtime wrappers (RuntimeWrapper, its mutation epilogue and alias replay,
 * AOTDedupeWrapper, EffectTokensWrapper, FunctionalizedRngRuntimeWrapper, CompiledFunction.forward), one step after the
 * other, and from the contracts of the generated code (order of argument checks, ownership, failure). It shares the
 * front end (Spec) and the mock host with the generated code, and nothing of lowering, plan, view or geometry.
 *
 * Next to be added here: subclasses (unwrap and wrap around the compiled call), synthetic bases, the backward. Each is
 * a step of its own in reference_call(), in the nesting order of the wrappers.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "layout.h"
#include "mock.h"

typedef int32_t CompiledFunction(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs);

/* What an error must say. */
typedef struct ReferenceError {
    int32_t code; /* WgStatus; 0: none */
    bool no_view; /* a view sequence does not apply: as a wrong shape, a value out of range, or overflow, as it comes */
    const char *argument; /* null: none is named */
    int32_t dimension;    /* -1: none */
    bool has_values;
    int64_t expected;
    int64_t found;
    bool passed_through; /* a nested wrapper's: only the code counts */
} ReferenceError;

/* One call as the caller sees it. With consume_inputs the tensors of args are taken and nulled. */
typedef struct Call {
    WgValue *args;           /* as many as the graph has inputs */
    WgValue *outs;           /* as many as it has outputs; zeroed on failure */
    WgValue *saved;          /* training: tensors, unchecked tensors, opaque, symints; zeroed on failure */
    int64_t *saved_versions; /* of the tensors */
} Call;

/* Returns the status, which is error->code. */
int32_t reference_call(WgContext *ctx, const Layout *layout, const Call *call, CompiledFunction *compiled,
                       ReferenceError *error);

#endif /* REFERENCE_H */
