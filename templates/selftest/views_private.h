/* SPDX-License-Identifier: MIT */
/*
 * views_private - shared by views.c (which operation, dtypes), views_shape.c (all elements, in other dims) and
 * views_part.c (some of the elements). An operation returns null, or what is wrong.
 */
#ifndef VIEWS_PRIVATE_H
#define VIEWS_PRIVATE_H

#include "views.h"

/* A dim that may count from the end; `rank` is what it may count over. False when it is outside. */
bool views_wrap_dim(int64_t dim, int32_t rank, int32_t *wrapped);
void views_remove_dim(ViewGeometry *g, int32_t dim);
void views_insert_dim(ViewGeometry *g, int32_t dim, int64_t size, int64_t stride);
int64_t views_count_elements(ViewGeometry *g, const int64_t *sizes, int32_t rank);

/* The sum and the product. If one exceeds 64 bits, that is noted in `g`, and there is no tensor. */
int64_t views_add(ViewGeometry *g, int64_t a, int64_t b);
int64_t views_mul(ViewGeometry *g, int64_t a, int64_t b);

/* ---- views_shape.c ---- */

const char *views_as_strided(const ViewCall *c, ViewGeometry *g);
const char *views_view(const ViewList *asked, ViewGeometry *g);
const char *views_expand(const ViewCall *c, ViewGeometry *g);
const char *views_transpose(const ViewCall *c, ViewGeometry *g);
const char *views_permute(const ViewCall *c, ViewGeometry *g);
const char *views_transpose_matrix(ViewGeometry *g);
const char *views_movedim(const ViewCall *c, ViewGeometry *g);
const char *views_squeeze(const ViewCall *c, ViewGeometry *g);
const char *views_unsqueeze(const ViewCall *c, ViewGeometry *g);
const char *views_flatten(const ViewCall *c, ViewGeometry *g);
const char *views_unflatten(const ViewCall *c, ViewGeometry *g);

/* ---- views_part.c ---- */

const char *views_select_index(const ViewScalar *dim, const ViewScalar *index, ViewGeometry *g);
const char *views_slice(const ViewCall *c, ViewGeometry *g);
const char *views_narrow(const ViewCall *c, ViewGeometry *g);
const char *views_one_of_many(const ViewCall *c, ViewGeometry *g);
const char *views_diagonal(const ViewCall *c, ViewGeometry *g);
const char *views_unfold(const ViewCall *c, ViewGeometry *g);

#endif /* VIEWS_PRIVATE_H */
