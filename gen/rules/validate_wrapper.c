/* SPDX-License-Identifier: MIT */
/*
 * validate_wrapper - variants that are graphs: the dispatcher calls such a graph's boxed entry with the values that it
 * would pass to a symbol, so inputs and arguments are the same, one by one.
 *
 * Names are resolved while the kernel is checked; the rest waits until the file's graphs have been. The proof
 * (dispatch_add_graphs, prove_graph) compares what the graph states about its inputs with the variant's conditions.
 */
#include "validate.h"

#include <inttypes.h>
#include <string.h>

#include "../algebra/geometry.h"
#include "../facts/kinds.h"

/* ---- the reference ---- */

static void resolve_graph(Validator *v, SpecVariant *variant)
{
    const TableEntry *entry = table_find(&v->graphs, variant->graph, strlen(variant->graph));
    variant->graph_index = entry != NULL ? entry->index : SPEC_NO_GRAPH;
    if (entry == NULL) {
        Nearest nearest = nearest_start(variant->graph);
        for (uint32_t i = 0; i < v->spec->graphs_count; i++) {
            nearest_offer(v, &nearest, v->spec->graphs[i].name);
        }
        validate_error(v, RULE_REFERENCE, diag_value(&variant->graph), "no graph of this file is called '%s'%s",
                       variant->graph, nearest_text(v, &nearest));
    }
}

/* The kernel's arguments that the graph's inputs get, by name; false: reported. */
static bool resolve_args(Validator *v, SpecVariant *variant)
{
    bool good = true;
    Table seen;
    table_init(&seen, &v->scratch);
    if (variant->graph == NULL) {
        validate_error(v, RULE_CALL, diag_key(&variant->args.text),
                       "'args' is for a variant that is a 'graph'; a function gets all arguments");
        return false;
    }
    variant->arg_index = ARENA_ARRAY(v->arena, uint32_t, variant->args.text_count);
    for (uint32_t i = 0; i < variant->args.text_count; i++) {
        char *const *field = &variant->args.text[i];
        const SpecArg *arg = validate_arg_path(v, v->kernel, &variant->args.text[i]);
        const TableEntry *entry = table_find(&v->names, *field, strlen(*field));
        if (arg != NULL && entry == NULL) {
            validate_error(v, RULE_CALL, diag_value(field),
                           "'%s' is a part of an argument; a graph gets whole arguments", *field);
        }
        const TableEntry *first = table_add(&seen, *field, strlen(*field), 0, i);
        if (first != NULL) {
            DiagMessage *message = validate_error(v, RULE_REPEATED, diag_value(field), "'%s' is named twice", *field);
            diag_note(v->diag, message, diag_value(&variant->args.text[first->index]), "first here");
        }
        variant->arg_index[i] = entry != NULL ? entry->index : 0;
        good = good && entry != NULL;
    }
    return good;
}

void validate_variant_call(Validator *v, SpecVariant *variant)
{
    variant->graph_index = SPEC_NO_GRAPH;
    const bool good = variant->args.text == NULL || resolve_args(v, variant);
    if (variant->symbol == NULL && variant->graph == NULL) {
        validate_error(v, RULE_CALL, diag_mapping(variant),
                       "a variant needs 'symbol' (a C function) or 'graph' (one of this file)");
    } else if (variant->symbol != NULL && variant->graph != NULL) {
        DiagMessage *message = validate_error(v, RULE_CALL, diag_key(&variant->graph),
                                              "a variant has both 'symbol' and 'graph'; keep one");
        diag_note(v->diag, message, diag_key(&variant->symbol), "the other one");
    } else if (variant->graph != NULL) {
        resolve_graph(v, variant);
    }
    variant->graph_index = good ? variant->graph_index : SPEC_NO_GRAPH; /* nothing is known about what it gets */
}

/* ---- inputs and arguments ---- */

/* The kind of input that takes an argument as the dispatcher passes it: containers and numbers that may be null by
 * address, a dtype and a device by number. */
static SpecKind passed_kind(const SpecArg *arg)
{
    const KindForm form = kind_form(arg->kind);
    if (form == FORM_TENSOR) {
        return SPEC_TENSOR;
    }
    if (!spec_is(arg->nullable) && form == FORM_NUMBER) {
        return arg->kind;
    }
    if (!spec_is(arg->nullable) && form == FORM_CODE) {
        return SPEC_INT;
    }
    return SPEC_OPAQUE;
}

/* The number of arguments that the variant's graph gets. */
static uint32_t num_passed(const SpecKernel *kernel, const SpecVariant *variant)
{
    return variant->arg_index != NULL ? variant->args.text_count : kernel->args_count;
}

/* Which argument the graph's input at `position` gets. */
static uint32_t passed_at(const SpecVariant *variant, uint32_t position)
{
    return variant->arg_index != NULL ? variant->arg_index[position] : position;
}

/* Values go by position: a name that belongs to another argument is taken to be a mistake. */
static bool is_swapped(Validator *v, const SpecKernel *kernel, const SpecVariant *variant, uint32_t position)
{
    const SpecGraph *graph = &v->spec->graphs[variant->graph_index];
    const SpecArg *arg = &kernel->args[passed_at(variant, position)];
    const TableEntry *other = table_find(&v->names, graph->inputs[position].name, strlen(graph->inputs[position].name));
    if (other == NULL || other->index == passed_at(variant, position)) {
        return false;
    }
    DiagMessage *message =
        validate_error(v, RULE_CALL, diag_value(&variant->graph),
                       "values go by position: input '%s' of graph '%s' would get argument '%s', not '%s'",
                       graph->inputs[position].name, graph->name, arg->name, graph->inputs[position].name);
    diag_note(v->diag, message, diag_value(&graph->inputs[position].name), "the input");
    diag_note(v->diag, message, diag_value(&kernel->args[other->index].name), "the argument of that name");
    return true;
}

static void validate_pair(Validator *v, const SpecArg *arg, const SpecVariant *variant, uint32_t position)
{
    const SpecGraph *graph = &v->spec->graphs[variant->graph_index];
    const SpecInput *input = &graph->inputs[position];
    const SpecKind passed = passed_kind(arg);
    const bool may_be_null = spec_is(arg->nullable) || arg->kind == SPEC_ALWAYS_NULL;
    if (input->kind != passed && !(input->kind == SPEC_NONE && may_be_null)) {
        DiagMessage *message =
            validate_error(v, RULE_CALL, diag_value(&variant->graph),
                           "argument '%s' (kind %s%s) is passed as kind %s, but input '%s' of graph '%s' is of kind %s",
                           arg->name, spec_kind_text(arg->kind), spec_is(arg->nullable) ? ", nullable" : "",
                           spec_kind_text(passed), input->name, graph->name, spec_kind_text(input->kind));
        diag_note(v->diag, message, diag_value(&arg->kind), "the argument");
        diag_note(v->diag, message, diag_value(&input->name), "the input");
    } else if (input->subclass != NULL && arg->subclass_ok == SPEC_FALSE) {
        DiagMessage *message = validate_error(v, RULE_CALL, diag_value(&variant->graph),
                                              "input '%s' of graph '%s' is a subclass, and argument '%s' takes none",
                                              input->name, graph->name, arg->name);
        diag_note(v->diag, message, diag_value(&arg->subclass_ok), "by this");
        diag_note(v->diag, message, diag_value(&input->subclass->type), "the subclass");
    }
}

static void validate_pairs(Validator *v, const SpecKernel *kernel, const SpecVariant *variant)
{
    const SpecGraph *graph = &v->spec->graphs[variant->graph_index];
    const uint32_t n = num_passed(kernel, variant);
    if (graph->inputs_count != n) {
        const bool named = variant->arg_index != NULL;
        DiagMessage *message =
            validate_error(v, RULE_CALL, diag_value(&variant->graph),
                           "the number of arguments differs: %s '%s' %s %" PRIu32 ", graph '%s' %" PRIu32,
                           named ? "'args' of" : "kernel", named ? variant->graph : kernel->name,
                           named ? "names" : "takes", n, graph->name, graph->inputs_count);
        diag_note(v->diag, message, named ? diag_value(&variant->args.text) : diag_value(&kernel->args),
                  named ? "the arguments that it gets" : "the kernel's arguments");
        diag_note(v->diag, message, diag_value(&graph->inputs), "the graph's inputs");
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!is_swapped(v, kernel, variant, i)) {
            validate_pair(v, &kernel->args[passed_at(variant, i)], variant, i);
        }
    }
}

/* ---- what the dispatcher cannot do for a graph ---- */

static void validate_mode(Validator *v, const SpecVariant *variant)
{
    const SpecGraph *graph = &v->spec->graphs[variant->graph_index];
    if (graph->mode == SPEC_TRAINING) {
        DiagMessage *message = validate_error(v, RULE_CALL, diag_value(&variant->graph),
                                              "graph '%s' is a training graph; a dispatcher returns only outputs, so "
                                              "nothing would receive the saved values",
                                              graph->name);
        diag_note(v->diag, message, diag_value(&graph->mode), "its mode");
    }
    if (spec_is(graph->consume_inputs)) {
        DiagMessage *message = validate_error(v, RULE_CALL, diag_value(&variant->graph),
                                              "graph '%s' takes ownership of its inputs, but a dispatcher borrows its "
                                              "arguments and cannot give them away",
                                              graph->name);
        diag_note(v->diag, message, diag_value(&graph->consume_inputs), "by this");
    }
}

/* A caller cannot know which variant it got, so graphs of one kernel return the same number of values of the same
 * kinds. */
static void validate_outputs_agree(Validator *v, const SpecVariant *first, const SpecVariant *variant)
{
    const SpecGraph *one = &v->spec->graphs[first->graph_index];
    const SpecGraph *other = &v->spec->graphs[variant->graph_index];
    DiagMessage *message = NULL;
    if (one->outputs_count != other->outputs_count) {
        message = validate_error(v, RULE_CALL, diag_value(&variant->graph),
                                 "variants must return the same, but graph '%s' has %" PRIu32
                                 " outputs and graph '%s' %" PRIu32,
                                 other->name, other->outputs_count, one->name, one->outputs_count);
    }
    for (uint32_t i = 0; message == NULL && i < one->outputs_count; i++) {
        if (one->outputs[i].kind != other->outputs[i].kind) {
            message = validate_error(v, RULE_CALL, diag_value(&variant->graph),
                                     "variants must return the same, but output '%s' of graph '%s' is of kind %s and "
                                     "output '%s' of graph '%s' of kind %s",
                                     other->outputs[i].name, other->name, spec_kind_text(other->outputs[i].kind),
                                     one->outputs[i].name, one->name, spec_kind_text(one->outputs[i].kind));
        }
    }
    if (message != NULL) {
        diag_note(v->diag, message, diag_value(&first->graph), "the other variant");
    }
}

/* The kernel itself states what it returns, by one key or the other. */
static bool states_results(const SpecKernel *kernel)
{
    return kernel->results.text != NULL || kernel->outputs != NULL;
}

static const char *stating_key(const SpecKernel *kernel)
{
    return kernel->outputs != NULL ? "outputs" : "results";
}

static void note_statement(Validator *v, DiagMessage *message, const SpecKernel *kernel)
{
    diag_note(v->diag, message,
              diag_value(kernel->outputs != NULL ? (const void *)&kernel->outputs : &kernel->results.text),
              "stated here");
}

/* The graph of a variant returns what the kernel states. */
static void validate_stated_results(Validator *v, const SpecKernel *kernel, const SpecVariant *variant)
{
    const SpecGraph *graph = &v->spec->graphs[variant->graph_index];
    const char *key = stating_key(kernel);
    DiagMessage *message = NULL;
    if (graph->outputs_count != kernel->result_kinds_count) {
        message = validate_error(v, RULE_CALL, diag_value(&variant->graph),
                                 "graph '%s' has %" PRIu32 " outputs, but '%s' of kernel '%s' states %" PRIu32,
                                 graph->name, graph->outputs_count, key, kernel->name, kernel->result_kinds_count);
    }
    for (uint32_t i = 0; message == NULL && i < graph->outputs_count; i++) {
        if (graph->outputs[i].kind != kernel->result_kinds[i] && kernel->result_kinds[i] != SPEC_KIND_UNSET) {
            message = validate_error(v, RULE_CALL, diag_value(&variant->graph),
                                     "output '%s' of graph '%s' is of kind %s, but '%s' of kernel '%s' states %s",
                                     graph->outputs[i].name, graph->name, spec_kind_text(graph->outputs[i].kind), key,
                                     kernel->name, spec_kind_text(kernel->result_kinds[i]));
        }
    }
    if (message != NULL) {
        note_statement(v, message, kernel);
    }
}

/* What a kernel does not state, its first variant that is a graph says. */
static void take_results(Validator *v, SpecKernel *kernel, const SpecVariant *variant)
{
    const SpecGraph *graph = &v->spec->graphs[variant->graph_index];
    kernel->result_kinds_count = graph->outputs_count;
    kernel->result_kinds = ARENA_ARRAY(v->arena, SpecKind, (size_t)graph->outputs_count + 1);
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        kernel->result_kinds[i] = graph->outputs[i].kind;
    }
}

void validate_wrapped_outputs(Validator *v, const GraphFacts *facts)
{
    const SpecKernel *kernel = &v->spec->kernels[v->graph->kernel_index];
    if (states_results(kernel) && kernel->result_kinds_count != facts->num_flat_outputs) {
        DiagMessage *message = validate_error(
            v, RULE_CALL, diag_value(&v->graph->kernel),
            "graph '%s' expects %" PRIu32 " values of kernel '%s', whose '%s' states %" PRIu32, v->graph->name,
            facts->num_flat_outputs, kernel->name, stating_key(kernel), kernel->result_kinds_count);
        note_statement(v, message, kernel);
        return;
    }
    for (uint32_t i = 0; i < kernel->variants_count; i++) {
        const SpecVariant *variant = &kernel->variants[i];
        if (variant->graph_index == SPEC_NO_GRAPH) {
            continue;
        }
        const SpecGraph *inner = &v->spec->graphs[variant->graph_index];
        if (inner->outputs_count != facts->num_flat_outputs) {
            DiagMessage *message = validate_error(
                v, RULE_CALL, diag_value(&v->graph->kernel),
                "graph '%s' expects %" PRIu32 " values of kernel '%s', whose variant '%s' returns %" PRIu32,
                v->graph->name, facts->num_flat_outputs, kernel->name, inner->name, inner->outputs_count);
            diag_note(v->diag, message, diag_value(&variant->graph), "the variant");
            return;
        }
    }
}

/* ---- cycles ---- */

typedef struct Step {
    uint32_t kernel;
    uint32_t variant; /* the next one to look at */
} Step;

/* The kernel that the variant's graph calls, or SPEC_NO_GRAPH. */
static uint32_t called_kernel(const Validator *v, const SpecVariant *variant)
{
    if (variant->graph_index == SPEC_NO_GRAPH) {
        return SPEC_NO_GRAPH;
    }
    const SpecGraph *graph = &v->spec->graphs[variant->graph_index];
    const TableEntry *entry = graph->kernel != NULL && graph->compiled == NULL
                                  ? table_find(&v->kernels, graph->kernel, strlen(graph->kernel))
                                  : NULL;
    return entry != NULL ? entry->index : SPEC_NO_GRAPH;
}

static void report_cycle(Validator *v, const Step *steps, uint32_t first, uint32_t end)
{
    Str path = str_new(v->arena);
    const SpecVariant *closing = NULL;
    for (uint32_t i = first; i < end; i++) {
        const SpecKernel *kernel = &v->spec->kernels[steps[i].kernel];
        closing = &kernel->variants[steps[i].variant - 1];
        str_printf(&path, "kernel '%s', graph '%s', ", kernel->name, closing->graph);
    }
    validate_error(v, RULE_CALL, diag_value(&closing->graph), "a kernel would call itself: %skernel '%s'",
                   str_text(&path), v->spec->kernels[steps[first].kernel].name);
}

/* Depth first from one kernel, without recursion: a chain of kernels may be as long as the file. */
static void find_cycles(Validator *v, uint32_t start, uint32_t *depth_of, Step *steps, bool *done)
{
    uint32_t depth = 1;
    steps[0] = (Step){start, 0};
    depth_of[start] = depth;
    while (depth > 0) {
        Step *top = &steps[depth - 1];
        const SpecKernel *kernel = &v->spec->kernels[top->kernel];
        if (top->variant == kernel->variants_count) {
            done[top->kernel] = true;
            depth_of[top->kernel] = 0;
            depth--;
            continue;
        }
        const uint32_t next = called_kernel(v, &kernel->variants[top->variant++]);
        if (next == SPEC_NO_GRAPH || done[next]) {
            continue;
        }
        if (depth_of[next] > 0) {
            report_cycle(v, steps, depth_of[next] - 1, depth);
            continue;
        }
        steps[depth++] = (Step){next, 0};
        depth_of[next] = depth;
    }
}

/* ---- the whole ---- */

static void validate_kernel_graphs(Validator *v, SpecKernel *kernel)
{
    const SpecVariant *first = NULL;
    table_clear(&v->names);
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        (void)table_add(&v->names, kernel->args[i].name, strlen(kernel->args[i].name), 0, i);
    }
    for (uint32_t i = 0; i < kernel->variants_count; i++) {
        const SpecVariant *variant = &kernel->variants[i];
        if (variant->graph_index == SPEC_NO_GRAPH) {
            continue;
        }
        validate_mode(v, variant);
        validate_pairs(v, kernel, variant);
        if (states_results(kernel)) {
            validate_stated_results(v, kernel, variant);
        } else if (first != NULL) {
            validate_outputs_agree(v, first, variant);
        } else {
            take_results(v, kernel, variant);
        }
        first = first != NULL ? first : variant;
    }
}

void validate_variant_graphs(Validator *v)
{
    const uint32_t n = v->spec->kernels_count;
    uint32_t *depth_of = ARENA_ARRAY(&v->scratch, uint32_t, (size_t)n + 1);
    Step *steps = ARENA_ARRAY(&v->scratch, Step, (size_t)n + 1);
    bool *done = ARENA_ARRAY(&v->scratch, bool, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        validate_kernel_graphs(v, &v->spec->kernels[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!done[i]) {
            find_cycles(v, i, depth_of, steps, done);
        }
    }
}
