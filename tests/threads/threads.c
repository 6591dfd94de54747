/* SPDX-License-Identifier: MIT */
/*
 * threads.c - eight threads call generated code over tensors that no call changes, each with a context and a cache of
 * its own, and with an accumulator that its calls write. What comes out is what one thread alone gets. A forward's
 * saved values go to the next thread, which runs the backward. run.sh builds it with ThreadSanitizer, which sees what
 * goes wrong without being seen here. HOST is the header of any host whose contexts are made as those of `native` are;
 * all else here is done with verbs.
 *
 *     threads [cache|context|argument]   the threads share that, too, which SPEC.md forbids: ThreadSanitizer must tell
 */
#include "graph.h"
#include "matmul_key.h"
#include HOST

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, ROUNDS = 60, SIZES = 7, WIDTH = 4 };

/* ---- compiled functions ---- */

int32_t sum_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    float *total = wg_data(ctx, args[0].tensor);
    const float *shared = wg_data(ctx, args[1].tensor);
    for (int i = 0; i < 4; i++) {
        total[i] += shared[i];
    }
    const WgGeometry pairs = {(const int64_t[]){2, 2}, (const int64_t[]){2, 1}, 0, 2};
    const WgGeometry evens = {(const int64_t[]){2}, (const int64_t[]){2}, 0, 1};
    *num_outs = 2;
    return num_args == 2 && wg_as_strided(ctx, args[0].tensor, &pairs, &outs[0].tensor) == 0 &&
                   wg_as_strided(ctx, args[1].tensor, &evens, &outs[1].tensor) == 0
               ? WG_OK
               : 1;
}

static int32_t count(WgValue *outs, size_t *num_outs, int64_t which)
{
    outs[0].integer = which;
    *num_outs = 1;
    return WG_OK;
}

int32_t count_few(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx, (void)args, (void)num_args;
    return count(outs, num_outs, 0);
}

int32_t count_even(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx, (void)args, (void)num_args;
    return count(outs, num_outs, 1);
}

int32_t count_more(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx, (void)args, (void)num_args;
    return count(outs, num_outs, 2);
}

/* The loss is the sum of (w * x)^2. Saved are x and the products, each with a reference of its own. */
int32_t net_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t width = WIDTH;
    if (num_args != 2 || *num_outs < 3) {
        return 1;
    }
    memset(outs, 0, 3 * sizeof *outs);
    if (wg_zeros(ctx, NULL, 0, WG_FLOAT32, WG_CPU, &outs[0].tensor) != 0 ||
        wg_retain(ctx, args[1].tensor, &outs[1].tensor) != 0 ||
        wg_zeros(ctx, &width, 1, WG_FLOAT32, WG_CPU, &outs[2].tensor) != 0) {
        wg_release_run(ctx, outs, 3);
        return 1;
    }
    const float *w = wg_data(ctx, args[0].tensor);
    const float *x = wg_data(ctx, args[1].tensor);
    float *loss = wg_data(ctx, outs[0].tensor);
    float *products = wg_data(ctx, outs[2].tensor);
    for (int i = 0; i < WIDTH; i++) {
        products[i] = w[i] * x[i];
        *loss += products[i] * products[i];
    }
    *num_outs = 3;
    return WG_OK;
}

/* x, the products and the tangent of the loss: that of w is 2 * product * x times it. */
int32_t net_backward_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t width = WIDTH;
    memset(outs, 0, 2 * sizeof *outs);
    *num_outs = 2;
    if (num_args != 3 || wg_zeros(ctx, &width, 1, WG_FLOAT32, WG_CPU, &outs[0].tensor) != 0) {
        return 1;
    }
    const float *x = wg_data(ctx, args[0].tensor);
    const float *products = wg_data(ctx, args[1].tensor);
    const float *tangent = wg_data(ctx, args[2].tensor);
    float *gradient = wg_data(ctx, outs[0].tensor);
    for (int i = 0; i < WIDTH; i++) {
        gradient[i] = 2 * products[i] * x[i] * *tangent;
    }
    return WG_OK;
}

/* ---- what all threads read ---- */

typedef struct Shared {
    work_net_inputs network;
    WgTensor *one;
    WgTensor *addend;
    WgTensor *vectors[SIZES]; /* number i has i + 1 elements */
    WgTensor *a;
    WgTensor *b;
    WgTensor *wrong; /* float64 where float32 is wanted */
    matmul_key key;
    float loss;
    float gradient[WIDTH];
} Shared;

typedef struct Worker {
    const Shared *shared;
    WgContext *ctx;
    WgContext *own; /* to be destroyed */
    WgTensor *total;
    matmul_cache *cache;
    matmul_cache own_cache;
    matmul_cache_entry entries[8];
    work_net_saved saved;
    struct Worker *before; /* whose saved values this one takes */
    pthread_barrier_t *barrier;
    int number;
    int bad;
} Worker;

static float element(WgContext *ctx, const WgTensor *t, int i)
{
    return ((const float *)wg_data(ctx, t))[(int64_t)i * (wg_rank(ctx, t) == 1 ? wg_stride(ctx, t, 0) : 1)];
}

/* (-2, -1, 0, 1, 2, -2, ...) / 4 */
static WgTensor *filled(WgContext *ctx, int32_t dtype, int32_t rank, int64_t rows, int64_t columns)
{
    const int64_t sizes[2] = {rows, columns};
    WgTensor *t = NULL;
    if (wg_zeros(ctx, sizes, rank, dtype, WG_CPU, &t) != 0) {
        exit(1);
    }
    float *const data = wg_data(ctx, t);
    for (int64_t i = 0; dtype == WG_FLOAT32 && i < rows * (rank == 2 ? columns : 1); i++) {
        data[i] = (float)(i % 5 - 2) / 4;
    }
    return t;
}

static float forward(WgContext *ctx, const Shared *shared, work_net_saved *saved, int *bad)
{
    work_net_outputs out;
    if (work_net(ctx, &shared->network, &out, saved) != WG_OK) {
        *bad += 1;
        return 0;
    }
    const float loss = element(ctx, out.loss, 0);
    work_net_outputs_release(ctx, &out);
    return loss;
}

static void backward(WgContext *ctx, const Shared *shared, work_net_saved *saved, float gradient[WIDTH], int *bad)
{
    const work_net_tangents tangents = {shared->one};
    work_net_gradients out;
    memset(gradient, 0, sizeof(float[WIDTH]));
    if (work_net_backward(ctx, saved, &tangents, &out) != WG_OK) {
        *bad += 1;
        return;
    }
    for (int i = 0; i < WIDTH; i++) {
        gradient[i] = element(ctx, out.w, i);
    }
    work_net_gradients_release(ctx, &out);
    work_net_saved_release(ctx, saved);
}

static void key_args(const Shared *shared, matmul_args *args)
{
    matmul_defaults(args);
    args->a = shared->a;
    args->b = shared->b;
}

static void begin(WgContext *ctx, Shared *shared)
{
    work_net_saved saved;
    matmul_args args;
    int bad = 0;
    shared->network.w = filled(ctx, WG_FLOAT32, 1, WIDTH, 0);
    bad += wg_set_requires_grad(ctx, shared->network.w, 1) != 0;
    shared->network.x = filled(ctx, WG_FLOAT32, 1, WIDTH, 0);
    shared->one = filled(ctx, WG_FLOAT32, 0, 1, 0);
    *(float *)wg_data(ctx, shared->one) = 1;
    shared->addend = filled(ctx, WG_FLOAT32, 1, 4, 0);
    for (int i = 0; i < SIZES; i++) {
        shared->vectors[i] = filled(ctx, WG_FLOAT32, 1, i + 1, 0);
    }
    shared->a = filled(ctx, WG_FLOAT32, 2, 3, 4);
    shared->b = filled(ctx, WG_FLOAT32, 2, 4, 5);
    shared->wrong = filled(ctx, WG_FLOAT64, 1, 4, 0);
    shared->loss = forward(ctx, shared, &saved, &bad);
    backward(ctx, shared, &saved, shared->gradient, &bad);
    key_args(shared, &args);
    bad += matmul_key_of(ctx, &args, &shared->key) != WG_OK;
    /* w = x = (-2, -1, 0, 1) / 4: the loss is the sum of x^4, the gradient 2 * x^3. */
    if (bad != 0 || shared->loss != 18.0F / 256 || shared->gradient[0] != -0.25F || shared->gradient[3] != 2.0F / 64) {
        puts("one thread alone fails");
        exit(1);
    }
}

static void end(WgContext *ctx, Shared *shared)
{
    WgTensor *const all[] = {shared->network.w, shared->network.x, shared->one,  shared->addend,
                             shared->a,         shared->b,         shared->wrong};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        wg_release(ctx, all[i]);
    }
    for (int i = 0; i < SIZES; i++) {
        wg_release(ctx, shared->vectors[i]);
    }
}

/* ---- what each thread does ---- */

static void call_sum(Worker *worker, int round)
{
    const work_sum_inputs in = {worker->total, worker->shared->addend};
    work_sum_outputs out;
    if (work_sum(worker->ctx, &in, &out) != WG_OK) {
        worker->bad++;
        return;
    }
    /* The accumulator began as the addend itself: (-2, -1, 0, 1) / 4, added once more in each round. */
    worker->bad += ((const float *)wg_data(worker->ctx, out.pairs))[3] != 0.25F * (float)(round + 2);
    worker->bad += element(worker->ctx, out.evens, 1) != 0;
    worker->bad += !wg_same_storage(worker->ctx, out.pairs, worker->total);
    work_sum_outputs_release(worker->ctx, &out);
}

/* 1 to 4 elements: few; else an even number: even; else more. */
static void call_count(Worker *worker, int round)
{
    const int size = (round + worker->number) % SIZES + 1;
    const WgValue args[1] = {wg_value_tensor(worker->shared->vectors[size - 1])};
    WgValue out = {NULL};
    size_t num_outs = 1;
    const int expected = size <= 4 ? 0 : size % 2 == 0 ? 1 : 2;
    worker->bad += work_count(worker->ctx, args, 1, &out, &num_outs) != WG_OK || out.integer != expected;
}

/* The first round puts what every later one finds. */
static void call_key(Worker *worker)
{
    matmul_args args;
    void *found = NULL;
    key_args(worker->shared, &args);
    worker->bad += matmul_cache_find_call(worker->cache, worker->ctx, &args, &found) != WG_OK;
    if (found == NULL) {
        worker->bad += !matmul_key_equal(&worker->cache->call, &worker->shared->key);
        worker->bad += matmul_cache_put(worker->cache, &worker->cache->call, worker) != 0;
    } else {
        worker->bad += found != worker;
    }
}

/* An error is the context's own, and names what is wrong there. */
static void call_wrong(Worker *worker, int round)
{
    char text[256];
    const work_sum_inputs in = {round % 2 == 0 ? worker->shared->wrong : worker->total,
                                round % 2 == 0 ? worker->shared->addend : worker->shared->wrong};
    work_sum_outputs out;
    worker->bad += work_sum(worker->ctx, &in, &out) != WG_E_DTYPE;
    wg_error_text(wg_error(worker->ctx), text, sizeof text);
    worker->bad += strstr(text, round % 2 == 0 ? "'total'" : "'shared'") == NULL;
}

static void *work(void *argument)
{
    Worker *worker = argument;
    float gradient[WIDTH];
    for (int round = 0; round < ROUNDS; round++) {
        const float loss = forward(worker->ctx, worker->shared, &worker->saved, &worker->bad);
        worker->bad += loss != worker->shared->loss;
        call_sum(worker, round);
        call_count(worker, round);
        call_key(worker);
        call_wrong(worker, round);
        (void)pthread_barrier_wait(worker->barrier);
        backward(worker->ctx, worker->shared, &worker->before->saved, gradient, &worker->bad);
        worker->bad += memcmp(gradient, worker->shared->gradient, sizeof gradient) != 0;
        (void)pthread_barrier_wait(worker->barrier);
    }
    return NULL;
}

static void join(WgContext *ctx, const Shared *shared, const char *what, Worker *workers)
{
    pthread_barrier_t barrier;
    pthread_t threads[THREADS];
    (void)pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        Worker *worker = &workers[i];
        const int first = i == 0;
        worker->shared = shared;
        worker->number = i;
        worker->before = &workers[(i + THREADS - 1) % THREADS];
        worker->barrier = &barrier;
        if (wg_context_fork(ctx, &worker->own) != 0) {
            exit(1);
        }
        worker->ctx = strcmp(what, "context") == 0 && !first ? workers[0].own : worker->own;
        worker->total = strcmp(what, "argument") == 0 && !first ? workers[0].total : filled(ctx, WG_FLOAT32, 1, 4, 0);
        matmul_cache_init(&worker->own_cache, worker->entries, sizeof worker->entries / sizeof *worker->entries);
        worker->cache = strcmp(what, "cache") == 0 && !first ? &workers[0].own_cache : &worker->own_cache;
    }
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0) {
            exit(1);
        }
    }
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    (void)pthread_barrier_destroy(&barrier);
}

int main(int argc, char **argv)
{
    static Worker workers[THREADS];
    static Shared shared;
    const char *what = argc > 1 ? argv[1] : "";
    WgContext *ctx = NULL;
    int bad = wg_context_create(NULL, &ctx) != 0;
    begin(ctx, &shared);
    join(ctx, &shared, what, workers);
    for (int i = 0; i < THREADS; i++) {
        bad += workers[i].bad;
        if (i == 0 || strcmp(what, "argument") != 0) {
            wg_release(ctx, workers[i].total);
        }
        wg_context_destroy(workers[i].own);
    }
    end(ctx, &shared);
    wg_context_destroy(ctx);
    printf("%d threads, %d rounds, %d wrong\n", THREADS, ROUNDS, bad);
    return bad != 0;
}
