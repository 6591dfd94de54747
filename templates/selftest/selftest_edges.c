/* SPDX-License-Identifier: MIT */
/*
 * selftest_edges - see selftest_edges.h.
 */
#include "selftest_edges.h"

#include <inttypes.h>
#include <string.h>

#include "kernel_flat.h"
#include "scenario_private.h"

#include "../core/wg_compiler.h"

/* ---- what the self-test does not cover ---- */

enum { MOST_RANK = VIEW_RANK - 2 }; /* the mock's arrays; an argument of a rank too many must fit */

/* Elements times the largest element must stay far from the end of 64 bits, symbols counted as they are drawn. */
static const char *gap_of_list(const SpecInts *ints)
{
    int64_t product = 16;
    if (ints->text_count > MOST_RANK) {
        return "a tensor has more dimensions than the mock host can hold";
    }
    for (uint32_t i = 0; i < ints->text_count; i++) {
        const bool literal = ints->expr[i] != NULL && ints->expr[i]->kind == EXPR_LITERAL;
        const int64_t factor = literal && ints->expr[i]->literal > 0 ? ints->expr[i]->literal : 1;
        if (wg_ckd_mul(&product, product, literal ? factor : 1 << 10) || product > INT64_MAX >> 8) {
            return "a tensor is larger than the mock host can count";
        }
    }
    return NULL;
}

static const char *gap_of_tree(const SpecSubclass *tree)
{
    const SpecInts *const lists[] = {&tree->size, &tree->stride, &tree->outer_size, &tree->outer_stride};
    const char *gap = NULL;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0] && gap == NULL; i++) {
        gap = gap_of_list(lists[i]);
    }
    for (uint32_t i = 0; i < tree->inner_count && gap == NULL; i++) {
        gap = gap_of_tree(&tree->inner[i]);
    }
    return gap;
}

static const char *gap_of_tensor(const SpecInts *size, const SpecInts *stride, const SpecSubclass *subclass)
{
    const char *gap = gap_of_list(size);
    gap = gap != NULL ? gap : gap_of_list(stride);
    return gap == NULL && subclass != NULL ? gap_of_tree(subclass) : gap;
}

static const char *gap_of_kernel(const SpecKernel *kernel)
{
    for (uint32_t i = 0; i < kernel->variants_count; i++) {
        if (kernel->variants[i].graph != NULL) {
            return "it calls a dispatcher with a graph among its variants";
        }
    }
    return kernel_flat_gap(kernel);
}

const char *selftest_gap(const Layout *layout)
{
    const SpecGraph *graph = layout->graph;
    const char *gap = NULL;
    for (uint32_t i = 0; i < graph->inputs_count && gap == NULL; i++) {
        const SpecInput *input = &graph->inputs[i];
        gap = gap_of_tensor(&input->size, &input->stride, input->subclass);
    }
    for (uint32_t i = 0; i < graph->outputs_count && gap == NULL; i++) {
        gap = gap_of_tensor(&graph->outputs[i].size, &graph->outputs[i].stride, graph->outputs[i].subclass);
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count && gap == NULL; i++) {
        const SpecBase *base = &graph->intermediate_bases[i];
        gap = gap_of_tensor(&base->size, &base->stride, base->subclass);
    }
    return gap == NULL && graph->kernel != NULL ? gap_of_kernel(&layout->spec->kernels[graph->kernel_index]) : gap;
}

/* ---- the calls ---- */

typedef struct Edges {
    const Layout *layout;
    ScenarioVisit *visit;
    void *user;
    uint64_t seed; /* of the last call */
    bool goes_on;
} Edges;

/* Twice: through either entry, and with an odd and an even seed, since some defects depend on the seed. */
static void visit_both(Edges *e, Scenario scenario)
{
    for (uint64_t boxed = 0; boxed < 2 && e->goes_on; boxed++) {
        e->seed += 2;
        scenario.boxed = boxed != 0;
        scenario.seed = e->seed + boxed;
        e->goes_on = e->visit(e->user, &scenario);
    }
}

static Scenario nothing_wrong(void)
{
    Scenario scenario;
    memset(&scenario, 0, sizeof scenario);
    return scenario;
}

static void defects_of(Edges *e, uint32_t i)
{
    const SpecInput *input = &e->layout->graph->inputs[i];
    const uint32_t rank =
        input->size.text_count > input->stride.text_count ? input->size.text_count : input->stride.text_count;
    for (Defect defect = DEFECT_NULL; defect < DEFECT_COUNT; defect++) {
        const bool by_dimension = defect == DEFECT_SIZE || defect == DEFECT_STRIDE || defect == DEFECT_BOUNDS;
        for (uint32_t d = 0; d == 0 || (by_dimension && d < rank); d++) {
            Scenario scenario = nothing_wrong();
            scenario.defect = defect;
            scenario.input = i;
            scenario.dimension = d;
            for (int64_t delta = -1; delta <= 1; delta += 2) {
                scenario.delta = delta;
                if (scenario_is_tested(e->layout, input, defect, d)) {
                    visit_both(e, scenario);
                }
            }
        }
    }
}

/* Every part of a subclass, with everything that can be wrong about it. What no level tests is vouched for. */
static void tree_defects_of(Edges *e, uint32_t i)
{
    static const Defect defects[] = {DEFECT_NULL,  DEFECT_TYPE, DEFECT_PRESENT, DEFECT_LAZY,  DEFECT_RANK,
                                     DEFECT_OWNER, DEFECT_SIZE, DEFECT_STRIDE,  DEFECT_BOUNDS};
    enum { ALWAYS = 3, WHOLE = 5, ALL = sizeof defects / sizeof defects[0], DIMENSIONS = 4 };
    const SpecInput *input = &e->layout->graph->inputs[i];
    if (input->subclass == NULL || !layout_is_passed(input)) {
        return;
    }
    const uint32_t nodes = lister_count_nodes(input->subclass);
    const int tested = e->layout->graph->check >= SPEC_CHECK_CHEAP ? ALL : ALWAYS;
    for (uint32_t node = 0; node < nodes; node++) {
        for (int k = 0; k < tested; k++) {
            const uint32_t dimensions = k >= WHOLE ? DIMENSIONS : 1; /* after the rank */
            for (uint32_t d = 0; d < dimensions; d++) {
                Scenario scenario = nothing_wrong();
                scenario.input = i;
                scenario.node = node;
                scenario.defect = defects[k];
                scenario.dimension = d;
                for (scenario.delta = -1; scenario.delta <= 1; scenario.delta += 2) {
                    visit_both(e, scenario);
                }
            }
        }
    }
}

/* ---- right calls, wrong calls, and what comes back ---- */

/* What the compiled function returns is drawn: so often that what is rare happens too, one object returned twice say.
 */
static void right_calls(Edges *e)
{
    enum { MANY = 100 };
    for (uint32_t i = 0; i < MANY; i++) {
        visit_both(e, nothing_wrong());
    }
}

/* Any tensor may bring a gradient, also one that should need none by what is stated about it. */
static void grad_edges(Edges *e)
{
    enum { TIMES = 3, FEW = 16 }; /* what comes back is drawn */
    const SpecGraph *graph = e->layout->graph;
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        Scenario scenario = nothing_wrong();
        scenario.alone = true;
        scenario.input = i;
        for (int k = 0; k < (graph->inputs_count > FEW ? 1 : TIMES) && graph->inputs[i].kind == SPEC_TENSOR; k++) {
            visit_both(e, scenario);
        }
    }
}

static void fault_edges(Edges *e)
{
    const SpecGraph *graph = e->layout->graph;
    for (Fault fault = FAULT_FEWER_ARGS; fault < FAULT_COUNT && graph->check >= SPEC_CHECK_COUNT; fault++) {
        Scenario scenario = nothing_wrong();
        const bool of_args = fault == FAULT_FEWER_ARGS || fault == FAULT_NO_ARGS;
        const bool of_outs = fault == FAULT_FEWER_OUTS || fault == FAULT_NO_OUTS;
        scenario.fault = fault;
        if ((of_args && graph->inputs_count == 0) || (of_outs && graph->outputs_count == 0) ||
            (fault == FAULT_NO_SAVED && graph->mode != SPEC_TRAINING)) {
            continue;
        }
        for (uint64_t boxed = fault < FAULT_NO_ARGS; boxed < 2 && e->goes_on; boxed++) {
            scenario.seed = ++e->seed;
            scenario.boxed = boxed != 0;
            e->goes_on = e->visit(e->user, &scenario);
        }
    }
}

/* Each output null, and of a shape that its view does not have. */
static void output_edges(Edges *e)
{
    enum { SHAPES = 4 };
    const SpecGraph *graph = e->layout->graph;
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        Scenario scenario = nothing_wrong();
        scenario.position = e->layout->first_output + i;
        scenario.outcome = OUTCOME_NULL;
        if (graph->outputs[i].kind == SPEC_TENSOR) {
            visit_both(e, scenario);
        }
        scenario.outcome = OUTCOME_SHAPE;
        for (uint32_t n = 0; n < SHAPES * SHAPES && scenario_may_misshape(e->layout, &graph->outputs[i]); n++) {
            scenario.dimension = n % SHAPES;
            visit_both(e, scenario);
        }
    }
}

/* Everything that can be wrong with each tensor that comes back, and nothing coming back at all. Below `cheap` what is
 * stated about results is vouched for. */
static void result_edges(Edges *e, const LayoutCall *call, bool backward)
{
    enum { DIMENSIONS = 6 };
    Scenario scenario = nothing_wrong();
    scenario.backward = backward;
    scenario.backward_calls = backward;
    scenario.outcome = OUTCOME_UNWRITTEN;
    visit_both(e, scenario);
    scenario.outcome = OUTCOME_WRONG;
    for (uint32_t i = 0; i < call->num_flat && e->layout->graph->check >= SPEC_CHECK_CHEAP; i++) {
        for (uint32_t k = 0; k < NUM_WRONGS && call->flat[i].kind == SPEC_TENSOR; k++) {
            const bool by_dimension = scenario_wrongs[k] == DEFECT_SIZE || scenario_wrongs[k] == DEFECT_STRIDE;
            scenario.position = i;
            scenario.wrong = scenario_wrongs[k];
            for (scenario.dimension = 0; scenario.dimension < (by_dimension ? DIMENSIONS : 1); scenario.dimension++) {
                for (scenario.delta = -1; scenario.delta <= 1; scenario.delta += 2) {
                    visit_both(e, scenario);
                }
            }
        }
    }
}

/* A compiled function that fails, in each way, also where the context holds the error of an earlier call. */
static void failure_edges(Edges *e)
{
    for (Outcome outcome = OUTCOME_FAILS; outcome <= OUTCOME_NESTED_RECOVERS; outcome++) {
        Scenario scenario = nothing_wrong();
        scenario.outcome = outcome;
        visit_both(e, scenario);
        scenario.stale_error = true;
        visit_both(e, scenario);
    }
}

/* ---- the backward ---- */

static void visit_backward(Edges *e, Scenario scenario)
{
    scenario.backward = true;
    scenario.backward_calls = 1;
    for (uint64_t boxed = 0; boxed < 2 && e->goes_on; boxed++) {
        e->seed++;
        e->seed += e->seed % 5 == 0 ? 1 : 0; /* deterministic algorithms are off */
        scenario.boxed = boxed != 0;
        scenario.seed = e->seed;
        e->goes_on = e->visit(e->user, &scenario);
    }
}

/* Every part of every tangent, each saved tensor written to, each way to fail. */
static void backward_edges(Edges *e)
{
    static const Defect defects[] = {DEFECT_NULL, DEFECT_TYPE, DEFECT_CONTEXT};
    for (uint32_t i = 0; i < e->layout->num_tangents; i++) {
        const SpecSubclass *tree = e->layout->tangents[i].spec->subclass;
        for (uint32_t node = 0; node < (tree != NULL ? lister_count_nodes(tree) : 1); node++) {
            for (size_t k = 0; k < (tree != NULL ? sizeof defects / sizeof defects[0] : 2); k++) {
                Scenario scenario = nothing_wrong();
                scenario.input = i;
                scenario.node = node;
                scenario.defect = defects[k];
                visit_backward(e, scenario);
            }
        }
    }
    for (uint32_t i = 0; i < e->layout->num_saved; i++) {
        Scenario scenario = nothing_wrong();
        scenario.fate = SAVED_WRITTEN;
        scenario.written = i;
        visit_backward(e, scenario);
    }
    for (Outcome outcome = OUTCOME_FAILS; outcome <= OUTCOME_NESTED_RECOVERS; outcome++) {
        Scenario scenario = nothing_wrong();
        scenario.outcome = outcome;
        visit_backward(e, scenario);
    }
}

/* ---- symbols ---- */

static bool names(const SpecInts *ints, uint32_t symbol)
{
    for (uint32_t i = 0; i < ints->text_count; i++) {
        if (ints->expr[i]->kind == EXPR_SYMBOL && ints->expr[i]->symbol == symbol) {
            return true;
        }
    }
    return false;
}

static bool is_symbol(const SpecInt *integer, uint32_t symbol)
{
    return integer->expr != NULL && integer->expr->kind == EXPR_SYMBOL && integer->expr->symbol == symbol;
}

static bool is_bound_in(const SpecGraph *graph, uint32_t symbol)
{
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const SpecInput *input = &graph->inputs[i];
        if (names(&input->size, symbol) || names(&input->stride, symbol) || is_symbol(&input->storage_offset, symbol) ||
            is_symbol(&input->value, symbol)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) { /* of an unbacked one */
        if (names(&graph->outputs[i].size, symbol) || is_symbol(&graph->outputs[i].value, symbol)) {
            return true;
        }
    }
    return false;
}

static void visit_value(Edges *e, uint32_t symbol, int64_t value)
{
    Scenario scenario = nothing_wrong();
    scenario.fixes_symbol = true;
    scenario.symbol = symbol;
    scenario.symbol_value = value;
    visit_both(e, scenario);
}

static void visit_symbol(Edges *e, uint32_t symbol, int64_t value)
{
    enum { MOST = 1 << 20 };
    if (value < 0) { /* no size is */
        return;
    }
    if (value > MOST) {
        printf("# %s: %s = %" PRId64 " is not tried: too large for the mock host\n", e->layout->graph->name,
               e->layout->spec->symbols[symbol].name, value);
        return;
    }
    visit_value(e, symbol, value);
}

/* Values at which arithmetic leaves 64 bits. No tensor has such a size and memory behind it; but an integer may be so
 * large, and a tensor that is expanded, or has no elements. */
static void overflow_edges(Edges *e, uint32_t i)
{
    static const int64_t large[] = {INT64_C(1) << 32, INT64_C(1) << 62, INT64_MAX};
    const SpecSymbol *symbol = &e->layout->spec->symbols[i];
    for (size_t k = 0; k < sizeof large / sizeof large[0]; k++) {
        if (symbol->max == NULL || symbol->max_value >= large[k]) {
            visit_value(e, i, large[k] / symbol->multiple_of_value * symbol->multiple_of_value);
        }
    }
}

static void symbol_edges(Edges *e, uint32_t i)
{
    const SpecSymbol *symbol = &e->layout->spec->symbols[i];
    for (int64_t beyond = -1; beyond <= 1; beyond++) {
        if (symbol->min != NULL && symbol->min_value < INT64_MAX) {
            visit_symbol(e, i, symbol->min_value + beyond);
        }
        if (symbol->max != NULL && symbol->max_value < INT64_MAX) {
            visit_symbol(e, i, symbol->max_value + beyond);
        }
        if (symbol->multiple_of != NULL && symbol->multiple_of_value < INT64_MAX / 2) {
            visit_symbol(e, i, 2 * symbol->multiple_of_value + beyond);
        }
        visit_symbol(e, i, 1 + beyond);
    }
}

/* The literals of a guard and their neighbours, for each of its symbols. */
static void literal_edges(Edges *e, const Expr *expr, uint32_t symbol)
{
    if (expr->kind == EXPR_LITERAL && expr->literal < INT64_MAX) {
        for (int64_t beyond = -1; beyond <= 1; beyond++) {
            visit_symbol(e, symbol, expr->literal + beyond);
        }
    } else if (expr_is_operation(expr)) {
        literal_edges(e, expr->lhs, symbol);
        literal_edges(e, expr->rhs, symbol);
    }
}

static bool uses(const Expr *expr, uint32_t symbol)
{
    return expr_is_operation(expr) ? uses(expr->lhs, symbol) || uses(expr->rhs, symbol)
                                   : expr->kind == EXPR_SYMBOL && expr->symbol == symbol;
}

static void guard_edges(Edges *e, uint32_t number)
{
    enum { TIMES = 32 };
    const Expr *guard = e->layout->graph->guards.expr[number];
    for (uint32_t symbol = 0; symbol < e->layout->spec->symbols_count; symbol++) {
        for (uint64_t k = 0; k < TIMES && uses(guard, symbol); k++) {
            Scenario scenario = nothing_wrong();
            scenario.seed += k;
            scenario.at_edge = true;
            scenario.symbol = symbol;
            scenario.dimension = number;
            visit_both(e, scenario);
        }
        if (uses(guard, symbol)) {
            literal_edges(e, guard, symbol);
        }
    }
}

/* ---- sharing ---- */

static bool is_tensor(const SpecInput *input)
{
    return input->kind == SPEC_TENSOR && layout_is_passed(input);
}

static void sharing_edges(Edges *e)
{
    enum { MOST = 1000, FEW = 16, WAYS = 24, WAYS_OF_MANY = 3 /* how far apart elements are, see scenario.c */ };
    const SpecGraph *graph = e->layout->graph;
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        for (uint32_t k = 0; k < i && is_tensor(&graph->inputs[i]); k++) {
            if (!is_tensor(&graph->inputs[k]) || pairs == MOST) {
                continue;
            }
            Scenario scenario = nothing_wrong();
            scenario.shares = true;
            scenario.input = i;
            scenario.other = k;
            for (int way = 0; way < (graph->inputs_count > FEW ? WAYS_OF_MANY : WAYS); way++) {
                visit_both(e, scenario);
            }
            pairs++;
        }
    }
    if (pairs == MOST) {
        printf("# %s: the first %d pairs of arguments that share memory were tried\n", graph->name, MOST);
    }
}

void selftest_edges(const Layout *layout, ScenarioVisit *visit, void *user)
{
    Edges e = {layout, visit, user, 1000000, true};
    right_calls(&e);
    if (layout->graph->mode == SPEC_TRAINING) {
        grad_edges(&e);
    }
    fault_edges(&e);
    output_edges(&e);
    result_edges(&e, &layout->forward, false);
    if (layout->graph->mode == SPEC_TRAINING) {
        result_edges(&e, &layout->backward, true);
    }
    failure_edges(&e);
    if (layout->graph->backward != NULL) {
        backward_edges(&e);
    }
    for (uint32_t i = 0; i < layout->graph->inputs_count; i++) {
        defects_of(&e, i);
        tree_defects_of(&e, i);
    }
    for (uint32_t i = 0; i < layout->spec->symbols_count; i++) {
        if (is_bound_in(layout->graph, i)) {
            symbol_edges(&e, i);
            overflow_edges(&e, i);
        }
    }
    for (uint32_t i = 0; i < layout->graph->guards.text_count && layout->graph->check >= SPEC_CHECK_CHEAP; i++) {
        guard_edges(&e, i);
    }
    sharing_edges(&e);
}
