/* SPDX-License-Identifier: MIT */
/*
 * test_errors.c - errors in a context, their text, and names. The text is our own; the names of dtypes and devices are
 * PyTorch's (str(torch.float8_e4m3fn), torch.device("cuda:1")).
 */
#include "check.h"
#include "wg_native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static WgContext *ctx;
static WgTensor *t; /* float32 [2, 3], strides [3, 1], offset 1 */
static _Alignas(64) float memory[16];

static void begin(void)
{
    const WgGeometry geometry = {(int64_t[]){2, 3}, (int64_t[]){3, 1}, 1, 2};
    CHECK_EQUAL(wg_context_create(NULL, &ctx), 0);
    CHECK_EQUAL(wg_native_borrow(ctx, memory, 64, &geometry, WG_FLOAT32, WG_CUDA * 256 + 1, NULL, NULL, &t), 0);
}

static void end(void)
{
    wg_release(ctx, t);
    wg_context_destroy(ctx);
}

static void check_text(const char *expected)
{
    char text[256];
    const size_t length = wg_error_text(wg_error(ctx), text, sizeof text);
    CHECK_EQUAL(length, strlen(expected));
    if (strcmp(text, expected) != 0) {
        check_bad++;
        printf("# found    %s\n# expected %s\n", text, expected);
    }
}

static const WgSite site = {"block", "x", "graphs.block.inputs.x", WG_E_INTERNAL, WG_KIND_NONE};

typedef struct FactCase {
    WgFact fact;
    int32_t code;
    const char *text; /* null: the fact holds */
} FactCase;

static const FactCase facts[] = {
    {{WG_RULE_DTYPE, -1, WG_FLOAT32}, 0, NULL},
    {{WG_RULE_DTYPE, -1, WG_BFLOAT16}, WG_E_DTYPE, "dtype: expected bfloat16, found float32"},
    {{WG_RULE_DTYPE, -1, 99}, WG_E_DTYPE, "dtype: expected ?, found float32"},
    {{WG_RULE_RANK, -1, 2}, 0, NULL},
    {{WG_RULE_RANK, -1, 0}, WG_E_RANK, "number of dimensions: expected 0, found 2"},
    {{WG_RULE_SIZE, 1, 3}, 0, NULL},
    {{WG_RULE_SIZE, 1, 4}, WG_E_SIZE, "size of dimension 1: expected 4, found 3"},
    {{WG_RULE_SIZE, 2, 4}, WG_E_SIZE, "size of dimension 2: expected 4, found -1"},
    {{WG_RULE_STRIDE, 0, 3}, 0, NULL},
    {{WG_RULE_STRIDE, 0, INT64_MIN}, WG_E_STRIDE, "stride of dimension 0: expected -9223372036854775808, found 3"},
    {{WG_RULE_OFFSET, -1, 1}, 0, NULL},
    {{WG_RULE_OFFSET, -1, 0}, WG_E_OFFSET, "storage offset: expected 0, found 1"},
    {{WG_RULE_DEVICE, -1, 257}, 0, NULL},
    {{WG_RULE_DEVICE, -1, 256}, WG_E_DEVICE, "device: expected cuda:0, found cuda:1"},
    {{WG_RULE_DEVICE, -1, WG_CPU}, WG_E_DEVICE, "device: expected cpu, found cuda:1"},
    {{WG_RULE_DEVICE_TYPE, -1, WG_CUDA}, 0, NULL},
    {{WG_RULE_DEVICE_TYPE, -1, WG_META}, WG_E_DEVICE, "device: expected meta, found cuda"},
    {{WG_RULE_ALIGNMENT, -1, 4}, 0, NULL},
    {{WG_RULE_ALIGNMENT, -1, 16},
     WG_E_ALIGNMENT,
     "alignment of the data pointer: expected a multiple of 16, found a remainder of 4"},
};

/* Each fact after one that holds: the first that does not is named. */
static void test_facts(void)
{
    begin();
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const WgFact two[2] = {{WG_RULE_RANK, -1, 2}, facts[i].fact};
        char expected[256];
        const int32_t code = wg_fail_tensor(ctx, &site, t, two, 2);
        CHECK_EQUAL(code, facts[i].text == NULL ? WG_E_INTERNAL : facts[i].code);
        CHECK_EQUAL(wg_error(ctx)->status, code);
        if (facts[i].text != NULL) {
            CHECK_EQUAL(wg_error(ctx)->dimension, facts[i].fact.dimension);
            snprintf(expected, sizeof expected, "block: 'x': %s (graphs.block.inputs.x) [%s]", facts[i].text,
                     wg_status_name(code));
            check_text(expected);
        }
    }
    end();
}

static void test_null_and_type(void)
{
    static const WgType type = {.name = "DTensor"};
    begin();
    CHECK_EQUAL(wg_fail_tensor(ctx, &site, NULL, NULL, 0), WG_E_NULL);
    check_text("block: 'x': is a null pointer (graphs.block.inputs.x) [WG_E_NULL]");
    wg_native_set_type(t, &type);
    CHECK_EQUAL(wg_fail_tensor(ctx, &site, t, NULL, 0), WG_E_TYPE);
    check_text("block: 'x': tensor type: expected tensor, found DTensor (graphs.block.inputs.x) [WG_E_TYPE]");
    end();
}

typedef struct RealCase {
    double real;
    const char *text; /* Python's repr */
} RealCase;

static const RealCase reals[] = {
    {2.5, "2.5"},
    {0.1, "0.1"},
    {0.0, "0.0"},
    {-0.0, "-0.0"},
    {-100.0, "-100.0"},
    {1.0 / 3.0, "0.3333333333333333"},
    {0.0001, "0.0001"},
    {0.00001, "1e-05"},
    {1e15, "1000000000000000.0"},
    {1e16, "1e+16"},
    {9999999999999998.0, "9999999999999998.0"},
    {1e23, "1e+23"},
    {111659285584252.125, "111659285584252.12"}, /* half way: the even digit */
    {0x1p-1074, "5e-324"},
    {0x1.fffffffffffffp1023, "1.7976931348623157e+308"},
    {0x1p-1022, "2.2250738585072014e-308"},
    {(double)INFINITY, "inf"},
    {-(double)INFINITY, "-inf"},
    {(double)NAN, "nan"},
};

/* Floats in messages, and which of them are the same to wg_is_real(). */
static void test_reals(void)
{
    static const WgSite value = {"block", "rate", "value", WG_E_VALUE, WG_KIND_REAL};
    begin();
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        char expected[128];
        CHECK_EQUAL(wg_fail(ctx, &value, -1, wg_value_real(0.5), wg_value_real(reals[i].real)), WG_E_VALUE);
        snprintf(expected, sizeof expected, "block: 'rate': value: expected 0.5, found %s (value) [WG_E_VALUE]",
                 reals[i].text);
        check_text(expected);
        for (size_t j = 0; j < sizeof reals / sizeof reals[0]; j++) {
            CHECK_EQUAL(wg_is_real(reals[i].real, wg_value_real(reals[j].real).integer), i == j);
        }
    }
    CHECK(wg_is_real((double)NAN, INT64_C(0x7ff8000000000001)));
    CHECK(wg_is_real(-(double)NAN, INT64_C(0x7ff8000000000001)));
    CHECK(!wg_is_real((double)INFINITY, INT64_C(0x7ff8000000000001)));
    end();
}

static void test_other_sites(void)
{
    static const WgSite count = {"block", NULL, NULL, WG_E_COUNT, WG_KIND_INTEGER};
    static const WgSite host = {"block", "out", "mutation", WG_E_INTERNAL, WG_KIND_NONE};
    begin();
    check_text("no error");
    CHECK_EQUAL(wg_fail(ctx, &count, -1, wg_value_integer(3), wg_value_integer(2)), WG_E_COUNT);
    check_text("block: number of values: expected 3, found 2 [WG_E_COUNT]");
    CHECK(wg_error(ctx)->site == &count);
    CHECK_EQUAL(wg_fail_host(ctx, &host, WG_NATIVE_E_OVERLAP), WG_E_HOST);
    CHECK_EQUAL(wg_error(ctx)->found.integer, WG_NATIVE_E_OVERLAP);
    check_text("block: 'out': an operation of the tensor library failed: status 1011, WG_NATIVE_E_OVERLAP (mutation) "
               "[WG_E_HOST]");
    CHECK_EQUAL(wg_fail_host(ctx, &host, -5), WG_E_HOST);
    check_text("block: 'out': an operation of the tensor library failed: status -5 (mutation) [WG_E_HOST]");
    wg_error_clear(ctx);
    CHECK(wg_error(ctx)->site == NULL);
    check_text("no error");
    end();
}

/* The values of a guard's symbols. The first few are kept; no later error has them. */
static void test_guard(void)
{
    static const WgSite guard = {"block", NULL, "s0 < s1", WG_E_GUARD, WG_KIND_NONE};
    static const WgSite count = {"block", NULL, NULL, WG_E_COUNT, WG_KIND_INTEGER};
    const int64_t v[] = {3, -2, 5, 7, 11, 13, 17, INT64_MIN, 23, 29};
    begin();
    CHECK_EQUAL(wg_fail_guard(ctx, &guard, "s0, s1", 2, v[0], v[1]), WG_E_GUARD);
    CHECK_EQUAL(wg_error(ctx)->num_values, 2);
    CHECK_EQUAL(wg_error(ctx)->values[1], -2);
    check_text("block: condition on sizes does not hold: s0 = 3, s1 = -2 (s0 < s1) [WG_E_GUARD]");
    CHECK_EQUAL(wg_fail_guard(ctx, &guard, "a, b, c, d, e, f, g, h, i, j", 10, v[0], v[1], v[2], v[3], v[4], v[5], v[6],
                              v[7], v[8], v[9]),
                WG_E_GUARD);
    check_text("block: condition on sizes does not hold: a = 3, b = -2, c = 5, d = 7, e = 11, f = 13, g = 17, "
               "h = -9223372036854775808, ... (s0 < s1) [WG_E_GUARD]");
    CHECK_EQUAL(wg_fail(ctx, &count, -1, wg_value_integer(3), wg_value_integer(2)), WG_E_COUNT);
    CHECK(wg_error(ctx)->symbols == NULL);
    CHECK_EQUAL(wg_error(ctx)->num_values, 0);
    end();
}

/* A compiled function that fails: its number, unless a wrapper inside it has said more. */
static void test_compiled(void)
{
    static const WgSite outer = {"outer", NULL, NULL, WG_E_COMPILED, WG_KIND_STATUS};
    static const WgSite inner = {"inner", "y", NULL, WG_E_RANK, WG_KIND_INTEGER};
    begin();
    wg_error_clear(ctx);
    CHECK_EQUAL(wg_fail_compiled(ctx, &outer, -7), WG_E_COMPILED);
    check_text("outer: the compiled function failed: status -7 [WG_E_COMPILED]");
    wg_error_clear(ctx);
    CHECK_EQUAL(wg_fail(ctx, &inner, -1, wg_value_integer(1), wg_value_integer(2)), WG_E_RANK);
    CHECK_EQUAL(wg_fail_compiled(ctx, &outer, WG_E_RANK), WG_E_RANK);
    check_text("inner: 'y': number of dimensions: expected 1, found 2 [WG_E_RANK]");
    end();
}

/* Like snprintf: for any capacity the length is the same, and the text is cut and terminated. */
static void test_capacity(void)
{
    static const WgSite count = {"block", NULL, NULL, WG_E_COUNT, WG_KIND_INTEGER};
    begin();
    wg_fail(ctx, &count, -1, wg_value_integer(3), wg_value_integer(-2));
    char whole[128];
    const size_t length = wg_error_text(wg_error(ctx), whole, sizeof whole);
    CHECK_EQUAL(wg_error_text(wg_error(ctx), NULL, 0), length);
    for (size_t capacity = 1; capacity < length + 3; capacity++) {
        char *part = malloc(capacity); /* so that a byte too many is seen */
        CHECK_EQUAL(wg_error_text(wg_error(ctx), part, capacity), length);
        CHECK_EQUAL(strlen(part), capacity > length ? length : capacity - 1);
        CHECK(memcmp(part, whole, strlen(part)) == 0);
        free(part);
    }
    end();
}

static void test_names(void)
{
    CHECK(strcmp(wg_dtype_name(WG_FLOAT8_E4M3FN), "float8_e4m3fn") == 0);
    CHECK(strcmp(wg_dtype_name(WG_BOOL), "bool") == 0);
    CHECK(strcmp(wg_dtype_name(13), "?") == 0);
    CHECK(strcmp(wg_device_type_name(WG_PRIVATEUSE1), "privateuseone") == 0);
    CHECK(strcmp(wg_device_type_name(3), "?") == 0);
    CHECK(strcmp(wg_status_name(WG_E_NO_VARIANT), "WG_E_NO_VARIANT") == 0);
    CHECK(strcmp(wg_status_name(-1), "?") == 0);
    CHECK(strcmp(wg_status_name(WG_E_INTERNAL + 1), "?") == 0);
    CHECK(strcmp(wg_native_code_text(WG_NATIVE_E_SIZE), "a size is negative") == 0);
    CHECK(wg_native_code_text(WG_NATIVE_OK) == NULL);
    CHECK(wg_native_code_text(WG_NATIVE_E_BASE) == NULL);
    CHECK(wg_native_code_text(WG_NATIVE_E_READ_ONLY + 1) == NULL);
}

/* A [2, 2] tensor of a transposed view, by hand. */
static void test_tensor_text(void)
{
    char text[256];
    WgTensor *base = NULL;
    WgTensor *view = NULL;
    const WgGeometry turned = {(int64_t[]){2, 2}, (int64_t[]){1, 2}, 0, 2};
    CHECK_EQUAL(wg_context_create(NULL, &ctx), 0);
    CHECK_EQUAL(wg_native_zeros(ctx, WG_COMPLEX64, 2, (int64_t[]){2, 2}, &base), 0);
    for (int i = 0; i < 4; i++) {
        wg_native_set_complex(base, i, i, -0.5);
    }
    CHECK_EQUAL(wg_as_strided(ctx, base, &turned, &view), 0);
    const char *expected = "tensor [2, 2] complex64 cpu, strides [1, 2]\n"
                           "  [[0-0.5i, 2-0.5i],\n"
                           "   [1-0.5i, 3-0.5i]]\n";
    CHECK_EQUAL(wg_native_text(view, text, sizeof text), strlen(expected));
    CHECK(strcmp(text, expected) == 0);
    CHECK_EQUAL(wg_native_text(view, text, 8), strlen(expected));
    CHECK(strcmp(text, "tensor ") == 0);
    wg_release(ctx, view);
    wg_release(ctx, base);
    wg_context_destroy(ctx);
}

int main(void)
{
    run("the first fact that does not hold is named", test_facts);
    run("null pointers and subclasses are named before the facts", test_null_and_type);
    run("floats in messages", test_reals);
    run("errors of other sites, and clearing them", test_other_sites);
    run("a guard's error has the values of its symbols", test_guard);
    run("a nested wrapper's error is kept", test_compiled);
    run("text is cut to the room there is", test_capacity);
    run("numbers have names", test_names);
    run("a tensor is shown as text", test_tensor_text);
    return finish();
}
