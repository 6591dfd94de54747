/* SPDX-License-Identifier: MIT */
/*
 * lower_positions - where each result of the compiled function stands: tokens, mutated inputs, outputs, metadata of
 * members, bases, the RNG offset, saved values.
 */
#include "lower.h"

#include <inttypes.h>

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

void lower_add_result(Lower *lower, SlotType type, const char *name, PlanValue value)
{
    Plan *plan = lower->plan;
    value.type = type;
    plan_value(plan, &plan->returns, value);
    const char *array = plan->direct_results ? "outs" : "results";
    const char *text =
        arena_printf(lower->arena, "%s[%" PRIu32 "].%s", array, plan->num_results, plan_slot_member(type));
    const uint32_t slot = plan_slot(plan, SLOT_RESULT, type, plan->num_results, text, name);
    plan->first_result = plan->num_results == 0 ? slot : plan->first_result;
    plan->num_results++;
}

const char *lower_inner_name(const Lower *lower, const InnerArg *arg)
{
    return arg->ref.kind == SPEC_REF_SYNTHETIC ? lower->graph->synthetic_bases[arg->ref.index].name
                                               : lower->graph->inputs[arg->ref.index].name;
}
