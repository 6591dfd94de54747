/* SPDX-License-Identifier: MIT */
/*
 * reference_outputs - how each output comes to be: passed through, the caller's own tensor, or a view made again from
 * its base (_alias_fn and gen_alias_from_base), operation by operation on the geometry that the base has at that
 * moment.
 */
#include "reference_private.h"

#include <stddef.h>

/* view(dtype) with the dtype that is there already gives the tensor itself. */
static bool is_step(const ViewCall *call, const ViewGeometry *geometry)
{
    return view_is_step(call->op) && !(call->op == SPEC_VIEW_VIEW_DTYPE && call->dtype == geometry->dtype);
}

/* One of the operations that are more than geometry, as its verb. */
static int32_t step_verb(Reference *r, const ViewCall *call, WgTensor *view, WgTensor **next)
{
    switch (call->op) {
    case SPEC_VIEW_VIEW_DTYPE:
        return wg_view_dtype(r->ctx, view, call->dtype, next);
    case SPEC_VIEW_VIEW_AS_REAL:
        return wg_view_as_real(r->ctx, view, next);
    case SPEC_VIEW_VIEW_AS_COMPLEX:
        return wg_view_as_complex(r->ctx, view, next);
    case SPEC_VIEW__CONJ:
        return wg_conj(r->ctx, view, next);
    case SPEC_VIEW__NEG_VIEW:
        return wg_neg_view(r->ctx, view, next);
    default:
        return wg_detach(r->ctx, view, next);
    }
}

static WgGeometry literal(const ViewGeometry *g)
{
    return (WgGeometry){g->sizes, g->strides, g->offset, g->rank};
}

/* The next view of the chain; the one before is given back unless it is the base itself. */
static bool chain(Reference *r, int32_t status, const SpecOutput *output, const WgTensor *base, WgTensor **view,
                  WgTensor *next)
{
    if (*view != base) {
        mock_drop(r->ctx, *view);
    }
    *view = next;
    return reference_did(r, status, output->name);
}

/* Geometry up to the next step as one as_strided, the step, and so on; then the output's requires_grad. An as_strided
 * has the gradients of the view that it is of, so that one is made first, if there is one. */
static bool replay_steps(Reference *r, const SpecOutput *output, WgTensor *base, ViewGeometry geometry, WgTensor **out)
{
    WgTensor *view = base;
    bool moved = false; /* since the last step, by an operation that is more than an alias */
    bool pending = !view_same_geometry(&geometry, &base->object->geometry);
    for (uint32_t i = 0; i <= output->view_count; i++) {
        ViewCall call = view_call(SPEC_VIEW_ALIAS);
        const bool last = i == output->view_count;
        if (!last) {
            (void)evaluate_view(&r->symbols, &output->view[i], &call);
        }
        WgTensor *next = NULL;
        const bool step = !last && is_step(&call, &geometry);
        if (pending && (last || step || (moved && call.op == SPEC_VIEW_AS_STRIDED))) {
            const WgGeometry whole = literal(&geometry);
            const int32_t status = wg_as_strided(r->ctx, view, &whole, &next);
            if (!chain(r, status, output, base, &view, next)) {
                return false;
            }
            pending = false;
            moved = false;
        }
        (void)view_apply(&call, &geometry);
        if (step) {
            moved = false;
            const int32_t status = step_verb(r, &call, view, &next);
            if (!chain(r, status, output, base, &view, next)) {
                return false;
            }
        } else {
            moved = moved || call.op != SPEC_VIEW_ALIAS;
            pending = pending || moved;
        }
    }
    *out = view;
    return reference_did(r, wg_patch_requires_grad(r->ctx, base, out, spec_is(output->requires_grad)), output->name);
}

static bool has_steps(const Reference *r, const SpecOutput *output, ViewGeometry geometry)
{
    bool moved = false; /* by an operation that is more than an alias */
    for (uint32_t i = 0; i < output->view_count; i++) {
        ViewCall call = view_call(SPEC_VIEW_ALIAS);
        (void)evaluate_view(&r->symbols, &output->view[i], &call);
        if (is_step(&call, &geometry) || (moved && call.op == SPEC_VIEW_AS_STRIDED)) {
            return true;
        }
        moved = moved || call.op != SPEC_VIEW_ALIAS;
        (void)view_apply(&call, &geometry);
    }
    return false;
}

/* What it leaves of a dimension depends on its size. */
static bool shortens(SpecViewOp op)
{
    return op == SPEC_VIEW_SLICE || op == SPEC_VIEW_SPLIT || op == SPEC_VIEW_CHUNK || op == SPEC_VIEW_DIAGONAL;
}

/* Dimensions are joined where one of them has, in this call, the size 1, or what is left of it. */
static bool joins_unknown(const Reference *r, const SpecOutput *output, ViewGeometry geometry)
{
    bool shortened = false;
    for (uint32_t i = 0; i < output->view_count; i++) {
        ViewCall call = view_call(SPEC_VIEW_ALIAS);
        const SpecViewOp op = output->view[i].op;
        const bool joins = op == SPEC_VIEW_VIEW || op == SPEC_VIEW_RESHAPE || op == SPEC_VIEW_FLATTEN;
        for (int32_t d = 0; joins && d < geometry.rank; d++) {
            if (shortened || geometry.sizes[d] == 1) {
                return true;
            }
        }
        shortened = shortened || shortens(op);
        (void)evaluate_view(&r->symbols, &output->view[i], &call);
        (void)view_apply(&call, &geometry);
    }
    return false;
}

/* A view of an input that was merged is one of the member, made from the whole (pytorch issue 198095). */
static ViewGeometry start_of(const Reference *r, const SpecOutput *output, const WgTensor *base)
{
    const bool input = output->base_ref.kind == SPEC_REF_INPUT;
    const bool merged = input && r->graph->inputs[output->base_ref.index].synthetic_base >= 0;
    return merged ? r->args[output->base_ref.index].tensor->object->geometry : base->object->geometry;
}

/* One of several views that an operation makes, and any view of it, up to a detach(), which autograd does not know. */
static bool is_part(const SpecOutput *output)
{
    bool part = false;
    for (uint32_t i = 0; i < output->view_count; i++) {
        switch (output->view[i].op) {
        case SPEC_VIEW_SPLIT:
        case SPEC_VIEW_SPLIT_WITH_SIZES:
        case SPEC_VIEW_CHUNK:
        case SPEC_VIEW_UNBIND:
            part = true;
            break;
        case SPEC_VIEW_DETACH:
            part = false;
            break;
        default:
            break;
        }
    }
    return part;
}

static bool mark_part(Reference *r, const SpecOutput *output, WgTensor *view)
{
    return !r->ctx->tables.marks_parts || !is_part(output) ||
           reference_did(r, wg_mark_part(r->ctx, view), output->name);
}

/* The sequence on the base as it is now, and the shape that the graph returned. */
static bool replay_views(Reference *r, const SpecOutput *output, WgTensor *base, const WgTensor *target, WgTensor **out)
{
    const ViewGeometry start = start_of(r, output, base);
    ViewGeometry geometry = start;
    r->error->strict_view = r->error->strict_view || joins_unknown(r, output, start);
    const char *wrong = evaluate_views(&r->symbols, output->view, output->view_count, &geometry);
    if (target == NULL) {
        return reference_fails(r, WG_E_RESULT, output->name);
    }
    if (wrong != NULL || !view_same_shape(&geometry, &target->object->geometry)) {
        reference_fails(r, WG_E_RESULT, output->name);
        r->error->no_view = wrong != NULL;
        return false;
    }
    if (has_steps(r, output, start)) {
        return replay_steps(r, output, base, start, out);
    }
    const WgGeometry whole = literal(&geometry);
    return reference_did(r, wg_alias_as(r->ctx, base, &whole, geometry.dtype, spec_is(output->requires_grad), out),
                         output->name);
}

static bool alias_as_stated(Reference *r, const SpecOutput *output, WgTensor *base, WgTensor **out)
{
    ViewGeometry geometry = base->object->geometry;
    const SpecAsStrided *stated = output->as_strided;
    geometry.rank = (int32_t)stated->size.text_count;
    for (int32_t d = 0; d < geometry.rank; d++) {
        if (!evaluate(&r->symbols, stated->size.expr[d], &geometry.sizes[d]) ||
            !evaluate(&r->symbols, stated->stride.expr[d], &geometry.strides[d])) {
            return reference_fails(r, WG_E_OVERFLOW, output->name);
        }
    }
    if (!evaluate(&r->symbols, stated->offset.expr, &geometry.offset)) {
        return reference_fails(r, WG_E_OVERFLOW, output->name);
    }
    const WgGeometry whole = literal(&geometry);
    return reference_did(r, wg_alias_as(r->ctx, base, &whole, geometry.dtype, spec_is(output->requires_grad), out),
                         output->name);
}

/* The value that an aliased output is a view of: as the graph has it, not as it was regenerated. */
static bool find_base(Reference *r, const SpecOutput *output, WgTensor **base)
{
    size_t position = 0;
    int32_t merged = -1;
    switch (output->base_ref.kind) {
    case SPEC_REF_INPUT:
        merged = output->type != SPEC_IS_INPUT ? r->graph->inputs[output->base_ref.index].synthetic_base : -1;
        *base = merged >= 0 ? r->merged[merged] : r->args[output->base_ref.index].tensor;
        return true;
    case SPEC_REF_BASE:
        position = (size_t)r->layout->first_base + output->base_ref.index;
        break;
    case SPEC_REF_OUTPUT:
        position = (size_t)r->layout->first_output + output->base_ref.index;
        break;
    case SPEC_REF_NONE:
    case SPEC_REF_SYNTHETIC:
        return reference_fails(r, WG_E_INTERNAL, output->name);
    }
    *base = r->results[position].tensor;
    return reference_has_result(r, position, output->base);
}

static bool replay_alias(Reference *r, uint32_t i)
{
    const SpecOutput *output = &r->graph->outputs[i];
    const size_t position = (size_t)r->layout->first_output + i;
    WgTensor *target = r->results[position].tensor;
    WgTensor *base = NULL;
    if (!find_base(r, output, &base)) {
        return false;
    }
    if (output->type == SPEC_IS_INPUT) {
        return reference_did(r, wg_retain(r->ctx, base, &r->final[i]), output->name);
    }
    if (output->view_count > 0) {
        return replay_views(r, output, base, target, &r->final[i]) && mark_part(r, output, r->final[i]);
    }
    if (output->as_strided != NULL) {
        return alias_as_stated(r, output, base, &r->final[i]);
    }
    return reference_has_result(r, position, output->name) &&
           reference_did(r, wg_alias_like(r->ctx, base, target, spec_is(output->requires_grad), &r->final[i]),
                         output->name);
}

bool reference_outputs(Reference *r)
{
    for (uint32_t i = 0; i < r->graph->outputs_count; i++) {
        const SpecOutput *output = &r->graph->outputs[i];
        const size_t position = (size_t)r->layout->first_output + i;
        if (output->kind != SPEC_TENSOR) {
            continue;
        }
        if (layout_is_alias(output->type) ? !replay_alias(r, i) || !reference_check_final(r, i)
                                          : output->subclass != NULL && !reference_check_final(r, i)) {
            return false;
        }
        if (layout_is_alias(output->type)) {
            continue;
        }
        const bool tested = r->graph->check >= SPEC_CHECK_CHEAP || output->dynamic_dims.text_count > 0;
        if (tested && !reference_has_result(r, position, output->name)) {
            return false;
        }
    }
    return true;
}

WgTensor **reference_final(Reference *r, uint32_t output)
{
    return layout_is_alias(r->graph->outputs[output].type) ? &r->final[output]
                                                           : &r->results[r->layout->first_output + output].tensor;
}

bool reference_mark_outputs(Reference *r)
{
    for (uint32_t i = 0; i < r->graph->outputs_count; i++) {
        int32_t dims[VIEW_RANK];
        const SpecInts *marked = &r->graph->outputs[i].dynamic_dims;
        for (uint32_t d = 0; d < marked->text_count; d++) {
            dims[d] = (int32_t)marked->expr[d]->literal;
        }
        if (r->graph->outputs[i].kind == SPEC_TENSOR && marked->text_count > 0 &&
            !reference_did(r, wg_mark_dynamic(r->ctx, *reference_final(r, i), dims, marked->text_count),
                           r->graph->outputs[i].name)) {
            return false;
        }
    }
    return true;
}
