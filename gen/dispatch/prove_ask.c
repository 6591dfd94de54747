/* SPDX-License-Identifier: MIT */
/*
 * prove_ask - one question about a dispatcher: is there a call that one variant gets and others do not, as a search
 * over what earlier variants ask for; and what is found, or not known.
 */
#include "prove_private.h"

#include <string.h>

/* ---- the search ---- */

/* The number of clauses that may be examined for one question. */
enum { QUESTION_EFFORT = 400000 };

/* What making up a call costs for each of these: in looks at one clause, measured. */
enum { COST_OF_FIELD = 4, COST_OF_NODE = 40 };

static Answer search(Prover *p, const Question *question, const uint32_t *list, uint32_t n);

static const DispatchClause *open_pending(Prover *p)
{
    for (uint32_t i = 0; i < p->num_pending; i++) {
        if (prove_open_alternatives(p, p->pending[i]) > 0) {
            return p->pending[i];
        }
    }
    return NULL;
}

static bool is_answer(const Prover *p, const Question *question, const Witness *witness)
{
    for (uint32_t i = 0; i < question->num_required; i++) {
        if (!prove_accepts(question->required[i], witness->values)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < question->num_excluded; i++) {
        if (prove_accepts(&p->dispatch->variants[question->excluded[i]], witness->values)) {
            return false;
        }
    }
    return true;
}

/* A call in the world that answers the question. `made`: set if there was one to try. */
static bool find_witness(Prover *p, const Question *question, bool *made)
{
    for (int style = 0; style < PROVE_STYLES; style++) {
        Witness witness;
        prove_spend(p, (uint64_t)COST_OF_FIELD * p->dispatch->num_fields +
                           (uint64_t)COST_OF_NODE * p->dispatch->num_nodes);
        prove_spend_on_operands(p, p->dispatch->num_operands);
        arena_reset(&p->trial);
        if (!prove_make_witness(&p->trial, p->dispatch, &p->world, style, &witness)) {
            continue;
        }
        *made = true;
        if (is_answer(p, question, &witness)) { /* most are not, so one that is kept is made once more */
            return prove_make_witness(p->arena, p->dispatch, &p->world, style, &p->witness);
        }
    }
    return false;
}

static Answer answer_world(Prover *p, const Question *question)
{
    bool made = false;
    if (prove_refutes_layout(p->dispatch, &p->world)) {
        return ANSWER_NO;
    }
    const ProveChoices choices = prove_relations(p);
    if (choices.refuted) {
        return ANSWER_NO;
    }
    bool answered = find_witness(p, question, &made);
    if (!made && !prove_differ(p, &p->world.choice)) {
        return ANSWER_NO;
    }
    if (!made && p->world.choice != NULL) {
        answered = find_witness(p, question, &made);
    }
    for (uint32_t i = 0; !answered && i < choices.num_choices; i++) {
        p->world.choice = choices.choices[i];
        answered = find_witness(p, question, &made);
    }
    p->world.choice = NULL;
    return answered ? ANSWER_YES : ANSWER_UNKNOWN;
}

static Answer worse(Answer a, Answer b)
{
    return a == ANSWER_UNKNOWN ? a : b;
}

static Answer search_pending(Prover *p, const Question *question, const DispatchClause *clause)
{
    Answer answer = ANSWER_NO;
    for (uint32_t k = 0; k <= clause->num_unless && answer != ANSWER_YES; k++) {
        const Mark before = prove_mark(p);
        if (prove_alternative_is_open(p, clause, k) && prove_assert_alternative(p, clause, k)) {
            const Answer one = search(p, question, NULL, 0);
            answer = one == ANSWER_YES ? one : worse(answer, one);
        }
        prove_undo(p, before);
    }
    return answer;
}

/* Lets each open clause of the variant fail in turn; after that, those without `unless` hold. Starts with the last
 * ones: they are about details, and a call that differs in those looks most like what was meant. */
static Answer search_variant(Prover *p, const Question *question, uint32_t chosen, const uint32_t *list, uint32_t n)
{
    const DispatchVariant *variant = &p->dispatch->variants[chosen];
    const Mark outer = prove_mark(p);
    Answer answer = ANSWER_NO;
    for (uint32_t i = variant->num_clauses; i-- > 0 && answer != ANSWER_YES;) {
        const DispatchClause *clause = &variant->clauses[i];
        if (prove_open_alternatives(p, clause) <= 0) {
            continue;
        }
        const Mark before = prove_mark(p);
        if (prove_assert_fails(p, clause)) {
            const Answer one = search(p, question, list, n);
            answer = one == ANSWER_YES ? one : worse(answer, one);
        }
        prove_undo(p, before);
        if (answer != ANSWER_YES && clause->num_unless == 0 && !prove_assert_alternative(p, clause, 0)) {
            break;
        }
    }
    prove_undo(p, outer);
    return answer;
}

/* The number of open clauses of a variant; -1: one of its clauses fails, so it does not accept. */
static int open_clauses(Prover *p, const DispatchVariant *variant)
{
    int open = 0;
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        const int alternatives = prove_open_alternatives(p, &variant->clauses[i]);
        if (alternatives == 0) {
            return -1;
        }
        open += alternatives > 0 ? 1 : 0;
    }
    return open;
}

/* Asserts all that follows, until nothing changes. */
static bool settle(Prover *p)
{
    bool possible = true;
    uint32_t before = 0;
    do {
        before = p->num_trail;
        possible = prove_settle_pending(p) && (p->num_pairs == 0 || prove_unite(p));
    } while (possible && p->num_trail != before);
    return possible;
}

static Answer search(Prover *p, const Question *question, const uint32_t *list, uint32_t n)
{
    if (!settle(p)) {
        return ANSWER_NO;
    }
    if (p->effort == 0) {
        return ANSWER_UNKNOWN;
    }
    uint32_t *left = ARENA_ARRAY(&p->scratch, uint32_t, n);
    uint32_t num_left = 0;
    uint32_t best = 0;
    int fewest = 0;
    for (uint32_t i = 0; i < n; i++) {
        const int open = open_clauses(p, &p->dispatch->variants[list[i]]);
        if (open == 0) {
            return ANSWER_NO;
        }
        if (open > 0) {
            left[num_left] = list[i];
            if (num_left == 0 || open < fewest) {
                best = num_left;
                fewest = open;
            }
            num_left++;
        }
    }
    if (num_left > 0) {
        const uint32_t chosen = left[best];
        memmove(&left[best], &left[best + 1], (num_left - best - 1) * sizeof *left);
        return search_variant(p, question, chosen, left, num_left - 1);
    }
    const DispatchClause *clause = open_pending(p);
    return clause != NULL ? search_pending(p, question, clause) : answer_world(p, question);
}

Answer prove_ask(Prover *p, const Question *question)
{
    const uint32_t num_fields = p->dispatch->num_fields;
    if (p->total >= KERNEL_EFFORT) {
        return ANSWER_UNKNOWN;
    }
    arena_reset(&p->scratch);
    p->world = (ProveWorld){.domains = ARENA_ARRAY(&p->scratch, IntSet, num_fields),
                            .parents = ARENA_ARRAY(&p->scratch, uint32_t, num_fields)};
    for (uint32_t i = 0; i < num_fields; i++) {
        p->world.domains[i] = p->dispatch->fields[i].domain;
        p->world.parents[i] = i;
    }
    p->trail = NULL;
    p->num_trail = p->trail_capacity = p->differ_capacity = p->num_pending = 0;
    p->pending = NULL;
    p->effort = QUESTION_EFFORT;
    Answer answer = ANSWER_NO;
    bool consistent = true;
    for (uint32_t i = 0; consistent && i < question->num_required; i++) {
        consistent = prove_assert_variant(p, question->required[i]);
    }
    if (consistent) {
        answer = search(p, question, question->excluded, question->num_excluded);
    }
    p->total += QUESTION_EFFORT - p->effort + num_fields;
    return answer;
}

/* ---- questions ---- */

Finding *prove_found(Prover *p, FindingKind kind, uint32_t variant, const uint32_t *others, uint32_t num_others)
{
    Proof *proof = p->proof;
    proof->findings = arena_grow(p->arena, proof->findings, proof->num_findings * sizeof(Finding),
                                 (proof->num_findings + 1) * sizeof(Finding));
    Finding *finding = &proof->findings[proof->num_findings++];
    *finding = (Finding){.kind = kind, .variant = variant, .num_others = num_others, .witness = p->witness};
    finding->others = ARENA_ARRAY(p->arena, uint32_t, num_others);
    if (num_others > 0) {
        memcpy(finding->others, others, num_others * sizeof *others);
    }
    return finding;
}

void prove_not_known(Prover *p, uint32_t variant, const char *question)
{
    prove_found(p, FINDING_UNPROVED, variant, NULL, 0)->question = question;
}
