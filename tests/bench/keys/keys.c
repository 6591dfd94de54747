/* SPDX-License-Identifier: MIT */
/*
 * keys - what a key costs: three tensors of rank 1 to 5, and 2, 8 and 16 of rank 2, compared with reading the same
 * metadata once (whether it is plain, rank, dtype, device, all sizes, all strides, of each argument: the floor). Prints
 * a line for each contestant: "key", rank, tensors, its number, nanoseconds a call. report.awk makes a table of them.
 *
 *   key     key_of                         +hash   key_of, then key_hash
 *   last    cache_find_call, of the call that was the last one
 *   next    the same for two calls in turn, in a cache of eight places: found as what followed the last time
 *   found   the same for calls in an order that no row foretells: found by the hash of the key
 *   loop    key and hash by walking a description of the kernel, as a library would
 *
 * Nothing is left out by a compiler: contestants are called through a pointer that is read from memory each time, and
 * what they return depends on every field that they read (the floor is the sum of all of them; a hash of all words; a
 * key is read by another function of another file) and is added to a volatile. Contestants take turns; medians of the
 * rounds.
 *
 * keys RANK TENSORS CONTESTANT CALLS only calls: for counting instructions.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "wg_native.h"
#include "wg_key.h"
#include "wrappers.h"

enum {
    ROUNDS = 41,
    CALLS = 20000,
    CONTESTANTS = 13,
    OF_A_MODE = 6,
    CALLS_OF_A_CASE = 3,
    MAX_RANK = 5,
    MAX_TENSORS = 16
};

typedef uint64_t Contestant(WgContext *ctx, WgTensor *const *tensors);

/* floor; key, hash, last, next, found, loop with static shapes; the same without */
typedef struct Contest {
    int rank;
    int tensors;
    Contestant *all[CONTESTANTS];
    int (*fill)(WgContext *ctx, WgTensor *const *tensors); /* puts their keys into the caches */
} Contest;

static uint64_t loop(WgContext *ctx, WgTensor *const *tensors);

#include "contests.h"

/* The loop: for each argument its kind, then what that kind needs. */
typedef struct Described {
    int32_t kind;
    uint32_t flags;
    uint32_t static_dims;
} Described;

static volatile size_t num_described;
static Described described[MAX_TENSORS];

static uint64_t *walk_tensor(WgContext *ctx, const WgTensor *t, const Described *arg, uint64_t *next)
{
    const int32_t rank = wg_rank(ctx, t);
    const int64_t *sizes = wg_sizes(ctx, t);
    uint64_t differs = 0;
    WgPair changed = wg_pair(0, 0);
    const uint64_t head = 1 | wg_key_type_on(ctx, t) | (uint64_t)rank << 16;
    if (!wg_is_plain(ctx, t)) {
        return wg_key_any(ctx, t, arg->flags, arg->static_dims, next);
    }
    if ((arg->flags & WG_KEY_STATIC) == 0) {
        return wg_key_buckets(sizes, rank, arg->flags, arg->static_dims, head, next, &differs);
    }
    *next = head | (uint64_t)arg->static_dims << 32;
    return wg_key_fits(wg_key_dims(sizes, wg_strides(ctx, t), rank, next + 1, &changed)) ? next + 1 + rank : NULL;
}

static uint64_t loop(WgContext *ctx, WgTensor *const *tensors)
{
    uint64_t words[MAX_TENSORS * (1 + 2 * MAX_RANK)];
    uint64_t *next = words;
    for (size_t i = 0; i < num_described; i++) {
        switch (described[i].kind) {
        case WG_KEY_KIND_TENSOR:
            next = walk_tensor(ctx, tensors[i], &described[i], next);
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

static void describe(int contestant, int tensors)
{
    num_described = (size_t)tensors;
    for (int k = 0; k < tensors; k++) {
        described[k] = (Described){
            WG_KEY_KIND_TENSOR,
            contestant <= OF_A_MODE ? WG_KEY_STATIC | WG_KEY_DEVICE : WG_KEY_ZERO_ONE | WG_KEY_AUTO | WG_KEY_DEVICE, 0};
    }
}

static void race(WgContext *ctx, const Contest *contest, WgTensor *const *tensors, int rounds)
{
    static double times[CONTESTANTS][ROUNDS];
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < CONTESTANTS; i++) {
            describe(i, contest->tensors);
            times[i][round] = time_one(contest->all[i], ctx, tensors, CALLS);
        }
    }
    for (int i = 0; i < CONTESTANTS; i++) {
        printf("key %d %d %d %.2f\n", contest->rank, contest->tensors, i, median(times[i], rounds));
    }
}

/* Three calls of different keys, one after the other. */
static int make_tensors(WgContext *ctx, const Contest *contest, WgTensor **tensors)
{
    const int64_t sizes[CALLS_OF_A_CASE][MAX_RANK] = {{4, 3, 2, 5, 2}, {1, 7, 2, 5, 2}, {0, 7, 2, 5, 2}};
    for (int i = 0; i < CALLS_OF_A_CASE * contest->tensors; i++) {
        if (wg_native_empty(ctx, WG_FLOAT32, contest->rank, sizes[i / contest->tensors], &tensors[i]) != 0) {
            return -1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    WgContext *ctx = NULL;
    if (wg_context_create(NULL, &ctx) != 0) {
        return 1;
    }
    for (size_t c = 0; c < sizeof contests / sizeof *contests; c++) {
        WgTensor *tensors[CALLS_OF_A_CASE * MAX_TENSORS];
        if (make_tensors(ctx, &contests[c], tensors) != 0 || contests[c].fill(ctx, tensors) != 0) {
            return 1;
        }
        if (argc < 5) {
            race(ctx, &contests[c], tensors, argc > 1 ? 3 : ROUNDS);
        } else if (contests[c].rank == atoi(argv[1]) && contests[c].tensors == atoi(argv[2])) {
            describe(atoi(argv[3]), contests[c].tensors);
            (void)time_one(contests[c].all[atoi(argv[3])], ctx, tensors, atoi(argv[4]));
        }
        for (int i = 0; i < CALLS_OF_A_CASE * contests[c].tensors; i++) {
            wg_release(ctx, tensors[i]);
        }
    }
    wg_context_destroy(ctx);
    return 0;
}
