/* SPDX-License-Identifier: MIT */
/*
 * Tests of integers: folding, one node for one value, decisions.
 *
 * Decisions are tested in two ways: a table of what must be decided (each line is plain arithmetic), and random pairs
 * of expressions, compared point by point over a box of symbol values: a YES must hold at every point, a NO at none,
 * and the value of a simplified node must be that of the tree it was built from.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "gen/algebra/expr.h"
#include "gen/algebra/integer.h"

static void check_case(bool holds, const char *name, const char *detail)
{
    check(holds, "%s: %s", name, detail);
}

static const char *const truth_names[] = {"no", "yes", "unknown"};

/* Symbols a to z. */
static bool find_letter(void *ctx, const char *name, size_t length, uint32_t *symbol)
{
    (void)ctx;
    *symbol = (uint32_t)(*name - 'a');
    return length == 1 && *name >= 'a' && *name <= 'z';
}

static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
                                      "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"};

/* An expression, or "min(x, y)" and "max(x, y)" of two. */
static const Integer *read_integer(Arena *arena, Integers *integers, const char *text)
{
    const bool minimum = strncmp(text, "min(", 4) == 0;
    if (minimum || strncmp(text, "max(", 4) == 0) {
        const char *comma = strchr(text, ',');
        const char *end = strrchr(text, ')');
        const char *lhs = arena_copy(arena, text + 4, (size_t)(comma - text - 4));
        const char *rhs = arena_copy(arena, comma + 2, (size_t)(end - comma - 2));
        const Integer *first = read_integer(arena, integers, lhs);
        const Integer *second = read_integer(arena, integers, rhs);
        return integer_binary(integers, minimum ? INTEGER_MIN : INTEGER_MAX, first, second);
    }
    const char *error = NULL;
    size_t at = 0;
    const Expr *expr = expr_parse(arena, text, find_letter, NULL, &error, &at);
    if (!expr) {
        fprintf(stderr, "%s: %s\n", text, error);
        exit(2);
    }
    return integer_from_expr(integers, expr);
}

/* What simplification makes of an expression. */
static void test_texts(void)
{
    static const char *const cases[][2] = {
        {"a", "a"},
        {"a+0", "a"},
        {"a*1", "a"},
        {"a*0", "0"},
        {"a-a", "0"},
        {"(a+1)-1", "a"},
        {"(a+1)+2", "a + 3"},
        {"1+a", "a + 1"},
        {"8-a", "8 - a"},
        {"a*2+a*3", "a*5"},
        {"(a*4)//4", "a"},
        {"(a*8+7)//8", "a"},
        {"(a*8-1)//8", "a - 1"},
        {"(a*8+12)//4", "a*2 + 3"},
        {"a//1", "a"},
        {"a//4", "a//4"},
        {"(a+1)//2", "(a + 1)//2"},
        {"a*(b//c)", "b//c*a"},
        {"(a//b)*(c//d)", "a//b*(c//d)"},
        {"a*b//c", "a*b//c"},
        {"a*(b*c)", "a*b*c"},
        {"(a+b)//c*2", "(a + b)//c*2"},
        {"(a+1)*(b+1)", "(a + 1)*(b + 1)"},
        {"a-(b-c)", "c - b + a"},
        {"(a-b)+(c-d)", "c - d - b + a"},
        {"(a-b)*c-d", "(a - b)*c - d"},
        {"a//(b//c)", "a//(b//c)"},
        {"a*(0-1)", "a*-1"},
        {"min(a, a)", "a"},
        {"min(a, a+1)", "a"},
        {"max(a, a+1)", "a + 1"},
        {"min(a, 9223372036854775807)", "a"},
        {"max(-9223372036854775808, a)", "a"},
        {"min(a, b)", "min(a, b)"},
        {"min(7, a)", "min(a, 7)"},
        {"min(3, 4)", "3"},
        {"a//b", "a//b"},
        {"(a*b)//b", "a*b//b"}, /* stays: it fails for b = 0 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Arena arena;
        arena_init(&arena);
        Integers *integers = integers_new(&arena, NULL, 26);
        integers_set_names(integers, letters);
        /* a, b and c first, so that their order does not depend on the case */
        read_integer(&arena, integers, "a+b+c+d");
        const char *text = integer_text(integers, read_integer(&arena, integers, cases[i][0]));
        check_case(strcmp(text, cases[i][1]) == 0 && !integers_failed(integers), cases[i][0], text);
        arena_release(&arena);
    }
}

/* Different ways to the same value are one node. */
static void test_one_node(void)
{
    static const char *const cases[][2] = {
        {"a+b", "b+a"},
        {"a*b", "b*a"},
        {"(a+b)+c", "a+(c+b)"},
        {"(a+1)*2", "2*a+2"},
        {"(a*b)*c", "c*(b*a)"},
        {"(a+1)//2", "(1+a)//2"},
        {"(a+b-b)//2", "a//2"},
        {"min(a, b)", "min(b, a)"},
        {"max(a+1, b)", "max(b, 1+a)"},
        {"(a+b)//c", "(b+a)//(c*1)"},
    };
    Arena arena;
    arena_init(&arena);
    Integers *integers = integers_new(&arena, NULL, 26);
    integers_set_names(integers, letters);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_case(read_integer(&arena, integers, cases[i][0]) == read_integer(&arena, integers, cases[i][1]),
                   cases[i][0], cases[i][1]);
    }
    check_case(
        integer_read(integers, INTEGER_READ_STRIDE, 1, 0) == integer_read(integers, INTEGER_READ_STRIDE, 1, 0) &&
            integer_read(integers, INTEGER_READ_STRIDE, 1, 0) != integer_read(integers, INTEGER_READ_STRIDE, 2, 0) &&
            integer_read(integers, INTEGER_READ_STRIDE, 1, 0) != integer_read(integers, INTEGER_READ_STRIDE, 1, 1) &&
            integer_read(integers, INTEGER_READ_STRIDE, 1, 0) != integer_read(integers, INTEGER_READ_OFFSET, 1, 0) &&
            integer_read(integers, INTEGER_READ_OFFSET, 1, 0) == integer_read(integers, INTEGER_READ_OFFSET, 1, 5),
        "run-time reads", "one node for one read");

    /* Many nodes: the table grows, operands keep coming before their users, nodes stay what they were. */
    const Integer *first = integer_symbol(integers, 0);
    const Integer *sum = first;
    bool ordered = true;
    for (int64_t i = 1; i < 5000; i++) {
        const Integer *product = integer_binary(integers, INTEGER_MUL, sum, integer_literal(integers, i));
        sum = integer_binary(integers, INTEGER_FLOORDIV, product, integer_symbol(integers, (uint32_t)i));
        ordered = ordered && sum->id > sum->lhs->id && sum->id > sum->rhs->id;
    }
    check_case(ordered && integer_symbol(integers, 0) == first, "many nodes", "operands come first");
    bool grown = true;
    const Integer *square = read_integer(&arena, integers, "(a+1)*(b+1)"); /* whose normal form is another node */
    for (int64_t i = 0; i < 5000; i++) {
        const Integer *shifted = integer_binary(integers, INTEGER_MUL, square, integer_literal(integers, 7 + 2 * i));
        const Integer *quotient = integer_binary(integers, INTEGER_FLOORDIV, shifted, integer_literal(integers, 6));
        grown = grown && quotient->kind == INTEGER_FLOORDIV;
    }
    check_case(grown, "normal forms", "are made while the table grows");
    check_case(strlen(integer_text(integers, sum)) < 400, "long text", "is cut");
    const Integer *greater = integer_binary(integers, INTEGER_MAX, sum, integer_symbol(integers, 5001));
    check_case(strlen(integer_text(integers, greater)) < 400 && strstr(integer_text(integers, greater), "5001") == NULL,
               "long text", "is cut within a call");
    arena_release(&arena);
}

static void test_failures(void)
{
    static const struct {
        IntegerKind kind;
        int64_t a;
        int64_t b;
        bool fails;
        int64_t value;
    } cases[] = {
        {INTEGER_ADD, INT64_MAX, 1, true, 0},
        {INTEGER_SUB, INT64_MIN, 1, true, 0},
        {INTEGER_MUL, INT64_MAX, 2, true, 0},
        {INTEGER_FLOORDIV, 1, 0, true, 0},
        {INTEGER_FLOORDIV, INT64_MIN, -1, true, 0},
        {INTEGER_FLOORDIV, -7, 2, false, -4},
        {INTEGER_FLOORDIV, 7, -2, false, -4},
        {INTEGER_FLOORDIV, -8, 2, false, -4},
        {INTEGER_MOD, 1, 0, true, 0},
        {INTEGER_MOD, INT64_MIN, -1, false, 0},
        {INTEGER_MOD, -7, 2, false, 1},
        {INTEGER_MOD, 7, -2, false, -1},
        {INTEGER_MIN, -1, 1, false, -1},
        {INTEGER_MAX, -1, 1, false, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Arena arena;
        arena_init(&arena);
        Integers *integers = integers_new(&arena, NULL, 0);
        const Integer *result = integer_binary(integers, cases[i].kind, integer_literal(integers, cases[i].a),
                                               integer_literal(integers, cases[i].b));
        char name[80];
        snprintf(name, sizeof name, "kind %d of %" PRId64 " and %" PRId64, (int)cases[i].kind, cases[i].a, cases[i].b);
        check_case(integers_failed(integers) == cases[i].fails &&
                       (cases[i].fails ? integer_is_operation(result) : integer_is(result, cases[i].value)),
                   "literals", name);
        check_case(integers_set_failed(integers, false) == cases[i].fails && !integers_failed(integers), "flag",
                   "is reset");
        arena_release(&arena);
    }
}

/* What must be decided: a in [0, inf), b in [2, 8], c anything, d in [1, inf); e and f anything with e <= f assumed,
 * and g and h with 4*g == h assumed. */
static void test_decisions(void)
{
    static const struct {
        const char *a;
        const char *b;
        Truth equal;
        Truth less_equal;
    } cases[] = {
        {"3", "3", TRUTH_YES, TRUTH_YES},
        {"3", "4", TRUTH_NO, TRUTH_YES},
        {"4", "3", TRUTH_NO, TRUTH_NO},
        {"a", "a", TRUTH_YES, TRUTH_YES},
        {"a", "c", TRUTH_UNKNOWN, TRUTH_UNKNOWN},
        {"a", "a+1", TRUTH_NO, TRUTH_YES},
        {"a+1", "a", TRUTH_NO, TRUTH_NO},
        {"(a+1)*(b+1)", "a*b+b+1+a", TRUTH_YES, TRUTH_YES},
        {"0", "a", TRUTH_UNKNOWN, TRUTH_YES},
        {"a", "0-1", TRUTH_NO, TRUTH_NO},
        {"b", "1", TRUTH_NO, TRUTH_NO},
        {"b", "8", TRUTH_UNKNOWN, TRUTH_YES},
        {"b", "2", TRUTH_UNKNOWN, TRUTH_UNKNOWN},
        {"a*b", "0", TRUTH_UNKNOWN, TRUTH_UNKNOWN},
        {"0", "a*b", TRUTH_UNKNOWN, TRUTH_YES},
        {"a", "a*b", TRUTH_UNKNOWN, TRUTH_YES}, /* equal for a = 0 */
        {"d", "d*b", TRUTH_NO, TRUTH_YES},
        {"2*c", "7", TRUTH_NO, TRUTH_UNKNOWN}, /* even and odd */
        {"6*c+4*a", "9", TRUTH_NO, TRUTH_UNKNOWN},
        {"6*c+4*a", "8", TRUTH_UNKNOWN, TRUTH_UNKNOWN},
        {"a//2", "a", TRUTH_UNKNOWN, TRUTH_YES},
        {"0", "a//2", TRUTH_UNKNOWN, TRUTH_YES},
        {"c//4*4", "c", TRUTH_UNKNOWN, TRUTH_YES},
        {"c", "c//4*4+3", TRUTH_UNKNOWN, TRUTH_YES},
        {"c", "c//4*4+4", TRUTH_NO, TRUTH_YES},
        {"0", "a//d", TRUTH_UNKNOWN, TRUTH_YES},
        {"b//3", "2", TRUTH_UNKNOWN, TRUTH_YES},
        {"b//3", "3", TRUTH_NO, TRUTH_YES},
        {"min(a, c)", "c", TRUTH_UNKNOWN, TRUTH_YES},
        {"c", "max(a, c)", TRUTH_UNKNOWN, TRUTH_YES},
        {"min(1, d)", "1", TRUTH_YES, TRUTH_YES},
        {"max(b, 2)", "b", TRUTH_YES, TRUTH_YES},
        {"min(b, 9)", "b", TRUTH_YES, TRUTH_YES},
        {"a-min(1, a)", "a", TRUTH_UNKNOWN, TRUTH_YES},
        {"0", "a-min(1, a)", TRUTH_UNKNOWN, TRUTH_YES},
        {"max(c, e)", "max(c, f)", TRUTH_UNKNOWN, TRUTH_YES},
        {"e", "f", TRUTH_UNKNOWN, TRUTH_YES},
        {"f+1", "e", TRUTH_NO, TRUTH_NO},
        {"8*e", "8*f+1", TRUTH_NO, TRUTH_YES},
        {"max(c, f)", "max(c, e)", TRUTH_UNKNOWN, TRUTH_UNKNOWN},
        {"min(c, e)", "min(c, f)", TRUTH_UNKNOWN, TRUTH_YES},
        {"2", "i", TRUTH_UNKNOWN, TRUTH_YES},
        {"3", "i", TRUTH_UNKNOWN, TRUTH_UNKNOWN},
        {"i", "5", TRUTH_UNKNOWN, TRUTH_YES},
        {"i", "4", TRUTH_UNKNOWN, TRUTH_UNKNOWN},
        {"4*g", "h", TRUTH_YES, TRUTH_YES},
        {"8*g", "2*h", TRUTH_YES, TRUTH_YES},
        {"j//2*2", "j", TRUTH_YES, TRUTH_YES},
        {"4*g+a", "h", TRUTH_UNKNOWN, TRUTH_UNKNOWN},
        {"h", "4*g+a", TRUTH_UNKNOWN, TRUTH_YES},
        /* The ends of 64 bits: nothing is concluded from what overflowed. */
        {"9223372036854775807", "-9223372036854775808", TRUTH_NO, TRUTH_NO},
        {"a+9223372036854775807", "0", TRUTH_NO, TRUTH_NO},
        {"c*9223372036854775807", "c", TRUTH_UNKNOWN, TRUTH_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Arena arena;
        arena_init(&arena);
        IntegerRange ranges[26] = {{false, false, 0, 0}};
        ranges[0] = (IntegerRange){true, false, 0, 0};
        ranges[1] = (IntegerRange){true, true, 2, 8};
        ranges[3] = (IntegerRange){true, false, 1, 0};
        Integers *integers = integers_new(&arena, ranges, 26);
        const Integer *g4 = read_integer(&arena, integers, "4*g");
        const Integer *h = read_integer(&arena, integers, "h");
        integers_assume(integers, read_integer(&arena, integers, "e"), read_integer(&arena, integers, "f"));
        integers_assume(integers, g4, h);
        integers_assume(integers, h, g4);
        integers_assume(integers, integer_literal(integers, 3), read_integer(&arena, integers, "2*i"));
        integers_assume(integers, read_integer(&arena, integers, "3*i"), integer_literal(integers, 17));
        const Integer *halves = read_integer(&arena, integers, "j//2*6");
        const Integer *whole = read_integer(&arena, integers, "j*3");
        integers_assume(integers, halves, whole);
        integers_assume(integers, whole, halves);
        const char *min_at = strchr(cases[i].b, 'm');
        const Integer *a = strncmp(cases[i].a, "a-min(", 6) == 0
                               ? integer_binary(integers, INTEGER_SUB, read_integer(&arena, integers, "a"),
                                                read_integer(&arena, integers, "min(1, a)"))
                               : read_integer(&arena, integers, cases[i].a);
        const Integer *b = min_at && min_at > cases[i].b
                               ? integer_binary(integers, INTEGER_SUB, read_integer(&arena, integers, "a"),
                                                read_integer(&arena, integers, "min(1, a)"))
                               : read_integer(&arena, integers, cases[i].b);
        const Truth equal = integer_equal(integers, a, b);
        const Truth less_equal = integer_less_equal(integers, a, b);
        char detail[120];
        snprintf(detail, sizeof detail, "%s: equal %s, less or equal %s", cases[i].b, truth_names[equal],
                 truth_names[less_equal]);
        check_case(equal == cases[i].equal && less_equal == cases[i].less_equal, cases[i].a, detail);
        arena_release(&arena);
    }
}

static void test_assumptions(void)
{
    Arena arena;
    arena_init(&arena);
    Integers *integers = integers_new(&arena, NULL, 26);
    const Integer *zero = integer_literal(integers, 0);
    const Integer *a = integer_symbol(integers, 0);
    check_case(integer_less_equal(integers, zero, a) == TRUTH_UNKNOWN, "before", "0 <= a is unknown");
    const uint32_t mark = integers_assume(integers, zero, a);
    integers_assume(integers, a, integer_literal(integers, 5));
    check_case(integer_less_equal(integers, zero, a) == TRUTH_YES, "assumed", "0 <= a");
    check_case(integer_less_equal(integers, a, integer_literal(integers, 5)) == TRUTH_YES, "assumed", "a <= 5");
    integers_forget(integers, mark);
    check_case(integer_less_equal(integers, zero, a) == TRUTH_UNKNOWN, "forgotten", "0 <= a is unknown");
    check_case(integer_less_equal(integers, zero, integer_read(integers, INTEGER_READ_OFFSET, 0, 0)) == TRUTH_YES,
               "an offset", "is at least 0");
    check_case(integer_less_equal(integers, zero, integer_read(integers, INTEGER_READ_STRIDE, 0, 0)) == TRUTH_UNKNOWN,
               "a stride", "may be negative");
    arena_release(&arena);
}

static void test_quotients(void)
{
    static const char *const cases[][3] = {
        {"a*64", "a", "64"},       {"a*b*6", "b*2", "a*3"},   {"a*b+b", "b", "a + 1"}, {"a*b+c", "b", NULL},
        {"a", "2", NULL},          {"a*4+2", "2", "a*2 + 1"}, {"a*a", "a", "a"},       {"a", "a*a", NULL},
        {"a*b", "a+b", NULL},      {"0", "a", "0"},           {"12", "5", NULL},       {"12", "4", "3"},
        {"a*b+a*c", "a", "b + c"}, {"a*(b//2)", "b//2", "a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Arena arena;
        arena_init(&arena);
        Integers *integers = integers_new(&arena, NULL, 26);
        integers_set_names(integers, letters);
        const Integer *quotient = integer_quotient(integers, read_integer(&arena, integers, cases[i][0]),
                                                   read_integer(&arena, integers, cases[i][1]));
        const char *text = quotient ? integer_text(integers, quotient) : "none";
        check_case(strcmp(text, cases[i][2] ? cases[i][2] : "none") == 0, cases[i][0], text);
        arena_release(&arena);
    }
}

/* ---- random pairs ---- */

enum { SYMBOLS = 3, LOWEST = -3, HIGHEST = 5, PAIRS = 8000 };

typedef struct Random {
    uint64_t state;
} Random;

static uint32_t random_below(Random *random, uint32_t limit)
{
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    random->state ^= random->state << 17;
    return (uint32_t)((random->state >> 16) % limit);
}

typedef struct Tree {
    IntegerKind kind;
    int64_t literal;
    uint32_t symbol;
    const struct Tree *lhs;
    const struct Tree *rhs;
} Tree;

static const Tree *random_tree(Arena *arena, Random *random, uint32_t depth)
{
    Tree *tree = ARENA_NEW(arena, Tree);
    if (depth == 0 || random_below(random, 4) == 0) {
        tree->kind = random_below(random, 3) == 0 ? INTEGER_LITERAL : INTEGER_SYMBOL;
        tree->literal = (int64_t)random_below(random, 9) - 3;
        tree->symbol = random_below(random, SYMBOLS);
        return tree;
    }
    tree->kind = (IntegerKind)(INTEGER_FIRST_OPERATION + (int)random_below(random, NUM_OPERATORS));
    tree->lhs = random_tree(arena, random, depth - 1);
    tree->rhs = random_tree(arena, random, depth - 1);
    return tree;
}

static const Integer *integer_of_tree(Integers *integers, const Tree *tree)
{
    if (tree->kind == INTEGER_LITERAL) {
        return integer_literal(integers, tree->literal);
    }
    if (tree->kind == INTEGER_SYMBOL) {
        return integer_symbol(integers, tree->symbol);
    }
    const Integer *lhs = integer_of_tree(integers, tree->lhs);
    const Integer *rhs = integer_of_tree(integers, tree->rhs);
    return integer_binary(integers, tree->kind, lhs, rhs);
}

/* Small numbers: nothing overflows here. false: division by zero. */
static bool calculate(IntegerKind kind, int64_t a, int64_t b, int64_t *value)
{
    if (kind == INTEGER_FLOORDIV) {
        if (b == 0) {
            return false;
        }
        int64_t quotient = 0; /* the definition: the largest integer whose product is on the right side */
        const int64_t n = b < 0 ? -a : a;
        const int64_t d = b < 0 ? -b : b;
        quotient = n / d;
        while (quotient * d > n) {
            quotient--;
        }
        *value = quotient;
        return true;
    }
    if (kind == INTEGER_MOD) {
        int64_t quotient = 0;
        const bool divides = calculate(INTEGER_FLOORDIV, a, b, &quotient);
        *value = a - quotient * b;
        return divides;
    }
    *value = kind == INTEGER_ADD   ? a + b
             : kind == INTEGER_SUB ? a - b
             : kind == INTEGER_MUL ? a * b
             : kind == INTEGER_MIN ? (a < b ? a : b)
             : kind == INTEGER_MAX ? (a > b ? a : b)
             : kind == INTEGER_EQ  ? a == b
             : kind == INTEGER_NE  ? a != b
             : kind == INTEGER_LE  ? a <= b
             : kind == INTEGER_LT  ? a < b
             : kind == INTEGER_AND ? a && b
                                   : a || b;
    return true;
}

static bool tree_value(const Tree *tree, const int64_t *symbols, int64_t *value)
{
    if (!tree->lhs) {
        *value = tree->kind == INTEGER_LITERAL ? tree->literal : symbols[tree->symbol];
        return true;
    }
    int64_t a = 0;
    int64_t b = 0;
    return tree_value(tree->lhs, symbols, &a) && tree_value(tree->rhs, symbols, &b) &&
           calculate(tree->kind, a, b, value);
}

static bool node_value(const Integer *node, const int64_t *symbols, int64_t *value)
{
    if (!node->lhs) {
        *value = node->kind == INTEGER_LITERAL ? node->literal : symbols[node->index];
        return true;
    }
    int64_t a = 0;
    int64_t b = 0;
    return node_value(node->lhs, symbols, &a) && node_value(node->rhs, symbols, &b) &&
           calculate(node->kind, a, b, value);
}

typedef struct Tally {
    int wrong_values;
    int wrong_decisions;
    int decided;
    int points;
} Tally;

typedef struct Pair {
    const Tree *trees[4]; /* the two compared, and two more: the first is assumed to be no larger */
    const Integer *nodes[2];
    IntegerRange ranges[SYMBOLS];
    bool assumes;
    Truth equal;
    Truth less_equal;
} Pair;

static void visit_point(const Pair *pair, const int64_t *symbols, Tally *tally)
{
    int64_t values[4] = {0, 0, 0, 0};
    for (int i = 0; i < SYMBOLS; i++) {
        if ((pair->ranges[i].has_min && symbols[i] < pair->ranges[i].min) ||
            (pair->ranges[i].has_max && symbols[i] > pair->ranges[i].max)) {
            return;
        }
    }
    for (int i = 0; i < (pair->assumes ? 4 : 2); i++) {
        if (!tree_value(pair->trees[i], symbols, &values[i])) {
            return;
        }
    }
    if (pair->assumes && values[2] > values[3]) {
        return;
    }
    tally->points++;
    for (int i = 0; i < 2; i++) {
        int64_t value = 0;
        tally->wrong_values += node_value(pair->nodes[i], symbols, &value) && value == values[i] ? 0 : 1;
    }
    tally->wrong_decisions += pair->equal != TRUTH_UNKNOWN && (pair->equal == TRUTH_YES) != (values[0] == values[1]);
    tally->wrong_decisions +=
        pair->less_equal != TRUTH_UNKNOWN && (pair->less_equal == TRUTH_YES) != (values[0] <= values[1]);
}

static void random_pair(Random *random, Tally *tally)
{
    Arena arena;
    arena_init(&arena);
    Pair pair = {.assumes = random_below(random, 3) == 0};
    for (int i = 0; i < SYMBOLS; i++) {
        const int64_t min = LOWEST + (int64_t)random_below(random, 6);
        pair.ranges[i].has_min = random_below(random, 2) == 0;
        pair.ranges[i].has_max = random_below(random, 3) == 0;
        pair.ranges[i].min = min;
        pair.ranges[i].max = min + (int64_t)random_below(random, 4);
    }
    Integers *integers = integers_new(&arena, pair.ranges, SYMBOLS);
    for (int i = 0; i < 4; i++) {
        pair.trees[i] = random_tree(&arena, random, i < 2 ? 3 : 2);
    }
    pair.nodes[0] = integer_of_tree(integers, pair.trees[0]);
    pair.nodes[1] = integer_of_tree(integers, pair.trees[1]);
    if (pair.assumes) {
        integers_assume(integers, integer_of_tree(integers, pair.trees[2]), integer_of_tree(integers, pair.trees[3]));
    }
    if (!integers_failed(integers)) {
        pair.equal = integer_equal(integers, pair.nodes[0], pair.nodes[1]);
        pair.less_equal = integer_less_equal(integers, pair.nodes[0], pair.nodes[1]);
        tally->decided += pair.less_equal != TRUTH_UNKNOWN;
        int64_t symbols[SYMBOLS];
        for (symbols[0] = LOWEST; symbols[0] <= HIGHEST; symbols[0]++) {
            for (symbols[1] = LOWEST; symbols[1] <= HIGHEST; symbols[1]++) {
                for (symbols[2] = LOWEST; symbols[2] <= HIGHEST; symbols[2]++) {
                    visit_point(&pair, symbols, tally);
                }
            }
        }
    }
    arena_release(&arena);
}

static void test_random_pairs(void)
{
    Random random = {88172645463325252U};
    Tally tally = {0, 0, 0, 0};
    for (int i = 0; i < PAIRS; i++) {
        random_pair(&random, &tally);
    }
    char detail[160];
    snprintf(detail, sizeof detail, "%d wrong values, %d wrong decisions, %d of %d pairs decided, %d points",
             tally.wrong_values, tally.wrong_decisions, tally.decided, PAIRS, tally.points);
    check_case(tally.wrong_values == 0, "values of simplified nodes", detail);
    check_case(tally.wrong_decisions == 0, "decisions at every point", detail);
    check_case(tally.decided > PAIRS / 10 && tally.points > 400 * 1000, "random pairs", "are not trivial");
}

/* The sum of so many products of two symbols, each another one, in that order or the other way round. */
static const Integer *sum_of_products(Integers *integers, uint32_t count, bool backwards)
{
    const Integer *sum = integer_literal(integers, 0);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t n = backwards ? count - 1 - i : i;
        const Integer *product = integer_binary(integers, INTEGER_MUL, integer_symbol(integers, n % 13),
                                                integer_symbol(integers, 13 + n / 13));
        sum = integer_binary(integers, INTEGER_ADD, sum, product);
    }
    return sum;
}

static void test_limits(void)
{
    Arena arena;
    arena_init(&arena);
    Integers *integers = integers_new(&arena, NULL, 0);
    check_case(integer_equal(integers, sum_of_products(integers, 64, false), sum_of_products(integers, 64, true)) ==
                   TRUTH_YES,
               "a sum of 64 terms", "in any order");
    check_case(integer_equal(integers, sum_of_products(integers, 80, false), sum_of_products(integers, 80, true)) !=
                   TRUTH_NO,
               "a sum of 80 terms", "is not another one");
    /* a * -2^63 // -1 is a * 2^63, which no 64-bit number is for any a but 0 */
    const Integer *a = integer_symbol(integers, 0);
    const Integer *b = integer_symbol(integers, 1);
    const Integer *least = integer_binary(integers, INTEGER_MUL, a, integer_literal(integers, INT64_MIN));
    const Integer *minus = integer_literal(integers, -1);
    const Integer *product = integer_binary(integers, INTEGER_MUL, least, b);
    const Integer *divisor = integer_binary(integers, INTEGER_MUL, b, minus);
    check_case(integer_quotient(integers, least, minus) == NULL, "the least integer", "divided by -1");
    check_case(integer_quotient(integers, product, divisor) == NULL, "the least integer times b", "divided by -b");
    check_case(integer_quotient(integers, product, b) == least, "the least integer times b", "divided by b");
    arena_release(&arena);
}

int main(void)
{
    test_texts();
    test_one_node();
    test_failures();
    test_decisions();
    test_assumptions();
    test_quotients();
    test_limits();
    test_random_pairs();
    return check_done();
}
