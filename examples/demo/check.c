/* SPDX-License-Identifier: MIT */
/*
 * check - see check.h. Compared after a call: grad mode; of every input and output its dtype, sizes, strides, storage
 * offset, requires_grad and version; every element, bit for bit unless the storage's rule gives a tolerance; every byte
 * of the inputs' storages, also those that no tensor shows; for each pair of tensors whether they share a storage;
 * which outputs are an input itself.
 */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SHOWN = 12,   /* differences printed for a graph; the rest is only counted */
    EXACT_DIGITS = 17 /* of a number that is wrong: enough to tell any two apart */
};

/* ---- recorded tensors ---- */

int64_t demo_num_elements(const DemoValue *value)
{
    int64_t count = 1;
    for (int32_t d = 0; d < value->rank; d++) {
        count *= value->sizes[d];
    }
    return count;
}

static int64_t element_offset(const DemoValue *value, int64_t position)
{
    int64_t offset = value->offset;
    for (int32_t d = value->rank; d-- > 0;) {
        offset += position % value->sizes[d] * value->strides[d];
        position /= value->sizes[d];
    }
    return offset;
}

const unsigned char *demo_element(const DemoValue *value, int64_t position)
{
    return value->storage->bytes + element_offset(value, position) * demo_element_bytes(value->dtype);
}

void demo_element_text(int32_t dtype, const unsigned char *bytes, int digits, char *buffer, size_t capacity)
{
    float single[2] = {0, 0};
    double real[2] = {0, 0};
    if (dtype == WG_FLOAT32 || dtype == WG_COMPLEX64) {
        memcpy(single, bytes, (size_t)demo_element_bytes(dtype));
        real[0] = (double)single[0];
        real[1] = (double)single[1];
    } else if (dtype == WG_FLOAT64 || dtype == WG_COMPLEX128) {
        memcpy(real, bytes, (size_t)demo_element_bytes(dtype));
    } else {
        uint64_t integer = 0;
        const int64_t size = demo_element_bytes(dtype);
        for (int64_t i = 0; i < size; i++) {
            integer |= (uint64_t)bytes[demo_byte_place(size, i)] << (8 * i);
        }
        const bool is_signed = dtype == WG_INT8 || dtype == WG_INT16 || dtype == WG_INT32 || dtype == WG_INT64;
        const int64_t shift = 64 - 8 * size;
        const int64_t value = is_signed ? (int64_t)(integer << shift) >> shift : (int64_t)integer;
        snprintf(buffer, capacity, "%" PRId64, value);
        return;
    }
    if (dtype == WG_COMPLEX64 || dtype == WG_COMPLEX128) {
        snprintf(buffer, capacity, "%.*g%+.*gi", digits, real[0], digits, real[1]);
    } else {
        snprintf(buffer, capacity, "%.*g", digits, real[0]);
    }
}

/* ---- arguments ---- */

/* The first tensor of a storage is a base over its memory; later ones are views of that tensor. */
static int32_t make_tensor(WgContext *ctx, const DemoState *state, size_t input, DemoArguments *arguments)
{
    const DemoValue *value = &state->inputs.at[input];
    const WgGeometry geometry = {value->sizes, value->strides, value->offset, value->rank};
    WgTensor **out = &arguments->values[input].tensor;
    const DemoValue *first = NULL;
    size_t first_at = 0;
    for (size_t i = 0; i < input && first == NULL; i++) {
        if (state->inputs.at[i].kind == DEMO_TENSOR && state->inputs.at[i].storage == value->storage) {
            first = &state->inputs.at[i];
            first_at = i;
        }
    }
    int32_t status = 0;
    if (first == NULL) {
        unsigned char *memory = arguments->memory[value->storage - state->storages];
        status =
            wg_native_borrow(ctx, memory, value->storage->num_bytes, &geometry, value->dtype, WG_CPU, NULL, NULL, out);
    } else {
        status = wg_alias_as(ctx, arguments->values[first_at].tensor, &geometry, value->dtype, 0, out);
    }
    if (status == 0 && value->requires_grad) {
        status = wg_set_requires_grad(ctx, *out, 1);
    }
    while (status == 0 && wg_version(ctx, *out) < value->version) {
        status = wg_bump_version(ctx, *out);
    }
    return status;
}

static void *must_have(void *memory)
{
    if (memory == NULL) {
        fputs("demo: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

int32_t demo_make_arguments(WgContext *ctx, const DemoState *state, DemoArguments *out)
{
    out->num_values = state->inputs.count;
    out->num_memory = state->num_storages;
    out->values = must_have(calloc(out->num_values + 1, sizeof *out->values));
    out->memory = must_have(calloc(out->num_memory + 1, sizeof *out->memory));
    for (size_t i = 0; i < out->num_memory; i++) {
        const DemoStorage *storage = &state->storages[i];
        out->memory[i] = must_have(malloc((size_t)storage->num_bytes + 1));
        memcpy(out->memory[i], storage->bytes, (size_t)storage->num_bytes);
    }
    int32_t status = 0;
    for (size_t i = 0; i < out->num_values && status == 0; i++) {
        const DemoValue *value = &state->inputs.at[i];
        if (value->kind == DEMO_TENSOR) {
            status = make_tensor(ctx, state, i, out);
        } else if (value->kind == DEMO_FLOAT) {
            out->values[i] = wg_value_real(value->real);
        } else {
            out->values[i] = wg_value_integer(value->integer);
        }
    }
    return status;
}

void demo_release_arguments(WgContext *ctx, const DemoState *state, DemoArguments *arguments)
{
    for (size_t i = 0; i < arguments->num_values; i++) {
        if (state->inputs.at[i].kind == DEMO_TENSOR) {
            wg_release(ctx, arguments->values[i].tensor);
        }
    }
    for (size_t i = 0; i < arguments->num_memory; i++) {
        free(arguments->memory[i]);
    }
    free(arguments->values);
    free(arguments->memory);
}

/* ---- comparison ---- */

__attribute__((format(printf, 2, 3))) static void wrong(DemoReport *report, const char *format, ...)
{
    report->num_wrong++;
    if (report->num_wrong > MAX_SHOWN) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    printf("  WRONG %s, call %s: ", report->graph, report->call);
    vprintf(format, arguments);
    va_end(arguments);
    puts("");
}

static bool close_enough(const DemoStorage *rule, double expected, double actual)
{
    return (isnan(expected) && isnan(actual)) ||
           fabs(actual - expected) <= rule->absolute + rule->relative * fabs(expected) || actual == expected;
}

/* Bit for bit, or within the storage's tolerance; parts of complex numbers one by one. A NaN equals any NaN. */
static bool same_element(const DemoStorage *rule, int32_t dtype, const unsigned char *expected,
                         const unsigned char *actual)
{
    const bool is_single = dtype == WG_FLOAT32 || dtype == WG_COMPLEX64;
    const bool is_double = dtype == WG_FLOAT64 || dtype == WG_COMPLEX128;
    const size_t size = (size_t)demo_element_bytes(dtype);
    if (memcmp(expected, actual, size) == 0) {
        return true;
    }
    const size_t part = is_single ? sizeof(float) : sizeof(double);
    for (size_t at = 0; (is_single || is_double) && at < size; at += part) {
        double pair[2] = {0, 0};
        float singles[2] = {0, 0};
        memcpy(is_single ? (void *)&singles[0] : (void *)&pair[0], expected + at, part);
        memcpy(is_single ? (void *)&singles[1] : (void *)&pair[1], actual + at, part);
        const double wanted = is_single ? (double)singles[0] : pair[0];
        const double got = is_single ? (double)singles[1] : pair[1];
        const bool both_nan = isnan(wanted) && isnan(got);
        if (rule->exact ? !both_nan && memcmp(expected + at, actual + at, part) != 0
                        : !close_enough(rule, wanted, got)) {
            return false;
        }
    }
    return is_single || is_double;
}

static void check_number(DemoReport *report, const char *name, const char *what, int64_t expected, int64_t actual)
{
    if (expected != actual) {
        wrong(report, "%s of %s is %" PRId64 ", PyTorch has %" PRId64, what, name, actual, expected);
    }
}

/* False when elements cannot be compared any more. */
static bool check_geometry(WgContext *ctx, const DemoValue *expected, const WgTensor *t, DemoReport *report)
{
    const int64_t before = report->num_wrong;
    check_number(report, expected->name, "rank", expected->rank, wg_rank(ctx, t));
    if (wg_dtype(ctx, t) != expected->dtype) {
        wrong(report, "%s is %s, PyTorch has %s", expected->name, wg_dtype_name(wg_dtype(ctx, t)),
              wg_dtype_name(expected->dtype));
    }
    for (int32_t d = 0; d < expected->rank && report->num_wrong == before; d++) {
        char what[32];
        snprintf(what, sizeof what, "size %d", (int)d);
        check_number(report, expected->name, what, expected->sizes[d], wg_size(ctx, t, d));
        snprintf(what, sizeof what, "stride %d", (int)d);
        check_number(report, expected->name, what, expected->strides[d], wg_stride(ctx, t, d));
    }
    check_number(report, expected->name, "storage offset", expected->offset, wg_offset(ctx, t));
    return report->num_wrong == before;
}

static void check_elements(const DemoValue *expected, const WgTensor *t, DemoReport *report)
{
    const int64_t count = demo_num_elements(expected);
    const int64_t size = demo_element_bytes(expected->dtype);
    for (int64_t position = 0; position < count; position++) {
        const unsigned char *wanted = demo_element(expected, position);
        const unsigned char *got = t->storage->data + element_offset(expected, position) * size;
        report->num_values++;
        if (!same_element(expected->storage, expected->dtype, wanted, got)) {
            char texts[2][64];
            demo_element_text(expected->dtype, got, EXACT_DIGITS, texts[0], sizeof texts[0]);
            demo_element_text(expected->dtype, wanted, EXACT_DIGITS, texts[1], sizeof texts[1]);
            wrong(report, "element %" PRId64 " of %s is %s, PyTorch has %s", position, expected->name, texts[0],
                  texts[1]);
        }
    }
}

static void check_value(WgContext *ctx, const DemoValue *expected, WgValue actual, DemoReport *report)
{
    switch (expected->kind) {
    case DEMO_NONE:
        return;
    case DEMO_INT:
    case DEMO_BOOL:
        report->num_values++;
        check_number(report, expected->name, "value", expected->integer, actual.integer);
        return;
    case DEMO_FLOAT:
        report->num_values++;
        if (memcmp(&expected->real, &actual.real, sizeof actual.real) != 0) {
            wrong(report, "%s is %g, PyTorch has %g", expected->name, actual.real, expected->real);
        }
        return;
    case DEMO_TENSOR:
        break;
    }
    if (actual.tensor == NULL) {
        wrong(report, "%s is null", expected->name);
        return;
    }
    check_number(report, expected->name, "requires_grad", expected->requires_grad,
                 wg_requires_grad(ctx, actual.tensor));
    check_number(report, expected->name, "version", expected->version, wg_version(ctx, actual.tensor));
    if (check_geometry(ctx, expected, actual.tensor, report)) {
        check_elements(expected, actual.tensor, report);
    }
}

/* Every element of the storages that were there before, also those outside of all tensors. A tensor that is wrong has
 * been reported by name already. */
static void check_memory(const DemoState *before, const DemoState *state, const DemoArguments *arguments,
                         DemoReport *report)
{
    const int64_t num_named = report->num_wrong;
    for (size_t i = 0; i < before->num_storages && num_named == 0; i++) {
        const DemoStorage *after = NULL;
        for (size_t j = 0; j < state->num_storages; j++) {
            after = state->storages[j].number == before->storages[i].number ? &state->storages[j] : after;
        }
        if (after != NULL && after->num_bytes != before->storages[i].num_bytes) {
            wrong(report, "storage %" PRId64 " is of another size", after->number);
            continue;
        }
        const int64_t size = after == NULL ? 0 : demo_element_bytes(after->dtype);
        for (int64_t at = 0; after != NULL && at < after->count; at++) {
            if (!same_element(after, after->dtype, after->bytes + at * size, arguments->memory[i] + at * size)) {
                wrong(report, "storage %" PRId64 ": element %" PRId64 " differs", after->number, at);
            }
        }
    }
}

/* Two tensors share a storage exactly when PyTorch's do. */
static void check_sharing(const DemoValue *a, WgValue a_actual, const DemoValue *b, WgValue b_actual,
                          DemoReport *report)
{
    if (a->kind != DEMO_TENSOR || b->kind != DEMO_TENSOR || a_actual.tensor == NULL || b_actual.tensor == NULL) {
        return;
    }
    const bool shares = a_actual.tensor->storage == b_actual.tensor->storage;
    if (shares != (a->storage->number == b->storage->number)) {
        wrong(report, "%s and %s %s a storage, in PyTorch they %s", a->name, b->name, shares ? "share" : "do not share",
              shares ? "do not" : "do");
    }
}

static void check_identity(WgContext *ctx, const DemoState *after, const DemoArguments *arguments,
                           const DemoValue *output, WgValue actual, DemoReport *report)
{
    for (size_t i = 0; i < after->inputs.count; i++) {
        const DemoValue *input = &after->inputs.at[i];
        if (output->kind != DEMO_TENSOR || input->kind != DEMO_TENSOR || actual.tensor == NULL) {
            continue;
        }
        const bool is = wg_same(ctx, arguments->values[i].tensor, actual.tensor) != 0;
        const bool should = output->same_as != NULL && strcmp(output->same_as, input->name) == 0;
        if (is != should) {
            wrong(report, "%s %s the tensor %s, in PyTorch it %s", output->name, is ? "is" : "is not", input->name,
                  should ? "is" : "is not");
        }
    }
}

void demo_check_state(WgContext *ctx, const DemoState *before, const DemoState *after, const DemoArguments *arguments,
                      const WgValue *outs, DemoReport *report)
{
    const DemoList *inputs = &after->inputs;
    const DemoList *outputs = &after->outputs;
    check_number(report, "the context", "grad mode", after->grad_mode, wg_grad_mode(ctx) != 0);
    for (size_t i = 0; i < inputs->count; i++) {
        check_value(ctx, &inputs->at[i], arguments->values[i], report);
        for (size_t j = i + 1; j < inputs->count; j++) {
            check_sharing(&inputs->at[i], arguments->values[i], &inputs->at[j], arguments->values[j], report);
        }
    }
    for (size_t i = 0; i < outputs->count; i++) {
        check_value(ctx, &outputs->at[i], outs[i], report);
        check_identity(ctx, after, arguments, &outputs->at[i], outs[i], report);
        for (size_t j = 0; j < inputs->count; j++) {
            check_sharing(&outputs->at[i], outs[i], &inputs->at[j], arguments->values[j], report);
        }
        for (size_t j = i + 1; j < outputs->count; j++) {
            check_sharing(&outputs->at[i], outs[i], &outputs->at[j], outs[j], report);
        }
    }
    check_memory(before, after, arguments, report);
}
