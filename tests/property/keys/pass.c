/* SPDX-License-Identifier: MIT */
/*
 * pass - values as the boxed entry takes them: structs laid out in memory as C lays out the types that the header
 * declares (tuple and record: their members; list: items and count); and calls as JSON, for the extractor in Python.
 */
#include "keys.h"

#include <inttypes.h>
#include <string.h>

static bool by_address(const Arg *arg)
{
    return arg->nullable && arg->kind != TENSOR && arg->kind != STRING && arg->kind != NOTHING;
}

static bool is_short(Kind kind)
{
    return kind == BOOL || kind == DTYPE || kind == DEVICE;
}

static size_t align_of(const Arg *arg);

/* Of the value, and of the member that holds it. */
static size_t value_align(const Arg *arg)
{
    size_t align = 1;
    if (arg->kind != TUPLE && arg->kind != RECORD) {
        return is_short(arg->kind) ? 4 : 8;
    }
    for (int i = 0; i < arg->num_items; i++) {
        align = align_of(&arg->items[i]) > align ? align_of(&arg->items[i]) : align;
    }
    return align;
}

static size_t align_of(const Arg *arg)
{
    return by_address(arg) ? 8 : value_align(arg);
}

static size_t size_of(const Arg *arg);

static size_t rounded(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

static size_t value_size(const Arg *arg)
{
    size_t size = 0;
    if (arg->kind == LIST) {
        return 16;
    }
    if (arg->kind != TUPLE && arg->kind != RECORD) {
        return is_short(arg->kind) ? 4 : 8;
    }
    for (int i = 0; i < arg->num_items; i++) {
        size = rounded(size, align_of(&arg->items[i])) + size_of(&arg->items[i]);
    }
    return size == 0 ? 1 : rounded(size, value_align(arg));
}

static size_t size_of(const Arg *arg)
{
    return by_address(arg) ? 8 : value_size(arg);
}

static void store(const Arg *arg, const Value *value, unsigned char *at);

static void store_value(const Arg *arg, const Value *value, unsigned char *at)
{
    const int32_t number = (int32_t)value->integer;
    const void *pointer = arg->kind == TENSOR ? (const void *)value->tensor : value->text;
    size_t offset = 0;
    if (is_short(arg->kind)) {
        memcpy(at, &number, sizeof number);
    } else if (arg->kind == INT) {
        memcpy(at, &value->integer, 8);
    } else if (arg->kind == FLOAT) {
        memcpy(at, &value->real, 8);
    } else if (arg->kind < TUPLE) {
        pointer = (arg->kind == NOTHING) == value->is_null ? pointer : NULL;
        memcpy(at, &pointer, sizeof pointer);
    } else if (arg->kind == LIST) {
        const size_t size = size_of(arg->items);
        const size_t count = (size_t)value->num_items;
        unsigned char *items = memory_take(size * (count + 1));
        memset(items + size * count, 0x5a, size); /* nothing may read past the last */
        for (size_t i = 0; i < count; i++) {
            store(arg->items, &value->items[i], items + i * size);
        }
        memcpy(at, &items, sizeof items);
        memcpy(at + 8, &count, sizeof count);
    } else {
        for (int i = 0; i < arg->num_items; i++) {
            offset = rounded(offset, align_of(&arg->items[i]));
            store(&arg->items[i], &value->items[i], at + offset);
            offset += size_of(&arg->items[i]);
        }
    }
}

static void store(const Arg *arg, const Value *value, unsigned char *at)
{
    unsigned char *inside = NULL;
    if (!by_address(arg)) {
        store_value(arg, value, at);
        return;
    }
    if (!value->is_null) {
        inside = memory_take(value_size(arg));
        store_value(arg, value, inside);
    }
    memcpy(at, &inside, sizeof inside);
}

WgValue pass(const Arg *arg, const Value *value)
{
    unsigned char *inside = NULL;
    if ((arg->kind >= TUPLE || by_address(arg)) && !value->is_null) {
        inside = memory_take(value_size(arg));
        store_value(arg, value, inside);
    }
    if (arg->kind >= TUPLE || by_address(arg)) {
        return wg_value_pointer(inside);
    }
    if (arg->kind == TENSOR) {
        return wg_value_tensor(value->is_null ? NULL : &value->tensor->tensor);
    }
    if (arg->kind == FLOAT) {
        return wg_value_real(value->real);
    }
    if (arg->kind == STRING || arg->kind == NOTHING) {
        return wg_value_pointer((arg->kind == NOTHING) == value->is_null ? (void *)(uintptr_t)value->text : NULL);
    }
    return wg_value_integer(value->integer);
}

/* ---- JSON ---- */

static void print_tensor(const Tensor *t, FILE *out)
{
    fprintf(out, "{\"object\": \"%p\", \"dtype\": \"%s\", \"device\": %d, \"plain\": %s, \"size\": [", (const void *)t,
            wg_dtype_name(t->tensor.dtype), (int)t->tensor.device, t->tensor.type == NULL ? "true" : "false");
    for (int d = 0; d < t->tensor.rank; d++) {
        fprintf(out, (t->symbolic_sizes >> d & 1) != 0 ? "%s[3, %" PRId64 "]" : "%s%" PRId64, d > 0 ? ", " : "",
                (t->symbolic_sizes >> d & 1) != 0 ? 2 * t->sizes[d] : t->sizes[d]);
    }
    fprintf(out, "], \"stride\": [");
    for (int d = 0; d < t->tensor.rank; d++) {
        fprintf(out, (t->symbolic_strides >> d & 1) != 0 ? "%s[3, %" PRId64 "]" : "%s%" PRId64, d > 0 ? ", " : "",
                (t->symbolic_strides >> d & 1) != 0 ? 2 * t->strides[d] + 1 : t->strides[d]);
    }
    fprintf(out, "]}");
}

static void print_value(const Arg *arg, const Value *value, FILE *out)
{
    uint64_t bits = 0;
    if (arg->kind == NOTHING || (value->is_null && arg->nullable)) {
        fprintf(out, "null");
    } else if (arg->kind == TENSOR) {
        print_tensor(value->tensor, out);
    } else if (arg->kind == FLOAT) {
        memcpy(&bits, &value->real, sizeof bits);
        fprintf(out, "{\"bits\": %" PRIu64 "}", bits);
    } else if (arg->kind == BOOL) {
        fprintf(out, value->integer != 0 ? "true" : "false");
    } else if (arg->kind == STRING) {
        fprintf(out, "\"%s\"", value->text);
    } else if (arg->kind == DTYPE) {
        fprintf(out, "{\"name\": \"%s\"}", wg_dtype_name((int32_t)value->integer));
    } else if (arg->kind < TUPLE) {
        fprintf(out, "%" PRId64, value->integer);
    } else {
        fprintf(out, "[");
        for (int i = 0; i < value->num_items; i++) {
            fprintf(out, "%s", i > 0 ? ", " : "");
            print_value(arg->kind == LIST ? arg->items : &arg->items[i], &value->items[i], out);
        }
        fprintf(out, "]");
    }
}

void print_call(const Kernel *kernel, int number, const Call *call, const uint64_t *words, size_t num_words, FILE *out)
{
    fprintf(out, "{\"kernel\": \"k%d\", \"args\": [", number);
    for (int i = 0; i < call->num_given; i++) {
        fprintf(out, "%s", i > 0 ? ", " : "");
        print_value(&kernel->args[i], &call->args[i], out);
    }
    fprintf(out, "], \"extra\": [%" PRId64 ", %" PRId64 ", %" PRId64 "], \"words\": [", call->extra[0], call->extra[1],
            call->extra[2]);
    for (size_t i = 0; i < num_words; i++) {
        fprintf(out, "%s%" PRIu64, i > 0 ? ", " : "", words[i]);
    }
    fprintf(out, "]}\n");
}

/* ---- what goes with a key ---- */

void keep(void *kept, const uint64_t *words, size_t num_words)
{
    Kept *to = kept;
    to->num_words = num_words;
    memcpy(to->words, words, num_words * sizeof *words);
}

bool is_kept(const void *kept, const uint64_t *words, size_t num_words)
{
    const Kept *from = kept;
    return from == NULL || (from->num_words == num_words && memcmp(from->words, words, num_words * sizeof *words) == 0);
}
