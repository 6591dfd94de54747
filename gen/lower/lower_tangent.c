/* SPDX-License-Identifier: MIT */
/*
 * lower_tangent - what a backward does with tangents: their types are tested, and each is brought into the layout that
 * tracing guessed; one that is a subclass is taken apart, depth first.
 *
 * Source: AOTAutograd's _backward_prologue and process_runtime_tangent.
 */
#include "lower_tangent.h"

#include <inttypes.h>

const SpecTangent *tangent_nth(const Lower *lower, uint32_t nth)
{
    const SpecBackward *backward = lower->graph->backward;
    return &backward->tangents[backward->tangent_order[nth]];
}

static void at_tangent(Lower *lower, uint32_t nth)
{
    const uint32_t index = lower->graph->backward->tangent_order[nth];
    lower_at(lower, tangent_nth(lower, nth), ".backward.tangents", index);
}

void tangent_add_slots(Lower *lower)
{
    Plan *plan = lower->plan;
    plan->num_args = lower->graph->backward->tangents_count;
    for (uint32_t i = 0; i < plan->num_args; i++) {
        const char *name = tangent_nth(lower, i)->of;
        plan_slot(plan, SLOT_ARGUMENT, SLOT_TENSOR, i, arena_printf(lower->arena, "tangent_%s", name), name);
    }
    plan->num_integers = plan->num_args;
}

/* The caller's tangents: a kept one must not be null, and all must have exactly the type that was traced. */
static void check_tangent(Lower *lower, uint32_t i)
{
    const SpecTangent *tangent = tangent_nth(lower, i);
    const bool kept = tangent->kept != SPEC_FALSE;
    lower->given[i] = lower_coerced(lower, i, tangent->subclass, tangent->of, tangent->of);
    const Operand slot = operand_tensor(lower->given[i]);
    const Operand site = operand_site(plan_site(lower->plan, tangent->of, "tangent", "WG_E_TYPE", "WG_KIND_NONE"));
    if (tangent->subclass != NULL && kept) {
        LOWER_EMIT(lower, check_type, slot, operand_name(tangent->subclass->declared->symbol), site);
    } else if (tangent->subclass != NULL) {
        LOWER_EMIT(lower, check_optional_type, slot, operand_name(tangent->subclass->declared->symbol), site);
    } else if (kept && !lower->missing.at[i].possible) {
        const FactList nothing = {.plan = lower->plan};
        lower_check_tensor(lower, lower->given[i], fact_operand(&nothing, "facts", tangent->of), site.as.site);
    } else {
        LOWER_EMIT(lower, check_optional, slot, site);
    }
}

void tangent_check_all(Lower *lower)
{
    lower->given = ARENA_ARRAY(lower->arena, uint32_t, (size_t)lower->plan->num_args + 1);
    for (uint32_t i = 0; i < lower->plan->num_args; i++) {
        at_tangent(lower, i);
        LOWER_EMIT(lower, load_tensor, operand_tensor(i), operand_count(i));
    }
    for (uint32_t i = 0; i < lower->plan->num_args; i++) {
        at_tangent(lower, i);
        check_tangent(lower, i);
    }
}

static const char *format_name(SpecMemoryFormat format)
{
    switch (format) {
    case SPEC_MEMORY_FORMAT_UNSET:
    case SPEC_CONTIGUOUS:
        break;
    case SPEC_CHANNELS_LAST:
        return "WG_CHANNELS_LAST";
    case SPEC_CHANNELS_LAST_3D:
        return "WG_CHANNELS_LAST_3D";
    }
    return "WG_CONTIGUOUS";
}

/* The rules let symbolic sizes in only with a memory format, so these are literals. */
static const PlanGeometry *tangent_geometry(Lower *lower, const SpecInts *size, const SpecInts *stride)
{
    PlanGeometry *geometry = ARENA_NEW(lower->arena, PlanGeometry);
    IntegerRef *sizes = ARENA_ARRAY(lower->arena, IntegerRef, (size_t)size->text_count + 1);
    IntegerRef *strides = ARENA_ARRAY(lower->arena, IntegerRef, (size_t)size->text_count + 1);
    for (uint32_t i = 0; i < size->text_count; i++) {
        sizes[i] = lower_expr(lower, size->expr[i]);
        strides[i] = lower_expr(lower, stride->expr[i]);
    }
    geometry->sizes = (IntegerRefs){sizes, size->text_count};
    geometry->strides = (IntegerRefs){strides, size->text_count};
    geometry->literal = true;
    geometry->size_from = -1;
    geometry->stride_from = -1;
    return geometry;
}

void packing_add_tensor(Packing *packing, uint32_t slot, PlanValue value)
{
    packing->items[packing->num_items++] = (Packed){.slot = slot, .value = value};
}

/* coerce_to_expected_memory_format: the compiled backward was built for one layout. */
static void coerce_plain(Lower *lower, Packing *packing, uint32_t nth)
{
    const SpecTangent *tangent = tangent_nth(lower, nth);
    const uint32_t dst = lower_temporary(lower, "dense", tangent->of);
    const Operand site = lower_host_site(lower, tangent->of, "coerce");
    const Missing *missing = &lower->missing.at[nth];
    uint32_t zeros = 0;
    const uint32_t src = missing->possible ? lower_given_tangent(lower, missing, lower->given[nth], tangent->of, &zeros)
                                           : lower->given[nth];
    if (tangent->memory_format != SPEC_MEMORY_FORMAT_UNSET) {
        LOWER_EMIT(lower, contiguous, operand_tensor(dst), operand_tensor(src),
                   operand_name(format_name(tangent->memory_format)), site);
    } else {
        LOWER_EMIT(lower, coerce_strides, operand_tensor(dst), operand_tensor(src),
                   operand_geometry(tangent_geometry(lower, &tangent->size, &tangent->stride)), site);
    }
    if (missing->possible) {
        LOWER_EMIT(lower, release, operand_tensor(zeros));
    }
    packing_add_tensor(packing, dst,
                       (PlanValue){.role = VALUE_tangent,
                                   .name = tangent->of,
                                   .optional = tangent->kept == SPEC_FALSE,
                                   .dtype = -1,
                                   .size = &tangent->size,
                                   .stride = &tangent->stride,
                                   .format = tangent->memory_format});
}

/* A part of a tangent that is a subclass: the tensor, what it should be, and its name. */
typedef struct Part {
    uint32_t slot;
    const SpecSubclass *tree;
    const char *suffix;
    const char *argument;
    bool optional; /* treated as if it might be null */
    bool missing;  /* it may really be null: the whole tangent may be missing */
} Part;

/* For a part of a tangent that is a subclass. */
static PlanValue part_value(const Part *part)
{
    return (PlanValue){.role = VALUE_tangent,
                       .name = part->argument,
                       .part = true,
                       .optional = part->missing,
                       .dtype = -1,
                       .size = &part->tree->size,
                       .stride = &part->tree->stride,
                       .format = part->tree->memory_format};
}

static Operand part_site(Lower *lower, const Part *part, const char *rule, const char *code, const char *kind)
{
    return operand_site(plan_site_of(lower->plan, part->suffix, part->argument, rule, code, kind));
}

static bool has_symbolic(const SpecInts *ints)
{
    for (uint32_t i = 0; i < ints->text_count; i++) {
        if (derive_is_symbolic(ints->expr[i])) {
            return true;
        }
    }
    return false;
}

/* Its sizes and strides are read for the number of dimensions that was traced, which nothing else tests. */
static void check_outer_rank(Lower *lower, const Part *part)
{
    const SpecInts *size = &part->tree->outer_size;
    if (!spec_is(part->tree->symints) || (!has_symbolic(size) && !has_symbolic(&part->tree->outer_stride))) {
        return;
    }
    const Operand site = part_site(lower, part, "rank", "WG_E_RANK", "WG_KIND_INTEGER");
    if (part->optional) {
        LOWER_EMIT(lower, check_optional_rank, operand_tensor(part->slot), operand_count(size->text_count), site);
    } else {
        LOWER_EMIT(lower, check_rank, operand_tensor(part->slot), operand_count(size->text_count), site);
    }
}

static void add_outer(Lower *lower, Packing *packing, const Part *part, const SpecInts *ints, bool is_stride)
{
    for (uint32_t d = 0; d < ints->text_count && spec_is(part->tree->symints); d++) {
        if (!derive_is_symbolic(ints->expr[d])) {
            continue;
        }
        const char *name =
            arena_printf(lower->arena, "arg_%s%" PRIu32 "_%s", is_stride ? "stride" : "size", d, part->suffix);
        const IntegerRef value = lower_named_integer(lower, name);
        if (part->optional) {
            LOWER_EMIT(lower, optional_dimension, operand_integer(value), operand_tensor(part->slot),
                       operand_name(is_stride ? "wg_stride" : "wg_size"), operand_count(d));
        } else if (is_stride) {
            LOWER_EMIT(lower, integer_stride, operand_integer(value), operand_tensor(part->slot), operand_count(d));
        } else {
            LOWER_EMIT(lower, integer_size, operand_integer(value), operand_tensor(part->slot), operand_count(d));
        }
        packing->items[packing->num_items++] = (Packed){.is_integer = true,
                                                        .integer = value,
                                                        .value = {.role = is_stride ? VALUE_stride : VALUE_size,
                                                                  .type = SLOT_INTEGER,
                                                                  .name = part->argument,
                                                                  .part = true,
                                                                  .number = d,
                                                                  .dtype = -1}};
    }
}

/* The tensor itself, in the layout that the backward was compiled for. */
static uint32_t coerce_layout(Lower *lower, const Part *part)
{
    const SpecSubclass *tree = part->tree;
    const uint32_t dst = lower_temporary(lower, "dense", part->suffix);
    const Operand site = part_site(lower, part, "coerce", "WG_E_HOST", "WG_KIND_STATUS");
    if (tree->memory_format != SPEC_MEMORY_FORMAT_UNSET) {
        LOWER_EMIT(lower, contiguous, operand_tensor(dst), operand_tensor(part->slot),
                   operand_name(format_name(tree->memory_format)), site);
    } else {
        LOWER_EMIT(lower, coerce_strides, operand_tensor(dst), operand_tensor(part->slot),
                   operand_geometry(tangent_geometry(lower, &tree->size, &tree->stride)), site);
    }
    return dst;
}

/* process_runtime_tangent, depth first: a subclass is brought into its layout before its attributes are read, and each
 * of them into its own. The compiled backward gets the leaves. A tangent that is missing gives a null for each of
 * them. */
static void coerce_part(Lower *lower, Packing *packing, Part part)
{
    const SpecSubclass *tree = part.tree;
    if (tree->declared == NULL) {
        if (tree->opaque) {
            PlanValue opaque = part_value(&part);
            opaque.type = SLOT_POINTER;
            opaque.kind = SPEC_OPAQUE;
            packing->items[packing->num_items++] = (Packed){.slot = part.slot, .value = opaque};
            return;
        }
        part.slot = lower_coerced(lower, part.slot, NULL, part.suffix, part.argument);
        LOWER_EMIT(lower, check_optional, operand_tensor(part.slot),
                   part_site(lower, &part, "tangent", "WG_E_TYPE", "WG_KIND_NONE"));
        packing_add_tensor(packing, coerce_layout(lower, &part), part_value(&part));
        return;
    }
    if (!host_has(lower->host, "wg_coerce_tangent")) {
        LOWER_EMIT(lower, check_context, operand_tensor(part.slot), operand_name(tree->context),
                   part_site(lower, &part, "context", "WG_E_TYPE", "WG_KIND_NONE"));
    }
    part.slot = coerce_layout(lower, &part);
    lower_hold(lower, part.slot);
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        Part inner = {.tree = &tree->inner[i], .optional = true, .missing = part.missing};
        inner.suffix = lower_new_suffix(lower, inner.tree->attr);
        inner.argument = arena_printf(lower->arena, "%s.%s", part.argument, inner.tree->attr);
        inner.slot = plan_slot(lower->plan, SLOT_BORROWED, SLOT_TENSOR, 0,
                               arena_printf(lower->arena, "attr%s", inner.suffix), inner.argument);
        LOWER_EMIT(lower, attr_optional, operand_tensor(inner.slot), operand_tensor(part.slot),
                   operand_count(inner.tree->attr_index),
                   part_site(lower, &inner, "attr", "WG_E_HOST", "WG_KIND_STATUS"));
        if (inner.tree->declared != NULL) {
            inner.slot = lower_coerced(lower, inner.slot, inner.tree, inner.suffix, inner.argument);
            LOWER_EMIT(lower, check_optional_type, operand_tensor(inner.slot),
                       operand_name(inner.tree->declared->symbol),
                       part_site(lower, &inner, "type", "WG_E_TYPE", "WG_KIND_NONE"));
        }
        coerce_part(lower, packing, inner);
    }
    check_outer_rank(lower, &part);
    add_outer(lower, packing, &part, &tree->outer_size, false);
    add_outer(lower, packing, &part, &tree->outer_stride, true);
}

void tangent_coerce(Lower *lower, Packing *packing, uint32_t nth)
{
    const SpecTangent *tangent = tangent_nth(lower, nth);
    at_tangent(lower, nth);
    if (tangent->subclass == NULL) {
        coerce_plain(lower, packing, nth);
    } else {
        const PlanSection *outer = lower_section(lower, LAYER_backward_subclass_unwrap);
        coerce_part(lower, packing,
                    (Part){lower->given[nth], tangent->subclass, tangent->of, tangent->of, tangent->kept == SPEC_FALSE,
                           tangent->kept == SPEC_FALSE});
        lower_resume(lower, outer);
    }
}
