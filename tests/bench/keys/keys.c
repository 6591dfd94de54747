/* SPDX-License-Identifier: MIT */
/*
 * keys - what a key costs: three tensors of rank 1 to 5, nanoseconds a call, and as a ratio to reading the same
 * metadata once (type, rank, dtype, device, sizes, strides: the floor). `loop` walks a description of the kernel, as a
 * library would. Contestants take turns; medians of the rounds.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "wg_native.h"
#include "wg_key.h"
#include "wrappers.h"

enum { ROUNDS = 41, CALLS = 20000, CONTESTANTS = 7, MAX_RANK = 5 };

typedef uint64_t Contestant(WgContext *ctx, WgTensor *const *tensors);

typedef struct Contest {
    int rank;
    Contestant *floor;
    Contestant *static_key;
    Contestant *static_hash;
    Contestant *dynamic_key;
    Contestant *dynamic_hash;
} Contest;

#include "contests.h"

/* The loop: for each argument its kind, then what that kind needs. */
typedef struct Described {
    int32_t kind;
    uint32_t flags;
    uint32_t static_dims;
} Described;

static volatile size_t num_described = 3;
static Described described[3];

static uint64_t loop(WgContext *ctx, WgTensor *const *tensors)
{
    uint64_t words[3 * (1 + 2 * MAX_RANK)];
    uint64_t *next = words;
    for (size_t i = 0; i < num_described; i++) {
        switch (described[i].kind) {
        case WG_KEY_KIND_TENSOR:
            next = wg_key_any(ctx, tensors[i], described[i].flags, described[i].static_dims, next);
            break;
        default:
            *next++ = (uint64_t)described[i].kind;
            break;
        }
    }
    return wg_hash(words, (size_t)(next - words));
}

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static volatile uint64_t sink;

static double time_one(Contestant *contestant, WgContext *ctx, WgTensor *const *tensors, int calls)
{
    Contestant *volatile hidden = contestant;
    const double start = seconds();
    for (int i = 0; i < calls; i++) {
        sink += hidden(ctx, tensors);
    }
    return (seconds() - start) / calls * 1e9;
}

static int compare(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *times, int n)
{
    qsort(times, (size_t)n, sizeof *times, compare);
    return times[n / 2];
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? 3 : ROUNDS;
    static double times[CONTESTANTS][ROUNDS];
    WgContext *ctx = NULL;
    (void)argv;
    if (wg_context_create(NULL, &ctx) != 0) {
        return 1;
    }
    printf("%4s %7s | %7s %7s %7s | %7s %7s %7s   (ns; times the floor)\n", "rank", "floor", "static", "+hash", "loop",
           "dynamic", "+hash", "loop");
    for (size_t c = 0; c < sizeof contests / sizeof *contests; c++) {
        const Contest *contest = &contests[c];
        const int64_t sizes[MAX_RANK] = {4, 3, 2, 5, 2};
        WgTensor *tensors[3];
        double mid[CONTESTANTS];
        for (int i = 0; i < 3; i++) {
            if (wg_native_empty(ctx, WG_FLOAT32, contest->rank, sizes, &tensors[i]) != 0) {
                return 1;
            }
        }
        Contestant *const all[CONTESTANTS] = {contest->floor,
                                              contest->static_key,
                                              contest->static_hash,
                                              loop,
                                              contest->dynamic_key,
                                              contest->dynamic_hash,
                                              loop};
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < CONTESTANTS; i++) {
                for (int k = 0; k < 3; k++) {
                    described[k] = (Described){
                        WG_KEY_KIND_TENSOR,
                        i < 4 ? WG_KEY_STATIC | WG_KEY_DEVICE : WG_KEY_ZERO_ONE | WG_KEY_AUTO | WG_KEY_DEVICE, 0};
                }
                times[i][round] = time_one(all[i], ctx, tensors, CALLS);
            }
        }
        for (int i = 0; i < CONTESTANTS; i++) {
            mid[i] = median(times[i], rounds);
        }
        printf("%4d %7.1f | %7.1f %7.1f %7.1f | %7.1f %7.1f %7.1f\n", contest->rank, mid[0], mid[1], mid[2], mid[3],
               mid[4], mid[5], mid[6]);
        printf("%4s %7s | %6.2fx %6.2fx %6.2fx | %6.2fx %6.2fx %6.2fx\n", "", "", mid[1] / mid[0], mid[2] / mid[0],
               mid[3] / mid[0], mid[4] / mid[0], mid[5] / mid[0], mid[6] / mid[0]);
        for (int i = 0; i < 3; i++) {
            wg_release(ctx, tensors[i]);
        }
    }
    wg_context_destroy(ctx);
    return 0;
}
