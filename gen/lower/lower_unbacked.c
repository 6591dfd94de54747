/* SPDX-License-Identifier: MIT */
/*
 * lower_unbacked - symbols that no argument tells, only a result: they are noted while results are tested, then
 * defined, then tested.
 *
 * As with arguments the order is a contract: what is stated without such symbols is tested first, result by result
 * (also that a tensor is there, is plain and has the rank by which its sizes are read); then each symbol is defined by
 * the first size or number that is just the symbol, in the order of the results, and held to its declared bounds; then
 * every other use of it is an equality. All of this comes before anything has an effect.
 *
 * PyTorch asserts what it knows about unbacked symbols (ShapeEnv's deferred runtime asserts, torch._check) inside the
 * compiled graph, by nodes that Dynamo and AOTAutograd put there (_assert_scalar). The compiled function has passed
 * them when it returns, so the tests here concern what it returned, not what the caller gave.
 */
#include "lower.h"

bool lower_is_unbacked(const Lower *lower, const Expr *expr)
{
    if (expr == NULL || expr->kind == EXPR_LITERAL) {
        return false;
    }
    if (expr->kind == EXPR_SYMBOL) {
        return spec_is(lower->plan->spec->symbols[expr->symbol].unbacked);
    }
    return lower_is_unbacked(lower, expr->lhs) || lower_is_unbacked(lower, expr->rhs);
}

/* ---- noted ---- */

static bool any_unbacked(const Lower *lower, const SpecInts *ints)
{
    bool any = false;
    for (uint32_t i = 0; i < ints->text_count; i++) {
        any = any || lower_is_unbacked(lower, ints->expr[i]);
    }
    return any;
}

/* The first place where such a symbol stands by itself is remembered by its address. */
static bool claims(Lower *lower, const Expr *expr)
{
    if (expr->kind != EXPR_SYMBOL || !lower_is_unbacked(lower, expr) || lower->bound_at[expr->symbol] != NULL) {
        return false;
    }
    lower->bound_at[expr->symbol] = expr;
    return true;
}

static void note(Lower *lower, LateResult result)
{
    if (lower->num_late == lower->late_capacity) {
        const uint32_t wider = lower->late_capacity == 0 ? 8 : lower->late_capacity * 2;
        lower->late = arena_grow(lower->arena, lower->late, lower->late_capacity * sizeof(LateResult),
                                 wider * sizeof(LateResult));
        lower->late_capacity = wider;
    }
    result.path = lower->path;
    result.where = lower->where;
    lower->late[lower->num_late++] = result;
}

bool lower_note_tensor(Lower *lower, const Statement *statement, bool tested)
{
    bool defines = false;
    if (lower->plan->backward) {
        return false;
    }
    for (uint32_t d = 0; d < statement->size->text_count; d++) {
        defines = claims(lower, statement->size->expr[d]) || defines;
    }
    const bool offset = statement->offset != NULL && lower_is_unbacked(lower, statement->offset->expr);
    if (defines || offset || any_unbacked(lower, statement->size) || any_unbacked(lower, statement->stride)) {
        note(lower, (LateResult){.statement = *statement, .tested = tested});
    }
    return defines;
}

void lower_note_number(Lower *lower, const Statement *statement, const char *rule, int32_t dimension, IntegerRef number,
                       const Expr *expr)
{
    if (!lower->plan->backward && lower_is_unbacked(lower, expr)) {
        (void)claims(lower, expr);
        note(lower, (LateResult){.statement = *statement,
                                 .tested = true,
                                 .rule = rule,
                                 .dimension = dimension,
                                 .number = number,
                                 .expr = expr});
    }
}

/* ---- defined, then tested ---- */

static void define(Lower *lower, const Statement *statement, int32_t dimension, const Expr *expr, IntegerRef value)
{
    const SymbolUse use = {
        .suffix = statement->suffix, .argument = statement->argument, .dimension = dimension, .expr = expr};
    lower->symbols[expr->symbol] = value;
    if (lower_checks(lower, SPEC_CHECK_CHEAP)) {
        lower_bounds(lower, &use, value);
    }
}

static bool defines(const Lower *lower, const Expr *expr)
{
    return expr->kind == EXPR_SYMBOL && lower->bound_at[expr->symbol] == expr;
}

static void define_by(Lower *lower, const LateResult *result)
{
    const Statement *statement = &result->statement;
    if (result->expr != NULL) {
        if (defines(lower, result->expr)) {
            define(lower, statement, result->dimension, result->expr, result->number);
        }
        return;
    }
    for (uint32_t d = 0; d < statement->size->text_count; d++) {
        const Expr *expr = statement->size->expr[d];
        if (defines(lower, expr)) {
            const char *symbol = lower->plan->spec->symbols[expr->symbol].name;
            const IntegerRef value = lower_named_integer(lower, arena_printf(lower->arena, "sym_%s", symbol));
            LOWER_EMIT(lower, integer_size, operand_integer(value), operand_tensor(statement->slot), operand_count(d));
            define(lower, statement, (int32_t)d, expr, value);
        }
    }
}

static void test(Lower *lower, const LateResult *result)
{
    if (result->expr == NULL) {
        lower_check_late(lower, &result->statement);
    } else if (!defines(lower, result->expr) && lower_is_bound(lower, result->expr)) {
        lower_check_number(lower, &result->statement, result->rule, result->dimension, result->number, result->expr);
    }
}

void lower_define_symbols(Lower *lower)
{
    for (uint32_t i = 0; i < lower->num_late; i++) {
        lower->path = lower->late[i].path;
        lower->where = lower->late[i].where;
        define_by(lower, &lower->late[i]);
    }
    for (uint32_t i = 0; i < lower->num_late && lower_checks(lower, SPEC_CHECK_CHEAP); i++) {
        lower->path = lower->late[i].path;
        lower->where = lower->late[i].where;
        if (lower->late[i].tested) {
            test(lower, &lower->late[i]);
        }
    }
}
