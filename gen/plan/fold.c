/* SPDX-License-Identifier: MIT */
/*
 * fold - finds runs of similar ops. At each op it tries every period, takes the one that covers most, and continues
 * after it; an attempt ends at the first op that differs from the one a period earlier, so the search is linear in the
 * length of the plan. fold_match.c says what is similar. Then it says what becomes of the names in a run.
 */
#include "fold_private.h"

#include <inttypes.h>
#include <string.h>

static Fold *fold_new(Arena *arena, const Plan *plan)
{
    Fold *fold = ARENA_NEW(arena, Fold);
    fold->arena = arena;
    fold->plan = plan;
    for (const Op *op = plan->ops.first; op != NULL; op = op->next) {
        fold->num_ops++;
    }
    fold->texts = ARENA_ARRAY(arena, const char *, (size_t)plan->num_slots + 1);
    fold->places = ARENA_ARRAY(arena, FoldPlace, (size_t)plan->num_slots + 1);
    fold->named = ARENA_ARRAY(arena, bool, (size_t)plan->num_slots + 1);
    return fold;
}

/* ---- the best run at an op ---- */

/* The strides found are in `strides`, which has room for the longest period. */
static FoldRun longest_run(const Fold *fold, uint32_t first, uint32_t period, int64_t (*strides)[OP_MAX_OPERANDS])
{
    FoldRun run = {.first = first, .period = period, .count = 1, .strides = strides};
    if (first + period >= fold->num_ops || fold->ops[first]->kind != fold->ops[first + period]->kind) {
        return run; /* most often, so before anything that takes time */
    }
    for (uint32_t i = 0; i < period * OP_MAX_OPERANDS; i++) {
        strides[i / OP_MAX_OPERANDS][i % OP_MAX_OPERANDS] = FOLD_NO_STRIDE;
    }
    while (fold_is_like_first(fold, &run, run.count)) {
        run.count++;
    }
    return run;
}

static uint32_t covered(const FoldRun *run)
{
    return run->count * run->period;
}

static bool is_worth_a_loop(const Fold *fold, const FoldRun *run)
{
    return run->count > 1 && covered(run) >= fold->least_ops;
}

static bool tests_something(const Fold *fold, const FoldRun *run)
{
    bool tests = false;
    for (uint32_t i = 0; i < run->period && !tests; i++) {
        const Op *op = fold_op(fold, run, 0, i);
        for (uint32_t n = 0; n < op_num_operands(op->kind) && !tests; n++) {
            tests = op->operands[n].type == OPERAND_SITE;
        }
    }
    return tests;
}

/* Counting costs three instructions, as much as a test, so a short body is repeated several times in its loop. Bodies
 * that only move values are left to the compiler, which turns them into one copy. */
static uint32_t widened(const Fold *fold, const FoldRun *run)
{
    const uint32_t times = (FOLD_SHORT_BODY + run->period - 1) / run->period;
    return run->count / times > 1 && tests_something(fold, run) ? run->period * times : run->period;
}

static FoldRun best_run(const Fold *fold, uint32_t first, int64_t (*strides)[OP_MAX_OPERANDS])
{
    FoldRun best = {.count = 0};
    for (uint32_t period = 1; period <= FOLD_LONGEST_PERIOD; period++) {
        const FoldRun run = longest_run(fold, first, period, strides);
        if (is_worth_a_loop(fold, &run) && covered(&run) > covered(&best)) {
            best = run;
        }
    }
    return best.count == 0 ? best : longest_run(fold, first, widened(fold, &best), strides);
}

/* ---- what becomes of a body's definitions ---- */

static size_t role_length(const char *text)
{
    return strcspn(text, "0123456789_");
}

/* The name in the plan that an operand of an op defines, or null. */
static const char *defined_text(const Fold *fold, const Op *op, uint32_t operand)
{
    const OperandSpec *spec = &op_specs[op->kind].operands[operand];
    if (spec->role != OPERAND_DEF && spec->role != OPERAND_OWN) {
        return NULL;
    }
    return spec->type == OPERAND_TENSOR    ? fold->plan->slots[op->operands[operand].as.slot].text
           : spec->type == OPERAND_INTEGER ? op->operands[operand].as.integer.name
                                           : NULL;
}

static uint32_t same_role(const Fold *fold, const Op *op, const char *text)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < op_num_operands(op->kind); i++) {
        const char *other = defined_text(fold, op, i);
        if (other == text) {
            return n;
        }
        n += other != NULL && role_length(other) == role_length(text) && strncmp(other, text, role_length(text)) == 0;
    }
    return n;
}

/* "run1_wrapped" for "wrapped16_y0": the loop's number and the role; the role is numbered too if it occurs in the body
 * before ("run0_attr1"). */
static const char *local_name(const Fold *fold, const FoldRun *run, uint32_t position, const char *text)
{
    uint32_t nth = 0;
    for (uint32_t i = 0; i <= position; i++) {
        nth += same_role(fold, fold_op(fold, run, 0, i), text);
    }
    return arena_printf(fold->arena, nth == 0 ? "run%" PRIu32 "_%.*s" : "run%" PRIu32 "_%.*s%" PRIu32, run->number,
                        (int)role_length(text), text, nth);
}

static uint32_t slot_of(const Fold *fold, const FoldRun *run, uint32_t n, uint32_t position, uint32_t operand)
{
    return fold_op(fold, run, n, position)->operands[operand].as.slot;
}

static bool is_read_after(const Fold *fold, const FoldRun *run, uint32_t position, uint32_t operand)
{
    bool is_read = false;
    for (uint32_t n = 0; n < run->count && !is_read; n++) {
        is_read = fold->last[slot_of(fold, run, n, position, operand)] >= run->first + (n + 1) * run->period;
    }
    return is_read;
}

static void make_array(Fold *fold, const FoldRun *run, uint32_t position, uint32_t operand, const char *name)
{
    FoldArray *array = ARENA_NEW(fold->arena, FoldArray);
    const bool owned = fold->plan->slots[slot_of(fold, run, 0, position, operand)].owned;
    *array = (FoldArray){owned ? name : arena_printf(fold->arena, "%ss", name), run->count, owned};
    fold->arrays =
        arena_grow(fold->arena, fold->arrays, fold->num_arrays * sizeof array, (fold->num_arrays + 1) * sizeof array);
    fold->arrays[fold->num_arrays++] = array;
    for (uint32_t n = 0; n < run->count; n++) {
        fold->places[slot_of(fold, run, n, position, operand)] = (FoldPlace){array, n};
    }
}

/* A definition is a local of the loop, an element of an array that outlives it, or (arguments) an element of args. */
static void settle_definition(Fold *fold, const FoldRun *run, uint32_t position, uint32_t operand)
{
    const char *name =
        local_name(fold, run, position, fold->plan->slots[slot_of(fold, run, 0, position, operand)].text);
    const bool is_argument = fold->places[slot_of(fold, run, 0, position, operand)].array == &fold_arguments;
    if (!is_argument && is_read_after(fold, run, position, operand)) {
        make_array(fold, run, position, operand, name);
    }
    for (uint32_t n = 0; n < run->count; n++) {
        const uint32_t slot = slot_of(fold, run, n, position, operand);
        const FoldPlace *place = &fold->places[slot];
        fold->texts[slot] = place->array == NULL
                                ? name
                                : arena_printf(fold->arena, "%s[%" PRIu32 "].tensor", place->array->name, place->index);
    }
}

static bool facts_same(const Facts *a, const Facts *b)
{
    bool same = true;
    for (uint32_t i = 0; i < a->count && same && a != b; i++) {
        same = a->at[i].expected.literal == b->at[i].expected.literal;
    }
    return same;
}

static bool varies(const Fold *fold, const FoldRun *run, uint32_t position, uint32_t operand)
{
    const Operand *first = &fold_op(fold, run, 0, position)->operands[operand];
    bool same = true;
    for (uint32_t n = 1; n < run->count && same; n++) {
        const Operand *now = &fold_op(fold, run, n, position)->operands[operand];
        same = first->type == OPERAND_SITE ? first->as.site == now->as.site
                                           : !first->as.facts->literal || facts_same(first->as.facts, now->as.facts);
    }
    return !same;
}

/* Do two operands of a body name the same sites, or facts, in every iteration? */
static bool same_rows(const Fold *fold, const FoldRun *run, const FoldTable *a, const FoldTable *b)
{
    bool same = true;
    for (uint32_t n = 0; n < run->count && same; n++) {
        const Operand *one = &fold_op(fold, run, n, a->position)->operands[a->operand];
        const Operand *other = &fold_op(fold, run, n, b->position)->operands[b->operand];
        same = one->type == other->type &&
               (one->type == OPERAND_SITE ? one->as.site == other->as.site : one->as.facts == other->as.facts);
    }
    return same;
}

/* A pointer is read in one instruction more than facts in place, and most graphs state few different facts. */
static bool rows_repeat(Fold *fold, const FoldRun *run, uint32_t position, uint32_t operand)
{
    Table seen;
    table_init(&seen, fold->arena);
    for (uint32_t n = 0; n < run->count; n++) {
        const char *symbol = fold_op(fold, run, n, position)->operands[operand].as.facts->symbol;
        (void)table_add(&seen, symbol, strlen(symbol), 0, n);
    }
    return seen.count * 2 <= run->count;
}

static void add_table(Fold *fold, FoldRun *run, uint32_t position, uint32_t operand)
{
    FoldTable table = {.position = position, .operand = operand, .is_first = true};
    for (uint32_t i = 0; i < run->num_tables && table.name == NULL; i++) {
        if (run->tables[i].is_first && same_rows(fold, run, &run->tables[i], &table)) {
            table.name = run->tables[i].name;
            table.is_first = false;
            table.repeats = run->tables[i].repeats;
        }
    }
    if (table.name == NULL) {
        const bool is_site = op_specs[fold_op(fold, run, 0, position)->kind].operands[operand].type == OPERAND_SITE;
        table.name = arena_printf(fold->arena, "run%" PRIu32 "_%s%" PRIu32, run->number, is_site ? "sites" : "facts",
                                  run->num_tables);
        table.repeats = !is_site && rows_repeat(fold, run, position, operand);
    }
    run->tables[run->num_tables++] = table;
}

static void settle_run(Fold *fold, FoldRun *run)
{
    for (uint32_t position = 0; position < run->period; position++) {
        const OpKind kind = fold_op(fold, run, 0, position)->kind;
        for (uint32_t i = 0; i < op_num_operands(kind); i++) {
            const OperandSpec *spec = &op_specs[kind].operands[i];
            const bool is_table = spec->type == OPERAND_SITE || (spec->type == OPERAND_FACTS);
            if (spec->type == OPERAND_TENSOR && (spec->role == OPERAND_DEF || spec->role == OPERAND_OWN)) {
                settle_definition(fold, run, position, i);
            } else if (is_table && varies(fold, run, position, i)) {
                add_table(fold, run, position, i);
            }
        }
    }
}

static void add_run(Fold *fold, const FoldRun *found)
{
    FoldRun *run = ARENA_NEW(fold->arena, FoldRun);
    *run = *found;
    run->number = fold->num_runs;
    run->strides = arena_array(fold->arena, run->period, sizeof *run->strides);
    for (uint32_t i = 0; i < run->period * OP_MAX_OPERANDS; i++) {
        const int64_t stride = found->strides[i / OP_MAX_OPERANDS][i % OP_MAX_OPERANDS];
        run->strides[i / OP_MAX_OPERANDS][i % OP_MAX_OPERANDS] = stride == FOLD_NO_STRIDE ? 0 : stride;
    }
    run->tables = ARENA_ARRAY(fold->arena, FoldTable, (size_t)run->period * OP_MAX_OPERANDS);
    fold->runs = arena_grow(fold->arena, fold->runs, fold->num_runs * sizeof run, (fold->num_runs + 1) * sizeof run);
    fold->runs[fold->num_runs++] = run;
    settle_run(fold, run);
}

Fold *fold_plan(Arena *arena, const Plan *plan, uint32_t least_ops)
{
    Fold *fold = fold_new(arena, plan);
    fold->least_ops = least_ops;
    if (least_ops == 0 || fold->num_ops < least_ops) {
        return fold;
    }
    fold_index_ops(fold);
    int64_t(*strides)[OP_MAX_OPERANDS] = arena_array(arena, FOLD_LONGEST_PERIOD, sizeof *strides);
    for (uint32_t i = 0; i < fold->num_ops;) {
        const FoldRun run = fold_takes(fold->ops[i]) ? best_run(fold, i, strides) : (FoldRun){.count = 0};
        if (run.count > 0) {
            add_run(fold, &run);
        }
        i += run.count > 0 ? covered(&run) : 1;
    }
    fold_find_named(fold);
    return fold;
}

/* ---- writing it down ---- */

const char *fold_slot(const Fold *fold, uint32_t slot)
{
    return fold->texts[slot] != NULL ? fold->texts[slot] : fold->plan->slots[slot].text;
}

const char *fold_integer_in(const Fold *fold, const FoldRun *run, IntegerRef integer)
{
    const uint32_t defined = fold->integer_defined[integer.id];
    return fold_is_in_first(run, defined) ? local_name(fold, run, defined - run->first, integer.name) : integer.name;
}

const char *fold_index(Arena *arena, int64_t first, int64_t stride)
{
    const char *step = stride == 1 ? "i" : arena_printf(arena, "%" PRId64 " * i", stride);
    if (stride == 0) {
        return arena_printf(arena, "%" PRId64, first);
    }
    return first == 0 ? step : arena_printf(arena, "%" PRId64 " + %s", first, step);
}

const char *fold_slot_in(const Fold *fold, const FoldRun *run, uint32_t position, uint32_t operand, uint32_t slot)
{
    const FoldPlace *place = &fold->places[slot];
    const bool own = fold_is_own(fold, run, slot);
    if (place->array == NULL) {
        return fold_slot(fold, slot);
    }
    if (own && !place->array->owned) {
        return local_name(fold, run, fold->defined[slot] - run->first, fold->plan->slots[slot].text);
    }
    const int64_t stride = own ? 1 : run->strides[position][operand];
    return stride == 0 ? fold_slot(fold, slot)
                       : arena_printf(fold->arena, "%s[%s].tensor", place->array->name,
                                      fold_index(fold->arena, place->index, stride));
}

const char *fold_kept(const Fold *fold, const FoldRun *run, uint32_t position, uint32_t operand)
{
    const Op *op = fold_op(fold, run, 0, position);
    const OperandSpec *spec = &op_specs[op->kind].operands[operand];
    if (spec->role != OPERAND_DEF || spec->type != OPERAND_TENSOR) {
        return NULL;
    }
    const FoldArray *array = fold->places[op->operands[operand].as.slot].array;
    return array == NULL || array == &fold_arguments ? NULL : array->name;
}

bool fold_is_declared(const Fold *fold, uint32_t slot)
{
    if (fold->texts[slot] == NULL) {
        return true;
    }
    bool is_first = false;
    for (uint32_t i = 0; i < fold->num_runs && !is_first; i++) {
        const FoldRun *run = fold->runs[i];
        is_first = fold_is_in_first(run, fold->defined[slot]);
    }
    return is_first && fold->places[slot].array == NULL;
}

const FoldTable *fold_table(const FoldRun *run, uint32_t position, uint32_t operand)
{
    for (uint32_t i = 0; i < run->num_tables; i++) {
        if (run->tables[i].position == position && run->tables[i].operand == operand) {
            return &run->tables[i];
        }
    }
    return NULL;
}
