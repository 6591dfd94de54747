/* SPDX-License-Identifier: MIT */
/*
 * What the overlap tests of a call cost: basic blocks that the generated function enters, counted by the compiler's own
 * instrumentation (-fsanitize-coverage=trace-pc), for 1,000 and for 2,000 inputs, every other one written. Twice the
 * inputs may take little more than twice as long, whatever the memory looks like, whether the call is refused or not.
 */
#include "../exec/exec.h"
#include "wrappers.h"

enum { FEW = 1000, MANY = 2000, SCRATCH = T_MANY_SCRATCH };

static uint64_t num_blocks;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    num_blocks++;
}

static float memory[4 * MANY];

int32_t kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx;
    (void)args;
    (void)num_args;
    (void)outs;
    *num_outs = 0;
    return 0;
}

/* ---- layouts: where an input's four elements begin ---- */

static size_t ascending(size_t i, size_t n)
{
    (void)n;
    return 4 * i;
}

static size_t descending(size_t i, size_t n)
{
    return 4 * (n - 1 - i);
}

static size_t scattered(size_t i, size_t n)
{
    return 4 * (i * 7919 % n); /* a prime that divides neither */
}

/* All that are only read are the same memory. */
static size_t crowded(size_t i, size_t n)
{
    (void)n;
    return i % 2 == 0 ? 4 * (i + 1) : 0;
}

/* The last written one is also read. */
static size_t late(size_t i, size_t n)
{
    return i + 1 < n ? 4 * i : 4 * (n - 2);
}

/* Everything is in one place. */
static size_t piled(size_t i, size_t n)
{
    (void)n;
    return i % 4;
}

typedef struct Layout {
    const char *name;
    size_t (*at)(size_t i, size_t n);
    const char *refused[2]; /* the argument that is named, of few and of many; null: none */
} Layout;

static const Layout layouts[] = {
    {"one after the other", ascending, {NULL, NULL}},
    {"one before the other", descending, {NULL, NULL}},
    {"in no order", scattered, {NULL, NULL}},
    {"those that are read all the same", crowded, {NULL, NULL}},
    {"the last one that is written is read too", late, {"x998", "x1998"}},
    {"all in one place", piled, {"x0", "x0"}},
};

/* Blocks that a call enters; 0 when it does not end as it should. */
static uint64_t blocks_of(WgContext *ctx, const Layout *layout, int many)
{
    static WgValue in[MANY];
    const size_t n = many ? MANY : FEW;
    const int64_t size = 4;
    const int64_t stride = 1;
    for (size_t i = 0; i < n; i++) {
        const WgGeometry geometry = {&size, &stride, (int64_t)layout->at(i, n), 1};
        (void)wg_native_borrow(ctx, memory, sizeof memory, &geometry, WG_FLOAT32, WG_CPU, NULL, NULL, &in[i].tensor);
    }
    num_blocks = 0;
    const int32_t status = many ? t_many_boxed(ctx, in, n, NULL, 0) : t_few_boxed(ctx, in, n, NULL, 0);
    const uint64_t entered = num_blocks;
    const char *refused = layout->refused[many];
    const char *named = status == WG_E_OVERLAP ? wg_error(ctx)->site->argument : NULL;
    for (size_t i = 0; i < n; i++) {
        wg_release(ctx, in[i].tensor);
    }
    if (refused == NULL ? status != WG_OK : named == NULL || strcmp(named, refused) != 0) {
        printf("# status %s, '%s'\n", wg_status_name(status), named != NULL ? named : "");
        return 0;
    }
    return entered;
}

static void test_layout(WgContext *ctx, const Layout *layout)
{
    const uint64_t few = blocks_of(ctx, layout, 0);
    const uint64_t many = blocks_of(ctx, layout, 1);
    printf("# %s: %llu blocks, %llu for twice the inputs\n", layout->name, (unsigned long long)few,
           (unsigned long long)many);
    check(few > FEW && many > MANY && many * 10 <= few * 23, layout->name);
    WgValue *all = wg_scratch_take(ctx, SCRATCH);
    check(all != NULL, "its scratch was given back");
    if (all != NULL) {
        wg_scratch_give(ctx, SCRATCH);
    }
}

int main(void)
{
    WgContext *ctx = NULL;
    check(wg_context_create(NULL, &ctx) == 0, "a context");
    check(wg_context_reserve(ctx, SCRATCH - 1) == 0, "a value less of scratch than it takes");
    check(blocks_of(ctx, &layouts[0], 1) == 0 && wg_error(ctx)->status == WG_E_SCRATCH, "is too little");
    check(wg_context_reserve(ctx, SCRATCH) == 0, "scratch");
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        test_layout(ctx, &layouts[i]);
    }
    wg_context_destroy(ctx);
    return closing();
}
