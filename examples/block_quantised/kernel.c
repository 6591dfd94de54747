/* SPDX-License-Identifier: 0BSD */
/*
 * What block_quantised's graphs call, in plain C over the native host: the type with its unflatten function, and three
 * compiled functions over the parts of its tensors.
 *
 * The arithmetic is that of record.py, operation by operation in float32, so that what is rounded to integers comes out
 * the same.
 */
#include "block_quantised.h"
#include "wg_native.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4, NUM_PARTS = 3 };
enum { DATA, SCALE, ZERO_POINT };

static int is_matrix(WgContext *ctx, const WgTensor *t, int32_t dtype, int64_t rows, int64_t columns)
{
    return wg_is_plain(ctx, t) && wg_dtype(ctx, t) == dtype && wg_device(ctx, t) == WG_CPU && wg_rank(ctx, t) == 2 &&
           wg_size(ctx, t, 0) == rows && wg_size(ctx, t, 1) == columns && (columns < 2 || wg_stride(ctx, t, 1) == 1) &&
           (rows < 2 || wg_stride(ctx, t, 0) == columns);
}

/* int8 data of whole blocks, float32 scales, int8 zero points, all compact */
static int are_parts(WgContext *ctx, WgTensor *const *parts)
{
    if (wg_rank(ctx, parts[DATA]) != 2 || wg_size(ctx, parts[DATA], 1) % BLOCK != 0) {
        return 0;
    }
    const int64_t rows = wg_size(ctx, parts[DATA], 0);
    const int64_t columns = wg_size(ctx, parts[DATA], 1);
    return is_matrix(ctx, parts[DATA], WG_INT8, rows, columns) &&
           is_matrix(ctx, parts[SCALE], WG_FLOAT32, rows, columns / BLOCK) &&
           is_matrix(ctx, parts[ZERO_POINT], WG_INT8, rows, columns / BLOCK);
}

/* BlockQuantised.__tensor_unflatten__: takes its parts, also when it refuses them. */
static int32_t unflatten(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **parts,
                         size_t num_parts, const WgGeometry *outer, WgTensor **out)
{
    if (num_parts == NUM_PARTS && are_parts(ctx, parts)) {
        return wg_native_subclass(ctx, type, type_context, parts, num_parts, outer, out);
    }
    for (size_t i = 0; i < num_parts; i++) {
        wg_release(ctx, parts[i]);
    }
    *out = NULL;
    return WG_NATIVE_E_ATTRIBUTES;
}

static const char *const attribute_names[] = {"data", "scale", "zero_point"};
const WgType BlockQuantised = {
    .name = "BlockQuantised", .attribute_names = attribute_names, .num_attributes = NUM_PARTS, .unflatten = unflatten};

/* What __tensor_flatten__ returns besides the parts: the length of a block, the same for all. */
static const int64_t block = BLOCK;
const void *const block_quantised_context = &block;

/* ---- arithmetic ---- */

/* Row `row` of what the parts stand for. */
static void dequantise_row(WgContext *ctx, WgTensor *const *parts, int64_t row, float *out)
{
    const int64_t columns = wg_size(ctx, parts[DATA], 1);
    const int8_t *data = (const int8_t *)wg_data(ctx, parts[DATA]) + row * columns;
    const float *scale = (const float *)wg_data(ctx, parts[SCALE]) + row * (columns / BLOCK);
    const int8_t *zero_point = (const int8_t *)wg_data(ctx, parts[ZERO_POINT]) + row * (columns / BLOCK);
    for (int64_t i = 0; i < columns; i++) {
        out[i] = (float)(data[i] - zero_point[i / BLOCK]) * scale[i / BLOCK];
    }
}

static float to_int8(float value)
{
    return fminf(fmaxf(value, -128), 127);
}

/* One block: 255 steps from its smallest to its largest value, both taken to reach 0. */
static void quantise_block(const float *values, int8_t *data, float *scale, int8_t *zero_point)
{
    float low = 0;
    float high = 0;
    for (int i = 0; i < BLOCK; i++) {
        low = fminf(low, values[i]);
        high = fmaxf(high, values[i]);
    }
    *scale = high > low ? (high - low) / 255.0f : 1.0f;
    const float zero = to_int8(nearbyintf(-128.0f - low / *scale));
    *zero_point = (int8_t)zero;
    for (int i = 0; i < BLOCK; i++) {
        data[i] = (int8_t)to_int8(nearbyintf(values[i] / *scale) + zero);
    }
}

static int32_t make_parts(WgContext *ctx, int64_t rows, int64_t columns, WgTensor **parts)
{
    const int64_t data_sizes[2] = {rows, columns};
    const int64_t block_sizes[2] = {rows, columns / BLOCK};
    memset(parts, 0, NUM_PARTS * sizeof *parts);
    int32_t status = wg_native_empty(ctx, WG_INT8, 2, data_sizes, &parts[DATA]);
    if (status == 0) {
        status = wg_native_empty(ctx, WG_FLOAT32, 2, block_sizes, &parts[SCALE]);
    }
    if (status == 0) {
        status = wg_native_empty(ctx, WG_INT8, 2, block_sizes, &parts[ZERO_POINT]);
    }
    for (int i = 0; i < NUM_PARTS && status != 0; i++) {
        wg_release(ctx, parts[i]);
    }
    return status;
}

static void quantise_row(WgContext *ctx, WgTensor *const *parts, int64_t row, const float *values)
{
    const int64_t num_blocks = wg_size(ctx, parts[SCALE], 1);
    int8_t *data = (int8_t *)wg_data(ctx, parts[DATA]) + row * num_blocks * BLOCK;
    float *scale = (float *)wg_data(ctx, parts[SCALE]) + row * num_blocks;
    int8_t *zero_point = (int8_t *)wg_data(ctx, parts[ZERO_POINT]) + row * num_blocks;
    for (int64_t i = 0; i < num_blocks; i++) {
        quantise_block(&values[i * BLOCK], &data[i * BLOCK], &scale[i], &zero_point[i]);
    }
}

/* ---- compiled functions ---- */

/* Long rows are worked on in pieces of the stack: the wrappers let at most this width through. */
enum { MOST_COLUMNS = 4096 };

int32_t quantised_linear_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    enum { X, W, OUTS = W + NUM_PARTS, WIDTH, STRIDE, NUM_ARGS };
    if (num_args != NUM_ARGS || *num_outs < 1) {
        return 1;
    }
    WgTensor *const parts[NUM_PARTS] = {args[W + DATA].tensor, args[W + SCALE].tensor, args[W + ZERO_POINT].tensor};
    const int64_t width = args[WIDTH].integer;
    const int64_t sizes[2] = {wg_size(ctx, args[X].tensor, 0), args[OUTS].integer};
    if (!are_parts(ctx, parts) || args[STRIDE].integer != width || width > MOST_COLUMNS) {
        return 2; /* dtypes of attributes cannot be stated */
    }
    const int32_t status = wg_native_empty(ctx, WG_FLOAT32, 2, sizes, &outs[0].tensor);
    if (status != 0) {
        return status;
    }
    const float *x = wg_data(ctx, args[X].tensor);
    float *y = wg_data(ctx, outs[0].tensor);
    float weights[MOST_COLUMNS];
    for (int64_t out = 0; out < sizes[1]; out++) {
        dequantise_row(ctx, parts, out, weights);
        for (int64_t row = 0; row < sizes[0]; row++) {
            float sum = 0;
            for (int64_t i = 0; i < width; i++) {
                sum += x[row * width + i] * weights[i];
            }
            y[row * sizes[1] + out] = sum;
        }
    }
    *num_outs = 1;
    return 0;
}

int32_t quantise_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    enum { Q, ROWS = NUM_PARTS, WIDTH, STRIDE, NUM_OUTS };
    if (num_args != 1 || *num_outs < NUM_OUTS) {
        return 1;
    }
    WgTensor *parts[NUM_PARTS];
    const int64_t rows = wg_size(ctx, args[0].tensor, 0);
    const int64_t width = wg_size(ctx, args[0].tensor, 1);
    const int32_t status = make_parts(ctx, rows, width, parts);
    if (status != 0) {
        return status;
    }
    const float *x = wg_data(ctx, args[0].tensor);
    for (int64_t row = 0; row < rows; row++) {
        quantise_row(ctx, parts, row, &x[row * width]);
    }
    for (int i = 0; i < NUM_PARTS; i++) {
        outs[Q + i].tensor = parts[i];
    }
    outs[ROWS].integer = rows;
    outs[WIDTH].integer = width;
    outs[STRIDE].integer = width;
    *num_outs = NUM_OUTS;
    return 0;
}

int32_t quantised_add_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != NUM_PARTS + 1 || *num_outs < NUM_PARTS) {
        return 1;
    }
    WgTensor *const old[NUM_PARTS] = {args[DATA].tensor, args[SCALE].tensor, args[ZERO_POINT].tensor};
    const int64_t rows = wg_size(ctx, old[DATA], 0);
    const int64_t width = wg_size(ctx, old[DATA], 1);
    WgTensor *parts[NUM_PARTS];
    if (!are_parts(ctx, old) || width > MOST_COLUMNS) {
        return 2;
    }
    const int32_t status = make_parts(ctx, rows, width, parts);
    if (status != 0) {
        return status;
    }
    const float *delta = wg_data(ctx, args[NUM_PARTS].tensor);
    float values[MOST_COLUMNS];
    for (int64_t row = 0; row < rows; row++) {
        dequantise_row(ctx, old, row, values);
        for (int64_t i = 0; i < width; i++) {
            values[i] += delta[row * width + i];
        }
        quantise_row(ctx, parts, row, values);
    }
    for (int i = 0; i < NUM_PARTS; i++) {
        outs[i].tensor = parts[i];
    }
    *num_outs = NUM_PARTS;
    return 0;
}
