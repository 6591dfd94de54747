/* SPDX-License-Identifier: MIT */
/*
 * scenario_list - which calls are tried on a graph: good ones, each argument wrong in every way that its level tests,
 * wrong counts, every behaviour of the compiled function, every verb failing in its turn.
 */
#include <inttypes.h>
#include <string.h>

#include "scenario_private.h"

static const char *const defect_names[] = {
#define X(name) #name,
    DEFECTS(X)
#undef X
};
static const char *const outcome_names[] = {
#define X(name) #name,
    OUTCOMES(X)
#undef X
};
static const char *const fault_names[] = {
#define X(name) #name,
    FAULTS(X)
#undef X
};

/* A call with nothing wrong, on new arguments. */
Scenario lister_good(Lister *l)
{
    Scenario scenario;
    memset(&scenario, 0, sizeof scenario);
    scenario.seed = random_next(&l->random) >> 1;
    scenario.boxed = random_chance(&l->random, 50);
    scenario.stale_error = random_chance(&l->random, 25);
    return scenario;
}

void lister_visit(Lister *l, const Scenario *scenario)
{
    l->goes_on = l->goes_on && l->visit(l->user, scenario);
}

static bool is_literal_one(const SpecInts *ints, uint32_t i)
{
    return i < ints->text_count && ints->expr[i]->kind == EXPR_LITERAL && ints->expr[i]->literal == 1;
}

static bool is_bounded(const Spec *spec, const Expr *expr)
{
    const SpecSymbol *symbol = expr->kind == EXPR_SYMBOL ? &spec->symbols[expr->symbol] : NULL;
    return symbol != NULL && (symbol->min != NULL || symbol->max != NULL || symbol->multiple_of != NULL);
}

/* Whether the graph's level looks at that fact, and the input states it. */
static bool is_tested(const Layout *layout, const SpecInput *input, Defect defect, uint32_t dimension)
{
    const Spec *spec = layout->spec;
    const SpecGraph *graph = layout->graph;
    const bool tensor = input->kind == SPEC_TENSOR && layout_is_passed(input) && input->subclass == NULL;
    const bool cheap = graph->check >= SPEC_CHECK_CHEAP;
    const bool full = graph->check >= SPEC_CHECK_FULL;
    switch (defect) {
    case DEFECT_NULL:
    case DEFECT_TYPE:
        return tensor;
    case DEFECT_DTYPE:
        return tensor && cheap && input->dtype != NULL;
    case DEFECT_RANK:
        return tensor && cheap && (input->size.text != NULL || input->stride.text != NULL);
    case DEFECT_SIZE:
        return tensor && cheap && dimension < input->size.text_count;
    case DEFECT_BOUNDS:
        return cheap &&
               ((tensor && dimension < input->size.text_count && is_bounded(spec, input->size.expr[dimension])) ||
                (input->value.expr != NULL && is_bounded(spec, input->value.expr)));
    case DEFECT_STRIDE:
        return tensor && cheap && dimension < input->stride.text_count && !is_literal_one(&input->size, dimension);
    case DEFECT_OFFSET:
        return tensor && cheap && input->storage_offset.expr != NULL;
    case DEFECT_LAZY: /* on a host that does not tell, it is none */
        return tensor && cheap;
    case DEFECT_DEVICE:
        return tensor && full && input->device != NULL;
    case DEFECT_ALIGNMENT:
        return tensor && full && input->dtype != NULL;
    case DEFECT_OWNER:
        return tensor && cheap && input->owns.expr != NULL;
    case DEFECT_VALUE:
        return cheap && (input->value.expr != NULL || input->kind == SPEC_NONE);
    case DEFECT_IDENTITY:
        return input->duplicate_of >= 0 || input->synthetic_base >= 0;
    case DEFECT_GUARD:   /* of the whole graph */
    case DEFECT_PRESENT: /* of trees */
    case DEFECT_CONTEXT:
    case DEFECT_NONE:
    case DEFECT_COUNT:
        break;
    }
    return false;
}

static void list_defects(Lister *l)
{
    const SpecGraph *graph = l->layout->graph;
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const SpecInput *input = &graph->inputs[i];
        const uint32_t rank =
            input->size.text_count > input->stride.text_count ? input->size.text_count : input->stride.text_count;
        for (Defect defect = DEFECT_NULL; defect < DEFECT_COUNT; defect++) {
            const uint32_t dimension = rank > 0 ? random_below(&l->random, rank) : 0;
            if (is_tested(l->layout, input, defect, dimension)) {
                Scenario scenario = lister_good(l);
                scenario.defect = defect;
                scenario.input = i;
                scenario.dimension = dimension;
                lister_visit(l, &scenario);
            }
        }
    }
}

static void list_guards(Lister *l)
{
    const bool tested = l->layout->graph->check >= SPEC_CHECK_CHEAP;
    for (uint32_t i = 0; tested && i < l->layout->graph->guards.text_count; i++) {
        Scenario scenario = lister_good(l);
        scenario.defect = DEFECT_GUARD;
        scenario.dimension = i;
        lister_visit(l, &scenario);
    }
}

/* Parts of subclasses, some of them: too much of it would leave no time for the rest. */
static void list_tree_defects(Lister *l)
{
    static const Defect defects[] = {DEFECT_NULL, DEFECT_TYPE,   DEFECT_TYPE,   DEFECT_PRESENT, DEFECT_RANK,
                                     DEFECT_SIZE, DEFECT_STRIDE, DEFECT_BOUNDS, DEFECT_LAZY,    DEFECT_OWNER};
    const uint32_t tested =
        l->layout->graph->check >= SPEC_CHECK_CHEAP ? 10 : 4; /* what is not tested is vouched for */
    for (uint32_t i = 0; i < l->layout->graph->inputs_count; i++) {
        const SpecInput *input = &l->layout->graph->inputs[i];
        if (input->subclass == NULL || !layout_is_passed(input)) {
            continue;
        }
        const uint32_t nodes = lister_count_nodes(input->subclass);
        for (uint32_t k = 0; k < 6; k++) {
            Scenario scenario = lister_good(l);
            scenario.input = i;
            scenario.node = k == 0 ? 0 : random_below(&l->random, nodes);
            scenario.defect = defects[random_below(&l->random, tested)];
            scenario.dimension = random_below(&l->random, 4);
            lister_visit(l, &scenario);
        }
    }
}

/* Two things wrong at once: the first in the order of the contract is named. */
static void list_double_defect(Lister *l)
{
    const SpecGraph *graph = l->layout->graph;
    Scenario scenario = lister_good(l);
    if (graph->inputs_count == 0) {
        return;
    }
    scenario.input = random_below(&l->random, graph->inputs_count);
    scenario.defect = DEFECT_NULL;
    scenario.outcome = OUTCOME_FAILS;
    if (is_tested(l->layout, &graph->inputs[scenario.input], scenario.defect, 0)) {
        lister_visit(l, &scenario);
    }
}

static void list_faults(Lister *l)
{
    const SpecGraph *graph = l->layout->graph;
    for (Fault fault = FAULT_FEWER_ARGS; fault < FAULT_COUNT && graph->check >= SPEC_CHECK_COUNT; fault++) {
        Scenario scenario = lister_good(l);
        scenario.fault = fault;
        scenario.boxed = fault < FAULT_NO_ARGS || scenario.boxed;
        const bool saved = graph->mode == SPEC_TRAINING;
        const bool possible = (fault != FAULT_FEWER_ARGS && fault != FAULT_NO_ARGS) || graph->inputs_count > 0;
        const bool possible_out = (fault != FAULT_FEWER_OUTS && fault != FAULT_NO_OUTS) || graph->outputs_count > 0;
        if (possible && possible_out && (fault != FAULT_NO_SAVED || saved)) {
            lister_visit(l, &scenario);
        }
    }
}

/* What may come back null: each tensor that the compiled function returns. */
void lister_nulls(Lister *l, const LayoutCall *call, const Scenario *base, uint32_t percent)
{
    for (uint32_t i = 0; i < call->num_flat; i++) {
        Scenario scenario = *base;
        scenario.seed = random_next(&l->random) >> 1;
        scenario.position = i;
        scenario.outcome = OUTCOME_NULL;
        if (call->flat[i].kind == SPEC_TENSOR && random_chance(&l->random, percent)) {
            lister_visit(l, &scenario);
        }
    }
}

/* What is not as stated, where that is tested: else it is vouched for, as views are made with what is stated. */
void lister_wrongs(Lister *l, const LayoutCall *call, const Scenario *base, uint32_t percent)
{
    for (uint32_t i = 0; i < call->num_flat && l->layout->graph->check >= SPEC_CHECK_CHEAP; i++) {
        for (uint32_t k = 0; k < NUM_WRONGS && call->flat[i].kind == SPEC_TENSOR; k++) {
            Scenario scenario = *base;
            scenario.seed = random_next(&l->random) >> 1;
            scenario.outcome = OUTCOME_WRONG;
            scenario.position = i;
            scenario.wrong = scenario_wrongs[k];
            scenario.dimension = random_below(&l->random, 4);
            if (random_chance(&l->random, percent)) {
                lister_visit(l, &scenario);
            }
        }
    }
}

/* Where a returned size tells a symbol and nothing tests what else is stated with it, a wrong size cannot be noticed.
 */
bool scenario_may_misshape(const Layout *layout, const SpecOutput *output)
{
    bool tells = false;
    for (uint32_t d = 0; d < output->size.text_count; d++) {
        const Expr *expr = output->size.expr[d];
        tells = tells || (expr->kind == EXPR_SYMBOL && spec_is(layout->spec->symbols[expr->symbol].unbacked));
    }
    return output->view_count > 0 && (!tells || layout->graph->check >= SPEC_CHECK_CHEAP);
}

static void list_outcomes(Lister *l)
{
    const Layout *layout = l->layout;
    const bool counts = layout->graph->convention != SPEC_DIRECT;
    enum { TIMES = 3 }; /* arguments drawn for one call may be refused before the compiled function is reached */
    for (uint32_t k = 0; k < TIMES * (uint32_t)(OUTCOME_NULL - OUTCOME_FAILS); k++) {
        const Outcome outcome = (Outcome)(OUTCOME_FAILS + k / TIMES);
        Scenario scenario = lister_good(l);
        scenario.outcome = outcome;
        scenario.position = random_below(&l->random, 64);
        const bool possible = outcome == OUTCOME_FEWER  ? counts && layout->forward.num_flat > 0
                              : outcome == OUTCOME_MORE ? counts
                              : outcome == OUTCOME_WITHOUT_SYMINTS
                                  ? counts && layout_may_lack_symints(layout, &layout->forward)
                                  : true;
        if (possible) {
            lister_visit(l, &scenario);
        }
    }
    const Scenario base = lister_good(l);
    lister_nulls(l, &layout->forward, &base, 100);
    lister_wrongs(l, &layout->forward, &base, 30);
    Scenario unwritten = lister_good(l);
    unwritten.outcome = OUTCOME_UNWRITTEN;
    lister_visit(l, &unwritten);
    for (uint32_t i = 0; i < layout->forward.num_results; i++) {
        const LayoutResult *result = &layout->forward.results[i];
        Scenario scenario = lister_good(l);
        scenario.position = i;
        scenario.outcome = OUTCOME_SHAPE;
        if (result->role == LAYOUT_OUTPUT && scenario_may_misshape(layout, &layout->graph->outputs[result->index])) {
            lister_visit(l, &scenario);
        }
    }
}

/* Every effect fails once, on the same arguments; the visitor stops asking when there is no such effect. */
static void list_failures(Lister *l)
{
    Scenario scenario = lister_good(l);
    for (uint32_t n = 1; n <= 24 && l->goes_on; n++) {
        scenario.fail_effect_at = n;
        lister_visit(l, &scenario);
    }
    scenario = lister_good(l);
    for (uint32_t n = 1; n <= 6 && l->goes_on; n++) {
        scenario.fail_retain_at = n;
        lister_visit(l, &scenario);
    }
    scenario = lister_good(l);
    scenario.fail_read_at = 1 + random_below(&l->random, 8);
    lister_visit(l, &scenario);
}

bool scenario_each(const Layout *layout, uint64_t seed, ScenarioVisit *function, void *user)
{
    Lister l = {layout, random_from(seed, 4), function, user, true};
    for (int i = 0; i < 6; i++) {
        const Scenario scenario = lister_good(&l);
        lister_visit(&l, &scenario);
    }
    list_defects(&l);
    list_guards(&l);
    list_tree_defects(&l);
    list_double_defect(&l);
    list_faults(&l);
    list_outcomes(&l);
    list_failures(&l);
    if (layout->graph->mode == SPEC_TRAINING) {
        lister_backward(&l);
    }
    return l.goes_on;
}

void scenario_print(FILE *file, const Layout *layout, const Scenario *s)
{
    fprintf(file, "call 0x%" PRIx64 " through the %s entry", s->seed, s->boxed ? "boxed" : "typed");
    if (s->fault != FAULT_NONE) {
        fprintf(file, ", fault %s", fault_names[s->fault]);
    }
    if (s->defect != DEFECT_NONE) {
        const char *name = s->backward ? layout->tangents[s->input].spec->of : layout->graph->inputs[s->input].name;
        fprintf(file, ", %s of '%s' (node %" PRIu32 ", dimension %" PRIu32 ") is wrong", defect_names[s->defect], name,
                s->node, s->dimension);
    }
    if (s->outcome != OUTCOME_RETURNS) {
        fprintf(file, ", compiled function: %s (position %" PRIu32 ")", outcome_names[s->outcome], s->position);
    }
    if (s->outcome == OUTCOME_WRONG) {
        fprintf(file, ", %s (dimension %" PRIu32 ")", defect_names[s->wrong], s->dimension);
    }
    if (s->fail_effect_at + s->fail_retain_at + s->fail_read_at != 0) {
        fprintf(file, ", failing: effect %" PRIu32 ", retain %" PRIu32 ", read %" PRIu32, s->fail_effect_at,
                s->fail_retain_at, s->fail_read_at);
    }
    if (s->less_scratch > 0) {
        fprintf(file, ", %" PRIu32 " values of scratch too few", s->less_scratch);
    }
    if (s->backward_calls > 0) {
        static const char *const fates[] = {"kept", "written to", "written to after the first", "released"};
        fprintf(file, ", then the backward %" PRIu32 " times%s, saved values %s", s->backward_calls,
                s->backward ? " (where it is wrong)" : "", fates[s->fate]);
    }
    if (s->alone) {
        fprintf(file, ", only '%s' requires grad", layout->graph->inputs[s->input].name);
    }
    fprintf(file, "%s\n", s->stale_error ? ", with a stale error" : "");
}

bool scenario_is_tested(const Layout *layout, const SpecInput *input, Defect defect, uint32_t dimension)
{
    return is_tested(layout, input, defect, dimension);
}
