/* SPDX-License-Identifier: MIT */
/*
 * scenario_private - what the lists of scenarios of the forward and of the backward share.
 */
#ifndef SCENARIO_PRIVATE_H
#define SCENARIO_PRIVATE_H

#include "scenario.h"

typedef struct Lister {
    const Layout *layout;
    Random random;
    ScenarioVisit *visit;
    void *user;
    bool goes_on;
} Lister;

Scenario lister_good(Lister *lister);
void lister_visit(Lister *lister, const Scenario *scenario);

/* Each tensor that the compiled function returns comes back as null, once, with that likelihood. */
void lister_nulls(Lister *lister, const LayoutCall *call, const Scenario *base, uint32_t percent);

/* Each of them comes back other than stated, in each way, with that likelihood. */
void lister_wrongs(Lister *lister, const LayoutCall *call, const Scenario *base, uint32_t percent);

/* Gives every symbol its value. scenario_symbols.c */
void scenario_draw_symbols(Prepared *prepared, Random *random);

/* How far beyond the elements of a base an alias may be. scenario_reach.c */
void scenario_find_reach(Prepared *prepared);

uint32_t lister_count_nodes(const SpecSubclass *tree);

/* Scenarios of the backward. scenario_backward.c */
void lister_backward(Lister *lister);

#endif /* SCENARIO_PRIVATE_H */
