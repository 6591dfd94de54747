/* SPDX-License-Identifier: MIT */
/* view_callee - a compiled function as an object: its declaration, and a row for each argument and result. */
#include "../plan/callee.h"
#include "view_private.h"

static Value rows_value(View *view, const Plan *plan, const PlanValues *values)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < values->count && !view->brief; i++) {
        const PlanValue *value = &values->at[i];
        Value item = value_object(view->arena, 8);
        view_put_text(view, item, KEY_c_type, view_c_type(value->type));
        view_put_text(view, item, KEY_name, callee_name(plan, values, i));
        view_put_text(view, item, KEY_place, callee_place(plan, values, i));
        view_put_text(view, item, KEY_member, plan_slot_member(value->type));
        view_put_text(view, item, KEY_comment, callee_text(plan, value));
        view_put_bool(view, item, KEY_given, !callee_is_null(value));
        view_put_bool(view, item, KEY_scalar, value->type == SLOT_INTEGER || value->type == SLOT_REAL);
        value_push(view->arena, list, item);
    }
    return list;
}

/* Results of a direct call are passed by address. */
static Value parameters_value(View *view, const Plan *plan)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < plan->arguments.count + plan->returns.count; i++) {
        const bool returned = i >= plan->arguments.count;
        const PlanValues *values = returned ? &plan->returns : &plan->arguments;
        const uint32_t position = returned ? i - plan->arguments.count : i;
        Value item = value_object(view->arena, 2);
        view_put_text(view, item, KEY_c_type, view_c_type(values->at[position].type));
        view_put_text(view, item, KEY_name, callee_place(plan, values, position));
        value_push(view->arena, list, item);
    }
    return list;
}

static bool has_given(const PlanValues *values)
{
    bool given = false;
    for (uint32_t i = 0; i < values->count; i++) {
        given = given || !callee_is_null(&values->at[i]);
    }
    return given;
}

/* Of a model; nothing for a function. */
static Value expects_value(View *view, const Plan *plan)
{
    Value list = value_list(view->arena);
    const char **lines = NULL;
    const uint32_t n = callee_convention(plan) == SPEC_AOTI ? callee_expects(plan, &lines) : 0;
    for (uint32_t i = 0; i < n; i++) {
        view_push_text(view, list, view_literal(view, lines[i]), i, false);
    }
    return list;
}

Value view_callee(View *view, const Plan *plan)
{
    const SpecConvention convention = callee_convention(plan);
    const bool direct = convention == SPEC_DIRECT;
    const char *compiled = callee_symbol(plan);
    Value object = value_object(view->arena, 20);
    view_put_text(view, object, KEY_compiled, compiled);
    view_put_text(view, object, KEY_compiled_literal, view_literal(view, compiled));
    view_put_bool(view, object, KEY_told, view->tells);
    view_put_bool(view, object, KEY_direct, direct);
    view_put_bool(view, object, KEY_model, convention == SPEC_AOTI);
    view_put_bool(view, object, KEY_boxed_call, !direct && convention != SPEC_AOTI);
    view_put_bool(view, object, KEY_consumes, plan->consumes);
    view_put_text(view, object, KEY_const_inputs, plan->consumes ? "" : "const ");
    view_put(view, object, KEY_parameters, direct ? parameters_value(view, plan) : value_list(view->arena));
    view_put(view, object, KEY_arguments, rows_value(view, plan, &plan->arguments));
    view_put(view, object, KEY_returns, rows_value(view, plan, &plan->returns));
    view_put(view, object, KEY_expects, expects_value(view, plan));
    view_put_number(view, object, KEY_num_arguments, plan->arguments.count);
    view_put_number(view, object, KEY_num_results, plan->returns.count);
    view_put_bool(view, object, KEY_has_args, has_given(&plan->arguments));
    view_put_bool(view, object, KEY_has_outputs, plan->returns.count > 0);
    Value fewer = value_null();
    if (plan->num_fewer > 0) {
        fewer = value_object(view->arena, 1);
        view_put_number(view, fewer, KEY_value, plan->num_fewer);
    }
    view_put(view, object, KEY_fewer, fewer);
    return object;
}

Value view_variant(View *view, const Kernel *kernel, const char *variant)
{
    Value object = value_object(view->arena, 5);
    view_put(view, object, KEY_call, view_kernel_call(view, kernel));
    view_put_number(view, object, KEY_num_args, kernel->num_args);
    view_put_text(view, object, KEY_variant, variant);
    view_put_text(view, object, KEY_symbol, kernel->symbol);
    view_put_text(view, object, KEY_literal, view_literal(view, variant));
    return object;
}
