/* SPDX-License-Identifier: MIT */
/* implied - see implied.h. */
#include "implied.h"

#include <string.h>

#include "../algebra/guard.h"

/* Numbers of both versions: those of the same words are one symbol. */
typedef struct Shared {
    Arena *arena;
    Table places;
    uint32_t count;
    const char **words; /* by symbol */
} Shared;

static uint32_t symbol_of(Shared *shared, const char *word)
{
    const TableEntry *known = table_add(&shared->places, word, strlen(word), 0, shared->count);
    if (known != NULL) {
        return known->index;
    }
    shared->words[shared->count] = word;
    return shared->count++;
}

static const Expr *over_shared(Shared *shared, const Expr *expr, const PortraitLines *atoms)
{
    Expr *copy = ARENA_NEW(shared->arena, Expr);
    *copy = *expr;
    if (expr_is_operation(expr)) {
        copy->lhs = over_shared(shared, expr->lhs, atoms);
        copy->rhs = over_shared(shared, expr->rhs, atoms);
    } else if (expr->kind == EXPR_SYMBOL) {
        copy->symbol = symbol_of(shared, atoms->at[expr->symbol]);
    }
    return copy;
}

/* A size is at least 0; any other number may be negative. */
static Guards *guards_of(Shared *shared, uint32_t most)
{
    IntegerRange *ranges = ARENA_ARRAY(shared->arena, IntegerRange, (size_t)most + 1);
    int64_t *multiples = ARENA_ARRAY(shared->arena, int64_t, (size_t)most + 1);
    for (uint32_t i = 0; i < most; i++) {
        multiples[i] = 1;
        if (i < shared->count && strstr(shared->words[i], ".size(") != NULL) {
            ranges[i].has_min = true;
        }
    }
    return guards_new(shared->arena, ranges, multiples, most);
}

static const PortraitGuard *find_guard(const Portrait *portrait, const char *line)
{
    for (uint32_t i = 0; i < portrait->num_guards; i++) {
        if (str_equal(portrait->guards[i].line, line)) {
            return &portrait->guards[i];
        }
    }
    return NULL;
}

bool implied_guard(Arena *arena, const Portrait *one, const char *line, const Portrait *other)
{
    const PortraitGuard *guard = find_guard(one, line);
    const uint32_t most = one->atoms.count + other->atoms.count;
    Shared shared = {.arena = arena, .words = ARENA_ARRAY(arena, const char *, (size_t)most + 1)};
    if (guard == NULL) {
        return false;
    }
    table_init(&shared.places, arena);
    const Expr *wanted = over_shared(&shared, guard->condition, &one->atoms);
    const Expr **known = ARENA_ARRAY(arena, const Expr *, (size_t)other->num_guards + 1);
    for (uint32_t i = 0; i < other->num_guards; i++) {
        known[i] = over_shared(&shared, other->guards[i].condition, &other->atoms);
    }
    Guards *guards = guards_of(&shared, most);
    for (uint32_t i = 0; i < other->num_guards; i++) {
        guards_assume(guards, known[i]);
    }
    return guards_truth(guards, wanted) == TRUTH_YES;
}
