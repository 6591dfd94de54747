/* SPDX-License-Identifier: 0BSD */
/* variants.c - made by variants.py: each variant with what Triton says of its launch. */
#include "launch.h"

int32_t scale_add_bbf6ca5d_0d1d2d3d(WgContext *ctx, const WgValue *args, size_t n, WgValue *outs, size_t *num_outs)
{
    static const Image image = {"scale_add_bbf6ca5d_0d1d2d3d", 1024, 128, 1};
    (void)ctx;
    (void)n;
    (void)outs;
    return launch(&image, args, num_outs);
}

int32_t scale_add_01739e07_(WgContext *ctx, const WgValue *args, size_t n, WgValue *outs, size_t *num_outs)
{
    static const Image image = {"scale_add_01739e07_", 1024, 128, 1};
    (void)ctx;
    (void)n;
    (void)outs;
    return launch(&image, args, num_outs);
}

int32_t scale_add_6a6bdc85_3c(WgContext *ctx, const WgValue *args, size_t n, WgValue *outs, size_t *num_outs)
{
    static const Image image = {"scale_add_6a6bdc85_3c", 1024, 128, 0};
    (void)ctx;
    (void)n;
    (void)outs;
    return launch(&image, args, num_outs);
}

int32_t scale_add_fbea83d4_0d1d2d3d(WgContext *ctx, const WgValue *args, size_t n, WgValue *outs, size_t *num_outs)
{
    static const Image image = {"scale_add_fbea83d4_0d1d2d3d", 256, 64, 1};
    (void)ctx;
    (void)n;
    (void)outs;
    return launch(&image, args, num_outs);
}
