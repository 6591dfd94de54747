/* SPDX-License-Identifier: MIT */
/* Tests of gen/facts/likeness.c with so many graphs that some that differ have the same hash of 32 bits. */
#include <stdlib.h>

#include "gen/facts/likeness.h"
#include "tests/unit/check.h"

enum { NUM_UNLIKE = 150000, NUM_GRAPHS = 2 * NUM_UNLIKE }; /* 2.6 pairs of hashes are expected to be equal */

/* Every graph has an input with a value of its own, and comes twice; the second time its input has another name. */
static void fill(Arena *arena, SpecGraph *graphs)
{
    for (uint32_t i = 0; i < NUM_GRAPHS; i++) {
        SpecInput *input = ARENA_NEW(arena, SpecInput);
        input->name = arena_printf(arena, i < NUM_UNLIKE ? "x" : "y");
        input->value.text = arena_printf(arena, "%u", (unsigned)(i % NUM_UNLIKE));
        graphs[i].name = arena_printf(arena, "g%u", (unsigned)i);
        graphs[i].inputs = input;
        graphs[i].inputs_count = 1;
    }
}

static void test_pairs(void)
{
    Arena arena;
    arena_init(&arena);
    SpecGraph *graphs = ARENA_ARRAY(&arena, SpecGraph, NUM_GRAPHS);
    const Spec spec = {.graphs = graphs, .graphs_count = NUM_GRAPHS};
    const Spec *const specs[] = {&spec};
    fill(&arena, graphs);
    const Likeness *list = likeness_find(&arena, specs, 1, NULL);
    uint32_t num_pairs = 0;
    for (uint32_t i = 0; i < NUM_UNLIKE; i++) {
        const Likeness *first = &list[i];
        const Likeness *second = &list[i + NUM_UNLIKE];
        num_pairs += first->first == i && first->members == 2 && first->named && !first->renamed &&
                     second->first == i && second->members == 0 && second->renamed;
    }
    check(num_pairs == NUM_UNLIKE, "each of %d graphs is like its second and no other (%u)", NUM_UNLIKE,
          (unsigned)num_pairs);
    arena_release(&arena);
}

static void test_groups(void)
{
    Arena arena;
    arena_init(&arena);
    SpecGraph graphs[3] = {{.name = NULL}};
    const Spec spec = {.graphs = graphs, .graphs_count = 3};
    const Spec *const specs[] = {&spec};
    const uint32_t groups[] = {0, 1, 0};
    const Likeness *list = likeness_find(&arena, specs, 1, groups);
    check(list[0].first == 0 && list[1].first == 1 && list[2].first == 0, "graphs of two groups are not alike");
    arena_release(&arena);
}

int main(void)
{
    test_pairs();
    test_groups();
    return check_done();
}
