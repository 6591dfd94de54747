/* SPDX-License-Identifier: MIT */
/*
 * integer - the hash-consed graph of integers: equal values are one node wherever that can be seen.
 *
 * A sum or product is kept as it was built or rewritten from its polynomial, whichever needs fewer operations: (s0 + 1)
 * - 1 becomes s0, (s0 + 1) * (s1 + 1) stays. Where both need the same number the normal form wins, so that s0 + s1 and
 * s1 + s0 are one node. Operands are made before their users, so the order of ids is an order of computation; nothing
 * depends on addresses, so the same calls give the same ids in every run.
 *
 * A new operator is a line in operators.def; what is always true of it is said in simplify(), its bounds in
 * integer_decide.c.
 */
#include "integer_private.h"

#include <stddef.h>
#include <string.h>

enum { FIRST_NODES = 256, FIRST_SLOTS = 1024 };

static const Integer *make_binary(Integers *integers, IntegerKind kind, const Integer *lhs, const Integer *rhs);

Integers *integers_new(Arena *arena, const IntegerRange *symbol_ranges, uint32_t num_symbols)
{
    Integers *integers = ARENA_NEW(arena, Integers);
    integers->arena = arena;
    integers->ranges = symbol_ranges;
    integers->num_symbols = num_symbols;
    integers->num_slots = FIRST_SLOTS;
    integers->slots = ARENA_ARRAY(arena, uint32_t, FIRST_SLOTS);
    return integers;
}

bool integers_failed(const Integers *integers)
{
    return integers->failed;
}

bool integers_set_failed(Integers *integers, bool failed)
{
    const bool before = integers->failed;
    integers->failed = failed;
    return before;
}

static uint32_t id_or_none(const Integer *integer)
{
    return integer ? integer->id : UINT32_MAX;
}

static uint32_t hash_node(const Integer *node)
{
    const uint64_t fields[] = {(uint64_t)node->kind, (uint64_t)node->literal, node->index,
                               node->tensor,         id_or_none(node->lhs),   id_or_none(node->rhs)};
    uint64_t hash = 0x9e3779b97f4a7c15U;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        hash = (hash ^ fields[i]) * 0xff51afd7ed558ccdU;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

static bool same_node(const Integer *a, const Integer *b)
{
    return a->kind == b->kind && a->literal == b->literal && a->index == b->index && a->tensor == b->tensor &&
           a->lhs == b->lhs && a->rhs == b->rhs;
}

/* The slot that holds an equal node, or the free one where it belongs. */
static uint32_t find_slot(const Integers *integers, const Integer *node)
{
    uint32_t slot = hash_node(node) & (integers->num_slots - 1);
    while (integers->slots[slot] != 0 && !same_node(integers->nodes[integers->slots[slot] - 1], node)) {
        slot = (slot + 1) & (integers->num_slots - 1);
    }
    return slot;
}

static void grow(Integers *integers)
{
    const uint32_t old = integers->capacity;
    const uint32_t capacity = old ? old * 2 : FIRST_NODES;
    Arena *arena = integers->arena;
    integers->nodes =
        arena_grow(arena, integers->nodes, old * sizeof *integers->nodes, capacity * sizeof *integers->nodes);
    integers->polynomials = arena_grow(arena, integers->polynomials, old * sizeof *integers->polynomials,
                                       capacity * sizeof *integers->polynomials);
    integers->costs =
        arena_grow(arena, integers->costs, old * sizeof *integers->costs, capacity * sizeof *integers->costs);
    integers->capacity = capacity;
    if (capacity * 2 <= integers->num_slots) {
        return;
    }
    integers->num_slots = capacity * 4;
    integers->slots = ARENA_ARRAY(arena, uint32_t, integers->num_slots);
    for (uint32_t id = 0; id < integers->num_nodes; id++) {
        integers->slots[find_slot(integers, integers->nodes[id])] = id + 1;
    }
}

/* An operand as part of an atom's name: in normal form. */
static const Integer *normal_form(Integers *integers, const Integer *integer)
{
    return integer_from_polynomial(integers, integers->polynomials[integer->id]);
}

/* The polynomial of a new node, whose operands have theirs. */
static const Polynomial *polynomial_of(Integers *integers, const Integer *node)
{
    Arena *arena = integers->arena;
    const Polynomial *result = NULL;
    switch (node->kind) {
    case INTEGER_LITERAL:
        return polynomial_constant(arena, node->literal);
    case INTEGER_MOD: { /* n - d*(n//d), which is what decisions know about */
        const Integer *multiple = integer_binary(
            integers, INTEGER_MUL, integer_binary(integers, INTEGER_FLOORDIV, node->lhs, node->rhs), node->rhs);
        result = polynomial_add(arena, integers->polynomials[node->lhs->id], integers->polynomials[multiple->id], -1);
        break;
    }
    case INTEGER_ADD:
    case INTEGER_SUB:
        result = polynomial_add(arena, integers->polynomials[node->lhs->id], integers->polynomials[node->rhs->id],
                                node->kind == INTEGER_ADD ? 1 : -1);
        break;
    case INTEGER_MUL:
        result = polynomial_multiply(arena, integers->polynomials[node->lhs->id], integers->polynomials[node->rhs->id]);
        break;
    case INTEGER_FLOORDIV:
    case INTEGER_MIN:
    case INTEGER_MAX:
    case INTEGER_EQ:
    case INTEGER_NE:
    case INTEGER_LE:
    case INTEGER_LT:
    case INTEGER_AND:
    case INTEGER_OR: {
        const Integer *lhs = normal_form(integers, node->lhs);
        const Integer *rhs = normal_form(integers, node->rhs);
        if (lhs != node->lhs || rhs != node->rhs) {
            const Integer *normal = make_binary(integers, node->kind, lhs, rhs); /* may move the arrays */
            return integers->polynomials[normal->id];
        }
        break;
    }
    case INTEGER_SYMBOL:
    case INTEGER_READ_STRIDE:
    case INTEGER_READ_OFFSET:
        break;
    }
    return result ? result : polynomial_atom(arena, node->id);
}

static uint32_t cost_of(const Integers *integers, const Integer *node)
{
    if (!node->lhs) {
        return 0;
    }
    const uint64_t cost = (uint64_t)integers->costs[node->lhs->id] + integers->costs[node->rhs->id] + 1;
    return cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
}

static const Integer *intern(Integers *integers, const Integer *wanted)
{
    const uint32_t slot = find_slot(integers, wanted);
    if (integers->slots[slot] != 0) {
        return integers->nodes[integers->slots[slot] - 1];
    }
    if (integers->num_nodes == integers->capacity) {
        grow(integers);
    }
    Integer *node = ARENA_NEW(integers->arena, Integer);
    *node = *wanted;
    node->id = integers->num_nodes++;
    integers->nodes[node->id] = node;
    integers->slots[find_slot(integers, node)] = node->id + 1;
    integers->costs[node->id] = cost_of(integers, node);
    /* Making the polynomial may make further nodes and move the array. */
    const Polynomial *polynomial = polynomial_of(integers, node);
    integers->polynomials[node->id] = polynomial;
    return node;
}

const Integer *integer_literal(Integers *integers, int64_t value)
{
    const Integer node = {.kind = INTEGER_LITERAL, .literal = value};
    return intern(integers, &node);
}

const Integer *integer_symbol(Integers *integers, uint32_t symbol)
{
    const Integer node = {.kind = INTEGER_SYMBOL, .index = symbol};
    return intern(integers, &node);
}

/* `kind` is one of the INTEGER_READ_ ones; the dimension of an offset is ignored. */
const Integer *integer_read(Integers *integers, IntegerKind kind, uint32_t tensor, uint32_t dimension)
{
    const Integer node = {.kind = kind, .tensor = tensor, .index = kind == INTEGER_READ_OFFSET ? 0 : dimension};
    return intern(integers, &node);
}

/* The order of operands that commute: operations, then leaves, then literals; among equals by age. */
static bool stands_before(const Integer *a, const Integer *b)
{
    const int rank_a = a->lhs ? 0 : a->kind != INTEGER_LITERAL ? 1 : 2;
    const int rank_b = b->lhs ? 0 : b->kind != INTEGER_LITERAL ? 1 : 2;
    return rank_a != rank_b ? rank_a < rank_b : a->id < b->id;
}

/* Makes the node as given, except for the order of operands that commute. */
static const Integer *make_binary(Integers *integers, IntegerKind kind, const Integer *lhs, const Integer *rhs)
{
    const bool swap = operator_commutes(integer_operator(kind)) && stands_before(rhs, lhs);
    const Integer node = {.kind = kind, .lhs = swap ? rhs : lhs, .rhs = swap ? lhs : rhs};
    return intern(integers, &node);
}

static const Integer *make_product(Integers *integers, const Term *term, int64_t coefficient)
{
    const Integer *product = NULL;
    for (uint32_t i = 0; i < term->num_atoms; i++) {
        const Integer *atom = integers->nodes[term->atoms[i]];
        product = product ? make_binary(integers, INTEGER_MUL, product, atom) : atom;
    }
    if (!product) {
        return integer_literal(integers, coefficient);
    }
    return coefficient == 1 ? product
                            : make_binary(integers, INTEGER_MUL, product, integer_literal(integers, coefficient));
}

/* Highest degree first, the constant last, but a positive term at the front if there is one: "s0*64 + 1", "8 - s0". */
const Integer *integer_from_polynomial(Integers *integers, const Polynomial *polynomial)
{
    if (polynomial->num_terms == 0) {
        return integer_literal(integers, 0);
    }
    uint32_t first = polynomial->num_terms - 1;
    for (uint32_t i = polynomial->num_terms; i-- > 0;) {
        if (polynomial->terms[i].coefficient > 0) {
            first = i;
            break;
        }
    }
    const Integer *sum = make_product(integers, &polynomial->terms[first], polynomial->terms[first].coefficient);
    for (uint32_t i = polynomial->num_terms; i-- > 0;) {
        if (i == first) {
            continue;
        }
        const int64_t coefficient = polynomial->terms[i].coefficient;
        const bool subtract = coefficient < 0 && coefficient != INT64_MIN;
        const Integer *product = make_product(integers, &polynomial->terms[i], subtract ? -coefficient : coefficient);
        sum = make_binary(integers, subtract ? INTEGER_SUB : INTEGER_ADD, sum, product);
    }
    return sum;
}

/* n // d for a literal d > 0: exact where d divides every coefficient; (8*s0 + 7) // 8 is s0 too. */
static const Integer *simplify_division(Integers *integers, const Integer *lhs, int64_t divisor)
{
    if (divisor == 1) {
        return lhs;
    }
    const Polynomial *dividend = integers->polynomials[lhs->id];
    int64_t remainder = 0;
    if (dividend->num_terms > 0 && dividend->terms[0].num_atoms == 0) {
        remainder = dividend->terms[0].coefficient % divisor;
        remainder += remainder < 0 ? divisor : 0;
    }
    const Polynomial *constant = polynomial_constant(integers->arena, remainder);
    const Polynomial *rest = polynomial_add(integers->arena, dividend, constant, -1);
    if (!rest) {
        return NULL;
    }
    const Polynomial *exact = polynomial_quotient(integers->arena, rest, polynomial_constant(integers->arena, divisor));
    return exact ? integer_from_polynomial(integers, exact) : NULL;
}

/* min and max of two integers that differ by a constant, or whose one side is the end of 64 bits. */
static const Integer *simplify_choice(Integers *integers, IntegerKind kind, const Integer *lhs, const Integer *rhs)
{
    const bool minimum = kind == INTEGER_MIN;
    if (integer_is(lhs, minimum ? INT64_MAX : INT64_MIN)) {
        return rhs;
    }
    if (integer_is(rhs, minimum ? INT64_MAX : INT64_MIN)) {
        return lhs;
    }
    const Polynomial *difference =
        polynomial_add(integers->arena, integers->polynomials[lhs->id], integers->polynomials[rhs->id], -1);
    int64_t value = 0;
    if (difference && polynomial_is_constant(difference, &value)) {
        return (value <= 0) == minimum ? lhs : rhs;
    }
    return NULL;
}

/* n % d for a literal d > 0 where d divides every coefficient but the constant: (8*s0 + 7) % 8 is 7. */
static const Integer *simplify_remainder(Integers *integers, const Integer *lhs, const Integer *rhs)
{
    const Integer *quotient = simplify_division(integers, lhs, rhs->literal);
    return quotient == NULL
               ? NULL
               : integer_binary(integers, INTEGER_SUB, lhs, integer_binary(integers, INTEGER_MUL, quotient, rhs));
}

/* A node that equals the operation without performing it, or null. */
static const Integer *simplify(Integers *integers, IntegerKind kind, const Integer *lhs, const Integer *rhs)
{
    const bool divides = rhs->kind == INTEGER_LITERAL && rhs->literal > 0;
    if (kind == INTEGER_FLOORDIV && divides) {
        return simplify_division(integers, lhs, rhs->literal);
    }
    if (kind == INTEGER_MOD && divides) {
        return simplify_remainder(integers, lhs, rhs);
    }
    return kind == INTEGER_MIN || kind == INTEGER_MAX ? simplify_choice(integers, kind, lhs, rhs) : NULL;
}

const Integer *integer_binary(Integers *integers, IntegerKind kind, const Integer *lhs, const Integer *rhs)
{
    if (lhs->kind == INTEGER_LITERAL && rhs->kind == INTEGER_LITERAL) {
        int64_t value = 0;
        if (operator_apply(integer_operator(kind), lhs->literal, rhs->literal, &value)) {
            return integer_literal(integers, value);
        }
        integers->failed = true;
        return make_binary(integers, kind, lhs, rhs); /* where it is computed, it fails */
    }
    const Integer *simple = simplify(integers, kind, lhs, rhs);
    if (simple) {
        return simple;
    }
    const Integer *plain = make_binary(integers, kind, lhs, rhs);
    const Integer *normal = normal_form(integers, plain);
    return integers->costs[normal->id] <= integers->costs[plain->id] ? normal : plain;
}

const Integer *integer_from_expr(Integers *integers, const Expr *expr)
{
    if (expr->kind == EXPR_LITERAL) {
        return integer_literal(integers, expr->literal);
    }
    if (expr->kind == EXPR_SYMBOL) {
        return integer_symbol(integers, expr->symbol);
    }
    const Integer *lhs = integer_from_expr(integers, expr->lhs);
    const Integer *rhs = integer_from_expr(integers, expr->rhs);
    return integer_binary(integers, (IntegerKind)(INTEGER_FIRST_OPERATION + expr_operator(expr)), lhs, rhs);
}

bool integer_is(const Integer *integer, int64_t value)
{
    return integer->kind == INTEGER_LITERAL && integer->literal == value;
}

const Integer *integer_quotient(Integers *integers, const Integer *dividend, const Integer *divisor)
{
    const Polynomial *quotient =
        polynomial_quotient(integers->arena, integers->polynomials[dividend->id], integers->polynomials[divisor->id]);
    return quotient ? integer_from_polynomial(integers, quotient) : NULL;
}

void integer_range_of_size(IntegerRange *range)
{
    if (!range->has_min || range->min < 0) {
        range->has_min = true;
        range->min = 0;
    }
}
