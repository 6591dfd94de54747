/* SPDX-License-Identifier: MIT */
/*
 * kernel_check - what `check` tests of one value of a call: what every variant and the key may rely on.
 */
#include "kernel_walk.h"

#include <inttypes.h>

/* "UINT64_C(1) << WG_FLOAT16 | UINT64_C(1) << WG_BFLOAT16" */
static const char *dtypes_text(Arena *arena, uint64_t set)
{
    Str text = str_new(arena);
    for (int32_t dtype = 0; dtype < 64; dtype++) {
        if ((set >> dtype & 1) != 0) {
            str_printf(&text, "%sUINT64_C(1) << %s", text.length > 0 ? " | " : "", dtype_constant(dtype));
        }
    }
    return str_text(&text);
}

static Operand site_saying(Walk *walk, const KernelArg *arg, const char *rule, const char *code, const char *kind,
                           const char *text)
{
    return operand_site(plan_site_saying(walk->plan, arg->suffix, arg->dotted, rule, code, kind,
                                         text != NULL ? arena_printf(walk->arena, "%s %s", rule, text) : rule));
}

static void check_tensor(Walk *walk, const KernelArg *arg, uint32_t slot)
{
    const uint64_t all = kernel_dtypes(walk->arena, NULL);
    if (!spec_is(arg->spec->subclass_ok)) {
        EMIT(walk, check_plain, operand_tensor(slot), walk_site(walk, arg, "plain", "WG_E_TYPE", "WG_KIND_NONE"));
    }
    if (walk->kernel->host.tells_lazy && !spec_is(arg->spec->lazy_ok)) {
        EMIT(walk, check_lazy, operand_tensor(slot), walk_site(walk, arg, "lazy", "WG_E_LAZY", "WG_KIND_LAZY"));
    }
    if (arg->dtypes != all) {
        EMIT(walk, check_dtypes, operand_tensor(slot), operand_text(dtypes_text(walk->arena, arg->dtypes)),
             operand_name(dtype_constant((int32_t)walk_first_of(arg->dtypes))),
             site_saying(walk, arg, "dtype", "WG_E_DTYPE", "WG_KIND_DTYPE", arg->spec->dtype));
    }
    const Operand rank_site = site_saying(walk, arg, "rank", "WG_E_RANK", "WG_KIND_INTEGER", arg->spec->ndim);
    if ((arg->ranks & (arg->ranks - 1)) == 0) {
        EMIT(walk, check_rank, operand_tensor(slot), operand_count(walk_first_of(arg->ranks)), rank_site);
    } else {
        EMIT(walk, check_ranks, operand_tensor(slot), operand_text(walk_set_text(walk->arena, arg->ranks)),
             operand_count(walk_first_of(arg->ranks)), rank_site);
    }
    if (!spec_is(walk->kernel->spec->static_shapes) && walk->kernel->spec->index_dtype == SPEC_INDEX_INT32) {
        EMIT(walk, check_index32, operand_tensor(slot),
             walk_site(walk, arg, "index32", "WG_E_SIZE", "WG_KIND_INTEGER"));
    }
}

/* A truth, a dtype or a device: one of the integers that mean something. */
static void check_integer(Walk *walk, const KernelArg *arg, uint32_t slot)
{
    if (arg->kind == SPEC_DEVICE) {
        EMIT(walk, check_device_number, operand_tensor(slot),
             walk_site(walk, arg, "device", "WG_E_DEVICE", "WG_KIND_INTEGER"));
        return;
    }
    const bool is_dtype = arg->kind == SPEC_DTYPE;
    const uint64_t among = is_dtype ? kernel_dtypes(walk->arena, NULL) : 3;
    EMIT(walk, check_among, operand_tensor(slot), operand_text(walk_set_text(walk->arena, among)), operand_count(0),
         walk_site(walk, arg, is_dtype ? "dtype" : "bool", is_dtype ? "WG_E_DTYPE" : "WG_E_VALUE", "WG_KIND_INTEGER"));
}

void walk_check_value(Walk *walk, const KernelArg *arg, uint32_t slot)
{
    switch (kind_form(arg->kind)) {
    case FORM_TENSOR:
        check_tensor(walk, arg, slot);
        break;
    case FORM_NUMBER:
        if (arg->kind == SPEC_BOOLEAN) {
            check_integer(walk, arg, slot);
        }
        break;
    case FORM_CODE:
        check_integer(walk, arg, slot);
        break;
    case FORM_TEXT:
        EMIT(walk, check_string, operand_tensor(slot), walk_site(walk, arg, "bytes", "WG_E_VALUE", "WG_KIND_INTEGER"));
        break;
    case FORM_NOTHING:
        EMIT(walk, check_null, operand_tensor(slot), walk_site(walk, arg, "null", "WG_E_VALUE", "WG_KIND_NONE"));
        break;
    case FORM_LIST:
        EMIT(walk, check_count, operand_tensor(slot), operand_text(walk_set_text(walk->arena, arg->lengths)),
             operand_count(walk_first_of(arg->lengths)),
             site_saying(walk, arg, "length", "WG_E_COUNT", "WG_KIND_INTEGER", arg->spec->length));
        break;
    case FORM_STRUCT:
        break;
    }
}
