/* SPDX-License-Identifier: MIT */
/*
 * proofs ROUNDS FILE... - how long the proof of each kernel's variants takes, in milliseconds of the processor,
 * compared with reading, loading and validating the same file: medians of rounds that take turns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/dispatch/prove.h"
#include "gen/yaml/front.h"

enum { MOST_ROUNDS = 99 };

typedef struct Timed {
    double load;
    double proof;
    uint32_t num_variants;
    size_t length;
} Timed;

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* All kernels of the file. */
static bool time_once(const char *file, Timed *timed)
{
    Arena arena;
    Diag diag;
    Source source;
    const double start = now();
    arena_init(&arena);
    diag_init(&diag, &arena);
    const bool loaded = source_read(&arena, &diag, file, &source) && source_load(&arena, &diag, &source) &&
                        validate_specs(&arena, &diag, &source, 1, NULL);
    const double middle = now();
    *timed = (Timed){.load = middle - start, .length = source.length};
    for (uint32_t k = 0; loaded && k < source.spec->kernels_count; k++) {
        Dispatch *dispatch = dispatch_new(&arena, source.spec, &source.spec->kernels[k], true);
        dispatch_add_graphs(dispatch);
        (void)prove_dispatch(&arena, dispatch);
        timed->num_variants += dispatch->num_variants;
    }
    timed->proof = now() - middle;
    arena_release(&arena);
    return loaded;
}

static int compare(const void *a, const void *b)
{
    const double one = *(const double *)a;
    const double other = *(const double *)b;
    return one < other ? -1 : one > other;
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    return values[n / 2];
}

int main(int argc, char **argv)
{
    const int rounds = argc > 2 ? atoi(argv[1]) : 0;
    if (rounds < 1 || rounds > MOST_ROUNDS) {
        return 2;
    }
    printf("    %-24s %9s %9s %12s %12s %9s\n", "kernel", "bytes", "variants", "loading, ms", "proof, ms", "ratio");
    for (int i = 2; i < argc; i++) {
        static double loads[MOST_ROUNDS];
        static double proofs[MOST_ROUNDS];
        Timed timed = {0};
        for (int round = 0; round < rounds; round++) {
            if (!time_once(argv[i], &timed)) {
                fprintf(stderr, "%s is not loaded\n", argv[i]);
                return 1;
            }
            loads[round] = timed.load;
            proofs[round] = timed.proof;
        }
        const double load = median(loads, rounds);
        const double proof = median(proofs, rounds);
        printf("    %-24s %9zu %9u %12.1f %12.1f %9.2f\n",
               strrchr(argv[i], '/') != NULL ? strrchr(argv[i], '/') + 1 : argv[i], timed.length, timed.num_variants,
               load, proof, proof / load);
    }
    return 0;
}
