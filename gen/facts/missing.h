/* SPDX-License-Identifier: MIT */
/*
 * missing - what a tangent that is not given means.
 *
 * Autograd hands zeros of the output's size, dtype and device to a node for each result that the loss does not depend
 * on. Properties that the YAML states as literals are known; the forward keeps symbolic sizes, and dtype and device if
 * they are not stated, in saved.shapes. Without a stated size nothing can be kept, since the number of dimensions is
 * part of the saved struct's type. Such a tangent, and one that is a subclass (PyTorch makes a plain tensor and fails),
 * must be given.
 */
#ifndef WRAPGEN_MISSING_H
#define WRAPGEN_MISSING_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../../schema/spec.h"

typedef struct Missing {
    bool possible;
    int32_t dtype;  /* -1: kept */
    int32_t device; /* -1: kept */
    const SpecInts *size;
    uint32_t first; /* in saved.shapes: dtype and device if they are kept, then the symbolic sizes */
} Missing;

typedef struct MissingList {
    const Missing *at; /* by surviving tangent, in their order */
    uint32_t num_shapes;
} MissingList;

/* For a training graph that has passed validation. */
MissingList missing_tangents(Arena *arena, const SpecGraph *graph);

#endif /* WRAPGEN_MISSING_H */
