/* SPDX-License-Identifier: MIT */
/*
 * view_kernel - a kernel as an object: the structs of its arguments, how values are taken out of an array, and
 * defaults.
 */
#include <inttypes.h>
#include <string.h>

#include "../algebra/expr.h"
#include "../algebra/geometry.h"
#include "view_private.h"

enum { PROOF_MOST_ITEMS = 4 };

/* ---- comments on members: "float16|bfloat16, rank 1..4, may be null" ---- */

static void comment_condition(const char *what, const char *text, Str *out)
{
    if (text != NULL) {
        str_printf(out, ", %s ", what);
        str_put_c_comment(out, text);
    }
}

static const char *arg_comment(View *view, const KernelArg *arg)
{
    Str out = str_new(view->arena);
    str_puts(&out, spec_kind_text(arg->kind));
    if (arg->spec->dtype != NULL) {
        str_puts(&out, " of ");
        str_put_c_comment(&out, arg->spec->dtype);
    }
    comment_condition("rank", arg->spec->ndim, &out);
    comment_condition("length", arg->spec->length, &out);
    if (arg->kind == SPEC_BOOLEAN) {
        str_puts(&out, ", 0 or 1");
    }
    if (arg->kind == SPEC_DEVICE) {
        str_puts(&out, ", type * 256 + index");
    }
    str_puts(&out, spec_is(arg->spec->constexpr_value) ? ", its value is part of the key" : "");
    if (arg->kind == SPEC_ALWAYS_NULL) {
        str_puts(&out, ", always NULL");
    } else if (spec_is(arg->spec->nullable)) {
        str_puts(&out, ", may be NULL");
    }
    comment_condition("default", arg->spec->default_value, &out);
    return str_text(&out);
}

/* ---- structs ---- */

/* "demo_matmul_args_opts" for its c_type, which ends with a space. */
static const char *type_name(View *view, const KernelArg *arg)
{
    return arena_copy(view->arena, arg->c_type, strlen(arg->c_type) - 1);
}

static const char *member_type(View *view, const KernelArg *arg)
{
    return arg->by_address ? arena_printf(view->arena, "const %s*", arg->c_type) : arg->c_type;
}

/* The function of a proof that makes any such value is called wg_proof_ and then this. */
static const char *made_text(View *view, const KernelArg *arg)
{
    const char *proof = kind_specs[arg->kind].proof;
    const char *word = proof != NULL ? proof : type_name(view, arg);
    return arg->by_address ? arena_printf(view->arena, "address_%s", word) : word;
}

static Value field_value(View *view, const char *c_type, const char *name, const char *comment)
{
    Value item = value_object(view->arena, 16);
    view_put_text(view, item, KEY_c_type, c_type);
    view_put_text(view, item, KEY_name, name);
    view_put_text(view, item, KEY_comment, comment);
    return item;
}

/* For a list: the array, whose elements are not written to, and their number. */
static Value list_fields(View *view, const KernelArg *list)
{
    Value fields = value_list(view->arena);
    const char *element = member_type(view, list->items);
    const size_t length = strlen(element);
    const bool pointer = element[length - 1] == '*';
    const char *array =
        pointer ? arena_printf(view->arena, "%sconst *", element) : arena_printf(view->arena, "const %s*", element);
    value_push(view->arena, fields, field_value(view, array, "items", arg_comment(view, list->items)));
    value_push(view->arena, fields, field_value(view, "size_t ", "count", "of items"));
    return fields;
}

static Value struct_fields(View *view, const KernelArg *items, uint32_t num_items)
{
    Value fields = value_list(view->arena);
    for (uint32_t i = 0; i < num_items; i++) {
        Value item = field_value(view, member_type(view, &items[i]), items[i].name, arg_comment(view, &items[i]));
        view_put_text(view, item, KEY_made, made_text(view, &items[i]));
        value_push(view->arena, fields, item);
    }
    return fields;
}

static bool may_be_no_tensor(const KernelArg *arg)
{
    return arg->kind == SPEC_TENSOR && spec_is(arg->spec->nullable);
}

/* The length of the longest list that a proof calls with: the most items that are allowed, up to PROOF_MOST_ITEMS. */
static uint32_t num_many(const KernelArg *list)
{
    uint32_t num_items = PROOF_MOST_ITEMS;
    while (num_items > 0 && (list->lengths >> num_items & 1) == 0) {
        num_items--;
    }
    return num_items;
}

/* Inner ones first, as C wants them. */
static void add_types(View *view, Value types, const KernelArg *arg)
{
    for (uint32_t i = 0; i < arg->num_items; i++) {
        add_types(view, types, &arg->items[i]);
    }
    if (!kind_is_container(arg->kind)) {
        return;
    }
    const bool list = arg->kind == SPEC_LIST;
    Value type = value_object(view->arena, 8);
    view_put_text(view, type, KEY_type, type_name(view, arg));
    view_put_text(view, type, KEY_element_type, list ? member_type(view, arg->items) : NULL);
    view_put_text(view, type, KEY_made, list ? made_text(view, arg->items) : NULL);
    view_put_text(view, type, KEY_many, list ? arena_printf(view->arena, "%u", num_many(arg)) : NULL);
    view_put_bool(view, type, KEY_may_be_no_tensor, list && may_be_no_tensor(arg->items));
    view_put_text(view, type, KEY_comment, arena_printf(view->arena, "%s: %s", arg->dotted, arg_comment(view, arg)));
    view_put(view, type, KEY_fields, list ? list_fields(view, arg) : struct_fields(view, arg->items, arg->num_items));
    value_push(view->arena, types, type);
}

/* ---- defaults and unboxing ---- */

/* A default as a C expression of the argument's type. */
static const char *default_text(View *view, const KernelArg *arg)
{
    const char *text = arg->spec->default_value;
    int64_t integer = 0;
    int32_t type = 0;
    int32_t index = 0;
    if (text == NULL) {
        return NULL;
    }
    switch (arg->kind) {
    case SPEC_INT:
        (void)expr_parse_integer(text, &integer);
        return view_number(view, integer);
    case SPEC_BOOLEAN:
        return str_equal(text, "true") ? "1" : "0";
    case SPEC_FLOAT:
        return strpbrk(text, ".eE") != NULL ? text : arena_printf(view->arena, "%s.0", text);
    case SPEC_STRING:
        return view_literal(view, text);
    case SPEC_DTYPE:
        return dtype_constant(dtype_parse(text));
    case SPEC_DEVICE:
        (void)device_parse(text, &type, &index);
        return device_constant(view->arena, (int64_t)type * 256 + (index < 0 ? 0 : index));
    case SPEC_KIND_UNSET:
    case SPEC_OPAQUE:
    case SPEC_NONE:
    case SPEC_TENSOR:
    case SPEC_ALWAYS_NULL:
    case SPEC_TUPLE:
    case SPEC_LIST:
    case SPEC_RECORD:
        break;
    }
    return NULL;
}

/* The member of WgValue that holds it; null for an int32_t, which is cut from the integer. */
static const char *value_member(const KernelArg *arg)
{
    return kind_is_int32(arg->kind) ? NULL : plan_slot_member(plan_slot_type(arg->kind));
}

/* The value of a member as a WgValue. */
static const char *boxed_text(View *view, const KernelArg *arg)
{
    const char *member = arg->by_address ? "pointer" : value_member(arg);
    const bool pointer = member != NULL && str_equal(member, "pointer");
    return arena_printf(view->arena, "wg_value_%s(%sargs.%s)", member != NULL ? member : "integer",
                        pointer ? "(void *)(uintptr_t)" : "", arg->name); /* which may be const */
}

uint32_t view_num_required(const Kernel *kernel)
{
    uint32_t n = kernel->num_args;
    while (n > 0 &&
           (kernel->args[n - 1].spec->default_value != NULL || spec_is(kernel->args[n - 1].spec->default_null))) {
        n--;
    }
    return n;
}

static Value args_value(View *view, const Kernel *kernel)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        const KernelArg *arg = &kernel->args[i];
        const bool container = arg->num_items > 0 || arg->kind == SPEC_TUPLE || arg->kind == SPEC_RECORD;
        Value item = field_value(view, member_type(view, arg), arg->name, arg_comment(view, arg));
        view_put_number(view, item, KEY_index, i);
        view_put_text(view, item, KEY_made, made_text(view, arg));
        view_put_text(view, item, KEY_argument_literal, view_literal(view, arg->name));
        view_put_bool(view, item, KEY_optional, i >= view_num_required(kernel));
        view_put_bool(view, item, KEY_by_copy, container && !arg->by_address);
        view_put_bool(view, item, KEY_may_be_no_tensor, may_be_no_tensor(arg));
        view_put_bool(view, item, KEY_may_be_no_list, arg->kind == SPEC_LIST && arg->by_address);
        view_put_bool(view, item, KEY_by_address, arg->by_address);
        view_put_text(view, item, KEY_type, container ? type_name(view, arg) : NULL);
        view_put_text(view, item, KEY_value_type, arg->c_type);
        view_put_text(view, item, KEY_member, value_member(arg));
        view_put_text(view, item, KEY_default_value, default_text(view, arg));
        view_put_text(view, item, KEY_boxed, boxed_text(view, arg));
        value_push(view->arena, list, item);
    }
    return list;
}

/* A plan that is a function: {sites, overflow, ops}. */
static Value function_value(View *view, const Plan *plan, const char *kernel_literal)
{
    Value object = value_object(view->arena, 3);
    view_sites(view, plan, object, kernel_literal);
    view_put_bool(view, object, KEY_overflow, view_notes_overflow(plan));
    view_put(view, object, KEY_ops, view_ops(view, plan, &plan->ops));
    return object;
}

static void push_item(View *view, Value list, const char *name, const char *kind, const KernelArg *arg,
                      uint32_t num_items, const Kernel *kernel)
{
    Value item = value_object(view->arena, 6);
    view_put_text(view, item, KEY_name, view_literal(view, name));
    view_put_text(view, item, KEY_kind, kind);
    view_put_number(view, item, KEY_nullable, arg != NULL && spec_is(arg->spec->nullable));
    view_put_number(view, item, KEY_by_value, arg != NULL && spec_is(arg->spec->constexpr_value));
    view_put_number(view, item, KEY_static_shapes, spec_is(kernel->spec->static_shapes));
    view_put_number(view, item, KEY_num_items, num_items);
    value_push(view->arena, list, item);
}

static void push_items(View *view, Value list, const KernelArg *arg, bool named, const Kernel *kernel)
{
    push_item(view, list, named ? arg->name : NULL, kind_specs[arg->kind].key, arg, arg->num_items, kernel);
    for (uint32_t i = 0; i < arg->num_items; i++) {
        push_items(view, list, &arg->items[i], arg->kind == SPEC_RECORD, kernel);
    }
}

/* Of an expression also the numbers in it, which a key holds where one of them is symbolic. */
static void push_extra(View *view, Value list, const SpecExtra *extra, const Kernel *kernel)
{
    if (extra->expr.text == NULL) {
        const char *of = extra->of == SPEC_EXTRA_SIZE ? "size" : "stride";
        push_item(view, list, arena_printf(view->arena, "%s.%s.%s", extra->arg, of, extra->dim.text),
                  "WG_KEY_KIND_EXTRA", NULL, 0, kernel);
        return;
    }
    push_item(view, list, arena_printf(view->arena, "(%s)", extra->expr.text), "WG_KEY_KIND_FORMULA", NULL,
              extra->where_count, kernel);
    for (uint32_t i = 0; i < extra->where_count; i++) {
        const bool size = extra->where[i].of == SPEC_NUMBER_SIZE;
        push_item(view, list, extra->where[i].symbol, size ? "WG_KEY_KIND_EXTRA" : "WG_KEY_KIND_NUMBER", NULL, 0,
                  kernel);
    }
}

/* The table for printing a key. */
static Value items_value(View *view, const Kernel *kernel)
{
    const SpecKernel *spec = kernel->spec;
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        push_items(view, list, &kernel->args[i], true, kernel);
    }
    for (uint32_t i = 0; i < spec->extra_count; i++) {
        push_extra(view, list, &spec->extra[i], kernel);
    }
    for (uint32_t i = 0; i < spec->key_extra.text_count; i++) {
        push_item(view, list, spec->key_extra.text[i], "WG_KEY_KIND_NUMBER", NULL, 0, kernel);
    }
    return list;
}

static bool has_key_extra(const Kernel *kernel, const char *name)
{
    for (uint32_t i = 0; i < kernel->spec->key_extra.text_count; i++) {
        if (str_equal(kernel->spec->key_extra.text[i], name)) {
            return true;
        }
    }
    return false;
}

static void put_key(View *view, const Kernel *kernel, Value object, const char *literal)
{
    view_put(view, object, KEY_check,
             kernel->check != NULL ? function_value(view, kernel->check, literal) : value_null());
    view_put_text(view, object, KEY_check_level, kernel->spec->check == SPEC_CHECK_NONE ? "none" : "count");
    view_put_bool(view, object, KEY_counts, kernel->spec->check >= SPEC_CHECK_COUNT);
    view_put_bool(view, object, KEY_tests, kernel->check != NULL);
    view_put_bool(view, object, KEY_tests_first, kernel->spec->check == SPEC_CHECK_FULL);
    view_put(view, object, KEY_key, function_value(view, kernel->key, literal));
    if (kernel_has_tensor(kernel)) {
        view_put(view, object, KEY_key_any, function_value(view, kernel->key_any, literal));
    } else {
        view_put_bool(view, object, KEY_key_any, false);
    }
    view_put_bool(view, object, KEY_holds_same, kernel_holds_same(kernel));
    view_put_number(view, object, KEY_most_tensors, (int64_t)kernel_most_tensors(kernel));
    view_put_bool(view, object, KEY_packs, kernel_has_tensor(kernel) && spec_is(kernel->spec->static_shapes));
    view_put_bool(view, object, KEY_has_usual, kernel_usual_words(kernel) > 0);
    view_put_number(view, object, KEY_usual_words, (int64_t)kernel_usual_words(kernel));
    Value items = items_value(view, kernel);
    view_put(view, object, KEY_items, items);
    view_put_bool(view, object, KEY_has_items, items.as.list->count > 0);
    view_put_number(view, object, KEY_num_items, items.as.list->count);
    view_put_number(view, object, KEY_key_words, kernel->key_words);
    view_put_number(view, object, KEY_key_room, kernel->key_words > 0 ? kernel->key_words : 1);
    view_put_bool(view, object, KEY_extra, kernel->spec->key_extra.text_count > 0);
    view_put_bool(view, object, KEY_capability, has_key_extra(kernel, "capability"));
    view_put_bool(view, object, KEY_distributed, has_key_extra(kernel, "distributed"));
    view_put_bool(view, object, KEY_user, has_key_extra(kernel, "user"));
}

Value view_kernel(View *view, const Kernel *kernel)
{
    Value object = value_object(view->arena, 40);
    Value types = value_list(view->arena);
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        add_types(view, types, &kernel->args[i]);
    }
    view_put_text(view, object, KEY_symbol, kernel->symbol);
    view_put_text(view, object, KEY_upper, view_upper(view, kernel->symbol));
    view_put_text(view, object, KEY_path, kernel->path);
    view_put_text(view, object, KEY_graph_literal, view_literal(view, kernel->spec->name));
    view_put(view, object, KEY_types, types);
    view_put(view, object, KEY_args, args_value(view, kernel));
    view_put_number(view, object, KEY_num_args, kernel->num_args);
    view_put_number(view, object, KEY_required, view_num_required(kernel));
    view_put_bool(view, object, KEY_has_required, view_num_required(kernel) > 0);
    view_put_bool(view, object, KEY_fills_in, view_num_required(kernel) < kernel->num_args);
    view_put(view, object, KEY_dispatch, view_dispatch(view, kernel));
    view_put_bool(view, object, KEY_has_args, kernel->num_args > 0);
    put_key(view, kernel, object, view_literal(view, kernel->spec->name));
    return object;
}
