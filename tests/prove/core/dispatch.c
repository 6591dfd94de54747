/* SPDX-License-Identifier: MIT */
/* covers: wg_dispatch.c wg_dispatch.h wg_layout.h */
/*
 * A table with all that tables can have: alternatives by ranges and by another field, a guard with symbols, words, and
 * values of each kind; any numbers as fields, and texts of 0, 1, 30 and 400 bytes. A table without variants, and one
 * that asks nothing of the declarations. Layouts of 0 to 5 dimensions of any size and stride.
 */
#include "driver.h"

#include "wg_dispatch.c"

static const WgDispatchSymbol symbols[] = {{"s0", 0}, {"s1", 1}};
static const WgDispatchField about[] = {
    {"size of dim 0 of 'a'", WG_KIND_INTEGER, NULL, NULL, 0}, {"dtype of 'a'", WG_KIND_DTYPE, NULL, NULL, 0},
    {"device of 'a'", WG_KIND_DEVICE, NULL, NULL, 0},         {"'mode'", WG_KIND_INTEGER, "fast\0slow\0", NULL, 0},
    {"guard 's0 < s1'", WG_KIND_INTEGER, NULL, symbols, 2},
};
static const WgDispatchRange ranges[] = {{INT64_MIN, INT64_MAX, 16}, {-1, 1, 1}, {6, 7, 1}, {0, 0, INT64_MAX}};
static const WgDispatchAlternative alternatives[] = {{0, -1, 0, 2}, {1, -1, 2, 1}, {2, -1, 1, 1}, {3, 1, 0, 0},
                                                     {3, -1, 3, 1}, {4, -1, 1, 1}, {0, 1, 2, 1}};
static const WgDispatchClause clauses[] = {{0, 1, "a multiple of 16"}, {1, 1, "float32"}, {2, 1, "cpu:0"},
                                           {3, 2, "what 'b' has"},     {5, 1, "true"},    {6, 1, "one of 6, 7"}};
static const uint32_t asked[] = {0, 1, 2, 3, 4, 5};
static const WgDispatchVariant variants[] = {{"first", 0, 2}, {"second", 2, 3}, {NULL, 5, 1}};
static const WgDispatchVariant nothing_asked[] = {{"only", 0, 5}, {NULL, 0, 0}};
static const WgDispatchTable full = {"kernel", about, ranges, alternatives, clauses, asked, variants, 2};
static const WgDispatchTable plain = {"kernel", about, ranges, alternatives, clauses, asked, nothing_asked, 1};
static const WgDispatchTable empty = {"kernel", about, ranges, alternatives, clauses, asked, nothing_asked + 1, 0};

static WgErrorSlot slot;

WgErrorSlot *wg_host_error_slot(WgContext *ctx)
{
    (void)ctx;
    return &slot;
}

int32_t wg_fail(WgContext *ctx, const WgSite *site, int32_t dimension, WgValue expected, WgValue found)
{
    (void)ctx, (void)dimension;
    slot.error.site = site;
    slot.error.expected = expected;
    slot.error.found = found;
    return site->code;
}

/* Of wg_cold.c, which has a driver of its own. */
const char *wg_dtype_name(int32_t dtype)
{
    return dtype == WG_FLOAT32 ? "float32" : "?";
}

const char *wg_device_type_name(int32_t device_type)
{
    return device_type == WG_CPU ? "cpu" : "privateuseone";
}

static void of_table(const WgDispatchTable *table)
{
    static const size_t capacities[] = {0, 1, 30, 400};
    static const WgSite site = {"kernel", NULL, NULL, WG_E_NO_VARIANT, WG_KIND_INTEGER};
    int64_t fields[5];
    any_words((uint64_t *)fields, 5);
    (void)wg_dispatch_fail(NULL, &site, table, fields);
    for (int i = 0; i < 4; i++) {
        char *const buffer = malloc(capacities[i] + (i == 0 ? 1 : 0));
        (void)wg_dispatch_explain(table, fields, buffer, capacities[i]);
        if (i > 0) {
            //@ assert \initialized(buffer);
        }
        (void)wg_dispatch_reason(&slot.error, buffer, capacities[i], 0);
        (void)wg_dispatch_reason(&slot.error, buffer, capacities[i], 25);
        free(buffer);
    }
}

static void of_rank(int32_t rank)
{
    int64_t *const sizes = malloc((size_t)rank * sizeof *sizes + 1);
    int64_t *const strides = malloc((size_t)rank * sizeof *strides + 1);
    int64_t *const made = malloc((size_t)rank * sizeof *made + 1);
    any_words((uint64_t *)sizes, (size_t)rank);
    any_words((uint64_t *)strides, (size_t)rank);
    (void)wg_is_contiguous(rank, sizes, any_bool() ? strides : NULL);
    (void)wg_is_channels_last(rank, sizes, any_bool() ? strides : NULL);
    for (int32_t format = 0; format <= WG_CHANNELS_LAST_3D; format++) {
        (void)wg_is_in_format(format, rank, sizes, strides);
        if (wg_format_has_rank(format, rank)) {
            wg_format_strides(format, rank, sizes, made);
        }
    }
    free(sizes);
    free(strides);
    free(made);
}

void driver(void)
{
    static const char *const words[] = {"fast", "slow"};
    const int64_t reals[] = {any_integer(), any_integer()};
    char text[8];
    for (int i = 0; i < 7; i++) {
        text[i] = (char)any_from(-128, 127);
    }
    text[7] = '\0';
    (void)wg_find_string(text, words, (size_t)any_from(0, 2));
    (void)wg_find_real(any_real(), reals, (size_t)any_from(0, 2));
    of_table(&full);
    of_table(&plain);
    of_table(&empty);
    for (int32_t rank = 0; rank <= 5; rank++) {
        of_rank(rank);
    }
}
