/* SPDX-License-Identifier: MIT */
/* generators - graphs that share code do not share what belongs to a graph: its generators of random numbers. */
#include <stdio.h>

#include "w.h"
#include "wg_native.h"

/* What the compiled functions got last. */
static void *first_got;
static void *second_got;

int32_t first_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx;
    (void)outs;
    first_got = args[num_args - 1].pointer;
    *num_outs = 0;
    return 0;
}

int32_t second_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx;
    (void)outs;
    second_got = args[num_args - 1].pointer;
    *num_outs = 0;
    return 0;
}

static int failed(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return 1;
}

int main(void)
{
    WgContext *ctx = NULL;
    if (wg_context_create(NULL, &ctx) != 0) {
        return failed("there is no context");
    }
    int status = 0;
    if (first_boxed(ctx, NULL, 0, NULL, 0) != WG_OK || second_boxed(ctx, NULL, 0, NULL, 0) != WG_OK) {
        status = failed("a call failed");
    } else if (first_got == NULL || first_got == second_got) {
        status = failed("two graphs draw from one generator");
    } else {
        const void *before = first_got;
        if (first_boxed(ctx, NULL, 0, NULL, 0) != WG_OK || first_got != before) {
            status = failed("a graph's second call draws from another generator than its first");
        }
    }
    wg_context_destroy(ctx);
    return status;
}
