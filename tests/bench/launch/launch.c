/* SPDX-License-Identifier: MIT */
/*
 * launch.c BATCHES - from tensors to cuLaunchKernel in C, and by triton.tools.link's dispatcher, which is given
 * addresses and the length instead of tensors. Contestants take turns; a line for each:
 * arguments, name, nanoseconds (first quartile of batches).
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels.h"
#include "linked_sixteen.h"
#include "linked_two.h"
#include "wg_native.h"

enum { CALLS = 1000, LENGTH = 4096, MOST_BATCHES = 10000 };

extern uint64_t num_launches;

typedef struct Fixture {
    WgContext *ctx;
    WgValue two[2];
    WgValue sixteen[16];
    CUdeviceptr at[16]; /* of the same memory */
} Fixture;

static int ours_two(Fixture *f)
{
    size_t num_outs = 0;
    return our_two(f->ctx, f->two, 2, NULL, &num_outs) != WG_OK;
}

static int ours_sixteen(Fixture *f)
{
    size_t num_outs = 0;
    return our_sixteen(f->ctx, f->sixteen, 16, NULL, &num_outs) != WG_OK;
}

static int linked_two(Fixture *f)
{
    return two(NULL, f->at[0], f->at[15], LENGTH, 0) != CUDA_SUCCESS;
}

static int linked_sixteen(Fixture *f)
{
    const CUdeviceptr *a = f->at;
    return sixteen(NULL, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14],
                   a[15], LENGTH, 0) != CUDA_SUCCESS;
}

typedef struct Contestant {
    int num_args;
    const char *name;
    int (*call)(Fixture *f); /* returns whether it failed */
    double times[MOST_BATCHES];
} Contestant;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static WgTensor *tensor(WgContext *ctx, float *memory)
{
    static const int64_t size = LENGTH;
    static const int64_t stride = 1;
    const WgGeometry geometry = {&size, &stride, 0, 1};
    WgTensor *t = NULL;
    if (wg_native_borrow(ctx, memory, LENGTH * sizeof *memory, &geometry, WG_FLOAT32, WG_CPU, NULL, NULL, &t) !=
        WG_NATIVE_OK) {
        exit(1);
    }
    return t;
}

static void set_up(Fixture *f, WgTensor **tensors)
{
    static _Alignas(64) float memory[16][LENGTH];
    if (wg_context_create(NULL, &f->ctx) != WG_NATIVE_OK) {
        exit(1);
    }
    for (int i = 0; i < 16; i++) {
        tensors[i] = tensor(f->ctx, memory[i]);
        f->sixteen[i].tensor = tensors[i];
        f->at[i] = (CUdeviceptr)(uintptr_t)memory[i];
    }
    f->two[0].tensor = tensors[0];
    f->two[1].tensor = tensors[15];
}

int main(int argc, char **argv)
{
    static Contestant contestants[] = {
        {2, "ours", ours_two, {0}},
        {2, "link", linked_two, {0}},
        {16, "ours", ours_sixteen, {0}},
        {16, "link", linked_sixteen, {0}},
    };
    enum { N = sizeof contestants / sizeof contestants[0] };
    const int batches = argc > 1 ? atoi(argv[1]) : 101;
    WgTensor *tensors[16];
    Fixture fixture;
    int failed = batches < 1 || batches > MOST_BATCHES;
    set_up(&fixture, tensors);
    for (int batch = 0; batch < batches && !failed; batch++) {
        for (int i = 0; i < N; i++) {
            const uint64_t before = num_launches;
            const double begin = now();
            for (int call = 0; call < CALLS; call++) {
                failed |= contestants[i].call(&fixture);
            }
            contestants[i].times[batch] = (now() - begin) / CALLS;
            failed |= num_launches - before != CALLS;
        }
    }
    for (int i = 0; i < N && !failed; i++) {
        qsort(contestants[i].times, (size_t)batches, sizeof(double), by_size);
        printf("%d %s %.1f\n", contestants[i].num_args, contestants[i].name, contestants[i].times[batches / 4]);
    }
    for (int i = 0; i < 16; i++) {
        wg_release(fixture.ctx, tensors[i]);
    }
    wg_context_destroy(fixture.ctx);
    return failed;
}
