/* SPDX-License-Identifier: MIT */
/*
 * Folds random view sequences, and applies them one by one with templates/selftest/views, which the self-tests ship and
 * cases_test.c holds to PyTorch.
 *
 * With numbers alone a fold must succeed exactly when the sequence is possible, without guards, and name the same
 * elements. With symbols it is compared at several assignments of values:
 *   - accepted and all guards hold: the sequence must be possible too, and the geometry equal. This is what must never
 * fail;
 *   - accepted and a guard does not hold: the sequence must be impossible, but for the rules in stricter_rules, which
 * are stricter than PyTorch and say so;
 *   - refused for certain: the sequence must be impossible at every assignment. Refused because something is "not
 * known": counted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"
#include "make.h"

enum { LITERAL_SEQUENCES = 200000, SYMBOLIC_SEQUENCES = 60000, ASSIGNMENTS = 7, SEQUENCES_AN_ARENA = 64 };

/* Guards that may fail where PyTorch has an answer: sizes that are 1 by chance, blocks that need not have been joined,
 * parts of size 0 of an empty dimension. */
static const char *const stricter_rules[] = {
    "expand changes only sizes that are 1",
    "the dimensions that are joined are adjacent in memory",
    "the split size is at least 1",
};

typedef struct Tally {
    int sequences;
    int accepted;
    int refused;
    int not_known;
    int compared; /* geometries, at assignments where everything holds */
    int guarded;  /* assignments at which a guard rightly fails */
    int stricter; /* and at which it fails though PyTorch has an answer */
    int wrong;
    int shown;
} Tally;

/* The values of one evaluation. */
typedef struct Point {
    int64_t symbols[MAKE_SYMBOLS];
    int64_t strides[MAKE_MAX_RANK]; /* what is read of the base */
    int64_t offset;
} Point;

/* Independent of gen/: the value of a node; false: overflow, or division by zero. */
static bool node_value(const Integer *node, const Point *point, int64_t *value)
{
    int64_t a = 0;
    int64_t b = 0;
    if (node->lhs && (!node_value(node->lhs, point, &a) || !node_value(node->rhs, point, &b))) {
        return false;
    }
    switch (node->kind) {
    case INTEGER_LITERAL:
        *value = node->literal;
        return true;
    case INTEGER_SYMBOL:
        *value = point->symbols[node->index];
        return true;
    case INTEGER_READ_STRIDE:
        *value = point->strides[node->index];
        return true;
    case INTEGER_READ_OFFSET:
        *value = point->offset;
        return true;
    default:
        return operator_apply(integer_operator(node->kind), a, b, value); /* unit/expr_test holds it to Python */
    }
}

/* A geometry at a point; false: it has none. */
static bool geometry_at(const Geometry *geometry, const Point *point, ViewGeometry *at)
{
    *at = (ViewGeometry){.rank = (int32_t)geometry->rank, .dtype = geometry->dtype};
    bool good = geometry->rank <= VIEW_RANK && node_value(geometry->offset, point, &at->offset);
    for (uint32_t i = 0; good && i < geometry->rank; i++) {
        good = node_value(geometry->sizes[i], point, &at->sizes[i]) &&
               node_value(geometry->strides[i], point, &at->strides[i]) && at->sizes[i] >= 0;
    }
    return good;
}

/* ---- what is expected ---- */

typedef struct Expected {
    bool knowable; /* the base is one, and no tensor on the way has more dims than a ViewGeometry holds */
    bool invalid;  /* must be refused */
    bool either;   /* may be refused, or accepted: hides_stride() */
    ViewGeometry base;
    ViewGeometry result;
} Expected;

static bool base_at(const Case *made, const Symbols *symbols, const Point *point, ViewGeometry *base)
{
    *base = (ViewGeometry){.rank = (int32_t)made->rank, .dtype = made->dtype, .offset = point->offset};
    bool good = !made->offset || evaluate(symbols, made->offset, &base->offset);
    for (uint32_t i = 0; good && i < made->rank; i++) {
        base->strides[i] = point->strides[i];
        good = evaluate(symbols, made->sizes[i], &base->sizes[i]) && base->sizes[i] >= 0 &&
               (!made->strides[i] || evaluate(symbols, made->strides[i], &base->strides[i])) && base->strides[i] >= 0;
    }
    return good && base->offset >= 0;
}

/* Is there room for the dims of the result? */
static bool has_room(const SpecView *view, const ViewGeometry *geometry)
{
    const uint32_t added = view->size.text_count > 1 ? view->size.text_count : 1;
    return (uint32_t)geometry->rank + added <= VIEW_RANK;
}

/* PyTorch tests strides when the dtype changes, also those of a dim of size 1 and of a tensor without elements. A fold
 * holds for all values of the symbols, so it may be stricter or laxer where a size is 0 or 1 by chance. */
static bool hides_stride(const SpecView *view, const ViewGeometry *geometry)
{
    bool hides = false;
    for (int32_t i = 0; view_is_step(view->op) && i < geometry->rank; i++) {
        hides = hides || geometry->sizes[i] <= 1;
    }
    return hides;
}

static Expected expect(const Case *made, const Point *point)
{
    const Symbols symbols = {point->symbols, NULL};
    Expected expected;
    memset(&expected, 0, sizeof expected);
    expected.knowable = base_at(made, &symbols, point, &expected.base);
    expected.result = expected.base;
    for (uint32_t i = 0; expected.knowable && !expected.invalid && i < made->num_views; i++) {
        expected.knowable = has_room(&made->views[i], &expected.result);
        expected.either = expected.either || hides_stride(&made->views[i], &expected.result);
        expected.invalid = expected.knowable && evaluate_views(&symbols, &made->views[i], 1, &expected.result) != NULL;
    }
    return expected;
}

/* ---- folding ---- */

typedef struct Folded {
    bool accepted;
    ViewFold fold;
    GeometryError error;
    Integers *integers;
} Folded;

static Folded fold_case(Arena *arena, const Case *made)
{
    Folded folded;
    memset(&folded, 0, sizeof folded);
    folded.integers = integers_new(arena, made->ranges, MAKE_SYMBOLS);
    Geometry base = {made->rank, NULL, NULL, NULL, made->dtype};
    base.sizes = ARENA_ARRAY(arena, const Integer *, made->rank);
    base.strides = ARENA_ARRAY(arena, const Integer *, made->rank);
    for (uint32_t i = 0; i < made->rank; i++) {
        base.sizes[i] = integer_from_expr(folded.integers, made->sizes[i]);
        base.strides[i] = made->strides[i] ? integer_from_expr(folded.integers, made->strides[i])
                                           : integer_read(folded.integers, INTEGER_READ_STRIDE, 0, i);
    }
    base.offset = made->offset ? integer_from_expr(folded.integers, made->offset)
                               : integer_read(folded.integers, INTEGER_READ_OFFSET, 0, 0);
    folded.accepted =
        geometry_fold(arena, folded.integers, &base, made->views, made->num_views, &folded.fold, &folded.error);
    return folded;
}

/* The first guard that does not hold at the point; null: all do. */
static const ViewGuard *failing_guard(const ViewFold *fold, const Point *point)
{
    for (uint32_t i = 0; i < fold->num_guards; i++) {
        const ViewGuard *guard = &fold->guards[i];
        int64_t lhs = 0;
        int64_t rhs = 0;
        const bool known = node_value(guard->lhs, point, &lhs) && node_value(guard->rhs, point, &rhs);
        if (!known || (guard->equal ? lhs != rhs : lhs > rhs)) {
            return guard;
        }
    }
    return NULL;
}

static bool is_stricter_rule(const char *rule)
{
    for (size_t i = 0; i < sizeof stricter_rules / sizeof stricter_rules[0]; i++) {
        if (strcmp(rule, stricter_rules[i]) == 0) {
            return true;
        }
    }
    return false;
}

static ViewCall call_of(const ViewStep *step)
{
    static const SpecViewOp ops[] = {
        [VIEW_STEP_DETACH] = SPEC_VIEW_DETACH,
        [VIEW_STEP_VIEW_DTYPE] = SPEC_VIEW_VIEW_DTYPE,
        [VIEW_STEP_VIEW_AS_REAL] = SPEC_VIEW_VIEW_AS_REAL,
        [VIEW_STEP_VIEW_AS_COMPLEX] = SPEC_VIEW_VIEW_AS_COMPLEX,
        [VIEW_STEP_CONJ] = SPEC_VIEW__CONJ,
        [VIEW_STEP_NEG_VIEW] = SPEC_VIEW__NEG_VIEW,
    };
    ViewCall call = view_call(ops[step->kind]);
    call.dtype = step->geometry.dtype;
    return call;
}

/* Follows the steps as a host would, each from what the one before gave, and compares every one with its own geometry.
 */
static bool steps_hold(const Case *made, const ViewFold *fold, const Point *point, const Expected *expected)
{
    ViewGeometry now = expected->base;
    for (uint32_t i = 0; i < fold->num_steps; i++) {
        const ViewStep *step = &fold->steps[i];
        ViewGeometry stated;
        if (!geometry_at(&step->geometry, point, &stated)) {
            return false;
        }
        if (step->kind == VIEW_STEP_AS_STRIDED) {
            stated.dtype = now.dtype; /* an as_strided keeps it */
            now = stated;
            continue;
        }
        const ViewCall call = call_of(step);
        if (view_apply(&call, &now) != NULL || !view_same_geometry(&now, &stated)) {
            return false;
        }
    }
    return made->num_views == 0 || view_same_geometry(&now, &expected->result);
}

/* What is wrong at this point; null: nothing. */
static const char *compare(const Case *made, const Folded *folded, const Point *point, Tally *tally)
{
    const Expected expected = expect(made, point);
    if (!expected.knowable) {
        return NULL;
    }
    const ViewGuard *failing = failing_guard(&folded->fold, point);
    if (failing) {
        tally->guarded++;
        if (expected.invalid || expected.either || !folded->accepted) {
            return NULL;
        }
        tally->stricter++;
        return is_stricter_rule(failing->rule) ? NULL : "a guard fails though the sequence is possible";
    }
    if (!folded->accepted) {
        const bool for_certain = strstr(folded->error.message, "not known") == NULL;
        return for_certain && !expected.invalid && !expected.either ? "refused though it is possible" : NULL;
    }
    if (expected.invalid) {
        return expected.either ? NULL : "accepted though it is not possible";
    }
    ViewGeometry found;
    if (!geometry_at(&folded->fold.result, point, &found)) {
        return "the result has no value, or a negative size";
    }
    tally->compared++;
    if (!view_same_geometry(&found, &expected.result)) {
        return "other elements";
    }
    return steps_hold(made, &folded->fold, point, &expected) ? NULL : "the steps lead elsewhere";
}

static void show(Tally *tally, const Case *made, const Folded *folded, const Point *point, const char *what)
{
    tally->wrong++;
    if (tally->shown++ >= 20) {
        return;
    }
    printf("# %s\n", what);
    make_print(made);
    printf("#   at");
    for (uint32_t i = 0; i < MAKE_SYMBOLS; i++) {
        printf(" %c=%" PRId64, (char)('a' + (int)i), point->symbols[i]);
    }
    printf("; strides read");
    for (uint32_t i = 0; i < made->rank; i++) {
        printf(" %" PRId64, point->strides[i]);
    }
    printf("\n#   %s\n", folded->accepted ? "accepted" : folded->error.message);
    for (uint32_t i = 0; i < folded->fold.num_guards; i++) {
        const ViewGuard *guard = &folded->fold.guards[i];
        printf("#   guard %s %s %s (%s)\n", integer_text(folded->integers, guard->lhs),
               guard->equal ? "==" : "<=", integer_text(folded->integers, guard->rhs), guard->rule);
    }
}

/* ---- making ---- */

/* A node as an expression that can stand in the YAML; null: it has a read. */
static const Expr *expr_of_node(Arena *arena, const Integer *node)
{
    if (node->kind == INTEGER_LITERAL) {
        return expr_literal(arena, node->literal);
    }
    if (node->kind == INTEGER_SYMBOL) {
        Expr *expr = ARENA_NEW(arena, Expr);
        expr->kind = EXPR_SYMBOL;
        expr->symbol = node->index;
        return expr;
    }
    if (!integer_is_operation(node)) {
        return NULL;
    }
    const Expr *lhs = expr_of_node(arena, node->lhs);
    const Expr *rhs = lhs ? expr_of_node(arena, node->rhs) : NULL;
    return rhs ? expr_operation(arena, integer_operator(node->kind), lhs, rhs) : NULL;
}

static Point maker_point(const Case *made)
{
    Point point;
    memcpy(point.symbols, made->symbols, sizeof point.symbols);
    memcpy(point.strides, made->read_strides, sizeof point.strides);
    point.offset = made->read_offset;
    return point;
}

/* Adds operations one by one, each made for what the ones before give. One that is not possible is mostly taken
 * back. */
static void make_sequence(Maker *maker)
{
    Case *made = maker->made;
    const uint32_t wanted = 1 + random_below(maker->random, MAKE_MAX_VIEWS);
    const Point point = maker_point(made);
    while (made->num_views < wanted) {
        const Folded folded = fold_case(maker->arena, made);
        const Expected expected = expect(made, &point);
        if (!expected.knowable || expected.invalid) {
            return;
        }
        const uint32_t rank = (uint32_t)expected.result.rank;
        const Expr **exprs = ARENA_ARRAY(maker->arena, const Expr *, rank);
        for (uint32_t i = 0; folded.accepted && rank == folded.fold.result.rank && i < rank; i++) {
            exprs[i] = expr_of_node(maker->arena, folded.fold.result.sizes[i]);
        }
        make_view(maker, rank, expected.result.sizes, exprs);
        if (expect(made, &point).invalid) {
            made->num_views -= random_chance(maker->random, 85) ? 1 : 0;
            if (made->num_views == 0) {
                continue;
            }
            return;
        }
    }
}

/* Other values for some of the symbols, within their ranges, and other strides where they are read. */
static Point other_point(const Case *made, Random *random)
{
    Point point = maker_point(made);
    for (uint32_t i = 0; i < MAKE_SYMBOLS; i++) {
        const IntegerRange *range = &made->ranges[i];
        if (random_chance(random, 30)) {
            const int64_t least = range->has_min ? range->min : -2;
            const int64_t most = range->has_max ? range->max : least + 8;
            point.symbols[i] = random_between(random, least, most);
        }
    }
    const Symbols symbols = {point.symbols, NULL};
    int64_t stride = 1;
    const bool contiguous = random_chance(random, 50);
    for (uint32_t i = made->rank; i-- > 0;) {
        int64_t size = 0;
        point.strides[i] = contiguous ? stride : point.strides[i];
        evaluate(&symbols, made->sizes[i], &size);
        stride *= size > 1 ? size : 1;
    }
    return point;
}

static void run_sequence(Arena *arena, Random *random, bool symbolic, Tally *tally)
{
    Case made;
    Maker maker = {arena, random, symbolic, &made};
    make_base(&maker);
    make_sequence(&maker);
    const Folded folded = fold_case(arena, &made);
    tally->sequences++;
    tally->accepted += folded.accepted ? 1 : 0;
    tally->refused += folded.accepted ? 0 : 1;
    tally->not_known += !folded.accepted && strstr(folded.error.message, "not known") ? 1 : 0;
    const int assignments = symbolic ? ASSIGNMENTS : 1;
    for (int i = 0; i < assignments; i++) {
        const Point point = i == 0 ? maker_point(&made) : other_point(&made, random);
        const char *what = compare(&made, &folded, &point, tally);
        if (!what && !symbolic && folded.fold.num_guards > 0) {
            what = "a guard over numbers";
        }
        if (what) {
            show(tally, &made, &folded, &point, what);
        }
    }
}

static Tally run_sequences(uint64_t seed, int count, bool symbolic)
{
    Random random = {seed};
    Tally tally;
    memset(&tally, 0, sizeof tally);
    Arena arena;
    arena_init(&arena);
    for (int i = 0; i < count; i++) {
        run_sequence(&arena, &random, symbolic, &tally);
        if (i % SEQUENCES_AN_ARENA == 0) {
            arena_reset(&arena);
        }
    }
    arena_release(&arena);
    return tally;
}

static void print_tally(const Tally *tally, const char *name)
{
    printf("# %s: %d sequences, %d accepted, %d refused (%d not known), %d geometries compared, at %d points a guard "
           "fails, "
           "at %d of them PyTorch is less strict\n",
           name, tally->sequences, tally->accepted, tally->refused, tally->not_known, tally->compared, tally->guarded,
           tally->stricter);
}

int main(int argc, char **argv)
{
    const int percent = argc > 1 ? atoi(argv[1]) : 100;
    const uint64_t more = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    const Tally literal = run_sequences(0x2545f4914f6cdd1dU + more, LITERAL_SEQUENCES / 100 * percent, false);
    print_tally(&literal, "numbers");
    check(literal.wrong == 0, "folds over numbers name the same elements");
    check(literal.not_known == 0 || literal.not_known < literal.sequences / 100, "over numbers everything is known");
    check(literal.accepted > literal.sequences / 2 && literal.refused > literal.sequences / 50,
          "sequences over numbers are of both kinds");
    const Tally symbolic = run_sequences(0x9e3779b97f4a7c15U + more, SYMBOLIC_SEQUENCES / 100 * percent, true);
    print_tally(&symbolic, "symbols");
    check(symbolic.wrong == 0, "folds over symbols name the same elements");
    check(symbolic.accepted > symbolic.sequences / 3 && symbolic.compared > symbolic.sequences,
          "sequences over symbols are decided more often than not");
    check(symbolic.stricter < symbolic.guarded / 15, "few of the guards that fail are stricter than PyTorch");
    return check_done();
}
