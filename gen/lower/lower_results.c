/* SPDX-License-Identifier: MIT */
/*
 * lower_results - declares what the compiled function returns: a position for each value (lower_result_...), and for a
 * subclass the flat results at that position.
 */
#include "lower.h"

/* The compiled function may write straight into the caller's outputs when it returns exactly these, and none of them is
 * an alias.
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
    bool tensor = false; /* else there must be room for one result more than in outs (lower_arrays) */
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        if (graph->outputs[i].kind == SPEC_NONE || graph->outputs[i].subclass != NULL) {
            return false;
        }
        tensor = tensor || graph->outputs[i].kind == SPEC_TENSOR;
    }
    return tensor || graph->outputs_count == 0 || graph->convention == SPEC_DIRECT;
}

/* Declares what the compiled function returns for the next position: one result, or a subclass's flat ones. */
static void add_value(Lower *lower, uint32_t *position, const SpecSubclass *tree, const char *name, PlanValue value)
{
    const uint32_t first = lower->plan->num_results;
    if (tree != NULL) {
        (void)lower_flat_results(lower, tree, name, value);
    } else {
        lower_add_result(lower, value.type, name, value);
    }
    lower->value[(*position)++] = lower->plan->first_result + first;
}

/* Nothing is stated about a new value whose metadata changes. */
static void add_mutated(Lower *lower, uint32_t *position)
{
    for (uint32_t i = 0; i < lower->plan->facts.num_inner_args; i++) {
        const InnerArg *arg = &lower->plan->facts.inner_args[i];
        if (arg->mutation_type != MUTATED_OUT_GRAPH) {
            continue;
        }
        const SpecInput *input = arg->ref.kind == SPEC_REF_INPUT ? &lower->graph->inputs[arg->ref.index] : NULL;
        const char *name = lower_inner_name(lower, arg);
        PlanValue value = {.role = VALUE_updated, .name = name, .index = i, .dtype = -1};
        if (input != NULL) {
            const bool stays = !spec_is(input->mutates_metadata) && !spec_is(input->mutates_storage_metadata);
            value.dtype = input->dtype_code;
            value.size = stays ? &input->size : NULL;
        }
        add_value(lower, position, input != NULL ? input->updated : NULL, name, value);
    }
}

static void add_outputs(Lower *lower, uint32_t *position)
{
    for (uint32_t i = 0; i < lower->graph->outputs_count; i++) {
        const SpecOutput *output = &lower->graph->outputs[i];
        const SlotType type = plan_slot_type(output->kind);
        add_value(lower, position, output->subclass, output->name,
                  (PlanValue){.role = VALUE_output,
                              .type = type,
                              .kind = output->kind,
                              .name = output->name,
                              .index = i,
                              .dtype = output->dtype_code,
                              .size = &output->size,
                              .stride = &output->stride});
    }
}

static void add_bases(Lower *lower, uint32_t *position)
{
    for (uint32_t i = 0; i < lower->graph->intermediate_bases_count; i++) {
        const SpecBase *base = &lower->graph->intermediate_bases[i];
        add_value(lower, position, base->subclass, base->name,
                  (PlanValue){.role = VALUE_base,
                              .name = base->name,
                              .index = i,
                              .dtype = base->dtype_code,
                              .size = &base->size,
                              .stride = &base->stride});
    }
}

static void add_saved(Lower *lower, uint32_t *position)
{
    const SpecSaved *saved = lower->graph->saved;
    const struct {
        ValueRole role;
        SlotType type;
        uint32_t count;
    } groups[] = {
        {VALUE_saved, SLOT_TENSOR, saved->num_tensors},
        {VALUE_saved_unchecked, SLOT_TENSOR, saved->num_no_version_check},
        {VALUE_saved_opaque, SLOT_POINTER, saved->num_opaque},
        {VALUE_saved_symint, SLOT_INTEGER, saved->num_symints},
    };
    for (size_t group = 0; group < sizeof groups / sizeof groups[0]; group++) {
        for (uint32_t i = 0; i < groups[group].count; i++) {
            add_value(lower, position, NULL, "saved",
                      (PlanValue){.role = groups[group].role, .type = groups[group].type, .number = i, .dtype = -1});
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
        add_value(lower, &position, NULL, "token", (PlanValue){.role = VALUE_new_token, .number = i, .dtype = -1});
    }
    add_mutated(lower, &position);
    add_outputs(lower, &position);
    for (uint32_t i = 0; i < lower->plan->facts.member_metadata.count; i++) {
        const uint32_t member = lower->plan->facts.member_metadata.at[i];
        const SpecInput *input = &graph->inputs[member];
        add_value(lower, &position, NULL, input->name,
                  (PlanValue){.role = VALUE_member, .name = input->name, .index = member, .dtype = input->dtype_code});
    }
    add_bases(lower, &position);
    for (uint32_t i = 0; i < lower->plan->facts.num_rng_offset; i++) {
        add_value(lower, &position, NULL, "rng_offset", (PlanValue){.role = VALUE_new_rng_offset, .dtype = -1});
    }
    if (graph->saved != NULL) {
        add_saved(lower, &position);
    }
}
