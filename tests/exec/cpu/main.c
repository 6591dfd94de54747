/* SPDX-License-Identifier: MIT */
/*
 * Which variant is called on which machine, what a miss says, and what a line of /proc/cpuinfo means.
 */
#include "../exec.h"
#include "wrappers.h"

static const char *called;

#define VARIANT(name)                                                                                                  \
    int32_t name(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)                \
    {                                                                                                                  \
        (void)ctx, (void)args, (void)num_args, (void)outs;                                                             \
        called = #name;                                                                                                \
        *num_outs = 0;                                                                                                 \
        return WG_OK;                                                                                                  \
    }

VARIANT(dot_avx512)
VARIANT(dot_avx2)
VARIANT(dot_arm)
VARIANT(one_avx2)
VARIANT(one_any)

static const char *const x86 = "flags\t\t: fpu sse4_2 avx avx2 fma avx512f avx512vl\n";

/* Calls dot on a machine with that line. */
static int32_t on(WgContext *ctx, WgTensor *a, const char *line)
{
    const WgValue args[] = {wg_value_tensor(a)};
    size_t num_outs = 0;
    called = "none";
    wg_context_set_cpu(ctx, wg_cpu_features_of(line));
    return dot(ctx, args, 1, NULL, &num_outs);
}

static int calls(WgContext *ctx, WgTensor *a, const char *line, const char *variant)
{
    return on(ctx, a, line) == WG_OK && strcmp(called, variant) == 0;
}

static void test_choice(WgContext *ctx, WgTensor *a)
{
    check(calls(ctx, a, x86, "dot_avx512"), "the best one where all is there");
    check(calls(ctx, a, "flags\t\t: fpu avx2 avx512f fma\n", "dot_avx2"), "not the best one where a part is missing");
    check(calls(ctx, a, "Features\t: fp asimd asimddp\n", "dot_arm"), "the line of an Arm");
    check(on(ctx, a, "flags\t\t: fpu avx2x fma4 avx512fx\n") == WG_E_NO_VARIANT && strcmp(called, "none") == 0 &&
              error_says(ctx, "CPU feature"),
          "words that only begin alike are other words, and a miss names the feature");
    check(on(ctx, a, "") == WG_E_NO_VARIANT, "nothing is known");
    check(on(ctx, a, "avx2 fma\n") == WG_E_NO_VARIANT, "words count after the colon");
}

/* The machine that this runs on, read in another way. */
static void test_this_machine(void)
{
    WgContext *ctx = NULL;
    check(wg_context_create(NULL, &ctx) == 0, "a context");
    FILE *file = fopen("/proc/cpuinfo", "r");
    char word[64] = "";
    int listed = 0;
    int avx2 = 0;
    while (file != NULL && fscanf(file, "%63s", word) == 1) {
        listed = listed || strcmp(word, "flags") == 0 || strcmp(word, "Features") == 0;
        avx2 = avx2 || (listed && strcmp(word, "avx2") == 0);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    check((int)(wg_cpu(ctx) >> WG_CPU_AVX2 & 1) == avx2, "this machine is read");
    wg_context_destroy(ctx);
}

static void test_fork(WgContext *ctx, WgTensor *a)
{
    WgContext *fork = NULL;
    wg_context_set_cpu(ctx, UINT64_C(1) << WG_CPU_AVX2);
    check(wg_context_fork(ctx, &fork) == 0, "a fork");
    const one_args args = {a};
    check(wg_cpu(fork) == UINT64_C(1) << WG_CPU_AVX2 && one_select(fork, &args) == 0, "a fork has the same machine");
    wg_context_set_cpu(fork, 0);
    check(one_select(fork, &args) == 1 && one_select(ctx, &args) == 0, "and one of its own when that is set");
    wg_context_destroy(fork);
}

int main(void)
{
    WgContext *ctx = NULL;
    const int64_t sizes[] = {2};
    const double values[] = {1, 2};
    check(wg_context_create(NULL, &ctx) == 0, "a context");
    WgTensor *a = make(ctx, 1, sizes, values);
    test_choice(ctx, a);
    test_this_machine();
    test_fork(ctx, a);
    wg_release(ctx, a);
    wg_context_destroy(ctx);
    return closing();
}
