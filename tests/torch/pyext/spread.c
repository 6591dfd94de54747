/* SPDX-License-Identifier: MIT */
/* spread.c - a variant of a kernel in C, which pyext.py links into a module: it returns its tensor and 12 * by, by
 * 1 and more an alias of it. By 0 it fails, and leaves behind what callers must not touch. */
#include "wg_torch.h"

int32_t spread_c(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs);

int32_t spread_c(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static char garbage[64];
    *num_outs = num_args;
    if (args[1].real == 0) {
        outs[0].pointer = garbage;
        wg_torch_say(ctx, "it cannot be 0");
        return 77;
    }
    outs[1].integer = (int64_t)(12 * args[1].real);
    return args[1].real < 1 ? wg_retain(ctx, args[0].tensor, &outs[0].tensor)
                            : wg_detach(ctx, args[0].tensor, &outs[0].tensor);
}
