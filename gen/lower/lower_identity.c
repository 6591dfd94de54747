/* SPDX-License-Identifier: MIT */
/*
 * lower_identity - what the caller or autograd gets as the graph's result is an object of its own. A compiled function
 * may return one object twice, or an argument itself, where the graph has views that change nothing: a compiler drops
 * them. Eager mode makes objects of their own, whose shapes, histories and gradients are apart.
 *
 * Two results that are one object: the later one becomes an alias, detached, as `mark_non_differentiable` of
 * CompiledFunction.forward asks of those without gradient. A result that is an argument becomes a view of it where
 * autograd has one (a view made by a custom function; in training, whatever hangs on the node: autograd.Function does
 * the same), else it is an error: `non_alias` says that it is none. Objects are compared where what is stated leaves
 * room for it: one comparison of pointers for each pair.
 */
#include "lower.h"

/* What can be an object that something else is, too. */
typedef struct Object {
    uint32_t slot;
    const char *name;
    bool requires_grad;
    bool may_be_argument; /* then it becomes a view */
    int32_t dtype;        /* -1: not stated; nor are sizes and strides without text */
    const SpecInts *size;
    const SpecInts *stride;
} Object;

typedef struct Objects {
    Object *at;
    uint32_t count;
} Objects;

static const SpecInts nothing;

/* Beyond that many comparisons, whatever is stated, the objects are looked at together (find_same): each gets an alias
 * if any two are one. */
enum { MOST_COMPARED = 256 };

/* ---- what may be the same ---- */

static bool differ(const SpecInts *a, const SpecInts *b, uint32_t i)
{
    int64_t of_a = 0;
    int64_t of_b = 0;
    return expr_is_literal(a->expr[i], &of_a) && expr_is_literal(b->expr[i], &of_b) && of_a != of_b;
}

/* A stride counts if its dimension and the tensor have elements, whatever the symbols are. */
static bool has_literal_sizes(const SpecInts *size)
{
    int64_t value = 0;
    bool literal = size->text != NULL;
    for (uint32_t i = 0; i < size->text_count; i++) {
        literal = literal && expr_is_literal(size->expr[i], &value) && value > 0;
    }
    return literal;
}

/* Does what is stated about the two rule out that they are one? */
static bool may_be_one(const Object *a, const Object *b)
{
    if (a->dtype >= 0 && b->dtype >= 0 && a->dtype != b->dtype) {
        return false;
    }
    if (a->size->text == NULL || b->size->text == NULL) {
        return true;
    }
    if (a->size->text_count != b->size->text_count) {
        return false;
    }
    const bool strides = a->stride->text != NULL && b->stride->text != NULL && has_literal_sizes(a->size);
    for (uint32_t i = 0; i < a->size->text_count; i++) {
        if (differ(a->size, b->size, i) ||
            (strides && lower_stride_counts(a->size, i) && differ(a->stride, b->stride, i))) {
            return false;
        }
    }
    return true;
}

/* ---- who takes part ---- */

static const SpecInts *stated(const SpecInts *ints)
{
    return ints != NULL ? ints : &nothing;
}

/* The caller's tensors that the compiled function was given. What was given away is the caller's no more. */
static Objects find_arguments(Lower *lower)
{
    const GraphFacts *facts = &lower->plan->facts;
    Objects list = {ARENA_ARRAY(lower->arena, Object, (size_t)facts->num_inner_args + 1), 0};
    const bool *detached = lower_detached(lower);
    for (uint32_t i = 0; i < facts->num_inner_args && !lower->plan->consumes; i++) {
        const InnerArg *arg = &facts->inner_args[i];
        if (arg->ref.kind != SPEC_REF_INPUT) {
            list.at[list.count++] = (Object){lower->synthetic[arg->ref.index], lower_inner_name(lower, arg),
                                             .dtype = -1, .size = &nothing, .stride = &nothing};
            continue;
        }
        const SpecInput *input = &lower->graph->inputs[arg->ref.index];
        const bool moves = spec_is(input->mutates_metadata) || spec_is(input->mutates_storage_metadata);
        if (input->kind == SPEC_TENSOR && input->subclass == NULL && !spec_is(input->frozen) &&
            !detached[arg->ref.index]) {
            list.at[list.count++] =
                (Object){arg->ref.index, input->name, .dtype = moves ? -1 : input->dtype_code,
                         .size = moves ? &nothing : &input->size, .stride = moves ? &nothing : &input->stride};
        }
    }
    return list;
}

/* A custom function's view of an argument, or what autograd sees as one. */
static bool may_be_argument(const Lower *lower, const SpecOutput *output)
{
    return output->type == SPEC_CUSTOM_FUNCTION_VIEW ||
           (lower->graph->mode == SPEC_TRAINING && output->type == SPEC_NON_ALIAS && spec_is(output->requires_grad));
}

static bool is_own(const SpecOutput *output)
{
    return output->kind == SPEC_TENSOR && output->subclass == NULL && !derive_is_aliased(output->type);
}

static Objects find_outputs(const Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    Objects list = {ARENA_ARRAY(lower->arena, Object, (size_t)graph->outputs_count + 1), 0};
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        if (is_own(output)) {
            list.at[list.count++] = (Object){lower->value[lower_result_output(lower, i)],
                                             output->name,
                                             spec_is(output->requires_grad),
                                             may_be_argument(lower, output),
                                             output->dtype_code,
                                             &output->size,
                                             &output->stride};
        }
    }
    return list;
}

/* What autograd sees, in this order: what requires grad, then the rest. A subclass has been put together, and an unsafe
 * view been made, just now. */
static Objects find_returned(const Lower *lower, const Returned *returned, uint32_t count)
{
    Objects list = {ARENA_ARRAY(lower->arena, Object, (size_t)count + 1), 0};
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < count; i++) {
            const Returned *one = &returned[i];
            const bool fresh = lower->plan->slots[one->slot].role != SLOT_RESULT ||
                               (one->output != NULL && one->output->type == SPEC_UNSAFE_VIEW_ALIAS);
            if (one->boxed || fresh || one->requires_grad != (pass == 0)) {
                continue;
            }
            const PlanValue *value = &lower->plan->returns.at[lower->plan->slots[one->slot].index];
            const bool tested = value->role != VALUE_updated; /* copy_ converts and broadcasts */
            list.at[list.count++] = (Object){
                one->slot,
                one->name,
                one->requires_grad,
                one->output != NULL ? may_be_argument(lower, one->output) : one->requires_grad,
                tested ? value->dtype : -1,
                tested ? stated(value->size) : &nothing,
                tested ? stated(value->stride) : &nothing,
            };
        }
    }
    return list;
}

/* All results that take part: the outputs, and in training the updated values and intermediate bases, which have no
 * slots of their own yet. */
static Objects find_results(const Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    const GraphFacts *facts = &lower->plan->facts;
    const Objects outputs = find_outputs(lower);
    const size_t most = (size_t)outputs.count + facts->num_inner_args + graph->intermediate_bases_count;
    Objects list = {ARENA_ARRAY(lower->arena, Object, most + 1), 0};
    for (uint32_t i = 0; i < outputs.count; i++) {
        list.at[list.count++] = outputs.at[i];
    }
    const bool training = graph->mode == SPEC_TRAINING;
    for (uint32_t i = 0; i < facts->num_inner_args && training; i++) {
        const InnerArg *arg = &facts->inner_args[i];
        const bool whole = arg->ref.kind != SPEC_REF_INPUT || graph->inputs[arg->ref.index].subclass == NULL;
        if (arg->mutation_type == MUTATED_OUT_GRAPH && arg->mutates_data && whole) {
            list.at[list.count++] = (Object){.may_be_argument = arg->requires_grad};
        }
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count && training; i++) {
        if (graph->intermediate_bases[i].subclass == NULL) {
            list.at[list.count++] = (Object){.may_be_argument = true};
        }
    }
    return list;
}

/* ---- one comparison a pair ---- */

/* Is it a base that the wrapper made, not args[slot]? */
static bool is_merged(const Lower *lower, const Object *argument)
{
    return argument->slot >= lower->graph->inputs_count || lower->plan->slots[argument->slot].role != SLOT_ARGUMENT;
}

/* The argument as the epilogue sees it. */
static Operand argument_slot(Lower *lower, const Object *argument, uint32_t num)
{
    return operand_tensor(is_merged(lower, argument) ? argument->slot : lower_original(lower, argument->slot, num));
}

static void refuse_arguments(Lower *lower, const Object *object, const Objects *arguments)
{
    for (uint32_t i = 0; i < arguments->count; i++) {
        const Object *argument = &arguments->at[i];
        if (may_be_one(object, argument)) {
            Str name = str_new(lower->arena);
            str_put_c_literal(&name, argument->name);
            LOWER_EMIT(lower, check_apart, operand_tensor(object->slot),
                       argument_slot(lower, argument, arguments->count), operand_text(str_text(&name)),
                       operand_site(plan_site(lower->plan, object->name, "argument", "WG_E_RESULT", "WG_KIND_NONE")));
        }
    }
}

/* Has a null been refused by now? Arguments are tested from `check: cheap` on, a result if something is stated about
 * it. */
static bool is_there(const Lower *lower, const Object *object)
{
    const bool result = object->slot < lower->plan->num_slots && lower->plan->slots[object->slot].role == SLOT_RESULT;
    return lower_checks(lower, SPEC_CHECK_CHEAP) && (!result || object->dtype >= 0 || object->size->text != NULL);
}

static void compare(Lower *lower, const Object *object, const Object *other, Operand slot, IntegerRef same, bool first)
{
    const bool there = is_there(lower, object) && is_there(lower, other);
    const Operand tensor = operand_tensor(object->slot);
    if (first && there) {
        LOWER_EMIT(lower, is_same, tensor, slot, operand_integer(same));
    } else if (first) {
        LOWER_EMIT(lower, maybe_same, tensor, slot, operand_integer(same));
    } else if (there) { /* an op each, so that many become a loop */
        LOWER_EMIT(lower, or_same, operand_integer(same), tensor, slot);
    } else {
        LOWER_EMIT(lower, or_maybe_same, operand_integer(same), tensor, slot);
    }
}

/* same := is the object one of those? Without a name: it cannot be. */
static IntegerRef lower_same_as(Lower *lower, const Object *object, const Objects *others, bool arguments)
{
    IntegerRef same = {NULL, 0, 0};
    for (uint32_t i = 0; i < others->count; i++) {
        const Object *other = &others->at[i];
        if (!may_be_one(object, other)) {
            continue;
        }
        const Operand slot = arguments ? argument_slot(lower, other, others->count) : operand_tensor(other->slot);
        const bool first = same.name == NULL;
        if (first) {
            const char *suffix = lower_new_suffix(lower, object->name);
            same = lower_named_integer(lower, arena_printf(lower->arena, "same_%s", suffix));
        }
        compare(lower, object, other, slot, same, first);
    }
    return same;
}

/* 2^bits places, at least twice as many as addresses. 64 and more, so that few arguments find their place taken. */
static uint32_t seen_bits(uint32_t count)
{
    uint32_t bits = 6;
    while ((UINT64_C(1) << bits) < 2 * (uint64_t)count) {
        bits++;
    }
    return bits;
}

/* The places of the objects among what the compiled function returned. */
static Operand object_places(const Lower *lower, const Objects *objects)
{
    int64_t *places = ARENA_ARRAY(lower->arena, int64_t, (size_t)objects->count + 1);
    for (uint32_t i = 0; i < objects->count; i++) {
        places[i] = lower->plan->slots[objects->at[i].slot].index;
    }
    return operand_dims(places, objects->count);
}

static Operand results_name(const Lower *lower)
{
    return operand_name(lower->plan->direct_results ? "outs" : "results");
}

/* same := is any object there twice, or one of args[inputs]? In a time that grows with their number, not with its
 * square. */
static void find_listed(Lower *lower, const Objects *objects, const int64_t *inputs, uint32_t num_inputs,
                        IntegerRef same)
{
    const Operand count = operand_count(objects->count);
    const Operand bits = operand_count(seen_bits(objects->count));
    if (num_inputs == 0) {
        LOWER_EMIT(lower, find_twice, results_name(lower), object_places(lower, objects), count, bits,
                   operand_integer(same));
    } else if (objects->count == 1) {
        LOWER_EMIT(lower, is_among, operand_tensor(objects->at[0].slot), operand_dims(inputs, num_inputs),
                   operand_count(num_inputs), operand_integer(same));
    } else {
        LOWER_EMIT(lower, find_same, results_name(lower), object_places(lower, objects), count,
                   operand_dims(inputs, num_inputs), operand_count(num_inputs), bits, operand_integer(same));
    }
}

/* same := is any object there twice, or an argument? */
static IntegerRef find_same(Lower *lower, const Objects *objects, const Objects *arguments)
{
    int64_t *inputs = ARENA_ARRAY(lower->arena, int64_t, (size_t)arguments->count + 1);
    uint32_t *merged = ARENA_ARRAY(lower->arena, uint32_t, (size_t)arguments->count + 1);
    uint32_t num_inputs = 0;
    uint32_t num_merged = 0;
    for (uint32_t i = 0; i < arguments->count; i++) {
        const Object *argument = &arguments->at[i];
        if (is_merged(lower, argument)) {
            merged[num_merged++] = argument->slot;
        } else {
            inputs[num_inputs++] = argument->slot;
        }
    }
    const IntegerRef same = lower_named_integer(lower, "same_object");
    find_listed(lower, objects, inputs, num_inputs, same);
    if (num_merged > 0) {
        LOWER_EMIT(lower, or_among, results_name(lower), object_places(lower, objects), operand_count(objects->count),
                   operand_values(merged, num_merged), operand_count(seen_bits(num_merged)), operand_integer(same));
    }
    return same;
}

static void separate_all(Lower *lower, const Objects *objects, const Objects *arguments)
{
    const IntegerRef any = find_same(lower, objects, arguments);
    const Operand site = lower_host_site(lower, NULL, "alias"); /* one for all, which is short */
    for (uint32_t i = 0; i < objects->count; i++) {
        const Object *object = &objects->at[i];
        IntegerRef same = any;
        if (!is_there(lower, object)) {
            same = lower_named_integer(lower,
                                       arena_printf(lower->arena, "same_%s", lower_new_suffix(lower, object->name)));
            LOWER_EMIT(lower, same_there, operand_tensor(object->slot), operand_integer(any), operand_integer(same));
        }
        if (object->may_be_argument) {
            LOWER_EMIT(lower, alias_self, operand_tensor(object->slot), operand_integer(same), site);
        } else {
            LOWER_EMIT(lower, dealias, operand_tensor(object->slot), operand_integer(same), site);
        }
    }
}

static bool are_many(const Objects *objects, const Objects *arguments)
{
    return (uint64_t)objects->count * (objects->count + arguments->count) > MOST_COMPARED;
}

/* The arguments that the objects are compared with. Below `check: cheap` the YAML is trusted: an object that cannot
 * become a view of an argument is not one. */
static Objects find_compared(Lower *lower, const Objects *objects)
{
    bool compared = lower_checks(lower, SPEC_CHECK_CHEAP);
    for (uint32_t i = 0; i < objects->count; i++) {
        compared = compared || objects->at[i].may_be_argument;
    }
    return compared ? find_arguments(lower) : (Objects){NULL, 0};
}

/* An object is compared before it is replaced: what takes its place is a new one. */
static void separate(Lower *lower, const Objects *objects)
{
    const Objects arguments = find_compared(lower, objects);
    if (lower->together) {
        if (objects->count > 0 && objects->count + arguments.count > 1) {
            separate_all(lower, objects, &arguments);
        }
        return;
    }
    for (uint32_t i = 0; i < objects->count; i++) {
        const Object *object = &objects->at[i];
        if (object->may_be_argument) {
            const IntegerRef same = lower_same_as(lower, object, &arguments, true);
            if (same.name != NULL) {
                LOWER_EMIT(lower, alias_self, operand_tensor(object->slot), operand_integer(same),
                           lower_host_site(lower, object->name, "alias"));
            }
        }
    }
    for (uint32_t i = 1; i < objects->count; i++) {
        const Objects before = {objects->at, i};
        const IntegerRef same = lower_same_as(lower, &objects->at[i], &before, false);
        if (same.name != NULL) {
            LOWER_EMIT(lower, dealias, operand_tensor(objects->at[i].slot), operand_integer(same),
                       lower_host_site(lower, objects->at[i].name, "detach"));
        }
    }
}

/* ---- the stages ---- */

/* Before anything is written. What is looked at together now is so later, too: an argument is refused here, or found
 * there. */
void lower_check_identity(Lower *lower)
{
    const Objects results = find_results(lower);
    const Objects compared = find_compared(lower, &results);
    lower->together = are_many(&results, &compared);
    if (lower->together || !lower_checks(lower, SPEC_CHECK_CHEAP)) {
        return;
    }
    const Objects arguments = find_arguments(lower);
    const Objects outputs = find_outputs(lower);
    lower_at(lower, lower->graph, ".outputs", LOWER_WHOLE);
    const PlanSection *outer = lower_section(lower, LAYER_results);
    for (uint32_t i = 0; i < outputs.count; i++) {
        if (!outputs.at[i].may_be_argument) {
            refuse_arguments(lower, &outputs.at[i], &arguments);
        }
    }
    lower_resume(lower, outer);
}

void lower_separate_returned(Lower *lower, const Returned *returned, uint32_t count)
{
    const Objects objects = find_returned(lower, returned, count);
    separate(lower, &objects);
}

void lower_separate_outputs(Lower *lower)
{
    if (lower->graph->mode != SPEC_TRAINING) {
        const Objects outputs = find_outputs(lower);
        lower_at(lower, lower->graph, ".outputs", LOWER_WHOLE);
        (void)lower_section(lower, LAYER_results);
        separate(lower, &outputs);
    }
}
