/* SPDX-License-Identifier: MIT */
/*
 * dispatch_race - what a choice among N variants costs: three tensors of rank 4, every size and stride a literal.
 *
 * Contestants take turns over the same shuffled calls; the median of rounds counts. `hand` is a chain of literal
 * compares as one writes it by hand, `walk` a loop over a table of the same numbers. run.sh makes shapes.h and the
 * dispatchers, one program for each N, which prints: N, contestant, "hit" or "miss", nanoseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "shapes.h"
#include "wg_native.h"

enum { NUM_CALLS = 4096, NUM_FIELDS = 27 };

typedef struct Args {
    WgTensor *a;
    WgTensor *b;
    WgTensor *c;
} Args;

typedef int32_t Select(WgContext *ctx, const Args *args);

Select hand_select, chain_k_select, tree_k_select, hash_k_select, auto_k_select;

static int64_t rows[NUM_VARIANTS][NUM_FIELDS];

static int row_matches(const WgTensor *t, const int64_t *row)
{
    if (t->dtype != row[0] || t->rank != 4) {
        return 0;
    }
    for (int d = 0; d < 4; d++) {
        if (t->sizes[d] != row[1 + d] || t->strides[d] != row[5 + d]) {
            return 0;
        }
    }
    return 1;
}

static int32_t walk_select(WgContext *ctx, const Args *args)
{
    (void)ctx;
    for (int32_t i = 0; i < NUM_VARIANTS; i++) {
        if (row_matches(args->a, rows[i]) && row_matches(args->b, rows[i] + 9) && row_matches(args->c, rows[i] + 18)) {
            return i;
        }
    }
    return -1;
}

static const struct {
    const char *name;
    Select *select;
} contestants[] = {
    {"hand", hand_select},   {"walk", walk_select},   {"chain", chain_k_select},
    {"tree", tree_k_select}, {"hash", hash_k_select}, {"auto", auto_k_select},
};

enum { NUM_CONTESTANTS = sizeof contestants / sizeof contestants[0] };

static void fill(WgTensor *tensor, const int64_t *sizes, int64_t *row)
{
    tensor->rank = 4;
    tensor->dtype = WG_FLOAT16;
    tensor->sizes = calloc(8, sizeof(int64_t));
    tensor->strides = tensor->sizes + 4;
    int64_t stride = 1;
    for (int d = 3; d >= 0; d--) {
        tensor->sizes[d] = sizes[d];
        tensor->strides[d] = stride;
        stride *= sizes[d];
    }
    row[0] = WG_FLOAT16;
    for (int d = 0; d < 4; d++) {
        row[1 + d] = tensor->sizes[d];
        row[5 + d] = tensor->strides[d];
    }
}

static double nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void race(const Args *calls, const int32_t *expected, const char *what, int num_rounds)
{
    double *times = calloc((size_t)num_rounds * NUM_CONTESTANTS, sizeof(double));
    for (int round = 0; round < num_rounds; round++) {
        for (int c = 0; c < NUM_CONTESTANTS; c++) {
            int wrong = 0;
            const double start = nanoseconds();
            for (int i = 0; i < NUM_CALLS; i++) {
                wrong += contestants[c].select(NULL, &calls[i]) != expected[i];
            }
            times[c * num_rounds + round] = (nanoseconds() - start) / NUM_CALLS;
            if (wrong > 0) {
                fprintf(stderr, "%s is wrong %d times\n", contestants[c].name, wrong);
                exit(1);
            }
        }
    }
    for (int c = 0; c < NUM_CONTESTANTS; c++) {
        qsort(times + c * num_rounds, (size_t)num_rounds, sizeof(double), compare);
        printf("%d %s %s %.2f\n", NUM_VARIANTS, contestants[c].name, what, times[c * num_rounds + num_rounds / 2]);
    }
    free(times);
}

int main(int argc, char **argv)
{
    static WgTensor tensors[NUM_VARIANTS][3];
    static WgTensor other[NUM_VARIANTS];
    static Args calls[NUM_CALLS];
    static int32_t expected[NUM_CALLS];
    int64_t unused[9];
    uint64_t state = 1;
    const int num_rounds = argc > 1 ? atoi(argv[1]) : 31;
    for (int i = 0; i < NUM_VARIANTS; i++) {
        for (int k = 0; k < 3; k++) {
            fill(&tensors[i][k], &SHAPES[i][4 * k], &rows[i][9 * k]);
        }
        const int64_t sizes[4] = {SHAPES[i][8], SHAPES[i][9], SHAPES[i][10], SHAPES[i][11] + 1};
        fill(&other[i], sizes, unused);
    }
    for (int miss = 0; miss < 2; miss++) { /* a miss differs in the last size of the last tensor */
        for (int i = 0; i < NUM_CALLS; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407U;
            const int variant = (int)((state >> 33) % NUM_VARIANTS);
            calls[i] =
                (Args){&tensors[variant][0], &tensors[variant][1], miss ? &other[variant] : &tensors[variant][2]};
            expected[i] = miss ? -1 : variant;
        }
        race(calls, expected, miss ? "miss" : "hit", num_rounds);
    }
    return 0;
}
