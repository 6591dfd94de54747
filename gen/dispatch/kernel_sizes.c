/* SPDX-License-Identifier: MIT */
/*
 * kernel_sizes - the numbers of a typed call: what `where` names, read and tested, and the sizes and strides that
 * follow from them, computed as they are written.
 */
#include "kernel_call.h"

#include <inttypes.h>
#include <string.h>

/* ---- numbers of the call ---- */

/* A member of the arguments, which the rules have found to be there in every call: "args->options.item0". */
static const char *member_text(const Call *call, const char *path)
{
    Arena *arena = call->walk->arena;
    Str text = str_new(arena);
    str_puts(&text, "args");
    for (size_t end = strcspn(path, "."), start = 0;; end += 1 + strcspn(path + end + 1, ".")) {
        str_printf(&text, "%s%s", start == 0 ? "->" : ".",
                   kernel_arg(call->walk->kernel, arena_copy(arena, path, end))->name);
        if (path[end] == '\0') {
            return str_text(&text);
        }
        start = end;
    }
}

static Operand member_operand(Call *call, const char *path)
{
    return operand_tensor(plan_slot(call->walk->plan, SLOT_CONSTANT, SLOT_POINTER, 0, member_text(call, path), path));
}

static void load_number(Call *call, const SpecNumber *number)
{
    Walk *walk = call->walk;
    const IntegerRef value = {arena_printf(walk->arena, "number_%s", number->symbol), 0, walk->plan->num_integers++};
    const Operand dst = operand_integer(value);
    const char *member = member_text(call, number->arg);
    int64_t dimension = 0;
    switch (number->of) {
    case SPEC_NUMBER_SIZE:
        (void)expr_is_literal(number->dim.expr, &dimension);
        EMIT(walk, integer_size, dst, member_operand(call, number->arg), operand_count(dimension));
        break;
    case SPEC_NUMBER_NDIM:
        EMIT(walk, integer_rank, dst, member_operand(call, number->arg));
        break;
    case SPEC_NUMBER_LENGTH:
        EMIT(walk, integer_field, dst, operand_text(arena_printf(walk->arena, "(int64_t)%s.count", member)));
        break;
    case SPEC_NUMBER_UNSET:
    case SPEC_NUMBER_VALUE:
        EMIT(walk, integer_field, dst, operand_text(member));
        break;
    }
    call->numbers.values[number->symbol_index] = value;
}

static void collect(const SpecInts *ints, ExprSymbols *used)
{
    for (uint32_t i = 0; i < ints->text_count; i++) {
        expr_collect_symbols(ints->expr[i], used);
    }
}

/* By symbol: is it in a size or stride that is computed? */
static const bool *used_symbols(const Call *call)
{
    ExprSymbols used = expr_symbols_new(call->walk->arena, call->walk->kernel->file->symbols_count);
    for (uint32_t i = 0; i < call->kernel->outputs_count; i++) {
        if (call_computes(call, &call->made[i])) {
            collect(&call->made[i].spec->size, &used);
            collect(&call->made[i].spec->stride, &used);
        }
    }
    return used.seen;
}

static void load_numbers(Call *call)
{
    Walk *walk = call->walk;
    const SpecKernel *kernel = call->kernel;
    const bool *used = used_symbols(call);
    for (uint32_t i = 0; i < kernel->where_count; i++) {
        if (!used[kernel->where[i].symbol_index]) {
            continue;
        }
        walk->path = arena_printf(walk->arena, "%s.where[%" PRIu32 "]", walk->kernel->path, i);
        walk->where = &kernel->where[i];
        load_number(call, &kernel->where[i]);
    }
}

static void load_devices(Call *call)
{
    Walk *walk = call->walk;
    for (uint32_t i = 0; i < call->kernel->outputs_count; i++) {
        const Made *made = &call->made[i];
        IntegerRef *device = &call->devices[made->spec->allocate_index];
        if (made->spec->allocate == NULL || device->name != NULL) {
            continue;
        }
        call_at_output(call, i);
        *device =
            (IntegerRef){arena_printf(walk->arena, "device_%s", made->spec->allocate), 0, walk->plan->num_integers++};
        EMIT(walk, integer_device, operand_integer(*device), member_operand(call, made->spec->allocate));
    }
}

/* Before a read is relied on. */
static void check_numbers(Call *call)
{
    Walk *walk = call->walk;
    bool reads = false;
    for (const Op *op = walk->list->first; op != NULL; op = op->next) {
        reads = reads || op->kind == OP_integer_size || op->kind == OP_integer_rank || op->kind == OP_integer_device;
    }
    call_at_kernel(call);
    if (reads) {
        EMIT(walk, check_host, call_site(call, NULL, "read", "WG_E_HOST", "WG_KIND_STATUS"));
    }
    for (uint32_t i = 0; i < call->kernel->where_count; i++) {
        walk->path = arena_printf(walk->arena, "%s.where[%" PRIu32 "]", walk->kernel->path, i);
        walk->where = &call->kernel->where[i];
        if (call->numbers.values[call->kernel->where[i].symbol_index].name != NULL) {
            walk_bounds(walk, &call->numbers, &call->kernel->where[i]);
        }
    }
}

void call_load_numbers(Call *call)
{
    load_numbers(call);
    load_devices(call);
    check_numbers(call);
}

/* ---- sizes and strides ---- */

/* A number of the call that no call has below 0. */
static bool is_count(const Call *call, uint32_t symbol)
{
    const SpecSymbol *declared = &call->walk->kernel->file->symbols[symbol];
    bool counts = call->tests && declared->has_min && declared->min_value >= 0;
    for (uint32_t i = 0; i < call->kernel->where_count; i++) {
        const SpecNumber *number = &call->kernel->where[i];
        counts = counts || (number->symbol_index == symbol && number->of != SPEC_NUMBER_VALUE);
    }
    return counts;
}

static bool is_never_negative(const Call *call, const Expr *expr)
{
    if (expr->kind == EXPR_LITERAL) {
        return expr->literal >= 0;
    }
    if (expr->kind == EXPR_SYMBOL) {
        return is_count(call, expr->symbol);
    }
    const Operator operation = expr_operator(expr);
    const bool keeps = operation == OPERATOR_ADD || operation == OPERATOR_MUL || operation == OPERATOR_FLOORDIV ||
                       operation == OPERATOR_MOD || operation == OPERATOR_MIN || operation == OPERATOR_MAX;
    return keeps && is_never_negative(call, expr->lhs) && is_never_negative(call, expr->rhs);
}

static IntegerRef *compute_list(Call *call, const SpecInts *ints, const char *name, bool *may_fail)
{
    Walk *walk = call->walk;
    IntegerRef *at = ARENA_ARRAY(walk->arena, IntegerRef, (size_t)ints->text_count + 1);
    WalkNames names = {.name = name, .values = call->numbers.values};
    for (uint32_t i = 0; i < ints->text_count; i++) {
        at[i] = walk_compute(walk, &names, ints->expr[i]);
        *may_fail = *may_fail || walk_may_fail(ints->expr[i]);
    }
    return at;
}

static bool is_literal(IntegerRef integer, int64_t value)
{
    return integer.name == NULL && integer.literal == value;
}

/* A size of 0 counts as 1 in the strides of what is outside of it, as in PyTorch. */
static IntegerRef *contiguous(Call *call, const SpecInts *size, const IntegerRef *sizes, const char *name,
                              bool *may_fail)
{
    Walk *walk = call->walk;
    IntegerRef *strides = ARENA_ARRAY(walk->arena, IntegerRef, (size_t)size->text_count + 1);
    IntegerRef stride = {NULL, 1, 0};
    uint32_t steps = 0;
    for (uint32_t i = size->text_count; i-- > 0;) {
        strides[i] = stride;
        IntegerRef factor = sizes[i];
        if (i == 0 || is_literal(factor, 0) || is_literal(factor, 1)) {
            continue;
        }
        if (factor.name != NULL) {
            factor =
                (IntegerRef){arena_printf(walk->arena, "%s_%" PRIu32, name, steps++), 0, walk->plan->num_integers++};
            EMIT(walk, integer_max, operand_integer(factor), operand_integer(sizes[i]), operand_literal(1));
        }
        if (is_literal(stride, 1)) {
            stride = factor;
            continue;
        }
        const IntegerRef product = {arena_printf(walk->arena, "%s_%" PRIu32, name, steps++), 0,
                                    walk->plan->num_integers++};
        EMIT(walk, integer_mul, operand_integer(product), operand_integer(stride), operand_integer(factor));
        stride = product;
        *may_fail = true;
    }
    return strides;
}

/* No tensor can have a negative size or stride, whoever makes it. */
static void check_list(Call *call, const Made *made, const SpecInts *ints, const IntegerRef *at, bool is_size)
{
    for (uint32_t i = 0; i < ints->text_count; i++) {
        if (!is_never_negative(call, ints->expr[i])) {
            EMIT(call->walk, check_minimum, operand_integer(at[i]), operand_literal(0), operand_literal(i),
                 call_site(call, made, is_size ? "size" : "stride", is_size ? "WG_E_SIZE" : "WG_E_STRIDE",
                           "WG_KIND_INTEGER"));
        }
    }
}

void call_compute_output(Call *call, Made *made, uint32_t index)
{
    Walk *walk = call->walk;
    const SpecKernelOutput *output = made->spec;
    bool may_fail = false;
    call_at_output(call, index);
    const char *stem = arena_printf(walk->arena, "out%" PRIu32, index);
    made->sizes = compute_list(call, &output->size, arena_printf(walk->arena, "%s_size", stem), &may_fail);
    const char *strides = arena_printf(walk->arena, "%s_stride", stem);
    if (output->stride.text != NULL) {
        made->strides = compute_list(call, &output->stride, strides, &may_fail);
    } else if (output->allocate != NULL) {
        made->strides = contiguous(call, &output->size, made->sizes, strides, &may_fail);
    }
    if (may_fail) {
        EMIT(walk, check_overflow, call_site(call, made, "overflow", "WG_E_OVERFLOW", "WG_KIND_NONE"));
    }
    check_list(call, made, &output->size, made->sizes, true);
    check_list(call, made, &output->stride, made->strides, false);
}

void call_at_output(Call *call, uint32_t index)
{
    Walk *walk = call->walk;
    walk->path = arena_printf(walk->arena, "%s.outputs[%" PRIu32 "]", walk->kernel->path, index);
    walk->where = &call->kernel->outputs[index];
}

void call_at_kernel(Call *call)
{
    call->walk->path = call->walk->kernel->path;
    call->walk->where = call->kernel;
}

Operand call_site(const Call *call, const Made *made, const char *rule, const char *code, const char *kind)
{
    return operand_site(plan_site(call->walk->plan, made != NULL ? made->spec->name : NULL, rule, code, kind));
}

bool call_computes(const Call *call, const Made *made)
{
    return made->spec->allocate != NULL || (call->tests && made->spec->size.text != NULL);
}
