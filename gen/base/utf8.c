/* SPDX-License-Identifier: MIT */
/*
 * utf8 - decoding as in RFC 3629, section 4, whose table of well-formed sequences is `forms` below; and display width.
 *
 * The width tables hold whole blocks, not single characters: a caret that is one column off below a rare script does no
 * harm, and nothing here depends on the locale. They follow East_Asian_Width (W and F) and the categories Mn and Me of
 * Unicode 14.
 */
#include "utf8.h"

#include <stdbool.h>

typedef struct Utf8Form {
    unsigned char first_low; /* range of the first byte */
    unsigned char first_high;
    unsigned char second_low; /* range of the second byte; further ones are 80..BF */
    unsigned char second_high;
    unsigned char size;
} Utf8Form;

static const Utf8Form forms[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

size_t utf8_decode(const char *text, size_t length, uint32_t *code)
{
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t value = bytes[0];

    *code = value;
    if (value < 0x80) {
        return 1;
    }
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const Utf8Form *form = &forms[i];
        if (value < form->first_low || value > form->first_high) {
            continue;
        }
        if (length < form->size || bytes[1] < form->second_low || bytes[1] > form->second_high) {
            return 0;
        }
        value &= 0x7Fu >> form->size;
        value = value << 6 | (bytes[1] & 0x3Fu);
        for (size_t k = 2; k < form->size; k++) {
            if ((bytes[k] & 0xC0) != 0x80) {
                return 0;
            }
            value = value << 6 | (bytes[k] & 0x3Fu);
        }
        *code = value;
        return form->size;
    }
    return 0;
}

size_t utf8_count(const char *text, size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++) {
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    }
    return count;
}

typedef struct Utf8Range {
    uint32_t low;
    uint32_t high;
} Utf8Range;

static const Utf8Range combining[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},   {0x064B, 0x065F},
    {0x06D6, 0x06DC}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20F0},   {0x302A, 0x302D},
    {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF},
};

static const Utf8Range wide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
    {0xA960, 0xA97C},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},
    {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x17000, 0x18CD5}, {0x1B000, 0x1B2FB}, {0x1F300, 0x1F320},
    {0x1F400, 0x1F43E}, {0x1F440, 0x1F4FC}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F900, 0x1F9FF},
    {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

static bool in_ranges(const Utf8Range *ranges, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count && code >= ranges[i].low; i++) {
        if (code <= ranges[i].high) {
            return true;
        }
    }
    return false;
}

int utf8_width(uint32_t code)
{
    if (code < 0x0300) {
        return 1;
    }
    if (in_ranges(combining, sizeof combining / sizeof combining[0], code)) {
        return 0;
    }
    return in_ranges(wide, sizeof wide / sizeof wide[0], code) ? 2 : 1;
}
