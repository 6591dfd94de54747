/* SPDX-License-Identifier: MIT */
/*
 * scenario_symbols - the values of symbols in a call: within their bounds, such that nothing that is stated is absurd
 * and the guards hold, unless something else was asked for.
 */
#include "scenario_private.h"

static bool may_be(const SpecSymbol *symbol, int64_t value)
{
    return value >= 0 && (symbol->min == NULL || value >= symbol->min_value) &&
           (symbol->max == NULL || value <= symbol->max_value) &&
           (symbol->multiple_of == NULL || value % symbol->multiple_of_value == 0);
}

static int64_t draw_symbol(Random *random, const SpecSymbol *symbol)
{
    static const int64_t small[] = {2, 3, 4, 5, 1, 6, 8, 2, 3, 4, 0, 12};
    for (int tries = 0; tries < 60; tries++) {
        const int64_t value = small[random_below(random, 12)];
        if (may_be(symbol, value)) {
            return value;
        }
    }
    /* None of the small ones is allowed: the first ones that are. */
    const int64_t multiple = symbol->multiple_of != NULL ? symbol->multiple_of_value : 1;
    const int64_t least = symbol->min != NULL && symbol->min_value > 0 ? symbol->min_value : 0;
    const int64_t first = least / multiple + (least % multiple != 0);
    const int64_t value = (first + random_below(random, 4)) * multiple;
    return symbol->max != NULL && value > symbol->max_value ? first * multiple : value;
}

static bool list_is_sane(const Symbols *symbols, const SpecInts *ints)
{
    for (uint32_t i = 0; i < ints->text_count; i++) {
        int64_t value = 0;
        if (ints->expr[i] == NULL) {
            continue; /* nested */
        }
        if (!evaluate(symbols, ints->expr[i], &value) || value < 0 || value > 10000) {
            return false;
        }
    }
    return true;
}

static bool facts_are_sane(const Symbols *symbols, const SpecInts *size, const SpecInts *stride, const SpecInt *offset)
{
    int64_t value = 0;
    const bool sane_offset = offset->expr == NULL || (evaluate(symbols, offset->expr, &value) && value >= 0);
    return sane_offset && list_is_sane(symbols, size) && list_is_sane(symbols, stride);
}

static bool tree_is_sane(const Symbols *symbols, const SpecSubclass *tree)
{
    bool sane =
        tree == NULL || (list_is_sane(symbols, &tree->outer_size) && list_is_sane(symbols, &tree->outer_stride) &&
                         list_is_sane(symbols, &tree->size) && list_is_sane(symbols, &tree->stride));
    for (uint32_t i = 0; tree != NULL && i < tree->inner_count; i++) {
        sane = sane && tree_is_sane(symbols, &tree->inner[i]);
    }
    return sane;
}

/* Nothing that is stated comes out negative, or too large to be fun. */
static bool symbols_are_sane(const Prepared *p)
{
    const SpecGraph *graph = p->layout->graph;
    bool sane = true;
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const SpecInput *input = &graph->inputs[i];
        sane = sane && facts_are_sane(&p->symbols, &input->size, &input->stride, &input->storage_offset);
        sane = sane && tree_is_sane(&p->symbols, input->subclass) && tree_is_sane(&p->symbols, input->updated);
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        sane = sane && facts_are_sane(&p->symbols, &output->size, &output->stride, &output->storage_offset);
        sane = sane && tree_is_sane(&p->symbols, output->subclass);
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        const SpecBase *base = &graph->intermediate_bases[i];
        sane = sane && facts_are_sane(&p->symbols, &base->size, &base->stride, &base->storage_offset);
        sane = sane && tree_is_sane(&p->symbols, base->subclass);
    }
    return sane;
}

/* All guards hold, but for the one that is to be broken. */
static bool guards_are_as_asked(const Prepared *p)
{
    const SpecInts *guards = &p->layout->graph->guards;
    bool asked = true;
    for (uint32_t i = 0; asked && i < guards->text_count; i++) {
        const bool broken = p->scenario->defect == DEFECT_GUARD && p->scenario->dimension == i;
        int64_t holds = 0;
        asked = evaluate(&p->symbols, guards->expr[i], &holds) && (holds == 0) == broken;
    }
    return asked;
}

/* Each at random; false: something stated comes out wrong, or guards are not as asked. */
static bool draw_all(Prepared *p, Random *random)
{
    const Spec *spec = p->layout->spec;
    for (uint32_t i = 0; i < spec->symbols_count; i++) {
        p->bound[i] = true;
        p->values[i] = draw_symbol(random, &spec->symbols[i]);
        if (p->scenario->fixes_symbol && p->scenario->symbol == i) {
            p->values[i] = p->scenario->symbol_value;
        }
    }
    return symbols_are_sane(p) && guards_are_as_asked(p);
}

/* ---- the edge of a guard ---- */

static bool holds_at(const Prepared *p, const Expr *guard, uint32_t symbol, int64_t value)
{
    int64_t holds = 0;
    p->values[symbol] = value;
    return evaluate(&p->symbols, guard, &holds) && holds != 0;
}

/* Moves a symbol to where the guard is about to change: to the last value on the one side of the edge, or to the first
 * on the other. False: the guard is the same at both ends of what the symbol may be. */
static bool move_to_edge(Prepared *p, const Expr *guard, uint32_t symbol)
{
    enum { MOST = 1 << 20 };
    const SpecSymbol *declared = &p->layout->spec->symbols[symbol];
    const int64_t multiple = declared->multiple_of != NULL ? declared->multiple_of_value : 1;
    const int64_t least = declared->min != NULL && declared->min_value > 0 ? declared->min_value : 0;
    const int64_t most = declared->max != NULL && declared->max_value < MOST ? declared->max_value : MOST;
    int64_t low = (least + multiple - 1) / multiple;
    int64_t high = most / multiple;
    const bool at_low = holds_at(p, guard, symbol, low * multiple);
    if (low >= high || holds_at(p, guard, symbol, high * multiple) == at_low) {
        return false;
    }
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (holds_at(p, guard, symbol, middle * multiple) == at_low) {
            low = middle;
        } else {
            high = middle;
        }
    }
    p->values[symbol] = (p->scenario->seed % 2 == 0 ? low : high) * multiple;
    return true;
}

/* All other guards hold. */
static bool others_hold(const Prepared *p, uint32_t but)
{
    const SpecInts *guards = &p->layout->graph->guards;
    bool hold = true;
    for (uint32_t i = 0; hold && i < guards->text_count; i++) {
        int64_t value = 1;
        hold = i == but || (evaluate(&p->symbols, guards->expr[i], &value) && value != 0);
    }
    return hold;
}

/* One of the literals of a tree, each as likely as any other. */
static void draw_literal(const Expr *expr, Random *random, uint32_t *num_seen, int64_t *literal)
{
    if (expr->kind == EXPR_LITERAL && random_below(random, ++*num_seen) == 0) {
        *literal = expr->literal;
    } else if (expr_is_operation(expr)) {
        draw_literal(expr->lhs, random, num_seen, literal);
        draw_literal(expr->rhs, random, num_seen, literal);
    }
}

/* The other symbols are at the ends of their ranges at times, as products become large only there, or what the guard
 * compares something with, or larger than what draw_symbol() likes. */
static void draw_others(Prepared *p, const Expr *guard, Random *random)
{
    const Spec *spec = p->layout->spec;
    for (uint32_t i = 0; i < spec->symbols_count; i++) {
        const SpecSymbol *symbol = &spec->symbols[i];
        int64_t value = -1;
        uint32_t num_seen = 0;
        if (random_chance(random, 40)) {
            draw_literal(guard, random, &num_seen, &value);
        } else if (symbol->max != NULL && symbol->max_value < 100000 && random_chance(random, 60)) {
            value = symbol->max_value;
            value -= symbol->multiple_of != NULL ? value % symbol->multiple_of_value : 0;
        } else if (random_chance(random, 40)) {
            value = random_below(random, 200);
        }
        p->values[i] = may_be(symbol, value) ? value : p->values[i];
    }
}

static bool draw_edge(Prepared *p, Random *random)
{
    const uint32_t number = p->scenario->dimension;
    const Expr *guard = p->layout->graph->guards.expr[number];
    (void)draw_all(p, random);
    draw_others(p, guard, random);
    return move_to_edge(p, guard, p->scenario->symbol) && others_hold(p, number);
}

void scenario_draw_symbols(Prepared *p, Random *random)
{
    const int most = p->layout->graph->guards.text_count > 0 ? 1000 : 100; /* guards may be hard to meet */
    bool done = false;
    for (int tries = 0; tries < most && !done; tries++) {
        done = p->scenario->at_edge ? draw_edge(p, random) : draw_all(p, random);
    }
    if (!done && p->scenario->at_edge) {
        (void)draw_all(p, random);
    }
}
