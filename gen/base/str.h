/* SPDX-License-Identifier: MIT */
/*
 * str - a growing byte string in an arena. A zeroed Str with its arena set is empty and ready.
 *
 * `data` is always terminated once anything was written; use str_text() where the string may still be empty.
 */
#ifndef WRAPGEN_STR_H
#define WRAPGEN_STR_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"

typedef struct Str {
    Arena *arena;
    char *data;
    size_t length;
    size_t capacity;
} Str;

Str str_new(Arena *arena);
void str_reserve(Str *str, size_t more);
void str_add(Str *str, const char *data, size_t length);
void str_prepend(Str *str, const char *data, size_t length); /* before the present text; data is not part of it */
void str_puts(Str *str, const char *text);
void str_putc(Str *str, char character);
void str_printf(Str *str, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text, never null. */
const char *str_text(const Str *str);

/* `text` as a C string literal with its quotes: escapes quotes, backslashes, control and non-ASCII bytes (octal, always
 * three digits), and a `?` after another so that no trigraph can form. */
void str_put_c_literal(Str *str, const char *text);

/* `text` in a form that is safe inside a C comment of either kind: one line, printable ASCII only. Other characters,
 * backslashes, and any that could form a comment delimiter or a trigraph (possibly with the text around them) are
 * written as \xNN. */
void str_put_c_comment(Str *str, const char *text);

/* `text` as a JSON string with its quotes; bytes that are not valid UTF-8 become U+FFFD. */
void str_put_json(Str *str, const char *text);

/* Small helpers on plain C strings. */
bool str_equal(const char *a, const char *b);
bool str_starts(const char *text, const char *prefix);
const char *str_base_name(const char *path); /* the name of a file without its folders, within `path` */

/* [A-Za-z_][A-Za-z0-9_]* */
bool str_is_identifier(const char *text);

/* Can it stand in an identifier, after the first character at least? */
bool str_is_of_identifier(char c);

/* Edit distance for "did you mean": insertions, deletions, replacements, swaps of neighbours (Damerau-Levenshtein in
 * its restricted form, where no part is edited twice). It is cut off: when it is larger than limit, the result is limit
 * + 1, which also makes it fast. */
size_t str_distance(const char *a, const char *b, size_t limit);

#endif /* WRAPGEN_STR_H */
