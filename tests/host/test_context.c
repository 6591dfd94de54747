/* SPDX-License-Identifier: MIT */
/*
 * test_context.c - what a context keeps: modes, scratch, random numbers; and the marks that a tensor carries.
 */
#include "check.h"
#include "tracking.h"

#include <string.h>

static Tracking tracking;
static WgContext *ctx;

static void begin(void)
{
    tracking_begin(&tracking);
    CHECK_EQUAL(wg_context_create(&tracking.allocator, &ctx), 0);
}

static void end(void)
{
    wg_context_destroy(ctx);
    CHECK_EQUAL(tracking.live_blocks, 0);
    CHECK_EQUAL(tracking.live_bytes, 0);
}

static void test_context(void)
{
    begin();
    CHECK(wg_grad_mode(ctx));
    CHECK(!wg_view_replay(ctx) && !wg_deterministic(ctx));
    CHECK_EQUAL(wg_autocast_off(ctx), 0);
    wg_set_grad_mode(ctx, 0);
    wg_set_view_replay(ctx, 1);
    wg_context_set_deterministic(ctx, 1);
    wg_context_set_autocast(ctx, 5);
    wg_context_set_rng(ctx, 42, 8);
    CHECK_EQUAL(wg_context_reserve(ctx, 10), 0);
    const WgSite site = {"g", NULL, NULL, WG_E_NULL, WG_KIND_NONE};
    CHECK_EQUAL(wg_fail(ctx, &site, -1, wg_value_integer(0), wg_value_integer(0)), WG_E_NULL);
    WgContext *fork = NULL;
    CHECK_EQUAL(wg_context_fork(ctx, &fork), 0);
    CHECK(!wg_grad_mode(fork) && wg_view_replay(fork) && wg_deterministic(fork));
    CHECK(wg_error(fork)->site == NULL && wg_error(ctx)->site == &site);
    CHECK_EQUAL(fork->rng_seed, 42);
    CHECK_EQUAL(fork->rng_offset, 8);
    const uint32_t saved = wg_autocast_off(fork);
    CHECK_EQUAL(saved, 5);
    CHECK_EQUAL(wg_autocast_off(fork), 0);
    wg_autocast_restore(fork, saved);
    CHECK_EQUAL(wg_autocast_off(fork), 5);
    CHECK_EQUAL(wg_autocast_off(ctx), 5);
    CHECK(wg_scratch_take(fork, 10) != NULL);
    wg_context_destroy(fork);
    wg_context_destroy(NULL);
    end();
}

static void test_scratch(void)
{
    begin();
    CHECK(wg_scratch_take(ctx, 1) == NULL);
    CHECK_EQUAL(wg_context_reserve(ctx, 7), 0);
    WgValue *first = wg_scratch_take(ctx, 4);
    WgValue *second = wg_scratch_take(ctx, 3);
    CHECK(first != NULL && second == first + 4);
    CHECK(wg_scratch_take(ctx, 1) == NULL);
    CHECK(wg_scratch_take(ctx, SIZE_MAX) == NULL);
    CHECK_EQUAL(wg_context_reserve(ctx, 100), WG_NATIVE_E_ARGUMENT); /* it would move */
    wg_scratch_give(ctx, 3);
    CHECK(wg_scratch_take(ctx, 2) == second);
    wg_scratch_give(ctx, 2);
    wg_scratch_give(ctx, 4);
    CHECK_EQUAL(wg_context_reserve(ctx, 3), 0);
    CHECK(wg_scratch_take(ctx, 7) != NULL); /* it never shrinks */
    wg_scratch_give(ctx, 7);
    CHECK_EQUAL(wg_context_reserve(ctx, SIZE_MAX), WG_NATIVE_E_OVERFLOW);
    end();
}

static void test_rng(void)
{
    begin();
    WgTensor *seed = NULL;
    WgTensor *offset = NULL;
    WgTensor *wrong = NULL;
    wg_context_set_rng(ctx, -3, 16);
    CHECK_EQUAL(wg_rng_get(ctx, &seed, &offset), 0);
    CHECK_EQUAL(wg_rank(ctx, seed), 0);
    CHECK_EQUAL(wg_dtype(ctx, offset), WG_INT64);
    CHECK_EQUAL(wg_native_integer(seed, 0), -3);
    CHECK_EQUAL(wg_native_integer(offset, 0), 16);
    wg_native_set_integer(offset, 0, 20);
    CHECK_EQUAL(wg_rng_set(ctx, offset), 0);
    wg_native_set_integer(offset, 0, -1);
    CHECK_EQUAL(wg_rng_set(ctx, offset), WG_NATIVE_E_VALUE);
    CHECK_EQUAL(wg_native_zeros(ctx, WG_FLOAT32, 0, NULL, &wrong), 0);
    CHECK_EQUAL(wg_rng_set(ctx, wrong), WG_NATIVE_E_VALUE);
    wg_release(ctx, wrong);
    CHECK_EQUAL(wg_native_zeros(ctx, WG_INT64, 1, (int64_t[]){2}, &wrong), 0);
    CHECK_EQUAL(wg_rng_set(ctx, wrong), WG_NATIVE_E_VALUE);
    wg_release(ctx, wrong);
    wg_release(ctx, seed);
    wg_release(ctx, offset);
    CHECK_EQUAL(wg_rng_get(ctx, &seed, &offset), 0);
    CHECK_EQUAL(wg_native_integer(offset, 0), 20);
    wg_release(ctx, seed);
    wg_release(ctx, offset);
    end();
}

static void test_marks(void)
{
    begin();
    WgTensor *t = NULL;
    int64_t sizes[70];
    for (int i = 0; i < 70; i++) {
        sizes[i] = 1;
    }
    CHECK_EQUAL(wg_native_zeros(ctx, WG_INT8, 70, sizes, &t), 0);
    CHECK_EQUAL(wg_mark_dynamic(ctx, t, (int32_t[]){0, 63}, 2), 0);
    CHECK_EQUAL(wg_mark_dynamic(ctx, t, (int32_t[]){5, 70}, 2), WG_NATIVE_E_DIMENSION);
    CHECK_EQUAL(wg_mark_dynamic(ctx, t, (int32_t[]){-1}, 1), WG_NATIVE_E_DIMENSION);
    CHECK_EQUAL(wg_mark_dynamic(ctx, t, (int32_t[]){64}, 1), WG_NATIVE_E_DIMENSION);
    for (int32_t i = -1; i < 72; i++) {
        CHECK_EQUAL(wg_native_is_marked(t, i), i == 0 || i == 63);
    }
    wg_release(ctx, t);
    CHECK_EQUAL(wg_native_zeros(ctx, WG_INT8, 1, sizes, &t), 0); /* the same object from the cache: no marks left */
    CHECK(!wg_native_is_marked(t, 0));
    wg_release(ctx, t);
    end();
}

int main(void)
{
    run("modes are kept and forked, errors are not", test_context);
    run("scratch is a stack of fixed size", test_scratch);
    run("random numbers: seed and offset go out, a checked offset comes in", test_rng);
    run("dynamic marks can be read, and do not outlive the tensor", test_marks);
    return finish();
}
