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

static bool at_least(const Lower *lower, SpecCheck level)
{
    return lower->graph->check >= level;
}

static bool is_tested(const SpecInput *input)
{
    return !spec_is(input->frozen) && input->duplicate_of < 0;
}

static bool has_symbol(const SpecInts *ints)
{
    int64_t literal = 0;
    for (uint32_t i = 0; i < ints->text_count; i++) {
        if (!expr_is_literal(ints->expr[i], &literal)) {
            return true;
        }
    }
    return false;
}

static void add_fact(Fact *facts, uint32_t *n, FactRule rule, int32_t dimension, int64_t expected)
{
    facts[*n] = (Fact){rule, dimension, expected};
    (*n)++;
}

static void add_list_facts(Fact *facts, uint32_t *n, FactRule rule, const SpecInts *ints, const SpecInts *sizes)
{
    for (uint32_t i = 0; i < ints->text_count; i++) {
        int64_t literal = 0;
        int64_t size = 0;
        const bool no_meaning =
            rule == FACT_STRIDE && i < sizes->text_count && expr_is_literal(sizes->expr[i], &size) && size == 1;
        if (!no_meaning && expr_is_literal(ints->expr[i], &literal)) {
            add_fact(facts, n, rule, (int32_t)i, literal);
        }
    }
}

static void add_device_fact(Fact *facts, uint32_t *n, const SpecInput *input)
{
    if (input->device_type >= 0 && input->device_index >= 0) {
        add_fact(facts, n, FACT_DEVICE, -1, (int64_t)input->device_type * 256 + input->device_index);
    } else if (input->device_type >= 0) {
        add_fact(facts, n, FACT_DEVICE_TYPE, -1, input->device_type);
    }
}

/* The literal facts of a tensor input that its level tests. */
static const Facts *input_facts(Lower *lower, const SpecInput *input)
{
    const bool has_rank = input->size.text != NULL || input->stride.text != NULL;
    const uint32_t rank = input->size.text != NULL ? input->size.text_count : input->stride.text_count;
    Fact *facts = ARENA_ARRAY(lower->arena, Fact, (size_t)rank * 2 + 6);
    uint32_t n = 0;
    const bool cheap = at_least(lower, SPEC_CHECK_CHEAP);
    if (cheap && input->dtype_code >= 0) {
        add_fact(facts, &n, FACT_DTYPE, -1, input->dtype_code);
    }
    if (has_rank &&
        (cheap || has_symbol(&input->size) || has_symbol(&input->stride) || input->symbol_args.text_count > 0)) {
        add_fact(facts, &n, FACT_RANK, -1, rank);
    }
    if (cheap) {
        add_list_facts(facts, &n, FACT_SIZE, &input->size, &input->size);
        add_list_facts(facts, &n, FACT_STRIDE, &input->stride, &input->size);
        int64_t offset = 0;
        if (input->storage_offset.expr != NULL && expr_is_literal(input->storage_offset.expr, &offset)) {
            add_fact(facts, &n, FACT_OFFSET, -1, offset);
        }
    }
    if (at_least(lower, SPEC_CHECK_FULL)) {
        add_device_fact(facts, &n, input);
        if (input->dtype_code >= 0 && dtype_size(input->dtype_code) > 1) {
            const uint32_t size = dtype_size(input->dtype_code);
            add_fact(facts, &n, FACT_ALIGNMENT, -1, dtype_is_complex(input->dtype_code) ? size / 2 : size);
        }
    }
    return plan_facts(lower->plan, input->name, facts, n);
}

static void at_input(Lower *lower, uint32_t i)
{
    lower_at(lower, &lower->graph->inputs[i], ".inputs", i);
}

/* An int argument as an integer of the plan. */
static IntegerRef input_value(const Lower *lower, uint32_t i)
{
    return (IntegerRef){lower->plan->slots[i].text, 0, i};
}

static void lower_loads(Lower *lower)
{
    for (uint32_t i = 0; i < lower->graph->inputs_count; i++) {
        at_input(lower, i);
        if (lower->plan->slots[i].type == SLOT_TENSOR) {
            LOWER_EMIT(lower, load_tensor, operand_tensor(i), operand_count(i));
        } else if (lower->plan->slots[i].type == SLOT_INTEGER) {
            LOWER_EMIT(lower, load_integer, operand_integer(input_value(lower, i)), operand_count(i));
        } else {
            LOWER_EMIT(lower, load_value, operand_tensor(i), operand_count(i));
        }
    }
}

static void lower_duplicates(Lower *lower)
{
    for (uint32_t i = 0; i < lower->graph->duplicates_count; i++) {
        const SpecDuplicate *duplicate = &lower->graph->duplicates[i];
        const char *name = lower->graph->inputs[duplicate->input_index].name;
        lower_at(lower, duplicate, ".duplicates", i);
        const Site *site = plan_site(lower->plan, name, "identity", "WG_E_IDENTITY", "WG_KIND_NONE");
        LOWER_EMIT(lower, check_same, operand_tensor(duplicate->of_index), operand_tensor(duplicate->input_index),
                   operand_site(site));
    }
}

static void lower_literals(Lower *lower, uint32_t i)
{
    const SpecInput *input = &lower->graph->inputs[i];
    int64_t literal = 0;
    if (input->kind == SPEC_TENSOR) {
        const Site *site = plan_site(lower->plan, input->name, "tensor", "WG_E_TYPE", "WG_KIND_NONE");
        LOWER_EMIT(lower, check_tensor, operand_tensor(i), operand_facts(input_facts(lower, input)),
                   operand_site(site));
    } else if (input->value.expr != NULL && expr_is_literal(input->value.expr, &literal) &&
               at_least(lower, SPEC_CHECK_CHEAP)) {
        const Site *site = plan_site(lower->plan, input->name, "value", "WG_E_VALUE", "WG_KIND_INTEGER");
        LOWER_EMIT(lower, check_equal, operand_integer(input_value(lower, i)), operand_literal(literal),
                   operand_literal(-1), operand_site(site));
    }
}

/* ---- symbols ---- */

/* One place of an input where an expression stands. */
typedef struct SymbolUse {
    uint32_t input;
    OpKind read; /* integer_size, integer_stride, integer_offset, or load_integer: the value itself */
    int32_t dimension;
    const Expr *expr;
} SymbolUse;

static const char *use_rule(OpKind read)
{
    return read == OP_integer_size     ? "size"
           : read == OP_integer_stride ? "stride"
           : read == OP_integer_offset ? "offset"
                                       : "value";
}

static const Site *use_site(Lower *lower, const SymbolUse *use, bool bound)
{
    const char *name = lower->graph->inputs[use->input].name;
    if (bound) {
        return plan_site(lower->plan, name, "symbol", "WG_E_SYMBOL", "WG_KIND_INTEGER");
    }
    const char *code = use->read == OP_integer_size     ? "WG_E_SIZE"
                       : use->read == OP_integer_stride ? "WG_E_STRIDE"
                       : use->read == OP_integer_offset ? "WG_E_OFFSET"
                                                        : "WG_E_VALUE";
    return plan_site(lower->plan, name, use_rule(use->read), code, "WG_KIND_INTEGER");
}

/* What stands at that place of the argument, read into a local of that name. */
static IntegerRef emit_read(Lower *lower, const SymbolUse *use, const char *name)
{
    if (use->read == OP_load_integer) {
        return input_value(lower, use->input);
    }
    const IntegerRef dst = lower_named_integer(lower, name);
    if (use->read == OP_integer_size) {
        LOWER_EMIT(lower, integer_size, operand_integer(dst), operand_tensor(use->input),
                   operand_count(use->dimension));
    } else if (use->read == OP_integer_stride) {
        LOWER_EMIT(lower, integer_stride, operand_integer(dst), operand_tensor(use->input),
                   operand_count(use->dimension));
    } else {
        LOWER_EMIT(lower, integer_offset, operand_integer(dst), operand_tensor(use->input));
    }
    return dst;
}

static void lower_bounds(Lower *lower, const SymbolUse *use, const SpecSymbol *symbol, IntegerRef value)
{
    if (!symbol->has_min && !symbol->has_max && symbol->multiple_of_value <= 1) {
        return;
    }
    const Operand site = operand_site(use_site(lower, use, true));
    const Operand found = operand_integer(value);
    const Operand dimension = operand_literal(use->dimension);
    if (symbol->has_min) {
        LOWER_EMIT(lower, check_minimum, found, operand_literal(symbol->min_value), dimension, site);
    }
    if (symbol->has_max) {
        LOWER_EMIT(lower, check_maximum, found, operand_literal(symbol->max_value), dimension, site);
    }
    if (symbol->multiple_of_value > 1) {
        LOWER_EMIT(lower, check_multiple, found, operand_literal(symbol->multiple_of_value), dimension, site);
    }
}

/* Calls `visit` for every non-literal place of the tested inputs, in order. */
static void each_use(Lower *lower, void (*visit)(Lower *lower, const SymbolUse *use))
{
    for (uint32_t i = 0; i < lower->graph->inputs_count; i++) {
        const SpecInput *input = &lower->graph->inputs[i];
        int64_t literal = 0;
        if (!is_tested(input)) {
            continue;
        }
        at_input(lower, i);
        for (uint32_t d = 0; d < input->size.text_count; d++) {
            if (!expr_is_literal(input->size.expr[d], &literal)) {
                visit(lower, &(SymbolUse){i, OP_integer_size, (int32_t)d, input->size.expr[d]});
            }
        }
        for (uint32_t d = 0; d < input->stride.text_count; d++) {
            if (!expr_is_literal(input->stride.expr[d], &literal)) {
                visit(lower, &(SymbolUse){i, OP_integer_stride, (int32_t)d, input->stride.expr[d]});
            }
        }
        if (input->storage_offset.expr != NULL && !expr_is_literal(input->storage_offset.expr, &literal)) {
            visit(lower, &(SymbolUse){i, OP_integer_offset, -1, input->storage_offset.expr});
        }
        if (input->value.expr != NULL && !expr_is_literal(input->value.expr, &literal)) {
            visit(lower, &(SymbolUse){i, OP_load_integer, -1, input->value.expr});
        }
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
    if (at_least(lower, SPEC_CHECK_CHEAP)) {
        lower_bounds(lower, use, symbol, value);
    }
}

static void test_use(Lower *lower, const SymbolUse *use)
{
    if (use->expr->kind == EXPR_SYMBOL && lower->bound_at[use->expr->symbol] == use->expr) {
        return;
    }
    const char *name = lower->graph->inputs[use->input].name;
    const IntegerRef expected = lower_expr(lower, use->expr);
    lower_check_overflow(lower, name);
    const char *local = use->dimension < 0
                            ? arena_printf(lower->arena, "%s_%s", use_rule(use->read), name)
                            : arena_printf(lower->arena, "%s%" PRId32 "_%s", use_rule(use->read), use->dimension, name);
    const IntegerRef found = emit_read(lower, use, local);
    LOWER_EMIT(lower, check_equal, operand_integer(found), operand_integer(expected), operand_literal(use->dimension),
               operand_site(use_site(lower, use, false)));
}

/* ---- overlap ---- */

static bool overlaps_by_design(const SpecInput *a, const SpecInput *b)
{
    return a->synthetic_base >= 0 && a->synthetic_base == b->synthetic_base;
}

/* A data mutation of one input must not reach another: PyTorch assumes of these inputs that they do not overlap. */
static void lower_overlaps(Lower *lower)
{
    for (uint32_t i = 0; i < lower->graph->inputs_count; i++) {
        const SpecInput *input = &lower->graph->inputs[i];
        if (!spec_is(input->mutates_data) || input->kind != SPEC_TENSOR || !is_tested(input)) {
            continue;
        }
        at_input(lower, i);
        for (uint32_t j = 0; j < lower->graph->inputs_count; j++) {
            const SpecInput *other = &lower->graph->inputs[j];
            const bool seen = spec_is(other->mutates_data) && j < i;
            if (j == i || seen || other->kind != SPEC_TENSOR || !is_tested(other) || overlaps_by_design(input, other)) {
                continue;
            }
            const Site *site = plan_site(lower->plan, input->name, "overlap", "WG_E_OVERLAP", "WG_KIND_NONE");
            LOWER_EMIT(lower, check_overlap, operand_tensor(i), operand_tensor(j), operand_site(site));
        }
    }
}

/* DebugAssertWrapper: an input that was traced without grad must not require it. */
static void lower_debug_assert(Lower *lower)
{
    for (uint32_t i = 0; i < lower->graph->inputs_count; i++) {
        const SpecInput *input = &lower->graph->inputs[i];
        if (input->kind != SPEC_TENSOR || !is_tested(input) || spec_is(input->requires_grad)) {
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
    lower_section(lower, "arguments");
    lower_loads(lower);
    lower_duplicates(lower);
    for (uint32_t i = 0; i < lower->graph->inputs_count; i++) {
        if (is_tested(&lower->graph->inputs[i])) {
            at_input(lower, i);
            lower_literals(lower, i);
        }
    }
    each_use(lower, bind_use);
    if (at_least(lower, SPEC_CHECK_CHEAP)) {
        each_use(lower, test_use);
    }
    if (at_least(lower, SPEC_CHECK_FULL)) {
        lower_overlaps(lower);
    }
    if (spec_is(lower->graph->debug_assert)) {
        lower_debug_assert(lower);
    }
    lower_at(lower, lower->graph, "", LOWER_WHOLE);
    LOWER_EMIT(lower, check_host, lower_host_site(lower, NULL, "read"));
}
