/* SPDX-License-Identifier: MIT */
/*
 * plan_layers - labels ops with the PyTorch wrapper that they do the work of. plan_emit() stamps each op with the
 * plan's section; the labels are put between ops here when the plan is complete, so that a layer without work leaves no
 * label behind.
 */
#include "plan.h"

#include <string.h>

const LayerSpec layer_specs[LAYER_COUNT] = {
#define LAYER(layer_name, layer_wraps, layer_what) {#layer_name, layer_wraps, layer_what},
#include "layers.def"
#undef LAYER
};

bool plan_layer(const char *name, Layer *layer)
{
    for (int i = 0; i < LAYER_COUNT; i++) {
        if (str_equal(name, layer_specs[i].name)) {
            *layer = (Layer)i;
            return true;
        }
    }
    return false;
}

void plan_label(Plan *plan)
{
    const Op *before = NULL;
    Op **link = &plan->ops.first;
    for (Op *op = *link; op != NULL; before = op, link = &op->next, op = op->next) {
        if (before != NULL && before->layer == op->layer) {
            continue;
        }
        OpList label = {NULL, NULL};
        const Operand artifact[OP_MAX_OPERANDS + 1] = {operand_text(layer_specs[op->layer].name)};
        const PlanSection *section = op->section;
        Op *made = plan_emit(plan, &label, OP_section, section->path, section->where, artifact);
        made->layer = op->layer;
        made->section = section;
        made->next = op;
        *link = made;
    }
}

const char *plan_chain(const Plan *plan)
{
    Str chain = str_new(plan->arena);
    for (int i = 0; i < LAYER_COUNT; i++) {
        if (plan->layers[i] && layer_specs[i].wraps) {
            str_puts(&chain, chain.length > 0 ? " > " : "");
            str_puts(&chain, layer_specs[i].name);
        }
    }
    return str_text(&chain);
}
