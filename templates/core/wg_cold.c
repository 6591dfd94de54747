/* SPDX-License-Identifier: 0BSD */
/*
 * wg_cold.c - errors and names, for every host.
 *
 * Generated code comes here only after a test has failed, so nothing here needs to be fast, and text is formatted only
 * on request. Anything that depends on the host (its context, its tensors, its codes) goes through the wg_host_* of
 * wg_core.h. This file allocates nothing, uses no stdio and keeps no state. A new WgStatus is a row in wg_status.h.
 */
#include "wg_copy.h"
#include "wg_dispatch.h"
#include "wg_real.h"
#include "wg_status.h"
#include "wg_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    const char *text;
} statuses[] = {
#define STATUS(number, text) [number] = {#number, text},
    WG_STATUSES(STATUS)
#undef STATUS
};

enum { NUM_STATUSES = sizeof statuses / sizeof statuses[0] };
_Static_assert(NUM_STATUSES == WG_E_INTERNAL + 1, "every WgStatus has a row");

/* What a failed rule is called (by code for an argument, by name for a result), and how to read its values. */
typedef struct RuleFailure {
    WgStatus code;
    WgKind kind;
    const char *name;
} RuleFailure;

static const RuleFailure rule_failures[] = {
    [WG_RULE_DTYPE] = {WG_E_DTYPE, WG_KIND_DTYPE, "dtype"},
    [WG_RULE_RANK] = {WG_E_RANK, WG_KIND_INTEGER, "rank"},
    [WG_RULE_SIZE] = {WG_E_SIZE, WG_KIND_INTEGER, "size"},
    [WG_RULE_STRIDE] = {WG_E_STRIDE, WG_KIND_INTEGER, "stride"},
    [WG_RULE_OFFSET] = {WG_E_OFFSET, WG_KIND_INTEGER, "offset"},
    [WG_RULE_DEVICE] = {WG_E_DEVICE, WG_KIND_DEVICE, "device"},
    [WG_RULE_DEVICE_TYPE] = {WG_E_DEVICE, WG_KIND_DEVICE_TYPE, "device"},
    [WG_RULE_ALIGNMENT] = {WG_E_ALIGNMENT, WG_KIND_INTEGER, "alignment"},
    [WG_RULE_LAZY] = {WG_E_LAZY, WG_KIND_LAZY, "lazy"},
};

_Static_assert(sizeof rule_failures / sizeof rule_failures[0] == WG_RULE_LAZY + 1, "every WgRule has a row");
_Static_assert(sizeof(WgRange) <= WG_RANGE_VALUES * sizeof(WgValue), "a range fits where wrappers keep it in scratch");

const char *wg_status_name(int32_t status)
{
    return status < 0 || status >= NUM_STATUSES ? "?" : statuses[status].name;
}

const char *wg_dtype_name(int32_t dtype)
{
    switch (dtype) {
#define NAME(number, name, size, family)                                                                               \
    case number:                                                                                                       \
        return name;
        WG_DTYPES(NAME)
#undef NAME
    }
    return "?";
}

const char *wg_device_type_name(int32_t device_type)
{
    switch (device_type) {
#define NAME(number, name)                                                                                             \
    case number:                                                                                                       \
        return name;
        WG_DEVICE_TYPES(NAME)
#undef NAME
    }
    return "?";
}

/* ---- noting errors ---- */

static int32_t note(WgErrorSlot *slot, const WgSite *site, int32_t dimension, WgValue expected, WgValue found)
{
    slot->error.site = site;
    slot->error.expected = expected;
    slot->error.found = found;
    slot->error.status = site->code;
    slot->error.dimension = dimension;
    slot->error.symbols = NULL;
    slot->error.num_values = 0;
    slot->error.clause = NULL;
    return site->code;
}

int32_t wg_fail(WgContext *ctx, const WgSite *site, int32_t dimension, WgValue expected, WgValue found)
{
    return note(wg_host_error_slot(ctx), site, dimension, expected, found);
}

int32_t wg_fail_compiled(WgContext *ctx, const WgSite *site, int32_t status)
{
    WgErrorSlot *slot = wg_host_error_slot(ctx);
    if (slot->error.site != NULL) {
        return slot->error.status;
    }
    return note(slot, site, -1, wg_value_integer(0), wg_value_integer(status));
}

/* The site in the slot becomes `site` with the code and kind of what was found. */
static int32_t note_as(WgErrorSlot *slot, const WgSite *site, WgStatus code, WgKind kind, int32_t dimension,
                       WgValue expected, WgValue found)
{
    slot->site = *site;
    slot->site.code = (int32_t)code;
    slot->site.kind = (int32_t)kind;
    return note(slot, &slot->site, dimension, expected, found);
}

int32_t wg_fail_host(WgContext *ctx, const WgSite *site, int32_t status)
{
    return note_as(wg_host_error_slot(ctx), site, WG_E_HOST, WG_KIND_STATUS, -1, wg_value_integer(0),
                   wg_value_integer(status));
}

/* `found` is the value that the fact checks; for an alignment, the remainder. */
static int fact_holds(WgContext *ctx, const WgTensor *tensor, const WgFact *fact, int64_t *found)
{
    *found = wg_host_fact(ctx, tensor, fact->rule, fact->dimension);
    if (fact->rule == WG_RULE_ALIGNMENT) {
        *found = (int64_t)((uint64_t)*found % (uint64_t)fact->expected);
        return *found == 0;
    }
    return *found == fact->expected;
}

int32_t wg_fail_tensor(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const WgFact *facts,
                       size_t num_facts)
{
    WgErrorSlot *slot = wg_host_error_slot(ctx);
    const WgValue nothing = wg_value_integer(0);
    if (tensor == NULL) {
        return note_as(slot, site, WG_E_NULL, WG_KIND_NONE, -1, nothing, nothing);
    }
    const WgType *type = wg_host_type(ctx, tensor);
    if (type != NULL) {
        const WgValue found = {.pointer = (void *)(uintptr_t)type};
        return note_as(slot, site, WG_E_TYPE, WG_KIND_TYPE, -1, wg_value_pointer(NULL), found);
    }
    for (size_t i = 0; i < num_facts; i++) {
        const RuleFailure *failure = &rule_failures[facts[i].rule];
        int64_t found = 0;
        if (!fact_holds(ctx, tensor, &facts[i], &found)) {
            return note_as(slot, site, failure->code, failure->kind, facts[i].dimension,
                           wg_value_integer(facts[i].expected), wg_value_integer(found));
        }
    }
    return note_as(slot, site, WG_E_INTERNAL, WG_KIND_NONE, -1, nothing, nothing);
}

static int has_elements(WgContext *ctx, const WgTensor *tensor)
{
    const int64_t rank = wg_host_fact(ctx, tensor, WG_RULE_RANK, -1);
    for (int32_t d = 0; d < rank; d++) {
        if (wg_host_fact(ctx, tensor, WG_RULE_SIZE, d) == 0) {
            return 0;
        }
    }
    return 1;
}

/* PyTorch's assert_size_stride ignores the same strides. An offset counts even without elements: an as_strided of the
 * tensor starts there. */
static int leads_nowhere(WgContext *ctx, const WgTensor *tensor, const WgFact *fact)
{
    return fact->rule == WG_RULE_STRIDE &&
           (wg_host_fact(ctx, tensor, WG_RULE_SIZE, fact->dimension) == 1 || !has_elements(ctx, tensor));
}

int32_t wg_check_stated(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const WgFact *facts,
                        size_t num_facts)
{
    for (size_t i = 0; i < num_facts; i++) {
        const RuleFailure *failure = &rule_failures[facts[i].rule];
        int64_t found = 0;
        if (!fact_holds(ctx, tensor, &facts[i], &found) && !leads_nowhere(ctx, tensor, &facts[i])) {
            WgErrorSlot *slot = wg_host_error_slot(ctx); /* only now: it forgets that a read has failed */
            const int32_t status = note_as(slot, site, WG_E_RESULT, failure->kind, facts[i].dimension,
                                           wg_value_integer(facts[i].expected), wg_value_integer(found));
            slot->site.rule = failure->name;
            return status;
        }
    }
    return WG_OK;
}

int32_t wg_check_returned(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const WgFact *facts,
                          size_t num_facts)
{
    const WgType *type = tensor == NULL ? NULL : wg_host_type(ctx, tensor);
    if (tensor == NULL) {
        return note(wg_host_error_slot(ctx), site, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
    }
    if (type != NULL) {
        const WgValue found = {.pointer = (void *)(uintptr_t)type};
        WgErrorSlot *slot = wg_host_error_slot(ctx);
        const int32_t status = note_as(slot, site, WG_E_RESULT, WG_KIND_TYPE, -1, wg_value_pointer(NULL), found);
        slot->site.rule = "type";
        return status;
    }
    return wg_check_stated(ctx, site, tensor, facts, num_facts);
}

int32_t wg_fail_type(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const WgType *type)
{
    WgErrorSlot *slot = wg_host_error_slot(ctx);
    if (tensor == NULL) {
        return note_as(slot, site, WG_E_NULL, WG_KIND_NONE, -1, wg_value_integer(0), wg_value_integer(0));
    }
    const WgValue expected = {.pointer = (void *)(uintptr_t)type};
    const WgValue found = {.pointer = (void *)(uintptr_t)wg_host_type(ctx, tensor)};
    return note_as(slot, site, WG_E_TYPE, WG_KIND_TYPE, -1, expected, found);
}

int32_t wg_fail_shape(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const int64_t *sizes, int32_t rank)
{
    WgErrorSlot *slot = wg_host_error_slot(ctx);
    const int64_t found_rank = wg_host_fact(ctx, tensor, WG_RULE_RANK, -1);
    if (found_rank != rank) {
        return note(slot, site, -1, wg_value_integer(rank), wg_value_integer(found_rank));
    }
    for (int32_t d = 0; d < rank; d++) {
        const int64_t found = wg_host_fact(ctx, tensor, WG_RULE_SIZE, d);
        if (found != sizes[d]) {
            return note(slot, site, d, wg_value_integer(sizes[d]), wg_value_integer(found));
        }
    }
    return note_as(slot, site, WG_E_INTERNAL, WG_KIND_NONE, -1, wg_value_integer(0), wg_value_integer(0));
}

int32_t wg_fail_guard(WgContext *ctx, const WgSite *site, const char *symbols, size_t num_values, ...)
{
    WgErrorSlot *slot = wg_host_error_slot(ctx);
    const int32_t status = note(slot, site, -1, wg_value_integer(0), wg_value_integer(0));
    slot->error.symbols = symbols;
    slot->error.num_values = num_values < WG_ERROR_VALUES ? num_values : WG_ERROR_VALUES;
    va_list values;
    va_start(values, num_values);
    for (size_t i = 0; i < slot->error.num_values; i++) {
        slot->error.values[i] = va_arg(values, int64_t);
    }
    va_end(values);
    return status;
}

int32_t wg_fail_null(WgContext *ctx, const char *graph, void *out, size_t size)
{
    const WgSite site = {graph, NULL, "null", WG_E_NULL, WG_KIND_NONE};
    if (out != NULL) {
        memset(out, 0, size);
    }
    return note_as(wg_host_error_slot(ctx), &site, WG_E_NULL, WG_KIND_NONE, -1, wg_value_integer(0),
                   wg_value_integer(0));
}

int32_t wg_fail_boxed(WgContext *ctx, const char *graph, const WgValue *args, size_t num_args, size_t expected_args,
                      WgValue *outs, size_t num_outs, size_t expected_outs)
{
    const int is_null = (args == NULL && num_args != 0) || (outs == NULL && num_outs != 0);
    const int counts_args = num_args != expected_args;
    const char *rule = is_null ? "null" : counts_args ? "arguments" : "outputs";
    const WgSite site = {graph, NULL, rule, WG_E_COUNT, WG_KIND_INTEGER};
    WgErrorSlot *slot = wg_host_error_slot(ctx);
    if (outs != NULL) {
        memset(outs, 0, num_outs * sizeof *outs);
    }
    if (is_null || (num_args == expected_args && num_outs == expected_outs)) {
        return note_as(slot, &site, WG_E_NULL, WG_KIND_NONE, -1, wg_value_integer(0), wg_value_integer(0));
    }
    return note_as(slot, &site, WG_E_COUNT, WG_KIND_INTEGER, -1,
                   wg_value_integer((int64_t)(counts_args ? expected_args : expected_outs)),
                   wg_value_integer((int64_t)(counts_args ? num_args : num_outs)));
}

static const char *own_name(const char *name, const char *const *names, const char *const *own, size_t num_names)
{
    for (size_t i = 0; i < num_names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return own[i];
        }
    }
    return name;
}

void wg_fail_as(WgContext *ctx, const char *const *names, const char *const *own, size_t num_names)
{
    WgErrorSlot *slot = wg_host_error_slot(ctx);
    const WgSite *site = slot->error.site;
    if (site == NULL || site->graph != NULL || site->argument == NULL) {
        return;
    }
    if ((site->code == WG_E_OVERLAP || site->code == WG_E_RESULT) && slot->error.symbols != NULL) {
        slot->error.symbols = own_name(slot->error.symbols, names, own, num_names);
    }
    slot->site = *site;
    slot->site.argument = own_name(site->argument, names, own, num_names);
    slot->error.site = &slot->site;
}

void wg_fail_in(WgContext *ctx, const char *graph)
{
    WgErrorSlot *slot = wg_host_error_slot(ctx);
    if (slot->error.site != NULL && slot->error.site->graph == NULL) {
        slot->site = *slot->error.site;
        slot->site.graph = graph;
        slot->error.site = &slot->site;
    }
}

const WgError *wg_error(const WgContext *ctx)
{
    return &wg_host_error_slot((WgContext *)(uintptr_t)ctx)->error;
}

void(wg_error_clear)(WgContext *ctx) /* a host may have a macro of that name */
{
    wg_host_error_slot(ctx)->error = (WgError){.dimension = -1};
}

/* ---- text ---- */

static void put_real(WgText *text, double real)
{
    char digits[WG_REAL_TEXT];
    wg_real_text(real, strtod, digits);
    wg_text_put(text, digits);
}

static void put_lazy(WgText *text, int64_t lazy)
{
    static const char *const words[] = {"neither", "a conjugate", "a negative", "a conjugate and a negative"};
    wg_text_put(text, words[lazy & (WG_LAZY_CONJ | WG_LAZY_NEG)]);
}

static void put_device(WgText *text, int64_t device)
{
    wg_text_put(text, wg_device_type_name((int32_t)(device >> 8)));
    if (device >> 8 != WG_CPU && device >> 8 != WG_META) {
        wg_text_put(text, ":");
        wg_text_put_integer(text, device & 255);
    }
}

static void put_value(WgText *text, WgKind kind, WgValue value)
{
    switch (kind) {
    case WG_KIND_NONE:
        break;
    case WG_KIND_INTEGER:
    case WG_KIND_STATUS:
        wg_text_put_integer(text, value.integer);
        break;
    case WG_KIND_DTYPE:
        wg_text_put(text, wg_dtype_name((int32_t)value.integer));
        break;
    case WG_KIND_DEVICE:
        put_device(text, value.integer);
        break;
    case WG_KIND_DEVICE_TYPE:
        wg_text_put(text, wg_device_type_name((int32_t)value.integer));
        break;
    case WG_KIND_TYPE:
        wg_text_put(text, wg_host_type_name(value.pointer));
        break;
    case WG_KIND_LAZY:
        put_lazy(text, value.integer);
        break;
    case WG_KIND_REAL:
        put_real(text, value.real);
        break;
    }
}

static void put_values(WgText *text, const WgError *error)
{
    const WgKind kind = (WgKind)error->site->kind;
    const char *code = error->status == WG_E_HOST ? wg_host_code_name((int32_t)error->found.integer) : NULL;
    if (kind == WG_KIND_NONE) {
        return;
    }
    if (kind == WG_KIND_STATUS) {
        wg_text_put(text, ": status ");
        wg_text_put_integer(text, error->found.integer);
        if (code != NULL) {
            wg_text_put(text, ", ");
            wg_text_put(text, code);
        }
        return;
    }
    wg_text_put(text, error->status == WG_E_ALIGNMENT ? ": expected a multiple of " : ": expected ");
    put_value(text, kind, error->expected);
    wg_text_put(text, error->status == WG_E_ALIGNMENT ? ", found a remainder of " : ", found ");
    put_value(text, kind, error->found);
}

/* "s0, s1" with 3 and 5: ": s0 = 3, s1 = 5". */
static void put_symbols(WgText *text, const WgError *error)
{
    const char *name = error->symbols;
    for (size_t i = 0; i < error->num_values; i++) {
        wg_text_put(text, i == 0 ? ": " : ", ");
        for (; *name != '\0' && *name != ','; name++) {
            wg_text_put(text, (const char[]){*name, '\0'});
        }
        wg_text_put(text, " = ");
        wg_text_put_integer(text, error->values[i]);
        name += *name == ',' ? 2 : 0;
    }
    wg_text_put(text, *name != '\0' ? ", ..." : "");
}

/* What an overlap is about: "... bytes 0 to 47 and bytes 16 to 63 of 'z'", counted from the lower first byte. */
static void put_overlap(WgText *text, const WgError *error)
{
    static const char *const before[] = {" memory with another input: bytes ", " to ", " and bytes ", " to "};
    wg_text_put(text, error->values[WG_OVERLAP_CERTAIN] ? "is mutated and shares" : "is mutated and may share");
    for (int i = WG_OVERLAP_FIRST; i <= WG_OVERLAP_OTHER_LAST; i++) {
        wg_text_put(text, before[i]);
        wg_text_put_integer(text, error->values[i]);
    }
    wg_text_put(text, " of '");
    wg_text_put(text, error->symbols);
    wg_text_put(text, "'");
}

size_t wg_error_text(const WgError *error, char *buffer, size_t capacity)
{
    WgText text = {buffer, capacity, 0};
    const WgSite *site = error->site;
    if (site == NULL) {
        wg_text_put(&text, statuses[WG_OK].text);
    } else {
        if (site->graph != NULL) { /* an exit of the user's own template may not have named it (wg_fail_in) */
            wg_text_put(&text, site->graph);
            wg_text_put(&text, ": ");
        }
        if (site->argument != NULL) {
            wg_text_put(&text, "'");
            wg_text_put(&text, site->argument);
            wg_text_put(&text, "': ");
        }
        if (site->code == WG_E_OVERLAP && error->num_values == WG_OVERLAP_VALUES) {
            put_overlap(&text, error);
        } else {
            wg_text_put(&text, site->code < 0 || site->code >= NUM_STATUSES ? "error" : statuses[site->code].text);
        }
        if (error->dimension >= 0) {
            wg_text_put(&text, site->code == WG_E_VERSION ? " of saved tensor " : " of dimension ");
            wg_text_put_integer(&text, error->dimension);
        }
        put_values(&text, error);
        if (site->code == WG_E_NO_VARIANT) {
            text.length = wg_dispatch_reason(error, buffer, capacity, text.length);
        }
        if (site->code == WG_E_GUARD) {
            put_symbols(&text, error);
        }
        if (site->code == WG_E_RESULT && error->symbols != NULL) {
            wg_text_put(&text, ": it is argument '");
            wg_text_put(&text, error->symbols);
            wg_text_put(&text, "' itself");
        }
        if (site->rule != NULL) {
            wg_text_put(&text, " (");
            wg_text_put(&text, site->rule);
            wg_text_put(&text, ")");
        }
        wg_text_put(&text, " [");
        wg_text_put(&text, wg_status_name(site->code));
        wg_text_put(&text, "]");
    }
    if (capacity > 0) {
        buffer[text.length < capacity ? text.length : capacity - 1] = '\0';
    }
    return text.length;
}
