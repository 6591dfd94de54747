/* SPDX-License-Identifier: MIT */
/* reference_mutations - what is written to arguments after the compiled call: the mutation epilogue. */
#include "reference_private.h"

#include <stddef.h>

static bool mutate(Reference *r, uint32_t i, WgTensor *u)
{
    const SpecInput *input = &r->graph->inputs[i];
    WgContext *ctx = r->ctx;
    WgTensor *o = r->args[i].tensor;
    if (spec_is(input->mutates_storage_metadata)) {
        return reference_did(
            r, spec_is(input->mutation_is_shallow_copy_data) ? wg_shallow_copy_data_(ctx, o, u) : wg_set_(ctx, o, u),
            input->name);
    }
    if (spec_is(input->mutates_metadata) && !reference_did(r, wg_restride_like_(ctx, o, u), input->name)) {
        return false;
    }
    if (!spec_is(input->mutates_data)) {
        return true;
    }
    if (spec_is(input->is_leaf) && o->object->requires_grad) {
        return reference_did(r, wg_copy_leaf_(ctx, o, u), input->name);
    }
    if (input->stream != NULL && input->stream_index >= 0) {
        return reference_fails_with(r, WG_E_STREAM, input->name, -1, -1, input->stream_index);
    }
    return reference_did(r, wg_copy_(ctx, o, u), input->name);
}

/* A base is written as a whole. */
static bool mutate_base(Reference *r, const LayoutInner *inner, WgTensor *u)
{
    const SpecSynthetic *synthetic = &r->graph->synthetic_bases[inner->ref.index];
    WgTensor *o = r->merged[inner->ref.index];
    const bool leaf = spec_is(r->graph->inputs[synthetic->member_index[0]].is_leaf) && o->object->requires_grad;
    return reference_did(r, leaf ? wg_copy_leaf_(r->ctx, o, u) : wg_copy_(r->ctx, o, u), inner->name);
}

bool reference_mutate(Reference *r)
{
    for (uint32_t k = 0; k < r->layout->num_updated; k++) {
        const size_t position = (size_t)r->layout->first_updated + k;
        const LayoutInner *inner = &r->layout->inner[r->inside->results[position].index];
        WgTensor *u = r->results[position].tensor;
        if (!reference_has_result(r, position, inner->name) ||
            (inner->ref.kind == SPEC_REF_SYNTHETIC ? !mutate_base(r, inner, u) : !mutate(r, inner->ref.index, u))) {
            return false;
        }
    }
    return true;
}

/* Step 5 of the synthetic base wrapper, the outermost one that has something to do after the call. */
bool reference_restride_members(Reference *r)
{
    for (uint32_t k = 0; k < r->layout->num_members; k++) {
        const size_t position = (size_t)r->layout->first_member + k;
        const SpecInput *member = &r->graph->inputs[r->inside->results[position].index];
        WgTensor *o = r->args[r->inside->results[position].index].tensor;
        if (!reference_has_result(r, position, member->name) ||
            !reference_did(r, wg_restride_like_(r->ctx, o, r->results[position].tensor), member->name)) {
            return false;
        }
    }
    return true;
}
