/* SPDX-License-Identifier: MIT */
/*
 * verify - is a plan well-formed? Everything here is a promise that lowering makes and templates rely on:
 *
 *   each operand has the type that ops.def gives it; a slot is defined before it is used, and never twice; every owned
 *   reference (results after the call, temporaries) ends exactly once: delivered, saved or released; nothing that can
 *   fail comes after the first op that gives a reference away, so the one failure exit may release everything alive;
 *   every output is delivered once.
 *
 * A violation is our bug, found before a byte is written.
 */
#include "plan.h"

#include <inttypes.h>
#include <string.h>

typedef enum Life { LIFE_NONE, LIFE_BORROWED, LIFE_OWNED, LIFE_ENDED } Life;

typedef struct Verifier {
    const Plan *plan;
    Life *life;          /* one per slot */
    uint32_t *delivered; /* one per output */
    bool giving;         /* the first reference was given away */
    const char *wrong;   /* the first thing found */
} Verifier;

static void verify_fail(Verifier *verifier, const Op *op, const char *what, const char *name)
{
    if (verifier->wrong == NULL) {
        verifier->wrong =
            arena_printf(verifier->plan->arena, "%s: op %s: %s %s", op->path, op_specs[op->kind].name, what, name);
    }
}

static void verify_use(Verifier *verifier, const Op *op, uint32_t index)
{
    if (index >= verifier->plan->num_slots) {
        verify_fail(verifier, op, "no such slot", "");
        return;
    }
    /* Constants need no definition; an int argument is loaded as an integer, not as a slot. */
    const Slot *slot = &verifier->plan->slots[index];
    const bool always = slot->role == SLOT_CONSTANT || (slot->role == SLOT_ARGUMENT && slot->type == SLOT_INTEGER);
    const Life life = always ? LIFE_BORROWED : verifier->life[index];
    if (life == LIFE_NONE) {
        verify_fail(verifier, op, "uses before definition:", verifier->plan->slots[index].text);
    } else if (life == LIFE_ENDED) {
        verify_fail(verifier, op, "uses after its end:", verifier->plan->slots[index].text);
    }
}

static void verify_end(Verifier *verifier, const Op *op, uint32_t index)
{
    verify_use(verifier, op, index);
    if (index < verifier->plan->num_slots) {
        if (verifier->life[index] != LIFE_OWNED) {
            verify_fail(verifier, op,
                        "ends a reference that the wrapper does not own:", verifier->plan->slots[index].text);
        }
        verifier->life[index] = LIFE_ENDED;
    }
}

static void verify_slot_operand(Verifier *verifier, const Op *op, OperandRole role, uint32_t index)
{
    switch (role) {
    case OPERAND_USE:
        verify_use(verifier, op, index);
        break;
    case OPERAND_END:
        verify_end(verifier, op, index);
        break;
    case OPERAND_DEF:
    case OPERAND_OWN:
        if (index >= verifier->plan->num_slots) {
            verify_fail(verifier, op, "no such slot", "");
            return;
        }
        if (verifier->life[index] != LIFE_NONE) {
            verify_fail(verifier, op, "defines twice:", verifier->plan->slots[index].text);
            return;
        }
        verifier->life[index] = role == OPERAND_OWN ? LIFE_OWNED : LIFE_BORROWED;
        break;
    }
}

static void verify_operands(Verifier *verifier, const Op *op)
{
    const OpSpec *spec = &op_specs[op->kind];
    const uint32_t num_operands = op_num_operands(op->kind);
    for (uint32_t i = 0; i < OP_MAX_OPERANDS; i++) {
        const Operand *operand = &op->operands[i];
        const OperandType expected = i < num_operands ? spec->operands[i].type : OPERAND_NONE;
        if (operand->type != expected) {
            verify_fail(verifier, op, "wrong type of operand",
                        i < num_operands ? spec->operands[i].name : "beyond the last");
            continue;
        }
        if (operand->type == OPERAND_TENSOR) {
            verify_slot_operand(verifier, op, spec->operands[i].role, operand->as.slot);
        } else if (operand->type == OPERAND_SITE) {
            if (operand->as.site == NULL) {
                verify_fail(verifier, op, "has no", "site");
            } else if (verifier->giving) {
                verify_fail(verifier, op, "can fail after the first delivery:", operand->as.site->symbol);
            }
        } else if (operand->type == OPERAND_SITES && (operand->num == 0 || verifier->giving)) {
            verify_fail(verifier, op, "has no sites, or can fail", "after the first delivery");
        } else if (operand->type == OPERAND_VALUES && !str_equal(spec->operands[i].name, "results")) {
            for (uint32_t j = 0; j < operand->num; j++) {
                const uint32_t slot = operand->as.slots[j];
                const bool ends = spec->operands[i].role == OPERAND_END && verifier->plan->slots[slot].owned;
                verify_slot_operand(verifier, op, ends ? OPERAND_END : OPERAND_USE, slot);
            }
        }
    }
}

/* After the call the results exist; if they are the caller's outs, the call delivers them. */
static void verify_results_appear(Verifier *verifier)
{
    const Plan *plan = verifier->plan;
    for (uint32_t i = 0; i < plan->num_results; i++) {
        const Slot *slot = &plan->slots[plan->first_result + i];
        verifier->life[plan->first_result + i] = slot->owned && !plan->direct_results ? LIFE_OWNED : LIFE_BORROWED;
        if (plan->direct_results && i < plan->num_outs) {
            verifier->delivered[i]++;
        }
    }
}

static void verify_release_run(Verifier *verifier, const Op *op)
{
    const int64_t first = op->operands[0].as.count;
    const int64_t count = op->operands[1].as.count;
    if (first < 0 || count < 1 || first + count > (int64_t)verifier->plan->num_results) {
        verify_fail(verifier, op, "range outside the", "results");
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        verify_end(verifier, op, verifier->plan->first_result + (uint32_t)(first + i));
    }
}

static void verify_effect(Verifier *verifier, const Op *op)
{
    const bool delivers = op->kind == OP_deliver_tensor || op->kind == OP_deliver_value ||
                          op->kind == OP_deliver_none || op->kind == OP_deliver_member || op->kind == OP_deliver_number;
    if (delivers) {
        const int64_t index = op->operands[0].as.count;
        if (index < 0 || index >= (int64_t)verifier->plan->num_outs) {
            verify_fail(verifier, op, "no such", "output");
        } else {
            verifier->delivered[index]++;
        }
    }
    if (op_is_call(op->kind)) {
        verify_results_appear(verifier);
    } else if (op->kind == OP_release_run) {
        verify_release_run(verifier, op);
    }
    if (delivers || op->kind == OP_release_run || op->kind == OP_set_grad_mode) {
        verifier->giving = true;
    }
}

static void verify_list(Verifier *verifier, const OpList *list)
{
    for (const Op *op = list->first; op != NULL; op = op->next) {
        verify_operands(verifier, op);
        verify_effect(verifier, op);
        if (op->body != NULL) {
            verify_list(verifier, op->body);
        }
    }
}

const char *plan_verify(const Plan *plan)
{
    Verifier verifier = {.plan = plan};
    verifier.life = ARENA_ARRAY(plan->arena, Life, (size_t)plan->num_slots + 1);
    verifier.delivered = ARENA_ARRAY(plan->arena, uint32_t, (size_t)plan->num_outs + 1);
    verify_list(&verifier, &plan->ops);
    for (uint32_t i = 0; i < plan->num_slots && verifier.wrong == NULL; i++) {
        if (verifier.life[i] == LIFE_OWNED) {
            verifier.wrong = arena_printf(plan->arena, "%s: never ended: %s", plan->path, plan->slots[i].text);
        }
    }
    for (uint32_t i = 0; i < plan->num_outs && verifier.wrong == NULL; i++) {
        if (verifier.delivered[i] != 1) {
            verifier.wrong = arena_printf(plan->arena, "%s.outputs[%" PRIu32 "]: delivered %" PRIu32 " times",
                                          plan->path, i, verifier.delivered[i]);
        }
    }
    return verifier.wrong;
}
