/* SPDX-License-Identifier: MIT */
/*
 * reference_backward - the backward: saved values looked at, tangents brought to what they were guessed to be, the
 * compiled backward, and the gradients (_backward_prologue, process_runtime_tangent, _backward_epilogue).
 */
#include <stddef.h>

#include "reference_private.h"

/* ctx.saved_tensors, then the deterministic mode. */
static bool check_saved(Reference *r, const BackwardCall *call)
{
    if (r->graph->saved->donated.text_count > 0 && call->saved_versions[r->layout->first_note] != 0) {
        return reference_fails(r, WG_E_SPENT, NULL);
    }
    for (uint32_t i = 0; i < r->graph->saved->num_tensors; i++) {
        const WgTensor *t = call->saved[i].tensor;
        const int64_t version = t != NULL ? t->object->version->count : -1;
        if (version != call->saved_versions[i]) {
            return reference_fails_with(r, WG_E_VERSION, NULL, (int32_t)i, call->saved_versions[i], version);
        }
    }
    if (r->graph->backward->deterministic == SPEC_FALSE && r->ctx->modes.deterministic) {
        return reference_fails_with(r, WG_E_MODE, NULL, -1, 0, 1);
    }
    return true;
}

static bool is_of_type(const Reference *r, const WgTensor *t, const SpecSubclass *tree)
{
    return !t->object->plain && t->object->type == (int32_t)(tree->declared - r->layout->spec->subclasses);
}

static bool fits(const Reference *r, const WgTensor *t, const SpecSubclass *tree)
{
    if (tree == NULL || tree->type == NULL) {
        return t->object->plain;
    }
    return is_of_type(r, t, tree) && t->object->context == (int32_t)layout_context(r->layout, tree->context);
}

/* Until the backward has ended. */
static void hold(Reference *r, WgTensor *t)
{
    if (r->num_held == r->held_capacity) {
        const uint32_t wider = r->held_capacity * 2 + 8;
        r->held = arena_grow(&r->ctx->arena, r->held, r->held_capacity * sizeof *r->held, wider * sizeof *r->held);
        r->held_capacity = wider;
    }
    r->held[r->num_held++] = t;
}

/* __coerce_same_metadata_as_tangent__, of what is not what it was traced as; what cannot stays. */
static bool turn(Reference *r, const SpecSubclass *tree, WgTensor **t, const char *name)
{
    WgTensor *turned = NULL;
    const MockTables *tables = &r->ctx->tables;
    const bool plain = tree == NULL || tree->type == NULL;
    if (*t == NULL || !tables->turns_tangents || fits(r, *t, tree)) {
        return true;
    }
    const WgType *type = plain ? NULL : tables->types[tree->declared - r->layout->spec->subclasses];
    const void *context = plain ? NULL : *tables->contexts[layout_context(r->layout, tree->context)];
    if (!reference_did(r, wg_coerce_tangent(r->ctx, *t, type, context, &turned), name)) {
        return false;
    }
    if (turned != NULL) {
        hold(r, turned);
        *t = turned;
        return true;
    }
    return plain || !is_of_type(r, *t, tree) || reference_fails(r, WG_E_TYPE, name);
}

static bool check_types(Reference *r, const BackwardCall *call)
{
    r->given = ARENA_ARRAY(&r->ctx->arena, WgTensor *, (size_t)r->layout->num_tangents + 1);
    for (uint32_t i = 0; i < r->layout->num_tangents; i++) {
        const SpecTangent *tangent = r->layout->tangents[i].spec;
        r->given[i] = call->gradients[r->layout->tangents[i].returned].tensor;
        if (!turn(r, tangent->subclass, &r->given[i], tangent->of)) {
            return false;
        }
        const WgTensor *t = r->given[i];
        if (t == NULL && tangent->kept != SPEC_FALSE && !r->layout->tangents[i].zeros) {
            return reference_fails(r, WG_E_NULL, tangent->of);
        }
        if (t != NULL && (tangent->subclass != NULL ? !is_of_type(r, t, tangent->subclass) : !t->object->plain)) {
            return reference_fails(r, WG_E_TYPE, tangent->of);
        }
    }
    return true;
}

/* ---- one tangent ---- */

static int32_t format_of(SpecMemoryFormat format)
{
    return format == SPEC_CHANNELS_LAST      ? WG_CHANNELS_LAST
           : format == SPEC_CHANNELS_LAST_3D ? WG_CHANNELS_LAST_3D
                                             : WG_CONTIGUOUS;
}

static bool give_contiguous(Reference *r, WgTensor *t, SpecMemoryFormat format, const char *name)
{
    WgTensor *dense = NULL;
    const bool good = t == NULL || reference_did(r, wg_contiguous(r->ctx, t, format_of(format), &dense), name);
    reference_give(r, wg_value_tensor(dense), true);
    return good;
}

static bool give_strided(Reference *r, WgTensor *t, const SpecInts *size, const SpecInts *stride, const char *name)
{
    int64_t sizes[VIEW_RANK] = {0};
    int64_t strides[VIEW_RANK] = {0};
    WgTensor *dense = NULL;
    for (uint32_t d = 0; d < size->text_count; d++) {
        sizes[d] = size->expr[d]->literal;
        strides[d] = stride->expr[d]->literal;
    }
    const WgGeometry geometry = {sizes, strides, 0, (int32_t)size->text_count};
    const bool good = t == NULL || reference_did(r, wg_coerce_strides(r->ctx, t, &geometry, &dense), name);
    reference_give(r, wg_value_tensor(dense), true);
    return good;
}

/* Of a tangent, or of a plain attribute of one: either says which memory format it has, or its sizes and strides. */
static bool give_dense(Reference *r, WgTensor *t, const SpecInts *size, const SpecInts *stride, SpecMemoryFormat format,
                       const char *name)
{
    return size->text == NULL ? give_contiguous(r, t, format, name) : give_strided(r, t, size, stride, name);
}

static bool has_symint(const SpecSubclass *tree, const SpecInts *outer)
{
    for (uint32_t d = 0; d < outer->text_count; d++) {
        if (layout_is_symint(tree, outer->expr[d])) {
            return true;
        }
    }
    return false;
}

/* A rank is tested where one of its sizes or strides is read. */
static bool has_outer_rank(Reference *r, const SpecSubclass *tree, const MockObject *object, const char *name)
{
    const bool read = has_symint(tree, &tree->outer_size) || has_symint(tree, &tree->outer_stride);
    const int32_t found = read && object != NULL ? object->geometry.rank : (int32_t)tree->outer_size.text_count;
    return found == (int32_t)tree->outer_size.text_count ||
           reference_fails_with(r, WG_E_RANK, name, -1, tree->outer_size.text_count, found);
}

static void give_outer(Reference *r, const SpecSubclass *tree, const SpecInts *outer, const int64_t *found)
{
    for (uint32_t d = 0; d < outer->text_count; d++) {
        if (layout_is_symint(tree, outer->expr[d])) {
            reference_give(r, found != NULL ? wg_value_integer(found[d]) : wg_value_tensor(NULL), false);
        }
    }
}

static bool give_part(Reference *r, const SpecSubclass *tree, WgTensor *t, const char *name);

static bool give_attr(Reference *r, const SpecSubclass *inner, WgTensor *t, const char *name)
{
    if (inner->opaque) {
        reference_give(r, wg_value_tensor(t), false);
        return true;
    }
    if (!turn(r, inner, &t, name)) {
        return false;
    }
    if (inner->type == NULL) {
        if (t != NULL && !t->object->plain) {
            return reference_fails(r, WG_E_TYPE, name);
        }
        return give_dense(r, t, &inner->size, &inner->stride, inner->memory_format, name);
    }
    if (t != NULL && !is_of_type(r, t, inner)) {
        return reference_fails(r, WG_E_TYPE, name);
    }
    return give_part(r, inner, t, name);
}

/* Where a tangent is missing, all that it consists of is null. */
static bool give_part(Reference *r, const SpecSubclass *tree, WgTensor *t, const char *name)
{
    WgTensor *dense = NULL;
    if (t != NULL && t->object->context != (int32_t)layout_context(r->layout, tree->context)) {
        return reference_fails(r, WG_E_TYPE, name);
    }
    if (t != NULL && !reference_did(r, wg_contiguous(r->ctx, t, format_of(tree->memory_format), &dense), name)) {
        return false;
    }
    if (dense != NULL) {
        hold(r, dense);
    }
    const MockObject *object = dense != NULL ? dense->object : NULL;
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        const SpecSubclass *inner = &tree->inner[i];
        WgTensor *attr = object != NULL ? object->attrs[inner->attr_index] : NULL;
        if (!give_attr(r, inner, attr, arena_printf(&r->ctx->arena, "%s.%s", name, inner->attr))) {
            return false;
        }
    }
    if (!has_outer_rank(r, tree, object, name)) {
        return false;
    }
    give_outer(r, tree, &tree->outer_size, object != NULL ? object->geometry.sizes : NULL);
    give_outer(r, tree, &tree->outer_stride, object != NULL ? object->geometry.strides : NULL);
    return true;
}

/* In the place of a gradient that is not there. */
static bool make_zeros(Reference *r, const BackwardCall *call, const LayoutTangent *tangent, WgTensor **zeros)
{
    int64_t sizes[VIEW_RANK] = {0};
    const int64_t *note = call->saved_versions + r->layout->first_note + tangent->first_note;
    const int64_t dtype = tangent->dtype < 0 ? *note++ : tangent->dtype;
    const int64_t device = tangent->device < 0 ? *note++ : tangent->device;
    for (uint32_t d = 0; d < tangent->size->text_count; d++) {
        const Expr *size = tangent->size->expr[d];
        sizes[d] = size->kind == EXPR_LITERAL ? size->literal : *note++;
    }
    return reference_did(
        r, wg_zeros(r->ctx, sizes, (int32_t)tangent->size->text_count, (int32_t)dtype, (int32_t)device, zeros),
        tangent->spec->of);
}

static bool give_tangents(Reference *r, const BackwardCall *call)
{
    for (uint32_t i = 0; i < r->layout->num_tangents; i++) {
        const SpecTangent *tangent = r->layout->tangents[i].spec;
        WgTensor *t = r->given[i];
        WgTensor *zeros = NULL;
        if (t == NULL && r->layout->tangents[i].zeros) {
            if (!make_zeros(r, call, &r->layout->tangents[i], &zeros)) {
                return false;
            }
            t = zeros;
        }
        const bool good = tangent->subclass != NULL
                              ? give_part(r, tangent->subclass, t, tangent->of)
                              : give_dense(r, t, &tangent->size, &tangent->stride, tangent->memory_format, tangent->of);
        mock_drop(r->ctx, zeros);
        if (!good) {
            return false;
        }
    }
    return true;
}

/* ---- the whole ---- */

static bool give_arguments(Reference *r, const BackwardCall *call)
{
    const SpecSaved *saved = r->graph->saved;
    const uint32_t tensors = saved->num_tensors + saved->num_no_version_check;
    const uint32_t opaque = tensors + saved->num_opaque;
    for (uint32_t i = 0; i < saved->num_symints; i++) {
        reference_give(r, call->saved[opaque + i], false);
    }
    for (uint32_t i = 0; i < opaque; i++) {
        reference_give(r, call->saved[i], false);
    }
    if (!give_tangents(r, call)) {
        return false;
    }
    for (uint32_t i = 0; i < r->graph->backward->num_tokens; i++) {
        reference_give(r, wg_value_tensor(NULL), false);
    }
    const SpecNames *mutated = &r->graph->backward->mutated_in_backward;
    if (mutated->text_count > 0 && r->ctx->modes.grad) { /* create_graph */
        return reference_fails_with(r, WG_E_MODE, mutated->text[0], -1, 0, 1);
    }
    return reference_give_rng(r, call->saved + r->layout->first_note - r->layout->num_states);
}

static bool deliver(Reference *r, const BackwardCall *call)
{
    for (uint32_t i = 0; i < r->layout->num_gradients; i++) {
        const uint32_t position = r->layout->gradients[i];
        if (r->graph->check >= SPEC_CHECK_CHEAP &&
            !reference_has_result(r, position, r->inside->results[position].name)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < r->layout->num_gradients; i++) {
        const uint32_t position = r->layout->gradients[i];
        call->outs[i] = r->results[position];
        r->results[position].tensor = NULL;
    }
    return true;
}

/* One after the other: what is stated, and put together. */
static bool check_gradients(Reference *r)
{
    const uint32_t num = r->layout->num_inner;
    bool good = true;
    for (uint32_t i = 0; i < num; i++) { /* a value that is not a subclass needs no more */
        good = good && (r->inside->results[i].tree != NULL || reference_wrap(r, i, i + 1));
    }
    for (uint32_t i = 0; i < num && good; i++) {
        good =
            r->inside->results[i].tree == NULL || (reference_check_results(r, i, i + 1) && reference_wrap(r, i, i + 1));
    }
    return good;
}

static bool run(Reference *r, const BackwardCall *call, CompiledFunction *compiled)
{
    if (!check_saved(r, call) || !check_types(r, call) || !give_arguments(r, call)) {
        return false;
    }
    if (r->graph->saved->donated.text_count > 0) { /* from here on the buffers may be written to */
        call->saved_versions[r->layout->first_note] = 1;
    }
    if (!reference_call_compiled(r, compiled, false)) {
        return false;
    }
    uint32_t gradients = r->layout->num_inner;
    /* tokens and offset come off before subclasses are put together */
    return reference_wrap(r, gradients, r->inside->num_results) && reference_set_generator(r) && check_gradients(r) &&
           deliver(r, call);
}

int32_t reference_backward(WgContext *ctx, const Layout *layout, const BackwardCall *call, CompiledFunction *compiled,
                           ReferenceError *error)
{
    Reference r;
    reference_begin(&r, ctx, layout, &layout->backward, error);
    for (uint32_t i = 0; i < layout->num_gradients; i++) {
        call->outs[i].tensor = NULL;
    }
    run(&r, call, compiled);
    for (uint32_t i = 0; i < r.num_held; i++) {
        mock_drop(ctx, r.held[i]);
    }
    reference_drop_arguments(&r);
    reference_drop_results(&r);
    return error->code;
}
