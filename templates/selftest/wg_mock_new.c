/* SPDX-License-Identifier: MIT */
/*
 * wg_mock_new.c - the verbs of the mock host that make tensors, switch modes and count references.
 */
#include "mock.h"

#include <string.h>

/* ---- new tensors ---- */

/* One more object over base's storage, with that geometry; null geometry: the operation does not apply. */
static int32_t make_view(WgContext *ctx, MockVerb verb, const WgTensor *base, const ViewGeometry *geometry,
                         int requires_grad, bool is_view, WgTensor **out)
{
    int32_t status = mock_attempt(ctx);
    *out = NULL;
    if (status == 0 && geometry == NULL) {
        status = MOCK_REFUSED_GEOMETRY;
    }
    if (status == 0 && !mock_fits(geometry, base->object->storage)) {
        status = MOCK_REFUSED_BOUNDS;
    }
    if (status == 0) {
        *out = mock_alias(ctx, base, geometry);
        (*out)->object->requires_grad = requires_grad != 0;
        (*out)->object->is_view = is_view;
    }
    mock_event(ctx, verb, *out, base)->status = status;
    if (*out != NULL) {
        mock_note_tensor(ctx, *out);
    }
    return status;
}

/* `patch` of gen_alias_from_base detaches where the base requires grad and the result must not. */
static bool stays_view(const WgTensor *base, int requires_grad)
{
    return !(base->object->requires_grad && !requires_grad);
}

int32_t wg_alias_like(WgContext *ctx, WgTensor *base, const WgTensor *target, int requires_grad, WgTensor **out)
{
    *out = NULL;
    if (!mock_alive(ctx, base, "alias_like") || !mock_alive(ctx, target, "alias_like")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    return make_view(ctx, MOCK_alias_like, base, &target->object->geometry, requires_grad,
                     stays_view(base, requires_grad), out);
}

static bool literal_geometry(const WgGeometry *given, int32_t dtype, ViewGeometry *geometry)
{
    memset(geometry, 0, sizeof *geometry);
    if (given->rank < 0 || given->rank > VIEW_RANK || given->offset < 0) {
        return false;
    }
    geometry->rank = given->rank;
    geometry->offset = given->offset;
    geometry->dtype = dtype;
    for (int32_t i = 0; i < given->rank; i++) {
        geometry->sizes[i] = given->sizes[i];
        geometry->strides[i] = given->strides[i];
        if (given->sizes[i] < 0 || given->strides[i] < 0) {
            return false;
        }
    }
    return true;
}

int32_t wg_alias_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad,
                    WgTensor **out)
{
    ViewGeometry wanted;
    *out = NULL;
    if (!mock_alive(ctx, base, "alias_as")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    const bool valid = literal_geometry(geometry, dtype, &wanted);
    return make_view(ctx, MOCK_alias_as, base, valid ? &wanted : NULL, requires_grad, stays_view(base, requires_grad),
                     out);
}

int32_t wg_as_strided(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, WgTensor **out)
{
    ViewGeometry wanted;
    *out = NULL;
    if (!mock_alive(ctx, base, "as_strided")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    const MockObject *object = base->object;
    const bool valid = literal_geometry(geometry, object->geometry.dtype, &wanted);
    if (valid && view_same_geometry(&wanted, &object->geometry)) {
        *out = mock_unnumbered_alias(ctx, base);
        (*out)->object->requires_grad = object->requires_grad && ctx->modes.grad;
        return 0;
    }
    return make_view(ctx, MOCK_as_strided, base, valid ? &wanted : NULL, object->requires_grad && ctx->modes.grad, true,
                     out);
}

/* One of the operations that views.c knows, as a verb. */
static int32_t apply_step(WgContext *ctx, MockVerb verb, SpecViewOp op, WgTensor *base, int32_t dtype, WgTensor **out)
{
    ViewCall call = view_call(op);
    *out = NULL;
    if (!mock_alive(ctx, base, mock_verb_names[verb])) {
        return MOCK_REFUSED_GEOMETRY;
    }
    const MockObject *object = base->object;
    ViewGeometry geometry = object->geometry;
    call.dtype = dtype;
    const bool valid = view_apply(&call, &geometry) == NULL;
    return make_view(ctx, verb, base, valid ? &geometry : NULL, object->requires_grad && ctx->modes.grad, true, out);
}

int32_t wg_view_dtype(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out)
{
    return apply_step(ctx, MOCK_view_dtype, SPEC_VIEW_VIEW_DTYPE, base, dtype, out);
}

int32_t wg_view_as_real(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return apply_step(ctx, MOCK_view_as_real, SPEC_VIEW_VIEW_AS_REAL, base, -1, out);
}

int32_t wg_view_as_complex(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return apply_step(ctx, MOCK_view_as_complex, SPEC_VIEW_VIEW_AS_COMPLEX, base, -1, out);
}

int32_t wg_detach(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    *out = NULL;
    if (!mock_alive(ctx, t, "detach")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    return make_view(ctx, MOCK_detach, t, &t->object->geometry, 0, false, out);
}

int32_t wg_unsafe_view(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    *out = NULL;
    if (!mock_alive(ctx, t, "unsafe_view")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    return make_view(ctx, MOCK_unsafe_view, t, &t->object->geometry, t->object->requires_grad, false, out);
}

/* Detaching gives another object, and the old one back; requires_grad_() works on the one there is. */
int32_t wg_patch_requires_grad(WgContext *ctx, const WgTensor *base, WgTensor **view, int requires_grad)
{
    const int32_t status = mock_attempt(ctx);
    if (!mock_alive(ctx, base, "patch_requires_grad") || !mock_alive(ctx, *view, "patch_requires_grad")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    if (status == 0 && !stays_view(base, requires_grad)) {
        WgTensor *detached = mock_alias(ctx, *view, &(*view)->object->geometry);
        detached->object->requires_grad = false;
        detached->object->is_view = false;
        mock_drop(ctx, *view);
        *view = detached;
    } else if (status == 0 && !base->object->requires_grad && requires_grad) {
        (*view)->object->requires_grad = true;
    }
    mock_event(ctx, MOCK_patch_requires_grad, *view, base)->status = status;
    mock_note_tensor(ctx, *view);
    return status;
}

int32_t wg_set_requires_grad(WgContext *ctx, WgTensor *t, int requires_grad)
{
    const int32_t status = mock_attempt(ctx);
    if (!mock_alive(ctx, t, "set_requires_grad")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    if (status == 0) {
        t->object->requires_grad = requires_grad != 0;
    }
    mock_event(ctx, MOCK_set_requires_grad, t, NULL)->status = status;
    mock_number(ctx, requires_grad != 0);
    return status;
}

static int32_t make_tensor(WgContext *ctx, MockVerb verb, const ViewGeometry *geometry, int32_t device, WgTensor **out)
{
    const int32_t status = mock_attempt(ctx);
    *out = status == 0 ? mock_tensor(ctx, geometry, device, mock_bytes_needed(geometry)) : NULL;
    mock_event(ctx, verb, *out, NULL)->status = status;
    return status;
}

int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out)
{
    ViewGeometry wanted;
    if (!literal_geometry(geometry, dtype, &wanted)) {
        *out = NULL;
        return MOCK_REFUSED_GEOMETRY;
    }
    return make_tensor(ctx, MOCK_empty_strided, &wanted, device, out);
}

int32_t wg_zeros(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out)
{
    ViewGeometry wanted;
    const WgGeometry given = {sizes, sizes, 0, rank};
    *out = NULL;
    if (!literal_geometry(&given, dtype, &wanted)) {
        return MOCK_REFUSED_GEOMETRY;
    }
    view_make_contiguous(&wanted);
    const int32_t status = make_tensor(ctx, MOCK_zeros, &wanted, device, out);
    mock_number(ctx, device);
    if (*out != NULL) {
        mock_note_tensor(ctx, *out);
    }
    return status;
}

/* A new one, with the attributes that t has if it is a subclass. */
static WgTensor *with_geometry(WgContext *ctx, const WgTensor *t, const ViewGeometry *geometry)
{
    const MockObject *of = t->object;
    WgTensor **attrs = ARENA_ARRAY(&ctx->arena, WgTensor *, (size_t)of->num_attrs + 1);
    if (of->plain) {
        return mock_tensor(ctx, geometry, of->device, mock_bytes_needed(geometry));
    }
    for (uint32_t i = 0; i < of->num_attrs; i++) {
        const bool counted = of->attrs[i] != NULL && !of->attrs[i]->object->opaque;
        attrs[i] = counted ? mock_again(ctx, of->attrs[i]) : of->attrs[i];
    }
    WgTensor *made = mock_subclass(ctx, geometry, of->type, of->context, attrs, of->num_attrs);
    made->object->device = of->device;
    return made;
}

/* The tensor itself when it has that geometry already, else one of its own storage; null: refused. */
static int32_t bring_into(WgContext *ctx, MockVerb verb, WgTensor *t, const ViewGeometry *geometry, WgTensor **out)
{
    int32_t status = mock_attempt(ctx);
    const ViewGeometry *now = &t->object->geometry;
    const bool same = geometry != NULL && view_same_shape(now, geometry) &&
                      memcmp(now->strides, geometry->strides, (size_t)now->rank * sizeof now->strides[0]) == 0;
    *out = NULL;
    if (status == 0 && (geometry == NULL || !mock_broadcasts(now, geometry))) {
        status = MOCK_REFUSED_GEOMETRY;
    }
    if (status == 0 && same) {
        *out = mock_again(ctx, t);
    } else if (status == 0) {
        ViewGeometry own = *geometry;
        own.offset = 0;
        *out = with_geometry(ctx, t, &own);
        (*out)->object->requires_grad = t->object->requires_grad;
    }
    mock_event(ctx, verb, *out, t)->status = status;
    if (*out != NULL) {
        mock_note_tensor(ctx, *out);
    }
    return status;
}

int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out)
{
    *out = NULL;
    if (!mock_alive(ctx, t, "contiguous")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    ViewGeometry geometry = t->object->geometry;
    const bool possible =
        memory_format == WG_CONTIGUOUS || geometry.rank == (memory_format == WG_CHANNELS_LAST ? 4 : 5);
    if (memory_format == WG_CONTIGUOUS) {
        view_make_contiguous(&geometry);
    } else if (possible) { /* sizes N C D H W in the order N D H W C */
        int64_t stride = geometry.sizes[1];
        geometry.strides[1] = 1;
        for (int32_t d = geometry.rank - 1; d > 1; d--) {
            geometry.strides[d] = stride;
            stride *= geometry.sizes[d];
        }
        geometry.strides[0] = stride;
    }
    return bring_into(ctx, MOCK_contiguous, t, possible ? &geometry : NULL, out);
}

int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out)
{
    ViewGeometry wanted;
    *out = NULL;
    if (!mock_alive(ctx, t, "coerce_strides") || !literal_geometry(geometry, t->object->geometry.dtype, &wanted)) {
        return MOCK_REFUSED_GEOMETRY;
    }
    return bring_into(ctx, MOCK_coerce_strides, t, &wanted, out);
}

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

/* ---- lifetime ---- */

int32_t wg_retain(WgContext *ctx, WgTensor *t, WgTensor **owned)
{
    ctx->num_retains++;
    *owned = NULL;
    if (!mock_alive(ctx, t, "retain")) {
        return MOCK_REFUSED_GEOMETRY;
    }
    const int32_t status = ctx->num_retains == ctx->fail_retain_at ? MOCK_INJECTED_RETAIN : 0;
    if (status == 0) {
        *owned = mock_again(ctx, t);
    }
    mock_event(ctx, MOCK_retain, t, NULL)->status = status;
    return status;
}

void wg_release(WgContext *ctx, WgTensor *t)
{
    if (t != NULL) {
        mock_event(ctx, MOCK_release, t, NULL);
    }
    mock_drop(ctx, t);
}

void wg_release_run(WgContext *ctx, WgValue *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        wg_release(ctx, values[i].tensor);
        values[i].tensor = NULL;
    }
}

WgValue *wg_scratch_take(WgContext *ctx, size_t n)
{
    if (n > ctx->scratch_size - ctx->scratch_used) {
        return NULL;
    }
    ctx->scratch_used += n;
    return ctx->scratch + ctx->scratch_used - n;
}

void wg_scratch_give(WgContext *ctx, size_t n)
{
    if (n > ctx->scratch_used) {
        mock_violation(ctx, "more scratch given back than was taken");
        return;
    }
    ctx->scratch_used -= n;
}
