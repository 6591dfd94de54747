/* SPDX-License-Identifier: MIT */
/* portrait_lines - lists of lines, and C without its comments as such a list. */
#include "portrait.h"

#include <string.h>

void portrait_add(Arena *arena, PortraitLines *lines, const char *line)
{
    if (lines->count == lines->capacity) {
        const uint32_t wider = lines->capacity == 0 ? 16 : lines->capacity * 2;
        lines->at = arena_grow(arena, lines->at, lines->capacity * sizeof *lines->at, wider * sizeof *lines->at);
        lines->capacity = wider;
    }
    lines->at[lines->count++] = line;
}

/* Generated C has comments of one kind, and no literal that looks like one. */
static const char *without_comments(Arena *arena, const char *code)
{
    Str out = str_new(arena);
    while (*code != '\0') {
        const char *comment = strstr(code, "/*");
        const size_t length = comment != NULL ? (size_t)(comment - code) : strlen(code);
        const char *end = comment != NULL ? strstr(comment, "*/") : NULL;
        str_add(&out, code, length);
        code = end != NULL ? end + 2 : code + strlen(code);
    }
    return str_text(&out);
}

static bool has_word(const char *line, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(line, word); at != NULL; at = strstr(at + 1, word)) {
        if ((at == line || !str_is_of_identifier(at[-1])) && !str_is_of_identifier(at[length])) {
            return true;
        }
    }
    return false;
}

static bool names_any(const char *line, const char *const *words, uint32_t num_words)
{
    for (uint32_t i = 0; i < num_words; i++) {
        if (has_word(line, words[i])) {
            return true;
        }
    }
    return false;
}

static bool names_number(const char *line, const char *const *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(line, numbers[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static const char *const arities[] = {"_NUM_INPUTS = ", "_NUM_OUTPUTS = ", "_NUM_ARGS = "};

/* Callers use their names, not the numbers, or what follows from the names. */
static const char *const derived[] = {"_SCRATCH = ", "_NUM_VARIANTS = ", "_KEY_WORDS = ", "uint64_t words["};

void portrait_declare(Arena *arena, Portrait *portrait, const char *declarations, const char *const *provided,
                      uint32_t num_provided)
{
    for (const char *code = without_comments(arena, declarations); *code != '\0';) {
        const size_t whole = strcspn(code, "\n");
        const size_t indent = strspn(code, " ");
        size_t length = whole;
        while (length > indent && code[length - 1] == ' ') {
            length--;
        }
        if (length > indent) {
            const char *line = arena_copy(arena, code + indent, length - indent);
            const PortraitPart part = names_any(line, provided, num_provided)                         ? PART_PROVIDED
                                      : names_number(line, arities, sizeof arities / sizeof *arities) ? PART_ARITY
                                                                                                      : PART_DECLARED;
            if (!names_number(line, derived, sizeof derived / sizeof *derived)) {
                portrait_add(arena, &portrait->parts[part], line);
            }
        }
        code += whole + (code[whole] == '\n');
    }
}
