/* SPDX-License-Identifier: MIT */
/*
 * kernel_key - the words that a call's key must have, after the table in templates/core/wg_key.h; and as a text what a
 * key must tell apart.
 */
#include "kernel_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool kernel_is_symbolic(const KernelValue *tensor, int32_t d, bool stride)
{
    return !tensor->plain && ((stride ? tensor->symbolic_strides : tensor->symbolic_sizes) >> d & 1) != 0;
}

bool kernel_is_few(const KernelValue *tensor)
{
    bool few = true;
    int64_t count = 1;
    for (int32_t d = 0; d < tensor->geometry.rank; d++) {
        if (kernel_is_symbolic(tensor, d, false)) {
            return false;
        }
        few = !wg_ckd_mul(&count, count, tensor->geometry.sizes[d]) && few;
    }
    return !view_has_elements(&tensor->geometry) || (few && count <= INT32_MAX);
}

static bool is_marked(const SpecArg *arg, int32_t d)
{
    for (uint32_t i = 0; i < arg->static_dims.text_count; i++) {
        if (strtol(arg->static_dims.text[i], NULL, 10) == d) {
            return true;
        }
    }
    return false;
}

/* ---- words ---- */

typedef struct KeyWords {
    Arena *arena;
    const Spec *spec;
    const SpecKernel *kernel;
    uint64_t *at;
    size_t n;
    size_t room;
    const KernelValue **tensors; /* one of each of the call's, in the order in which they come first */
    uint32_t num_tensors;
} KeyWords;

static void add(KeyWords *words, uint64_t word)
{
    if (words->n < words->room) {
        words->at[words->n] = word;
    }
    words->n++;
}

static void add_symbol(KeyWords *words, int64_t number, bool stride)
{
    add(words, UINT64_C(0x8000000000000001));
    add(words, MOCK_ENVIRONMENT);
    add(words, mock_expression(number, stride));
}

static void add_size(KeyWords *words, const KernelValue *tensor, int32_t d)
{
    if (kernel_is_symbolic(tensor, d, false)) {
        add_symbol(words, tensor->geometry.sizes[d], false);
    } else {
        add(words, (uint64_t)tensor->geometry.sizes[d]);
    }
}

static bool stride_counts(const KernelValue *tensor, int32_t d)
{
    return kernel_is_symbolic(tensor, d, false) || tensor->geometry.sizes[d] != 1;
}

static void add_stride(KeyWords *words, const KernelValue *tensor, int32_t d)
{
    if (!stride_counts(tensor, d)) {
        add(words, UINT64_C(0x8000000000000000));
    } else if (kernel_is_symbolic(tensor, d, true)) {
        add_symbol(words, tensor->geometry.strides[d], true);
    } else {
        add(words, (uint64_t)tensor->geometry.strides[d]);
    }
}

/* Does each dim go into one word? */
static bool is_narrow(const KernelValue *tensor)
{
    const ViewGeometry *geometry = &tensor->geometry;
    bool narrow = true;
    for (int32_t d = 0; d < geometry->rank; d++) {
        narrow = narrow && !kernel_is_symbolic(tensor, d, false) && geometry->sizes[d] <= INT32_MAX;
        if (stride_counts(tensor, d)) {
            narrow = narrow && !kernel_is_symbolic(tensor, d, true) && geometry->strides[d] <= INT32_MAX;
        }
    }
    return narrow;
}

static void add_static(KeyWords *words, const KernelValue *tensor, uint64_t head)
{
    const ViewGeometry *geometry = &tensor->geometry;
    const bool narrow = is_narrow(tensor);
    for (int32_t d = 0; d < geometry->rank; d++) {
        head += is_marked(tensor->arg, d) ? UINT64_C(1) << (32 + d) : 0;
    }
    add(words, head + (narrow ? 0 : 1 << 5));
    for (int32_t d = 0; d < geometry->rank; d++) {
        if (narrow) {
            const uint64_t stride = geometry->sizes[d] == 1 ? UINT32_MAX : (uint64_t)geometry->strides[d];
            add(words, (uint64_t)geometry->sizes[d] + (stride << 32));
        } else {
            add_size(words, tensor, d);
        }
    }
    for (int32_t d = 0; !narrow && d < geometry->rank; d++) {
        add_stride(words, tensor, d);
    }
}

static bool is_by_value(const KernelValue *tensor, int32_t d)
{
    return is_marked(tensor->arg, d) || kernel_is_symbolic(tensor, d, false);
}

static void add_dynamic(KeyWords *words, const KernelValue *tensor, uint64_t head)
{
    const ViewGeometry *geometry = &tensor->geometry;
    const bool zero_one = words->kernel->buckets == SPEC_BUCKETS_ZERO_ONE;
    for (int32_t d = 0; d < geometry->rank; d++) {
        const bool small = zero_one && geometry->sizes[d] < 2;
        const uint64_t bucket = is_by_value(tensor, d) ? 3 : small ? (uint64_t)geometry->sizes[d] : 2;
        head += bucket << (32 + 2 * d);
    }
    head += words->kernel->index_dtype == SPEC_INDEX_AUTO && !kernel_is_few(tensor) ? 1 << 4 : 0;
    add(words, head);
    for (int32_t d = 0; d < geometry->rank; d++) {
        if (is_by_value(tensor, d)) {
            add_size(words, tensor, d);
        }
    }
}

/* A tensor that comes again: after which others it came first. */
static void add_again(KeyWords *words, const KernelValue *tensor)
{
    uint32_t i = 0;
    while (i < words->num_tensors && !kernel_is_same(words->tensors[i], tensor)) {
        i++;
    }
    if (i < words->num_tensors) {
        add(words, 2 + 256 * (uint64_t)i);
        return;
    }
    words->tensors =
        arena_grow(words->arena, words->tensors, i * sizeof *words->tensors, (i + 1) * sizeof *words->tensors);
    words->tensors[words->num_tensors++] = tensor;
}

static void add_tensor(KeyWords *words, const KernelValue *tensor)
{
    if (spec_is(words->kernel->same_in_key)) {
        add_again(words, tensor);
    }
    const ViewGeometry *geometry = &tensor->geometry;
    const uint64_t device = spec_is(words->kernel->device_in_key) ? (uint64_t)tensor->device / 256 : 255;
    const uint64_t lazy = (tensor->lazy & WG_LAZY_CONJ ? 64 : 0) + (tensor->lazy & WG_LAZY_NEG ? 128 : 0);
    const uint64_t head =
        1 + lazy + ((uint64_t)geometry->dtype << 8) + ((uint64_t)geometry->rank << 16) + (device << 24);
    if (spec_is(words->kernel->static_shapes)) {
        add_static(words, tensor, head);
    } else {
        add_dynamic(words, tensor, head);
    }
}

static void add_text(KeyWords *words, const char *text)
{
    const size_t length = strlen(text);
    add(words, length);
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = 0;
        for (size_t byte = i; byte < i + 8 && byte < length; byte++) {
            word += (uint64_t)(unsigned char)text[byte] << (byte - i) * 8;
        }
        add(words, word);
    }
}

static uint64_t bits_of(double real)
{
    uint64_t bits = 0;
    memcpy(&bits, &real, sizeof bits);
    return real < 0 || real >= 0 ? bits : UINT64_C(0x7FF8000000000000);
}

static void add_value(KeyWords *words, const KernelValue *value)
{
    const SpecArg *arg = value->arg;
    if (spec_is(arg->nullable) && value->null) {
        add(words, 0);
        return;
    }
    if (spec_is(arg->nullable) && arg->kind != SPEC_TENSOR) {
        add(words, 1);
    }
    switch (arg->kind) {
    case SPEC_TENSOR:
        add_tensor(words, value);
        break;
    case SPEC_FLOAT:
        if (spec_is(arg->constexpr_value)) {
            add(words, bits_of(value->real));
        }
        break;
    case SPEC_INT:
    case SPEC_BOOLEAN:
        if (spec_is(arg->constexpr_value)) {
            add(words, (uint64_t)value->integer);
        }
        break;
    case SPEC_DTYPE:
    case SPEC_DEVICE:
        add(words, (uint64_t)value->integer);
        break;
    case SPEC_STRING:
        add_text(words, value->text);
        break;
    case SPEC_LIST:
        add(words, value->num_items);
        break;
    case SPEC_KIND_UNSET:
    case SPEC_OPAQUE:
    case SPEC_NONE:
    case SPEC_ALWAYS_NULL:
    case SPEC_TUPLE:
    case SPEC_RECORD:
        break;
    }
    for (uint32_t i = 0; kernel_is_container(arg->kind) && i < value->num_items; i++) {
        add_value(words, &value->items[i]);
    }
}

/* The tensor that a further size or stride is of; null where there is none. */
static const KernelValue *tensor_of(const SpecKernel *kernel, const KernelCall *call, const SpecExtra *extra, int32_t d)
{
    const KernelValue *value = kernel_find(kernel, call, extra->arg);
    return value == NULL || value->null || value->geometry.rank <= d ? NULL : value;
}

static int32_t dim_of(const SpecExtra *extra)
{
    return (int32_t)strtol(extra->dim.text, NULL, 10);
}

static const char *const extra_names[KERNEL_NUM_EXTRA] = {"capability", "distributed", "user"};

/* In the order of `where`; a size is as elsewhere in a key, any other number one word. */
static void add_numbers(KeyWords *words, const SpecExtra *extra, const KernelCall *call)
{
    for (uint32_t i = 0; i < extra->where_count; i++) {
        const SpecNumber *number = &extra->where[i];
        int64_t value = 0;
        bool symbolic = false;
        (void)kernel_number(words->kernel, number, call, &value, &symbolic);
        if (symbolic) {
            add_symbol(words, value, false);
        } else {
            add(words, (uint64_t)value);
        }
    }
}

static void add_formula(KeyWords *words, const SpecExtra *extra, const KernelCall *call)
{
    const KernelFormula formula = kernel_formula(words->arena, words->spec, words->kernel, extra, call);
    add(words, (uint64_t)formula.kind);
    if (formula.kind == KERNEL_SYMBOLIC) {
        add_numbers(words, extra, call);
    } else {
        add(words, (uint64_t)formula.value);
    }
}

static void add_extra(KeyWords *words, const SpecExtra *extra, const KernelCall *call)
{
    if (extra->expr.text != NULL) {
        add_formula(words, extra, call);
        return;
    }
    const int32_t d = dim_of(extra);
    const KernelValue *tensor = tensor_of(words->kernel, call, extra, d);
    if (tensor == NULL) {
        add(words, UINT64_C(0x8000000000000002));
    } else if (extra->of == SPEC_EXTRA_STRIDE) {
        add_stride(words, tensor, d);
    } else {
        add_size(words, tensor, d);
    }
}

size_t kernel_encode(Arena *arena, const Spec *spec, const SpecKernel *kernel, const KernelCall *call, uint64_t *at,
                     size_t room)
{
    KeyWords words = {.arena = arena, .spec = spec, .kernel = kernel, .at = at, .room = room};
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        add_value(&words, &call->args[i]);
    }
    for (uint32_t i = 0; i < kernel->extra_count; i++) {
        add_extra(&words, &kernel->extra[i], call);
    }
    for (uint32_t i = 0; i < kernel->key_extra.text_count; i++) {
        for (int k = 0; k < KERNEL_NUM_EXTRA; k++) {
            if (strcmp(kernel->key_extra.text[i], extra_names[k]) == 0) {
                add(&words, (uint64_t)call->extra[k]);
            }
        }
    }
    return words.n;
}

/* ---- what a key tells apart ---- */

typedef struct KeyText {
    Arena *arena;
    const Spec *spec;
    const SpecKernel *kernel;
    const char *text;
} KeyText;

static void say(KeyText *said, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(KeyText *said, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *more = arena_vprintf(said->arena, format, arguments);
    va_end(arguments);
    said->text = arena_printf(said->arena, "%s%s", said->text, more);
}

static void say_size(KeyText *said, const KernelValue *tensor, int32_t d, bool exact)
{
    const int64_t size = tensor->geometry.sizes[d];
    if (kernel_is_symbolic(tensor, d, false)) {
        say(said, "symbol %" PRId64 ",", size);
    } else if (exact) {
        say(said, "%" PRId64 ",", size);
    } else if (said->kernel->buckets == SPEC_BUCKETS_ZERO_ONE && size < 2) {
        say(said, "bucket %" PRId64 ",", size);
    } else {
        say(said, "some,");
    }
}

static void say_stride(KeyText *said, const KernelValue *tensor, int32_t d)
{
    if (!stride_counts(tensor, d)) {
        say(said, "any,");
    } else {
        say(said, "%s%" PRId64 ",", kernel_is_symbolic(tensor, d, true) ? "symbol " : "", tensor->geometry.strides[d]);
    }
}

static void say_tensor(KeyText *said, const KernelValue *tensor)
{
    const SpecKernel *kernel = said->kernel;
    const bool fixed = spec_is(kernel->static_shapes);
    say(said, "tensor %s lazy %d", wg_dtype_name(tensor->geometry.dtype), (int)tensor->lazy);
    if (spec_is(kernel->device_in_key)) {
        say(said, " on %s", wg_device_type_name(tensor->device / 256));
    }
    if (kernel->index_dtype == SPEC_INDEX_AUTO && !kernel_is_few(tensor)) {
        say(said, " many");
    }
    for (int32_t d = 0; d < tensor->geometry.rank; d++) {
        say(said, " dim ");
        say_size(said, tensor, d, fixed || is_marked(tensor->arg, d));
        if (fixed) {
            say_stride(said, tensor, d);
        }
    }
    say(said, ";");
}

static void say_value(KeyText *said, const KernelValue *value)
{
    const SpecArg *arg = value->arg;
    const bool counts = !kernel_is_number(arg->kind) && arg->kind != SPEC_BOOLEAN;
    if (value->null) {
        say(said, "null;");
    } else if (arg->kind == SPEC_TENSOR) {
        say_tensor(said, value);
    } else if (arg->kind == SPEC_STRING) {
        say(said, "'%s';", value->text);
    } else if (kernel_is_container(arg->kind)) {
        say(said, "(");
        for (uint32_t i = 0; i < value->num_items; i++) {
            say_value(said, &value->items[i]);
        }
        say(said, ");");
    } else if (arg->kind == SPEC_FLOAT && spec_is(arg->constexpr_value)) {
        say(said, "%" PRIx64 ";", bits_of(value->real));
    } else if (counts || spec_is(arg->constexpr_value)) {
        say(said, "%" PRId64 ";", value->integer);
    } else {
        say(said, "a value;");
    }
}

static void say_formula(KeyText *said, const SpecExtra *extra, const KernelCall *call)
{
    const KernelFormula formula = kernel_formula(said->arena, said->spec, said->kernel, extra, call);
    if (formula.kind != KERNEL_SYMBOLIC) {
        say(said, formula.kind == KERNEL_NOWHERE ? "nothing," : "it is %" PRId64 ",", formula.value);
        return;
    }
    for (uint32_t i = 0; i < extra->where_count; i++) {
        int64_t value = 0;
        bool symbolic = false;
        (void)kernel_number(said->kernel, &extra->where[i], call, &value, &symbolic);
        say(said, "%s %s%" PRId64 ",", extra->where[i].symbol, symbolic ? "symbol " : "", value);
    }
}

static void say_extra(KeyText *said, const SpecExtra *extra, const KernelCall *call)
{
    if (extra->expr.text != NULL) {
        say_formula(said, extra, call);
        return;
    }
    const int32_t d = dim_of(extra);
    const KernelValue *tensor = tensor_of(said->kernel, call, extra, d);
    if (tensor == NULL) {
        say(said, "nothing,");
    } else if (extra->of == SPEC_EXTRA_STRIDE) {
        say_stride(said, tensor, d);
    } else {
        say_size(said, tensor, d, true);
    }
}

/* Every pair that is one tensor. */
static void say_same(KeyText *said, const KernelCall *call)
{
    uint32_t n = 0;
    KernelValue **tensors = kernel_tensors(said->arena, said->kernel, call, &n);
    for (uint32_t i = 0; spec_is(said->kernel->same_in_key) && i < n; i++) {
        for (uint32_t k = 0; tensors[i]->object != 0 && k < i; k++) {
            if (kernel_is_same(tensors[i], tensors[k])) {
                say(said, "tensors %" PRIu32 " and %" PRIu32 " are one;", k, i);
            }
        }
    }
}

const char *kernel_describe(Arena *arena, const Spec *spec, const SpecKernel *kernel, const KernelCall *call)
{
    KeyText said = {arena, spec, kernel, ""};
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        say_value(&said, &call->args[i]);
    }
    for (uint32_t i = 0; i < kernel->extra_count; i++) {
        say_extra(&said, &kernel->extra[i], call);
    }
    say_same(&said, call);
    for (uint32_t i = 0; i < kernel->key_extra.text_count; i++) {
        for (int k = 0; k < KERNEL_NUM_EXTRA; k++) {
            if (strcmp(kernel->key_extra.text[i], extra_names[k]) == 0) {
                say(&said, "%s %" PRId64 ";", extra_names[k], call->extra[k]);
            }
        }
    }
    return said.text;
}
