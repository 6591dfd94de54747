/* SPDX-License-Identifier: MIT */
/*
 * Tests of gen/algebra/guard.c: whatever it says about random conditions holds for every value of the symbols that
 * their declarations, and the conditions assumed, allow; and what guards_simplify() leaves means the same there.
 *
 * Values of expressions are computed here in 128 bits, so that an answer that rests on an overflow is wrong.
 */
#include <stdlib.h>

#include "check.h"
#include "gen/algebra/guard.h"
#include "templates/selftest/random.h"

enum { SYMBOLS = 3, LOWEST = -4, HIGHEST = 7, ASSUMED = 2 };

typedef struct World {
    Arena *arena;
    Random *random;
    IntegerRange ranges[SYMBOLS];
    int64_t multiples[SYMBOLS];
    const Expr *assumed[ASSUMED];
    const Expr *asked;
    const Expr *left;
    Truth truth;
    bool has_huge; /* literals with which sums leave 64 bits: what cannot be computed proves nothing */
} World;

typedef struct Tally {
    int wrong;
    int decided;
    int shortened;
    int points;
} Tally;

static const Expr *random_integer(World *world, uint32_t depth)
{
    static const Operator operations[] = {OPERATOR_ADD, OPERATOR_SUB, OPERATOR_MUL, OPERATOR_FLOORDIV,
                                          OPERATOR_MOD, OPERATOR_MIN, OPERATOR_MAX};
    Random *random = world->random;
    if (depth == 0 || random_below(random, 3) == 0) {
        if (world->has_huge && random_below(random, 4) == 0) {
            static const int64_t huge[] = {INT64_MAX, INT64_MIN, INT64_MAX / 2 + 1, INT64_MIN + 1};
            return expr_literal(world->arena, huge[random_below(random, 4)]);
        }
        if (random_below(random, 3) == 0) {
            return expr_literal(world->arena, (int64_t)random_below(random, 9) - 3);
        }
        Expr *symbol = ARENA_NEW(world->arena, Expr);
        symbol->kind = EXPR_SYMBOL;
        symbol->symbol = random_below(random, SYMBOLS);
        return symbol;
    }
    const Operator operation = operations[random_below(random, 7)];
    const bool divides = operation == OPERATOR_FLOORDIV || operation == OPERATOR_MOD;
    const Expr *lhs = random_integer(world, depth - 1);
    const bool small = divides || (operation == OPERATOR_MUL && world->has_huge); /* so that 128 bits hold it */
    const Expr *rhs =
        small ? expr_literal(world->arena, 1 + (int64_t)random_below(random, 5)) : random_integer(world, depth - 1);
    return expr_operation(world->arena, operation, lhs, rhs);
}

static const Expr *random_condition(World *world, uint32_t depth)
{
    static const Operator comparisons[] = {OPERATOR_EQ, OPERATOR_NE, OPERATOR_LE, OPERATOR_LT};
    if (depth > 0 && random_below(world->random, 2) == 0) {
        const Operator operation = random_below(world->random, 2) == 0 ? OPERATOR_AND : OPERATOR_OR;
        const Expr *lhs = random_condition(world, depth - 1);
        const Expr *both = expr_operation(world->arena, operation, lhs, random_condition(world, depth - 1));
        return random_below(world->random, 3) == 0 ? expr_negate(world->arena, both) : both;
    }
    const Expr *lhs = random_integer(world, 2);
    return expr_operation(world->arena, comparisons[random_below(world->random, 4)], lhs, random_integer(world, 1));
}

/* In 128 bits, which hold all of it. */
__extension__ typedef __int128 Wide;

static Wide value_of(const Expr *expr, const int64_t *symbols)
{
    if (!expr_is_operation(expr)) {
        return expr->kind == EXPR_LITERAL ? expr->literal : symbols[expr->symbol];
    }
    const Wide a = value_of(expr->lhs, symbols);
    const Wide b = value_of(expr->rhs, symbols);
    switch (expr_operator(expr)) {
    case OPERATOR_ADD:
        return a + b;
    case OPERATOR_SUB:
        return a - b;
    case OPERATOR_MUL:
        return a * b;
    case OPERATOR_FLOORDIV: /* by literals above 0 */
        return (a - (a % b + b) % b) / b;
    case OPERATOR_MOD:
        return (a % b + b) % b;
    case OPERATOR_MIN:
        return a < b ? a : b;
    case OPERATOR_MAX:
        return a > b ? a : b;
    case OPERATOR_EQ:
        return a == b;
    case OPERATOR_NE:
        return a != b;
    case OPERATOR_LE:
        return a <= b;
    case OPERATOR_LT:
        return a < b;
    case OPERATOR_AND:
        return a && b;
    case OPERATOR_OR:
        return a || b;
    case NUM_OPERATORS:
        break;
    }
    abort();
}

static bool is_allowed(const World *world, const int64_t *symbols)
{
    bool allowed = true;
    for (int i = 0; i < SYMBOLS; i++) {
        const IntegerRange *range = &world->ranges[i];
        allowed = allowed && (!range->has_min || symbols[i] >= range->min) &&
                  (!range->has_max || symbols[i] <= range->max) && symbols[i] % world->multiples[i] == 0;
    }
    for (int i = 0; i < ASSUMED; i++) {
        allowed = allowed && (world->assumed[i] == NULL || value_of(world->assumed[i], symbols));
    }
    return allowed;
}

static void visit(const World *world, const int64_t *symbols, Tally *tally)
{
    if (!is_allowed(world, symbols)) {
        return;
    }
    const bool holds = value_of(world->asked, symbols) != 0;
    const bool left = world->left == NULL || value_of(world->left, symbols) != 0;
    tally->points++;
    tally->wrong += world->truth != TRUTH_UNKNOWN && (world->truth == TRUTH_YES) != holds;
    tally->wrong += left != holds;
}

static void random_world(Arena *arena, Random *random, Tally *tally)
{
    World world = {.arena = arena, .random = random, .has_huge = random_below(random, 3) == 0};
    for (int i = 0; i < SYMBOLS; i++) {
        const int64_t min = LOWEST + (int64_t)random_below(random, 7);
        world.ranges[i] = (IntegerRange){random_below(random, 3) != 0, random_below(random, 3) == 0, min,
                                         min + (int64_t)random_below(random, 6)};
        world.multiples[i] = random_below(random, 2) == 0 ? 1 : 1 + (int64_t)random_below(random, 4);
    }
    Guards *guards = guards_new(arena, world.ranges, world.multiples, SYMBOLS);
    for (uint32_t i = 0; i < random_below(random, ASSUMED + 1); i++) {
        world.assumed[i] = random_condition(&world, 1);
        guards_assume(guards, world.assumed[i]);
    }
    world.asked = random_condition(&world, 2);
    world.truth = guards_truth(guards, world.asked);
    world.left = guards_simplify(guards, world.asked);
    tally->decided += world.truth != TRUTH_UNKNOWN;
    tally->shortened += world.left != NULL && world.left != world.asked;
    int64_t symbols[SYMBOLS];
    for (symbols[0] = LOWEST; symbols[0] <= HIGHEST; symbols[0]++) {
        for (symbols[1] = LOWEST; symbols[1] <= HIGHEST; symbols[1]++) {
            for (symbols[2] = LOWEST; symbols[2] <= HIGHEST; symbols[2]++) {
                visit(&world, symbols, tally);
            }
        }
    }
}

int main(void)
{
    Tally tally = {0, 0, 0, 0};
    for (uint32_t seed = 1; seed <= 6000; seed++) {
        Arena arena;
        Random random = random_from(seed, 3);
        arena_init(&arena);
        random_world(&arena, &random, &tally);
        arena_release(&arena);
    }
    check(tally.wrong == 0, "%d answers are wrong", tally.wrong);
    check(tally.decided > 1500, "%d of 6000 conditions are decided", tally.decided);
    check(tally.shortened > 150, "%d conditions become shorter", tally.shortened);
    check(tally.points > 100000, "%d points were looked at", tally.points);
    return check_done();
}
