/* SPDX-License-Identifier: MIT */
/*
 * demo - runs every example: recorded inputs go through the generated wrapper on the native host, and what comes out is
 * held against what PyTorch gave.
 *
 *   demo FOLDER [--quiet]     FOLDER/<graph>/expected.txt for each graph of cases.h
 *
 * cases.h is written by run.sh: it includes the generated headers and lists the graphs, so a new case is a new folder
 * and nothing here changes. Exit status 0 when everything is the same.
 */
#include "cases.h"
#include "check.h"
#include "data.h"
#include "print.h"
#include "wg_native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a graph is called. `saved` is what a training wrapper keeps for the backward; null for inference. */
typedef struct DemoGraph {
    const char *name;
    int32_t (*forward)(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t num_outs,
                       void *saved);
    int32_t (*backward)(WgContext *ctx, void *saved, const WgValue *tangents, WgValue *gradients);
    void (*release)(WgContext *ctx, void *saved);
    size_t saved_bytes;
    size_t num_tangents;
    size_t num_gradients;
} DemoGraph;

#define DEMO_FORWARD(name)                                                                                             \
    static int32_t forward_##name(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs,                 \
                                  size_t num_outs, void *saved)                                                        \
    {                                                                                                                  \
        (void)saved;                                                                                                   \
        return demo_##name##_boxed(ctx, args, num_args, outs, num_outs);                                               \
    }
DEMO_CASES(DEMO_FORWARD)
#undef DEMO_FORWARD

/* Structs of tangents and gradients are arrays of values, as those of inputs and outputs are. */
#define DEMO_TRAINING(name)                                                                                            \
    static int32_t forward_##name(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs,                 \
                                  size_t num_outs, void *saved)                                                        \
    {                                                                                                                  \
        return demo_##name##_boxed(ctx, args, num_args, outs, num_outs, (demo_##name##_saved *)saved);                 \
    }                                                                                                                  \
    static int32_t backward_##name(WgContext *ctx, void *saved, const WgValue *tangents, WgValue *gradients)           \
    {                                                                                                                  \
        return demo_##name##_backward(ctx, (demo_##name##_saved *)saved,                                               \
                                      (const demo_##name##_tangents *)(const void *)tangents,                          \
                                      (demo_##name##_gradients *)(void *)gradients);                                   \
    }                                                                                                                  \
    static void release_##name(WgContext *ctx, void *saved)                                                            \
    {                                                                                                                  \
        demo_##name##_saved_release(ctx, (demo_##name##_saved *)saved);                                                \
    }
DEMO_TRAINING_CASES(DEMO_TRAINING)
#undef DEMO_TRAINING

#define DEMO_GRAPH(name) {#name, forward_##name, NULL, NULL, 0, 0, 0},
#define DEMO_TRAINING_GRAPH(name)                                                                                      \
    {#name,                                                                                                            \
     forward_##name,                                                                                                   \
     backward_##name,                                                                                                  \
     release_##name,                                                                                                   \
     sizeof(demo_##name##_saved),                                                                                      \
     sizeof(demo_##name##_tangents) / sizeof(WgValue),                                                                 \
     sizeof(demo_##name##_gradients) / sizeof(WgValue)},
static const DemoGraph GRAPHS[] = {DEMO_CASES(DEMO_GRAPH) DEMO_TRAINING_CASES(DEMO_TRAINING_GRAPH){.name = NULL}};
#undef DEMO_GRAPH
#undef DEMO_TRAINING_GRAPH

/* ---- running ---- */

static void release_values(WgContext *ctx, const DemoList *list, WgValue *values)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].kind == DEMO_TENSOR) {
            wg_release(ctx, values[i].tensor);
        }
    }
}

static void *zeros(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size + 1);
    if (memory == NULL) {
        fputs("demo: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

/* False, with the reason printed, when the wrapper failed. */
static bool came_back(WgContext *ctx, const DemoCall *call, int32_t status)
{
    if (status == WG_OK) {
        return true;
    }
    char text[256];
    (void)wg_error_text(wg_error(ctx), text, sizeof text);
    printf("  call %s failed: %s\n", call->name, text);
    return false;
}

static bool make_arguments(WgContext *ctx, const DemoCall *call, const DemoState *state, DemoArguments *out)
{
    const int32_t status = demo_make_arguments(ctx, state, out);
    if (status != 0) {
        printf("  cannot make the arguments of %s: %s\n", call->name, wg_native_code_text(status));
    }
    wg_set_grad_mode(ctx, state->grad_mode);
    return status == 0;
}

/* The backward of a call whose forward has filled `saved`. */
static bool run_backward(WgContext *ctx, const DemoGraph *graph, const DemoCall *call, void *saved, bool quiet,
                         DemoReport *report)
{
    const DemoState *after = &call->gradients;
    if (call->tangents.inputs.count != graph->num_tangents || after->outputs.count != graph->num_gradients) {
        printf("  call %s: another number of tangents or gradients than the wrapper has\n", call->name);
        return false;
    }
    DemoArguments tangents;
    WgValue *gradients = zeros(after->outputs.count, sizeof *gradients);
    const bool ran = make_arguments(ctx, call, &call->tangents, &tangents) &&
                     came_back(ctx, call, graph->backward(ctx, saved, tangents.values, gradients));
    if (ran) {
        if (!quiet) {
            demo_print_backward(call, &tangents, gradients);
        }
        demo_check_state(ctx, &call->tangents, after, &tangents, gradients, report);
        release_values(ctx, &after->outputs, gradients);
    }
    demo_release_arguments(ctx, &call->tangents, &tangents);
    free(gradients);
    return ran;
}

static bool run_call(WgContext *ctx, const DemoGraph *graph, const DemoCall *call, bool quiet, DemoReport *report)
{
    const size_t num_outs = call->after.outputs.count;
    DemoArguments arguments;
    WgValue *outs = zeros(num_outs, sizeof *outs);
    void *saved = zeros(1, graph->saved_bytes);
    bool ran = make_arguments(ctx, call, &call->before, &arguments) &&
               came_back(ctx, call, graph->forward(ctx, arguments.values, arguments.num_values, outs, num_outs, saved));
    if (ran) {
        if (!quiet) {
            demo_print_call(call, &arguments, outs);
        }
        demo_check_state(ctx, &call->before, &call->after, &arguments, outs, report);
        if (call->has_backward != (graph->backward != NULL)) {
            printf("  call %s: only one of recording and wrapper has a backward\n", call->name);
            ran = false;
        } else if (graph->backward != NULL) {
            ran = run_backward(ctx, graph, call, saved, quiet, report);
        }
        release_values(ctx, &call->after.outputs, outs);
        if (graph->release != NULL) {
            graph->release(ctx, saved);
        }
    }
    demo_release_arguments(ctx, &call->before, &arguments);
    free(saved);
    free(outs);
    return ran;
}

static bool run_graph(const char *folder, const DemoGraph *graph, bool quiet)
{
    const size_t capacity = strlen(folder) + strlen(graph->name) + sizeof "//expected.txt";
    char *path = malloc(capacity);
    DemoCase data;
    WgContext *ctx = NULL;
    if (path == NULL || wg_context_create(NULL, &ctx) != 0) {
        free(path);
        return false;
    }
    snprintf(path, capacity, "%s/%s/expected.txt", folder, graph->name);
    bool ran = demo_read(path, &data);
    DemoReport report = {.graph = graph->name};
    if (ran && strcmp(data.graph, graph->name) != 0) {
        printf("%s: holds graph %s\n", path, data.graph);
        ran = false;
    }
    if (ran) {
        if (!quiet) {
            printf("%s: %s\n", graph->name, data.about == NULL ? "" : data.about);
        }
        for (size_t i = 0; i < data.num_calls; i++) {
            report.call = data.calls[i].name;
            ran = run_call(ctx, graph, &data.calls[i], quiet, &report) && ran;
        }
        demo_print_summary(&data, &report, ran);
        if (!quiet) {
            puts("");
        }
    }
    demo_free(&data);
    wg_context_destroy(ctx);
    free(path);
    return ran && report.num_wrong == 0;
}

int main(int argc, char **argv)
{
    const bool quiet = argc == 3 && strcmp(argv[2], "--quiet") == 0;
    if (argc != 2 && !quiet) {
        fputs("usage: demo FOLDER [--quiet]\n", stderr);
        return 2;
    }
    int num_passed = 0;
    int num_failed = 0;
    for (const DemoGraph *graph = GRAPHS; graph->name != NULL; graph++) {
        const bool same = run_graph(argv[1], graph, quiet);
        num_passed += same;
        num_failed += !same;
    }
    printf("%d passed, %d failed, %d skipped\n", num_passed, num_failed, DEMO_NUM_SKIPPED);
    return num_failed == 0 && num_passed > 0 && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
