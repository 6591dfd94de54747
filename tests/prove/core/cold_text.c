/* SPDX-License-Identifier: MIT */
/* covers: wg_error_text put_overlap put_symbols put_values put_value put_device put_lazy put_real */
/* options: -eva-slevel 1 -eva-slevel-function wg_text_put_unsigned:30 -eva-min-loop-unroll 20 */
/*
 * The text of no error, of errors of each code and of a number that is none, and with values of each kind, which are
 * anything, as the dimension is; of sites with all that they can name, and with nothing; of guards over fewer and more
 * symbols than have a value; and of overlaps. Texts have 0, 1, 30 and 400 bytes.
 */
#include "driver.h"
#include "real_text.h"

#include "wg_cold.c"

struct WgType {
    char unused;
};

static WgType other_type;

/* Of wg_dispatch.c, which has a driver of its own. */
size_t wg_dispatch_reason(const WgError *error, char *buffer, size_t capacity, size_t length)
{
    WgText text = {buffer, capacity, length};
    (void)error;
    wg_text_put(&text, ": a reason");
    return text.length;
}

const char *wg_host_type_name(const WgType *type)
{
    return type == NULL ? "tensor" : "two_tensor";
}

const char *wg_host_code_name(int32_t code)
{
    return code == 0 ? NULL : "out of memory";
}

static void of_error(const WgError *error, size_t capacity)
{
    char *const buffer = malloc(capacity + (capacity == 0 ? 1 : 0));
    (void)wg_error_text(error, buffer, capacity);
    if (capacity > 0) {
        //@ assert \initialized(buffer);
    }
    free(buffer);
}

static void of_site(const WgSite *site, const char *symbols, size_t num_values, size_t capacity)
{
    WgError error = {0};
    error.site = site;
    error.status = site->kind == WG_KIND_TYPE || any_bool() ? site->code : WG_E_HOST;
    error.dimension = (int32_t)any_from(-1, INT32_MAX);
    error.symbols = symbols;
    error.num_values = num_values;
    if (site->kind == WG_KIND_REAL) {
        error.expected.real = any_real();
        error.found.real = any_real();
    } else if (site->kind == WG_KIND_TYPE) {
        error.found.pointer = &other_type;
    } else {
        error.expected.integer = any_integer();
        error.found.integer = any_integer();
    }
    any_words((uint64_t *)error.values, num_values);
    of_error(&error, capacity);
}

void driver(void)
{
    static const size_t capacities[] = {0, 1, 30, 400};
    const WgError none = {0};
    const WgSite guard = {"graph", NULL, "s0 < s1", WG_E_GUARD, WG_KIND_NONE};
    const WgSite overlap = {"graph", "x", NULL, WG_E_OVERLAP, WG_KIND_NONE};
    for (int32_t code = -1; code <= WG_E_INTERNAL + 1; code++) {
        const WgSite site = {NULL, code % 2 == 0 ? "x" : NULL, NULL, code, WG_KIND_INTEGER};
        of_site(&site, "", 0, 30);
    }
    for (int32_t kind = WG_KIND_NONE; kind <= WG_KIND_LAZY; kind++) {
        const WgSite site = {"graph", "x", "rule", kind == WG_KIND_STATUS ? WG_E_HOST : WG_E_ALIGNMENT, kind};
        of_site(&site, NULL, 0, 400);
    }
    for (int i = 0; i < 4; i++) {
        of_error(&none, capacities[i]);
        of_site(&guard, "s0, s1", 2, capacities[i]);
        of_site(&overlap, "y", WG_OVERLAP_VALUES, capacities[i]);
    }
    of_site(&guard, "", 0, 30);
    of_site(&guard, "a, b, c, d, e, f, g, h, i", WG_ERROR_VALUES, 400);
    of_site(&overlap, NULL, 0, 30);
}
