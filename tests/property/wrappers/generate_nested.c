/* SPDX-License-Identifier: MIT */
/*
 * generate_nested - nested ints of random graphs: outer sizes that become ragged, and the attributes and tensors that
 * own them. Drawn last, of what the rest of the graph is: a size that binds a symbol is left alone.
 */
#include <string.h>

#include "generate_private.h"

enum { NUM_BOUND = 2 }; /* the last name is of one that results define */

static const char *const names[NUM_NESTED] = {"ragged0", "ragged1", "fresh"};

typedef struct Nesting {
    Arena *arena;
    Random random;
    bool bound[NUM_NESTED];
} Nesting;

static bool is(const Node *node, const char *text)
{
    return node != NULL && strcmp(node->text, text) == 0;
}

/* Of the types in generate_trees.c. */
static bool is_opaque(const Node *attr)
{
    return is(attr, "rule") || is(attr, "r");
}

/* A literal, or a dimension that is ragged already. */
static bool can_be_ragged(const Node *size)
{
    return strspn(size->text, "0123456789") == strlen(size->text) || is(size, "nested");
}

static bool make_ragged(Nesting *nesting, Node *list, const char *name)
{
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        if (can_be_ragged(list->items[i])) {
            list->items[i] = node_text(nesting->arena, "%s", name);
            return true;
        }
    }
    return false;
}

/* In a stride there may be a multiple. */
static void make_stride_ragged(Nesting *nesting, Node *list, const char *name)
{
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        if (is(list->items[i], "nested")) {
            list->items[i] = node_text(nesting->arena, i % 2 == 0 ? "%s*3" : "2*%s", name);
        }
    }
}

static uint32_t draw_name(Nesting *nesting, bool input)
{
    if (input) {
        const uint32_t which = random_below(&nesting->random, NUM_BOUND);
        nesting->bound[which] = true;
        return which;
    }
    const uint32_t which = random_below(&nesting->random, NUM_NESTED);
    return nesting->bound[which] ? which : NUM_BOUND;
}

static void own_in(Nesting *nesting, Node *tree, bool input)
{
    Node *inner = tree != NULL ? node_find(tree, "inner") : NULL;
    bool done = false;
    for (uint32_t i = 0; inner != NULL && i < inner->count; i++) {
        Node *attr = inner->items[i];
        if (node_find(attr, "type") != NULL) {
            own_in(nesting, attr, input);
        } else if (!done && !is_opaque(node_find(attr, "attr")) && random_chance(&nesting->random, 60)) {
            Node *sizes = node_find(tree, "outer_size");
            bool possible = false;
            for (uint32_t d = 0; sizes != NULL && d < sizes->count; d++) {
                possible = possible || can_be_ragged(sizes->items[d]);
            }
            if (possible) {
                const char *name = names[draw_name(nesting, input)];
                done = make_ragged(nesting, sizes, name);
                make_stride_ragged(nesting, node_find(tree, "outer_stride"), name);
                node_put(nesting->arena, attr, "owns", name);
            }
        }
    }
}

static void own_in_inputs(Nesting *nesting, Node *inputs)
{
    for (uint32_t i = 0; inputs != NULL && i < inputs->count; i++) {
        Node *input = inputs->items[i];
        if (is(node_find(input, "frozen"), "true")) {
            continue;
        }
        if (node_find(input, "subclass") != NULL) {
            own_in(nesting, node_find(input, "subclass"), true);
        } else if (node_find(input, "size") != NULL && random_chance(&nesting->random, 15)) {
            node_put(nesting->arena, input, "owns", names[draw_name(nesting, true)]);
        }
    }
}

static void own_in_results(Nesting *nesting, Node *list, const char *key)
{
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        own_in(nesting, node_find(list->items[i], key), false);
    }
}

/* That two are not the same, which they hardly ever are by chance. */
static void guard_in(Nesting *nesting, Node *graph)
{
    static const char *const guards[] = {"ragged0 != ragged1", "not (ragged1 == ragged0)"};
    Node *list = node_find(graph, "guards");
    if (!nesting->bound[0] || !nesting->bound[1] || !random_chance(&nesting->random, 50)) {
        return;
    }
    list = list != NULL ? list : node_add(nesting->arena, graph, "guards", node_list(nesting->arena));
    node_add(nesting->arena, list, NULL, node_text(nesting->arena, "%s", guards[random_below(&nesting->random, 2)]));
}

void generate_nested(Draw *draw, uint64_t seed)
{
    Nesting nesting = {.arena = draw->arena, .random = random_from(seed, 8)};
    if (!random_chance(&nesting.random, 40)) {
        return;
    }
    nesting.bound[NUM_BOUND] = true; /* whoever uses it defines it */
    own_in_inputs(&nesting, node_find(draw->graph, "inputs"));
    guard_in(&nesting, draw->graph);
    own_in_results(&nesting, node_find(draw->graph, "inputs"), "updated");
    own_in_results(&nesting, node_find(draw->graph, "outputs"), "subclass");
    own_in_results(&nesting, node_find(draw->graph, "intermediate_bases"), "subclass");
}

void generate_nested_symbols(Arena *arena, Node *list)
{
    for (uint32_t i = 0; i < NUM_NESTED; i++) {
        Node *map = node_add(arena, list, NULL, node_map(arena));
        node_put(arena, map, "name", names[i]);
        node_put(arena, map, "nested", "true");
        if (i >= NUM_BOUND) {
            node_put(arena, map, "unbacked", "true");
        }
    }
}
