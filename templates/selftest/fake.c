/* SPDX-License-Identifier: MIT */
/*
 * fake - the compiled function of every random graph, forward and backward: it notes what it is given, does what the
 * scenario wants to go wrong, and hands over what fake_results.c makes.
 */
#include <inttypes.h>
#include <string.h>

#include "fake_private.h"

/* ---- what all of it is made with ---- */

bool fake_chance(Fake *f, uint32_t percent)
{
    return random_chance(&f->random, percent);
}

WgTensor *fake_fresh(Fake *f, const ViewGeometry *geometry, bool requires_grad)
{
    const int64_t slack = fake_chance(f, 70) ? 8 * (int64_t)random_below(&f->random, 48) + f->prepared->reach : 0;
    WgTensor *t = mock_tensor(f->ctx, geometry, 0, mock_bytes_needed(geometry) + slack);
    t->object->requires_grad = requires_grad;
    return t;
}

/* ---- the call ---- */

/* Notes where a generator is, and moves it on: the next call finds it elsewhere. *bits: which one it is. */
static bool draw_numbers(Fake *f, uint32_t k, int64_t *bits)
{
    MockGenerator *generator = mock_generator(f->ctx, f->args[k].pointer, "the compiled call");
    if (generator == NULL) {
        return false;
    }
    *bits = generator->id;
    mock_number(f->ctx, generator->drawn);
    generator->drawn += 1 + random_below(&f->random, 5);
    return true;
}

/* Notes what arrived; false when it is not what the layout says. */
static bool note_call(Fake *f, size_t num_args, size_t capacity)
{
    WgContext *ctx = f->ctx;
    mock_event(ctx, MOCK_compiled, NULL, NULL);
    mock_number(ctx, (int64_t)num_args);
    mock_number(ctx, f->prepared->backward);
    mock_number(ctx, ctx->num_ranges);
    mock_number(ctx, ctx->range_modes);
    if (num_args != f->call->num_arguments || capacity < f->call->num_flat) {
        mock_violation(ctx, "compiled function called with %zu arguments (due: %u), room for %zu results (due: %u)",
                       num_args, (unsigned)f->call->num_arguments, capacity, (unsigned)f->call->num_flat);
        return false;
    }
    for (uint32_t k = 0; k < f->call->num_arguments; k++) {
        const LayoutArgument *argument = &f->call->arguments[k];
        int64_t bits = f->args[k].integer;
        const bool part = argument->source == LAYOUT_PART || argument->source == LAYOUT_TANGENT;
        if (argument->kind == SPEC_OPAQUE && part) {
            bits = f->args[k].tensor != NULL ? f->args[k].tensor->object->id : 0;
        } else if (argument->kind == SPEC_TENSOR) {
            const bool may_lack = argument->source == LAYOUT_NULL || f->prepared->backward;
            const bool due = !may_lack || f->args[k].tensor != NULL;
            if (due && !mock_alive(ctx, f->args[k].tensor, "the compiled call")) {
                return false;
            }
            bits = f->args[k].tensor != NULL ? f->args[k].tensor->object->id : 0;
        } else if (argument->source == LAYOUT_GENERATOR) {
            if (!draw_numbers(f, k, &bits)) {
                return false;
            }
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

static void drop_flat(Fake *f, uint32_t i)
{
    if (f->call->flat[i].kind == SPEC_TENSOR) {
        mock_drop(f->ctx, f->flat[i].tensor);
        f->flat[i].tensor = NULL;
    }
}

static void wrong_shape(Fake *f, uint32_t position)
{
    WgTensor *t = f->made[position].tensor;
    ViewGeometry geometry = t->object->geometry;
    if (geometry.rank > 0 && fake_chance(f, 75)) {
        geometry.sizes[f->prepared->scenario->dimension % (uint32_t)geometry.rank]++;
    } else {
        geometry.sizes[geometry.rank] = 1;
        geometry.strides[geometry.rank++] = 1;
    }
    drop_flat(f, f->call->results[position].first_flat);
    f->flat[f->call->results[position].first_flat].tensor = fake_fresh(f, &geometry, false);
}

/* No element is reached by the stride of a dimension of one element, nor by any of an empty tensor: only a view(dtype)
 * looks at those, and fails by itself. */
static bool stride_matters(const ViewGeometry *geometry, uint32_t dimension)
{
    for (int32_t d = 0; d < geometry->rank; d++) {
        if (geometry->sizes[d] == 0) {
            return false;
        }
    }
    return geometry->rank > 0 && geometry->sizes[dimension % (uint32_t)geometry->rank] != 1;
}

/* Replaces that tensor by another one that differs in one stated fact. */
static void wrong_fact(Fake *f, uint32_t position)
{
    Scenario spoil = *f->prepared->scenario;
    const WgTensor *t = f->flat[position].tensor;
    if (t == NULL) {
        return;
    }
    ViewGeometry geometry = t->object->geometry;
    const bool requires_grad = t->object->requires_grad;
    const int32_t device = t->object->device;
    spoil.defect = spoil.wrong;
    scenario_spoil_geometry(&spoil, &geometry);
    if (spoil.wrong == DEFECT_STRIDE && !stride_matters(&geometry, spoil.dimension)) {
        return;
    }
    drop_flat(f, position);
    WgTensor *wrong = fake_fresh(f, &geometry, requires_grad);
    wrong->object->plain = spoil.wrong != DEFECT_TYPE;
    wrong->object->device = spoil.wrong != DEFECT_DEVICE ? device : spoil.seed % 2 == 0 ? device ^ 256 : device + 1;
    f->flat[position].tensor = wrong;
}

/* Returns fewer, but not as many as there are without symbolic sizes, which would have another meaning. */
static size_t return_fewer(Fake *f, uint32_t n, uint32_t position)
{
    uint32_t returned = position % n;
    if (f->call->num_symints > 0 && returned == n - f->call->num_symints) {
        returned = returned > 0 ? returned - 1 : n - 1;
    }
    for (uint32_t i = returned; i < n; i++) {
        drop_flat(f, i);
    }
    return returned;
}

static size_t return_without_symints(Fake *f, WgValue *outs)
{
    size_t returned = 0;
    for (uint32_t i = 0; i < f->call->num_flat; i++) {
        if (!f->call->flat[i].symint) {
            outs[returned++] = f->flat[i];
        }
    }
    return returned;
}

/* Hands the results over, with what the scenario wants wrong about them. */
static size_t hand_over(Fake *f, Outcome outcome, WgValue *outs)
{
    const uint32_t position = f->prepared->scenario->position;
    const uint32_t n = f->call->num_flat;
    size_t returned = n;
    if (outcome == OUTCOME_WITHOUT_SYMINTS) {
        return return_without_symints(f, outs);
    }
    if (outcome == OUTCOME_NULL) {
        drop_flat(f, position);
    } else if (outcome == OUTCOME_SHAPE) {
        wrong_shape(f, position);
    } else if (outcome == OUTCOME_WRONG) {
        wrong_fact(f, position);
    } else if (outcome == OUTCOME_FEWER && n > 0) {
        returned = return_fewer(f, n, position);
    } else if (outcome == OUTCOME_MORE) {
        returned = (size_t)n + 1 + position % 3; /* the first n are there */
    }
    for (uint32_t i = 0; i < n && i < returned; i++) {
        outs[i] = f->flat[i];
    }
    return returned;
}

/* Modes are the wrapper's to restore, also when the compiled function (or a wrapper inside of it) leaves them changed.
 * In inference mode PyTorch restores grad mode only where it was on, so nothing is asked beyond that. */
static void leave_modes_changed(Fake *f)
{
    if (!fake_chance(f, 20)) {
        return;
    }
    if (f->graph->mode == SPEC_TRAINING && !f->prepared->backward) {
        f->ctx->modes.grad = true;
        f->ctx->modes.view_replay = fake_chance(f, 50);
    }
    if (spec_is(f->graph->disable_amp)) {
        f->ctx->modes.autocast = random_below(&f->random, 4);
    }
}

/* With consume_inputs the arguments are this function's to drop. */
static void consume(Fake *f)
{
    if (!spec_is(f->graph->consume_inputs) || f->graph->convention == SPEC_DIRECT || f->prepared->backward) {
        return;
    }
    for (uint32_t k = 0; k < f->call->num_arguments; k++) {
        if (f->call->arguments[k].kind == SPEC_TENSOR && fake_chance(f, 50)) {
            mock_drop(f->ctx, f->args[k].tensor);
            f->args[k].tensor = NULL;
        }
    }
}

int32_t fake_compiled(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const Prepared *prepared = ctx->user;
    const Layout *layout = prepared->layout;
    const LayoutCall *call = prepared->backward ? &layout->backward : &layout->forward;
    const bool meant = prepared->scenario->backward == prepared->backward;
    const Outcome outcome = meant ? prepared->scenario->outcome : OUTCOME_RETURNS;
    Fake f = {.ctx = ctx, .prepared = prepared, .layout = layout, .call = call, .graph = layout->graph, .args = args};
    f.random = random_from(prepared->scenario->seed, prepared->backward ? 20 + prepared->nth : 3);
    f.made = ARENA_ARRAY(&ctx->arena, WgValue, (size_t)call->num_results + 1);
    f.is_made = ARENA_ARRAY(&ctx->arena, bool, (size_t)call->num_results + 1);
    f.flat = ARENA_ARRAY(&ctx->arena, WgValue, (size_t)call->num_flat + 1);
    if (!note_call(&f, num_args, *num_outs)) {
        return FAKE_FAILED;
    }
    const int32_t status = go_wrong(ctx, outcome);
    leave_modes_changed(&f);
    if (status != 0 || outcome == OUTCOME_UNWRITTEN) {
        consume(&f);
        return status;
    }
    for (uint32_t i = 0; i < call->num_results; i++) {
        fake_make_result(&f, i);
    }
    *num_outs = hand_over(&f, outcome, outs);
    consume(&f);
    return 0;
}
