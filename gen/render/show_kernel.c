/* SPDX-License-Identifier: MIT */
/*
 * show_kernel - a kernel's arguments, and its variants with what each asks of a call, in the words of a miss.
 */
#include <inttypes.h>
#include <string.h>

#include "show_private.h"

#include "../dispatch/prove.h"

static Value clauses_value(View *view, const Dispatch *dispatch, const DispatchVariant *variant)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        show_row(view, list, i, "", dispatch_clause_text(view->arena, dispatch, &variant->clauses[i]));
    }
    return list;
}

/* The strategy in words, with its reason: the numbers of variants that it was chosen by. */
static const char *strategy_text(View *view, const DispatchPlan *plan, uint32_t num_variants)
{
    switch (plan->strategy) {
    case STRATEGY_HASH:
        return arena_printf(view->arena,
                            "%" PRIu32 " of %" PRIu32
                            " variants are looked up in a table without collisions by %" PRIu32
                            " values, the others are tried in order",
                            plan->num_keyed, num_variants, plan->num_keys);
    case STRATEGY_TREE:
        return arena_printf(view->arena,
                            "%" PRIu32 " of %" PRIu32 " variants are found by a search tree over %" PRIu32
                            " values, the others are tried in order",
                            plan->num_keyed, num_variants, plan->num_keys);
    case STRATEGY_AUTO:
    case STRATEGY_CHAIN:
        break;
    }
    return arena_printf(view->arena, "%" PRIu32 " variants are tried in order", num_variants);
}

/* A call for which the proof found that the variant is chosen (num_variants: that none is); null: it found none. */
static const char *example_text(const Dispatch *dispatch, const Proof *proof, uint32_t variant)
{
    const FindingKind kind = variant == dispatch->num_variants ? FINDING_UNCOVERED : FINDING_REACHED;
    for (uint32_t i = 0; i < proof->num_findings; i++) {
        if (proof->findings[i].kind == kind && proof->findings[i].variant == variant) {
            return prove_witness_text(dispatch, &proof->findings[i].witness);
        }
    }
    return NULL;
}

static Value variants_value(View *view, const Kernel *kernel, const Dispatch *dispatch, const Proof *proof)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < dispatch->num_variants; i++) {
        const SpecVariant *spec = dispatch->variants[i].spec;
        Value row = show_row(view, list, i, *dispatch_variant_name(spec),
                             spec->graph != NULL ? "a graph with its wrapper" : "a compiled function");
        view_put_text(view, row, KEY_symbol, kernel_callee(kernel, spec));
        view_put(view, row, KEY_clauses, clauses_value(view, dispatch, &dispatch->variants[i]));
        view_put_text(view, row, KEY_example, example_text(dispatch, proof, i));
        view_put_bool(view, row, KEY_asks, dispatch->variants[i].num_clauses > 0);
    }
    return list;
}

static const char *arg_text(View *view, const KernelArg *arg)
{
    const size_t length = strlen(arg->c_type);
    const bool spaced = length > 0 && arg->c_type[length - 1] == ' ' && !arg->by_address;
    return arena_printf(view->arena, "%.*s%s%s", (int)(spaced ? length - 1 : length), arg->c_type,
                        arg->by_address ? "*" : "", spec_is(arg->spec->nullable) ? ", may be null" : "");
}

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
    Dispatch *dispatch = dispatch_new(view->arena, kernel->spec, kernel->kernel, kernel->host.tells_lazy);
    const DispatchPlan plan = dispatch_plan(dispatch, kernel->strategy);
    dispatch_add_graphs(dispatch);
    const Proof proof = prove_dispatch(view->arena, dispatch);
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        show_row(view, args, i, kernel->args[i].name, arg_text(view, &kernel->args[i]));
    }
    view_put_text(view, object, KEY_name, kernel->kernel->name);
    view_put_text(view, object, KEY_symbol, kernel->symbol);
    view_put_text(view, object, KEY_path, kernel->path);
    view_put(view, object, KEY_arguments, args);
    view_put(view, object, KEY_clauses, clauses_value(view, dispatch, &dispatch->declared));
    view_put_bool(view, object, KEY_has_declared, dispatch->declared.num_clauses > 0);
    view_put_text(view, object, KEY_strategy, strategy_text(view, &plan, dispatch->num_variants));
    view_put(view, object, KEY_all_variants, variants_value(view, kernel, dispatch, &proof));
    view_put_text(view, object, KEY_missed, example_text(dispatch, &proof, dispatch->num_variants));
    view_put_bool(view, object, KEY_call, kernel->call != NULL);
    view_put(view, object, KEY_outputs, outputs_value(view, kernel->kernel));
    view_put(view, object, KEY_numbers, numbers_value(view, kernel->kernel));
    view_put_bool(view, object, KEY_has_numbers, kernel->kernel->where_count > 0);
    return object;
}
