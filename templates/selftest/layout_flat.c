/* SPDX-License-Identifier: MIT */
/*
 * layout_flat - subclasses as flat values, and the lists of a layout.
 *
 * Depth first: of a plain leaf the tensor, then its symbol_args; of an opaque one the object; of a
 * subclass its attributes, then its symbolic outer sizes, then its symbolic outer strides (AOTDispatchSubclassWrapper).
 */
#include <string.h>

#include "layout.h"

/* One more element's room; the old array stays in the arena. */
static void *roomier(Arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity) {
        return array;
    }
    const uint32_t wider = *capacity == 0 ? 16 : *capacity * 2;
    char *larger = ARENA_ARRAY(arena, char, wider *size + 16);
    if (count > 0) {
        memcpy(larger, array, count * size);
    }
    *capacity = wider;
    return larger;
}

void layout_add_argument(Arena *arena, LayoutCall *call, LayoutSource source, uint32_t input, SpecKind kind)
{
    call->arguments =
        roomier(arena, call->arguments, call->num_arguments, &call->arguments_capacity, sizeof(LayoutArgument));
    call->arguments[call->num_arguments++] = (LayoutArgument){source, input, kind};
}

void layout_add_flat(Arena *arena, LayoutCall *call, LayoutFlat flat)
{
    call->flat = roomier(arena, call->flat, call->num_flat, &call->flat_capacity, sizeof(LayoutFlat));
    call->flat[call->num_flat++] = flat;
    call->num_symints += flat.symint ? 1 : 0;
}

bool layout_is_symint(const SpecSubclass *tree, const Expr *expr)
{
    return spec_is(tree->symints) && expr != NULL && expr->kind != EXPR_LITERAL;
}

/* ---- taken apart ---- */

static void add_outer_parts(Arena *arena, LayoutCall *call, LayoutSource source, uint32_t input,
                            const SpecSubclass *tree, const SpecInts *outer)
{
    for (uint32_t d = 0; d < outer->text_count; d++) {
        if (layout_is_symint(tree, outer->expr[d])) {
            layout_add_argument(arena, call, source, input, SPEC_INT);
        }
    }
}

void layout_add_parts(Arena *arena, LayoutCall *call, LayoutSource source, uint32_t input, const SpecSubclass *tree)
{
    if (tree->declared == NULL) {
        layout_add_argument(arena, call, source, input, tree->opaque ? SPEC_OPAQUE : SPEC_TENSOR);
        for (uint32_t i = 0; i < tree->symbol_args.text_count; i++) {
            layout_add_argument(arena, call, source, input, SPEC_INT);
        }
        return;
    }
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        layout_add_parts(arena, call, source, input, &tree->inner[i]);
    }
    add_outer_parts(arena, call, source, input, tree, &tree->outer_size);
    add_outer_parts(arena, call, source, input, tree, &tree->outer_stride);
}

/* ---- put together ---- */

static void add_outer_flat(Arena *arena, LayoutCall *call, const SpecSubclass *tree, const SpecInts *outer,
                           bool from_attr)
{
    for (uint32_t d = 0; d < outer->text_count; d++) {
        if (layout_is_symint(tree, outer->expr[d])) {
            layout_add_flat(arena, call, (LayoutFlat){SPEC_INT, true, from_attr ? NULL : outer->expr[d]});
        }
    }
}

void layout_add_tree(Arena *arena, LayoutCall *call, const SpecSubclass *tree)
{
    if (tree->declared == NULL) {
        layout_add_flat(arena, call, (LayoutFlat){tree->opaque ? SPEC_OPAQUE : SPEC_TENSOR, false, NULL});
        for (uint32_t i = 0; i < tree->symbol_args.text_count; i++) {
            layout_add_flat(arena, call, (LayoutFlat){SPEC_INT, true, NULL});
        }
        return;
    }
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        layout_add_tree(arena, call, &tree->inner[i]);
    }
    add_outer_flat(arena, call, tree, &tree->outer_size, tree->outer_size_from != NULL);
    add_outer_flat(arena, call, tree, &tree->outer_stride, tree->outer_stride_from != NULL);
}

void layout_add_result(Arena *arena, LayoutCall *call, LayoutResult result)
{
    result.first_flat = call->num_flat;
    if (result.tree != NULL) {
        layout_add_tree(arena, call, result.tree);
    } else {
        for (uint32_t i = 0; i == 0 || i < result.num_flat; i++) {
            layout_add_flat(arena, call, (LayoutFlat){result.kind, false, NULL});
        }
    }
    result.num_flat = call->num_flat - result.first_flat;
    call->results = roomier(arena, call->results, call->num_results, &call->results_capacity, sizeof(LayoutResult));
    call->results[call->num_results++] = result;
}

/* ---- symbols ---- */

static void note_expr(Layout *layout, const Expr *expr)
{
    if (expr != NULL && expr->kind == EXPR_SYMBOL) {
        layout->binds[expr->symbol] = true;
    }
}

static void note_ints(Layout *layout, const SpecInts *ints)
{
    for (uint32_t i = 0; i < ints->text_count; i++) {
        note_expr(layout, ints->expr[i]);
    }
}

static void note_tree(Layout *layout, const SpecSubclass *tree)
{
    note_ints(layout, &tree->size);
    note_ints(layout, &tree->stride);
    note_ints(layout, &tree->outer_size);
    note_ints(layout, &tree->outer_stride);
    note_expr(layout, tree->owns.expr);
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        note_tree(layout, &tree->inner[i]);
    }
}

void layout_note_symbols(Arena *arena, Layout *layout)
{
    layout->binds = ARENA_ARRAY(arena, bool, (size_t)layout->spec->symbols_count + 1);
    for (uint32_t i = 0; i < layout->graph->inputs_count; i++) {
        const SpecInput *input = &layout->graph->inputs[i];
        if (!layout_is_passed(input)) {
            continue;
        }
        note_ints(layout, &input->size);
        note_ints(layout, &input->stride);
        note_expr(layout, input->storage_offset.expr);
        note_expr(layout, input->owns.expr);
        note_expr(layout, input->value.expr);
        if (input->subclass != NULL) {
            note_tree(layout, input->subclass);
        }
    }
}

static bool is_bound(const Layout *layout, const Expr *expr)
{
    if (expr->kind == EXPR_SYMBOL) {
        return layout->binds[expr->symbol];
    }
    return expr->kind == EXPR_LITERAL || (is_bound(layout, expr->lhs) && is_bound(layout, expr->rhs));
}

/* A backward is not told what the symbols are: there only attributes can say it. */
bool layout_may_lack_symints(const Layout *layout, const LayoutCall *call)
{
    for (uint32_t i = 0; i < call->num_flat; i++) {
        const LayoutFlat *flat = &call->flat[i];
        if (flat->expr != NULL && (call == &layout->backward || !is_bound(layout, flat->expr))) {
            return false;
        }
    }
    return call->num_symints > 0;
}

/* ---- contexts ---- */

static void note_context(Arena *arena, Layout *layout, uint32_t *capacity, const SpecSubclass *tree)
{
    if (tree == NULL) {
        return;
    }
    uint32_t i = 0;
    while (tree->context != NULL && i < layout->num_contexts && strcmp(layout->contexts[i], tree->context) != 0) {
        i++;
    }
    if (tree->context != NULL && i == layout->num_contexts) {
        void *names = roomier(arena, (void *)(uintptr_t)layout->contexts, i, capacity, sizeof(char *));
        layout->contexts = names;
        layout->contexts[layout->num_contexts++] = tree->context;
    }
    for (uint32_t k = 0; k < tree->inner_count; k++) {
        note_context(arena, layout, capacity, &tree->inner[k]);
    }
}

static void note_of_graph(Arena *arena, Layout *layout, uint32_t *capacity, const SpecGraph *graph)
{
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        note_context(arena, layout, capacity, graph->inputs[i].subclass);
        note_context(arena, layout, capacity, graph->inputs[i].updated);
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        note_context(arena, layout, capacity, graph->outputs[i].subclass);
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        note_context(arena, layout, capacity, graph->intermediate_bases[i].subclass);
    }
    for (uint32_t i = 0; graph->backward != NULL && i < graph->backward->tangents_count; i++) {
        note_context(arena, layout, capacity, graph->backward->tangents[i].subclass);
    }
    for (uint32_t i = 0; graph->backward != NULL && i < graph->backward->grad_inputs_count; i++) {
        note_context(arena, layout, capacity, graph->backward->grad_inputs[i].subclass);
    }
}

void layout_note_contexts(Arena *arena, Layout *layout)
{
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < layout->spec->graphs_count; i++) {
        note_of_graph(arena, layout, &capacity, &layout->spec->graphs[i]);
    }
}

uint32_t layout_context(const Layout *layout, const char *name)
{
    uint32_t i = 0;
    while (i < layout->num_contexts && strcmp(layout->contexts[i], name) != 0) {
        i++;
    }
    return i;
}
