/* SPDX-License-Identifier: MIT */
/*
 * generate_guards - random guards. A draw is kept when it holds under all valuations, so no good graph is refused.
 */
#include <string.h>

#include "generate_private.h"

/* The remainder of a divisor that is positive, for any dividend. */
static int64_t modulo(int64_t a, int64_t b)
{
    return (a % b + b) % b;
}

static int64_t value_of(char form, int64_t a, int64_t b)
{
    switch (form) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '<':
        return a < b ? a : b;
    case '>':
        return a > b ? a : b;
    case '/':
        return (a - modulo(a, b)) / b;
    default:
        return modulo(a, b);
    }
}

static const char *text_of(Draw *draw, char form, const char *a, const char *b)
{
    switch (form) {
    case '<':
        return arena_printf(draw->arena, "min(%s, %s)", a, b);
    case '>':
        return arena_printf(draw->arena, "max(%s, %s)", a, b);
    case '/':
        return arena_printf(draw->arena, "(%s//%s)", a, b);
    default:
        return arena_printf(draw->arena, "(%s %c %s)", a, form, b);
    }
}

static Term draw_leaf(Draw *draw)
{
    Random *random = &draw->random;
    return random_chance(random, 25) ? term_literal(draw, (int64_t)random_below(random, 12) - 2)
                                     : term_symbol(draw, random_below(random, NUM_SYMBOLS));
}

static Term draw_divisor(Draw *draw)
{
    Random *random = &draw->random;
    return random_chance(random, 70) ? term_literal(draw, 1 + random_below(random, 6))
                                     : term_symbol(draw, 1 + random_below(random, 2)); /* these are at least 1 */
}

static Term draw_integer(Draw *draw, uint32_t depth)
{
    static const char forms[] = "+-*<>/%";
    Random *random = &draw->random;
    if (depth == 0 || random_chance(random, 30)) {
        return draw_leaf(draw);
    }
    const char form = forms[random_below(random, 7)];
    const Term a = draw_integer(draw, depth - 1);
    const Term b = form == '/' || form == '%' ? draw_divisor(draw) : draw_integer(draw, depth - 1);
    Term term = {text_of(draw, form, a.text, b.text), {0}, true};
    for (int i = 0; i < SAMPLES; i++) {
        term.values[i] = value_of(form, a.values[i], b.values[i]);
    }
    return term;
}

static Term draw_comparison(Draw *draw)
{
    static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!="};
    const Term a = draw_integer(draw, 2);
    const Term b = draw_integer(draw, 1);
    const uint32_t sign = random_below(&draw->random, 6);
    Term term = {arena_printf(draw->arena, "%s %s %s", a.text, signs[sign], b.text), {0}, true};
    for (int i = 0; i < SAMPLES; i++) {
        const int64_t x = a.values[i];
        const int64_t y = b.values[i];
        const bool holds[] = {x<y, x <= y, x> y, x >= y, x == y, x != y};
        term.values[i] = holds[sign];
    }
    return term;
}

static Term draw_condition(Draw *draw)
{
    Term term = draw_comparison(draw);
    for (uint32_t n = random_below(&draw->random, 3); n > 0; n--) {
        const Term other = draw_comparison(draw);
        const bool is_and = random_chance(&draw->random, 50);
        term.text = arena_printf(draw->arena, "(%s) %s %s", term.text, is_and ? "and" : "or", other.text);
        for (int i = 0; i < SAMPLES; i++) {
            term.values[i] = is_and ? term.values[i] && other.values[i] : term.values[i] || other.values[i];
        }
        if (random_chance(&draw->random, 25)) {
            term.text = arena_printf(draw->arena, "not (%s)", term.text);
            for (int i = 0; i < SAMPLES; i++) {
                term.values[i] = !term.values[i];
            }
        }
    }
    return term;
}

void generate_guards(Draw *draw)
{
    enum { TRIES = 8 };
    if (!random_chance(&draw->random, 30)) {
        return;
    }
    Node *list = node_list(draw->arena);
    for (int tries = 0; tries < TRIES; tries++) {
        const Term term = draw_condition(draw);
        bool holds = strchr(term.text, 's') != NULL; /* it has a symbol */
        for (int i = 0; i < SAMPLES; i++) {
            holds = holds && term.values[i];
        }
        if (holds) {
            term_add(draw, list, term);
        }
    }
    if (list->count > 0) {
        node_add(draw->arena, draw->graph, "guards", list);
    }
}
