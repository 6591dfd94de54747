/* SPDX-License-Identifier: MIT */
/*
 * geometry_private - what the files of the view algebra share: the state of a fold and the verbs for writing
 * operations.
 *
 * An operation is a function that reads its arguments from fold->view and replaces fold->now. It returns false after
 * fold_fail(). It states what must hold with fold_require_...: that is decided at once if possible, else it becomes a
 * guard, which later decisions may rely on. Statements that create integers are kept apart (no two in one argument
 * list), so that node numbers do not depend on the compiler's order of evaluation.
 */
#ifndef WRAPGEN_GEOMETRY_PRIVATE_H
#define WRAPGEN_GEOMETRY_PRIVATE_H

#include "geometry.h"

typedef struct Fold {
    Arena *arena;
    Integers *integers;
    const char *op_name;  /* "as_strided", for messages */
    const SpecView *view; /* the current operation, and its place in the sequence */
    uint32_t op;
    Geometry now;            /* after what was folded so far; its arrays are never changed */
    Geometry done;           /* after the last step, at first the base */
    const Integer *elements; /* strides are right if this is at least 1; null where they always are */
    bool unclear_offset;     /* those strides were stepped along */
    bool stepped;            /* the current operation is a separate step */
    bool moved; /* an operation that is more than an alias comes between the last step and the current one */
    ViewFold *result;
    GeometryError *error;
} Fold;

/* Geometry. */
Geometry geometry_like(Arena *arena, const Geometry *geometry,
                       uint32_t rank); /* dtype and offset of another, room for rank */
bool geometry_same(Integers *integers, const Geometry *a, const Geometry *b); /* known to be the same */
Geometry geometry_without(Arena *arena, const Geometry *geometry, uint32_t dim);

/* Errors: `field` is a member of fold->view, an element of one of its lists, or null for the operation as a whole. */
bool fold_fail(Fold *fold, const void *field, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *fold_text(const Fold *fold, const Integer *integer);

/* Arguments. An absent dim has its default `absent`; one given must be a literal and, wrapped, within `rank` dimensions
 * (a scalar counts as one of them). */
bool fold_literal(Fold *fold, const SpecInt *argument, int64_t absent, int64_t *value);
bool fold_dim(Fold *fold, const SpecInt *argument, int64_t absent, uint32_t rank, uint32_t *dim);
bool fold_list_dim(Fold *fold, const SpecInts *argument, uint32_t i, uint32_t *dim); /* entry i */
bool fold_dims(Fold *fold, const SpecInts *argument, uint32_t **dims); /* all entries, without duplicates */
const Integer *fold_integer(Fold *fold, const SpecInt *argument, int64_t absent);
const Integer *fold_element(Fold *fold, const SpecInts *argument, uint32_t i);
bool fold_rank_above_zero(Fold *fold);

/* Decisions, guards and arithmetic. */
Truth fold_equal(Fold *fold, const Integer *a, const Integer *b);
Truth fold_is(Fold *fold, const Integer *a, int64_t value);
Truth fold_less_equal(Fold *fold, const Integer *a, const Integer *b);
/* `rule` says in words what must hold, for the guard and, with the two values, for the error. */
bool fold_require_equal(Fold *fold, const void *field, const Integer *lhs, const Integer *rhs, const char *rule);
bool fold_require_less_equal(Fold *fold, const void *field, const Integer *lhs, const Integer *rhs, const char *rule);
bool fold_require_at_least(Fold *fold, const void *field, const Integer *integer, int64_t least, const char *rule);
void fold_add_guard(Fold *fold, bool equal, const Integer *lhs, const Integer *rhs, const char *rule);
const Integer *fold_number(Fold *fold, int64_t value);
const Integer *fold_add(Fold *fold, const Integer *a, const Integer *b);
const Integer *fold_sub(Fold *fold, const Integer *a, const Integer *b);
const Integer *fold_mul(Fold *fold, const Integer *a, const Integer *b);
const Integer *fold_floordiv(Fold *fold, const Integer *a, const Integer *b);
const Integer *fold_min(Fold *fold, const Integer *a, const Integer *b); /* one of the two, if that is decided */
const Integer *fold_max(Fold *fold, const Integer *a, const Integer *b);
const Integer *fold_product(Fold *fold, const Integer *const *factors, uint32_t count);

/* Steps. */
void fold_flush(Fold *fold);                   /* turns what is not yet a step into an as_strided */
void fold_step(Fold *fold, ViewStepKind kind); /* a separate step that leads to fold->now; flush first */

/* Operations, by file. */
bool view_as_strided(Fold *fold);
bool view_transpose(Fold *fold);
bool view_permute(Fold *fold);
bool view_t(Fold *fold);
bool view_alias(Fold *fold);
bool view_detach(Fold *fold);
bool view_squeeze(Fold *fold);
bool view_unsqueeze(Fold *fold);
bool view_movedim(Fold *fold);
bool view_expand(Fold *fold);

bool view_select(Fold *fold);
bool view_slice(Fold *fold);
bool view_narrow(Fold *fold);
bool view_split(Fold *fold);
bool view_split_with_sizes(Fold *fold);
bool view_chunk(Fold *fold);
bool view_unbind(Fold *fold);
bool view_diagonal(Fold *fold);
bool view_unfold(Fold *fold);

bool view_view(Fold *fold); /* and reshape */
bool view_flatten(Fold *fold);
bool view_unflatten(Fold *fold);

bool view_view_dtype(Fold *fold);
bool view_view_as_real(Fold *fold);
bool view_conj(Fold *fold);
bool view_neg_view(Fold *fold);
bool view_view_as_complex(Fold *fold);

#endif /* WRAPGEN_GEOMETRY_PRIVATE_H */
