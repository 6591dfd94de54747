/* SPDX-License-Identifier: MIT */
/*
 * lower_training - what the forward of a training graph does between the compiled call and the epilogue: records saved
 * values with their versions, transforms raw returns, and marks outputs without gradient.
 *
 * Source: CompiledFunction.forward of AOTAutograd (save, then finalize). The autograd node itself does not exist in C:
 * the saved struct is passed to <graph>_backward instead, and requires_grad is set on the tensors that the node would
 * have returned.
 */
#include "lower.h"

#include <inttypes.h>

static uint32_t result_slot(const Lower *lower, uint32_t position)
{
    return lower->value[position];
}

/* ctx.save_for_backward: a view that is not a graph input is detached first, then versions are recorded. */
static void lower_saved(Lower *lower)
{
    const SpecSaved *saved = lower->graph->saved;
    lower_at(lower, saved, ".saved", LOWER_WHOLE);
    (void)lower_section(lower, LAYER_saved);
    if (saved->donated.text_count > 0) {
        LOWER_EMIT(lower, spend, operand_flag(false));
    }
    for (uint32_t i = 0; i < saved->num_tensors + saved->num_no_version_check; i++) {
        const uint32_t slot = result_slot(lower, lower_result_saved(lower, i));
        lower_check_result(lower, slot, NULL);
        if (!saved->is_graph_input[i]) {
            LOWER_EMIT(lower, detach_view, operand_tensor(slot), lower_host_site(lower, NULL, "detach"));
        }
        if (i < saved->num_tensors) {
            LOWER_EMIT(lower, save_version, operand_count(i), operand_tensor(slot));
        }
    }
    for (uint32_t i = 0; i < saved->dynamic_count; i++) {
        const SpecSavedDynamic *dynamic = &saved->dynamic[i];
        int64_t index = 0;
        int64_t *dims = ARENA_ARRAY(lower->arena, int64_t, (size_t)dynamic->dims.text_count + 1);
        (void)expr_is_literal(dynamic->index.expr, &index);
        for (uint32_t d = 0; d < dynamic->dims.text_count; d++) {
            (void)expr_is_literal(dynamic->dims.expr[d], &dims[d]);
        }
        LOWER_EMIT(lower, mark_dynamic, operand_tensor(result_slot(lower, lower_result_saved(lower, (uint32_t)index))),
                   operand_dims(dims, dynamic->dims.text_count), lower_host_site(lower, NULL, "dynamic"));
    }
}

static Returned *returned_slots(const Lower *lower, uint32_t *count)
{
    const SpecGraph *graph = lower->graph;
    const GraphFacts *facts = &lower->plan->facts;
    Returned *returned = ARENA_ARRAY(lower->arena, Returned, (size_t)facts->num_forward_returns + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        const InnerArg *arg = &facts->inner_args[i];
        if (arg->mutation_type == MUTATED_OUT_GRAPH) {
            const bool boxed = !arg->mutates_data; /* only metadata */
            returned[n] = (Returned){result_slot(lower, lower_result_mutated(lower, n)),
                                     n,
                                     lower_inner_name(lower, arg),
                                     NULL,
                                     arg->requires_grad,
                                     boxed};
            n++;
        }
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        if (output->kind == SPEC_TENSOR) {
            returned[n++] = (Returned){result_slot(lower, lower_result_output(lower, i)),
                                       facts->num_mutated_returns + i,
                                       output->name,
                                       output,
                                       spec_is(output->requires_grad),
                                       derive_is_aliased(output->type)};
        }
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        const uint32_t position = facts->num_forward_returns - facts->num_intermediate_bases + i;
        returned[n++] = (Returned){result_slot(lower, lower_result_base(lower, i)),
                                   position,
                                   graph->intermediate_bases[i].name,
                                   NULL,
                                   true,
                                   false};
    }
    *count = n;
    return returned;
}

/* Adds the arguments that autograd sees and that are stated to require grad, or those that are not. */
static bool is_asked(const Lower *lower, const InnerArg *arg, const bool *detached)
{
    if (arg->ref.kind != SPEC_REF_INPUT) {
        return true;
    }
    const SpecInput *input = &lower->graph->inputs[arg->ref.index];
    return input->kind == SPEC_TENSOR && !spec_is(input->frozen) && !detached[arg->ref.index];
}

static uint32_t add_seen(const Lower *lower, const bool *detached, bool requires_grad, uint32_t *seen, uint32_t n)
{
    const GraphFacts *facts = &lower->plan->facts;
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        const InnerArg *arg = &facts->inner_args[i];
        if (arg->requires_grad == requires_grad && is_asked(lower, arg, detached)) {
            seen[n++] = arg->ref.kind == SPEC_REF_INPUT ? arg->ref.index : lower->synthetic[arg->ref.index];
        }
    }
    return n;
}

/* For hosts that make the node themselves: also an argument that gets no gradient makes results require grad. */
static void note_asked(Lower *lower, const bool *detached)
{
    Plan *plan = lower->plan;
    plan->asked = ARENA_ARRAY(lower->arena, uint32_t, (size_t)plan->facts.num_inner_args + 1);
    for (uint32_t i = 0; i < plan->facts.num_inner_args; i++) {
        const InnerArg *arg = &plan->facts.inner_args[i];
        if (is_asked(lower, arg, detached)) {
            const bool merged = arg->ref.kind != SPEC_REF_INPUT;
            plan->asked[plan->num_asked++] = arg->ref.index + (merged ? lower->graph->inputs_count : 0);
        }
    }
}

static bool marks_any(const Lower *lower)
{
    const GraphFacts *facts = &lower->plan->facts;
    bool marks = lower->graph->intermediate_bases_count > 0;
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        const InnerArg *arg = &facts->inner_args[i];
        marks = marks || (arg->mutation_type == MUTATED_OUT_GRAPH && arg->mutates_data && arg->requires_grad);
    }
    for (uint32_t i = 0; i < lower->graph->outputs_count; i++) {
        const SpecOutput *output = &lower->graph->outputs[i];
        marks = marks ||
                (output->kind == SPEC_TENSOR && !derive_is_aliased(output->type) && spec_is(output->requires_grad));
    }
    return marks;
}

/* An autograd.Function has a node, and its results a gradient, only if one of its arguments requires grad. Those that
 * are expected to are tested first: the first of them decides. */
void lower_any_grad(Lower *lower)
{
    const bool *detached = lower_detached(lower);
    uint32_t *seen = ARENA_ARRAY(lower->arena, uint32_t, (size_t)lower->plan->facts.num_inner_args + 1);
    if (lower->graph->mode != SPEC_TRAINING) {
        return;
    }
    note_asked(lower, detached);
    if (!marks_any(lower)) {
        return;
    }
    const uint32_t expected = add_seen(lower, detached, true, seen, 0);
    const uint32_t count = add_seen(lower, detached, false, seen, expected);
    if (count > 0) {
        lower->grad = lower_named_integer(lower, "requires_grad");
        LOWER_EMIT(lower, any_requires_grad, operand_integer(lower->grad));
        for (uint32_t i = 0; i < count; i++) { /* an op each, so that many become a loop */
            LOWER_EMIT(lower, add_requires_grad, operand_integer(lower->grad), operand_tensor(seen[i]));
        }
    }
}

static void lower_finalize(Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    lower_at(lower, graph, ".outputs", LOWER_WHOLE);
    (void)lower_section(lower, LAYER_compiled_function_forward);
    uint32_t count = 0;
    const Returned *returned = returned_slots(lower, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!returned[i].boxed) {
            lower_check_result(lower, returned[i].slot, returned[i].name);
        }
    }
    for (uint32_t i = 0; i < lower->plan->facts.unsafe_view_outputs.count; i++) {
        const uint32_t output = lower->plan->facts.unsafe_view_outputs.at[i];
        lower_at(lower, &graph->outputs[output], ".outputs", output);
        LOWER_EMIT(lower, unsafe_view, operand_tensor(result_slot(lower, lower_result_output(lower, output))),
                   lower_host_site(lower, graph->outputs[output].name, "view"));
    }
    lower_at(lower, graph, ".outputs", LOWER_WHOLE);
    lower_separate_returned(lower, returned, count);
    lower->plan->hung = ARENA_ARRAY(lower->arena, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        if (!returned[i].boxed) {
            lower->plan->hung[lower->plan->num_hung++] = returned[i].position;
            LOWER_EMIT(lower, set_requires_grad, operand_tensor(returned[i].slot),
                       returned[i].requires_grad ? operand_integer(lower->grad) : operand_literal(0),
                       lower_host_site(lower, returned[i].name, "grad"));
        }
    }
}

void lower_training(Lower *lower)
{
    if (lower->graph->mode == SPEC_TRAINING) {
        lower_saved(lower);
        lower_finalize(lower);
        lower_shapes(lower);
    }
}
