/* SPDX-License-Identifier: MIT */
/* The program of overlaps.sh, which writes wrappers.h and bytes.inc. */
#include "wg_native.h"
#include "wrappers.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_INPUTS = 1000, MOST_ROUNDS = 1001, ELEMENTS = 16 * MOST_INPUTS, INPUTS_A_ROUND = 20000 };

typedef int32_t Graph(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t num_outs);

/* Of each number of inputs, the two graphs, and what an input adds to the text. */
typedef struct Size {
    int n;
    Graph *cheap;
    Graph *full;
    int bytes;
} Size;

static const Size sizes[] = {
#include "bytes.inc"
};

int32_t kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx;
    (void)args;
    (void)num_args;
    (void)outs;
    *num_outs = 0;
    return 0;
}

/* ---- two rows of two for each input, or four of two ---- */

static WgGeometry separate(int i, int n, int64_t *dims)
{
    (void)n;
    dims[0] = dims[1] = dims[2] = 2;
    dims[3] = 1;
    return (WgGeometry){dims, dims + 2, 4 * i, 2};
}

static WgGeometry columns(int i, int n, int64_t *dims)
{
    dims[0] = 4;
    dims[1] = 2;
    dims[2] = 2 * n;
    dims[3] = 1;
    return (WgGeometry){dims, dims + 2, 2 * i, 2};
}

/* Ten in a row. */
static WgGeometry blocks(int i, int n, int64_t *dims)
{
    (void)n;
    dims[0] = dims[1] = 2;
    dims[2] = 20;
    dims[3] = 1;
    return (WgGeometry){dims, dims + 2, i / 10 * 40 + i % 10 * 2, 2};
}

/* Every nth column of a matrix with two rows, whose length is not a multiple of n: nothing tells them apart but a
 * comparison of each with each. */
static WgGeometry pairwise(int i, int n, int64_t *dims)
{
    dims[0] = dims[1] = 2;
    dims[2] = 3 * n + 1;
    dims[3] = n;
    return (WgGeometry){dims, dims + 2, i, 2};
}

typedef struct Layout {
    const char *name;
    WgGeometry (*of)(int i, int n, int64_t *dims);
} Layout;

static const Layout layouts[] = {
    {"separate", separate}, {"columns", columns}, {"blocks", blocks}, {"pairwise", pairwise}};

/* ---- measuring ---- */

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

/* Nanoseconds of a call. */
static double run(WgContext *ctx, Graph *graph, const WgValue *args, int n)
{
    const int calls = INPUTS_A_ROUND / n;
    const double from = now();
    for (int i = 0; i < calls; i++) {
        if (graph(ctx, args, (size_t)n, NULL, 0) != 0) {
            abort();
        }
    }
    return (now() - from) / calls;
}

static int ascending(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double median(double *times, int rounds)
{
    qsort(times, (size_t)rounds, sizeof *times, ascending);
    return times[rounds / 2];
}

static void measure(WgContext *ctx, const Size *size, const Layout *layout, int rounds)
{
    static float memory[ELEMENTS];
    static WgValue args[MOST_INPUTS];
    static double cheap[MOST_ROUNDS];
    static double full[MOST_ROUNDS];
    for (int i = 0; i < size->n; i++) {
        int64_t dims[4];
        const WgGeometry geometry = layout->of(i, size->n, dims);
        if (wg_native_borrow(ctx, memory, sizeof memory, &geometry, WG_FLOAT32, WG_CPU, NULL, NULL, &args[i].tensor) !=
            0) {
            abort();
        }
    }
    for (int r = 0; r < rounds; r++) {
        cheap[r] = run(ctx, size->cheap, args, size->n);
        full[r] = run(ctx, size->full, args, size->n);
    }
    for (int i = 0; i < size->n; i++) {
        wg_release(ctx, args[i].tensor);
    }
    const double before = median(cheap, rounds);
    const double after = median(full, rounds);
    printf("%6d  %-8s  %8.1f ns  %6.2f  %6d bytes\n", size->n, layout->name, (after - before) / size->n, after / before,
           size->bytes);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 && atoi(argv[1]) < MOST_ROUNDS ? atoi(argv[1]) : 101;
    WgContext *ctx = NULL;
    if (wg_context_create(NULL, &ctx) != 0 || wg_context_reserve(ctx, FULL_1000_SCRATCH) != 0) {
        return 1;
    }
    printf("inputs  layout    an input adds  whole   an input adds\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t k = 0; k < sizeof layouts / sizeof layouts[0]; k++) {
            measure(ctx, &sizes[i], &layouts[k], rounds);
        }
    }
    wg_context_destroy(ctx);
    return 0;
}
