/* SPDX-License-Identifier: MIT */
/*
 * str - growing byte strings, and text made harmless for the place it is written to.
 *
 * The buffer always has room for a terminator: capacity counts it, length does not. Growth doubles, so that adding n
 * bytes one by one costs O(n); the arena moves large buffers without copying where the system can.
 *
 * The character tests below are for ASCII only and so the same in every locale.
 */
#include "str.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STR_FIRST_CAPACITY = 64 };

Str str_new(Arena *arena)
{
    Str str = {.arena = arena, .data = NULL, .length = 0, .capacity = 0};

    return str;
}

void str_reserve(Str *str, size_t more)
{
    const size_t wanted =
        more < SIZE_MAX - str->length ? str->length + more + 1 : SIZE_MAX; /* which the arena refuses */
    size_t capacity = str->capacity;

    if (wanted <= capacity) {
        return;
    }
    capacity = capacity > SIZE_MAX / 2 ? SIZE_MAX : capacity * 2;
    if (capacity < wanted) {
        capacity = wanted;
    }
    if (capacity < STR_FIRST_CAPACITY) {
        capacity = STR_FIRST_CAPACITY;
    }
    str->data = arena_grow_dirty(str->arena, str->data, str->capacity, capacity);
    str->capacity = capacity;
    str->data[str->length] = '\0';
}

void str_add(Str *str, const char *data, size_t length)
{
    if (length >= str->capacity - str->length) { /* with its terminator it does not fit */
        str_reserve(str, length);
    }
    if (length > 0) {
        memcpy(str->data + str->length, data, length);
    }
    str->length += length;
    str->data[str->length] = '\0';
}

void str_prepend(Str *str, const char *data, size_t length)
{
    str_reserve(str, length);
    memmove(str->data + length, str->data, str->length);
    if (length > 0) {
        memcpy(str->data, data, length);
    }
    str->length += length;
    str->data[str->length] = '\0';
}

void str_puts(Str *str, const char *text)
{
    str_add(str, text, strlen(text));
}

void str_putc(Str *str, char character)
{
    if (str->capacity - str->length < 2) {
        str_reserve(str, 1);
    }
    str->data[str->length++] = character;
    str->data[str->length] = '\0';
}

void str_printf(Str *str, const char *format, ...)
{
    va_list args;
    size_t room = str->capacity - str->length;
    int length = 0;

    va_start(args, format);
    length = vsnprintf(str->data ? str->data + str->length : NULL, room, format, args);
    va_end(args);
    if (length < 0) { /* over 2 GiB, or a wide character conversion, which is not used here */
        str_reserve(str, SIZE_MAX);
        return;
    }
    if ((size_t)length >= room) {
        str_reserve(str, (size_t)length);
        va_start(args, format);
        (void)vsnprintf(str->data + str->length, (size_t)length + 1, format, args);
        va_end(args);
    }
    str->length += (size_t)length;
}

const char *str_text(const Str *str)
{
    return str->data ? str->data : "";
}

static bool is_printable(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7f;
}

void str_put_c_literal(Str *str, const char *text)
{
    unsigned char before = 0;

    str_putc(str, '"');
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        /* Trigraphs begin with two question marks; three digits end an octal escape no matter what follows. */
        if (byte == '"' || byte == '\\' || (byte == '?' && before == '?')) {
            str_putc(str, '\\');
            str_putc(str, *text);
        } else if (is_printable(byte)) {
            str_putc(str, *text);
        } else {
            str_printf(str, "\\%03o", byte);
        }
        before = byte;
    }
    str_putc(str, '"');
}

void str_put_c_comment(Str *str, const char *text)
{
    unsigned char before = '*'; /* as if in "/" + "*" + text, so that no first byte can begin or end a comment */

    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        unsigned char after = (unsigned char)text[1]; /* 0 at the end, where either may follow */
        bool delimiter =
            (byte == '/' && (before == '*' || after == '*' || !after)) || (byte == '*' && (after == '/' || !after));
        /* A backslash (also as the trigraph ? ? /) at the end of a line would join the next one to a // comment. */
        bool joins = byte == '\\' || (byte == '?' && before == '?');
        if (is_printable(byte) && !delimiter && !joins) {
            str_putc(str, *text);
        } else {
            str_printf(str, "\\x%02x", byte);
        }
        before = byte;
    }
}

/* The length of the well-formed UTF-8 sequence at `text` (RFC 3629, table 3-7 of Unicode), or 0. The terminator ends
 * any sequence. */
static size_t utf8_sequence(const unsigned char *text)
{
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
    size_t length = 0;

    if (text[0] < 0x80) {
        return 1;
    }
    if (text[0] >= 0xc2 && text[0] <= 0xdf) {
        length = 2;
    } else if (text[0] >= 0xe0 && text[0] <= 0xef) {
        length = 3;
        low = text[0] == 0xe0 ? 0xa0 : low;   /* no overlong forms */
        high = text[0] == 0xed ? 0x9f : high; /* no surrogates */
    } else if (text[0] >= 0xf0 && text[0] <= 0xf4) {
        length = 4;
        low = text[0] == 0xf0 ? 0x90 : low;
        high = text[0] == 0xf4 ? 0x8f : high; /* nothing above U+10FFFF */
    } else {
        return 0;
    }
    if (text[1] < low || text[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if (text[i] < 0x80 || text[i] > 0xbf) {
            return 0;
        }
    }
    return length;
}

void str_put_json(Str *str, const char *text)
{
    str_putc(str, '"');
    while (*text) {
        unsigned char byte = (unsigned char)*text;
        size_t length = utf8_sequence((const unsigned char *)text);
        if (byte == '"' || byte == '\\') {
            str_putc(str, '\\');
            str_putc(str, *text);
        } else if (byte == '\n') {
            str_puts(str, "\\n");
        } else if (byte == '\t') {
            str_puts(str, "\\t");
        } else if (byte < 0x20 || byte == 0x7f) {
            str_printf(str, "\\u%04x", byte);
        } else if (length == 0) {
            str_puts(str, "\xef\xbf\xbd");
            length = 1;
        } else {
            str_add(str, text, length);
        }
        text += length;
    }
    str_putc(str, '"');
}

bool str_equal(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool str_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

const char *str_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool str_is_of_identifier(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool str_is_identifier(const char *text)
{
    const char *start = text;

    for (; *text; text++) {
        const bool digit = *text >= '0' && *text <= '9';
        if (!str_is_of_identifier(*text) || (digit && text == start)) {
            return false;
        }
    }
    return text > start;
}

static size_t min_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Three rows of the edit matrix: row i is row[i % 3]. */
typedef struct Distance {
    const char *a;
    const char *b;
    size_t b_length;
    size_t limit;
    size_t *row[3];
} Distance;

/*
 * Row i, that is row[j] = distance of a[0..i) to b[0..j): only cells with |i - j| <= limit can matter, and the two next
 * to that band hold "more than limit". Returns the row's smallest cell.
 */
static size_t distance_row(const Distance *distance, size_t i)
{
    const char *a = distance->a;
    const char *b = distance->b;
    size_t over = distance->limit + 1;
    size_t first = i >= over ? i - distance->limit : 0;
    size_t last = min_of(i + distance->limit, distance->b_length);
    size_t *row = distance->row[i % 3];
    const size_t *above = distance->row[(i + 2) % 3];
    const size_t *above2 = distance->row[(i + 1) % 3];
    size_t smallest = over;

    if (first > 0) {
        row[first - 1] = over;
    }
    for (size_t j = first; j <= last; j++) {
        size_t best = above[j] + 1;
        if (j > 0) {
            best = min_of(best, row[j - 1] + 1);
            best = min_of(best, above[j - 1] + (a[i - 1] != b[j - 1]));
        }
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
            best = min_of(best, above2[j - 2] + 1);
        }
        row[j] = min_of(best, over);
        smallest = min_of(smallest, row[j]);
    }
    if (last < distance->b_length) {
        row[last + 1] = over;
    }
    return smallest;
}

static size_t distance_within(Distance *distance, size_t a_length)
{
    for (size_t j = 0; j <= distance->b_length; j++) {
        distance->row[0][j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        if (distance_row(distance, i) > distance->limit) {
            return distance->limit + 1;
        }
    }
    return distance->row[a_length % 3][distance->b_length];
}

size_t str_distance(const char *a, const char *b, size_t limit)
{
    size_t a_length = strlen(a);
    size_t b_length = strlen(b);
    size_t longer = a_length > b_length ? a_length : b_length;
    size_t shorter = min_of(a_length, b_length);
    Distance distance = {.a = a, .b = b, .b_length = b_length, .limit = min_of(limit, longer)};
    size_t result = limit + 1;
    size_t *rows = NULL;

    if (longer - shorter > limit) {
        return limit + 1;
    }
    rows = calloc(3 * (b_length + 1), sizeof *rows);
    if (!rows) {
        return limit + 1; /* no suggestion rather than no message */
    }
    for (size_t i = 0; i < 3; i++) {
        distance.row[i] = rows + i * (b_length + 1);
    }
    result = distance_within(&distance, a_length);
    free(rows);
    return result;
}
