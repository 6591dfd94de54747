/* SPDX-License-Identifier: MIT */
/*
 * contract - graphs and kernels as JSON: what the YAML says about inputs and arguments, under the YAML's own names, and
 * what was made from it.
 */
#include "contract.h"

#include <inttypes.h>

#include "../plan/callee.h"
#include "../algebra/geometry.h"

static void put_text(Str *out, const char *key, const char *text)
{
    if (text != NULL) {
        str_printf(out, ", \"%s\": ", key);
        str_put_json(out, text);
    }
}

static void put_list(Str *out, const char *key, const SpecInts *ints)
{
    if (ints->text == NULL) {
        return;
    }
    str_printf(out, ", \"%s\": [", key);
    for (uint32_t i = 0; i < ints->text_count; i++) {
        str_puts(out, i > 0 ? ", " : "");
        str_put_json(out, ints->text[i]);
    }
    str_puts(out, "]");
}

static void put_value(Str *out, const char *name, SpecKind kind, int32_t dtype, const SpecInts *size,
                      const SpecInts *stride, const char *device)
{
    str_puts(out, "{\"name\": ");
    str_put_json(out, name);
    put_text(out, "kind", spec_kind_text(kind));
    put_text(out, "dtype", kind == SPEC_TENSOR && dtype >= 0 ? dtype_text(dtype) : NULL);
    put_list(out, "size", size);
    put_list(out, "stride", stride);
    put_text(out, "device", device);
}

static void put_sections(Str *out, const Plan *plan)
{
    const char *before = "";
    for (const Op *op = plan->ops.first; op != NULL; op = op->next) {
        if (op->kind == OP_section) {
            str_printf(out, "%s\n        {\"layer\": \"%s\", \"path\": ", before, layer_specs[op->layer].name);
            str_put_json(out, op->path);
            str_puts(out, "}");
            before = ",";
        }
    }
}

/* "demo_block", "demo_block_boxed", ...: a symbol with its suffixes. */
static void put_entries(Str *out, const char *symbol, const char *const *suffixes)
{
    str_puts(out, ", \"entries\": [");
    for (size_t i = 0; suffixes[i] != NULL; i++) {
        str_printf(out, "%s\"%s%s\"", i > 0 ? ", " : "", symbol, suffixes[i]);
    }
    str_puts(out, "]");
}

static void put_values(Str *out, const Plan *plan, const char *key, const PlanValues *values)
{
    str_printf(out, ",\n        \"%s\": [", key);
    for (uint32_t i = 0; i < values->count; i++) {
        const PlanValue *value = &values->at[i];
        str_printf(out, "%s\n          {\"role\": \"%s\", \"type\": \"%s\"", i > 0 ? "," : "", callee_role(value),
                   plan_slot_member(value->type));
        put_text(out, "of", value->name);
        put_text(out, "dtype", value->dtype >= 0 ? dtype_text(value->dtype) : NULL);
        if (value->size != NULL) {
            put_list(out, "size", value->size);
        }
        if (value->has_updated) {
            str_printf(out, ", \"updated\": %" PRIu32, value->updated);
        }
        put_text(out, "text", callee_text(plan, value));
        str_puts(out, callee_is_null(value) ? ", \"null\": true" : value->optional ? ", \"optional\": true" : "");
        str_puts(out, value->in_place ? ", \"in_place\": true}" : "}");
    }
    str_puts(out, "]");
}

/* What a compiled function gets and returns, in order. */
static void put_callee(Str *out, const Plan *plan, const char *key, const char *symbol)
{
    static const char *const conventions[] = {
        [SPEC_CONVENTION_UNSET] = "boxed", [SPEC_BOXED] = "boxed", [SPEC_DIRECT] = "direct", [SPEC_AOTI] = "aoti"};
    str_printf(out, ",\n      \"%s\": {\"symbol\": ", key);
    str_put_json(out, symbol);
    put_text(out, "convention", conventions[callee_convention(plan)]);
    put_text(out, "tensor_arguments", plan->consumes ? "taken" : "borrowed");
    if (plan->num_fewer > 0) {
        str_printf(out, ", \"num_results_without_sizes\": %" PRIu32, plan->num_fewer);
    }
    put_values(out, plan, "arguments", &plan->arguments);
    put_values(out, plan, "results", &plan->returns);
    str_puts(out, "}");
}

void contract_graph(const Plan *plan, const Plan *backward, Str *out)
{
    static const char *const inference[] = {"", "_boxed", "_outputs_release", NULL};
    static const char *const training[] = {"",          "_boxed",          "_outputs_release",   "_saved_release",
                                           "_backward", "_backward_boxed", "_gradients_release", NULL};
    const SpecGraph *graph = plan->graph;
    str_puts(out, "{\"name\": ");
    str_put_json(out, graph->name);
    put_text(out, "symbol", plan->symbol);
    put_text(out, "path", plan->path);
    put_text(out, "mode", backward != NULL ? "training" : "inference");
    put_text(out, "compiled", graph->compiled);
    put_entries(out, plan->symbol, backward != NULL ? training : inference);
    str_puts(out, ",\n      \"inputs\": [");
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const SpecInput *input = &graph->inputs[i];
        str_puts(out, i > 0 ? ",\n        " : "\n        ");
        put_value(out, input->name, input->kind, input->dtype_code, &input->size, &input->stride, input->device);
        put_text(out, "value", input->value.text);
        str_puts(out, plan->facts.mutation_type[i] != NOT_MUTATED ? ", \"mutated\": true}" : "}");
    }
    str_puts(out, "],\n      \"outputs\": [");
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        str_puts(out, i > 0 ? ",\n        " : "\n        ");
        put_value(out, output->name, output->kind, output->dtype_code, &output->size, &output->stride, output->device);
        put_text(out, "base", output->base);
        str_puts(out, "}");
    }
    str_puts(out, "]");
    put_callee(out, plan, "compiled_function", graph->compiled);
    if (backward != NULL) {
        put_callee(out, backward, "compiled_backward", graph->backward->compiled);
    }
    str_puts(out, ",\n      \"sections\": [");
    put_sections(out, plan);
    str_puts(out, "]");
    if (backward != NULL) {
        str_puts(out, ",\n      \"backward_sections\": [");
        put_sections(out, backward);
        str_puts(out, "]");
    }
    str_puts(out, "}");
}

/* ---- kernels ---- */

static void put_flag(Str *out, const char *key, bool flag)
{
    str_printf(out, ", \"%s\": %s", key, flag ? "true" : "false");
}

static void put_set(Str *out, const char *key, uint64_t set)
{
    const char *before = "";
    str_printf(out, ", \"%s\": [", key);
    for (int i = 0; i < 64; i++) {
        if ((set >> i & 1) != 0) {
            str_printf(out, "%s%d", before, i);
            before = ", ";
        }
    }
    str_puts(out, "]");
}

static void put_dtypes(Str *out, uint64_t set)
{
    const char *before = "";
    str_puts(out, ", \"dtypes\": [");
    for (int32_t i = 0; i < 64; i++) {
        if ((set >> i & 1) != 0) {
            str_printf(out, "%s\"%s\"", before, dtype_text(i));
            before = ", ";
        }
    }
    str_puts(out, "]");
}

static void put_default(Str *out, const KernelArg *arg)
{
    const char *text = arg->spec->default_value;
    if (spec_is(arg->spec->default_null)) {
        str_puts(out, ", \"default\": null");
    } else if (text != NULL && kind_form(arg->kind) == FORM_NUMBER) {
        str_printf(out, ", \"default\": %s", text);
    } else {
        put_text(out, "default", text);
    }
}

static void put_arg(Str *out, const KernelArg *arg)
{
    str_puts(out, "{\"kind\": ");
    str_put_json(out, spec_kind_text(arg->kind));
    put_text(out, "name", arg->name);
    put_flag(out, "nullable", spec_is(arg->spec->nullable));
    put_flag(out, "constexpr", spec_is(arg->spec->constexpr_value));
    put_default(out, arg);
    if (arg->kind == SPEC_TENSOR) {
        put_flag(out, "subclass_ok", spec_is(arg->spec->subclass_ok));
        put_flag(out, "lazy_ok", spec_is(arg->spec->lazy_ok));
        put_dtypes(out, arg->dtypes);
        put_set(out, "ranks", arg->ranks);
        put_set(out, "static_dims", arg->static_dims);
    }
    if (arg->kind == SPEC_LIST) {
        put_set(out, "lengths", arg->lengths);
    }
    str_puts(out, ", \"items\": [");
    for (uint32_t i = 0; i < arg->num_items; i++) {
        str_puts(out, i > 0 ? ", " : "");
        put_arg(out, &arg->items[i]);
    }
    str_puts(out, "]}");
}

/* An operation as [token, left, right]; symbols are texts. Conditions are 1 or 0. */
static void put_formula(Str *out, const Spec *spec, const Expr *expr)
{
    if (expr->kind == EXPR_LITERAL) {
        str_printf(out, "%" PRId64, expr->literal);
    } else if (expr->kind == EXPR_SYMBOL) {
        str_put_json(out, spec->symbols[expr->symbol].name);
    } else {
        str_printf(out, "[\"%s\", ", operator_token(expr_operator(expr)));
        put_formula(out, spec, expr->lhs);
        str_puts(out, ", ");
        put_formula(out, spec, expr->rhs);
        str_puts(out, "]");
    }
}

/* The number that a symbol is bound to, and its bounds. */
static void put_number_of(Str *out, const Spec *spec, const SpecNumber *number)
{
    static const char *const words[] = {[SPEC_NUMBER_UNSET] = "?",
                                        [SPEC_NUMBER_SIZE] = "size",
                                        [SPEC_NUMBER_NDIM] = "ndim",
                                        [SPEC_NUMBER_LENGTH] = "length",
                                        [SPEC_NUMBER_VALUE] = "value"};
    const SpecSymbol *symbol = &spec->symbols[number->symbol_index];
    str_puts(out, "{\"symbol\": ");
    str_put_json(out, number->symbol);
    put_text(out, "arg", number->arg);
    put_text(out, "of", words[number->of]);
    if (number->of == SPEC_NUMBER_SIZE) {
        str_printf(out, ", \"dim\": %s", number->dim.text);
    }
    if (symbol->has_min) {
        str_printf(out, ", \"min\": %" PRId64, symbol->min_value);
    }
    if (symbol->has_max) {
        str_printf(out, ", \"max\": %" PRId64, symbol->max_value);
    }
    if (symbol->multiple_of_value > 1) {
        str_printf(out, ", \"multiple_of\": %" PRId64, symbol->multiple_of_value);
    }
    str_puts(out, "}");
}

static void put_extra(Str *out, const Spec *spec, const SpecExtra *extra)
{
    if (extra->expr.text == NULL) {
        str_printf(out, "{\"arg\": \"%s\", \"of\": \"%s\", \"dim\": %s}", extra->arg,
                   extra->of == SPEC_EXTRA_SIZE ? "size" : "stride", extra->dim.text);
        return;
    }
    str_puts(out, "{\"expr\": ");
    str_put_json(out, extra->expr.text);
    str_puts(out, ", \"tree\": ");
    put_formula(out, spec, extra->expr.expr);
    str_puts(out, ", \"where\": [");
    for (uint32_t i = 0; i < extra->where_count; i++) {
        str_puts(out, i > 0 ? ", " : "");
        put_number_of(out, spec, &extra->where[i]);
    }
    str_puts(out, "]}");
}

static void put_key(Str *out, const Kernel *kernel)
{
    static const char *const widths[] = {[SPEC_INDEX_UNSET] = "none",
                                         [SPEC_INDEX_AUTO] = "auto",
                                         [SPEC_INDEX_INT32] = "int32",
                                         [SPEC_INDEX_INT64] = "int64"};
    const SpecKernel *spec = kernel->spec;
    str_puts(out, ",\n      \"key\": {\"encoding\": 3, \"byte_order\": \"little\", \"hash\": \"XXH3_64bits\"");
    str_printf(out, ", \"max_words\": %" PRIu32, kernel->key_words);
    put_flag(out, "static_shapes", spec_is(spec->static_shapes));
    put_text(out, "index_dtype", widths[spec->index_dtype]);
    put_flag(out, "zero_one", spec->buckets == SPEC_BUCKETS_ZERO_ONE);
    put_flag(out, "device_in_key", spec_is(spec->device_in_key));
    put_flag(out, "same_in_key", spec_is(spec->same_in_key));
    str_puts(out, ",\n        \"extra\": [");
    for (uint32_t i = 0; i < spec->extra_count; i++) {
        str_puts(out, i > 0 ? ", " : "");
        put_extra(out, kernel->file, &spec->extra[i]);
    }
    str_puts(out, "], \"key_extra\": [");
    for (uint32_t i = 0; i < spec->key_extra.text_count; i++) {
        str_printf(out, "%s\"%s\"", i > 0 ? ", " : "", spec->key_extra.text[i]);
    }
    str_puts(out, "],\n        \"vectors\": [");
    contract_vectors(kernel, out);
    str_puts(out, "]}");
}

/* Only where a graph does not simply get all arguments. */
static void put_passed(Str *out, const SpecVariant *variant)
{
    for (uint32_t i = 0; i < variant->args.text_count; i++) {
        str_puts(out, i > 0 ? ", " : ", \"args\": [");
        str_put_json(out, variant->args.text[i]);
    }
    str_puts(out, variant->args.text_count > 0 ? "]" : "");
}

/* What every variant returns, where that is known. */
static void put_results(Str *out, const SpecKernel *kernel)
{
    if (kernel->result_kinds == NULL) {
        return;
    }
    str_puts(out, ",\n      \"results\": [");
    for (uint32_t i = 0; i < kernel->result_kinds_count; i++) {
        str_printf(out, "%s\"%s\"", i > 0 ? ", " : "", spec_kind_text(kernel->result_kinds[i]));
    }
    str_puts(out, "]");
}

/* What a call returns, and what each symbol is bound to. A variant does not return what `allocate` makes. */
static void put_outputs(Str *out, const Kernel *kernel)
{
    const SpecKernel *spec = kernel->spec;
    if (spec->outputs == NULL) {
        return;
    }
    str_printf(out, ",\n      \"call\": \"%s_call\", \"outputs\": [", kernel->symbol);
    for (uint32_t i = 0; i < spec->outputs_count; i++) {
        const SpecKernelOutput *output = &spec->outputs[i];
        str_puts(out, i > 0 ? ",\n        " : "\n        ");
        put_value(out, output->name, output->kind, output->dtype_code, &output->size, &output->stride, NULL);
        put_text(out, "allocate", output->allocate);
        str_puts(out, "}");
    }
    str_puts(out, "], \"where\": [");
    for (uint32_t i = 0; i < spec->where_count; i++) {
        str_puts(out, i > 0 ? ", " : "");
        put_number_of(out, kernel->file, &spec->where[i]);
    }
    str_puts(out, "]");
}

/* In the order of the file; a graph's symbol is its boxed entry. */
static void put_variants(Str *out, const Kernel *kernel)
{
    str_puts(out, ",\n      \"variants\": [");
    for (uint32_t i = 0; i < kernel->spec->variants_count; i++) {
        const SpecVariant *variant = &kernel->spec->variants[i];
        str_puts(out, i > 0 ? ", {\"symbol\": " : "{\"symbol\": ");
        str_put_json(out, kernel_callee(kernel, variant));
        if (variant->graph != NULL) {
            put_text(out, "graph", variant->graph);
            put_passed(out, variant);
        }
        str_puts(out, "}");
    }
    str_puts(out, "]");
}

void contract_kernel(const Kernel *kernel, Str *out)
{
    static const char *const entries[] = {"_key_of",    "_key_of_boxed", "_key_equal",  "_key_hash",
                                          "_key_print", "_cache_init",   "_cache_find", "_cache_find_call",
                                          "_cache_put", "_defaults",     "_unbox",      NULL};
    str_puts(out, "{\"name\": ");
    str_put_json(out, kernel->spec->name);
    put_text(out, "symbol", kernel->symbol);
    put_text(out, "path", kernel->path);
    put_entries(out, kernel->symbol, entries);
    str_puts(out, ",\n      \"args\": [");
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        str_puts(out, i > 0 ? ",\n        " : "\n        ");
        put_arg(out, &kernel->args[i]);
    }
    str_puts(out, "]");
    put_variants(out, kernel);
    put_results(out, kernel->spec);
    put_outputs(out, kernel);
    put_key(out, kernel);
    str_puts(out, "}");
}
