/* SPDX-License-Identifier: MIT */
/*
 * fake - the compiled function of every random graph: it computes nothing, but what it returns is as the metadata says
 * (fresh tensors, updated inputs, views of inputs and bases, arguments given back), chosen by the scenario's seed.
 */
#include <inttypes.h>
#include <string.h>

#include "scenario.h"

typedef struct Fake {
    WgContext *ctx;
    const Prepared *prepared;
    const Layout *layout;
    const SpecGraph *graph;
    Random random;
    WgValue *args;
    WgValue *made; /* by position in results */
    bool *is_made;
} Fake;

static void make_result(Fake *f, uint32_t position);

static bool chance(Fake *f, uint32_t percent)
{
    return random_chance(&f->random, percent);
}

/* The argument that an input arrives in; null when it does not arrive. */
static WgTensor *argument_of(const Fake *f, uint32_t input)
{
    const int32_t kept = f->graph->inputs[input].duplicate_of;
    for (uint32_t k = 0; k < f->layout->num_arguments; k++) {
        const LayoutArgument *argument = &f->layout->arguments[k];
        if (argument->source == LAYOUT_INPUT && argument->input == (kept < 0 ? input : (uint32_t)kept)) {
            return f->args[k].tensor;
        }
    }
    return NULL;
}

static WgTensor *fresh(Fake *f, const ViewGeometry *geometry, bool requires_grad)
{
    const int64_t slack = chance(f, 70) ? 8 * (int64_t)random_below(&f->random, 48) : 0;
    WgTensor *t = mock_tensor(f->ctx, geometry, 0, mock_bytes_needed(geometry) + slack);
    t->object->requires_grad = requires_grad;
    return t;
}

static int32_t some_dtype(Fake *f)
{
    static const int32_t dtypes[] = {WG_FLOAT32, WG_FLOAT32, WG_FLOAT64, WG_COMPLEX64, WG_INT64, WG_FLOAT16};
    return dtypes[random_below(&f->random, 6)];
}

/* A fresh tensor of which these facts hold. */
static WgTensor *fresh_stated(Fake *f, int32_t dtype, const SpecInts *size, const SpecInts *stride,
                              const SpecInt *offset, bool requires_grad)
{
    ViewGeometry geometry = scenario_geometry(&f->random, dtype >= 0 ? dtype : some_dtype(f));
    scenario_state(&f->prepared->symbols, size, stride, offset, &geometry);
    return fresh(f, &geometry, requires_grad);
}

/* Some view of that geometry: dims exchanged, one dropped, or a shorter one. */
static ViewGeometry some_view(Fake *f, const ViewGeometry *of)
{
    ViewGeometry g = *of;
    if (g.rank > 1 && chance(f, 50)) {
        const int64_t size = g.sizes[0];
        const int64_t stride = g.strides[0];
        g.sizes[0] = g.sizes[g.rank - 1];
        g.strides[0] = g.strides[g.rank - 1];
        g.sizes[g.rank - 1] = size;
        g.strides[g.rank - 1] = stride;
    }
    if (g.rank > 0 && g.sizes[g.rank - 1] > 1 && chance(f, 40)) {
        g.sizes[g.rank - 1]--;
        g.offset += g.strides[g.rank - 1];
    }
    if (g.rank > 0 && chance(f, 20)) {
        g.rank--;
    }
    return g;
}

/* ---- updated inputs ---- */

static WgTensor *make_updated(Fake *f, uint32_t i)
{
    const SpecInput *input = &f->graph->inputs[i];
    WgTensor *x = argument_of(f, i);
    ViewGeometry geometry = x->object->geometry;
    if (spec_is(input->mutates_storage_metadata)) {
        if (chance(f, 50)) {
            geometry = scenario_geometry(&f->random, geometry.dtype);
        }
        return fresh(f, &geometry, false);
    }
    if (spec_is(input->mutates_metadata)) {
        geometry = chance(f, 10) ? scenario_geometry(&f->random, geometry.dtype) : some_view(f, &geometry);
        return chance(f, 50) ? fresh(f, &geometry, false) : mock_alias(f->ctx, x, &geometry);
    }
    if (chance(f, 10)) {
        return mock_again(f->ctx, x);
    }
    if (chance(f, 8)) { /* copy_ broadcasts */
        geometry.rank = 0;
    } else if (chance(f, 30)) {
        view_make_contiguous(&geometry);
        geometry.offset = 0;
    } else if (chance(f, 3) && geometry.rank > 0) { /* and refuses */
        geometry.sizes[0] += 2;
    }
    if (chance(f, 15)) {
        geometry.dtype = WG_FLOAT64;
    }
    return fresh(f, &geometry, spec_is(input->requires_grad));
}

/* ---- outputs ---- */

/* What an input looks like once the epilogue has been over it. */
static ViewGeometry after_epilogue(Fake *f, uint32_t i)
{
    const SpecInput *input = &f->graph->inputs[i];
    const uint32_t kept = input->duplicate_of < 0 ? i : (uint32_t)input->duplicate_of;
    ViewGeometry geometry = argument_of(f, i)->object->geometry;
    for (uint32_t k = 0; k < f->layout->num_updated; k++) {
        const uint32_t position = f->layout->first_updated + k;
        if (f->layout->results[position].index == kept && spec_is(f->graph->inputs[kept].mutates_metadata)) {
            const int32_t dtype = geometry.dtype;
            make_result(f, position);
            geometry = f->made[position].tensor->object->geometry;
            geometry.dtype = spec_is(f->graph->inputs[kept].mutates_storage_metadata) ? geometry.dtype : dtype;
        }
    }
    return geometry;
}

/* The tensor that shares memory with an alias, and its geometry when the alias is made again. */
static WgTensor *base_of(Fake *f, const SpecOutput *output, ViewGeometry *geometry)
{
    uint32_t position = f->layout->first_base + output->base_ref.index;
    if (output->base_ref.kind == SPEC_REF_INPUT) {
        *geometry = after_epilogue(f, output->base_ref.index);
        return argument_of(f, output->base_ref.index);
    }
    if (output->base_ref.kind == SPEC_REF_OUTPUT) {
        position = f->layout->first_output + output->base_ref.index;
    }
    make_result(f, position);
    *geometry = f->made[position].tensor->object->geometry;
    return f->made[position].tensor;
}

static WgTensor *make_alias(Fake *f, const SpecOutput *output)
{
    ViewGeometry geometry;
    const WgTensor *base = base_of(f, output, &geometry);
    const ViewGeometry whole = geometry;
    if (output->type == SPEC_IS_INPUT) {
        return chance(f, 70) ? mock_again(f->ctx, base) : fresh(f, &geometry, false);
    }
    if (output->view_count == 0 ||
        evaluate_views(&f->prepared->symbols, output->view, output->view_count, &geometry) != NULL) {
        geometry = some_view(f, &whole);
        if (chance(f, 10)) {
            geometry.dtype = geometry.dtype == WG_COMPLEX64 ? WG_FLOAT32 : WG_INT32;
        }
        if (output->dtype != NULL) {
            geometry.dtype = output->dtype_code;
        }
        scenario_state(&f->prepared->symbols, &output->size, &output->stride, &output->storage_offset, &geometry);
    }
    return chance(f, 60) ? mock_alias(f->ctx, base, &geometry) : fresh(f, &geometry, spec_is(output->requires_grad));
}

static WgTensor *some_earlier(Fake *f)
{
    const uint32_t k = random_below(&f->random, f->layout->num_results);
    const bool tensor = f->layout->results[k].kind == SPEC_TENSOR && f->is_made[k];
    return tensor ? f->made[k].tensor : NULL;
}

/* Another output is regenerated from this one: what is stated of it must hold. */
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
    WgTensor *other = !is_base(f, output) && chance(f, 25) ? some_earlier(f) : NULL;
    if (other != NULL) { /* one object returned twice */
        return mock_again(f->ctx, other);
    }
    WgTensor *t = fresh_stated(f, output->dtype != NULL ? output->dtype_code : -1, &output->size, &output->stride,
                               &output->storage_offset, spec_is(output->requires_grad));
    t->object->is_view = chance(f, 15);
    return t;
}

static WgValue make_value(Fake *f, SpecKind kind)
{
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
    default:
        return wg_value_pointer(NULL);
    }
}

/* ---- the rest ---- */

static WgTensor *make_saved(Fake *f)
{
    WgTensor *other = chance(f, 40) ? some_earlier(f) : NULL;
    if (other == NULL && f->graph->inputs_count > 0 && chance(f, 40)) {
        const uint32_t i = random_below(&f->random, f->graph->inputs_count);
        other = f->graph->inputs[i].kind == SPEC_TENSOR ? argument_of(f, i) : NULL;
    }
    if (other != NULL) {
        return chance(f, 60) ? mock_again(f->ctx, other) : mock_alias(f->ctx, other, &other->object->geometry);
    }
    const ViewGeometry geometry = scenario_geometry(&f->random, WG_FLOAT32);
    return fresh(f, &geometry, false);
}

static WgTensor *make_base(Fake *f, uint32_t i)
{
    const SpecBase *base = &f->graph->intermediate_bases[i];
    return fresh_stated(f, base->dtype != NULL ? base->dtype_code : -1, &base->size, &base->stride,
                        &base->storage_offset, true);
}

static WgTensor *make_tensor(Fake *f, const LayoutResult *result)
{
    ViewGeometry scalar;
    memset(&scalar, 0, sizeof scalar);
    scalar.dtype = WG_INT64;
    switch (result->role) {
    case LAYOUT_TOKEN:
        return chance(f, 50) ? NULL : fresh(f, &scalar, false);
    case LAYOUT_UPDATED:
        return make_updated(f, result->index);
    case LAYOUT_OUTPUT:
        return layout_is_alias(f->graph->outputs[result->index].type)
                   ? make_alias(f, &f->graph->outputs[result->index])
                   : make_plain(f, &f->graph->outputs[result->index]);
    case LAYOUT_BASE:
        return make_base(f, result->index);
    case LAYOUT_NEW_OFFSET:
        return fresh(f, &scalar, false);
    case LAYOUT_SAVED:
    case LAYOUT_SAVED_UNCHECKED:
    case LAYOUT_SAVED_OPAQUE:
    case LAYOUT_SAVED_SYMINT:
        break;
    }
    return make_saved(f);
}

static void make_result(Fake *f, uint32_t position)
{
    const LayoutResult *result = &f->layout->results[position];
    if (f->is_made[position]) {
        return;
    }
    if (result->kind == SPEC_TENSOR) {
        f->made[position].tensor = make_tensor(f, result);
    } else {
        f->made[position] = make_value(f, result->kind);
    }
    f->is_made[position] = true;
}

/* ---- the call ---- */

/* Notes what arrived; false when it is not what the layout says. */
static bool note_call(Fake *f, size_t num_args, size_t capacity)
{
    WgContext *ctx = f->ctx;
    mock_event(ctx, MOCK_compiled, NULL, NULL);
    mock_number(ctx, (int64_t)num_args);
    if (num_args != f->layout->num_arguments || capacity < f->layout->num_results) {
        mock_violation(ctx, "compiled function called with %zu arguments (due: %u), room for %zu results (due: %u)",
                       num_args, (unsigned)f->layout->num_arguments, capacity, (unsigned)f->layout->num_results);
        return false;
    }
    for (uint32_t k = 0; k < f->layout->num_arguments; k++) {
        const LayoutArgument *argument = &f->layout->arguments[k];
        int64_t bits = f->args[k].integer;
        if (argument->kind == SPEC_TENSOR) {
            const bool due = argument->source != LAYOUT_NULL;
            if (due && !mock_alive(ctx, f->args[k].tensor, "the compiled call")) {
                return false;
            }
            bits = f->args[k].tensor != NULL ? f->args[k].tensor->object->id : 0;
        }
        mock_number(ctx, bits);
    }
    return true;
}

const WgSite fake_nested_site = {"nested", "inner", "size", FAKE_NESTED, WG_KIND_NONE};

/* What goes wrong in it: the status, 0 when it goes on. */
static int32_t go_wrong(WgContext *ctx, Outcome outcome)
{
    if (outcome == OUTCOME_FAILS) {
        return FAKE_FAILED;
    }
    if (outcome == OUTCOME_NESTED_FAILS || outcome == OUTCOME_NESTED_RECOVERS) {
        const int32_t status = wg_fail(ctx, &fake_nested_site, 1, wg_value_integer(2), wg_value_integer(3));
        return outcome == OUTCOME_NESTED_FAILS ? status : 0;
    }
    return 0;
}

static void drop_result(Fake *f, uint32_t position)
{
    if (f->layout->results[position].kind == SPEC_TENSOR) {
        mock_drop(f->ctx, f->made[position].tensor);
        f->made[position].tensor = NULL;
    }
}

static void wrong_shape(Fake *f, uint32_t position)
{
    WgTensor *t = f->made[position].tensor;
    ViewGeometry geometry = t->object->geometry;
    if (geometry.rank > 0 && chance(f, 50)) {
        geometry.sizes[geometry.rank - 1]++;
    } else {
        geometry.sizes[geometry.rank] = 1;
        geometry.strides[geometry.rank++] = 1;
    }
    drop_result(f, position);
    f->made[position].tensor = fresh(f, &geometry, false);
}

/* Hands the results over, with what the scenario wants wrong about them. */
static size_t hand_over(Fake *f, WgValue *outs)
{
    const Scenario *scenario = f->prepared->scenario;
    const uint32_t n = f->layout->num_results;
    size_t returned = n;
    if (scenario->outcome == OUTCOME_NULL) {
        drop_result(f, scenario->position);
    } else if (scenario->outcome == OUTCOME_SHAPE) {
        wrong_shape(f, scenario->position);
    } else if (scenario->outcome == OUTCOME_FEWER && n > 0) {
        returned = scenario->position % n;
        for (uint32_t i = (uint32_t)returned; i < n; i++) {
            drop_result(f, i);
        }
    } else if (scenario->outcome == OUTCOME_MORE) {
        returned = (size_t)n + 1 + scenario->position % 3; /* the first n are there */
    }
    for (uint32_t i = 0; i < n && i < returned; i++) {
        outs[i] = f->made[i];
    }
    return returned;
}

/* Modes are the wrapper's to restore, also when the compiled function (or a wrapper inside of it) leaves them changed.
 * In inference mode PyTorch restores grad mode only where it was on, so nothing is asked beyond that. */
static void leave_modes_changed(Fake *f)
{
    if (!chance(f, 20)) {
        return;
    }
    if (f->graph->mode == SPEC_TRAINING) {
        f->ctx->modes.grad = false;
        f->ctx->modes.view_replay = chance(f, 50);
    }
    if (spec_is(f->graph->disable_amp)) {
        f->ctx->modes.autocast = random_below(&f->random, 4);
    }
}

/* With consume_inputs the arguments are this function's to drop. */
static void consume(Fake *f)
{
    if (!spec_is(f->graph->consume_inputs) || f->graph->convention == SPEC_DIRECT) {
        return;
    }
    for (uint32_t k = 0; k < f->layout->num_arguments; k++) {
        if (f->layout->arguments[k].kind == SPEC_TENSOR && chance(f, 50)) {
            mock_drop(f->ctx, f->args[k].tensor);
            f->args[k].tensor = NULL;
        }
    }
}

int32_t fake_compiled(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const Prepared *prepared = ctx->user;
    const uint32_t n = prepared->layout->num_results;
    Fake f = {
        .ctx = ctx, .prepared = prepared, .layout = prepared->layout, .graph = prepared->layout->graph, .args = args};
    f.random = random_from(prepared->scenario->seed, 3);
    f.made = ARENA_ARRAY(&ctx->arena, WgValue, (size_t)n + 1);
    f.is_made = ARENA_ARRAY(&ctx->arena, bool, (size_t)n + 1);
    if (!note_call(&f, num_args, *num_outs)) {
        return FAKE_FAILED;
    }
    const int32_t status = go_wrong(ctx, prepared->scenario->outcome);
    leave_modes_changed(&f);
    if (status != 0) {
        consume(&f);
        return status;
    }
    for (uint32_t i = 0; i < n; i++) {
        make_result(&f, i);
    }
    *num_outs = hand_over(&f, outs);
    consume(&f);
    return 0;
}
