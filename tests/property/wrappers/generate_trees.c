/* SPDX-License-Identifier: MIT */
/*
 * generate_trees - subclasses of random graphs: shapes, to a depth of four, and the YAML of a shape in each role.
 *
 * One shape serves for an input, what the graph returns for it, its tangent and its gradient, which agree as they do in
 * PyTorch; what a role must not state is left out of it.
 */
#include <inttypes.h>
#include <string.h>

#include "generate_private.h"

enum { MOST_ATTRS = 5, MOST_OUTER = 3, DEPTH = 4 };

typedef struct AttrType {
    const char *name;
    bool optional;
    bool opaque;
} AttrType;

typedef struct TreeType {
    const char *name;
    const char *symbol; /* null: as the name */
    AttrType attrs[MOST_ATTRS];
    uint32_t num_attrs;
} TreeType;

static const TreeType types[] = {
    {"Pair", "pair_type", {{"a", false, false}, {"b", false, false}}, 2},
    {"Lone", NULL, {{"w", false, false}}, 1},
    {"Ragged", "ragged_type", {{"values", false, false}, {"lengths", true, false}, {"rule", false, true}}, 3},
    {"Many",
     NULL,
     {{"p", false, false}, {"q", true, false}, {"r", true, true}, {"s", true, false}, {"z", false, false}},
     5},
};

enum { NUM_TYPES = sizeof types / sizeof types[0] };

struct Shape {
    const TreeType *type; /* null: a leaf */
    bool opaque;
    const Shape *attrs[MOST_ATTRS]; /* null: absent */
    uint32_t context;
    bool symints;
    int32_t rank; /* outer; of a leaf -1: not stated */
    bool has_stride;
    Term sizes[MOST_OUTER];   /* text null: nested */
    Term strides[MOST_OUTER]; /* the same for strides */
    int32_t size_from;        /* attribute, -1: none */
    int32_t stride_from;
};

static bool chance(Draw *draw, uint32_t percent)
{
    return random_chance(&draw->random, percent);
}

/* ---- shapes ---- */

static const Shape *draw_leaf(Draw *draw, bool opaque)
{
    Shape *leaf = ARENA_NEW(draw->arena, Shape);
    leaf->opaque = opaque;
    leaf->rank = -1;
    if (opaque || chance(draw, 50)) {
        return leaf;
    }
    leaf->rank = (int32_t)random_below(&draw->random, MOST_OUTER + 1);
    leaf->has_stride = chance(draw, 50);
    for (int32_t d = 0; d < leaf->rank; d++) {
        leaf->sizes[d] = term_size(draw, false);
        leaf->strides[d] = term_literal(draw, random_below(&draw->random, 4));
    }
    return leaf;
}

static Term draw_outer(Draw *draw, bool size)
{
    const Term nested = {NULL, {0}, false};
    if (chance(draw, 6)) {
        return nested;
    }
    if (size || chance(draw, 30)) {
        return term_size(draw, false);
    }
    return term_literal(draw, 1 + random_below(&draw->random, 4));
}

/* An attribute whose geometry is the outer one: a leaf with nothing stated, or a subclass that states its own. */
static int32_t draw_from(Draw *draw, const Shape *shape)
{
    const uint32_t i = random_below(&draw->random, shape->type->num_attrs);
    const Shape *attr = shape->attrs[i];
    const bool leaf = attr != NULL && attr->type == NULL && !attr->opaque && attr->rank < 0;
    const bool node = attr != NULL && attr->type != NULL && attr->size_from < 0 && attr->stride_from < 0;
    return chance(draw, 30) && (leaf || node) ? (int32_t)i : -1;
}

/* What is taken from a subclass is stated as that states it. */
static void draw_outer_from(Draw *draw, Shape *shape)
{
    shape->size_from = draw_from(draw, shape);
    shape->stride_from = draw_from(draw, shape);
    const Shape *size = shape->size_from >= 0 ? shape->attrs[shape->size_from] : NULL;
    const Shape *stride = shape->stride_from >= 0 ? shape->attrs[shape->stride_from] : NULL;
    const bool size_node = size != NULL && size->type != NULL;
    const bool stride_node = stride != NULL && stride->type != NULL;
    if (size_node && stride_node && size->rank != stride->rank) {
        shape->stride_from = shape->size_from;
        stride = size;
    }
    shape->rank = size_node ? size->rank : stride_node ? stride->rank : shape->rank;
    for (int32_t d = 0; d < shape->rank; d++) {
        shape->sizes[d] = size_node ? size->sizes[d] : draw_outer(draw, true);
        shape->strides[d] = stride_node ? stride->strides[d] : draw_outer(draw, false);
    }
}

static Shape *draw_node(Draw *draw, const TreeType *type, uint32_t depth, bool symints)
{
    Shape *shape = ARENA_NEW(draw->arena, Shape);
    shape->type = type;
    shape->symints = chance(draw, 80) ? symints : !symints;
    shape->context = random_below(&draw->random, 4);
    for (uint32_t i = 0; i < type->num_attrs; i++) {
        const AttrType *attr = &type->attrs[i];
        if (attr->optional && chance(draw, 50)) {
            continue;
        }
        const bool nested = !attr->opaque && depth < DEPTH && chance(draw, depth == 1 ? 30 : 45);
        shape->attrs[i] =
            nested ? draw_node(draw, &types[random_below(&draw->random, NUM_TYPES)], depth + 1, shape->symints)
                   : draw_leaf(draw, attr->opaque);
    }
    shape->rank = (int32_t)random_below(&draw->random, MOST_OUTER + 1);
    draw_outer_from(draw, shape);
    return shape;
}

const Shape *generate_shape(Draw *draw)
{
    return draw_node(draw, &types[random_below(&draw->random, NUM_TYPES)], 1, chance(draw, 60));
}

const Shape *generate_shape_like(Draw *draw, const Shape *shape)
{
    return chance(draw, 60) ? shape : draw_node(draw, shape->type, 1, chance(draw, 60));
}

/* ---- their YAML ---- */

static void put_terms(Draw *draw, Node *map, const char *key, const Term *terms, int32_t rank)
{
    Node *list = node_add(draw->arena, map, key, node_list(draw->arena));
    for (int32_t d = 0; d < rank; d++) {
        node_put(draw->arena, list, NULL, terms[d].text != NULL ? terms[d].text : "nested");
    }
}

static void put_leaf(Draw *draw, Node *map, const Shape *leaf, ShapeRole role)
{
    static const char *const formats[] = {"contiguous", "contiguous", "contiguous", "channels_last",
                                          "channels_last_3d"};
    if (leaf->opaque) {
        return;
    }
    if (role == SHAPE_TANGENT) {
        node_put(draw->arena, map, "memory_format", formats[random_below(&draw->random, 5)]);
        return;
    }
    if (leaf->rank < 0) {
        return;
    }
    put_terms(draw, map, "size", leaf->sizes, leaf->rank);
    if (leaf->has_stride) {
        put_terms(draw, map, "stride", leaf->strides, leaf->rank);
    }
    if (role == SHAPE_INPUT && leaf->rank > 0 && chance(draw, 30)) {
        Node *list = node_add(draw->arena, map, "symbol_args", node_list(draw->arena));
        node_put(draw->arena, list, NULL, chance(draw, 70) ? "size.0" : "stride.0");
    }
}

static bool is_symbolic(const Term *terms, int32_t rank)
{
    for (int32_t d = 0; d < rank; d++) {
        if (terms[d].symbolic) {
            return true;
        }
    }
    return false;
}

/* Sizes that are not returned and that no attribute has must be computed, which a backward cannot do. */
static bool must_travel(const Shape *shape, ShapeRole role)
{
    return role == SHAPE_GRADIENT && ((is_symbolic(shape->sizes, shape->rank) && shape->size_from < 0) ||
                                      (is_symbolic(shape->strides, shape->rank) && shape->stride_from < 0));
}

static void put_node(Draw *draw, Node *map, const Shape *shape, ShapeRole role, bool inherited)
{
    const bool symints = shape->symints || must_travel(shape, role);
    node_put(draw->arena, map, "type", shape->type->name);
    if (role != SHAPE_INPUT || chance(draw, 40)) {
        node_add(draw->arena, map, "context", node_text(draw->arena, "context_%" PRIu32, shape->context));
    }
    const bool size =
        symints ||
        (role == SHAPE_INPUT || role == SHAPE_TANGENT ? chance(draw, 70) : shape->size_from < 0 || chance(draw, 50));
    const bool unclear = !size && shape->size_from != shape->stride_from; /* how many dims there are */
    const bool stride =
        symints || (size && (role == SHAPE_INPUT || role == SHAPE_TANGENT)) ||
        (role != SHAPE_INPUT && role != SHAPE_TANGENT && (shape->stride_from < 0 || unclear || chance(draw, 50)));
    if (size) {
        put_terms(draw, map, "outer_size", shape->sizes, shape->rank);
    }
    if (stride) {
        put_terms(draw, map, "outer_stride", shape->strides, shape->rank);
    }
    if (symints != inherited || chance(draw, 20)) {
        node_put(draw->arena, map, "symints", symints ? "true" : "false");
    }
    if (role != SHAPE_TANGENT && shape->size_from >= 0) {
        node_put(draw->arena, map, "outer_size_from", shape->type->attrs[shape->size_from].name);
    }
    if (role != SHAPE_TANGENT && shape->stride_from >= 0) {
        node_put(draw->arena, map, "outer_stride_from", shape->type->attrs[shape->stride_from].name);
    }
    if (role == SHAPE_TANGENT) {
        node_put(draw->arena, map, "memory_format", chance(draw, 85) ? "contiguous" : "channels_last");
    }
    Node *inner = node_add(draw->arena, map, "inner", node_list(draw->arena));
    for (uint32_t i = 0; i < shape->type->num_attrs; i++) {
        if (shape->attrs[i] == NULL) {
            continue;
        }
        Node *attr = node_add(draw->arena, inner, NULL, node_map(draw->arena));
        node_put(draw->arena, attr, "attr", shape->type->attrs[i].name);
        if (shape->attrs[i]->type == NULL) {
            put_leaf(draw, attr, shape->attrs[i], role);
        } else {
            put_node(draw, attr, shape->attrs[i], role, symints);
        }
    }
}

Node *generate_tree(Draw *draw, const Shape *shape, ShapeRole role)
{
    Node *map = node_map(draw->arena);
    put_node(draw, map, shape, role, role != SHAPE_TANGENT);
    return map;
}

static void add_waits(Draw *draw, Node *list, const Shape *shape, const char *path)
{
    for (uint32_t i = 0; i < shape->type->num_attrs; i++) {
        const Shape *attr = shape->attrs[i];
        const char *name =
            arena_printf(draw->arena, "%s%s%s", path, path[0] == '\0' ? "" : ".", shape->type->attrs[i].name);
        if (attr != NULL && attr->type != NULL) {
            add_waits(draw, list, attr, name);
        } else if (attr != NULL && !attr->opaque && chance(draw, 40)) {
            node_put(draw->arena, list, NULL, name);
        }
    }
}

void generate_waits(Draw *draw, Node *input, const Shape *shape)
{
    Node *list = node_list(draw->arena);
    if (shape != NULL) {
        add_waits(draw, list, shape, "");
    } else {
        node_put(draw->arena, list, NULL, "''");
    }
    if (list->count > 0) {
        node_add(draw->arena, input, "wait", list);
    }
}

Node *generate_subclass_types(Arena *arena)
{
    Node *list = node_list(arena);
    for (uint32_t i = 0; i < NUM_TYPES; i++) {
        Node *type = node_add(arena, list, NULL, node_map(arena));
        node_put(arena, type, "name", types[i].name);
        if (types[i].symbol != NULL) {
            node_put(arena, type, "symbol", types[i].symbol);
        }
        Node *attrs = node_add(arena, type, "attrs", node_list(arena));
        for (uint32_t k = 0; k < types[i].num_attrs; k++) {
            Node *attr = node_add(arena, attrs, NULL, node_map(arena));
            node_put(arena, attr, "name", types[i].attrs[k].name);
            if (types[i].attrs[k].optional) {
                node_put(arena, attr, "optional", "true");
            }
            if (types[i].attrs[k].opaque) {
                node_put(arena, attr, "kind", "opaque");
            }
        }
    }
    return list;
}
