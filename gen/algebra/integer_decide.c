/* SPDX-License-Identifier: MIT */
/*
 * integer_decide - is a == b, is a <= b, for all values of the symbols? Yes, no, or honestly unknown.
 *
 * Everything comes down to proving that a polynomial p is never negative (b - a for a <= b), by, in this order,
 *   - its lower bound over the bounds of its atoms, each atom first counted from its own lower bound, so that s0*s1 -
 * s1 with s0 >= 1 and s1 >= 0 becomes x*s1 with x = s0 - 1 >= 0;
 *   - a fact f >= 0 (integers_assume): p - f, or p - k*f where k makes their highest terms cancel, is never negative;
 *   - min(a, b) is one of its operands, and each choice tells which operand is the smaller: both cases must hold;
 *   - d*(n//d) lies between n - d + 1 and n.
 * Bounds that overflow are weakened, sums that grow too large give up, and a memory budget ends anything that would
 * take long; each of these can only turn an answer into "unknown".
 */
#include "integer_private.h"

#include <stddef.h>

#include "../../templates/core/wg_compiler.h"

/* Bytes that one decision may take, first for a quick look, then for a search; how deep the search splits cases and
 * combines facts. */
enum { QUICK_BYTES = 8 * 1024, SEARCH_BYTES = 128 * 1024, MAX_DEPTH = 7, MAX_CHAINED = 2 };

typedef struct Prover {
    Integers *integers;
    Arena *arena;
    size_t limit; /* of the arena's bytes */
    int chained;  /* facts that are combined */
} Prover;

/* ---- bounds of atoms and polynomials ---- */

static bool exhausted(const Prover *prover)
{
    return prover->arena->used > prover->limit;
}

static IntegerRange bounds_of_atom(Prover *prover, uint32_t atom);

/* The bounds of an atom of a polynomial, looked up once. */
typedef struct Known {
    uint32_t atom;
    IntegerRange range;
} Known;

static const Known *find_known(const Known *known, uint32_t num_known, uint32_t atom)
{
    for (uint32_t i = 0; i < num_known; i++) {
        if (known[i].atom == atom) {
            return &known[i];
        }
    }
    return NULL;
}

static Known *collect_known(Prover *prover, const Polynomial *polynomial, uint32_t *num_known)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < polynomial->num_terms; i++) {
        most += polynomial->terms[i].num_atoms;
    }
    Known *known = ARENA_ARRAY(prover->arena, Known, most);
    *num_known = 0;
    for (uint32_t i = 0; i < polynomial->num_terms; i++) {
        for (uint32_t j = 0; j < polynomial->terms[i].num_atoms; j++) {
            const uint32_t atom = polynomial->terms[i].atoms[j];
            if (!find_known(known, *num_known, atom)) {
                known[*num_known] = (Known){atom, bounds_of_atom(prover, atom)};
                ++*num_known;
            }
        }
    }
    return known;
}

static IntegerRange bounds_of_terms(const Polynomial *polynomial, const Known *known, uint32_t num_known)
{
    IntegerRange sum = {true, true, 0, 0};
    for (uint32_t i = 0; i < polynomial->num_terms; i++) {
        const Term *term = &polynomial->terms[i];
        IntegerRange product = {true, true, term->coefficient, term->coefficient};
        for (uint32_t j = 0; j < term->num_atoms; j++) {
            const IntegerRange range = find_known(known, num_known, term->atoms[j])->range;
            const bool twice = j + 1 < term->num_atoms && term->atoms[j + 1] == term->atoms[j];
            product = range_multiply(product, twice ? range_square(range) : range);
            j += twice ? 1 : 0;
        }
        sum = range_add(sum, product);
    }
    return sum;
}

/* Rewrites the polynomial with each atom that has a lower bound counted from there; null: it grew too large. */
static const Polynomial *count_from_lower_bounds(Arena *arena, const Polynomial *polynomial, Known *known,
                                                 uint32_t num_known)
{
    const Polynomial *result = polynomial;
    for (uint32_t i = 0; result && i < num_known; i++) {
        IntegerRange *range = &known[i].range;
        if (!range->has_min || range->min == 0) {
            continue;
        }
        const Polynomial *shifted =
            polynomial_add(arena, polynomial_atom(arena, known[i].atom), polynomial_constant(arena, range->min), 1);
        result = shifted ? polynomial_substitute(arena, result, known[i].atom, shifted) : NULL;
        range->has_max = range->has_max && !wg_ckd_sub(&range->max, range->max, range->min);
        range->min = 0;
    }
    return result;
}

static IntegerRange bounds_of_polynomial(Prover *prover, const Polynomial *polynomial)
{
    uint32_t num_known = 0;
    Known *known = collect_known(prover, polynomial, &num_known);
    const IntegerRange direct = bounds_of_terms(polynomial, known, num_known);
    const Polynomial *shifted = count_from_lower_bounds(prover->arena, polynomial, known, num_known);
    return shifted ? range_intersect(direct, bounds_of_terms(shifted, known, num_known)) : direct;
}

/* Is it never negative, by its bounds? A quick look decides most. */
static Truth sign_by_bounds(Prover *prover, const Polynomial *polynomial, bool quick)
{
    uint32_t num_known = 0;
    Known *known = collect_known(prover, polynomial, &num_known);
    IntegerRange range = bounds_of_terms(polynomial, known, num_known);
    if (!quick && !(range.has_min && range.min >= 0) && !(range.has_max && range.max < 0)) {
        const Polynomial *shifted = count_from_lower_bounds(prover->arena, polynomial, known, num_known);
        range = shifted ? bounds_of_terms(shifted, known, num_known) : range;
    }
    return range.has_min && range.min >= 0 ? TRUTH_YES : range.has_max && range.max < 0 ? TRUTH_NO : TRUTH_UNKNOWN;
}

/* The bounds that follow from the atom's kind. */
static IntegerRange bounds_of_node(Prover *prover, const Integer *node)
{
    const Integers *integers = prover->integers;
    const IntegerRange unknown = {false, false, 0, 0};
    const IntegerRange natural = {true, false, 0, 0};
    switch (node->kind) {
    case INTEGER_SYMBOL:
        return integers->ranges && node->index < integers->num_symbols ? integers->ranges[node->index] : unknown;
    case INTEGER_READ_OFFSET:
        return natural;
    case INTEGER_READ_STRIDE:
        return unknown;
    case INTEGER_FLOORDIV:
    case INTEGER_MIN:
    case INTEGER_MAX: {
        const IntegerRange lhs = bounds_of_polynomial(prover, integers->polynomials[node->lhs->id]);
        const IntegerRange rhs = bounds_of_polynomial(prover, integers->polynomials[node->rhs->id]);
        return node->kind == INTEGER_FLOORDIV ? range_floordiv(lhs, rhs)
                                              : range_choose(lhs, rhs, node->kind == INTEGER_MIN);
    }
    case INTEGER_EQ:
    case INTEGER_NE:
    case INTEGER_LE:
    case INTEGER_LT:
    case INTEGER_AND:
    case INTEGER_OR:
        return (IntegerRange){true, true, 0, 1};
    case INTEGER_LITERAL:
    case INTEGER_ADD:
    case INTEGER_SUB:
    case INTEGER_MUL:
    case INTEGER_MOD:
        break; /* atoms only when they grew too large */
    }
    return unknown;
}

static IntegerRange bounds_of_atom(Prover *prover, uint32_t atom)
{
    IntegerRange range = {false, false, 0, 0};
    if (exhausted(prover)) {
        return range;
    }
    range = range_intersect(integers_bounds_known(prover->integers, atom),
                            bounds_of_node(prover, prover->integers->nodes[atom]));
    /* Contradicting facts (a guard that never holds) must not lead to impossible intervals. */
    if (range.has_min && range.has_max && range.min > range.max) {
        return (IntegerRange){false, false, 0, 0};
    }
    return range;
}

/* ---- the prover ---- */

static bool never_negative(Prover *prover, const Polynomial *polynomial, int depth);

/* The coefficient that makes the fact's highest term cancel in p, else 0. */
static int64_t matching_factor(const Polynomial *p, const Polynomial *fact)
{
    if (fact->num_terms == 0) {
        return 0;
    }
    const Term *highest = &fact->terms[fact->num_terms - 1];
    for (uint32_t i = 0; i < p->num_terms; i++) {
        const Term *term = &p->terms[i];
        bool same = term->num_atoms == highest->num_atoms;
        for (uint32_t j = 0; same && j < term->num_atoms; j++) {
            same = term->atoms[j] == highest->atoms[j];
        }
        if (same && (term->coefficient > 0) == (highest->coefficient > 0) && term->coefficient != INT64_MIN &&
            term->coefficient % highest->coefficient == 0) {
            return term->coefficient / highest->coefficient;
        }
    }
    return 0;
}

/* A fact about other atoms says nothing: the lower bound of p - f is that of p less what f is at most, which is not
 * below 0. */
static bool follows_from_facts(Prover *prover, const Polynomial *p, int depth)
{
    Integers *integers = prover->integers;
    const uint64_t atoms = polynomial_atoms(p);
    for (uint32_t i = 0; i < integers->num_facts; i++) {
        if ((integers->facts[i].atoms & atoms) == 0 || !known_fact_shares(&integers->facts[i], p)) {
            continue;
        }
        const Polynomial *fact = integers->facts[i].polynomial;
        const int64_t factor = matching_factor(p, fact);
        const Polynomial *rest = polynomial_add(prover->arena, p, fact, factor > 0 ? -factor : -1);
        if (!rest) {
            continue;
        }
        if (sign_by_bounds(prover, rest, false) == TRUTH_YES) {
            return true;
        }
        if (factor > 0 && prover->chained < MAX_CHAINED) {
            prover->chained++;
            const bool follows = never_negative(prover, rest, depth - 1);
            prover->chained--;
            if (follows) {
                return true;
            }
        }
    }
    return false;
}

/* The first atom of that kind in p, or null. */
static const Integer *find_atom(const Integers *integers, const Polynomial *p, bool division)
{
    for (uint32_t i = 0; i < p->num_terms; i++) {
        for (uint32_t j = 0; j < p->terms[i].num_atoms; j++) {
            const Integer *node = integers->nodes[p->terms[i].atoms[j]];
            const bool divides = node->kind == INTEGER_FLOORDIV && node->rhs->kind == INTEGER_LITERAL &&
                                 node->rhs->literal > 0 && p->terms[i].num_atoms == 1;
            const bool chooses = node->kind == INTEGER_MIN || node->kind == INTEGER_MAX;
            if (division ? divides : chooses) {
                return node;
            }
        }
    }
    return NULL;
}

/* p with min(a, b) replaced by one operand, assuming that `other` is not below it (above, for max). */
static bool holds_when_chosen(Prover *prover, const Polynomial *p, const Integer *atom, const Integer *chosen,
                              const Integer *other, int depth)
{
    Integers *integers = prover->integers;
    const Polynomial *by = integers->polynomials[chosen->id];
    const Polynomial *unchosen = integers->polynomials[other->id];
    const bool minimum = atom->kind == INTEGER_MIN;
    const Polynomial *fact =
        minimum ? polynomial_add(prover->arena, unchosen, by, -1) : polynomial_add(prover->arena, by, unchosen, -1);
    const Polynomial *replaced = polynomial_substitute(prover->arena, p, atom->id, by);
    if (!fact || !replaced) {
        return false;
    }
    const IntegerRange bounds = bounds_of_polynomial(prover, fact);
    if (bounds.has_max && bounds.max < 0) {
        return true; /* never chosen */
    }
    integers_push_fact(integers, fact);
    const bool result = never_negative(prover, replaced, depth - 1);
    integers->num_facts--;
    return result;
}

/* d*p with d*c*(n//d) replaced by something that is never larger: c*(n - d + 1), or c*n for a negative c. */
static bool holds_without_division(Prover *prover, const Polynomial *p, const Integer *atom, int depth)
{
    Integers *integers = prover->integers;
    Arena *arena = prover->arena;
    const int64_t divisor = atom->rhs->literal;
    int64_t coefficient = 0;
    for (uint32_t i = 0; i < p->num_terms; i++) {
        for (uint32_t j = 0; j < p->terms[i].num_atoms; j++) {
            if (p->terms[i].atoms[j] == atom->id) {
                coefficient = p->terms[i].coefficient;
                if (p->terms[i].num_atoms > 1 || coefficient == INT64_MIN) {
                    return false;
                }
            }
        }
    }
    const Polynomial *rest = polynomial_add(arena, p, polynomial_atom(arena, atom->id), -coefficient);
    const Polynomial *bound = integers->polynomials[atom->lhs->id];
    if (coefficient > 0) {
        bound = polynomial_add(arena, bound, polynomial_constant(arena, 1 - divisor), 1);
    }
    rest = rest ? polynomial_multiply(arena, rest, polynomial_constant(arena, divisor)) : NULL;
    rest = rest && bound ? polynomial_add(arena, rest, bound, coefficient) : NULL;
    return rest && never_negative(prover, rest, depth - 1);
}

static bool never_negative(Prover *prover, const Polynomial *p, int depth)
{
    if (depth <= 0 || exhausted(prover)) {
        return false;
    }
    const Truth sign = sign_by_bounds(prover, p, false);
    if (sign != TRUTH_UNKNOWN) {
        return sign == TRUTH_YES;
    }
    if (follows_from_facts(prover, p, depth)) {
        return true;
    }
    const Integer *choice = find_atom(prover->integers, p, false);
    if (choice) {
        return holds_when_chosen(prover, p, choice, choice->lhs, choice->rhs, depth) &&
               holds_when_chosen(prover, p, choice, choice->rhs, choice->lhs, depth);
    }
    const Integer *division = find_atom(prover->integers, p, true);
    return division && holds_without_division(prover, p, division, depth);
}

/* Is a + more <= b for all values of the symbols? false: not known to be. */
static bool proves_less_equal(Integers *integers, const Integer *a, const Integer *b, int64_t more)
{
    const Polynomial *p =
        polynomial_add(integers->arena, integers->polynomials[b->id], integers->polynomials[a->id], -1);
    p = p ? polynomial_add(integers->arena, p, polynomial_constant(integers->arena, more), -1) : NULL;
    Prover prover = {integers, integers->arena, integers->arena->used + QUICK_BYTES, 0};
    const Truth sign = p ? sign_by_bounds(&prover, p, true) : TRUTH_NO;
    if (sign != TRUTH_UNKNOWN) {
        return sign == TRUTH_YES;
    }
    /* Nothing that a search makes is needed afterwards. */
    Arena scratch;
    arena_init(&scratch);
    scratch.on_exhausted = integers->arena->on_exhausted;
    scratch.exhausted_ctx = integers->arena->exhausted_ctx;
    prover.arena = &scratch;
    prover.limit = SEARCH_BYTES;
    const bool result = never_negative(&prover, p, MAX_DEPTH);
    arena_release(&scratch);
    return result;
}

/* c1*t1 + c2*t2 + ... + k is never 0 when the common divisor of the c does not divide k. */
static bool never_zero_by_divisibility(const Polynomial *p)
{
    const uint64_t divisor = polynomial_divisor(p);
    const int64_t constant = p->num_terms > 0 && p->terms[0].num_atoms == 0 ? p->terms[0].coefficient : 0;
    const uint64_t magnitude = constant < 0 ? 0 - (uint64_t)constant : (uint64_t)constant;
    return divisor == 0 ? constant != 0 : magnitude % divisor != 0;
}

static bool both_literal(const Integer *a, const Integer *b)
{
    return a->kind == INTEGER_LITERAL && b->kind == INTEGER_LITERAL;
}

Truth integer_equal(Integers *integers, const Integer *a, const Integer *b)
{
    if (a == b) {
        return TRUTH_YES;
    }
    if (both_literal(a, b)) {
        return TRUTH_NO; /* their difference may not fit in 64 bits */
    }
    const Polynomial *p =
        polynomial_add(integers->arena, integers->polynomials[a->id], integers->polynomials[b->id], -1);
    if (p && p->num_terms == 0) {
        return TRUTH_YES;
    }
    if (p && never_zero_by_divisibility(p)) {
        return TRUTH_NO;
    }
    if (proves_less_equal(integers, a, b, 1) || proves_less_equal(integers, b, a, 1)) {
        return TRUTH_NO;
    }
    const bool equal = proves_less_equal(integers, a, b, 0) && proves_less_equal(integers, b, a, 0);
    return equal ? TRUTH_YES : TRUTH_UNKNOWN;
}

Truth integer_less_equal(Integers *integers, const Integer *a, const Integer *b)
{
    if (both_literal(a, b)) {
        return a->literal <= b->literal ? TRUTH_YES : TRUTH_NO;
    }
    if (proves_less_equal(integers, a, b, 0)) {
        return TRUTH_YES;
    }
    return proves_less_equal(integers, b, a, 1) ? TRUTH_NO : TRUTH_UNKNOWN;
}

IntegerRange integer_range(Integers *integers, const Integer *integer)
{
    Prover prover = {integers, integers->arena, integers->arena->used + QUICK_BYTES, 0};
    return bounds_of_polynomial(&prover, integers->polynomials[integer->id]);
}
