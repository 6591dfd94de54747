/* SPDX-License-Identifier: MIT */
/*
 * lower_emit - what all stages of lowering share: the place in the YAML that an op comes from, sections, temporaries,
 * integers computed from symbols, refusals, and how a plan begins and ends.
 */
#include "lower.h"

#include <inttypes.h>
#include <string.h>

/* Paths are made for every input and output of every graph, so by hand, not with printf. */
void lower_at(Lower *lower, const void *where, const char *part, uint32_t index)
{
    Str path = str_new(lower->arena);
    str_reserve(&path, strlen(lower->plan->path) + strlen(part) + 16);
    str_puts(&path, lower->plan->path);
    str_puts(&path, part);
    if (index != LOWER_WHOLE) {
        char digits[10]; /* of a uint32_t */
        size_t n = sizeof digits;
        do {
            digits[--n] = (char)('0' + index % 10);
            index /= 10;
        } while (index > 0);
        str_putc(&path, '[');
        str_add(&path, digits + n, sizeof digits - n);
        str_putc(&path, ']');
    }
    lower->path = str_text(&path);
    lower->where = where;
}

const PlanSection *lower_section(Lower *lower, Layer layer)
{
    const PlanSection *before = lower->plan->section;
    PlanSection *section = ARENA_NEW(lower->arena, PlanSection);
    *section = (PlanSection){layer, lower->path, lower->where};
    lower->plan->section = section;
    lower->plan->layers[layer] = true;
    return before;
}

void lower_resume(Lower *lower, const PlanSection *section)
{
    lower->plan->section = section;
}

Operand lower_host_site(Lower *lower, const char *argument, const char *rule)
{
    return operand_site(plan_site(lower->plan, argument, rule, "WG_E_HOST", "WG_KIND_STATUS"));
}

enum { MOST_KEPT = 8 };

uint32_t lower_original(Lower *lower, uint32_t i, uint32_t num)
{
    if (num > MOST_KEPT && lower->original[i] == i) {
        const char *name = lower->graph->inputs[i].name;
        lower->original[i] =
            plan_slot(lower->plan, SLOT_BORROWED, SLOT_TENSOR, 0, arena_printf(lower->arena, "late_%s", name), name);
        LOWER_EMIT(lower, load_tensor, operand_tensor(lower->original[i]), operand_count(i));
    }
    return lower->original[i];
}

uint32_t lower_temporary(Lower *lower, const char *role, const char *name)
{
    const char *text = arena_printf(lower->arena, "%s_%s", role, name);
    return plan_slot(lower->plan, SLOT_TEMPORARY, SLOT_TENSOR, 0, text, name);
}

IntegerRef lower_named_integer(Lower *lower, const char *name)
{
    return (IntegerRef){name, 0, lower->plan->num_integers++};
}

static bool *checked_entry(Lower *lower, uint32_t slot)
{
    if (lower->checked == NULL) {
        lower->checked = ARENA_ARRAY(lower->arena, bool, (size_t)lower->plan->num_results + 1);
    }
    return &lower->checked[lower->plan->slots[slot].index];
}

void lower_mark_checked(Lower *lower, uint32_t slot)
{
    *checked_entry(lower, slot) = true;
}

void lower_check_result_of(Lower *lower, uint32_t slot, const char *suffix, const char *name)
{
    if (lower->plan->slots[slot].role != SLOT_RESULT) {
        return; /* a rebuilt subclass is never null */
    }
    if (!*checked_entry(lower, slot)) {
        const Site *site = plan_site_of(lower->plan, suffix, name, "result", "WG_E_RESULT", "WG_KIND_NONE");
        *checked_entry(lower, slot) = true;
        LOWER_EMIT(lower, check_result, operand_tensor(slot), operand_site(site));
    }
}

void lower_check_result(Lower *lower, uint32_t slot, const char *name)
{
    lower_check_result_of(lower, slot, name, name);
}

/* ---- integers ---- */

static IntegerRef *named_entry(Lower *lower, uint32_t id)
{
    if (id >= lower->named_count) {
        const uint32_t wider = id < 16 ? 32 : id * 2;
        lower->named = arena_grow(lower->arena, lower->named, (size_t)lower->named_count * sizeof(IntegerRef),
                                  (size_t)wider * sizeof(IntegerRef));
        lower->named_count = wider;
    }
    return &lower->named[id];
}

static void emit_binary(Lower *lower, Operator operation, IntegerRef dst, IntegerRef lhs, IntegerRef rhs)
{
    static const OpKind ops[] = {
#define OPERATOR(NAME, name, token, level) OP_integer_##name,
#include "../algebra/operators.def"
    };
    const Operand operands[OP_MAX_OPERANDS + 1] = {operand_integer(dst), operand_integer(lhs), operand_integer(rhs)};
    plan_emit(lower->plan, lower->list, ops[operation], lower->path, lower->where, operands);
}

static void emit_integer(Lower *lower, const Integer *integer, IntegerRef dst)
{
    if (integer->kind == INTEGER_READ_STRIDE) {
        LOWER_EMIT(lower, integer_stride, operand_integer(dst), operand_tensor(integer->tensor),
                   operand_count(integer->index));
    } else if (integer->kind == INTEGER_READ_OFFSET) {
        LOWER_EMIT(lower, integer_offset, operand_integer(dst), operand_tensor(integer->tensor));
    } else {
        const IntegerRef lhs = lower_integer(lower, integer->lhs);
        const IntegerRef rhs = lower_integer(lower, integer->rhs);
        emit_binary(lower, integer_operator(integer->kind), dst, lhs, rhs);
        lower->arithmetic = lower->arithmetic || integer_may_fail(lower->integers, integer);
    }
}

IntegerRef lower_integer(Lower *lower, const Integer *integer)
{
    if (integer->kind == INTEGER_LITERAL) {
        return (IntegerRef){NULL, integer->literal, 0};
    }
    if (integer->kind == INTEGER_SYMBOL) {
        return lower->symbols[integer->index];
    }
    if (named_entry(lower, integer->id)->name == NULL) {
        const char *name = arena_printf(lower->arena, "int_%" PRIu32, lower->plan->num_integers);
        const IntegerRef dst = lower_named_integer(lower, name);
        emit_integer(lower, integer, dst);
        *named_entry(lower, integer->id) = dst;
    }
    return *named_entry(lower, integer->id);
}

IntegerRef lower_expr(Lower *lower, const Expr *expr)
{
    return lower_integer(lower, integer_from_expr(lower->integers, expr));
}

IntegerRef lower_as_written(Lower *lower, const Expr *expr)
{
    if (!expr_is_operation(expr)) {
        return lower_expr(lower, expr);
    }
    const IntegerRef lhs = lower_as_written(lower, expr->lhs);
    const IntegerRef rhs = lower_as_written(lower, expr->rhs);
    const char *name = arena_printf(lower->arena, "int_%" PRIu32, lower->plan->num_integers);
    const IntegerRef dst = lower_named_integer(lower, name);
    emit_binary(lower, expr_operator(expr), dst, lhs, rhs);
    lower->arithmetic = lower->arithmetic || !integers_compute(lower->integers, expr);
    return dst;
}

void lower_check_overflow_of(Lower *lower, const char *suffix, const char *argument)
{
    if (lower->arithmetic) {
        const Site *site = plan_site_of(lower->plan, suffix, argument, "overflow", "WG_E_OVERFLOW", "WG_KIND_NONE");
        LOWER_EMIT(lower, check_overflow, operand_site(site));
        lower->arithmetic = false;
    }
}

void lower_check_overflow(Lower *lower, const char *argument)
{
    lower_check_overflow_of(lower, argument, argument);
}

bool lower_checks(const Lower *lower, SpecCheck level)
{
    return lower->graph->check >= level;
}

/* ---- refusals ---- */

void lower_refuse(Lower *lower, const void *where, const char *what)
{
    lower->refused = true;
    diag_report(lower->diag, DIAG_ERROR, "E_UNSUPPORTED", diag_mapping(where), "%s is not generated yet", what);
}

/* ---- the whole ---- */

void lower_begin(Lower *lower, Arena *arena, Diag *diag, const Spec *spec, uint32_t graph_index, const Host *host,
                 const char *prefix)
{
    const uint32_t num_symbols = spec->symbols_count;
    *lower = (Lower){.arena = arena, .diag = diag, .host = host, .graph = &spec->graphs[graph_index]};
    lower->plan = plan_new(arena, spec, graph_index, prefix);
    lower->list = &lower->plan->ops;
    lower->integers = integers_new(arena, derive_symbol_ranges(arena, spec, lower->graph), num_symbols);
    lower->symbols = ARENA_ARRAY(arena, IntegerRef, (size_t)num_symbols + 1);
    lower->bound_at = ARENA_ARRAY(arena, const Expr *, (size_t)num_symbols + 1);
    lower->original = ARENA_ARRAY(arena, uint32_t, (size_t)lower->graph->inputs_count + 1);
    lower->final = ARENA_ARRAY(arena, uint32_t, (size_t)lower->graph->outputs_count + 1);
}

Plan *lower_end(Lower *lower)
{
    plan_prune(lower->plan);
    plan_label(lower->plan);
    const char *wrong = plan_verify(lower->plan);
    if (wrong != NULL) {
        diag_report(lower->diag, DIAG_ERROR, "E_INTERNAL", diag_mapping(lower->graph),
                    "the plan is not well-formed, which is a bug of wrapgen: %s", wrong);
        return NULL;
    }
    return !lower->refused ? lower->plan : NULL;
}

const char *lower_new_suffix(Lower *lower, const char *name)
{
    return arena_printf(lower->arena, "%" PRIu32 "_%s", lower->num_suffixes++, name);
}

bool lower_is_bound(const Lower *lower, const Expr *expr)
{
    if (expr == NULL || expr->kind == EXPR_LITERAL) {
        return true;
    }
    if (expr->kind == EXPR_SYMBOL) {
        return lower->symbols[expr->symbol].name != NULL;
    }
    return lower_is_bound(lower, expr->lhs) && lower_is_bound(lower, expr->rhs);
}
