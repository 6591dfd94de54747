/* SPDX-License-Identifier: MIT */
/*
 * make - random cases for the property test; see make.h. A new operation is a case in make_arguments().
 */
#include "make.h"

#include <string.h>

int64_t random_between(Random *random, int64_t least, int64_t most)
{
    return most <= least ? least : least + (int64_t)random_below(random, (uint32_t)(most - least + 1));
}

/* ---- expressions ---- */

static const Expr *symbol_expr(Arena *arena, uint32_t symbol)
{
    Expr *expr = ARENA_NEW(arena, Expr);
    expr->kind = EXPR_SYMBOL;
    expr->symbol = symbol;
    return expr;
}

static const Expr *binary(Arena *arena, ExprKind kind, const Expr *lhs, const Expr *rhs)
{
    int64_t a = 0;
    int64_t b = 0;
    if (kind == EXPR_MUL && expr_is_literal(lhs, &a) && expr_is_literal(rhs, &b)) {
        return expr_literal(arena, a * b);
    }
    Expr *expr = ARENA_NEW(arena, Expr);
    expr->kind = kind;
    expr->lhs = lhs;
    expr->rhs = rhs;
    return expr;
}

/* An expression whose value at the maker's symbols is `value`. */
static const Expr *say(Maker *maker, int64_t value)
{
    Arena *arena = maker->arena;
    const Expr *literal = expr_literal(arena, value);
    if (!maker->symbolic || random_chance(maker->random, 45)) {
        return literal;
    }
    const uint32_t index = random_below(maker->random, MAKE_SYMBOLS);
    const int64_t known = maker->made->symbols[index];
    const Expr *symbol = symbol_expr(arena, index);
    if (known == value) {
        return symbol;
    }
    switch (random_below(maker->random, 4)) {
    case 0:
        return binary(arena, EXPR_ADD, symbol, expr_literal(arena, value - known));
    case 1:
        return known != 0 && value % known == 0 ? binary(arena, EXPR_MUL, symbol, expr_literal(arena, value / known))
                                                : literal;
    case 2:
        return binary(arena, EXPR_FLOORDIV, binary(arena, EXPR_ADD, symbol, expr_literal(arena, 2 * value - known)),
                      expr_literal(arena, 2));
    default:
        return literal;
    }
}

static SpecInt one(Maker *maker, const Expr *expr)
{
    return (SpecInt){make_expr_text(maker->arena, expr), expr};
}

static SpecInt said(Maker *maker, int64_t value)
{
    return one(maker, say(maker, value));
}

/* Dimensions and the like are literals, now and then a symbol, which is refused. */
static SpecInt fixed(Maker *maker, int64_t value)
{
    return random_chance(maker->random, 1) ? said(maker, value) : one(maker, expr_literal(maker->arena, value));
}

static SpecInts list(Maker *maker, const Expr *const *exprs, uint32_t count)
{
    SpecInts result = {ARENA_ARRAY(maker->arena, char *, count), count, NULL};
    const Expr **copies = ARENA_ARRAY(maker->arena, const Expr *, count);
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = exprs[i];
        result.text[i] = make_expr_text(maker->arena, exprs[i]);
    }
    result.expr = copies;
    return result;
}

/* ---- base ---- */

static void make_symbols(Maker *maker)
{
    static const int64_t values[] = {-1, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8};
    for (uint32_t i = 0; i < MAKE_SYMBOLS; i++) {
        const int64_t value = values[random_below(maker->random, sizeof values / sizeof values[0])];
        maker->made->symbols[i] = value;
        IntegerRange *range = &maker->made->ranges[i];
        range->has_min = random_chance(maker->random, 60);
        range->has_max = random_chance(maker->random, 30);
        range->min = value - (int64_t)random_below(maker->random, 3);
        range->max = value + (int64_t)random_below(maker->random, 4);
    }
}

static void shuffle_dims(Maker *maker, int64_t *sizes)
{
    Case *made = maker->made;
    for (uint32_t i = 0; i + 1 < made->rank; i++) {
        const uint32_t j = i + random_below(maker->random, made->rank - i);
        const Expr *size = made->sizes[i];
        const Expr *stride = made->strides[i];
        const int64_t number = sizes[i];
        made->sizes[i] = made->sizes[j];
        made->strides[i] = made->strides[j];
        sizes[i] = sizes[j];
        made->sizes[j] = size;
        made->strides[j] = stride;
        sizes[j] = number;
    }
}

/* Mostly contiguous, often with the dimensions in another order, sometimes with a stride of its own. */
void make_base(Maker *maker)
{
    static const char *const dtypes[] = {"float32", "float32", "complex64", "float16", "float64", "uint8"};
    static const int64_t choices[] = {0, 1, 1, 2, 2, 3, 4, 4, 6, 8};
    Case *made = maker->made;
    Random *random = maker->random;
    memset(made, 0, sizeof *made);
    make_symbols(maker);
    made->dtype = dtype_parse(dtypes[random_below(random, sizeof dtypes / sizeof dtypes[0])]);
    made->rank = random_below(random, MAKE_MAX_RANK + 1);
    int64_t sizes[MAKE_MAX_RANK];
    const Expr *stride = expr_literal(maker->arena, 1);
    for (uint32_t i = made->rank; i-- > 0;) {
        sizes[i] = choices[random_below(random, sizeof choices / sizeof choices[0])];
        made->sizes[i] = say(maker, sizes[i]);
        made->strides[i] = stride;
        stride = sizes[i] == 0 ? stride : binary(maker->arena, EXPR_MUL, made->sizes[i], stride);
    }
    if (random_chance(random, 40)) {
        shuffle_dims(maker, sizes);
    }
    if (random_chance(random, 20) && made->rank > 0) {
        made->strides[random_below(random, made->rank)] = say(maker, random_between(random, 0, 9));
    }
    made->offset = say(maker, random_chance(random, 50) ? 0 : random_between(random, 0, 16));
    const Symbols symbols = {made->symbols, NULL};
    for (uint32_t i = 0; i < made->rank; i++) {
        evaluate(&symbols, made->strides[i], &made->read_strides[i]);
        made->strides[i] = maker->symbolic && random_chance(random, 15) ? NULL : made->strides[i];
    }
    evaluate(&symbols, made->offset, &made->read_offset);
    made->offset = maker->symbolic && random_chance(random, 25) ? NULL : made->offset;
}

/* ---- operations ---- */

/* The tensor that the operation is made for. */
typedef struct Now {
    uint32_t rank;
    const int64_t *sizes;
    const Expr *const *exprs;
} Now;

static int64_t some_dim(Maker *maker, const Now *now)
{
    const int64_t rank = (int64_t)now->rank;
    return random_chance(maker->random, 96) && rank > 0 ? random_between(maker->random, -rank, rank - 1)
                                                        : random_between(maker->random, -rank - 1, rank);
}

static int64_t size_of(const Now *now, int64_t dim)
{
    const int64_t wrapped = dim < 0 ? dim + (int64_t)now->rank : dim;
    return wrapped >= 0 && wrapped < (int64_t)now->rank ? now->sizes[wrapped] : 1;
}

static const Expr *say_size(Maker *maker, const Now *now, uint32_t dim)
{
    return now->exprs[dim] && random_chance(maker->random, 80) ? now->exprs[dim] : say(maker, now->sizes[dim]);
}

/* A list of sizes under construction. */
typedef struct Sizes {
    int64_t values[16];
    const Expr *exprs[16];
    uint32_t count;
} Sizes;

static void insert_size(Sizes *sizes, uint32_t at, int64_t value, const Expr *expr)
{
    if (sizes->count == 16) {
        return;
    }
    for (uint32_t i = sizes->count; i > at; i--) {
        sizes->values[i] = sizes->values[i - 1];
        sizes->exprs[i] = sizes->exprs[i - 1];
    }
    sizes->values[at] = value;
    sizes->exprs[at] = expr;
    sizes->count++;
}

static void remove_size(Sizes *sizes, uint32_t at)
{
    sizes->count--;
    for (uint32_t i = at; i < sizes->count; i++) {
        sizes->values[i] = sizes->values[i + 1];
        sizes->exprs[i] = sizes->exprs[i + 1];
    }
}

/* One random change that keeps the product: two joined, one split, a 1 put in or taken out. */
static void change_sizes(Maker *maker, Sizes *sizes)
{
    Random *random = maker->random;
    const uint32_t at = sizes->count > 0 ? random_below(random, sizes->count) : 0;
    switch (random_below(random, 4)) {
    case 0:
        if (at + 1 < sizes->count) {
            sizes->values[at] *= sizes->values[at + 1];
            sizes->exprs[at] = binary(maker->arena, EXPR_MUL, sizes->exprs[at], sizes->exprs[at + 1]);
            remove_size(sizes, at + 1);
        }
        return;
    case 1:
        for (int64_t factor = random_chance(random, 50) ? 2 : 3; sizes->count > 0 && factor > 1; factor--) {
            if (sizes->values[at] > 0 && sizes->values[at] % factor == 0) {
                const Expr *number = expr_literal(maker->arena, factor);
                sizes->values[at] /= factor;
                sizes->exprs[at] = random_chance(random, 50)
                                       ? say(maker, sizes->values[at])
                                       : binary(maker->arena, EXPR_FLOORDIV, sizes->exprs[at], number);
                insert_size(sizes, at + random_below(random, 2), factor, say(maker, factor));
                return;
            }
        }
        return;
    case 2:
        insert_size(sizes, random_below(random, sizes->count + 1), 1, say(maker, 1));
        return;
    default:
        if (sizes->count > 0 && sizes->values[at] == 1) {
            remove_size(sizes, at);
        }
    }
}

static SpecInts say_shape(Maker *maker, Sizes *sizes)
{
    for (uint32_t changes = random_below(maker->random, 5); changes > 0; changes--) {
        change_sizes(maker, sizes);
    }
    if (sizes->count > 0 && random_chance(maker->random, 4)) {
        sizes->exprs[random_below(maker->random, sizes->count)] = say(maker, random_between(maker->random, 0, 5));
    }
    if (sizes->count > 0 && random_chance(maker->random, 30)) {
        sizes->exprs[random_below(maker->random, sizes->count)] = expr_literal(maker->arena, -1);
    }
    return list(maker, sizes->exprs, sizes->count);
}

static void make_shape(Maker *maker, const Now *now, SpecView *view)
{
    Sizes sizes = {.count = 0};
    if (view->op == SPEC_VIEW_UNFLATTEN) {
        const int64_t dim = some_dim(maker, now);
        const int64_t wrapped = dim < 0 ? dim + (int64_t)now->rank : dim;
        const bool there = wrapped >= 0 && wrapped < (int64_t)now->rank;
        view->dim = fixed(maker, dim);
        insert_size(&sizes, 0, size_of(now, dim),
                    there ? say_size(maker, now, (uint32_t)wrapped) : expr_literal(maker->arena, 1));
    } else {
        for (uint32_t i = 0; i < now->rank; i++) {
            insert_size(&sizes, i, now->sizes[i], say_size(maker, now, i));
        }
    }
    view->size = say_shape(maker, &sizes);
}

static void make_expand(Maker *maker, const Now *now, SpecView *view)
{
    Random *random = maker->random;
    const Expr *exprs[MAKE_MAX_RANK * 4 + 2];
    uint32_t count = 0;
    for (uint32_t added = random_below(random, 3); added > 1; added--) {
        exprs[count++] = say(maker, random_between(random, 0, 3));
    }
    for (uint32_t i = 0; i < now->rank && i < MAKE_MAX_RANK * 4; i++) {
        const int64_t size = now->sizes[i] == 1 ? random_between(random, 0, 3) : now->sizes[i];
        exprs[count++] = random_chance(random, 30)   ? expr_literal(maker->arena, -1)
                         : size == now->sizes[i]     ? say_size(maker, now, i)
                         : random_chance(random, 97) ? say(maker, size)
                                                     : say(maker, random_between(random, -1, 4));
    }
    view->size = list(maker, exprs, count);
}

/* Some or all of the dimensions in random order, sometimes counted from the end. */
static SpecInts make_dims(Maker *maker, const Now *now, uint32_t count)
{
    const Expr *exprs[32];
    uint32_t order[32];
    for (uint32_t i = 0; i < now->rank; i++) {
        order[i] = i;
    }
    for (uint32_t i = 0; i < count && i < now->rank; i++) {
        const uint32_t j = i + random_below(maker->random, now->rank - i);
        const uint32_t dim = order[j];
        order[j] = order[i];
        const bool back = random_chance(maker->random, 30);
        exprs[i] = expr_literal(maker->arena, back ? (int64_t)dim - (int64_t)now->rank : (int64_t)dim);
    }
    if (count > 0 && random_chance(maker->random, 4)) {
        exprs[0] = expr_literal(maker->arena, some_dim(maker, now));
    }
    return list(maker, exprs, count < now->rank ? count : now->rank);
}

static void make_as_strided(Maker *maker, SpecView *view)
{
    Random *random = maker->random;
    const Expr *sizes[3];
    const Expr *strides[3];
    const uint32_t rank = random_below(random, 4);
    for (uint32_t i = 0; i < rank; i++) {
        sizes[i] = say(maker, random_between(random, random_chance(random, 2) ? -1 : 0, 4));
        strides[i] = say(maker, random_between(random, random_chance(random, 2) ? -1 : 0, 6));
    }
    view->size = list(maker, sizes, rank);
    view->stride = list(maker, strides, rank);
    if (random_chance(random, 50)) {
        view->offset = said(maker, random_between(random, 0, 9));
    }
}

static void make_parts(Maker *maker, const Now *now, SpecView *view)
{
    Random *random = maker->random;
    const int64_t dim = some_dim(maker, now);
    const int64_t size = size_of(now, dim);
    int64_t count = 0;
    view->dim = fixed(maker, dim);
    if (view->op == SPEC_VIEW_SPLIT) {
        const int64_t part = random_between(random, random_chance(random, 10) ? -1 : 1, 4);
        view->split_size = said(maker, part);
        count = part > 0 ? (size + part - 1) / part : 1;
    } else if (view->op == SPEC_VIEW_CHUNK) {
        count = random_between(random, random_chance(random, 5) ? -1 : 1, 5);
        view->chunks = fixed(maker, count);
    } else {
        const int64_t first = random_between(random, 0, size);
        const int64_t second = random_between(random, 0, size - first);
        const int64_t third = size - first - second + (random_chance(random, 4) ? 1 : 0);
        const Expr *exprs[] = {say(maker, first), say(maker, second), say(maker, third)};
        view->sizes = list(maker, exprs, 3);
        count = 3;
    }
    const bool wild = random_chance(random, 5);
    view->index = fixed(maker, wild ? random_between(random, -5, 5) : random_between(random, -count, count - 1));
}

static void make_range(Maker *maker, const Now *now, SpecView *view)
{
    Random *random = maker->random;
    const int64_t dim = some_dim(maker, now);
    const int64_t size = size_of(now, dim);
    view->dim = fixed(maker, dim);
    if (view->op == SPEC_VIEW_NARROW) {
        const int64_t start = random_between(random, -size, size);
        const int64_t left = size - (start < 0 ? start + size : start);
        view->start = said(maker, start);
        view->length = said(maker, random_chance(random, 95) ? random_between(random, 0, left)
                                                             : random_between(random, -1, left + 1));
        return;
    }
    if (random_chance(random, 80)) {
        view->start = said(maker, random_between(random, -size - 1, size + 1));
    }
    if (random_chance(random, 70)) {
        view->end = random_chance(random, 20) ? one(maker, expr_literal(maker->arena, INT64_MAX))
                                              : said(maker, random_between(random, -size - 1, size + 1));
    }
    if (random_chance(random, 40)) {
        view->step = said(maker, random_between(random, random_chance(random, 5) ? -1 : 1, 3));
    }
}

static void make_index(Maker *maker, const Now *now, SpecView *view)
{
    const int64_t dim = some_dim(maker, now);
    const int64_t size = size_of(now, dim);
    view->dim = fixed(maker, dim);
    view->index =
        said(maker, random_chance(maker->random, 93) && size > 0 ? random_between(maker->random, -size, size - 1)
                                                                 : random_between(maker->random, -size - 1, size + 1));
}

static void make_window(Maker *maker, const Now *now, SpecView *view)
{
    Random *random = maker->random;
    const int64_t dim = some_dim(maker, now);
    view->dim = fixed(maker, dim);
    view->length = said(maker, random_between(random, random_chance(random, 3) ? -1 : 0,
                                              size_of(now, dim) + (random_chance(random, 4) ? 1 : 0)));
    view->step = said(maker, random_between(random, random_chance(random, 3) ? 0 : 1, 3));
}

static void make_arguments(Maker *maker, const Now *now, SpecView *view)
{
    static const char *const dtypes[] = {"float32", "complex64", "float16",    "float64", "uint8",
                                         "int16",   "bfloat16",  "complex128", "bool",    "complex32"};
    Random *random = maker->random;
    switch (view->op) {
    case SPEC_VIEW_AS_STRIDED:
        make_as_strided(maker, view);
        return;
    case SPEC_VIEW_VIEW:
    case SPEC_VIEW_RESHAPE:
    case SPEC_VIEW_UNFLATTEN:
        make_shape(maker, now, view);
        return;
    case SPEC_VIEW_EXPAND:
        make_expand(maker, now, view);
        return;
    case SPEC_VIEW_TRANSPOSE: {
        const Expr *dims[] = {expr_literal(maker->arena, some_dim(maker, now)),
                              expr_literal(maker->arena, some_dim(maker, now))};
        view->dims = list(maker, dims, 2);
        return;
    }
    case SPEC_VIEW_PERMUTE:
        view->dims = make_dims(maker, now, random_chance(random, 97) ? now->rank : random_below(random, 4));
        return;
    case SPEC_VIEW_SQUEEZE:
        if (random_chance(random, 60)) {
            view->dims = make_dims(maker, now, random_below(random, 3));
        }
        return;
    case SPEC_VIEW_UNSQUEEZE:
        view->dim = fixed(maker, random_between(random, -(int64_t)now->rank - 1, (int64_t)now->rank));
        return;
    case SPEC_VIEW_SELECT:
    case SPEC_VIEW_UNBIND:
        make_index(maker, now, view);
        return;
    case SPEC_VIEW_SLICE:
    case SPEC_VIEW_NARROW:
        make_range(maker, now, view);
        return;
    case SPEC_VIEW_VIEW_DTYPE:
        view->dtype = arena_printf(maker->arena, "%s", dtypes[random_below(random, sizeof dtypes / sizeof dtypes[0])]);
        view->dtype_code = dtype_parse(view->dtype);
        return;
    case SPEC_VIEW_DIAGONAL:
        view->offset = said(maker, random_between(random, -3, 3));
        view->dim1 = fixed(maker, some_dim(maker, now));
        view->dim2 = fixed(maker, some_dim(maker, now));
        return;
    case SPEC_VIEW_UNFOLD:
        make_window(maker, now, view);
        return;
    case SPEC_VIEW_MOVEDIM: {
        const uint32_t count = random_below(random, now->rank + 1);
        view->source = make_dims(maker, now, count);
        view->destination = make_dims(maker, now, count);
        return;
    }
    case SPEC_VIEW_FLATTEN:
        view->start_dim = fixed(maker, some_dim(maker, now));
        view->end_dim = fixed(maker, some_dim(maker, now));
        return;
    case SPEC_VIEW_SPLIT:
    case SPEC_VIEW_SPLIT_WITH_SIZES:
    case SPEC_VIEW_CHUNK:
        make_parts(maker, now, view);
        return;
    case SPEC_VIEW_T:
    case SPEC_VIEW_ALIAS:
    case SPEC_VIEW_DETACH:
    case SPEC_VIEW_VIEW_AS_REAL:
    case SPEC_VIEW_VIEW_AS_COMPLEX:
    case SPEC_VIEW_UNSET:
    case SPEC_VIEW__CONJ:
    case SPEC_VIEW__NEG_VIEW:
        return;
    }
}

void make_view(Maker *maker, uint32_t rank, const int64_t *sizes, const Expr *const *exprs)
{
    const Now now = {rank, sizes, exprs};
    SpecView *view = &maker->made->views[maker->made->num_views++];
    memset(view, 0, sizeof *view);
    const bool shapes = random_chance(maker->random, 25);
    view->op = (SpecViewOp)(1 + (int)random_below(maker->random, SPEC_VIEW_NARROW));
    view->op = shapes ? SPEC_VIEW_VIEW : view->op;
    make_arguments(maker, &now, view);
}
