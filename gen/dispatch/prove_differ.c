/* SPDX-License-Identifier: MIT */
/*
 * prove_differ - fields of a call that must differ: can they all at once, and with which values?
 *
 * A witness is made greedily, so that it looks like a typical call; that it cannot be made that way proves nothing.
 * Here every combination is tried. Of the values of a class, one more than there are pairs with it are enough: whatever
 * the others are, one of these is left.
 */
#include "prove_private.h"

static void add_neighbour(ProveNeighbours *neighbours, uint32_t entry, uint32_t of, uint32_t class)
{
    neighbours->class[entry] = class;
    neighbours->next[entry] = neighbours->first[of];
    neighbours->first[of] = entry;
}

ProveNeighbours prove_neighbours(Arena *arena, const Dispatch *dispatch, const ProveWorld *world)
{
    const size_t num_entries = 2 * (size_t)world->num_differ + 1;
    ProveNeighbours neighbours = {.first = ARENA_ARRAY(arena, uint32_t, dispatch->num_fields),
                                  .next = ARENA_ARRAY(arena, uint32_t, num_entries),
                                  .class = ARENA_ARRAY(arena, uint32_t, num_entries)};
    for (uint32_t i = 0; i < world->num_differ; i++) {
        const uint32_t one = prove_class(world, world->differ[i][0]);
        const uint32_t other = prove_class(world, world->differ[i][1]);
        add_neighbour(&neighbours, 2 * i + 1, one, other);
        add_neighbour(&neighbours, 2 * i + 2, other, one);
    }
    return neighbours;
}

typedef struct Differing {
    Prover *p;
    ProveNeighbours neighbours;
    uint32_t *classes; /* those of all pairs, the ones with the fewest values first */
    uint32_t num_classes;
    int64_t **values; /* by class, as the other arrays */
    uint32_t *num_values;
    uint32_t *degrees; /* pairs */
    uint32_t *places;  /* in `classes` */
    int64_t *choice;
} Differing;

static void add_class(Differing *d, uint32_t class)
{
    if (d->degrees[class]++ == 0) {
        d->classes[d->num_classes++] = class;
    }
}

/* Those from 1 on look most like what is passed, so they come first. */
static void list_values(Differing *d, uint32_t class)
{
    const IntSet *domain = &d->p->world.domains[class];
    const uint32_t most = d->degrees[class] + 1;
    uint32_t n = 0;
    d->values[class] = ARENA_ARRAY(&d->p->scratch, int64_t, most);
    for (int turn = 0; turn < 2; turn++) {
        int64_t value = 0;
        bool found = intset_next(domain, turn == 0 ? 1 : INT64_MIN, &value);
        while (n < most && found && (turn == 0 || value < 1)) {
            d->values[class][n++] = value;
            found = intset_after(domain, &value);
        }
    }
    d->num_values[class] = n;
}

/* By insertion: equal ones stay in the order of the pairs. */
static void sort_classes(Differing *d)
{
    for (uint32_t i = 1; i < d->num_classes; i++) {
        const uint32_t class = d->classes[i];
        uint32_t at = i;
        for (; at > 0 && d->num_values[d->classes[at - 1]] > d->num_values[class]; at--) {
            d->classes[at] = d->classes[at - 1];
        }
        d->classes[at] = class;
    }
    for (uint32_t i = 0; i < d->num_classes; i++) {
        d->places[d->classes[i]] = i;
    }
}

static void gather(Differing *d)
{
    Arena *arena = &d->p->scratch;
    const ProveWorld *world = &d->p->world;
    const uint32_t n = d->p->dispatch->num_fields;
    d->neighbours = prove_neighbours(arena, d->p->dispatch, world);
    d->classes = ARENA_ARRAY(arena, uint32_t, n);
    d->values = ARENA_ARRAY(arena, int64_t *, n);
    d->num_values = ARENA_ARRAY(arena, uint32_t, n);
    d->degrees = ARENA_ARRAY(arena, uint32_t, n);
    d->places = ARENA_ARRAY(arena, uint32_t, n);
    d->choice = ARENA_ARRAY(arena, int64_t, n);
    for (uint32_t i = 0; i < world->num_differ; i++) {
        add_class(d, prove_class(world, world->differ[i][0]));
        add_class(d, prove_class(world, world->differ[i][1]));
    }
    for (uint32_t i = 0; i < n; i++) {
        d->choice[i] = INT64_MIN;
    }
    for (uint32_t i = 0; i < d->num_classes; i++) {
        list_values(d, d->classes[i]);
    }
    sort_classes(d);
}

/* Does the class at that place differ from those before it? */
static bool fits(const Differing *d, uint32_t place)
{
    const uint32_t class = d->classes[place];
    for (uint32_t i = d->neighbours.first[class]; i != 0; i = d->neighbours.next[i]) {
        const uint32_t rest = d->neighbours.class[i];
        if (d->places[rest] < place && d->choice[rest] == d->choice[class]) {
            return false;
        }
    }
    return true;
}

bool prove_differ(Prover *p, const int64_t **choice)
{
    Differing d = {.p = p};
    *choice = NULL;
    gather(&d);
    uint32_t *at = ARENA_ARRAY(&p->scratch, uint32_t, (size_t)d.num_classes + 1);
    uint32_t place = 0;
    while (place < d.num_classes) {
        const uint32_t class = d.classes[place];
        if (p->effort == 0) {
            return true;
        }
        p->effort--;
        if (at[place] == d.num_values[class]) {
            if (place == 0) {
                return false;
            }
            at[place--] = 0;
            at[place]++;
            continue;
        }
        d.choice[class] = d.values[class][at[place]];
        if (fits(&d, place)) {
            place++;
        } else {
            at[place]++;
        }
    }
    *choice = d.choice;
    return true;
}
