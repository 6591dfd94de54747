/* SPDX-License-Identifier: MIT */
/*
 * kernel_extra - the extra components of a key: a size or stride of a tensor, or an expression over numbers of the call
 * (templates/core/wg_key.h has the encoding). Each is looked for down a path, through what may be null or too short.
 *
 * All arguments come before these, so that in the key of plain tensors every tensor here is plain.
 *
 * An expression is computed operation by operation as it is written, nothing left out, so that an extractor in any
 * language finds the same calls not to be computable.
 */
#include "kernel_walk.h"

#include <inttypes.h>
#include <string.h>

#include "../facts/comment.h"

/* Tests that the call has what is at the path, opening a scope for each; the local that holds it. */
static uint32_t descend(Walk *walk, const char *path, const KernelArg **found)
{
    const char *origin = walk->path;
    const void *where = walk->where;
    const KernelArg *arg = NULL;
    uint32_t slot = 0;
    for (size_t end = 0; path[end] != '\0';) {
        const size_t start = end + (path[end] == '.' ? 1 : 0);
        end = start + strcspn(path + start, ".");
        const char *step = arena_copy(walk->arena, path + start, end - start);
        const KernelArg *next = kernel_arg(walk->kernel, arena_copy(walk->arena, path, end));
        const char *source = arena_printf(walk->arena, "args->%s", next->name);
        if (arg != NULL && arg->kind == SPEC_LIST) {
            int64_t at = 0;
            (void)expr_parse_integer(step, &at);
            (void)walk_enter(walk, EMIT(walk, scope_longer, operand_tensor(slot), operand_count(at)));
            source = walk_member(walk, slot, arena_printf(walk->arena, "items[%s]", step));
        } else if (arg != NULL) {
            source = walk_member(walk, slot, next->name);
        }
        arg = next;
        slot = walk_load(walk, arg, source);
        walk->path = origin;
        walk->where = where;
        if (spec_is(arg->spec->nullable)) {
            (void)walk_enter(walk, EMIT(walk, scope_present, operand_tensor(slot)));
        }
    }
    *found = arg;
    return slot;
}

/* The same for a tensor that has that dim. */
static uint32_t descend_to(Walk *walk, const char *path, int64_t dimension)
{
    const KernelArg *arg = NULL;
    const uint32_t slot = descend(walk, path, &arg);
    if (walk_first_of(arg->ranks) <= dimension) {
        (void)walk_enter(walk, EMIT(walk, scope_rank, operand_tensor(slot), operand_count(dimension)));
    }
    return slot;
}

static int64_t dim_of(const SpecInt *dim)
{
    int64_t at = 0;
    (void)expr_is_literal(dim->expr, &at);
    return at;
}

/* ---- a size or stride ---- */

static void walk_dimension(Walk *walk, const SpecExtra *extra, Operand component)
{
    OpList *outer = walk->list;
    const int64_t dimension = dim_of(&extra->dim);
    if (walk->any) {
        EMIT(walk, key_absent, operand_count(dimension));
    } else {
        EMIT(walk, key_missing, component, operand_count(dimension));
    }
    const Operand tensor = operand_tensor(descend_to(walk, extra->arg, dimension));
    if (walk->any && extra->of == SPEC_EXTRA_SIZE) {
        EMIT(walk, key_any_size, tensor, operand_count(dimension));
    } else if (walk->any) {
        EMIT(walk, key_any_stride, tensor, operand_count(dimension));
    } else if (extra->of == SPEC_EXTRA_SIZE) {
        EMIT(walk, key_size, component, tensor, operand_count(dimension));
    } else {
        EMIT(walk, key_stride, component, tensor, operand_count(dimension));
    }
    walk->list = outer;
    if (!walk->any) {
        EMIT(walk, key_component, component);
    }
}

/* ---- an expression ---- */

/* One expression of the kernel, on the way. */
typedef struct Formula {
    const SpecExtra *extra;
    WalkNames names;
    uint32_t *slots; /* by number: the local of its argument */
    const KernelArg **args;
} Formula;

static IntegerRef named(Walk *walk, const char *name)
{
    return (IntegerRef){name, 0, walk->plan->num_integers++};
}

/* The number in a local of its own; `arg` is in the slot. */
static void load_number(Walk *walk, WalkNames *names, const SpecNumber *number, const KernelArg *arg, uint32_t slot)
{
    const char *source = walk->plan->slots[slot].text;
    const IntegerRef value = named(walk, arena_printf(walk->arena, "%s_%s", names->name, number->symbol));
    const Operand dst = operand_integer(value);
    if (number->of == SPEC_NUMBER_SIZE) {
        EMIT(walk, integer_size, dst, operand_tensor(slot), operand_count(dim_of(&number->dim)));
    } else if (number->of == SPEC_NUMBER_NDIM) {
        EMIT(walk, integer_rank, dst, operand_tensor(slot));
    } else if (number->of == SPEC_NUMBER_LENGTH) {
        EMIT(walk, integer_length, dst, operand_tensor(slot));
    } else {
        const char *text = arg->by_address ? arena_printf(walk->arena, "*%s", source) : source;
        EMIT(walk, integer_field, dst, operand_text(text));
    }
    names->values[number->symbol_index] = value;
}

/* Bounds of a symbol are preconditions, so the check of the kernel says whether they are tested. */
void walk_bounds(Walk *walk, const WalkNames *names, const SpecNumber *number)
{
    const SpecSymbol *symbol = &walk->kernel->file->symbols[number->symbol_index];
    if (walk->kernel->spec->check < SPEC_CHECK_CHEAP) {
        return;
    }
    const IntegerRef value = names->values[number->symbol_index];
    const char *suffix = arena_printf(walk->arena, "%s_%s", names->name, symbol->name);
    const int64_t dimension = number->of == SPEC_NUMBER_SIZE ? dim_of(&number->dim) : -1;
    BoundTest tests[BOUND_TESTS];
    const uint32_t num_tests = lower_bound_tests(symbol, tests);
    for (uint32_t i = 0; i < num_tests; i++) {
        const Site *site = plan_site_saying(walk->plan, suffix, number->arg, "symbol", "WG_E_SYMBOL", "WG_KIND_INTEGER",
                                            comment_bounds(walk->arena, symbol));
        const Operand operands[OP_MAX_OPERANDS + 1] = {operand_integer(value), operand_literal(tests[i].bound),
                                                       operand_literal(dimension), operand_site(site)};
        plan_emit(walk->plan, walk->list, tests[i].op, walk->path, walk->where, operands);
    }
}

IntegerRef walk_compute(Walk *walk, WalkNames *names, const Expr *expr)
{
    static const OpKind ops[] = {
#define OPERATOR(NAME, name, token, level) OP_integer_##name,
#include "../algebra/operators.def"
    };
    if (expr->kind == EXPR_LITERAL) {
        return (IntegerRef){NULL, expr->literal, 0};
    }
    if (expr->kind == EXPR_SYMBOL) {
        return names->values[expr->symbol];
    }
    const IntegerRef lhs = walk_compute(walk, names, expr->lhs);
    const IntegerRef rhs = walk_compute(walk, names, expr->rhs);
    const IntegerRef dst = named(walk, arena_printf(walk->arena, "%s_%" PRIu32, names->name, names->steps++));
    const Operand operands[OP_MAX_OPERANDS + 1] = {operand_integer(dst), operand_integer(lhs), operand_integer(rhs)};
    plan_emit(walk->plan, walk->list, ops[expr_operator(expr)], walk->path, walk->where, operands);
    return dst;
}

bool walk_may_fail(const Expr *expr)
{
    return expr_is_operation(expr) &&
           (operator_may_fail(expr_operator(expr)) || walk_may_fail(expr->lhs) || walk_may_fail(expr->rhs));
}

/* What a host could not read must not be taken for a number that is refused. */
static void test_read(Walk *walk, const SpecExtra *extra)
{
    bool tests = walk_may_fail(extra->expr.expr);
    for (uint32_t i = 0; i < extra->where_count; i++) {
        BoundTest bounds[BOUND_TESTS];
        tests = tests || lower_bound_tests(&walk->kernel->file->symbols[extra->where[i].symbol_index], bounds) > 0;
    }
    if (tests && kernel_has_tensor(walk->kernel)) {
        EMIT(walk, check_host, operand_site(plan_site(walk->plan, NULL, "read", "WG_E_HOST", "WG_KIND_STATUS")));
    }
}

/* Where all numbers are there and none is symbolic: its value. */
static IntegerRef compute_all(Walk *walk, Formula *formula)
{
    const SpecExtra *extra = formula->extra;
    for (uint32_t i = 0; i < extra->where_count; i++) {
        load_number(walk, &formula->names, &extra->where[i], formula->args[i], formula->slots[i]);
    }
    test_read(walk, extra);
    for (uint32_t i = 0; i < extra->where_count; i++) {
        walk_bounds(walk, &formula->names, &extra->where[i]);
    }
    const IntegerRef value = walk_compute(walk, &formula->names, extra->expr.expr);
    if (walk_may_fail(extra->expr.expr)) {
        const char *rule = arena_printf(walk->arena, "%soverflow", formula->names.name);
        EMIT(walk, check_overflow,
             operand_site(
                 plan_site_saying(walk->plan, NULL, NULL, rule, "WG_E_OVERFLOW", "WG_KIND_NONE", extra->expr.text)));
    }
    return value;
}

/* Instead of the value each number, in the order of the YAML. */
static void put_numbers(Walk *walk, const Formula *formula)
{
    EMIT(walk, key_tag, operand_count(2));
    for (uint32_t i = 0; i < formula->extra->where_count; i++) {
        const SpecNumber *number = &formula->extra->where[i];
        if (number->of == SPEC_NUMBER_SIZE) {
            EMIT(walk, key_symbol_size, operand_tensor(formula->slots[i]), operand_count(dim_of(&number->dim)));
        } else {
            WalkNames other = formula->names;
            load_number(walk, &other, number, formula->args[i], formula->slots[i]);
            EMIT(walk, key_number, operand_integer(other.values[number->symbol_index]));
        }
    }
}

/* For tensors that are not all plain: one of the sizes may be symbolic. */
static void walk_any_formula(Walk *walk, Formula *formula)
{
    const SpecExtra *extra = formula->extra;
    const Operand symbolic = operand_name(arena_printf(walk->arena, "symbolic_%s", formula->names.name));
    OpList *outer = walk->list;
    bool sized = false;
    for (uint32_t i = 0; i < extra->where_count; i++) {
        if (extra->where[i].of == SPEC_NUMBER_SIZE) {
            if (!sized) {
                EMIT(walk, key_concrete, symbolic);
            }
            EMIT(walk, key_symbolic, symbolic, operand_tensor(formula->slots[i]),
                 operand_count(dim_of(&extra->where[i].dim)));
            sized = true;
        }
    }
    if (sized) {
        (void)walk_enter(walk, EMIT(walk, scope_symbolic, symbolic));
        put_numbers(walk, formula);
        walk->list = outer;
        (void)walk_enter(walk, EMIT(walk, scope_concrete, symbolic));
    }
    const IntegerRef value = compute_all(walk, formula);
    EMIT(walk, key_tag, operand_count(1));
    EMIT(walk, key_number, operand_integer(value));
    walk->list = outer;
}

static void walk_formula(Walk *walk, const SpecExtra *extra, Operand component, const char *name)
{
    const uint32_t count = extra->where_count;
    OpList *outer = walk->list;
    Str comment = str_new(walk->arena);
    str_put_c_comment(&comment, extra->expr.text);
    const Operand text = operand_text(str_text(&comment));
    Formula formula = {.extra = extra, .names = {.name = name}};
    formula.slots = ARENA_ARRAY(walk->arena, uint32_t, count);
    formula.args = ARENA_ARRAY(walk->arena, const KernelArg *, count);
    formula.names.values = ARENA_ARRAY(walk->arena, IntegerRef, walk->kernel->file->symbols_count);
    if (walk->any) {
        EMIT(walk, key_no_value, text);
    } else {
        EMIT(walk, key_no_component, component, text);
    }
    for (uint32_t i = 0; i < count; i++) {
        const SpecNumber *number = &extra->where[i];
        walk->role = arena_printf(walk->arena, "number%" PRIu32 "_of_%s", i, name);
        formula.slots[i] = number->of == SPEC_NUMBER_SIZE ? descend_to(walk, number->arg, dim_of(&number->dim))
                                                          : descend(walk, number->arg, &formula.args[i]);
    }
    if (walk->any) {
        walk_any_formula(walk, &formula);
    } else {
        EMIT(walk, key_value, component, operand_integer(compute_all(walk, &formula)));
    }
    walk->list = outer;
    if (!walk->any) {
        EMIT(walk, key_tagged, component);
    }
}

void walk_extra(Walk *walk, uint32_t index)
{
    const SpecExtra *extra = &walk->kernel->spec->extra[index];
    const Operand component = operand_name(arena_printf(walk->arena, "component%" PRIu32, index));
    const char *name = arena_printf(walk->arena, "extra%" PRIu32, index);
    walk->role = name;
    walk->path = arena_printf(walk->arena, "%s.extra[%" PRIu32 "]", walk->kernel->path, index);
    walk->where = extra;
    if (extra->expr.text != NULL) {
        walk_formula(walk, extra, component, name);
    } else {
        walk_dimension(walk, extra, component);
    }
    walk->role = "arg";
}
