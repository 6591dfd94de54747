/* SPDX-License-Identifier: MIT */
/*
 * lower_check_argument - what is stated about one tensor that the caller gave: its literals as one test, and its
 * symbols noted, to be bound and tested when all tensors are there (lower_arguments.c).
 *
 * A stride is not tested where the stated size of its dimension is 1, as in PyTorch's assert_size_stride: it has no
 * meaning there.
 */
#include "lower.h"

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
    facts[*n] = (Fact){rule, dimension, {NULL, expected, 0}};
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

/* Tested for every tensor: no PyTorch kernel for an ordinary one reads another right, and nothing else would tell. A
 * host that does not know such tensors has none; one that is stated is refused for the verb that the host lacks. */
static void add_lazy_fact(const Lower *lower, Fact *facts, uint32_t *n, int32_t lazy)
{
    if (lazy != 0 || host_has(lower->host, "wg_lazy")) {
        add_fact(facts, n, FACT_LAZY, -1, lazy);
    }
}

static void add_device_fact(Fact *facts, uint32_t *n, const Statement *statement)
{
    if (statement->device_type >= 0 && statement->device_index >= 0) {
        add_fact(facts, n, FACT_DEVICE, -1, (int64_t)statement->device_type * 256 + statement->device_index);
    } else if (statement->device_type >= 0) {
        add_fact(facts, n, FACT_DEVICE_TYPE, -1, statement->device_type);
    }
}

/* The literal facts that the graph's level tests. */
static const Facts *statement_facts(Lower *lower, const Statement *statement)
{
    const SpecInts *size = statement->size;
    const SpecInts *stride = statement->stride;
    const bool has_rank = size->text != NULL || stride->text != NULL;
    const uint32_t rank = size->text != NULL ? size->text_count : stride->text_count;
    Fact *facts = ARENA_ARRAY(lower->arena, Fact, (size_t)rank * 2 + 7);
    uint32_t n = 0;
    const bool cheap = lower_checks(lower, SPEC_CHECK_CHEAP);
    if (cheap && statement->dtype >= 0) {
        add_fact(facts, &n, FACT_DTYPE, -1, statement->dtype);
    }
    if (has_rank && (cheap || has_symbol(size) || has_symbol(stride) || statement->symbol_args->text_count > 0)) {
        add_fact(facts, &n, FACT_RANK, -1, rank);
    }
    if (cheap) {
        int64_t offset = 0;
        add_list_facts(facts, &n, FACT_SIZE, size, size);
        add_list_facts(facts, &n, FACT_STRIDE, stride, size);
        if (statement->offset != NULL && statement->offset->expr != NULL &&
            expr_is_literal(statement->offset->expr, &offset)) {
            add_fact(facts, &n, FACT_OFFSET, -1, offset);
        }
        add_lazy_fact(lower, facts, &n, statement->lazy);
    }
    if (lower_checks(lower, SPEC_CHECK_FULL)) {
        const uint32_t bytes = dtype_size(statement->dtype);
        add_device_fact(facts, &n, statement);
        if (statement->dtype >= 0 && bytes > 1) {
            add_fact(facts, &n, FACT_ALIGNMENT, -1, dtype_is_complex(statement->dtype) ? bytes / 2 : bytes);
        }
    }
    return plan_facts(lower->plan, "facts", statement->suffix, facts, n);
}

/* ---- symbols are noted ---- */

void lower_use(Lower *lower, const Statement *statement, OpKind read, int32_t dimension, const Expr *expr)
{
    if (lower->num_uses == lower->uses_capacity) {
        const uint32_t wider = lower->uses_capacity == 0 ? 16 : lower->uses_capacity * 2;
        lower->uses =
            arena_grow(lower->arena, lower->uses, lower->uses_capacity * sizeof(SymbolUse), wider * sizeof(SymbolUse));
        lower->uses_capacity = wider;
    }
    lower->uses[lower->num_uses++] = (SymbolUse){
        statement->slot, statement->suffix, statement->argument, lower->path, lower->where, read, dimension, expr};
}

static void use_list(Lower *lower, const Statement *statement, OpKind read, const SpecInts *ints)
{
    int64_t literal = 0;
    for (uint32_t d = 0; d < ints->text_count; d++) {
        if (!expr_is_literal(ints->expr[d], &literal)) {
            lower_use(lower, statement, read, (int32_t)d, ints->expr[d]);
        }
    }
}

/* Where reads are calls, a host answers all at once; else they are better seen by the compiler, one by one. */
void lower_check_tensor(Lower *lower, uint32_t slot, const Facts *facts, const Site *site)
{
    if (host_has(lower->host, "wg_matches")) {
        LOWER_EMIT(lower, match_tensor, operand_tensor(slot), operand_facts(facts), operand_site(site));
    } else {
        LOWER_EMIT(lower, check_tensor, operand_tensor(slot), operand_facts(facts), operand_site(site));
    }
}

void lower_statement(Lower *lower, const Statement *statement)
{
    int64_t literal = 0;
    const Site *site =
        plan_site_of(lower->plan, statement->suffix, statement->argument, "tensor", "WG_E_TYPE", "WG_KIND_NONE");
    lower_check_tensor(lower, statement->slot, statement_facts(lower, statement), site);
    use_list(lower, statement, OP_integer_size, statement->size);
    use_list(lower, statement, OP_integer_stride, statement->stride);
    if (statement->offset != NULL && statement->offset->expr != NULL &&
        !expr_is_literal(statement->offset->expr, &literal)) {
        lower_use(lower, statement, OP_integer_offset, -1, statement->offset->expr);
    }
    if (statement->owns != NULL && statement->owns->expr != NULL) {
        lower_use(lower, statement, OP_integer_nested, -1, statement->owns->expr);
    }
}
