/* SPDX-License-Identifier: 0BSD */
/* wg_text.h - writes as much of a text as there is room for, as snprintf does. For .c files of the core. */
#ifndef WG_TEXT_H
#define WG_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Who begins and ends it writes the '\0'. `length` is what a large enough buffer would hold. */
typedef struct WgText {
    char *buffer;
    size_t capacity;
    size_t length;
} WgText;

static inline void wg_text_put(WgText *text, const char *string)
{
    for (; *string != '\0'; string++) {
        if (text->capacity > 0 && text->length < text->capacity - 1) {
            text->buffer[text->length] = *string;
        }
        text->length++;
    }
}

static inline void wg_text_put_unsigned(WgText *text, uint64_t number)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    wg_text_put(text, &digits[at]);
}

static inline void wg_text_put_integer(WgText *text, int64_t integer)
{
    wg_text_put(text, integer < 0 ? "-" : "");
    wg_text_put_unsigned(text, integer < 0 ? UINT64_C(0) - (uint64_t)integer : (uint64_t)integer);
}

#endif /* WG_TEXT_H */
