/* SPDX-License-Identifier: MIT */
/*
 * view_graph - a graph as an object: names, structs, tables, runs of tensors, and its ops.
 */
#include <string.h>

#include "../facts/missing.h"
#include "view_private.h"

/* ---- fields and parameters ---- */

static void push_field(View *view, Value list, SlotType type, const char *name, const char *comment)
{
    Value item = value_object(view->arena, 4);
    view_put_text(view, item, KEY_c_type, view_c_type(type));
    view_put_text(view, item, KEY_member, plan_slot_member(type));
    view_put_text(view, item, KEY_name, name);
    view_put_text(view, item, KEY_comment, comment);
    value_push(view->arena, list, item);
}

/* A proof takes many inputs apart by the first that is null: what a loop has tested of one is lost in the next loop.
 * Those that a call takes are gone after it. */
enum { PROOF_FEW_INPUTS = 48 };

/* No comments in code that people do not read. */
static void put_fields(View *view, const Plan *plan, Value object)
{
    Value inputs = value_list(view->arena);
    Value outputs = value_list(view->arena);
    for (uint32_t i = 0; i < plan->graph->inputs_count; i++) {
        const char *comment = view->brief ? NULL : view_input_comment(view, plan, i);
        push_field(view, inputs, plan->slots[i].type, plan->graph->inputs[i].name, comment);
    }
    for (uint32_t i = 0; i < plan->graph->outputs_count; i++) {
        const SpecOutput *output = &plan->graph->outputs[i];
        const char *comment = view->brief ? NULL : view_output_comment(view, plan, output);
        push_field(view, outputs, plan_slot_type(output->kind), output->name, comment);
    }
    view_put(view, object, KEY_inputs, inputs);
    view_put(view, object, KEY_outputs, outputs);
    view_put_number(view, object, KEY_num_inputs, plan->graph->inputs_count);
    view_put_number(view, object, KEY_num_outputs, plan->graph->outputs_count);
    view_put_bool(view, object, KEY_has_inputs, plan->graph->inputs_count > 0);
    view_put_bool(view, object, KEY_many_inputs, plan->graph->inputs_count > PROOF_FEW_INPUTS && !plan->consumes);
    view_put_bool(view, object, KEY_has_outputs, plan->graph->outputs_count > 0);
}

/* ---- runs of tensors in an array of values ---- */

static Value output_runs(View *view, const Plan *plan)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < plan->graph->outputs_count;) {
        uint32_t n = 0;
        while (i + n < plan->graph->outputs_count && plan_slot_type(plan->graph->outputs[i + n].kind) == SLOT_TENSOR) {
            n++;
        }
        if (n > 0) {
            view_push_run(view, list, "out", i, n);
        }
        i += n == 0 ? 1 : n;
    }
    return list;
}

/* The same runs that the call releases, for the failure exit. */
static Value call_argument_runs(View *view, const Plan *plan)
{
    Value list = value_list(view->arena);
    for (const Op *op = plan->ops.first; op != NULL; op = op->next) {
        if (op->kind == OP_release_arguments && str_equal(op->operands[0].as.text, "call_args")) {
            view_push_run(view, list, "call_args", (uint32_t)op->operands[1].as.count,
                          (uint32_t)op->operands[2].as.count);
        }
    }
    return list;
}

static void put_runs(View *view, const Plan *plan, Value object)
{
    const char *results = plan->direct_results ? "outs" : "results";
    view_put(view, object, KEY_result_runs, view_slot_runs(view, plan, results, plan->first_result, plan->num_results));
    view_put(view, object, KEY_argument_runs, view_slot_runs(view, plan, "args", plan->first_argument, plan->num_args));
    view_put(view, object, KEY_call_arg_runs, call_argument_runs(view, plan));
    Value outputs = output_runs(view, plan);
    view_put(view, object, KEY_output_runs, outputs);
    view_put_bool(view, object, KEY_has_tensor_outputs, outputs.as.list->count > 0);
}

/* ---- locals ---- */

static bool uses_args(const Plan *plan)
{
    return plan->consumes || view_find_op(&plan->ops, OP_load_tensor) != NULL ||
           view_find_op(&plan->ops, OP_load_value) != NULL || view_find_op(&plan->ops, OP_pack_run) != NULL ||
           ((view_find_op(&plan->ops, OP_call_boxed) != NULL || view_find_op(&plan->ops, OP_call_model) != NULL) &&
            !plan->packs_arguments);
}

static void put_locals(View *view, const Plan *plan, Value object)
{
    Value temporaries = value_list(view->arena);
    for (uint32_t i = 0; i < plan->num_slots; i++) {
        if (plan->slots[i].role == SLOT_TEMPORARY && fold_is_declared(view->fold, i)) {
            Value item = value_object(view->arena, 1);
            view_put_text(view, item, KEY_name, fold_slot(view->fold, i));
            value_push(view->arena, temporaries, item);
        }
    }
    const uint32_t call_args = plan->packs_arguments ? plan->num_call_args : 0;
    const uint32_t results = plan->direct_results ? 0 : plan->capacity;
    view_put(view, object, KEY_temporaries, temporaries);
    view_put_bool(view, object, KEY_overflow, view_notes_overflow(plan));
    view_put_bool(view, object, KEY_scratch_used, plan->scratch > 0);
    view_put_bool(view, object, KEY_marks_range, view_find_op(&plan->ops, OP_range_begin) != NULL);
    view_put(view, object, KEY_call_args, view_array_size(view, call_args));
    view_put(view, object, KEY_results_array, view_array_size(view, results));
    view_put_bool(view, object, KEY_takes_call_args, call_args > 0);
    view_put_bool(view, object, KEY_takes_results, results > 0);
    view_put_number(view, object, KEY_results_offset, call_args);
    view_put_bool(view, object, KEY_uses_args, uses_args(plan));
}

static Value saved_value(View *view, const SpecGraph *graph, uint32_t num_shapes)
{
    const SpecSaved *saved = graph->saved;
    if (saved == NULL) {
        return value_null();
    }
    Value object = value_object(view->arena, 9);
    const uint32_t num_states = graph->rng == SPEC_RNG_GRAPHSAFE ? graph->num_rng_states : 0;
    const bool no_tensors = saved->num_tensors + saved->num_no_version_check + num_states == 0;
    view_put(view, object, KEY_num_tensors, view_array_size(view, saved->num_tensors));
    view_put(view, object, KEY_num_unchecked, view_array_size(view, saved->num_no_version_check));
    view_put(view, object, KEY_num_rng_states, view_array_size(view, num_states));
    view_put(view, object, KEY_num_opaque, view_array_size(view, saved->num_opaque));
    view_put(view, object, KEY_num_symints, view_array_size(view, saved->num_symints));
    view_put_bool(view, object, KEY_no_tensors, no_tensors);
    view_put_bool(view, object, KEY_donates, saved->donated.text_count > 0);
    view_put(view, object, KEY_num_shapes, view_array_size(view, num_shapes));
    view_put_bool(view, object, KEY_empty, no_tensors && saved->num_opaque + saved->num_symints + num_shapes == 0);
    return object;
}

/* Sets what declarations and definitions both use, for forward and backward alike. */
static void put_counts(View *view, const Plan *plan, Value object)
{
    view_put_bool(view, object, KEY_consumes, plan->consumes);
    view_put(view, object, KEY_num_args, view_array_size(view, plan->num_args));
    view_put(view, object, KEY_num_outs, view_array_size(view, plan->num_outs));
    view_put_number(view, object, KEY_scratch, plan->scratch);
}

/* Sets what templates/core.mustache uses. */
static void put_core(View *view, const Plan *plan, Value object, const char *graph_literal)
{
    view_put_bool(view, object, KEY_fills_saved, !plan->backward && plan->graph->saved != NULL);
    view_put_bool(view, object, KEY_ignores_saved,
                  plan->backward && view_find_op(&plan->ops, OP_check_versions) == NULL &&
                      view_find_op(&plan->ops, OP_pack_saved) == NULL &&
                      view_find_op(&plan->ops, OP_generator_restore) == NULL &&
                      view_find_op(&plan->ops, OP_load_saved) == NULL);
    view->fold = fold_plan(view->arena, plan, view->loop_from);
    view_tables(view, object, graph_literal);
    put_runs(view, plan, object);
    put_locals(view, plan, object);
    const char *chain = plan_chain(plan);
    view_put_text(view, object, KEY_chain, strchr(chain, '>') != NULL ? chain : NULL);
    view_put(view, object, KEY_ops, view_folded_ops(view, plan));
    view->fold = NULL;
}

/* The position of a tangent among the values that the forward returned. */
static uint32_t returned_position(const Plan *plan, const SpecTangent *tangent)
{
    const GraphFacts *facts = &plan->facts;
    if (tangent->of_ref.kind == SPEC_REF_OUTPUT) {
        return facts->num_mutated_returns + tangent->of_ref.index;
    }
    if (tangent->of_ref.kind == SPEC_REF_BASE) {
        return facts->num_mutated_returns + facts->num_outputs + facts->member_metadata.count + tangent->of_ref.index;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        const InnerArg *arg = &facts->inner_args[i];
        if (arg->ref.kind == tangent->of_ref.kind && arg->ref.index == tangent->of_ref.index) {
            break;
        }
        n += arg->mutation_type == MUTATED_OUT_GRAPH ? 1 : 0;
    }
    return n;
}

static Value surviving_value(View *view, const Plan *plan)
{
    const MissingList missing = missing_tangents(view->arena, plan->graph);
    const SpecBackward *backward = plan->graph->backward;
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < backward->tangents_count; i++) {
        const SpecTangent *tangent = &backward->tangents[backward->tangent_order[i]];
        Value item = value_object(view->arena, 3);
        view_put_text(view, item, KEY_name, tangent->of);
        view_put_number(view, item, KEY_index, returned_position(plan, tangent));
        view_put_text(view, item, KEY_comment,
                      tangent->kept == SPEC_FALSE ? "may be null"
                      : missing.at[i].possible    ? "null means zeros"
                                                  : "must be there");
        value_push(view->arena, list, item);
    }
    return list;
}

static Value gradients_value(View *view, const Plan *plan)
{
    const SpecBackward *backward = plan->graph->backward;
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < backward->grad_inputs_count; i++) {
        const SpecGradInput *grad = &backward->grad_inputs[backward->grad_input_order[i]];
        if (grad->kind != SPEC_NONE) {
            push_field(view, list, SLOT_TENSOR, grad->of, NULL);
        }
    }
    return list;
}

/* "x, w"; null for none. */
static const char *mutated_text(View *view, const Plan *plan)
{
    const SpecBackward *backward = plan->graph->backward;
    Str names = str_new(view->arena);
    for (uint32_t i = 0; i < backward->mutated_in_backward.text_count; i++) {
        str_printf(&names, "%s%s", i > 0 ? ", " : "", plan->graph->inputs[backward->mutated_index[i]].name);
    }
    return names.length > 0 ? str_text(&names) : NULL;
}

static Value backward_value(View *view, const Plan *plan)
{
    Value object = value_object(view->arena, 32);
    view_put(view, object, KEY_callee, view_callee(view, plan));
    view_put_number(view, object, KEY_num_returned, plan->facts.num_forward_returns);
    view_put_number(view, object, KEY_num_gradients, plan->num_outs);
    view_put_text(view, object, KEY_const_saved, plan->graph->saved->donated.text_count > 0 ? "" : "const ");
    view_put_text(view, object, KEY_mutated, mutated_text(view, plan));
    view_put(view, object, KEY_surviving, surviving_value(view, plan));
    view_put(view, object, KEY_gradients, gradients_value(view, plan));
    put_counts(view, plan, object);
    return object;
}

/* The names of that operand in all ops of one kind, each once. */
static void add_names(View *view, Value list, const OpList *ops, OpKind kind, uint32_t operand)
{
    for (const Op *op = ops->first; op != NULL; op = op->next) {
        bool known = op->kind != kind;
        for (uint32_t i = 0; i < list.as.list->count && !known; i++) {
            known = str_equal(list.as.list->items[i].as.object->entries[0].value.as.text.data,
                              op->operands[operand].as.text);
        }
        if (!known) {
            view_push_text(view, list, op->operands[operand].as.text, list.as.list->count, false);
        }
    }
}

void view_named_types(View *view, const Plan *plan, const Plan *backward, Value types, Value contexts)
{
    for (const Plan *each = plan; each != NULL; each = each == plan ? backward : NULL) {
        add_names(view, types, &each->ops, OP_check_type, 1);
        add_names(view, types, &each->ops, OP_rebuild, 1);
        add_names(view, types, &each->ops, OP_check_optional_type, 1);
        add_names(view, types, &each->ops, OP_coerce_type, 3);
        add_names(view, contexts, &each->ops, OP_coerce_type, 4);
        add_names(view, contexts, &each->ops, OP_rebuild, 2);
        add_names(view, contexts, &each->ops, OP_check_context, 1);
    }
}

static void put_types(View *view, const Plan *plan, const Plan *backward, Value object)
{
    Value types = value_list(view->arena);
    Value contexts = value_list(view->arena);
    view_named_types(view, plan, backward, types, contexts);
    view_put(view, object, KEY_types, types);
    view_put(view, object, KEY_contexts, contexts);
}

uint32_t view_scratch_needed(const Plan *plan, const Plan *backward)
{
    const uint32_t forward = plan_scratch(plan);
    return forward > plan_scratch(backward) ? forward : plan_scratch(backward);
}

static Value declarations_value(View *view, const Plan *plan, const Plan *backward, Value inside)
{
    Value object = value_object(view->arena, 56);
    view_put_text(view, object, KEY_symbol, plan->symbol);
    view_put_text(view, object, KEY_upper, view_upper(view, plan->symbol));
    view_put_text(view, object, KEY_path, plan->path);
    view_put_text(view, object, KEY_mode, plan->graph->mode == SPEC_TRAINING ? "training" : "inference");
    view_put_text(view, object, KEY_const_inputs, plan->consumes ? "" : "const ");
    view_put(view, object, KEY_saved, saved_value(view, plan->graph, plan->num_shapes));
    view_put(view, object, KEY_backward, inside);
    put_counts(view, plan, object);
    view_put_number(view, object, KEY_scratch_needed, view_scratch_needed(plan, backward));
    put_fields(view, plan, object);
    view_put(view, object, KEY_callee, view_callee(view, plan));
    put_types(view, plan, backward, object);
    return object;
}

/* What the places that can fail call their arguments and results, each once, in the order of the plan: like graphs have
 * like plans, so it is the same order in all of them. */
static Value names_value(View *view, const Plan *plan)
{
    Value list = value_list(view->arena);
    Table seen;
    table_init(&seen, view->arena);
    for (uint32_t i = 0; i < plan->num_sites; i++) {
        const char *name = plan->sites[i]->argument;
        if (name != NULL && table_add(&seen, name, strlen(name), 0, 0) == NULL) {
            view_push_text(view, list, view_literal(view, name), list.as.list->count, false);
        }
    }
    return list;
}

/* Errors of shared code name an argument as the first graph does; each graph says what it calls that argument. */
static void put_names(View *view, const Plan *plan, Value object, const ViewSharing *sharing, const char *end)
{
    Value names = sharing->named ? names_value(view, plan) : value_list(view->arena);
    const bool named = names.as.list->count > 0;
    const char *owner = sharing->renamed ? plan->symbol : sharing->symbol;
    view_put_bool(view, object, KEY_named, named);
    view_put_bool(view, object, KEY_renamed, named && sharing->renamed);
    view_put(view, object, KEY_names, names);
    view_put_number(view, object, KEY_num_names, names.as.list->count);
    view_put_text(view, object, KEY_names_table, arena_printf(view->arena, "%s%s_names", owner, end));
}

/* The code of the plan's function is what several graphs have in common, or its own. */
static void put_code(View *view, const Plan *plan, Value object, const ViewSharing *sharing, const char *graph_literal)
{
    const bool follows = !str_equal(plan->symbol, sharing->symbol);
    const bool shared = follows || sharing->members > 1;
    const char *end = plan->backward ? "_backward" : "";
    view_put_text(view, object, KEY_stem, arena_printf(view->arena, "%s%s", plan->symbol, end));
    view_put_text(view, object, KEY_core, arena_printf(view->arena, "%s%s", sharing->symbol, end));
    view_put_bool(view, object, KEY_shared, shared);
    view_put_bool(view, object, KEY_follows, follows);
    put_names(view, plan, object, sharing, end);
    if (follows) {
        put_runs(view, plan, object);
    } else {
        view->shares = shared;
        put_core(view, plan, object, shared ? "NULL" : graph_literal);
        view->shares = false;
    }
}

Value view_graph(View *view, const Plan *plan, const Plan *backward, const ViewSharing *sharing)
{
    view->brief = view->plain && !str_equal(plan->symbol, sharing->symbol);
    Value inside = backward != NULL ? backward_value(view, backward) : value_null();
    Value object = declarations_value(view, plan, backward, inside);
    const char *graph_literal = view_literal(view, plan->graph->name);
    view_put_text(view, object, KEY_graph_literal, graph_literal);
    view_put_text(view, object, KEY_like, sharing->symbol);
    view_put_text(view, object, KEY_like_path, sharing->path);
    view_put_number(view, object, KEY_members, sharing->members);
    view_put_bool(view, object, KEY_counts, plan->graph->check >= SPEC_CHECK_COUNT);
    put_code(view, plan, object, sharing, graph_literal);
    if (backward != NULL) {
        put_code(view, backward, inside, sharing, graph_literal);
    }
    view->brief = false;
    return object;
}
