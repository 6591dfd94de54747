/* SPDX-License-Identifier: MIT */
/*
 * lower_subclass - tensor subclasses: takes arguments apart into flat values, and puts flat results together again.
 *
 * Source: AOTAutograd's AOTDispatchSubclassWrapper. Flat order is depth first: for a plain leaf the tensor and then its
 * symbolic sizes and strides (symbol_args), for an opaque leaf the object, for a subclass its attributes in flattening
 * order and then its symbolic outer sizes and outer strides. All of an argument's types are tested before anything has
 * an effect, while PyTorch asserts them on the way.
 */
#include "lower.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void lower_add_flat(Lower *lower, FlatArguments *flat, FlatArgument argument)
{
    if (flat->count == flat->capacity) {
        const uint32_t wider = flat->capacity == 0 ? 8 : flat->capacity * 2;
        flat->at =
            arena_grow(lower->arena, flat->at, flat->capacity * sizeof(FlatArgument), wider * sizeof(FlatArgument));
        flat->capacity = wider;
    }
    flat->at[flat->count++] = argument;
}

/* ---- arguments taken apart ---- */

/* The position of the walk: a tensor of the caller, its tree, and its name. */
typedef struct Node {
    uint32_t slot;
    const SpecSubclass *tree;
    const char *suffix;
    const char *argument; /* "x", "x.b" */
    const char *path;     /* below the input, as spelled in `wait`: "", "b", "b.a" */
    uint32_t input;
} Node;

static bool is_waited(const Lower *lower, const Node *node)
{
    const SpecNames *wait = &lower->graph->inputs[node->input].wait;
    for (uint32_t i = 0; i < wait->text_count; i++) {
        if (str_equal(wait->text[i], node->path)) {
            return true;
        }
    }
    return false;
}

/* "size.0", "stride.1" */
static bool symbol_is_stride(const char *text)
{
    return str_starts(text, "stride.");
}

static uint32_t symbol_dimension(const char *text)
{
    return (uint32_t)strtoul(strchr(text, '.') + 1, NULL, 10);
}

static void add_symbol_arguments(Lower *lower, FlatArguments *flat, uint32_t slot, const SpecNames *names)
{
    for (uint32_t i = 0; i < names->text_count; i++) {
        const FlatArgument argument = {
            .slot = slot,
            .is_integer = true,
            .is_stride = symbol_is_stride(names->text[i]),
            .dimension = symbol_dimension(names->text[i]),
        };
        lower_add_flat(lower, flat, argument);
    }
}

static void unwrap_leaf(Lower *lower, Node node)
{
    FlatArguments *flat = &lower->flat[node.input];
    if (node.tree->opaque) {
        lower_add_flat(lower, flat, (FlatArgument){.slot = node.slot, .is_opaque = true});
        return;
    }
    if (is_waited(lower, &node)) {
        const uint32_t waited = plan_slot(lower->plan, SLOT_BORROWED, SLOT_TENSOR, 0,
                                          arena_printf(lower->arena, "waited_%s", node.suffix), node.argument);
        LOWER_EMIT(
            lower, wait, operand_tensor(waited), operand_tensor(node.slot),
            operand_site(plan_site_of(lower->plan, node.suffix, node.argument, "wait", "WG_E_HOST", "WG_KIND_STATUS")));
        node.slot = waited;
    }
    const Statement statement = {
        .slot = node.slot,
        .suffix = node.suffix,
        .argument = node.argument,
        .dtype = -1,
        .device_type = -1,
        .device_index = -1,
        .size = &node.tree->size,
        .stride = &node.tree->stride,
        .owns = &node.tree->owns,
        .symbol_args = &node.tree->symbol_args,
    };
    lower_statement(lower, &statement);
    lower_add_flat(lower, flat,
                   (FlatArgument){.slot = node.slot, .size = &node.tree->size, .stride = &node.tree->stride});
    add_symbol_arguments(lower, flat, node.slot, &node.tree->symbol_args);
}

/* A stated outer dimension: symbols are recorded, literals tested at once. */
static void state_outer(Lower *lower, const Node *node, const SpecInts *ints, OpKind read)
{
    const Statement statement = {.slot = node->slot, .suffix = node->suffix, .argument = node->argument};
    const char *rule = read == OP_integer_size ? "size" : "stride";
    for (uint32_t d = 0; d < ints->text_count; d++) {
        int64_t literal = 0;
        int64_t size = 0;
        const SpecInts *sizes = &node->tree->outer_size;
        const bool no_meaning =
            read == OP_integer_stride && sizes->expr[d] != NULL && expr_is_literal(sizes->expr[d], &size) && size == 1;
        if (ints->expr[d] == NULL) {
            continue; /* nested: not a number that C could compare */
        }
        if (!expr_is_literal(ints->expr[d], &literal)) {
            lower_use(lower, &statement, read, (int32_t)d, ints->expr[d]);
        } else if (lower_checks(lower, SPEC_CHECK_CHEAP) && !no_meaning) {
            const char *code = read == OP_integer_size ? "WG_E_SIZE" : "WG_E_STRIDE";
            const IntegerRef found =
                lower_named_integer(lower, arena_printf(lower->arena, "outer_%s%" PRIu32 "_%s", rule, d, node->suffix));
            if (read == OP_integer_size) {
                LOWER_EMIT(lower, integer_size, operand_integer(found), operand_tensor(node->slot), operand_count(d));
            } else {
                LOWER_EMIT(lower, integer_stride, operand_integer(found), operand_tensor(node->slot), operand_count(d));
            }
            LOWER_EMIT(
                lower, check_equal, operand_integer(found), operand_literal(literal), operand_literal(d),
                operand_site(plan_site_of(lower->plan, node->suffix, node->argument, rule, code, "WG_KIND_INTEGER")));
        }
    }
}

static void add_outer_arguments(Lower *lower, const Node *node, const SpecInts *ints, bool is_stride)
{
    for (uint32_t d = 0; d < ints->text_count && spec_is(node->tree->symints); d++) {
        if (derive_is_symbolic(ints->expr[d])) {
            lower_add_flat(
                lower, &lower->flat[node->input],
                (FlatArgument){.slot = node->slot, .is_integer = true, .is_stride = is_stride, .dimension = d});
        }
    }
}

static void check_absent_before(Lower *lower, const Node *node, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const char *argument = arena_printf(lower->arena, "%s.%s", node->argument, node->tree->declared->attrs[i].name);
        const char *suffix = lower_new_suffix(lower, node->tree->declared->attrs[i].name);
        LOWER_EMIT(lower, check_absent, operand_tensor(node->slot), operand_count(i),
                   operand_site(plan_site_of(lower->plan, suffix, argument, "attr", "WG_E_HOST", "WG_KIND_STATUS")),
                   operand_site(plan_site_of(lower->plan, suffix, argument, "absent", "WG_E_TYPE", "WG_KIND_NONE")));
    }
}

static void unwrap_node(Lower *lower, Node node);

static void unwrap_attr(Lower *lower, const Node *parent, const SpecSubclass *tree)
{
    Node node = *parent;
    node.tree = tree;
    node.suffix = lower_new_suffix(lower, tree->attr);
    node.argument = arena_printf(lower->arena, "%s.%s", parent->argument, tree->attr);
    node.path = parent->path[0] == '\0' ? tree->attr : arena_printf(lower->arena, "%s.%s", parent->path, tree->attr);
    node.slot = plan_slot(lower->plan, SLOT_BORROWED, tree->opaque ? SLOT_POINTER : SLOT_TENSOR, 0,
                          arena_printf(lower->arena, "attr%s", node.suffix), node.argument);
    LOWER_EMIT(
        lower, attr, operand_tensor(node.slot), operand_tensor(parent->slot), operand_count(tree->attr_index),
        operand_site(plan_site_of(lower->plan, node.suffix, node.argument, "attr", "WG_E_HOST", "WG_KIND_STATUS")));
    if (tree->declared == NULL) {
        unwrap_leaf(lower, node);
    } else {
        unwrap_node(lower, node);
    }
}

/* The depth of trees is bounded by the format (64). */
static void unwrap_node(Lower *lower, Node node)
{
    const SpecSubclass *tree = node.tree;
    const Site *site = plan_site_of(lower->plan, node.suffix, node.argument, "type", "WG_E_TYPE", "WG_KIND_NONE");
    LOWER_EMIT(lower, check_type, operand_tensor(node.slot), operand_name(tree->declared->symbol), operand_site(site));
    if (tree->outer_size.text != NULL) {
        const Site *rank =
            plan_site_of(lower->plan, node.suffix, node.argument, "rank", "WG_E_RANK", "WG_KIND_INTEGER");
        LOWER_EMIT(lower, check_rank, operand_tensor(node.slot), operand_count(tree->outer_size.text_count),
                   operand_site(rank));
        state_outer(lower, &node, &tree->outer_size, OP_integer_size);
        state_outer(lower, &node, &tree->outer_stride, OP_integer_stride);
    }
    uint32_t next = 0; /* attributes that were left out are optional and must be absent */
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        check_absent_before(lower, &node, next, tree->inner[i].attr_index);
        next = tree->inner[i].attr_index + 1;
        unwrap_attr(lower, &node, &tree->inner[i]);
    }
    check_absent_before(lower, &node, next, tree->declared->attrs_count);
    add_outer_arguments(lower, &node, &tree->outer_size, false);
    add_outer_arguments(lower, &node, &tree->outer_stride, true);
}

void lower_unwrap(Lower *lower, uint32_t input)
{
    const SpecInput *spec = &lower->graph->inputs[input];
    unwrap_node(lower, (Node){input, spec->subclass, spec->name, spec->name, "", input});
}

/* ---- results put together ---- */

/* `expr`: null if a tensor has the number, too. */
static void add_symint(Lower *lower, const Expr *expr, bool is_stride, uint32_t dimension, const char *name,
                       PlanValue value)
{
    if (lower->num_symints == lower->symints_capacity) {
        const uint32_t wider = lower->symints_capacity == 0 ? 8 : lower->symints_capacity * 2;
        lower->symints =
            arena_grow(lower->arena, lower->symints, lower->symints_capacity * sizeof(Symint), wider * sizeof(Symint));
        lower->symints_capacity = wider;
    }
    lower->symints[lower->num_symints++] = (Symint){lower->plan->num_results, expr};
    value.role = is_stride ? VALUE_stride : VALUE_size;
    value.kind = SPEC_KIND_UNSET;
    value.part = true;
    value.number = dimension;
    lower_add_result(lower, SLOT_INTEGER, name, value);
}

static void add_outer_symints(Lower *lower, const SpecSubclass *tree, const SpecInts *outer, const char *name,
                              PlanValue value)
{
    const bool is_stride = outer == &tree->outer_stride;
    const bool from_attr = (is_stride ? tree->outer_stride_attr : tree->outer_size_attr) >= 0;
    for (uint32_t d = 0; d < outer->text_count && spec_is(tree->symints); d++) {
        if (derive_is_symbolic(outer->expr[d])) {
            add_symint(lower, from_attr ? NULL : outer->expr[d], is_stride, d, name, value);
        }
    }
}

static void add_leaf_symints(Lower *lower, const SpecSubclass *leaf, const char *name, PlanValue value)
{
    for (uint32_t i = 0; i < leaf->symbol_args.text_count; i++) {
        const char *text = leaf->symbol_args.text[i];
        add_symint(lower, NULL, symbol_is_stride(text), symbol_dimension(text), name, value);
    }
}

/* A compiled function may leave symbolic sizes out, as in PyTorch: if all of them follow from what is known, its
 * results are moved to the places that they would have otherwise. */
void lower_spread(Lower *lower)
{
    const uint32_t full = lower->plan->num_results;
    const uint32_t count = full - lower->num_symints;
    IntegerRef *values = ARENA_ARRAY(lower->arena, IntegerRef, (size_t)lower->num_symints + 1);
    for (uint32_t i = 0; i < lower->num_symints; i++) {
        if (lower->symints[i].expr != NULL && !lower_is_bound(lower, lower->symints[i].expr)) {
            return;
        }
    }
    for (uint32_t i = 0; i < lower->num_symints; i++) {
        const Expr *expr = lower->symints[i].expr;
        values[i] = expr == NULL ? (IntegerRef){NULL, 0, 0} : lower_expr(lower, expr);
    }
    if (lower->num_symints == 0) {
        return;
    }
    const PlanSection *section = lower_section(lower, LAYER_subclass_wrapper);
    OpList *outer = lower->list;
    lower->plan->num_fewer = count;
    lower->list = LOWER_EMIT(lower, scope_without_symints, operand_count(count), operand_count(full))->body;
    uint32_t end = full; /* those in their place, from the last on */
    for (uint32_t i = lower->num_symints; i-- > 0;) {
        const uint32_t first = lower->symints[i].result + 1;
        if (end > first) {
            LOWER_EMIT(lower, spread, operand_count(first), operand_count(first - i - 1), operand_count(end - first));
        }
        LOWER_EMIT(lower, put_symint, operand_count(lower->symints[i].result), operand_integer(values[i]));
        end = lower->symints[i].result;
    }
    lower->list = outer;
    lower_resume(lower, section);
}

/* Declares the flat results of one value; returns the first of them. */
uint32_t lower_flat_results(Lower *lower, const SpecSubclass *tree, const char *name, PlanValue value)
{
    const uint32_t first = lower->plan->num_results;
    const char *whole = value.name;
    value.dtype = -1;
    value.size = &tree->size;
    value.stride = &tree->stride;
    if (tree->declared == NULL) {
        value.kind = tree->opaque ? SPEC_OPAQUE : SPEC_TENSOR;
        lower_add_result(lower, tree->opaque ? SLOT_POINTER : SLOT_TENSOR, name, value);
        add_leaf_symints(lower, tree, name, value);
        return first;
    }
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        value.part = true;
        value.name = arena_printf(lower->arena, "%s.%s", whole, tree->inner[i].attr);
        (void)lower_flat_results(lower, &tree->inner[i], name, value);
    }
    value.name = whole;
    add_outer_symints(lower, tree, &tree->outer_size, name, value);
    add_outer_symints(lower, tree, &tree->outer_stride, name, value);
    return first;
}

/* One outer dimension: a literal, -1 for a nested int, the integer that the graph returned for it, or the value of its
 * symbols. */
static IntegerRef outer_dimension(Lower *lower, const SpecSubclass *tree, const Expr *expr, uint32_t *flat)
{
    int64_t literal = 0;
    if (expr == NULL) {
        return (IntegerRef){NULL, -1, 0};
    }
    if (expr_is_literal(expr, &literal)) {
        return (IntegerRef){NULL, literal, 0};
    }
    if (spec_is(tree->symints)) {
        const Slot *slot = &lower->plan->slots[lower->plan->first_result + *flat];
        (*flat)++;
        return (IntegerRef){slot->text, 0, lower->plan->num_integers++};
    }
    return lower_expr(lower, expr);
}

static IntegerRefs outer_dimensions(Lower *lower, const SpecSubclass *tree, const SpecInts *ints, bool from_attr,
                                    uint32_t *flat)
{
    IntegerRef *at = ARENA_ARRAY(lower->arena, IntegerRef, (size_t)ints->text_count + 1);
    for (uint32_t d = 0; d < ints->text_count; d++) {
        const bool returned = spec_is(tree->symints) && derive_is_symbolic(ints->expr[d]);
        if (from_attr && !returned) {
            continue; /* the attribute has it: nothing to compute */
        }
        at[d] = outer_dimension(lower, tree, ints->expr[d], flat);
    }
    return (IntegerRefs){at, ints->text_count};
}

/* An attribute whose size or stride is the outer one has as many dimensions; nothing else tests the returned one. */
static void check_lender(Lower *lower, const SpecSubclass *tree, int32_t slot, const char *suffix, const char *name)
{
    const SpecInts *stated = tree->outer_size.text != NULL ? &tree->outer_size : &tree->outer_stride;
    if (slot >= 0 && stated->text != NULL) { /* else one attribute lends both */
        const Site *site = plan_site_of(lower->plan, suffix, name, "rank", "WG_E_RANK", "WG_KIND_INTEGER");
        LOWER_EMIT(lower, check_rank, operand_tensor((uint32_t)slot), operand_count(stated->text_count),
                   operand_site(site));
    }
}

/* `flat` is the next flat result; the attributes come first, then the symbolic sizes, then the strides. */
uint32_t lower_rebuild(Lower *lower, const SpecSubclass *tree, const char *name, uint32_t *flat)
{
    if (tree->declared == NULL) {
        const uint32_t leaf = lower->plan->first_result + *flat;
        *flat += derive_flat_count(tree);
        if (!tree->opaque) {
            lower_check_result_of(lower, leaf, lower_new_suffix(lower, tree->attr), name);
        }
        return leaf;
    }
    const uint32_t num_attrs = tree->declared->attrs_count;
    uint32_t *attrs = ARENA_ARRAY(lower->arena, uint32_t, (size_t)num_attrs + 1);
    uint32_t next = 0;
    for (uint32_t i = 0; i < num_attrs; i++) {
        if (next < tree->inner_count && tree->inner[next].attr_index == i) {
            const SpecSubclass *inner = &tree->inner[next];
            attrs[i] = lower_rebuild(lower, inner, arena_printf(lower->arena, "%s.%s", name, inner->attr), flat);
            next++;
        } else {
            attrs[i] = plan_slot(lower->plan, SLOT_CONSTANT, SLOT_TENSOR, 0, "NULL", "absent");
        }
    }
    PlanGeometry *outer = ARENA_NEW(lower->arena, PlanGeometry);
    outer->size_from = tree->outer_size_attr >= 0 ? (int32_t)attrs[tree->inner[tree->outer_size_attr].attr_index] : -1;
    outer->stride_from =
        tree->outer_stride_attr >= 0 ? (int32_t)attrs[tree->inner[tree->outer_stride_attr].attr_index] : -1;
    const char *suffix = lower_new_suffix(lower, tree->attr != NULL ? tree->attr : name);
    check_lender(lower, tree, outer->size_from, suffix, name);
    if (outer->stride_from != outer->size_from) {
        check_lender(lower, tree, outer->stride_from, suffix, name);
    }
    outer->sizes = outer_dimensions(lower, tree, &tree->outer_size, outer->size_from >= 0, flat);
    outer->strides = outer_dimensions(lower, tree, &tree->outer_stride, outer->stride_from >= 0, flat);
    lower_check_overflow_of(lower, suffix, name);
    const uint32_t dst =
        plan_slot(lower->plan, SLOT_TEMPORARY, SLOT_TENSOR, 0, arena_printf(lower->arena, "wrapped%s", suffix), name);
    LOWER_EMIT(lower, rebuild, operand_tensor(dst), operand_name(tree->declared->symbol), operand_name(tree->context),
               operand_values(attrs, num_attrs), operand_geometry(outer),
               operand_site(plan_site_of(lower->plan, suffix, name, "rebuild", "WG_E_HOST", "WG_KIND_STATUS")));
    return dst;
}

static void wrap_value(Lower *lower, uint32_t position, const SpecSubclass *tree, const char *name)
{
    if (tree != NULL) {
        uint32_t flat = lower->plan->slots[lower->value[position]].index;
        const PlanSection *outer = lower_section(lower, LAYER_subclass_wrapper);
        lower->value[position] = lower_rebuild(lower, tree, name, &flat);
        lower_resume(lower, outer);
    }
}

/* Comes right after the call: every other wrapper sees what the original program returned. */
void lower_wrap_results(Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    uint32_t nth = 0;
    for (uint32_t i = 0; i < lower->plan->facts.num_inner_args; i++) {
        const InnerArg *arg = &lower->plan->facts.inner_args[i];
        if (arg->mutation_type == MUTATED_OUT_GRAPH) {
            const bool is_input = arg->ref.kind == SPEC_REF_INPUT;
            const void *where = is_input ? (const void *)&graph->inputs[arg->ref.index]
                                         : (const void *)&graph->synthetic_bases[arg->ref.index];
            lower_at(lower, where, is_input ? ".inputs" : ".synthetic_bases", arg->ref.index);
            wrap_value(lower, lower_result_mutated(lower, nth++),
                       is_input ? graph->inputs[arg->ref.index].updated : NULL, lower_inner_name(lower, arg));
        }
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        lower_at(lower, &graph->outputs[i], ".outputs", i);
        wrap_value(lower, lower_result_output(lower, i), graph->outputs[i].subclass, graph->outputs[i].name);
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        lower_at(lower, &graph->intermediate_bases[i], ".intermediate_bases", i);
        wrap_value(lower, lower_result_base(lower, i), graph->intermediate_bases[i].subclass,
                   graph->intermediate_bases[i].name);
    }
}
