/* SPDX-License-Identifier: MIT */
/*
 * fake_private - one call of a fake compiled function: fake_results.c makes what it returns, fake.c hands it over.
 */
#ifndef FAKE_PRIVATE_H
#define FAKE_PRIVATE_H

#include "scenario.h"

typedef struct Fake {
    WgContext *ctx;
    const Prepared *prepared;
    const Layout *layout;
    const LayoutCall *call;
    const SpecGraph *graph;
    Random random;
    WgValue *args;
    WgValue *made; /* by position in results; only for those that are not trees */
    bool *is_made;
    WgValue *flat; /* what is returned */
} Fake;

bool fake_chance(Fake *f, uint32_t percent);
WgTensor *fake_fresh(Fake *f, const ViewGeometry *geometry, bool requires_grad);

/* Makes what stands at that position of the results, once, and what that is made from. */
void fake_make_result(Fake *f, uint32_t position);

#endif /* FAKE_PRIVATE_H */
