/* SPDX-License-Identifier: MIT */
/*
 * geometry - folds a sequence of view operations; the table of operations is here, the operations themselves are in
 * geometry_ops.c (dimensions moved, added, removed), geometry_slice.c (parts), geometry_view.c (other shapes of the
 * same elements) and geometry_dtype.c (other element types); geometry_fold.c has the verbs in which they are written.
 *
 * A new operation: a word in schema/spec.def, a row here, a function in one of those files, a case in the
 * oracle of tests/property/geometry and in its make_cases.py.
 */
#include "geometry_private.h"

#include <stddef.h>
#include <string.h>

/* The members of SpecView that are arguments: lists, integers, and dtype, which is neither. */
/* clang-format off */
#define VIEW_MEMBERS(LIST, ONE)                                                                                        \
    LIST(size) LIST(stride) ONE(offset) LIST(dims) ONE(dim) ONE(dim1) ONE(dim2) ONE(index) ONE(start) ONE(end)         \
    ONE(step) ONE(length) LIST(source) LIST(destination) ONE(start_dim) ONE(end_dim) ONE(split_size) LIST(sizes)       \
    ONE(chunks)
/* clang-format on */

#define NUMBER(name) MEMBER_##name,
typedef enum Member { VIEW_MEMBERS(NUMBER, NUMBER) MEMBER_dtype, NUM_MEMBERS } Member;
#undef NUMBER

#define BIT(name) HAS_##name = 1 << MEMBER_##name,
enum { VIEW_MEMBERS(BIT, BIT) HAS_dtype = 1 << MEMBER_dtype };
#undef BIT

typedef struct MemberPlace {
    const char *name;
    size_t offset; /* in SpecView */
    bool list;
} MemberPlace;

static const MemberPlace members[] = {
#define LIST(name) {#name, offsetof(SpecView, name), true},
#define ONE(name)  {#name, offsetof(SpecView, name), false},
    VIEW_MEMBERS(LIST, ONE){"dtype", offsetof(SpecView, dtype), false},
#undef LIST
#undef ONE
};

_Static_assert(sizeof members / sizeof members[0] == NUM_MEMBERS, "every argument has a row");

typedef struct Operation {
    const char *name;
    uint32_t needs; /* HAS_ bits */
    uint32_t takes; /* allowed besides those */
    bool (*apply)(Fold *fold);
    bool makes_several; /* the result is one of several views */
} Operation;

static const Operation operations[] = {
    [SPEC_VIEW_AS_STRIDED] = {"as_strided", HAS_size | HAS_stride, HAS_offset, view_as_strided, false},
    [SPEC_VIEW_VIEW] = {"view", HAS_size, 0, view_view, false},
    [SPEC_VIEW_RESHAPE] = {"reshape", HAS_size, 0, view_view, false},
    [SPEC_VIEW_EXPAND] = {"expand", HAS_size, 0, view_expand, false},
    [SPEC_VIEW_TRANSPOSE] = {"transpose", HAS_dims, 0, view_transpose, false},
    [SPEC_VIEW_PERMUTE] = {"permute", HAS_dims, 0, view_permute, false},
    [SPEC_VIEW_T] = {"t", 0, 0, view_t, false},
    [SPEC_VIEW_ALIAS] = {"alias", 0, 0, view_alias, false},
    [SPEC_VIEW_DETACH] = {"detach", 0, 0, view_detach, false},
    [SPEC_VIEW_VIEW_AS_REAL] = {"view_as_real", 0, 0, view_view_as_real, false},
    [SPEC_VIEW_VIEW_AS_COMPLEX] = {"view_as_complex", 0, 0, view_view_as_complex, false},
    [SPEC_VIEW_SQUEEZE] = {"squeeze", 0, HAS_dims, view_squeeze, false},
    [SPEC_VIEW_UNSQUEEZE] = {"unsqueeze", HAS_dim, 0, view_unsqueeze, false},
    [SPEC_VIEW_SELECT] = {"select", HAS_dim | HAS_index, 0, view_select, false},
    [SPEC_VIEW_SLICE] = {"slice", 0, HAS_dim | HAS_start | HAS_end | HAS_step, view_slice, false},
    [SPEC_VIEW_VIEW_DTYPE] = {"view_dtype", HAS_dtype, 0, view_view_dtype, false},
    [SPEC_VIEW_DIAGONAL] = {"diagonal", 0, HAS_offset | HAS_dim1 | HAS_dim2, view_diagonal, false},
    [SPEC_VIEW_UNFOLD] = {"unfold", HAS_dim | HAS_length | HAS_step, 0, view_unfold, false},
    [SPEC_VIEW_MOVEDIM] = {"movedim", HAS_source | HAS_destination, 0, view_movedim, false},
    [SPEC_VIEW_FLATTEN] = {"flatten", 0, HAS_start_dim | HAS_end_dim, view_flatten, false},
    [SPEC_VIEW_UNFLATTEN] = {"unflatten", HAS_dim | HAS_size, 0, view_unflatten, false},
    [SPEC_VIEW_SPLIT] = {"split", HAS_split_size | HAS_index, HAS_dim, view_split, true},
    [SPEC_VIEW_SPLIT_WITH_SIZES] = {"split_with_sizes", HAS_sizes | HAS_index, HAS_dim, view_split_with_sizes, true},
    [SPEC_VIEW_CHUNK] = {"chunk", HAS_chunks | HAS_index, HAS_dim, view_chunk, true},
    [SPEC_VIEW_UNBIND] = {"unbind", HAS_index, HAS_dim, view_unbind, true},
    [SPEC_VIEW_NARROW] = {"narrow", HAS_dim | HAS_start | HAS_length, 0, view_narrow, false},
    [SPEC_VIEW__CONJ] = {"_conj", 0, 0, view_conj, false},
    [SPEC_VIEW__NEG_VIEW] = {"_neg_view", 0, 0, view_neg_view, false},
};

_Static_assert(sizeof operations / sizeof operations[0] == SPEC_VIEW__NEG_VIEW + 1, "every operation has a row");

static const void *member_field(const SpecView *view, const MemberPlace *member)
{
    return (const char *)view + member->offset;
}

/* Is the argument there? With `resolved`: and does each of its integers have its expression? */
static bool member_given(const SpecView *view, const MemberPlace *member, bool *resolved)
{
    const void *field = member_field(view, member);
    *resolved = true;
    if (member->list) {
        const SpecInts *list = field;
        for (uint32_t i = 0; list->text && i < list->text_count; i++) {
            *resolved = *resolved && list->expr && list->expr[i];
        }
        return list->text != NULL;
    }
    if (member->offset == offsetof(SpecView, dtype)) {
        return view->dtype != NULL;
    }
    const SpecInt *one = field;
    *resolved = !one->text || one->expr;
    return one->text != NULL;
}

static bool check_arguments(Fold *fold, const Operation *operation)
{
    for (uint32_t i = 0; i < NUM_MEMBERS; i++) {
        const uint32_t bit = 1U << i;
        bool resolved = true;
        const bool given = member_given(fold->view, &members[i], &resolved);
        if (given && ((operation->needs | operation->takes) & bit) == 0) {
            return fold_fail(fold, member_field(fold->view, &members[i]), "takes no '%s'", members[i].name);
        }
        if (!given && (operation->needs & bit) != 0) {
            return fold_fail(fold, NULL, "needs '%s'", members[i].name);
        }
        if (!resolved) {
            return fold_fail(fold, member_field(fold->view, &members[i]), "'%s' is not an integer or expression",
                             members[i].name);
        }
    }
    return true;
}

static const Operation *find_operation(SpecViewOp op)
{
    return op > SPEC_VIEW_UNSET && op <= SPEC_VIEW__NEG_VIEW ? &operations[op] : NULL;
}

static bool apply_operation(Fold *fold)
{
    const Operation *operation = find_operation(fold->view->op);
    if (!operation) {
        return fold_fail(fold, NULL, "no such operation");
    }
    if (!check_arguments(fold, operation) || !operation->apply(fold)) {
        return false;
    }
    if (integers_failed(fold->integers)) {
        return fold_fail(fold, NULL, "a size, stride or offset does not fit in 64 bits");
    }
    return true;
}

static bool fold_sequence(Fold *fold, const SpecView *views, uint32_t num_views)
{
    bool moved = false; /* by an operation that is more than an alias */
    for (uint32_t i = 0; i < num_views; i++) {
        fold->view = &views[i];
        fold->op_name = geometry_op_text(views[i].op);
        fold->op = i;
        fold->stepped = false;
        if (!apply_operation(fold)) {
            return false;
        }
        fold->result->part =
            views[i].op != SPEC_VIEW_DETACH && (fold->result->part || operations[views[i].op].makes_several);
        fold->result->separate = fold->result->separate || (moved && views[i].op == SPEC_VIEW_AS_STRIDED);
        moved = moved || views[i].op != SPEC_VIEW_ALIAS;
        fold->moved = !fold->stepped && (fold->moved || views[i].op != SPEC_VIEW_ALIAS);
    }
    fold_flush(fold);
    return true;
}

/* Assumes what is true of every tensor about the base: sizes and offset are not negative. */
static uint32_t assume_base(Integers *integers, const Geometry *base)
{
    const Integer *zero = integer_literal(integers, 0);
    const uint32_t mark = integers_assume(integers, zero, base->offset);
    for (uint32_t i = 0; i < base->rank; i++) {
        integers_assume(integers, zero, base->sizes[i]);
    }
    return mark;
}

bool geometry_fold(Arena *arena, Integers *integers, const Geometry *base, const SpecView *views, uint32_t num_views,
                   ViewFold *fold, GeometryError *error)
{
    memset(fold, 0, sizeof *fold);
    memset(error, 0, sizeof *error);
    Fold state = {.arena = arena, .integers = integers, .now = *base, .done = *base, .result = fold, .error = error};
    const bool failed_before = integers_set_failed(integers, false);
    const uint32_t mark = assume_base(integers, base);
    const bool good = fold_sequence(&state, views, num_views);
    integers_forget(integers, mark);
    integers_set_failed(integers, failed_before);
    fold->result = state.now;
    return good;
}

const char *geometry_op_text(SpecViewOp op)
{
    const Operation *operation = find_operation(op);
    return operation ? operation->name : "?";
}
