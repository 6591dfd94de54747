/* SPDX-License-Identifier: MIT */
/*
 * calls - for each page schema/codes/WG_E_*.txt that shows a graph: makes the call that the page describes through the
 * wrapper of that graph, and prints `CODE<tab>message`. The graph of page WG_E_SIZE is called `on_size`; run.sh
 * compares.
 */
#include "wrappers.h"

#include "wg_native.h"

#include <stdio.h>

/* What step_kernel does in the next call. */
typedef enum Kernel { GIVES_FOUR, GIVES_THREE, SAYS_TWO, GIVES_NEW_VALUE, FAILS } Kernel;
static Kernel kernel;

int32_t step_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)args;
    (void)num_args;
    if (kernel == FAILS) {
        return -7;
    }
    const int64_t size = kernel == GIVES_THREE ? 3 : 4;
    const size_t num = kernel == GIVES_NEW_VALUE ? 2 : 1;
    int32_t status = 0;
    for (size_t i = 0; i < num && status == 0; i++) {
        status = wg_native_empty(ctx, WG_FLOAT32, 1, &size, &outs[i].tensor);
    }
    *num_outs = kernel == SAYS_TWO ? 2 : num;
    return status;
}

int32_t matmul_16(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    return step_kernel(ctx, args, num_args, outs, num_outs);
}

/* Tensors lie in this memory, from that byte on. */
static _Alignas(16) char memory[512];

static WgTensor *lay(WgContext *ctx, size_t byte, int32_t dtype, int32_t rank, const int64_t *sizes,
                     const int64_t *strides, int64_t offset)
{
    WgGeometry geometry = {.rank = rank, .sizes = sizes, .strides = strides, .offset = offset};
    WgTensor *tensor = NULL;
    if (wg_native_borrow(ctx, memory + byte, (int64_t)(sizeof memory - byte), &geometry, dtype, WG_CPU << 8, NULL, NULL,
                         &tensor) != 0) {
        return NULL;
    }
    return tensor;
}

static WgTensor *compact(WgContext *ctx, size_t byte, int32_t dtype, int64_t rows, int64_t columns)
{
    const int64_t sizes[] = {rows, columns}, strides[] = {columns, 1};
    return lay(ctx, byte, dtype, 2, sizes, strides, 0);
}

static WgTensor *line(WgContext *ctx, int64_t size)
{
    static const int64_t stride = 1;
    return lay(ctx, 0, WG_FLOAT32, 1, &size, &stride, 0);
}

typedef int32_t Boxed(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t num_outs);

/* One call with at most two arguments; tensors are released. */
static void call(WgContext *ctx, const char *code, Boxed *boxed, Kernel next, const WgValue *args, size_t num_args,
                 size_t num_outs)
{
    char text[1024];
    WgValue outs[1] = {{0}};
    kernel = next;
    const int32_t status = boxed(ctx, args, num_args, outs, num_outs);
    wg_error_text(wg_error(ctx), text, sizeof text);
    printf("WG_E_%s\t%s\n", code, status == WG_OK ? "the call succeeded" : text);
    wg_release(ctx, outs[0].tensor);
}

/* One tensor, which the call borrows and this function releases. */
static void call_with(WgContext *ctx, const char *code, Boxed *boxed, Kernel next, WgTensor *w)
{
    const WgValue args[] = {{.tensor = w}};
    call(ctx, code, boxed, next, args, 1, 1);
    wg_release(ctx, w);
}

static void tensors(WgContext *ctx)
{
    static const WgType quantised = {.name = "Quantised"};
    static const int64_t sizes[] = {4, 3}, transposed[] = {1, 4}, strides[] = {3, 1};
    WgTensor *other = compact(ctx, 0, WG_FLOAT32, 4, 3);
    call_with(ctx, "NULL", on_null_boxed, GIVES_FOUR, NULL);
    wg_native_set_type(other, &quantised);
    call_with(ctx, "TYPE", on_type_boxed, GIVES_FOUR, other);
    call_with(ctx, "DTYPE", on_dtype_boxed, GIVES_FOUR, compact(ctx, 0, WG_FLOAT64, 4, 3));
    call_with(ctx, "RANK", on_rank_boxed, GIVES_FOUR, line(ctx, 4));
    call_with(ctx, "SIZE", on_size_boxed, GIVES_FOUR, compact(ctx, 0, WG_FLOAT32, 3, 3));
    call_with(ctx, "STRIDE", on_stride_boxed, GIVES_FOUR, lay(ctx, 0, WG_FLOAT32, 2, sizes, transposed, 0));
    call_with(ctx, "OFFSET", on_offset_boxed, GIVES_FOUR, lay(ctx, 0, WG_FLOAT32, 2, sizes, strides, 3));
    call_with(ctx, "DEVICE", on_device_boxed, GIVES_FOUR, compact(ctx, 0, WG_FLOAT32, 4, 3));
    call_with(ctx, "ALIGNMENT", on_alignment_boxed, GIVES_FOUR, compact(ctx, 2, WG_FLOAT32, 4, 3));
    call_with(ctx, "SYMBOL", on_symbol_boxed, GIVES_FOUR, line(ctx, 1));
    call_with(ctx, "GUARD", on_guard_boxed, GIVES_FOUR, line(ctx, 3));
    call_with(ctx, "OUTPUTS", on_outputs_boxed, SAYS_TWO, compact(ctx, 0, WG_FLOAT32, 4, 3));
    call_with(ctx, "RESULT", on_result_boxed, GIVES_THREE, compact(ctx, 0, WG_FLOAT32, 4, 3));
    call_with(ctx, "COMPILED", on_compiled_boxed, FAILS, compact(ctx, 0, WG_FLOAT32, 4, 3));
}

/* A dispatcher is called like a compiled function. */
static int32_t no_variant(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t num_outs)
{
    return on_no_variant(ctx, args, num_args, outs, &num_outs);
}

static void pairs(WgContext *ctx)
{
    WgTensor *w = compact(ctx, 0, WG_FLOAT32, 4, 3);
    WgTensor *after = compact(ctx, 16, WG_FLOAT32, 4, 3);
    WgTensor *four = line(ctx, 4);
    WgTensor *again = line(ctx, 4);
    call(ctx, "COUNT", on_count_boxed, GIVES_FOUR, (WgValue[]){{.tensor = w}, {.tensor = w}}, 2, 1);
    call(ctx, "OVERLAP", on_overlap_boxed, GIVES_FOUR, (WgValue[]){{.tensor = w}, {.tensor = after}}, 2, 0);
    call(ctx, "VALUE", on_value_boxed, GIVES_FOUR, (WgValue[]){{.tensor = w}, {.real = 0.25}}, 2, 1);
    call(ctx, "OVERFLOW", on_overflow_boxed, GIVES_FOUR, (WgValue[]){{.tensor = four}, {.integer = INT64_C(1) << 40}},
         2, 1);
    call(ctx, "IDENTITY", on_identity_boxed, GIVES_FOUR, (WgValue[]){{.tensor = four}, {.tensor = again}}, 2, 1);
    wg_release(ctx, w);
    wg_release(ctx, after);
    wg_release(ctx, four);
    wg_release(ctx, again);
}

/* The kernel returns the new value of w, which has twelve elements, and y: the new value has four. */
static void mutated(WgContext *ctx)
{
    const WgValue args[] = {{.tensor = compact(ctx, 0, WG_FLOAT32, 4, 3)}};
    call(ctx, "HOST", on_host_boxed, GIVES_NEW_VALUE, args, 1, 1);
    wg_release(ctx, args[0].tensor);
}

int main(void)
{
    WgContext *ctx = NULL;
    if (wg_context_create(NULL, &ctx) != 0) {
        return 1;
    }
    tensors(ctx);
    pairs(ctx);
    call_with(ctx, "NO_VARIANT", no_variant, GIVES_FOUR, compact(ctx, 0, WG_FLOAT32, 8, 8));
    mutated(ctx);
    wg_context_destroy(ctx);
    return 0;
}
