/* SPDX-License-Identifier: MIT */
/*
 * lower_mutation - the mutation epilogue: writes values that the graph computed for inputs back into them, in input
 * order, before any output alias is regenerated.
 *
 * Source: AOTAutograd's runtime epilogue (_apply_mutations, the reference rather than its generated twin when the two
 * differ: shallow_copy_data_ is not set_, and a stream is refused on a leaf without grad too).
 */
#include "lower.h"

/* The stream test comes after the run-time leaf test: a leaf that requires grad is written by detach().copy_(). */
static void lower_copy(Lower *lower, const SpecInput *input, uint32_t dst, uint32_t src)
{
    const Operand copy_site = lower_host_site(lower, input->name, "copy");
    if (input->stream_index < 0) {
        if (spec_is(input->is_leaf)) {
            LOWER_EMIT(lower, copy_leaf_, operand_tensor(dst), operand_tensor(src), copy_site);
        } else {
            LOWER_EMIT(lower, copy_, operand_tensor(dst), operand_tensor(src), copy_site);
        }
        return;
    }
    const Operand stream = operand_literal(input->stream_index);
    const Operand stream_site =
        operand_site(plan_site(lower->plan, input->name, "stream", "WG_E_STREAM", "WG_KIND_INTEGER"));
    /* The rules refuse a stream on a non-leaf, for which every call would fail. */
    LOWER_EMIT(lower, copy_leaf_or_refuse, operand_tensor(dst), operand_tensor(src), stream, copy_site, stream_site);
}

static void lower_mutation(Lower *lower, const SpecInput *input, uint32_t dst, uint32_t src)
{
    lower_check_result(lower, src, input->name);
    if (spec_is(input->mutates_storage_metadata)) {
        if (spec_is(input->mutation_is_shallow_copy_data)) {
            LOWER_EMIT(lower, shallow_copy_data_, operand_tensor(dst), operand_tensor(src),
                       lower_host_site(lower, input->name, "data"));
        } else {
            LOWER_EMIT(lower, set_, operand_tensor(dst), operand_tensor(src),
                       lower_host_site(lower, input->name, "set"));
        }
        return; /* later data and metadata mutations are contained in the value */
    }
    if (spec_is(input->mutates_metadata)) {
        LOWER_EMIT(lower, restride_like_, operand_tensor(dst), operand_tensor(src),
                   lower_host_site(lower, input->name, "restride"));
    }
    if (spec_is(input->mutates_data)) {
        lower_copy(lower, input, dst, src);
    }
}

/* A merged tensor is written as a whole: its members' metadata is returned separately (lower_member_metadata). */
static void lower_base_mutation(Lower *lower, uint32_t index, uint32_t src)
{
    const SpecSynthetic *synthetic = &lower->graph->synthetic_bases[index];
    const Operand dst = operand_tensor(lower->synthetic[index]);
    const Operand site = lower_host_site(lower, synthetic->name, "copy");
    lower_at(lower, synthetic, ".synthetic_bases", index);
    lower_check_result(lower, src, synthetic->name);
    if (spec_is(lower->graph->inputs[synthetic->member_index[0]].is_leaf)) { /* all members are leaves, or none is */
        LOWER_EMIT(lower, copy_leaf_, dst, operand_tensor(src), site);
    } else {
        LOWER_EMIT(lower, copy_, dst, operand_tensor(src), site);
    }
}

void lower_mutations(Lower *lower)
{
    const GraphFacts *facts = &lower->plan->facts;
    if (facts->num_mutated_returns == 0) {
        return;
    }
    lower_at(lower, lower->graph, ".inputs", LOWER_WHOLE);
    (void)lower_section(lower, LAYER_mutation_epilogue);
    uint32_t nth = 0;
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        const InnerArg *arg = &facts->inner_args[i];
        if (arg->mutation_type != MUTATED_OUT_GRAPH) {
            continue;
        }
        const uint32_t src = lower->value[lower_result_mutated(lower, nth++)];
        if (arg->ref.kind == SPEC_REF_SYNTHETIC) {
            lower_base_mutation(lower, arg->ref.index, src);
        } else {
            const SpecInput *input = &lower->graph->inputs[arg->ref.index];
            lower_at(lower, input, ".inputs", arg->ref.index);
            lower_mutation(lower, input, lower_original(lower, arg->ref.index, facts->num_mutated_returns), src);
        }
    }
}
