/* SPDX-License-Identifier: MIT */
/*
 * validate_order - the order in which the graph takes its arguments once inputs are merged. PyTorch (merge_view_inputs)
 * puts the bases first and then groups the rest by storage, even tensors that are never written. Only the capture knows
 * which inputs shared a storage, so the YAML says it where it makes a difference.
 */
#include "validate.h"

#include <inttypes.h>

bool validate_is_passed(Validator *v, char *const *field, SpecRef ref)
{
    const SpecGraph *graph = v->graph;
    if (ref.kind != SPEC_REF_INPUT) {
        return true;
    }
    const SpecInput *input = &graph->inputs[ref.index];
    if (input->duplicate_of >= 0) {
        validate_error(v, RULE_REFERENCE, diag_value(field), "'%s' is a duplicate; name the input that is kept, '%s'",
                       input->name, graph->inputs[input->duplicate_of].name);
        return false;
    }
    if (input->synthetic_base >= 0) {
        validate_error(v, RULE_REFERENCE, diag_value(field), "'%s' is merged into synthetic base '%s'; name that",
                       input->name, graph->synthetic_bases[input->synthetic_base].name);
        return false;
    }
    return true;
}

/* Fewer tensors than this keep their order however they are grouped: for one to move, another must lie between two of
 * the same storage. */
enum { FIRST_DOUBT = 3 };

static void ask_for_order(Validator *v)
{
    const SpecGraph *graph = v->graph;
    uint32_t num_tensors = 0;
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const SpecInput *input = &graph->inputs[i];
        num_tensors += input->kind == SPEC_TENSOR && input->duplicate_of < 0 && input->synthetic_base < 0 ? 1 : 0;
    }
    if (num_tensors >= FIRST_DOUBT) {
        DiagMessage *message =
            validate_error(v, RULE_ARGUMENT_ORDER, diag_key(&graph->synthetic_bases),
                           "next to merged inputs the other %" PRIu32
                           " tensors are passed grouped by storage, which only 'argument_order' can tell",
                           num_tensors);
        diag_note(v->diag, message, diag_nowhere(NULL),
                  "it names synthetic bases and all other inputs in the order in which the graph takes them");
    }
}

/* Where the order names each input and synthetic base, as 1 + the entry. */
typedef struct Order {
    uint32_t *inputs;
    uint32_t *bases;
} Order;

static bool enter(Validator *v, const Order *order, uint32_t entry, SpecRef ref)
{
    char *const *field = &v->graph->argument_order.text[entry];
    uint32_t *slot = ref.kind == SPEC_REF_INPUT ? &order->inputs[ref.index] : &order->bases[ref.index];
    if (*slot != 0) {
        DiagMessage *message =
            validate_error(v, RULE_ARGUMENT_ORDER, diag_value(field), "'%s' is passed twice", *field);
        diag_note(v->diag, message, diag_value(&v->graph->argument_order.text[*slot - 1]), "first here");
        return false;
    }
    *slot = entry + 1;
    return true;
}

static bool resolve_entry(Validator *v, const Order *order, uint32_t entry, SpecRef *ref)
{
    char *const *field = &v->graph->argument_order.text[entry];
    if (!validate_reference(v, field, 1U << SPEC_REF_INPUT | 1U << SPEC_REF_SYNTHETIC, "no input", ref)) {
        return false;
    }
    if (ref->kind != SPEC_REF_INPUT && ref->kind != SPEC_REF_SYNTHETIC) {
        validate_error(v, RULE_ARGUMENT_ORDER, diag_value(field),
                       "'%s' is %s; arguments are inputs and synthetic bases", *field, spec_ref_text(ref->kind));
        return false;
    }
    return validate_is_passed(v, field, *ref) && enter(v, order, entry, *ref);
}

static void report_absent(Validator *v, char *const *name)
{
    DiagMessage *message = validate_error(v, RULE_ARGUMENT_ORDER, diag_key(&v->graph->argument_order.text),
                                          "'argument_order' leaves out '%s', which the graph takes", *name);
    diag_note(v->diag, message, diag_value(name), "'%s'", *name);
}

static bool is_complete(Validator *v, const Order *order)
{
    const SpecGraph *graph = v->graph;
    const size_t errors = v->diag->num_errors;
    for (uint32_t i = 0; i < graph->synthetic_bases_count; i++) {
        if (order->bases[i] == 0) {
            report_absent(v, &graph->synthetic_bases[i].name);
        }
    }
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const SpecInput *input = &graph->inputs[i];
        if (order->inputs[i] == 0 && input->duplicate_of < 0 && input->synthetic_base < 0) {
            report_absent(v, &graph->inputs[i].name);
        }
    }
    return v->diag->num_errors == errors;
}

void validate_argument_order(Validator *v)
{
    SpecGraph *graph = v->graph;
    const uint32_t count = graph->argument_order.text_count;
    if ((v->doubts & DOUBT_FACTS) != 0) {
        return;
    }
    if (graph->argument_order.text == NULL) {
        if (graph->synthetic_bases_count > 0) {
            ask_for_order(v);
        }
        return;
    }
    if (graph->synthetic_bases_count == 0) {
        validate_error(v, RULE_ARGUMENT_ORDER, diag_key(&graph->argument_order.text),
                       "'argument_order' says how merging changed the order, but there are no 'synthetic_bases': the "
                       "graph takes the inputs in the order given");
        return;
    }
    const Order order = {ARENA_ARRAY(&v->scratch, uint32_t, graph->inputs_count),
                         ARENA_ARRAY(&v->scratch, uint32_t, graph->synthetic_bases_count)};
    SpecRef *refs = ARENA_ARRAY(v->arena, SpecRef, count);
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        good = resolve_entry(v, &order, i, &refs[i]) && good;
    }
    if (good && is_complete(v, &order)) {
        graph->argument_ref = refs;
    }
}
