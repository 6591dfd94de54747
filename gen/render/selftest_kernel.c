/* SPDX-License-Identifier: MIT */
/*
 * selftest_kernel - kernels as tables (selftest_write.c): conditions stay the texts that they are.
 *
 * To add a member of schema/spec.h: a line in the function of its struct.
 */
#include "selftest_private.h"

#include <inttypes.h>

/* ---- enums: in the order of schema/spec.h ---- */

static const char *const index_dtypes[] = {"SPEC_INDEX_UNSET", "SPEC_INDEX_AUTO", "SPEC_INDEX_INT32",
                                           "SPEC_INDEX_INT64"};
static const char *const buckets[] = {"SPEC_BUCKETS_UNSET", "SPEC_BUCKETS_GENERALIZE", "SPEC_BUCKETS_ZERO_ONE"};
static const char *const arg_kinds[] = {"SPEC_ARG_UNSET", "SPEC_ARG_TENSOR", "SPEC_ARG_INT",   "SPEC_ARG_FLOAT",
                                        "SPEC_ARG_BOOL",  "SPEC_ARG_STRING", "SPEC_ARG_DTYPE", "SPEC_ARG_DEVICE",
                                        "SPEC_ARG_NULL",  "SPEC_ARG_TUPLE",  "SPEC_ARG_LIST",  "SPEC_ARG_RECORD"};
static const char *const extras[] = {"SPEC_EXTRA_UNSET", "SPEC_EXTRA_SIZE", "SPEC_EXTRA_STRIDE"};
static const char *const layouts[] = {"SPEC_LAYOUT_UNSET", "SPEC_LAYOUT_CONTIGUOUS", "SPEC_LAYOUT_CHANNELS_LAST"};
ONE_NAME_EACH(index_dtypes, SPEC_INDEX_INT64);
ONE_NAME_EACH(buckets, SPEC_BUCKETS_ZERO_ONE);
ONE_NAME_EACH(arg_kinds, SPEC_ARG_RECORD);
ONE_NAME_EACH(extras, SPEC_EXTRA_STRIDE);
ONE_NAME_EACH(layouts, SPEC_LAYOUT_CHANNELS_LAST);

/* ---- arguments ---- */

static const char *table_of_SpecArg(Tables *t, const SpecArg *list, uint32_t count);

static void row_of_SpecArg(Tables *t, Value m, const SpecArg *x)
{
    TEXT(name);
    ENUM(kind, arg_kinds);
    TEXT(ndim);
    TEXT(dtype);
    INTS(static_dims);
    FLAG(subclass_ok);
    FLAG(nullable);
    FLAG(default_null);
    FLAG(constexpr_value);
    TEXT(default_value);
    TEXT(length);
    ONE(SpecArg, of);
    LIST(SpecArg, items);
}
STRUCTS(SpecArg)

static void row_of_SpecExtra(Tables *t, Value m, const SpecExtra *x)
{
    TEXT(arg);
    ENUM(of, extras);
    INT(dim);
}
STRUCTS(SpecExtra)

/* ---- variants ---- */

static void row_of_SpecWhen(Tables *t, Value m, const SpecWhen *x)
{
    TEXT(arg);
    TEXT(dtype);
    TEXT(ndim);
    NAMES(size);
    NAMES(stride);
    INT(align);
    TEXT(device);
    ENUM(layout, layouts);
    FLAG(is_null);
    TEXT(value);
    TEXT(length);
}
STRUCTS(SpecWhen)

static void row_of_SpecVariant(Tables *t, Value m, const SpecVariant *x)
{
    TEXT(symbol);
    TEXT(graph);
    LIST(SpecWhen, when);
    NUMBER(graph_index);
}
STRUCTS(SpecVariant)

static void row_of_SpecKernel(Tables *t, Value m, const SpecKernel *x)
{
    TEXT(name);
    FLAG(static_shapes);
    ENUM(index_dtype, index_dtypes);
    ENUM(buckets, buckets);
    FLAG(device_in_key);
    NAMES(key_extra);
    ENUM(check, tables_checks);
    LIST(SpecArg, args);
    LIST(SpecExtra, extra);
    LIST(SpecVariant, variants);
}
ROWS(SpecKernel)
