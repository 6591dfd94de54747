/* SPDX-License-Identifier: MIT */
/*
 * dispatch_when - the conditions of a variant as clauses, in the order of the file.
 *
 * A symbol is bound by its first use that counts in every call and is compared at every other use. A stride counts only
 * if its size is not 1; when a symbol is used only for strides, each two that count are compared.
 */
#include <string.h>

#include "dispatch.h"
#include "../algebra/cpu.h"
#include "../algebra/expr.h"
#include "../algebra/geometry.h"
#include "../facts/derive.h"

/* ---- one variant ---- */

/* A use of a symbol. */
typedef struct Use {
    uint32_t symbol;
    uint32_t field;
    int32_t size; /* the size that must not be 1, of a stride; else DISPATCH_NONE */
    const void *said;
} Use;

typedef struct When {
    Dispatch *dispatch;
    DispatchVariant *variant;
    bool untested; /* what a graph states, which its wrapper does not test */
    Use *uses;
    uint32_t num_uses;
} When;

/* What `always` and `when` both say counts once. */
static void note_use(When *when, uint32_t symbol, uint32_t field, int32_t size, const void *said)
{
    for (uint32_t i = 0; i < when->num_uses; i++) {
        const Use *use = &when->uses[i];
        if (use->symbol == symbol && use->field == field && use->size == size) {
            return;
        }
    }
    when->uses =
        arena_grow(when->dispatch->arena, when->uses, when->num_uses * sizeof(Use), (when->num_uses + 1) * sizeof(Use));
    when->uses[when->num_uses++] = (Use){symbol, field, size, said};
}

/* Requires that nothing above the node is null and that lists are long enough. */
static void require_above(Dispatch *dispatch, DispatchVariant *variant, uint32_t node, const void *said)
{
    const int32_t parent = dispatch->nodes[node].parent;
    if (parent == DISPATCH_NONE) {
        return;
    }
    dispatch_require(dispatch, variant, (uint32_t)parent, said);
    if (dispatch->nodes[parent].arg->kind == SPEC_LIST) {
        const uint32_t length = dispatch_field(dispatch, FIELD_LENGTH, (uint32_t)parent, DISPATCH_NONE);
        dispatch_add(dispatch, variant, length,
                     intset_interval(dispatch->arena, (int64_t)dispatch->nodes[node].index + 1, INT64_MAX), said);
    }
}

void dispatch_require(Dispatch *dispatch, DispatchVariant *variant, uint32_t node, const void *said)
{
    require_above(dispatch, variant, node, said);
    if (spec_is(dispatch->nodes[node].arg->nullable)) {
        const uint32_t present = dispatch_field(dispatch, FIELD_PRESENT, node, DISPATCH_NONE);
        dispatch_add(dispatch, variant, present, intset_point(dispatch->arena, 1), said);
    }
}

static void add_integer(When *when, FieldKind kind, uint32_t node, char *const *text, int64_t min)
{
    int32_t symbol = DISPATCH_NONE;
    if (*text == NULL) {
        return;
    }
    const uint32_t field = dispatch_field(when->dispatch, kind, node, DISPATCH_NONE);
    const IntSet set = dispatch_condition(when->dispatch, *text, min, &symbol);
    dispatch_add(when->dispatch, when->variant, field, set, text);
    if (symbol != DISPATCH_NONE) {
        note_use(when, (uint32_t)symbol, field, DISPATCH_NONE, text);
    }
}

static void add_dims(When *when, FieldKind kind, uint32_t node, const SpecNames *list)
{
    Dispatch *dispatch = when->dispatch;
    const uint32_t rank = dispatch_field(dispatch, FIELD_RANK, node, DISPATCH_NONE);
    dispatch_add(dispatch, when->variant, rank, intset_point(dispatch->arena, list->text_count), &list->text);
    for (uint32_t i = 0; i < list->text_count; i++) {
        int32_t symbol = DISPATCH_NONE;
        if (strcmp(list->text[i], "any") == 0) {
            continue;
        }
        DispatchClause clause = {.field = dispatch_field(dispatch, kind, node, (int32_t)i),
                                 .equal_to = DISPATCH_NONE,
                                 .set = dispatch_condition(dispatch, list->text[i], 0, &symbol),
                                 .said = &list->text[i]};
        int32_t size = DISPATCH_NONE;
        if (kind == FIELD_STRIDE) {
            size = (int32_t)dispatch_field(dispatch, FIELD_SIZE, node, (int32_t)i);
            clause.unless[clause.num_unless++] =
                (DispatchUnless){.field = (uint32_t)size, .set = intset_point(dispatch->arena, 1)};
        }
        dispatch_add_clause(dispatch, when->variant, &clause);
        if (symbol != DISPATCH_NONE) {
            note_use(when, (uint32_t)symbol, clause.field, size, &list->text[i]);
        }
    }
}

static void add_value(When *when, uint32_t node, char *const *text)
{
    Dispatch *dispatch = when->dispatch;
    IntSet set = {0};
    switch (dispatch->nodes[node].arg->kind) {
    case SPEC_INT:
        add_integer(when, FIELD_VALUE, node, text, INT64_MIN);
        return;
    case SPEC_FLOAT:
    case SPEC_STRING:
        set = intset_point(dispatch->arena, dispatch_literal(dispatch, node, *text));
        break;
    case SPEC_BOOLEAN:
        set = intset_point(dispatch->arena, strcmp(*text, "true") == 0);
        break;
    case SPEC_DTYPE:
        set = dispatch_dtypes(dispatch, *text);
        break;
    case SPEC_DEVICE:
        set = dispatch_device(dispatch, *text);
        break;
    case SPEC_KIND_UNSET:
    case SPEC_OPAQUE:
    case SPEC_NONE:
    case SPEC_TENSOR:
    case SPEC_ALWAYS_NULL:
    case SPEC_TUPLE:
    case SPEC_LIST:
    case SPEC_RECORD:
        return; /* validated: these have no value */
    }
    dispatch_add(dispatch, when->variant, dispatch_field(dispatch, FIELD_VALUE, node, DISPATCH_NONE), set, text);
}

static void add_layout(When *when, uint32_t node, const SpecLayout *layout)
{
    Dispatch *dispatch = when->dispatch;
    const bool last = *layout == SPEC_LAYOUT_CHANNELS_LAST;
    if (last) {
        const uint32_t rank = dispatch_field(dispatch, FIELD_RANK, node, DISPATCH_NONE);
        dispatch_add(dispatch, when->variant, rank, intset_point(dispatch->arena, 4), layout);
    }
    const uint32_t field = dispatch_field(dispatch, last ? FIELD_CHANNELS_LAST : FIELD_CONTIGUOUS, node, DISPATCH_NONE);
    dispatch_add(dispatch, when->variant, field, intset_point(dispatch->arena, 1), layout);
}

static void add_align(When *when, uint32_t node, const SpecInt *align)
{
    Arena *arena = when->dispatch->arena;
    int64_t multiple = 1;
    (void)expr_is_literal(align->expr, &multiple);
    const uint32_t field = dispatch_field(when->dispatch, FIELD_ADDRESS, node, DISPATCH_NONE);
    const Condition condition = {.ranges = ARENA_NEW(arena, ConditionRange), .num_ranges = 1};
    condition.ranges[0] = condition_range(INT64_MIN, INT64_MAX, multiple);
    dispatch_add(when->dispatch, when->variant, field, intset_from_condition(arena, &condition), &align->text);
}

/* Both tensors are there, and they are one, or are not. */
static void add_same(When *when, uint32_t node, char *const *path, int64_t truth)
{
    Dispatch *dispatch = when->dispatch;
    if (*path != NULL) {
        const uint32_t other = dispatch_node(dispatch, *path);
        dispatch_require(dispatch, when->variant, other, path);
        (void)dispatch_field(dispatch, FIELD_PRESENT, node, DISPATCH_NONE); /* they say whether there are two */
        (void)dispatch_field(dispatch, FIELD_PRESENT, other, DISPATCH_NONE);
        dispatch_add(dispatch, when->variant, dispatch_same_field(dispatch, node, other),
                     intset_point(dispatch->arena, truth), path);
    }
}

static void add_bit(When *when, FieldKind kind, uint32_t node, const SpecBool *stated)
{
    if (*stated != SPEC_UNSET) {
        const uint32_t field = dispatch_field(when->dispatch, kind, node, DISPATCH_NONE);
        dispatch_add(when->dispatch, when->variant, field,
                     intset_point(when->dispatch->arena, spec_is(*stated) ? 1 : 0), stated);
    }
}

static void add_entry(When *when, const SpecWhen *entry)
{
    Dispatch *dispatch = when->dispatch;
    const uint32_t node = dispatch_node(dispatch, entry->arg);
    require_above(dispatch, when->variant, node, &entry->arg);
    if (entry->is_null != SPEC_UNSET) {
        const uint32_t present = dispatch_field(dispatch, FIELD_PRESENT, node, DISPATCH_NONE);
        dispatch_add(dispatch, when->variant, present, intset_point(dispatch->arena, spec_is(entry->is_null) ? 0 : 1),
                     &entry->is_null);
    }
    if (spec_is(entry->is_null)) {
        return; /* validated: there is no other key */
    }
    dispatch_require(dispatch, when->variant, node, &entry->arg);
    if (entry->dtype != NULL) {
        const uint32_t dtype = dispatch_field(dispatch, FIELD_DTYPE, node, DISPATCH_NONE);
        dispatch_add(dispatch, when->variant, dtype, dispatch_dtypes(dispatch, entry->dtype), &entry->dtype);
    }
#define INTEGER(key, KIND, FIELD, what, never) add_integer(when, FIELD_##FIELD, node, &entry->key, 0);
#include "../facts/integers.def"
#undef INTEGER
    if (entry->size.text != NULL) {
        add_dims(when, FIELD_SIZE, node, &entry->size);
    }
    if (entry->stride.text != NULL) {
        add_dims(when, FIELD_STRIDE, node, &entry->stride);
    }
    if (entry->align.text != NULL) {
        add_align(when, node, &entry->align);
    }
    if (entry->device != NULL) {
        const uint32_t device = dispatch_field(dispatch, FIELD_DEVICE, node, DISPATCH_NONE);
        dispatch_add(dispatch, when->variant, device, dispatch_device(dispatch, entry->device), &entry->device);
    }
    if (entry->layout != SPEC_LAYOUT_UNSET) {
        add_layout(when, node, &entry->layout);
    }
    add_bit(when, FIELD_CONJ, node, &entry->is_conj);
    add_bit(when, FIELD_NEG, node, &entry->is_neg);
    add_same(when, node, &entry->same_as, 1);
    add_same(when, node, &entry->not_same_as, 0);
    if (entry->value != NULL) {
        add_value(when, node, &entry->value);
    }
}

static void add_cpu(When *when, const SpecNames *words)
{
    for (uint32_t i = 0; i < words->text_count; i++) {
        const uint32_t field = dispatch_field(when->dispatch, FIELD_FEATURE, 0, cpu_feature(words->text[i]));
        dispatch_add(when->dispatch, when->variant, field, intset_point(when->dispatch->arena, 1), &words->text[i]);
    }
}

/* ---- symbols ---- */

static void add_unless(const When *when, DispatchClause *clause, const Use *use)
{
    if (use->size != DISPATCH_NONE) {
        clause->unless[clause->num_unless++] =
            (DispatchUnless){.field = (uint32_t)use->size, .set = intset_point(when->dispatch->arena, 1)};
    }
}

static void add_equal(const When *when, const Use *first, const Use *second)
{
    if (first->field == second->field) {
        return;
    }
    DispatchClause clause = {.field = second->field, .equal_to = (int32_t)first->field, .said = second->said};
    add_unless(when, &clause, first);
    add_unless(when, &clause, second);
    dispatch_add_clause(when->dispatch, when->variant, &clause);
}

static void add_bounds(const When *when, const Use *use)
{
    const SpecSymbol *symbol = &when->dispatch->spec->symbols[use->symbol];
    Arena *arena = when->dispatch->arena;
    const Condition condition = {.ranges = ARENA_NEW(arena, ConditionRange), .num_ranges = 1};
    condition.ranges[0] = derive_symbol_range(symbol);
    DispatchClause clause = {.field = use->field,
                             .equal_to = DISPATCH_NONE,
                             .set = intset_from_condition(arena, &condition),
                             .said = use->said};
    add_unless(when, &clause, use);
    dispatch_add_clause(when->dispatch, when->variant, &clause);
}

/* The use that counts in every call, if there is one, else null. */
static const Use *binding_use(const When *when, uint32_t symbol)
{
    for (uint32_t i = 0; i < when->num_uses; i++) {
        if (when->uses[i].symbol == symbol && when->uses[i].size == DISPATCH_NONE) {
            return &when->uses[i];
        }
    }
    return NULL;
}

static void add_symbols(const When *when)
{
    for (uint32_t i = 0; i < when->num_uses; i++) {
        const Use *use = &when->uses[i];
        const Use *binding = binding_use(when, use->symbol);
        if (binding == NULL || binding == use) {
            add_bounds(when, use);
        }
        if (binding != NULL) {
            add_equal(when, binding, use);
            continue;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (when->uses[j].symbol == use->symbol) {
                add_equal(when, &when->uses[j], use);
            }
        }
    }
}

/* Is every symbol of it bound to a field that counts in every call? Then `field_of` has them. */
static bool is_about_fields(const When *when, const Expr *expr, uint32_t *field_of)
{
    if (expr_is_operation(expr)) {
        return is_about_fields(when, expr->lhs, field_of) && is_about_fields(when, expr->rhs, field_of);
    }
    const Use *binding = expr->kind == EXPR_SYMBOL ? binding_use(when, expr->symbol) : NULL;
    if (binding != NULL) {
        field_of[expr->symbol] = binding->field;
    }
    return binding != NULL || expr->kind == EXPR_LITERAL;
}

/* After everything else, so that what a guard reads exists. `tested`: what is left of each, null where nothing is. */
static void add_guards(const When *when, const SpecInts *guards, const Expr *const *tested)
{
    Dispatch *dispatch = when->dispatch;
    uint32_t *field_of = ARENA_ARRAY(dispatch->arena, uint32_t, dispatch->spec->symbols_count);
    for (uint32_t i = 0; i < guards->text_count; i++) {
        if (tested[i] == NULL) {
            continue;
        }
        if (!is_about_fields(when, tested[i], field_of)) {
            when->variant->says_more = true;
            continue;
        }
        const uint32_t field = dispatch_relation(dispatch, tested[i], guards->text[i], field_of);
        dispatch_add(dispatch, when->variant, field, intset_point(dispatch->arena, 1), &guards->text[i]);
    }
}

/* ---- tensors that may be lazy ---- */

static bool says_bit(const SpecKernel *kernel, const SpecVariant *variant, const char *arg, FieldKind kind)
{
    for (uint32_t i = 0; i < spec_conditions_count(kernel, variant); i++) {
        const SpecWhen *when = spec_condition(kernel, variant, i);
        if (strcmp(when->arg, arg) == 0 && (kind == FIELD_CONJ ? when->is_conj : when->is_neg) != SPEC_UNSET) {
            return true;
        }
    }
    return false;
}

/* A variant that says nothing about a bit was not made for it: it takes only tensors without it. */
static void add_clear(const When *when, uint32_t node, FieldKind kind)
{
    Dispatch *dispatch = when->dispatch;
    const SpecArg *arg = dispatch->nodes[node].arg;
    DispatchClause clause = {.field = dispatch_field(dispatch, kind, node, DISPATCH_NONE),
                             .equal_to = DISPATCH_NONE,
                             .set = intset_point(dispatch->arena, 0),
                             .said = &arg->lazy_ok};
    if (says_bit(dispatch->kernel, when->variant->spec, arg->name, kind)) {
        return;
    }
    if (spec_is(arg->nullable)) {
        const uint32_t present = dispatch_field(dispatch, FIELD_PRESENT, node, DISPATCH_NONE);
        clause.unless[clause.num_unless++] =
            (DispatchUnless){.field = present, .set = intset_point(dispatch->arena, 0)};
    }
    dispatch_add_clause(dispatch, when->variant, &clause);
}

void dispatch_add_always(Dispatch *dispatch, DispatchVariant *variant)
{
    When when = {.dispatch = dispatch, .variant = variant};
    for (uint32_t i = 0; i < dispatch->kernel->always_count; i++) {
        add_entry(&when, &dispatch->kernel->always[i]);
    }
    add_symbols(&when);
}

void dispatch_add_variant(Dispatch *dispatch, DispatchVariant *variant)
{
    When when = {.dispatch = dispatch, .variant = variant};
    for (uint32_t i = 0; i < spec_conditions_count(dispatch->kernel, variant->spec); i++) {
        add_entry(&when, spec_condition(dispatch->kernel, variant->spec, i));
    }
    for (uint32_t i = 0; i < dispatch->kernel->args_count; i++) {
        if (spec_is(dispatch->nodes[i].arg->lazy_ok)) {
            add_clear(&when, i, FIELD_CONJ);
            add_clear(&when, i, FIELD_NEG);
        }
    }
    add_cpu(&when, &variant->spec->cpu);
    add_symbols(&when);
    add_guards(&when, &variant->spec->guards, variant->spec->guards.expr);
}

/* ---- what a graph states about its inputs ---- */

/* One size, stride or value: a literal is a set, a symbol is compared, and an expression is left to the wrapper. */
static void add_stated(When *when, FieldKind kind, uint32_t node, int32_t dimension, const Expr *expr, const void *said)
{
    Dispatch *dispatch = when->dispatch;
    int64_t literal = 0;
    int32_t size = DISPATCH_NONE;
    const bool known = expr_is_literal(expr, &literal);
    if (!known && expr->kind != EXPR_SYMBOL) {
        when->variant->trusts = when->variant->trusts || when->untested;
        return;
    }
    DispatchClause clause = {.field = dispatch_field(dispatch, kind, node, dimension),
                             .equal_to = DISPATCH_NONE,
                             .set = intset_interval(dispatch->arena, INT64_MIN, INT64_MAX),
                             .said = said};
    if (kind == FIELD_STRIDE) {
        size = (int32_t)dispatch_field(dispatch, FIELD_SIZE, node, dimension);
        clause.unless[clause.num_unless++] =
            (DispatchUnless){.field = (uint32_t)size, .set = intset_point(dispatch->arena, 1)};
    }
    if (known) {
        clause.set = intset_point(dispatch->arena, literal);
        dispatch_add_clause(dispatch, when->variant, &clause);
    } else {
        note_use(when, expr->symbol, clause.field, size, said);
    }
}

static void add_stated_dims(When *when, FieldKind kind, uint32_t node, const SpecInts *list)
{
    const uint32_t rank = dispatch_field(when->dispatch, FIELD_RANK, node, DISPATCH_NONE);
    if (list->text == NULL) {
        return;
    }
    dispatch_add(when->dispatch, when->variant, rank, intset_point(when->dispatch->arena, list->text_count),
                 &list->text);
    for (uint32_t i = 0; i < list->text_count; i++) {
        add_stated(when, kind, node, (int32_t)i, list->expr[i], &list->text[i]);
    }
}

static void add_stated_tensor(When *when, uint32_t node, const SpecInput *input, bool devices)
{
    Dispatch *dispatch = when->dispatch;
    dispatch_require(dispatch, when->variant, node, &input->name);
    if (input->subclass != NULL || spec_is(input->frozen)) {
        return;
    }
    if (spec_is(dispatch->nodes[node].arg->lazy_ok)) {
        add_bit(when, FIELD_CONJ, node, &input->is_conj);
        add_bit(when, FIELD_NEG, node, &input->is_neg);
    } else if (spec_is(input->is_conj) || spec_is(input->is_neg)) {
        const uint32_t lazy = dispatch_field(dispatch, FIELD_LAZY, node, DISPATCH_NONE);
        dispatch_add(dispatch, when->variant, lazy, intset_point(dispatch->arena, 1),
                     spec_is(input->is_conj) ? &input->is_conj : &input->is_neg);
    }
    if (input->dtype != NULL) {
        const uint32_t dtype = dispatch_field(dispatch, FIELD_DTYPE, node, DISPATCH_NONE);
        dispatch_add(dispatch, when->variant, dtype, intset_point(dispatch->arena, input->dtype_code), &input->dtype);
    }
    if (devices && input->device != NULL) {
        const uint32_t device = dispatch_field(dispatch, FIELD_DEVICE, node, DISPATCH_NONE);
        dispatch_add(dispatch, when->variant, device, dispatch_device(dispatch, input->device), &input->device);
    }
    add_stated_dims(when, FIELD_SIZE, node, &input->size);
    add_stated_dims(when, FIELD_STRIDE, node, &input->stride);
}

static void add_stated_none(When *when, uint32_t node, const SpecInput *input)
{
    Dispatch *dispatch = when->dispatch;
    if (dispatch->nodes[node].arg->kind != SPEC_ALWAYS_NULL) {
        const uint32_t present = dispatch_field(dispatch, FIELD_PRESENT, node, DISPATCH_NONE);
        dispatch_add(dispatch, when->variant, present, intset_point(dispatch->arena, 0), &input->kind);
    }
}

void dispatch_add_inputs(Dispatch *dispatch, DispatchVariant *variant, const SpecGraph *graph, bool devices)
{
    When when = {.dispatch = dispatch, .variant = variant, .untested = graph->check < SPEC_CHECK_CHEAP};
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const SpecInput *input = &graph->inputs[i];
        const uint32_t node = variant->spec->arg_index != NULL ? variant->spec->arg_index[i] : i;
        if (input->kind == SPEC_TENSOR) {
            add_stated_tensor(&when, node, input, devices);
        } else if (input->kind == SPEC_NONE) {
            add_stated_none(&when, node, input);
        } else if (input->kind == SPEC_FLOAT && input->value.text != NULL) {
            add_value(&when, node, &input->value.text);
        } else if (input->kind != SPEC_FLOAT && input->value.expr != NULL) {
            add_stated(&when, FIELD_VALUE, node, DISPATCH_NONE, input->value.expr, &input->value.text);
        }
    }
    add_symbols(&when);
    add_guards(&when, &graph->guards, derive_tested_guards(dispatch->arena, dispatch->spec, graph));
}
