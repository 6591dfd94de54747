/* SPDX-License-Identifier: MIT */
/*
 * test_overlap.c - wg_find_shared() against the bytes themselves: each element of a tensor is marked in a map of the
 * memory, by walking over its indices. Small geometries of any rank up to 4, strides, offsets and dtypes, drawn and
 * counted out; then tensors that are too large to be walked over, and that are known to share memory or not for a
 * reason that is stated.
 */
#include "check.h"
#include "wg_core.h"
#include "wg_native.h"

#include <string.h>

/* The same code once more, as if as many steps were allowed as a test says. */
static uint64_t allowed;
void tight_find_shared(WgContext *context, WgRange *ranges, size_t n, size_t num_written, WgOverlap *overlap);
int32_t tight_fail_if_shared(WgContext *context, const WgSite *place, WgRange written, WgRange other, const char *name,
                             WgTensor *argument);
int32_t tight_fail_argument(WgContext *context, const WgSite *place, const char *name, WgTensor *argument);
int32_t tight_fail_overlap(WgContext *context, const WgSite *place, const WgOverlap *overlap, const char *name,
                           WgTensor *argument);
#define WG_OVERLAP_STEPS  allowed
#define wg_fail_overlap   tight_fail_overlap
#define wg_find_shared    tight_find_shared
#define wg_fail_if_shared tight_fail_if_shared
#define wg_fail_argument  tight_fail_argument
#include "wg_overlap.c"
#undef WG_OVERLAP_STEPS
#undef wg_fail_overlap
#undef wg_find_shared
#undef wg_fail_if_shared
#undef wg_fail_argument

enum { MOST_RANK = 4, NUM_BYTES = 4096, MOST_TENSORS = 12 };

static const WgSite site = {"graph", "w", "overlap", WG_E_OVERLAP, WG_KIND_NONE};

static WgContext *ctx;
static alignas(16) unsigned char memory[NUM_BYTES];
static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)((state >> 33) % n);
}

/* ---- geometries ---- */

typedef struct Shape {
    int64_t sizes[MOST_RANK];
    int64_t strides[MOST_RANK];
    int64_t offset;
    int32_t rank;
    int32_t dtype;
} Shape;

static int64_t item_of(int32_t dtype)
{
    return dtype == WG_UINT8     ? 1
           : dtype == WG_FLOAT16 ? 2
           : dtype == WG_FLOAT32 ? 4
           : dtype == WG_FLOAT64 ? 8
                                 : 16; /* complex128 */
}

static int64_t last_element(const Shape *shape)
{
    int64_t last = shape->offset;
    for (int32_t d = 0; d < shape->rank; d++) {
        last += (shape->sizes[d] - 1) * shape->strides[d];
    }
    return last;
}

/* Sets a bit of each byte. */
static void mark(const Shape *shape, unsigned char *map, unsigned char bit)
{
    int64_t index[MOST_RANK] = {0};
    const int64_t item = item_of(shape->dtype);
    for (int32_t d = 0; d < shape->rank; d++) {
        if (shape->sizes[d] == 0) {
            return;
        }
    }
    for (;;) {
        int64_t element = shape->offset;
        int32_t d = 0;
        for (; d < shape->rank; d++) {
            element += index[d] * shape->strides[d];
        }
        for (int64_t byte = 0; byte < item; byte++) {
            map[element * item + byte] |= bit;
        }
        for (d = shape->rank - 1; d >= 0 && ++index[d] == shape->sizes[d]; d--) {
            index[d] = 0;
        }
        if (d < 0) {
            return;
        }
    }
}

static int share(const Shape *a, const Shape *b)
{
    static unsigned char map[NUM_BYTES];
    int both = 0;
    memset(map, 0, sizeof map);
    mark(a, map, 1);
    mark(b, map, 2);
    for (size_t i = 0; i < sizeof map; i++) {
        both |= map[i] == 3;
    }
    return both;
}

static WgTensor *tensor_of(const Shape *shape, void *where, int64_t num_bytes)
{
    WgTensor *t = NULL;
    const WgGeometry geometry = {shape->sizes, shape->strides, shape->offset, shape->rank};
    CHECK_EQUAL(wg_native_borrow(ctx, where, num_bytes, &geometry, shape->dtype, WG_CPU, NULL, NULL, &t), 0);
    return t;
}

static WgRange range_of(const WgTensor *t, size_t owner)
{
    return wg_range(wg_byte_range(ctx, t), t, owner, owner);
}

static WgOverlap find(const Shape *a, const Shape *b, void *where, int64_t num_bytes)
{
    WgTensor *const first = tensor_of(a, where, num_bytes);
    WgTensor *const second = tensor_of(b, where, num_bytes);
    WgRange ranges[2] = {range_of(first, 0), range_of(second, 1)};
    WgOverlap overlap;
    wg_find_shared(ctx, ranges, 2, 1, &overlap);
    wg_release(ctx, first);
    wg_release(ctx, second);
    return overlap;
}

/* Exact, in either order. */
static void expect_exact(const Shape *a, const Shape *b)
{
    const int expected = share(a, b);
    const WgOverlap there = find(a, b, memory, sizeof memory);
    const WgOverlap back = find(b, a, memory, sizeof memory);
    CHECK_EQUAL(there.found, expected);
    CHECK_EQUAL(there.is_certain, expected);
    CHECK_EQUAL(back.found, expected);
    CHECK_EQUAL(back.is_certain, expected);
}

/* ---- drawn ones ---- */

static Shape draw(uint32_t most_size, uint32_t most_stride)
{
    static const int32_t dtypes[] = {WG_UINT8, WG_FLOAT16, WG_FLOAT32, WG_FLOAT64, WG_COMPLEX128};
    Shape shape = {.rank = (int32_t)below(MOST_RANK + 1), .dtype = dtypes[below(5)]};
    const int64_t item = item_of(shape.dtype);
    for (int32_t d = 0; d < shape.rank; d++) {
        shape.sizes[d] = below(40) == 0 ? 0 : 1 + below(most_size);
        shape.strides[d] = (below(most_stride) + item - 1) / (below(2) == 0 ? 1 : item);
    }
    shape.offset = below(64) / item;
    return shape;
}

static int fits(const Shape *shape)
{
    return (last_element(shape) + 1) * item_of(shape->dtype) <= NUM_BYTES;
}

static void test_drawn(void)
{
    int num_shared = 0;
    int num_met = 0;
    int num_rounds = 0;
    while (num_rounds < 150000 && check_bad == 0) {
        const uint32_t most_size = 1 + below(6);
        const uint32_t most_stride = 1 + below(60);
        const Shape a = draw(most_size, most_stride);
        const Shape b = draw(most_size, most_stride);
        if (!fits(&a) || !fits(&b)) {
            continue;
        }
        expect_exact(&a, &b);
        num_shared += share(&a, &b);
        num_rounds++;
        WgTensor *const first = tensor_of(&a, memory, sizeof memory);
        WgTensor *const second = tensor_of(&b, memory, sizeof memory);
        num_met += wg_ranges_meet(wg_byte_range(ctx, first), wg_byte_range(ctx, second));
        wg_release(ctx, first);
        wg_release(ctx, second);
    }
    CHECK(num_shared > num_rounds / 10);
    CHECK(num_met - num_shared > num_rounds / 10); /* what the ranges alone would have refused */
}

/* ---- all of rank 2 with small numbers, against all of rank 1 ---- */

static void test_counted(void)
{
    for (int64_t code = 0; code < 4 * 4 * 8 * 8 && check_bad == 0; code++) {
        const Shape a = {{code % 4 + 1, code / 4 % 4 + 1}, {code / 16 % 8, code / 128}, 0, 2, WG_FLOAT16};
        for (int64_t other = 0; other < 4 * 12 * 12; other++) {
            const Shape b = {{other % 4 + 1}, {other / 4 % 12}, other / 48, 1, WG_UINT8};
            expect_exact(&a, &b);
        }
    }
}

/* ---- large ones ---- */

/* No byte of the memory is read or written. */
static void expect_large(const Shape *a, const Shape *b, int found, int is_certain)
{
    const WgOverlap overlap = find(a, b, memory, INT64_C(1) << 60);
    CHECK_EQUAL(overlap.found, found);
    CHECK_EQUAL(overlap.is_certain, is_certain);
}

static void test_large(void)
{
    const int64_t m = INT64_C(1) << 20;
    const Shape matrix = {{m, m}, {m, 1}, 0, 2, WG_FLOAT32};
    const Shape column = {{m}, {m}, 7, 1, WG_FLOAT32};
    const Shape other = {{m}, {m}, 8, 1, WG_FLOAT32};
    const Shape odd = {{m * m / 2}, {2}, 1, 1, WG_FLOAT32};
    const Shape even = {{m * m / 2}, {2}, 0, 1, WG_FLOAT32};
    const Shape left = {{m, m / 2}, {m, 1}, 0, 2, WG_FLOAT32};
    const Shape right = {{m, m / 2}, {m, 1}, m / 2, 2, WG_FLOAT32};
    const Shape too_far = {{m, m / 2 + 1}, {m, 1}, 0, 2, WG_FLOAT32};
    const Shape halves = {{m * m}, {2}, 1, 1, WG_FLOAT16}; /* the upper half of each float32 */
    const Shape window = {{m, 1000, 1000}, {m, 1, 1}, 0, 3, WG_FLOAT32};
    const Shape heads = {{64, 32, 4096, 128}, {2 * 32 * 4096 * 128, 4096 * 128, 128, 1}, 0, 4, WG_FLOAT32};
    Shape values = heads;
    values.offset = 32 * 4096 * 128;
    expect_large(&matrix, &column, 1, 1);
    expect_large(&column, &other, 0, 0);
    expect_large(&odd, &even, 0, 0);
    expect_large(&left, &right, 0, 0);
    expect_large(&too_far, &right, 1, 1);
    expect_large(&even, &halves, 1, 1);
    expect_large(&column, &window, 1, 1);
    expect_large(&heads, &values, 0, 0);
}

/* Sums of 3 and 5 steps of almost one size: to see that they never agree takes longer than is allowed. */
static void test_undecided(void)
{
    const Shape a = {{9000, 9000}, {1000003 * 2, 1000033 * 2}, 0, 2, WG_UINT8};
    const Shape b = {{9000, 9000}, {1000037 * 2, 1000039 * 2}, 1, 2, WG_UINT8};
    const Shape c = {{9000, 9000}, {1000037 * 2, 1000039}, 9001, 2, WG_UINT8};
    expect_large(&a, &b, 0, 0); /* all even, and all odd */
    expect_large(&a, &c, 1, 0);
}

/* Whatever is allowed: a byte that is shared is never missed, what is certain is right, and enough is exact. */
static void test_tight(void)
{
    int num_undecided = 0;
    for (int round = 0; round < 100000 && check_bad == 0; round++) {
        const Shape a = draw(1 + below(6), 1 + below(60));
        const Shape b = draw(1 + below(6), 1 + below(60));
        if (!fits(&a) || !fits(&b)) {
            continue;
        }
        WgTensor *const first = tensor_of(&a, memory, sizeof memory);
        WgTensor *const second = tensor_of(&b, memory, sizeof memory);
        WgRange ranges[2] = {range_of(first, 0), range_of(second, 1)};
        allowed = below(16);
        WgOverlap overlap;
        tight_find_shared(ctx, ranges, 2, 1, &overlap);
        const int expected = share(&a, &b);
        CHECK(overlap.found || !expected);
        CHECK(!overlap.is_certain || expected);
        num_undecided += overlap.found && !overlap.is_certain;
        wg_release(ctx, first);
        wg_release(ctx, second);
    }
    CHECK(num_undecided > 1000);
}

/* A thousand columns, all of them written, are within what is allowed; with one more, that shares with the last one
 * alone, it is that pair that is named. */
static void test_columns(void)
{
    enum { COLUMNS = 1000 };
    static WgRange ranges[COLUMNS + 1];
    static WgTensor *tensors[COLUMNS + 1];
    for (int i = 0; i <= COLUMNS; i++) {
        const Shape column = {{50}, {COLUMNS}, i < COLUMNS ? i : 20 * COLUMNS - 1, 1, WG_FLOAT32};
        const Shape part = {{1}, {1}, column.offset, 1, WG_FLOAT32};
        tensors[i] = tensor_of(i < COLUMNS ? &column : &part, memory, INT64_C(1) << 40);
        ranges[i] = range_of(tensors[i], (size_t)i);
    }
    WgOverlap overlap;
    wg_find_shared(ctx, ranges, COLUMNS, COLUMNS, &overlap);
    CHECK(!overlap.found);
    for (int i = 0; i <= COLUMNS; i++) {
        ranges[i] = range_of(tensors[i], (size_t)i);
    }
    wg_find_shared(ctx, ranges, COLUMNS + 1, COLUMNS, &overlap);
    CHECK(overlap.found && overlap.is_certain);
    CHECK_EQUAL(overlap.written, COLUMNS - 1);
    CHECK_EQUAL(overlap.other, COLUMNS);
    for (int i = 0; i <= COLUMNS; i++) {
        wg_release(ctx, tensors[i]);
    }
}

/* ---- many ---- */

typedef struct Case {
    Shape shapes[MOST_TENSORS];
    uint32_t owners[MOST_TENSORS];
    uint32_t groups[MOST_TENSORS]; /* by owner */
    size_t n;
    uint32_t num_written;
} Case;

/* A part of a whole that lies there without gaps: of each dimension an index, all of them, or some with a step. */
static Shape draw_part(const Shape *whole)
{
    Shape part = *whole;
    for (int32_t d = 0; d < whole->rank; d++) {
        const uint32_t size = (uint32_t)whole->sizes[d];
        const uint32_t kind = below(3);
        const uint32_t first = kind == 1 ? 0 : below(size);
        const uint32_t step = kind == 2 ? 1 + below(3) : 1;
        const uint32_t most = (size - first + step - 1) / step;
        part.offset += first * whole->strides[d];
        part.sizes[d] = kind == 0 ? 1 : kind == 1 ? size : 1 + below(most);
        part.strides[d] = step * whole->strides[d];
    }
    return part;
}

/* Anywhere in memory, and so across the ends of rows when they are counted from there. */
static Shape draw_whole(void)
{
    static const int32_t dtypes[] = {WG_UINT8, WG_FLOAT16, WG_FLOAT32};
    Shape whole = {.rank = 1 + (int32_t)below(MOST_RANK), .dtype = dtypes[below(3)]};
    int64_t stride = 1;
    whole.offset = below(50);
    for (int32_t d = whole.rank - 1; d >= 0; d--) {
        whole.sizes[d] = 1 + below(5);
        whole.strides[d] = stride;
        stride *= whole.sizes[d];
    }
    return whole;
}

static void draw_case(Case *c)
{
    const Shape whole = draw_whole();
    const int are_parts = below(2) == 0;
    c->n = 1 + below(MOST_TENSORS);
    for (size_t i = 0; i < c->n; i++) {
        do {
            c->shapes[i] = are_parts ? draw_part(&whole) : draw(4, 30);
            c->shapes[i].offset += are_parts ? 0 : below(300) / item_of(c->shapes[i].dtype);
        } while (!fits(&c->shapes[i]));
        c->owners[i] = i > 0 && below(3) == 0 ? c->owners[i - 1] : (uint32_t)i;
        c->groups[i] = i > 0 && below(5) == 0 ? c->groups[below((uint32_t)i)] : (uint32_t)i;
    }
    c->num_written = below((uint32_t)c->n + 1);
}

/* The first pair of owners that shares, and whether. */
static int expect_case(const Case *c, uint32_t *written, uint32_t *other)
{
    int found = 0;
    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = 0; k < c->n; k++) {
            const uint32_t a = c->owners[i];
            const uint32_t b = c->owners[k];
            if (a < c->num_written && c->groups[a] != c->groups[b] && share(&c->shapes[i], &c->shapes[k]) &&
                (!found || a < *written || (a == *written && b < *other))) {
                *written = a;
                *other = b;
                found = 1;
            }
        }
    }
    return found;
}

static int try_case(const Case *c)
{
    WgTensor *tensors[MOST_TENSORS];
    WgRange ranges[MOST_TENSORS];
    uint32_t written = 0;
    uint32_t other = 0;
    const int expected = expect_case(c, &written, &other);
    for (size_t i = 0; i < c->n; i++) {
        tensors[i] = tensor_of(&c->shapes[i], memory, sizeof memory);
        ranges[i] = wg_range(wg_byte_range(ctx, tensors[i]), tensors[i], c->owners[i], c->groups[c->owners[i]]);
    }
    WgOverlap overlap = wg_find_overlap(ranges, c->n, c->num_written);
    CHECK(overlap.found || !expected);
    if (overlap.found) { /* as wrappers ask */
        wg_find_shared(ctx, ranges, c->n, c->num_written, &overlap);
        CHECK_EQUAL(overlap.found, expected);
    }
    if (overlap.found && expected) {
        CHECK(overlap.is_certain);
        CHECK_EQUAL(overlap.written, written);
        CHECK_EQUAL(overlap.other, other);
        CHECK(wg_ranges_meet(overlap.written_bytes, overlap.other_bytes));
    }
    for (size_t i = 0; i < c->n; i++) {
        wg_release(ctx, tensors[i]);
    }
    return expected;
}

static void test_many(void)
{
    static Case c;
    int num_found = 0;
    const int num_rounds = 40000;
    for (int round = 0; round < num_rounds && check_bad == 0; round++) {
        draw_case(&c);
        num_found += try_case(&c);
    }
    CHECK(num_found > num_rounds / 10 && num_found < num_rounds - num_rounds / 10);
}

/* ---- what the error says ---- */

static void expect_text(const Shape *a, const Shape *b, const char *expected)
{
    char text[256];
    WgTensor *const first = tensor_of(a, memory, INT64_C(1) << 60);
    WgTensor *const second = tensor_of(b, memory, INT64_C(1) << 60);
    CHECK_EQUAL(wg_check_overlap(ctx, &site, range_of(first, 0), range_of(second, 1), "r", second), WG_E_OVERLAP);
    CHECK(wg_error(ctx)->found.tensor == second);
    (void)wg_error_text(wg_error(ctx), text, sizeof text);
    check_bad += strcmp(text, expected) != 0;
    if (strcmp(text, expected) != 0) {
        printf("# %s\n", text);
    }
    wg_release(ctx, first);
    wg_release(ctx, second);
}

static void test_text(void)
{
    const Shape twelve = {{12}, {1}, 3, 1, WG_FLOAT32};
    const Shape fours = {{3}, {4}, 0, 1, WG_FLOAT64};
    const Shape a = {{9000, 9000}, {1000003 * 2, 1000033 * 2}, 0, 2, WG_UINT8};
    const Shape c = {{9000, 9000}, {1000037 * 2, 1000039}, 9001, 2, WG_UINT8};
    expect_text(&twelve, &fours,
                "graph: 'w': is mutated and shares memory with another input: bytes 12 to 59 and bytes 0 to 71 of 'r' "
                "(overlap) [WG_E_OVERLAP]");
    expect_text(&fours, &twelve,
                "graph: 'w': is mutated and shares memory with another input: bytes 0 to 71 and bytes 12 to 59 of 'r' "
                "(overlap) [WG_E_OVERLAP]");
    expect_text(&a, &c,
                "graph: 'w': is mutated and may share memory with another input: bytes 0 to 35996647928 and bytes 9001 "
                "to 26998025888 of 'r' (overlap) [WG_E_OVERLAP]");
}

int main(void)
{
    if (wg_context_create(NULL, &ctx) != 0) {
        return 1;
    }
    run("drawn geometries share what their bytes say", test_drawn);
    run("so do all small ones of rank 2 and rank 1", test_counted);
    run("large ones are decided at once", test_large);
    run("what takes too long may share", test_undecided);
    run("what is allowed decides how much is known, never what is right", test_tight);
    run("a thousand columns of one matrix", test_columns);
    run("the first pair of many", test_many);
    run("the error names both, and their bytes", test_text);
    wg_context_destroy(ctx);
    return finish();
}
