/* SPDX-License-Identifier: MIT */
/*
 * check_backward - the backward on both sides, after a forward: with the saved values as they are, written to in
 * between, or released; once, or again.
 */
#include <inttypes.h>
#include <string.h>

#include "check_private.h"

enum { GARBAGE = 0x5A };

/* One backward call of one side. */
typedef struct Backward {
    Side *side;
    WgValue *gradients;
    WgValue *given; /* gradients as they were */
    WgValue *outs;
    MockModes modes; /* before */
} Backward;

static Backward prepare(Side *side, const Layout *layout, const Scenario *scenario, uint32_t nth)
{
    WgContext *ctx = side->ctx;
    const uint32_t room = layout->num_gradients + 2;
    Backward backward = {.side = side};
    side->prepared->backward = true;
    side->prepared->nth = nth;
    side->prepared->scenario = scenario;
    backward.gradients = scenario_gradients(ctx, side->prepared);
    backward.given = ARENA_ARRAY(&ctx->arena, WgValue, (size_t)layout->num_returned + 2);
    memcpy(backward.given, backward.gradients, layout->num_returned * sizeof(WgValue));
    backward.outs = ARENA_ARRAY(&ctx->arena, WgValue, room);
    memset(backward.outs, GARBAGE, room * sizeof(WgValue));
    ctx->num_effects = 0;
    ctx->num_retains = 0;
    ctx->num_reads = 0;
    if (scenario->backward && nth + 1 == scenario->backward_calls) {
        ctx->fail_effect_at = scenario->fail_effect_at;
        ctx->fail_retain_at = scenario->fail_retain_at;
        ctx->fail_read_at = scenario->fail_read_at;
    }
    ctx->modes.deterministic = scenario->seed % 5 == 0;
    backward.modes = ctx->modes;
    return backward;
}

/* A call that is wrong as a call. */
static void refuse_call(const Backward *backward, const Layout *layout, Fault fault, ReferenceError *error)
{
    const bool is_args = fault == FAULT_FEWER_ARGS || fault == FAULT_MORE_ARGS;
    memset(error, 0, sizeof *error);
    error->dimension = -1;
    error->code = fault >= FAULT_NO_ARGS ? WG_E_NULL : WG_E_COUNT;
    if (error->code == WG_E_COUNT) {
        error->has_values = true;
        error->expected = is_args ? layout->num_returned : layout->num_gradients;
        error->found = error->expected + (fault == FAULT_MORE_ARGS || fault == FAULT_MORE_OUTS ? 1 : -1);
    }
    memset(backward->outs, 0, ((size_t)layout->num_gradients + 2) * sizeof(WgValue));
}

static void call_both(Checker *c, const Layout *layout, const Entry *entry, const Scenario *scenario, Backward *g,
                      Backward *r)
{
    const BackwardCall call = {r->side->saved, r->side->versions, r->gradients, r->outs};
    const Fault fault = scenario->backward ? scenario->fault : FAULT_NONE;
    if (fault != FAULT_NONE) {
        refuse_call(r, layout, fault, &c->error);
    } else {
        (void)reference_backward(r->side->ctx, layout, &call, fake_compiled, &c->error);
    }
    c->generated_status = entry->backward(g->side->ctx, g->side->saved, g->side->versions, g->gradients, g->outs,
                                          scenario->boxed, (int)fault);
}

static Mismatch compare_gradients(Checker *c, const Layout *layout, const Scenario *scenario, const Backward *g,
                                  const Backward *r)
{
    const Fault fault = scenario->backward ? scenario->fault : FAULT_NONE;
    const uint32_t room = fault == FAULT_NO_OUTS ? 0 : layout->num_gradients - (fault == FAULT_FEWER_OUTS ? 1 : 0);
    for (uint32_t i = 0; i < room; i++) {
        const char *name = layout->backward.results[layout->gradients[i]].name;
        if (c->generated_status != 0 && g->outs[i].tensor != NULL) {
            return DIFFERS(c, MISMATCH_RESULT, "gradient of '%s' is not null after a failure", name);
        }
        if (c->generated_status == 0 && !check_same_value(SPEC_TENSOR, g->outs[i], r->outs[i])) {
            return DIFFERS(c, MISMATCH_RESULT, "gradient of '%s'", name);
        }
    }
    for (uint32_t i = 0; i < layout->num_returned; i++) {
        if (g->gradients[i].tensor != g->given[i].tensor) {
            return DIFFERS(c, MISMATCH_ARGUMENTS, "the gradient given as number %" PRIu32 " changed", i);
        }
    }
    return MISMATCH_NONE;
}

/* The caller gives gradients back, those that it gave and those that it got. */
static Mismatch give_back(Checker *c, const Layout *layout, const Entry *entry, Backward *backward, bool good)
{
    WgContext *ctx = backward->side->ctx;
    if (good && entry != NULL) {
        entry->release_gradients(ctx, backward->outs);
    }
    for (uint32_t i = 0; i < layout->num_gradients && good; i++) {
        if (entry != NULL && backward->outs[i].tensor != NULL) {
            return DIFFERS(c, MISMATCH_LEAK, "%s_gradients_release left gradient %" PRIu32, layout->graph->name, i);
        }
        mock_drop(ctx, backward->outs[i].tensor);
    }
    for (uint32_t i = 0; i < layout->num_returned; i++) {
        mock_drop(ctx, backward->given[i].tensor);
    }
    return MISMATCH_NONE;
}

static Mismatch call_once(Checker *c, const Layout *layout, const Entry *entry, const Scenario *scenario, uint32_t nth,
                          Side *gs, Side *rs)
{
    bool excused = false;
    Backward r = prepare(rs, layout, scenario, nth);
    r.side->ctx->fail_retain_at = 0; /* it retains and reads in other places: there it does not fail */
    r.side->ctx->fail_read_at = 0;
    Backward g = prepare(gs, layout, scenario, nth);
    call_both(c, layout, entry, scenario, &g, &r);
    Mismatch mismatch = check_outcome(c, scenario, &excused);
    mismatch = mismatch != MISMATCH_NONE ? mismatch : compare_gradients(c, layout, scenario, &g, &r);
    mismatch = mismatch != MISMATCH_NONE ? mismatch : check_modes(c, &g.modes);
    if (!excused && mismatch == MISMATCH_NONE) {
        mismatch = check_objects(c);
        mismatch = mismatch != MISMATCH_NONE ? mismatch : check_notes(c, layout, gs, rs);
    }
    if (mismatch == MISMATCH_NONE) {
        mismatch = give_back(c, layout, entry, &g, c->generated_status == 0);
    }
    return mismatch != MISMATCH_NONE ? mismatch : give_back(c, layout, NULL, &r, c->error.code == 0);
}

/* Writes into a saved tensor. */
static void write_saved(const Layout *layout, const Scenario *scenario, const Side *side)
{
    if (layout->num_saved > 0) {
        WgTensor *t = side->saved[scenario->written % layout->num_saved].tensor;
        if (t != NULL) {
            t->object->version->count++;
        }
    }
}

static void release_saved(const Layout *layout, const Entry *entry, Side *side)
{
    if (entry != NULL) {
        WgValue *nothing = ARENA_ARRAY(&side->ctx->arena, WgValue, (size_t)side->num_outs + 1);
        entry->release(side->ctx, nothing, side->saved);
        return;
    }
    for (uint32_t i = 0; i < side->num_saved; i++) {
        if (layout_saved_kind(layout, i) == SPEC_TENSOR) {
            mock_drop(side->ctx, side->saved[i].tensor);
            side->saved[i].tensor = NULL;
        }
    }
}

Mismatch check_backward(Checker *c, const Layout *layout, const Entry *entry, const Scenario *scenario, Side *g,
                        Side *r)
{
    Mismatch mismatch = MISMATCH_NONE;
    for (uint32_t nth = 0; nth < scenario->backward_calls && mismatch == MISMATCH_NONE; nth++) {
        const SavedFate now = nth == 0 ? SAVED_WRITTEN : SAVED_WRITTEN_LATER;
        if (scenario->fate == now) {
            write_saved(layout, scenario, g);
            write_saved(layout, scenario, r);
        }
        if (scenario->fate == SAVED_RELEASED && nth + 1 == scenario->backward_calls) {
            release_saved(layout, entry, g);
            release_saved(layout, NULL, r);
        }
        mismatch = call_once(c, layout, entry, scenario, nth, g, r);
    }
    return mismatch;
}
