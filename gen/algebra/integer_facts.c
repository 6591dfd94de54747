/* SPDX-License-Identifier: MIT */
/*
 * integer_facts - what decisions may assume: polynomials that are never negative, on a stack.
 *
 * A large graph has hundreds of guards, few of them about the same symbols. So each fact has its atoms as bits, and one
 * that shares none with a question costs one comparison. A bit is shared by every 64th atom, so where bits agree the
 * atoms are compared.
 */
#include "integer_private.h"

static uint64_t bit_of(uint32_t atom)
{
    return UINT64_C(1) << atom % 64;
}

uint64_t polynomial_atoms(const Polynomial *p)
{
    uint64_t atoms = 0;
    for (uint32_t i = 0; i < p->num_terms; i++) {
        for (uint32_t j = 0; j < p->terms[i].num_atoms; j++) {
            atoms |= bit_of(p->terms[i].atoms[j]);
        }
    }
    return atoms;
}

static bool has_atom(const Polynomial *p, uint32_t atom)
{
    for (uint32_t i = 0; i < p->num_terms; i++) {
        for (uint32_t j = 0; j < p->terms[i].num_atoms; j++) {
            if (p->terms[i].atoms[j] == atom) {
                return true;
            }
        }
    }
    return false;
}

bool known_fact_shares(const KnownFact *fact, const Polynomial *p)
{
    const Polynomial *known = fact->polynomial;
    for (uint32_t i = 0; i < known->num_terms; i++) {
        for (uint32_t j = 0; j < known->terms[i].num_atoms; j++) {
            if (has_atom(p, known->terms[i].atoms[j])) {
                return true;
            }
        }
    }
    return false;
}

void integers_push_fact(Integers *integers, const Polynomial *fact)
{
    if (integers->num_facts == integers->facts_capacity) {
        const uint32_t old = integers->facts_capacity;
        integers->facts_capacity = old ? old * 2 : 16;
        integers->facts = arena_grow(integers->arena, integers->facts, old * sizeof *integers->facts,
                                     integers->facts_capacity * sizeof *integers->facts);
    }
    integers->facts[integers->num_facts++] = (KnownFact){fact, polynomial_atoms(fact)};
}

IntegerRange integers_bounds_known(const Integers *integers, uint32_t atom)
{
    IntegerRange range = {false, false, 0, 0};
    for (uint32_t i = 0; i < integers->num_facts; i++) {
        const Polynomial *fact = integers->facts[i].polynomial;
        if ((integers->facts[i].atoms & bit_of(atom)) == 0 || fact->num_terms == 0 || fact->num_terms > 2) {
            continue;
        }
        const Term *last = &fact->terms[fact->num_terms - 1];
        const bool has_constant = fact->num_terms == 2;
        if (last->num_atoms != 1 || last->atoms[0] != atom || (has_constant && fact->terms[0].num_atoms != 0)) {
            continue;
        }
        const int64_t constant = has_constant ? fact->terms[0].coefficient : 0;
        if (constant == INT64_MIN || last->coefficient == INT64_MIN) {
            continue;
        }
        IntegerRange one = {false, false, 0, 0};
        if (last->coefficient > 0) {
            one.has_min = true; /* atom >= -k / c, rounded up */
            one.min = -range_floor(constant, last->coefficient);
        } else {
            one.has_max = true; /* atom <= k / -c, rounded down */
            one.max = range_floor(constant, -last->coefficient);
        }
        range = range_intersect(range, one);
    }
    return range;
}

/* c1*t1 + ... + k >= 0 without the common divisor of the c: 6*a - 3*b - 4 >= 0 says 2*a - b - 2 >= 0. */
static const Polynomial *without_common_divisor(Arena *arena, const Polynomial *fact)
{
    const uint64_t divisor = polynomial_divisor(fact);
    if (divisor <= 1 || divisor > INT64_MAX) {
        return fact;
    }
    Term *terms = ARENA_ARRAY(arena, Term, fact->num_terms);
    uint32_t count = 0;
    for (uint32_t i = 0; i < fact->num_terms; i++) {
        terms[count] = fact->terms[i];
        terms[count].coefficient = range_floor(fact->terms[i].coefficient, (int64_t)divisor);
        count += terms[count].coefficient != 0 ? 1 : 0;
    }
    Polynomial *result = ARENA_NEW(arena, Polynomial);
    *result = (Polynomial){count, terms};
    return result;
}

uint32_t integers_mark(const Integers *integers)
{
    return integers->num_facts;
}

uint32_t integers_assume(Integers *integers, const Integer *lhs, const Integer *rhs)
{
    const uint32_t mark = integers->num_facts;
    const Polynomial *fact =
        polynomial_add(integers->arena, integers->polynomials[rhs->id], integers->polynomials[lhs->id], -1);
    int64_t constant = 0;
    if (fact && !polynomial_is_constant(fact, &constant)) {
        integers_push_fact(integers, without_common_divisor(integers->arena, fact));
    }
    return mark;
}

void integers_forget(Integers *integers, uint32_t mark)
{
    integers->num_facts = mark < integers->num_facts ? mark : integers->num_facts;
}
