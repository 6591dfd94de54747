/* SPDX-License-Identifier: 0BSD */
/*
 * wg_aoti_tensors.c - safetensors files: 8 bytes with the length of a header, the header, the data. The header is JSON
 * of one fixed shape, {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}, and only that is read.
 */
#include "wg_aoti_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RANK = 64 /* dimensions; libtorch's own limit */ };

static const struct {
    const char *word; /* of safetensors */
    const char *name;
    int32_t dtype;
} file_dtypes[] = {
    {"BOOL", "bool", WG_BOOL},
    {"U8", "uint8", WG_UINT8},
    {"I8", "int8", WG_INT8},
    {"I16", "int16", WG_INT16},
    {"U16", "uint16", WG_UINT16},
    {"I32", "int32", WG_INT32},
    {"U32", "uint32", WG_UINT32},
    {"I64", "int64", WG_INT64},
    {"U64", "uint64", WG_UINT64},
    {"F16", "float16", WG_FLOAT16},
    {"BF16", "bfloat16", WG_BFLOAT16},
    {"F32", "float32", WG_FLOAT32},
    {"F64", "float64", WG_FLOAT64},
    {"F8_E4M3", "float8_e4m3fn", WG_FLOAT8_E4M3FN},
    {"F8_E5M2", "float8_e5m2", WG_FLOAT8_E5M2},
};

enum { NUM_FILE_DTYPES = sizeof file_dtypes / sizeof file_dtypes[0] };

typedef struct Entry {
    const char *name; /* this and `text` are in the header */
    const char *text; /* of metadata */
    int32_t dtype;
    int32_t rank;
    int64_t sizes[RANK];
    int64_t begin;
    int64_t end;
    WgTensor *tensor;
} Entry;

typedef struct Entries {
    Entry *at;
    size_t count;
    size_t capacity;
} Entries;

struct WgAotiTensors {
    size_t num_users;
    char *path;
    char *header; /* names and texts lie in it */
    Entries tensors;
    Entries metadata;
};

/* ---- the header ---- */

/* What is read, up to `end`; `bad` says what is wrong, and then nothing more is read. */
typedef struct Header {
    char *at;
    char *end;
    const char *bad;
} Header;

static void refuse(Header *header, const char *bad)
{
    header->bad = header->bad != NULL ? header->bad : bad;
}

static int next_is(Header *header, char wanted)
{
    while (header->at < header->end && strchr(" \t\r\n", *header->at) != NULL) {
        header->at++;
    }
    return header->bad == NULL && header->at < header->end && *header->at == wanted;
}

static int take_char(Header *header, char wanted)
{
    const int is = next_is(header, wanted);
    header->at += is;
    return is;
}

static void need(Header *header, char wanted)
{
    if (!take_char(header, wanted)) {
        refuse(header, "its header is not that of a safetensors file");
    }
}

/* The text between quotes, in place; it ends with a 0 where its closing quote was. */
static char *read_text(Header *header)
{
    need(header, '"');
    char *text = header->at;
    char *end = text;
    while (header->bad == NULL && header->at < header->end && *header->at != '"') {
        if (*header->at == '\\') {
            header->at++;
            if (header->at == header->end || strchr("\"\\/", *header->at) == NULL) {
                refuse(header, "its header has an escape that is not read here");
            }
        }
        *end++ = *header->at++;
    }
    if (header->bad != NULL || header->at == header->end) {
        refuse(header, "its header has no end");
        return text;
    }
    header->at++;
    *end = '\0';
    return text;
}

static int64_t read_number(Header *header)
{
    char *end = NULL;
    errno = 0;
    const int digit = next_is(header, '0') || (header->at < header->end && strchr("123456789", *header->at) != NULL);
    const long long number = digit ? strtoll(header->at, &end, 10) : 0; /* the text ends with a 0 */
    if (!digit || errno != 0) {
        refuse(header, "its header has something else where a number must be");
        return 0;
    }
    header->at = end;
    return number;
}

static int32_t read_numbers(Header *header, int64_t *numbers, int32_t room)
{
    int32_t n = 0;
    need(header, '[');
    while (header->bad == NULL && !next_is(header, ']')) {
        if (n > 0) {
            need(header, ',');
        }
        if (n == room) {
            refuse(header, "a tensor has too many dimensions");
            break;
        }
        numbers[n++] = read_number(header);
    }
    need(header, ']');
    return n;
}

static int32_t read_dtype(Header *header)
{
    const char *word = read_text(header);
    for (size_t i = 0; i < NUM_FILE_DTYPES && header->bad == NULL; i++) {
        if (strcmp(file_dtypes[i].word, word) == 0) {
            return file_dtypes[i].dtype;
        }
    }
    refuse(header, "a dtype is not known here");
    return -1;
}

static void read_tensor(Header *header, Entry *entry)
{
    int64_t offsets[2] = {-1, -1};
    entry->dtype = -1;
    entry->rank = -1;
    need(header, '{');
    do {
        const char *key = read_text(header);
        need(header, ':');
        if (header->bad != NULL) {
            return;
        }
        if (strcmp(key, "dtype") == 0) {
            entry->dtype = read_dtype(header);
        } else if (strcmp(key, "shape") == 0) {
            entry->rank = read_numbers(header, entry->sizes, RANK);
        } else if (strcmp(key, "data_offsets") == 0) {
            (void)read_numbers(header, offsets, 2);
        } else {
            refuse(header, "a tensor has a key that is not known here");
        }
    } while (take_char(header, ','));
    need(header, '}');
    entry->begin = offsets[0];
    entry->end = offsets[1];
    if (entry->dtype < 0 || entry->rank < 0 || entry->begin < 0 || entry->end < entry->begin) {
        refuse(header, "a tensor lacks its dtype, shape or data_offsets");
    }
}

static Entry *add(Header *header, Entries *entries, const char *name)
{
    if (entries->count == entries->capacity) {
        const size_t capacity = 2 * entries->capacity + 8;
        Entry *at = realloc(entries->at, capacity * sizeof *at);
        if (at == NULL) {
            refuse(header, "out of memory");
            return NULL;
        }
        entries->at = at;
        entries->capacity = capacity;
    }
    Entry *entry = &entries->at[entries->count];
    memset(entry, 0, sizeof *entry);
    entry->name = name;
    entries->count++;
    return entry;
}

static void read_metadata(Header *header, Entries *metadata)
{
    need(header, '{');
    while (header->bad == NULL && !next_is(header, '}')) {
        const char *key = read_text(header);
        need(header, ':');
        const char *text = read_text(header);
        Entry *entry = header->bad == NULL ? add(header, metadata, key) : NULL;
        if (entry != NULL) {
            entry->text = text;
        }
        if (!take_char(header, ',')) {
            break;
        }
    }
    need(header, '}');
}

static void read_header(Header *header, WgAotiTensors *tensors)
{
    need(header, '{');
    while (header->bad == NULL && !next_is(header, '}')) {
        const char *name = read_text(header);
        need(header, ':');
        if (header->bad == NULL && strcmp(name, "__metadata__") == 0) {
            read_metadata(header, &tensors->metadata);
        } else if (header->bad == NULL) {
            Entry *entry = add(header, &tensors->tensors, name);
            if (entry != NULL) {
                read_tensor(header, entry);
            }
        }
        if (!take_char(header, ',')) {
            break;
        }
    }
    need(header, '}');
}

/* ---- the data ---- */

/* Contiguous strides; the number of elements, or -1 when it is beyond what can be counted. */
static int64_t lay_out(const int64_t *sizes, int32_t rank, int64_t *strides)
{
    int64_t n = 1;
    for (int32_t i = rank; i-- > 0;) {
        const int64_t size = sizes[i];
        strides[i] = n > 0 ? n : 1;
        if (size != 0 && n > INT64_MAX / size) {
            return -1;
        }
        n *= size;
    }
    return n;
}

static int32_t new_tensor(const Entry *entry, const int64_t *strides, struct AtenTensorOpaque **out)
{
    return aoti_torch_empty_strided(entry->rank, entry->sizes, strides, entry->dtype, WG_CPU, -1, out);
}

/* Reads the elements of an entry; `at` is where the data of the file begin. Null on success, else what is wrong. */
static const char *read_data(FILE *file, long at, Entry *entry)
{
    int64_t strides[RANK];
    struct AtenTensorOpaque *handle = NULL;
    void *data = NULL;
    const int64_t n = lay_out(entry->sizes, entry->rank, strides);
    const size_t num_bytes = (size_t)(entry->end - entry->begin);
    if (n < 0 || (uint64_t)n * aoti_torch_dtype_element_size(entry->dtype) != num_bytes) {
        return "its shape and its data_offsets do not go together";
    }
    if (new_tensor(entry, strides, &handle) != 0) {
        return "libtorch could not make it";
    }
    entry->tensor = wg_aoti_tensor(handle);
    if (num_bytes == 0) {
        return NULL;
    }
    if (aoti_torch_get_data_ptr(handle, &data) != 0 || fseek(file, at + (long)entry->begin, SEEK_SET) != 0 ||
        fread(data, 1, num_bytes, file) != num_bytes) {
        return "the file ends before it does";
    }
    return NULL;
}

/* Gives the tensor the strides that the metadata have for it, as numbers with a blank between. */
static const char *restride(Entry *entry, const char *text)
{
    int64_t strides[RANK];
    struct AtenTensorOpaque *handle = NULL;
    for (int32_t i = 0; i < entry->rank; i++) {
        char *end = NULL;
        strides[i] = strtoll(text, &end, 10);
        if (end == text || strides[i] < 0) {
            return "its strides in the metadata make no sense";
        }
        text = end;
    }
    if (new_tensor(entry, strides, &handle) != 0) {
        return "libtorch could not make it";
    }
    const int32_t failed = aoti_torch_copy_(handle, wg_aoti_handle(entry->tensor), 0);
    wg_release(NULL, entry->tensor);
    entry->tensor = wg_aoti_tensor(handle);
    return failed != 0 ? "libtorch could not copy it" : NULL;
}

static const Entry *find(const Entries *entries, const char *prefix, const char *name)
{
    const size_t length = strlen(prefix);
    for (size_t i = 0; i < entries->count; i++) {
        const char *found = entries->at[i].name;
        if (strncmp(found, prefix, length) == 0 && strcmp(found + length, name) == 0) {
            return &entries->at[i];
        }
    }
    return NULL;
}

static int32_t read_all(WgContext *ctx, const char *path, FILE *file, long at, WgAotiTensors *tensors)
{
    for (size_t i = 0; i < tensors->tensors.count; i++) {
        Entry *entry = &tensors->tensors.at[i];
        const char *bad = read_data(file, at, entry);
        const Entry *strides = find(&tensors->metadata, "stride ", entry->name);
        if (bad == NULL && strides != NULL) {
            bad = restride(entry, strides->text);
        }
        if (bad != NULL) {
            return wg_aoti_say(ctx, WG_AOTI_E_FILE, "%s: tensor '%s': %s", path, entry->name, bad);
        }
    }
    return WG_AOTI_OK;
}

/* Reads the header into memory of its own, which ends with a 0. */
static int32_t load_header(WgContext *ctx, const char *path, FILE *file, uint64_t size, WgAotiTensors *tensors,
                           uint64_t *length)
{
    unsigned char bytes[8];
    *length = 0;
    if (size < sizeof bytes || fread(bytes, 1, sizeof bytes, file) != sizeof bytes) {
        return wg_aoti_say(ctx, WG_AOTI_E_FILE, "%s: it is too short for a safetensors file", path);
    }
    for (size_t i = sizeof bytes; i-- > 0;) {
        *length = *length << 8 | bytes[i];
    }
    if (*length > size - sizeof bytes) {
        return wg_aoti_say(ctx, WG_AOTI_E_FILE, "%s: it is not a safetensors file, or not whole", path);
    }
    tensors->header = malloc((size_t)*length + 1);
    if (tensors->header == NULL || fread(tensors->header, 1, (size_t)*length, file) != *length) {
        return wg_aoti_say(ctx, WG_AOTI_E_FILE, "%s: its header cannot be read", path);
    }
    tensors->header[*length] = '\0';
    Header header = {tensors->header, tensors->header + *length, NULL};
    read_header(&header, tensors);
    return header.bad == NULL ? WG_AOTI_OK : wg_aoti_say(ctx, WG_AOTI_E_FILE, "%s: %s", path, header.bad);
}

static WgAotiTensors *new_tensors(const char *path)
{
    WgAotiTensors *tensors = calloc(1, sizeof *tensors);
    char *copy = malloc(strlen(path) + 1);
    if (tensors == NULL || copy == NULL) {
        free(tensors);
        free(copy);
        return NULL;
    }
    strcpy(copy, path);
    tensors->path = copy;
    tensors->num_users = 1;
    return tensors;
}

int32_t wg_aoti_tensors_read(WgContext *ctx, const char *path, WgAotiTensors **out)
{
    uint64_t size = 0;
    uint64_t length = 0;
    *out = NULL;
    wg_error_clear(ctx);
    FILE *file = wg_aoti_open_file(ctx, path, &size);
    if (file == NULL) {
        return WG_AOTI_E_FILE;
    }
    WgAotiTensors *tensors = new_tensors(path);
    int32_t status = tensors == NULL ? wg_aoti_say(ctx, WG_AOTI_E_MEMORY, "%s: out of memory", path)
                                     : load_header(ctx, path, file, size, tensors, &length);
    if (status == WG_AOTI_OK) {
        status = read_all(ctx, path, file, (long)length + 8, tensors);
    }
    (void)fclose(file);
    if (status != WG_AOTI_OK) {
        wg_aoti_tensors_free(ctx, tensors);
        return status;
    }
    *out = tensors;
    return WG_AOTI_OK;
}

void wg_aoti_tensors_free(WgContext *ctx, WgAotiTensors *tensors)
{
    if (tensors == NULL || --tensors->num_users > 0) {
        return;
    }
    for (size_t i = 0; i < tensors->tensors.count; i++) {
        wg_release(ctx, tensors->tensors.at[i].tensor);
    }
    free(tensors->tensors.at);
    free(tensors->metadata.at);
    free(tensors->header);
    free(tensors->path);
    free(tensors);
}

const char *wg_aoti_tensors_path(const WgAotiTensors *tensors)
{
    return tensors->path;
}

WgAotiTensors *wg_aoti_tensors_share(WgAotiTensors *tensors)
{
    tensors->num_users++;
    return tensors;
}

WgTensor *wg_aoti_tensors_find(const WgAotiTensors *tensors, const char *name)
{
    const Entry *entry = find(&tensors->tensors, "", name);
    return entry == NULL ? NULL : entry->tensor;
}

const char *wg_aoti_tensors_metadata(const WgAotiTensors *tensors, const char *key)
{
    const Entry *entry = find(&tensors->metadata, "", key);
    return entry == NULL ? NULL : entry->text;
}

size_t wg_aoti_tensors_count(const WgAotiTensors *tensors)
{
    return tensors->tensors.count;
}

const char *wg_aoti_tensors_name(const WgAotiTensors *tensors, size_t i)
{
    return tensors->tensors.at[i].name;
}

const char *wg_aoti_dtype_name(int32_t dtype)
{
    for (size_t i = 0; i < NUM_FILE_DTYPES; i++) {
        if (file_dtypes[i].dtype == dtype) {
            return file_dtypes[i].name;
        }
    }
    return NULL;
}

int32_t wg_aoti_borrow(WgContext *ctx, void *data, int32_t dtype, const int64_t *sizes, int32_t rank, WgTensor **out)
{
    int64_t strides[RANK];
    struct AtenTensorOpaque *handle = NULL;
    *out = NULL;
    wg_error_clear(ctx);
    const int64_t num_elements = rank < 0 || rank > RANK ? -1 : lay_out(sizes, rank, strides);
    if (num_elements < 0) {
        return wg_aoti_say(ctx, WG_AOTI_E_ARGUMENT, "a tensor with %d dimensions, or with too many elements",
                           (int)rank);
    }
    if (data == NULL && num_elements > 0) {
        return wg_aoti_say(ctx, WG_AOTI_E_ARGUMENT, "a tensor with %lld elements over a null pointer",
                           (long long)num_elements);
    }
    ctx->model_message = NULL;
    const int32_t failed = torch_from_blob(data, rank, sizes, strides, 0, dtype, WG_CPU, -1, &handle,
                                           aoti_torch_layout_strided(), NULL, 0, NULL, NULL);
    *out = failed != 0 ? NULL : wg_aoti_tensor(handle);
    return wg_aoti_status(failed);
}
