/* SPDX-License-Identifier: MIT */
/*
 * reference - see reference.h. reference_call() at the end is the order of events; each step is a function above it.
 */
#include "reference_private.h"

#include <string.h>

bool reference_fails(Reference *r, int32_t code, const char *argument)
{
    memset(r->error, 0, sizeof *r->error);
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

static bool bump_versions(Reference *r)
{
    for (uint32_t i = 0; i < r->graph->inputs_count; i++) {
        if (r->layout->bumped[i] &&
            !reference_did(r, wg_bump_version(r->ctx, r->args[i].tensor), r->graph->inputs[i].name)) {
            return false;
        }
    }
    return true;
}

static void give(Reference *r, uint32_t position, WgTensor *t, bool owned)
{
    r->call_args[position].tensor = t;
    r->call_arg_owned[position] = owned;
}

static bool fill_input(Reference *r, uint32_t position, uint32_t i)
{
    WgTensor *detached = NULL;
    if (r->graph->inputs[i].kind != SPEC_TENSOR) {
        r->call_args[position] = r->args[i];
        return true;
    }
    if (r->layout->detached[i]) {
        const bool ok = reference_did(r, wg_detach(r->ctx, r->args[i].tensor, &detached), r->graph->inputs[i].name);
        give(r, position, detached, true);
        return ok;
    }
    if (spec_is(r->graph->consume_inputs)) { /* the compiled function may drop it; what the epilogue needs stays */
        give(r, position, mock_again(r->ctx, r->args[i].tensor), true);
        if (!r->layout->kept[i]) {
            mock_drop(r->ctx, r->args[i].tensor);
            r->args[i].tensor = NULL;
        }
        return true;
    }
    give(r, position, r->args[i].tensor, false);
    return true;
}

static bool fill_arguments(Reference *r)
{
    WgTensor *seed = NULL;
    WgTensor *offset = NULL;
    const ViewGeometry *geometry = NULL; /* of the input whose sizes and strides follow it */
    for (uint32_t k = 0; k < r->layout->num_arguments; k++) {
        const LayoutArgument *argument = &r->layout->arguments[k];
        switch (argument->source) {
        case LAYOUT_NULL:
            give(r, k, NULL, false);
            break;
        case LAYOUT_INPUT:
            if (!fill_input(r, k, argument->input)) {
                return false;
            }
            geometry = argument->kind == SPEC_TENSOR ? &r->call_args[k].tensor->object->geometry : NULL;
            break;
        case LAYOUT_SIZE:
            r->call_args[k].integer = geometry->sizes[argument->dimension];
            break;
        case LAYOUT_STRIDE:
            r->call_args[k].integer = geometry->strides[argument->dimension];
            break;
        case LAYOUT_RNG_SEED:
            if (!reference_did(r, wg_rng_get(r->ctx, &seed, &offset), NULL)) {
                return false;
            }
            give(r, k, seed, true);
            give(r, k + 1, offset, true);
            break;
        case LAYOUT_RNG_OFFSET:
            break;
        }
    }
    return true;
}

static void drop_arguments(Reference *r)
{
    for (uint32_t k = 0; k < r->layout->num_arguments; k++) {
        if (r->call_arg_owned[k]) {
            mock_drop(r->ctx, r->call_args[k].tensor);
            r->call_arg_owned[k] = false;
        }
    }
}

/* ---- the call ---- */

static int32_t call_with_modes(Reference *r, CompiledFunction *compiled)
{
    WgContext *ctx = r->ctx;
    const int grad = wg_grad_mode(ctx);
    const int replay = wg_view_replay(ctx);
    uint32_t autocast = 0;
    const bool training = r->graph->mode == SPEC_TRAINING;
    if (training && !replay) {
        wg_set_view_replay(ctx, 1);
    }
    wg_set_grad_mode(ctx, training);
    if (spec_is(r->graph->disable_amp)) {
        autocast = wg_autocast_off(ctx);
    }
    wg_error_clear(ctx);
    const int32_t status = compiled(ctx, r->call_args, r->layout->num_arguments, r->results, &r->num_results);
    if (spec_is(r->graph->disable_amp)) {
        wg_autocast_restore(ctx, autocast);
    }
    wg_set_grad_mode(ctx, grad);
    if (training && wg_view_replay(ctx) != replay) {
        wg_set_view_replay(ctx, replay);
    }
    return status;
}

static bool call_compiled(Reference *r, CompiledFunction *compiled)
{
    const uint32_t expected = r->layout->num_results;
    r->num_results = expected;
    const int32_t status = call_with_modes(r, compiled);
    drop_arguments(r);
    if (status != 0) {
        r->num_results = 0; /* the compiled function has released what it made */
        const WgError *nested = wg_error(r->ctx);
        if (nested->site != NULL) {
            reference_fails(r, nested->status, NULL);
            r->error->passed_through = true;
            return false;
        }
        return reference_fails_with(r, WG_E_COMPILED, NULL, -1, 0, status);
    }
    if (r->num_results != expected) {
        const size_t returned = r->num_results;
        r->num_results = returned < expected ? returned : expected;
        return reference_fails_with(r, WG_E_OUTPUTS, NULL, -1, expected, (int64_t)returned);
    }
    return true;
}

/* ---- behind the call ---- */

bool reference_has_result(Reference *r, size_t position, const char *name)
{
    return r->results[position].tensor != NULL || reference_fails(r, WG_E_RESULT, name);
}

static bool set_generator(Reference *r)
{
    for (uint32_t i = 0; i < r->layout->num_results; i++) {
        if (r->layout->results[i].role == LAYOUT_NEW_OFFSET) {
            return reference_has_result(r, i, NULL) && reference_did(r, wg_rng_set(r->ctx, r->results[i].tensor), NULL);
        }
    }
    return true;
}

/* Puts `now` in the place of a result, whose old reference goes. */
static void replace(Reference *r, size_t position, WgTensor *now)
{
    mock_drop(r->ctx, r->results[position].tensor);
    r->results[position].tensor = now;
}

/* ctx.save_for_backward: a view that is no graph input is saved detached. */
static bool save(Reference *r)
{
    const SpecSaved *saved = r->graph->saved;
    for (uint32_t i = 0; i < r->layout->num_saved; i++) {
        const size_t position = (size_t)r->layout->first_saved + i;
        if (!reference_has_result(r, position, NULL)) {
            return false;
        }
        if (r->results[position].tensor->object->is_view && !saved->is_graph_input[i]) {
            WgTensor *detached = NULL;
            if (!reference_did(r, wg_detach(r->ctx, r->results[position].tensor, &detached), NULL)) {
                return false;
            }
            replace(r, position, detached);
        }
        if (i < saved->num_tensors) {
            r->call->saved_versions[i] = r->results[position].tensor->object->version->count;
        }
    }
    for (uint32_t i = 0; i < saved->dynamic_count; i++) {
        int32_t dims[VIEW_RANK];
        const SpecSavedDynamic *dynamic = &saved->dynamic[i];
        for (uint32_t d = 0; d < dynamic->dims.text_count; d++) {
            dims[d] = (int32_t)dynamic->dims.expr[d]->literal;
        }
        const size_t position = r->layout->first_saved + (size_t)dynamic->index.expr->literal;
        if (!reference_did(r, wg_mark_dynamic(r->ctx, r->results[position].tensor, dims, dynamic->dims.text_count),
                           NULL)) {
            return false;
        }
    }
    return true;
}

/* How one returned tensor looks to the autograd node. */
typedef struct Returned {
    bool tensor; /* one that autograd sees: aliases travel boxed */
    bool requires_grad;
    const char *name;
} Returned;

static Returned returned_at(const Reference *r, size_t position)
{
    const LayoutResult *result = &r->layout->results[position];
    if (result->role == LAYOUT_UPDATED) {
        const SpecInput *input = &r->graph->inputs[result->index];
        const bool boxed = spec_is(input->mutates_metadata) && !spec_is(input->mutates_data);
        return (Returned){!boxed, spec_is(input->requires_grad), input->name};
    }
    if (result->role == LAYOUT_OUTPUT) {
        const SpecOutput *output = &r->graph->outputs[result->index];
        const bool seen = output->kind == SPEC_TENSOR && !layout_is_alias(output->type);
        return (Returned){seen, spec_is(output->requires_grad), output->name};
    }
    if (result->role == LAYOUT_BASE) {
        return (Returned){true, true, r->graph->intermediate_bases[result->index].name};
    }
    return (Returned){false, false, NULL};
}

/* A slot without grad that is the same object as one with grad would take the other's gradient away. */
static bool shares_object_with_grad(const Reference *r, size_t position)
{
    for (size_t i = 0; i < r->num_results; i++) {
        const Returned other = returned_at(r, i);
        if (other.tensor && other.requires_grad &&
            r->results[i].tensor->object == r->results[position].tensor->object) {
            return true;
        }
    }
    return false;
}

static bool unsafe_views(Reference *r)
{
    for (uint32_t i = 0; i < r->graph->outputs_count; i++) {
        WgTensor *view = NULL;
        const size_t position = (size_t)r->layout->first_output + i;
        if (r->graph->outputs[i].type != SPEC_UNSAFE_VIEW_ALIAS || r->graph->outputs[i].kind != SPEC_TENSOR) {
            continue;
        }
        if (!reference_did(r, wg_unsafe_view(r->ctx, r->results[position].tensor, &view), r->graph->outputs[i].name)) {
            return false;
        }
        replace(r, position, view);
    }
    return true;
}

/* CompiledFunction.forward: _finalize_ */
static bool finalize(Reference *r)
{
    for (size_t i = 0; i < r->num_results; i++) {
        const Returned returned = returned_at(r, i);
        if (returned.tensor && !reference_has_result(r, i, returned.name)) {
            return false;
        }
    }
    if (!unsafe_views(r)) {
        return false;
    }
    for (size_t i = 0; i < r->num_results; i++) {
        const Returned returned = returned_at(r, i);
        WgTensor *detached = NULL;
        if (returned.tensor && !returned.requires_grad && shares_object_with_grad(r, i)) {
            if (!reference_did(r, wg_detach(r->ctx, r->results[i].tensor, &detached), returned.name)) {
                return false;
            }
            replace(r, i, detached);
        }
    }
    for (size_t i = 0; i < r->num_results; i++) {
        const Returned returned = returned_at(r, i);
        if (returned.tensor &&
            !reference_did(r, wg_set_requires_grad(r->ctx, r->results[i].tensor, returned.requires_grad),
                           returned.name)) {
            return false;
        }
    }
    return true;
}

/* ---- the mutation epilogue ---- */

static bool mutate(Reference *r, uint32_t i, WgTensor *u)
{
    const SpecInput *input = &r->graph->inputs[i];
    WgContext *ctx = r->ctx;
    WgTensor *o = r->args[i].tensor;
    if (spec_is(input->mutates_storage_metadata)) {
        return reference_did(
            r, spec_is(input->mutation_is_shallow_copy_data) ? wg_shallow_copy_data_(ctx, o, u) : wg_set_(ctx, o, u),
            input->name);
    }
    if (spec_is(input->mutates_metadata) && !reference_did(r, wg_restride_like_(ctx, o, u), input->name)) {
        return false;
    }
    if (!spec_is(input->mutates_data)) {
        return true;
    }
    if (spec_is(input->is_leaf) && o->object->requires_grad) {
        return reference_did(r, wg_copy_leaf_(ctx, o, u), input->name);
    }
    if (input->stream != NULL && input->stream_index >= 0) {
        return reference_fails(r, WG_E_STREAM, input->name);
    }
    return reference_did(r, wg_copy_(ctx, o, u), input->name);
}

static bool mutations(Reference *r)
{
    for (uint32_t k = 0; k < r->layout->num_updated; k++) {
        const size_t position = (size_t)r->layout->first_updated + k;
        const uint32_t i = r->layout->results[position].index;
        if (!reference_has_result(r, position, r->graph->inputs[i].name) ||
            !mutate(r, i, r->results[position].tensor)) {
            return false;
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
    for (uint32_t i = r->layout->first_saved, n = 0; i < r->layout->num_results; i++, n++) {
        r->call->saved[n] = r->results[i];
        r->results[i].tensor = NULL;
    }
}

/* Everything that is still held goes back, whatever happened. */
static void give_back(Reference *r)
{
    drop_arguments(r);
    for (size_t i = 0; i < r->num_results; i++) {
        if (r->layout->results[i].kind == SPEC_TENSOR) {
            mock_drop(r->ctx, r->results[i].tensor);
        }
    }
    for (uint32_t i = 0; i < r->graph->outputs_count; i++) {
        mock_drop(r->ctx, r->final[i]);
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
    if (!reference_check_arguments(r)) {
        return false;
    }
    if (!bump_versions(r) || !fill_arguments(r) || !call_compiled(r, compiled) || !set_generator(r)) {
        return false;
    }
    if (r->graph->mode == SPEC_TRAINING && (!save(r) || !finalize(r))) {
        return false;
    }
    if (!mutations(r) || !reference_outputs(r) || !reference_mark_outputs(r)) {
        return false;
    }
    if (r->graph->grad_enabled_mutation == SPEC_TRUE || r->graph->grad_enabled_mutation == SPEC_FALSE) {
        wg_set_grad_mode(r->ctx, spec_is(r->graph->grad_enabled_mutation));
    }
    deliver(r);
    return true;
}

int32_t reference_call(WgContext *ctx, const Layout *layout, const Call *call, CompiledFunction *compiled,
                       ReferenceError *error)
{
    Reference r;
    Arena *arena = &ctx->arena;
    memset(&r, 0, sizeof r);
    memset(error, 0, sizeof *error);
    r.ctx = ctx;
    r.layout = layout;
    r.graph = layout->graph;
    r.call = call;
    r.error = error;
    r.args = call->args;
    r.values = ARENA_ARRAY(arena, int64_t, layout->spec->symbols_count);
    r.bound = ARENA_ARRAY(arena, bool, layout->spec->symbols_count);
    r.symbols = (Symbols){r.values, r.bound};
    r.call_args = ARENA_ARRAY(arena, WgValue, (size_t)layout->num_arguments + 1);
    r.call_arg_owned = ARENA_ARRAY(arena, bool, (size_t)layout->num_arguments + 1);
    r.results = ARENA_ARRAY(arena, WgValue, (size_t)layout->num_results + 1);
    r.final = ARENA_ARRAY(arena, WgTensor *, (size_t)layout->graph->outputs_count + 1);
    memset(call->outs, 0, layout->graph->outputs_count * sizeof(WgValue));
    memset(call->saved, 0, (layout->num_results - layout->first_saved) * sizeof(WgValue));
    run(&r, compiled);
    give_back(&r);
    return error->code;
}
