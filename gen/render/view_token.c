/* SPDX-License-Identifier: MIT */
/* view_token - the check of {{x}} in templates for code: what it prints is one token, access path or index of C. */
#include "view.h"

#include <string.h>

/* 1 for [A-Za-z0-9_]: every byte of generated code passes here. */
static const unsigned char word_bytes[256] = {
    ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1, ['6'] = 1, ['7'] = 1, ['8'] = 1,
    ['9'] = 1, ['A'] = 1, ['B'] = 1, ['C'] = 1, ['D'] = 1, ['E'] = 1, ['F'] = 1, ['G'] = 1, ['H'] = 1,
    ['I'] = 1, ['J'] = 1, ['K'] = 1, ['L'] = 1, ['M'] = 1, ['N'] = 1, ['O'] = 1, ['P'] = 1, ['Q'] = 1,
    ['R'] = 1, ['S'] = 1, ['T'] = 1, ['U'] = 1, ['V'] = 1, ['W'] = 1, ['X'] = 1, ['Y'] = 1, ['Z'] = 1,
    ['a'] = 1, ['b'] = 1, ['c'] = 1, ['d'] = 1, ['e'] = 1, ['f'] = 1, ['g'] = 1, ['h'] = 1, ['i'] = 1,
    ['j'] = 1, ['k'] = 1, ['l'] = 1, ['m'] = 1, ['n'] = 1, ['o'] = 1, ['p'] = 1, ['q'] = 1, ['r'] = 1,
    ['s'] = 1, ['t'] = 1, ['u'] = 1, ['v'] = 1, ['w'] = 1, ['x'] = 1, ['y'] = 1, ['z'] = 1, ['_'] = 1};

static bool is_word(char c)
{
    return word_bytes[(unsigned char)c];
}

/* The length of the number or identifier at text[i], or 0. */
static size_t word_length(const char *text, size_t length, size_t i)
{
    const char *begin = text + i;
    const char *end = text + length;
    const char *at = begin;
    while (at < end && is_word(*at)) {
        at++;
    }
    return at > begin ? (size_t)(at - begin) : 0;
}

/* The end of `word`, or of a sum or product of words, each operator between blanks ("3 + 2 * i"); 0 for anything else.
 */
static size_t sum_end(const char *text, size_t length, size_t i)
{
    size_t n = word_length(text, length, i);
    while (n > 0 && i + n + 3 < length && text[i + n] == ' ' && (text[i + n + 1] == '+' || text[i + n + 1] == '*') &&
           text[i + n + 2] == ' ') {
        i += n + 3;
        n = word_length(text, length, i);
    }
    return n == 0 ? 0 : i + n;
}

bool view_is_token(const char *text, size_t length)
{
    const bool is_negative = length > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9';
    size_t i = sum_end(text, length, is_negative ? 1 : 0);
    bool is_right = i > 0;
    while (is_right && i < length) {
        const size_t step = text[i] == '.' ? 1 : i + 1 < length && text[i] == '-' && text[i + 1] == '>' ? 2 : 0;
        if (step > 0) {
            const size_t n = word_length(text, length, i + step);
            is_right = n > 0;
            i += step + n;
        } else {
            const size_t end = text[i] == '[' ? sum_end(text, length, i + 1) : 0;
            is_right = end > 0 && end < length && text[end] == ']';
            i = end + 1;
        }
    }
    return is_right;
}
