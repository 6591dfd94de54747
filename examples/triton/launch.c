/* SPDX-License-Identifier: 0BSD */
/*
 * launch.c - in the place of cuLaunchKernel(): there is no GPU here, so what kernels.py says is played on the CPU, with
 * the block and the grid of the variant. On a GPU this function loads the variant's cubin once and launches it with the
 * addresses of the tensors, n and alpha; all else of the example stays as it is.
 */
#include "launch.h"

#include "wg_native.h"

const Image *last_image;
int64_t last_grid;

WgTensor *over(WgContext *ctx, void *memory, int64_t n)
{
    static const int64_t stride = 1;
    const WgGeometry geometry = {&n, &stride, 0, 1};
    WgTensor *t = NULL;
    (void)wg_native_borrow(ctx, memory, n * 4, &geometry, WG_FLOAT32, WG_CPU, NULL, NULL, &t);
    return t;
}

static void play_program(int64_t program, const Image *image, const WgValue *args, int64_t n)
{
    const float *x = wg_data(NULL, args[0].tensor);
    const float *y = wg_data(NULL, args[1].tensor);
    float *out = wg_data(NULL, args[4].tensor); /* after the arguments: what the call made */
    const float alpha = (float)args[2].real;
    for (int64_t lane = 0; lane < image->block; lane++) {
        const int64_t at = program * image->block + lane;
        if (at < n) {
            out[at] = alpha * x[at] + y[at];
        }
    }
}

int32_t launch(const Image *image, const WgValue *args, size_t *num_outs)
{
    const int64_t n = args[0].tensor->sizes[0];
    last_image = image;
    last_grid = (n + image->block - 1) / image->block;
    for (int64_t program = 0; program < last_grid; program++) {
        play_program(program, image, args, n);
    }
    *num_outs = 0;
    return WG_OK;
}
