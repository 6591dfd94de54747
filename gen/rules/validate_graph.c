/* SPDX-License-Identifier: MIT */
/*
 * validate_graph - one graph: its own keys and defaults, its one namespace, references into it, and the order in which
 * its parts are checked. A part that builds on what an earlier one found wrong stays silent (Validator.doubts).
 */
#include "validate.h"
#include "../facts/kinds.h"

#include <inttypes.h>
#include <string.h>

/* Scratch is given back between graphs once it holds this much, so that not every graph has to get a new block. */
enum { SCRATCH_LIMIT = 768 * 1024 };

/* ---- names ---- */

/* NameOwner. */
static const void *graph_name_owner(const Validator *v, uint32_t kind, uint32_t index)
{
    return validate_ref_name(v->graph, (SpecRef){(SpecRefKind)kind, index});
}

static void validate_namespace(Validator *v)
{
    SpecGraph *graph = v->graph;
    table_clear(&v->names);
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        validate_own_name(v, &graph->inputs[i].name, SPEC_REF_INPUT, i, graph_name_owner, "input");
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        validate_own_name(v, &graph->intermediate_bases[i].name, SPEC_REF_BASE, i, graph_name_owner,
                          "intermediate base");
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        validate_own_name(v, &graph->outputs[i].name, SPEC_REF_OUTPUT, i, graph_name_owner, "output");
    }
    for (uint32_t i = 0; i < graph->synthetic_bases_count; i++) {
        validate_own_name(v, &graph->synthetic_bases[i].name, SPEC_REF_SYNTHETIC, i, graph_name_owner,
                          "synthetic base");
    }
}

/* ---- the graph's own keys ---- */

static void validate_rng(Validator *v)
{
    const Keys keys = KEYS(SpecGraph, KEY_BIT(SpecGraph, rng_states) | KEY_BIT(SpecGraph, rng_device));
    SpecGraph *graph = v->graph;
    int32_t type = -1;
    int32_t index = -1;
    if (graph->rng != SPEC_RNG_GRAPHSAFE) {
        validate_no_keys(v, RULE_KEY, graph, keys, (Subject){.what = "a graph"}, " without 'rng: graphsafe'");
        return;
    }
    if (graph->rng_states.text == NULL) {
        validate_error(v, RULE_KEY, diag_value(&graph->rng),
                       "'rng: graphsafe' needs 'rng_states', the number of generator states");
    } else {
        int64_t literal = 1;
        graph->num_rng_states = validate_count(v, &graph->rng_states);
        if (expr_is_literal(graph->rng_states.expr, &literal) && literal == 0) {
            validate_error(v, RULE_INTEGER, diag_value(&graph->rng_states),
                           "'rng: graphsafe' needs at least one state");
        }
    }
    if (graph->rng_device == NULL) {
        validate_error(v, RULE_KEY, diag_value(&graph->rng),
                       "'rng: graphsafe' needs 'rng_device', where the generators live");
    }
    validate_device(v, &graph->rng_device, &type, &index);
    graph->rng_device_code = type < 0 ? 0 : type * 256 + (index < 0 ? 0 : index);
}

static void validate_kernel_reference(Validator *v)
{
    SpecGraph *graph = v->graph;
    const TableEntry *entry = table_find(&v->kernels, graph->kernel, strlen(graph->kernel));
    if (entry == NULL) {
        Nearest nearest = nearest_start(graph->kernel);
        for (uint32_t i = 0; i < v->spec->kernels_count; i++) {
            nearest_offer(v, &nearest, v->spec->kernels[i].name);
        }
        validate_error(v, RULE_REFERENCE, diag_value(&graph->kernel), "no kernel of this file is called '%s'%s",
                       graph->kernel, nearest_text(v, &nearest));
        return;
    }
    graph->kernel_index = entry->index;
    const SpecKernel *kernel = &v->spec->kernels[entry->index];
    if (kernel->variants_count == 0) {
        DiagMessage *message = validate_error(
            v, RULE_CALL, diag_value(&graph->kernel),
            "kernel '%s' has no variants, so it makes a key and nothing that can be called", graph->kernel);
        diag_note(v->diag, message, diag_value(&kernel->name), "the kernel");
    }
}

static void validate_call(Validator *v)
{
    SpecGraph *graph = v->graph;
    if (graph->compiled == NULL && graph->kernel == NULL) {
        validate_error(v, RULE_CALL, diag_value(&graph->name),
                       "graph '%s' needs 'compiled' (a C symbol) or 'kernel' (one of this file)", graph->name);
    } else if (graph->compiled != NULL && graph->kernel != NULL) {
        DiagMessage *message = validate_error(v, RULE_CALL, diag_key(&graph->kernel),
                                              "graph '%s' has both 'compiled' and 'kernel'; keep one", graph->name);
        diag_note(v->diag, message, diag_key(&graph->compiled), "the other one");
    } else if (graph->kernel != NULL) {
        validate_kernel_reference(v);
    }
}

/* Training has saved values and a backward; inference has neither. */
static void validate_mode(Validator *v)
{
    const Keys keys = KEYS(SpecGraph, KEY_BIT(SpecGraph, saved) | KEY_BIT(SpecGraph, backward));
    SpecGraph *graph = v->graph;
    if (!v->training) {
        validate_no_keys(v, RULE_TRAINING, graph, keys, (Subject){.what = "an inference graph"},
                         "; they belong to 'mode: training'");
        if (spec_is(graph->debug_assert)) {
            validate_error(v, RULE_TRAINING, diag_key(&graph->debug_assert),
                           "'debug_assert' belongs to 'mode: training'");
        }
        return;
    }
    if (graph->saved == NULL) {
        validate_error(v, RULE_TRAINING, diag_value(&graph->mode),
                       "'mode: training' needs 'saved'; write 'saved: {}' when nothing is");
    }
    if (graph->backward == NULL) {
        validate_error(v, RULE_TRAINING, diag_value(&graph->mode), "'mode: training' needs 'backward'");
    }
}

/* A kernel as the compiled function gets the graph's flat arguments, so their numbers must be equal. */
static void validate_kernel_arity(Validator *v, const GraphFacts *facts)
{
    const SpecGraph *graph = v->graph;
    if (graph->kernel == NULL || graph->compiled != NULL) {
        return;
    }
    const SpecKernel *kernel = &v->spec->kernels[graph->kernel_index];
    if (kernel->args_count != facts->num_flat_inputs) {
        DiagMessage *message =
            validate_error(v, RULE_CALL, diag_value(&graph->kernel),
                           "the number of arguments differs: kernel '%s' takes %" PRIu32 ", graph '%s' passes %" PRIu32,
                           graph->kernel, kernel->args_count, graph->name, facts->num_flat_inputs);
        diag_note(v->diag, message, diag_value(&kernel->args), "the kernel's arguments");
        return;
    }
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        const SpecKind kind = kernel->args[i].kind;
        if (kind_is_container(kind)) {
            DiagMessage *message =
                validate_error(v, RULE_CALL, diag_value(&graph->kernel),
                               "'%s' of kernel '%s' is a container; graphs pass only tensors and scalars",
                               kernel->args[i].name, graph->kernel);
            diag_note(v->diag, message, diag_value(&kernel->args[i].kind), "the argument");
        }
    }
    validate_wrapped_outputs(v, facts);
}

/* ---- expect ---- */

static void expect_number(Validator *v, SpecInt *expected, const char *key, uint32_t derived)
{
    int64_t value = 0;
    if (expected->expr != NULL && expr_is_literal(expected->expr, &value) && value != derived) {
        validate_error(v, RULE_EXPECT, diag_value(&expected->text), "%s is %" PRIu32 ", not %" PRId64, key, derived,
                       value);
    }
}

static void expect_list(Validator *v, const SpecInts *expected, const char *key, IndexList derived)
{
    if (expected->text == NULL) {
        return;
    }
    bool same = expected->text_count == derived.count;
    Str text = str_new(v->arena);
    Str stated = str_new(v->arena);
    for (uint32_t i = 0; i < derived.count; i++) {
        str_printf(&text, "%s%" PRIu32, i == 0 ? "" : ", ", derived.at[i]);
    }
    for (uint32_t i = 0; i < expected->text_count; i++) {
        int64_t value = -1;
        if (derive_expr(expected, i) == NULL) {
            return; /* reported */
        }
        same = same && expr_is_literal(derive_expr(expected, i), &value) && value == derived.at[i];
        str_printf(&stated, "%s%s", i == 0 ? "" : ", ", expected->text[i]);
    }
    if (!same) {
        validate_error(v, RULE_EXPECT, diag_value(&expected->text), "%s is [%s], not [%s]", key, str_text(&text),
                       str_text(&stated));
    }
}

/* Counted as in PyTorch: positions among the arguments of the inner function, after inputs were merged or dropped. */
static IndexList inner_positions(Validator *v, const GraphFacts *facts, MutationType type)
{
    IndexList list = {ARENA_ARRAY(&v->scratch, uint32_t, facts->num_inner_args), 0};
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        if (facts->inner_args[i].mutation_type == type) {
            list.at[list.count++] = i;
        }
    }
    return list;
}

static void parse_expect(Validator *v, SpecExpect *expect)
{
    SpecInt *const numbers[] = {
        &expect->num_outputs,         &expect->num_outputs_aliased, &expect->num_intermediate_bases,
        &expect->num_forward_returns, &expect->num_forward,         &expect->num_tangents,
        &expect->num_flat_inputs,     &expect->num_flat_outputs};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        validate_int(v, numbers[i], &INTEGER_COUNT);
    }
    validate_ints(v, &expect->mutated_inp_runtime_indices, &INTEGER_COUNT);
    validate_ints(v, &expect->mutated_graph_handled_indices, &INTEGER_COUNT);
    validate_ints(v, &expect->aliased_out_indices, &INTEGER_COUNT);
}

/* There, the value returned for a merged member's metadata mutation counts as an output, an alias of its base. */
static IndexList inner_aliases(Validator *v, const GraphFacts *facts)
{
    IndexList list = {
        ARENA_ARRAY(&v->scratch, uint32_t, (size_t)facts->aliased_outputs.count + facts->member_metadata.count), 0};
    for (uint32_t i = 0; i < facts->aliased_outputs.count; i++) {
        list.at[list.count++] = facts->aliased_outputs.at[i];
    }
    for (uint32_t i = 0; i < facts->member_metadata.count; i++) {
        list.at[list.count++] = facts->num_outputs + i;
    }
    return list;
}

void validate_expect(Validator *v, const GraphFacts *facts)
{
    SpecExpect *expect = v->graph->expect;
    const IndexList aliased = inner_aliases(v, facts);
    expect_number(v, &expect->num_outputs, "num_outputs", facts->num_outputs + facts->member_metadata.count);
    expect_number(v, &expect->num_outputs_aliased, "num_outputs_aliased", aliased.count);
    expect_number(v, &expect->num_intermediate_bases, "num_intermediate_bases", facts->num_intermediate_bases);
    expect_number(v, &expect->num_forward_returns, "num_forward_returns", facts->num_forward_returns);
    expect_number(v, &expect->num_forward, "num_forward", facts->num_forward);
    expect_number(v, &expect->num_tangents, "num_tangents", facts->num_tangents);
    if ((v->doubts & DOUBT_FLAT) == 0) {
        expect_number(v, &expect->num_flat_inputs, "num_flat_inputs", facts->num_flat_inputs);
        expect_number(v, &expect->num_flat_outputs, "num_flat_outputs", facts->num_flat_outputs);
    }
    expect_list(v, &expect->mutated_inp_runtime_indices, "mutated_inp_runtime_indices",
                inner_positions(v, facts, MUTATED_OUT_GRAPH));
    expect_list(v, &expect->mutated_graph_handled_indices, "mutated_graph_handled_indices",
                inner_positions(v, facts, MUTATED_IN_GRAPH));
    expect_list(v, &expect->aliased_out_indices, "aliased_out_indices", aliased);
}

/* ---- the whole ---- */

/* Checks what can only be checked once everything else is right. */
static void validate_whole(Validator *v)
{
    SpecGraph *graph = v->graph;
    if (graph->expect != NULL) {
        parse_expect(v, graph->expect);
    }
    if ((v->doubts & DOUBT_FACTS) != 0) {
        return;
    }
    const GraphFacts facts = derive_facts(&v->scratch, graph);
    if (v->training && graph->backward != NULL) {
        validate_training(v, &facts);
    }
    if ((v->doubts & DOUBT_FLAT) == 0) {
        validate_kernel_arity(v, &facts);
    }
    if (graph->expect != NULL) {
        validate_expect(v, &facts);
    }
}

void validate_graph(Validator *v, SpecGraph *graph)
{
    v->graph = graph;
    v->training = graph->mode == SPEC_TRAINING;
    v->ranges_are_current = false;
    if (v->scratch.used > SCRATCH_LIMIT) {
        arena_release(&v->scratch);
        v->integers = NULL;
        v->ranges = NULL;
    }
    validate_scope_start(v);
    keys_default(v, graph, ALL_KEYS(SpecGraph));
    validate_namespace(v);
    validate_call(v);
    graph->num_tokens = validate_count(v, &graph->tokens);
    validate_rng(v);
    validate_mode(v);
    validate_inputs(v);
    validate_duplicates(v);
    validate_input_defaults(v);
    validate_synthetic_bases(v);
    validate_argument_order(v);
    validate_input_rules(v);
    validate_bases(v);
    validate_outputs(v);
    validate_guards(v);
    if (graph->saved != NULL) {
        validate_saved(v);
    }
    validate_whole(v);
    validate_scope_end(
        v, "it must be, by itself, a size, stride (of a dimension other than 1), storage_offset or value of an "
           "input that is neither frozen nor a duplicate");
}
