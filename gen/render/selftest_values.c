/* SPDX-License-Identifier: MIT */
/*
 * selftest_values - parts of the view of a self-test that graphs and kernels share: numbers, names of the user that
 * become ours, and the values that a compiled function takes and returns.
 */
#include "selftest_private.h"
#include "view_private.h"

#include <inttypes.h>
#include <string.h>

#include "../facts/derive.h"

const char *selftest_number(Selftest *s, uint32_t value)
{
    return arena_printf(s->arena, "%" PRIu32, value);
}

/* ---- names ---- */

/* The wrappers are compiled in one file with the library's header and linked with the library, which may have any of
 * the user's names: there all of them get other ones. */
void selftest_rename(Selftest *s, const char *name)
{
    const ValueList *list = s->renamed.as.list;
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].as.text.data, name) == 0) {
            return;
        }
    }
    value_push(s->arena, s->renamed, value_text(name));
}

void selftest_rename_all(Selftest *s, const char *symbol, const char *const *endings, size_t num_endings)
{
    for (size_t i = 0; i < num_endings; i++) {
        selftest_rename(s, arena_printf(s->arena, "%s%s", symbol, endings[i]));
    }
}

/* ---- values of a call ---- */

void selftest_push_value(Selftest *s, Value list, const char *name, SpecKind kind)
{
    Value item = view_root(s->view);
    view_set_text(s->view, item, "name", name);
    view_set_text(s->view, item, "index", selftest_number(s, list.as.list->count));
    view_set_text(s->view, item, "member", plan_slot_member(plan_slot_type(kind)));
    view_set_text(s->view, item, "c_type", view_c_type(plan_slot_type(kind)));
    value_push(s->arena, list, item);
}

static void push_values(Selftest *s, Value list, SpecKind kind, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        selftest_push_value(s, list, NULL, kind);
    }
}

/* What a compiled function takes and returns, in the order of schema/SPEC.md. */
static void put_kernel_values(Selftest *s, Value object, const SpecGraph *graph)
{
    const GraphFacts facts = derive_facts(s->arena, graph);
    const uint32_t num_rng = graph->rng == SPEC_RNG_FUNCTIONALIZED ? 1 : 0;
    Value arguments = value_list(s->arena);
    Value results = value_list(s->arena);
    push_values(s, arguments, SPEC_TENSOR, graph->num_tokens);
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        if (graph->inputs[i].duplicate_of < 0) {
            selftest_push_value(s, arguments, NULL, graph->inputs[i].kind);
            push_values(s, arguments, SPEC_INT, graph->inputs[i].symbol_args.text_count);
        }
    }
    push_values(s, arguments, SPEC_TENSOR, 2 * num_rng);
    push_values(s, arguments, SPEC_OPAQUE, graph->rng == SPEC_RNG_GRAPHSAFE ? graph->num_rng_states : 0);
    push_values(s, results, SPEC_TENSOR, graph->num_tokens + facts.mutated_runtime.count);
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        selftest_push_value(s, results, NULL, graph->outputs[i].kind);
    }
    push_values(s, results, SPEC_TENSOR, graph->intermediate_bases_count + num_rng);
    if (graph->mode == SPEC_TRAINING && graph->saved != NULL) {
        push_values(s, results, SPEC_TENSOR, graph->saved->num_tensors + graph->saved->num_no_version_check);
        push_values(s, results, SPEC_OPAQUE, graph->saved->num_opaque);
        push_values(s, results, SPEC_INT, graph->saved->num_symints);
    }
    view_set(s->view, object, "arguments", arguments);
    view_set(s->view, object, "results", results);
    view_set_text(s->view, object, "num_arguments", selftest_number(s, arguments.as.list->count));
    view_set_text(s->view, object, "num_results", selftest_number(s, results.as.list->count));
}

void selftest_push_function(Selftest *s, const char *compiled, const SpecGraph *graph, bool backward)
{
    const ValueList *list = s->functions.as.list;
    const bool direct = graph != NULL && !backward && graph->convention == SPEC_DIRECT;
    const bool consumes = graph != NULL && !backward && spec_is(graph->consume_inputs);
    Str literal = str_new(s->arena);
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].as.object->entries[0].value.as.text.data, compiled) == 0) {
            return;
        }
    }
    str_put_c_literal(&literal, compiled);
    Value kernel = view_root(s->view);
    view_set_text(s->view, kernel, "compiled", compiled);
    view_set_text(s->view, kernel, "compiled_literal", str_text(&literal));
    view_set_text(s->view, kernel, "const_inputs", consumes ? NULL : "const ");
    view_set(s->view, kernel, "direct", value_bool(direct));
    view_set(s->view, kernel, "model", value_bool(graph != NULL && graph->convention == SPEC_AOTI));
    if (direct) {
        put_kernel_values(s, kernel, graph);
    }
    value_push(s->arena, s->functions, kernel);
}

/* ---- graphs ---- */

void selftest_put_upper(Selftest *s, Value object, const char *symbol)
{
    char *upper = arena_printf(s->arena, "%s", symbol);
    for (char *next = upper; *next != '\0'; next++) {
        *next = (char)(*next >= 'a' && *next <= 'z' ? *next - 'a' + 'A' : *next);
    }
    view_set_text(s->view, object, "upper", upper);
}
