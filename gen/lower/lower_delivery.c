/* SPDX-License-Identifier: MIT */
/* lower_delivery - delivers outputs and what is saved, and releases the rest of what the compiled function returned. */
#include "lower.h"

#include <inttypes.h>
#include <string.h>

static void deliver_outputs(Lower *lower, bool *given)
{
    for (uint32_t i = 0; i < lower->graph->outputs_count && !lower->plan->direct_results; i++) {
        const SpecOutput *output = &lower->graph->outputs[i];
        const uint32_t position = lower_result_output(lower, i);
        if (output->kind == SPEC_TENSOR) {
            LOWER_EMIT(lower, deliver_tensor, operand_count(i), operand_tensor(lower->final[i]));
            given[lower->value[position]] = lower->final[i] == lower->value[position];
        } else if (output->kind == SPEC_NONE) {
            LOWER_EMIT(lower, deliver_none, operand_count(i));
        } else {
            LOWER_EMIT(lower, deliver_value, operand_count(i),
                       operand_count(lower->plan->slots[lower->value[position]].index));
        }
    }
}

static void deliver_saved(Lower *lower, bool *given)
{
    const SpecSaved *saved = lower->graph->saved;
    if (saved == NULL) {
        return;
    }
    uint32_t nth = 0;
    for (uint32_t i = 0; i < saved->num_tensors; i++, nth++) {
        given[lower->value[lower_result_saved(lower, nth)]] = true;
        LOWER_EMIT(lower, save_tensor, operand_count(i), operand_tensor(lower->value[lower_result_saved(lower, nth)]));
    }
    for (uint32_t i = 0; i < saved->num_no_version_check; i++, nth++) {
        given[lower->value[lower_result_saved(lower, nth)]] = true;
        LOWER_EMIT(lower, save_unchecked, operand_count(i),
                   operand_tensor(lower->value[lower_result_saved(lower, nth)]));
    }
    for (uint32_t i = 0; lower->rng_state != NULL && i < lower->graph->num_rng_states; i++) {
        LOWER_EMIT(lower, save_rng_state, operand_count(i), operand_tensor(lower->rng_state[i]));
    }
    for (uint32_t i = 0; i < saved->num_opaque; i++, nth++) {
        LOWER_EMIT(lower, save_opaque, operand_count(i),
                   operand_count(lower->plan->slots[lower->value[lower_result_saved(lower, nth)]].index));
    }
    for (uint32_t i = 0; i < saved->num_symints; i++, nth++) {
        LOWER_EMIT(lower, save_symint, operand_count(i),
                   operand_count(lower->plan->slots[lower->value[lower_result_saved(lower, nth)]].index));
    }
}

static bool is_left(const Plan *plan, const bool *given, uint32_t result)
{
    const uint32_t slot = plan->first_result + result;
    return plan->slots[slot].owned && !given[slot];
}

/* Updated values, alias targets, bases, tokens: tensors that were returned but are not delivered. */
static void release_rest(Lower *lower, bool *given)
{
    const Plan *plan = lower->plan;
    lower_at(lower, lower->graph, "", LOWER_WHOLE);
    for (uint32_t i = 0; i < lower_result_rng(lower); i++) {
        const uint32_t slot = lower->value[i];
        if (plan->slots[slot].role == SLOT_TEMPORARY && !given[slot]) {
            LOWER_EMIT(lower, release, operand_tensor(slot)); /* a rebuilt subclass */
        }
    }
    for (uint32_t i = 0; i < plan->num_results && !plan->direct_results;) {
        uint32_t n = 0;
        while (i + n < plan->num_results && is_left(plan, given, i + n)) {
            n++;
        }
        if (n > 0) {
            LOWER_EMIT(lower, release_run, operand_count(i), operand_count(n));
        }
        i += n == 0 ? 1 : n;
    }
    for (uint32_t i = 0; i < lower->graph->synthetic_bases_count; i++) {
        LOWER_EMIT(lower, release, operand_tensor(lower->synthetic[i]));
    }
    for (uint32_t i = 0; i < lower->graph->inputs_count; i++) {
        if (lower->plan->slots[lower->original[i]].role == SLOT_TEMPORARY) {
            LOWER_EMIT(lower, release, operand_tensor(lower->original[i]));
        }
    }
}

/* Whether rebuilding reads the host depends on where its outer size comes from. */
static bool op_reads(const Lower *lower, const Op *op)
{
    const PlanGeometry *outer = op->kind == OP_rebuild ? op->operands[4].as.geometry : NULL;
    if (op->kind == OP_rebuild) {
        return outer != NULL && (outer->size_from >= 0 || outer->stride_from >= 0);
    }
    return verbs_op_reads(lower->host->known, op->kind);
}

bool lower_reads_are_unchecked(const Lower *lower)
{
    bool reads = false;
    for (const Op *op = lower->list->first; op != NULL; op = op->next) {
        reads = (reads || op_reads(lower, op)) && op->kind != OP_check_host;
    }
    return reads;
}

void lower_check_reads(Lower *lower)
{
    if (lower_reads_are_unchecked(lower)) {
        LOWER_EMIT(lower, check_host, lower_host_site(lower, NULL, "read"));
    }
}

/* Flat results that a rebuild took have been given away. */
static void mark_rebuilt(const Lower *lower, bool *given)
{
    for (const Op *op = lower->plan->ops.first; op != NULL; op = op->next) {
        for (uint32_t i = 0; op->kind == OP_rebuild && i < op->operands[3].num; i++) {
            given[op->operands[3].as.slots[i]] = true;
        }
    }
}

void lower_delivery(Lower *lower)
{
    bool *given = ARENA_ARRAY(lower->arena, bool, (size_t)lower->plan->num_slots + 1); /* by slot */
    lower_at(lower, lower->graph, "", LOWER_WHOLE);
    (void)lower_section(lower, LAYER_delivery);
    if (lower->plan->facts.num_mutated_returns > 0 || lower->plan->facts.aliased_outputs.count > 0) {
        LOWER_EMIT(lower, check_host, lower_host_site(lower, NULL, "read")); /* the epilogue has read the host, too */
    }
    lower_check_reads(lower);
    if (lower->graph->grad_enabled_mutation == SPEC_TRUE || lower->graph->grad_enabled_mutation == SPEC_FALSE) {
        LOWER_EMIT(lower, set_grad_mode, operand_flag(spec_is(lower->graph->grad_enabled_mutation)));
    }
    deliver_outputs(lower, given);
    deliver_saved(lower, given);
    mark_rebuilt(lower, given);
    release_rest(lower, given);
}
