/* SPDX-License-Identifier: 0BSD */
/*
 * launch.h - how the example launches a variant: launch.c plays the kernel on the CPU, cuda/launch.c launches it on a
 * GPU.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "triton.h"
#include "wg_native.h"

/* What a launch needs to know of a variant. */
typedef struct Image {
    const char *name;
    int64_t block;   /* BLOCK, which decides the grid */
    int64_t threads; /* of each program: warps times 32 */
    int takes_n;     /* 0: it was compiled for n = 1, and has no such parameter */
} Image;

/* The variant that was launched last, and its grid. */
extern const Image *last_image;
extern int64_t last_grid;

/* Before anything else; the folder has images/NAME.ptx. Memory that kernels read and write is to come from *allocator,
 * where it is not null. Returns whether kernels can be launched. */
int launch_start(const char *folder, const WgNativeAllocator **allocator);

/* Launches the kernel for a boxed call's arguments (x, y, alpha, algorithm, then out), and waits for it. */
int32_t launch(const Image *image, const WgValue *args, size_t *num_outs);

/* over.c: an owned tensor of n float32 values over the caller's memory; null if there is no memory for it. */
WgTensor *over(WgContext *ctx, void *memory, int64_t n);

#endif /* LAUNCH_H */
