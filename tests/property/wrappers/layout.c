/* SPDX-License-Identifier: MIT */
/*
 * layout - see layout.h.
 */
#include "layout.h"

#include <stdlib.h>
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

static LayoutMutation mutation_of(const SpecGraph *graph, const SpecInput *input)
{
    if (!spec_is(input->mutates_data) && !spec_is(input->mutates_metadata) &&
        !spec_is(input->mutation_inductor_storage_resize)) {
        return LAYOUT_UNTOUCHED;
    }
    return can_be_in_graph(graph, input) ? LAYOUT_IN_GRAPH : LAYOUT_OUT_GRAPH;
}

bool layout_is_passed(const SpecInput *input)
{
    return input->duplicate_of < 0 && !spec_is(input->frozen);
}

bool layout_is_alias(SpecOutputType type)
{
    return type != SPEC_NON_ALIAS && type != SPEC_UNSAFE_VIEW_ALIAS && type != SPEC_CUSTOM_FUNCTION_VIEW;
}

/* The joint graph gives it no gradient, though it has a history: it goes in detached (pytorch issue 97745). */
static bool goes_in_detached(const SpecGraph *graph, uint32_t index, LayoutMutation mutation)
{
    const SpecInput *input = &graph->inputs[index];
    if (graph->mode != SPEC_TRAINING || graph->backward == NULL || input->kind != SPEC_TENSOR) {
        return false;
    }
    if (!spec_is(input->requires_grad) || spec_is(input->is_leaf)) {
        return false;
    }
    if (mutation == LAYOUT_IN_GRAPH && spec_is(input->mutates_storage_metadata)) {
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
    layout->mutation = ARENA_ARRAY(arena, LayoutMutation, graph->inputs_count);
    layout->bumped = ARENA_ARRAY(arena, bool, graph->inputs_count);
    layout->detached = ARENA_ARRAY(arena, bool, graph->inputs_count);
    layout->kept = ARENA_ARRAY(arena, bool, graph->inputs_count);
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const SpecInput *input = &graph->inputs[i];
        layout->mutation[i] = mutation_of(graph, input);
        layout->bumped[i] = spec_is(graph->keep_input_mutations) && layout->mutation[i] == LAYOUT_IN_GRAPH &&
                            !spec_is(input->mutations_hidden_from_autograd);
        layout->detached[i] = goes_in_detached(graph, i, layout->mutation[i]);
        layout->kept[i] = layout->mutation[i] == LAYOUT_OUT_GRAPH;
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

/* ---- arguments: tokens, inputs with their symbolic sizes and strides behind each, RNG ---- */

static void add_argument(Layout *layout, LayoutSource source, uint32_t input, int32_t dimension, SpecKind kind)
{
    layout->arguments[layout->num_arguments++] = (LayoutArgument){source, input, dimension, kind};
}

static void note_arguments(Arena *arena, Layout *layout)
{
    const SpecGraph *graph = layout->graph;
    size_t most = (size_t)graph->num_tokens + graph->inputs_count + 2;
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        most += graph->inputs[i].symbol_args.text_count;
    }
    layout->arguments = ARENA_ARRAY(arena, LayoutArgument, most);
    for (uint32_t i = 0; i < graph->num_tokens; i++) {
        add_argument(layout, LAYOUT_NULL, 0, -1, SPEC_TENSOR);
    }
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const SpecInput *input = &graph->inputs[i];
        if (input->duplicate_of >= 0) {
            continue;
        }
        add_argument(layout, spec_is(input->frozen) ? LAYOUT_NULL : LAYOUT_INPUT, i, -1, input->kind);
        for (uint32_t k = 0; k < input->symbol_args.text_count; k++) {
            const char *text = input->symbol_args.text[k];
            const int32_t dimension = (int32_t)strtol(strchr(text, '.') + 1, NULL, 10);
            add_argument(layout, text[1] == 'i' ? LAYOUT_SIZE : LAYOUT_STRIDE, i, dimension, SPEC_INT);
        }
    }
    if (graph->rng == SPEC_RNG_FUNCTIONALIZED) {
        add_argument(layout, LAYOUT_RNG_SEED, 0, -1, SPEC_TENSOR);
        add_argument(layout, LAYOUT_RNG_OFFSET, 0, -1, SPEC_TENSOR);
    }
}

/* ---- results: tokens, updated inputs, outputs, bases, RNG offset, saved ---- */

static void add_result(Layout *layout, LayoutRole role, uint32_t index, SpecKind kind)
{
    layout->results[layout->num_results++] = (LayoutResult){role, index, kind};
}

static void add_saved(Layout *layout, LayoutRole role, uint32_t count, SpecKind kind)
{
    for (uint32_t i = 0; i < count; i++) {
        add_result(layout, role, i, kind);
    }
}

static void note_results(Arena *arena, Layout *layout)
{
    const SpecGraph *graph = layout->graph;
    const SpecSaved *saved = graph->mode == SPEC_TRAINING ? graph->saved : NULL;
    size_t most =
        (size_t)graph->num_tokens + graph->inputs_count + graph->outputs_count + graph->intermediate_bases_count + 1;
    if (saved != NULL) {
        layout->num_saved = saved->num_tensors + saved->num_no_version_check;
        most += (size_t)layout->num_saved + saved->num_opaque + saved->num_symints;
    }
    layout->results = ARENA_ARRAY(arena, LayoutResult, most);
    add_saved(layout, LAYOUT_TOKEN, graph->num_tokens, SPEC_TENSOR);
    layout->first_updated = layout->num_results;
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        if (layout->mutation[i] == LAYOUT_OUT_GRAPH) {
            add_result(layout, LAYOUT_UPDATED, i, SPEC_TENSOR);
            layout->num_updated++;
        }
    }
    layout->first_output = layout->num_results;
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        add_result(layout, LAYOUT_OUTPUT, i, graph->outputs[i].kind);
    }
    layout->first_base = layout->num_results;
    add_saved(layout, LAYOUT_BASE, graph->intermediate_bases_count, SPEC_TENSOR);
    if (graph->rng == SPEC_RNG_FUNCTIONALIZED) {
        add_result(layout, LAYOUT_NEW_OFFSET, 0, SPEC_TENSOR);
    }
    layout->first_saved = layout->num_results;
    if (saved != NULL) {
        add_saved(layout, LAYOUT_SAVED, saved->num_tensors, SPEC_TENSOR);
        add_saved(layout, LAYOUT_SAVED_UNCHECKED, saved->num_no_version_check, SPEC_TENSOR);
        add_saved(layout, LAYOUT_SAVED_OPAQUE, saved->num_opaque, SPEC_OPAQUE);
        add_saved(layout, LAYOUT_SAVED_SYMINT, saved->num_symints, SPEC_INT);
    }
}

Layout layout_of(Arena *arena, const Spec *spec, const SpecGraph *graph)
{
    Layout layout;
    memset(&layout, 0, sizeof layout);
    layout.spec = spec;
    layout.graph = graph;
    note_inputs(arena, &layout);
    note_arguments(arena, &layout);
    note_results(arena, &layout);
    return layout;
}
