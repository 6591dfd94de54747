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

static void put_node(const Integers *integers, const Integer *node, OperatorLevel level, Str *text);

/* Sums, comparisons and words are written with blanks around them. */
static void put_token(Operator operation, Str *text)
{
    const bool blanks = operator_level(operation) != LEVEL_PRODUCT || operation == OPERATOR_MOD;
    str_puts(text, blanks ? " " : "");
    str_puts(text, operator_token(operation));
    str_puts(text, blanks ? " " : "");
}

static void put_pair(const Integers *integers, const Integer *node, OperatorLevel level, Str *text)
{
    const Operator operation = integer_operator(node->kind);
    const OperatorLevel own = operator_level(operation);
    const bool compares = own == LEVEL_COMPARISON; /* a < b < c would be a chain */
    /* a + (b - c) is a + b - c, but a*(b//c) is not a*b//c */
    const bool associates = node->kind == INTEGER_ADD || (node->kind == INTEGER_MUL && node->rhs->kind == INTEGER_MUL);
    str_puts(text, own < level ? "(" : "");
    put_node(integers, node->lhs, compares ? own + 1 : own, text);
    if (text->length <= MAX_LENGTH) {
        put_token(operation, text);
        put_node(integers, node->rhs, associates ? own : own + 1, text);
    }
    str_puts(text, own < level && text->length <= MAX_LENGTH ? ")" : "");
}

static void put_call(const Integers *integers, const Integer *node, Str *text)
{
    str_printf(text, "%s(", operator_token(integer_operator(node->kind)));
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

static void put_node(const Integers *integers, const Integer *node, OperatorLevel level, Str *text)
{
    if (text->length > MAX_LENGTH) {
        return;
    }
    if (node->kind == INTEGER_LITERAL) {
        str_printf(text, "%" PRId64, node->literal);
    } else if (node->kind == INTEGER_SYMBOL) {
        put_symbol(integers, node->index, text);
    } else if (node->kind == INTEGER_READ_STRIDE) {
        str_printf(text, "stride(%" PRIu32 ")", node->index);
    } else if (node->kind == INTEGER_READ_OFFSET) {
        str_puts(text, "offset");
    } else if (operator_level(integer_operator(node->kind)) == LEVEL_CALL) {
        put_call(integers, node, text);
    } else {
        put_pair(integers, node, level, text);
    }
}

void integers_set_names(Integers *integers, const char *const *names)
{
    integers->names = names;
}

const char *integer_text(const Integers *integers, const Integer *integer)
{
    Str text = str_new(integers->arena);
    put_node(integers, integer, LEVEL_DISJUNCTION, &text);
    if (text.length > MAX_LENGTH) {
        str_puts(&text, "...");
    }
    return str_text(&text);
}
