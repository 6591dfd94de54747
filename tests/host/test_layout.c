/* SPDX-License-Identifier: MIT */
/*
 * test_layout.c - memory formats: what geometry is in which, and where wg_contiguous() brings it. All expected values
 * are PyTorch's (make_layouts.py).
 */
#include "check.h"
#include "tracking.h"
#include "wg_layout.h"

typedef struct Layout {
    int32_t rank;
    int64_t sizes[5];
    int64_t strides[5];
    int32_t format;
    int is_in_format;
    int64_t dense[5];
} Layout;

#define LIST(...)                                                                                                      \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define LAYOUT(rank, sizes, strides, format, is_in_format, dense) {rank, sizes, strides, format, is_in_format, dense},
static const Layout layouts[] = {
#include "layouts.inc"
};
#undef LAYOUT
#undef LIST

enum { NUM_LAYOUTS = sizeof layouts / sizeof layouts[0] };

static void test_formats(void)
{
    int found[2] = {0, 0};
    for (int i = 0; i < NUM_LAYOUTS; i++) {
        const Layout *row = &layouts[i];
        CHECK_EQUAL(wg_is_in_format(row->format, row->rank, row->sizes, row->strides), row->is_in_format);
        found[row->is_in_format]++;
    }
    CHECK(found[0] > 50 && found[1] > 50);
}

static void test_strides(void)
{
    for (int i = 0; i < NUM_LAYOUTS; i++) {
        const Layout *row = &layouts[i];
        int64_t strides[5] = {0};
        wg_format_strides(row->format, row->rank, row->sizes, strides);
        for (int32_t d = 0; d < row->rank && !row->is_in_format; d++) {
            CHECK_EQUAL(strides[d], row->dense[d]);
        }
    }
}

static void test_ranks(void)
{
    for (int32_t rank = 0; rank < 7; rank++) {
        CHECK(wg_format_has_rank(WG_CONTIGUOUS, rank));
        CHECK_EQUAL(wg_format_has_rank(WG_CHANNELS_LAST, rank), rank == 4);
        CHECK_EQUAL(wg_format_has_rank(WG_CHANNELS_LAST_3D, rank), rank == 5);
        CHECK(!wg_format_has_rank(1, rank)); /* preserve_format says nothing about a tensor */
    }
    CHECK(!wg_is_in_format(WG_CHANNELS_LAST, 2, (int64_t[]){1, 1}, (int64_t[]){1, 1}));
}

/* Where the n-th element in row-major order is. */
static float *element(const WgTensor *t, int64_t n)
{
    float *values = (float *)(void *)t->data;
    int64_t rest = n;
    for (int32_t d = t->rank - 1; d >= 0; d--) {
        values += rest % t->sizes[d] * t->strides[d];
        rest /= t->sizes[d];
    }
    return values;
}

static void bring(WgContext *ctx, const Layout *row)
{
    const WgGeometry geometry = {row->sizes, row->strides, 0, row->rank};
    WgTensor *t = NULL;
    WgTensor *made = NULL;
    CHECK_EQUAL(wg_empty_strided(ctx, &geometry, WG_FLOAT32, WG_CPU * 256, &t), 0);
    for (int64_t i = 0; i < t->reach_bytes / (int64_t)sizeof(float); i++) {
        ((float *)(void *)t->data)[i] = (float)i;
    }
    CHECK_EQUAL(wg_contiguous(ctx, t, row->format, &made), 0);
    CHECK_EQUAL(made == t, row->is_in_format);
    for (int32_t d = 0; d < row->rank; d++) {
        CHECK_EQUAL(made->strides[d], row->dense[d]);
    }
    for (int64_t n = 0; n < t->num_elements; n++) {
        CHECK_EQUAL(*element(made, n), *element(t, n));
    }
    wg_release(ctx, made);
    wg_release(ctx, t);
}

static void test_contiguous(void)
{
    Tracking tracking;
    WgContext *ctx = NULL;
    tracking_begin(&tracking);
    CHECK_EQUAL(wg_context_create(&tracking.allocator, &ctx), 0);
    for (int i = 0; i < NUM_LAYOUTS; i++) {
        bring(ctx, &layouts[i]);
    }
    wg_context_destroy(ctx);
    CHECK_EQUAL(tracking.live_blocks, 0);
}

int main(void)
{
    run("a geometry is in the formats that PyTorch says", test_formats);
    run("dense strides are PyTorch's", test_strides);
    run("a format has its ranks", test_ranks);
    run("wg_contiguous gives the tensor itself or a copy with PyTorch's strides", test_contiguous);
    return finish();
}
