/* SPDX-License-Identifier: MIT */
/*
 * generate_inputs - inputs of random graphs: kinds, facts, mutations, duplicates, frozen ones.
 */
#include <inttypes.h>
#include <string.h>

#include "generate_private.h"

static bool chance(Draw *draw, uint32_t percent)
{
    return random_chance(&draw->random, percent);
}

/* At times the names that generated code has for its own locals, to see that they cannot meet. */
const char *generate_name(Draw *draw, const char *hint)
{
    static const char *const difficult[] = {"ctx",       "args",   "outs",    "results", "in_x",   "status", "overflow",
                                            "call_args", "i",      "n",       "view_y",  "site",   "graph",  "saved",
                                            "facts_x",   "sym_s0", "size0_x", "grad",    "memcpy", "tensor", "in"};
    const uint32_t n = draw->num_names++;
    if (chance(draw, 6)) {
        const char *name = difficult[random_below(&draw->random, sizeof difficult / sizeof difficult[0])];
        return arena_printf(draw->arena, "%s%s%" PRIu32, name, strlen(name) < 3 || chance(draw, 50) ? "" : "_", n);
    }
    return arena_printf(draw->arena, "%s%" PRIu32, hint, n);
}

static void flag(Draw *draw, Node *map, const char *key)
{
    node_put(draw->arena, map, key, "true");
}

/* One of the ways in which a tensor input can be mutated, by the rules for keep_input_mutations and mode. */
static void draw_mutation(Draw *draw, Node *map, Drawn *drawn, bool is_leaf)
{
    const bool unseen = chance(draw, 35);
    bool metadata = chance(draw, 30);
    bool data = !metadata || chance(draw, 50);
    const bool storage = metadata && chance(draw, 35);
    const bool stays = draw->keeps && (data || storage) && ((!metadata && !drawn->requires_grad) || unseen);
    if (storage && draw->keeps && !stays) {
        metadata = false;
        data = true;
    }
    if (storage && metadata && !draw->keeps && draw->training) {
        data = false; /* a set_ in the epilogue of a training graph excludes data */
    }
    if (data) {
        flag(draw, map, "mutates_data");
    }
    if (metadata) {
        flag(draw, map, "mutates_metadata");
        drawn->restrided = true;
    }
    if (storage && metadata) {
        flag(draw, map, "mutates_storage_metadata");
        if (chance(draw, 40)) {
            flag(draw, map, "mutation_is_shallow_copy_data");
        }
    }
    if (unseen) {
        const uint32_t which = random_below(&draw->random, 3);
        if (which != 1) {
            flag(draw, map, "mutations_hidden_from_autograd");
        }
        if (which != 0) {
            flag(draw, map, "mutations_under_no_grad_or_inference_mode");
        }
    }
    const bool in_graph = draw->keeps && (data || storage) && ((!metadata && !drawn->requires_grad) || unseen);
    if (in_graph && chance(draw, 8)) {
        flag(draw, map, "mutation_inductor_storage_resize");
    }
    if (!in_graph && data && is_leaf && !(storage && metadata) && chance(draw, 15)) {
        node_put(draw->arena, map, "stream", chance(draw, 50) ? "0" : "7");
    }
}

static void draw_symbol_arguments(Draw *draw, Node *map, const Drawn *drawn)
{
    Node *list = node_list(draw->arena);
    for (int32_t d = 0; d < drawn->at[0].rank; d++) {
        if (chance(draw, 40)) {
            node_add(draw->arena, list, NULL, node_text(draw->arena, "size.%d", (int)d));
        }
    }
    for (int32_t d = 0; d < drawn->at[0].rank; d++) {
        if (chance(draw, 20)) {
            node_add(draw->arena, list, NULL, node_text(draw->arena, "stride.%d", (int)d));
        }
    }
    if (list->count > 0) {
        node_add(draw->arena, map, "symbol_args", list);
    }
}

/* What the backward gives for an input: nothing, or a gradient. */
static void draw_gradient(Draw *draw, const char *name, bool may)
{
    if (draw->training) {
        Node *gradient = node_add(draw->arena, draw->grad_inputs, NULL, node_map(draw->arena));
        node_put(draw->arena, gradient, "of", name);
        if (!may || chance(draw, 40)) {
            node_put(draw->arena, gradient, "kind", "none");
        }
    }
}

static void draw_tangent(Draw *draw, const char *name)
{
    Node *tangent = node_add(draw->arena, draw->tangents, NULL, node_map(draw->arena));
    node_put(draw->arena, tangent, "of", name);
    node_put(draw->arena, tangent, "memory_format", "contiguous");
}

static void draw_tensor(Draw *draw, Node *map, const char *name)
{
    Drawn *drawn = &draw->inputs[draw->num_inputs++];
    memset(drawn, 0, sizeof *drawn);
    drawn->name = name;
    drawn->dtype = chance(draw, 80) ? generate_dtype(draw, false) : NULL;
    generate_facts(draw, map, drawn, true, false);
    drawn->requires_grad = generate_is_differentiable(drawn->dtype) && chance(draw, 45);
    bool is_leaf = true;
    if (drawn->requires_grad) {
        flag(draw, map, "requires_grad");
        is_leaf = chance(draw, 55);
        if (!is_leaf) {
            node_put(draw->arena, map, "is_leaf", "false");
        }
    }
    if (chance(draw, 42)) {
        draw_mutation(draw, map, drawn, is_leaf);
    }
    if (drawn->has_size && chance(draw, 10)) {
        draw_symbol_arguments(draw, map, drawn);
    }
    draw_gradient(draw, name, drawn->requires_grad);
}

/* A constant that was folded into the graph: only its place is left. */
static void draw_frozen(Draw *draw, Node *map, const char *name)
{
    Drawn ignored;
    memset(&ignored, 0, sizeof ignored);
    ignored.dtype = "float32";
    generate_facts(draw, map, &ignored, false, true);
    flag(draw, map, "frozen");
    draw_gradient(draw, name, false);
}

static void draw_integer(Draw *draw, Node *map)
{
    const uint32_t what = random_below(&draw->random, 100);
    node_put(draw->arena, map, "kind", "int");
    if (what < 40) {
        const uint32_t symbol = random_below(&draw->random, NUM_SYMBOLS);
        draw->bound[symbol] = true;
        draw->wanted[symbol] = true;
        node_add(draw->arena, map, "value", node_text(draw->arena, "s%" PRIu32, symbol));
    } else if (what < 55) {
        node_add(draw->arena, map, "value", node_text(draw->arena, "%" PRIu32, random_below(&draw->random, 9)));
    }
}

static void draw_input(Draw *draw, Node *inputs)
{
    Node *map = node_add(draw->arena, inputs, NULL, node_map(draw->arena));
    const uint32_t what = random_below(&draw->random, 100);
    const char *name = generate_name(draw, "x");
    node_put(draw->arena, map, "name", name);
    if (what < 76) {
        draw_tensor(draw, map, name);
    } else if (what < 80) {
        draw_frozen(draw, map, name);
    } else if (what < 90) {
        draw_integer(draw, map);
        draw_gradient(draw, name, false);
    } else {
        static const char *const kinds[] = {"float", "bool", "opaque"};
        node_put(draw->arena, map, "kind", kinds[random_below(&draw->random, 3)]);
        draw_gradient(draw, name, false);
    }
}

/* The same tensor given twice: passed on once. */
static void draw_duplicate(Draw *draw, Node *inputs)
{
    const Drawn *kept = &draw->inputs[random_below(&draw->random, draw->num_inputs)];
    const char *name = generate_name(draw, "again");
    Node *map = node_add(draw->arena, inputs, NULL, node_map(draw->arena));
    node_put(draw->arena, map, "name", name);
    Node *duplicates = node_find(draw->graph, "duplicates");
    if (duplicates == NULL) {
        duplicates = node_add(draw->arena, draw->graph, "duplicates", node_list(draw->arena));
    }
    map = node_add(draw->arena, duplicates, NULL, node_map(draw->arena));
    node_put(draw->arena, map, "input", name);
    node_put(draw->arena, map, "of", kept->name);
    if (draw->num_inputs < MOST_TENSORS) { /* a base may be named by it */
        draw->inputs[draw->num_inputs] = *kept;
        draw->inputs[draw->num_inputs].name = name;
    }
}

/* Symbols that are used somewhere and that no input binds yet come as integers of their own. */
void generate_missing_symbols(Draw *draw, Node *inputs)
{
    for (uint32_t i = 0; i < NUM_SYMBOLS; i++) {
        if (draw->wanted[i] && !draw->bound[i]) {
            Node *map = node_add(draw->arena, inputs, NULL, node_map(draw->arena));
            const char *name = generate_name(draw, "v");
            node_put(draw->arena, map, "name", name);
            node_put(draw->arena, map, "kind", "int");
            node_add(draw->arena, map, "value", node_text(draw->arena, "s%" PRIu32, i));
            draw_gradient(draw, name, false);
        }
    }
}

/* Those mutations come back as values whose gradients the backward gets. */
static void draw_input_tangents(Draw *draw, const Node *inputs)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        const Node *map = inputs->items[i];
        const bool data = node_find(map, "mutates_data") != NULL;
        const bool grad = node_find(map, "requires_grad") != NULL;
        const bool plain = node_find(map, "mutates_metadata") == NULL && !grad;
        const bool unseen = node_find(map, "mutations_hidden_from_autograd") != NULL ||
                            node_find(map, "mutations_under_no_grad_or_inference_mode") != NULL;
        if (data && grad && !(draw->keeps && (plain || unseen))) {
            draw_tangent(draw, node_find(map, "name")->text);
        }
    }
}

void generate_inputs(Draw *draw)
{
    Node *inputs = node_add(draw->arena, draw->graph, "inputs", node_list(draw->arena));
    const uint32_t n = random_below(&draw->random, 7);
    for (uint32_t i = 0; i < n; i++) {
        draw_input(draw, inputs);
    }
    if (draw->num_inputs > 0 && chance(draw, 12)) {
        draw_duplicate(draw, inputs);
    }
    if (draw->training) {
        draw_input_tangents(draw, inputs);
    }
}
