/* SPDX-License-Identifier: MIT */
/*
 * generate_training - what is saved for a backward, and the backward itself.
 */
#include <inttypes.h>
#include <string.h>

#include "generate_private.h"

static bool chance(Draw *draw, uint32_t percent)
{
    return random_chance(&draw->random, percent);
}

/* The order of tangents and of gradients in the YAML means nothing. */
static Node *insert(Draw *draw, Node *list)
{
    Node *item = node_map(draw->arena);
    node_restore(draw->arena, list, random_below(&draw->random, list->count + 1), NULL, item);
    return item;
}

static void put_numbers(Draw *draw, Node *map, const char *key, const int64_t *numbers, int32_t rank)
{
    Node *list = node_add(draw->arena, map, key, node_list(draw->arena));
    for (int32_t d = 0; d < rank; d++) {
        node_add(draw->arena, list, NULL, node_text(draw->arena, "%" PRId64, numbers[d]));
    }
}

/* As size and stride, where no size is symbolic. */
static void put_layout(Draw *draw, Node *map, const Drawn *drawn)
{
    static const char *const formats[] = {"contiguous", "contiguous", "contiguous", "channels_last",
                                          "channels_last_3d"};
    ViewGeometry g = drawn->at[0];
    if ((drawn->has_size && drawn->symbolic) || drawn->restrided || chance(draw, 50)) {
        const char *format = formats[random_below(&draw->random, 5)];
        const int32_t rank = strcmp(format, "channels_last") == 0 ? 4 : strcmp(format, "contiguous") == 0 ? g.rank : 5;
        node_put(draw->arena, map, "memory_format", drawn->has_size && g.rank != rank ? "contiguous" : format);
        return;
    }
    if (!drawn->has_size) {
        g.rank = (int32_t)random_below(&draw->random, 4);
        for (int32_t d = 0; d < g.rank; d++) {
            g.sizes[d] = 1 + random_below(&draw->random, 3);
        }
    }
    view_make_contiguous(&g);
    if (g.rank > 1 && chance(draw, 30)) { /* the first dimension innermost */
        int64_t stride = g.sizes[0];
        g.strides[0] = 1;
        for (int32_t d = g.rank - 1; d > 0; d--) {
            g.strides[d] = stride;
            stride *= g.sizes[d];
        }
    }
    put_numbers(draw, map, "size", g.sizes, g.rank);
    put_numbers(draw, map, "stride", g.strides, g.rank);
}

void generate_tangent(Draw *draw, const char *name, const Drawn *drawn)
{
    if (!draw->training) {
        return;
    }
    Node *tangent = insert(draw, draw->tangents);
    node_put(draw->arena, tangent, "of", name);
    if (drawn->shape != NULL) {
        node_add(draw->arena, tangent, "subclass", generate_tree(draw, drawn->shape, SHAPE_TANGENT));
    } else {
        put_layout(draw, tangent, drawn);
    }
    if (chance(draw, 35)) {
        node_put(draw->arena, tangent, "kept", chance(draw, 70) ? "false" : "true");
    }
}

void generate_gradient(Draw *draw, const char *name, bool may, const Shape *shape)
{
    if (!draw->training) {
        return;
    }
    Node *gradient = insert(draw, draw->grad_inputs);
    node_put(draw->arena, gradient, "of", name);
    if (!may || chance(draw, 40)) {
        node_put(draw->arena, gradient, "kind", "none");
    } else if (shape != NULL) {
        node_add(draw->arena, gradient, "subclass", generate_tree(draw, shape, SHAPE_GRADIENT));
    }
}

/* ---- saved ---- */

static void put_count(Draw *draw, Node *map, const char *key, uint32_t count)
{
    if (count > 0 || chance(draw, 20)) {
        node_add(draw->arena, map, key, node_text(draw->arena, "%" PRIu32, count));
    }
}

static void draw_positions(Draw *draw, Node *map, const char *key, uint32_t count)
{
    Node *list = node_list(draw->arena);
    for (uint32_t i = 0; i < count; i++) {
        if (chance(draw, 40)) {
            node_add(draw->arena, list, NULL, node_text(draw->arena, "%" PRIu32, i));
        }
    }
    if (list->count > 0) {
        node_add(draw->arena, map, key, list);
    }
}

static bool lists(const Node *list, const char *text)
{
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        if (strcmp(list->items[i]->text, text) == 0) {
            return true;
        }
    }
    return false;
}

/* A buffer of the caller's cannot be donated. */
static void draw_donated(Draw *draw, Node *saved, uint32_t count)
{
    const Node *inputs = node_find(saved, "graph_inputs");
    Node *list = node_list(draw->arena);
    for (uint32_t i = 0; i < count; i++) {
        Node *position = node_text(draw->arena, "%" PRIu32, i);
        if (!lists(inputs, position->text) && chance(draw, 60)) {
            node_add(draw->arena, list, NULL, position);
        }
    }
    if (list->count > 0) {
        node_add(draw->arena, saved, "donated", list);
    }
}

static void draw_saved(Draw *draw)
{
    Node *saved = node_add(draw->arena, draw->graph, "saved", node_map(draw->arena));
    const uint32_t checked = random_below(&draw->random, 4);
    const uint32_t unchecked = random_below(&draw->random, 2);
    put_count(draw, saved, "tensors", checked);
    put_count(draw, saved, "tensors_no_version_check", unchecked);
    put_count(draw, saved, "opaque", random_below(&draw->random, 2));
    put_count(draw, saved, "symints", random_below(&draw->random, 3));
    draw_positions(draw, saved, "graph_inputs", checked + unchecked);
    if (chance(draw, 30)) {
        draw_donated(draw, saved, checked + unchecked);
    }
    if (checked + unchecked > 0 && chance(draw, 20)) {
        Node *list = node_add(draw->arena, saved, "dynamic", node_list(draw->arena));
        Node *entry = node_add(draw->arena, list, NULL, node_map(draw->arena));
        node_add(draw->arena, entry, "index",
                 node_text(draw->arena, "%" PRIu32, random_below(&draw->random, checked + unchecked)));
        Node *dims = node_add(draw->arena, entry, "dims", node_list(draw->arena));
        node_put(draw->arena, dims, NULL, chance(draw, 50) ? "0" : "1");
    }
}

/* Tensors among the inputs that the backward writes into, whether they require grad or not. */
static void draw_mutated(Draw *draw, Node *backward)
{
    const Node *inputs = node_find(draw->graph, "inputs");
    Node *list = node_list(draw->arena);
    for (uint32_t i = 0; inputs != NULL && i < inputs->count; i++) {
        const Node *kind = node_find(inputs->items[i], "kind");
        if ((kind == NULL || strcmp(kind->text, "tensor") == 0) && chance(draw, 30)) {
            node_put(draw->arena, list, NULL, node_find(inputs->items[i], "name")->text);
        }
    }
    if (list->count > 0) {
        node_add(draw->arena, backward, "mutated_in_backward", list);
    }
}

void generate_training(Draw *draw)
{
    draw_saved(draw);
    Node *backward = node_add(draw->arena, draw->graph, "backward", node_map(draw->arena));
    node_add(draw->arena, backward, "compiled", node_text(draw->arena, "backward_kernel_%" PRIu32, draw->number));
    if (chance(draw, 20)) {
        put_count(draw, backward, "tokens", random_below(&draw->random, 3));
    }
    if (chance(draw, 40)) {
        static const char *const words[] = {"true", "false", "false", "null"};
        node_put(draw->arena, backward, "deterministic", words[random_below(&draw->random, 4)]);
    }
    if (chance(draw, 15)) {
        draw_mutated(draw, backward);
    }
    node_add(draw->arena, backward, "tangents", draw->tangents);
    node_add(draw->arena, backward, "grad_inputs", draw->grad_inputs);
}
