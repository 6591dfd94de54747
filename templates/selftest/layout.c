/* SPDX-License-Identifier: MIT */
/*
 * layout - see layout.h: the function inside, and what the forward gets and returns.
 */
#include "layout.h"

#include <string.h>

static bool can_be_in_graph(const SpecGraph *graph, const SpecInput *input)
{
    const bool written = spec_is(input->mutates_data) || spec_is(input->mutates_storage_metadata) ||
                         spec_is(input->mutation_inductor_storage_resize);
    const bool plain = !spec_is(input->mutates_metadata) && !spec_is(input->requires_grad);
    const bool unseen =
        spec_is(input->mutations_hidden_from_autograd) || spec_is(input->mutations_under_no_grad_or_inference_mode);
    return spec_is(graph->keep_input_mutations) && written && (plain || unseen);
}

static bool is_mutated(const SpecInput *input)
{
    return spec_is(input->mutates_data) || spec_is(input->mutates_metadata) ||
           spec_is(input->mutation_inductor_storage_resize);
}

static LayoutMutation mutation_of(const SpecGraph *graph, const SpecInput *input)
{
    return !is_mutated(input) ? LAYOUT_UNTOUCHED : can_be_in_graph(graph, input) ? LAYOUT_IN_GRAPH : LAYOUT_OUT_GRAPH;
}

bool layout_is_passed(const SpecInput *input)
{
    return input->duplicate_of < 0 && !spec_is(input->frozen);
}

bool layout_is_alias(SpecOutputType type)
{
    return type != SPEC_NON_ALIAS && type != SPEC_UNSAFE_VIEW_ALIAS && type != SPEC_CUSTOM_FUNCTION_VIEW;
}

bool layout_has_subclass(const SpecGraph *graph)
{
    bool found = false;
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        found = found || graph->inputs[i].subclass != NULL;
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        found = found || graph->outputs[i].subclass != NULL;
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        found = found || graph->intermediate_bases[i].subclass != NULL;
    }
    return found;
}

/* ---- the function inside ---- */

static LayoutInner inner_input(const SpecGraph *graph, uint32_t i)
{
    const SpecInput *input = &graph->inputs[i];
    LayoutInner inner = {.ref = {SPEC_REF_INPUT, i}, .name = input->name};
    inner.mutation = input->kind == SPEC_TENSOR ? mutation_of(graph, input) : LAYOUT_UNTOUCHED;
    inner.mutates_data = spec_is(input->mutates_data);
    inner.requires_grad = spec_is(input->requires_grad);
    inner.bumped = inner.mutation == LAYOUT_IN_GRAPH && !spec_is(input->mutations_hidden_from_autograd);
    return inner;
}

/* create_synthetic_base_metadata: data written when a member's is, metadata left to the members; what hides all of the
 * mutations hides that of the base, and a member without mutations hides all of its. */
static LayoutInner inner_base(const SpecGraph *graph, uint32_t i)
{
    const SpecSynthetic *base = &graph->synthetic_bases[i];
    LayoutInner inner = {.ref = {SPEC_REF_SYNTHETIC, i}, .name = base->name, .mutates_data = true};
    bool hidden = true;
    bool no_grad = true;
    for (uint32_t k = 0; k < base->members.text_count; k++) {
        const SpecInput *member = &graph->inputs[base->member_index[k]];
        hidden = hidden && (!is_mutated(member) || spec_is(member->mutations_hidden_from_autograd));
        no_grad = no_grad && spec_is(member->mutations_under_no_grad_or_inference_mode);
        inner.requires_grad = inner.requires_grad || spec_is(member->requires_grad);
    }
    const bool stays = spec_is(graph->keep_input_mutations) && (!inner.requires_grad || hidden || no_grad);
    inner.mutation = stays ? LAYOUT_IN_GRAPH : LAYOUT_OUT_GRAPH;
    inner.bumped = stays && !hidden;
    return inner;
}

/* As the file names them. */
static void note_named(Layout *layout, const char *name)
{
    const SpecGraph *graph = layout->graph;
    for (uint32_t i = 0; i < graph->synthetic_bases_count; i++) {
        if (strcmp(graph->synthetic_bases[i].name, name) == 0) {
            layout->inner[layout->num_inner++] = inner_base(graph, i);
        }
    }
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        if (strcmp(graph->inputs[i].name, name) == 0) {
            layout->inner[layout->num_inner++] = inner_input(graph, i);
        }
    }
}

/* As stated; else merged ones first, by their first member; then, if there are any, values that are not tensors before
 * tensors. */
static void note_inner(Arena *arena, Layout *layout)
{
    const SpecGraph *graph = layout->graph;
    const bool merges = graph->synthetic_bases_count > 0;
    bool *seen = ARENA_ARRAY(arena, bool, (size_t)graph->synthetic_bases_count + 1);
    layout->inner = ARENA_ARRAY(arena, LayoutInner, (size_t)graph->inputs_count + 1);
    for (uint32_t i = 0; i < graph->argument_order.text_count; i++) {
        note_named(layout, graph->argument_order.text[i]);
    }
    if (graph->argument_order.text_count > 0) {
        return;
    }
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const int32_t base = graph->inputs[i].synthetic_base;
        if (base >= 0 && !seen[base]) {
            seen[base] = true;
            layout->inner[layout->num_inner++] = inner_base(graph, (uint32_t)base);
        }
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < graph->inputs_count; i++) {
            const SpecInput *input = &graph->inputs[i];
            const bool now = merges ? (input->kind == SPEC_TENSOR) == (pass == 1) : pass == 0;
            if (now && input->duplicate_of < 0 && input->synthetic_base < 0) {
                layout->inner[layout->num_inner++] = inner_input(graph, i);
            }
        }
    }
}

/* The joint graph gives it no gradient, though it has a history: it goes in detached (pytorch issue 97745). This is
 * worked out only where no subclass is about. */
static bool goes_in_detached(const SpecGraph *graph, const LayoutInner *inner)
{
    const SpecInput *input = &graph->inputs[inner->ref.index];
    if (graph->mode != SPEC_TRAINING || input->kind != SPEC_TENSOR || layout_has_subclass(graph)) {
        return false;
    }
    if (!spec_is(input->requires_grad) || spec_is(input->is_leaf)) {
        return false;
    }
    if (inner->mutation == LAYOUT_IN_GRAPH && spec_is(input->mutates_storage_metadata)) {
        return false; /* a detached copy must not receive the set_ */
    }
    for (uint32_t i = 0; i < graph->backward->grad_inputs_count; i++) {
        const SpecGradInput *gradient = &graph->backward->grad_inputs[i];
        if (strcmp(gradient->of, input->name) == 0) {
            return gradient->kind == SPEC_NONE;
        }
    }
    return false;
}

static void note_inputs(Arena *arena, Layout *layout)
{
    const SpecGraph *graph = layout->graph;
    layout->detached = ARENA_ARRAY(arena, bool, (size_t)graph->inputs_count + 1);
    layout->kept = ARENA_ARRAY(arena, bool, (size_t)graph->inputs_count + 1);
    for (uint32_t i = 0; i < layout->num_inner; i++) {
        const LayoutInner *inner = &layout->inner[i];
        if (inner->ref.kind == SPEC_REF_INPUT) {
            layout->detached[inner->ref.index] = goes_in_detached(graph, inner);
            layout->kept[inner->ref.index] = inner->mutation == LAYOUT_OUT_GRAPH;
        }
    }
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const SpecInput *input = &graph->inputs[i];
        if (input->synthetic_base >= 0 && spec_is(input->mutates_metadata)) {
            layout->kept[i] = true;
            layout->num_members++;
        }
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        for (uint32_t k = 0; output->base != NULL && k < graph->inputs_count; k++) {
            if (strcmp(output->base, graph->inputs[k].name) == 0) {
                layout->kept[k] = true;
            }
        }
    }
}

/* ---- arguments: tokens, inputs, each followed by its symbolic sizes and strides, RNG ---- */

static void note_arguments(Arena *arena, Layout *layout)
{
    const SpecGraph *graph = layout->graph;
    LayoutCall *call = &layout->forward;
    for (uint32_t i = 0; i < graph->num_tokens; i++) {
        layout_add_argument(arena, call, LAYOUT_NULL, 0, SPEC_TENSOR);
    }
    for (uint32_t i = 0; i < layout->num_inner; i++) {
        const SpecRef ref = layout->inner[i].ref;
        const SpecInput *input = ref.kind == SPEC_REF_INPUT ? &graph->inputs[ref.index] : NULL;
        if (input == NULL) {
            layout_add_argument(arena, call, LAYOUT_MERGED, ref.index, SPEC_TENSOR);
        } else if (spec_is(input->frozen)) {
            layout_add_argument(arena, call, LAYOUT_NULL, ref.index, SPEC_TENSOR);
        } else if (input->subclass != NULL) {
            layout_add_parts(arena, call, LAYOUT_PART, ref.index, input->subclass);
        } else {
            layout_add_argument(arena, call, LAYOUT_INPUT, ref.index, input->kind);
            for (uint32_t k = 0; k < input->symbol_args.text_count; k++) {
                layout_add_argument(arena, call, LAYOUT_SIZE, ref.index, SPEC_INT);
            }
        }
    }
    for (int i = 0; i < 2 && graph->rng == SPEC_RNG_FUNCTIONALIZED; i++) {
        layout_add_argument(arena, call, LAYOUT_RNG, 0, SPEC_TENSOR);
    }
    layout_add_generators(arena, call, graph);
}

void layout_add_generators(Arena *arena, LayoutCall *call, const SpecGraph *graph)
{
    for (uint32_t i = 0; i < graph->num_rng_states && graph->rng == SPEC_RNG_GRAPHSAFE; i++) {
        layout_add_argument(arena, call, LAYOUT_GENERATOR, i, SPEC_OPAQUE);
    }
}

SpecKind layout_saved_kind(const Layout *layout, uint32_t nth)
{
    const uint32_t position = layout->first_saved + nth;
    return position < layout->forward.num_results ? layout->forward.results[position].kind : SPEC_TENSOR;
}

bool layout_saved_is_versioned(const Layout *layout, uint32_t nth)
{
    const uint32_t position = layout->first_saved + nth;
    return position < layout->forward.num_results && layout->forward.results[position].role == LAYOUT_SAVED;
}

/* ---- results: tokens, updated inputs, outputs, members, bases, RNG offset, saved ---- */

static void add_count(Arena *arena, Layout *layout, LayoutRole role, uint32_t count, SpecKind kind)
{
    for (uint32_t i = 0; i < count; i++) {
        layout_add_result(arena, &layout->forward, (LayoutResult){.role = role, .index = i, .kind = kind});
    }
}

static void note_updated(Arena *arena, Layout *layout)
{
    layout->first_updated = layout->forward.num_results;
    for (uint32_t i = 0; i < layout->num_inner; i++) {
        const LayoutInner *inner = &layout->inner[i];
        const bool is_input = inner->ref.kind == SPEC_REF_INPUT;
        if (inner->mutation == LAYOUT_OUT_GRAPH) {
            layout_add_result(
                arena, &layout->forward,
                (LayoutResult){.role = LAYOUT_UPDATED,
                               .index = i,
                               .kind = SPEC_TENSOR,
                               .name = inner->name,
                               .tree = is_input ? layout->graph->inputs[inner->ref.index].updated : NULL});
            layout->num_updated++;
        }
    }
}

static void note_members(Arena *arena, Layout *layout)
{
    layout->first_member = layout->forward.num_results;
    for (uint32_t i = 0; i < layout->graph->inputs_count; i++) {
        const SpecInput *input = &layout->graph->inputs[i];
        if (input->synthetic_base >= 0 && spec_is(input->mutates_metadata)) {
            layout_add_result(
                arena, &layout->forward,
                (LayoutResult){.role = LAYOUT_MEMBER, .index = i, .kind = SPEC_TENSOR, .name = input->name});
        }
    }
}

static void note_results(Arena *arena, Layout *layout)
{
    const SpecGraph *graph = layout->graph;
    const SpecSaved *saved = graph->mode == SPEC_TRAINING ? graph->saved : NULL;
    LayoutCall *call = &layout->forward;
    add_count(arena, layout, LAYOUT_TOKEN, graph->num_tokens, SPEC_TENSOR);
    note_updated(arena, layout);
    layout->first_output = call->num_results;
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        layout_add_result(arena, call,
                          (LayoutResult){.role = LAYOUT_OUTPUT,
                                         .index = i,
                                         .kind = output->kind,
                                         .name = output->name,
                                         .tree = output->subclass});
    }
    note_members(arena, layout);
    layout->first_base = call->num_results;
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        const SpecBase *base = &graph->intermediate_bases[i];
        layout_add_result(
            arena, call,
            (LayoutResult){
                .role = LAYOUT_BASE, .index = i, .kind = SPEC_TENSOR, .name = base->name, .tree = base->subclass});
    }
    add_count(arena, layout, LAYOUT_NEW_OFFSET, graph->rng == SPEC_RNG_FUNCTIONALIZED ? 1 : 0, SPEC_TENSOR);
    layout->first_saved = call->num_results;
    if (saved != NULL) {
        layout->num_saved = saved->num_tensors + saved->num_no_version_check;
        add_count(arena, layout, LAYOUT_SAVED, saved->num_tensors, SPEC_TENSOR);
        add_count(arena, layout, LAYOUT_SAVED_UNCHECKED, saved->num_no_version_check, SPEC_TENSOR);
        add_count(arena, layout, LAYOUT_SAVED_OPAQUE, saved->num_opaque, SPEC_OPAQUE);
        add_count(arena, layout, LAYOUT_SAVED_SYMINT, saved->num_symints, SPEC_INT);
    }
    layout->num_states = saved != NULL && graph->rng == SPEC_RNG_GRAPHSAFE ? graph->num_rng_states : 0;
    layout->first_note = call->num_results - layout->first_saved + layout->num_states;
    layout->num_notes = 1;
}

Layout layout_of(Arena *arena, const Spec *spec, const SpecGraph *graph)
{
    Layout layout;
    memset(&layout, 0, sizeof layout);
    layout.spec = spec;
    layout.graph = graph;
    note_inner(arena, &layout);
    note_inputs(arena, &layout);
    note_arguments(arena, &layout);
    note_results(arena, &layout);
    if (graph->mode == SPEC_TRAINING) {
        layout_note_backward(arena, &layout);
    }
    layout_note_symbols(arena, &layout);
    layout_note_contexts(arena, &layout);
    return layout;
}
