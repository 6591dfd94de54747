/* SPDX-License-Identifier: 0BSD */
/*
 * main.c - the native host by itself, without generated code: what a program does around the wrappers that it calls.
 *
 *     cc -Itemplates/core -Itemplates/hosts/native examples/native/main.c templates/core/?*.c
 * templates/hosts/native/?*.c
 */
#include "wg_native.h"

#include <stdio.h>
#include <stdlib.h>

static void show(const char *title, const WgTensor *t)
{
    char text[512];
    wg_native_text(t, text, sizeof text);
    printf("%s: %s", title, text);
}

/* Errors of the host are numbers; their text is there for who asks. */
static void need(int32_t status)
{
    if (status != WG_NATIVE_OK) {
        fprintf(stderr, "native host: %s\n", wg_native_code_text(status));
        exit(1);
    }
}

int main(void)
{
    /* A context for each thread: modes, an allocator (here malloc), the last error. */
    WgContext *ctx = NULL;
    need(wg_context_create(NULL, &ctx));

    /* A tensor over memory of our own: nothing is copied, nothing is freed. */
    float weights[6] = {0.5f, 1, 1.5f, 2, 2.5f, 3};
    const int64_t sizes[2] = {2, 3};
    const int64_t strides[2] = {3, 1};
    const WgGeometry whole = {sizes, strides, 0, 2};
    WgTensor *weight = NULL;
    need(wg_native_borrow(ctx, weights, sizeof weights, &whole, WG_FLOAT32, WG_CPU, NULL, NULL, &weight));
    show("weight", weight);

    /* A view of it, transposed. It keeps the memory's tensor object out of the game: either may be released first. */
    const int64_t turned_sizes[2] = {3, 2};
    const int64_t turned_strides[2] = {1, 3};
    const WgGeometry turned = {turned_sizes, turned_strides, 0, 2};
    WgTensor *transposed = NULL;
    need(wg_as_strided(ctx, weight, &turned, &transposed));
    show("transposed", transposed);

    /* Memory of the host's, another dtype: copy_ converts and broadcasts. */
    WgTensor *halves = NULL;
    need(wg_native_zeros(ctx, WG_BFLOAT16, 2, turned_sizes, &halves));
    need(wg_copy_(ctx, halves, transposed));
    show("as bfloat16", halves);

    /* A write through the view is seen in the original, and counted for both. */
    WgTensor *seven = NULL;
    need(wg_native_zeros(ctx, WG_INT64, 0, NULL, &seven));
    wg_native_set_integer(seven, 0, 7);
    need(wg_copy_(ctx, transposed, seven));
    show("weight, written through its view", weight);
    printf("versions: weight %d, view %d, copy %d\n", (int)wg_version(ctx, weight), (int)wg_version(ctx, transposed),
           (int)wg_version(ctx, halves));

    /* What would reach outside of the memory is refused. */
    const int64_t too_long[2] = {2, 4};
    const WgGeometry outside = {too_long, strides, 0, 2};
    WgTensor *none = NULL;
    printf("a view of 2 x 4: %s\n", wg_native_code_text(wg_as_strided(ctx, weight, &outside, &none)));

    wg_release(ctx, seven);
    wg_release(ctx, halves);
    wg_release(ctx, weight);
    show("the view outlives its base", transposed);
    wg_release(ctx, transposed);
    wg_context_destroy(ctx);
    return 0;
}
