/* SPDX-License-Identifier: MIT */
/*
 * views - PyTorch's view operations, one by one, on explicit geometry: the independent counterpart of gen/geometry.
 *
 * Nothing is symbolic and nothing is folded: an operation takes sizes, strides and offset as they are and gives the new
 * ones, as the operation of the same name does in PyTorch. Used by the reference interpreter, by the fake compiled
 * functions (what shape is due) and by the graph generator (which operation is possible here).
 */
#ifndef VIEWS_H
#define VIEWS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../schema/spec.h"

enum { VIEW_RANK = 12 };

typedef struct ViewGeometry {
    int32_t rank;
    int64_t sizes[VIEW_RANK];
    int64_t strides[VIEW_RANK];
    int64_t offset; /* elements of dtype, from the start of the storage */
    int32_t dtype;  /* WgDtype */
    bool too_large; /* while an operation is applied: a number left 64 bits */
} ViewGeometry;

/* A list argument; count -1: absent. */
typedef struct ViewList {
    int32_t count;
    int64_t at[VIEW_RANK];
} ViewList;

/* A scalar argument. */
typedef struct ViewScalar {
    bool present;
    int64_t value;
} ViewScalar;

/* One operation with its arguments evaluated; members as in SpecView. */
typedef struct ViewCall {
    SpecViewOp op;
    ViewList size;
    ViewList stride;
    ViewList dims;
    ViewList source;
    ViewList destination;
    ViewList sizes;
    ViewScalar offset;
    ViewScalar dim;
    ViewScalar dim1;
    ViewScalar dim2;
    ViewScalar index;
    ViewScalar start;
    ViewScalar end;
    ViewScalar step;
    ViewScalar length;
    ViewScalar start_dim;
    ViewScalar end_dim;
    ViewScalar split_size;
    ViewScalar chunks;
    int32_t dtype;
} ViewCall;

/* No argument present. */
ViewCall view_call(SpecViewOp op);

/* Null: *geometry is the result. Otherwise what is wrong, and *geometry is untouched. */
const char *view_apply(const ViewCall *call, ViewGeometry *geometry);

/* Changes dtype, or the relation to autograd, and not only geometry: stays a verb of its own. */
bool view_is_step(SpecViewOp op);

/* Bytes of an element, as PyTorch's itemsize. */
int64_t view_itemsize(int32_t dtype);

bool view_same_shape(const ViewGeometry *a, const ViewGeometry *b);

/* No size is 0. */
bool view_has_elements(const ViewGeometry *geometry);

/* The same elements in the same places: the stride of a dim of size 1 does not count, nor do strides and offset of a
 * tensor without elements. */
bool view_same_geometry(const ViewGeometry *a, const ViewGeometry *b);

/* Row-major strides for the sizes that are there. */
void view_make_contiguous(ViewGeometry *geometry);

#endif /* VIEWS_H */
