/* SPDX-License-Identifier: MIT */
/*
 * matmul_key - a loop of calls, and what is compiled for them: the key of each call is looked up in a cache, and what
 * is not there is "compiled" (here: given a number) once. Five calls, three keys.
 */
#include <stdio.h>

#include "matmul_key.h"
#include "wg_native.h"

/* A tensor of zeros; `transposed` has the same sizes and other strides. */
static WgTensor *matrix(WgContext *ctx, int64_t rows, int64_t columns, int transposed)
{
    static float memory[4096];
    const int64_t sizes[] = {rows, columns};
    const int64_t strides[] = {transposed ? 1 : columns, transposed ? rows : 1};
    const WgGeometry geometry = {sizes, strides, 0, 2};
    WgTensor *t = NULL;
    (void)wg_native_borrow(ctx, memory, sizeof memory, &geometry, WG_FLOAT32, 0, NULL, NULL, &t);
    return t;
}

int main(void)
{
    static const struct {
        int64_t rows;
        int transposed;
        int64_t tile;
        int compiled; /* which one it must find */
    } calls[] = {{32, 0, 16, 0}, {32, 0, 16, 0}, {32, 1, 16, 1}, {32, 0, 32, 2}, {32, 1, 16, 1}};
    static matmul_cache_entry entries[8];
    static int compiled[8];
    matmul_cache cache;
    WgContext *ctx = NULL;
    int num_compiled = 0;
    int wrong = wg_context_create(NULL, &ctx) != 0;
    matmul_cache_init(&cache, entries, sizeof entries / sizeof *entries);
    for (size_t i = 0; i < sizeof calls / sizeof *calls && !wrong; i++) {
        matmul_args args;
        matmul_key key;
        char text[256];
        matmul_defaults(&args);
        args.a = matrix(ctx, calls[i].rows, 16, calls[i].transposed);
        args.b = matrix(ctx, 16, 8, 0);
        args.tile = calls[i].tile;
        wrong = matmul_key_of(ctx, &args, &key) != WG_OK;
        const int *found = wrong ? NULL : matmul_cache_find(&cache, &key);
        if (!wrong && found == NULL) {
            compiled[num_compiled] = num_compiled;
            wrong = matmul_cache_put(&cache, &key, &compiled[num_compiled]) != 0;
            found = &compiled[num_compiled++];
        }
        (void)matmul_key_print(&key, text, sizeof text);
        printf("%016llx %s\n", (unsigned long long)matmul_key_hash(&key), text);
        wrong = wrong || found == NULL || *found != calls[i].compiled;
        wg_release(ctx, args.a);
        wg_release(ctx, args.b);
    }
    printf("%d calls, %d compiled%s\n", (int)(sizeof calls / sizeof *calls), num_compiled, wrong ? ": wrong" : "");
    wg_context_destroy(ctx);
    return wrong || num_compiled != 3;
}
