/* SPDX-License-Identifier: MIT */
/*
 * main.c FOLDER - runs what program.py compiled, through generated wrappers, with no Python in the process, and
 * compares with what it recorded from eager PyTorch: values, shapes, storage sharing, identity, version counters, a
 * failing call, and that no tensor is left at the end (libtorch calls forget() when the last one that shares a memory
 * is gone).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "wg_aoti.h"
#include "models.h"

WgModel cell_model;
WgModel quantised_model;

/* A tensor subclass of the program's: bits, and a scale for each row. */
static const char *const quantised_attributes[] = {"bits", "scale"};
const WgType quantised_type = {.name = "QuantisedTensor", .attribute_names = quantised_attributes, .num_attributes = 2};
const void *const quantised_by_rows = "rows";

static WgContext *ctx;
static int num_bad;
static int num_live;

static void expect(int holds, const char *what)
{
    printf("%s %s\n", holds ? "ok:    " : "WRONG: ", what);
    num_bad += !holds;
}

static void must(int32_t status, const char *what)
{
    if (status != 0) {
        char text[256];
        (void)wg_error_text(wg_error(ctx), text, sizeof text);
        fprintf(stderr, "%s failed with %d: %s; %s\n", what, status, text, wg_aoti_message(ctx));
        exit(2);
    }
}

static void forget(void *data, void *user)
{
    (void)user;
    num_live--;
    free(data);
}

/* A tensor of libtorch over memory of ours, a copy of `data`; compact. */
static WgTensor *tensor(int32_t dtype, int32_t rank, const int64_t *sizes, const void *data)
{
    int64_t strides[4];
    int64_t n = 1;
    for (int32_t i = rank; i-- > 0;) {
        strides[i] = n;
        n *= sizes[i];
    }
    const size_t num_bytes = (size_t)n * aoti_torch_dtype_element_size(dtype);
    void *copy = malloc(num_bytes);
    struct AtenTensorOpaque *handle = NULL;
    if (copy == NULL) {
        exit(2);
    }
    memcpy(copy, data, num_bytes);
    must(torch_from_blob(copy, rank, sizes, strides, 0, dtype, WG_CPU, -1, &handle, aoti_torch_layout_strided(), NULL,
                         0, forget, NULL),
         "making a tensor");
    num_live++;
    return wg_aoti_tensor(handle);
}

#define SIZES(...)                                                                                                     \
    (const int64_t[])                                                                                                  \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

/* The matrix products may add in another order than eager PyTorch's. */
static int is_close(WgTensor *t, const float *expected, size_t n)
{
    const float *found = wg_data(ctx, t);
    int close = 1;
    for (size_t i = 0; i < n; i++) {
        close = close && fabsf(found[i] - expected[i]) <= 1e-5F * fmaxf(1.0F, fabsf(expected[i]));
    }
    return close;
}

/* ---- cell: a state that is carried along in place ---- */

typedef struct Call {
    const float *x;
    const float *y;
    const float *state;
    int64_t rows;
} Call;

static void call_cell(WgTensor *state, WgTensor *w, WgTensor *level, const Call *call)
{
    model_cell_inputs in = {tensor(WG_FLOAT32, 2, SIZES(call->rows, 4), call->x), state, w, level};
    model_cell_outputs out;
    const int64_t version = wg_version(ctx, state) + CELL_RAISES;
    must(model_cell(ctx, &in, &out), "model_cell");
    expect(wg_size(ctx, out.y, 0) == call->rows && wg_size(ctx, out.y, 1) == 4, "y has its shape");
    expect(is_close(out.y, call->y, (size_t)call->rows * 4), "y is eager PyTorch's");
    expect(is_close(state, call->state, 4), "the caller's state is what eager PyTorch left");
    expect(wg_version(ctx, state) == version, "its version was raised as torch.compile raises it");
    expect(wg_same_storage(ctx, out.tail, state) && wg_data(ctx, out.tail) == (float *)wg_data(ctx, state) + 1,
           "tail is the middle of the state");
    expect(wg_rank(ctx, out.tail) == 1 && wg_size(ctx, out.tail, 0) == 2, "tail has its shape");
    expect(wg_version(ctx, out.tail) == version, "tail shares the state's version counter");
    must(wg_bump_version(ctx, out.tail), "a mutation of the tail");
    expect(wg_version(ctx, state) == version + 1, "a mutation of tail counts for the state");
    expect(wg_same(ctx, out.same, w), "same is the tensor that was passed");
    model_cell_outputs_release(ctx, &out);
    wg_release(ctx, in.x);
}

/* A call that a check refuses before anything happened, and one that fails inside the model. */
static void refused_cells(WgTensor *state, WgTensor *w, WgTensor *level)
{
    static const float row[4] = {0};
    static const double wide[12] = {0};
    static const int64_t ten = 10;
    char text[256];
    model_cell_outputs out;
    model_cell_inputs in = {tensor(WG_FLOAT64, 2, SIZES(3, 4), wide), state, w, level};
    const int64_t version = wg_version(ctx, state);
    expect(model_cell(ctx, &in, &out) == WG_E_DTYPE, "another dtype is refused");
    wg_release(ctx, in.x);
    in.x = tensor(WG_FLOAT32, 2, SIZES(1, 4), row);
    expect(model_cell(ctx, &in, &out) == WG_E_SYMBOL,
           "a batch of one is refused, the model was compiled for two and more");
    expect(wg_version(ctx, state) == version && out.y == NULL, "nothing happened");
    wg_release(ctx, in.x);
    in.x = tensor(WG_FLOAT32, 2, SIZES(3, 4), wide);
    in.level = tensor(WG_INT64, 0, NULL, &ten);
    wg_set_grad_mode(ctx, 1);
    expect(model_cell(ctx, &in, &out) == WG_E_COMPILED, "what the program itself refuses fails");
    (void)wg_error_text(wg_error(ctx), text, sizeof text);
    printf("        %s\n        %s\n", text, wg_aoti_message(ctx));
    expect(wg_error(ctx)->found.integer == WG_AOTI_E_MODEL, "the error says that the model failed");
    expect(strstr(wg_aoti_message(ctx), "<= 9") != NULL, "the model says why");
    expect(out.y == NULL && out.tail == NULL && out.same == NULL, "there are no outputs");
    expect(wg_grad_mode(ctx) == 1, "grad mode is restored");
    wg_release(ctx, in.level);
    wg_release(ctx, in.x);
}

/* The state is a part of a larger memory, as one that a program keeps for many cells would be. */
static WgTensor *part_of_states(const float *first)
{
    static const float nothing[12] = {0};
    const WgGeometry part = {SIZES(4), SIZES(1), 5, 1};
    WgTensor *states = tensor(WG_FLOAT32, 1, SIZES(12), nothing);
    WgTensor *source = tensor(WG_FLOAT32, 1, SIZES(4), first);
    WgTensor *state = NULL;
    must(wg_as_strided(ctx, states, &part, &state), "taking a part");
    must(wg_copy_(ctx, state, source), "filling it");
    wg_release(ctx, states);
    wg_release(ctx, source);
    return state;
}

static void cell(void)
{
    static const int64_t one = 1;
    static const Call calls[] = {
        {cell_x_0, cell_y_0, cell_state_0, CELL_ROWS_0},
        {cell_x_1, cell_y_1, cell_state_1, CELL_ROWS_1},
    };
    WgTensor *state = part_of_states(cell_state);
    WgTensor *w = tensor(WG_FLOAT32, 1, SIZES(2), cell_w);
    WgTensor *level = tensor(WG_INT64, 0, NULL, &one);
    for (size_t i = 0; i < 2; i++) {
        call_cell(state, w, level, &calls[i]);
    }
    refused_cells(state, w, level);
    wg_release(ctx, state);
    wg_release(ctx, w);
    wg_release(ctx, level);
}

/* ---- quantised: a tensor subclass around a model that knows only plain tensors ---- */

static void quantised(void)
{
    WgTensor *attrs[] = {tensor(WG_INT8, 2, SIZES(6, 4), quantised_bits),
                         tensor(WG_FLOAT32, 1, SIZES(6), quantised_scale)};
    WgTensor *scale = attrs[1]; /* the weight's from now on */
    WgTensor *weight = NULL;
    WgTensor *attr = NULL;
    model_quantised_outputs out;
    must(wg_aoti_subclass(ctx, &quantised_type, quantised_by_rows, attrs, 2, NULL, &weight), "wrapping the weight");
    const model_quantised_inputs in = {tensor(WG_FLOAT32, 2, SIZES(3, 4), quantised_x), weight};
    must(model_quantised(ctx, &in, &out), "model_quantised");
    expect(is_close(out.y, quantised_y, 18), "y is eager PyTorch's");
    expect(is_close(scale, quantised_scale_after, 6), "the weight's scale is what eager PyTorch left");
    expect(wg_version(ctx, weight) == 1, "the weight's version was raised");
    expect(wg_is_type(ctx, out.result, &quantised_type), "the result is a QuantisedTensor");
    expect(wg_size(ctx, out.result, 0) == 3 && wg_size(ctx, out.result, 1) == 6, "it has its shape");
    must(wg_attr(ctx, out.result, 0, &attr), "bits");
    expect(wg_dtype(ctx, attr) == WG_INT8, "its bits are int8");
    const int8_t *bits = wg_data(ctx, attr);
    int most = 0;
    for (int i = 0; i < 18; i++) {
        const int apart = abs(bits[i] - quantised_result[i]);
        most = apart > most ? apart : most;
    }
    expect(most <= 1, "its bits are eager PyTorch's, but for rounding");
    must(wg_attr(ctx, out.result, 1, &attr), "scale");
    expect(is_close(attr, quantised_steps, 3), "its scale is eager PyTorch's");
    model_quantised_outputs_release(ctx, &out);
    model_quantised_inputs plain = {in.x, in.x};
    expect(model_quantised(ctx, &plain, &out) == WG_E_TYPE,
           "a plain tensor is refused where a QuantisedTensor must be");
    wg_release(ctx, weight);
    wg_release(ctx, in.x);
}

static int maps_python(void)
{
    char line[1024];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        found = found || strstr(line, "libpython") != NULL || strstr(line, "libtorch_python") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

int main(int argc, char **argv)
{
    char path[1024];
    if (argc != 2 || wg_context_create(NULL, &ctx) != WG_AOTI_OK) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    (void)snprintf(path, sizeof path, "%s/nothing.so", argv[1]);
    expect(wg_aoti_model_open(ctx, &cell_model, path, "cpu", 1, NULL) == WG_AOTI_E_LIBRARY,
           "a model that is not there");
    (void)snprintf(path, sizeof path, "%s/cell.so", argv[1]);
    must(wg_aoti_model_open(ctx, &cell_model, path, "cpu", 1, NULL), path);
    (void)snprintf(path, sizeof path, "%s/quantised.so", argv[1]);
    must(wg_aoti_model_open(ctx, &quantised_model, path, "cpu", 1, NULL), path);
    cell();
    quantised();
    wg_aoti_model_close(&cell_model);
    wg_aoti_model_close(&quantised_model);
    expect(num_live == 0, "no tensor is left");
    expect(!maps_python(), "there is no Python in this process");
    wg_context_destroy(ctx);
    return num_bad != 0;
}
