/* SPDX-License-Identifier: MIT */
/*
 * lower_synthetic - inputs that share a storage, at least one of them mutated, are passed as one synthetic base: the
 * graph was traced over it and regenerates the members itself.
 *
 * Source: AOTAutograd's AOTSyntheticBaseWrapper, with one difference on purpose: outputs that are views of a member are
 * regenerated from the base by geometry relative to the storage, never by replaying the member's view sequence on the
 * base (pytorch#198095). Every call tests that the members do share a storage, since that decides where writes go.
 */
#include "lower.h"

static void lower_merge(Lower *lower, uint32_t index)
{
    const SpecSynthetic *synthetic = &lower->graph->synthetic_bases[index];
    const uint32_t first = synthetic->member_index[0];
    lower_at(lower, synthetic, ".synthetic_bases", index);
    for (uint32_t i = 1; i < synthetic->members.text_count; i++) {
        const uint32_t member = synthetic->member_index[i];
        const Site *site =
            plan_site(lower->plan, lower->graph->inputs[member].name, "storage", "WG_E_IDENTITY", "WG_KIND_NONE");
        LOWER_EMIT(lower, check_same_storage, operand_tensor(first), operand_tensor(member), operand_site(site));
    }
    lower->synthetic[index] = lower_temporary(lower, "merged", synthetic->name);
    const Operand dst = operand_tensor(lower->synthetic[index]);
    const Operand site = lower_host_site(lower, synthetic->name, "base");
    if (synthetic->base == SPEC_SYNTHETIC_VIEW_BASE) {
        LOWER_EMIT(lower, view_base, dst, operand_tensor(first),
                   operand_values(synthetic->member_index, synthetic->members.text_count), site);
    } else {
        LOWER_EMIT(lower, storage_base, dst, operand_tensor(first), site);
    }
}

void lower_synthetic_bases(Lower *lower)
{
    if (lower->graph->synthetic_bases_count == 0) {
        return;
    }
    lower->synthetic = ARENA_ARRAY(lower->arena, uint32_t, lower->graph->synthetic_bases_count);
    lower_at(lower, lower->graph, ".synthetic_bases", LOWER_WHOLE);
    (void)lower_section(lower, LAYER_synthetic_base_wrapper);
    for (uint32_t i = 0; i < lower->graph->synthetic_bases_count; i++) {
        lower_merge(lower, i);
    }
}

/* Comes after everything that the inner wrappers do: the members take the geometry that the graph returned for them. */
void lower_member_metadata(Lower *lower)
{
    const IndexList *members = &lower->plan->facts.member_metadata;
    if (members->count == 0) {
        return;
    }
    lower_at(lower, lower->graph, ".synthetic_bases", LOWER_WHOLE);
    (void)lower_section(lower, LAYER_synthetic_base_wrapper);
    for (uint32_t i = 0; i < members->count; i++) {
        const SpecInput *input = &lower->graph->inputs[members->at[i]];
        const uint32_t src = lower->value[lower_result_member(lower, i)];
        lower_at(lower, input, ".inputs", members->at[i]);
        lower_check_result(lower, src, input->name);
        LOWER_EMIT(lower, restride_like_, operand_tensor(lower->original[members->at[i]]), operand_tensor(src),
                   lower_host_site(lower, input->name, "restride"));
    }
}
