/* SPDX-License-Identifier: MIT */
/*
 * generate_merged - inputs of random graphs that share a storage and are passed as one synthetic base.
 */
#include <inttypes.h>
#include <string.h>

#include "generate_private.h"

static bool chance(Draw *draw, uint32_t percent)
{
    return random_chance(&draw->random, percent);
}

/* What all members have in common, and what the base gets from them. */
typedef struct Group {
    const char *dtype;  /* null: not stated */
    const Node *device; /* where the first stands that states it; null: none yet */
    bool is_leaf;
    bool requires_grad; /* any */
    bool hidden;        /* all that are mutated */
    bool no_grad;       /* all */
} Group;

static void draw_flags(Draw *draw, Node *map, Drawn *drawn, Group *group, bool must)
{
    const bool data = must || chance(draw, 35);
    const bool metadata = chance(draw, 25);
    bool hidden = true;
    bool no_grad = false;
    if (data) {
        node_put(draw->arena, map, "mutates_data", "true");
    }
    if (metadata) {
        node_put(draw->arena, map, "mutates_metadata", "true");
        drawn->restrided = true;
    }
    if (data || metadata) {
        drawn->mutated = true;
        hidden = chance(draw, 50);
        no_grad = chance(draw, 40);
        if (hidden) {
            node_put(draw->arena, map, "mutations_hidden_from_autograd", "true");
        }
        if (no_grad) {
            node_put(draw->arena, map, "mutations_under_no_grad_or_inference_mode", "true");
        }
    }
    group->hidden = group->hidden && hidden;
    group->no_grad = group->no_grad && no_grad;
}

static void draw_member(Draw *draw, Node *inputs, Node *members, Group *group, bool must)
{
    Node *map = node_add(draw->arena, inputs, NULL, node_map(draw->arena));
    Drawn *drawn = &draw->inputs[draw->num_inputs++];
    memset(drawn, 0, sizeof *drawn);
    drawn->name = generate_name(draw, "m");
    drawn->dtype = group->dtype;
    node_put(draw->arena, map, "name", drawn->name);
    generate_facts(draw, map, drawn, true, chance(draw, 60));
    Node *device = node_find(map, "device");
    if (device != NULL && group->device != NULL) {
        *device = *group->device; /* one storage is on one device */
    }
    group->device = device != NULL ? device : group->device;
    /* a view of it can only be worked out from all three */
    drawn->has_size = drawn->has_size && drawn->has_stride && drawn->has_offset;
    drawn->requires_grad = !group->is_leaf || (generate_is_differentiable(group->dtype) && chance(draw, 30));
    if (drawn->requires_grad) {
        node_put(draw->arena, map, "requires_grad", "true");
        group->requires_grad = true;
    }
    if (!group->is_leaf) {
        node_put(draw->arena, map, "is_leaf", "false");
    }
    draw_flags(draw, map, drawn, group, must);
    node_put(draw->arena, members, NULL, drawn->name);
}

void generate_merged(Draw *draw, Node *inputs)
{
    Node *list = node_find(draw->graph, "synthetic_bases");
    if (list == NULL) {
        list = node_add(draw->arena, draw->graph, "synthetic_bases", node_list(draw->arena));
    }
    Node *map = node_add(draw->arena, list, NULL, node_map(draw->arena));
    const char *name = generate_name(draw, "merged");
    Drawn nothing;
    Group group = {chance(draw, 80) ? generate_dtype(draw, chance(draw, 60)) : NULL, NULL, true, false, true, true};
    group.is_leaf = !generate_is_differentiable(group.dtype) || chance(draw, 70);
    const uint32_t n = 2 + random_below(&draw->random, 2);
    const uint32_t must = random_below(&draw->random, n);
    node_put(draw->arena, map, "name", name);
    Node *members = node_add(draw->arena, map, "members", node_list(draw->arena));
    for (uint32_t i = 0; i < n; i++) {
        draw_member(draw, inputs, members, &group, i == must);
    }
    const bool storage = chance(draw, 60) && !(draw->training && group.requires_grad); /* else refused */
    node_put(draw->arena, map, "base", storage ? "storage" : "view_base");
    if (chance(draw, 30)) { /* members stand in any order */
        Node *kept = members->items[0];
        members->items[0] = members->items[n - 1];
        members->items[n - 1] = kept;
    }
    const bool stays = draw->keeps && (!group.requires_grad || group.hidden || group.no_grad);
    memset(&nothing, 0, sizeof nothing);
    if (!stays && group.requires_grad) {
        generate_tangent(draw, name, &nothing);
    }
    generate_gradient(draw, name, group.requires_grad, NULL);
}

static bool names(const Node *list, const char *key, const char *name)
{
    bool found = false;
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        const Node *item = list->items[i];
        const Node *value = key != NULL ? node_find(item, key) : item;
        found = found || (value->kind == NODE_LIST ? names(value, NULL, name) : strcmp(value->text, name) == 0);
    }
    return found;
}

/* Adds what the graph takes in some order; returns how many of the others are tensors. */
static uint32_t list_arguments(Draw *draw, Node *order)
{
    const Node *bases = node_find(draw->graph, "synthetic_bases");
    const Node *inputs = node_find(draw->graph, "inputs");
    uint32_t num_tensors = 0;
    for (uint32_t i = 0; i < bases->count; i++) {
        node_put(draw->arena, order, NULL, node_find(bases->items[i], "name")->text);
    }
    for (uint32_t i = 0; i < inputs->count; i++) {
        const char *name = node_find(inputs->items[i], "name")->text;
        if (!names(bases, "members", name) && !names(node_find(draw->graph, "duplicates"), "input", name)) {
            node_put(draw->arena, order, NULL, name);
            num_tensors += node_find(inputs->items[i], "kind") == NULL ? 1 : 0;
        }
    }
    return num_tensors;
}

void generate_argument_order(Draw *draw)
{
    if (node_find(draw->graph, "synthetic_bases") == NULL) {
        return;
    }
    Node *order = node_list(draw->arena);
    const uint32_t num_tensors = list_arguments(draw, order);
    for (uint32_t i = order->count; i > 1; i--) {
        const uint32_t other = random_below(&draw->random, i);
        Node *kept = order->items[i - 1];
        order->items[i - 1] = order->items[other];
        order->items[other] = kept;
    }
    if (num_tensors > 2 || chance(draw, 50)) {
        node_add(draw->arena, draw->graph, "argument_order", order);
    }
}
