/* SPDX-License-Identifier: MIT */
/*
 * dtype - element types and devices by their names in the YAML.
 *
 * Numbers, names and sizes come from the one table that hosts use too (WG_DTYPES), so a new element type is one row
 * there. The names are PyTorch's without `torch.`; its shorter spellings (`half`, `long`) and NumPy-like ones (`fp16`)
 * are not accepted, only suggested, so that one file has one way to write a type.
 */
#include "geometry.h"

#include <stddef.h>

#include "expr.h"
#include "../base/str.h"
#include "../../templates/core/wg_copy.h"

enum { SUGGEST_WITHIN = 2 };

typedef struct Dtype {
    const char *name;
    const char *constant;
    uint32_t size;
    WgFamily family;
} Dtype;

/* Indexed by number; numbers of PyTorch's types that we do not have are empty rows. */
static const Dtype dtypes[] = {
#define ROW(number, name, size, family) [number] = {name, #number, size, WG_FAMILY_##family},
    WG_DTYPES(ROW)
#undef ROW
};

enum { NUM_DTYPES = sizeof dtypes / sizeof dtypes[0] };

/* What people write instead of our names. */
typedef struct OtherName {
    const char *other;
    int32_t dtype;
} OtherName;

static const OtherName other_names[] = {
    {"byte", WG_UINT8},
    {"char", WG_INT8},
    {"short", WG_INT16},
    {"int", WG_INT32},
    {"long", WG_INT64},
    {"half", WG_FLOAT16},
    {"float", WG_FLOAT32},
    {"double", WG_FLOAT64},
    {"chalf", WG_COMPLEX32},
    {"cfloat", WG_COMPLEX64},
    {"cdouble", WG_COMPLEX128},
    {"boolean", WG_BOOL},
    {"fp16", WG_FLOAT16},
    {"fp32", WG_FLOAT32},
    {"fp64", WG_FLOAT64},
    {"bf16", WG_BFLOAT16},
    {"f16", WG_FLOAT16},
    {"f32", WG_FLOAT32},
    {"f64", WG_FLOAT64},
    {"u8", WG_UINT8},
    {"i8", WG_INT8},
    {"i16", WG_INT16},
    {"i32", WG_INT32},
    {"i64", WG_INT64},
    {"u16", WG_UINT16},
    {"u32", WG_UINT32},
    {"u64", WG_UINT64},
    {"float8", WG_FLOAT8_E4M3FN},
    {"float8_e4m3", WG_FLOAT8_E4M3FN},
};

typedef struct DeviceName {
    const char *name;
    const char *constant;
    int32_t type;
} DeviceName;

static const DeviceName device_names[] = {
#define ROW(type, name) {name, #type, type},
    WG_DEVICE_TYPES(ROW)
#undef ROW
};

static const Dtype *dtype_row(int32_t dtype)
{
    const bool known = dtype >= 0 && dtype < NUM_DTYPES && dtypes[dtype].name;
    return known ? &dtypes[dtype] : NULL;
}

uint32_t dtype_size(int32_t dtype)
{
    const Dtype *row = dtype_row(dtype);
    return row ? row->size : 0;
}

bool dtype_is_complex(int32_t dtype)
{
    const Dtype *row = dtype_row(dtype);
    return row && row->family == WG_FAMILY_COMPLEX;
}

bool dtype_is_differentiable(int32_t dtype)
{
    const Dtype *row = dtype_row(dtype);
    return row && (row->family == WG_FAMILY_FLOAT || row->family == WG_FAMILY_COMPLEX);
}

int32_t dtype_parse(const char *name)
{
    for (int32_t dtype = 0; dtype < NUM_DTYPES; dtype++) {
        if (dtypes[dtype].name && str_equal(dtypes[dtype].name, name)) {
            return dtype;
        }
    }
    return -1;
}

const char *dtype_text(int32_t dtype)
{
    const Dtype *row = dtype_row(dtype);
    return row ? row->name : "?";
}

bool dtype_next(int32_t *dtype)
{
    do {
        ++*dtype;
    } while (*dtype < NUM_DTYPES && dtype_row(*dtype) == NULL);
    return *dtype < NUM_DTYPES;
}

const char *dtype_constant(int32_t dtype)
{
    const Dtype *row = dtype_row(dtype);
    return row ? row->constant : NULL;
}

const char *device_type_constant(int64_t type)
{
    for (size_t i = 0; i < sizeof device_names / sizeof device_names[0]; i++) {
        if (device_names[i].type == type) {
            return device_names[i].constant;
        }
    }
    return NULL;
}

const char *device_constant(Arena *arena, int64_t device)
{
    const char *type = device < 0 ? NULL : device_type_constant(device / 256);
    if (type == NULL) {
        return NULL;
    }
    return device % 256 == 0 ? arena_printf(arena, "%s * 256", type)
                             : arena_printf(arena, "%s * 256 + %d", type, (int)(device % 256));
}

const char *dtype_suggest(const char *name)
{
    const char *bare = str_starts(name, "torch.") ? name + 6 : name;
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++) {
        if (str_equal(other_names[i].other, bare)) {
            return dtype_text(other_names[i].dtype);
        }
    }
    const char *best = NULL;
    size_t best_distance = SUGGEST_WITHIN + 1;
    for (int32_t dtype = 0; dtype < NUM_DTYPES; dtype++) {
        const size_t distance =
            dtypes[dtype].name ? str_distance(dtypes[dtype].name, bare, SUGGEST_WITHIN) : SUGGEST_WITHIN + 1;
        if (distance < best_distance) {
            best = dtypes[dtype].name;
            best_distance = distance;
        }
    }
    return best;
}

const char *device_name(size_t nth)
{
    return nth < sizeof device_names / sizeof device_names[0] ? device_names[nth].name : NULL;
}

int32_t device_type(size_t nth)
{
    return device_names[nth].type;
}

/* "cuda:1": a name, and an index without leading zeros. The CPU has no index but 0, as in PyTorch. */
bool device_parse(const char *text, int32_t *type, int32_t *index)
{
    for (size_t i = 0; i < sizeof device_names / sizeof device_names[0]; i++) {
        if (!str_starts(text, device_names[i].name)) {
            continue;
        }
        const char *rest = text;
        for (const char *name = device_names[i].name; *name; name++) {
            rest++;
        }
        int64_t value = -1;
        if (*rest != '\0') {
            const int64_t last = device_names[i].type == WG_CPU ? 0 : DEVICE_INDEX_MAX;
            if (*rest != ':' || !expr_parse_integer(rest + 1, &value) || value < 0 || value > last) {
                continue;
            }
        }
        *type = device_names[i].type;
        *index = (int32_t)value;
        return true;
    }
    return false;
}
