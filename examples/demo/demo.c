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
#include "wg_native.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ELEMENTS = 6 }; /* shown of a tensor */

typedef int32_t DemoEntry(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t num_outs);

typedef struct DemoGraph {
    const char *name;
    DemoEntry *entry;
} DemoGraph;

/* A training wrapper also gives what it keeps for the backward; nobody runs one here. */
#define DEMO_FORWARD(name)                                                                                             \
    static int32_t forward_##name(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs,                 \
                                  size_t num_outs)                                                                     \
    {                                                                                                                  \
        demo_##name##_saved saved;                                                                                     \
        const int32_t status = demo_##name##_boxed(ctx, args, num_args, outs, num_outs, &saved);                       \
        demo_##name##_saved_release(ctx, &saved);                                                                      \
        return status;                                                                                                 \
    }
DEMO_TRAINING_CASES(DEMO_FORWARD)
#undef DEMO_FORWARD

#define DEMO_GRAPH(name)          {#name, demo_##name##_boxed},
#define DEMO_TRAINING_GRAPH(name) {#name, forward_##name},
static const DemoGraph GRAPHS[] = {DEMO_CASES(DEMO_GRAPH) DEMO_TRAINING_CASES(DEMO_TRAINING_GRAPH){NULL, NULL}};
#undef DEMO_GRAPH
#undef DEMO_TRAINING_GRAPH

/* ---- printing ---- */

static void print_elements(const DemoValue *value)
{
    const int64_t count = demo_num_elements(value);
    for (int64_t i = 0; i < count && i < MAX_ELEMENTS; i++) {
        char text[64];
        demo_element_text(value->dtype, demo_element(value, i), text, sizeof text);
        printf(" %s", text);
    }
    if (count > MAX_ELEMENTS) {
        printf(" ...");
    }
}

static void print_value(const DemoValue *value)
{
    char type[64] = "";
    switch (value->kind) {
    case DEMO_NONE:
        printf("none");
        return;
    case DEMO_INT:
    case DEMO_BOOL:
        printf("%-18s %" PRId64, value->kind == DEMO_INT ? "int" : "bool", value->integer);
        return;
    case DEMO_FLOAT:
        printf("%-18s %g", "float", value->real);
        return;
    case DEMO_TENSOR:
        break;
    }
    size_t length = (size_t)snprintf(type, sizeof type, "%s[", wg_dtype_name(value->dtype));
    for (int32_t d = 0; d < value->rank && length < sizeof type; d++) {
        length +=
            (size_t)snprintf(type + length, sizeof type - length, "%s%" PRId64, d == 0 ? "" : ",", value->sizes[d]);
    }
    printf("%s]%*s", type, length < 18 ? (int)(18 - length) : 0, "");
    print_elements(value);
}

/* Does the call change the value: its elements, its geometry, its version? */
static bool is_mutated(const DemoValue *before, const DemoValue *after)
{
    if (before->kind != DEMO_TENSOR) {
        return false;
    }
    const size_t bytes = sizeof *before->sizes * (size_t)before->rank;
    return before->version != after->version || before->rank != after->rank || before->offset != after->offset ||
           memcmp(before->sizes, after->sizes, bytes) != 0 || memcmp(before->strides, after->strides, bytes) != 0 ||
           before->storage->number != after->storage->number ||
           before->storage->num_bytes != after->storage->num_bytes ||
           memcmp(before->storage->bytes, after->storage->bytes, (size_t)before->storage->num_bytes) != 0;
}

/* The recorded tensor as the call left it, with elements from the native host. */
static void print_actual(const DemoValue *expected, WgValue actual)
{
    if (expected->kind != DEMO_TENSOR || actual.tensor == NULL) {
        DemoValue scalar = *expected;
        scalar.integer = actual.integer;
        print_value(&scalar);
        return;
    }
    const WgTensor *t = actual.tensor;
    const DemoStorage storage = {.bytes = t->storage->data, .num_bytes = t->storage->num_bytes};
    const DemoValue shown = {.kind = DEMO_TENSOR,
                             .storage = &storage,
                             .dtype = t->dtype,
                             .rank = t->rank,
                             .sizes = t->sizes,
                             .strides = t->strides,
                             .offset = t->offset};
    print_value(&shown);
}

/* Whose storage an output shares, for the reader. */
static void print_relation(const DemoCall *call, const DemoArguments *arguments, const WgValue *outs, size_t output)
{
    const DemoState *after = &call->after;
    const WgTensor *t = after->outputs.at[output].kind == DEMO_TENSOR ? outs[output].tensor : NULL;
    for (size_t i = 0; t != NULL && i < after->inputs.count; i++) {
        if (after->inputs.at[i].kind == DEMO_TENSOR && arguments->values[i].tensor->storage == t->storage) {
            printf("  (%s %s)", arguments->values[i].tensor == t ? "is" : "shares", after->inputs.at[i].name);
            return;
        }
    }
    for (size_t i = 0; t != NULL && i < output; i++) {
        if (after->outputs.at[i].kind == DEMO_TENSOR && outs[i].tensor != NULL &&
            outs[i].tensor->storage == t->storage) {
            printf("  (shares %s)", after->outputs.at[i].name);
            return;
        }
    }
}

static void print_call(const DemoCall *call, const DemoArguments *arguments, const WgValue *outs)
{
    printf("  call %s\n", call->name);
    for (size_t i = 0; i < call->before.inputs.count; i++) {
        const DemoValue *before = &call->before.inputs.at[i];
        printf("    in   %-20s ", before->name);
        print_value(before);
        if (is_mutated(before, &call->after.inputs.at[i])) {
            printf("\n      -> %-20s ", "");
            print_actual(&call->after.inputs.at[i], arguments->values[i]);
        }
        puts("");
    }
    for (size_t i = 0; i < call->after.outputs.count; i++) {
        printf("    out  %-20s ", call->after.outputs.at[i].name);
        print_actual(&call->after.outputs.at[i], outs[i]);
        print_relation(call, arguments, outs, i);
        puts("");
    }
}

/* ---- running ---- */

static void release_outputs(WgContext *ctx, const DemoList *outputs, WgValue *outs)
{
    for (size_t i = 0; i < outputs->count; i++) {
        if (outputs->at[i].kind == DEMO_TENSOR) {
            wg_release(ctx, outs[i].tensor);
        }
    }
}

static bool run_call(WgContext *ctx, const DemoGraph *graph, const DemoCall *call, bool quiet, DemoReport *report)
{
    DemoArguments arguments;
    bool ran = false;
    const size_t num_outs = call->after.outputs.count;
    WgValue *outs = calloc(num_outs + 1, sizeof *outs);
    int32_t status = outs == NULL ? WG_NATIVE_E_MEMORY : demo_make_arguments(ctx, &call->before, &arguments);
    if (outs == NULL) {
        return false;
    }
    if (status != 0) {
        printf("  cannot make the arguments of %s: %s\n", call->name, wg_native_code_text(status));
    } else {
        wg_set_grad_mode(ctx, call->before.grad_mode);
        status = graph->entry(ctx, arguments.values, arguments.num_values, outs, num_outs);
        ran = status == WG_OK;
        if (ran) {
            if (!quiet) {
                print_call(call, &arguments, outs);
            }
            demo_check_call(ctx, call, &arguments, outs, report);
        } else {
            char text[256];
            (void)wg_error_text(wg_error(ctx), text, sizeof text);
            printf("  call %s failed: %s\n", call->name, text);
        }
        release_outputs(ctx, &call->after.outputs, outs);
    }
    demo_release_arguments(ctx, &call->before, &arguments);
    free(outs);
    return ran;
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_summary(const DemoCase *data, const DemoReport *report, bool ran)
{
    const DemoCall *call = &data->calls[0];
    int64_t num_mutated = 0;
    for (size_t i = 0; i < call->before.inputs.count; i++) {
        num_mutated += is_mutated(&call->before.inputs.at[i], &call->after.inputs.at[i]);
    }
    const int64_t num_inputs = (int64_t)call->before.inputs.count;
    const int64_t num_outputs = (int64_t)call->after.outputs.count;
    printf("%s: %" PRId64 " input%s, %" PRId64 " output%s, %" PRId64 " mutation%s, %" PRId64 " values in %zu call%s: ",
           data->graph, num_inputs, plural(num_inputs), num_outputs, plural(num_outputs), num_mutated,
           plural(num_mutated), report->num_values, data->num_calls, plural((int64_t)data->num_calls));
    if (!ran) {
        puts("FAILED");
    } else if (report->num_wrong > 0) {
        printf("%" PRId64 " DIFFERENCE%s from PyTorch\n", report->num_wrong, report->num_wrong == 1 ? "" : "S");
    } else {
        puts("same as PyTorch");
    }
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
        print_summary(&data, &report, ran);
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
