/* SPDX-License-Identifier: MIT */
/*
 * view - turns ops into objects by the types of their operands alone: no op is known here by name, except for the two
 * things that ops.def cannot say (the C type of a loaded value, how many sizes a check compares).
 */
#include "view.h"

#include <inttypes.h>
#include <string.h>

#include "../algebra/geometry.h"
#include "view_private.h"

/* ---- putting values ---- */

const char *view_number(View *view, int64_t number)
{
    char digits[24]; /* the longest int64_t has 20 characters */
    char *next = digits + sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    if (number == INT64_MIN) {
        return "INT64_MIN";
    }
    do {
        *--next = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0) {
        *--next = '-';
    }
    return arena_copy(view->arena, next, (size_t)(digits + sizeof digits - next));
}

void view_put(View *view, Value object, uint32_t key, Value value)
{
    value_set(view->arena, object, key, value);
}

void view_put_text(View *view, Value object, uint32_t key, const char *text)
{
    value_set(view->arena, object, key, text == NULL ? value_null() : value_text(text));
}

void view_put_number(View *view, Value object, uint32_t key, int64_t number)
{
    value_set(view->arena, object, key, value_text(view_number(view, number)));
}

void view_put_bool(View *view, Value object, uint32_t key, bool truth)
{
    value_set(view->arena, object, key, value_bool(truth));
}

void view_originate(View *view, Value object, const void *where, const char *what)
{
    ViewOrigin *origin = ARENA_NEW(view->arena, ViewOrigin);
    *origin = (ViewOrigin){.where = where, .what = what};
    object.as.object->origin = origin;
}

static void originate_op(View *view, const Plan *plan, Value object, const Op *op)
{
    ViewOrigin *origin = ARENA_NEW(view->arena, ViewOrigin);
    *origin = (ViewOrigin){op->where, op_specs[op->kind].effect, plan->graph != NULL, op->layer};
    object.as.object->origin = origin;
}

void view_push_text(View *view, Value list, const char *text, uint32_t index, bool last)
{
    Value item = value_object(view->arena, 3);
    view_put_text(view, item, KEY_value, text);
    view_put_number(view, item, KEY_index, index);
    view_put_bool(view, item, KEY_last, last);
    value_push(view->arena, list, item);
}

void view_set(View *view, Value object, const char *key, Value value)
{
    value_set(view->arena, object, mustache_intern(view->engine, key), value);
}

void view_set_text(View *view, Value object, const char *key, const char *text)
{
    view_put_text(view, object, mustache_intern(view->engine, key), text);
}

const char *view_upper(View *view, const char *name)
{
    char *upper = arena_copy(view->arena, name, strlen(name));
    for (char *next = upper; *next != '\0'; next++) {
        *next = (char)(*next >= 'a' && *next <= 'z' ? *next - 'a' + 'A' : *next);
    }
    return upper;
}

const char *view_literal(View *view, const char *text)
{
    Str out = str_new(view->arena);
    if (text == NULL) {
        return "NULL";
    }
    str_put_c_literal(&out, text);
    return str_text(&out);
}

Value view_root(View *view)
{
    return value_object(view->arena, 8);
}

/* ---- operands ---- */

static const char *number_text(View *view, IntegerRef integer)
{
    if (integer.name == NULL) {
        return view_number(view, integer.literal);
    }
    return view->run != NULL ? fold_integer_in(view->fold, view->run, integer) : integer.name;
}

static Value integers_value(View *view, IntegerRefs integers)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < integers.count; i++) {
        view_push_text(view, list, number_text(view, integers.at[i]), i, i + 1 == integers.count);
    }
    return list;
}

/* Rules in the order of FactRule: template, constant. */
static const char *const fact_templates[] = {"condition/dtype",       "condition/rank",      "condition/size",
                                             "condition/stride",      "condition/offset",    "condition/device",
                                             "condition/device_type", "condition/alignment", "condition/lazy"};
static const char *const fact_constants[] = {"WG_RULE_DTYPE",       "WG_RULE_RANK",      "WG_RULE_SIZE",
                                             "WG_RULE_STRIDE",      "WG_RULE_OFFSET",    "WG_RULE_DEVICE",
                                             "WG_RULE_DEVICE_TYPE", "WG_RULE_ALIGNMENT", "WG_RULE_LAZY"};
_Static_assert(sizeof fact_templates == sizeof fact_constants, "one template and one constant per rule");
_Static_assert(sizeof fact_templates / sizeof *fact_templates == FACT_LAZY + 1, "one template per rule");

/* A number as C: by the name that core has for it where it is a dtype or a device. */
static const char *named_number(View *view, uint32_t key, int64_t number)
{
    const char *name = key == KEY_dtype    ? dtype_constant((int32_t)number)
                       : key == KEY_device ? device_constant(view->arena, number)
                                           : NULL;
    return name != NULL ? name : view_number(view, number);
}

static const char *expected_text(View *view, const Fact *fact)
{
    switch (fact->rule) {
    case FACT_DTYPE:
        return named_number(view, KEY_dtype, fact->expected.literal);
    case FACT_DEVICE:
        return named_number(view, KEY_device, fact->expected.literal);
    case FACT_DEVICE_TYPE:
        return device_type_constant(fact->expected.literal);
    case FACT_RANK:
    case FACT_SIZE:
    case FACT_STRIDE:
    case FACT_OFFSET:
    case FACT_ALIGNMENT:
    case FACT_LAZY:
        break;
    }
    return number_text(view, fact->expected);
}

Value view_facts(View *view, const Facts *facts)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < facts->count; i++) {
        const Fact *fact = &facts->at[i];
        Value item = value_object(view->arena, 4);
        view_put_text(view, item, KEY_condition, fact_templates[fact->rule]);
        view_put_text(view, item, KEY_constant, fact_constants[fact->rule]);
        view_put_number(view, item, KEY_dimension, fact->dimension);
        view_put_text(view, item, KEY_expected, expected_text(view, fact));
        value_push(view->arena, list, item);
    }
    return list;
}

const char *view_slot(const View *view, const Plan *plan, uint32_t operand, uint32_t slot)
{
    if (view->run != NULL) {
        return fold_slot_in(view->fold, view->run, view->position, operand, slot);
    }
    return view->fold != NULL ? fold_slot(view->fold, slot) : plan->slots[slot].text;
}

static void put_geometry(View *view, const Plan *plan, Value object, const PlanGeometry *geometry)
{
    view_put_bool(view, object, KEY_scalar, geometry->sizes.count == 0);
    view_put_bool(view, object, KEY_literal, geometry->literal);
    view_put_number(view, object, KEY_rank, geometry->sizes.count);
    view_put(view, object, KEY_sizes, integers_value(view, geometry->sizes));
    view_put(view, object, KEY_strides, integers_value(view, geometry->strides));
    view_put_text(view, object, KEY_offset, number_text(view, geometry->offset));
    view_put_text(view, object, KEY_size_from,
                  geometry->size_from < 0 ? NULL : view_slot(view, plan, 0, (uint32_t)geometry->size_from));
    view_put_text(view, object, KEY_stride_from,
                  geometry->stride_from < 0 ? NULL : view_slot(view, plan, 0, (uint32_t)geometry->stride_from));
}

static Value slots_value(View *view, const Plan *plan, uint32_t index, const Operand *operand)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < operand->num; i++) {
        view_push_text(view, list, view_slot(view, plan, index, operand->as.slots[i]), i, i + 1 == operand->num);
        view_put_bool(view, list.as.list->items[i], KEY_owned, plan->slots[operand->as.slots[i]].owned);
    }
    return list;
}

static Value dims_value(View *view, const Operand *operand)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < operand->num; i++) {
        view_push_text(view, list, view_number(view, operand->as.dims[i]), i, i + 1 == operand->num);
    }
    return list;
}

static Value sites_value(View *view, const Operand *operand)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < operand->num; i++) {
        view_push_text(view, list, operand->as.sites[i]->symbol, i, i + 1 == operand->num);
    }
    return list;
}

static const FoldTable *table_of(const View *view, uint32_t operand)
{
    return view->run == NULL ? NULL : fold_table(view->run, view->position, operand);
}

static void put_facts(View *view, Value object, uint32_t key, uint32_t operand, const Facts *facts)
{
    const FoldTable *table = table_of(view, operand);
    Value list = view_facts(view, facts);
    for (uint32_t i = 0; table != NULL && i < facts->count; i++) {
        view_put_text(view, list.as.list->items[i], KEY_expected,
                      arena_printf(view->arena, "%s[i][%" PRIu32 "].expected", table->name, i));
    }
    view_put(view, object, key, list);
    view_put_text(view, object, KEY_facts_table,
                  facts->count == 0 ? "NULL"
                  : table != NULL   ? arena_printf(view->arena, "%s[i]", table->name)
                                    : facts->symbol);
    view_put_number(view, object, KEY_facts_count, facts->count);
    view_put_bool(view, object, KEY_facts_here, !facts->literal);
}

static const char *site_text(View *view, uint32_t operand, const Site *site)
{
    const FoldTable *table = table_of(view, operand);
    return table == NULL ? site->symbol : arena_printf(view->arena, "%s[i]", table->name);
}

static const char *count_text(View *view, uint32_t key, uint32_t operand, int64_t count)
{
    return view->run == NULL ? named_number(view, key, count)
                             : fold_index(view->arena, count, view->run->strides[view->position][operand]);
}

static void put_operand(View *view, const Plan *plan, Value object, uint32_t key, uint32_t index,
                        const Operand *operand)
{
    switch (operand->type) {
    case OPERAND_NONE:
        break;
    case OPERAND_TENSOR:
        view_put_text(view, object, key, view_slot(view, plan, index, operand->as.slot));
        break;
    case OPERAND_INTEGER:
        view_put_text(view, object, key,
                      operand->as.integer.name == NULL ? named_number(view, key, operand->as.integer.literal)
                                                       : number_text(view, operand->as.integer));
        break;
    case OPERAND_INTEGERS:
        view_put(view, object, key, integers_value(view, operand->as.integers));
        view_put_number(view, object, KEY_sizes_count, operand->as.integers.count);
        view_put_bool(view, object, KEY_has_sizes, operand->as.integers.count > 0);
        break;
    case OPERAND_REAL:
        view_put_text(view, object, key, view_number(view, operand->as.bits));
        break;
    case OPERAND_COUNT:
        view_put_text(view, object, key, count_text(view, key, index, operand->as.count));
        break;
    case OPERAND_TEXT:
    case OPERAND_NAME:
        view_put_text(view, object, key, operand->as.text);
        break;
    case OPERAND_SITE:
        view_put_text(view, object, key, site_text(view, index, operand->as.site));
        break;
    case OPERAND_FACTS:
        put_facts(view, object, key, index, operand->as.facts);
        break;
    case OPERAND_GEOMETRY:
        put_geometry(view, plan, object, operand->as.geometry);
        break;
    case OPERAND_DTYPE:
        view_put_text(view, object, key, operand->as.dtype < 0 ? NULL : dtype_constant(operand->as.dtype));
        break;
    case OPERAND_FLAG:
        view_put_text(view, object, key, operand->as.flag ? "1" : "0");
        break;
    case OPERAND_VALUES:
        view_put(view, object, key, slots_value(view, plan, index, operand));
        view_put_number(view, object, KEY_num_values, operand->num);
        break;
    case OPERAND_DIMS:
        view_put(view, object, key, dims_value(view, operand));
        view_put_number(view, object, KEY_dims_count, operand->num);
        break;
    case OPERAND_SITES:
        view_put(view, object, key, sites_value(view, operand));
        view_put_number(view, object, KEY_num_values, operand->num);
        break;
    }
}

/* ---- ops ---- */

static void put_loaded_type(View *view, Value object, const Slot *slot)
{
    const bool real = slot->type == SLOT_REAL;
    const bool pointer = slot->type == SLOT_POINTER;
    view_put_text(view, object, KEY_dst_type, real ? "const double " : pointer ? "void *const " : "const int64_t ");
    view_put_text(view, object, KEY_dst_member, real ? "real" : pointer ? "pointer" : "integer");
}

/* The origin of an op is given once for consecutive ops with the same origin. */
static const char *op_origin(const Op *op, const char **last)
{
    if (*last != NULL && str_equal(*last, op->path)) {
        return NULL;
    }
    *last = op->path;
    return op->kind == OP_section ? NULL : op->path;
}

/* Any template of a call then calls that, the user's too. Generators belong to one graph. */
static void put_shared(View *view, Value op, OpKind kind)
{
    if (kind == OP_generator) {
        view_put_text(view, op, KEY_owner, view->shares ? "own" : NULL);
    }
    if (view->shares && (kind == OP_call_boxed || kind == OP_call_direct || kind == OP_call_model)) {
        view_put_text(view, op, view_names(view, kind)->operands[0],
                      kind == OP_call_model ? "*own->compiled" : "own->compiled");
    }
}

Value view_op(View *view, const Plan *plan, const Op *op, const char **last)
{
    const ViewNames *names = view_names(view, op->kind);
    Value object = value_object(view->arena, names->num_operands + 5);
    originate_op(view, plan, object, op);
    view_put(view, object, KEY_op, names->template);
    const char *origin = op_origin(op, last);
    view_put_text(view, object, KEY_origin, origin != NULL ? view_place(view, plan, origin) : NULL);
    if (op->kind == OP_section) {
        view_put_text(view, object, KEY_path,
                      view->run == NULL ? op->path : arena_printf(view->arena, "%s ...", op->path));
    } else if (op->kind == OP_load_value) {
        put_loaded_type(view, object, &plan->slots[op->operands[0].as.slot]);
    }
    for (uint32_t i = 0; i < names->num_operands; i++) {
        put_operand(view, plan, object, names->operands[i], i, &op->operands[i]);
    }
    put_shared(view, object, op->kind);
    if (op->body != NULL) {
        view_put(view, object, KEY_body, view_ops(view, plan, op->body));
    }
    return object;
}

Value view_ops(View *view, const Plan *plan, const OpList *list)
{
    Value ops = value_list(view->arena);
    const char *last = NULL;
    for (const Op *op = list->first; op != NULL; op = op->next) {
        value_push(view->arena, ops, view_op(view, plan, op, &last));
    }
    return ops;
}

/* ---- the view itself ---- */

const ViewNames *view_names(View *view, OpKind kind)
{
    ViewNames *names = view->ops[kind];
    if (names == NULL) {
        view->ops[kind] = names = ARENA_NEW(view->lasting, ViewNames);
        names->template = value_text(arena_printf(view->lasting, "op/%s", op_specs[kind].name));
        names->num_operands = op_num_operands(kind);
        for (uint32_t i = 0; i < names->num_operands; i++) {
            names->operands[i] = mustache_intern(view->engine, op_specs[kind].operands[i].name);
        }
    }
    return names;
}

void view_tell(View *view)
{
    view->tells = true;
}

void view_plain(View *view)
{
    view->plain = true;
}

void view_use(View *view, Arena *arena)
{
    view->arena = arena;
}

void view_loop_from(View *view, uint32_t num_ops)
{
    view->loop_from = num_ops;
}

View *view_new(Arena *arena, MustacheEngine *engine)
{
    View *view = ARENA_NEW(arena, View);
    view->loop_from = FOLD_LEAST_OPS;
    view->arena = arena;
    view->lasting = arena;
    view->engine = engine;
    if (mustache_num_frozen(engine) == 0) {
        /* clang-format off */
#define KEY(key_name) (void)mustache_intern(engine, #key_name);
#include "view_keys.def"
#undef KEY
        /* clang-format on */
    }
    return view;
}

void view_dump(const View *view, Value value, int indent, Str *out)
{
    switch (value.kind) {
    case VALUE_NULL:
        str_puts(out, " null\n");
        break;
    case VALUE_FALSE:
        str_puts(out, " false\n");
        break;
    case VALUE_TRUE:
        str_puts(out, " true\n");
        break;
    case VALUE_TEXT:
        str_putc(out, ' ');
        str_put_json(out, arena_copy(view->arena, value.as.text.data, value.as.text.length));
        str_putc(out, '\n');
        break;
    case VALUE_LIST:
        str_puts(out, value.as.list->count == 0 ? " []\n" : "\n");
        for (uint32_t i = 0; i < value.as.list->count; i++) {
            str_printf(out, "%*s-", indent, "");
            view_dump(view, value.as.list->items[i], indent + 2, out);
        }
        break;
    case VALUE_OBJECT:
        str_putc(out, '\n');
        for (uint32_t i = 0; i < value.as.object->count; i++) {
            const ValueEntry *entry = &value.as.object->entries[i];
            str_printf(out, "%*s%s:", indent, "", mustache_name(view->engine, entry->key));
            view_dump(view, entry->value, indent + 2, out);
        }
        break;
    }
}

/* ---- locals ---- */
