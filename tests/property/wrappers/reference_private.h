/* SPDX-License-Identifier: MIT */
/*
 * reference_private - the state of one reference call, shared by reference_arguments.c (what is tested first) and
 * reference.c (everything behind that).
 */
#ifndef REFERENCE_PRIVATE_H
#define REFERENCE_PRIVATE_H

#include "evaluate.h"
#include "reference.h"

typedef struct Reference {
    WgContext *ctx;
    const Layout *layout;
    const SpecGraph *graph;
    const Call *call;
    ReferenceError *error;
    int64_t *values; /* of symbols */
    bool *bound;
    Symbols symbols;      /* both of them */
    WgValue *args;        /* what the caller gave */
    WgValue *call_args;   /* what the compiled function gets */
    bool *call_arg_owned; /* must be given back after the call */
    WgValue *results;
    size_t num_results; /* that came back */
    WgTensor **final;   /* by output: an alias that was made for it */
} Reference;

/* Notes what is wrong and returns false. */
bool reference_fails(Reference *reference, int32_t code, const char *argument);
bool reference_fails_with(Reference *reference, int32_t code, const char *argument, int32_t dimension, int64_t expected,
                          int64_t found);

/* A verb's status; 0 goes on. `argument` is what the error names. */
bool reference_did(Reference *reference, int32_t status, const char *argument);

/* A tensor was returned at that position. */
bool reference_has_result(Reference *reference, size_t position, const char *name);

/* Binds symbols and tests the arguments, as far as the graph's level asks for it. */
bool reference_check_arguments(Reference *reference);

/* Alias replay, and the dynamic marks behind it. */
bool reference_outputs(Reference *reference);
bool reference_mark_outputs(Reference *reference);

/* Where the tensor is that becomes that output. */
WgTensor **reference_final(Reference *reference, uint32_t output);

#endif /* REFERENCE_PRIVATE_H */
