/* SPDX-License-Identifier: MIT */
/*
 * overhead.c N - nanoseconds a call of the wrapper of overhead.yaml on libtorch's tensors, around a compiled function
 * that only hands over tensors that are there; N calls. The same as overhead.py measures of PyTorch's own wrapper.
 */
#include <time.h>

#include "overhead.h"
#include "scenario.h"

static WgTensor *kept[3];

int32_t step_kernel(WgContext *context, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)args;
    (void)num_args;
    for (size_t i = 0; i < 3; i++) {
        if (wg_retain(context, kept[i], &outs[i].tensor) != WG_AOTI_OK) {
            wg_release_run(context, outs, i);
            return 1;
        }
    }
    *num_outs = 3;
    return 0;
}

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    const int64_t n = argc == 2 ? strtoll(argv[1], NULL, 10) : 1;
    if (wg_context_create(NULL, &ctx) != WG_AOTI_OK) {
        return 2;
    }
    const bench_step_inputs in = {MAKE(0, 4, 3), MAKE(0, 4), MAKE(0, 2)};
    bench_step_outputs out;
    kept[0] = MAKE(0, 4, 3);
    kept[1] = MAKE(0, 2);
    kept[2] = in.w;
    wg_set_grad_mode(ctx, 0);
    double begin = 0;
    for (int64_t i = -1000; i < n; i++) {
        begin = i == 0 ? now() : begin;
        if (bench_step(ctx, &in, &out) != WG_OK) {
            return 1;
        }
        bench_step_outputs_release(ctx, &out);
    }
    printf("%.1f\n", (now() - begin) / (double)n);
    return wg_version(ctx, in.state) != n + 1000;
}
