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

/* Pairs of tensors that are known not to be one, by group: each is in the lists of both. */
typedef struct Distinct {
    uint32_t *first; /* by the first node of a group: the newest entry of its list; 0: none */
    uint32_t *degree;
    uint32_t *other; /* by entry, from 1 on: the first node of the other group */
    uint32_t *next;
    uint32_t num_entries;
} Distinct;

static bool is_known(const ProveWorld *world, uint32_t field, int64_t *truth)
{
    return intset_is_point(&world->domains[prove_class(world, field)], truth);
}

static uint32_t root_of(const uint32_t *firsts, uint32_t node)
{
    while (firsts[node] != node) {
        node = firsts[node];
    }
    return node;
}

static void merge(uint32_t *firsts, uint32_t a, uint32_t b)
{
    const uint32_t one = root_of(firsts, a);
    const uint32_t other = root_of(firsts, b);
    firsts[one > other ? one : other] = one > other ? other : one;
}

static uint32_t *find_firsts(const Prover *p, Arena *arena)
{
    const Dispatch *dispatch = p->dispatch;
    uint32_t *firsts = ARENA_ARRAY(arena, uint32_t, dispatch->num_nodes);
    for (uint32_t n = 0; n < dispatch->num_nodes; n++) {
        firsts[n] = n;
    }
    for (uint32_t i = 0; i < p->num_pairs; i++) {
        const DispatchField *field = &dispatch->fields[p->pairs[i]];
        int64_t truth = 0;
        if (is_known(&p->world, p->pairs[i], &truth) && truth == 1) {
            merge(firsts, field->node, (uint32_t)field->dimension);
        }
    }
    for (uint32_t n = 0; n < dispatch->num_nodes; n++) {
        firsts[n] = firsts[firsts[n]]; /* a node before it, whose own first is known */
    }
    return firsts;
}

static uint32_t *find_befores(Arena *arena, const uint32_t *firsts, uint32_t num_nodes)
{
    uint32_t *befores = ARENA_ARRAY(arena, uint32_t, num_nodes);
    for (uint32_t n = 0; n < num_nodes; n++) {
        befores[n] = firsts[n] == n ? n : befores[firsts[n]]; /* the first one has the last one so far */
        befores[firsts[n]] = n;
    }
    return befores;
}

static void add_distinct(Distinct *distinct, uint32_t a, uint32_t b)
{
    distinct->num_entries++;
    distinct->other[distinct->num_entries] = b;
    distinct->next[distinct->num_entries] = distinct->first[a];
    distinct->first[a] = distinct->num_entries;
    distinct->degree[a]++;
}

static Distinct find_distinct(Prover *p, const uint32_t *firsts)
{
    const uint32_t num_nodes = p->dispatch->num_nodes;
    Distinct distinct = {.first = ARENA_ARRAY(&p->scratch, uint32_t, num_nodes),
                         .degree = ARENA_ARRAY(&p->scratch, uint32_t, num_nodes),
                         .other = ARENA_ARRAY(&p->scratch, uint32_t, 2 * (size_t)p->num_pairs + 1),
                         .next = ARENA_ARRAY(&p->scratch, uint32_t, 2 * (size_t)p->num_pairs + 1)};
    for (uint32_t i = 0; i < p->num_pairs; i++) {
        const DispatchField *field = &p->dispatch->fields[p->pairs[i]];
        int64_t truth = 0;
        if (is_known(&p->world, p->pairs[i], &truth) && truth == 0) {
            add_distinct(&distinct, firsts[field->node], firsts[field->dimension]);
            add_distinct(&distinct, firsts[field->dimension], firsts[field->node]);
        }
    }
    return distinct;
}

/* Are two tensors of these groups known not to be one? */
static bool are_distinct(const Distinct *distinct, uint32_t a, uint32_t b)
{
    const uint32_t one = distinct->degree[a] < distinct->degree[b] ? a : b;
    const uint32_t other = one == a ? b : a;
    uint32_t entry = distinct->first[one];
    while (entry != 0 && distinct->other[entry] != other) {
        entry = distinct->next[entry];
    }
    return entry != 0;
}

static bool settle_pairs(Prover *p, const uint32_t *firsts)
{
    const Distinct distinct = find_distinct(p, firsts);
    bool possible = true;
    for (uint32_t i = 0; i < p->num_pairs && possible; i++) {
        const DispatchField *field = &p->dispatch->fields[p->pairs[i]];
        const uint32_t one = firsts[field->node];
        const uint32_t other = firsts[field->dimension];
        const int64_t truth = one == other ? 1 : 0;
        int64_t known = 0;
        if ((!is_known(&p->world, p->pairs[i], &known) || known != truth) &&
            (truth == 1 || are_distinct(&distinct, one, other))) {
            const IntSet set = intset_point(&p->scratch, truth);
            possible = prove_assert_in(p, p->pairs[i], &set);
        }
    }
    return possible;
}

/* The same field of the last node before it in its group that has one: those before that one have met it already. */
static int32_t counterpart(const Dispatch *dispatch, const ProveWorld *world, const DispatchField *field)
{
    int32_t same = DISPATCH_NONE;
    for (uint32_t n = field->node; same == DISPATCH_NONE && world->firsts[n] != n;) {
        n = world->befores[n];
        same = dispatch_find_field(dispatch, field->kind, n, field->dimension);
    }
    return same;
}

static bool share_facts(Prover *p)
{
    const Dispatch *dispatch = p->dispatch;
    bool possible = true;
    for (uint32_t n = 0; n < dispatch->num_nodes; n++) {
        int32_t i = p->world.firsts[n] != n ? dispatch->nodes[n].first_field : DISPATCH_NONE;
        for (; i != DISPATCH_NONE && possible; i = dispatch->fields[i].next) {
            const DispatchField *field = &dispatch->fields[i];
            const int32_t same = prove_is_fact(field->kind) ? counterpart(dispatch, &p->world, field) : DISPATCH_NONE;
            possible = same == DISPATCH_NONE || prove_assert_equal(p, (uint32_t)same, (uint32_t)i);
        }
    }
    return possible;
}

bool prove_unite(Prover *p)
{
    const uint32_t *firsts = find_firsts(p, &p->scratch);
    p->world.firsts = firsts;
    p->world.befores = find_befores(&p->scratch, firsts, p->dispatch->num_nodes);
    prove_spend(p, p->dispatch->num_fields);
    return settle_pairs(p, firsts) && share_facts(p);
}

bool prove_is_same(const ProveWorld *world, uint32_t a, uint32_t b)
{
    return a == b || (world->firsts != NULL && world->firsts[a] == world->firsts[b]);
}

int32_t prove_field(const Dispatch *dispatch, const ProveWorld *world, FieldKind kind, uint32_t node, int64_t d)
{
    int32_t field = dispatch_find_field(dispatch, kind, node, (int32_t)d);
    const bool shared = world->firsts != NULL && prove_is_fact(kind);
    uint32_t n = shared ? world->befores[node] : node;
    for (; field == DISPATCH_NONE && n != node; n = world->befores[n]) {
        field = dispatch_find_field(dispatch, kind, n, (int32_t)d);
    }
    return field;
}
