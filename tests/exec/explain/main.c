/* SPDX-License-Identifier: MIT */
/*
 * What the miss explainer says, of every kind of field: as words where values have names.
 */
#include "../exec.h"

#include "wrappers.h"

enum { CUDA_1 = WG_CUDA * 256 + 1 };

static int32_t no_variant(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx, (void)args, (void)num_args, (void)outs, (void)num_outs;
    return 77;
}

int32_t pick_one(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    return no_variant(ctx, args, num_args, outs, num_outs);
}

int32_t pick_two(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    return no_variant(ctx, args, num_args, outs, num_outs);
}

static void said(WgContext *ctx, const t_pick_args *args, const char *expected)
{
    char text[256];
    const size_t length = t_pick_explain(ctx, args, text, sizeof text);
    const int same = length == strlen(text) && strcmp(text, expected) == 0;
    check(same, expected);
    if (!same) {
        printf("# %s\n", text);
    }
}

#define NEAREST "pick: no variant accepts; the nearest is 'pick_one': "

int main(void)
{
    Tracking tracking;
    WgContext *ctx = NULL;
    tracking_begin(&tracking);
    if (wg_context_create(&tracking.allocator, &ctx) != 0) {
        return 2;
    }
    const int64_t sizes[] = {2, 4};
    const int64_t other_sizes[] = {4, 6};
    const double numbers[24] = {0};
    WgTensor *a = make(ctx, 2, sizes, numbers);
    WgTensor *odd = make(ctx, 2, other_sizes, numbers);
    WgTensor *doubles = NULL;
    WgTensor *turned = NULL;
    (void)wg_native_zeros(ctx, WG_FLOAT64, 2, sizes, &doubles);
    (void)wg_as_strided(ctx, odd, &(WgGeometry){(const int64_t[]){6, 4}, (const int64_t[]){1, 6}, 0, 2}, &turned);
    const t_pick_args good = {a, NULL, "fast", 0.5, 1, 255, WG_BOOL, CUDA_1};
    t_pick_args args = good;
    said(ctx, &args, "pick: 'pick_one' accepts");
    args.a = odd;
    said(ctx, &args, NEAREST "size of dim 1 of 'a': expected a multiple of 4, found 6");
    args.a = doubles;
    said(ctx, &args, NEAREST "dtype of 'a': expected float32 or int8, found float64");
    args.a = turned;
    said(ctx, &args, NEAREST "layout of 'a': expected contiguous, found not contiguous");
    args = good;
    args.b = a;
    said(ctx, &args, NEAREST "presence of 'b': expected null, found not null");
    args = good;
    args.mode = "slow";
    said(ctx, &args, NEAREST "value of 'mode': expected 'fast', found 'slow'");
    args.mode = "hasty";
    said(ctx, &args, NEAREST "value of 'mode': expected 'fast', found another value");
    args = good;
    args.rate = 0.25;
    said(ctx, &args, NEAREST "value of 'rate': expected 0.5, found another value");
    args = good;
    args.flag = 0;
    said(ctx, &args, NEAREST "value of 'flag': expected true, found false");
    args = good;
    args.n = 256;
    said(ctx, &args, NEAREST "value of 'n': expected -8..255, found 256");
    args = good;
    args.to = WG_INT64;
    said(ctx, &args, NEAREST "value of 'to': expected bool, found int64");
    args = good;
    args.where = CUDA_1 + 1;
    said(ctx, &args, NEAREST "value of 'where': expected cuda:1, found cuda:2");
    args = (t_pick_args){NULL, NULL, "slow", 0.5, 1, 999, WG_BOOL, CUDA_1};
    said(ctx, &args, "pick: no variant accepts; the nearest is 'pick_two': value of 'n': expected 1000.., found 999");
    wg_release(ctx, turned);
    wg_release(ctx, doubles);
    wg_release(ctx, odd);
    wg_release(ctx, a);
    wg_context_destroy(ctx);
    check(tracking.live_blocks == 0, "nothing is left alive");
    return closing();
}
