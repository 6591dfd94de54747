/* SPDX-License-Identifier: MIT */
/*
 * polynomial - the normal form of integers: sums of products of atoms with 64-bit coefficients.
 *
 * Two integers are equal for all values of their atoms exactly when their polynomials are the same, term by term. Every
 * operation is checked: it gives null rather than a coefficient that overflowed or a sum that grew past the limits, and
 * callers then treat the integer as unknown. Nothing here knows what an atom means.
 */
#include "integer_private.h"

#include <stddef.h>

#include "../../templates/core/wg_compiler.h"

const Polynomial *polynomial_constant(Arena *arena, int64_t value)
{
    Polynomial *result = ARENA_NEW(arena, Polynomial);
    if (value != 0) {
        Term *term = ARENA_NEW(arena, Term);
        term->coefficient = value;
        result->num_terms = 1;
        result->terms = term;
    }
    return result;
}

const Polynomial *polynomial_atom(Arena *arena, uint32_t id)
{
    uint32_t *atoms = ARENA_NEW(arena, uint32_t);
    *atoms = id;
    Term *term = ARENA_NEW(arena, Term);
    *term = (Term){1, 1, atoms};
    Polynomial *result = ARENA_NEW(arena, Polynomial);
    *result = (Polynomial){1, term};
    return result;
}

static int compare_terms(const Term *a, const Term *b)
{
    if (a->num_atoms != b->num_atoms) {
        return a->num_atoms < b->num_atoms ? -1 : 1;
    }
    for (uint32_t i = 0; i < a->num_atoms; i++) {
        if (a->atoms[i] != b->atoms[i]) {
            return a->atoms[i] < b->atoms[i] ? -1 : 1;
        }
    }
    return 0;
}

/* Merges the sorted terms of a and factor_of_b * b. */
const Polynomial *polynomial_add(Arena *arena, const Polynomial *a, const Polynomial *b, int64_t factor_of_b)
{
    Term *terms = ARENA_ARRAY(arena, Term, (size_t)a->num_terms + b->num_terms);
    uint32_t count = 0;
    uint32_t i = 0;
    uint32_t j = 0;
    while (i < a->num_terms || j < b->num_terms) {
        const int order = i == a->num_terms ? 1 : j == b->num_terms ? -1 : compare_terms(&a->terms[i], &b->terms[j]);
        Term term = order <= 0 ? a->terms[i] : b->terms[j];
        int64_t sum = order <= 0 ? term.coefficient : 0;
        int64_t product = 0;
        if (order >= 0 &&
            (wg_ckd_mul(&product, b->terms[j].coefficient, factor_of_b) || wg_ckd_add(&sum, sum, product))) {
            return NULL;
        }
        i += order <= 0 ? 1 : 0;
        j += order >= 0 ? 1 : 0;
        if (sum != 0) {
            term.coefficient = sum;
            terms[count++] = term;
        }
    }
    if (count > POLYNOMIAL_MAX_TERMS) {
        return NULL;
    }
    Polynomial *result = ARENA_NEW(arena, Polynomial);
    *result = (Polynomial){count, terms};
    return result;
}

static bool multiply_terms(Arena *arena, const Term *a, const Term *b, Term *result)
{
    if (a->num_atoms + b->num_atoms > POLYNOMIAL_MAX_DEGREE ||
        wg_ckd_mul(&result->coefficient, a->coefficient, b->coefficient)) {
        return false;
    }
    uint32_t *atoms = ARENA_ARRAY(arena, uint32_t, (size_t)a->num_atoms + b->num_atoms);
    uint32_t i = 0;
    uint32_t j = 0;
    while (i < a->num_atoms || j < b->num_atoms) {
        const bool from_a = j == b->num_atoms || (i < a->num_atoms && a->atoms[i] <= b->atoms[j]);
        atoms[i + j] = from_a ? a->atoms[i] : b->atoms[j];
        i += from_a ? 1 : 0;
        j += from_a ? 0 : 1;
    }
    result->num_atoms = a->num_atoms + b->num_atoms;
    result->atoms = atoms;
    return true;
}

const Polynomial *polynomial_multiply(Arena *arena, const Polynomial *a, const Polynomial *b)
{
    const Polynomial *sum = polynomial_constant(arena, 0);
    for (uint32_t i = 0; sum && i < a->num_terms; i++) {
        for (uint32_t j = 0; sum && j < b->num_terms; j++) {
            Term term;
            if (!multiply_terms(arena, &a->terms[i], &b->terms[j], &term)) {
                return NULL;
            }
            const Polynomial product = {1, &term};
            sum = polynomial_add(arena, sum, &product, 1);
        }
    }
    return sum;
}

const Polynomial *polynomial_substitute(Arena *arena, const Polynomial *polynomial, uint32_t atom, const Polynomial *by)
{
    const Polynomial *sum = polynomial_constant(arena, 0);
    for (uint32_t i = 0; sum && i < polynomial->num_terms; i++) {
        const Term *term = &polynomial->terms[i];
        uint32_t *others = ARENA_ARRAY(arena, uint32_t, term->num_atoms);
        Term rest = {term->coefficient, 0, others};
        for (uint32_t j = 0; j < term->num_atoms; j++) {
            if (term->atoms[j] != atom) {
                others[rest.num_atoms++] = term->atoms[j];
            }
        }
        const Polynomial without = {1, &rest};
        const Polynomial *product = &without;
        for (uint32_t power = term->num_atoms - rest.num_atoms; product && power > 0; power--) {
            product = polynomial_multiply(arena, product, by);
        }
        sum = product ? polynomial_add(arena, sum, product, 1) : NULL;
    }
    return sum;
}

/* Takes the divisor's atoms out of the term's; false when one of them is not there. */
static bool divide_term(Arena *arena, const Term *term, const Term *divisor, Term *result)
{
    if (divisor->coefficient == -1 && term->coefficient == INT64_MIN) {
        return false;
    }
    if (divisor->num_atoms > term->num_atoms || term->coefficient % divisor->coefficient != 0) {
        return false;
    }
    uint32_t *atoms = ARENA_ARRAY(arena, uint32_t, term->num_atoms);
    uint32_t count = 0;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < term->num_atoms; i++) {
        if (taken < divisor->num_atoms && term->atoms[i] == divisor->atoms[taken]) {
            taken++;
        } else {
            atoms[count++] = term->atoms[i];
        }
    }
    *result = (Term){term->coefficient / divisor->coefficient, count, atoms};
    return taken == divisor->num_atoms;
}

const Polynomial *polynomial_quotient(Arena *arena, const Polynomial *dividend, const Polynomial *divisor)
{
    if (divisor->num_terms != 1) {
        return NULL;
    }
    /* The number of terms stays the same but not their order: s0 before s1*s2 may become s0 after s1. So they are added
     * one by one. */
    const Polynomial *sum = polynomial_constant(arena, 0);
    for (uint32_t i = 0; sum && i < dividend->num_terms; i++) {
        Term term;
        if (!divide_term(arena, &dividend->terms[i], &divisor->terms[0], &term)) {
            return NULL;
        }
        const Polynomial quotient = {1, &term};
        sum = polynomial_add(arena, sum, &quotient, 1);
    }
    return sum;
}

bool polynomial_is_constant(const Polynomial *polynomial, int64_t *value)
{
    if (polynomial->num_terms == 0) {
        *value = 0;
        return true;
    }
    if (polynomial->num_terms == 1 && polynomial->terms[0].num_atoms == 0) {
        *value = polynomial->terms[0].coefficient;
        return true;
    }
    return false;
}

uint64_t polynomial_divisor(const Polynomial *p)
{
    uint64_t divisor = 0;
    for (uint32_t i = 0; i < p->num_terms; i++) {
        const int64_t coefficient = p->terms[i].num_atoms == 0 ? 0 : p->terms[i].coefficient;
        uint64_t a = coefficient < 0 ? 0 - (uint64_t)coefficient : (uint64_t)coefficient;
        while (a != 0) {
            const uint64_t rest = divisor % a;
            divisor = a;
            a = rest;
        }
    }
    return divisor;
}
