/* SPDX-License-Identifier: MIT */
/*
 * show_kernel - a kernel's arguments, what is true of every call, and what a call returns; show_dispatch.c has what
 * comes between.
 */
#include "show_private.h"

static Value declared_value(View *view, const Dispatch *dispatch)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < dispatch->declared.num_clauses; i++) {
        show_row(view, list, i, "", dispatch_clause_text(view->arena, dispatch, &dispatch->declared.clauses[i]));
    }
    return list;
}

/* ---- arguments ---- */

static void put_arg(const SpecArg *arg, Str *out);

/* " (a number, a text)", " (rate: a number)", " (each a tensor or null)" */
static void put_items(const SpecArg *arg, Str *out)
{
    if (arg->kind == SPEC_LIST) {
        str_puts(out, " (each ");
        put_arg(arg->of, out);
        str_puts(out, ")");
        return;
    }
    for (uint32_t i = 0; i < arg->items_count; i++) {
        str_puts(out, i == 0 ? " (" : ", ");
        if (arg->kind == SPEC_RECORD) {
            str_printf(out, "%s: ", arg->items[i].name);
        }
        put_arg(&arg->items[i], out);
    }
    str_puts(out, arg->items_count > 0 ? ")" : "");
}

/* "a tensor or null". Ranks, dtypes and lengths are among what is true of every call. */
static void put_arg(const SpecArg *arg, Str *out)
{
    str_puts(out, kind_specs[arg->kind].article);
    if (kind_is_container(arg->kind)) {
        put_items(arg, out);
    }
    str_puts(out, spec_is(arg->nullable) && arg->kind != SPEC_ALWAYS_NULL ? " or null" : "");
}

/* With what a call that leaves it out passes. */
static const char *arg_text(View *view, const SpecArg *arg)
{
    Str out = str_new(view->arena);
    put_arg(arg, &out);
    if (spec_is(arg->default_null) || arg->default_value != NULL) {
        str_printf(&out, ", %s when it is left out", spec_is(arg->default_null) ? "null" : arg->default_value);
    }
    return str_text(&out);
}

/* ---- results ---- */

/* What a call returns, with what the symbols in it stand for. */
static Value outputs_value(View *view, const SpecKernel *kernel)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        show_row(view, list, i, kernel->outputs[i].name, view_kernel_output_comment(view, &kernel->outputs[i]));
    }
    return list;
}

static Value numbers_value(View *view, const SpecKernel *kernel)
{
    static const char *const words[] = {[SPEC_NUMBER_UNSET] = "?",
                                        [SPEC_NUMBER_SIZE] = "size",
                                        [SPEC_NUMBER_NDIM] = "rank",
                                        [SPEC_NUMBER_LENGTH] = "length",
                                        [SPEC_NUMBER_VALUE] = "value"};
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < kernel->where_count; i++) {
        const SpecNumber *number = &kernel->where[i];
        const char *dim = number->dim.text;
        show_row(view, list, i, number->symbol,
                 arena_printf(view->arena, "%s%s%s of %s", words[number->of], dim != NULL ? " " : "",
                              dim != NULL ? dim : "", number->arg));
    }
    return list;
}

Value show_kernel(View *view, Kernel *kernel)
{
    Value object = value_object(view->arena, 13);
    Value args = value_list(view->arena);
    Dispatch *dispatch = dispatch_new(view->arena, kernel->file, kernel->spec, kernel->host.tells_lazy);
    const DispatchPlan plan = dispatch_plan(dispatch, kernel->strategy);
    dispatch_add_graphs(dispatch);
    const Proof proof = prove_dispatch(view->arena, dispatch);
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        show_row(view, args, i, kernel->args[i].name, arg_text(view, kernel->args[i].spec));
    }
    view_put_text(view, object, KEY_name, kernel->spec->name);
    view_put_text(view, object, KEY_symbol, kernel->symbol);
    view_put_text(view, object, KEY_path, kernel->path);
    view_put(view, object, KEY_arguments, args);
    view_put(view, object, KEY_clauses, declared_value(view, dispatch));
    view_put_bool(view, object, KEY_has_declared, dispatch->declared.num_clauses > 0);
    view_put(view, object, KEY_dispatch, show_dispatch(view, kernel, dispatch, &plan, &proof));
    view_put_bool(view, object, KEY_call, kernel->call != NULL);
    view_put(view, object, KEY_outputs, outputs_value(view, kernel->spec));
    view_put(view, object, KEY_numbers, numbers_value(view, kernel->spec));
    view_put_bool(view, object, KEY_has_numbers, kernel->spec->where_count > 0);
    return object;
}
