/* SPDX-License-Identifier: MIT */
/*
 * prove_overlap - for which pairs of variants does the order in the file decide, and is that what the later one says?
 */
#include "prove_private.h"

#include <string.h>

/* The same call: a graph may get different arguments. */
bool prove_same_function(const SpecVariant *a, const SpecVariant *b)
{
    bool same = (a->graph == NULL) == (b->graph == NULL) && (a->arg_index == NULL) == (b->arg_index == NULL) &&
                a->args.text_count == b->args.text_count &&
                strcmp(*dispatch_variant_name(a), *dispatch_variant_name(b)) == 0;
    for (uint32_t i = 0; same && i < a->args.text_count; i++) {
        same = a->arg_index[i] == b->arg_index[i];
    }
    return same;
}

/* Two variants accept some call, p->witness. Is there one that no variant before both of them takes? Then p->witness is
 * that one. If that cannot be decided, their order is assumed to matter. */
static bool order_decides(Prover *p, const Question *both, const uint32_t *before, uint32_t num_before)
{
    const Witness plain = p->witness;
    Question question = *both;
    question.excluded = before;
    question.num_excluded = num_before;
    const Answer answer = num_before == 0 || p->total >= KERNEL_EFFORT / 2 ? ANSWER_UNKNOWN : prove_ask(p, &question);
    if (answer == ANSWER_UNKNOWN) {
        p->witness = plain;
    }
    return answer != ANSWER_NO;
}

/* A machine that has every feature. On it a variant for better CPUs is a special case if its other conditions make it
 * one: that it comes first is meant, whatever other machines do. */
static DispatchVariant best_machine(Arena *arena, const Dispatch *dispatch)
{
    DispatchVariant machine = {.clauses = ARENA_ARRAY(arena, DispatchClause, (size_t)dispatch->num_fields + 1)};
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        if (dispatch->fields[i].kind == FIELD_FEATURE) {
            machine.clauses[machine.num_clauses++] = (DispatchClause){.field = i,
                                                                      .equal_to = DISPATCH_NONE,
                                                                      .set = intset_point(arena, 1),
                                                                      .complement = intset_point(arena, 0)};
        }
    }
    return machine;
}

/* For each name of a variant's `overlaps`: is there an overlap with a variant of that name? */
typedef struct Expected {
    const SpecNames *names;
    Answer *answers;
} Expected;

static Expected expected_new(Arena *arena, const SpecNames *names)
{
    Expected expected = {.names = names, .answers = ARENA_ARRAY(arena, Answer, names->text_count)};
    for (uint32_t i = 0; i < names->text_count; i++) {
        expected.answers[i] = ANSWER_NO;
    }
    return expected;
}

/* Notes what was found about a variant of that name; was it expected? */
static bool expected_note(Expected *expected, const char *name, Answer answer)
{
    for (uint32_t i = 0; i < expected->names->text_count; i++) {
        if (strcmp(expected->names->text[i], name) == 0) {
            expected->answers[i] =
                expected->answers[i] == ANSWER_YES || answer == ANSWER_NO ? expected->answers[i] : answer;
            return true;
        }
    }
    return false;
}

static void report_apart(Prover *p, uint32_t variant, const Expected *expected)
{
    for (uint32_t i = 0; i < expected->names->text_count; i++) {
        if (expected->answers[i] == ANSWER_NO) {
            prove_found(p, FINDING_APART, variant, NULL, 0)->said = &expected->names->text[i];
        }
    }
}

/* Does an earlier variant accept some of what this one does, and neither all of it nor nothing else? */
void prove_overlap(Prover *p, uint32_t variant, const uint32_t *earlier, uint32_t num_earlier)
{
    Expected expected = expected_new(p->arena, &p->dispatch->variants[variant].spec->overlaps);
    const DispatchVariant machine = best_machine(p->arena, p->dispatch);
    uint32_t *overlapping = ARENA_ARRAY(p->arena, uint32_t, num_earlier);
    uint32_t n = 0;
    bool known = true;
    Witness witness = {0};
    for (uint32_t i = 0; i < num_earlier; i++) {
        const DispatchVariant *first = &p->dispatch->variants[earlier[i]];
        if (prove_same_function(first->spec, p->dispatch->variants[variant].spec)) {
            continue; /* the same function: the order decides nothing */
        }
        const Question special = {.required = {&p->dispatch->declared, first, &machine},
                                  .num_required = 3,
                                  .excluded = &variant,
                                  .num_excluded = 1};
        const Question both = {.required = {&p->dispatch->declared, first, &p->dispatch->variants[variant]},
                               .num_required = 3};
        if (prove_ask(p, &special) == ANSWER_NO) {
            continue; /* the special case comes first, as it should */
        }
        Answer answer = prove_ask(p, &both);
        if (answer == ANSWER_YES && !order_decides(p, &both, earlier, i)) {
            answer = ANSWER_NO;
        }
        if (expected_note(&expected, *dispatch_variant_name(first->spec), answer)) {
            continue; /* it is meant */
        }
        known = known && answer != ANSWER_UNKNOWN;
        if (answer == ANSWER_YES) {
            witness = n == 0 ? p->witness : witness;
            overlapping[n++] = earlier[i];
        }
    }
    if (n > 0) {
        p->witness = witness;
        prove_found(p, FINDING_OVERLAP, variant, overlapping, n);
    }
    if (!known) {
        prove_not_known(p, variant, "whether it overlaps with an earlier one");
    }
    report_apart(p, variant, &expected);
}
