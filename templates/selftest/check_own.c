/* SPDX-License-Identifier: MIT */
/*
 * check_own - what the caller gets is an object of its own, whatever the compiled function returned (schema/SPEC.md,
 * "Results that are one object"): no other result, and from `check: cheap` on no argument. This asks only what the
 * caller has, since the reference may be wrong in the same way as the wrapper.
 */
#include "check_private.h"

static const MockObject *own_output(const Layout *layout, const Side *side, uint32_t i)
{
    const SpecOutput *output = &layout->graph->outputs[i];
    const bool own = output->kind == SPEC_TENSOR && output->subclass == NULL && !layout_is_alias(output->type);
    return own && side->outs[i].tensor != NULL ? side->outs[i].tensor->object : NULL;
}

static const MockObject *kept_input(const Layout *layout, const Side *side, uint32_t i)
{
    const SpecInput *input = &layout->graph->inputs[i];
    const bool kept = input->kind == SPEC_TENSOR && input->subclass == NULL && !spec_is(input->frozen) &&
                      !spec_is(layout->graph->consume_inputs) && layout->graph->check >= SPEC_CHECK_CHEAP;
    return kept && side->given[i].tensor != NULL ? side->given[i].tensor->object : NULL;
}

Mismatch check_own(Checker *c, const Layout *layout, const Side *side)
{
    for (uint32_t i = 0; i < side->num_outs; i++) {
        const MockObject *object = own_output(layout, side, i);
        const char *name = layout->graph->outputs[i].name;
        for (uint32_t k = 0; k < i && object != NULL; k++) {
            if (own_output(layout, side, k) == object) {
                return DIFFERS(c, MISMATCH_RESULT, "'%s' and '%s' are one object, t%u", layout->graph->outputs[k].name,
                               name, (unsigned)object->id);
            }
        }
        for (uint32_t k = 0; k < side->prepared->num_args && object != NULL; k++) {
            if (kept_input(layout, side, k) == object) {
                return DIFFERS(c, MISMATCH_RESULT, "'%s' is argument '%s' itself, t%u", name,
                               layout->graph->inputs[k].name, (unsigned)object->id);
            }
        }
    }
    return MISMATCH_NONE;
}
