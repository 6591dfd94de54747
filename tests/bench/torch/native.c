/* SPDX-License-Identifier: MIT */
/*
 * native.c - the same wrappers on the native host, with the fixtures and contestants of tests/bench/overhead, as a
 * library for turns.py.
 */
#include <time.h>

#include "fixture.h"

__attribute__((visibility("default"))) Fixture *native_make(const char *name);
__attribute__((visibility("default"))) double native_time(const Fixture *fixture, char who, int64_t calls);

Fixture *native_make(const char *name)
{
    for (size_t i = 0; i < num_cases; i++) {
        if (strcmp(cases[i].name, name) == 0) {
            return fixture_make(&cases[i]);
        }
    }
    return NULL;
}

static int32_t run_bare(const Call *call)
{
    static WgValue results[MOST];
    size_t n = MOST;
    const int32_t status = bench_kernel(call->ctx, call->args, 0, results, &n);
    wg_release_run(call->ctx, results, n);
    return status;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* Nanoseconds a call of 'o' the generated wrapper, 'l' the loop in C, 'b' the compiled function alone; below 0 when one
 * failed. */
double native_time(const Fixture *fixture, char who, int64_t calls)
{
    Contestant *const volatile run = who == 'b' ? run_bare : fixture->one->run[who == 'l' ? LOOP : GENERATED];
    const size_t num_outs = who == 'b' ? 0 : fixture->num_outs;
    int32_t failed = 0;
    fixture_use(fixture);
    const double begin = now();
    for (int64_t i = 0; i < calls; i++) {
        failed |= run(&fixture->call);
        for (size_t k = 0; k < num_outs; k++) {
            wg_release(fixture->ctx, fixture->outs[k].tensor);
        }
    }
    return failed != 0 ? -1 : (now() - begin) / (double)calls;
}
