/* SPDX-License-Identifier: MIT */
/*
 * kernel_key - the components that one value of a call adds to the key (templates/core/wg_key.h has the encoding).
 */
#include "kernel_walk.h"

#include <inttypes.h>
#include <string.h>

static bool is_single(uint64_t set)
{
    return set != 0 && (set & (set - 1)) == 0;
}

typedef struct DimList {
    int64_t at[KEY_MAX_RANK];
    uint32_t count;
} DimList;

static Operand dims_operand(Walk *walk, const DimList *dims)
{
    int64_t *copy = ARENA_ARRAY(walk->arena, int64_t, (size_t)dims->count + 1);
    memcpy(copy, dims->at, dims->count * sizeof *copy);
    return operand_dims(copy, dims->count);
}

static const char *flags_text(const Kernel *kernel)
{
    const SpecKernel *spec = kernel->spec;
    Str text = str_new(kernel->arena);
    str_puts(&text, spec_is(spec->static_shapes) ? "WG_KEY_STATIC" : "0");
    str_puts(&text, spec->buckets == SPEC_BUCKETS_ZERO_ONE ? " | WG_KEY_ZERO_ONE" : "");
    str_puts(&text, spec->index_dtype == SPEC_INDEX_AUTO ? " | WG_KEY_AUTO" : "");
    str_puts(&text, spec_is(spec->device_in_key) ? " | WG_KEY_DEVICE" : "");
    return str_text(&text);
}

/* The bits of a tensor that may be lazy, as a local that a head takes up: " | lazy_x"; else nothing. */
static const char *lazy_text(Walk *walk, const KernelArg *arg, uint32_t tensor)
{
    if (!spec_is(arg->spec->lazy_ok)) {
        return "";
    }
    const char *text = arena_printf(walk->arena, "lazy_%s", arg->suffix);
    const uint32_t slot = plan_slot(walk->plan, SLOT_BORROWED, SLOT_POINTER, 0, text, arg->dotted);
    EMIT(walk, key_lazy, operand_tensor(slot), operand_tensor(tensor));
    return arena_printf(walk->arena, " | %s", text);
}

static Operand head_text(Walk *walk, uint64_t constant, const char *lazy)
{
    return operand_text(arena_printf(walk->arena, "%s%s", walk_set_text(walk->arena, constant), lazy));
}

/* For a known rank: dims of static shapes two at a time, the rest one by one. */
static void key_ranked(Walk *walk, const KernelArg *arg, uint32_t slot, Operand type, uint64_t constant,
                       const char *lazy)
{
    const SpecKernel *spec = walk->kernel->spec;
    const int64_t rank = walk_first_of(arg->ranks);
    const bool zero_one = spec->buckets == SPEC_BUCKETS_ZERO_ONE;
    DimList all = {.count = 0};
    DimList pairs = {.count = 0};
    DimList single = {.count = 0};
    DimList bucketed = {.count = 0};
    DimList fixed = {.count = 0};
    for (int64_t d = 0; d < rank; d++) {
        DimList *packed = d % 2 != 0 ? NULL : d + 1 < rank ? &pairs : &single;
        all.at[all.count++] = d;
        if (packed != NULL) {
            packed->at[packed->count++] = d;
        }
        if ((arg->static_dims >> d & 1) != 0) {
            fixed.at[fixed.count++] = d;
        }
        if (zero_one) {
            bucketed.at[bucketed.count++] = rank - 1 - d; /* the 3 of a static dim overwrites it */
        }
    }
    constant |= (uint64_t)rank << 16;
    if (spec_is(spec->static_shapes)) {
        EMIT(walk, key_static, operand_tensor(slot), type, head_text(walk, constant, lazy), dims_operand(walk, &pairs),
             dims_operand(walk, &single), operand_count(rank));
        return;
    }
    for (int64_t d = 0; d < rank; d++) {
        const bool is_static = (arg->static_dims >> d & 1) != 0;
        constant |= (uint64_t)(is_static ? 3 : zero_one ? 0 : 2) << (32 + 2 * d);
    }
    const Operand text = head_text(walk, constant, lazy);
    if (spec->index_dtype == SPEC_INDEX_AUTO) {
        EMIT(walk, key_dynamic_auto, operand_tensor(slot), type, text, dims_operand(walk, &bucketed),
             dims_operand(walk, &all), dims_operand(walk, &fixed));
    } else {
        EMIT(walk, key_dynamic, operand_tensor(slot), type, text, dims_operand(walk, &bucketed),
             dims_operand(walk, &fixed));
    }
}

static void key_tensor(Walk *walk, const KernelArg *arg, uint32_t slot)
{
    const SpecKernel *spec = walk->kernel->spec;
    if (kernel_holds_same(walk->kernel) && walk->any) {
        EMIT(walk, key_again, operand_tensor(slot));
    } else if (kernel_holds_same(walk->kernel)) {
        EMIT(walk, key_apart, operand_tensor(slot));
    }
    const bool device = spec_is(spec->device_in_key);
    const bool is_static = spec_is(spec->static_shapes);
    const char *lazy = lazy_text(walk, arg, slot);
    const Operand flags =
        operand_text(arena_printf(walk->arena, "%s%s", flags_text(walk->kernel), walk->any ? lazy : ""));
    const Operand marked = operand_text(arena_printf(walk->arena, "0x%" PRIx32, arg->static_dims));
    const Operand type = operand_name(device ? "wg_key_type_on" : "wg_key_type");
    const uint64_t constant =
        1 | (device ? 0 : UINT64_C(255) << 24) | (is_static ? (uint64_t)arg->static_dims << 32 : 0);
    if (walk->any) {
        EMIT(walk, key_any, operand_tensor(slot), flags, marked);
    } else if (is_single(arg->ranks)) {
        key_ranked(walk, arg, slot, type, constant, lazy);
    } else if (is_static) {
        EMIT(walk, key_static_ranks, operand_tensor(slot), type, head_text(walk, constant, lazy));
    } else {
        EMIT(walk, key_dynamic_ranks, operand_tensor(slot), type, head_text(walk, constant, lazy), flags, marked);
    }
}

void walk_key_value(Walk *walk, const KernelArg *arg, uint32_t slot)
{
    switch (kind_form(arg->kind)) {
    case FORM_TENSOR:
        key_tensor(walk, arg, slot);
        break;
    case FORM_TEXT:
        EMIT(walk, key_string, operand_tensor(slot));
        break;
    case FORM_NUMBER:
    case FORM_CODE:
        if (arg->kind == SPEC_FLOAT) {
            EMIT(walk, key_real, operand_tensor(slot));
        } else {
            EMIT(walk, key_integer, operand_tensor(slot));
        }
        break;
    case FORM_LIST:
        EMIT(walk, key_count, operand_tensor(slot));
        break;
    case FORM_NOTHING:
    case FORM_STRUCT:
        break;
    }
}
