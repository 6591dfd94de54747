/* SPDX-License-Identifier: MIT */
/*
 * lower_storage - where the wrapper takes geometry from a result, the result lies in the memory to which that geometry
 * is applied. Offset and strides of a view of a copy lead to other elements, which nothing would notice.
 *
 * This makes two things: an output that is an alias with neither `view` nor `as_strided`, and an input whose metadata
 * alone is mutated. Where the wrapper writes a base back and changes its metadata too, or where inputs were merged, the
 * base has the geometry of its new value by then, so that a view of the new value is as good.
 */
#include "lower.h"

/* Where the geometry leads: one of the two. */
typedef struct Memory {
    uint32_t slot;
    uint32_t value; /* the new value of that; NO_SLOT: none will do */
    bool by_value;  /* only the new value will do: the base takes its storage */
} Memory;

static const uint32_t NO_SLOT = UINT32_MAX;

/* The result that is the new value of that input or synthetic base. */
static uint32_t new_value(const Lower *lower, SpecRef ref)
{
    const GraphFacts *facts = &lower->plan->facts;
    uint32_t nth = 0;
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        const InnerArg *arg = &facts->inner_args[i];
        if (arg->mutation_type != MUTATED_OUT_GRAPH) {
            continue;
        }
        if (arg->ref.kind == ref.kind && arg->ref.index == ref.index) {
            return lower->value[lower_result_mutated(lower, nth)];
        }
        nth++;
    }
    return NO_SLOT;
}

static Memory memory_of_input(const Lower *lower, uint32_t index)
{
    const SpecInput *input = &lower->graph->inputs[index];
    const uint32_t kept = input->duplicate_of < 0 ? index : (uint32_t)input->duplicate_of;
    const SpecInput *facts = &lower->graph->inputs[kept];
    if (facts->synthetic_base >= 0) {
        const uint32_t base = (uint32_t)facts->synthetic_base;
        return (Memory){lower->synthetic[base], new_value(lower, (SpecRef){SPEC_REF_SYNTHETIC, base}), false};
    }
    const bool restrided = spec_is(facts->mutates_metadata) || spec_is(facts->mutates_storage_metadata);
    const uint32_t value = restrided ? new_value(lower, (SpecRef){SPEC_REF_INPUT, kept}) : NO_SLOT;
    return (Memory){lower->original[index], value, spec_is(facts->mutates_storage_metadata) && value != NO_SLOT};
}

static Memory memory_of_base(const Lower *lower, const SpecOutput *output)
{
    const uint32_t index = output->base_ref.index;
    if (output->base_ref.kind == SPEC_REF_INPUT) {
        return memory_of_input(lower, index);
    }
    const uint32_t position =
        output->base_ref.kind == SPEC_REF_BASE ? lower_result_base(lower, index) : lower_result_output(lower, index);
    return (Memory){lower->value[position], NO_SLOT, false};
}

/* A wrapper of tensors has no storage of its own. */
static bool is_of_subclass(const Lower *lower, const SpecOutput *output)
{
    const SpecGraph *graph = lower->graph;
    const uint32_t index = output->base_ref.index;
    return output->subclass != NULL ||
           (output->base_ref.kind == SPEC_REF_INPUT  ? graph->inputs[index].subclass
            : output->base_ref.kind == SPEC_REF_BASE ? graph->intermediate_bases[index].subclass
                                                     : graph->outputs[index].subclass) != NULL;
}

static bool is_by_result(const SpecOutput *output)
{
    return output->kind == SPEC_TENSOR && derive_is_aliased(output->type) && output->type != SPEC_IS_INPUT &&
           output->view_count == 0 && output->as_strided == NULL;
}

static void check_memory(Lower *lower, uint32_t target, Memory memory, const char *name)
{
    const Operand site = operand_site(plan_site(lower->plan, name, "storage", "WG_E_RESULT", "WG_KIND_NONE"));
    lower_check_result(lower, target, name);
    if (memory.value != NO_SLOT && memory.value != target) {
        lower_check_result(lower, memory.value, lower->plan->slots[memory.value].name);
    }
    if (memory.by_value) {
        LOWER_EMIT(lower, check_same_storage, operand_tensor(target), operand_tensor(memory.value), site);
    } else if (memory.value != NO_SLOT) {
        LOWER_EMIT(lower, check_shares, operand_tensor(target), operand_tensor(memory.slot),
                   operand_tensor(memory.value), site);
    } else {
        LOWER_EMIT(lower, check_same_storage, operand_tensor(target), operand_tensor(memory.slot), site);
    }
}

static void check_restrided(Lower *lower)
{
    const GraphFacts *facts = &lower->plan->facts;
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        const InnerArg *arg = &facts->inner_args[i];
        const uint32_t index = arg->ref.index;
        const SpecInput *input = arg->ref.kind == SPEC_REF_INPUT ? &lower->graph->inputs[index] : NULL;
        if (input == NULL || arg->mutation_type != MUTATED_OUT_GRAPH || input->subclass != NULL ||
            input->updated != NULL || !spec_is(input->mutates_metadata) || spec_is(input->mutates_data) ||
            spec_is(input->mutates_storage_metadata)) {
            continue;
        }
        lower_at(lower, input, ".inputs", index);
        check_memory(lower, new_value(lower, arg->ref), (Memory){lower->original[index], NO_SLOT, false}, input->name);
    }
}

static void check_aliases(Lower *lower)
{
    for (uint32_t i = 0; i < lower->graph->outputs_count; i++) {
        const SpecOutput *output = &lower->graph->outputs[i];
        if (!is_by_result(output) || is_of_subclass(lower, output)) {
            continue;
        }
        const Memory memory = memory_of_base(lower, output);
        lower_at(lower, output, ".outputs", i);
        if (output->base_ref.kind != SPEC_REF_INPUT) {
            lower_check_result(lower, memory.slot, lower->plan->slots[memory.slot].name);
        }
        check_memory(lower, lower->value[lower_result_output(lower, i)], memory, output->name);
    }
}

/* Before anything is written. */
void lower_check_storages(Lower *lower)
{
    if (lower->graph->check < SPEC_CHECK_CHEAP) {
        return;
    }
    lower_at(lower, lower->graph, ".outputs", LOWER_WHOLE);
    const PlanSection *outer = lower_section(lower, LAYER_results);
    check_restrided(lower);
    check_aliases(lower);
    lower_at(lower, lower->graph, "", LOWER_WHOLE);
    lower_resume(lower, outer);
}
