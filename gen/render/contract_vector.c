/* SPDX-License-Identifier: MIT */
/*
 * contract_vector - test vectors of a kernel's key: a few calls made up from its arguments, their words in the encoding
 * of templates/core/wg_key.h and their hash, for authors of extractors in other languages.
 *
 * A call is a list of values: null, true, a number; {"float": bits of the double}; a string, also for dtypes; a device
 * as type * 256 + index; a tensor {"dtype", "device", "size", "stride"}, with "object" where it comes more than once:
 * those of one call with the same number are one; a list for tuple, record and list. Nothing here reads plans: the
 * tests compare these words with what generated code returns.
 */
#include <inttypes.h>
#include <string.h>

#include "../../templates/core/wg_hash.h"
#include "contract.h"
#include "../algebra/geometry.h"

enum { NUM_VECTORS = 4, LONGEST_LIST = 2, WITH_SAME = 3 };

/* A tensor of the call: others that could be the same have its sizes. */
typedef struct VectorTensor {
    int64_t dtype;
    int64_t rank;
    uint32_t number; /* among all tensors, which decides its sizes */
} VectorTensor;

typedef struct Vector {
    const Kernel *kernel;
    uint32_t nth; /* index of the vector: values depend on it */
    Str *json;
    uint64_t *words;
    size_t num_words;
    uint32_t num_tensors;
    VectorTensor *objects; /* each once */
    uint32_t num_objects;
} Vector;

static void add(Vector *vector, uint64_t word)
{
    vector->words[vector->num_words++] = word;
}

/* The nth member of a set, or its last. */
static int64_t member_of(uint64_t set, uint32_t nth)
{
    int64_t member = 0;
    for (int64_t i = 0; i < 64; i++) {
        if ((set >> i & 1) != 0) {
            member = i;
            if (nth-- == 0) {
                break;
            }
        }
    }
    return member;
}

static void put_numbers(Str *json, const char *key, const int64_t *numbers, int64_t n)
{
    str_printf(json, ", \"%s\": [", key);
    for (int64_t i = 0; i < n; i++) {
        str_printf(json, "%s%" PRId64, i > 0 ? ", " : "", numbers[i]);
    }
    str_puts(json, "]");
}

/* The number of the object that the tensor is. In the last vector it is one that came before, if one is like it. */
static uint32_t object_of(Vector *vector, int64_t dtype, int64_t rank)
{
    uint32_t i = vector->nth == WITH_SAME ? 0 : vector->num_objects;
    while (i < vector->num_objects && (vector->objects[i].dtype != dtype || vector->objects[i].rank != rank)) {
        i++;
    }
    if (i == vector->num_objects) {
        vector->objects[vector->num_objects++] = (VectorTensor){dtype, rank, vector->num_tensors};
    } else if (spec_is(vector->kernel->spec->same_in_key)) {
        add(vector, 2 | (uint64_t)i << 8);
    }
    vector->num_tensors++;
    return i;
}

/* A tensor with sizes 1, 2, 3 ..., rotated depending on the vector; dense, except that the last one is far from it, so
 * that strides do not always fit half a word. */
static void add_tensor(Vector *vector, const KernelArg *arg)
{
    const SpecKernel *spec = vector->kernel->spec;
    const int64_t dtype = member_of(arg->dtypes, vector->nth);
    const int64_t rank = member_of(arg->ranks, vector->nth);
    const uint64_t device = spec_is(spec->device_in_key) ? vector->nth % 2 : 255;
    int64_t sizes[64];
    int64_t strides[64];
    const uint32_t object = object_of(vector, dtype, rank);
    int64_t next = vector->nth == 2 ? INT64_C(1) << 30 : 1;
    bool fits = true;
    for (int64_t d = rank - 1; d >= 0; d--) {
        sizes[d] = 1 + (d + vector->nth + vector->objects[object].number) % 3;
        strides[d] = next;
        next *= sizes[d];
        fits = fits && (sizes[d] == 1 || strides[d] <= INT32_MAX);
    }
    str_puts(vector->json, "{");
    if (vector->nth == WITH_SAME) {
        str_printf(vector->json, "\"object\": %" PRIu32 ", ", object);
    }
    str_printf(vector->json, "\"dtype\": \"%s\", \"device\": %d", dtype_text((int32_t)dtype),
               vector->nth % 2 == 0 ? 0 : 257);
    put_numbers(vector->json, "size", sizes, rank);
    put_numbers(vector->json, "stride", strides, rank);
    str_puts(vector->json, "}");
    const size_t head = vector->num_words;
    uint64_t word = 1 | (uint64_t)dtype << 8 | (uint64_t)rank << 16 | device << 24;
    add(vector, 0);
    if (spec_is(spec->static_shapes)) {
        word |= (uint64_t)arg->static_dims << 32;
        word |= fits ? 0 : 32;
        for (int64_t d = 0; d < rank; d++) {
            const uint64_t stride = sizes[d] == 1 ? UINT32_MAX : (uint64_t)strides[d];
            add(vector, (uint64_t)sizes[d] | (fits ? stride << 32 : 0));
        }
        for (int64_t d = 0; d < rank && !fits; d++) {
            add(vector, sizes[d] == 1 ? UINT64_C(1) << 63 : (uint64_t)strides[d]);
        }
    }
    for (int64_t d = 0; d < rank && !spec_is(spec->static_shapes); d++) {
        const bool by_value = (arg->static_dims >> d & 1) != 0;
        const bool one = spec->buckets == SPEC_BUCKETS_ZERO_ONE && sizes[d] == 1;
        word |= (uint64_t)(by_value ? 3 : one ? 1 : 2) << (32 + 2 * d);
        if (by_value) {
            add(vector, (uint64_t)sizes[d]);
        }
    }
    vector->words[head] = word;
}

static void add_text(Vector *vector)
{
    static const char *const texts[] = {"fast", "twelve bytes", ""};
    const char *text = texts[vector->nth % 3];
    const size_t n = strlen(text);
    str_put_json(vector->json, text);
    add(vector, n);
    for (size_t i = 0; i < n; i++) {
        if (i % 8 == 0) {
            add(vector, 0);
        }
        vector->words[vector->num_words - 1] |= (uint64_t)(unsigned char)text[i] << (8 * (i % 8));
    }
}

static void add_number(Vector *vector, const KernelArg *arg)
{
    static const double reals[] = {0.5, -2.0, 0.0};
    const int64_t integer = 40 - 41 * (int64_t)vector->nth;
    const int64_t truth = vector->nth % 2;
    uint64_t bits = 0;
    memcpy(&bits, &reals[vector->nth % 3], sizeof bits);
    if (arg->kind == SPEC_INT) {
        str_printf(vector->json, "%" PRId64, integer);
        bits = (uint64_t)integer;
    } else if (arg->kind == SPEC_BOOLEAN) {
        str_puts(vector->json, truth != 0 ? "true" : "false");
        bits = (uint64_t)truth;
    } else {
        str_printf(vector->json, "{\"float\": %" PRIu64 "}", bits);
    }
    if (spec_is(arg->spec->constexpr_value)) {
        add(vector, bits);
    }
}

/* A dtype by its name, or a device as its number. */
static void add_code(Vector *vector, bool is_dtype)
{
    if (is_dtype) {
        str_printf(vector->json, "{\"name\": \"%s\"}", dtype_text((int32_t)vector->nth));
    } else {
        str_printf(vector->json, "%" PRIu32, vector->nth * 256);
    }
    add(vector, vector->nth * (is_dtype ? UINT64_C(1) : UINT64_C(256)));
}

static void add_value(Vector *vector, const KernelArg *arg)
{
    const bool nullable = spec_is(arg->spec->nullable) && arg->kind != SPEC_ALWAYS_NULL;
    if (nullable && vector->nth == 1) {
        str_puts(vector->json, "null");
        add(vector, 0);
        return;
    }
    if (nullable && arg->kind != SPEC_TENSOR) {
        add(vector, 1);
    }
    switch (kind_form(arg->kind)) {
    case FORM_TENSOR:
        add_tensor(vector, arg);
        break;
    case FORM_NUMBER:
        add_number(vector, arg);
        break;
    case FORM_TEXT:
        add_text(vector);
        break;
    case FORM_CODE:
        add_code(vector, arg->kind == SPEC_DTYPE);
        break;
    case FORM_NOTHING:
        str_puts(vector->json, "null");
        break;
    case FORM_STRUCT:
    case FORM_LIST: {
        const bool list = arg->kind == SPEC_LIST;
        const uint32_t n = list ? (uint32_t)member_of(arg->lengths, vector->nth % (LONGEST_LIST + 1)) : arg->num_items;
        if (list) {
            add(vector, n);
        }
        str_puts(vector->json, "[");
        for (uint32_t i = 0; i < n; i++) {
            str_puts(vector->json, i > 0 ? ", " : "");
            add_value(vector, &arg->items[list ? 0 : i]);
        }
        str_puts(vector->json, "]");
        break;
    }
    }
}

static void put_vector(Vector *vector)
{
    const Kernel *kernel = vector->kernel;
    str_puts(vector->json, "{\"args\": [");
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        str_puts(vector->json, i > 0 ? ", " : "");
        add_value(vector, &kernel->args[i]);
    }
    str_puts(vector->json, "], \"extra\": [");
    for (uint32_t i = 0; i < kernel->spec->key_extra.text_count; i++) {
        str_printf(vector->json, "%s%" PRIu32, i > 0 ? ", " : "", vector->nth + i);
        add(vector, vector->nth + (uint64_t)i);
    }
    str_puts(vector->json, "], \"words\": [");
    for (size_t i = 0; i < vector->num_words; i++) {
        str_printf(vector->json, "%s%" PRIu64, i > 0 ? ", " : "", vector->words[i]);
    }
    str_printf(vector->json, "], \"hash\": %" PRIu64 "}", wg_hash(vector->words, vector->num_words));
}

/* Kernels with extra components have no vectors: finding those in a call is up to the extractor. */
void contract_vectors(const Kernel *kernel, Str *out)
{
    for (uint32_t nth = 0; nth < NUM_VECTORS && kernel->spec->extra_count == 0; nth++) {
        Vector vector = {.kernel = kernel, .nth = nth, .json = out};
        vector.words = ARENA_ARRAY(kernel->arena, uint64_t, (size_t)kernel->key_words + 1);
        vector.objects = ARENA_ARRAY(kernel->arena, VectorTensor, (size_t)kernel->key_words + 1);
        str_puts(out, nth > 0 ? ",\n          " : "\n          ");
        put_vector(&vector);
    }
}
