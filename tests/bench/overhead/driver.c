/* SPDX-License-Identifier: MIT */
/*
 * driver - checks that the three contestants of every case do the same, then times them, or counts instructions.
 *
 *     driver check            TAP: same results, same state, same answer to each broken argument
 *     driver time BATCHES     rows "case contestant median q1 q3" in nanoseconds a call; contestants take turns
 *     driver count            under callgrind: one dump a case and contestant, of CALLS calls
 *
 * `bare` is the driver's own loop around the compiled function alone.
 */
#include <time.h>

#include "fixture.h"
#include "observe.h"

#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define HAS_CALLGRIND 1
#endif
#endif
#ifndef HAS_CALLGRIND
#define HAS_CALLGRIND                 0
#define CALLGRIND_TOGGLE_COLLECT      ((void)0)
#define CALLGRIND_ZERO_STATS          ((void)0)
#define CALLGRIND_DUMP_STATS_AT(text) ((void)(text))
#endif

enum { CALLS = 64 };

/* ---- one call ---- */

/* The call and what its caller has to do with the outputs. */
static inline void once(const Fixture *fixture, Contestant *run)
{
    (void)run(&fixture->call);
    for (size_t i = 0; i < fixture->num_outs; i++) {
        wg_release(fixture->ctx, fixture->outs[i].tensor);
    }
}

/* The part that is not the wrapper's: the compiled function, through the same pointer. */
static int32_t run_bare(const Call *call)
{
    static WgValue results[MOST];
    size_t n = MOST;
    return bench_kernel(call->ctx, call->args, 0, results, &n);
}

static void bare(const Fixture *fixture)
{
    Contestant *volatile run = run_bare;
    (void)run(&fixture->call);
}

/* ---- time ---- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double batch(const Fixture *fixture, int who, size_t calls)
{
    Contestant *const run = fixture->one->run[who];
    const double begin = now();
    for (size_t i = 0; i < calls; i++) {
        once(fixture, run);
    }
    return (now() - begin) / (double)calls;
}

static void time_case(const Case *one, size_t batches)
{
    double *times[NUM_CONTESTANTS];
    Fixture *fixtures[NUM_CONTESTANTS];
    size_t calls = 1;
    for (int who = 0; who < NUM_CONTESTANTS; who++) {
        times[who] = calloc(batches, sizeof *times[who]);
        fixtures[who] = fixture_make(one);
        must(times[who] != NULL, "no memory");
    }
    fixture_use(fixtures[0]);
    while (batch(fixtures[0], GENERATED, calls) * (double)calls < 30e3) {
        calls *= 2; /* a batch takes some 30 to 60 microseconds */
    }
    for (size_t i = 0; i < batches; i++) {
        for (int turn = 0; turn < NUM_CONTESTANTS; turn++) {
            const int who = (int)((i + (size_t)turn) % NUM_CONTESTANTS);
            fixture_use(fixtures[who]);
            (void)batch(fixtures[who], who, calls / 8 + 1);
            times[who][i] = batch(fixtures[who], who, calls);
        }
    }
    for (int who = 0; who < NUM_CONTESTANTS; who++) {
        qsort(times[who], batches, sizeof *times[who], by_value);
        printf("time %s %s %.2f %.2f %.2f\n", one->name, contestant_names[who], times[who][batches / 2],
               times[who][batches / 4], times[who][3 * batches / 4]);
        free(times[who]);
        memset(fixtures[who]->outs, 0, sizeof fixtures[who]->outs); /* once() has released them */
        fixture_end(fixtures[who]);
    }
    fflush(stdout);
}

/* ---- count ---- */

static void count_case(const Case *one)
{
    char label[256];
    for (int who = 0; who <= NUM_CONTESTANTS; who++) {
        Fixture *fixture = fixture_make(one);
        Contestant *const run = who < NUM_CONTESTANTS ? one->run[who] : run_bare;
        fixture_use(fixture);
        if (who < NUM_CONTESTANTS) {
            once(fixture, run);
            once(fixture, run);
        }
        CALLGRIND_ZERO_STATS;
        CALLGRIND_TOGGLE_COLLECT;
        for (int i = 0; i < CALLS; i++) {
            if (who < NUM_CONTESTANTS) {
                once(fixture, run);
            } else {
                bare(fixture);
            }
        }
        CALLGRIND_TOGGLE_COLLECT;
        snprintf(label, sizeof label, "%s %s", one->name, who < NUM_CONTESTANTS ? contestant_names[who] : "bare");
        CALLGRIND_DUMP_STATS_AT(label);
        memset(fixture->outs, 0, sizeof fixture->outs);
        fixture_end(fixture);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "check") == 0) {
        return observe_all();
    }
    if (strcmp(what, "count") == 0 && !HAS_CALLGRIND) {
        return 3;
    }
    for (size_t i = 0; i < num_cases; i++) {
        if (argc > 3 && strstr(cases[i].name, argv[3]) == NULL) {
            continue;
        }
        if (strcmp(what, "time") == 0 && argc > 2) {
            time_case(&cases[i], (size_t)strtoul(argv[2], NULL, 10));
        } else if (strcmp(what, "count") == 0) {
            count_case(&cases[i]);
        } else {
            fprintf(stderr, "usage: driver check | time BATCHES [CASE] | count\n");
            return 2;
        }
    }
    return 0;
}
