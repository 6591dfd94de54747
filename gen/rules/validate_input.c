/* SPDX-License-Identifier: MIT */
/*
 * validate_input - inputs one by one: keys of their kind, geometry, and the rules of their mutations.
 *
 * Rules about one input's flags are in the table at the end, one function each. They run after duplicates and synthetic
 * bases are resolved, because those decide what an input may state.
 */
#include "validate.h"

#include <inttypes.h>
#include <string.h>

#include "../algebra/geometry.h"

/* ---- keys ---- */

static Subject input_subject(const SpecInput *input)
{
    return (Subject){.what = "input", .name = input->name};
}

/* A kept input of kind tensor takes all keys but `value`; an int, float or bool takes only `value`. */
static void validate_kind_keys(Validator *v, SpecInput *input)
{
    if (input->kind == SPEC_TENSOR) {
        if (input->value.text != NULL) {
            validate_no_keys(v, RULE_KEY, input, KEYS(SpecInput, KEY_BIT(SpecInput, value)), input_subject(input),
                             "; that is for kinds int, float and bool");
        }
        return;
    }
    const bool takes_value = input->kind != SPEC_OPAQUE && input->kind != SPEC_NONE;
    const Keys keys = takes_value ? KEYS_FROM(SpecInput, dtype) : KEYS_FROM(SpecInput, value);
    validate_no_keys(v, RULE_KEY, input, keys, input_subject(input), validate_kind_reason(v, input->kind));
}

/* The geometry of a subclass input is in its tree. */
static void validate_subclass_keys(Validator *v, SpecInput *input)
{
    const Keys keys =
        KEYS(SpecInput, KEY_BIT(SpecInput, size) | KEY_BIT(SpecInput, stride) | KEY_BIT(SpecInput, storage_offset) |
                            KEY_BIT(SpecInput, symbol_args) | KEY_BIT(SpecInput, owns));
    validate_no_keys(v, RULE_SUBCLASS, input, keys, input_subject(input),
                     " next to 'subclass': its geometry is in 'outer_size' and 'outer_stride'");
}

static void input_defaults(Validator *v, SpecInput *input)
{
    keys_default(v, input, KEYS(SpecInput, KEY_BIT(SpecInput, kind)));
    input->dtype_code = -1;
    input->device_type = -1;
    input->device_index = -1;
    input->stream_index = -1;
    input->duplicate_of = -1;
    input->synthetic_base = -1;
}

static void validate_stream(Validator *v, SpecInput *input)
{
    static const IntegerRule rule = {"a stream", SYMBOL_FORBIDDEN, 0, NESTED_FORBIDDEN};
    if (input->stream == NULL || strcmp(input->stream, "null") == 0) {
        input->stream = NULL;
        return;
    }
    int64_t index = 0;
    const Expr *expr = validate_integer(v, &input->stream, &rule);
    if (expr != NULL && expr_is_literal(expr, &index)) {
        input->stream_index = index;
    }
}

static void validate_input(Validator *v, SpecInput *input)
{
    static const IntegerRule value = {"a value", SYMBOL_BINDS, INT64_MIN, NESTED_NAMED};
    static const IntegerRule frozen_value = {"a value", SYMBOL_GIVEN, INT64_MIN, NESTED_NAMED};
    input_defaults(v, input);
    validate_kind_keys(v, input);
    input->dtype_code = validate_dtype(v, &input->dtype);
    validate_device(v, &input->device, &input->device_type, &input->device_index);
    const bool frozen = spec_is(input->frozen);
    if (input->kind == SPEC_FLOAT || input->kind == SPEC_BOOLEAN) {
        validate_stated_value(v, &input->value, input->kind);
    } else {
        validate_int(v, &input->value, frozen ? &frozen_value : &value);
    }
    validate_geometry(v, &input->size, &input->stride, &input->storage_offset, frozen ? SYMBOL_GIVEN : SYMBOL_BINDS);
    validate_symbol_args(v, &input->symbol_args, validate_rank(&input->size, &input->stride));
    validate_owns(v, &input->owns, frozen ? SYMBOL_GIVEN : SYMBOL_BINDS);
    validate_stream(v, input);
    if (input->subclass != NULL) {
        validate_subclass_keys(v, input);
        validate_tree(v, input->subclass, frozen ? TREE_FROZEN : TREE_INPUT, input_subject(input));
    }
    if (input->wait.text_count > 0) {
        validate_wait(v, input);
    }
}

void validate_inputs(Validator *v)
{
    for (uint32_t i = 0; i < v->graph->inputs_count; i++) {
        validate_input(v, &v->graph->inputs[i]);
    }
}

bool validate_only_name_and_kind(Validator *v, SpecInput *input)
{
    return validate_no_keys(v, RULE_DUPLICATE, input, KEYS_FROM(SpecInput, value), input_subject(input),
                            ": a duplicate states only its name and kind");
}

/* ---- rules ---- */

static bool is_mutated(const SpecInput *input)
{
    return spec_is(input->mutates_data) || spec_is(input->mutates_metadata) ||
           spec_is(input->mutation_inductor_storage_resize);
}

/* A flag that qualifies a mutation needs that mutation. */
static void input_mutation_flags(Validator *v, SpecInput *input)
{
    if (spec_is(input->mutates_storage_metadata) && !spec_is(input->mutates_metadata)) {
        validate_error(v, RULE_MUTATION, diag_key(&input->mutates_storage_metadata),
                       "input '%s': 'mutates_storage_metadata' needs 'mutates_metadata: true'", input->name);
    }
    if (spec_is(input->mutation_is_shallow_copy_data) && !spec_is(input->mutates_storage_metadata)) {
        validate_error(v, RULE_MUTATION, diag_key(&input->mutation_is_shallow_copy_data),
                       "input '%s': 'mutation_is_shallow_copy_data' needs 'mutates_storage_metadata: true'",
                       input->name);
    }
    if (is_mutated(input) || spec_is(input->mutates_storage_metadata)) {
        return; /* the latter without the former was reported above */
    }
    if (spec_is(input->mutations_hidden_from_autograd)) {
        validate_error(v, RULE_MUTATION, diag_key(&input->mutations_hidden_from_autograd),
                       "input '%s': 'mutations_hidden_from_autograd' needs a mutation", input->name);
    }
    if (spec_is(input->mutations_under_no_grad_or_inference_mode)) {
        validate_error(v, RULE_MUTATION, diag_key(&input->mutations_under_no_grad_or_inference_mode),
                       "input '%s': 'mutations_under_no_grad_or_inference_mode' needs a mutation", input->name);
    }
}

/* A storage mutation needs a place where it can be made: in the graph, or after it. */
static void input_storage_mutation(Validator *v, SpecInput *input)
{
    bool conflict = false;
    const bool set = spec_is(input->mutates_storage_metadata);
    const bool resize = spec_is(input->mutation_inductor_storage_resize);
    const bool keep = spec_is(v->graph->keep_input_mutations);
    const MutationType type = derive_mutation_type(v->graph, input, &conflict);
    if (resize && conflict) {
        validate_error(
            v, RULE_STORAGE_MUTATION, diag_key(&input->mutation_inductor_storage_resize),
            keep ? "input '%s': a storage resize must stay in the graph, and its other mutations cannot: they need "
                   "'mutations_hidden_from_autograd' or 'mutations_under_no_grad_or_inference_mode'"
                 : "input '%s': a storage resize must stay in the graph, but 'keep_input_mutations: false' keeps "
                   "nothing there",
            input->name);
    } else if (set && keep && conflict) {
        validate_error(v, RULE_STORAGE_MUTATION, diag_key(&input->mutates_storage_metadata),
                       "input '%s': 'mutates_storage_metadata' cannot stay in the graph with these mutations: it needs "
                       "'mutations_hidden_from_autograd' or 'mutations_under_no_grad_or_inference_mode' (or "
                       "'keep_input_mutations: false')",
                       input->name);
    } else if (set && v->training && type == MUTATED_OUT_GRAPH && spec_is(input->mutates_data)) {
        DiagMessage *message = validate_error(
            v, RULE_STORAGE_MUTATION, diag_key(&input->mutates_storage_metadata),
            "input '%s': in training a storage mutation after the graph cannot be combined with 'mutates_data'",
            input->name);
        diag_note(v->diag, message, diag_key(&input->mutates_data), "the data mutation");
    }
}

/* A stream is for a data mutation that is applied after the graph, to a leaf. */
static void input_stream(Validator *v, SpecInput *input)
{
    if (input->stream_index < 0) {
        return;
    }
    const DiagPlace place = diag_value(&input->stream);
    if (!spec_is(input->mutates_data)) {
        validate_error(v, RULE_STREAM, place, "input '%s': 'stream' needs 'mutates_data: true'", input->name);
    } else if (derive_mutation_type(v->graph, input, NULL) != MUTATED_OUT_GRAPH ||
               spec_is(input->mutates_storage_metadata)) {
        validate_error(v, RULE_STREAM, place,
                       "input '%s': 'stream' needs a data mutation that is applied after the graph", input->name);
    } else if (!spec_is(input->is_leaf)) {
        validate_error(v, RULE_STREAM, place,
                       "input '%s': a mutation with a stream on a non-leaf fails at every call (PyTorch issue 172522)",
                       input->name);
    }
}

/* A frozen input is a constant and nothing else, as far as the input's own keys tell. */
static void input_frozen(Validator *v, SpecInput *input)
{
    if (!spec_is(input->frozen)) {
        return;
    }
    const Keys keys =
        KEYS(SpecInput, KEY_BIT(SpecInput, symbol_args) | KEY_BIT(SpecInput, owns) | KEY_BIT(SpecInput, wait) |
                            KEY_BIT(SpecInput, stream) | KEY_BIT(SpecInput, updated));
    validate_no_keys(v, RULE_FROZEN, input, keys, (Subject){.what = "frozen input", .name = input->name},
                     ": a null placeholder is passed for it");
    if (is_mutated(input)) {
        validate_error(v, RULE_FROZEN, diag_key(&input->frozen), "input '%s' is frozen, so it cannot be mutated",
                       input->name);
    }
    if (spec_is(input->requires_grad)) {
        validate_error(v, RULE_FROZEN, diag_key(&input->requires_grad),
                       "input '%s' is frozen, so it cannot require grad", input->name);
    }
}

/* Only an input that requires grad can be a non-leaf, and only some dtypes can have a gradient. */
static void input_grad(Validator *v, SpecInput *input)
{
    if (!spec_is(input->is_leaf) && !spec_is(input->requires_grad)) {
        validate_error(v, RULE_GRAD, diag_key(&input->is_leaf),
                       "input '%s': 'is_leaf: false' needs 'requires_grad: true'", input->name);
    }
    if (spec_is(input->requires_grad) && input->dtype_code >= 0 && !dtype_is_differentiable(input->dtype_code)) {
        validate_error(v, RULE_GRAD, diag_key(&input->requires_grad),
                       "input '%s': dtype %s cannot require grad, only floating and complex ones can", input->name,
                       input->dtype);
    }
}

/* Only numbers with a sign can be negated, and only complex ones conjugated. What shares its storage with others, or
 * gets another one, would be read without the bits. */
static void input_lazy(Validator *v, SpecInput *input)
{
    const void *key = spec_is(input->is_conj) ? &input->is_conj : &input->is_neg;
    const char *name = spec_is(input->is_conj) ? "is_conj" : "is_neg";
    const bool conj = spec_is(input->is_conj);
    if (!conj && !spec_is(input->is_neg)) {
        return;
    }
    if (input->dtype_code < 0 ||
        !(conj ? dtype_is_complex(input->dtype_code) : dtype_is_differentiable(input->dtype_code))) {
        validate_error(v, RULE_LAZY, diag_key(key), "input '%s': '%s' needs a %s dtype", input->name, name,
                       conj ? "complex" : "floating or complex");
    } else if (input->synthetic_base >= 0 || spec_is(input->mutates_metadata) || spec_is(input->frozen) ||
               input->subclass != NULL) {
        validate_error(
            v, RULE_LAZY, diag_key(key),
            "input '%s': '%s' is not supported for an input that is merged, a constant or a subclass, or whose "
            "geometry changes",
            input->name, name);
    }
}

/* The input's own tree, used for the value that the graph returns for it, whose symbol_args only 'updated' states. */
static SpecSubclass *without_symbol_args(Arena *arena, const SpecSubclass *tree)
{
    SpecSubclass *copy = ARENA_NEW(arena, SpecSubclass);
    *copy = *tree;
    copy->symbol_args = (SpecNames){0};
    if (tree->inner != NULL) {
        copy->inner = ARENA_ARRAY(arena, SpecSubclass, tree->inner_count);
    }
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        copy->inner[i] = *without_symbol_args(arena, &tree->inner[i]);
    }
    return copy;
}

/* Mutated subclasses: the values that the graph returns for them are put together again. */
static void input_subclass(Validator *v, SpecInput *input)
{
    const bool returned = derive_mutation_type(v->graph, input, NULL) == MUTATED_OUT_GRAPH;
    if (input->subclass != NULL && spec_is(input->mutates_metadata)) {
        validate_error(v, RULE_SUBCLASS, diag_key(&input->mutates_metadata),
                       "input '%s' is a subclass, for which 'mutates_metadata' is not supported", input->name);
        return;
    }
    if (input->updated == NULL) {
        if (input->subclass != NULL && returned) {
            validate_rebuilt(v, input->subclass, input_subject(input));
            input->updated = without_symbol_args(v->arena, input->subclass);
        }
        return;
    }
    if (!returned || input->subclass == NULL) {
        validate_error(v, RULE_SUBCLASS, diag_key(&input->updated),
                       input->subclass == NULL
                           ? "input '%s': 'updated' needs 'subclass'"
                           : "input '%s': 'updated' needs a mutation that is applied after the graph",
                       input->name);
    }
    validate_tree(v, input->updated, TREE_RETURNED, (Subject){.what = "'updated' of input", .name = input->name});
}

/* One line per rule. */
static void (*const input_rules[])(Validator *v, SpecInput *input) = {
    input_mutation_flags, input_storage_mutation, input_stream, input_frozen, input_grad, input_lazy, input_subclass,
};

void validate_input_rules(Validator *v)
{
    for (uint32_t i = 0; i < v->graph->inputs_count; i++) {
        SpecInput *input = &v->graph->inputs[i];
        for (size_t rule = 0; input->kind == SPEC_TENSOR && rule < sizeof input_rules / sizeof input_rules[0]; rule++) {
            input_rules[rule](v, input);
        }
    }
}

void validate_input_defaults(Validator *v)
{
    for (uint32_t i = 0; i < v->graph->inputs_count; i++) {
        keys_default(v, &v->graph->inputs[i], ALL_KEYS(SpecInput)); /* whether one was given no longer matters */
    }
}
