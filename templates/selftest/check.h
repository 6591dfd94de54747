/* SPDX-License-Identifier: MIT */
/*
 * check - one call on both sides: the generated wrapper and the reference, each in its own context, compared in full.
 */
#ifndef CHECK_H
#define CHECK_H

#include "reference.h"
#include "scenario.h"

/* How the driver reaches a generated graph; the glue of a batch has an array of these, by graph. `saved` is as flat as
 * in Call; the release functions give back what `outs` and `saved` hold, through the generated functions, and null it.
 */
typedef struct Entry {
    int32_t (*typed)(WgContext *ctx, WgValue *args, WgValue *outs, WgValue *saved, int64_t *versions, int fault);
    int32_t (*boxed)(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t num_outs, WgValue *saved,
                     int64_t *versions, int fault);
    void (*release)(WgContext *ctx, WgValue *outs, WgValue *saved);
    /* gradients: one for each value that the forward returned */
    int32_t (*backward)(WgContext *ctx, WgValue *saved, int64_t *versions, WgValue *gradients, WgValue *outs, int boxed,
                        int fault);
    void (*release_gradients)(WgContext *ctx, WgValue *outs);
} Entry;

/* What differs; also what shrinking holds on to. */
#define MISMATCHES(X)                                                                                                  \
    X(NONE, "nothing")                                                                                                 \
    X(VIOLATION, "the wrapper broke the ownership contract")                                                           \
    X(REFERENCE, "the reference broke the ownership contract, which is a bug of this test")                            \
    X(STATUS, "another status")                                                                                        \
    X(ERROR, "the same status, another error")                                                                         \
    X(TRACE, "another order or kind of effects")                                                                       \
    X(RESULT, "another result")                                                                                        \
    X(SAVED, "another saved value")                                                                                    \
    X(ARGUMENTS, "the caller's arguments")                                                                             \
    X(MODES, "another mode after the call")                                                                            \
    X(STATE, "another state of a tensor after the call")                                                               \
    X(LEAK, "references that do not balance")                                                                          \
    X(CRASH, "a crash")

typedef enum Mismatch {
#define X(name, text) MISMATCH_##name,
    MISMATCHES(X)
#undef X
} Mismatch;

const char *mismatch_text(Mismatch mismatch);

/* Both contexts and what came of the last call in them. */
typedef struct Checker {
    const char *graph;  /* whose call it is */
    const char *kernel; /* the dispatcher that it calls, which says so when a read fails there; null: none */
    WgContext generated;
    WgContext reference;
    int32_t generated_status;
    ReferenceError error; /* what is due */
    char detail[240];
    uint64_t calls;
} Checker;

/* Makes one call on both sides. */
Mismatch check_call(Checker *checker, const Layout *layout, const Entry *entry, const Scenario *scenario);

/* Prints what differs, and both traces side by side. */
void check_print(FILE *file, const Checker *checker, Mismatch mismatch);

#endif /* CHECK_H */
