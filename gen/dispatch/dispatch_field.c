/* SPDX-License-Identifier: MIT */
/*
 * dispatch_field - what fields.def says about a field, and the values that it can have.
 */
#include <string.h>

#include "dispatch.h"
#include "../algebra/geometry.h"
#include "../facts/derive.h"
#include "../../templates/core/wg_core.h"

/* The values of a field in fields.def, as members of its FieldSpec. */
#define TRUTH(no, yes)   .values = VALUES_TRUTH, .truths = {no, yes}
#define NUMBER(greatest) .values = VALUES_NUMBER, .most = (greatest)
#define ADDRESS          .values = VALUES_ADDRESS
#define DTYPE            .values = VALUES_DTYPE
#define DEVICE           .values = VALUES_DEVICE
#define BY_KIND          .values = VALUES_BY_KIND

/* clang-format off */
const FieldSpec field_specs[FIELD_COUNT] = {
#define FIELD(NAME, stem, meaning, owner, keys, allowed, ordinary, prefix) \
    [FIELD_##NAME] = {.name = #stem, .words = meaning, .of = FIELD_OF_##owner, .key = FIELD_KEY_##keys, allowed, \
                      .usual = (ordinary), .shown = (prefix)},
#include "fields.def"
#undef FIELD
};
/* clang-format on */

#undef TRUTH
#undef NUMBER
#undef ADDRESS
#undef DTYPE
#undef DEVICE
#undef BY_KIND

/* Those of an argument that is a scalar. */
static const FieldValues values_of_kind[] = {
#define KIND(KIND, form, values, c_type, slot, proof, key, python, annotation, article, note)                          \
    [SPEC_##KIND] = VALUES_##values,
#include "../facts/kinds.def"
#undef KIND
};

static FieldValues values_of(FieldKind kind, const SpecArg *arg)
{
    const FieldValues values = field_specs[kind].values;
    return values == VALUES_BY_KIND ? values_of_kind[arg->kind] : values;
}

FieldValues dispatch_values(const Dispatch *dispatch, uint32_t field)
{
    const DispatchField *about = &dispatch->fields[field];
    return values_of(about->kind, dispatch->nodes[about->node].arg);
}

/* ---- domains ---- */

static IntSet points(Arena *arena, const int64_t *values, size_t n)
{
    IntSet set = {0};
    for (size_t i = 0; i < n; i++) {
        const IntSet one = intset_point(arena, values[i]);
        set = intset_unite(arena, &set, &one);
    }
    return set;
}

static IntSet dtype_domain(Arena *arena)
{
    int64_t values[64];
    size_t n = 0;
    for (int32_t dtype = 0; dtype < 64; dtype++) {
        if (dtype_size(dtype) > 0) {
            values[n++] = dtype;
        }
    }
    return points(arena, values, n);
}

static IntSet device_domain(Arena *arena)
{
    IntSet set = intset_point(arena, WG_CPU * 256);
    for (size_t i = 0; device_name(i) != NULL; i++) {
        const int32_t type = device_type(i);
        if (type != WG_CPU) {
            const IntSet one = intset_interval(arena, type * 256, type * 256 + DEVICE_INDEX_MAX);
            set = intset_unite(arena, &set, &one);
        }
    }
    return set;
}

IntSet dispatch_domain(Arena *arena, FieldKind kind, const SpecArg *arg)
{
    switch (values_of(kind, arg)) {
    case VALUES_TRUTH:
        return intset_interval(arena, 0, 1);
    case VALUES_NUMBER:
        return intset_interval(arena, 0, field_specs[kind].most);
    case VALUES_ADDRESS:
        return intset_interval(arena, 0, INT64_MAX);
    case VALUES_DTYPE:
        return dtype_domain(arena);
    case VALUES_DEVICE:
        return device_domain(arena);
    case VALUES_LITERAL:
        return intset_interval(arena, 0, UINT32_MAX); /* narrowed once all literals are known */
    case VALUES_BY_KIND:
    case VALUES_INTEGER:
        break;
    }
    return intset_interval(arena, INT64_MIN, INT64_MAX);
}

/* ---- the values that a text of the YAML names ---- */

IntSet dispatch_condition(Dispatch *dispatch, const char *text, int64_t min, int32_t *symbol)
{
    Arena *arena = dispatch->arena;
    Condition condition;
    const char *error = NULL;
    size_t at = 0;
    const Spec *spec = dispatch->spec;
    (void)condition_parse(arena, text, derive_find_symbol, &spec, &condition, &error, &at);
    const IntSet domain = intset_interval(arena, min, INT64_MAX);
    const IntSet set = intset_from_condition(arena, &condition);
    *symbol = condition.is_symbol ? (int32_t)condition.symbol : DISPATCH_NONE;
    return intset_intersect(arena, &set, &domain);
}

IntSet dispatch_dtypes(Dispatch *dispatch, const char *text)
{
    IntSet set = {0};
    for (const char *at = text;;) {
        const size_t length = strcspn(at, "|");
        const IntSet one = intset_point(dispatch->arena, dtype_parse(arena_copy(dispatch->arena, at, length)));
        set = intset_unite(dispatch->arena, &set, &one);
        if (at[length] == '\0') {
            return set;
        }
        at += length + 1;
    }
}

IntSet dispatch_device(Dispatch *dispatch, const char *text)
{
    int32_t type = 0;
    int32_t index = -1;
    (void)device_parse(text, &type, &index);
    index = index < 0 && type == WG_CPU ? 0 : index; /* the only one there is */
    return index >= 0 ? intset_point(dispatch->arena, type * 256 + index)
                      : intset_interval(dispatch->arena, type * 256, type * 256 + DEVICE_INDEX_MAX);
}
