/* SPDX-License-Identifier: MIT */
/*
 * print - what goes in and out of a call, a line for each value, for people. What is shown of results is read from the
 * native host's tensors, not from the recording.
 */
#include "print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ELEMENTS = 6, SHOWN_DIGITS = 4 }; /* shown of a tensor, and of an element */

static void print_elements(const DemoValue *value)
{
    const int64_t count = demo_num_elements(value);
    for (int64_t i = 0; i < count && i < MAX_ELEMENTS; i++) {
        char text[64];
        demo_element_text(value->dtype, demo_element(value, i), SHOWN_DIGITS, text, sizeof text);
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

bool demo_is_mutated(const DemoValue *before, const DemoValue *after)
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
static void print_relation(const DemoState *after, const DemoArguments *arguments, const WgValue *outs, size_t output)
{
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

static void print_output(const DemoState *after, const DemoArguments *arguments, const WgValue *outs, size_t output,
                         const char *label)
{
    printf("    %-4s %-20s ", label, after->outputs.at[output].name);
    print_actual(&after->outputs.at[output], outs[output]);
    print_relation(after, arguments, outs, output);
    puts("");
}

void demo_print_call(const DemoCall *call, const DemoArguments *arguments, const WgValue *outs)
{
    printf("  call %s\n", call->name);
    for (size_t i = 0; i < call->before.inputs.count; i++) {
        const DemoValue *before = &call->before.inputs.at[i];
        printf("    %-4s %-20s ", "in", before->name);
        print_value(before);
        if (demo_is_mutated(before, &call->after.inputs.at[i])) {
            printf("\n      -> %-20s ", "");
            print_actual(&call->after.inputs.at[i], arguments->values[i]);
        }
        puts("");
    }
    for (size_t i = 0; i < call->after.outputs.count; i++) {
        print_output(&call->after, arguments, outs, i, "out");
    }
}

void demo_print_backward(const DemoCall *call, const DemoArguments *tangents, const WgValue *gradients)
{
    for (size_t i = 0; i < call->tangents.inputs.count; i++) {
        printf("    tangent of %-14s ", call->tangents.inputs.at[i].name);
        print_value(&call->tangents.inputs.at[i]);
        puts("");
    }
    for (size_t i = 0; i < call->gradients.outputs.count; i++) {
        print_output(&call->gradients, tangents, gradients, i, "grad");
    }
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

void demo_print_summary(const DemoCase *data, const DemoReport *report, bool ran)
{
    const DemoCall *call = &data->calls[0];
    size_t num_mutated = 0;
    for (size_t i = 0; i < call->before.inputs.count; i++) {
        num_mutated += demo_is_mutated(&call->before.inputs.at[i], &call->after.inputs.at[i]);
    }
    const size_t num_inputs = call->before.inputs.count;
    const size_t num_outputs = call->after.outputs.count;
    printf("%s: %zu input%s, %zu output%s, %zu mutation%s", data->graph, num_inputs, plural(num_inputs), num_outputs,
           plural(num_outputs), num_mutated, plural(num_mutated));
    if (call->has_backward) {
        const size_t num_gradients = call->gradients.outputs.count;
        printf(", %zu gradient%s", num_gradients, plural(num_gradients));
    }
    printf(", %" PRId64 " values in %zu call%s: ", report->num_values, data->num_calls, plural(data->num_calls));
    if (!ran) {
        puts("FAILED");
    } else if (report->num_wrong > 0) {
        printf("%" PRId64 " DIFFERENCE%s from PyTorch\n", report->num_wrong, report->num_wrong == 1 ? "" : "S");
    } else {
        puts("same as PyTorch");
    }
}
