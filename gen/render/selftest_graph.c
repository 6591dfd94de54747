/* SPDX-License-Identifier: MIT */
/*
 * selftest_graph - graphs, and what they are declared with, as tables (selftest_write.c).
 *
 * To add a member of schema/spec.h: a line in the function of its struct. tests/unit/selftest_tables_test.c walks the
 * schema for keys without one.
 */
#include "selftest_private.h"

#include <inttypes.h>

/* ---- enums: in the order of schema/spec.h ---- */

static const char *const modes[] = {"SPEC_MODE_UNSET", "SPEC_INFERENCE", "SPEC_TRAINING"};
static const char *const conventions[] = {"SPEC_CONVENTION_UNSET", "SPEC_BOXED", "SPEC_DIRECT", "SPEC_AOTI"};
static const char *const rngs[] = {"SPEC_RNG_UNSET", "SPEC_RNG_NONE", "SPEC_RNG_FUNCTIONALIZED", "SPEC_RNG_GRAPHSAFE"};
static const char *const kinds[] = {"SPEC_KIND_UNSET", "SPEC_TENSOR", "SPEC_INT", "SPEC_FLOAT",
                                    "SPEC_BOOLEAN",    "SPEC_OPAQUE", "SPEC_NONE"};
static const char *const output_types[] = {"SPEC_OUTPUT_UNSET",
                                           "SPEC_NON_ALIAS",
                                           "SPEC_ALIAS_OF_INPUT",
                                           "SPEC_IS_INPUT",
                                           "SPEC_ALIAS_OF_INTERMEDIATE_SAVE_AS_OUTPUT",
                                           "SPEC_ALIAS_OF_INTERMEDIATE",
                                           "SPEC_ALIAS_OF_INTERMEDIATE_BASE_IS_USER_OUTPUT",
                                           "SPEC_UNSAFE_VIEW_ALIAS",
                                           "SPEC_CUSTOM_FUNCTION_VIEW"};
static const char *const memory_formats[] = {"SPEC_MEMORY_FORMAT_UNSET", "SPEC_CONTIGUOUS", "SPEC_CHANNELS_LAST",
                                             "SPEC_CHANNELS_LAST_3D"};
static const char *const ref_kinds[] = {"SPEC_REF_NONE", "SPEC_REF_INPUT", "SPEC_REF_OUTPUT", "SPEC_REF_BASE",
                                        "SPEC_REF_SYNTHETIC"};
static const char *const synthetic_kinds[] = {"SPEC_SYNTHETIC_UNSET", "SPEC_SYNTHETIC_STORAGE",
                                              "SPEC_SYNTHETIC_VIEW_BASE"};
static const char *const view_ops[] = {
    "SPEC_VIEW_UNSET",      "SPEC_VIEW_AS_STRIDED", "SPEC_VIEW_VIEW",         "SPEC_VIEW_RESHAPE",
    "SPEC_VIEW_EXPAND",     "SPEC_VIEW_TRANSPOSE",  "SPEC_VIEW_PERMUTE",      "SPEC_VIEW_T",
    "SPEC_VIEW_ALIAS",      "SPEC_VIEW_DETACH",     "SPEC_VIEW_VIEW_AS_REAL", "SPEC_VIEW_VIEW_AS_COMPLEX",
    "SPEC_VIEW_SQUEEZE",    "SPEC_VIEW_UNSQUEEZE",  "SPEC_VIEW_SELECT",       "SPEC_VIEW_SLICE",
    "SPEC_VIEW_VIEW_DTYPE", "SPEC_VIEW_DIAGONAL",   "SPEC_VIEW_UNFOLD",       "SPEC_VIEW_MOVEDIM",
    "SPEC_VIEW_FLATTEN",    "SPEC_VIEW_UNFLATTEN",  "SPEC_VIEW_SPLIT",        "SPEC_VIEW_SPLIT_WITH_SIZES",
    "SPEC_VIEW_CHUNK",      "SPEC_VIEW_UNBIND",     "SPEC_VIEW_NARROW",       "SPEC_VIEW__CONJ",
    "SPEC_VIEW__NEG_VIEW"};
ONE_NAME_EACH(modes, SPEC_TRAINING);
ONE_NAME_EACH(conventions, SPEC_AOTI);
ONE_NAME_EACH(rngs, SPEC_RNG_GRAPHSAFE);
ONE_NAME_EACH(kinds, SPEC_NONE);
ONE_NAME_EACH(output_types, SPEC_CUSTOM_FUNCTION_VIEW);
ONE_NAME_EACH(memory_formats, SPEC_CHANNELS_LAST_3D);
ONE_NAME_EACH(ref_kinds, SPEC_REF_SYNTHETIC);
ONE_NAME_EACH(synthetic_kinds, SPEC_SYNTHETIC_VIEW_BASE);
ONE_NAME_EACH(view_ops, SPEC_VIEW__NEG_VIEW);

/* ---- declarations ---- */

static void row_of_SpecSymbol(Tables *t, Value m, const SpecSymbol *x)
{
    TEXT(name);
    TEXT(min);
    TEXT(max);
    TEXT(multiple_of);
    NUMBER(has_min);
    NUMBER(has_max);
    NUMBER(min_value);
    NUMBER(max_value);
    NUMBER(multiple_of_value);
}
ROWS(SpecSymbol)

static void row_of_SpecAttr(Tables *t, Value m, const SpecAttr *x)
{
    TEXT(name);
    FLAG(optional);
    ENUM(kind, kinds);
}
STRUCTS(SpecAttr)

static void row_of_SpecSubclassType(Tables *t, Value m, const SpecSubclassType *x)
{
    TEXT(name);
    TEXT(symbol);
    LIST(SpecAttr, attrs);
}
ROWS(SpecSubclassType)

static const char *table_of_SpecSubclass(Tables *t, const SpecSubclass *list, uint32_t count);

static void row_of_SpecSubclass(Tables *t, Value m, const SpecSubclass *x)
{
    TEXT(attr);
    TEXT(type);
    TEXT(context);
    INTS(size);
    INTS(stride);
    NAMES(symbol_args);
    ENUM(memory_format, memory_formats);
    INTS(outer_size);
    INTS(outer_stride);
    FLAG(symints);
    TEXT(outer_size_from);
    TEXT(outer_stride_from);
    LIST(SpecSubclass, inner);
    POINTER(declared, arena_printf(t->arena, "&%s[%td]", t->subclass_types, x->declared - t->spec->subclasses));
    NUMBER(opaque);
    NUMBER(outer_size_attr);
    NUMBER(outer_stride_attr);
    NUMBER(attr_index);
}
STRUCTS(SpecSubclass)

/* ---- values ---- */

static void row_of_SpecInput(Tables *t, Value m, const SpecInput *x)
{
    TEXT(name);
    ENUM(kind, kinds);
    INT(value);
    TEXT(dtype);
    INTS(size);
    INTS(stride);
    INT(storage_offset);
    TEXT(device);
    NAMES(symbol_args);
    FLAG(requires_grad);
    FLAG(is_leaf);
    FLAG(mutates_data);
    FLAG(mutates_metadata);
    FLAG(mutates_storage_metadata);
    FLAG(mutation_is_shallow_copy_data);
    FLAG(mutation_inductor_storage_resize);
    FLAG(mutations_hidden_from_autograd);
    FLAG(mutations_under_no_grad_or_inference_mode);
    TEXT(stream);
    FLAG(frozen);
    NAMES(wait);
    ONE(SpecSubclass, subclass);
    ONE(SpecSubclass, updated);
    NUMBER(dtype_code);
    NUMBER(device_type);
    NUMBER(device_index);
    NUMBER(stream_index);
    NUMBER(duplicate_of);
    NUMBER(synthetic_base);
}
STRUCTS(SpecInput)

static void row_of_SpecBase(Tables *t, Value m, const SpecBase *x)
{
    TEXT(name);
    TEXT(dtype);
    INTS(size);
    INTS(stride);
    INT(storage_offset);
    TEXT(device);
    ONE(SpecSubclass, subclass);
    NUMBER(dtype_code);
    NUMBER(device_type);
    NUMBER(device_index);
}
STRUCTS(SpecBase)

static void row_of_SpecView(Tables *t, Value m, const SpecView *x)
{
    ENUM(op, view_ops);
    INTS(size);
    INTS(stride);
    INT(offset);
    INTS(dims);
    INT(dim);
    INT(dim1);
    INT(dim2);
    INT(index);
    INT(start);
    INT(end);
    INT(step);
    INT(length);
    INTS(source);
    INTS(destination);
    INT(start_dim);
    INT(end_dim);
    INT(split_size);
    INTS(sizes);
    INT(chunks);
    TEXT(dtype);
    NUMBER(dtype_code);
}
STRUCTS(SpecView)

static void row_of_SpecAsStrided(Tables *t, Value m, const SpecAsStrided *x)
{
    INTS(size);
    INTS(stride);
    INT(offset);
}
STRUCTS(SpecAsStrided)

static void row_of_SpecOutput(Tables *t, Value m, const SpecOutput *x)
{
    TEXT(name);
    ENUM(kind, kinds);
    ENUM(type, output_types);
    TEXT(base);
    TEXT(dtype);
    INTS(size);
    INTS(stride);
    INT(storage_offset);
    TEXT(device);
    FLAG(requires_grad);
    FLAG(requires_grad_for_backward);
    INTS(dynamic_dims);
    LIST(SpecView, view);
    ONE(SpecAsStrided, as_strided);
    ONE(SpecSubclass, subclass);
    NUMBER(dtype_code);
    NUMBER(device_type);
    NUMBER(device_index);
    REF(base_ref);
}
STRUCTS(SpecOutput)

static void row_of_SpecDuplicate(Tables *t, Value m, const SpecDuplicate *x)
{
    TEXT(input);
    TEXT(of);
    NUMBER(input_index);
    NUMBER(of_index);
}
STRUCTS(SpecDuplicate)

static void row_of_SpecSynthetic(Tables *t, Value m, const SpecSynthetic *x)
{
    TEXT(name);
    ENUM(base, synthetic_kinds);
    NAMES(members);
    POINTER(member_index, tables_numbers(t, x->member_index, x->members.text_count));
}
STRUCTS(SpecSynthetic)

/* ---- training ---- */

static void row_of_SpecSavedDynamic(Tables *t, Value m, const SpecSavedDynamic *x)
{
    INT(index);
    INTS(dims);
}
STRUCTS(SpecSavedDynamic)

static const char *flags(Tables *t, const bool *values, uint32_t count)
{
    Value rows = value_list(t->arena);
    for (uint32_t i = 0; i < count; i++) {
        tables_push(t, rows, value_null(), values[i] ? "true" : "false");
    }
    return count == 0 ? "NULL" : tables_new(t, "bool ", rows, count);
}

static void row_of_SpecSaved(Tables *t, Value m, const SpecSaved *x)
{
    INT(tensors);
    INT(tensors_no_version_check);
    INT(opaque);
    INT(symints);
    INTS(graph_inputs);
    LIST(SpecSavedDynamic, dynamic);
    INTS(donated);
    NUMBER(num_tensors);
    NUMBER(num_no_version_check);
    NUMBER(num_opaque);
    NUMBER(num_symints);
    POINTER(is_graph_input, flags(t, x->is_graph_input, x->num_tensors + x->num_no_version_check));
}
STRUCTS(SpecSaved)

static void row_of_SpecTangent(Tables *t, Value m, const SpecTangent *x)
{
    TEXT(of);
    ENUM(memory_format, memory_formats);
    INTS(size);
    INTS(stride);
    FLAG(kept);
    ONE(SpecSubclass, subclass);
    REF(of_ref);
}
STRUCTS(SpecTangent)

static void row_of_SpecGradInput(Tables *t, Value m, const SpecGradInput *x)
{
    TEXT(of);
    ENUM(kind, kinds);
    ONE(SpecSubclass, subclass);
    REF(of_ref);
}
STRUCTS(SpecGradInput)

static void row_of_SpecBackward(Tables *t, Value m, const SpecBackward *x)
{
    TEXT(compiled);
    INT(tokens);
    FLAG(deterministic);
    NAMES(mutated_in_backward);
    LIST(SpecTangent, tangents);
    LIST(SpecGradInput, grad_inputs);
    NUMBER(num_tokens);
    if (x->mutated_in_backward.text_count > 0) {
        POINTER(mutated_index, tables_numbers(t, x->mutated_index, x->mutated_in_backward.text_count));
    }
    if (x->tangents_count > 0) {
        POINTER(tangent_order, tables_numbers(t, x->tangent_order, x->tangents_count));
    }
    if (x->grad_inputs_count > 0) {
        POINTER(grad_input_order, tables_numbers(t, x->grad_input_order, x->grad_inputs_count));
    }
}
STRUCTS(SpecBackward)

/* ---- graphs ---- */

static void row_of_SpecGraph(Tables *t, Value m, const SpecGraph *x)
{
    TEXT(name);
    ENUM(mode, modes);
    TEXT(compiled);
    TEXT(kernel);
    ENUM(convention, conventions);
    FLAG(consume_inputs);
    FLAG(keep_input_mutations);
    FLAG(disable_amp);
    FLAG(grad_enabled_mutation);
    INT(tokens);
    ENUM(rng, rngs);
    INT(rng_states);
    TEXT(rng_device);
    FLAG(debug_assert);
    ENUM(check, tables_checks);
    LIST(SpecInput, inputs);
    LIST(SpecBase, intermediate_bases);
    LIST(SpecOutput, outputs);
    LIST(SpecDuplicate, duplicates);
    LIST(SpecSynthetic, synthetic_bases);
    NAMES(argument_order);
    ONE(SpecSaved, saved);
    ONE(SpecBackward, backward);
    NUMBER(num_tokens);
    NUMBER(num_rng_states);
    NUMBER(rng_device_code);
    NUMBER(kernel_index);
}
ROWS(SpecGraph)
