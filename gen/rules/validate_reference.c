/* SPDX-License-Identifier: MIT */
/*
 * validate_reference - names of inputs, outputs and bases of a graph: which one a key refers to, and the nearest name
 * if there is none.
 */
#include "validate.h"

#include <string.h>

/* ---- names ---- */

char *const *validate_ref_name(const SpecGraph *graph, SpecRef ref)
{
    switch (ref.kind) {
    case SPEC_REF_NONE:
        break;
    case SPEC_REF_INPUT:
        return &graph->inputs[ref.index].name;
    case SPEC_REF_OUTPUT:
        return &graph->outputs[ref.index].name;
    case SPEC_REF_BASE:
        return &graph->intermediate_bases[ref.index].name;
    case SPEC_REF_SYNTHETIC:
        return &graph->synthetic_bases[ref.index].name;
    }
    return &graph->name;
}

static void offer_names(Validator *v, Nearest *nearest, SpecRefKind kind, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        nearest_offer(v, nearest, *validate_ref_name(v->graph, (SpecRef){kind, i}));
    }
}

bool validate_reference(Validator *v, char *const *field, unsigned wanted, const char *what, SpecRef *ref)
{
    const SpecGraph *graph = v->graph;
    const TableEntry *entry = table_find(&v->names, *field, strlen(*field));
    if (entry != NULL) {
        *ref = (SpecRef){(SpecRefKind)entry->kind, entry->index};
        return true;
    }
    Nearest nearest = nearest_start(*field);
    offer_names(v, &nearest, SPEC_REF_INPUT, (wanted & 1U << SPEC_REF_INPUT) != 0 ? graph->inputs_count : 0);
    offer_names(v, &nearest, SPEC_REF_OUTPUT, (wanted & 1U << SPEC_REF_OUTPUT) != 0 ? graph->outputs_count : 0);
    offer_names(v, &nearest, SPEC_REF_BASE, (wanted & 1U << SPEC_REF_BASE) != 0 ? graph->intermediate_bases_count : 0);
    offer_names(v, &nearest, SPEC_REF_SYNTHETIC,
                (wanted & 1U << SPEC_REF_SYNTHETIC) != 0 ? graph->synthetic_bases_count : 0);
    validate_error(v, RULE_REFERENCE, diag_value(field), "%s of graph '%s' is called '%s'%s", what, graph->name, *field,
                   nearest_text(v, &nearest));
    ref->kind = SPEC_REF_NONE;
    return false;
}
