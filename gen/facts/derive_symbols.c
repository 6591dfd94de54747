/* SPDX-License-Identifier: MIT */
/*
 * derive_symbols - what is known about the symbols of a graph once they have values: their declared bounds, where these
 * are tested, and that a size is not negative.
 */
#include "derive.h"

#include <string.h>

#include "../algebra/expr.h"

static bool is_symbol(const struct Expr *expr, uint32_t *symbol)
{
    if (expr == NULL || expr->kind != EXPR_SYMBOL) {
        return false;
    }
    *symbol = expr->symbol;
    return true;
}

/* Of the use that binds, and of later ones where equalities are tested. */
static void note_size(IntegerRange *range, bool bound, bool tested)
{
    if (tested || !bound) {
        integer_range_of_size(range);
    }
}

/* Records the bare uses in `ints`: the very first use binds, and a later one counts where equalities are tested. */
static void note_symbols(IntegerRange *ranges, bool *bound, bool tested, const SpecInts *ints, bool is_size)
{
    uint32_t symbol = 0;
    for (uint32_t i = 0; i < ints->text_count; i++) {
        if (!is_symbol(derive_expr(ints, i), &symbol)) {
            continue;
        }
        if (is_size) {
            note_size(&ranges[symbol], bound[symbol], tested);
        }
        bound[symbol] = true;
    }
}

static bool is_unbacked(const Spec *spec, const struct Expr *expr, uint32_t *symbol)
{
    return is_symbol(expr, symbol) && spec_is(spec->symbols[*symbol].unbacked);
}

/* Values that a tree returns may define symbols, and what they are is not known. */
static void note_tree(const Spec *spec, bool *bound, const SpecSubclass *tree)
{
    const SpecInts *const lists[] = {&tree->size, &tree->outer_size};
    uint32_t symbol = 0;
    for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++) {
        for (uint32_t i = 0; i < lists[list]->text_count; i++) {
            if (is_unbacked(spec, derive_expr(lists[list], i), &symbol)) {
                bound[symbol] = true;
            }
        }
    }
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        note_tree(spec, bound, &tree->inner[i]);
    }
}

/* The same as note_symbols() for the sizes of what the graph returns, which only count for unbacked symbols: the first
 * one defines, and where `tested` the others are held to it before anything is made from them. */
static void note_result(const Spec *spec, IntegerRange *ranges, bool *bound, bool tested, const SpecInts *size)
{
    uint32_t symbol = 0;
    for (uint32_t i = 0; i < size->text_count; i++) {
        if (!is_unbacked(spec, derive_expr(size, i), &symbol)) {
            continue;
        }
        note_size(&ranges[symbol], bound[symbol], tested);
        bound[symbol] = true;
    }
}

static void note_results(const Spec *spec, const SpecGraph *graph, IntegerRange *ranges, bool *bound, bool tested)
{
    uint32_t symbol = 0;
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        if (graph->inputs[i].updated != NULL) {
            note_tree(spec, bound, graph->inputs[i].updated);
        }
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        const bool made_anew = output->view_count > 0 || output->as_strided != NULL;
        if (output->subclass != NULL) {
            note_tree(spec, bound, output->subclass);
        } else if (is_unbacked(spec, output->value.expr, &symbol)) {
            bound[symbol] = true;
        } else if (output->type != SPEC_IS_INPUT) {
            note_result(spec, ranges, bound, tested && !made_anew, &output->size);
        }
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        const SpecBase *base = &graph->intermediate_bases[i];
        if (base->subclass != NULL) {
            note_tree(spec, bound, base->subclass);
        } else {
            note_result(spec, ranges, bound, tested, &base->size);
        }
    }
}

const IntegerRange *derive_symbol_ranges(Arena *arena, const Spec *spec, const SpecGraph *graph)
{
    const bool tested = graph->check >= SPEC_CHECK_CHEAP;
    IntegerRange *ranges = ARENA_ARRAY(arena, IntegerRange, spec->symbols_count);
    bool *bound = ARENA_ARRAY(arena, bool, spec->symbols_count);
    for (uint32_t i = 0; tested && i < spec->symbols_count; i++) {
        const SpecSymbol *symbol = &spec->symbols[i];
        ranges[i] = (IntegerRange){symbol->has_min, symbol->has_max, symbol->min_value, symbol->max_value};
    }
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const SpecInput *input = &graph->inputs[i];
        uint32_t symbol = 0;
        if (spec_is(input->frozen)) {
            continue;
        }
        note_symbols(ranges, bound, tested, &input->size, true);
        note_symbols(ranges, bound, tested, &input->stride, false);
        if (is_symbol(input->storage_offset.expr, &symbol) || is_symbol(input->value.expr, &symbol)) {
            bound[symbol] = true;
        }
    }
    note_results(spec, graph, ranges, bound, tested);
    return ranges;
}

Guards *derive_guards(Arena *arena, const Spec *spec, const SpecGraph *graph)
{
    SpecGraph tested = *graph;
    int64_t *multiples = ARENA_ARRAY(arena, int64_t, spec->symbols_count);
    for (uint32_t i = 0; i < spec->symbols_count; i++) {
        multiples[i] = spec->symbols[i].multiple_of_value > 1 ? spec->symbols[i].multiple_of_value : 1;
    }
    tested.check = SPEC_CHECK_CHEAP;
    return guards_new(arena, derive_symbol_ranges(arena, spec, &tested), multiples, spec->symbols_count);
}

bool derive_find_symbol(void *ctx, const char *name, size_t length, uint32_t *symbol)
{
    const Spec *spec = *(const Spec *const *)ctx;
    for (uint32_t i = 0; i < spec->symbols_count; i++) {
        if (strlen(spec->symbols[i].name) == length && memcmp(spec->symbols[i].name, name, length) == 0) {
            *symbol = i;
            return true;
        }
    }
    return false;
}

ConditionRange derive_symbol_range(const SpecSymbol *symbol)
{
    return condition_range(symbol->has_min ? symbol->min_value : INT64_MIN,
                           symbol->has_max ? symbol->max_value : INT64_MAX, symbol->multiple_of_value);
}

const Expr **derive_tested_guards(Arena *arena, const Spec *spec, const SpecGraph *graph)
{
    const SpecInts *all = &graph->guards;
    const Expr **tested = ARENA_ARRAY(arena, const Expr *, (size_t)all->text_count + 1);
    Guards *guards = all->text_count > 0 ? derive_guards(arena, spec, graph) : NULL;
    for (uint32_t i = 0; i < all->text_count; i++) {
        tested[i] = guards_simplify(guards, all->expr[i]);
        guards_assume(guards, all->expr[i]);
    }
    return tested;
}
