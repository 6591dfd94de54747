/* SPDX-License-Identifier: MIT */
/*
 * scenario - builds the arguments of a call: right in everything that is stated, but for the one defect asked for.
 */
#include "reference.h"
#include "scenario_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- geometry ---- */

const Defect scenario_wrongs[NUM_WRONGS] = {DEFECT_TYPE,   DEFECT_DTYPE,  DEFECT_RANK,  DEFECT_SIZE,
                                            DEFECT_STRIDE, DEFECT_OFFSET, DEFECT_DEVICE};

/* A geometry has nothing negative: what would become so goes the other way. */
static int64_t wrong_by(const Scenario *scenario, int64_t value)
{
    const int64_t delta = scenario->delta != 0 ? scenario->delta : 1;
    return value + delta >= 0 ? value + delta : value - delta;
}

ViewGeometry scenario_geometry(Random *random, int32_t dtype)
{
    ViewGeometry g;
    memset(&g, 0, sizeof g);
    g.rank = (int32_t)random_below(random, 5);
    g.dtype = dtype;
    for (int32_t i = 0; i < g.rank; i++) {
        g.sizes[i] = 1 + random_below(random, 4);
    }
    view_make_contiguous(&g);
    if (g.rank > 1 && random_chance(random, 30)) {
        const int64_t size = g.sizes[0];
        const int64_t stride = g.strides[0];
        g.sizes[0] = g.sizes[1];
        g.strides[0] = g.strides[1];
        g.sizes[1] = size;
        g.strides[1] = stride;
    }
    g.offset = random_chance(random, 30) ? random_below(random, 4) : 0;
    return g;
}

static int64_t at_least_zero(const Symbols *symbols, const Expr *expr)
{
    int64_t value = 0;
    if (expr == NULL) {
        return MOCK_RAGGED;
    }
    return evaluate(symbols, expr, &value) && value >= 0 ? value : 0;
}

void scenario_state(const Symbols *symbols, const SpecInts *size, const SpecInts *stride, const SpecInt *offset,
                    ViewGeometry *geometry)
{
    if (size->text != NULL) {
        geometry->rank = (int32_t)size->text_count;
        for (uint32_t i = 0; i < size->text_count; i++) {
            geometry->sizes[i] = at_least_zero(symbols, size->expr[i]);
        }
        view_make_contiguous(geometry);
    }
    for (uint32_t i = 0; i < stride->text_count; i++) {
        geometry->strides[i] = at_least_zero(symbols, stride->expr[i]);
    }
    if (offset->expr != NULL) {
        geometry->offset = at_least_zero(symbols, offset->expr);
    }
}

/* ---- defects ---- */

void scenario_spoil_geometry(const Scenario *scenario, ViewGeometry *g)
{
    const uint32_t d = g->rank > 0 ? scenario->dimension % (uint32_t)g->rank : 0;
    switch (scenario->defect) {
    case DEFECT_DTYPE:
        g->dtype = g->dtype == WG_FLOAT32 ? WG_INT32 : WG_FLOAT32;
        break;
    case DEFECT_RANK:
        if (g->rank > 0 && scenario->seed % 2 == 0) {
            g->rank--;
        } else {
            g->sizes[g->rank] = 1;
            g->strides[g->rank++] = 1;
        }
        break;
    case DEFECT_SIZE:
        g->sizes[d] = g->rank > 0 ? wrong_by(scenario, g->sizes[d]) : 0;
        break;
    case DEFECT_STRIDE:
        g->strides[d] = g->rank > 0 ? wrong_by(scenario, g->strides[d]) : 0;
        break;
    case DEFECT_OFFSET:
        g->offset = wrong_by(scenario, g->offset);
        break;
    case DEFECT_BOUNDS: /* a size that the symbol's bounds may exclude */
        g->sizes[d] = g->rank > 0 ? 70 + (int64_t)(scenario->seed % 3) : 0;
        break;
    case DEFECT_NONE:
    case DEFECT_NULL:
    case DEFECT_TYPE:
    case DEFECT_LAZY:
    case DEFECT_DEVICE:
    case DEFECT_ALIGNMENT:
    case DEFECT_VALUE:
    case DEFECT_PRESENT:
    case DEFECT_CONTEXT:
    case DEFECT_OWNER:
    case DEFECT_IDENTITY:
    case DEFECT_GUARD:
    case DEFECT_COUNT:
        break;
    }
}

static void spoil_tensor(const Scenario *scenario, WgTensor *t)
{
    MockObject *object = t->object;
    if (scenario->defect == DEFECT_TYPE) {
        object->plain = false;
    } else if (scenario->defect == DEFECT_DEVICE) {
        object->device = scenario->seed % 2 == 0 ? object->device ^ 256 : object->device + 1;
    } else if (scenario->defect == DEFECT_LAZY) {
        object->lazy ^= 1 + (int32_t)(scenario->seed % 3);
    } else if (scenario->defect == DEFECT_ALIGNMENT) {
        object->storage->skew = 1;
    }
}

/* ---- arguments ---- */

static bool is_spoilt(const Prepared *p, uint32_t i)
{
    return p->scenario->defect != DEFECT_NONE && p->scenario->defect != DEFECT_GUARD && !p->scenario->backward &&
           p->scenario->input == i;
}

int32_t scenario_device(Random *random, int32_t type, int32_t index)
{
    static const int32_t devices[] = {0, 0, 0, 256, 257};
    if (type < 0) {
        return devices[random_below(random, 5)];
    }
    if (index < 0 && type != WG_CPU) {
        return type * 256 + (int32_t)random_below(random, 2);
    }
    return type * 256 + (index > 0 ? index : 0);
}

static int32_t draw_dtype(Random *random)
{
    static const int32_t dtypes[] = {WG_FLOAT32, WG_FLOAT32, WG_FLOAT64, WG_COMPLEX64, WG_INT64, WG_BOOL, WG_BFLOAT16};
    return dtypes[random_below(random, 7)];
}

/* A training graph may be called without any input that requires grad. */
static bool nothing_requires_grad(const Prepared *p)
{
    return p->layout->graph->mode == SPEC_TRAINING && p->scenario->seed % 7 == 3;
}

static bool needs_grad(const Prepared *p, Random *random, uint32_t i)
{
    const bool flipped = random_chance(random, 15);
    if (p->scenario->alone) {
        return p->scenario->input == i;
    }
    return spec_is(p->layout->graph->inputs[i].requires_grad) != flipped && !nothing_requires_grad(p);
}

/* An earlier tensor whose storage this one may share. */
static WgTensor *draw_sharer(Prepared *p, Random *random, uint32_t i, const ViewGeometry *geometry)
{
    const bool asked = p->scenario->shares && p->scenario->input == i;
    if (i == 0 || (!random_chance(random, 12) && !asked)) {
        return NULL;
    }
    const uint32_t k = asked ? p->scenario->other : random_below(random, i);
    const SpecInput *other = &p->layout->graph->inputs[k];
    if (other->kind != SPEC_TENSOR || p->args[k].tensor == NULL || !reference_can_share(geometry) ||
        !reference_can_share(&p->args[k].tensor->object->geometry) ||
        !mock_fits(geometry, p->args[k].tensor->object->storage)) {
        return NULL;
    }
    return p->args[k].tensor;
}

/* Two that are to share a storage have elements apart from each other, where the graph leaves that open, as far in one
 * as in the other or not, and begin within 64 bytes: they may meet in any of their bytes, touch, or interleave. */
static void spread(const Prepared *p, Random *random, uint32_t i, ViewGeometry *geometry)
{
    const Scenario *scenario = p->scenario;
    const SpecInput *input = &p->layout->graph->inputs[i];
    enum { WITHIN = 64 };
    const bool alike = scenario->seed / 6 % 2 == 0;
    const int64_t apart = 1 + (int64_t)(scenario->seed / (alike || scenario->input == i ? 2 : 12) % 3);
    if (!scenario->shares || (scenario->input != i && scenario->other != i) || input->stride.text_count > 0 ||
        input->storage_offset.expr != NULL || mock_bytes_needed(geometry) > INT64_C(1) << 30) {
        return;
    }
    for (int32_t d = 0; d < geometry->rank; d++) {
        geometry->strides[d] *= apart;
    }
    geometry->offset = random_below(random, alike ? 4 : WITHIN / (uint32_t)view_itemsize(geometry->dtype));
}

/* Where a storage has to serve another geometry, too. */
static void widen(MockStorage *storage, const ViewGeometry *geometry)
{
    const int64_t bytes = mock_bytes_needed(geometry);
    storage->bytes = storage->bytes < bytes ? bytes : storage->bytes;
}

/* One of several that share a storage: views of one base, which may be the first of them; or of no base that autograd
 * knows of, which at times are members of a graph that was compiled for views, too. */
static WgTensor *make_member(WgContext *ctx, Prepared *p, uint32_t i, const ViewGeometry *geometry)
{
    enum { ROOM = 512, FEW = 8 };
    const int64_t room = ROOM + (p->scenario->seed % FEW != 0 ? p->reach : 0);
    const uint32_t group = (uint32_t)p->layout->graph->inputs[i].synthetic_base;
    const SpecSynthetic *synthetic = &p->layout->graph->synthetic_bases[group];
    const bool views = synthetic->base == SPEC_SYNTHETIC_VIEW_BASE && p->scenario->seed % FEW != FEW / 2;
    if (is_spoilt(p, i) && p->scenario->defect == DEFECT_IDENTITY) {
        return mock_tensor(ctx, geometry, 0, mock_bytes_needed(geometry) + room);
    }
    if (p->bases[group] == NULL) {
        WgTensor *base = mock_tensor(ctx, geometry, 0, mock_bytes_needed(geometry) + room);
        p->bases[group] = base->object;
        if (!views || p->scenario->seed % 3 == 0) {
            return base;
        }
        mock_drop(ctx, base); /* the views keep what there is of it */
    }
    WgTensor base = {p->bases[group], true};
    WgTensor *t = mock_alias(ctx, &base, geometry);
    widen(t->object->storage, geometry);
    t->object->is_view = views;
    t->object->base = views ? p->bases[group] : NULL;
    return t;
}

static WgTensor *make_tensor(WgContext *ctx, Prepared *p, Random *random, uint32_t i)
{
    const SpecInput *input = &p->layout->graph->inputs[i];
    const bool spoilt = is_spoilt(p, i);
    const MockObject *merged = input->synthetic_base >= 0 ? p->bases[input->synthetic_base] : NULL;
    const int32_t dtype = merged != NULL ? merged->geometry.dtype : draw_dtype(random); /* members have one */
    ViewGeometry geometry = scenario_geometry(random, input->dtype != NULL ? input->dtype_code : dtype);
    scenario_state(&p->symbols, &input->size, &input->stride, &input->storage_offset, &geometry);
    spread(p, random, i, &geometry);
    if (spoilt) {
        scenario_spoil_geometry(p->scenario, &geometry);
    }
    const int32_t device = scenario_device(random, input->device_type, input->device_index);
    int64_t slack = random_chance(random, 80) ? 8 * (int64_t)random_below(random, 64) + p->reach : 0;
    if (p->scenario->shares && p->scenario->other == i) {
        slack += INT64_C(1) << 40; /* room for whatever shares it: nothing is allocated */
    }
    const WgTensor *shared = draw_sharer(p, random, i, &geometry);
    const bool grad = needs_grad(p, random, i);
    const bool is_view = random_chance(random, 20);
    WgTensor *t = input->synthetic_base >= 0
                      ? make_member(ctx, p, i, &geometry)
                      : (shared != NULL ? mock_alias(ctx, shared, &geometry)
                                        : mock_tensor(ctx, &geometry, device, mock_bytes_needed(&geometry) + slack));
    t->object->device = device;
    t->object->lazy = (spec_is(input->is_conj) ? WG_LAZY_CONJ : 0) + (spec_is(input->is_neg) ? WG_LAZY_NEG : 0);
    t->object->requires_grad = grad;
    if (input->synthetic_base >= 0 && t->object->base != NULL) { /* a view requires grad where its base does */
        t->object->base->requires_grad = t->object->base->requires_grad || grad;
    }
    if (input->synthetic_base < 0) {
        t->object->is_view = is_view;
        t->object->base = NULL;
    }
    if (input->owns.expr != NULL && !(spoilt && p->scenario->defect == DEFECT_OWNER)) {
        (void)evaluate(&p->symbols, input->owns.expr, &t->object->nested);
    }
    if (spoilt) {
        spoil_tensor(p->scenario, t);
    }
    return t;
}

/* A float for which the graph was compiled: as NaN, any of those. Wrong are the other sign, also of zero, the next
 * float, and one that is NaN or, for NaN, is not. */
static WgValue make_burnt_real(const Prepared *p, int64_t bits, bool spoilt)
{
    const int64_t quiet = INT64_C(0x7ff8) << 48;
    double real = 0.0;
    memcpy(&real, &bits, sizeof real);
    const bool nan = real != real;
    if (!spoilt || p->scenario->defect != DEFECT_VALUE) {
        return wg_value_integer(nan ? bits | (int64_t)(p->scenario->seed % 8) : bits);
    }
    switch (p->scenario->seed % 3) {
    case 0:
        return wg_value_integer(nan ? 0 : bits ^ INT64_MIN);
    case 1:
        return wg_value_integer(nan ? INT64_C(0x7ff0) << 48 : quiet);
    default:
        return wg_value_integer(nan ? INT64_C(0x3ff0) << 48 : bits ^ 1);
    }
}

static WgValue make_scalar(Prepared *p, Random *random, uint32_t i)
{
    const SpecInput *input = &p->layout->graph->inputs[i];
    const uint64_t bits = random_next(random);
    const bool spoilt = is_spoilt(p, i);
    int64_t value = (int64_t)(bits % 100);
    switch (input->kind) {
    case SPEC_FLOAT:
        return input->value.expr == NULL ? wg_value_real((double)(bits % 1000) / 8)
                                         : make_burnt_real(p, input->value.expr->literal, spoilt);
    case SPEC_BOOLEAN:
        value = (int64_t)(bits % 2);
        break;
    case SPEC_OPAQUE:
        return wg_value_pointer((void *)(uintptr_t)(bits % 4096 * 16));
    case SPEC_NONE:
        value = spoilt && p->scenario->defect == DEFECT_VALUE ? 16 : 0;
        return wg_value_pointer((void *)(uintptr_t)value);
    default:
        break;
    }
    if (input->value.expr != NULL) {
        (void)evaluate(&p->symbols, input->value.expr, &value);
    }
    if (spoilt && p->scenario->defect == DEFECT_VALUE) {
        const bool literal = input->value.expr != NULL && input->value.expr->kind == EXPR_LITERAL;
        const int64_t delta = literal ? 1 - 2 * (int64_t)(p->scenario->seed % 2) : 1;
        value += p->scenario->delta != 0 ? p->scenario->delta : delta;
    }
    if (spoilt && p->scenario->defect == DEFECT_BOUNDS) {
        value = p->scenario->seed % 2 == 0 ? -3 : 1001;
    }
    return wg_value_integer(value);
}

static WgValue make_argument(WgContext *ctx, Prepared *p, Random *random, uint32_t i)
{
    const SpecInput *input = &p->layout->graph->inputs[i];
    const bool spoilt = is_spoilt(p, i);
    if (input->kind != SPEC_TENSOR) {
        return make_scalar(p, random, i);
    }
    if (input->duplicate_of >= 0) {
        const WgTensor *kept = p->args[input->duplicate_of].tensor;
        const bool other = spoilt && p->scenario->defect == DEFECT_IDENTITY;
        return wg_value_tensor(kept == NULL ? NULL
                               : other      ? mock_alias(ctx, kept, &kept->object->geometry)
                                            : mock_again(ctx, kept));
    }
    const bool absent = (spoilt && p->scenario->defect == DEFECT_NULL && p->scenario->node == 0) ||
                        (spec_is(input->frozen) && random_chance(random, 50));
    if (absent) {
        return wg_value_tensor(NULL);
    }
    if (input->subclass != NULL) {
        TreeMaker maker = {ctx, p, random, input, spoilt, 0};
        WgTensor *t = scenario_tree(&maker, input->subclass, "");
        t->object->requires_grad = needs_grad(p, random, i);
        return wg_value_tensor(t);
    }
    WgTensor *t = make_tensor(ctx, p, random, i);
    if (!scenario_is_waited(input, "") || !random_chance(random, 60)) {
        return wg_value_tensor(t);
    }
    return wg_value_tensor(scenario_promise(ctx, t));
}

/* ---- what the symbols are, given what stands in the arguments ---- */

static void rebind_list(Prepared *p, bool *seen, const SpecInts *ints, int32_t rank, const int64_t *found)
{
    for (uint32_t d = 0; d < ints->text_count && (int32_t)d < rank; d++) {
        if (ints->expr[d] != NULL && ints->expr[d]->kind == EXPR_SYMBOL && !seen[ints->expr[d]->symbol]) {
            seen[ints->expr[d]->symbol] = true;
            p->values[ints->expr[d]->symbol] = found[d];
        }
    }
}

static void rebind_one(Prepared *p, bool *seen, const SpecInt *place, int64_t found)
{
    if (place->expr != NULL && place->expr->kind == EXPR_SYMBOL && !seen[place->expr->symbol]) {
        seen[place->expr->symbol] = true;
        p->values[place->expr->symbol] = found;
    }
}

static void rebind_tree(Prepared *p, bool *seen, const SpecSubclass *tree, const MockObject *object)
{
    const ViewGeometry *geometry = &object->geometry;
    rebind_list(p, seen, &tree->outer_size, geometry->rank, geometry->sizes);
    rebind_list(p, seen, &tree->outer_stride, geometry->rank, geometry->strides);
    rebind_list(p, seen, &tree->size, geometry->rank, geometry->sizes);
    rebind_list(p, seen, &tree->stride, geometry->rank, geometry->strides);
    rebind_one(p, seen, &tree->owns, object->nested);
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        const SpecSubclass *inner = &tree->inner[i];
        const bool there = inner->attr_index < object->num_attrs && object->attrs[inner->attr_index] != NULL;
        if (there && !inner->opaque) {
            rebind_tree(p, seen, inner, object->attrs[inner->attr_index]->object);
        }
    }
}

/* A spoilt argument may bind its symbol to another value, and be right with it. */
static void rebind_symbols(WgContext *ctx, Prepared *p)
{
    bool *seen = ARENA_ARRAY(&ctx->arena, bool, p->layout->spec->symbols_count);
    for (uint32_t i = 0; i < p->num_args; i++) {
        const SpecInput *input = &p->layout->graph->inputs[i];
        const WgTensor *t = input->kind == SPEC_TENSOR ? p->args[i].tensor : NULL;
        if (!layout_is_passed(input)) {
            continue;
        }
        if (t != NULL && input->subclass != NULL) {
            rebind_tree(p, seen, input->subclass, t->object);
        } else if (t != NULL) {
            rebind_list(p, seen, &input->size, t->object->geometry.rank, t->object->geometry.sizes);
            rebind_list(p, seen, &input->stride, t->object->geometry.rank, t->object->geometry.strides);
            rebind_one(p, seen, &input->storage_offset, t->object->geometry.offset);
            rebind_one(p, seen, &input->owns, t->object->nested);
        } else if (input->kind != SPEC_TENSOR) {
            rebind_one(p, seen, &input->value, p->args[i].integer);
        }
    }
}

static const WgSite stale_site = {"earlier", "call", "stale", WG_E_VALUE, WG_KIND_NONE};

/* More than any graph here can ask for. */
static void give_scratch(WgContext *ctx)
{
    enum { SCRATCH = 8192 };
    if (ctx->scratch == NULL) {
        ctx->scratch = calloc(SCRATCH, sizeof *ctx->scratch);
        ctx->scratch_size = ctx->scratch == NULL ? 0 : SCRATCH;
    }
}

Prepared *scenario_prepare(WgContext *ctx, const Layout *layout, const Scenario *scenario)
{
    Random random = random_from(scenario->seed, 2);
    mock_reset(ctx);
    give_scratch(ctx);
    Prepared *p = ARENA_NEW(&ctx->arena, Prepared);
    p->layout = layout;
    p->scenario = scenario;
    p->num_args = layout->graph->inputs_count;
    p->values = ARENA_ARRAY(&ctx->arena, int64_t, layout->spec->symbols_count);
    p->bound = ARENA_ARRAY(&ctx->arena, bool, layout->spec->symbols_count);
    p->symbols = (Symbols){p->values, p->bound};
    p->args = ARENA_ARRAY(&ctx->arena, WgValue, (size_t)p->num_args + 2);
    p->objects = ARENA_ARRAY(&ctx->arena, MockObject *, (size_t)p->num_args + 2);
    p->bases = ARENA_ARRAY(&ctx->arena, MockObject *, (size_t)layout->graph->synthetic_bases_count + 1);
    p->modes = (MockModes){random_chance(&random, 60), random_chance(&random, 30), random_below(&random, 4),
                           random_chance(&random, 10), false};
    scenario_draw_symbols(p, &random);
    scenario_find_reach(p);
    for (uint32_t i = 0; i < p->num_args; i++) {
        const bool tensor = layout->graph->inputs[i].kind == SPEC_TENSOR;
        p->args[i] = make_argument(ctx, p, &random, i);
        p->objects[i] = tensor && p->args[i].tensor != NULL ? p->args[i].tensor->object : NULL;
    }
    rebind_symbols(ctx, p);
    ctx->modes = p->modes;
    if (!scenario->backward) {
        ctx->fail_effect_at = scenario->fail_effect_at;
        ctx->fail_retain_at = scenario->fail_retain_at;
        ctx->fail_read_at = scenario->fail_read_at;
    }
    ctx->user = p;
    if (scenario->stale_error) {
        (void)wg_fail(ctx, &stale_site, -1, wg_value_integer(0), wg_value_integer(0));
    }
    return p;
}
