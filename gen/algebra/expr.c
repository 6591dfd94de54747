/* SPDX-License-Identifier: MIT */
/*
 * expr - reads the integers of the YAML: literals and expressions of symbols.
 *
 *     sum     := product (('+' | '-') product)*
 *     product := operand (('*' | '//') operand)*
 *     operand := NUMBER | '-' NUMBER | SYMBOL | '(' sum ')'
 *
 * Both operators of a level associate to the left; `//` rounds towards minus infinity, as in Python. Blanks may come
 * between tokens, but not before the first or after the last. A number in another notation (010, 0x10, 1_000, 12abc,
 * -0) is an error, never a different number.
 *
 * Trees are walked by recursion everywhere, so their depth is bounded here: MAX_NESTING parentheses and MAX_OPERANDS
 * operands. A new operator is a row in operator_at(), a case in apply() and a kind in expr.h.
 */
#include "expr.h"

#include <string.h>

enum { MAX_NESTING = 64, MAX_OPERANDS = 512 };

typedef struct Parser {
    Arena *arena;
    const char *text;
    const char *next;
    ExprLookup lookup;
    void *ctx;
    const char **error;
    size_t *at;
    int nesting;
    int operands;
} Parser;

/* The result of reading a run of digits. */
typedef enum Number { NUMBER_OK, NUMBER_NONE, NUMBER_LEADING_ZERO, NUMBER_TOO_LARGE } Number;

static const Expr *parse_sum(Parser *parser);

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

static bool is_word(char character)
{
    return is_digit(character) || character == '_' || (character >= 'a' && character <= 'z') ||
           (character >= 'A' && character <= 'Z');
}

/* Reads digits with an optional minus before them. The value is built as a negative one: only those reach INT64_MIN. */
static Number read_number(const char **next, int64_t *value)
{
    const char *digit = *next;
    const bool negative = *digit == '-';
    digit += negative ? 1 : 0;
    if (!is_digit(*digit)) {
        return NUMBER_NONE;
    }
    if (*digit == '0' && (negative || is_digit(digit[1]))) {
        return NUMBER_LEADING_ZERO;
    }
    int64_t result = 0;
    for (; is_digit(*digit); digit++) {
        if (__builtin_mul_overflow(result, 10, &result) || __builtin_sub_overflow(result, *digit - '0', &result)) {
            return NUMBER_TOO_LARGE;
        }
    }
    if (!negative && __builtin_sub_overflow(0, result, &result)) {
        return NUMBER_TOO_LARGE;
    }
    *next = digit;
    *value = result;
    return NUMBER_OK;
}

static const Expr *fail(Parser *parser, const char *where, const char *message)
{
    if (*parser->error == NULL) {
        *parser->error = message;
        *parser->at = (size_t)(where - parser->text);
    }
    return NULL;
}

/* The length of the word (letters, digits, underscores) at `text`, cut for messages. */
static int shown_length(const char *text)
{
    int length = 0;
    while (length < 40 && is_word(text[length])) {
        length++;
    }
    return length;
}

static const Expr *fail_at_character(Parser *parser)
{
    const char *where = parser->next;
    const unsigned char character = (unsigned char)*where;
    if (character == '\0') {
        return fail(parser, where, "the expression ends where a number, a symbol or '(' is expected");
    }
    if (character == '-' && where[1] != '-' && !is_digit(where[1])) {
        return fail(parser, where, "a minus sign may only come between two values or directly before a number");
    }
    if (character == '/' || character == '%') {
        return fail(parser, where, "unexpected operator; the operators are + - * and //");
    }
    if (character < ' ' || character > '~') {
        return fail(parser, where, arena_printf(parser->arena, "unexpected byte 0x%02x", (unsigned)character));
    }
    return fail(parser, where, arena_printf(parser->arena, "unexpected '%c'", character));
}

static void skip_blanks(Parser *parser)
{
    while (*parser->next == ' ') {
        parser->next++;
    }
}

static const Expr *parse_number(Parser *parser)
{
    const char *start = parser->next;
    int64_t value = 0;
    const Number number = read_number(&parser->next, &value);
    const char *word = *start == '-' ? start + 1 : start;
    switch (number) {
    case NUMBER_OK:
        if (is_word(*parser->next)) {
            return fail(parser, start,
                        arena_printf(parser->arena, "'%.*s' is not a decimal integer", shown_length(word), word));
        }
        return expr_literal(parser->arena, value);
    case NUMBER_NONE:
        return fail_at_character(parser);
    case NUMBER_LEADING_ZERO:
        return fail(parser, start,
                    arena_printf(parser->arena,
                                 "'%.*s' is not a decimal integer: leading zeros and -0 are not accepted",
                                 shown_length(word) + (int)(word - start), start));
    case NUMBER_TOO_LARGE:
        return fail(parser, start, "the number does not fit in 64 bits");
    }
    return NULL;
}

static const Expr *parse_symbol(Parser *parser)
{
    const char *start = parser->next;
    while (is_word(*parser->next)) {
        parser->next++;
    }
    uint32_t symbol = 0;
    if (!parser->lookup || !parser->lookup(parser->ctx, start, (size_t)(parser->next - start), &symbol)) {
        return fail(parser, start, arena_printf(parser->arena, "unknown symbol '%.*s'", shown_length(start), start));
    }
    Expr *expr = ARENA_NEW(parser->arena, Expr);
    expr->kind = EXPR_SYMBOL;
    expr->symbol = symbol;
    return expr;
}

static const Expr *parse_operand(Parser *parser)
{
    if (++parser->operands > MAX_OPERANDS) {
        return fail(parser, parser->next, "the expression has too many operands");
    }
    if (*parser->next == '(') {
        const char *open = parser->next++;
        if (++parser->nesting > MAX_NESTING) {
            return fail(parser, open, "parentheses are nested too deep");
        }
        skip_blanks(parser);
        const Expr *inner = parse_sum(parser);
        if (!inner) {
            return NULL;
        }
        if (*parser->next != ')') {
            return *parser->next == '\0' ? fail(parser, open, "'(' without its ')'") : fail_at_character(parser);
        }
        parser->next++;
        parser->nesting--;
        return inner;
    }
    if (is_word(*parser->next) && !is_digit(*parser->next)) {
        return parse_symbol(parser);
    }
    return parse_number(parser);
}

/* Folds two literals; false: overflow, or division by zero. */
static bool apply(ExprKind kind, int64_t a, int64_t b, int64_t *result)
{
    switch (kind) {
    case EXPR_ADD:
        return !__builtin_add_overflow(a, b, result);
    case EXPR_SUB:
        return !__builtin_sub_overflow(a, b, result);
    case EXPR_MUL:
        return !__builtin_mul_overflow(a, b, result);
    case EXPR_FLOORDIV:
        if (b == 0 || (a == INT64_MIN && b == -1)) {
            return false;
        }
        *result = a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
        return true;
    case EXPR_LITERAL:
    case EXPR_SYMBOL:
        break;
    }
    return false;
}

static const Expr *combine(Parser *parser, const char *where, ExprKind kind, const Expr *lhs, const Expr *rhs)
{
    if (kind == EXPR_FLOORDIV && rhs->kind == EXPR_LITERAL && rhs->literal == 0) {
        return fail(parser, where, "division by zero");
    }
    if (lhs->kind == EXPR_LITERAL && rhs->kind == EXPR_LITERAL) {
        int64_t value = 0;
        if (!apply(kind, lhs->literal, rhs->literal, &value)) {
            return fail(parser, where, "the result does not fit in 64 bits");
        }
        return expr_literal(parser->arena, value);
    }
    Expr *expr = ARENA_NEW(parser->arena, Expr);
    expr->kind = kind;
    expr->lhs = lhs;
    expr->rhs = rhs;
    return expr;
}

/* The operator at the parser's place if it is one of the level; 0: none. */
static size_t operator_at(const Parser *parser, bool product, ExprKind *kind)
{
    const char *next = parser->next;
    if (product) {
        *kind = *next == '*' ? EXPR_MUL : EXPR_FLOORDIV;
        return *next == '*' ? 1 : next[0] == '/' && next[1] == '/' ? 2 : 0;
    }
    *kind = *next == '+' ? EXPR_ADD : EXPR_SUB;
    return *next == '+' || *next == '-' ? 1 : 0;
}

static const Expr *parse_level(Parser *parser, bool product)
{
    const Expr *lhs = product ? parse_operand(parser) : parse_level(parser, true);
    while (lhs) {
        const char *before_blanks = parser->next;
        skip_blanks(parser);
        ExprKind kind = EXPR_ADD;
        const char *where = parser->next;
        const size_t length = operator_at(parser, product, &kind);
        if (length == 0) {
            /* Blanks belong to what follows them; there must be none at the end. */
            parser->next = *where == '\0' ? before_blanks : where;
            return lhs;
        }
        parser->next += length;
        skip_blanks(parser);
        const Expr *rhs = product ? parse_operand(parser) : parse_level(parser, true);
        lhs = rhs ? combine(parser, where, kind, lhs, rhs) : NULL;
    }
    return lhs;
}

static const Expr *parse_sum(Parser *parser)
{
    return parse_level(parser, false);
}

/* The error is only about `text`; the caller knows where it is in the YAML. */
const Expr *expr_parse(Arena *arena, const char *text, ExprLookup lookup, void *ctx, const char **error, size_t *at)
{
    Parser parser = {arena, text, text, lookup, ctx, error, at, 0, 0};
    *error = NULL;
    *at = 0;
    if (*text == '\0') {
        return fail(&parser, text, "an integer or expression is expected");
    }
    const Expr *expr = parse_sum(&parser);
    if (expr && *parser.next != '\0') {
        return fail_at_character(&parser);
    }
    return expr;
}

bool expr_parse_integer(const char *text, int64_t *value)
{
    int64_t result = 0;
    if (read_number(&text, &result) != NUMBER_OK || *text != '\0') {
        return false;
    }
    *value = result;
    return true;
}

const Expr *expr_literal(Arena *arena, int64_t value)
{
    Expr *expr = ARENA_NEW(arena, Expr);
    expr->kind = EXPR_LITERAL;
    expr->literal = value;
    return expr;
}

bool expr_is_literal(const Expr *expr, int64_t *value)
{
    if (expr == NULL || expr->kind != EXPR_LITERAL) {
        return false;
    }
    *value = expr->literal;
    return true;
}

bool expr_equal(const Expr *a, const Expr *b)
{
    if (a == b) {
        return true;
    }
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case EXPR_LITERAL:
        return a->literal == b->literal;
    case EXPR_SYMBOL:
        return a->symbol == b->symbol;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_FLOORDIV:
        return expr_equal(a->lhs, b->lhs) && expr_equal(a->rhs, b->rhs);
    }
    return false;
}
