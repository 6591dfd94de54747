/* SPDX-License-Identifier: MIT */
/*
 * lower_arguments - loads and tests of what the caller gave.
 *
 * The order is a contract, so that a call with several faults always names the same one: identity of duplicates; then,
 * in input order, what is stated as literals (one test an input); then symbols, bound at their first bare use and held
 * to their declared bounds; then every other use of a symbol as an equality; last, at `check: full`, overlap.
 *
 * A stride is not tested where the stated size of its dimension is 1, as in PyTorch's assert_size_stride: it has no
 * meaning there. Exact types and the identity of duplicates are tested at every level; ranks wherever a dimension is
 * read.
 */
#include "lower.h"

#include <inttypes.h>

#include "../facts/comment.h"

/* ---- symbols are noted ---- */

static void at_input(Lower *lower, uint32_t i)
{
    lower_at(lower, &lower->graph->inputs[i], ".inputs", i);
}

/* An int argument as an integer of the plan. */
static IntegerRef input_value(const Lower *lower, uint32_t i)
{
    return (IntegerRef){lower->plan->slots[i].text, 0, i};
}

/* Argument i becomes a local once, right before its first use, so that it is in a register there. */
static void lower_load(Lower *lower, uint32_t i, bool *loaded)
{
    if (loaded[i]) {
        return;
    }
    loaded[i] = true;
    at_input(lower, i);
    if (lower->plan->slots[i].type == SLOT_TENSOR) {
        LOWER_EMIT(lower, load_tensor, operand_tensor(i), operand_count(i));
    } else if (lower->plan->slots[i].type == SLOT_INTEGER) {
        LOWER_EMIT(lower, load_integer, operand_integer(input_value(lower, i)), operand_count(i));
    } else {
        LOWER_EMIT(lower, load_value, operand_tensor(i), operand_count(i));
    }
}

static void lower_duplicates(Lower *lower, bool *loaded)
{
    if (lower->graph->duplicates_count == 0) {
        return;
    }
    for (uint32_t i = 0; i < lower->graph->duplicates_count; i++) {
        lower_load(lower, lower->graph->duplicates[i].of_index, loaded);
        lower_load(lower, lower->graph->duplicates[i].input_index, loaded);
    }
    lower_at(lower, lower->graph, ".duplicates", LOWER_WHOLE);
    const PlanSection *outer = lower_section(lower, LAYER_dedup_wrapper);
    for (uint32_t i = 0; i < lower->graph->duplicates_count; i++) {
        const SpecDuplicate *duplicate = &lower->graph->duplicates[i];
        const char *name = lower->graph->inputs[duplicate->input_index].name;
        lower_at(lower, duplicate, ".duplicates", i);
        const Site *site = plan_site(lower->plan, name, "identity", "WG_E_IDENTITY", "WG_KIND_NONE");
        LOWER_EMIT(lower, check_same, operand_tensor(duplicate->of_index), operand_tensor(duplicate->input_index),
                   operand_site(site));
    }
    lower_resume(lower, outer);
}

/* Waiting on a plain input: what is tested and passed on is the value that it promises. */
static uint32_t waited_input(Lower *lower, uint32_t i)
{
    const SpecInput *input = &lower->graph->inputs[i];
    if (input->wait.text_count == 0) {
        return i;
    }
    const uint32_t dst = plan_slot(lower->plan, SLOT_BORROWED, SLOT_TENSOR, 0,
                                   arena_printf(lower->arena, "waited_%s", input->name), input->name);
    const PlanSection *outer = lower_section(lower, LAYER_subclass_wrapper);
    LOWER_EMIT(lower, wait, operand_tensor(dst), operand_tensor(i), lower_host_site(lower, input->name, "wait"));
    lower_resume(lower, outer);
    lower_add_flat(lower, &lower->flat[i], (FlatArgument){.slot = dst});
    return dst;
}

/* A float for which the graph was compiled. */
static void lower_real(Lower *lower, uint32_t i)
{
    const SpecInput *input = &lower->graph->inputs[i];
    int64_t bits = 0;
    if (lower_checks(lower, SPEC_CHECK_CHEAP) && input->value.expr != NULL &&
        expr_is_literal(input->value.expr, &bits)) {
        LOWER_EMIT(lower, check_real, operand_tensor(i), operand_real(bits),
                   operand_site(plan_site(lower->plan, input->name, "value", "WG_E_VALUE", "WG_KIND_REAL")));
    }
}

/* A missing argument for which the graph was compiled. */
static void lower_none(Lower *lower, uint32_t i)
{
    const char *name = lower->graph->inputs[i].name;
    if (lower_checks(lower, SPEC_CHECK_CHEAP)) {
        LOWER_EMIT(lower, check_null, operand_tensor(i),
                   operand_site(plan_site(lower->plan, name, "null", "WG_E_VALUE", "WG_KIND_NONE")));
    }
}

static void lower_literals(Lower *lower, uint32_t i)
{
    const SpecInput *input = &lower->graph->inputs[i];
    int64_t literal = 0;
    if (input->subclass != NULL) {
        const PlanSection *outer = lower_section(lower, LAYER_subclass_wrapper);
        lower_unwrap(lower, i);
        lower_resume(lower, outer);
    } else if (input->kind == SPEC_TENSOR) {
        const Statement statement = {
            .slot = waited_input(lower, i),
            .suffix = input->name,
            .argument = input->name,
            .dtype = input->dtype_code,
            .device_type = input->device_type,
            .device_index = input->device_index,
            .size = &input->size,
            .stride = &input->stride,
            .offset = &input->storage_offset,
            .owns = &input->owns,
            .symbol_args = &input->symbol_args,
            .lazy = derive_lazy(input),
        };
        lower_statement(lower, &statement);
    } else if (input->kind == SPEC_NONE) {
        lower_none(lower, i);
    } else if (input->kind == SPEC_FLOAT) {
        lower_real(lower, i);
    } else if (input->value.expr != NULL && expr_is_literal(input->value.expr, &literal)) {
        if (lower_checks(lower, SPEC_CHECK_CHEAP)) {
            const Site *site = plan_site(lower->plan, input->name, "value", "WG_E_VALUE", "WG_KIND_INTEGER");
            LOWER_EMIT(lower, check_equal, operand_integer(input_value(lower, i)), operand_literal(literal),
                       operand_literal(-1), operand_site(site));
        }
    } else if (input->value.expr != NULL) {
        const Statement statement = {.slot = i, .suffix = input->name, .argument = input->name};
        lower_use(lower, &statement, OP_load_integer, -1, input->value.expr);
    }
}

/* ---- symbols are bound, then tested ---- */

static const char *use_rule(OpKind read)
{
    return read == OP_integer_size     ? "size"
           : read == OP_integer_stride ? "stride"
           : read == OP_integer_offset ? "offset"
           : read == OP_integer_nested ? "owner"
                                       : "value";
}

uint32_t lower_bound_tests(const SpecSymbol *symbol, BoundTest tests[BOUND_TESTS])
{
    uint32_t n = 0;
    if (symbol->has_min) {
        tests[n++] = (BoundTest){OP_check_minimum, symbol->min_value};
    }
    if (symbol->has_max) {
        tests[n++] = (BoundTest){OP_check_maximum, symbol->max_value};
    }
    if (symbol->multiple_of_value > 1) {
        tests[n++] = (BoundTest){OP_check_multiple, symbol->multiple_of_value};
    }
    return n;
}

static const Site *symbol_site(Lower *lower, const SymbolUse *use)
{
    const uint32_t symbol = use->expr->symbol;
    return plan_site_saying(lower->plan, use->suffix, use->argument,
                            arena_printf(lower->arena, "symbol%" PRIu32, symbol), "WG_E_SYMBOL", "WG_KIND_INTEGER",
                            comment_bounds(lower->arena, &lower->plan->spec->symbols[symbol]));
}

static const Site *use_site(Lower *lower, const SymbolUse *use)
{
    const char *code = use->read == OP_integer_size     ? "WG_E_SIZE"
                       : use->read == OP_integer_stride ? "WG_E_STRIDE"
                       : use->read == OP_integer_offset ? "WG_E_OFFSET"
                       : use->read == OP_integer_nested ? "WG_E_IDENTITY"
                                                        : "WG_E_VALUE";
    return plan_site_of(lower->plan, use->suffix, use->argument, use_rule(use->read), code, "WG_KIND_INTEGER");
}

/* What stands at that place of the argument, read into a local of that name. */
static IntegerRef emit_read(Lower *lower, const SymbolUse *use, const char *name)
{
    if (use->read == OP_load_integer) {
        return input_value(lower, use->slot);
    }
    const IntegerRef dst = lower_named_integer(lower, name);
    if (use->read == OP_integer_size) {
        LOWER_EMIT(lower, integer_size, operand_integer(dst), operand_tensor(use->slot), operand_count(use->dimension));
    } else if (use->read == OP_integer_stride) {
        LOWER_EMIT(lower, integer_stride, operand_integer(dst), operand_tensor(use->slot),
                   operand_count(use->dimension));
    } else if (use->read == OP_integer_nested) {
        LOWER_EMIT(lower, integer_nested, operand_integer(dst), operand_tensor(use->slot));
    } else {
        LOWER_EMIT(lower, integer_offset, operand_integer(dst), operand_tensor(use->slot));
    }
    return dst;
}

void lower_bounds(Lower *lower, const SymbolUse *use, IntegerRef value)
{
    BoundTest tests[BOUND_TESTS];
    const uint32_t num_tests = lower_bound_tests(&lower->plan->spec->symbols[use->expr->symbol], tests);
    for (uint32_t i = 0; i < num_tests; i++) {
        const Operand operands[OP_MAX_OPERANDS + 1] = {operand_integer(value), operand_literal(tests[i].bound),
                                                       operand_literal(use->dimension),
                                                       operand_site(symbol_site(lower, use))};
        plan_emit(lower->plan, lower->list, tests[i].op, lower->path, lower->where, operands);
    }
}

static void each_use(Lower *lower, void (*visit)(Lower *lower, const SymbolUse *use))
{
    for (uint32_t i = 0; i < lower->num_uses; i++) {
        lower->path = lower->uses[i].path;
        lower->where = lower->uses[i].where;
        visit(lower, &lower->uses[i]);
    }
}

static void bind_use(Lower *lower, const SymbolUse *use)
{
    if (use->expr->kind != EXPR_SYMBOL || lower->symbols[use->expr->symbol].name != NULL) {
        return;
    }
    const SpecSymbol *symbol = &lower->plan->spec->symbols[use->expr->symbol];
    const IntegerRef value = emit_read(lower, use, arena_printf(lower->arena, "sym_%s", symbol->name));
    lower->symbols[use->expr->symbol] = value;
    /* The binding place needs no equality: remember it by its address. */
    lower->bound_at[use->expr->symbol] = use->expr;
    if (lower_checks(lower, SPEC_CHECK_CHEAP)) {
        lower_bounds(lower, use, value);
    }
}

static void test_use(Lower *lower, const SymbolUse *use)
{
    if (use->expr->kind == EXPR_SYMBOL && lower->bound_at[use->expr->symbol] == use->expr) {
        return;
    }
    const IntegerRef expected = lower_expr(lower, use->expr);
    lower_check_overflow_of(lower, use->suffix, use->argument);
    const char *rule = use_rule(use->read);
    const char *local = use->dimension < 0
                            ? arena_printf(lower->arena, "%s_%s", rule, use->suffix)
                            : arena_printf(lower->arena, "%s%" PRId32 "_%s", rule, use->dimension, use->suffix);
    const IntegerRef found = emit_read(lower, use, local);
    LOWER_EMIT(lower, check_equal, operand_integer(found), operand_integer(expected), operand_literal(use->dimension),
               operand_site(use_site(lower, use)));
}

/* DebugAssertWrapper: an input that was traced without grad must not require it. */
static void lower_debug_assert(Lower *lower)
{
    for (uint32_t i = 0; i < lower->graph->inputs_count; i++) {
        const SpecInput *input = &lower->graph->inputs[i];
        if (input->kind != SPEC_TENSOR || !lower_is_tested(input) || spec_is(input->requires_grad)) {
            continue;
        }
        at_input(lower, i);
        const Site *site = plan_site(lower->plan, input->name, "nograd", "WG_E_GRAD", "WG_KIND_NONE");
        LOWER_EMIT(lower, check_no_grad, operand_tensor(i), operand_site(site));
    }
}

void lower_arguments(Lower *lower)
{
    lower_at(lower, lower->graph, ".inputs", LOWER_WHOLE);
    (void)lower_section(lower, LAYER_arguments);
    lower->flat = ARENA_ARRAY(lower->arena, FlatArguments, (size_t)lower->graph->inputs_count + 1);
    bool *loaded = ARENA_ARRAY(lower->arena, bool, (size_t)lower->graph->inputs_count + 1);
    lower_duplicates(lower, loaded);
    for (uint32_t i = 0; i < lower->graph->inputs_count; i++) {
        lower_load(lower, i, loaded);
        if (lower_is_tested(&lower->graph->inputs[i])) {
            at_input(lower, i);
            lower_literals(lower, i);
        }
    }
    each_use(lower, bind_use);
    if (lower_checks(lower, SPEC_CHECK_CHEAP)) {
        each_use(lower, test_use);
        lower_guards(lower);
    }
    if (lower_checks(lower, SPEC_CHECK_FULL)) {
        lower_overlaps(lower);
    }
    if (spec_is(lower->graph->debug_assert)) {
        lower_at(lower, lower->graph, ".inputs", LOWER_WHOLE);
        const PlanSection *outer = lower_section(lower, LAYER_debug_assert_wrapper);
        lower_debug_assert(lower);
        lower_resume(lower, outer);
    }
    lower_at(lower, lower->graph, "", LOWER_WHOLE);
    LOWER_EMIT(lower, check_host, lower_host_site(lower, NULL, "read"));
}
