/* SPDX-License-Identifier: MIT */
/*
 * family - graphs that are alike (likeness.h) are lowered once: the plan of the first that comes serves the others
 * under their own names. What is written for such a graph is what it has of its own, so only the parts of its plan that
 * this needs have its names: what the compiled function gets and returns, and the sites.
 *
 * Plans are kept until the last of a family has come, or until families_release() where some come elsewhere, but only
 * as many as KEPT_MOST bytes hold: a graph whose family's plan is not there is lowered like any other, so memory stays
 * that of one graph however many families there are.
 */
#ifndef WRAPGEN_FAMILY_H
#define WRAPGEN_FAMILY_H

#include "../facts/likeness.h"
#include "../host/host.h"
#include "../plan/plan.h"

typedef struct Families Families;

/* The plans of a graph. */
typedef struct Plans {
    Plan *forward;
    Plan *backward; /* null but for training */
} Plans;

/* Where a graph is: `number` counts over all files, as likeness does. */
typedef struct FamilyMember {
    uint32_t number;
    const Spec *spec;
    uint32_t index;
    const char *prefix;
} FamilyMember;

/* `likeness` is null when no plan shall stand for another's. */
Families *families_new(Arena *arena, const Likeness *likeness, uint32_t num_graphs);

/* The plans of the next graph, in `arena`, or in part in memory that the family keeps until its last member has come.
 * False: reported. */
bool families_lower(Families *families, Arena *arena, Diag *diag, const Host *host, const FamilyMember *member,
                    Plans *plans);

/* Gives back what is still kept. */
void families_release(Families *families);

#endif /* WRAPGEN_FAMILY_H */
