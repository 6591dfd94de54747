/* SPDX-License-Identifier: MIT */
/*
 * layout_backward - what the compiled backward gets and returns.
 *
 * Arguments: symints, saved tensors, unchecked ones, opaque objects, flat tangents, nulls for tokens, seed and offset.
 * Results: a gradient for each flat argument of the forward's inner function, the RNG offset, tokens.
 */
#include <string.h>

#include "layout.h"

static const SpecTangent *tangent_of(const SpecBackward *backward, const char *name)
{
    for (uint32_t i = 0; i < backward->tangents_count; i++) {
        if (strcmp(backward->tangents[i].of, name) == 0) {
            return &backward->tangents[i];
        }
    }
    return NULL;
}

static const SpecGradInput *gradient_of(const SpecBackward *backward, const char *name)
{
    for (uint32_t i = 0; i < backward->grad_inputs_count; i++) {
        if (strcmp(backward->grad_inputs[i].of, name) == 0) {
            return &backward->grad_inputs[i];
        }
    }
    return NULL;
}

/* Whether autograd hands a gradient on for what stands at that position of the forward's results. */
static bool survives(const Layout *layout, const LayoutResult *result)
{
    if (result->role == LAYOUT_UPDATED) {
        const LayoutInner *inner = &layout->inner[result->index];
        return inner->mutates_data && inner->requires_grad;
    }
    if (result->role == LAYOUT_OUTPUT) {
        const SpecOutput *output = &layout->graph->outputs[result->index];
        return !layout_is_alias(output->type) && output->kind == SPEC_TENSOR &&
               spec_is(output->requires_grad_for_backward);
    }
    return result->role == LAYOUT_BASE;
}

static void note_tangents(Arena *arena, Layout *layout)
{
    const LayoutCall *forward = &layout->forward;
    layout->tangents = ARENA_ARRAY(arena, LayoutTangent, (size_t)forward->num_results + 1);
    for (uint32_t i = layout->first_updated; i < layout->first_saved; i++) {
        if (forward->results[i].role == LAYOUT_NEW_OFFSET) {
            continue;
        }
        if (survives(layout, &forward->results[i])) {
            const SpecTangent *spec = tangent_of(layout->graph->backward, forward->results[i].name);
            layout->tangents[layout->num_tangents++] = (LayoutTangent){spec, layout->num_returned};
        }
        layout->num_returned++;
    }
}

static void add_arguments(Arena *arena, LayoutCall *call, LayoutSource source, uint32_t count, SpecKind kind)
{
    for (uint32_t i = 0; i < count; i++) {
        layout_add_argument(arena, call, source, i, kind);
    }
}

static void note_arguments(Arena *arena, Layout *layout)
{
    const SpecSaved *saved = layout->graph->saved;
    LayoutCall *call = &layout->backward;
    add_arguments(arena, call, LAYOUT_SAVED_VALUE, saved->num_symints, SPEC_INT);
    add_arguments(arena, call, LAYOUT_SAVED_VALUE, saved->num_tensors + saved->num_no_version_check, SPEC_TENSOR);
    add_arguments(arena, call, LAYOUT_SAVED_VALUE, saved->num_opaque, SPEC_OPAQUE);
    for (uint32_t i = 0; i < layout->num_tangents; i++) {
        const SpecSubclass *tree = layout->tangents[i].spec->subclass;
        if (tree != NULL) {
            layout_add_parts(arena, call, LAYOUT_TANGENT, i, tree);
        } else {
            layout_add_argument(arena, call, LAYOUT_TANGENT, i, SPEC_TENSOR);
        }
    }
    add_arguments(arena, call, LAYOUT_NULL, layout->graph->backward->num_tokens, SPEC_TENSOR);
    if (layout->graph->rng == SPEC_RNG_FUNCTIONALIZED) {
        add_arguments(arena, call, LAYOUT_RNG, 2, SPEC_TENSOR);
    }
}

/* How many values come back for an inner argument: its flat ones, but a single null for a subclass without a gradient
 * (PyTorch 2.13 unwraps the gradients, not the inputs). */
static uint32_t width(Arena *arena, const Layout *layout, const LayoutInner *inner, const SpecSubclass *tree)
{
    LayoutCall counted;
    const SpecInput *input = inner->ref.kind == SPEC_REF_INPUT ? &layout->graph->inputs[inner->ref.index] : NULL;
    memset(&counted, 0, sizeof counted);
    if (input == NULL || spec_is(input->frozen)) {
        return 1;
    }
    if (input->subclass != NULL && tree == NULL) {
        return 1;
    }
    if (input->subclass != NULL) {
        layout_add_parts(arena, &counted, LAYOUT_PART, 0, input->subclass);
        return counted.num_arguments;
    }
    return 1 + input->symbol_args.text_count;
}

void layout_note_backward(Arena *arena, Layout *layout)
{
    LayoutCall *call = &layout->backward;
    note_tangents(arena, layout);
    note_arguments(arena, layout);
    layout->gradients = ARENA_ARRAY(arena, uint32_t, (size_t)layout->num_inner + 1);
    for (uint32_t i = 0; i < layout->num_inner; i++) {
        const LayoutInner *inner = &layout->inner[i];
        const SpecGradInput *gradient = gradient_of(layout->graph->backward, inner->name);
        if (gradient->kind == SPEC_TENSOR) {
            layout->gradients[layout->num_gradients++] = call->num_results;
        }
        layout_add_result(arena, call,
                          (LayoutResult){.role = LAYOUT_GRADIENT,
                                         .index = i,
                                         .kind = SPEC_TENSOR,
                                         .name = inner->name,
                                         .tree = gradient->subclass,
                                         .num_flat = width(arena, layout, inner, gradient->subclass)});
    }
    if (layout->graph->rng == SPEC_RNG_FUNCTIONALIZED) {
        layout_add_result(arena, call, (LayoutResult){.role = LAYOUT_NEW_OFFSET, .kind = SPEC_TENSOR});
    }
    for (uint32_t i = 0; i < layout->graph->backward->num_tokens; i++) {
        layout_add_result(arena, call, (LayoutResult){.role = LAYOUT_TOKEN, .kind = SPEC_TENSOR});
    }
}
