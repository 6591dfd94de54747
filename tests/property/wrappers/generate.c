/* SPDX-License-Identifier: MIT */
/*
 * generate - a graph as a whole: its modes and conventions.
 */
#include <inttypes.h>
#include <string.h>

#include "generate_private.h"

static bool chance(Draw *draw, uint32_t percent)
{
    return random_chance(&draw->random, percent);
}

static void put_flag(Draw *draw, const char *key, bool value)
{
    node_put(draw->arena, draw->graph, key, value ? "true" : "false");
}

/* From numbers of their own: what else there is in a graph does not depend on it. */
static void draw_generators(Draw *draw, uint64_t seed)
{
    static const char *const devices[] = {"cuda", "cuda:1", "cpu", "cuda:0"};
    Random random = random_from(seed, 6);
    if (node_find(draw->graph, "rng") != NULL || !random_chance(&random, 12)) {
        return;
    }
    node_put(draw->arena, draw->graph, "rng", "graphsafe");
    node_add(draw->arena, draw->graph, "rng_states", node_text(draw->arena, "%" PRIu32, 1 + random_below(&random, 4)));
    node_put(draw->arena, draw->graph, "rng_device", devices[random_below(&random, 4)]);
}

static void draw_options(Draw *draw, uint64_t seed)
{
    static const char *const checks[] = {"none", "count", "cheap", "full", "cheap", "full"};
    draw->training = chance(draw, 35);
    node_put(draw->arena, draw->graph, "mode", draw->training ? "training" : "inference");
    node_add(draw->arena, draw->graph, "compiled", node_text(draw->arena, "kernel_%" PRIu32, draw->number));
    if (chance(draw, 25)) {
        node_put(draw->arena, draw->graph, "convention", "direct");
    }
    if (chance(draw, 25)) {
        put_flag(draw, "consume_inputs", true);
    }
    draw->keeps = chance(draw, 60);
    if (!draw->keeps || chance(draw, 30)) {
        put_flag(draw, "keep_input_mutations", draw->keeps);
    }
    if (chance(draw, 25)) {
        put_flag(draw, "disable_amp", true);
    }
    if (chance(draw, 20)) {
        put_flag(draw, "grad_enabled_mutation", chance(draw, 50));
    }
    if (chance(draw, 12)) {
        node_add(draw->arena, draw->graph, "tokens",
                 node_text(draw->arena, "%" PRIu32, random_below(&draw->random, 3)));
    }
    if (chance(draw, 8)) {
        node_put(draw->arena, draw->graph, "rng", "functionalized");
    }
    draw_generators(draw, seed);
    if (draw->training && chance(draw, 30)) {
        put_flag(draw, "debug_assert", true);
    }
    if (chance(draw, 85)) {
        node_put(draw->arena, draw->graph, "check", checks[random_below(&draw->random, 6)]);
    }
}

Node *generate_graph(Arena *arena, uint64_t seed, uint32_t number)
{
    Draw *draw = ARENA_NEW(arena, Draw);
    draw->arena = arena;
    draw->random = random_from(seed, 1);
    draw->number = number;
    draw->graph = node_map(arena);
    draw->tangents = node_list(arena);
    draw->grad_inputs = node_list(arena);
    node_add(arena, draw->graph, "name", node_text(arena, "g%" PRIu32, number));
    draw_options(draw, seed);
    draw->subclasses = chance(draw, 35);
    generate_inputs(draw);
    draw->unbacked = random_from(seed, 7);
    draw->late = random_chance(&draw->unbacked, 25);
    generate_outputs(draw);
    draw->late = false;
    generate_guards(draw);
    generate_missing_symbols(draw, node_find(draw->graph, "inputs"));
    generate_argument_order(draw);
    if (draw->training) {
        generate_training(draw);
    }
    generate_nested(draw, seed);
    return draw->graph;
}

/* The bounds agree with the valuations in generate_terms.c. */
static Node *symbols(Arena *arena)
{
    static const char *const bounds[ALL_SYMBOLS][3] = {{NULL, NULL, NULL}, {"1", NULL, NULL}, {"2", "64", NULL},
                                                       {NULL, NULL, "2"},  {"0", "8", "4"},   {NULL, NULL, NULL},
                                                       {NULL, NULL, NULL}, {"1", "24", NULL}, {NULL, "12", "2"}};
    static const char *const keys[3] = {"min", "max", "multiple_of"};
    Node *list = node_list(arena);
    for (uint32_t i = 0; i < ALL_SYMBOLS; i++) {
        Node *map = node_add(arena, list, NULL, node_map(arena));
        const bool unbacked = i >= NUM_SYMBOLS;
        node_add(arena, map, "name",
                 node_text(arena, "%c%" PRIu32, unbacked ? 'u' : 's', unbacked ? i - NUM_SYMBOLS : i));
        if (unbacked) {
            node_put(arena, map, "unbacked", "true");
        }
        for (int k = 0; k < 3; k++) {
            if (bounds[i][k] != NULL) {
                node_put(arena, map, keys[k], bounds[i][k]);
            }
        }
    }
    generate_nested_symbols(arena, list);
    return list;
}

Node *generate_file(Arena *arena, Node **graphs, uint32_t num_graphs)
{
    Node *file = node_map(arena);
    node_put(arena, file, "wrapgen", "1");
    node_put(arena, file, "prefix", "p_");
    node_add(arena, file, "symbols", symbols(arena));
    node_add(arena, file, "subclasses", generate_subclass_types(arena));
    Node *list = node_add(arena, file, "graphs", node_list(arena));
    for (uint32_t i = 0; i < num_graphs; i++) {
        node_add(arena, list, NULL, graphs[i]);
    }
    return file;
}
