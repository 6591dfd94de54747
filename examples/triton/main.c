/* SPDX-License-Identifier: 0BSD */
/*
 * main.c - calls the dispatcher as typed C and checks which of Triton's variants it launches, with what grid, and what
 * comes out; then makes calls that none of them takes.
 */
#include <stdio.h>
#include <string.h>

#include "launch.h"
#include "wg_native.h"

enum { MOST = 2064 };

static int num_wrong;

static void check(int good, const char *what)
{
    printf("%s: %s\n", good ? "right" : "WRONG", what);
    num_wrong += good ? 0 : 1;
}

/* x counts from 0, y is 1 everywhere, alpha is 3. */
static int is_sum(WgContext *ctx, WgTensor *out, int64_t n)
{
    const float *found = wg_data(ctx, out);
    int good = wg_size(ctx, out, 0) == n;
    for (int64_t i = 0; good && i < n; i++) {
        good = found[i] == 3.0F * (float)i + 1.0F;
    }
    return good;
}

static void try_call(WgContext *ctx, float *memory, int64_t n, int64_t algorithm, const char *ending, int64_t grid)
{
    demo_scale_add_args args;
    demo_scale_add_outs outs;
    demo_scale_add_defaults(&args);
    for (int64_t i = 0; i < n; i++) {
        memory[i] = (float)i;
        memory[MOST + i] = 1.0F;
    }
    args.x = over(ctx, memory, n);
    args.y = over(ctx, memory + MOST, n);
    args.alpha = 3.0;
    args.algorithm = algorithm;
    const int32_t status = demo_scale_add_call(ctx, &args, &outs);
    const char *name = status == WG_OK ? last_image->name : "";
    const size_t length = strlen(name);
    check(status == WG_OK && length >= strlen(ending) && strcmp(name + length - strlen(ending), ending) == 0, name);
    check(status == WG_OK && last_grid == grid && is_sum(ctx, outs.out, n), "its grid and its sums");
    demo_scale_add_outs_release(ctx, &outs);
    wg_release(ctx, args.x);
    wg_release(ctx, args.y);
}

static void try_miss(WgContext *ctx, float *memory, int64_t n, int64_t of_y, int64_t algorithm, const char *reason)
{
    char text[512];
    demo_scale_add_outs outs;
    const demo_scale_add_args args = {over(ctx, memory, n), over(ctx, memory + MOST, of_y), 3.0, algorithm};
    check(demo_scale_add_call(ctx, &args, &outs) == WG_E_NO_VARIANT && outs.out == NULL, "no variant");
    (void)wg_error_text(wg_error(ctx), text, sizeof text);
    printf("%s\n", text);
    check(strstr(text, reason) != NULL, reason);
    wg_release(ctx, args.x);
    wg_release(ctx, args.y);
}

int main(int argc, char **argv)
{
    enum { BYTES = (2 * MOST + 16) * sizeof(float) };
    static _Alignas(64) float of_cpu[2 * MOST + 16];
    const WgNativeAllocator *allocator = NULL;
    WgContext *ctx = NULL;
    if (!launch_start(argc > 1 ? argv[1] : ".", &allocator) || wg_context_create(allocator, &ctx) != WG_NATIVE_OK) {
        return 1;
    }
    float *memory = allocator == NULL ? of_cpu : allocator->allocate(allocator->user, BYTES);
    if (memory == NULL) {
        wg_context_destroy(ctx);
        return 1;
    }
    try_call(ctx, memory, 2048, 0, "_0d1d2d3d", 2);
    try_call(ctx, memory, 2049, 0, "_01739e07_", 3);
    try_call(ctx, memory + 1, 2048, 0, "_01739e07_", 2);
    try_call(ctx, memory, 1, 1, "_3c", 1);
    try_call(ctx, memory, 2048, 2, "_fbea83d4_0d1d2d3d", 8);
    try_miss(ctx, memory, 1040, 1040, 7, "'algorithm'");
    try_miss(ctx, memory, 1032, 1032, 2, "'algorithm': expected 0, found 2"); /* what is nearest takes any n */
    try_miss(ctx, memory, 1024, 1023, 0, "'y'");
    if (allocator != NULL) {
        allocator->release(allocator->user, memory, BYTES);
    }
    wg_context_destroy(ctx);
    return num_wrong > 0;
}
