/* SPDX-License-Identifier: MIT */
/*
 * loop_identity.c - results that are an argument, or one another, by the rules of schema/SPEC.md, "Results that are one
 * object". Where many are looked at together, the objects' addresses are noted in a table, as generated code does.
 */
#include "loop_private.h"

enum { BITS = 12, PLACES = 1 << BITS }; /* at least twice as many as any case has results */

/* Compared with arguments or among one another: outputs that alias nothing. */
static int is_compared(const LoopOutput *output)
{
    return output->alias_of < 0;
}

static int is_one(WgContext *ctx, const WgTensor *a, const WgTensor *b)
{
    return a != NULL && b != NULL && wg_same(ctx, a, b);
}

static int is_argument(WgContext *ctx, const LoopGraph *graph, const WgValue *args, const WgTensor *base,
                       const WgTensor *result)
{
    for (int32_t i = 0; i < graph->num_alike; i++) {
        if (is_one(ctx, result, args[graph->alike[i]].tensor)) {
            return 1;
        }
    }
    return is_one(ctx, result, base);
}

/* The result becomes an object of its own: a view of what it is, or an alias of it, detached. */
static int32_t replace(WgContext *ctx, int as_view, WgValue *result)
{
    WgTensor *own = NULL;
    WgTensor *t = result->tensor;
    if ((as_view ? wg_alias_like(ctx, t, t, wg_requires_grad(ctx, t), &own) : wg_detach(ctx, t, &own)) != 0) {
        return WG_E_HOST;
    }
    wg_release(ctx, t);
    result->tensor = own;
    return WG_OK;
}

static int32_t separate_each(WgContext *ctx, const LoopGraph *graph, const WgValue *args, const WgTensor *base,
                             WgValue *results, const char **output)
{
    int32_t status = WG_OK;
    for (int32_t i = 0; i < graph->num_outputs && status == WG_OK; i++) {
        if (!is_compared(&graph->outputs[i]) || !is_argument(ctx, graph, args, base, results[i].tensor)) {
            continue;
        }
        if (!graph->is_training) {
            *output = graph->outputs[i].name;
            return WG_E_RESULT;
        }
        status = replace(ctx, 1, &results[i]);
    }
    for (int32_t i = 1; i < graph->num_outputs && status == WG_OK; i++) {
        int same = 0;
        for (int32_t k = 0; k < i && is_compared(&graph->outputs[i]); k++) {
            same = same || (is_compared(&graph->outputs[k]) && is_one(ctx, results[i].tensor, results[k].tensor));
        }
        status = same ? replace(ctx, 0, &results[i]) : WG_OK;
    }
    return status;
}

/* Where the tensor is in the table, or where it would be noted. */
static size_t place_of(WgContext *ctx, const WgTensor *t, const WgValue *results, const uint16_t *seen)
{
    size_t place = wg_seen_place(BITS, wg_sizes(ctx, t));
    while (seen[place] != 0 && !wg_same(ctx, results[seen[place] - 1].tensor, t)) {
        place = wg_seen_next(BITS, place);
    }
    return place;
}

static int any_is_one(WgContext *ctx, const LoopGraph *graph, const WgValue *args, const WgTensor *base,
                      const WgValue *results)
{
    uint16_t seen[PLACES] = {0};
    for (int32_t i = 0; i < graph->num_outputs; i++) {
        if (is_compared(&graph->outputs[i])) {
            uint16_t *place = &seen[place_of(ctx, results[i].tensor, results, seen)];
            if (*place != 0 || is_one(ctx, results[i].tensor, base)) {
                return 1;
            }
            *place = (uint16_t)(i + 1);
        }
    }
    for (int32_t i = 0; i < graph->num_inputs - graph->num_duplicates; i++) {
        if (i >= graph->num_merged && seen[place_of(ctx, args[i].tensor, results, seen)] != 0) {
            return 1;
        }
    }
    return 0;
}

int32_t loop_separate(WgContext *ctx, const LoopGraph *graph, const WgValue *args, const WgTensor *base,
                      WgValue *results, const char **output)
{
    int32_t status = WG_OK;
    if (graph->compares_each) {
        return separate_each(ctx, graph, args, base, results, output);
    }
    const int any = graph->compares_all && any_is_one(ctx, graph, args, base, results);
    for (int32_t i = 0; i < graph->num_outputs && any && status == WG_OK; i++) {
        status = is_compared(&graph->outputs[i]) ? replace(ctx, graph->is_training, &results[i]) : WG_OK;
    }
    return status;
}
