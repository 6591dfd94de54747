/* SPDX-License-Identifier: MIT */
/*
 * spec - the libcyaml tables: every key that the YAML may hold, where it goes in the structs of spec.h, what it may be.
 *
 * Said once, here: libcyaml loads by these tables, the shape checker walks libyaml's events beside them to find every
 * mistake at its place, and the JSON schema is printed from them. They say the shape only (which keys, required or not,
 * scalar, word, list or mapping); what a scalar must look like, defaults, and rules across keys belong to gen/validate.
 *
 * How things are said in libcyaml's terms:
 *   text       a string of at least one byte; integers, expressions, dtypes, devices and names are all text here
 *   free text  a string that may be empty ('' in the file), because empty is a meaning of its own
 *   word       a strict enum, its words in a table below; a zero member means that the key was absent
 *   null       a word of SpecBool where it has a meaning; SPEC_FLAG_NULL marks the one text (stream) that may be null
 *   list       a sequence; the member `<name>_count` beside it holds the count
 *
 * To add a key: a member in spec.h, a line in the table of its mapping, its rule in gen/validate, an example in
 * SPEC.md, then `make schema/graph.schema.json`. To add a word: a line in its table.
 */
#include "schema.h"

#include "spec.h"

enum { OPTIONAL = CYAML_FLAG_OPTIONAL, REQUIRED = CYAML_FLAG_DEFAULT };

/* ---- how a line of a table is written ---- */

#define TEXT_LENGTH(flags_, type, key_, member, min_, max_)                                                            \
    CYAML_FIELD_STRING_PTR(key_, flags_, type, member, min_, max_)
#define TEXT(flags, type, member)           TEXT_LENGTH(flags, type, #member, member, 1, CYAML_UNLIMITED)
#define TEXT_AS(flags, type, key, member)   TEXT_LENGTH(flags, type, key, member, 1, CYAML_UNLIMITED)
#define FREE_TEXT(flags, type, key, member) TEXT_LENGTH(flags, type, key, member, 0, CYAML_UNLIMITED)
#define TEXT_OR_NULL(type, member)          TEXT(OPTIONAL | SPEC_FLAG_NULL, type, member)

/* One integer or expression (a SpecInt), a list of them (a SpecInts), a list of names (a SpecNames). */
#define INTEGER(flags, type, member)        TEXT_AS(flags, type, #member, member.text)
#define INTEGERS(flags, type, member)       LIST_AS(flags, type, #member, member.text, &text_entry)
#define NAMES(flags, type, member)          LIST_AS(flags, type, #member, member.text, &text_entry)

#define WORD_AS(flags, type, key, member, words)                                                                       \
    CYAML_FIELD_ENUM(key, (flags) | CYAML_FLAG_STRICT, type, member, words, CYAML_ARRAY_LEN(words))
#define WORD(flags, type, member, words) WORD_AS(flags, type, #member, member, words)
#define BOOLEAN(type, member)            WORD(OPTIONAL, type, member, boolean_words)
#define BOOLEAN_OR_NULL(type, member)    WORD(OPTIONAL, type, member, boolean_or_null_words)

#define LIST_OF(flags, type, key, member, entry, min, max)                                                             \
    CYAML_FIELD_SEQUENCE(key, (flags) | CYAML_FLAG_POINTER, type, member, entry, min, max)
#define LIST_AS(flags, type, key, member, entry) LIST_OF(flags, type, key, member, entry, 0, CYAML_UNLIMITED)
#define LIST(flags, type, member, entry)         LIST_AS(flags, type, #member, member, entry)

#define MAPPING(flags, type, member, fields)     CYAML_FIELD_MAPPING_PTR(#member, flags, type, member, fields)

/* The entry of a list of mappings. */
#define ENTRY(type, fields)                                                                                            \
    {                                                                                                                  \
        CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, type, fields)                                                          \
    }

static const cyaml_schema_value_t text_entry = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 1, CYAML_UNLIMITED),
};

static const cyaml_schema_value_t free_text_entry = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED),
};

/* ---- words ---- */

static const cyaml_strval_t boolean_words[] = {
    {"true", SPEC_TRUE},
    {"false", SPEC_FALSE},
};

static const cyaml_strval_t boolean_or_null_words[] = {
    {"true", SPEC_TRUE},
    {"false", SPEC_FALSE},
    {"null", SPEC_NULL},
};

static const cyaml_strval_t mode_words[] = {
    {"inference", SPEC_INFERENCE},
    {"training", SPEC_TRAINING},
};

static const cyaml_strval_t convention_words[] = {
    {"boxed", SPEC_BOXED},
    {"direct", SPEC_DIRECT},
    {"aoti", SPEC_AOTI},
};

static const cyaml_strval_t rng_words[] = {
    {"none", SPEC_RNG_NONE},
    {"functionalized", SPEC_RNG_FUNCTIONALIZED},
    {"graphsafe", SPEC_RNG_GRAPHSAFE},
};

static const cyaml_strval_t check_words[] = {
    {"none", SPEC_CHECK_NONE},
    {"count", SPEC_CHECK_COUNT},
    {"cheap", SPEC_CHECK_CHEAP},
    {"full", SPEC_CHECK_FULL},
};

static const cyaml_strval_t attr_kind_words[] = {
    {"tensor", SPEC_TENSOR},
    {"opaque", SPEC_OPAQUE},
};

static const cyaml_strval_t input_kind_words[] = {
    {"tensor", SPEC_TENSOR}, {"int", SPEC_INT}, {"float", SPEC_FLOAT}, {"bool", SPEC_BOOLEAN}, {"opaque", SPEC_OPAQUE},
};

static const cyaml_strval_t output_kind_words[] = {
    {"tensor", SPEC_TENSOR}, {"int", SPEC_INT},       {"float", SPEC_FLOAT},
    {"bool", SPEC_BOOLEAN},  {"opaque", SPEC_OPAQUE}, {"none", SPEC_NONE},
};

static const cyaml_strval_t grad_kind_words[] = {
    {"tensor", SPEC_TENSOR},
    {"none", SPEC_NONE},
};

static const cyaml_strval_t output_type_words[] = {
    {"non_alias", SPEC_NON_ALIAS},
    {"alias_of_input", SPEC_ALIAS_OF_INPUT},
    {"is_input", SPEC_IS_INPUT},
    {"alias_of_intermediate_save_as_output", SPEC_ALIAS_OF_INTERMEDIATE_SAVE_AS_OUTPUT},
    {"alias_of_intermediate", SPEC_ALIAS_OF_INTERMEDIATE},
    {"alias_of_intermediate_base_is_user_output", SPEC_ALIAS_OF_INTERMEDIATE_BASE_IS_USER_OUTPUT},
    {"unsafe_view_alias", SPEC_UNSAFE_VIEW_ALIAS},
    {"custom_function_view", SPEC_CUSTOM_FUNCTION_VIEW},
};

static const cyaml_strval_t memory_format_words[] = {
    {"contiguous", SPEC_CONTIGUOUS},
    {"channels_last", SPEC_CHANNELS_LAST},
    {"channels_last_3d", SPEC_CHANNELS_LAST_3D},
};

static const cyaml_strval_t view_op_words[] = {
    {"as_strided", SPEC_VIEW_AS_STRIDED},
    {"view", SPEC_VIEW_VIEW},
    {"reshape", SPEC_VIEW_RESHAPE},
    {"expand", SPEC_VIEW_EXPAND},
    {"transpose", SPEC_VIEW_TRANSPOSE},
    {"permute", SPEC_VIEW_PERMUTE},
    {"t", SPEC_VIEW_T},
    {"alias", SPEC_VIEW_ALIAS},
    {"detach", SPEC_VIEW_DETACH},
    {"view_as_real", SPEC_VIEW_VIEW_AS_REAL},
    {"view_as_complex", SPEC_VIEW_VIEW_AS_COMPLEX},
    {"squeeze", SPEC_VIEW_SQUEEZE},
    {"unsqueeze", SPEC_VIEW_UNSQUEEZE},
    {"select", SPEC_VIEW_SELECT},
    {"slice", SPEC_VIEW_SLICE},
    {"view_dtype", SPEC_VIEW_VIEW_DTYPE},
    {"diagonal", SPEC_VIEW_DIAGONAL},
    {"unfold", SPEC_VIEW_UNFOLD},
    {"movedim", SPEC_VIEW_MOVEDIM},
    {"flatten", SPEC_VIEW_FLATTEN},
    {"unflatten", SPEC_VIEW_UNFLATTEN},
    {"split", SPEC_VIEW_SPLIT},
    {"split_with_sizes", SPEC_VIEW_SPLIT_WITH_SIZES},
    {"chunk", SPEC_VIEW_CHUNK},
    {"unbind", SPEC_VIEW_UNBIND},
    {"narrow", SPEC_VIEW_NARROW},
    {"_conj", SPEC_VIEW__CONJ},         /* known so that gen/validate can say why it is refused */
    {"_neg_view", SPEC_VIEW__NEG_VIEW}, /* the same */
};

static const cyaml_strval_t synthetic_base_words[] = {
    {"storage", SPEC_SYNTHETIC_STORAGE},
    {"view_base", SPEC_SYNTHETIC_VIEW_BASE},
};

static const cyaml_strval_t index_dtype_words[] = {
    {"auto", SPEC_INDEX_AUTO},
    {"int32", SPEC_INDEX_INT32},
    {"int64", SPEC_INDEX_INT64},
};

static const cyaml_strval_t buckets_words[] = {
    {"generalize", SPEC_BUCKETS_GENERALIZE},
    {"zero_one", SPEC_BUCKETS_ZERO_ONE},
};

static const cyaml_strval_t arg_kind_words[] = {
    {"tensor", SPEC_ARG_TENSOR}, {"int", SPEC_ARG_INT},     {"float", SPEC_ARG_FLOAT},   {"bool", SPEC_ARG_BOOL},
    {"string", SPEC_ARG_STRING}, {"dtype", SPEC_ARG_DTYPE}, {"device", SPEC_ARG_DEVICE}, {"null", SPEC_ARG_NULL},
    {"tuple", SPEC_ARG_TUPLE},   {"list", SPEC_ARG_LIST},   {"record", SPEC_ARG_RECORD},
};

static const cyaml_strval_t extra_of_words[] = {
    {"size", SPEC_EXTRA_SIZE},
    {"stride", SPEC_EXTRA_STRIDE},
};

static const cyaml_strval_t layout_words[] = {
    {"contiguous", SPEC_LAYOUT_CONTIGUOUS},
    {"channels_last", SPEC_LAYOUT_CHANNELS_LAST},
};

/* ---- symbols and subclasses ---- */

static const cyaml_schema_field_t symbol_fields[] = {
    TEXT(REQUIRED, SpecSymbol, name),
    TEXT(OPTIONAL, SpecSymbol, min),
    TEXT(OPTIONAL, SpecSymbol, max),
    TEXT(OPTIONAL, SpecSymbol, multiple_of),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t symbol_entry = ENTRY(SpecSymbol, symbol_fields);

static const cyaml_schema_field_t attr_fields[] = {
    TEXT(REQUIRED, SpecAttr, name),
    BOOLEAN(SpecAttr, optional),
    WORD(OPTIONAL, SpecAttr, kind, attr_kind_words),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t attr_entry = ENTRY(SpecAttr, attr_fields);

static const cyaml_schema_field_t subclass_type_fields[] = {
    TEXT(REQUIRED, SpecSubclassType, name),
    TEXT(OPTIONAL, SpecSubclassType, symbol),
    LIST_OF(REQUIRED, SpecSubclassType, "attrs", attrs, &attr_entry, 1, CYAML_UNLIMITED),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t subclass_type_entry = ENTRY(SpecSubclassType, subclass_type_fields);

/* A subclass where a tensor stands, and one attribute inside it: the latter is named, and may be a plain tensor, which
 * has a geometry of its own. Attributes nest without bound here; gen/shape stops at SOURCE_MAX_DEPTH. */
#define SUBCLASS_KEYS                                                                                                  \
    TEXT(OPTIONAL, SpecSubclass, context), WORD(OPTIONAL, SpecSubclass, memory_format, memory_format_words),           \
        INTEGERS(OPTIONAL, SpecSubclass, outer_size), INTEGERS(OPTIONAL, SpecSubclass, outer_stride),                  \
        BOOLEAN(SpecSubclass, symints), TEXT(OPTIONAL, SpecSubclass, outer_size_from),                                 \
        TEXT(OPTIONAL, SpecSubclass, outer_stride_from)

static const cyaml_schema_value_t inner_entry;

static const cyaml_schema_field_t subclass_fields[] = {
    TEXT(REQUIRED, SpecSubclass, type),
    SUBCLASS_KEYS,
    LIST(REQUIRED, SpecSubclass, inner, &inner_entry),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t inner_fields[] = {
    TEXT(REQUIRED, SpecSubclass, attr),
    TEXT(OPTIONAL, SpecSubclass, type),
    INTEGERS(OPTIONAL, SpecSubclass, size),
    INTEGERS(OPTIONAL, SpecSubclass, stride),
    NAMES(OPTIONAL, SpecSubclass, symbol_args),
    SUBCLASS_KEYS,
    LIST(OPTIONAL, SpecSubclass, inner, &inner_entry),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t inner_entry = ENTRY(SpecSubclass, inner_fields);

/* ---- a graph ---- */

static const cyaml_schema_field_t input_fields[] = {
    TEXT(REQUIRED, SpecInput, name),
    WORD(OPTIONAL, SpecInput, kind, input_kind_words),
    INTEGER(OPTIONAL, SpecInput, value),
    TEXT(OPTIONAL, SpecInput, dtype),
    INTEGERS(OPTIONAL, SpecInput, size),
    INTEGERS(OPTIONAL, SpecInput, stride),
    INTEGER(OPTIONAL, SpecInput, storage_offset),
    TEXT(OPTIONAL, SpecInput, device),
    NAMES(OPTIONAL, SpecInput, symbol_args),
    BOOLEAN(SpecInput, requires_grad),
    BOOLEAN(SpecInput, is_leaf),
    BOOLEAN(SpecInput, mutates_data),
    BOOLEAN(SpecInput, mutates_metadata),
    BOOLEAN(SpecInput, mutates_storage_metadata),
    BOOLEAN(SpecInput, mutation_is_shallow_copy_data),
    BOOLEAN(SpecInput, mutation_inductor_storage_resize),
    BOOLEAN(SpecInput, mutations_hidden_from_autograd),
    BOOLEAN(SpecInput, mutations_under_no_grad_or_inference_mode),
    TEXT_OR_NULL(SpecInput, stream),
    BOOLEAN(SpecInput, frozen),
    LIST_AS(OPTIONAL, SpecInput, "wait", wait.text, &free_text_entry),
    MAPPING(OPTIONAL, SpecInput, subclass, subclass_fields),
    MAPPING(OPTIONAL, SpecInput, updated, subclass_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t input_entry = ENTRY(SpecInput, input_fields);

static const cyaml_schema_field_t base_fields[] = {
    TEXT(REQUIRED, SpecBase, name),
    TEXT(OPTIONAL, SpecBase, dtype),
    INTEGERS(OPTIONAL, SpecBase, size),
    INTEGERS(OPTIONAL, SpecBase, stride),
    INTEGER(OPTIONAL, SpecBase, storage_offset),
    TEXT(OPTIONAL, SpecBase, device),
    MAPPING(OPTIONAL, SpecBase, subclass, subclass_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t base_entry = ENTRY(SpecBase, base_fields);

/* Which arguments an operation takes is known to gen/geometry; the shape allows all of them. */
static const cyaml_schema_field_t view_fields[] = {
    WORD(REQUIRED, SpecView, op, view_op_words),
    INTEGERS(OPTIONAL, SpecView, size),
    INTEGERS(OPTIONAL, SpecView, stride),
    INTEGER(OPTIONAL, SpecView, offset),
    INTEGERS(OPTIONAL, SpecView, dims),
    INTEGER(OPTIONAL, SpecView, dim),
    INTEGER(OPTIONAL, SpecView, dim1),
    INTEGER(OPTIONAL, SpecView, dim2),
    INTEGER(OPTIONAL, SpecView, index),
    INTEGER(OPTIONAL, SpecView, start),
    INTEGER(OPTIONAL, SpecView, end),
    INTEGER(OPTIONAL, SpecView, step),
    INTEGER(OPTIONAL, SpecView, length),
    INTEGERS(OPTIONAL, SpecView, source),
    INTEGERS(OPTIONAL, SpecView, destination),
    INTEGER(OPTIONAL, SpecView, start_dim),
    INTEGER(OPTIONAL, SpecView, end_dim),
    INTEGER(OPTIONAL, SpecView, split_size),
    INTEGERS(OPTIONAL, SpecView, sizes),
    INTEGER(OPTIONAL, SpecView, chunks),
    TEXT(OPTIONAL, SpecView, dtype),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t view_entry = ENTRY(SpecView, view_fields);

static const cyaml_schema_field_t as_strided_fields[] = {
    INTEGERS(REQUIRED, SpecAsStrided, size),
    INTEGERS(REQUIRED, SpecAsStrided, stride),
    INTEGER(REQUIRED, SpecAsStrided, offset),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t output_fields[] = {
    TEXT(REQUIRED, SpecOutput, name),
    WORD(OPTIONAL, SpecOutput, kind, output_kind_words),
    WORD(REQUIRED, SpecOutput, type, output_type_words),
    TEXT(OPTIONAL, SpecOutput, base),
    TEXT(OPTIONAL, SpecOutput, dtype),
    INTEGERS(OPTIONAL, SpecOutput, size),
    INTEGERS(OPTIONAL, SpecOutput, stride),
    INTEGER(OPTIONAL, SpecOutput, storage_offset),
    TEXT(OPTIONAL, SpecOutput, device),
    BOOLEAN(SpecOutput, requires_grad),
    BOOLEAN(SpecOutput, requires_grad_for_backward),
    INTEGERS(OPTIONAL, SpecOutput, dynamic_dims),
    LIST(OPTIONAL, SpecOutput, view, &view_entry),
    MAPPING(OPTIONAL, SpecOutput, as_strided, as_strided_fields),
    MAPPING(OPTIONAL, SpecOutput, subclass, subclass_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t output_entry = ENTRY(SpecOutput, output_fields);

static const cyaml_schema_field_t duplicate_fields[] = {
    TEXT(REQUIRED, SpecDuplicate, input),
    TEXT(REQUIRED, SpecDuplicate, of),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t duplicate_entry = ENTRY(SpecDuplicate, duplicate_fields);

static const cyaml_schema_field_t synthetic_fields[] = {
    TEXT(REQUIRED, SpecSynthetic, name),
    WORD(REQUIRED, SpecSynthetic, base, synthetic_base_words),
    LIST_OF(REQUIRED, SpecSynthetic, "members", members.text, &text_entry, 2, CYAML_UNLIMITED),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t synthetic_entry = ENTRY(SpecSynthetic, synthetic_fields);

static const cyaml_schema_field_t saved_dynamic_fields[] = {
    INTEGER(REQUIRED, SpecSavedDynamic, index),
    INTEGERS(REQUIRED, SpecSavedDynamic, dims),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t saved_dynamic_entry = ENTRY(SpecSavedDynamic, saved_dynamic_fields);

static const cyaml_schema_field_t saved_fields[] = {
    INTEGER(OPTIONAL, SpecSaved, tensors),       INTEGER(OPTIONAL, SpecSaved, tensors_no_version_check),
    INTEGER(OPTIONAL, SpecSaved, opaque),        INTEGER(OPTIONAL, SpecSaved, symints),
    INTEGERS(OPTIONAL, SpecSaved, graph_inputs), LIST(OPTIONAL, SpecSaved, dynamic, &saved_dynamic_entry),
    INTEGERS(OPTIONAL, SpecSaved, donated),      CYAML_FIELD_END,
};

static const cyaml_schema_field_t tangent_fields[] = {
    TEXT(REQUIRED, SpecTangent, of),
    WORD(OPTIONAL, SpecTangent, memory_format, memory_format_words),
    INTEGERS(OPTIONAL, SpecTangent, size),
    INTEGERS(OPTIONAL, SpecTangent, stride),
    BOOLEAN(SpecTangent, kept),
    MAPPING(OPTIONAL, SpecTangent, subclass, subclass_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t tangent_entry = ENTRY(SpecTangent, tangent_fields);

static const cyaml_schema_field_t grad_input_fields[] = {
    TEXT(REQUIRED, SpecGradInput, of),
    WORD(OPTIONAL, SpecGradInput, kind, grad_kind_words),
    MAPPING(OPTIONAL, SpecGradInput, subclass, subclass_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t grad_input_entry = ENTRY(SpecGradInput, grad_input_fields);

static const cyaml_schema_field_t backward_fields[] = {
    TEXT(REQUIRED, SpecBackward, compiled),
    INTEGER(OPTIONAL, SpecBackward, tokens),
    BOOLEAN_OR_NULL(SpecBackward, deterministic),
    NAMES(OPTIONAL, SpecBackward, mutated_in_backward),
    LIST(REQUIRED, SpecBackward, tangents, &tangent_entry),
    LIST(REQUIRED, SpecBackward, grad_inputs, &grad_input_entry),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t expect_fields[] = {
    INTEGER(OPTIONAL, SpecExpect, num_outputs),
    INTEGER(OPTIONAL, SpecExpect, num_outputs_aliased),
    INTEGER(OPTIONAL, SpecExpect, num_intermediate_bases),
    INTEGER(OPTIONAL, SpecExpect, num_forward_returns),
    INTEGER(OPTIONAL, SpecExpect, num_forward),
    INTEGER(OPTIONAL, SpecExpect, num_tangents),
    INTEGER(OPTIONAL, SpecExpect, num_flat_inputs),
    INTEGER(OPTIONAL, SpecExpect, num_flat_outputs),
    INTEGERS(OPTIONAL, SpecExpect, mutated_inp_runtime_indices),
    INTEGERS(OPTIONAL, SpecExpect, mutated_graph_handled_indices),
    INTEGERS(OPTIONAL, SpecExpect, aliased_out_indices),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t graph_fields[] = {
    TEXT(REQUIRED, SpecGraph, name),
    WORD(REQUIRED, SpecGraph, mode, mode_words),
    TEXT(OPTIONAL, SpecGraph, compiled),
    TEXT(OPTIONAL, SpecGraph, kernel),
    WORD(OPTIONAL, SpecGraph, convention, convention_words),
    BOOLEAN(SpecGraph, consume_inputs),
    BOOLEAN(SpecGraph, keep_input_mutations),
    BOOLEAN(SpecGraph, disable_amp),
    BOOLEAN_OR_NULL(SpecGraph, grad_enabled_mutation),
    INTEGER(OPTIONAL, SpecGraph, tokens),
    WORD(OPTIONAL, SpecGraph, rng, rng_words),
    INTEGER(OPTIONAL, SpecGraph, rng_states),
    TEXT(OPTIONAL, SpecGraph, rng_device),
    BOOLEAN(SpecGraph, debug_assert),
    WORD(OPTIONAL, SpecGraph, check, check_words),
    LIST(REQUIRED, SpecGraph, inputs, &input_entry),
    LIST(OPTIONAL, SpecGraph, intermediate_bases, &base_entry),
    LIST(REQUIRED, SpecGraph, outputs, &output_entry),
    LIST(OPTIONAL, SpecGraph, duplicates, &duplicate_entry),
    LIST(OPTIONAL, SpecGraph, synthetic_bases, &synthetic_entry),
    LIST_OF(OPTIONAL, SpecGraph, "argument_order", argument_order.text, &text_entry, 1, CYAML_UNLIMITED),
    MAPPING(OPTIONAL, SpecGraph, saved, saved_fields),
    MAPPING(OPTIONAL, SpecGraph, backward, backward_fields),
    MAPPING(OPTIONAL, SpecGraph, expect, expect_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t graph_entry = ENTRY(SpecGraph, graph_fields);

/* ---- a kernel ---- */

/* An argument, and what stands inside one (`of`, `items`): only the items of a record have names, gen/validate tells.
 */
enum { NUM_ITEM_FIELDS = 14 }; /* C wants the size where a static array is used before its definition */

static const cyaml_schema_value_t item_entry;
static const cyaml_schema_field_t item_fields[NUM_ITEM_FIELDS];

#define ARG_KEYS                                                                                                       \
    WORD(REQUIRED, SpecArg, kind, arg_kind_words), TEXT(OPTIONAL, SpecArg, ndim), TEXT(OPTIONAL, SpecArg, dtype),      \
        INTEGERS(OPTIONAL, SpecArg, static_dims), BOOLEAN(SpecArg, subclass_ok), BOOLEAN(SpecArg, nullable),           \
        BOOLEAN(SpecArg, default_null), WORD_AS(OPTIONAL, SpecArg, "constexpr", constexpr_value, boolean_words),       \
        FREE_TEXT(OPTIONAL, SpecArg, "default", default_value), TEXT(OPTIONAL, SpecArg, length),                       \
        MAPPING(OPTIONAL, SpecArg, of, item_fields), LIST(OPTIONAL, SpecArg, items, &item_entry)

static const cyaml_schema_field_t item_fields[NUM_ITEM_FIELDS] = {
    TEXT(OPTIONAL, SpecArg, name),
    ARG_KEYS,
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t arg_fields[] = {
    TEXT(REQUIRED, SpecArg, name),
    ARG_KEYS,
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t item_entry = ENTRY(SpecArg, item_fields);
static const cyaml_schema_value_t arg_entry = ENTRY(SpecArg, arg_fields);

static const cyaml_schema_field_t extra_fields[] = {
    TEXT(REQUIRED, SpecExtra, arg),
    WORD(REQUIRED, SpecExtra, of, extra_of_words),
    INTEGER(REQUIRED, SpecExtra, dim),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t extra_entry = ENTRY(SpecExtra, extra_fields);

static const cyaml_schema_field_t when_fields[] = {
    TEXT(REQUIRED, SpecWhen, arg),     TEXT(OPTIONAL, SpecWhen, dtype),
    TEXT(OPTIONAL, SpecWhen, ndim),    NAMES(OPTIONAL, SpecWhen, size),
    NAMES(OPTIONAL, SpecWhen, stride), INTEGER(OPTIONAL, SpecWhen, align),
    TEXT(OPTIONAL, SpecWhen, device),  WORD(OPTIONAL, SpecWhen, layout, layout_words),
    BOOLEAN(SpecWhen, is_null),        FREE_TEXT(OPTIONAL, SpecWhen, "value", value),
    TEXT(OPTIONAL, SpecWhen, length),  CYAML_FIELD_END,
};

static const cyaml_schema_value_t when_entry = ENTRY(SpecWhen, when_fields);

static const cyaml_schema_field_t variant_fields[] = {
    TEXT(OPTIONAL, SpecVariant, symbol),
    TEXT(OPTIONAL, SpecVariant, graph),
    LIST(OPTIONAL, SpecVariant, when, &when_entry),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t variant_entry = ENTRY(SpecVariant, variant_fields);

static const cyaml_schema_field_t kernel_fields[] = {
    TEXT(REQUIRED, SpecKernel, name),
    BOOLEAN(SpecKernel, static_shapes),
    WORD(OPTIONAL, SpecKernel, index_dtype, index_dtype_words),
    WORD(OPTIONAL, SpecKernel, buckets, buckets_words),
    BOOLEAN(SpecKernel, device_in_key),
    NAMES(OPTIONAL, SpecKernel, key_extra),
    WORD(OPTIONAL, SpecKernel, check, check_words),
    LIST(REQUIRED, SpecKernel, args, &arg_entry),
    LIST(OPTIONAL, SpecKernel, extra, &extra_entry),
    LIST(OPTIONAL, SpecKernel, variants, &variant_entry),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t kernel_entry = ENTRY(SpecKernel, kernel_fields);

/* ---- the file ---- */

static const cyaml_schema_field_t spec_fields[] = {
    TEXT(REQUIRED, Spec, wrapgen),
    FREE_TEXT(OPTIONAL, Spec, "prefix", prefix),
    TEXT(OPTIONAL, Spec, host),
    LIST(OPTIONAL, Spec, symbols, &symbol_entry),
    LIST(OPTIONAL, Spec, subclasses, &subclass_type_entry),
    LIST(OPTIONAL, Spec, graphs, &graph_entry),
    LIST(OPTIONAL, Spec, kernels, &kernel_entry),
    CYAML_FIELD_END,
};

const cyaml_schema_value_t spec_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, Spec, spec_fields),
};
