/* SPDX-License-Identifier: MIT */
/*
 * view_call - the typed call of a kernel as an object: the struct of what it returns, what its variants get and
 * return, and the ops of its plan.
 */
#include <inttypes.h>

#include "../facts/comment.h"
#include "../facts/kinds.h"
#include "view_private.h"

const char *view_kernel_output_comment(View *view, const SpecKernelOutput *output)
{
    Str out = str_new(view->arena);
    if (output->kind != SPEC_TENSOR) {
        comment_kind(output->kind, &out);
        return str_text(&out);
    }
    comment_tensor(output->dtype_code, &output->size, &out);
    if (output->stride.text != NULL) {
        str_puts(&out, ", stride ");
        comment_list(&output->stride, &out);
    } else if (output->allocate != NULL) {
        str_puts(&out, ", contiguous");
    }
    if (output->allocate != NULL) {
        str_printf(&out, ", made by the call on the device of %s", output->allocate);
    }
    return str_text(&out);
}

/* {name, place, comment}: where a variant finds a tensor to fill, or puts a result. */
static void push_place(View *view, Value list, const SpecKernelOutput *output, const char *array, uint32_t index)
{
    const SlotType type = plan_slot_type(output->kind);
    Value item = value_object(view->arena, 4);
    view_put_text(view, item, KEY_made, type == SLOT_TENSOR ? "value_tensor" : type == SLOT_REAL ? "real" : "integer");
    view_put_text(view, item, KEY_name, arena_printf(view->arena, "fill_%s", output->name));
    view_put_text(
        view, item, KEY_place,
        arena_printf(view->arena, "%s[%" PRIu32 "].%s", array, index, plan_slot_member(plan_slot_type(output->kind))));
    view_put_text(view, item, KEY_comment,
                  arena_printf(view->arena, "%s, %s", output->name, view_kernel_output_comment(view, output)));
    value_push(view->arena, list, item);
}

static void put_outputs(View *view, const Kernel *kernel, Value object)
{
    const SpecKernel *spec = kernel->spec;
    Value outputs = value_list(view->arena);
    Value filled = value_list(view->arena);
    Value returns = value_list(view->arena);
    bool tensors = false;
    for (uint32_t i = 0; i < spec->outputs_count; i++) {
        const SpecKernelOutput *output = &spec->outputs[i];
        Value item = value_object(view->arena, 8);
        view_put_text(view, item, KEY_name, output->name);
        view_put_number(view, item, KEY_index, i);
        view_put_text(view, item, KEY_c_type, kind_specs[output->kind].c_type);
        view_put_text(view, item, KEY_member, plan_slot_member(plan_slot_type(output->kind)));
        view_put_text(view, item, KEY_comment, view_kernel_output_comment(view, output));
        view_put_bool(view, item, KEY_owned, output->kind == SPEC_TENSOR);
        value_push(view->arena, outputs, item);
        tensors = tensors || output->kind == SPEC_TENSOR;
        if (output->allocate != NULL) {
            push_place(view, filled, output, "args", kernel->num_args + filled.as.list->count);
        } else {
            push_place(view, returns, output, "outs", returns.as.list->count);
        }
    }
    view_put(view, object, KEY_outputs, outputs);
    view_put(view, object, KEY_filled, filled);
    view_put(view, object, KEY_returns, returns);
    view_put_bool(view, object, KEY_fills, filled.as.list->count > 0);
    view_put_bool(view, object, KEY_has_outputs, spec->outputs_count > 0);
    view_put_bool(view, object, KEY_has_tensor_outputs, tensors);
    view_put_number(view, object, KEY_num_outputs, spec->outputs_count);
}

static void put_code(View *view, const Plan *plan, Value object, const char *literal)
{
    Value temporaries = value_list(view->arena);
    for (uint32_t i = 0; i < plan->num_slots; i++) {
        if (plan->slots[i].role == SLOT_TEMPORARY) {
            Value item = value_object(view->arena, 1);
            view_put_text(view, item, KEY_name, plan->slots[i].text);
            value_push(view->arena, temporaries, item);
        }
    }
    view->fold = fold_plan(view->arena, plan, 0);
    view_tables(view, object, literal);
    view_put(view, object, KEY_ops, view_folded_ops(view, plan));
    view->fold = NULL;
    view_put(view, object, KEY_temporaries, temporaries);
    view_put_bool(view, object, KEY_overflow, view_notes_overflow(plan));
    view_put(view, object, KEY_call_args, view_array_size(view, plan->num_call_args));
    view_put(view, object, KEY_results_array, view_array_size(view, plan->capacity));
    view_put(view, object, KEY_result_runs,
             view_slot_runs(view, plan, "results", plan->first_result, plan->num_results));
    view_put_number(view, object, KEY_num_arguments, plan->num_call_args);
}

Value view_kernel_call(View *view, const Kernel *kernel)
{
    if (kernel->call == NULL) {
        return value_null();
    }
    Value object = value_object(view->arena, 24);
    put_outputs(view, kernel, object);
    put_code(view, kernel->call, object, view_literal(view, kernel->spec->name));
    return object;
}
