/* SPDX-License-Identifier: MIT */
/*
 * What it costs to see that no result is another one or an argument, counted in basic blocks as in overlaps.c, for
 * 1,000 and for 2,000 of each. Twice as many may take little more than twice as long, whether there is such a result or
 * not.
 */
#include "../exec/exec.h"
#include "wrappers.h"

enum { FEW = 1000, MANY = 2000 };

static uint64_t num_blocks;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    num_blocks++;
}

/* What the last result is. */
typedef enum Last { OF_ITS_OWN, AN_ARGUMENT, THE_ONE_BEFORE } Last;

static Last last;

static void give(WgContext *ctx, WgTensor *t, WgValue *out)
{
    if (wg_retain(ctx, t, &out->tensor) != 0) {
        printf("# no reference\n");
    }
}

int32_t kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t size = 1;
    static const double value = 0;
    for (size_t i = 0; i < num_args; i++) {
        if (i + 1 == num_args && last != OF_ITS_OWN) {
            give(ctx, last == AN_ARGUMENT ? args[i].tensor : outs[i - 1].tensor, &outs[i]);
        } else {
            outs[i].tensor = make(ctx, 1, &size, &value);
        }
    }
    *num_outs = num_args;
    return 0;
}

/* Blocks that a call enters; 0 when it does not end as it should: with results that are objects of their own. */
static uint64_t blocks_of(WgContext *ctx, WgValue *in, size_t n)
{
    static WgValue outs[MANY];
    num_blocks = 0;
    const int32_t status = n == MANY ? t_many_boxed(ctx, in, n, outs, n) : t_few_boxed(ctx, in, n, outs, n);
    const uint64_t entered = num_blocks;
    const int own =
        status == WG_OK && outs[n - 1].tensor != in[n - 1].tensor && outs[n - 1].tensor != outs[n - 2].tensor;
    for (size_t i = 0; status == WG_OK && i < n; i++) {
        wg_release(ctx, outs[i].tensor);
    }
    return own ? entered : 0;
}

int main(void)
{
    static const char *const names[] = {"results of their own", "the last one is an argument", "the last two are one"};
    static WgValue in[MANY];
    static const int64_t size = 1;
    static const double value = 0;
    WgContext *ctx = NULL;
    check(wg_context_create(NULL, &ctx) == 0, "a context");
    for (size_t i = 0; i < MANY; i++) {
        in[i].tensor = make(ctx, 1, &size, &value);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        last = (Last)i;
        const uint64_t few = blocks_of(ctx, in, FEW);
        const uint64_t many = blocks_of(ctx, in, MANY);
        printf("# %s: %llu blocks, %llu for twice as many\n", names[i], (unsigned long long)few,
               (unsigned long long)many);
        check(few > FEW && many > MANY && many * 10 <= few * 23, names[i]);
    }
    for (size_t i = 0; i < MANY; i++) {
        wg_release(ctx, in[i].tensor);
    }
    wg_context_destroy(ctx);
    return closing();
}
