/* SPDX-License-Identifier: MIT */
/*
 * lower_pack - what the compiled function gets, in order: nulls for tokens and frozen inputs, duplicates dropped,
 * synthetic bases, flat parts of subclasses, detached copies, symbolic sizes, the state of the generator, generators;
 * and how that is packed if it differs from what the caller passed.
 *
 * Source: AOTAutograd's AOTDedupeWrapper, FunctionalizedRngRuntimeWrapper, EffectTokensWrapper and the detach list of
 * RuntimeWrapper, fused.
 */
#include "lower.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* indices_of_inps_to_detach: inputs that get no gradient but carry grad history (pytorch#97745). PyTorch computes that
 * only if no subclass is involved. */
bool *lower_detached(const Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    bool *detached = ARENA_ARRAY(lower->arena, bool, (size_t)graph->inputs_count + 1);
    const uint32_t count =
        graph->backward == NULL || derive_has_subclass(graph) ? 0 : graph->backward->grad_inputs_count;
    for (uint32_t i = 0; i < count; i++) {
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

static void add_source(Lower *lower, Sources *sources, ArgumentSource source, PlanValue value)
{
    sources->at[sources->count++] = source;
    plan_value(lower->plan, &lower->plan->arguments, value);
}

/* What is stated about an input. */
static PlanValue input_value(const Lower *lower, ValueRole role, uint32_t index)
{
    const SpecInput *input = &lower->graph->inputs[index];
    return (PlanValue){.role = role,
                       .type = plan_slot_type(input->kind),
                       .kind = input->kind,
                       .name = input->name,
                       .index = index,
                       .dtype = input->dtype_code,
                       .size = &input->size,
                       .stride = &input->stride};
}

/* A size or stride of the value called `name`. */
static PlanValue dimension_value(bool is_stride, uint32_t dimension, const char *name, bool part)
{
    return (PlanValue){.role = is_stride ? VALUE_stride : VALUE_size,
                       .type = SLOT_INTEGER,
                       .name = name,
                       .part = part,
                       .number = dimension,
                       .dtype = -1};
}

/* "size.0" or "stride.1" of a plain input, as a separate flat argument */
static void add_symbol_arguments(Lower *lower, Sources *sources, uint32_t index)
{
    const SpecInput *input = &lower->graph->inputs[index];
    const PlanSection *outer = lower->plan->section;
    if (input->symbol_args.text_count > 0) {
        (void)lower_section(lower, LAYER_subclass_wrapper);
    }
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
        add_source(lower, sources, (ArgumentSource){SOURCE_INTEGER, 0, value},
                   dimension_value(!is_size, (uint32_t)dimension, input->name, false));
    }
    lower_resume(lower, outer);
}

/* Parts of the caller's tensor: borrowed, unless the compiled function takes its arguments. */
static void add_flat_sources(Lower *lower, Sources *sources, uint32_t index)
{
    const IntegerRef none = {NULL, 0, 0};
    const bool part = lower->graph->inputs[index].subclass != NULL;
    for (uint32_t i = 0; i < lower->flat[index].count; i++) {
        const FlatArgument *flat = &lower->flat[index].at[i];
        PlanValue row = input_value(lower, VALUE_input, index);
        if (part) {
            row = (PlanValue){.role = VALUE_input,
                              .type = flat->is_opaque ? SLOT_POINTER : SLOT_TENSOR,
                              .kind = flat->is_opaque ? SPEC_OPAQUE : SPEC_TENSOR,
                              .name = lower->plan->slots[flat->slot].name,
                              .part = true,
                              .index = index,
                              .dtype = -1,
                              .size = flat->size,
                              .stride = flat->stride};
        }
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
            add_source(lower, sources, (ArgumentSource){SOURCE_INTEGER, 0, value},
                       dimension_value(flat->is_stride, flat->dimension, row.name, true));
        } else if (lower->plan->consumes && !flat->is_opaque) {
            const uint32_t given = lower_temporary(lower, "given", suffix);
            LOWER_EMIT(lower, retain, operand_tensor(given), operand_tensor(flat->slot),
                       lower_host_site(lower, lower->graph->inputs[index].name, "retain"));
            add_source(lower, sources, (ArgumentSource){SOURCE_TEMPORARY, given, none}, row);
        } else {
            add_source(lower, sources, (ArgumentSource){SOURCE_KEPT, flat->slot, none}, row);
        }
    }
}

static void add_input_source(Lower *lower, Sources *sources, uint32_t index, bool detached)
{
    const SpecInput *input = &lower->graph->inputs[index];
    const IntegerRef none = {NULL, 0, 0};
    lower_at(lower, input, ".inputs", index);
    if (spec_is(input->frozen)) {
        PlanValue frozen = input_value(lower, VALUE_frozen, index);
        frozen.type = SLOT_TENSOR;
        add_source(lower, sources, (ArgumentSource){SOURCE_NULL, 0, none}, frozen);
        return;
    }
    if (lower->flat[index].count > 0 && !detached) {
        const PlanSection *outer = lower_section(lower, LAYER_subclass_wrapper);
        add_flat_sources(lower, sources, index);
        lower_resume(lower, outer);
        add_symbol_arguments(lower, sources, index); /* for a plain input that was waited on */
        return;
    }
    if (detached) {
        const uint32_t temporary = lower_temporary(lower, "detached", input->name);
        const uint32_t value = lower->flat[index].count > 0 ? lower->flat[index].at[0].slot : index;
        LOWER_EMIT(lower, detach, operand_tensor(temporary), operand_tensor(value),
                   lower_host_site(lower, input->name, "detach"));
        add_source(lower, sources, (ArgumentSource){SOURCE_TEMPORARY, temporary, none},
                   input_value(lower, VALUE_detached, index));
    } else {
        add_source(lower, sources, (ArgumentSource){SOURCE_ARGUMENT, index, none},
                   input_value(lower, VALUE_input, index));
    }
    add_symbol_arguments(lower, sources, index);
}

/* The epilogue needs the base, too: a compiled function that takes its arguments gets a separate reference. */
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
    const SourceKind kind = lower->plan->consumes ? SOURCE_TEMPORARY : SOURCE_KEPT;
    add_source(lower, sources, (ArgumentSource){kind, slot, none},
               (PlanValue){.role = VALUE_merged, .name = name, .index = index, .dtype = -1});
}

uint32_t lower_generator(Lower *lower, uint32_t index)
{
    const uint32_t generator = plan_slot(lower->plan, SLOT_BORROWED, SLOT_POINTER, 0,
                                         arena_printf(lower->arena, "generator%" PRIu32, index), "generator");
    LOWER_EMIT(lower, generator, operand_tensor(generator), operand_count(index),
               operand_count(lower->graph->rng_device_code), lower_host_site(lower, NULL, "rng"));
    return generator;
}

/* _AutogradRngStateTracker.add_forward_args. PyTorch keeps a state only if the backward's generators will not have it
 * by themselves; here every forward of a training graph keeps it, so that its backward needs no history. */
static void add_generators(Lower *lower, Sources *sources)
{
    const IntegerRef none = {NULL, 0, 0};
    const uint32_t count = lower->graph->num_rng_states;
    lower_at(lower, lower->graph, ".rng", LOWER_WHOLE);
    const PlanSection *outer = lower_section(lower, LAYER_compiled_function_forward);
    lower->rng_state = ARENA_ARRAY(lower->arena, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t generator = lower_generator(lower, i);
        if (lower->graph->mode == SPEC_TRAINING) {
            lower->rng_state[i] = lower_temporary(lower, "state", arena_printf(lower->arena, "generator%" PRIu32, i));
            LOWER_EMIT(lower, generator_state, operand_tensor(lower->rng_state[i]), operand_tensor(generator),
                       lower_host_site(lower, NULL, "rng"));
        }
        add_source(lower, sources, (ArgumentSource){SOURCE_POINTER, generator, none},
                   (PlanValue){.role = VALUE_generator, .type = SLOT_POINTER, .number = i, .dtype = -1});
    }
    lower_resume(lower, outer);
}

/* Which result has the new value of an argument of the compiled function: the one of that name, which for a part of a
 * subclass is the part's, among those from `first` on. */
static void note_updated(const Plan *plan, PlanValue *value, uint32_t first)
{
    for (uint32_t i = first; value->type == SLOT_TENSOR && i < plan->returns.count && !value->has_updated; i++) {
        const PlanValue *result = &plan->returns.at[i];
        value->has_updated = result->role == VALUE_updated && str_equal(result->name, value->name);
        value->updated = value->has_updated ? i : 0;
    }
}

/* The rows from `first` on belong to an inner argument: says what becomes of its tensors if it is mutated. */
static void note_mutation(Lower *lower, const InnerArg *arg, uint32_t first, uint32_t *num_mutated)
{
    const bool returned = arg->mutation_type == MUTATED_OUT_GRAPH;
    const uint32_t nth = *num_mutated;
    *num_mutated += returned ? 1 : 0;
    for (uint32_t i = first; i < lower->plan->arguments.count && arg->mutation_type != NOT_MUTATED; i++) {
        PlanValue *value = &lower->plan->arguments.at[i];
        if (returned) {
            note_updated(lower->plan, value, lower->plan->slots[lower->value[lower_result_mutated(lower, nth)]].index);
        } else {
            value->in_place = value->type == SLOT_TENSOR;
        }
    }
}

/* What the compiled function gets, in order (schema/SPEC.md, "The compiled function"). */
Sources lower_sources(Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    const IntegerRef none = {NULL, 0, 0};
    const bool *detached = lower_detached(lower);
    size_t most = (size_t)graph->num_tokens + graph->inputs_count + 2 + graph->num_rng_states;
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        most += graph->inputs[i].symbol_args.text_count + lower->flat[i].count;
    }
    Sources sources = {ARENA_ARRAY(lower->arena, ArgumentSource, most), 0};
    if (graph->num_tokens > 0) {
        lower->plan->layers[LAYER_effect_tokens_wrapper] = true;
    }
    for (uint32_t i = 0; i < graph->num_tokens; i++) {
        add_source(lower, &sources, (ArgumentSource){SOURCE_NULL, 0, none},
                   (PlanValue){.role = VALUE_token, .number = i, .dtype = -1});
    }
    uint32_t num_mutated = 0;
    for (uint32_t i = 0; i < lower->plan->facts.num_inner_args; i++) {
        const SpecRef ref = lower->plan->facts.inner_args[i].ref;
        const uint32_t first = lower->plan->arguments.count;
        if (ref.kind == SPEC_REF_SYNTHETIC) {
            add_synthetic_source(lower, &sources, ref.index);
        } else {
            add_input_source(lower, &sources, ref.index, detached[ref.index]);
        }
        note_mutation(lower, &lower->plan->facts.inner_args[i], first, &num_mutated);
    }
    if (graph->rng == SPEC_RNG_FUNCTIONALIZED) {
        lower_at(lower, graph, ".rng", LOWER_WHOLE);
        const PlanSection *outer = lower_section(lower, LAYER_functionalized_rng_wrapper);
        const uint32_t seed = lower_temporary(lower, "rng", "seed");
        const uint32_t offset = lower_temporary(lower, "rng", "offset");
        LOWER_EMIT(lower, rng_get, operand_tensor(seed), operand_tensor(offset), lower_host_site(lower, NULL, "rng"));
        add_source(lower, &sources, (ArgumentSource){SOURCE_TEMPORARY, seed, none},
                   (PlanValue){.role = VALUE_rng_seed, .dtype = -1});
        add_source(lower, &sources, (ArgumentSource){SOURCE_TEMPORARY, offset, none},
                   (PlanValue){.role = VALUE_rng_offset, .dtype = -1});
        lower_resume(lower, outer);
    }
    if (graph->rng == SPEC_RNG_GRAPHSAFE) {
        add_generators(lower, &sources);
    }
    return sources;
}

bool lower_sources_are_arguments(const Lower *lower, const Sources *sources)
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

/* The number of arguments from `i` on that are a run of args in order. */
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
    case SOURCE_POINTER:
        LOWER_EMIT(lower, pack_pointer, operand_count(i), operand_tensor(source->slot));
        break;
    case SOURCE_INTEGER:
        LOWER_EMIT(lower, pack_integer, operand_count(i), operand_integer(source->integer));
        break;
    }
}

/* Nulls before everything else. */
static void pack_tokens(Lower *lower, const Sources *sources)
{
    const PlanSection *outer = lower_section(lower, LAYER_effect_tokens_wrapper);
    for (uint32_t i = 0; i < lower->graph->num_tokens; i++) {
        pack_one(lower, &sources->at[i], i);
    }
    lower_resume(lower, outer);
}

void lower_pack(Lower *lower, const Sources *sources)
{
    if (lower->graph->num_tokens > 0) {
        pack_tokens(lower, sources);
    }
    for (uint32_t i = lower->graph->num_tokens; i < sources->count;) {
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
