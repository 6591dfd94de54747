/* SPDX-License-Identifier: MIT */
/*
 * fake_results - what a compiled function returns when it computes nothing: as the metadata says (fresh tensors,
 * updated inputs, views of inputs and bases, arguments given back, parts of subclasses), chosen by the scenario's seed.
 */
#include <string.h>

#include "fake_private.h"

#include "../core/wg_compiler.h"

/* What an input arrives as, or is where it does not arrive whole; null for one that is given as null. */
static WgTensor *argument_of(const Fake *f, uint32_t input)
{
    const int32_t kept = f->graph->inputs[input].duplicate_of;
    const uint32_t index = kept < 0 ? input : (uint32_t)kept;
    for (uint32_t k = 0; k < f->call->num_arguments; k++) {
        const LayoutArgument *argument = &f->call->arguments[k];
        if (argument->source == LAYOUT_INPUT && argument->input == index) {
            return f->args[k].tensor;
        }
    }
    if (f->prepared->objects[index] == NULL) {
        return NULL;
    }
    WgTensor *seen = ARENA_NEW(&f->ctx->arena, WgTensor); /* not a reference: only looked at */
    *seen = (WgTensor){f->prepared->objects[index], true};
    return seen;
}

static WgTensor *merged_argument(const Fake *f, uint32_t base)
{
    for (uint32_t k = 0; k < f->call->num_arguments; k++) {
        if (f->call->arguments[k].source == LAYOUT_MERGED && f->call->arguments[k].input == base) {
            return f->args[k].tensor;
        }
    }
    return NULL;
}

static int32_t some_dtype(Fake *f)
{
    static const int32_t dtypes[] = {WG_FLOAT32, WG_FLOAT32, WG_FLOAT64, WG_COMPLEX64, WG_INT64, WG_FLOAT16};
    return dtypes[random_below(&f->random, 6)];
}

/* A fresh tensor with these facts. */
static WgTensor *fresh_stated(Fake *f, int32_t dtype, const SpecInts *size, const SpecInts *stride,
                              const SpecInt *offset, bool requires_grad)
{
    ViewGeometry geometry = scenario_geometry(&f->random, dtype >= 0 ? dtype : some_dtype(f));
    scenario_state(&f->prepared->symbols, size, stride, offset, &geometry);
    return fake_fresh(f, &geometry, requires_grad);
}

/* Strides that lead nowhere may be anything. */
static void vary_strides(Fake *f, ViewGeometry *geometry)
{
    const bool empty = !view_has_elements(geometry);
    for (int32_t d = 0; d < geometry->rank; d++) {
        if ((geometry->sizes[d] == 1 || empty) && fake_chance(f, 20)) {
            geometry->strides[d] += 3;
        }
    }
}

static bool has(const Fake *f, const SpecInts *stated, int32_t rank, const int64_t *found)
{
    bool same = stated->text == NULL || (int32_t)stated->text_count == rank;
    for (uint32_t d = 0; same && d < stated->text_count; d++) {
        int64_t value = 0;
        same = evaluate(&f->prepared->symbols, stated->expr[d], &value) && value == found[d];
    }
    return same;
}

/* Whether that object could be returned where these facts are stated. */
static bool fits(const Fake *f, const WgTensor *t, int32_t dtype, const SpecInts *size, const SpecInts *stride)
{
    const ViewGeometry *geometry = &t->object->geometry;
    return t->object->plain && (dtype < 0 || geometry->dtype == dtype) &&
           has(f, size, geometry->rank, geometry->sizes) && has(f, stride, geometry->rank, geometry->strides);
}

static WgTensor *on_device(Fake *f, WgTensor *t, int32_t type, int32_t index)
{
    if (type >= 0) {
        t->object->device = scenario_device(&f->random, type, index);
    }
    return t;
}

/* Nothing notices when two results give different values for one symbol. */
static bool is_trusted(const Fake *f)
{
    return f->graph->check < SPEC_CHECK_CHEAP;
}

/* Some view of that geometry: dims exchanged, one dropped, or a shorter one. */
static ViewGeometry some_view(Fake *f, const ViewGeometry *of)
{
    ViewGeometry g = *of;
    if (g.rank > 1 && fake_chance(f, 50)) {
        const int64_t size = g.sizes[0];
        const int64_t stride = g.strides[0];
        g.sizes[0] = g.sizes[g.rank - 1];
        g.strides[0] = g.strides[g.rank - 1];
        g.sizes[g.rank - 1] = size;
        g.strides[g.rank - 1] = stride;
    }
    if (g.rank > 0 && g.sizes[g.rank - 1] > 1 && fake_chance(f, 40)) {
        g.sizes[g.rank - 1]--;
        g.offset += g.strides[g.rank - 1];
    }
    if (g.rank > 0 && fake_chance(f, 20)) {
        g.rank--;
    }
    return g;
}

/* An argument that is passed as it is, or what several were merged into; null, if that one is not. */
static WgTensor *some_argument(Fake *f)
{
    const uint32_t i = random_below(&f->random, f->graph->inputs_count + f->graph->synthetic_bases_count + 1);
    if (i > f->graph->inputs_count) {
        return merged_argument(f, i - f->graph->inputs_count - 1);
    }
    const SpecInput *input = i < f->graph->inputs_count ? &f->graph->inputs[i] : NULL;
    const bool whole = input != NULL && input->kind == SPEC_TENSOR && input->subclass == NULL;
    return whole && input->synthetic_base < 0 ? argument_of(f, i) : NULL;
}

/* ---- updated inputs ---- */

static WgTensor *make_updated(Fake *f, uint32_t inner)
{
    const SpecRef ref = f->layout->inner[inner].ref;
    if (ref.kind == SPEC_REF_SYNTHETIC) {
        const WgTensor *base = merged_argument(f, ref.index);
        const WgTensor *other = fake_chance(f, 40) ? some_argument(f) : NULL; /* which may be another base */
        return fake_chance(f, 15) ? mock_again(f->ctx, other != NULL ? other : base)
                                  : fake_fresh(f, &base->object->geometry, f->layout->inner[inner].requires_grad);
    }
    const uint32_t i = ref.index;
    const SpecInput *input = &f->graph->inputs[i];
    WgTensor *x = argument_of(f, i);
    ViewGeometry geometry = x->object->geometry;
    if (spec_is(input->mutates_storage_metadata)) {
        if (fake_chance(f, 50)) {
            geometry = scenario_geometry(&f->random, geometry.dtype);
        }
        return fake_fresh(f, &geometry, false);
    }
    if (spec_is(input->mutates_metadata)) {
        geometry = fake_chance(f, 10) ? scenario_geometry(&f->random, geometry.dtype) : some_view(f, &geometry);
        const bool only = !spec_is(input->mutates_data) && !is_trusted(f); /* then it lies where the input does */
        return fake_chance(f, only ? 5 : 50) ? fake_fresh(f, &geometry, false) : mock_alias(f->ctx, x, &geometry);
    }
    if (fake_chance(f, 10)) {
        return mock_again(f->ctx, x);
    }
    if (fake_chance(f, 8)) { /* copy_ broadcasts */
        geometry.rank = 0;
    } else if (fake_chance(f, 30)) {
        view_make_contiguous(&geometry);
        geometry.offset = 0;
    } else if (fake_chance(f, 3) && geometry.rank > 0) { /* and refuses */
        geometry.sizes[0] += 2;
    }
    if (fake_chance(f, 15)) {
        geometry.dtype = WG_FLOAT64;
    }
    return fake_fresh(f, &geometry, spec_is(input->requires_grad));
}

/* ---- outputs ---- */

/* What an input looks like once the epilogue has been over it; and whose memory it has, if it is not its own. */
static ViewGeometry after_epilogue(Fake *f, uint32_t i, WgTensor **memory)
{
    const SpecInput *input = &f->graph->inputs[i];
    const uint32_t kept = input->duplicate_of < 0 ? i : (uint32_t)input->duplicate_of;
    ViewGeometry geometry = argument_of(f, i)->object->geometry;
    for (uint32_t k = 0; k < f->layout->num_updated; k++) {
        const uint32_t position = f->layout->first_updated + k;
        const SpecRef ref = f->layout->inner[f->call->results[position].index].ref;
        if (ref.kind == SPEC_REF_INPUT && ref.index == kept && spec_is(f->graph->inputs[kept].mutates_metadata)) {
            const bool moves = spec_is(f->graph->inputs[kept].mutates_storage_metadata);
            const int32_t dtype = geometry.dtype;
            fake_make_result(f, position);
            geometry = f->made[position].tensor->object->geometry;
            geometry.dtype = moves ? geometry.dtype : dtype;
            *memory = moves || fake_chance(f, 30) ? f->made[position].tensor : *memory;
        }
    }
    return geometry;
}

/* The tensor that shares memory with an alias, and its geometry when the alias is made again. */
static WgTensor *base_of(Fake *f, const SpecOutput *output, ViewGeometry *geometry)
{
    uint32_t position = f->layout->first_base + output->base_ref.index;
    if (output->base_ref.kind == SPEC_REF_INPUT) {
        const SpecInput *input = &f->graph->inputs[output->base_ref.index];
        const SpecInput *kept = input->duplicate_of < 0 ? input : &f->graph->inputs[input->duplicate_of];
        WgTensor *memory = kept->synthetic_base >= 0 ? merged_argument(f, (uint32_t)kept->synthetic_base)
                                                     : argument_of(f, output->base_ref.index);
        *geometry = after_epilogue(f, output->base_ref.index, &memory);
        return memory;
    }
    if (output->base_ref.kind == SPEC_REF_OUTPUT) {
        position = f->layout->first_output + output->base_ref.index;
    }
    if (f->call->results[position].tree != NULL) { /* it is put together later: any geometry will do */
        *geometry = scenario_geometry(&f->random, WG_FLOAT32);
        WgTensor *t = fake_fresh(f, geometry, false);
        mock_drop(f->ctx, t); /* which is not returned itself */
        return t;
    }
    fake_make_result(f, position);
    *geometry = f->made[position].tensor->object->geometry;
    return f->made[position].tensor;
}

static WgTensor *make_alias(Fake *f, const SpecOutput *output)
{
    ViewGeometry geometry;
    const WgTensor *base = base_of(f, output, &geometry);
    const ViewGeometry whole = geometry;
    bool as_stated = is_trusted(f) && evaluate_any_unbacked(f->layout->spec, &output->size);
    if (output->type == SPEC_IS_INPUT) {
        return fake_chance(f, 70) ? mock_again(f->ctx, base) : fake_fresh(f, &geometry, false);
    }
    if (output->view_count == 0 ||
        evaluate_views(&f->prepared->symbols, output->view, output->view_count, &geometry) != NULL) {
        geometry = some_view(f, &whole);
        if (fake_chance(f, 10)) {
            geometry.dtype = geometry.dtype == WG_COMPLEX64 ? WG_FLOAT32 : WG_INT32;
        }
        if (output->dtype != NULL) {
            geometry.dtype = output->dtype_code;
        }
        as_stated = true;
    }
    if (as_stated) {
        scenario_state(&f->prepared->symbols, &output->size, &output->stride, &output->storage_offset, &geometry);
    }
    const bool by_result = output->view_count == 0 && output->as_strided == NULL && !is_trusted(f);
    return fake_chance(f, by_result ? 95 : 60) ? mock_alias(f->ctx, base, &geometry)
                                               : fake_fresh(f, &geometry, spec_is(output->requires_grad));
}

static WgTensor *some_earlier(Fake *f)
{
    const uint32_t k = random_below(&f->random, f->call->num_results);
    const bool tensor = f->call->results[k].kind == SPEC_TENSOR && f->call->results[k].tree == NULL && f->is_made[k];
    return tensor ? f->made[k].tensor : NULL;
}

/* Another output is regenerated from this one: what is stated about it must hold. */
static bool is_base(const Fake *f, const SpecOutput *output)
{
    for (uint32_t i = 0; i < f->graph->outputs_count; i++) {
        const char *base = f->graph->outputs[i].base;
        if (base != NULL && strcmp(base, output->name) == 0) {
            return true;
        }
    }
    return false;
}

static WgTensor *make_plain(Fake *f, const SpecOutput *output)
{
    const int32_t dtype = output->dtype != NULL ? output->dtype_code : -1;
    const bool placed = output->device_type >= 0 || output->storage_offset.text != NULL;
    const bool viewed = output->type == SPEC_CUSTOM_FUNCTION_VIEW; /* a compiler drops it, or it is a mistake */
    WgTensor *other = fake_chance(f, viewed ? 40 : 6) ? some_argument(f) : fake_chance(f, 25) ? some_earlier(f) : NULL;
    if (other != NULL && !placed && !is_base(f, output) && fits(f, other, dtype, &output->size, &output->stride)) {
        return mock_again(f->ctx, other); /* one object returned twice */
    }
    const bool grad = spec_is(output->requires_grad);
    WgTensor *t = fresh_stated(f, dtype, &output->size, &output->stride, &output->storage_offset, grad);
    if (!is_base(f, output)) {
        vary_strides(f, &t->object->geometry);
    }
    t->object->is_view = fake_chance(f, 15);
    return on_device(f, t, output->device_type, output->device_index);
}

/* As stated; at times not, where that is noticed or tells a symbol's value. */
static WgValue make_stated(Fake *f, const Expr *expr)
{
    int64_t value = 0;
    const bool known = evaluate(&f->prepared->symbols, expr, &value);
    const bool other = f->graph->check >= SPEC_CHECK_CHEAP && fake_chance(f, 5);
    int64_t changed = 0;
    if ((known && !other) || wg_ckd_add(&changed, value, 1 - (int64_t)random_below(&f->random, 3))) {
        return wg_value_integer(value);
    }
    return wg_value_integer(changed);
}

static WgValue make_value(Fake *f, const LayoutResult *result)
{
    const SpecKind kind = result->kind;
    if (result->role == LAYOUT_OUTPUT && f->graph->outputs[result->index].value.expr != NULL) {
        return make_stated(f, f->graph->outputs[result->index].value.expr);
    }
    const uint64_t bits = random_next(&f->random);
    switch (kind) {
    case SPEC_FLOAT:
        return wg_value_real((double)(bits % 1000) / 16);
    case SPEC_BOOLEAN:
        return wg_value_integer(bits % 2);
    case SPEC_OPAQUE:
        return wg_value_pointer((void *)(uintptr_t)(bits % 4096 * 16));
    case SPEC_INT:
        return wg_value_integer((int64_t)bits);
    case SPEC_NONE: /* to be dropped unseen: null is delivered */
        return wg_value_integer((int64_t)(bits | 1));
    default:
        return wg_value_pointer(NULL);
    }
}

/* ---- the rest ---- */

static WgTensor *make_saved(Fake *f)
{
    WgTensor *other = fake_chance(f, 40) ? some_earlier(f) : NULL;
    other = other == NULL && fake_chance(f, 40) ? some_argument(f) : other;
    if (other != NULL) {
        return fake_chance(f, 60) ? mock_again(f->ctx, other) : mock_alias(f->ctx, other, &other->object->geometry);
    }
    const ViewGeometry geometry = scenario_geometry(&f->random, WG_FLOAT32);
    WgTensor *t = fake_fresh(f, &geometry, false);
    t->object->is_view = fake_chance(f, 30); /* a view of something that only it has */
    return t;
}

static WgTensor *make_base(Fake *f, uint32_t i)
{
    const SpecBase *base = &f->graph->intermediate_bases[i];
    WgTensor *t = fresh_stated(f, base->dtype != NULL ? base->dtype_code : -1, &base->size, &base->stride,
                               &base->storage_offset, true);
    return on_device(f, t, base->device_type, base->device_index);
}

/* What a member's geometry becomes. */
static WgTensor *make_member(Fake *f, uint32_t i)
{
    const WgTensor *x = argument_of(f, i);
    const ViewGeometry geometry = some_view(f, &x->object->geometry);
    return fake_chance(f, 50) ? fake_fresh(f, &geometry, false) : mock_alias(f->ctx, x, &geometry);
}

/* Where there is no gradient it comes back null; at times something comes back all the same. */
static WgTensor *make_gradient(Fake *f, const LayoutResult *result)
{
    bool wanted = false;
    for (uint32_t i = 0; i < f->layout->num_gradients; i++) {
        wanted = wanted || &f->call->results[f->layout->gradients[i]] == result;
    }
    if (!wanted && fake_chance(f, 80)) {
        return NULL;
    }
    WgTensor *other = fake_chance(f, 15) ? some_earlier(f) : NULL;
    const ViewGeometry geometry = scenario_geometry(&f->random, WG_FLOAT32);
    return other != NULL ? mock_again(f->ctx, other) : fake_fresh(f, &geometry, false);
}

static WgTensor *make_tensor(Fake *f, const LayoutResult *result)
{
    ViewGeometry scalar;
    memset(&scalar, 0, sizeof scalar);
    scalar.dtype = WG_INT64;
    switch (result->role) {
    case LAYOUT_TOKEN:
        return fake_chance(f, 50) ? NULL : fake_fresh(f, &scalar, false);
    case LAYOUT_UPDATED:
        return make_updated(f, result->index);
    case LAYOUT_OUTPUT:
        return layout_is_alias(f->graph->outputs[result->index].type)
                   ? make_alias(f, &f->graph->outputs[result->index])
                   : make_plain(f, &f->graph->outputs[result->index]);
    case LAYOUT_BASE:
        return make_base(f, result->index);
    case LAYOUT_NEW_OFFSET:
        return fake_fresh(f, &scalar, false);
    case LAYOUT_MEMBER:
        return make_member(f, result->index);
    case LAYOUT_GRADIENT:
        return make_gradient(f, result);
    case LAYOUT_SAVED:
    case LAYOUT_SAVED_UNCHECKED:
    case LAYOUT_SAVED_OPAQUE:
    case LAYOUT_SAVED_SYMINT:
        break;
    }
    return make_saved(f);
}

/* ---- trees ---- */

/* What is not looked at may be anything. */
static int64_t outer_value(Fake *f, const Expr *expr, bool from_attr)
{
    int64_t value = 0;
    const bool known = evaluate_is_bound(&f->prepared->symbols, expr) && evaluate(&f->prepared->symbols, expr, &value);
    const bool agrees = fake_chance(f, from_attr ? 50 : 97) ||
                        (!from_attr && is_trusted(f) && evaluate_is_unbacked(f->layout->spec, expr));
    return known && agrees ? value : 1 + random_below(&f->random, 9);
}

static void make_outer(Fake *f, const SpecSubclass *tree, const SpecInts *outer, uint32_t *next)
{
    for (uint32_t d = 0; d < outer->text_count; d++) {
        if (layout_is_symint(tree, outer->expr[d])) {
            const bool from_attr = f->call->flat[*next].expr == NULL;
            f->flat[(*next)++].integer = outer_value(f, outer->expr[d], from_attr);
        }
    }
}

/* The outer geometry is taken from that leaf: it should have as many dimensions. */
static bool gives_outer(const SpecSubclass *tree, const SpecSubclass *inner)
{
    const bool size = tree->outer_size_from != NULL && strcmp(tree->outer_size_from, inner->attr) == 0;
    const bool stride = tree->outer_stride_from != NULL && strcmp(tree->outer_stride_from, inner->attr) == 0;
    return inner->declared == NULL && (size || stride);
}

static WgTensor *make_outer_leaf(Fake *f, const SpecSubclass *tree)
{
    ViewGeometry geometry = scenario_geometry(&f->random, WG_FLOAT32);
    const SpecInts *stated = tree->outer_size.text != NULL ? &tree->outer_size : &tree->outer_stride;
    geometry.rank = stated->text != NULL ? (int32_t)stated->text_count : 2;
    if (fake_chance(f, 4)) {
        geometry.rank = (int32_t)random_below(&f->random, 4);
    }
    for (int32_t d = 0; d < geometry.rank; d++) {
        geometry.sizes[d] = 1 + random_below(&f->random, 4);
    }
    view_make_contiguous(&geometry);
    return fake_fresh(f, &geometry, false);
}

/* The flat values of a subclass, from flat[*next] on. */
static void make_tree(Fake *f, const SpecSubclass *tree, uint32_t *next)
{
    static const SpecInt unknown = {NULL, NULL};
    if (tree->opaque) {
        f->flat[(*next)++].tensor = mock_opaque(f->ctx, 200000 + random_below(&f->random, 1000));
        return;
    }
    if (tree->declared == NULL) {
        WgTensor *earlier = *next > 0 && fake_chance(f, 10) ? some_earlier(f) : NULL;
        WgTensor *t = earlier != NULL && fits(f, earlier, -1, &tree->size, &tree->stride)
                          ? mock_again(f->ctx, earlier)
                          : fresh_stated(f, WG_FLOAT32, &tree->size, &tree->stride, &unknown, false);
        if (tree->owns.expr != NULL && !fake_chance(f, 5)) {
            (void)evaluate(&f->prepared->symbols, tree->owns.expr, &t->object->nested);
        }
        f->flat[(*next)++].tensor = t;
        for (uint32_t i = 0; i < tree->symbol_args.text_count; i++) {
            f->flat[(*next)++].integer = random_below(&f->random, 9);
        }
        return;
    }
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        const uint32_t at = *next;
        make_tree(f, &tree->inner[i], next);
        if (gives_outer(tree, &tree->inner[i])) {
            mock_drop(f->ctx, f->flat[at].tensor);
            f->flat[at].tensor = make_outer_leaf(f, tree);
        }
    }
    make_outer(f, tree, &tree->outer_size, next);
    make_outer(f, tree, &tree->outer_stride, next);
}

void fake_make_result(Fake *f, uint32_t position)
{
    const LayoutResult *result = &f->call->results[position];
    uint32_t next = result->first_flat;
    if (f->is_made[position]) {
        return;
    }
    f->is_made[position] = true;
    if (result->tree != NULL) {
        make_tree(f, result->tree, &next);
    } else if (result->kind == SPEC_TENSOR) {
        f->made[position].tensor = make_tensor(f, result);
        f->flat[next] = f->made[position];
    } else {
        f->made[position] = make_value(f, result);
        f->flat[next] = f->made[position];
    }
}
