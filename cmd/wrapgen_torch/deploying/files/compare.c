/*
 * compare.c FOLDER ENTRY - makes the recorded calls of an entry point (data/), and compares what it returns and what it
 * leaves in its arguments with what PyTorch computed without a compiler. Another CPU adds in another order, so numbers
 * may differ within the tolerances that the files state; whole numbers must be equal, and an argument that is not
 * written to must not change. Written by wrapgen-torch deploy; 0BSD, so it is yours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"

typedef struct Input {
    const char *name;  /* "in x" */
    const char *after; /* "after x"; null when the model does not write to it */
} Input;

typedef struct Entry {
    const char *name;
    int32_t (*call)(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t num_outs);
    const Input *inputs;
    size_t num_inputs;
    const char *const *outputs; /* "out y" */
    size_t num_outputs;
    const char *const *files;
    size_t num_files;
} Entry;

@entries @

    static const Entry entries[] = {@rows @};

enum { NUM_ENTRIES = sizeof entries / sizeof entries[0] };

/* ---- one tensor ---- */

/* A contiguous copy, of another dtype if wanted. */
static WgTensor *copy(WgContext *ctx, WgTensor *t, int32_t dtype)
{
    struct AtenTensorOpaque *handle = NULL;
    int64_t strides[64];
    int64_t n = 1;
    for (int32_t i = wg_rank(ctx, t); i-- > 0;) {
        strides[i] = n;
        n *= wg_size(ctx, t, i) > 1 ? wg_size(ctx, t, i) : 1;
    }
    if (aoti_torch_empty_strided(wg_rank(ctx, t), wg_sizes(ctx, t), strides, dtype, WG_CPU, -1, &handle) != 0 ||
        aoti_torch_copy_(handle, wg_aoti_handle(t), 0) != 0) {
        fprintf(stderr, "a tensor cannot be copied: %s\n", wg_aoti_message(ctx));
        exit(2);
    }
    return wg_aoti_tensor(handle);
}

static int64_t count(WgContext *ctx, WgTensor *t)
{
    int64_t n = 1;
    for (int32_t i = 0; i < wg_rank(ctx, t); i++) {
        n *= wg_size(ctx, t, i);
    }
    return n;
}

static int has_shape_of(WgContext *ctx, WgTensor *a, WgTensor *b)
{
    int same = wg_dtype(ctx, a) == wg_dtype(ctx, b) && wg_rank(ctx, a) == wg_rank(ctx, b);
    for (int32_t i = 0; same && i < wg_rank(ctx, a); i++) {
        same = wg_size(ctx, a, i) == wg_size(ctx, b, i);
    }
    return same;
}

static int is_equal(WgContext *ctx, WgTensor *a, WgTensor *b)
{
    WgTensor *found = copy(ctx, a, wg_dtype(ctx, a));
    WgTensor *wanted = copy(ctx, b, wg_dtype(ctx, b));
    const size_t num_bytes = (size_t)count(ctx, a) * aoti_torch_dtype_element_size(wg_dtype(ctx, a));
    const int equal = num_bytes == 0 || memcmp(wg_data(ctx, found), wg_data(ctx, wanted), num_bytes) == 0;
    wg_release(ctx, found);
    wg_release(ctx, wanted);
    return equal;
}

/* The largest difference; -1 when a number is further away than the tolerance allows. */
static double distance(WgContext *ctx, WgTensor *a, WgTensor *b, double relative, double absolute)
{
    WgTensor *found = copy(ctx, a, WG_FLOAT64);
    WgTensor *wanted = copy(ctx, b, WG_FLOAT64);
    const double *x = wg_data(ctx, found);
    const double *y = wg_data(ctx, wanted);
    double largest = 0;
    for (int64_t i = 0; i < count(ctx, a) && largest >= 0; i++) {
        const double apart = x[i] == y[i] || (isnan(x[i]) && isnan(y[i])) ? 0 : fabs(x[i] - y[i]);
        largest = apart <= absolute + relative * fabs(y[i]) ? fmax(largest, apart) : -1;
    }
    wg_release(ctx, found);
    wg_release(ctx, wanted);
    return largest;
}

/* Writes a line, and returns whether the tensors agree. */
static int agrees(WgContext *ctx, const char *name, WgTensor *found, WgTensor *wanted, const char *tolerance)
{
    if (found == NULL || wanted == NULL) {
        printf("    %s: MISSING\n", name);
        return 0;
    }
    if (!has_shape_of(ctx, found, wanted)) {
        printf("    %s: DIFFERENT dtype or size\n", name);
        return 0;
    }
    if (is_equal(ctx, found, wanted)) {
        printf("    %s: equal bit for bit\n", name);
        return 1;
    }
    char *end = NULL;
    const double relative = tolerance == NULL ? -1 : strtod(tolerance, &end);
    const double absolute = tolerance == NULL ? -1 : strtod(end, NULL);
    const double largest = distance(ctx, found, wanted, relative, absolute);
    if (largest < 0) {
        printf("    %s: DIFFERENT, allowed is %s\n", name, tolerance == NULL ? "nothing" : tolerance);
        return 0;
    }
    printf("    %s: at most %.2g apart; allowed is %s\n", name, largest, tolerance);
    return 1;
}

/* ---- one call ---- */

static const char *tolerance_of(const WgAotiTensors *recorded, const char *name)
{
    char key[512];
    (void)snprintf(key, sizeof key, "tolerance %s", name);
    return wg_aoti_tensors_metadata(recorded, key);
}

static int compare(WgContext *ctx, const Entry *entry, const WgAotiTensors *recorded, const WgAotiTensors *given)
{
    int good = 1;
    WgValue *args = calloc(entry->num_inputs + 1, sizeof *args);
    WgValue *outs = calloc(entry->num_outputs + 1, sizeof *outs);
    if (args == NULL || outs == NULL) {
        exit(2);
    }
    for (size_t i = 0; i < entry->num_inputs; i++) {
        args[i] = wg_value_tensor(wg_aoti_tensors_find(given, entry->inputs[i].name));
    }
    if (entry->call(ctx, args, entry->num_inputs, outs, entry->num_outputs) != WG_OK) {
        models_explain(ctx, entry->name);
        good = 0;
    }
    for (size_t i = 0; i < entry->num_outputs && good; i++) {
        const char *name = entry->outputs[i];
        const int same =
            agrees(ctx, name, outs[i].tensor, wg_aoti_tensors_find(recorded, name), tolerance_of(recorded, name));
        good = good && same;
    }
    for (size_t i = 0; i < entry->num_inputs && good; i++) {
        const Input *input = &entry->inputs[i];
        const char *name = input->after == NULL ? input->name : input->after;
        const int same =
            agrees(ctx, name, args[i].tensor, wg_aoti_tensors_find(recorded, name), tolerance_of(recorded, name));
        good = good && same;
    }
    for (size_t i = 0; i < entry->num_outputs; i++) {
        wg_release(ctx, outs[i].tensor);
    }
    free(args);
    free(outs);
    return good;
}

/* The file is read twice: the model gets tensors of its own, since it may write to them. */
static int compare_file(WgContext *ctx, const Entry *entry, const char *folder, const char *file)
{
    WgAotiTensors *recorded = NULL;
    WgAotiTensors *given = NULL;
    int good = models_read(ctx, folder, file, &recorded) == WG_OK && models_read(ctx, folder, file, &given) == WG_OK;
    if (!good) {
        models_explain(ctx, entry->name);
    } else {
        printf("%s\n", file);
        good = compare(ctx, entry, recorded, given);
    }
    wg_aoti_tensors_free(ctx, recorded);
    wg_aoti_tensors_free(ctx, given);
    return good;
}

int main(int argc, char **argv)
{
    WgContext *ctx = NULL;
    int good = 1;
    size_t num_compared = 0;
    if (argc != 3 || wg_context_create(NULL, &ctx) != WG_OK) {
        fprintf(stderr, "usage: %s FOLDER ENTRY\n", argv[0]);
        return 2;
    }
    if (models_open(ctx, argv[1], 1) != WG_OK) {
        models_explain(ctx, argv[2]);
        wg_context_destroy(ctx);
        return 1;
    }
    for (size_t i = 0; i < NUM_ENTRIES; i++) {
        for (size_t file = 0; file < entries[i].num_files && strcmp(entries[i].name, argv[2]) == 0; file++) {
            const int same = compare_file(ctx, &entries[i], argv[1], entries[i].files[file]);
            good = good && same;
            num_compared++;
        }
    }
    models_close();
    wg_context_destroy(ctx);
    printf("%s: %s, calls compared: %zu\n", argv[2], good && num_compared > 0 ? "equal" : "DIFFERENT", num_compared);
    return !good || num_compared == 0;
}
