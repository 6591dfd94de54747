/* SPDX-License-Identifier: MIT */
/*
 * data - reads expected.txt. A line is cut into words in place; each kind of line has a function. Anything unexpected
 * ends the reading with the file's line, so that a damaged file cannot pass as an easier test.
 */
#include "data.h"

#include "wg_core.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 64 };

typedef struct Block {
    struct Block *next;
} Block;

typedef struct Reader {
    const char *path;
    char *next; /* start of the next line; null at the end */
    int line;
    char *words[MAX_WORDS];
    size_t num_words;
    bool failed;
    DemoCase *data;
    DemoCall *call;
    DemoState *state;
} Reader;

static void fail(Reader *reader, const char *text)
{
    if (!reader->failed) {
        fprintf(stderr, "%s:%d: %s\n", reader->path, reader->line, text);
    }
    reader->failed = true;
}

/* Zeroed memory that demo_free() frees. */
static void *take(Reader *reader, size_t size)
{
    Block *block = calloc(1, sizeof *block + (size == 0 ? 1 : size));
    if (block == NULL) {
        fputs("demo: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    block->next = reader->data->pool;
    reader->data->pool = block;
    return block + 1;
}

/* `list` with room for one entry more; lists are short, so that copying at powers of two is enough. */
static void *grow(Reader *reader, void *list, size_t count, size_t size)
{
    if (count != 0 && (count & (count - 1)) != 0) {
        return list;
    }
    void *grown = take(reader, size * (count == 0 ? 1 : 2 * count));
    if (count != 0) {
        memcpy(grown, list, size * count);
    }
    return grown;
}

/* ---- lines and words ---- */

static bool next_line(Reader *reader)
{
    reader->num_words = 0;
    if (reader->failed || reader->next == NULL) {
        return false;
    }
    char *line = reader->next;
    char *end = strchr(line, '\n');
    reader->next = NULL;
    reader->line++;
    if (end != NULL) {
        *end = '\0';
        reader->next = end[1] == '\0' ? NULL : end + 1;
    }
    if (line[0] == '#') {
        if (reader->data->about == NULL) {
            reader->data->about = line + (line[1] == ' ' ? 2 : 1);
        }
        return true;
    }
    char *rest = NULL;
    for (char *word = strtok_r(line, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        if (reader->num_words == MAX_WORDS) {
            fail(reader, "too many words");
            return false;
        }
        reader->words[reader->num_words++] = word;
    }
    return true;
}

/* The next line with words on it. */
static bool next_words(Reader *reader)
{
    while (next_line(reader)) {
        if (reader->num_words > 0) {
            return true;
        }
    }
    return false;
}

static bool is_word(const Reader *reader, size_t at, const char *text)
{
    return at < reader->num_words && strcmp(reader->words[at], text) == 0;
}

static int64_t integer_of(Reader *reader, const char *word)
{
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(word, &end, 10);
    if (end == word || *end != '\0' || errno != 0) {
        fail(reader, "an integer was expected");
    }
    return value;
}

static double real_of(Reader *reader, const char *word)
{
    char *end = NULL;
    const double value = strtod(word, &end);
    if (end == word || *end != '\0') {
        fail(reader, "a number was expected");
    }
    return value;
}

static bool flag_of(Reader *reader, const char *word)
{
    if (strcmp(word, "0") != 0 && strcmp(word, "1") != 0) {
        fail(reader, "0 or 1 was expected");
    }
    return word[0] == '1';
}

static int32_t dtype_of(Reader *reader, const char *word)
{
    for (int32_t dtype = 0; dtype <= WG_UINT64; dtype++) {
        if (demo_element_bytes(dtype) != 0 && strcmp(wg_dtype_name(dtype), word) == 0) {
            return dtype;
        }
    }
    fail(reader, "an element type was expected");
    return WG_UINT8;
}

int64_t demo_element_bytes(int32_t dtype)
{
    static const unsigned char bytes[] = {
        [WG_UINT8] = 1,           [WG_INT8] = 1,        [WG_INT16] = 2,         [WG_INT32] = 4,
        [WG_INT64] = 8,           [WG_FLOAT16] = 2,     [WG_FLOAT32] = 4,       [WG_FLOAT64] = 8,
        [WG_COMPLEX32] = 4,       [WG_COMPLEX64] = 8,   [WG_COMPLEX128] = 16,   [WG_BOOL] = 1,
        [WG_BFLOAT16] = 2,        [WG_FLOAT8_E5M2] = 1, [WG_FLOAT8_E4M3FN] = 1, [WG_FLOAT8_E5M2FNUZ] = 1,
        [WG_FLOAT8_E4M3FNUZ] = 1, [WG_UINT16] = 2,      [WG_UINT32] = 4,        [WG_UINT64] = 8,
    };
    return dtype >= 0 && (size_t)dtype < sizeof bytes ? bytes[dtype] : 0;
}

int64_t demo_byte_place(int64_t size, int64_t i)
{
    const uint16_t one = 1;
    unsigned char first = 0;
    memcpy(&first, &one, sizeof first);
    return first == 1 ? i : size - 1 - i;
}

/* ---- storages ---- */

static void put_element(Reader *reader, int32_t dtype, unsigned char *to, const char *word)
{
    if (dtype == WG_FLOAT32) {
        const float value = (float)real_of(reader, word);
        memcpy(to, &value, sizeof value);
    } else if (dtype == WG_FLOAT64) {
        const double value = real_of(reader, word);
        memcpy(to, &value, sizeof value);
    } else {
        const uint64_t value = (uint64_t)integer_of(reader, word);
        const int64_t size = demo_element_bytes(dtype);
        for (int64_t i = 0; i < size; i++) {
            to[demo_byte_place(size, i)] = (unsigned char)(value >> (8 * i) & 0xff);
        }
    }
}

static void read_rule(Reader *reader, DemoStorage *storage)
{
    storage->has_rule = reader->num_words > 4;
    storage->exact = is_word(reader, 4, "exact") && reader->num_words == 5;
    if (storage->has_rule && !storage->exact) {
        if (!is_word(reader, 4, "tolerance") || reader->num_words != 7) {
            fail(reader, "'exact' or 'tolerance RELATIVE ABSOLUTE' was expected");
            return;
        }
        storage->relative = real_of(reader, reader->words[5]);
        storage->absolute = real_of(reader, reader->words[6]);
    }
}

/* storage NUMBER DTYPE COUNT [exact | tolerance RELATIVE ABSOLUTE], then the values */
static void read_storage(Reader *reader)
{
    if (reader->num_words < 4) {
        fail(reader, "storage NUMBER DTYPE COUNT was expected");
        return;
    }
    DemoState *state = reader->state;
    state->storages = grow(reader, state->storages, state->num_storages, sizeof *state->storages);
    DemoStorage *storage = &state->storages[state->num_storages++];
    storage->number = integer_of(reader, reader->words[1]);
    storage->dtype = dtype_of(reader, reader->words[2]);
    storage->count = integer_of(reader, reader->words[3]);
    read_rule(reader, storage);
    const int64_t size = demo_element_bytes(storage->dtype);
    if (reader->failed || storage->count < 0 || storage->count > INT32_MAX) {
        fail(reader, "no count of elements");
        return;
    }
    storage->num_bytes = storage->count * size;
    storage->bytes = take(reader, (size_t)storage->num_bytes);
    int64_t filled = 0;
    while (filled < storage->count && next_words(reader)) {
        for (size_t i = 0; i < reader->num_words && filled < storage->count; i++) {
            put_element(reader, storage->dtype, storage->bytes + filled * size, reader->words[i]);
            filled++;
        }
    }
    if (filled != storage->count) {
        fail(reader, "fewer values than the storage has elements");
    }
}

/* ---- values ---- */

/* [2,3] */
static int64_t *read_dims(Reader *reader, const char *word, int32_t *rank)
{
    int64_t *dims = take(reader, sizeof *dims * (strlen(word) + 1));
    *rank = 0;
    const char *at = word;
    if (*at++ != '[') {
        fail(reader, "sizes in brackets were expected");
        return dims;
    }
    while (*at != ']') {
        char *end = NULL;
        dims[(*rank)++] = strtoll(at, &end, 10);
        if (end == at || (*end != ',' && *end != ']')) {
            fail(reader, "sizes in brackets were expected");
            return dims;
        }
        at = end + (*end == ',');
    }
    return dims;
}

/* tensor STORAGE DTYPE SIZES STRIDES OFFSET requires_grad F leaf F version N [is INPUT], from word 2 on */
static void read_tensor(Reader *reader, DemoValue *value)
{
    if (reader->num_words < 14 || !is_word(reader, 8, "requires_grad") || !is_word(reader, 10, "leaf") ||
        !is_word(reader, 12, "version")) {
        fail(reader, "a tensor has STORAGE DTYPE SIZES STRIDES OFFSET requires_grad F leaf F version N");
        return;
    }
    char **words = reader->words;
    int32_t num_strides = 0;
    const int64_t number = integer_of(reader, words[3]);
    for (size_t i = 0; i < reader->state->num_storages; i++) {
        if (reader->state->storages[i].number == number) {
            value->storage = &reader->state->storages[i];
        }
    }
    value->dtype = dtype_of(reader, words[4]);
    value->sizes = read_dims(reader, words[5], &value->rank);
    value->strides = read_dims(reader, words[6], &num_strides);
    value->offset = integer_of(reader, words[7]);
    value->requires_grad = flag_of(reader, words[9]);
    value->is_leaf = flag_of(reader, words[11]);
    value->version = integer_of(reader, words[13]);
    if (is_word(reader, 14, "is") && reader->num_words == 16) {
        value->same_as = words[15];
    } else if (reader->num_words != 14) {
        fail(reader, "unexpected words after a tensor");
    }
    if (value->storage == NULL || num_strides != value->rank) {
        fail(reader, "a tensor needs its storage above it, and as many strides as sizes");
    }
}

/* Does every element lie inside the storage? The comparison relies on it. */
static void check_inside(Reader *reader, const DemoValue *value)
{
    int64_t last = value->offset;
    bool empty = false;
    for (int32_t d = 0; d < value->rank && !reader->failed; d++) {
        empty = empty || value->sizes[d] == 0;
        last += (value->sizes[d] - 1) * value->strides[d];
        if (value->sizes[d] < 0 || value->strides[d] < 0) {
            fail(reader, "negative size or stride");
        }
    }
    if (!reader->failed && !empty &&
        (value->offset < 0 || (last + 1) * demo_element_bytes(value->dtype) > value->storage->num_bytes)) {
        fail(reader, "the tensor reaches outside its storage");
    }
}

/* input|output NAME none | int N | bool F | float X | tensor ... */
static void read_value(Reader *reader, DemoList *list)
{
    list->at = grow(reader, list->at, list->count, sizeof *list->at);
    DemoValue *value = &list->at[list->count++];
    if (reader->num_words < 3) {
        fail(reader, "NAME KIND was expected");
        return;
    }
    value->name = reader->words[1];
    if (is_word(reader, 2, "tensor")) {
        value->kind = DEMO_TENSOR;
        read_tensor(reader, value);
        check_inside(reader, value);
    } else if (is_word(reader, 2, "none")) {
        value->kind = DEMO_NONE;
    } else if (reader->num_words != 4) {
        fail(reader, "a kind and a value were expected");
    } else if (is_word(reader, 2, "int")) {
        value->kind = DEMO_INT;
        value->integer = integer_of(reader, reader->words[3]);
    } else if (is_word(reader, 2, "bool")) {
        value->kind = DEMO_BOOL;
        value->integer = flag_of(reader, reader->words[3]);
    } else if (is_word(reader, 2, "float")) {
        value->kind = DEMO_FLOAT;
        value->real = real_of(reader, reader->words[3]);
    } else {
        fail(reader, "tensor, int, bool, float or none was expected");
    }
}

/* ---- calls ---- */

/* Storages move while their list grows, so tensors come only after all of them: the format has that order. */
static void read_state_line(Reader *reader)
{
    DemoState *state = reader->state;
    if (is_word(reader, 0, "grad_mode") && reader->num_words == 2) {
        state->grad_mode = is_word(reader, 1, "on");
    } else if (is_word(reader, 0, "storage") && state->inputs.count == 0 && state->outputs.count == 0) {
        read_storage(reader);
    } else if (is_word(reader, 0, "input") && state->outputs.count == 0) {
        read_value(reader, &state->inputs);
    } else if (is_word(reader, 0, "output") && state != &reader->call->before && state != &reader->call->tangents) {
        read_value(reader, &state->outputs);
    } else {
        fail(reader, "grad_mode, storage, input or output was expected, in this order");
    }
}

/* Does the line begin the next state of the call? */
static bool begins_state(Reader *reader)
{
    DemoCall *call = reader->call;
    DemoState *next = NULL;
    if (reader->num_words != 1) {
        return false;
    }
    if (is_word(reader, 0, "before") && reader->state == NULL) {
        next = &call->before;
    } else if (is_word(reader, 0, "after") && reader->state == &call->before) {
        next = &call->after;
    } else if (is_word(reader, 0, "tangents") && reader->state == &call->after) {
        next = &call->tangents;
    } else if (is_word(reader, 0, "gradients") && reader->state == &call->tangents) {
        next = &call->gradients;
        call->has_backward = true;
    }
    reader->state = next == NULL ? reader->state : next;
    return next != NULL;
}

static void read_call(Reader *reader)
{
    DemoCase *data = reader->data;
    data->calls = grow(reader, data->calls, data->num_calls, sizeof *data->calls);
    reader->call = &data->calls[data->num_calls++];
    reader->call->name = reader->words[1];
    reader->state = NULL;
    while (next_words(reader)) {
        const bool whole = reader->state == &reader->call->after || reader->state == &reader->call->gradients;
        if (is_word(reader, 0, "end") && whole) {
            return;
        }
        if (begins_state(reader)) {
            continue;
        }
        if (reader->state == NULL) {
            fail(reader, "'before' was expected");
        } else {
            read_state_line(reader);
        }
    }
    fail(reader, "the call has no end");
}

static char *read_all(Reader *reader)
{
    FILE *file = fopen(reader->path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: %s\n", reader->path, strerror(errno));
        return NULL;
    }
    char *text = NULL;
    size_t length = 0;
    size_t capacity = 1;
    size_t got = 0;
    do {
        length += got;
        if (length + 1 >= capacity) {
            char *grown = take(reader, 2 * capacity + 4096);
            memcpy(grown, text == NULL ? "" : text, length);
            text = grown;
            capacity = 2 * capacity + 4096;
        }
        got = fread(text + length, 1, capacity - length - 1, file);
    } while (got > 0);
    const bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad || strlen(text) != length) {
        fprintf(stderr, "%s: cannot be read\n", reader->path);
        return NULL;
    }
    return text;
}

bool demo_read(const char *path, DemoCase *out)
{
    *out = (DemoCase){0};
    Reader reader = {.path = path, .data = out};
    reader.next = read_all(&reader);
    if (reader.next == NULL) {
        return false;
    }
    if (!next_words(&reader) || !is_word(&reader, 0, "wrapgen-data") || !is_word(&reader, 1, "1")) {
        fail(&reader, "'wrapgen-data 1' was expected");
    }
    while (next_words(&reader)) {
        if (is_word(&reader, 0, "graph") && reader.num_words == 2 && out->graph == NULL) {
            out->graph = reader.words[1];
        } else if (is_word(&reader, 0, "call") && reader.num_words == 2) {
            read_call(&reader);
        } else {
            fail(&reader, "'graph NAME' or 'call NAME' was expected");
        }
    }
    if (!reader.failed && (out->graph == NULL || out->num_calls == 0)) {
        fail(&reader, "a graph and at least one call were expected");
    }
    return !reader.failed;
}

void demo_free(DemoCase *data)
{
    Block *block = data->pool;
    while (block != NULL) {
        Block *next = block->next;
        free(block);
        block = next;
    }
    data->pool = NULL;
}
