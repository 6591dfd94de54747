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

static void add_list(FactList *list, FactRule rule, const SpecInts *ints, const SpecInts *sizes)
{
    for (uint32_t i = 0; i < ints->text_count; i++) {
        int64_t literal = 0;
        int64_t size = 0;
        const bool no_meaning =
            rule == FACT_STRIDE && i < sizes->text_count && expr_is_literal(sizes->expr[i], &size) && size == 1;
        if (!no_meaning && expr_is_literal(ints->expr[i], &literal)) {
            fact_add_literal(list, rule, (int32_t)i, literal);
        }
    }
}

/* Laziness is tested for every tensor: no PyTorch kernel for an ordinary one reads another right, and nothing else
 * would tell. A host that does not know such tensors has none; one that is stated is refused for the verb that the host
 * lacks. */
static void add_cheap(const Lower *lower, FactList *list, const Statement *statement)
{
    int64_t offset = 0;
    add_list(list, FACT_SIZE, statement->size, statement->size);
    add_list(list, FACT_STRIDE, statement->stride, statement->size);
    if (statement->offset != NULL && statement->offset->expr != NULL &&
        expr_is_literal(statement->offset->expr, &offset)) {
        fact_add_literal(list, FACT_OFFSET, -1, offset);
    }
    if (statement->lazy != 0 || host_has(lower->host, "wg_lazy")) {
        fact_add_literal(list, FACT_LAZY, -1, statement->lazy);
    }
}

static void add_full(FactList *list, const Statement *statement)
{
    const uint32_t bytes = dtype_size(statement->dtype);
    fact_add_device(list, statement->device_type, statement->device_index);
    if (statement->dtype >= 0 && bytes > 1) {
        fact_add_literal(list, FACT_ALIGNMENT, -1, dtype_is_complex(statement->dtype) ? bytes / 2 : bytes);
    }
}

/* The literal facts that the graph's level tests. */
static FactList statement_facts(const Lower *lower, const Statement *statement)
{
    const SpecInts *size = statement->size;
    const SpecInts *stride = statement->stride;
    const bool cheap = lower_checks(lower, SPEC_CHECK_CHEAP);
    const bool reads = has_symbol(size) || has_symbol(stride) || statement->symbol_args->text_count > 0;
    FactList list = {.plan = lower->plan};
    if (cheap && statement->dtype >= 0) {
        fact_add_literal(&list, FACT_DTYPE, -1, statement->dtype);
    }
    if (cheap || reads) {
        fact_add_rank(&list, size, stride);
    }
    if (cheap) {
        add_cheap(lower, &list, statement);
    }
    if (lower_checks(lower, SPEC_CHECK_FULL)) {
        add_full(&list, statement);
    }
    return list;
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
void lower_check_tensor(Lower *lower, uint32_t slot, Operand facts, const Site *site)
{
    if (host_has(lower->host, "wg_matches")) {
        LOWER_EMIT(lower, match_tensor, operand_tensor(slot), facts, operand_site(site));
    } else {
        LOWER_EMIT(lower, check_tensor, operand_tensor(slot), facts, operand_site(site));
    }
}

void lower_statement(Lower *lower, const Statement *statement)
{
    int64_t literal = 0;
    const Site *site =
        plan_site_of(lower->plan, statement->suffix, statement->argument, "tensor", "WG_E_TYPE", "WG_KIND_NONE");
    const FactList list = statement_facts(lower, statement);
    lower_check_tensor(lower, statement->slot, fact_operand(&list, "facts", statement->suffix), site);
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
