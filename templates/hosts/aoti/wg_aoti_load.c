/* SPDX-License-Identifier: 0BSD */
/*
 * wg_aoti_load.c - models by their descriptions: a model is held to what the description says, and the description to
 * what the wrappers expect, before any of the model's code runs.
 */
#include "wg_aoti_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define MACHINE "x86_64"
#elif defined(__aarch64__)
#define MACHINE "aarch64"
#elif defined(__powerpc64__)
#define MACHINE "ppc64le"
#elif defined(__riscv)
#define MACHINE "riscv64"
#else
#define MACHINE "unknown"
#endif

/* ---- files ---- */

FILE *wg_aoti_open_file(WgContext *ctx, const char *path, uint64_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        (void)wg_aoti_say(ctx, WG_AOTI_E_FILE, "%s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    long end = -1;
    if (fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) != 0) {
        (void)wg_aoti_say(ctx, WG_AOTI_E_FILE, "%s: is not a file", path);
        (void)fclose(file);
        return NULL;
    }
    *size = (uint64_t)end;
    return file;
}

int32_t wg_aoti_read_file(WgContext *ctx, const char *path, char **text, size_t *size)
{
    uint64_t length = 0;
    FILE *file = wg_aoti_open_file(ctx, path, &length);
    if (file == NULL) {
        return WG_AOTI_E_FILE;
    }
    *size = (size_t)length;
    *text = malloc(*size + 1);
    const int whole = *text != NULL && fread(*text, 1, *size, file) == *size;
    (void)fclose(file);
    if (!whole) {
        free(*text);
        *text = NULL;
        return wg_aoti_say(ctx, WG_AOTI_E_FILE, "%s: cannot be read", path);
    }
    (*text)[*size] = '\0';
    return WG_AOTI_OK;
}

char *wg_aoti_beside(WgContext *ctx, const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *joined = malloc(folder + strlen(name) + 1);
    if (joined == NULL) {
        (void)wg_aoti_say(ctx, WG_AOTI_E_MEMORY, "%s: out of memory", path);
        return NULL;
    }
    memcpy(joined, path, folder);
    memcpy(joined + folder, name, strlen(name) + 1);
    return joined;
}

/* ---- the description ---- */

/* Lines of a text in which every end of a line has become a 0. */
typedef struct Lines {
    const char *at;
    const char *end;
} Lines;

static const char *next_line(Lines *lines)
{
    while (lines->at < lines->end) {
        const char *line = lines->at;
        lines->at += strlen(line) + 1;
        if (line[0] != '\0' && line[0] != '#') {
            return line;
        }
    }
    return NULL;
}

/* What follows the word at the beginning of the line; null when it begins otherwise. */
static const char *after(const char *line, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

/* The first such line. */
static const char *value_of(Lines lines, const char *word)
{
    for (const char *line = next_line(&lines); line != NULL; line = next_line(&lines)) {
        const char *value = after(line, word);
        if (value != NULL) {
            return value;
        }
    }
    return NULL;
}

static int is_expected(const char *line)
{
    static const char *const words[] = {"symbol", "guard:", "input", "output"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (after(line, words[i]) != NULL) {
            return 1;
        }
    }
    return 0;
}

/* The next line of those that the wrappers are generated from. */
static const char *next_expected(Lines *lines)
{
    const char *line = next_line(lines);
    while (line != NULL && !is_expected(line)) {
        line = next_line(lines);
    }
    return line;
}

static int32_t compare_lines(WgContext *ctx, const char *path, Lines lines, const char *const *expects)
{
    for (; expects != NULL; expects++) {
        const char *line = next_expected(&lines);
        if (line == NULL && *expects == NULL) {
            break;
        }
        if (line == NULL || *expects == NULL || strcmp(line, *expects) != 0) {
            return wg_aoti_say(ctx, WG_AOTI_E_UNFIT, "%s: the model has '%s', and the wrappers are for '%s'", path,
                               line == NULL ? "nothing more" : line, *expects == NULL ? "nothing more" : *expects);
        }
    }
    return WG_AOTI_OK;
}

/* ---- the machine ---- */

static int32_t check_cpu(WgContext *ctx, const char *path, const char *needed)
{
    char *cpu = wg_cpu_line();
    if (cpu == NULL) {
        return wg_aoti_say(ctx, WG_AOTI_E_MEMORY, "%s: out of memory", path);
    }
    int32_t status = WG_AOTI_OK;
    while (status == WG_AOTI_OK && *needed != '\0') {
        const size_t length = strcspn(needed, " ");
        if (length > 0 && !wg_cpu_line_has(cpu, needed, length)) {
            status = wg_aoti_say(ctx, WG_AOTI_E_UNFIT, "%s: the model needs a CPU with %.*s, which this one lacks",
                                 path, (int)length, needed);
        }
        needed += length + (needed[length] != '\0');
    }
    free(cpu);
    return status;
}

static int32_t check_machine(WgContext *ctx, const char *path, Lines lines)
{
    const char *machine = value_of(lines, "machine");
    const char *cpu = value_of(lines, "cpu");
    if (machine == NULL || strcmp(machine, MACHINE) != 0) {
        return wg_aoti_say(ctx, WG_AOTI_E_UNFIT, "%s: the model was compiled for %s, and this program for " MACHINE,
                           path, machine == NULL ? "no machine" : machine);
    }
    return cpu == NULL ? WG_AOTI_OK : check_cpu(ctx, path, cpu);
}

/* ---- the library ---- */

enum { PIECE = 65536 };

/* CRC-32 as in zip: polynomial 0xEDB88320, eight bytes at a time. */
static uint32_t sum(uint32_t crc, const unsigned char *data, size_t size, const uint32_t tables[8][256])
{
    for (; size >= 8; size -= 8, data += 8) {
        crc ^= data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
        crc = tables[7][crc & 255] ^ tables[6][crc >> 8 & 255] ^ tables[5][crc >> 16 & 255] ^ tables[4][crc >> 24] ^
              tables[3][data[4]] ^ tables[2][data[5]] ^ tables[1][data[6]] ^ tables[0][data[7]];
    }
    for (; size > 0; size--, data++) {
        crc = tables[0][(crc ^ *data) & 255] ^ crc >> 8;
    }
    return crc;
}

static void fill_tables(uint32_t tables[8][256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 1) != 0 ? crc >> 1 ^ UINT32_C(0xEDB88320) : crc >> 1;
        }
        tables[0][i] = crc;
    }
    for (uint32_t i = 0; i < 256; i++) {
        for (size_t table = 1; table < 8; table++) {
            tables[table][i] = tables[table - 1][i] >> 8 ^ tables[0][tables[table - 1][i] & 255];
        }
    }
}

static uint32_t sum_of(FILE *file)
{
    uint32_t tables[8][256];
    unsigned char piece[PIECE];
    uint32_t crc = UINT32_MAX;
    fill_tables(tables);
    for (size_t n = fread(piece, 1, sizeof piece, file); n > 0; n = fread(piece, 1, sizeof piece, file)) {
        crc = sum(crc, piece, n, (const uint32_t(*)[256])tables);
    }
    return ~crc;
}

/* The path of the library, once it is the file that the description says; the caller frees it. */
static int32_t check_library(WgContext *ctx, const char *path, Lines lines, char **library)
{
    const char *line = value_of(lines, "library");
    const char *blank = line == NULL ? NULL : strchr(line, ' ');
    if (blank == NULL) {
        return wg_aoti_say(ctx, WG_AOTI_E_FILE, "%s: it has no line 'library FILE BYTES CRC-32'", path);
    }
    char *end = NULL;
    const uint64_t size = strtoull(blank, &end, 10);
    const uint32_t crc = (uint32_t)strtoul(end, NULL, 16);
    *library = wg_aoti_beside(ctx, path, line);
    if (*library == NULL) {
        return WG_AOTI_E_MEMORY;
    }
    (*library)[strlen(*library) - strlen(blank)] = '\0';
    uint64_t found_size = 0;
    FILE *file = wg_aoti_open_file(ctx, *library, &found_size);
    if (file == NULL) {
        return WG_AOTI_E_FILE;
    }
    const uint32_t found = found_size == size ? sum_of(file) : ~crc;
    (void)fclose(file);
    if (found != crc) {
        return wg_aoti_say(ctx, WG_AOTI_E_FILE,
                           "%s: is not the library that %s describes (%llu bytes, checksum %08lx), or is damaged",
                           *library, path, (unsigned long long)size, (unsigned long)crc);
    }
    return WG_AOTI_OK;
}

/* ---- weights ---- */

typedef struct Pair {
    const char *name;
    struct AtenTensorOpaque *handle;
} Pair;

typedef int32_t Update(void *container, const Pair *pairs, size_t num_pairs, bool use_inactive,
                       bool validate_full_update);

/* "float32[4, 4]" of a tensor, compared with the text from its end on. */
static int has_type(WgContext *ctx, const WgTensor *t, const char *type)
{
    const char *name = wg_aoti_dtype_name(wg_dtype(ctx, t));
    const size_t length = name == NULL ? 0 : strlen(name);
    if (name == NULL || strncmp(type, name, length) != 0 || type[length] != '[') {
        return 0;
    }
    const char *at = type + length + 1;
    for (int32_t i = 0; i < wg_rank(ctx, t); i++) {
        char *end = NULL;
        if (strtoll(at, &end, 10) != wg_size(ctx, t, i) || end == at) {
            return 0;
        }
        at = *end == ',' ? end + 1 : end;
    }
    return strcmp(at, "]") == 0;
}

static int32_t say_type(WgContext *ctx, const char *path, const char *name, const WgTensor *t, const char *type)
{
    const char *dtype = wg_aoti_dtype_name(wg_dtype(ctx, t));
    char *sizes = calloc((size_t)wg_rank(ctx, t) + 1, 24);
    size_t length = 0;
    for (int32_t i = 0; sizes != NULL && i < wg_rank(ctx, t); i++) {
        length += (size_t)snprintf(sizes + length, 24, "%s%lld", i > 0 ? ", " : "", (long long)wg_size(ctx, t, i));
    }
    (void)wg_aoti_say(ctx, WG_AOTI_E_UNFIT, "%s: weight '%s' is %s[%s], and the model takes %s", path, name,
                      dtype == NULL ? "tensor" : dtype, sizes == NULL ? "" : sizes, type);
    free(sizes);
    return WG_AOTI_E_UNFIT;
}

/* One line "l_weight l.weight float32[4, 4]", whose blanks become ends; `path` is the weights' file. */
static int32_t pair_up(WgContext *ctx, const char *path, char *line, const WgAotiTensors *weights, Pair *pair)
{
    char *name = line + strcspn(line, " ");
    char *type = *name == '\0' ? name : name + 1 + strcspn(name + 1, " ");
    if (*type == '\0') {
        return wg_aoti_say(ctx, WG_AOTI_E_FILE, "%s: 'weight %s' is not 'weight NAME NAME TYPE'", path, line);
    }
    *name++ = '\0';
    *type++ = '\0';
    const WgTensor *found = wg_aoti_tensors_find(weights, name);
    if (found == NULL) {
        return wg_aoti_say(ctx, WG_AOTI_E_UNFIT, "%s: it has no weight '%s', and the model takes %s", path, name, type);
    }
    *pair = (Pair){line, wg_aoti_handle(found)};
    return has_type(ctx, found, type) ? WG_AOTI_OK : say_type(ctx, path, name, found, type);
}

static size_t count_weights(Lines lines)
{
    size_t n = 0;
    for (const char *line = next_line(&lines); line != NULL; line = next_line(&lines)) {
        n += after(line, "weight") != NULL;
    }
    return n;
}

static int32_t put_weights(WgContext *ctx, WgModel *model, const char *path, Lines lines, char *text, Update *update)
{
    const size_t n = count_weights(lines);
    Pair *pairs = calloc(n + 1, sizeof *pairs);
    size_t i = 0;
    int32_t status = pairs == NULL ? wg_aoti_say(ctx, WG_AOTI_E_MEMORY, "%s: out of memory", path) : WG_AOTI_OK;
    while (status == WG_AOTI_OK && i < n) {
        const char *line = next_line(&lines);
        const char *weight = after(line, "weight");
        if (weight != NULL) {
            status = pair_up(ctx, path, text + (weight - text), model->weights, &pairs[i++]);
        }
    }
    if (status == WG_AOTI_OK && update(model->container, pairs, n, false, true) != 0) {
        const char *message = NULL;
        const int told = model->last_error != NULL && model->last_error(&message) == 0 && message != NULL;
        status = wg_aoti_say(ctx, WG_AOTI_E_MODEL, "%s: the model refused its weights: %s", path, told ? message : "");
    }
    free(pairs);
    return status;
}

/* The models that are open already. */
typedef struct Opened {
    WgModel *const *models;
    size_t n;
} Opened;

/* The tensors of a file, which a model that is open may have; the caller has one use of them. */
static int32_t read_or_share(WgContext *ctx, const char *file, Opened opened, WgAotiTensors **out)
{
    for (size_t i = 0; i < opened.n; i++) {
        WgAotiTensors *known = opened.models[i]->weights;
        if (known != NULL && strcmp(wg_aoti_tensors_path(known), file) == 0) {
            *out = wg_aoti_tensors_share(known);
            return WG_AOTI_OK;
        }
    }
    return wg_aoti_tensors_read(ctx, file, out);
}

static int32_t load_weights(WgContext *ctx, WgModel *model, const char *path, Lines lines, char *text, Opened opened)
{
    const char *name = value_of(lines, "weights");
    if (name == NULL) {
        return WG_AOTI_OK;
    }
    Update *update = NULL;
    WgAotiTensors *weights = NULL;
    char *file = wg_aoti_beside(ctx, path, name);
    int32_t status = file == NULL ? WG_AOTI_E_MEMORY : read_or_share(ctx, file, opened, &weights);
    if (status == WG_AOTI_OK) {
        model->weights = weights;
        status = wg_aoti_model_find(ctx, model, "AOTInductorModelContainerUpdateUserManagedConstantBufferPairs",
                                    &update, sizeof update);
    }
    if (status == WG_AOTI_OK) {
        status = put_weights(ctx, model, file, lines, text, update);
    }
    free(file);
    return status;
}

/* ---- all of it ---- */

/* Other models of as many bytes and with the same sum are not to be expected; a description that was edited is. */
static int32_t check_counts(WgContext *ctx, const WgModel *model, const char *path, Lines lines)
{
    size_t inputs = 0;
    size_t outputs = 0;
    for (const char *line = next_line(&lines); line != NULL; line = next_line(&lines)) {
        inputs += after(line, "input") != NULL;
        outputs += after(line, "output") != NULL;
    }
    if (inputs != model->num_inputs || outputs != model->num_outputs) {
        return wg_aoti_say(ctx, WG_AOTI_E_UNFIT, "%s: it has %zu inputs and %zu outputs, and the library %zu and %zu",
                           path, inputs, outputs, model->num_inputs, model->num_outputs);
    }
    return WG_AOTI_OK;
}

static int32_t load(WgContext *ctx, WgModel *model, const char *path, char *text, size_t size,
                    const char *const *expects, size_t num_runners, Opened opened)
{
    for (size_t i = 0; i < size; i++) {
        text[i] = text[i] == '\n' ? '\0' : text[i];
    }
    Lines lines = {text, text + size};
    const char *first = next_line(&lines);
    if (first == NULL || strcmp(first, "wrapgen model 1") != 0) {
        return wg_aoti_say(ctx, WG_AOTI_E_FILE, "%s: does not begin with 'wrapgen model 1'", path);
    }
    char *library = NULL;
    const char *device = value_of(lines, "device");
    int32_t status = check_machine(ctx, path, lines);
    if (status == WG_AOTI_OK) {
        status = compare_lines(ctx, path, lines, expects);
    }
    if (status == WG_AOTI_OK) {
        status = check_library(ctx, path, lines, &library);
    }
    if (status == WG_AOTI_OK) {
        status = wg_aoti_model_open(ctx, model, library, device == NULL ? "cpu" : device, num_runners, NULL);
    }
    if (status == WG_AOTI_OK) {
        status = check_counts(ctx, model, path, lines);
    }
    if (status == WG_AOTI_OK) {
        status = load_weights(ctx, model, path, lines, text, opened);
    }
    free(library);
    return status;
}

int32_t wg_aoti_model_load(WgContext *ctx, WgModel *model, const char *path, const char *const *expects,
                           size_t num_runners)
{
    return wg_aoti_model_load_among(ctx, model, path, expects, num_runners, NULL, 0);
}

int32_t wg_aoti_model_load_among(WgContext *ctx, WgModel *model, const char *path, const char *const *expects,
                                 size_t num_runners, WgModel *const *opened, size_t num_opened)
{
    const Opened others = {opened, num_opened};
    char *text = NULL;
    size_t size = 0;
    memset(model, 0, sizeof *model);
    wg_error_clear(ctx);
    ctx->model_message = NULL;
    int32_t status = wg_aoti_read_file(ctx, path, &text, &size);
    if (status == WG_AOTI_OK) {
        status = load(ctx, model, path, text, size, expects, num_runners, others);
    }
    free(text);
    if (status != WG_AOTI_OK) {
        wg_aoti_model_close(model);
    }
    return status;
}
