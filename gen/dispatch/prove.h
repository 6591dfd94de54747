/* SPDX-License-Identifier: MIT */
/*
 * prove - what can be known about a kernel's variants before any call: one that can never be chosen, two that overlap
 * so that only the order in the file decides, and a call that none accepts.
 *
 * Its answers are exact: "never" is a proof over intervals, multiples and equalities (every call is considered), and
 * "there is one" comes with a witness, a complete call that was tried against the conditions themselves. Otherwise it
 * says that it does not know: layouts tie sizes and strides by products, which the search does not reason about beyond
 * literals, and effort is limited.
 */
#ifndef WRAPGEN_PROVE_H
#define WRAPGEN_PROVE_H

#include "../base/diag.h"
#include "dispatch.h"

/* What a call passes at one node: its fields, -1 for those that do not exist. FIELD_PRESENT is 1; 0: null; -1: beyond
 * a list's end, or below null. FIELD_VALUE of a float or string is the index of a literal, or num_literals for any
 * other. */
typedef struct WitnessNode {
    int64_t fields[FIELD_COUNT];
    int64_t *dims[FIELD_COUNT]; /* of a field of dims, one value for each dim; null if there is no tensor */
    int32_t same_as;            /* the first node that has this very tensor; DISPATCH_NONE: this one */
} WitnessNode;

typedef struct Witness {
    WitnessNode *nodes;
    int64_t *values; /* of the fields */
} Witness;

typedef enum FindingKind {
    FINDING_IMPOSSIBLE, /* the variant's own conditions contradict each other */
    FINDING_SHADOWED,   /* `others` accept everything that the variant accepts */
    FINDING_OVERLAP,    /* `others` come first; the witness goes to the first of them */
    FINDING_APART,      /* the variant says that it overlaps with those of a name, `said`, and that is not so */
    FINDING_REACHED,    /* the witness is a call for which the variant is chosen */
    FINDING_MISFIT,  /* what the variant's graph states contradicts its conditions; `clause`: the one clause, or null */
    FINDING_REFUSED, /* the variant is chosen for the witness, a call that breaks `clause` of its graph */
    FINDING_UNCOVERED, /* the witness is accepted by none */
    FINDING_COVERED,   /* every call is accepted */
    FINDING_KEY, /* the variant is chosen for `first`; the witness has the same key and gets the one of `others`, or, if
                    that is the number of variants, none */
    FINDING_UNPROVED /* not known: `question` says what */
} FindingKind;

typedef struct Finding {
    FindingKind kind;
    uint32_t variant;
    uint32_t *others;
    uint32_t num_others;
    const char *question;
    const DispatchClause *clause;
    char *const *said;
    Witness witness;
    Witness first;
} Finding;

typedef struct Proof {
    Finding *findings;
    uint32_t num_findings;
} Proof;

/* Everything in the result lives in the arena. dispatch_add_graphs() was called. */
Proof prove_dispatch(Arena *arena, const Dispatch *dispatch);

/* Reports the result: E_NEVER, E_OVERLAP, E_SHADOWED, E_UNTESTED, W_KEY, W_OVERLAP, W_REFUSED, W_UNCOVERED, W_UNPROVED.
 */
void prove_report(Diag *diag, const Dispatch *dispatch, const Proof *proof);

/* ---- between prove.c, prove_witness.c, prove_layout.c, prove_relation.c, prove_differ.c and prove_same.c ---- */

typedef struct Prover Prover;

/* The fields of one world: domains by class of fields known to be equal, and pairs known to differ. */
typedef struct ProveWorld {
    IntSet *domains;   /* by field; counts for the representative of a class */
    uint32_t *parents; /* the parent of a field in its class; the representative is its own */
    uint32_t (*differ)[2];
    uint32_t num_differ;
    /* Null, or by node the first one that is the same tensor, and the last one before it (for the first one: the last
     * of all), once all that follows was asserted. */
    const uint32_t *firsts;
    const uint32_t *befores;
    const int64_t *choice; /* null, or by class a value in its domain for a witness; INT64_MIN: any */
} ProveWorld;

uint32_t prove_class(const ProveWorld *world, uint32_t field);

/* The set of a field in that world, null if no condition reads it. */
const IntSet *prove_domain(const Dispatch *dispatch, const ProveWorld *world, FieldKind kind, uint32_t node, int64_t d);

/* prove_same.c: a fact about one tensor, which is equal where two are one. */
bool prove_is_fact(FieldKind kind);
/* Are both nodes one tensor in that world? */
bool prove_is_same(const ProveWorld *world, uint32_t a, uint32_t b);
/* The field of the node, or of another one that is the same tensor there; DISPATCH_NONE: no condition reads it. */
int32_t prove_field(const Dispatch *dispatch, const ProveWorld *world, FieldKind kind, uint32_t node, int64_t d);

/* prove_relation.c: values of fields with which the relations of the present world are what they are to be; `refuted`:
 * there are none. */
typedef struct ProveChoices {
    const int64_t **choices; /* each as in ProveWorld */
    uint32_t num_choices;
    bool refuted;
} ProveChoices;
ProveChoices prove_relations(Prover *p);

/* prove_differ.c: the classes that each class must differ from, as a list. */
typedef struct ProveNeighbours {
    uint32_t *first; /* by class: an entry; 0: none */
    uint32_t *next;  /* by entry, from 1 on */
    uint32_t *class;
} ProveNeighbours;
ProveNeighbours prove_neighbours(Arena *arena, const Dispatch *dispatch, const ProveWorld *world);

/* prove_differ.c: can all fields that must differ in the present world? false: no. `choice` has values for them, as in
 * ProveWorld, or is null if effort ended before that was known. */
bool prove_differ(Prover *p, const int64_t **choice);

/* Does a tensor of these sizes and strides have the layout, a field of kind FIELD_OF_LAYOUT? */
bool prove_has_layout(FieldKind kind, const WitnessNode *node);

/* Nothing in that world can have the layouts that it requires. */
bool prove_refutes_layout(const Dispatch *dispatch, const ProveWorld *world);

/* A call in that world, in one of several styles (0 to PROVE_STYLES - 1): the values of its fields follow from it and
 * need not be in the world if a layout decides. false: the values picked first leave none for a field that must differ,
 * which proves nothing (prove_differ does). */
enum { PROVE_STYLES = 5 };
bool prove_make_witness(Arena *arena, const Dispatch *dispatch, const ProveWorld *world, int style, Witness *witness);

/* The first clause that a call with these field values does not satisfy, or null if it satisfies the variant. */
const DispatchClause *prove_broken(const DispatchVariant *variant, const int64_t *values);
/* Does it satisfy all of them? */
bool prove_accepts(const DispatchVariant *variant, const int64_t *values);

/* "a: float16[16, 64], stride [64, 1], ...; bias: null; n: 1" */
const char *prove_witness_text(const Dispatch *dispatch, const Witness *witness);

#endif /* WRAPGEN_PROVE_H */
