/* SPDX-License-Identifier: MIT */
/*
 * selftest_edges - the calls of a self-test that are made on purpose and not drawn: everything that is tested, wrong by
 * one in both directions; symbols at their bounds; every pair of tensors in one storage.
 */
#ifndef SELFTEST_EDGES_H
#define SELFTEST_EDGES_H

#include "scenario.h"

/* Why the reference cannot judge this graph; null: it can. */
const char *selftest_gap(const Layout *layout);

/* Calls visit for each, until it returns false. */
void selftest_edges(const Layout *layout, ScenarioVisit *visit, void *user);

#endif /* SELFTEST_EDGES_H */
