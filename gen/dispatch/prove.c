/* SPDX-License-Identifier: MIT */
/*
 * prove - the search behind prove.h.
 *
 * A question is: is there a call that satisfies all of these clauses and none of those variants? A world holds what is
 * known about each field; the search asserts the clauses, then takes the variant with the fewest open clauses and lets
 * each of them in turn be the one that fails. A world in which a variant's clauses all hold is a dead end; one in which
 * every variant fails goes to prove_witness.c, which makes a call from it. Clauses with an `unless` wait until one
 * alternative is left, or are tried one by one at the end.
 */
#include "prove_private.h"

#include <string.h>

#include "apart.h"

enum { MAX_REMOVALS = 24 };

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
    arena_init(&prover.trial);
    prover.pairs = ARENA_ARRAY(arena, uint32_t, dispatch->num_fields);
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        if (field_specs[dispatch->fields[i].kind].of == FIELD_OF_PAIR) {
            prover.pairs[prover.num_pairs++] = i;
        }
    }
    Apart *apart = apart_new(arena, dispatch);
    uint32_t *earlier = ARENA_ARRAY(arena, uint32_t, dispatch->num_variants);
    for (uint32_t j = 0; j < dispatch->num_variants; j++) {
        uint32_t n = 0;
        apart_look(apart, j);
        for (uint32_t i = 0; i < j; i++) {
            if (!apart_from(apart, i)) {
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
    arena_release(&prover.trial);
    return proof;
}
