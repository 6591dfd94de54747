/* SPDX-License-Identifier: MIT */
/*
 * lower_backward - the backward of a training graph: saved values tested, surviving tangents coerced to what they were
 * guessed to be, the compiled backward called, tokens and RNG offset taken off its end, gradients delivered.
 *
 * Source: AOTAutograd's _backward_prologue, _backward_epilogue and process_runtime_tangent. What is different in C:
 * there is no engine that calls this, so grad mode is switched off here (the engine does that unless create_graph is
 * given, which has no counterpart); a tangent that is undefined is null; functorch does not exist.
 */
#include "lower.h"

#include <inttypes.h>

static const SpecTangent *nth_tangent(const Lower *lower, uint32_t nth)
{
    const SpecBackward *backward = lower->graph->backward;
    return &backward->tangents[backward->tangent_order[nth]];
}

static void at_tangent(Lower *lower, uint32_t nth)
{
    const uint32_t index = lower->graph->backward->tangent_order[nth];
    lower_at(lower, nth_tangent(lower, nth), ".backward.tangents", index);
}

static void add_tangents(Lower *lower)
{
    Plan *plan = lower->plan;
    plan->num_args = lower->graph->backward->tangents_count;
    for (uint32_t i = 0; i < plan->num_args; i++) {
        const char *name = nth_tangent(lower, i)->of;
        plan_slot(plan, SLOT_ARGUMENT, SLOT_TENSOR, i, arena_printf(lower->arena, "tangent_%s", name), name);
    }
    plan->num_integers = plan->num_args;
}

/* What the caller gave: a kept tangent must be there, all must be plain tensors. */
static void check_tangents(Lower *lower)
{
    for (uint32_t i = 0; i < lower->plan->num_args; i++) {
        at_tangent(lower, i);
        LOWER_EMIT(lower, load_tensor, operand_tensor(i), operand_count(i));
    }
    for (uint32_t i = 0; i < lower->plan->num_args; i++) {
        const SpecTangent *tangent = nth_tangent(lower, i);
        at_tangent(lower, i);
        const Site *site = plan_site(lower->plan, tangent->of, "tangent", "WG_E_TYPE", "WG_KIND_NONE");
        if (tangent->kept == SPEC_FALSE) {
            LOWER_EMIT(lower, check_optional, operand_tensor(i), operand_site(site));
        } else {
            LOWER_EMIT(lower, check_tensor, operand_tensor(i),
                       operand_facts(plan_facts(lower->plan, tangent->of, NULL, 0)), operand_site(site));
        }
    }
}

static void check_saved(Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    if (graph->saved->num_tensors > 0) {
        lower_at(lower, graph->saved, ".saved", LOWER_WHOLE);
        LOWER_EMIT(lower, check_versions, operand_count(graph->saved->num_tensors),
                   operand_site(plan_site(lower->plan, NULL, "version", "WG_E_VERSION", "WG_KIND_INTEGER")));
    }
    if (graph->backward->deterministic == SPEC_FALSE) {
        lower_at(lower, graph->backward, ".backward.deterministic", LOWER_WHOLE);
        LOWER_EMIT(lower, check_deterministic,
                   operand_site(plan_site(lower->plan, NULL, "deterministic", "WG_E_MODE", "WG_KIND_INTEGER")));
    }
}

static const char *format_name(SpecMemoryFormat format)
{
    switch (format) {
    case SPEC_MEMORY_FORMAT_UNSET:
    case SPEC_CONTIGUOUS:
        break;
    case SPEC_CHANNELS_LAST:
        return "WG_CHANNELS_LAST";
    case SPEC_CHANNELS_LAST_3D:
        return "WG_CHANNELS_LAST_3D";
    }
    return "WG_CONTIGUOUS";
}

/* Rule 9 lets symbolic sizes in only with a memory format, so that these are literals. */
static const PlanGeometry *tangent_geometry(Lower *lower, const SpecTangent *tangent)
{
    PlanGeometry *geometry = ARENA_NEW(lower->arena, PlanGeometry);
    IntegerRef *sizes = ARENA_ARRAY(lower->arena, IntegerRef, (size_t)tangent->size.text_count + 1);
    IntegerRef *strides = ARENA_ARRAY(lower->arena, IntegerRef, (size_t)tangent->size.text_count + 1);
    for (uint32_t i = 0; i < tangent->size.text_count; i++) {
        sizes[i] = lower_expr(lower, tangent->size.expr[i]);
        strides[i] = lower_expr(lower, tangent->stride.expr[i]);
    }
    geometry->sizes = (IntegerRefs){sizes, tangent->size.text_count};
    geometry->strides = (IntegerRefs){strides, tangent->size.text_count};
    geometry->literal = true;
    geometry->size_from = -1;
    geometry->stride_from = -1;
    return geometry;
}

/* coerce_to_expected_memory_format: the compiled backward was built for one layout. */
static uint32_t coerce_tangent(Lower *lower, uint32_t nth)
{
    const SpecTangent *tangent = nth_tangent(lower, nth);
    at_tangent(lower, nth);
    const uint32_t dst = lower_temporary(lower, "dense", tangent->of);
    const Operand site = lower_host_site(lower, tangent->of, "coerce");
    if (tangent->memory_format != SPEC_MEMORY_FORMAT_UNSET) {
        LOWER_EMIT(lower, contiguous, operand_tensor(dst), operand_tensor(nth),
                   operand_name(format_name(tangent->memory_format)), site);
    } else {
        LOWER_EMIT(lower, coerce_strides, operand_tensor(dst), operand_tensor(nth),
                   operand_geometry(tangent_geometry(lower, tangent)), site);
    }
    return dst;
}

static void add_gradient_results(Lower *lower)
{
    const SpecBackward *backward = lower->graph->backward;
    for (uint32_t i = 0; i < backward->grad_inputs_count; i++) {
        lower_add_result(lower, SLOT_TENSOR, backward->grad_inputs[backward->grad_input_order[i]].of);
    }
    for (uint32_t i = 0; i < lower->plan->facts.num_rng_offset; i++) {
        lower_add_result(lower, SLOT_TENSOR, "rng_offset");
    }
    for (uint32_t i = 0; i < backward->num_tokens; i++) {
        lower_add_result(lower, SLOT_TENSOR, "token");
    }
}

typedef struct Packing {
    uint32_t *temporaries;
    uint32_t num_temporaries;
    uint32_t next; /* free position of call_args */
} Packing;

static void pack_saved(Lower *lower, Packing *packing, const char *field, uint32_t count)
{
    if (count > 0) {
        LOWER_EMIT(lower, pack_saved, operand_count(packing->next), operand_name(field), operand_count(count));
        packing->next += count;
    }
}

static void pack_temporaries(Lower *lower, Packing *packing, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        LOWER_EMIT(lower, pack_tensor, operand_count(packing->next), operand_tensor(packing->temporaries[first + i]));
        packing->next++;
    }
}

/* (symints, saved, unchecked, opaque, tangents, tokens' nulls, seed and offset): semantics 2.4 */
static void pack_arguments(Lower *lower, Packing *packing)
{
    const SpecSaved *saved = lower->graph->saved;
    lower_at(lower, saved, ".saved", LOWER_WHOLE);
    pack_saved(lower, packing, "symints", saved->num_symints);
    pack_saved(lower, packing, "tensors", saved->num_tensors);
    pack_saved(lower, packing, "unchecked", saved->num_no_version_check);
    pack_saved(lower, packing, "opaque", saved->num_opaque);
    lower_at(lower, lower->graph->backward, ".backward.tangents", LOWER_WHOLE);
    pack_temporaries(lower, packing, 0, lower->plan->num_args);
    for (uint32_t i = 0; i < lower->graph->backward->num_tokens; i++) {
        LOWER_EMIT(lower, pack_null, operand_count(packing->next));
        packing->next++;
    }
    pack_temporaries(lower, packing, lower->plan->num_args, packing->num_temporaries - lower->plan->num_args);
}

static Packing coerce_arguments(Lower *lower)
{
    Packing packing = {ARENA_ARRAY(lower->arena, uint32_t, (size_t)lower->plan->num_args + 2), 0, 0};
    for (uint32_t i = 0; i < lower->plan->num_args; i++) {
        packing.temporaries[packing.num_temporaries++] = coerce_tangent(lower, i);
    }
    if (lower->graph->rng == SPEC_RNG_FUNCTIONALIZED) {
        lower_at(lower, lower->graph, ".rng", LOWER_WHOLE);
        const uint32_t seed = lower_temporary(lower, "rng", "seed");
        const uint32_t offset = lower_temporary(lower, "rng", "offset");
        LOWER_EMIT(lower, rng_get, operand_tensor(seed), operand_tensor(offset), lower_host_site(lower, NULL, "rng"));
        packing.temporaries[packing.num_temporaries++] = seed;
        packing.temporaries[packing.num_temporaries++] = offset;
    }
    return packing;
}

static void call_backward(Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    const uint32_t rng = lower->plan->facts.num_rng_offset;
    const Packing empty = {0};
    Packing packing = empty;
    add_gradient_results(lower);
    packing = coerce_arguments(lower);
    const uint32_t saved = graph->saved->num_symints + graph->saved->num_tensors + graph->saved->num_no_version_check +
                           graph->saved->num_opaque;
    lower_at(lower, graph->backward, ".backward", LOWER_WHOLE);
    lower_arrays(lower, saved + packing.num_temporaries + graph->backward->num_tokens, true);
    pack_arguments(lower, &packing);
    lower_at(lower, graph->backward, ".backward", LOWER_WHOLE);
    OpList *outer = lower_enter_modes(lower, OP_scope_no_grad);
    LOWER_EMIT(lower, call_boxed, operand_name(graph->backward->compiled),
               operand_name(packing.next > 0 ? "call_args" : "NULL"), operand_count(packing.next),
               operand_name(lower->plan->num_results > 0 ? "results" : "NULL"),
               operand_count(lower->plan->num_results));
    lower->list = outer;
    for (uint32_t i = 0; i < packing.num_temporaries; i++) {
        LOWER_EMIT(lower, release, operand_tensor(packing.temporaries[i]));
    }
    lower_check_call(lower);
    if (rng > 0) {
        const uint32_t offset = lower->plan->first_result + graph->backward->grad_inputs_count;
        lower_check_result(lower, offset, NULL);
        LOWER_EMIT(lower, rng_set, operand_tensor(offset), lower_host_site(lower, NULL, "rng"));
    }
}

static void deliver_gradients(Lower *lower)
{
    const SpecBackward *backward = lower->graph->backward;
    lower_at(lower, backward, ".backward.grad_inputs", LOWER_WHOLE);
    lower_section(lower, "backward_epilogue");
    for (uint32_t i = 0; i < backward->grad_inputs_count; i++) {
        const SpecGradInput *grad = &backward->grad_inputs[backward->grad_input_order[i]];
        if (grad->kind != SPEC_NONE && lower->graph->check >= SPEC_CHECK_CHEAP) {
            lower_check_result(lower, lower->plan->first_result + i, grad->of);
        }
    }
    uint32_t run = 0; /* results since the last gradient that was delivered */
    for (uint32_t i = 0; i < lower->plan->num_results; i++) {
        const SpecGradInput *grad =
            i < backward->grad_inputs_count ? &backward->grad_inputs[backward->grad_input_order[i]] : NULL;
        if (grad == NULL || grad->kind == SPEC_NONE) {
            run++;
            continue;
        }
        if (run > 0) {
            LOWER_EMIT(lower, release_run, operand_count(i - run), operand_count(run));
            run = 0;
        }
        LOWER_EMIT(lower, deliver_tensor, operand_count(lower->plan->num_outs),
                   operand_tensor(lower->plan->first_result + i));
        lower->plan->num_outs++;
    }
    if (run > 0) {
        LOWER_EMIT(lower, release_run, operand_count(lower->plan->num_results - run), operand_count(run));
    }
}

Plan *lower_backward(Arena *arena, Diag *diag, const Spec *spec, uint32_t graph_index, const Host *host,
                     const char *prefix)
{
    Lower lower;
    lower_begin(&lower, arena, diag, spec, graph_index, host, prefix);
    lower.plan->backward = true;
    add_tangents(&lower);
    lower_at(&lower, lower.graph->backward, ".backward", LOWER_WHOLE);
    lower_section(&lower, "backward_prologue");
    check_saved(&lower);
    check_tangents(&lower);
    lower_at(&lower, lower.graph->backward, ".backward", LOWER_WHOLE);
    LOWER_EMIT(&lower, check_host, lower_host_site(&lower, NULL, "read"));
    call_backward(&lower);
    deliver_gradients(&lower);
    return lower_end(&lower);
}
