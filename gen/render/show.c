/* SPDX-License-Identifier: MIT */
/*
 * show - what a graph's callers give and get, what its compiled function gets and returns, and in which order
 * everything happens, as values for templates/show*.mustache.
 */
#include "show_private.h"

#include "../plan/callee.h"

Value show_row(View *view, Value list, uint32_t number, const char *name, const char *text)
{
    Value row = value_object(view->arena, 4);
    view_put_number(view, row, KEY_index, number);
    view_put_text(view, row, KEY_name, name);
    view_put_text(view, row, KEY_text, text);
    value_push(view->arena, list, row);
    return row;
}

static Value inputs_value(View *view, const Plan *plan)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < plan->graph->inputs_count; i++) {
        show_row(view, list, i, plan->graph->inputs[i].name, view_input_comment(view, plan, i));
    }
    return list;
}

static Value outputs_value(View *view, const Plan *plan)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < plan->graph->outputs_count; i++) {
        const SpecOutput *output = &plan->graph->outputs[i];
        show_row(view, list, i, output->name, view_output_comment(view, plan, output));
    }
    return list;
}

static Value values_value(View *view, const Plan *plan, const PlanValues *values)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < values->count; i++) {
        show_row(view, list, i, callee_place(plan, values, i), callee_text(plan, &values->at[i]));
    }
    return list;
}

/* One pass: a graph without gradients has one, a training graph two. */
static void push_pass(View *view, Value passes, const Plan *plan)
{
    Value pass = value_object(view->arena, 12);
    view_put_text(view, pass, KEY_symbol,
                  arena_printf(view->arena, "%s%s", plan->symbol, plan->backward ? "_backward" : ""));
    view_put_text(view, pass, KEY_compiled, callee_symbol(plan));
    view_put_bool(view, pass, KEY_backward, plan->backward);
    view_put(view, pass, KEY_inputs, plan->backward ? value_list(view->arena) : inputs_value(view, plan));
    view_put(view, pass, KEY_outputs, plan->backward ? value_list(view->arena) : outputs_value(view, plan));
    view_put(view, pass, KEY_arguments, values_value(view, plan, &plan->arguments));
    view_put(view, pass, KEY_returns, values_value(view, plan, &plan->returns));
    view_put_text(view, pass, KEY_chain, plan_chain(plan));
    view_put(view, pass, KEY_steps, show_steps(view, plan));
    view_put(view, pass, KEY_picture, show_picture(view, plan));
    value_push(view->arena, passes, pass);
}

Value show_graph(View *view, const Plan *plan, const Plan *backward)
{
    Value object = value_object(view->arena, 8);
    Value passes = value_list(view->arena);
    push_pass(view, passes, plan);
    if (backward != NULL) {
        push_pass(view, passes, backward);
    }
    view_put_text(view, object, KEY_name, plan->graph->name);
    view_put_text(view, object, KEY_path, plan->path);
    view_put_text(view, object, KEY_mode, plan->graph->mode == SPEC_TRAINING ? "training" : "inference");
    view_put(view, object, KEY_passes, passes);
    return object;
}
