/* SPDX-License-Identifier: MIT */
/*
 * view_python - a graph as a function of a Python module: what its arguments and results are in Python, how autograd
 * sees it, and which compiled functions, types and contexts it needs.
 */
#include <string.h>

#include "../plan/callee.h"
#include "view_private.h"

static const char *const python_keywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",
};

bool view_is_python_keyword(const char *name)
{
    bool found = false;
    for (size_t i = 0; i < sizeof python_keywords / sizeof python_keywords[0]; i++) {
        found = found || str_equal(python_keywords[i], name);
    }
    return found;
}

/* ---- arguments and results ---- */

static const KindSpec nested_kind = {.python = "WG_PYTHON_NESTED", .annotation = "_torch.SymInt"};

const char *view_python_distinct(Arena *arena, const char *const *names, uint32_t count, uint32_t i)
{
    const char *name = names[i];
    for (uint32_t k = 0; k < count; k++) {
        const bool taken = k != i && str_equal(names[k], name);
        if (taken || view_is_python_keyword(name)) {
            name = arena_printf(arena, "%s_", name);
            k = UINT32_MAX; /* from the first again */
        }
    }
    return name;
}

/* By its kind and its stated value. */
static const KindSpec *kind_of(const Spec *spec, SpecKind kind, const SpecInt *value)
{
    const Expr *expr = kind == SPEC_INT ? value->expr : NULL;
    const bool nested = expr != NULL && expr->kind == EXPR_SYMBOL && spec_is(spec->symbols[expr->symbol].nested);
    return nested ? &nested_kind : &kind_specs[kind];
}

static void push_value(View *view, Value list, const char *name, const char *about, const KindSpec *kind, bool optional,
                       bool last)
{
    Value item = value_object(view->arena, 8);
    view_put_text(view, item, KEY_name, name);
    view_put_text(view, item, KEY_literal, view_literal(view, name));
    view_put_text(view, item, KEY_comment, view_literal(view, about));
    view_put_text(view, item, KEY_kind, kind->python);
    view_put_text(view, item, KEY_type,
                  optional ? arena_printf(view->arena, "%s | None", kind->annotation) : kind->annotation);
    view_put_bool(view, item, KEY_optional, optional);
    view_put_bool(view, item, KEY_last, last);
    value_push(view->arena, list, item);
}

static void put_values(View *view, const Plan *plan, Value object)
{
    const SpecGraph *graph = plan->graph;
    Value inputs = value_list(view->arena);
    Value outputs = value_list(view->arena);
    const char **names = ARENA_ARRAY(view->arena, const char *, (size_t)graph->inputs_count + 1);
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        names[i] = graph->inputs[i].name;
    }
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        push_value(view, inputs, view_python_distinct(view->arena, names, graph->inputs_count, i),
                   view_input_comment(view, plan, i),
                   kind_of(plan->spec, graph->inputs[i].kind, &graph->inputs[i].value),
                   spec_is(graph->inputs[i].frozen), i + 1 == graph->inputs_count);
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        push_value(view, outputs, output->name, view_output_comment(view, plan, output),
                   kind_of(plan->spec, output->kind, &output->value), false, i + 1 == graph->outputs_count);
    }
    view_put(view, object, KEY_inputs, inputs);
    view_put(view, object, KEY_outputs, outputs);
    view_put_number(view, object, KEY_num_inputs, graph->inputs_count);
    view_put_number(view, object, KEY_num_outputs, graph->outputs_count);
    view_put_bool(view, object, KEY_has_inputs, graph->inputs_count > 0);
    view_put_bool(view, object, KEY_has_outputs, graph->outputs_count > 0);
}

/* ---- autograd ---- */

static Value numbers_value(View *view, const uint32_t *numbers, uint32_t count)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < count; i++) {
        view_push_text(view, list, view_number(view, numbers[i]), i, i + 1 == count);
    }
    return list;
}

/* To what each gradient belongs: an input, or after all of them a synthetic base. */
static Value gradients_value(View *view, const Plan *plan, uint32_t *count)
{
    const SpecBackward *backward = plan->graph->backward;
    uint32_t *inputs = ARENA_ARRAY(view->arena, uint32_t, (size_t)backward->grad_inputs_count + 1);
    *count = 0;
    for (uint32_t i = 0; i < backward->grad_inputs_count; i++) {
        const SpecGradInput *grad = &backward->grad_inputs[backward->grad_input_order[i]];
        if (grad->kind != SPEC_NONE) {
            inputs[(*count)++] =
                grad->of_ref.index + (grad->of_ref.kind == SPEC_REF_SYNTHETIC ? plan->graph->inputs_count : 0);
        }
    }
    return numbers_value(view, inputs, *count);
}

static Value merged_value(View *view, const SpecGraph *graph)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < graph->synthetic_bases_count; i++) {
        const SpecSynthetic *synthetic = &graph->synthetic_bases[i];
        Value object = value_object(view->arena, 2);
        view_put(view, object, KEY_members,
                 numbers_value(view, synthetic->member_index, synthetic->members.text_count));
        view_put_number(view, object, KEY_num_members, synthetic->members.text_count);
        value_push(view->arena, list, object);
    }
    return list;
}

static Value training_value(View *view, const Plan *plan)
{
    const SpecSaved *saved = plan->graph->saved;
    uint32_t num_gradients = 0;
    Value object = value_object(view->arena, 16);
    view_put(view, object, KEY_gradients, gradients_value(view, plan, &num_gradients));
    view_put(view, object, KEY_hung, numbers_value(view, plan->hung, plan->num_hung));
    view_put_number(view, object, KEY_num_gradients, num_gradients);
    view_put_number(view, object, KEY_num_hung, plan->num_hung);
    view_put(view, object, KEY_asked, numbers_value(view, plan->asked, plan->num_asked));
    view_put_number(view, object, KEY_num_asked, plan->num_asked);
    view_put_number(view, object, KEY_num_returned, plan->facts.num_forward_returns);
    view_put_number(view, object, KEY_num_saved, saved->num_tensors);
    view_put_bool(view, object, KEY_no_tensors, saved->num_tensors == 0);
    view_put(view, object, KEY_merged, merged_value(view, plan->graph));
    view_put(view, object, KEY_num_merged,
             plan->graph->synthetic_bases_count > 0 ? value_text(view_number(view, plan->graph->synthetic_bases_count))
                                                    : value_null());
    view_put_bool(view, object, KEY_donates, saved->donated.text_count > 0);
    view_put(view, object, KEY_num_opaque,
             saved->num_opaque > 0 ? value_text(view_number(view, saved->num_opaque)) : value_null());
    return object;
}

/* ---- compiled functions ---- */

/* An argument or result that is one of the graph's own. */
static bool is_nested(const Plan *plan, const PlanValue *value)
{
    const SpecGraph *graph = plan->graph;
    if (graph == NULL || value->kind != SPEC_INT) {
        return false;
    }
    return value->role == VALUE_input
               ? kind_of(plan->spec, SPEC_INT, &graph->inputs[value->index].value) == &nested_kind
           : value->role == VALUE_output
               ? kind_of(plan->spec, SPEC_INT, &graph->outputs[value->index].value) == &nested_kind
               : false;
}

static const char *slot_kind(const Plan *plan, const PlanValue *value)
{
    const bool extent = value->role == VALUE_size || value->role == VALUE_stride;
    if (callee_is_null(value)) {
        return "WG_PYTHON_NONE";
    }
    if (is_nested(plan, value)) {
        return nested_kind.python;
    }
    switch (value->type) {
    case SLOT_INTEGER:
        return extent ? "WG_PYTHON_EXTENT" : value->kind == SPEC_BOOLEAN ? "WG_PYTHON_BOOLEAN" : "WG_PYTHON_INTEGER";
    case SLOT_REAL:
        return "WG_PYTHON_REAL";
    case SLOT_POINTER:
        return "WG_PYTHON_OBJECT";
    case SLOT_TENSOR:
        break;
    }
    return "WG_PYTHON_TENSOR";
}

static Value kinds_value(View *view, const Plan *plan, const PlanValues *values)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < values->count; i++) {
        view_push_text(view, list, slot_kind(plan, &values->at[i]), i, i + 1 == values->count);
    }
    return list;
}

static void put_kinds(Str *out, const Plan *plan, const PlanValues *values)
{
    for (uint32_t i = 0; i < values->count; i++) {
        str_printf(out, " %s", slot_kind(plan, &values->at[i]));
    }
}

const char *view_python_signature(Arena *arena, const Plan *plan)
{
    Str out = str_new(arena);
    str_puts(&out, callee_symbol(plan));
    put_kinds(&out, plan, &plan->arguments);
    str_puts(&out, " ->");
    put_kinds(&out, plan, &plan->returns);
    return str_text(&out);
}

Value view_python_callee(View *view, const Plan *plan, uint32_t index)
{
    const char *compiled = callee_symbol(plan);
    Value object = value_object(view->arena, 12);
    view_put_text(view, object, KEY_compiled, compiled);
    view_put_text(view, object, KEY_literal, view_literal(view, compiled));
    view_put_number(view, object, KEY_index, index);
    view_put_bool(view, object, KEY_parts, false);
    view_put_bool(view, object, KEY_consumes, plan->consumes);
    view_put_text(view, object, KEY_const_inputs, plan->consumes ? "" : "const ");
    view_put(view, object, KEY_arguments, kinds_value(view, plan, &plan->arguments));
    view_put(view, object, KEY_returns, kinds_value(view, plan, &plan->returns));
    view_put_number(view, object, KEY_num_arguments, plan->arguments.count);
    view_put_number(view, object, KEY_num_results, plan->returns.count);
    return object;
}

/* ---- types and contexts ---- */

static const SpecSubclassType *find_type(const Spec *spec, const char *symbol)
{
    for (uint32_t i = 0; i < spec->subclasses_count; i++) {
        const SpecSubclassType *type = &spec->subclasses[i];
        if (str_equal(type->symbol != NULL ? type->symbol : type->name, symbol)) {
            return type;
        }
    }
    return NULL;
}

static const char *item_name(const Value *item)
{
    return item->as.object->entries[0].value.as.text.data;
}

void view_python_types(View *view, const Plan *plan, const Plan *backward, Value *types, Value *contexts)
{
    *types = value_list(view->arena);
    *contexts = value_list(view->arena);
    view_named_types(view, plan, backward, *types, *contexts);
    for (uint32_t i = 0; i < types->as.list->count; i++) {
        const Value item = types->as.list->items[i];
        const SpecSubclassType *type = find_type(plan->spec, item_name(&item));
        Value attrs = value_list(view->arena);
        for (uint32_t k = 0; type != NULL && k < type->attrs_count; k++) {
            view_push_text(view, attrs, view_literal(view, type->attrs[k].name), k, k + 1 == type->attrs_count);
            view_put_bool(view, attrs.as.list->items[k], KEY_opaque, type->attrs[k].kind == SPEC_OPAQUE);
        }
        view_put_text(view, item, KEY_literal, view_literal(view, item_name(&item)));
        view_put(view, item, KEY_attrs, attrs);
        view_put_number(view, item, KEY_count, attrs.as.list->count);
    }
    for (uint32_t i = 0; i < contexts->as.list->count; i++) {
        const Value item = contexts->as.list->items[i];
        view_put_text(view, item, KEY_literal, view_literal(view, item_name(&item)));
    }
}

/* ---- a graph ---- */

Value view_python(View *view, const Plan *plan, const Plan *backward, uint32_t index)
{
    const char *mode = backward != NULL ? "training" : "inference";
    Value object = value_object(view->arena, 24);
    view_put_text(view, object, KEY_symbol, plan->symbol);
    view_put_text(view, object, KEY_path, plan->path);
    view_put_text(view, object, KEY_mode, mode);
    view_put_text(view, object, KEY_name, view_python_name(view->arena, plan->graph->name));
    view_put_text(view, object, KEY_literal, view_literal(view, view_python_name(view->arena, plan->graph->name)));
    view_put_text(view, object, KEY_graph_literal, view_literal(view, plan->graph->name));
    view_put_text(
        view, object, KEY_comment,
        view_literal(view, arena_printf(view->arena, "The wrapper of graph %s, for %s.", plan->graph->name, mode)));
    view_put_number(view, object, KEY_index, index);
    view_put_number(view, object, KEY_scratch, view_scratch_needed(plan, backward));
    view_put_bool(view, object, KEY_consumes, plan->consumes);
    view_put_text(view, object, KEY_const_inputs, plan->consumes ? "" : "const ");
    put_values(view, plan, object);
    view_put(view, object, KEY_backward, backward != NULL ? training_value(view, plan) : value_null());
    return object;
}

const char *view_python_name(Arena *arena, const char *name)
{
    return view_is_python_keyword(name) ? arena_printf(arena, "%s_", name) : name;
}

/* ---- what Python cannot be given ---- */

static const char *values_lack(const PlanValues *values)
{
    for (uint32_t i = 0; i < values->count; i++) {
        const PlanValue *value = &values->at[i];
        if (value->role == VALUE_generator && value->type == SLOT_POINTER && !callee_is_null(value)) {
            return "a graph that is passed random generators";
        }
    }
    return NULL;
}

/* By what the kernel says, results of its variants are made and read. */
static bool is_returned_by(const Plan *plan, const SpecKernel *kernel)
{
    if (kernel->result_kinds == NULL || kernel->result_kinds_count != plan->returns.count) {
        return false;
    }
    for (uint32_t i = 0; i < plan->returns.count; i++) {
        const char *found = slot_kind(plan, &plan->returns.at[i]);
        found = str_equal(found, "WG_PYTHON_EXTENT") ? "WG_PYTHON_INTEGER" : found;
        if (!str_equal(found, kind_specs[kernel->result_kinds[i]].python)) {
            return false;
        }
    }
    return true;
}

static const char *call_lacks(const Plan *plan)
{
    for (uint32_t i = 0; i < plan->arguments.count; i++) {
        if (plan->arguments.at[i].type == SLOT_POINTER) {
            return "a graph that passes an opaque value to a kernel, for which that is an address in C";
        }
    }
    return is_returned_by(plan, &plan->spec->kernels[plan->graph->kernel_index])
               ? NULL
               : "a graph that calls a kernel whose 'results' are not what the graph expects";
}

const char *view_python_lacks(const Plan *plan)
{
    const SpecGraph *graph = plan->graph;
    const char *lacks = values_lack(&plan->arguments);
    lacks = lacks == NULL && graph->kernel != NULL ? call_lacks(plan) : lacks;
    return lacks;
}
