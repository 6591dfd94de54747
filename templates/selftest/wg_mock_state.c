/* SPDX-License-Identifier: MIT */
/*
 * wg_mock_state.c - the verbs of the mock host for what is not a tensor: modes, ranges for profilers, versions, random
 * numbers and their generators.
 */
#include "mock.h"

#include <string.h>

/* ---- state ---- */

int wg_grad_mode(WgContext *ctx)
{
    return ctx->modes.grad;
}

void wg_set_grad_mode(WgContext *ctx, int enabled)
{
    ctx->modes.grad = enabled != 0;
    mock_event(ctx, MOCK_set_grad_mode, NULL, NULL);
}

int wg_view_replay(WgContext *ctx)
{
    return ctx->modes.view_replay;
}

void wg_set_view_replay(WgContext *ctx, int enabled)
{
    ctx->modes.view_replay = enabled != 0;
    mock_event(ctx, MOCK_set_view_replay, NULL, NULL);
}

uint32_t wg_autocast_off(WgContext *ctx)
{
    const uint32_t saved = ctx->modes.autocast;
    ctx->modes.autocast = 0;
    mock_event(ctx, MOCK_autocast_off, NULL, NULL);
    return saved;
}

void wg_autocast_restore(WgContext *ctx, uint32_t saved)
{
    ctx->modes.autocast = saved;
    mock_event(ctx, MOCK_autocast_restore, NULL, NULL);
}

/* At the entry: nothing was looked at or done before. */
void wg_range_begin(WgContext *ctx, const char *name)
{
    static const char due[] = "AOTDispatcher Runtime Wrapper Prologue";
    if (ctx->modes.in_range || name == NULL || strcmp(name, due) != 0 ||
        ctx->num_reads + ctx->num_effects + ctx->num_retains != 0) {
        mock_violation(ctx, "a range named '%s' begins late, or in another one", name != NULL ? name : "(null)");
    }
    ctx->modes.in_range = true;
    ctx->num_ranges++;
    mock_event(ctx, MOCK_range_begin, NULL, NULL);
}

void wg_range_end(WgContext *ctx)
{
    if (!ctx->modes.in_range) {
        mock_violation(ctx, "a range ends that did not begin");
    }
    ctx->modes.in_range = false;
    ctx->range_modes = ctx->modes.grad + 2 * ctx->modes.view_replay + 4 * (int64_t)ctx->modes.autocast;
    mock_event(ctx, MOCK_range_end, NULL, NULL);
}

int wg_deterministic(WgContext *ctx)
{
    return ctx->modes.deterministic;
}

uint64_t wg_cpu(WgContext *ctx)
{
    return ctx->cpu;
}

int32_t wg_bump_version(WgContext *ctx, WgTensor *t)
{
    const int32_t status = mock_attempt(ctx);
    if (!mock_alive(ctx, t, "bump_version")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    t->object->version->count += status == 0;
    mock_event(ctx, MOCK_bump_version, t, NULL)->status = status;
    return status;
}

int32_t wg_mark_dynamic(WgContext *ctx, WgTensor *t, const int32_t *dimensions, size_t num_dimensions)
{
    const int32_t status = mock_attempt(ctx);
    if (!mock_alive(ctx, t, "mark_dynamic")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    mock_event(ctx, MOCK_mark_dynamic, t, NULL)->status = status;
    for (size_t i = 0; i < num_dimensions; i++) {
        mock_number(ctx, dimensions[i]);
    }
    return status;
}

int32_t wg_rng_get(WgContext *ctx, WgTensor **seed, WgTensor **offset)
{
    ViewGeometry scalar;
    const int32_t status = mock_attempt(ctx);
    memset(&scalar, 0, sizeof scalar);
    scalar.dtype = WG_INT64;
    *seed = status == 0 ? mock_tensor(ctx, &scalar, 0, 8) : NULL;
    *offset = status == 0 ? mock_tensor(ctx, &scalar, 0, 8) : NULL;
    mock_event(ctx, MOCK_rng_get, *seed, *offset)->status = status;
    return status;
}

int32_t wg_rng_set(WgContext *ctx, const WgTensor *offset)
{
    const int32_t status = mock_attempt(ctx);
    if (!mock_alive(ctx, offset, "rng_set")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    mock_event(ctx, MOCK_rng_set, offset, NULL)->status = status;
    return status;
}

/* ---- generators ---- */

MockGenerator *mock_generator(WgContext *ctx, const void *generator, const char *verb)
{
    for (MockGenerator *known = ctx->generators; known != NULL; known = known->next) {
        if (known == generator) {
            return known;
        }
    }
    mock_violation(ctx, "%s of what is not a generator", verb);
    return NULL;
}

static MockGenerator *find_generator(WgContext *ctx, const void *owner, int32_t index, int32_t device)
{
    enum { APART = 1000 };
    const MockGenerator *last = ctx->generators;
    MockGenerator *made = ARENA_NEW(&ctx->arena, MockGenerator);
    uint32_t num_owners = 0;
    *made = (MockGenerator){.owner = owner, .index = index, .device = device, .next = ctx->generators};
    for (MockGenerator *known = ctx->generators; known != NULL; known = known->next) {
        if (known->owner == owner && known->index == index && known->device == device) {
            return known;
        }
        made->owner_number = known->owner == owner ? known->owner_number : made->owner_number;
        num_owners = known->owner_number > num_owners ? known->owner_number : num_owners;
    }
    made->owner_number = made->owner_number != 0 ? made->owner_number : num_owners + 1;
    made->id = last != NULL ? last->id + 1 : 1;
    made->drawn = APART * (int64_t)made->id;
    ctx->generators = made;
    return made;
}

int32_t wg_generator_get(WgContext *ctx, const void *owner, int32_t index, int32_t device, void **generator)
{
    const int32_t status = mock_attempt(ctx);
    MockGenerator *found = status == 0 ? find_generator(ctx, owner, index, device) : NULL;
    *generator = found;
    mock_event(ctx, MOCK_generator_get, NULL, NULL)->status = status;
    if (found != NULL) {
        mock_number(ctx, found->owner_number);
    }
    mock_number(ctx, index);
    mock_number(ctx, device);
    return status;
}

int32_t wg_generator_state(WgContext *ctx, const void *generator, WgTensor **state)
{
    ViewGeometry scalar;
    const int32_t status = mock_attempt(ctx);
    const MockGenerator *from = mock_generator(ctx, generator, "generator_state");
    memset(&scalar, 0, sizeof scalar);
    scalar.dtype = WG_INT64;
    *state = status == 0 && from != NULL ? mock_tensor(ctx, &scalar, 0, 8) : NULL;
    mock_event(ctx, MOCK_generator_state, *state, NULL)->status = status;
    if (*state != NULL) {
        (*state)->object->drawn = from->drawn;
        mock_number(ctx, from->id);
        mock_number(ctx, from->drawn);
    }
    return status;
}

int32_t wg_generator_restore(WgContext *ctx, void *generator, const WgTensor *state)
{
    int32_t status = mock_attempt(ctx);
    MockGenerator *to = mock_generator(ctx, generator, "generator_restore");
    if (to == NULL || (state != NULL && !mock_alive(ctx, state, "generator_restore"))) {
        return MOCK_REFUSED_GEOMETRY;
    }
    status = status != 0 ? status : state == NULL ? MOCK_REFUSED_GEOMETRY : 0;
    mock_event(ctx, MOCK_generator_restore, state, NULL)->status = status;
    mock_number(ctx, to->id);
    if (status == 0) {
        to->drawn = state->object->drawn;
        mock_number(ctx, to->drawn);
    }
    return status;
}
