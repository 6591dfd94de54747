/* SPDX-License-Identifier: MIT */
/*
 * dispatch_text - writes fields, values and sets for people, in messages and in the miss explainer.
 */
#include <inttypes.h>

#include "dispatch.h"
#include "../algebra/geometry.h"
#include "../base/str.h"

static const char *const field_words[] = {
#define FIELD(name, words) [FIELD_##name] = words,
    DISPATCH_FIELDS(FIELD)
#undef FIELD
};

char *const *dispatch_variant_name(const SpecVariant *variant)
{
    return variant->graph != NULL ? &variant->graph : &variant->symbol;
}

/* "cuda", "cuda:1": only the type for the CPU. */
static const char *device_text(Arena *arena, int64_t device)
{
    static const char *const names[] = {"cpu", "cuda", "hip", "xla", "xpu", "mps", "meta", "hpu", "privateuseone"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int32_t type = 0;
        int32_t index = 0;
        if (device_parse(names[i], &type, &index) && type == device / 256) {
            return type == 0 ? names[i] : arena_printf(arena, "%s:%" PRId64, names[i], device % 256);
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
    return node->arg->kind == SPEC_ARG_STRING ? arena_printf(dispatch->arena, "'%s'", text) : text;
}

static bool is_device(const Dispatch *dispatch, uint32_t field)
{
    const DispatchField *about = &dispatch->fields[field];
    return about->kind == FIELD_DEVICE ||
           (about->kind == FIELD_VALUE && dispatch->nodes[about->node].arg->kind == SPEC_ARG_DEVICE);
}

bool dispatch_is_dtype(const Dispatch *dispatch, uint32_t field)
{
    const DispatchField *about = &dispatch->fields[field];
    return about->kind == FIELD_DTYPE ||
           (about->kind == FIELD_VALUE && dispatch->nodes[about->node].arg->kind == SPEC_ARG_DTYPE);
}

const char *dispatch_value_constant(const Dispatch *dispatch, uint32_t field, int64_t value)
{
    if (dispatch_is_dtype(dispatch, field) && value >= 0 && value <= INT32_MAX) {
        return dtype_constant((int32_t)value);
    }
    return is_device(dispatch, field) ? device_constant(dispatch->arena, value) : NULL;
}

const char *dispatch_value_text(const Dispatch *dispatch, uint32_t field, int64_t value)
{
    const DispatchField *about = &dispatch->fields[field];
    const DispatchNode *node = &dispatch->nodes[about->node];
    const SpecArgKind kind = about->kind == FIELD_VALUE ? node->arg->kind : SPEC_ARG_INT;
    if (dispatch_is_dtype(dispatch, field)) {
        return dtype_text((int32_t)value);
    }
    if (is_device(dispatch, field)) {
        return device_text(dispatch->arena, value);
    }
    if (kind == SPEC_ARG_BOOL) {
        return value == 0 ? "false" : "true";
    }
    if (kind == SPEC_ARG_FLOAT || kind == SPEC_ARG_STRING) {
        return literal_text(dispatch, node, value);
    }
    return arena_printf(dispatch->arena, "%" PRId64, value);
}

const char *dispatch_word(const Dispatch *dispatch, uint32_t field, uint32_t i)
{
    static const char *const words[][2] = {
        [FIELD_PRESENT] = {"null", "not null"},
        [FIELD_PLAIN] = {"a subclass", "a plain tensor"},
        [FIELD_CONTIGUOUS] = {"not contiguous", "contiguous"},
        [FIELD_CHANNELS_LAST] = {"not channels last", "channels last"},
        [FIELD_COUNT] = {NULL, NULL},
    };
    const DispatchField *about = &dispatch->fields[field];
    const DispatchNode *node = &dispatch->nodes[about->node];
    if (about->kind != FIELD_VALUE) {
        return i < 2 ? words[about->kind][i] : NULL;
    }
    const bool literal = node->arg->kind == SPEC_ARG_FLOAT || node->arg->kind == SPEC_ARG_STRING;
    const uint32_t count = literal ? node->num_literals : node->arg->kind == SPEC_ARG_BOOL ? 2 : 0;
    return i < count ? dispatch_value_text(dispatch, field, i) : NULL;
}

const char *dispatch_field_text(const Dispatch *dispatch, uint32_t field)
{
    const DispatchField *about = &dispatch->fields[field];
    const char *path = dispatch->nodes[about->node].path;
    if (about->dimension != DISPATCH_NONE) {
        return arena_printf(dispatch->arena, "%s of dim %" PRId32 " of '%s'", field_words[about->kind],
                            about->dimension, path);
    }
    return arena_printf(dispatch->arena, "%s of '%s'", field_words[about->kind], path);
}

static void put_piece(const Dispatch *dispatch, uint32_t field, const IntPiece *piece, Str *out)
{
    if (piece->min == piece->max) {
        str_puts(out, dispatch_value_text(dispatch, field, piece->min));
        return;
    }
    if (is_device(dispatch, field)) { /* that is, all 256 indices of one type */
        str_puts(out, dispatch_value_text(dispatch, field, piece->min));
        str_puts(out, " or another index");
        return;
    }
    if (piece->multiple > 1) {
        str_printf(out, "a multiple of %" PRId64, piece->multiple);
    }
    const int64_t least = dispatch->fields[field].kind == FIELD_VALUE ? INT64_MIN : 0;
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
    switch (dispatch->fields[field].kind) {
    case FIELD_PRESENT:
    case FIELD_PLAIN:
    case FIELD_CONTIGUOUS:
    case FIELD_CHANNELS_LAST:
        return dispatch_word(dispatch, field, intset_has(set, 0) ? 0 : 1);
    case FIELD_LENGTH:
    case FIELD_DTYPE:
    case FIELD_RANK:
    case FIELD_SIZE:
    case FIELD_STRIDE:
    case FIELD_ADDRESS:
    case FIELD_DEVICE:
    case FIELD_VALUE:
    case FIELD_COUNT:
        break;
    }
    for (uint32_t i = 0; i < set->num_pieces; i++) {
        str_puts(&out, i > 0 ? " or " : "");
        put_piece(dispatch, field, &set->pieces[i], &out);
    }
    return set->num_pieces == 0 ? "nothing" : str_text(&out);
}
