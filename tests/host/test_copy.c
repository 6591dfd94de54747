/* SPDX-License-Identifier: MIT */
/*
 * test_copy.c - wg_copy_ and wg_copy_leaf_: geometry, overlap, refusals, flags. Expected values: by hand where they are
 * written out; else those of reference_copy() below, which goes element by element and knows nothing of plans. Refusals
 * are PyTorch's, measured with 2.13; the message is quoted next to each.
 */
#include "check.h"
#include "tracking.h"
#include "wg_copy.h"

#include <string.h>

enum { BUFFER = 4096, MAX_RANK = 9 };

static WgContext *open_context(Tracking *tracking)
{
    WgContext *ctx = NULL;
    tracking_begin(tracking);
    CHECK_EQUAL(wg_context_create(&tracking->allocator, &ctx), 0);
    return ctx;
}

static void close_context(WgContext *ctx, const Tracking *tracking)
{
    wg_context_destroy(ctx);
    CHECK_EQUAL(tracking->live_blocks, 0);
    CHECK_EQUAL(tracking->live_bytes, 0);
}

/* A float32 tensor over `values` with literal sizes and strides. */
static WgTensor *over(WgContext *ctx, float *values, int64_t n, int32_t rank, const int64_t *sizes,
                      const int64_t *strides, int64_t offset)
{
    WgTensor *t = NULL;
    const WgGeometry geometry = {sizes, strides, offset, rank};
    CHECK_EQUAL(wg_native_borrow(ctx, values, n * 4, &geometry, WG_FLOAT32, WG_CPU, NULL, NULL, &t), 0);
    return t;
}

/* ---- a reference that cannot be clever ---- */

typedef struct Side {
    unsigned char bytes[BUFFER];
    int64_t sizes[MAX_RANK];
    int64_t strides[MAX_RANK];
    int64_t offset;
    int32_t rank;
    int32_t dtype;
} Side;

/* Position `linear` of dst's shape, in row-major order, as an element offset into src, which is broadcast to that
 * shape. */
static int64_t where(const Side *shape, const Side *side, int64_t linear)
{
    int64_t at = side->offset;
    for (int32_t i = shape->rank; i-- > 0;) {
        const int64_t index = linear % shape->sizes[i];
        const int32_t own = i - (shape->rank - side->rank);
        linear /= shape->sizes[i];
        if (own >= 0 && side->sizes[own] != 1) {
            at += index * side->strides[own];
        }
    }
    return at;
}

static void reference_copy(Side *dst, const Side *src, const unsigned char *src_bytes)
{
    const int32_t to = wg_dtype_size(dst->dtype);
    const int32_t from = wg_dtype_size(src->dtype);
    int64_t n = 1;
    for (int32_t i = 0; i < dst->rank; i++) {
        n *= dst->sizes[i];
    }
    for (int64_t i = 0; i < n; i++) {
        wg_convert_row(1, dst->dtype, (char *)dst->bytes + where(dst, dst, i) * to, to, src->dtype,
                       (const char *)src_bytes + where(dst, src, i) * from, from);
    }
}

/* ---- random geometries ---- */

static uint64_t seed = 12345;

static int64_t random_below(int64_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((seed >> 33) % (uint64_t)n);
}

static const int32_t some_dtypes[] = {WG_FLOAT32, WG_INT8,      WG_BFLOAT16,  WG_FLOAT64,
                                      WG_INT16,   WG_COMPLEX64, WG_COMPLEX128};

/* Strides such that no element repeats: dimensions in a random order, each stepping over all before it and a gap. */
static void random_strides(Side *side, int gaps)
{
    int32_t order[MAX_RANK];
    int64_t reach = 1;
    for (int32_t i = 0; i < side->rank; i++) {
        const int32_t at = (int32_t)random_below(i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (int32_t i = 0; i < side->rank; i++) {
        const int32_t d = order[i];
        side->strides[d] = reach + (gaps ? random_below(2) : 0);
        reach = (side->sizes[d] > 1 ? side->sizes[d] - 1 : 0) * side->strides[d] + reach;
    }
    side->offset = random_below(5);
}

static void random_pair(Side *dst, Side *src)
{
    dst->rank = (int32_t)random_below(6);
    dst->dtype = some_dtypes[random_below(7)];
    src->dtype = random_below(2) ? dst->dtype : some_dtypes[random_below(7)];
    for (int32_t i = 0; i < dst->rank; i++) {
        dst->sizes[i] = random_below(12) == 0 ? 0 : 1 + random_below(3);
    }
    random_strides(dst, random_below(2) == 0);
    src->rank = (int32_t)random_below(dst->rank + 1);
    for (int32_t i = 0; i < src->rank; i++) {
        const int64_t size = dst->sizes[i + dst->rank - src->rank];
        src->sizes[i] = random_below(4) == 0 ? 1 : size;
    }
    random_strides(src, random_below(2) == 0);
    for (int32_t i = 0; i < src->rank; i++) { /* a source may be expanded */
        src->strides[i] = random_below(6) == 0 ? 0 : src->strides[i];
    }
    for (int64_t i = 0; i < BUFFER; i++) { /* small numbers in every dtype: no NaN, whose bits are free */
        dst->bytes[i] = (unsigned char)(random_below(16) * 3);
        src->bytes[i] = (unsigned char)(random_below(16) * 3);
    }
}

static WgTensor *tensor_of(WgContext *ctx, Side *side, unsigned char *bytes)
{
    WgTensor *t = NULL;
    const WgGeometry geometry = {side->sizes, side->strides, side->offset, side->rank};
    CHECK_EQUAL(wg_native_borrow(ctx, bytes, BUFFER, &geometry, side->dtype, WG_CPU, NULL, NULL, &t), 0);
    return t;
}

static void test_random(void)
{
    static Side dst;
    static Side src;
    static Side expected;
    Tracking tracking;
    WgContext *ctx = open_context(&tracking);
    for (int round = 0; round < 4000 && check_bad == 0; round++) {
        random_pair(&dst, &src);
        expected = dst;
        reference_copy(&expected, &src, src.bytes);
        WgTensor *to = tensor_of(ctx, &dst, dst.bytes);
        WgTensor *from = tensor_of(ctx, &src, src.bytes);
        CHECK_EQUAL(wg_copy_(ctx, to, from), 0);
        CHECK(memcmp(dst.bytes, expected.bytes, BUFFER) == 0);
        wg_release(ctx, to);
        wg_release(ctx, from);
    }
    close_context(ctx, &tracking);
}

/* Both sides in one buffer: as if the source had been copied away first. */
static void test_random_overlap(void)
{
    static Side dst;
    static Side src;
    static Side expected;
    Tracking tracking;
    WgContext *ctx = open_context(&tracking);
    for (int round = 0; round < 4000 && check_bad == 0; round++) {
        random_pair(&dst, &src);
        expected = dst;
        reference_copy(&expected, &src, dst.bytes);
        WgTensor *to = tensor_of(ctx, &dst, dst.bytes);
        WgTensor *from = tensor_of(ctx, &src, dst.bytes);
        CHECK_EQUAL(wg_copy_(ctx, to, from), 0);
        CHECK(memcmp(dst.bytes, expected.bytes, BUFFER) == 0);
        wg_release(ctx, to);
        wg_release(ctx, from);
    }
    close_context(ctx, &tracking);
}

/* ---- by hand ---- */

static void test_transpose_in_place(void)
{
    Tracking tracking;
    WgContext *ctx = open_context(&tracking);
    float x[6] = {0, 1, 2, 3, 4, 5};
    const float expected[6] = {0, 3, 1, 4, 2, 5};
    WgTensor *dst = over(ctx, x, 6, 2, (int64_t[]){3, 2}, (int64_t[]){2, 1}, 0);
    WgTensor *src = over(ctx, x, 6, 2, (int64_t[]){3, 2}, (int64_t[]){1, 3}, 0);
    CHECK_EQUAL(wg_copy_(ctx, dst, src), 0);
    CHECK(memcmp(x, expected, sizeof x) == 0);
    wg_release(ctx, dst);
    wg_release(ctx, src);
    close_context(ctx, &tracking);
}

static void test_shift_in_place(void)
{
    Tracking tracking;
    WgContext *ctx = open_context(&tracking);
    float x[5] = {0, 1, 2, 3, 4};
    const float expected[5] = {0, 0, 1, 2, 3};
    WgTensor *dst = over(ctx, x, 5, 1, (int64_t[]){4}, (int64_t[]){1}, 1);
    WgTensor *src = over(ctx, x, 5, 1, (int64_t[]){4}, (int64_t[]){1}, 0);
    CHECK_EQUAL(wg_copy_(ctx, dst, src), 0);
    CHECK(memcmp(x, expected, sizeof x) == 0);
    wg_release(ctx, dst);
    wg_release(ctx, src);
    close_context(ctx, &tracking);
}

static void test_expanded_destination(void)
{
    Tracking tracking;
    WgContext *ctx = open_context(&tracking);
    float x[4] = {1, 2, 3, 4};
    float y[9] = {5, 5, 5, 5, 5, 5, 5, 5, 5};
    WgTensor *expanded = over(ctx, x, 4, 1, (int64_t[]){3}, (int64_t[]){0}, 0);
    WgTensor *one = over(ctx, x, 4, 1, (int64_t[]){1}, (int64_t[]){0}, 0);
    WgTensor *empty = over(ctx, x, 4, 2, (int64_t[]){3, 0}, (int64_t[]){0, 1}, 0);
    WgTensor *three = over(ctx, y, 9, 1, (int64_t[]){3}, (int64_t[]){1}, 0);
    WgTensor *scalar = over(ctx, y, 9, 0, NULL, NULL, 0);
    /* "unsupported operation: more than one element of the written-to tensor refers to a single memory location" */
    CHECK_EQUAL(wg_copy_(ctx, expanded, three), WG_NATIVE_E_OVERLAP);
    CHECK_EQUAL(wg_copy_(ctx, expanded, scalar), WG_NATIVE_E_OVERLAP);
    CHECK(x[0] == 1);
    CHECK_EQUAL(wg_version(ctx, expanded), 0);
    /* torch.zeros(1).expand(1) and torch.zeros(0).expand(3, 0) are written without complaint */
    CHECK_EQUAL(wg_copy_(ctx, one, scalar), 0);
    CHECK(x[0] == 5);
    CHECK_EQUAL(wg_copy_(ctx, empty, scalar), 0);
    WgTensor *all[] = {expanded, one, empty, three, scalar};
    for (int i = 0; i < 5; i++) {
        wg_release(ctx, all[i]);
    }
    close_context(ctx, &tracking);
}

static void test_shapes_that_do_not_fit(void)
{
    Tracking tracking;
    WgContext *ctx = open_context(&tracking);
    float x[6] = {0};
    WgTensor *three = over(ctx, x, 6, 1, (int64_t[]){3}, (int64_t[]){1}, 0);
    WgTensor *two = over(ctx, x, 6, 1, (int64_t[]){2}, (int64_t[]){1}, 3);
    WgTensor *one_three = over(ctx, x, 6, 2, (int64_t[]){1, 3}, (int64_t[]){3, 1}, 0);
    WgTensor *none = over(ctx, x, 6, 1, (int64_t[]){0}, (int64_t[]){1}, 0);
    /* "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0" */
    CHECK_EQUAL(wg_copy_(ctx, three, two), WG_NATIVE_E_SHAPE);
    /* "output with shape [3] doesn't match the broadcast shape [1, 3]" */
    CHECK_EQUAL(wg_copy_(ctx, three, one_three), WG_NATIVE_E_SHAPE);
    CHECK_EQUAL(wg_copy_(ctx, three, none), WG_NATIVE_E_SHAPE);
    CHECK_EQUAL(wg_copy_(ctx, one_three, three), 0);
    WgTensor *all[] = {three, two, one_three, none};
    for (int i = 0; i < 4; i++) {
        wg_release(ctx, all[i]);
    }
    close_context(ctx, &tracking);
}

static void test_devices(void)
{
    Tracking tracking;
    WgContext *ctx = open_context(&tracking);
    float x[2] = {0};
    WgTensor *here = over(ctx, x, 2, 1, (int64_t[]){2}, (int64_t[]){1}, 0);
    WgTensor *there = NULL;
    WgTensor *meta = NULL;
    const WgGeometry geometry = {(int64_t[]){2}, (int64_t[]){1}, 0, 1};
    CHECK_EQUAL(wg_native_borrow(ctx, x, 8, &geometry, WG_FLOAT32, WG_CUDA * 256 + 1, NULL, NULL, &there), 0);
    CHECK_EQUAL(wg_empty_strided(ctx, &geometry, WG_FLOAT32, WG_META * 256, &meta), 0);
    CHECK_EQUAL(wg_copy_(ctx, here, there), WG_NATIVE_E_DEVICE);
    CHECK_EQUAL(wg_copy_(ctx, there, here), WG_NATIVE_E_DEVICE);
    CHECK_EQUAL(wg_copy_(ctx, meta, here), WG_NATIVE_E_DEVICE);
    CHECK(wg_data(ctx, meta) == NULL);
    wg_release(ctx, here);
    wg_release(ctx, there);
    wg_release(ctx, meta);
    close_context(ctx, &tracking);
}

/* Rank 70, more than PyTorch's 64: two dimensions that matter between 68 of size 1, read transposed. */
static void test_high_rank(void)
{
    Tracking tracking;
    WgContext *ctx = open_context(&tracking);
    float x[6] = {0, 1, 2, 3, 4, 5};
    int64_t sizes[70];
    int64_t strides[70];
    for (int i = 0; i < 70; i++) {
        sizes[i] = 1;
        strides[i] = 1000;
    }
    sizes[7] = 3;
    strides[7] = 1;
    sizes[60] = 2;
    strides[60] = 3;
    WgTensor *src = over(ctx, x, 6, 70, sizes, strides, 0);
    WgTensor *dst = NULL;
    CHECK_EQUAL(wg_native_zeros(ctx, WG_INT64, 70, sizes, &dst), 0);
    CHECK_EQUAL(wg_copy_(ctx, dst, src), 0);
    const int64_t expected[6] = {0, 3, 1, 4, 2, 5};
    for (int i = 0; i < 6; i++) {
        CHECK_EQUAL(wg_native_integer(dst, i), expected[i]);
    }
    wg_release(ctx, dst);
    wg_release(ctx, src);
    close_context(ctx, &tracking);
}

/* Twenty dimensions of size 2 whose order is reversed, so that none merge: element i goes where its bits are mirrored.
 */
static void test_many_dimensions(void)
{
    Tracking tracking;
    WgContext *ctx = open_context(&tracking);
    enum { N = 20 };
    int64_t sizes[N];
    int64_t reversed[N];
    WgTensor *dst = NULL;
    WgTensor *src = NULL;
    for (int i = 0; i < N; i++) {
        sizes[i] = 2;
        reversed[i] = INT64_C(1) << i;
    }
    CHECK_EQUAL(wg_native_zeros(ctx, WG_INT32, N, sizes, &dst), 0);
    const WgGeometry geometry = {sizes, reversed, 0, N};
    CHECK_EQUAL(wg_empty_strided(ctx, &geometry, WG_INT32, WG_CPU, &src), 0);
    int32_t *values = wg_data(ctx, src);
    for (int32_t i = 0; i < 1 << N; i++) {
        values[i] = i;
    }
    CHECK_EQUAL(wg_copy_(ctx, dst, src), 0);
    const int32_t *found = wg_data(ctx, dst);
    int bad = 0;
    for (int32_t i = 0; i < 1 << N; i++) { /* the index with its bits reversed */
        int32_t mirrored = 0;
        for (int bit = 0; bit < N; bit++) {
            mirrored |= (i >> bit & 1) << (N - 1 - bit);
        }
        bad += found[i] != mirrored;
    }
    CHECK_EQUAL(bad, 0);
    wg_release(ctx, dst);
    wg_release(ctx, src);
    close_context(ctx, &tracking);
}

/* A misaligned buffer: the copy does not care. */
static void test_misaligned(void)
{
    Tracking tracking;
    WgContext *ctx = open_context(&tracking);
    unsigned char bytes[64] = {0};
    double value = 2.5;
    WgTensor *src = NULL;
    WgTensor *dst = NULL;
    const WgGeometry geometry = {(int64_t[]){2}, (int64_t[]){1}, 0, 1};
    memcpy(bytes + 1, &value, 8);
    CHECK_EQUAL(wg_native_borrow(ctx, bytes + 1, 16, &geometry, WG_FLOAT64, WG_CPU, NULL, NULL, &src), 0);
    CHECK_EQUAL(wg_native_borrow(ctx, bytes + 33, 8, &geometry, WG_FLOAT32, WG_CPU, NULL, NULL, &dst), 0);
    CHECK_EQUAL(wg_copy_(ctx, dst, src), 0);
    CHECK(wg_native_real(dst, 0) == 2.5);
    wg_release(ctx, dst);
    wg_release(ctx, src);
    close_context(ctx, &tracking);
}

int main(void)
{
    run("4000 random pairs of geometries and dtypes copy as an element by element loop does", test_random);
    run("4000 random overlapping pairs copy as if the source had been read first", test_random_overlap);
    run("a tensor is copied onto its own transpose", test_transpose_in_place);
    run("a tensor is shifted onto itself", test_shift_in_place);
    run("an expanded destination is refused, an expanded one without repetition is not", test_expanded_destination);
    run("a source that cannot be broadcast is refused", test_shapes_that_do_not_fit);
    run("memory of another device is refused", test_devices);
    run("rank 70 is copied", test_high_rank);
    run("twenty dimensions in reverse order are copied", test_many_dimensions);
    run("misaligned memory is copied", test_misaligned);
    return finish();
}
