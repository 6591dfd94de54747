/* SPDX-License-Identifier: MIT */
/*
 * lower_coerce - asks tangents whose type or flattening context is not the traced one to convert themselves, if the
 * host has a verb for that. One that cannot is refused: for its context here, for its type by the tests that follow.
 * What a conversion made has whatever context it gave it, as in PyTorch: a DTensor's holds its size, too.
 *
 * Source: AOTAutograd's process_runtime_tangent, __coerce_same_metadata_as_tangent__.
 */
#include "lower.h"

void lower_hold(Lower *lower, uint32_t slot)
{
    lower->held = arena_grow(lower->arena, lower->held, lower->num_held * sizeof *lower->held,
                             (lower->num_held + 1) * sizeof *lower->held);
    lower->held[lower->num_held++] = slot;
}

/* The slots of a new tensor, which is held until after the call, and of the tensor to continue with. */
static uint32_t turned(Lower *lower, const char *suffix, const char *argument, uint32_t *dst)
{
    *dst = lower_temporary(lower, "turned", suffix);
    lower_hold(lower, *dst);
    return plan_slot(lower->plan, SLOT_BORROWED, SLOT_TENSOR, 0, arena_printf(lower->arena, "seen_%s", suffix),
                     argument);
}

uint32_t lower_coerced(Lower *lower, uint32_t slot, const SpecSubclass *tree, const char *suffix, const char *argument)
{
    uint32_t dst = 0;
    if (!host_has(lower->host, "wg_coerce_tangent")) {
        return slot;
    }
    const uint32_t seen = turned(lower, suffix, argument, &dst);
    const Operand site =
        operand_site(plan_site_of(lower->plan, suffix, argument, "turn", "WG_E_HOST", "WG_KIND_STATUS"));
    if (tree == NULL || tree->declared == NULL) {
        LOWER_EMIT(lower, coerce_plain, operand_tensor(dst), operand_tensor(seen), operand_tensor(slot), site);
    } else {
        LOWER_EMIT(lower, coerce_type, operand_tensor(dst), operand_tensor(seen), operand_tensor(slot),
                   operand_name(tree->declared->symbol), operand_name(tree->context), site,
                   operand_site(plan_site_of(lower->plan, suffix, argument, "context", "WG_E_TYPE", "WG_KIND_NONE")));
    }
    return seen;
}
