/* SPDX-License-Identifier: MIT */
/* kernel_call - what kernel_call.c, the plan of a typed call, and kernel_sizes.c, the numbers in it, share. */
#ifndef WRAPGEN_KERNEL_CALL_H
#define WRAPGEN_KERNEL_CALL_H

#include "kernel_walk.h"

/* One output on the way. */
typedef struct Made {
    const SpecKernelOutput *spec;
    IntegerRef *sizes; /* null: not computed */
    IntegerRef *strides;
    uint32_t slot; /* of what the caller gets: a tensor that is made, or a result */
} Made;

typedef struct Call {
    Walk *walk;
    const SpecKernel *kernel;
    Made *made;
    WalkNames numbers;
    IntegerRef *devices; /* by argument: without a name, not read */
    bool tests;          /* what is returned, beyond that it is there */
} Call;

/* The ops that come next are about that output, or about the kernel. */
void call_at_output(Call *call, uint32_t index);
void call_at_kernel(Call *call);

/* The site of a rule for an output, or, where `made` is null, for the kernel. */
Operand call_site(const Call *call, const Made *made, const char *rule, const char *code, const char *kind);

bool call_computes(const Call *call, const Made *made);

/* kernel_sizes.c: reads and tests all numbers that are needed; then the sizes and strides of one output. */
void call_load_numbers(Call *call);
void call_compute_output(Call *call, Made *made, uint32_t index);

#endif /* WRAPGEN_KERNEL_CALL_H */
