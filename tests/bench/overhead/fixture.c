/* SPDX-License-Identifier: MIT */
/* fixture.c - see fixture.h. */
#include "fixture.h"

const char *const contestant_names[NUM_CONTESTANTS] = {"generated", "loop", "floor"};

/* ---- the compiled function ---- */

static WgValue bench_results[MOST];
static size_t bench_num_results;
static Seen *bench_seen;

int32_t bench_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const size_t n = bench_num_results;
    if (bench_seen != NULL) {
        must(num_args <= MOST && *num_outs >= n, "room in the compiled function");
        bench_seen->num_args = num_args;
        memcpy(bench_seen->args, args, num_args * sizeof *args);
        bench_seen->grad_mode = ctx->grad_mode;
        bench_seen->view_replay = ctx->view_replay;
        bench_seen->autocast = ctx->autocast;
    }
    if (n > 0) {
        memcpy(outs, bench_results, n * sizeof *outs);
    }
    *num_outs = n;
    return 0;
}

void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "driver: %s\n", what);
        exit(2);
    }
}

static int32_t rank_of(const LoopTensor *about)
{
    return about->sizes[0] == 4 ? 1 : about->sizes[1] == 3 ? 2 : 3;
}

/* A result shaped as `about`, not counted, with elements from `start` on. */
static WgTensor *make_result(Fixture *fixture, const LoopTensor *about, float start)
{
    const size_t at = fixture->num_tensors++;
    must(at < MOST, "too many tensors");
    const WgGeometry geometry = {about->sizes, about->strides, 0, rank_of(about)};
    for (int i = 0; i < NUM_ELEMENTS; i++) {
        fixture->data[at][i] = start + (float)i;
    }
    must(wg_native_begin(fixture->ctx, fixture->data[at], sizeof fixture->data[at], &geometry, WG_FLOAT32, WG_CPU,
                         &fixture->storages[at], &fixture->tensors[at]) == 0,
         "a result");
    return &fixture->tensors[at];
}

/* A view as a compiled function returns it: a result in the storage of that input. */
static WgTensor *make_view(Fixture *fixture, const LoopGraph *graph, int32_t base)
{
    WgTensor *t = make_result(fixture, &graph->inputs[base], 200.0F);
    t->storage = fixture->args[base].tensor->storage;
    t->storage->references++; /* wg_native_end() gives it back */
    return t;
}

static WgTensor *make_input(Fixture *fixture, const LoopTensor *about, int requires_grad, float start)
{
    WgTensor *t = NULL;
    must(wg_native_empty(fixture->ctx, WG_FLOAT32, rank_of(about), about->sizes, &t) == 0, "an input");
    for (int64_t i = 0; i < t->num_elements; i++) {
        wg_native_set_real(t, i, (double)start + (double)i);
    }
    must(wg_set_requires_grad(fixture->ctx, t, requires_grad) == 0, "requires_grad");
    return t;
}

static void make_merged(Fixture *fixture, const LoopGraph *graph)
{
    const int64_t all = 4 * graph->num_merged;
    const int64_t size = 4;
    const int64_t stride = 1;
    WgTensor *whole = NULL;
    must(wg_native_zeros(fixture->ctx, WG_FLOAT32, 1, &all, &whole) == 0, "a storage");
    for (int32_t i = 0; i < graph->num_merged; i++) {
        const WgGeometry geometry = {&size, &stride, 4 * i, 1};
        must(wg_as_strided(fixture->ctx, whole, &geometry, &fixture->args[i].tensor) == 0, "a slice");
    }
    wg_release(fixture->ctx, whole);
}

static void make_forward(Fixture *fixture, const LoopGraph *graph)
{
    make_merged(fixture, graph);
    for (int32_t i = graph->num_merged; i < graph->num_inputs; i++) {
        const LoopTensor *about = &graph->inputs[i];
        fixture->args[i].tensor = about->duplicate_of >= 0
                                      ? fixture->args[about->duplicate_of].tensor
                                      : make_input(fixture, about, graph->is_training && !about->no_grad, (float)i);
    }
    fixture->num_args = (size_t)graph->num_inputs;
    fixture->num_outs = (size_t)graph->num_outputs;
    size_t n = 0;
    for (int32_t i = 0; i < graph->num_written; i++) {
        fixture->results[n++].tensor = make_result(fixture, &graph->inputs[graph->written[i]], 100.0F);
    }
    for (int32_t i = 0; i < graph->num_outputs; i++) {
        const int32_t base = graph->outputs[i].alias_of;
        fixture->results[n++].tensor =
            base < 0 ? make_result(fixture, &graph->inputs[0], 200.0F) : make_view(fixture, graph, base);
    }
    for (int32_t i = 0; i < graph->num_saved + graph->num_unchecked; i++) {
        fixture->results[n++].tensor = make_result(fixture, &graph->inputs[0], 300.0F);
    }
    fixture->num_results = n;
}

const WgType TwoTensor = {.name = "TwoTensor", .attribute_names = (const char *const[]){"a", "b"}, .num_attributes = 2};
static const char only_context[] = "TwoTensor";
const void *const two_context = only_context;

/* A tensor as `tree` says; it and all below it can be spoiled. */
static WgTensor *make_tree(Fixture *fixture, const LoopTree *tree)
{
    WgTensor *t = NULL;
    const size_t node = fixture->num_nodes++;
    if (tree->type == NULL) {
        t = make_input(fixture, &tree->tensor, 0, (float)node);
    } else {
        const LoopTensor *about = &tree->tensor;
        const WgGeometry geometry = {about->sizes, about->strides, 0, about->rank};
        WgTensor *attrs[2];
        attrs[0] = make_tree(fixture, &tree->attrs[0]);
        attrs[1] = make_tree(fixture, &tree->attrs[1]);
        must(wg_native_subclass(fixture->ctx, tree->type, two_context, attrs, 2, &geometry, &t) == 0, "a subclass");
    }
    fixture->nodes[node] = t;
    return t;
}

static void make_subclass(Fixture *fixture, const LoopGraph *graph)
{
    fixture->args[0].tensor = make_tree(fixture, graph->tree);
    for (size_t i = 0; i < fixture->num_nodes; i++) {
        if (fixture->nodes[i]->type == NULL) {
            fixture->results[fixture->num_results++].tensor = make_result(fixture, &graph->tree->tensor, 200.0F);
        }
    }
    fixture->num_args = 1;
    fixture->num_outs = 1;
}

static void make_backward(Fixture *fixture, const LoopGraph *graph)
{
    for (int32_t i = 0; i < graph->num_outputs; i++) {
        fixture->args[i].tensor = make_input(fixture, &graph->tangents[i], 0, (float)i);
    }
    fixture->num_args = (size_t)graph->num_outputs;
    for (int32_t i = 0; i < graph->num_inputs; i++) {
        fixture->results[i].tensor = make_result(fixture, &graph->inputs[i], 200.0F);
    }
    fixture->num_results = (size_t)graph->num_inputs;
    fixture->num_outs = (size_t)graph->num_gradients;
    for (int32_t i = 0; i < graph->num_saved; i++) {
        fixture->call.arrays.tensors[i] = make_result(fixture, &graph->inputs[0], 300.0F);
        fixture->call.arrays.versions[i] = 0;
    }
    for (int32_t i = 0; i < graph->num_unchecked; i++) {
        fixture->call.arrays.unchecked[i] = make_result(fixture, &graph->inputs[0], 400.0F);
    }
}

Fixture *fixture_make(const Case *one)
{
    Fixture *fixture = calloc(1, sizeof *fixture);
    must(fixture != NULL, "no memory");
    fixture->one = one;
    fixture->tensors = calloc(MOST, sizeof *fixture->tensors);
    fixture->storages = calloc(MOST, sizeof *fixture->storages);
    fixture->saved = calloc(1, one->saved_bytes + 8);
    must(fixture->tensors && fixture->storages && fixture->saved, "no memory");
    must(wg_context_create(NULL, &fixture->ctx) == 0 && wg_context_reserve(fixture->ctx, 8192) == 0, "a context");
    wg_context_set_autocast(fixture->ctx, 1);
    fixture->call.ctx = fixture->ctx;
    fixture->call.args = fixture->args;
    fixture->call.outs = fixture->outs;
    fixture->call.saved = fixture->saved;
    fixture->call.arrays.tensors = (void *)(fixture->saved + one->offset_tensors);
    fixture->call.arrays.versions = (void *)(fixture->saved + one->offset_versions);
    fixture->call.arrays.unchecked = (void *)(fixture->saved + one->offset_unchecked);
    if (one->is_backward) {
        make_backward(fixture, one->graph);
    } else if (one->graph->tree != NULL) {
        make_subclass(fixture, one->graph);
    } else {
        make_forward(fixture, one->graph);
    }
    for (size_t i = 0; i < fixture->num_args && one->graph->tree == NULL; i++) {
        fixture->nodes[fixture->num_nodes++] = fixture->args[i].tensor;
    }
    return fixture;
}

void fixture_use(const Fixture *fixture)
{
    memcpy(bench_results, fixture->results, sizeof bench_results);
    bench_num_results = fixture->num_results;
    bench_seen = fixture->seen;
}

void fixture_end(Fixture *fixture)
{
    const LoopGraph *graph = fixture->one->graph;
    wg_release_run(fixture->ctx, fixture->outs, fixture->num_outs);
    for (size_t i = 0; i < fixture->num_args; i++) {
        if (fixture->one->is_backward || graph->inputs[i].duplicate_of < 0) {
            wg_release(fixture->ctx, fixture->args[i].tensor);
        }
    }
    for (size_t i = 0; i < fixture->num_tensors; i++) {
        wg_native_end(fixture->ctx, &fixture->tensors[i]);
    }
    wg_context_destroy(fixture->ctx);
    free(fixture->tensors);
    free(fixture->storages);
    free(fixture->saved);
    free(fixture);
}
