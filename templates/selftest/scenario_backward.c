/* SPDX-License-Identifier: MIT */
/*
 * scenario_backward - which backward calls are tried: good ones once and again, saved values that were written to or
 * given back, each tangent wrong, wrong counts, every behaviour of the compiled backward, every verb failing.
 */
#include "scenario_private.h"

uint32_t lister_count_nodes(const SpecSubclass *tree)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        count += lister_count_nodes(&tree->inner[i]);
    }
    return count;
}

/* A good forward, then one backward where something is wrong. */
static Scenario start(Lister *l)
{
    Scenario scenario = lister_good(l);
    scenario.backward = true;
    scenario.backward_calls = 1;
    scenario.seed -= scenario.seed % 5 == 0 ? 1 : 0; /* deterministic algorithms are off */
    return scenario;
}

static void list_good(Lister *l)
{
    for (uint32_t i = 0; i < 4; i++) {
        Scenario scenario = lister_good(l);
        scenario.backward_calls = 1 + i % 2;
        lister_visit(l, &scenario);
    }
    for (SavedFate fate = SAVED_WRITTEN; fate <= SAVED_RELEASED; fate++) {
        Scenario scenario = start(l);
        scenario.backward_calls = 1 + (fate == SAVED_WRITTEN_LATER ? 1 : random_below(&l->random, 2));
        scenario.fate = fate;
        scenario.written = random_below(&l->random, 8);
        if (l->layout->num_saved > 0 || (fate == SAVED_RELEASED && l->layout->num_states > 0)) {
            lister_visit(l, &scenario);
        }
    }
    Scenario scenario = start(l);
    scenario.seed += (5 - scenario.seed % 5) % 5; /* they are on */
    lister_visit(l, &scenario);
}

static void list_defects(Lister *l)
{
    for (uint32_t i = 0; i < l->layout->num_tangents; i++) {
        const SpecSubclass *tree = l->layout->tangents[i].spec->subclass;
        const uint32_t nodes = tree != NULL ? lister_count_nodes(tree) : 1;
        static const Defect defects[] = {DEFECT_NULL, DEFECT_TYPE, DEFECT_CONTEXT, DEFECT_RANK};
        for (uint32_t k = 0; k < (nodes > 1 ? 9 : 2); k++) {
            Scenario scenario = start(l);
            scenario.input = i;
            scenario.defect = defects[k < 4 ? k : random_below(&l->random, 4)];
            scenario.node = k < 4 ? 0 : random_below(&l->random, nodes);
            lister_visit(l, &scenario);
        }
    }
}

static void list_faults(Lister *l)
{
    for (Fault fault = FAULT_FEWER_ARGS; fault < FAULT_COUNT; fault++) {
        Scenario scenario = start(l);
        const bool args = fault == FAULT_FEWER_ARGS || fault == FAULT_NO_ARGS;
        const bool outs = fault == FAULT_FEWER_OUTS || fault == FAULT_NO_OUTS;
        scenario.fault = fault;
        scenario.boxed = fault < FAULT_NO_ARGS || scenario.boxed;
        if ((!args || l->layout->num_returned > 0) && (!outs || l->layout->num_gradients > 0)) {
            lister_visit(l, &scenario);
        }
    }
}

static void list_outcomes(Lister *l)
{
    const Layout *layout = l->layout;
    for (Outcome outcome = OUTCOME_FAILS; outcome < OUTCOME_NULL; outcome++) {
        Scenario scenario = start(l);
        scenario.outcome = outcome;
        scenario.position = random_below(&l->random, 64);
        const bool possible = outcome == OUTCOME_FEWER             ? layout->backward.num_flat > 0
                              : outcome == OUTCOME_WITHOUT_SYMINTS ? layout_may_lack_symints(layout, &layout->backward)
                                                                   : true;
        if (possible) {
            lister_visit(l, &scenario);
        }
    }
    const Scenario base = start(l);
    lister_nulls(l, &layout->backward, &base, 40);
    lister_wrongs(l, &layout->backward, &base, 15);
    Scenario unwritten = start(l);
    unwritten.outcome = OUTCOME_UNWRITTEN;
    lister_visit(l, &unwritten);
}

static void list_failures(Lister *l)
{
    Scenario scenario = start(l);
    for (uint32_t n = 1; n <= 12 && l->goes_on; n++) {
        scenario.fail_effect_at = n;
        lister_visit(l, &scenario);
    }
    scenario = start(l);
    for (uint32_t n = 1; n <= 4 && l->goes_on; n++) {
        scenario.fail_retain_at = n;
        lister_visit(l, &scenario);
    }
    scenario = start(l);
    scenario.fail_read_at = 1 + random_below(&l->random, 6);
    lister_visit(l, &scenario);
}

void lister_backward(Lister *l)
{
    list_good(l);
    list_defects(l);
    list_faults(l);
    list_outcomes(l);
    list_failures(l);
}
