/* SPDX-License-Identifier: MIT */
/*
 * check - see check.h. What counts: status and error; hard events in their order, with operands, modes and geometry;
 * results and saved values by object; modes, versions, geometry, storage and references of every object afterwards.
 */
#include "check_private.h"
#include "kernel_flat.h"

#include <inttypes.h>
#include <string.h>

const char *mismatch_text(Mismatch mismatch)
{
    static const char *const texts[] = {
#define X(name, text) text,
        MISMATCHES(X)
#undef X
    };
    return texts[mismatch];
}

enum { GARBAGE = 0x5A };

static Side prepare(WgContext *ctx, const Layout *layout, const Scenario *scenario)
{
    Side side = {.ctx = ctx, .prepared = scenario_prepare(ctx, layout, scenario)};
    Arena *arena = &ctx->arena;
    side.num_outs = layout->graph->outputs_count;
    side.num_saved = layout->first_note;
    side.given = ARENA_ARRAY(arena, WgValue, (size_t)side.prepared->num_args + 2);
    side.outs = ARENA_ARRAY(arena, WgValue, (size_t)side.num_outs + 2);
    side.saved = ARENA_ARRAY(arena, WgValue, (size_t)side.num_saved + 1);
    side.versions = ARENA_ARRAY(arena, int64_t, (size_t)layout->first_note + layout->num_notes);
    memcpy(side.given, side.prepared->args, side.prepared->num_args * sizeof(WgValue));
    memset(side.outs, GARBAGE, ((size_t)side.num_outs + 2) * sizeof(WgValue));
    return side;
}

/* ---- the two calls ---- */

static size_t changed(size_t n, Fault fault, Fault fewer, Fault more)
{
    return fault == fewer ? n - 1 : fault == more ? n + 1 : n;
}

static int32_t call_generated(Side *side, const Entry *entry, const Scenario *scenario)
{
    WgValue *args = side->prepared->args;
    const bool no_args = scenario->fault == FAULT_NO_ARGS;
    if (!scenario->boxed) {
        return entry->typed(side->ctx, args, side->outs, side->saved, side->versions, (int)scenario->fault);
    }
    return entry->boxed(side->ctx, no_args ? NULL : args,
                        changed(side->prepared->num_args, scenario->fault, FAULT_FEWER_ARGS, FAULT_MORE_ARGS),
                        scenario->fault == FAULT_NO_OUTS ? NULL : side->outs,
                        changed(side->num_outs, scenario->fault, FAULT_FEWER_OUTS, FAULT_MORE_OUTS), side->saved,
                        side->versions, (int)scenario->fault);
}

/* A call that is wrong as a call: nothing is read, nothing is done, and arguments that were given away are released. */
static void refuse_call(Side *side, const Layout *layout, const Scenario *scenario, ReferenceError *error)
{
    const uint32_t num_args = side->prepared->num_args;
    memset(error, 0, sizeof *error);
    error->dimension = -1;
    error->code = scenario->fault >= FAULT_NO_ARGS ? WG_E_NULL : WG_E_COUNT;
    if (error->code == WG_E_COUNT) {
        const bool is_args = scenario->fault == FAULT_FEWER_ARGS || scenario->fault == FAULT_MORE_ARGS;
        error->has_values = true;
        error->expected = is_args ? num_args : side->num_outs;
        error->found =
            error->expected + (scenario->fault == FAULT_MORE_ARGS || scenario->fault == FAULT_MORE_OUTS ? 1 : -1);
    }
    memset(side->outs, 0, ((size_t)side->num_outs + 2) * sizeof(WgValue));
    memset(side->saved, 0, side->num_saved * sizeof(WgValue));
    const uint32_t there =
        scenario->fault == FAULT_NO_ARGS ? 0 : num_args - (scenario->fault == FAULT_FEWER_ARGS ? 1 : 0);
    for (uint32_t i = 0; i < there && spec_is(layout->graph->consume_inputs); i++) {
        if (layout->graph->inputs[i].kind == SPEC_TENSOR) {
            mock_drop(side->ctx, side->prepared->args[i].tensor);
            side->prepared->args[i].tensor = NULL;
        }
    }
}

static void call_reference(Side *side, const Layout *layout, const Scenario *scenario, ReferenceError *error)
{
    const Call call = {side->prepared->args, side->outs, side->saved, side->versions};
    if (scenario->fault != FAULT_NONE) {
        refuse_call(side, layout, scenario, error);
    } else {
        (void)reference_call(side->ctx, layout, &call,
                             layout->graph->kernel != NULL ? kernel_flat_compiled : fake_compiled, error);
    }
}

/* ---- the trace ---- */

static const MockEvent *next_hard(const WgContext *ctx, size_t *at)
{
    while (*at < ctx->num_events && mock_verb_soft[ctx->events[*at].verb]) {
        (*at)++;
    }
    return *at < ctx->num_events ? &ctx->events[(*at)++] : NULL;
}

/* "Like that tensor" and "with that geometry" are the same effect: what came of it is compared. */
static MockVerb effect(MockVerb verb)
{
    return verb == MOCK_alias_like ? MOCK_alias_as : verb;
}

static bool same_event(const WgContext *a, const MockEvent *x, const WgContext *b, const MockEvent *y)
{
    return effect(x->verb) == effect(y->verb) && x->status == y->status &&
           memcmp(x->objects, y->objects, sizeof x->objects) == 0 && x->modes.grad == y->modes.grad &&
           x->modes.view_replay == y->modes.view_replay && x->modes.autocast == y->modes.autocast &&
           x->modes.in_range == y->modes.in_range && x->num_numbers == y->num_numbers &&
           memcmp(a->numbers + x->first_number, b->numbers + y->first_number, x->num_numbers * sizeof(int64_t)) == 0;
}

/* `prefix`: the generated side may have stopped earlier. */
static Mismatch compare_traces(Checker *c, bool prefix)
{
    size_t i = 0;
    size_t k = 0;
    for (uint32_t n = 1;; n++) {
        const MockEvent *x = next_hard(&c->generated, &i);
        const MockEvent *y = next_hard(&c->reference, &k);
        if (x == NULL && (y == NULL || prefix)) {
            return MISMATCH_NONE;
        }
        if (x == NULL || y == NULL || !same_event(&c->generated, x, &c->reference, y)) {
            return DIFFERS(c, MISMATCH_TRACE, "effect %" PRIu32 ": generated %s, reference %s", n,
                           x != NULL ? mock_verb_names[x->verb] : "nothing",
                           y != NULL ? mock_verb_names[y->verb] : "nothing");
        }
    }
}

/* ---- results and state ---- */

static uint32_t id_of(WgValue value)
{
    return value.tensor != NULL ? value.tensor->object->id : 0;
}

static bool same_object(const MockObject *x, const MockObject *y)
{
    return view_same_geometry(&x->geometry, &y->geometry) && x->requires_grad == y->requires_grad &&
           x->is_view == y->is_view && x->storage->id == y->storage->id && x->version->id == y->version->id &&
           x->version->count == y->version->count;
}

/* Where pointers are smaller than a value, the value's other bytes do not count. */
static bool is_pointer(SpecKind kind)
{
    return kind == SPEC_TENSOR || kind == SPEC_NONE || kind == SPEC_OPAQUE;
}

static bool is_null(SpecKind kind, WgValue value)
{
    return is_pointer(kind) ? value.pointer == NULL : value.integer == 0;
}

static bool is_unchanged(SpecKind kind, WgValue before, WgValue now)
{
    return is_pointer(kind) ? before.pointer == now.pointer : before.integer == now.integer;
}

bool check_same_value(SpecKind kind, WgValue a, WgValue b)
{
    if (kind == SPEC_TENSOR) {
        return id_of(a) == id_of(b) && (a.tensor == NULL || same_object(a.tensor->object, b.tensor->object));
    }
    return kind == SPEC_NONE ? a.pointer == NULL : is_unchanged(kind, a, b);
}

Mismatch check_notes(Checker *c, const Layout *layout, const Side *g, const Side *r)
{
    for (uint32_t i = 0; i < layout->num_notes; i++) {
        const int64_t found = g->versions[layout->first_note + i];
        const int64_t due = r->versions[layout->first_note + i];
        if (found != due) {
            return DIFFERS(c, MISMATCH_SAVED,
                           "number %" PRIu32 " kept with the saved values is %" PRId64 ", due is %" PRId64, i, found,
                           due);
        }
    }
    return MISMATCH_NONE;
}

static Mismatch compare_results(Checker *c, const Layout *layout, const Side *g, const Side *r, Fault fault)
{
    const uint32_t room = fault == FAULT_NO_OUTS ? 0 : g->num_outs - (fault == FAULT_FEWER_OUTS ? 1 : 0);
    if (c->generated_status != 0) {
        for (uint32_t i = 0; i < room; i++) {
            if (!is_null(layout->graph->outputs[i].kind, g->outs[i])) {
                return DIFFERS(c, MISMATCH_RESULT, "output '%s' is not null after a failure",
                               layout->graph->outputs[i].name);
            }
        }
    }
    for (uint32_t i = 0; i < g->num_outs; i++) {
        if (c->generated_status == 0 && !check_same_value(layout->graph->outputs[i].kind, g->outs[i], r->outs[i])) {
            return DIFFERS(c, MISMATCH_RESULT,
                           "output '%s' is t%" PRIu32 " or %" PRId64 ", due is t%" PRIu32 " or %" PRId64,
                           layout->graph->outputs[i].name,
                           layout->graph->outputs[i].kind == SPEC_TENSOR ? id_of(g->outs[i]) : 0, g->outs[i].integer,
                           layout->graph->outputs[i].kind == SPEC_TENSOR ? id_of(r->outs[i]) : 0, r->outs[i].integer);
        }
    }
    for (uint32_t i = 0; i < g->num_saved; i++) {
        const SpecKind kind = layout_saved_kind(layout, i);
        const bool version = !layout_saved_is_versioned(layout, i) || g->versions[i] == r->versions[i];
        if (c->generated_status != 0 ? !is_null(kind, g->saved[i])
                                     : !version || !check_same_value(kind, g->saved[i], r->saved[i])) {
            return DIFFERS(c, MISMATCH_SAVED, "saved value %" PRIu32, i);
        }
    }
    return MISMATCH_NONE;
}

static Mismatch compare_arguments(Checker *c, const Layout *layout, const Side *g, const Scenario *scenario)
{
    const bool consumed = spec_is(layout->graph->consume_inputs) && scenario->fault != FAULT_NO_ARGS;
    for (uint32_t i = 0; i < g->prepared->num_args; i++) {
        const WgValue now = g->prepared->args[i];
        const bool beyond = scenario->fault == FAULT_FEWER_ARGS && i + 1 == g->prepared->num_args;
        if (consumed && !beyond && layout->graph->inputs[i].kind == SPEC_TENSOR) {
            if (now.tensor != NULL) {
                return DIFFERS(c, MISMATCH_ARGUMENTS, "'%s' was given away, but its slot is not null",
                               layout->graph->inputs[i].name);
            }
        } else if (!is_unchanged(layout->graph->inputs[i].kind, g->given[i], now) &&
                   !consumed) { /* a slot of another kind may be cleared with the rest */
            return DIFFERS(c, MISMATCH_ARGUMENTS, "'%s' was only lent, but its slot changed",
                           layout->graph->inputs[i].name);
        }
    }
    return MISMATCH_NONE;
}

Mismatch check_modes(Checker *c, const MockModes *before)
{
    const MockModes *now = &c->generated.modes;
    const MockModes *due = c->generated_status != 0 ? before : &c->reference.modes;
    if (now->grad != due->grad || now->view_replay != due->view_replay || now->autocast != due->autocast) {
        return DIFFERS(c, MISMATCH_MODES, "grad %d view replay %d autocast %u, due is %d %d %u", now->grad,
                       now->view_replay, (unsigned)now->autocast, due->grad, due->view_replay, (unsigned)due->autocast);
    }
    if (now->in_range) {
        return DIFFERS(c, MISMATCH_MODES, "the profiler's range was not ended");
    }
    if (c->generated.num_ranges != c->reference.num_ranges) {
        return DIFFERS(c, MISMATCH_MODES, "%u ranges, due are %u", (unsigned)c->generated.num_ranges,
                       (unsigned)c->reference.num_ranges);
    }
    if (c->generated.scratch_used != 0) {
        return DIFFERS(c, MISMATCH_MODES, "scratch was not given back");
    }
    return MISMATCH_NONE;
}

/* Objects that count, in the order of their creation. */
static const MockObject *next_object(const WgContext *ctx, size_t *at)
{
    while (*at < ctx->num_objects && ctx->objects[*at]->unnumbered) {
        (*at)++;
    }
    return *at < ctx->num_objects ? ctx->objects[(*at)++] : NULL;
}

/* By id: live handles of the object and of the views of it that count as the same. */
static const uint32_t *count_references(WgContext *ctx)
{
    uint32_t *handles = ARENA_ARRAY(&ctx->arena, uint32_t, (size_t)ctx->last_id + 1);
    for (size_t i = 0; i < ctx->num_objects; i++) {
        handles[ctx->objects[i]->id] += ctx->objects[i]->handles;
    }
    return handles;
}

Mismatch check_objects(Checker *c)
{
    const uint32_t *all_held = count_references(&c->generated);
    const uint32_t *all_due = count_references(&c->reference);
    size_t i = 0;
    size_t k = 0;
    for (;;) {
        const MockObject *x = next_object(&c->generated, &i);
        const MockObject *y = next_object(&c->reference, &k);
        if (x == NULL && y == NULL) {
            return MISMATCH_NONE;
        }
        if (x == NULL || y == NULL) {
            return DIFFERS(c, MISMATCH_STATE, "%zu objects, due are %zu", c->generated.num_objects,
                           c->reference.num_objects);
        }
        const uint32_t held = all_held[x->id];
        const uint32_t due = all_due[y->id];
        if (held != due) {
            return DIFFERS(c, MISMATCH_LEAK, "t%u has %u references, due are %u", (unsigned)x->id, (unsigned)held,
                           (unsigned)due);
        }
        if (x->handles > 0 && y->handles > 0 && !same_object(x, y)) {
            return DIFFERS(c, MISMATCH_STATE, "t%u: offset %" PRId64 " version %" PRId64 " grad %d view %d storage %u",
                           (unsigned)x->id, x->geometry.offset, x->version->count, x->requires_grad, x->is_view,
                           (unsigned)x->storage->id);
        }
    }
}

/* ---- afterwards ---- */

/* The caller gives back what it has; then nothing is held any more. */
static Mismatch settle(Checker *c, const Layout *layout, Side *side, const Entry *entry, const Scenario *scenario)
{
    WgContext *ctx = side->ctx;
    const bool good = (entry != NULL ? c->generated_status : c->error.code) == 0;
    if (good && entry != NULL) {
        entry->release(ctx, side->outs, side->saved);
    }
    for (uint32_t i = 0; i < side->num_outs && good; i++) {
        if (layout->graph->outputs[i].kind == SPEC_TENSOR && side->outs[i].tensor != NULL) {
            if (entry != NULL) {
                return DIFFERS(c, MISMATCH_LEAK, "%s_outputs_release left '%s'", layout->graph->name,
                               layout->graph->outputs[i].name);
            }
            mock_drop(ctx, side->outs[i].tensor);
        }
    }
    for (uint32_t i = 0; i < side->num_saved; i++) {
        if (layout_saved_kind(layout, i) == SPEC_TENSOR) {
            mock_drop(ctx, side->saved[i].tensor);
        }
    }
    const bool kept = !spec_is(layout->graph->consume_inputs);
    for (uint32_t i = 0; i < side->prepared->num_args; i++) {
        const bool beyond = scenario->fault == FAULT_NO_ARGS ||
                            (scenario->fault == FAULT_FEWER_ARGS && i + 1 == side->prepared->num_args);
        if (layout->graph->inputs[i].kind == SPEC_TENSOR && (kept || beyond)) {
            mock_drop(ctx, side->given[i].tensor);
        }
    }
    for (size_t i = 0; i < ctx->num_objects; i++) {
        if (ctx->objects[i]->handles != 0) {
            return DIFFERS(c, entry != NULL ? MISMATCH_LEAK : MISMATCH_REFERENCE, "t%u is still referenced at the end",
                           (unsigned)ctx->objects[i]->id);
        }
    }
    if (ctx->violation != NULL) {
        return DIFFERS(c, entry != NULL ? MISMATCH_VIOLATION : MISMATCH_REFERENCE, "%s", ctx->violation);
    }
    return MISMATCH_NONE;
}

/* A retain or a read that failed has no fixed place among the effects: the call must fail with the host's code, having
 * done nothing but what the good call does first. */
static Mismatch compare_host_failure(Checker *c, const Scenario *scenario)
{
    const bool read = scenario->fail_read_at != 0;
    const WgError *error = wg_error(&c->generated);
    const int64_t code = read ? MOCK_INJECTED_READ : MOCK_INJECTED_RETAIN;
    if (c->generated_status != WG_E_HOST || error->found.integer != code) {
        return DIFFERS(c, MISMATCH_STATUS, "a %s failed, but the status is %s, found %" PRId64,
                       read ? "read" : "retain", wg_status_name(c->generated_status), error->found.integer);
    }
    return compare_traces(c, true);
}

/* Where scratch is taken is the wrapper's matter: nothing but what the good call does first was done. */
static Mismatch compare_lack(Checker *c)
{
    const WgError *error = wg_error(&c->generated);
    if (error->site == NULL || error->site->code != WG_E_SCRATCH || error->status != WG_E_SCRATCH) {
        return DIFFERS(c, MISMATCH_ERROR, "scratch was too small, and the error does not say so");
    }
    return compare_traces(c, true);
}

static bool host_failed(const Checker *c, const Scenario *scenario)
{
    const WgContext *ctx = &c->generated;
    if (scenario->fail_retain_at != 0) {
        return ctx->num_retains >= scenario->fail_retain_at;
    }
    return scenario->fail_read_at != 0 && ctx->num_reads >= scenario->fail_read_at;
}

Mismatch check_outcome(Checker *c, const Scenario *scenario, bool *excused)
{
    if (c->generated.violation != NULL) {
        return DIFFERS(c, MISMATCH_VIOLATION, "%s", c->generated.violation);
    }
    if (c->reference.violation != NULL) {
        return DIFFERS(c, MISMATCH_REFERENCE, "%s", c->reference.violation);
    }
    const bool noticed =
        c->generated_status == WG_E_HOST && wg_error(&c->generated)->found.integer == MOCK_INJECTED_READ;
    *excused = host_failed(c, scenario) && (scenario->fail_retain_at != 0 || c->error.code == 0 || noticed);
    const Mismatch named = check_graph(c);
    if (named != MISMATCH_NONE) {
        return named;
    }
    const WgSite *site = wg_error(&c->generated)->site;
    if (c->error.strict_view && c->generated_status == WG_E_VALUE && site != NULL &&
        check_same_text(site->rule, "view")) { /* perhaps before the host was asked whether it failed */
        *excused = true;
        return compare_traces(c, true);
    }
    if (*excused) {
        return compare_host_failure(c, scenario);
    }
    if (scenario->less_scratch > 0 && c->generated_status == WG_E_SCRATCH) {
        *excused = true;
        return compare_lack(c);
    }
    const Mismatch mismatch = check_error(c);
    return mismatch != MISMATCH_NONE ? mismatch : compare_traces(c, false);
}

static Mismatch compare(Checker *c, const Layout *layout, const Side *g, const Side *r, const Scenario *scenario)
{
    bool excused = false;
    Mismatch mismatch = check_outcome(c, scenario, &excused);
    mismatch = mismatch != MISMATCH_NONE ? mismatch : compare_results(c, layout, g, r, scenario->fault);
    if (mismatch == MISMATCH_NONE && c->generated_status == 0) {
        mismatch = check_own(c, layout, g);
    }
    mismatch = mismatch != MISMATCH_NONE ? mismatch : compare_arguments(c, layout, g, scenario);
    mismatch = mismatch != MISMATCH_NONE ? mismatch : check_modes(c, &g->prepared->modes);
    if (!excused && mismatch == MISMATCH_NONE) {
        mismatch = check_objects(c);
        mismatch = mismatch != MISMATCH_NONE ? mismatch : check_notes(c, layout, g, r);
    }
    return mismatch;
}

/* What a scenario asks of the forward when what is wrong is wrong in the backward. */
static Scenario forward_of(const Scenario *scenario)
{
    Scenario forward = *scenario;
    if (scenario->backward) {
        forward.fault = FAULT_NONE;
        forward.fail_effect_at = 0;
        forward.fail_retain_at = 0;
        forward.fail_read_at = 0;
    }
    return forward;
}

Mismatch check_call(Checker *c, const Layout *layout, const Entry *entry, const Scenario *scenario)
{
    Scenario plain = *scenario; /* the reference retains in other places: there it does not fail */
    plain.fail_retain_at = 0;
    plain.fail_read_at = 0;
    const Scenario forward = forward_of(scenario);
    c->calls++;
    c->graph = layout->graph->name;
    c->kernel = layout->graph->kernel;
    c->detail[0] = '\0';
    Side r = prepare(&c->reference, layout, &plain);
    Side g = prepare(&c->generated, layout, scenario);
    call_reference(&r, layout, &forward, &c->error);
    c->generated_status = call_generated(&g, entry, &forward);
    Mismatch mismatch = compare(c, layout, &g, &r, &forward);
    if (mismatch == MISMATCH_NONE && c->generated_status == 0 && scenario->backward_calls > 0) {
        mismatch = check_backward(c, layout, entry, scenario, &g, &r);
        c->generated_status = 0; /* of the forward: its outputs are there to be released */
        c->error.code = 0;
    }
    if (mismatch != MISMATCH_NONE) {
        return mismatch;
    }
    const Mismatch settled = settle(c, layout, &g, entry, &forward);
    return settled != MISMATCH_NONE ? settled : settle(c, layout, &r, NULL, &forward);
}
