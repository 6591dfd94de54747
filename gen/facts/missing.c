/* SPDX-License-Identifier: MIT */
/*
 * missing - see missing.h.
 */
#include "missing.h"

#include "../../templates/core/wg_core.h"
#include "../algebra/expr.h"

/* What is stated about the value that a tangent belongs to; no size if it may have moved. */
static Missing stated(const SpecGraph *graph, const SpecTangent *tangent)
{
    const SpecRef ref = tangent->of_ref;
    int32_t device_type = -1;
    int32_t device_index = -1;
    Missing missing = {.dtype = -1, .device = -1};
    if (ref.kind == SPEC_REF_OUTPUT) {
        const SpecOutput *output = &graph->outputs[ref.index];
        missing.dtype = output->dtype_code;
        missing.size = &output->size;
        device_type = output->device_type;
        device_index = output->device_index;
    } else if (ref.kind == SPEC_REF_BASE) {
        const SpecBase *base = &graph->intermediate_bases[ref.index];
        missing.dtype = base->dtype_code;
        missing.size = &base->size;
        device_type = base->device_type;
        device_index = base->device_index;
    } else if (ref.kind == SPEC_REF_INPUT) {
        const SpecInput *input = &graph->inputs[ref.index];
        missing.dtype = input->dtype_code;
        missing.size = spec_is(input->mutates_metadata) ? NULL : &input->size;
        device_type = input->device_type;
        device_index = input->device_index;
    }
    if (device_type >= 0 && (device_index >= 0 || device_type == WG_CPU)) {
        missing.device = device_type * 256 + (device_index > 0 ? device_index : 0);
    }
    return missing;
}

static uint32_t num_kept(const Missing *missing)
{
    int64_t literal = 0;
    uint32_t count = (missing->dtype < 0 ? 1U : 0U) + (missing->device < 0 ? 1U : 0U);
    for (uint32_t i = 0; i < missing->size->text_count; i++) {
        count += expr_is_literal(missing->size->expr[i], &literal) ? 0 : 1;
    }
    return count;
}

MissingList missing_tangents(Arena *arena, const SpecGraph *graph)
{
    const SpecBackward *backward = graph->backward;
    Missing *all = ARENA_ARRAY(arena, Missing, (size_t)backward->tangents_count + 1);
    MissingList list = {all, 0};
    for (uint32_t i = 0; i < backward->tangents_count; i++) {
        const SpecTangent *tangent = &backward->tangents[backward->tangent_order[i]];
        all[i] = stated(graph, tangent);
        if (tangent->size.text != NULL) {
            all[i].size = &tangent->size;
        }
        all[i].possible = tangent->kept != SPEC_FALSE && tangent->subclass == NULL && all[i].size != NULL &&
                          all[i].size->text != NULL;
        all[i].first = list.num_shapes;
        list.num_shapes += all[i].possible ? num_kept(&all[i]) : 0;
    }
    return list;
}
