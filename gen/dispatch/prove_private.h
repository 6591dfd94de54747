/* SPDX-License-Identifier: MIT */
/*
 * prove_private - what prove.c (the search) and prove_world.c (the facts of one world) share.
 */
#ifndef WRAPGEN_PROVE_PRIVATE_H
#define WRAPGEN_PROVE_PRIVATE_H

#include "prove.h"

/* How to take one assertion back. */
typedef struct Undo {
    uint32_t field;
    bool merged; /* parents[field] was field */
    IntSet domain;
} Undo;

struct Prover {
    Arena *arena;
    Arena scratch; /* of one question */
    const Dispatch *dispatch;
    ProveWorld world;
    Undo *trail;
    uint32_t num_trail;
    uint32_t trail_capacity;
    uint32_t differ_capacity;
    const DispatchClause **pending; /* asserted clauses with guards */
    uint32_t num_pending;
    uint32_t effort; /* left for this question */
    uint64_t total;
    Witness witness;
    Proof *proof;
};

typedef struct Mark {
    uint32_t trail;
    uint32_t differ;
    uint32_t pending;
} Mark;

/* A place in the trail, and undoing everything asserted after it. */
Mark prove_mark(const Prover *p);
void prove_undo(Prover *p, Mark to);

/* Each asserts in the present world; false: nothing is left of the world, or of a clause. Clauses with guards wait. */
bool prove_assert_alternative(Prover *p, const DispatchClause *clause, uint32_t alternative);
bool prove_assert_variant(Prover *p, const DispatchVariant *variant);
bool prove_assert_fails(Prover *p, const DispatchClause *clause);

/* Asserts the last alternative of pending clauses that have only one left, until nothing changes; false: a clause has
 * none. */
bool prove_settle_pending(Prover *p);

/* The number of open alternatives of a clause; -1: one of them holds. */
int prove_open_alternatives(Prover *p, const DispatchClause *clause);
bool prove_alternative_is_open(const Prover *p, const DispatchClause *clause, uint32_t alternative);

#endif /* WRAPGEN_PROVE_PRIVATE_H */
