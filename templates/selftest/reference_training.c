/* SPDX-License-Identifier: MIT */
/*
 * reference_training - CompiledFunction.forward after its compiled function: what is saved for the backward, and what
 * autograd sees of the rest.
 */
#include <string.h>

#include "reference_private.h"

/* Puts `now` in the place of a result, whose old reference goes. */
static void replace(Reference *r, size_t position, WgTensor *now)
{
    mock_drop(r->ctx, r->results[position].tensor);
    r->results[position].tensor = now;
}

/* What zeros would be made of, as far as it is not stated. */
static bool save_shapes(Reference *r)
{
    for (uint32_t i = 0; i < r->layout->num_tangents; i++) {
        const LayoutTangent *tangent = &r->layout->tangents[i];
        const WgTensor *t = r->results[tangent->result].tensor;
        int64_t *note = r->call->saved_versions + r->layout->first_note + tangent->first_note;
        if (!tangent->zeros) {
            continue;
        }
        if (tangent->dtype < 0) {
            *note++ = t->object->geometry.dtype;
        }
        if (tangent->device < 0) {
            *note++ = t->object->device;
        }
        for (uint32_t d = 0; d < tangent->size->text_count; d++) {
            const Expr *size = tangent->size->expr[d];
            if (size->kind != EXPR_LITERAL && !evaluate(&r->symbols, size, note++)) {
                return reference_fails(r, WG_E_OVERFLOW, tangent->spec->of);
            }
        }
    }
    return true;
}

/* ctx.save_for_backward: a view that is not a graph input is saved detached. */
static bool save(Reference *r)
{
    const SpecSaved *saved = r->graph->saved;
    for (uint32_t i = 0; i < r->layout->num_saved; i++) {
        const size_t position = (size_t)r->layout->first_saved + i;
        if (!reference_has_result(r, position, NULL)) {
            return false;
        }
        if (r->results[position].tensor->object->is_view && !saved->is_graph_input[i]) {
            WgTensor *detached = NULL;
            if (!reference_did(r, wg_detach(r->ctx, r->results[position].tensor, &detached), NULL)) {
                return false;
            }
            replace(r, position, detached);
        }
        if (i < saved->num_tensors) {
            r->call->saved_versions[i] = r->results[position].tensor->object->version->count;
        }
    }
    for (uint32_t i = 0; i < saved->dynamic_count; i++) {
        int32_t dims[VIEW_RANK];
        const SpecSavedDynamic *dynamic = &saved->dynamic[i];
        for (uint32_t d = 0; d < dynamic->dims.text_count; d++) {
            dims[d] = (int32_t)dynamic->dims.expr[d]->literal;
        }
        const size_t position = r->layout->first_saved + (size_t)dynamic->index.expr->literal;
        if (!reference_did(r, wg_mark_dynamic(r->ctx, r->results[position].tensor, dims, dynamic->dims.text_count),
                           NULL)) {
            return false;
        }
    }
    return true;
}

/* How one returned tensor looks to the autograd node. */
typedef struct Returned {
    bool tensor; /* one that autograd sees: aliases travel boxed */
    bool requires_grad;
    const char *name;
} Returned;

static Returned returned_at(const Reference *r, size_t position)
{
    const LayoutResult *result = &r->inside->results[position];
    if (result->role == LAYOUT_UPDATED) {
        const LayoutInner *inner = &r->layout->inner[result->index];
        return (Returned){inner->mutates_data, inner->requires_grad, inner->name}; /* else boxed */
    }
    if (result->role == LAYOUT_OUTPUT) {
        const SpecOutput *output = &r->graph->outputs[result->index];
        const bool seen = output->kind == SPEC_TENSOR && !layout_is_alias(output->type);
        return (Returned){seen, spec_is(output->requires_grad), output->name};
    }
    if (result->role == LAYOUT_BASE) {
        return (Returned){true, true, r->graph->intermediate_bases[result->index].name};
    }
    return (Returned){false, false, NULL};
}

static bool unsafe_views(Reference *r)
{
    for (uint32_t i = 0; i < r->graph->outputs_count; i++) {
        WgTensor *view = NULL;
        const size_t position = (size_t)r->layout->first_output + i;
        if (r->graph->outputs[i].type != SPEC_UNSAFE_VIEW_ALIAS || r->graph->outputs[i].kind != SPEC_TENSOR) {
            continue;
        }
        if (!reference_did(r, wg_unsafe_view(r->ctx, r->results[position].tensor, &view), r->graph->outputs[i].name)) {
            return false;
        }
        replace(r, position, view);
    }
    return true;
}

/* CompiledFunction.forward: _finalize_ */
static bool finalize(Reference *r)
{
    for (size_t i = 0; i < r->inside->num_results; i++) {
        const Returned returned = returned_at(r, i);
        if (returned.tensor && !reference_has_result(r, i, returned.name)) {
            return false;
        }
    }
    if (!unsafe_views(r) || !reference_separate(r)) {
        return false;
    }
    for (size_t i = 0; i < r->inside->num_results; i++) {
        const Returned returned = returned_at(r, i);
        const bool grad = returned.requires_grad && r->any_grad;
        if (returned.tensor &&
            !reference_did(r, wg_set_requires_grad(r->ctx, r->results[i].tensor, grad), returned.name)) {
            return false;
        }
    }
    return true;
}

/* Whether autograd.Function.apply makes a node: some tensor that it is called with requires grad. */
void reference_look_for_grad(Reference *r)
{
    for (uint32_t i = 0; i < r->layout->num_inner; i++) {
        const SpecRef ref = r->layout->inner[i].ref;
        if (ref.kind == SPEC_REF_SYNTHETIC) {
            r->any_grad = r->any_grad || r->merged[ref.index]->object->requires_grad;
        } else if (r->graph->inputs[ref.index].kind == SPEC_TENSOR && !spec_is(r->graph->inputs[ref.index].frozen) &&
                   !r->layout->detached[ref.index]) {
            r->any_grad = r->any_grad || r->args[ref.index].tensor->object->requires_grad;
        }
    }
}

bool reference_training(Reference *r)
{
    return save(r) && finalize(r) && save_shapes(r);
}
