/* SPDX-License-Identifier: MIT */
/*
 * integer_private - what integer.c (nodes), polynomial.c (normal form), integer_facts.c (what is assumed) and
 * integer_decide.c (decisions) share.
 *
 * Every node has a polynomial: a sum of terms, each a coefficient times a product of atoms. Atoms are nodes that the
 * normal form cannot look into: symbols, run-time reads, // min max, and sums or products that would grow too large. An
 * atom is named by its node's id; its operands are in normal form, so equal ones are the same atom.
 */
#ifndef WRAPGEN_INTEGER_PRIVATE_H
#define WRAPGEN_INTEGER_PRIVATE_H

#include "integer.h"

/* Beyond these limits a node becomes an atom, and a decision "unknown". */
enum { POLYNOMIAL_MAX_TERMS = 64, POLYNOMIAL_MAX_DEGREE = 12 };

typedef struct Term {
    int64_t coefficient;   /* never 0 */
    uint32_t num_atoms;    /* the degree; 0: the constant */
    const uint32_t *atoms; /* ascending, repeated for powers */
} Term;

/* Terms are sorted by degree, then by atoms; no two have the same atoms. No terms: 0. */
typedef struct Polynomial {
    uint32_t num_terms;
    const Term *terms;
} Polynomial;

/* A polynomial known to be >= 0. */
typedef struct KnownFact {
    const Polynomial *polynomial;
    uint64_t atoms; /* polynomial_atoms */
} KnownFact;

struct Integers {
    Arena *arena;
    const IntegerRange *ranges;
    uint32_t num_symbols;
    const char *const *names;
    bool failed;

    const Integer **nodes;          /* by id */
    const Polynomial **polynomials; /* by id */
    uint32_t *costs;                /* by id: operations in the tree, saturated */
    uint32_t num_nodes;
    uint32_t capacity;
    uint32_t *slots; /* open addressing, id + 1, 0: free */
    uint32_t num_slots;

    KnownFact *facts;
    uint32_t num_facts;
    uint32_t facts_capacity;
};

/* Polynomials live in the arena and are never changed. Null results: overflow, or too large. */
const Polynomial *polynomial_constant(Arena *arena, int64_t value);
const Polynomial *polynomial_atom(Arena *arena, uint32_t id);
const Polynomial *polynomial_add(Arena *arena, const Polynomial *a, const Polynomial *b, int64_t factor_of_b);
const Polynomial *polynomial_multiply(Arena *arena, const Polynomial *a, const Polynomial *b);
const Polynomial *polynomial_substitute(Arena *arena, const Polynomial *polynomial, uint32_t atom,
                                        const Polynomial *by);

/* dividend / divisor where the divisor is one term that divides every term of the dividend, else null. */
const Polynomial *polynomial_quotient(Arena *arena, const Polynomial *dividend, const Polynomial *divisor);

/* The greatest common divisor of all coefficients but the constant; 0 when there are none. */
uint64_t polynomial_divisor(const Polynomial *polynomial);

/* Its atoms as bits: polynomials that share an atom share a bit. */
uint64_t polynomial_atoms(const Polynomial *polynomial);

bool polynomial_is_constant(const Polynomial *polynomial, int64_t *value);

/* Assumes that it is never negative, until num_facts is set back. */
void integers_push_fact(Integers *integers, const Polynomial *fact);

/* Does the fact have an atom of p? */
bool known_fact_shares(const KnownFact *fact, const Polynomial *p);

/* The bounds of an atom that follow from facts c*atom + k >= 0. */
IntegerRange integers_bounds_known(const Integers *integers, uint32_t atom);

/* Intervals. */
IntegerRange range_add(IntegerRange a, IntegerRange b);
IntegerRange range_multiply(IntegerRange a, IntegerRange b);
IntegerRange range_square(IntegerRange a);                   /* a * a, of one and the same a */
IntegerRange range_floordiv(IntegerRange n, IntegerRange d); /* n // d for d >= 1; nothing is known for other d */
IntegerRange range_choose(IntegerRange a, IntegerRange b, bool minimum); /* min(a, b), or max(a, b) */
IntegerRange range_intersect(IntegerRange a, IntegerRange b);
int64_t range_floor(int64_t a, int64_t positive); /* a // positive */

/* The node in normal form for a polynomial. */
const Integer *integer_from_polynomial(Integers *integers, const Polynomial *polynomial);

#endif /* WRAPGEN_INTEGER_PRIVATE_H */
