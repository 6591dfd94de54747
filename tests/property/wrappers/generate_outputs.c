/* SPDX-License-Identifier: MIT */
/*
 * generate_outputs - intermediate bases and outputs of random graphs: all types, and the ways to regenerate an alias.
 */
#include <inttypes.h>
#include <string.h>

#include "generate_private.h"

static bool chance(Draw *draw, uint32_t percent)
{
    return random_chance(&draw->random, percent);
}

static void draw_dynamic_dims(Draw *draw, Node *map, int32_t rank)
{
    Node *list = node_list(draw->arena);
    for (int32_t d = 0; d < rank; d++) {
        if (chance(draw, 50)) {
            node_add(draw->arena, list, NULL, node_text(draw->arena, "%d", (int)d));
        }
    }
    node_add(draw->arena, map, "dynamic_dims", list);
}

/* What may be said about a result whose geometry follows from literals alone. */
static void state_result(Draw *draw, Node *map, const Drawn *base, const Drawn *result)
{
    const ViewGeometry *g = &result->at[0];
    if (base->symbolic || base->restrided || memcmp(&result->at[0], &result->at[1], sizeof *g) != 0 ||
        memcmp(&result->at[1], &result->at[2], sizeof *g) != 0) {
        return;
    }
    if (result->dtype != NULL && generate_is_differentiable(result->dtype) && chance(draw, 50)) {
        node_put(draw->arena, map, "dtype", result->dtype);
    }
    if (!chance(draw, 50)) {
        return;
    }
    Node *list = node_add(draw->arena, map, "size", node_list(draw->arena));
    for (int32_t d = 0; d < g->rank; d++) {
        node_add(draw->arena, list, NULL, node_text(draw->arena, "%" PRId64, g->sizes[d]));
    }
    if (base->has_stride && chance(draw, 70)) {
        list = node_add(draw->arena, map, "stride", node_list(draw->arena));
        for (int32_t d = 0; d < g->rank; d++) {
            node_add(draw->arena, list, NULL, node_text(draw->arena, "%" PRId64, g->strides[d]));
        }
    }
    if (base->has_stride && base->has_offset && chance(draw, 50)) {
        node_add(draw->arena, map, "storage_offset", node_text(draw->arena, "%" PRId64, g->offset));
    }
}

/* The size of a view as the YAML can say it, where unbacked symbols are about: what is returned for it may define one.
 */
static void state_size(Draw *draw, Node *map, const Drawn *result)
{
    const ViewGeometry *g = result->at;
    Node *list = node_list(draw->arena);
    bool known = draw->late && random_chance(&draw->unbacked, 60);
    for (int32_t d = 0; known && d < g[0].rank; d++) {
        const int64_t values[SAMPLES] = {g[0].sizes[d], g[1].sizes[d], g[2].sizes[d]};
        Term term = term_literal(draw, values[0]);
        known = (values[0] == values[1] && values[1] == values[2]) || term_for_values(draw, values, &term);
        term_add(draw, list, term);
    }
    if (known) {
        node_add(draw->arena, map, "size", list);
    }
}

/* A literal geometry, or one of symbols, that is small enough to be found in most storages. */
static void draw_as_strided(Draw *draw, Node *map, Drawn *drawn)
{
    Node *as_strided = node_add(draw->arena, map, "as_strided", node_map(draw->arena));
    Node *size = node_add(draw->arena, as_strided, "size", node_list(draw->arena));
    Node *stride = node_add(draw->arena, as_strided, "stride", node_list(draw->arena));
    const uint32_t rank = random_below(&draw->random, 4);
    drawn->rank = (int32_t)rank;
    for (uint32_t i = 0; i < rank; i++) {
        term_add(draw, size, term_size(draw, false));
        term_add(draw, stride,
                 chance(draw, 10) ? term_symbolic(draw) : term_literal(draw, random_below(&draw->random, 4)));
    }
    const Term offset = chance(draw, 10) ? term_symbolic(draw) : term_literal(draw, random_below(&draw->random, 5));
    node_put(draw->arena, as_strided, "offset", offset.text);
}

static void state_numbers(Draw *draw, Node *map, const char *key, int32_t rank, const int64_t *numbers)
{
    Node *list = node_add(draw->arena, map, key, node_list(draw->arena));
    for (int32_t d = 0; d < rank; d++) {
        node_add(draw->arena, list, NULL, node_text(draw->arena, "%" PRId64, numbers[d]));
    }
}

/* Of an alias what may be true of its base: a dtype, a device. It is not known beforehand. */
static void state_alias(Draw *draw, Node *map, const Drawn *base)
{
    static const char *const devices[] = {"cpu", "cuda:0", "cuda"};
    if (base->dtype != NULL && generate_is_differentiable(base->dtype) && chance(draw, 30)) {
        node_put(draw->arena, map, "dtype", base->dtype);
    } else if (base->dtype == NULL && chance(draw, 15)) {
        node_put(draw->arena, map, "dtype", "float32");
    }
    if (chance(draw, 8)) {
        node_put(draw->arena, map, "device", devices[random_below(&draw->random, 3)]);
    }
}

/* Of an output that is its input what is stated about the input, or a little more than that. */
static void state_same(Draw *draw, Node *map, const Drawn *base, Drawn *drawn)
{
    state_alias(draw, map, base);
    if (!base->has_size || base->symbolic || !chance(draw, 50)) {
        return;
    }
    drawn->rank = base->rank;
    state_numbers(draw, map, "size", base->rank, base->at[0].sizes);
    if (chance(draw, 60)) {
        state_numbers(draw, map, "stride", base->rank, base->at[0].strides);
    }
    if (chance(draw, 30)) {
        node_add(draw->arena, map, "storage_offset", node_text(draw->arena, "%" PRId64, base->at[0].offset));
    }
}

/* How the alias is regenerated; without anything its geometry is read from what the graph returned. */
static void draw_replay(Draw *draw, Node *map, const Drawn *base, Drawn *drawn)
{
    const uint32_t how = random_below(&draw->random, 100);
    Drawn result;
    /* Where the geometry of the base is mutated, stated facts are out of date when views are made: refused. */
    const bool stale = base->restrided && chance(draw, 95);
    Node *views = how < 60 && !stale ? generate_views(draw, base, &result) : NULL;
    if (views != NULL) {
        node_add(draw->arena, map, "view", views);
        if (!generate_uses_symbols(views)) {
            state_result(draw, map, base, &result);
        } else {
            state_size(draw, map, &result);
        }
        drawn->rank = result.at[0].rank;
    } else if (how >= 82) {
        draw_as_strided(draw, map, drawn);
        state_alias(draw, map, base);
    } else if (chance(draw, 40)) { /* what the graph returns decides, and this is stated about it */
        drawn->dtype = chance(draw, 70) ? generate_dtype(draw, true) : NULL;
        generate_facts(draw, map, drawn, false, false);
    }
}

/* The value is a subclass: nothing else is stated about its geometry. */
static void put_tree(Draw *draw, Node *map, Drawn *drawn, const Shape *shape)
{
    drawn->shape = shape;
    drawn->dtype = NULL;
    drawn->rank = -1;
    node_add(draw->arena, map, "subclass", generate_tree(draw, shape, SHAPE_RETURNED));
}

static void draw_base(Draw *draw, Node *bases)
{
    Drawn *drawn = &draw->bases[draw->num_bases++];
    Node *map = node_add(draw->arena, bases, NULL, node_map(draw->arena));
    memset(drawn, 0, sizeof *drawn);
    drawn->rank = -1;
    drawn->name = generate_name(draw, "b");
    drawn->dtype = chance(draw, 85) ? generate_dtype(draw, true) : NULL;
    drawn->requires_grad = true;
    node_put(draw->arena, map, "name", drawn->name);
    if (draw->subclasses && chance(draw, 40)) {
        put_tree(draw, map, drawn, generate_shape(draw));
    } else {
        generate_facts(draw, map, drawn, false, false);
    }
    generate_tangent(draw, drawn->name, drawn);
}

/* An alias whose base is drawn already. */
static void draw_alias(Draw *draw, Node *map, const char *type, const Drawn *base, Drawn *drawn)
{
    const bool intermediate = strncmp(type, "alias_of_intermediate", 21) == 0;
    node_put(draw->arena, map, "type", type);
    node_put(draw->arena, map, "base", base->name);
    drawn->requires_grad = intermediate || chance(draw, 35);
    if (strcmp(type, "is_input") == 0) {
        drawn->requires_grad = base->requires_grad;
        if (base->shape != NULL) {
            put_tree(draw, map, drawn, generate_shape_like(draw, base->shape));
        } else {
            state_same(draw, map, base, drawn);
        }
    } else if (base->shape != NULL) {
        if (chance(draw, 50)) {
            put_tree(draw, map, drawn, generate_shape_like(draw, base->shape));
        }
    } else {
        draw_replay(draw, map, base, drawn);
    }
    if (drawn->requires_grad) {
        node_put(draw->arena, map, "requires_grad", "true");
    }
}

static void draw_plain(Draw *draw, Node *map, Drawn *drawn)
{
    static const char *const types[] = {"non_alias", "custom_function_view", "unsafe_view_alias"};
    node_put(draw->arena, map, "type",
             types[chance(draw, 70) ? 0 : 1 + random_below(&draw->random, draw->training ? 2 : 1)]);
    drawn->dtype = chance(draw, 75) ? generate_dtype(draw, false) : NULL;
    if (draw->subclasses && chance(draw, 35)) {
        put_tree(draw, map, drawn, generate_shape(draw));
    } else {
        generate_facts(draw, map, drawn, false, false);
    }
    drawn->requires_grad = (drawn->shape != NULL || generate_is_differentiable(drawn->dtype)) && chance(draw, 50);
    if (!drawn->requires_grad) {
        return;
    }
    node_put(draw->arena, map, "requires_grad", "true");
    if (draw->training && chance(draw, 25)) {
        node_put(draw->arena, map, "requires_grad_for_backward", "false");
    } else {
        generate_tangent(draw, drawn->name, drawn);
    }
}

static void draw_tensor(Draw *draw, Node *map, Drawn *drawn)
{
    const uint32_t what = random_below(&draw->random, 100);
    const Drawn *base = draw->num_outputs > 0 ? &draw->outputs[random_below(&draw->random, draw->num_outputs)] : NULL;
    if (base != NULL && base->dtype != NULL && !generate_is_differentiable(base->dtype)) {
        base = NULL; /* the alias would have to require grad */
    }
    if (what < 30 && draw->num_inputs > 0) {
        draw_alias(draw, map, "alias_of_input", &draw->inputs[random_below(&draw->random, draw->num_inputs)], drawn);
    } else if (what < 40 && draw->num_inputs > 0) {
        draw_alias(draw, map, "is_input", &draw->inputs[random_below(&draw->random, draw->num_inputs)], drawn);
    } else if (what < 52 && draw->num_bases > 0) {
        draw_alias(draw, map, "alias_of_intermediate", &draw->bases[random_below(&draw->random, draw->num_bases)],
                   drawn);
    } else if (what < 64 && base != NULL) {
        draw_alias(draw, map, "alias_of_intermediate_base_is_user_output", base, drawn);
    } else {
        draw_plain(draw, map, drawn);
    }
    if (chance(draw, 15) && drawn->shape == NULL) {
        draw_dynamic_dims(draw, map, drawn->rank >= 0 ? drawn->rank : 2);
    }
}

static Node *start_output(Draw *draw, Node *outputs, Drawn *drawn)
{
    Node *map = node_add(draw->arena, outputs, NULL, node_map(draw->arena));
    memset(drawn, 0, sizeof *drawn);
    drawn->rank = -1;
    drawn->name = generate_name(draw, "y");
    node_put(draw->arena, map, "name", drawn->name);
    return map;
}

/* What is stated about an int that is returned. */
static void draw_value(Draw *draw, Node *map)
{
    Term term;
    if (term_unbacked(draw, &term)) {
        node_put(draw->arena, map, "value", term.text);
    } else if (draw->late && random_chance(&draw->unbacked, 60)) {
        node_put(draw->arena, map, "value", term_symbolic(draw).text);
    }
}

static void draw_output(Draw *draw, Node *outputs)
{
    Drawn drawn;
    Node *map = start_output(draw, outputs, &drawn);
    if (chance(draw, 82)) {
        draw_tensor(draw, map, &drawn);
        draw->outputs[draw->num_outputs++] = drawn;
    } else {
        static const char *const kinds[] = {"int", "float", "bool", "opaque", "none"};
        const uint32_t kind = random_below(&draw->random, 5);
        node_put(draw->arena, map, "kind", kinds[kind]);
        node_put(draw->arena, map, "type", "non_alias");
        if (kind == 0) {
            draw_value(draw, map);
        }
    }
}

/* Like ones in a row, as of inputs; each draws from the generator as it was before the first. */
static void draw_like_outputs(Draw *draw, Node *outputs)
{
    const uint32_t n = chance(draw, 15) ? 2 + random_below(&draw->random, 4) : 1;
    const Random start = draw->random;
    for (uint32_t i = 0; i < n; i++) {
        draw->random = start;
        draw_output(draw, outputs);
    }
}

void generate_outputs(Draw *draw)
{
    if (chance(draw, 30)) {
        Node *bases = node_add(draw->arena, draw->graph, "intermediate_bases", node_list(draw->arena));
        for (uint32_t i = 1 + random_below(&draw->random, 2); i > 0; i--) {
            draw_base(draw, bases);
        }
    }
    Node *outputs = node_add(draw->arena, draw->graph, "outputs", node_list(draw->arena));
    const uint32_t n = random_below(&draw->random, 6);
    uint32_t saved = 0; /* bases that an output has brought along so far */
    for (uint32_t i = 0; i < n || saved < draw->num_bases; i++) {
        if (saved < draw->num_bases && (i >= n || chance(draw, 40))) {
            Drawn drawn;
            Node *map = start_output(draw, outputs, &drawn);
            draw_alias(draw, map, "alias_of_intermediate_save_as_output", &draw->bases[saved++], &drawn);
            draw->outputs[draw->num_outputs++] = drawn;
        } else {
            draw_like_outputs(draw, outputs);
        }
    }
    generate_missing_definitions(draw, outputs);
}
