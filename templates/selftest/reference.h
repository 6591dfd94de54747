/* SPDX-License-Identifier: MIT */
/*
 * reference - what a wrapper must do, as loops over the raw metadata: the specification that generated code is held to.
 *
 * Written from AOTAutograd's runtime wrappers (RuntimeWrapper, its mutation epilogue and alias replay,
 * AOTDedupeWrapper, EffectTokensWrapper, FunctionalizedRngRuntimeWrapper, CompiledFunction.forward), one step after the
 * other, and from the contracts of the generated code (order of argument checks, ownership, failure). It shares the
 * front end (Spec) and the mock host with the generated code, and nothing of lowering, plan, view or geometry.
 *
 * reference_call() is the forward, reference_backward() the backward; each is a list of steps in the nesting order of
 * the wrappers.
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
    bool strict_view; /* generated code may refuse a view that PyTorch makes: it cannot know beforehand that a size is
                         1, or what is left of one, and asks of the strides what other sizes would need (WG_E_VALUE) */
    const char *argument;   /* null: none is named */
    const char *rule;       /* null: any */
    int32_t dimension;      /* -1: none */
    const Spec *spec;       /* of a guard: the file, and the value ... */
    const int64_t *symbols; /* ... of each of its symbols */
    bool has_values;
    int64_t expected;
    int64_t found;
    uint32_t other;         /* the object that is found; 0: any */
    const char *other_name; /* the input that it is, of an overlap, or of a result that is one; and, of the former, if
                               both are one tensor, ... */
    bool has_bytes;
    int64_t bytes[4];    /* ... the first and last byte of either */
    bool passed_through; /* a nested wrapper's: only the code counts */
} ReferenceError;

/* One call as the caller sees it. With consume_inputs the tensors of args are taken and nulled. */
typedef struct Call {
    WgValue *args;           /* as many as the graph has inputs */
    WgValue *outs;           /* as many as it has outputs; zeroed on failure */
    WgValue *saved;          /* training: tensors, unchecked tensors, opaque, symints; zeroed on failure */
    int64_t *saved_versions; /* of the tensors; then the notes of the layout */
} Call;

/* A backward as the caller sees it: saved values as Call left them, a gradient for each value the forward returned. */
typedef struct BackwardCall {
    const WgValue *saved;
    int64_t *saved_versions;
    const WgValue *gradients;
    WgValue *outs;
} BackwardCall;

int32_t reference_backward(WgContext *ctx, const Layout *layout, const BackwardCall *call, CompiledFunction *compiled,
                           ReferenceError *error);

/* A tensor of that geometry can be told from others in its storage: its bytes can be counted one by one. Scenarios make
 * no others share a storage. reference_overlaps.c */
bool reference_can_share(const ViewGeometry *geometry);

/* Returns the status, which is error->code. */
int32_t reference_call(WgContext *ctx, const Layout *layout, const Call *call, CompiledFunction *compiled,
                       ReferenceError *error);

#endif /* REFERENCE_H */
