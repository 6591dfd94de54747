/* SPDX-License-Identifier: MIT */
/*
 * lower_call - the compiled call and what surrounds it: inputs captured for the epilogue, version bumps, the detach
 * list, arguments packed (tokens, frozen placeholders, dropped duplicates, symbolic sizes, RNG), modes switched and
 * restored, and the count of what came back.
 *
 * Source: AOTAutograd's RuntimeWrapper, AOTDedupeWrapper, FunctionalizedRngRuntimeWrapper and EffectTokensWrapper,
 * fused.
 */
#include "lower.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Values beyond this live in the context's scratch, not on the stack (8 bytes each). */
enum { STACK_VALUES = 256 };

/* One argument of the compiled function. */
typedef enum SourceKind {
    SOURCE_ARGUMENT,
    SOURCE_NULL,
    SOURCE_TEMPORARY, /* only needed for the call */
    SOURCE_KEPT,      /* needed by the epilogue, too */
    SOURCE_INTEGER
} SourceKind;

typedef struct ArgumentSource {
    SourceKind kind;
    uint32_t slot; /* argument or temporary */
    IntegerRef integer;
} ArgumentSource;

typedef struct Sources {
    ArgumentSource *at;
    uint32_t count;
} Sources;

/* ---- positions of results (semantics 2.3): tokens, mutated, outputs, members' metadata, bases, RNG offset, saved ----
 */

uint32_t lower_result_mutated(const Lower *lower, uint32_t nth)
{
    return lower->graph->num_tokens + nth;
}

uint32_t lower_result_output(const Lower *lower, uint32_t output)
{
    return lower_result_mutated(lower, lower->plan->facts.num_mutated_returns) + output;
}

uint32_t lower_result_member(const Lower *lower, uint32_t nth)
{
    return lower_result_output(lower, lower->graph->outputs_count) + nth;
}

uint32_t lower_result_base(const Lower *lower, uint32_t base)
{
    return lower_result_member(lower, lower->plan->facts.member_metadata.count) + base;
}

uint32_t lower_result_rng(const Lower *lower)
{
    return lower_result_base(lower, lower->graph->intermediate_bases_count);
}

uint32_t lower_result_saved(const Lower *lower, uint32_t nth)
{
    return lower_result_rng(lower) + lower->plan->facts.num_rng_offset + nth;
}

void lower_add_result(Lower *lower, SlotType type, const char *name)
{
    Plan *plan = lower->plan;
    const char *array = plan->direct_results ? "outs" : "results";
    const char *member = type == SLOT_TENSOR    ? "tensor"
                         : type == SLOT_INTEGER ? "integer"
                         : type == SLOT_REAL    ? "real"
                                                : "pointer";
    const char *text = arena_printf(lower->arena, "%s[%" PRIu32 "].%s", array, plan->num_results, member);
    const uint32_t slot = plan_slot(plan, SLOT_RESULT, type, plan->num_results, text, name);
    plan->first_result = plan->num_results == 0 ? slot : plan->first_result;
    plan->num_results++;
}

const char *lower_inner_name(const Lower *lower, const InnerArg *arg)
{
    return arg->ref.kind == SPEC_REF_SYNTHETIC ? lower->graph->synthetic_bases[arg->ref.index].name
                                               : lower->graph->inputs[arg->ref.index].name;
}

/* The compiled function may write straight into the caller's outputs when it returns just these, none of them an alias.
 */
static bool results_are_outputs(const Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    const GraphFacts *facts = &lower->plan->facts;
    if (graph->mode == SPEC_TRAINING || graph->num_tokens > 0 ||
        facts->num_mutated_returns + facts->member_metadata.count > 0 || facts->aliased_outputs.count > 0 ||
        graph->intermediate_bases_count > 0 || facts->num_rng_offset > 0) {
        return false;
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        if (graph->outputs[i].kind == SPEC_NONE || graph->outputs[i].subclass != NULL) {
            return false;
        }
    }
    return true;
}

/* Declares what the compiled function returns for the next position: one result, or a subclass's flat ones. */
static void add_value(Lower *lower, uint32_t *position, SlotType type, const SpecSubclass *tree, const char *name)
{
    const uint32_t first = lower->plan->num_results;
    if (tree != NULL) {
        (void)lower_flat_results(lower, tree, name);
    } else {
        lower_add_result(lower, type, name);
    }
    lower->value[(*position)++] = lower->plan->first_result + first;
}

static void add_mutated(Lower *lower, uint32_t *position)
{
    for (uint32_t i = 0; i < lower->plan->facts.num_inner_args; i++) {
        const InnerArg *arg = &lower->plan->facts.inner_args[i];
        if (arg->mutation_type == MUTATED_OUT_GRAPH) {
            const SpecSubclass *tree =
                arg->ref.kind == SPEC_REF_INPUT ? lower->graph->inputs[arg->ref.index].updated : NULL;
            add_value(lower, position, SLOT_TENSOR, tree, lower_inner_name(lower, arg));
        }
    }
}

static uint32_t num_positions(const Lower *lower)
{
    const SpecSaved *saved = lower->graph->saved;
    const uint32_t num_saved =
        saved == NULL ? 0 : saved->num_tensors + saved->num_no_version_check + saved->num_opaque + saved->num_symints;
    return lower_result_saved(lower, num_saved);
}

static void add_results(Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    uint32_t position = 0;
    lower->value = ARENA_ARRAY(lower->arena, uint32_t, (size_t)num_positions(lower) + 1);
    lower->plan->direct_results = results_are_outputs(lower);
    for (uint32_t i = 0; i < graph->num_tokens; i++) {
        add_value(lower, &position, SLOT_TENSOR, NULL, "token");
    }
    add_mutated(lower, &position);
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        const SlotType type = output->kind == SPEC_NONE ? SLOT_POINTER : plan_slot_type(output->kind);
        add_value(lower, &position, type, output->subclass, output->name);
    }
    for (uint32_t i = 0; i < lower->plan->facts.member_metadata.count; i++) {
        add_value(lower, &position, SLOT_TENSOR, NULL, graph->inputs[lower->plan->facts.member_metadata.at[i]].name);
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        const SpecBase *base = &graph->intermediate_bases[i];
        add_value(lower, &position, SLOT_TENSOR, base->subclass, base->name);
    }
    for (uint32_t i = 0; i < lower->plan->facts.num_rng_offset; i++) {
        add_value(lower, &position, SLOT_TENSOR, NULL, "rng_offset");
    }
    for (uint32_t i = position; i < num_positions(lower); i++) {
        const uint32_t nth = i - lower_result_saved(lower, 0);
        const uint32_t tensors = graph->saved->num_tensors + graph->saved->num_no_version_check;
        const SlotType type = nth < tensors                              ? SLOT_TENSOR
                              : nth < tensors + graph->saved->num_opaque ? SLOT_POINTER
                                                                         : SLOT_INTEGER;
        uint32_t next = i;
        add_value(lower, &next, type, NULL, "saved");
    }
}

/* ---- before the call ---- */

/* Which inputs the epilogue needs: those written back and the bases of aliased outputs. */
static bool *epilogue_inputs(const Lower *lower)
{
    bool *needed = ARENA_ARRAY(lower->arena, bool, (size_t)lower->graph->inputs_count + 1);
    for (uint32_t i = 0; i < lower->plan->facts.mutated_runtime.count; i++) {
        needed[lower->plan->facts.mutated_runtime.at[i]] = true;
    }
    for (uint32_t i = 0; i < lower->plan->facts.member_metadata.count; i++) {
        needed[lower->plan->facts.member_metadata.at[i]] = true;
    }
    for (uint32_t i = 0; i < lower->graph->outputs_count; i++) {
        const SpecOutput *output = &lower->graph->outputs[i];
        if (output->type == SPEC_ALIAS_OF_INPUT || output->type == SPEC_IS_INPUT) {
            needed[output->base_ref.index] = true;
        }
    }
    return needed;
}

/* The caller's tensors stay reachable for the epilogue: borrowed ones are, given ones need a reference. */
static void capture_inputs(Lower *lower)
{
    const bool *needed = epilogue_inputs(lower);
    for (uint32_t i = 0; i < lower->graph->inputs_count; i++) {
        const SpecInput *input = &lower->graph->inputs[i];
        lower->original[i] = i;
        if (lower->plan->consumes && needed[i]) {
            lower_at(lower, input, ".inputs", i);
            lower->original[i] = lower_temporary(lower, "kept", input->name);
            LOWER_EMIT(lower, retain, operand_tensor(lower->original[i]), operand_tensor(i),
                       lower_host_site(lower, input->name, "retain"));
        }
    }
}

static void bump_version(Lower *lower, uint32_t slot, const char *name)
{
    LOWER_EMIT(lower, bump_version, operand_tensor(slot), lower_host_site(lower, name, "version"));
}

static bool seen_by_autograd(const Lower *lower, const SpecSynthetic *synthetic)
{
    for (uint32_t i = 0; i < synthetic->members.text_count; i++) {
        if (!spec_is(lower->graph->inputs[synthetic->member_index[i]].mutations_hidden_from_autograd)) {
            return true;
        }
    }
    return false;
}

/* In-graph mutations were made by the compiled function, which bumps nothing; members share their base's counter. */
static void bump_versions(Lower *lower)
{
    const IndexList *seen = &lower->plan->facts.mutated_seen_by_autograd;
    for (uint32_t i = 0; i < lower->plan->facts.num_inner_args; i++) {
        const InnerArg *arg = &lower->plan->facts.inner_args[i];
        const SpecSynthetic *synthetic = &lower->graph->synthetic_bases[arg->ref.index];
        if (arg->ref.kind == SPEC_REF_SYNTHETIC && arg->mutation_type == MUTATED_IN_GRAPH &&
            seen_by_autograd(lower, synthetic)) {
            lower_at(lower, synthetic, ".synthetic_bases", arg->ref.index);
            bump_version(lower, lower->synthetic[arg->ref.index], synthetic->name);
        }
    }
    for (uint32_t i = 0; i < seen->count; i++) {
        lower_at(lower, &lower->graph->inputs[seen->at[i]], ".inputs", seen->at[i]);
        bump_version(lower, seen->at[i], lower->graph->inputs[seen->at[i]].name);
    }
}

/* indices_of_inps_to_detach: inputs that get no gradient but carry grad history (pytorch#97745). */
static bool *detach_list(const Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    bool *detached = ARENA_ARRAY(lower->arena, bool, (size_t)graph->inputs_count + 1);
    for (uint32_t i = 0; graph->backward != NULL && i < graph->backward->grad_inputs_count; i++) {
        const SpecGradInput *grad = &graph->backward->grad_inputs[i];
        if (grad->kind != SPEC_NONE || grad->of_ref.kind != SPEC_REF_INPUT) {
            continue;
        }
        const uint32_t index = grad->of_ref.index;
        const SpecInput *input = &graph->inputs[index];
        const bool set_in_graph =
            lower->plan->facts.mutation_type[index] == MUTATED_IN_GRAPH && spec_is(input->mutates_storage_metadata);
        detached[index] =
            input->kind == SPEC_TENSOR && spec_is(input->requires_grad) && !spec_is(input->is_leaf) && !set_in_graph;
    }
    return detached;
}

static void add_source(Sources *sources, SourceKind kind, uint32_t slot, IntegerRef integer)
{
    sources->at[sources->count++] = (ArgumentSource){kind, slot, integer};
}

/* "size.0" or "stride.1" of a plain input, as a flat argument of its own */
static void add_symbol_arguments(Lower *lower, Sources *sources, uint32_t index)
{
    const SpecInput *input = &lower->graph->inputs[index];
    for (uint32_t i = 0; i < input->symbol_args.text_count; i++) {
        const char *text = input->symbol_args.text[i];
        const bool is_size = str_starts(text, "size.");
        const int64_t dimension = strtoll(strchr(text, '.') + 1, NULL, 10);
        const char *local =
            arena_printf(lower->arena, "arg_%s%" PRId64 "_%s", is_size ? "size" : "stride", dimension, input->name);
        const IntegerRef value = lower_named_integer(lower, local);
        if (is_size) {
            LOWER_EMIT(lower, integer_size, operand_integer(value), operand_tensor(index), operand_count(dimension));
        } else {
            LOWER_EMIT(lower, integer_stride, operand_integer(value), operand_tensor(index), operand_count(dimension));
        }
        add_source(sources, SOURCE_INTEGER, 0, value);
    }
}

/* Parts of the caller's tensor: borrowed, unless the compiled function takes its arguments. */
static void add_flat_sources(Lower *lower, Sources *sources, uint32_t index)
{
    const IntegerRef none = {NULL, 0, 0};
    for (uint32_t i = 0; i < lower->flat[index].count; i++) {
        const FlatArgument *flat = &lower->flat[index].at[i];
        const char *suffix = lower_new_suffix(lower, lower->graph->inputs[index].name);
        if (flat->is_integer) {
            const IntegerRef value =
                lower_named_integer(lower, arena_printf(lower->arena, "arg_%s%" PRIu32 "_%s",
                                                        flat->is_stride ? "stride" : "size", flat->dimension, suffix));
            if (flat->is_stride) {
                LOWER_EMIT(lower, integer_stride, operand_integer(value), operand_tensor(flat->slot),
                           operand_count(flat->dimension));
            } else {
                LOWER_EMIT(lower, integer_size, operand_integer(value), operand_tensor(flat->slot),
                           operand_count(flat->dimension));
            }
            add_source(sources, SOURCE_INTEGER, 0, value);
        } else if (lower->plan->consumes) {
            const uint32_t given = lower_temporary(lower, "given", suffix);
            LOWER_EMIT(lower, retain, operand_tensor(given), operand_tensor(flat->slot),
                       lower_host_site(lower, lower->graph->inputs[index].name, "retain"));
            add_source(sources, SOURCE_TEMPORARY, given, none);
        } else {
            add_source(sources, SOURCE_KEPT, flat->slot, none);
        }
    }
}

static void add_input_source(Lower *lower, Sources *sources, uint32_t index, bool detached)
{
    const SpecInput *input = &lower->graph->inputs[index];
    const IntegerRef none = {NULL, 0, 0};
    lower_at(lower, input, ".inputs", index);
    if (spec_is(input->frozen)) {
        add_source(sources, SOURCE_NULL, 0, none);
        return;
    }
    if (lower->flat[index].count > 0) {
        add_flat_sources(lower, sources, index);
        return;
    }
    if (detached) {
        const uint32_t temporary = lower_temporary(lower, "detached", input->name);
        LOWER_EMIT(lower, detach, operand_tensor(temporary), operand_tensor(index),
                   lower_host_site(lower, input->name, "detach"));
        add_source(sources, SOURCE_TEMPORARY, temporary, none);
    } else {
        add_source(sources, SOURCE_ARGUMENT, index, none);
    }
    add_symbol_arguments(lower, sources, index);
}

/* The epilogue needs the base, too: a compiled function that takes its arguments is given a reference of its own. */
static void add_synthetic_source(Lower *lower, Sources *sources, uint32_t index)
{
    const IntegerRef none = {NULL, 0, 0};
    const char *name = lower->graph->synthetic_bases[index].name;
    uint32_t slot = lower->synthetic[index];
    lower_at(lower, &lower->graph->synthetic_bases[index], ".synthetic_bases", index);
    if (lower->plan->consumes) {
        slot = lower_temporary(lower, "given", name);
        LOWER_EMIT(lower, retain, operand_tensor(slot), operand_tensor(lower->synthetic[index]),
                   lower_host_site(lower, name, "retain"));
    }
    add_source(sources, lower->plan->consumes ? SOURCE_TEMPORARY : SOURCE_KEPT, slot, none);
}

/* What the compiled function is given, in order (semantics 2.2). */
static Sources argument_sources(Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    const IntegerRef none = {NULL, 0, 0};
    const bool *detached = detach_list(lower);
    size_t most = (size_t)graph->num_tokens + graph->inputs_count + 2;
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        most += graph->inputs[i].symbol_args.text_count + lower->flat[i].count;
    }
    Sources sources = {ARENA_ARRAY(lower->arena, ArgumentSource, most), 0};
    for (uint32_t i = 0; i < graph->num_tokens; i++) {
        add_source(&sources, SOURCE_NULL, 0, none);
    }
    for (uint32_t i = 0; i < lower->plan->facts.num_inner_args; i++) {
        const SpecRef ref = lower->plan->facts.inner_args[i].ref;
        if (ref.kind == SPEC_REF_SYNTHETIC) {
            add_synthetic_source(lower, &sources, ref.index);
        } else {
            add_input_source(lower, &sources, ref.index, detached[ref.index]);
        }
    }
    if (graph->rng == SPEC_RNG_FUNCTIONALIZED) {
        lower_at(lower, graph, ".rng", LOWER_WHOLE);
        const uint32_t seed = lower_temporary(lower, "rng", "seed");
        const uint32_t offset = lower_temporary(lower, "rng", "offset");
        LOWER_EMIT(lower, rng_get, operand_tensor(seed), operand_tensor(offset), lower_host_site(lower, NULL, "rng"));
        add_source(&sources, SOURCE_TEMPORARY, seed, none);
        add_source(&sources, SOURCE_TEMPORARY, offset, none);
    }
    return sources;
}

static bool sources_are_arguments(const Lower *lower, const Sources *sources)
{
    if (sources->count != lower->graph->inputs_count) {
        return false;
    }
    for (uint32_t i = 0; i < sources->count; i++) {
        if (sources->at[i].kind != SOURCE_ARGUMENT || sources->at[i].slot != i) {
            return false;
        }
    }
    return true;
}

/* How many arguments from `i` on are a run of args in their order. */
static uint32_t run_length(const Sources *sources, uint32_t i)
{
    uint32_t n = 0;
    while (i + n < sources->count && sources->at[i + n].kind == SOURCE_ARGUMENT &&
           sources->at[i + n].slot == sources->at[i].slot + n) {
        n++;
    }
    return n;
}

static void pack_one(Lower *lower, const ArgumentSource *source, uint32_t i)
{
    switch (source->kind) {
    case SOURCE_NULL:
    case SOURCE_ARGUMENT:
        LOWER_EMIT(lower, pack_null, operand_count(i));
        break;
    case SOURCE_TEMPORARY:
        if (lower->plan->consumes) {
            LOWER_EMIT(lower, move_tensor, operand_count(i), operand_tensor(source->slot));
        } else {
            LOWER_EMIT(lower, pack_tensor, operand_count(i), operand_tensor(source->slot));
        }
        break;
    case SOURCE_KEPT:
        LOWER_EMIT(lower, pack_tensor, operand_count(i), operand_tensor(source->slot));
        break;
    case SOURCE_INTEGER:
        LOWER_EMIT(lower, pack_integer, operand_count(i), operand_integer(source->integer));
        break;
    }
}

static void pack_arguments(Lower *lower, const Sources *sources)
{
    for (uint32_t i = 0; i < sources->count;) {
        const uint32_t n = run_length(sources, i);
        if (n == 0) {
            pack_one(lower, &sources->at[i], i);
            i++;
            continue;
        }
        if (lower->plan->consumes) {
            LOWER_EMIT(lower, move_run, operand_count(i), operand_count(sources->at[i].slot), operand_count(n));
        } else {
            LOWER_EMIT(lower, pack_run, operand_count(i), operand_count(sources->at[i].slot), operand_count(n));
        }
        i += n;
    }
}

/* ---- the call ---- */

static void call_direct(Lower *lower, const Sources *sources)
{
    uint32_t *arguments = ARENA_ARRAY(lower->arena, uint32_t, (size_t)sources->count + 1);
    uint32_t *results = ARENA_ARRAY(lower->arena, uint32_t, (size_t)lower->plan->num_results + 1);
    for (uint32_t i = 0; i < sources->count; i++) {
        const ArgumentSource *source = &sources->at[i];
        if (source->kind == SOURCE_NULL) {
            arguments[i] = plan_slot(lower->plan, SLOT_CONSTANT, SLOT_TENSOR, 0, "NULL", "null");
        } else if (source->kind == SOURCE_INTEGER) {
            arguments[i] =
                plan_slot(lower->plan, SLOT_CONSTANT, SLOT_INTEGER, source->integer.id, source->integer.name, "size");
        } else {
            arguments[i] = source->slot;
        }
    }
    for (uint32_t i = 0; i < lower->plan->num_results; i++) {
        results[i] = lower->plan->first_result + i;
    }
    LOWER_EMIT(lower, call_direct, operand_name(lower->graph->compiled), operand_values(arguments, sources->count),
               operand_values(results, lower->plan->num_results), operand_count(lower->plan->num_results));
}

static void enter(Lower *lower, OpKind scope)
{
    lower->list = plan_emit(lower->plan, lower->list, scope, lower->path, lower->where, NULL, 0)->body;
}

/* Modes as they were when the graph was traced; the scopes restore them before the status is looked at. Returns the
 * list to go on with behind the call. */
OpList *lower_enter_modes(Lower *lower, OpKind scope)
{
    OpList *outer = lower->list;
    enter(lower, scope);
    if (spec_is(lower->graph->disable_amp)) {
        enter(lower, OP_scope_no_autocast);
    }
    return outer;
}

static void emit_call(Lower *lower, const Sources *sources)
{
    const SpecGraph *graph = lower->graph;
    OpList *outer = lower_enter_modes(lower, graph->mode == SPEC_TRAINING ? OP_scope_training : OP_scope_no_grad);
    if (graph->convention == SPEC_DIRECT) {
        call_direct(lower, sources);
    } else {
        LOWER_EMIT(lower, call_boxed, operand_name(graph->compiled),
                   operand_name(lower->plan->packs_arguments ? "call_args" : "args"), operand_count(sources->count),
                   operand_name(lower->plan->direct_results    ? "outs"
                                : lower->plan->num_results > 0 ? "results"
                                                               : "NULL"),
                   operand_count(lower->plan->num_results));
    }
    lower->list = outer;
}

/* Releases tensors of `array` run by run: a slot of another kind must not be touched. */
static void release_tensors(Lower *lower, const char *array, const bool *is_tensor, uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t n = 0;
        while (i + n < count && is_tensor[i + n]) {
            n++;
        }
        if (n > 0) {
            LOWER_EMIT(lower, release_arguments, operand_name(array), operand_count(i), operand_count(n));
        }
        i += n == 0 ? 1 : n;
    }
}

static void release_consumed(Lower *lower, const Sources *sources)
{
    const uint32_t num_inputs = lower->graph->inputs_count;
    bool *is_tensor = ARENA_ARRAY(lower->arena, bool, (size_t)sources->count + num_inputs + 1);
    if (lower->plan->packs_arguments) {
        for (uint32_t i = 0; i < sources->count; i++) {
            const ArgumentSource *source = &sources->at[i];
            is_tensor[i] = source->kind == SOURCE_TEMPORARY ||
                           (source->kind == SOURCE_ARGUMENT && lower->plan->slots[source->slot].type == SLOT_TENSOR);
        }
        release_tensors(lower, "call_args", is_tensor, sources->count);
    }
    for (uint32_t i = 0; i < num_inputs; i++) {
        is_tensor[i] = lower->plan->slots[i].type == SLOT_TENSOR;
    }
    release_tensors(lower, "args", is_tensor, num_inputs);
}

static void release_temporaries(Lower *lower, const Sources *sources)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        if (sources->at[i].kind == SOURCE_TEMPORARY) {
            LOWER_EMIT(lower, release, operand_tensor(sources->at[i].slot));
        }
    }
}

void lower_arrays(Lower *lower, uint32_t num_call_args, bool packs)
{
    Plan *plan = lower->plan;
    plan->packs_arguments = packs;
    plan->num_call_args = num_call_args;
    const uint32_t values = (packs ? num_call_args : 0) + (plan->direct_results ? 0 : plan->num_results);
    if (values > STACK_VALUES) {
        plan->scratch = values;
        LOWER_EMIT(lower, take_scratch, operand_count(values),
                   operand_site(plan_site(plan, NULL, "scratch", "WG_E_SCRATCH", "WG_KIND_INTEGER")));
    }
}

void lower_check_call(Lower *lower)
{
    const Site *compiled = plan_site(lower->plan, NULL, "compiled", "WG_E_COMPILED", "WG_KIND_STATUS");
    LOWER_EMIT(lower, check_call, operand_site(compiled));
    if (lower->plan->backward || lower->graph->convention != SPEC_DIRECT) {
        const Site *outputs = plan_site(lower->plan, NULL, "outputs", "WG_E_OUTPUTS", "WG_KIND_INTEGER");
        LOWER_EMIT(lower, check_outputs, operand_count(lower->plan->num_results), operand_site(outputs));
    }
}

void lower_call(Lower *lower)
{
    lower_at(lower, lower->graph, "", LOWER_WHOLE);
    lower_section(lower, "runtime_wrapper_orchestration");
    add_results(lower);
    capture_inputs(lower);
    bump_versions(lower);
    const Sources sources = argument_sources(lower);
    lower_at(lower, lower->graph, "", LOWER_WHOLE);
    lower_arrays(lower, sources.count,
                 lower->graph->convention != SPEC_DIRECT && !sources_are_arguments(lower, &sources));
    if (lower->plan->packs_arguments) {
        pack_arguments(lower, &sources);
    }
    emit_call(lower, &sources);
    if (!lower->plan->packs_arguments || !lower->plan->consumes) {
        release_temporaries(lower, &sources);
    }
    if (lower->plan->consumes) {
        release_consumed(lower, &sources);
    }
    lower_check_call(lower);
    lower_wrap_results(lower);
    lower_at(lower, lower->graph, "", LOWER_WHOLE);
    if (lower->plan->facts.num_rng_offset > 0) {
        const uint32_t offset = lower->plan->first_result + lower_result_rng(lower);
        lower_check_result(lower, offset, NULL);
        LOWER_EMIT(lower, rng_set, operand_tensor(offset), lower_host_site(lower, NULL, "rng"));
    }
}
