/* SPDX-License-Identifier: MIT */
/*
 * view_dispatch - a dispatcher as an object: its fields as locals that are read once, and the call. Conditions are
 * comparisons of those locals (view_condition.c).
 *
 * A field of something that every call has is read directly, after a test that it exists; any other is -1 if it does
 * not exist. The cold reader, for the explainer, tests nothing and reads only what exists.
 */
#include "../algebra/cpu.h"
#include "view_dispatch.h"

#include <inttypes.h>
#include <string.h>

#include "../base/real.h"

/* ---- where a node is ---- */

/* The member: "args->ts.items[0]"; a nullable number is behind a pointer. */
static const char *member_text(const DispatchView *v, uint32_t n)
{
    const DispatchNode *node = &v->dispatch->nodes[n];
    if (node->parent == DISPATCH_NONE) {
        return arena_printf(v->view->arena, "args->%s", node->path);
    }
    const SpecArg *above = v->dispatch->nodes[node->parent].arg;
    const char *base = member_text(v, (uint32_t)node->parent);
    const char *arrow = spec_is(above->nullable) ? "->" : ".";
    if (above->kind == SPEC_LIST) {
        return arena_printf(v->view->arena, "%s%sitems[%" PRIu32 "]", base, arrow, node->index);
    }
    if (above->kind == SPEC_TUPLE) {
        return arena_printf(v->view->arena, "%s%sitem%" PRIu32, base, arrow, node->index);
    }
    return arena_printf(v->view->arena, "%s%s%s", base, arrow, above->items[node->index].name);
}

static const char *value_text_of(const DispatchView *v, uint32_t n)
{
    const SpecArg *arg = v->dispatch->nodes[n].arg;
    const char *member = member_text(v, n);
    return spec_is(arg->nullable) && !kind_is_pointer(arg->kind) ? arena_printf(v->view->arena, "(*%s)", member)
                                                                 : member;
}

/* Does the node exist in every call that passes the tests of declarations? */
static bool always_there(const DispatchView *v, uint32_t n)
{
    const DispatchNode *node = &v->dispatch->nodes[n];
    if (spec_is(node->arg->nullable) || node->arg->kind == SPEC_ALWAYS_NULL) {
        return false;
    }
    return node->parent == DISPATCH_NONE ||
           (v->dispatch->nodes[node->parent].arg->kind != SPEC_LIST && always_there(v, (uint32_t)node->parent));
}

/* The least rank that passes the preceding tests. */
static int64_t least_rank(const DispatchView *v, uint32_t rank)
{
    const IntSet *declared = dispatch_plain_set(&v->dispatch->declared, rank);
    const IntSet *common = v->plan.hoisted[rank] ? dispatch_plain_set(&v->dispatch->variants[0], rank) : NULL;
    const int64_t first = declared != NULL ? intset_min(declared) : 0;
    const int64_t second = common != NULL ? intset_min(common) : 0;
    return first > second ? first : second;
}

/* ---- reads ---- */

/* Strings and reals are read as the index of a literal, booleans as 0 or 1. */
static const char *read_template(const DispatchView *v, const DispatchField *field)
{
    const SpecKind kind = v->dispatch->nodes[field->node].arg->kind;
    const bool scalar = field_specs[field->kind].of == FIELD_OF_SCALAR;
    const char *name = scalar && kind == SPEC_BOOLEAN  ? "truth"
                       : scalar && kind == SPEC_STRING ? "string"
                       : scalar && kind == SPEC_FLOAT  ? "real"
                                                       : field_specs[field->kind].name;
    return arena_printf(v->view->arena, "dispatch/%s", name);
}

static bool is_pair(const DispatchField *field)
{
    return field_specs[field->kind].of == FIELD_OF_PAIR;
}

static const char *present_local(const DispatchView *v, uint32_t n)
{
    const int32_t field = dispatch_find_field(v->dispatch, FIELD_PRESENT, n, DISPATCH_NONE);
    return field == DISPATCH_NONE ? NULL : v->locals[field];
}

typedef struct Exists {
    const char *there;  /* a local that must be 1, or null */
    const char *beyond; /* a local that must be greater than beyond_value, or null */
    int64_t beyond_value;
} Exists;

/* What must hold for the field to be read. */
static Exists exists_of(const DispatchView *v, const DispatchField *field, bool cold)
{
    const DispatchNode *node = &v->dispatch->nodes[field->node];
    Exists exists = {NULL, NULL, 0};
    if (field->kind == FIELD_FEATURE) {
        return exists;
    }
    if (field->kind != FIELD_PRESENT) {
        exists.there = cold || !always_there(v, field->node) ? present_local(v, field->node) : NULL;
    } else if (node->parent != DISPATCH_NONE) {
        const uint32_t parent = (uint32_t)node->parent;
        exists.there = always_there(v, parent) ? NULL : present_local(v, parent);
        if (v->dispatch->nodes[parent].arg->kind == SPEC_LIST) {
            exists.beyond = v->locals[dispatch_find_field(v->dispatch, FIELD_LENGTH, parent, DISPATCH_NONE)];
            exists.beyond_value = node->index;
        }
    }
    if (is_pair(field) && (cold || !always_there(v, (uint32_t)field->dimension))) {
        exists.beyond = present_local(v, (uint32_t)field->dimension); /* greater than 0: it is there, too */
    }
    if (field_specs[field->kind].of == FIELD_OF_DIM) {
        const int32_t rank = dispatch_find_field(v->dispatch, FIELD_RANK, field->node, DISPATCH_NONE);
        if (cold || !always_there(v, field->node) || least_rank(v, (uint32_t)rank) <= field->dimension) {
            exists.beyond = v->locals[rank];
            exists.beyond_value = field->dimension;
        }
    }
    return exists;
}

/* Are declarations tested one by one as fields are read? Else they are trusted, or were tested before. */
static bool tests_declared(const DispatchView *v)
{
    return v->kernel->spec->check == SPEC_CHECK_CHEAP;
}

static Value checks_value(const DispatchView *v, uint32_t field)
{
    Value list = value_list(v->view->arena);
    for (uint32_t i = 0; tests_declared(v) && i < v->dispatch->declared.num_clauses; i++) {
        const DispatchClause *clause = &v->dispatch->declared.clauses[i];
        if (clause->field == field) {
            value_push(v->view->arena, list, view_clause(v, clause, true));
        }
    }
    for (uint32_t i = 0; v->plan.hoisted[field] && i < v->dispatch->variants[0].num_clauses; i++) {
        const DispatchClause *clause = &v->dispatch->variants[0].clauses[i];
        if (clause->field == field && dispatch_is_hoisted(&v->plan, clause)) {
            value_push(v->view->arena, list, view_clause(v, clause, true));
        }
    }
    return list;
}

static Value read_value(const DispatchView *v, uint32_t index, bool cold)
{
    View *view = v->view;
    const DispatchField *field = &v->dispatch->fields[index];
    const DispatchNode *node = &v->dispatch->nodes[field->node];
    if (field->kind == FIELD_RELATION) {
        return view_relation(v, index, cold ? value_list(view->arena) : checks_value(v, index), cold);
    }
    const Exists exists = exists_of(v, field, cold);
    const bool present = field->kind == FIELD_PRESENT;
    Value item = value_object(view->arena, 20);
    view_originate(view, item, node->arg,
                   arena_printf(view->arena, "reads the %s", dispatch_field_text(v->dispatch, index)));
    view_put_number(view, item, KEY_index, index);
    view_put_text(view, item, KEY_local, v->locals[index]);
    view_put_bool(view, item, KEY_relation, false);
    view_put_bool(view, item, KEY_guarded, exists.there != NULL || exists.beyond != NULL);
    view_put_text(view, item, KEY_there, exists.there);
    view_put_bool(view, item, KEY_both, exists.there != NULL && exists.beyond != NULL);
    view_put_text(view, item, KEY_beyond, exists.beyond);
    view_put_number(view, item, KEY_beyond_value, exists.beyond_value);
    view_put_text(view, item, KEY_read, read_template(v, field));
    view_put_text(view, item, KEY_value, present ? member_text(v, field->node) : value_text_of(v, field->node));
    view_put_bool(view, item, KEY_pointer, spec_is(node->arg->nullable) || kind_is_pointer(node->arg->kind));
    view_put_number(view, item, KEY_dimension, field->dimension);
    view_put_text(view, item, KEY_other, is_pair(field) ? value_text_of(v, (uint32_t)field->dimension) : NULL);
    view_put_text(view, item, KEY_feature, field->kind == FIELD_FEATURE ? cpu_constant(field->dimension) : NULL);
    view_put_text(view, item, KEY_literals,
                  arena_printf(view->arena, "%s_args_%s_literals", v->kernel->symbol, v->locals[index]));
    view_put_number(view, item, KEY_num_literals, node->num_literals);
    view_put(view, item, KEY_checks, cold ? value_list(view->arena) : checks_value(v, index));
    return item;
}

/* Fields in the order in which they are read: a field that tells whether something exists comes before its fields, and
 * what is computed from others comes last. */
static uint32_t *reading_order(const DispatchView *v)
{
    uint32_t *order = ARENA_ARRAY(v->view->arena, uint32_t, v->dispatch->num_fields);
    uint32_t n = 0;
    for (uint32_t node = 0; node < v->dispatch->num_nodes; node++) {
        for (uint32_t kind = 0; kind < FIELD_COUNT; kind++) {
            for (int32_t i = v->dispatch->nodes[node].first_field; i != DISPATCH_NONE;
                 i = v->dispatch->fields[i].next) {
                if (v->dispatch->fields[i].kind == (FieldKind)kind && kind != FIELD_RELATION) {
                    order[n++] = (uint32_t)i;
                }
            }
        }
    }
    for (uint32_t i = 0; i < v->dispatch->num_fields; i++) {
        if (v->dispatch->fields[i].kind == FIELD_RELATION) {
            order[n++] = i;
        }
    }
    return order;
}

static void mark_variant(const DispatchVariant *variant, bool *used)
{
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        const DispatchClause *clause = &variant->clauses[i];
        used[clause->field] = true;
        if (clause->equal_to != DISPATCH_NONE) {
            used[clause->equal_to] = true;
        }
        for (uint32_t k = 0; k < clause->num_unless; k++) {
            used[clause->unless[k].field] = true;
        }
    }
}

/* What a read needs to exist belongs to the same node, or to one that contains it, or to the other one of a pair. */
static void mark_local(const DispatchView *v, uint32_t node, const char *local, bool *used)
{
    int32_t at = local != NULL ? (int32_t)node : DISPATCH_NONE;
    for (; at != DISPATCH_NONE; at = v->dispatch->nodes[at].parent) {
        for (int32_t i = v->dispatch->nodes[at].first_field; i != DISPATCH_NONE; i = v->dispatch->fields[i].next) {
            used[i] = used[i] || v->locals[i] == local;
        }
    }
}

/* Fields that the choice reads, and the fields that guard those reads, which are read before. */
static bool *used_fields(const DispatchView *v, const uint32_t *order)
{
    bool *used = ARENA_ARRAY(v->view->arena, bool, v->dispatch->num_fields);
    if (tests_declared(v)) {
        mark_variant(&v->dispatch->declared, used);
    }
    for (uint32_t i = 0; i < v->dispatch->num_variants; i++) {
        mark_variant(&v->dispatch->variants[i], used);
    }
    for (uint32_t i = v->dispatch->num_fields; i-- > 0;) {
        if (used[order[i]] && v->dispatch->fields[order[i]].kind == FIELD_RELATION) {
            const DispatchRelation *relation = dispatch_relation_of(v->dispatch, order[i]);
            for (uint32_t k = 0; k < relation->num_names; k++) {
                used[relation->fields[k]] = true;
            }
        } else if (used[order[i]]) {
            const Exists exists = exists_of(v, &v->dispatch->fields[order[i]], false);
            mark_local(v, v->dispatch->fields[order[i]].node, exists.there, used);
            mark_local(v, v->dispatch->fields[order[i]].node, exists.beyond, used);
            if (is_pair(&v->dispatch->fields[order[i]])) {
                mark_local(v, (uint32_t)v->dispatch->fields[order[i]].dimension, exists.beyond, used);
            }
        }
    }
    return used;
}

static Value reads_value(const DispatchView *v, bool cold)
{
    Value list = value_list(v->view->arena);
    const uint32_t *order = reading_order(v);
    const bool *used = used_fields(v, order);
    bool declared = false;
    for (uint32_t i = 0; i < v->dispatch->num_fields; i++) {
        if (cold || used[order[i]]) {
            Value read = read_value(v, order[i], cold);
            view_put_bool(v->view, read, KEY_declares, !declared && view_relation_notes(v, order[i]));
            declared = declared || view_relation_notes(v, order[i]);
            value_push(v->view->arena, list, read);
        }
    }
    return list;
}

/* ---- names and literals ---- */

/* "ts_0" */
static const char *path_name(const DispatchView *v, uint32_t node)
{
    char *path = arena_copy(v->view->arena, v->dispatch->nodes[node].path, strlen(v->dispatch->nodes[node].path));
    for (char *at = path; *at != '\0'; at++) {
        *at = *at == '.' ? '_' : *at;
    }
    return path;
}

static const char *local_name(const DispatchView *v, uint32_t index)
{
    const DispatchField *field = &v->dispatch->fields[index];
    const char *path = path_name(v, field->node);
    const char *word = field_specs[field->kind].name;
    const char *name =
        field->kind == FIELD_RELATION  ? arena_printf(v->view->arena, "call_%s_%" PRId32, word, field->dimension)
        : field->kind == FIELD_FEATURE ? arena_printf(v->view->arena, "%s_%s", word, cpu_word(field->dimension))
        : is_pair(field)
            ? arena_printf(v->view->arena, "%s_%s_%s", path, word, path_name(v, (uint32_t)field->dimension))
        : field->dimension == DISPATCH_NONE
            ? arena_printf(v->view->arena, "%s_%s", path, word)
            : arena_printf(v->view->arena, "%s_%s_%" PRId32, path, word, field->dimension);
    for (uint32_t i = 0; i < index; i++) {
        if (str_equal(v->locals[i], name)) {
            return arena_printf(v->view->arena, "%s_%" PRIu32, name, index);
        }
    }
    return name;
}

static Value literals_value(const DispatchView *v)
{
    Value list = value_list(v->view->arena);
    for (uint32_t i = 0; i < v->dispatch->num_fields; i++) {
        const DispatchField *field = &v->dispatch->fields[i];
        const DispatchNode *node = &v->dispatch->nodes[field->node];
        if (field->kind != FIELD_VALUE || node->num_literals == 0) {
            continue;
        }
        const bool string = node->arg->kind == SPEC_STRING;
        Value item = value_object(v->view->arena, 3);
        Value items = value_list(v->view->arena);
        for (uint32_t k = 0; k < node->num_literals; k++) {
            const char *text =
                string ? view_literal(v->view, node->literals[k])
                       : arena_printf(v->view->arena, "%s /* %s */", view_number(v->view, real_bits(node->literals[k])),
                                      node->literals[k]);
            view_push_text(v->view, items, text, k, k + 1 == node->num_literals);
        }
        view_put_text(v->view, item, KEY_literal_type, string ? "char *const " : "int64_t ");
        view_put_text(v->view, item, KEY_name,
                      arena_printf(v->view->arena, "%s_args_%s_literals", v->kernel->symbol, v->locals[i]));
        view_put(v->view, item, KEY_items, items);
        value_push(v->view->arena, list, item);
    }
    return list;
}

/* ---- the call ---- */

/* The arguments that a variant's graph gets, if these are not simply all. */
static void put_picked(const DispatchView *v, Value item, const SpecVariant *variant)
{
    Value picked = value_list(v->view->arena);
    for (uint32_t i = 0; variant->arg_index != NULL && i < variant->args.text_count; i++) {
        Value one = value_object(v->view->arena, 1);
        view_put_number(v->view, one, KEY_index, variant->arg_index[i]);
        value_push(v->view->arena, picked, one);
    }
    view_put_bool(v->view, item, KEY_picks, variant->arg_index != NULL);
    view_put(v->view, item, KEY_picked, picked);
    view_put_number(v->view, item, KEY_num_passed,
                    variant->arg_index != NULL ? variant->args.text_count : v->kernel->num_args);
}

/* The number of values that a variant's graph returns: its boxed entry takes that number, not the capacity. */
static void put_wrapper(const DispatchView *v, Value item, const SpecVariant *variant, uint32_t index)
{
    const SpecGraph *graph = variant->graph != NULL ? &v->kernel->file->graphs[variant->graph_index] : NULL;
    put_picked(v, item, variant);
    view_put_bool(v->view, item, KEY_wrapper, graph != NULL);
    view_put_number(v->view, item, KEY_num_outputs, graph != NULL ? graph->outputs_count : 0);
    view_put_bool(v->view, item, KEY_has_outputs, graph != NULL && graph->outputs_count > 0);
    view_put_text(v->view, item, KEY_path,
                  arena_printf(v->view->arena, "%s.variants[%" PRIu32 "]", v->kernel->path, index));
}

static void put_calls(const DispatchView *v, Value object)
{
    Value calls = value_list(v->view->arena);
    Value declared = value_list(v->view->arena);
    Value wrappers = value_list(v->view->arena);
    bool has_room = false;
    for (uint32_t i = 0; i < v->dispatch->num_variants; i++) {
        const SpecVariant *variant = v->dispatch->variants[i].spec;
        const char *callee = v->callees[i];
        Value item = value_object(v->view->arena, 9);
        bool first = true;
        view_put_number(v->view, item, KEY_index, i);
        view_put_text(v->view, item, KEY_variant, callee);
        put_wrapper(v, item, variant, i);
        has_room =
            has_room || (variant->graph != NULL && v->kernel->file->graphs[variant->graph_index].outputs_count > 0);
        value_push(v->view->arena, calls, item);
        for (uint32_t k = 0; k < i; k++) {
            first = first && !str_equal(v->callees[k], callee);
        }
        if (variant->graph != NULL) {
            value_push(v->view->arena, wrappers, item);
        } else if (first) {
            value_push(v->view->arena, declared, item);
        }
    }
    view_put(v->view, object, KEY_calls, calls);
    view_put(v->view, object, KEY_declared, declared);
    view_put_bool(v->view, object, KEY_has_declared, declared.as.list->count > 0);
    view_put(v->view, object, KEY_wrappers, wrappers);
    view_put_bool(v->view, object, KEY_has_wrappers, wrappers.as.list->count > 0);
    view_put_bool(v->view, object, KEY_has_room, has_room);
}

static const char *strategy_text(const DispatchPlan *plan)
{
    switch (plan->strategy) {
    case STRATEGY_TREE:
        return "nested switches, and the rest one after another";
    case STRATEGY_HASH:
        return "a hash of the literals that tell variants apart, and the rest one after another";
    case STRATEGY_AUTO:
    case STRATEGY_CHAIN:
        break;
    }
    return "one condition after another";
}

/* "tensor, int"; null: the kernel does not state it. */
static const char *results_text(View *view, const SpecKernel *kernel)
{
    Str out = str_new(view->arena);
    if (kernel->results.text == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < kernel->results.text_count; i++) {
        str_printf(&out, "%s%s", i > 0 ? ", " : "", kernel->results.text[i]);
    }
    return kernel->results.text_count == 0 ? "nothing" : str_text(&out);
}

Value view_dispatch(View *view, const Kernel *kernel)
{
    if (kernel->spec->variants_count == 0) {
        return value_null();
    }
    DispatchView v = {.view = view, .kernel = kernel};
    v.dispatch = dispatch_new(view->arena, kernel->file, kernel->spec, kernel->host.tells_lazy);
    v.plan = dispatch_plan(v.dispatch, kernel->strategy);
    for (uint32_t n = 0; n < v.dispatch->num_nodes; n++) { /* what reads need to exist are fields */
        if (!always_there(&v, n)) {
            (void)dispatch_field(v.dispatch, FIELD_PRESENT, n, DISPATCH_NONE);
        }
    }
    v.callees = ARENA_ARRAY(view->arena, const char *, v.dispatch->num_variants);
    for (uint32_t i = 0; i < v.dispatch->num_variants; i++) {
        v.callees[i] = kernel_callee(kernel, v.dispatch->variants[i].spec);
    }
    bool *hoisted = ARENA_ARRAY(view->arena, bool, v.dispatch->num_fields);
    v.locals = ARENA_ARRAY(view->arena, const char *, v.dispatch->num_fields);
    const uint32_t planned = v.dispatch->num_fields;
    for (uint32_t i = 0; i < planned; i++) {
        hoisted[i] = i < v.plan.num_fields && v.plan.hoisted[i];
        v.locals[i] = local_name(&v, i);
    }
    v.plan.hoisted = hoisted;
    Value object = value_object(view->arena, 40);
    Value cold = value_object(view->arena, 1);
    view_put(view, cold, KEY_reads, reads_value(&v, true));
    view_put(view, object, KEY_cold, cold);
    view_put(view, object, KEY_literals, literals_value(&v));
    view_put(view, object, KEY_reads, reads_value(&v, false));
    view_put_text(view, object, KEY_stated_results, results_text(view, kernel->spec));
    view_put(view, object, KEY_call, view_kernel_call(view, kernel));
    view_put_text(view, object, KEY_strategy, strategy_text(&v.plan));
    view_put_choice(&v, object);
    view_put(view, object, KEY_variants, view_variants(&v, v.plan.rest, v.plan.num_rest, NULL, 0));
    const uint32_t last = v.plan.num_rest > 0 ? v.plan.rest[v.plan.num_rest - 1] : 0;
    bool ends = v.plan.num_rest > 0;
    for (uint32_t i = 0; ends && i < v.dispatch->variants[last].num_clauses; i++) {
        ends = dispatch_is_hoisted(&v.plan, &v.dispatch->variants[last].clauses[i]);
    }
    view_put_bool(view, object, KEY_ends, ends);
    view_put_tables(&v, object);
    put_calls(&v, object);
    view_put_number(view, object, KEY_num_variants, v.dispatch->num_variants);
    view_put_number(view, object, KEY_num_fields, planned == 0 ? 1 : planned);
    return object;
}
