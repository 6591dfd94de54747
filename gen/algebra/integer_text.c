/* SPDX-License-Identifier: MIT */
/*
 * integer_text - writes integers for people, in the YAML's own notation.
 *
 * The graph shares nodes, so a text can be exponentially longer than the graph: it is cut at MAX_LENGTH. Parentheses
 * appear only where the text would mean something else without them.
 */
#include "integer_private.h"

#include <inttypes.h>

#include "../base/str.h"

enum { MAX_LENGTH = 160 };

/* How tightly the text binds: a sum, a product, something that never needs parentheses. */
typedef enum Level { LEVEL_SUM, LEVEL_PRODUCT, LEVEL_OPERAND } Level;

static void put_node(const Integers *integers, const Integer *node, Level level, Str *text);

static void put_pair(const Integers *integers, const Integer *node, const char *between, Level level, Str *text)
{
    const Level own = node->kind == INTEGER_ADD || node->kind == INTEGER_SUB ? LEVEL_SUM : LEVEL_PRODUCT;
    /* a + (b - c) is a + b - c, but a*(b//c) is not a*b//c */
    const bool associates = node->kind == INTEGER_ADD || (node->kind == INTEGER_MUL && node->rhs->kind == INTEGER_MUL);
    str_puts(text, own < level ? "(" : "");
    put_node(integers, node->lhs, own, text);
    if (text->length <= MAX_LENGTH) {
        str_puts(text, between);
        put_node(integers, node->rhs, associates ? own : own + 1, text);
    }
    str_puts(text, own < level && text->length <= MAX_LENGTH ? ")" : "");
}

static void put_call(const Integers *integers, const Integer *node, const char *name, Str *text)
{
    str_puts(text, name);
    put_node(integers, node->lhs, LEVEL_SUM, text);
    str_puts(text, ", ");
    put_node(integers, node->rhs, LEVEL_SUM, text);
    str_puts(text, ")");
}

static void put_symbol(const Integers *integers, uint32_t symbol, Str *text)
{
    if (integers->names && symbol < integers->num_symbols) {
        str_puts(text, integers->names[symbol]);
    } else {
        str_printf(text, "symbol%" PRIu32, symbol);
    }
}

static void put_node(const Integers *integers, const Integer *node, Level level, Str *text)
{
    if (text->length > MAX_LENGTH) {
        return;
    }
    switch (node->kind) {
    case INTEGER_LITERAL:
        str_printf(text, "%" PRId64, node->literal);
        return;
    case INTEGER_SYMBOL:
        put_symbol(integers, node->index, text);
        return;
    case INTEGER_READ_SIZE:
        str_printf(text, "size(%" PRIu32 ")", node->index);
        return;
    case INTEGER_READ_STRIDE:
        str_printf(text, "stride(%" PRIu32 ")", node->index);
        return;
    case INTEGER_READ_OFFSET:
        str_puts(text, "offset");
        return;
    case INTEGER_ADD:
        put_pair(integers, node, " + ", level, text);
        return;
    case INTEGER_SUB:
        put_pair(integers, node, " - ", level, text);
        return;
    case INTEGER_MUL:
        put_pair(integers, node, "*", level, text);
        return;
    case INTEGER_FLOORDIV:
        put_pair(integers, node, "//", level, text);
        return;
    case INTEGER_MIN:
        put_call(integers, node, "min(", text);
        return;
    case INTEGER_MAX:
        put_call(integers, node, "max(", text);
        return;
    }
}

void integers_set_names(Integers *integers, const char *const *names)
{
    integers->names = names;
}

const char *integer_text(const Integers *integers, const Integer *integer)
{
    Str text = str_new(integers->arena);
    put_node(integers, integer, LEVEL_SUM, &text);
    if (text.length > MAX_LENGTH) {
        str_puts(&text, "...");
    }
    return str_text(&text);
}
