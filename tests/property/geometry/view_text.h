/* SPDX-License-Identifier: MIT */
/*
 * view_text - geometries and view sequences as one line of text, for tests:
 *
 *     float32 [a,64] [64,1] 0 | transpose dims=[0,1] | slice dim=0 start=1 end=b => anything
 *
 * Symbols are the letters a to z; `?` is a size, stride or offset that is read at run time. What is read
 * becomes the structs that validation would fill; nothing here knows what an operation does.
 */
#ifndef WRAPGEN_TESTS_VIEW_TEXT_H
#define WRAPGEN_TESTS_VIEW_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/algebra/expr.h"
#include "gen/algebra/geometry.h"
#include "gen/base/str.h"

enum { VIEW_TEXT_SYMBOLS = 26 };

static const char *const view_text_letters[VIEW_TEXT_SYMBOLS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
                                                                 "j", "k", "l", "m", "n", "o", "p", "q", "r",
                                                                 "s", "t", "u", "v", "w", "x", "y", "z"};

static inline void view_text_stop(const char *what, const char *text)
{
    fprintf(stderr, "view_text: %s: '%s'\n", what, text);
    exit(2);
}

static inline bool view_text_letter(void *ctx, const char *name, size_t length, uint32_t *symbol)
{
    (void)ctx;
    *symbol = (uint32_t)(*name - 'a');
    return length == 1 && *name >= 'a' && *name <= 'z';
}

static inline const Expr *view_text_expr(Arena *arena, const char *text)
{
    const char *error = NULL;
    size_t at = 0;
    const Expr *expr = expr_parse(arena, text, view_text_letter, NULL, &error, &at);
    if (!expr) {
        view_text_stop(error, text);
    }
    return expr;
}

static inline SpecInt view_text_int(Arena *arena, const char *text)
{
    const SpecInt result = {arena_copy(arena, text, strlen(text)), view_text_expr(arena, text)};
    return result;
}

/* "[a,64]"; with no expressions where an entry is `?`. */
static inline SpecInts view_text_ints(Arena *arena, const char *text)
{
    SpecInts result = {NULL, 0, NULL};
    const size_t length = strlen(text);
    if (length < 2 || text[0] != '[' || text[length - 1] != ']') {
        view_text_stop("no list", text);
    }
    result.text = ARENA_ARRAY(arena, char *, length);
    const Expr **expr = ARENA_ARRAY(arena, const Expr *, length);
    for (const char *next = text + 1; next < text + length - 1;) {
        const size_t entry = strcspn(next, ",]");
        char *copy = arena_copy(arena, next, entry);
        result.text[result.text_count] = copy;
        expr[result.text_count++] = strcmp(copy, "?") == 0 ? NULL : view_text_expr(arena, copy);
        next += entry + 1;
    }
    result.expr = expr;
    return result;
}

static inline void view_text_argument(Arena *arena, SpecView *view, const char *key, const char *value)
{
#define LIST(name)                                                                                                     \
    if (strcmp(key, #name) == 0) {                                                                                     \
        view->name = view_text_ints(arena, value);                                                                     \
        return;                                                                                                        \
    }
#define ONE(name)                                                                                                      \
    if (strcmp(key, #name) == 0) {                                                                                     \
        view->name = view_text_int(arena, value);                                                                      \
        return;                                                                                                        \
    }
    LIST(size)
    LIST(stride)
    LIST(dims)
    LIST(source)
    LIST(destination)
    LIST(sizes)
    ONE(offset)
    ONE(dim)
    ONE(dim1)
    ONE(dim2)
    ONE(index)
    ONE(start)
    ONE(end)
    ONE(step)
    ONE(length)
    ONE(start_dim)
    ONE(end_dim)
    ONE(split_size)
    ONE(chunks)
#undef LIST
#undef ONE
    if (strcmp(key, "dtype") != 0) {
        view_text_stop("no such argument", key);
    }
    view->dtype = arena_copy(arena, value, strlen(value));
    view->dtype_code = dtype_parse(value);
}

/* The next word, ended by a blank; null at the end. */
static inline char *view_text_word(Arena *arena, const char **next)
{
    *next += strspn(*next, " ");
    const size_t length = strcspn(*next, " \n");
    char *word = length ? arena_copy(arena, *next, length) : NULL;
    *next += length;
    return word;
}

static inline SpecViewOp view_text_op(const char *name)
{
    for (int op = SPEC_VIEW_UNSET + 1; op <= SPEC_VIEW__NEG_VIEW; op++) {
        if (strcmp(geometry_op_text((SpecViewOp)op), name) == 0) {
            return (SpecViewOp)op;
        }
    }
    view_text_stop("no such operation", name);
    return SPEC_VIEW_UNSET;
}

/* A line, taken apart. */
typedef struct ViewText {
    int32_t dtype; /* -1: "?" */
    SpecInts sizes;
    SpecInts strides;
    char *offset;
    SpecView *views;
    uint32_t num_views;
    const char *expected; /* what comes after "=> " */
} ViewText;

static inline ViewText view_text_read(Arena *arena, const char *line)
{
    ViewText result;
    memset(&result, 0, sizeof result);
    const char *next = line;
    const char *dtype = view_text_word(arena, &next);
    result.dtype = strcmp(dtype, "?") == 0 ? -1 : dtype_parse(dtype);
    result.sizes = view_text_ints(arena, view_text_word(arena, &next));
    result.strides = view_text_ints(arena, view_text_word(arena, &next));
    result.offset = view_text_word(arena, &next);
    result.views = ARENA_ARRAY(arena, SpecView, strlen(line));
    SpecView *view = NULL;
    for (char *word = view_text_word(arena, &next); word; word = view_text_word(arena, &next)) {
        if (strcmp(word, "=>") == 0) {
            next += strspn(next, " ");
            result.expected = arena_copy(arena, next, strcspn(next, "\n"));
            break;
        }
        char *equals = strchr(word, '=');
        if (strcmp(word, "|") == 0) {
            view = &result.views[result.num_views++];
            view->op = view_text_op(view_text_word(arena, &next));
        } else if (view && equals) {
            *equals = '\0';
            view_text_argument(arena, view, word, equals + 1);
        } else {
            view_text_stop("stray word", word);
        }
    }
    return result;
}

static inline Geometry view_text_base(Arena *arena, Integers *integers, const ViewText *text)
{
    Geometry base = {text->sizes.text_count, NULL, NULL, NULL, text->dtype};
    base.sizes = ARENA_ARRAY(arena, const Integer *, base.rank);
    base.strides = ARENA_ARRAY(arena, const Integer *, base.rank);
    for (uint32_t i = 0; i < base.rank; i++) {
        const Expr *size = text->sizes.expr[i];
        const Expr *stride = text->strides.expr[i];
        if (size == NULL) {
            view_text_stop("not a size", text->sizes.text[i]);
        }
        base.sizes[i] = integer_from_expr(integers, size);
        base.strides[i] =
            stride ? integer_from_expr(integers, stride) : integer_read(integers, INTEGER_READ_STRIDE, 0, i);
    }
    base.offset = strcmp(text->offset, "?") == 0 ? integer_read(integers, INTEGER_READ_OFFSET, 0, 0)
                                                 : integer_from_expr(integers, view_text_expr(arena, text->offset));
    return base;
}

/* "[3,2] [1,3] 0 float32" */
static inline void view_text_put(Str *text, const Integers *integers, const Geometry *geometry)
{
    for (int list = 0; list < 2; list++) {
        str_puts(text, "[");
        for (uint32_t i = 0; i < geometry->rank; i++) {
            str_puts(text, i > 0 ? "," : "");
            str_puts(text, integer_text(integers, list == 0 ? geometry->sizes[i] : geometry->strides[i]));
        }
        str_puts(text, "] ");
    }
    str_printf(text, "%s %s", integer_text(integers, geometry->offset),
               geometry->dtype < 0 ? "?" : dtype_text(geometry->dtype));
}

#endif /* WRAPGEN_TESTS_VIEW_TEXT_H */
