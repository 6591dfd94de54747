/* SPDX-License-Identifier: MIT */
/*
 * formula - random expressions over numbers of a call, as YAML and as values. They are computed in 128 bits, where
 * nothing can overflow that is caught as soon as it leaves 64. Expressions that the generator would refuse, since they
 * are the same in every call, are not made: what is compared or divided by is free.
 */
#include "keys.h"

#include <inttypes.h>
#include <string.h>

__extension__ typedef __int128 Wide;

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

static bool make_number(uint64_t *state, const Kernel *kernel, bool is_free, Number *number)
{
    for (int tries = 0; tries < 20; tries++) {
        const Arg *arg = make_path(state, kernel, 40, &number->path);
        number->dim = random_below(state, 3);
        number->of = arg->kind == TENSOR ? (random_chance(state, 75) ? OF_SIZE : OF_NDIM)
                     : arg->kind == LIST ? OF_LENGTH
                                         : OF_VALUE;
        number->is_free = number->of == OF_SIZE ? !kernel->static_shapes && (arg->marked >> number->dim & 1) == 0 &&
                                                      !is_listed(kernel, number)
                                                : number->of == OF_VALUE && !arg->constant;
        number->bounds = number->is_free && random_chance(state, 30) ? "nxe"[random_below(state, 3)] : 's';
        const bool exists = number->of != OF_SIZE || arg->ranks == 0 || arg->ranks >> (number->dim + 1) != 0;
        if ((arg->kind == TENSOR || arg->kind == LIST || arg->kind == INT) && exists && (number->is_free || !is_free)) {
            return true;
        }
    }
    return false;
}

bool find_number(const Number *number, const Call *call, int64_t *value, bool *symbolic)
{
    const Value *found = find_value(&number->path, call);
    if (found == NULL || (number->of == OF_SIZE && found->tensor->tensor.rank <= number->dim)) {
        return false;
    }
    *value = number->of == OF_SIZE     ? found->tensor->sizes[number->dim]
             : number->of == OF_NDIM   ? found->tensor->tensor.rank
             : number->of == OF_LENGTH ? found->num_items
                                       : found->integer;
    *symbolic = number->of == OF_SIZE && (found->tensor->symbolic_sizes >> number->dim & 1) != 0;
    return true;
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
static int free_number(uint64_t *state, const Formula *formula)
{
    const int i = random_below(state, formula->count);
    return formula->numbers[i].is_free ? i : 0;
}

/* A sum of products, in which every number is at least once. */
static int make_sum(uint64_t *state, Formula *formula)
{
    int sum = symbol(formula, 0);
    for (int i = 1; i < formula->count; i++) {
        const char *op = formula->numbers[i].is_free && random_chance(state, 50) ? "*"
                         : random_chance(state, 50)                              ? "+"
                                                                                 : "-";
        sum = both(formula, op, sum, symbol(formula, i));
    }
    if (random_chance(state, 40)) {
        sum = both(formula, random_chance(state, 50) ? "*" : "-", sum, literal(formula, 1 + random_below(state, 9)));
    }
    return random_chance(state, 15) ? both(formula, "**", sum, literal(formula, 2)) : sum;
}

static int make_integer(uint64_t *state, Formula *formula)
{
    int sum = make_sum(state, formula);
    switch (random_below(state, 7)) {
    case 0:
        return sum;
    case 1:
        return both(formula, "%", sum, symbol(formula, free_number(state, formula)));
    case 2:
        return both(formula, "//", sum, symbol(formula, free_number(state, formula)));
    case 3:
        return both(formula, "//", sum, literal(formula, random_chance(state, 50) ? 2 : -2));
    case 4:
        return both(formula, "+", sum,
                    both(formula, random_chance(state, 50) ? "min" : "max", symbol(formula, 0),
                         literal(formula, 2 + random_below(state, 6))));
    default:
        return both(formula, "%", sum, literal(formula, random_chance(state, 80) ? 2 + random_below(state, 8) : -5));
    }
}

/* Of a free number: it holds in some calls, and not in others, whatever its bounds are. */
static int make_comparison(uint64_t *state, Formula *formula, int number)
{
    static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};
    const int divisor = 3 + 2 * random_below(state, 3);
    const int left = symbol(formula, number);
    if (random_chance(state, 40)) {
        return both(formula, ops[4 + random_below(state, 2)], both(formula, "%", left, literal(formula, divisor)),
                    literal(formula, random_below(state, divisor)));
    }
    return both(formula, ops[random_below(state, 6)], left,
                literal(formula, random_chance(state, 50) ? COMPARED_LOW : COMPARED_HIGH));
}

static int make_condition(uint64_t *state, Formula *formula)
{
    int holds = make_comparison(state, formula, 0);
    for (int i = 1; i < formula->count; i++) {
        int other = make_comparison(state, formula, i);
        other = random_chance(state, 30) ? both(formula, "not", other, other) : other;
        holds = both(formula, random_chance(state, 50) ? "and" : "or", holds, other);
    }
    return random_chance(state, 20) ? both(formula, "not", holds, holds) : holds;
}

bool make_formula(uint64_t *state, const Kernel *kernel, Formula *formula)
{
    const bool condition = random_chance(state, 35);
    *formula = (Formula){.count = 0};
    if (!make_number(state, kernel, true, &formula->numbers[formula->count])) {
        return false;
    }
    formula->count = 1;
    while (formula->count < MAX_NUMBERS && random_chance(state, 60) &&
           make_number(state, kernel, condition, &formula->numbers[formula->count])) {
        formula->count++;
    }
    formula->root = condition ? make_condition(state, formula) : make_integer(state, formula);
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

/* ---- values ---- */

/* Python's, with the sign of the divisor; b is not 0. */
static Wide remainder_of(Wide a, Wide b)
{
    const Wide rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static bool apply(const char *op, Wide a, Wide b, Wide *value)
{
    const bool divides = strcmp(op, "//") == 0 || strcmp(op, "%") == 0;
    if (divides && b == 0) {
        return false;
    }
    *value = strcmp(op, "+") == 0     ? a + b
             : strcmp(op, "-") == 0   ? a - b
             : strcmp(op, "*") == 0   ? a * b
             : strcmp(op, "**") == 0  ? a * a
             : strcmp(op, "//") == 0  ? (a - remainder_of(a, b)) / b
             : strcmp(op, "%") == 0   ? remainder_of(a, b)
             : strcmp(op, "min") == 0 ? (a < b ? a : b)
             : strcmp(op, "max") == 0 ? (a > b ? a : b)
             : strcmp(op, "<") == 0   ? a < b
             : strcmp(op, "<=") == 0  ? a <= b
             : strcmp(op, ">") == 0   ? a > b
             : strcmp(op, ">=") == 0  ? a >= b
             : strcmp(op, "==") == 0  ? a == b
             : strcmp(op, "!=") == 0  ? a != b
             : strcmp(op, "and") == 0 ? a != 0 && b != 0
             : strcmp(op, "or") == 0  ? a != 0 || b != 0
                                      : a == 0; /* not */
    return *value >= INT64_MIN && *value <= INT64_MAX;
}

static bool compute(const Formula *formula, const int64_t *values, int at, Wide *value)
{
    const Node *node = &formula->nodes[at];
    Wide lhs = 0;
    Wide rhs = 0;
    if (node->op[0] == '\0') {
        *value = node->number >= 0 ? values[node->number] : node->literal;
        return true;
    }
    return compute(formula, values, node->lhs, &lhs) && compute(formula, values, node->rhs, &rhs) &&
           apply(node->op, lhs, rhs, value);
}

int compute_formula(const Formula *formula, const Call *call, int64_t *value)
{
    int64_t values[MAX_NUMBERS];
    Wide result = 0;
    bool any = false;
    for (int i = 0; i < formula->count; i++) {
        bool symbolic = false;
        if (!find_number(&formula->numbers[i], call, &values[i], &symbolic)) {
            return 0;
        }
        any = any || symbolic;
    }
    for (int i = 0; !any && i < formula->count; i++) {
        const char bounds = formula->numbers[i].bounds;
        if ((bounds == 'n' && values[i] < 1) || (bounds == 'x' && values[i] > 8) ||
            (bounds == 'e' && values[i] % 2 != 0)) {
            return -1;
        }
    }
    if (any) {
        return 2;
    }
    if (!compute(formula, values, formula->root, &result)) {
        return -1;
    }
    *value = (int64_t)result;
    return 1;
}
