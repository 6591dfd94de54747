/* SPDX-License-Identifier: MIT */
/*
 * prove_private - what prove.c (the search), prove_world.c (the facts of one world) and prove_overlap.c (pairs of
 * variants) share.
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
    Arena trial;   /* of one call that is tried */
    const Dispatch *dispatch;
    ProveWorld world;
    Undo *trail;
    uint32_t num_trail;
    uint32_t trail_capacity;
    uint32_t differ_capacity;
    const DispatchClause **pending; /* asserted clauses with an `unless` */
    uint32_t num_pending;
    uint32_t *pairs; /* the fields that ask whether two tensors are one */
    uint32_t num_pairs;
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

/* Each asserts in the present world; false: nothing is left of the world, or of a clause. Clauses with an `unless`
 * wait. */
bool prove_assert_alternative(Prover *p, const DispatchClause *clause, uint32_t alternative);
bool prove_assert_variant(Prover *p, const DispatchVariant *variant);
bool prove_assert_fails(Prover *p, const DispatchClause *clause);

/* The same for one field, and for two that are equal. */
bool prove_assert_in(Prover *p, uint32_t field, const IntSet *set);
bool prove_assert_equal(Prover *p, uint32_t a, uint32_t b);

/* prove_same.c: asserts what follows from tensors that are one, as far as the present world says so; false: nothing is
 * left. */
bool prove_unite(Prover *p);

/* Asserts the last alternative of pending clauses that have only one left, until nothing changes; false: a clause has
 * none. */
bool prove_settle_pending(Prover *p);

/* The number of open alternatives of a clause; -1: one of them holds. */
int prove_open_alternatives(Prover *p, const DispatchClause *clause);
bool prove_alternative_is_open(const Prover *p, const DispatchClause *clause, uint32_t alternative);

/* ---- questions, which prove.c answers ---- */

typedef enum Answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN } Answer;

typedef struct Question {
    const DispatchVariant *required[3];
    uint32_t num_required;
    const uint32_t *excluded; /* variants that must not accept */
    uint32_t num_excluded;
} Question;

/* What something costs compared with a look at one clause, the unit of effort. */
static inline void prove_spend(Prover *p, uint64_t effort)
{
    p->effort -= p->effort < effort ? p->effort : (uint32_t)effort;
}

/* What evaluating so many operands of relations costs: in looks at one clause, measured. */
static inline void prove_spend_on_operands(Prover *p, uint32_t num_operands)
{
    prove_spend(p, 1 + num_operands / 4);
}

/* The number of clauses that may be examined for one kernel, about a second; after that, every answer is
 * ANSWER_UNKNOWN. */
enum { KERNEL_EFFORT = 25000000 };

/* ANSWER_YES: p->witness is such a call. */
Answer prove_ask(Prover *p, const Question *question);

/* Adds a finding, with p->witness; it is the caller's until the next one is added. */
Finding *prove_found(Prover *p, FindingKind kind, uint32_t variant, const uint32_t *others, uint32_t num_others);
void prove_not_known(Prover *p, uint32_t variant, const char *question);

/* Do both call the same, with the same arguments? */
bool prove_same_function(const SpecVariant *a, const SpecVariant *b);

/* prove_key.c: adds what is found about calls with one key and different variants, once every variant was looked at. */
void prove_key(Prover *p);

/* Does an earlier variant accept some of what this one does, and neither all of it nor nothing else? Adds what is
 * found, held against `overlaps` of the variant. */
void prove_overlap(Prover *p, uint32_t variant, const uint32_t *earlier, uint32_t num_earlier);

#endif /* WRAPGEN_PROVE_PRIVATE_H */
