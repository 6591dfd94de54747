/* SPDX-License-Identifier: MIT */
/*
 * lower - turns one graph into its plan: the stages in the order in which the wrapper acts.
 *
 * After validation nothing here can be the user's mistake, with two exceptions that are refused by name: features that
 * are not generated yet, and features that the chosen host does not have.
 */
#include "lower.h"

/* Only an autograd knows what a member is a view of; every host that has storages knows the storage. */
static void refuse_view_bases(Lower *lower)
{
    for (uint32_t i = 0; i < lower->graph->synthetic_bases_count; i++) {
        const SpecSynthetic *synthetic = &lower->graph->synthetic_bases[i];
        if (synthetic->base == SPEC_SYNTHETIC_VIEW_BASE && lower->host->asked == NULL &&
            !host_has(lower->host, "wg_view_base")) {
            DiagMessage *message = diag_report(
                lower->diag, DIAG_ERROR, "E_HOST", diag_value(&synthetic->base),
                "'base: view_base' of synthetic base '%s' needs a host with an autograd (verb 'wg_view_base'), which "
                "host '%s' does not have",
                synthetic->name, lower->host->name);
            diag_note(lower->diag, message, diag_nowhere(NULL),
                      "a graph that was traced over the members' whole storage has 'base: storage'");
            lower->refused = true;
        }
    }
}

static bool lower_supported(Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    if (graph->kernel != NULL && graph->convention != SPEC_BOXED) {
        lower_refuse(lower, graph, "a dispatcher with a convention other than boxed");
    }
    if (graph->kernel != NULL && spec_is(graph->consume_inputs)) {
        lower_refuse(lower, graph, "a dispatcher that takes ownership of its arguments ('consume_inputs')");
    }
    refuse_view_bases(lower);
    return !lower->refused;
}

/* The caller's arguments: slot i is args[i], and an int argument is the named integer i. */
static void add_arguments(Lower *lower)
{
    Plan *plan = lower->plan;
    plan->num_args = lower->graph->inputs_count;
    plan->num_outs = lower->graph->outputs_count;
    for (uint32_t i = 0; i < plan->num_args; i++) {
        const SpecInput *input = &lower->graph->inputs[i];
        const char *text = arena_printf(lower->arena, "in_%s", input->name);
        plan_slot(plan, SLOT_ARGUMENT, plan_slot_type(input->kind), i, text, input->name);
    }
    plan->num_integers = plan->num_args;
}

Plan *lower_graph(Arena *arena, Diag *diag, const Spec *spec, uint32_t graph_index, const Host *host,
                  const char *prefix)
{
    Lower lower;
    lower_begin(&lower, arena, diag, spec, graph_index, host, prefix);
    if (!lower_supported(&lower)) {
        return NULL;
    }
    lower.plan->consumes = spec_is(lower.graph->consume_inputs);
    add_arguments(&lower);
    lower_begin_range(&lower);
    lower_arguments(&lower);
    lower_synthetic_bases(&lower);
    lower_call(&lower);
    lower_separate_outputs(&lower);
    lower_training(&lower);
    lower_mutations(&lower);
    lower_aliases(&lower);
    lower_member_metadata(&lower);
    lower_delivery(&lower);
    return lower_end(&lower);
}
