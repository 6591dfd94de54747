/* SPDX-License-Identifier: MIT */
/*
 * prove - the search behind prove.h.
 *
 * A question is: is there a call that satisfies all of these clauses and none of those variants? A world holds what is
 * known about each field; the search asserts the clauses, then takes the variant with the fewest open clauses and lets
 * each of them in turn be the one that fails. A world in which a variant's clauses all hold is a dead end; one in which
 * every variant fails goes to prove_witness.c, which makes a call from it. Clauses with guards wait until one
 * alternative is left, or are tried one by one at the end.
 */
#include "prove_private.h"

#include <inttypes.h>
#include <string.h>

/* The number of clauses that may be examined for one question. */
enum { QUESTION_EFFORT = 400000, MAX_REMOVALS = 24 };

/* ---- the search ---- */

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
        prove_spend(p, (uint64_t)4 * (p->dispatch->num_fields + p->dispatch->num_nodes));
        if (!prove_make_witness(p->arena, p->dispatch, &p->world, style, &witness)) {
            continue;
        }
        *made = true;
        if (is_answer(p, question, &witness)) {
            p->witness = witness;
            return true;
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

static Answer search(Prover *p, const Question *question, const uint32_t *list, uint32_t n);

static Answer worse(Answer a, Answer b)
{
    return a == ANSWER_UNKNOWN ? a : b;
}

static Answer search_pending(Prover *p, const Question *question, const DispatchClause *clause)
{
    Answer answer = ANSWER_NO;
    for (uint32_t k = 0; k <= clause->num_guards && answer != ANSWER_YES; k++) {
        const Mark before = prove_mark(p);
        if (prove_alternative_is_open(p, clause, k) && prove_assert_alternative(p, clause, k)) {
            const Answer one = search(p, question, NULL, 0);
            answer = one == ANSWER_YES ? one : worse(answer, one);
        }
        prove_undo(p, before);
    }
    return answer;
}

/* Lets each open clause of the variant fail in turn; after that, those without guards hold. Starts with the last ones:
 * they are about details, and a call that differs in those looks most like what was meant. */
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
        if (answer != ANSWER_YES && clause->num_guards == 0 && !prove_assert_alternative(p, clause, 0)) {
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
        possible = prove_settle_pending(p) && (!p->pairs || prove_unite(p));
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

static bool clauses_disjoint(const DispatchVariant *a, const DispatchVariant *b)
{
    for (uint32_t i = 0; i < a->num_clauses; i++) {
        const DispatchClause *one = &a->clauses[i];
        for (uint32_t j = 0; one->equal_to == DISPATCH_NONE && one->num_guards == 0 && j < b->num_clauses; j++) {
            const DispatchClause *other = &b->clauses[j];
            if (other->field == one->field && other->equal_to == DISPATCH_NONE && other->num_guards == 0 &&
                intset_disjoint(&one->set, &other->set)) {
                return true;
            }
        }
    }
    return false;
}

bool prove_disjoint(const Dispatch *dispatch, uint32_t a, uint32_t b)
{
    return clauses_disjoint(&dispatch->variants[a], &dispatch->variants[b]);
}

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

/* Removes from `list` the variants that are not needed to cover the variant, as far as effort allows. */
static uint32_t needed(Prover *p, Question *question, uint32_t *list, uint32_t n)
{
    uint32_t *fewer = ARENA_ARRAY(p->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        question->excluded = &list[i];
        question->num_excluded = 1;
        if (i < MAX_REMOVALS && prove_ask(p, question) == ANSWER_NO) {
            list[0] = list[i];
            return 1;
        }
    }
    for (uint32_t i = 0, removals = 0; i < n && removals < MAX_REMOVALS; removals++) {
        memcpy(fewer, list, i * sizeof *list);
        memcpy(&fewer[i], &list[i + 1], (n - i - 1) * sizeof *list);
        question->excluded = fewer;
        question->num_excluded = n - 1;
        if (prove_ask(p, question) == ANSWER_NO) {
            n--;
            memcpy(list, fewer, n * sizeof *list);
        } else {
            i++;
        }
    }
    return n;
}

/* Is the variant chosen for some call? */
static void prove_reached(Prover *p, uint32_t variant, uint32_t *earlier, uint32_t num_earlier)
{
    Question question = {.required = {&p->dispatch->declared, &p->dispatch->variants[variant]},
                         .num_required = 2,
                         .excluded = earlier,
                         .num_excluded = num_earlier};
    const Answer answer = prove_ask(p, &question);
    if (answer == ANSWER_YES) {
        prove_found(p, FINDING_REACHED, variant, NULL, 0);
        return;
    }
    if (answer == ANSWER_UNKNOWN) {
        prove_not_known(p, variant, "whether it can be chosen");
        return;
    }
    question.num_excluded = 0;
    if (prove_ask(p, &question) == ANSWER_NO) {
        prove_found(p, FINDING_IMPOSSIBLE, variant, NULL, 0);
        return;
    }
    uint32_t *covering = ARENA_ARRAY(p->arena, uint32_t, num_earlier);
    memcpy(covering, earlier, num_earlier * sizeof *earlier);
    const uint32_t n = needed(p, &question, covering, num_earlier);
    prove_found(p, FINDING_SHADOWED, variant, covering, n);
}

/* The clause that contradicts the variant by itself, or null if only several together do. */
static const DispatchClause *contradiction(Prover *p, uint32_t variant, const DispatchVariant *stated)
{
    for (uint32_t i = 0; i < stated->num_clauses; i++) {
        const DispatchVariant one = {.clauses = &stated->clauses[i], .num_clauses = 1};
        const Question question = {.required = {&p->dispatch->declared, &p->dispatch->variants[variant], &one},
                                   .num_required = 3};
        if (prove_ask(p, &question) == ANSWER_NO) {
            return &stated->clauses[i];
        }
    }
    return NULL;
}

/* Does the variant's graph fit the calls for which it is chosen? */
static void prove_graph(Prover *p, uint32_t variant, const uint32_t *earlier, uint32_t num_earlier)
{
    const uint32_t n = p->dispatch->num_variants;
    const DispatchVariant *all = &p->dispatch->variants[2 * n + variant];
    const Question fits = {.required = {&p->dispatch->declared, &p->dispatch->variants[variant], all},
                           .num_required = 3};
    if (prove_ask(p, &fits) == ANSWER_NO) {
        const DispatchClause *clause = contradiction(p, variant, all);
        prove_found(p, FINDING_MISFIT, variant, NULL, 0)->clause = clause;
        return;
    }
    uint32_t *excluded = ARENA_ARRAY(p->arena, uint32_t, (size_t)num_earlier + 1);
    memcpy(excluded, earlier, num_earlier * sizeof *earlier);
    excluded[num_earlier] = n + variant;
    const Question chosen = {.required = {&p->dispatch->declared, &p->dispatch->variants[variant]},
                             .num_required = 2,
                             .excluded = excluded,
                             .num_excluded = num_earlier + 1};
    const Answer answer = prove_ask(p, &chosen);
    if (answer == ANSWER_YES) {
        prove_found(p, FINDING_REFUSED, variant, NULL, 0)->clause =
            prove_broken(&p->dispatch->variants[n + variant], p->witness.values);
    } else if (answer == ANSWER_UNKNOWN) {
        prove_not_known(p, variant, "whether its graph fits every call");
    } else if (p->dispatch->variants[n + variant].says_more) {
        prove_not_known(p, variant, "whether the guards of its graph hold for every call");
    } else if (p->dispatch->variants[n + variant].trusts) {
        prove_not_known(p, variant, "whether the expressions hold that its graph states and does not test");
    }
}

static void prove_coverage(Prover *p)
{
    const uint32_t n = p->dispatch->num_variants;
    uint32_t *all = ARENA_ARRAY(p->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        all[i] = i;
    }
    const Question question = {.required = {&p->dispatch->declared, &p->dispatch->always},
                               .num_required = 2,
                               .excluded = all,
                               .num_excluded = n};
    const Answer answer = prove_ask(p, &question);
    if (answer == ANSWER_UNKNOWN) {
        prove_not_known(p, n, "whether every call is accepted by some variant");
    } else {
        prove_found(p, answer == ANSWER_YES ? FINDING_UNCOVERED : FINDING_COVERED, n, NULL, 0);
    }
}

Proof prove_dispatch(Arena *arena, const Dispatch *dispatch)
{
    Proof proof = {0};
    Prover prover = {.arena = arena, .dispatch = dispatch, .proof = &proof};
    arena_init(&prover.scratch);
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        prover.pairs = prover.pairs || field_specs[dispatch->fields[i].kind].of == FIELD_OF_PAIR;
    }
    uint32_t *earlier = ARENA_ARRAY(arena, uint32_t, dispatch->num_variants);
    for (uint32_t j = 0; j < dispatch->num_variants; j++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < j; i++) {
            if (!prove_disjoint(dispatch, i, j)) {
                earlier[n++] = i;
            }
        }
        const uint32_t before = proof.num_findings;
        prove_reached(&prover, j, earlier, n);
        if (proof.findings[before].kind == FINDING_REACHED || proof.findings[before].kind == FINDING_UNPROVED) {
            prove_overlap(&prover, j, earlier, n);
            if (dispatch->variants[j].spec->graph != NULL) {
                prove_graph(&prover, j, earlier, n);
            }
        }
    }
    if (dispatch->num_variants > 0) {
        prove_coverage(&prover);
        prove_key(&prover);
    }
    arena_release(&prover.scratch);
    return proof;
}
