/* SPDX-License-Identifier: MIT */
/*
 * prove_same - tensors of a call that are one object. What is the same as a third is the same, too, and what is one
 * object has one set of facts.
 *
 * A field of two tensors exists only if both do. In a world where one of them is not there, its value means nothing and
 * may be taken for 0, so what follows here from 1 excludes no call.
 */
#include "prove_private.h"

bool prove_is_fact(FieldKind kind)
{
    const FieldOf of = field_specs[kind].of;
    return of == FIELD_OF_TENSOR || of == FIELD_OF_DIM || of == FIELD_OF_LAYOUT;
}

static bool is_pair(const DispatchField *field)
{
    return field_specs[field->kind].of == FIELD_OF_PAIR;
}

static bool is_known(const ProveWorld *world, uint32_t field, int64_t truth)
{
    int64_t value = 0;
    return intset_is_point(&world->domains[prove_class(world, field)], &value) && value == truth;
}

static void merge(uint32_t *firsts, uint32_t num_nodes, uint32_t a, uint32_t b)
{
    const uint32_t first = firsts[a] < firsts[b] ? firsts[a] : firsts[b];
    const uint32_t other = firsts[a] < firsts[b] ? firsts[b] : firsts[a];
    for (uint32_t n = 0; n < num_nodes; n++) {
        firsts[n] = firsts[n] == other ? first : firsts[n];
    }
}

static uint32_t *find_firsts(Arena *arena, const Dispatch *dispatch, const ProveWorld *world)
{
    uint32_t *firsts = ARENA_ARRAY(arena, uint32_t, dispatch->num_nodes);
    for (uint32_t n = 0; n < dispatch->num_nodes; n++) {
        firsts[n] = n;
    }
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        const DispatchField *field = &dispatch->fields[i];
        if (is_pair(field) && is_known(world, i, 1)) {
            merge(firsts, dispatch->num_nodes, field->node, (uint32_t)field->dimension);
        }
    }
    return firsts;
}

/* Are two tensors of these groups known not to be one? */
static bool are_apart(const Prover *p, const uint32_t *firsts, uint32_t a, uint32_t b)
{
    bool apart = false;
    for (uint32_t i = 0; i < p->dispatch->num_fields; i++) {
        const DispatchField *field = &p->dispatch->fields[i];
        if (is_pair(field) && is_known(&p->world, i, 0)) {
            const uint32_t one = firsts[field->node];
            const uint32_t other = firsts[field->dimension];
            apart = apart || (one == a && other == b) || (one == b && other == a);
        }
    }
    return apart;
}

static bool settle_pairs(Prover *p, const uint32_t *firsts)
{
    bool possible = true;
    for (uint32_t i = 0; i < p->dispatch->num_fields && possible; i++) {
        const DispatchField *field = &p->dispatch->fields[i];
        if (!is_pair(field)) {
            continue;
        }
        const uint32_t one = firsts[field->node];
        const uint32_t other = firsts[field->dimension];
        const int64_t truth = one == other ? 1 : 0;
        if (!is_known(&p->world, i, truth) && (truth == 1 || are_apart(p, firsts, one, other))) {
            const IntSet set = intset_point(&p->scratch, truth);
            possible = prove_assert_in(p, i, &set);
        }
    }
    return possible;
}

/* The same field of another node. */
static int32_t counterpart(const Dispatch *dispatch, const DispatchField *field, uint32_t node)
{
    return dispatch_find_field(dispatch, field->kind, node, field->dimension);
}

static bool share_facts(Prover *p, const uint32_t *firsts)
{
    const Dispatch *dispatch = p->dispatch;
    bool possible = true;
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        const DispatchField *field = &dispatch->fields[i];
        for (uint32_t n = firsts[field->node]; prove_is_fact(field->kind) && possible && n < field->node; n++) {
            const int32_t same = firsts[n] == firsts[field->node] ? counterpart(dispatch, field, n) : DISPATCH_NONE;
            possible = same == DISPATCH_NONE || prove_assert_equal(p, (uint32_t)same, i);
        }
    }
    return possible;
}

bool prove_unite(Prover *p)
{
    const uint32_t *firsts = find_firsts(&p->scratch, p->dispatch, &p->world);
    p->world.firsts = firsts;
    prove_spend(p, p->dispatch->num_fields);
    return settle_pairs(p, firsts) && share_facts(p, firsts);
}

bool prove_is_same(const ProveWorld *world, uint32_t a, uint32_t b)
{
    return a == b || (world->firsts != NULL && world->firsts[a] == world->firsts[b]);
}

int32_t prove_field(const Dispatch *dispatch, const ProveWorld *world, FieldKind kind, uint32_t node, int64_t d)
{
    int32_t field = dispatch_find_field(dispatch, kind, node, (int32_t)d);
    const bool shared = world->firsts != NULL && prove_is_fact(kind);
    for (uint32_t n = 0; shared && field == DISPATCH_NONE && n < dispatch->num_nodes; n++) {
        field = prove_is_same(world, n, node) ? dispatch_find_field(dispatch, kind, n, (int32_t)d) : DISPATCH_NONE;
    }
    return field;
}
