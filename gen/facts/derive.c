/* SPDX-License-Identifier: MIT */
/*
 * derive - see derive.h. It follows PyTorch 2.13: mutation types as in
 * functional_utils._check_if_mutation_can_be_in_graph and InputAliasInfo.mutation_type, lists and counts as in
 * ViewAndMutationMeta.__post_init__, merged arguments as in runtime_wrappers.merge_view_inputs and
 * input_output_analysis.create_synthetic_base_metadata.
 *
 * tests/unit/mutation_types.txt holds what PyTorch itself says for every combination of the flags.
 */
#include "derive.h"

#include "../algebra/expr.h"

/* The flags that decide a mutation type, of an input or of a synthetic base. */
typedef struct Mutation {
    bool keep;
    bool data;
    bool metadata;
    bool storage_metadata;
    bool storage_resize;
    bool hidden;
    bool no_grad;
    bool requires_grad;
} Mutation;

static MutationType mutation_classify(const Mutation *m, bool *conflict)
{
    if (conflict != NULL) {
        *conflict = false;
    }
    if (!m->data && !m->metadata && !m->storage_resize) {
        return NOT_MUTATED;
    }
    const bool in_graph = m->keep && (m->data || m->storage_metadata || m->storage_resize) &&
                          ((!m->metadata && !m->requires_grad) || m->hidden || m->no_grad);
    if (conflict != NULL) {
        *conflict = !in_graph && (m->storage_resize || m->storage_metadata);
    }
    return in_graph ? MUTATED_IN_GRAPH : MUTATED_OUT_GRAPH;
}

static Mutation mutation_of_input(const SpecGraph *graph, const SpecInput *input)
{
    const Mutation mutation = {
        .keep = spec_is(graph->keep_input_mutations),
        .data = spec_is(input->mutates_data),
        .metadata = spec_is(input->mutates_metadata),
        .storage_metadata = spec_is(input->mutates_storage_metadata),
        .storage_resize = spec_is(input->mutation_inductor_storage_resize),
        .hidden = spec_is(input->mutations_hidden_from_autograd),
        .no_grad = spec_is(input->mutations_under_no_grad_or_inference_mode),
        .requires_grad = spec_is(input->requires_grad),
    };
    return mutation;
}

/* A merged base always has its data mutated, never its metadata (members get theirs back after the call). A member that
 * is not mutated counts as hidden, as in PyTorch: vacuously, all of its mutations are. */
static Mutation mutation_of_synthetic(const SpecGraph *graph, const SpecSynthetic *base)
{
    Mutation mutation = {
        .keep = spec_is(graph->keep_input_mutations),
        .data = true,
        .hidden = true,
        .no_grad = true,
    };
    for (uint32_t i = 0; i < base->members.text_count; i++) {
        const Mutation member = mutation_of_input(graph, &graph->inputs[base->member_index[i]]);
        mutation.hidden = mutation.hidden && (member.hidden || mutation_classify(&member, NULL) == NOT_MUTATED);
        mutation.no_grad = mutation.no_grad && member.no_grad;
        mutation.requires_grad = mutation.requires_grad || member.requires_grad;
    }
    return mutation;
}

MutationType derive_mutation_type(const SpecGraph *graph, const SpecInput *input, bool *conflict)
{
    const Mutation mutation = mutation_of_input(graph, input);
    return mutation_classify(&mutation, conflict);
}

bool derive_has_subclass(const SpecGraph *graph)
{
    bool found = false;
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        found = found || graph->inputs[i].subclass != NULL;
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        found = found || graph->outputs[i].subclass != NULL;
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        found = found || graph->intermediate_bases[i].subclass != NULL;
    }
    return found;
}

bool derive_is_aliased(SpecOutputType type)
{
    switch (type) {
    case SPEC_ALIAS_OF_INPUT:
    case SPEC_IS_INPUT:
    case SPEC_ALIAS_OF_INTERMEDIATE_SAVE_AS_OUTPUT:
    case SPEC_ALIAS_OF_INTERMEDIATE:
    case SPEC_ALIAS_OF_INTERMEDIATE_BASE_IS_USER_OUTPUT:
        return true;
    case SPEC_OUTPUT_UNSET:
    case SPEC_NON_ALIAS:
    case SPEC_UNSAFE_VIEW_ALIAS:
    case SPEC_CUSTOM_FUNCTION_VIEW:
        return false;
    }
    return false;
}

const struct Expr *derive_expr(const SpecInts *ints, uint32_t i)
{
    return ints->expr != NULL && i < ints->text_count ? ints->expr[i] : NULL;
}

bool derive_is_symbolic(const struct Expr *outer)
{
    int64_t literal = 0;
    return outer != NULL && !expr_is_literal(outer, &literal);
}

static uint32_t count_symbolic(const SpecInts *outer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < outer->text_count; i++) {
        count += derive_is_symbolic(derive_expr(outer, i)) ? 1 : 0;
    }
    return count;
}

uint32_t derive_flat_count(const SpecSubclass *tree)
{
    if (tree->declared == NULL) {
        return 1 + tree->symbol_args.text_count;
    }
    uint32_t count =
        spec_is(tree->symints) ? count_symbolic(&tree->outer_size) + count_symbolic(&tree->outer_stride) : 0;
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        count += derive_flat_count(&tree->inner[i]);
    }
    return count;
}

/* ---- the lists ---- */

/* Memory for all lists of a graph at once; each takes what it needs from the start of the rest. */
static IndexList list_start(uint32_t **memory)
{
    const IndexList list = {*memory, 0};
    return list;
}

static void list_push(IndexList *list, uint32_t **memory, uint32_t index)
{
    *(*memory)++ = index;
    list->count++;
}

static void derive_inputs(Arena *arena, const SpecGraph *graph, GraphFacts *facts)
{
    facts->mutation_type = ARENA_ARRAY(arena, MutationType, graph->inputs_count);
    uint32_t *memory = ARENA_ARRAY(arena, uint32_t, (size_t)graph->inputs_count * 3);
    facts->mutated_runtime = list_start(&memory);
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const SpecInput *input = &graph->inputs[i];
        facts->mutation_type[i] = derive_mutation_type(graph, input, NULL);
        if (facts->mutation_type[i] == MUTATED_OUT_GRAPH && input->synthetic_base < 0) {
            list_push(&facts->mutated_runtime, &memory, i);
        }
    }
    facts->mutated_in_graph = list_start(&memory);
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        if (facts->mutation_type[i] == MUTATED_IN_GRAPH && graph->inputs[i].synthetic_base < 0) {
            list_push(&facts->mutated_in_graph, &memory, i);
        }
    }
    facts->mutated_seen_by_autograd = list_start(&memory);
    for (uint32_t i = 0; i < facts->mutated_in_graph.count; i++) {
        const uint32_t input = facts->mutated_in_graph.at[i];
        if (!spec_is(graph->inputs[input].mutations_hidden_from_autograd)) {
            list_push(&facts->mutated_seen_by_autograd, &memory, input);
        }
    }
    facts->member_metadata = list_start(&memory);
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        if (graph->inputs[i].synthetic_base >= 0 && spec_is(graph->inputs[i].mutates_metadata)) {
            list_push(&facts->member_metadata, &memory, i);
        }
    }
}

static void derive_outputs(Arena *arena, const SpecGraph *graph, GraphFacts *facts)
{
    uint32_t *memory = ARENA_ARRAY(arena, uint32_t, graph->outputs_count);
    facts->aliased_outputs = list_start(&memory);
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        if (derive_is_aliased(graph->outputs[i].type)) {
            list_push(&facts->aliased_outputs, &memory, i);
        }
    }
    facts->unsafe_view_outputs = list_start(&memory);
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        if (graph->outputs[i].type == SPEC_UNSAFE_VIEW_ALIAS) {
            list_push(&facts->unsafe_view_outputs, &memory, i);
        }
    }
}

static InnerArg inner_arg(SpecRefKind kind, uint32_t index, const Mutation *mutation)
{
    const InnerArg arg = {
        .ref = {kind, index},
        .mutation_type = mutation_classify(mutation, NULL),
        .mutates_data = mutation->data,
        .requires_grad = mutation->requires_grad,
    };
    return arg;
}

static void push_kept_input(const SpecGraph *graph, GraphFacts *facts, uint32_t i)
{
    const Mutation mutation = mutation_of_input(graph, &graph->inputs[i]);
    facts->inner_args[facts->num_inner_args++] = inner_arg(SPEC_REF_INPUT, i, &mutation);
}

/* Appends the inputs that are neither duplicates nor merged: all of them, or the tensors or the others only. */
static void push_kept_inputs(const SpecGraph *graph, GraphFacts *facts, bool tensors, bool others)
{
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const SpecInput *input = &graph->inputs[i];
        const bool wanted = input->kind == SPEC_TENSOR ? tensors : others;
        if (wanted && input->duplicate_of < 0 && input->synthetic_base < 0) {
            push_kept_input(graph, facts, i);
        }
    }
}

static void push_synthetic(const SpecGraph *graph, GraphFacts *facts, uint32_t base)
{
    const Mutation mutation = mutation_of_synthetic(graph, &graph->synthetic_bases[base]);
    facts->inner_args[facts->num_inner_args++] = inner_arg(SPEC_REF_SYNTHETIC, base, &mutation);
}

static void push_in_stated_order(const SpecGraph *graph, GraphFacts *facts)
{
    for (uint32_t i = 0; i < graph->argument_order.text_count; i++) {
        const SpecRef ref = graph->argument_ref[i];
        if (ref.kind == SPEC_REF_SYNTHETIC) {
            push_synthetic(graph, facts, ref.index);
        } else {
            push_kept_input(graph, facts, ref.index);
        }
    }
}

static void push_merged(Arena *arena, const SpecGraph *graph, GraphFacts *facts)
{
    bool *pushed = ARENA_ARRAY(arena, bool, graph->synthetic_bases_count);
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const int32_t base = graph->inputs[i].synthetic_base;
        if (base >= 0 && !pushed[base]) {
            pushed[base] = true;
            push_synthetic(graph, facts, (uint32_t)base);
        }
    }
}

static void derive_inner_args(Arena *arena, const SpecGraph *graph, GraphFacts *facts)
{
    facts->inner_args = ARENA_ARRAY(arena, InnerArg, graph->inputs_count);
    if (graph->argument_ref != NULL) {
        push_in_stated_order(graph, facts);
    } else if (graph->synthetic_bases_count == 0) {
        push_kept_inputs(graph, facts, true, true);
    } else {
        push_merged(arena, graph, facts);
        push_kept_inputs(graph, facts, false, true);
        push_kept_inputs(graph, facts, true, false);
    }
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        facts->num_mutated_returns += facts->inner_args[i].mutation_type == MUTATED_OUT_GRAPH ? 1 : 0;
    }
}

static void derive_tangents(Arena *arena, const SpecGraph *graph, GraphFacts *facts)
{
    const size_t most = (size_t)facts->num_mutated_returns + graph->outputs_count + graph->intermediate_bases_count;
    facts->tangents = ARENA_ARRAY(arena, SpecRef, most);
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        const InnerArg *arg = &facts->inner_args[i];
        if (arg->mutation_type == MUTATED_OUT_GRAPH && arg->mutates_data && arg->requires_grad) {
            facts->tangents[facts->num_tangents++] = arg->ref;
        }
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        if (!derive_is_aliased(output->type) && output->kind == SPEC_TENSOR &&
            spec_is(output->requires_grad_for_backward)) {
            facts->tangents[facts->num_tangents++] = (SpecRef){SPEC_REF_OUTPUT, i};
        }
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        facts->tangents[facts->num_tangents++] = (SpecRef){SPEC_REF_BASE, i};
    }
}

/* ---- the compiled function's own arity ---- */

static uint32_t flat_or_one(const SpecSubclass *tree)
{
    return tree == NULL ? 1 : derive_flat_count(tree);
}

static void derive_flat_inputs(const SpecGraph *graph, GraphFacts *facts)
{
    uint32_t count = graph->num_tokens;
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        const SpecRef ref = facts->inner_args[i].ref;
        const SpecInput *input = ref.kind == SPEC_REF_INPUT ? &graph->inputs[ref.index] : NULL;
        if (input == NULL || spec_is(input->frozen)) {
            count += 1; /* a merged base, or the null placeholder of a frozen input */
        } else {
            count += flat_or_one(input->subclass) + input->symbol_args.text_count;
        }
    }
    switch (graph->rng) {
    case SPEC_RNG_UNSET:
    case SPEC_RNG_NONE:
        break;
    case SPEC_RNG_FUNCTIONALIZED:
        count += 2; /* seed and offset */
        break;
    case SPEC_RNG_GRAPHSAFE:
        count += graph->num_rng_states;
        break;
    }
    facts->num_flat_inputs = count;
}

static void derive_flat_outputs(const SpecGraph *graph, GraphFacts *facts)
{
    uint32_t count = graph->num_tokens + facts->member_metadata.count + facts->num_rng_offset;
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        const InnerArg *arg = &facts->inner_args[i];
        if (arg->mutation_type == MUTATED_OUT_GRAPH) {
            count += arg->ref.kind == SPEC_REF_INPUT ? flat_or_one(graph->inputs[arg->ref.index].updated) : 1;
        }
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        count += flat_or_one(graph->outputs[i].subclass);
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        count += flat_or_one(graph->intermediate_bases[i].subclass);
    }
    const SpecSaved *saved = graph->saved;
    if (saved != NULL) {
        count += saved->num_tensors + saved->num_no_version_check + saved->num_opaque + saved->num_symints;
    }
    facts->num_flat_outputs = count;
}

GraphFacts derive_facts(Arena *arena, const SpecGraph *graph)
{
    GraphFacts facts = {0};
    derive_inputs(arena, graph, &facts);
    derive_outputs(arena, graph, &facts);
    derive_inner_args(arena, graph, &facts);
    derive_tangents(arena, graph, &facts);
    facts.num_outputs = graph->outputs_count;
    facts.num_intermediate_bases = graph->intermediate_bases_count;
    facts.num_forward_returns =
        facts.num_mutated_returns + facts.num_outputs + facts.member_metadata.count + facts.num_intermediate_bases;
    facts.num_rng_offset = graph->rng == SPEC_RNG_FUNCTIONALIZED ? 1 : 0;
    facts.num_forward = facts.num_forward_returns + facts.num_rng_offset;
    derive_flat_inputs(graph, &facts);
    derive_flat_outputs(graph, &facts);
    return facts;
}
