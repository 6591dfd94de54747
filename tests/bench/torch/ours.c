/* SPDX-License-Identifier: MIT */
/*
 * ours.c - the generated wrappers on the aoti host, as a library that turns.py loads into PyTorch's own process: the
 * tensors are PyTorch's, handed over as handles, and the loop that is timed is here, so that ctypes is not in it. What
 * is made lives as long as the process.
 *
 *     ours       the wrapper and what its caller does with the outputs
 *     ours_bare  the compiled function alone, which returns new handles of prepared tensors, and their release
 *     floor      the same with the fewest calls of libtorch's C ABI that such a wrapper can do with: each argument's
 *                five facts read, the copies, the views, nothing else
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ours.h"
#include "wg_aoti_inside.h"

enum { MOST = 2100 };

extern const WgAotiTable torch_table; /* examples/aoti/table.cpp */

static const char *const attribute_names[] = {"a", "b"};
const WgType TwoTensor = {.name = "TwoTensor", .attribute_names = attribute_names, .num_attributes = 2};
static const char only_context[] = "TwoTensor";
const void *const two_context = only_context;

typedef struct Fixture {
    const Case *one;
    WgContext *ctx;
    WgValue args[MOST];
    WgValue results[MOST];
    WgValue outs[MOST];
    size_t num_args;
    size_t num_results;
    size_t num_outs;
    unsigned char *saved;
} Fixture;

static const Fixture *in_use;

int32_t bench_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const size_t n = in_use->num_results;
    (void)args;
    (void)num_args;
    for (size_t i = 0; i < n; i++) {
        if (wg_retain(ctx, in_use->results[i].tensor, &outs[i].tensor) != WG_AOTI_OK) {
            wg_release_run(ctx, outs, i);
            return 1;
        }
    }
    *num_outs = n;
    return 0;
}

/* ---- what turns.py calls ---- */

#define EXPORTED __attribute__((visibility("default")))
EXPORTED Fixture *ours_make(const char *name);
EXPORTED int32_t ours_give(Fixture *fixture, char what, struct AtenTensorOpaque **handles, size_t n);
EXPORTED int32_t ours_once(Fixture *fixture, struct AtenTensorOpaque **handles, size_t capacity);
EXPORTED const char *ours_why(const Fixture *fixture);
EXPORTED double ours_time(Fixture *fixture, char who, int64_t calls);
EXPORTED double ours_shim(char which, struct AtenTensorOpaque *t, struct AtenTensorOpaque *other, int64_t calls);

/* Null: there is no case of that name. */
Fixture *ours_make(const char *name)
{
    for (size_t i = 0; i < num_cases; i++) {
        if (strcmp(cases[i].name, name) != 0) {
            continue;
        }
        Fixture *fixture = calloc(1, sizeof *fixture);
        if (fixture == NULL || wg_context_create(&torch_table, &fixture->ctx) != WG_AOTI_OK ||
            wg_context_reserve(fixture->ctx, 8192) != WG_AOTI_OK) {
            abort();
        }
        fixture->one = &cases[i];
        fixture->saved = calloc(1, cases[i].saved_bytes + 8);
        return fixture;
    }
    return NULL;
}

/* A subclass over the next 2^depth of the tensors. */
static WgTensor *nest(WgContext *ctx, int32_t depth, struct AtenTensorOpaque ***next)
{
    WgTensor *attrs[2];
    WgTensor *made = NULL;
    if (depth == 0) {
        return wg_aoti_tensor(*(*next)++);
    }
    attrs[0] = nest(ctx, depth - 1, next);
    attrs[1] = nest(ctx, depth - 1, next);
    return wg_aoti_subclass(ctx, &TwoTensor, two_context, attrs, 2, NULL, &made) == WG_AOTI_OK ? made : NULL;
}

/* Takes the handles. `what`: arguments, results of the compiled function, saved tensors, unchecked ones, or the number
 * of outputs alone. 0 when all is well. */
int32_t ours_give(Fixture *fixture, char what, struct AtenTensorOpaque **handles, size_t n)
{
    const Case *one = fixture->one;
    WgTensor **saved = (void *)(fixture->saved + one->offset_tensors);
    int64_t *versions = (void *)(fixture->saved + one->offset_versions);
    WgTensor **unchecked = (void *)(fixture->saved + one->offset_unchecked);
    if (n > MOST) {
        return 1;
    }
    for (size_t i = 0; i < n && what != 'o'; i++) {
        WgTensor *t = wg_aoti_tensor(handles[i]);
        switch (what) {
        case 'a':
            fixture->args[i].tensor = t;
            break;
        case 'r':
            fixture->results[i].tensor = t;
            break;
        case 's':
            saved[i] = t;
            versions[i] = wg_version(fixture->ctx, t);
            break;
        default:
            unchecked[i] = t;
            break;
        }
    }
    if (what == 'a' && one->depth > 0) {
        fixture->args[0].tensor = nest(fixture->ctx, one->depth, &handles);
        n = 1;
    }
    fixture->num_args = what == 'a' ? n : fixture->num_args;
    fixture->num_results = what == 'r' ? n : fixture->num_results;
    fixture->num_outs = what == 'o' ? n : fixture->num_outs;
    return what == 'a' && fixture->args[0].tensor == NULL;
}

/* One call; its outputs are given away, of a subclass the plain tensors in it, and what a training graph saved is
 * dropped. Their number, or -1. */
int32_t ours_once(Fixture *fixture, struct AtenTensorOpaque **handles, size_t capacity)
{
    size_t n = 0;
    in_use = fixture;
    if (fixture->one->run(fixture->ctx, fixture->args, fixture->outs, fixture->saved) != WG_OK) {
        return -1;
    }
    for (size_t i = 0; i < fixture->num_outs && n < capacity; i++) {
        handles[n++] = wg_aoti_handle(fixture->outs[i].tensor);
    }
    return (int32_t)n;
}

const char *ours_why(const Fixture *fixture)
{
    static char text[1024];
    (void)wg_error_text(wg_error(fixture->ctx), text, sizeof text);
    return text;
}

/* ---- contestants ---- */

/* What a training graph saved is a reference each, which its caller releases. */
static void drop_saved(const Fixture *fixture, size_t num_saved)
{
    WgTensor **saved = (void *)(fixture->saved + fixture->one->offset_tensors);
    for (size_t i = 0; i < num_saved; i++) {
        wg_release(fixture->ctx, saved[i]);
    }
}

static int32_t ours(Fixture *fixture)
{
    const int32_t status = fixture->one->run(fixture->ctx, fixture->args, fixture->outs, fixture->saved);
    wg_release_run(fixture->ctx, fixture->outs, fixture->num_outs);
    if (fixture->one->saved_bytes != 0 && !fixture->one->is_backward) {
        drop_saved(fixture, fixture->num_results - fixture->num_outs);
    }
    return status;
}

static int32_t bare(Fixture *fixture)
{
    WgValue results[MOST];
    size_t n = MOST;
    int32_t (*volatile kernel)(WgContext *, const WgValue *, size_t, WgValue *, size_t *) = bench_kernel;
    const int32_t status = kernel(fixture->ctx, fixture->args, fixture->num_args, results, &n);
    wg_release_run(fixture->ctx, results, n);
    return status;
}

static int32_t read_facts(struct AtenTensorOpaque *t, int64_t *sum)
{
    int64_t rank = 0;
    int64_t *sizes = NULL;
    int64_t *strides = NULL;
    int32_t dtype = 0;
    int32_t layout = 0;
    const int32_t failed = aoti_torch_get_dim(t, &rank) | aoti_torch_get_dtype(t, &dtype) |
                           aoti_torch_get_sizes(t, &sizes) | aoti_torch_get_strides(t, &strides) |
                           aoti_torch_get_layout(t, &layout);
    for (int64_t i = 0; i < rank; i++) {
        *sum += sizes[i] - strides[i];
    }
    *sum += dtype + layout;
    return failed;
}

/* Only of cases without subclasses and merged inputs; else what is bare. */
static int32_t fewest(Fixture *fixture)
{
    const Case *one = fixture->one;
    WgValue results[MOST];
    size_t n = MOST;
    int64_t sum = 0;
    int32_t failed = 0;
    for (size_t i = 0; i < fixture->num_args && one->depth == 0; i++) {
        failed |= read_facts(wg_aoti_handle(fixture->args[i].tensor), &sum);
    }
    const bool grad_mode = aoti_torch_grad_mode_is_enabled();
    failed |= bench_kernel(fixture->ctx, fixture->args, fixture->num_args, results, &n);
    for (int32_t i = 0; i < one->num_written; i++) {
        failed |= aoti_torch_copy_(wg_aoti_handle(fixture->args[i].tensor), wg_aoti_handle(results[i].tensor), 0);
    }
    for (int32_t i = 0; i < one->num_aliases; i++) {
        WgGeometry geometry;
        WgTensor *result = results[one->num_written + i].tensor;
        struct AtenTensorOpaque *view = NULL;
        failed |= wg_aoti_geometry(result, &geometry);
        failed |=
            aoti_torch_as_strided(wg_aoti_handle(fixture->args[i].tensor), geometry.sizes, geometry.strides, &view);
        wg_release(fixture->ctx, wg_aoti_tensor(view));
    }
    wg_release_run(fixture->ctx, results, n);
    return failed | (sum == INT64_MIN) | (grad_mode && sum == INT64_MAX);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* Nanoseconds a call of `who`: 'o' ours, 'b' bare, 'f' floor; below 0 when one failed. */
double ours_time(Fixture *fixture, char who, int64_t calls)
{
    int32_t (*const run)(Fixture *) = who == 'o' ? ours : who == 'b' ? bare : fewest;
    int32_t failed = 0;
    in_use = fixture;
    const double begin = now();
    for (int64_t i = 0; i < calls; i++) {
        failed |= run(fixture);
    }
    return failed != 0 ? -1 : (now() - begin) / (double)calls;
}

/* ---- what one call of libtorch's C ABI costs ---- */

static int32_t shim(char which, struct AtenTensorOpaque *t, struct AtenTensorOpaque *other)
{
    struct AtenTensorOpaque *made = NULL;
    int64_t *sizes = NULL;
    int64_t *strides = NULL;
    int64_t version = 0;
    int32_t failed = 0;
    WgAotiCall call;
    switch (which) {
    case 'r': /* a read */
        return aoti_torch_get_sizes(t, &sizes);
    case 'h': /* a handle made and deleted */
        failed = aoti_torch_new_tensor_handle(t, &made);
        return failed | aoti_torch_delete_tensor_object(made);
    case 'c':
        return aoti_torch_copy_(t, other, 0);
    case 'v': /* a view, made and deleted */
        failed = aoti_torch_get_sizes(t, &sizes) | aoti_torch_get_strides(t, &strides);
        failed |= aoti_torch_as_strided(t, sizes, strides, &made);
        return failed | aoti_torch_delete_tensor_object(made);
    default: /* the cheapest operator by name */
        call = wg_aoti_begin(wg_aoti_tensor(t));
        return wg_aoti_run_integer(&call, "aten::_version", &version);
    }
}

double ours_shim(char which, struct AtenTensorOpaque *t, struct AtenTensorOpaque *other, int64_t calls)
{
    int32_t failed = 0;
    const double begin = now();
    for (int64_t i = 0; i < calls; i++) {
        failed |= shim(which, t, other);
    }
    return failed != 0 ? -1 : (now() - begin) / (double)calls;
}
