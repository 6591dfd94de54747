/* SPDX-License-Identifier: MIT */
/*
 * Tests of gen/plan/verify.c: a plan that keeps its promises is accepted, and each way to break one is told. No
 * lowering makes such a plan, so nothing else comes to these messages.
 */
#include "check.h"
#include "gen/plan/plan.h"

enum { ARGUMENT, MADE, NOWHERE = 9 };

#define EMIT(plan, op, ...)                                                                                            \
    plan_emit(plan, &(plan)->ops, OP_##op, "here", NULL, (const Operand[OP_MAX_OPERANDS + 1]){__VA_ARGS__})

static Operand site_of(Plan *plan)
{
    return operand_site(plan_site(plan, "x", "rank", "WG_E_RANK", "WG_KIND_INTEGER"));
}

/* One argument, which is loaded, and one output; the temporary "made" is not made yet. */
static Plan *loaded(Arena *arena)
{
    Plan *plan = plan_new_function(arena, NULL, "demo_k", "kernels[0]");
    plan->num_outs = 1;
    plan_slot(plan, SLOT_ARGUMENT, SLOT_TENSOR, 0, "in_x", "x");
    plan_slot(plan, SLOT_TEMPORARY, SLOT_TENSOR, 0, "made", "x");
    EMIT(plan, load_tensor, operand_tensor(ARGUMENT), operand_count(0));
    return plan;
}

static Plan *retained(Arena *arena)
{
    Plan *plan = loaded(arena);
    EMIT(plan, retain, operand_tensor(MADE), operand_tensor(ARGUMENT), site_of(plan));
    return plan;
}

static Plan *delivered(Arena *arena)
{
    Plan *plan = retained(arena);
    EMIT(plan, deliver_tensor, operand_count(0), operand_tensor(MADE));
    return plan;
}

static void says(const Plan *plan, const char *expected)
{
    const char *wrong = plan_verify(plan);
    check_text(wrong != NULL ? wrong : "nothing", expected, expected);
}

static void uses(Arena *arena)
{
    Plan *plan = loaded(arena);
    EMIT(plan, bump_version, operand_tensor(MADE), site_of(plan));
    says(plan, "here: op bump_version: uses before definition: made");
    plan = retained(arena);
    EMIT(plan, release, operand_tensor(MADE));
    EMIT(plan, bump_version, operand_tensor(MADE), site_of(plan));
    says(plan, "here: op bump_version: uses after its end: made");
    plan = loaded(arena);
    EMIT(plan, release, operand_tensor(ARGUMENT));
    says(plan, "here: op release: ends a reference that the wrapper does not own: in_x");
    plan = retained(arena);
    EMIT(plan, retain, operand_tensor(MADE), operand_tensor(ARGUMENT), site_of(plan));
    says(plan, "here: op retain: defines twice: made");
    plan = loaded(arena);
    EMIT(plan, bump_version, operand_tensor(NOWHERE), site_of(plan));
    says(plan, "here: op bump_version: no such slot ");
    plan = loaded(arena);
    EMIT(plan, load_tensor, operand_tensor(NOWHERE), operand_count(0));
    says(plan, "here: op load_tensor: no such slot ");
    plan = retained(arena);
    EMIT(plan, deliver_none, operand_count(0));
    says(plan, "kernels[0]: never ended: made");
}

static void operands(Arena *arena)
{
    Plan *plan = loaded(arena);
    EMIT(plan, bump_version, operand_count(0), site_of(plan));
    says(plan, "here: op bump_version: wrong type of operand tensor");
    plan = loaded(arena);
    EMIT(plan, bump_version, operand_tensor(ARGUMENT));
    says(plan, "here: op bump_version: wrong type of operand site");
    plan = loaded(arena);
    EMIT(plan, bump_version, operand_tensor(ARGUMENT), site_of(plan), operand_count(0));
    says(plan, "here: op bump_version: wrong type of operand beyond the last");
    plan = loaded(arena);
    EMIT(plan, bump_version, operand_tensor(ARGUMENT), operand_site(NULL));
    says(plan, "here: op bump_version: has no site");
    plan = loaded(arena);
    EMIT(plan, check_overlaps, operand_dims(NULL, 0), operand_sites(NULL, 0));
    says(plan, "here: op check_overlaps: has no sites, or can fail after the first delivery");
}

static void deliveries(Arena *arena)
{
    Plan *plan = delivered(arena);
    says(plan, "nothing");
    EMIT(plan, bump_version, operand_tensor(ARGUMENT), site_of(plan));
    says(plan, "here: op bump_version: can fail after the first delivery: site_rank_x");
    plan = loaded(arena);
    says(plan, "kernels[0].outputs[0]: delivered 0 times");
    plan = delivered(arena);
    EMIT(plan, deliver_none, operand_count(0));
    says(plan, "kernels[0].outputs[0]: delivered 2 times");
    plan = loaded(arena);
    EMIT(plan, deliver_none, operand_count(1));
    says(plan, "here: op deliver_none: no such output");
    plan = loaded(arena);
    EMIT(plan, release_run, operand_count(0), operand_count(1));
    says(plan, "here: op release_run: range outside the results");
}

int main(void)
{
    Arena arena;
    arena_init(&arena);
    uses(&arena);
    operands(&arena);
    deliveries(&arena);
    arena_release(&arena);
    return check_done();
}
