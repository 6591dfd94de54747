/* SPDX-License-Identifier: MIT */
/*
 * view_python_kernel - a kernel as functions of a Python module: where its arguments are in the structs of the C, what
 * they are in Python, and its variants as functions that Python may provide.
 */
#include <string.h>

#include "../algebra/geometry.h"
#include "../facts/kinds.h"
#include "view_private.h"

/* ---- what an argument is ---- */

static bool may_be_none(const KernelArg *arg)
{
    return spec_is(arg->spec->nullable) && arg->kind != SPEC_ALWAYS_NULL;
}

static void put_annotation(Str *out, const KernelArg *arg)
{
    if (arg->kind == SPEC_LIST) {
        str_puts(out, "_typing.Sequence[");
        put_annotation(out, arg->items);
        str_puts(out, "]");
    } else if (arg->kind == SPEC_TUPLE) {
        str_puts(out, "_builtins.tuple[");
        for (uint32_t i = 0; i < arg->num_items; i++) {
            str_puts(out, i > 0 ? ", " : "");
            put_annotation(out, &arg->items[i]);
        }
        str_puts(out, arg->num_items == 0 ? "()]" : "]");
    } else {
        str_puts(out, kind_specs[arg->kind].annotation);
    }
    str_puts(out, may_be_none(arg) ? " | None" : "");
}

/* Python's text for a string. */
static const char *quoted(View *view, const char *text)
{
    Str out = str_new(view->arena);
    str_putc(&out, '\'');
    for (const char *next = text; *next != '\0'; next++) {
        const unsigned char byte = (unsigned char)*next;
        if (byte == '\'' || byte == '\\') {
            str_printf(&out, "\\%c", byte);
        } else if (byte < 0x20 || byte == 0x7F) {
            str_printf(&out, "\\x%02x", byte);
        } else {
            str_putc(&out, *next);
        }
    }
    str_putc(&out, '\'');
    return str_text(&out);
}

/* A default as Python reads it in a signature, which holds only numbers, strings, None and a placeholder for the rest;
 * null without one. */
static const char *initial_text(View *view, const KernelArg *arg)
{
    const char *text = arg->spec->default_value;
    if (spec_is(arg->spec->default_null)) {
        return "None";
    }
    if (text == NULL) {
        return NULL;
    }
    if (arg->kind == SPEC_BOOLEAN) {
        return str_equal(text, "true") ? "True" : "False";
    }
    if (arg->kind == SPEC_STRING) {
        return quoted(view, text);
    }
    return kind_form(arg->kind) == FORM_NUMBER ? text : "...";
}

/* "tensor of float16|bfloat16, rank 2, may be None" */
static const char *about(View *view, const KernelArg *arg)
{
    const SpecArg *spec = arg->spec;
    Str out = str_new(view->arena);
    str_puts(&out, spec_kind_text(arg->kind));
    if (spec->dtype != NULL) {
        str_printf(&out, " of %s", spec->dtype);
    }
    if (spec->ndim != NULL) {
        str_printf(&out, ", rank %s", spec->ndim);
    }
    if (spec->length != NULL) {
        str_printf(&out, ", length %s", spec->length);
    }
    str_puts(&out, spec_is(spec->constexpr_value) ? ", its value is part of the key" : "");
    str_puts(&out, may_be_none(arg) ? ", may be None" : "");
    if (spec->default_value != NULL) {
        str_printf(&out, ", default %s", spec->default_value);
    }
    return str_text(&out);
}

/* ---- the parts of arguments ---- */

static uint32_t num_below(const KernelArg *arg)
{
    uint32_t n = arg->num_items;
    for (uint32_t i = 0; i < arg->num_items; i++) {
        n += num_below(&arg->items[i]);
    }
    return n;
}

/* "demo_matmul_args_opts" for a type that is followed by a space; one that is followed by a star is as it is. */
static const char *type_text(View *view, const char *c_type)
{
    const size_t length = strlen(c_type);
    return arena_copy(view->arena, c_type, length - (c_type[length - 1] == ' ' ? 1 : 0));
}

/* `name` is that of Python, or null; `of` the struct around it, null for items of a list. */
static Value part_value(View *view, const KernelArg *arg, const char *name, const char *of)
{
    Value item = value_object(view->arena, 20);
    const char *initial = initial_text(view, arg);
    view_put_text(view, item, KEY_literal, view_literal(view, name));
    view_put_text(view, item, KEY_comment, view_literal(view, about(view, arg)));
    view_put_text(view, item, KEY_initial, view_literal(view, initial));
    view_put_text(view, item, KEY_kind, kind_specs[arg->kind].python);
    view_put_number(view, item, KEY_optional, may_be_none(arg));
    view_put_number(view, item, KEY_by_address, arg->by_address);
    view_put_number(view, item, KEY_num_items, arg->num_items);
    view_put_number(view, item, KEY_num_parts, num_below(arg));
    view_put_text(view, item, KEY_type, of);
    view_put_text(view, item, KEY_member, arg->name);
    view_put_text(view, item, KEY_value_type, type_text(view, arg->c_type));
    return item;
}

static void push_parts(View *view, Value list, const KernelArg *arg, const char *name, const char *of)
{
    const bool is_list = arg->kind == SPEC_LIST;
    value_push(view->arena, list, part_value(view, arg, name, of));
    for (uint32_t i = 0; i < arg->num_items; i++) {
        push_parts(view, list, &arg->items[i], arg->kind == SPEC_RECORD ? arg->items[i].name : NULL,
                   is_list ? NULL : type_text(view, arg->c_type));
    }
}

/* The tensors that a variant fills come after its arguments; a call does not pass them. */
static void push_filled(View *view, Value list, const SpecKernel *kernel)
{
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        const SpecKernelOutput *output = &kernel->outputs[i];
        if (output->allocate == NULL) {
            continue;
        }
        Value item = value_object(view->arena, 12);
        view_put_text(view, item, KEY_literal, view_literal(view, output->name));
        view_put_text(view, item, KEY_comment, view_literal(view, view_kernel_output_comment(view, output)));
        view_put_text(view, item, KEY_initial, "NULL");
        view_put_text(view, item, KEY_kind, kind_specs[SPEC_TENSOR].python);
        view_put_number(view, item, KEY_optional, 0);
        view_put_number(view, item, KEY_by_address, 0);
        view_put_number(view, item, KEY_num_items, 0);
        view_put_number(view, item, KEY_num_parts, 0);
        view_put_text(view, item, KEY_type, NULL);
        view_put_text(view, item, KEY_value_type, "WgTensor *");
        value_push(view->arena, list, item);
    }
}

/* What a variant returns of the kernel's results: all that the call does not make. */
static bool is_returned(const SpecKernel *kernel, uint32_t result)
{
    return kernel->outputs == NULL || kernel->outputs[result].allocate == NULL;
}

static uint32_t num_returned(const SpecKernel *kernel)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < kernel->result_kinds_count; i++) {
        n += is_returned(kernel, i) ? 1 : 0;
    }
    return n;
}

/* ---- functions ---- */

/* Those of the arguments, then those of what the key holds besides. */
static const char **all_names(View *view, const Kernel *kernel)
{
    const SpecNames *extra = &kernel->spec->key_extra;
    const uint32_t n = kernel->num_args + extra->text_count;
    const char **names = ARENA_ARRAY(view->arena, const char *, (size_t)n + 1);
    const char **distinct = ARENA_ARRAY(view->arena, const char *, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        names[i] = i < kernel->num_args ? kernel->args[i].name : extra->text[i - kernel->num_args];
    }
    for (uint32_t i = 0; i < n; i++) { /* an argument does not give way to a number */
        distinct[i] = view_python_distinct(view->arena, names, i < kernel->num_args ? kernel->num_args : n, i);
        names[i] = distinct[i];
    }
    return distinct;
}

static void put_numbers(View *view, const Kernel *kernel, const char *const *names, Value object)
{
    static const struct {
        const char *name;
        const char *kind;
        const char *type;
        const char *about;
    } rows[] = {
        {"capability", "WG_PYTHON_INTEGER", "_builtins.int", "int, of the device: 90 for 9.0"},
        {"distributed", "WG_PYTHON_BOOLEAN", "_builtins.bool", "bool"},
        {"user", "WG_PYTHON_INTEGER", "_builtins.int", "int, the caller's own"},
    };
    const SpecNames *extra = &kernel->spec->key_extra;
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < extra->text_count; i++) {
        size_t row = 0;
        while (!str_equal(rows[row].name, extra->text[i])) {
            row++;
        }
        Value item = value_object(view->arena, 12);
        view_put_text(view, item, KEY_member, extra->text[i]);
        view_put_text(view, item, KEY_name, names[i]);
        view_put_text(view, item, KEY_literal, view_literal(view, names[i]));
        view_put_text(view, item, KEY_comment, view_literal(view, rows[row].about));
        view_put_text(view, item, KEY_kind, rows[row].kind);
        view_put_text(view, item, KEY_type, rows[row].type);
        view_put_number(view, item, KEY_index, i);
        value_push(view->arena, list, item);
    }
    view_put(view, object, KEY_numbers, list);
    view_put_bool(view, object, KEY_has_numbers, extra->text_count > 0);
    view_put_number(view, object, KEY_num_numbers, extra->text_count);
}

static void put_arguments(View *view, const Kernel *kernel, const char *const *names, Value object)
{
    const char *of = arena_printf(view->arena, "%s_args", kernel->symbol);
    const uint32_t required = view_num_required(kernel);
    Value parts = value_list(view->arena);
    Value inputs = value_list(view->arena);
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        Str type = str_new(view->arena);
        Value item = value_object(view->arena, 6);
        push_parts(view, parts, &kernel->args[i], names[i], of);
        put_annotation(&type, &kernel->args[i]);
        view_put_text(view, item, KEY_name, names[i]);
        view_put_text(view, item, KEY_type, str_text(&type));
        view_put_text(view, item, KEY_initial, i < required ? NULL : initial_text(view, &kernel->args[i]));
        view_put_bool(view, item, KEY_last, i + 1 == kernel->num_args);
        value_push(view->arena, inputs, item);
    }
    push_filled(view, parts, kernel->spec);
    view_put(view, object, KEY_parts, parts);
    view_put(view, object, KEY_inputs, inputs);
    view_put_bool(view, object, KEY_has_inputs, kernel->num_args > 0);
    view_put_number(view, object, KEY_num_args, kernel->num_args);
    view_put_number(view, object, KEY_required, required);
}

static void put_results(View *view, const SpecKernel *kernel, Value object)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < kernel->result_kinds_count; i++) {
        Value item = value_object(view->arena, 4);
        view_put_text(view, item, KEY_value, kind_specs[kernel->result_kinds[i]].python);
        view_put_text(view, item, KEY_type, kind_specs[kernel->result_kinds[i]].annotation);
        view_put_bool(view, item, KEY_last, i + 1 == kernel->result_kinds_count);
        value_push(view->arena, list, item);
    }
    view_put(view, object, KEY_outputs, list);
    view_put_number(view, object, KEY_num_outputs, kernel->result_kinds_count);
}

const char *view_python_key_name(Arena *arena, const Kernel *kernel)
{
    return arena_printf(arena, "%s_key", kernel->spec->name);
}

Value view_python_kernel(View *view, const Kernel *kernel, uint32_t index)
{
    const SpecKernel *spec = kernel->spec;
    const char **names = all_names(view, kernel);
    Value object = value_object(view->arena, 32);
    view_put_text(view, object, KEY_symbol, kernel->symbol);
    view_put_text(view, object, KEY_path, kernel->path);
    view_put_number(view, object, KEY_index, index);
    view_put_text(view, object, KEY_graph_literal, view_literal(view, spec->name));
    view_put_text(view, object, KEY_name, view_python_name(view->arena, spec->name));
    view_put_text(view, object, KEY_literal, view_literal(view, view_python_name(view->arena, spec->name)));
    view_put_text(
        view, object, KEY_comment,
        view_literal(
            view, arena_printf(view->arena, "Calls the variant of kernel %s that accepts the arguments.", spec->name)));
    view_put_text(view, object, KEY_key_name, view_python_key_name(view->arena, kernel));
    view_put_text(view, object, KEY_key_literal, view_literal(view, view_python_key_name(view->arena, kernel)));
    view_put_text(
        view, object, KEY_key_comment,
        view_literal(view, arena_printf(view->arena, "The specialization key of a call of kernel %s.", spec->name)));
    view_put_bool(view, object, KEY_dispatches, spec->variants_count > 0);
    put_arguments(view, kernel, names, object);
    put_numbers(view, kernel, names + kernel->num_args, object);
    put_results(view, spec, object);
    return object;
}

/* ---- variants ---- */

Value view_python_variant(View *view, const Kernel *kernel, const SpecVariant *variant, uint32_t index,
                          uint32_t compiled)
{
    Value object = value_object(view->arena, 16);
    Value returns = value_list(view->arena);
    const SpecKernel *spec = kernel->spec;
    const uint32_t n = num_returned(spec);
    for (uint32_t i = 0; i < spec->result_kinds_count; i++) {
        if (is_returned(spec, i)) {
            const uint32_t at = returns.as.list->count;
            view_push_text(view, returns, kind_specs[spec->result_kinds[i]].python, at, at + 1 == n);
        }
    }
    view_put_text(view, object, KEY_compiled, variant->symbol);
    view_put_text(view, object, KEY_literal, view_literal(view, variant->symbol));
    view_put_number(view, object, KEY_index, compiled);
    view_put_number(view, object, KEY_kernel_index, index);
    view_put_bool(view, object, KEY_parts, true);
    view_put_bool(view, object, KEY_consumes, false);
    view_put_text(view, object, KEY_const_inputs, "const ");
    view_put(view, object, KEY_arguments, value_list(view->arena));
    view_put(view, object, KEY_returns, returns);
    view_put_number(view, object, KEY_num_arguments, kernel->num_args + (spec->result_kinds_count - n));
    view_put_number(view, object, KEY_num_results, n);
    return object;
}

/* What differs between two arguments for a function that gets them. */
static void put_kind(Str *out, const KernelArg *arg)
{
    str_printf(out, " %s%s", kind_specs[arg->kind].python, arg->by_address ? "*" : "");
    for (uint32_t i = 0; i < arg->num_items; i++) {
        str_printf(out, " %s:", arg->kind == SPEC_RECORD ? arg->items[i].name : "");
        put_kind(out, &arg->items[i]);
    }
    str_puts(out, arg->num_items > 0 ? " ." : "");
}

const char *view_python_variant_signature(Arena *arena, const Kernel *kernel, const SpecVariant *variant)
{
    Str out = str_new(arena);
    str_puts(&out, variant->symbol);
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        put_kind(&out, &kernel->args[i]);
    }
    str_puts(&out, " ->");
    for (uint32_t i = 0; i < kernel->spec->result_kinds_count; i++) {
        str_printf(&out, " %s%s", is_returned(kernel->spec, i) ? "" : "filled ",
                   kind_specs[kernel->spec->result_kinds[i]].python);
    }
    return str_text(&out);
}

/* ---- what Python cannot be given ---- */

static bool has_opaque(const SpecGraph *graph)
{
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        if (graph->inputs[i].kind == SPEC_OPAQUE) {
            return true;
        }
    }
    return false;
}

const char *view_python_kernel_lacks(const Kernel *kernel)
{
    const SpecKernel *spec = kernel->spec;
    for (uint32_t i = 0; i < spec->variants_count; i++) {
        const SpecVariant *variant = &spec->variants[i];
        if (variant->graph != NULL && has_opaque(&kernel->file->graphs[variant->graph_index])) {
            return "a variant that is a graph with an opaque input, which would get an address in C";
        }
    }
    for (uint32_t i = 0; i < spec->result_kinds_count; i++) {
        if (spec->result_kinds[i] == SPEC_OPAQUE) {
            return "a kernel that returns an opaque value, since nothing would own it";
        }
    }
    return spec->variants_count > 0 && spec->result_kinds == NULL
               ? "a kernel with variants that does not state their 'results'"
               : NULL;
}
