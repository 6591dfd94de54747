/* SPDX-License-Identifier: MIT */
/*
 * Keys by hand: every word below is worked out from the encoding in templates/core/wg_key.h. Which number is which:
 * float16 5, float32 6 (ScalarType); the CPU 0, cuda 1 (DeviceType).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "wg_native.h"
#include "wrappers.h"

static int passed;
static int failed;

static void check(int good, const char *name)
{
    printf("%s %d - %s\n", good ? "ok" : "not ok", passed + failed + 1, name);
    passed += good != 0;
    failed += good == 0;
}

static int same(const uint64_t *words, size_t num_words, const uint64_t *expected, size_t num_expected)
{
    const int good = num_words == num_expected && memcmp(words, expected, num_words * sizeof *words) == 0;
    for (size_t i = 0; !good && i < num_words; i++) {
        printf("# word %zu: %016llx\n", i, (unsigned long long)words[i]);
    }
    return good;
}

#define SAME(key, ...)                                                                                                 \
    same((key).words, (key).num_words, (const uint64_t[]){__VA_ARGS__},                                                \
         sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

#define HEAD(dtype, rank, device)                                                                                      \
    (UINT64_C(1) | (uint64_t)(dtype) << 8 | (uint64_t)(rank) << 16 | (uint64_t)(device) << 24)
/* A dim of static shapes; FREE: its stride has no effect. */
#define DIM(size, stride) ((uint64_t)(size) | (uint64_t)(stride) << 32)
#define FREE              UINT64_C(0xFFFFFFFF)
#define NONE              UINT64_C(0x8000000000000000)
#define SYMBOL            UINT64_C(0x8000000000000001)
#define ABSENT            UINT64_C(0x8000000000000002)

static int fails(WgContext *ctx, int32_t status, int32_t code, const char *text)
{
    char buffer[256];
    (void)wg_error_text(wg_error(ctx), buffer, sizeof buffer);
    if (status != code || strstr(buffer, text) == NULL) {
        printf("# status %d: %s\n", (int)status, buffer);
        return 0;
    }
    return 1;
}

static WgTensor *borrow(WgContext *ctx, int32_t dtype, int32_t rank, const int64_t *sizes, const int64_t *strides)
{
    static double memory[4096];
    const WgGeometry geometry = {sizes, strides, 0, rank};
    WgTensor *t = NULL;
    (void)wg_native_borrow(ctx, memory, sizeof memory, &geometry, dtype, 0, NULL, NULL, &t);
    return t;
}

/* On the meta device nothing is allocated, so a tensor may be as large as one likes. */
static WgTensor *meta(WgContext *ctx, int64_t size)
{
    const int64_t stride = 1;
    const WgGeometry geometry = {&size, &stride, 0, 1};
    WgTensor *t = NULL;
    (void)wg_native_borrow(ctx, NULL, size, &geometry, WG_UINT8, WG_META * 256, NULL, NULL, &t);
    return t;
}

static int one_symbol(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol)
{
    (void)ctx;
    (void)t;
    symbol->environment = 77;
    symbol->expression = 5;
    return dimension == 1 && !of_stride;
}

static const WgType parameter = {.name = "Parameter"};
static const WgType symbolic = {.name = "Symbolic", .symbol = one_symbol};

static void test_static(WgContext *ctx)
{
    WgTensor *a = borrow(ctx, WG_FLOAT16, 2, (const int64_t[]){8, 4}, (const int64_t[]){4, 1});
    WgTensor *b = borrow(ctx, WG_FLOAT32, 3, (const int64_t[]){4, 1, 2}, (const int64_t[]){2, 99, 1});
    const demo_matmul_key_extra extra = {90, -1};
    demo_matmul_args args;
    demo_matmul_key key;
    demo_matmul_key other;
    char text[256];
    demo_matmul_defaults(&args);
    args.a = a;
    args.b = b;
    check(demo_matmul_key_of(ctx, &args, &extra, &key) == WG_OK &&
              SAME(key, HEAD(5, 2, 0) | UINT64_C(2) << 32, DIM(8, 4), DIM(4, 1), HEAD(6, 3, 0), DIM(4, 2), DIM(1, FREE),
                   DIM(2, 1), 0, 4, 90, UINT64_MAX),
          "static shapes: sizes, strides, marks, null, a constant, numbers of the caller's");
    check(demo_matmul_key_print(&key, text, sizeof text) == strlen(text) &&
              strcmp(text,
                     "matmul: a=float16[8, 4] strides [4, 1] static {1} on cpu; b=float32[4, 1, 2] strides [2, *, 1] "
                     "on cpu; bias=null; n=4; capability=90; user=-1") == 0,
          "and as text");
    printf("# %s\n", text);
    const WgValue values[] = {wg_value_tensor(a), wg_value_tensor(b), wg_value_tensor(NULL), wg_value_integer(4)};
    check(demo_matmul_key_of_boxed(ctx, values, 4, &extra, &other) == WG_OK && demo_matmul_key_equal(&key, &other) &&
              demo_matmul_key_of_boxed(ctx, values, 2, &extra, &other) == WG_OK &&
              demo_matmul_key_equal(&key, &other) && demo_matmul_key_hash(&key) == demo_matmul_key_hash(&other),
          "boxed; and what is left out is its default");
    check(fails(ctx, demo_matmul_key_of_boxed(ctx, values, 1, &extra, &other), WG_E_COUNT, "expected 2, found 1") &&
              other.num_words == 0,
          "too few arguments");
    check(fails(ctx, demo_matmul_key_of_boxed(ctx, values, 5, &extra, &other), WG_E_COUNT, "expected 4, found 5"),
          "too many arguments");
    check(fails(ctx, demo_matmul_key_of(ctx, &args, NULL, &other), WG_E_NULL, "matmul"), "no numbers of the caller's");
    wg_native_set_type(b, &parameter);
    check(demo_matmul_key_of(ctx, &args, &extra, &other) == WG_OK && demo_matmul_key_equal(&key, &other),
          "a subclass of the same shape has the same key");
    wg_native_set_type(b, &symbolic);
    check(demo_matmul_key_of(ctx, &args, &extra, &other) == WG_OK &&
              SAME(other, HEAD(5, 2, 0) | UINT64_C(2) << 32, DIM(8, 4), DIM(4, 1), HEAD(6, 3, 0) | 32, 4, SYMBOL, 77, 5,
                   2, 2, 99, 1, 0, 4, 90, UINT64_MAX) &&
              !demo_matmul_key_equal(&key, &other),
          "a symbolic size is its environment and expression");
    wg_native_set_type(a, &parameter);
    check(fails(ctx, demo_matmul_key_of(ctx, &args, &extra, &other), WG_E_TYPE, "'a'"),
          "a subclass that is not wanted");
    args.a = b;
    wg_native_set_type(b, NULL);
    check(fails(ctx, demo_matmul_key_of(ctx, &args, &extra, &other), WG_E_DTYPE, "float16|bfloat16"), "another dtype");
    args.a = NULL;
    check(fails(ctx, demo_matmul_key_of(ctx, &args, &extra, &other), WG_E_NULL, "'a'"), "null");
    check(fails(ctx, demo_matmul_key_of(ctx, NULL, &extra, &other), WG_E_NULL, "matmul"), "no arguments at all");
    wg_release(ctx, a);
    a = borrow(ctx, WG_FLOAT16, 3, (const int64_t[]){1, 1, 1}, (const int64_t[]){1, 1, 1});
    args.a = a;
    check(fails(ctx, demo_matmul_key_of(ctx, &args, &extra, &other), WG_E_RANK, "expected 2, found 3"), "another rank");
    wg_release(ctx, a);
    wg_release(ctx, b);
}

/* Dims on both sides of what half a word holds, in a tensor without memory. */
static void test_large(WgContext *ctx)
{
    const int64_t most = INT32_MAX;
    demo_flat_key key;
    char text[128];
    const struct {
        int64_t sizes[2];
        int64_t strides[2];
        int wide;
    } cases[] = {
        {{most, 2}, {1, most}, 0},  {{most + 1, 0}, {1, 1}, 1},         {{2, 2}, {most + 1, 1}, 1},
        {{1, 2}, {most + 1, 1}, 0}, {{2, 1}, {1, INT64_C(1) << 40}, 0}, {{0, (INT64_C(1) << 32) + 1}, {7, 1}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const WgGeometry geometry = {cases[i].sizes, cases[i].strides, 0, 2};
        const uint64_t head = HEAD(0, 2, 14) | (cases[i].wide ? 32 : 0);
        uint64_t dims[4];
        WgTensor *t = NULL;
        if (wg_native_borrow(ctx, NULL, INT64_C(1) << 40, &geometry, WG_UINT8, WG_META * 256, NULL, NULL, &t) != 0) {
            check(0, "a large tensor");
            continue;
        }
        for (size_t d = 0; d < 2; d++) {
            const int free_stride = cases[i].sizes[d] == 1;
            const uint64_t stride = (uint64_t)cases[i].strides[d];
            dims[d] = cases[i].wide ? (uint64_t)cases[i].sizes[d] : DIM(cases[i].sizes[d], free_stride ? FREE : stride);
            dims[2 + d] = free_stride ? NONE : stride;
        }
        const int32_t status = demo_flat_key_of(ctx, &(const demo_flat_args){t}, &key);
        check(status == WG_OK && (cases[i].wide ? SAME(key, head, dims[0], dims[1], dims[2], dims[3])
                                                : SAME(key, head, dims[0], dims[1])),
              "dims near 2^31");
        (void)demo_flat_key_print(&key, text, sizeof text);
        printf("# %s\n", text);
        wg_native_set_type(t, &parameter);
        demo_flat_key same_key;
        check(demo_flat_key_of(ctx, &(const demo_flat_args){t}, &same_key) == WG_OK &&
                  demo_flat_key_equal(&key, &same_key) && demo_flat_key_hash(&key) == demo_flat_key_hash(&same_key),
              "and the same of a subclass");
        wg_release(ctx, t);
    }
}

static void test_dynamic(WgContext *ctx)
{
    demo_rows_args args;
    demo_rows_key key;
    WgTensor *x = borrow(ctx, WG_FLOAT32, 3, (const int64_t[]){1, 5, 0}, (const int64_t[]){7, 6, 1});
    args.x = x;
    /* buckets from bit 32 on: 1, static, 0; the size 5; and stride 0 of a dim of size 1 has no effect */
    check(demo_rows_key_of(ctx, &args, &key) == WG_OK && SAME(key, HEAD(6, 3, 255) | UINT64_C(0x0d) << 32, 5, NONE),
          "buckets of 0 and 1, a static dim, an extra stride without effect");
    wg_release(ctx, x);
    x = borrow(ctx, WG_FLOAT32, 3, (const int64_t[]){4, 5, 2}, (const int64_t[]){70, 6, 1});
    args.x = x;
    check(demo_rows_key_of(ctx, &args, &key) == WG_OK && SAME(key, HEAD(6, 3, 255) | UINT64_C(0x2e) << 32, 5, 70),
          "larger sizes share a bucket; the extra stride");
    wg_native_set_type(x, &symbolic);
    check(demo_rows_key_of(ctx, &args, &key) == WG_OK &&
              SAME(key, HEAD(6, 3, 255) | UINT64_C(0x2e) << 32 | 16, SYMBOL, 77, 5, 70),
          "a symbolic size: elements are not known");
    wg_release(ctx, x);
}

static void test_width(WgContext *ctx)
{
    demo_wide_args args;
    demo_wide_key key;
    demo_narrow_key narrow;
    WgTensor *last = meta(ctx, INT32_MAX);
    WgTensor *over = meta(ctx, (int64_t)INT32_MAX + 1);
    args.x = last;
    check(demo_wide_key_of(ctx, &args, &key) == WG_OK && SAME(key, HEAD(0, 1, 14) | UINT64_C(2) << 32),
          "2^31 - 1 elements: 32 bits do");
    args.x = over;
    check(demo_wide_key_of(ctx, &args, &key) == WG_OK && SAME(key, HEAD(0, 1, 14) | UINT64_C(2) << 32 | 16),
          "2^31 elements: they do not");
    check(demo_narrow_key_of(ctx, &(const demo_narrow_args){last}, &narrow) == WG_OK &&
              SAME(narrow, HEAD(0, 1, 14) | UINT64_C(2) << 32),
          "int32 at its limit");
    check(fails(ctx, demo_narrow_key_of(ctx, &(const demo_narrow_args){over}, &narrow), WG_E_SIZE,
                "expected 2147483647, found 2147483648"),
          "int32 over its limit");
    wg_release(ctx, last);
    wg_release(ctx, over);
}

static void test_values(WgContext *ctx)
{
    WgTensor *x = borrow(ctx, WG_FLOAT32, 1, (const int64_t[]){3}, (const int64_t[]){1});
    WgTensor *const items[] = {x, NULL, x};
    const demo_group_args_config config = {0.5, 1};
    const int64_t k = 3;
    double half = 0.5;
    uint64_t half_bits = 0;
    demo_group_args args;
    demo_group_key key;
    demo_group_key other;
    char longest[520];
    memcpy(&half_bits, &half, sizeof half);
    demo_group_defaults(&args);
    args.ts.items = items;
    args.ts.count = 3;
    args.options.item0 = 0.5;
    args.options.item1 = "abcdefghi";
    args.config = &config;
    args.to = WG_BOOL;
    args.where = 257;
    args.k = &k;
    const uint64_t head = HEAD(6, 1, 0) | UINT64_C(2) << 32;
    check(demo_group_key_of(ctx, &args, &key) == WG_OK &&
              SAME(key, 3, head, 0, 2, head, half_bits, 9, UINT64_C(0x6867666564636261), 0x69, 1, 1, 11, 257, 1, 1, 4,
                   UINT64_C(0x74736166), ABSENT),
          "a list with null in it and one tensor twice, strings, a record, dtype, device, what may be null");
    (void)demo_group_key_print(&key, longest, sizeof longest);
    check(strstr(longest, "null, tensor 0 again, float32[") != NULL, "a tensor that comes again is printed as such");
    args.config = NULL;
    args.k = NULL;
    args.mode = NULL;
    args.options.item0 = (double)NAN;
    args.ts.items = &items[1];
    args.ts.count = 2;
    check(demo_group_key_of(ctx, &args, &key) == WG_OK && SAME(key, 2, 0, head, UINT64_C(0x7ff8000000000000), 9,
                                                               UINT64_C(0x6867666564636261), 0x69, 0, 11, 257, 0, 0, 3),
          "nulls, a NaN, and an extra size of an item");
    args.options.item0 = (double)-NAN;
    check(demo_group_key_of(ctx, &args, &other) == WG_OK && demo_group_key_equal(&key, &other), "all NaNs are one");
    args.options.item0 = 0.0;
    (void)demo_group_key_of(ctx, &args, &key);
    args.options.item0 = -0.0;
    check(demo_group_key_of(ctx, &args, &other) == WG_OK && !demo_group_key_equal(&key, &other),
          "0.0 and -0.0 are two");
    (void)demo_group_key_print(&other, longest, sizeof longest);
    check(strstr(longest, "options=(-0.0, \"abcdefghi\")") != NULL, "a float is printed as Python prints it");
    args.ts.count = 0;
    check(fails(ctx, demo_group_key_of(ctx, &args, &key), WG_E_COUNT, "'ts'"), "too short a list");
    args.ts.count = 1;
    args.unused = &k;
    check(fails(ctx, demo_group_key_of(ctx, &args, &key), WG_E_VALUE, "'unused'"), "something where null must be");
    args.unused = NULL;
    args.to = 12;
    check(fails(ctx, demo_group_key_of(ctx, &args, &key), WG_E_DTYPE, "'to'"), "no dtype");
    args.to = WG_BOOL;
    args.where = -1;
    check(fails(ctx, demo_group_key_of(ctx, &args, &key), WG_E_DEVICE, "'where'"), "no device");
    args.where = 0;
    args.options.item1 = NULL;
    check(fails(ctx, demo_group_key_of(ctx, &args, &key), WG_E_NULL, "'options.1'"), "no string");
    memset(longest, 'x', sizeof longest);
    longest[504] = '\0';
    args.options.item1 = longest;
    check(demo_group_key_of(ctx, &args, &key) == WG_OK, "the longest string");
    longest[504] = 'x';
    longest[505] = '\0';
    check(fails(ctx, demo_group_key_of(ctx, &args, &key), WG_E_VALUE, "expected 504, found 505"), "too long a string");
    const demo_group_args_config wrong = {0.5, 2};
    args.options.item1 = "";
    args.config = &wrong;
    check(fails(ctx, demo_group_key_of(ctx, &args, &key), WG_E_VALUE, "'config.exact'"), "a bool that is 2");
    wg_release(ctx, x);
}

/* The cache of seven entries, put full one by one. */
static void test_cache(WgContext *ctx)
{
    enum { ENTRIES = 7, KEYS = 9 };
    static demo_wide_cache_entry entries[ENTRIES];
    static int values[KEYS];
    demo_matmul_cache empty;
    demo_wide_cache cache;
    demo_wide_key keys[KEYS];
    demo_matmul_key none = {0, {0}};
    int good = 1;
    for (int i = 0; i < KEYS; i++) {
        WgTensor *x = borrow(ctx, i, 1, (const int64_t[]){3}, (const int64_t[]){1});
        good = good && demo_wide_key_of(ctx, &(const demo_wide_args){x}, &keys[i]) == WG_OK;
        wg_release(ctx, x);
    }
    demo_wide_cache_init(&cache, entries, ENTRIES);
    for (int i = 0; i < ENTRIES; i++) {
        good = good && demo_wide_cache_find(&cache, &keys[i]) == NULL;
        good = good && demo_wide_cache_put(&cache, &keys[i], &values[i]) == 0;
        for (int j = 0; j < KEYS; j++) {
            good = good && demo_wide_cache_find(&cache, &keys[j]) == (j <= i ? &values[j] : NULL);
        }
    }
    check(good, "a cache finds what was put, and nothing else, until it is full");
    check(demo_wide_cache_put(&cache, &keys[ENTRIES], &values[0]) == -1 && cache.table.num_used == ENTRIES &&
              demo_wide_cache_find(&cache, &keys[ENTRIES]) == NULL,
          "a full one takes no more");
    check(demo_wide_cache_put(&cache, &keys[2], &values[8]) == 0 && cache.table.num_used == ENTRIES &&
              demo_wide_cache_find(&cache, &keys[2]) == &values[8] &&
              demo_wide_cache_find(&cache, &keys[2]) == &values[8] && demo_wide_cache_put(&cache, &keys[2], NULL) == -1,
          "but another value for a key it has");
    demo_matmul_cache_init(&empty, NULL, 0);
    check(demo_matmul_cache_find(&empty, &none) == NULL && demo_matmul_cache_put(&empty, &none, &none) == -1,
          "one without entries has nothing and takes nothing");
}

/* Keys in an order that repeats, so that each follows the one before as it did last time, then in any order. */
static void test_cache_in_turn(WgContext *ctx)
{
    enum { KEYS = 5, TURNS = 60 };
    static demo_wide_cache_entry entries[KEYS];
    static int values[KEYS];
    demo_wide_cache cache;
    WgTensor *t[KEYS];
    int good = 1;
    uint32_t state = 1;
    demo_wide_cache_init(&cache, entries, KEYS);
    for (int i = 0; i < KEYS; i++) {
        demo_wide_key key;
        t[i] = borrow(ctx, i, 1, (const int64_t[]){3}, (const int64_t[]){1});
        good = good && demo_wide_key_of(ctx, &(const demo_wide_args){t[i]}, &key) == WG_OK &&
               demo_wide_cache_put(&cache, &key, &values[i]) == 0;
    }
    for (int turn = 0; turn < 2 * TURNS; turn++) {
        void *value = NULL;
        state = state * 1664525 + 1013904223;
        const int i = turn < TURNS ? turn % KEYS : (int)(state >> 16) % KEYS;
        good = good && demo_wide_cache_find_call(&cache, ctx, &(const demo_wide_args){t[i]}, &value) == WG_OK &&
               value == &values[i] && demo_wide_cache_find(&cache, &cache.call) == &values[i];
        if (turn > KEYS && turn < TURNS) {
            const uint64_t *before = entries[0].words;
            for (int k = 0; k < KEYS; k++) {
                before = entries[k].words[1] == (uintptr_t)&values[(i + KEYS - 1) % KEYS] ? entries[k].words : before;
            }
            good = good && entries[before[3]].words[1] == (uintptr_t)value;
        }
    }
    check(good, "a cache finds keys in turn, notes what follows each, and finds them in any order");
    for (int i = 0; i < KEYS; i++) {
        wg_release(ctx, t[i]);
    }
}

/* What a call finds: after it was put, as the last one and as another, after it was replaced, and after a call that
 * failed. */
static void test_cache_of_calls(WgContext *ctx)
{
    static demo_flat_cache_entry entries[4];
    int values[2];
    void *value = NULL;
    demo_flat_cache cache;
    WgTensor *t[3];
    for (int i = 0; i < 2; i++) {
        t[i] = borrow(ctx, WG_FLOAT32, 2, (const int64_t[]){4, 3}, (const int64_t[]){3 + i, 1});
    }
    t[2] = borrow(ctx, WG_FLOAT32, 1, (const int64_t[]){4}, (const int64_t[]){1});
    demo_flat_cache_init(&cache, entries, 4);
    for (int i = 0; i < 2; i++) {
        const int32_t status = demo_flat_cache_find_call(&cache, ctx, &(const demo_flat_args){t[i]}, &value);
        check(status == WG_OK && value == NULL && demo_flat_cache_put(&cache, &cache.call, &values[i]) == 0,
              "a call that is new");
    }
    int good = 1;
    for (int i = 0; i < 12; i++) {
        const int which = i / 3 % 2;
        good = good && demo_flat_cache_find_call(&cache, ctx, &(const demo_flat_args){t[which]}, &value) == WG_OK &&
               value == &values[which];
    }
    check(good, "calls are found, the last one and others");
    (void)demo_flat_cache_put(&cache, &cache.call, &values[0]);
    check(demo_flat_cache_find_call(&cache, ctx, &(const demo_flat_args){t[1]}, &value) == WG_OK && value == &values[0],
          "another value for the last call");
    check(fails(ctx, demo_flat_cache_find_call(&cache, ctx, &(const demo_flat_args){t[2]}, &value), WG_E_RANK, "'x'") &&
              value == NULL,
          "a call that the kernel does not take");
    check(demo_flat_cache_find_call(&cache, ctx, &(const demo_flat_args){t[0]}, &value) == WG_OK && value != NULL,
          "and then one that it does");
    wg_native_set_type(t[0], &parameter);
    check(demo_flat_cache_find_call(&cache, ctx, &(const demo_flat_args){t[0]}, &value) == WG_OK && value == &values[0],
          "of a subclass too");
    for (int i = 0; i < 3; i++) {
        wg_release(ctx, t[i]);
    }
}

/* -7 // 2 is -4 and 6*5 % 16 is 14, as in Python. */
static void test_expressions(WgContext *ctx)
{
    demo_tiles_args args = {.step = -7};
    demo_tiles_key key;
    demo_steps_key steps;
    char text[256];
    const uint64_t head = HEAD(6, 2, 0);
    WgTensor *x = borrow(ctx, WG_FLOAT32, 2, (const int64_t[]){6, 4}, (const int64_t[]){4, 1});
    WgTensor *y = borrow(ctx, WG_FLOAT32, 2, (const int64_t[]){2, 5}, (const int64_t[]){5, 1});
    WgTensor *none = borrow(ctx, WG_FLOAT32, 2, (const int64_t[]){2, 0}, (const int64_t[]){1, 1});
    WgTensor *scalar = borrow(ctx, WG_FLOAT32, 0, NULL, NULL);
    args.x = x;
    args.y = y;
    check(demo_tiles_key_of(ctx, &args, &key) == WG_OK &&
              SAME(key, head | UINT64_C(10) << 32, head | UINT64_C(10) << 32, 1, 14, 1, UINT64_MAX - 3),
          "expressions: a remainder, and a quotient that rounds down");
    (void)demo_tiles_key_print(&key, text, sizeof text);
    check(strcmp(text, "tiles: x=float32[2+, 2+] on cpu; y=float32[2+, 2+] on cpu; step=int; (s0*s2 % 16)=14; "
                       "(s0 // s1)=-4") == 0,
          "and as text");
    wg_native_set_type(y, &symbolic);
    check(demo_tiles_key_of(ctx, &args, &key) == WG_OK &&
              SAME(key, head | UINT64_C(10) << 32, head | UINT64_C(14) << 32, SYMBOL, 77, 5, 2, 6, SYMBOL, 77, 5, 1,
                   UINT64_MAX - 3),
          "over a symbolic size: its numbers");
    (void)demo_tiles_key_print(&key, text, sizeof text);
    check(strstr(text, "; (s0*s2 % 16)={s0=6, s2=<77:5>}; (s0 // s1)=-4") != NULL, "and as text");
    args.y = NULL;
    check(demo_tiles_key_of(ctx, &args, &key) == WG_OK && SAME(key, head | UINT64_C(10) << 32, 0, 0, 0, 0, 0),
          "over a null: nothing");
    (void)demo_tiles_key_print(&key, text, sizeof text);
    check(strstr(text, "; (s0*s2 % 16)=none; (s0 // s1)=none") != NULL, "and as text");
    args.y = scalar;
    check(fails(ctx, demo_tiles_key_of(ctx, &args, &key), WG_E_OVERFLOW, "s0 // s1") && key.num_words == 0,
          "a division by 0");
    args.y = none;
    check(fails(ctx, demo_tiles_key_of(ctx, &args, &key), WG_E_SYMBOL, "symbol s2: at least 1"),
          "a number beyond the bounds of its symbol");
    check(demo_steps_key_of(ctx, &(const demo_steps_args){.step = 4}, &steps) == WG_OK && SAME(steps, 1, 1) &&
              demo_steps_key_of(ctx, &(const demo_steps_args){.step = 5}, &steps) == WG_OK && SAME(steps, 1, 0),
          "a condition is 1 or 0");
    check(fails(ctx, demo_steps_key_of(ctx, &(const demo_steps_args){.step = INT64_MIN}, &steps), WG_E_OVERFLOW,
                "s0*2 < 9"),
          "an overflow, where nothing else is tested");
    wg_release(ctx, x);
    wg_release(ctx, y);
    wg_release(ctx, none);
    wg_release(ctx, scalar);
}

int main(void)
{
    WgContext *ctx = NULL;
    if (wg_context_create(NULL, &ctx) != 0) {
        return 1;
    }
    test_static(ctx);
    test_large(ctx);
    test_dynamic(ctx);
    test_width(ctx);
    test_values(ctx);
    test_expressions(ctx);
    test_cache(ctx);
    test_cache_in_turn(ctx);
    test_cache_of_calls(ctx);
    wg_context_destroy(ctx);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
