/* SPDX-License-Identifier: MIT */
/*
 * lower_call - the compiled call and everything around it: inputs captured for the epilogue, version bumps, modes
 * switched and restored, references given back, and the number of results.
 *
 * Source: AOTAutograd's RuntimeWrapper.
 */
#include "lower.h"

#include <inttypes.h>

/* ---- before the call ---- */

/* Which inputs the epilogue needs: those written back and the bases of aliased outputs. */
static bool *epilogue_inputs(const Lower *lower)
{
    bool *needed = ARENA_ARRAY(lower->arena, bool, (size_t)lower->graph->inputs_count + 1);
    for (uint32_t i = 0; i < lower->plan->facts.mutated_runtime.count; i++) {
        needed[lower->plan->facts.mutated_runtime.at[i]] = true;
    }
    for (uint32_t i = 0; i < lower->plan->facts.member_metadata.count; i++) {
        needed[lower->plan->facts.member_metadata.at[i]] = true;
    }
    for (uint32_t i = 0; i < lower->graph->outputs_count; i++) {
        const SpecOutput *output = &lower->graph->outputs[i];
        if (output->type == SPEC_ALIAS_OF_INPUT || output->type == SPEC_IS_INPUT) {
            needed[output->base_ref.index] = true;
        }
    }
    return needed;
}

/* The caller's tensors stay reachable for the epilogue: borrowed ones do anyway, given ones need a reference. */
static void capture_inputs(Lower *lower)
{
    const bool *needed = epilogue_inputs(lower);
    for (uint32_t i = 0; i < lower->graph->inputs_count; i++) {
        const SpecInput *input = &lower->graph->inputs[i];
        lower->original[i] = i;
        if (lower->plan->consumes && needed[i]) {
            lower_at(lower, input, ".inputs", i);
            lower->original[i] = lower_temporary(lower, "kept", input->name);
            LOWER_EMIT(lower, retain, operand_tensor(lower->original[i]), operand_tensor(i),
                       lower_host_site(lower, input->name, "retain"));
        }
    }
}

static void bump_version(Lower *lower, uint32_t slot, const char *name)
{
    LOWER_EMIT(lower, bump_version, operand_tensor(slot), lower_host_site(lower, name, "version"));
}

static bool seen_by_autograd(const Lower *lower, const SpecSynthetic *synthetic)
{
    for (uint32_t i = 0; i < synthetic->members.text_count; i++) {
        const uint32_t member = synthetic->member_index[i];
        if (lower->plan->facts.mutation_type[member] != NOT_MUTATED &&
            !spec_is(lower->graph->inputs[member].mutations_hidden_from_autograd)) {
            return true;
        }
    }
    return false;
}

static void bump_base(Lower *lower, uint32_t index)
{
    const SpecSynthetic *synthetic = &lower->graph->synthetic_bases[index];
    if (seen_by_autograd(lower, synthetic)) {
        lower_at(lower, synthetic, ".synthetic_bases", index);
        bump_version(lower, lower->synthetic[index], synthetic->name);
    }
}

static void bump_input(Lower *lower, uint32_t index)
{
    const SpecInput *input = &lower->graph->inputs[index];
    const uint32_t count = lower->plan->facts.mutated_seen_by_autograd.count;
    if (!spec_is(input->mutations_hidden_from_autograd)) {
        lower_at(lower, input, ".inputs", index);
        bump_version(lower, lower->plan->consumes ? index : lower_original(lower, index, count), input->name);
    }
}

/* The compiled function made the in-graph mutations, but it bumps no versions; members share their base's counter. The
 * order is that of the graph's arguments, as in everything that PyTorch does with merged ones. */
static void bump_versions(Lower *lower)
{
    for (uint32_t i = 0; i < lower->plan->facts.num_inner_args; i++) {
        const InnerArg *arg = &lower->plan->facts.inner_args[i];
        if (arg->mutation_type != MUTATED_IN_GRAPH) {
            continue;
        }
        if (arg->ref.kind == SPEC_REF_SYNTHETIC) {
            bump_base(lower, arg->ref.index);
        } else {
            bump_input(lower, arg->ref.index);
        }
    }
}

/* ---- the call ---- */

static void call_direct(Lower *lower, const Sources *sources)
{
    uint32_t *arguments = ARENA_ARRAY(lower->arena, uint32_t, (size_t)sources->count + 1);
    uint32_t *results = ARENA_ARRAY(lower->arena, uint32_t, (size_t)lower->plan->num_results + 1);
    for (uint32_t i = 0; i < sources->count; i++) {
        const ArgumentSource *source = &sources->at[i];
        if (source->kind == SOURCE_NULL) {
            arguments[i] = plan_slot(lower->plan, SLOT_CONSTANT, SLOT_TENSOR, 0, "NULL", "null");
        } else if (source->kind == SOURCE_INTEGER) {
            arguments[i] =
                plan_slot(lower->plan, SLOT_CONSTANT, SLOT_INTEGER, source->integer.id, source->integer.name, "size");
        } else {
            arguments[i] = source->slot;
        }
    }
    for (uint32_t i = 0; i < lower->plan->num_results; i++) {
        results[i] = lower->plan->first_result + i;
    }
    LOWER_EMIT(lower, call_direct, operand_name(lower->graph->compiled), operand_values(arguments, sources->count),
               operand_values(results, lower->plan->num_results), operand_count(lower->plan->num_results));
}

static bool is_aliased(SpecOutputType type)
{
    return type == SPEC_ALIAS_OF_INPUT || type == SPEC_ALIAS_OF_INTERMEDIATE_SAVE_AS_OUTPUT ||
           type == SPEC_ALIAS_OF_INTERMEDIATE || type == SPEC_ALIAS_OF_INTERMEDIATE_BASE_IS_USER_OUTPUT;
}

/* Instead of a view of an input a model may return a view of its own buffer, which begins at 0 while the caller's
 * tensor may begin anywhere: its offset says nothing about the input. [Seen in code that AOTInductor of PyTorch 2.13
 * made; examples/aoti] */
static void refuse_offsets_of_model(Lower *lower)
{
    for (uint32_t i = 0; i < lower->graph->outputs_count; i++) {
        const SpecOutput *output = &lower->graph->outputs[i];
        if (is_aliased(output->type) && output->view_count == 0 && output->as_strided == NULL) {
            lower_refuse(lower, output,
                         "an aliased output without 'view' or 'as_strided' with 'convention: aoti', whose models may "
                         "return it from their own buffer,");
        }
    }
    for (uint32_t i = 0; i < lower->graph->inputs_count; i++) {
        if (spec_is(lower->graph->inputs[i].mutates_metadata)) {
            lower_refuse(lower, &lower->graph->inputs[i], "'mutates_metadata' with 'convention: aoti'");
        }
    }
}

/* An AOTInductor model is an inference function of tensors: it takes and returns nothing else, not even a null. */
static void refuse_for_model(Lower *lower, const Sources *sources)
{
    const Plan *plan = lower->plan;
    bool fits = true;
    if (lower->graph->mode == SPEC_TRAINING) {
        lower_refuse(lower, lower->graph, "training with 'convention: aoti', whose models are for inference,");
    }
    if (plan->consumes) {
        lower_refuse(lower, &lower->graph->consume_inputs, "'consume_inputs' with 'convention: aoti'");
    }
    for (uint32_t i = 0; i < sources->count; i++) {
        const ArgumentSource *source = &sources->at[i];
        fits = fits && source->kind != SOURCE_NULL && source->kind != SOURCE_INTEGER &&
               source->kind != SOURCE_POINTER && plan->slots[source->slot].type == SLOT_TENSOR;
    }
    for (uint32_t i = 0; i < plan->num_results; i++) {
        fits = fits && plan->slots[plan->first_result + i].type == SLOT_TENSOR;
    }
    if (!fits) {
        lower_refuse(lower, lower->graph,
                     "an argument or result that is not a tensor (numbers, nulls of tokens and frozen inputs, symbolic "
                     "sizes of subclasses) with 'convention: aoti'");
    }
}

/* Both conventions that pass arrays. */
static void call_arrays(Lower *lower, const Sources *sources)
{
    const Operand function = operand_name(lower->graph->compiled);
    const Operand arguments = operand_name(lower->plan->packs_arguments ? "call_args" : "args");
    const Operand results =
        lower->plan->direct_results ? operand_name("outs") : lower_array_name("results", lower->plan->num_results);
    if (lower->graph->convention == SPEC_AOTI) {
        refuse_for_model(lower, sources);
        refuse_offsets_of_model(lower);
        LOWER_EMIT(lower, call_model, function, arguments, operand_count(sources->count), results,
                   operand_count(lower->plan->capacity));
    } else {
        LOWER_EMIT(lower, call_boxed, function, arguments, operand_count(sources->count), results,
                   operand_count(lower->plan->capacity));
    }
}

static void enter(Lower *lower, OpKind scope)
{
    lower->list = plan_emit(lower->plan, lower->list, scope, lower->path, lower->where, NULL)->body;
}

bool lower_has_range(const Lower *lower)
{
    return !lower->plan->backward && host_has(lower->host, "wg_range_begin") && host_has(lower->host, "wg_range_end");
}

/* record_runtime_wrapper_prologue_enter. This wrapper's tests are inside the range, too. */
void lower_begin_range(Lower *lower)
{
    if (lower_has_range(lower)) {
        lower_at(lower, lower->graph, "", LOWER_WHOLE);
        (void)lower_section(lower, LAYER_runtime_wrapper_orchestration);
        plan_emit(lower->plan, lower->list, OP_range_begin, lower->path, lower->where, NULL);
    }
}

/* Sets the modes under which the graph was traced; the scopes restore them before the status is checked. Returns the
 * list to continue with after the call. */
OpList *lower_enter_modes(Lower *lower, OpKind scope)
{
    OpList *outer = lower->list;
    enter(lower, scope);
    if (lower_has_range(lower)) {
        plan_emit(lower->plan, lower->list, OP_range_end, lower->path, lower->where, NULL);
    }
    if (spec_is(lower->graph->disable_amp)) {
        enter(lower, OP_scope_no_autocast);
    }
    return outer;
}

/* Grad mode is off for a training graph too: PyTorch turns it on around an autograd.Function, and runs the graph in
 * that function's forward, where it is off. */
static void emit_call(Lower *lower, const Sources *sources)
{
    const SpecGraph *graph = lower->graph;
    lower_clear_results(lower);
    OpList *outer = lower_enter_modes(lower, graph->mode == SPEC_TRAINING ? OP_scope_training : OP_scope_no_grad);
    if (graph->convention == SPEC_DIRECT) {
        call_direct(lower, sources);
    } else {
        call_arrays(lower, sources);
    }
    lower->list = outer;
}

/* Releases tensors of `array` run by run: slots of other kinds must not be touched. */
static void release_tensors(Lower *lower, const char *array, const bool *is_tensor, uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t n = 0;
        while (i + n < count && is_tensor[i + n]) {
            n++;
        }
        if (n > 0) {
            LOWER_EMIT(lower, release_arguments, operand_name(array), operand_count(i), operand_count(n));
        }
        i += n == 0 ? 1 : n;
    }
}

static void release_consumed(Lower *lower, const Sources *sources)
{
    const uint32_t num_inputs = lower->graph->inputs_count;
    bool *is_tensor = ARENA_ARRAY(lower->arena, bool, (size_t)sources->count + num_inputs + 1);
    if (lower->plan->packs_arguments) {
        for (uint32_t i = 0; i < sources->count; i++) {
            const ArgumentSource *source = &sources->at[i];
            is_tensor[i] = source->kind == SOURCE_TEMPORARY ||
                           (source->kind == SOURCE_ARGUMENT && lower->plan->slots[source->slot].type == SLOT_TENSOR);
        }
        release_tensors(lower, "call_args", is_tensor, sources->count);
    }
    for (uint32_t i = 0; i < num_inputs; i++) {
        is_tensor[i] = lower->plan->slots[i].type == SLOT_TENSOR;
    }
    release_tensors(lower, "args", is_tensor, num_inputs);
}

static void release_temporaries(Lower *lower, const Sources *sources)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        if (sources->at[i].kind == SOURCE_TEMPORARY) {
            LOWER_EMIT(lower, release, operand_tensor(sources->at[i].slot));
        }
    }
}

/* Must one of the results be a tensor? Tokens and `none` gradients may be null. */
static bool returns_tensor(const Lower *lower)
{
    const Plan *plan = lower->plan;
    bool tensor = false;
    for (uint32_t i = 0; plan->backward && i < lower->graph->backward->grad_inputs_count; i++) {
        tensor = tensor || lower->graph->backward->grad_inputs[i].kind != SPEC_NONE;
    }
    for (uint32_t i = lower->graph->num_tokens; !plan->backward && i < plan->num_results; i++) {
        tensor = tensor || plan->slots[plan->first_result + i].type == SLOT_TENSOR;
    }
    return tensor;
}

/* A compiled function that writes nothing is detected by nulls, or, if it returns only numbers, by a count that is
 * still the capacity, which is one more than it should be. */
static bool needs_spare(const Lower *lower)
{
    const bool counts = lower->plan->backward || lower->graph->convention != SPEC_DIRECT;
    return counts && lower->plan->num_results > 0 && !returns_tensor(lower);
}

/* The caller's outs, and the stack, hold whatever was there before. */
void lower_clear_results(Lower *lower)
{
    const Plan *plan = lower->plan;
    if (plan->num_results > 0) {
        LOWER_EMIT(lower, clear_results, operand_name(plan->direct_results ? "outs" : "results"),
                   operand_count(plan->capacity));
    }
}

void lower_arrays(Lower *lower, uint32_t num_call_args, bool packs)
{
    Plan *plan = lower->plan;
    plan->packs_arguments = packs;
    plan->num_call_args = num_call_args;
    plan->capacity = plan->num_results + (needs_spare(lower) ? 1 : 0);
    const uint32_t values = (packs ? num_call_args : 0) + (plan->direct_results ? 0 : plan->capacity);
    if (values > STACK_VALUES) {
        plan->scratch = values;
        LOWER_EMIT(lower, take_scratch, operand_count(values),
                   operand_site(plan_site(plan, NULL, "scratch", "WG_E_SCRATCH", "WG_KIND_INTEGER")));
    }
}

Operand lower_array_name(const char *name, uint32_t num_elements)
{
    return operand_name(num_elements > 0 ? name : "NULL");
}

void lower_check_call(Lower *lower)
{
    const Site *compiled = plan_site(lower->plan, NULL, "compiled", "WG_E_COMPILED", "WG_KIND_STATUS");
    LOWER_EMIT(lower, check_call, operand_site(compiled));
    lower_spread(lower);
    if (lower->plan->backward || lower->graph->convention != SPEC_DIRECT) {
        const Site *outputs = plan_site(lower->plan, NULL, "outputs", "WG_E_OUTPUTS", "WG_KIND_INTEGER");
        LOWER_EMIT(lower, check_outputs, operand_count(lower->plan->num_results), operand_site(outputs));
    }
}

void lower_call(Lower *lower)
{
    lower_at(lower, lower->graph, "", LOWER_WHOLE);
    (void)lower_section(lower, LAYER_runtime_wrapper_orchestration);
    lower_results(lower);
    capture_inputs(lower);
    bump_versions(lower);
    const Sources sources = lower_sources(lower);
    lower_at(lower, lower->graph, "", LOWER_WHOLE);
    lower_arrays(lower, sources.count,
                 lower->graph->convention != SPEC_DIRECT && !lower_sources_are_arguments(lower, &sources));
    if (lower->plan->packs_arguments) {
        lower_pack(lower, &sources);
    }
    lower_any_grad(lower);
    lower_check_reads(lower);
    emit_call(lower, &sources);
    if (!lower->plan->packs_arguments || !lower->plan->consumes) {
        release_temporaries(lower, &sources);
    }
    if (lower->plan->consumes) {
        release_consumed(lower, &sources);
    }
    lower_check_call(lower);
    lower_check_returned(lower);
    lower_wrap_results(lower);
    lower_check_identity(lower);
    lower_check_storages(lower);
    lower_at(lower, lower->graph, "", LOWER_WHOLE);
    if (lower->plan->facts.num_rng_offset > 0) {
        lower_at(lower, lower->graph, ".rng", LOWER_WHOLE);
        const uint32_t offset = lower->value[lower_result_rng(lower)];
        const PlanSection *outer = lower_section(lower, LAYER_functionalized_rng_wrapper);
        lower_check_result(lower, offset, NULL);
        LOWER_EMIT(lower, rng_set, operand_tensor(offset), lower_host_site(lower, NULL, "rng"));
        lower_resume(lower, outer);
    }
}
