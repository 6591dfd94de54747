/* SPDX-License-Identifier: MIT */
/*
 * reference_arguments - which argument is refused, and for what: the first fault in the order of the contract.
 *
 * Identity of duplicates; then input by input what is stated literally (null, exact type, dtype, rank, sizes, strides,
 * offset, device, alignment); then symbols, bound at their first bare use; then every other use of a symbol; then, at
 * `full`, overlap; then what debug_assert asks for.
 */
#include "reference_private.h"

#include <stddef.h>

static bool at_least(const Reference *r, SpecCheck level)
{
    return r->graph->check >= level;
}

static bool is_literal(const Expr *expr)
{
    return expr->kind == EXPR_LITERAL;
}

/* Whether a list has an entry that is no literal. */
static bool has_symbol(const SpecInts *ints)
{
    for (uint32_t i = 0; i < ints->text_count; i++) {
        if (!is_literal(ints->expr[i])) {
            return true;
        }
    }
    return false;
}

static bool check_literals(Reference *r, int32_t code, const SpecInput *input, const SpecInts *ints,
                           const int64_t *found)
{
    for (uint32_t d = 0; d < ints->text_count; d++) {
        const bool is_stride = code == WG_E_STRIDE;
        const bool one = is_stride && d < input->size.text_count && is_literal(input->size.expr[d]) &&
                         input->size.expr[d]->literal == 1; /* the stride of such a dim says nothing */
        if (!one && is_literal(ints->expr[d]) && ints->expr[d]->literal != found[d]) {
            return reference_fails_with(r, code, input->name, (int32_t)d, ints->expr[d]->literal, found[d]);
        }
    }
    return true;
}

static bool check_geometry(Reference *r, const SpecInput *input, const ViewGeometry *geometry)
{
    if (!check_literals(r, WG_E_SIZE, input, &input->size, geometry->sizes) ||
        !check_literals(r, WG_E_STRIDE, input, &input->stride, geometry->strides)) {
        return false;
    }
    const Expr *offset = input->storage_offset.expr;
    if (offset != NULL && is_literal(offset) && offset->literal != geometry->offset) {
        return reference_fails_with(r, WG_E_OFFSET, input->name, -1, offset->literal, geometry->offset);
    }
    return true;
}

static bool check_device(Reference *r, const SpecInput *input, const WgTensor *t)
{
    const int32_t found = t->object->device;
    if (input->device_type < 0) {
        return true;
    }
    if (input->device_index >= 0 && found != input->device_type * 256 + input->device_index) {
        return reference_fails_with(r, WG_E_DEVICE, input->name, -1, input->device_type * 256 + input->device_index,
                                    found);
    }
    if (input->device_index < 0 && found / 256 != input->device_type) { /* only the type was stated */
        return reference_fails_with(r, WG_E_DEVICE, input->name, -1, input->device_type, found / 256);
    }
    return true;
}

/* A complex element is a pair: it is aligned as its half. */
static bool check_alignment(Reference *r, const SpecInput *input, const WgTensor *t)
{
    if (input->dtype == NULL) {
        return true;
    }
    const int32_t dtype = input->dtype_code;
    const bool pair = dtype == WG_COMPLEX32 || dtype == WG_COMPLEX64 || dtype == WG_COMPLEX128;
    const int64_t bytes = pair ? view_itemsize(dtype) / 2 : view_itemsize(dtype);
    const int64_t beyond = (int64_t)(uintptr_t)wg_data(r->ctx, t) % bytes;
    if (beyond != 0) {
        return reference_fails_with(r, WG_E_ALIGNMENT, input->name, -1, bytes, beyond);
    }
    return true;
}

static bool check_tensor(Reference *r, const SpecInput *input, const WgTensor *t)
{
    const SpecInts *stated = input->size.text != NULL ? &input->size : &input->stride;
    if (t == NULL) {
        return reference_fails(r, WG_E_NULL, input->name);
    }
    if (!t->object->plain) {
        return reference_fails(r, WG_E_TYPE, input->name);
    }
    const ViewGeometry *geometry = &t->object->geometry;
    if (at_least(r, SPEC_CHECK_CHEAP) && input->dtype != NULL && input->dtype_code != geometry->dtype) {
        return reference_fails_with(r, WG_E_DTYPE, input->name, -1, input->dtype_code, geometry->dtype);
    }
    /* A rank is also tested where a dimension is going to be read. */
    const bool read = has_symbol(&input->size) || has_symbol(&input->stride) || input->symbol_args.text_count > 0;
    if (stated->text != NULL && (at_least(r, SPEC_CHECK_CHEAP) || read) &&
        (int32_t)stated->text_count != geometry->rank) {
        return reference_fails_with(r, WG_E_RANK, input->name, -1, stated->text_count, geometry->rank);
    }
    if (at_least(r, SPEC_CHECK_CHEAP) && !check_geometry(r, input, geometry)) {
        return false;
    }
    return !at_least(r, SPEC_CHECK_FULL) || (check_device(r, input, t) && check_alignment(r, input, t));
}

static bool check_value(Reference *r, const SpecInput *input, int64_t found)
{
    const Expr *expr = input->value.expr;
    if (expr != NULL && is_literal(expr) && at_least(r, SPEC_CHECK_CHEAP) && expr->literal != found) {
        return reference_fails_with(r, WG_E_VALUE, input->name, -1, expr->literal, found);
    }
    return true;
}

/* ---- symbols ---- */

/* One place of an input where an expression stands, and what stands there in this call. */
typedef struct Use {
    const SpecInput *input;
    const Expr *expr;
    int32_t code;
    int32_t dimension;
    int64_t found;
} Use;

typedef bool Visit(Reference *r, const Use *use);

static bool visit_list(Reference *r, Visit *visit, const SpecInput *input, const SpecInts *ints, int32_t code,
                       const int64_t *found)
{
    for (uint32_t d = 0; d < ints->text_count; d++) {
        if (!is_literal(ints->expr[d]) && !visit(r, &(Use){input, ints->expr[d], code, (int32_t)d, found[d]})) {
            return false;
        }
    }
    return true;
}

static bool visit_input(Reference *r, Visit *visit, const SpecInput *input, WgValue arg)
{
    if (input->value.expr != NULL && !is_literal(input->value.expr)) {
        return visit(r, &(Use){input, input->value.expr, WG_E_VALUE, -1, arg.integer});
    }
    if (input->kind != SPEC_TENSOR) {
        return true;
    }
    const ViewGeometry *geometry = &arg.tensor->object->geometry;
    const Expr *offset = input->storage_offset.expr;
    if (!visit_list(r, visit, input, &input->size, WG_E_SIZE, geometry->sizes) ||
        !visit_list(r, visit, input, &input->stride, WG_E_STRIDE, geometry->strides)) {
        return false;
    }
    return offset == NULL || is_literal(offset) || visit(r, &(Use){input, offset, WG_E_OFFSET, -1, geometry->offset});
}

static bool visit_all(Reference *r, Visit *visit)
{
    for (uint32_t i = 0; i < r->graph->inputs_count; i++) {
        if (layout_is_passed(&r->graph->inputs[i]) && !visit_input(r, visit, &r->graph->inputs[i], r->args[i])) {
            return false;
        }
    }
    return true;
}

static bool bind(Reference *r, const Use *use)
{
    if (use->expr->kind != EXPR_SYMBOL || r->bound[use->expr->symbol]) {
        return true;
    }
    const SpecSymbol *symbol = &r->layout->spec->symbols[use->expr->symbol];
    r->bound[use->expr->symbol] = true;
    r->values[use->expr->symbol] = use->found;
    if (!at_least(r, SPEC_CHECK_CHEAP)) {
        return true;
    }
    if (symbol->min != NULL && use->found < symbol->min_value) {
        return reference_fails_with(r, WG_E_SYMBOL, use->input->name, use->dimension, symbol->min_value, use->found);
    }
    if (symbol->max != NULL && use->found > symbol->max_value) {
        return reference_fails_with(r, WG_E_SYMBOL, use->input->name, use->dimension, symbol->max_value, use->found);
    }
    if (symbol->multiple_of != NULL && use->found % symbol->multiple_of_value != 0) {
        return reference_fails_with(r, WG_E_SYMBOL, use->input->name, use->dimension, symbol->multiple_of_value,
                                    use->found);
    }
    return true;
}

static bool compare(Reference *r, const Use *use)
{
    int64_t expected = 0;
    if (!evaluate(&r->symbols, use->expr, &expected)) {
        return reference_fails(r, WG_E_OVERFLOW, use->input->name);
    }
    if (expected != use->found) {
        return reference_fails_with(r, use->code, use->input->name, use->dimension, expected, use->found);
    }
    return true;
}

/* ---- across arguments ---- */

static bool check_duplicates(Reference *r)
{
    for (uint32_t i = 0; i < r->graph->duplicates_count; i++) {
        const SpecDuplicate *duplicate = &r->graph->duplicates[i];
        const WgTensor *a = r->args[duplicate->input_index].tensor;
        const WgTensor *b = r->args[duplicate->of_index].tensor;
        if ((a == NULL) != (b == NULL) || (a != NULL && a->object != b->object)) {
            return reference_fails(r, WG_E_IDENTITY, duplicate->input);
        }
    }
    return true;
}

/* A data mutation that reaches another argument: each pair once, named after the first that is mutated. */
static bool check_overlaps(Reference *r)
{
    for (uint32_t i = 0; i < r->graph->inputs_count; i++) {
        const SpecInput *input = &r->graph->inputs[i];
        for (uint32_t k = 0; k < r->graph->inputs_count && spec_is(input->mutates_data); k++) {
            const SpecInput *other = &r->graph->inputs[k];
            if (i == k || other->kind != SPEC_TENSOR || !layout_is_passed(other) || !layout_is_passed(input)) {
                continue;
            }
            if (wg_overlaps(r->ctx, r->args[i].tensor, r->args[k].tensor)) {
                return reference_fails(r, WG_E_OVERLAP, input->name);
            }
        }
    }
    return true;
}

static bool check_debug_assert(Reference *r)
{
    for (uint32_t i = 0; i < r->graph->inputs_count && spec_is(r->graph->debug_assert); i++) {
        const SpecInput *input = &r->graph->inputs[i];
        if (input->kind == SPEC_TENSOR && layout_is_passed(input) && !spec_is(input->requires_grad) &&
            r->args[i].tensor->object->requires_grad) {
            return reference_fails(r, WG_E_GRAD, input->name);
        }
    }
    return true;
}

bool reference_check_arguments(Reference *r)
{
    if (!check_duplicates(r)) {
        return false;
    }
    for (uint32_t i = 0; i < r->graph->inputs_count; i++) {
        const SpecInput *input = &r->graph->inputs[i];
        if (!layout_is_passed(input)) {
            continue;
        }
        if (input->kind == SPEC_TENSOR ? !check_tensor(r, input, r->args[i].tensor)
                                       : !check_value(r, input, r->args[i].integer)) {
            return false;
        }
    }
    if (!visit_all(r, bind)) {
        return false;
    }
    if (at_least(r, SPEC_CHECK_CHEAP) && !visit_all(r, compare)) {
        return false;
    }
    return (!at_least(r, SPEC_CHECK_FULL) || check_overlaps(r)) && check_debug_assert(r);
}
