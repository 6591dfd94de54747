/* SPDX-License-Identifier: MIT */
/*
 * prove_world - a world is what is known about each field of a call: a set of values for each class of fields that are
 * equal, and pairs that differ. Clauses are asserted in it and undone; a world with an empty set is impossible.
 */
#include "prove_private.h"

#include <inttypes.h>
#include <string.h>

typedef enum Truth3 { HOLDS_NOT, HOLDS, HOLDS_PERHAPS } Truth3;

uint32_t prove_class(const ProveWorld *world, uint32_t field)
{
    while (world->parents[field] != field) {
        field = world->parents[field];
    }
    return field;
}

static void remember(Prover *p, uint32_t field, bool merged)
{
    if (p->num_trail == p->trail_capacity) {
        const uint32_t more = p->trail_capacity == 0 ? 64 : 2 * p->trail_capacity;
        p->trail = arena_grow(&p->scratch, p->trail, p->trail_capacity * sizeof(Undo), more * sizeof(Undo));
        p->trail_capacity = more;
    }
    p->trail[p->num_trail++] = (Undo){field, merged, p->world.domains[field]};
}

Mark prove_mark(const Prover *p)
{
    return (Mark){p->num_trail, p->world.num_differ, p->num_pending};
}

void prove_undo(Prover *p, Mark to)
{
    while (p->num_trail > to.trail) {
        const Undo *last = &p->trail[--p->num_trail];
        p->world.domains[last->field] = last->domain;
        if (last->merged) {
            p->world.parents[last->field] = last->field;
        }
    }
    p->world.num_differ = to.differ;
    p->num_pending = to.pending;
}

static bool known_to_differ(const Prover *p, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < p->world.num_differ; i++) {
        const uint32_t one = prove_class(&p->world, p->world.differ[i][0]);
        const uint32_t other = prove_class(&p->world, p->world.differ[i][1]);
        if ((one == a && other == b) || (one == b && other == a)) {
            return true;
        }
    }
    return false;
}

/* Each assertion returns false if it leaves nothing. */
bool prove_assert_in(Prover *p, uint32_t field, const IntSet *set)
{
    const uint32_t class = prove_class(&p->world, field);
    const IntSet both = intset_intersect(&p->scratch, &p->world.domains[class], set);
    remember(p, class, false);
    p->world.domains[class] = both;
    return !intset_is_empty(&both);
}

bool prove_assert_equal(Prover *p, uint32_t a, uint32_t b)
{
    const uint32_t one = prove_class(&p->world, a);
    const uint32_t other = prove_class(&p->world, b);
    if (one == other) {
        return true;
    }
    if (known_to_differ(p, one, other) || !prove_assert_in(p, one, &p->world.domains[other])) {
        return false;
    }
    remember(p, other, true);
    p->world.parents[other] = one;
    return true;
}

static bool assert_differ(Prover *p, uint32_t a, uint32_t b)
{
    int64_t x = 0;
    int64_t y = 0;
    const uint32_t one = prove_class(&p->world, a);
    const uint32_t other = prove_class(&p->world, b);
    if (one == other ||
        (intset_is_point(&p->world.domains[one], &x) && intset_is_point(&p->world.domains[other], &y) && x == y)) {
        return false;
    }
    if (p->world.num_differ == p->differ_capacity) {
        const uint32_t more = p->differ_capacity == 0 ? 16 : 2 * p->differ_capacity;
        p->world.differ = arena_grow(&p->scratch, p->world.differ, p->differ_capacity * sizeof *p->world.differ,
                                     more * sizeof *p->world.differ);
        p->differ_capacity = more;
    }
    p->world.differ[p->world.num_differ][0] = a;
    p->world.differ[p->world.num_differ][1] = b;
    p->world.num_differ++;
    return true;
}

/* ---- what holds ---- */

static Truth3 truth_of_set(const Prover *p, uint32_t field, const IntSet *set, const IntSet *complement)
{
    const IntSet *domain = &p->world.domains[prove_class(&p->world, field)];
    if (intset_disjoint(domain, set)) {
        return HOLDS_NOT;
    }
    return intset_disjoint(domain, complement) && !complement->too_large ? HOLDS : HOLDS_PERHAPS;
}

static Truth3 truth_of_equal(const Prover *p, uint32_t a, uint32_t b)
{
    int64_t x = 0;
    int64_t y = 0;
    const uint32_t one = prove_class(&p->world, a);
    const uint32_t other = prove_class(&p->world, b);
    const IntSet *left = &p->world.domains[one];
    const IntSet *right = &p->world.domains[other];
    if (one == other) {
        return HOLDS;
    }
    if (intset_disjoint(left, right) || known_to_differ(p, one, other)) {
        return HOLDS_NOT;
    }
    return intset_is_point(left, &x) && intset_is_point(right, &y) && x == y ? HOLDS : HOLDS_PERHAPS;
}

static Truth3 truth_of_literal(const Prover *p, const DispatchClause *clause)
{
    return clause->equal_to == DISPATCH_NONE ? truth_of_set(p, clause->field, &clause->set, &clause->complement)
                                             : truth_of_equal(p, clause->field, (uint32_t)clause->equal_to);
}

int prove_open_alternatives(Prover *p, const DispatchClause *clause)
{
    const Truth3 literal = truth_of_literal(p, clause);
    int open = literal == HOLDS_PERHAPS ? 1 : 0;
    p->effort -= p->effort > 0 ? 1 : 0;
    if (literal == HOLDS) {
        return -1;
    }
    for (uint32_t i = 0; i < clause->num_unless; i++) {
        const DispatchUnless *unless = &clause->unless[i];
        const Truth3 truth = truth_of_set(p, unless->field, &unless->set, &unless->complement);
        if (truth == HOLDS) {
            return -1;
        }
        open += truth == HOLDS_PERHAPS ? 1 : 0;
    }
    return open;
}

/* ---- asserting clauses ---- */

bool prove_assert_alternative(Prover *p, const DispatchClause *clause, uint32_t alternative)
{
    if (alternative > 0) {
        const DispatchUnless *unless = &clause->unless[alternative - 1];
        return prove_assert_in(p, unless->field, &unless->set);
    }
    return clause->equal_to == DISPATCH_NONE ? prove_assert_in(p, clause->field, &clause->set)
                                             : prove_assert_equal(p, (uint32_t)clause->equal_to, clause->field);
}

static bool assert_clause(Prover *p, const DispatchClause *clause)
{
    if (clause->num_unless == 0) {
        return prove_assert_alternative(p, clause, 0);
    }
    p->pending =
        arena_grow(&p->scratch, p->pending, p->num_pending * sizeof(void *), (p->num_pending + 1) * sizeof(void *));
    p->pending[p->num_pending++] = clause;
    return true;
}

bool prove_assert_variant(Prover *p, const DispatchVariant *variant)
{
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        if (!assert_clause(p, &variant->clauses[i])) {
            return false;
        }
    }
    return true;
}

bool prove_assert_fails(Prover *p, const DispatchClause *clause)
{
    for (uint32_t i = 0; i < clause->num_unless; i++) {
        if (!prove_assert_in(p, clause->unless[i].field, &clause->unless[i].complement)) {
            return false;
        }
    }
    return clause->equal_to == DISPATCH_NONE ? prove_assert_in(p, clause->field, &clause->complement)
                                             : assert_differ(p, (uint32_t)clause->equal_to, clause->field);
}

bool prove_alternative_is_open(const Prover *p, const DispatchClause *clause, uint32_t alternative)
{
    if (alternative == 0) {
        return truth_of_literal(p, clause) == HOLDS_PERHAPS;
    }
    const DispatchUnless *unless = &clause->unless[alternative - 1];
    return truth_of_set(p, unless->field, &unless->set, &unless->complement) == HOLDS_PERHAPS;
}

bool prove_settle_pending(Prover *p)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < p->num_pending; i++) {
            const DispatchClause *clause = p->pending[i];
            const int open = prove_open_alternatives(p, clause);
            if (open == 0) {
                return false;
            }
            for (uint32_t k = 0; open == 1 && k <= clause->num_unless; k++) {
                if (!prove_alternative_is_open(p, clause, k)) {
                    continue;
                }
                changed = true;
                if (!prove_assert_alternative(p, clause, k)) {
                    return false;
                }
            }
        }
    }
    return true;
}
