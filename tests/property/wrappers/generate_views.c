/* SPDX-License-Identifier: MIT */
/*
 * generate_views - random view sequences: an operation is drawn, tried on the geometry under every valuation, and kept
 * when it is possible under all of them.
 */
#include <stddef.h>
#include <string.h>

#include "../../../templates/core/wg_core.h"
#include "generate_private.h"

/* One operation while it is drawn: as YAML, and evaluated. */
typedef struct ViewDraw {
    Draw *draw;
    const Drawn *at; /* the tensor it is applied to */
    Node *map;
    ViewCall calls[SAMPLES];
    bool possible;
} ViewDraw;

static void put_scalar(ViewDraw *v, const char *key, size_t member, Term term)
{
    node_put(v->draw->arena, v->map, key, term.text);
    for (int i = 0; i < SAMPLES; i++) {
        ViewScalar *scalar = (ViewScalar *)(void *)((char *)&v->calls[i] + member);
        scalar->present = true;
        scalar->value = term.values[i];
    }
}

static void put_number(ViewDraw *v, const char *key, size_t member, int64_t value)
{
    put_scalar(v, key, member, term_literal(v->draw, value));
}

static Node *put_list(ViewDraw *v, const char *key, size_t member)
{
    for (int i = 0; i < SAMPLES; i++) {
        ((ViewList *)(void *)((char *)&v->calls[i] + member))->count = 0;
    }
    return node_add(v->draw->arena, v->map, key, node_list(v->draw->arena));
}

static void put_entry(ViewDraw *v, Node *list, size_t member, Term term)
{
    term_add(v->draw, list, term);
    for (int i = 0; i < SAMPLES; i++) {
        ViewList *values = (ViewList *)(void *)((char *)&v->calls[i] + member);
        values->at[values->count++] = term.values[i];
    }
}

#define SCALAR(v, member, term)  put_scalar(v, #member, offsetof(ViewCall, member), term)
#define NUMBER(v, member, value) put_number(v, #member, offsetof(ViewCall, member), value)

static int32_t rank_of(const ViewDraw *v)
{
    return v->at->at[0].rank;
}

static uint32_t below(ViewDraw *v, uint32_t n)
{
    return random_below(&v->draw->random, n);
}

/* A dim, at times counted from the end. */
static int64_t some_dim(ViewDraw *v, int32_t range)
{
    const int64_t dim = below(v, (uint32_t)(range > 0 ? range : 1));
    return range > 0 && below(v, 3) == 0 ? dim - range : dim;
}

/* The size of a dim as the YAML can say it: a literal, or a symbol that has these values. False when it cannot. */
static bool size_term(ViewDraw *v, int32_t dim, Term *term)
{
    const ViewGeometry *g = v->at->at;
    if (g[0].sizes[dim] == g[1].sizes[dim] && g[1].sizes[dim] == g[2].sizes[dim]) {
        *term = term_literal(v->draw, g[0].sizes[dim]);
        return true;
    }
    return term_for_values(v->draw, (int64_t[SAMPLES]){g[0].sizes[dim], g[1].sizes[dim], g[2].sizes[dim]}, term);
}

/* Sizes with neighbouring dims merged, literal dims split, and sometimes one of them left to be inferred. */
static void draw_view(ViewDraw *v)
{
    Node *list = put_list(v, "size", offsetof(ViewCall, size));
    bool inferred = false;
    for (int32_t d = 0; d < rank_of(v);) {
        Term term = {NULL, {0}, false};
        bool known = size_term(v, d, &term);
        d++;
        while (d < rank_of(v) && below(v, 3) == 0) {
            Term next = {NULL, {0}, false};
            known = size_term(v, d, &next) && known;
            term = known ? term_times(v->draw, term, next) : term;
            d++;
        }
        if (!inferred && (!known || below(v, 6) == 0)) {
            inferred = true;
            put_entry(v, list, offsetof(ViewCall, size), term_literal(v->draw, -1));
        } else if (known && !term.symbolic && term.values[0] % 2 == 0 && term.values[0] > 0 && below(v, 3) == 0) {
            put_entry(v, list, offsetof(ViewCall, size), term_literal(v->draw, 2));
            put_entry(v, list, offsetof(ViewCall, size), term_literal(v->draw, term.values[0] / 2));
        } else if (known) {
            put_entry(v, list, offsetof(ViewCall, size), term);
        } else {
            v->possible = false;
        }
        if (below(v, 8) == 0) {
            put_entry(v, list, offsetof(ViewCall, size), term_literal(v->draw, 1));
        }
    }
}

/* Where a size is symbolic, wrapgen takes it to be the one asked for and refuses at run time when it is not, also when
 * it is 1 and PyTorch would repeat it: so only sizes that are 1 for certain are expanded here. */
static void draw_expand(ViewDraw *v)
{
    Node *list = put_list(v, "size", offsetof(ViewCall, size));
    for (uint32_t i = below(v, 3); i > 1; i--) {
        put_entry(v, list, offsetof(ViewCall, size), term_size(v->draw, false));
    }
    for (int32_t d = 0; d < rank_of(v); d++) {
        const bool one =
            !v->at->symbolic && v->at->at[0].sizes[d] == 1 && v->at->at[1].sizes[d] == 1 && v->at->at[2].sizes[d] == 1;
        put_entry(v, list, offsetof(ViewCall, size),
                  one && below(v, 2) == 0 ? term_size(v->draw, false) : term_literal(v->draw, -1));
    }
}

static void draw_order(ViewDraw *v)
{
    int32_t order[VIEW_RANK];
    const int32_t rank = rank_of(v);
    Node *list = put_list(v, "dims", offsetof(ViewCall, dims));
    for (int32_t i = 0; i < rank; i++) {
        order[i] = i;
    }
    for (int32_t i = rank - 1; i > 0; i--) {
        const int32_t k = (int32_t)below(v, (uint32_t)i + 1);
        const int32_t kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    for (int32_t i = 0; i < rank; i++) {
        put_entry(v, list, offsetof(ViewCall, dims),
                  term_literal(v->draw, below(v, 4) == 0 ? order[i] - rank : order[i]));
    }
}

static void draw_dim_pair(ViewDraw *v, const char *key, size_t member)
{
    Node *list = put_list(v, key, member);
    put_entry(v, list, member, term_literal(v->draw, some_dim(v, rank_of(v))));
    put_entry(v, list, member, term_literal(v->draw, some_dim(v, rank_of(v))));
}

static void draw_movedim(ViewDraw *v)
{
    Node *list = put_list(v, "source", offsetof(ViewCall, source));
    const uint32_t n = 1 + below(v, 2);
    for (uint32_t i = 0; i < n; i++) {
        put_entry(v, list, offsetof(ViewCall, source), term_literal(v->draw, some_dim(v, rank_of(v))));
    }
    list = put_list(v, "destination", offsetof(ViewCall, destination));
    for (uint32_t i = 0; i < n; i++) {
        put_entry(v, list, offsetof(ViewCall, destination), term_literal(v->draw, some_dim(v, rank_of(v))));
    }
}

static void draw_slice(ViewDraw *v)
{
    if (below(v, 4) != 0) {
        NUMBER(v, dim, some_dim(v, rank_of(v)));
    }
    if (below(v, 3) != 0) {
        SCALAR(v, start, below(v, 12) == 0 ? term_symbolic(v->draw) : term_literal(v->draw, (int64_t)below(v, 7) - 3));
    }
    if (below(v, 2) != 0) {
        SCALAR(v, end, below(v, 8) == 0 ? term_symbolic(v->draw) : term_literal(v->draw, (int64_t)below(v, 11) - 3));
    }
    if (below(v, 3) == 0) {
        NUMBER(v, step, 1 + below(v, 3));
    }
}

static void draw_pieces(ViewDraw *v, SpecViewOp op)
{
    const int64_t dim = some_dim(v, rank_of(v));
    const int32_t d = (int32_t)(dim < 0 ? dim + rank_of(v) : dim);
    const int64_t size = rank_of(v) > 0 ? v->at->at[0].sizes[d] : 0;
    if (op == SPEC_VIEW_SPLIT) {
        NUMBER(v, split_size, 1 + below(v, 4));
    } else if (op == SPEC_VIEW_CHUNK) {
        NUMBER(v, chunks, 1 + below(v, 4));
    } else {
        Node *list = put_list(v, "sizes", offsetof(ViewCall, sizes));
        const int64_t first = size > 0 ? below(v, (uint32_t)size + 1) : 0;
        put_entry(v, list, offsetof(ViewCall, sizes), term_literal(v->draw, first));
        put_entry(v, list, offsetof(ViewCall, sizes), term_literal(v->draw, size - first));
    }
    NUMBER(v, dim, dim);
    NUMBER(v, index, (int64_t)below(v, 4) - 1);
}

static void draw_as_strided(ViewDraw *v)
{
    const uint32_t rank = below(v, 4);
    Node *list = put_list(v, "size", offsetof(ViewCall, size));
    for (uint32_t i = 0; i < rank; i++) {
        put_entry(v, list, offsetof(ViewCall, size), term_size(v->draw, false));
    }
    list = put_list(v, "stride", offsetof(ViewCall, stride));
    for (uint32_t i = 0; i < rank; i++) {
        put_entry(v, list, offsetof(ViewCall, stride), term_literal(v->draw, below(v, 5)));
    }
    if (below(v, 2) == 0) {
        NUMBER(v, offset, below(v, 4));
    }
}

static void draw_diagonal(ViewDraw *v)
{
    if (below(v, 2) == 0) {
        NUMBER(v, offset, (int64_t)below(v, 4) - 1);
    }
    if (below(v, 2) == 0) {
        NUMBER(v, dim1, some_dim(v, rank_of(v)));
        NUMBER(v, dim2, some_dim(v, rank_of(v)));
    }
}

static void draw_unflatten(ViewDraw *v)
{
    const int64_t dim = some_dim(v, rank_of(v));
    const int64_t size = rank_of(v) > 0 ? v->at->at[0].sizes[dim < 0 ? dim + rank_of(v) : dim] : 0;
    const int64_t first = 1 + (int64_t)below(v, 3);
    NUMBER(v, dim, dim);
    Node *list = put_list(v, "size", offsetof(ViewCall, size));
    put_entry(v, list, offsetof(ViewCall, size), term_literal(v->draw, first));
    put_entry(v, list, offsetof(ViewCall, size), term_literal(v->draw, size / first));
}

static void draw_view_dtype(ViewDraw *v)
{
    const char *dtype = generate_dtype(v->draw, false);
    node_put(v->draw->arena, v->map, "dtype", dtype);
    for (int i = 0; i < SAMPLES; i++) {
        v->calls[i].dtype = generate_dtype_code(dtype);
    }
    v->possible = v->at->dtype != NULL;
}

static void draw_flatten(ViewDraw *v)
{
    if (below(v, 2) == 0) {
        NUMBER(v, start_dim, some_dim(v, rank_of(v)));
    }
    if (below(v, 2) == 0) {
        NUMBER(v, end_dim, some_dim(v, rank_of(v)));
    }
}

static void draw_arguments(ViewDraw *v, SpecViewOp op)
{
    switch (op) {
    case SPEC_VIEW_VIEW:
    case SPEC_VIEW_RESHAPE:
        draw_view(v);
        break;
    case SPEC_VIEW_EXPAND:
        draw_expand(v);
        break;
    case SPEC_VIEW_TRANSPOSE:
        draw_dim_pair(v, "dims", offsetof(ViewCall, dims));
        break;
    case SPEC_VIEW_PERMUTE:
        draw_order(v);
        break;
    case SPEC_VIEW_SQUEEZE:
        if (below(v, 2) == 0) {
            Node *list = put_list(v, "dims", offsetof(ViewCall, dims));
            put_entry(v, list, offsetof(ViewCall, dims), term_literal(v->draw, some_dim(v, rank_of(v))));
        }
        break;
    case SPEC_VIEW_UNSQUEEZE:
        NUMBER(v, dim, some_dim(v, rank_of(v) + 1));
        break;
    case SPEC_VIEW_SELECT:
    case SPEC_VIEW_UNBIND:
        NUMBER(v, dim, some_dim(v, rank_of(v)));
        NUMBER(v, index, (int64_t)below(v, 4) - 1);
        break;
    case SPEC_VIEW_SLICE:
        draw_slice(v);
        break;
    case SPEC_VIEW_NARROW:
        NUMBER(v, dim, some_dim(v, rank_of(v)));
        NUMBER(v, start, (int64_t)below(v, 4) - 1);
        NUMBER(v, length, below(v, 4));
        break;
    case SPEC_VIEW_UNFOLD:
        NUMBER(v, dim, some_dim(v, rank_of(v)));
        NUMBER(v, length, below(v, 4));
        NUMBER(v, step, 1 + below(v, 3));
        break;
    case SPEC_VIEW_DIAGONAL:
        draw_diagonal(v);
        break;
    case SPEC_VIEW_MOVEDIM:
        draw_movedim(v);
        break;
    case SPEC_VIEW_FLATTEN:
        draw_flatten(v);
        break;
    case SPEC_VIEW_UNFLATTEN:
        draw_unflatten(v);
        break;
    case SPEC_VIEW_SPLIT:
    case SPEC_VIEW_SPLIT_WITH_SIZES:
    case SPEC_VIEW_CHUNK:
        draw_pieces(v, op);
        break;
    case SPEC_VIEW_AS_STRIDED:
        draw_as_strided(v);
        break;
    case SPEC_VIEW_VIEW_DTYPE:
        draw_view_dtype(v);
        break;
    default: /* no arguments */
        break;
    }
}

/* name, op, whether the strides (1) or the offset too (2) of the base must be known for it */
typedef struct ViewChoice {
    const char *name;
    SpecViewOp op;
    int needs;
} ViewChoice;

static const ViewChoice choices[] = {
    {"view", SPEC_VIEW_VIEW, 1},
    {"view", SPEC_VIEW_VIEW, 1},
    {"reshape", SPEC_VIEW_RESHAPE, 1},
    {"expand", SPEC_VIEW_EXPAND, 0},
    {"transpose", SPEC_VIEW_TRANSPOSE, 0},
    {"transpose", SPEC_VIEW_TRANSPOSE, 0},
    {"permute", SPEC_VIEW_PERMUTE, 0},
    {"t", SPEC_VIEW_T, 0},
    {"alias", SPEC_VIEW_ALIAS, 0},
    {"detach", SPEC_VIEW_DETACH, 0},
    {"squeeze", SPEC_VIEW_SQUEEZE, 0},
    {"unsqueeze", SPEC_VIEW_UNSQUEEZE, 0},
    {"select", SPEC_VIEW_SELECT, 0},
    {"unbind", SPEC_VIEW_UNBIND, 0},
    {"slice", SPEC_VIEW_SLICE, 0},
    {"slice", SPEC_VIEW_SLICE, 0},
    {"narrow", SPEC_VIEW_NARROW, 0},
    {"unfold", SPEC_VIEW_UNFOLD, 0},
    {"diagonal", SPEC_VIEW_DIAGONAL, 0},
    {"movedim", SPEC_VIEW_MOVEDIM, 0},
    {"flatten", SPEC_VIEW_FLATTEN, 1},
    {"unflatten", SPEC_VIEW_UNFLATTEN, 0},
    {"split", SPEC_VIEW_SPLIT, 0},
    {"split_with_sizes", SPEC_VIEW_SPLIT_WITH_SIZES, 0},
    {"chunk", SPEC_VIEW_CHUNK, 0},
    {"as_strided", SPEC_VIEW_AS_STRIDED, 0},
    {"view_dtype", SPEC_VIEW_VIEW_DTYPE, 2},
    {"view_as_real", SPEC_VIEW_VIEW_AS_REAL, 2},
    {"view_as_complex", SPEC_VIEW_VIEW_AS_COMPLEX, 2},
    {"_conj", SPEC_VIEW__CONJ, 2},
    {"_neg_view", SPEC_VIEW__NEG_VIEW, 2},
};

static const char *dtype_after(const ViewDraw *v, const char *before)
{
    const Node *dtype = node_find(v->map, "dtype");
    const SpecViewOp op = v->calls[0].op;
    if (op == SPEC_VIEW_VIEW_AS_REAL || op == SPEC_VIEW_VIEW_AS_COMPLEX) {
        return generate_dtype_name(v->at->at[0].dtype);
    }
    return dtype != NULL ? dtype->text : before;
}

/* Tries one operation on `at`; true when it is possible under every valuation, `at` is then the result. */
static bool draw_step(Draw *draw, Drawn *at, Node *sequence)
{
    const ViewChoice *choice = &choices[random_below(&draw->random, sizeof choices / sizeof choices[0])];
    Drawn after = *at;
    ViewDraw v = {draw, at, node_map(draw->arena), {view_call(choice->op)}, true};
    v.calls[1] = v.calls[0];
    v.calls[2] = v.calls[0];
    if ((choice->needs >= 1 && !at->has_stride) || (choice->needs == 2 && (!at->has_offset || at->dtype == NULL))) {
        return false;
    }
    node_put(draw->arena, v.map, "op", choice->name);
    bool wanted[ALL_SYMBOLS];
    memcpy(wanted, draw->wanted, sizeof wanted);
    memset(draw->wanted, 0, sizeof draw->wanted);
    draw_arguments(&v, choice->op);
    for (int i = 0; i < SAMPLES && v.possible; i++) {
        v.possible = view_apply(&v.calls[i], &after.at[i]) == NULL && after.at[i].rank == after.at[0].rank &&
                     after.at[i].rank <= 6;
    }
    if (!v.possible) {
        memcpy(draw->wanted, wanted, sizeof wanted);
        return false;
    }
    for (int i = 0; i < ALL_SYMBOLS; i++) {
        after.symbolic = after.symbolic || draw->wanted[i];
        draw->wanted[i] = draw->wanted[i] || wanted[i];
    }
    v.at = &after;
    after.dtype = dtype_after(&v, at->dtype);
    *at = after;
    node_add(draw->arena, sequence, NULL, v.map);
    return true;
}

Node *generate_views(Draw *draw, const Drawn *base, Drawn *result)
{
    Node *sequence = node_list(draw->arena);
    const uint32_t most = 1 + random_below(&draw->random, 4);
    Drawn at = *base;
    if (!base->has_size) {
        return NULL;
    }
    for (uint32_t tries = 0; tries < 12 && sequence->count < most; tries++) {
        draw_step(draw, &at, sequence);
    }
    *result = at;
    return sequence->count > 0 ? sequence : NULL;
}
