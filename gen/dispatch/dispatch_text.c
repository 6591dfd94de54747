/* SPDX-License-Identifier: MIT */
/*
 * dispatch_text - writes fields, values and sets for people, in messages and in the miss explainer.
 */
#include <inttypes.h>

#include "dispatch.h"
#include "../algebra/cpu.h"
#include "../algebra/geometry.h"
#include "../base/str.h"
#include "../../templates/core/wg_core.h"

char *const *dispatch_variant_name(const SpecVariant *variant)
{
    return variant->graph != NULL ? &variant->graph : &variant->symbol;
}

/* "cuda", "cuda:1": only the type for the CPU. */
static const char *device_text(Arena *arena, int64_t device)
{
    for (size_t i = 0; device_name(i) != NULL; i++) {
        if (device_type(i) == device / 256) {
            return device / 256 == WG_CPU ? device_name(i)
                                          : arena_printf(arena, "%s:%" PRId64, device_name(i), device % 256);
        }
    }
    return arena_printf(arena, "device %" PRId64, device);
}

static const char *literal_text(const Dispatch *dispatch, const DispatchNode *node, int64_t value)
{
    if (value < 0 || value >= node->num_literals) {
        return "any other";
    }
    const char *text = node->literals[value];
    return node->arg->kind == SPEC_STRING ? arena_printf(dispatch->arena, "'%s'", text) : text;
}

const char *dispatch_value_constant(const Dispatch *dispatch, uint32_t field, int64_t value)
{
    const FieldValues values = dispatch_values(dispatch, field);
    if (values == VALUES_DTYPE && value >= 0 && value <= INT32_MAX) {
        return dtype_constant((int32_t)value);
    }
    return values == VALUES_DEVICE ? device_constant(dispatch->arena, value) : NULL;
}

/* "contiguous"; of two tensors, "the same tensor as 'x'"; of an argument of kind bool, "true" */
static const char *truth_text(const Dispatch *dispatch, const DispatchField *field, int64_t value)
{
    static const char *const truths[2] = {"false", "true"};
    const FieldSpec *spec = &field_specs[field->kind];
    if (spec->of == FIELD_OF_PAIR) {
        return arena_printf(dispatch->arena, "%s '%s'", spec->truths[value], dispatch->nodes[field->dimension].path);
    }
    return spec->values == VALUES_TRUTH ? spec->truths[value] : truths[value];
}

const char *dispatch_value_text(const Dispatch *dispatch, uint32_t field, int64_t value)
{
    const DispatchField *about = &dispatch->fields[field];
    switch (dispatch_values(dispatch, field)) {
    case VALUES_TRUTH:
        return truth_text(dispatch, about, value != 0);
    case VALUES_DTYPE:
        return dtype_text((int32_t)value);
    case VALUES_DEVICE:
        return device_text(dispatch->arena, value);
    case VALUES_LITERAL:
        return literal_text(dispatch, &dispatch->nodes[about->node], value);
    case VALUES_NUMBER:
    case VALUES_ADDRESS:
    case VALUES_BY_KIND:
    case VALUES_INTEGER:
        break;
    }
    return arena_printf(dispatch->arena, "%" PRId64, value);
}

const char *dispatch_word(const Dispatch *dispatch, uint32_t field, uint32_t i)
{
    const FieldValues values = dispatch_values(dispatch, field);
    const uint32_t count = values == VALUES_TRUTH     ? 2
                           : values == VALUES_LITERAL ? dispatch->nodes[dispatch->fields[field].node].num_literals
                                                      : 0;
    return i < count ? dispatch_value_text(dispatch, field, i) : NULL;
}

const char *dispatch_field_text(const Dispatch *dispatch, uint32_t field)
{
    const DispatchField *about = &dispatch->fields[field];
    const char *path = dispatch->nodes[about->node].path;
    if (about->kind == FIELD_RELATION) {
        return arena_printf(dispatch->arena, "%s '%s'", field_specs[about->kind].words,
                            dispatch_relation_of(dispatch, field)->text);
    }
    if (about->kind == FIELD_FEATURE) {
        return arena_printf(dispatch->arena, "%s %s", field_specs[about->kind].words, cpu_word(about->dimension));
    }
    if (field_specs[about->kind].of == FIELD_OF_PAIR) {
        return arena_printf(dispatch->arena, "%s of '%s' and '%s'", field_specs[about->kind].words, path,
                            dispatch->nodes[about->dimension].path);
    }
    if (about->dimension != DISPATCH_NONE) {
        return arena_printf(dispatch->arena, "%s of dim %" PRId32 " of '%s'", field_specs[about->kind].words,
                            about->dimension, path);
    }
    return arena_printf(dispatch->arena, "%s of '%s'", field_specs[about->kind].words, path);
}

static void put_piece(const Dispatch *dispatch, uint32_t field, const IntPiece *piece, Str *out)
{
    if (piece->min == piece->max) {
        str_puts(out, dispatch_value_text(dispatch, field, piece->min));
        return;
    }
    if (dispatch_values(dispatch, field) == VALUES_DEVICE) { /* that is, all indices of one type */
        str_puts(out, dispatch_value_text(dispatch, field, piece->min));
        str_puts(out, " or another index");
        return;
    }
    if (piece->multiple > 1) {
        str_printf(out, "a multiple of %" PRId64, piece->multiple);
    }
    const int64_t least = dispatch_values(dispatch, field) == VALUES_INTEGER ? INT64_MIN : 0;
    if (piece->min > least || piece->max < INT64_MAX) {
        str_puts(out, piece->multiple > 1 ? " in " : "");
        if (piece->min > INT64_MIN) {
            str_printf(out, "%" PRId64, piece->min);
        }
        str_puts(out, "..");
        if (piece->max < INT64_MAX) {
            str_printf(out, "%" PRId64, piece->max);
        }
    } else if (piece->multiple == 1) {
        str_puts(out, "any integer");
    }
}

const char *dispatch_set_text(const Dispatch *dispatch, uint32_t field, const IntSet *set)
{
    Str out = str_new(dispatch->arena);
    for (uint32_t i = 0; i < set->num_pieces; i++) {
        str_puts(&out, i > 0 ? " or " : "");
        put_piece(dispatch, field, &set->pieces[i], &out);
    }
    return set->num_pieces == 0 ? "nothing" : str_text(&out);
}

/* ---- clauses ---- */

/* "size of dim 0 of 'a'" of "size of dim 0 of 'a' is 16". What is null, or the same tensor, is the thing itself. */
static const char *subject_text(const Dispatch *dispatch, uint32_t field)
{
    const DispatchField *about = &dispatch->fields[field];
    const bool itself = about->kind == FIELD_PRESENT || field_specs[about->kind].of == FIELD_OF_PAIR;
    return itself ? arena_printf(dispatch->arena, "'%s'", dispatch->nodes[about->node].path)
                  : dispatch_field_text(dispatch, field);
}

static void put_alternative(const Dispatch *dispatch, uint32_t field, const IntSet *set, Str *out)
{
    str_printf(out, "%s is %s", subject_text(dispatch, field), dispatch_set_text(dispatch, field, set));
}

const char *dispatch_test_text(Arena *arena, const Dispatch *dispatch, uint32_t field, int64_t value)
{
    return arena_printf(arena, "%s is %s", subject_text(dispatch, field), dispatch_value_text(dispatch, field, value));
}

const char *dispatch_clause_text(Arena *arena, const Dispatch *dispatch, const DispatchClause *clause)
{
    Str out = str_new(arena);
    if (clause->equal_to == DISPATCH_NONE) {
        put_alternative(dispatch, clause->field, &clause->set, &out);
    } else {
        str_printf(&out, "%s is the same as %s", dispatch_field_text(dispatch, clause->field),
                   dispatch_field_text(dispatch, (uint32_t)clause->equal_to));
    }
    for (uint32_t i = 0; i < clause->num_unless; i++) {
        str_puts(&out, ", or ");
        put_alternative(dispatch, clause->unless[i].field, &clause->unless[i].set, &out);
    }
    return str_text(&out);
}
