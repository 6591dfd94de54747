/* SPDX-License-Identifier: MIT */
/*
 * selftest_tables - a validated Spec as tables of C: one initializer a struct, one table a list, what others point to
 * first. Members that are zero are left out.
 *
 * To add a member of schema/spec.h: a line in the function of its struct. tests/unit/selftest_tables_test.c walks the
 * schema for keys without one.
 */
#include "selftest.h"

#include <inttypes.h>

typedef struct Tables {
    View *view;
    Arena *arena;
    Value list;
    const Spec *spec;
    uint32_t number; /* of the Spec */
    uint32_t count;  /* of tables so far */
    Value expressions;
    uint32_t num_expressions;
    const char *subclass_types; /* table */
} Tables;

/* ---- tables and rows ---- */

static void add_table(Tables *t, const char *c_type, const char *name, Value rows, uint32_t count, bool is_const)
{
    Value table = view_root(t->view);
    view_set_text(t->view, table, "c_type", c_type);
    view_set_text(t->view, table, "table", name);
    view_set_text(t->view, table, "count", arena_printf(t->arena, "%" PRIu32, count));
    view_set(t->view, table, "const_table", value_bool(is_const));
    view_set(t->view, table, "rows", rows);
    value_push(t->arena, t->list, table);
}

static const char *new_table(Tables *t, const char *c_type, Value rows, uint32_t count)
{
    const char *name = arena_printf(t->arena, "wg_selftest_%" PRIu32 "_%" PRIu32, t->number, t->count++);
    add_table(t, c_type, name, rows, count, false);
    return name;
}

/* One row of a table: a struct, or with `single` a lone value. */
static void push_row(Tables *t, Value rows, Value members, const char *single)
{
    Value row = view_root(t->view);
    view_set(t->view, row, "members", members);
    view_set_text(t->view, row, "single", single);
    value_push(t->arena, rows, row);
}

static void put(Tables *t, Value members, const char *name, const char *value)
{
    Value member = view_root(t->view);
    view_set_text(t->view, member, "member", name);
    view_set_text(t->view, member, "value", value);
    value_push(t->arena, members, member);
}

static void put_number(Tables *t, Value members, const char *name, int64_t value)
{
    if (value == INT64_MIN) {
        put(t, members, name, "INT64_MIN");
    } else if (value != 0) {
        put(t, members, name,
            arena_printf(t->arena, value > INT32_MAX || value < INT32_MIN ? "INT64_C(%" PRId64 ")" : "%" PRId64,
                         value));
    }
}

static const char *quoted(Tables *t, const char *text)
{
    Str out = str_new(t->arena);
    if (text == NULL) {
        return "NULL";
    }
    str_put_c_literal(&out, text);
    return str_text(&out);
}

static void put_text(Tables *t, Value members, const char *name, const char *text)
{
    if (text != NULL) {
        put(t, members, name, quoted(t, text));
    }
}

/* ---- expressions ---- */

static const char *expression(Tables *t, const Expr *expr)
{
    static const char *const kinds[] = {"EXPR_LITERAL", "EXPR_SYMBOL", "EXPR_ADD",
                                        "EXPR_SUB",     "EXPR_MUL",    "EXPR_FLOORDIV"};
    Value members = value_list(t->arena);
    if (expr == NULL) {
        return "NULL";
    }
    put(t, members, "kind", kinds[expr->kind]);
    if (expr->kind == EXPR_LITERAL) {
        put_number(t, members, "literal", expr->literal);
    } else if (expr->kind == EXPR_SYMBOL) {
        put_number(t, members, "symbol", expr->symbol);
    } else {
        put(t, members, "lhs", expression(t, expr->lhs));
        put(t, members, "rhs", expression(t, expr->rhs));
    }
    push_row(t, t->expressions, members, NULL);
    return arena_printf(t->arena, "&wg_selftest_%" PRIu32 "_expressions[%" PRIu32 "]", t->number, t->num_expressions++);
}

/* An empty list is not an absent one: its pointer is not null. */
static const char *texts(Tables *t, char *const *text, uint32_t count)
{
    Value rows = value_list(t->arena);
    if (text == NULL) {
        return "NULL";
    }
    for (uint32_t i = 0; i < count; i++) {
        push_row(t, rows, value_null(), quoted(t, text[i]));
    }
    if (count == 0) {
        push_row(t, rows, value_null(), "NULL");
    }
    return new_table(t, "char *", rows, count > 0 ? count : 1);
}

static void put_names(Tables *t, Value members, const char *name, const SpecNames *names)
{
    if (names->text != NULL) {
        put(t, members, name,
            arena_printf(t->arena, "{%s, %" PRIu32 "}", texts(t, names->text, names->text_count), names->text_count));
    }
}

static void put_ints(Tables *t, Value members, const char *name, const SpecInts *ints)
{
    const char *table = "NULL";
    if (ints->text == NULL) {
        return;
    }
    if (ints->expr != NULL && ints->text_count > 0) {
        Value rows = value_list(t->arena);
        for (uint32_t i = 0; i < ints->text_count; i++) {
            push_row(t, rows, value_null(), expression(t, ints->expr[i]));
        }
        table = new_table(t, "const Expr *", rows, ints->text_count);
    }
    put(t, members, name,
        arena_printf(t->arena, "{%s, %" PRIu32 ", %s}", texts(t, ints->text, ints->text_count), ints->text_count,
                     table));
}

static void put_int(Tables *t, Value members, const char *name, const SpecInt *integer)
{
    if (integer->text != NULL || integer->expr != NULL) {
        put(t, members, name,
            arena_printf(t->arena, "{%s, %s}", quoted(t, integer->text), expression(t, integer->expr)));
    }
}

static const char *numbers(Tables *t, const uint32_t *values, uint32_t count)
{
    Value rows = value_list(t->arena);
    for (uint32_t i = 0; i < count; i++) {
        push_row(t, rows, value_null(), arena_printf(t->arena, "%" PRIu32, values[i]));
    }
    return new_table(t, "uint32_t ", rows, count);
}

/* ---- enums: in the order of schema/spec.h ---- */

static void put_enum(Tables *t, Value members, const char *name, const char *const *names, uint32_t value)
{
    if (value != 0) {
        put(t, members, name, names[value]);
    }
}

static const char *const bools[] = {"SPEC_UNSET", "SPEC_TRUE", "SPEC_FALSE", "SPEC_NULL"};
static const char *const modes[] = {"SPEC_MODE_UNSET", "SPEC_INFERENCE", "SPEC_TRAINING"};
static const char *const conventions[] = {"SPEC_CONVENTION_UNSET", "SPEC_BOXED", "SPEC_DIRECT", "SPEC_AOTI"};
static const char *const rngs[] = {"SPEC_RNG_UNSET", "SPEC_RNG_NONE", "SPEC_RNG_FUNCTIONALIZED", "SPEC_RNG_GRAPHSAFE"};
static const char *const checks[] = {"SPEC_CHECK_UNSET", "SPEC_CHECK_NONE", "SPEC_CHECK_COUNT", "SPEC_CHECK_CHEAP",
                                     "SPEC_CHECK_FULL"};
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
#define ONE_NAME_EACH(names, last) _Static_assert(sizeof(names) / sizeof *(names) == (last) + 1, "one name for each")
ONE_NAME_EACH(bools, SPEC_NULL);
ONE_NAME_EACH(modes, SPEC_TRAINING);
ONE_NAME_EACH(conventions, SPEC_AOTI);
ONE_NAME_EACH(rngs, SPEC_RNG_GRAPHSAFE);
ONE_NAME_EACH(checks, SPEC_CHECK_FULL);
ONE_NAME_EACH(kinds, SPEC_NONE);
ONE_NAME_EACH(output_types, SPEC_CUSTOM_FUNCTION_VIEW);
ONE_NAME_EACH(memory_formats, SPEC_CHANNELS_LAST_3D);
ONE_NAME_EACH(ref_kinds, SPEC_REF_SYNTHETIC);
ONE_NAME_EACH(synthetic_kinds, SPEC_SYNTHETIC_VIEW_BASE);
ONE_NAME_EACH(view_ops, SPEC_VIEW__NEG_VIEW);

/* `x` is the struct, `m` its row. */
#define TEXT(member)        put_text(t, m, #member, x->member)
#define NUMBER(member)      put_number(t, m, #member, (int64_t)x->member)
#define ENUM(member, names) put_enum(t, m, #member, names, (uint32_t)x->member)
#define FLAG(member)        put_enum(t, m, #member, bools, (uint32_t)x->member)
#define INT(member)         put_int(t, m, #member, &x->member)
#define INTS(member)        put_ints(t, m, #member, &x->member)
#define NAMES(member)       put_names(t, m, #member, &x->member)
#define POINTER(member, address)                                                                                       \
    do {                                                                                                               \
        if (x->member != NULL) {                                                                                       \
            put(t, m, #member, (address));                                                                             \
        }                                                                                                              \
    } while (0)
#define REF(member)                                                                                                    \
    put(t, m, #member, arena_printf(t->arena, "{%s, %" PRIu32 "}", ref_kinds[x->member.kind], x->member.index))

/* A table of structs: `fill` writes one row. */
#define STRUCTS(Type)                                                                                                  \
    static const char *table_of_##Type(Tables *t, const Type *list, uint32_t count)                                    \
    {                                                                                                                  \
        Value rows = value_list(t->arena);                                                                             \
        for (uint32_t i = 0; i < count; i++) {                                                                         \
            Value members = value_list(t->arena);                                                                      \
            row_of_##Type(t, members, &list[i]);                                                                       \
            push_row(t, rows, members, NULL);                                                                          \
        }                                                                                                              \
        return count == 0 ? "NULL" : new_table(t, #Type " ", rows, count);                                             \
    }

#define LIST(Type, member)                                                                                             \
    POINTER(member, table_of_##Type(t, x->member, x->member##_count));                                                 \
    NUMBER(member##_count)
#define ONE(Type, member) POINTER(member, table_of_##Type(t, x->member, 1))

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
STRUCTS(SpecSymbol)

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
STRUCTS(SpecSubclassType)

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
    POINTER(member_index, numbers(t, x->member_index, x->members.text_count));
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
        push_row(t, rows, value_null(), values[i] ? "true" : "false");
    }
    return count == 0 ? "NULL" : new_table(t, "bool ", rows, count);
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
        POINTER(mutated_index, numbers(t, x->mutated_index, x->mutated_in_backward.text_count));
    }
    if (x->tangents_count > 0) {
        POINTER(tangent_order, numbers(t, x->tangent_order, x->tangents_count));
    }
    if (x->grad_inputs_count > 0) {
        POINTER(grad_input_order, numbers(t, x->grad_input_order, x->grad_inputs_count));
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
    ENUM(check, checks);
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
}
STRUCTS(SpecGraph)

static void row_of_Spec(Tables *t, Value m, const Spec *x)
{
    TEXT(prefix);
    TEXT(host);
    LIST(SpecSymbol, symbols);
    if (x->subclasses_count > 0) {
        put(t, m, "subclasses", t->subclass_types);
        NUMBER(subclasses_count);
    }
    LIST(SpecGraph, graphs);
}
STRUCTS(Spec)

/* Expressions point to each other and everything else to them: their table comes first, though it is known last. */
const char *selftest_tables(View *view, Arena *arena, Value list, const Spec *spec, uint32_t number)
{
    Tables t = {.view = view, .arena = arena, .list = value_list(arena), .spec = spec, .number = number};
    t.expressions = value_list(arena);
    t.subclass_types = table_of_SpecSubclassType(&t, spec->subclasses, spec->subclasses_count);
    const char *name = table_of_Spec(&t, spec, 1);
    const Value tables = t.list;
    t.list = list;
    if (spec->graphs_count == 0) { /* nobody would use them */
        return name;
    }
    if (t.num_expressions > 0) {
        add_table(&t, "Expr ", arena_printf(arena, "wg_selftest_%" PRIu32 "_expressions", number), t.expressions,
                  t.num_expressions, true);
    }
    for (uint32_t i = 0; i < tables.as.list->count; i++) {
        value_push(arena, list, tables.as.list->items[i]);
    }
    return name;
}
