/* SPDX-License-Identifier: MIT */
/*
 * test_memory.c - every verb and function that allocates, with the n-th allocation failing, for each n until none
 * fails. After a failure: WG_NATIVE_E_MEMORY, out-parameters null, versions and geometry as they were, and nothing
 * leaks. Each case runs with an empty cache, so that every allocation there can be is made; rank 7 is more than an
 * object has room for.
 */
#include "check.h"
#include "tracking.h"

#include <string.h>

static const char *const two_names[] = {"a", "b"};
static const WgType two_type = {.name = "TwoTensor", .attribute_names = two_names, .num_attributes = 2};
static const int64_t sizes[7] = {1, 2, 1, 3, 1, 1, 2};

/* What the cases work on, made before failures begin. */
typedef struct Stage {
    WgContext *ctx;
    WgTensor *base;   /* float32, rank 7 */
    WgTensor *flat;   /* float32 [4], rank 1 */
    WgTensor *turned; /* float32, rank 2, over flat's memory, transposed */
    WgTensor *whole;  /* complex64, rank 7 */
    WgTensor *out;    /* what a case makes */
    WgTensor *out2;
} Stage;

static WgGeometry geometry_of(const WgTensor *t)
{
    const WgGeometry geometry = {t->sizes, t->strides, t->offset, t->rank};
    return geometry;
}

static int32_t do_zeros(Stage *stage)
{
    return wg_native_zeros(stage->ctx, WG_INT32, 7, sizes, &stage->out);
}

static int32_t do_verb_zeros(Stage *stage)
{
    return wg_zeros(stage->ctx, sizes, 7, WG_INT32, WG_CPU, &stage->out);
}

static int32_t do_empty_strided(Stage *stage)
{
    const WgGeometry geometry = geometry_of(stage->base);
    return wg_empty_strided(stage->ctx, &geometry, WG_INT32, WG_CPU, &stage->out);
}

static int32_t do_alias_like(Stage *stage)
{
    return wg_alias_like(stage->ctx, stage->base, stage->base, 1, &stage->out);
}

static int32_t do_alias_as(Stage *stage)
{
    const WgGeometry geometry = geometry_of(stage->base);
    return wg_alias_as(stage->ctx, stage->base, &geometry, WG_INT32, 0, &stage->out);
}

static int32_t do_as_strided(Stage *stage)
{
    const WgGeometry geometry = geometry_of(stage->base);
    return wg_as_strided(stage->ctx, stage->base, &geometry, &stage->out);
}

static int32_t do_view_dtype(Stage *stage)
{
    return wg_view_dtype(stage->ctx, stage->base, WG_INT16, &stage->out);
}

static int32_t do_view_same_size(Stage *stage)
{
    return wg_view_dtype(stage->ctx, stage->base, WG_INT32, &stage->out);
}

static int32_t do_view_as_real(Stage *stage)
{
    return wg_view_as_real(stage->ctx, stage->whole, &stage->out);
}

static int32_t do_view_as_complex(Stage *stage)
{
    return wg_view_as_complex(stage->ctx, stage->base, &stage->out);
}

static int32_t do_detach(Stage *stage)
{
    return wg_detach(stage->ctx, stage->base, &stage->out);
}

static int32_t do_unsafe_view(Stage *stage)
{
    return wg_unsafe_view(stage->ctx, stage->base, &stage->out);
}

static int32_t do_set(Stage *stage)
{
    return wg_set_(stage->ctx, stage->flat, stage->base);
}

static int32_t do_data(Stage *stage)
{
    return wg_shallow_copy_data_(stage->ctx, stage->flat, stage->base);
}

/* 12 elements that reach 12: flat's own 16 hold them */
static int32_t do_restride(Stage *stage)
{
    return wg_restride_like_(stage->ctx, stage->flat, stage->base);
}

static int32_t do_copy_onto_itself(Stage *stage)
{
    return wg_copy_(stage->ctx, stage->flat, stage->turned);
}

static int32_t do_rng_get(Stage *stage)
{
    return wg_rng_get(stage->ctx, &stage->out, &stage->out2);
}

static int32_t do_rebuild(Stage *stage)
{
    WgTensor *attrs[2];
    wg_retain(stage->ctx, stage->base, &attrs[0]);
    wg_retain(stage->ctx, stage->flat, &attrs[1]);
    return wg_rebuild(stage->ctx, &two_type, NULL, attrs, 2, NULL, &stage->out);
}

static int32_t do_patch(Stage *stage)
{
    WgTensor *view = NULL;
    wg_retain(stage->ctx, stage->base, &view);
    wg_set_requires_grad(stage->ctx, stage->base, 1);
    const int32_t status = wg_patch_requires_grad(stage->ctx, stage->base, &view, 0);
    CHECK((view == stage->base) == (status != 0)); /* replaced, or as it was */
    wg_release(stage->ctx, view);
    return status;
}

static int32_t do_reserve(Stage *stage)
{
    return wg_context_reserve(stage->ctx, 100);
}

static int32_t do_fork(Stage *stage)
{
    WgContext *fork = NULL;
    const int32_t status = wg_context_reserve(stage->ctx, 10);
    const int32_t forked = status != 0 ? status : wg_context_fork(stage->ctx, &fork);
    CHECK((fork == NULL) == (forked != 0));
    wg_context_destroy(fork);
    return forked;
}

static float borrowed[12];
static int num_freed;

static void note_freed(void *user, void *data)
{
    (void)user;
    (void)data;
    num_freed++;
}

static int32_t do_borrow(Stage *stage)
{
    const WgGeometry geometry = {stage->base->sizes, stage->base->strides, 0, 7};
    num_freed = 0;
    const int32_t status = wg_native_borrow(stage->ctx, borrowed, sizeof borrowed, &geometry, WG_FLOAT32, WG_CPU,
                                            note_freed, NULL, &stage->out);
    CHECK_EQUAL(num_freed, 0); /* refused memory stays the caller's */
    return status;
}

static int32_t do_begin(Stage *stage)
{
    const WgGeometry geometry = {stage->base->sizes, stage->base->strides, 0, 7};
    WgStorage storage;
    WgTensor tensor;
    const int32_t status =
        wg_native_begin(stage->ctx, borrowed, sizeof borrowed, &geometry, WG_FLOAT32, WG_CPU, &storage, &tensor);
    if (status == 0) {
        wg_native_end(stage->ctx, &tensor);
    }
    return status;
}

typedef struct Case {
    const char *name;
    int32_t (*act)(Stage *stage);
    int64_t num_allocations; /* of a cold call, counted by hand: object, its geometry, memory, block, ... */
} Case;

static const Case cases[] = {
    {"wg_native_zeros", do_zeros, 5}, /* object and geometry to lend its strides, storage, object, geometry */
    {"wg_zeros", do_verb_zeros, 5},
    {"wg_empty_strided", do_empty_strided, 3},
    {"wg_native_borrow", do_borrow, 3},
    {"wg_native_begin", do_begin, 1},
    {"wg_alias_like", do_alias_like, 2},
    {"wg_alias_as", do_alias_as, 2},
    {"wg_as_strided", do_as_strided, 2},
    {"wg_view_dtype to smaller elements", do_view_dtype, 2},
    {"wg_view_dtype to elements of one size", do_view_same_size, 2},
    {"wg_view_as_real", do_view_as_real, 2},
    {"wg_view_as_complex", do_view_as_complex, 1}, /* rank 6 */
    {"wg_detach", do_detach, 2},
    {"wg_unsafe_view", do_unsafe_view, 2},
    {"wg_set_", do_set, 1},
    {"wg_shallow_copy_data_", do_data, 1},
    {"wg_restride_like_", do_restride, 1},
    {"wg_copy_ of overlapping memory", do_copy_onto_itself, 1},
    {"wg_rng_get", do_rng_get, 4},
    {"wg_rebuild", do_rebuild, 3},
    {"wg_patch_requires_grad", do_patch, 2},
    {"wg_context_reserve", do_reserve, 1},
    {"wg_context_fork", do_fork, 3},
};

static void open_stage(Stage *stage, Tracking *tracking)
{
    const WgGeometry turned = {(const int64_t[]){2, 2}, (const int64_t[]){1, 2}, 0, 2};
    const WgGeometry square = {(const int64_t[]){2, 2}, (const int64_t[]){2, 1}, 0, 2};
    WgTensor *memory = NULL;
    memset(stage, 0, sizeof *stage);
    tracking_begin(tracking);
    CHECK_EQUAL(wg_context_create(&tracking->allocator, &stage->ctx), 0);
    CHECK_EQUAL(wg_native_zeros(stage->ctx, WG_FLOAT32, 1, (int64_t[]){16}, &memory), 0);
    for (int i = 0; i < 16; i++) {
        wg_native_set_real(memory, i, i);
    }
    CHECK_EQUAL(wg_as_strided(stage->ctx, memory, &square, &stage->flat), 0);
    CHECK_EQUAL(wg_as_strided(stage->ctx, memory, &turned, &stage->turned), 0);
    wg_release(stage->ctx, memory);
    CHECK_EQUAL(wg_native_zeros(stage->ctx, WG_FLOAT32, 7, sizes, &stage->base), 0);
    CHECK_EQUAL(wg_native_zeros(stage->ctx, WG_COMPLEX64, 7, sizes, &stage->whole), 0);
    WgTensor *held[WG_NATIVE_CACHED_TENSORS]; /* empty the cache */
    int num_held = 0;
    while (stage->ctx->num_cached > 0) {
        CHECK_EQUAL(wg_detach(stage->ctx, stage->flat, &held[num_held]), 0);
        num_held++;
    }
    stage->ctx->num_cached = WG_NATIVE_CACHED_TENSORS; /* say that it is full: they go back to the allocator */
    for (int i = 0; i < num_held; i++) {
        wg_release(stage->ctx, held[i]);
    }
    stage->ctx->num_cached = 0;
}

static void close_stage(Stage *stage, const Tracking *tracking)
{
    WgTensor *all[] = {stage->base, stage->flat, stage->turned, stage->whole, stage->out, stage->out2};
    for (int i = 0; i < 6; i++) {
        wg_release(stage->ctx, all[i]);
    }
    wg_context_destroy(stage->ctx);
    CHECK_EQUAL(tracking->live_blocks, 0);
    CHECK_EQUAL(tracking->live_bytes, 0);
}

/* flat still is [[0, 1], [2, 3]] at version 0. */
static void check_untouched(const Stage *stage)
{
    CHECK_EQUAL(wg_rank(stage->ctx, stage->flat), 2);
    CHECK_EQUAL(wg_version(stage->ctx, stage->flat), 0);
    CHECK_EQUAL(wg_version(stage->ctx, stage->base), 0);
    for (int i = 0; i < 4; i++) {
        CHECK(wg_native_real(stage->flat, i) == i);
    }
}

static void check_case(const Case *one)
{
    int64_t n = 1;
    for (int done = 0; !done && n < 20; n++) {
        Stage stage;
        Tracking tracking;
        open_stage(&stage, &tracking);
        tracking.num_allocations = 0;
        tracking.fail_at = n;
        const int32_t status = one->act(&stage);
        done = tracking.num_allocations < n;
        tracking.fail_at = 0;
        CHECK_EQUAL(status, done ? WG_NATIVE_OK : WG_NATIVE_E_MEMORY);
        if (status != 0) {
            CHECK(stage.out == NULL && stage.out2 == NULL);
            check_untouched(&stage);
        }
        close_stage(&stage, &tracking);
    }
    CHECK_EQUAL(n - 2, one->num_allocations);
}

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int bad = check_bad;
        check_case(&cases[i]);
        if (bad != check_bad) {
            printf("# in: %s\n", cases[i].name);
        }
    }
}

static void test_context(void)
{
    Tracking tracking;
    WgContext *ctx = NULL;
    tracking_begin(&tracking);
    tracking.fail_at = 1;
    CHECK_EQUAL(wg_context_create(&tracking.allocator, &ctx), WG_NATIVE_E_MEMORY);
    CHECK(ctx == NULL);
    CHECK_EQUAL(tracking.live_blocks, 0);
}

int main(void)
{
    run("each allocation of each verb may fail", test_cases);
    run("so may that of a context", test_context);
    return finish();
}
