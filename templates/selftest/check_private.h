/* SPDX-License-Identifier: MIT */
/*
 * check_private - what the comparisons of a forward (check.c) and of a backward (check_backward.c) share.
 */
#ifndef CHECK_PRIVATE_H
#define CHECK_PRIVATE_H

#include <stdio.h>

#include "check.h"

#define DIFFERS(checker, mismatch, ...) (snprintf((checker)->detail, sizeof(checker)->detail, __VA_ARGS__), (mismatch))

/* What the caller holds on one side. */
typedef struct Side {
    WgContext *ctx;
    Prepared *prepared;
    WgValue *given; /* args as they were */
    WgValue *outs;
    uint32_t num_outs; /* that the caller has room for */
    WgValue *saved;
    int64_t *versions; /* of saved tensors, followed by the notes */
    uint32_t num_saved;
} Side;

/* Status, error and trace; *excused: a retain or a read failed, whose place is not fixed. */
Mismatch check_outcome(Checker *checker, const Scenario *scenario, bool *excused);
/* The error that the caller finds in the context, and which graph it names. check_error.c */
Mismatch check_error(Checker *checker);
Mismatch check_graph(Checker *checker);
bool check_same_text(const char *a, const char *b);
/* Are the outputs of a call that succeeded objects of their own? check_own.c */
Mismatch check_own(Checker *checker, const Layout *layout, const Side *side);
Mismatch check_modes(Checker *checker, const MockModes *before);
Mismatch check_objects(Checker *checker);
/* The numbers that are kept with the saved values. */
Mismatch check_notes(Checker *checker, const Layout *layout, const Side *g, const Side *r);
bool check_same_value(SpecKind kind, WgValue a, WgValue b);

/* All backward calls of a scenario after a forward that was good on both sides. */
Mismatch check_backward(Checker *checker, const Layout *layout, const Entry *entry, const Scenario *scenario, Side *g,
                        Side *r);

#endif /* CHECK_PRIVATE_H */
