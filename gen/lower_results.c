/* SPDX-License-Identifier: MIT */
/*
 * lower_results - what the compiled function returns, declared: a position for each value (lower_result_...), and
 * behind a position the flat results of a subclass.
 */
#include "lower.h"

#include <inttypes.h>

/* ---- positions of results (semantics 2.3): tokens, mutated, outputs, members' metadata, bases, RNG offset, saved ----
 */

uint32_t lower_result_mutated(const Lower *lower, uint32_t nth)
{
    return lower->graph->num_tokens + nth;
}

uint32_t lower_result_output(const Lower *lower, uint32_t output)
{
    return lower_result_mutated(lower, lower->plan->facts.num_mutated_returns) + output;
}

uint32_t lower_result_member(const Lower *lower, uint32_t nth)
{
    return lower_result_output(lower, lower->graph->outputs_count) + nth;
}

uint32_t lower_result_base(const Lower *lower, uint32_t base)
{
    return lower_result_member(lower, lower->plan->facts.member_metadata.count) + base;
}

uint32_t lower_result_rng(const Lower *lower)
{
    return lower_result_base(lower, lower->graph->intermediate_bases_count);
}

uint32_t lower_result_saved(const Lower *lower, uint32_t nth)
{
    return lower_result_rng(lower) + lower->plan->facts.num_rng_offset + nth;
}

void lower_add_result(Lower *lower, SlotType type, const char *name)
{
    Plan *plan = lower->plan;
    const char *array = plan->direct_results ? "outs" : "results";
    const char *member = type == SLOT_TENSOR    ? "tensor"
                         : type == SLOT_INTEGER ? "integer"
                         : type == SLOT_REAL    ? "real"
                                                : "pointer";
    const char *text = arena_printf(lower->arena, "%s[%" PRIu32 "].%s", array, plan->num_results, member);
    const uint32_t slot = plan_slot(plan, SLOT_RESULT, type, plan->num_results, text, name);
    plan->first_result = plan->num_results == 0 ? slot : plan->first_result;
    plan->num_results++;
}

const char *lower_inner_name(const Lower *lower, const InnerArg *arg)
{
    return arg->ref.kind == SPEC_REF_SYNTHETIC ? lower->graph->synthetic_bases[arg->ref.index].name
                                               : lower->graph->inputs[arg->ref.index].name;
}

/* The compiled function may write straight into the caller's outputs when it returns just these, none of them an alias.
 */
static bool results_are_outputs(const Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    const GraphFacts *facts = &lower->plan->facts;
    if (graph->mode == SPEC_TRAINING || graph->num_tokens > 0 ||
        facts->num_mutated_returns + facts->member_metadata.count > 0 || facts->aliased_outputs.count > 0 ||
        graph->intermediate_bases_count > 0 || facts->num_rng_offset > 0) {
        return false;
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        if (graph->outputs[i].kind == SPEC_NONE || graph->outputs[i].subclass != NULL) {
            return false;
        }
    }
    return true;
}

/* Declares what the compiled function returns for the next position: one result, or a subclass's flat ones. */
static void add_value(Lower *lower, uint32_t *position, SlotType type, const SpecSubclass *tree, const char *name)
{
    const uint32_t first = lower->plan->num_results;
    if (tree != NULL) {
        (void)lower_flat_results(lower, tree, name);
    } else {
        lower_add_result(lower, type, name);
    }
    lower->value[(*position)++] = lower->plan->first_result + first;
}

static void add_mutated(Lower *lower, uint32_t *position)
{
    for (uint32_t i = 0; i < lower->plan->facts.num_inner_args; i++) {
        const InnerArg *arg = &lower->plan->facts.inner_args[i];
        if (arg->mutation_type == MUTATED_OUT_GRAPH) {
            const SpecSubclass *tree =
                arg->ref.kind == SPEC_REF_INPUT ? lower->graph->inputs[arg->ref.index].updated : NULL;
            add_value(lower, position, SLOT_TENSOR, tree, lower_inner_name(lower, arg));
        }
    }
}

static uint32_t num_positions(const Lower *lower)
{
    const SpecSaved *saved = lower->graph->saved;
    const uint32_t num_saved =
        saved == NULL ? 0 : saved->num_tensors + saved->num_no_version_check + saved->num_opaque + saved->num_symints;
    return lower_result_saved(lower, num_saved);
}

void lower_results(Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    uint32_t position = 0;
    lower->value = ARENA_ARRAY(lower->arena, uint32_t, (size_t)num_positions(lower) + 1);
    lower->plan->direct_results = results_are_outputs(lower);
    for (uint32_t i = 0; i < graph->num_tokens; i++) {
        add_value(lower, &position, SLOT_TENSOR, NULL, "token");
    }
    add_mutated(lower, &position);
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        const SlotType type = output->kind == SPEC_NONE ? SLOT_POINTER : plan_slot_type(output->kind);
        add_value(lower, &position, type, output->subclass, output->name);
    }
    for (uint32_t i = 0; i < lower->plan->facts.member_metadata.count; i++) {
        add_value(lower, &position, SLOT_TENSOR, NULL, graph->inputs[lower->plan->facts.member_metadata.at[i]].name);
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        const SpecBase *base = &graph->intermediate_bases[i];
        add_value(lower, &position, SLOT_TENSOR, base->subclass, base->name);
    }
    for (uint32_t i = 0; i < lower->plan->facts.num_rng_offset; i++) {
        add_value(lower, &position, SLOT_TENSOR, NULL, "rng_offset");
    }
    for (uint32_t i = position; i < num_positions(lower); i++) {
        const uint32_t nth = i - lower_result_saved(lower, 0);
        const uint32_t tensors = graph->saved->num_tensors + graph->saved->num_no_version_check;
        const SlotType type = nth < tensors                              ? SLOT_TENSOR
                              : nth < tensors + graph->saved->num_opaque ? SLOT_POINTER
                                                                         : SLOT_INTEGER;
        uint32_t next = i;
        add_value(lower, &next, type, NULL, "saved");
    }
}
