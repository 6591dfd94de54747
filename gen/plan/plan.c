/* SPDX-License-Identifier: MIT */
/*
 * plan - building blocks of plans: slots, sites, ops, operands, and the text form.
 *
 * Nothing here knows what an op means; ops.def says which operands it has, and lowering decides which op comes when.
 */
#include "plan.h"

#include <inttypes.h>
#include <string.h>

/* clang-format off */
#define USE(operand, operand_type) {#operand, OPERAND_##operand_type, OPERAND_USE, false},
#define DEF(operand, operand_type) {#operand, OPERAND_##operand_type, OPERAND_DEF, false},
#define OWN(operand, operand_type) {#operand, OPERAND_##operand_type, OPERAND_OWN, false},
#define END(operand, operand_type) {#operand, OPERAND_##operand_type, OPERAND_END, false},
#define AT(operand)                {#operand, OPERAND_COUNT, OPERAND_USE, true},
#define BODY                       {"body", OPERAND_NONE, OPERAND_USE, false},
#define NOTHING                    {"", OPERAND_NONE, OPERAND_USE, false},
const OpSpec op_specs[OP_COUNT] = {
#define OP(op_name, op_effect, op_operands) {#op_name, op_effect, {op_operands}},
#include "ops.def"
#undef OP
};
#undef USE
#undef DEF
#undef OWN
#undef END
#undef AT
#undef BODY
#undef NOTHING

/* A text that fills its array would have no terminator. */
#define FITS(text, room)           _Static_assert(sizeof text <= room, "a text of an op is too long");
#define USE(operand, operand_type) FITS(#operand, OP_NAME)
#define DEF(operand, operand_type) FITS(#operand, OP_NAME)
#define OWN(operand, operand_type) FITS(#operand, OP_NAME)
#define END(operand, operand_type) FITS(#operand, OP_NAME)
#define AT(operand)                FITS(#operand, OP_NAME)
#define BODY
#define NOTHING
#define OP(op_name, op_effect, op_operands) FITS(#op_name, OP_NAME) FITS(op_effect, OP_EFFECT) op_operands
#include "ops.def"
#undef OP
/* clang-format on */

bool op_has_body(OpKind kind)
{
    const OperandSpec *operand = op_specs[kind].operands;
    while (operand->name[0] != '\0' && operand->type != OPERAND_NONE) {
        operand++;
    }
    return operand->name[0] != '\0';
}

bool op_is_call(OpKind kind)
{
    return kind == OP_call_boxed || kind == OP_call_direct || kind == OP_call_model || kind == OP_call_variant;
}

uint32_t op_num_operands(OpKind kind)
{
    uint32_t n = 0;
    while (op_specs[kind].operands[n].name[0] != '\0' && op_specs[kind].operands[n].type != OPERAND_NONE) {
        n++;
    }
    return n;
}

/* Makes room for one more in a growing array of the plan's arena. */
static void *plan_room(Arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity) {
        return array;
    }
    const uint32_t wider = *capacity == 0 ? 16 : *capacity * 2;
    void *grown = arena_grow(arena, array, (size_t)*capacity * size, (size_t)wider * size);
    *capacity = wider;
    return grown;
}

const char *plan_slot_member(SlotType type)
{
    static const char *const members[] = {
        [SLOT_TENSOR] = "tensor", [SLOT_INTEGER] = "integer", [SLOT_REAL] = "real", [SLOT_POINTER] = "pointer"};
    return members[type];
}

SlotType plan_slot_type(SpecKind kind)
{
    static const SlotType types[] = {
#define KIND(KIND, form, values, c_type, slot, proof, key, python, annotation, article, note)                          \
    [SPEC_##KIND] = SLOT_##slot,
#include "../facts/kinds.def"
#undef KIND
    };
    return types[kind];
}

const char *plan_graph_path(Arena *arena, const Spec *spec, uint32_t graph_index)
{
    return spec->places_by_name ? arena_printf(arena, "graphs[%s]", spec->graphs[graph_index].name)
                                : arena_printf(arena, "graphs[%" PRIu32 "]", graph_index);
}

Plan *plan_new(Arena *arena, const Spec *spec, uint32_t graph_index, const char *prefix)
{
    Plan *plan = ARENA_NEW(arena, Plan);
    plan->arena = arena;
    plan->spec = spec;
    plan->graph_index = graph_index;
    plan->graph = &spec->graphs[graph_index];
    plan->symbol = arena_printf(arena, "%s%s", prefix, plan->graph->name);
    plan->path = plan_graph_path(arena, spec, graph_index);
    plan->facts = derive_facts(arena, plan->graph);
    table_init(&plan->site_names, arena);
    table_init(&plan->fact_names, arena);
    return plan;
}

Plan *plan_new_function(Arena *arena, const Spec *spec, const char *symbol, const char *path)
{
    Plan *plan = ARENA_NEW(arena, Plan);
    plan->arena = arena;
    plan->spec = spec;
    plan->symbol = symbol;
    plan->path = path;
    table_init(&plan->site_names, arena);
    table_init(&plan->fact_names, arena);
    return plan;
}

uint32_t plan_slot(Plan *plan, SlotRole role, SlotType type, uint32_t index, const char *text, const char *name)
{
    plan->slots = plan_room(plan->arena, plan->slots, plan->num_slots, &plan->slots_capacity, sizeof(Slot));
    Slot *slot = &plan->slots[plan->num_slots];
    slot->role = role;
    slot->type = type;
    slot->index = index;
    slot->text = text;
    slot->name = name;
    slot->owned = role == SLOT_TEMPORARY || (role == SLOT_RESULT && type == SLOT_TENSOR);
    return plan->num_slots++;
}

const Site *plan_site_of(Plan *plan, const char *suffix, const char *argument, const char *rule, const char *code,
                         const char *kind)
{
    const char *symbol = suffix == NULL ? arena_printf(plan->arena, "site_%s", rule)
                                        : arena_printf(plan->arena, "site_%s_%s", rule, suffix);
    const TableEntry *known = table_add(&plan->site_names, symbol, strlen(symbol), 0, plan->num_sites);
    if (known != NULL) {
        return plan->sites[known->index];
    }
    plan->sites = plan_room(plan->arena, plan->sites, plan->num_sites, &plan->sites_capacity, sizeof(Site *));
    Site *site = ARENA_NEW(plan->arena, Site);
    site->symbol = symbol;
    site->argument = argument;
    site->rule = rule;
    site->code = code;
    site->kind = kind;
    plan->sites[plan->num_sites++] = site;
    return site;
}

const Site *plan_site_saying(Plan *plan, const char *suffix, const char *argument, const char *rule, const char *code,
                             const char *kind, const char *text)
{
    const Site *site = plan_site_of(plan, suffix, argument, rule, code, kind);
    uint32_t i = plan->num_sites; /* most often it is the newest */
    while (plan->sites[--i] != site) {
    }
    plan->sites[i]->rule = text;
    return site;
}

void plan_value(Plan *plan, PlanValues *values, PlanValue value)
{
    if (values->count == values->capacity) {
        const uint32_t wider = values->capacity == 0 ? 16 : values->capacity * 2;
        values->at =
            arena_grow(plan->arena, values->at, values->capacity * sizeof(PlanValue), wider * sizeof(PlanValue));
        values->capacity = wider;
    }
    values->at[values->count++] = value;
}

const Site *plan_site(Plan *plan, const char *argument, const char *rule, const char *code, const char *kind)
{
    return plan_site_of(plan, argument, argument, rule, code, kind);
}

/* The same text for the same facts if all of them are literals: three numbers each. Null if one is not. */
static const char *facts_key(Plan *plan, const Fact *at, uint32_t count)
{
    int64_t *key = ARENA_ARRAY(plan->arena, int64_t, (size_t)count * 3);
    bool literal = true;
    for (uint32_t i = 0; i < count && literal; i++) {
        literal = at[i].expected.name == NULL;
        key[i * 3] = at[i].rule;
        key[i * 3 + 1] = at[i].dimension;
        key[i * 3 + 2] = at[i].expected.literal;
    }
    return literal ? (const char *)key : NULL;
}

const Facts *plan_facts(Plan *plan, const char *role, const char *suffix, const Fact *at, uint32_t count)
{
    const char *key = facts_key(plan, at, count);
    const TableEntry *known =
        key == NULL ? NULL : table_add(&plan->fact_names, key, count * 3 * sizeof(int64_t), 0, plan->num_fact_tables);
    if (known != NULL) {
        return plan->fact_tables[known->index];
    }
    plan->fact_tables =
        plan_room(plan->arena, plan->fact_tables, plan->num_fact_tables, &plan->fact_tables_capacity, sizeof(Facts *));
    Facts *facts = ARENA_NEW(plan->arena, Facts);
    facts->symbol = arena_printf(plan->arena, "%s_%s", role, suffix);
    facts->at = at;
    facts->count = count;
    facts->literal = key != NULL;
    plan->fact_tables[plan->num_fact_tables++] = facts;
    return facts;
}

Op *plan_emit(Plan *plan, OpList *list, OpKind kind, const char *path, const void *where, const Operand *operands)
{
    Op *op = ARENA_NEW(plan->arena, Op);
    op->kind = kind;
    op->section = plan->section;
    op->layer = plan->section != NULL ? plan->section->layer : LAYER_arguments;
    op->path = path;
    op->where = where;
    for (uint32_t i = 0; operands != NULL && i < OP_MAX_OPERANDS && operands[i].type != OPERAND_NONE; i++) {
        op->operands[i] = operands[i];
    }
    if (op_has_body(kind)) {
        op->body = ARENA_NEW(plan->arena, OpList);
    }
    if (list->last == NULL) {
        list->first = op;
    } else {
        list->last->next = op;
    }
    list->last = op;
    plan->num_ops++;
    return op;
}

/* ---- operands ---- */

Operand operand_tensor(uint32_t slot)
{
    return (Operand){.type = OPERAND_TENSOR, .as.slot = slot};
}

Operand operand_integer(IntegerRef integer)
{
    return (Operand){.type = OPERAND_INTEGER, .as.integer = integer};
}

Operand operand_literal(int64_t value)
{
    return operand_integer((IntegerRef){NULL, value, 0});
}

Operand operand_integers(const IntegerRef *at, uint32_t count)
{
    return (Operand){.type = OPERAND_INTEGERS, .as.integers = {at, count}};
}

Operand operand_real(int64_t bits)
{
    return (Operand){.type = OPERAND_REAL, .as.bits = bits};
}

Operand operand_count(int64_t count)
{
    return (Operand){.type = OPERAND_COUNT, .as.count = count};
}

Operand operand_text(const char *text)
{
    return (Operand){.type = OPERAND_TEXT, .as.text = text};
}

Operand operand_name(const char *name)
{
    return (Operand){.type = OPERAND_NAME, .as.text = name};
}

Operand operand_site(const Site *site)
{
    return (Operand){.type = OPERAND_SITE, .as.site = site};
}

Operand operand_facts(const Facts *facts)
{
    return (Operand){.type = OPERAND_FACTS, .as.facts = facts};
}

Operand operand_geometry(const PlanGeometry *geometry)
{
    return (Operand){.type = OPERAND_GEOMETRY, .as.geometry = geometry};
}

Operand operand_dtype(int32_t dtype)
{
    return (Operand){.type = OPERAND_DTYPE, .as.dtype = dtype};
}

Operand operand_flag(bool flag)
{
    return (Operand){.type = OPERAND_FLAG, .as.flag = flag};
}

Operand operand_values(const uint32_t *slots, uint32_t num)
{
    return (Operand){.type = OPERAND_VALUES, .as.slots = slots, .num = num};
}

Operand operand_dims(const int64_t *dims, uint32_t num)
{
    return (Operand){.type = OPERAND_DIMS, .as.dims = dims, .num = num};
}

Operand operand_sites(const Site *const *sites, uint32_t num)
{
    return (Operand){.type = OPERAND_SITES, .as.sites = sites, .num = num};
}

uint32_t plan_scratch(const Plan *plan)
{
    return plan == NULL ? 0 : plan->scratch > plan->scratch_before ? plan->scratch : plan->scratch_before;
}

/* ---- unused ops ---- */

typedef struct Uses {
    const Plan *plan;
    bool *slots;
    bool *integers;
    uint32_t num_arguments;
} Uses;

static void use_integers(Uses *uses, IntegerRefs integers)
{
    for (uint32_t i = 0; i < integers.count; i++) {
        if (integers.at[i].name != NULL) {
            uses->integers[integers.at[i].id] = true;
        }
    }
}

static void use_operand(Uses *uses, const Operand *operand)
{
    switch (operand->type) {
    case OPERAND_TENSOR:
        uses->slots[operand->as.slot] = true;
        break;
    case OPERAND_VALUES:
        for (uint32_t i = 0; i < operand->num; i++) {
            const uint32_t slot = operand->as.slots[i];
            uses->slots[slot] = true;
            if (slot < uses->num_arguments) {
                uses->integers[slot] = true;
            } else if (uses->plan->slots[slot].role == SLOT_CONSTANT && uses->plan->slots[slot].type == SLOT_INTEGER) {
                uses->integers[uses->plan->slots[slot].index] = true;
            }
        }
        break;
    case OPERAND_INTEGER:
        use_integers(uses, (IntegerRefs){&operand->as.integer, 1});
        break;
    case OPERAND_INTEGERS:
        use_integers(uses, operand->as.integers);
        break;
    case OPERAND_FACTS:
        for (uint32_t i = 0; i < operand->as.facts->count; i++) {
            use_integers(uses, (IntegerRefs){&operand->as.facts->at[i].expected, 1});
        }
        break;
    case OPERAND_GEOMETRY:
        use_integers(uses, operand->as.geometry->sizes);
        use_integers(uses, operand->as.geometry->strides);
        use_integers(uses, (IntegerRefs){&operand->as.geometry->offset, 1});
        break;
    case OPERAND_NONE:
    case OPERAND_REAL:
    case OPERAND_COUNT:
    case OPERAND_TEXT:
    case OPERAND_NAME:
    case OPERAND_SITE:
    case OPERAND_DTYPE:
    case OPERAND_FLAG:
    case OPERAND_DIMS:
    case OPERAND_SITES:
        break;
    }
}

/* Loads and integer ops define their first operand and have no other effect. */
static bool op_is_unused(const Uses *uses, const Op *op)
{
    const OperandSpec *first = &op_specs[op->kind].operands[0];
    if (first->role != OPERAND_DEF) {
        return false;
    }
    return first->type == OPERAND_TENSOR ? !uses->slots[op->operands[0].as.slot]
                                         : !uses->integers[op->operands[0].as.integer.id];
}

/* Marks what the ops of a list read, last op first, and unlinks ops whose result is not read by then. */
static void prune_list(Plan *plan, OpList *list, Uses *uses)
{
    uint32_t n = 0;
    Op **ops = ARENA_ARRAY(plan->arena, Op *, (size_t)plan->num_ops + 1);
    for (Op *op = list->first; op != NULL; op = op->next) {
        ops[n++] = op;
    }
    list->first = NULL;
    list->last = NULL;
    while (n > 0) {
        Op *op = ops[--n];
        if (op_is_unused(uses, op)) {
            continue;
        }
        if (op->body != NULL) {
            prune_list(plan, op->body, uses);
        }
        for (uint32_t i = 0; i < op_num_operands(op->kind); i++) {
            if (op_specs[op->kind].operands[i].role != OPERAND_DEF) {
                use_operand(uses, &op->operands[i]);
            }
        }
        op->next = list->first;
        list->first = op;
        list->last = list->last == NULL ? op : list->last;
    }
}

void plan_prune(Plan *plan)
{
    Uses uses = {.plan = plan, .num_arguments = plan->num_args};
    uses.slots = ARENA_ARRAY(plan->arena, bool, (size_t)plan->num_slots + 1);
    uses.integers = ARENA_ARRAY(plan->arena, bool, (size_t)plan->num_integers + 1);
    prune_list(plan, &plan->ops, &uses);
}
