/* SPDX-License-Identifier: MIT */
/*
 * kernel_flat - the flat arguments of a graph or of its compiled function as a call of a kernel: for graphs that call a
 * dispatcher, and for graphs that are variants.
 */
#ifndef KERNEL_FLAT_H
#define KERNEL_FLAT_H

#include "kernel_call.h"
#include "layout.h"

/* Why such a call cannot be judged; null: it can. */
const char *kernel_flat_gap(const SpecKernel *kernel);

/* The variant that these arguments must get. None: -1, and *breach says how the dispatcher refuses them. */
int32_t kernel_flat_match(WgContext *ctx, const Spec *spec, const SpecKernel *kernel, const WgValue *args,
                          KernelBreach *breach);

/* What the compiled function of a graph that calls a dispatcher does: CompiledFunction. */
int32_t kernel_flat_compiled(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs);

/* The function that its dispatcher must call with these arguments; null: none. */
const char *kernel_flat_callee(WgContext *ctx, const Layout *layout, const WgValue *args);

#endif /* KERNEL_FLAT_H */
