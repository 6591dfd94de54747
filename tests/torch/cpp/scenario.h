/* SPDX-License-Identifier: MIT */
/*
 * scenario.h - tensors for the test programs of the torch host. Memory is the program's: libtorch calls forget() when
 * the last tensor that shares it is gone, so live_blobs counts what any leaked reference keeps alive, views and
 * detached tensors included. Included once by each program, hence the static state.
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operators.h"
#include "wg_torch.h"

static const WgTorchTable *const host_table = NULL;

enum { retained_differs = 0 /* a reference is the tensor itself */ };

static WgContext *ctx;
static int64_t live_blobs;

static inline const char *host_message(void)
{
    return wg_torch_message(ctx);
}

static inline int32_t host_operator(const char *name, const char *overload, const WgTensor *a, const WgTensor *b,
                                    WgTensor **made)
{
    return call_operator(ctx, name, overload, a, b, made);
}

static void forget(void *data)
{
    live_blobs--;
    free(data);
}

static inline void fill(void *data, int32_t dtype, int64_t at, double value)
{
    const int64_t integer = (int64_t)value;
    switch (dtype) {
    case WG_INT8:
        ((int8_t *)data)[at] = (int8_t)integer;
        return;
    case WG_INT32:
        ((int32_t *)data)[at] = (int32_t)integer;
        return;
    case WG_INT64:
        ((int64_t *)data)[at] = integer;
        return;
    case WG_FLOAT64:
        ((double *)data)[at] = value;
        return;
    default: /* float32, and complex64 by parts */
        ((float *)data)[at] = (float)value;
        return;
    }
}

/* Consecutive numbers from `first` on, compact, version 0; parts of complex numbers count one each. */
static inline WgTensor *make_of(int32_t rank, const int64_t *sizes, double first, int32_t dtype)
{
    int64_t strides[8];
    int64_t n = 1;
    for (int32_t i = rank; i-- > 0;) {
        strides[i] = n;
        n *= sizes[i] == 0 ? 1 : sizes[i];
    }
    for (int32_t i = 0; i < rank; i++) {
        n = sizes[i] == 0 ? 0 : n;
    }
    const int64_t parts = dtype == WG_COMPLEX64 ? 2 * n : n;
    void *data = malloc((size_t)(parts + 1) * 8);
    for (int64_t i = 0; i < parts; i++) {
        fill(data, dtype, i, first + (double)i);
    }
    WgTensor *made = NULL;
    if (tensor_over(ctx, data, rank, sizes, strides, dtype, forget, &made) != WG_OK) {
        fprintf(stderr, "cannot make a tensor: %s\n", host_message());
        exit(2);
    }
    live_blobs++;
    return made;
}

#define RANK_OF(...)               ((int32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))
#define MAKE_OF(first, dtype, ...) make_of(RANK_OF(__VA_ARGS__), (const int64_t[]){__VA_ARGS__}, first, dtype)
#define MAKE(first, ...)           MAKE_OF(first, WG_FLOAT32, __VA_ARGS__)
#define LIST(...)                  ((const int64_t[]){__VA_ARGS__})
#define GEOMETRY(size, stride, at) (&(const WgGeometry){size, stride, at, (int32_t)(sizeof(size) / sizeof(int64_t))})

#endif /* SCENARIO_H */
