/* SPDX-License-Identifier: MIT */
/*
 * scenario_tree - arguments that are subclasses, asynchronous values, and the gradients that a backward is given.
 */
#include <string.h>

#include "scenario.h"

bool scenario_is_waited(const SpecInput *input, const char *path)
{
    for (uint32_t i = 0; i < input->wait.text_count; i++) {
        if (strcmp(input->wait.text[i], path) == 0) {
            return true;
        }
    }
    return false;
}

WgTensor *scenario_promise(WgContext *ctx, WgTensor *value)
{
    WgTensor *promise =
        mock_tensor(ctx, &value->object->geometry, value->object->device, value->object->storage->bytes);
    promise->object->plain = false;
    promise->object->waited = value;
    promise->object->requires_grad = value->object->requires_grad;
    return promise;
}

/* ---- trees ---- */

static bool is_here(const TreeMaker *maker, uint32_t node, Defect defect)
{
    const Scenario *scenario = maker->prepared->scenario;
    return maker->spoilt && scenario->node == node && scenario->defect == defect;
}

static void spoil_here(const TreeMaker *maker, uint32_t node, ViewGeometry *geometry)
{
    if (maker->spoilt && maker->prepared->scenario->node == node) {
        scenario_spoil_geometry(maker->prepared->scenario, geometry);
    }
}

static WgTensor *make_leaf(TreeMaker *maker, const SpecSubclass *leaf, const char *path)
{
    static const SpecInt unknown = {NULL, NULL};
    const uint32_t node = maker->node++;
    Random *random = maker->random;
    if (leaf->opaque) {
        return mock_opaque(maker->ctx, 100000 + random_below(random, 1000));
    }
    ViewGeometry geometry = scenario_geometry(random, WG_FLOAT32);
    scenario_state(&maker->prepared->symbols, &leaf->size, &leaf->stride, &unknown, &geometry);
    if (leaf->memory_format == SPEC_CHANNELS_LAST || leaf->memory_format == SPEC_CHANNELS_LAST_3D) {
        geometry.rank = leaf->memory_format == SPEC_CHANNELS_LAST ? 4 : 5;
        for (int32_t d = 0; d < geometry.rank; d++) {
            geometry.sizes[d] = 1 + random_below(random, 3);
        }
        view_make_contiguous(&geometry);
    }
    spoil_here(maker, node, &geometry);
    WgTensor *t = mock_tensor(maker->ctx, &geometry, 0, mock_bytes_needed(&geometry) + 16);
    if (leaf->owns.expr != NULL && !is_here(maker, node, DEFECT_OWNER)) {
        (void)evaluate(&maker->prepared->symbols, leaf->owns.expr, &t->object->nested);
    }
    if (is_here(maker, node, DEFECT_TYPE)) {
        t->object->plain = false;
        return t;
    }
    if (is_here(maker, node, DEFECT_LAZY)) {
        t->object->lazy = WG_LAZY_CONJ + (int32_t)(maker->prepared->scenario->seed % 3);
    }
    const bool waited = maker->input != NULL && scenario_is_waited(maker->input, path) && random_chance(random, 60);
    return waited ? scenario_promise(maker->ctx, t) : t;
}

static const char *below(TreeMaker *maker, const char *path, const char *attr)
{
    return path[0] == '\0' ? attr : arena_printf(&maker->ctx->arena, "%s.%s", path, attr);
}

static WgTensor *make_attr(TreeMaker *maker, const SpecSubclass *inner, const char *path)
{
    const bool absent = is_here(maker, maker->node, DEFECT_NULL);
    const uint32_t before = maker->node;
    WgTensor *t = inner->declared == NULL ? make_leaf(maker, inner, path) : scenario_tree(maker, inner, path);
    if (absent && !inner->opaque) {
        mock_drop(maker->ctx, t);
        t = NULL;
    }
    (void)before;
    return t;
}

WgTensor *scenario_tree(TreeMaker *maker, const SpecSubclass *tree, const char *path)
{
    static const SpecInt unknown = {NULL, NULL};
    WgContext *ctx = maker->ctx;
    const Prepared *p = maker->prepared;
    const uint32_t node = maker->node++;
    const uint32_t num_attrs = tree->declared->attrs_count;
    const uint32_t num_types = p->layout->spec->subclasses_count;
    WgTensor **attrs = ARENA_ARRAY(&ctx->arena, WgTensor *, (size_t)num_attrs + 1);
    ViewGeometry geometry = scenario_geometry(maker->random, WG_FLOAT32);
    int32_t type = (int32_t)(tree->declared - p->layout->spec->subclasses);
    scenario_state(&p->symbols, &tree->outer_size, &tree->outer_stride, &unknown, &geometry);
    spoil_here(maker, node, &geometry);
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        const SpecSubclass *inner = &tree->inner[i];
        attrs[inner->attr_index] = make_attr(maker, inner, below(maker, path, inner->attr));
    }
    for (uint32_t i = 0; i < num_attrs && is_here(maker, node, DEFECT_PRESENT); i++) {
        if (attrs[i] == NULL) {
            attrs[i] = mock_tensor(ctx, &geometry, 0, mock_bytes_needed(&geometry) + 16);
            break;
        }
    }
    if (is_here(maker, node, DEFECT_TYPE)) {
        type = num_types > 1 && p->scenario->seed % 2 == 0 ? (int32_t)(((uint32_t)type + 1) % num_types) : -1;
    }
    int32_t context = tree->context != NULL ? (int32_t)layout_context(p->layout, tree->context) : -1;
    if (is_here(maker, node, DEFECT_CONTEXT)) {
        context = context != 0 ? 0 : p->layout->num_contexts > 1 ? 1 : -1;
    }
    WgTensor *t = mock_subclass(ctx, &geometry, type, context, attrs, num_attrs);
    if (type < 0 && p->scenario->seed % 4 == 1) {
        t->object->plain = true;
    }
    return t;
}

/* ---- gradients ---- */

static ViewGeometry tangent_geometry(Prepared *p, Random *random, const SpecTangent *tangent)
{
    static const SpecInt unknown = {NULL, NULL};
    static const SpecInts nothing = {NULL, 0, NULL};
    ViewGeometry g = scenario_geometry(random, WG_FLOAT32);
    const uint32_t what = random_below(random, 100);
    if (tangent->size.text != NULL) {
        scenario_state(&p->symbols, &tangent->size, what < 45 ? &tangent->stride : &nothing, &unknown, &g);
        for (int32_t d = 0; d < g.rank && what >= 70 && what < 90; d++) {
            g.strides[d] = 0; /* an expanded scalar */
        }
        if (what >= 97 && g.rank > 0) {
            g.sizes[0] += 2; /* does not broadcast */
        }
        g.rank = what >= 90 && what < 97 ? 0 : g.rank;
    } else if (tangent->memory_format != SPEC_CONTIGUOUS && what < 92) {
        g.rank = tangent->memory_format == SPEC_CHANNELS_LAST ? 4 : 5;
        for (int32_t d = 0; d < g.rank; d++) {
            g.sizes[d] = 1 + random_below(random, 3);
        }
        view_make_contiguous(&g);
    }
    return g;
}

static WgTensor *make_tangent(WgContext *ctx, Prepared *p, Random *random, uint32_t i)
{
    const SpecTangent *tangent = p->layout->tangents[i].spec;
    const Scenario *scenario = p->scenario;
    const bool spoilt = scenario->backward && scenario->defect != DEFECT_NONE && scenario->input == i;
    const bool undefined = tangent->kept == SPEC_FALSE && random_chance(random, 35) && !spoilt;
    if (undefined || (spoilt && scenario->defect == DEFECT_NULL && scenario->node == 0)) {
        return NULL;
    }
    WgTensor *t = NULL;
    if (tangent->subclass != NULL) {
        TreeMaker maker = {ctx, p, random, NULL, spoilt, 0};
        t = scenario_tree(&maker, tangent->subclass, "");
    } else {
        const ViewGeometry geometry = tangent_geometry(p, random, tangent);
        t = mock_tensor(ctx, &geometry, 0, mock_bytes_needed(&geometry) + 16);
        t->object->plain = !(spoilt && scenario->defect == DEFECT_TYPE);
    }
    t->object->requires_grad = random_chance(random, 10);
    return t;
}

WgValue *scenario_gradients(WgContext *ctx, Prepared *p)
{
    Random random = random_from(p->scenario->seed, 10 + p->nth);
    WgValue *gradients = ARENA_ARRAY(&ctx->arena, WgValue, (size_t)p->layout->num_returned + 2);
    for (uint32_t i = 0; i < p->layout->num_returned; i++) {
        gradients[i].tensor = NULL; /* autograd may pass a gradient that is not needed */
        if (random_chance(&random, 30)) {
            const ViewGeometry geometry = scenario_geometry(&random, WG_FLOAT32);
            gradients[i].tensor = mock_tensor(ctx, &geometry, 0, mock_bytes_needed(&geometry));
        }
    }
    for (uint32_t i = 0; i < p->layout->num_tangents; i++) {
        WgValue *gradient = &gradients[p->layout->tangents[i].returned];
        mock_drop(ctx, gradient->tensor);
        gradient->tensor = make_tangent(ctx, p, &random, i);
    }
    return gradients;
}
