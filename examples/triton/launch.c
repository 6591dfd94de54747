/* SPDX-License-Identifier: 0BSD */
/*
 * launch.c - in the place of cuda/launch.c where there is no GPU: what kernels.py says is played on the CPU, with the
 * block and the grid of the variant.
 */
#include "launch.h"

const Image *last_image;
int64_t last_grid;

int launch_start(const char *folder, const WgNativeAllocator **allocator)
{
    (void)folder;
    *allocator = NULL;
    return 1;
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
