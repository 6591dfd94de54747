/* SPDX-License-Identifier: MIT */
/*
 * Overlap of arguments: refused between a mutated input and any other, attribute by attribute; named are the first
 * mutated input, the first that it shares memory with, and their bytes. Each question is put to a graph that tests
 * pairs, and to one that sorts byte ranges.
 */
#include "../exec.h"
#include "wrappers.h"

static const char *const names[] = {"a", "b"};
const WgType Two = {.name = "Two", .attribute_names = names, .num_attributes = 2};

enum { MEMORY = 64, R = 0, PAIR, W, Q1, MOST = 6 };

static float memory[MEMORY];
static int num_calls;

int32_t kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx;
    (void)args;
    (void)num_args;
    (void)outs;
    *num_outs = 0;
    num_calls++;
    return 0;
}

/* Elements first, first + step, ...: n of them. */
static WgTensor *elements(WgContext *ctx, int64_t first, int64_t n, int64_t step)
{
    WgTensor *t = NULL;
    const WgGeometry geometry = {&n, &step, first, 1};
    (void)wg_native_borrow(ctx, memory, sizeof memory, &geometry, WG_FLOAT32, WG_CPU, NULL, NULL, &t);
    return t;
}

static WgTensor *pair_of(WgContext *ctx, WgTensor *a, WgTensor *b)
{
    WgTensor *parts[2] = {a, b};
    WgTensor *t = NULL;
    (void)wg_native_subclass(ctx, &Two, NULL, parts, 2, NULL, &t);
    return t;
}

/* No tensors share memory: r, w and the attributes of pair at 0, 4, 8 and 12, the others from 16 on. */
static void fill(WgContext *ctx, WgTensor **in)
{
    in[R] = elements(ctx, 0, 4, 1);
    in[W] = elements(ctx, 4, 4, 1);
    in[PAIR] = pair_of(ctx, elements(ctx, 8, 4, 1), elements(ctx, 12, 4, 1));
    for (int i = Q1; i < MOST; i++) {
        in[i] = elements(ctx, 16 + 4 * i, 4, 1);
    }
}

static void put(WgContext *ctx, WgTensor **in, int at, WgTensor *t)
{
    wg_release(ctx, in[at]);
    in[at] = t;
}

/* The argument that the error names; null for a call that was made. */
static const char *named(WgContext *ctx, WgTensor **in, int many, const WgTensor **other)
{
    const t_few_inputs few_inputs = {in[R], in[PAIR], in[W]};
    const t_many_inputs many_inputs = {in[R], in[PAIR], in[W], in[Q1], in[Q1 + 1], in[Q1 + 2]};
    t_few_outputs few_outputs;
    t_many_outputs many_outputs;
    num_calls = 0;
    const int32_t status = many ? t_many(ctx, &many_inputs, &many_outputs) : t_few(ctx, &few_inputs, &few_outputs);
    *other = NULL;
    if (status == WG_OK) {
        return num_calls == 1 ? NULL : "a call that did not come";
    }
    if (status != WG_E_OVERLAP || num_calls != 0) {
        return wg_status_name(status);
    }
    *other = wg_error(ctx)->found.tensor;
    return wg_error(ctx)->site->argument;
}

static int refuses(WgContext *ctx, WgTensor **in, const char *argument, int at)
{
    int all = 1;
    for (int many = 0; many < 2; many++) {
        const WgTensor *other = NULL;
        const char *found = named(ctx, in, many, &other);
        all = all && found != NULL && strcmp(found, argument) == 0 && other == in[at];
    }
    return all;
}

static int accepts(WgContext *ctx, WgTensor **in)
{
    const WgTensor *other = NULL;
    return named(ctx, in, 0, &other) == NULL && named(ctx, in, 1, &other) == NULL;
}

/* What the error says after the name of the graph. */
static int says(WgContext *ctx, WgTensor **in, const char *expected)
{
    int all = 1;
    for (int many = 0; many < 2; many++) {
        char text[200];
        const WgTensor *other = NULL;
        (void)named(ctx, in, many, &other);
        (void)wg_error_text(wg_error(ctx), text, sizeof text);
        const char *said = strchr(text, '\'');
        all = all && said != NULL && strcmp(said, expected) == 0;
    }
    return all;
}

static void test_allowed(WgContext *ctx, WgTensor **in)
{
    check(accepts(ctx, in), "what is apart is accepted");
    put(ctx, in, Q1, elements(ctx, 2, 2, 1));
    check(accepts(ctx, in), "two that are only read may share memory");
    put(ctx, in, PAIR, pair_of(ctx, elements(ctx, 8, 4, 1), elements(ctx, 9, 3, 1)));
    check(accepts(ctx, in), "and so may the attributes of one input that is written");
    put(ctx, in, W, elements(ctx, 1, 0, 1));
    check(accepts(ctx, in), "an empty tensor in the midst of another shares nothing");
    put(ctx, in, W, elements(ctx, 4, 4, 1));
    put(ctx, in, R, elements(ctx, 0, 2, 16));
    check(accepts(ctx, in), "what lies between two elements does not count");
    put(ctx, in, R, elements(ctx, 0, 8, 2));
    put(ctx, in, W, elements(ctx, 1, 8, 2));
    put(ctx, in, PAIR, pair_of(ctx, elements(ctx, 44, 4, 4), elements(ctx, 45, 4, 4)));
    put(ctx, in, Q1, elements(ctx, 46, 4, 4));
    check(accepts(ctx, in), "even and odd elements interleave");
}

static void test_refused(WgContext *ctx, WgTensor **in)
{
    put(ctx, in, R, elements(ctx, 1, 4, 1));
    check(refuses(ctx, in, "w", R), "the last element of one is the first of another");
    put(ctx, in, R, elements(ctx, 0, 9, 1));
    check(refuses(ctx, in, "pair", R), "one inside another; the first that is written is named");
    put(ctx, in, R, elements(ctx, 0, 3, 5));
    check(refuses(ctx, in, "pair", R), "one element of some with others between them");
    check(says(ctx, in,
               "'pair': is mutated and shares memory with another input: bytes 32 to 47 and bytes 0 to 43 of 'r' "
               "(overlap) [WG_E_OVERLAP]"),
          "the error names both, and their bytes");
    put(ctx, in, R, elements(ctx, 11, 1, 1));
    check(refuses(ctx, in, "pair", R), "the first attribute of a subclass");
    put(ctx, in, R, elements(ctx, 15, 1, 1));
    check(refuses(ctx, in, "pair", R), "the second");
    put(ctx, in, R, elements(ctx, 12, 1, 1));
    put(ctx, in, W, elements(ctx, 13, 1, 1));
    check(refuses(ctx, in, "pair", W), "two that are written: the first, and the other");
    put(ctx, in, R, elements(ctx, 13, 1, 1));
    check(refuses(ctx, in, "pair", W), "of those that are shared with, one that is written comes first");
}

static void with_inputs(void (*test)(WgContext *ctx, WgTensor **in))
{
    Tracking tracking;
    WgContext *ctx = NULL;
    WgTensor *in[MOST] = {NULL};
    tracking_begin(&tracking);
    check(wg_context_create(&tracking.allocator, &ctx) == 0, "a context");
    fill(ctx, in);
    test(ctx, in);
    for (int i = 0; i < MOST; i++) {
        wg_release(ctx, in[i]);
    }
    wg_context_destroy(ctx);
    check(tracking.live_blocks == 0, "nothing is left alive");
}

int main(void)
{
    with_inputs(test_allowed);
    with_inputs(test_refused);
    return closing();
}
