/* SPDX-License-Identifier: MIT */
/* loop_subclass.c - a graph with one subclass in and one out, of the same kind. */
#include "loop_private.h"

enum { LOCAL = 32 };

/* The leaves of `t` into packed from *n on. */
static int32_t flatten(WgContext *ctx, const LoopGraph *graph, const LoopTree *tree, WgTensor *t, WgValue *packed,
                       size_t *n)
{
    const LoopTensor *about = &tree->tensor;
    if (tree->type == NULL) {
        if (!loop_is_as_stated(ctx, about, t)) {
            return loop_fail_tensor(ctx, graph, about, t);
        }
        packed[(*n)++].tensor = t;
        return WG_OK;
    }
    if (t == NULL || !wg_is_type(ctx, t, tree->type)) {
        const WgSite site = {graph->name, about->name, NULL, WG_E_TYPE, WG_KIND_NONE};
        return wg_fail_type(ctx, &site, t, tree->type);
    }
    if (wg_rank(ctx, t) != about->rank) {
        return loop_fail(ctx, graph, about->name, WG_E_RANK);
    }
    for (int32_t d = 0; d < about->rank; d++) {
        if (wg_size(ctx, t, d) != about->sizes[d]) {
            return loop_fail(ctx, graph, about->name, WG_E_SIZE);
        }
        if (wg_stride(ctx, t, d) != about->strides[d]) {
            return loop_fail(ctx, graph, about->name, WG_E_STRIDE);
        }
    }
    int32_t status = WG_OK;
    for (int32_t i = 0; i < tree->num_attrs && status == WG_OK; i++) {
        WgTensor *attr = NULL;
        status = wg_attr(ctx, t, i, &attr) != 0 ? loop_fail(ctx, graph, tree->attrs[i].tensor.name, WG_E_HOST)
                                                : flatten(ctx, graph, &tree->attrs[i], attr, packed, n);
    }
    return status;
}

/* The tensor that `tree` describes, of results[*n], ...; what it takes of them is null then. */
static int32_t unflatten(WgContext *ctx, const LoopGraph *graph, const LoopTree *tree, WgValue *results, size_t *n,
                         WgTensor **out)
{
    WgTensor *attrs[LOCAL];
    const LoopTensor *about = &tree->tensor;
    if (tree->type == NULL) {
        *out = results[*n].tensor;
        results[(*n)++].tensor = NULL;
        return *out == NULL ? loop_fail(ctx, graph, tree->returned, WG_E_RESULT) : WG_OK;
    }
    for (int32_t i = 0; i < tree->num_attrs; i++) {
        const int32_t status = unflatten(ctx, graph, &tree->attrs[i], results, n, &attrs[i]);
        if (status != WG_OK) {
            while (i-- > 0) {
                wg_release(ctx, attrs[i]);
            }
            return status;
        }
    }
    const WgGeometry outer = {about->sizes, about->strides, 0, about->rank};
    const int32_t status = wg_rebuild(ctx, tree->type, *graph->context, attrs, (size_t)tree->num_attrs, &outer, out);
    return status == 0 ? WG_OK : loop_fail(ctx, graph, graph->outputs[0].name, WG_E_HOST);
}

int32_t loop_subclass(WgContext *ctx, const LoopGraph *graph, const WgValue *args, WgValue *outs)
{
    WgValue packed[LOCAL];
    WgValue results[LOCAL];
    size_t num_args = 0;
    size_t found = 0;
    if (args == NULL || outs == NULL) {
        return loop_fail(ctx, graph, NULL, WG_E_NULL);
    }
    outs[0].tensor = NULL;
    int32_t status = flatten(ctx, graph, graph->tree, args[0].tensor, packed, &num_args);
    if (status == WG_OK) {
        status = loop_call(ctx, graph, 0, packed, num_args, results, (size_t)graph->num_leaves, &found);
    }
    if (status == WG_OK) {
        size_t n = 0;
        status = unflatten(ctx, graph, graph->tree, results, &n, &outs[0].tensor);
    }
    if (status != WG_OK) {
        wg_release_run(ctx, results, found);
    }
    return status;
}
