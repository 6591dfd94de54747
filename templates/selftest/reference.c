/* SPDX-License-Identifier: MIT */
/*
 * reference - see reference.h. reference_call() at the end is the order of events; each step is a function above it.
 */
#include "reference_private.h"

#include <stdlib.h>
#include <string.h>

bool reference_fails(Reference *r, int32_t code, const char *argument)
{
    const bool strict_view = r->error->strict_view;
    memset(r->error, 0, sizeof *r->error);
    r->error->strict_view = strict_view;
    r->error->code = code;
    r->error->argument = argument;
    r->error->dimension = -1;
    return false;
}

bool reference_fails_with(Reference *r, int32_t code, const char *argument, int32_t dimension, int64_t expected,
                          int64_t found)
{
    reference_fails(r, code, argument);
    r->error->dimension = dimension;
    r->error->has_values = true;
    r->error->expected = expected;
    r->error->found = found;
    return false;
}

/* A verb's status: 0 goes on. */
bool reference_did(Reference *r, int32_t status, const char *argument)
{
    if (status == 0) {
        return true;
    }
    reference_fails(r, WG_E_HOST, argument);
    r->error->has_values = true;
    r->error->found = status;
    return false;
}

/* ---- before the call ---- */

/* AOTSyntheticBaseWrapper: the base of the first member that has one, where members are views; else their storage. */
static bool merge(Reference *r, uint32_t i)
{
    const SpecSynthetic *synthetic = &r->graph->synthetic_bases[i];
    WgTensor *first = r->args[synthetic->member_index[0]].tensor;
    WgTensor *viewing = NULL;
    for (uint32_t k = 0; k < synthetic->members.text_count; k++) {
        WgTensor *member = r->args[synthetic->member_index[k]].tensor;
        if (member->object->storage != first->object->storage) {
            return reference_fails(r, WG_E_IDENTITY, r->graph->inputs[synthetic->member_index[k]].name);
        }
        viewing = viewing == NULL && member->object->is_view ? member : viewing;
    }
    if (synthetic->base == SPEC_SYNTHETIC_VIEW_BASE && viewing != NULL) {
        return reference_did(r, wg_view_base(r->ctx, viewing, &r->merged[i]), synthetic->name);
    }
    return reference_did(r, wg_storage_base(r->ctx, first, &r->merged[i]), synthetic->name);
}

static bool merge_inputs(Reference *r)
{
    for (uint32_t i = 0; i < r->graph->synthetic_bases_count; i++) {
        if (!merge(r, i)) {
            return false;
        }
    }
    return true;
}

static WgTensor *original(const Reference *r, const LayoutInner *inner)
{
    return inner->ref.kind == SPEC_REF_SYNTHETIC ? r->merged[inner->ref.index] : r->args[inner->ref.index].tensor;
}

static bool bump_versions(Reference *r)
{
    for (uint32_t i = 0; i < r->layout->num_inner; i++) {
        const LayoutInner *inner = &r->layout->inner[i];
        if (inner->bumped && !reference_did(r, wg_bump_version(r->ctx, original(r, inner)), inner->name)) {
            return false;
        }
    }
    return true;
}

int64_t reference_symbol_arg(const WgTensor *t, const char *text)
{
    const int32_t dimension = (int32_t)strtol(strchr(text, '.') + 1, NULL, 10);
    const ViewGeometry *geometry = &t->object->geometry;
    return text[1] == 'i' ? geometry->sizes[dimension] : geometry->strides[dimension];
}

void reference_give(Reference *r, WgValue value, bool owned)
{
    r->call_args[r->num_call_args] = value;
    r->call_arg_owned[r->num_call_args++] = owned;
}

static void give_parts(Reference *r, uint32_t i)
{
    const uint32_t first = r->first_part[i];
    LayoutCall counted;
    memset(&counted, 0, sizeof counted);
    layout_add_parts(&r->ctx->arena, &counted, LAYOUT_PART, i, r->graph->inputs[i].subclass);
    for (uint32_t k = 0; k < counted.num_arguments; k++) {
        const Part *part = &r->parts[first + k];
        const bool owned = part->kind == SPEC_TENSOR && spec_is(r->graph->consume_inputs);
        reference_give(r, owned ? wg_value_tensor(mock_again(r->ctx, part->value.tensor)) : part->value, owned);
    }
}

static bool give_tensor(Reference *r, uint32_t i)
{
    WgTensor *t = r->waited[i] != NULL ? r->waited[i] : r->args[i].tensor;
    WgTensor *detached = NULL;
    if (r->layout->detached[i]) {
        const bool ok = reference_did(r, wg_detach(r->ctx, t, &detached), r->graph->inputs[i].name);
        reference_give(r, wg_value_tensor(detached), true);
        return ok;
    }
    if (!spec_is(r->graph->consume_inputs)) {
        reference_give(r, wg_value_tensor(t), false);
        return true;
    }
    reference_give(r, wg_value_tensor(mock_again(r->ctx, t)), true);
    if (!r->layout->kept[i] && r->waited[i] == NULL) { /* the compiled function may drop it */
        mock_drop(r->ctx, r->args[i].tensor);
        r->args[i].tensor = NULL;
    }
    return true;
}

static bool give_input(Reference *r, uint32_t i)
{
    const SpecInput *input = &r->graph->inputs[i];
    if (spec_is(input->frozen)) {
        reference_give(r, wg_value_tensor(NULL), false);
        return true;
    }
    if (input->kind != SPEC_TENSOR) {
        reference_give(r, r->args[i], false);
        return true;
    }
    if (input->subclass != NULL) {
        give_parts(r, i);
        return true;
    }
    if (!give_tensor(r, i)) {
        return false;
    }
    const WgTensor *given = r->call_args[r->num_call_args - 1].tensor;
    for (uint32_t k = 0; k < input->symbol_args.text_count; k++) {
        reference_give(r, wg_value_integer(reference_symbol_arg(given, input->symbol_args.text[k])), false);
    }
    return true;
}

/* _AutogradRngStateTracker: a forward notes where its generators are, a backward brings its own ones there. `states`:
 * what a forward noted. */
static bool give_generators(Reference *r, const WgValue *states)
{
    const bool backward = r->inside == &r->layout->backward;
    for (uint32_t i = 0; i < r->graph->num_rng_states; i++) {
        void *generator = NULL;
        if (!reference_did(r, wg_generator_get(r->ctx, r->inside, (int32_t)i, r->graph->rng_device_code, &generator),
                           NULL)) {
            return false;
        }
        if (backward ? !reference_did(r, wg_generator_restore(r->ctx, generator, states[i].tensor), NULL)
                     : r->layout->num_states > 0 &&
                           !reference_did(r, wg_generator_state(r->ctx, generator, &r->states[i]), NULL)) {
            return false;
        }
        reference_give(r, wg_value_pointer(generator), false);
    }
    return true;
}

bool reference_give_rng(Reference *r, const WgValue *states)
{
    WgTensor *seed = NULL;
    WgTensor *offset = NULL;
    if (r->graph->rng == SPEC_RNG_GRAPHSAFE) {
        return give_generators(r, states);
    }
    if (r->graph->rng != SPEC_RNG_FUNCTIONALIZED) {
        return true;
    }
    if (!reference_did(r, wg_rng_get(r->ctx, &seed, &offset), NULL)) {
        return false;
    }
    reference_give(r, wg_value_tensor(seed), true);
    reference_give(r, wg_value_tensor(offset), true);
    return true;
}

static bool fill_arguments(Reference *r)
{
    for (uint32_t i = 0; i < r->graph->num_tokens; i++) {
        reference_give(r, wg_value_tensor(NULL), false);
    }
    for (uint32_t i = 0; i < r->layout->num_inner; i++) {
        const LayoutInner *inner = &r->layout->inner[i];
        if (inner->ref.kind == SPEC_REF_SYNTHETIC) {
            WgTensor *base = r->merged[inner->ref.index];
            const bool owned = spec_is(r->graph->consume_inputs);
            reference_give(r, wg_value_tensor(owned ? mock_again(r->ctx, base) : base), owned);
        } else if (!give_input(r, inner->ref.index)) {
            return false;
        }
    }
    return reference_give_rng(r, NULL);
}

void reference_drop_arguments(Reference *r)
{
    for (uint32_t k = 0; k < r->num_call_args; k++) {
        if (r->call_arg_owned[k]) {
            mock_drop(r->ctx, r->call_args[k].tensor);
            r->call_arg_owned[k] = false;
        }
    }
}

/* ---- the call ---- */

static int32_t call_with_modes(Reference *r, CompiledFunction *compiled, bool training)
{
    WgContext *ctx = r->ctx;
    const int grad = wg_grad_mode(ctx);
    const int replay = wg_view_replay(ctx);
    uint32_t autocast = 0;
    if (training && !replay) {
        wg_set_view_replay(ctx, 1);
    }
    wg_set_grad_mode(ctx, 0); /* training: enable_grad, and in it an autograd.Function, whose forward it is off in */
    if (ctx->modes.in_range) {
        wg_range_end(ctx);
    }
    if (spec_is(r->graph->disable_amp)) {
        autocast = wg_autocast_off(ctx);
    }
    wg_error_clear(ctx);
    const int32_t status = compiled(ctx, r->call_args, r->num_call_args, r->flat, &r->num_flat);
    if (spec_is(r->graph->disable_amp)) {
        wg_autocast_restore(ctx, autocast);
    }
    wg_set_grad_mode(ctx, grad);
    if (training && wg_view_replay(ctx) != replay) {
        wg_set_view_replay(ctx, replay);
    }
    return status;
}

/* Where nothing that comes back may be missed if it is null, there is room for one more than is due: a function that
 * returns without a word leaves that count. */
static size_t capacity(const Reference *r)
{
    const bool backward = r->inside == &r->layout->backward;
    bool missed = backward && r->layout->num_gradients > 0;
    for (uint32_t i = 0; i < r->inside->num_results && !backward; i++) {
        const LayoutResult *result = &r->inside->results[i];
        for (uint32_t k = 0; k < result->num_flat && result->role != LAYOUT_TOKEN; k++) {
            missed = missed || r->inside->flat[result->first_flat + k].kind == SPEC_TENSOR;
        }
    }
    const bool counts = backward || r->graph->convention != SPEC_DIRECT;
    return r->inside->num_flat + (counts && !missed && r->inside->num_flat > 0 ? 1 : 0);
}

bool reference_call_compiled(Reference *r, CompiledFunction *compiled, bool training)
{
    r->num_flat = capacity(r);
    const int32_t status = call_with_modes(r, compiled, training);
    reference_drop_arguments(r);
    if (status == 0) {
        return reference_count(r);
    }
    r->num_flat = 0; /* the compiled function has released what it made */
    const WgError *nested = wg_error(r->ctx);
    if (nested->site != NULL) {
        reference_fails(r, nested->status, NULL);
        r->error->passed_through = true;
        return false;
    }
    return reference_fails_with(r, WG_E_COMPILED, NULL, -1, 0, status);
}

/* ---- after the call ---- */

bool reference_has_result(Reference *r, size_t position, const char *name)
{
    return r->results[position].tensor != NULL || reference_fails(r, WG_E_RESULT, name);
}

bool reference_set_generator(Reference *r)
{
    for (uint32_t i = 0; i < r->inside->num_results; i++) {
        if (r->inside->results[i].role == LAYOUT_NEW_OFFSET) {
            return reference_has_result(r, i, NULL) && reference_did(r, wg_rng_set(r->ctx, r->results[i].tensor), NULL);
        }
    }
    return true;
}

/* ---- the end ---- */

static void deliver(Reference *r)
{
    for (uint32_t i = 0; i < r->graph->outputs_count; i++) {
        const SpecKind kind = r->graph->outputs[i].kind;
        if (kind == SPEC_TENSOR) {
            WgTensor **final = reference_final(r, i);
            r->call->outs[i].tensor = *final;
            *final = NULL;
        } else if (kind != SPEC_NONE) {
            r->call->outs[i] = r->results[r->layout->first_output + i];
        }
    }
    for (uint32_t i = r->layout->first_saved, n = 0; i < r->inside->num_results; i++, n++) {
        r->call->saved[n] = r->results[i];
        r->results[i].tensor = NULL;
    }
    for (uint32_t i = 0; i < r->layout->num_states; i++) {
        r->call->saved[r->layout->first_note - r->layout->num_states + i].tensor = r->states[i];
        r->states[i] = NULL;
    }
}

void reference_drop_results(Reference *r)
{
    for (uint32_t i = 0; i < r->inside->num_flat && i < r->num_flat; i++) {
        if (r->inside->flat[i].kind == SPEC_TENSOR) {
            mock_drop(r->ctx, r->flat[i].tensor);
        }
    }
    for (uint32_t i = 0; i < r->inside->num_results; i++) {
        if (r->inside->results[i].kind == SPEC_TENSOR) {
            mock_drop(r->ctx, r->results[i].tensor);
        }
    }
}

/* Everything that is still held goes back, whatever happened. */
static void give_back(Reference *r)
{
    reference_drop_arguments(r);
    reference_drop_results(r);
    for (uint32_t i = 0; i < r->graph->outputs_count; i++) {
        mock_drop(r->ctx, r->final[i]);
    }
    for (uint32_t i = 0; i < r->graph->synthetic_bases_count; i++) {
        mock_drop(r->ctx, r->merged[i]);
    }
    for (uint32_t i = 0; i < r->layout->num_states; i++) {
        mock_drop(r->ctx, r->states[i]);
    }
    for (uint32_t i = 0; i < r->graph->inputs_count && spec_is(r->graph->consume_inputs); i++) {
        if (r->graph->inputs[i].kind == SPEC_TENSOR) {
            mock_drop(r->ctx, r->args[i].tensor);
            r->args[i].tensor = NULL;
        }
    }
}

static bool run(Reference *r, CompiledFunction *compiled)
{
    const bool training = r->graph->mode == SPEC_TRAINING;
    if (r->ctx->tables.has_ranges) {
        wg_range_begin(r->ctx, "AOTDispatcher Runtime Wrapper Prologue");
    }
    if (!reference_check_arguments(r) || !merge_inputs(r)) {
        return false;
    }
    reference_look_for_grad(r);
    if (!bump_versions(r) || !fill_arguments(r) || !reference_call_compiled(r, compiled, training) ||
        !reference_check_results(r, 0, r->inside->num_results) || !reference_wrap(r, 0, r->inside->num_results) ||
        !reference_check_identity(r) || !reference_check_storages(r) || !reference_set_generator(r)) {
        return false;
    }
    if (training ? !reference_training(r) : !reference_separate(r)) {
        return false;
    }
    if (!reference_mutate(r) || !reference_outputs(r) || !reference_mark_outputs(r) || !reference_restride_members(r)) {
        return false;
    }
    if (r->graph->grad_enabled_mutation == SPEC_TRUE || r->graph->grad_enabled_mutation == SPEC_FALSE) {
        wg_set_grad_mode(r->ctx, spec_is(r->graph->grad_enabled_mutation));
    }
    deliver(r);
    return true;
}

void reference_begin(Reference *r, WgContext *ctx, const Layout *layout, const LayoutCall *inside,
                     ReferenceError *error)
{
    Arena *arena = &ctx->arena;
    memset(r, 0, sizeof *r);
    memset(error, 0, sizeof *error);
    r->ctx = ctx;
    r->layout = layout;
    r->graph = layout->graph;
    r->error = error;
    r->inside = inside;
    r->values = ARENA_ARRAY(arena, int64_t, layout->spec->symbols_count);
    r->bound = ARENA_ARRAY(arena, bool, layout->spec->symbols_count);
    r->claimed = ARENA_ARRAY(arena, bool, layout->spec->symbols_count);
    r->symbols = (Symbols){r->values, r->bound};
    r->call_args = ARENA_ARRAY(arena, WgValue, (size_t)inside->num_arguments + 1);
    r->call_arg_owned = ARENA_ARRAY(arena, bool, (size_t)inside->num_arguments + 1);
    r->flat = ARENA_ARRAY(arena, WgValue, (size_t)inside->num_flat + 2);
    r->results = ARENA_ARRAY(arena, WgValue, (size_t)inside->num_results + 1);
}

int32_t reference_call(WgContext *ctx, const Layout *layout, const Call *call, CompiledFunction *compiled,
                       ReferenceError *error)
{
    Reference r;
    Arena *arena = &ctx->arena;
    const LayoutCall *forward = &layout->forward;
    reference_begin(&r, ctx, layout, forward, error);
    r.call = call;
    r.args = call->args;
    r.first_part = ARENA_ARRAY(arena, uint32_t, (size_t)layout->graph->inputs_count + 1);
    r.waited = ARENA_ARRAY(arena, WgTensor *, (size_t)layout->graph->inputs_count + 1);
    r.merged = ARENA_ARRAY(arena, WgTensor *, (size_t)layout->graph->synthetic_bases_count + 1);
    r.states = ARENA_ARRAY(arena, WgTensor *, (size_t)layout->num_states + 1);
    r.final = ARENA_ARRAY(arena, WgTensor *, (size_t)layout->graph->outputs_count + 1);
    memset(call->outs, 0, layout->graph->outputs_count * sizeof(WgValue));
    memset(call->saved, 0, layout->first_note * sizeof(WgValue));
    if (!run(&r, compiled)) {
        memset(call->saved_versions + layout->first_note, 0, layout->num_notes * sizeof(int64_t));
    }
    if (ctx->modes.in_range) { /* it failed before the call */
        wg_range_end(ctx);
    }
    give_back(&r);
    return error->code;
}
