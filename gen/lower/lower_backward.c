/* SPDX-License-Identifier: MIT */
/*
 * lower_backward - the backward of a training graph: tests saved values, has surviving tangents coerced
 * (lower_tangent.c), calls the compiled backward, takes tokens and RNG offset off its end, delivers gradients.
 *
 * Source: AOTAutograd's _backward_prologue and _backward_epilogue. In C some things differ: no
 * engine calls this, so grad mode is switched off here (the engine does that unless create_graph is given, which has no
 * counterpart); an undefined tangent is null; functorch does not exist.
 */
#include "lower_tangent.h"

/* PyTorch refuses retain_graph when buffers are donated; here nothing announces a second backward, so the second one
 * itself is refused. */
static void check_spent(Lower *lower)
{
    const SpecSaved *saved = lower->graph->saved;
    if (saved->donated.text_count > 0) {
        lower_at(lower, saved, ".saved.donated", LOWER_WHOLE);
        LOWER_EMIT(lower, check_spent,
                   operand_site(plan_site_saying(lower->plan, NULL, NULL, "donated", "WG_E_SPENT", "WG_KIND_NONE",
                                                 "donated buffers: it may have written over them")));
    }
}

static void check_saved(Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    check_spent(lower);
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

/* The engine runs a backward with grad mode on only under create_graph. The text is that of all graphs that share the
 * code, so only the site has a name in it: that of the first input that is mutated. */
static void check_create_graph(Lower *lower)
{
    const SpecBackward *backward = lower->graph->backward;
    if (backward->mutated_in_backward.text_count == 0) {
        return;
    }
    const char *name = lower->graph->inputs[backward->mutated_index[0]].name;
    lower_at(lower, backward, ".backward.mutated_in_backward", LOWER_WHOLE);
    LOWER_EMIT(lower, check_create_graph,
               operand_site(plan_site_saying(lower->plan, NULL, name, "grad", "WG_E_MODE", "WG_KIND_INTEGER",
                                             "create_graph: grad mode is on, and the backward mutates this input")));
}

/* One value for each gradient, or for each attribute of one that is a subclass (PyTorch unwraps the gradients that the
 * traced backward returned, not the inputs): a subclass input without a gradient gets a single null. Symbolic sizes of
 * plain inputs have separate slots, also null. */
static void add_gradient(Lower *lower, uint32_t i)
{
    const SpecGradInput *grad = &lower->graph->backward->grad_inputs[lower->graph->backward->grad_input_order[i]];
    const SpecInput *input = grad->of_ref.kind == SPEC_REF_INPUT ? &lower->graph->inputs[grad->of_ref.index] : NULL;
    const uint32_t first = lower->plan->num_results;
    PlanValue value = {.role = grad->kind == SPEC_NONE ? VALUE_no_gradient : VALUE_gradient,
                       .name = grad->of,
                       .dtype = input != NULL ? input->dtype_code : -1,
                       .size = input != NULL ? &input->size : NULL};
    if (grad->subclass != NULL) {
        (void)lower_flat_results(lower, grad->subclass, grad->of, value);
    } else {
        const bool plain = input != NULL && input->subclass == NULL && !spec_is(input->frozen);
        const uint32_t count = plain ? 1 + input->symbol_args.text_count : 1;
        for (uint32_t n = 0; n < count; n++) {
            lower_add_result(lower, SLOT_TENSOR, grad->of, value);
            value = (PlanValue){.role = VALUE_no_gradient,
                                .name = arena_printf(lower->arena, "'%s' of %s",
                                                     n < count - 1 ? input->symbol_args.text[n] : "", grad->of),
                                .part = true,
                                .dtype = -1};
        }
    }
    lower->value[i] = lower->plan->first_result + first;
}

static void add_gradient_results(Lower *lower)
{
    const SpecBackward *backward = lower->graph->backward;
    lower->value = ARENA_ARRAY(lower->arena, uint32_t, (size_t)backward->grad_inputs_count + 2);
    for (uint32_t i = 0; i < backward->grad_inputs_count; i++) {
        add_gradient(lower, i);
    }
    for (uint32_t i = 0; i < lower->plan->facts.num_rng_offset; i++) {
        lower_add_result(lower, SLOT_TENSOR, "rng_offset", (PlanValue){.role = VALUE_new_rng_offset, .dtype = -1});
        lower->value[backward->grad_inputs_count] = lower->plan->first_result + lower->plan->num_results - 1;
    }
    for (uint32_t i = 0; i < backward->num_tokens; i++) {
        lower_add_result(lower, SLOT_TENSOR, "token", (PlanValue){.role = VALUE_new_token, .number = i, .dtype = -1});
    }
}

static void pack_saved(Lower *lower, Packing *packing, const char *field, uint32_t count, PlanValue value)
{
    for (uint32_t i = 0; i < count; i++) {
        value.number = i;
        value.dtype = -1;
        plan_value(lower->plan, &lower->plan->arguments, value);
    }
    if (count > 0) {
        LOWER_EMIT(lower, pack_saved, operand_count(packing->next), operand_name(plan_slot_member(value.type)),
                   operand_name(field), operand_count(count));
        packing->next += count;
    }
}

static void pack_items(Lower *lower, Packing *packing, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const Packed *item = &packing->items[i];
        plan_value(lower->plan, &lower->plan->arguments, item->value);
        if (item->is_pointer) {
            LOWER_EMIT(lower, pack_pointer, operand_count(packing->next), operand_tensor(item->slot));
        } else if (item->is_integer) {
            LOWER_EMIT(lower, pack_integer, operand_count(packing->next), operand_integer(item->integer));
        } else {
            LOWER_EMIT(lower, pack_tensor, operand_count(packing->next), operand_tensor(item->slot));
        }
        packing->next++;
    }
}

/* (symints, saved, unchecked, opaque, tangents, tokens' nulls, seed and offset, generators) */
static void pack_arguments(Lower *lower, Packing *packing)
{
    const SpecSaved *saved = lower->graph->saved;
    lower_at(lower, saved, ".saved", LOWER_WHOLE);
    pack_saved(lower, packing, "symints", saved->num_symints,
               (PlanValue){.role = VALUE_saved_symint, .type = SLOT_INTEGER});
    pack_saved(lower, packing, "tensors", saved->num_tensors, (PlanValue){.role = VALUE_saved});
    pack_saved(lower, packing, "unchecked", saved->num_no_version_check, (PlanValue){.role = VALUE_saved_unchecked});
    pack_saved(lower, packing, "opaque", saved->num_opaque,
               (PlanValue){.role = VALUE_saved_opaque, .type = SLOT_POINTER});
    lower_at(lower, lower->graph->backward, ".backward.tangents", LOWER_WHOLE);
    pack_items(lower, packing, 0, packing->num_tangents);
    for (uint32_t i = 0; i < lower->graph->backward->num_tokens; i++) {
        plan_value(lower->plan, &lower->plan->arguments, (PlanValue){.role = VALUE_token, .number = i, .dtype = -1});
        LOWER_EMIT(lower, pack_null, operand_count(packing->next));
        packing->next++;
    }
    pack_items(lower, packing, packing->num_tangents, packing->num_items);
}

/* _AutogradRngStateTracker.add_backward_args: the backward draws the same numbers as its forward, no matter how many
 * forwards and backwards came between, and again when it is called again. */
static void add_generators(Lower *lower, Packing *packing)
{
    lower_at(lower, lower->graph, ".rng", LOWER_WHOLE);
    const PlanSection *outer = lower_section(lower, LAYER_compiled_function_backward);
    for (uint32_t i = 0; i < lower->graph->num_rng_states; i++) {
        const uint32_t generator = lower_generator(lower, i);
        LOWER_EMIT(lower, generator_restore, operand_tensor(generator), operand_count(i),
                   lower_host_site(lower, NULL, "rng"));
        packing->items[packing->num_items++] =
            (Packed){.is_pointer = true,
                     .slot = generator,
                     .value = {.role = VALUE_generator, .type = SLOT_POINTER, .number = i, .dtype = -1}};
    }
    lower_resume(lower, outer);
}

static Packing coerce_arguments(Lower *lower)
{
    size_t most = 2 + (size_t)lower->graph->num_rng_states;
    for (uint32_t i = 0; i < lower->plan->num_args; i++) {
        const SpecSubclass *tree = tangent_nth(lower, i)->subclass;
        most += tree == NULL ? 1 : derive_flat_count(tree);
    }
    Packing packing = {.items = ARENA_ARRAY(lower->arena, Packed, most)};
    for (uint32_t i = 0; i < lower->plan->num_args; i++) {
        tangent_coerce(lower, &packing, i);
    }
    packing.num_tangents = packing.num_items;
    check_create_graph(lower);
    if (lower->graph->rng == SPEC_RNG_FUNCTIONALIZED) {
        lower_at(lower, lower->graph, ".rng", LOWER_WHOLE);
        const uint32_t seed = lower_temporary(lower, "rng", "seed");
        const uint32_t offset = lower_temporary(lower, "rng", "offset");
        LOWER_EMIT(lower, rng_get, operand_tensor(seed), operand_tensor(offset), lower_host_site(lower, NULL, "rng"));
        packing_add_tensor(&packing, seed, (PlanValue){.role = VALUE_rng_seed, .dtype = -1});
        packing_add_tensor(&packing, offset, (PlanValue){.role = VALUE_rng_offset, .dtype = -1});
    }
    if (lower->graph->rng == SPEC_RNG_GRAPHSAFE) {
        add_generators(lower, &packing);
    }
    return packing;
}

static void release_items(Lower *lower, const Packing *packing)
{
    for (size_t i = 0; i < lower->num_held; i++) {
        LOWER_EMIT(lower, release, operand_tensor(lower->held[i]));
    }
    for (uint32_t i = 0; i < packing->num_items; i++) {
        const Packed *item = &packing->items[i];
        if (!item->is_integer && lower->plan->slots[item->slot].owned) {
            LOWER_EMIT(lower, release, operand_tensor(item->slot));
        }
    }
}

static void rebuild_gradients(Lower *lower)
{
    const SpecBackward *backward = lower->graph->backward;
    for (uint32_t i = 0; i < backward->grad_inputs_count; i++) {
        const SpecGradInput *grad = &backward->grad_inputs[backward->grad_input_order[i]];
        if (grad->subclass != NULL) {
            uint32_t flat = lower->plan->slots[lower->value[i]].index;
            lower_at(lower, grad, ".backward.grad_inputs", backward->grad_input_order[i]);
            (void)lower_section(lower, LAYER_backward_subclass_wrapper);
            lower_check_tree(lower, grad->subclass, grad->of, i);
            lower->value[i] = lower_rebuild(lower, grad->subclass, grad->of, &flat);
        }
    }
}

static void call_backward(Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    const SpecSaved *saved = graph->saved;
    add_gradient_results(lower);
    Packing packing = coerce_arguments(lower);
    lower_check_reads(lower);
    const uint32_t num_saved =
        saved->num_symints + saved->num_tensors + saved->num_no_version_check + saved->num_opaque;
    lower_at(lower, graph->backward, ".backward", LOWER_WHOLE);
    lower_arrays(lower, num_saved + packing.num_items + graph->backward->num_tokens, true);
    pack_arguments(lower, &packing);
    if (saved->donated.text_count > 0) {
        lower_at(lower, saved, ".saved.donated", LOWER_WHOLE);
        LOWER_EMIT(lower, spend, operand_flag(true)); /* whatever the outcome of the call */
    }
    lower_at(lower, graph->backward, ".backward", LOWER_WHOLE);
    (void)lower_section(lower, LAYER_compiled_function_backward);
    lower_check_reads(lower);
    lower_clear_results(lower);
    OpList *outer = lower_enter_modes(lower, OP_scope_no_grad);
    LOWER_EMIT(lower, call_boxed, operand_name(graph->backward->compiled), lower_array_name("call_args", packing.next),
               operand_count(packing.next), lower_array_name("results", lower->plan->num_results),
               operand_count(lower->plan->capacity));
    lower->list = outer;
    release_items(lower, &packing);
    lower_check_call(lower);
    if (lower->plan->facts.num_rng_offset > 0) {
        (void)lower_section(lower, LAYER_backward_epilogue);
        lower_check_result(lower, lower->value[graph->backward->grad_inputs_count], NULL);
        LOWER_EMIT(lower, rng_set, operand_tensor(lower->value[graph->backward->grad_inputs_count]),
                   lower_host_site(lower, NULL, "rng"));
    }
    rebuild_gradients(lower);
}

/* Results that are not gradients: nulls for `none`, the RNG offset, tokens. */
static void release_others(Lower *lower, const bool *given)
{
    const Plan *plan = lower->plan;
    for (uint32_t i = 0; i < plan->num_results;) {
        uint32_t n = 0;
        while (i + n < plan->num_results && plan->slots[plan->first_result + i + n].owned && !given[i + n]) {
            n++;
        }
        if (n > 0) {
            LOWER_EMIT(lower, release_run, operand_count(i), operand_count(n));
        }
        i += n == 0 ? 1 : n;
    }
}

static void deliver_gradients(Lower *lower)
{
    const SpecBackward *backward = lower->graph->backward;
    const Plan *plan = lower->plan;
    lower_at(lower, backward, ".backward.grad_inputs", LOWER_WHOLE);
    (void)lower_section(lower, LAYER_backward_epilogue);
    bool *given = ARENA_ARRAY(lower->arena, bool, (size_t)plan->num_results + 1);
    lower_check_reads(lower);
    for (uint32_t i = 0; i < backward->grad_inputs_count; i++) {
        const SpecGradInput *grad = &backward->grad_inputs[backward->grad_input_order[i]];
        if (grad->kind != SPEC_NONE && lower_checks(lower, SPEC_CHECK_CHEAP)) {
            lower_check_result(lower, lower->value[i], grad->of);
        }
    }
    for (const Op *op = plan->ops.first; op != NULL; op = op->next) {
        for (uint32_t i = 0; op->kind == OP_rebuild && i < op->operands[3].num; i++) {
            const Slot *slot = &plan->slots[op->operands[3].as.slots[i]];
            given[slot->role == SLOT_RESULT ? slot->index : plan->num_results] = true;
        }
    }
    for (uint32_t i = 0; i < backward->grad_inputs_count; i++) {
        const Slot *slot = &plan->slots[lower->value[i]];
        if (backward->grad_inputs[backward->grad_input_order[i]].kind != SPEC_NONE) {
            given[slot->role == SLOT_RESULT ? slot->index : plan->num_results] = true;
            LOWER_EMIT(lower, deliver_tensor, operand_count(plan->num_outs), operand_tensor(lower->value[i]));
            lower->plan->num_outs++;
        }
    }
    release_others(lower, given);
}

Plan *lower_backward(Arena *arena, Diag *diag, const Spec *spec, uint32_t graph_index, const Host *host,
                     const char *prefix)
{
    Lower lower;
    lower_begin(&lower, arena, diag, spec, graph_index, host, prefix);
    lower.plan->backward = true;
    lower.missing = missing_tangents(arena, lower.graph);
    tangent_add_slots(&lower);
    lower_at(&lower, lower.graph->backward, ".backward", LOWER_WHOLE);
    (void)lower_section(&lower, LAYER_backward_prologue);
    check_saved(&lower);
    tangent_check_all(&lower);
    lower_at(&lower, lower.graph->backward, ".backward", LOWER_WHOLE);
    LOWER_EMIT(&lower, check_host, lower_host_site(&lower, NULL, "read"));
    call_backward(&lower);
    deliver_gradients(&lower);
    return lower_end(&lower);
}
