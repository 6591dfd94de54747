/* SPDX-License-Identifier: MIT */
/*
 * layout_backward - what the compiled backward gets and returns.
 *
 * Arguments: symints, saved tensors, unchecked ones, opaque objects, flat tangents, nulls for tokens, seed and offset.
 * Results: a gradient for each flat argument of the forward's inner function, the RNG offset, tokens.
 */
#include <string.h>

#include "../core/wg_core.h"
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

static uint32_t count_notes(const LayoutTangent *tangent)
{
    uint32_t count = (tangent->dtype < 0 ? 1U : 0U) + (tangent->device < 0 ? 1U : 0U);
    for (uint32_t d = 0; d < tangent->size->text_count; d++) {
        count += tangent->size->expr[d]->kind != EXPR_LITERAL ? 1 : 0;
    }
    return count;
}

static int32_t whole_device(int32_t type, int32_t index)
{
    return type < 0 || (index < 0 && type != WG_CPU) ? -1 : type * 256 + (index < 0 ? 0 : index);
}

/* Autograd fills in zeros of the result's size, dtype and device: where the size is stated, and so the rank known. */
static void note_zeros(Layout *layout, LayoutTangent *tangent, const LayoutResult *result)
{
    const SpecGraph *graph = layout->graph;
    if (result->role == LAYOUT_OUTPUT) {
        const SpecOutput *output = &graph->outputs[result->index];
        tangent->dtype = output->dtype_code;
        tangent->device = whole_device(output->device_type, output->device_index);
        tangent->size = &output->size;
    } else if (result->role == LAYOUT_BASE) {
        const SpecBase *base = &graph->intermediate_bases[result->index];
        tangent->dtype = base->dtype_code;
        tangent->device = whole_device(base->device_type, base->device_index);
        tangent->size = &base->size;
    } else if (layout->inner[result->index].ref.kind == SPEC_REF_INPUT) {
        const SpecInput *input = &graph->inputs[layout->inner[result->index].ref.index];
        tangent->dtype = input->dtype_code;
        tangent->device = whole_device(input->device_type, input->device_index);
        tangent->size = spec_is(input->mutates_metadata) ? &tangent->spec->size : &input->size;
    } else {
        tangent->dtype = -1;
        tangent->device = -1;
        tangent->size = &tangent->spec->size;
    }
    tangent->size = tangent->spec->size.text != NULL ? &tangent->spec->size : tangent->size;
    tangent->zeros =
        tangent->spec->kept != SPEC_FALSE && tangent->spec->subclass == NULL && tangent->size->text != NULL;
    tangent->first_note = layout->num_notes;
    layout->num_notes += tangent->zeros ? count_notes(tangent) : 0;
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
            LayoutTangent *tangent = &layout->tangents[layout->num_tangents++];
            *tangent = (LayoutTangent){.spec = spec, .returned = layout->num_returned, .result = i};
            note_zeros(layout, tangent, &forward->results[i]);
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
    layout_add_generators(arena, call, layout->graph);
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
