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
bool generate_mutation(Draw *draw, Node *map, Drawn *drawn, bool is_leaf)
{
    const bool plain = drawn->shape == NULL; /* metadata of subclasses is not mutated */
    const bool unseen = chance(draw, 35);
    bool metadata = plain && chance(draw, 30);
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
    if (in_graph && plain && chance(draw, 8)) {
        flag(draw, map, "mutation_inductor_storage_resize");
    }
    if (!in_graph && data && is_leaf && !(storage && metadata) && chance(draw, 15)) {
        node_put(draw->arena, map, "stream", chance(draw, 50) ? "0" : "7");
    }
    drawn->mutated = true;
    return !in_graph;
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

/* A tangent for what the wrapper writes back, if it has a gradient. */
static void draw_updated_tangent(Draw *draw, const Node *map, const Drawn *drawn, bool applied)
{
    if (applied && drawn->requires_grad && node_find(map, "mutates_data") != NULL) {
        generate_tangent(draw, drawn->name, drawn);
    }
}

/* Whether autograd is to follow it, and from where. */
static bool draw_grad(Draw *draw, Node *map, Drawn *drawn)
{
    bool is_leaf = true;
    if (drawn->requires_grad) {
        flag(draw, map, "requires_grad");
        is_leaf = chance(draw, 55);
        if (!is_leaf) {
            node_put(draw->arena, map, "is_leaf", "false");
        }
    }
    return is_leaf;
}

static void draw_subclass(Draw *draw, Node *map, const char *name)
{
    Drawn *drawn = &draw->inputs[draw->num_inputs++];
    memset(drawn, 0, sizeof *drawn);
    drawn->name = name;
    drawn->rank = -1;
    drawn->shape = generate_shape(draw);
    drawn->requires_grad = chance(draw, 45);
    const bool is_leaf = draw_grad(draw, map, drawn);
    node_add(draw->arena, map, "subclass", generate_tree(draw, drawn->shape, SHAPE_INPUT));
    const bool applied = chance(draw, 35) && generate_mutation(draw, map, drawn, is_leaf);
    if (applied) {
        node_add(draw->arena, map, "updated",
                 generate_tree(draw, generate_shape_like(draw, drawn->shape), SHAPE_RETURNED));
    }
    if (chance(draw, 15)) {
        generate_waits(draw, map, drawn->shape);
    }
    draw_updated_tangent(draw, map, drawn, applied);
    generate_gradient(draw, name, drawn->requires_grad, drawn->shape);
}

static void draw_tensor(Draw *draw, Node *map, const char *name)
{
    Drawn *drawn = &draw->inputs[draw->num_inputs++];
    memset(drawn, 0, sizeof *drawn);
    drawn->name = name;
    drawn->dtype = chance(draw, 80) ? generate_dtype(draw, false) : NULL;
    generate_facts(draw, map, drawn, true, false);
    drawn->requires_grad = generate_is_differentiable(drawn->dtype) && chance(draw, 45);
    const bool is_leaf = draw_grad(draw, map, drawn);
    const bool applied = chance(draw, 42) && generate_mutation(draw, map, drawn, is_leaf);
    if (drawn->has_size && chance(draw, 10)) {
        draw_symbol_arguments(draw, map, drawn);
    }
    if (drawn->dtype != NULL && generate_is_differentiable(drawn->dtype) && !drawn->restrided && chance(draw, 15)) {
        flag(draw, map, strncmp(drawn->dtype, "complex", 7) == 0 && chance(draw, 60) ? "is_conj" : "is_neg");
    }
    if (chance(draw, 5)) {
        generate_waits(draw, map, NULL);
    }
    draw_updated_tangent(draw, map, drawn, applied);
    generate_gradient(draw, name, drawn->requires_grad, NULL);
}

/* A constant that was folded into the graph: only its place is left. */
static void draw_frozen(Draw *draw, Node *map, const char *name)
{
    Drawn ignored;
    memset(&ignored, 0, sizeof ignored);
    ignored.dtype = "float32";
    generate_facts(draw, map, &ignored, false, true);
    flag(draw, map, "frozen");
    generate_gradient(draw, name, false, NULL);
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

/* A float or a bool may be burnt into the graph. */
static void draw_scalar(Draw *draw, Node *map)
{
    static const char *const kinds[] = {"float", "bool", "opaque", "none"};
    static const char *const values[][6] = {{"2.5", "0.0", "-0.0", "inf", "nan", "-1e-5"},
                                            {"true", "false", "true", "false", "true", "false"}};
    const uint32_t kind = random_below(&draw->random, 4);
    node_put(draw->arena, map, "kind", kinds[kind]);
    if (kind < 2 && chance(draw, 50)) {
        node_put(draw->arena, map, "value", values[kind][random_below(&draw->random, 6)]);
    }
}

static void draw_input(Draw *draw, Node *inputs)
{
    Node *map = node_add(draw->arena, inputs, NULL, node_map(draw->arena));
    const uint32_t what = random_below(&draw->random, 100);
    const char *name = generate_name(draw, "x");
    node_put(draw->arena, map, "name", name);
    if (what < 30 && draw->subclasses) {
        draw_subclass(draw, map, name);
    } else if (what < 76) {
        draw_tensor(draw, map, name);
    } else if (what < 80) {
        draw_frozen(draw, map, name);
    } else if (what < 90) {
        draw_integer(draw, map);
        generate_gradient(draw, name, false, NULL);
    } else {
        draw_scalar(draw, map);
        generate_gradient(draw, name, false, NULL);
    }
}

/* The same tensor given twice: passed on once. */
static void draw_duplicate(Draw *draw, Node *inputs)
{
    const Drawn *kept = &draw->inputs[random_below(&draw->random, draw->num_inputs)];
    if (kept->mutated && draw->subclasses) {
        return; /* refused together with a subclass */
    }
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
            generate_gradient(draw, name, false, NULL);
        }
    }
}

enum { ROWS_UP_TO = 24 }; /* inputs: tcc takes no call with some 250 arguments, and a subclass makes several of one */

/* Inputs of a model come in rows: like ones, drawn with the same numbers, so that the generated code has loops. */
static void draw_inputs(Draw *draw, Node *inputs)
{
    const uint32_t n = chance(draw, 15) && draw->num_inputs < ROWS_UP_TO ? 2 + random_below(&draw->random, 4) : 1;
    const Random start = draw->random;
    for (uint32_t i = 0; i < n; i++) {
        draw->random = start;
        draw_input(draw, inputs);
    }
}

void generate_inputs(Draw *draw)
{
    Node *inputs = node_add(draw->arena, draw->graph, "inputs", node_list(draw->arena));
    const uint32_t n = chance(draw, 3) ? 20 + random_below(&draw->random, 20) : random_below(&draw->random, 7);
    const uint32_t merged_at = chance(draw, 14) ? random_below(&draw->random, n + 1) : n + 1;
    const bool twice = chance(draw, 10);
    for (uint32_t i = 0; i <= n; i++) {
        if (!draw->subclasses && (i == merged_at || (twice && i == merged_at + 1))) {
            generate_merged(draw, inputs);
        }
        if (i < n) {
            draw_inputs(draw, inputs);
        }
    }
    if (draw->num_inputs > 0 && chance(draw, 12)) {
        draw_duplicate(draw, inputs);
    }
}
