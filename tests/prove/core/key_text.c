/* SPDX-License-Identifier: MIT */
/* covers: wg_key_text.c wg_text.h */
/* options: -eva-slevel 1 -eva-slevel-function wg_text_put_unsigned:30 -eva-min-loop-unroll 20 */
/*
 * Each kind of component by itself, nullable and not, by value and not, with and without static shapes; and components
 * below components, to a depth of 4. Words are anything, so lengths and tags among them are wrong, too, and there may
 * be none, too few, enough or more. Texts have 0, 1, 30 and 400 bytes.
 */
#include "driver.h"
#include "real_text.h"

#include "wg_key_text.c"

/* Of wg_cold.c, which has a driver of its own. */
const char *wg_dtype_name(int32_t dtype)
{
    return dtype == WG_FLOAT32 ? "float32" : "?";
}

const char *wg_device_type_name(int32_t device_type)
{
    return device_type == WG_CPU ? "cpu" : "privateuseone";
}

static const WgKeyItem each[] = {
    {"a", WG_KEY_KIND_TENSOR, 0, 0, 1, 0}, {"b", WG_KEY_KIND_TENSOR, 1, 0, 0, 0}, {"c", WG_KEY_KIND_INT, 0, 0, 0, 0},
    {"d", WG_KEY_KIND_INT, 1, 1, 0, 0},    {"e", WG_KEY_KIND_FLOAT, 1, 0, 0, 0},  {NULL, WG_KEY_KIND_FLOAT, 0, 1, 0, 0},
    {"g", WG_KEY_KIND_BOOL, 0, 0, 0, 0},   {"h", WG_KEY_KIND_BOOL, 1, 1, 0, 0},   {"i", WG_KEY_KIND_STRING, 0, 0, 0, 0},
    {"j", WG_KEY_KIND_DTYPE, 0, 0, 0, 0},  {"k", WG_KEY_KIND_DEVICE, 1, 0, 0, 0}, {"l", WG_KEY_KIND_NULL, 0, 0, 0, 0},
    {NULL, WG_KEY_KIND_EXTRA, 0, 0, 0, 0}, {"n", WG_KEY_KIND_NUMBER, 0, 0, 0, 0}, {"o", WG_KEY_KIND_TUPLE, 0, 0, 0, 0},
    {"p", WG_KEY_KIND_RECORD, 1, 0, 0, 0},
};

/* A list of tuples of an int and a list of records of a dtype; an expression over a size and a number. */
static const WgKeyItem nested[] = {
    {"a", WG_KEY_KIND_LIST, 1, 0, 0, 1},    {NULL, WG_KEY_KIND_TUPLE, 0, 0, 0, 2},
    {NULL, WG_KEY_KIND_INT, 0, 1, 0, 0},    {NULL, WG_KEY_KIND_LIST, 1, 0, 0, 1},
    {NULL, WG_KEY_KIND_RECORD, 0, 0, 0, 1}, {"b", WG_KEY_KIND_DTYPE, 0, 0, 0, 0},
    {"f", WG_KEY_KIND_FORMULA, 0, 0, 0, 2}, {NULL, WG_KEY_KIND_EXTRA, 0, 0, 0, 0},
    {NULL, WG_KEY_KIND_NUMBER, 0, 0, 0, 0},
};

static void printed(const WgKeyItem *items, size_t num_items, size_t num_words, size_t capacity)
{
    uint64_t *const words = malloc(num_words * sizeof *words + (num_words == 0 ? 1 : 0));
    char *const buffer = malloc(capacity + (capacity == 0 ? 1 : 0));
    any_words(words, num_words);
    (void)wg_key_print("kernel", items, num_items, words, num_words, buffer, capacity);
    if (capacity > 0) {
        //@ assert \initialized(buffer);
    }
    free(buffer);
    free(words);
}

void driver(void)
{
    static const size_t capacities[] = {0, 1, 30, 400};
    static const size_t lengths[] = {0, 1, 2, 5};
    for (int k = 0; k < 4; k++) {
        printed(NULL, 0, (size_t)k, capacities[k]);
        printed(nested, sizeof nested / sizeof nested[0], lengths[k], capacities[k]);
        printed(nested, sizeof nested / sizeof nested[0], lengths[k], capacities[3 - k]);
    }
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        for (int k = 0; k < 4; k++) {
            printed(each + i, 1, lengths[k], capacities[k]);
        }
    }
}
