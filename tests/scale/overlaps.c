/* SPDX-License-Identifier: MIT */
/*
 * What the overlap tests of a call cost: basic blocks that the generated function and wg_overlap.c enter, counted by
 * the compiler's own instrumentation (-fsanitize-coverage=trace-pc), for 1,000 and for 2,000 inputs, every other one
 * written. Twice the inputs may take little more than twice as long, whatever the memory looks like, whether the call
 * is refused or not.
 */
#include "../exec/exec.h"
#include "wrappers.h"

enum { FEW = 1000, MANY = 2000, SCRATCH = T_MANY_SCRATCH, SHIFTS = 8, STEP = 509 };

static uint64_t num_blocks;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    num_blocks++;
}

static float memory[8 * MANY + SHIFTS * STEP];

int32_t kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx;
    (void)args;
    (void)num_args;
    (void)outs;
    *num_outs = 0;
    return 0;
}

/* ---- layouts: where an input's elements lie, two rows of two unless the layout says otherwise ---- */

typedef struct Place {
    int64_t sizes[2];
    int64_t strides[2];
    int64_t offset;
} Place;

static Place four_at(size_t offset)
{
    return (Place){{2, 2}, {2, 1}, (int64_t)offset};
}

static Place ascending(size_t i, size_t n)
{
    (void)n;
    return four_at(4 * i);
}

static Place descending(size_t i, size_t n)
{
    return four_at(4 * (n - 1 - i));
}

static size_t shuffled(size_t i, size_t n)
{
    return i * 7919 % n; /* a prime that divides neither */
}

static Place scattered(size_t i, size_t n)
{
    return four_at(4 * shuffled(i, n));
}

/* All that are only read are the same memory. */
static Place crowded(size_t i, size_t n)
{
    (void)n;
    return four_at(i % 2 == 0 ? 4 * (i + 1) : 0);
}

/* The last written one is also read. */
static Place late(size_t i, size_t n)
{
    return four_at(i + 1 < n ? 4 * i : 4 * (n - 2));
}

/* Everything is in one place. */
static Place piled(size_t i, size_t n)
{
    (void)n;
    return four_at(i % 4);
}

/* Two columns of a matrix that has four rows, or all of them. */
static Place columns(size_t i, size_t n)
{
    return (Place){{4, 2}, {2 * (int64_t)n, 1}, 2 * (int64_t)shuffled(i, n)};
}

/* The same, but the last written one shares a corner with the last of all. */
static Place columns_late(size_t i, size_t n)
{
    Place place = columns(i, n);
    if (i + 1 == n) {
        place = (Place){{1, 1}, {1, 1}, columns(n - 2, n).offset + 3 * place.strides[0] + 1};
    }
    return place;
}

/* Blocks of a matrix that has 50 of them in a row. */
static Place blocks(size_t i, size_t n)
{
    const size_t at = shuffled(i, n);
    return (Place){{2, 2}, {100, 1}, (int64_t)(at / 50 * 200 + at % 50 * 2)};
}

/* Every other row, and every other column, of a pair of blocks of the same kind: neither is apart from its pair by rows
 * and columns alone, and not all have the same steps. */
static Place combs(size_t i, size_t n)
{
    const size_t at = shuffled(i, n);
    const size_t pair = at / 2;
    const size_t corner = pair / 25 * 400 + pair % 25 * 4;
    const int wide = at % 4 >= 2;
    return wide ? (Place){{2, 4}, {200, 1}, (int64_t)(corner + at % 2 * 100)}
                : (Place){{4, 2}, {100, 2}, (int64_t)(corner + at % 2)};
}

/* Slices of a vector, of two steps: those of one are the even elements, those of the other, which is twice as long, the
 * odd ones. */
static Place slices(size_t i, size_t n)
{
    const int64_t third = ((int64_t)n + 5) / 6 * 2; /* even, so that whether a tensor is written is the same in both */
    const int64_t at = (int64_t)shuffled(i, n);
    return at < third ? (Place){{1, 4}, {1, 2 * third}, 2 * at} : (Place){{1, 4}, {1, 4 * third}, 2 * (at - third) + 1};
}

typedef struct Layout {
    const char *name;
    Place (*at)(size_t i, size_t n);
    const char *refused[2]; /* the argument that is named, of few and of many; null: none */
} Layout;

static const Layout layouts[] = {
    {"one after the other", ascending, {NULL, NULL}},
    {"one before the other", descending, {NULL, NULL}},
    {"in no order", scattered, {NULL, NULL}},
    {"those that are read all the same", crowded, {NULL, NULL}},
    {"the last one that is written is read too", late, {"x998", "x1998"}},
    {"all in one place", piled, {"x0", "x0"}},
    {"columns of one matrix", columns, {NULL, NULL}},
    {"columns; the last two meet", columns_late, {"x998", "x1998"}},
    {"blocks of one matrix", blocks, {NULL, NULL}},
    {"combs that interleave in blocks of one matrix", combs, {NULL, NULL}},
    {"slices of one vector, of two steps", slices, {NULL, NULL}},
};

/* Blocks that a call enters with the layout that far into the memory; 0 when it does not end as it should. */
static uint64_t blocks_at(WgContext *ctx, const Layout *layout, int many, size_t shift)
{
    static WgValue in[MANY];
    const size_t n = many ? MANY : FEW;
    for (size_t i = 0; i < n; i++) {
        const Place place = layout->at(i, n);
        const WgGeometry geometry = {place.sizes, place.strides, place.offset, 2};
        in[i].tensor = NULL;
        if (wg_native_borrow(ctx, memory + shift, sizeof memory - shift * sizeof *memory, &geometry, WG_FLOAT32, WG_CPU,
                             NULL, NULL, &in[i].tensor) != 0) {
            printf("# input %zu is not within the memory\n", i);
        }
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

/* Of several calls: which ranges are compared depends on addresses, which differ from run to run. 0 when one of them
 * does not end as it should. */
static uint64_t blocks_of(WgContext *ctx, const Layout *layout, int many)
{
    uint64_t sum = 0;
    for (size_t shift = 0; shift < SHIFTS * STEP; shift += STEP) {
        const uint64_t entered = blocks_at(ctx, layout, many, shift);
        if (entered == 0) {
            return 0;
        }
        sum += entered;
    }
    return sum;
}

static void test_layout(WgContext *ctx, const Layout *layout)
{
    const uint64_t few = blocks_of(ctx, layout, 0);
    const uint64_t many = blocks_of(ctx, layout, 1);
    printf("# %s: %llu blocks, %llu for twice the inputs\n", layout->name, (unsigned long long)few,
           (unsigned long long)many);
    check(few > FEW * SHIFTS && many > MANY * SHIFTS && many * 10 <= few * 23, layout->name);
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
