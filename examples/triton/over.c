/* SPDX-License-Identifier: 0BSD */
/* over.c - tensors of the example. */
#include "launch.h"

WgTensor *over(WgContext *ctx, void *memory, int64_t n)
{
    static const int64_t stride = 1;
    const WgGeometry geometry = {&n, &stride, 0, 1};
    WgTensor *t = NULL;
    (void)wg_native_borrow(ctx, memory, n * 4, &geometry, WG_FLOAT32, WG_CPU, NULL, NULL, &t);
    return t;
}
