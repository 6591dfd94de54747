/* SPDX-License-Identifier: MIT */
/*
 * dispatch_new - a kernel's dispatcher as conditions: what the declarations of its arguments require of every call,
 * then what each variant requires.
 */
#include "dispatch.h"

#include <inttypes.h>
#include <string.h>

#include "kernel.h"

/* ---- declarations ---- */

/* The parents of an item may be null or too short; then nothing is required of the item. */
typedef struct Above {
    DispatchUnless unless[DISPATCH_MAX_UNLESS];
    uint32_t num_unless;
} Above;

static void declare(Dispatch *dispatch, const Above *above, uint32_t field, IntSet set, const void *said)
{
    DispatchClause clause = {.field = field, .equal_to = DISPATCH_NONE, .set = set, .said = said};
    memcpy(clause.unless, above->unless, sizeof clause.unless);
    clause.num_unless = above->num_unless;
    dispatch_add_clause(dispatch, &dispatch->declared, &clause);
}

/* A rank or a length: of a symbol, what it may be. */
static IntSet declared_set(const Dispatch *dispatch, const char *text)
{
    const Condition condition = kernel_condition(dispatch->arena, dispatch->spec, text, 0);
    return intset_from_condition(dispatch->arena, &condition);
}

static bool can_be_null(SpecKind kind)
{
    return kind == SPEC_TENSOR || kind == SPEC_STRING;
}

/* Only complex numbers are conjugated: set, or the dtype is among these. */
static void declare_conj(Dispatch *dispatch, uint32_t node, const Above *above)
{
    const SpecArg *arg = dispatch->nodes[node].arg;
    const IntSet complex = dispatch_dtypes(dispatch, "complex32|complex64|complex128");
    const IntSet declared =
        arg->dtype != NULL ? dispatch_dtypes(dispatch, arg->dtype) : dispatch_domain(dispatch->arena, FIELD_DTYPE, arg);
    Above real = *above;
    if (!intset_within(dispatch->arena, &declared, &complex)) {
        const uint32_t dtype = dispatch_field(dispatch, FIELD_DTYPE, node, DISPATCH_NONE);
        const uint32_t conj = dispatch_field(dispatch, FIELD_CONJ, node, DISPATCH_NONE);
        real.unless[real.num_unless++] = (DispatchUnless){.field = dtype, .set = complex};
        declare(dispatch, &real, conj, intset_point(dispatch->arena, 0), &arg->lazy_ok);
    }
}

static void declare_tensor(Dispatch *dispatch, uint32_t node, const Above *above)
{
    const SpecArg *arg = dispatch->nodes[node].arg;
    if (arg->subclass_ok == SPEC_FALSE) {
        const uint32_t plain = dispatch_field(dispatch, FIELD_PLAIN, node, DISPATCH_NONE);
        declare(dispatch, above, plain, intset_point(dispatch->arena, 1), &arg->subclass_ok);
    }
    if (spec_is(arg->lazy_ok)) {
        declare_conj(dispatch, node, above);
    } else if (dispatch->tells_lazy) {
        const uint32_t lazy = dispatch_field(dispatch, FIELD_LAZY, node, DISPATCH_NONE);
        declare(dispatch, above, lazy, intset_point(dispatch->arena, 0), &arg->kind);
    }
    if (arg->ndim != NULL) {
        const uint32_t rank = dispatch_field(dispatch, FIELD_RANK, node, DISPATCH_NONE);
        declare(dispatch, above, rank, declared_set(dispatch, arg->ndim), &arg->ndim);
    }
    if (arg->dtype != NULL) {
        const uint32_t dtype = dispatch_field(dispatch, FIELD_DTYPE, node, DISPATCH_NONE);
        declare(dispatch, above, dtype, dispatch_dtypes(dispatch, arg->dtype), &arg->dtype);
    }
}

/* The number of items of a list that are declared one by one: all possible ones, or the ones that conditions name. */
static uint32_t declared_items(Dispatch *dispatch, const SpecArg *arg)
{
    if (arg->length == NULL) {
        return 0;
    }
    const IntSet length = declared_set(dispatch, arg->length);
    const int64_t most = intset_max(&length);
    return most <= DISPATCH_MAX_ITEMS ? (uint32_t)most : 0;
}

static bool declares_something(const SpecArg *arg)
{
    bool some = arg->subclass_ok == SPEC_FALSE || arg->ndim != NULL || arg->dtype != NULL || arg->length != NULL ||
                (can_be_null(arg->kind) && !spec_is(arg->nullable));
    for (uint32_t i = 0; i < arg->items_count; i++) {
        some = some || declares_something(&arg->items[i]);
    }
    return some;
}

/* Guards nest at most one null and one length deep; items nested deeper have their own clauses. */
static void declare_node(Dispatch *dispatch, uint32_t node, Above above)
{
    const SpecArg *arg = dispatch->nodes[node].arg;
    if (spec_is(arg->nullable)) {
        if (above.num_unless == DISPATCH_MAX_UNLESS || arg->kind == SPEC_ALWAYS_NULL) {
            return;
        }
        const uint32_t present = dispatch_field(dispatch, FIELD_PRESENT, node, DISPATCH_NONE);
        above.unless[above.num_unless++] = (DispatchUnless){.field = present, .set = intset_point(dispatch->arena, 0)};
    } else if (can_be_null(arg->kind)) {
        const uint32_t present = dispatch_field(dispatch, FIELD_PRESENT, node, DISPATCH_NONE);
        declare(dispatch, &above, present, intset_point(dispatch->arena, 1), NULL);
    }
    if (arg->kind == SPEC_TENSOR) {
        declare_tensor(dispatch, node, &above);
    }
    if (arg->length != NULL) {
        const uint32_t length = dispatch_field(dispatch, FIELD_LENGTH, node, DISPATCH_NONE);
        declare(dispatch, &above, length, declared_set(dispatch, arg->length), &arg->length);
    }
    const bool list = arg->kind == SPEC_LIST;
    const uint32_t n = list ? (declares_something(arg->of) ? declared_items(dispatch, arg) : 0) : arg->items_count;
    for (uint32_t i = 0; i < n; i++) {
        const char *path = arg->kind == SPEC_RECORD
                               ? arena_printf(dispatch->arena, "%s.%s", dispatch->nodes[node].path, arg->items[i].name)
                               : arena_printf(dispatch->arena, "%s.%" PRIu32, dispatch->nodes[node].path, i);
        Above item = above;
        if (list && item.num_unless == DISPATCH_MAX_UNLESS) {
            return;
        }
        if (list) {
            const uint32_t length = dispatch_field(dispatch, FIELD_LENGTH, node, DISPATCH_NONE);
            item.unless[item.num_unless++] =
                (DispatchUnless){.field = length, .set = intset_interval(dispatch->arena, 0, i)};
        }
        declare_node(dispatch, dispatch_node(dispatch, path), item);
    }
}

/* ---- the whole ---- */

static void narrow_literals(Dispatch *dispatch)
{
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        DispatchField *field = &dispatch->fields[i];
        if (dispatch_values(dispatch, i) == VALUES_LITERAL) {
            const DispatchNode *node = &dispatch->nodes[field->node];
            field->domain = intset_interval(dispatch->arena, 0, node->num_literals);
        }
    }
}

void dispatch_add_graphs(Dispatch *dispatch)
{
    const uint32_t n = dispatch->num_variants;
    dispatch->variants = arena_grow(dispatch->arena, dispatch->variants, n * sizeof(DispatchVariant),
                                    3 * (size_t)n * sizeof(DispatchVariant));
    for (uint32_t i = 0; i < 2 * n; i++) {
        const SpecVariant *spec = dispatch->variants[i % n].spec;
        DispatchVariant *stated = &dispatch->variants[n + i];
        *stated = (DispatchVariant){.spec = spec};
        if (spec->graph != NULL) {
            const SpecGraph *graph = &dispatch->spec->graphs[spec->graph_index];
            dispatch_add_inputs(dispatch, stated, graph, i >= n || graph->check == SPEC_CHECK_FULL);
            dispatch_simplify(dispatch, stated);
        }
    }
}

Dispatch *dispatch_new(Arena *arena, const Spec *spec, const SpecKernel *kernel, bool tells_lazy)
{
    Dispatch *dispatch = ARENA_NEW(arena, Dispatch);
    *dispatch = (Dispatch){.arena = arena, .spec = spec, .kernel = kernel, .num_variants = kernel->variants_count};
    dispatch->tells_lazy = tells_lazy;
    table_init(&dispatch->paths, arena);
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        dispatch_add_node(dispatch, &kernel->args[i], kernel->args[i].name, DISPATCH_NONE, i);
    }
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        declare_node(dispatch, i, (Above){.num_unless = 0});
    }
    dispatch_add_always(dispatch, &dispatch->always);
    dispatch->variants = ARENA_ARRAY(arena, DispatchVariant, kernel->variants_count);
    for (uint32_t i = 0; i < kernel->variants_count; i++) {
        dispatch->variants[i].spec = &kernel->variants[i];
        dispatch_add_variant(dispatch, &dispatch->variants[i]);
        dispatch_simplify(dispatch, &dispatch->variants[i]);
    }
    narrow_literals(dispatch);
    return dispatch;
}
