/* SPDX-License-Identifier: MIT */
/*
 * selftest - see selftest.h. What the template gets: the names that the file stands on, the tables of each Spec
 * (selftest_tables.c), and by graph what it takes to call its entries with arrays of values.
 */
#include "selftest_private.h"

#include <string.h>

#include "../facts/derive.h"
#include "../facts/missing.h"

/* ---- what is not covered ---- */

static bool refuse(Diag *diag, const void *where, const char *what)
{
    diag_report(diag, DIAG_ERROR, "E_UNSUPPORTED", diag_mapping(where), "--emit-selftest does not cover %s yet", what);
    return false;
}

static bool graph_supported(Diag *diag, const SpecGraph *graph)
{
    const bool direct = graph->convention == SPEC_DIRECT;
    bool supported = !direct || graph->synthetic_bases_count == 0 ||
                     refuse(diag, graph, "synthetic bases with 'convention: direct'");
    supported =
        (!direct || !derive_has_subclass(graph) || refuse(diag, graph, "subclasses with 'convention: direct'")) &&
        supported;
    return supported;
}

bool selftest_supported(Diag *diag, const Source *sources, size_t num_sources)
{
    bool supported = true;
    for (size_t i = 0; i < num_sources; i++) {
        for (uint32_t k = 0; k < sources[i].spec->graphs_count; k++) {
            supported = graph_supported(diag, &sources[i].spec->graphs[k]) && supported;
        }
    }
    return supported;
}

/* ---- names ---- */

static void rename_graph(Selftest *s, const char *symbol, const SpecGraph *graph)
{
    static const char *const endings[] = {"",
                                          "_inputs",
                                          "_outputs",
                                          "_saved",
                                          "_tangents",
                                          "_gradients",
                                          "_boxed",
                                          "_core",
                                          "_own",
                                          "_drop",
                                          "_backward",
                                          "_outputs_release",
                                          "_saved_shared",
                                          "_saved_release",
                                          "_backward_boxed",
                                          "_backward_core",
                                          "_backward_own",
                                          "_gradients_release"};
    selftest_rename_all(s, symbol, endings, sizeof endings / sizeof endings[0]);
    selftest_rename(s, graph->compiled);
    if (graph->backward != NULL) {
        selftest_rename(s, graph->backward->compiled);
    }
}

/* ---- graphs ---- */

/* One list of the saved struct: how many, and where it begins among all saved values. Null when it is empty. */
static void put_saved(Selftest *s, Value saved, const char *key, uint32_t count, uint32_t *first)
{
    Value item = view_root(s->view);
    view_set_text(s->view, item, "value", selftest_number(s, count));
    view_set_text(s->view, item, "first", selftest_number(s, *first));
    view_set(s->view, saved, key, count > 0 ? item : value_null());
    *first += count;
}

static Value saved_of(Selftest *s, const SpecGraph *graph)
{
    uint32_t first = 0;
    Value saved = view_root(s->view);
    const SpecSaved *x = graph->saved;
    if (graph->mode != SPEC_TRAINING || x == NULL) {
        return value_null();
    }
    put_saved(s, saved, "num_tensors", x->num_tensors, &first);
    put_saved(s, saved, "num_unchecked", x->num_no_version_check, &first);
    put_saved(s, saved, "num_opaque", x->num_opaque, &first);
    put_saved(s, saved, "num_symints", x->num_symints, &first);
    put_saved(s, saved, "num_rng_states", graph->rng == SPEC_RNG_GRAPHSAFE ? graph->num_rng_states : 0, &first);
    Value spent = view_root(s->view);
    view_set_text(s->view, spent, "value", selftest_number(s, first));
    view_set(s->view, saved, "donates", x->donated.text_count > 0 ? spent : value_null());
    first++;
    put_saved(s, saved, "num_shapes", missing_tangents(s->arena, graph).num_shapes, &first);
    return saved;
}

/* Where a gradient stands among those of all values that the forward returns to autograd: updated inner arguments,
 * outputs, new geometries of members, intermediate bases. */
static uint32_t returned_index(const GraphFacts *facts, SpecRef ref)
{
    uint32_t index = 0;
    if (ref.kind == SPEC_REF_OUTPUT) {
        return facts->num_mutated_returns + ref.index;
    }
    if (ref.kind == SPEC_REF_BASE) {
        return facts->num_mutated_returns + facts->num_outputs + facts->member_metadata.count + ref.index;
    }
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        const InnerArg *inner = &facts->inner_args[i];
        if (inner->ref.kind == ref.kind && inner->ref.index == ref.index) {
            break;
        }
        index += inner->mutation_type == MUTATED_OUT_GRAPH ? 1 : 0;
    }
    return index;
}

static Value backward_of(Selftest *s, const SpecGraph *graph)
{
    const SpecBackward *x = graph->backward;
    Value backward = view_root(s->view);
    Value tangents = value_list(s->arena);
    Value gradients = value_list(s->arena);
    if (graph->mode != SPEC_TRAINING || x == NULL) {
        return value_null();
    }
    const GraphFacts facts = derive_facts(s->arena, graph);
    for (uint32_t i = 0; i < facts.num_tangents; i++) {
        selftest_push_value(s, tangents, x->tangents[x->tangent_order[i]].of, SPEC_TENSOR);
        view_set_text(s->view, tangents.as.list->items[i], "index",
                      selftest_number(s, returned_index(&facts, facts.tangents[i])));
    }
    for (uint32_t i = 0; i < x->grad_inputs_count; i++) {
        const SpecGradInput *grad = &x->grad_inputs[x->grad_input_order[i]];
        if (grad->kind != SPEC_NONE) {
            selftest_push_value(s, gradients, grad->of, SPEC_TENSOR);
        }
    }
    view_set(s->view, backward, "tangents", tangents);
    view_set(s->view, backward, "gradients", gradients);
    view_set_text(s->view, backward, "num_returned", selftest_number(s, facts.num_forward_returns));
    view_set_text(s->view, backward, "num_gradients", selftest_number(s, gradients.as.list->count));
    return backward;
}

/* ---- types and flattening contexts, which the wrappers declare and the program defines ---- */

static void push_name(Selftest *s, Value list, const char *name)
{
    const ValueList *names = list.as.list;
    for (uint32_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i].as.object->entries[0].value.as.text.data, name) == 0) {
            return;
        }
    }
    Value item = view_root(s->view);
    view_set_text(s->view, item, "name", name);
    value_push(s->arena, list, item);
    selftest_rename(s, name);
}

static void push_context(Selftest *s, const SpecSubclass *tree)
{
    if (tree == NULL) {
        return;
    }
    if (tree->context != NULL) {
        push_name(s, s->contexts, tree->context);
    }
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        push_context(s, &tree->inner[i]);
    }
}

static void push_contexts(Selftest *s, const SpecGraph *graph)
{
    const SpecBackward *backward = graph->backward;
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        push_context(s, graph->inputs[i].subclass);
        push_context(s, graph->inputs[i].updated);
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        push_context(s, graph->outputs[i].subclass);
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        push_context(s, graph->intermediate_bases[i].subclass);
    }
    for (uint32_t i = 0; backward != NULL && i < backward->tangents_count; i++) {
        push_context(s, backward->tangents[i].subclass);
    }
    for (uint32_t i = 0; backward != NULL && i < backward->grad_inputs_count; i++) {
        push_context(s, backward->grad_inputs[i].subclass);
    }
}

static void push_graph(Selftest *s, const char *symbol, const SpecGraph *graph, uint32_t index, const char *table)
{
    Value object = view_root(s->view);
    Value inputs = value_list(s->arena);
    Value outputs = value_list(s->arena);
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        selftest_push_value(s, inputs, graph->inputs[i].name, graph->inputs[i].kind);
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        selftest_push_value(s, outputs, graph->outputs[i].name, graph->outputs[i].kind);
    }
    view_set_text(s->view, object, "symbol", symbol);
    selftest_put_upper(s, object, symbol);
    view_set_text(s->view, object, "number", selftest_number(s, s->num_graphs++));
    view_set_text(s->view, object, "graph_index", selftest_number(s, index));
    view_set_text(s->view, object, "spec_table", table);
    view_set(s->view, object, "inputs", inputs);
    view_set(s->view, object, "outputs", outputs);
    view_set(s->view, object, "training", value_bool(graph->mode == SPEC_TRAINING));
    view_set(s->view, object, "saved", saved_of(s, graph));
    view_set(s->view, object, "backward", backward_of(s, graph));
    value_push(s->arena, s->graphs, object);
    push_contexts(s, graph);
    if (graph->kernel == NULL) { /* else the wrappers have the dispatcher */
        selftest_push_function(s, graph->compiled, graph, false);
    }
    if (graph->backward != NULL) {
        selftest_push_function(s, graph->backward->compiled, graph, true);
    }
    rename_graph(s, symbol, graph);
}

void selftest_view(View *view, Arena *arena, Value root, const Source *sources, size_t num_sources, const Host *host,
                   const char *prefix, const char *wrappers_name)
{
    Selftest s = {.view = view, .arena = arena, .root = root};
    Value tables = value_list(arena);
    Str quoted = str_new(arena);
    s.renamed = value_list(arena);
    s.graphs = value_list(arena);
    s.functions = value_list(arena);
    s.kernels = value_list(arena);
    s.types = value_list(arena);
    s.contexts = value_list(arena);
    str_put_c_literal(&quoted, wrappers_name);
    for (size_t i = 0; i < num_sources; i++) {
        const Spec *spec = sources[i].spec;
        const uint32_t first_graph = s.num_graphs;
        const char *before = prefix != NULL ? prefix : spec->prefix;
        const char *table = selftest_tables(view, arena, tables, spec, (uint32_t)i);
        for (uint32_t k = 0; k < spec->subclasses_count; k++) {
            push_name(&s, s.types, spec->subclasses[k].symbol);
        }
        for (uint32_t k = 0; k < spec->graphs_count; k++) {
            push_graph(&s, arena_printf(arena, "%s%s", before, spec->graphs[k].name), &spec->graphs[k], k, table);
        }
        for (uint32_t k = 0; k < spec->kernels_count; k++) {
            selftest_push_kernel(&s, spec, k, before, table, first_graph);
        }
    }
    const bool own = strcmp(host->abi_symbol, "wg_host_mock_abi1") == 0;
    view_set_text(view, root, "wrappers_name", str_text(&quoted));
    view_set_text(view, root, "host_guard", host_guard(arena, host));
    view_set_text(view, root, "host_abi_symbol", own ? NULL : host->abi_symbol);
    view_set(view, root, "marks_range", value_bool(host_has(host, "wg_range_begin") && host_has(host, "wg_range_end")));
    view_set(view, root, "turns_tangents", value_bool(host_has(host, "wg_coerce_tangent")));
    view_set(view, root, "tells_lazy", value_bool(host_has(host, "wg_lazy")));
    view_set(view, root, "marks_parts", value_bool(host_has(host, "wg_mark_part")));
    view_set(view, root, "renamed", s.renamed);
    view_set(view, root, "kernels", s.functions);
    view_set(view, root, "dispatchers", s.kernels);
    view_set(view, root, "has_dispatchers", value_bool(s.num_kernels > 0));
    view_set_text(view, root, "num_kernels", selftest_number(&s, s.num_kernels));
    view_set(view, root, "types", s.types);
    view_set(view, root, "contexts", s.contexts);
    view_set(view, root, "graphs", s.graphs);
    view_set(view, root, "tables", tables);
    view_set_text(view, root, "num_graphs", selftest_number(&s, s.num_graphs));
}
