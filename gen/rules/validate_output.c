/* SPDX-License-Identifier: MIT */
/*
 * validate_output - checks outputs: keys of their kind, bases by type, gradients, dynamic dims. validate_view.c checks
 * how an alias is regenerated.
 */
#include "validate.h"

#include <inttypes.h>
#include <string.h>

#include "../algebra/geometry.h"

static Subject output_subject(const SpecOutput *output)
{
    return (Subject){.what = "output", .name = output->name};
}

/* ---- one output ---- */

static void validate_output_kind(Validator *v, SpecOutput *output)
{
    if (output->kind != SPEC_INT) {
        validate_no_keys(v, RULE_KEY, output, KEYS(SpecOutput, KEY_BIT(SpecOutput, value)), output_subject(output),
                         "; that is for kind int");
    }
    if (output->kind == SPEC_TENSOR) {
        return;
    }
    validate_no_keys(v, RULE_KEY, output, KEYS_FROM(SpecOutput, dtype), output_subject(output),
                     validate_kind_reason(v, output->kind));
    if (output->type != SPEC_NON_ALIAS) {
        validate_error(v, RULE_BASE, diag_value(&output->type),
                       "output '%s' is of kind %s, so its type is non_alias, not %s", output->name,
                       spec_kind_text(output->kind), spec_output_type_text(output->type));
    }
}

/* Gradients exist only in training, only for outputs that require grad, and only for dtypes that can have one. */
static void validate_output_grad(Validator *v, SpecOutput *output)
{
    const bool differentiable = output->dtype_code < 0 || dtype_is_differentiable(output->dtype_code);
    if (spec_is(output->requires_grad) && !differentiable) {
        validate_error(v, RULE_GRAD, diag_key(&output->requires_grad),
                       "output '%s': dtype %s cannot require grad, only floating and complex ones can", output->name,
                       output->dtype);
    }
    if (!v->training && spec_is(output->requires_grad_for_backward)) {
        validate_error(v, RULE_TRAINING, diag_key(&output->requires_grad_for_backward),
                       "'requires_grad_for_backward' belongs to 'mode: training'");
    } else if (spec_is(output->requires_grad_for_backward) && !spec_is(output->requires_grad)) {
        validate_error(v, RULE_GRAD, diag_key(&output->requires_grad_for_backward),
                       "output '%s': 'requires_grad_for_backward' needs 'requires_grad: true'", output->name);
    }
    if (!v->training && output->type == SPEC_UNSAFE_VIEW_ALIAS) {
        validate_error(v, RULE_TRAINING, diag_value(&output->type),
                       "type 'unsafe_view_alias' belongs to 'mode: training'");
    }
    /* Measured with PyTorch 2.13: an alias of a user output need not require grad (`return y, y.detach()`), the other
     * two must. */
    if ((output->type == SPEC_ALIAS_OF_INTERMEDIATE || output->type == SPEC_ALIAS_OF_INTERMEDIATE_SAVE_AS_OUTPUT) &&
        !spec_is(output->requires_grad)) {
        validate_error(v, RULE_INTERMEDIATE_BASE, diag_value(&output->type),
                       "output '%s': type %s needs 'requires_grad: true'", output->name,
                       spec_output_type_text(output->type));
    }
}

/* `regenerated` is the rank that its view gives, -1: unknown. */
static void validate_dynamic_dims(Validator *v, SpecOutput *output, int64_t regenerated)
{
    int64_t rank = validate_rank(&output->size, &output->stride);
    if (rank < 0 && output->subclass != NULL) {
        rank = validate_rank(&output->subclass->outer_size, &output->subclass->outer_stride);
    }
    rank = rank < 0 ? regenerated : rank;
    if (output->dynamic_dims.text != NULL && validate_dimensions(v, &output->dynamic_dims)) {
        validate_literals(v, RULE_GEOMETRY, &output->dynamic_dims, rank, "dimension", output_subject(output),
                          "has rank");
    }
}

static void validate_output_tree(Validator *v, SpecOutput *output)
{
    const Keys keys =
        KEYS(SpecOutput, KEY_BIT(SpecOutput, size) | KEY_BIT(SpecOutput, stride) | KEY_BIT(SpecOutput, storage_offset));
    if (output->subclass == NULL) {
        return;
    }
    validate_no_keys(v, RULE_SUBCLASS, output, keys, output_subject(output),
                     " next to 'subclass': its geometry is in 'outer_size' and 'outer_stride'");
    validate_tree(v, output->subclass, TREE_RETURNED, output_subject(output));
}

static void validate_output_itself(Validator *v, SpecOutput *output)
{
    static const IntegerRule value = {"a value", SYMBOL_DEFINES, INT64_MIN, NESTED_NAMED};
    keys_default(v, output, KEYS(SpecOutput, KEY_BIT(SpecOutput, kind)));
    output->base_ref = (SpecRef){SPEC_REF_NONE, 0};
    validate_output_kind(v, output);
    keys_default(v, output, ALL_KEYS(SpecOutput));
    spec_default(&output->requires_grad_for_backward, spec_is(output->requires_grad) && v->training);
    output->dtype_code = validate_dtype(v, &output->dtype);
    validate_device(v, &output->device, &output->device_type, &output->device_index);
    validate_int(v, &output->value, &value);
    /* What is returned for an output that is an input is never looked at. */
    validate_geometry(v, &output->size, &output->stride, &output->storage_offset,
                      output->type == SPEC_IS_INPUT ? SYMBOL_USED : SYMBOL_DEFINES);
    validate_output_tree(v, output);
    validate_output_grad(v, output);
}

/* ---- bases ---- */

/* What a type's base must be; SPEC_REF_NONE when it has none. */
static SpecRefKind base_kind(SpecOutputType type)
{
    switch (type) {
    case SPEC_OUTPUT_UNSET:
    case SPEC_NON_ALIAS:
    case SPEC_UNSAFE_VIEW_ALIAS:
    case SPEC_CUSTOM_FUNCTION_VIEW:
        return SPEC_REF_NONE;
    case SPEC_ALIAS_OF_INPUT:
    case SPEC_IS_INPUT:
        return SPEC_REF_INPUT;
    case SPEC_ALIAS_OF_INTERMEDIATE_SAVE_AS_OUTPUT:
    case SPEC_ALIAS_OF_INTERMEDIATE:
        return SPEC_REF_BASE;
    case SPEC_ALIAS_OF_INTERMEDIATE_BASE_IS_USER_OUTPUT:
        return SPEC_REF_OUTPUT;
    }
    return SPEC_REF_NONE;
}

/* The base is of the kind that the type asks for, and not frozen; `ref` is what the name means. */
static bool accept_base(Validator *v, const SpecOutput *output, SpecRef ref, SpecRefKind wanted)
{
    const DiagPlace place = diag_value(&output->base);
    const char *type = spec_output_type_text(output->type);
    if (ref.kind != wanted) {
        DiagMessage *message = validate_error(v, RULE_BASE, place, "the base of type %s is %s; '%s' is %s", type,
                                              spec_ref_text(wanted), output->base, spec_ref_text(ref.kind));
        diag_note(v->diag, message, diag_value(validate_ref_name(v->graph, ref)), "'%s'", output->base);
        return false;
    }
    if (ref.kind == SPEC_REF_OUTPUT) {
        const SpecOutput *base = &v->graph->outputs[ref.index];
        if (base == output) {
            validate_error(v, RULE_BASE, place, "output '%s' cannot be its own base", output->name);
        } else if (base->kind != SPEC_TENSOR && base->kind != SPEC_KIND_UNSET) {
            validate_error(v, RULE_BASE, place, "output '%s' of kind %s cannot be a base", base->name,
                           spec_kind_text(base->kind));
        } else {
            return true;
        }
        return false;
    }
    if (ref.kind == SPEC_REF_INPUT) {
        const SpecInput *base = &v->graph->inputs[ref.index];
        if (base->kind != SPEC_TENSOR) {
            validate_error(v, RULE_BASE, place, "input '%s' of kind %s cannot be a base", base->name,
                           spec_kind_text(base->kind));
            return false;
        }
        if (spec_is(base->frozen)) {
            DiagMessage *message =
                validate_error(v, RULE_FROZEN, place, "input '%s' is frozen, so no output can alias it", base->name);
            diag_note(v->diag, message, diag_key(&base->frozen), "frozen here");
            return false;
        }
    }
    return true;
}

static void validate_base(Validator *v, SpecOutput *output)
{
    const SpecRefKind wanted = base_kind(output->type);
    if (wanted == SPEC_REF_NONE || output->kind != SPEC_TENSOR) {
        if (output->base != NULL && output->type != SPEC_OUTPUT_UNSET && wanted == SPEC_REF_NONE) {
            validate_error(v, RULE_BASE, diag_key(&output->base), "an output of type %s has no base",
                           spec_output_type_text(output->type));
        }
        return;
    }
    static const char *const nothing[] = {[SPEC_REF_INPUT] = "no input",
                                          [SPEC_REF_BASE] = "no intermediate base",
                                          [SPEC_REF_OUTPUT] = "no output",
                                          [SPEC_REF_SYNTHETIC] = "nothing"};
    SpecRef ref = {SPEC_REF_NONE, 0};
    if (output->base == NULL) {
        validate_error(v, RULE_BASE, diag_value(&output->type), "output '%s' of type %s needs 'base', %s", output->name,
                       spec_output_type_text(output->type), spec_ref_text(wanted));
        return;
    }
    if (!validate_reference(v, &output->base, 1U << wanted, nothing[wanted], &ref) ||
        !accept_base(v, output, ref, wanted)) {
        return;
    }
    if (ref.kind == SPEC_REF_INPUT && v->graph->inputs[ref.index].duplicate_of >= 0) {
        ref.index = (uint32_t)v->graph->inputs[ref.index].duplicate_of; /* either name will do; it is one object */
    }
    output->base_ref = ref;
}

/* An output that is an input must state the same numbers as the input; entries that are not numbers are not
 * compared. */
static void compare_with_input(Validator *v, const SpecOutput *output, const SpecInput *base, const char *what,
                               const SpecInts *stated, const SpecInts *actual)
{
    if (stated->text == NULL || actual->text == NULL) {
        return;
    }
    bool same = stated->text_count == actual->text_count;
    for (uint32_t i = 0; same && i < stated->text_count; i++) {
        int64_t a = 0;
        int64_t b = 0;
        const bool literal = expr_is_literal(derive_expr(stated, i), &a) && expr_is_literal(derive_expr(actual, i), &b);
        same = !literal || a == b;
    }
    if (!same) {
        DiagMessage *message =
            validate_error(v, RULE_BASE, diag_value(&stated->text), "output '%s' is input '%s', whose %s is different",
                           output->name, base->name, what);
        diag_note(v->diag, message, diag_value(&actual->text), "stated here");
    }
}

/* An output that is an input has its type, and its geometry unless the graph changes that. */
static void validate_is_input(Validator *v, const SpecOutput *output)
{
    if (output->type != SPEC_IS_INPUT || output->base_ref.kind != SPEC_REF_INPUT) {
        return;
    }
    const SpecInput *base = &v->graph->inputs[output->base_ref.index];
    if (!spec_is(base->mutates_metadata)) {
        compare_with_input(v, output, base, "size", &output->size, &base->size);
        compare_with_input(v, output, base, "stride", &output->stride, &base->stride);
    }
    if (output->dtype_code >= 0 && base->dtype_code >= 0 && output->dtype_code != base->dtype_code) {
        DiagMessage *message =
            validate_error(v, RULE_BASE, diag_value(&output->dtype), "output '%s' is input '%s', whose dtype is %s",
                           output->name, base->name, base->dtype);
        diag_note(v->diag, message, diag_value(&base->dtype), "stated here");
    }
    const char *type = output->subclass == NULL ? NULL : output->subclass->type;
    const char *base_type = base->subclass == NULL ? NULL : base->subclass->type;
    if (type == NULL && base_type != NULL) {
        validate_error(
            v, RULE_SUBCLASS, diag_value(&output->type),
            "output '%s' is input '%s', a subclass; it needs 'subclass' too, for the values that the graph returns",
            output->name, base->name);
    } else if (type != NULL && (base_type == NULL || strcmp(type, base_type) != 0)) {
        validate_error(v, RULE_SUBCLASS, diag_value(&output->subclass->type), "output '%s' is input '%s', which is %s",
                       output->name, base->name, base_type == NULL ? "a plain tensor" : base_type);
    }
}

/* Follows each chain of outputs that are bases of outputs once; `state` is 1 + the output where the walk began. */
static void validate_cycles(Validator *v)
{
    const SpecGraph *graph = v->graph;
    uint32_t *state = ARENA_ARRAY(v->arena, uint32_t, graph->outputs_count);
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        uint32_t at = i;
        while (graph->outputs[at].base_ref.kind == SPEC_REF_OUTPUT && state[at] == 0) {
            state[at] = i + 1;
            at = graph->outputs[at].base_ref.index;
        }
        if (graph->outputs[at].base_ref.kind == SPEC_REF_OUTPUT && state[at] == i + 1) {
            const SpecOutput *output = &graph->outputs[at];
            const SpecOutput *base = &graph->outputs[output->base_ref.index];
            DiagMessage *message =
                validate_error(v, RULE_BASE, diag_value(&output->base),
                               "output '%s' is an alias of '%s', which by its own bases is an alias of '%s'",
                               output->name, base->name, output->name);
            diag_note(v->diag, message, diag_value(&base->base), "the base of '%s'", base->name);
        }
        state[i] = state[i] == 0 ? i + 1 : state[i];
    }
}

/* Each intermediate base is saved by exactly one output. */
static void validate_saving(Validator *v)
{
    const SpecGraph *graph = v->graph;
    uint32_t *saved_by = ARENA_ARRAY(v->arena, uint32_t, graph->intermediate_bases_count); /* 1 + output */
    bool unsure = false;
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        if (output->type != SPEC_ALIAS_OF_INTERMEDIATE_SAVE_AS_OUTPUT || output->base_ref.kind != SPEC_REF_BASE) {
            unsure = unsure || output->type == SPEC_ALIAS_OF_INTERMEDIATE_SAVE_AS_OUTPUT;
            continue;
        }
        uint32_t *first = &saved_by[output->base_ref.index];
        if (*first != 0) {
            DiagMessage *message =
                validate_error(v, RULE_INTERMEDIATE_BASE, diag_value(&output->base),
                               "intermediate base '%s' is saved by a second output; the others are of type "
                               "alias_of_intermediate",
                               output->base);
            diag_note(v->diag, message, diag_value(&graph->outputs[*first - 1].base), "saved by '%s'",
                      graph->outputs[*first - 1].name);
        } else {
            *first = i + 1;
        }
    }
    for (uint32_t i = 0; !unsure && i < graph->intermediate_bases_count; i++) {
        if (saved_by[i] == 0) {
            validate_error(v, RULE_INTERMEDIATE_BASE, diag_value(&graph->intermediate_bases[i].name),
                           "no output of type alias_of_intermediate_save_as_output has intermediate base '%s'",
                           graph->intermediate_bases[i].name);
        }
    }
}

void validate_outputs(Validator *v)
{
    SpecGraph *graph = v->graph;
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        validate_output_itself(v, &graph->outputs[i]);
    }
    bool chained = false;
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        SpecOutput *output = &graph->outputs[i];
        validate_base(v, output);
        validate_is_input(v, output);
        validate_dynamic_dims(v, output, validate_output_view(v, output));
        chained = chained || output->base_ref.kind == SPEC_REF_OUTPUT;
    }
    if (chained) {
        validate_cycles(v);
    }
    validate_saving(v);
}
