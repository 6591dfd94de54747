/* SPDX-License-Identifier: MIT */
/*
 * share_host.c - the generated wrappers of share.yaml on one host, as a library of their own. With -DON_TORCH the
 * training graph is called as autograd's node, else its forward alone.
 */
#include "share.h"

#include <stddef.h>
#include <stdlib.h>

#include "share_wrappers.h"
#ifdef ON_TORCH
#include "wg_torch_autograd.h"
#else
#include "table.h"
#include "wg_aoti.h"
#endif

typedef struct Share {
    WgContext *ctx;
    WgValue args[2];
} Share;

static ShareKernel kernel;

int32_t share_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx;
    (void)args;
    (void)num_args;
    outs[0].tensor = kernel();
    *num_outs = 1;
    return 0;
}

int32_t share_backward_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)num_args;
    for (size_t i = 0; i < 2; i++) {
        if (wg_retain(ctx, args[0].tensor, &outs[i].tensor) != 0) {
            return 1;
        }
    }
    *num_outs = 2;
    return 0;
}

#ifdef ON_TORCH
static int32_t forward(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t num_outs, void *saved)
{
    return share_train_boxed(ctx, args, num_args, outs, num_outs, saved);
}

static int32_t backward(WgContext *ctx, void *saved, const WgValue *grads, size_t num_grads, WgValue *outs,
                        size_t num_outs)
{
    return share_train_backward_boxed(ctx, saved, grads, num_grads, outs, num_outs);
}

static void release(WgContext *ctx, void *saved)
{
    share_train_saved_release(ctx, saved);
}

static void release_outputs(WgContext *ctx, WgValue *outs)
{
    wg_release_run(ctx, outs, 1);
}

static const size_t hung[] = {0};
static const size_t gradients[] = {0, 1};
static const WgTorchTraining graph = {.forward = forward,
                                      .backward = backward,
                                      .release = release,
                                      .release_outputs = release_outputs,
                                      .num_inputs = 2,
                                      .num_outputs = 1,
                                      .num_returned = 1,
                                      .hung = hung,
                                      .num_hung = 1,
                                      .asked = gradients,
                                      .num_asked = 2,
                                      .gradients = gradients,
                                      .num_gradients = 2,
                                      .saved_size = sizeof(share_train_saved)};
#endif

void *share_make(ShareKernel of, void *x, void *y)
{
    Share *share = calloc(1, sizeof *share);
    kernel = of;
#ifdef ON_TORCH
    if (share == NULL || wg_context_create(NULL, &share->ctx) != 0) {
#else
    if (share == NULL || wg_context_create(&torch_table, &share->ctx) != 0) {
#endif
        return NULL;
    }
    share->args[0].tensor = x;
    share->args[1].tensor = y;
    return share;
}

int share_call_add(void *state)
{
    Share *share = state;
    WgValue out;
    const int32_t status = share_add_boxed(share->ctx, share->args, 2, &out, 1);
    wg_release(share->ctx, out.tensor);
    return status;
}

int share_call_train(void *state)
{
    Share *share = state;
    WgValue out;
#ifdef ON_TORCH
    const int32_t status = wg_torch_train(share->ctx, &graph, share->args, 2, &out, 1);
#else
    share_train_saved saved;
    const int32_t status = share_train_boxed(share->ctx, share->args, 2, &out, 1, &saved);
    share_train_saved_release(share->ctx, &saved);
#endif
    wg_release(share->ctx, out.tensor);
    return status;
}
