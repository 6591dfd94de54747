/* SPDX-License-Identifier: MIT */
/*
 * reference_stated - what is stated about outputs, bases, updated inputs and gradients: the values that come back are
 * held to it before anything is done with them, the tensors that the caller gets once they are made.
 */
#include <stddef.h>

#include "reference_private.h"

/* What is stated about one tensor. */
typedef struct Stated {
    const char *name;
    int32_t dtype; /* -1: not */
    const SpecInts *size;
    const SpecInts *stride;
    const Expr *offset; /* null: not stated, or nothing relies on it */
    int32_t device_type;
    int32_t device_index;
} Stated;

static bool is_literal(const Expr *expr, int64_t value)
{
    return expr != NULL && expr->kind == EXPR_LITERAL && expr->literal == value;
}

static bool states_no_elements(const SpecInts *size)
{
    bool empty = false;
    for (uint32_t d = 0; d < size->text_count; d++) {
        empty = empty || is_literal(size->expr[d], 0);
    }
    return empty;
}

/* Where it does not follow from the stated sizes that it leads nowhere. */
static bool counts(const SpecInts *size, uint32_t dimension)
{
    return !states_no_elements(size) && (dimension >= size->text_count || !is_literal(size->expr[dimension], 1));
}

static bool states_anything(const Reference *r, const Stated *s)
{
    const bool device = s->device_type >= 0 && r->graph->check >= SPEC_CHECK_FULL;
    return s->dtype >= 0 || s->size->text != NULL || s->stride->text != NULL || s->offset != NULL || device;
}

static bool breaks(Reference *r, const Stated *s, const char *rule, int32_t dimension, int64_t expected, int64_t found)
{
    (void)reference_fails_with(r, WG_E_RESULT, s->name, dimension, expected, found);
    r->error->rule = rule;
    return false;
}

/* Everything that is compared can be computed. */
static bool is_computable(const Reference *r, const Stated *s)
{
    bool good = true;
    int64_t ignored = 0;
    for (uint32_t d = 0; d < s->size->text_count; d++) {
        const Expr *expr = s->size->expr[d];
        good = good && (!evaluate_is_bound(&r->symbols, expr) || evaluate(&r->symbols, expr, &ignored));
    }
    for (uint32_t d = 0; d < s->stride->text_count; d++) {
        const Expr *expr = s->stride->expr[d];
        good = good &&
               (!counts(s->size, d) || !evaluate_is_bound(&r->symbols, expr) || evaluate(&r->symbols, expr, &ignored));
    }
    return good && (s->offset == NULL || !evaluate_is_bound(&r->symbols, s->offset) ||
                    evaluate(&r->symbols, s->offset, &ignored));
}

static bool same(const Reference *r, const Expr *expr, int64_t found, int64_t *expected)
{
    *expected = found;
    return !evaluate_is_bound(&r->symbols, expr) || !evaluate(&r->symbols, expr, expected) || *expected == found;
}

static bool check_geometry(Reference *r, const Stated *s, const ViewGeometry *g)
{
    int64_t expected = 0;
    const SpecInts *ranked = s->size->text != NULL ? s->size : s->stride;
    if (ranked->text != NULL && (int32_t)ranked->text_count != g->rank) {
        return breaks(r, s, "rank", -1, ranked->text_count, g->rank);
    }
    for (uint32_t d = 0; d < s->size->text_count; d++) {
        if (!same(r, s->size->expr[d], g->sizes[d], &expected)) {
            return breaks(r, s, "size", (int32_t)d, expected, g->sizes[d]);
        }
    }
    for (uint32_t d = 0; d < s->stride->text_count && view_has_elements(g); d++) {
        if (g->sizes[d] != 1 && !same(r, s->stride->expr[d], g->strides[d], &expected)) {
            return breaks(r, s, "stride", (int32_t)d, expected, g->strides[d]);
        }
    }
    if (s->offset != NULL && !same(r, s->offset, g->offset, &expected)) {
        return breaks(r, s, "offset", -1, expected, g->offset);
    }
    return true;
}

static bool check_facts(Reference *r, const Stated *s, const MockObject *object)
{
    if (s->dtype >= 0 && s->dtype != object->geometry.dtype) {
        return breaks(r, s, "dtype", -1, s->dtype, object->geometry.dtype);
    }
    if (!check_geometry(r, s, &object->geometry)) {
        return false;
    }
    if (s->device_type < 0 || r->graph->check < SPEC_CHECK_FULL) {
        return true;
    }
    if (s->device_index < 0) {
        return object->device / 256 == s->device_type ||
               breaks(r, s, "device", -1, s->device_type, object->device / 256);
    }
    const int32_t device = s->device_type * 256 + s->device_index;
    return object->device == device || breaks(r, s, "device", -1, device, object->device);
}

/* ---- what came back ---- */

static void note_geometry(Reference *r, const Stated *s, const MockObject *object, bool tested, const bool *defines)
{
    const ViewGeometry *g = &object->geometry;
    ResultUse use = {.result = s, .name = s->name, .tested = tested};
    use.rule = "size";
    for (uint32_t d = 0; d < s->size->text_count && (int32_t)d < g->rank; d++) {
        use.expr = s->size->expr[d];
        use.dimension = (int32_t)d;
        use.found = g->sizes[d];
        use.defines = defines[d];
        reference_note(r, use);
    }
    use.rule = "stride";
    use.defines = false;
    for (uint32_t d = 0; d < s->stride->text_count && (int32_t)d < g->rank; d++) {
        use.expr = s->stride->expr[d];
        use.dimension = (int32_t)d;
        use.found = g->strides[d];
        use.leads_nowhere = !view_has_elements(g) || g->sizes[d] == 1;
        use.tested = tested && counts(s->size, d);
        reference_note(r, use);
    }
    if (s->offset != NULL) {
        reference_note(r, (ResultUse){s, s->name, s->offset, "offset", -1, g->offset, false, tested, false});
    }
}

static bool check_there(Reference *r, const Stated *s, const WgTensor *t)
{
    if (t == NULL) {
        return reference_fails(r, WG_E_RESULT, s->name);
    }
    if (!t->object->plain) {
        (void)reference_fails(r, WG_E_RESULT, s->name);
        r->error->rule = "type";
        return false;
    }
    return true;
}

/* Where nothing is tested here, a size that defines a symbol is read all the same: of a tensor with that many dims. */
static bool check_returned(Reference *r, const Stated *stated, const WgTensor *t, bool tested)
{
    Stated *s = ARENA_NEW(&r->ctx->arena, Stated);
    bool *defines = ARENA_ARRAY(&r->ctx->arena, bool, (size_t)stated->size->text_count + 1);
    bool defines_any = false;
    *s = *stated;
    for (uint32_t d = 0; d < s->size->text_count; d++) {
        defines[d] = reference_defines(r, s->size->expr[d]);
        defines_any = defines_any || defines[d];
    }
    tested = tested && r->graph->check >= SPEC_CHECK_CHEAP;
    if (tested && states_anything(r, s)) {
        if (!is_computable(r, s)) {
            return reference_fails(r, WG_E_OVERFLOW, s->name);
        }
        if (!check_there(r, s, t) || !check_facts(r, s, t->object)) {
            return false;
        }
    } else if (defines_any) {
        if (!check_there(r, s, t)) {
            return false;
        }
        if ((int32_t)s->size->text_count != t->object->geometry.rank) {
            return breaks(r, s, "rank", -1, s->size->text_count, t->object->geometry.rank);
        }
    }
    if (t != NULL) {
        note_geometry(r, s, t->object, tested, defines);
    }
    return true;
}

static bool check_number(Reference *r, const Expr *expr, const char *name, const char *rule, int32_t dimension,
                         const WgValue *found)
{
    int64_t expected = found->integer;
    const bool defines = reference_defines(r, expr);
    if (r->graph->check >= SPEC_CHECK_CHEAP && evaluate_is_bound(&r->symbols, expr)) {
        if (!evaluate(&r->symbols, expr, &expected)) {
            return reference_fails(r, WG_E_OVERFLOW, name);
        }
        if (expected != found->integer) {
            (void)reference_fails_with(r, WG_E_RESULT, name, dimension, expected, found->integer);
            r->error->rule = rule;
            return false;
        }
    }
    reference_note(r, (ResultUse){found, name, expr, rule, dimension, found->integer, defines, true, false});
    return true;
}

/* A tensor that must be the one whose ragged size this is, or the first one that has it. */
static bool check_owner(Reference *r, const Expr *owns, const Stated *stated, const WgTensor *t)
{
    WgValue *number = ARENA_NEW(&r->ctx->arena, WgValue); /* tells it from other results by its address */
    const bool asked = owns != NULL && (r->graph->check >= SPEC_CHECK_CHEAP ||
                                        spec_is(r->layout->spec->symbols[owns->symbol].unbacked));
    if (!asked) {
        return true;
    }
    if (!check_there(r, stated, t)) {
        return false;
    }
    *number = wg_value_integer(t->object->nested);
    return check_number(r, owns, stated->name, "owner", -1, number);
}

static bool check_symints(Reference *r, const SpecSubclass *tree, const SpecInts *outer, const char *name,
                          const char *rule, uint32_t *next)
{
    for (uint32_t d = 0; d < outer->text_count; d++) {
        if (!layout_is_symint(tree, outer->expr[d])) {
            continue;
        }
        const uint32_t at = (*next)++;
        if (r->inside->flat[at].expr != NULL &&
            !check_number(r, outer->expr[d], name, rule, (int32_t)d, &r->flat[at])) {
            return false;
        }
    }
    return true;
}

static bool check_tree(Reference *r, const SpecSubclass *tree, const char *name, uint32_t *next)
{
    if (tree->declared == NULL) {
        const Stated stated = {name, -1, &tree->size, &tree->stride, NULL, -1, -1};
        const WgTensor *t = r->flat[*next].tensor;
        *next += 1 + tree->symbol_args.text_count;
        return tree->opaque || (check_returned(r, &stated, t, true) && check_owner(r, tree->owns.expr, &stated, t));
    }
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        const SpecSubclass *inner = &tree->inner[i];
        if (!check_tree(r, inner, arena_printf(&r->ctx->arena, "%s.%s", name, inner->attr), next)) {
            return false;
        }
    }
    return check_symints(r, tree, &tree->outer_size, name, "size", next) &&
           check_symints(r, tree, &tree->outer_stride, name, "stride", next);
}

/* Some output is made from that one, with the geometry that is stated about it. */
static bool is_viewed(const SpecGraph *graph, uint32_t index)
{
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        if (output->view_count > 0 && output->base_ref.kind == SPEC_REF_OUTPUT && output->base_ref.index == index) {
            return true;
        }
    }
    return false;
}

static bool check_output(Reference *r, uint32_t i, const WgTensor *t)
{
    const SpecOutput *output = &r->graph->outputs[i];
    const bool viewed = is_viewed(r->graph, i);
    const bool alias = layout_is_alias(output->type);
    const bool own = output->type == SPEC_IS_INPUT || output->view_count > 0 || output->as_strided != NULL;
    if (output->kind != SPEC_TENSOR || (output->type == SPEC_IS_INPUT && !viewed)) {
        return true;
    }
    const Stated stated = {output->name,
                           output->dtype != NULL ? output->dtype_code : -1,
                           &output->size,
                           &output->stride,
                           output->storage_offset.expr,
                           alias ? -1 : output->device_type, /* of an alias that of its base */
                           output->device_index};
    return check_returned(r, &stated, t, !alias || !own || viewed);
}

static bool check_base(Reference *r, uint32_t i, const WgTensor *t)
{
    const SpecBase *base = &r->graph->intermediate_bases[i];
    const Stated stated = {base->name,
                           base->dtype != NULL ? base->dtype_code : -1,
                           &base->size,
                           &base->stride,
                           base->storage_offset.expr,
                           base->device_type,
                           base->device_index};
    return check_returned(r, &stated, t, true);
}

bool reference_check_results(Reference *r, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const LayoutResult *result = &r->inside->results[i];
        uint32_t next = result->first_flat;
        const WgTensor *t = r->flat[next].tensor;
        const Expr *value = result->role == LAYOUT_OUTPUT ? r->graph->outputs[result->index].value.expr : NULL;
        const bool good = result->tree != NULL ? check_tree(r, result->tree, result->name, &next)
                          : value != NULL      ? check_number(r, value, result->name, "value", -1, &r->flat[next])
                          : result->role == LAYOUT_OUTPUT ? check_output(r, result->index, t)
                          : result->role == LAYOUT_BASE   ? check_base(r, result->index, t)
                                                          : true;
        if (!good) {
            return false;
        }
    }
    return reference_define_symbols(r);
}

/* ---- what the caller gets ---- */

bool reference_check_final(Reference *r, uint32_t i)
{
    const SpecOutput *output = &r->graph->outputs[i];
    const Stated stated = {output->name,
                           output->dtype != NULL ? output->dtype_code : -1,
                           &output->size,
                           &output->stride,
                           output->storage_offset.expr,
                           output->device_type,
                           output->device_index};
    if (r->graph->check < SPEC_CHECK_CHEAP || !states_anything(r, &stated)) {
        return true;
    }
    if (!is_computable(r, &stated)) {
        return reference_fails(r, WG_E_OVERFLOW, output->name);
    }
    return check_facts(r, &stated, (*reference_final(r, i))->object);
}
