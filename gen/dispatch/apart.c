/* SPDX-License-Identifier: MIT */
/*
 * apart - see apart.h. Two variants are apart if their sets of values of some field have nothing in common. Each set of
 * a field is kept once, with the variants that have it; which variants are apart from a set that several have is found
 * once.
 */
#include "apart.h"

#include <string.h>

/* A set of values of one field. */
typedef struct ApartSet {
    const IntSet *set;
    int64_t min;
    int64_t max;
    uint32_t user;     /* the last clause that has it, as an index of users; 0: none */
    uint32_t sibling;  /* another set of this field; 0: none */
    bool is_shared;    /* by several clauses */
    uint64_t *clashes; /* a bit for each variant that is apart; null: not known yet */
} ApartSet;

/* A clause that has a set. */
typedef struct ApartUser {
    uint32_t variant;
    uint32_t next; /* of the same set; 0: none */
} ApartUser;

struct Apart {
    Arena *arena;
    const Dispatch *dispatch;
    Table numbers;      /* of sets, from 1 on */
    ApartSet *sets;     /* by number */
    ApartUser *users;   /* from 1 on */
    uint32_t *of_field; /* a set of each field; 0: none */
    uint32_t **of;      /* by variant and clause: the number of its set; 0: the clause alone decides nothing */
    uint64_t *found;    /* a bit for each variant that is apart from the one looked at */
    size_t num_words;
};

static bool decides(const DispatchClause *clause)
{
    return clause->equal_to == DISPATCH_NONE && clause->num_unless == 0;
}

/* What tells the clause's set from others: the field and the pieces. */
static const char *key_of(Arena *arena, const DispatchClause *clause, size_t *length)
{
    const IntSet *set = &clause->set;
    size_t n = 1 + 4 * (size_t)set->num_pieces;
    for (uint32_t i = 0; i < set->num_pieces; i++) {
        n += set->pieces[i].num_excluded;
    }
    int64_t *key = ARENA_ARRAY(arena, int64_t, n);
    size_t at = 0;
    key[at++] = clause->field;
    for (uint32_t i = 0; i < set->num_pieces; i++) {
        const IntPiece *piece = &set->pieces[i];
        const int64_t numbers[] = {piece->min, piece->max, piece->multiple, piece->num_excluded};
        memcpy(&key[at], numbers, sizeof numbers);
        at += sizeof numbers / sizeof numbers[0];
        for (uint32_t k = 0; k < piece->num_excluded; k++) {
            key[at++] = piece->excluded[k];
        }
    }
    *length = n * sizeof *key;
    return (const char *)key;
}

/* The number of the clause's set, which the variant has. */
static uint32_t add_user(Apart *apart, const DispatchClause *clause, uint32_t variant, uint32_t user)
{
    size_t length = 0;
    const char *key = key_of(apart->arena, clause, &length);
    const uint32_t next = apart->numbers.count + 1;
    const TableEntry *known = table_add(&apart->numbers, key, length, 0, next);
    const uint32_t number = known != NULL ? known->index : next;
    ApartSet *set = &apart->sets[number];
    if (known == NULL) {
        *set = (ApartSet){.set = &clause->set, .min = intset_min(&clause->set), .max = intset_max(&clause->set)};
        set->sibling = apart->of_field[clause->field];
        apart->of_field[clause->field] = number;
    }
    set->is_shared = known != NULL;
    apart->users[user] = (ApartUser){variant, set->user};
    set->user = user;
    return number;
}

Apart *apart_new(Arena *arena, const Dispatch *dispatch)
{
    Apart *apart = ARENA_NEW(arena, Apart);
    const uint32_t n = dispatch->num_variants;
    size_t num_clauses = 0;
    for (uint32_t i = 0; i < n; i++) {
        num_clauses += dispatch->variants[i].num_clauses;
    }
    *apart = (Apart){.arena = arena, .dispatch = dispatch, .num_words = (size_t)n / 64 + 1};
    table_init(&apart->numbers, arena);
    apart->sets = ARENA_ARRAY(arena, ApartSet, num_clauses + 1);
    apart->users = ARENA_ARRAY(arena, ApartUser, num_clauses + 1);
    apart->of_field = ARENA_ARRAY(arena, uint32_t, dispatch->num_fields);
    apart->of = ARENA_ARRAY(arena, uint32_t *, n);
    apart->found = ARENA_ARRAY(arena, uint64_t, apart->num_words);
    uint32_t user = 0;
    for (uint32_t i = 0; i < n; i++) {
        const DispatchVariant *variant = &dispatch->variants[i];
        apart->of[i] = ARENA_ARRAY(arena, uint32_t, variant->num_clauses);
        for (uint32_t k = 0; k < variant->num_clauses; k++) {
            apart->of[i][k] = decides(&variant->clauses[k]) ? add_user(apart, &variant->clauses[k], i, ++user) : 0;
        }
    }
    return apart;
}

static bool is_clash(const ApartSet *a, const ApartSet *b)
{
    return a->max < b->min || b->max < a->min || intset_disjoint(a->set, b->set);
}

/* Adds the variants that are apart from whoever has the set. */
static void add_clashes(const Apart *apart, const ApartSet *set, uint32_t field, uint64_t *bits)
{
    for (uint32_t other = apart->of_field[field]; other != 0; other = apart->sets[other].sibling) {
        uint32_t user = is_clash(set, &apart->sets[other]) ? apart->sets[other].user : 0;
        for (; user != 0; user = apart->users[user].next) {
            const uint32_t variant = apart->users[user].variant;
            bits[variant / 64] |= UINT64_C(1) << variant % 64;
        }
    }
}

static void add_shared(Apart *apart, ApartSet *set, uint32_t field)
{
    if (set->clashes == NULL) {
        set->clashes = ARENA_ARRAY(apart->arena, uint64_t, apart->num_words);
        add_clashes(apart, set, field, set->clashes);
    }
    for (size_t i = 0; i < apart->num_words; i++) {
        apart->found[i] |= set->clashes[i];
    }
}

/* Are all before the variant apart from it? */
static bool is_all(const Apart *apart, uint32_t variant)
{
    const uint64_t rest = (UINT64_C(1) << variant % 64) - 1;
    bool all = (apart->found[variant / 64] & rest) == rest;
    for (size_t i = 0; all && i < variant / 64; i++) {
        all = apart->found[i] == UINT64_MAX;
    }
    return all;
}

void apart_look(Apart *apart, uint32_t variant)
{
    const DispatchVariant *about = &apart->dispatch->variants[variant];
    memset(apart->found, 0, apart->num_words * sizeof *apart->found);
    for (uint32_t k = 0; k < about->num_clauses && !is_all(apart, variant); k++) {
        ApartSet *set = &apart->sets[apart->of[variant][k]];
        if (set->is_shared) {
            add_shared(apart, set, about->clauses[k].field);
        } else if (set->set != NULL) {
            add_clashes(apart, set, about->clauses[k].field, apart->found);
        }
    }
}

bool apart_from(const Apart *apart, uint32_t earlier)
{
    return (apart->found[earlier / 64] >> earlier % 64 & 1) != 0;
}
