/* SPDX-License-Identifier: MIT */
/*
 * test_threads.c - threads with contexts of their own over tensors that no call changes: counts stay right, memory is
 * freed once, copies read what is there. run.sh builds it once more with ThreadSanitizer, which is what gives this test
 * its teeth.
 */
#include "check.h"
#include "wg_native.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 3000 };

static const char *const two_names[] = {"a", "b"};
static const WgType two_type = {.name = "TwoTensor", .attribute_names = two_names, .num_attributes = 2};

typedef struct Worker {
    WgContext *ctx;
    WgTensor *shared; /* float32 [8], the threads' common input */
    WgTensor *outer;  /* a subclass, shared too */
    WgTensor *last;   /* a reference of the worker's own, which it gives back at its end */
    int bad;
} Worker;

static int64_t num_freed;

static void note_freed(void *user, void *data)
{
    (void)user;
    (void)data;
    __atomic_fetch_add(&num_freed, 1, __ATOMIC_RELAXED);
}

/* What a wrapper does with an input: reads it, keeps it, aliases it, copies it into memory of its own. */
static int work_once(Worker *worker)
{
    WgContext *ctx = worker->ctx;
    WgTensor *kept = NULL;
    WgTensor *alias = NULL;
    WgTensor *own = NULL;
    WgTensor *attr = NULL;
    WgTensor *rebuilt = NULL;
    const WgGeometry evens = {(const int64_t[]){4}, (const int64_t[]){2}, 0, 1};
    int bad = wg_retain(ctx, worker->shared, &kept) != 0;
    bad += wg_as_strided(ctx, kept, &evens, &alias) != 0;
    bad += wg_native_zeros(ctx, WG_FLOAT64, 1, evens.sizes, &own) != 0;
    bad += wg_copy_(ctx, own, alias) != 0;
    bad += wg_native_real(own, 3) != 6 || wg_version(ctx, own) != 1 || wg_version(ctx, alias) != 0;
    wg_release(ctx, kept);
    wg_release(ctx, alias);
    WgTensor *attrs[2] = {own, NULL};
    bad += wg_attr(ctx, worker->outer, 1, &attr) != 0 || wg_retain(ctx, attr, &attrs[1]) != 0;
    bad += wg_rebuild(ctx, &two_type, NULL, attrs, 2, NULL, &rebuilt) != 0;
    wg_release(ctx, rebuilt);
    return bad;
}

static void *work(void *argument)
{
    Worker *worker = argument;
    for (int i = 0; i < ROUNDS; i++) {
        worker->bad += work_once(worker);
    }
    wg_release(worker->ctx, worker->last);
    wg_context_destroy(worker->ctx);
    return NULL;
}

static void test_shared_inputs(void)
{
    static float memory[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    WgContext *ctx = NULL;
    WgTensor *shared = NULL;
    WgTensor *outer = NULL;
    WgTensor *attrs[2] = {NULL, NULL};
    pthread_t threads[THREADS];
    Worker workers[THREADS];
    const WgGeometry geometry = {(const int64_t[]){8}, (const int64_t[]){1}, 0, 1};
    CHECK_EQUAL(wg_context_create(NULL, &ctx), 0);
    CHECK_EQUAL(wg_native_borrow(ctx, memory, sizeof memory, &geometry, WG_FLOAT32, WG_CPU, note_freed, NULL, &shared),
                0);
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(wg_native_zeros(ctx, WG_INT8, 1, geometry.sizes, &attrs[i]), 0);
    }
    CHECK_EQUAL(wg_rebuild(ctx, &two_type, NULL, attrs, 2, NULL, &outer), 0);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (Worker){NULL, shared, outer, NULL, 0};
        CHECK_EQUAL(wg_context_fork(ctx, &workers[i].ctx), 0);
        CHECK_EQUAL(wg_retain(ctx, shared, &workers[i].last), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQUAL(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
        CHECK_EQUAL(workers[i].bad, 0);
    }
    CHECK_EQUAL(wg_native_count(shared), 1);
    CHECK_EQUAL(num_freed, 0);
    wg_release(ctx, outer);
    wg_release(ctx, shared);
    CHECK_EQUAL(num_freed, 1);
    wg_context_destroy(ctx);
}

/* The last reference is given back by whichever thread comes last. */
static void *release_last(void *argument)
{
    Worker *worker = argument;
    worker->bad = wg_native_real(worker->last, 0) != 5;
    wg_release(worker->ctx, worker->last);
    wg_context_destroy(worker->ctx);
    return NULL;
}

static void test_last_reference(void)
{
    for (int round = 0; round < 200; round++) {
        WgContext *ctx = NULL;
        WgTensor *t = NULL;
        pthread_t threads[2];
        Worker workers[2];
        static float five = 5;
        const WgGeometry geometry = {NULL, NULL, 0, 0};
        num_freed = 0;
        CHECK_EQUAL(wg_context_create(NULL, &ctx), 0);
        CHECK_EQUAL(wg_native_borrow(ctx, &five, 4, &geometry, WG_FLOAT32, WG_CPU, note_freed, NULL, &t), 0);
        for (int i = 0; i < 2; i++) {
            workers[i] = (Worker){NULL, NULL, NULL, NULL, 0};
            CHECK_EQUAL(wg_context_fork(ctx, &workers[i].ctx), 0);
            CHECK_EQUAL(wg_retain(ctx, t, &workers[i].last), 0);
        }
        wg_release(ctx, t);
        for (int i = 0; i < 2; i++) {
            CHECK_EQUAL(pthread_create(&threads[i], NULL, release_last, &workers[i]), 0);
        }
        for (int i = 0; i < 2; i++) {
            CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
            CHECK_EQUAL(workers[i].bad, 0);
        }
        CHECK_EQUAL(num_freed, 1);
        wg_context_destroy(ctx);
    }
}

int main(void)
{
    run("four threads share inputs that none of them changes", test_shared_inputs);
    run("the last reference may go in any thread", test_last_reference);
    return finish();
}
