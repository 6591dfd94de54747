/* SPDX-License-Identifier: MIT */
/*
 * Guards: which calls they accept, in which order they are tested, and what an error says.
 */
#include "../exec.h"
#include "wrappers.h"

static int num_calls;

int32_t kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx;
    (void)args;
    (void)num_args;
    (void)outs;
    num_calls++;
    *num_outs = 0;
    return 0;
}

typedef int32_t Boxed(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t num_outs);

static int32_t call(WgContext *ctx, Boxed *graph, int64_t x, int64_t y, int64_t z)
{
    const WgValue args[] = {wg_value_integer(x), wg_value_integer(y), wg_value_integer(z)};
    return graph(ctx, args, 3, NULL, 0);
}

/* ---- values ---- */

enum { LOWEST = -4, HIGHEST = 5 };

static void test_values(WgContext *ctx, int number, Boxed *graph, const char *expected)
{
    int wrong = 0;
    for (int64_t a = LOWEST; a <= HIGHEST; a++) {
        for (int64_t b = LOWEST; b <= HIGHEST; b++) {
            for (int64_t c = LOWEST; c <= HIGHEST; c++) {
                const int32_t due = *expected++ == '1' ? WG_OK : WG_E_GUARD;
                wrong += call(ctx, graph, a, b, c) != due;
            }
        }
    }
    char name[64];
    snprintf(name, sizeof name, "guard %d accepts what Python does", number);
    check(wrong == 0 && *expected == '\0', name);
}

/* ---- messages ---- */

static void test_text(WgContext *ctx, int32_t status, const char *expected)
{
    char text[300];
    (void)wg_error_text(wg_error(ctx), text, sizeof text);
    if (strcmp(text, expected) != 0) {
        printf("# %s\n", text);
    }
    check(status == wg_error(ctx)->status && strcmp(text, expected) == 0, expected);
}

static void test_order(WgContext *ctx)
{
    check(call(ctx, t_ordered_boxed, 64, 1, 5) == WG_OK, "all of them hold");
    test_text(ctx, call(ctx, t_ordered_boxed, 8, 9, 5),
              "ordered: condition on sizes does not hold: n = 8, b = 9 (n >= 4 and b < 9) [WG_E_GUARD]");
    test_text(ctx, call(ctx, t_ordered_boxed, 8, -1000, 5),
              "ordered: condition on sizes does not hold: b = -1000 (b*b < 1000000) [WG_E_GUARD]");
    test_text(ctx, call(ctx, t_ordered_boxed, 8, INT64_MIN, 5),
              "ordered: overflow or division by zero in a size expression (b*b < 1000000) [WG_E_OVERFLOW]");
    test_text(ctx, call(ctx, t_ordered_boxed, 8, 3, 8),
              "ordered: condition on sizes does not hold: n = 8, a = 8 (n < a or n == 64) [WG_E_GUARD]");
    test_text(ctx, call(ctx, t_ordered_boxed, 8, 3, 9),
              "ordered: condition on sizes does not hold: a = 9, n = 8, b = 3 (not n < a or b != 3) [WG_E_GUARD]");
    check(call(ctx, t_ordered_boxed, 6, 3, 9) == WG_E_SYMBOL, "bounds come first");
}

static void test_late(WgContext *ctx)
{
    const int64_t sizes[] = {2, 2};
    WgTensor *t = NULL;
    check(wg_native_empty(ctx, WG_FLOAT32, 2, sizes, &t) == 0, "a tensor");
    const WgValue args[] = {wg_value_tensor(t)};
    num_calls = 0;
    const int32_t status = t_late_boxed(ctx, args, 1, NULL, 0);
    test_text(ctx, status, "late: condition on sizes does not hold: a = 2, b = 2 (a != b) [WG_E_GUARD]");
    check(num_calls == 0 && wg_version(ctx, t) == 0, "nothing was done");
    wg_release(ctx, t);
    const WgValue numbers[] = {wg_value_integer(1), wg_value_integer(2)};
    check(t_unchecked_boxed(ctx, numbers, 2, NULL, 0) == WG_OK, "without checks the caller vouches for guards, too");
}

int main(void)
{
    static const char *const expected[] = {
#define EXPECTED(number, bits) [number] = bits,
#include "expected.inc"
#undef EXPECTED
    };
    static Boxed *const graphs[] = {t_g0_boxed,  t_g1_boxed,  t_g2_boxed,  t_g3_boxed, t_g4_boxed,
                                    t_g5_boxed,  t_g6_boxed,  t_g7_boxed,  t_g8_boxed, t_g9_boxed,
                                    t_g10_boxed, t_g11_boxed, t_g12_boxed, t_g13_boxed};
    WgContext *ctx = NULL;
    check(wg_context_create(NULL, &ctx) == 0, "a context");
    _Static_assert(sizeof graphs / sizeof *graphs == sizeof expected / sizeof *expected, "one for each");
    for (int i = 0; i < (int)(sizeof graphs / sizeof *graphs); i++) {
        test_values(ctx, i, graphs[i], expected[i]);
    }
    test_order(ctx);
    test_late(ctx);
    wg_context_destroy(ctx);
    return closing();
}
