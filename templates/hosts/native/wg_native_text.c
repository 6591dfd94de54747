/* SPDX-License-Identifier: 0BSD */
/*
 * wg_native_text.c - a tensor as text, for examples and debugging. The only file of the native host that needs stdio;
 * leave it out of a build that prints nothing.
 */
#include "wg_copy.h"
#include "wg_native.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct Text {
    char *buffer;
    size_t capacity;
    size_t length;
} Text;

__attribute__((format(printf, 2, 3))) static void put(Text *text, const char *format, ...)
{
    va_list arguments;
    const int has_room = text->length < text->capacity;
    va_start(arguments, format);
    const int length = vsnprintf(has_room ? text->buffer + text->length : NULL,
                                 has_room ? text->capacity - text->length : 0, format, arguments);
    va_end(arguments);
    text->length += length < 0 ? 0 : (size_t)length;
}

static void put_element(Text *text, const WgTensor *t, int64_t position)
{
    const int64_t integer = wg_native_integer(t, position);
    switch ((WgFamily)wg_dtype_family(t->dtype)) {
    case WG_FAMILY_NONE:
        break;
    case WG_FAMILY_BOOL:
        put(text, "%s", integer != 0 ? "true" : "false");
        break;
    case WG_FAMILY_UNSIGNED:
        put(text, "%" PRIu64, (uint64_t)integer);
        break;
    case WG_FAMILY_SIGNED:
        put(text, "%" PRId64, integer);
        break;
    case WG_FAMILY_FLOAT:
        put(text, "%g", wg_native_real(t, position));
        break;
    case WG_FAMILY_COMPLEX:
        put(text, "%g%+gi", wg_native_real(t, position), wg_native_imaginary(t, position));
        break;
    }
}

static void put_numbers(Text *text, const int64_t *numbers, int32_t n)
{
    put(text, "[");
    for (int32_t i = 0; i < n; i++) {
        put(text, "%s%" PRId64, i == 0 ? "" : ", ", numbers[i]);
    }
    put(text, "]");
}

/* Brackets open and close where the position enters and leaves a dimension. */
static void put_elements(Text *text, const WgTensor *t)
{
    for (int64_t position = 0; position < t->num_elements; position++) {
        int64_t below = 1;
        int32_t opened = 0;
        for (int32_t i = t->rank; i-- > 0 && position % (below *= t->sizes[i]) == 0;) {
            opened++;
        }
        put(text, "%s", position == 0 ? "  " : opened == 0 ? ", " : ",\n  ");
        for (int32_t i = 0; position > 0 && opened > 0 && i < t->rank - opened; i++) {
            put(text, " ");
        }
        for (int32_t i = 0; i < opened; i++) {
            put(text, "[");
        }
        put_element(text, t, position);
        below = 1;
        for (int32_t i = t->rank; i-- > 0 && (position + 1) % (below *= t->sizes[i]) == 0;) {
            put(text, "]");
        }
    }
}

size_t wg_native_text(const WgTensor *t, char *buffer, size_t capacity)
{
    Text text = {buffer, capacity, 0};
    put(&text, "%s ", t->type == NULL ? "tensor" : t->type->name);
    put_numbers(&text, t->sizes, t->rank);
    put(&text, " %s %s", wg_dtype_name(t->dtype), wg_device_type_name(t->device >> 8));
    if (t->device != WG_CPU) {
        put(&text, ":%d", (int)(t->device & 255));
    }
    if (!t->is_compact) {
        put(&text, ", strides ");
        put_numbers(&text, t->strides, t->rank);
    }
    put(&text, "%s\n", t->requires_grad ? ", requires grad" : "");
    if (t->data != NULL && t->device == WG_CPU) {
        put_elements(&text, t);
        put(&text, "\n");
    }
    return text.length;
}
