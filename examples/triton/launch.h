/* SPDX-License-Identifier: 0BSD */
/* launch.h - what stands in for a GPU's driver in this example, and for a library that makes tensors. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "triton.h"

/* What a launch needs to know of a variant. */
typedef struct Image {
    const char *name;
    int64_t block;   /* BLOCK, which decides the grid */
    int64_t threads; /* of each program: warps times 32 */
} Image;

/* The variant that was launched last, and its grid. */
extern const Image *last_image;
extern int64_t last_grid;

/* An owned tensor of n float32 values over the caller's memory; null if there is no memory for it. */
WgTensor *over(WgContext *ctx, void *memory, int64_t n);

/* Plays the kernel on the CPU, program by program of the grid. */
int32_t launch(const Image *image, const WgValue *args, size_t *num_outs);

#endif /* LAUNCH_H */
