/* SPDX-License-Identifier: MIT */
/*
 * geometry - the view algebra: a sequence of view operations, folded at generation time.
 *
 * Runs of geometric operations become one as_strided: literals where base geometry and arguments are known, integer
 * nodes where symbols or run-time reads occur. An as_strided begins a new run, since its gradient depends on the view
 * that it is taken from; detach, view_dtype, view_as_real, view_as_complex, _conj and _neg_view stay steps of their
 * own. A view that would need a copy, or that cannot be decided, is an error that says so; a condition that is known
 * only at run time (an index given by a symbol is within its dimension) becomes a guard.
 *
 * Behaviour: PyTorch's view operations (aten/src/ATen/native/TensorShape.cpp, TensorUtils.cpp computeStride,
 * SpectralOps/ComplexHelper for the complex ones, torch/_refs for defaults); negative dims and indices count from the
 * end, a slice is clamped.
 */
#ifndef WRAPGEN_GEOMETRY_H
#define WRAPGEN_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/arena.h"
#include "integer.h"
#include "../../schema/spec.h"

/* Sizes and strides in elements of dtype; offset absolute, in elements of the storage counted in dtype. */
typedef struct Geometry {
    uint32_t rank;
    const Integer **sizes;
    const Integer **strides;
    const Integer *offset;
    int32_t dtype; /* WgDtype; -1: unknown, so view_dtype and the complex ones are refused */
} Geometry;

typedef enum ViewStepKind {
    VIEW_STEP_AS_STRIDED, /* geometry: the whole geometry, absolute */
    VIEW_STEP_DETACH,
    VIEW_STEP_VIEW_DTYPE, /* dtype */
    VIEW_STEP_VIEW_AS_REAL,
    VIEW_STEP_VIEW_AS_COMPLEX,
    VIEW_STEP_CONJ,
    VIEW_STEP_NEG_VIEW
} ViewStepKind;

typedef struct ViewStep {
    ViewStepKind kind;
    Geometry geometry; /* after this step, for every kind */
} ViewStep;

/* lhs <= rhs, or lhs == rhs, must hold at run time, in this order: a guard may rely on those before it. `rule` says in
 * words what must hold ("the index is within its dimension"). */
typedef struct ViewGuard {
    bool equal;
    const Integer *lhs;
    const Integer *rhs;
    const char *rule;
    uint32_t op; /* index in the sequence */
} ViewGuard;

typedef struct ViewFold {
    ViewStep *steps; /* none when the sequence changes nothing (alias): the caller still makes a new tensor object */
    uint32_t num_steps;
    ViewGuard *guards;
    uint32_t num_guards;
    Geometry result;
    bool part;     /* of several views that one operation makes, or a view of one: autograd refuses writes into it */
    bool separate; /* an as_strided is taken from a view, not the base, so the sequence is made step by step */
} ViewFold;

/* What is wrong, and where: `field` is the address of a SpecView member, or of one element of its list
 * (&view->size.text[1]), for a diagnostic's place; or of the SpecView itself. The message names the operation; when the
 * sequence may be right but that cannot be decided, it says "not known". */
typedef struct GeometryError {
    const void *field;
    bool whole_op; /* field is the SpecView */
    const char *message;
} GeometryError;

/* false: *error is filled, and *fold is not to be used. integers_failed() is left as it was. Also refuses arguments
 * that the operation does not take and missing ones that it needs. Strides follow PyTorch even where a size is 1 or 0,
 * if that is known: a dimension that turns out to have size 1 only at run time, or a tensor that turns out to be empty,
 * may get other strides, along which nothing steps.
 */
bool geometry_fold(Arena *arena, Integers *integers, const Geometry *base, const SpecView *views, uint32_t num_views,
                   ViewFold *fold, GeometryError *error);

/* "as_strided", for messages; "?" for none. */
const char *geometry_op_text(SpecViewOp op);

/* Bytes of one element, 0 for an unknown dtype; dtype numbers are WgDtype's. */
uint32_t dtype_size(int32_t dtype);
bool dtype_is_complex(int32_t dtype);
bool dtype_is_differentiable(int32_t dtype); /* floating or complex */
int32_t dtype_parse(const char *name);       /* "float32" -> 6; -1 unknown */
const char *dtype_text(int32_t dtype);       /* "float32" */
const char *dtype_suggest(const char *name); /* nearest valid name for "did you mean", or null */
bool dtype_next(int32_t *dtype);             /* to the one after, from -1 on; false: there is none */

/* "cpu", "cuda", "cuda:1"; index -1 when not stated. */
/* As C: "WG_FLOAT32", "WG_CUDA * 256 + 1"; null for a number without a name. */
const char *dtype_constant(int32_t dtype);
const char *device_constant(Arena *arena, int64_t device);
const char *device_type_constant(int64_t type); /* "WG_CUDA"; null likewise */

bool device_parse(const char *text, int32_t *type, int32_t *index);
const char *device_name(size_t nth); /* "cuda", or null after the last */
int32_t device_type(size_t nth);     /* of that name */

enum { DEVICE_INDEX_MAX = 127 }; /* c10::DeviceIndex has 8 bits */

#endif /* WRAPGEN_GEOMETRY_H */
