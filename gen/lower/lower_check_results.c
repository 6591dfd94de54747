/* SPDX-License-Identifier: MIT */
/*
 * lower_check_results - tests what is stated about outputs, bases, updated inputs and gradients, from `check: cheap` on
 * (devices at `check: full`, like those of inputs).
 *
 * A fact is about one of two objects. Results of the compiled function are tested right after the call, before anything
 * has an effect: values that are passed through, values whose geometry an alias takes, bases of other outputs, leaves
 * of subclasses. The caller's results are tested where they are made, if they are different objects and the fact does
 * not follow from their parts: views with a stated geometry, inputs that are returned, subclasses.
 *
 * A result may be a part of a larger buffer; whoever states a storage offset says that this one is not, and has it
 * tested.
 */
#include "lower.h"

/* ---- facts ---- */

/* A backward does not know the symbols, and nothing does that only a result tells, until it has. */
static void add_expr(Lower *lower, FactList *list, FactRule rule, int32_t dimension, const Expr *expr)
{
    if (expr != NULL && lower_is_bound(lower, expr)) {
        fact_add(list, rule, dimension, lower_expr(lower, expr));
    }
}

/* The expression that defines a symbol needs no equality. */
static void add_late(Lower *lower, FactList *list, FactRule rule, int32_t dimension, const Expr *expr)
{
    const bool defines = expr != NULL && expr->kind == EXPR_SYMBOL && lower->bound_at[expr->symbol] == expr;
    if (!defines && lower_is_unbacked(lower, expr)) {
        add_expr(lower, list, rule, dimension, expr);
    }
}

static bool is_literally(const SpecInts *ints, uint32_t i, int64_t value)
{
    int64_t literal = 0;
    return i < ints->text_count && ints->expr[i] != NULL && expr_is_literal(ints->expr[i], &literal) &&
           literal == value;
}

/* Strides and offset of a tensor without elements have no effect. */
static bool is_empty(const SpecInts *size)
{
    bool empty = false;
    for (uint32_t i = 0; i < size->text_count; i++) {
        empty = empty || is_literally(size, i, 0);
    }
    return empty;
}

bool lower_stride_counts(const SpecInts *size, uint32_t dimension)
{
    return !is_literally(size, dimension, 1) && !is_empty(size);
}

typedef void AddExpr(Lower *lower, FactList *list, FactRule rule, int32_t dimension, const Expr *expr);

static void add_geometry(Lower *lower, FactList *list, const Statement *statement, AddExpr *add_one)
{
    const SpecInts *size = statement->size;
    const SpecInts *stride = statement->stride;
    for (uint32_t i = 0; i < size->text_count; i++) {
        add_one(lower, list, FACT_SIZE, (int32_t)i, size->expr[i]);
    }
    for (uint32_t i = 0; i < stride->text_count; i++) {
        if (lower_stride_counts(size, i)) {
            add_one(lower, list, FACT_STRIDE, (int32_t)i, stride->expr[i]);
        }
    }
    if (statement->offset != NULL) {
        add_one(lower, list, FACT_OFFSET, -1, statement->offset->expr);
    }
}

static FactList statement_facts(Lower *lower, const Statement *statement)
{
    FactList list = {.plan = lower->plan};
    if (statement->dtype >= 0) {
        fact_add_literal(&list, FACT_DTYPE, -1, statement->dtype);
    }
    fact_add_rank(&list, statement->size, statement->stride);
    add_geometry(lower, &list, statement, add_expr);
    if (lower_checks(lower, SPEC_CHECK_FULL)) {
        fact_add_device(&list, statement->device_type, statement->device_index);
    }
    return list;
}

/* ---- what was returned ---- */

/* One test, which also covers null. */
static void match_returned(Lower *lower, const Statement *statement, FactList list)
{
    lower_check_overflow_of(lower, statement->suffix, statement->argument);
    const Operand site = operand_site(
        plan_site_of(lower->plan, statement->suffix, statement->argument, "result", "WG_E_RESULT", "WG_KIND_NONE"));
    const Operand facts = fact_operand(&list, "facts", statement->suffix);
    if (host_has(lower->host, "wg_matches")) {
        LOWER_EMIT(lower, match_returned, operand_tensor(statement->slot), facts, site);
    } else {
        LOWER_EMIT(lower, check_returned, operand_tensor(statement->slot), facts, site);
    }
    lower_mark_checked(lower, statement->slot);
}

/* Where nothing is tested, an owner is asked all the same if it defines the nested int. A backward has none. */
static bool reads_owner(const Lower *lower, const Statement *statement)
{
    return statement->owns != NULL && statement->owns->expr != NULL &&
           (lower_checks(lower, SPEC_CHECK_CHEAP) || lower_is_unbacked(lower, statement->owns->expr));
}

/* That the graph returned the very tensor that makes two ragged sizes one. */
static void check_owner(Lower *lower, const Statement *statement)
{
    const Expr *expr = statement->owns->expr;
    const IntegerRef number = lower_named_integer(lower, arena_printf(lower->arena, "owner_%s", statement->suffix));
    LOWER_EMIT(lower, integer_nested, operand_integer(number), operand_tensor(statement->slot));
    lower_note_number(lower, statement, "owner", -1, number, expr);
    if (lower_is_bound(lower, expr)) {
        lower_check_number(lower, statement, "owner", -1, number, expr);
    }
}

/* Where nothing is tested, and where what is stated is tested later, on the tensor that is made for the caller, its
 * rank is all the same, if a size of it is read. */
static void check_returned(Lower *lower, const Statement *statement, bool tested)
{
    const bool defines = lower_note_tensor(lower, statement, tested);
    FactList list = {.plan = lower->plan};
    if (tested && lower_checks(lower, SPEC_CHECK_CHEAP)) {
        list = statement_facts(lower, statement);
    } else if (defines) {
        fact_add_rank(&list, statement->size, statement->stride);
    }
    /* Where only an unbacked offset is stated, the tensor is tested now and its offset later. */
    const bool late = tested && statement->offset != NULL && lower_is_unbacked(lower, statement->offset->expr);
    const bool owns = reads_owner(lower, statement);
    if (list.count > 0 || owns || (late && lower_checks(lower, SPEC_CHECK_CHEAP))) {
        match_returned(lower, statement, list);
    }
    if (owns) {
        check_owner(lower, statement);
    }
}

void lower_check_late(Lower *lower, const Statement *statement)
{
    FactList list = {.plan = lower->plan};
    add_geometry(lower, &list, statement, add_late);
    if (list.count > 0) {
        lower_check_overflow_of(lower, statement->suffix, statement->argument);
        LOWER_EMIT(lower, check_stated, operand_tensor(statement->slot), fact_operand(&list, "late", statement->suffix),
                   operand_site(plan_site_of(lower->plan, statement->suffix, statement->argument, "result",
                                             "WG_E_RESULT", "WG_KIND_NONE")));
    }
}

void lower_check_number(Lower *lower, const Statement *statement, const char *rule, int32_t dimension,
                        IntegerRef number, const Expr *expr)
{
    const IntegerRef expected = lower_expr(lower, expr);
    lower_check_overflow_of(lower, statement->suffix, statement->argument);
    LOWER_EMIT(lower, check_equal, operand_integer(number), operand_integer(expected), operand_literal(dimension),
               operand_site(plan_site_of(lower->plan, statement->suffix, statement->argument, rule, "WG_E_RESULT",
                                         "WG_KIND_INTEGER")));
}

static void check_number(Lower *lower, const char *suffix, const char *argument, const char *rule, int32_t dimension,
                         uint32_t slot, const Expr *expr)
{
    const Statement statement = {.suffix = suffix, .argument = argument};
    const IntegerRef number = {lower->plan->slots[slot].text, 0, lower->plan->num_integers++};
    lower_note_number(lower, &statement, rule, dimension, number, expr);
    if (lower_is_bound(lower, expr) && lower_checks(lower, SPEC_CHECK_CHEAP)) {
        lower_check_number(lower, &statement, rule, dimension, number, expr);
    }
}

/* Symbolic outer sizes and strides are returned as integers; those that come from an attribute are not read. */
static void check_symints(Lower *lower, const SpecSubclass *tree, const SpecInts *outer, const char *argument,
                          uint32_t *flat, bool is_stride)
{
    const bool from_attr = (is_stride ? tree->outer_stride_attr : tree->outer_size_attr) >= 0;
    const char *rule = is_stride ? "stride" : "size";
    for (uint32_t d = 0; d < outer->text_count && spec_is(tree->symints); d++) {
        if (!derive_is_symbolic(outer->expr[d])) {
            continue;
        }
        const uint32_t slot = lower->plan->first_result + (*flat)++;
        const bool known = lower_is_bound(lower, outer->expr[d]) || lower_is_unbacked(lower, outer->expr[d]);
        if (!from_attr && known) {
            const char *suffix = lower_new_suffix(lower, tree->attr != NULL ? tree->attr : argument);
            check_number(lower, suffix, argument, rule, (int32_t)d, slot, outer->expr[d]);
        }
    }
}

/* In the order of the flat results: attributes, then symbolic sizes, then strides. */
static void check_tree(Lower *lower, const SpecSubclass *tree, const char *argument, uint32_t *flat)
{
    const bool stated = tree->size.text != NULL || tree->stride.text != NULL || tree->owns.text != NULL;
    const uint32_t first = *flat;
    if (tree->declared == NULL) {
        *flat += derive_flat_count(tree); /* its symbol_args are not read: it has them itself */
    }
    if (tree->declared == NULL && (tree->opaque || !stated)) {
        return;
    }
    if (tree->declared == NULL) {
        const Statement statement = {
            .slot = lower->plan->first_result + first,
            .suffix = lower_new_suffix(lower, tree->attr),
            .argument = argument,
            .dtype = -1,
            .device_type = -1,
            .size = &tree->size,
            .stride = &tree->stride,
            .owns = &tree->owns,
        };
        check_returned(lower, &statement, true);
        return;
    }
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        check_tree(lower, &tree->inner[i], arena_printf(lower->arena, "%s.%s", argument, tree->inner[i].attr), flat);
    }
    check_symints(lower, tree, &tree->outer_size, argument, flat, false);
    check_symints(lower, tree, &tree->outer_stride, argument, flat, true);
}

/* Symbols must be defined where nothing is tested, too. */
static bool has_unbacked(const Lower *lower)
{
    const Spec *spec = lower->plan->spec;
    bool any = false;
    for (uint32_t i = 0; i < spec->symbols_count; i++) {
        any = any || spec_is(spec->symbols[i].unbacked);
    }
    return any;
}

void lower_check_tree(Lower *lower, const SpecSubclass *tree, const char *name, uint32_t position)
{
    uint32_t flat = lower->plan->slots[lower->value[position]].index;
    if (lower_checks(lower, SPEC_CHECK_CHEAP) || has_unbacked(lower)) {
        check_tree(lower, tree, name, &flat);
    }
}

static void check_updated(Lower *lower)
{
    uint32_t nth = 0;
    for (uint32_t i = 0; i < lower->plan->facts.num_inner_args; i++) {
        const InnerArg *arg = &lower->plan->facts.inner_args[i];
        if (arg->mutation_type != MUTATED_OUT_GRAPH) {
            continue;
        }
        const uint32_t position = lower_result_mutated(lower, nth++);
        const SpecInput *input = arg->ref.kind == SPEC_REF_INPUT ? &lower->graph->inputs[arg->ref.index] : NULL;
        if (input != NULL && input->updated != NULL) {
            lower_at(lower, input, ".inputs", arg->ref.index);
            lower_check_tree(lower, input->updated, input->name, position);
        }
    }
}

/* For each output: whether another one is a view of it, made with its stated geometry. */
static bool *viewed_outputs(const Lower *lower)
{
    bool *is_viewed = ARENA_ARRAY(lower->arena, bool, (size_t)lower->graph->outputs_count + 1);
    for (uint32_t i = 0; i < lower->graph->outputs_count; i++) {
        const SpecOutput *output = &lower->graph->outputs[i];
        if (output->base_ref.kind == SPEC_REF_OUTPUT && output->view_count > 0) {
            is_viewed[output->base_ref.index] = true;
        }
    }
    return is_viewed;
}

static void check_output(Lower *lower, uint32_t i, bool is_viewed)
{
    const SpecOutput *output = &lower->graph->outputs[i];
    const uint32_t position = lower_result_output(lower, i);
    const bool aliased = derive_is_aliased(output->type);
    const bool own = output->type == SPEC_IS_INPUT || output->view_count > 0 || output->as_strided != NULL;
    const bool lends = aliased && !own;
    lower_at(lower, output, ".outputs", i);
    if (output->kind != SPEC_TENSOR) {
        if (output->value.expr != NULL) {
            check_number(lower, output->name, output->name, "value", -1, lower->value[position], output->value.expr);
        }
    } else if (output->subclass != NULL) {
        lower_check_tree(lower, output->subclass, output->name, position);
    } else if (output->type != SPEC_IS_INPUT || is_viewed) {
        const Statement statement = {
            .slot = lower->value[position],
            .suffix = output->name,
            .argument = output->name,
            .dtype = output->dtype_code,
            .device_type = aliased ? -1 : output->device_type,
            .device_index = aliased ? -1 : output->device_index,
            .size = &output->size,
            .stride = &output->stride,
            .offset = &output->storage_offset,
        };
        check_returned(lower, &statement, !aliased || lends || is_viewed);
    }
}

static void check_base(Lower *lower, uint32_t i)
{
    const SpecBase *base = &lower->graph->intermediate_bases[i];
    const uint32_t position = lower_result_base(lower, i);
    lower_at(lower, base, ".intermediate_bases", i);
    if (base->subclass != NULL) {
        lower_check_tree(lower, base->subclass, base->name, position);
        return;
    }
    const Statement statement = {
        .slot = lower->value[position],
        .suffix = base->name,
        .argument = base->name,
        .dtype = base->dtype_code,
        .device_type = base->device_type,
        .device_index = base->device_index,
        .size = &base->size,
        .stride = &base->stride,
        .offset = &base->storage_offset,
    };
    check_returned(lower, &statement, true);
}

void lower_check_returned(Lower *lower)
{
    const SpecGraph *graph = lower->graph;
    if (!lower_checks(lower, SPEC_CHECK_CHEAP) && !has_unbacked(lower)) {
        return;
    }
    lower_at(lower, graph, ".outputs", LOWER_WHOLE);
    const PlanSection *outer = lower_section(lower, LAYER_results);
    const bool *is_viewed = viewed_outputs(lower);
    const Op *last = lower->list->last;
    check_updated(lower);
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        check_output(lower, i, is_viewed[i]);
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        check_base(lower, i);
    }
    lower_define_symbols(lower);
    lower_at(lower, graph, "", LOWER_WHOLE);
    if (lower->list->last != last) {
        LOWER_EMIT(lower, check_host, lower_host_site(lower, NULL, "read"));
    }
    lower_resume(lower, outer);
}

/* ---- what the caller gets ---- */

static bool is_known(Lower *lower, const Integer *known, const Expr *stated)
{
    return known != NULL &&
           integer_equal(lower->integers, known, integer_from_expr(lower->integers, stated)) == TRUTH_YES;
}

static void add_unknown(Lower *lower, FactList *list, FactRule rule, int32_t dimension, const Integer *known,
                        const Expr *stated)
{
    if (stated != NULL && !is_known(lower, known, stated)) {
        add_expr(lower, list, rule, dimension, stated);
    }
}

static void add_unknown_geometry(Lower *lower, FactList *list, const SpecOutput *output, const Known *known)
{
    if (known->sizes == NULL) {
        fact_add_rank(list, &output->size, &output->stride);
    }
    for (uint32_t i = 0; i < output->size.text_count; i++) {
        add_unknown(lower, list, FACT_SIZE, (int32_t)i, known->sizes == NULL ? NULL : known->sizes[i],
                    output->size.expr[i]);
    }
    for (uint32_t i = 0; i < output->stride.text_count; i++) {
        if (lower_stride_counts(&output->size, i)) {
            add_unknown(lower, list, FACT_STRIDE, (int32_t)i, known->strides == NULL ? NULL : known->strides[i],
                        output->stride.expr[i]);
        }
    }
    add_unknown(lower, list, FACT_OFFSET, -1, known->offset, output->storage_offset.expr);
}

void lower_check_delivered(Lower *lower, const SpecOutput *output, uint32_t slot, const Known *known)
{
    FactList list = {.plan = lower->plan};
    if (!lower_checks(lower, SPEC_CHECK_CHEAP)) {
        return;
    }
    if (output->dtype_code >= 0 && output->dtype_code != known->dtype) {
        fact_add_literal(&list, FACT_DTYPE, -1, output->dtype_code);
    }
    if (!known->geometry) {
        add_unknown_geometry(lower, &list, output, known);
    }
    const bool moves = output->device_type != known->device_type || output->device_index != known->device_index;
    if (moves && lower_checks(lower, SPEC_CHECK_FULL)) {
        fact_add_device(&list, output->device_type, output->device_index);
    }
    if (list.count == 0) {
        return;
    }
    lower_check_overflow(lower, output->name);
    LOWER_EMIT(lower, check_stated, operand_tensor(slot), fact_operand(&list, "stated", output->name),
               operand_site(plan_site(lower->plan, output->name, "result", "WG_E_RESULT", "WG_KIND_NONE")));
    if (!derive_is_aliased(output->type)) { /* else delivery checks for null */
        LOWER_EMIT(lower, check_host, lower_host_site(lower, NULL, "read"));
    }
}
