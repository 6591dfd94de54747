/* SPDX-License-Identifier: MIT */
/* loop.c - see loop.h. What went wrong is noted in the context as generated code does it: code, graph and argument. */
#include "loop_private.h"

#include <string.h>

enum { LOCAL = 32, MOST_FACTS = 16 }; /* more values than that come from the context's scratch */

#define COLD __attribute__((cold, noinline))

COLD int32_t loop_fail(WgContext *ctx, const LoopGraph *graph, const char *argument, int32_t code)
{
    WgSite *site = &wg_host_error_slot(ctx)->site; /* a site must outlive the call */
    *site = (WgSite){graph->name, argument, NULL, code, WG_KIND_NONE};
    return wg_fail(ctx, site, -1, wg_value_integer(0), wg_value_integer(0));
}

COLD int32_t loop_fail_tensor(WgContext *ctx, const LoopGraph *graph, const LoopTensor *about, const WgTensor *t)
{
    const WgSite site = {graph->name, about->name, NULL, WG_E_TYPE, WG_KIND_NONE};
    WgFact facts[MOST_FACTS] = {{0, 0, 0}};
    size_t n = 0;
    if (about->rank >= 0) {
        if (about->dtype >= 0) {
            facts[n++] = (WgFact){WG_RULE_DTYPE, -1, about->dtype};
        }
        facts[n++] = (WgFact){WG_RULE_RANK, -1, about->rank};
        for (int32_t d = 0; d < about->rank; d++) {
            facts[n++] = (WgFact){WG_RULE_SIZE, d, about->sizes[d]};
        }
        for (int32_t d = 0; d < about->rank; d++) {
            facts[n++] = (WgFact){WG_RULE_STRIDE, d, about->strides[d]};
        }
        if (about->offset >= 0) {
            facts[n++] = (WgFact){WG_RULE_OFFSET, -1, about->offset};
        }
    }
    return wg_fail_tensor(ctx, &site, t, facts, n);
}

int loop_is_as_stated(WgContext *ctx, const LoopTensor *about, const WgTensor *t)
{
    if (t == NULL || !wg_is_plain(ctx, t)) {
        return 0;
    }
    if (about->rank < 0) {
        return 1;
    }
    if ((about->dtype >= 0 && wg_dtype(ctx, t) != about->dtype) || wg_rank(ctx, t) != about->rank) {
        return 0;
    }
    for (int32_t d = 0; d < about->rank; d++) {
        if (wg_size(ctx, t, d) != about->sizes[d] || wg_stride(ctx, t, d) != about->strides[d]) {
            return 0;
        }
    }
    return about->offset < 0 || wg_offset(ctx, t) == about->offset;
}

static int32_t check_inputs(WgContext *ctx, const LoopGraph *graph, const WgValue *args)
{
    for (int32_t i = graph->num_inputs - graph->num_duplicates; i < graph->num_inputs; i++) {
        const WgTensor *a = args[i].tensor;
        const WgTensor *b = args[graph->inputs[i].duplicate_of].tensor;
        if (a == NULL || b == NULL ? a != b : !wg_same(ctx, a, b)) {
            return loop_fail(ctx, graph, graph->inputs[i].name, WG_E_IDENTITY);
        }
    }
    for (int32_t i = 0; i < graph->num_inputs - graph->num_duplicates; i++) {
        if (!loop_is_as_stated(ctx, &graph->inputs[i], args[i].tensor)) {
            return loop_fail_tensor(ctx, graph, &graph->inputs[i], args[i].tensor);
        }
        if (graph->inputs[i].no_grad && wg_requires_grad(ctx, args[i].tensor)) {
            return loop_fail(ctx, graph, graph->inputs[i].name, WG_E_GRAD);
        }
    }
    for (int32_t i = 1; i < graph->num_merged; i++) {
        if (!wg_same_storage(ctx, args[graph->merged[0]].tensor, args[graph->merged[i]].tensor)) {
            return loop_fail(ctx, graph, graph->inputs[graph->merged[i]].name, WG_E_IDENTITY);
        }
    }
    return wg_host_status(ctx);
}

/* Runs the compiled function with the modes that it was compiled for. */
int32_t loop_call(WgContext *ctx, const LoopGraph *graph, int replay, const WgValue *args, size_t num_args,
                  WgValue *results, size_t expected, size_t *num_results)
{
    const int grad_mode = wg_grad_mode(ctx);
    const int view_replay = wg_view_replay(ctx);
    uint32_t autocast = 0;
    if (replay && !view_replay) {
        wg_set_view_replay(ctx, 1);
    }
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    if (graph->disable_amp) {
        autocast = wg_autocast_off(ctx);
    }
    wg_error_clear(ctx);
    memset(results, 0, expected * sizeof *results);
    *num_results = expected;
    const int32_t status = graph->kernel(ctx, args, num_args, results, num_results);
    if (graph->disable_amp) {
        wg_autocast_restore(ctx, autocast);
    }
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
    }
    if (replay && !view_replay) {
        wg_set_view_replay(ctx, 0);
    }
    if (status != WG_OK) {
        *num_results = 0;
        return loop_fail(ctx, graph, NULL, WG_E_COMPILED);
    }
    return *num_results == expected ? WG_OK : loop_fail(ctx, graph, NULL, WG_E_OUTPUTS);
}

/* What came back as outputs, before anything is done with it. */
static int32_t check_results(WgContext *ctx, const LoopGraph *graph, const WgValue *args, const WgTensor *base,
                             WgValue *results)
{
    for (int32_t i = 0; i < graph->num_outputs; i++) {
        const LoopOutput *output = &graph->outputs[i];
        if (output->stated != NULL && !loop_is_as_stated(ctx, output->stated, results[i].tensor)) {
            return loop_fail(ctx, graph, output->name, WG_E_RESULT);
        }
    }
    const char *output = NULL;
    int32_t status = wg_host_status(ctx);
    if (status == WG_OK) {
        status = loop_separate(ctx, graph, args, base, results, &output);
        status = status == WG_OK ? WG_OK : loop_fail(ctx, graph, output, status);
    }
    return status;
}

static int32_t write_back(WgContext *ctx, const LoopGraph *graph, const WgValue *args, const WgValue *results)
{
    for (int32_t i = 0; i < graph->num_written; i++) {
        WgTensor *dst = args[graph->written[i]].tensor;
        if (results[i].tensor == NULL) {
            return loop_fail(ctx, graph, graph->inputs[graph->written[i]].name, WG_E_RESULT);
        }
        const int32_t status = wg_requires_grad(ctx, dst) ? wg_copy_leaf_(ctx, dst, results[i].tensor)
                                                          : wg_copy_(ctx, dst, results[i].tensor);
        if (status != 0) {
            return loop_fail(ctx, graph, graph->inputs[graph->written[i]].name, WG_E_HOST);
        }
    }
    return WG_OK;
}

static int32_t save(WgContext *ctx, const LoopGraph *graph, WgValue *results, const LoopSaved *saved)
{
    for (int32_t i = 0; i < graph->num_saved + graph->num_unchecked; i++) {
        if (results[i].tensor == NULL) {
            return loop_fail(ctx, graph, NULL, WG_E_RESULT);
        }
        if (wg_is_view(ctx, results[i].tensor)) {
            WgTensor *detached = NULL;
            if (wg_detach(ctx, results[i].tensor, &detached) != 0) {
                return loop_fail(ctx, graph, NULL, WG_E_HOST);
            }
            wg_release(ctx, results[i].tensor);
            results[i].tensor = detached;
        }
        if (i < graph->num_saved) {
            saved->versions[i] = wg_version(ctx, results[i].tensor);
        }
    }
    return WG_OK;
}

/* Outputs in `outs`; what came back and was not given away stays in results. */
static int32_t deliver(WgContext *ctx, const LoopGraph *graph, const WgValue *args, WgValue *results, WgValue *outs)
{
    for (int32_t i = 0; i < graph->num_outputs; i++) {
        const LoopOutput *output = &graph->outputs[i];
        if (results[i].tensor == NULL) {
            return loop_fail(ctx, graph, output->name, WG_E_RESULT);
        }
        if (output->alias_of >= 0) {
            if (wg_alias_like(ctx, args[output->alias_of].tensor, results[i].tensor, output->requires_grad,
                              &outs[i].tensor) != 0) {
                return loop_fail(ctx, graph, output->name, WG_E_HOST);
            }
        } else {
            if (output->requires_grad && wg_set_requires_grad(ctx, results[i].tensor, 1) != 0) {
                return loop_fail(ctx, graph, output->name, WG_E_HOST);
            }
            outs[i].tensor = results[i].tensor;
            results[i].tensor = NULL;
        }
    }
    return WG_OK;
}

/* A result that says where an alias leads lies in the memory of that input. */
static int32_t check_views(WgContext *ctx, const LoopGraph *graph, const WgValue *args, const WgValue *results)
{
    for (int32_t i = 0; i < graph->num_outputs; i++) {
        const LoopOutput *output = &graph->outputs[i];
        if (output->alias_of >= 0 &&
            (results[i].tensor == NULL || !wg_same_storage(ctx, results[i].tensor, args[output->alias_of].tensor))) {
            return loop_fail(ctx, graph, output->name, WG_E_RESULT);
        }
    }
    return WG_OK;
}

/* After the call: everything that was returned is in `results`. */
static int32_t finish(WgContext *ctx, const LoopGraph *graph, const WgValue *args, WgValue *results, WgValue *outs,
                      const LoopSaved *saved)
{
    const int32_t first = graph->num_written;
    WgValue *kept = results + first + graph->num_outputs;
    int32_t status = check_views(ctx, graph, args, results + first);
    if (status == WG_OK) {
        status = write_back(ctx, graph, args, results);
    }
    if (status == WG_OK && graph->is_training) {
        status = save(ctx, graph, kept, saved);
    }
    if (status == WG_OK) {
        status = deliver(ctx, graph, args, results + first, outs);
    }
    if (status == WG_OK && graph->is_training) {
        for (int32_t i = 0; i < graph->num_saved; i++) {
            saved->tensors[i] = kept[i].tensor;
        }
        for (int32_t i = 0; i < graph->num_unchecked; i++) {
            saved->unchecked[i] = kept[graph->num_saved + i].tensor;
        }
    }
    return status;
}

static void undo(WgContext *ctx, const LoopGraph *graph, WgValue *outs, const LoopSaved *saved)
{
    wg_release_run(ctx, outs, (size_t)graph->num_outputs);
    if (graph->is_training) {
        memset(saved->tensors, 0, (size_t)graph->num_saved * sizeof *saved->tensors);
        memset(saved->versions, 0, (size_t)graph->num_saved * sizeof *saved->versions);
        memset(saved->unchecked, 0, (size_t)graph->num_unchecked * sizeof *saved->unchecked);
    }
}

/* What is passed: the caller's array where nothing changes. `base` is the merged storage's. */
static const WgValue *pack(const LoopGraph *graph, const WgValue *args, WgTensor *base, WgValue *packed)
{
    if (graph->kept == NULL) {
        return args;
    }
    int32_t n = 0;
    if (base != NULL) {
        packed[n++].tensor = base;
    }
    for (int32_t i = 0; i < graph->num_kept; i++) {
        packed[n++] = args[graph->kept[i]];
    }
    return packed;
}

int32_t loop_forward(WgContext *ctx, const LoopGraph *graph, const WgValue *args, WgValue *outs, const LoopSaved *saved)
{
    WgValue local[LOCAL];
    const int needs_results = graph->num_written + graph->num_aliases + graph->is_training != 0;
    const size_t num_args = (size_t)(graph->num_kept + (graph->num_merged != 0));
    const size_t num_results =
        (size_t)(graph->num_written + graph->num_outputs + graph->num_saved + graph->num_unchecked);
    const size_t num_values = (graph->kept == NULL ? 0 : num_args) + (needs_results ? num_results : 0);
    WgTensor *base = NULL;
    WgValue *values = local;
    size_t found = 0;
    if (args == NULL || outs == NULL) {
        return loop_fail(ctx, graph, NULL, WG_E_NULL);
    }
    memset(outs, 0, (size_t)graph->num_outputs * sizeof *outs);
    if (num_values > LOCAL && (values = wg_scratch_take(ctx, num_values)) == NULL) {
        return loop_fail(ctx, graph, NULL, WG_E_SCRATCH);
    }
    WgValue *results = needs_results ? values : outs;
    int32_t status = check_inputs(ctx, graph, args);
    if (status == WG_OK && graph->num_merged) {
        status = wg_storage_base(ctx, args[graph->merged[0]].tensor, &base);
        if (status == WG_OK) {
            status = wg_bump_version(ctx, base);
        }
    }
    for (int32_t i = 0; status == WG_OK && i < graph->num_bumped; i++) {
        status = wg_bump_version(ctx, args[graph->bumped[i]].tensor);
    }
    if (status == WG_OK) {
        const WgValue *passed = pack(graph, args, base, values + (needs_results ? num_results : 0));
        status = loop_call(ctx, graph, graph->is_training, passed, num_args, results, num_results, &found);
    }
    if (status == WG_OK) {
        status = check_results(ctx, graph, args, base, results + graph->num_written);
    }
    if (status == WG_OK && needs_results) {
        status = finish(ctx, graph, args, results, outs, saved);
    }
    for (int32_t i = 0; status == WG_OK && !needs_results && i < graph->num_outputs; i++) {
        if (outs[i].tensor == NULL && graph->inputs[0].rank >= 0) { /* at check: none a null goes through */
            status = loop_fail(ctx, graph, graph->outputs[i].name, WG_E_RESULT);
        }
    }
    if (needs_results) {
        const size_t rest = status == WG_OK ? num_results - (size_t)(graph->num_saved + graph->num_unchecked) : found;
        wg_release_run(ctx, results, rest);
    }
    if (status != WG_OK) {
        undo(ctx, graph, outs, saved);
    }
    if (base != NULL) {
        wg_release(ctx, base);
    }
    if (values != local) {
        wg_scratch_give(ctx, num_values);
    }
    return status;
}

static int32_t check_backward(WgContext *ctx, const LoopGraph *graph, const LoopSaved *saved, const WgValue *tangents)
{
    for (int32_t i = 0; i < graph->num_saved; i++) {
        const WgTensor *t = saved->tensors[i];
        if (t == NULL || wg_version(ctx, t) != saved->versions[i]) {
            return loop_fail(ctx, graph, NULL, WG_E_VERSION);
        }
    }
    if (wg_deterministic(ctx)) {
        return loop_fail(ctx, graph, NULL, WG_E_MODE);
    }
    for (int32_t i = 0; i < graph->num_outputs; i++) {
        if (tangents[i].tensor != NULL && !wg_is_plain(ctx, tangents[i].tensor)) {
            const LoopTensor about = {graph->tangents[i].name, NULL, NULL, -1, -1, 0, -1, 0};
            return loop_fail_tensor(ctx, graph, &about, tangents[i].tensor);
        }
    }
    return wg_host_status(ctx);
}

/* The arguments of the compiled backward; tangents are references of their own, to be released. */
static int32_t pack_backward(WgContext *ctx, const LoopGraph *graph, const LoopSaved *saved, const WgValue *tangents,
                             WgValue *packed)
{
    for (int32_t i = 0; i < graph->num_saved; i++) {
        packed[i].tensor = saved->tensors[i];
    }
    for (int32_t i = 0; i < graph->num_unchecked; i++) {
        packed[graph->num_saved + i].tensor = saved->unchecked[i];
    }
    packed += graph->num_saved + graph->num_unchecked;
    for (int32_t i = 0; i < graph->num_outputs; i++) {
        const LoopTensor *about = &graph->tangents[i];
        const WgGeometry geometry = {about->sizes, about->strides, 0, about->rank};
        packed[i].tensor = NULL;
        /* Zeros for one that is missing, of the dtype and on the device that the forward saved: the fixture's are 0. */
        if (tangents[i].tensor == NULL
                ? wg_zeros(ctx, about->sizes, (size_t)about->rank, 0, 0, &packed[i].tensor) != 0
                : wg_coerce_strides(ctx, tangents[i].tensor, &geometry, &packed[i].tensor) != 0) {
            wg_release_run(ctx, packed, (size_t)i);
            return loop_fail(ctx, graph, about->name, WG_E_HOST);
        }
    }
    return WG_OK;
}

int32_t loop_backward(WgContext *ctx, const LoopGraph *graph, const LoopSaved *saved, const WgValue *tangents,
                      WgValue *outs)
{
    WgValue local[LOCAL];
    const size_t num_saved = (size_t)(graph->num_saved + graph->num_unchecked);
    const size_t num_args = num_saved + (size_t)graph->num_outputs;
    const size_t num_values = num_args + (size_t)graph->num_inputs;
    WgValue *values = local;
    size_t found = 0;
    if (saved == NULL || tangents == NULL || outs == NULL) {
        return loop_fail(ctx, graph, NULL, WG_E_NULL);
    }
    if (num_values > LOCAL && (values = wg_scratch_take(ctx, num_values)) == NULL) {
        return loop_fail(ctx, graph, NULL, WG_E_SCRATCH);
    }
    WgValue *results = values + num_args;
    int32_t status = check_backward(ctx, graph, saved, tangents);
    if (status == WG_OK) {
        status = pack_backward(ctx, graph, saved, tangents, values);
        if (status == WG_OK) {
            status = loop_call(ctx, graph, 0, values, num_args, results, (size_t)graph->num_inputs, &found);
            wg_release_run(ctx, values + num_saved, (size_t)graph->num_outputs);
        }
    }
    int32_t n = 0;
    for (int32_t i = 0; status == WG_OK && i < graph->num_inputs; i++) {
        if (graph->gradients[i].rank < 0) {
            continue;
        }
        if (results[i].tensor == NULL) {
            status = loop_fail(ctx, graph, graph->gradients[i].name, WG_E_RESULT);
        }
        outs[n++].tensor = results[i].tensor;
        results[i].tensor = NULL;
    }
    wg_release_run(ctx, results, found);
    if (status != WG_OK) {
        wg_release_run(ctx, outs, (size_t)n);
        memset(outs, 0, (size_t)graph->num_gradients * sizeof *outs);
    }
    if (values != local) {
        wg_scratch_give(ctx, num_values);
    }
    return status;
}
