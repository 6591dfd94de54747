/* SPDX-License-Identifier: MIT */
/*
 * lower_alias - regenerates output aliases from their bases, and marks dynamic dims.
 *
 * Source: AOTAutograd's _alias_fn and gen_alias_from_base. A view sequence is folded here into one as_strided wherever
 * the geometry is known; when only the compiled function knows it, it is read from the tensor that it returned.
 */
#include "lower.h"

#include <inttypes.h>

static uint32_t output_result(const Lower *lower, uint32_t output)
{
    return lower->value[lower_result_output(lower, output)];
}

/* What is stated about a base; dtype and device are -1 if not stated. */
typedef struct Stated {
    const SpecInts *size;
    const SpecInts *stride;
    const SpecInt *offset;
    int32_t dtype;
    int32_t device_type;
    int32_t device_index;
} Stated;

/* The tensor that an output is a view of: as the graph returned it, not as it was regenerated. */
static uint32_t base_slot(const Lower *lower, const SpecOutput *output, Stated *stated)
{
    const uint32_t index = output->base_ref.index;
    if (output->base_ref.kind == SPEC_REF_INPUT) {
        const SpecInput *input = &lower->graph->inputs[index];
        const uint32_t kept = input->duplicate_of < 0 ? index : (uint32_t)input->duplicate_of;
        const SpecInput *facts = &lower->graph->inputs[kept];
        *stated = (Stated){&facts->size,      &facts->stride,     &facts->storage_offset,
                           facts->dtype_code, facts->device_type, facts->device_index};
        const bool merged = facts->synthetic_base >= 0 && output->type != SPEC_IS_INPUT;
        return merged ? lower->synthetic[facts->synthetic_base] : lower->original[index];
    }
    if (output->base_ref.kind == SPEC_REF_BASE) {
        const SpecBase *base = &lower->graph->intermediate_bases[index];
        *stated = (Stated){&base->size,      &base->stride,     &base->storage_offset,
                           base->dtype_code, base->device_type, base->device_index};
        return lower->value[lower_result_base(lower, index)];
    }
    const SpecOutput *base = &lower->graph->outputs[index];
    *stated = (Stated){&base->size,      &base->stride,     &base->storage_offset,
                       base->dtype_code, base->device_type, base->device_index};
    return output_result(lower, index);
}

static const Integer **integers_of(Lower *lower, const SpecInts *ints)
{
    const Integer **list = ARENA_ARRAY(lower->arena, const Integer *, (size_t)ints->text_count + 1);
    for (uint32_t i = 0; i < ints->text_count; i++) {
        list[i] = integer_from_expr(lower->integers, ints->expr[i]);
    }
    return list;
}

static Geometry base_geometry(Lower *lower, uint32_t slot, const Stated *stated)
{
    Geometry geometry = {.rank = stated->size->text_count, .dtype = stated->dtype};
    geometry.sizes = ARENA_ARRAY(lower->arena, const Integer *, (size_t)geometry.rank + 1);
    geometry.strides = ARENA_ARRAY(lower->arena, const Integer *, (size_t)geometry.rank + 1);
    for (uint32_t i = 0; i < geometry.rank; i++) {
        geometry.sizes[i] = integer_from_expr(lower->integers, stated->size->expr[i]);
        geometry.strides[i] = stated->stride->text != NULL
                                  ? integer_from_expr(lower->integers, stated->stride->expr[i])
                                  : integer_read(lower->integers, INTEGER_READ_STRIDE, slot, i);
    }
    geometry.offset = stated->offset->expr != NULL ? integer_from_expr(lower->integers, stated->offset->expr)
                                                   : integer_read(lower->integers, INTEGER_READ_OFFSET, slot, 0);
    return geometry;
}

static IntegerRefs lower_integers(Lower *lower, const Integer **at, uint32_t count, bool *literal)
{
    IntegerRef *refs = ARENA_ARRAY(lower->arena, IntegerRef, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        refs[i] = lower_integer(lower, at[i]);
        *literal = *literal && refs[i].name == NULL;
    }
    return (IntegerRefs){refs, count};
}

static const PlanGeometry *lower_geometry(Lower *lower, const Geometry *geometry)
{
    PlanGeometry *plan = ARENA_NEW(lower->arena, PlanGeometry);
    plan->literal = true;
    plan->size_from = -1;
    plan->stride_from = -1;
    plan->sizes = lower_integers(lower, geometry->sizes, geometry->rank, &plan->literal);
    plan->strides = lower_integers(lower, geometry->strides, geometry->rank, &plan->literal);
    plan->offset = lower_integer(lower, geometry->offset);
    plan->literal = plan->literal && plan->offset.name == NULL;
    return plan;
}

/* Tests what is known about a view sequence only at run time. */
static void lower_view_guards(Lower *lower, const ViewFold *fold, const char *name)
{
    for (uint32_t i = 0; i < fold->num_guards; i++) {
        const ViewGuard *guard = &fold->guards[i];
        const IntegerRef found = lower_integer(lower, guard->lhs);
        const IntegerRef expected = lower_integer(lower, guard->rhs);
        lower_check_overflow(lower, name);
        const Operand site = operand_site(plan_site(lower->plan, name, "view", "WG_E_VALUE", "WG_KIND_INTEGER"));
        if (guard->equal) {
            LOWER_EMIT(lower, check_equal, operand_integer(found), operand_integer(expected), operand_literal(-1),
                       site);
        } else {
            LOWER_EMIT(lower, check_maximum, operand_integer(found), operand_integer(expected), operand_literal(-1),
                       site);
        }
    }
}

/* One step of a sequence that does not fold into a single as_strided. */
static uint32_t lower_step(Lower *lower, const SpecOutput *output, const ViewStep *step, uint32_t base, uint32_t nth)
{
    const char *role = arena_printf(lower->arena, "step%" PRIu32, nth);
    const uint32_t dst = lower_temporary(lower, role, output->name);
    const Operand site = lower_host_site(lower, output->name, "view");
    switch (step->kind) {
    case VIEW_STEP_AS_STRIDED: {
        const PlanGeometry *geometry = lower_geometry(lower, &step->geometry);
        lower_check_overflow(lower, output->name);
        LOWER_EMIT(lower, as_strided, operand_tensor(dst), operand_tensor(base), operand_geometry(geometry), site);
        break;
    }
    case VIEW_STEP_DETACH:
        LOWER_EMIT(lower, detach, operand_tensor(dst), operand_tensor(base), site);
        break;
    case VIEW_STEP_VIEW_DTYPE:
        LOWER_EMIT(lower, view_dtype, operand_tensor(dst), operand_tensor(base), operand_dtype(step->geometry.dtype),
                   site);
        break;
    case VIEW_STEP_VIEW_AS_REAL:
        LOWER_EMIT(lower, view_as_real, operand_tensor(dst), operand_tensor(base), site);
        break;
    case VIEW_STEP_VIEW_AS_COMPLEX:
        LOWER_EMIT(lower, view_as_complex, operand_tensor(dst), operand_tensor(base), site);
        break;
    case VIEW_STEP_CONJ:
        LOWER_EMIT(lower, conj, operand_tensor(dst), operand_tensor(base), site);
        break;
    case VIEW_STEP_NEG_VIEW:
        LOWER_EMIT(lower, neg_view, operand_tensor(dst), operand_tensor(base), site);
        break;
    }
    return dst;
}

static uint32_t lower_alias_as(Lower *lower, const SpecOutput *output, uint32_t base, const Geometry *geometry)
{
    const PlanGeometry *plan = lower_geometry(lower, geometry);
    lower_check_overflow(lower, output->name);
    const uint32_t dst = lower_temporary(lower, "view", output->name);
    LOWER_EMIT(lower, alias_as, operand_tensor(dst), operand_tensor(base), operand_geometry(plan), operand_dtype(-1),
               operand_flag(spec_is(output->requires_grad)), lower_host_site(lower, output->name, "alias"));
    return dst;
}

static uint32_t lower_alias_like(Lower *lower, const SpecOutput *output, uint32_t base, uint32_t target)
{
    const uint32_t dst = lower_temporary(lower, "view", output->name);
    LOWER_EMIT(lower, alias_like, operand_tensor(dst), operand_tensor(base), operand_tensor(target),
               operand_flag(spec_is(output->requires_grad)), lower_host_site(lower, output->name, "alias"));
    return dst;
}

/* Several steps: each makes a view of the one before; the last gets the output's requires_grad. `start` is the geometry
 * that they begin with, if it is not the base's. */
static uint32_t lower_steps(Lower *lower, const SpecOutput *output, uint32_t base, const ViewFold *fold,
                            const Geometry *start)
{
    uint32_t view = base;
    if (start != NULL && fold->steps[0].kind != VIEW_STEP_AS_STRIDED) {
        const ViewStep member = {.kind = VIEW_STEP_AS_STRIDED, .geometry = *start};
        view = lower_step(lower, output, &member, base, 0);
    }
    for (uint32_t i = 0; i < fold->num_steps; i++) {
        const uint32_t next = lower_step(lower, output, &fold->steps[i], view, i + 1);
        if (view != base) {
            LOWER_EMIT(lower, release, operand_tensor(view));
        }
        view = next;
    }
    LOWER_EMIT(lower, patch_requires_grad, operand_tensor(view), operand_tensor(base),
               operand_flag(spec_is(output->requires_grad)), lower_host_site(lower, output->name, "grad"));
    return view;
}

/* PyTorch asserts "incorrect out shape" after a replayed sequence: the result must have the shape of what the graph
 * returned.
 */
static void lower_shape_check(Lower *lower, const SpecOutput *output, uint32_t target, const Geometry *geometry)
{
    bool literal = true;
    lower_check_result(lower, target, output->name);
    const IntegerRefs sizes = lower_integers(lower, geometry->sizes, geometry->rank, &literal);
    lower_check_overflow(lower, output->name);
    const Site *shape = plan_site(lower->plan, output->name, "shape", "WG_E_RESULT", "WG_KIND_INTEGER");
    LOWER_EMIT(lower, check_shape, operand_tensor(target), operand_integers(sizes.at, sizes.count),
               operand_site(shape));
}

static void note_geometry(Known *known, const Geometry *geometry)
{
    known->sizes = geometry->sizes;
    known->strides = geometry->strides;
    known->offset = geometry->offset;
    known->dtype = geometry->dtype;
}

/* `merged`: the base is the whole storage of an input that was merged, and `start` the geometry of that input. */
static uint32_t lower_fold(Lower *lower, const SpecOutput *output, uint32_t base, const ViewFold *fold,
                           const Geometry *start, bool merged)
{
    if (fold->num_steps == 0) {
        return merged ? lower_alias_as(lower, output, base, &fold->result)
                      : lower_alias_like(lower, output, base, base);
    }
    if (fold->num_steps == 1 && fold->steps[0].kind == VIEW_STEP_AS_STRIDED && !fold->separate) {
        return lower_alias_as(lower, output, base, &fold->steps[0].geometry);
    }
    return lower_steps(lower, output, base, fold, merged ? start : NULL);
}

static uint32_t lower_view(Lower *lower, const SpecOutput *output, uint32_t base, const Stated *stated, uint32_t target,
                           Known *known)
{
    const Geometry geometry = base_geometry(lower, base, stated);
    ViewFold fold = {0};
    GeometryError error = {0};
    if (!geometry_fold(lower->arena, lower->integers, &geometry, output->view, output->view_count, &fold, &error)) {
        diag_report(lower->diag, DIAG_ERROR, "E_INTERNAL", diag_mapping(output),
                    "a view sequence passed its rules but does not fold: %s", error.message);
        return lower_alias_like(lower, output, base, target);
    }
    note_geometry(known, &fold.result);
    lower_shape_check(lower, output, target, &fold.result);
    lower_view_guards(lower, &fold, output->name);
    const bool merged = output->base_ref.kind == SPEC_REF_INPUT && base != lower->original[output->base_ref.index];
    const uint32_t view = lower_fold(lower, output, base, &fold, &geometry, merged);
    if (fold.part && host_has(lower->host, "wg_mark_part")) {
        LOWER_EMIT(lower, mark_part, operand_tensor(view), lower_host_site(lower, output->name, "view"));
    }
    return view;
}

static uint32_t lower_as_strided(Lower *lower, const SpecOutput *output, uint32_t base, const Stated *stated,
                                 Known *known)
{
    const SpecAsStrided *as_strided = output->as_strided;
    Geometry geometry = {.rank = as_strided->size.text_count, .dtype = stated->dtype};
    geometry.sizes = integers_of(lower, &as_strided->size);
    geometry.strides = integers_of(lower, &as_strided->stride);
    geometry.offset = integer_from_expr(lower->integers, as_strided->offset.expr);
    note_geometry(known, &geometry);
    return lower_alias_as(lower, output, base, &geometry);
}

/* The caller's own tensor: everything stated about the input holds for it, unless the graph changes its metadata. */
static void note_input(Lower *lower, const SpecOutput *output, const Stated *stated, Known *known)
{
    if (spec_is(lower->graph->inputs[output->base_ref.index].mutates_metadata)) {
        return;
    }
    known->sizes = stated->size->text == NULL ? NULL : integers_of(lower, stated->size);
    known->strides = stated->stride->text == NULL ? NULL : integers_of(lower, stated->stride);
    known->offset = stated->offset->expr == NULL ? NULL : integer_from_expr(lower->integers, stated->offset->expr);
}

static uint32_t lower_same(Lower *lower, const SpecOutput *output, uint32_t base, const Stated *stated, Known *known)
{
    const uint32_t same = lower_temporary(lower, "same", output->name);
    LOWER_EMIT(lower, retain, operand_tensor(same), operand_tensor(base),
               lower_host_site(lower, output->name, "retain"));
    note_input(lower, output, stated, known);
    return same;
}

static uint32_t lower_alias(Lower *lower, uint32_t i, Known *known)
{
    const SpecOutput *output = &lower->graph->outputs[i];
    const uint32_t target = output_result(lower, i);
    Stated stated = {0};
    const uint32_t base = base_slot(lower, output, &stated);
    if (output->base_ref.kind == SPEC_REF_OUTPUT &&
        derive_is_aliased(lower->graph->outputs[output->base_ref.index].type)) {
        /* The graph's result for it is the base, which was tested only if views are made from it. */
        stated.device_type = -1;
        stated.dtype = output->view_count > 0 ? stated.dtype : -1;
    }
    if (output->base_ref.kind == SPEC_REF_INPUT &&
        spec_is(lower->graph->inputs[output->base_ref.index].mutates_storage_metadata)) {
        stated.device_type = -1; /* it has become another tensor (set_, or an assignment to .data) */
        stated.dtype = -1;
    }
    *known = (Known){.dtype = stated.dtype, .device_type = stated.device_type, .device_index = stated.device_index};
    if (output->type == SPEC_IS_INPUT) {
        return lower_same(lower, output, base, &stated, known);
    }
    if (output->base_ref.kind != SPEC_REF_INPUT) {
        const char *base_name = lower->plan->slots[base].name;
        lower_check_result(lower, base, base_name);
    }
    if (output->view_count > 0) {
        return lower_view(lower, output, base, &stated, target, known);
    }
    if (output->as_strided != NULL) {
        return lower_as_strided(lower, output, base, &stated, known);
    }
    known->geometry = true; /* that of the target, which was tested */
    known->dtype = output->subclass == NULL ? output->dtype_code : -1;
    lower_check_result(lower, target, output->name);
    return lower_alias_like(lower, output, base, target);
}

/* Is the output made of what inputs were merged into, about which nothing is stated? The base of a view may have
 * another dtype than the view, and a host another word for its device; a storage is seen as its first member sees it.
 */
static bool is_of_unstated(const Lower *lower, const SpecOutput *output)
{
    if (output->base_ref.kind != SPEC_REF_INPUT || output->type == SPEC_IS_INPUT) {
        return false;
    }
    const SpecInput *input = &lower->graph->inputs[output->base_ref.index];
    const SpecInput *base = input->duplicate_of < 0 ? input : &lower->graph->inputs[input->duplicate_of];
    if (base->synthetic_base < 0) {
        return false;
    }
    const SpecSynthetic *merged = &lower->graph->synthetic_bases[base->synthetic_base];
    const SpecInput *first = &lower->graph->inputs[merged->member_index[0]];
    return merged->base == SPEC_SYNTHETIC_VIEW_BASE || first->dtype_code != base->dtype_code ||
           first->device_type != base->device_type || first->device_index != base->device_index;
}

/* The slot that is delivered as that output. */
static uint32_t lower_output(Lower *lower, uint32_t i)
{
    const SpecOutput *output = &lower->graph->outputs[i];
    const bool aliased = derive_is_aliased(output->type);
    Known known = {.geometry = true, .dtype = -1, .device_type = -1, .device_index = -1};
    const uint32_t slot = aliased ? lower_alias(lower, i, &known) : output_result(lower, i);
    if (aliased && is_of_unstated(lower, output)) {
        known.dtype = -1;
        known.device_type = -1;
    }
    if (aliased || output->subclass != NULL) {
        lower_check_delivered(lower, output, slot, &known);
    }
    return slot;
}

static void lower_dynamic_marks(Lower *lower)
{
    for (uint32_t i = 0; i < lower->graph->outputs_count; i++) {
        const SpecOutput *output = &lower->graph->outputs[i];
        if (output->dynamic_dims.text_count == 0 || output->kind != SPEC_TENSOR) {
            continue;
        }
        lower_at(lower, output, ".outputs", i);
        int64_t *dims = ARENA_ARRAY(lower->arena, int64_t, output->dynamic_dims.text_count);
        for (uint32_t d = 0; d < output->dynamic_dims.text_count; d++) {
            (void)expr_is_literal(output->dynamic_dims.expr[d], &dims[d]);
        }
        LOWER_EMIT(lower, mark_dynamic, operand_tensor(lower->final[i]),
                   operand_dims(dims, output->dynamic_dims.text_count),
                   lower_host_site(lower, output->name, "dynamic"));
    }
}

/* A tensor output that is passed through must not be null: that would only be noticed far away. */
static void lower_passed_through(Lower *lower, uint32_t i)
{
    const SpecOutput *output = &lower->graph->outputs[i];
    const bool marked = output->dynamic_dims.text_count > 0;
    if (output->kind == SPEC_TENSOR && !derive_is_aliased(output->type) &&
        (lower_checks(lower, SPEC_CHECK_CHEAP) || marked)) {
        lower_check_result(lower, lower->final[i], output->name);
    }
}

void lower_aliases(Lower *lower)
{
    lower_at(lower, lower->graph, ".outputs", LOWER_WHOLE);
    if (lower->plan->facts.aliased_outputs.count > 0) {
        (void)lower_section(lower, LAYER_output_alias_wrapper);
    }
    for (uint32_t i = 0; i < lower->graph->outputs_count; i++) {
        lower_at(lower, &lower->graph->outputs[i], ".outputs", i);
        lower->final[i] = lower_output(lower, i);
        lower_passed_through(lower, i);
    }
    lower_dynamic_marks(lower);
}
