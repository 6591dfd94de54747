/* SPDX-License-Identifier: MIT */
/*
 * compare.c - the same calls through the dispatcher that triton.tools.link wrote and through ours: which variant is
 * launched, or none. `theirs` is Triton's entry, whose variants are stubs.
 */
#include <stdio.h>
#include <string.h>

#include "cuda.h"
#include "launch.h"
#include "wg_native.h"

CUresult theirs(CUstream stream, CUdeviceptr x, CUdeviceptr y, CUdeviceptr out, int32_t n, double alpha, int algo_id);

const char *chosen;

static const char *name_of(const char *name)
{
    return name == NULL ? "none" : name;
}

/* Returns whether both chose the same; `chosen` is what was chosen. */
static int agrees(WgContext *ctx, char *x, char *y, int64_t n, int algorithm)
{
    demo_scale_add_args args = {over(ctx, x, n), over(ctx, y, n), 1.0, algorithm};
    demo_scale_add_outs outs;
    last_image = NULL;
    const int32_t status = demo_scale_add_call(ctx, &args, &outs);
    const int aligned = status != WG_OK || (uintptr_t)wg_data(ctx, outs.out) % 16 == 0;
    chosen = NULL;
    (void)theirs(NULL, (CUdeviceptr)(uintptr_t)x, (CUdeviceptr)(uintptr_t)y, 0, (int32_t)n, 1.0, algorithm);
    const char *ours = last_image == NULL ? NULL : last_image->name;
    const int same = aligned && (status == WG_OK) == (ours != NULL) && strcmp(name_of(ours), name_of(chosen)) == 0;
    if (!same) {
        printf("x %% 32 = %d, y %% 32 = %d, n = %d, algorithm %d: ours %s, Triton's %s%s\n", (int)((uintptr_t)x % 32),
               (int)((uintptr_t)y % 32), (int)n, algorithm, name_of(ours), name_of(chosen),
               aligned ? "" : ", out not aligned");
    }
    demo_scale_add_outs_release(ctx, &outs);
    wg_release(ctx, args.x);
    wg_release(ctx, args.y);
    return same;
}

int main(void)
{
    enum { BYTES = 16384 };
    static const int64_t lengths[] = {1, 2, 8, 15, 16, 17, 24, 32, 1008, 1023, 1024, 1040, 2049};
    static _Alignas(64) char memory[2 * BYTES];
    WgContext *ctx = NULL;
    int num_wrong = 0, num_calls = 0, num_chosen = 0;
    if (wg_context_create(NULL, &ctx) != WG_NATIVE_OK) {
        return 1;
    }
    for (int x = 0; x < 32; x += 4) {
        for (int y = 0; y < 32; y += 4) {
            for (size_t n = 0; n < sizeof lengths / sizeof lengths[0]; n++) {
                for (int algorithm = -1; algorithm < 4; algorithm++) {
                    num_wrong += !agrees(ctx, memory + x, memory + BYTES + y, lengths[n], algorithm);
                    num_chosen += chosen != NULL;
                    num_calls++;
                }
            }
        }
    }
    wg_context_destroy(ctx);
    printf("%d calls, a variant in %d of them, %d different\n", num_calls, num_chosen, num_wrong);
    return num_wrong != 0 || num_chosen == 0 || num_chosen == num_calls;
}
