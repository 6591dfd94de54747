/* SPDX-License-Identifier: MIT */
/*
 * Ragged sizes: the wrapper holds arguments and results to the tensor that owns each. A jagged tensor of the test is
 * two tensors under a type; right calls, and for each wrong one the owner that is named.
 */
#include "../exec.h"
#include "wrappers.h"

static const char *const names[] = {"values", "offsets"};
static int64_t last_outer[2];

/* A nested int reaches it as -1; no geometry of memory could. */
static int32_t unflatten(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs,
                         size_t num_attrs, const WgGeometry *outer, WgTensor **out)
{
    const int64_t sizes[] = {2, 2};
    const int64_t strides[] = {2, 1};
    const WgGeometry shown = {sizes, strides, 0, 2};
    if (outer != NULL) {
        last_outer[0] = outer->sizes[1];
        last_outer[1] = outer->strides[0];
    }
    return wg_native_subclass(ctx, type, type_context, attrs, num_attrs, &shown, out);
}

const WgType Jagged = {.name = "Jagged", .attribute_names = names, .num_attributes = 2, .unflatten = unflatten};
const void *const c = "context";

enum { SUM, OTHER, FRESH, AGAIN, NUM_OWNERS };

/* What the kernel returns as offsets, and as the int. */
typedef struct Wanted {
    const char *name;
    int copied;       /* which output gets a copy instead; -1: none */
    int exchanged;    /* the owners of the first two are */
    int64_t added;    /* to the int that is returned */
    int with_another; /* argument that is wrong: 1 the int, 2 the second tensor, 3 the plain one; 0: none */
    int32_t status;
    const char *says[2];
} Wanted;

static const Wanted cases[] = {
    {"everything has its owner", -1, 0, 0, 0, WG_OK, {"", ""}},
    {"the int is not that of x", -1, 0, 0, 1, WG_E_IDENTITY, {"'x.offsets'", "(owner)"}},
    {"y has equal offsets of its own", -1, 0, 0, 2, WG_E_IDENTITY, {"'y.offsets'", "(owner)"}},
    {"a plain argument has the offsets of x", -1, 0, 0, 3, WG_E_GUARD, {"j1 = ", "(j0 != j1)"}},
    {"the offsets of x come back as a copy", SUM, 0, 0, 0, WG_E_RESULT, {"'sum.offsets'", "(owner)"}},
    {"those of a plain argument do", OTHER, 0, 0, 0, WG_E_RESULT, {"'other.offsets'", "(owner)"}},
    {"the first of two that share a new one is that one", FRESH, 0, 0, 0, WG_E_RESULT, {"'again.offsets'", "(owner)"}},
    {"owners are exchanged", -1, 1, 0, 0, WG_E_RESULT, {"'sum.offsets'", "(owner)"}},
    {"another int is returned", -1, 0, 1, 0, WG_E_RESULT, {"'same'", "(value)"}},
};

static const Wanted *wanted;

static WgTensor *numbers(WgContext *ctx, double first)
{
    const double values[] = {first, first + 1};
    const int64_t size = 2;
    return make(ctx, 1, &size, values);
}

int32_t mix_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    WgTensor *made = numbers(ctx, 7);
    WgTensor *const owners[] = {args[wanted->exchanged ? 5 : 2].tensor, args[wanted->exchanged ? 2 : 5].tensor, made,
                                made};
    for (int i = 0; num_args == 6 && i < NUM_OWNERS; i++) {
        outs[2 * i].tensor = numbers(ctx, i);
        if (i == wanted->copied) {
            outs[2 * i + 1].tensor = numbers(ctx, 0);
        } else {
            (void)wg_retain(ctx, owners[i], &outs[2 * i + 1].tensor);
        }
    }
    wg_release(ctx, made);
    outs[8].integer = args[0].integer + wanted->added;
    *num_outs = 9;
    return 0;
}

static WgTensor *jagged(WgContext *ctx, WgTensor *offsets)
{
    WgTensor *attrs[2] = {numbers(ctx, 1), NULL};
    WgTensor *t = NULL;
    (void)wg_retain(ctx, offsets, &attrs[1]);
    (void)unflatten(ctx, &Jagged, c, attrs, 2, NULL, &t);
    return t;
}

static int64_t owner_of(WgContext *ctx, const WgTensor *t)
{
    WgTensor *offsets = NULL;
    return wg_attr(ctx, t, 1, &offsets) == 0 ? wg_nested_int(ctx, offsets) : 0;
}

static void try(WgContext *ctx, const Wanted *one)
{
    WgTensor *shared = numbers(ctx, 0);
    WgTensor *equal = numbers(ctx, 0);
    WgTensor *x = jagged(ctx, shared);
    WgTensor *y = jagged(ctx, one->with_another == 2 ? equal : shared);
    const WgValue args[] = {wg_value_integer(wg_nested_int(ctx, one->with_another == 1 ? equal : shared)),
                            wg_value_tensor(x), wg_value_tensor(y),
                            wg_value_tensor(one->with_another == 3 ? shared : equal)};
    WgValue outs[5];
    memset(outs, 0, sizeof outs);
    wanted = one;
    const int32_t status = t_mix_boxed(ctx, args, 4, outs, 5);
    int good = status == one->status;
    if (status == WG_OK) {
        const int64_t fresh = owner_of(ctx, outs[FRESH].tensor);
        good = good && owner_of(ctx, outs[SUM].tensor) == owner_of(ctx, x) &&
               owner_of(ctx, outs[OTHER].tensor) == wg_nested_int(ctx, equal) &&
               owner_of(ctx, outs[AGAIN].tensor) == fresh && fresh != owner_of(ctx, x) &&
               outs[4].integer == args[0].integer && last_outer[0] == -1 && last_outer[1] == -1;
        wg_release_run(ctx, outs, 4);
    } else {
        good = good && error_says(ctx, one->says[0]) && error_says(ctx, one->says[1]) && outs[0].tensor == NULL;
    }
    check(good, one->name);
    wg_release(ctx, x);
    wg_release(ctx, y);
    wg_release(ctx, shared);
    wg_release(ctx, equal);
}

int main(void)
{
    Tracking tracking;
    WgContext *ctx = NULL;
    tracking_begin(&tracking);
    if (wg_context_create(&tracking.allocator, &ctx) != 0) {
        return 1;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        try(ctx, &cases[i]);
    }
    wg_context_destroy(ctx);
    check(tracking.live_blocks == 0, "nothing is left alive");
    return closing();
}
