/* SPDX-License-Identifier: MIT */
/*
 * lower_missing - zeros for a kept tangent that the caller does not pass: the forward keeps their properties that are
 * not stated, the backward makes them.
 *
 * Source: autograd's PyNode::apply, which materializes the gradients of a Function's results (VariableInfo::zeros).
 */
#include "lower.h"

#include <inttypes.h>

static void save_shape(Lower *lower, const Missing *missing, uint32_t slot, const char *name)
{
    uint32_t next = missing->first;
    int64_t literal = 0;
    if (missing->dtype < 0) {
        LOWER_EMIT(lower, save_dtype, operand_count(next++), operand_tensor(slot));
    }
    if (missing->device < 0) {
        LOWER_EMIT(lower, save_device, operand_count(next++), operand_tensor(slot));
    }
    for (uint32_t i = 0; i < missing->size->text_count; i++) {
        if (!expr_is_literal(missing->size->expr[i], &literal)) {
            LOWER_EMIT(lower, save_integer, operand_count(next++),
                       operand_integer(lower_expr(lower, missing->size->expr[i])));
        }
    }
    lower_check_overflow(lower, name);
}

/* The position of a tangent's value among the results. */
static uint32_t result_of(const Lower *lower, SpecRef ref)
{
    const GraphFacts *facts = &lower->plan->facts;
    uint32_t nth = 0;
    if (ref.kind == SPEC_REF_OUTPUT) {
        return lower->value[lower_result_output(lower, ref.index)];
    }
    if (ref.kind == SPEC_REF_BASE) {
        return lower->value[lower_result_base(lower, ref.index)];
    }
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        const InnerArg *arg = &facts->inner_args[i];
        if (arg->ref.kind == ref.kind && arg->ref.index == ref.index) {
            break;
        }
        nth += arg->mutation_type == MUTATED_OUT_GRAPH ? 1 : 0;
    }
    return lower->value[lower_result_mutated(lower, nth)];
}

void lower_shapes(Lower *lower)
{
    const SpecBackward *backward = lower->graph->backward;
    const MissingList missing = missing_tangents(lower->arena, lower->graph);
    lower->plan->num_shapes = missing.num_shapes;
    lower_at(lower, backward, ".backward.tangents", LOWER_WHOLE);
    (void)lower_section(lower, LAYER_saved);
    for (uint32_t i = 0; i < backward->tangents_count; i++) {
        const SpecTangent *tangent = &backward->tangents[backward->tangent_order[i]];
        if (missing.at[i].possible) {
            lower_at(lower, tangent, ".backward.tangents", backward->tangent_order[i]);
            save_shape(lower, &missing.at[i], result_of(lower, tangent->of_ref), tangent->of);
        }
    }
}

/* The next number of saved.shapes, or the literal that is stated. */
static IntegerRef shape(Lower *lower, bool kept, int64_t literal, const char *role, const char *name, uint32_t *next)
{
    if (!kept) {
        return (IntegerRef){NULL, literal, 0};
    }
    const IntegerRef value = lower_named_integer(lower, arena_printf(lower->arena, "arg_%s_%s", role, name));
    LOWER_EMIT(lower, load_saved, operand_integer(value), operand_count((*next)++));
    return value;
}

uint32_t lower_given_tangent(Lower *lower, const Missing *missing, uint32_t nth, const char *name, uint32_t *zeros)
{
    uint32_t next = missing->first;
    IntegerRef *sizes = ARENA_ARRAY(lower->arena, IntegerRef, (size_t)missing->size->text_count + 1);
    const IntegerRef dtype = shape(lower, missing->dtype < 0, missing->dtype, "dtype", name, &next);
    const IntegerRef device = shape(lower, missing->device < 0, missing->device, "device", name, &next);
    for (uint32_t i = 0; i < missing->size->text_count; i++) {
        int64_t literal = 0;
        const bool kept = !expr_is_literal(missing->size->expr[i], &literal);
        sizes[i] = shape(lower, kept, literal, arena_printf(lower->arena, "size%" PRIu32, i), name, &next);
    }
    const uint32_t given =
        plan_slot(lower->plan, SLOT_BORROWED, SLOT_TENSOR, 0, arena_printf(lower->arena, "given_%s", name), name);
    *zeros = lower_temporary(lower, "zeros", name);
    LOWER_EMIT(lower, zeros, operand_tensor(*zeros), operand_tensor(given), operand_tensor(nth),
               operand_integers(sizes, missing->size->text_count), operand_integer(dtype), operand_integer(device),
               lower_host_site(lower, name, "zeros"));
    return given;
}
