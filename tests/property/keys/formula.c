/* SPDX-License-Identifier: MIT */
/*
 * formula - random expressions over numbers of a call, as YAML. Expressions that the generator would refuse, since they
 * are the same in every call, are not made: what is compared or divided by is free.
 */
#include "keys.h"

#include <inttypes.h>
#include <string.h>

const char formula_symbols[] =
    "symbols: [{name: s0}, {name: s1}, {name: s2}, {name: n0, min: 1}, {name: n1, min: 1}, {name: n2, min: 1}, "
    "{name: x0, max: 8}, {name: x1, max: 8}, {name: x2, max: 8}, {name: e0, multiple_of: 2}, "
    "{name: e1, multiple_of: 2}, {name: e2, multiple_of: 2}]\n";

/* ---- numbers ---- */

/* The size is an entry of its own. */
static bool is_listed(const Kernel *kernel, const Number *number)
{
    for (int i = 0; i < kernel->num_extra; i++) {
        const Extra *extra = &kernel->extra[i];
        if (!extra->stride && extra->dim == number->dim &&
            memcmp(&extra->path, &number->path, sizeof extra->path) == 0) {
            return true;
        }
    }
    return false;
}

static bool make_number(Random *random, const Kernel *kernel, bool is_free, Number *number)
{
    for (int tries = 0; tries < 20; tries++) {
        const Arg *arg = make_path(random, kernel, 40, &number->path);
        number->dim = below(random, 3);
        number->of = arg->kind == TENSOR ? (random_chance(random, 75) ? OF_SIZE : OF_NDIM)
                     : arg->kind == LIST ? OF_LENGTH
                                         : OF_VALUE;
        number->is_free = number->of == OF_SIZE ? !kernel->static_shapes && (arg->marked >> number->dim & 1) == 0 &&
                                                      !is_listed(kernel, number)
                                                : number->of == OF_VALUE && !arg->constant;
        number->bounds = number->is_free && random_chance(random, 30) ? "nxe"[below(random, 3)] : 's';
        const bool exists = number->of != OF_SIZE || arg->ranks == 0 || arg->ranks >> (number->dim + 1) != 0;
        if ((arg->kind == TENSOR || arg->kind == LIST || arg->kind == INT) && exists && (number->is_free || !is_free)) {
            return true;
        }
    }
    return false;
}

/* ---- trees ---- */

static int push(Formula *formula, Node node)
{
    formula->nodes[formula->num_nodes] = node;
    return formula->num_nodes++;
}

static int literal(Formula *formula, int64_t value)
{
    return push(formula, (Node){.op = "", .number = -1, .literal = value});
}

static int symbol(Formula *formula, int number)
{
    return push(formula, (Node){.op = "", .number = number});
}

static int both(Formula *formula, const char *op, int lhs, int rhs)
{
    return push(formula, (Node){.op = op, .lhs = lhs, .rhs = rhs});
}

/* The index of one that is free; the first is. */
static int free_number(Random *random, const Formula *formula)
{
    const int i = below(random, formula->count);
    return formula->numbers[i].is_free ? i : 0;
}

/* A sum of products, in which every number is at least once. */
static int make_sum(Random *random, Formula *formula)
{
    int sum = symbol(formula, 0);
    for (int i = 1; i < formula->count; i++) {
        const char *op = formula->numbers[i].is_free && random_chance(random, 50) ? "*"
                         : random_chance(random, 50)                              ? "+"
                                                                                  : "-";
        sum = both(formula, op, sum, symbol(formula, i));
    }
    if (random_chance(random, 40)) {
        sum = both(formula, random_chance(random, 50) ? "*" : "-", sum, literal(formula, 1 + below(random, 9)));
    }
    return random_chance(random, 15) ? both(formula, "**", sum, literal(formula, 2)) : sum;
}

static int make_integer(Random *random, Formula *formula)
{
    int sum = make_sum(random, formula);
    switch (below(random, 7)) {
    case 0:
        return sum;
    case 1:
        return both(formula, "%", sum, symbol(formula, free_number(random, formula)));
    case 2:
        return both(formula, "//", sum, symbol(formula, free_number(random, formula)));
    case 3:
        return both(formula, "//", sum, literal(formula, random_chance(random, 50) ? 2 : -2));
    case 4:
        return both(formula, "+", sum,
                    both(formula, random_chance(random, 50) ? "min" : "max", symbol(formula, 0),
                         literal(formula, 2 + below(random, 6))));
    default:
        return both(formula, "%", sum, literal(formula, random_chance(random, 80) ? 2 + below(random, 8) : -5));
    }
}

/* What conditions compare numbers with. */
enum { COMPARED_LOW = 4, COMPARED_HIGH = 6 };

/* Of a free number: it holds in some calls, and not in others, whatever its bounds are. */
static int make_comparison(Random *random, Formula *formula, int number)
{
    static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};
    const int divisor = 3 + 2 * below(random, 3);
    const int left = symbol(formula, number);
    if (random_chance(random, 40)) {
        return both(formula, ops[4 + below(random, 2)], both(formula, "%", left, literal(formula, divisor)),
                    literal(formula, below(random, divisor)));
    }
    return both(formula, ops[below(random, 6)], left,
                literal(formula, random_chance(random, 50) ? COMPARED_LOW : COMPARED_HIGH));
}

static int make_condition(Random *random, Formula *formula)
{
    int holds = make_comparison(random, formula, 0);
    for (int i = 1; i < formula->count; i++) {
        int other = make_comparison(random, formula, i);
        other = random_chance(random, 30) ? both(formula, "not", other, other) : other;
        holds = both(formula, random_chance(random, 50) ? "and" : "or", holds, other);
    }
    return random_chance(random, 20) ? both(formula, "not", holds, holds) : holds;
}

bool make_formula(Random *random, const Kernel *kernel, Formula *formula)
{
    const bool condition = random_chance(random, 35);
    *formula = (Formula){.count = 0};
    if (!make_number(random, kernel, true, &formula->numbers[formula->count])) {
        return false;
    }
    formula->count = 1;
    while (formula->count < MAX_NUMBERS && random_chance(random, 60) &&
           make_number(random, kernel, condition, &formula->numbers[formula->count])) {
        formula->count++;
    }
    formula->root = condition ? make_condition(random, formula) : make_integer(random, formula);
    return true;
}

/* ---- YAML ---- */

static void print_node(const Formula *formula, int at, FILE *out)
{
    const Node *node = &formula->nodes[at];
    if (node->op[0] == '\0' && node->number >= 0) {
        fprintf(out, "%c%d", formula->numbers[node->number].bounds, node->number);
    } else if (node->op[0] == '\0') {
        fprintf(out, "%" PRId64, node->literal);
    } else if (node->op[0] == 'm') {
        fprintf(out, "%s(", node->op);
        print_node(formula, node->lhs, out);
        fprintf(out, ", ");
        print_node(formula, node->rhs, out);
        fprintf(out, ")");
    } else {
        fprintf(out, node->op[0] == 'n' ? "(not " : "(");
        print_node(formula, node->lhs, out);
        if (node->op[0] != 'n') {
            fprintf(out, " %s ", node->op);
            print_node(formula, node->rhs, out);
        }
        fprintf(out, ")");
    }
}

void print_formula(const Kernel *kernel, const Formula *formula, FILE *out)
{
    static const char *const words[] = {"size", "ndim", "length", "value"};
    fprintf(out, "expr: '");
    print_node(formula, formula->root, out);
    fprintf(out, "', where: [");
    for (int i = 0; i < formula->count; i++) {
        const Number *number = &formula->numbers[i];
        fprintf(out, "%s{symbol: %c%d, arg: ", i > 0 ? ", " : "", number->bounds, i);
        print_path(kernel, &number->path, out);
        fprintf(out, ", of: %s", words[number->of]);
        if (number->of == OF_SIZE) {
            fprintf(out, ", dim: %d", number->dim);
        }
        fprintf(out, "}");
    }
    fprintf(out, "]");
}
