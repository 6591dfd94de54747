/* SPDX-License-Identifier: MIT */
/*
 * utf8 - one character at a time, strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
 */
#ifndef WRAPGEN_UTF8_H
#define WRAPGEN_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the character at the start of `text` (length >= 1) and returns how many bytes it takes; 0 when these bytes
 * are not UTF-8; `*code` is then the first byte. */
size_t utf8_decode(const char *text, size_t length, uint32_t *code);

/* The number of characters; in invalid UTF-8, bytes that are not continuation bytes are counted. */
size_t utf8_count(const char *text, size_t length);

/* The number of terminal columns that it takes: 0 for combining marks, 2 for wide East Asian characters and emoji, else
 * 1. Not for control and format characters, which must not reach a terminal. */
int utf8_width(uint32_t code);

#endif /* WRAPGEN_UTF8_H */
