/* SPDX-License-Identifier: MIT */
/*
 * dispatch_plan - chooses how a dispatcher finds its variant.
 *
 *     chain  one variant after another: the best for a few
 *     tree   switches over literals, nested, with a chain in each leaf
 *     hash   the same literals hashed, one table access, one check of the candidate (hash and displace: a bucket of
 *            keys is moved to slots that are free, the largest bucket first, so a search never takes long)
 *
 * The order in the file decides among variants that overlap. Keyed variants are searched first, so a variant may be
 * keyed only if it does not overlap with an earlier one that is not keyed.
 *
 * The thresholds are measured: `make bench`, table "dispatch".
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch.h"
#include "apart.h"

enum { CHAIN_MOST = 6, TREE_MOST = 64, MAX_KEYS = 4, HASH_TRIES = 64 };

bool dispatch_literal_of(const DispatchVariant *variant, uint32_t field, int64_t *value)
{
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        const DispatchClause *clause = &variant->clauses[i];
        if (clause->field == field && clause->equal_to == DISPATCH_NONE && clause->num_unless == 0) {
            return intset_is_point(&clause->set, value);
        }
    }
    return false;
}

uint32_t dispatch_branch(const Dispatch *dispatch, const DispatchPlan *plan, uint32_t first, uint32_t end,
                         uint32_t depth, int64_t *value)
{
    const uint32_t field = plan->keys[depth];
    uint32_t next = first + 1;
    int64_t other = 0;
    (void)dispatch_literal_of(&dispatch->variants[plan->keyed[first]], field, value);
    while (next < end && dispatch_literal_of(&dispatch->variants[plan->keyed[next]], field, &other) &&
           other == *value) {
        next++;
    }
    return next;
}

/* ---- what every variant requires ---- */

static bool is_plain(const DispatchClause *clause)
{
    return clause->equal_to == DISPATCH_NONE && clause->num_unless == 0;
}

bool dispatch_is_hoisted(const DispatchPlan *plan, const DispatchClause *clause)
{
    return plan->hoisted[clause->field] && is_plain(clause);
}

bool dispatch_is_left(const DispatchPlan *plan, const DispatchClause *clause, const uint32_t *known, uint32_t num_known)
{
    bool left = !dispatch_is_hoisted(plan, clause);
    for (uint32_t i = 0; i < num_known; i++) {
        left = left && !(clause->field == known[i] && is_plain(clause));
    }
    return left;
}

static bool same_set(Arena *arena, const IntSet *a, const IntSet *b)
{
    return intset_within(arena, a, b) && intset_within(arena, b, a);
}

static const DispatchClause *plain_clause(const DispatchVariant *variant, uint32_t field)
{
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        const DispatchClause *clause = &variant->clauses[i];
        if (clause->field == field && clause->equal_to == DISPATCH_NONE && clause->num_unless == 0) {
            return clause;
        }
    }
    return NULL;
}

static bool is_common(Dispatch *dispatch, uint32_t field)
{
    const DispatchClause *first = dispatch->num_variants > 0 ? plain_clause(&dispatch->variants[0], field) : NULL;
    for (uint32_t i = 1; first != NULL && i < dispatch->num_variants; i++) {
        const DispatchClause *other = plain_clause(&dispatch->variants[i], field);
        first = other != NULL && same_set(dispatch->arena, &first->set, &other->set) ? first : NULL;
    }
    return first != NULL;
}

/* ---- keys ---- */

/* The literals of all variants, one row per variant; `is_literal` says where there is one. */
typedef struct Literals {
    Dispatch *dispatch;
    int64_t *values;
    bool *is_literal;
    bool *keyed; /* by variant */
} Literals;

static int64_t literal_at(const Literals *literals, uint32_t variant, uint32_t field)
{
    return literals->values[(size_t)variant * literals->dispatch->num_fields + field];
}

static bool has_literal(const Literals *literals, uint32_t variant, uint32_t field)
{
    return literals->is_literal[(size_t)variant * literals->dispatch->num_fields + field];
}

static Literals find_literals(Dispatch *dispatch)
{
    const size_t n = (size_t)dispatch->num_variants * dispatch->num_fields;
    Literals literals = {.dispatch = dispatch};
    literals.values = ARENA_ARRAY(dispatch->arena, int64_t, n);
    literals.is_literal = ARENA_ARRAY(dispatch->arena, bool, n);
    literals.keyed = ARENA_ARRAY(dispatch->arena, bool, dispatch->num_variants);
    for (size_t i = 0; i < n; i++) {
        const DispatchVariant *variant = &dispatch->variants[i / dispatch->num_fields];
        literals.is_literal[i] =
            dispatch_literal_of(variant, (uint32_t)(i % dispatch->num_fields), &literals.values[i]);
    }
    return literals;
}

/* A keyed variant and its key, to be sorted: by key, then by the order in the file. */
typedef struct Keyed {
    int64_t key[MAX_KEYS];
    uint32_t variant;
} Keyed;

static int compare_keys(const Keyed *a, const Keyed *b)
{
    for (int i = 0; i < MAX_KEYS; i++) {
        if (a->key[i] != b->key[i]) {
            return a->key[i] < b->key[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_keyed(const void *left, const void *right)
{
    const Keyed *a = left;
    const Keyed *b = right;
    const int order = compare_keys(a, b);
    return order != 0 ? order : (a->variant < b->variant ? -1 : 1);
}

static Keyed *sort_keyed(const Literals *literals, const uint32_t *keys, uint32_t num_keys, uint32_t *n)
{
    Keyed *all = ARENA_ARRAY(literals->dispatch->arena, Keyed, literals->dispatch->num_variants);
    *n = 0;
    for (uint32_t i = 0; i < literals->dispatch->num_variants; i++) {
        if (literals->keyed[i]) {
            all[*n].variant = i;
            for (uint32_t k = 0; k < num_keys; k++) {
                all[*n].key[k] = literal_at(literals, i, keys[k]);
            }
            ++*n;
        }
    }
    qsort(all, *n, sizeof *all, compare_keyed);
    return all;
}

static uint32_t count_groups(const Keyed *sorted, uint32_t n)
{
    uint32_t groups = n > 0 ? 1 : 0;
    for (uint32_t i = 1; i < n; i++) {
        groups += compare_keys(&sorted[i - 1], &sorted[i]) != 0 ? 1 : 0;
    }
    return groups;
}

/* The first key is the field with the most literals, then the most different ones; further keys are fields that all
 * keyed variants have as literals, as long as they tell more of them apart. */
static void choose_keys(Literals *literals, DispatchPlan *plan)
{
    Dispatch *dispatch = literals->dispatch;
    uint32_t most = 0;
    uint32_t most_groups = 0;
    bool *keyed = ARENA_ARRAY(dispatch->arena, bool, dispatch->num_variants);
    for (uint32_t field = 0; field < dispatch->num_fields; field++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < dispatch->num_variants; i++) {
            literals->keyed[i] = has_literal(literals, i, field);
        }
        const Keyed *sorted = sort_keyed(literals, &field, 1, &n);
        const uint32_t groups = count_groups(sorted, n);
        if (groups > 1 && (n > most || (n == most && groups > most_groups))) {
            most = n;
            most_groups = groups;
            plan->keys[0] = field;
            plan->num_keys = 1;
            memcpy(keyed, literals->keyed, dispatch->num_variants * sizeof *keyed);
        }
    }
    memcpy(literals->keyed, keyed, dispatch->num_variants * sizeof *keyed);
    while (plan->num_keys > 0 && plan->num_keys < MAX_KEYS && most_groups < most) {
        uint32_t best = 0;
        uint32_t best_groups = most_groups;
        for (uint32_t field = 0; field < dispatch->num_fields; field++) {
            bool all = true;
            for (uint32_t i = 0; i < dispatch->num_variants; i++) {
                all = all && (!literals->keyed[i] || has_literal(literals, i, field));
            }
            uint32_t n = 0;
            plan->keys[plan->num_keys] = field;
            const Keyed *sorted = all ? sort_keyed(literals, plan->keys, plan->num_keys + 1, &n) : NULL;
            const uint32_t groups = count_groups(sorted, n);
            if (groups > best_groups) {
                best = field;
                best_groups = groups;
            }
        }
        if (best_groups == most_groups) {
            break;
        }
        plan->keys[plan->num_keys++] = best;
        most_groups = best_groups;
    }
}

/* Leaves to the chain any variant whose calls an earlier variant of the chain may take. */
static void keep_order(Literals *literals)
{
    Apart *apart = apart_new(literals->dispatch->arena, literals->dispatch);
    for (uint32_t j = 0; j < literals->dispatch->num_variants; j++) {
        if (literals->keyed[j]) {
            apart_look(apart, j);
        }
        for (uint32_t i = 0; literals->keyed[j] && i < j; i++) {
            literals->keyed[j] = literals->keyed[i] || apart_from(apart, i);
        }
    }
}

/* ---- the hash ---- */

static uint64_t mix(uint64_t *state)
{
    /* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014) */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t hash_of(const DispatchPlan *plan, const int64_t *key)
{
    uint64_t hash = 0;
    for (uint32_t k = 0; k < plan->num_keys; k++) {
        hash += (uint64_t)key[k] * plan->factors[k];
    }
    return hash;
}

static uint32_t bucket_of(const DispatchPlan *plan, uint64_t hash)
{
    return (uint32_t)(hash >> (64 - plan->bucket_bits));
}

static uint32_t slot_of(const DispatchPlan *plan, uint64_t hash, uint32_t displacement)
{
    const uint32_t mask = (1U << plan->slot_bits) - 1;
    return ((uint32_t)(hash >> 32) + displacement) & mask;
}

/* Can all groups of the bucket move there? Marks them if so. */
static bool place_bucket(DispatchPlan *plan, const uint64_t *hashes, const uint32_t *members, uint32_t n,
                         uint32_t displacement)
{
    for (uint32_t i = 0; i < n; i++) {
        int32_t *slot = &plan->slots[slot_of(plan, hashes[members[i]], displacement)];
        if (*slot >= 0) {
            for (uint32_t k = 0; k < i; k++) {
                plan->slots[slot_of(plan, hashes[members[k]], displacement)] = -1;
            }
            return false;
        }
        *slot = (int32_t)members[i];
    }
    return true;
}

static bool place_all(Arena *arena, DispatchPlan *plan, const uint64_t *hashes)
{
    const uint32_t num_slots = 1U << plan->slot_bits;
    const uint32_t num_buckets = 1U << plan->bucket_bits;
    uint32_t *members = ARENA_ARRAY(arena, uint32_t, plan->num_groups);
    for (uint32_t i = 0; i < num_slots; i++) {
        plan->slots[i] = -1;
    }
    for (uint32_t size = plan->num_groups; size > 0; size--) {
        for (uint32_t bucket = 0; bucket < num_buckets; bucket++) {
            uint32_t n = 0;
            for (uint32_t i = 0; i < plan->num_groups; i++) {
                if (bucket_of(plan, hashes[i]) == bucket) {
                    members[n++] = i;
                }
            }
            uint32_t displacement = 0;
            while (n == size && displacement < num_slots && !place_bucket(plan, hashes, members, n, displacement)) {
                displacement++;
            }
            if (n == size) {
                plan->displacements[bucket] = displacement;
            }
            if (displacement == num_slots) {
                return false;
            }
        }
        if (size > 16) {
            size = 17; /* a bucket that large is as good as a failure; the next factors are tried */
            for (uint32_t bucket = 0; bucket < num_buckets; bucket++) {
                uint32_t n = 0;
                for (uint32_t i = 0; i < plan->num_groups; i++) {
                    n += bucket_of(plan, hashes[i]) == bucket ? 1 : 0;
                }
                if (n > 16) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool make_hash(Arena *arena, DispatchPlan *plan, const Keyed *sorted)
{
    uint64_t state = 1;
    uint64_t *hashes = ARENA_ARRAY(arena, uint64_t, plan->num_groups);
    for (plan->slot_bits = 1; (1U << plan->slot_bits) < plan->num_groups + plan->num_groups / 4; plan->slot_bits++) {
    }
    plan->bucket_bits = plan->slot_bits > 2 ? plan->slot_bits - 2 : 1;
    plan->slots = ARENA_ARRAY(arena, int32_t, (size_t)1 << plan->slot_bits);
    plan->displacements = ARENA_ARRAY(arena, uint32_t, (size_t)1 << plan->bucket_bits);
    for (int try = 0; try < HASH_TRIES; try++) {
        for (uint32_t k = 0; k < plan->num_keys; k++) {
            plan->factors[k] = mix(&state) | 1;
        }
        for (uint32_t i = 0; i < plan->num_groups; i++) {
            hashes[i] = hash_of(plan, sorted[plan->groups[i]].key);
        }
        if (place_all(arena, plan, hashes)) {
            return true;
        }
    }
    return false;
}

/* One variant per group, and all of them require literals of the same fields. */
static bool is_uniform(const Dispatch *dispatch, const DispatchPlan *plan)
{
    const DispatchVariant *first = &dispatch->variants[plan->keyed[0]];
    for (uint32_t i = 0; i < plan->num_keyed; i++) {
        const DispatchVariant *variant = &dispatch->variants[plan->keyed[i]];
        bool uniform = variant->num_clauses == first->num_clauses;
        for (uint32_t c = 0; uniform && c < variant->num_clauses; c++) {
            int64_t value = 0;
            uniform = variant->clauses[c].num_unless == 0 && variant->clauses[c].equal_to == DISPATCH_NONE &&
                      dispatch_literal_of(variant, first->clauses[c].field, &value);
        }
        if (!uniform) {
            return false;
        }
    }
    return plan->num_groups == plan->num_keyed;
}

/* ---- the whole ---- */

static void fill_groups(Arena *arena, DispatchPlan *plan, const Keyed *sorted, uint32_t n)
{
    plan->keyed = ARENA_ARRAY(arena, uint32_t, n);
    plan->groups = ARENA_ARRAY(arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        plan->keyed[i] = sorted[i].variant;
        if (i == 0 || compare_keys(&sorted[i - 1], &sorted[i]) != 0) {
            plan->groups[plan->num_groups++] = i;
        }
    }
    plan->num_keyed = n;
    plan->groups[plan->num_groups] = n;
}

/* Why the strategy was chosen; `found` variants have a key. */
static const char *reason(const Dispatch *dispatch, const DispatchPlan *plan, DispatchStrategy asked, uint32_t found)
{
    Arena *arena = dispatch->arena;
    if (plan->strategy == asked) {
        return "it was asked for";
    }
    if (plan->strategy == STRATEGY_HASH) {
        return arena_printf(arena, "for more than %d such variants, one look-up costs less than nested switches",
                            TREE_MOST);
    }
    if (plan->strategy == STRATEGY_TREE) {
        return asked == STRATEGY_HASH || found > TREE_MOST
                   ? "no hash without collisions was found"
                   : arena_printf(arena, "for %d to %d such variants, nested switches cost least", CHAIN_MOST + 1,
                                  TREE_MOST);
    }
    if (asked == STRATEGY_AUTO && dispatch->num_variants <= CHAIN_MOST) {
        return arena_printf(arena, "for up to %d variants, that costs least", CHAIN_MOST);
    }
    if (plan->num_keys == 0) {
        return "no single values tell them apart";
    }
    if (found == 0) {
        return "any other order could choose a different one";
    }
    return arena_printf(arena, "single values can find only %" PRIu32 " of them, and for up to %d, that costs least",
                        found, CHAIN_MOST);
}

DispatchPlan dispatch_plan(Dispatch *dispatch, DispatchStrategy strategy)
{
    Arena *arena = dispatch->arena;
    DispatchPlan plan = {.strategy = STRATEGY_CHAIN, .num_fields = dispatch->num_fields};
    Literals literals = {.keyed = NULL};
    uint32_t found = 0;
    plan.hoisted = ARENA_ARRAY(arena, bool, dispatch->num_fields);
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        plan.hoisted[i] = is_common(dispatch, i);
    }
    const bool chain =
        strategy == STRATEGY_CHAIN || (strategy == STRATEGY_AUTO && dispatch->num_variants <= CHAIN_MOST);
    if (!chain) {
        literals = find_literals(dispatch);
        choose_keys(&literals, &plan);
    }
    if (plan.num_keys > 0) {
        keep_order(&literals);
        const Keyed *sorted = sort_keyed(&literals, plan.keys, plan.num_keys, &found);
        if (found > (strategy == STRATEGY_AUTO ? CHAIN_MOST : 0)) {
            fill_groups(arena, &plan, sorted, found);
            const bool switches = strategy == STRATEGY_TREE || (strategy == STRATEGY_AUTO && found <= TREE_MOST);
            const bool hash = !switches && make_hash(arena, &plan, sorted);
            plan.strategy = hash ? STRATEGY_HASH : STRATEGY_TREE;
            plan.uniform = hash && is_uniform(dispatch, &plan);
        }
    }
    plan.rest = ARENA_ARRAY(arena, uint32_t, dispatch->num_variants);
    for (uint32_t i = 0; i < dispatch->num_variants; i++) {
        if (plan.strategy == STRATEGY_CHAIN || !literals.keyed[i]) {
            plan.rest[plan.num_rest++] = i;
        }
    }
    plan.why = reason(dispatch, &plan, strategy, found);
    return plan;
}
