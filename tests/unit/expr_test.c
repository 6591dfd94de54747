/* SPDX-License-Identifier: MIT */
/*
 * Tests of gen/algebra/expr.c and gen/algebra/dtype.c: what is a number and what is not, precedence, folding, errors
 * and their places.
 *
 * Expected values of expressions are what Python's integers give (// rounds towards minus infinity); names, sizes and
 * numbers of dtypes are PyTorch's (c10/core/ScalarType.h).
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "gen/algebra/expr.h"
#include "gen/algebra/geometry.h"

static void check_case(bool holds, const char *name, const char *detail)
{
    check(holds, "%s: %s", name, detail);
}

/* Symbols a to z, in this order. */
static bool find_letter(void *ctx, const char *name, size_t length, uint32_t *symbol)
{
    (void)ctx;
    if (length != 1 || *name < 'a' || *name > 'z') {
        return false;
    }
    *symbol = (uint32_t)(*name - 'a');
    return true;
}

/* The tree in prefix notation: "(+ a 1)". */
static void put_tree(const Expr *expr, char **next)
{
    if (expr->kind == EXPR_LITERAL) {
        *next += sprintf(*next, "%" PRId64, expr->literal);
    } else if (expr->kind == EXPR_SYMBOL) {
        *next += sprintf(*next, "%c", (char)('a' + (int)expr->symbol));
    } else {
        *next += sprintf(*next, "(%s ", operator_token(expr_operator(expr)));
        put_tree(expr->lhs, next);
        *next += sprintf(*next, " ");
        put_tree(expr->rhs, next);
        *next += sprintf(*next, ")");
    }
}

static void test_integers(void)
{
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"42", true, 42},
        {"-1", true, -1},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"99999999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"+1", false, 0},
        {"--1", false, 0},
        {"-0", false, 0},
        {"00", false, 0},
        {"010", false, 0},
        {"-01", false, 0},
        {"12abc", false, 0},
        {"1_000", false, 0},
        {"0x10", false, 0},
        {"0o7", false, 0},
        {"1e3", false, 0},
        {"1.0", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1\n", false, 0},
        {"a", false, 0},
        {"\xd9\xa3", false, 0}, /* ARABIC-INDIC DIGIT THREE */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value = 77;
        const bool good = expr_parse_integer(cases[i].text, &value);
        check_case(good == cases[i].good && value == (good ? cases[i].value : 77), "integer", cases[i].text);
    }
}

static void test_trees(Arena *arena)
{
    static const char *const cases[][2] = {
        {"7", "7"},
        {"a", "a"},
        {"a*4", "(* a 4)"},
        {"a+1", "(+ a 1)"},
        {"(a+1)//2", "(// (+ a 1) 2)"},
        {"a+b*c", "(+ a (* b c))"},
        {"a*b+c", "(+ (* a b) c)"},
        {"a-b-c", "(- (- a b) c)"},
        {"a//b//c", "(// (// a b) c)"},
        {"a*b//c", "(// (* a b) c)"},
        {"a-(b-c)", "(- a (- b c))"},
        {"a - -1", "(- a -1)"},
        {"a--1", "(- a -1)"},
        {"a*-2", "(* a -2)"},
        {"( a + b )*c", "(* (+ a b) c)"},
        {"((a))", "a"},
        /* literal subtrees fold, by Python's rules */
        {"2+3*4", "14"},
        {"7//2", "3"},
        {"-7//2", "-4"},
        {"7//-2", "-4"},
        {"-7//-2", "3"},
        {"-8//2", "-4"},
        {"a+2*3", "(+ a 6)"},
        {"(2-2)*5", "0"},
        {"-9223372036854775808+1", "-9223372036854775807"},
        {"3037000499*3037000499", "9223372030926249001"},
        {"-7%2", "1"},
        {"7%-2", "-1"},
        {"a%3*b", "(* (% a 3) b)"},
        {"a**3", "(* (* a a) a)"},
        {"a*b**2", "(* a (* b b))"},
        {"a**0", "1"},
        {"(-2)**2", "4"},
        {"0-2**2", "-4"},
        {"min(a, b, 2)", "(min (min a b) 2)"},
        {"max( a,b )+min(3,2)", "(+ (max a b) 2)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *error = NULL;
        size_t at = 0;
        const Expr *expr = expr_parse(arena, cases[i][0], find_letter, NULL, &error, &at);
        char text[200] = "";
        char *next = text;
        if (expr) {
            put_tree(expr, &next);
        }
        check_case(expr && !error && strcmp(text, cases[i][1]) == 0, cases[i][0], expr ? text : error);
    }
}

/* `>` changes sides, and `not` turns comparisons around. */
static void test_conditions(Arena *arena)
{
    static const char *const cases[][2] = {
        {"a<b", "(< a b)"},
        {"a>=b+1", "(<= (+ b 1) a)"},
        {"not a<b", "(<= b a)"},
        {"not a==b", "(!= a b)"},
        {"not (a<b and c!=1)", "(or (<= b a) (== c 1))"},
        {"not not a<b", "(< a b)"},
        {"a<b or b<c and c<a", "(or (< a b) (and (< b c) (< c a)))"},
        {"(a<b or b<c) and c<a", "(and (or (< a b) (< b c)) (< c a))"},
        {"1<a<=b!=c", "(and (and (< 1 a) (<= a b)) (!= b c))"},
        {"a%8==0", "(== (% a 8) 0)"},
        {"a<b andc<d", NULL},
        {"a", NULL},
        {"not a", NULL},
        {"a<b and c", NULL},
        {"a<(b<c)", NULL},
        {"a<b && b<c", NULL},
        {"!a<b", NULL},
        {"", NULL},
        {"a<b and", NULL},
        {"a<b or or b<c", NULL},
        {"a<b)", NULL},
        {"a => b", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *error = NULL;
        size_t at = 0;
        const Expr *expr = expr_parse_condition(arena, cases[i][0], find_letter, NULL, &error, &at);
        char text[200] = "";
        char *next = text;
        if (expr) {
            put_tree(expr, &next);
        }
        check_case(expr ? cases[i][1] && !error && strcmp(text, cases[i][1]) == 0 : !cases[i][1] && error, cases[i][0],
                   expr ? text : error);
    }
}

static int64_t value_of(const Expr *expr, const int64_t *symbols)
{
    int64_t value = 0;
    if (!expr_is_operation(expr)) {
        return expr->kind == EXPR_LITERAL ? expr->literal : symbols[expr->symbol];
    }
    if (!operator_apply(expr_operator(expr), value_of(expr->lhs, symbols), value_of(expr->rhs, symbols), &value)) {
        check_case(false, "an operation fails", operator_token(expr_operator(expr)));
    }
    return value;
}

static void test_values(Arena *arena)
{
    static const struct {
        const char *text;
        bool is_condition;
        int64_t symbols[3];
        int64_t value;
    } cases[] = {
#define EXPRESSION(text, is_condition, a, b, c, value) {text, is_condition, {a, b, c}, value},
#include "expressions.inc"
#undef EXPRESSION
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *error = NULL;
        size_t at = 0;
        const Expr *expr = (cases[i].is_condition ? expr_parse_condition : expr_parse)(arena, cases[i].text,
                                                                                       find_letter, NULL, &error, &at);
        check_case(expr && value_of(expr, cases[i].symbols) == cases[i].value, cases[i].text, expr ? "value" : error);
    }
}

static void test_errors(Arena *arena)
{
    static const struct {
        const char *text;
        size_t at;
        const char *says; /* a part of the message */
    } cases[] = {
        {"", 0, "expected"},
        {" a", 0, "unexpected ' '"},
        {"a ", 1, "unexpected ' '"},
        {"a\t+1", 1, "0x09"},
        {"a+", 2, "ends where"},
        {"a+ ", 3, "ends where"},
        {"(a+1", 0, "without its ')'"},
        {"a+1)", 3, "unexpected ')'"},
        {"()", 1, "unexpected ')'"},
        {"a b", 2, "unexpected 'b'"},
        {"a/2", 1, "divided by //"},
        {"a///2", 3, "divided by //"},
        {"-2**2", 0, "binds more tightly"},
        {"a*-2**2", 2, "binds more tightly"},
        {"a - -2 ** 2", 4, "binds more tightly"},
        {"a**b", 3, "an exponent is a literal"},
        {"a**-1", 3, "an exponent is a literal"},
        {"a**2b", 3, "an exponent is a literal"},
        {"a**600", 3, "too many operands"},
        {"((a**8)**8)**9", 13, "too many operands"},
        {"a=2", 1, "equality is written =="},
        {"a<2", 0, "a condition is not an integer"},
        {"(a<2)+1", 5, "'+' needs an integer on both sides"},
        {"min(a)", 0, "two integers or more"},
        {"min(a<2, b)", 5, "unexpected '<'"},
        {"min(a, b", 3, "without its ')'"},
        {"a%0", 1, "division by zero"},
        {"-a", 0, "minus sign"},
        {"-(a)", 0, "minus sign"},
        {"+1", 0, "unexpected '+'"},
        {"a++1", 2, "unexpected '+'"},
        {"- 1", 0, "minus sign"},
        {"12abc", 0, "'12abc' is not a decimal integer"},
        {"a+010", 2, "'010' is not a decimal integer"},
        {"a*-0", 2, "'-0' is not a decimal integer"},
        {"1_000", 0, "'1_000' is not a decimal integer"},
        {"0x10", 0, "'0x10' is not a decimal integer"},
        {"1.5", 1, "unexpected '.'"},
        {"a+s9", 2, "unknown symbol 's9'"},
        {"_", 0, "unknown symbol '_'"},
        {"\xc3\xa9", 0, "0xc3"},
        {"a+9223372036854775808", 2, "64 bits"},
        {"9223372036854775807+1", 19, "64 bits"},
        {"-9223372036854775808-1", 20, "64 bits"},
        {"a+3037000500*3037000500", 12, "64 bits"},
        {"-9223372036854775808//-1", 20, "64 bits"},
        {"1//0", 1, "division by zero"},
        {"a//0", 1, "division by zero"},
        {"a//(2-2)", 1, "division by zero"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *error = NULL;
        size_t at = 99;
        const Expr *expr = expr_parse(arena, cases[i].text, find_letter, NULL, &error, &at);
        const bool good = !expr && error && at == cases[i].at && strstr(error, cases[i].says);
        char detail[200];
        snprintf(detail, sizeof detail, "%s (at %zu)", error ? error : "accepted", at);
        check_case(good, cases[i].text, detail);
    }
}

/* Depth is bounded, so that no input can exhaust the stack of whoever walks the tree. */
static void test_bounds(Arena *arena)
{
    char *deep = arena_alloc(arena, 200002);
    memset(deep, '(', 100000);
    deep[100000] = 'a';
    memset(deep + 100001, ')', 100000);
    const char *error = NULL;
    size_t at = 0;
    check_case(!expr_parse(arena, deep, find_letter, NULL, &error, &at) && error, "100000 parentheses", error);

    char *nested = arena_alloc(arena, 130);
    memset(nested, '(', 64);
    nested[64] = 'a';
    memset(nested + 65, ')', 64);
    check_case(expr_parse(arena, nested, find_letter, NULL, &error, &at) != NULL, "64 parentheses", "accepted");

    char *wide = arena_alloc(arena, 200002);
    for (size_t i = 0; i < 100000; i++) {
        memcpy(wide + 2 * i, "a+", 2);
    }
    wide[200000] = 'a';
    error = NULL;
    check_case(!expr_parse(arena, wide, find_letter, NULL, &error, &at) && error, "100000 operands", error);
    wide[2 * 512 - 1] = '\0';
    check_case(expr_parse(arena, wide, find_letter, NULL, &error, &at) != NULL, "512 operands", "accepted");
}

static void test_equality(Arena *arena)
{
    static const struct {
        const char *a;
        const char *b;
        bool equal;
    } cases[] = {
        {"a+1", "a + 1", true}, {"a+1", "1+a", false},  {"a*b", "a*c", false},
        {"a+1", "a-1", false},  {"a+2", "a+1", false},  {"3", "1+2", true},
        {"a", "1", false},      {"a//2", "a*2", false}, {"(a+b)*(a+b)", "(a+b)*(a+b)", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *error = NULL;
        size_t at = 0;
        const Expr *a = expr_parse(arena, cases[i].a, find_letter, NULL, &error, &at);
        const Expr *b = expr_parse(arena, cases[i].b, find_letter, NULL, &error, &at);
        check_case(a && b && expr_equal(a, b) == cases[i].equal && expr_equal(b, a) == cases[i].equal &&
                       expr_equal(a, a),
                   cases[i].a, cases[i].b);
    }
    int64_t value = 0;
    check_case(expr_is_literal(expr_literal(arena, -5), &value) && value == -5, "literal", "-5");
}

static void test_dtypes(void)
{
    static const struct {
        const char *name;
        int32_t number;
        uint32_t size;
        bool complex;
        bool differentiable;
    } cases[] = {
        {"uint8", 0, 1, false, false},           {"int8", 1, 1, false, false},
        {"int16", 2, 2, false, false},           {"int32", 3, 4, false, false},
        {"int64", 4, 8, false, false},           {"float16", 5, 2, false, true},
        {"float32", 6, 4, false, true},          {"float64", 7, 8, false, true},
        {"complex32", 8, 4, true, true},         {"complex64", 9, 8, true, true},
        {"complex128", 10, 16, true, true},      {"bool", 11, 1, false, false},
        {"bfloat16", 15, 2, false, true},        {"float8_e5m2", 23, 1, false, true},
        {"float8_e4m3fn", 24, 1, false, true},   {"float8_e5m2fnuz", 25, 1, false, true},
        {"float8_e4m3fnuz", 26, 1, false, true}, {"uint16", 27, 2, false, false},
        {"uint32", 28, 4, false, false},         {"uint64", 29, 8, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int32_t number = dtype_parse(cases[i].name);
        check_case(number == cases[i].number && dtype_size(number) == cases[i].size &&
                       dtype_is_complex(number) == cases[i].complex &&
                       dtype_is_differentiable(number) == cases[i].differentiable &&
                       strcmp(dtype_text(number), cases[i].name) == 0,
                   "dtype", cases[i].name);
    }
    static const int32_t none[] = {-1, 12, 13, 14, 16, 22, 30, 1000, INT32_MIN};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        check_case(dtype_size(none[i]) == 0 && !dtype_is_complex(none[i]) && !dtype_is_differentiable(none[i]),
                   "no dtype has this number", dtype_text(none[i]));
    }
    static const char *const unknown[] = {"", "float", "Float32", "float33", "torch.float32", "float32 ", "quint8"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        check_case(dtype_parse(unknown[i]) == -1, "no dtype", unknown[i]);
    }
}

static void test_suggestions(void)
{
    static const char *const cases[][2] = {
        {"float33", "float32"},
        {"flaot32", "float32"},
        {"torch.float64", "float64"},
        {"half", "float16"},
        {"torch.half", "float16"},
        {"double", "float64"},
        {"long", "int64"},
        {"bf16", "bfloat16"},
        {"float8_e4m3", "float8_e4m3fn"},
        {"Bool", "bool"},
        {"complex", "complex32"},
        {"nonsense", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *found = dtype_suggest(cases[i][0]);
        check_case(found == cases[i][1] || (found && cases[i][1] && strcmp(found, cases[i][1]) == 0), cases[i][0],
                   found ? found : "no suggestion");
    }
}

static void test_devices(void)
{
    static const struct {
        const char *text;
        int32_t type; /* -1: refused */
        int32_t index;
    } cases[] = {
        {"cpu", 0, -1},      {"cpu:0", 0, 0},
        {"cpu:1", -1, 0},    {"cuda", 1, -1},
        {"cuda:0", 1, 0},    {"cuda:127", 1, 127},
        {"cuda:128", -1, 0}, {"hip:3", 6, 3},
        {"xla", 9, -1},      {"xpu:1", 12, 1},
        {"mps", 13, -1},     {"meta", 14, -1},
        {"hpu:2", 15, 2},    {"privateuseone:1", 20, 1},
        {"", -1, 0},         {"cuda:", -1, 0},
        {"cuda:01", -1, 0},  {"cuda:-1", -1, 0},
        {"cuda:1x", -1, 0},  {"cuda 1", -1, 0},
        {"cuda1", -1, 0},    {"CUDA", -1, 0},
        {"cpux", -1, 0},     {":0", -1, 0},
        {"cuda:0:0", -1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int32_t type = -7;
        int32_t index = -7;
        const bool good = device_parse(cases[i].text, &type, &index);
        check_case(cases[i].type < 0 ? !good : good && type == cases[i].type && index == cases[i].index, "device",
                   cases[i].text);
    }
}

int main(void)
{
    Arena arena;
    arena_init(&arena);
    test_integers();
    test_trees(&arena);
    test_conditions(&arena);
    test_values(&arena);
    test_errors(&arena);
    test_bounds(&arena);
    test_equality(&arena);
    test_dtypes();
    test_suggestions();
    test_devices();
    arena_release(&arena);
    return check_done();
}
