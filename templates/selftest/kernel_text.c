/* SPDX-License-Identifier: MIT */
/* kernel_text - the texts that a kernel's YAML has where a number is asked for, as schema/SPEC.md explains them. */
#include "kernel_call.h"

#include <stdlib.h>
#include <string.h>

/* ---- integers ---- */

static const char *read_integer(const char *at, bool *found, int64_t *value)
{
    char *end = NULL;
    *found = (*at >= '0' && *at <= '9') || *at == '-';
    if (!*found) {
        return at;
    }
    *value = strtoll(at, &end, 10);
    return end;
}

const char *kernel_next_range(const char *text, KernelRange *range)
{
    bool has_multiple = false;
    *range = (KernelRange){.has_min = false};
    text = read_integer(text, &range->has_min, &range->min);
    if (strncmp(text, "..", 2) == 0) {
        text = read_integer(text + 2, &range->has_max, &range->max);
    } else if (range->has_min) {
        range->has_max = true;
        range->max = range->min;
    }
    if (*text == '%') {
        text = read_integer(text + 1, &has_multiple, &range->multiple);
    }
    return *text == '|' ? text + 1 : NULL;
}

bool kernel_range_holds(const KernelRange *range, int64_t value)
{
    return (!range->has_min || value >= range->min) && (!range->has_max || value <= range->max) &&
           (range->multiple == 0 || value % range->multiple == 0);
}

bool kernel_is_any(const char *text)
{
    return strcmp(text, "any") == 0;
}

int32_t kernel_symbol(const Spec *spec, const char *text)
{
    for (uint32_t i = 0; i < spec->symbols_count; i++) {
        if (strcmp(spec->symbols[i].name, text) == 0) {
            return (int32_t)i;
        }
    }
    return -1;
}

static bool symbol_holds(const SpecSymbol *symbol, int64_t value)
{
    return (!symbol->has_min || value >= symbol->min_value) && (!symbol->has_max || value <= symbol->max_value) &&
           value % symbol->multiple_of_value == 0;
}

bool kernel_integer_holds(const Spec *spec, const char *text, int64_t value, KernelBound *bound)
{
    const int32_t symbol = kernel_symbol(spec, text);
    if (kernel_is_any(text)) {
        return true;
    }
    if (symbol >= 0) {
        if (bound != NULL && !bound->is_bound[symbol]) {
            bound->is_bound[symbol] = true;
            bound->value[symbol] = value;
        }
        return symbol_holds(&spec->symbols[symbol], value) && (bound == NULL || bound->value[symbol] == value);
    }
    while (text != NULL) {
        KernelRange range;
        text = kernel_next_range(text, &range);
        if (kernel_range_holds(&range, value)) {
            return true;
        }
    }
    return false;
}

/* ---- dtypes and devices: by the names that messages have for their numbers ---- */

enum { NUM_CODES = 64 };

bool kernel_is_complex(int64_t dtype)
{
    return dtype == WG_COMPLEX32 || dtype == WG_COMPLEX64 || dtype == WG_COMPLEX128;
}

bool kernel_is_dtype(int64_t dtype)
{
    return dtype >= 0 && dtype < NUM_CODES && strcmp(wg_dtype_name((int32_t)dtype), "?") != 0;
}

bool kernel_dtype_holds(const char *text, int64_t dtype)
{
    const char *name = kernel_is_dtype(dtype) ? wg_dtype_name((int32_t)dtype) : "?";
    for (;;) {
        const size_t length = strcspn(text, "|");
        if (strlen(name) == length && strncmp(name, text, length) == 0) {
            return true;
        }
        if (text[length] == '\0') {
            return false;
        }
        text += length + 1;
    }
}

int32_t kernel_first_dtype(const char *text)
{
    for (int32_t dtype = 0; dtype < NUM_CODES; dtype++) {
        if (kernel_dtype_holds(text, dtype)) {
            return dtype;
        }
    }
    return 0;
}

static int64_t device_type(const char *text)
{
    const size_t length = strcspn(text, ":");
    for (int32_t type = 0; type < NUM_CODES; type++) {
        const char *name = wg_device_type_name(type);
        if (strlen(name) == length && strncmp(name, text, length) == 0) {
            return type;
        }
    }
    return -1;
}

int32_t kernel_device(const char *text)
{
    const char *index = strchr(text, ':');
    return (int32_t)(device_type(text) * 256 + (index != NULL ? strtol(index + 1, NULL, 10) : 0));
}

bool kernel_device_holds(const char *text, int64_t device)
{
    const bool any_index = strchr(text, ':') == NULL && device_type(text) != WG_CPU;
    return any_index ? device >= 0 && device / 256 == device_type(text) : device == kernel_device(text);
}

/* ---- kinds and literals ---- */

bool kernel_is_number(SpecKind kind)
{
    return kind == SPEC_INT || kind == SPEC_FLOAT;
}

bool kernel_is_container(SpecKind kind)
{
    return kind == SPEC_TUPLE || kind == SPEC_LIST || kind == SPEC_RECORD;
}

bool kernel_is_pointer(SpecKind kind)
{
    return kind == SPEC_TENSOR || kind == SPEC_STRING || kind == SPEC_ALWAYS_NULL;
}

void kernel_set_literal(KernelValue *value, const char *text)
{
    value->null = false;
    switch (value->arg->kind) {
    case SPEC_INT:
        value->integer = strtoll(text, NULL, 10);
        break;
    case SPEC_FLOAT:
        value->real = strtod(text, NULL);
        break;
    case SPEC_BOOLEAN:
        value->integer = strcmp(text, "true") == 0;
        break;
    case SPEC_STRING:
        value->text = text;
        break;
    case SPEC_DTYPE:
        value->integer = kernel_first_dtype(text);
        break;
    case SPEC_DEVICE:
        value->integer = kernel_device(text);
        break;
    case SPEC_KIND_UNSET:
    case SPEC_OPAQUE:
    case SPEC_NONE:
    case SPEC_TENSOR:
    case SPEC_ALWAYS_NULL:
    case SPEC_TUPLE:
    case SPEC_LIST:
    case SPEC_RECORD:
        break;
    }
}

uint32_t kernel_num_required(const SpecKernel *kernel)
{
    uint32_t n = kernel->args_count;
    while (n > 0 && (kernel->args[n - 1].default_value != NULL || spec_is(kernel->args[n - 1].default_null))) {
        n--;
    }
    return n;
}
