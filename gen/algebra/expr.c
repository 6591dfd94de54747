/* SPDX-License-Identifier: MIT */
/*
 * expr - reads the integers and conditions of the YAML.
 *
 *     condition  := negation (('and' | 'or') negation)*         'and' binds more tightly
 *     negation   := 'not' negation | comparison
 *     comparison := sum (('<' | '<=' | '>' | '>=' | '==' | '!=') sum)*
 *     sum        := product (('+' | '-') product)*
 *     product    := power (('*' | '//' | '%') power)*
 *     power      := operand ['**' NUMBER]
 *     operand    := NUMBER | '-' NUMBER | SYMBOL | '(' condition ')' | ('min' | 'max') '(' sum (',' sum)+ ')'
 *
 * All of it means what it means in Python: operators of one level associate to the left, `//` rounds towards minus
 * infinity and `%` has the sign of the divisor, `a < b < c` is `a < b and b < c`. Blanks may come between tokens, but
 * not before the first or after the last. A number in another notation (010, 0x10, 1_000, 12abc, -0) is an error, never
 * a different number.
 *
 * Powers become products, `>` and `>=` change sides, and `not` moves inwards until it has turned comparisons around.
 * Trees are walked by recursion everywhere, so their depth is bounded here: MAX_NESTING parentheses and MAX_OPERANDS
 * operands.
 */
#include "expr.h"

#include <string.h>

#include "../../templates/core/wg_compiler.h"

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

static const Expr *parse_level(Parser *parser, OperatorLevel level);

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
        if (wg_ckd_mul(&result, result, 10) || wg_ckd_sub(&result, result, *digit - '0')) {
            return NUMBER_TOO_LARGE;
        }
    }
    if (!negative && wg_ckd_sub(&result, 0, result)) {
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
    if (character == '/') {
        return fail(parser, where, "unexpected operator; integers are divided by //");
    }
    if (character == '=') {
        return fail(parser, where, "unexpected '='; equality is written ==");
    }
    if (character == '&' || character == '|' || (character == '!' && where[1] != '=')) {
        return fail(parser, where, "unexpected operator; conditions are joined by the words and, or, not");
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

/* ---- operators on trees ---- */

static const Expr *combine(Parser *parser, const char *where, Operator operation, const Expr *lhs, const Expr *rhs)
{
    const bool wanted = operator_takes_conditions(operation);
    const bool divides = operation == OPERATOR_FLOORDIV || operation == OPERATOR_MOD;
    if (expr_is_condition(lhs) != wanted || expr_is_condition(rhs) != wanted) {
        return fail(parser, where,
                    arena_printf(parser->arena, "'%s' needs %s on both sides", operator_token(operation),
                                 wanted ? "a condition" : "an integer"));
    }
    if (divides && rhs->kind == EXPR_LITERAL && rhs->literal == 0) {
        return fail(parser, where, "division by zero");
    }
    if (lhs->kind == EXPR_LITERAL && rhs->kind == EXPR_LITERAL && !operator_is_condition(operation)) {
        int64_t value = 0;
        if (!operator_apply(operation, lhs->literal, rhs->literal, &value)) {
            return fail(parser, where, "the result does not fit in 64 bits");
        }
        return expr_literal(parser->arena, value);
    }
    return expr_operation(parser->arena, operation, lhs, rhs);
}

/* ---- operands ---- */

static bool at_word(const Parser *parser, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(parser->next, word, length) == 0 && !is_word(parser->next[length]);
}

/* Descends into what is nested; false: it is too deep. */
static bool descend(Parser *parser, const char *where)
{
    if (++parser->nesting > MAX_NESTING) {
        (void)fail(parser, where, "the expression is nested too deeply");
        return false;
    }
    return true;
}

/* After an operand inside parentheses: skips the character that must be there; `without` says that the text ended. */
static bool expect(Parser *parser, char wanted, const char *open, const char *without)
{
    skip_blanks(parser);
    if (*parser->next == wanted) {
        parser->next++;
        return true;
    }
    if (*parser->next == '\0') {
        (void)fail(parser, open, without);
    } else {
        (void)fail_at_character(parser);
    }
    return false;
}

static const Expr *parse_parentheses(Parser *parser)
{
    const char *open = parser->next;
    if (!descend(parser, open)) {
        return NULL;
    }
    parser->next++;
    skip_blanks(parser);
    const Expr *inner = parse_level(parser, LEVEL_DISJUNCTION);
    parser->nesting--;
    return inner && expect(parser, ')', open, "'(' without its ')'") ? inner : NULL;
}

/* min(a, b, ...), after the word. */
static const Expr *parse_call(Parser *parser, Operator operation)
{
    const char *word = parser->next;
    parser->next += strlen(operator_token(operation));
    const char *open = parser->next;
    const Expr *result = NULL;
    bool more = descend(parser, open);
    for (uint32_t n = 0; more; n++) {
        parser->next++; /* the parenthesis, or a comma */
        skip_blanks(parser);
        const Expr *one = parse_level(parser, LEVEL_SUM);
        result = one == NULL ? NULL : n == 0 ? one : combine(parser, word, operation, result, one);
        skip_blanks(parser);
        more = result != NULL && *parser->next == ',';
        if (result != NULL && n == 0 && *parser->next == ')') {
            return fail(parser, word, "min and max take two integers or more");
        }
    }
    parser->nesting--;
    /* In YAML's [a, b] a comma ends an entry: the likely reason. */
    const char *without = "'(' without its ')'; where commas separate entries, quote a text that contains one";
    return result && expect(parser, ')', open, without) ? result : NULL;
}

static const Expr *parse_operand(Parser *parser)
{
    if (++parser->operands > MAX_OPERANDS) {
        return fail(parser, parser->next, "the expression has too many operands");
    }
    if (*parser->next == '(') {
        return parse_parentheses(parser);
    }
    for (Operator operation = OPERATOR_ADD; operation < NUM_OPERATORS; operation++) {
        const char *token = operator_token(operation);
        if (operator_level(operation) == LEVEL_CALL && at_word(parser, token) && parser->next[strlen(token)] == '(') {
            return parse_call(parser, operation);
        }
    }
    return is_word(*parser->next) && !is_digit(*parser->next) ? parse_symbol(parser) : parse_number(parser);
}

/* Blanks belong to what follows them: without that, the parser goes back to before them. */
static bool follows(Parser *parser, const char *token)
{
    const char *before_blanks = parser->next;
    skip_blanks(parser);
    const bool found = strncmp(parser->next, token, strlen(token)) == 0;
    if (found) {
        parser->next += strlen(token);
        skip_blanks(parser);
    } else {
        parser->next = before_blanks;
    }
    return found;
}

static const Expr *parse_power(Parser *parser)
{
    const int before = parser->operands;
    const char *start = parser->next;
    const Expr *base = parse_operand(parser);
    const int operands = parser->operands - before;
    if (!base || !follows(parser, "**")) {
        return base;
    }
    if (*start == '-') {
        return fail(parser, start,
                    "a power binds more tightly than the minus sign before it; write (-2)**2, or 0 - 2**2");
    }
    const char *where = parser->next;
    int64_t exponent = 0;
    if (read_number(&parser->next, &exponent) != NUMBER_OK || exponent < 0 || is_word(*parser->next)) {
        return fail(parser, where, "an exponent is a literal that is not negative");
    }
    if (exponent > MAX_OPERANDS || (parser->operands += (int)exponent * operands) > MAX_OPERANDS) {
        return fail(parser, where, "the expression has too many operands");
    }
    const Expr *power = expr_literal(parser->arena, 1);
    for (int64_t i = 0; power && i < exponent; i++) {
        power = i == 0 && !expr_is_condition(base) ? base : combine(parser, where, OPERATOR_MUL, power, base);
    }
    return power;
}

/* ---- operators ---- */

typedef struct Token {
    size_t length; /* 0: there is none */
    Operator operation;
    bool swapped; /* a > b is b < a */
} Token;

static void offer_token(const Parser *parser, Token *token, const char *text, Operator operation, bool swapped)
{
    const size_t length = strlen(text);
    const bool is_there =
        is_word(*text) ? at_word(parser, text) : strncmp(parser->next, text, length) == 0 && length > token->length;
    if (is_there) {
        *token = (Token){length, operation, swapped};
    }
}

/* The longest operator at the parser's place, if it is one of the level. */
static Token token_at(const Parser *parser, OperatorLevel level)
{
    Token token = {0};
    if (*parser->next == '\0') { /* most texts are one operand, after which each level asks */
        return token;
    }
    for (Operator operation = OPERATOR_ADD; operation < NUM_OPERATORS; operation++) {
        if (operator_level(operation) != LEVEL_CALL) {
            offer_token(parser, &token, operator_token(operation), operation, false);
        }
    }
    offer_token(parser, &token, ">", OPERATOR_LT, true);
    offer_token(parser, &token, ">=", OPERATOR_LE, true);
    return token.length > 0 && operator_level(token.operation) == level ? token : (Token){0};
}

static const Expr *parse_negation(Parser *parser)
{
    const char *where = parser->next;
    if (!at_word(parser, "not")) {
        return parse_level(parser, LEVEL_COMPARISON);
    }
    if (!descend(parser, where)) {
        return NULL;
    }
    parser->next += strlen("not");
    skip_blanks(parser);
    const Expr *inner = parse_negation(parser);
    parser->nesting--;
    if (inner && !expr_is_condition(inner)) {
        return fail(parser, where, "'not' needs a condition after it");
    }
    return inner ? expr_negate(parser->arena, inner) : NULL;
}

static const Expr *parse_tighter(Parser *parser, OperatorLevel level)
{
    switch (level) {
    case LEVEL_DISJUNCTION:
        return parse_level(parser, LEVEL_CONJUNCTION);
    case LEVEL_CONJUNCTION:
        return parse_negation(parser);
    case LEVEL_COMPARISON:
        return parse_level(parser, LEVEL_SUM);
    case LEVEL_SUM:
        return parse_level(parser, LEVEL_PRODUCT);
    case LEVEL_PRODUCT:
    case LEVEL_CALL:
        break;
    }
    return parse_power(parser);
}

static const Expr *parse_level(Parser *parser, OperatorLevel level)
{
    const Expr *result = parse_tighter(parser, level);
    const Expr *last = result; /* of a chain of comparisons */
    bool is_chain = false;
    while (result) {
        const char *before_blanks = parser->next;
        skip_blanks(parser);
        const char *where = parser->next;
        const Token token = token_at(parser, level);
        if (token.length == 0) {
            /* Blanks belong to what follows them; there must be none at the end. */
            parser->next = *where == '\0' ? before_blanks : where;
            return result;
        }
        parser->next += token.length;
        skip_blanks(parser);
        const Expr *rhs = parse_tighter(parser, level);
        const Expr *lhs = level == LEVEL_COMPARISON ? last : result;
        const Expr *one =
            rhs ? combine(parser, where, token.operation, token.swapped ? rhs : lhs, token.swapped ? lhs : rhs) : NULL;
        result = one && is_chain ? combine(parser, where, OPERATOR_AND, result, one) : one;
        is_chain = level == LEVEL_COMPARISON;
        last = rhs;
    }
    return NULL;
}

typedef enum Wanted { WANTED_INTEGER, WANTED_CONDITION, WANTED_EITHER } Wanted;

/* The error is only about `text`; the caller knows where it is in the YAML. */
static const Expr *parse(Parser *parser, Wanted wanted)
{
    const char *text = parser->text;
    *parser->error = NULL;
    *parser->at = 0;
    if (*text == '\0') {
        return fail(parser, text,
                    wanted == WANTED_CONDITION ? "a condition is expected" : "an integer or expression is expected");
    }
    const Expr *expr = parse_level(parser, LEVEL_DISJUNCTION);
    if (expr && *parser->next != '\0') {
        return fail_at_character(parser);
    }
    if (expr && wanted != WANTED_EITHER && expr_is_condition(expr) != (wanted == WANTED_CONDITION)) {
        return fail(parser, text,
                    wanted == WANTED_CONDITION ? "an integer is not a condition, such as s0 > 1"
                                               : "a condition is not an integer");
    }
    return expr;
}

const Expr *expr_parse(Arena *arena, const char *text, ExprLookup lookup, void *ctx, const char **error, size_t *at)
{
    Parser parser = {arena, text, text, lookup, ctx, error, at, 0, 0};
    return parse(&parser, WANTED_INTEGER);
}

const Expr *expr_parse_condition(Arena *arena, const char *text, ExprLookup lookup, void *ctx, const char **error,
                                 size_t *at)
{
    Parser parser = {arena, text, text, lookup, ctx, error, at, 0, 0};
    return parse(&parser, WANTED_CONDITION);
}

const Expr *expr_parse_formula(Arena *arena, const char *text, ExprLookup lookup, void *ctx, const char **error,
                               size_t *at)
{
    Parser parser = {arena, text, text, lookup, ctx, error, at, 0, 0};
    return parse(&parser, WANTED_EITHER);
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
