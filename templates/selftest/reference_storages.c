/* SPDX-License-Identifier: MIT */
/*
 * reference_storages - the geometry of a result says where in its own storage the elements are. Where it is applied to
 * another tensor, that one must have this storage: gen_alias_from_base takes an alias from the base like that, and
 * as_strided_ gives an argument its new metadata.
 */
#include "reference_private.h"

/* What a view may lie in. */
typedef struct Home {
    const WgTensor *base;
    size_t value; /* the position of its new value, if a view of that is as good; else SIZE_MAX */
    bool moved;   /* it takes the storage of its new value */
} Home;

static size_t new_value(const Reference *r, SpecRefKind kind, uint32_t index)
{
    for (uint32_t k = 0; k < r->layout->num_updated; k++) {
        const size_t position = (size_t)r->layout->first_updated + k;
        const SpecRef ref = r->layout->inner[r->inside->results[position].index].ref;
        if (ref.kind == kind && ref.index == index) {
            return position;
        }
    }
    return SIZE_MAX;
}

static Home home_of_input(const Reference *r, uint32_t index)
{
    const SpecInput *input = &r->graph->inputs[index];
    const uint32_t kept = input->duplicate_of < 0 ? index : (uint32_t)input->duplicate_of;
    const SpecInput *facts = &r->graph->inputs[kept];
    const bool moved = spec_is(facts->mutates_storage_metadata);
    if (facts->synthetic_base >= 0) {
        const uint32_t merged = (uint32_t)facts->synthetic_base;
        return (Home){r->merged[merged], new_value(r, SPEC_REF_SYNTHETIC, merged), false};
    }
    const size_t value = moved || spec_is(facts->mutates_metadata) ? new_value(r, SPEC_REF_INPUT, kept) : SIZE_MAX;
    return (Home){r->args[index].tensor, value, moved && value != SIZE_MAX};
}

/* The position of the result that the output is a view of. */
static size_t base_position(const Reference *r, const SpecOutput *output)
{
    const uint32_t first = output->base_ref.kind == SPEC_REF_BASE ? r->layout->first_base : r->layout->first_output;
    return (size_t)first + output->base_ref.index;
}

static bool is_at_home(Reference *r, size_t position, Home home, const char *name)
{
    if (!reference_has_result(r, position, name)) {
        return false;
    }
    const MockStorage *storage = r->results[position].tensor->object->storage;
    bool shares = !home.moved && storage == home.base->object->storage;
    if (home.value != SIZE_MAX) {
        if (!reference_has_result(r, home.value, r->layout->inner[r->inside->results[home.value].index].name)) {
            return false;
        }
        shares = shares || storage == r->results[home.value].tensor->object->storage;
    }
    if (!shares) {
        reference_fails(r, WG_E_RESULT, name);
        r->error->rule = "storage";
    }
    return shares;
}

/* Only the metadata changes: the argument keeps its memory. */
static bool check_metadata(Reference *r)
{
    for (uint32_t k = 0; k < r->layout->num_updated; k++) {
        const size_t position = (size_t)r->layout->first_updated + k;
        const LayoutInner *inner = &r->layout->inner[r->inside->results[position].index];
        if (inner->ref.kind != SPEC_REF_INPUT || r->inside->results[position].tree != NULL) {
            continue;
        }
        const SpecInput *input = &r->graph->inputs[inner->ref.index];
        const bool only = spec_is(input->mutates_metadata) && !spec_is(input->mutates_data) &&
                          !spec_is(input->mutates_storage_metadata);
        const Home home = {r->args[inner->ref.index].tensor, SIZE_MAX, false};
        if (only && !is_at_home(r, position, home, input->name)) {
            return false;
        }
    }
    return true;
}

static bool check_alias(Reference *r, const SpecOutput *output, size_t position)
{
    if (output->base_ref.kind == SPEC_REF_INPUT) {
        return r->graph->inputs[output->base_ref.index].subclass != NULL ||
               is_at_home(r, position, home_of_input(r, output->base_ref.index), output->name);
    }
    const size_t base = base_position(r, output);
    if (r->inside->results[base].tree != NULL) {
        return true;
    }
    return reference_has_result(r, base, output->base) &&
           is_at_home(r, position, (Home){r->results[base].tensor, SIZE_MAX, false}, output->name);
}

bool reference_check_storages(Reference *r)
{
    if (r->graph->check < SPEC_CHECK_CHEAP) {
        return true;
    }
    if (!check_metadata(r)) {
        return false;
    }
    for (uint32_t i = 0; i < r->graph->outputs_count; i++) {
        const SpecOutput *output = &r->graph->outputs[i];
        const bool by_result = output->kind == SPEC_TENSOR && layout_is_alias(output->type) &&
                               output->type != SPEC_IS_INPUT && output->view_count == 0 && output->as_strided == NULL;
        if (by_result && output->subclass == NULL && !check_alias(r, output, (size_t)r->layout->first_output + i)) {
            return false;
        }
    }
    return true;
}
