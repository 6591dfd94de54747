/* SPDX-License-Identifier: MIT */
/*
 * test_tensor.c - making and ending tensors and storages: who owns what, what is refused, what is allocated.
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

static int64_t num_freed;

static void note_freed(void *user, void *data)
{
    num_freed++;
    CHECK(user == &num_freed);
    CHECK(data != NULL);
}

static void test_fields(void)
{
    begin();
    WgTensor *t = NULL;
    CHECK_EQUAL(wg_native_zeros(ctx, WG_INT16, 3, (int64_t[]){2, 3, 4}, &t), 0);
    CHECK_EQUAL(wg_rank(ctx, t), 3);
    CHECK_EQUAL(wg_size(ctx, t, 1), 3);
    CHECK_EQUAL(wg_stride(ctx, t, 0), 12);
    CHECK_EQUAL(wg_sizes(ctx, t)[2], 4);
    CHECK_EQUAL(wg_strides(ctx, t)[1], 4);
    CHECK_EQUAL(wg_offset(ctx, t), 0);
    CHECK_EQUAL(wg_dtype(ctx, t), WG_INT16);
    CHECK_EQUAL(wg_device(ctx, t), WG_CPU);
    CHECK_EQUAL((uintptr_t)wg_data(ctx, t) % 64, 0);
    CHECK(wg_is_plain(ctx, t) && !wg_requires_grad(ctx, t) && t->is_leaf && t->is_compact);
    CHECK_EQUAL(t->num_elements, 24);
    CHECK_EQUAL(t->reach_bytes, 48);
    CHECK_EQUAL(wg_version(ctx, t), 0);
    CHECK_EQUAL(wg_host_status(ctx), 0);
    wg_native_set_integer(t, 23, -7);
    CHECK_EQUAL(*(int16_t *)wg_native_element(t, (int64_t[]){1, 2, 3}), -7);
    CHECK(wg_native_element(t, (int64_t[]){1, 3, 0}) == NULL);
    CHECK(wg_native_element(t, (int64_t[]){0, 0, -1}) == NULL);
    CHECK_EQUAL(wg_native_integer(t, 22), 0);
    wg_release(ctx, t);
    end();
}

/* Compact means as a new tensor would be, ignoring strides of dimensions of size 1 (Tensor.is_contiguous()). */
static void test_compact(void)
{
    const WgGeometry cases[] = {{(int64_t[]){2, 1, 3}, (int64_t[]){3, 50, 1}, 2, 3},
                                {(int64_t[]){1, 3}, (int64_t[]){0, 1}, 0, 2},
                                {(int64_t[]){0, 3}, (int64_t[]){7, 9}, 0, 2},
                                {NULL, NULL, 5, 0},
                                {(int64_t[]){3, 2}, (int64_t[]){1, 3}, 0, 2},
                                {(int64_t[]){2, 3}, (int64_t[]){4, 1}, 0, 2},
                                {(int64_t[]){3}, (int64_t[]){0}, 0, 1}};
    begin();
    WgTensor *memory = NULL;
    CHECK_EQUAL(wg_native_zeros(ctx, WG_INT8, 1, (int64_t[]){16}, &memory), 0);
    for (int i = 0; i < 7; i++) {
        WgTensor *view = NULL;
        CHECK_EQUAL(wg_as_strided(ctx, memory, &cases[i], &view), 0);
        CHECK_EQUAL(view->is_compact, i < 4);
        wg_release(ctx, view);
    }
    wg_release(ctx, memory);
    end();
}

static void test_counts(void)
{
    begin();
    WgTensor *t = NULL;
    WgTensor *again = NULL;
    WgTensor *view = NULL;
    float memory[4] = {1, 2, 3, 4};
    const WgGeometry geometry = {(int64_t[]){4}, (int64_t[]){1}, 0, 1};
    const WgGeometry part = {(int64_t[]){2}, (int64_t[]){2}, 1, 1};
    num_freed = 0;
    CHECK_EQUAL(wg_native_borrow(ctx, memory, 16, &geometry, WG_FLOAT32, WG_CPU, note_freed, &num_freed, &t), 0);
    CHECK_EQUAL(wg_retain(ctx, t, &again), 0);
    CHECK(wg_same(ctx, t, again));
    CHECK_EQUAL(wg_native_count(t), 2);
    CHECK_EQUAL(wg_as_strided(ctx, t, &part, &view), 0);
    CHECK(!wg_same(ctx, t, view));
    wg_release(ctx, t);
    CHECK_EQUAL(wg_native_count(again), 1);
    wg_release(ctx, again);
    CHECK_EQUAL(num_freed, 0);
    CHECK(wg_native_real(view, 1) == 4); /* the view keeps the memory */
    wg_release(ctx, view);
    CHECK_EQUAL(num_freed, 1);
    wg_release(ctx, NULL);
    end();
}

static void test_release_run(void)
{
    begin();
    WgValue values[3] = {{NULL}, {NULL}, {NULL}};
    CHECK_EQUAL(wg_native_zeros(ctx, WG_BOOL, 0, NULL, &values[0].tensor), 0);
    CHECK_EQUAL(wg_native_zeros(ctx, WG_BOOL, 1, (int64_t[]){0}, &values[2].tensor), 0);
    CHECK(wg_data(ctx, values[2].tensor) == NULL); /* torch.zeros(0).data_ptr() is 0 */
    CHECK(wg_data(ctx, values[0].tensor) != NULL);
    wg_release_run(ctx, values, 3);
    CHECK(values[0].tensor == NULL && values[1].tensor == NULL && values[2].tensor == NULL);
    end();
}

/* Objects of the caller's: nothing is counted, nothing is allocated, views of them are as always. */
static void test_uncounted(void)
{
    begin();
    double memory[6] = {0, 1, 2, 3, 4, 5};
    WgStorage storage;
    WgTensor t;
    WgTensor *view = NULL;
    WgTensor *same = NULL;
    const WgGeometry geometry = {(int64_t[]){2, 3}, (int64_t[]){3, 1}, 0, 2};
    const WgGeometry turned = {(int64_t[]){3, 2}, (int64_t[]){1, 3}, 0, 2};
    const int64_t before = tracking.num_allocations;
    CHECK_EQUAL(wg_native_begin(ctx, memory, sizeof memory, &geometry, WG_FLOAT64, WG_CPU, &storage, &t), 0);
    CHECK_EQUAL(tracking.num_allocations, before);
    CHECK_EQUAL(wg_native_count(&t), 0);
    CHECK_EQUAL(wg_retain(ctx, &t, &same), 0);
    CHECK(same == &t);
    CHECK_EQUAL(wg_native_count(&t), 0);
    for (int i = 0; i < 5; i++) {
        wg_release(ctx, &t);
    }
    CHECK_EQUAL(wg_native_count(&t), 0);
    CHECK_EQUAL(storage.references, 0);
    CHECK(wg_native_real(&t, 5) == 5);
    CHECK_EQUAL(wg_as_strided(ctx, &t, &turned, &view), 0);
    CHECK(wg_native_real(view, 1) == 3);
    CHECK_EQUAL(wg_native_count(view), 1);
    wg_release(ctx, view);
    wg_native_end(ctx, &t);
    end();
}

/* The caller's objects may come to hold counted ones: a storage by set_, memory for a higher rank. wg_native_end ends
 * it. */
static void test_uncounted_adopts(void)
{
    begin();
    float memory[2] = {1, 2};
    WgStorage storage;
    WgTensor t;
    WgTensor *wide = NULL;
    const WgGeometry geometry = {(int64_t[]){2}, (int64_t[]){1}, 0, 1};
    CHECK_EQUAL(wg_native_begin(ctx, memory, 8, &geometry, WG_FLOAT32, WG_CPU, &storage, &t), 0);
    CHECK_EQUAL(wg_native_zeros(ctx, WG_FLOAT32, 8, (int64_t[]){1, 1, 2, 1, 1, 3, 1, 2}, &wide), 0);
    CHECK_EQUAL(wg_set_(ctx, &t, wide), 0);
    wg_release(ctx, wide);
    CHECK_EQUAL(wg_rank(ctx, &t), 8);
    CHECK_EQUAL(wg_size(ctx, &t, 5), 3);
    CHECK_EQUAL(wg_stride(ctx, &t, 2), 6);
    CHECK(wg_native_real(&t, 11) == 0);
    wg_native_end(ctx, &t);
    end();
}

typedef struct Refusal {
    const char *what;
    int64_t sizes[3];
    int64_t strides[3];
    int64_t offset;
    int32_t rank;
    int32_t dtype;
    int32_t expected;
} Refusal;

#define BIG  (INT64_C(1) << 40)
#define MOST INT64_MAX

/* Against memory of 64 bytes. The first four messages of PyTorch's as_strided: "out of bounds for storage of size",
 * "Negative strides are not supported", "invalid storage offset", "numel: integer multiplication overflow". */
static const Refusal refusals[] = {
    {"sixteen floats fit", {16}, {1}, 0, 1, WG_FLOAT32, 0},
    {"sixty-four bytes fit", {64}, {1}, 0, 1, WG_INT8, 0},
    {"one more does not", {65}, {1}, 0, 1, WG_INT8, WG_NATIVE_E_BOUNDS},
    {"seventeen do not", {17}, {1}, 0, 1, WG_FLOAT32, WG_NATIVE_E_BOUNDS},
    {"nor sixteen at offset 1", {16}, {1}, 1, 1, WG_FLOAT32, WG_NATIVE_E_BOUNDS},
    {"a stride reaches outside", {2, 2}, {15, 2}, 0, 2, WG_FLOAT32, WG_NATIVE_E_BOUNDS},
    {"and just not", {2, 2}, {14, 1}, 0, 2, WG_FLOAT32, 0},
    {"a scalar after the end", {0}, {0}, 16, 0, WG_FLOAT32, WG_NATIVE_E_BOUNDS},
    {"a scalar at the end", {0}, {0}, 15, 0, WG_FLOAT32, 0},
    {"four complex128 fit", {4}, {1}, 0, 1, WG_COMPLEX128, 0},
    {"five do not", {5}, {1}, 0, 1, WG_COMPLEX128, WG_NATIVE_E_BOUNDS},
    {"nothing may be anywhere", {0}, {1}, 1000, 1, WG_FLOAT32, 0},
    {"negative size", {-1}, {1}, 0, 1, WG_FLOAT32, WG_NATIVE_E_SIZE},
    {"smallest size", {INT64_MIN}, {1}, 0, 1, WG_FLOAT32, WG_NATIVE_E_SIZE},
    {"negative stride", {2}, {-1}, 3, 1, WG_FLOAT32, WG_NATIVE_E_STRIDE},
    {"negative stride without elements", {0}, {-1}, 0, 1, WG_FLOAT32, WG_NATIVE_E_STRIDE},
    {"negative stride of one step", {1}, {-1}, 0, 1, WG_FLOAT32, WG_NATIVE_E_STRIDE},
    {"negative offset", {2}, {1}, -1, 1, WG_FLOAT32, WG_NATIVE_E_OFFSET},
    {"negative offset without elements", {0}, {1}, -1, 1, WG_FLOAT32, WG_NATIVE_E_OFFSET},
    {"number of elements overflows", {BIG, BIG}, {0, 0}, 0, 2, WG_FLOAT32, WG_NATIVE_E_OVERFLOW},
    {"also with an empty dimension", {BIG, BIG, 0}, {0, 0, 0}, 0, 3, WG_FLOAT32, WG_NATIVE_E_OVERFLOW},
    {"one step overflows", {3}, {MOST}, 0, 1, WG_FLOAT32, WG_NATIVE_E_OVERFLOW},
    {"the steps together overflow", {2, 2}, {MOST, MOST}, 0, 2, WG_FLOAT32, WG_NATIVE_E_OVERFLOW},
    {"the last element is the last number", {2}, {MOST}, 0, 1, WG_INT8, WG_NATIVE_E_OVERFLOW},
    {"the offset overflows", {2}, {1}, MOST, 1, WG_INT8, WG_NATIVE_E_OVERFLOW},
    {"the bytes overflow", {2}, {MOST / 4}, 0, 1, WG_FLOAT64, WG_NATIVE_E_OVERFLOW},
    {"a large stride of one step is nothing", {1}, {MOST}, 0, 1, WG_FLOAT32, 0},
    {"2^40 times the same element", {BIG}, {0}, 15, 1, WG_FLOAT32, 0},
    {"no such dtype", {2}, {1}, 0, 1, 12, WG_NATIVE_E_DTYPE},
    {"no such dtype below", {2}, {1}, 0, 1, -1, WG_NATIVE_E_DTYPE},
    {"no such dtype above", {2}, {1}, 0, 1, 1000, WG_NATIVE_E_DTYPE},
    {"negative rank", {2}, {1}, 0, -1, WG_FLOAT32, WG_NATIVE_E_ARGUMENT},
};

/* Every way to make a tensor must refuse the same things: borrowing, the caller's objects, views, aliases, in-place
 * changes. */
static void check_refusal(const Refusal *refusal, WgTensor *bytes)
{
    _Alignas(16) unsigned char memory[64] = {0};
    const WgGeometry geometry = {refusal->sizes, refusal->strides, refusal->offset, refusal->rank};
    WgTensor *out = bytes;
    WgStorage storage;
    WgTensor own;
    num_freed = 0;
    const int32_t borrowed =
        wg_native_borrow(ctx, memory, 64, &geometry, refusal->dtype, WG_CPU, note_freed, &num_freed, &out);
    CHECK_EQUAL(borrowed, refusal->expected);
    CHECK((out != NULL) == (borrowed == 0));
    wg_release(ctx, out);
    CHECK_EQUAL(num_freed, borrowed == 0); /* refused: the memory stays the caller's */
    const int32_t begun = wg_native_begin(ctx, memory, 64, &geometry, refusal->dtype, WG_CPU, &storage, &own);
    CHECK_EQUAL(begun, refusal->expected);
    if (begun == 0) {
        wg_native_end(ctx, &own);
    }
    out = bytes;
    CHECK_EQUAL(wg_alias_as(ctx, bytes, &geometry, refusal->dtype, 0, &out), refusal->expected);
    CHECK((out != NULL) == (refusal->expected == 0));
    wg_release(ctx, out);
}

static void test_refusals(void)
{
    begin();
    WgTensor *bytes = NULL;
    CHECK_EQUAL(wg_native_zeros(ctx, WG_UINT8, 1, (int64_t[]){64}, &bytes), 0);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const int bad = check_bad;
        check_refusal(&refusals[i], bytes);
        if (check_bad != bad) {
            printf("# in: %s\n", refusals[i].what);
        }
    }
    CHECK_EQUAL(wg_native_count(bytes), 1);
    wg_release(ctx, bytes);
    end();
}

static void test_bad_requests(void)
{
    begin();
    WgTensor *t = NULL;
    float x[2] = {0};
    const WgGeometry pair = {(int64_t[]){2}, (int64_t[]){1}, 0, 1};
    const WgGeometry no_sizes = {NULL, (int64_t[]){1}, 0, 1};
    const WgGeometry huge = {(int64_t[]){MOST / 2}, (int64_t[]){1}, 0, 1};
    const WgGeometry far_off = {(int64_t[]){2}, (int64_t[]){1}, MOST - 1, 1};
    CHECK_EQUAL(wg_native_borrow(ctx, NULL, 8, &pair, WG_FLOAT32, WG_CPU, NULL, NULL, &t), WG_NATIVE_E_ARGUMENT);
    CHECK_EQUAL(wg_native_borrow(ctx, x, -8, &pair, WG_FLOAT32, WG_CPU, NULL, NULL, &t), WG_NATIVE_E_ARGUMENT);
    CHECK_EQUAL(wg_native_borrow(ctx, x, 8, NULL, WG_FLOAT32, WG_CPU, NULL, NULL, &t), WG_NATIVE_E_ARGUMENT);
    CHECK_EQUAL(wg_native_borrow(ctx, x, 8, &no_sizes, WG_FLOAT32, WG_CPU, NULL, NULL, &t), WG_NATIVE_E_ARGUMENT);
    CHECK_EQUAL(wg_native_borrow(ctx, x, 8, &pair, WG_FLOAT32, -1, NULL, NULL, &t), WG_NATIVE_E_ARGUMENT);
    CHECK_EQUAL(wg_native_borrow(ctx, x, 8, &pair, WG_FLOAT32, WG_META * 256, NULL, NULL, &t), WG_NATIVE_E_ARGUMENT);
    CHECK_EQUAL(wg_empty_strided(ctx, &pair, WG_FLOAT32, WG_CUDA * 256, &t), WG_NATIVE_E_DEVICE);
    CHECK_EQUAL(wg_empty_strided(ctx, &huge, WG_UINT8, WG_CPU, &t), WG_NATIVE_E_MEMORY);
    CHECK_EQUAL(wg_empty_strided(ctx, &huge, WG_FLOAT32, WG_CPU, &t), WG_NATIVE_E_OVERFLOW);
    CHECK_EQUAL(wg_empty_strided(ctx, &far_off, WG_UINT8, WG_CPU, &t), WG_NATIVE_E_OVERFLOW);
    CHECK_EQUAL(wg_native_zeros(ctx, WG_UINT8, 2, (int64_t[]){BIG, BIG}, &t), WG_NATIVE_E_OVERFLOW);
    CHECK_EQUAL(wg_native_zeros(ctx, WG_UINT8, 2, (int64_t[]){3, -2}, &t), WG_NATIVE_E_SIZE);
    CHECK_EQUAL(wg_native_zeros(ctx, WG_UINT8, 1, NULL, &t), WG_NATIVE_E_ARGUMENT);
    CHECK(t == NULL);
    end();
}

/* torch.zeros((2, 0, 3)) has strides (3, 3, 1). */
static void test_zeros(void)
{
    begin();
    WgTensor *t = NULL;
    const int64_t two_by_three[] = {2, 3};
    const int64_t negative[] = {-1};
    CHECK_EQUAL(wg_zeros(ctx, two_by_three, 2, WG_FLOAT64, WG_CPU, &t), 0);
    CHECK(t->is_compact && !t->requires_grad && t->strides[0] == 3 && t->strides[1] == 1);
    for (int64_t i = 0; i < 6; i++) {
        CHECK(wg_native_real(t, i) == 0);
    }
    wg_release(ctx, t);
    CHECK_EQUAL(wg_zeros(ctx, NULL, 0, WG_INT8, WG_CPU, &t), 0);
    CHECK(t->rank == 0 && t->num_elements == 1 && *(int8_t *)t->data == 0);
    wg_release(ctx, t);
    CHECK_EQUAL(wg_zeros(ctx, two_by_three, 2, WG_FLOAT32, WG_META * 256, &t), 0);
    CHECK(t->data == NULL && t->device == WG_META * 256);
    wg_release(ctx, t);
    CHECK_EQUAL(wg_zeros(ctx, two_by_three, 2, WG_FLOAT32, WG_CUDA * 256, &t), WG_NATIVE_E_DEVICE);
    CHECK(t == NULL);
    CHECK_EQUAL(wg_zeros(ctx, negative, 1, WG_FLOAT32, WG_CPU, &t), WG_NATIVE_E_SIZE);
    end();
}

/* torch.empty_strided((2, 3), (10, 2)) has a storage of 60 bytes, torch.empty_strided((2, 0), (10, 2)) one of 0. */
static void test_empty_strided(void)
{
    begin();
    WgTensor *t = NULL;
    const WgGeometry gaps = {(int64_t[]){2, 3}, (int64_t[]){10, 2}, 0, 2};
    const WgGeometry none = {(int64_t[]){2, 0}, (int64_t[]){10, 2}, 0, 2};
    CHECK_EQUAL(wg_empty_strided(ctx, &gaps, WG_FLOAT32, WG_CPU, &t), 0);
    CHECK_EQUAL(t->storage->num_bytes, 60);
    CHECK(!t->is_compact);
    wg_release(ctx, t);
    CHECK_EQUAL(wg_empty_strided(ctx, &none, WG_FLOAT32, WG_CPU, &t), 0);
    CHECK_EQUAL(t->storage->num_bytes, 0);
    wg_release(ctx, t);
    end();
}

/* After a first call the verbs that make views, and releasing, ask the allocator for nothing: at an inline rank and
 * above. */
static void test_warm_calls(void)
{
    begin();
    for (int32_t rank = 1; rank <= 9; rank += 4) {
        int64_t sizes[9] = {2, 1, 2, 1, 3, 1, 2, 1, 1};
        WgTensor *base = NULL;
        WgTensor *target = NULL;
        int64_t before = 0;
        CHECK_EQUAL(wg_native_zeros(ctx, WG_FLOAT32, rank, sizes, &base), 0);
        CHECK_EQUAL(wg_detach(ctx, base, &target), 0);
        const WgGeometry geometry = {base->sizes, base->strides, 0, rank};
        for (int round = 0; round < 3; round++) {
            WgTensor *views[6] = {NULL};
            before = tracking.num_allocations;
            CHECK_EQUAL(wg_alias_like(ctx, base, target, 1, &views[0]), 0);
            CHECK_EQUAL(wg_alias_as(ctx, base, &geometry, WG_FLOAT32, 0, &views[1]), 0);
            CHECK_EQUAL(wg_as_strided(ctx, base, &geometry, &views[2]), 0);
            CHECK_EQUAL(wg_detach(ctx, base, &views[3]), 0);
            CHECK_EQUAL(wg_unsafe_view(ctx, base, &views[4]), 0);
            CHECK_EQUAL(wg_view_dtype(ctx, base, WG_INT32, &views[5]), 0);
            for (int i = 0; i < 6; i++) {
                wg_release(ctx, views[i]);
            }
        }
        CHECK_EQUAL(tracking.num_allocations, before);
        wg_release(ctx, base);
        wg_release(ctx, target);
    }
    end();
}

/* The cache has a bound; what is beyond it goes back at once. */
static void test_cache_bound(void)
{
    begin();
    enum { N = WG_NATIVE_CACHED_TENSORS + 50 };
    WgTensor *base = NULL;
    WgTensor *views[N];
    CHECK_EQUAL(wg_native_zeros(ctx, WG_INT8, 1, (int64_t[]){4}, &base), 0);
    for (int i = 0; i < N; i++) {
        CHECK_EQUAL(wg_detach(ctx, base, &views[i]), 0);
    }
    const int64_t live = tracking.live_blocks;
    for (int i = 0; i < N; i++) {
        wg_release(ctx, views[i]);
    }
    CHECK_EQUAL(live - tracking.live_blocks, 50);
    wg_release(ctx, base);
    end();
}

/* A tensor of one allocator, released in a context of another, goes back where it came from. */
static void test_two_allocators(void)
{
    Tracking other;
    WgContext *other_ctx = NULL;
    WgTensor *t = NULL;
    WgTensor *view = NULL;
    begin();
    tracking_begin(&other);
    CHECK_EQUAL(wg_context_create(&other.allocator, &other_ctx), 0);
    CHECK_EQUAL(wg_native_zeros(ctx, WG_INT8, 8, (int64_t[]){1, 1, 1, 1, 1, 1, 1, 2}, &t), 0);
    CHECK_EQUAL(wg_detach(other_ctx, t, &view), 0);
    wg_release(other_ctx, t);
    wg_context_destroy(ctx);
    wg_release(other_ctx, view);
    wg_context_destroy(other_ctx);
    CHECK_EQUAL(tracking.live_blocks, 0);
    CHECK_EQUAL(tracking.live_bytes, 0);
    CHECK_EQUAL(other.live_blocks, 0);
    CHECK_EQUAL(other.live_bytes, 0);
}

static int meet(const WgTensor *a, const WgTensor *b)
{
    return wg_ranges_meet(wg_byte_range(ctx, a), wg_byte_range(ctx, b));
}

static void test_overlaps(void)
{
    begin();
    WgTensor *base = NULL;
    WgTensor *views[4] = {NULL};
    const WgGeometry pieces[4] = {{(int64_t[]){4}, (int64_t[]){1}, 0, 1},
                                  {(int64_t[]){4}, (int64_t[]){1}, 4, 1},
                                  {(int64_t[]){2}, (int64_t[]){3}, 2, 1},
                                  {(int64_t[]){0}, (int64_t[]){1}, 2, 1}};
    const int expected[4][4] = {{1, 0, 1, 0}, {0, 1, 1, 0}, {1, 1, 1, 0}, {0, 0, 0, 0}};
    CHECK_EQUAL(wg_native_zeros(ctx, WG_INT32, 1, (int64_t[]){8}, &base), 0);
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(wg_as_strided(ctx, base, &pieces[i], &views[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            CHECK_EQUAL(meet(views[i], views[j]), expected[i][j]);
        }
    }
    for (int i = 0; i < 4; i++) {
        wg_release(ctx, views[i]);
    }
    wg_release(ctx, base);
    end();
}

/* Tensors of the meta device have no memory to share. */
static void test_meta_overlap(void)
{
    begin();
    WgTensor *a = NULL;
    WgTensor *b = NULL;
    const WgGeometry four = {(int64_t[]){4}, (int64_t[]){1}, 0, 1};
    CHECK_EQUAL(wg_empty_strided(ctx, &four, WG_INT32, WG_META * 256, &a), 0);
    CHECK_EQUAL(wg_empty_strided(ctx, &four, WG_INT32, WG_META * 256, &b), 0);
    CHECK(!meet(a, b));
    wg_release(ctx, a);
    wg_release(ctx, b);
    end();
}

/* Two borrowed pieces of one buffer have two storages and still share memory. They count as one storage where an offset
 * says the same place in both. */
static void test_borrowed_overlap(void)
{
    begin();
    int32_t memory[6] = {0};
    WgTensor *a = NULL;
    WgTensor *b = NULL;
    const WgGeometry four = {(int64_t[]){4}, (int64_t[]){1}, 0, 1};
    const WgGeometry two = {(int64_t[]){2}, (int64_t[]){1}, 0, 1};
    CHECK_EQUAL(wg_native_borrow(ctx, memory, 16, &four, WG_INT32, WG_CPU, NULL, NULL, &a), 0);
    CHECK_EQUAL(wg_native_borrow(ctx, memory + 3, 8, &two, WG_INT32, WG_CPU, NULL, NULL, &b), 0);
    CHECK(meet(a, b));
    CHECK(!wg_same_storage(ctx, a, b));
    wg_release(ctx, b);
    CHECK_EQUAL(wg_native_borrow(ctx, memory, 8, &two, WG_INT32, WG_CPU, NULL, NULL, &b), 0);
    CHECK(meet(a, b));
    CHECK(wg_same_storage(ctx, a, b));
    wg_release(ctx, b);
    CHECK_EQUAL(wg_native_borrow(ctx, memory + 4, 8, &two, WG_INT32, WG_CPU, NULL, NULL, &b), 0);
    CHECK(!meet(a, b));
    CHECK(!wg_same_storage(ctx, a, b));
    wg_release(ctx, a);
    wg_release(ctx, b);
    CHECK_EQUAL(wg_zeros(ctx, four.sizes, 1, WG_INT32, WG_META * 256, &a), 0);
    CHECK_EQUAL(wg_zeros(ctx, four.sizes, 1, WG_INT32, WG_META * 256, &b), 0);
    CHECK(!wg_same_storage(ctx, a, b)); /* neither has memory */
    wg_release(ctx, a);
    wg_release(ctx, b);
    end();
}

static void test_malloc_default(void)
{
    WgContext *plain = NULL;
    WgTensor *t = NULL;
    CHECK_EQUAL(wg_context_create(NULL, &plain), 0);
    CHECK_EQUAL(wg_native_zeros(plain, WG_FLOAT32, 1, (int64_t[]){1000}, &t), 0);
    CHECK(wg_native_real(t, 999) == 0);
    wg_release(plain, t);
    wg_context_destroy(plain);
    CHECK_EQUAL(wg_host_native_abi1, 1);
}

int main(void)
{
    run("a new tensor reads back what it was made of", test_fields);
    run("compact tensors are known", test_compact);
    run("references are counted, and views keep memory alive", test_counts);
    run("a run of values is released and nulled", test_release_run);
    run("tensors on the stack are not counted and allocate nothing", test_uncounted);
    run("a tensor on the stack can adopt counted memory", test_uncounted_adopts);
    run("geometries that do not fit are refused in every way to make a tensor", test_refusals);
    run("requests that make no sense are refused", test_bad_requests);
    run("zeros are compact, of every rank, also without memory", test_zeros);
    run("empty_strided has exactly the memory that it reaches", test_empty_strided);
    run("warm calls that make views allocate nothing", test_warm_calls);
    run("the cache of a context is bounded", test_cache_bound);
    run("memory goes back to the allocator that it came from", test_two_allocators);
    run("overlap is a matter of bytes", test_overlaps);
    run("without memory there is no overlap", test_meta_overlap);
    run("overlap is seen between storages", test_borrowed_overlap);
    run("without an allocator there is malloc", test_malloc_default);
    return finish();
}
