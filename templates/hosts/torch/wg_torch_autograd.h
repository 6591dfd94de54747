/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_autograd.h - calls of a training graph as PyTorch's autograd sees them: one torch::autograd::Node a call,
 * whose backward is the generated one.
 *
 * A program describes a graph once and calls wg_torch_train() in place of the generated forward. The generated wrapper
 * runs unchanged: where it says which of its results require grad they are hung on the node, before views are made of
 * them and before arguments are written. What it saved is kept as PyTorch's SavedVariable, so versions, saved-tensor
 * hooks, retain_graph, and results that are saved work as they do for PyTorch's own functions, with its texts.
 *
 * Not done: with `consume_inputs` a compiled forward that returns an argument itself as a value that requires grad
 * (else the wrapper makes a view of it); forward-mode derivatives of arguments and of gradients, compiled autograd
 * (both refused by name); freeing saved tensors while the backward runs, since it borrows them.
 */
#ifndef WG_TORCH_AUTOGRAD_H
#define WG_TORCH_AUTOGRAD_H

#include "wg_torch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arguments that the wrapper merges into one: the tensor that the first view among them is a view of. */
typedef struct WgTorchMerged {
    const size_t *members; /* positions of the arguments */
    size_t num_members;
} WgTorchMerged;

/*
 * One graph: constant, and it outlives every node. `saved` is always a <graph>_saved; the functions call <graph>_boxed,
 * <graph>_backward_boxed, <graph>_saved_release and <graph>_outputs_release. Returned values are those that
 * <graph>_backward_boxed takes a gradient for: updated inputs, outputs, intermediate bases.
 */
typedef struct WgTorchTraining {
    const char *name; /* of the node in messages; null: "CompiledFunctionBackward", as in PyTorch */
    int32_t (*forward)(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t num_outs, void *saved);
    int32_t (*backward)(WgContext *ctx, void *saved, const WgValue *grads, size_t num_grads, WgValue *outs,
                        size_t num_outs);
    void (*release)(WgContext *ctx, void *saved);
    void (*release_outputs)(WgContext *ctx, WgValue *outs);
    size_t num_inputs;
    size_t num_outputs;
    size_t num_returned;
    const size_t *hung; /* positions among the returned values of those for which the wrapper says whether they require
                           grad, in its order: updated inputs, outputs other than views, bases */
    size_t num_hung;
    const size_t *asked; /* results require grad if one of these arguments does: inputs, or num_inputs + a place in
                            merged. They need not get a gradient */
    size_t num_asked;
    const size_t *gradients; /* for each result of the backward, the one of these whose gradient it is */
    size_t num_gradients;
    const WgTorchMerged *merged;
    size_t num_merged;
    size_t saved_size; /* sizeof(<graph>_saved), and where its members are */
    size_t tensors_at;
    size_t versions_at;
    size_t num_tensors;
    size_t opaque_at;
    size_t num_opaque;
    int donates; /* the compiled backward may overwrite saved tensors: a second one is refused */
} WgTorchTraining;

/* Status and results are those of the generated forward. A value that requires grad has a node when one of the inputs
 * with a gradient requires grad, in any grad mode, as in AOTAutograd. */
int32_t wg_torch_train(WgContext *ctx, const WgTorchTraining *graph, WgValue *args, size_t num_args, WgValue *outs,
                       size_t num_outs);

#ifdef __cplusplus
}
#endif

#endif /* WG_TORCH_AUTOGRAD_H */
